// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * kverbs compare: the same jobs from the kernel and from user space, as trial.c
 * asks for them. Every run makes its own QPs, CQs, MRs and buffers: where memory
 * happens to lie is the largest effect between runs, so it has to differ from run
 * to run.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/random.h>
#include "compare.h"
#include "genl.h"
#include "kverbs.h"
#include "unit.h"

#define COUNT_BLOCKS	2	/* of instructions: the second shows that they repeat */

/* the median of a part, or a call, of the control path */
#define KV_CALL(name, attr) { name " p50", name "_p50", false, false, KVERBS_METRIC_##attr }

const struct kv_value_rule kv_value_rules[KV_VALUES] = {
	[KV_VALUE_P50] = { "p50", "p50", false, true, KV_NO_METRIC },
	[KV_VALUE_P99] = { "p99", "p99", false, true, KV_NO_METRIC },
	[KV_VALUE_MAX] = { "max", "max", false, true, KV_NO_METRIC },
	[KV_VALUE_POST] = { "post p50", "post_p50", false, false, KVERBS_METRIC_POST },
	[KV_VALUE_POST_WR] = { "post/WR", "post_per_wr", false, false, KVERBS_METRIC_POST },
	[KV_VALUE_POLL] = { "poll p50", "poll_p50", false, false, KVERBS_METRIC_POLL },
	[KV_VALUE_RECV_POST] = { "recv_post p50", "recv_post_p50", false, false,
				 KVERBS_METRIC_RECV_POST },
	[KV_VALUE_RECV_POLL] = { "recv_poll p50", "recv_poll_p50", false, false,
				 KVERBS_METRIC_RECV_POLL },
	[KV_VALUE_FLUSH] = KV_CALL("flush", FLUSH),
	[KV_VALUE_RENEW] = KV_CALL("renew", RENEW),
	[KV_VALUE_CONNECT] = KV_CALL("connect", CONNECT),
	[KV_VALUE_FIRST] = KV_CALL("first", FIRST),
	[KV_VALUE_TO_RESET] = KV_CALL("to_reset", TO_RESET),
	[KV_VALUE_TO_INIT] = KV_CALL("to_init", TO_INIT),
	[KV_VALUE_TO_RTR] = KV_CALL("to_rtr", TO_RTR),
	[KV_VALUE_TO_RTS] = KV_CALL("to_rts", TO_RTS),
	[KV_VALUE_CREATE_QP] = KV_CALL("create_qp", CREATE_QP),
	[KV_VALUE_DESTROY_QP] = KV_CALL("destroy_qp", DESTROY_QP),
	[KV_VALUE_CREATE_CQ] = KV_CALL("create_cq", CREATE_CQ),
	[KV_VALUE_DESTROY_CQ] = KV_CALL("destroy_cq", DESTROY_CQ),
	[KV_VALUE_MR_ALLOC] = KV_CALL("mr_alloc", MR_ALLOC),
	[KV_VALUE_MR_FREE] = KV_CALL("mr_free", MR_FREE),
	[KV_VALUE_CREATE_ID] = KV_CALL("create_id", CREATE_ID),
	[KV_VALUE_RESOLVE_ADDR] = KV_CALL("resolve_addr", RESOLVE_ADDR),
	[KV_VALUE_RESOLVE_ROUTE] = KV_CALL("resolve_route", RESOLVE_ROUTE),
	[KV_VALUE_DISCONNECT] = KV_CALL("disconnect", DISCONNECT),
	[KV_VALUE_DESTROY_ID] = KV_CALL("destroy_id", DESTROY_ID),
	[KV_VALUE_OPS] = { "messages/s", "operations_per_s", true, false, KV_NO_METRIC },
	[KV_VALUE_BYTES] = { "bytes/s", "bytes_per_s", true, false, KV_NO_METRIC },
	[KV_VALUE_OP] = { "operation", "operation", false, false, KV_NO_METRIC },
};

/* what the module knows of the device: how large a message may be, whom it posts to */
static int look_at_device(struct kv_compare *compare, u32 *largest, struct kv_error *error)
{
	struct kv_module_info info;
	struct kv_dev *dev = NULL;
	struct kv_genl *genl;
	u64 bytes;
	u32 i;

	if (kv_module_info(&info, error))
		return -1;
	kv_clock_use(&info.clock);
	genl = kv_genl_open(error);
	if (!genl)
		return -1;
	if (kv_genl_devices(genl, compare->device, &dev, error)) {
		kv_genl_close(genl);
		return -1;
	}
	kv_genl_close(genl);
	if (!dev)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT,
				    "device %s: has no kernel verbs, so there is nothing to compare; see 'kverbs devices', or use run --engine user",
				    compare->device);
	bytes = (u64)dev->max_reg_pages * 4096 / 2;
	for (i = 0; i < dev->nports; i++) {
		if (dev->port[i].num != compare->options.job.port)
			continue;
		compare->link = dev->port[i].link;
		if (dev->port[i].max_msg < bytes)
			bytes = dev->port[i].max_msg;
	}
	*largest = bytes < KV_SIZE_MAX ? (u32)bytes : KV_SIZE_MAX;
	snprintf(compare->post_send, sizeof(compare->post_send), "%s", dev->post_send);
	kv_dev_free(dev);
	return 0;
}

static int choose_cpus(struct kv_compare *compare, struct kv_error *error)
{
	struct kv_job list = compare->options.job;
	u32 lanes = 1, i, side;

	if (list.ncpus)
		return kv_cpus_check(&list, error);
	for (i = 0; i < compare->narms; i++) {
		if (kv_job_lanes(&compare->arm[i].job[KV_USER]) > lanes)
			lanes = kv_job_lanes(&compare->arm[i].job[KV_USER]);
	}
	if (kv_cpus_choose(compare->device, lanes, &list, error))
		return -1;
	for (i = 0; i < compare->narms; i++) {
		for (side = 0; side < KV_SIDES; side++) {
			compare->arm[i].job[side].ncpus = list.ncpus;
			memcpy(compare->arm[i].job[side].cpu, list.cpu, sizeof(list.cpu));
		}
	}
	return 0;
}

static void take_values(const struct kv_report *report, double *value, struct kv_tally *tally)
{
	const struct kv_summary *s = &report->summary;
	const struct kv_figure *main_figure = &s->metric[kv_main_metric(s)];
	u32 i, metric;

	for (i = 0; i < KV_VALUES; i++) {
		metric = kv_value_rules[i].metric;
		if (metric == KV_NO_METRIC)
			continue;
		value[i] = s->metric[metric].p50;
		kv_tally_add(&tally[i], &s->metric[metric]);
	}
	value[KV_VALUE_POST_WR] /= report->result->granted.chain;
	value[KV_VALUE_P50] = main_figure->p50;
	value[KV_VALUE_P99] = main_figure->p99;
	value[KV_VALUE_MAX] = main_figure->max;
	value[KV_VALUE_OPS] = s->ops_s;
	value[KV_VALUE_BYTES] = s->bytes_s;
	value[KV_VALUE_OP] = s->op_ns;
}

/* what must be the same on both sides, or the ratio means nothing */
static int same_terms(const struct kv_arm *arm, struct kv_error *error)
{
	const struct kv_job *k = &arm->granted[KV_KERNEL], *u = &arm->granted[KV_USER];

	if (*arm->absent[KV_KERNEL] || *arm->absent[KV_USER])
		return 0;
	if (k->gid_index != u->gid_index)
		return kv_error_set(error, KV_EXIT_MEASUREMENT,
				    "the kernel took GID %u and user space GID %u; choose one with -x",
				    k->gid_index, u->gid_index);
	if (k->mtu != u->mtu || k->outstanding != u->outstanding || k->chain != u->chain ||
	    k->signal != u->signal || k->recv_depth != u->recv_depth ||
	    k->poll_batch != u->poll_batch)
		return kv_error_set(error, KV_EXIT_MEASUREMENT,
				    "the engines were not granted the same MTU (%u, %u) and queue settings (-t %u, %u; -r %u, %u); ask for them with -m, -t and -r",
				    k->mtu, u->mtu, k->outstanding, u->outstanding,
				    k->recv_depth, u->recv_depth);
	return 0;
}

static void print_failed_check(const struct kv_report *report)
{
	u32 i;

	kv_progress_end();
	for (i = 0; i < KV_CHECKS; i++) {
		if (report->checks.check[i].failed)
			fprintf(stderr, "kverbs: %s engine: check failed: %s: %s\n",
				report->result->engine, report->checks.check[i].name,
				report->checks.check[i].text);
	}
}

/* has the device gone, or is it about to? its parts go one after the other */
static bool gone(const char *device)
{
	const struct timespec pause = { .tv_nsec = 50 * 1000 * 1000 };
	int i;

	for (i = 0; i < 20; i++) {
		if (!kv_device_exists(device))
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

/* parts of the time of an operation; with timing lat polls are in the wait */
static void take_parts(const struct kv_report *report, struct kv_parts *parts)
{
	const struct kv_summary *s = &report->summary;

	/* of a turn they are said of its calls instead */
	if (kv_shape_rules[report->result->granted.shape].control)
		return;
	if (!isfinite(s->share_post) || !isfinite(s->op_ns))
		return;
	parts->runs++;
	parts->sum[KV_PART_POST] += s->share_post * s->op_ns;
	parts->sum[KV_PART_WAIT] += s->share_empty * s->op_ns;
	parts->sum[KV_PART_CLOCK] += s->share_rest * s->op_ns;
	parts->sum[KV_PART_POLL] += s->share_poll * s->op_ns;
}

static void take_beside(const struct kv_report *report, struct kv_beside_sum *sum)
{
	if (!report->beside)
		return;
	sum->runs++;
	sum->ops_s += report->beside->summary.ops_s;
	sum->bytes_s += report->beside->summary.bytes_s;
}

/* the samples of a run are added to those of the runs before */
static void take_histograms(const struct kv_report *report, struct kv_hist **hist)
{
	u32 metric;

	for (metric = 0; metric < __KVERBS_METRIC_MAX; metric++) {
		if (!report->summary.metric[metric].count)
			continue;
		if (!hist[metric]) {
			hist[metric] = malloc(sizeof(**hist));
			if (!hist[metric])
				continue;
			kv_hist_clear(hist[metric]);
		}
		kv_metric_merge(report->result, metric, hist[metric]);
	}
}

/* what is kept of a run that ended well */
static void take_run(struct kv_compare *compare, struct kv_arm *arm, enum kv_side side,
		     u32 block, u32 turn, const struct kv_report *report)
{
	arm->granted[side] = report->result->granted;
	arm->lane[side] = report->result->lane[0];
	memset(arm->lane[side].hist, 0, sizeof(arm->lane[side].hist));
	take_parts(report, &arm->parts[side]);
	take_beside(report, &arm->beside[side]);
	take_histograms(report, arm->hist[side]);
	compare->clock[side] = report->result->clock;
	arm->runs++;
	arm->contaminated += report->noise.contaminated;
	compare->runs++;
	compare->contaminated += report->noise.contaminated;
	compare->failed_checks += report->failed_checks;
	if (report->failed_checks)
		print_failed_check(report);
	if (compare->options.json)
		json_array_append_new(compare->json_runs,
				      json_pack("{s:I, s:I, s:I, s:s, s:o}",
						"block", (json_int_t)block + 1,
						"position", (json_int_t)turn + 1,
						"arm", (json_int_t)(arm - compare->arm),
						"side", side == KV_KERNEL ? "kernel" : "user",
						"run", kv_json_report(report, false)));
}

/* the driver of this engine may not have it: then the other side is shown alone */
static int not_driven(struct kv_compare *compare, struct kv_arm *arm, enum kv_side side,
		      struct kv_error *error)
{
	if (error->unimplemented) {
		snprintf(arm->absent[side], sizeof(arm->absent[side]), "%.159s", error->text);
		compare->skipped++;
		return 0;
	}
	/* it was there when the comparison began */
	if (error->status == KV_EXIT_ENVIRONMENT && gone(compare->device))
		kv_error_set(error, KV_EXIT_MEASUREMENT, "device %s: %s", compare->device,
			     kv_reason_name(KVERBS_REASON_DEVICE_GONE));
	return -1;
}

static void describe(const struct kv_compare *compare, const struct kv_arm *arm,
		     enum kv_side side, char *text, size_t room)
{
	char size[KV_TEXT];

	snprintf(text, room, "block %u%s%.0u: %s of %s, %s, %s", compare->trial->blocks + 1,
		 compare->trial->planned ? " of " : "", compare->trial->planned,
		 kv_op_name(arm->job[side].step[0].op),
		 kv_text_size(arm->job[side].step[0].size, size),
		 kv_shape_name(arm->job[side].shape), arm->engine[side]->name);
}

/* one run, on fresh objects */
static int run_arm(void *of, u32 index, enum kv_side side, u32 block, u32 turn, double *value,
		   struct kv_error *error)
{
	struct kv_compare *compare = of;
	struct kv_arm *arm = &compare->arm[index];
	struct kv_job job = arm->job[side];
	struct kv_with with = compare->options.with;
	struct kv_report report;
	char what[96];
	int rc = 0;

	/* the null device of a proof shows what the tool itself costs */
	with.given &= arm->device == compare->device;
	kv_job_for(&job, arm->engine[side] == &kv_engine_kernel);
	if (*arm->absent[side]) {
		compare->skipped++;
		return 0;
	}
	describe(compare, arm, side, what, sizeof(what));
	kv_ledger_match(compare, arm->as == KV_AS_MATCHED);
	if (kv_drive_with(&with, arm->engine[side], arm->device, &job, compare->options.unit,
			  what, NULL, &report, error))
		return not_driven(compare, arm, side, error);
	if (report.result->state != KVERBS_STATE_DONE) {
		error->status = KV_EXIT_MEASUREMENT;
		kv_explain(report.result, error->text, sizeof(error->text));
		rc = -1;
	} else if (kv_beside_failed(&report)) {
		kv_beside_why(&report, error);
		rc = -1;
	} else if (!kv_interrupted()) {
		take_values(&report, value, arm->tally[side]);
		take_run(compare, arm, side, block, turn, &report);
	}
	kv_report_free(&report);
	/* both sides of a block have run */
	if (!rc && turn + 1 == KV_TURNS && !kv_interrupted())
		rc = same_terms(arm, error);
	return rc;
}

static double seconds(void *of)
{
	return kv_seconds();
}

static bool stopped(void *of)
{
	return kv_interrupted();
}

static u64 draw_seed(void)
{
	u32 seed;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		seed = (u32)kv_cpu_clock();
	return seed;
}

/* what is decided before anything is measured */
static int design(struct kv_compare *compare, struct kv_error *error)
{
	const struct kv_options *options = &compare->options;
	struct kv_design design = {
		.blocks = options->rounds,
		.repeats = kv_unit_is_time(options->unit) ? 0 : COUNT_BLOCKS,
		.seconds = options->seconds > 0 ? options->seconds : KV_TRIAL_SECONDS,
		.hard = options->seconds > 0,
		.seed = options->given_seed ? options->seed : draw_seed(),
		.margin = options->margin,
		.tick = 1,
		.level = KV_LEVEL,
	};
	u32 arm, value;

	compare->trial = kv_trial_new(&design, compare->narms, KV_VALUES);
	if (!compare->trial)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT, "out of memory");
	for (arm = 0; arm < compare->narms; arm++)
		compare->trial->primary[arm] = compare->arm[arm].primary;
	for (value = 0; value < KV_VALUES; value++)
		compare->trial->rates |= (u32)kv_value_rules[value].rate << value;
	return 0;
}

/**
 * kv_compare_measure - run the trial of a comparison
 * @compare: its arms are planned
 * @error: filled on failure
 * Return: 0, or -1; what was measured until then is there
 */
int kv_compare_measure(struct kv_compare *compare, struct kv_error *error)
{
	const struct kv_source source = { compare, run_arm, seconds, stopped };
	int rc;

	if (design(compare, error))
		return -1;
	rc = kv_trial_run(compare->trial, &source, error);
	kv_progress_end();
	return rc;
}

static int print(struct kv_compare *compare, struct kv_error *error)
{
	const struct kv_preset *preset = compare->options.preset;
	json_t *json;

	if (!compare->options.json) {
		kv_print_preset(stdout, preset);
		kv_print_compare(stdout, compare);
		return 0;
	}
	json = kv_json_compare(compare);
	if (preset)
		json_object_set_new(json, "preset", json_string(preset->name));
	json_object_set_new(json, "command", kv_options_command(&compare->options, "compare",
								compare->device));
	return kv_document_put(&compare->options, json, error);
}

void kv_compare_free(struct kv_compare *compare)
{
	u32 arm, side, metric;

	for (arm = 0; arm < compare->narms; arm++) {
		for (side = 0; side < KV_SIDES; side++) {
			for (metric = 0; metric < __KVERBS_METRIC_MAX; metric++)
				free(compare->arm[arm].hist[side][metric]);
		}
	}
	kv_trial_free(compare->trial);
	free(compare->proof);
	json_decref(compare->json_runs);
	free(compare);
}

/* the status that what was measured deserves */
static int judge(const struct kv_compare *compare, struct kv_error *error)
{
	if (compare->failed_checks)
		return KV_EXIT_MEASUREMENT;
	if (kv_interrupted())
		return KV_EXIT_INTERRUPTED;
	return kv_verdict_expected(compare, error) ? kv_error_print(error) : KV_EXIT_GOOD;
}

static int find_resolution(struct kv_compare *compare, struct kv_error *error)
{
	if (compare->arm[0].primary != KV_VALUE_P50)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "--prove needs a job with one WR outstanding, and times; use --shape lat");
	compare->proof = calloc(1, sizeof(*compare->proof));
	if (!compare->proof)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT, "out of memory");
	return kv_prove(compare, compare->proof, error);
}

/* only like is compared: what has no counterpart is refused, or is the kernel's alone */
static int check_context(struct kv_compare *compare, struct kv_error *error)
{
	const struct kv_context_rule *context = &kv_context_rules[compare->options.job.context];
	u32 i;

	if (context->user)
		return 0;
	if (!compare->options.unlike)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "context %s: user space has no counterpart to compare it with; use busy, woken or hybrid, or --unlike for the kernel's side alone",
				    context->name);
	for (i = 0; i < compare->narms; i++)
		snprintf(compare->arm[i].absent[KV_USER], sizeof(compare->arm[i].absent[KV_USER]),
			 "no counterpart: user space has nothing like context %s", context->name);
	return 0;
}

/* the same question, answered by other means: shown side by side, and not judged */
static int check_reg(struct kv_compare *compare, struct kv_error *error)
{
	const struct kv_reg_rule *reg = &kv_reg_rules[compare->options.job.reg];
	u32 i;

	if (compare->options.job.reg == KVERBS_REG_ONCE)
		return 0;
	if (!reg->user || !reg->kernel)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "reg %s: %s has nothing like it, there is nothing to compare; use kverbs run",
				    reg->name, reg->user ? "the kernel" : "user space");
	if (!compare->options.unlike)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "reg %s: has no exact counterpart, in the kernel it is %s and in user space %s; --unlike shows both, without a verdict",
				    reg->name, reg->kernel, reg->user);
	for (i = 0; i < compare->narms; i++)
		compare->arm[i].primary = KV_NO_PRIMARY;
	snprintf(compare->unlike, sizeof(compare->unlike),
		 "registration: no exact counterpart: in the kernel %s a message, in user space %s",
		 reg->kernel, reg->user);
	return 0;
}

/* an MR is not the same thing on both sides */
static void note_mr(struct kv_compare *compare)
{
	if (compare->options.job.shape == KVERBS_SHAPE_SETUP)
		snprintf(compare->unlike, sizeof(compare->unlike),
			 "mr_alloc, mr_free: no exact counterpart: ib_alloc_mr makes an MR that has no memory yet, ibv_reg_mr pins and maps it; it is not part of setup");
}

static int compare_on(struct kv_compare *compare, struct kv_error *error)
{
	struct kv_error later;
	u32 largest = 0;
	int rc;

	if (kv_unit_check(compare->options.unit, &compare->options.job, error) ||
	    kv_device_pick(compare->options.device, compare->device, error) ||
	    kv_gid_settle(&compare->options, compare->device, error) ||
	    look_at_device(compare, &largest, error))
		return kv_error_print(error);
	kv_ledger_own(compare);
	kv_ledger_match(compare, compare->options.as != KV_AS_NATIVE);
	kv_env_read(compare->device, &compare->options.job, &compare->env);
	kv_arms_plan(compare, largest);
	if (check_context(compare, error) || check_reg(compare, error))
		return kv_error_print(error);
	note_mr(compare);
	kv_ledger_fill(compare);
	if (choose_cpus(compare, error))
		return kv_error_print(error);
	kv_interrupt_catch();
	if (compare->options.prove && find_resolution(compare, error))
		return kv_error_print(error);
	rc = kv_compare_measure(compare, error);
	/* blocks so far are shown even when a run failed */
	if (compare->runs && print(compare, &later))
		return kv_error_print(&later);
	return rc ? kv_error_print(error) : judge(compare, error);
}

/**
 * kv_compare_as - compare, and write what was measured
 * @options: as read
 * Return: exit status
 */
int kv_compare_as(const struct kv_options *options)
{
	struct kv_compare *compare = calloc(1, sizeof(*compare));
	struct kv_error error = { .status = KV_EXIT_ENVIRONMENT, .text = "out of memory" };
	int status;

	if (!compare)
		return kv_error_print(&error);
	compare->options = *options;
	compare->json_runs = json_array();
	status = compare_on(compare, &error);
	kv_compare_free(compare);
	return status;
}

/* kverbs compare */
int kv_cmd_compare(int argc, char **argv)
{
	struct kv_options options;
	struct kv_error error;

	if (kv_options_parse(argc, argv, KV_FOR_COMPARE, &options, &error))
		return kv_error_print(&error);
	if (!options.help)
		return kv_output_to(options.output, &error) ? kv_error_print(&error) :
							      kv_compare_as(&options);
	kv_options_help(stdout, "compare", KV_FOR_COMPARE,
			"Runs the same jobs in the kernel and in user space and compares them.\n"
			"Without --op, -s and --shape: write, read and send of 64 bytes, on hardware of\n"
			"64 KiB too, one outstanding (lat) and a window of 64 (rate).\n"
			"Of instructions: of 64 bytes, alone and in chains of 16.");
	return KV_EXIT_GOOD;
}
