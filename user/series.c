// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <math.h>
#include <string.h>
#include "kverbs.h"
#include "series.h"
#include "unit.h"

#define REMARK			512

enum outcome {
	MEASURED,
	REFUSED,	/* nothing was measured: see the error */
	CAPPED,		/* beyond the end of -a here */
};

/**
 * struct series - a series under way
 * @points: of the grid
 * @at: point under way
 * @text: where the table goes, NULL for JSON
 * @json: array of points
 * @headed: what stands above the table was printed
 * @measured: points that were
 * @group: the sizes of -a with all else equal: did one run yet?
 * @capped: a size of this group was beyond the end
 * @cap: why the first of all was, or empty
 * @status: of the worst point
 */
struct series {
	const struct kv_options *options;
	const char *device;
	const struct kv_env *env;
	u32 points;
	u32 at;
	FILE *text;
	json_t *json;
	bool headed;
	u32 measured;
	bool group;
	bool capped;
	char cap[REMARK];
	int status;
};

/* which of two exit statuses a series keeps: the one that says more went wrong */
static int worse(int a, int b)
{
	static const int order[] = {
		KV_EXIT_GOOD, KV_EXIT_UNDECIDED, KV_EXIT_MISSED, KV_EXIT_USAGE,
		KV_EXIT_ENVIRONMENT, KV_EXIT_MEASUREMENT, KV_EXIT_INTERRUPTED,
	};
	u32 i, at_a = 0, at_b = 0;

	for (i = 0; i < KV_ARRAY_SIZE(order); i++) {
		at_a = order[i] == a ? i : at_a;
		at_b = order[i] == b ? i : at_b;
	}
	return at_a > at_b ? a : b;
}

static const char *value_text(const struct kv_axis *axis, u64 value, char text[KV_TEXT])
{
	if (axis->value_name)
		snprintf(text, KV_TEXT, "%s", axis->value_name((u32)value));
	else
		snprintf(text, KV_TEXT, "%llu", (unsigned long long)value);
	return text;
}

static int axis_width(const struct kv_axis *axis)
{
	size_t width = strlen(axis->name), len;
	char text[KV_TEXT];
	u32 i;

	for (i = 0; i < axis->n; i++) {
		len = strlen(value_text(axis, axis->value[i], text));
		if (len > width)
			width = len;
	}
	return (int)width + 2;
}

/* "size 64, post-list 4" */
static void point_text(const struct series *series, char *text, size_t size)
{
	const struct kv_options *o = series->options;
	char value[KV_TEXT];
	size_t used = 0;
	u32 i;

	*text = '\0';
	for (i = 0; i < o->naxes && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s %s", i ? ", " : "",
					 o->axis[i].name,
					 value_text(&o->axis[i],
						    kv_axes_value(o->axis, o->naxes, i,
								  series->at), value));
}

/* what is the same at each point, then the names of the columns */
static void print_head(struct series *series, const struct kv_result *result)
{
	static const char *const column[] = {
		"operations", "min", "mean", "p50", "p99", "p99.9", "max", "post p50",
	};
	const struct kv_options *o = series->options;
	char steps[KV_STEPS_TEXT];
	u32 i;

	if (series->headed)
		return;
	series->headed = true;
	kv_print_preset(series->text, o->preset);
	kv_print_env(series->text, series->env);
	fprintf(series->text, "%s%s engine%s: %s, shape %s; %u runs, each with its own warm-up",
		kv_bold(series->text), o->engine->name, kv_plain(series->text),
		kv_steps_name(&o->job, steps), kv_shape_name(o->job.shape), series->points);
	if (result)
		fprintf(series->text, "\nclock %s, %.1f %s a reading%s%s", result->clock.name,
			kv_ticks_ns(&result->clock, result->clock.cost), kv_unit_name(o->unit),
			*kv_label_clock(&result->clock) ? ", " : "",
			kv_label_clock(&result->clock));
	fprintf(series->text, "\n\n%s", kv_bold(series->text));
	for (i = 0; i < o->naxes; i++)
		fprintf(series->text, "%*s", axis_width(&o->axis[i]), o->axis[i].name);
	for (i = 0; i < KV_ARRAY_SIZE(column); i++)
		fprintf(series->text, "%*s", i ? 10 : 13, column[i]);
	fprintf(series->text, "%13s%9s  in %s%s\n", "messages/s", "B/s", kv_unit_name(o->unit),
		kv_plain(series->text));
}

static void print_point(const struct series *series)
{
	const struct kv_options *o = series->options;
	char text[KV_TEXT];
	u32 i;

	for (i = 0; i < o->naxes; i++)
		fprintf(series->text, "%*s", axis_width(&o->axis[i]),
			value_text(&o->axis[i], kv_axes_value(o->axis, o->naxes, i, series->at),
				   text));
}

static void print_line(const struct series *series, const struct kv_report *report,
		       const char *remark)
{
	const struct kv_summary *s = &report->summary;
	const struct kv_figure *f = &s->metric[kv_main_metric(s)];
	const double value[] = { f->min, f->mean, f->p50, f->p99, f->p999, f->max,
				 s->metric[KVERBS_METRIC_POST].p50 };
	char text[KV_TEXT];
	u32 i;

	print_point(series);
	fprintf(series->text, "%13llu", s->ops);
	for (i = 0; i < KV_ARRAY_SIZE(value); i++)
		fprintf(series->text, "%10s", kv_text_value(value[i], series->options->unit, text));
	fprintf(series->text, "%13s", kv_text_rate(s->ops_s, text));
	fprintf(series->text, "%9s", kv_text_rate(s->bytes_s, text));
	fprintf(series->text, "  %s%s%s\n", f->count ? kv_metric_name(kv_main_metric(s)) : "rate",
		*remark ? "; " : "", remark);
}

/* what has to be said of a run beside its figures, and the exit status it deserves */
static int judge(const struct series *series, const struct kv_report *report, char *remark)
{
	int status = kv_report_status(report), met;
	struct kv_error error;
	char text[REMARK];
	u32 i;

	*remark = '\0';
	if (report->result->state != KVERBS_STATE_DONE) {
		kv_explain(report->result, text, sizeof(text));
		kv_remark_add(remark, REMARK, "%s", text);
		return status;
	}
	for (i = 0; i < KV_CHECKS; i++) {
		if (report->checks.check[i].failed)
			kv_remark_add(remark, REMARK, "CHECK FAILED: %s: %s",
				      report->checks.check[i].name, report->checks.check[i].text);
	}
	if (report->result->reason != KVERBS_REASON_COMPLETE)
		kv_remark_add(remark, REMARK, "ended early: %s",
			      kv_reason_name(report->result->reason));
	if (kv_beside_failed(report)) {
		kv_beside_why(report, &error);
		kv_remark_add(remark, REMARK, "%s", error.text);
	}
	met = kv_threshold_status(&series->options->thresholds, &report->summary, text,
				  sizeof(text));
	if (met != KV_EXIT_GOOD)
		kv_remark_add(remark, REMARK, "%s", text);
	if (report->noise.contaminated)
		kv_remark_add(remark, REMARK, "contaminated: %s", report->noise.why);
	return worse(status, met);
}

static void add_json(struct series *series, enum outcome outcome, json_t *error, json_t *run)
{
	static const char *const name[] = {
		[MEASURED] = "measured", [REFUSED] = "refused", [CAPPED] = "capped",
	};
	const struct kv_options *o = series->options;
	json_t *values = json_object();
	u32 i;

	for (i = 0; i < o->naxes; i++) {
		u64 value = kv_axes_value(o->axis, o->naxes, i, series->at);

		json_object_set_new(values, o->axis[i].key, o->axis[i].value_name ?
				    json_string(o->axis[i].value_name((u32)value)) :
				    json_integer((json_int_t)value));
	}
	json_array_append_new(series->json,
			      json_pack("{s:o, s:s, s:o, s:o}", "values", values,
					"outcome", name[outcome],
					"error", error ? error : json_null(),
					"run", run ? run : json_null()));
}

static void take_report(struct series *series, struct kv_report *report)
{
	char remark[REMARK];

	series->status = worse(series->status, judge(series, report, remark));
	series->measured++;
	series->group = true;
	if (series->text) {
		print_head(series, report->result);
		print_line(series, report, remark);
		kv_print_beside(series->text, report);
		fflush(series->text);
		return;
	}
	add_json(series, MEASURED, NULL, kv_json_run(series->options, report));
}

static bool beyond_the_end(const struct series *series, const struct kv_error *error)
{
	const struct kv_options *o = series->options;
	u32 i;

	for (i = 0; i < o->naxes; i++) {
		if (o->axis[i].capped)
			return error->status == KV_EXIT_USAGE && series->group;
	}
	return false;
}

static void take_error(struct series *series, const struct kv_error *error)
{
	enum outcome outcome = beyond_the_end(series, error) ? CAPPED : REFUSED;
	json_t *json;

	if (!series->text) {
		json = json_pack("{s:i, s:s}", "exit_status", error->status, "text", error->text);
		add_json(series, outcome, json, NULL);
	}
	if (outcome == CAPPED) {
		series->capped = true;
		if (!*series->cap)
			snprintf(series->cap, sizeof(series->cap), "%s", error->text);
		return;
	}
	series->status = worse(series->status, error->status);
	if (!series->text)
		return;
	print_head(series, NULL);
	print_point(series);
	fprintf(series->text, "  %s: %s\n",
		error->status == KV_EXIT_USAGE ? "refused" : "not measured", error->text);
	fflush(series->text);
}

/* is this the first size of those that -a runs with all else equal? */
static bool new_group(const struct series *series)
{
	const struct kv_options *o = series->options;
	u32 i;

	for (i = 0; i < o->naxes; i++) {
		if (o->axis[i].capped)
			return kv_axes_value(o->axis, o->naxes, i, series->at) ==
			       o->axis[i].value[0];
	}
	return false;
}

static void run_point(struct series *series)
{
	const struct kv_options *o = series->options;
	struct kv_job job = o->job;
	struct kv_report report;
	struct kv_error error;
	char where[128], what[192];
	int rc;

	if (new_group(series)) {
		series->group = false;
		series->capped = false;
	}
	/* what is beyond one size is beyond the next */
	if (series->capped)
		return;
	kv_axes_job(o->axis, o->naxes, series->at, &job);
	point_text(series, where, sizeof(where));
	snprintf(what, sizeof(what), "%s engine: run %u of %u: %s", o->engine->name,
		 series->at + 1, series->points, where);
	rc = kv_drive_with(&o->with, o->engine, series->device, &job, o->unit, what, NULL, &report,
			   &error);
	kv_progress_end();
	if (rc) {
		take_error(series, &error);
		return;
	}
	take_report(series, &report);
	kv_report_free(&report);
}

static void end_text(struct series *series)
{
	if (*series->cap)
		fprintf(series->text, "no larger sizes: %s\n", series->cap);
	if (series->headed && series->env->facts.software)
		fputs("software device: times include stack progress\n", series->text);
	if (kv_interrupted())
		fprintf(series->text, "interrupted: %u of %u runs\n", series->measured,
			series->points);
}

static int end_json(struct series *series, struct kv_error *error)
{
	const struct kv_options *o = series->options;

	return kv_document_put(o, json_pack("{s:s, s:s*, s:o, s:o, s:o, s:b, s:o}",
					    "schema", KV_SERIES_SCHEMA, "preset",
					    o->preset ? o->preset->name : NULL,
					    "command", kv_options_command(o, "run", series->device),
					    "environment", kv_json_env(series->env),
					    "with", kv_json_with(&o->with),
					    "interrupted", (int)kv_interrupted(),
					    "points", series->json), error);
}

/* one line on what kept the series from being good; each point's own is in its line */
static int conclude(const struct series *series)
{
	struct kv_error error = { .status = series->status };
	const char *text;

	switch (series->status) {
	case KV_EXIT_MISSED:
		text = "a threshold was missed";
		break;
	case KV_EXIT_UNDECIDED:
		text = "a threshold could not be decided";
		break;
	case KV_EXIT_MEASUREMENT:
		text = "a measurement failed";
		break;
	default:
		text = "a run was refused";
		break;
	}
	snprintf(error.text, sizeof(error.text), "%s: see its %s", text,
		 series->text ? "line" : "point");
	return kv_error_print(&error);
}

/**
 * kv_series_run - run a job once for each point, and print what was measured
 * @options: with at least one axis
 * @device: name
 * @env: where it is measured
 * Return: exit status
 */
int kv_series_run(const struct kv_options *options, const char *device, const struct kv_env *env)
{
	struct series series = {
		.options = options,
		.device = device,
		.env = env,
		.points = kv_axes_points(options->axis, options->naxes),
		.text = options->json ? NULL : stdout,
		.json = options->json ? json_array() : NULL,
	};
	struct kv_error error;

	for (series.at = 0; series.at < series.points && !kv_interrupted(); series.at++) {
		run_point(&series);
		if (series.status == KV_EXIT_ENVIRONMENT && !kv_device_exists(device))
			break;
	}
	if (!options->json)
		end_text(&series);
	else if (end_json(&series, &error))
		return kv_error_print(&error);
	if (kv_interrupted())
		return KV_EXIT_INTERRUPTED;
	return series.status == KV_EXIT_GOOD ? KV_EXIT_GOOD : conclude(&series);
}
