// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "pmu.h"
#include "summary.h"
#include "unit.h"

const struct kv_figure_member kv_figure_members[KV_FIGURE_MEMBERS] = {
	{ "min", offsetof(struct kv_figure, min) },
	{ "mean", offsetof(struct kv_figure, mean) },
	{ "p50", offsetof(struct kv_figure, p50) },
	{ "p90", offsetof(struct kv_figure, p90) },
	{ "p99", offsetof(struct kv_figure, p99) },
	{ "p99_9", offsetof(struct kv_figure, p999) },
	{ "max", offsetof(struct kv_figure, max) },
};

/* a number of ticks that need not be whole, in ns */
double kv_ticks_ns(const struct kv_clock_info *clock, double ticks)
{
	return ticks * clock->mult / (double)(1ULL << clock->shift);
}

void kv_hist_merge(struct kv_hist *into, const struct kv_hist *from)
{
	u32 i;

	into->count += from->count;
	into->sum += from->sum;
	into->over += from->over;
	if (from->min < into->min)
		into->min = from->min;
	if (from->max > into->max)
		into->max = from->max;
	for (i = 0; i < KV_HIST_BUCKETS; i++)
		into->bucket[i] += from->bucket[i];
}

/* the quantile num / den, when there are samples enough to speak of it */
static double quantile(const struct kv_hist *hist, const struct kv_clock_info *clock, u32 num,
		       u32 den)
{
	if (hist->count * (den - num) < 10ULL * den)
		return NAN;
	return (double)kv_clock_ns(kv_hist_quantile(hist, num, den), clock->mult, clock->shift);
}

/*
 * Of a clock that counts instructions: how many samples are the median, took
 * another path, or were hit by an interrupt. Nothing takes fewer instructions
 * than a path needs, so where the exact minimum lies in the median's bucket it
 * is the median.
 */
static void count_paths(const struct kv_hist *hist, struct kv_figure *figure)
{
	u64 median = kv_hist_quantile(hist, 1, 2), above;
	u32 bucket, i;

	if (median >> KV_HIST_VALUE_BITS)
		return;
	bucket = kv_hist_index(median);
	if (kv_hist_index(hist->min) == bucket)
		median = hist->min;
	above = median + KV_INSN_INTERRUPT;
	figure->p50 = (double)median;
	figure->width = hist->min == hist->max ? 1 :
			kv_hist_high(bucket) - kv_hist_low(bucket) + 1;
	figure->same = hist->bucket[bucket];
	figure->disturbed = hist->over;
	for (i = bucket + 1; i < KV_HIST_BUCKETS; i++) {
		if (kv_hist_low(i) >= above)
			figure->disturbed += hist->bucket[i];
	}
	figure->other = figure->count - figure->same - figure->disturbed;
}

/**
 * kv_figure_of - the figures of a histogram
 * @hist: in ticks, or NULL
 * @clock: of the ticks, or NULL with it
 * @figure: filled
 */
void kv_figure_of(const struct kv_hist *hist, const struct kv_clock_info *clock,
		  struct kv_figure *figure)
{
	*figure = (struct kv_figure){ 0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0, 0, 0, 0 };
	if (!hist || !hist->count)
		return;
	figure->count = hist->count;
	figure->min = (double)kv_clock_ns(hist->min, clock->mult, clock->shift);
	figure->mean = kv_ticks_ns(clock, (double)hist->sum / (double)hist->count);
	figure->p50 = quantile(hist, clock, 1, 2);
	figure->p90 = quantile(hist, clock, 9, 10);
	figure->p99 = quantile(hist, clock, 99, 100);
	figure->p999 = quantile(hist, clock, 999, 1000);
	figure->max = (double)kv_clock_ns(hist->max, clock->mult, clock->shift);
	if (clock->unit == KV_UNIT_INSN)
		count_paths(hist, figure);
}

/* whose samples of a metric count: the responders' where only they have it */
static u32 role_of(const struct kv_result *result, u32 metric)
{
	u32 i;

	for (i = 0; i < result->nlanes; i++) {
		const struct kv_hist *hist = result->lane[i].hist[metric];

		if (result->lane[i].role == KVERBS_ROLE_INITIATOR && hist && hist->count)
			return KVERBS_ROLE_INITIATOR;
	}
	return KVERBS_ROLE_RESPONDER;
}

/* add the samples that count to those there are */
void kv_metric_merge(const struct kv_result *result, u32 metric, struct kv_hist *into)
{
	u32 role = role_of(result, metric), i;

	for (i = 0; i < result->nlanes; i++) {
		if (result->lane[i].role == role && result->lane[i].hist[metric])
			kv_hist_merge(into, result->lane[i].hist[metric]);
	}
}

static void summarize_metrics(const struct kv_result *result, struct kv_summary *summary)
{
	struct kv_hist *merged = malloc(sizeof(*merged));
	u32 metric;

	for (metric = 0; metric < __KVERBS_METRIC_MAX; metric++) {
		if (merged) {
			kv_hist_clear(merged);
			kv_metric_merge(result, metric, merged);
		}
		kv_figure_of(kv_unit_has_metric(result->clock.unit, metric) ? merged : NULL,
			     &result->clock, &summary->metric[metric]);
	}
	free(merged);
}

static double share(double part, double wall, bool timed)
{
	return timed && wall > 0 ? part / wall : NAN;
}

/* an event counts when all initiators have it; how it was counted, when one says so */
static void summarize_pmu(const struct kv_result *result, struct kv_summary *summary)
{
	double sum[KV_PMU_EVENTS] = { 0 }, ops = 0, *to[KV_PMU_EVENTS] = {
		&summary->instructions, &summary->cycles, &summary->cache_misses,
	};
	u64 events = (1ULL << KV_PMU_EVENTS) - 1, flags = 0;
	const struct kv_stat *stat;
	u32 i;

	for (i = 0; i < result->nlanes; i++) {
		stat = &result->lane[i].stat;
		if (result->lane[i].role != KVERBS_ROLE_INITIATOR)
			continue;
		events &= stat->pmu_events;
		flags |= stat->pmu_events & (KV_PMU_USER_ONLY | KV_PMU_SHARED);
		ops += (double)stat->ops + (double)stat->warm_ops;
		sum[0] += (double)stat->instructions;
		sum[1] += (double)stat->cycles;
		sum[2] += (double)stat->cache_misses;
	}
	for (i = 0; i < KV_PMU_EVENTS; i++)
		*to[i] = ops > 0 && (events & 1ULL << i) ? sum[i] / ops : NAN;
	summary->pmu = ops > 0 && events ? events | flags : 0;
}

/**
 * kv_operations - what initiators did, in the window and in the warm-up
 * @result: of the run
 * Return: operations, by which is divided what was counted over both
 */
u64 kv_operations(const struct kv_result *result)
{
	u64 ops = 0;
	u32 i;

	for (i = 0; i < result->nlanes; i++) {
		if (result->lane[i].role == KVERBS_ROLE_INITIATOR)
			ops += result->lane[i].stat.ops + result->lane[i].stat.warm_ops;
	}
	return ops;
}

static void summarize_cpu(const struct kv_result *result, struct kv_summary *summary)
{
	double ops = (double)kv_operations(result);
	u64 sum[2] = { 0, 0 };
	u32 i;

	for (i = 0; i < result->nlanes; i++)
		sum[result->lane[i].role != KVERBS_ROLE_INITIATOR] += result->lane[i].stat.cpu;
	/* of an end that nobody was at, as of a run that never began, there is none */
	summary->cpu_ns = ops > 0 && sum[0] ? (double)sum[0] / ops : NAN;
	summary->peer_cpu_ns = ops > 0 && sum[1] ? (double)sum[1] / ops : NAN;
}

/**
 * kv_summarize - the figures of a run
 * @result: of the run
 * @summary: filled
 */
void kv_summarize(const struct kv_result *result, struct kv_summary *summary)
{
	bool timed = result->granted.timing != KVERBS_TIMING_NONE;
	double wall = 0, post = 0, poll = 0, empty = 0, rest = 0, ns, warm;
	const struct kv_stat *stat;
	u32 i, initiators = 0;

	memset(summary, 0, sizeof(*summary));
	summarize_metrics(result, summary);
	summarize_pmu(result, summary);
	summarize_cpu(result, summary);
	for (i = 0; i < result->nlanes; i++) {
		stat = &result->lane[i].stat;
		summary->yields += stat->yields;
		summary->tainted += stat->tainted;
		summary->backwards += stat->backwards;
		summary->switches += stat->switches;
		summary->preemptions += stat->preemptions;
		summary->lost += stat->lost;
		summary->srq_limits += stat->srq_limits;
		if (result->lane[i].role != KVERBS_ROLE_INITIATOR) {
			summary->delivered += stat->ops;
			continue;
		}
		initiators++;
		ns = kv_ticks_ns(&result->clock, (double)stat->wall);
		warm = kv_ticks_ns(&result->clock, (double)stat->warm_ticks) / 1e6;
		summary->ops += stat->ops;
		summary->sent += stat->wrs;
		summary->unsent += stat->unsent;
		summary->flushed += stat->flushed;
		summary->warm_ops += stat->warm_ops;
		summary->unsettled |= stat->warm_unsettled;
		if (ns / 1e9 > summary->window_s)
			summary->window_s = ns / 1e9;
		if (warm > summary->warm_ms)
			summary->warm_ms = warm;
		if (!stat->wall)
			continue;
		summary->ops_s += (double)stat->ops / ns * 1e9;
		summary->bytes_s += (double)stat->bytes / ns * 1e9;
		summary->outstanding += (double)stat->occupancy / (double)stat->wall;
		wall += (double)stat->wall;
		post += (double)stat->t_post;
		poll += (double)stat->t_poll;
		empty += (double)stat->t_empty;
		rest += (double)stat->t_rest + (double)stat->t_reg +
			(double)stat->t_control;
	}
	summary->achieved = kv_shape_rules[result->granted.shape].paced && summary->sent ?
			    (double)summary->sent / (double)(summary->sent + summary->unsent) : NAN;
	summary->delivered_s = summary->delivered && summary->window_s > 0 ?
			       (double)summary->delivered / summary->window_s : NAN;
	if (!timed)
		summary->outstanding = NAN;
	summary->share_post = share(post, wall, timed);
	/* with timing lat a poll that returned a WC is not told from the empty ones before */
	summary->share_poll = share(poll, wall, result->granted.timing == KVERBS_TIMING_ALL);
	summary->share_empty = share(empty, wall, timed);
	summary->share_rest = share(rest, wall, timed);
	summary->post_wr = (result->clock.unit == KV_UNIT_INSN ?
			    summary->metric[KVERBS_METRIC_POST].p50 :
			    summary->metric[KVERBS_METRIC_POST].mean) / result->granted.chain;
	summary->op_ns = summary->ops && initiators ?
			 kv_ticks_ns(&result->clock, wall) / (double)summary->ops : NAN;
}

/* what a run may be about, what goes first before the rest; ended by one that it is else */
const u32 kv_main_metrics[KV_MAIN_METRICS] = {
	KVERBS_METRIC_RECOVER, KVERBS_METRIC_SETUP,
	KVERBS_METRIC_IO, KVERBS_METRIC_RESPONSE, KVERBS_METRIC_RTT, KVERBS_METRIC_LAT,
};

/* the metric that a run is about: of its shape, of its registration, else lat */
u32 kv_main_metric(const struct kv_summary *summary)
{
	u32 i;

	for (i = 0; i + 1 < KV_MAIN_METRICS; i++) {
		if (summary->metric[kv_main_metrics[i]].count)
			break;
	}
	return kv_main_metrics[i];
}
