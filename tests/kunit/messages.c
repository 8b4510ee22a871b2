// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * KUnit: the policies of the netlink family. Whole messages go through a socket, as a
 * tool's would; each attribute absent, too short, too long, out of its range, badly
 * nested or unknown is refused with its errno and a text.
 */
#include <linux/file.h>
#include <linux/net.h>
#include <net/genetlink.h>
#include <net/net_namespace.h>
#include <net/netlink.h>

#include "side.h"
#include "suites.h"

#define MSG_ROOM	8192

struct messages {
	struct socket *socket;
	struct file *file;	/* by whose credentials the family judges */
	u16 family;
	struct sk_buff *skb;
	void *header;
	u32 number;
	char text[256];		/* of the latest answer */
	int where;		/* attribute it is about, bytes from the start, or -1 */
};

static int messages_receive(struct messages *m, void *buffer, size_t room)
{
	struct kvec part = { .iov_base = buffer, .iov_len = room };
	struct msghdr msg = { };

	return kernel_recvmsg(m->socket, &msg, &part, 1, room, MSG_DONTWAIT);
}

/* the errno of the acknowledgement in a datagram, 1 when it holds none */
static int messages_answer(struct messages *m, struct nlmsghdr *head, int rest)
{
	struct nlattr *tlv, *tb[NLMSGERR_ATTR_MAX + 1] = { };
	struct nlmsgerr *answer;
	int left;

	for (; nlmsg_ok(head, rest); head = nlmsg_next(head, &rest)) {
		if (head->nlmsg_type != NLMSG_ERROR)
			continue;
		answer = nlmsg_data(head);
		tlv = (struct nlattr *)(answer + 1);
		left = nlmsg_len(head) - (int)sizeof(*answer);
		nla_parse_deprecated(tb, NLMSGERR_ATTR_MAX, tlv, left, NULL, NULL);
		m->text[0] = 0;
		m->where = -1;
		if (tb[NLMSGERR_ATTR_MSG])
			nla_strscpy(m->text, tb[NLMSGERR_ATTR_MSG], sizeof(m->text));
		if (tb[NLMSGERR_ATTR_OFFS])
			m->where = nla_get_u32(tb[NLMSGERR_ATTR_OFFS]);
		return answer->error;
	}
	return 1;
}

static void messages_begin(struct kunit *test, u8 command)
{
	struct messages *m = test->priv;

	nlmsg_free(m->skb);
	m->skb = nlmsg_new(MSG_ROOM, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m->skb);
	nlmsg_put(m->skb, 0, ++m->number, m->family, GENL_HDRLEN, NLM_F_REQUEST | NLM_F_ACK);
	m->header = nlmsg_data(nlmsg_hdr(m->skb));
	*(struct genlmsghdr *)m->header = (struct genlmsghdr){ .cmd = command, .version = 1 };
}

static int messages_send(struct kunit *test)
{
	struct messages *m = test->priv;
	char *buffer = kunit_kzalloc(test, MSG_ROOM, GFP_KERNEL);
	struct kvec part = { .iov_base = m->skb->data };
	struct msghdr msg = { };
	int got, rc = 1;

	KUNIT_ASSERT_NOT_NULL(test, buffer);
	nlmsg_end(m->skb, nlmsg_hdr(m->skb));
	part.iov_len = m->skb->len;
	KUNIT_ASSERT_EQ(test, kernel_sendmsg(m->socket, &msg, &part, 1, part.iov_len),
			(int)part.iov_len);
	/* the kernel's side has run within the send */
	while (rc == 1) {
		got = messages_receive(m, buffer, MSG_ROOM);
		if (got < 0)
			break;
		rc = messages_answer(m, (struct nlmsghdr *)buffer, got);
	}
	kunit_kfree(test, buffer);
	return rc;
}

static int messages_init(struct kunit *test)
{
	struct messages *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	struct sockaddr_nl address = { .nl_family = AF_NETLINK };
	int one = 1;
	int option;
	int rc;

	if (!m)
		return -ENOMEM;
	test->priv = m;
	rc = sock_create_kern(&init_net, AF_NETLINK, SOCK_RAW, NETLINK_GENERIC, &m->socket);
	if (rc)
		return rc;
	/* on failure the socket is gone as well */
	m->file = sock_alloc_file(m->socket, O_RDWR, NULL);
	if (IS_ERR(m->file))
		return PTR_ERR(m->file);
	rc = kernel_bind(m->socket, (struct sockaddr *)&address, sizeof(address));
	for (option = NETLINK_CAP_ACK; !rc && option <= NETLINK_EXT_ACK; option++)
		rc = m->socket->ops->setsockopt(m->socket, SOL_NETLINK, option,
						KERNEL_SOCKPTR(&one), sizeof(one));
	return rc;
}

static void messages_exit(struct kunit *test)
{
	struct messages *m = test->priv;

	if (!m)
		return;
	nlmsg_free(m->skb);
	if (!IS_ERR_OR_NULL(m->file))
		fput(m->file);
}

/* the family's number, by its name, as a tool finds it */
static void messages_find(struct kunit *test)
{
	struct messages *m = test->priv;
	struct nlattr *tb[CTRL_ATTR_MAX + 1];
	struct nlmsghdr *head;
	struct kvec part;
	struct msghdr msg = { };
	char *buffer = kunit_kzalloc(test, MSG_ROOM, GFP_KERNEL);
	int got;

	KUNIT_ASSERT_NOT_NULL(test, buffer);
	m->family = GENL_ID_CTRL;
	messages_begin(test, CTRL_CMD_GETFAMILY);
	nla_put_string(m->skb, CTRL_ATTR_FAMILY_NAME, KVERBS_GENL_NAME);
	nlmsg_end(m->skb, nlmsg_hdr(m->skb));
	part.iov_base = m->skb->data;
	part.iov_len = m->skb->len;
	KUNIT_ASSERT_GT(test, kernel_sendmsg(m->socket, &msg, &part, 1, part.iov_len), 0);
	got = messages_receive(m, buffer, MSG_ROOM);
	KUNIT_ASSERT_GT(test, got, 0);
	head = (struct nlmsghdr *)buffer;
	KUNIT_ASSERT_EQ(test, (int)head->nlmsg_type, GENL_ID_CTRL);
	KUNIT_ASSERT_EQ(test, nlmsg_parse_deprecated(head, GENL_HDRLEN, tb, CTRL_ATTR_MAX, NULL,
						     NULL), 0);
	KUNIT_ASSERT_NOT_NULL(test, tb[CTRL_ATTR_FAMILY_ID]);
	m->family = nla_get_u16(tb[CTRL_ATTR_FAMILY_ID]);
	/* the acknowledgement */
	messages_receive(m, buffer, MSG_ROOM);
	kunit_kfree(test, buffer);
}

/* attributes of a RUN_NEW up to the fields of its job */
static struct nlattr *messages_job(struct kunit *test)
{
	struct messages *m = test->priv;

	messages_begin(test, KVERBS_CMD_RUN_NEW);
	nla_put_string(m->skb, KVERBS_A_DEV_NAME, "nosuch");
	return nla_nest_start(m->skb, KVERBS_A_JOB);
}

static void messages_step(struct messages *m, u32 op, u32 size)
{
	struct nlattr *step = nla_nest_start(m->skb, KVERBS_JOB_A_STEP);

	nla_put_u32(m->skb, KVERBS_STEP_A_OP, op);
	nla_put_u32(m->skb, KVERBS_STEP_A_SIZE, size);
	nla_nest_end(m->skb, step);
}

static void messages_want(struct kunit *test, int rc, int want, const char *text)
{
	struct messages *m = test->priv;

	KUNIT_EXPECT_EQ_MSG(test, rc, want, "%s", m->text);
	KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(m->text, text), "'%s' is not in '%s'", text,
				  m->text);
}

#define MESSAGES_FIELD(attr, member, type, lo, hi, def, letter, name, unit, what) \
	{ name, KVERBS_JOB_A_##attr, sizeof(type), lo, hi },

static const struct messages_field {
	const char *name;
	u16 attr;
	u16 size;
	u64 low, high;
} messages_fields[] = {
	KV_JOB_FIELDS(MESSAGES_FIELD)
};

static void messages_field_name(const struct messages_field *f, char *text)
{
	strscpy(text, f->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(messages_fields, messages_fields, messages_field_name);

/* a job with one field: its errno; the field is where the refusal points to */
static int messages_try(struct kunit *test, const void *data, int size)
{
	const struct messages_field *f = test->param_value;
	struct messages *m = test->priv;
	struct nlattr *job = messages_job(test);
	int at = m->skb->len, rc;

	nla_put(m->skb, f->attr, size, data);
	messages_step(m, KVERBS_OP_WRITE, 64);
	nla_nest_end(m->skb, job);
	rc = messages_send(test);
	if (rc != -ENODEV)
		KUNIT_EXPECT_EQ(test, m->where, at);
	return rc;
}

static int messages_try_value(struct kunit *test, u64 value)
{
	const struct messages_field *f = test->param_value;
	u32 narrow = (u32)value;

	return messages_try(test, f->size == 8 ? (void *)&value : &narrow, f->size);
}

static void messages_of_a_field(struct kunit *test)
{
	const struct messages_field *f = test->param_value;
	struct messages *m = test->priv;
	u64 zeros[2] = { };
	int size;

	messages_find(test);
	for (size = 0; size <= 12; size++) {
		if (size != f->size)
			messages_want(test, messages_try(test, zeros, size), -EINVAL, "length");
	}
	/* within its range the job goes on to the device, which is not there */
	messages_want(test, messages_try_value(test, f->low), -ENODEV, "nosuch");
	messages_want(test, messages_try_value(test, f->high), -ENODEV, "nosuch");
	messages_want(test, messages_try_value(test, f->high + 1), -ERANGE, f->name);
	if (f->low)
		messages_want(test, messages_try_value(test, f->low - 1), -ERANGE, f->name);
	if (f->size == 4) {
		messages_want(test, messages_try_value(test, U32_MAX), -ERANGE, f->name);
		return;
	}
	messages_want(test, messages_try_value(test, U64_MAX), -ERANGE, f->name);
	KUNIT_EXPECT_NOT_NULL(test, strstr(m->text, "1 to 1000000000000"));
}

static void messages_of_the_top(struct kunit *test)
{
	static const u8 commands[] = {
		KVERBS_CMD_RUN_CONNECT, KVERBS_CMD_RUN_START, KVERBS_CMD_RUN_STOP,
		KVERBS_CMD_RUN_GET, KVERBS_CMD_RUN_DEL,
	};
	static const struct {
		u16 attr, size;
	} peer[] = {
		{ KVERBS_A_PEER_QPN, 4 }, { KVERBS_A_PEER_PSN, 4 }, { KVERBS_A_PEER_GID, 16 },
		{ KVERBS_A_PEER_RKEY, 4 }, { KVERBS_A_PEER_ADDR, 8 },
	};
	struct messages *m = test->priv;
	char long_name[80] = { [0 ... 78] = 'x' };
	u64 zeros[2] = { };
	unsigned int i;

	messages_find(test);
	messages_begin(test, KVERBS_CMD_INFO_GET);
	KUNIT_EXPECT_EQ(test, messages_send(test), 0);
	messages_begin(test, KVERBS_CMD_MAX + 1);
	KUNIT_EXPECT_EQ(test, messages_send(test), -EOPNOTSUPP);
	messages_begin(test, KVERBS_CMD_UNSPEC);
	KUNIT_EXPECT_EQ(test, messages_send(test), -EOPNOTSUPP);
	messages_begin(test, KVERBS_CMD_INFO_GET);
	nla_put_u32(m->skb, KVERBS_A_MAX + 1, 1);
	messages_want(test, messages_send(test), -EINVAL, "Unknown attribute");

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		messages_begin(test, commands[i]);
		messages_want(test, messages_send(test), -EINVAL, "run-id is missing");
		messages_begin(test, commands[i]);
		nla_put_u32(m->skb, KVERBS_A_RUN_ID, 0);
		messages_want(test, messages_send(test), -ERANGE, "");
		messages_begin(test, commands[i]);
		nla_put(m->skb, KVERBS_A_RUN_ID, 2, zeros);
		messages_want(test, messages_send(test), -EINVAL, "length");
		messages_begin(test, commands[i]);
		nla_put(m->skb, KVERBS_A_RUN_ID, 8, zeros);
		messages_want(test, messages_send(test), -EINVAL, "length");
		messages_begin(test, commands[i]);
		nla_put_u32(m->skb, KVERBS_A_RUN_ID, 123456789);
		messages_want(test, messages_send(test), -ENOENT, "run 123456789: there is none");
	}
	for (i = 0; i < ARRAY_SIZE(peer); i++) {
		messages_begin(test, KVERBS_CMD_RUN_CONNECT);
		nla_put_u32(m->skb, KVERBS_A_RUN_ID, 1);
		nla_put(m->skb, peer[i].attr, peer[i].size, zeros);
		messages_want(test, messages_send(test), -EINVAL, "two hosts");
	}

	messages_begin(test, KVERBS_CMD_DEV_GET);
	messages_want(test, messages_send(test), -EINVAL, "dev-name is missing");
	messages_begin(test, KVERBS_CMD_DEV_GET);
	nla_put_string(m->skb, KVERBS_A_DEV_NAME, "nosuch");
	messages_want(test, messages_send(test), -ENODEV, "nosuch");
	messages_begin(test, KVERBS_CMD_DEV_GET);
	nla_put(m->skb, KVERBS_A_DEV_NAME, 6, "nosuch");
	messages_want(test, messages_send(test), -EINVAL, "");
	messages_begin(test, KVERBS_CMD_DEV_GET);
	nla_put_string(m->skb, KVERBS_A_DEV_NAME, long_name);
	KUNIT_EXPECT_LT(test, messages_send(test), 0);
}

static void messages_of_a_job(struct kunit *test)
{
	struct messages *m = test->priv;
	struct nlattr *job, *step;
	unsigned int i;

	messages_find(test);
	messages_begin(test, KVERBS_CMD_RUN_NEW);
	messages_want(test, messages_send(test), -EINVAL, "dev-name is missing");
	messages_begin(test, KVERBS_CMD_RUN_NEW);
	nla_put_string(m->skb, KVERBS_A_DEV_NAME, "nosuch");
	messages_want(test, messages_send(test), -EINVAL, "job is missing");

	job = messages_job(test);
	nla_nest_end(m->skb, job);
	messages_want(test, messages_send(test), -EINVAL, "step");

	/* without the flag that says it is a nest */
	messages_begin(test, KVERBS_CMD_RUN_NEW);
	nla_put_string(m->skb, KVERBS_A_DEV_NAME, "nosuch");
	job = nla_nest_start_noflag(m->skb, KVERBS_A_JOB);
	messages_step(m, KVERBS_OP_WRITE, 64);
	nla_nest_end(m->skb, job);
	messages_want(test, messages_send(test), -EINVAL, "NLA_F_NESTED");

	job = messages_job(test);
	nla_put_u32(m->skb, KVERBS_JOB_A_MAX + 1, 1);
	messages_step(m, KVERBS_OP_WRITE, 64);
	nla_nest_end(m->skb, job);
	messages_want(test, messages_send(test), -EINVAL, "Unknown attribute");

	/* an attribute that reaches beyond its nest */
	job = messages_job(test);
	step = skb_put(m->skb, 4);
	step->nla_type = KVERBS_JOB_A_PORT;
	step->nla_len = 200;
	nla_nest_end(m->skb, job);
	KUNIT_EXPECT_EQ(test, messages_send(test), -EINVAL);

	job = messages_job(test);
	nla_put_u32(m->skb, KVERBS_JOB_A_STEP, 5);
	nla_nest_end(m->skb, job);
	KUNIT_EXPECT_EQ(test, messages_send(test), -EINVAL);

	job = messages_job(test);
	step = nla_nest_start(m->skb, KVERBS_JOB_A_STEP);
	nla_put_u32(m->skb, KVERBS_STEP_A_OP, KVERBS_OP_WRITE);
	nla_nest_end(m->skb, step);
	nla_nest_end(m->skb, job);
	messages_want(test, messages_send(test), -EINVAL, "size is missing");

	job = messages_job(test);
	step = nla_nest_start(m->skb, KVERBS_JOB_A_STEP);
	nla_put_u32(m->skb, KVERBS_STEP_A_SIZE, 64);
	nla_nest_end(m->skb, step);
	nla_nest_end(m->skb, job);
	messages_want(test, messages_send(test), -EINVAL, "operation is missing");

	job = messages_job(test);
	messages_step(m, KV_OPS, 64);
	nla_nest_end(m->skb, job);
	KUNIT_EXPECT_EQ(test, messages_send(test), -ERANGE);

	job = messages_job(test);
	messages_step(m, KVERBS_OP_WRITE, KV_SIZE_MAX + 1);
	nla_nest_end(m->skb, job);
	KUNIT_EXPECT_EQ(test, messages_send(test), -ERANGE);

	job = messages_job(test);
	for (i = 0; i <= KVERBS_STEPS_MAX; i++)
		messages_step(m, KVERBS_OP_WRITE, 64);
	nla_nest_end(m->skb, job);
	messages_want(test, messages_send(test), -E2BIG, "step: too many");

	job = messages_job(test);
	for (i = 0; i <= KVERBS_CPUS_MAX; i++)
		nla_put_u32(m->skb, KVERBS_JOB_A_CPU, 0);
	messages_step(m, KVERBS_OP_WRITE, 64);
	nla_nest_end(m->skb, job);
	messages_want(test, messages_send(test), -E2BIG, "cpu");

	job = messages_job(test);
	nla_put_u16(m->skb, KVERBS_JOB_A_CPU, 0);
	messages_step(m, KVERBS_OP_WRITE, 64);
	nla_nest_end(m->skb, job);
	messages_want(test, messages_send(test), -EINVAL, "length");
}

static struct kunit_case messages_tests[] = {
	KUNIT_CASE_PARAM(messages_of_a_field, messages_fields_gen_params),
	KUNIT_CASE(messages_of_the_top),
	KUNIT_CASE(messages_of_a_job),
	{ }
};

struct kunit_suite kv_messages_suite = {
	.name = "kverbs_messages",
	.init = messages_init,
	.exit = messages_exit,
	.test_cases = messages_tests,
};
