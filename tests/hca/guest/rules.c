// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What a responder, a requester and a completion queue must do, seen through
 * libibverbs on one device that talks to itself. Prints TAP.
 */
#include <infiniband/verbs.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <fcntl.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <sys/mman.h>

enum { SIZE = 1 << 16, DEPTH = 64 };

static struct ibv_context *ctx;
static struct ibv_pd *pd, *other_pd;
static struct ibv_port_attr port;
static union ibv_gid gid;
static int gid_index = -1;
static unsigned char *src, *dst;
static struct ibv_mr *smr, *dmr;
static int number, failures;

static void result(bool good, const char *name, const char *detail)
{
	printf("%sok %d - %s%s%s\n", good ? "" : "not ", ++number, name, good ? "" : " # ",
	       good ? "" : detail);
	fflush(stdout);
	failures += !good;
}

#define CHECK(cond, name, ...) \
	do { \
		char detail_[200]; \
		snprintf(detail_, sizeof(detail_), __VA_ARGS__); \
		result(cond, name, detail_); \
	} while (0)

static void die(const char *what)
{
	printf("Bail out! %s: %s\n", what, strerror(errno));
	exit(1);
}

/* ---- a pair of connected queue pairs ------------------------------------------ */

struct pair {
	struct ibv_comp_channel *channel;
	struct ibv_cq *scq, *rcq;
	struct ibv_qp *a, *b;		/* a sends, b answers */
};

struct how {
	enum ibv_qp_type type;
	int access, rnr_retry, retry, timeout, min_rnr;
	int scq_size, psn_off;
	bool leave_b_in_reset;
	struct ibv_srq *srq;
};

static const struct how plain = {
	.type = IBV_QPT_RC,
	.rnr_retry = 7,
	.retry = 7,
	.timeout = 10,
	.min_rnr = 1,
	.access = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC |
		  IBV_ACCESS_LOCAL_WRITE,
};

static int to_init(struct ibv_qp *qp, const struct how *h)
{
	struct ibv_qp_attr a = {.qp_state = IBV_QPS_INIT,
				.port_num = 1,
				.qp_access_flags = h->access,
				.qkey = 0x1234};

	return ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			     (h->type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS));
}

static struct ibv_ah_attr path(void)
{
	struct ibv_ah_attr ah = { .dlid = port.lid, .port_num = 1 };

	if (gid_index >= 0) {
		ah.is_global = 1;
		ah.grh.dgid = gid;
		ah.grh.sgid_index = gid_index;
		ah.grh.hop_limit = 1;
	}
	return ah;
}

static int to_rts(struct ibv_qp *qp, struct ibv_qp *to, const struct how *h, int rq_psn)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = to->qp_num,
		.rq_psn = rq_psn,
		.max_dest_rd_atomic = 4,
		.min_rnr_timer = h->min_rnr,
		.ah_attr = path(),
	};
	int m = IBV_QP_STATE;

	if (h->type != IBV_QPT_UD)
		m |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	if (h->type == IBV_QPT_RC)
		m |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	if (ibv_modify_qp(qp, &a, m))
		return -1;
	a = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS,
		.sq_psn = 0x345,
		.timeout = h->timeout,
		.retry_cnt = h->retry,
		.rnr_retry = h->rnr_retry,
		.max_rd_atomic = 4,
	};
	m = IBV_QP_STATE | IBV_QP_SQ_PSN;
	if (h->type == IBV_QPT_RC)
		m |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
	return ibv_modify_qp(qp, &a, m);
}

static void pair_open(struct pair *p, const struct how *h)
{
	struct ibv_qp_init_attr i = {
		.qp_type = h->type,
		.cap = {.max_send_wr = DEPTH,
			.max_recv_wr = DEPTH,
			.max_send_sge = 4,
			.max_recv_sge = 4,
			.max_inline_data = 64},
	};

	p->channel = ibv_create_comp_channel(ctx);
	p->scq = ibv_create_cq(ctx, h->scq_size ? h->scq_size : 4 * DEPTH, NULL, p->channel, 0);
	p->rcq = ibv_create_cq(ctx, 4 * DEPTH, NULL, p->channel, 0);
	if (!p->channel || !p->scq || !p->rcq)
		die("CQ");
	i.send_cq = p->scq;
	i.recv_cq = p->rcq;
	p->a = ibv_create_qp(pd, &i);
	i.srq = h->srq;
	p->b = ibv_create_qp(pd, &i);
	if (!p->a || !p->b)
		die("QP");
	if (to_init(p->a, h) || to_init(p->b, h) || to_rts(p->a, p->b, h, 0x345))
		die("modify QP");
	if (!h->leave_b_in_reset && to_rts(p->b, p->a, h, 0x345 + h->psn_off))
		die("modify QP");
}

static void pair_close(struct pair *p)
{
	ibv_destroy_qp(p->a);
	ibv_destroy_qp(p->b);
	ibv_destroy_cq(p->scq);
	ibv_destroy_cq(p->rcq);
	ibv_destroy_comp_channel(p->channel);
}

/* ---- work -------------------------------------------------------------------------- */

static int post(struct ibv_qp *qp, enum ibv_wr_opcode op, void *at, size_t len, uint32_t lkey,
		uint64_t raddr, uint32_t rkey, int flags, uint64_t id)
{
	struct ibv_sge s = { (uintptr_t)at, len, lkey };
	struct ibv_send_wr *bad, w = {
		.wr_id = id, .sg_list = &s, .num_sge = 1, .opcode = op, .send_flags = flags,
		.wr.rdma = { raddr, rkey },
	};

	if (op == IBV_WR_ATOMIC_FETCH_AND_ADD || op == IBV_WR_ATOMIC_CMP_AND_SWP) {
		w.wr.atomic.remote_addr = raddr;
		w.wr.atomic.rkey = rkey;
		w.wr.atomic.compare_add = id;
		w.wr.atomic.swap = id + 1;
	}
	if (op == IBV_WR_RDMA_WRITE_WITH_IMM || op == IBV_WR_SEND_WITH_IMM)
		w.imm_data = 0x11223344;
	return ibv_post_send(qp, &w, &bad);
}

static int post_recv(struct ibv_qp *qp, void *at, size_t len, uint32_t lkey, uint64_t id)
{
	struct ibv_sge s = { (uintptr_t)at, len, lkey };
	struct ibv_recv_wr *bad, w = { .wr_id = id, .sg_list = &s, .num_sge = 1 };

	return ibv_post_recv(qp, &w, &bad);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

/* The next completion, or one of status -1 when none comes. */
static struct ibv_wc wait_wc(struct ibv_cq *cq, double limit)
{
	struct ibv_wc wc = { .status = -1 };
	double end = seconds() + limit;

	while (seconds() < end)
		if (ibv_poll_cq(cq, 1, &wc) > 0)
			return wc;
	wc.status = -1;
	return wc;
}

static int wait_event(double limit)
{
	struct pollfd f = { .fd = ctx->async_fd, .events = POLLIN };
	struct ibv_async_event e;

	if (poll(&f, 1, limit * 1000) <= 0 || ibv_get_async_event(ctx, &e))
		return -1;
	ibv_ack_async_event(&e);
	return e.event_type;
}

static bool saw_event(int type, double limit)
{
	double end = seconds() + limit;
	int e;

	while (seconds() < end)
		while ((e = wait_event(0.1)) >= 0)
			if (e == type)
				return true;
	return false;
}

static void drain_events(void)
{
	while (wait_event(0.05) >= 0)
		;
}

/* One operation on a pair of its own that must end with this status. */
static void expect(const char *name, const struct how *h, enum ibv_wr_opcode op, void *at,
		   size_t len, uint32_t lkey, uint64_t raddr, uint32_t rkey, int status)
{
	struct pair p;
	struct ibv_wc wc;

	pair_open(&p, h);
	if (post(p.a, op, at, len, lkey, raddr, rkey, IBV_SEND_SIGNALED, 7))
		die("post");
	wc = wait_wc(p.scq, 10);
	CHECK((int)wc.status == status && wc.wr_id == 7, name, "status %d vendor 0x%x, expected %d",
	      (int)wc.status, wc.vendor_err, status);
	pair_close(&p);
	drain_events();
}

static void fill(void)
{
	for (int i = 0; i < SIZE; i++) {
		src[i] = i * 7 + i / 256;
		dst[i] = 0;
	}
}

/* ---- the tests ------------------------------------------------------------------------ */

static void good_operations(void)
{
	struct ibv_send_wr *bad, w[4];
	struct ibv_sge s[4];
	struct ibv_wc wc;
	struct pair p;
	uint64_t v;

	pair_open(&p, &plain);
	fill();
	post(p.a, IBV_WR_RDMA_WRITE, src, 5000, smr->lkey, (uintptr_t)dst + 3, dmr->rkey,
	     IBV_SEND_SIGNALED, 1);
	wc = wait_wc(p.scq, 5);
	CHECK(wc.status == IBV_WC_SUCCESS && !memcmp(src, dst + 3, 5000) && !dst[5003] && !dst[2],
	      "write of several packets, to an odd address", "status %d", (int)wc.status);

	fill();
	post(p.a, IBV_WR_RDMA_READ, dst, 5000, dmr->lkey, (uintptr_t)src + 1, smr->rkey,
	     IBV_SEND_SIGNALED, 1);
	wc = wait_wc(p.scq, 5);
	CHECK(wc.status == IBV_WC_SUCCESS && !memcmp(src + 1, dst, 5000) && wc.byte_len == 5000,
	      "read of several packets", "status %d", (int)wc.status);

	fill();
	memset(w, 0, sizeof(w));
	for (int i = 0; i < 4; i++)
		s[i] = (struct ibv_sge) { (uintptr_t)src + i * 1000, 700 + i, smr->lkey };
	w[0] = (struct ibv_send_wr){.sg_list = s,
				    .num_sge = 4,
				    .opcode = IBV_WR_RDMA_WRITE,
				    .send_flags = IBV_SEND_SIGNALED,
				    .wr.rdma = {(uintptr_t)dst, dmr->rkey}};
	ibv_post_send(p.a, w, &bad);
	wc = wait_wc(p.scq, 5);
	CHECK(wc.status == IBV_WC_SUCCESS && !memcmp(dst, src, 700) &&
		      !memcmp(dst + 700, src + 1000, 701) && !memcmp(dst + 1401, src + 2000, 702) &&
		      !memcmp(dst + 2103, src + 3000, 703),
	      "write from four pieces", "status %d", (int)wc.status);

	fill();
	post(p.a, IBV_WR_RDMA_WRITE, src, 40, 0, (uintptr_t)dst, dmr->rkey,
	     IBV_SEND_SIGNALED | IBV_SEND_INLINE, 1);
	wc = wait_wc(p.scq, 5);
	CHECK(wc.status == IBV_WC_SUCCESS && !memcmp(dst, src, 40), "inline write", "status %d",
	      (int)wc.status);

	fill();
	for (int i = 0; i < 4; i++) {
		s[i] = (struct ibv_sge) { (uintptr_t)src + i * 10, 10, smr->lkey };
		w[i] = (struct ibv_send_wr){.wr_id = i,
					    .sg_list = s + i,
					    .num_sge = 1,
					    .opcode = IBV_WR_RDMA_WRITE,
					    .next = i < 3 ? w + i + 1 : NULL,
					    .send_flags = i == 3 ? IBV_SEND_SIGNALED : 0,
					    .wr.rdma = {(uintptr_t)dst + i * 10, dmr->rkey}};
	}
	ibv_post_send(p.a, w, &bad);
	wc = wait_wc(p.scq, 5);
	CHECK(wc.status == IBV_WC_SUCCESS && wc.wr_id == 3 && !memcmp(dst, src, 40),
	      "chain of four, the last signalled", "status %d id %d", (int)wc.status,
	      (int)wc.wr_id);
	CHECK(ibv_poll_cq(p.scq, 1, &wc) == 0, "the unsignalled ones leave no completion",
	      "there is one");

	fill();
	post_recv(p.b, dst, 3000, dmr->lkey, 9);
	post(p.a, IBV_WR_SEND_WITH_IMM, src, 2500, smr->lkey, 0, 0, IBV_SEND_SIGNALED, 1);
	wc = wait_wc(p.rcq, 5);
	CHECK(wc.status == IBV_WC_SUCCESS && wc.opcode == IBV_WC_RECV && wc.byte_len == 2500 &&
		      wc.imm_data == 0x11223344 && (wc.wc_flags & IBV_WC_WITH_IMM) &&
		      wc.wr_id == 9 && !memcmp(src, dst, 2500),
	      "send with immediate", "status %d", (int)wc.status);
	wait_wc(p.scq, 5);

	fill();
	post_recv(p.b, NULL, 0, dmr->lkey, 10);
	post(p.a, IBV_WR_RDMA_WRITE_WITH_IMM, src, 2500, smr->lkey, (uintptr_t)dst, dmr->rkey,
	     IBV_SEND_SIGNALED, 1);
	wc = wait_wc(p.rcq, 5);
	CHECK(wc.status == IBV_WC_SUCCESS && wc.opcode == IBV_WC_RECV_RDMA_WITH_IMM &&
		      wc.byte_len == 2500 && wc.imm_data == 0x11223344 && !memcmp(src, dst, 2500),
	      "write with immediate", "status %d opcode %d", (int)wc.status, (int)wc.opcode);
	wait_wc(p.scq, 5);

	v = 1000;
	memcpy(dst, &v, 8);
	post(p.a, IBV_WR_ATOMIC_FETCH_AND_ADD, src, 8, smr->lkey, (uintptr_t)dst, dmr->rkey,
	     IBV_SEND_SIGNALED, 5);
	wc = wait_wc(p.scq, 5);
	memcpy(&v, src, 8);
	CHECK(wc.status == IBV_WC_SUCCESS && v == 1000 && *(uint64_t *)dst == 1005, "fetch and add",
	      "status %d, %llu -> %llu", (int)wc.status, (unsigned long long)v,
	      (unsigned long long)*(uint64_t *)dst);
	post(p.a, IBV_WR_ATOMIC_CMP_AND_SWP, src, 8, smr->lkey, (uintptr_t)dst, dmr->rkey,
	     IBV_SEND_SIGNALED, 1005);
	wc = wait_wc(p.scq, 5);
	CHECK(wc.status == IBV_WC_SUCCESS && *(uint64_t *)dst == 1006 && *(uint64_t *)src == 1005,
	      "compare and swap, equal", "status %d", (int)wc.status);
	post(p.a, IBV_WR_ATOMIC_CMP_AND_SWP, src, 8, smr->lkey, (uintptr_t)dst, dmr->rkey,
	     IBV_SEND_SIGNALED, 5);
	wc = wait_wc(p.scq, 5);
	CHECK(wc.status == IBV_WC_SUCCESS && *(uint64_t *)dst == 1006 && *(uint64_t *)src == 1006,
	      "compare and swap, not equal", "status %d", (int)wc.status);
	pair_close(&p);
}

static void responder_checks(void)
{
	struct how h = plain;
	struct ibv_mr *ro =
		ibv_reg_mr(pd, dst, 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	struct ibv_mr *alien =
		ibv_reg_mr(other_pd, dst, 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	struct ibv_mr *local = ibv_reg_mr(pd, dst, 4096, 0);
	struct ibv_mr *gone;
	uint32_t stale;

	if (!ro || !alien || !local)
		die("MR");
	expect("a wrong rkey is refused", &h, IBV_WR_RDMA_WRITE, src, 8, smr->lkey, (uintptr_t)dst,
	       dmr->rkey + 1, IBV_WC_REM_ACCESS_ERR);
	expect("an rkey of nothing is refused", &h, IBV_WR_RDMA_WRITE, src, 8, smr->lkey,
	       (uintptr_t)dst, 0xfffffe00, IBV_WC_REM_ACCESS_ERR);
	expect("a write past the end is refused", &h, IBV_WR_RDMA_WRITE, src, 16, smr->lkey,
	       (uintptr_t)dst + SIZE - 8, dmr->rkey, IBV_WC_REM_ACCESS_ERR);
	expect("a write before the start is refused", &h, IBV_WR_RDMA_WRITE, src, 16, smr->lkey,
	       (uintptr_t)dst - 8, dmr->rkey, IBV_WC_REM_ACCESS_ERR);
	expect("a read past the end is refused", &h, IBV_WR_RDMA_READ, src, 16, smr->lkey,
	       (uintptr_t)dst + SIZE - 8, dmr->rkey, IBV_WC_REM_ACCESS_ERR);
	expect("a write to a read-only region is refused", &h, IBV_WR_RDMA_WRITE, src, 8, smr->lkey,
	       (uintptr_t)dst, ro->rkey, IBV_WC_REM_ACCESS_ERR);
	expect("an atomic on a region without the right is refused", &h,
	       IBV_WR_ATOMIC_FETCH_AND_ADD, src, 8, smr->lkey, (uintptr_t)dst, ro->rkey,
	       IBV_WC_REM_ACCESS_ERR);
	expect("a region of another domain is refused", &h, IBV_WR_RDMA_WRITE, src, 8, smr->lkey,
	       (uintptr_t)dst, alien->rkey, IBV_WC_REM_ACCESS_ERR);
	expect("a local region is not remote", &h, IBV_WR_RDMA_READ, src, 8, smr->lkey,
	       (uintptr_t)dst, local->rkey, IBV_WC_REM_ACCESS_ERR);
	expect("an atomic on an odd address is refused", &h, IBV_WR_ATOMIC_FETCH_AND_ADD, src, 8,
	       smr->lkey, (uintptr_t)dst + 4, dmr->rkey, IBV_WC_REM_INV_REQ_ERR);
	h.access = IBV_ACCESS_REMOTE_READ;
	expect("a queue pair without the right refuses writes", &h, IBV_WR_RDMA_WRITE, src, 8,
	       smr->lkey, (uintptr_t)dst, dmr->rkey, IBV_WC_REM_ACCESS_ERR);
	h.access = IBV_ACCESS_REMOTE_WRITE;
	expect("a queue pair without the right refuses reads", &h, IBV_WR_RDMA_READ, src, 8,
	       smr->lkey, (uintptr_t)dst, dmr->rkey, IBV_WC_REM_ACCESS_ERR);
	h = plain;
	expect("a wrong lkey is a local error", &h, IBV_WR_RDMA_WRITE, src, 8, smr->lkey + 1,
	       (uintptr_t)dst, dmr->rkey, IBV_WC_LOC_PROT_ERR);
	expect("an lkey of another domain is a local error", &h, IBV_WR_RDMA_WRITE, dst, 8,
	       alien->lkey, (uintptr_t)dst, dmr->rkey, IBV_WC_LOC_PROT_ERR);
	expect("a read into memory not writable is a local error", &h, IBV_WR_RDMA_READ, dst, 8,
	       local->lkey, (uintptr_t)dst, dmr->rkey, IBV_WC_LOC_PROT_ERR);
	gone = ibv_reg_mr(pd, dst, 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	stale = gone->rkey;
	ibv_dereg_mr(gone);
	expect("an rkey of the past is refused", &h, IBV_WR_RDMA_WRITE, src, 8, smr->lkey,
	       (uintptr_t)dst, stale, IBV_WC_REM_ACCESS_ERR);
	ibv_dereg_mr(ro);
	ibv_dereg_mr(alien);
	ibv_dereg_mr(local);
}

static void receive_checks(void)
{
	struct how h = plain;
	struct ibv_wc wc;
	struct pair p;
	double t;

	h.rnr_retry = 2;
	h.min_rnr = 12;
	t = seconds();
	expect("no receive: RNR retries run out", &h, IBV_WR_SEND, src, 8, smr->lkey, 0, 0,
	       IBV_WC_RNR_RETRY_EXC_ERR);
	CHECK(seconds() - t < 5, "and do so soon", "%.1f s", seconds() - t);

	h = plain;
	h.min_rnr = 14;
	pair_open(&p, &h);
	fill();
	post(p.a, IBV_WR_SEND, src, 100, smr->lkey, 0, 0, IBV_SEND_SIGNALED, 1);
	usleep(30000);
	CHECK(ibv_poll_cq(p.scq, 1, &wc) == 0, "RNR 7 waits", "it completed");
	post_recv(p.b, dst, 100, dmr->lkey, 2);
	wc = wait_wc(p.scq, 5);
	CHECK(wc.status == IBV_WC_SUCCESS && !memcmp(src, dst, 100),
	      "and succeeds when the receive comes", "status %d", (int)wc.status);
	pair_close(&p);

	pair_open(&p, &plain);
	post_recv(p.b, dst, 50, dmr->lkey, 2);
	post(p.a, IBV_WR_SEND, src, 100, smr->lkey, 0, 0, IBV_SEND_SIGNALED, 1);
	wc = wait_wc(p.rcq, 5);
	CHECK(wc.status == IBV_WC_LOC_LEN_ERR,
	      "a message longer than its receive: local length error", "status %d", (int)wc.status);
	wc = wait_wc(p.scq, 5);
	CHECK(wc.status == IBV_WC_REM_INV_REQ_ERR, "and the sender is told", "status %d",
	      (int)wc.status);
	pair_close(&p);

	pair_open(&p, &plain);
	post_recv(p.b, dst, 100, dmr->lkey + 1, 2);
	post(p.a, IBV_WR_SEND, src, 100, smr->lkey, 0, 0, IBV_SEND_SIGNALED, 1);
	wc = wait_wc(p.rcq, 5);
	CHECK(wc.status == IBV_WC_LOC_PROT_ERR,
	      "a receive with a wrong lkey: local protection error", "status %d", (int)wc.status);
	wc = wait_wc(p.scq, 5);
	CHECK(wc.status == IBV_WC_REM_OP_ERR, "and the sender sees a remote operation error",
	      "status %d", (int)wc.status);
	pair_close(&p);
	drain_events();
}

static void lost_peers(void)
{
	struct how h = plain;

	h.retry = 2;
	h.timeout = 12;
	h.leave_b_in_reset = true;
	expect("a peer that is not ready: retries run out", &h, IBV_WR_RDMA_WRITE, src, 8,
	       smr->lkey, (uintptr_t)dst, dmr->rkey, IBV_WC_RETRY_EXC_ERR);
	h.leave_b_in_reset = false;
	h.psn_off = -100;
	expect("a PSN from the future is not accepted", &h, IBV_WR_RDMA_WRITE, src, 8, smr->lkey,
	       (uintptr_t)dst, dmr->rkey, IBV_WC_RETRY_EXC_ERR);
}

static void flush_order(void)
{
	struct ibv_wc wc;
	struct pair p;
	bool good = true;

	pair_open(&p, &plain);
	for (int i = 0; i < 4; i++) {
		post_recv(p.a, dst, 64, dmr->lkey, 100 + i);
		post_recv(p.b, dst, 64, dmr->lkey, 200 + i);
	}
	post(p.a, IBV_WR_RDMA_WRITE, src, 8, smr->lkey, (uintptr_t)dst, dmr->rkey,
	     IBV_SEND_SIGNALED, 1);
	post(p.a, IBV_WR_RDMA_WRITE, src, 8, smr->lkey, (uintptr_t)dst, dmr->rkey + 1, 0, 2);
	for (int i = 3; i < 8; i++)
		post(p.a, IBV_WR_RDMA_WRITE, src, 8, smr->lkey, (uintptr_t)dst, dmr->rkey,
		     i & 1 ? IBV_SEND_SIGNALED : 0, i);
	wc = wait_wc(p.scq, 5);
	CHECK(wc.status == IBV_WC_SUCCESS && wc.wr_id == 1, "what was before the error succeeds",
	      "status %d id %d", (int)wc.status, (int)wc.wr_id);
	wc = wait_wc(p.scq, 5);
	CHECK(wc.status == IBV_WC_REM_ACCESS_ERR && wc.wr_id == 2,
	      "the error completes, unsignalled or not", "status %d id %d", (int)wc.status,
	      (int)wc.wr_id);
	for (int i = 3; i < 8; i++) {
		wc = wait_wc(p.scq, 5);
		good &= wc.status == IBV_WC_WR_FLUSH_ERR && (int)wc.wr_id == i;
	}
	CHECK(good, "what was behind it is flushed, in order", "status %d id %d", (int)wc.status,
	      (int)wc.wr_id);
	good = true;
	for (int i = 0; i < 8; i++) {
		wc = wait_wc(p.rcq, 5);
		good &= wc.status == IBV_WC_WR_FLUSH_ERR;
	}
	CHECK(good, "receives of both ends are flushed", "status %d", (int)wc.status);
	post_recv(p.a, dst, 64, dmr->lkey, 300);
	wc = wait_wc(p.rcq, 5);
	CHECK(wc.status == IBV_WC_WR_FLUSH_ERR && wc.wr_id == 300,
	      "a receive posted later is flushed too", "status %d", (int)wc.status);
	post(p.a, IBV_WR_RDMA_WRITE, src, 8, smr->lkey, (uintptr_t)dst, dmr->rkey,
	     IBV_SEND_SIGNALED, 301);
	wc = wait_wc(p.scq, 5);
	CHECK(wc.status == IBV_WC_WR_FLUSH_ERR && wc.wr_id == 301, "and a send", "status %d",
	      (int)wc.status);
	CHECK(saw_event(IBV_EVENT_QP_ACCESS_ERR, 2),
	      "the responder's owner gets an access error event", "no event");
	pair_close(&p);
	drain_events();
}

static void cq_rules(void)
{
	struct how h = plain;
	struct ibv_cq *cq;
	struct ibv_wc wc;
	struct pair p;
	void *c;
	struct pollfd f;
	int n = 0;
	double t;

	h.scq_size = 7;		/* the provider makes 8 of it */
	pair_open(&p, &h);
	for (int i = 0; i < 16; i++)
		post(p.a, IBV_WR_RDMA_WRITE, src, 8, smr->lkey, (uintptr_t)dst, dmr->rkey,
		     IBV_SEND_SIGNALED, i);
	CHECK(saw_event(IBV_EVENT_CQ_ERR, 3), "a CQ that overruns gives an event", "no event");
	{
		struct ibv_qp_attr a;
		struct ibv_qp_init_attr i;

		ibv_query_qp(p.a, &a, IBV_QP_STATE, &i);
		CHECK(a.qp_state == IBV_QPS_ERR, "and its queue pair goes to error", "state %d",
		      a.qp_state);
	}
	pair_close(&p);
	drain_events();

	pair_open(&p, &plain);
	f = (struct pollfd) { .fd = p.channel->fd, .events = POLLIN };
	ibv_req_notify_cq(p.rcq, 1);
	post_recv(p.b, dst, 64, dmr->lkey, 1);
	post_recv(p.b, dst, 64, dmr->lkey, 2);
	post(p.a, IBV_WR_SEND, src, 8, smr->lkey, 0, 0, IBV_SEND_SIGNALED, 1);
	CHECK(poll(&f, 1, 300) == 0, "solicited only: an ordinary message wakes nobody", "it did");
	post(p.a, IBV_WR_SEND, src, 8, smr->lkey, 0, 0, IBV_SEND_SIGNALED | IBV_SEND_SOLICITED, 2);
	CHECK(poll(&f, 1, 2000) == 1, "a solicited one does", "no event");
	ibv_get_cq_event(p.channel, &cq, &c);
	ibv_ack_cq_events(cq, 1);
	while (ibv_poll_cq(p.rcq, 1, &wc) > 0)
		n++;
	CHECK(n == 2, "both completions are there", "%d", n);
	post_recv(p.b, dst, 64, dmr->lkey, 3);
	post(p.a, IBV_WR_SEND, src, 8, smr->lkey, 0, 0, IBV_SEND_SIGNALED, 3);
	CHECK(poll(&f, 1, 300) == 0, "an event comes once for each arming", "a second one came");
	ibv_req_notify_cq(p.rcq, 0);
	CHECK(poll(&f, 1, 2000) == 1,
	      "arming behind a completion that is there gives the event at once", "no event");
	ibv_get_cq_event(p.channel, &cq, &c);
	ibv_ack_cq_events(cq, 1);
	while (ibv_poll_cq(p.rcq, 1, &wc) > 0)
		;
	{
		struct ibv_modify_cq_attr m = {.attr_mask = IBV_CQ_ATTR_MODERATE,
					       .moderate = {.cq_count = 4, .cq_period = 4000}};

		CHECK(!ibv_modify_cq(p.rcq, &m), "moderation can be set", "%s", strerror(errno));
		ibv_req_notify_cq(p.rcq, 0);
		for (int i = 0; i < 4; i++)
			post_recv(p.b, dst, 64, dmr->lkey, i);
		t = seconds();
		post(p.a, IBV_WR_SEND, src, 8, smr->lkey, 0, 0, IBV_SEND_SIGNALED, 3);
		poll(&f, 1, 2000);
		CHECK(seconds() - t > 0.002 && seconds() - t < 1,
		      "one completion of four: the event comes by the period", "after %.4f s",
		      seconds() - t);
		ibv_get_cq_event(p.channel, &cq, &c);
		ibv_ack_cq_events(cq, 1);
		m.moderate.cq_count = 1;
		m.moderate.cq_period = 0;
		ibv_modify_cq(p.rcq, &m);
	}
	pair_close(&p);

	pair_open(&p, &plain);
	for (int i = 0; i < 10; i++)
		post(p.a, IBV_WR_RDMA_WRITE, src, 8, smr->lkey, (uintptr_t)dst, dmr->rkey,
		     IBV_SEND_SIGNALED, i);
	usleep(50000);
	CHECK(!ibv_resize_cq(p.scq, 1000), "a CQ with completions in it can be resized", "%s",
	      strerror(errno));
	for (int i = 10; i < 20; i++)
		post(p.a, IBV_WR_RDMA_WRITE, src, 8, smr->lkey, (uintptr_t)dst, dmr->rkey,
		     IBV_SEND_SIGNALED, i);
	n = 0;
	for (int i = 0; i < 20; i++) {
		wc = wait_wc(p.scq, 5);
		n += wc.status == IBV_WC_SUCCESS && (int)wc.wr_id == i;
	}
	CHECK(n == 20, "and none is lost", "%d of 20", n);
	pair_close(&p);
}

static void srq_rules(void)
{
	struct ibv_srq_init_attr i = { .attr = { .max_wr = 16, .max_sge = 2 } };
	struct ibv_srq_attr lim = { .srq_limit = 3 };
	struct how h = plain;
	struct ibv_wc wc;
	struct pair p;
	int n = 0;

	h.srq = ibv_create_srq(pd, &i);
	if (!h.srq)
		die("SRQ");
	h.rnr_retry = 1;
	h.min_rnr = 1;
	pair_open(&p, &h);
	for (int k = 0; k < 5; k++) {
		struct ibv_sge s = { (uintptr_t)dst + 100 * k, 100, dmr->lkey };
		struct ibv_recv_wr *bad, w = { .wr_id = 50 + k, .sg_list = &s, .num_sge = 1 };

		ibv_post_srq_recv(h.srq, &w, &bad);
	}
	fill();
	CHECK(!ibv_modify_srq(h.srq, &lim, IBV_SRQ_LIMIT), "an SRQ takes a limit", "%s",
	      strerror(errno));
	for (int k = 0; k < 2; k++)
		post(p.a, IBV_WR_SEND, src, 100, smr->lkey, 0, 0, IBV_SEND_SIGNALED, k);
	for (int k = 0; k < 2; k++) {
		wc = wait_wc(p.rcq, 5);
		n += wc.status == IBV_WC_SUCCESS && (int)wc.wr_id == 50 + k;
	}
	CHECK(n == 2 && !memcmp(src, dst + 100, 100), "receives of an SRQ are taken in order",
	      "%d of 2", n);
	CHECK(wait_event(0.2) < 0, "no limit event as long as three are left", "there was one");
	post(p.a, IBV_WR_SEND, src, 100, smr->lkey, 0, 0, IBV_SEND_SIGNALED, 9);
	CHECK(saw_event(IBV_EVENT_SRQ_LIMIT_REACHED, 2), "then the limit event comes", "no event");
	for (int k = 0; k < 4; k++)
		post(p.a, IBV_WR_SEND, src, 100, smr->lkey, 0, 0, IBV_SEND_SIGNALED, 20 + k);
	do {
		wc = wait_wc(p.scq, 5);
	} while (wc.status == IBV_WC_SUCCESS);
	CHECK(wc.status == IBV_WC_RNR_RETRY_EXC_ERR && wc.wr_id == 22,
	      "an empty SRQ is receiver not ready", "status %d id %d", (int)wc.status,
	      (int)wc.wr_id);
	{
		struct ibv_qp_attr a = { .qp_state = IBV_QPS_ERR };

		ibv_modify_qp(p.b, &a, IBV_QP_STATE);
		CHECK(saw_event(IBV_EVENT_QP_LAST_WQE_REACHED, 2),
		      "its queue pair in error: last WQE reached", "no event");
	}
	pair_close(&p);
	ibv_destroy_srq(h.srq);
}

static void datagrams(void)
{
	struct how h = plain;
	struct ibv_wc wc;
	struct pair p;
	struct ibv_ah_attr aa = path();
	struct ibv_ah *ah;
	struct ibv_sge s = { (uintptr_t)src, 200, smr->lkey };
	struct ibv_send_wr *bad, w = {.sg_list = &s,
				      .num_sge = 1,
				      .opcode = IBV_WR_SEND,
				      .send_flags = IBV_SEND_SIGNALED};

	h.type = IBV_QPT_UD;
	pair_open(&p, &h);
	ah = ibv_create_ah(pd, &aa);
	if (!ah)
		die("address handle");
	fill();
	w.wr.ud.ah = ah;
	w.wr.ud.remote_qpn = p.b->qp_num;
	w.wr.ud.remote_qkey = 0x9999;
	post_recv(p.b, dst, 1000, dmr->lkey, 1);
	ibv_post_send(p.a, &w, &bad);
	wc = wait_wc(p.scq, 5);
	CHECK(wc.status == IBV_WC_SUCCESS, "a datagram is sent", "status %d", (int)wc.status);
	usleep(100000);
	CHECK(ibv_poll_cq(p.rcq, 1, &wc) == 0, "with a wrong Q_Key it does not arrive", "it did");
	w.wr.ud.remote_qkey = 0x1234;
	ibv_post_send(p.a, &w, &bad);
	wc = wait_wc(p.rcq, 5);
	CHECK(wc.status == IBV_WC_SUCCESS && wc.byte_len == 240 && wc.src_qp == p.a->qp_num &&
		      !memcmp(dst + 40, src, 200),
	      "with the right one it does, behind 40 bytes", "status %d len %u", (int)wc.status,
	      wc.byte_len);
	wait_wc(p.scq, 5);
	ibv_destroy_ah(ah);
	pair_close(&p);
}

static void states(void)
{
	struct pair p;
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_RTS };

	pair_open(&p, &plain);
	a.qp_state = IBV_QPS_RESET;
	CHECK(!ibv_modify_qp(p.a, &a, IBV_QP_STATE), "a queue pair goes back to reset", "%s",
	      strerror(errno));
	a.qp_state = IBV_QPS_RTS;
	CHECK(ibv_modify_qp(p.a, &a, IBV_QP_STATE), "but not from there to RTS", "it did");
	CHECK(!to_init(p.a, &plain) && !to_rts(p.a, p.b, &plain, 0x345), "and can be used again",
	      "%s", strerror(errno));
	a.qp_state = IBV_QPS_RESET;
	ibv_modify_qp(p.b, &a, IBV_QP_STATE);
	to_init(p.b, &plain);
	to_rts(p.b, p.a, &plain, 0x345);
	post(p.a, IBV_WR_RDMA_WRITE, src, 8, smr->lkey, (uintptr_t)dst, dmr->rkey,
	     IBV_SEND_SIGNALED, 4);
	CHECK(wait_wc(p.scq, 5).status == IBV_WC_SUCCESS, "with success", "none");
	pair_close(&p);
}

/* ---- under instruction counting: what a post costs ---------------------------------------- */

static inline uint64_t tsc(void)
{
	uint32_t lo, hi;

	__asm__ volatile("lfence; rdtsc" : "=a"(lo), "=d"(hi) : : "memory");
	return (uint64_t)hi << 32 | lo;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* The model's stamps, in its page of the BAR behind the init segment. */
static volatile uint32_t *stamps(void)
{
	char path[200];
	void *p;
	int fd;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/device/resource0",
		 ibv_get_device_name(ctx->device));
	fd = open(path, O_RDWR);
	p = fd < 0 ? MAP_FAILED : mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0x3000);
	return p == MAP_FAILED ? NULL : p;
}

static uint64_t stamp(volatile uint32_t *s, int i)
{
	uint64_t hi = ntohl(s[2 * i]);

	return hi << 32 | ntohl(s[2 * i + 1]);
}

static void count(const char *name, int flags, int chain)
{
	enum { N = 400, SKIP = 100 };
	static uint64_t cost[N], lat[N];
	struct ibv_send_wr *bad, w[8];
	struct ibv_sge s = { (uintptr_t)src, 16, smr->lkey };
	struct ibv_wc wc;
	struct pair p;
	int odd = 0;

	pair_open(&p, &plain);
	for (int k = 0; k < chain; k++)
		w[k] = (struct ibv_send_wr){.sg_list = &s,
					    .num_sge = 1,
					    .opcode = IBV_WR_RDMA_WRITE,
					    .next = k < chain - 1 ? w + k + 1 : NULL,
					    .send_flags = flags |
							  (k == chain - 1 ? IBV_SEND_SIGNALED : 0),
					    .wr.rdma = {(uintptr_t)dst, dmr->rkey}};
	for (int i = 0; i < N; i++) {
		uint64_t t0 = tsc(), t1;

		if (ibv_post_send(p.a, w, &bad))
			die("post");
		t1 = tsc();
		while (!ibv_poll_cq(p.scq, 1, &wc))
			;
		cost[i] = t1 - t0;
		lat[i] = tsc() - t0;
		if (wc.status)
			die("completion");
	}
	qsort(cost + SKIP, N - SKIP, sizeof(cost[0]), by_value);
	qsort(lat + SKIP, N - SKIP, sizeof(lat[0]), by_value);
	for (int i = SKIP; i < N; i++)
		odd += cost[i] != cost[(N + SKIP) / 2];
	printf("%s post min %llu median %llu max %llu others %d lat min %llu median %llu max "
	       "%llu\n",
	       name, (unsigned long long)cost[SKIP], (unsigned long long)cost[(N + SKIP) / 2],
	       (unsigned long long)cost[N - 1], odd, (unsigned long long)lat[SKIP],
	       (unsigned long long)lat[(N + SKIP) / 2], (unsigned long long)lat[N - 1]);
	pair_close(&p);
}

/* ---- where the instructions of a post and of a completion go ---------------------------------- */

enum { SPLIT_POSTS = 64, SPLIT_SKIP = 16, SPLIT_CHAIN = 16 };

/* One chain; tsc() where it names no stamp of the device. */
struct split {
	uint64_t start, doorbell, end, cqe, irq, handler;
};

static uint64_t split_post(const struct split *s)
{
	return s->end - s->start;
}

static uint64_t split_event(const struct split *s)
{
	return s->handler - s->cqe;
}

static int by_post(const void *a, const void *b)
{
	return split_post(a) < split_post(b) ? -1 : split_post(a) > split_post(b);
}

static int by_event(const void *a, const void *b)
{
	return split_event(a) < split_event(b) ? -1 : split_event(a) > split_event(b);
}

static void split_one(struct pair *p, struct ibv_send_wr *wr, volatile uint32_t *where, bool event,
		      struct split *s)
{
	struct ibv_send_wr *bad;
	struct ibv_cq *cq;
	struct ibv_wc wc;
	void *context;

	if (event && ibv_req_notify_cq(p->scq, 0))
		die("arm");
	s->start = tsc();
	if (ibv_post_send(p->a, wr, &bad))
		die("post");
	s->end = tsc();
	if (event && ibv_get_cq_event(p->channel, &cq, &context))
		die("event");
	s->handler = tsc();
	while (!ibv_poll_cq(p->scq, 1, &wc))
		;
	if (wc.status)
		die("completion");
	if (event)
		ibv_ack_cq_events(p->scq, 1);
	s->doorbell = stamp(where, 0);
	s->cqe = stamp(where, 1);
	s->irq = stamp(where, 2);
}

/* Many chains; the one in the middle is first. Returns how many others are as long. */
static int split_many(struct pair *p, struct ibv_send_wr *wr, volatile uint32_t *where, bool event,
		      struct split *s)
{
	uint64_t (*length)(const struct split *) = event ? split_event : split_post;
	int same = 0;

	for (int i = 0; i < SPLIT_SKIP + SPLIT_POSTS; i++)
		split_one(p, wr, where, event, &s[i < SPLIT_SKIP ? 0 : i - SPLIT_SKIP]);
	qsort(s, SPLIT_POSTS, sizeof(*s), event ? by_event : by_post);
	s[0] = s[SPLIT_POSTS / 2];
	for (int i = 1; i < SPLIT_POSTS; i++)
		same += length(&s[i]) == length(&s[0]);
	return same;
}

/* The lines that guest/split/split.c prints for the kernel. */
static void split(int chain)
{
	static struct split s[SPLIT_POSTS];
	struct ibv_send_wr w[SPLIT_CHAIN];
	struct ibv_sge sge = { (uintptr_t)src, 64, smr->lkey };
	volatile uint32_t *where = stamps();
	struct pair p;
	int same;

	if (!where)
		die("the stamps: not a virtual HCA, or no iomem=relaxed");
	pair_open(&p, &plain);
	for (int k = 0; k < chain; k++)
		w[k] = (struct ibv_send_wr){ .sg_list = &sge,
					     .num_sge = 1,
					     .opcode = IBV_WR_RDMA_WRITE,
					     .next = k < chain - 1 ? w + k + 1 : NULL,
					     .send_flags = k == chain - 1 ? IBV_SEND_SIGNALED : 0,
					     .wr.rdma = { (uintptr_t)dst, dmr->rkey } };
	same = split_many(&p, w, where, false, s);
	printf("user chain=%d post=%llu build=%lld return=%lld same=%d/%d device=%lld", chain,
	       (unsigned long long)split_post(s), (long long)(s->doorbell - s->start),
	       (long long)(s->end - s->doorbell), same, SPLIT_POSTS - 1,
	       (long long)(s->cqe - s->doorbell));
	split_many(&p, w, where, true, s);
	printf(" event=%llu irq=%lld handler=%lld\n", (unsigned long long)split_event(s),
	       (long long)(s->irq - s->cqe), (long long)(s->handler - s->irq));
	pair_close(&p);
}

/* ---- two guests, with a folder they share ---------------------------------------------------- */

struct end {
	uint32_t qpn, rkey;
	uint16_t lid, ready;
	uint64_t addr;
	union ibv_gid gid;
};

static void swap_ends(const char *dir, int side, const char *what, const struct end *mine,
		      struct end *theirs)
{
	char path[300], tmp[310];
	double limit = seconds() + 120;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s.%d", dir, what, side);
	snprintf(tmp, sizeof(tmp), "%s.new", path);
	f = fopen(tmp, "w");
	if (!f || fwrite(mine, sizeof(*mine), 1, f) != 1 || fclose(f) || rename(tmp, path))
		die("shared folder");
	snprintf(path, sizeof(path), "%s/%s.%d", dir, what, !side);
	while (seconds() < limit) {
		f = fopen(path, "r");
		if (f && fread(theirs, sizeof(*theirs), 1, f) == 1) {
			fclose(f);
			return;
		}
		if (f)
			fclose(f);
		usleep(100000);
	}
	die("the other guest does not come");
}

static void peer(const char *dir, int side)
{
	struct how h = plain;
	struct pair p;
	struct end mine = { .ready = 1 }, theirs;
	struct ibv_qp_attr a;
	struct ibv_wc wc;
	struct ibv_ah_attr ah;

	h.leave_b_in_reset = true;
	h.timeout = 14;
	pair_open(&p, &h);
	ibv_query_port(ctx, 1, &port);
	mine.qpn = p.b->qp_num;
	mine.lid = port.lid;
	mine.gid = gid;
	mine.rkey = dmr->rkey;
	mine.addr = (uintptr_t)dst;
	fill();
	swap_ends(dir, side, "connect", &mine, &theirs);
	ah = path();
	ah.dlid = theirs.lid;
	ah.grh.dgid = theirs.gid;
	a = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTR,
				 .path_mtu = IBV_MTU_1024,
				 .dest_qp_num = theirs.qpn,
				 .rq_psn = 5,
				 .max_dest_rd_atomic = 4,
				 .min_rnr_timer = 1,
				 .ah_attr = ah};
	if (ibv_modify_qp(p.b, &a,
			  IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				  IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER))
		die("RTR");
	a = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTS,
				 .sq_psn = 5,
				 .timeout = 14,
				 .retry_cnt = 7,
				 .rnr_retry = 7,
				 .max_rd_atomic = 4};
	if (ibv_modify_qp(p.b, &a,
			  IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				  IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC))
		die("RTS");
	post_recv(p.b, dst + 8192, 8192, dmr->lkey, 1);
	swap_ends(dir, side, "go", &mine, &theirs);

	post(p.b, IBV_WR_RDMA_WRITE, src, 5000, smr->lkey, theirs.addr, theirs.rkey,
	     IBV_SEND_SIGNALED, 1);
	wc = wait_wc(p.scq, 20);
	CHECK(wc.status == IBV_WC_SUCCESS, "write to the other guest", "status %d", (int)wc.status);
	post(p.b, IBV_WR_SEND_WITH_IMM, src, 6000, smr->lkey, 0, 0, IBV_SEND_SIGNALED, 2);
	wc = wait_wc(p.scq, 20);
	CHECK(wc.status == IBV_WC_SUCCESS, "send to the other guest", "status %d", (int)wc.status);
	wc = wait_wc(p.rcq, 20);
	CHECK(wc.status == IBV_WC_SUCCESS && wc.byte_len == 6000 && !memcmp(dst + 8192, src, 6000),
	      "the other's message came", "status %d", (int)wc.status);
	CHECK(!memcmp(dst, src, 5000), "the other's write is here", "it is not");
	post(p.b, IBV_WR_RDMA_READ, src + 16384, 5000, smr->lkey, theirs.addr, theirs.rkey,
	     IBV_SEND_SIGNALED, 3);
	wc = wait_wc(p.scq, 20);
	CHECK(wc.status == IBV_WC_SUCCESS && !memcmp(src + 16384, src, 5000),
	      "read from the other guest", "status %d", (int)wc.status);
	swap_ends(dir, side, "done", &mine, &theirs);
	pair_close(&p);
	printf("1..%d\n", number);
	exit(failures != 0);
}

int main(int argc, char **argv)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	const char *name = argc > 1 && argv[1][0] != '-' ? argv[1] : "mlx5_0";

	for (; list && *list; list++)
		if (!strcmp(ibv_get_device_name(*list), name))
			ctx = ibv_open_device(*list);
	if (!ctx)
		die("device");
	ibv_query_port(ctx, 1, &port);
	if (port.link_layer == IBV_LINK_LAYER_ETHERNET) {
		for (int i = 0; i < port.gid_tbl_len; i++) {
			struct ibv_gid_entry e;

			if (!ibv_query_gid_ex(ctx, 1, i, &e, 0) &&
			    e.gid_type == IBV_GID_TYPE_ROCE_V2 && e.gid.raw[10] == 0xff) {
				gid = e.gid;
				gid_index = i;
			}
		}
	}
	fcntl(ctx->async_fd, F_SETFL, fcntl(ctx->async_fd, F_GETFL) | O_NONBLOCK);
	pd = ibv_alloc_pd(ctx);
	other_pd = ibv_alloc_pd(ctx);
	src = aligned_alloc(4096, SIZE);
	dst = aligned_alloc(4096, SIZE);
	memset(src, 1, SIZE);
	memset(dst, 1, SIZE);
	smr = ibv_reg_mr(pd, src, SIZE, 15);
	dmr = ibv_reg_mr(pd, dst, SIZE, 15);
	if (!smr || !dmr)
		die("MR");

	if (argc > 1 && !strcmp(argv[argc - 1], "--count")) {
		count("plain", 0, 1);
		count("inline", IBV_SEND_INLINE, 1);
		count("chain4", 0, 4);
		return 0;
	}
	if (argc > 1 && !strcmp(argv[argc - 1], "--split")) {
		split(1);
		split(SPLIT_CHAIN);
		return 0;
	}
	if (argc > 1 && !strcmp(argv[argc - 1], "--lost")) {
		struct how h = plain;

		h.retry = 2;
		h.timeout = 12;
		expect("lost", &h, IBV_WR_RDMA_WRITE, src, 8, smr->lkey, (uintptr_t)dst, dmr->rkey,
		       IBV_WC_RETRY_EXC_ERR);
		return failures != 0;
	}
	if (argc > 3 && !strcmp(argv[1], "--peer"))
		peer(argv[2], atoi(argv[3]));
	good_operations();
	responder_checks();
	receive_checks();
	lost_peers();
	flush_order();
	cq_rules();
	srq_rules();
	datagrams();
	states();
	printf("1..%d\n", number);
	return failures != 0;
}
