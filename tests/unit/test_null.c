// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The null device of the user engine, and with it kverbs/null.h. */
#include <errno.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "kverbs.h"
#include "null.h"
#include <cmocka.h>

#define DEPTH	4

struct end {
	struct ibv_cq *cq;
	struct ibv_qp *qp;
};

static struct ibv_context *context;
static struct ibv_pd *pd;
static struct end a, b;
static struct ibv_wc wc[32];

static void make(struct end *end)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = DEPTH, .max_recv_wr = DEPTH, .max_send_sge = 1 },
	};

	end->cq = ibv_create_cq(context, 2 * DEPTH, NULL, NULL, 0);
	assert_non_null(end->cq);
	init.send_cq = end->cq;
	init.recv_cq = end->cq;
	end->qp = ibv_create_qp(pd, &init);
	assert_non_null(end->qp);
}

static void name_peer(struct end *end, const struct end *peer)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTR, .dest_qp_num = peer->qp->qp_num };

	assert_int_equal(ibv_modify_qp(end->qp, &attr, IBV_QP_STATE | IBV_QP_DEST_QPN), 0);
}

static int set_up(void **state)
{
	(void)state;
	context = kv_null_open();
	assert_non_null(context);
	pd = ibv_alloc_pd(context);
	assert_non_null(pd);
	make(&a);
	make(&b);
	name_peer(&a, &b);
	name_peer(&b, &a);
	return 0;
}

static void unmake(struct end *end)
{
	if (end->qp)
		assert_int_equal(ibv_destroy_qp(end->qp), 0);
	assert_int_equal(ibv_destroy_cq(end->cq), 0);
}

static int tear_down(void **state)
{
	(void)state;
	unmake(&a);
	unmake(&b);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
	assert_int_equal(ibv_close_device(context), 0);
	return 0;
}

static int post(struct end *end, u64 id, enum ibv_wr_opcode opcode, bool signalled)
{
	struct ibv_send_wr wr = {
		.wr_id = id, .opcode = opcode, .send_flags = signalled ? IBV_SEND_SIGNALED : 0,
	}, *bad;

	return ibv_post_send(end->qp, &wr, &bad);
}

static int post_recv(struct end *end, u64 id)
{
	struct ibv_recv_wr wr = { .wr_id = id }, *bad;

	return ibv_post_recv(end->qp, &wr, &bad);
}

/* the next WCs of an end: their wr_ids in order, and no more */
static void expect(struct end *end, const char *ids)
{
	int n = ibv_poll_cq(end->cq, 32, wc), i;

	assert_int_equal(n, strlen(ids));
	for (i = 0; i < n; i++)
		assert_int_equal(wc[i].wr_id, ids[i]);
}

static void test_at_once(void **state)
{
	(void)state;
	assert_int_equal(post(&a, 'x', IBV_WR_RDMA_WRITE, false), 0);
	expect(&a, "");
	assert_int_equal(post(&a, 'y', IBV_WR_RDMA_READ, true), 0);
	expect(&a, "y");
	assert_int_equal(wc[0].status, IBV_WC_SUCCESS);
	assert_int_equal(wc[0].opcode, IBV_WC_RDMA_READ);
	assert_int_equal(wc[0].qp_num, a.qp->qp_num);
	expect(&a, "");
	expect(&b, "");
}

/* a SEND takes a receive, and what comes after one that waits stays behind it */
static void test_receives(void **state)
{
	(void)state;
	assert_int_equal(post_recv(&b, 'r'), 0);
	assert_int_equal(post(&a, '1', IBV_WR_SEND_WITH_IMM, true), 0);
	expect(&a, "1");
	expect(&b, "r");
	assert_int_equal(wc[0].opcode, IBV_WC_RECV);
	assert_int_equal(wc[0].wc_flags, IBV_WC_WITH_IMM);

	assert_int_equal(post(&a, '2', IBV_WR_SEND, true), 0);
	assert_int_equal(post(&a, '3', IBV_WR_RDMA_WRITE, true), 0);
	assert_int_equal(post(&a, '4', IBV_WR_SEND, false), 0);
	expect(&a, "");
	assert_int_equal(post_recv(&b, 's'), 0);
	/* its predecessors are done, but not polled */
	assert_int_equal(post_recv(&b, 't'), 0);
	assert_int_equal(post(&a, '5', IBV_WR_RDMA_WRITE, true), 0);
	expect(&a, "235");
	expect(&b, "st");
	assert_int_equal(post(&a, '6', IBV_WR_RDMA_WRITE, true), 0);
	expect(&a, "6");
}

static void test_full(void **state)
{
	struct ibv_send_wr wr[3] = {
		{ .wr_id = 1, .opcode = IBV_WR_SEND, .next = &wr[1] },
		{ .wr_id = 2, .opcode = IBV_WR_SEND, .next = &wr[2] },
		{ .wr_id = 3, .opcode = IBV_WR_SEND },
	}, *bad = NULL;
	u32 i;

	(void)state;
	for (i = 0; i < DEPTH - 1; i++)
		assert_int_equal(post(&a, i, IBV_WR_SEND, false), 0);
	assert_int_equal(ibv_post_send(a.qp, wr, &bad), ENOMEM);
	assert_ptr_equal(bad, &wr[1]);
	for (i = 0; i < DEPTH; i++)
		assert_int_equal(post_recv(&a, i), 0);
	assert_int_equal(post_recv(&a, i), ENOMEM);
}

static void test_error(void **state)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	struct ibv_qp_init_attr init;

	(void)state;
	assert_int_equal(post_recv(&a, 'r'), 0);
	assert_int_equal(post(&a, '1', IBV_WR_SEND, true), 0);
	assert_int_equal(ibv_modify_qp(a.qp, &attr, IBV_QP_STATE), 0);
	assert_int_equal(post(&a, '2', IBV_WR_RDMA_WRITE, false), 0);
	expect(&a, "1r2");
	assert_int_equal(wc[0].status, IBV_WC_WR_FLUSH_ERR);
	assert_int_equal(wc[2].status, IBV_WC_WR_FLUSH_ERR);
	assert_int_equal(ibv_query_qp(a.qp, &attr, IBV_QP_STATE, &init), 0);
	assert_int_equal(attr.qp_state, IBV_QPS_ERR);
	attr.qp_state = IBV_QPS_RESET;
	assert_int_equal(ibv_modify_qp(a.qp, &attr, IBV_QP_STATE), 0);
	assert_int_equal(post(&a, '3', IBV_WR_RDMA_WRITE, true), 0);
	expect(&a, "3");
}

/* a peer that is gone takes nothing */
static void test_peer_gone(void **state)
{
	(void)state;
	assert_int_equal(ibv_destroy_qp(b.qp), 0);
	b.qp = NULL;
	assert_int_equal(post(&a, '1', IBV_WR_SEND, true), 0);
	expect(&a, "1");
	assert_int_equal(wc[0].status, IBV_WC_RETRY_EXC_ERR);
}

static void test_refused(void **state)
{
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_UD, .send_cq = a.cq, .recv_cq = a.cq };
	struct ibv_gid_entry entry;

	(void)state;
	assert_null(ibv_create_qp(pd, &init));
	assert_int_equal(errno, EOPNOTSUPP);
	assert_null(ibv_create_comp_channel(context));
	assert_null(ibv_create_cq(context, 0, NULL, NULL, 0));
	assert_int_not_equal(ibv_query_gid_ex(context, 1, 0, &entry, 0), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_at_once), TEST(test_receives), TEST(test_full),
		TEST(test_error), TEST(test_peer_gone), TEST(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
