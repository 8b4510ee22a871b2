// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Which jobs a comparison has, and what is shown of each. */
#include <string.h>
#include "compare.h"
#include "unit.h"

#define SMALL_BYTES	64
#define LARGE_BYTES	65536
#define RATE_OUTSTANDING 64	/* of messages up to LARGE_FROM bytes */
#define RATE_LARGE	8	/* of larger ones: a turn of the queue takes its time */
#define RATE_SIGNAL	4	/* signalled WRs of a turn */
#define LARGE_FROM	4096
#define RUN_MS_LEAST	20	/* measured window of a run */
#define RUN_MS_MOST	100
#define WARMUP_MS	10
#define TURNS		24	/* of a run on the control path: enough for a median */

#define INSN_CHAIN	16	/* of instructions: WRs of a chain */
#define INSN_INLINE	64	/* and what every HCA takes inline */
#define INSN_WARMUP_MS	2	/* there are no caches to warm */

#define TIMES	(1U << KV_VALUE_P50 | 1U << KV_VALUE_P99 | 1U << KV_VALUE_MAX | \
		 1U << KV_VALUE_POST | 1U << KV_VALUE_POLL)
/* of a shape of the control path: its parts, and the calls that it has */
#define TURN	(1U << KV_VALUE_P50 | 1U << KV_VALUE_P99 | 1U << KV_VALUE_MAX)
#define TO_RTS	(1U << KV_VALUE_TO_INIT | 1U << KV_VALUE_TO_RTR | 1U << KV_VALUE_TO_RTS)
#define PARTS	(TURN | TO_RTS | 1U << KV_VALUE_FLUSH | 1U << KV_VALUE_RENEW | \
		 1U << KV_VALUE_CONNECT | 1U << KV_VALUE_FIRST)
#define SETUP	(TURN | ANEW | 1U << KV_VALUE_CREATE_CQ | 1U << KV_VALUE_DESTROY_CQ | \
		 1U << KV_VALUE_MR_ALLOC | 1U << KV_VALUE_MR_FREE)
#define BY_CM	(1U << KV_VALUE_CREATE_ID | 1U << KV_VALUE_RESOLVE_ADDR | \
		 1U << KV_VALUE_RESOLVE_ROUTE | 1U << KV_VALUE_CONNECT | \
		 1U << KV_VALUE_DISCONNECT | 1U << KV_VALUE_DESTROY_ID)
#define BY_RESET (1U << KV_VALUE_TO_RESET)
#define ANEW	(1U << KV_VALUE_DESTROY_QP | 1U << KV_VALUE_CREATE_QP)
#define RATES	(1U << KV_VALUE_OPS | 1U << KV_VALUE_BYTES)
/* of instructions */
#define CALLS	(1U << KV_VALUE_POST | 1U << KV_VALUE_POLL)
#define RECVS	(1U << KV_VALUE_RECV_POST | 1U << KV_VALUE_RECV_POLL)
#define INLINES	(1U << KV_VALUE_POST)
#define CHAINS	(1U << KV_VALUE_POST | 1U << KV_VALUE_POST_WR)

/* what is shown of a job of the shape that was asked for */
static u32 values_of(const struct kv_compare *compare)
{
	const struct kv_job *job = &compare->options.job;
	u32 connect = job->connect == KV_AUTO ? kv_connect_by(compare->link) : job->connect;

	if (job->shape == KVERBS_SHAPE_SETUP)
		return SETUP | (connect == KVERBS_CONNECT_CM ? BY_CM : TO_RTS);
	if (kv_shape_rules[job->shape].control)
		return PARTS | (job->recover == KVERBS_RECOVER_RECREATE ? ANEW : BY_RESET);
	return kv_shape_rules[job->shape].chains ? TIMES | RATES : TIMES;
}

/* a window, where nothing was asked of it */
static void fill_window(const struct kv_options *options, struct kv_job *job)
{
	bool times = kv_unit_is_time(options->unit);

	if (job->outstanding == KV_AUTO && job->chain == KV_AUTO && job->signal == KV_AUTO) {
		job->outstanding = kv_job_even(job, times && job->step[0].size > LARGE_FROM ?
						    RATE_LARGE : RATE_OUTSTANDING);
		if (!times)
			job->chain = INSN_CHAIN;
	}
	if (job->signal == KV_AUTO && job->outstanding != KV_AUTO && job->lane_qps == 1)
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
	if (!options->given[KVERBS_JOB_A_WARMUP_MS])
		job.warmup_ms = times ? WARMUP_MS : INSN_WARMUP_MS;
	if (!options->given[KVERBS_JOB_A_TIMING])
		job.timing = window ? KVERBS_TIMING_LAT : KVERBS_TIMING_ALL;
	if (window) {
		fill_window(options, &job);
	} else if (!options->given[KVERBS_JOB_A_SHAPE]) {
		/* a window, both ends and several QPs are of the arm that has them */
		job.bidirectional = KVERBS_BIDIRECTIONAL_OFF;
		job.lane_qps = 1;
		job.cq = KVERBS_CQ_LANE;
		job.outstanding = KV_AUTO;
		job.chain = KV_AUTO;
		job.signal = KV_AUTO;
		job.poll_batch = KV_AUTO;
	}
	kv_options_count(options, &job);
	if (!kv_op_rules[op].two_sided && !options->given_op) {
		job.recv_depth = KV_AUTO;
		job.refill = KV_AUTO;
		job.recv_chain = KV_AUTO;
		job.low_water = KV_AUTO;
		job.srq = KVERBS_SRQ_OFF;
		job.srq_limit = KV_AUTO;
	}
	return job;
}

/* what is judged of an arm: there is one such value */
static u32 primary_of(const struct kv_arm *arm)
{
	if (arm->quiet)
		return KV_NO_PRIMARY;
	if (arm->values & 1U << KV_VALUE_P50 && !kv_shape_rules[arm->job[0].shape].chains)
		return KV_VALUE_P50;
	return arm->values & 1U << KV_VALUE_OPS ? KV_VALUE_OPS : KV_VALUE_POST;
}

/* the kernel's usual key to local memory is not that of an MR */
static void make_native(const struct kv_options *options, struct kv_arm *arm)
{
	arm->as = KV_AS_NATIVE;
	if (!options->given[KVERBS_JOB_A_LOCAL_KEY] &&
	    arm->job[KV_KERNEL].reg == KVERBS_REG_ONCE)
		arm->job[KV_KERNEL].local_key = KVERBS_LOCAL_KEY_DMA;
}

static struct kv_arm *new_arm(struct kv_compare *compare, const struct kv_job *job, u32 values,
			      bool quiet)
{
	struct kv_arm *arm = &compare->arm[compare->narms++];

	arm->job[KV_KERNEL] = *job;
	arm->job[KV_USER] = *job;
	arm->engine[KV_KERNEL] = &kv_engine_kernel;
	arm->engine[KV_USER] = &kv_engine_user;
	arm->device = compare->device;
	arm->values = values;
	arm->quiet = quiet;
	arm->primary = primary_of(arm);
	return arm;
}

static void add_job(struct kv_compare *compare, const struct kv_job *job, u32 values)
{
	u32 as = compare->options.as;

	if (as != KV_AS_NATIVE)
		new_arm(compare, job, values, false);
	if (as != KV_AS_MATCHED)
		make_native(&compare->options, new_arm(compare, job, values, false));
}

static void add_arm(struct kv_compare *compare, u32 op, u32 size, u32 shape, u32 values)
{
	struct kv_job job = arm_job(&compare->options, op, size, shape);

	add_job(compare, &job, values);
}

/* of instructions: of each call alone, of a post with inline data, and of a chain's */
static void add_counts(struct kv_compare *compare, u32 op, u32 size)
{
	const struct kv_options *options = &compare->options;
	u32 calls = CALLS | (kv_op_rules[op].two_sided ? RECVS : 0);
	struct kv_job job;

	if (options->given[KVERBS_JOB_A_SHAPE]) {
		add_arm(compare, op, size, options->job.shape,
			kv_shape_rules[options->job.shape].chains ? CHAINS : calls);
		return;
	}
	add_arm(compare, op, size, KVERBS_SHAPE_LAT, calls);
	if (!options->given[KVERBS_JOB_A_INLINE_DATA] && !kv_op_rules[op].reads &&
	    size <= INSN_INLINE) {
		job = arm_job(options, op, size, KVERBS_SHAPE_LAT);
		job.inline_data = size;
		add_job(compare, &job, INLINES);
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
		add_arm(compare, op, size, options->job.shape, values_of(compare));
		return;
	}
	add_arm(compare, op, size, KVERBS_SHAPE_LAT, TIMES);
	add_arm(compare, op, size, KVERBS_SHAPE_RATE, RATES);
}

/* the first latency arm once more without time stamps */
static void add_quiet(struct kv_compare *compare)
{
	struct kv_job job = compare->arm[0].job[KV_USER];
	u32 as = compare->arm[0].as;

	if (compare->options.given[KVERBS_JOB_A_TIMING] ||
	    !kv_unit_is_time(compare->options.unit) || kv_shape_rules[job.shape].window)
		return;
	job.timing = KVERBS_TIMING_NONE;
	new_arm(compare, &job, 0, true);
	if (as == KV_AS_NATIVE)
		make_native(&compare->options, &compare->arm[compare->narms - 1]);
}

/*
 * How long a run is, when that was not said: a quarter of what its share of the time
 * is, since making its objects takes time as well, and where they are slow to make
 * so are its operations.
 */
static void set_length(struct kv_compare *compare)
{
	const struct kv_options *options = &compare->options;
	double seconds = options->seconds > 0 ? options->seconds : KV_TRIAL_SECONDS;
	double ms = 1000 * seconds / (compare->narms * KV_TURNS * KV_PILOT) / 4;
	u32 arm, side;

	if (!kv_unit_is_time(options->unit) || options->given[KVERBS_JOB_A_ITERATIONS] ||
	    options->given[KVERBS_JOB_A_DURATION_MS])
		return;
	ms = ms < RUN_MS_LEAST ? RUN_MS_LEAST : ms > RUN_MS_MOST ? RUN_MS_MOST : ms;
	for (arm = 0; arm < compare->narms; arm++) {
		for (side = 0; side < KV_SIDES; side++) {
			struct kv_job *job = &compare->arm[arm].job[side];

			if (kv_shape_rules[job->shape].control)
				job->iterations = TURNS;
			else
				job->duration_ms = (u32)ms;
		}
	}
}

/**
 * kv_arms_plan - the arms of a comparison
 * @compare: its options and its device are known
 * @largest: message that the device takes
 */
void kv_arms_plan(struct kv_compare *compare, u32 largest)
{
	static const u32 plain[] = { KVERBS_OP_WRITE, KVERBS_OP_READ, KVERBS_OP_SEND };
	const struct kv_options *options = &compare->options;
	u32 large = largest < LARGE_BYTES ? largest : LARGE_BYTES, op, i;

	for (i = 0; i < (options->given_op ? 1 : KV_ARRAY_SIZE(plain)); i++) {
		op = options->given_op ? options->job.step[0].op : plain[i];
		if (!options->given_op &&
		    !(kv_op_rules[op].transports & 1U << options->job.transport))
			continue;
		if (!options->given_op && options->job.bidirectional &&
		    kv_op_rules[op].two_sided && options->job.check_data)
			continue;
		if (!options->given_op && options->given[KVERBS_JOB_A_SHAPE] &&
		    !(kv_op_rules[op].shapes & 1U << options->job.shape))
			continue;
		if (options->given_size || kv_op_rules[op].bytes) {
			add_case(compare, op, options->job.step[0].size);
			continue;
		}
		add_case(compare, op, SMALL_BYTES);
		/* the CPU does not touch the payload, but for that of a software device */
		if (large > SMALL_BYTES && kv_unit_is_time(options->unit) &&
		    !compare->env.facts.software &&
		    !kv_transport_rules[options->job.transport].datagram)
			add_case(compare, op, large);
	}
	add_quiet(compare);
	set_length(compare);
}
