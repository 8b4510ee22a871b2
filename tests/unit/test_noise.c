// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What the kernel says of its CPUs, and what follows of it for an operation. */
#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "kverbs.h"
#include "noise.h"
#include "summary.h"
#include <cmocka.h>

static struct kv_noise_sample before, after;

/* ten CPUs, so that one has two digits; irq and softirq of CPU 1, the rest is alike */
static void sample_of(struct kv_noise_sample *sample, u32 irq, u32 softirq, u32 steal)
{
	char text[1024];
	int at, cpu;

	at = snprintf(text, sizeof(text), "cpu  90 1 2 3 4 %u %u %u 0 0\n", irq, softirq, steal);
	for (cpu = 0; cpu < 11; cpu++)
		at += snprintf(text + at, sizeof(text) - (size_t)at,
			       "cpu%d 9 1 2 3 4 %u %u %u 0 0\n", cpu, cpu == 1 ? irq : 0,
			       cpu == 1 ? softirq : 7, cpu == 10 ? steal : 0);
	snprintf(text + at, sizeof(text) - (size_t)at, "intr 5 0 0\nctxt 1234\nbtime 1\n");
	memset(sample, 0, sizeof(*sample));
	kv_noise_parse_stat(text, sample);
	sample->at_ns = 1000000000;
}

static void between(const u32 cpu[2], struct kv_noise *noise)
{
	struct kv_lane_result lane[2] = {
		{ .role = KVERBS_ROLE_INITIATOR, .cpu = cpu[0],
		  .stat = { .ops = 900, .warm_ops = 100, .cpu = 5000 } },
		{ .role = KVERBS_ROLE_RESPONDER, .cpu = cpu[1],
		  .stat = { .ops = 900, .cpu = 3000 } },
	};
	struct kv_result result = {
		.nlanes = 2, .lane = lane, .granted = KV_JOB_INIT,
		.clock = { .mult = 1 << 24, .shift = 24 },
	};
	struct kv_summary summary;

	after.at_ns = 3000000000;
	kv_noise_between(&before, &after, &result, noise);
	result.granted.chain = 1;
	kv_summarize(&result, &summary);
	assert_true(summary.cpu_ns == 5);
	assert_true(summary.peer_cpu_ns == 3);
}

static void test_stat(void **state)
{
	sample_of(&after, 12, 34, 56);
	assert_int_equal(after.irq_time[1], 12);
	assert_int_equal(after.softirq_time[1], 34);
	assert_int_equal(after.softirq_time[10], 7);
	assert_int_equal(after.steal[10], 56);
	assert_int_equal(after.steal[1], 0);
	assert_int_equal(after.all_irq_time, 12);
	assert_int_equal(after.switches, 1234);
}

static void test_counted(void **state)
{
	static const u32 two[2] = { 1, 10 }, one[2] = { 1, 1 }, others[2] = { 2, 3 };
	double step = 1e9 / (double)sysconf(_SC_CLK_TCK) / 1000;
	struct kv_noise noise;

	sample_of(&before, 10, 20, 0);
	sample_of(&after, 13, 25, 100);
	between(two, &noise);
	assert_true(noise.known);
	assert_int_equal(noise.cpus, 2);
	assert_true(noise.step_ns == step);
	assert_true(noise.irq_ns == 3 * step);
	assert_true(noise.softirq_ns == 5 * step);
	assert_true(noise.contaminated);
	/* a CPU of two lanes counts once */
	between(one, &noise);
	assert_true(noise.irq_ns == 3 * step);
	assert_false(noise.contaminated);
	/* nothing on these is something that is known */
	between(others, &noise);
	assert_true(noise.irq_ns == 0);
	assert_true(noise.softirq_ns == 0);
}

static void test_sampled(void **state)
{
	static const u32 cpu[2] = { 1, 10 };
	struct kv_noise noise;

	sample_of(&before, 0, 20, 0);
	sample_of(&after, 0, 25, 0);
	between(cpu, &noise);
	assert_true(noise.known);
	assert_true(isnan(noise.irq_ns) && isnan(noise.softirq_ns) && isnan(noise.step_ns));
}

static void kthread(struct kv_noise_sample *sample, u32 pid, u64 ns)
{
	sample->kthread[sample->nkthreads++] = (struct kv_noise_kthread){ pid, ns };
}

static void test_kthreads(void **state)
{
	static const u32 cpu[2] = { 1, 10 };
	struct kv_noise noise;

	assert_true(kv_noise_other_kthread("17 (kworker/1:0-eve) I 2 0 0 0 -1 69238880 0 0"));
	assert_true(kv_noise_other_kthread("18 (a) b (c)) S 2 0 0 0 -1 69238848 0 0"));
	assert_false(kv_noise_other_kthread("19 (kverbs/3:0) R 2 0 0 0 -1 69238848 0 0"));
	assert_false(kv_noise_other_kthread("20 (kworker/1:0) S 1 20 20 0 -1 4194560 0 0"));
	assert_false(kv_noise_other_kthread("21 (kworker"));
	sample_of(&before, 0, 0, 0);
	sample_of(&after, 0, 0, 0);
	between(cpu, &noise);
	assert_true(isnan(noise.kthreads_ns));
	kthread(&before, 3, 100);
	kthread(&before, 5, 1000);	/* ends */
	kthread(&before, 7, 5000);
	kthread(&before, 9, 800);	/* ends, and another one has its number */
	kthread(&after, 3, 150);
	kthread(&after, 4, 2000);	/* new */
	kthread(&after, 7, 5000);
	kthread(&after, 9, 300);
	between(cpu, &noise);
	assert_true(noise.kthreads_ns == (50 + 2000 + 0 + 300) / 1000.0);
}

static void test_unknown(void **state)
{
	struct kv_result result = { .granted = KV_JOB_INIT };
	struct kv_noise noise;

	kv_noise_between(NULL, &after, &result, &noise);
	assert_false(noise.known);
	assert_true(isnan(noise.irq_ns) && isnan(noise.softirq_ns) && isnan(noise.step_ns));
	assert_true(isnan(noise.kthreads_ns));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stat),
		cmocka_unit_test(test_counted),
		cmocka_unit_test(test_sampled),
		cmocka_unit_test(test_kthreads),
		cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
