// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The intervals of shape paced, against the library's logarithm. */
#include <math.h>
#include "plain.h"
#include <kverbs/job.h>
#include <kverbs/pace.h>

#define TICKS_S		2500000000ULL

static u64 gap[KV_PACE_POISSON];

static u64 fill(u32 pace, u32 rate, u64 ticks_s, u32 *n)
{
	struct kv_job job = KV_JOB_INIT;

	job.shape = KVERBS_SHAPE_PACED;
	job.pace = pace;
	job.pace_rate = rate;
	*n = kv_pace_gaps(&job);
	return kv_pace_fill(&job, ticks_s, gap);
}

static void test_other_shapes_have_none(void **state)
{
	struct kv_job job = KV_JOB_INIT;

	for (job.shape = 0; job.shape < KV_SHAPES; job.shape++)
		assert_int_equal(!kv_pace_gaps(&job), job.shape != KVERBS_SHAPE_PACED);
}

static void test_constant(void **state)
{
	u32 n;

	assert_int_equal(fill(KVERBS_PACE_CONSTANT, 1000, TICKS_S, &n), 2500000 << KV_PACE_SHIFT);
	assert_int_equal(n, 1);
	assert_int_equal(gap[0], 2500000 << KV_PACE_SHIFT);
	/* a tick is cut in 256: seven million a second are so within one in 90000 */
	fill(KVERBS_PACE_CONSTANT, 7000000, TICKS_S, &n);
	assert_true(fabs(gap[0] / 256.0 * 7000000 / TICKS_S - 1) < 0.000011);
}

static void test_logarithm(void **state)
{
	u32 i;

	for (i = 1; i < 100000; i++)
		assert_true(fabs(kv_pace_ln(i) / 65536.0 - log(i)) < 0.0001);
}

static void test_poisson(void **state)
{
	static const u32 rates[] = { 1, 7, 1000, 1000000, 100000000 };
	u32 r, n, i;

	for (r = 0; r < ARRAY_SIZE(rates); r++) {
		double mean = (double)fill(KVERBS_PACE_POISSON, rates[r], TICKS_S, &n), sum = 0;

		assert_int_equal(n, KV_PACE_POISSON);
		for (i = 0; i < n; i++) {
			double want = -log((i + 0.5) / n);

			sum += (double)gap[i];
			assert_true(fabs((double)gap[i] / mean - want) < 0.001 + 0.001 * want);
			assert_true(!i || gap[i] <= gap[i - 1]);
		}
		/* not one in a thousand off, and no overflow at one a second */
		assert_true(fabs(sum / n / mean - 1) < 0.001);
		assert_true(fabs(mean / 256 - (double)TICKS_S / rates[r]) < 1);
	}
}

/* each interval as it was, to a 256th of a tick, and their mean */
static void test_trace(void **state)
{
	struct kv_job job = KV_JOB_INIT;
	u64 mean;
	u32 i;

	job.shape = KVERBS_SHAPE_PACED;
	job.pace = KVERBS_PACE_TRACE;
	job.npace_ns = 3;
	job.pace_ns[0] = 0;
	job.pace_ns[1] = 1000;
	job.pace_ns[2] = KV_PACE_NS_HIGH;
	assert_int_equal(kv_pace_gaps(&job), 3);
	mean = kv_pace_fill(&job, TICKS_S, gap);
	assert_int_equal(gap[0], 0);
	assert_int_equal(gap[1], 2500 << KV_PACE_SHIFT);
	assert_int_equal(gap[2], TICKS_S << KV_PACE_SHIFT);
	assert_int_equal(mean, (gap[1] + gap[2]) / 3);
	job.npace_ns = KVERBS_PACE_NS_MAX;
	for (i = 0; i < job.npace_ns; i++)
		job.pace_ns[i] = 1;
	assert_int_equal(kv_pace_fill(&job, TICKS_S, gap), 640);
	/* of a clock with less than one tick a second nothing is divided by */
	assert_int_equal(kv_pace_fill(&job, 1, gap), 1);
}

/* what a trace may be, and the rate that is made of it */
static void test_trace_checked(void **state)
{
	struct kv_job job = KV_JOB_INIT;
	struct kv_refusal no;

	job.shape = KVERBS_SHAPE_PACED;
	job.pace = KVERBS_PACE_TRACE;
	assert_int_equal(kv_job_check_pace(&job, &no), -1);
	job.npace_ns = KVERBS_PACE_NS_MAX + 1;
	assert_int_equal(kv_job_check_pace(&job, &no), -1);
	job.npace_ns = 2;
	assert_int_equal(kv_job_check_pace(&job, &no), -1);
	assert_non_null(strstr(no.text, "less than 1 ns each"));
	job.pace_ns[0] = KV_PACE_NS_HIGH + 1;
	assert_int_equal(kv_job_check_pace(&job, &no), -1);
	job.pace_ns[0] = 2000000;
	job.pace_ns[1] = 6000000;
	assert_int_equal(kv_job_check_pace(&job, &no), 0);
	assert_int_equal(job.pace_rate, 250);
	assert_int_equal(kv_job_check_pace(&job, &no), 0);
	job.pace_rate = 251;
	assert_int_equal(kv_job_check_pace(&job, &no), -1);
	assert_int_equal(no.attr, KVERBS_JOB_A_PACE_RATE);
	job.pace_rate = 0;
	job.pace = KVERBS_PACE_CONSTANT;
	assert_int_equal(kv_job_check_pace(&job, &no), -1);
	job.shape = KVERBS_SHAPE_RATE;
	job.pace = KV_AUTO;
	assert_int_equal(kv_job_check_pace(&job, &no), -1);
	assert_int_equal(no.attr, KVERBS_JOB_A_PACE_NS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_other_shapes_have_none),
		cmocka_unit_test(test_constant),
		cmocka_unit_test(test_logarithm),
		cmocka_unit_test(test_poisson),
		cmocka_unit_test(test_trace),
		cmocka_unit_test(test_trace_checked),
	};

	return cmocka_run_group_tests_name("pace", tests, NULL, NULL);
}
