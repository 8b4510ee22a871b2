// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * KUnit: what is written into messages is what was counted. A run is made, and its lanes
 * and histograms are dumped through a socket, as a tool does. Needs rxe0.
 */
#include <linux/delay.h>
#include <linux/file.h>
#include <linux/net.h>
#include <net/genetlink.h>
#include <net/net_namespace.h>
#include <net/netlink.h>

#include "run.h"
#include "suites.h"

#define RESULTS_ROOM	65536
#define RESULTS_OPS	37

struct results {
	struct socket *socket;
	struct file *file;	/* by whose credentials the family judges */
	u32 portid;
	u32 number;
	u16 family;
	char *buffer;
	struct kv_run *run;
	u64 buckets;		/* values in those that came of a histogram */
	u32 lanes, histograms;
};

static int results_send(struct results *r, u16 type, u8 command, u16 flags, u16 attr,
			const void *data, int size)
{
	struct sk_buff *skb = nlmsg_new(256, GFP_KERNEL);
	struct genlmsghdr *header;
	struct msghdr msg = { };
	struct kvec part;
	int rc;

	if (!skb)
		return -ENOMEM;
	nlmsg_put(skb, 0, ++r->number, type, GENL_HDRLEN, NLM_F_REQUEST | flags);
	header = nlmsg_data(nlmsg_hdr(skb));
	*header = (struct genlmsghdr){ .cmd = command, .version = 1 };
	nla_put(skb, attr, size, data);
	nlmsg_end(skb, nlmsg_hdr(skb));
	part.iov_base = skb->data;
	part.iov_len = skb->len;
	rc = kernel_sendmsg(r->socket, &msg, &part, 1, part.iov_len);
	nlmsg_free(skb);
	return rc < 0 ? rc : 0;
}

static int results_receive(struct results *r)
{
	struct kvec part = { .iov_base = r->buffer, .iov_len = RESULTS_ROOM };
	struct msghdr msg = { };

	return kernel_recvmsg(r->socket, &msg, &part, 1, RESULTS_ROOM, MSG_DONTWAIT);
}

/* the family's number, by its name */
static int results_find(struct results *r)
{
	struct nlattr *tb[CTRL_ATTR_MAX + 1];
	int rc = results_send(r, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0, CTRL_ATTR_FAMILY_NAME,
			      KVERBS_GENL_NAME, sizeof(KVERBS_GENL_NAME));

	if (rc)
		return rc;
	if (results_receive(r) <= 0)
		return -ENOMSG;
	rc = nlmsg_parse_deprecated((struct nlmsghdr *)r->buffer, GENL_HDRLEN, tb, CTRL_ATTR_MAX,
				    NULL, NULL);
	if (rc)
		return rc;
	if (!tb[CTRL_ATTR_FAMILY_ID])
		return -ENOENT;
	r->family = nla_get_u16(tb[CTRL_ATTR_FAMILY_ID]);
	return 0;
}

static int results_init(struct kunit *test)
{
	struct results *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);
	struct sockaddr_nl address = { .nl_family = AF_NETLINK };
	int rc;

	if (!r)
		return -ENOMEM;
	test->priv = r;
	r->buffer = kunit_kzalloc(test, RESULTS_ROOM, GFP_KERNEL);
	if (!r->buffer)
		return -ENOMEM;
	rc = sock_create_kern(&init_net, AF_NETLINK, SOCK_RAW, NETLINK_GENERIC, &r->socket);
	if (rc)
		return rc;
	r->file = sock_alloc_file(r->socket, O_RDWR, NULL);
	if (IS_ERR(r->file))
		return PTR_ERR(r->file);
	rc = kernel_bind(r->socket, (struct sockaddr *)&address, sizeof(address));
	if (rc)
		return rc;
	rc = kernel_getsockname(r->socket, (struct sockaddr *)&address);
	if (rc < 0)
		return rc;
	r->portid = address.nl_pid;
	return results_find(r);
}

static void results_exit(struct kunit *test)
{
	struct results *r = test->priv;

	if (r && !IS_ERR_OR_NULL(r->run)) {
		kv_run_delete(r->run);
		kv_run_put(r->run);
	}
	if (r && !IS_ERR_OR_NULL(r->file))
		fput(r->file);
}

static void results_run(struct kunit *test)
{
	static struct kv_job job = KV_JOB_INIT;	/* too large for a stack */
	struct results *r = test->priv;
	struct kv_refusal no = { };
	const char *why;
	u32 ms;

	job.iterations = RESULTS_OPS;
	job.warmup_ms = 0;
	job.timing = KVERBS_TIMING_ALL;
	job.step[0].op = KVERBS_OP_SEND;
	r->run = kv_run_new(&init_net, r->portid, "rxe0", &job, &no);
	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(r->run), "%s", no.text);
	KUNIT_ASSERT_EQ(test, kv_run_connect(r->run, &why), 0);
	for (ms = 0; ms < 20000 && !kv_run_ended(r->run); ms += 20) {
		if (kv_run_state(r->run) == KVERBS_STATE_READY)
			kv_run_start(r->run, &why);
		msleep(20);
	}
	KUNIT_ASSERT_EQ(test, kv_run_state(r->run), (u32)KVERBS_STATE_DONE);
}

/* all messages of a dump */
static void results_dump(struct kunit *test, u8 command,
			 void (*each)(struct kunit *test, struct nlattr **tb))
{
	struct nlattr *tb[KVERBS_A_MAX + 1];
	struct results *r = test->priv;
	struct nlmsghdr *head;
	int rest, i;

	/* what came of the run's states */
	while (results_receive(r) > 0)
		;
	KUNIT_ASSERT_EQ(test, results_send(r, r->family, command, NLM_F_DUMP, KVERBS_A_RUN_ID,
					   &r->run->id, sizeof(u32)), 0);
	for (i = 0; i < 10000; i++) {
		rest = results_receive(r);
		KUNIT_ASSERT_GT(test, rest, 0);
		for (head = (struct nlmsghdr *)r->buffer; nlmsg_ok(head, rest);
		     head = nlmsg_next(head, &rest)) {
			if (head->nlmsg_type == NLMSG_DONE)
				return;
			KUNIT_ASSERT_EQ(test, head->nlmsg_type, r->family);
			KUNIT_ASSERT_EQ(test, nlmsg_parse_deprecated(head, GENL_HDRLEN, tb,
								     KVERBS_A_MAX, NULL, NULL), 0);
			each(test, tb);
		}
	}
	KUNIT_FAIL(test, "no end of the dump");
}

static void results_want(struct kunit *test, struct nlattr **tb, u32 attr, u64 value)
{
	u64 got;

	KUNIT_EXPECT_NOT_NULL_MSG(test, tb[attr], "attribute %u", attr);
	if (!tb[attr])
		return;
	got = nla_len(tb[attr]) == 8 ? nla_get_u64(tb[attr]) : nla_get_u32(tb[attr]);
	KUNIT_EXPECT_EQ_MSG(test, got, value, "attribute %u", attr);
}

static void results_lane(struct kunit *test, struct nlattr **tb)
{
	struct nlattr *of[KVERBS_LANE_A_MAX + 1], *counter[KVERBS_CTR_MAX + 1];
	struct results *r = test->priv;
	const struct kv_lane *lane;
	const u64 *stat;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, tb[KVERBS_A_LANE]);
	KUNIT_ASSERT_EQ(test, nla_parse_nested(of, KVERBS_LANE_A_MAX, tb[KVERBS_A_LANE], NULL,
					       NULL), 0);
	KUNIT_ASSERT_LT(test, r->lanes, r->run->nlanes);
	lane = &r->run->lane[r->lanes];
	results_want(test, of, KVERBS_LANE_A_INDEX, r->lanes++);
	results_want(test, of, KVERBS_LANE_A_ROLE, lane->role);
	results_want(test, of, KVERBS_LANE_A_CPU, lane->cpu);
	results_want(test, of, KVERBS_LANE_A_QPN, lane->qpn);
	results_want(test, of, KVERBS_LANE_A_PEER_QPN, lane->peer_qpn);
	results_want(test, of, KVERBS_LANE_A_SQ_DEPTH, lane->sq_depth);
	results_want(test, of, KVERBS_LANE_A_RQ_DEPTH, lane->rq_depth);
	results_want(test, of, KVERBS_LANE_A_CQ_DEPTH, lane->cq_depth);
	results_want(test, of, KVERBS_LANE_A_INLINE_DATA, lane->inline_data);
	results_want(test, of, KVERBS_LANE_A_REASON, KVERBS_REASON_COMPLETE);
	results_want(test, of, KVERBS_LANE_A_ERRNO, 0);
	KUNIT_ASSERT_NOT_NULL(test, of[KVERBS_LANE_A_COUNTERS]);
	KUNIT_ASSERT_EQ(test, nla_parse_nested(counter, KVERBS_CTR_MAX,
					       of[KVERBS_LANE_A_COUNTERS], NULL, NULL), 0);
	stat = (const u64 *)kv_lane_stat(lane);
	for (i = 1; i < KVERBS_CTR_PAD; i++)
		results_want(test, counter, i, stat[i - 1]);
	results_want(test, counter, KVERBS_CTR_OPS, RESULTS_OPS);
}

static void results_hist(struct kunit *test, struct nlattr **tb)
{
	struct nlattr *of[KVERBS_HIST_A_MAX + 1];
	struct results *r = test->priv;
	struct kverbs_bucket bucket;
	const struct kv_hist *h;
	u32 lane, metric, i, n;
	const char *from;

	KUNIT_ASSERT_NOT_NULL(test, tb[KVERBS_A_HIST]);
	KUNIT_ASSERT_EQ(test, nla_parse_nested(of, KVERBS_HIST_A_MAX, tb[KVERBS_A_HIST], NULL,
					       NULL), 0);
	KUNIT_ASSERT_NOT_NULL(test, of[KVERBS_HIST_A_LANE]);
	KUNIT_ASSERT_NOT_NULL(test, of[KVERBS_HIST_A_METRIC]);
	KUNIT_ASSERT_NOT_NULL(test, of[KVERBS_HIST_A_BUCKETS]);
	lane = nla_get_u32(of[KVERBS_HIST_A_LANE]);
	metric = nla_get_u32(of[KVERBS_HIST_A_METRIC]);
	KUNIT_ASSERT_LT(test, lane, r->run->nlanes);
	KUNIT_ASSERT_LT(test, metric, (u32)__KVERBS_METRIC_MAX);
	h = kv_lane_hist(&r->run->lane[lane], metric);
	KUNIT_ASSERT_NOT_NULL(test, h);
	results_want(test, of, KVERBS_HIST_A_COUNT, h->count);
	results_want(test, of, KVERBS_HIST_A_SUM, h->sum);
	results_want(test, of, KVERBS_HIST_A_SMALLEST, h->min);
	results_want(test, of, KVERBS_HIST_A_LARGEST, h->max);
	results_want(test, of, KVERBS_HIST_A_OVER, h->over);
	results_want(test, of, KVERBS_HIST_A_GENERATION, kv_run_generation(r->run));
	from = nla_data(of[KVERBS_HIST_A_BUCKETS]);
	n = nla_len(of[KVERBS_HIST_A_BUCKETS]) / sizeof(bucket);
	for (i = 0; i < n; i++) {
		memcpy(&bucket, from + i * sizeof(bucket), sizeof(bucket));
		KUNIT_ASSERT_LT(test, (u32)bucket.index, (u32)KV_HIST_BUCKETS);
		KUNIT_EXPECT_EQ(test, (u64)bucket.count, h->bucket[bucket.index]);
		r->buckets += bucket.count;
	}
	r->histograms++;
}

static void results_are_those_of_the_run(struct kunit *test)
{
	struct results *r = test->priv;
	u64 counted = 0;
	u32 i, metric;

	results_run(test);
	results_dump(test, KVERBS_CMD_LANE_GET, results_lane);
	KUNIT_EXPECT_EQ(test, r->lanes, r->run->nlanes);
	results_dump(test, KVERBS_CMD_HIST_GET, results_hist);
	for (i = 0; i < r->run->nlanes; i++) {
		for (metric = 0; metric < __KVERBS_METRIC_MAX; metric++) {
			const struct kv_hist *h = kv_lane_hist(&r->run->lane[i], metric);

			if (h)
				counted += h->count - h->over;
		}
	}
	KUNIT_EXPECT_GT(test, r->histograms, 2U);
	KUNIT_EXPECT_EQ(test, r->buckets, counted);
}

static struct kunit_case results_tests[] = {
	KUNIT_CASE(results_are_those_of_the_run),
	{ }
};

struct kunit_suite kv_results_suite = {
	.name = "kverbs_results",
	.init = results_init,
	.exit = results_exit,
	.test_cases = results_tests,
};
