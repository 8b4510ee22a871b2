/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A histogram as it stands in a document: the buckets that hold something, in the
 * unit of the figures. Pure functions.
 */
#ifndef KV_SPARSE_H
#define KV_SPARSE_H

#include <stdbool.h>
#include "engine.h"

struct kv_sparse_bucket {
	u64 low;
	u64 high;
	u64 count;
};

/**
 * struct kv_sparse - histogram
 * @count: samples, those in @over too
 * @sum: of all
 * @min: the smallest, when there is a sample
 * @max: the largest
 * @over: samples too large for a bucket
 * @n: entries of @bucket
 * @room: that it has space for
 * @bucket: in ascending order
 */
struct kv_sparse {
	u64 count;
	u64 sum;
	u64 min;
	u64 max;
	u64 over;
	u32 n;
	u32 room;
	struct kv_sparse_bucket *bucket;
};

int kv_sparse_add(struct kv_sparse *sparse, u64 low, u64 high, u64 count);
int kv_sparse_merge(struct kv_sparse *into, const struct kv_sparse *from);
void kv_sparse_clear(struct kv_sparse *sparse);
double kv_sparse_quantile(const struct kv_sparse *sparse, double share);
double kv_sparse_mean(const struct kv_sparse *sparse);
double kv_sparse_deviation(const struct kv_sparse *sparse);

#endif /* KV_SPARSE_H */
