// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Counters of the CPU's PMU around a lane's loop. */
#include <linux/err.h>
#include <linux/math64.h>
#include <linux/sched.h>

#include "pmu.h"

void kv_pmu_open(struct kv_pmu *pmu, const struct kv_pmu_event *events)
{
	struct perf_event *event;
	u32 i;

	for (i = 0; i < KV_PMU_EVENTS; i++) {
		struct perf_event_attr attr = {
			.type = events[i].type,
			.size = sizeof(attr),
			.config = events[i].config,
			.exclude_hv = 1,
		};

		event = perf_event_create_kernel_counter(&attr, -1, current,
							 NULL, NULL);
		pmu->event[i] = IS_ERR(event) ? NULL : event;
	}
}

void kv_pmu_close(struct kv_pmu *pmu, struct kv_stat *stat)
{
	u64 value[KV_PMU_EVENTS] = {}, enabled, running[KV_PMU_EVENTS] = {};
	u64 flags[KV_PMU_EVENTS] = {};
	u32 i;

	/* all are read before any is released, which takes its time */
	for (i = 0; i < KV_PMU_EVENTS; i++) {
		if (!pmu->event[i])
			continue;
		value[i] = perf_event_read_value(pmu->event[i], &enabled,
						 &running[i]);
		if (!running[i] || running[i] >= enabled)
			continue;
		value[i] = mul_u64_u64_div_u64(value[i], enabled, running[i]);
		flags[i] = KV_PMU_SHARED;
	}
	for (i = 0; i < KV_PMU_EVENTS; i++) {
		if (!pmu->event[i])
			continue;
		perf_event_release_kernel(pmu->event[i]);
		if (running[i])
			kv_pmu_note(stat, i, value[i], flags[i]);
	}
}
