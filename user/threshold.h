/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Thresholds: what a figure must not exceed, or must reach. Pure functions.
 */
#ifndef KV_THRESHOLD_H
#define KV_THRESHOLD_H

#include "summary.h"

/* what a threshold is about, each an option */
enum kv_threshold {
	KV_MAX_P50,		/* of lat, or of rtt for pingpong; ns */
	KV_MAX_P99,
	KV_MAX_P999,
	KV_MAX_MEAN,
	KV_MIN_RATE,		/* operations a second */
	KV_MIN_BW,		/* payload bits a second */
	KV_THRESHOLDS,
};

enum kv_met {
	KV_MET,
	KV_MISSED,
	KV_UNKNOWN,	/* there is no such figure: too few samples */
};

/**
 * struct kv_threshold_rule - one option
 * @name: of the option
 * @figure: what it is about, in words
 * @key: the same in JSON, with its unit
 * @rate: the figure must reach the limit; else it must not exceed it
 */
struct kv_threshold_rule {
	const char *name;
	const char *figure;
	const char *key;
	bool rate;
};

extern const struct kv_threshold_rule kv_threshold_rules[KV_THRESHOLDS];

/**
 * struct kv_thresholds - those that were asked for
 * @given: by enum kv_threshold
 * @limit: in the unit of its figure
 */
struct kv_thresholds {
	bool given[KV_THRESHOLDS];
	double limit[KV_THRESHOLDS];
};

int kv_threshold_parse(struct kv_thresholds *thresholds, u32 which, const char *text,
		       struct kv_error *error);
double kv_threshold_value(const struct kv_summary *summary, u32 which);
enum kv_met kv_threshold_met(const struct kv_thresholds *thresholds,
			     const struct kv_summary *summary, u32 which);
int kv_threshold_status(const struct kv_thresholds *thresholds, const struct kv_summary *summary,
			char *text, size_t size);
int kv_threshold_possible(const struct kv_thresholds *thresholds, const struct kv_job *job,
			  struct kv_error *error);

#endif /* KV_THRESHOLD_H */
