// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* How busy a CPU was; that every check is whole. The checks themselves: tests/spec/doctor. */
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include "health_read.h"
#include <cmocka.h>

static const char before[] =
	"cpu  100 0 100 1000 0 0 0 0 0 0\n"
	"cpu0 50 0 50 500 0 0 0 0 0 0\n"
	"cpu1 50 0 50 500 10 0 0 0 0 0\n"
	"cpu10 1 1 1 1 1 1 1 1 0 0\n";
static const char after[] =
	"cpu  110 0 105 1005 0 0 0 0 0 0\n"
	"cpu0 55 0 52 500 0 1 1 1 0 0\n"
	"cpu1 50 0 51 506 13 0 0 0 0 0\n"
	"cpu10 1 1 1 1 1 1 1 1 0 0\n";

static void test_busy_share(void **state)
{
	assert_int_equal(kv_busy_share(before, after, 0), 100);
	assert_int_equal(kv_busy_share(before, after, 1), 10);
	/* no time passed, no such CPU, time that runs backwards, no text */
	assert_int_equal(kv_busy_share(before, after, 10), -1);
	assert_int_equal(kv_busy_share(before, after, 2), -1);
	assert_int_equal(kv_busy_share(after, before, 1), -1);
	assert_int_equal(kv_busy_share("", "cpu", 0), -1);
}

static void test_rules_are_whole(void **state)
{
	u32 i, j;

	for (i = 0; i < KV_HEALTH_CHECKS; i++) {
		const struct kv_health_rule *rule = &kv_health_rules[i];

		assert_non_null(rule->key);
		assert_non_null(rule->name);
		assert_non_null(rule->read);
		assert_non_null(rule->judge);
		assert_non_null(rule->advice);
		/* whoever may find fault says what to do */
		assert_true(rule->judge == kv_judge_fine || *rule->advice);
		for (j = 0; j < i; j++)
			assert_string_not_equal(rule->key, kv_health_rules[j].key);
	}
}

/* unknown is not bad, and what a run tries by itself is not repeated beside its figures */
static void test_worst_and_warnings(void **state)
{
	struct kv_found finding[KV_HEALTH_CHECKS] = { 0 };
	u32 i;

	assert_int_equal(kv_health_worst(finding), KV_HEALTH_OK);
	finding[3].health = KV_HEALTH_UNKNOWN;
	assert_int_equal(kv_health_worst(finding), KV_HEALTH_OK);
	finding[4].health = KV_HEALTH_WARN;
	assert_int_equal(kv_health_worst(finding), KV_HEALTH_WARN);
	finding[5].health = KV_HEALTH_BAD;
	assert_int_equal(kv_health_worst(finding), KV_HEALTH_BAD);
	for (i = 0; i < KV_HEALTH_CHECKS; i++) {
		finding[i].health = KV_HEALTH_NOTE;
		assert_false(kv_health_warns(finding, i));
		finding[i].health = KV_HEALTH_BAD;
		assert_int_equal(kv_health_warns(finding, i),
				 kv_health_rules[i].scope &
				 (KV_SCOPE_FIGURES | KV_SCOPE_HARDWARE) ? 1 : 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_busy_share),
		cmocka_unit_test(test_rules_are_whole),
		cmocka_unit_test(test_worst_and_warnings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
