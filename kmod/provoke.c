// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Errors that are provoked: what is made wrong, by kernel verbs. */
#include <linux/mm.h>
#include <linux/slab.h>

#include "provoke.h"

#define KV_OVERFILL	8	/* WRs more than twice the queue, which may be rounded up */

static_assert((u32)KV_WC_LOC_LEN_ERR == IB_WC_LOC_LEN_ERR);
static_assert((u32)KV_WC_LOC_QP_OP_ERR == IB_WC_LOC_QP_OP_ERR);
static_assert((u32)KV_WC_LOC_PROT_ERR == IB_WC_LOC_PROT_ERR);
static_assert((u32)KV_WC_WR_FLUSH_ERR == IB_WC_WR_FLUSH_ERR);
static_assert((u32)KV_WC_MW_BIND_ERR == IB_WC_MW_BIND_ERR);
static_assert((u32)KV_WC_REM_INV_REQ_ERR == IB_WC_REM_INV_REQ_ERR);
static_assert((u32)KV_WC_REM_ACCESS_ERR == IB_WC_REM_ACCESS_ERR);
static_assert((u32)KV_WC_REM_OP_ERR == IB_WC_REM_OP_ERR);
static_assert((u32)KV_WC_RETRY_EXC_ERR == IB_WC_RETRY_EXC_ERR);
static_assert((u32)KV_WC_RNR_RETRY_EXC_ERR == IB_WC_RNR_RETRY_EXC_ERR);

/**
 * struct kv_wrong - what an error is provoked with
 * @peer: the other end
 * @path: the way to it
 * @job: checked job
 * @spare: an endpoint whose QP is in RESET, or registers for another PD
 * @pd: another PD
 * @mr: MR of that, over the peer's buffer
 * @sge: more SGEs than the QP was granted
 */
struct kv_wrong {
	struct kv_ep *peer;
	const struct kv_path *path;
	const struct kv_job *job;
	struct kv_ep *spare;
	struct ib_pd *pd;
	struct ib_mr *mr;
	struct ib_sge *sge;
};

static int kv_provoke_move(struct kv_ep *ep, enum ib_qp_state state)
{
	struct ib_qp_attr attr = { .qp_state = state };

	return ib_modify_qp(ep->qp, &attr, IB_QP_STATE);
}

/* the peer's buffer once more, as memory of another PD */
static int kv_provoke_other_pd(struct kv_ep *ep, const char **where)
{
	struct kv_wrong *wrong = ep->wrong;
	struct kv_buf *buf = &wrong->peer->buf;
	struct ib_device *ibdev = ep->qp->device;
	struct ib_mr *mr;
	struct ib_pd *pd;
	int rc;

	*where = "allocate another PD";
	pd = ib_alloc_pd(ibdev, 0);
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	wrong->pd = pd;
	wrong->spare = kv_ep_helper(pd, wrong->path, wrong->job, ep->stop,
				    where);
	if (IS_ERR(wrong->spare))
		return PTR_ERR(wrong->spare);
	*where = "allocate an MR of another PD";
	mr = ib_alloc_mr(pd, IB_MR_TYPE_MEM_REG,
			 kv_mr_entries(ibdev, PAGE_ALIGN(buf->bytes) >>
					      PAGE_SHIFT));
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	wrong->mr = mr;
	*where = "map an MR of another PD";
	rc = ib_map_mr_sg(mr, buf->sgt.sgl, buf->mapped, NULL, PAGE_SIZE);
	if (rc != buf->mapped)
		return rc < 0 ? rc : -EINVAL;
	return kv_ep_register(wrong->spare, mr, wrong->job,
			      KV_ACCESS_OF_BUFFER, where);
}

/* a QP that takes no packets, so that its number is nobody else's */
static int kv_provoke_nobody(struct kv_ep *ep, const char **where)
{
	struct kv_wrong *wrong = ep->wrong;

	wrong->spare = kv_ep_helper(ep->qp->pd, wrong->path, wrong->job,
				    ep->stop, where);
	if (IS_ERR(wrong->spare))
		return PTR_ERR(wrong->spare);
	*where = "move a spare QP to RESET";
	return kv_provoke_move(wrong->spare, IB_QPS_RESET);
}

int kv_provoke_open(struct kv_ep *ep, struct kv_ep *peer, u32 role,
		    const struct kv_path *path, const struct kv_job *job,
		    const char **where)
{
	struct kv_wrong *wrong;
	u32 i;

	*where = "allocate what an error is provoked with";
	wrong = kzalloc(sizeof(*wrong), GFP_KERNEL);
	if (!wrong)
		return -ENOMEM;
	ep->wrong = wrong;
	wrong->peer = peer;
	wrong->path = path;
	wrong->job = job;
	wrong->sge = kcalloc(ep->send_sges + 1, sizeof(*wrong->sge),
			     GFP_KERNEL);
	if (!wrong->sge)
		return -ENOMEM;
	for (i = 0; i <= ep->send_sges; i++) {
		wrong->sge[i] = ep->sge[0];
		wrong->sge[i].length = 1;
	}
	/* what has lanes of two ends is made wrong by one of them */
	if (role == KVERBS_ROLE_RESPONDER)
		return 0;
	if (job->provoke == KVERBS_PROVOKE_WRONG_PD)
		return kv_provoke_other_pd(ep, where);
	if (job->provoke == KVERBS_PROVOKE_WRONG_QPN)
		return kv_provoke_nobody(ep, where);
	return 0;
}

void kv_provoke_close(struct kv_ep *ep)
{
	struct kv_wrong *wrong = ep->wrong;

	if (!wrong)
		return;
	kv_ep_destroy(wrong->spare);
	if (wrong->mr)
		ib_dereg_mr(wrong->mr);
	if (wrong->pd)
		ib_dealloc_pd(wrong->pd);
	kfree(wrong->sge);
	kfree(wrong);
	ep->wrong = NULL;
}

/* the QP, with nothing outstanding, from RESET to RTS once more */
static int kv_provoke_rejoin(struct kv_ep *ep, const struct kv_wire *wire)
{
	struct kv_wrong *wrong = ep->wrong;
	const char *where;
	int rc;

	rc = kv_provoke_move(ep, IB_QPS_RESET);
	return rc ? rc : kv_ep_to_rts(ep, wire, wrong->path, wrong->job, &where);
}

static int kv_provoke_psn(struct kv_ep *ep)
{
	struct kv_ep *peer = ep->wrong->peer;
	struct kv_wire wire;
	const char *where;
	int rc;

	kv_ep_wire(peer, ep, &wire);
	rc = kv_provoke_move(peer, IB_QPS_RESET);
	if (!rc)
		rc = kv_ep_to_rts(peer, &wire, ep->wrong->path, ep->wrong->job,
				  &where);
	if (rc)
		return rc;
	kv_ep_wire(ep, peer, &wire);
	wire.sq_psn = (wire.sq_psn + KV_PROVOKE_PSN) & 0xffffff;
	return kv_provoke_rejoin(ep, &wire);
}

/* the peer, which has no lane of its own, invalidates its MR */
static int kv_provoke_invalidate(struct kv_ep *peer)
{
	struct ib_send_wr wr = {
		.opcode = IB_WR_LOCAL_INV,
		.send_flags = IB_SEND_SIGNALED,
		.ex.invalidate_rkey = peer->buf.mr->rkey,
	};
	const char *where;
	int rc;

	kv_context_mark_send(peer, &wr);
	rc = ib_post_send(peer->qp, &wr, NULL);
	return rc ? rc : kv_ep_await(peer, &where);
}

static int kv_provoke_dereg(struct kv_ep *peer)
{
	int rc = ib_dereg_mr(peer->buf.mr);

	if (!rc)
		peer->buf.mr = NULL;
	return rc;
}

/* one of the WRs that are posted from now on */
static void kv_provoke_wr(const struct kv_ep *ep, union kv_wr *wr)
{
	const struct kv_wrong *wrong = ep->wrong;

	switch (wrong->job->provoke) {
	case KVERBS_PROVOKE_LOCAL_QP_OP:
		if (ep->qp->qp_type != IB_QPT_RC) {
			wr->wr.opcode = IB_WR_RDMA_READ;
			break;
		}
		wr->wr.opcode = IB_WR_LOCAL_INV;
		wr->wr.num_sge = 0;
		wr->wr.ex.invalidate_rkey = ep->buf.mr->rkey ^ KV_PROVOKE_KEY;
		break;
	case KVERBS_PROVOKE_REMOTE_ACCESS:
		wr->rdma.rkey ^= KV_PROVOKE_KEY;
		break;
	case KVERBS_PROVOKE_WRONG_PD:
		wr->rdma.remote_addr += wrong->mr->iova -
					wrong->peer->buf.mr->iova;
		wr->rdma.rkey = wrong->mr->rkey;
		break;
	case KVERBS_PROVOKE_SGES:
		wr->wr.sg_list = wrong->sge;
		wr->wr.num_sge = ep->send_sges + 1;
		break;
	}
}

/* what the responder does wrong */
static void kv_provoke_responder(struct kv_ep *ep, u32 provoke)
{
	struct ib_sge *sge = ep->sge + ep->wrong->job->sges;
	u32 i;

	if (provoke == KVERBS_PROVOKE_REMOTE_OP) {
		sge->lkey ^= KV_PROVOKE_KEY;
		return;
	}
	if (provoke == KVERBS_PROVOKE_STALE_RKEY)
		ep->exchange.stale = true;
	if (provoke == KVERBS_PROVOKE_RNR ||
	    provoke == KVERBS_PROVOKE_STALE_RKEY)
		return;
	sge->length = 1;
	for (i = 0; i < ep->recv_depth; i++)
		ep->rwr[i].num_sge = 1;
}

int kv_provoke_spoil(struct kv_ep *ep, u32 role)
{
	struct kv_wrong *wrong = ep->wrong;
	u32 provoke = wrong->job->provoke, i;
	struct ib_qp_attr closed = { };
	struct kv_wire wire;

	if (role == KVERBS_ROLE_RESPONDER) {
		kv_provoke_responder(ep, provoke);
		return 0;
	}
	switch (provoke) {
	case KVERBS_PROVOKE_WRONG_QPN:
		kv_ep_wire(ep, wrong->peer, &wire);
		wire.dest_qpn = wrong->spare->qp->qp_num;
		return kv_provoke_rejoin(ep, &wire);
	case KVERBS_PROVOKE_WRONG_PSN:
		return kv_provoke_psn(ep);
	case KVERBS_PROVOKE_PEER_GONE:
		return kv_provoke_move(wrong->peer, IB_QPS_ERR);
	case KVERBS_PROVOKE_FLUSH:
		return kv_provoke_move(ep, IB_QPS_ERR);
	case KVERBS_PROVOKE_REMOTE_INV_REQ:
		return ib_modify_qp(wrong->peer->qp, &closed,
				    IB_QP_ACCESS_FLAGS);
	case KVERBS_PROVOKE_DEREG:
		return kv_provoke_dereg(wrong->peer);
	case KVERBS_PROVOKE_INVALIDATED:
		return kv_provoke_invalidate(wrong->peer);
	case KVERBS_PROVOKE_LOCAL_PROT:
		for (i = 0; i < wrong->job->sges; i++)
			ep->sge[i].lkey ^= KV_PROVOKE_KEY;
		return 0;
	}
	for (i = 0; i < ep->depth * ep->wrs; i++)
		kv_provoke_wr(ep, &ep->wr[i]);
	return 0;
}

int kv_provoke_overfill(struct kv_ep *ep)
{
	u32 n = 2 * (ep->sq_depth + KV_OVERFILL), i;
	union kv_wr *wr;
	int rc;

	wr = kvcalloc(n, sizeof(*wr), GFP_KERNEL);
	if (!wr)
		return -ENOBUFS;
	for (i = 0; i < n; i++) {
		wr[i] = ep->wr[0];
		wr[i].wr.send_flags = ep->flags[0];
		wr[i].wr.next = i + 1 < n ? &wr[i + 1].wr : NULL;
	}
	rc = ib_post_send(ep->qp, &wr[0].wr, &ep->bad);
	ep->bad = NULL;
	kvfree(wr);
	return rc;
}
