// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include "device.h"
#include "file.h"
#include "null.h"
#include "kverbs.h"

#define CLASS	"/sys/class/infiniband"

/* one line of a file of the device, "" when there is none */
static void read_line(const char *device, const char *name, char *line, size_t size)
{
	kv_file_line(line, size, CLASS "/%s/%s", device, name);
}

bool kv_device_exists(const char *name)
{
	return kv_file_exists(CLASS "/%s", name) || kv_null_named(name);
}

/**
 * kv_device_pick - which device is meant
 * @asked: its name, or NULL for the only one
 * @name: filled
 * @error: filled on failure
 * Return: 0, or -1
 */
int kv_device_pick(const char *asked, char name[KV_DEVICE_NAME], struct kv_error *error)
{
	struct dirent **entry;
	char all[256] = "";
	int n = kv_file_list(&entry, CLASS), i;

	for (i = 0; i < n; i++) {
		size_t used = strlen(all);

		snprintf(all + used, sizeof(all) - used, "%s%.63s", i ? ", " : "",
			 entry[i]->d_name);
		if (i == 0 && !asked)
			snprintf(name, KV_DEVICE_NAME, "%.63s", entry[i]->d_name);
	}
	kv_file_list_free(entry, n);
	if (!n && !(asked && kv_null_named(asked)))
		return kv_error_set(error, KV_EXIT_ENVIRONMENT,
				    "no RDMA device here; load the driver of one, or make a software one: rdma link add rxe0 type rxe netdev NETDEV");
	if (!asked && n > 1)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "%d devices here (%s); choose one with -d", n, all);
	if (!asked)
		return 0;
	if (strchr(asked, '/') || !*asked || !kv_device_exists(asked))
		return kv_error_set(error, KV_EXIT_ENVIRONMENT,
				    "device %s: not known here; use -d with one of: %s", asked,
				    all);
	snprintf(name, KV_DEVICE_NAME, "%s", asked);
	return 0;
}

/**
 * kv_device_facts - look a device up in sysfs
 * @name: device, one that exists
 * @facts: filled
 */
void kv_device_facts(const char *name, struct kv_device_facts *facts)
{
	char line[64];

	memset(facts, 0, sizeof(*facts));
	facts->node = -1;
	read_line(name, "fw_ver", facts->fw_ver, sizeof(facts->fw_ver));
	if (kv_file_link(facts->driver, sizeof(facts->driver), CLASS "/%s/device/driver", name)) {
		read_line(name, "device/numa_node", line, sizeof(line));
		if (*line)
			facts->node = atoi(line);
		return;
	}
	/* without a bus device: rxe tells its netdev, siw is the one RNIC */
	facts->software = true;
	read_line(name, "parent", line, sizeof(line));
	if (*line) {
		strcpy(facts->driver, "rdma_rxe");
		return;
	}
	read_line(name, "node_desc", line, sizeof(line));
	if (!strcmp(line, "nullhca") || (!*line && kv_null_named(name))) {
		strcpy(facts->driver, "nullhca");
		return;
	}
	read_line(name, "node_type", line, sizeof(line));
	strcpy(facts->driver, strstr(line, "RNIC") ? "siw" : "unknown");
}

/**
 * kv_cpu_list_parse - read a CPU list such as 0,2-5
 * @text: list
 * @cpu: filled in the order given
 * @max: entries of @cpu
 * Return: number of CPUs, or -1 when the text is none or has more than @max
 */
int kv_cpu_list_parse(const char *text, u32 *cpu, u32 max)
{
	unsigned long first, last;
	u32 n = 0;
	char *end;

	do {
		if (!isdigit((unsigned char)*text))
			return -1;
		first = strtoul(text, &end, 10);
		last = first;
		if (*end == '-') {
			if (!isdigit((unsigned char)end[1]))
				return -1;
			last = strtoul(end + 1, &end, 10);
		}
		if (last < first || last > 65535)
			return -1;
		for (; first <= last; first++) {
			if (n == max)
				return -1;
			cpu[n++] = (u32)first;
		}
		text = end + 1;
	} while (*end == ',');
	return *end ? -1 : (int)n;
}

static int allowed_cpus(cpu_set_t *set, struct kv_error *error)
{
	if (sched_getaffinity(0, sizeof(*set), set))
		return kv_error_set(error, KV_EXIT_ENVIRONMENT, "sched_getaffinity: %s",
				    strerror(errno));
	return 0;
}

/**
 * kv_cpus_choose - give a job the CPUs it did not ask for
 * @device: name of the device
 * @wanted: lanes of the job
 * @job: its CPU list is filled: the CPUs near the device, in order, one a lane
 *	as long as there are enough
 * @error: filled on failure
 * Return: 0, or -1
 */
int kv_cpus_choose(const char *device, u32 wanted, struct kv_job *job, struct kv_error *error)
{
	u32 near[KVERBS_CPUS_MAX], i, cpu;
	char line[4096];
	cpu_set_t allowed;
	int n;

	if (allowed_cpus(&allowed, error))
		return -1;
	if (wanted > KVERBS_CPUS_MAX)
		wanted = KVERBS_CPUS_MAX;
	read_line(device, "device/local_cpulist", line, sizeof(line));
	n = *line ? kv_cpu_list_parse(line, near, KV_ARRAY_SIZE(near)) : 0;
	job->ncpus = 0;
	for (i = 0; n > 0 && i < (u32)n && job->ncpus < wanted; i++) {
		if (near[i] < CPU_SETSIZE && CPU_ISSET(near[i], &allowed))
			job->cpu[job->ncpus++] = near[i];
	}
	/* all other CPUs only when none is near: a far lane is another measurement */
	for (cpu = 0; !i && cpu < CPU_SETSIZE && job->ncpus < wanted; cpu++) {
		if (CPU_ISSET(cpu, &allowed))
			job->cpu[job->ncpus++] = cpu;
	}
	if (!job->ncpus)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT,
				    "device %s: its CPUs (%s) are not among those this process may use; see taskset, or choose with --cpu",
				    device, line);
	return 0;
}

/**
 * kv_cpus_check - may the CPUs of a job be used?
 * @job: job
 * @error: filled on failure
 * Return: 0, or -1
 */
int kv_cpus_check(const struct kv_job *job, struct kv_error *error)
{
	cpu_set_t allowed;
	u32 i;

	if (allowed_cpus(&allowed, error))
		return -1;
	for (i = 0; i < job->ncpus; i++) {
		if (job->cpu[i] >= CPU_SETSIZE || !CPU_ISSET(job->cpu[i], &allowed))
			return kv_error_set(error, KV_EXIT_USAGE,
					    "cpu %u: offline, absent or not allowed to this process; see 'taskset -p $$' and /sys/devices/system/cpu/online",
					    job->cpu[i]);
	}
	return 0;
}
