// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Everything has an explanation, and is found by each of its names. */
#include <errno.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <infiniband/verbs.h>
#include "explain.h"
#include "kverbs.h"
#include "report.h"
#include <cmocka.h>

static void test_all_are_there(void **state)
{
	const struct kv_explanation *of, *other;
	u32 i, j;

	for (i = 0; i <= IBV_WC_TM_RNDV_INCOMPLETE; i++)
		assert_non_null(kv_explanation_of(KV_EXPLAIN_STATUS, i));
	assert_null(kv_explanation_of(KV_EXPLAIN_STATUS, i));
	for (i = 0; i <= IBV_EVENT_WQ_FATAL; i++)
		assert_non_null(kv_explanation_of(KV_EXPLAIN_EVENT, i));
	for (i = 0; i <= KVERBS_REASON_CQ; i++)
		assert_non_null(kv_explanation_of(KV_EXPLAIN_REASON, i));
	for (i = 0; (of = kv_explanation(i)); i++) {
		assert_true(of->kind < KV_EXPLAIN_KINDS);
		assert_true(*of->name && *of->meaning);
		if (of->kind == KV_EXPLAIN_ERRNO)
			assert_string_equal(of->name, strerror((int)of->number));
		for (j = 0; j < i; j++) {
			other = kv_explanation(j);
			assert_false(other->kind == of->kind &&
				     (other->number == of->number ||
				      !strcmp(other->symbol, of->symbol)));
		}
	}
}

static u32 found(const char *name, const char *symbol)
{
	const struct kv_explanation *of = NULL;
	u32 n = 0;

	while ((of = kv_explanation_find(name, of))) {
		n++;
		if (symbol)
			assert_string_equal(of->symbol, symbol);
	}
	return n;
}

static void test_names(void **state)
{
	static const char * const names[] = {
		"RETRY_EXC_ERR", "retry-exc-err", "IB_WC_RETRY_EXC_ERR", "IBV_WC_RETRY_EXC_ERR",
		"ib_wc_retry_exc_err", "transport retries exceeded",
	};
	u32 i;

	for (i = 0; i < KV_ARRAY_SIZE(names); i++)
		assert_int_equal(found(names[i], "RETRY_EXC_ERR"), 1);
	assert_int_equal(found("IBV_EVENT_QP_FATAL", "QP_FATAL"), 1);
	assert_int_equal(found("qp-fatal", "QP_FATAL"), 1);
	assert_int_equal(found("enomem", "ENOMEM"), 1);
	assert_int_equal(found("-12", "ENOMEM"), 1);
	assert_int_equal(found("KVERBS_REASON_TIMEOUT", "TIMEOUT"), 1);
	/* a status, an event, an errno and a reason */
	assert_int_equal(found("12", NULL), 4);
	assert_int_equal(found("", NULL), 0);
	assert_int_equal(found("-", NULL), 0);
	assert_int_equal(found("nosuch", NULL), 0);
	assert_int_equal(found("a name that is very much longer than all of those that there are",
			       NULL), 0);
}

static void test_short_causes(void **state)
{
	struct kv_explanation of = { .causes = "one; two; three" };
	char text[32];

	kv_explain_causes(&of, 2, text, sizeof(text));
	assert_string_equal(text, "one; two");
	kv_explain_causes(&of, 1, text, sizeof(text));
	assert_string_equal(text, "one");
	kv_explain_causes(&of, 9, text, sizeof(text));
	assert_string_equal(text, "one; two; three");
	of.causes = "";
	kv_explain_causes(&of, 2, text, sizeof(text));
	assert_string_equal(text, "");
}

/* the line of a run has the causes, and where to read on, uncut */
static void test_line_of_a_run(void **state)
{
	struct kv_result result = {
		.engine = "kernel",
		.state = KVERBS_STATE_FAILED,
		.reason = KVERBS_REASON_WC,
		.err_lane = 1023,
		.err_wr = 1ULL << 63 | 4294967295U,
		.vendor_err = ~0U,
		.qp_state = IBV_QPS_ERR,
	};
	struct kv_error error;
	char end[64];
	u32 i;

	for (i = 0; i <= IBV_WC_TM_RNDV_INCOMPLETE; i++) {
		result.wc_status = i;
		kv_explain(&result, error.text, sizeof(error.text));
		snprintf(end, sizeof(end), "kverbs explain %s'",
			 kv_explanation_of(KV_EXPLAIN_STATUS, i)->symbol);
		assert_non_null(strstr(error.text, end));
	}
	result.wc_status = 77;
	kv_explain(&result, error.text, sizeof(error.text));
	assert_non_null(strstr(error.text, "unknown status (status 77)"));
	result.reason = KVERBS_REASON_POST;
	result.err = -ENOMEM;
	kv_explain(&result, error.text, sizeof(error.text));
	assert_non_null(strstr(error.text, "Cannot allocate memory"));
	assert_non_null(strstr(error.text, "'kverbs explain ENOMEM'"));
	result.err = -EXDEV;
	kv_explain(&result, error.text, sizeof(error.text));
	assert_non_null(strstr(error.text, "'kverbs explain --list'"));
}

/* each error that can be provoked is named where it is explained, and parsed by the job */
static void test_provoked(void **state)
{
	const struct kv_provoke_rule *rule;
	const struct kv_explanation *of;
	char job[KV_EXPLAIN_JOB], command[KV_EXPLAIN_JOB];
	u32 provoke, i, n, all = 0;

	for (provoke = 1; provoke < KV_PROVOKES; provoke++) {
		rule = &kv_provoke_rules[provoke];
		of = rule->reason == KVERBS_REASON_WC ?
		     kv_explanation_of(KV_EXPLAIN_STATUS, rule->status) :
		     kv_explanation_of(KV_EXPLAIN_REASON, rule->reason);
		assert_non_null(of);
		snprintf(command, sizeof(command), "kverbs run --provoke %s%s", rule->name,
			 rule->options);
		for (i = n = 0; kv_explain_provoked(of, i, job); i++)
			n += !strcmp(job, command);
		assert_int_equal(n, !rule->never);
		all += n;
	}
	for (i = n = 0; (of = kv_explanation(i)); i++) {
		for (provoke = 0; kv_explain_provoked(of, provoke, job); provoke++)
			n += of->kind != KV_EXPLAIN_EVENT;
	}
	assert_int_equal(n, all);
	assert_true(kv_explain_provoked(kv_explanation_of(KV_EXPLAIN_EVENT, IBV_EVENT_CQ_ERR), 0,
					job));
}

/* the lane that shows what was to come is the one that the line is of */
static void test_line_of_a_provoked_run(void **state)
{
	struct kv_lane_result lane[2] = {
		{ .index = 0, .reason = KVERBS_REASON_WC, .wc_status = IBV_WC_REM_INV_REQ_ERR },
		{ .index = 1, .reason = KVERBS_REASON_WC, .wc_status = IBV_WC_LOC_LEN_ERR,
		  .role = KVERBS_ROLE_RESPONDER },
	};
	struct kv_result result = {
		.engine = "user",
		.state = KVERBS_STATE_FAILED,
		.reason = KVERBS_REASON_WC,
		.wc_status = IBV_WC_REM_INV_REQ_ERR,
		.granted = { .provoke = KVERBS_PROVOKE_LOCAL_LENGTH },
		.qp_state = IBV_QPS_SQE,
		.peer_qp_state = IBV_QPS_ERR,
		.nlanes = 2,
		.lane = lane,
	};
	struct kv_error error;

	kv_explain(&result, error.text, sizeof(error.text));
	assert_non_null(strstr(error.text, "provoked local-length, LOC_LEN_ERR came: "));
	assert_non_null(strstr(error.text, "lane 1, "));
	assert_non_null(strstr(error.text, "QP in ERR, its peer in SQE"));
	lane[1].reason = KVERBS_REASON_STOPPED;
	kv_explain(&result, error.text, sizeof(error.text));
	assert_non_null(strstr(error.text, "LOC_LEN_ERR did not come; instead: user engine: "));
	assert_non_null(strstr(error.text, "QP in SQE, its peer in ERR"));
	result.state = KVERBS_STATE_DONE;
	result.reason = KVERBS_REASON_COMPLETE;
	kv_explain(&result, error.text, sizeof(error.text));
	assert_non_null(strstr(error.text, "did not come; instead: user engine: complete"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_are_there),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_short_causes),
		cmocka_unit_test(test_line_of_a_run),
		cmocka_unit_test(test_provoked),
		cmocka_unit_test(test_line_of_a_provoked_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
