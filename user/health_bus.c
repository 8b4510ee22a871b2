// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Checks of what lies between the device, memory and the CPUs of lanes. */
#include <stdlib.h>
#include <string.h>
#include "file.h"
#include "health_read.h"

#define DEVICE		"/sys/class/infiniband/%s/device"
#define NODES		"/sys/devices/system/node"
#define CPUS_MAX	4096
#define NODES_MAX	1024
#define NEAR		10	/* distance of a node to itself */
#define FIRST_VECTOR	"comp0"	/* in the names of the first completion vector */

/* the n-th of numbers with blanks between them, -1: there are not so many */
static s64 nth_number(const char *text, u32 n)
{
	char *end;
	s64 value;

	for (;; n--) {
		value = strtoll(text, &end, 10);
		if (end == text)
			return -1;
		if (!n)
			return value;
		text = end;
	}
}

static bool listed(const char *list, u32 cpu)
{
	u32 *all = calloc(CPUS_MAX, sizeof(*all));
	int n = all && *list ? kv_cpu_list_parse(list, all, CPUS_MAX) : 0, i;
	bool found = false;

	for (i = 0; i < n; i++)
		found |= all[i] == cpu;
	free(all);
	return found;
}

/* -1: not known */
static int node_of_cpu(u32 cpu)
{
	struct dirent **entry;
	int n = kv_file_list(&entry, NODES), i, node = -1;
	char list[4096];

	for (i = 0; i < n && node < 0; i++) {
		if (strncmp(entry[i]->d_name, "node", 4))
			continue;
		if (kv_file_line(list, sizeof(list), NODES "/%s/cpulist", entry[i]->d_name) &&
		    listed(list, cpu))
			node = atoi(entry[i]->d_name + 4);
	}
	kv_file_list_free(entry, n);
	return node;
}

KV_READER(numa)
{
	char distances[8 * NODES_MAX];
	s64 distance, most = -1;
	int node, worst = -1;
	u32 i;

	if (host->facts.node < 0) {
		kv_found(found, NEAR, "device has no node");
		return *host->device && !kv_file_exists(NODES "/node1");
	}
	if (!kv_file_line(distances, sizeof(distances), NODES "/node%d/distance",
			  host->facts.node))
		return false;
	for (i = 0; i < host->ncpus; i++) {
		node = node_of_cpu(host->cpu[i]);
		distance = node < 0 ? -1 : nth_number(distances, (u32)node);
		if (distance < 0)
			return false;
		if (distance > most) {
			most = distance;
			worst = node;
		}
	}
	kv_found(found, most, "%lld: device on node %d, lanes on node %d", (long long)most,
		 host->facts.node, worst);
	return most >= 0;
}

KV_JUDGE(numa)
{
	return found->number > NEAR ? KV_HEALTH_WARN : KV_HEALTH_OK;
}

static bool lane_listed(const struct kv_host *host, const char *list)
{
	u32 i;

	for (i = 0; i < host->ncpus; i++) {
		if (listed(list, host->cpu[i]))
			return true;
	}
	return false;
}

/* the name that the driver gave an interrupt: a folder of /proc/irq/N */
static bool vector_name(const char *irq, char *name, size_t size)
{
	struct dirent **entry;
	int n = kv_file_list(&entry, "/proc/irq/%s", irq), i;

	name[0] = '\0';
	for (i = 0; i < n; i++) {
		if (kv_file_exists("/proc/irq/%s/%s/", irq, entry[i]->d_name))
			snprintf(name, size, "%.63s", entry[i]->d_name);
	}
	kv_file_list_free(entry, n);
	return *name;
}

static bool read_affinity(const char *irq, char *list, size_t size)
{
	return kv_file_line(list, size, "/proc/irq/%s/effective_affinity_list", irq) ||
	       kv_file_line(list, size, "/proc/irq/%s/smp_affinity_list", irq);
}

/* the first completion vector; where the driver names none so, the device's first */
KV_READER(irq)
{
	struct dirent **entry;
	int n = kv_file_list(&entry, DEVICE "/msi_irqs", host->device), i, chosen = 0;
	char list[256], name[64] = "";

	for (i = 0; i < n; i++) {
		if (vector_name(entry[i]->d_name, name, sizeof(name)) &&
		    strstr(name, FIRST_VECTOR)) {
			chosen = i;
			break;
		}
	}
	if (n && read_affinity(entry[chosen]->d_name, list, sizeof(list)))
		kv_found(found, lane_listed(host, list), "IRQ %.16s%s%.40s on CPU %.32s%s",
			 entry[chosen]->d_name, i < n ? " " : "", i < n ? name : "", list,
			 lane_listed(host, list) ? "" : ", no lane there");
	kv_file_list_free(entry, n);
	return *found->value;
}

KV_JUDGE(irq)
{
	return found->number ? KV_HEALTH_OK : KV_HEALTH_NOTE;
}

KV_READER(iommu)
{
	char type[32];

	if (!kv_file_exists(DEVICE, host->device))
		return false;
	if (!kv_file_exists(DEVICE "/iommu_group", host->device)) {
		kv_found(found, KV_HEALTH_OK, "off");
		return true;
	}
	if (!kv_file_line(type, sizeof(type), DEVICE "/iommu_group/type", host->device))
		return false;
	/* strict: every unmap waits for the IOMMU's own caches */
	kv_found(found, strcmp(type, "identity") ? strcmp(type, "DMA-FQ") ? KV_HEALTH_WARN :
		 KV_HEALTH_NOTE : KV_HEALTH_OK, "%s", type);
	return true;
}

KV_JUDGE(iommu)
{
	return (u32)found->number;
}

/* is a word on the kernel's command line? */
static bool on_cmdline(const char *word)
{
	char line[4096], *save = NULL, *part;

	kv_file_line(line, sizeof(line), "/proc/cmdline");
	for (part = strtok_r(line, " ", &save); part; part = strtok_r(NULL, " ", &save)) {
		if (!strcmp(part, word))
			return true;
	}
	return false;
}

KV_READER(swiotlb)
{
	bool force = on_cmdline("swiotlb=force");
	s64 used;

	if (!kv_file_number(&used, "/sys/kernel/debug/swiotlb/io_tlb_used")) {
		/* without debugfs only this is known */
		kv_found(found, force, "forced");
		return force;
	}
	kv_found(found, force || used, "%lld slabs used%s", (long long)used,
		 force ? ", forced" : "");
	return true;
}

KV_JUDGE(swiotlb)
{
	return found->number ? KV_HEALTH_WARN : KV_HEALTH_OK;
}

KV_READER(pcie)
{
	char now[32], most[32];
	s64 width, widest;

	if (!kv_file_line(now, sizeof(now), DEVICE "/current_link_speed", host->device) ||
	    !kv_file_line(most, sizeof(most), DEVICE "/max_link_speed", host->device) ||
	    !kv_file_number(&width, DEVICE "/current_link_width", host->device) ||
	    !kv_file_number(&widest, DEVICE "/max_link_width", host->device) ||
	    strtod(now, NULL) <= 0 || strtod(most, NULL) <= 0 || !width)
		return false;
	kv_found(found, width < widest || strtod(now, NULL) < strtod(most, NULL),
		 "%s x%lld, capable of %s x%lld", now, (long long)width, most,
		 (long long)widest);
	return true;
}

KV_JUDGE(pcie)
{
	return found->number ? KV_HEALTH_WARN : KV_HEALTH_OK;
}

/* "default performance [powersave] powersupersave" */
KV_READER(aspm)
{
	char line[128], *name;

	if (!kv_file_line(line, sizeof(line), "/sys/module/pcie_aspm/parameters/policy"))
		return false;
	name = strchr(line, '[');
	if (!name)
		return false;
	name++;
	name[strcspn(name, "]")] = '\0';
	kv_found(found, !strncmp(name, "powers", 6), "%s", name);
	return true;
}

KV_JUDGE(aspm)
{
	return found->number ? KV_HEALTH_WARN : KV_HEALTH_OK;
}
