// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * KUnit: the life of a run. Each command in each state either does what it says or is
 * refused with its errno and a reason. Needs the software device rxe0.
 */
#include <linux/delay.h>
#include <net/net_namespace.h>

#include "main.h"
#include "run.h"
#include "suites.h"

#define LIFE_DEVICE	"rxe0"
#define LIFE_PORTID	0x6b766b75	/* no socket has it: notifications go nowhere */
#define LIFE_WAIT_MS	20000

static const struct kv_job life_job = KV_JOB_INIT;

static struct kv_run *life_new(struct kunit *test, const struct kv_job *job)
{
	struct kv_refusal no = { };
	struct kv_run *run;

	run = kv_run_new(&init_net, LIFE_PORTID, LIFE_DEVICE, job, &no);
	if (IS_ERR(run))
		KUNIT_FAIL(test, "no run: %ld %s", PTR_ERR(run), no.text);
	return run;
}

static u32 life_state(struct kv_run *run)
{
	struct kv_run_status status;

	kv_run_status(run, &status);
	return status.state;
}

/* wait until the run is in a state, or has ended */
static u32 life_wait(struct kv_run *run, u32 state)
{
	u32 ms, now = life_state(run);

	for (ms = 0; ms < LIFE_WAIT_MS && now != state && now < KVERBS_STATE_DONE; ms += 5) {
		msleep(5);
		now = life_state(run);
	}
	return now;
}

static void life_end(struct kv_run *run)
{
	kv_run_delete(run);
	kv_run_put(run);
}

/* bring a new run into a state */
static struct kv_run *life_in(struct kunit *test, u32 state)
{
	static struct kv_job job;	/* too large for a stack */
	const char *why = NULL;
	struct kv_run *run;

	job = life_job;
	/* an entry of the GID table that is empty: set-up fails */
	if (state == KVERBS_STATE_FAILED)
		job.gid_index = 1000;
	if (state == KVERBS_STATE_RUNNING)
		job.duration_ms = 60000;
	else
		job.iterations = 10;
	job.warmup_ms = 0;
	run = life_new(test, &job);
	if (IS_ERR(run) || state == KVERBS_STATE_NEW)
		return run;
	KUNIT_EXPECT_EQ(test, kv_run_connect(run, &why), 0);
	if (state == KVERBS_STATE_FAILED || state == KVERBS_STATE_READY) {
		KUNIT_EXPECT_EQ(test, life_wait(run, state), state);
		return run;
	}
	KUNIT_EXPECT_EQ(test, life_wait(run, KVERBS_STATE_READY), (u32)KVERBS_STATE_READY);
	KUNIT_EXPECT_EQ(test, kv_run_start(run, &why), 0);
	KUNIT_EXPECT_EQ(test, life_wait(run, state), state);
	return run;
}

struct life_case {
	u32 state;
	const char *name;
	int connect, start, stop;	/* what the command returns */
	u32 connected, started, stopped;	/* the state it leads to */
};

static const struct life_case life_cases[] = {
	{ KVERBS_STATE_NEW, "NEW", 0, -EINVAL, 0,
	  KVERBS_STATE_READY, KVERBS_STATE_NEW, KVERBS_STATE_DONE },
	{ KVERBS_STATE_READY, "READY", -EINVAL, 0, 0,
	  KVERBS_STATE_READY, KVERBS_STATE_DONE, KVERBS_STATE_DONE },
	{ KVERBS_STATE_RUNNING, "RUNNING", -EINVAL, -EINVAL, 0,
	  KVERBS_STATE_RUNNING, KVERBS_STATE_RUNNING, KVERBS_STATE_DONE },
	{ KVERBS_STATE_DONE, "DONE", -EINVAL, -EINVAL, -EALREADY,
	  KVERBS_STATE_DONE, KVERBS_STATE_DONE, KVERBS_STATE_DONE },
	{ KVERBS_STATE_FAILED, "FAILED", -EINVAL, -EINVAL, -EALREADY,
	  KVERBS_STATE_FAILED, KVERBS_STATE_FAILED, KVERBS_STATE_FAILED },
};

static void life_case_name(const struct life_case *c, char *text)
{
	strscpy(text, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(life_state, life_cases, life_case_name);

static void life_try(struct kunit *test, int (*command)(struct kv_run *, const char **),
		     int rc, u32 leads_to)
{
	const struct life_case *c = test->param_value;
	struct kv_run *run = life_in(test, c->state);
	const char *why = NULL;

	if (IS_ERR(run))
		return;
	KUNIT_EXPECT_EQ(test, life_state(run), c->state);
	KUNIT_EXPECT_EQ(test, command(run, &why), rc);
	/* a refusal says why, a success has nothing to say */
	KUNIT_EXPECT_EQ(test, !!why, !!rc);
	if (rc)
		msleep(20);
	KUNIT_EXPECT_EQ(test, life_wait(run, leads_to), leads_to);
	life_end(run);
}

static void life_connect(struct kunit *test)
{
	const struct life_case *c = test->param_value;

	life_try(test, kv_run_connect, c->connect, c->connected);
}

static void life_start(struct kunit *test)
{
	const struct life_case *c = test->param_value;

	life_try(test, kv_run_start, c->start, c->started);
}

static void life_stop(struct kunit *test)
{
	const struct life_case *c = test->param_value;

	life_try(test, kv_run_stop, c->stop, c->stopped);
}

/* deleted in any state: found no more, and gone when its last holder is */
static void life_delete(struct kunit *test)
{
	const struct life_case *c = test->param_value;
	struct kv_run *run = life_in(test, c->state), *found;
	u32 id;

	if (IS_ERR(run))
		return;
	id = kv_run_id(run);
	found = kv_run_find(&init_net, LIFE_PORTID, id);
	KUNIT_EXPECT_PTR_EQ(test, found, run);
	if (!IS_ERR(found))
		kv_run_put(found);
	kv_run_delete(run);
	KUNIT_EXPECT_EQ(test, PTR_ERR(kv_run_find(&init_net, LIFE_PORTID, id)), (long)-ENOENT);
	/* twice does nothing more */
	kv_run_delete(run);
	kv_run_put(run);
}

static void life_busy(struct kunit *test)
{
	struct kv_run *run = life_in(test, KVERBS_STATE_NEW);
	const char *why = NULL;

	if (IS_ERR(run))
		return;
	/* the work item cannot run before we sleep: one CPU, no preemption */
	preempt_disable();
	KUNIT_EXPECT_EQ(test, kv_run_connect(run, &why), 0);
	KUNIT_EXPECT_EQ(test, kv_run_connect(run, &why), -EBUSY);
	KUNIT_EXPECT_NOT_NULL(test, why);
	why = NULL;
	KUNIT_EXPECT_EQ(test, kv_run_start(run, &why), -EBUSY);
	KUNIT_EXPECT_NOT_NULL(test, why);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, life_wait(run, KVERBS_STATE_READY), (u32)KVERBS_STATE_READY);
	life_end(run);
}

static void life_owner(struct kunit *test)
{
	struct kv_run *run = life_in(test, KVERBS_STATE_NEW), *next;

	if (IS_ERR(run))
		return;
	KUNIT_EXPECT_EQ(test, PTR_ERR(kv_run_find(&init_net, LIFE_PORTID + 1, run->id)),
			(long)-EPERM);
	KUNIT_EXPECT_NULL(test, kv_run_next(&init_net, LIFE_PORTID + 1, 0));
	next = kv_run_next(&init_net, LIFE_PORTID, 0);
	KUNIT_EXPECT_PTR_EQ(test, next, run);
	if (next)
		kv_run_put(next);
	KUNIT_EXPECT_NULL(test, kv_run_next(&init_net, LIFE_PORTID, run->id + 1));
	/* its owner's socket closes, another's does nothing */
	kv_runs_delete_owner(&init_net, LIFE_PORTID + 1);
	KUNIT_EXPECT_EQ(test, life_state(run), (u32)KVERBS_STATE_NEW);
	kv_runs_delete_owner(&init_net, LIFE_PORTID);
	KUNIT_EXPECT_NULL(test, kv_run_next(&init_net, LIFE_PORTID, 0));
	KUNIT_EXPECT_EQ(test, life_wait(run, KVERBS_STATE_DONE), (u32)KVERBS_STATE_DONE);
	kv_run_put(run);
}

/* the owner goes in the middle of a run: it ends at once */
static void life_orphan(struct kunit *test)
{
	struct kv_run *run = life_in(test, KVERBS_STATE_RUNNING);
	struct kv_run_status status;

	if (IS_ERR(run))
		return;
	kv_runs_delete_owner(&init_net, LIFE_PORTID);
	KUNIT_EXPECT_EQ(test, life_wait(run, KVERBS_STATE_DONE), (u32)KVERBS_STATE_DONE);
	kv_run_status(run, &status);
	KUNIT_EXPECT_EQ(test, status.reason, (u32)KVERBS_REASON_STOPPED);
	kv_run_put(run);
}

/* no verbs object outlives the end of a run; what was measured does */
static void life_results(struct kunit *test)
{
	struct kv_run *run = life_in(test, KVERBS_STATE_DONE);
	struct kv_run_status status;
	const struct kv_stat *stat;
	const struct kv_hist *hist;

	if (IS_ERR(run))
		return;
	kv_run_status(run, &status);
	KUNIT_EXPECT_EQ(test, status.reason, (u32)KVERBS_REASON_COMPLETE);
	KUNIT_EXPECT_EQ(test, status.err, 0);
	KUNIT_EXPECT_NULL(test, run->pd);
	KUNIT_EXPECT_NULL(test, run->ep[0]);
	KUNIT_EXPECT_NULL(test, run->ep[1]);
	KUNIT_EXPECT_FALSE(test, run->inside);
	stat = kv_run_lane_stat(run, 0);
	hist = kv_run_lane_hist(run, 0, KVERBS_METRIC_LAT);
	KUNIT_EXPECT_NOT_NULL(test, stat);
	KUNIT_EXPECT_NOT_NULL(test, hist);
	if (stat && hist) {
		KUNIT_EXPECT_EQ(test, stat->ops, 10ULL);
		KUNIT_EXPECT_EQ(test, stat->total_wrs, stat->total_retired);
		KUNIT_EXPECT_EQ(test, hist->count, 10ULL);
	}
	KUNIT_EXPECT_NULL(test, kv_run_lane_hist(run, 0, KVERBS_METRIC_RTT));
	life_end(run);
}

/* a set-up that fails says at which step, and leaves nothing behind */
static void life_failure(struct kunit *test)
{
	struct kv_run *run = life_in(test, KVERBS_STATE_FAILED);
	struct kv_run_status status;

	if (IS_ERR(run))
		return;
	kv_run_status(run, &status);
	KUNIT_EXPECT_EQ(test, status.reason, (u32)KVERBS_REASON_SETUP);
	KUNIT_EXPECT_LT(test, status.err, 0);
	KUNIT_EXPECT_NE(test, (int)status.where[0], 0);
	KUNIT_EXPECT_NULL(test, run->pd);
	KUNIT_EXPECT_FALSE(test, run->inside);
	life_end(run);
}

static struct kunit_case life_tests[] = {
	KUNIT_CASE_PARAM(life_connect, life_state_gen_params),
	KUNIT_CASE_PARAM(life_start, life_state_gen_params),
	KUNIT_CASE_PARAM(life_stop, life_state_gen_params),
	KUNIT_CASE_PARAM(life_delete, life_state_gen_params),
	KUNIT_CASE(life_busy),
	KUNIT_CASE(life_owner),
	KUNIT_CASE(life_orphan),
	KUNIT_CASE(life_results),
	KUNIT_CASE(life_failure),
	{ }
};

struct kunit_suite kv_life_suite = {
	.name = "kverbs_run_life",
	.test_cases = life_tests,
};
