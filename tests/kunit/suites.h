/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef KV_KUNIT_SUITES_H
#define KV_KUNIT_SUITES_H

#include <kunit/test.h>

extern struct kunit_suite kv_hist_suite;
extern struct kunit_suite kv_life_suite;
extern struct kunit_suite kv_limits_suite;
extern struct kunit_suite kv_loop_suite;
extern struct kunit_suite kv_messages_suite;
extern struct kunit_suite kv_results_suite;
extern struct kunit_suite kv_teardown_suite;

#endif /* KV_KUNIT_SUITES_H */
