/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Reports of intervals of a run under way, from its counters and histograms as they
 * are at the end of each.
 */
#ifndef KV_INTERVAL_H
#define KV_INTERVAL_H

#include <stdbool.h>
#include <stdio.h>
#include <jansson.h>
#include "summary.h"

struct kv_intervals;

/**
 * struct kv_moment - a run under way
 * @metric: that it is about
 * @retired: WRs that the initiators have retired
 * @open: the measured window is
 */
struct kv_moment {
	u32 metric;
	u64 retired;
	bool open;
};

void kv_moment_read(const struct kv_result *now, struct kv_hist *hist, struct kv_moment *moment);

struct kv_intervals *kv_intervals_new(u32 ms, FILE *text);
void kv_intervals_free(struct kv_intervals *intervals);
u32 kv_intervals_ms(const struct kv_intervals *intervals);
bool kv_intervals_take(struct kv_intervals *intervals, const struct kv_result *now, double at_s);
json_t *kv_json_intervals(const struct kv_intervals *intervals);

#endif /* KV_INTERVAL_H */
