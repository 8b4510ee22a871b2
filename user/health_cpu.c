// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Checks of the CPUs of lanes. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "file.h"
#include "health_read.h"

#define CPU		"/sys/devices/system/cpu"
#define CPUINFO_BYTES	16384	/* the first CPUs: all are alike */
#define STAT_BYTES	(1 << 20)
#define LOAD_MS		100	/* how long a sibling is watched: /proc/stat counts in 10 ms */
#define BUSY_PERCENT	10
#define SLOW_US		20	/* to leave an idle state: above, a wake-up is mostly that */

/* what stands after "NAME : " */
static bool cpuinfo(const char *name, char *value, size_t size)
{
	char *text = malloc(CPUINFO_BYTES), *line, *save = NULL;

	value[0] = '\0';
	if (!text)
		return false;
	kv_file_read(text, CPUINFO_BYTES, "/proc/cpuinfo");
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (strncmp(line, name, strlen(name)) || !strchr(line, ':'))
			continue;
		line = strchr(line, ':') + 1;
		snprintf(value, size, "%s", line + (*line == ' '));
		break;
	}
	free(text);
	return *value;
}

KV_READER(cpu)
{
	return cpuinfo("model name", found->value, sizeof(found->value)) ||
	       cpuinfo("CPU part", found->value, sizeof(found->value));
}

KV_READER(virtual)
{
	char flags[4096];
	bool is;

	if (!cpuinfo("flags", flags, sizeof(flags)))
		return false;
	is = strstr(flags, " hypervisor");
	kv_found(found, is, is ? "yes" : "no");
	return true;
}

KV_JUDGE(virtual)
{
	return found->number ? KV_HEALTH_NOTE : KV_HEALTH_OK;
}

KV_READER(governor)
{
	char line[32];
	u32 i;

	for (i = 0; i < host->ncpus; i++) {
		if (!kv_file_line(line, sizeof(line), CPU "/cpu%u/cpufreq/scaling_governor",
				  host->cpu[i]))
			return false;
		kv_found(found, !strcmp(line, "performance"), "%s", line);
		if (!found->number) {
			kv_found(found, 0, "%s on CPU %u", line, host->cpu[i]);
			break;
		}
	}
	return host->ncpus;
}

KV_JUDGE(governor)
{
	return found->number ? KV_HEALTH_OK : KV_HEALTH_WARN;
}

/* the slowest to leave of those that are enabled: false when none can be read */
static bool deepest(u32 cpu, s64 *latency, char *name, size_t size)
{
	struct dirent **entry;
	int n = kv_file_list(&entry, CPU "/cpu%u/cpuidle", cpu), i;
	s64 us, disabled;
	bool any = false;

	for (i = 0; i < n; i++) {
		if (!kv_file_number(&us, CPU "/cpu%u/cpuidle/%s/latency", cpu, entry[i]->d_name))
			continue;
		any = true;
		if (kv_file_number(&disabled, CPU "/cpu%u/cpuidle/%s/disable", cpu,
				   entry[i]->d_name) && disabled)
			continue;
		if (us < *latency)
			continue;
		*latency = us;
		kv_file_line(name, size, CPU "/cpu%u/cpuidle/%s/name", cpu, entry[i]->d_name);
	}
	kv_file_list_free(entry, n);
	return any;
}

KV_READER(idle_states)
{
	char name[32] = "";
	s64 latency = 0;
	u32 i;

	for (i = 0; i < host->ncpus; i++) {
		if (!deepest(host->cpu[i], &latency, name, sizeof(name)))
			return false;
	}
	if (latency)
		kv_found(found, latency, "down to %s, %lld us to leave", name,
			 (long long)latency);
	else
		kv_found(found, 0, "none that takes time to leave");
	return host->ncpus;
}

KV_JUDGE(idle_states)
{
	return found->number > SLOW_US ? KV_HEALTH_WARN : KV_HEALTH_OK;
}

KV_READER(turbo)
{
	s64 value;

	if (kv_file_number(&value, CPU "/intel_pstate/no_turbo"))
		value = !value;
	else if (!kv_file_number(&value, CPU "/cpufreq/boost"))
		return false;
	kv_found(found, value, value ? "on" : "off");
	return true;
}

KV_JUDGE(turbo)
{
	return found->number ? KV_HEALTH_NOTE : KV_HEALTH_OK;
}

/* time of a CPU by /proc/stat: all of it, and the idle part */
static bool cpu_time(const char *stat, u32 cpu, u64 *all, u64 *idle)
{
	u64 field[8];
	char name[16];
	const char *at;
	u32 i;

	snprintf(name, sizeof(name), "\ncpu%u ", cpu);
	at = strstr(stat, name);
	if (!at || sscanf(at + strlen(name), "%llu %llu %llu %llu %llu %llu %llu %llu",
			  &field[0], &field[1], &field[2], &field[3], &field[4], &field[5],
			  &field[6], &field[7]) != 8)
		return false;
	*all = 0;
	for (i = 0; i < KV_ARRAY_SIZE(field); i++)
		*all += field[i];
	*idle = field[3] + field[4];
	return true;
}

/**
 * kv_busy_share - how busy a CPU was between two readings of /proc/stat
 * @before: earlier text
 * @after: later text
 * @cpu: number
 * Return: percent, -1: not known
 */
int kv_busy_share(const char *before, const char *after, u32 cpu)
{
	u64 all[2], idle[2];

	if (!cpu_time(before, cpu, &all[0], &idle[0]) || !cpu_time(after, cpu, &all[1], &idle[1]) ||
	    all[1] <= all[0] || idle[1] < idle[0])
		return -1;
	return (int)(100 - 100 * (idle[1] - idle[0]) / (all[1] - all[0]));
}

static void judge_siblings(const u32 *sibling, u32 n, const char *before, const char *after,
			   struct kv_found *found)
{
	int share, busiest = -1;
	u32 i, which = 0;

	for (i = 0; i < n; i++) {
		share = kv_busy_share(before, after, sibling[i]);
		if (share > busiest) {
			busiest = share;
			which = sibling[i];
		}
	}
	if (busiest < 0)
		kv_found(found, -1, "CPU %u beside a lane, load unknown", sibling[0]);
	else
		kv_found(found, busiest, "CPU %u beside a lane, %d %% busy", which, busiest);
}

static bool is_lane(const struct kv_host *host, u32 cpu)
{
	u32 i;

	for (i = 0; i < host->ncpus; i++) {
		if (host->cpu[i] == cpu)
			return true;
	}
	return false;
}

/* watches the siblings for a moment, if there are any */
KV_READER(smt)
{
	const struct timespec moment = { .tv_nsec = LOAD_MS * 1000000L };
	u32 all[64], sibling[64], n = 0, i;
	char list[256], *stat;
	int count, j;

	for (i = 0; i < host->ncpus; i++) {
		if (!kv_file_line(list, sizeof(list), CPU "/cpu%u/topology/thread_siblings_list",
				  host->cpu[i]))
			return false;
		count = kv_cpu_list_parse(list, all, KV_ARRAY_SIZE(all));
		if (count < 1)
			return false;
		for (j = 0; j < count && n < KV_ARRAY_SIZE(sibling); j++) {
			if (!is_lane(host, all[j])) {
				sibling[n++] = all[j];
			} else if (all[j] != host->cpu[i]) {
				kv_found(found, 100, "lanes on CPU %u and %u share a core",
					 host->cpu[i], all[j]);
				return true;
			}
		}
	}
	if (!n) {
		kv_found(found, 0, "none");
		return host->ncpus;
	}
	stat = calloc(2, STAT_BYTES);
	if (!stat)
		return false;
	kv_file_read(stat, STAT_BYTES, "/proc/stat");
	nanosleep(&moment, NULL);
	kv_file_read(stat + STAT_BYTES, STAT_BYTES, "/proc/stat");
	judge_siblings(sibling, n, stat, stat + STAT_BYTES, found);
	free(stat);
	return true;
}

KV_JUDGE(smt)
{
	if (found->number < 0)
		return KV_HEALTH_NOTE;
	return found->number > BUSY_PERCENT ? KV_HEALTH_WARN : KV_HEALTH_OK;
}

/* are all lanes on CPUs of a list? */
static bool all_lanes(const struct kv_host *host, const char *list)
{
	u32 cpu[1024], i;
	int n = *list ? kv_cpu_list_parse(list, cpu, KV_ARRAY_SIZE(cpu)) : 0, j;

	for (i = 0; i < host->ncpus; i++) {
		for (j = 0; j < n && cpu[j] != host->cpu[i]; j++)
			;
		if (j >= n)
			return false;
	}
	return true;
}

KV_READER(isolation)
{
	char isolated[256], nohz[256];
	bool known;

	known = kv_file_exists(CPU "/isolated");
	kv_file_line(isolated, sizeof(isolated), CPU "/isolated");
	kv_file_line(nohz, sizeof(nohz), CPU "/nohz_full");
	if (strspn(nohz, "0123456789,-") != strlen(nohz))
		nohz[0] = '\0';		/* "(null)" */
	kv_found(found, all_lanes(host, isolated), "isolcpus %.48s, nohz_full %.48s",
		 *isolated ? isolated : "none", *nohz ? nohz : "none");
	return known && host->ncpus;
}

KV_JUDGE(isolation)
{
	return found->number ? KV_HEALTH_OK : KV_HEALTH_NOTE;
}
