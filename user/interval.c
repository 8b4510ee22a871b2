// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "interval.h"
#include "kverbs.h"
#include "report.h"

/**
 * struct kv_intervals - the reports so far, and what the next one starts from
 * @ms: length of an interval
 * @text: where lines go, NULL: nowhere
 * @json: array of all of them
 * @started: @at_s, @retired and @hist are those of an earlier moment
 * @at_s: when that was
 * @retired: WRs that the initiators had retired
 * @hist: samples they had of the metric that the run is about
 * @now: room for the same of the next moment
 */
struct kv_intervals {
	u32 ms;
	FILE *text;
	json_t *json;
	bool started;
	double at_s;
	u64 retired;
	struct kv_hist hist;
	struct kv_hist now;
};

/**
 * kv_intervals_new - no report yet
 * @ms: length of an interval
 * @text: where a line of each goes, or NULL
 * Return: intervals, NULL without memory; freed by kv_intervals_free()
 */
struct kv_intervals *kv_intervals_new(u32 ms, FILE *text)
{
	struct kv_intervals *intervals = calloc(1, sizeof(*intervals));

	if (!intervals)
		return NULL;
	intervals->ms = ms;
	intervals->text = text;
	intervals->json = json_array();
	return intervals;
}

void kv_intervals_free(struct kv_intervals *intervals)
{
	if (intervals)
		json_decref(intervals->json);
	free(intervals);
}

u32 kv_intervals_ms(const struct kv_intervals *intervals)
{
	return intervals->ms;
}

/* lanes go on while they are read: what a histogram holds is what its buckets say */
static void recount(struct kv_hist *hist)
{
	u32 i;

	hist->count = hist->over;
	for (i = 0; i < KV_HIST_BUCKETS; i++)
		hist->count += hist->bucket[i];
}

/* where times are measured, a lane without a sample is still at its warm-up */
static u64 read_lanes(const struct kv_result *result, u32 metric, struct kv_hist *hist)
{
	const struct kv_hist *of_lane;
	u64 retired = 0;
	u32 i;

	kv_hist_clear(hist);
	for (i = 0; i < result->nlanes; i++) {
		of_lane = result->lane[i].hist[metric];
		if (result->lane[i].role != KVERBS_ROLE_INITIATOR ||
		    (of_lane && !of_lane->count))
			continue;
		retired += result->lane[i].stat.retired;
		if (of_lane)
			kv_hist_merge(hist, of_lane);
	}
	recount(hist);
	return retired;
}

/* what came since: false when there is less than before, as a window has opened */
static bool subtract(struct kv_hist *from, const struct kv_hist *earlier)
{
	u32 i;

	if (from->count < earlier->count || from->over < earlier->over)
		return false;
	for (i = 0; i < KV_HIST_BUCKETS; i++) {
		if (from->bucket[i] < earlier->bucket[i])
			return false;
		from->bucket[i] -= earlier->bucket[i];
	}
	from->over -= earlier->over;
	from->count -= earlier->count;
	return true;
}

/**
 * kv_moment_read - how a run is going
 * @now: counters and histograms as they are
 * @hist: filled with the samples of its metric
 * @moment: filled
 */
void kv_moment_read(const struct kv_result *now, struct kv_hist *hist, struct kv_moment *moment)
{
	moment->metric = kv_job_about(&now->granted);
	moment->retired = read_lanes(now, moment->metric, hist);
	/* samples count when the window is open */
	moment->open = now->granted.timing == KVERBS_TIMING_NONE || hist->count;
}

static void report(struct kv_intervals *intervals, const char *metric, double at_s, u64 retired,
		   const struct kv_figure *figure)
{
	double seconds = at_s - intervals->at_s;
	double rate = seconds > 0 ? (double)retired / seconds : NAN;
	char text[3][KV_TEXT];

	json_array_append_new(intervals->json,
			      json_pack("{s:o, s:o, s:I, s:o, s:s, s:I, s:o, s:o}",
					"from_s", kv_json_real(intervals->at_s),
					"to_s", kv_json_real(at_s),
					"operations", (json_int_t)retired,
					"operations_per_s", kv_json_real(rate),
					"metric", metric, "count", (json_int_t)figure->count,
					"p50_ns", kv_json_real(figure->p50),
					"p99_ns", kv_json_real(figure->p99)));
	if (!intervals->text)
		return;
	kv_progress_end();
	fprintf(intervals->text, "%8.2f s to %8.2f s: %12s/s", intervals->at_s, at_s,
		kv_text_rate(rate, text[0]));
	if (figure->count)
		fprintf(intervals->text, ", %s p50 %8s ns, p99 %8s ns, of %llu", metric,
			kv_text_value(figure->p50, KV_UNIT_NS, text[1]),
			kv_text_value(figure->p99, KV_UNIT_NS, text[2]),
			figure->count);
	fputc('\n', intervals->text);
	fflush(intervals->text);
}

/**
 * kv_intervals_take - an interval is over
 * @intervals: take the report
 * @now: counters and histograms as they are now, of a run under way or ended
 * @at_s: when that is, from the start of the run
 * Return: true when there is a report; not of the first moment, and not of an interval
 *	in which the measured window opened or that lies before it
 */
bool kv_intervals_take(struct kv_intervals *intervals, const struct kv_result *now, double at_s)
{
	struct kv_hist *later = &intervals->now;
	struct kv_moment moment;
	struct kv_figure figure;
	struct kv_hist *kept;
	bool whole;

	kv_moment_read(now, later, &moment);
	if (!moment.open)
		return false;
	kept = malloc(sizeof(*kept));
	if (!kept)
		return false;
	*kept = *later;
	whole = intervals->started && moment.retired >= intervals->retired &&
		subtract(later, &intervals->hist);
	if (whole) {
		/* those of this interval are not known apart: only buckets were taken off */
		later->min = 0;
		later->max = ~0ULL;
		kv_figure_of(later, &now->clock, &figure);
		report(intervals, kv_metric_name(moment.metric), at_s,
		       moment.retired - intervals->retired, &figure);
	}
	intervals->started = true;
	intervals->at_s = at_s;
	intervals->retired = moment.retired;
	intervals->hist = *kept;
	free(kept);
	return whole;
}

/* all reports so far, NULL: null */
json_t *kv_json_intervals(const struct kv_intervals *intervals)
{
	return intervals ? json_incref(intervals->json) : json_null();
}
