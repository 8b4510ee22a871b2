// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Reports of intervals: differences of what a run has counted. */
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "interval.h"
#include "kverbs.h"
#include "live.h"
#include <cmocka.h>

static struct kv_result *result;
static struct kv_intervals *intervals;

static int setup(void **state)
{
	struct kv_job job = KV_JOB_INIT;
	u32 i;

	intervals = kv_intervals_new(500, NULL);
	result = kv_result_new(3);
	result->granted = job;
	result->clock.mult = 1;
	for (i = 0; i < 3; i++) {
		result->lane[i].role = i == 2 ? KVERBS_ROLE_RESPONDER : KVERBS_ROLE_INITIATOR;
		result->lane[i].hist[KVERBS_METRIC_LAT] = malloc(sizeof(struct kv_hist));
		kv_hist_clear(result->lane[i].hist[KVERBS_METRIC_LAT]);
	}
	return 0;
}

static int teardown(void **state)
{
	kv_result_free(result);
	kv_intervals_free(intervals);
	return 0;
}

/* a lane does n more operations of so many ticks */
static void go_on(u32 lane, u32 n, u64 ticks)
{
	result->lane[lane].stat.retired += n;
	while (n--)
		kv_hist_add(result->lane[lane].hist[KVERBS_METRIC_LAT], ticks);
}

static double of_last(const char *key)
{
	json_t *json = kv_json_intervals(intervals);
	double value = json_number_value(json_object_get(json_array_get(json,
							json_array_size(json) - 1), key));

	json_decref(json);
	return value;
}

static void test_differences(void **state)
{
	go_on(0, 100, 1000);
	assert_false(kv_intervals_take(intervals, result, 1));
	go_on(0, 3000, 50);
	go_on(1, 3000, 70);
	go_on(2, 5000, 90000);
	assert_true(kv_intervals_take(intervals, result, 3));
	assert_true(of_last("from_s") == 1 && of_last("to_s") == 3);
	assert_true(of_last("operations") == 6000 && of_last("operations_per_s") == 3000);
	assert_true(of_last("count") == 6000);
	assert_true(of_last("p50_ns") == 50 && of_last("p99_ns") == 70);
	go_on(1, 2000, 500);
	assert_true(kv_intervals_take(intervals, result, 4));
	assert_true(of_last("operations") == 2000 && of_last("p50_ns") == 500);
	/* nothing came: a rate of 0, and no times */
	assert_true(kv_intervals_take(intervals, result, 5));
	assert_true(of_last("operations_per_s") == 0 && of_last("count") == 0);
}

/* before the window nothing is sampled; when it opens, counters start again */
static void test_warm_up(void **state)
{
	result->lane[0].stat.retired = 5000;
	assert_false(kv_intervals_take(intervals, result, 1));
	result->lane[0].stat.retired = 9000;
	assert_false(kv_intervals_take(intervals, result, 2));
	result->lane[0].stat.retired = 0;
	go_on(0, 10, 20);
	assert_false(kv_intervals_take(intervals, result, 3));
	go_on(0, 40, 20);
	assert_true(kv_intervals_take(intervals, result, 4));
	assert_true(of_last("operations") == 40);
	result->lane[0].stat.retired = 3;
	assert_false(kv_intervals_take(intervals, result, 5));
}

/* lanes go on while they are read: the count of a histogram may be another than its buckets' */
static void test_torn(void **state)
{
	go_on(0, 1000, 20);
	result->lane[0].hist[KVERBS_METRIC_LAT]->count += 7;
	assert_false(kv_intervals_take(intervals, result, 1));
	go_on(0, 1000, 30);
	assert_true(kv_intervals_take(intervals, result, 2));
	assert_true(of_last("count") == 1000 && of_last("p50_ns") == 30);
}

/* the live line: warming up, then percentiles, then a rate too */
static void test_live(void **state)
{
	char text[160];

	kv_live_begin("a run");
	result->granted.duration_ms = 10000;
	kv_live_text(result, 1, text, sizeof(text));
	assert_string_equal(text, "1 of 10 s; warming up");
	go_on(0, 3000, 50);
	kv_live_text(result, 2, text, sizeof(text));
	assert_string_equal(text, "2 of 10 s; lat p50 50.0 ns, p99 50.0");
	go_on(0, 500, 50);
	go_on(1, 500, 50);
	kv_live_text(result, 2.5, text, sizeof(text));
	assert_string_equal(text, "2 of 10 s; 2.00 k/s; lat p50 50.0 ns, p99 50.0");
	result->granted.iterations = 4000;
	result->granted.pairs = 2;
	kv_live_text(result, 3.5, text, sizeof(text));
	assert_string_equal(text, "50 %; 0.00 /s; lat p50 50.0 ns, p99 50.0");
	result->granted.timing = KVERBS_TIMING_NONE;
	kv_live_text(result, 4.5, text, sizeof(text));
	assert_non_null(strstr(text, "/s"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_differences, setup, teardown),
		cmocka_unit_test_setup_teardown(test_warm_up, setup, teardown),
		cmocka_unit_test_setup_teardown(test_torn, setup, teardown),
		cmocka_unit_test_setup_teardown(test_live, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
