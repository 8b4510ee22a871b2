/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef KV_PMU_H
#define KV_PMU_H

#include <linux/perf_event.h>
#include "side.h"
#include "kverbs/pmu.h"

/**
 * struct kv_pmu - counters of one thread
 * @fd: of each event, -1 where it is not to be had
 * @flags: KV_PMU_USER_ONLY or none
 */
struct kv_pmu {
	int fd[KV_PMU_EVENTS];
	u64 flags[KV_PMU_EVENTS];
};

void kv_pmu_open(struct kv_pmu *pmu, const struct kv_pmu_event *events);
void kv_pmu_close(struct kv_pmu *pmu, struct kv_stat *stat);

#endif /* KV_PMU_H */
