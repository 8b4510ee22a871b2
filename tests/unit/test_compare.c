// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A comparison of made-up runs: what its table and its JSON say. */
#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "compare.h"
#include "kverbs.h"
#include <cmocka.h>

#define USER_NS		2000.0

static struct kv_compare *compare;
static double difference;	/* of the kernel's p50 */
static char *text;
static size_t length;

static int run(void *of, u32 index, enum kv_side side, u32 block, u32 turn, double *value,
	       struct kv_error *error)
{
	struct kv_arm *arm = &compare->arm[index];
	double p50 = USER_NS + (side == KV_KERNEL ? difference : 0) + rand() % 7 +
		     (arm->as == KV_AS_NATIVE && side == KV_KERNEL ? 50 : 0);

	if (*arm->absent[side])
		return 0;
	value[KV_VALUE_P50] = p50;
	value[KV_VALUE_MAX] = 3 * p50;
	value[KV_VALUE_POST] = p50 / 4;
	value[KV_VALUE_OPS] = 1e9 / p50;
	arm->parts[side].runs++;
	arm->parts[side].sum[KV_PART_POST] += p50 / 4;
	arm->parts[side].sum[KV_PART_WAIT] += p50 / 2;
	arm->parts[side].sum[KV_PART_POLL] += p50 / 8;
	arm->parts[side].sum[KV_PART_CLOCK] += p50 / 8;
	arm->runs++;
	compare->runs++;
	return 0;
}

static double seconds(void *of)
{
	return compare->runs * 0.05;
}

static bool stopped(void *of)
{
	return false;
}

static void measure(u32 blocks)
{
	const struct kv_source source = { NULL, run, seconds, stopped };
	struct kv_design design = {
		.blocks = blocks, .seconds = KV_TRIAL_SECONDS, .seed = 11,
		.margin = compare->options.margin, .tick = 1, .level = KV_LEVEL,
	};
	struct kv_error error;
	u32 arm;

	compare->trial = kv_trial_new(&design, compare->narms, KV_VALUES);
	assert_non_null(compare->trial);
	compare->trial->rates = 1U << KV_VALUE_OPS | 1U << KV_VALUE_BYTES;
	for (arm = 0; arm < compare->narms; arm++)
		compare->trial->primary[arm] = compare->arm[arm].primary;
	assert_int_equal(kv_trial_run(compare->trial, &source, &error), 0);
}

static void plan(int argc, ...)
{
	char name[] = "compare", *words[16];
	struct kv_error error;
	va_list list;
	int i;

	compare = calloc(1, sizeof(*compare));
	compare->json_runs = json_array();
	words[0] = name;
	va_start(list, argc);
	for (i = 1; i <= argc; i++)
		words[i] = va_arg(list, char *);
	va_end(list);
	assert_int_equal(kv_options_parse(argc + 1, words, KV_FOR_COMPARE, &compare->options,
					  &error), 0);
	strcpy(compare->env.facts.driver, "mlx5_core");
	kv_arms_plan(compare, 1 << 20);
	kv_ledger_fill(compare);
}

static void show(void)
{
	FILE *file;

	free(text);
	text = NULL;
	file = open_memstream(&text, &length);
	kv_print_compare(file, compare);
	fclose(file);
}

static int teardown(void **state)
{
	kv_compare_free(compare);
	free(text);
	text = NULL;
	return 0;
}

static bool says(const char *what)
{
	if (strstr(text, what))
		return true;
	print_message("# not said: %s, but\n%s", what, text);
	return false;
}

static void test_default_plan(void **state)
{
	u32 arm, quiet = 0;

	plan(0);
	/* three operations, two sizes, two shapes, and the first once more */
	assert_int_equal(compare->narms, 13);
	for (arm = 0; arm < compare->narms; arm++) {
		quiet += compare->arm[arm].quiet;
		assert_int_equal(compare->arm[arm].primary == KV_NO_PRIMARY,
				 compare->arm[arm].quiet);
	}
	assert_int_equal(quiet, 1);
	difference = 100;
	measure(0);
	show();
	assert_int_equal(kv_trial_primaries(compare->trial), 12);
	assert_true(says("different"));
	assert_true(says("corrected for the number of jobs"));
}

static void test_different(void **state)
{
	struct kv_error error;
	double all, part[4];
	int found;

	plan(6, "--op", "write", "-s", "64", "--shape", "lat");
	difference = 200;
	measure(0);
	show();
	assert_true(says("8 blocks, each of four runs"));
	assert_true(says("lat p50, ns"));
	assert_true(says("different"));
	assert_true(says("lat: kernel +"));
	found = sscanf(strstr(text, "lat: kernel"),
		       "lat: kernel %lf = %lf post %lf wait %lf poll %lf clock", &all,
		       &part[0], &part[1], &part[2], &part[3]);
	assert_int_equal(found, 5);
	assert_true(fabs(all - 200) < 6);
	assert_true(fabs(all - part[0] - part[1] - part[2] - part[3]) < 2);
	compare->options.expect = KV_EXPECT_DIFFERENT;
	assert_int_equal(kv_verdict_expected(compare, &error), 0);
	compare->options.expect = KV_EXPECT_SAME;
	assert_int_equal(kv_verdict_expected(compare, &error), -1);
	assert_int_equal(error.status, KV_EXIT_MISSED);
}

static void test_same(void **state)
{
	struct kv_error error;

	plan(6, "--op", "write", "-s", "64", "--shape", "lat");
	difference = 1;
	measure(0);
	show();
	assert_true(says("same within 2 %"));
	compare->options.expect = KV_EXPECT_SAME;
	assert_int_equal(kv_verdict_expected(compare, &error), 0);
	compare->options.expect = KV_EXPECT_DIFFERENT;
	assert_int_equal(kv_verdict_expected(compare, &error), -1);
	assert_int_equal(error.status, KV_EXIT_MISSED);
}

static void test_too_few(void **state)
{
	struct kv_error error;

	plan(6, "--op", "write", "-s", "64", "--shape", "lat");
	difference = 1;
	measure(5);
	show();
	assert_true(says("too few rounds"));
	compare->options.expect = KV_EXPECT_SAME;
	assert_int_equal(kv_verdict_expected(compare, &error), -1);
	assert_int_equal(error.status, KV_EXIT_UNDECIDED);
}

/* the kernel's usual settings cost 50 ns here, the stack 200 */
static void test_split(void **state)
{
	plan(8, "--op", "write", "-s", "64", "--shape", "lat", "--as", "both");
	difference = 200;
	measure(12);
	show();
	assert_int_equal(compare->arm[1].job[KV_KERNEL].local_key, KVERBS_LOCAL_KEY_DMA);
	assert_int_equal(compare->arm[1].job[KV_USER].local_key, KVERBS_LOCAL_KEY_MR);
	assert_int_equal(compare->arm[0].job[KV_KERNEL].local_key, KVERBS_LOCAL_KEY_MR);
	assert_true(says("settings explain +"));
	assert_true(says("the stack +"));
}

static void test_absent(void **state)
{
	plan(6, "--op", "fadd", "--shape", "lat", "--expect", "same");
	strcpy(compare->arm[0].absent[KV_KERNEL], "not there");
	difference = 0;
	measure(6);
	show();
	assert_true(says("no comparison: not there"));
	assert_null(strstr(text, "too few rounds"));
}

static double number(const json_t *json, const char *a, const char *b)
{
	return json_number_value(json_object_get(json_object_get(json, a), b));
}

static void test_json(void **state)
{
	json_t *json, *arm, *value;

	plan(6, "--op", "write", "-s", "64", "--shape", "lat");
	difference = 200;
	measure(0);
	json = kv_json_compare(compare);
	assert_non_null(json);
	assert_string_equal(json_string_value(json_object_get(json, "schema")),
			    "kverbs-compare/2");
	arm = json_array_get(json_object_get(json, "arms"), 0);
	assert_non_null(arm);
	value = json_object_get(json_object_get(arm, "values"), "p50_ns");
	assert_string_equal(json_string_value(json_object_get(value, "verdict")), "different");
	assert_true(number(value, "difference", "low") < 200 &&
		    number(value, "difference", "high") > 200);
	assert_true(number(value, "ratio", "low") < 1.1 && number(value, "ratio", "high") > 1.1);
	assert_int_equal(json_array_size(json_object_get(json_object_get(value, "kernel"),
							 "blocks")), 8);
	value = json_object_get(arm, "where");
	assert_true(fabs(number(value, "post", "difference_ns") - 50) < 3);
	assert_true(fabs(number(value, "operation", "difference_ns") - 200) < 6);
	json_decref(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_default_plan, teardown),
		cmocka_unit_test_teardown(test_different, teardown),
		cmocka_unit_test_teardown(test_same, teardown),
		cmocka_unit_test_teardown(test_too_few, teardown),
		cmocka_unit_test_teardown(test_split, teardown),
		cmocka_unit_test_teardown(test_absent, teardown),
		cmocka_unit_test_teardown(test_json, teardown),
	};

	unsetenv("KVERBS_CLOCK_UNIT");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
