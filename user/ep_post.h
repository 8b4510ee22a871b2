/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Posting and polling by ibv_post_send and ibv_poll_cq. Included by ep.h alone. */
#ifndef KV_EP_POST_H
#define KV_EP_POST_H

kv_inline int kv_post_from(struct kv_ep *ep, struct ibv_qp *qp, struct ibv_send_wr *wr)
{
	int rc = ibv_post_send(qp, wr, &ep->bad);

	/* errno by the manual; some providers have returned it negative, or -1 */
	return rc > 0 ? -rc : rc;
}

kv_inline u32 kv_post_bad(struct kv_ep *ep, u32 slot)
{
	struct ibv_send_wr *wr;
	u32 n = 0;

	for (wr = kv_wr_at(ep, ep->wr, slot); wr && wr != ep->bad; wr = wr->next)
		n++;
	return wr ? n / ep->wrs : 0;
}

kv_inline int kv_poll(struct kv_ep *ep, u32 max)
{
	int got;

	/* a call polls one of several CQs: empty ones are counted as what they are */
	if (__builtin_expect(!!ep->cqs, 0)) {
		ep->cq = ep->cqs[ep->cq_at];
		ep->cq_at = ep->cq_at + 1 == ep->ncqs ? 0 : ep->cq_at + 1;
	}
	got = ibv_poll_cq(ep->cq, (int)max, ep->wc);
	/* the manual gives a failure no errno */
	return got < 0 ? -EIO : got;
}

#endif /* KV_EP_POST_H */
