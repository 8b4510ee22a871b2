// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Operations of rdma_rw. */
#include <linux/mm.h>

#include "endpoint.h"
#include "rw.h"

/* ib_create_qp() adds WRs for each context: as many as three, with MRs */
#define KV_RW_WRS	3

void kv_rw_caps(const struct kv_ep *ep, const struct kv_job *job,
		struct ib_qp_cap *cap)
{
	/* the other end posts nothing, and needs no MRs */
	if (!kv_job_rw(job) || ep->role != KVERBS_ROLE_INITIATOR)
		return;
	cap->max_rdma_ctxs = job->outstanding * kv_job_rw_mrs(job);
	cap->max_send_wr -= KV_RW_WRS * cap->max_rdma_ctxs;
}

void kv_rw_granted(const struct kv_job *job, struct ib_qp *qp)
{
	if (!kv_job_rw(job))
		return;
	qp->max_write_sge = min(qp->max_write_sge, job->sges);
	qp->max_read_sge = min(qp->max_read_sge, job->sges);
}

u64 kv_rw_bytes(const struct kv_job *job)
{
	u64 entries = kv_job_sg_entries(job);

	if (!kv_job_rw(job))
		return 0;
	return job->outstanding *
	       (sizeof(struct kv_rw) +
		entries * (sizeof(struct ib_sge) + sizeof(struct ib_rdma_wr)) +
		kv_job_rw_mrs(job) * KV_RW_ENTRIES * sizeof(u64));
}

int kv_rw_open(struct kv_ep *ep, const struct kv_job *job, const char **where)
{
	int rc;

	*where = "allocate the contexts of rdma_rw";
	ep->reg.rw = kvcalloc(ep->depth, sizeof(*ep->reg.rw), GFP_KERNEL);
	if (!ep->reg.rw)
		return -ENOMEM;
	/* whether force_mr is on nobody says, but rdma_rw by what it makes */
	*where = "have rdma_rw map an operation";
	rc = kv_rw_map(ep, 0);
	if (rc == -EINVAL && job->sg_list == KVERBS_SG_LIST_GAPS)
		*where = "sg-list gaps: MRs have none, and force_mr of ib_core is on; use pages";
	if (rc)
		return rc;
	kv_rw_unmap(ep, 0);
	return 0;
}

void kv_rw_close(struct kv_ep *ep)
{
	u32 i;

	for (i = 0; ep->reg.rw && i < ep->depth; i++) {
		if (ep->reg.rw[i].on)
			kv_rw_unmap(ep, i);
	}
	kvfree(ep->reg.rw);
	ep->reg.rw = NULL;
}

int kv_rw_map(struct kv_ep *ep, u32 slot)
{
	const struct ib_rdma_wr *wr = &ep->wr[slot].rdma;
	struct kv_buf *buf = &ep->reg.slot[slot];
	struct kv_rw *rw = &ep->reg.rw[slot];
	int wrs;

	wrs = rdma_rw_ctx_init(&rw->ctx, ep->qp, ep->reg.port, buf->sgt.sgl,
			       buf->sgt.nents, 0, wr->remote_addr,
			       wr->rkey, ep->reg.dir);
	if (wrs < 0)
		return wrs;
	rw->on = true;
	return wrs <= ep->reg.queued ? 0 : -EMSGSIZE;
}

static enum kv_rw_path kv_rw_path(const struct ib_send_wr *first)
{
	if (first->opcode != IB_WR_RDMA_READ &&
	    first->opcode != IB_WR_RDMA_WRITE)
		return KV_RW_MR;
	return first->next || first->num_sge > 1 ? KV_RW_MULTI : KV_RW_SINGLE;
}

int kv_rw_post(struct kv_ep *ep, u32 slot)
{
	struct ib_cqe *cqe = ep->wr[slot].wr.wr_cqe;
	struct ib_send_wr *first, *wr;
	u32 wrs = 1;
	int rc;

	first = rdma_rw_ctx_wrs(&ep->reg.rw[slot].ctx, ep->qp, ep->reg.port,
				cqe, NULL);
	for (wr = first; wr->next; wr = wr->next) {
		/*
		 * The last WR alone is named, and signalled. One before it
		 * completes when it fails: that is of the same operation.
		 */
		wr->wr_cqe = cqe;
		wrs++;
	}
	rc = ib_post_send(ep->qp, first, &ep->bad);
	if (!rc) {
		ep->reg.did.ops[kv_rw_path(first)]++;
		ep->reg.did.wrs += wrs;
	}
	return rc;
}

void kv_rw_unmap(struct kv_ep *ep, u32 slot)
{
	struct kv_buf *buf = &ep->reg.slot[slot];
	struct kv_rw *rw = &ep->reg.rw[slot];

	rw->on = false;
	rdma_rw_ctx_destroy(&rw->ctx, ep->qp, ep->reg.port, buf->sgt.sgl,
			    buf->sgt.nents, ep->reg.dir);
}
