// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Registration for each operation. */
#include <linux/mm.h>
#include <rdma/mr_pool.h>

#include "endpoint.h"
#include "reg.h"

/* what the device does with the memory of an operation, all of its steps */
static enum dma_data_direction kv_reg_dir(const struct kv_job *job)
{
	bool reads = false, writes = false;
	u32 i;

	for (i = 0; i < job->nsteps; i++) {
		if (!kv_op_moves(job->step[i].op))
			continue;
		if (kv_op_rules[job->step[i].op].reads)
			writes = true;
		else
			reads = true;
	}
	/* it is the peer that does it */
	if (kv_job_exchanges(job))
		swap(reads, writes);
	return !writes ? DMA_TO_DEVICE : reads ? DMA_BIDIRECTIONAL :
						 DMA_FROM_DEVICE;
}

static int kv_reg_dma_map(struct kv_ep *ep, struct kv_buf *buf)
{
	buf->mapped = ib_dma_map_sg(buf->ibdev, buf->sgt.sgl, buf->sgt.nents,
				    ep->reg.dir);
	return buf->mapped ? 0 : -EIO;
}

static void kv_reg_dma_unmap(struct kv_ep *ep, struct kv_buf *buf)
{
	if (buf->mapped)
		ib_dma_unmap_sg(buf->ibdev, buf->sgt.sgl, buf->sgt.nents,
				ep->reg.dir);
	buf->mapped = 0;
}

static void kv_reg_put_mr(struct kv_ep *ep, struct kv_buf *buf)
{
	if (buf->mr)
		ib_mr_pool_put(ep->qp, &ep->qp->rdma_mrs, buf->mr);
	buf->mr = NULL;
}

int kv_reg_open(struct kv_ep *ep, const struct kv_job *job, const char **where)
{
	int node = job->node == KV_AUTO ? ibdev_to_node(ep->qp->device) :
					  job->node;
	u32 pages = PAGE_ALIGN(kv_job_covered(job)) >> PAGE_SHIFT, i;
	enum ib_mr_type type = IB_MR_TYPE_MEM_REG;
	int rc;

	*where = "allocate the memory of operations";
	ep->reg.dir = kv_reg_dir(job);
	ep->reg.once = job->dma_map == KVERBS_DMA_MAP_ONCE;
	ep->reg.slot = kvcalloc(ep->depth, sizeof(*ep->reg.slot), GFP_KERNEL);
	if (!ep->reg.slot)
		return -ENOMEM;
	for (i = 0; i < ep->depth; i++) {
		rc = kv_buf_alloc_list(&ep->reg.slot[i], ep->qp->device, job,
				       node);
		if (rc)
			return rc;
	}
	*where = "map the memory of operations for DMA";
	for (i = 0; ep->reg.once && i < ep->depth; i++) {
		rc = kv_reg_dma_map(ep, &ep->reg.slot[i]);
		if (rc)
			return rc;
	}
	if (kv_job_rw(job)) {
		ep->reg.port = job->port;
		ep->reg.queued = kv_job_queued(job);
		return kv_rw_open(ep, job, where);
	}
	*where = "allocate the MRs of operations";
	pages = kv_mr_entries(ep->qp->device, pages);
	if (job->sg_list == KVERBS_SG_LIST_GAPS) {
		type = IB_MR_TYPE_SG_GAPS;
		pages = kv_job_sg_entries(job);
	}
	rc = ib_mr_pool_init(ep->qp, &ep->qp->rdma_mrs, ep->depth, type,
			     pages, 0);
	if (rc)
		return rc;
	ep->reg.pool = true;
	ep->reg.kept = job->reg == KVERBS_REG_IO;
	for (i = 0; ep->reg.kept && i < ep->depth; i++)
		ep->reg.slot[i].mr = ib_mr_pool_get(ep->qp,
						    &ep->qp->rdma_mrs);
	return 0;
}

void kv_reg_put(struct kv_ep *ep)
{
	u32 i;

	kv_rw_close(ep);
	if (!ep->reg.pool)
		return;
	for (i = 0; i < ep->depth; i++)
		kv_reg_put_mr(ep, &ep->reg.slot[i]);
	ib_mr_pool_destroy(ep->qp, &ep->qp->rdma_mrs);
	ep->reg.pool = false;
}

void kv_reg_close(struct kv_ep *ep)
{
	u32 i;

	if (!ep->reg.slot)
		return;
	for (i = 0; i < ep->depth; i++) {
		kv_reg_dma_unmap(ep, &ep->reg.slot[i]);
		kv_buf_destroy(&ep->reg.slot[i]);
	}
	kvfree(ep->reg.slot);
	ep->reg.slot = NULL;
}

/* the WRs of a slot are for this MR now, with the key it has this time */
static void kv_reg_name(struct kv_ep *ep, u32 slot, struct ib_mr *mr)
{
	union kv_wr *wr = &ep->wr[slot * ep->wrs];
	u32 i;

	for (i = 0; i < ep->wrs; i++, wr++) {
		switch (wr->wr.opcode) {
		case IB_WR_REG_MR:
			wr->reg.mr = mr;
			wr->reg.key = mr->rkey;
			break;
		case IB_WR_LOCAL_INV:
			wr->wr.ex.invalidate_rkey = mr->rkey;
			break;
		default:
			wr->wr.sg_list->addr = mr->iova;
			wr->wr.sg_list->lkey = mr->lkey;
			break;
		}
	}
}

int kv_reg_map(struct kv_ep *ep, u32 slot)
{
	struct kv_buf *buf = &ep->reg.slot[slot];
	int rc;

	if (!ep->reg.once) {
		rc = kv_reg_dma_map(ep, buf);
		if (rc)
			return rc;
	}
	if (!ep->reg.kept)
		buf->mr = ib_mr_pool_get(ep->qp, &ep->qp->rdma_mrs);
	if (!buf->mr)
		return -EAGAIN;
	/* whoever still has the key of the operation before is refused */
	ib_update_fast_reg_key(buf->mr, ib_inc_rkey(buf->mr->rkey));
	rc = ib_map_mr_sg(buf->mr, buf->sgt.sgl, buf->mapped, NULL, PAGE_SIZE);
	if (rc != buf->mapped)
		return rc < 0 ? rc : -EINVAL;
	if (!ep->exchange.on)
		kv_reg_name(ep, slot, buf->mr);
	return 0;
}

void kv_reg_unmap(struct kv_ep *ep, u32 slot)
{
	struct kv_buf *buf = &ep->reg.slot[slot];

	if (!ep->reg.kept)
		kv_reg_put_mr(ep, buf);
	if (!ep->reg.once)
		kv_reg_dma_unmap(ep, buf);
}

/* mapped entries may be merged: they are walked by what the device has */
void kv_reg_sync(struct kv_ep *ep, u32 slot, bool device)
{
	struct kv_buf *buf = &ep->reg.slot[slot];
	struct scatterlist *sg;
	int i;

	for_each_sg(buf->sgt.sgl, sg, buf->mapped, i) {
		if (device)
			ib_dma_sync_single_for_device(buf->ibdev,
						      sg_dma_address(sg),
						      sg_dma_len(sg),
						      ep->reg.dir);
		else
			ib_dma_sync_single_for_cpu(buf->ibdev,
						   sg_dma_address(sg),
						   sg_dma_len(sg),
						   ep->reg.dir);
	}
}
