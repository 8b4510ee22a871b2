/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * From a result to figures: what the outputs show. Pure functions.
 */
#ifndef KV_SUMMARY_H
#define KV_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include "engine.h"

#define KV_STEADY	0.99	/* least share of the intended starts in steady state */

/**
 * struct kv_figure - one metric, in the unit of its clock
 *
 * A percentile p is given from 10 / (1 - p) samples on, else it is NaN; all are
 * NaN without a sample. Of instructions the median is given from one sample on,
 * since every sample that nothing disturbed and that took the usual path is the
 * same number; and the samples are divided into three:
 *
 * @same: the median
 * @other: another path through the code
 * @disturbed: hit by an interrupt, the timer tick for one
 * @width: numbers that the median's bucket does not tell apart, 1: exact
 */
struct kv_figure {
	u64 count;
	double min;
	double mean;
	double p50;
	double p90;
	double p99;
	double p999;
	double max;
	u64 same;
	u64 other;
	u64 disturbed;
	u64 width;
};

/**
 * struct kv_summary - one run
 * @metric: over the initiators, or over the responders where only they have it
 * @ops: operations of all initiators
 * @ops_s: operations a second, summed over the initiators
 * @bytes_s: payload bytes a second
 * @window_s: the longest window of an initiator
 * @outstanding: mean number of WRs outstanding, all initiators
 * @post_wr: mean of post, of instructions its median, divided by the WRs of a chain
 * @op_ns: window over operations, of one initiator on average
 * @share_post: share of the initiators' window in post calls; NaN when not timed
 * @share_poll: likewise in polls that returned a WC
 * @share_empty: likewise in empty polls and waits
 * @share_rest: likewise in the rest
 * @warm_ms: the longest warm-up
 * @warm_ops: operations of all warm-ups
 * @unsettled: no two windows of a warm-up agreed
 * @lost: messages sent that never came, warm-up included
 * @delivered: messages that came at the responders, in their windows
 * @delivered_s: likewise a second of the initiators' window; NaN without any
 * @sent: WRs posted by the initiators, in their windows
 * @flushed: WRs that were, by shape recover
 * @srq_limits: events of SRQs that had few receives left
 * @unsent: paced: intended starts that were not posted
 * @achieved: paced: share of the intended starts that were posted; else NaN
 * @pmu: events that the PMU counted of all initiators, and how, by kverbs/pmu.h
 * @instructions: an operation, of the initiators' threads; NaN when not counted
 * @cycles: likewise
 * @cache_misses: likewise
 * @cpu_ns: CPU time an operation, warm-up included, of the initiators' threads
 * @peer_cpu_ns: of the responders' threads; NaN without any
 * @yields: of all lanes, like those that follow
 */
struct kv_summary {
	struct kv_figure metric[__KVERBS_METRIC_MAX];
	u64 ops;
	double ops_s;
	double bytes_s;
	double window_s;
	double outstanding;
	double post_wr;
	double op_ns;
	double share_post;
	double share_poll;
	double share_empty;
	double share_rest;
	double warm_ms;
	u64 warm_ops;
	bool unsettled;
	u64 lost;
	u64 delivered;
	double delivered_s;
	u64 sent;
	u64 flushed;
	u64 srq_limits;
	u64 unsent;
	double achieved;
	u64 pmu;
	double instructions;
	double cycles;
	double cache_misses;
	double cpu_ns;
	double peer_cpu_ns;
	u64 yields;
	u64 tainted;
	u64 backwards;
	u64 switches;
	u64 preemptions;
};

#define KV_FIGURE_MEMBERS	7

/* the values of a figure, as they are called in JSON, the smallest first */
struct kv_figure_member {
	const char *name;
	size_t offset;
};

extern const struct kv_figure_member kv_figure_members[KV_FIGURE_MEMBERS];

static inline double *kv_figure_value(struct kv_figure *figure, u32 i)
{
	return (double *)((char *)figure + kv_figure_members[i].offset);
}

double kv_ticks_ns(const struct kv_clock_info *clock, double ticks);
void kv_figure_of(const struct kv_hist *hist, const struct kv_clock_info *clock,
		  struct kv_figure *figure);
void kv_metric_merge(const struct kv_result *result, u32 metric, struct kv_hist *into);
void kv_hist_merge(struct kv_hist *into, const struct kv_hist *from);

/* paced: the queue grew as long as the run lasted, so that no percentile stands for it */
static inline bool kv_is_overloaded(const struct kv_summary *summary)
{
	return summary->achieved < KV_STEADY;
}

#define KV_MAIN_METRICS	6
extern const u32 kv_main_metrics[KV_MAIN_METRICS];

u32 kv_main_metric(const struct kv_summary *summary);
u64 kv_operations(const struct kv_result *result);
void kv_summarize(const struct kv_result *result, struct kv_summary *summary);

#endif /* KV_SUMMARY_H */
