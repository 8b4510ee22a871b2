// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Completion contexts: CQs, their events and handlers, who sleeps until one. */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "context.h"
#include "endpoint.h"

#define KV_SLEEP_MS	10	/* a stop and a deadline are noticed as late */
#define KV_POOL_MS	10000	/* longest wait for the last completions in a shared CQ */
#define KV_ID_MARKER	(~0ULL - 1)	/* wr_id of set-up and teardown */

/* what ib_core is asked for; a raw CQ has none of its contexts */
static const enum ib_poll_context kv_poll_contexts[KV_CONTEXTS] = {
	[KVERBS_CONTEXT_DIRECT] = IB_POLL_DIRECT,
	[KVERBS_CONTEXT_SOFTIRQ] = IB_POLL_SOFTIRQ,
	[KVERBS_CONTEXT_WORKQUEUE] = IB_POLL_WORKQUEUE,
	[KVERBS_CONTEXT_UNBOUND] = IB_POLL_UNBOUND_WORKQUEUE,
	[KVERBS_CONTEXT_POOL] = IB_POLL_SOFTIRQ,
};

void kv_context_wake(struct kv_ep *ep)
{
	struct kv_event *event = &ep->event;

	/* pairs with the acquire of who sleeps: what it is woken for is there */
	smp_store_release(&event->raised, event->raised + 1);
	wake_up(&event->queue);
}

/* the driver raises a completion event: interrupt, softirq or process context */
static void kv_context_stamp(struct kv_ep *ep)
{
	WRITE_ONCE(ep->event.at, ep->clock == KVERBS_CLOCK_RAW ?
				 ktime_get_raw_ns() : kv_cpu_clock());
}

static void kv_context_event(struct ib_cq *cq, void *context)
{
	struct kv_ep *ep = context;

	kv_context_stamp(ep);
	kv_context_wake(ep);
}

/* the same where ib_core then polls, in a softirq or a workqueue */
static void kv_context_event_core(struct ib_cq *cq, void *context)
{
	struct kv_ep *ep = context;

	kv_context_stamp(ep);
	ep->event.core(cq, context);
}

/* the CQ overflowed: what it lost never comes */
static void kv_context_async(struct ib_event *event, void *context)
{
	struct kv_ep *ep = context;

	if (event->event == IB_EVENT_CQ_ERR)
		WRITE_ONCE(ep->broken, 1);
}

void kv_context_keep(struct kv_ep *ep, const struct ib_wc *wc, u64 id)
{
	struct kv_callback *cb = &ep->callback;
	u32 in = cb->in;

	/* of those that end a run more may come than the lane has taken */
	if (in - smp_load_acquire(&cb->out) > cb->mask)
		return;
	cb->kept[in & cb->mask] = *wc;
	cb->kept[in & cb->mask].wr_id = id;
	/* pairs with the acquire in kv_context_take() */
	smp_store_release(&cb->in, in + 1);
}

static bool kv_context_take(struct kv_ep *ep, struct ib_wc *wc)
{
	struct kv_callback *cb = &ep->callback;
	u32 out = cb->out;

	/* pairs with the release in kv_context_keep() */
	if (smp_load_acquire(&cb->in) == out)
		return false;
	*wc = cb->kept[out & cb->mask];
	/* pairs with the acquire in kv_context_keep() */
	smp_store_release(&cb->out, out + 1);
	return true;
}

/* handler: the lane is to do the work */
static void kv_context_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct kv_done *done = container_of(wc->wr_cqe, struct kv_done, cqe);

	kv_context_keep(done->ep, wc, done->id);
	kv_context_wake(done->ep);
}

/* the same, called by the lane itself */
static void kv_context_done_direct(struct ib_cq *cq, struct ib_wc *wc)
{
	struct kv_done *done = container_of(wc->wr_cqe, struct kv_done, cqe);
	struct kv_ep *ep = done->ep;

	ep->wc[ep->callback.got] = *wc;
	ep->wc[ep->callback.got++].wr_id = done->id;
}

static void kv_context_done_marker(struct ib_cq *cq, struct ib_wc *wc)
{
	struct kv_ep *ep = container_of(wc->wr_cqe, struct kv_ep, marker);

	ep->marked_status = wc->status;
	/* pairs with the acquire in kv_context_marked() */
	smp_store_release(&ep->marked, ep->marked + 1);
}

static u32 kv_context_ring(const struct kv_job *job)
{
	return roundup_pow_of_two(kv_job_cq_depth(job));
}

u64 kv_context_bytes(const struct kv_job *job)
{
	if (!kv_context_rules[job->context].callback)
		return 0;
	return (u64)(job->outstanding + job->recv_depth) * sizeof(struct kv_done) +
	       (u64)kv_context_ring(job) * sizeof(struct ib_wc);
}

static int kv_context_alloc(struct kv_ep *ep, const struct kv_job *job)
{
	u32 n = job->outstanding + job->recv_depth, ring, i;
	struct kv_callback *cb = &ep->callback;

	ring = kv_context_ring(job);
	spin_lock_init(&cb->lock);
	cb->mask = ring - 1;
	cb->done = kvcalloc(n, sizeof(*cb->done), GFP_KERNEL);
	cb->kept = kvcalloc(ring, sizeof(*cb->kept), GFP_KERNEL);
	if (!cb->done || !cb->kept)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		cb->done[i].cqe.done = job->context == KVERBS_CONTEXT_DIRECT ?
				       kv_context_done_direct : kv_context_done;
		cb->done[i].ep = ep;
	}
	ep->marker.done = kv_context_done_marker;
	return 0;
}

void kv_context_handler(struct kv_ep *ep,
			void (*done)(struct ib_cq *cq, struct ib_wc *wc))
{
	u32 i;

	for (i = 0; i < ep->depth + ep->recv_depth; i++)
		ep->callback.done[i].cqe.done = done;
}

static struct ib_cq *kv_context_shared(struct kv_shared *shared,
				       struct ib_device *ibdev,
				       const struct kv_job *job, u32 vector)
{
	struct ib_cq *cq;

	if (shared->cq)
		return shared->cq;
	cq = ib_alloc_cq(ibdev, NULL, kv_job_shared_depth(job), vector,
			 kv_poll_contexts[job->context]);
	if (!IS_ERR(cq))
		shared->cq = cq;
	return cq;
}

void kv_shared_close(struct kv_shared *shared)
{
	if (shared->cq)
		ib_free_cq(shared->cq);
	shared->cq = NULL;
}

static int kv_context_open_callback(struct kv_ep *ep, struct ib_device *ibdev,
				    const struct kv_job *job,
				    struct kv_shared *shared)
{
	struct ib_cq *cq;
	int rc;

	rc = kv_context_alloc(ep, job);
	if (rc)
		return rc;
	ep->callback.shared = shared && job->cq == KVERBS_CQ_SHARED;
	if (ep->callback.shared)
		cq = kv_context_shared(shared, ibdev, job, ep->vector);
	else if (job->context == KVERBS_CONTEXT_POOL)
		cq = ib_cq_pool_get(ibdev, kv_job_cq_depth(job), ep->vector,
				    kv_poll_contexts[job->context]);
	else
		cq = ib_alloc_cq(ibdev, ep, kv_job_cq_depth(job), ep->vector,
				 kv_poll_contexts[job->context]);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	ep->cq = cq;
	if (job->context == KVERBS_CONTEXT_POOL)
		ep->callback.pooled = kv_job_cq_depth(job);
	/* the events of a CQ of several are not ours to look at */
	if (ep->callback.shared || !kv_context_rules[job->context].events)
		return 0;
	/* no QP has it yet, so no event can come */
	ep->event.core = cq->comp_handler;
	cq->comp_handler = kv_context_event_core;
	return 0;
}

struct ib_cq *kv_context_another(struct kv_ep *ep, const struct kv_job *job)
{
	struct ib_cq_init_attr attr = {
		.cqe = kv_job_cq_depth(job),
		.comp_vector = ep->vector,
	};

	return ib_create_cq(ep->qp->device, NULL, kv_context_async, ep, &attr);
}

static int kv_context_open_raw(struct kv_ep *ep, struct ib_device *ibdev,
			       const struct kv_job *job)
{
	struct ib_cq_init_attr attr = {
		.cqe = kv_job_cq_depth(job),
		.comp_vector = ep->vector,
	};
	bool sleeps = kv_context_rules[job->context].sleeps;
	struct ib_cq *cq;

	cq = ib_create_cq(ibdev, sleeps ? kv_context_event : NULL,
			  kv_context_async, ep, &attr);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	ep->cq = cq;
	return 0;
}

/* a CQ that ib_core moderates by itself would soon have other values */
static int kv_context_moderate(struct kv_ep *ep, const struct kv_job *job,
			       struct kv_refusal *no, const char **where)
{
	int rc;

	if (job->cq_count == KV_AUTO)
		return 0;
	if (ep->cq->dim) {
		kv_refuse(no, KVERBS_JOB_A_CQ_COUNT,
			  "cq-count %u: ib_core moderates this CQ by itself (DIM); use 'rdma dev set %s adaptive-moderation off', or --context woken",
			  job->cq_count, dev_name(&ep->cq->device->dev));
		*where = no->text;
		return -EINVAL;
	}
	*where = "set the CQ's moderation";
	rc = rdma_set_cq_moderation(ep->cq, job->cq_count, job->cq_period_us);
	if (rc != -EOPNOTSUPP)
		return rc;
	kv_refuse(no, KVERBS_JOB_A_CQ_COUNT,
		  "cq-count %u: the driver cannot moderate completion events; leave it out",
		  job->cq_count);
	*where = no->text;
	return -EINVAL;
}

int kv_context_open(struct kv_ep *ep, struct ib_device *ibdev,
		    const struct kv_job *job, struct kv_shared *shared,
		    struct kv_refusal *no, const char **where)
{
	int rc;

	*where = "create CQ";
	init_waitqueue_head(&ep->event.queue);
	ep->context = job->context;
	if (kv_context_rules[job->context].callback)
		rc = kv_context_open_callback(ep, ibdev, job, shared);
	else
		rc = kv_context_open_raw(ep, ibdev, job);
	return rc ? rc : kv_context_moderate(ep, job, no, where);
}

int kv_context_marked(struct kv_ep *ep)
{
	int got, i;

	if (ep->context == KVERBS_CONTEXT_DIRECT) {
		ep->callback.got = 0;
		ib_process_cq_direct(ep->cq, KV_POLL_MAX);
	} else if (!ep->callback.done) {
		got = ib_poll_cq(ep->cq, KV_POLL_MAX, ep->wc);
		if (got < 0)
			return got;
		for (i = 0; i < got; i++) {
			if (ep->wc[i].wr_id != KV_ID_MARKER)
				continue;
			ep->marked_status = ep->wc[i].status;
			ep->marked++;
		}
	}
	/* pairs with the release in kv_context_done_marker() */
	return smp_load_acquire(&ep->marked);
}

/*
 * A CQ of the pool stays. What is in it of our QP, which is gone, has been handled
 * once all marked WRs have: they were the last of their queues.
 */
static bool kv_context_leave_pool(struct kv_ep *ep)
{
	ktime_t end = ktime_add_ms(ktime_get(), KV_POOL_MS);

	while (kv_context_marked(ep) < ep->marks &&
	       ktime_before(ktime_get(), end))
		usleep_range(100, 1000);
	/* the handler of the last one may still be running, in a softirq */
	synchronize_rcu();
	ib_cq_pool_put(ep->cq, ep->callback.pooled);
	if (kv_context_marked(ep) >= ep->marks)
		return true;
	/* rather lost than named by a CQE: handlers are in this module, too */
	__module_get(THIS_MODULE);
	pr_warn("kverbs: %s: a shared CQ still holds completions of a run; the module stays loaded\n",
		dev_name(&ep->cq->device->dev));
	return false;
}

bool kv_context_close(struct kv_ep *ep)
{
	struct kv_callback *cb = &ep->callback;

	if (ep->cq && cb->pooled) {
		if (!kv_context_leave_pool(ep))
			return false;
	} else if (ep->cq && !cb->shared) {
		/* returns when no handler runs any more */
		if (cb->done)
			ib_free_cq(ep->cq);
		else
			ib_destroy_cq(ep->cq);
	}
	ep->cq = NULL;
	kvfree(cb->kept);
	kvfree(cb->done);
	return true;
}

int kv_context_arm(struct kv_ep *ep)
{
	struct kv_callback *cb = &ep->callback;
	u32 kept;
	int rc;

	/* pairs with the release in kv_context_wake() */
	ep->seen = smp_load_acquire(&ep->event.raised);
	if (cb->done) {
		/* likewise; who keeps a WC from now on raises another event */
		kept = smp_load_acquire(&cb->in) - cb->out;
		return kept ? KV_ARM_MISSED : KV_ARMED;
	}
	rc = ib_req_notify_cq(ep->cq, IB_CQ_NEXT_COMP |
				      IB_CQ_REPORT_MISSED_EVENTS);
	return rc > 0 ? KV_ARM_MISSED : rc;
}

int kv_context_sleep(struct kv_ep *ep)
{
	struct kv_event *event = &ep->event;

	wait_event_idle_timeout(event->queue,
				READ_ONCE(event->raised) != ep->seen,
				msecs_to_jiffies(KV_SLEEP_MS));
	/* pairs with the release in kv_context_wake() */
	return smp_load_acquire(&event->raised) != ep->seen;
}

int kv_context_poll(struct kv_ep *ep, u32 max)
{
	u32 n = 0;

	if (ep->context == KVERBS_CONTEXT_DIRECT) {
		ep->callback.got = 0;
		ib_process_cq_direct(ep->cq, max);
		return ep->callback.got;
	}
	while (n < max && kv_context_take(ep, &ep->wc[n]))
		n++;
	return n;
}

int kv_context_early(struct kv_ep *ep)
{
	return kv_context_take(ep, ep->wc);
}

void kv_context_attend(struct kv_ep *ep)
{
	kv_context_sleep(ep);
	/* pairs with the release in kv_context_wake() */
	ep->seen = smp_load_acquire(&ep->event.raised);
}

void kv_context_recv_id(struct kv_ep *ep, u32 i, struct ib_recv_wr *wr, u64 id)
{
	struct kv_done *done = ep->callback.done;

	if (!done) {
		wr->wr_id = id;
		return;
	}
	done[ep->depth + i].id = id;
	wr->wr_cqe = &done[ep->depth + i].cqe;
}

void kv_context_mark_send(struct kv_ep *ep, struct ib_send_wr *wr)
{
	if (ep->callback.done)
		wr->wr_cqe = &ep->marker;
	else
		wr->wr_id = KV_ID_MARKER;
}

void kv_context_mark_recv(struct kv_ep *ep, struct ib_recv_wr *wr)
{
	if (ep->callback.done)
		wr->wr_cqe = &ep->marker;
	else
		wr->wr_id = KV_ID_MARKER;
}
