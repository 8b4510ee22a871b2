// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Buffers: pages, DMA mapping, MRs. */
#include <linux/dma-mapping.h>
#include <linux/gfp.h>
#include <linux/log2.h>
#include <linux/mm.h>

#include "memory.h"

#define KV_BUF_ORDER	9	/* largest piece: 2 MiB with 4 KiB pages */

/* from a node that was asked for, memory of another one is a failure */
static gfp_t kv_buf_gfp(const struct kv_job *job)
{
	return GFP_KERNEL | __GFP_ZERO |
	       (job->node == KV_AUTO ? 0 : __GFP_THISNODE);
}

/* a piece is mapped as a whole, of which less is possible where it is copied (swiotlb) */
static unsigned int kv_buf_order(struct ib_device *ibdev)
{
	size_t pages;

	if (ib_uses_virt_dma(ibdev))
		return KV_BUF_ORDER;
	pages = dma_max_mapping_size(ibdev->dma_device) >> PAGE_SHIFT;
	return min_t(unsigned int, KV_BUF_ORDER, pages ? ilog2(pages) : 0);
}

static struct page *kv_buf_piece(int node, unsigned int *order, gfp_t gfp)
{
	struct page *page;

	while (*order) {
		page = alloc_pages_node(node, gfp | __GFP_NOWARN | __GFP_NORETRY,
					*order);
		if (page)
			return page;
		(*order)--;
	}
	return alloc_pages_node(node, gfp | __GFP_NOWARN, 0);
}

/* a table that could hold single pages */
static int kv_buf_table(struct kv_buf *buf, u64 bytes)
{
	if (!sg_alloc_table(&buf->sgt, bytes >> PAGE_SHIFT, GFP_KERNEL))
		return 0;
	/* what it freed again it still counts */
	memset(&buf->sgt, 0, sizeof(buf->sgt));
	return -ENOMEM;
}

/* as large pieces as there are; then the table is cut to them */
static int kv_buf_alloc(struct kv_buf *buf, struct ib_device *ibdev, u64 bytes,
			int node)
{
	u64 left = PAGE_ALIGN(bytes);
	unsigned int order = min_t(unsigned int, get_order(left),
				   kv_buf_order(ibdev));
	struct scatterlist *sg, *last = NULL;
	unsigned int pieces = 0;
	struct page *page;

	buf->ibdev = ibdev;
	buf->bytes = bytes;
	if (kv_buf_table(buf, left))
		return -ENOMEM;
	sg = buf->sgt.sgl;
	while (left) {
		while (order && (PAGE_SIZE << order) > left)
			order--;
		page = kv_buf_piece(node, &order, buf->gfp);
		if (!page)
			break;
		sg_set_page(sg, page, PAGE_SIZE << order, 0);
		left -= PAGE_SIZE << order;
		pieces++;
		last = sg;
		sg = sg_next(sg);
	}
	buf->sgt.nents = pieces;
	if (last)
		sg_mark_end(last);
	return left ? -ENOMEM : 0;
}

/* blocks of one order, of which the last is used as far as it is needed */
static int kv_buf_alloc_blocks(struct kv_buf *buf, int node, unsigned int order)
{
	gfp_t gfp = buf->gfp | __GFP_NOWARN | __GFP_RETRY_MAYFAIL;
	u64 left = PAGE_ALIGN(buf->bytes), n;
	struct scatterlist *sg;
	struct page *page;
	unsigned int i;

	buf->order = order;
	if (kv_buf_table(buf, DIV_ROUND_UP_ULL(left, PAGE_SIZE << order) << PAGE_SHIFT))
		return -ENOMEM;
	for_each_sg(buf->sgt.sgl, sg, buf->sgt.nents, i) {
		page = alloc_pages_node(node, gfp, order);
		if (!page)
			return -ENOMEM;
		n = min_t(u64, left, PAGE_SIZE << order);
		sg_set_page(sg, page, n, 0);
		left -= n;
		cond_resched();
	}
	return 0;
}

/*
 * Single pages, the even ones of the buffer first: what the allocator gives in turn
 * often lies side by side.
 */
static int kv_buf_alloc_pages(struct kv_buf *buf, int node)
{
	struct scatterlist *sg;
	unsigned int odd, i;
	struct page *page;

	if (kv_buf_table(buf, PAGE_ALIGN(buf->bytes)))
		return -ENOMEM;
	for (odd = 0; odd < 2; odd++) {
		for_each_sg(buf->sgt.sgl, sg, buf->sgt.nents, i) {
			if ((i & 1) != odd)
				continue;
			page = alloc_pages_node(node, buf->gfp, 0);
			if (!page)
				return -ENOMEM;
			sg_set_page(sg, page, PAGE_SIZE, 0);
		}
		cond_resched();
	}
	return 0;
}

/* each entry a part of its page */
static void kv_buf_cut(struct kv_buf *buf, u64 bytes)
{
	struct scatterlist *sg;
	unsigned int i;
	u32 n;

	for_each_sg(buf->sgt.sgl, sg, buf->sgt.nents, i) {
		n = min_t(u64, bytes, KV_SG_PART);
		sg_set_page(sg, sg_page(sg), n, KV_SG_GAP);
		bytes -= n;
	}
}

/* the last entry ends where the memory does; its page, or block, is as large as ever */
static void kv_buf_end(struct kv_buf *buf, u64 bytes)
{
	struct scatterlist *last = sg_last(buf->sgt.sgl, buf->sgt.nents);

	last->length -= PAGE_ALIGN(bytes) - bytes;
}

int kv_buf_alloc_list(struct kv_buf *buf, struct ib_device *ibdev,
		      const struct kv_job *job, int node)
{
	u32 bytes = kv_job_covered(job);
	int rc;

	buf->gfp = kv_buf_gfp(job);
	if (job->sg_list == KVERBS_SG_LIST_BLOCKS) {
		rc = kv_buf_alloc(buf, ibdev, bytes, node);
		if (!rc)
			kv_buf_end(buf, bytes);
		return rc;
	}
	buf->ibdev = ibdev;
	buf->bytes = job->sg_list == KVERBS_SG_LIST_GAPS ?
		     (u64)kv_job_sg_entries(job) << PAGE_SHIFT : bytes;
	rc = kv_buf_alloc_pages(buf, node);
	if (rc)
		return rc;
	if (job->sg_list == KVERBS_SG_LIST_GAPS)
		kv_buf_cut(buf, bytes);
	else
		kv_buf_end(buf, bytes);
	return 0;
}

static int kv_buf_alloc_as(struct kv_buf *buf, const struct kv_job *job,
			   int node, const char **where)
{
	switch (job->memory) {
	case KVERBS_MEMORY_CONTIGUOUS:
		*where = "allocate a block, --memory contiguous (see sysctl vm.compact_memory)";
		return kv_buf_alloc_blocks(buf, node, get_order(buf->bytes));
	case KVERBS_MEMORY_SCATTERED:
		*where = "allocate pages for --memory scattered";
		return kv_buf_alloc_pages(buf, node);
	case KVERBS_MEMORY_HUGE:
		*where = "allocate 2 MiB blocks, --memory huge (see sysctl vm.compact_memory)";
		return kv_buf_alloc_blocks(buf, node, get_order(KV_HUGE_BYTES));
	default:
		*where = "allocate buffer";
		return kv_buf_alloc(buf, buf->ibdev, buf->bytes, node);
	}
}

u32 kv_mr_entries(const struct ib_device *ibdev, u32 pages)
{
	bool rxe = ibdev->ops.driver_id == RDMA_DRIVER_RXE;

	return rxe ? pages + kv_rxe_spare(pages) : pages;
}

struct ib_mr *kv_buf_mr(const struct kv_buf *buf, struct ib_pd *pd,
			const struct kv_job *job, const char **where)
{
	u32 page = job->mr_page == KV_AUTO ? PAGE_SIZE : job->mr_page;
	u32 pages = DIV_ROUND_UP_ULL(buf->bytes, page);
	struct ib_mr *mr;
	int rc;

	*where = "allocate MR";
	mr = ib_alloc_mr(pd, IB_MR_TYPE_MEM_REG,
			 kv_mr_entries(pd->device, pages));
	if (IS_ERR(mr))
		return mr;
	*where = "map buffer into MR";
	rc = ib_map_mr_sg(mr, buf->sgt.sgl, buf->mapped, NULL, page);
	if (rc == buf->mapped)
		return mr;
	ib_dereg_mr(mr);
	return ERR_PTR(rc < 0 ? rc : -EINVAL);
}

int kv_buf_create(struct kv_buf *buf, struct ib_pd *pd, u64 bytes,
		  const struct kv_job *job, int node, const char **where)
{
	struct ib_mr *mr;
	int rc;

	buf->ibdev = pd->device;
	buf->bytes = bytes;
	buf->gfp = kv_buf_gfp(job);
	rc = kv_buf_alloc_as(buf, job, node, where);
	if (rc)
		return rc;
	*where = "map buffer for DMA";
	buf->mapped = ib_dma_map_sg(buf->ibdev, buf->sgt.sgl, buf->sgt.nents,
				    DMA_BIDIRECTIONAL);
	if (!buf->mapped)
		return -EIO;
	mr = kv_buf_mr(buf, pd, job, where);
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	buf->mr = mr;
	return 0;
}

void kv_buf_destroy(struct kv_buf *buf)
{
	struct scatterlist *sg;
	unsigned int i;

	if (buf->mr)
		ib_dereg_mr(buf->mr);
	if (buf->mapped)
		ib_dma_unmap_sg(buf->ibdev, buf->sgt.sgl, buf->sgt.nents,
				DMA_BIDIRECTIONAL);
	for_each_sg(buf->sgt.sgl, sg, buf->sgt.nents, i) {
		/* none where the allocation ended before its time */
		if (sg_page(sg))
			__free_pages(sg_page(sg), max_t(unsigned int, buf->order,
							get_order(sg->length)));
	}
	if (buf->sgt.sgl)
		sg_free_table(&buf->sgt);
	memset(buf, 0, sizeof(*buf));
}

u64 kv_buf_dma(const struct kv_buf *buf)
{
	return buf->mapped == 1 ? sg_dma_address(buf->sgt.sgl) : 0;
}

u8 *kv_buf_span(const struct kv_buf *buf, u64 offset, u64 *n, u64 *dma)
{
	struct scatterlist *sg;
	u64 at = offset;
	u8 *byte = NULL;
	unsigned int i;

	for_each_sg(buf->sgt.sgl, sg, buf->sgt.nents, i) {
		if (at < sg->length) {
			byte = (u8 *)sg_virt(sg) + at;
			*n = min_t(u64, *n, sg->length - at);
			break;
		}
		at -= sg->length;
	}
	/* mapped entries may be merged, so that they are walked apart */
	for_each_sg(buf->sgt.sgl, sg, buf->mapped, i) {
		if (offset < sg_dma_len(sg)) {
			*dma = sg_dma_address(sg) + offset;
			*n = min_t(u64, *n, sg_dma_len(sg) - offset);
			break;
		}
		offset -= sg_dma_len(sg);
	}
	return byte;
}

int kv_buf_list(const struct kv_buf *buf, u64 offset, u64 n,
		struct sg_table *sgt)
{
	u64 at, len, dma = 0;
	struct scatterlist *sg;
	u32 pieces = 0;
	u8 *byte;

	for (at = 0; at < n; at += len) {
		len = n - at;
		kv_buf_span(buf, offset + at, &len, &dma);
		pieces++;
	}
	if (sg_alloc_table(sgt, pieces, GFP_KERNEL)) {
		memset(sgt, 0, sizeof(*sgt));
		return -ENOMEM;
	}
	at = 0;
	for (sg = sgt->sgl; sg; sg = sg_next(sg)) {
		len = n - at;
		byte = kv_buf_span(buf, offset + at, &len, &dma);
		sg_set_page(sg, virt_to_page(byte), len, offset_in_page(byte));
		sg_dma_address(sg) = dma;
		sg_dma_len(sg) = len;
		at += len;
	}
	return 0;
}

u8 *kv_buf_byte(const struct kv_buf *buf, u64 offset, u64 *dma)
{
	u64 n = 1;

	return kv_buf_span(buf, offset, &n, dma);
}
