/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef _KV_PMU_H
#define _KV_PMU_H

#include <linux/perf_event.h>

#include "side.h"
#include "kverbs/pmu.h"

/**
 * struct kv_pmu - counters of one thread
 * @event: NULL where it is not to be had
 */
struct kv_pmu {
	struct perf_event *event[KV_PMU_EVENTS];
};

#ifdef CONFIG_PERF_EVENTS
/**
 * kv_pmu_open - count the calling thread from here on
 * @pmu: filled; kv_pmu_close() ends it
 * @events: KV_PMU_EVENTS of them
 */
void kv_pmu_open(struct kv_pmu *pmu, const struct kv_pmu_event *events);

/**
 * kv_pmu_close - stop counting, and note what was counted
 * @pmu: opened by the same thread
 * @stat: its counters of the PMU are written
 */
void kv_pmu_close(struct kv_pmu *pmu, struct kv_stat *stat);
#else
static inline void kv_pmu_open(struct kv_pmu *pmu,
			       const struct kv_pmu_event *events)
{
}

static inline void kv_pmu_close(struct kv_pmu *pmu, struct kv_stat *stat)
{
}
#endif

#endif /* _KV_PMU_H */
