// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Places of messages: MRs beside the buffer's own, addresses, caches. */
#include <linux/mm.h>
#include <linux/slab.h>

#include "place.h"

int kv_place_mrs(struct kv_ep *ep, struct ib_pd *pd, const struct kv_job *job,
		 const char **where)
{
	struct ib_mr *mr;
	u32 i;

	if (!kv_job_aims(job))
		return 0;
	*where = "allocate the MRs of --mrs";
	ep->aim.keys = kvcalloc(job->mrs, sizeof(*ep->aim.keys), GFP_KERNEL);
	ep->more = kvcalloc(job->mrs, sizeof(*ep->more), GFP_KERNEL);
	if (!ep->aim.keys || !ep->more)
		return -ENOMEM;
	for (i = 0; i + 1 < job->mrs; i++) {
		mr = kv_buf_mr(&ep->buf, pd, job, where);
		if (IS_ERR(mr))
			return PTR_ERR(mr);
		ep->more[ep->nmore++] = mr;
		cond_resched();
	}
	return 0;
}

static const struct ib_mr *kv_place_mr(const struct kv_ep *ep, u32 i)
{
	return i ? ep->more[i - 1] : ep->buf.mr;
}

void kv_place_build(struct kv_ep *ep, const struct kv_ep *peer,
		    const struct kv_job *job)
{
	bool reads = kv_job_rule(job)->reads;
	struct kv_aim *aim = &ep->aim;
	struct ib_sge *sge = ep->places;
	u32 i, mr;

	aim->stride = kv_job_stride(job);
	aim->offset = reads ? kv_job_half(job) : 0;
	aim->payload = kv_job_covered(job);
	if (!kv_job_aims(job))
		return;
	aim->local = ep->sge[0].addr;
	aim->remote = peer->buf.mr->iova + (reads ? 0 : kv_job_half(job));
	for (i = 0; i < job->mrs; i++) {
		aim->keys[i].rkey = kv_place_mr(peer, i)->rkey;
		aim->keys[i].lkey = job->local_key == KVERBS_LOCAL_KEY_DMA ?
				    ep->sge[0].lkey : kv_place_mr(ep, i)->lkey;
	}
	for (i = 0; i < ep->depth; i++, sge++) {
		*sge = ep->sge[0];
		ep->wr[i].wr.sg_list = sge;
	}
	for (i = 0; i < ep->recv_depth; i++, sge++) {
		*sge = ep->sge[job->sges];
		sge->addr += kv_recv_place(job, i) * aim->stride;
		mr = i % job->mrs;
		sge->lkey = aim->keys[mr].lkey;
		ep->rwr[i].sg_list = sge;
	}
}

void kv_place_aim(struct kv_ep *ep, u32 slot, u32 place, u32 mr)
{
	const struct kv_aim *aim = &ep->aim;
	u64 offset = place * aim->stride;
	union kv_wr *wr = &ep->wr[slot];

	ep->places[slot].addr = aim->local + offset;
	ep->places[slot].lkey = aim->keys[mr].lkey;
	switch (wr->wr.opcode) {
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		wr->atomic.remote_addr = aim->remote + offset;
		wr->atomic.rkey = aim->keys[mr].rkey;
		break;
	case IB_WR_SEND:
	case IB_WR_SEND_WITH_IMM:
		break;
	default:
		wr->rdma.remote_addr = aim->remote + offset;
		wr->rdma.rkey = aim->keys[mr].rkey;
		break;
	}
}

u32 kv_place_chill(struct kv_ep *ep, u32 slot, u32 place)
{
	const union kv_wr *wr = &ep->wr[slot * ep->wrs];
	u64 at = ep->aim.offset + place * ep->aim.stride;
	u64 end = at + ep->aim.payload, n, dma;
	u32 lines, i;

	lines = kv_evict(wr, ep->stride);
	for (i = 0; i < ep->wrs; i++)
		lines += kv_evict(wr[i].wr.sg_list, wr[i].wr.num_sge *
				  sizeof(*wr[i].wr.sg_list));
	for (; at < end; at += n) {
		n = end - at;
		lines += kv_evict(kv_buf_span(&ep->buf, at, &n, &dma), n);
	}
	kv_evict_end();
	return lines;
}

void kv_place_free(struct kv_ep *ep)
{
	while (ep->nmore)
		ib_dereg_mr(ep->more[--ep->nmore]);
	kvfree(ep->more);
	kvfree(ep->aim.keys);
}
