// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <linux/mm.h>
#include <linux/slab.h>

#include "cm.h"
#include "turn.h"

/* a CQ for the next QP, which may fail to be made: it is found behind those of the others */
static int kv_turn_own_cq(struct kv_ep *ep, const struct kv_job *job,
			  struct ib_qp_init_attr *attr)
{
	struct ib_cq *cq;

	cq = kv_context_another(ep, job);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	ep->cqs[ep->nspare + 1] = cq;
	attr->send_cq = cq;
	attr->recv_cq = cq;
	return 0;
}

/* QPs that are there, the first included, are those of @turn as far as it goes */
static int kv_turn_create(struct kv_ep *ep, const struct kv_job *job,
			  const char **where)
{
	struct ib_qp_init_attr attr;
	struct ib_qp *qp;
	u32 slot;
	int rc;

	*where = "allocate the turns of QPs";
	ep->spare = kvcalloc(job->lane_qps, sizeof(*ep->spare), GFP_KERNEL);
	ep->turn = kvcalloc(ep->depth, sizeof(*ep->turn), GFP_KERNEL);
	if (!ep->spare || !ep->turn)
		return -ENOMEM;
	if (job->cq == KVERBS_CQ_QP) {
		/* one more: see kv_turn_own_cq() */
		ep->cqs = kvcalloc(job->lane_qps + 1, sizeof(*ep->cqs),
				   GFP_KERNEL);
		if (!ep->cqs)
			return -ENOMEM;
		ep->cqs[0] = ep->cq;
	}
	*where = "create a QP of several for a lane";
	while (ep->nspare + 1 < job->lane_qps) {
		if (READ_ONCE(*ep->stop))
			return -EINTR;
		kv_ep_qp_attr(ep, job, &attr);
		rc = ep->cqs ? kv_turn_own_cq(ep, job, &attr) : 0;
		if (rc)
			return rc;
		qp = ib_create_qp(ep->qp->pd, &attr);
		if (IS_ERR(qp))
			return PTR_ERR(qp);
		ep->spare[ep->nspare++] = qp;
	}
	for (slot = 0; slot < ep->depth; slot++) {
		u32 i = kv_job_turn(job, slot);

		ep->turn[slot] = i ? ep->spare[i - 1] : ep->qp;
	}
	return 0;
}

static int kv_turn_join(struct kv_ep *ep, const struct kv_ep *peer,
			const struct kv_path *path, const struct kv_job *job,
			const char **where)
{
	struct kv_wire wire;
	u32 i;
	int rc;

	kv_ep_wire(ep, peer, &wire);
	for (i = 0; i < ep->nspare; i++) {
		if (READ_ONCE(*ep->stop))
			return -EINTR;
		wire.dest_qpn = peer->spare[i]->qp_num;
		rc = kv_ep_qp_to_rts(ep, ep->spare[i], &wire, path, job, where);
		if (rc)
			return rc;
	}
	return 0;
}

int kv_turn_connect(struct kv_ep *a, struct kv_ep *b, const struct kv_path *path,
		    const struct kv_job *job, const char **where)
{
	u32 i;
	int rc;

	if (job->lane_qps == 1)
		return 0;
	rc = kv_turn_create(a, job, where);
	if (rc)
		return rc;
	rc = kv_turn_create(b, job, where);
	if (rc)
		return rc;
	for (i = 0; path->cm && i < a->nspare && !rc; i++)
		rc = kv_cm_connect(a, a->spare[i], b, b->spare[i], path, job,
				   where);
	if (path->cm)
		return rc;
	rc = kv_turn_join(a, b, path, job, where);
	return rc ? rc : kv_turn_join(b, a, path, job, where);
}

void kv_turn_flush(struct kv_ep *ep)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };
	u32 i;

	for (i = 0; i < ep->nspare; i++)
		kv_ep_modify(ep, ep->spare[i], &attr, IB_QP_STATE);
	/* markers are of the first QP */
	if (ep->cqs)
		ep->cq = ep->cqs[0];
}

void kv_turn_destroy(struct kv_ep *ep)
{
	if (ep->cqs) {
		ep->cq = ep->cqs[0];
		if (ep->cqs[ep->nspare + 1])
			ib_destroy_cq(ep->cqs[ep->nspare + 1]);
	}
	while (ep->nspare) {
		ib_destroy_qp(ep->spare[--ep->nspare]);
		if (ep->cqs)
			ib_destroy_cq(ep->cqs[ep->nspare + 1]);
	}
	kvfree(ep->cqs);
	ep->cqs = NULL;
	kvfree(ep->spare);
	kvfree(ep->turn);
	ep->spare = NULL;
	ep->turn = NULL;
}
