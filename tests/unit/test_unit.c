// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Figures of a clock that counts instructions, and what is said of them. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>
#include "compare.h"
#include "kverbs.h"
#include "options.h"
#include "unit.h"

static struct kv_hist hist;
static struct kv_clock_info clock_insn;

static int setup(void **state)
{
	kv_hist_clear(&hist);
	/* a factor as calibration finds it: a little off */
	clock_insn = (struct kv_clock_info){ "test", (1U << KV_CLOCK_SHIFT) - 117,
					     KV_CLOCK_SHIFT, 0, 4, KV_UNIT_NS };
	kv_unit_use(KV_UNIT_INSN, &clock_insn);
	unsetenv(KV_UNIT_ENV);
	return 0;
}

static void add(u64 value, u32 times)
{
	while (times--)
		kv_hist_add(&hist, value);
}

static void test_keys(void **state)
{
	char key[KV_UNIT_KEY];

	assert_string_equal(kv_unit_key("p50", KV_UNIT_NS, key), "p50_ns");
	assert_string_equal(kv_unit_key("p50", KV_UNIT_INSN, key), "p50_insn");
	assert_string_equal(kv_unit_name(KV_UNIT_INSN), "insn");
}

static void test_what_is_left_out(void **state)
{
	static const u32 calls[] = { KVERBS_METRIC_POST, KVERBS_METRIC_POLL,
				     KVERBS_METRIC_RECV_POST, KVERBS_METRIC_RECV_POLL };
	u32 i;

	for (i = 0; i < __KVERBS_METRIC_MAX; i++)
		assert_true(kv_unit_has_metric(KV_UNIT_NS, i));
	for (i = 0; i < KV_ARRAY_SIZE(calls); i++)
		assert_true(kv_unit_has_metric(KV_UNIT_INSN, calls[i]));
	assert_false(kv_unit_has_metric(KV_UNIT_INSN, KVERBS_METRIC_LAT));
	assert_false(kv_unit_has_metric(KV_UNIT_INSN, KVERBS_METRIC_RTT));
	assert_true(kv_unit_has_counter(KV_UNIT_INSN, KVERBS_CTR_T_POST));
	assert_false(kv_unit_has_counter(KV_UNIT_INSN, KVERBS_CTR_WALL));
	assert_true(kv_unit_has_counter(KV_UNIT_NS, KVERBS_CTR_WALL));
}

/* no factor between what the counter counts and what is shown */
static void test_ticks_are_kept(void **state)
{
	u64 ticks;

	for (ticks = 1; ticks < 1ULL << 39; ticks *= 3)
		assert_true(kv_clock_ns(ticks, clock_insn.mult, clock_insn.shift) == ticks);
}

static void test_paths(void **state)
{
	struct kv_figure figure;

	add(393, 938);
	add(416, 62);
	add(1392, 1);
	add(1393, 1);
	add(2860, 1);
	kv_figure_of(&hist, &clock_insn, &figure);
	assert_true(figure.p50 == 393 && figure.min == 393 && figure.max == 2860);
	assert_int_equal(figure.same, 938);
	assert_int_equal(figure.other, 63);
	assert_int_equal(figure.disturbed, 2);
	assert_int_equal(figure.count, figure.same + figure.other + figure.disturbed);
	assert_int_equal(figure.width, 1);
}

/* a median needs no crowd when every sample is the same */
static void test_one_sample(void **state)
{
	struct kv_figure figure;

	add(393, 1);
	kv_figure_of(&hist, &clock_insn, &figure);
	assert_true(figure.p50 == 393);
	assert_int_equal(figure.same, 1);
	clock_insn.unit = KV_UNIT_NS;
	kv_figure_of(&hist, &clock_insn, &figure);
	assert_true(isnan(figure.p50));
	assert_int_equal(figure.same, 0);
}

/* above 2047 a bucket holds several numbers: which one is said only when it is known */
static void test_wide_buckets(void **state)
{
	struct kv_figure figure;

	add(5001, 10);
	kv_figure_of(&hist, &clock_insn, &figure);
	assert_true(figure.p50 == 5001);
	assert_int_equal(figure.width, 1);
	add(9000, 1);
	kv_figure_of(&hist, &clock_insn, &figure);
	assert_true(figure.p50 == 5001);
	assert_int_equal(figure.width, 4);
	assert_int_equal(figure.same, 10);
	assert_int_equal(figure.disturbed, 1);
	/* an undisturbed one below the median's bucket: its middle stands for it */
	add(4000, 1);
	kv_figure_of(&hist, &clock_insn, &figure);
	assert_true(figure.p50 >= 5000 && figure.p50 <= 5003);
	assert_int_equal(figure.other, 1);
}

static void test_out_of_range(void **state)
{
	struct kv_figure figure;

	add(1ULL << KV_HIST_VALUE_BITS, 3);
	kv_figure_of(&hist, &clock_insn, &figure);
	assert_int_equal(figure.same, 0);
	add(300, 5);
	kv_figure_of(&hist, &clock_insn, &figure);
	assert_true(figure.p50 == 300);
	assert_int_equal(figure.same, 5);
	assert_int_equal(figure.disturbed, 3);
}

static void judge(const double *kernel, const double *user, const struct kv_tally *k,
		  const struct kv_tally *u, bool exact, const char *text)
{
	struct kv_verdict verdict;
	char said[64];

	kv_verdict_of(kernel, user, 1, 3, &verdict);
	assert_int_equal(kv_verdict_exact(&verdict, k, u), exact);
	assert_string_equal(kv_verdict_text(&verdict, k, u, said, sizeof(said)), text);
}

static void test_verdicts(void **state)
{
	static const double kernel[] = { 393, 393, 393 }, user[] = { 357, 357, 357 };
	static const double moved[] = { 393, 394, 393 }, none[] = { NAN, NAN, NAN };
	static const struct kv_tally whole = { 1000, 998, 0, 2, 1 };
	static const struct kv_tally paths = { 1000, 900, 100, 0, 1 };
	static const struct kv_tally wide = { 1000, 1000, 0, 0, 4 };
	static const struct kv_tally empty;

	judge(kernel, user, &whole, &whole, true, "exact");
	judge(kernel, user, &paths, &whole, false, "of 90 % and 100 %");
	judge(kernel, user, &whole, &wide, false, "exact to 3");
	judge(moved, user, &whole, &whole, false, "rounds differ, ratio 1.101 .. 1.104");
	judge(none, user, &whole, &whole, false, "-");
	judge(kernel, user, &empty, &whole, false, "-");
}

static void test_tally(void **state)
{
	struct kv_tally tally = { 0 };
	struct kv_figure figure = { .count = 10, .same = 7, .other = 2, .disturbed = 1,
				    .width = 2 };

	kv_tally_add(&tally, &figure);
	figure.width = 1;
	kv_tally_add(&tally, &figure);
	assert_int_equal(tally.count, 20);
	assert_int_equal(tally.same, 14);
	assert_int_equal(tally.other, 4);
	assert_int_equal(tally.disturbed, 2);
	assert_int_equal(tally.width, 2);
}

/* words of a command line after "run" */
static int parse(const char *text, struct kv_options *options, struct kv_error *error)
{
	char line[64], *argv[8] = { "run" }, *word;
	int argc = 1;

	snprintf(line, sizeof(line), "%s", text);
	for (word = strtok(line, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	return kv_options_parse(argc, argv, KV_FOR_RUN, options, error);
}

static void test_option(void **state)
{
	struct kv_options options;
	struct kv_error error;

	assert_int_equal(parse("", &options, &error), 0);
	assert_int_equal(options.unit, KV_UNIT_NS);
	assert_int_equal(options.job.timing, KVERBS_TIMING_LAT);
	assert_int_equal(options.job.iterations, 0);
	assert_int_equal(parse("--clock-unit insn", &options, &error), 0);
	assert_int_equal(options.unit, KV_UNIT_INSN);
	assert_int_equal(options.job.timing, KVERBS_TIMING_ALL);
	assert_int_equal(options.job.iterations, KV_INSN_POSTS);
	assert_int_equal(parse("--clock-unit=insn --shape=rate -l8", &options, &error), 0);
	assert_int_equal(options.job.iterations, 8 * KV_INSN_POSTS);
	assert_int_equal(parse("--clock-unit=insn -D 1", &options, &error), 0);
	assert_int_equal(options.job.iterations, 0);
	assert_int_equal(parse("--clock-unit=insn --timing=lat", &options, &error), 0);
	assert_int_equal(options.job.timing, KVERBS_TIMING_LAT);
	assert_int_equal(parse("--clock-unit=s", &options, &error), -1);
	assert_int_equal(error.status, KV_EXIT_USAGE);
}

static void test_environment(void **state)
{
	struct kv_options options;
	struct kv_error error;

	setenv(KV_UNIT_ENV, "insn", 1);
	assert_int_equal(parse("", &options, &error), 0);
	assert_int_equal(options.unit, KV_UNIT_INSN);
	assert_int_equal(parse("--clock-unit=ns", &options, &error), 0);
	assert_int_equal(options.unit, KV_UNIT_NS);
	assert_int_equal(options.job.timing, KVERBS_TIMING_LAT);
	setenv(KV_UNIT_ENV, "minutes", 1);
	assert_int_equal(parse("", &options, &error), -1);
	assert_non_null(strstr(error.text, KV_UNIT_ENV));
}

static void test_refusals(void **state)
{
	struct kv_job job = KV_JOB_INIT;
	struct kv_error error;

	job.clock = KVERBS_CLOCK_RAW;
	assert_int_equal(kv_unit_check(KV_UNIT_NS, &job, &error), 0);
	assert_int_equal(kv_unit_check(KV_UNIT_INSN, &job, &error), -1);
	assert_int_equal(error.status, KV_EXIT_USAGE);
	job.clock = KVERBS_CLOCK_CPU;
	job.timing = KVERBS_TIMING_NONE;
	assert_int_equal(kv_unit_check(KV_UNIT_NS, &job, &error), 0);
	assert_int_equal(kv_unit_check(KV_UNIT_INSN, &job, &error), -1);
	assert_int_equal(error.status, KV_EXIT_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_keys, setup),
		cmocka_unit_test_setup(test_what_is_left_out, setup),
		cmocka_unit_test_setup(test_ticks_are_kept, setup),
		cmocka_unit_test_setup(test_paths, setup),
		cmocka_unit_test_setup(test_one_sample, setup),
		cmocka_unit_test_setup(test_wide_buckets, setup),
		cmocka_unit_test_setup(test_out_of_range, setup),
		cmocka_unit_test_setup(test_verdicts, setup),
		cmocka_unit_test_setup(test_tally, setup),
		cmocka_unit_test_setup(test_option, setup),
		cmocka_unit_test_setup(test_environment, setup),
		cmocka_unit_test_setup(test_refusals, setup),
	};

	return cmocka_run_group_tests_name("unit of figures", tests, NULL, NULL);
}
