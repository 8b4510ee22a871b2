/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The kernel's side of the loop: its primitives over kernel verbs. Included by
 * the one file that runs the loop.
 */
#ifndef KV_VERBS_H
#define KV_VERBS_H

#include <linux/bottom_half.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>

#include "control.h"
#include "endpoint.h"
#include "place.h"
#include "provoke.h"
#include "trace.h"
#include "turn.h"

#ifdef KVERBS_GCOV
/* Inlined, each branch would count once for every place. */
#define kv_inline	static noinline __maybe_unused
#else
#define kv_inline	static __always_inline
#endif
#define kv_noinline	static noinline

#define KV_RCU_CHECK	1024	/* rounds between reports to RCU */
#define KV_YIELD_SLEEP	64	/* yields in vain before a short sleep */
#define KV_DIRECT_TURNS	16	/* of a lane between looks at stops and deadlines */

static __always_inline u64 kv_clock(const struct kv_ep *ep)
{
	if (unlikely(ep->clock == KVERBS_CLOCK_RAW))
		return ktime_get_raw_ns();
	return kv_cpu_clock();
}

/* the first WR of a slot, or its last one */
static __always_inline struct ib_send_wr *kv_wr_at(const struct kv_ep *ep,
						   union kv_wr *of, u32 slot)
{
	return (void *)of + slot * ep->stride;
}

static __always_inline u32 kv_is_bare(const struct kv_ep *ep)
{
	return ep->clock != KVERBS_CLOCK_RAW && !ep->callback.done &&
	       !ep->apart && !ep->cqs;
}

static __always_inline void kv_wr_prep(struct kv_ep *ep, u32 slot, u64 id,
				       u32 signalled, u32 last)
{
	struct ib_send_wr *wr = kv_wr_at(ep, ep->tail, slot);

	if (unlikely(ep->callback.done)) {
		ep->callback.done[slot].id = id;
		wr->wr_cqe = &ep->callback.done[slot].cqe;
	} else {
		wr->wr_id = id;
	}
	wr->send_flags = ep->flags[signalled];
	wr->next = last ? NULL :
		   kv_wr_at(ep, ep->wr, slot + 1 == ep->depth ? 0 : slot + 1);
}

static __always_inline void kv_wr_lone(struct kv_ep *ep, u32 slot)
{
	kv_wr_prep(ep, slot, 0, 1, 1);
}

static __always_inline void kv_wr_again(struct kv_ep *ep, u32 slot, u64 id)
{
	kv_wr_at(ep, ep->tail, slot)->wr_id = id;
}

static inline void kv_wr_aim(struct kv_ep *ep, u32 slot, u32 place, u32 mr)
{
	kv_place_aim(ep, slot, place, mr);
}

static inline u32 kv_wr_chill(struct kv_ep *ep, u32 slot, u32 place)
{
	return kv_place_chill(ep, slot, place);
}

/* of a local variable the compiler knows that it is there: ib_post_send() asks */
static __always_inline int kv_post_wr(struct kv_ep *ep, struct ib_qp *qp,
				      const struct ib_send_wr *wr)
{
	const struct ib_send_wr *bad = NULL;
	int rc = ib_post_send(qp, wr, &bad);

	if (unlikely(rc))
		ep->bad = bad;
	return rc;
}

static __always_inline int kv_post(struct kv_ep *ep, u32 slot)
{
	struct ib_qp *qp = ep->qp;

	if (unlikely(ep->apart)) {
		if (ep->reg.rw)
			return kv_rw_post(ep, slot);
		qp = ep->turn[slot];
	}
	return kv_post_wr(ep, qp, kv_wr_at(ep, ep->wr, slot));
}

static __always_inline int kv_post_again(struct kv_ep *ep, u32 slot, u64 id)
{
	u32 at = slot * ep->stride;
	union kv_wr *wr = (void *)ep->wr + at;

	((union kv_wr *)((void *)ep->tail + at))->wr.wr_id = id;
	return kv_post_wr(ep, ep->qp, &wr->wr);
}

static inline u32 kv_post_bad(struct kv_ep *ep, u32 slot)
{
	const struct ib_send_wr *wr = kv_wr_at(ep, ep->wr, slot);
	u32 n = 0;

	while (wr && wr != ep->bad) {
		wr = wr->next;
		n++;
	}
	return wr ? n / ep->wrs : 0;
}

static inline int kv_post_phase(struct kv_ep *ep, u32 first)
{
	return kv_post_wr(ep, ep->qp, &ep->wr[first].wr);
}

static inline int kv_reg_begin(struct kv_ep *ep, u32 slot, u32 metric)
{
	if (metric == KVERBS_METRIC_MAP)
		return ep->reg.rw ? kv_rw_map(ep, slot) : kv_reg_map(ep, slot);
	kv_reg_sync(ep, slot, true);
	return 0;
}

static inline int kv_reg_end(struct kv_ep *ep, u32 slot, u32 metric)
{
	if (metric != KVERBS_METRIC_UNMAP)
		kv_reg_sync(ep, slot, false);
	else if (ep->reg.rw)
		kv_rw_unmap(ep, slot);
	else
		kv_reg_unmap(ep, slot);
	return 0;
}

static inline void kv_offer(struct kv_ep *ep)
{
	kv_exchange_offer(ep);
}

static inline void kv_accept(struct kv_ep *ep)
{
	kv_exchange_accept(ep);
}

static __always_inline int kv_poll(struct kv_ep *ep, u32 max)
{
	int got;

	if (unlikely(ep->callback.done))
		got = kv_context_poll(ep, max);
	else
		got = ib_poll_cq(unlikely(ep->cqs) ? kv_turn_cq(ep) : ep->cq,
				 max, ep->wc);
	/* empty ones would fill every buffer */
	if (kv_traced() && got)
		trace_kverbs_poll(ep, max, got);
	return got;
}

static __always_inline u32 kv_wc_status(const struct kv_ep *ep, u32 i)
{
	return ep->wc[i].status;
}

static __always_inline u64 kv_wc_id(const struct kv_ep *ep, u32 i)
{
	return ep->wc[i].wr_id;
}

static inline u32 kv_wc_vendor(const struct kv_ep *ep, u32 i)
{
	return ep->wc[i].vendor_err;
}

static inline u32 kv_wc_invalidated(const struct kv_ep *ep, u32 i)
{
	return (ep->wc[i].wc_flags & IB_WC_WITH_INVALIDATE) &&
	       ep->wc[i].ex.invalidate_rkey == ep->rkey;
}

/* the receive WRs are a ring: cut it after the n-th, post, mend it */
static __always_inline int kv_post_recv(struct kv_ep *ep, u32 ring, u32 slot,
					u32 n)
{
	struct ib_recv_wr *rwr = ep->rwr + ring * ep->ring_depth, *next;
	u32 last = slot + n - 1;
	int rc;

	if (last >= ep->ring_depth)
		last -= ep->ring_depth;
	next = rwr[last].next;
	rwr[last].next = NULL;
	if (unlikely(ep->srq))
		rc = ib_post_srq_recv(ep->srq, &rwr[slot], NULL);
	else
		rc = ib_post_recv(kv_ep_qp_at(ep, ring), &rwr[slot], NULL);
	rwr[last].next = next;
	return rc;
}

static inline int kv_limit(struct kv_ep *ep, u32 first)
{
	return kv_srq_look(ep, first);
}

static inline void kv_stamp(struct kv_ep *ep, u64 tag)
{
	struct ib_device *ibdev = ep->qp->device;

	ib_dma_sync_single_for_cpu(ibdev, ep->stamp_dma, 1, DMA_BIDIRECTIONAL);
	WRITE_ONCE(*ep->stamp, (u8)tag);
	ib_dma_sync_single_for_device(ibdev, ep->stamp_dma, 1,
				      DMA_BIDIRECTIONAL);
}

static inline int kv_landed(struct kv_ep *ep, u64 tag)
{
	ib_dma_sync_single_for_cpu(ep->qp->device, ep->landing_dma, 1,
				   DMA_BIDIRECTIONAL);
	return READ_ONCE(*ep->landing) == (u8)tag;
}

static inline void *kv_area_open(struct kv_ep *ep, u32 area, u64 offset,
				 u64 *n)
{
	const struct kv_buf *buf = ep->area[area].buf;
	u64 dma = 0;
	u8 *byte;

	byte = kv_buf_span(buf, ep->area[area].offset + offset, n, &dma);
	ib_dma_sync_single_for_cpu(buf->ibdev, dma, *n, DMA_BIDIRECTIONAL);
	return byte;
}

static inline void kv_area_close(struct kv_ep *ep, u32 area, u64 offset, u64 n)
{
	const struct kv_buf *buf = ep->area[area].buf;
	u64 dma = 0;

	kv_buf_span(buf, ep->area[area].offset + offset, &n, &dma);
	ib_dma_sync_single_for_device(buf->ibdev, dma, n, DMA_BIDIRECTIONAL);
}

/*
 * Give the CPU up if somebody is due, and tell RCU and RCU-Tasks that this
 * thread holds nothing of theirs: removing an ftrace trampoline waits for it.
 */
static inline int kv_rest_now(void)
{
	unsigned long before = current->nvcsw + current->nivcsw;

	cond_resched_tasks_rcu_qs();
	if (need_resched())
		schedule();
	return current->nvcsw + current->nivcsw != before;
}

/*
 * The stack under a software device runs in softirqs, which the bottom-half pair
 * lets run at once, or (later kernels) in a workqueue, which needs the CPU.
 */
static __always_inline int kv_wait(struct kv_ep *ep)
{
	switch (ep->wait) {
	case KVERBS_WAIT_RELAX:
		cpu_relax();
		break;
	case KVERBS_WAIT_SOFTIRQ:
		local_bh_disable();
		local_bh_enable();
		if (need_resched() || !(++ep->waits & 7))
			return kv_rest_now();
		break;
	case KVERBS_WAIT_YIELD:
		/*
		 * The other lane of this CPU is what we are waiting for, and so
		 * may be softirqs; any other task may run as well.
		 */
		local_bh_disable();
		local_bh_enable();
		cond_resched_tasks_rcu_qs();
		/* where the scheduler's clock is coarse, yield() picks us again */
		if (++ep->waits & (KV_YIELD_SLEEP - 1))
			yield();
		else
			usleep_range(1, 10);
		return 1;
	}
	return 0;
}

static inline int kv_arm(struct kv_ep *ep)
{
	return kv_context_arm(ep);
}

static inline int kv_sleep(struct kv_ep *ep)
{
	return kv_context_sleep(ep);
}

static inline u64 kv_event_at(struct kv_ep *ep)
{
	u64 at = READ_ONCE(ep->event.at);

	/* another one may come in between: it is then not sampled */
	if (at)
		WRITE_ONCE(ep->event.at, 0);
	return at;
}

static inline void kv_hold(struct kv_ep *ep)
{
	spin_lock_bh(&ep->callback.lock);
}

static inline void kv_let(struct kv_ep *ep)
{
	ep->attended = jiffies;
	spin_unlock_bh(&ep->callback.lock);
}

static inline int kv_early(struct kv_ep *ep)
{
	return kv_context_early(ep);
}

/* of context direct it is the lane that has handlers called */
static inline void kv_attend(struct kv_ep *ep)
{
	u32 i;

	if (ep->context == KVERBS_CONTEXT_DIRECT) {
		for (i = 0; i < KV_DIRECT_TURNS; i++) {
			if (!ib_process_cq_direct(ep->cq, KV_POLL_MAX))
				kv_wait(ep);
		}
		kv_rest_now();
	} else {
		kv_context_attend(ep);
	}
}

static inline int kv_spoil(struct kv_ep *ep, u32 role)
{
	return kv_provoke_spoil(ep, role);
}

static inline int kv_overfill(struct kv_ep *ep)
{
	return kv_provoke_overfill(ep);
}

static inline void kv_wr_key(struct kv_ep *ep, u32 slot)
{
	kv_control_key(ep, slot);
}

static inline int kv_control(struct kv_ep *ep, u32 what, u32 i)
{
	return kv_control_call(ep, what, i);
}

static inline int kv_broken(const struct kv_ep *ep)
{
	return READ_ONCE(ep->broken);
}

static __always_inline int kv_breathe(struct kv_ep *ep, u32 n)
{
	ep->breaths += n;
	if (unlikely(need_resched() || (ep->breaths & (KV_RCU_CHECK - 1)) < n))
		return kv_rest_now();
	return 0;
}

static __always_inline u32 kv_stop(const struct kv_ep *ep)
{
	return READ_ONCE(*ep->stop);
}

static __always_inline u64 kv_load(const u64 *p)
{
	/* pairs with kv_store() of the other lane */
	return smp_load_acquire(p);
}

static __always_inline void kv_store(u64 *p, u64 v)
{
	/* pairs with kv_load() of the other lane */
	smp_store_release(p, v);
}

static noinline void kv_note_post_traced(struct kv_ep *ep, u64 id, u32 n,
					 u64 ticks, int rc)
{
	trace_kverbs_post(ep, id, n, ticks, rc);
	if (trace_kverbs_mr_reg_enabled() || trace_kverbs_mr_inv_enabled())
		kv_ep_note_mrs(ep, id);
}

static __always_inline void kv_note_post(struct kv_ep *ep, u64 id, u32 n,
					 u64 ticks, int rc)
{
	if (kv_traced())
		kv_note_post_traced(ep, id, n, ticks, rc);
}

static noinline void kv_note_wc_traced(struct kv_ep *ep, u32 i, u64 ticks)
{
	trace_kverbs_completion(ep, &ep->wc[i], ticks);
	if (unlikely(ep->wc[i].status != IB_WC_SUCCESS))
		trace_kverbs_wc_error(ep, &ep->wc[i]);
	else if (trace_kverbs_mr_inv_enabled() &&
		 ep->wc[i].wc_flags & IB_WC_WITH_INVALIDATE)
		trace_kverbs_mr_inv(ep, ep->wc[i].ex.invalidate_rkey, true);
}

static __always_inline void kv_note_wc(struct kv_ep *ep, u32 i, u64 ticks)
{
	if (kv_traced())
		kv_note_wc_traced(ep, i, ticks);
}

static noinline void kv_note_answer_traced(struct kv_ep *ep, u64 id, u64 ticks)
{
	trace_kverbs_answer(ep, id, ticks);
}

static __always_inline void kv_note_answer(struct kv_ep *ep, u64 id, u64 ticks)
{
	if (kv_traced())
		kv_note_answer_traced(ep, id, ticks);
}

#include <kverbs/loop.h>

#endif /* KV_VERBS_H */
