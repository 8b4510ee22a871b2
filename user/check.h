/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Closure checks: sums that must agree if the measurement is to be believed.
 */
#ifndef KV_CHECK_H
#define KV_CHECK_H

#include <stdbool.h>
#include "engine.h"

#define KV_CHECK_TOLERANCE	0.02

/**
 * struct kv_check - one check
 * @done: how often it could be made
 * @failed: how often it failed
 * @worst: the largest relative difference
 * @text: the first failure
 */
struct kv_check {
	const char *name;
	u32 done;
	u32 failed;
	double worst;
	char text[160];
};

enum kv_check_id {
	KV_CHECK_LITTLE,	/* outstanding = rate x mean lat */
	KV_CHECK_TIME,		/* post + poll + empty + rest = wall */
	KV_CHECK_RETIRED,	/* every WR posted was retired */
	KV_CHECK_WCS,		/* every signalled WR completed */
	KV_CHECK_MESSAGES,	/* every message sent was received */
	KV_CHECK_COUNT,		/* as many operations as asked */
	KV_CHECKS,
};

struct kv_checks {
	struct kv_check check[KV_CHECKS];
};

u32 kv_check_result(const struct kv_result *result, struct kv_checks *checks);

#endif /* KV_CHECK_H */
