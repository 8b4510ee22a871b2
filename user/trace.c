// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>
#include "crossing.h"
#include "kverbs.h"
#include "options.h"
#include "probes.h"
#include "slow.h"
#include "trace.h"
#include "tracedat.h"
#include "unit.h"

#define HOOK_MS		20	/* from one question whether it is over to the next */
#define OPERATIONS	1000	/* of a job of no given length */

/* what is in a trace.dat beside functions: our own, and who else had the CPUs */
const char *const kv_trace_surroundings[] = {
	"kverbs/kverbs_post", "kverbs/kverbs_poll", "kverbs/kverbs_completion",
	"kverbs/kverbs_wc_error", "kverbs/kverbs_run_state", "kverbs/kverbs_qp_state",
	"irq/irq_handler_entry", "irq/irq_handler_exit", "irq/softirq_entry",
	"irq/softirq_exit", "sched/sched_switch", "sched/sched_wakeup",
	"workqueue/workqueue_execute_start", "workqueue/workqueue_execute_end", NULL,
};

/* a run under way: what it is traced with */
struct pass {
	struct kv_trace *trace;
	const struct kv_tracing_plan *plan;
	struct kv_trace_run *run;
	int last;
};

static int pass_begin(void *arg, struct kv_error *error)
{
	struct pass *pass = arg;

	kv_tracing_on(pass->trace->tracing);
	if (pass->trace->measure)
		kv_agreement_traced(&pass->trace->agreement);
	return 0;
}

/* a trigger has switched the buffer off: what it waited for is there */
static bool pass_over(void *arg)
{
	struct pass *pass = arg;

	return pass->plan->trigger && !kv_tracing_is_on(pass->trace->tracing);
}

static void pass_end(void *arg)
{
	struct pass *pass = arg;

	kv_tracing_off(pass->trace->tracing);
}

/* the threads of the lanes, by the name that the module gives them */
static void take_thread(void *arg, struct tep_event *event, struct tep_record *record)
{
	struct pass *pass = arg;
	struct kv_tracing *tracing = pass->trace->tracing;
	int pid = tep_data_pid(kv_tracing_tep(tracing), record);
	char prefix[16], name[16];

	/* most of the events are of the thread that the last one was of */
	if (pid == pass->last || kv_trace_is_lane(pass->run, pid))
		return;
	pass->last = pid;
	snprintf(prefix, sizeof(prefix), "kverbs/%u:", pass->run->report.result->id);
	if (pass->run->nthreads == KV_TRACE_THREADS || !kv_tracing_thread(tracing, pid, name) ||
	    strncmp(name, prefix, strlen(prefix)))
		return;
	pass->run->lane[pass->run->nthreads] = (u32)strtoul(name + strlen(prefix), NULL, 10);
	pass->run->thread[pass->run->nthreads++] = pid;
}

static void take_event(void *arg, struct tep_event *event, struct tep_record *record)
{
	struct pass *pass = arg;
	struct tep_handle *tep = kv_tracing_tep(pass->trace->tracing);

	if (!pass->run->nthreads || kv_trace_is_lane(pass->run, tep_data_pid(tep, record)))
		kv_calls_take(&pass->run->calls, tep, event, record);
}

/**
 * kv_trace_is_call - is it a call of a function of the driver?
 * @trace: trace
 * @target: enum kv_target_kind: which function
 * @address: that was called
 */
bool kv_trace_is_call(struct kv_trace *trace, u32 target, u64 address)
{
	const struct kv_function *traced = &trace->target[target].traced;
	struct kv_function of;

	if (!trace->target[target].address && *traced->name &&
	    kv_symbol_at(trace->symbols, address, &of) && !strcmp(of.name, traced->name) &&
	    !strcmp(of.module, traced->module))
		trace->target[target].address = address;
	return address && trace->target[target].address == address;
}

/* is it a thread of a lane? */
bool kv_trace_is_lane(const struct kv_trace_run *run, int pid)
{
	u32 i;

	for (i = 0; i < run->nthreads; i++) {
		if (run->thread[i] == pid)
			return true;
	}
	return false;
}

/* the calls of one function */
static void figure_of(struct kv_trace *trace, struct kv_trace_run *run, u32 target)
{
	struct kv_clock_info ns = {
		.mult = 1,
		.unit = run->report.result->clock.unit,
	};
	struct kv_hist *hist = malloc(sizeof(*hist));
	const struct kv_sample *sample;
	size_t i;

	if (!hist)
		return;
	kv_hist_clear(hist);
	for (i = 0; i < run->calls.nsamples; i++) {
		sample = &run->calls.sample[i];
		if (kv_trace_is_call(trace, target, sample->address))
			kv_hist_add(hist, sample->ns);
	}
	kv_figure_of(hist, &ns, &run->figure[target]);
	free(hist);
}

/* what was traced becomes figures */
static void digest(struct kv_trace *trace, struct kv_trace_run *run)
{
	u32 i;

	for (i = 0; i < KV_TARGETS; i++) {
		if (*trace->target[i].traced.name && !trace->target[i].probed)
			figure_of(trace, run, i);
	}
}

/* a run that failed has nothing to say of where the time goes */
static int look_at_end(struct kv_trace_run *run, struct kv_error *error)
{
	const struct kv_result *result = run->report.result;
	char text[KV_ERROR_TEXT];

	if (result->state == KVERBS_STATE_DONE || result->granted.provoke)
		return 0;
	kv_explain(result, text, sizeof(text));
	kv_report_free(&run->report);
	return kv_error_set(error, KV_EXIT_MEASUREMENT, "trace: %s", text);
}

/* run the job once; without a plan nothing is traced */
int kv_trace_run(struct kv_trace *trace, const struct kv_options *options,
		 const struct kv_tracing_plan *plan, struct kv_trace_run *run, const char *what,
		 struct kv_error *error)
{
	struct pass pass = { .trace = trace, .plan = plan, .run = run };
	struct kv_hook hook = { &pass, pass_begin, pass_over, pass_end, HOOK_MS };
	int rc;

	/* the tracer's own ns are instructions only nearly */
	run->calls.by_events = options->unit == KV_UNIT_INSN;
	if (plan && kv_tracing_arm(trace->tracing, plan, error)) {
		kv_tracing_disarm(trace->tracing);
		return -1;
	}
	rc = kv_drive_watched(trace->engine, trace->env->device, &options->job, options->unit,
			      what, NULL, plan ? &hook : NULL, &run->report, error);
	kv_progress_end();
	if (!rc)
		rc = look_at_end(run, error);
	if (!rc && plan) {
		rc = kv_tracing_read(trace->tracing, error);
		run->lost = kv_tracing_lost(trace->tracing);
		kv_tracing_each(trace->tracing, take_thread, &pass);
		kv_tracing_each(trace->tracing, take_event, &pass);
		digest(trace, run);
		if (plan->events && options->output && !plan->passing)
			rc = rc ? rc : kv_tracedat_write(options->output, trace->tracing,
							 plan->events,
							 &run->report.result->clock, error);
	}
	if (plan)
		kv_tracing_disarm(trace->tracing);
	run->done = !rc;
	return rc;
}

/* the driver's functions, without what they call */
static void plan_targets(const struct kv_trace *trace, struct kv_tracing_plan *plan)
{
	u32 i;

	for (i = 0; i < KV_TARGETS; i++) {
		if (*trace->target[i].traced.name && !trace->target[i].probed)
			plan->root[plan->nroots++] = &trace->target[i].traced;
	}
	plan->filter = "";
	plan->graph = plan->nroots && kv_tracing_has_graph(trace->tracing);
	if (!plan->graph)
		plan->nroots = 0;
}

/* where the time of an operation goes; without function_graph the driver's is not seen */
static int trace_shares(struct kv_trace *trace, const struct kv_options *options,
			struct kv_error *error)
{
	struct kv_tracing_plan plan = { .passing = true };

	if (!kv_shares_of(&trace->plain, &trace->shares))
		return 0;
	plan_targets(trace, &plan);
	plan.events = kv_probes_events(trace, kv_shares_events(trace->missing));
	if (kv_trace_run(trace, options, &plan, &trace->whole, "where the time goes", error))
		return -1;
	kv_shares_take(trace, &trace->whole, &trace->shares);
	return 0;
}

/* the event that tells a call's post; a module may be built without */
static const char *const *posts(void)
{
	static const char *const names[] = { "kverbs/kverbs_post", NULL };

	return tracefs_event_file_exists(NULL, "kverbs", "kverbs_post", "enable") ? names : NULL;
}

static int trace_functions(struct kv_trace *trace, const struct kv_options *options,
			   struct kv_error *error)
{
	const struct kv_target *post = &trace->target[KV_TARGET_POST];
	struct kv_tracing_plan plan = {};
	char module[KV_MODULE_NAME + 8];
	bool tree;
	int rc;

	plan_targets(trace, &plan);
	plan.events = kv_probes_events(trace, NULL);
	if (!plan.graph && !plan.events && !options->output)
		return 0;
	plan.events = kv_probes_events(trace, posts());
	tree = plan.graph && trace->callees != KV_CALLEES_NONE && *post->traced.name &&
	       !post->probed;
	plan.passing = tree;
	if (options->output && !tree)
		plan.events = kv_probes_events(trace, kv_trace_surroundings);
	trace->measure = kv_agreement_find(trace) && plan.graph;
	if (trace->measure)
		plan.root[plan.nroots++] = &trace->agreement.known;
	rc = kv_trace_run(trace, options, &plan, &trace->alone, "the driver's functions", error);
	trace->measure = false;
	if (rc)
		return -1;
	kv_probes_take(trace, &trace->alone);
	kv_agreement_take(trace, &trace->alone);
	if (!tree)
		return 0;
	plan.passing = false;
	plan.events = options->output ? kv_trace_surroundings : NULL;
	plan.nroots = 1;
	plan.root[0] = &post->traced;
	plan.filter = NULL;
	if (trace->callees == KV_CALLEES_DRIVER) {
		snprintf(module, sizeof(module), "*:mod:%s", post->traced.module);
		plan.filter = module;
	}
	return kv_trace_run(trace, options, &plan, &trace->tree, "what the post calls", error);
}

static int trace_kernel(struct kv_trace *trace, const struct kv_options *options,
			struct kv_error *error)
{
	int rc;

	if (kv_trace_run(trace, options, NULL, &trace->plain, "without tracing", error))
		return -1;
	kv_probes_open(trace);
	rc = trace_functions(trace, options, error) || trace_shares(trace, options, error) ? -1 : 0;
	/* what is printed still says which were probed */
	kv_probes_close(trace);
	return rc;
}

static void free_run(struct kv_trace_run *run)
{
	if (run->done)
		kv_report_free(&run->report);
	kv_calls_free(&run->calls);
	memset(run, 0, sizeof(*run));
}

/* text at once, JSON when all is there */
static void show(struct kv_trace *trace, const struct kv_options *options, bool user,
		 json_t *engines)
{
	if (options->json)
		json_array_append_new(engines, user ? kv_trace_json_user(trace) :
						      kv_trace_json(trace));
	else if (user)
		kv_trace_print_user(stdout, trace);
	else
		kv_trace_print(stdout, trace);
}

static int trace_in(struct kv_trace *trace, const struct kv_options *options,
		    const struct kv_engine *engine, json_t *engines)
{
	bool user = engine == &kv_engine_user;
	struct kv_error error;
	int rc, status;

	trace->engine = engine;
	if (options->slow_ns > 0)
		rc = kv_slow(trace, options, &error);
	else
		rc = user ? kv_crossing(trace, options, &error) :
			    trace_kernel(trace, options, &error);
	if (rc) {
		status = kv_error_print(&error);
	} else if (options->slow_ns > 0) {
		status = kv_report_status(&trace->alone.report);
	} else {
		show(trace, options, user, engines);
		status = kv_report_status(&trace->plain.report);
	}
	free_run(&trace->plain);
	free_run(&trace->alone);
	free_run(&trace->tree);
	free_run(&trace->whole);
	return status;
}

static int trace_engines(struct kv_trace *trace, const struct kv_options *options,
			 json_t *engines)
{
	int status, other;

	if (!options->both)
		return trace_in(trace, options, options->engine, engines);
	status = trace_in(trace, options, &kv_engine_kernel, engines);
	if (!options->json)
		putchar('\n');
	other = trace_in(trace, options, &kv_engine_user, engines);
	return status ? status : other;
}

/* a document only of what was traced */
static int put_document(const struct kv_trace *trace, const struct kv_options *options,
			json_t *engines, int status)
{
	struct kv_error error;
	json_t *json;

	if (!options->json || !json_array_size(engines)) {
		json_decref(engines);
		return status;
	}
	json = json_pack("{s:s, s:o, s:o, s:o}", "schema", KV_TRACE_SCHEMA, "command",
			 kv_options_command(options, "trace", trace->env->device),
			 "environment", kv_json_env(trace->env), "engines", engines);
	return kv_json_print(stdout, json, &error) ? kv_error_print(&error) : status;
}

/* as many operations as a buffer holds, and none that is traced and not measured */
static void choose_length(struct kv_options *options)
{
	struct kv_job *job = &options->job;

	if (!options->given[KVERBS_JOB_A_ITERATIONS] && !options->given[KVERBS_JOB_A_DURATION_MS])
		job->iterations = OPERATIONS;
	if (!options->given[KVERBS_JOB_A_WARMUP_MS])
		job->warmup_ms = 0;
}

static int trace_as(const struct kv_options *options, const char *device,
		    const struct kv_env *env)
{
	struct kv_trace trace = {
		.env = env,
		.callees = options->callees,
	};
	json_t *engines = NULL;
	struct kv_error error;
	int status;

	if (kv_tracing_open(&trace.tracing, options->buffer_kb, &error))
		return kv_error_print(&error);
	engines = options->json ? json_array() : NULL;
	trace.symbols = kv_symbols_load();
	if (kv_targets_find(device, trace.symbols, trace.target, &error))
		status = kv_error_print(&error);
	else
		status = put_document(&trace, options, engines,
				      trace_engines(&trace, options, engines));
	kv_symbols_free(trace.symbols);
	kv_tracing_close(trace.tracing);
	return status;
}

/* kverbs trace */
int kv_cmd_trace(int argc, char **argv)
{
	struct kv_options options;
	char device[KV_DEVICE_NAME];
	struct kv_error error;
	struct kv_env env;

	if (kv_options_parse(argc, argv, KV_FOR_TRACE, &options, &error))
		return kv_error_print(&error);
	if (options.help) {
		kv_options_help(stdout, "trace", KV_FOR_TRACE,
				"Runs a job, and traces the driver's functions that it calls.");
		return KV_EXIT_GOOD;
	}
	choose_length(&options);
	if (kv_unit_check(options.unit, &options.job, &error) ||
	    kv_device_pick(options.device, device, &error) ||
	    kv_gid_settle(&options, device, &error))
		return kv_error_print(&error);
	if (options.slow_ns > 0 && (options.both || options.engine == &kv_engine_user)) {
		kv_error_set(&error, KV_EXIT_USAGE,
			     "threshold: is of the kernel engine, whose completions have a tracepoint; leave --engine out");
		return kv_error_print(&error);
	}
	if (options.output && (options.both || options.engine == &kv_engine_user)) {
		kv_error_set(&error, KV_EXIT_USAGE,
			     "output: is of the kernel engine's trace; leave --engine out");
		return kv_error_print(&error);
	}
	if (options.slow_ns > 0 && options.json) {
		kv_error_set(&error, KV_EXIT_USAGE,
			     "json: is of the whole trace; --threshold shows events: leave one of them out, or read -o FILE");
		return kv_error_print(&error);
	}
	kv_env_read(device, &options.job, &env);
	kv_interrupt_catch();
	return trace_as(&options, device, &env);
}
