// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <stdarg.h>
#include <string.h>
#include "file.h"
#include "health_read.h"
#include "null.h"
#include "kverbs.h"

const struct kv_health_rule kv_health_rules[KV_HEALTH_CHECKS] = {
	{
		"device", "device", KV_SCOPE_DOCTOR,
		kv_read_device, kv_judge_device,
		"load the driver of a device, or make a software one: rdma link add rxe0 type rxe netdev NETDEV"
	},
	{
		"driver_source", "driver source", KV_SCOPE_DOCTOR,
		kv_read_driver_source, kv_judge_driver_source,
		"the verbs are not those of the kernel release; the module has to be built against the same sources (make OFED=DIR)"
	},
	{
		"firmware", "firmware", KV_SCOPE_DOCTOR,
		kv_read_firmware, kv_judge_fine,
		""
	},
	{
		"link_state", "link", KV_SCOPE_DOCTOR,
		kv_read_link_state, kv_judge_link_state,
		"no QP gets to RTS: cable and switch; on RoCE ip link set NETDEV up; on IB a subnet manager"
	},
	{
		"link_rate", "link rate", KV_SCOPE_HARDWARE,
		kv_read_link_rate, kv_judge_link_rate,
		"one lane of the link is up: it may have come up degraded; cable, ethtool NETDEV, iblinkinfo"
	},
	{
		"mtu", "MTU", KV_SCOPE_HARDWARE,
		kv_read_mtu, kv_judge_mtu,
		"messages are cut in more packets than they need be: ip link set NETDEV mtu 4200 gives RoCE 4096"
	},
	{
		"gid_types", "GIDs", KV_SCOPE_DOCTOR,
		kv_read_gid_types, kv_judge_gid_types,
		"RoCE needs a GID: give the network interface an IP address and bring it up"
	},
	{
		"roce_mode", "RoCE mode of rdma_cm", KV_SCOPE_DOCTOR,
		kv_read_roce_mode, kv_judge_roce_mode,
		"connections of rdma_cm take RoCE v1, kverbs prefers v2: cma_roce_mode -d DEV -m 2"
	},
	{
		"uverbs", "user access", KV_SCOPE_DOCTOR,
		kv_read_uverbs, kv_judge_uverbs,
		"the user engine cannot open the device: modprobe ib_uverbs, and permission for /dev/infiniband/uverbs*"
	},
	{
		"pause", "pause frames", KV_SCOPE_DOCTOR,
		kv_read_pause, kv_judge_counted,
		"the link was paused since boot; watch whether it grows during a run: its counters are printed with it"
	},
	{
		"cnp", "congestion (CNP)", KV_SCOPE_DOCTOR,
		kv_read_cnp, kv_judge_counted,
		"ECN marks were seen since boot, and slow senders down; watch whether they grow during a run"
	},
	{
		"ecn", "ECN", KV_SCOPE_DOCTOR,
		kv_read_ecn, kv_judge_fine,
		""
	},
	{
		"pfc", "PFC", KV_SCOPE_DOCTOR,
		kv_read_pfc, kv_judge_fine,
		""
	},
	{
		"moderation", "adaptive moderation", KV_SCOPE_DOCTOR,
		kv_read_moderation, kv_judge_moderation,
		"CQs of kernel ULPs change their moderation as they go (not those kverbs polls): rdma dev set DEV adaptive-moderation off"
	},
	{
		"numa", "NUMA distance", KV_SCOPE_HARDWARE | KV_SCOPE_BUS,
		kv_read_numa, kv_judge_numa,
		"lanes are far from the device: leave --cpu out, or choose CPUs of its node"
	},
	{
		"irq", "completion vector", KV_SCOPE_DOCTOR | KV_SCOPE_BUS,
		kv_read_irq, kv_judge_irq,
		"matters for completions by interrupt, not for polling: /proc/irq/N/smp_affinity_list, and stop irqbalance"
	},
	{
		"pcie", "PCIe link", KV_SCOPE_HARDWARE | KV_SCOPE_BUS,
		kv_read_pcie, kv_judge_pcie,
		"the device runs below what it can: another slot, riser or BIOS setting"
	},
	{
		"aspm", "PCIe power saving", KV_SCOPE_HARDWARE | KV_SCOPE_BUS,
		kv_read_aspm, kv_judge_aspm,
		"the link sleeps and takes microseconds to wake: echo performance > /sys/module/pcie_aspm/parameters/policy"
	},
	{
		"iommu", "IOMMU", KV_SCOPE_HARDWARE | KV_SCOPE_BUS,
		kv_read_iommu, kv_judge_iommu,
		"mapping and unmapping, and every address the device looks up, pass the IOMMU: iommu=pt for figures without it"
	},
	{
		"swiotlb", "bounce buffers", KV_SCOPE_HARDWARE | KV_SCOPE_BUS,
		kv_read_swiotlb, kv_judge_swiotlb,
		"DMA is copied through swiotlb: swiotlb=force, memory encryption, or a device that cannot reach all memory"
	},
	{
		"cpu", "CPU", KV_SCOPE_DOCTOR,
		kv_read_cpu, kv_judge_fine,
		""
	},
	{
		"virtual", "virtual machine", KV_SCOPE_DOCTOR,
		kv_read_virtual, kv_judge_virtual,
		"another system shares the CPUs; look at stolen time and at the spread between rounds"
	},
	{
		"governor", "frequency governor", KV_SCOPE_HARDWARE,
		kv_read_governor, kv_judge_governor,
		"the frequency follows the load, and figures the frequency: cpupower frequency-set -g performance"
	},
	{
		"turbo", "turbo", KV_SCOPE_DOCTOR,
		kv_read_turbo, kv_judge_turbo,
		"the frequency follows temperature and neighbours; off for figures that repeat: intel_pstate/no_turbo, cpufreq/boost"
	},
	{
		"idle_states", "idle states", KV_SCOPE_HARDWARE,
		kv_read_idle_states, kv_judge_idle_states,
		"interrupts and wake-ups wait for the CPU to leave its idle state: cpupower idle-set -D 10, or intel_idle.max_cstate=1"
	},
	{
		"smt", "SMT siblings", KV_SCOPE_HARDWARE,
		kv_read_smt, kv_judge_smt,
		"a lane shares its core with something busy: move that away, or choose other CPUs with --cpu"
	},
	{
		"isolation", "isolation", KV_SCOPE_DOCTOR,
		kv_read_isolation, kv_judge_isolation,
		"the scheduler and the tick interrupt lanes; for tails: isolcpus= and nohz_full= on the kernel's command line"
	},
	{
		"kernel", "kernel", KV_SCOPE_DOCTOR,
		kv_read_kernel, kv_judge_fine,
		""
	},
	{
		"debug_kernel", "debug options", KV_SCOPE_FIGURES,
		kv_read_debug_kernel, kv_judge_debug_kernel,
		"figures are meaningless: measure on a kernel without them"
	},
	{
		"preemption", "preemption model", KV_SCOPE_DOCTOR,
		kv_read_preemption, kv_judge_preemption,
		"locks and interrupts of the kernel path cost differently here than in a standard kernel"
	},
	{
		"mitigations", "mitigations", KV_SCOPE_DOCTOR,
		kv_read_mitigations, kv_judge_mitigations,
		"indirect calls, of which a kernel post makes some, go through retpolines: part of every kernel figure"
	},
	{
		"clocksource", "clock source", KV_SCOPE_DOCTOR,
		kv_read_clocksource, kv_judge_clocksource,
		"the kernel does not trust the CPU's counter, which kverbs reads: see 'clocksource' in the kernel log"
	},
	{
		"memlock", "locked memory", KV_SCOPE_DOCTOR,
		kv_read_memlock, kv_judge_memlock,
		"the user engine cannot register more: ulimit -l unlimited, or limits.conf"
	},
	{
		"module", "module", KV_SCOPE_DOCTOR,
		kv_read_module, kv_judge_module,
		"the kernel engine is not there: make load, or modprobe kverbs (run --engine user works without)"
	},
	{
		"versions", "versions", KV_SCOPE_FIGURES,
		kv_read_versions, kv_judge_versions,
		"module and tool are not of one build, so the engines may not run the same loop: install both, reload the module"
	},
	{
		"tracing_left", "left of a trace", KV_SCOPE_FIGURES,
		kv_read_tracing_left, kv_judge_tracing_left,
		"kverbs trace or record was killed: its tracer or its probes cost time in each post until either is started again, or the instance is removed: rmdir /sys/kernel/tracing/instances/kverbs-*"
	},
};

/**
 * kv_found - what a reader found
 * @found: filled
 * @number: for the judge
 * @fmt: value
 */
void kv_found(struct kv_found *found, s64 number, const char *fmt, ...)
{
	va_list args;

	found->number = number;
	va_start(args, fmt);
	vsnprintf(found->value, sizeof(found->value), fmt, args);
	va_end(args);
}

KV_JUDGE(fine)
{
	return KV_HEALTH_OK;
}

static u32 link_of(const struct kv_host *host)
{
	char line[64];

	if (!kv_file_line(line, sizeof(line), "/sys/class/infiniband/%s/ports/%u/link_layer",
			  host->device, host->port))
		return kv_null_named(host->device) ? KVERBS_LINK_IB : KVERBS_LINK_OTHER;
	if (!strncmp(line, "InfiniBand", 10))
		return KVERBS_LINK_IB;
	return strcmp(host->facts.driver, "siw") ? KVERBS_LINK_ROCE : KVERBS_LINK_IWARP;
}

/**
 * kv_host_read - what is to be looked at
 * @device: name, "" when there is none
 * @port: of the device
 * @job: with the CPUs of its lanes; NULL or without: those that lanes would be given
 * @host: filled
 */
void kv_host_read(const char *device, u32 port, const struct kv_job *job, struct kv_host *host)
{
	static const struct kv_job any = KV_JOB_INIT;
	struct kv_job chosen = job ? *job : any;
	struct kv_error error;

	memset(host, 0, sizeof(*host));
	snprintf(host->device, sizeof(host->device), "%s", device);
	host->port = port;
	host->facts.node = -1;
	host->link = KVERBS_LINK_OTHER;
	if (*device) {
		kv_device_facts(device, &host->facts);
		host->link = link_of(host);
		kv_file_line(host->netdev, sizeof(host->netdev),
			     "/sys/class/infiniband/%s/ports/%u/gid_attrs/ndevs/0", device, port);
	}
	if (!chosen.ncpus && kv_cpus_choose(device, 2, &chosen, &error))
		return;
	host->ncpus = chosen.ncpus;
	memcpy(host->cpu, chosen.cpu, sizeof(host->cpu));
}

static void check(const struct kv_host *host, const struct kv_health_rule *rule,
		  struct kv_found *found)
{
	memset(found, 0, sizeof(*found));
	if ((rule->scope & KV_SCOPE_BUS) && host->facts.software) {
		kv_found(found, 0, "none, software device");
		return;
	}
	if (!rule->read(host, found)) {
		found->health = KV_HEALTH_UNKNOWN;
		found->value[0] = '\0';
		return;
	}
	found->health = rule->judge(host, found);
	/* what a software device costs is the CPU's, and said to be no figure of hardware */
	if (host->facts.software && (rule->scope & KV_SCOPE_HARDWARE) &&
	    found->health == KV_HEALTH_WARN)
		found->health = KV_HEALTH_NOTE;
}

/**
 * kv_health_read - do all checks
 * @host: of what
 * @finding: filled: KV_HEALTH_CHECKS, in the order of the rules
 */
void kv_health_read(const struct kv_host *host, struct kv_found *finding)
{
	u32 i;

	for (i = 0; i < KV_HEALTH_CHECKS; i++)
		check(host, &kv_health_rules[i], &finding[i]);
}

/* enum kv_health; what is unknown is not bad */
u32 kv_health_worst(const struct kv_found *finding)
{
	u32 i, worst = KV_HEALTH_OK;

	for (i = 0; i < KV_HEALTH_CHECKS; i++) {
		if (finding[i].health != KV_HEALTH_UNKNOWN && finding[i].health > worst)
			worst = finding[i].health;
	}
	return worst;
}

/* has a check to be repeated beside the figures? */
bool kv_health_warns(const struct kv_found *finding, u32 check)
{
	return (finding[check].health == KV_HEALTH_WARN ||
		finding[check].health == KV_HEALTH_BAD) &&
	       (kv_health_rules[check].scope & (KV_SCOPE_FIGURES | KV_SCOPE_HARDWARE));
}

/* what the check with this key found, "" when that is unknown */
const char *kv_health_value(const struct kv_found *finding, const char *key)
{
	u32 i;

	for (i = 0; i < KV_HEALTH_CHECKS; i++) {
		if (!strcmp(kv_health_rules[i].key, key))
			return finding[i].value;
	}
	return "";
}

const char *kv_health_name(u32 health)
{
	static const char * const names[KV_HEALTHS] = {
		[KV_HEALTH_OK] = "ok",
		[KV_HEALTH_NOTE] = "note",
		[KV_HEALTH_WARN] = "warn",
		[KV_HEALTH_BAD] = "bad",
		[KV_HEALTH_UNKNOWN] = "unknown",
	};

	return health < KV_HEALTHS ? names[health] : "unknown";
}

/* {key: {value, judgement}} of all checks */
json_t *kv_json_health(const struct kv_found *finding)
{
	json_t *json = json_object();
	u32 i;

	for (i = 0; i < KV_HEALTH_CHECKS; i++)
		json_object_set_new(json, kv_health_rules[i].key,
				    json_pack("{s:s?, s:s}", "value",
					      *finding[i].value ? finding[i].value : NULL,
					      "judgement", kv_health_name(finding[i].health)));
	return json;
}
