/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Posting and polling by the extended calls, ibv_wr_* and ibv_start_poll. These have
 * no WRs made in advance: a post builds each one from its template, call by call.
 * Included by ep.h alone.
 */
#ifndef KV_EP_WR_H
#define KV_EP_WR_H

#include "placement.h"

/* those whose call takes the payload, or that have none: 0, no setter is to follow */
kv_inline u32 kv_wr_placement(const struct kv_ep *ep, const struct ibv_send_wr *wr)
{
	if (wr->opcode == KV_IBV_ATOMIC_WRITE)
		ibv_wr_atomic_write(ep->qp_ex, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr,
				    (const void *)(uintptr_t)wr->sg_list->addr);
	else if (wr->opcode == KV_IBV_FLUSH)
		ibv_wr_flush(ep->qp_ex, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr,
			     wr->sg_list->length, ep->flush_type, ep->flush_level);
	return 0;
}

/* does a setter of the payload follow? */
kv_inline u32 kv_wr_operation(const struct kv_ep *ep, const struct ibv_send_wr *wr)
{
	struct ibv_qp_ex *qp = ep->qp_ex;

	switch (wr->opcode) {
	case IBV_WR_RDMA_WRITE:
		ibv_wr_rdma_write(qp, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr);
		break;
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		ibv_wr_rdma_write_imm(qp, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr,
				      wr->imm_data);
		break;
	case IBV_WR_RDMA_READ:
		ibv_wr_rdma_read(qp, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr);
		break;
	case IBV_WR_SEND:
		ibv_wr_send(qp);
		break;
	case IBV_WR_SEND_WITH_IMM:
		ibv_wr_send_imm(qp, wr->imm_data);
		break;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		ibv_wr_atomic_cmp_swp(qp, wr->wr.atomic.rkey, wr->wr.atomic.remote_addr,
				      wr->wr.atomic.compare_add, wr->wr.atomic.swap);
		break;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		ibv_wr_atomic_fetch_add(qp, wr->wr.atomic.rkey, wr->wr.atomic.remote_addr,
					wr->wr.atomic.compare_add);
		break;
	default:
		return kv_wr_placement(ep, wr);
	}
	return 1;
}

/* a WR without payload says so too: some providers end a WR with its last setter */
kv_inline void kv_wr_payload(struct kv_ep *ep, const struct ibv_send_wr *wr)
{
	if (ep->piece && wr->num_sge == 1)
		ibv_wr_set_inline_data(ep->qp_ex, (void *)(uintptr_t)wr->sg_list->addr,
				       wr->sg_list->length);
	else if (ep->piece)
		ibv_wr_set_inline_data_list(ep->qp_ex, (size_t)wr->num_sge, ep->piece);
	else if (wr->num_sge == 1)
		ibv_wr_set_sge(ep->qp_ex, wr->sg_list->lkey, wr->sg_list->addr,
			       wr->sg_list->length);
	else
		ibv_wr_set_sge_list(ep->qp_ex, (size_t)wr->num_sge, wr->sg_list);
}

kv_inline int kv_post_from(struct kv_ep *ep, struct ibv_qp *qp, const struct ibv_send_wr *wr)
{
	int rc;

	(void)qp;
	ibv_wr_start(ep->qp_ex);
	for (; wr; wr = wr->next) {
		ep->qp_ex->wr_id = wr->wr_id;
		ep->qp_ex->wr_flags = wr->send_flags;
		if (!kv_wr_operation(ep, wr))
			continue;
		if (ep->datagram)
			ibv_wr_set_ud_addr(ep->qp_ex, wr->wr.ud.ah, wr->wr.ud.remote_qpn,
					   wr->wr.ud.remote_qkey);
		kv_wr_payload(ep, wr);
	}
	rc = ibv_wr_complete(ep->qp_ex);
	return rc > 0 ? -rc : rc;
}

/* all of a batch is posted, or nothing is */
kv_inline u32 kv_post_bad(struct kv_ep *ep, u32 slot)
{
	(void)ep;
	(void)slot;
	return 0;
}

kv_inline int kv_poll(struct kv_ep *ep, u32 max)
{
	struct ibv_poll_cq_attr attr = { 0 };
	struct ibv_cq_ex *cq = ep->cq_ex;
	int rc = ibv_start_poll(cq, &attr);
	struct ibv_wc *wc = ep->wc;

	/* nothing was opened: there is nothing to end */
	if (rc)
		return rc == ENOENT ? 0 : -EIO;
	do {
		wc->wr_id = cq->wr_id;
		wc->status = cq->status;
		if (__builtin_expect(wc->status != IBV_WC_SUCCESS, 0))
			wc->vendor_err = ibv_wc_read_vendor_err(cq);
		wc++;
		rc = wc < ep->wc + max ? ibv_next_poll(cq) : ENOENT;
	} while (!rc);
	ibv_end_poll(cq);
	return rc == ENOENT ? (int)(wc - ep->wc) : -EIO;
}

#endif /* KV_EP_WR_H */
