// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The Ethernet side of a RoCE port: send and receive queues of frames, enough
 * for the network interface to come up, resolve addresses and carry traffic to
 * another guest. No offloads, no steering: a frame goes to the first queue that
 * has room for it.
 */
#include "hca.h"

enum { CTRL = 16, ETH_SEG = 16, DATA = 16, RDY = 1 };

static bool wq_init(struct hca_ethq *q, const uint8_t *wq, size_t room)
{
	unsigned int shift = GET(wq, wq, log_wq_pg_sz) + 12;

	q->pd = GET(wq, wq, pd);
	q->uar = GET(wq, wq, uar_page);
	q->dbr = GET(wq, wq, dbr_addr);
	q->log_size = GET(wq, wq, log_wq_sz);
	q->log_stride = GET(wq, wq, log_wq_stride);
	if (q->log_size > HCA_LOG_MAX_WQ || q->log_stride < 4 || q->log_stride > 11 ||
	    GET(wq, wq, wq_type) != 1)
		return false;
	return buf_init(&q->buf, wq + IFC_BYTES(wq), room, shift,
			GET(wq, wq, page_offset) << (shift - 6),
			1ULL << (q->log_size + q->log_stride));
}

/* Returns the number of the queue, or -1. */
int64_t ethq_create(struct hca *hca, bool send, const uint8_t *ctx, size_t len)
{
	size_t at = (send ? IFC_OFF(sqc, wq) : IFC_OFF(rqc, wq)) / 8;
	struct hca_ethq *q;
	int64_t id = -1;

	if (len < at + IFC_BYTES(wq))
		return -1;
	q = g_new0(struct hca_ethq, 1);
	memcpy(q->ctx, ctx, sizeof(q->ctx));
	q->cqn = send ? GET(sqc, ctx, cqn) : GET(rqc, ctx, cqn);
	if (wq_init(q, ctx + at, len - at - IFC_BYTES(wq)))
		id = table_add(send ? &hca->esqs : &hca->erqs, q);
	if (id < 0)
		ethq_destroy(hca, q);
	else
		q->number = id;
	return id;
}

void ethq_destroy(struct hca *hca, void *obj)
{
	struct hca_ethq *q = obj;

	buf_free(&q->buf);
	g_free(q);
}

/* The ones' complement sum of the Internet, not yet folded. */
static uint64_t sum16(const uint8_t *p, size_t n, uint64_t sum)
{
	for (; n > 1; p += 2, n -= 2)
		sum += be16p(p);
	return n ? sum + (p[0] << 8) : sum;
}

static uint16_t fold(uint64_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

/* What the send WQE asks for: the check sums of IPv4, TCP and UDP. */
static void frame_checksum(uint8_t *f, size_t len, uint8_t flags)
{
	size_t l3 = 14, l4, check;
	uint64_t sum;
	uint8_t proto;

	if (len >= 18 && be16p(f + 12) == 0x8100)
		l3 = 18;
	if (len < l3 + 20)
		return;
	if (be16p(f + l3 - 2) == 0x0800) {
		size_t end = l3 + be16p(f + l3 + 2);

		l4 = l3 + (f[l3] & 0xf) * 4;
		if (l4 < l3 + 20 || end > len || l4 > end)
			return;
		len = end;
		proto = f[l3 + 9];
		if (flags & 0x40) {
			stw_be_p(f + l3 + 10, 0);
			stw_be_p(f + l3 + 10, ~fold(sum16(f + l3, l4 - l3, 0)));
		}
		sum = sum16(f + l3 + 12, 8, 0);
	} else if (be16p(f + l3 - 2) == 0x86dd && len >= l3 + 40) {
		l4 = l3 + 40;
		len = MIN(len, l4 + be16p(f + l3 + 4));
		proto = f[l3 + 6];
		sum = sum16(f + l3 + 8, 32, 0);
	} else {
		return;
	}
	check = l4 + (proto == 6 ? 16 : 6);
	if (!(flags & 0x80) || (proto != 6 && proto != 17) || check + 2 > len)
		return;
	stw_be_p(f + check, 0);
	stw_be_p(f + check, ~fold(sum16(f + l4, len - l4, sum + proto + (len - l4))));
}

static void frame_send(struct hca *hca, struct hca_ethq *q, const uint8_t *w, size_t end)
{
	struct hca_pkt *p = g_malloc(sizeof(*p) + HCA_MAX_FRAME);
	size_t inl = be16p(w + CTRL + 12), at = CTRL + ETH_SEG;

	memset(p, 0, sizeof(*p));
	p->op = PKT_ETH;
	if (inl > end - CTRL - 14 || inl > HCA_MAX_FRAME)
		goto bad;
	memcpy(p->data, w + CTRL + 14, inl);
	p->len = inl;
	if (inl > 2)
		at += ROUND_UP(inl - 2, 16);
	for (; at + DATA <= end; at += DATA) {
		uint32_t n = be32p(w + at);

		if (n > HCA_MAX_FRAME - p->len ||
		    !mem_rw(hca, be32p(w + at + 4), q->pd, 0xffffff, be64p(w + at + 8),
			    p->data + p->len, n, ACC_LOCAL_READ, false))
			goto bad;
		p->len += n;
	}
	frame_checksum(p->data, p->len, w[CTRL + 4]);
	fabric_send(hca, NULL, p);
	return;
bad:
	hca->cnt.bad_pkt++;
	g_free(p);
}

void ethq_doorbell(struct hca *hca, uint32_t uar, uint32_t number)
{
	struct hca_ethq *q = table_get(&hca->esqs, number);
	uint16_t prod;

	if (!q || q->uar != uar || q->state != RDY)
		return;
	prod = hca_ldl(hca, q->dbr + 4);
	while (q->ci != prod && (uint16_t)(prod - q->ci) <= 1U << q->log_size) {
		uint8_t w[HCA_MAX_SQ_WQE], cqe[64] = { };
		size_t size = 64UL << q->log_size,
		       off = (q->ci & ((1UL << q->log_size) - 1)) * 64UL, n, end;
		struct hca_cq *cq = table_get(&hca->cqs, q->cqn);

		if (q->log_stride != 6 || !buf_rw(hca, &q->buf, off, w, CTRL, false))
			return;
		end = MIN(MAX(w[7] & 0x3f, 1) * 16UL, size);
		n = MIN(end, size - off);
		if (!buf_rw(hca, &q->buf, off, w, n, false) ||
		    !buf_rw(hca, &q->buf, 0, w + n, end - n, false))
			return;
		if (w[3] == OP_SEND && end >= CTRL + ETH_SEG)
			frame_send(hca, q, w, end);
		if (cq && (w[11] & 0xc) >= 8) {
			stl_be_p(cqe + 56, (uint32_t)w[3] << 24 | q->number);
			stw_be_p(cqe + 60, q->ci);
			cq_post(hca, cq, cqe, CQE_REQ, false);
		}
		q->ci += DIV_ROUND_UP(end, 64);
	}
}

void ether_rx(struct hca *hca, struct hca_pkt *p)
{
	for (uint32_t i = 0; i < hca->erqs.max; i++) {
		struct hca_ethq *q = hca->erqs.slot[i];
		uint8_t w[1 << 11], cqe[64] = { };
		struct hca_cq *cq;
		size_t left = p->len, stride;
		uint16_t posted;

		if (!q || q->state != RDY)
			continue;
		posted = hca_ldl(hca, q->dbr);
		cq = table_get(&hca->cqs, q->cqn);
		if (!cq || posted == q->ci || (uint16_t)(posted - q->ci) > 1U << q->log_size)
			continue;
		stride = 1UL << q->log_stride;
		if (!buf_rw(hca, &q->buf, (q->ci & ((1UL << q->log_size) - 1)) << q->log_stride, w,
			    stride, false))
			continue;
		for (size_t at = 0; left && at + DATA <= stride; at += DATA) {
			uint32_t n = MIN(be32p(w + at), left);

			if (!mem_rw(hca, be32p(w + at + 4), q->pd, 0xffffff, be64p(w + at + 8),
				    p->data + p->len - left, n, ACC_LOCAL_WRITE, true))
				break;
			left -= n;
		}
		if (left) {
			hca->cnt.bad_pkt++;
			return;
		}
		if (p->len > 14)
			stw_be_p(cqe + 20, fold(sum16(p->data + 14, p->len - 14, 0)));
		stl_be_p(cqe + 44, p->len);
		stl_be_p(cqe + 56, q->number);
		stw_be_p(cqe + 60, q->ci++);
		cq_post(hca, cq, cqe, CQE_RESP_SEND, false);
		return;
	}
	hca->cnt.out_of_buffer++;
}
