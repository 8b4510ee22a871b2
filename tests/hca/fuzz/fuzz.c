// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A hostile guest for the whole model, without QEMU: random commands, work
 * queues, doorbells, registers, packets and faults, through its BAR and by DMA.
 * Built with address and undefined-behaviour sanitizers; what it must do is end,
 * and answer commands. fuzz [SECONDS [SEED]].
 */
#include "fuzz.h"
#include "sysemu/cpu-timers.h"
#include <sanitizer/common_interface_defs.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

enum {
	CMDQ = 0x1000, MBOX = 0x100000, QUEUES = 0x400000,

	REG_CMDQ_H = 0x10, REG_CMDQ_L = 0x14, REG_CMD_DBELL = 0x18, NIC_RESET = 7,
	UAR = 16, UAR_CQ_ARM = 0x20, UAR_EQ_ARM = 0x40, UAR_EQ_UPDATE = 0x48, UAR_SQ = 0x800,

	STUCK_SECONDS = 30,
};

static PCIDevice *pci;
static struct hca *hca;
static uint64_t rng_state, seed;
static unsigned long rounds, commands, good, packets, doorbells, accesses;

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

/* ---- the device ----------------------------------------------------------------------- */

static void fail(const char *what)
{
	fprintf(stderr, "fuzz: round %lu of seed %" PRIu64 ", %s: %s\n", rounds, seed,
		use_icount ? "timer" : "thread", what);
	abort();
}

static void stuck(int sig)
{
	/* Whatever this may hold up, it is the end. */
	__sanitizer_print_stack_trace();
	fail("the model hangs");
}

/* Let it work for a while, bounded: timers and answers may come for ever. */
static void run(void)
{
	for (int i = 0; use_icount && i < 200 && fuzz_tick(); i++)
		;
}

static bool answered(const uint8_t *entry)
{
	const volatile uint8_t *own = entry + 63;
	time_t end = time(NULL) + 10;

	if (use_icount) {
		for (int i = 0; i < 5000 && (*own & 1) && fuzz_tick(); i++)
			;
	} else {
		while ((*own & 1) && !hca->dead && time(NULL) < end)
			g_usleep(20);
	}
	return !(*own & 1);
}

/* The thread owns the objects: then there is nothing to look at. */
static void *peek(struct hca_table *t, uint32_t id)
{
	return use_icount ? table_get(t, id) : NULL;
}

static void uar(unsigned int off, uint64_t v)
{
	uint64_t at = (below(50) ? UAR : below(HCA_NUM_UARS)) * HCA_PAGE + off;

	if (below(2)) {
		bar_wr(at, v, 8);
	} else {
		bar_wr(at, v >> 32, 4);
		bar_wr(at + 4, v & 0xffffffff, 4);
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
	bar_wr(REG_CMDQ_H, 0, 4);
	bar_wr(REG_CMDQ_L, CMDQ, 4);
	bar_wr(REG_CMD_DBELL, 1, 4);
	commands++;
	if (!answered(e)) {
		/* Only a dead device may not answer, and a reset revives it. */
		if (!hca->dead && !hca->ring_lost)
			fail("a command without an answer");
		hca->ring_lost = false;
		bar_wr(REG_CMDQ_L, CMDQ | NIC_RESET << 8, 4);
		return 0;
	}
	if (out) {
		memcpy(out, e + 32, 16);
		for (size_t off = 16, at = MBOX + 0x80000; off < out_len; off += 512, at += 1024)
			memcpy(out + off, ram + at, MIN(512, out_len - off));
	}
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
	SET(qpc, q, primary_address_path.rlid, hca->lid);
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
	uint8_t answer[IFC_BYTES(query_qp_out)], *keep = ADDR(query_qp_out, answer, qpc);

	begin(0x50b);
	SET(query_qp_in, in, qpn, id);
	memset(answer, 0, sizeof(answer));
	command(in, 16, answer, sizeof(answer));
	begin(opcode);
	memcpy(q, keep, IFC_BYTES(qpc));
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

	/* The way it was before: off, and on again. */
	bar_wr(REG_CMDQ_L, CMDQ | NIC_RESET << 8, 4);
	memset(&hca->fault, 0, sizeof(hca->fault));
	run();
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
		bar_wr(REG_CMD_DBELL, rnd(), 4);
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
	struct hca_qp *qp = peek(&hca->qps, qpn[n]);
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
			stw_be_p(w + 30, hca->lid);
		}
		prod += DIV_ROUND_UP(MAX(ds, 1), 4);
	}
	stl_be_p(dbr, below(40) ? prod : rnd());
	uar(UAR_SQ + below(2) * 0x100,
	    rnd() << 32 | (uint32_t)(below(30) ? qpn[n] : odd_number()) << 8);
	if (!below(4)) {
		uint8_t bf[64];

		for (int i = 0; i < 64; i++)
			bf[i] = rnd();
		stl_be_p(bf + 4, qpn[n] << 8 | 1);
		for (int i = 0; i < 64; i += 8)
			bar_wr(UAR * HCA_PAGE + UAR_SQ + i, be64p(bf + i), 8);
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
	struct hca_qp *qp = peek(&hca->qps, qpn[n]);

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
	transport_rx(hca, p);
	packets++;
	g_free(p);
}

/* Registers, read and written without sense; and what befalls a device. */
static void random_access(void)
{
	static const unsigned int sizes[] = {1, 2, 4, 4, 4, 8};
	unsigned int size = sizes[below(ARRAY_SIZE(sizes))];
	uint64_t at = below(3) ? below(0x4000) : below(HCA_BAR_SIZE);
	static const char *const faults[] = {"link down", "link up", "fatal"};
	struct hca_msg m = { .what = MSG_FAULT };

	accesses++;
	at &= ~(uint64_t)(size - 1);
	if (below(2)) {
		bar_rd(below(4) ? at : below(0x240) & ~(size - 1), size);
		return;
	}
	switch (below(40)) {
	case 0:
		snprintf((char *)m.bf, sizeof(m.bf), "%s", faults[below(ARRAY_SIZE(faults))]);
		hca_post(hca, &m);
		break;
	case 1:
		hca->fault.drop = below(2) * below(20);
		hca->fault.dup = below(2) * below(20);
		hca->fault.corrupt = below(2) * below(20);
		hca->fault.delay_us = below(2) * below(500);
		hca->fault.fail_cmd_next = below(3);
		hca->fault.fail_status = 1 + below(16);
		break;
	case 2:
		fuzz_reset(pci);
		break;
	case 3:
		hca->gone = true;
		bar_rd(at, size);
		bar_wr(at, rnd(), size);
		hca->gone = false;
		break;
	case 4:
		/* Faster than any engine. */
		for (unsigned int i = below(2) ? 100 : HCA_RING + 100; i; i--)
			bar_wr(UAR * HCA_PAGE + UAR_SQ, (uint64_t)qpn[below(8)] << 8, 8);
		break;
	case 5:
		bar_wr(REG_CMDQ_H, odd_number(), 4);
		bar_wr(REG_CMDQ_L, odd_number(), 4);
		bar_wr(REG_CMD_DBELL, rnd(), 4);
		break;
	default:
		bar_wr(at, below(2) ? rnd() : odd_number(), size);
	}
}

static void one_round(void)
{
	/* Of processor time: a busy machine is no hang. */
	const struct itimerval limit = { .it_value.tv_sec = STUCK_SECONDS };
	static bool known;

	rng_state = seed * 0x9e3779b97f4a7c15ULL + rounds * 2 + 1;
	setitimer(ITIMER_PROF, &limit, NULL);
	alarm(20 * STUCK_SECONDS);	/* a deadlock takes none */
	if (!known || !below(20)) {
		/* As another kind of port, now and then. */
		if (known)
			fuzz_device_end(pci);
		pci = fuzz_device(below(3) == 0);
		hca = fuzz_hca();
		known = true;
	}
	memset(ram + QUEUES, 0, 0x10000);
	set_up();
	for (unsigned int i = 100 + below(400); i; i--) {
		switch (below(9)) {
		case 0: random_command(); break;
		case 1: random_receive(); break;
		case 2:
			if (use_icount)
				random_packet();
			break;
		case 3:
			uar(UAR_CQ_ARM, rnd() << 32 | (below(8) ? cqn[below(2)] : rnd() & 0xffffff));
			break;
		case 4:
			uar(below(2) ? UAR_EQ_ARM : UAR_EQ_UPDATE,
			    (uint64_t)(below(4) ? eqn << 24 | below(64) : (uint32_t)rnd()) << 32);
			break;
		case 5:
			/* The guest polls now and then. */
			for (int k = 0; k < 2; k++) {
				struct hca_cq *cq = peek(&hca->cqs, cqn[k]);

				stl_be_p(ram + QUEUES + 0x800 + k * 64, cq ? cq->pi : rnd());
			}
			break;
		case 6: random_access(); break;
		default: random_send(); break;
		}
		run();
	}
	rounds++;
}

int main(int argc, char **argv)
{
	unsigned int seconds = argc > 1 ? atoi(argv[1]) : 10;

	seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	signal(SIGPROF, stuck);
	signal(SIGALRM, stuck);
	/* Three quarters with the engine on guest time, where a seed repeats itself. */
	for (int part = 0; part < 4; part++) {
		time_t end = time(NULL) + MAX(seconds / 4, 1);

		if (part == 3) {
			fuzz_device_end(pci);
			use_icount = 0;
			pci = fuzz_device(false);
			hca = fuzz_hca();
		}
		while (time(NULL) < end)
			one_round();
	}
	fuzz_device_end(pci);
	printf("%lu rounds from seed %" PRIu64 ": %lu commands (%lu good), %lu doorbells, "
	       "%lu packets, %lu odd accesses, %lu interrupts, no fault\n",
	       rounds, seed, commands, good, doorbells, packets, accesses, interrupts);
	return 0;
}
