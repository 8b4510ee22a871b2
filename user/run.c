// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "kverbs.h"
#include "options.h"
#include "report.h"
#include "series.h"
#include "unit.h"

/* what was asked of the figures, and whether it holds: null where that is not known */
static json_t *json_thresholds(const struct kv_thresholds *thresholds,
			       const struct kv_summary *summary)
{
	json_t *array = json_array();
	enum kv_met met;
	u32 i;

	for (i = 0; i < KV_THRESHOLDS; i++) {
		if (!thresholds->given[i])
			continue;
		met = kv_threshold_met(thresholds, summary, i);
		json_array_append_new(array,
				      json_pack("{s:s, s:s, s:o, s:o, s:o}",
						"option", kv_threshold_rules[i].name,
						"figure", kv_threshold_rules[i].key,
						"limit", json_real(thresholds->limit[i]),
						"value",
						kv_json_real(kv_threshold_value(summary, i)),
						"met", met == KV_UNKNOWN ? json_null() :
						json_boolean(met == KV_MET)));
	}
	return array;
}

/* a run with what the command adds to it */
json_t *kv_json_run(const struct kv_options *options, const struct kv_report *report)
{
	json_t *json = kv_json_report(report, true);

	json_object_set_new(json, "thresholds",
			    json_thresholds(&options->thresholds, &report->summary));
	json_object_set_new(json, "device_counters", kv_json_counters(report->counters));
	return json;
}

static int print(const struct kv_options *options, const char *device, const struct kv_env *env,
		 const struct kv_intervals *intervals, const struct kv_report *report,
		 struct kv_error *error)
{
	json_t *run;

	if (!options->json) {
		if (intervals)
			fputc('\n', stdout);
		kv_print_preset(stdout, options->preset);
		kv_print_report(stdout, env, report);
		kv_print_counters(stdout, report->counters);
		if (report->beside)
			fputs("counters of the device: of both runs\n", stdout);
		return 0;
	}
	run = kv_json_run(options, report);
	if (intervals)
		json_object_set_new(run, "intervals", kv_json_intervals(intervals));
	return kv_document_put(options, json_pack("{s:s, s:s*, s:o, s:o, s:o, s:o}",
						  "schema", KV_RUN_SCHEMA, "preset",
						  options->preset ? options->preset->name : NULL,
						  "command",
						  kv_options_command(options, "run", device),
						  "environment", kv_json_env(env),
						  "with", kv_json_with(&options->with),
						  "run", run), error);
}

static void describe(const struct kv_options *options, char *text, size_t size)
{
	char bytes[KV_TEXT], steps[KV_STEPS_TEXT];

	snprintf(text, size, "%s engine: %s of %s, %s", options->engine->name,
		 kv_steps_name(&options->job, steps),
		 kv_text_size(kv_job_size(&options->job), bytes),
		 kv_shape_name(options->job.shape));
}

/* the line and the status of what was asked of the figures, when the run was good */
static int hold_to_thresholds(const struct kv_options *options, const struct kv_report *report,
			      int status)
{
	struct kv_error error;

	if (status != KV_EXIT_GOOD)
		return status;
	error.status = kv_threshold_status(&options->thresholds, &report->summary, error.text,
					   sizeof(error.text));
	return error.status == KV_EXIT_GOOD ? KV_EXIT_GOOD : kv_error_print(&error);
}

static int run_once(const struct kv_options *options, const char *device,
		    const struct kv_env *env)
{
	struct kv_intervals *intervals = NULL;
	struct kv_report report;
	struct kv_error error;
	char what[96];
	int status;

	describe(options, what, sizeof(what));
	if (options->interval_ms)
		intervals = kv_intervals_new(options->interval_ms, options->json ? NULL : stdout);
	if (kv_drive_with(&options->with, options->engine, device, &options->job, options->unit,
			  what, intervals, &report, &error)) {
		kv_intervals_free(intervals);
		return kv_error_print(&error);
	}
	kv_progress_end();
	status = kv_report_status(&report);
	if (print(options, device, env, intervals, &report, &error)) {
		status = kv_error_print(&error);
	} else if (report.result->state != KVERBS_STATE_DONE ||
		   report.result->granted.provoke) {
		error.status = status;
		kv_explain(report.result, error.text, sizeof(error.text));
		kv_error_print(&error);
	} else if (kv_beside_failed(&report)) {
		kv_beside_why(&report, &error);
		kv_error_print(&error);
	} else {
		status = hold_to_thresholds(options, &report, status);
	}
	kv_report_free(&report);
	kv_intervals_free(intervals);
	return status;
}

/**
 * kv_run_as - measure, and write what was measured
 * @options: as read
 * Return: exit status
 */
int kv_run_as(const struct kv_options *options)
{
	struct kv_options settled = *options;
	char device[KV_DEVICE_NAME];
	struct kv_error error;
	struct kv_env env;

	if (kv_unit_check(options->unit, &options->job, &error) ||
	    kv_device_pick(options->device, device, &error) ||
	    kv_gid_settle(&settled, device, &error))
		return kv_error_print(&error);
	options = &settled;
	/* before the run: the device may not be there any more after it */
	kv_env_read(device, &options->job, &env);
	kv_interrupt_catch();
	return options->naxes ? kv_series_run(options, device, &env) :
				run_once(options, device, &env);
}

/* kverbs run */
int kv_cmd_run(int argc, char **argv)
{
	struct kv_options options;
	struct kv_error error;

	if (kv_options_parse(argc, argv, KV_FOR_RUN, &options, &error))
		return kv_error_print(&error);
	if (options.help) {
		kv_options_help(stdout, "run", KV_FOR_RUN,
				"Runs one job in one engine and reports what was measured.");
		return KV_EXIT_GOOD;
	}
	return kv_output_to(options.output, &error) ? kv_error_print(&error) :
						      kv_run_as(&options);
}
