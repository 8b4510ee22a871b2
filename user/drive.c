// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * One run from prepare to release, with what is watched around it.
 */
#include <stdlib.h>
#include <string.h>
#include "kverbs.h"
#include "live.h"
#include "report.h"
#include "unit.h"

#define WAIT_MS		1000

/**
 * struct watch - who looks at a run under way, and when
 * @start: of the run
 * @unit: enum kv_unit, of the figures
 * @intervals: takes reports, or NULL
 * @report_due: when the next is
 * @live: a line on the terminal is wanted
 * @look_due: when it is written anew
 */
struct watch {
	double start;
	u32 unit;
	struct kv_intervals *intervals;
	double report_due;
	bool live;
	double look_due;
};

/* one look at the lanes serves both; one that cannot be had is left out */
static void look(const struct kv_engine *engine, struct kv_run *run, struct watch *watch)
{
	double at = kv_seconds();
	bool report = watch->intervals && at >= watch->report_due;
	bool live = watch->live && at >= watch->look_due;
	struct kv_result *now;
	struct kv_error error;

	if (!report && !live)
		return;
	while (report && watch->report_due <= at)
		watch->report_due += kv_intervals_ms(watch->intervals) / 1000.0;
	watch->look_due = at + KV_LIVE_MS / 1000.0;
	if (engine->peek(run, &now, &error))
		return;
	kv_unit_use(watch->unit, &now->clock);
	at = kv_seconds() - watch->start;
	if (report)
		kv_intervals_take(watch->intervals, now, at);
	if (live)
		kv_live_look(now, at);
	kv_result_free(now);
}

static int wait_for_end(const struct kv_engine *engine, struct kv_run *run, u32 unit,
			const char *what, struct kv_intervals *intervals,
			const struct kv_hook *hook, struct kv_error *error)
{
	struct watch watch = {
		.start = kv_seconds(),
		.unit = unit,
		.intervals = intervals,
		.live = kv_live_wanted(what),
	};
	int step = watch.live ? KV_LIVE_MS : WAIT_MS, rc;
	bool stopped = false;

	watch.report_due = watch.start;
	watch.look_due = watch.start + KV_LIVE_MS / 1000.0;
	if (intervals && (int)kv_intervals_ms(intervals) < step)
		step = (int)kv_intervals_ms(intervals);
	if (hook && hook->ms < step)
		step = hook->ms;
	if (watch.live)
		kv_live_begin(what);

	for (;;) {
		rc = engine->wait(run, step, error);
		if (rc)
			return rc;
		look(engine, run, &watch);
		if ((kv_interrupted() || (hook && hook->over(hook->arg))) && !stopped) {
			stopped = true;
			if (engine->stop(run, error))
				return -1;
		}
	}
}

static int measure(const struct kv_engine *engine, struct kv_run *run, const char *device,
		   const struct kv_job *job, u32 unit, const char *what,
		   struct kv_intervals *intervals, const struct kv_hook *hook,
		   struct kv_report *report, struct kv_error *error)
{
	struct kv_noise_sample *before, *after;
	struct kv_counters *later;
	int rc;

	if (engine->connect(run, error))
		return -1;
	rc = hook ? hook->begin(hook->arg, error) : 0;
	report->counters = kv_counters_read(device, job->port);
	before = kv_noise_sample();
	if (!rc)
		rc = engine->start(run, error);
	if (!rc)
		rc = wait_for_end(engine, run, unit, what, intervals, hook, error) < 0 ? -1 : 0;
	if (hook)
		hook->end(hook->arg);
	after = kv_noise_sample();
	later = kv_counters_read(device, job->port);
	if (report->counters && later)
		kv_counters_between(report->counters, later);
	kv_counters_free(later);
	if (!rc)
		rc = engine->result(run, &report->result, error);
	if (!rc)
		kv_noise_between(before, after, report->result, &report->noise);
	free(before);
	free(after);
	return rc;
}

/**
 * kv_drive_watched - run a job in an engine, with what is done meanwhile
 * @engine: engine
 * @device: name
 * @job: as asked
 * @unit: enum kv_unit, of the figures
 * @what: shown as progress, or NULL
 * @intervals: take the reports, or NULL
 * @hook: what is done around it, or NULL
 * @report: filled, also when the run failed; freed by kv_report_free()
 * @error: filled on failure
 * Return: 0 when there is a result, or -1
 */
int kv_drive_watched(const struct kv_engine *engine, const char *device,
		     const struct kv_job *job, u32 unit, const char *what,
		     struct kv_intervals *intervals, const struct kv_hook *hook,
		     struct kv_report *report, struct kv_error *error)
{
	struct kv_run *run = NULL;
	int rc;

	memset(report, 0, sizeof(*report));
	if (engine->prepare(device, job, &run, error))
		return -1;
	rc = measure(engine, run, device, job, unit, what, intervals, hook, report, error);
	engine->release(run);
	if (rc) {
		kv_report_free(report);
		return -1;
	}
	kv_report_make(report, unit);
	if (kv_live_wanted(what))
		kv_live_end(report->result, &report->summary);
	return 0;
}

/* figures and checks of its result, in a unit */
void kv_report_make(struct kv_report *report, u32 unit)
{
	kv_unit_use(unit, &report->result->clock);
	kv_summarize(report->result, &report->summary);
	report->failed_checks = kv_check_result(report->result, &report->checks);
}

void kv_report_free(struct kv_report *report)
{
	kv_result_free(report->result);
	report->result = NULL;
	kv_counters_free(report->counters);
	report->counters = NULL;
	if (report->beside)
		kv_report_free(report->beside);
	free(report->beside);
	report->beside = NULL;
}

/* the exit status that a run deserves */
int kv_report_status(const struct kv_report *report)
{
	if (report->result->state != KVERBS_STATE_DONE || report->failed_checks ||
	    report->result->granted.provoke || kv_beside_failed(report))
		return KV_EXIT_MEASUREMENT;
	return kv_interrupted() ? KV_EXIT_INTERRUPTED : KV_EXIT_GOOD;
}
