/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Completion contexts: who takes the WCs of an endpoint's CQ, and how it learns of
 * them. In callback contexts ib_core polls the CQ (ib_alloc_cq) and its WRs carry a
 * struct ib_cqe, else the CQ is a raw one and they carry a number.
 */
#ifndef KV_CONTEXT_H
#define KV_CONTEXT_H

#include <linux/spinlock.h>
#include <linux/wait.h>
#include <rdma/ib_verbs.h>

#include "side.h"

struct kv_ep;

/**
 * struct kv_event - completion events of a CQ
 * @raised: how many, of the driver or, in callback contexts, of the handler
 * @at: clock when the driver raised the last one, 0: it has been looked at
 * @queue: where the lane sleeps
 * @core: of callback contexts: what ib_core does on an event
 *
 * The driver's context writes what the lane reads: a cache line of their own.
 */
struct kv_event {
	u32 raised;
	u64 at;
	wait_queue_head_t queue;
	ib_comp_handler core;
} ____cacheline_aligned_in_smp;

/**
 * struct kv_done - what a WR carries where ib_core calls a handler
 * @cqe: the handler
 * @ep: its endpoint
 * @id: what the wr_id would be
 */
struct kv_done {
	struct ib_cqe cqe;
	struct kv_ep *ep;
	u64 id;
};

/**
 * struct kv_callback - of an endpoint whose WCs ib_core takes
 * @done: one a WR: send slots, then receives
 * @kept: ring of WCs that wait for the lane, @mask + 1 entries
 * @in: WCs that were put there
 * @out: WCs that were taken
 * @got: WCs of the poll call under way, context direct
 * @pooled: entries of the CQ that were taken from a pool, 0: it is our own
 * @shared: it is that of all endpoints
 * @lock: the loop's state, between its lane and handlers that do its work
 */
struct kv_callback {
	struct kv_done *done;
	struct ib_wc *kept;
	u32 mask;
	u32 in;
	u32 out;
	u32 got;
	u32 pooled;
	bool shared;
	spinlock_t lock;	/* the loop's state */
};

/**
 * struct kv_shared - the CQ that all endpoints of a run complete to
 * @cq: made with the first endpoint; NULL: there is none
 */
struct kv_shared {
	struct ib_cq *cq;
};

/**
 * kv_shared_close - free it, which no QP uses any more
 * @shared: CQ; when it returns, no handler runs and none will
 */
void kv_shared_close(struct kv_shared *shared);

/**
 * kv_context_open - make the CQ of an endpoint
 * @ep: endpoint; its @cq is set on success
 * @ibdev: device
 * @job: checked job
 * @shared: CQ to complete to when the job says so, NULL: has one of its own
 * @no: a field that the driver refuses, named in @where
 * @where: names the step that failed
 * Return: 0 or -errno; kv_context_close() undoes what was done either way
 */
int kv_context_open(struct kv_ep *ep, struct ib_device *ibdev,
		    const struct kv_job *job, struct kv_shared *shared,
		    struct kv_refusal *no, const char **where);

/**
 * kv_context_another - make one more CQ like that of an endpoint whose lane polls
 * @ep: endpoint with a QP
 * @job: checked job
 * Return: CQ, owned by the caller, or ERR_PTR()
 */
struct ib_cq *kv_context_another(struct kv_ep *ep, const struct kv_job *job);

/**
 * kv_context_close - free the CQ, which no QP uses any more
 * @ep: endpoint
 * Return: false when a shared CQ may still name parts of @ep, which must stay
 */
bool kv_context_close(struct kv_ep *ep);

/**
 * kv_context_bytes - memory of a context
 * @job: checked job
 * Return: bytes of one endpoint
 */
u64 kv_context_bytes(const struct kv_job *job);

/**
 * kv_context_sleep - sleep until a completion event
 * @ep: endpoint, armed when @ep->seen events had been raised
 * Return: 1 when one was raised since, 0 after some ms without
 */
int kv_context_sleep(struct kv_ep *ep);

/**
 * kv_context_arm - ask for a completion event
 * @ep: endpoint
 * Return: KV_ARMED, KV_ARM_MISSED, or -errno
 */
int kv_context_arm(struct kv_ep *ep);

/**
 * kv_context_poll - take WCs that a handler was given
 * @ep: endpoint of a callback context
 * @max: how many at most, up to KV_POLL_MAX
 * Return: number of WCs in @ep->wc
 */
int kv_context_poll(struct kv_ep *ep, u32 max);

/**
 * kv_context_keep - keep a WC for the lane
 * @ep: endpoint of a callback context
 * @wc: WC
 * @id: number of its WR
 */
void kv_context_keep(struct kv_ep *ep, const struct ib_wc *wc, u64 id);

/**
 * kv_context_handler - choose the handler of an endpoint's WCs
 * @ep: endpoint of a callback context, nothing is posted yet
 * @done: handler, instead of one that keeps them for the lane
 */
void kv_context_handler(struct kv_ep *ep,
			void (*done)(struct ib_cq *cq, struct ib_wc *wc));

/* take one that was kept: 0 or 1; the handler is kept out */
int kv_context_early(struct kv_ep *ep);

/* sleep while handlers run: until kv_context_wake(), or some ms */
void kv_context_attend(struct kv_ep *ep);

/* wake the lane */
void kv_context_wake(struct kv_ep *ep);

/**
 * kv_context_recv_id - give a receive WR its number
 * @ep: endpoint
 * @i: its slot
 * @wr: receive WR
 * @id: its number
 */
void kv_context_recv_id(struct kv_ep *ep, u32 i, struct ib_recv_wr *wr, u64 id);

/* WRs of set-up and teardown: mark one, count those that have completed */
void kv_context_mark_send(struct kv_ep *ep, struct ib_send_wr *wr);
void kv_context_mark_recv(struct kv_ep *ep, struct ib_recv_wr *wr);

/**
 * kv_context_marked - marked WRs that have completed
 * @ep: endpoint on which no lane runs
 * Return: their number so far, or -errno; status of the last in @ep->marked_status
 */
int kv_context_marked(struct kv_ep *ep);

#endif /* KV_CONTEXT_H */
