// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The histogram against exact arithmetic. */
#include "plain.h"
#include <math.h>

#define VALUE_END	(1ULL << KV_HIST_VALUE_BITS)
#define VALUES		1000000

static struct kv_hist hist;

static void test_buckets_tile_the_range(void **state)
{
	u64 next = 0;
	u32 i;

	for (i = 0; i < KV_HIST_BUCKETS; i++) {
		u64 low = kv_hist_low(i), high = kv_hist_high(i);

		assert_int_equal(low, next);
		assert_true(high >= low);
		assert_int_equal(kv_hist_index(low), i);
		assert_int_equal(kv_hist_index(high), i);
		assert_int_equal(kv_hist_index(low + (high - low) / 2), i);
		/* three significant digits */
		assert_true((high - low) * KV_HIST_SUB <= low);
		next = high + 1;
	}
	assert_int_equal(next, VALUE_END);
}

static void test_small_values_are_exact(void **state)
{
	u32 v;

	for (v = 0; v < 2 * KV_HIST_SUB; v++) {
		assert_int_equal(kv_hist_index(v), v);
		assert_int_equal(kv_hist_low(v), v);
		assert_int_equal(kv_hist_high(v), v);
	}
}

static void test_round_trip_of_any_value(void **state)
{
	u64 seed = 1, v;
	u32 i, at;

	for (i = 0; i < VALUES; i++) {
		v = test_random(&seed);
		v >>= 64 - KV_HIST_VALUE_BITS + test_random(&seed) % KV_HIST_VALUE_BITS;
		at = kv_hist_index(v);
		assert_true(at < KV_HIST_BUCKETS);
		assert_true(kv_hist_low(at) <= v && v <= kv_hist_high(at));
	}
	for (i = 0; i < KV_HIST_VALUE_BITS; i++) {
		v = 1ULL << i;
		assert_true(kv_hist_low(kv_hist_index(v)) == v);
		if (v - 1)
			assert_true(kv_hist_high(kv_hist_index(v - 1)) == v - 1);
	}
}

static void test_empty(void **state)
{
	memset(&hist, 0xa5, sizeof(hist));
	kv_hist_clear(&hist);
	assert_int_equal(hist.count, 0);
	assert_int_equal(hist.sum, 0);
	assert_int_equal(hist.over, 0);
	assert_int_equal(hist.max, 0);
	assert_true(hist.min == ~0ULL);
	assert_int_equal(hist.bucket[0], 0);
	assert_int_equal(hist.bucket[KV_HIST_BUCKETS - 1], 0);
	assert_int_equal(kv_hist_quantile(&hist, 1, 2), 0);
	assert_int_equal(kv_hist_quantile(&hist, 0, 1), 0);
	assert_int_equal(kv_hist_quantile(&hist, 1, 1), 0);
}

static void test_one_value(void **state)
{
	static const u64 values[] = { 0, 1, 2047, 2048, 1234567, VALUE_END - 1 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(values); i++) {
		kv_hist_clear(&hist);
		kv_hist_add(&hist, values[i]);
		assert_int_equal(hist.count, 1);
		assert_int_equal(hist.sum, values[i]);
		assert_int_equal(hist.min, values[i]);
		assert_int_equal(hist.max, values[i]);
		assert_int_equal(hist.over, 0);
		assert_int_equal(kv_hist_quantile(&hist, 0, 1), values[i]);
		assert_int_equal(kv_hist_quantile(&hist, 1, 2), values[i]);
		assert_int_equal(kv_hist_quantile(&hist, 1, 1), values[i]);
	}
}

static void test_overflow_is_counted(void **state)
{
	u64 in_buckets = 0;
	u32 i;

	kv_hist_clear(&hist);
	kv_hist_add(&hist, 100);
	kv_hist_add(&hist, VALUE_END - 1);
	kv_hist_add(&hist, VALUE_END);
	kv_hist_add(&hist, ~0ULL >> 1);
	assert_int_equal(hist.count, 4);
	assert_int_equal(hist.over, 2);
	assert_int_equal(hist.min, 100);
	assert_true(hist.max == ~0ULL >> 1);
	for (i = 0; i < KV_HIST_BUCKETS; i++)
		in_buckets += hist.bucket[i];
	assert_int_equal(in_buckets + hist.over, hist.count);
	/* a rank that lies in no bucket: the largest is all that is known */
	assert_true(kv_hist_quantile(&hist, 3, 4) == hist.max);
	assert_true(kv_hist_quantile(&hist, 1, 1) == hist.max);
	assert_int_equal(kv_hist_quantile(&hist, 1, 4), 100);
}

static void test_quantile_of_huge_counts(void **state)
{
	kv_hist_clear(&hist);
	/* 10^18 values: count * num does not fit 64 bits */
	hist.count = 1000000000000000000ULL;
	hist.bucket[10] = 999990000000000000ULL;
	hist.bucket[20] = 10000000000000ULL;
	hist.min = 10;
	hist.max = 20;
	assert_int_equal(kv_hist_quantile(&hist, 500000, 1000000), 10);
	assert_int_equal(kv_hist_quantile(&hist, 999990, 1000000), 10);
	assert_int_equal(kv_hist_quantile(&hist, 999991, 1000000), 20);
}

static void test_quantile_is_nearest_rank(void **state)
{
	u32 i;

	kv_hist_clear(&hist);
	for (i = 1; i <= 10; i++)
		kv_hist_add(&hist, i * 100);
	assert_int_equal(kv_hist_quantile(&hist, 0, 100), 100);
	assert_int_equal(kv_hist_quantile(&hist, 10, 100), 100);
	assert_int_equal(kv_hist_quantile(&hist, 11, 100), 200);
	assert_int_equal(kv_hist_quantile(&hist, 50, 100), 500);
	assert_int_equal(kv_hist_quantile(&hist, 51, 100), 600);
	assert_int_equal(kv_hist_quantile(&hist, 90, 100), 900);
	assert_int_equal(kv_hist_quantile(&hist, 99, 100), 1000);
	assert_int_equal(kv_hist_quantile(&hist, 100, 100), 1000);
}

static int compare_u64(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static double uniform(u64 *seed)
{
	return ((test_random(seed) >> 11) + 1) / 9007199254740993.0;
}

/* shapes that latencies take */
static u64 draw(u32 kind, u64 *seed)
{
	switch (kind) {
	case 0: /* anything below 10^6 */
		return test_random(seed) % 1000000;
	case 1: /* exponential around 2000 */
		return (u64)(-2000 * log(uniform(seed)));
	case 2: /* heavy tail */
		return (u64)(500 / pow(uniform(seed), 1.5)) % VALUE_END;
	case 3: /* two modes, far apart */
		return test_random(seed) % 100 ? 1500 + test_random(seed) % 50 :
						 4000000 + test_random(seed) % 100000;
	case 4: /* all the same */
		return 123456789;
	default: /* small, many ties */
		return test_random(seed) % 7;
	}
}

static void test_quantiles_against_sorting(void **state)
{
	static const u32 shares[] = {
		1, 1000, 10000, 250000, 500000, 750000, 900000, 990000,
		999000, 999900, 999990, 999999, 1000000
	};
	u64 *v = malloc(VALUES * sizeof(*v));
	u64 seed = 42, sum, exact, got, rank;
	u32 kind, i;

	assert_non_null(v);
	for (kind = 0; kind < 6; kind++) {
		kv_hist_clear(&hist);
		sum = 0;
		for (i = 0; i < VALUES; i++) {
			v[i] = draw(kind, &seed);
			sum += v[i];
			kv_hist_add(&hist, v[i]);
		}
		qsort(v, VALUES, sizeof(*v), compare_u64);
		assert_int_equal(hist.count, VALUES);
		assert_int_equal(hist.sum, sum);
		assert_int_equal(hist.min, v[0]);
		assert_int_equal(hist.max, v[VALUES - 1]);
		assert_int_equal(hist.over, 0);
		assert_int_equal(kv_hist_quantile(&hist, 1, 1), v[VALUES - 1]);
		for (i = 0; i < ARRAY_SIZE(shares); i++) {
			rank = ((u64)VALUES * shares[i] + 999999) / 1000000;
			exact = v[rank - 1];
			got = kv_hist_quantile(&hist, shares[i], 1000000);
			/* below 0.1 % away, and exact where a bucket is one value */
			assert_true((got > exact ? got - exact : exact - got) * 1000 <= exact);
			if (exact < 2 * KV_HIST_SUB)
				assert_int_equal(got, exact);
		}
	}
	free(v);
}

static void test_quantile_within_smallest_and_largest(void **state)
{
	u64 low = kv_hist_low(20000), high = kv_hist_high(20000);

	/* all values in the upper end of one wide bucket, then in the lower */
	kv_hist_clear(&hist);
	kv_hist_add(&hist, high);
	kv_hist_add(&hist, high);
	kv_hist_add(&hist, high);
	assert_int_equal(kv_hist_quantile(&hist, 1, 2), high);
	kv_hist_clear(&hist);
	kv_hist_add(&hist, low);
	kv_hist_add(&hist, low);
	kv_hist_add(&hist, low);
	assert_int_equal(kv_hist_quantile(&hist, 1, 2), low);
}

static void test_ticks_to_ns(void **state)
{
	static const u32 mults[] = { 1, 1U << 24, 5592405, 16777, ~0U };
	u64 seed = 7, ticks, got, exact;
	u32 i, j, shift;

	for (i = 0; i < ARRAY_SIZE(mults); i++) {
		for (shift = 8; shift <= 32; shift++) {
			for (j = 0; j < 1000; j++) {
				ticks = test_random(&seed) >> (16 + j % 48);
				exact = (u64)((unsigned __int128)ticks * mults[i] >> shift);
				if ((unsigned __int128)ticks * mults[i] >> shift != exact)
					continue;
				got = kv_clock_ns(ticks, mults[i], shift);
				assert_true(got <= exact && exact - got < 2);
			}
		}
	}
}

static void test_cpu_clock_goes_on(void **state)
{
	u64 a, b;

	if (!KV_HAVE_CPU_CLOCK)
		skip();
	a = kv_cpu_clock();
	b = kv_cpu_clock();
	assert_true(b - a < 1ULL << 40);
	assert_true(a != 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buckets_tile_the_range),
		cmocka_unit_test(test_small_values_are_exact),
		cmocka_unit_test(test_round_trip_of_any_value),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_one_value),
		cmocka_unit_test(test_overflow_is_counted),
		cmocka_unit_test(test_quantile_of_huge_counts),
		cmocka_unit_test(test_quantile_is_nearest_rank),
		cmocka_unit_test(test_quantiles_against_sorting),
		cmocka_unit_test(test_quantile_within_smallest_and_largest),
		cmocka_unit_test(test_ticks_to_ns),
		cmocka_unit_test(test_cpu_clock_goes_on),
	};

	return cmocka_run_group_tests_name("hist", tests, NULL, NULL);
}
