/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Endpoint: one QP with its CQ, buffer and prebuilt WRs. Endpoints come in
 * pairs, connected to each other through one port.
 */
#ifndef KV_ENDPOINT_H
#define KV_ENDPOINT_H

#include <linux/ktime.h>
#include <rdma/ib_verbs.h>

#include "context.h"
#include "exchange.h"
#include "memory.h"
#include "reg.h"
#include "side.h"
#include "srq.h"

#define KV_POLL_MAX	64	/* upper bound of a job's poll batch */
#define KV_EP_ID_STEP	BIT_ULL(62)	/* the loop's KV_ID_STEP, which only lane.c includes */
#define KV_FLUSH_MS	500	/* longest wait for flushed WRs, all QPs of a run */

struct kv_loop;
struct kv_wrong;
struct kv_control;
struct kv_cm;
struct kv_link;

/**
 * struct kv_path - the way from a port back to itself
 * @port: port
 * @gid_attr: GID of both ends, with a reference; NULL on IB without GRH
 * @dmac: MAC of the port, RoCE
 * @lid: LID of the port, IB
 * @mtu: path MTU
 * @cm: what connects QPs, NULL: verbs
 */
struct kv_path {
	u32 port;
	const struct ib_gid_attr *gid_attr;
	u8 dmac[ETH_ALEN];
	u16 lid;
	enum ib_mtu mtu;
	struct kv_cm *cm;
};

/**
 * struct kv_wire - what a QP has to know of its peer
 * @dest_qpn: number of the peer
 * @rq_psn: first PSN that it sends
 * @sq_psn: first PSN of our own
 */
struct kv_wire {
	u32 dest_qpn;
	u32 rq_psn;
	u32 sq_psn;
};

/**
 * union kv_wr - a prebuilt send WR of any operation
 *
 * Aligned so that a plain one lies in one cache line: the stride is that of
 * struct ibv_send_wr in user space.
 */
union kv_wr {
	struct ib_send_wr wr;
	struct ib_rdma_wr rdma;
	struct ib_atomic_wr atomic;
	struct ib_ud_wr ud;
	struct ib_reg_wr reg;
} __aligned(64);

/**
 * struct kv_ep - endpoint; the first part is what the loop touches
 * @qp: QP
 * @cq: CQ of both its queues; of several QPs with one each, the last that was polled
 * @cqs: these, polled in turn, else NULL
 * @wr: prebuilt send WRs, those of one operation a slot
 * @tail: the last WR of the first slot, which completes its operation
 * @stride: bytes of the WRs of a slot
 * @wrs: WRs of a slot
 * @srq: SRQ that all receives are posted to, NULL: to the QPs
 * @rwr: prebuilt receive WRs, a ring for each receive queue
 * @bad: what the last failed post call named
 * @apart: a post is not of the slot's WRs to @qp: several QPs, or rdma_rw
 * @turn: QP of each slot, where there are several; NULL: @qp of all
 * @stop: KV_STOP_* of the lane that runs here, or of its peer's where none does
 * @landing: last byte of an incoming message
 * @landing_dma: its DMA address
 * @stamp: last byte of an outgoing message
 * @stamp_dma: its DMA address
 * @flags: send flags of an unsignalled and of a signalled WR
 * @rkey: of the MR that a message invalidates
 * @depth: slots of @wr
 * @recv_depth: entries of @rwr
 * @ring_depth: of those, entries of each ring
 * @wait: enum kverbs_wait
 * @clock: enum kverbs_clock
 * @breaths: operations since the last report to RCU
 * @waits: empty polls, for the same
 * @seen: completion events raised when one was last asked for
 * @run_id: for tracepoints
 * @lane: for tracepoints
 * @vector: completion vector of its CQs
 * @wc: WCs of the last poll
 * @event: completion events of @cq
 * @callback: where ib_core takes its WCs
 * @limit: events of @srq
 * @marker: handler of the WRs of set-up and teardown there
 * @marked: of those, how many have completed
 * @marks: how many were posted
 * @marked_status: of the last one
 * @loop: of the lane whose work handlers do
 * @context: enum kverbs_context
 * @attended: jiffies when that lane last looked after it
 * @buf: own buffer
 * @broken: the CQ reported an error of its own
 * @wrong: what an error is provoked with, NULL: none is
 * @control: what calls of the control path need, NULL: none are made
 * @sge: of all send WRs
 * @rsge: of all receive WRs
 * @places: one a WR instead, send WRs first, when data is checked or messages lie
 *	in several places; one a send WR, when an operation has several
 * @area: where each KV_AREA_* is
 * @more: MRs over @buf beside its own
 * @nmore: entries of @more
 * @aim: what the address of a message is made of
 * @spare: QPs beside @qp
 * @nspare: entries of @spare
 * @cq_at: of @cqs, the next one
 * @link: connections of rdma_cm
 * @role: enum kverbs_role of its end
 */
struct kv_ep {
	struct ib_qp *qp;
	struct ib_cq *cq;
	struct ib_cq **cqs;
	union kv_wr *wr;
	union kv_wr *tail;
	struct ib_recv_wr *rwr;
	struct ib_srq *srq;
	struct ib_qp **turn;
	const struct ib_send_wr *bad;
	u32 *stop;
	u8 *landing;
	u64 landing_dma;
	u8 *stamp;
	u64 stamp_dma;
	u32 flags[2];
	u32 apart;
	u32 stride;
	u32 wrs;
	u32 rkey;
	u32 depth;
	u32 recv_depth;
	u32 ring_depth;
	u32 wait;
	u32 clock;
	u32 breaths;
	u32 waits;
	u32 seen;
	u32 run_id;
	u32 lane;
	u32 vector;
	struct rcu_head rcu;	/* within the first page */
	struct ib_wc wc[KV_POLL_MAX];
	struct kv_event event;
	struct kv_callback callback;
	struct kv_limit limit;
	struct kv_loop *loop;
	u32 context;
	unsigned long attended;
	u32 broken;
	struct kv_wrong *wrong;
	struct kv_control *control;

	struct ib_cqe marker;
	int marked;
	int marks;
	enum ib_wc_status marked_status;
	struct kv_buf buf;
	struct ib_ah *ah;	/* of the peer, UD */
	struct ib_sge *sge;	/* of all send WRs, then of all receive WRs */
	struct ib_sge *places;
	struct ib_mr **mr;	/* of each slot, when operations register */
	struct sg_table region;	/* what these cover */
	struct kv_reg reg;	/* memory that is registered for each operation */
	struct kv_exchange exchange;
	struct {
		const struct kv_buf *buf;
		u64 offset;
	} area[KV_AREAS];
	struct ib_mr **more;
	u32 nmore;
	struct kv_aim aim;
	struct ib_qp **spare;
	u32 nspare;
	u32 cq_at;
	struct kv_link *link;
	u32 role;
	u32 psn;
	u32 sq_depth;
	u32 rq_depth;
	u32 inline_data;
	u32 send_sges;
	bool connected;
};

/* X(): of each state of a QP */
#define KV_QP_STATES(X)	\
	X(RESET), X(INIT), X(RTR), X(RTS), X(SQD), X(SQE), X(ERR)

/**
 * struct kv_ep_posted - a chain of WRs, for tracepoints
 * @wrs: number of WRs
 * @first: opcode of the first
 * @last: opcode of the last, which completes the chain
 * @bytes: of all their SGEs
 */
struct kv_ep_posted {
	u32 wrs;
	u32 first;
	u32 last;
	u64 bytes;
};

/**
 * kv_ep_posted - look at a chain that was posted just now
 * @ep: endpoint
 * @wr_id: number of its first WR
 * @posted: filled
 */
void kv_ep_posted(const struct kv_ep *ep, u64 wr_id, struct kv_ep_posted *posted);

/**
 * kv_ep_note_mrs - tracepoints of the REG_MRs and LOCAL_INVs of such a chain
 * @ep: endpoint
 * @wr_id: number of its first WR
 */
void kv_ep_note_mrs(const struct kv_ep *ep, u64 wr_id);

/**
 * kv_path_open - find the way through a port
 * @path: filled; kv_path_close() is to be called also on failure
 * @ibdev: device, the caller is inside
 * @job: checked job; an automatic gid_index is replaced by what was chosen
 * @where: names the step that failed
 * Return: 0 or -errno
 */
int kv_path_open(struct kv_path *path, struct ib_device *ibdev,
		 struct kv_job *job, const char **where);
void kv_path_close(struct kv_path *path);

/**
 * kv_ep_create - make an endpoint
 * @pd: protection domain
 * @job: checked job
 * @role: enum kverbs_role of its end
 * @lane: its lane, or that of its pair
 * @shared: CQ of all endpoints when the job says so, NULL: has one of its own
 * @no: a field that the driver refuses, named in @where
 * @where: names the step that failed
 * Return: endpoint, owned by the caller, or ERR_PTR()
 */
struct kv_ep *kv_ep_create(struct ib_pd *pd, const struct kv_job *job, u32 role,
			   u32 lane, struct kv_shared *shared, struct kv_refusal *no,
			   const char **where);

/**
 * kv_ep_helper - make an RC endpoint that is its own peer
 * @pd: protection domain
 * @path: the way between both ends
 * @job: checked job of another transport
 * @stop: of the run
 * @where: names the step that failed
 *
 * REG_MR can be posted to RC QPs only; an MR belongs to its PD, not to a QP.
 *
 * Return: endpoint, owned by the caller, or ERR_PTR()
 */
struct kv_ep *kv_ep_helper(struct ib_pd *pd, const struct kv_path *path,
			   const struct kv_job *job, u32 *stop,
			   const char **where);

/**
 * kv_ep_connect - connect two endpoints to each other, register their buffers
 * @a: endpoint, @stop set
 * @b: its peer, likewise
 * @path: the way between them
 * @job: checked job
 * @helper: registers their MRs; NULL: each its own
 * @where: names the step that failed
 *
 * Afterwards both are in RTS, their MRs can be used, their WRs are built.
 *
 * Return: 0 or -errno
 */
int kv_ep_connect(struct kv_ep *a, struct kv_ep *b, const struct kv_path *path,
		  const struct kv_job *job, struct kv_ep *helper,
		  const char **where);

/* what a QP has to know of its peer, when nothing is to be wrong */
void kv_ep_wire(const struct kv_ep *ep, const struct kv_ep *peer,
		struct kv_wire *wire);

/**
 * kv_ep_make_qp - create the QP of an endpoint
 * @ep: endpoint with a CQ and without a QP
 * @pd: protection domain
 * @job: checked job
 * @no: a field that the driver refuses, named in @where
 * @where: names the step that failed
 * Return: 0 or -errno
 */
int kv_ep_make_qp(struct kv_ep *ep, struct ib_pd *pd, const struct kv_job *job,
		  struct kv_refusal *no, const char **where);

/* draw another first PSN: of a QP that is in RESET, or not made yet */
void kv_ep_number(struct kv_ep *ep);

/**
 * kv_ep_to - move a QP to a state
 * @ep: endpoint
 * @state: RESET, INIT, RTR, RTS or ERR, as the states follow each other
 * @wire: what it has to know of its peer
 * @path: the way to it
 * @job: checked job
 * Return: 0 or -errno
 */
int kv_ep_to(struct kv_ep *ep, enum ib_qp_state state,
	     const struct kv_wire *wire, const struct kv_path *path,
	     const struct kv_job *job);

/* the same of a QP that is made like that of the endpoint */
int kv_ep_qp_to(const struct kv_ep *ep, struct ib_qp *qp,
		enum ib_qp_state state, const struct kv_wire *wire,
		const struct kv_path *path, const struct kv_job *job);

/**
 * kv_ep_slot - slot that the WRs of an operation lie in
 * @ep: endpoint
 * @wr_id: number of the operation
 * Return: slot
 */
u32 kv_ep_slot(const struct kv_ep *ep, u64 wr_id);

/* a QP of an endpoint, the first being 0 */
static inline struct ib_qp *kv_ep_qp_at(const struct kv_ep *ep, u32 i)
{
	return likely(!i) ? ep->qp : ep->spare[i - 1];
}

/**
 * kv_ep_qp_of - QP that a WR was posted to
 * @ep: endpoint
 * @wr_id: number of the WR, or wr_id of a receive
 * Return: QP
 */
const struct ib_qp *kv_ep_qp_of(const struct kv_ep *ep, u64 wr_id);

/* QP that a WC is of: a receive of an SRQ is anybody's, until it is taken */
static inline const struct ib_qp *kv_ep_qp_of_wc(const struct kv_ep *ep,
						 const struct ib_wc *wc)
{
	return ep->srq && wc->qp ? wc->qp : kv_ep_qp_of(ep, wc->wr_id);
}

/* what a QP of an endpoint with a CQ is made with */
void kv_ep_qp_attr(const struct kv_ep *ep, const struct kv_job *job,
		   struct ib_qp_init_attr *attr);

/* ib_modify_qp() with its tracepoint */
int kv_ep_modify(const struct kv_ep *ep, struct ib_qp *qp,
		 struct ib_qp_attr *attr, int mask);

/**
 * kv_ep_qp_to_rts - take a QP from RESET to RTS
 * @ep: endpoint
 * @qp: QP of it
 * @wire: what it has to know of its peer
 * @path: the way to it
 * @job: checked job
 * @where: names the step that failed
 * Return: 0 or -errno
 */
int kv_ep_qp_to_rts(const struct kv_ep *ep, struct ib_qp *qp,
		    const struct kv_wire *wire, const struct kv_path *path,
		    const struct kv_job *job, const char **where);

/* the same with the QP of an endpoint that has one */
static inline int kv_ep_to_rts(struct kv_ep *ep, const struct kv_wire *wire,
			       const struct kv_path *path,
			       const struct kv_job *job, const char **where)
{
	return kv_ep_qp_to_rts(ep, ep->qp, wire, path, job, where);
}

/**
 * kv_ep_register - REG_MR of an MR
 * @over: an RC endpoint of its PD, on which no lane runs
 * @mr: mapped MR
 * @job: checked job
 * @of: what it is of, KV_ACCESS_OF_*
 * @where: names the step that failed
 * Return: 0 or -errno
 */
int kv_ep_register(struct kv_ep *over, struct ib_mr *mr,
		   const struct kv_job *job, u32 of, const char **where);

/**
 * kv_ep_await - wait for the one WC that is due, of a WR marked as of set-up
 * @ep: endpoint, on which no lane runs
 * @where: names the step that failed
 * Return: 0 or -errno
 */
int kv_ep_await(struct kv_ep *ep, const char **where);

/**
 * kv_ep_flush - move the QP to ERR and post a marker to each of its queues
 * @ep: endpoint, no lane runs on it any more
 */
void kv_ep_flush(struct kv_ep *ep);

/**
 * kv_ep_reap - poll until the markers of kv_ep_flush() have come
 * @ep: endpoint
 * @end: when to give up
 *
 * Reaping is a courtesy: destroying the QP is the real fence.
 */
void kv_ep_reap(struct kv_ep *ep, ktime_t end);

/**
 * kv_ep_destroy_qp - destroy the QP of an endpoint, and what only it has
 * @ep: as kv_ep_destroy() takes it, which is still to be called
 */
void kv_ep_destroy_qp(struct kv_ep *ep);

/**
 * kv_ep_destroy - free an endpoint
 * @ep: endpoint, NULL or ERR_PTR() allowed; its peer must have been flushed
 */
void kv_ep_destroy(struct kv_ep *ep);

/**
 * kv_ep_bytes - memory of prebuilt WRs
 * @job: checked job
 * Return: bytes of one endpoint
 */
u64 kv_ep_bytes(const struct kv_job *job);

#endif /* KV_ENDPOINT_H */
