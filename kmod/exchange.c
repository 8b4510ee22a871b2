// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Exchanges: what the two ends post, and what they tell each other. */
#include "endpoint.h"
#include "exchange.h"

/* the message of an end, and the receives of the other's */
static void kv_exchange_messages(struct kv_ep *ep, const struct kv_job *job)
{
	u64 half = kv_job_half(job), at = half - KV_OFFER_ROOM;
	struct ib_sge *msg = &ep->places[KV_EXCHANGE_SEND];

	msg->addr = ep->buf.mr->iova + at;
	msg->length = sizeof(struct kv_offer);
	msg->lkey = ep->buf.mr->lkey;
	/* that of all receives, of which one is used at a time */
	ep->sge[1] = *msg;
	ep->sge[1].addr += half;
	ep->exchange.on = true;
	ep->exchange.out = kv_buf_byte(&ep->buf, at, &ep->exchange.out_dma);
	ep->exchange.in = kv_buf_byte(&ep->buf, half + at, &ep->exchange.in_dma);
}

static struct ib_send_wr *kv_exchange_wr(struct kv_ep *ep, u32 i,
					 enum ib_wr_opcode op)
{
	struct ib_send_wr *wr = &ep->wr[i].wr;

	memset(&ep->wr[i], 0, sizeof(ep->wr[i]));
	wr->wr_id = KV_EP_ID_STEP | i;
	wr->opcode = op;
	return wr;
}

/* the SEND ends a slot of this many WRs */
static void kv_exchange_slot(struct kv_ep *ep, struct ib_send_wr *send, u32 wrs)
{
	send->sg_list = &ep->places[KV_EXCHANGE_SEND];
	send->num_sge = 1;
	ep->wrs = wrs;
	ep->stride = wrs * sizeof(*ep->wr);
	ep->tail = container_of(send, union kv_wr, wr);
	ep->flags[0] = send->send_flags;
	ep->flags[1] = send->send_flags | IB_SEND_SIGNALED;
}

/* REG_MR is in the chain of the SEND, or posted and waited for before it */
static void kv_exchange_asks(struct kv_ep *ep, const struct kv_job *job)
{
	struct kv_phase reg, inv;
	struct ib_send_wr *wr, *send;
	u32 first, i;

	kv_job_exchange(job, &reg, &inv);
	first = reg.n ? KV_EXCHANGE_FIRST : KV_EXCHANGE_SEND;
	send = kv_exchange_wr(ep, first, IB_WR_SEND);
	i = reg.n ? KV_EXCHANGE_REG : KV_EXCHANGE_FIRST;
	wr = kv_exchange_wr(ep, i, IB_WR_REG_MR);
	wr->send_flags = reg.n ? IB_SEND_SIGNALED : 0;
	wr->next = reg.n ? NULL : send;
	ep->wr[i].reg.access = kv_job_access(job, KV_ACCESS_OF_IO);
	wr = kv_exchange_wr(ep, KV_EXCHANGE_INV, IB_WR_LOCAL_INV);
	wr->send_flags = IB_SEND_SIGNALED;
	kv_exchange_slot(ep, send, first + 1);
}

static void kv_exchange_serves(struct kv_ep *ep, const struct kv_job *job)
{
	bool reads = kv_job_rule(job)->reads;
	bool takes = job->exchange_inv == KVERBS_EXCHANGE_INV_REMOTE;
	struct ib_send_wr *wr, *send;

	wr = kv_exchange_wr(ep, KV_EXCHANGE_FIRST,
			    reads ? IB_WR_RDMA_READ : IB_WR_RDMA_WRITE);
	send = kv_exchange_wr(ep, KV_EXCHANGE_SEND,
			      takes ? IB_WR_SEND_WITH_INV : IB_WR_SEND);
	/* as the loop built it for a plain operation: own memory, its length */
	ep->places[KV_EXCHANGE_FIRST] = ep->sge[0];
	wr->sg_list = &ep->places[KV_EXCHANGE_FIRST];
	wr->num_sge = 1;
	wr->next = send;
	/* the answer is not to overtake what is read */
	send->send_flags = reads ? IB_SEND_FENCE : 0;
	kv_exchange_slot(ep, send, KV_EXCHANGE_WRS);
}

void kv_exchange_build(struct kv_ep *a, struct kv_ep *b,
		       const struct kv_job *job)
{
	if (!kv_job_exchanges(job))
		return;
	kv_exchange_messages(a, job);
	kv_exchange_messages(b, job);
	kv_exchange_asks(a, job);
	kv_exchange_serves(b, job);
}

void kv_exchange_offer(struct kv_ep *ep)
{
	struct kv_exchange *ex = &ep->exchange;
	struct ib_device *ibdev = ep->qp->device;
	struct ib_mr *mr = ep->reg.slot[0].mr;
	struct ib_reg_wr *reg = ep->wrs == KV_EXCHANGE_WRS ?
				&ep->wr[KV_EXCHANGE_FIRST].reg :
				&ep->wr[KV_EXCHANGE_REG].reg;
	struct kv_offer *offer = ex->out;

	reg->mr = mr;
	reg->key = mr->rkey;
	ep->wr[KV_EXCHANGE_INV].wr.ex.invalidate_rkey = mr->rkey;
	ep->rkey = mr->rkey;
	ib_dma_sync_single_for_cpu(ibdev, ex->out_dma, sizeof(*offer),
				   DMA_BIDIRECTIONAL);
	offer->addr = mr->iova;
	offer->rkey = mr->rkey;
	offer->bytes = mr->length;
	ib_dma_sync_single_for_device(ibdev, ex->out_dma, sizeof(*offer),
				      DMA_BIDIRECTIONAL);
}

void kv_exchange_accept(struct kv_ep *ep)
{
	struct kv_exchange *ex = &ep->exchange;
	struct ib_device *ibdev = ep->qp->device;
	struct ib_rdma_wr *rdma = &ep->wr[KV_EXCHANGE_FIRST].rdma;
	struct kv_offer offer;

	ib_dma_sync_single_for_cpu(ibdev, ex->in_dma, sizeof(offer),
				   DMA_BIDIRECTIONAL);
	memcpy(&offer, ex->in, sizeof(offer));
	ib_dma_sync_single_for_device(ibdev, ex->in_dma, sizeof(offer),
				      DMA_BIDIRECTIONAL);
	rdma->remote_addr = offer.addr;
	if (!ex->stale)
		rdma->rkey = offer.rkey;
	ep->wr[KV_EXCHANGE_SEND].wr.ex.invalidate_rkey = offer.rkey;
}
