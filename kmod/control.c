// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The control path as something that is measured: its calls. */
#include <linux/slab.h>
#include <rdma/mr_pool.h>

#include "cm.h"
#include "control.h"

/**
 * struct kv_set - what a set-up makes
 * @cq: CQ
 * @qp: QP, its own peer unless it has a @link
 * @mr: MR
 * @pool: @qp has a pool of MRs
 * @link: its end of a connection of rdma_cm
 */
struct kv_set {
	struct ib_cq *cq;
	struct ib_qp *qp;
	struct ib_mr *mr;
	bool pool;
	struct kv_link link;
};

/**
 * struct kv_control - what the calls of a lane need
 * @end: both ends; the first is the lane's own
 * @path: the way between them
 * @job: checked job
 * @pd: protection domain of QPs that are made anew
 * @set: what is set up; of connections those ends that ask go first
 * @cm: what connects these, NULL: verbs
 * @due: receives of the peer that have not completed
 */
struct kv_control {
	struct kv_ep *end[2];
	const struct kv_path *path;
	const struct kv_job *job;
	struct ib_pd *pd;
	struct kv_set *set;
	struct kv_cm *cm;
	u32 due;
};

static int kv_control_open_sets(struct kv_control *control, const char **where)
{
	const struct kv_job *job = control->job;
	u32 n = kv_job_storm_qps(job), i;
	struct kv_cm *cm;

	control->set = kcalloc(n, sizeof(*control->set), GFP_KERNEL);
	if (!control->set)
		return -ENOMEM;
	if (job->connect != KVERBS_CONNECT_CM)
		return 0;
	cm = kv_cm_more(control->path, control->pd->device, where);
	if (IS_ERR(cm))
		return PTR_ERR(cm);
	control->cm = cm;
	for (i = 0; i < n; i++)
		control->set[i].link.cm = cm;
	return 0;
}

int kv_control_open(struct kv_ep *ep, struct kv_ep *peer,
		    const struct kv_path *path, const struct kv_job *job,
		    const char **where)
{
	struct kv_control *control;

	*where = "allocate what calls of the control path need";
	control = kzalloc(sizeof(*control), GFP_KERNEL);
	if (!control)
		return -ENOMEM;
	ep->control = control;
	control->end[0] = ep;
	control->end[1] = peer;
	control->path = path;
	control->job = job;
	control->pd = ep->qp->pd;
	return job->shape == KVERBS_SHAPE_SETUP ?
	       kv_control_open_sets(control, where) : 0;
}

/* a turn that was not done to its end leaves what it had made */
static void kv_control_free(struct kv_set *set)
{
	if (set->mr)
		ib_dereg_mr(set->mr);
	if (set->pool)
		ib_mr_pool_destroy(set->qp, &set->qp->rdma_mrs);
	if (set->qp && ib_destroy_qp(set->qp))
		return;
	if (set->cq)
		ib_destroy_cq(set->cq);
}

void kv_control_close(struct kv_ep *ep)
{
	struct kv_control *control = ep->control;
	u32 n, i;

	if (!control)
		return;
	n = control->set ? kv_job_storm_qps(control->job) : 0;
	/* who asks waits for the answer: who has the request goes first */
	kv_cm_deaf(control->cm);
	for (i = n; i--;)
		kv_cm_drop(&control->set[i].link);
	for (i = 0; i < n; i++)
		kv_control_free(&control->set[i]);
	kv_cm_free(control->cm);
	kfree(control->set);
	kfree(control);
	ep->control = NULL;
}

/* entries of an MR that covers what the job says */
static u32 kv_control_pages(const struct kv_job *job)
{
	u32 page = job->mr_page == KV_AUTO ? PAGE_SIZE : job->mr_page;

	return DIV_ROUND_UP(kv_job_covered(job), page);
}

static int kv_control_create_cq(struct kv_control *control, struct kv_set *set)
{
	struct ib_cq_init_attr attr = {
		.cqe = kv_job_cq_depth(control->job),
		.comp_vector = control->end[0]->vector,
	};
	struct ib_cq *cq;

	cq = ib_create_cq(control->pd->device, NULL, NULL, NULL, &attr);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	set->cq = cq;
	return 0;
}

static int kv_control_create_qp(struct kv_control *control, struct kv_set *set)
{
	struct ib_qp_init_attr attr;
	struct ib_qp *qp;

	kv_ep_qp_attr(control->end[0], control->job, &attr);
	attr.send_cq = set->cq;
	attr.recv_cq = set->cq;
	qp = ib_create_qp(control->pd, &attr);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	set->qp = qp;
	return 0;
}

static int kv_control_alloc_mr(struct kv_control *control, struct kv_set *set)
{
	struct ib_mr *mr;

	mr = ib_alloc_mr(control->pd, IB_MR_TYPE_MEM_REG,
			 kv_control_pages(control->job));
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	set->mr = mr;
	return 0;
}

static int kv_control_init_pool(struct kv_control *control, struct kv_set *set)
{
	int rc;

	rc = ib_mr_pool_init(set->qp, &set->qp->rdma_mrs,
			     control->job->outstanding, IB_MR_TYPE_MEM_REG,
			     kv_control_pages(control->job), 0);
	set->pool = !rc;
	return rc;
}

/* a QP that cannot be destroyed uses its CQ: both are tried again at the end */
static int kv_control_destroy(struct kv_set *set, u32 what)
{
	int rc = 0;

	switch (what) {
	case KVERBS_METRIC_MR_FREE:
		rc = ib_dereg_mr(set->mr);
		set->mr = NULL;
		break;
	case KVERBS_METRIC_POOL_FREE:
		ib_mr_pool_destroy(set->qp, &set->qp->rdma_mrs);
		set->pool = false;
		break;
	case KVERBS_METRIC_DESTROY_QP:
		rc = ib_destroy_qp(set->qp);
		if (!rc)
			set->qp = NULL;
		break;
	case KVERBS_METRIC_DESTROY_CQ:
		ib_destroy_cq(set->cq);
		set->cq = NULL;
		break;
	}
	return rc;
}

static int kv_control_set_to(struct kv_control *control, struct kv_set *set,
			     enum ib_qp_state state)
{
	/* with itself it agrees on any PSN */
	struct kv_wire wire = { .dest_qpn = set->qp->qp_num };

	return kv_ep_qp_to(control->end[0], set->qp, state, &wire,
			   control->path, control->job);
}

/* a step of the i-th connection */
static int kv_control_tie(struct kv_control *control, u32 what, u32 i)
{
	struct kv_set *asks = &control->set[i], *takes = asks + control->job->storm;
	struct kv_tie tie = {
		.ep = { control->end[0], control->end[1] },
		.qp = { asks->qp, takes->qp },
		.link = { &asks->link, &takes->link },
	};

	return kv_cm_call(&tie, what, control->path, control->job);
}

static int kv_control_setup(struct kv_control *control, u32 what, u32 i)
{
	struct kv_set *set = &control->set[i];

	switch (what) {
	case KVERBS_METRIC_CREATE_CQ:
		return kv_control_create_cq(control, set);
	case KVERBS_METRIC_CREATE_QP:
		return kv_control_create_qp(control, set);
	case KVERBS_METRIC_TO_INIT:
		return kv_control_set_to(control, set, IB_QPS_INIT);
	case KVERBS_METRIC_TO_RTR:
		return kv_control_set_to(control, set, IB_QPS_RTR);
	case KVERBS_METRIC_TO_RTS:
		return kv_control_set_to(control, set, IB_QPS_RTS);
	case KVERBS_METRIC_MR_ALLOC:
		return kv_control_alloc_mr(control, set);
	case KVERBS_METRIC_POOL_INIT:
		return kv_control_init_pool(control, set);
	case KVERBS_METRIC_CREATE_ID:
	case KVERBS_METRIC_RESOLVE_ADDR:
	case KVERBS_METRIC_RESOLVE_ROUTE:
	case KVERBS_METRIC_CONNECT:
	case KVERBS_METRIC_DISCONNECT:
		return kv_control_tie(control, what, i);
	case KVERBS_METRIC_DESTROY_ID:
		kv_cm_drop(&set->link);
		return 0;
	}
	return kv_control_destroy(set, what);
}

/* a QP that has nothing outstanding, or has it flushed by this */
static int kv_control_destroy_qp(struct kv_ep *ep)
{
	int rc = ib_destroy_qp(ep->qp);

	if (rc)
		return rc;
	ep->qp = NULL;
	ep->connected = false;
	return 0;
}

static int kv_control_to(struct kv_control *control, u32 i, enum ib_qp_state state)
{
	struct kv_wire wire;

	kv_ep_wire(control->end[i], control->end[!i], &wire);
	return kv_ep_to(control->end[i], state, &wire, control->path,
			control->job);
}

/* receives of the peer: all, of which the first has a key of no MR, or one that is good */
static int kv_control_recv(struct kv_control *control, bool wrong)
{
	struct kv_ep *ep = control->end[1];
	u32 n = wrong ? ep->recv_depth : 1;
	struct ib_recv_wr *last = &ep->rwr[n - 1], *next = last->next;
	struct ib_sge *list = ep->rwr[0].sg_list, other = list[0];
	int rc;

	other.lkey ^= KV_PROVOKE_KEY;
	last->next = NULL;
	if (wrong)
		ep->rwr[0].sg_list = &other;
	rc = ib_post_recv(ep->qp, ep->rwr, NULL);
	ep->rwr[0].sg_list = list;
	last->next = next;
	if (!rc)
		control->due = n;
	return rc;
}

/* 1 while some of them are still to complete */
static int kv_control_reap(struct kv_control *control)
{
	struct ib_wc wc;
	int rc;

	while (control->due) {
		rc = ib_poll_cq(control->end[1]->cq, 1, &wc);
		if (rc <= 0)
			return rc ? rc : 1;
		control->due--;
	}
	return 0;
}

int kv_control_call(struct kv_ep *ep, u32 what, u32 i)
{
	struct kv_control *control = ep->control;
	struct kv_refusal no;
	const char *where;
	int rc;

	if (control->set)
		return kv_control_setup(control, what, i);
	if (what == KVERBS_METRIC_RECV_POST)
		return kv_control_recv(control, i);
	if (what == KVERBS_METRIC_RECV_POLL)
		return kv_control_reap(control);
	ep = control->end[i];
	switch (what) {
	case KVERBS_METRIC_TO_ERR:
		return kv_control_to(control, i, IB_QPS_ERR);
	case KVERBS_METRIC_TO_RESET:
		/* what may still be under way is not taken for the next life's */
		kv_ep_number(ep);
		return kv_control_to(control, i, IB_QPS_RESET);
	case KVERBS_METRIC_TO_INIT:
		return kv_control_to(control, i, IB_QPS_INIT);
	case KVERBS_METRIC_TO_RTR:
		return kv_control_to(control, i, IB_QPS_RTR);
	case KVERBS_METRIC_TO_RTS:
		rc = kv_control_to(control, i, IB_QPS_RTS);
		ep->connected = !rc;
		return rc;
	case KVERBS_METRIC_CREATE_QP:
		kv_ep_number(ep);
		return kv_ep_make_qp(ep, control->pd, control->job, &no, &where);
	case KVERBS_METRIC_DESTROY_QP:
		return kv_control_destroy_qp(ep);
	}
	return -EINVAL;
}

void kv_control_key(struct kv_ep *ep, u32 slot)
{
	union kv_wr *wr = &ep->wr[slot * ep->wrs];

	if (wr->wr.opcode == IB_WR_ATOMIC_CMP_AND_SWP ||
	    wr->wr.opcode == IB_WR_ATOMIC_FETCH_AND_ADD)
		wr->atomic.rkey ^= KV_PROVOKE_KEY;
	else
		wr->rdma.rkey ^= KV_PROVOKE_KEY;
}
