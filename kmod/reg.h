/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Registration for each operation: pages of its own, which are mapped for DMA and
 * put into an MR before it is posted, and unmapped when it is through. REG_MR and
 * LOCAL_INV are WRs of the operation. Or rdma_rw does all of it.
 */
#ifndef KV_REG_H
#define KV_REG_H

#include "memory.h"
#include "rw.h"

struct kv_ep;

/**
 * struct kv_reg - memory of the operations of an endpoint
 * @slot: of each slot: pages; mapped, and with an MR, while its operation is under
 *	way. NULL: operations register nothing
 * @dir: what the device does with it
 * @once: mapped all the time
 * @pool: the QP has its MRs
 * @kept: each slot has its own of them, all the time
 * @rw: of each slot, where rdma_rw maps; NULL: it does not
 * @port: port of the QP, for it
 * @queued: WRs that the queue has room for, an operation
 * @did: what it did
 */
struct kv_reg {
	struct kv_buf *slot;
	enum dma_data_direction dir;
	bool once;
	bool pool;
	bool kept;
	struct kv_rw *rw;
	u32 port;
	u32 queued;
	struct kv_rw_stat did;
};

/**
 * kv_reg_open - make the memory and the MRs of an endpoint's operations
 * @ep: endpoint with a QP
 * @job: checked job, of operations that are mapped
 * @where: names the step that failed
 * Return: 0 or -errno; on failure kv_reg_put() and kv_reg_close() are still to be
 *	called
 */
int kv_reg_open(struct kv_ep *ep, const struct kv_job *job,
		const char **where);

/**
 * kv_reg_put - give all MRs back, and free them; end what rdma_rw has begun
 * @ep: endpoint whose QP is in ERR, or takes no part any more
 */
void kv_reg_put(struct kv_ep *ep);

/**
 * kv_reg_close - free the memory
 * @ep: endpoint whose QP is gone
 */
void kv_reg_close(struct kv_ep *ep);

/**
 * kv_reg_map - map the memory of a slot, choose its MR, and name that in its WRs
 * @ep: endpoint
 * @slot: slot whose WRs are not posted
 * Return: 0 or -errno
 */
int kv_reg_map(struct kv_ep *ep, u32 slot);

/**
 * kv_reg_unmap - undo kv_reg_map()
 * @ep: endpoint
 * @slot: slot whose WRs have completed, LOCAL_INV too
 */
void kv_reg_unmap(struct kv_ep *ep, u32 slot);

/**
 * kv_reg_sync - hand the memory of a slot to the device, or to the CPU
 * @ep: endpoint
 * @slot: mapped slot
 * @device: to the device
 */
void kv_reg_sync(struct kv_ep *ep, u32 slot, bool device);

#endif /* KV_REG_H */
