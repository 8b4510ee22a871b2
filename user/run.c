// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "kverbs.h"
#include "options.h"
#include "report.h"
#include "unit.h"

#define KV_RUN_SCHEMA	"kverbs-run/1"

static int print(const struct kv_options *options, const struct kv_env *env,
		 const struct kv_report *report, struct kv_error *error)
{
	if (!options->json) {
		kv_print_report(stdout, env, report);
		return 0;
	}
	return kv_json_print(stdout, json_pack("{s:s, s:o, s:o}", "schema", KV_RUN_SCHEMA,
					       "environment", kv_json_env(env),
					       "run", kv_json_report(report, true)), error);
}

static void describe(const struct kv_options *options, char *text, size_t size)
{
	char bytes[KV_TEXT];

	snprintf(text, size, "%s engine: %s of %s, %s", options->engine->name,
		 kv_op_name(options->job.step[0].op),
		 kv_text_size(options->job.step[0].size, bytes),
		 kv_shape_name(options->job.shape));
}

/* kverbs run */
int kv_cmd_run(int argc, char **argv)
{
	char device[KV_DEVICE_NAME], what[96];
	struct kv_options options;
	struct kv_report report;
	struct kv_error error;
	struct kv_env env;
	int status;

	if (kv_options_parse(argc, argv, KV_FOR_RUN, &options, &error))
		return kv_error_print(&error);
	if (options.help) {
		kv_options_help(stdout, "run", KV_FOR_RUN,
				"Runs one job in one engine and reports what was measured.");
		return KV_EXIT_GOOD;
	}
	if (kv_unit_check(options.unit, &options.job, &error))
		return kv_error_print(&error);
	if (kv_device_pick(options.device, device, &error))
		return kv_error_print(&error);
	/* before the run: the device may not be there any more after it */
	kv_env_read(device, options.job.port, &env);
	kv_interrupt_catch();
	describe(&options, what, sizeof(what));
	if (kv_drive(options.engine, device, &options.job, options.unit, what, &report, &error))
		return kv_error_print(&error);
	kv_progress_end();
	status = kv_report_status(&report);
	if (print(&options, &env, &report, &error)) {
		status = kv_error_print(&error);
	} else if (report.result->state != KVERBS_STATE_DONE) {
		error.status = status;
		kv_explain(report.result, error.text, sizeof(error.text));
		kv_error_print(&error);
	}
	kv_report_free(&report);
	return status;
}
