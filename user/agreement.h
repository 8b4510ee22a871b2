/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Two clocks on the same calls: the tracer's on the driver's post function, and that of
 * kverbs' loop on the post which the call is in. What the post is longer by is a reading
 * of the loop's clock, and that part of the tracer's own work which the tracer does not
 * count; it can be no more than all that tracing adds to a call.
 */
#ifndef KV_AGREEMENT_H
#define KV_AGREEMENT_H

#include <stdbool.h>
#include "summary.h"
#include "symbols.h"

/**
 * struct kv_agreement - how far they agree
 * @known: function of which tracing's overhead is measured; without a name: none
 * @plain: ticks of a call of it, not traced
 * @traced: likewise, traced
 * @posts: samples of the metric post in which a call was seen
 * @within: of them, those whose call took no longer than the post
 * @calls: how long these calls took, in the unit of the run's clock
 * @outside: how much longer the post is
 * @rate: of the tracer's clock to that of the run, by which @calls are divided
 * @reading: a reading of the run's clock: less than that @outside cannot be
 * @overhead: what tracing adds to a call; more than that and @reading it cannot be,
 *	where nothing else comes between, an interrupt for one. It is not the
 *	difference of a run that is traced and one that is not: they differ by what
 *	else goes on.
 * @explained: posts that are longer by no more than that
 * @judged: there are posts enough, and the overhead is known
 * @agree: every call is within its post, and the least of @outside between the two
 */
struct kv_agreement {
	struct kv_function known;
	double plain;
	double traced;
	u64 posts;
	u64 within;
	struct kv_figure calls;
	struct kv_figure outside;
	double rate;
	double reading;
	double overhead;
	u64 explained;
	bool judged;
	bool agree;
};

struct kv_trace;
struct kv_trace_run;

bool kv_agreement_find(struct kv_trace *trace);
void kv_agreement_traced(struct kv_agreement *agreement);
void kv_agreement_take(struct kv_trace *trace, const struct kv_trace_run *run);

#endif /* KV_AGREEMENT_H */
