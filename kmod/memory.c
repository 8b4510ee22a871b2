// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Buffers: pages, DMA mapping, MRs. */
#include <linux/gfp.h>
#include <linux/mm.h>

#include "memory.h"

#define KV_BUF_ORDER	9	/* largest piece: 2 MiB with 4 KiB pages */

static struct page *kv_buf_piece(int node, unsigned int *order)
{
	gfp_t gfp = GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN;
	struct page *page;

	while (*order) {
		page = alloc_pages_node(node, gfp | __GFP_NORETRY, *order);
		if (page)
			return page;
		(*order)--;
	}
	return alloc_pages_node(node, gfp, 0);
}

/* pages first in a table that could hold single ones, then cut to the pieces */
int kv_buf_alloc(struct kv_buf *buf, struct ib_device *ibdev, u64 bytes,
		 int node)
{
	u64 left = PAGE_ALIGN(bytes);
	unsigned int order = min_t(unsigned int, get_order(left), KV_BUF_ORDER);
	struct scatterlist *sg, *last = NULL;
	unsigned int pieces = 0;
	struct page *page;

	buf->ibdev = ibdev;
	buf->bytes = bytes;
	if (sg_alloc_table(&buf->sgt, left >> PAGE_SHIFT, GFP_KERNEL)) {
		/* what it freed again it still counts */
		memset(&buf->sgt, 0, sizeof(buf->sgt));
		return -ENOMEM;
	}
	sg = buf->sgt.sgl;
	while (left) {
		while (order && (PAGE_SIZE << order) > left)
			order--;
		page = kv_buf_piece(node, &order);
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

int kv_buf_create(struct kv_buf *buf, struct ib_pd *pd, u64 bytes, int node,
		  const char **where)
{
	u32 pages = PAGE_ALIGN(bytes) >> PAGE_SHIFT;
	int rc;

	*where = "allocate buffer";
	rc = kv_buf_alloc(buf, pd->device, bytes, node);
	if (rc)
		return rc;
	*where = "map buffer for DMA";
	buf->mapped = ib_dma_map_sg(buf->ibdev, buf->sgt.sgl, buf->sgt.nents,
				    DMA_BIDIRECTIONAL);
	if (!buf->mapped)
		return -EIO;
	*where = "allocate MR";
	buf->mr = ib_alloc_mr(pd, IB_MR_TYPE_MEM_REG, pages);
	if (IS_ERR(buf->mr)) {
		rc = PTR_ERR(buf->mr);
		buf->mr = NULL;
		return rc;
	}
	*where = "map buffer into MR";
	rc = ib_map_mr_sg(buf->mr, buf->sgt.sgl, buf->mapped, NULL, PAGE_SIZE);
	if (rc != buf->mapped)
		return rc < 0 ? rc : -EINVAL;
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
	for_each_sg(buf->sgt.sgl, sg, buf->sgt.nents, i)
		__free_pages(sg_page(sg), get_order(sg->length));
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
