// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Checks of the device and its port. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "counters.h"
#include "file.h"
#include "health_read.h"

#define CLASS		"/sys/class/infiniband"
#define GIDS_LOOKED_AT	32	/* to open every entry of a long table takes long */
#define ROCE_HEADERS	96	/* what RoCE keeps of the MTU of Ethernet */

KV_READER(device)
{
	if (!*host->device)
		kv_found(found, 0, "none");
	else
		kv_found(found, 1, "%s, driver %s%s", host->device, host->facts.driver,
			 host->facts.software ? ", software device" : "");
	return true;
}

KV_JUDGE(device)
{
	return found->number ? KV_HEALTH_OK : KV_HEALTH_BAD;
}

/* the path of a module's file below /lib/modules/RELEASE, or "" */
static void module_path(const char *list, const char *name, char *path, size_t size)
{
	char last[80];
	const char *at = list, *end;

	path[0] = '\0';
	snprintf(last, sizeof(last), "/%s.ko", name);
	while ((at = strstr(at, last))) {
		end = at + strcspn(at, ":\n");
		while (at > list && at[-1] != '\n' && at[-1] != ' ')
			at--;
		/* the line of the module itself, not one that depends on it */
		if (at == list || at[-1] == '\n') {
			snprintf(path, size, "%.*s", (int)(end - at), at);
			return;
		}
		at = end;
	}
}

KV_READER(driver_source)
{
	const size_t size = 4 << 20;
	char release[96], path[KV_HEALTH_VALUE - 16], *list = malloc(size);
	bool known = false;

	if (list && kv_file_line(release, sizeof(release), "/proc/sys/kernel/osrelease") &&
	    kv_file_read(list, size, "/lib/modules/%s/modules.dep", release)) {
		module_path(list, "ib_core", path, sizeof(path));
		if (!*path && kv_file_read(list, size, "/lib/modules/%s/modules.builtin", release))
			module_path(list, "ib_core", path, sizeof(path));
		known = *path;
		if (known && !strncmp(path, "kernel/", 7))
			kv_found(found, 0, "inbox");
		else
			kv_found(found, 1, "replaced: %s", path);
	}
	if (kv_file_exists("/sys/module/mlx_compat")) {
		known = true;
		kv_found(found, 1, "replaced: mlx_compat is loaded (OFED)");
	}
	free(list);
	return known;
}

KV_JUDGE(driver_source)
{
	return found->number ? KV_HEALTH_NOTE : KV_HEALTH_OK;
}

KV_READER(firmware)
{
	if (host->facts.software)
		kv_found(found, 0, "none, software device");
	else
		kv_found(found, 0, "%s", host->facts.fw_ver);
	return *found->value;
}

/* "4: ACTIVE" */
static bool read_named(const struct kv_host *host, const char *name, char *text, size_t size)
{
	char *colon;

	if (!kv_file_line(text, size, CLASS "/%s/ports/%u/%s", host->device, host->port, name))
		return false;
	colon = strchr(text, ':');
	if (colon && colon[1] == ' ')
		memmove(text, colon + 2, strlen(colon + 2) + 1);
	return true;
}

KV_READER(link_state)
{
	char state[32], phys[32];

	if (!read_named(host, "state", state, sizeof(state)))
		return false;
	if (read_named(host, "phys_state", phys, sizeof(phys)))
		kv_found(found, !strcmp(state, "ACTIVE"), "%s, %s", state, phys);
	else
		kv_found(found, !strcmp(state, "ACTIVE"), "%s", state);
	return true;
}

KV_JUDGE(link_state)
{
	return found->number ? KV_HEALTH_OK : KV_HEALTH_BAD;
}

/* "100 Gb/sec (4X EDR)": speed and width in one */
KV_READER(link_rate)
{
	char rate[64];

	if (!read_named(host, "rate", rate, sizeof(rate)))
		return false;
	kv_found(found, strstr(rate, "(1X") && host->link == KVERBS_LINK_IB, "%s", rate);
	return true;
}

KV_JUDGE(link_rate)
{
	return found->number ? KV_HEALTH_WARN : KV_HEALTH_OK;
}

/* the MTU of verbs that fits into one of Ethernet */
static u32 roce_mtu(s64 ethernet)
{
	u32 mtu = 4096;

	while (mtu > 256 && mtu + ROCE_HEADERS > ethernet)
		mtu /= 2;
	return mtu;
}

KV_READER(mtu)
{
	s64 mtu;

	if (!*host->netdev || !kv_file_number(&mtu, "/sys/class/net/%s/mtu", host->netdev))
		return false;
	if (host->link == KVERBS_LINK_ROCE)
		kv_found(found, roce_mtu(mtu), "%u bytes, %s has %lld", roce_mtu(mtu),
			 host->netdev, (long long)mtu);
	else
		kv_found(found, 0, "%s has %lld bytes", host->netdev, (long long)mtu);
	return true;
}

KV_JUDGE(mtu)
{
	return found->number && found->number < 4096 ? KV_HEALTH_NOTE : KV_HEALTH_OK;
}

KV_READER(gid_types)
{
	static const char * const types[] = { "IB/RoCE v1", "RoCE v2" };
	u32 count[KV_ARRAY_SIZE(types)] = { 0 }, i, t;
	char line[32];

	if (!kv_file_exists(CLASS "/%s/ports/%u/gids", host->device, host->port))
		return false;
	for (i = 0; i < GIDS_LOOKED_AT; i++) {
		/* an empty entry cannot be read */
		if (!kv_file_line(line, sizeof(line), CLASS "/%s/ports/%u/gid_attrs/types/%u",
				  host->device, host->port, i))
			continue;
		for (t = 0; t < KV_ARRAY_SIZE(types); t++)
			count[t] += !strcmp(line, types[t]);
	}
	if (host->link == KVERBS_LINK_ROCE)
		kv_found(found, count[0] + count[1], "%u RoCE v2, %u RoCE v1", count[1], count[0]);
	else
		kv_found(found, 1, "%u", count[0] + count[1]);
	return true;
}

KV_JUDGE(gid_types)
{
	return found->number ? KV_HEALTH_OK : KV_HEALTH_BAD;
}

KV_READER(roce_mode)
{
	char mode[32];

	if (host->link != KVERBS_LINK_ROCE) {
		kv_found(found, 0, "none, no RoCE");
		return true;
	}
	if (!kv_file_line(mode, sizeof(mode),
			  "/sys/kernel/config/rdma_cm/%s/ports/%u/default_roce_mode",
			  host->device, host->port))
		return false;
	kv_found(found, !strcmp(mode, "RoCE v2"), "%s", mode);
	return true;
}

KV_JUDGE(roce_mode)
{
	return host->link == KVERBS_LINK_ROCE && !found->number ? KV_HEALTH_NOTE : KV_HEALTH_OK;
}

KV_READER(uverbs)
{
	struct dirent **entry;
	char name[KV_DEVICE_NAME], file[32] = "";
	int n = kv_file_list(&entry, "/sys/class/infiniband_verbs"), i;

	for (i = 0; i < n && !*file; i++) {
		if (kv_file_line(name, sizeof(name), "/sys/class/infiniband_verbs/%s/ibdev",
				 entry[i]->d_name) && !strcmp(name, host->device))
			snprintf(file, sizeof(file), "%.31s", entry[i]->d_name);
	}
	kv_file_list_free(entry, n);
	if (!*file)
		kv_found(found, 0, "no uverbs device");
	else if (!kv_file_usable("/dev/infiniband/%s", file))
		kv_found(found, 0, "/dev/infiniband/%s: not there or not permitted", file);
	else
		kv_found(found, 1, "/dev/infiniband/%s", file);
	return *host->device;
}

KV_JUDGE(uverbs)
{
	return found->number ? KV_HEALTH_OK : KV_HEALTH_BAD;
}

/* the sum of all counters with a word in their name */
static bool sum_counters(const struct kv_host *host, const char *const *word, u32 words,
			 struct kv_found *found)
{
	struct kv_counters *counters;
	const char *source, *name;
	u32 i, w, n = 0;
	s64 value, sum = 0;

	counters = *host->device ? kv_counters_read(host->device, host->port) : NULL;
	for (i = 0; counters && kv_counters_get(counters, i, &source, &name, &value); i++) {
		for (w = 0; w < words && !strstr(name, word[w]); w++)
			;
		if (w == words || strstr(name, "duration") || strstr(name, "transition"))
			continue;
		n++;
		sum += value;
	}
	kv_counters_free(counters);
	kv_found(found, sum, "%lld in %u counters", (long long)sum, n);
	return n;
}

KV_READER(pause)
{
	static const char * const words[] = { "pause" };

	return sum_counters(host, words, KV_ARRAY_SIZE(words), found);
}

KV_READER(cnp)
{
	static const char * const words[] = { "cnp", "ecn_marked" };

	return sum_counters(host, words, KV_ARRAY_SIZE(words), found);
}

/* of mlx5: priorities whose packets with an ECN mark are answered by a CNP */
KV_READER(ecn)
{
	u32 priority, on = 0, known = 0;
	s64 enabled;

	for (priority = 0; priority < 8 && *host->netdev; priority++) {
		if (!kv_file_number(&enabled, "/sys/class/net/%s/ecn/roce_np/enable/%u",
				    host->netdev, priority))
			continue;
		known++;
		on += enabled != 0;
	}
	kv_found(found, on, "on for %u of %u priorities", on, known);
	return known;
}

KV_JUDGE(counted)
{
	return found->number ? KV_HEALTH_NOTE : KV_HEALTH_OK;
}
