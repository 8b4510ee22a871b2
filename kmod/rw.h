/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Operations of rdma_rw: it maps the memory of one, chooses between SGEs and MRs,
 * and makes the WRs.
 */
#ifndef KV_RW_H
#define KV_RW_H

#include <rdma/rw.h>

#include "side.h"

struct kv_ep;

/* what rdma_rw made of an operation */
enum kv_rw_path {
	KV_RW_SINGLE,	/* one WR with one SGE */
	KV_RW_MULTI,	/* several WRs, or SGEs */
	KV_RW_MR,	/* REG_MR, and a WR, for each MR */
	KV_RW_PATHS
};

/**
 * struct kv_rw_stat - what it made of all of them
 * @ops: operations by enum kv_rw_path
 * @wrs: WRs of these
 */
struct kv_rw_stat {
	u64 ops[KV_RW_PATHS];
	u64 wrs;
};

/**
 * struct kv_rw - operation of a slot
 * @ctx: context of rdma_rw
 * @on: @ctx is initialized
 */
struct kv_rw {
	struct rdma_rw_ctx ctx;
	bool on;
};

/**
 * kv_rw_caps - ask for the resources of a QP that rdma_rw needs
 * @ep: endpoint
 * @job: checked job
 * @cap: as for a QP that has a slot for each WR; changed where rdma_rw is used
 */
void kv_rw_caps(const struct kv_ep *ep, const struct kv_job *job,
		struct ib_qp_cap *cap);

/**
 * kv_rw_granted - have no more SGEs in a WR than were asked for
 * @job: checked job
 * @qp: new QP, which may have been granted more; rdma_rw goes by that
 */
void kv_rw_granted(const struct kv_job *job, struct ib_qp *qp);

/**
 * kv_rw_bytes - memory of the operations of an endpoint
 * @job: checked job
 * Return: bytes, without the pages
 */
u64 kv_rw_bytes(const struct kv_job *job);

/**
 * kv_rw_open - make room for the operations of an endpoint, and try whether there can be any
 * @ep: endpoint
 * @job: checked job
 * @where: names the step that failed
 * Return: 0 or -errno; kv_rw_close() is to be called
 */
int kv_rw_open(struct kv_ep *ep, const struct kv_job *job, const char **where);

/**
 * kv_rw_close - end all that were begun, and free their room
 * @ep: endpoint whose QP is in ERR, or takes no part any more
 */
void kv_rw_close(struct kv_ep *ep);

/**
 * kv_rw_map - map the memory of a slot, and have the WRs made
 * @ep: endpoint, the WR of the slot says what is to be done
 * @slot: slot that is not under way
 * Return: 0 or -errno
 */
int kv_rw_map(struct kv_ep *ep, u32 slot);

/**
 * kv_rw_post - post the WRs of a slot
 * @ep: endpoint
 * @slot: mapped slot, whose WR has the number of the operation
 * Return: 0 or -errno
 */
int kv_rw_post(struct kv_ep *ep, u32 slot);

/**
 * kv_rw_unmap - undo kv_rw_map()
 * @ep: endpoint
 * @slot: slot whose WRs have completed
 */
void kv_rw_unmap(struct kv_ep *ep, u32 slot);

#endif /* KV_RW_H */
