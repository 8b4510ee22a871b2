// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * KUnit runs the suites of a module before the module's own init, and these need it
 * loaded: so they are run by writing to its parameter "kunit", as often as one likes.
 * Their results are in the kernel log.
 */
#include <linux/module.h>

#include "suites.h"

static struct kunit_suite *kv_suites[] = {
	&kv_hist_suite,
	&kv_life_suite,
	&kv_limits_suite,
	&kv_loop_suite,
	&kv_messages_suite,
	&kv_results_suite,
	&kv_teardown_suite,
};

static int kv_kunit_set(const char *text, const struct kernel_param *param)
{
	__kunit_test_suites_init(kv_suites, ARRAY_SIZE(kv_suites));
	__kunit_test_suites_exit(kv_suites, ARRAY_SIZE(kv_suites));
	return 0;
}

static const struct kernel_param_ops kv_kunit_ops = {
	.set = kv_kunit_set,
};
module_param_cb(kunit, &kv_kunit_ops, NULL, 0200);
MODULE_PARM_DESC(kunit, "written to: run the KUnit suites");
