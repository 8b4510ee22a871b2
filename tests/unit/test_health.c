// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* How busy a CPU was; that every check is whole. The checks themselves: tests/spec/doctor. */
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <linux/dcbnl.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <rdma/rdma_netlink.h>
#include "health_read.h"
#include <cmocka.h>

static const char before[] =
	"cpu  100 0 100 1000 0 0 0 0 0 0\n"
	"cpu0 50 0 50 500 0 0 0 0 0 0\n"
	"cpu1 50 0 50 500 10 0 0 0 0 0\n"
	"cpu10 1 1 1 1 1 1 1 1 0 0\n";
static const char after[] =
	"cpu  110 0 105 1005 0 0 0 0 0 0\n"
	"cpu0 55 0 52 500 0 1 1 1 0 0\n"
	"cpu1 50 0 51 506 13 0 0 0 0 0\n"
	"cpu10 1 1 1 1 1 1 1 1 0 0\n";

static void test_busy_share(void **state)
{
	assert_int_equal(kv_busy_share(before, after, 0), 100);
	assert_int_equal(kv_busy_share(before, after, 1), 10);
	/* no time passed, no such CPU, time that runs backwards, no text */
	assert_int_equal(kv_busy_share(before, after, 10), -1);
	assert_int_equal(kv_busy_share(before, after, 2), -1);
	assert_int_equal(kv_busy_share(after, before, 1), -1);
	assert_int_equal(kv_busy_share("", "cpu", 0), -1);
}

/* what a driver answers about PFC: bytes of its struct, and the mask in it */
static int pfc_of(int bytes, u8 mask)
{
	struct dcbmsg head = { .cmd = DCB_CMD_IEEE_GET };
	struct ieee_pfc pfc = { .pfc_en = mask };
	struct nl_msg *msg = nlmsg_alloc_simple(RTM_GETDCB, 0);
	struct nlattr *ieee;
	int enabled = -1;

	assert_non_null(msg);
	assert_int_equal(nlmsg_append(msg, &head, sizeof(head), NLMSG_ALIGNTO), 0);
	if (bytes >= 0) {
		ieee = nla_nest_start(msg, DCB_ATTR_IEEE);
		assert_int_equal(nla_put(msg, DCB_ATTR_IEEE_PFC, bytes, &pfc), 0);
		nla_nest_end(msg, ieee);
	}
	kv_take_pfc(msg, &enabled);
	nlmsg_free(msg);
	return enabled;
}

static void test_pfc(void **state)
{
	int whole = sizeof(struct ieee_pfc);

	assert_int_equal(pfc_of(whole, 0), 0);
	assert_int_equal(pfc_of(whole, 0x08), 0x08);
	assert_int_equal(pfc_of(whole, 0xff), 0xff);
	/* an interface without DCB, and an answer that is cut short */
	assert_int_equal(pfc_of(-1, 0), -1);
	assert_int_equal(pfc_of(whole - 1, 0x08), -1);
	assert_int_equal(pfc_of(0, 0), -1);
}

/* what ib_core answers of a device; @dim -1: one that has no such thing */
static int moderation_of(const char *asked, const char *name, int dim)
{
	struct kv_moderation moderation = { asked, -1 };
	struct nl_msg *msg;

	msg = nlmsg_alloc_simple(RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET), 0);
	assert_non_null(msg);
	if (name)
		assert_int_equal(nla_put_string(msg, RDMA_NLDEV_ATTR_DEV_NAME, name), 0);
	if (dim >= 0)
		assert_int_equal(nla_put_u8(msg, RDMA_NLDEV_ATTR_DEV_DIM, (u8)dim), 0);
	kv_take_moderation(msg, &moderation);
	nlmsg_free(msg);
	return moderation.on;
}

static void test_moderation(void **state)
{
	struct kv_found found = { 0 };

	assert_int_equal(moderation_of("mlx5_0", "mlx5_0", 1), 1);
	assert_int_equal(moderation_of("mlx5_0", "mlx5_0", 0), 0);
	assert_int_equal(moderation_of("mlx5_0", "mlx5_1", 1), -1);
	assert_int_equal(moderation_of("rxe0", "rxe0", -1), -1);
	assert_int_equal(moderation_of("rxe0", NULL, 1), -1);
	assert_int_equal(kv_judge_moderation(NULL, &found), KV_HEALTH_OK);
	found.number = 1;
	assert_int_equal(kv_judge_moderation(NULL, &found), KV_HEALTH_NOTE);
}

static void test_rules_are_whole(void **state)
{
	u32 i, j;

	for (i = 0; i < KV_HEALTH_CHECKS; i++) {
		const struct kv_health_rule *rule = &kv_health_rules[i];

		assert_non_null(rule->key);
		assert_non_null(rule->name);
		assert_non_null(rule->read);
		assert_non_null(rule->judge);
		assert_non_null(rule->advice);
		/* whoever may find fault says what to do */
		assert_true(rule->judge == kv_judge_fine || *rule->advice);
		for (j = 0; j < i; j++)
			assert_string_not_equal(rule->key, kv_health_rules[j].key);
	}
}

/* unknown is not bad, and what a run tries by itself is not repeated beside its figures */
static void test_worst_and_warnings(void **state)
{
	struct kv_found finding[KV_HEALTH_CHECKS] = { 0 };
	u32 i;

	assert_int_equal(kv_health_worst(finding), KV_HEALTH_OK);
	finding[3].health = KV_HEALTH_UNKNOWN;
	assert_int_equal(kv_health_worst(finding), KV_HEALTH_OK);
	finding[4].health = KV_HEALTH_WARN;
	assert_int_equal(kv_health_worst(finding), KV_HEALTH_WARN);
	finding[5].health = KV_HEALTH_BAD;
	assert_int_equal(kv_health_worst(finding), KV_HEALTH_BAD);
	for (i = 0; i < KV_HEALTH_CHECKS; i++) {
		finding[i].health = KV_HEALTH_NOTE;
		assert_false(kv_health_warns(finding, i));
		finding[i].health = KV_HEALTH_BAD;
		assert_int_equal(kv_health_warns(finding, i),
				 kv_health_rules[i].scope &
				 (KV_SCOPE_FIGURES | KV_SCOPE_HARDWARE) ? 1 : 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_busy_share),
		cmocka_unit_test(test_pfc),
		cmocka_unit_test(test_moderation),
		cmocka_unit_test(test_rules_are_whole),
		cmocka_unit_test(test_worst_and_warnings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
