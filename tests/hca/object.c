// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tables of objects, queue buffers, and memory keys: what a number from the
 * guest refers to, and whether it may be used.
 */
#include "hca.h"

/* ---- tables ---------------------------------------------------------------- */

static void table_init(struct hca_table *t, uint32_t first, uint32_t max)
{
	t->first = first;
	t->max = max;
	t->hint = 0;
	t->used = 0;
	t->slot = g_new0(void *, max);
}

static void table_free(struct hca_table *t, void (*destroy)(struct hca *, void *), struct hca *hca)
{
	for (uint32_t i = 0; t->slot && i < t->max; i++)
		if (t->slot[i] && destroy)
			destroy(hca, t->slot[i]);
	g_free(t->slot);
	t->slot = NULL;
	t->max = t->used = 0;
}

/* Numbers are handed out round and round, so that a stale one is noticed. */
int64_t table_add(struct hca_table *t, void *obj)
{
	for (uint32_t i = 0; i < t->max; i++) {
		uint32_t n = (t->hint + i) % t->max;

		if (!t->slot[n]) {
			t->slot[n] = obj;
			t->hint = n + 1;
			t->used++;
			return t->first + n;
		}
	}
	return -1;
}

void *table_get(struct hca_table *t, uint32_t id)
{
	return id >= t->first && id - t->first < t->max ? t->slot[id - t->first] : NULL;
}

void *table_del(struct hca_table *t, uint32_t id)
{
	void *obj = table_get(t, id);

	if (obj) {
		t->slot[id - t->first] = NULL;
		t->used--;
	}
	return obj;
}

/* ---- queue buffers ------------------------------------------------------------ */

bool buf_init(struct hca_buf *b, const uint8_t *pas, size_t pas_bytes,
	      unsigned int page_shift, uint32_t offset, uint64_t size)
{
	uint64_t n;

	if (page_shift > 31 || offset >= 1ULL << page_shift || size > 1ULL << 31)
		return false;
	n = (offset + size + (1ULL << page_shift) - 1) >> page_shift;
	if (!n || n > pas_bytes / 8)
		return false;
	b->pas = g_new(uint64_t, n);
	b->npas = n;
	b->page_shift = page_shift;
	b->offset = offset;
	b->size = size;
	for (uint64_t i = 0; i < n; i++)
		b->pas[i] = be64p(pas + i * 8) & ~0xfffULL;
	return true;
}

void buf_free(struct hca_buf *b)
{
	g_free(b->pas);
	memset(b, 0, sizeof(*b));
}

bool buf_rw(struct hca *hca, const struct hca_buf *b, uint64_t off, void *p, size_t len, bool write)
{
	if (off > b->size || len > b->size - off)
		return false;
	off += b->offset;
	while (len) {
		uint64_t in = off & ((1ULL << b->page_shift) - 1);
		size_t n = MIN(len, (1ULL << b->page_shift) - in);

		if (!hca_dma(hca, b->pas[off >> b->page_shift] + in, p, n, write))
			return false;
		p = (uint8_t *)p + n;
		off += n;
		len -= n;
	}
	return true;
}

/* ---- memory keys ---------------------------------------------------------------- */

void mkey_load(struct hca_mkey *m, const uint8_t *ctx)
{
	memmove(m->ctx, ctx, sizeof(m->ctx));
	m->free = GET(mkc, ctx, free);
	m->umr_en = GET(mkc, ctx, umr_en);
	m->access = (GET(mkc, ctx, lr) ? ACC_LOCAL_READ : 0) |
		    (GET(mkc, ctx, lw) ? ACC_LOCAL_WRITE : 0) |
		    (GET(mkc, ctx, rr) ? ACC_REMOTE_READ : 0) |
		    (GET(mkc, ctx, rw) ? ACC_REMOTE_WRITE : 0) |
		    (GET(mkc, ctx, a) ? ACC_ATOMIC : 0);
	m->mode = GET(mkc, ctx, access_mode_1_0) | GET(mkc, ctx, access_mode_4_2) << 2;
	m->qpn = GET(mkc, ctx, qpn);
	m->key = GET(mkc, ctx, mkey_7_0);
	m->length64 = GET(mkc, ctx, length64);
	m->en_rinval = GET(mkc, ctx, en_rinval);
	m->pd = GET(mkc, ctx, pd);
	m->start = GET(mkc, ctx, start_addr);
	m->len = GET(mkc, ctx, len);
	m->page_shift = GET(mkc, ctx, log_page_size);
}

bool mkey_resize(struct hca *hca, struct hca_mkey *m, uint32_t octowords)
{
	if (octowords > HCA_MAX_XLT || hca->xlt_used - m->xlt_octowords + octowords > HCA_MAX_XLT)
		return false;
	hca->xlt_used += octowords - (uint64_t)m->xlt_octowords;
	m->xlt = g_realloc(m->xlt, octowords * 16UL);
	if (octowords > m->xlt_octowords)
		memset(m->xlt + m->xlt_octowords * 16UL, 0, (octowords - m->xlt_octowords) * 16UL);
	m->xlt_octowords = octowords;
	return true;
}

static struct hca_mkey *mkey_find(struct hca *hca, uint32_t key, uint32_t pd, uint32_t qpn,
				  uint64_t va, uint64_t len, unsigned int access)
{
	struct hca_mkey *m = table_get(&hca->mkeys, key >> 8);

	if (!m || m->free || m->key != (key & 0xff))
		return NULL;
	if ((m->pd != pd && pd != HCA_ANY_PD) || (m->qpn != 0xffffff && m->qpn != qpn))
		return NULL;
	if ((m->access & access) != access)
		return NULL;
	if (m->length64)
		return va + len < va ? NULL : m;
	if (va < m->start || len > m->len || va - m->start > m->len - len)
		return NULL;
	return m;
}

bool mem_check(struct hca *hca, uint32_t key, uint32_t pd, uint32_t qpn, uint64_t va, uint64_t len,
	       unsigned int access)
{
	return mkey_find(hca, key, pd, qpn, va, len, access);
}

static bool mkey_rw(struct hca *hca, struct hca_mkey *m, uint64_t va, uint8_t *p, size_t len,
		    unsigned int access, bool write, unsigned int depth);

static bool mtt_rw(struct hca *hca, struct hca_mkey *m, uint64_t va, uint8_t *p, size_t len,
		   bool write)
{
	uint64_t page;

	if (m->page_shift < 12 || m->page_shift > 62)
		return false;
	page = 1ULL << m->page_shift;
	while (len) {
		uint64_t i = (va >> m->page_shift) - (m->start >> m->page_shift);
		uint64_t in = va & (page - 1), mtt;
		size_t n = MIN(len, page - in);

		if (i >= m->xlt_octowords * 2ULL)
			return false;
		mtt = be64p(m->xlt + i * 8);
		if (!(mtt & (write ? 2 : 1)))
			return false;
		if (!hca_dma(hca, (mtt & ~0xfffULL) + in, p, n, write))
			return false;
		va += n;
		p += n;
		len -= n;
	}
	return true;
}

static bool klm_rw(struct hca *hca, struct hca_mkey *m, uint64_t va, uint8_t *p, size_t len,
		   unsigned int access, bool write, unsigned int depth)
{
	uint64_t off = va - m->start;

	for (uint32_t i = 0; len && i < m->xlt_octowords; i++) {
		const uint8_t *e = m->xlt + i * 16UL;
		uint64_t size = m->mode == MKEY_KSM ? 1ULL << (m->page_shift & 63) : be32p(e);
		uint32_t key = be32p(e + 4);
		struct hca_mkey *to;
		size_t n;

		if (off >= size) {
			off -= size;
			continue;
		}
		n = MIN(len, size - off);
		/* What an indirect key grants is its own access; the keys below give the memory. */
		to = table_get(&hca->mkeys, key >> 8);
		if (!to || to->free || to->key != (key & 0xff) || to->pd != m->pd)
			return false;
		if (!to->length64) {
			uint64_t at = be64p(e + 8) + off;

			if (at < to->start || n > to->len || at - to->start > to->len - n)
				return false;
		}
		if (!mkey_rw(hca, to, be64p(e + 8) + off, p, n, access, write, depth + 1))
			return false;
		p += n;
		len -= n;
		off = 0;
	}
	return !len;
}

static bool mkey_rw(struct hca *hca, struct hca_mkey *m, uint64_t va, uint8_t *p, size_t len,
		    unsigned int access, bool write, unsigned int depth)
{
	if (depth > 2)
		return false;
	switch (m->mode) {
	case MKEY_PA:
		return hca_dma(hca, va, p, len, write);
	case MKEY_MTT:
		return mtt_rw(hca, m, va, p, len, write);
	case MKEY_KLM:
	case MKEY_KSM:
		return klm_rw(hca, m, va, p, len, access, write, depth);
	}
	return false;
}

bool mem_rw(struct hca *hca, uint32_t key, uint32_t pd, uint32_t qpn, uint64_t va, void *p,
	    size_t len, unsigned int access, bool write)
{
	struct hca_mkey *m;

	if (!len)
		return true;
	m = mkey_find(hca, key, pd, qpn, va, len, access);
	return m && mkey_rw(hca, m, va, p, len, access, write, 0);
}

/* ---- the end of objects ------------------------------------------------------------- */

void mkey_destroy(struct hca *hca, void *obj)
{
	struct hca_mkey *m = obj;

	mkey_resize(hca, m, 0);
	g_free(m->xlt);
	g_free(m);
}

void eq_destroy(struct hca *hca, void *obj)
{
	struct hca_eq *eq = obj;

	buf_free(&eq->buf);
	g_free(eq);
}

void cq_destroy(struct hca *hca, void *obj)
{
	struct hca_cq *cq = obj;

	hca_timer_del(hca, &cq->moderation);
	buf_free(&cq->buf);
	g_free(cq);
}

void qp_destroy(struct hca *hca, void *obj)
{
	struct hca_qp *qp = obj;

	hca_timer_del(hca, &qp->timer);
	hca_timer_del(hca, &qp->err_poll);
	if (qp->queued)
		QTAILQ_REMOVE(&hca->run, qp, run);
	buf_free(&qp->buf);
	g_free(qp->req);
	g_free(qp->wqe);
	g_free(qp);
}

void srq_destroy(struct hca *hca, void *obj)
{
	struct hca_srq *srq = obj;

	buf_free(&srq->buf);
	g_free(srq);
}

/* Every kind of object, once. */
static const struct kind {
	const char *name;
	size_t table;			/* in struct hca */
	uint32_t first, max;
	void (*destroy)(struct hca *hca, void *obj);
} kinds[HCA_KINDS] = {
	/* What refers to others goes before them. */
	{"qp", offsetof(struct hca, qps), 0x80, 1 << HCA_LOG_MAX_QP, qp_destroy},
	{"srq", offsetof(struct hca, srqs), 1, 1 << HCA_LOG_MAX_SRQ, srq_destroy},
	{"esq", offsetof(struct hca, esqs), HCA_FIRST_ETHQ, 1024, ethq_destroy},
	{"erq", offsetof(struct hca, erqs), HCA_FIRST_ETHQ, 1024, ethq_destroy},
	{"cq", offsetof(struct hca, cqs), 0x400, 1 << HCA_LOG_MAX_CQ, cq_destroy},
	{"eq", offsetof(struct hca, eqs), 1, 1 << HCA_LOG_MAX_EQ, eq_destroy},
	{"mkey", offsetof(struct hca, mkeys), 2, 1 << HCA_LOG_MAX_MKEY, mkey_destroy},
	{"uar", offsetof(struct hca, uars), HCA_FIRST_UAR, HCA_NUM_UARS - HCA_FIRST_UAR, NULL},
	{"pd", offsetof(struct hca, pds), 1, 1 << HCA_LOG_MAX_PD, NULL},
	{"xrcd", offsetof(struct hca, xrcds), 1, 4096, NULL},
	{"td", offsetof(struct hca, tds), 1, 4096, NULL},
	{"other", offsetof(struct hca, misc), 1, 65536, NULL},
};

static struct hca_table *kind_table(struct hca *hca, const struct kind *k)
{
	return (void *)((char *)hca + k->table);
}

void objects_left(struct hca *hca)
{
	hca->left.times++;
	for (unsigned int i = 0; i < HCA_KINDS; i++)
		hca->left.objects[i] += kind_table(hca, &kinds[i])->used;
	hca->left.pages += hca->npages;
}

/* One line: those there are, or those that were left when the device was disabled. */
void objects_print(struct hca *hca, bool left, char *out, size_t size)
{
	GString *s = g_string_new(NULL);

	if (left)
		g_string_append_printf(s, "disabled=%u ", hca->left.times);
	for (unsigned int i = 0; i < HCA_KINDS; i++)
		g_string_append_printf(s, "%s=%u ", kinds[i].name,
				       left ? hca->left.objects[i]
					    : kind_table(hca, &kinds[i])->used);
	g_string_append_printf(s, "page=%u\n", left ? hca->left.pages : hca->npages);
	g_strlcpy(out, s->str, size);
	g_string_free(s, true);
}

void hca_free_objects(struct hca *hca)
{
	struct hca_mcg *g;

	for (unsigned int i = 0; i < HCA_KINDS; i++)
		table_free(kind_table(hca, &kinds[i]), kinds[i].destroy, hca);
	while ((g = QTAILQ_FIRST(&hca->mcgs))) {
		QTAILQ_REMOVE(&hca->mcgs, g, link);
		g_free(g);
	}
	caps_reset(hca);
}

void hca_reset_objects(struct hca *hca)
{
	hca_free_objects(hca);
	for (unsigned int i = 0; i < HCA_KINDS; i++)
		table_init(kind_table(hca, &kinds[i]), kinds[i].first, kinds[i].max);
	hca->xlt_used = 0;
	hca->npages = 0;
	hca->qp0 = hca->qp1 = 0;
	hca->cmd_eq = false;
	memset(hca->gids, 0, sizeof(hca->gids));
	memset(hca->nic_vport, 0, sizeof(hca->nic_vport));
}
