// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The model without QEMU, fed with a hostile guest: random commands, work
 * queues, doorbells and packets. Built with address and undefined-behaviour
 * sanitizers; what it must do is end. fuzz [SECONDS [SEED]].
 */
#include "../hca.h"
#include "../fault.h"
#include <time.h>

enum { RAM = 8 << 20, CMDQ = 0x1000, MBOX = 0x100000, QUEUES = 0x400000 };

static uint8_t ram[RAM];
static struct hca hca;
static int64_t now = 1;
static uint64_t rng_state;
static unsigned long commands, good, packets, doorbells;

/* ---- what QEMU would give ------------------------------------------------------- */

int64_t hca_now(struct hca *h)
{
	return now;
}

bool hca_dma(struct hca *h, uint64_t addr, void *p, size_t len, bool write)
{
	if (addr >= RAM || len > RAM - addr)
		return false;
	memcpy(write ? ram + addr : p, write ? p : ram + addr, len);
	return true;
}

uint32_t hca_ldl(struct hca *h, uint64_t addr)
{
	uint32_t v = 0;

	hca_dma(h, addr, &v, 4, false);
	return be32_to_cpu(v);
}

void hca_irq(struct hca *h, uint32_t vector)
{
}

void hca_fatal(struct hca *h, uint8_t synd)
{
}

void hca_trace(struct hca *h, const char *fmt, ...)
{
}

void engine_kick(struct hca *h)
{
}

uint8_t fault_command(struct hca *h, uint16_t opcode)
{
	return 0;
}

unsigned int fault_packet(struct hca *h, int64_t *delay)
{
	return 1;
}

void hca_timer_del(struct hca *h, struct hca_timer *t)
{
	if (t->when)
		QTAILQ_REMOVE(&h->timers, t, link);
	t->when = 0;
}

void hca_timer_set(struct hca *h, struct hca_timer *t, int64_t when)
{
	hca_timer_del(h, t);
	t->when = MAX(when, 1);
	QTAILQ_INSERT_TAIL(&h->timers, t, link);
}

void qemu_mutex_init(QemuMutex *m)
{
}

static void no_lock(QemuMutex *m, const char *f, int l)
{
}

QemuMutexLockFunc qemu_mutex_lock_func = no_lock;

void qemu_mutex_unlock_impl(QemuMutex *m, const char *f, const int l)
{
}

void qemu_thread_create(QemuThread *t, const char *name, void *(*fn)(void *), void *arg, int mode)
{
}

/* ---- chance ---------------------------------------------------------------------- */

static uint64_t rnd(void)
{
	rng_state ^= rng_state << 13;
	rng_state ^= rng_state >> 7;
	rng_state ^= rng_state << 17;
	return rng_state;
}

static uint32_t below(uint32_t n)
{
	return rnd() % n;
}

/* Numbers that are interesting: small, near powers of two, all ones. */
static uint64_t odd_number(void)
{
	switch (below(6)) {
	case 0: return below(4);
	case 1: return (1ULL << below(64)) - below(2);
	case 2: return ~0ULL;
	case 3: return QUEUES + below(RAM - QUEUES);
	case 4: return 0x80 + below(40);
	default: return rnd();
	}
}

/* ---- commands --------------------------------------------------------------------- */

static uint32_t command(const uint8_t *in, size_t len, uint8_t *out, size_t out_len)
{
	uint8_t *e = ram + CMDQ;

	memset(e, 0, 64);
	e[0] = 7;
	stl_be_p(e + 4, len);
	memcpy(e + 16, in, MIN(len, 16));
	stl_be_p(e + 56, out_len);
	e[60] = 0x5a;
	e[63] = 1;
	for (int dir = 0; dir < 2; dir++) {
		size_t n = dir ? out_len : len, at = MBOX + dir * 0x80000;

		stq_be_p(e + (dir ? 48 : 8), at);
		for (size_t off = 16; off < n && at < MBOX + (dir + 1) * 0x80000 - 1024;
		     off += 512, at += 1024) {
			memset(ram + at, 0, 576);
			if (!dir)
				memcpy(ram + at, in + off, MIN(512, n - off));
			stq_be_p(ram + at + 560, at + 1024);
			ram[at + 573] = 0x5a;
		}
	}
	hca.cmdq_h = 0;
	hca.cmdq_l = CMDQ;
	cmd_doorbell(&hca, 1);
	commands++;
	if (out)
		memcpy(out, e + 32, 16);
	good += !e[32];
	return e[32] ? 0 : be32p(e + 40) & 0xffffff;
}

static uint8_t in[8192];
static uint32_t eqn, pdn, cqn[2], qpn[8], mkey[4], srqn;

static void begin(uint16_t opcode)
{
	memset(in, 0, sizeof(in));
	stw_be_p(in, opcode);
}

static void pas(size_t at, uint64_t addr, unsigned int pages)
{
	for (unsigned int i = 0; i < pages; i++)
		stq_be_p(in + at + i * 8, addr + i * 4096);
}

static uint32_t make_qp(unsigned int type, unsigned int n, bool with_srq)
{
	uint8_t *q = ADDR(create_qp_in, in, qpc);
	uint32_t id;

	begin(0x500);
	SET(qpc, q, st, type);
	SET(qpc, q, pd, pdn);
	SET(qpc, q, uar_page, 16);
	SET(qpc, q, log_rq_size, 4);
	SET(qpc, q, log_rq_stride, 1);
	SET(qpc, q, log_sq_size, 5);
	SET(qpc, q, cqn_snd, cqn[0]);
	SET(qpc, q, cqn_rcv, cqn[1]);
	SET(qpc, q, rq_type, with_srq ? 1 : 0);
	SET(qpc, q, srqn_rmpn_xrqn, srqn);
	SET(qpc, q, dbr_addr, QUEUES + n * 64);
	SET(qpc, q, rre, 1);
	SET(qpc, q, rwe, 1);
	SET(qpc, q, rae, 1);
	SET(qpc, q, mtu, 1 + below(5));
	SET(qpc, q, log_sra_max, 2);
	SET(qpc, q, log_rra_max, 2);
	SET(qpc, q, q_key, 0x11);
	SET(qpc, q, cs_res, below(3));
	SET(qpc, q, cs_req, below(3) * 0x11);
	SET(qpc, q, primary_address_path.rlid, hca.lid);
	SET(qpc, q, primary_address_path.ack_timeout, 8);
	SET(qpc, q, retry_count, 3);
	SET(qpc, q, rnr_retry, below(8));
	pas(IFC_OFF(create_qp_in, pas) / 8, QUEUES + 0x10000 + n * 0x4000, 2);
	id = command(in, IFC_OFF(create_qp_in, pas) / 8 + 16, NULL, 16);
	return id;
}

static void move_qp(uint32_t id, uint32_t peer, uint16_t opcode)
{
	uint8_t *q = ADDR(rst2init_qp_in, in, qpc);

	memcpy(in + 0, in, 0);
	{
		struct hca_qp *qp = table_get(&hca.qps, id);
		uint8_t keep[IFC_BYTES(qpc)];

		if (!qp)
			return;
		memcpy(keep, qp->ctx, sizeof(keep));
		begin(opcode);
		memcpy(q, keep, sizeof(keep));
	}
	SET(rst2init_qp_in, in, qpn, id);
	SET(qpc, q, remote_qpn, peer);
	SET(qpc, q, next_send_psn, 7);
	SET(qpc, q, next_rcv_psn, 7);
	command(in, IFC_BYTES(rst2init_qp_in), NULL, 16);
}

/* A guest that starts well. */
static void set_up(void)
{
	uint8_t *q;

	hca_reset_objects(&hca);
	begin(0x802);
	command(in, 16, NULL, 16);
	begin(0x800);
	pdn = command(in, 16, NULL, 16);

	begin(0x301);
	q = ADDR(create_eq_in, in, eq_context_entry);
	SET(eqc, q, log_eq_size, 6);
	SET(eqc, q, uar_page, 16);
	memset(ADDR(create_eq_in, in, event_bitmask), 0xff, 32);
	pas(IFC_OFF(create_eq_in, pas) / 8, QUEUES + 0x4000, 1);
	eqn = command(in, IFC_OFF(create_eq_in, pas) / 8 + 8, NULL, 16);

	for (int i = 0; i < 2; i++) {
		begin(0x400);
		q = ADDR(create_cq_in, in, cq_context);
		SET(cqc, q, log_cq_size, 4 + below(3));
		SET(cqc, q, cqe_sz, below(2));
		SET(cqc, q, uar_page, 16);
		SET(cqc, q, oi, below(4) != 0);
		SET(cqc, q, c_eqn_or_apu_element, eqn);
		SET(cqc, q, dbr_addr, QUEUES + 0x800 + i * 64);
		pas(IFC_OFF(create_cq_in, pas) / 8, QUEUES + 0x6000 + i * 0x2000, 2);
		cqn[i] = command(in, IFC_OFF(create_cq_in, pas) / 8 + 16, NULL, 16);
	}
	begin(0x90c);
	q = ADDR(create_rmp_in, in, ctx.wq);
	SET(wq, q, pd, pdn);
	SET(wq, q, dbr_addr, QUEUES + 0x900);
	SET(wq, q, log_wq_stride, 5);
	SET(wq, q, log_wq_sz, 4);
	SET(wq, q, lwm, 3);
	pas(IFC_BYTES(create_rmp_in), QUEUES + 0xa000, 1);
	srqn = command(in, IFC_BYTES(create_rmp_in) + 8, NULL, 16);

	for (int i = 0; i < 4; i++) {
		begin(0x200);
		q = ADDR(create_mkey_in, in, memory_key_mkey_entry);
		SET(mkc, q, access_mode_1_0, i);
		SET(mkc, q, pd, pdn);
		SET(mkc, q, qpn, 0xffffff);
		SET(mkc, q, lr, 1);
		SET(mkc, q, lw, 1);
		SET(mkc, q, rr, 1);
		SET(mkc, q, rw, 1);
		SET(mkc, q, a, 1);
		SET(mkc, q, umr_en, 1);
		SET(mkc, q, en_rinval, 1);
		SET(mkc, q, mkey_7_0, i);
		SET(mkc, q, len, 64 << 10);
		SET(mkc, q, length64, i == 0);
		SET(mkc, q, log_page_size, 12);
		SET(mkc, q, translations_octword_size, 8);
		SET(create_mkey_in, in, translations_octword_actual_size, 8);
		for (int k = 0; k < 16; k++) {
			uint8_t *x = in + IFC_OFF(create_mkey_in, klm_pas_mtt) / 8 + k * 8;

			if (i == 1)
				stq_be_p(x, (QUEUES + 0x200000 + k * 4096) | 3);
			else if (k % 2)
				stq_be_p(x, k * 256);
			else
				stq_be_p(x, 4096ULL << 32 | mkey[below(i + 1)] << 8 | below(4));
		}
		mkey[i] = command(in, IFC_OFF(create_mkey_in, klm_pas_mtt) / 8 + 128, NULL, 16);
	}
	for (int i = 0; i < 8; i++) {
		static const uint8_t types[8] = {QPT_RC, QPT_RC, QPT_UC, QPT_UC,
						 QPT_UD, QPT_UD, QPT_RC, QPT_RC};

		qpn[i] = make_qp(types[i], i, i == 7);
	}
	for (int i = 0; i < 8; i++)
		for (uint16_t op = 0x502; op <= 0x504; op++)
			move_qp(qpn[i], qpn[i ^ 1], op);
}

static void random_command(void)
{
	static const uint16_t ops[] = {
		0x100, 0x101, 0x107, 0x109, 0x10a, 0x200, 0x201, 0x202, 0x203, 0x301, 0x303,
		0x400, 0x401, 0x402, 0x403, 0x500, 0x501, 0x502, 0x503, 0x504, 0x505, 0x506,
		0x507, 0x50a, 0x50b, 0x50c, 0x50d, 0x50e, 0x705, 0x706, 0x707, 0x708, 0x750,
		0x754, 0x755, 0x761, 0x762, 0x764, 0x765, 0x770, 0x771, 0x773, 0x800, 0x801,
		0x802, 0x805, 0x806, 0x807, 0x80e, 0x900, 0x904, 0x905, 0x906, 0x908, 0x909,
		0x90a, 0x90c, 0x90d, 0x90e, 0x90f, 0x930, 0x931, 0x933, 0x934,
	};
	uint16_t op = below(20) ? ops[below(ARRAY_SIZE(ops))] : rnd();
	size_t len = below(4) ? 300 + below(1200) : below(64),
	       out = below(4) ? 16 + below(4200) : below(40);

	begin(op);
	stw_be_p(in + 6, below(3) ? below(2) : rnd());
	stl_be_p(in + 8, below(3) ? qpn[below(8)] : odd_number());
	for (unsigned int i = below(60); i; i--)
		stl_be_p(in + 12 + below(400) * 4, odd_number());
	if (below(3) == 0)
		for (size_t i = 272; i + 8 <= len; i += 8)
			stq_be_p(in + i, QUEUES + below(RAM - QUEUES));
	command(in, MIN(len, sizeof(in)), NULL, out);
	if (!below(50)) {
		/* and a broken entry */
		for (int i = 0; i < 64; i++)
			ram[CMDQ + i] = below(4) ? ram[CMDQ + i] : rnd();
		ram[CMDQ + 63] |= 1;
		cmd_doorbell(&hca, rnd());
	}
}

/* ---- work ----------------------------------------------------------------------------- */

static uint32_t some_key(void)
{
	unsigned int i = below(4);

	return below(20) ? mkey[i] << 8 | i : odd_number();
}

static void data_seg(uint8_t *p)
{
	if (!below(4)) {
		stl_be_p(p, 0x80000000U | below(200));
		return;
	}
	stl_be_p(p, below(8) ? below(9000) : odd_number());
	stl_be_p(p + 4, some_key());
	stq_be_p(p + 8, below(8) ? QUEUES + 0x200000 + below(65536) : odd_number());
}

static void random_send(void)
{
	static const uint8_t ops[] = { 0, 1, 8, 9, 10, 11, 16, 17, 18, 0x25, 0x14, 0x0e };
	unsigned int n = below(8);
	struct hca_qp *qp = table_get(&hca.qps, qpn[n]);
	uint8_t *dbr = ram + QUEUES + n * 64 + 4;
	uint16_t prod = be32p(dbr), count = 1 + below(4);

	for (; count; count--) {
		uint8_t *w = ram + QUEUES + 0x10000 + n * 0x4000 + 512 + (prod % 32) * 64;
		unsigned int ds = below(10) ? 2 + below(8) : below(64), at;

		w[0] = 0;
		stw_be_p(w + 1, prod);
		w[3] = ops[below(sizeof(ops))];
		stl_be_p(w + 4, qpn[n] << 8 | ds);
		stl_be_p(w + 8, rnd());
		stl_be_p(w + 12, below(2) ? some_key() : rnd());
		for (at = 16; at < MIN(ds, 28) * 16U &&
			      w + at + 16 < ram + QUEUES + 0x10000 + n * 0x4000 + 512 + 2048;
		     at += 16) {
			if (at < 32 && (w[3] & 0x18)) {
				stq_be_p(w + at, QUEUES + 0x200000 + below(65536));
				stl_be_p(w + at + 8, some_key());
			} else if (below(3)) {
				data_seg(w + at);
			} else {
				for (int i = 0; i < 16; i += 8)
					stq_be_p(w + at + i, odd_number());
			}
		}
		if (qp && qp->type == QPT_UD) {
			stl_be_p(w + 16, 0x11);
			stl_be_p(w + 24, 0x80000000U | (below(4) ? qpn[4 + below(2)] : 0xffffff));
			stw_be_p(w + 30, hca.lid);
		}
		prod += DIV_ROUND_UP(MAX(ds, 1), 4);
	}
	stl_be_p(dbr, below(40) ? prod : rnd());
	sq_doorbell(&hca, 16, rnd(), (below(30) ? qpn[n] : (uint32_t)odd_number()) << 8);
	if (!below(4)) {
		uint8_t bf[64];

		for (int i = 0; i < 64; i++)
			bf[i] = rnd();
		stl_be_p(bf + 4, qpn[n] << 8 | 1);
		sq_blueflame(&hca, 16, bf);
	}
	doorbells++;
}

static void random_receive(void)
{
	unsigned int n = below(9);
	uint8_t *dbr = n == 8 ? ram + QUEUES + 0x900 : ram + QUEUES + n * 64;
	uint8_t *ring = n == 8 ? ram + QUEUES + 0xa000 : ram + QUEUES + 0x10000 + n * 0x4000;

	for (int i = 0; i < 16; i++) {
		uint8_t *w = ring + i * 32;

		if (n == 8) {
			stq_be_p(w, 0);
			stw_be_p(w + 2, below(10) ? (i + 1) % 16 : rnd());
			data_seg(w + 16);
		} else {
			data_seg(w);
			data_seg(w + 16);
		}
	}
	stl_be_p(dbr, below(30) ? be32p(dbr) + below(16) : rnd());
}

static void random_packet(void)
{
	size_t len = below(4) ? below(HCA_MAX_MTU + 1) : below(40);
	struct hca_pkt *p = g_malloc(sizeof(*p) + len);
	unsigned int n = below(8);
	struct hca_qp *qp = table_get(&hca.qps, qpn[n]);

	for (size_t i = 0; i < sizeof(*p); i++)
		((uint8_t *)p)[i] = rnd();
	memset(p->data, 0x55, len);
	p->len = len;
	p->op = below(40) ? below(0x18) : PKT_ETH;
	if (below(20))
		p->dqpn = qpn[n];
	if (qp && below(20)) {
		p->type = qp->type;
		p->sqpn = qp->remote_qpn;
		p->psn = psn_add(below(2) ? qp->epsn : qp->una, below(4) ? 0 : below(5) - 2);
		p->rkey = some_key();
		p->va = QUEUES + 0x200000 + below(65536);
		p->dmalen = below(3) ? len : below(100000);
		p->qkey = 0x11;
	}
	transport_rx(&hca, p);
	packets++;
	g_free(p);
}

static void run(void)
{
	struct hca_timer *t, *next;
	struct hca_rx *r;
	struct hca_qp *qp;

	for (int i = 0; i < 200; i++) {
		bool any = false;

		now += below(100000);
		if ((r = QTAILQ_FIRST(&hca.rx))) {
			QTAILQ_REMOVE(&hca.rx, r, link);
			hca.rx_count--;
			transport_rx(&hca, &r->pkt);
			g_free(r);
			any = true;
		}
		if ((qp = QTAILQ_FIRST(&hca.run))) {
			QTAILQ_REMOVE(&hca.run, qp, run);
			qp->queued = false;
			qp_run(&hca, qp);
			any = true;
		}
		for (t = QTAILQ_FIRST(&hca.timers); t; t = next) {
			next = QTAILQ_NEXT(t, link);
			if (t->when <= now) {
				hca_timer_del(&hca, t);
				t->fn(&hca, t->opaque);
				any = true;
				break;
			}
		}
		if (!any)
			break;
	}
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 10);
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	unsigned long rounds = 0;

	QTAILQ_INIT(&hca.rx);
	QTAILQ_INIT(&hca.timers);
	QTAILQ_INIT(&hca.run);
	QTAILQ_INIT(&hca.mcgs);
	fabric_attach(&hca);
	while (time(NULL) < end) {
		rng_state = seed * 0x9e3779b97f4a7c15ULL + rounds * 2 + 1;
		hca.roce = false;
		memset(ram + QUEUES, 0, 0x10000);
		set_up();
		for (unsigned int i = 100 + below(400); i; i--) {
			switch (below(8)) {
			case 0: random_command(); break;
			case 1: random_receive(); break;
			case 2: random_packet(); break;
			case 3:
				cq_arm(&hca, 16, rnd(),
				       below(8) ? cqn[below(2)] : rnd() & 0xffffff);
				break;
			case 4:
				eq_doorbell(&hca, 16, below(4) ? eqn << 24 | below(64) : rnd(),
					    below(2));
				break;
			case 5:
				/* The guest polls now and then. */
				for (int k = 0; k < 2; k++) {
					struct hca_cq *cq = table_get(&hca.cqs, cqn[k]);

					if (cq)
						stl_be_p(ram + QUEUES + 0x800 + k * 64, cq->pi);
				}
				break;
			default: random_send(); break;
			}
			run();
		}
		rounds++;
	}
	hca_reset_objects(&hca);
	printf("%lu rounds from seed %llu: %lu commands (%lu good), %lu doorbells, %lu packets, "
	       "%" PRIu64 " on the wire, no fault\n",
	       rounds, (unsigned long long)seed, commands, good, doorbells, packets,
	       hca.cnt.tx_packets);
	return 0;
}
