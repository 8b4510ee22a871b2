// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Counters of a device: differences, and what is not there. */
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include "counters.h"
#include "kverbs.h"
#include <cmocka.h>

static void test_no_device(void **state)
{
	struct kv_counters *counters = kv_counters_read("nosuch0", 1);
	const char *source, *name;
	json_t *json;
	s64 value;

	assert_non_null(counters);
	assert_false(kv_counters_get(counters, 0, &source, &name, &value));
	json = kv_json_counters(counters);
	assert_int_equal(json_object_size(json), 0);
	json_decref(json);
	json = kv_json_counters(NULL);
	assert_true(json_is_null(json));
	json_decref(json);
	kv_counters_free(counters);
	kv_counters_free(NULL);
}

static void test_differences(void **state)
{
	static const struct {
		const char *source;
		const char *name;
		u64 value;
	} early[] = { { "port", "a", 5 }, { "port", "gone", 1 }, { "port", "b", 10 },
		      { "device hw", "a", 7 } },
	  late[] = { { "port", "b", 4 }, { "port", "new", 9 }, { "port", "a", 5 },
		     { "device hw", "a", 107 } };
	struct kv_counters *before = kv_counters_read("nosuch0", 1);
	struct kv_counters *after = kv_counters_read("nosuch0", 1);
	const char *source, *name;
	json_t *json;
	s64 value;
	u32 i;

	for (i = 0; i < KV_ARRAY_SIZE(early); i++)
		kv_counters_add(before, early[i].source, early[i].name, early[i].value);
	for (i = 0; i < KV_ARRAY_SIZE(late); i++)
		kv_counters_add(after, late[i].source, late[i].name, late[i].value);
	assert_int_equal(kv_counters_between(before, after), 3);
	assert_true(kv_counters_get(before, 1, &source, &name, &value));
	assert_string_equal(source, "port");
	assert_string_equal(name, "b");
	assert_int_equal(value, -6);
	json = kv_json_counters(before);
	assert_int_equal(json_integer_value(json_object_get(json_object_get(json, "device hw"),
							    "a")), 100);
	assert_int_equal(json_integer_value(json_object_get(json_object_get(json, "port"), "a")),
			 0);
	json_decref(json);
	kv_counters_free(before);
	kv_counters_free(after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_device),
		cmocka_unit_test(test_differences),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
