// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Thresholds: units, which way they go, what is said. */
#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include "kverbs.h"
#include "threshold.h"
#include <cmocka.h>

static struct kv_thresholds thresholds;
static struct kv_summary summary;
static struct kv_error error;
static char text[512];

static int setup(void **state)
{
	u32 i;

	memset(&thresholds, 0, sizeof(thresholds));
	memset(&summary, 0, sizeof(summary));
	for (i = 0; i < __KVERBS_METRIC_MAX; i++)
		summary.metric[i] = (struct kv_figure){
			.mean = NAN, .p50 = NAN, .p99 = NAN, .p999 = NAN,
		};
	summary.metric[KVERBS_METRIC_LAT] = (struct kv_figure){
		.count = 2000, .min = 1000, .mean = 2100, .p50 = 2000, .p90 = 3000, .p99 = 5000,
		.p999 = NAN, .max = 9000,
	};
	summary.ops_s = 1500000;
	summary.bytes_s = 1250000000;	/* 10 Gbit/s */
	return 0;
}

static void test_units(void **state)
{
	static const struct {
		u32 which;
		const char *text;
		double limit;
	} good[] = {
		{ KV_MAX_P50, "800ns", 800 }, { KV_MAX_P50, "5us", 5000 },
		{ KV_MAX_P99, "1.5ms", 1500000 }, { KV_MAX_MEAN, ".5us", 500 },
		{ KV_MAX_P999, "2s", 2e9 }, { KV_MIN_RATE, "1M", 1e6 },
		{ KV_MIN_RATE, "250k", 250e3 }, { KV_MIN_RATE, "17", 17 },
		{ KV_MIN_BW, "10G", 10e9 }, { KV_MIN_BW, "1.25GB", 10e9 },
		{ KV_MIN_BW, "100MB", 800e6 }, { KV_MIN_BW, "9600", 9600 },
	};
	static const struct {
		u32 which;
		const char *text;
	} bad[] = {
		{ KV_MAX_P50, "5" }, { KV_MAX_P50, "us" }, { KV_MAX_P50, "5 us" },
		{ KV_MAX_P50, "-5us" }, { KV_MAX_P50, "0us" }, { KV_MAX_P50, "5usx" },
		{ KV_MAX_P50, "0x5us" }, { KV_MAX_P50, "" }, { KV_MAX_P50, "nan" },
		{ KV_MIN_RATE, "1us" }, { KV_MIN_RATE, "1GB" }, { KV_MIN_BW, "1Gb" },
		{ KV_MIN_BW, "1e999" },
	};
	u32 i;

	for (i = 0; i < KV_ARRAY_SIZE(good); i++) {
		assert_int_equal(kv_threshold_parse(&thresholds, good[i].which, good[i].text,
						    &error), 0);
		assert_true(fabs(thresholds.limit[good[i].which] / good[i].limit - 1) < 0.000001);
	}
	for (i = 0; i < KV_ARRAY_SIZE(bad); i++) {
		if (!kv_threshold_parse(&thresholds, bad[i].which, bad[i].text, &error))
			fail_msg("%s: taken", bad[i].text);
		assert_int_equal(error.status, KV_EXIT_USAGE);
		assert_non_null(strstr(error.text, kv_threshold_rules[bad[i].which].name));
	}
}

static int status_of(u32 which, const char *limit)
{
	assert_int_equal(kv_threshold_parse(&thresholds, which, limit, &error), 0);
	return kv_threshold_status(&thresholds, &summary, text, sizeof(text));
}

/* each at its figure's value holds, and a little beyond does not */
static void test_edges(void **state)
{
	static const struct {
		u32 which;
		const char *holds;
		const char *misses;
	} edge[] = {
		{ KV_MAX_P50, "2us", "1999ns" }, { KV_MAX_P99, "5us", "4999ns" },
		{ KV_MAX_MEAN, "2.1us", "2099ns" }, { KV_MIN_RATE, "1.5M", "1500001" },
		{ KV_MIN_BW, "10G", "10000000001" }, { KV_MIN_BW, "1.25GB", "1.2501GB" },
	};
	u32 i;

	for (i = 0; i < KV_ARRAY_SIZE(edge); i++) {
		setup(NULL);
		assert_int_equal(status_of(edge[i].which, edge[i].holds), KV_EXIT_GOOD);
		assert_string_equal(text, "");
		assert_int_equal(status_of(edge[i].which, edge[i].misses), KV_EXIT_MISSED);
	}
}

static void test_texts(void **state)
{
	assert_int_equal(status_of(KV_MAX_P50, "1us"), KV_EXIT_MISSED);
	assert_string_equal(text, "lat p50: 2000 ns above --max-p50 1000 ns");
	assert_int_equal(status_of(KV_MIN_RATE, "2M"), KV_EXIT_MISSED);
	assert_string_equal(text, "lat p50: 2000 ns above --max-p50 1000 ns; "
			    "rate: 1.5 M messages/s below --min-rate 2 M messages/s");
	setup(NULL);
	summary.metric[KVERBS_METRIC_RTT] = summary.metric[KVERBS_METRIC_LAT];
	assert_int_equal(status_of(KV_MAX_P99, "1us"), KV_EXIT_MISSED);
	assert_non_null(strstr(text, "rtt p99"));
	/* what cannot be known is neither met nor missed */
	setup(NULL);
	assert_int_equal(status_of(KV_MAX_P999, "1us"), KV_EXIT_UNDECIDED);
	assert_non_null(strstr(text, "2000 samples are too few"));
	assert_int_equal(status_of(KV_MAX_P50, "1us"), KV_EXIT_MISSED);
}

static void test_possible(void **state)
{
	struct kv_job job = KV_JOB_INIT;

	job.timing = KVERBS_TIMING_NONE;
	assert_int_equal(kv_threshold_parse(&thresholds, KV_MIN_RATE, "1M", &error), 0);
	assert_int_equal(kv_threshold_possible(&thresholds, &job, &error), 0);
	assert_int_equal(kv_threshold_parse(&thresholds, KV_MAX_P99, "1us", &error), 0);
	assert_int_equal(kv_threshold_possible(&thresholds, &job, &error), -1);
	assert_int_equal(error.status, KV_EXIT_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_units, setup),
		cmocka_unit_test_setup(test_edges, setup),
		cmocka_unit_test_setup(test_texts, setup),
		cmocka_unit_test_setup(test_possible, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
