/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Turns: several QPs for one lane that chains are posted to in turn, on one CQ or on a CQ each. */
#ifndef KV_TURN_H
#define KV_TURN_H

#include "endpoint.h"

/**
 * kv_turn_connect - make and connect the QPs of two endpoints beside their first
 * @a: endpoint, its own QP connected
 * @b: its peer, likewise
 * @path: the way between them
 * @job: checked job
 * @where: names the step that failed
 * Return: 0 or -errno; on failure kv_turn_destroy() is still to be called
 */
int kv_turn_connect(struct kv_ep *a, struct kv_ep *b, const struct kv_path *path,
		    const struct kv_job *job, const char **where);

/* the next of their CQs, where each has its own: a call polls one */
static inline struct ib_cq *kv_turn_cq(struct kv_ep *ep)
{
	u32 i = ep->cq_at;

	ep->cq_at = i == ep->nspare ? 0 : i + 1;
	ep->cq = ep->cqs[i];
	return ep->cq;
}

/* take them to ERR: what was posted to them is flushed */
void kv_turn_flush(struct kv_ep *ep);

void kv_turn_destroy(struct kv_ep *ep);

#endif /* KV_TURN_H */
