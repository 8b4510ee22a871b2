// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Counters around a piece of work. Few machines of tests have a PMU, so that events of
 * the kernel take the place of those of the CPU: the same calls, the same reading.
 */
#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include "pmu.h"
#include "summary.h"
#include <cmocka.h>

#define PAGES	100

static const struct kv_pmu_event software[KV_PMU_EVENTS] = {
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ PERF_TYPE_SOFTWARE, ~0ULL },		/* which is not to be had */
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
};

static void touch_pages(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *at = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(at != MAP_FAILED);
	madvise(at, PAGES * page, MADV_NOHUGEPAGE);
	explicit_bzero(at, PAGES * page);
	munmap(at, PAGES * page);
}

static void test_counts_what_lies_between(void **state)
{
	struct kv_stat stat = { 0 };
	struct kv_pmu pmu;

	touch_pages();
	kv_pmu_open(&pmu, software);
	if (pmu.fd[0] < 0)
		skip();		/* no perf events, or not permitted to this user */
	touch_pages();
	kv_pmu_close(&pmu, &stat);
	touch_pages();
	assert_int_equal(stat.pmu_events & ((1 << KV_PMU_EVENTS) - 1), 1 << 0 | 1 << 2);
	assert_in_range(stat.instructions, PAGES, 2 * PAGES - 1);
	assert_int_equal(stat.cycles, 0);
	assert_true(stat.cache_misses > 0);
}

static void test_nothing_to_be_had(void **state)
{
	static const struct kv_pmu_event none[KV_PMU_EVENTS] = {
		{ ~0U, 0 }, { ~0U, 0 }, { ~0U, 0 },
	};
	struct kv_stat stat = { 0 }, zero = { 0 };
	struct kv_pmu pmu;

	kv_pmu_open(&pmu, none);
	kv_pmu_close(&pmu, &stat);
	assert_memory_equal(&stat, &zero, sizeof(stat));
}

static void summarize(const struct kv_stat *a, const struct kv_stat *b, struct kv_summary *summary)
{
	struct kv_lane_result lane[2] = {
		{ .role = KVERBS_ROLE_INITIATOR, .stat = *a },
		{ .role = KVERBS_ROLE_INITIATOR, .stat = *b },
	};
	struct kv_result result = {
		.nlanes = 2, .lane = lane, .granted = KV_JOB_INIT,
		.clock = { .mult = 1 << 24, .shift = 24 },
	};

	result.granted.chain = 1;
	kv_summarize(&result, summary);
}

static void test_an_operation(void **state)
{
	struct kv_stat a = { .ops = 90, .warm_ops = 10 }, b = { .ops = 300 };
	struct kv_summary summary;

	kv_pmu_note(&a, 0, 1000, 0);
	kv_pmu_note(&a, 1, 5000, 0);
	kv_pmu_note(&b, 0, 7000, KV_PMU_SHARED);
	summarize(&a, &b, &summary);
	assert_true(summary.instructions == 20);
	/* of one lane alone it would be nobody's */
	assert_true(isnan(summary.cycles));
	assert_true(isnan(summary.cache_misses));
	assert_true(summary.pmu & KV_PMU_SHARED);
	assert_false(summary.pmu & KV_PMU_USER_ONLY);
	b.pmu_events = 0;
	summarize(&a, &b, &summary);
	assert_int_equal(summary.pmu, 0);
	assert_true(isnan(summary.instructions));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts_what_lies_between),
		cmocka_unit_test(test_nothing_to_be_had),
		cmocka_unit_test(test_an_operation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
