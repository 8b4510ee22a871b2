// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Counters of the CPU's PMU around a lane's loop. */
#include <errno.h>
#include <stdbool.h>
#include <unistd.h>
#include <sys/syscall.h>
#include "pmu.h"

static int open_event(const struct kv_pmu_event *event, bool user_only)
{
	struct perf_event_attr attr = {
		.type = event->type,
		.size = sizeof(attr),
		.config = event->config,
		.exclude_kernel = user_only,
		.exclude_hv = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/**
 * kv_pmu_open - count the calling thread from here on
 * @pmu: filled; kv_pmu_close() ends it
 * @events: KV_PMU_EVENTS of them
 *
 * Where kernel mode may not be counted, user mode alone is, and that is noted.
 */
void kv_pmu_open(struct kv_pmu *pmu, const struct kv_pmu_event *events)
{
	u32 i;

	for (i = 0; i < KV_PMU_EVENTS; i++) {
		pmu->flags[i] = 0;
		pmu->fd[i] = open_event(&events[i], false);
		if (pmu->fd[i] >= 0 || (errno != EACCES && errno != EPERM))
			continue;
		pmu->flags[i] = KV_PMU_USER_ONLY;
		pmu->fd[i] = open_event(&events[i], true);
	}
}

/**
 * kv_pmu_close - stop counting, and note what was counted
 * @pmu: opened by the same thread
 * @stat: its counters of the PMU are written
 */
void kv_pmu_close(struct kv_pmu *pmu, struct kv_stat *stat)
{
	struct {
		u64 value;
		u64 enabled;
		u64 running;
	} got[KV_PMU_EVENTS] = { { 0 } };
	u32 i;

	for (i = 0; i < KV_PMU_EVENTS; i++) {
		if (pmu->fd[i] >= 0 && read(pmu->fd[i], &got[i], sizeof(got[i])) != sizeof(got[i]))
			got[i].running = 0;
	}
	for (i = 0; i < KV_PMU_EVENTS; i++) {
		if (pmu->fd[i] < 0)
			continue;
		close(pmu->fd[i]);
		if (!got[i].running)
			continue;
		if (got[i].running < got[i].enabled) {
			pmu->flags[i] |= KV_PMU_SHARED;
			got[i].value = (u64)((__uint128_t)got[i].value * got[i].enabled /
					     got[i].running);
		}
		kv_pmu_note(stat, i, got[i].value, pmu->flags[i]);
	}
}
