// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Checks of the kernel, of what it allows, and of the module. */
#include <stdlib.h>
#include <string.h>
#include <linux/capability.h>
#include "file.h"
#include "health_read.h"
#include "lease.h"

#define CONFIG_BYTES	(1 << 20)
#define INSTANCES	"/sys/kernel/tracing/instances"
#define MEMLOCK_ENOUGH	(64LL << 20)	/* what the module allows all runs is more */

KV_READER(kernel)
{
	return kv_file_line(found->value, sizeof(found->value), "/proc/sys/kernel/osrelease");
}

/* options of a kernel's configuration that cost time at every step */
static bool debug_options(struct kv_found *found)
{
	static const char * const options[] = {
		"KASAN", "KCSAN", "KMSAN", "PROVE_LOCKING", "DEBUG_KMEMLEAK", "DEBUG_OBJECTS",
		"SLUB_DEBUG_ON", "DEBUG_PAGEALLOC_ENABLE_DEFAULT", "GCOV_KERNEL", "UBSAN_TRAP",
	};
	char release[96], line[64], *config = malloc(CONFIG_BYTES);
	bool known = false;
	size_t used = 0;
	u32 i;

	if (config && kv_file_line(release, sizeof(release), "/proc/sys/kernel/osrelease") &&
	    kv_file_read(config, CONFIG_BYTES, "/boot/config-%s", release)) {
		known = *config;
		for (i = 0; i < KV_ARRAY_SIZE(options); i++) {
			snprintf(line, sizeof(line), "\nCONFIG_%s=y", options[i]);
			if (!strstr(config, line) || used > sizeof(found->value) - 40)
				continue;
			used += (size_t)snprintf(found->value + used, sizeof(found->value) - used,
						 "%s%s", used ? ", " : "", options[i]);
		}
		found->number = used;
	}
	free(config);
	return known;
}

/* what such a kernel shows, when its configuration is not at hand */
KV_READER(debug_kernel)
{
	if (debug_options(found)) {
		if (!found->number)
			kv_found(found, 0, "none");
		return true;
	}
	if (kv_file_exists("/proc/lockdep_stats"))
		kv_found(found, 1, "PROVE_LOCKING");
	else if (kv_file_exists("/sys/kernel/debug/kmemleak"))
		kv_found(found, 1, "DEBUG_KMEMLEAK");
	return *found->value;
}

KV_JUDGE(debug_kernel)
{
	return found->number ? KV_HEALTH_BAD : KV_HEALTH_OK;
}

/* "none voluntary (full)" */
KV_READER(preemption)
{
	char version[512], line[64], *name;

	if (!kv_file_line(version, sizeof(version), "/proc/version"))
		return false;
	if (strstr(version, "PREEMPT_RT")) {
		kv_found(found, 1, "PREEMPT_RT");
	} else if (kv_file_line(line, sizeof(line), "/sys/kernel/debug/sched/preempt")) {
		name = strchr(line, '(');
		if (!name)
			return false;
		name++;
		name[strcspn(name, ")")] = '\0';
		kv_found(found, 0, "%s", name);
	} else if (strstr(version, "PREEMPT_DYNAMIC")) {
		kv_found(found, 0, "chosen at boot");
	} else {
		kv_found(found, 0, strstr(version, " PREEMPT ") ? "full" : "none or voluntary");
	}
	return true;
}

KV_JUDGE(preemption)
{
	return found->number ? KV_HEALTH_NOTE : KV_HEALTH_OK;
}

KV_READER(mitigations)
{
	char text[256], *end;

	if (!kv_file_line(text, sizeof(text), "/sys/devices/system/cpu/vulnerabilities/spectre_v2"))
		return false;
	end = strpbrk(text, ";,");
	if (end)
		*end = '\0';
	kv_found(found, strstr(text, "etpoline") && !strstr(text, "Vulnerable"),
		 "spectre_v2: %.100s", text);
	return true;
}

KV_JUDGE(mitigations)
{
	return found->number ? KV_HEALTH_NOTE : KV_HEALTH_OK;
}

KV_READER(clocksource)
{
	return kv_file_line(found->value, sizeof(found->value),
			    "/sys/devices/system/clocksource/clocksource0/current_clocksource");
}

/* hosts of virtual machines have clocks of their own, which say nothing of the counter */
KV_JUDGE(clocksource)
{
	if (!strcmp(found->value, "tsc") || !strcmp(found->value, "arch_sys_counter"))
		return KV_HEALTH_OK;
	return host->facts.software || !strcmp(found->value, "kvm-clock") ||
	       strstr(found->value, "hyperv") ? KV_HEALTH_NOTE : KV_HEALTH_WARN;
}

/* may this process lock what it wants, whatever its limit? */
static bool may_lock(void)
{
	char text[4096], *at;

	if (!kv_file_read(text, sizeof(text), "/proc/self/status"))
		return false;
	at = strstr(text, "\nCapEff:");
	return at && strtoull(at + 8, NULL, 16) & 1ULL << CAP_IPC_LOCK;
}

KV_READER(memlock)
{
	char text[4096], *at;

	if (!kv_file_read(text, sizeof(text), "/proc/self/limits"))
		return false;
	at = strstr(text, "Max locked memory");
	if (!at)
		return false;
	at += strlen("Max locked memory");
	at += strspn(at, " ");
	if (!strncmp(at, "unlimited", 9))
		kv_found(found, MEMLOCK_ENOUGH, "unlimited");
	else if (may_lock())
		kv_found(found, MEMLOCK_ENOUGH, "%lld bytes, but CAP_IPC_LOCK is there",
			 strtoll(at, NULL, 10));
	else
		kv_found(found, strtoll(at, NULL, 10), "%lld bytes", strtoll(at, NULL, 10));
	return true;
}

KV_JUDGE(memlock)
{
	return found->number >= MEMLOCK_ENOUGH ? KV_HEALTH_OK : KV_HEALTH_WARN;
}

KV_READER(module)
{
	bool loaded = kv_file_exists("/sys/module/kverbs");

	kv_found(found, loaded, loaded ? "loaded" : "not loaded");
	return true;
}

KV_JUDGE(module)
{
	return found->number ? KV_HEALTH_OK : KV_HEALTH_BAD;
}

KV_READER(versions)
{
	char version[32];

	if (!kv_file_line(version, sizeof(version), "/sys/module/kverbs/version"))
		return false;
	kv_found(found, !strcmp(version, KVERBS_VERSION), "module %s, tool %s", version,
		 KVERBS_VERSION);
	return true;
}

KV_JUDGE(versions)
{
	return found->number ? KV_HEALTH_OK : KV_HEALTH_WARN;
}

/* instances of processes that are no more, which the next trace removes */
KV_READER(tracing_left)
{
	struct dirent **entry;
	int n, i, left = 0;

	if (!kv_file_exists(INSTANCES))
		return false;
	n = kv_file_list(&entry, INSTANCES);
	kv_found(found, 0, "none");
	for (i = 0; i < n; i++) {
		if (kv_lease_is_left(entry[i]->d_name))
			kv_found(found, ++left, "%.100s", entry[i]->d_name);
	}
	if (left > 1)
		kv_found(found, left, "%d instances", left);
	kv_file_list_free(entry, n);
	return true;
}

KV_JUDGE(tracing_left)
{
	return found->number ? KV_HEALTH_WARN : KV_HEALTH_OK;
}
