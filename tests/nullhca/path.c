// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The data path: as it is, and as a script wants it. */
#include <linux/jiffies.h>
#include <linux/kprobes.h>

#include "nullhca.h"

static int null_post_send(struct ib_qp *ib, const struct ib_send_wr *wr,
			  const struct ib_send_wr **bad)
{
	struct null_qp *qp = container_of(ib, struct null_qp, ib);

	wr = kv_null_post(&qp->qp, wr);
	if (likely(!wr))
		return 0;
	*bad = wr;
	return -ENOMEM;
}

/* so that there is a device that cannot be recorded */
NOKPROBE_SYMBOL(null_post_send);

static int null_post_recv(struct ib_qp *ib, const struct ib_recv_wr *wr,
			  const struct ib_recv_wr **bad)
{
	struct null_qp *qp = container_of(ib, struct null_qp, ib);

	wr = kv_null_post_recv(&qp->qp, wr);
	if (likely(!wr))
		return 0;
	*bad = wr;
	return -ENOMEM;
}

static int null_poll_cq(struct ib_cq *ib, int max, struct ib_wc *wc)
{
	struct null_cq *cq = container_of(ib, struct null_cq, ib);

	return kv_null_poll(&cq->cq, max, wc);
}

/* unknown to ftrace, so that a tracer has to do without */
static notrace int null_scripted_post_send(struct ib_qp *ib, const struct ib_send_wr *wr,
					   const struct ib_send_wr **bad)
{
	struct null_qp *qp = container_of(ib, struct null_qp, ib);
	int rc;

	for (; wr; wr = wr->next) {
		rc = null_fails(NULL_POST_SEND, ib->device);
		if (!rc && kv_null_post_one(&qp->qp, wr))
			rc = -ENOMEM;
		if (rc) {
			*bad = wr;
			return rc;
		}
	}
	return 0;
}

static int null_scripted_post_recv(struct ib_qp *ib, const struct ib_recv_wr *wr,
				   const struct ib_recv_wr **bad)
{
	struct null_qp *qp = container_of(ib, struct null_qp, ib);
	struct ib_recv_wr one;
	int rc;

	for (; wr; wr = wr->next) {
		one = *wr;
		one.next = NULL;
		rc = null_fails(NULL_POST_RECV, ib->device);
		if (!rc && kv_null_post_recv(&qp->qp, &one))
			rc = -ENOMEM;
		if (rc) {
			*bad = wr;
			return rc;
		}
	}
	return 0;
}

static void null_hold(struct null_cq *cq, const struct ib_wc *wc)
{
	if (cq->script.nheld < ARRAY_SIZE(cq->script.held))
		cq->script.held[cq->script.nheld++] = *wc;
}

/* the first WC that is on its way; false: none */
static bool null_release(struct null_cq *cq, struct ib_wc *wc)
{
	u32 i;

	if (!cq->script.nheld)
		return false;
	*wc = cq->script.held[0];
	cq->script.nheld--;
	for (i = 0; i < cq->script.nheld; i++)
		cq->script.held[i] = cq->script.held[i + 1];
	return true;
}

/* the device's next WC of a CQ, through the script: is there one to give out? */
static bool null_next_wc(struct null_cq *cq, struct ib_wc *wc)
{
	struct null_verdict verdict;
	struct ib_wc next;

	while (kv_null_poll(&cq->cq, 1, wc)) {
		null_script(NULL_WC, &verdict);
		if (verdict.event)
			null_raise(cq->ib.device, wc->qp, &cq->ib, verdict.event - 1);
		switch (verdict.wc) {
		case NULL_WC_STATUS:
			wc->status = verdict.status;
			wc->vendor_err = 0x5c;
			return true;
		case NULL_WC_DROP:
			continue;
		case NULL_WC_DUP:
			null_hold(cq, wc);
			return true;
		case NULL_WC_SWAP:
			/* behind the next one, when there is one */
			if (!kv_null_poll(&cq->cq, 1, &next))
				return true;
			null_hold(cq, wc);
			*wc = next;
			return true;
		case NULL_WC_DELAY:
			null_hold(cq, wc);
			cq->script.until = (jiffies + msecs_to_jiffies(verdict.delay_ms)) | 1;
			return false;
		case NULL_WC_OVERFLOW:
			cq->script.dead = true;
			null_raise(cq->ib.device, NULL, &cq->ib, IB_EVENT_CQ_ERR);
			return false;
		default:
			return true;
		}
	}
	return false;
}

static int null_scripted_poll_cq(struct ib_cq *ib, int max, struct ib_wc *wc)
{
	struct null_cq *cq = container_of(ib, struct null_cq, ib);
	int rc = null_fails(NULL_POLL_CQ, ib->device), n = 0;

	if (rc)
		return rc;
	if (cq->script.dead)
		return 0;
	if (cq->script.until && time_before(jiffies, cq->script.until))
		return 0;
	cq->script.until = 0;
	while (n < max && (null_release(cq, &wc[n]) || null_next_wc(cq, &wc[n])))
		n++;
	return n;
}

/**
 * null_path_ops - set the data path of a device
 * @ib: device, nothing of which is in use by who posts or polls
 * @scripted: through the script
 */
void null_path_ops(struct ib_device *ib, bool scripted)
{
	ib->ops.post_send = scripted ? null_scripted_post_send : null_post_send;
	ib->ops.post_recv = scripted ? null_scripted_post_recv : null_post_recv;
	ib->ops.poll_cq = scripted ? null_scripted_poll_cq : null_poll_cq;
}
