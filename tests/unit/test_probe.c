// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The probe of doctor with an engine that refuses what it is told to. */
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "kverbs.h"
#include "probe.h"
#include <cmocka.h>

struct kv_run {
	struct kv_job job;
};

static const char *at_prepare;	/* texts of refusals, NULL: none */
static const char *at_connect;
static int status;
static u32 reason;
static u64 most_mtu;		/* that modify to RTR takes */
static int alive;		/* runs not released */

static int fake_prepare(const char *device, const struct kv_job *job, struct kv_run **run,
			struct kv_error *error)
{
	if (at_prepare)
		return kv_error_set(error, status, "%s", at_prepare);
	assert_int_equal(job->iterations, 1);
	*run = calloc(1, sizeof(**run));
	(*run)->job = *job;
	alive++;
	return 0;
}

static int fake_connect(struct kv_run *run, struct kv_error *error)
{
	if (at_connect)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT, "%s", at_connect);
	if (run->job.mtu > most_mtu)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT,
				    "modify_qp to RTR: no route for the GID");
	return 0;
}

static int fake_start(struct kv_run *run, struct kv_error *error)
{
	return 0;
}

static int fake_wait(struct kv_run *run, int timeout_ms, struct kv_error *error)
{
	return 1;
}

static int fake_result(struct kv_run *run, struct kv_result **result, struct kv_error *error)
{
	*result = kv_result_new(0);
	(*result)->engine = "fake";
	(*result)->state = reason ? KVERBS_STATE_FAILED : KVERBS_STATE_DONE;
	(*result)->reason = reason;
	return 0;
}

static void fake_release(struct kv_run *run)
{
	free(run);
	alive--;
}

static const struct kv_engine fake = {
	.name = "fake",
	.prepare = fake_prepare,
	.connect = fake_connect,
	.start = fake_start,
	.wait = fake_wait,
	.stop = fake_start,
	.result = fake_result,
	.release = fake_release,
};

static struct kv_job job;

static int setup(void **state)
{
	static const struct kv_job plain = KV_JOB_INIT;

	job = plain;
	at_prepare = NULL;
	at_connect = NULL;
	reason = 0;
	most_mtu = KV_AUTO;
	status = KV_EXIT_ENVIRONMENT;
	return 0;
}

static u32 probed(struct kv_probe *probe)
{
	kv_probe_engine(&fake, "fake0", &job, probe);
	assert_int_equal(alive, 0);
	return probe->step;
}

static void test_nothing_refused(void **state)
{
	struct kv_probe probe;

	assert_int_equal(probed(&probe), KV_STEPS);
	assert_null(probe.field);
}

static void test_each_step(void **state)
{
	static const struct {
		const char *text;
		u32 step;
	} said[] = {
		{ "alloc_pd: Cannot allocate memory", KV_STEP_PD },
		{ "kernel engine: device x: cannot allocate PD: no", KV_STEP_PD },
		{ "reg_mr of 4096 bytes: Cannot allocate memory", KV_STEP_MR },
		{ "kernel engine: device x: cannot map buffer into MR: no", KV_STEP_MR },
		{ "kernel engine: device x: cannot map buffer for DMA: no", KV_STEP_BUFFER },
		{ "create_cq of 3 entries: Invalid argument", KV_STEP_CQ },
		{ "kernel engine: device x: cannot create QP: no", KV_STEP_QP },
		{ "modify_qp to INIT: Invalid argument", KV_STEP_INIT },
		{ "kernel engine: device x: cannot move QP to RTR: no", KV_STEP_RTR },
		{ "kernel engine: device x: cannot connect by rdma_cm: no", KV_STEP_CM },
		{ "rdma_cm: modify_qp to INIT: Invalid argument", KV_STEP_INIT },
		{ "kernel engine: device x: cannot move QP to RTS: no", KV_STEP_RTS },
		{ "create_ah: Invalid argument", KV_STEP_AH },
		{ "kernel engine: device x: cannot post REG_MR: no", KV_STEP_REG_MR },
		{ "post_recv of 3 WRs: Cannot allocate memory", KV_STEP_RECV },
		{ "something else", KV_STEP_LANES },
	};
	struct kv_probe probe;
	u32 i;

	for (i = 0; i < KV_ARRAY_SIZE(said); i++) {
		at_connect = said[i].text;
		assert_int_equal(probed(&probe), said[i].step);
		assert_string_equal(probe.text, said[i].text);
	}
	at_prepare = "device x: cannot be opened: no";
	assert_int_equal(probed(&probe), KV_STEP_OPEN);
	at_prepare = "tx-depth 9: too many";
	status = KV_EXIT_USAGE;
	assert_int_equal(probed(&probe), KV_STEP_CHECK);
	setup(state);
	reason = KVERBS_REASON_POST;
	assert_int_equal(probed(&probe), KV_STEP_POST);
	reason = KVERBS_REASON_TIMEOUT;
	assert_int_equal(probed(&probe), KV_STEP_POLL);
}

/* the attribute is named when another value of it goes through, and only then */
static void test_attribute(void **state)
{
	struct kv_probe probe;

	job.mtu = 4096;
	most_mtu = 1024;
	assert_int_equal(probed(&probe), KV_STEP_RTR);
	assert_non_null(probe.field);
	assert_string_equal(probe.field->name, "mtu");
	assert_int_equal(probe.asked, 4096);
	assert_int_equal(probe.taken, 256);
	most_mtu = 0;
	assert_int_equal(probed(&probe), KV_STEP_RTR);
	assert_null(probe.field);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_nothing_refused, setup),
		cmocka_unit_test_setup(test_each_step, setup),
		cmocka_unit_test_setup(test_attribute, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
