// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "noise.h"
#include "kverbs.h"
#include "summary.h"

#define STEAL_MAX	0.01	/* share of the span that may be stolen */
#define PF_KTHREAD	0x00200000	/* of the flags in /proc/PID/stat, as linux/sched.h */

static char *read_all(const char *path)
{
	FILE *file = fopen(path, "r");
	size_t used = 0, size = 1 << 16, got;
	char *text, *more;

	if (!file)
		return NULL;
	text = malloc(size);
	while (text && (got = fread(text + used, 1, size - used - 1, file))) {
		used += got;
		if (size - used > 1)
			continue;
		size *= 2;
		more = realloc(text, size);
		if (!more) {
			free(text);
			text = NULL;
			break;
		}
		text = more;
	}
	if (text)
		text[used] = '\0';
	fclose(file);
	return text;
}

/**
 * kv_noise_parse_stat - read /proc/stat
 * @text: what it holds
 * @sample: times and @switches are filled
 */
void kv_noise_parse_stat(const char *text, struct kv_noise_sample *sample)
{
	unsigned long long irq, softirq, steal, switches;
	const char *line;
	unsigned int cpu;

	for (line = text; line && *line; line = strchr(line, '\n'), line += !!line) {
		/* "cpu " is of all, and %u would skip the space */
		if (!strncmp(line, "cpu ", 4))
			continue;
		if (sscanf(line, "cpu%u %*u %*u %*u %*u %*u %llu %llu %llu", &cpu, &irq, &softirq,
			   &steal) == 4 && cpu < KV_NOISE_CPUS) {
			sample->irq_time[cpu] = irq;
			sample->softirq_time[cpu] = softirq;
			sample->steal[cpu] = steal;
			sample->all_irq_time += irq;
		} else if (sscanf(line, "ctxt %llu", &switches) == 1) {
			sample->switches = switches;
		}
	}
}

/* the CPUs of the columns, from the first line */
static u32 parse_columns(const char *text, u32 *column)
{
	const char *end = strchr(text, '\n'), *at = text;
	u32 n = 0;

	while ((at = strstr(at, "CPU")) && (!end || at < end) && n < KV_NOISE_CPUS) {
		column[n] = (u32)strtoul(at + 3, NULL, 10);
		if (column[n] < KV_NOISE_CPUS)
			n++;
		at += 3;
	}
	return n;
}

/**
 * kv_noise_parse_table - read /proc/interrupts or /proc/softirqs
 * @text: what it holds
 * @count: sums of each CPU
 * @timer: where the rows of timers go, or NULL: to @count
 */
void kv_noise_parse_table(const char *text, u64 *count, u64 *timer)
{
	u32 column[KV_NOISE_CPUS], columns = parse_columns(text, column), i;
	const char *line = strchr(text, '\n'), *at;
	char *end;
	u64 *sum;

	while (line && *++line) {
		at = strchr(line, ':');
		if (!at)
			break;
		line += strspn(line, " ");
		sum = timer && !strncmp(line, "LOC:", 4) ? timer : count;
		for (i = 0, at++; i < columns; i++, at = end) {
			u64 value = strtoull(at, &end, 10);

			if (end == at || memchr(at, '\n', (size_t)(end - at)))
				break;
			sum[column[i]] += value;
		}
		line = strchr(line, '\n');
	}
}

static void read_throttles(struct kv_noise_sample *sample)
{
	char path[96];
	FILE *file;
	u32 cpu;

	for (cpu = 0; cpu < KV_NOISE_CPUS; cpu++) {
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%u/thermal_throttle/core_throttle_count", cpu);
		file = fopen(path, "r");
		if (!file)
			return;
		if (fscanf(file, "%llu", &sample->throttles[cpu]) != 1)
			sample->throttles[cpu] = 0;
		fclose(file);
	}
}

/**
 * kv_noise_other_kthread - is it a kernel thread, and none of kverbs?
 * @stat: what its /proc/PID/stat holds
 */
bool kv_noise_other_kthread(const char *stat)
{
	const char *name = strchr(stat, '('), *end = strrchr(stat, ')');
	unsigned int flags;

	if (!name || !end || sscanf(end, ") %*c %*d %*d %*d %*d %*d %u", &flags) != 1)
		return false;
	return flags & PF_KTHREAD && strncmp(name, "(kverbs/", 8);
}

/* a short file of a process, by as few calls as can be: a host has many of them */
static int read_short(int proc, const char *pid, const char *name, char *text, size_t size)
{
	char path[64];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "%.16s/%s", pid, name);
	fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	got = read(fd, text, size - 1);
	close(fd);
	if (got < 0)
		return -1;
	text[got] = '\0';
	return 0;
}

/* -1: it is none, or gone, or the kernel does not say */
static int read_kthread(int proc, const char *pid, struct kv_noise_kthread *thread)
{
	char text[512];

	if (read_short(proc, pid, "stat", text, sizeof(text)) || !kv_noise_other_kthread(text) ||
	    read_short(proc, pid, "schedstat", text, sizeof(text)))
		return -1;
	thread->pid = (u32)strtoul(pid, NULL, 10);
	thread->ns = strtoull(text, NULL, 10);
	return 0;
}

static int by_pid(const void *a, const void *b)
{
	const struct kv_noise_kthread *x = a, *y = b;

	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

static void read_kthreads(struct kv_noise_sample *sample)
{
	struct dirent *entry;
	DIR *dir = opendir("/proc");

	if (!dir)
		return;
	while (sample->nkthreads < KV_NOISE_KTHREADS && (entry = readdir(dir))) {
		if (isdigit((unsigned char)*entry->d_name) &&
		    !read_kthread(dirfd(dir), entry->d_name,
				  &sample->kthread[sample->nkthreads]))
			sample->nkthreads++;
	}
	closedir(dir);
	qsort(sample->kthread, sample->nkthreads, sizeof(*sample->kthread), by_pid);
}

struct kv_noise_sample *kv_noise_sample(void)
{
	struct kv_noise_sample *sample = calloc(1, sizeof(*sample));
	char *stat = read_all("/proc/stat"), *irqs = read_all("/proc/interrupts");
	char *softirqs = read_all("/proc/softirqs");
	struct timespec now;

	if (sample && stat && irqs && softirqs) {
		kv_noise_parse_stat(stat, sample);
		kv_noise_parse_table(irqs, sample->irqs, sample->timer_irqs);
		kv_noise_parse_table(softirqs, sample->softirqs, NULL);
		read_throttles(sample);
		read_kthreads(sample);
		clock_gettime(CLOCK_MONOTONIC_RAW, &now);
		sample->at_ns = (u64)now.tv_sec * 1000000000ULL + (u64)now.tv_nsec;
	} else {
		free(sample);
		sample = NULL;
	}
	free(stat);
	free(irqs);
	free(softirqs);
	return sample;
}

static void judge(struct kv_noise *noise)
{
	double share = noise->steal_ms / 1000 / (noise->span_s * noise->cpus);

	if (noise->throttles)
		snprintf(noise->why, sizeof(noise->why), "throttled %llu times", noise->throttles);
	else if (share > STEAL_MAX)
		snprintf(noise->why, sizeof(noise->why), "%.0f %% of the CPU time stolen",
			 100 * share);
	else if (noise->preemptions)
		snprintf(noise->why, sizeof(noise->why), "lanes preempted %llu times",
			 noise->preemptions);
	noise->contaminated = *noise->why;
}

/*
 * Where time in interrupts is sampled, at ticks of the timer, none is ever found: the tick
 * is an interrupt itself, into which no other comes. Where it is counted, by
 * IRQ_TIME_ACCOUNTING and a clock that is good for it, there was some, soon after boot.
 */
static void share_irqs(const struct kv_noise_sample *after, u64 irq, u64 softirq, u64 ops,
		       struct kv_noise *noise)
{
	bool counted = after->all_irq_time && ops;

	noise->step_ns = counted ? 1e9 / (double)sysconf(_SC_CLK_TCK) / (double)ops : NAN;
	noise->irq_ns = (double)irq * noise->step_ns;
	noise->softirq_ns = (double)softirq * noise->step_ns;
}

/* what of a thread that ended in between is lost; one that began counts whole */
static double share_kthreads(const struct kv_noise_sample *before,
			     const struct kv_noise_sample *after, u64 ops)
{
	u64 sum = 0, known = 0;
	u32 i, j;

	for (i = 0, j = 0; i < after->nkthreads; i++) {
		const struct kv_noise_kthread *now = &after->kthread[i];

		while (j < before->nkthreads && before->kthread[j].pid < now->pid)
			j++;
		known |= now->ns;
		sum += now->ns;
		/* not of one that has the number of another again */
		if (j < before->nkthreads && before->kthread[j].pid == now->pid &&
		    before->kthread[j].ns <= now->ns)
			sum -= before->kthread[j].ns;
	}
	/* no thread ever ran: not counted */
	return known && ops ? (double)sum / (double)ops : NAN;
}

/**
 * kv_noise_between - what happened between two samples
 * @before: or NULL
 * @after: or NULL
 * @result: of the run between them
 * @noise: filled
 */
void kv_noise_between(const struct kv_noise_sample *before, const struct kv_noise_sample *after,
		      const struct kv_result *result, struct kv_noise *noise)
{
	bool seen[KV_NOISE_CPUS] = { false };
	u64 irq = 0, softirq = 0;
	u32 i, cpu;

	memset(noise, 0, sizeof(*noise));
	noise->irq_ns = NAN;
	noise->softirq_ns = NAN;
	noise->step_ns = NAN;
	noise->kthreads_ns = NAN;
	if (!before || !after || !result->nlanes)
		return;
	noise->known = true;
	noise->span_s = (double)(after->at_ns - before->at_ns) / 1e9;
	noise->switches = after->switches - before->switches;
	for (i = 0; i < result->nlanes; i++) {
		/* who yields, or lets a software stack run, is switched by itself */
		if (result->granted.wait != KVERBS_WAIT_YIELD && !result->software)
			noise->preemptions += result->lane[i].stat.preemptions;
		cpu = result->lane[i].cpu;
		if (cpu >= KV_NOISE_CPUS || seen[cpu])
			continue;
		seen[cpu] = true;
		noise->cpus++;
		noise->irqs += after->irqs[cpu] - before->irqs[cpu];
		noise->timer_irqs += after->timer_irqs[cpu] - before->timer_irqs[cpu];
		noise->softirqs += after->softirqs[cpu] - before->softirqs[cpu];
		irq += after->irq_time[cpu] - before->irq_time[cpu];
		softirq += after->softirq_time[cpu] - before->softirq_time[cpu];
		noise->throttles += after->throttles[cpu] - before->throttles[cpu];
		noise->steal_ms += (double)(after->steal[cpu] - before->steal[cpu]) * 1000 /
				   (double)sysconf(_SC_CLK_TCK);
	}
	share_irqs(after, irq, softirq, kv_operations(result), noise);
	noise->kthreads_ns = share_kthreads(before, after, kv_operations(result));
	if (noise->cpus)
		judge(noise);
}
