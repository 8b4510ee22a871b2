/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Inference from few values whose distribution is not known: rank tests, the
 * intervals that belong to them, and what they allow to be said. Pure functions.
 */
#ifndef KV_INFER_H
#define KV_INFER_H

#include <stdbool.h>
#include "side.h"

#define KV_LEVEL	0.95
#define KV_INFER_LEAST	6	/* differences: no 95 % interval exists of fewer */
#define KV_INFER_EXACT	30	/* from so many values on, the normal approximation */

/**
 * struct kv_infer - a shift: how large, how sure
 * @n: values it rests on, of the smaller side where there are two
 * @estimate: Hodges-Lehmann; NaN without values
 * @low: of the interval; NaN where none of that level exists
 * @high: likewise
 * @level: asked for; the interval covers at least that
 * @p: of no shift at all, two-sided; a caller may put one in that is adjusted
 */
struct kv_infer {
	u32 n;
	double estimate;
	double low;
	double high;
	double level;
	double p;
};

/* what may be said */
enum kv_finding {
	KV_TOO_FEW,	/* no interval of that level exists */
	KV_DIFFERENT,
	KV_SAME,	/* within a margin */
	KV_UNDECIDED,
	KV_FINDINGS,
};

double kv_infer_median(double *value, u32 n);
int kv_infer_paired(const double *difference, u32 n, double level, struct kv_infer *out);
int kv_infer_two(const double *a, u32 na, const double *b, u32 nb, double level,
		 struct kv_infer *out);
void kv_infer_holm(double *p, u32 n);
enum kv_finding kv_infer_finding(const struct kv_infer *infer, double margin);
const char *kv_finding_name(u32 finding);

#endif /* KV_INFER_H */
