// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The control path as something that is measured: its calls. */
#include <linux/slab.h>

#include "control.h"

/**
 * struct kv_control - what the calls of a lane need
 * @end: both ends; the first is the lane's own
 * @path: the way between them
 * @job: checked job
 * @pd: protection domain of QPs that are made anew
 */
struct kv_control {
	struct kv_ep *end[2];
	const struct kv_path *path;
	const struct kv_job *job;
	struct ib_pd *pd;
};

int kv_control_open(struct kv_ep *ep, struct kv_ep *peer,
		    const struct kv_path *path, const struct kv_job *job,
		    const char **where)
{
	struct kv_control *control;

	*where = "allocate what calls of the control path need";
	control = kzalloc(sizeof(*control), GFP_KERNEL);
	if (!control)
		return -ENOMEM;
	ep->control = control;
	control->end[0] = ep;
	control->end[1] = peer;
	control->path = path;
	control->job = job;
	control->pd = ep->qp->pd;
	return 0;
}

void kv_control_close(struct kv_ep *ep)
{
	kfree(ep->control);
	ep->control = NULL;
}

/* a QP that has nothing outstanding, or has it flushed by this */
static int kv_control_destroy_qp(struct kv_ep *ep)
{
	int rc = ib_destroy_qp(ep->qp);

	if (rc)
		return rc;
	ep->qp = NULL;
	ep->connected = false;
	return 0;
}

static int kv_control_to(struct kv_control *control, u32 i, enum ib_qp_state state)
{
	struct kv_wire wire;

	kv_ep_wire(control->end[i], control->end[!i], &wire);
	return kv_ep_to(control->end[i], state, &wire, control->path,
			control->job);
}

int kv_control_call(struct kv_ep *ep, u32 what, u32 i)
{
	struct kv_control *control = ep->control;
	struct kv_refusal no;
	const char *where;
	int rc;

	ep = control->end[i];
	switch (what) {
	case KVERBS_METRIC_TO_ERR:
		return kv_control_to(control, i, IB_QPS_ERR);
	case KVERBS_METRIC_TO_RESET:
		/* what may still be under way is not taken for the next life's */
		kv_ep_number(ep);
		return kv_control_to(control, i, IB_QPS_RESET);
	case KVERBS_METRIC_TO_INIT:
		return kv_control_to(control, i, IB_QPS_INIT);
	case KVERBS_METRIC_TO_RTR:
		return kv_control_to(control, i, IB_QPS_RTR);
	case KVERBS_METRIC_TO_RTS:
		rc = kv_control_to(control, i, IB_QPS_RTS);
		ep->connected = !rc;
		return rc;
	case KVERBS_METRIC_CREATE_QP:
		kv_ep_number(ep);
		return kv_ep_make_qp(ep, control->pd, control->job, &no, &where);
	case KVERBS_METRIC_DESTROY_QP:
		return kv_control_destroy_qp(ep);
	}
	return -EINVAL;
}

void kv_control_key(struct kv_ep *ep, u32 slot)
{
	ep->wr[slot * ep->wrs].rdma.rkey ^= KV_PROVOKE_KEY;
}
