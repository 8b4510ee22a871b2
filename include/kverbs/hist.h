/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Log-linear histogram of u64 values, fixed in size however many it takes.
 *
 * Values below 2 * KV_HIST_SUB have a bucket each. Above, every doubling is cut
 * into KV_HIST_SUB buckets, so a bucket is never wider than 1/1024 of its lower
 * bound: three significant digits. Count, sum, smallest and largest are exact.
 *
 * Plain C without headers: the includer defines u32 and u64 first.
 */
#ifndef _KVERBS_HIST_H
#define _KVERBS_HIST_H

#define KV_HIST_SUB_BITS	10
#define KV_HIST_SUB		(1U << KV_HIST_SUB_BITS)
#define KV_HIST_VALUE_BITS	40	/* values of 2^40 and more go to ->over */
#define KV_HIST_BUCKETS		((KV_HIST_VALUE_BITS - KV_HIST_SUB_BITS + 1) * \
				 KV_HIST_SUB)

/**
 * struct kv_hist - histogram
 * @count: values added, those in @over too
 * @sum: their sum
 * @min: the smallest, ~0 when empty
 * @max: the largest
 * @over: values of 2^KV_HIST_VALUE_BITS and more, in no bucket
 * @bucket: values by bucket
 */
struct kv_hist {
	u64 count;
	u64 sum;
	u64 min;
	u64 max;
	u64 over;
	u64 bucket[KV_HIST_BUCKETS];
};

/**
 * kv_hist_clear - empty a histogram
 * @h: histogram
 */
static inline void kv_hist_clear(struct kv_hist *h)
{
	u32 i;

	h->count = 0;
	h->sum = 0;
	h->min = ~0ULL;
	h->max = 0;
	h->over = 0;
	for (i = 0; i < KV_HIST_BUCKETS; i++)
		h->bucket[i] = 0;
}

/**
 * kv_hist_is_exact - has a value a bucket of its own?
 * @v: value, any
 * Return: 1 when its bucket is @v, else 0
 */
static inline u32 kv_hist_is_exact(u64 v)
{
	return v < 2 * KV_HIST_SUB;
}

/**
 * kv_hist_index - bucket of a value
 * @v: value, below 2^KV_HIST_VALUE_BITS
 * Return: index, 0 to KV_HIST_BUCKETS - 1
 */
static inline u32 kv_hist_index(u64 v)
{
	u32 shift;

	if (kv_hist_is_exact(v))
		return (u32)v;
	shift = 63 - KV_HIST_SUB_BITS - (u32)__builtin_clzll(v);
	return (shift << KV_HIST_SUB_BITS) + (u32)(v >> shift);
}

/**
 * kv_hist_low - lower bound of a bucket
 * @index: 0 to KV_HIST_BUCKETS - 1
 * Return: the smallest value that falls into it
 */
static inline u64 kv_hist_low(u32 index)
{
	u32 shift;

	if (index < 2 * KV_HIST_SUB)
		return index;
	shift = (index >> KV_HIST_SUB_BITS) - 1;
	return (u64)(index - (shift << KV_HIST_SUB_BITS)) << shift;
}

/**
 * kv_hist_high - upper bound of a bucket
 * @index: 0 to KV_HIST_BUCKETS - 1
 * Return: the largest value that falls into it
 */
static inline u64 kv_hist_high(u32 index)
{
	u32 shift;

	if (index < 2 * KV_HIST_SUB)
		return index;
	shift = (index >> KV_HIST_SUB_BITS) - 1;
	return kv_hist_low(index) + (1ULL << shift) - 1;
}

/**
 * kv_hist_place - count a value, but for the totals
 * @h: histogram
 * @v: value, any
 */
static inline void kv_hist_place(struct kv_hist *h, u64 v)
{
	if (v < h->min)
		h->min = v;
	if (v > h->max)
		h->max = v;
	/* most are small, and ask for nothing else */
	if (kv_hist_is_exact(v))
		h->bucket[v]++;
	else if (v >> KV_HIST_VALUE_BITS)
		h->over++;
	else
		h->bucket[kv_hist_index(v)]++;
}

/**
 * kv_hist_total - the totals of values that were placed
 * @h: histogram
 * @n: how many
 * @sum: of them
 */
static inline void kv_hist_total(struct kv_hist *h, u64 n, u64 sum)
{
	h->count += n;
	h->sum += sum;
}

/**
 * kv_hist_add - count a value
 * @h: histogram
 * @v: value, any
 */
static inline void kv_hist_add(struct kv_hist *h, u64 v)
{
	kv_hist_place(h, v);
	kv_hist_total(h, 1, v);
}

/**
 * kv_hist_quantile - value below or at which a share of the values lies
 * @h: histogram
 * @num: numerator of the share
 * @den: denominator of the share, not 0; num <= den <= 10^6
 *
 * The nearest-rank definition: the value of rank ceil(count * num / den),
 * exact to its bucket. The middle of the bucket is returned, within the true
 * smallest and largest.
 *
 * Return: value; 0 when the histogram is empty
 */
static inline u64 kv_hist_quantile(const struct kv_hist *h, u32 num, u32 den)
{
	u64 rank, seen = 0, v;
	u32 i;

	if (!h->count)
		return 0;
	/* count / den first: the product of the two may not fit */
	rank = h->count / den * num + (h->count % den * num + den - 1) / den;
	if (!rank)
		rank = 1;
	if (rank >= h->count)
		return h->max;
	for (i = 0; i < KV_HIST_BUCKETS; i++) {
		seen += h->bucket[i];
		if (seen < rank)
			continue;
		v = kv_hist_low(i) + (kv_hist_high(i) - kv_hist_low(i)) / 2;
		if (v < h->min)
			return h->min;
		return v > h->max ? h->max : v;
	}
	return h->max;
}

#endif /* _KVERBS_HIST_H */
