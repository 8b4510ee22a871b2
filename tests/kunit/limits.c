// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * KUnit: what bounds a job and all runs together: the device, the module's parameters,
 * the machine. Needs the software device rxe0.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <net/net_namespace.h>

#include "main.h"
#include "run.h"
#include "suites.h"

#define LIMITS_PORTID	0x6b766c6d

/* a job at a limit, and one above it */
struct limits_case {
	const char *name;
	struct kv_job job;
	unsigned int runs, lanes, depth, time_ms;	/* parameters, 0: as they are */
	unsigned long bytes;
	int rc;
	u32 attr;
	const char *text;	/* part of the refusal */
};

#define LIMITS_JOB(...)							\
	{								\
		KV_JOB_FIELDS(LIMITS_DEFAULT)				\
		.nsteps = 1, .step = { { KVERBS_OP_WRITE, 64 } },	\
		__VA_ARGS__						\
	}
#define LIMITS_DEFAULT(attr, member, type, lo, hi, def, letter, name, unit, what) \
	.member = (def),

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"

static const struct limits_case limits_cases[] = {
	{ "plain", LIMITS_JOB() },
	{ "depth at max_depth", LIMITS_JOB(.shape = KVERBS_SHAPE_RATE, .outstanding = 62),
	  .depth = 64 },
	{ "depth above max_depth", LIMITS_JOB(.shape = KVERBS_SHAPE_RATE, .outstanding = 63),
	  .depth = 64, .rc = -EINVAL, .attr = KVERBS_JOB_A_OUTSTANDING,
	  .text = "tx-depth 63: the limit here is 62" },
	{ "receives above max_depth",
	  LIMITS_JOB(.step = { { KVERBS_OP_SEND, 64 } }, .recv_depth = 63),
	  .depth = 64, .rc = -EINVAL, .attr = KVERBS_JOB_A_RECV_DEPTH,
	  .text = "rx-depth 63: the limit here is 62" },
	{ "lanes at max_lanes", LIMITS_JOB(.pairs = 4), .lanes = 4 },
	{ "lanes above max_lanes", LIMITS_JOB(.pairs = 5), .lanes = 4,
	  .rc = -EINVAL, .attr = KVERBS_JOB_A_PAIRS,
	  .text = "qp 5: needs 5 lanes, the limit is 4" },
	{ "two lanes a pair above max_lanes",
	  LIMITS_JOB(.step = { { KVERBS_OP_SEND, 64 } }, .pairs = 3), .lanes = 4,
	  .rc = -EINVAL, .attr = KVERBS_JOB_A_PAIRS,
	  .text = "qp 3: needs 6 lanes, the limit is 4" },
	{ "time at max_time_ms", LIMITS_JOB(.duration_ms = 500), .time_ms = 500 },
	{ "time above max_time_ms", LIMITS_JOB(.duration_ms = 501), .time_ms = 500,
	  .rc = -EINVAL, .attr = KVERBS_JOB_A_DURATION_MS,
	  .text = "duration 501 ms: the limit is 500 ms" },
	{ "default time above max_time_ms", LIMITS_JOB(), .time_ms = 500,
	  .rc = -EINVAL, .attr = KVERBS_JOB_A_DURATION_MS,
	  .text = "duration 1000 ms: the limit is 500 ms" },
	{ "operations have no time", LIMITS_JOB(.iterations = 1000000000000ULL),
	  .time_ms = 500 },
	{ "memory above max_bytes", LIMITS_JOB(.step = { { KVERBS_OP_WRITE, 1 << 20 } }),
	  .bytes = 1 << 20, .rc = -EINVAL, .attr = KVERBS_JOB_A_STEP,
	  .text = "max_bytes" },
	{ "size 0 with immediate data",
	  LIMITS_JOB(.step = { { KVERBS_OP_WRITE_IMM, 0 } }) },
	{ "uc", LIMITS_JOB(.transport = KVERBS_TRANSPORT_UC) },
	{ "a message of ud above the MTU",
	  LIMITS_JOB(.transport = KVERBS_TRANSPORT_UD, .step = { { KVERBS_OP_SEND, 1025 } }),
	  .rc = -EINVAL, .attr = KVERBS_JOB_A_STEP, .text = "one packet, here of 1024 bytes" },
	{ "more pieces than the device has", LIMITS_JOB(.sges = 64), .rc = -EINVAL,
	  .attr = KVERBS_JOB_A_SGES, .text = "sges 64: a write has up to" },
	{ "P_Key index above the table", LIMITS_JOB(.pkey_index = 65535), .rc = -EINVAL,
	  .attr = KVERBS_JOB_A_PKEY_INDEX, .text = "pkey-index 65535:" },
	{ "an atomic", LIMITS_JOB(.step = { { KVERBS_OP_FADD, 8 } }) },
	{ "an atomic of 4 bytes", LIMITS_JOB(.step = { { KVERBS_OP_FADD, 4 } }), .rc = -EINVAL,
	  .attr = KVERBS_JOB_A_STEP, .text = "size 4: fadd has 8 bytes" },
	{ "size 0", LIMITS_JOB(.step = { { KVERBS_OP_WRITE, 0 } }),
	  .rc = -EINVAL, .attr = KVERBS_JOB_A_STEP, .text = "size 0: must be 1 to" },
	{ "no such port", LIMITS_JOB(.port = 7), .rc = -EINVAL,
	  .attr = KVERBS_JOB_A_PORT, .text = "port 7: the device has 1" },
	{ "GID index above the table", LIMITS_JOB(.gid_index = 65535), .rc = -EINVAL,
	  .attr = KVERBS_JOB_A_GID_INDEX, .text = "gid-index 65535:" },
	{ "MTU above the port's", LIMITS_JOB(.mtu = 4096), .rc = -EINVAL,
	  .attr = KVERBS_JOB_A_MTU, .text = "mtu 4096: port 1 is set to 1024" },
	{ "a CPU that cannot be", LIMITS_JOB(.ncpus = 1, .cpu = { 65535 }), .rc = -EINVAL,
	  .attr = KVERBS_JOB_A_CPU, .text = "cpu 65535: is not online" },
	{ "the second CPU cannot be", LIMITS_JOB(.ncpus = 2, .cpu = { 0, 65535 }),
	  .rc = -EINVAL, .attr = KVERBS_JOB_A_CPU, .text = "is not online" },
	{ "a node that cannot be", LIMITS_JOB(.node = 1023), .rc = -EINVAL,
	  .attr = KVERBS_JOB_A_NODE, .text = "node 1023: is not online" },
	{ "no steps", LIMITS_JOB(.nsteps = 0), .rc = -EINVAL, .attr = KVERBS_JOB_A_STEP,
	  .text = "0 steps" },
	{ "two steps", LIMITS_JOB(.nsteps = 2,
				  .step = { { KVERBS_OP_WRITE, 64 }, { KVERBS_OP_SEND, 8 } }) },
	{ "a second step of size 0", LIMITS_JOB(.nsteps = 2,
						.step = { { KVERBS_OP_WRITE, 64 } }),
	  .rc = -EINVAL, .attr = KVERBS_JOB_A_STEP, .text = "size 0: must be 1 to" },
	{ "too many steps", LIMITS_JOB(.nsteps = KVERBS_STEPS_MAX + 1), .rc = -EINVAL,
	  .attr = KVERBS_JOB_A_STEP, .text = "9 steps: a job has 1 to 8" },
};

#pragma GCC diagnostic pop

static void limits_name(const struct limits_case *c, char *text)
{
	strscpy(text, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(limits, limits_cases, limits_name);

struct limits_saved {
	unsigned int runs, lanes, depth, time_ms;
	unsigned long bytes;
};

static int limits_init(struct kunit *test)
{
	struct limits_saved *saved = kunit_kzalloc(test, sizeof(*saved), GFP_KERNEL);

	if (!saved)
		return -ENOMEM;
	saved->runs = kv_max_runs;
	saved->lanes = kv_max_lanes;
	saved->depth = kv_max_depth;
	saved->time_ms = kv_max_time_ms;
	saved->bytes = kv_max_bytes;
	test->priv = saved;
	return 0;
}

static void limits_exit(struct kunit *test)
{
	const struct limits_saved *saved = test->priv;

	kv_max_runs = saved->runs;
	kv_max_lanes = saved->lanes;
	kv_max_depth = saved->depth;
	kv_max_time_ms = saved->time_ms;
	kv_max_bytes = saved->bytes;
}

static void limits_of_a_job(struct kunit *test)
{
	const struct limits_case *c = test->param_value;
	struct kv_refusal no = { };
	struct kv_run *run;

	if (c->lanes)
		kv_max_lanes = c->lanes;
	if (c->depth)
		kv_max_depth = c->depth;
	if (c->time_ms)
		kv_max_time_ms = c->time_ms;
	if (c->bytes)
		kv_max_bytes = c->bytes;
	run = kv_run_new(&init_net, LIMITS_PORTID, "rxe0", &c->job, &no);
	if (!IS_ERR(run)) {
		KUNIT_EXPECT_EQ(test, c->rc, 0);
		kv_run_delete(run);
		kv_run_put(run);
		return;
	}
	KUNIT_EXPECT_EQ_MSG(test, (int)PTR_ERR(run), c->rc, "%s", no.text);
	KUNIT_EXPECT_EQ(test, no.attr, c->attr);
	if (c->text)
		KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(no.text, c->text), "%s", no.text);
}

static void limits_of_devices(struct kunit *test)
{
	static const char * const names[] = { "", "nosuch", "rxe", "rxe00" };
	static const struct kv_job job = KV_JOB_INIT;
	struct kv_refusal no = { };
	struct kv_run *run;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		run = kv_run_new(&init_net, LIMITS_PORTID, names[i], &job, &no);
		KUNIT_EXPECT_TRUE(test, IS_ERR(run));
		KUNIT_EXPECT_EQ(test, PTR_ERR(run), (long)-ENODEV);
		KUNIT_EXPECT_EQ(test, no.attr, 0U);
		KUNIT_EXPECT_NOT_NULL(test, strstr(no.text, names[i]));
	}
}

static void limits_of_runs(struct kunit *test)
{
	static const struct kv_job job = KV_JOB_INIT;
	struct kv_refusal no = { };
	struct kv_run *run[4];
	unsigned int i;

	kv_max_runs = 3;
	for (i = 0; i < 3; i++) {
		run[i] = kv_run_new(&init_net, LIMITS_PORTID, "rxe0", &job, &no);
		KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(run[i]), "%s", no.text);
	}
	run[3] = kv_run_new(&init_net, LIMITS_PORTID, "rxe0", &job, &no);
	KUNIT_EXPECT_EQ(test, PTR_ERR(run[3]), (long)-EBUSY);
	KUNIT_EXPECT_NOT_NULL(test, strstr(no.text, "limit is 3"));
	/* a run that is gone makes room, a refusal took none */
	kv_run_delete(run[0]);
	kv_run_put(run[0]);
	for (i = 0; i < 100; i++) {
		run[0] = kv_run_new(&init_net, LIMITS_PORTID, "rxe0", &job, &no);
		if (!IS_ERR(run[0]))
			break;
		msleep(20);
	}
	KUNIT_EXPECT_FALSE(test, IS_ERR(run[0]));
	for (i = 0; i < 3; i++) {
		if (IS_ERR(run[i]))
			continue;
		kv_run_delete(run[i]);
		kv_run_put(run[i]);
	}
}

/* all runs together: what is charged is given back to the byte */
static void limits_of_bytes(struct kunit *test)
{
	static const struct kv_job job = KV_JOB_INIT;
	struct kv_refusal no = { };
	struct kv_run *first, *second;
	u64 bytes;
	unsigned int i, round;

	first = kv_run_new(&init_net, LIMITS_PORTID, "rxe0", &job, &no);
	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(first), "%s", no.text);
	bytes = first->bytes;
	KUNIT_EXPECT_GE(test, bytes, kv_job_bytes(&first->granted));
	kv_run_delete(first);
	kv_run_put(first);
	for (round = 0; round < 3; round++) {
		/* room for one, not for two */
		kv_max_bytes = 2 * bytes - 1;
		for (i = 0; i < 100; i++) {
			first = kv_run_new(&init_net, LIMITS_PORTID, "rxe0", &job, &no);
			if (!IS_ERR(first))
				break;
			msleep(20);
		}
		KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(first), "%s", no.text);
		second = kv_run_new(&init_net, LIMITS_PORTID, "rxe0", &job, &no);
		KUNIT_EXPECT_EQ(test, PTR_ERR(second), (long)-ENOMEM);
		KUNIT_EXPECT_NOT_NULL(test, strstr(no.text, "max_bytes"));
		kv_max_bytes = 2 * bytes;
		second = kv_run_new(&init_net, LIMITS_PORTID, "rxe0", &job, &no);
		KUNIT_EXPECT_FALSE_MSG(test, IS_ERR(second), "%s", no.text);
		if (!IS_ERR(second)) {
			kv_run_delete(second);
			kv_run_put(second);
		}
		kv_run_delete(first);
		kv_run_put(first);
	}
}

/* the length of a run takes no memory */
static void limits_of_length(struct kunit *test)
{
	static struct kv_job job = KV_JOB_INIT;	/* too large for a stack */
	struct kv_refusal no = { };
	struct kv_run *run;
	u64 bytes = 0;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		job.iterations = i ? 1000000000000ULL : 1000;
		run = kv_run_new(&init_net, LIMITS_PORTID, "rxe0", &job, &no);
		KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(run), "%s", no.text);
		if (i)
			KUNIT_EXPECT_EQ(test, run->bytes, bytes);
		bytes = run->bytes;
		kv_run_delete(run);
		kv_run_put(run);
	}
}

static struct kunit_case limits_tests[] = {
	KUNIT_CASE_PARAM(limits_of_a_job, limits_gen_params),
	KUNIT_CASE(limits_of_devices),
	KUNIT_CASE(limits_of_runs),
	KUNIT_CASE(limits_of_bytes),
	KUNIT_CASE(limits_of_length),
	{ }
};

struct kunit_suite kv_limits_suite = {
	.name = "kverbs_limits",
	.init = limits_init,
	.exit = limits_exit,
	.test_cases = limits_tests,
};
