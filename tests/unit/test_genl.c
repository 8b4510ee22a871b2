// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What the module answers: refusals, and messages that no module sends. */
#include "../../user/genl.c"
#include "../../user/engine_kernel.c"
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#define FAMILY	32
#define SEQ	7
#define ROOM	8192

static struct kv_genl genl = { .family = FAMILY };
static struct kv_error error;
static struct kv_run run;
static struct nl_msg *question;
static struct kv_answer answer;

static int begin(void **state)
{
	static const struct kv_job plain = KV_JOB_INIT;

	memset(&error, 0, sizeof(error));
	memset(&run, 0, sizeof(run));
	run.id = 3;
	run.job = plain;
	run.result.granted = plain;
	question = nlmsg_alloc_size(ROOM);
	genlmsg_put(question, 1, SEQ, FAMILY, 0, 0, KVERBS_CMD_RUN_NEW, KVERBS_GENL_VERSION);
	assert_int_equal(kv_kernel_put_job(question, &run.job), 0);
	answer = (struct kv_answer){ .msg = question, .fn = kv_kernel_take_run, .arg = &run };
	return 0;
}

static int end(void **state)
{
	nlmsg_free(question);
	return 0;
}

/* a message of its own memory, to the byte: what is read beyond it is seen */
static int take(int type, int flags, const void *data, size_t size)
{
	struct nlmsghdr *hdr = malloc(NLMSG_HDRLEN + size);
	int rc;

	hdr->nlmsg_len = NLMSG_HDRLEN + size;
	hdr->nlmsg_type = type;
	hdr->nlmsg_flags = flags;
	hdr->nlmsg_seq = SEQ;
	hdr->nlmsg_pid = 0;
	memcpy(nlmsg_data(hdr), data, size);
	rc = kv_genl_message(&genl, &answer, hdr, &error);
	free(hdr);
	return rc;
}

/* one of the module, about a run */
static int take_run(int cmd, int attribute, u32 value)
{
	struct nl_msg *msg = nlmsg_alloc_size(ROOM);
	struct nlattr *nest;
	int rc;

	genlmsg_put(msg, 0, SEQ, FAMILY, 0, 0, cmd, KVERBS_GENL_VERSION);
	nest = nla_nest_start(msg, KVERBS_A_RUN | NLA_F_NESTED);
	assert_int_equal(nla_put_u32(msg, KVERBS_RUN_A_ID, 3), 0);
	assert_int_equal(nla_put_u32(msg, attribute, value), 0);
	nla_nest_end(msg, nest);
	rc = kv_genl_message(&genl, &answer, nlmsg_hdr(msg), &error);
	nlmsg_free(msg);
	return rc;
}

static void test_an_acknowledgment(void **state)
{
	struct nlmsgerr good = { .msg.nlmsg_len = sizeof(good.msg) };

	assert_int_equal(take(NLMSG_ERROR, NLM_F_CAPPED, &good, sizeof(good)), 0);
	assert_true(answer.done);
}

static void test_one_that_is_short(void **state)
{
	struct nlmsgerr bad = { .error = -EINVAL };
	size_t size;

	for (size = 0; size < sizeof(bad); size++) {
		answer.done = false;
		assert_int_equal(take(NLMSG_ERROR, NLM_F_ACK_TLVS, &bad, size), -1);
		assert_non_null(strstr(error.text, "too short"));
		assert_int_equal(error.status, KV_EXIT_ENVIRONMENT);
		assert_false(answer.done);
	}
	assert_int_equal(take(NLMSG_DONE, 0, &bad, sizeof(int) - 1), -1);
	assert_int_equal(take(NLMSG_DONE, 0, &bad, sizeof(int)), -1);
	assert_non_null(strstr(error.text, "the module refused"));
}

/* the question that it returns is said to be longer, or shorter, than it can be */
static void test_one_of_another_length(void **state)
{
	static const u32 lengths[] = { 0, 1, 15, 17, 20, 4096, 0x7ffffffe, 0x80000000, ~0U };
	struct nlmsgerr bad = { .error = -EINVAL };
	u32 i;

	for (i = 0; i < KV_ARRAY_SIZE(lengths); i++) {
		bad.msg.nlmsg_len = lengths[i];
		assert_int_equal(take(NLMSG_ERROR, NLM_F_ACK_TLVS, &bad, sizeof(bad)), -1);
		assert_non_null(strstr(error.text, "the module refused command"));
		assert_int_equal(error.status, KV_EXIT_USAGE);
	}
}

static void test_numbers_that_are_no_errors(void **state)
{
	static const int numbers[] = { INT_MIN, INT_MIN + 1, -100000, -4096 };
	struct nlmsgerr bad = { .msg.nlmsg_len = sizeof(bad.msg) };
	u32 i;

	for (i = 0; i < KV_ARRAY_SIZE(numbers); i++) {
		bad.error = numbers[i];
		assert_int_equal(take(NLMSG_ERROR, NLM_F_CAPPED, &bad, sizeof(bad)), -1);
		assert_non_null(strstr(error.text, strerror(EPROTO)));
		assert_int_equal(take_run(KVERBS_CMD_RUN_GET, KVERBS_RUN_A_ERRNO, numbers[i]), 0);
		assert_int_equal(run.result.err, -EPROTO);
	}
	assert_int_equal(take_run(KVERBS_CMD_RUN_GET, KVERBS_RUN_A_ERRNO, 5), 0);
	assert_int_equal(run.result.err, -EPROTO);
	assert_int_equal(take_run(KVERBS_CMD_RUN_GET, KVERBS_RUN_A_ERRNO, -ENOMEM), 0);
	assert_int_equal(run.result.err, -ENOMEM);
}

/* the kernel's own words do not name the field: the offset in the question does */
static void test_a_refusal_names_its_field(void **state)
{
	struct {
		struct nlmsgerr head;
		struct nlattr text;
		char words[24];
		struct nlattr offset;
		u32 where;
	} bad = {
		.head = { .error = -ERANGE, .msg.nlmsg_len = sizeof(bad.head.msg) },
		.text = { NLA_HDRLEN + sizeof("integer out of range"), NLMSGERR_ATTR_MSG },
		.words = "integer out of range",
		.offset = { NLA_HDRLEN + sizeof(u32), NLMSGERR_ATTR_OFFS },
	};
	struct nlattr *job, *field;

	nlmsg_free(question);
	run.job.pairs = 2;
	question = nlmsg_alloc_size(ROOM);
	genlmsg_put(question, 1, SEQ, FAMILY, 0, 0, KVERBS_CMD_RUN_NEW, KVERBS_GENL_VERSION);
	assert_int_equal(kv_kernel_put_job(question, &run.job), 0);
	answer.msg = question;
	job = nlmsg_find_attr(nlmsg_hdr(question), GENL_HDRLEN, KVERBS_A_JOB);
	field = nla_find(nla_data(job), nla_len(job), KVERBS_JOB_A_PAIRS);
	assert_non_null(field);
	bad.where = (char *)field - (char *)nlmsg_hdr(question);
	assert_int_equal(take(NLMSG_ERROR, NLM_F_CAPPED | NLM_F_ACK_TLVS, &bad, sizeof(bad)), -1);
	assert_string_equal(error.text, "qp: integer out of range");
	/* an offset of nothing names nothing */
	bad.where = ~0U;
	assert_int_equal(take(NLMSG_ERROR, NLM_F_CAPPED | NLM_F_ACK_TLVS, &bad, sizeof(bad)), -1);
	assert_string_equal(error.text, "integer out of range");
}

static void test_lanes_that_no_run_has(void **state)
{
	static const u32 lanes[] = { KV_LANES_MAX + 1, 0x80000000, ~0U };
	u32 i;

	assert_int_equal(take_run(KVERBS_CMD_RUN_GET, KVERBS_RUN_A_LANES, KV_LANES_MAX), 0);
	assert_int_equal(run.result.nlanes, KV_LANES_MAX);
	for (i = 0; i < KV_ARRAY_SIZE(lanes); i++) {
		assert_int_equal(take_run(KVERBS_CMD_RUN_GET, KVERBS_RUN_A_LANES, lanes[i]), -1);
		assert_non_null(strstr(error.text, "lanes: at most 2048"));
		assert_int_equal(run.result.nlanes, KV_LANES_MAX);
	}
}

static void test_of_another_run(void **state)
{
	run.id = 4;
	assert_int_equal(take_run(KVERBS_CMD_RUN_GET, KVERBS_RUN_A_STATE, KVERBS_STATE_DONE), 0);
	assert_int_equal(run.result.state, KVERBS_STATE_NEW);
	/* that of the answer to RUN_NEW is the run's */
	assert_int_equal(take_run(KVERBS_CMD_RUN_NEW, KVERBS_RUN_A_STATE, KVERBS_STATE_DONE), 0);
	assert_int_equal(run.id, 3);
	assert_int_equal(run.result.state, KVERBS_STATE_DONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_an_acknowledgment, begin, end),
		cmocka_unit_test_setup_teardown(test_one_that_is_short, begin, end),
		cmocka_unit_test_setup_teardown(test_one_of_another_length, begin, end),
		cmocka_unit_test_setup_teardown(test_numbers_that_are_no_errors, begin, end),
		cmocka_unit_test_setup_teardown(test_a_refusal_names_its_field, begin, end),
		cmocka_unit_test_setup_teardown(test_lanes_that_no_run_has, begin, end),
		cmocka_unit_test_setup_teardown(test_of_another_run, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
