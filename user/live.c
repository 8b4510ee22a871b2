// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A look at a run under way is what --interval takes: counters and histograms as they
 * are, read by the thread that waits for the run. Without a terminal there is none.
 */
#include <math.h>
#include <string.h>
#include "interval.h"
#include "kverbs.h"
#include "live.h"
#include "report.h"
#include "unit.h"

static char heading[192];	/* what runs */
static char last[160];		/* figures of the run before */
static double seen_at_s;	/* the look before, NaN: none since the window opened */
static u64 seen_retired;

bool kv_live_wanted(const char *what)
{
	return what && kv_is_terminal(stderr);
}

/**
 * kv_live_begin - a run begins
 * @what: which one
 */
void kv_live_begin(const char *what)
{
	snprintf(heading, sizeof(heading), "%s", what);
	seen_at_s = NAN;
	kv_progress("%s%s%s", heading, *last ? "; the one before: " : "", last);
}

/* rate and percentiles, as far as they are known */
static void add_figures(double rate, const char *metric, u32 unit,
			const struct kv_figure *figure, char *text, size_t size)
{
	char value[3][KV_TEXT];

	if (kv_unit_is_time(unit) && isfinite(rate))
		kv_remark_add(text, size, "%s/s", kv_text_rate(rate, value[0]));
	if (figure->count && isfinite(figure->p50))
		kv_remark_add(text, size, "%s p50 %s %s, p99 %s", metric,
			      kv_text_value(figure->p50, unit, value[1]), kv_unit_name(unit),
			      kv_text_value(figure->p99, unit, value[2]));
}

/* how far a run is, by what ends it */
static void add_progress(const struct kv_job *job, double at_s, u64 retired, char *text,
			 size_t size)
{
	u64 all = job->iterations * job->pairs * kv_job_initiators(job);

	if (all)
		snprintf(text, size, "%.0f %%", fmin(100, 100.0 * (double)retired / (double)all));
	else
		snprintf(text, size, "%.0f of %.0f s", at_s, ceil(job->duration_ms / 1000.0));
}

/**
 * kv_live_text - how a run goes
 * @now: counters and histograms as they are
 * @at_s: when that is, from the start of the run
 * @text: filled
 * @size: of @text
 *
 * The rate is that since the look before, percentiles are those of the measured window
 * so far.
 */
void kv_live_text(const struct kv_result *now, double at_s, char *text, size_t size)
{
	static struct kv_hist hist;
	struct kv_figure figure;
	struct kv_moment moment;
	double rate = NAN;

	kv_moment_read(now, &hist, &moment);
	add_progress(&now->granted, at_s, moment.retired, text, size);
	if (!moment.open) {
		kv_remark_add(text, size, "warming up");
		return;
	}
	if (at_s > seen_at_s && moment.retired >= seen_retired)
		rate = (double)(moment.retired - seen_retired) / (at_s - seen_at_s);
	seen_at_s = at_s;
	seen_retired = moment.retired;
	kv_figure_of(&hist, &now->clock, &figure);
	add_figures(rate, kv_metric_name(moment.metric), now->clock.unit, &figure, text, size);
}

void kv_live_look(const struct kv_result *now, double at_s)
{
	char text[160];

	kv_live_text(now, at_s, text, sizeof(text));
	kv_progress("%s: %s", heading, text);
}

/* it has ended: its figures stand beside the next one until that has some */
void kv_live_end(const struct kv_result *result, const struct kv_summary *summary)
{
	u32 metric = kv_main_metric(summary);

	last[0] = '\0';
	add_figures(summary->ops_s, kv_metric_name(metric), result->clock.unit,
		    &summary->metric[metric], last, sizeof(last));
}
