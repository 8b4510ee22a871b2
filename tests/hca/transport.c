// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The transports. Requester: requests become packets, answers retire them,
 * silence repeats them. Responder: packets become memory accesses, receives
 * and answers, each checked as the specification demands.
 */
#include "hca.h"

enum {
	WINDOW = 128,			/* packets of one QP on the wire */
	ACK_EVERY = 32,			/* ask for an acknowledgement at least this often */
	OWED_TURN = 32,
	TIMEOUT_FLOOR_NS = 4000000,	/* a loaded host is no lost packet */
	GRH_LEN = 40,
	QP1_QKEY = 0x80010000U,

	RX_IDLE = 0, RX_SEND, RX_WRITE,

	VENDOR_RESP_ACCESS = 0x88, VENDOR_REQ = 0x68, VENDOR_RETRY = 0x81, VENDOR_RNR = 0x87,
};

/* min_rnr_timer to nanoseconds, from the specification's table */
static const uint32_t rnr_us[32] = {
	655360, 10,    20,    30,    40,    60,	    80,	    120,    160,    240,    320,
	480,	640,   960,   1280,  1920,  2560,   3840,   5120,   7680,   10240,  15360,
	20480,	30720, 40960, 61440, 81920, 122880, 163840, 245760, 327680, 491520,
};

static bool is_ud(uint8_t type)
{
	return type == QPT_UD || type == QPT_QP0 || type == QPT_QP1;
}

static bool is_reliable(uint8_t type)
{
	return type == QPT_RC || type == QPT_XRC;
}

static bool is_read_or_atomic(uint8_t opcode)
{
	return opcode == OP_READ || opcode == OP_ATOMIC_CS || opcode == OP_ATOMIC_FA;
}

static struct hca_req *req_at(struct hca_qp *qp, uint32_t i)
{
	return &qp->req[i & ((1U << qp->log_sq) - 1)];
}

/* How many PSNs a request takes. */
uint32_t transport_packets(const struct hca_qp *qp, uint8_t opcode, uint64_t len)
{
	switch (opcode) {
	case OP_NOP:
	case OP_UMR:
		return 0;
	case OP_ATOMIC_CS:
	case OP_ATOMIC_FA:
		return 1;
	}
	return MAX(1, DIV_ROUND_UP(len, qp->mtu));
}

void transport_reset(struct hca *hca, struct hca_qp *qp)
{
	hca_timer_del(hca, &qp->timer);
	hca_timer_del(hca, &qp->err_poll);
	qp->rq_ci = qp->sq_ci = qp->sq_prod = 0;
	qp->req_head = qp->req_tail = qp->snd = qp->snd_pkt = 0;
	qp->psn = qp->una = qp->epsn = qp->msn = qp->rd_out = 0;
	qp->owed_head = qp->owed_tail = 0;
	qp->rx.active = false;
	qp->rx_state = RX_IDLE;
	qp->nak_sent = qp->rnr_wait = qp->wqe_valid = qp->comm_est = false;
	qp->sqd_reported = qp->last_wqe_reported = false;
	memset(qp->atomics, 0, sizeof(qp->atomics));
}

/* ---- requester ---------------------------------------------------------------- */

static void timer_arm(struct hca *hca, struct hca_qp *qp)
{
	int64_t ns;

	if (!qp->ack_timeout) {
		hca_timer_del(hca, &qp->timer);
		return;
	}
	ns = 4096LL << MIN(qp->ack_timeout, 31);
	qp->timer.fn = transport_timeout;
	qp->timer.opaque = qp;
	hca_timer_set(hca, &qp->timer, hca_now(hca) + MAX(ns, TIMEOUT_FLOOR_NS));
}

/* Send again from a PSN on. */
static void rewind_to(struct hca_qp *qp, uint32_t psn)
{
	uint32_t i;

	for (i = qp->req_head; i != qp->snd; i++) {
		struct hca_req *r = req_at(qp, i);

		if (r->done || !r->npkt)
			continue;
		if (psn_diff(psn, psn_add(r->psn, r->npkt - 1)) <= 0)
			break;
	}
	if (i == qp->snd && !qp->snd_pkt)
		return;
	qp->snd = i;
	qp->snd_pkt = 0;
	if (i != qp->req_tail) {
		struct hca_req *r = req_at(qp, i);

		if (psn_diff(psn, r->psn) > 0)
			qp->snd_pkt = psn_diff(psn, r->psn);
		if (r->opcode == OP_READ)
			qp->snd_pkt = r->got;
		r->sent = false;
	}
	qp->rd_out = 0;
	for (uint32_t j = qp->req_head; j != i; j++)
		if (is_read_or_atomic(req_at(qp, j)->opcode) && !req_at(qp, j)->done)
			qp->rd_out++;
	for (uint32_t j = i; j != qp->req_tail; j++)
		if (!req_at(qp, j)->syndrome && req_at(qp, j)->npkt)
			req_at(qp, j)->sent = false;
}

void transport_retire(struct hca *hca, struct hca_qp *qp)
{
	while (qp->req_head != qp->req_tail) {
		struct hca_req *r = req_at(qp, qp->req_head);

		if (r->syndrome) {
			complete_req(hca, qp, r, r->syndrome, r->vendor);
			if (qp->snd == qp->req_head) {
				qp->snd++;
				qp->snd_pkt = 0;
			}
			qp->req_head++;
			qp_fail(hca, qp);
			return;
		}
		if (!r->done || qp->req_head == qp->snd)
			return;
		if (r->signaled)
			complete_req(hca, qp, r, 0, 0);
		qp->req_head++;
	}
	hca_timer_del(hca, &qp->timer);
	qp->retries = qp->retry_cnt;
}

/* The oldest request fails. */
static void fail_head(struct hca *hca, struct hca_qp *qp, uint8_t syndrome, uint8_t vendor)
{
	while (qp->req_head != qp->req_tail && req_at(qp, qp->req_head)->done &&
	       qp->req_head != qp->snd)
		transport_retire(hca, qp);
	if (qp->req_head == qp->req_tail || qp->state != QPS_RTS)
		return;
	req_at(qp, qp->req_head)->syndrome = syndrome;
	req_at(qp, qp->req_head)->vendor = vendor;
	transport_retire(hca, qp);
}

void transport_timeout(struct hca *hca, void *opaque)
{
	struct hca_qp *qp = opaque;

	if (qp->state != QPS_RTS && qp->state != QPS_SQD)
		return;
	if (qp->rnr_wait) {
		qp->rnr_wait = false;
		qp_schedule(hca, qp);
		return;
	}
	if (qp->req_head == qp->req_tail)
		return;
	hca->cnt.timeouts++;
	hca_trace(hca, "QP 0x%x timeout at psn 0x%x, %u retries left", qp->qpn, qp->una,
		  qp->retries);
	if (!qp->retries) {
		hca->cnt.retry_exceeded++;
		fail_head(hca, qp, SYND_RETRY_EXC, VENDOR_RETRY);
		return;
	}
	qp->retries--;
	rewind_to(qp, qp->una);
	timer_arm(hca, qp);
	qp_schedule(hca, qp);
}

static struct hca_pkt *packet(struct hca_qp *qp, size_t payload)
{
	struct hca_pkt *p = g_malloc(sizeof(*p) + payload);

	memset(p, 0, sizeof(*p));
	p->len = payload;
	p->type = is_ud(qp->type) ? QPT_UD : qp->type;
	p->sqpn = qp->qpn;
	p->dqpn = qp->remote_qpn;
	return p;
}

/* RoCE always has a global header: there the bit that asks for one is reserved. */
static void route_by_av(struct hca *hca, struct hca_qp *qp, const struct hca_wqe *w, struct hca_pkt *p)
{
	const uint8_t *av = w->av;
	uint32_t gid_fl = be32p(av + 28);

	p->qkey = be32p(av);
	if (p->qkey & 0x80000000U)
		p->qkey = qp->type == QPT_QP1 ? QP1_QKEY : qp->qkey;
	p->dqpn = be32p(av + 8) & 0xffffff;
	p->sl = av[12] & 0xf;
	p->dlid = be16p(av + 14);
	if (hca->roce || (gid_fl & (1U << 30))) {
		p->flags |= PKT_F_GRH;
		memcpy(p->dgid, av + 32, 16);
		p->roce = (gid_fl >> 20) & 0xff;	/* for now the index of the source GID */
		p->tclass = av[26];
		p->hop_limit = av[27];
	}
	memcpy(p->dmac, av + 20, 6);
}

static void route_by_qp(struct hca *hca, struct hca_qp *qp, struct hca_pkt *p)
{
	p->sl = qp->sl;
	p->dlid = qp->dlid;
	memcpy(p->dmac, qp->dmac, 6);
	if (hca->roce || qp->grh) {
		p->flags |= PKT_F_GRH;
		memcpy(p->dgid, qp->dgid, 16);
		p->roce = qp->sgid_index;
		p->tclass = qp->tclass;
		p->hop_limit = qp->hop_limit;
	}
}

static uint8_t data_op(uint8_t opcode, bool first, bool last)
{
	switch (opcode) {
	case OP_WRITE:
	case OP_WRITE_IMM:
		if (!last)
			return first ? PKT_WRITE_FIRST : PKT_WRITE_MIDDLE;
		if (opcode == OP_WRITE_IMM)
			return first ? PKT_WRITE_ONLY_IMM : PKT_WRITE_LAST_IMM;
		return first ? PKT_WRITE_ONLY : PKT_WRITE_LAST;
	}
	if (!last)
		return first ? PKT_SEND_FIRST : PKT_SEND_MIDDLE;
	if (opcode == OP_SEND_IMM)
		return first ? PKT_SEND_ONLY_IMM : PKT_SEND_LAST_IMM;
	if (opcode == OP_SEND_INVAL)
		return first ? PKT_SEND_ONLY_INV : PKT_SEND_LAST_INV;
	return first ? PKT_SEND_ONLY : PKT_SEND_LAST;
}

static bool fenced(const struct hca_qp *qp, const struct hca_wqe *w)
{
	switch (w->fm_ce_se >> 5) {
	case FENCE_FENCE:
	case FENCE_SMALL_AND_FENCE:
		return qp->rd_out;
	case FENCE_STRONG:
		return qp->req_head != qp->snd;
	}
	return false;
}

/* Take one step of the send queue. False: nothing to do until something else happens. */
bool transport_send(struct hca *hca, struct hca_qp *qp)
{
	bool rc = is_reliable(qp->type), last;
	struct hca_wqe *w = qp->wqe;
	struct hca_req *r;
	struct hca_pkt *p;
	uint32_t n;
	uint64_t off;

	if (qp->rnr_wait)
		return false;
	if (qp->snd == qp->req_tail) {
		if (qp->state == QPS_SQD) {
			if (qp->req_head == qp->req_tail && !qp->sqd_reported) {
				qp->sqd_reported = true;
				event_qp(hca, EVENT_SQ_DRAINED, qp->qpn);
			}
			return false;
		}
		if (!sq_take(hca, qp))
			return false;
	}
	r = req_at(qp, qp->snd);
	if (!r->syndrome && !qp_wqe(hca, qp, qp->snd)) {
		r->syndrome = SYND_LOCAL_QP_OP;
		r->vendor = VENDOR_REQ;
	}
	if (r->syndrome) {
		transport_retire(hca, qp);
		return false;
	}
	if (fenced(qp, w))
		return false;

	if (!r->npkt) {
		if (r->opcode == OP_UMR) {
			r->syndrome = umr_execute(hca, qp, w);
			r->vendor = VENDOR_REQ;
			if (r->syndrome) {
				transport_retire(hca, qp);
				return false;
			}
		}
		r->done = true;
		qp->snd++;
		qp->snd_pkt = 0;
		transport_retire(hca, qp);
		return true;
	}

	if (rc && psn_diff(psn_add(r->psn, qp->snd_pkt), qp->una) >= WINDOW)
		return false;
	if (is_read_or_atomic(r->opcode) && qp->rd_out >= qp->max_rd_atomic)
		return false;

	off = (uint64_t)qp->snd_pkt * qp->mtu;
	if (is_read_or_atomic(r->opcode)) {
		p = packet(qp, 0);
		p->op = r->opcode == OP_READ ? PKT_READ_REQ :
			r->opcode == OP_ATOMIC_CS ? PKT_CMP_SWAP : PKT_FETCH_ADD;
		p->va = w->raddr;
		p->rkey = w->rkey;
		p->swap_add = w->swap_add;
		p->compare = w->compare;
		if (r->opcode == OP_READ) {
			p->va += off;
			p->dmalen = r->len - off;
		}
		last = true;
		qp->rd_out++;
	} else {
		n = MIN(qp->mtu, r->len - off);
		last = qp->snd_pkt + 1 == r->npkt;
		p = packet(qp, n);
		if (!gather(hca, qp, w, off, p->data, n)) {
			g_free(p);
			r->syndrome = SYND_LOCAL_PROT;
			r->vendor = 0x53;
			transport_retire(hca, qp);
			return false;
		}
		p->op = data_op(r->opcode, !qp->snd_pkt, last);
		p->va = w->raddr;
		p->rkey = w->rkey;
		p->dmalen = r->len;
		p->imm = w->imm;
		if (last && (w->fm_ce_se & 2))
			p->flags |= PKT_F_SOLICITED;
		if (rc && (last || !((qp->snd_pkt + 1) % ACK_EVERY)))
			p->flags |= PKT_F_ACKREQ;
	}
	p->psn = psn_add(r->psn, qp->snd_pkt);
	p->srqn = w->srqn;
	if (w->has_av)
		route_by_av(hca, qp, w, p);
	else
		route_by_qp(hca, qp, p);

	qp->snd_pkt++;
	if (last) {
		r->sent = true;
		if (!rc)
			r->done = true;
		qp->snd++;
		qp->snd_pkt = 0;
	}
	if (rc && !qp->timer.when)
		timer_arm(hca, qp);
	fabric_send(hca, qp, p);
	if (!rc)
		transport_retire(hca, qp);
	return true;
}

/* All before and including a PSN is acknowledged. */
static void acked(struct hca *hca, struct hca_qp *qp, uint32_t psn)
{
	bool progress = false;

	for (uint32_t i = qp->req_head; i != qp->snd; i++) {
		struct hca_req *r = req_at(qp, i);

		if (!r->npkt || r->done)
			continue;
		if (psn_diff(psn, r->psn) < 0)
			break;
		if (is_read_or_atomic(r->opcode)) {
			/* Later work is acknowledged, this was never answered: the answer is lost.
			 */
			if (psn_diff(psn, psn_add(r->psn, r->npkt - 1)) > 0 || r->got < r->npkt) {
				uint32_t from = psn_add(r->psn, r->got);

				if (psn_diff(psn, psn_add(r->psn, r->npkt - 1)) > 0) {
					qp->una = from;
					rewind_to(qp, from);
				}
				break;
			}
		}
		if (psn_diff(psn, psn_add(r->psn, r->npkt - 1)) < 0)
			break;
		r->done = true;
		progress = true;
	}
	if (psn_diff(psn, qp->una) >= 0 && (qp->req_head == qp->snd || !qp->rd_out)) {
		qp->una = psn_add(psn, 1);
		progress = true;
	}
	if (progress) {
		qp->retries = qp->retry_cnt;
		qp->rnr_retries = qp->rnr_retry;
		timer_arm(hca, qp);
	}
	transport_retire(hca, qp);
	qp_schedule(hca, qp);
}

static void rx_ack(struct hca *hca, struct hca_qp *qp, struct hca_pkt *p)
{
	uint8_t kind = p->aeth & 0x60, code = p->aeth & 0x1f;

	if (psn_diff(p->psn, qp->psn) >= 0 || psn_diff(p->psn, psn_add(qp->una, -1)) < 0)
		return;		/* of nothing that is outstanding */

	if (kind == AETH_ACK) {
		acked(hca, qp, p->psn);
		return;
	}
	/* A NAK acknowledges all before its PSN. */
	acked(hca, qp, psn_add(p->psn, -1));
	if (qp->state != QPS_RTS && qp->state != QPS_SQD)
		return;
	if (kind == AETH_RNR) {
		if (qp->rnr_retry != 7) {
			if (!qp->rnr_retries) {
				fail_head(hca, qp, SYND_RNR_EXC, VENDOR_RNR);
				return;
			}
			qp->rnr_retries--;
		}
		rewind_to(qp, p->psn);
		qp->rnr_wait = true;
		qp->timer.fn = transport_timeout;
		qp->timer.opaque = qp;
		hca_timer_set(hca, &qp->timer, hca_now(hca) + rnr_us[code] * 1000LL);
		return;
	}
	switch (code) {
	case NAK_PSN:
		hca->cnt.out_of_sequence++;
		if (!qp->retries) {
			hca->cnt.retry_exceeded++;
			fail_head(hca, qp, SYND_RETRY_EXC, VENDOR_RETRY);
			return;
		}
		qp->retries--;
		rewind_to(qp, p->psn);
		qp_schedule(hca, qp);
		break;
	case NAK_INVALID:
		fail_head(hca, qp, SYND_REMOTE_INVAL_REQ, 0x8a);
		break;
	case NAK_ACCESS:
		hca->cnt.req_access++;
		fail_head(hca, qp, SYND_REMOTE_ACCESS, VENDOR_RESP_ACCESS);
		break;
	case NAK_OP:
		fail_head(hca, qp, SYND_REMOTE_OP, 0x89);
		break;
	}
}

/* An answer of one packet may go into the completion instead of memory. */
static bool answer_inline(struct hca *hca, struct hca_qp *qp, struct hca_req *r, const void *p,
			  uint32_t len)
{
	struct hca_cq *cq = table_get(&hca->cqs, qp->cq_snd);

	if (!cq || !r->signaled || r->npkt != 1 || !len ||
	    len > MIN(qp->scatter_req, cq->stride / 2))
		return false;
	memcpy(r->data, p, len);
	r->inlined = len;
	return true;
}

static void rx_response(struct hca *hca, struct hca_qp *qp, struct hca_pkt *p)
{
	uint32_t i, n;
	struct hca_req *r = NULL;

	/* Everything before the request that is answered is thereby acknowledged. */
	for (i = qp->req_head; i != qp->snd; i++) {
		r = req_at(qp, i);
		if (r->npkt && !r->done && psn_diff(p->psn, r->psn) >= 0 &&
		    psn_diff(p->psn, psn_add(r->psn, r->npkt - 1)) <= 0)
			break;
		r = NULL;
	}
	if (!r || !is_read_or_atomic(r->opcode))
		return;
	n = psn_diff(p->psn, r->psn);
	if (i != qp->req_head)
		acked(hca, qp, psn_add(r->psn, -1));
	if ((int32_t)(i - qp->snd) >= 0 || (qp->state != QPS_RTS && qp->state != QPS_SQD))
		return;		/* an earlier answer is missing: this one will come again */
	if (n > r->got) {
		rewind_to(qp, psn_add(r->psn, r->got));	/* one before it is missing */
		qp_schedule(hca, qp);
		return;
	}
	if (n < r->got)
		return;
	if (!qp_wqe(hca, qp, i))
		return;
	if (r->opcode == OP_READ) {
		uint64_t off = (uint64_t)n * qp->mtu;
		uint32_t want = MIN(qp->mtu, r->len - off);

		if (p->op < PKT_READ_FIRST || p->op > PKT_READ_ONLY || p->len != want) {
			fail_head(hca, qp, SYND_BAD_RESP, VENDOR_REQ);
			return;
		}
		if (!answer_inline(hca, qp, r, p->data, p->len) &&
		    !scatter(hca, qp, qp->pd, &qp->wqe->sgl, off, p->data, p->len)) {
			r->syndrome = SYND_LOCAL_PROT;
			r->vendor = 0x52;
		}
	} else {
		/* Atomics work in host order here: the requester's bytes are little endian. */
		uint64_t v = cpu_to_le64(p->compare);

		if (p->op != PKT_ATOMIC_ACK) {
			fail_head(hca, qp, SYND_BAD_RESP, VENDOR_REQ);
			return;
		}
		if (!answer_inline(hca, qp, r, &v, 8) &&
		    !scatter(hca, qp, qp->pd, &qp->wqe->sgl, 0, (uint8_t *)&v, 8)) {
			r->syndrome = SYND_LOCAL_PROT;
			r->vendor = 0x52;
		}
	}
	r->got++;
	qp->una = psn_add(p->psn, 1);
	qp->retries = qp->retry_cnt;
	qp->rnr_retries = qp->rnr_retry;
	if (r->got == r->npkt) {
		r->done = true;
		if (qp->rd_out)
			qp->rd_out--;
	}
	timer_arm(hca, qp);
	transport_retire(hca, qp);
	qp_schedule(hca, qp);
}

/* ---- responder ------------------------------------------------------------------- */

/* Whose memory a request may reach: an XRC target serves the domain of the SRQ named. */
static uint32_t resp_pd(struct hca *hca, const struct hca_qp *qp, const struct hca_pkt *p)
{
	struct hca_srq *srq;

	if (qp->type != QPT_XRC)
		return qp->pd;
	srq = table_get(&hca->srqs, p->srqn);
	return srq && !srq->is_rmp && srq->xrcd == qp->xrcd ? srq->pd : 0;
}

static void answer(struct hca *hca, struct hca_qp *qp, uint8_t op, uint8_t aeth, uint32_t psn)
{
	struct hca_pkt *p = packet(qp, 0);

	p->op = op;
	p->aeth = aeth;
	p->psn = psn;
	p->msn = qp->msn;
	route_by_qp(hca, qp, p);
	fabric_send(hca, qp, p);
}

static struct hca_owed *owe(struct hca_qp *qp)
{
	if (qp->owed_tail - qp->owed_head == HCA_OWED)
		return NULL;
	return &qp->owed[qp->owed_tail++ % HCA_OWED];
}

static void owe_ack(struct hca *hca, struct hca_qp *qp, uint32_t psn)
{
	struct hca_owed *o;

	if (qp->owed_head == qp->owed_tail) {
		answer(hca, qp, PKT_ACK, AETH_ACK | 0x1f, psn);
		return;
	}
	o = &qp->owed[(qp->owed_tail - 1) % HCA_OWED];
	if (o->what != OWE_ACK)
		o = owe(qp);
	if (o)
		*o = (struct hca_owed) { .what = OWE_ACK, .psn = psn };
}

void transport_owed(struct hca *hca, struct hca_qp *qp)
{
	for (int i = 0; i < OWED_TURN && qp->owed_head != qp->owed_tail; i++) {
		struct hca_owed *o = &qp->owed[qp->owed_head % HCA_OWED];
		struct hca_pkt *p;
		uint32_t n, left;

		switch (o->what) {
		case OWE_ACK:
			answer(hca, qp, PKT_ACK, AETH_ACK | 0x1f, o->psn);
			qp->owed_head++;
			break;
		case OWE_ATOMIC:
			p = packet(qp, 0);
			p->op = PKT_ATOMIC_ACK;
			p->aeth = AETH_ACK | 0x1f;
			p->psn = o->psn;
			p->compare = o->result;
			route_by_qp(hca, qp, p);
			fabric_send(hca, qp, p);
			qp->owed_head++;
			break;
		case OWE_READ:
			left = o->len - o->sent;
			n = MIN(left, qp->mtu);
			p = packet(qp, n);
			if (!mem_rw(hca, o->rkey, o->pd, qp->qpn, o->va + o->sent, p->data, n,
				    ACC_REMOTE_READ, false)) {
				/* The key went away while it was being read. */
				g_free(p);
				answer(hca, qp, PKT_ACK, AETH_NAK | NAK_ACCESS, o->psn);
				event_qp(hca, EVENT_WQ_ACCESS, qp->qpn);
				qp_error(hca, qp);
				return;
			}
			if (!o->sent)
				p->op = n == left ? PKT_READ_ONLY : PKT_READ_FIRST;
			else
				p->op = n == left ? PKT_READ_LAST : PKT_READ_MIDDLE;
			p->aeth = AETH_ACK | 0x1f;
			p->psn = o->psn;
			o->psn = psn_add(o->psn, 1);
			o->sent += n;
			if (o->sent == o->len)
				qp->owed_head++;
			route_by_qp(hca, qp, p);
			fabric_send(hca, qp, p);
			break;
		}
	}
	if (qp->owed_head != qp->owed_tail)
		qp_schedule(hca, qp);
}

/* A request that may not be: negative answer, event, end of the queue pair. */
static void refuse(struct hca *hca, struct hca_qp *qp, struct hca_pkt *p, uint8_t nak)
{
	hca_trace(hca, "QP 0x%x refuses op 0x%x psn 0x%x rkey 0x%x va 0x%" PRIx64 " len %u: NAK %u",
		  qp->qpn, p->op, p->psn, p->rkey, p->va, p->dmalen, nak);
	if (is_reliable(qp->type)) {
		answer(hca, qp, PKT_ACK, AETH_NAK | nak, p->psn);
		hca->cnt.resp_access += nak == NAK_ACCESS;
		if (nak != NAK_OP)
			event_qp(hca, nak == NAK_ACCESS ? EVENT_WQ_ACCESS : EVENT_WQ_INVAL,
				 qp->qpn);
		qp_error(hca, qp);
	} else {
		/* An unreliable connection drops the message. */
		qp->rx_state = RX_IDLE;
		if (qp->rx.active)
			qp->rx.filled = 0;
		hca->cnt.bad_pkt++;
	}
}

static void recv_done(struct hca *hca, struct hca_qp *qp, struct hca_pkt *p, uint8_t opcode,
		      uint32_t bytes, bool inlined)
{
	struct hca_cq *cq = table_get(&hca->cqs, qp->rx.cqn);
	uint8_t cqe[64] = { };

	qp->rx.active = false;
	if (!cq)
		return;
	stw_be_p(cqe + 22, hca->roce ? 0 : p->slid);
	stl_be_p(cqe + 24, (p->sqpn & 0xffffff) | (uint32_t)(p->sl & 0xf) << 24);
	if (is_ud(qp->type)) {
		uint32_t f = p->sqpn & 0xffffff;

		if (hca->roce) {
			f |= (uint32_t)(p->roce - 1) << 24;
			cqe[29] = p->roce == 3 ? 2 << 2 : 1 << 2;
		} else {
			f |= (uint32_t)(p->sl & 0xf) << 24;
		}
		if (p->flags & PKT_F_GRH)
			f |= 1U << 28;
		stl_be_p(cqe + 24, f);
	}
	stl_be_p(cqe + 32, qp->rx.user_index);
	if (opcode != CQE_RESP_SEND)
		stl_be_p(cqe + 36, p->imm);
	else if (qp->type == QPT_QP1 || qp->type == QPT_QP0)
		stl_be_p(cqe + 36, p->pkey);
	stl_be_p(cqe + 44, bytes);
	stl_be_p(cqe + 56, qp->qpn);
	stw_be_p(cqe + 60, qp->rx.index);
	if (inlined)
		cq_inline(cq, cqe, p->data, p->len);
	cq_post(hca, cq, cqe, opcode, p->flags & PKT_F_SOLICITED);
}

static void recv_failed(struct hca *hca, struct hca_qp *qp, struct hca_pkt *p, uint8_t syndrome,
			uint8_t nak)
{
	complete_recv_error(hca, qp, &qp->rx, syndrome, VENDOR_REQ);
	qp->rx.active = false;
	if (is_reliable(qp->type))
		answer(hca, qp, PKT_ACK, AETH_NAK | nak, p->psn);
	qp_error(hca, qp);
}

/* A receive WQE for this packet: false if there is none, and the sender was told. */
static bool recv_ready(struct hca *hca, struct hca_qp *qp, struct hca_pkt *p)
{
	if (qp->rx.active)
		return true;
	if (!recv_take(hca, qp, p->srqn, &qp->rx))
		return true;
	hca->cnt.out_of_buffer++;
	if (is_reliable(qp->type)) {
		hca->cnt.rnr_sent++;
		qp->nak_sent = true;
		answer(hca, qp, PKT_ACK, AETH_RNR | qp->min_rnr, p->psn);
	}
	return false;
}

static uint8_t atomic_execute(struct hca *hca, struct hca_qp *qp, struct hca_pkt *p,
			      uint64_t *result)
{
	uint64_t v;

	if (p->va & 7)
		return NAK_INVALID;
	if (!mem_rw(hca, p->rkey, resp_pd(hca, qp, p), qp->qpn, p->va, &v, 8, ACC_ATOMIC, false))
		return NAK_ACCESS;
	*result = le64_to_cpu(v);
	if (p->op == PKT_CMP_SWAP)
		v = *result == p->compare ? cpu_to_le64(p->swap_add) : v;
	else
		v = cpu_to_le64(*result + p->swap_add);
	if (!mem_rw(hca, p->rkey, resp_pd(hca, qp, p), qp->qpn, p->va, &v, 8, ACC_ATOMIC, true))
		return NAK_ACCESS;
	return 0xff;
}

static bool invalidate(struct hca *hca, uint32_t pd, uint32_t rkey)
{
	struct hca_mkey *m = table_get(&hca->mkeys, rkey >> 8);

	if (!m || m->free || m->key != (rkey & 0xff) || m->pd != pd || !m->en_rinval)
		return false;
	SET(mkc, m->ctx, free, 1);
	m->free = true;
	return true;
}

static unsigned int reads_owed(const struct hca_qp *qp)
{
	unsigned int n = 0;

	for (uint32_t i = qp->owed_head; i != qp->owed_tail; i++)
		n += qp->owed[i % HCA_OWED].what != OWE_ACK;
	return n;
}

static void rx_duplicate(struct hca *hca, struct hca_qp *qp, struct hca_pkt *p)
{
	struct hca_owed *o;

	hca->cnt.duplicates++;
	switch (p->op) {
	case PKT_READ_REQ:
		if (!mem_check(hca, p->rkey, resp_pd(hca, qp, p), qp->qpn, p->va, p->dmalen,
			       ACC_REMOTE_READ) &&
		    p->dmalen)
			return;
		o = reads_owed(qp) < MAX(qp->max_dest_rd, 1) ? owe(qp) : NULL;
		if (o)
			*o = (struct hca_owed){.what = OWE_READ,
					       .psn = p->psn,
					       .pd = resp_pd(hca, qp, p),
					       .rkey = p->rkey,
					       .len = p->dmalen,
					       .va = p->va};
		break;
	case PKT_CMP_SWAP:
	case PKT_FETCH_ADD:
		for (int i = 0; i < HCA_ATOMICS; i++) {
			if (!qp->atomics[i].valid || qp->atomics[i].psn != p->psn)
				continue;
			o = owe(qp);
			if (o)
				*o = (struct hca_owed){.what = OWE_ATOMIC,
						       .psn = p->psn,
						       .result = qp->atomics[i].result};
			break;
		}
		break;
	default:
		owe_ack(hca, qp, psn_add(qp->epsn, -1));
	}
	qp_schedule(hca, qp);
}

static bool message_inline(struct hca *hca, struct hca_qp *qp, const struct hca_pkt *p, bool whole)
{
	struct hca_cq *cq = table_get(&hca->cqs, qp->rx.cqn);

	return cq && whole && p->len && p->len <= MIN(qp->scatter_res, cq->stride / 2);
}

static void rx_request(struct hca *hca, struct hca_qp *qp, struct hca_pkt *p)
{
	bool rc = is_reliable(qp->type);
	bool first, last, send = false, write = false, imm = false, inlined;
	uint32_t npkt = 1;
	uint8_t cqe_op = CQE_RESP_SEND, bad;
	struct hca_owed *o;
	int32_t d = psn_diff(p->psn, qp->epsn);

	first = p->op == PKT_SEND_FIRST || p->op == PKT_SEND_ONLY || p->op == PKT_SEND_ONLY_IMM ||
		p->op == PKT_SEND_ONLY_INV || p->op == PKT_WRITE_FIRST || p->op == PKT_WRITE_ONLY ||
		p->op == PKT_WRITE_ONLY_IMM;
	if (rc) {
		if (d < 0) {
			rx_duplicate(hca, qp, p);
			return;
		}
		if (d > 0) {
			if (!qp->nak_sent) {
				qp->nak_sent = true;
				answer(hca, qp, PKT_ACK, AETH_NAK | NAK_PSN, qp->epsn);
			}
			return;
		}
		qp->nak_sent = false;
	} else if (d) {
		/* A gap loses the message it falls into; the next one starts afresh. */
		qp->rx_state = RX_IDLE;
		qp->rx.filled = 0;
		hca->cnt.out_of_sequence++;
		qp->epsn = p->psn;
		if (!first) {
			qp->epsn = psn_add(p->psn, 1);
			return;
		}
	}

	switch (p->op) {
	case PKT_SEND_FIRST: case PKT_SEND_MIDDLE: case PKT_SEND_LAST: case PKT_SEND_LAST_IMM:
	case PKT_SEND_ONLY: case PKT_SEND_ONLY_IMM: case PKT_SEND_LAST_INV: case PKT_SEND_ONLY_INV:
		send = true;
		break;
	case PKT_WRITE_FIRST: case PKT_WRITE_MIDDLE: case PKT_WRITE_LAST: case PKT_WRITE_LAST_IMM:
	case PKT_WRITE_ONLY: case PKT_WRITE_ONLY_IMM:
		write = true;
		break;
	case PKT_READ_REQ: case PKT_CMP_SWAP: case PKT_FETCH_ADD:
		if (rc)
			break;
		/* fall through */
	default:
		refuse(hca, qp, p, NAK_INVALID);
		return;
	}
	last = p->op != PKT_SEND_FIRST && p->op != PKT_SEND_MIDDLE && p->op != PKT_WRITE_FIRST &&
	       p->op != PKT_WRITE_MIDDLE;
	imm = p->op == PKT_SEND_LAST_IMM || p->op == PKT_SEND_ONLY_IMM ||
	      p->op == PKT_WRITE_LAST_IMM || p->op == PKT_WRITE_ONLY_IMM;

	/* The sequence of first, middle and last, and their lengths */
	if ((send || write) &&
	    (first ? qp->rx_state != RX_IDLE : qp->rx_state != (send ? RX_SEND : RX_WRITE))) {
		if (rc || !first) {
			refuse(hca, qp, p, NAK_INVALID);
			if (!rc)
				qp->epsn = psn_add(p->psn, 1);
			return;
		}
		qp->rx.filled = 0;
	}
	if (!send && !write && qp->rx_state != RX_IDLE) {
		refuse(hca, qp, p, NAK_INVALID);
		return;
	}
	if (p->len > qp->mtu || ((send || write) && !last && p->len != qp->mtu)) {
		refuse(hca, qp, p, NAK_INVALID);
		return;
	}

	if (send) {
		if (!recv_ready(hca, qp, p)) {
			if (!rc) {
				qp->rx_state = RX_IDLE;
				qp->epsn = psn_add(p->psn, 1);
			}
			return;
		}
		if (first)
			qp->rx.filled = 0;
		if (qp->rx.filled + p->len > qp->rx.sgl.len) {
			recv_failed(hca, qp, p, SYND_LOCAL_LENGTH, NAK_INVALID);
			return;
		}
		inlined = message_inline(hca, qp, p, first && last);
		if (!inlined &&
		    !scatter(hca, qp, qp->rx.pd, &qp->rx.sgl, qp->rx.filled, p->data, p->len)) {
			recv_failed(hca, qp, p, SYND_LOCAL_PROT, NAK_OP);
			return;
		}
		qp->rx.filled += p->len;
		qp->rx_state = last ? RX_IDLE : RX_SEND;
		if (p->op == PKT_SEND_LAST_INV || p->op == PKT_SEND_ONLY_INV) {
			if (!invalidate(hca, resp_pd(hca, qp, p), p->imm)) {
				recv_failed(hca, qp, p, SYND_LOCAL_ACCESS, NAK_ACCESS);
				return;
			}
			cqe_op = CQE_RESP_SEND_INV;
		} else if (imm) {
			cqe_op = CQE_RESP_SEND_IMM;
		}
		if (last)
			recv_done(hca, qp, p, cqe_op, qp->rx.filled, inlined);
	} else if (write) {
		if (first) {
			if (!qp->rwe ||
			    (p->dmalen && !mem_check(hca, p->rkey, resp_pd(hca, qp, p), qp->qpn,
						     p->va, p->dmalen, ACC_REMOTE_WRITE))) {
				refuse(hca, qp, p, NAK_ACCESS);
				if (!rc)
					qp->epsn = psn_add(p->psn, 1);
				return;
			}
			qp->w_rkey = p->rkey;
			qp->w_va = p->va;
			qp->w_left = p->dmalen;
		}
		if (p->len > qp->w_left || (last && p->len != qp->w_left)) {
			refuse(hca, qp, p, NAK_INVALID);
			return;
		}
		/* The receive is taken first: a packet that must come again may not half happen. */
		if (imm && !recv_ready(hca, qp, p)) {
			if (!rc) {
				qp->rx_state = RX_IDLE;
				qp->epsn = psn_add(p->psn, 1);
			}
			return;
		}
		if (!mem_rw(hca, qp->w_rkey, resp_pd(hca, qp, p), qp->qpn, qp->w_va, p->data,
			    p->len, ACC_REMOTE_WRITE, true)) {
			refuse(hca, qp, p, NAK_ACCESS);
			return;
		}
		qp->w_va += p->len;
		qp->w_left -= p->len;
		qp->rx_state = last ? RX_IDLE : RX_WRITE;
		if (last && imm)
			recv_done(hca, qp, p, CQE_RESP_WR_IMM, p->dmalen, false);
	} else if (p->op == PKT_READ_REQ) {
		if (!qp->rre || p->dmalen > 1U << HCA_LOG_MAX_MSG ||
		    (p->dmalen && !mem_check(hca, p->rkey, resp_pd(hca, qp, p), qp->qpn, p->va,
					     p->dmalen, ACC_REMOTE_READ))) {
			refuse(hca, qp, p, NAK_ACCESS);
			return;
		}
		o = reads_owed(qp) < MAX(qp->max_dest_rd, 1) ? owe(qp) : NULL;
		if (!o) {
			refuse(hca, qp, p, NAK_INVALID);
			return;
		}
		*o = (struct hca_owed){.what = OWE_READ,
				       .psn = p->psn,
				       .pd = resp_pd(hca, qp, p),
				       .rkey = p->rkey,
				       .len = p->dmalen,
				       .va = p->va};
		npkt = MAX(1, DIV_ROUND_UP(p->dmalen, qp->mtu));
	} else {
		uint64_t result = 0;

		if (!qp->rae) {
			refuse(hca, qp, p, NAK_ACCESS);
			return;
		}
		o = reads_owed(qp) < MAX(qp->max_dest_rd, 1) ? owe(qp) : NULL;
		if (!o) {
			refuse(hca, qp, p, NAK_INVALID);
			return;
		}
		bad = atomic_execute(hca, qp, p, &result);
		if (bad != 0xff) {
			qp->owed_tail--;
			refuse(hca, qp, p, bad);
			return;
		}
		*o = (struct hca_owed) { .what = OWE_ATOMIC, .psn = p->psn, .result = result };
		qp->atomics[qp->atomic_next].psn = p->psn;
		qp->atomics[qp->atomic_next].result = result;
		qp->atomics[qp->atomic_next].valid = true;
		qp->atomic_next = (qp->atomic_next + 1) % HCA_ATOMICS;
	}

	qp->epsn = psn_add(qp->epsn, npkt);
	if (last)
		qp->msn = psn_add(qp->msn, 1);
	if (!qp->comm_est && qp->state == QPS_RTR) {
		qp->comm_est = true;
		event_qp(hca, EVENT_COMM_EST, qp->qpn);
	}
	if (rc && (p->flags & PKT_F_ACKREQ))
		owe_ack(hca, qp, p->psn);
	if (qp->owed_head != qp->owed_tail)
		qp_schedule(hca, qp);
}

/* The 40 bytes in front of a datagram: a GRH, or on RoCE v2 over IPv4 an IP header at its end. */
static void grh_fill(const struct hca_pkt *p, uint8_t *grh)
{
	memset(grh, 0, GRH_LEN);
	if (!(p->flags & PKT_F_GRH))
		return;
	if (p->roce == 3) {
		uint32_t sum = 0;

		grh[20] = 0x45;
		grh[21] = p->tclass;
		stw_be_p(grh + 22, 20 + 8 + 12 + 8 + p->len + 4);
		grh[28] = p->hop_limit;
		grh[29] = 17;
		memcpy(grh + 32, p->sgid + 12, 4);
		memcpy(grh + 36, p->dgid + 12, 4);
		for (int i = 20; i < 40; i += 2)
			sum += be16p(grh + i);
		sum = (sum & 0xffff) + (sum >> 16);
		stw_be_p(grh + 30, ~(sum + (sum >> 16)));
		return;
	}
	stl_be_p(grh, 6U << 28 | (uint32_t)p->tclass << 20);
	stw_be_p(grh + 4, 12 + 8 + p->len + 4);
	grh[6] = p->roce == 2 ? 17 : 0x1b;
	grh[7] = p->hop_limit;
	memcpy(grh + 8, p->sgid, 16);
	memcpy(grh + 24, p->dgid, 16);
}

static void rx_datagram(struct hca *hca, struct hca_qp *qp, struct hca_pkt *p)
{
	uint8_t grh[GRH_LEN];
	bool imm = p->op == PKT_SEND_ONLY_IMM;

	if (p->op != PKT_SEND_ONLY && !imm) {
		hca->cnt.bad_pkt++;
		return;
	}
	if (qp->type != QPT_QP0 && p->qkey != (qp->type == QPT_QP1 ? QP1_QKEY : qp->qkey)) {
		hca->cnt.qkey_violations++;
		return;
	}
	if (!recv_ready(hca, qp, p))
		return;
	if (GRH_LEN + p->len > qp->rx.sgl.len) {
		/* Too long for what was posted: a local error of this receive. */
		complete_recv_error(hca, qp, &qp->rx, SYND_LOCAL_LENGTH, VENDOR_REQ);
		qp->rx.active = false;
		qp_error(hca, qp);
		return;
	}
	grh_fill(p, grh);
	if (!scatter(hca, qp, qp->rx.pd, &qp->rx.sgl, 0, grh, GRH_LEN) ||
	    !scatter(hca, qp, qp->rx.pd, &qp->rx.sgl, GRH_LEN, p->data, p->len)) {
		complete_recv_error(hca, qp, &qp->rx, SYND_LOCAL_PROT, VENDOR_REQ);
		qp->rx.active = false;
		qp_error(hca, qp);
		return;
	}
	recv_done(hca, qp, p, imm ? CQE_RESP_SEND_IMM : CQE_RESP_SEND, GRH_LEN + p->len, false);
}

static void rx_multicast(struct hca *hca, struct hca_pkt *p)
{
	struct hca_mcg *g;

	QTAILQ_FOREACH(g, &hca->mcgs, link) {
		struct hca_qp *qp = table_get(&hca->qps, g->qpn);

		if (qp && !memcmp(g->gid, p->dgid, 16) && qp->state >= QPS_RTR &&
		    qp->state != QPS_ERR && is_ud(qp->type))
			rx_datagram(hca, qp, p);
	}
}

void transport_rx(struct hca *hca, struct hca_pkt *p)
{
	struct hca_qp *qp;

	hca->cnt.rx_packets++;
	hca->cnt.rx_bytes += p->len;
	if (p->op == PKT_ETH) {
		ether_rx(hca, p);
		return;
	}
	if (p->type == QPT_UD && p->dqpn == 0xffffff) {
		rx_multicast(hca, p);
		return;
	}
	qp = table_get(&hca->qps, p->dqpn <= 1 ? (p->dqpn ? hca->qp1 : hca->qp0) : p->dqpn);
	if (!qp || qp->state < QPS_RTR || qp->state == QPS_ERR) {
		hca->cnt.bad_pkt++;
		return;
	}
	if (p->type == QPT_UD) {
		if (is_ud(qp->type))
			rx_datagram(hca, qp, p);
		return;
	}
	if (p->type != qp->type || p->sqpn != qp->remote_qpn) {
		hca->cnt.bad_pkt++;
		return;
	}
	switch (p->op) {
	case PKT_ACK:
	case PKT_READ_FIRST: case PKT_READ_MIDDLE: case PKT_READ_LAST: case PKT_READ_ONLY:
	case PKT_ATOMIC_ACK:
		if (!is_reliable(qp->type) || (qp->state != QPS_RTS && qp->state != QPS_SQD))
			return;
		if (p->op == PKT_ACK)
			rx_ack(hca, qp, p);
		else
			rx_response(hca, qp, p);
		break;
	default:
		rx_request(hca, qp, p);
	}
}
