// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A run beside the measured one: a load that is there before the warm-up begins, and
 * until the last lane has ended. It has queues, lanes and CPUs of its own.
 */
#include <stdlib.h>
#include <string.h>
#include "kverbs.h"
#include "options.h"
#include "report.h"
#include "unit.h"

#define OPEN_S		30	/* longest wait for its measured window */
#define LOOK_MS		10	/* from one look whether that is open to the next */
#define ASK_MS		200	/* and whether it still runs, while the other is measured */
#define ENDLESS		1000000000000ULL	/* operations */

/**
 * struct beside - a run beside another one
 * @with: what was asked for
 * @job: completed
 * @device: name
 * @run: under way, or NULL
 * @started: its lanes are, or were
 * @ended: by itself
 * @result: once it has ended; owned
 * @error: why there is none
 */
struct beside {
	const struct kv_with *with;
	struct kv_job job;
	const char *device;
	struct kv_run *run;
	bool started;
	bool ended;
	struct kv_result *result;
	struct kv_error error;
};

static int say(struct kv_error *error, const struct kv_error *why)
{
	char text[KV_ERROR_TEXT];

	snprintf(text, sizeof(text), "%s", why->text);
	return kv_error_set(error, why->status, "with: %.500s", text);
}

/**
 * kv_beside_failed - was there a run beside it that did not last?
 * @report: of the measured run
 */
bool kv_beside_failed(const struct kv_report *report)
{
	return report->beside && (report->beside->early ||
				  report->beside->result->state != KVERBS_STATE_DONE);
}

/* its reason, as an error */
void kv_beside_why(const struct kv_report *report, struct kv_error *error)
{
	struct kv_error why = { .status = KV_EXIT_MEASUREMENT };

	if (report->beside->result->state == KVERBS_STATE_DONE)
		snprintf(why.text, sizeof(why.text), "ended before the measured job: %s",
			 kv_reason_name(report->beside->result->reason));
	else
		kv_explain(report->beside->result, why.text, sizeof(why.text));
	say(error, &why);
}

/* its warm-up is over, and an operation of the window, too */
static bool is_open(const struct beside *b)
{
	struct kv_hist *hist = malloc(sizeof(*hist));
	struct kv_moment moment = { 0 };
	struct kv_result *now;
	struct kv_error ignored;

	if (hist && !b->with->engine->peek(b->run, &now, &ignored)) {
		kv_moment_read(now, hist, &moment);
		kv_result_free(now);
	}
	free(hist);
	return moment.open;
}

/* it has ended, or is to */
static void finish(struct beside *b)
{
	const struct kv_engine *engine = b->with->engine;
	int rc = b->ended ? 1 : b->started ? engine->stop(b->run, &b->error) : -1;

	while (!rc)
		rc = engine->wait(b->run, LOOK_MS * 100, &b->error);
	if (rc < 0 || engine->result(b->run, &b->result, &b->error))
		b->result = NULL;
	engine->release(b->run);
	b->run = NULL;
}

static int wait_until_open(struct beside *b, struct kv_error *error)
{
	double due = kv_seconds() + OPEN_S;
	int rc;

	while (!kv_interrupted()) {
		rc = b->with->engine->wait(b->run, LOOK_MS, error);
		if (rc < 0)
			return -1;
		if (rc) {
			b->ended = true;
			finish(b);
			if (!b->result)
				*error = b->error;
			else
				kv_explain(b->result, error->text, sizeof(error->text));
			error->status = KV_EXIT_MEASUREMENT;
			return -1;
		}
		if (is_open(b))
			return 0;
		if (kv_seconds() > due)
			return kv_error_set(error, KV_EXIT_MEASUREMENT,
					    "no operation of it within %u s, after its warm-up",
					    OPEN_S);
	}
	return 0;
}

static int begin(void *arg, struct kv_error *error)
{
	struct beside *b = arg;
	const struct kv_engine *engine = b->with->engine;
	struct kv_error why;

	if (engine->prepare(b->device, &b->job, &b->run, &why)) {
		b->run = NULL;
		return say(error, &why);
	}
	if (engine->connect(b->run, &why) || engine->start(b->run, &why))
		return say(error, &why);
	b->started = true;
	return wait_until_open(b, &why) ? say(error, &why) : 0;
}

static bool over(void *arg)
{
	struct beside *b = arg;
	struct kv_error ignored;

	if (!b->ended)
		b->ended = b->with->engine->wait(b->run, 0, &ignored);
	return b->ended;
}

static void end(void *arg)
{
	struct beside *b = arg;

	if (b->run)
		finish(b);
}

static u32 lanes_of(const struct kv_job *job)
{
	return kv_job_steps_known(job) && job->shape < KV_SHAPES ? kv_job_lanes(job) : 1;
}

static bool is_on(const struct kv_job *job, u32 cpu)
{
	u32 lanes = lanes_of(job), i;

	for (i = 0; i < job->ncpus && i < lanes; i++) {
		if (job->cpu[i] == cpu)
			return true;
	}
	return false;
}

/* CPUs for both, apart where there are enough; lanes that share one hand it over */
static int place(struct kv_job *job, struct kv_job *beside, const char *device,
		 struct kv_error *error)
{
	struct kv_job all = *job;
	bool shared = false;
	u32 wanted, i;

	if (!job->ncpus && kv_cpus_choose(device, lanes_of(job), job, error))
		return -1;
	if (!beside->ncpus) {
		wanted = lanes_of(beside);
		if (kv_cpus_choose(device, job->ncpus + wanted, &all, error))
			return -1;
		for (i = 0; i < all.ncpus && beside->ncpus < wanted; i++) {
			if (!is_on(job, all.cpu[i]))
				beside->cpu[beside->ncpus++] = all.cpu[i];
		}
		/* none is left: those of the lanes that are not the first */
		for (i = all.ncpus; i-- && !beside->ncpus;)
			beside->cpu[beside->ncpus++] = all.cpu[i];
	}
	for (i = 0; i < beside->ncpus; i++)
		shared |= is_on(job, beside->cpu[i]);
	if (shared && job->wait == KV_AUTO)
		job->wait = KVERBS_WAIT_YIELD;
	if (shared && beside->wait == KV_AUTO)
		beside->wait = KVERBS_WAIT_YIELD;
	return 0;
}

static int take(struct beside *b, u32 unit, struct kv_report *report, struct kv_error *error)
{
	struct kv_report *beside = b->result ? calloc(1, sizeof(*beside)) : NULL;

	if (!beside) {
		if (b->result)
			kv_error_set(&b->error, KV_EXIT_ENVIRONMENT, "out of memory");
		kv_result_free(b->result);
		return say(error, &b->error);
	}
	beside->result = b->result;
	beside->early = b->ended;
	kv_report_make(beside, unit);
	report->beside = beside;
	return 0;
}

/**
 * kv_drive_with - run a job in an engine, and another one beside it
 * @with: the other; may be none
 * @engine: engine
 * @device: name, of both
 * @job: as asked
 * @unit: enum kv_unit, of the figures
 * @what: shown as progress, or NULL
 * @intervals: take the reports, or NULL
 * @report: filled, also when a run failed; freed by kv_report_free()
 * @error: filled on failure
 *
 * When the run beside it ends by itself, the measured one is stopped, and what was
 * measured is kept.
 *
 * Return: 0 when there is a result, or -1
 */
int kv_drive_with(const struct kv_with *with, const struct kv_engine *engine,
		  const char *device, const struct kv_job *job, u32 unit, const char *what,
		  struct kv_intervals *intervals, struct kv_report *report,
		  struct kv_error *error)
{
	struct beside b = { .with = with, .job = with->job, .device = device };
	const struct kv_hook hook = { &b, begin, over, end, ASK_MS };
	struct kv_job placed = *job;

	if (!with->given)
		return kv_drive_watched(engine, device, job, unit, what, intervals, NULL, report,
					error);
	b.job.iterations = ENDLESS;
	if (place(&placed, &b.job, device, error))
		return -1;
	if (kv_drive_watched(engine, device, &placed, unit, what, intervals, &hook, report,
			     error)) {
		kv_result_free(b.result);
		return -1;
	}
	if (take(&b, unit, report, error)) {
		kv_report_free(report);
		return -1;
	}
	return 0;
}

/* what was asked for beside; null: nothing */
json_t *kv_json_with(const struct kv_with *with)
{
	if (!with->given)
		return json_null();
	return json_pack("{s:s, s:o}", "engine", with->engine->name, "job",
			 kv_json_job(&with->job));
}
