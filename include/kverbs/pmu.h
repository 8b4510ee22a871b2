/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What is counted of a lane's thread by the CPU's performance monitoring unit
 * (PMU): the same events on both sides, from before the loop to after it.
 *
 * The includer defines u32 and u64 and includes <linux/perf_event.h>,
 * <linux/kverbs.h> and kverbs/stat.h first.
 */
#ifndef _KVERBS_PMU_H
#define _KVERBS_PMU_H

/* mask in the counter PMU_EVENTS: the lowest bits are the events, in this order */
#define KV_PMU_EVENTS		3
#define KV_PMU_USER_ONLY	(1ULL << 16)	/* kernel mode was not permitted */
#define KV_PMU_SHARED		(1ULL << 17)	/* counted part of the time, scaled */

/**
 * struct kv_pmu_event - an event, as the system call takes it
 * @type: enum perf_type_id
 * @config: which one of that type
 */
struct kv_pmu_event {
	u32 type;
	u64 config;
};

/* those of the CPU, in the order of their bits */
static inline const struct kv_pmu_event *kv_pmu_hardware(void)
{
	static const struct kv_pmu_event events[KV_PMU_EVENTS] = {
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	};

	return events;
}

/* note a value in the counter of its event */
static inline void kv_pmu_note(struct kv_stat *stat, u32 i, u64 value, u64 flags)
{
	u64 *counter[KV_PMU_EVENTS] = { &stat->instructions, &stat->cycles,
					&stat->cache_misses };

	*counter[i] = value;
	stat->pmu_events |= 1ULL << i | flags;
}

#endif /* _KVERBS_PMU_H */
