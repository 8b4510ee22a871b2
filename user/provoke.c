// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Errors that are provoked: what is made wrong, by libibverbs. */
#include <stdlib.h>
#include "ep.h"
#include "verbs.h"
#include "kverbs.h"

#define OVERFILL	8	/* WRs more than twice the queue, which may be rounded up */

_Static_assert((u32)KV_WC_LOC_LEN_ERR == IBV_WC_LOC_LEN_ERR, "LOC_LEN_ERR");
_Static_assert((u32)KV_WC_LOC_QP_OP_ERR == IBV_WC_LOC_QP_OP_ERR, "LOC_QP_OP_ERR");
_Static_assert((u32)KV_WC_LOC_PROT_ERR == IBV_WC_LOC_PROT_ERR, "LOC_PROT_ERR");
_Static_assert((u32)KV_WC_WR_FLUSH_ERR == IBV_WC_WR_FLUSH_ERR, "WR_FLUSH_ERR");
_Static_assert((u32)KV_WC_MW_BIND_ERR == IBV_WC_MW_BIND_ERR, "MW_BIND_ERR");
_Static_assert((u32)KV_WC_REM_INV_REQ_ERR == IBV_WC_REM_INV_REQ_ERR, "REM_INV_REQ_ERR");
_Static_assert((u32)KV_WC_REM_ACCESS_ERR == IBV_WC_REM_ACCESS_ERR, "REM_ACCESS_ERR");
_Static_assert((u32)KV_WC_REM_OP_ERR == IBV_WC_REM_OP_ERR, "REM_OP_ERR");
_Static_assert((u32)KV_WC_RETRY_EXC_ERR == IBV_WC_RETRY_EXC_ERR, "RETRY_EXC_ERR");
_Static_assert((u32)KV_WC_RNR_RETRY_EXC_ERR == IBV_WC_RNR_RETRY_EXC_ERR, "RNR_RETRY_EXC_ERR");

/**
 * struct kv_wrong - what an error is provoked with
 * @plan: what it is provoked on
 * @spare: an end whose QP is in RESET
 * @pd: another PD
 * @mr: MR of that, over the peer's buffer
 * @mw: memory window that is not bound
 * @sge: more SGEs than the QP was granted
 */
struct kv_wrong {
	struct kv_wrong_plan plan;
	struct kv_end spare;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_mw *mw;
	struct ibv_sge *sge;
};

/* what needs objects makes them before the lane runs; an error shows when it is used */
static int make_objects(struct kv_wrong *wrong)
{
	const struct kv_wrong_plan *plan = &wrong->plan;
	struct kv_error error;

	switch (plan->job->provoke) {
	case KVERBS_PROVOKE_WRONG_PD:
		wrong->pd = ibv_alloc_pd(plan->port->context);
		if (wrong->pd)
			wrong->mr = ibv_reg_mr(wrong->pd, plan->peer->buffer,
					       plan->peer->mr->length,
					       (int)kv_access(plan->job, KV_ACCESS_OF_BUFFER));
		return wrong->mr ? 0 : -errno;
	case KVERBS_PROVOKE_WRONG_QPN:
		if (kv_qp_make(&wrong->spare, plan->port, plan->job, &error))
			return -ENOMEM;
		return -kv_qp_move(&wrong->spare, IBV_QPS_RESET);
	case KVERBS_PROVOKE_MW_BIND:
		wrong->mw = ibv_alloc_mw(plan->port->pd, IBV_MW_TYPE_2);
		return wrong->mw ? 0 : -errno;
	default:
		return 0;
	}
}

/**
 * kv_provoke_open - make what an error will be provoked with
 * @plan: what it is provoked on, copied; what it names outlives it
 * Return: owned by the caller, or NULL without memory
 */
struct kv_wrong *kv_provoke_open(const struct kv_wrong_plan *plan)
{
	struct kv_wrong *wrong = calloc(1, sizeof(*wrong));
	u32 n = plan->end->send_sges + 1, i;

	if (!wrong)
		return NULL;
	wrong->plan = *plan;
	wrong->sge = calloc(n, sizeof(*wrong->sge));
	if (!wrong->sge) {
		free(wrong);
		return NULL;
	}
	for (i = 0; i < n; i++) {
		wrong->sge[i] = plan->sge[0];
		wrong->sge[i].length = 1;
	}
	return wrong;
}

/* before the QPs and MRs of the run are destroyed; NULL allowed */
void kv_provoke_close(struct kv_wrong *wrong)
{
	if (!wrong)
		return;
	kv_qp_free(&wrong->spare);
	if (wrong->mw)
		ibv_dealloc_mw(wrong->mw);
	if (wrong->mr)
		ibv_dereg_mr(wrong->mr);
	if (wrong->pd)
		ibv_dealloc_pd(wrong->pd);
	free(wrong->sge);
	free(wrong);
}

/* the QP, with nothing outstanding, from RESET to RTS once more */
static int rejoin(const struct kv_wrong_plan *plan, struct kv_end *end, const struct kv_end *peer)
{
	struct kv_error error;
	int rc = kv_qp_move(end, IBV_QPS_RESET);

	if (rc)
		return -rc;
	return kv_qp_init(end, plan->port, plan->job, &error) ||
	       kv_qp_connect(end, peer, plan->port, plan->job, &error) ? -EINVAL : 0;
}

static int wrong_psn(const struct kv_wrong_plan *plan)
{
	struct kv_end other = *plan->end;
	int rc;

	/* the peer expects what this end does not begin with */
	other.psn = (other.psn + 0x1000000 - KV_PROVOKE_PSN) & 0xffffff;
	rc = rejoin(plan, plan->peer, &other);
	return rc ? rc : rejoin(plan, plan->end, plan->peer);
}

static int dereg(const struct kv_wrong_plan *plan)
{
	int rc = ibv_dereg_mr(plan->peer->mr);

	if (!rc)
		plan->peer->mr = NULL;
	return -rc;
}

static void bind_window(const struct kv_wrong *wrong, struct ibv_send_wr *wr)
{
	wr->opcode = IBV_WR_BIND_MW;
	wr->num_sge = 0;
	wr->bind_mw.mw = wrong->mw;
	wr->bind_mw.rkey = ibv_inc_rkey(wrong->mw->rkey);
	wr->bind_mw.bind_info.mr = wrong->plan.end->mr;
	wr->bind_mw.bind_info.addr = (uintptr_t)wrong->plan.end->buffer;
	wr->bind_mw.bind_info.length = wrong->plan.end->half;
	wr->bind_mw.bind_info.mw_access_flags = IBV_ACCESS_REMOTE_WRITE;
}

/* one of the WRs that are posted from now on */
static void spoil_wr(const struct kv_wrong *wrong, struct ibv_send_wr *wr)
{
	switch (wrong->plan.job->provoke) {
	case KVERBS_PROVOKE_LOCAL_QP_OP:
		wr->opcode = IBV_WR_RDMA_READ;
		break;
	case KVERBS_PROVOKE_REMOTE_ACCESS:
		wr->wr.rdma.rkey ^= KV_PROVOKE_KEY;
		break;
	case KVERBS_PROVOKE_WRONG_PD:
		wr->wr.rdma.rkey = wrong->mr->rkey;
		break;
	case KVERBS_PROVOKE_MW_BIND:
		bind_window(wrong, wr);
		break;
	case KVERBS_PROVOKE_SGES:
		wr->sg_list = wrong->sge;
		wr->num_sge = (int)wrong->plan.end->send_sges + 1;
		break;
	default:
		break;
	}
}

/* what the responder does wrong */
static void spoil_responder(const struct kv_wrong_plan *plan)
{
	struct ibv_sge *sge = plan->sge + plan->job->sges;
	u32 i;

	if (plan->job->provoke == KVERBS_PROVOKE_REMOTE_OP) {
		sge->lkey ^= KV_PROVOKE_KEY;
		return;
	}
	if (plan->job->provoke == KVERBS_PROVOKE_STALE_RKEY)
		plan->ep->exchange.stale = 1;
	if (plan->job->provoke == KVERBS_PROVOKE_RNR ||
	    plan->job->provoke == KVERBS_PROVOKE_STALE_RKEY)
		return;
	sge->length = 1;
	for (i = 0; i < plan->ep->recv_depth; i++)
		plan->ep->recv[i].num_sge = 1;
}

/**
 * kv_provoke_spoil - make it wrong
 * @wrong: of the lane that calls
 * @role: enum kverbs_role of that lane
 * Return: 0 or -errno
 */
int kv_provoke_spoil(struct kv_wrong *wrong, u32 role)
{
	const struct kv_wrong_plan *plan = &wrong->plan;
	struct ibv_qp_attr closed = { 0 };
	struct kv_end nobody;
	u32 i;
	int rc;

	if (role == KVERBS_ROLE_RESPONDER) {
		spoil_responder(plan);
		return 0;
	}
	rc = make_objects(wrong);
	if (rc)
		return rc;
	switch (plan->job->provoke) {
	case KVERBS_PROVOKE_WRONG_QPN:
		nobody = *plan->peer;
		nobody.qp = wrong->spare.qp;
		return rejoin(plan, plan->end, &nobody);
	case KVERBS_PROVOKE_WRONG_PSN:
		return wrong_psn(plan);
	case KVERBS_PROVOKE_PEER_GONE:
		return -kv_qp_move(plan->peer, IBV_QPS_ERR);
	case KVERBS_PROVOKE_FLUSH:
		return -kv_qp_move(plan->end, IBV_QPS_ERR);
	case KVERBS_PROVOKE_REMOTE_INV_REQ:
		return -ibv_modify_qp(plan->peer->qp, &closed, IBV_QP_ACCESS_FLAGS);
	case KVERBS_PROVOKE_DEREG:
		return dereg(plan);
	case KVERBS_PROVOKE_LOCAL_PROT:
		for (i = 0; i < plan->job->sges; i++)
			plan->sge[i].lkey ^= KV_PROVOKE_KEY;
		return 0;
	default:
		for (i = 0; i < plan->ep->depth * plan->ep->wrs; i++)
			spoil_wr(wrong, &plan->ep->wr[i]);
		return 0;
	}
}

/**
 * kv_provoke_overfill - post one chain that is longer than the send queue
 * @wrong: of the lane that calls
 * Return: what the post call returned, 0 or -errno
 */
int kv_provoke_overfill(struct kv_wrong *wrong)
{
	struct kv_ep *ep = wrong->plan.ep;
	u32 n = 2 * (wrong->plan.end->sq_depth + OVERFILL), i;
	struct ibv_send_wr *wr = calloc(n, sizeof(*wr)), *bad;
	int rc;

	if (!wr)
		return -ENOBUFS;
	for (i = 0; i < n; i++) {
		wr[i] = ep->wr[0];
		wr[i].send_flags = ep->flags[0];
		wr[i].next = i + 1 < n ? &wr[i + 1] : NULL;
	}
	rc = ibv_post_send(ep->qp, wr, &bad);
	free(wr);
	return rc > 0 ? -rc : rc;
}
