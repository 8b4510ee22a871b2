// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The control path as something that is measured: its calls, by libibverbs. */
#include <errno.h>
#include <stdlib.h>
#include "ep.h"
#include "verbs.h"
#include "kverbs.h"

struct kv_control {
	struct kv_control_plan plan;
};

/**
 * kv_control_open - make what the calls of a lane will need
 * @plan: what they are made on, copied; what it names outlives it
 * Return: owned by the caller, or NULL without memory
 */
struct kv_control *kv_control_open(const struct kv_control_plan *plan)
{
	struct kv_control *control = calloc(1, sizeof(*control));

	if (control)
		control->plan = *plan;
	return control;
}

/* before the QPs of the run are destroyed; NULL allowed */
void kv_control_close(struct kv_control *control)
{
	free(control);
}

static int move(const struct kv_control_plan *plan, u32 i, u32 state)
{
	return -kv_qp_to(plan->end[i], plan->end[!i], plan->port, plan->job, state);
}

static int make_qp(const struct kv_control_plan *plan, u32 i)
{
	struct kv_error error;

	kv_qp_number(plan->end[i]);
	errno = 0;
	if (kv_qp_create(plan->end[i], plan->port, plan->job, &error))
		return errno ? -errno : -EINVAL;
	if (!i)
		plan->ep->qp = plan->end[i]->qp;
	return 0;
}

static int destroy_qp(struct kv_end *end)
{
	int rc = ibv_destroy_qp(end->qp);

	if (!rc)
		end->qp = NULL;
	return -rc;
}

/**
 * kv_control_call - one call of the control path
 * @control: of the lane that calls
 * @what: enum kverbs_metric that it is timed as
 * @i: object that it is of
 * Return: 0 or -errno
 */
int kv_control_call(struct kv_control *control, u32 what, u32 i)
{
	const struct kv_control_plan *plan = &control->plan;

	switch (what) {
	case KVERBS_METRIC_TO_ERR:
		return move(plan, i, IBV_QPS_ERR);
	case KVERBS_METRIC_TO_RESET:
		/* what may still be under way is not taken for the next life's */
		kv_qp_number(plan->end[i]);
		return move(plan, i, IBV_QPS_RESET);
	case KVERBS_METRIC_TO_INIT:
		return move(plan, i, IBV_QPS_INIT);
	case KVERBS_METRIC_TO_RTR:
		return move(plan, i, IBV_QPS_RTR);
	case KVERBS_METRIC_TO_RTS:
		return move(plan, i, IBV_QPS_RTS);
	case KVERBS_METRIC_CREATE_QP:
		return make_qp(plan, i);
	case KVERBS_METRIC_DESTROY_QP:
		return destroy_qp(plan->end[i]);
	default:
		return -EINVAL;
	}
}
