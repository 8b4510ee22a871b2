/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The user side's endpoint and the primitives that kverbs/loop.h asks for, over
 * libibverbs. The loop is compiled where this is included: by lane.c with the plain
 * calls, by lane_wr.c with the extended ones, so that neither asks which it has.
 */
#ifndef KV_EP_H
#define KV_EP_H

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <time.h>
#include <infiniband/verbs.h>
#include "exchange.h"
#include "control.h"
#include "provoke.h"
#include "side.h"
#include "reg.h"

#define KV_POLL_MAX	64	/* highest poll_batch of a job */
#define KV_SLEEP_MS	10	/* a stop and a deadline are noticed as late, as in the module */

/**
 * struct kv_ep - one QP with its CQ and prebuilt WRs
 * @qp: queue pair
 * @cq: completion queue of both its queues; of several QPs with one each, the last that was polled
 * @cqs: these, polled in turn, else NULL
 * @ncqs: entries of @cqs
 * @cq_at: the next one
 * @wr: send WRs, those of one operation a slot, a ring of @depth slots
 * @tail: the last WR of the first slot, which completes its operation
 * @stride: bytes of the WRs of a slot
 * @wrs: WRs of a slot
 * @recv: receive WRs, a ring for each receive queue
 * @turn: QP of each slot, where a lane has several; NULL: @qp of all
 * @out_tag: last byte of the outgoing message
 * @in_tag: last byte of the incoming message
 * @stop: KV_STOP_*, written by the owner of the run
 * @area: start of each KV_AREA_*
 * @aim: what the address of a message is made of
 * @bad: first WR that the latest failed post call refused
 * @flags: send flags of an unsignalled and of a signalled WR
 * @depth: slots of @wr
 * @recv_depth: entries of @recv
 * @ring_depth: of those, entries of each ring
 * @spare: QPs of the end beside @qp
 * @srq: that all receives are posted to, NULL: to the QPs
 * @limit: receives of it below which an event is to come, 0: none is
 * @limits: events that came; another thread writes it
 * @limits_seen: of those, how many the lane has counted
 * @wait: enum kverbs_wait
 * @raw_clock: CLOCK_MONOTONIC_RAW instead of the CPU's counter
 * @qp_ex: @qp, with the extended calls; NULL without
 * @cq_ex: @cq, likewise
 * @piece: pieces of a message that is sent inline by them, else NULL
 * @datagram: their WRs have an address each
 * @flush_type: of their FLUSHes, enum ibv_placement_type
 * @flush_level: likewise, enum ibv_selectivity_level
 * @reg: memory that is registered for each operation
 * @patience: ns that a window is waited for
 * @grace: the same after a stop
 * @yields: where yields of the lane are counted
 * @exchange: its part of an exchange
 * @channel: of completion events, when the lane sleeps
 * @broken: its CQ reported an error of its own; another thread writes it
 * @wrong: what an error is provoked with, NULL: none is
 * @control: what calls of the control path need, NULL: none are made
 * @unacked: events taken from it that are not acknowledged yet
 * @wc: WCs of the latest poll call
 */
struct kv_ep {
	struct ibv_qp *qp;
	struct ibv_cq *cq;
	struct ibv_send_wr *wr;
	struct ibv_send_wr *tail;
	struct ibv_recv_wr *recv;
	struct ibv_qp **turn;
	volatile u8 *out_tag;
	const volatile u8 *in_tag;
	const volatile u32 *stop;
	struct ibv_send_wr *bad;
	u32 flags[2];
	u32 stride;
	u32 wrs;
	u8 *area[KV_AREAS];
	u32 depth;
	u32 recv_depth;
	u32 ring_depth;
	struct ibv_qp **spare;
	struct ibv_srq *srq;
	u32 limit;
	u32 limits;
	u32 limits_seen;
	struct ibv_cq **cqs;
	u32 ncqs;
	u32 cq_at;
	u32 wait;
	u32 raw_clock;
	struct ibv_qp_ex *qp_ex;
	struct ibv_cq_ex *cq_ex;
	struct ibv_data_buf *piece;
	u32 datagram;
	u8 flush_type;
	u8 flush_level;
	struct kv_reg *reg;
	u64 patience;
	u64 grace;
	u64 *yields;
	struct kv_exchange exchange;
	struct ibv_comp_channel *channel;
	u32 unacked;
	struct kv_aim aim;
	u32 broken;
	struct kv_wrong *wrong;
	struct kv_control *control;
	struct ibv_wc wc[KV_POLL_MAX];
};

static inline u64 kv_raw_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (u64)now.tv_sec * 1000000000ULL + (u64)now.tv_nsec;
}

kv_inline u64 kv_clock(struct kv_ep *ep)
{
	if (__builtin_expect(ep->raw_clock, 0))
		return kv_raw_clock();
	return kv_cpu_clock();
}

/* the first WR of a slot, or its last one */
kv_inline struct ibv_send_wr *kv_wr_at(const struct kv_ep *ep, struct ibv_send_wr *of, u32 slot)
{
	return (struct ibv_send_wr *)((char *)of + slot * ep->stride);
}

kv_inline void kv_wr_prep(struct kv_ep *ep, u32 slot, u64 id, u32 signalled, u32 last)
{
	struct ibv_send_wr *wr = kv_wr_at(ep, ep->tail, slot);

	wr->wr_id = id;
	wr->send_flags = ep->flags[signalled];
	wr->next = last ? NULL : kv_wr_at(ep, ep->wr, slot + 1 == ep->depth ? 0 : slot + 1);
}

kv_inline void kv_wr_lone(struct kv_ep *ep, u32 slot)
{
	kv_wr_prep(ep, slot, 0, 1, 1);
}

kv_inline void kv_wr_again(struct kv_ep *ep, u32 slot, u64 id)
{
	kv_wr_at(ep, ep->tail, slot)->wr_id = id;
}

kv_inline u32 kv_is_bare(const struct kv_ep *ep)
{
	return !ep->raw_clock && !ep->turn && !ep->cqs;
}

kv_inline void kv_wr_aim(struct kv_ep *ep, u32 slot, u32 place, u32 mr)
{
	struct ibv_send_wr *wr = kv_wr_at(ep, ep->wr, slot);
	u64 offset = place * ep->aim.stride;

	wr->sg_list->addr = ep->aim.local + offset;
	wr->sg_list->lkey = ep->aim.keys[mr].lkey;
	switch (wr->opcode) {
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		wr->wr.atomic.remote_addr = ep->aim.remote + offset;
		wr->wr.atomic.rkey = ep->aim.keys[mr].rkey;
		break;
	case IBV_WR_SEND:
	case IBV_WR_SEND_WITH_IMM:
		break;
	default:
		wr->wr.rdma.remote_addr = ep->aim.remote + offset;
		wr->wr.rdma.rkey = ep->aim.keys[mr].rkey;
		break;
	}
}

kv_inline u32 kv_wr_chill(struct kv_ep *ep, u32 slot, u32 place)
{
	const struct ibv_send_wr *wr = kv_wr_at(ep, ep->wr, slot);
	u32 lines = kv_evict(wr, ep->stride), i;

	for (i = 0; i < ep->wrs; i++)
		lines += kv_evict(wr[i].sg_list, (u32)wr[i].num_sge * sizeof(*wr->sg_list));
	lines += kv_evict((const void *)(uintptr_t)(ep->aim.local + place * ep->aim.stride),
			  ep->aim.payload);
	kv_evict_end();
	return lines;
}

#ifdef KV_EP_WR
#include "ep_wr.h"
#else
#include "ep_post.h"
#endif

kv_inline int kv_post_phase(struct kv_ep *ep, u32 first)
{
	return kv_post_from(ep, ep->qp, &ep->wr[first]);
}

kv_inline int kv_post(struct kv_ep *ep, u32 slot)
{
	struct ibv_qp *qp = __builtin_expect(!ep->turn, 1) ? ep->qp : ep->turn[slot];

	return kv_post_from(ep, qp, kv_wr_at(ep, ep->wr, slot));
}

kv_inline int kv_post_again(struct kv_ep *ep, u32 slot, u64 id)
{
	u32 at = slot * ep->stride;

	((struct ibv_send_wr *)((char *)ep->tail + at))->wr_id = id;
	return kv_post_from(ep, ep->qp, (struct ibv_send_wr *)((char *)ep->wr + at));
}

static int kv_window(struct kv_ep *ep, u32 slot, u32 open);

/* the WRs of the slot are for this MR now; what is sent or read lies in it */
kv_inline int kv_reg_begin(struct kv_ep *ep, u32 slot, u32 metric)
{
	struct ibv_send_wr *wr = kv_wr_at(ep, ep->wr, slot);
	int rc = ep->reg->over ? kv_window(ep, slot, 1) : kv_reg_mr(ep->reg, slot);
	u32 i;

	(void)metric;
	for (i = 0; !rc && i < ep->wrs; i++)
		wr[i].sg_list->lkey = ep->reg->over ? ep->reg->over->lkey :
						      ep->reg->mr[slot]->lkey;
	return rc;
}

kv_inline int kv_reg_end(struct kv_ep *ep, u32 slot, u32 metric)
{
	(void)metric;
	return ep->reg->over ? kv_window(ep, slot, 0) : kv_reg_dereg(ep->reg, slot);
}

kv_inline u32 kv_wc_status(struct kv_ep *ep, u32 i)
{
	return ep->wc[i].status;
}

kv_inline u64 kv_wc_id(struct kv_ep *ep, u32 i)
{
	return ep->wc[i].wr_id;
}

kv_inline u32 kv_wc_vendor(struct kv_ep *ep, u32 i)
{
	return ep->wc[i].vendor_err;
}

kv_inline void kv_offer(struct kv_ep *ep)
{
	kv_exchange_offer(&ep->exchange);
}

kv_inline void kv_accept(struct kv_ep *ep)
{
	kv_exchange_accept(&ep->exchange);
}

/* of a window alone: libibverbs has no message that invalidates an MR */
kv_inline u32 kv_wc_invalidated(struct kv_ep *ep, u32 i)
{
	return (ep->wc[i].wc_flags & ep->exchange.invalidated) &&
	       ep->wc[i].invalidated_rkey == ep->exchange.rkey;
}

kv_inline int kv_post_recv(struct kv_ep *ep, u32 ring, u32 slot, u32 n)
{
	u32 end = slot + n - 1 < ep->ring_depth ? slot + n - 1 : slot + n - 1 - ep->ring_depth;
	struct ibv_qp *qp = __builtin_expect(!ring, 1) ? ep->qp : ep->spare[ring - 1];
	struct ibv_recv_wr *recv = ep->recv + ring * ep->ring_depth;
	struct ibv_recv_wr *last = &recv[end], *next = last->next, *bad;
	int rc;

	last->next = NULL;
	if (__builtin_expect(!!ep->srq, 0))
		rc = ibv_post_srq_recv(ep->srq, &recv[slot], &bad);
	else
		rc = ibv_post_recv(qp, &recv[slot], &bad);
	last->next = next;
	return rc > 0 ? -rc : rc;
}

/* the thread that waits for the run takes its events */
kv_inline int kv_limit(struct kv_ep *ep, u32 first)
{
	u32 limits = __atomic_load_n(&ep->limits, __ATOMIC_RELAXED);
	struct ibv_srq_attr attr = { .srq_limit = ep->limit };
	int rc;

	if (!first && limits == ep->limits_seen)
		return 0;
	/* asked for, an event comes once */
	ep->limits_seen = limits;
	rc = ibv_modify_srq(ep->srq, &attr, IBV_SRQ_LIMIT);
	return rc ? -(rc > 0 ? rc : EIO) : !first;
}

kv_inline void kv_stamp(struct kv_ep *ep, u64 tag)
{
	*ep->out_tag = (u8)tag;
}

kv_inline int kv_landed(struct kv_ep *ep, u64 tag)
{
	return *ep->in_tag == (u8)tag;
}

/* the device writes behind the compiler's back */
kv_inline void *kv_area_open(struct kv_ep *ep, u32 area, u64 offset, u64 *n)
{
	(void)n;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return ep->area[area] + offset;
}

kv_inline void kv_area_close(struct kv_ep *ep, u32 area, u64 offset, u64 n)
{
	(void)ep;
	(void)area;
	(void)offset;
	(void)n;
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

kv_inline int kv_wait(struct kv_ep *ep)
{
	switch (ep->wait) {
	case KVERBS_WAIT_RELAX:
#if defined(__x86_64__)
		__builtin_ia32_pause();
#elif defined(__aarch64__)
		asm volatile("yield" : : : "memory");
#endif
		return 0;
	case KVERBS_WAIT_YIELD:
		sched_yield();
		return 1;
	}
	return 0;
}

/* what came before is only found by a poll: no answer tells of it */
kv_inline int kv_arm(struct kv_ep *ep)
{
	int rc = ibv_req_notify_cq(ep->cq, 0);

	return rc ? -(rc > 0 ? rc : EIO) : KV_ARM_UNKNOWN;
}

kv_inline int kv_sleep(struct kv_ep *ep)
{
	struct pollfd fd = { .fd = ep->channel->fd, .events = POLLIN };
	struct ibv_cq *cq;
	void *context;

	if (poll(&fd, 1, KV_SLEEP_MS) < 1 || ibv_get_cq_event(ep->channel, &cq, &context))
		return 0;
	ep->unacked++;
	return 1;
}

/* the kernel took no clock when it raised the event */
kv_inline u64 kv_event_at(struct kv_ep *ep)
{
	(void)ep;
	return 0;
}

/* no handler of user space is called by anybody else */
kv_inline void kv_hold(struct kv_ep *ep)
{
	(void)ep;
}

kv_inline void kv_let(struct kv_ep *ep)
{
	(void)ep;
}

kv_inline int kv_early(struct kv_ep *ep)
{
	(void)ep;
	return 0;
}

kv_inline void kv_attend(struct kv_ep *ep)
{
	(void)ep;
}

kv_inline int kv_spoil(struct kv_ep *ep, u32 role)
{
	return kv_provoke_spoil(ep->wrong, role);
}

kv_inline int kv_overfill(struct kv_ep *ep)
{
	return kv_provoke_overfill(ep->wrong);
}

kv_inline void kv_wr_key(struct kv_ep *ep, u32 slot)
{
	struct ibv_send_wr *wr = kv_wr_at(ep, ep->wr, slot);

	if (wr->opcode == IBV_WR_ATOMIC_CMP_AND_SWP || wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD)
		wr->wr.atomic.rkey ^= KV_PROVOKE_KEY;
	else
		wr->wr.rdma.rkey ^= KV_PROVOKE_KEY;
}

kv_inline int kv_control(struct kv_ep *ep, u32 what, u32 i)
{
	return kv_control_call(ep->control, what, i);
}

kv_inline int kv_broken(struct kv_ep *ep)
{
	return (int)__atomic_load_n(&ep->broken, __ATOMIC_RELAXED);
}

/* a user thread can be preempted anywhere: it need not offer it */
kv_inline int kv_breathe(struct kv_ep *ep, u32 n)
{
	(void)ep;
	(void)n;
	return 0;
}

kv_inline u32 kv_stop(struct kv_ep *ep)
{
	return *ep->stop;
}

kv_inline u64 kv_load(const u64 *p)
{
	return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

kv_inline void kv_store(u64 *p, u64 v)
{
	__atomic_store_n(p, v, __ATOMIC_RELEASE);
}

kv_inline void kv_note_post(struct kv_ep *ep, u64 id, u32 n, u64 ticks, int rc)
{
	(void)ep;
	(void)id;
	(void)n;
	(void)ticks;
}

kv_inline void kv_note_wc(struct kv_ep *ep, u32 i, u64 ticks)
{
	(void)ep;
	(void)i;
	(void)ticks;
}

kv_inline void kv_note_answer(struct kv_ep *ep, u64 id, u64 ticks)
{
	(void)ep;
	(void)id;
	(void)ticks;
}

#include "kverbs/loop.h"

/* a window is opened or closed: nothing else is outstanding, so the WC is of that */
static __attribute__((noinline, unused)) int kv_window(struct kv_ep *ep, u32 slot, u32 open)
{
	struct ibv_send_wr wr, *bad;
	struct ibv_wc wc;
	u64 begin, waited;
	int rc;

	if (open)
		kv_reg_bind(ep->reg, slot, &wr);
	else
		kv_reg_unbind(ep->reg, &wr);
	rc = ibv_post_send(ep->qp, &wr, &bad);
	if (rc)
		return rc > 0 ? -rc : rc;
	begin = kv_raw_clock();
	while (!(rc = ibv_poll_cq(ep->cq, 1, &wc))) {
		if (kv_wait(ep))
			++*ep->yields;
		if (kv_broken(ep))
			return -EIO;
		waited = kv_raw_clock() - begin;
		if (kv_stop(ep) == KV_STOP_NOW || (kv_stop(ep) && waited > ep->grace))
			return -EINTR;
		if (waited > ep->patience)
			return -ETIMEDOUT;
	}
	if (rc < 0)
		return rc;
	return wc.status == IBV_WC_SUCCESS ? 0 : -EIO;
}

/* lane_wr.c */
void kv_wr_loop_run(struct kv_loop *loop, u32 shape, u32 role);

#endif /* KV_EP_H */
