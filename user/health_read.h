/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Readers and judges of the checks, by the part of the host they look at. */
#ifndef KV_HEALTH_READ_H
#define KV_HEALTH_READ_H

#include "health.h"

#define KV_READER(name) bool kv_read_##name(const struct kv_host *host, struct kv_found *found)
#define KV_JUDGE(name)	u32 kv_judge_##name(const struct kv_host *host, \
					    const struct kv_found *found)

/* health.c */
void kv_found(struct kv_found *found, s64 number, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* health_device.c */
KV_READER(device);
KV_JUDGE(device);
KV_READER(driver_source);
KV_JUDGE(driver_source);
KV_READER(firmware);
KV_READER(link_state);
KV_JUDGE(link_state);
KV_READER(link_rate);
KV_JUDGE(link_rate);
KV_READER(mtu);
KV_JUDGE(mtu);
KV_READER(gid_types);
KV_JUDGE(gid_types);
KV_READER(roce_mode);
KV_JUDGE(roce_mode);
KV_READER(uverbs);
KV_JUDGE(uverbs);
KV_READER(pause);
KV_READER(cnp);
KV_READER(ecn);
KV_JUDGE(counted);

/* health_bus.c */
KV_READER(numa);
KV_JUDGE(numa);
KV_READER(irq);
KV_JUDGE(irq);
KV_READER(iommu);
KV_JUDGE(iommu);
KV_READER(swiotlb);
KV_JUDGE(swiotlb);
KV_READER(pcie);
KV_JUDGE(pcie);
KV_READER(aspm);
KV_JUDGE(aspm);

struct nl_msg;

/* is adaptive moderation on? -1: the answer does not say */
struct kv_moderation {
	const char *device;
	int on;
};

/* health_netlink.c */
int kv_take_pfc(struct nl_msg *msg, void *arg);
int kv_take_moderation(struct nl_msg *msg, void *arg);
KV_READER(pfc);
KV_READER(moderation);
KV_JUDGE(moderation);

/* health_cpu.c */
KV_READER(cpu);
KV_READER(virtual);
KV_JUDGE(virtual);
KV_READER(governor);
KV_JUDGE(governor);
KV_READER(idle_states);
KV_JUDGE(idle_states);
KV_READER(turbo);
KV_JUDGE(turbo);
KV_READER(smt);
KV_JUDGE(smt);
KV_READER(isolation);
KV_JUDGE(isolation);
int kv_busy_share(const char *before, const char *after, u32 cpu);

/* health_kernel.c */
KV_READER(kernel);
KV_READER(debug_kernel);
KV_JUDGE(debug_kernel);
KV_READER(preemption);
KV_JUDGE(preemption);
KV_READER(mitigations);
KV_JUDGE(mitigations);
KV_READER(clocksource);
KV_JUDGE(clocksource);
KV_READER(memlock);
KV_JUDGE(memlock);
KV_READER(module);
KV_JUDGE(module);
KV_READER(versions);
KV_JUDGE(versions);
KV_READER(tracing_left);
KV_JUDGE(tracing_left);

KV_JUDGE(fine);

#endif /* KV_HEALTH_READ_H */
