// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "noise.h"
#include "kverbs.h"
#include "summary.h"

#define STEAL_MAX	0.01	/* share of the span that may be stolen */

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
	if (noise->cpus)
		judge(noise);
}
