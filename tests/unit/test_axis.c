// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Lists of values, and the options that make them. */
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "kverbs.h"
#include "options.h"
#include <cmocka.h>

static struct kv_options options;
static struct kv_error error;

/* kverbs run WORDS: 0 or -1 */
static int parse(const char *text)
{
	char *argv[32] = { "run" }, *save = NULL, *word, *copy = strdup(text);
	int argc = 1, rc;

	for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
		argv[argc++] = word;
	rc = kv_options_parse(argc, argv, KV_FOR_RUN, &options, &error);
	free(copy);
	return rc;
}

static void expect_values(u32 which, const u64 *value, u32 n)
{
	u32 i;

	assert_true(which < options.naxes);
	assert_int_equal(options.axis[which].n, n);
	for (i = 0; i < n; i++)
		assert_int_equal(options.axis[which].value[i], value[i]);
}

#define expect(which, ...)							\
	do {									\
		const u64 values_[] = { __VA_ARGS__ };				\
		expect_values(which, values_, KV_ARRAY_SIZE(values_));		\
	} while (0)

static void test_lists(void **state)
{
	assert_int_equal(parse("-s 64,1k,64k"), 0);
	assert_int_equal(options.naxes, 1);
	expect(0, 64, 1024, 65536);
	assert_int_equal(parse("-s 64"), 0);
	assert_int_equal(options.naxes, 0);
	assert_int_equal(options.job.step[0].size, 64);
	assert_int_equal(parse("-s 64..1k"), 0);
	expect(0, 64, 128, 256, 512, 1024);
	assert_int_equal(parse("--sweep chain=1,2,4..64"), 0);
	expect(0, 1, 2, 4, 8, 16, 32, 64);
	assert_string_equal(options.axis[0].name, "post-list");
	assert_string_equal(options.axis[0].key, "chain");
	assert_int_equal(parse("--sweep post-list=3..10 --sweep size=8"), 0);
	expect(0, 3, 6, 10);
	expect(1, 8);
	assert_int_equal(parse("--sweep iters=1..1000000000000"), 0);
	assert_int_equal(options.axis[0].value[options.axis[0].n - 1], 1000000000000ULL);
	assert_int_equal(parse("--sweep duration=0.5,2"), 0);
	expect(0, 500, 2000);
	assert_int_equal(parse("--sweep timing=all,none"), 0);
	expect(0, KVERBS_TIMING_ALL, KVERBS_TIMING_NONE);
}

/* what a row's attribute means depends on its kind */
static void test_thresholds(void **state)
{
	const char *words = "--max-p50 1us --max-p99 1us --max-p99.9 1us --max-mean 1us";
	char text[128];
	u32 i;

	snprintf(text, sizeof(text), "%s --min-rate 1 --min-bw 1", words);
	assert_int_equal(parse(text), 0);
	for (i = 0; i < KV_THRESHOLDS; i++)
		assert_true(options.thresholds.given[i]);
	for (i = 0; i < __KVERBS_JOB_A_MAX; i++)
		assert_false(options.given[i]);
	assert_int_equal(parse("--timing none --min-rate 1"), 0);
	assert_int_equal(parse("--timing none --max-p50 1us"), -1);
}

static void test_all(void **state)
{
	assert_int_equal(parse("-a"), 0);
	assert_true(options.axis[0].capped);
	assert_int_equal(options.axis[0].n, 23);
	assert_int_equal(options.axis[0].value[0], 2);
	assert_int_equal(options.axis[0].value[22], 8 << 20);
}

static void test_refused(void **state)
{
	static const struct {
		const char *words;
		const char *says;
	} cases[] = {
		{ "-s 64,", "size ''" },
		{ "-s 64,,1k", "size ''" },
		{ "-s 1k..64", "up to its end" },
		{ "-s 64..", "size ''" },
		{ "--sweep warmup=0..8", "doubles from its start" },
		{ "--sweep chain", "FIELD=LIST" },
		{ "--sweep nonsense=1", "not a field" },
		{ "--sweep device=1", "not a field" },
		{ "--sweep chain=", "not a number" },
		{ "--sweep chain=1,70000", "out of range" },
		{ "--sweep shape=lat..rate", "no range" },
		{ "--sweep shape=lat,round", "not known" },
		{ "-a -s 64", "leave one out" },
		{ "-a -s 64,128", "several values already" },
		{ "--sweep chain=1,2 -l 4", "leave one out" },
		{ "--sweep chain=1,2 --sweep post-list=4", "several values already" },
		{ "--sweep qp=1..64 -s 1..1M --sweep chain=1..64", "more than 1024 runs" },
		{ "--sweep qp=1 -s 1,2 --sweep chain=1 --sweep tx-depth=1 --sweep cq-mod=1",
		  "no more than 4" },
	};
	u32 i;

	for (i = 0; i < KV_ARRAY_SIZE(cases); i++) {
		if (!parse(cases[i].words))
			fail_msg("%s: taken", cases[i].words);
		assert_int_equal(error.status, KV_EXIT_USAGE);
		if (!strstr(error.text, cases[i].says))
			fail_msg("%s: says '%s', not '%s'", cases[i].words, error.text,
				 cases[i].says);
	}
}

/* an axis has room for so many values, and one more is refused */
static void test_room(void **state)
{
	char text[512] = "--sweep chain=1";
	u32 i;

	for (i = 1; i < KV_AXIS_VALUES; i++)
		strcat(text, ",1");
	assert_int_equal(parse(text), 0);
	strcat(text, ",1");
	assert_int_equal(parse(text), -1);
	assert_non_null(strstr(error.text, "more than 64 values"));
}

/* each combination once, the first axis slowest, and nothing else of the job changed */
static void test_points(void **state)
{
	static const u32 want[][2] = { { 1, 64 }, { 1, 128 }, { 1, 256 },
				       { 4, 64 }, { 4, 128 }, { 4, 256 } };
	struct kv_job job;
	u32 i;

	assert_int_equal(parse("--sweep chain=1,4 -s 64..256 -t 33"), 0);
	assert_int_equal(kv_axes_points(options.axis, options.naxes), 6);
	for (i = 0; i < 6; i++) {
		job = options.job;
		kv_axes_job(options.axis, options.naxes, i, &job);
		assert_int_equal(job.chain, want[i][0]);
		assert_int_equal(job.step[0].size, want[i][1]);
		assert_int_equal(job.outstanding, 33);
	}
}

/* each preset is a command line that is taken, by each command that it is for */
static void test_presets(void **state)
{
	const struct kv_preset *preset, *other;
	char text[64];
	u32 i, j;

	for (i = 0; (preset = kv_preset(i)); i++) {
		for (j = 0; j < i; j++) {
			other = kv_preset(j);
			assert_string_not_equal(preset->name, other->name);
			assert_string_not_equal(preset->options, other->options);
		}
		snprintf(text, sizeof(text), "--preset %s", preset->name);
		if (parse(text))
			fail_msg("%s: %s", preset->name, error.text);
		assert_ptr_equal(options.preset, preset);
		/* a series, or an operation of several steps, is for run alone */
		assert_int_equal(preset->commands,
				 options.naxes || options.job.nsteps > 1 ?
				 KV_FOR_RUN : KV_FOR_RUN | KV_FOR_COMPARE);
		assert_true(strlen(preset->question) > 10);
	}
	assert_true(i > 10);
}

/* an option takes the place of what a preset says, wherever it stands */
static void test_preset_gives_way(void **state)
{
	assert_int_equal(parse("--preset ib_write_bw"), 0);
	assert_int_equal(options.job.step[0].size, 65536);
	assert_int_equal(options.job.iterations, 5000);
	assert_int_equal(parse("-s 64 --preset ib_write_bw -t 7"), 0);
	assert_int_equal(options.job.step[0].size, 64);
	assert_int_equal(options.job.outstanding, 7);
	assert_int_equal(options.job.signal, 100);
	assert_int_equal(parse("--preset=ib_write_bw -D 2"), 0);
	assert_int_equal(options.job.iterations, 0);
	assert_int_equal(options.job.duration_ms, 2000);
	assert_false(options.given[KVERBS_JOB_A_ITERATIONS]);
	/* lists: one for another, one value for a list, a list for one value */
	assert_int_equal(parse("--preset window --sweep tx-depth=5,6"), 0);
	assert_int_equal(options.naxes, 1);
	expect(0, 5, 6);
	assert_int_equal(parse("--preset window -t 9"), 0);
	assert_int_equal(options.naxes, 0);
	assert_int_equal(options.job.outstanding, 9);
	assert_int_equal(parse("--preset read-sizes -s 77"), 0);
	assert_int_equal(options.naxes, 0);
	assert_int_equal(options.job.step[0].size, 77);
	assert_int_equal(parse("--preset ib_write_bw -a"), 0);
	assert_int_equal(options.naxes, 1);
	assert_int_equal(parse("--preset ib_write_bw --sweep tx-depth=1,2"), 0);
	expect(0, 1, 2);
	assert_int_equal(parse("--preset ib_write_bw --sweep duration=1,2"), 0);
	assert_int_equal(options.job.iterations, 0);
	/* but not what other options say */
	assert_int_equal(parse("--preset window -t 9 --sweep tx-depth=1,2"), -1);
	assert_int_equal(parse("--preset nonsense"), -1);
	assert_non_null(strstr(error.text, "kverbs presets"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_thresholds),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_points),
		cmocka_unit_test(test_presets),
		cmocka_unit_test(test_preset_gives_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
