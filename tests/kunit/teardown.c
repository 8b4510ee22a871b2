// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * KUnit: in which order the verbs objects of a run go. The functions of rxe0 are exchanged
 * for some that write down a letter each: small, an object is made; large, it goes; E, a
 * QP is moved to ERR. They also fail the n-th creation of a kind.
 */
#include <linux/ctype.h>
#include <linux/delay.h>
#include <linux/string.h>
#include <net/net_namespace.h>
#include <rdma/ib_verbs.h>

#include "run.h"
#include "suites.h"

#define TEARDOWN_DEVICE	"rxe0"
#define TEARDOWN_PORTID	0x6b767464	/* no socket has it */
#define TEARDOWN_WAIT_MS 20000

static struct {
	struct kv_dev *dev;
	char log[512];
	u32 n;
	char fails;		/* kind whose creation fails, small */
	u32 nth;
} teardown;

static typeof_member(struct ib_device, ops) teardown_were;

/* one run at a time, whose work item makes all calls */
static int teardown_note(char what)
{
	if (teardown.n < sizeof(teardown.log) - 1)
		teardown.log[teardown.n++] = what;
	if (what == teardown.fails && !--teardown.nth)
		return -ENOSPC;
	return 0;
}

static int teardown_alloc_pd(struct ib_pd *pd, struct ib_udata *data)
{
	int rc = teardown_note('p');

	return rc ? rc : teardown_were.alloc_pd(pd, data);
}

static int teardown_dealloc_pd(struct ib_pd *pd, struct ib_udata *data)
{
	teardown_note('P');
	return teardown_were.dealloc_pd(pd, data);
}

static int teardown_create_cq(struct ib_cq *cq, const struct ib_cq_init_attr *attr,
			      struct ib_udata *data)
{
	int rc = teardown_note('c');

	return rc ? rc : teardown_were.create_cq(cq, attr, data);
}

static int teardown_destroy_cq(struct ib_cq *cq, struct ib_udata *data)
{
	teardown_note('C');
	return teardown_were.destroy_cq(cq, data);
}

static int teardown_create_qp(struct ib_qp *qp, struct ib_qp_init_attr *attr,
			      struct ib_udata *data)
{
	int rc = teardown_note('q');

	return rc ? rc : teardown_were.create_qp(qp, attr, data);
}

static int teardown_modify_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
			      struct ib_udata *data)
{
	if (mask & IB_QP_STATE && attr->qp_state == IB_QPS_ERR)
		teardown_note('E');
	return teardown_were.modify_qp(qp, attr, mask, data);
}

static int teardown_destroy_qp(struct ib_qp *qp, struct ib_udata *data)
{
	teardown_note('Q');
	return teardown_were.destroy_qp(qp, data);
}

static struct ib_mr *teardown_alloc_mr(struct ib_pd *pd, enum ib_mr_type type, u32 max)
{
	int rc = teardown_note('m');

	return rc ? ERR_PTR(rc) : teardown_were.alloc_mr(pd, type, max);
}

static struct ib_mr *teardown_get_dma_mr(struct ib_pd *pd, int access)
{
	teardown_note('d');
	return teardown_were.get_dma_mr(pd, access);
}

static int teardown_dereg_mr(struct ib_mr *mr, struct ib_udata *data)
{
	/* the PD has one of its own */
	teardown_note(mr->type == IB_MR_TYPE_DMA ? 'D' : 'M');
	return teardown_were.dereg_mr(mr, data);
}

static int teardown_init(struct kunit *test)
{
	typeof(teardown_were) *ops;

	teardown.dev = kv_dev_find(&init_net, TEARDOWN_DEVICE);
	if (!teardown.dev)
		return -ENODEV;
	ops = &teardown.dev->ibdev->ops;
	teardown_were = *ops;
	memset(teardown.log, 0, sizeof(teardown.log));
	teardown.n = 0;
	teardown.fails = 0;
	ops->alloc_pd = teardown_alloc_pd;
	ops->dealloc_pd = teardown_dealloc_pd;
	ops->create_cq = teardown_create_cq;
	ops->destroy_cq = teardown_destroy_cq;
	ops->create_qp = teardown_create_qp;
	ops->modify_qp = teardown_modify_qp;
	ops->destroy_qp = teardown_destroy_qp;
	ops->alloc_mr = teardown_alloc_mr;
	ops->get_dma_mr = teardown_get_dma_mr;
	ops->dereg_mr = teardown_dereg_mr;
	return 0;
}

static void teardown_exit(struct kunit *test)
{
	if (!teardown.dev)
		return;
	teardown.dev->ibdev->ops = teardown_were;
	kv_dev_put(teardown.dev);
	teardown.dev = NULL;
}

/* a run of the job from its making to its end: the state it ends in */
static u32 teardown_life(struct kunit *test, const struct kv_job *job)
{
	struct kv_refusal no = { };
	const char *why = NULL;
	struct kv_run *run;
	u32 state, ms;

	run = kv_run_new(&init_net, TEARDOWN_PORTID, TEARDOWN_DEVICE, job, &no);
	if (IS_ERR(run)) {
		KUNIT_FAIL(test, "no run: %ld %s", PTR_ERR(run), no.text);
		return KVERBS_STATE_NEW;
	}
	KUNIT_EXPECT_EQ(test, kv_run_connect(run, &why), 0);
	for (ms = 0; ms < TEARDOWN_WAIT_MS; ms += 20) {
		state = kv_run_state(run);
		if (state >= KVERBS_STATE_DONE)
			break;
		if (state == KVERBS_STATE_READY)
			kv_run_start(run, &why);
		msleep(20);
	}
	kv_run_delete(run);
	kv_run_put(run);
	return state;
}

static u32 teardown_count(char what)
{
	u32 n = 0, i;

	for (i = 0; i < teardown.n; i++)
		n += teardown.log[i] == what;
	return n;
}

static int teardown_last(char what)
{
	const char *at = strrchr(teardown.log, what);

	return at ? at - teardown.log : -1;
}

static int teardown_first(char what)
{
	const char *at = strchr(teardown.log, what);

	return at ? at - teardown.log : (int)sizeof(teardown.log);
}

/* of each kind as many have gone as were made, the PD after all others */
static void teardown_whole(struct kunit *test, char failed)
{
	static const char kinds[] = "pcqmd";
	u32 i, made;

	for (i = 0; kinds[i]; i++) {
		made = teardown_count(kinds[i]) - (kinds[i] == failed);
		KUNIT_EXPECT_EQ_MSG(test, made, teardown_count(toupper(kinds[i])), "%c in %s",
				    kinds[i], teardown.log);
	}
	if (teardown_count('P'))
		KUNIT_EXPECT_EQ_MSG(test, teardown_last('P'), (int)teardown.n - 1, "%s",
				    teardown.log);
}

#define TEARDOWN_DEFAULT(attr, member, type, lo, hi, def, letter, name, unit, what) \
	.member = (def),
#define TEARDOWN_JOB(op, size, ...)					\
	{								\
		KV_JOB_FIELDS(TEARDOWN_DEFAULT)				\
		.nsteps = 1, .step = { { op, size } },			\
		.iterations = 5, .warmup_ms = 0,			\
		__VA_ARGS__						\
	}

struct teardown_case {
	const char *name;
	struct kv_job job;
	u32 qps, mrs;
	bool helper;		/* a QP beside, of set-up alone */
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"

static const struct teardown_case teardown_cases[] = {
	{ "write", TEARDOWN_JOB(KVERBS_OP_WRITE, 64), 2, 2 },
	{ "pingpong", TEARDOWN_JOB(KVERBS_OP_SEND, 64, .shape = KVERBS_SHAPE_PINGPONG), 2, 2 },
	{ "three pairs", TEARDOWN_JOB(KVERBS_OP_READ, 64, .pairs = 3), 6, 6 },
	{ "three QPs a lane", TEARDOWN_JOB(KVERBS_OP_WRITE, 64, .shape = KVERBS_SHAPE_RATE,
					   .lane_qps = 3), 6, 2 },
	{ "softirq", TEARDOWN_JOB(KVERBS_OP_WRITE, 64, .context = KVERBS_CONTEXT_SOFTIRQ), 2, 2 },
	{ "ud", TEARDOWN_JOB(KVERBS_OP_SEND, 64, .transport = KVERBS_TRANSPORT_UD), 3, 3, true },
};

#pragma GCC diagnostic pop

static void teardown_name(const struct teardown_case *c, char *text)
{
	strscpy(text, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(teardown, teardown_cases, teardown_name);

static void teardown_order(struct kunit *test)
{
	const struct teardown_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, teardown_life(test, &c->job), (u32)KVERBS_STATE_DONE);
	teardown_whole(test, 0);
	KUNIT_EXPECT_EQ_MSG(test, teardown_count('q'), c->qps, "%s", teardown.log);
	KUNIT_EXPECT_EQ_MSG(test, teardown_count('m'), c->mrs, "%s", teardown.log);
	if (c->helper)
		return;
	/* each may write to its peer's buffer: all are in ERR before one is destroyed */
	KUNIT_EXPECT_EQ_MSG(test, teardown_count('E'), c->qps, "%s", teardown.log);
	KUNIT_EXPECT_LT_MSG(test, teardown_last('E'), teardown_first('Q'), "%s", teardown.log);
	/* of each end the QP before its CQ, and that before its MR */
	KUNIT_EXPECT_LT_MSG(test, teardown_first('Q'), teardown_first('C'), "%s", teardown.log);
	KUNIT_EXPECT_LT_MSG(test, teardown_first('C'), teardown_first('M'), "%s", teardown.log);
	KUNIT_EXPECT_LT_MSG(test, teardown_last('Q'), teardown_last('C'), "%s", teardown.log);
	KUNIT_EXPECT_LT_MSG(test, teardown_last('C'), teardown_last('M'), "%s", teardown.log);
}

/* whichever creation fails, what was made before it goes */
static void teardown_early(struct kunit *test)
{
	const struct teardown_case *c = test->param_value;
	static const char kinds[] = "pmcq";
	u32 i, nth, most;

	for (i = 0; kinds[i]; i++) {
		most = kinds[i] == 'p' ? 1 : 2;
		if (kinds[i] == 'q')
			most = c->qps;
		else if (kinds[i] == 'm')
			most = c->mrs;
		for (nth = 1; nth <= most; nth++) {
			memset(teardown.log, 0, sizeof(teardown.log));
			teardown.n = 0;
			teardown.fails = kinds[i];
			teardown.nth = nth;
			KUNIT_EXPECT_EQ(test, teardown_life(test, &c->job),
					(u32)KVERBS_STATE_FAILED);
			KUNIT_EXPECT_EQ(test, teardown.nth, 0U);
			teardown_whole(test, kinds[i]);
		}
	}
	teardown.fails = 0;
}

static struct kunit_case teardown_tests[] = {
	KUNIT_CASE_PARAM(teardown_order, teardown_gen_params),
	KUNIT_CASE_PARAM(teardown_early, teardown_gen_params),
	{ }
};

struct kunit_suite kv_teardown_suite = {
	.name = "kverbs_teardown",
	.init = teardown_init,
	.exit = teardown_exit,
	.test_cases = teardown_tests,
};
