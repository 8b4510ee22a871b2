/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Where the time of an operation goes, from its post to its completion, or to the answer
 * of a ping-pong: each moment of it is given to what the CPU did that took the completion,
 * so that the shares add up.
 */
#ifndef KV_SHARES_H
#define KV_SHARES_H

#include <stdbool.h>
#include <event-parse.h>
#include "summary.h"

/* in the order of a table; of a moment the label is of the innermost that is under way */
enum kv_share {
	KV_SHARE_DRIVER,	/* the driver's post function */
	KV_SHARE_POST,		/* of the post what is not that */
	KV_SHARE_POLL,		/* the driver's poll function */
	KV_SHARE_LANE,		/* the lane's thread otherwise */
	KV_SHARE_IRQ,
	KV_SHARE_SOFTIRQ,
	KV_SHARE_WORK,		/* a workqueue */
	KV_SHARE_WAKE,		/* a thread of ours was woken, and did not run yet */
	KV_SHARE_OTHER,		/* other threads */
	KV_SHARE_IDLE,
	KV_SHARE_UNSEEN,	/* between a clock reading and its event */
	KV_SHARES,
};

/**
 * struct kv_share_name - how a share is called
 * @key: in JSON, without the unit
 * @what: in a table
 */
struct kv_share_name {
	const char *key;
	const char *what;
};

extern const struct kv_share_name kv_share_names[KV_SHARES];

/**
 * struct kv_shares - sums over operations
 * @count: operations that were seen from the post to the completion
 * @metric: that is shared out: lat, or rtt where there is none
 * @plain: its mean in the run without tracing
 * @refused: why there are none, or empty
 * @sum: of each share, in the unit of the clock; they add up to @lat
 * @lat: of these operations, by kverbs
 * @torn: others, left out: something came between a clock reading and its event, which
 *	is then no event of that time
 * @elsewhere: operations whose completion was taken on another CPU than their post
 * @driver: the driver's functions were seen
 */
struct kv_shares {
	u64 count;
	u32 metric;
	double plain;
	char refused[192];
	double sum[KV_SHARES];
	double lat;
	u64 torn;
	u64 elsewhere;
	bool driver;
};

struct kv_trace;
struct kv_trace_run;

const char *const *kv_shares_events(char missing[160]);
bool kv_shares_of(const struct kv_trace_run *plain, struct kv_shares *shares);
bool kv_shares_take(struct kv_trace *trace, const struct kv_trace_run *run,
		    struct kv_shares *shares);

#endif /* KV_SHARES_H */
