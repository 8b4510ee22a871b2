// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * kverbs compare: the same jobs from the kernel and from user space.
 *
 * Every round runs every arm in both engines, one right after the other, in an
 * order that is drawn anew; which engine is first alternates. Every run makes
 * its own QPs, CQs, MRs and buffers: where memory happens to lie is the largest
 * effect between runs, so it has to differ from round to round.
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

#define SMALL_BYTES	64
#define LARGE_BYTES	65536
#define RATE_OUTSTANDING 64	/* of messages up to LARGE_FROM bytes */
#define RATE_LARGE	8	/* of larger ones: a turn of the queue takes its time */
#define RATE_SIGNAL	4	/* signalled WRs of a turn */
#define LARGE_FROM	4096
#define LAT_MS		100	/* measured window of an arm */
#define RATE_MS		50
#define WARMUP_MS	10
#define ROUNDS_MIN	3
#define ROUNDS_MOST	20	/* chosen; --rounds may ask for more */
#define BUDGET_S	24.0	/* of all rounds together, when none are asked for */

#define INSN_CHAIN	16	/* of instructions: WRs of a chain */
#define INSN_INLINE	64	/* and what every HCA takes inline */
#define INSN_WARMUP_MS	2	/* there are no caches to warm */

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
	[KV_VALUE_OPS] = { "messages/s", "operations_per_s", true, false, KV_NO_METRIC },
	[KV_VALUE_BYTES] = { "bytes/s", "bytes_per_s", true, false, KV_NO_METRIC },
	[KV_VALUE_OP] = { "operation", "operation", false, false, KV_NO_METRIC },
};

#define TIMES	(1U << KV_VALUE_P50 | 1U << KV_VALUE_P99 | 1U << KV_VALUE_MAX | \
		 1U << KV_VALUE_POST | 1U << KV_VALUE_POLL)
#define RATES	(1U << KV_VALUE_OPS | 1U << KV_VALUE_BYTES)
/* of instructions */
#define CALLS	(1U << KV_VALUE_POST | 1U << KV_VALUE_POLL)
#define RECVS	(1U << KV_VALUE_RECV_POST | 1U << KV_VALUE_RECV_POLL)
#define INLINES	(1U << KV_VALUE_POST)
#define CHAINS	(1U << KV_VALUE_POST | 1U << KV_VALUE_POST_WR)

/* a window, where nothing was asked of it */
static void fill_window(const struct kv_options *options, struct kv_job *job)
{
	bool times = kv_unit_is_time(options->unit);

	if (job->outstanding == KV_AUTO && job->chain == KV_AUTO && job->signal == KV_AUTO) {
		job->outstanding = times && job->step[0].size > LARGE_FROM ? RATE_LARGE :
									     RATE_OUTSTANDING;
		if (!times)
			job->chain = INSN_CHAIN;
	}
	if (job->signal == KV_AUTO && job->outstanding != KV_AUTO)
		job->signal = job->outstanding < RATE_SIGNAL ? 1 : job->outstanding / RATE_SIGNAL;
}

/* the arm's job: what was asked for, completed by what the arm is about */
static struct kv_job arm_job(const struct kv_options *options, u32 op, u32 size, u32 shape)
{
	bool window = kv_shape_rules[shape].chains, times = kv_unit_is_time(options->unit);
	struct kv_job job = options->job;

	job.step[0].op = op;
	job.step[0].size = size;
	job.shape = shape;
	if (times && !options->given[KVERBS_JOB_A_ITERATIONS] &&
	    !options->given[KVERBS_JOB_A_DURATION_MS])
		job.duration_ms = window ? RATE_MS : LAT_MS;
	if (!options->given[KVERBS_JOB_A_WARMUP_MS])
		job.warmup_ms = times ? WARMUP_MS : INSN_WARMUP_MS;
	if (!options->given[KVERBS_JOB_A_TIMING])
		job.timing = window ? KVERBS_TIMING_LAT : KVERBS_TIMING_ALL;
	if (window) {
		fill_window(options, &job);
	} else if (!options->given[KVERBS_JOB_A_SHAPE]) {
		/* a window that was asked for is one of the arm that has it */
		job.outstanding = KV_AUTO;
		job.chain = KV_AUTO;
		job.signal = KV_AUTO;
		job.poll_batch = KV_AUTO;
	}
	kv_options_count(options, &job);
	if (!kv_op_rules[op].two_sided && !options->given_op)
		job.recv_depth = KV_AUTO;
	return job;
}

static void add_arm(struct kv_compare *compare, u32 op, u32 size, u32 shape, u32 values)
{
	struct kv_arm *arm = &compare->arm[compare->narms++];

	arm->job = arm_job(&compare->options, op, size, shape);
	arm->values = values;
}

/* of instructions: of each call alone, of a post with inline data, and of a chain's */
static void add_counts(struct kv_compare *compare, u32 op, u32 size)
{
	const struct kv_options *options = &compare->options;
	u32 calls = CALLS | (kv_op_rules[op].two_sided ? RECVS : 0);

	if (options->given[KVERBS_JOB_A_SHAPE]) {
		add_arm(compare, op, size, options->job.shape,
			kv_shape_rules[options->job.shape].chains ? CHAINS : calls);
		return;
	}
	add_arm(compare, op, size, KVERBS_SHAPE_LAT, calls);
	if (!options->given[KVERBS_JOB_A_INLINE_DATA] && !kv_op_rules[op].reads &&
	    size <= INSN_INLINE) {
		add_arm(compare, op, size, KVERBS_SHAPE_LAT, INLINES);
		compare->arm[compare->narms - 1].job.inline_data = size;
	}
	add_arm(compare, op, size, KVERBS_SHAPE_RATE, CHAINS);
}

static void add_case(struct kv_compare *compare, u32 op, u32 size)
{
	const struct kv_options *options = &compare->options;

	if (!kv_unit_is_time(options->unit)) {
		add_counts(compare, op, size);
		return;
	}

	if (options->given[KVERBS_JOB_A_SHAPE]) {
		add_arm(compare, op, size, options->job.shape,
			kv_shape_rules[options->job.shape].chains ? TIMES | RATES :
								    TIMES);
		return;
	}
	add_arm(compare, op, size, KVERBS_SHAPE_LAT, TIMES);
	add_arm(compare, op, size, KVERBS_SHAPE_RATE, RATES);
}

/* the first latency arm once more without time stamps */
static void add_quiet(struct kv_compare *compare)
{
	struct kv_arm *arm = &compare->arm[compare->narms];

	if (compare->options.given[KVERBS_JOB_A_TIMING] ||
	    !kv_unit_is_time(compare->options.unit) ||
	    kv_shape_rules[compare->arm[0].job.shape].window)
		return;
	arm->job = compare->arm[0].job;
	arm->job.timing = KVERBS_TIMING_NONE;
	arm->quiet = true;
	compare->narms++;
}

static void make_plan(struct kv_compare *compare, u32 largest)
{
	static const u32 plain[] = { KVERBS_OP_WRITE, KVERBS_OP_READ, KVERBS_OP_SEND };
	const struct kv_options *options = &compare->options;
	u32 large = largest < LARGE_BYTES ? largest : LARGE_BYTES, op, i;

	for (i = 0; i < (options->given_op ? 1 : KV_ARRAY_SIZE(plain)); i++) {
		op = options->given_op ? options->job.step[0].op : plain[i];
		if (!options->given_op &&
		    !(kv_op_rules[op].transports & 1U << options->job.transport))
			continue;
		if (!options->given_op && options->given[KVERBS_JOB_A_SHAPE] &&
		    !(kv_op_rules[op].shapes & 1U << options->job.shape))
			continue;
		if (options->given_size || kv_op_rules[op].bytes) {
			add_case(compare, op, options->job.step[0].size);
			continue;
		}
		add_case(compare, op, SMALL_BYTES);
		/* the CPU does not touch the payload */
		if (large > SMALL_BYTES && kv_unit_is_time(options->unit) &&
		    !kv_transport_rules[options->job.transport].datagram)
			add_case(compare, op, large);
	}
	add_quiet(compare);
}

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
		if (dev->port[i].num == compare->options.job.port && dev->port[i].max_msg < bytes)
			bytes = dev->port[i].max_msg;
	}
	*largest = bytes < KV_SIZE_MAX ? (u32)bytes : KV_SIZE_MAX;
	snprintf(compare->post_send, sizeof(compare->post_send), "%s", dev->post_send);
	kv_dev_free(dev);
	return 0;
}

/* matched mode: what user space has and the kernel has not is switched off */
static void match_provider(const struct kv_env *env)
{
	if (strncmp(env->facts.driver, "mlx5", 4))
		return;
	setenv("MLX5_SHUT_UP_BF", "1", 0);
	setenv("MLX5_SCATTER_TO_CQE", "0", 0);
}

static int choose_cpus(struct kv_compare *compare, struct kv_error *error)
{
	struct kv_job list = compare->options.job;
	u32 lanes = 1, i;

	if (list.ncpus)
		return kv_cpus_check(&list, error);
	for (i = 0; i < compare->narms; i++) {
		if (kv_job_lanes(&compare->arm[i].job) > lanes)
			lanes = kv_job_lanes(&compare->arm[i].job);
	}
	if (kv_cpus_choose(compare->device, lanes, &list, error))
		return -1;
	for (i = 0; i < compare->narms; i++) {
		compare->arm[i].job.ncpus = list.ncpus;
		memcpy(compare->arm[i].job.cpu, list.cpu, sizeof(list.cpu));
	}
	return 0;
}

static int make_room(struct kv_compare *compare, struct kv_error *error)
{
	size_t n, i;
	u32 arm, side;

	compare->rounds_max = compare->options.rounds ? compare->options.rounds : ROUNDS_MOST;
	n = (size_t)compare->rounds_max * KV_VALUES;
	for (arm = 0; arm < compare->narms; arm++) {
		for (side = 0; side < KV_SIDES; side++) {
			double *sample = malloc(n * sizeof(*sample));

			if (!sample)
				return kv_error_set(error, KV_EXIT_ENVIRONMENT, "out of memory");
			for (i = 0; i < n; i++)
				sample[i] = NAN;
			compare->arm[arm].sample[side] = sample;
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

static int run_arm(struct kv_compare *compare, struct kv_arm *arm, enum kv_side side,
		   struct kv_error *error)
{
	const struct kv_engine *engine = side == KV_KERNEL ? &kv_engine_kernel : &kv_engine_user;
	struct kv_job job = arm->job;
	struct kv_report report;
	int rc = 0;

	kv_job_for(&job, side == KV_KERNEL);
	if (*arm->absent[side]) {
		compare->skipped++;
		return 0;
	}
	if (kv_drive(engine, compare->device, &job, compare->options.unit, NULL, &report,
		     error)) {
		if (error->unimplemented) {
			snprintf(arm->absent[side], sizeof(arm->absent[side]), "%.159s",
				 error->text);
			compare->skipped++;
			return 0;
		}
		/* it was there when the comparison began */
		if (error->status == KV_EXIT_ENVIRONMENT && gone(compare->device))
			kv_error_set(error, KV_EXIT_MEASUREMENT, "device %s: %s", compare->device,
				     kv_reason_name(KVERBS_REASON_DEVICE_GONE));
		return -1;
	}
	if (report.result->state != KVERBS_STATE_DONE) {
		error->status = KV_EXIT_MEASUREMENT;
		kv_explain(report.result, error->text, sizeof(error->text));
		rc = -1;
	} else if (!kv_interrupted()) {
		take_values(&report, arm->sample[side] + compare->rounds * KV_VALUES,
			    arm->tally[side]);
		arm->granted[side] = report.result->granted;
		arm->lane[side] = report.result->lane[0];
		memset(arm->lane[side].hist, 0, sizeof(arm->lane[side].hist));
		compare->clock[side] = report.result->clock;
		arm->runs++;
		arm->contaminated += report.noise.contaminated;
		compare->runs++;
		compare->contaminated += report.noise.contaminated;
		compare->failed_checks += report.failed_checks;
		if (report.failed_checks)
			print_failed_check(&report);
		if (compare->options.json)
			json_array_append_new(compare->json_runs,
					      json_pack("{s:I, s:I, s:o}",
							"round", (json_int_t)compare->rounds + 1,
							"arm", (json_int_t)(arm - compare->arm),
							"run", kv_json_report(&report, true)));
	}
	kv_report_free(&report);
	return rc;
}

static void shuffle(u32 *order, u32 n)
{
	u32 i, j, swap, draw;

	for (i = 0; i < n; i++)
		order[i] = i;
	for (i = n; i > 1; i--) {
		if (getrandom(&draw, sizeof(draw), GRND_NONBLOCK) != sizeof(draw))
			draw = (u32)kv_cpu_clock();
		j = draw % i;
		swap = order[i - 1];
		order[i - 1] = order[j];
		order[j] = swap;
	}
}

static void show_progress(const struct kv_compare *compare, const struct kv_arm *arm,
			  enum kv_side side, u32 rounds)
{
	char size[KV_TEXT];

	kv_progress("round %u of %u: %s of %s, %s, %s", compare->rounds + 1, rounds,
		    kv_op_name(arm->job.step[0].op),
		    kv_text_size(arm->job.step[0].size, size), kv_shape_name(arm->job.shape),
		    side == KV_KERNEL ? "kernel" : "user");
}

/* one round; the values of an arm count when both sides have them */
static int run_round(struct kv_compare *compare, u32 rounds, struct kv_error *error)
{
	u32 order[KV_ARMS_MAX], i, turn;

	shuffle(order, compare->narms);
	for (i = 0; i < compare->narms; i++) {
		struct kv_arm *arm = &compare->arm[order[i]];

		for (turn = 0; turn < KV_SIDES; turn++) {
			enum kv_side side = (turn + order[i] + compare->rounds) % KV_SIDES;

			show_progress(compare, arm, side, rounds);
			if (run_arm(compare, arm, side, error))
				return -1;
			if (kv_interrupted())
				return 0;
		}
		if (same_terms(arm, error))
			return -1;
	}
	return 0;
}

static int run_rounds(struct kv_compare *compare, struct kv_error *error)
{
	u32 rounds = compare->options.rounds ? compare->options.rounds : ROUNDS_MIN;
	double start = kv_seconds(), fit;
	int rc = 0;

	while (!rc && compare->rounds < rounds && !kv_interrupted()) {
		rc = run_round(compare, rounds, error);
		compare->rounds++;
		compare->elapsed_s = kv_seconds() - start;
		/* instructions are the same in every round; a second one shows it */
		if (compare->options.rounds || !kv_unit_is_time(compare->options.unit))
			continue;
		fit = BUDGET_S * compare->rounds / compare->elapsed_s;
		rounds = fit < ROUNDS_MIN ? ROUNDS_MIN : fit > ROUNDS_MOST ? ROUNDS_MOST : (u32)fit;
	}
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
	return kv_json_print(stdout, json, error);
}

static void free_compare(struct kv_compare *compare)
{
	u32 arm, side;

	for (arm = 0; arm < compare->narms; arm++) {
		for (side = 0; side < KV_SIDES; side++)
			free(compare->arm[arm].sample[side]);
	}
	json_decref(compare->json_runs);
	free(compare);
}

static int compare_on(struct kv_compare *compare, struct kv_error *error)
{
	int status = KV_EXIT_GOOD, rc;
	struct kv_error later;
	u32 largest = 0;

	if (kv_unit_check(compare->options.unit, &compare->options.job, error) ||
	    kv_device_pick(compare->options.device, compare->device, error) ||
	    look_at_device(compare, &largest, error))
		return kv_error_print(error);
	make_plan(compare, largest);
	kv_env_read(compare->device, &compare->options.job, &compare->env);
	match_provider(&compare->env);
	kv_env_read(compare->device, &compare->options.job, &compare->env);
	kv_ledger_fill(compare);
	if (choose_cpus(compare, error) || make_room(compare, error))
		return kv_error_print(error);
	kv_interrupt_catch();
	rc = run_rounds(compare, error);
	/* rounds so far are shown even when a run failed */
	if (compare->runs && print(compare, &later))
		return kv_error_print(&later);
	if (rc)
		return kv_error_print(error);
	if (compare->failed_checks)
		status = KV_EXIT_MEASUREMENT;
	return kv_interrupted() ? KV_EXIT_INTERRUPTED : status;
}

/* kverbs compare */
int kv_cmd_compare(int argc, char **argv)
{
	struct kv_compare *compare = calloc(1, sizeof(*compare));
	struct kv_error error = { .status = KV_EXIT_ENVIRONMENT, .text = "out of memory" };
	int status;

	if (!compare)
		return kv_error_print(&error);
	compare->json_runs = json_array();
	if (kv_options_parse(argc, argv, KV_FOR_COMPARE, &compare->options, &error)) {
		status = kv_error_print(&error);
	} else if (compare->options.help) {
		kv_options_help(stdout, "compare", KV_FOR_COMPARE,
				"Runs the same jobs in the kernel and in user space and compares them.\n"
				"Without --op, -s and --shape: write, read and send of 64 bytes and 64 KiB,\n"
				"one outstanding (lat) and a window of 64 (rate).\n"
				"Of instructions: of 64 bytes, alone and in chains of 16.");
		status = KV_EXIT_GOOD;
	} else {
		status = compare_on(compare, &error);
	}
	free_compare(compare);
	return status;
}
