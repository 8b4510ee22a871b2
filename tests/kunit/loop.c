// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * KUnit: the loop in the kernel. What a run of so many operations has counted is known before
 * it. Needs the software device rxe0.
 */
#include <linux/delay.h>
#include <linux/math.h>
#include <net/net_namespace.h>

#include "run.h"
#include "suites.h"

#define LOOP_PORTID	0x6b766c6f	/* no socket has it */
#define LOOP_WAIT_MS	20000
#define LOOP_OPS	50
#define LOOP_SIZE	64

#define LOOP_DEFAULT(attr, member, type, lo, hi, def, letter, name, unit, what) \
	.member = (def),
#define LOOP_JOB(op, ...)						\
	{								\
		KV_JOB_FIELDS(LOOP_DEFAULT)				\
		.nsteps = 1, .step = { { op, LOOP_SIZE } },		\
		.iterations = LOOP_OPS, .warmup_ms = 0,			\
		.timing = KVERBS_TIMING_ALL,				\
		__VA_ARGS__						\
	}
#define LOOP_RATE(op, ...) LOOP_JOB(op, .shape = KVERBS_SHAPE_RATE, .outstanding = 16, __VA_ARGS__)

struct loop_case {
	const char *name;
	struct kv_job job;
	u32 posts;	/* of the initiator, 0: one an operation */
	u32 signalled;	/* 0: all */
	u32 metric;
	bool sampled;	/* some of the posts are timed, else each operation is */
	bool peer;	/* there is a responder, which receives all of them */
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"

static const struct loop_case loop_cases[] = {
	{ "write", LOOP_JOB(KVERBS_OP_WRITE), .metric = KVERBS_METRIC_LAT },
	{ "read", LOOP_JOB(KVERBS_OP_READ), .metric = KVERBS_METRIC_LAT },
	{ "send", LOOP_JOB(KVERBS_OP_SEND), .metric = KVERBS_METRIC_LAT, .peer = true },
	{ "write with immediate data", LOOP_JOB(KVERBS_OP_WRITE_IMM),
	  .metric = KVERBS_METRIC_LAT, .peer = true },
	{ "fetch and add", LOOP_JOB(KVERBS_OP_FADD, .step = { { KVERBS_OP_FADD, 8 } }),
	  .metric = KVERBS_METRIC_LAT },
	{ "pingpong", LOOP_JOB(KVERBS_OP_SEND, .shape = KVERBS_SHAPE_PINGPONG),
	  .metric = KVERBS_METRIC_RTT, .peer = true },
	{ "rate", LOOP_RATE(KVERBS_OP_WRITE, .chain = 1, .signal = 1),
	  .metric = KVERBS_METRIC_POST, .sampled = true },
	{ "rate, chains", LOOP_RATE(KVERBS_OP_WRITE, .chain = 4, .signal = 1),
	  .posts = DIV_ROUND_UP(LOOP_OPS, 4), .metric = KVERBS_METRIC_POST, .sampled = true },
	/* the last one is signalled, too */
	{ "rate, one in 8 signalled", LOOP_RATE(KVERBS_OP_WRITE, .chain = 1, .signal = 8),
	  .signalled = DIV_ROUND_UP(LOOP_OPS, 8), .metric = KVERBS_METRIC_POST,
	  .sampled = true },
	{ "rate of sends", LOOP_RATE(KVERBS_OP_SEND, .chain = 1, .signal = 1),
	  .metric = KVERBS_METRIC_POST, .sampled = true, .peer = true },
};

#pragma GCC diagnostic pop

static void loop_name(const struct loop_case *c, char *text)
{
	strscpy(text, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(loop, loop_cases, loop_name);

/* waits until the run is in that state, or has ended */
static void loop_wait(struct kunit *test, struct kv_run *run, u32 state)
{
	u32 ms, now = kv_run_state(run);

	for (ms = 0; ms < LOOP_WAIT_MS && now != state && now < KVERBS_STATE_DONE; ms += 20) {
		msleep(20);
		now = kv_run_state(run);
	}
	KUNIT_EXPECT_EQ(test, now, state);
}

/* what holds of every lane that has ended well */
static void loop_sound(struct kunit *test, const struct kv_stat *stat)
{
	KUNIT_EXPECT_EQ(test, stat->total_wrs, stat->total_retired);
	KUNIT_EXPECT_EQ(test, stat->wrs, stat->retired);
	KUNIT_EXPECT_EQ(test, stat->signalled, stat->wcs);
	KUNIT_EXPECT_EQ(test, stat->lost + stat->unsent + stat->flushed, 0ULL);
	KUNIT_EXPECT_EQ(test, stat->wall, stat->t_post + stat->t_poll + stat->t_empty +
			stat->t_rest + stat->t_reg + stat->t_control);
	KUNIT_EXPECT_GT(test, stat->wall, 0ULL);
}

static void loop_initiator(struct kunit *test, struct kv_run *run)
{
	const struct loop_case *c = test->param_value;
	const struct kv_stat *stat = kv_run_lane_stat(run, 0);
	const struct kv_hist *hist = kv_run_lane_hist(run, 0, c->metric);
	u64 posts = c->posts ? c->posts : LOOP_OPS;

	KUNIT_ASSERT_NOT_NULL(test, stat);
	KUNIT_ASSERT_NOT_NULL(test, hist);
	loop_sound(test, stat);
	KUNIT_EXPECT_EQ(test, stat->ops, (u64)LOOP_OPS);
	KUNIT_EXPECT_EQ(test, stat->wrs, (u64)LOOP_OPS);
	KUNIT_EXPECT_EQ(test, stat->bytes, (u64)LOOP_OPS * c->job.step[0].size);
	KUNIT_EXPECT_EQ(test, stat->posts, posts);
	KUNIT_EXPECT_EQ(test, stat->signalled - stat->forced,
			(u64)(c->signalled ? c->signalled : LOOP_OPS) - !!c->signalled);
	KUNIT_EXPECT_GE(test, hist->count, c->sampled ? 1ULL : LOOP_OPS);
	KUNIT_EXPECT_LE(test, hist->count, posts);
	KUNIT_EXPECT_EQ(test, stat->occupancy, stat->residence);
}

static void loop_responder(struct kunit *test, struct kv_run *run)
{
	const struct kv_stat *stat = kv_run_lane_stat(run, 1);

	KUNIT_ASSERT_NOT_NULL(test, stat);
	loop_sound(test, stat);
	KUNIT_EXPECT_EQ(test, stat->ops, (u64)LOOP_OPS);
	KUNIT_EXPECT_EQ(test, stat->total_recvs, (u64)LOOP_OPS);
	KUNIT_EXPECT_EQ(test, stat->recv_wcs, (u64)LOOP_OPS);
}

static void loop_counts(struct kunit *test)
{
	const struct loop_case *c = test->param_value;
	struct kv_refusal no = { };
	const char *why = NULL;
	struct kv_run *run;

	run = kv_run_new(&init_net, LOOP_PORTID, "rxe0", &c->job, &no);
	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(run), "%s", no.text);
	KUNIT_EXPECT_EQ(test, kv_run_connect(run, &why), 0);
	loop_wait(test, run, KVERBS_STATE_READY);
	KUNIT_EXPECT_EQ(test, kv_run_start(run, &why), 0);
	loop_wait(test, run, KVERBS_STATE_DONE);
	KUNIT_EXPECT_EQ(test, run->nlanes, c->peer ? 2U : 1U);
	loop_initiator(test, run);
	if (c->peer)
		loop_responder(test, run);
	kv_run_delete(run);
	kv_run_put(run);
}

static struct kunit_case loop_tests[] = {
	KUNIT_CASE_PARAM(loop_counts, loop_gen_params),
	{ }
};

struct kunit_suite kv_loop_suite = {
	.name = "kverbs_loop",
	.test_cases = loop_tests,
};
