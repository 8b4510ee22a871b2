/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Buffer of one QP: zeroed pages, DMA mapped, covered by one MR. The first half
 * is what the QP sends, the second what its peer may write.
 */
#ifndef KV_MEMORY_H
#define KV_MEMORY_H

#include <linux/scatterlist.h>
#include <rdma/ib_verbs.h>

#include "side.h"

/**
 * struct kv_buf - buffer
 * @ibdev: device it is mapped for
 * @sgt: its pages, in pieces of up to 2^KV_BUF_ORDER pages
 * @order: least order of the blocks of @sgt, of which the last may be used in part
 * @mapped: DMA mapped entries of @sgt, 0: not mapped
 * @bytes: length
 * @mr: covers all of it once registered
 */
struct kv_buf {
	struct ib_device *ibdev;
	struct sg_table sgt;
	unsigned int order;
	int mapped;
	gfp_t gfp;
	u64 bytes;
	struct ib_mr *mr;
};

/**
 * kv_buf_create - allocate and map a buffer, allocate and fill its MR
 * @buf: zeroed by the caller
 * @pd: protection domain of the MR
 * @bytes: length, not 0
 * @job: checked job, which says what it is made of
 * @node: NUMA node of the pages
 * @where: names the step that failed
 * Return: 0 or -errno; on failure kv_buf_destroy() is still to be called
 */
int kv_buf_create(struct kv_buf *buf, struct ib_pd *pd, u64 bytes,
		  const struct kv_job *job, int node, const char **where);

/**
 * kv_mr_entries - what ib_alloc_mr() is asked for
 * @ibdev: device of the MR
 * @pages: that it is to cover, not 0
 * Return: entries, at least @pages
 */
u32 kv_mr_entries(const struct ib_device *ibdev, u32 pages);

/**
 * kv_buf_mr - make an MR that covers a buffer, still to be registered
 * @buf: mapped buffer
 * @pd: protection domain
 * @job: checked job
 * @where: names the step that failed
 * Return: MR, owned by the caller, or ERR_PTR()
 */
struct ib_mr *kv_buf_mr(const struct kv_buf *buf, struct ib_pd *pd,
			const struct kv_job *job, const char **where);

/**
 * kv_buf_alloc_list - allocate memory as the SG list of an operation, and no more
 * @buf: zeroed
 * @ibdev: device
 * @job: checked job
 * @node: NUMA node
 * Return: 0 or -errno; kv_buf_destroy() undoes what was done either way
 */
int kv_buf_alloc_list(struct kv_buf *buf, struct ib_device *ibdev,
		      const struct kv_job *job, int node);

/**
 * kv_buf_destroy - undo kv_buf_create(), however far it came
 * @buf: buffer; no QP may use it any more
 */
void kv_buf_destroy(struct kv_buf *buf);

/**
 * kv_buf_list - list the pieces of a part of a buffer, mapped as they are
 * @buf: buffer
 * @offset: of its first byte, below @bytes
 * @n: bytes
 * @sgt: filled; sg_free_table() frees it
 * Return: 0 or -errno
 */
int kv_buf_list(const struct kv_buf *buf, u64 offset, u64 n,
		struct sg_table *sgt);

/**
 * kv_buf_dma - DMA address of the whole buffer
 * @buf: buffer
 * Return: address, 0 when it is in more than one piece
 */
u64 kv_buf_dma(const struct kv_buf *buf);

/**
 * kv_buf_span - find bytes of a buffer that lie in one piece, for CPU and device
 * @buf: buffer
 * @offset: of the first one, below @bytes
 * @n: bytes wanted, cut to those that follow each other
 * @dma: DMA address of the first one
 * Return: its kernel address
 */
u8 *kv_buf_span(const struct kv_buf *buf, u64 offset, u64 *n, u64 *dma);

/**
 * kv_buf_byte - find one byte of a buffer for the CPU
 * @buf: buffer
 * @offset: below @bytes
 * @dma: its DMA address, for ib_dma_sync_single_for_cpu() and _for_device()
 * Return: its kernel address
 */
u8 *kv_buf_byte(const struct kv_buf *buf, u64 offset, u64 *dma);

#endif /* KV_MEMORY_H */
