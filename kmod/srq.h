/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* One SRQ for the receives of all QPs of an endpoint: its limit, its end. */
#ifndef KV_SRQ_H
#define KV_SRQ_H

#include <rdma/ib_verbs.h>

#include "side.h"

struct kv_ep;

/**
 * struct kv_limit - events of an SRQ and of the QPs on it
 * @limit: receives below which an event is to come, 0: none is
 * @raised: events that came
 * @seen: of those, how many the lane has counted
 * @lasts: QPs in the error state that said that they take no more receives
 * @due: QPs that are to say so
 * @until: jiffies until which they are waited for
 */
struct kv_limit {
	u32 limit;
	u32 raised;
	u32 seen;
	atomic_t lasts;
	int due;
	unsigned long until;
};

/**
 * kv_srq_open - make the SRQ of an endpoint, if the job says so
 * @ep: endpoint, without QPs yet
 * @pd: protection domain
 * @job: checked job
 * @where: names the step that failed
 * Return: 0 or -errno
 */
int kv_srq_open(struct kv_ep *ep, struct ib_pd *pd, const struct kv_job *job,
		const char **where);

/* what a QP on it is made with, in place of a receive queue of its own */
void kv_srq_join(const struct kv_ep *ep, struct ib_qp_init_attr *attr);

/**
 * kv_srq_look - count the event of a limit that was reached, ask for the next one
 * @ep: endpoint with an SRQ that has a limit; may sleep
 * @first: ask in any case
 * Return: 1 if it was reached, 0 if not, or -errno
 */
int kv_srq_look(struct kv_ep *ep, u32 first);

/* all QPs on it are in the error state, or about to be destroyed */
void kv_srq_flush(struct kv_ep *ep);

/* may some of them still take receives? No longer than it takes a device to say so */
bool kv_srq_waits(const struct kv_ep *ep);

/* its QPs are gone */
void kv_srq_close(struct kv_ep *ep);

#endif /* KV_SRQ_H */
