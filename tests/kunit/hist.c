// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * KUnit: the histogram as the kernel's compiler makes it. tests/unit holds it against exact
 * arithmetic.
 */
#include <linux/bits.h>
#include <linux/slab.h>

#include "side.h"
#include "suites.h"

#define HIST_END	BIT_ULL(KV_HIST_VALUE_BITS)

/* each bucket begins where the one before ends, and the last where values end */
static void hist_tiles(struct kunit *test)
{
	u64 next = 0, low, high;
	u32 i;

	for (i = 0; i < KV_HIST_BUCKETS; i++) {
		low = kv_hist_low(i);
		high = kv_hist_high(i);
		if (low != next || high < low || kv_hist_index(low) != i ||
		    kv_hist_index(high) != i || (high - low) * KV_HIST_SUB > low)
			break;
		next = high + 1;
	}
	KUNIT_EXPECT_EQ(test, i, (u32)KV_HIST_BUCKETS);
	KUNIT_EXPECT_EQ(test, next, HIST_END);
}

struct hist_case {
	const char *name;
	u64 value[5];
	u32 n;
	u64 sum, min, max, over;
	u64 p0, p50, p100;
};

static const struct hist_case hist_cases[] = {
	{ "empty", { }, 0, .min = ~0ULL },
	{ "one", { 7 }, 1, 7, 7, 7, 0, 7, 7, 7 },
	{ "zero", { 0 }, 1, 0, 0, 0, 0, 0, 0, 0 },
	{ "exact", { 5, 1, 2047, 3, 4 }, 5, 2060, 1, 2047, 0, 1, 4, 2047 },
	{ "even", { 10, 20, 30, 40 }, 4, 100, 10, 40, 0, 10, 20, 40 },
	/* the first bucket of two values; its middle is no less than the smallest */
	{ "shared", { 2049, 2049 }, 2, 4098, 2049, 2049, 0, 2049, 2049, 2049 },
	{ "last bucket", { HIST_END - 1 }, 1, HIST_END - 1, HIST_END - 1, HIST_END - 1, 0,
	  HIST_END - 1, HIST_END - 1, HIST_END - 1 },
	{ "over", { 1, HIST_END, ~0ULL / 2 }, 3, HIST_END + ~0ULL / 2 + 1, 1, ~0ULL / 2, 2,
	  1, ~0ULL / 2, ~0ULL / 2 },
};

static void hist_name(const struct hist_case *c, char *text)
{
	strscpy(text, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(hist, hist_cases, hist_name);

static void hist_counts(struct kunit *test)
{
	const struct hist_case *c = test->param_value;
	struct kv_hist *h = kvmalloc(sizeof(*h), GFP_KERNEL);
	u64 placed = 0;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, h);
	memset(h, 0x5a, sizeof(*h));
	kv_hist_clear(h);
	for (i = 0; i < c->n; i++)
		kv_hist_add(h, c->value[i]);
	for (i = 0; i < KV_HIST_BUCKETS; i++)
		placed += h->bucket[i];
	KUNIT_EXPECT_EQ(test, h->count, (u64)c->n);
	KUNIT_EXPECT_EQ(test, h->sum, c->sum);
	KUNIT_EXPECT_EQ(test, h->min, c->min);
	KUNIT_EXPECT_EQ(test, h->max, c->max);
	KUNIT_EXPECT_EQ(test, h->over, c->over);
	KUNIT_EXPECT_EQ(test, placed + h->over, h->count);
	KUNIT_EXPECT_EQ(test, kv_hist_quantile(h, 0, 1), c->p0);
	KUNIT_EXPECT_EQ(test, kv_hist_quantile(h, 1, 2), c->p50);
	KUNIT_EXPECT_EQ(test, kv_hist_quantile(h, 1, 1), c->p100);
	kvfree(h);
}

static struct kunit_case hist_tests[] = {
	KUNIT_CASE(hist_tiles),
	KUNIT_CASE_PARAM(hist_counts, hist_gen_params),
	{ }
};

struct kunit_suite kv_hist_suite = {
	.name = "kverbs_histogram",
	.test_cases = hist_tests,
};
