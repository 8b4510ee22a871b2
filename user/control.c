// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The control path as something that is measured: its calls, by libibverbs. */
#include <errno.h>
#include <stdlib.h>
#include "cm.h"
#include "ep.h"
#include "verbs.h"
#include "kverbs.h"

/**
 * struct kv_control - what calls of the control path need
 * @plan: what they are made on
 * @set: what is set up, NULL: nothing is; of connections those ends that ask go first
 * @cm: what connects these, NULL: verbs
 * @due: receives of the peer that have not completed
 */
struct kv_control {
	struct kv_control_plan plan;
	struct kv_end *set;
	struct kv_cm *cm;
	u32 due;
};

static int open_sets(struct kv_control *control, struct kv_error *error)
{
	const struct kv_control_plan *plan = &control->plan;

	control->set = calloc(kv_job_storm_qps(plan->job), sizeof(*control->set));
	if (!control->set)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT, "out of memory");
	if (plan->job->connect != KVERBS_CONNECT_CM)
		return 0;
	control->cm = kv_cm_more(plan->port, plan->ep->stop, error);
	return control->cm ? 0 : -1;
}

/**
 * kv_control_open - make what the calls of a lane will need
 * @plan: what they are made on, copied; what it names outlives it
 * @error: filled on failure
 * Return: owned by the caller, or NULL
 */
struct kv_control *kv_control_open(const struct kv_control_plan *plan, struct kv_error *error)
{
	struct kv_control *control = calloc(1, sizeof(*control));

	if (!control) {
		kv_error_set(error, KV_EXIT_ENVIRONMENT, "out of memory");
		return NULL;
	}
	control->plan = *plan;
	if (plan->job->shape != KVERBS_SHAPE_SETUP || !open_sets(control, error))
		return control;
	kv_control_close(control);
	return NULL;
}

/* before the QPs of the run are destroyed; NULL allowed */
void kv_control_close(struct kv_control *control)
{
	u32 n, i;

	if (!control)
		return;
	n = control->set ? kv_job_storm_qps(control->plan.job) : 0;
	/* a turn that was not done to its end leaves what it had made */
	kv_cm_deaf(control->cm);
	for (i = n; i--;)
		kv_cm_leave(&control->set[i]);
	for (i = 0; i < n; i++) {
		if (control->set[i].mr)
			ibv_dereg_mr(control->set[i].mr);
		kv_qp_free(&control->set[i]);
	}
	kv_cm_free(control->cm);
	free(control->set);
	free(control);
}

static int move(const struct kv_control_plan *plan, u32 i, u32 state)
{
	return -kv_qp_to(plan->end[i], plan->end[!i], plan->port, plan->job, state);
}

/* far from that of the life before, by no call that would be timed */
static void next_number(struct kv_end *end)
{
	end->psn = (end->psn + 0x10001) & 0xffffff;
}

static int make_qp(const struct kv_control_plan *plan, u32 i)
{
	struct kv_error error;

	next_number(plan->end[i]);
	errno = 0;
	if (kv_qp_create(plan->end[i], plan->port, plan->job, &error))
		return errno ? -errno : -EINVAL;
	if (!i)
		plan->ep->qp = plan->end[i]->qp;
	return 0;
}

static int destroy_qp(struct kv_end *end)
{
	int rc = ibv_destroy_qp(end->qp);

	if (!rc)
		end->qp = NULL;
	return -rc;
}

static int create_cq(const struct kv_control_plan *plan, struct kv_end *set)
{
	set->vector = plan->end[0]->vector;
	set->cq = kv_qp_cq(set, plan->port, plan->job);
	return set->cq ? 0 : -errno;
}

static int create_qp(const struct kv_control_plan *plan, struct kv_end *set)
{
	struct kv_error error;

	errno = 0;
	if (!kv_qp_create(set, plan->port, plan->job, &error))
		return 0;
	return errno ? -errno : -EINVAL;
}

/* of the memory that the lane's end has anyway */
static int reg_mr(const struct kv_control_plan *plan, struct kv_end *set)
{
	set->mr = ibv_reg_mr(plan->port->pd, plan->end[0]->buffer, kv_job_covered(plan->job),
			     (int)kv_access(plan->job, KV_ACCESS_OF_BUFFER));
	return set->mr ? 0 : -errno;
}

static int dereg_mr(struct kv_end *set)
{
	int rc = ibv_dereg_mr(set->mr);

	set->mr = NULL;
	return -rc;
}

static int destroy_cq(struct kv_end *set)
{
	int rc = ibv_destroy_cq(set->cq);

	if (!rc)
		set->cq = NULL;
	return -rc;
}

/* of a QP that is its own peer, or is an end of a connection of rdma_cm */
static int set_up(const struct kv_control *control, u32 i, u32 what)
{
	const struct kv_control_plan *plan = &control->plan;
	struct kv_end *set = &control->set[i];

	switch (what) {
	case KVERBS_METRIC_CREATE_CQ:
		return create_cq(plan, set);
	case KVERBS_METRIC_CREATE_QP:
		return create_qp(plan, set);
	case KVERBS_METRIC_TO_INIT:
		return -kv_qp_to(set, set, plan->port, plan->job, IBV_QPS_INIT);
	case KVERBS_METRIC_TO_RTR:
		return -kv_qp_to(set, set, plan->port, plan->job, IBV_QPS_RTR);
	case KVERBS_METRIC_TO_RTS:
		return -kv_qp_to(set, set, plan->port, plan->job, IBV_QPS_RTS);
	case KVERBS_METRIC_MR_ALLOC:
		return reg_mr(plan, set);
	case KVERBS_METRIC_MR_FREE:
		return dereg_mr(set);
	case KVERBS_METRIC_DESTROY_QP:
		return destroy_qp(set);
	case KVERBS_METRIC_DESTROY_CQ:
		return destroy_cq(set);
	case KVERBS_METRIC_CREATE_ID:
	case KVERBS_METRIC_RESOLVE_ADDR:
	case KVERBS_METRIC_RESOLVE_ROUTE:
	case KVERBS_METRIC_CONNECT:
	case KVERBS_METRIC_DISCONNECT:
		return kv_cm_call(control->cm, set, set + plan->job->storm, what, plan->port,
				  plan->job);
	case KVERBS_METRIC_DESTROY_ID:
		kv_cm_leave(set);
		return 0;
	default:
		return -EINVAL;
	}
}

/* receives of the peer: all, of which the first has a key of no MR, or one that is good */
static int post_recvs(struct kv_control *control, bool wrong)
{
	const struct kv_control_plan *plan = &control->plan;
	struct kv_end *end = plan->end[1];
	struct ibv_sge sge = {
		.addr = (uintptr_t)end->buffer + end->half,
		.length = kv_job_size(plan->job),
		.lkey = end->mr->lkey,
	};
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;
	u32 n = wrong ? plan->job->recv_depth : 1, i;
	int rc;

	for (i = 0; i < n; i++) {
		sge.lkey = end->mr->lkey ^ (wrong && !i ? KV_PROVOKE_KEY : 0);
		rc = ibv_post_recv(end->qp, &wr, &bad);
		if (rc)
			return -rc;
		control->due++;
	}
	return 0;
}

/* 1 while some of them are still to complete */
static int reap_recvs(struct kv_control *control)
{
	struct ibv_wc wc;
	int rc;

	while (control->due) {
		rc = ibv_poll_cq(control->plan.end[1]->cq, 1, &wc);
		if (rc <= 0)
			return rc ? -EIO : 1;
		control->due--;
	}
	return 0;
}

/**
 * kv_control_call - one call of the control path
 * @control: of the lane that calls
 * @what: enum kverbs_metric that it is timed as
 * @i: object that it is of
 * Return: 0 or -errno; 1: what it waits for has not come, or it was stopped at that
 */
int kv_control_call(struct kv_control *control, u32 what, u32 i)
{
	const struct kv_control_plan *plan = &control->plan;

	if (control->set)
		return set_up(control, i, what);
	switch (what) {
	case KVERBS_METRIC_RECV_POST:
		return post_recvs(control, i);
	case KVERBS_METRIC_RECV_POLL:
		return reap_recvs(control);
	case KVERBS_METRIC_TO_ERR:
		return move(plan, i, IBV_QPS_ERR);
	case KVERBS_METRIC_TO_RESET:
		/* what may still be under way is not taken for the next life's */
		next_number(plan->end[i]);
		return move(plan, i, IBV_QPS_RESET);
	case KVERBS_METRIC_TO_INIT:
		return move(plan, i, IBV_QPS_INIT);
	case KVERBS_METRIC_TO_RTR:
		return move(plan, i, IBV_QPS_RTR);
	case KVERBS_METRIC_TO_RTS:
		return move(plan, i, IBV_QPS_RTS);
	case KVERBS_METRIC_CREATE_QP:
		return make_qp(plan, i);
	case KVERBS_METRIC_DESTROY_QP:
		return destroy_qp(plan->end[i]);
	default:
		return -EINVAL;
	}
}
