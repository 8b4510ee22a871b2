// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Work queues: doorbells, the parsing of send and receive WQEs, memory-key
 * updates, and the flush of a queue pair in error.
 */
#include "hca.h"

enum {
	CTRL = 16, RADDR = 16, ATOMIC = 16, XRC_SEG = 16, AV_SHORT = 16, AV_EXT = 48, DATA = 16,
	INLINE_SEG = 1U << 31,
	INVALID_LKEY = 0x100,
	ERR_POLL_NS = 1000000,
	TURN = 32, FLUSH_TURN = 64,
};

/* ---- doorbells -------------------------------------------------------------- */

void qp_schedule(struct hca *hca, struct hca_qp *qp)
{
	if (qp->queued)
		return;
	qp->queued = true;
	QTAILQ_INSERT_TAIL(&hca->run, qp, run);
}

static struct hca_qp *qp_rung(struct hca *hca, uint32_t uar, uint32_t qpn)
{
	struct hca_qp *qp = table_get(&hca->qps, qpn);

	/* A doorbell page rings for the queues that were created on it alone. */
	return qp && qp->uar == uar && !qp->no_sq ? qp : NULL;
}

void sq_doorbell(struct hca *hca, uint32_t uar, uint32_t word0, uint32_t word1)
{
	struct hca_qp *qp = qp_rung(hca, uar, word1 >> 8);

	if (word1 >> 8 >= HCA_FIRST_ETHQ)
		ethq_doorbell(hca, uar, word1 >> 8);
	if (!qp || qp->state < QPS_RTS)
		return;
	qp->sq_prod = hca_ldl(hca, qp->dbr + 4);
	qp_schedule(hca, qp);
}

/*
 * A BlueFlame write starts with the doorbell, which was obeyed when it came, so
 * what follows repeats what memory said. All that the copy can add is the
 * completion request, and the driver's test of write combining looks for it.
 */
void sq_blueflame(struct hca *hca, uint32_t uar, const uint8_t *wqe)
{
	struct hca_qp *qp = qp_rung(hca, uar, be32p(wqe + 4) >> 8);
	struct hca_req r = { .opcode = wqe[3], .index = be32p(wqe) >> 8, .nbb = 1 };
	uint8_t ctrl[CTRL];

	if (!qp || qp->state != QPS_RTS || r.opcode != OP_NOP || (wqe[11] & 0xc) != 8)
		return;
	if (!buf_rw(hca, &qp->buf, qp->sq_offset + (r.index & ((1U << qp->log_sq) - 1)) * 64UL,
		    ctrl, CTRL, false))
		return;
	if ((ctrl[11] & 0xc) != 8)
		complete_req(hca, qp, &r, 0, 0);
}

/* ---- send WQEs ------------------------------------------------------------------ */

static bool sq_read(struct hca *hca, struct hca_qp *qp, uint16_t index, uint8_t *p, size_t len)
{
	size_t size = 64UL << qp->log_sq;
	size_t at = (index & ((1U << qp->log_sq) - 1)) * 64UL;
	size_t n = MIN(len, size - at);

	return len <= size && buf_rw(hca, &qp->buf, qp->sq_offset + at, p, n, false) &&
	       (n == len || buf_rw(hca, &qp->buf, qp->sq_offset, p + n, len - n, false));
}

static bool is_ud(const struct hca_qp *qp)
{
	return qp->type == QPT_UD || qp->type == QPT_QP0 || qp->type == QPT_QP1;
}

static void wqe_data(struct hca_wqe *w, size_t at)
{
	size_t end = w->ds * 16UL;

	while (at + 16 <= end) {
		uint32_t count = be32p(w->raw + at);
		struct hca_sge *s = &w->sgl.sge[w->sgl.n];

		if (w->sgl.n == HCA_MAX_SGE)
			goto bad;
		if (count & INLINE_SEG) {
			count &= 0x3ff;
			if (at + 4 + count > end)
				goto bad;
			*s = (struct hca_sge) { .addr = at + 4, .len = count, .inlined = true };
			at += ROUND_UP(4 + count, 16);
		} else {
			*s = (struct hca_sge){.addr = be64p(w->raw + at + 8),
					      .lkey = be32p(w->raw + at + 4),
					      .len = count};
			at += DATA;
		}
		w->sgl.n++;
		w->sgl.len += count;
	}
	return;
bad:
	w->bad = true;
	w->syndrome = SYND_LOCAL_QP_OP;
	w->vendor = 0x68;
}

/* Read and parse the WQE of a request. False: the queue itself cannot be read. */
bool qp_wqe(struct hca *hca, struct hca_qp *qp, uint32_t req)
{
	struct hca_wqe *w = qp->wqe;
	struct hca_req *r = &qp->req[req & ((1U << qp->log_sq) - 1)];
	size_t at = CTRL;

	if (qp->wqe_valid && qp->wqe_of == req)
		return true;
	qp->wqe_valid = false;
	w->sgl.n = 0;
	w->sgl.len = 0;
	w->bad = w->has_av = false;
	w->raddr = w->rkey = w->srqn = 0;
	if (!sq_read(hca, qp, r->index, w->raw, CTRL))
		return false;
	w->index = r->index;
	w->opcode = w->raw[3];
	w->opmod = w->raw[0];
	w->ds = w->raw[7] & 0x3f;
	w->fm_ce_se = w->raw[11];
	w->imm = be32p(w->raw + 12);
	if (!w->ds || !sq_read(hca, qp, r->index, w->raw, w->ds * 16UL))
		return false;
	/* Short WQEs are padded so that fixed segments can be read without a check of each. */
	memset(w->raw + w->ds * 16UL, 0, MIN(128, sizeof(w->raw) - w->ds * 16UL));

	if (is_ud(qp)) {
		bool ext = be32p(w->raw + at + 8) & (1U << 31);

		memset(w->av, 0, sizeof(w->av));
		memcpy(w->av, w->raw + at, ext ? AV_EXT : AV_SHORT);
		w->has_av = true;
		at += ext ? AV_EXT : AV_SHORT;
	} else if (qp->type == QPT_XRC) {
		w->srqn = be32p(w->raw + at) & 0xffffff;
		at += XRC_SEG;
	}

	switch (w->opcode) {
	case OP_WRITE:
	case OP_WRITE_IMM:
	case OP_READ:
		w->raddr = be64p(w->raw + at);
		w->rkey = be32p(w->raw + at + 8);
		at += RADDR;
		break;
	case OP_ATOMIC_CS:
	case OP_ATOMIC_FA:
		w->raddr = be64p(w->raw + at);
		w->rkey = be32p(w->raw + at + 8);
		at += RADDR;
		w->swap_add = be64p(w->raw + at);
		w->compare = be64p(w->raw + at + 8);
		at += ATOMIC;
		break;
	case OP_NOP:
	case OP_UMR:
		at = w->ds * 16UL;
		break;
	}
	if (at > w->ds * 16UL) {
		w->bad = true;
		w->syndrome = SYND_LOCAL_QP_OP;
		w->vendor = 0x68;
	} else {
		wqe_data(w, at);
	}
	qp->wqe_of = req;
	qp->wqe_valid = true;
	return true;
}

static bool opcode_allowed(const struct hca_qp *qp, uint8_t opcode)
{
	switch (opcode) {
	case OP_NOP:
		return true;
	case OP_UMR:
		return qp->type == QPT_RC || qp->type == QPT_UC || qp->type == QPT_XRC ||
		       qp->type == QPT_REG_UMR;
	case OP_SEND:
	case OP_SEND_IMM:
		return qp->type != QPT_REG_UMR && qp->type != QPT_RAW;
	case OP_WRITE:
	case OP_WRITE_IMM:
		return qp->type == QPT_RC || qp->type == QPT_UC || qp->type == QPT_XRC;
	case OP_SEND_INVAL:
	case OP_READ:
	case OP_ATOMIC_CS:
	case OP_ATOMIC_FA:
		return qp->type == QPT_RC || qp->type == QPT_XRC;
	}
	return false;
}

/* Take the next WQE of the send queue as a request. */
bool sq_take(struct hca *hca, struct hca_qp *qp)
{
	uint32_t size = 1U << qp->log_sq;
	uint16_t pending = qp->sq_prod - qp->sq_ci;
	struct hca_req *r = &qp->req[qp->req_tail & (size - 1)];
	struct hca_wqe *w = qp->wqe;

	if (!pending || qp->req_tail - qp->req_head == size)
		return false;
	memset(r, 0, sizeof(*r));
	r->index = qp->sq_ci;
	r->nbb = 1;
	r->psn = qp->psn;
	if (pending > size || !qp_wqe(hca, qp, qp->req_tail)) {
		r->syndrome = SYND_LOCAL_QP_OP;
		r->vendor = 0x68;
		goto taken;
	}
	r->opcode = w->opcode;
	r->nbb = DIV_ROUND_UP(w->ds, 4);
	r->signaled = (w->fm_ce_se & 0xc) >= 8;
	r->solicited = (w->fm_ce_se & 0xc) == 0xc;
	if (w->bad) {
		r->syndrome = w->syndrome;
		r->vendor = w->vendor;
	} else if (!opcode_allowed(qp, w->opcode) || r->nbb > pending) {
		r->syndrome = SYND_LOCAL_QP_OP;
		r->vendor = 0x68;
	} else if (w->sgl.len > 1ULL << HCA_LOG_MAX_MSG || (is_ud(qp) && w->sgl.len > qp->mtu)) {
		r->syndrome = SYND_LOCAL_LENGTH;
		r->vendor = 0x6a;
	}
	r->len = w->sgl.len;
	if (!r->syndrome)
		r->npkt = transport_packets(qp, w->opcode, w->sgl.len);
	qp->psn = psn_add(qp->psn, r->npkt);
taken:
	qp->sq_ci += MIN(r->nbb, pending);
	qp->req_tail++;
	return true;
}

bool gather(struct hca *hca, struct hca_qp *qp, const struct hca_wqe *w, uint64_t off, uint8_t *p,
	    size_t len)
{
	for (unsigned int i = 0; len && i < w->sgl.n; i++) {
		const struct hca_sge *s = &w->sgl.sge[i];
		size_t n;

		if (off >= s->len) {
			off -= s->len;
			continue;
		}
		n = MIN(len, s->len - off);
		if (s->inlined)
			memcpy(p, w->raw + s->addr + off, n);
		else if (!mem_rw(hca, s->lkey, qp->pd, qp->qpn, s->addr + off, p, n, ACC_LOCAL_READ,
				 false))
			return false;
		p += n;
		len -= n;
		off = 0;
	}
	return !len;
}

bool scatter(struct hca *hca, struct hca_qp *qp, uint32_t pd, const struct hca_sgl *sgl,
	     uint64_t off, const uint8_t *p, size_t len)
{
	for (unsigned int i = 0; len && i < sgl->n; i++) {
		const struct hca_sge *s = &sgl->sge[i];
		size_t n;

		if (off >= s->len) {
			off -= s->len;
			continue;
		}
		n = MIN(len, s->len - off);
		if (s->inlined || !mem_rw(hca, s->lkey, pd, qp->qpn, s->addr + off, (void *)p, n,
					  ACC_LOCAL_WRITE, true))
			return false;
		p += n;
		len -= n;
		off = 0;
	}
	return !len;
}

/* ---- memory-key updates by WQE ---------------------------------------------------- */

enum {
	UMR_INLINE = 0x80,
	UMR_FAIL_IF_FREE = 0x40,
	UMR_FAIL_IF_NOT_FREE = 0x20,
	UMR_OFFSET_EN = 0x10,
	UMR_CTRL = 48,
	UMR_MKEY = 64,
};

static const struct { unsigned int bit; size_t off, bits;
} umr_fields[] = {
	{0, IFC_OFF(mkc, len), 64},
	{0, IFC_OFF(mkc, length64), 1},
	{1, IFC_OFF(mkc, log_page_size), 5},
	{6, IFC_OFF(mkc, start_addr), 64},
	{7, IFC_OFF(mkc, pd), 24},
	{8, IFC_OFF(mkc, en_rinval), 1},
	{13, IFC_OFF(mkc, mkey_7_0), 8},
	{14, IFC_OFF(mkc, qpn), 24},
	{17, IFC_OFF(mkc, lr), 1},
	{18, IFC_OFF(mkc, lw), 1},
	{19, IFC_OFF(mkc, rr), 1},
	{20, IFC_OFF(mkc, rw), 1},
	{21, IFC_OFF(mkc, a), 1},
	{29, IFC_OFF(mkc, free), 1},
};

static uint8_t umr_apply(struct hca *hca, struct hca_qp *qp, const struct hca_wqe *w)
{
	const uint8_t *umr = w->raw + CTRL, *seg = umr + UMR_CTRL, *data = seg + UMR_MKEY;
	size_t end = w->ds * 16UL, at = CTRL + UMR_CTRL + UMR_MKEY;
	struct hca_mkey *m = table_get(&hca->mkeys, w->imm >> 8);
	uint8_t ctx[64], flags = umr[0];
	uint32_t count = be16p(umr + 4), offset = 0;
	uint64_t mask = be64p(umr + 8);

	if (end < at)
		return SYND_LOCAL_QP_OP;
	if (!m || !m->umr_en || (qp->type != QPT_REG_UMR && m->pd != qp->pd))
		return SYND_MW_BIND;
	if (((flags & UMR_FAIL_IF_NOT_FREE) && !m->free) || ((flags & UMR_FAIL_IF_FREE) && m->free))
		return SYND_MW_BIND;
	if (!(mask & (1ULL << 13)) && m->key != (w->imm & 0xff))
		return SYND_MW_BIND;
	if (flags & UMR_OFFSET_EN)
		offset = be16p(umr + 6) | be32p(umr + 16) << 16;

	if (count) {
		size_t bytes = count * 16UL;

		if (offset > m->xlt_octowords || count > m->xlt_octowords - offset)
			return SYND_MW_BIND;
		if (flags & UMR_INLINE) {
			/* The list is padded to the block; what exceeds the WQE is not there. */
			memcpy(m->xlt + offset * 16UL, data, MIN(bytes, end - at));
		} else {
			uint32_t have;

			if (end < at + DATA)
				return SYND_LOCAL_QP_OP;
			have = be32p(data);
			if (!mem_rw(hca, be32p(data + 4), qp->pd, qp->qpn, be64p(data + 8),
				    m->xlt + offset * 16UL, MIN(bytes, have), ACC_LOCAL_READ,
				    false))
				return SYND_LOCAL_PROT;
		}
	}
	memcpy(ctx, m->ctx, sizeof(ctx));
	for (size_t i = 0; i < ARRAY_SIZE(umr_fields); i++)
		if (mask & (1ULL << umr_fields[i].bit))
			ifc_set(ctx, umr_fields[i].off, umr_fields[i].bits,
				ifc_get(seg, umr_fields[i].off, umr_fields[i].bits));
	mkey_load(m, ctx);
	return 0;
}

/* Returns the syndrome, 0 for success. */
uint8_t umr_execute(struct hca *hca, struct hca_qp *qp, const struct hca_wqe *w)
{
	uint8_t syndrome = umr_apply(hca, qp, w);

	if (syndrome)
		hca_trace(hca,
			  "QP 0x%x key update of 0x%x refused with 0x%x: flags 0x%x octowords %u "
			  "mask 0x%" PRIx64,
			  qp->qpn, w->imm, syndrome, w->raw[CTRL], be16p(w->raw + CTRL + 4),
			  be64p(w->raw + CTRL + 8));
	return syndrome;
}

/* ---- receive WQEs --------------------------------------------------------------------- */

static void recv_sgl(struct hca_recv *rx, const uint8_t *raw, size_t len, size_t at)
{
	rx->sgl.n = 0;
	rx->sgl.len = 0;
	for (; at + DATA <= len && rx->sgl.n < HCA_MAX_SGE; at += DATA) {
		struct hca_sge *s = &rx->sgl.sge[rx->sgl.n];

		*s = (struct hca_sge) { .addr = be64p(raw + at + 8), .lkey = be32p(raw + at + 4),
					.len = be32p(raw + at) & ~INLINE_SEG };
		if (s->lkey == INVALID_LKEY)
			break;
		rx->sgl.n++;
		rx->sgl.len += s->len;
	}
}

static int srq_take(struct hca *hca, struct hca_qp *qp, struct hca_srq *srq, struct hca_recv *rx)
{
	uint8_t raw[HCA_MAX_RQ_WQE];
	size_t len = MIN(1UL << srq->log_stride, sizeof(raw));
	uint16_t posted = hca_ldl(hca, srq->dbr), size = 1U << srq->log_size, left;

	if (srq->error || posted == srq->taken)
		return -1;
	rx->index = srq->linked ? srq->next : srq->taken;
	if (!buf_rw(hca, &srq->buf, (uint64_t)(rx->index & (size - 1)) << srq->log_stride, raw, len,
		    false)) {
		srq->error = true;
		event_srq(hca, EVENT_SRQ_CATAS, srq->srqn);
		return -1;
	}
	srq->next = be16p(raw + 2) & (size - 1);
	srq->taken++;
	recv_sgl(rx, raw, len, srq->linked ? 16 : 0);
	rx->pd = srq->pd;
	rx->srqn = srq->srqn;
	rx->cqn = srq->is_rmp ? qp->cq_rcv : srq->cqn;
	rx->user_index = srq->is_rmp ? qp->user_index : srq->user_index;
	left = posted - srq->taken;
	if (srq->lwm && left < srq->lwm) {
		srq->lwm = 0;
		event_srq(hca, EVENT_SRQ_LIMIT, srq->srqn);
	}
	return 0;
}

/* Take the next receive WQE: 0, or -1 when there is none. */
int recv_take(struct hca *hca, struct hca_qp *qp, uint32_t srqn, struct hca_recv *rx)
{
	uint8_t raw[HCA_MAX_RQ_WQE];
	uint16_t posted;
	size_t len;

	memset(rx, 0, offsetof(struct hca_recv, sgl));
	rx->filled = 0;
	if (qp->type == QPT_XRC || qp->rq_type == 1) {
		struct hca_srq *srq = table_get(&hca->srqs, qp->type == QPT_XRC ? srqn : qp->srqn);

		if (!srq || srq_take(hca, qp, srq, rx))
			return -1;
	} else {
		if (qp->rq_type)
			return -1;
		posted = hca_ldl(hca, qp->dbr);
		len = MIN(16UL << qp->log_rq_stride, sizeof(raw));
		if (posted == qp->rq_ci || (uint16_t)(posted - qp->rq_ci) > 1U << qp->log_rq)
			return -1;
		if (!buf_rw(hca, &qp->buf,
			    (qp->rq_ci & ((1UL << qp->log_rq) - 1)) << (4 + qp->log_rq_stride), raw,
			    len, false))
			return -1;
		rx->index = qp->rq_ci++;
		rx->pd = qp->pd;
		rx->user_index = qp->user_index;
		rx->cqn = qp->cq_rcv;
		recv_sgl(rx, raw, len, GET(qpc, qp->ctx, wq_signature) ? 16 : 0);
	}
	rx->active = true;
	return 0;
}

/* ---- errors ------------------------------------------------------------------------------ */

static void err_poll(struct hca *hca, void *opaque)
{
	qp_schedule(hca, opaque);
}

/* All that is queued completes as flushed, what is queued later too. */
void qp_flush(struct hca *hca, struct hca_qp *qp)
{
	uint32_t size = 1U << qp->log_sq;
	unsigned int budget = FLUSH_TURN;

	hca_timer_del(hca, &qp->timer);
	for (; qp->req_head != qp->req_tail && budget; qp->req_head++, budget--) {
		struct hca_req *r = &qp->req[qp->req_head & (size - 1)];

		complete_req(hca, qp, r, SYND_FLUSH, 0xf9);
	}
	qp->snd = qp->req_head;
	while (!qp->no_sq && qp->sq_ci != qp->sq_prod && budget) {
		struct hca_req r = { .index = qp->sq_ci, .nbb = 1 };
		uint8_t ctrl[CTRL];

		if ((uint16_t)(qp->sq_prod - qp->sq_ci) > size ||
		    !sq_read(hca, qp, qp->sq_ci, ctrl, CTRL)) {
			qp->sq_ci = qp->sq_prod;
			break;
		}
		r.opcode = ctrl[3];
		r.nbb = MIN(MAX(1, DIV_ROUND_UP(ctrl[7] & 0x3f, 4)),
			    (uint16_t)(qp->sq_prod - qp->sq_ci));
		complete_req(hca, qp, &r, SYND_FLUSH, 0xf9);
		qp->sq_ci += r.nbb;
		budget--;
	}
	if (qp->state == QPS_ERR) {
		struct hca_recv rx;

		if (qp->rx.active) {
			complete_recv_error(hca, qp, &qp->rx, SYND_FLUSH, 0xf9);
			qp->rx.active = false;
		}
		if (qp->rq_type == 0) {
			while (budget && !recv_take(hca, qp, 0, &rx)) {
				complete_recv_error(hca, qp, &rx, SYND_FLUSH, 0xf9);
				budget--;
			}
			/* Nobody rings for a receive: look again, a drain posts after the error. */
			qp->err_poll.fn = err_poll;
			qp->err_poll.opaque = qp;
			hca_timer_set(hca, &qp->err_poll, hca_now(hca) + ERR_POLL_NS);
		} else if (qp->rq_type == 1 && !qp->last_wqe_reported) {
			qp->last_wqe_reported = true;
			event_qp(hca, EVENT_SRQ_LAST, qp->qpn);
		}
	}
	if (!budget)
		qp_schedule(hca, qp);
}

void qp_error(struct hca *hca, struct hca_qp *qp)
{
	if (qp->state == QPS_ERR || qp->state == QPS_RST)
		return;
	hca_trace(hca, "QP 0x%x to error", qp->qpn);
	qp->state = QPS_ERR;
	qp->owed_head = qp->owed_tail;
	qp_schedule(hca, qp);
}

/* A send failed: a reliable queue pair ends, of an unreliable one the send queue alone. */
void qp_fail(struct hca *hca, struct hca_qp *qp)
{
	if ((is_ud(qp) || qp->type == QPT_UC) && qp->state == QPS_RTS) {
		qp->state = QPS_SQER;
		qp_schedule(hca, qp);
	} else {
		qp_error(hca, qp);
	}
}

void qp_run(struct hca *hca, struct hca_qp *qp)
{
	if (qp->state == QPS_ERR) {
		qp_flush(hca, qp);
		return;
	}
	if (qp->state >= QPS_RTR)
		transport_owed(hca, qp);
	if (qp->state == QPS_SQER) {
		qp_flush(hca, qp);
		return;
	}
	if (qp->state != QPS_RTS && qp->state != QPS_SQD)
		return;
	for (int i = 0; i < TURN; i++)
		if (!transport_send(hca, qp))
			return;
	qp_schedule(hca, qp);
}
