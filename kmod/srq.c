// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <linux/jiffies.h>

#include "endpoint.h"
#include "srq.h"
#include "trace.h"

/* software devices (rxe until 6.4) say nothing, and would be waited for in vain */
#define KV_LAST_WQE_MS	100

/* any context: the device took one receive too many */
static void kv_srq_event(struct ib_event *event, void *context)
{
	struct kv_ep *ep = context;

	trace_kverbs_async_event(event->device->name, event->event, 0);
	if (event->event == IB_EVENT_SRQ_LIMIT_REACHED)
		WRITE_ONCE(ep->limit.raised, ep->limit.raised + 1);
	else if (event->event == IB_EVENT_SRQ_ERR)
		WRITE_ONCE(ep->broken, 1);
}

static void kv_srq_qp_event(struct ib_event *event, void *context)
{
	struct kv_ep *ep = context;

	trace_kverbs_async_event(event->device->name, event->event, 0);
	if (event->event == IB_EVENT_QP_LAST_WQE_REACHED)
		atomic_inc(&ep->limit.lasts);
}

int kv_srq_open(struct kv_ep *ep, struct ib_pd *pd, const struct kv_job *job,
		const char **where)
{
	struct ib_srq_init_attr attr = {
		.event_handler = kv_srq_event,
		.srq_context = ep,
		.attr = {
			.max_wr = job->recv_depth,
			.max_sge = job->sges,
		},
		.srq_type = IB_SRQT_BASIC,
	};
	struct ib_srq *srq;

	if (!job->srq)
		return 0;
	*where = "create SRQ";
	srq = ib_create_srq(pd, &attr);
	if (IS_ERR(srq))
		return PTR_ERR(srq);
	ep->srq = srq;
	ep->rq_depth = attr.attr.max_wr;
	ep->limit.limit = job->srq_limit == KV_AUTO ? 0 : job->srq_limit;
	return 0;
}

void kv_srq_join(const struct kv_ep *ep, struct ib_qp_init_attr *attr)
{
	if (!ep->srq)
		return;
	attr->srq = ep->srq;
	attr->event_handler = kv_srq_qp_event;
	attr->qp_context = (void *)ep;
	attr->cap.max_recv_wr = 0;
	attr->cap.max_recv_sge = 0;
}

int kv_srq_look(struct kv_ep *ep, u32 first)
{
	struct ib_srq_attr attr = { .srq_limit = ep->limit.limit };
	u32 raised = READ_ONCE(ep->limit.raised);
	int rc;

	if (!first && raised == ep->limit.seen)
		return 0;
	/* asked for, an event comes once */
	ep->limit.seen = raised;
	rc = ib_modify_srq(ep->srq, &attr, IB_SRQ_LIMIT);
	return rc ? rc : !first;
}

void kv_srq_flush(struct kv_ep *ep)
{
	if (!ep->srq)
		return;
	ep->limit.due = 1 + ep->nspare;
	ep->limit.until = jiffies + msecs_to_jiffies(KV_LAST_WQE_MS);
}

bool kv_srq_waits(const struct kv_ep *ep)
{
	return atomic_read(&ep->limit.lasts) < ep->limit.due &&
	       time_before(jiffies, ep->limit.until);
}

void kv_srq_close(struct kv_ep *ep)
{
	if (ep->srq)
		ib_destroy_srq(ep->srq);
	ep->srq = NULL;
}
