// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "sparse.h"

/**
 * kv_sparse_add - one more bucket, not below those there are
 * @sparse: histogram
 * @low: smallest value of the bucket
 * @high: largest
 * @count: samples in it
 * Return: 0, or -1 without memory
 */
int kv_sparse_add(struct kv_sparse *sparse, u64 low, u64 high, u64 count)
{
	struct kv_sparse_bucket *more;

	/* buckets of a fast clock that are less than a ns wide: one here */
	if (sparse->n && sparse->bucket[sparse->n - 1].low == low) {
		more = &sparse->bucket[sparse->n - 1];
		more->count += count;
		more->high = high > more->high ? high : more->high;
		return 0;
	}
	if (sparse->n == sparse->room) {
		u32 room = sparse->room ? 2 * sparse->room : 64;

		more = reallocarray(sparse->bucket, room, sizeof(*more));
		if (!more)
			return -1;
		sparse->bucket = more;
		sparse->room = room;
	}
	sparse->bucket[sparse->n++] = (struct kv_sparse_bucket){ low, high, count };
	return 0;
}

/**
 * kv_sparse_merge - add the samples of another histogram
 * @into: histogram
 * @from: the other
 * Return: 0, or -1 without memory, @into as it was
 */
int kv_sparse_merge(struct kv_sparse *into, const struct kv_sparse *from)
{
	struct kv_sparse all = { 0 };
	u32 a = 0, b = 0;

	while (a < into->n || b < from->n) {
		const struct kv_sparse_bucket *next;

		if (b == from->n || (a < into->n && into->bucket[a].low <= from->bucket[b].low))
			next = &into->bucket[a++];
		else
			next = &from->bucket[b++];
		if (kv_sparse_add(&all, next->low, next->high, next->count)) {
			kv_sparse_clear(&all);
			return -1;
		}
	}
	all.count = into->count + from->count;
	all.sum = into->sum + from->sum;
	all.over = into->over + from->over;
	all.min = !into->count || (from->count && from->min < into->min) ? from->min : into->min;
	all.max = from->max > into->max ? from->max : into->max;
	free(into->bucket);
	*into = all;
	return 0;
}

void kv_sparse_clear(struct kv_sparse *sparse)
{
	free(sparse->bucket);
	memset(sparse, 0, sizeof(*sparse));
}

/**
 * kv_sparse_quantile - value below or at which a share of the samples lies
 * @sparse: histogram
 * @share: 0 to 1
 * Return: the middle of the bucket of the nearest rank, within the true smallest and
 *	largest; NaN when empty
 */
double kv_sparse_quantile(const struct kv_sparse *sparse, double share)
{
	double rank = ceil((double)sparse->count * share), seen = 0, value;
	u32 i;

	if (!sparse->count)
		return NAN;
	for (i = 0; i < sparse->n; i++) {
		seen += (double)sparse->bucket[i].count;
		if (seen < rank)
			continue;
		value = (double)(sparse->bucket[i].low / 2 + sparse->bucket[i].high / 2);
		value += (double)(sparse->bucket[i].low % 2 + sparse->bucket[i].high % 2) / 2;
		return fmin(fmax(value, (double)sparse->min), (double)sparse->max);
	}
	return (double)sparse->max;
}

double kv_sparse_mean(const struct kv_sparse *sparse)
{
	return sparse->count ? (double)sparse->sum / (double)sparse->count : NAN;
}

/* standard deviation, exact to the buckets; samples in none count as the largest */
double kv_sparse_deviation(const struct kv_sparse *sparse)
{
	double mean = kv_sparse_mean(sparse), squares, away;
	u32 i;

	if (!sparse->count)
		return NAN;
	away = (double)sparse->max - mean;
	squares = away * away * (double)sparse->over;
	for (i = 0; i < sparse->n; i++) {
		const struct kv_sparse_bucket *bucket = &sparse->bucket[i];

		away = (double)bucket->low / 2 + (double)bucket->high / 2 - mean;
		squares += away * away * (double)bucket->count;
	}
	return sqrt(squares / (double)sparse->count);
}
