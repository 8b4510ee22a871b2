// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completions and events: CQEs with ownership, overflow, arming and
 * moderation; EQEs and interrupts.
 */
#include "hca.h"

/* ---- event queues ------------------------------------------------------------ */

static void eq_post(struct hca *hca, struct hca_eq *eq, unsigned int type, unsigned int sub,
		    const uint8_t *data)
{
	uint32_t size = 1U << eq->log_size;
	uint64_t at = (uint64_t)(eq->pi & (size - 1)) * 64;
	uint8_t e[64] = { };

	if (((eq->pi - eq->ci) & 0xffffff) >= size) {
		hca_trace(hca, "EQ %u overrun, event type 0x%x lost", eq->eqn, type);
		return;
	}
	e[1] = type;
	e[3] = sub;
	if (data)
		memcpy(e + 32, data, 28);
	e[63] = (eq->pi >> eq->log_size) & 1;
	/* The owner byte goes last: it is what makes the rest valid. */
	buf_rw(hca, &eq->buf, at, e, 63, true);
	smp_wmb();
	buf_rw(hca, &eq->buf, at + 63, e + 63, 1, true);
	eq->pi = (eq->pi + 1) & 0xffffff;
	if (eq->armed) {
		eq->armed = false;
		hca_irq(hca, eq->vector);
	}
}

void eq_doorbell(struct hca *hca, uint32_t uar, uint32_t word, bool arm)
{
	struct hca_eq *eq = table_get(&hca->eqs, word >> 24);

	if (!eq || eq->uar != uar)
		return;
	eq->ci = word & 0xffffff;
	if (!arm)
		return;
	if (eq->pi != eq->ci) {
		eq->armed = false;
		hca_irq(hca, eq->vector);
	} else {
		eq->armed = true;
	}
}

/* An asynchronous event goes to every EQ that subscribed to its type. */
void event_post(struct hca *hca, unsigned int type, unsigned int sub, const uint8_t *data)
{
	for (uint32_t i = 0; i < hca->eqs.max; i++) {
		struct hca_eq *eq = hca->eqs.slot[i];

		/* The bit mask is four 64-bit words, the first holds the low types. */
		if (eq && type < 256 && (eq->mask[type / 64] & (1ULL << (type % 64))))
			eq_post(hca, eq, type, sub, data);
	}
}

void event_qp(struct hca *hca, unsigned int type, uint32_t qpn)
{
	uint8_t d[28] = { };

	stl_be_p(d + 24, qpn);	/* type 0, a QP, in byte 20 */
	event_post(hca, type, 0, d);
}

void event_srq(struct hca *hca, unsigned int type, uint32_t srqn)
{
	uint8_t d[28] = { };

	d[20] = 1;
	stl_be_p(d + 24, srqn);
	event_post(hca, type, 0, d);
}

void event_port(struct hca *hca, unsigned int sub)
{
	uint8_t d[28] = { };

	d[8] = 1 << 4;		/* port 1 */
	event_post(hca, EVENT_PORT_CHANGE, sub, d);
}

/* ---- completion queues --------------------------------------------------------- */

static void cq_fire(struct hca *hca, struct hca_cq *cq)
{
	struct hca_eq *eq = table_get(&hca->eqs, cq->eqn);
	uint8_t d[28] = { };

	hca_timer_del(hca, &cq->moderation);
	cq->armed = CQ_UNARMED;
	cq->unreported = 0;
	if (!eq)
		return;
	stl_be_p(d + 24, cq->cqn);
	eq_post(hca, eq, EVENT_COMP, 0, d);
}

void cq_moderation_fired(struct hca *hca, void *opaque)
{
	struct hca_cq *cq = opaque;

	if (cq->armed && cq->unreported)
		cq_fire(hca, cq);
}

static void cq_notify(struct hca *hca, struct hca_cq *cq, bool solicited)
{
	if (cq->armed == CQ_UNARMED || (cq->armed == CQ_ARMED_SOLICITED && !solicited))
		return;
	if ((cq->max_count <= 1 && !cq->period) || (solicited && cq->scqe_break) ||
	    (cq->max_count && cq->unreported >= cq->max_count)) {
		cq_fire(hca, cq);
	} else if (cq->period && !cq->moderation.when) {
		cq->moderation.fn = cq_moderation_fired;
		cq->moderation.opaque = cq;
		hca_timer_set(hca, &cq->moderation, hca_now(hca) + cq->period * 1000LL);
	}
}

void cq_arm(struct hca *hca, uint32_t uar, uint32_t word, uint32_t cqn)
{
	struct hca_cq *cq = table_get(&hca->cqs, cqn);
	uint32_t ci = word & 0xffffff;
	bool solicited_only = word & (1U << 24);

	/* The command bit: 1 asks for solicited completions alone. */
	if (!cq || cq->uar != uar || cq->error)
		return;
	cq->armed = solicited_only ? CQ_ARMED_SOLICITED : CQ_ARMED_NEXT;
	cq->arm_ci = ci;
	if (solicited_only) {
		if (psn_diff(cq->last_solicited, ci) > 0)
			cq_notify(hca, cq, true);
	} else if (cq->pi != ci) {
		cq->unreported = MAX(cq->unreported, 1);
		cq_notify(hca, cq, psn_diff(cq->last_solicited, ci) > 0);
	}
}

/* A CQ that overran is of no more use, nor are the QPs that complete to it. */
void cq_fail(struct hca *hca, struct hca_cq *cq)
{
	uint8_t d[28] = { };

	if (cq->error)
		return;
	cq->error = true;
	SET(cqc, cq->ctx, status, 0x9);
	hca->cnt.cq_overruns++;
	hca_trace(hca, "CQ 0x%x overrun", cq->cqn);
	stl_be_p(d, cq->cqn);
	d[11] = 1;		/* syndrome: overrun */
	event_post(hca, EVENT_CQ_ERROR, 0, d);
	for (uint32_t i = 0; i < hca->qps.max; i++) {
		struct hca_qp *qp = hca->qps.slot[i];

		if (qp && qp->state != QPS_RST && qp->state != QPS_ERR &&
		    (qp->cq_snd == cq->cqn || qp->cq_rcv == cq->cqn)) {
			qp_error(hca, qp);
			event_qp(hca, EVENT_WQ_CATAS, qp->qpn);
		}
	}
}

enum { CQE_INLINE_32 = 0x4, CQE_INLINE_64 = 0x8 };

/* Small data in the CQE itself, after all else of it is set. */
unsigned int cq_inline(struct hca_cq *cq, uint8_t *cqe, const uint8_t *p, unsigned int len)
{
	if (len <= 32) {
		memcpy(cqe, p, len);
		cqe[63] |= CQE_INLINE_32;
	} else {
		memcpy(cq->head, p, MIN(len, 64));
		cqe[63] |= CQE_INLINE_64;
	}
	return len;
}

static void cq_write(struct hca *hca, struct hca_cq *cq, uint8_t *cqe, uint8_t opcode)
{
	uint32_t size = 1U << cq->log_size;
	uint64_t at = (uint64_t)(cq->pi & (size - 1)) * cq->stride + cq->stride - 64;

	if ((cqe[63] & 0xc) == CQE_INLINE_64)
		buf_rw(hca, &cq->buf, at - 64, cq->head, 64, true);
	cqe[63] = opcode << 4 | (cqe[63] & 0xc) | ((cq->pi >> cq->log_size) & 1);
	buf_rw(hca, &cq->buf, at, cqe, 63, true);
	smp_wmb();
	buf_rw(hca, &cq->buf, at + 63, cqe + 63, 1, true);
	cq->pi = (cq->pi + 1) & 0xffffff;
	hca->stamp_cqe = hca_now(hca);
}

void cq_post(struct hca *hca, struct hca_cq *cq, uint8_t *cqe, uint8_t opcode, bool solicited)
{
	if (cq->error)
		return;
	if (!cq->oi &&
	    ((cq->pi - (hca_ldl(hca, cq->dbr) & 0xffffff)) & 0xffffff) >= 1U << cq->log_size) {
		cq_fail(hca, cq);
		return;
	}
	if (opcode != CQE_REQ_ERR && opcode != CQE_RESP_ERR)
		stq_be_p(cqe + 48, hca_now(hca));
	cq_write(hca, cq, cqe, opcode);
	cq->unreported++;
	if (solicited)
		cq->last_solicited = cq->pi;
	cq_notify(hca, cq, solicited);
}

/* The last entry of the old buffer says that the next is in the new one. */
bool cq_resize(struct hca *hca, struct hca_cq *cq, struct hca_buf *buf, unsigned int log_size)
{
	uint8_t cqe[64] = { };
	uint32_t used = (cq->pi - (hca_ldl(hca, cq->dbr) & 0xffffff)) & 0xffffff;

	if (cq->error || used + 1 > 1U << log_size || used + 1 > 1U << cq->log_size)
		return false;
	cq_write(hca, cq, cqe, CQE_RESIZE);
	buf_free(&cq->buf);
	cq->buf = *buf;
	cq->log_size = log_size;
	return true;
}

/* ---- what a CQE says -------------------------------------------------------------- */

void complete_req(struct hca *hca, struct hca_qp *qp, const struct hca_req *r, uint8_t syndrome,
		  uint8_t vendor)
{
	struct hca_cq *cq = table_get(&hca->cqs, qp->cq_snd);
	uint8_t cqe[64] = { };

	if (!cq)
		return;
	stl_be_p(cqe + 32, qp->user_index);
	stl_be_p(cqe + 56, (uint32_t)r->opcode << 24 | qp->qpn);
	stw_be_p(cqe + 60, r->index);
	if (syndrome) {
		cqe[54] = vendor;
		cqe[55] = syndrome;
		cq_post(hca, cq, cqe, CQE_REQ_ERR, true);
	} else {
		stl_be_p(cqe + 44, r->len);
		if (r->inlined)
			cq_inline(cq, cqe, r->data, r->inlined);
		cq_post(hca, cq, cqe, CQE_REQ, r->solicited);
	}
}

void complete_recv_error(struct hca *hca, struct hca_qp *qp, struct hca_recv *rx, uint8_t syndrome,
			 uint8_t vendor)
{
	struct hca_cq *cq = table_get(&hca->cqs, qp->cq_rcv);
	uint8_t cqe[64] = { };

	if (!cq)
		return;
	stl_be_p(cqe + 32, rx->user_index);
	cqe[54] = vendor;
	cqe[55] = syndrome;
	stl_be_p(cqe + 56, qp->qpn);
	stw_be_p(cqe + 60, rx->index);
	cq_post(hca, cq, cqe, CQE_RESP_ERR, true);
}
