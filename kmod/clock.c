// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The clocks of runs: calibration and cost. */
#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/math64.h>
#include <linux/preempt.h>
#include <linux/timekeeping.h>

#include "clock.h"
#include "compat.h"

#define KV_CALIBRATE_MS		20
#define KV_COST_READINGS	64
#define KV_COST_BATCHES		16

static struct kv_clock_desc kv_cpu_desc = { .name = KV_CPU_CLOCK_NAME };
static struct kv_clock_desc kv_raw_desc = { .name = KV_RAW_CLOCK_NAME };

const struct kv_clock_desc *kv_clock_desc(u32 which)
{
	if (which == KVERBS_CLOCK_RAW)
		return &kv_raw_desc;
	return KV_HAVE_CPU_CLOCK && kv_cpu_desc.mult ? &kv_cpu_desc : NULL;
}

u64 kv_clock_ticks_us(u32 which, u64 us)
{
	return mul_u64_u32_div(us << KV_CLOCK_SHIFT, NSEC_PER_USEC,
			       kv_clock_desc(which)->mult);
}

u64 kv_clock_ticks(u32 which, u32 ms)
{
	return kv_clock_ticks_us(which, (u64)ms * USEC_PER_MSEC);
}

/* both clocks as near to each other as an interrupt-free window allows */
static void kv_read_both(u64 *cpu, u64 *raw)
{
	u64 before, after, now, best = ~0ULL;
	unsigned long flags;
	int i;

	for (i = 0; i < 8; i++) {
		local_irq_save(flags);
		before = kv_cpu_clock();
		now = ktime_get_raw_ns();
		after = kv_cpu_clock();
		local_irq_restore(flags);
		if (after - before < best) {
			best = after - before;
			*cpu = before + best / 2;
			*raw = now;
		}
	}
}

static u64 kv_read(u32 which)
{
	return which == KVERBS_CLOCK_RAW ? ktime_get_raw_ns() : kv_cpu_clock();
}

/* the mean of a batch, the least of several batches */
static u32 kv_measure_cost(u32 which)
{
	u64 start, took, best = ~0ULL;
	int i, j;

	for (i = 0; i < KV_COST_BATCHES; i++) {
		start = kv_read(which);
		for (j = 0; j < KV_COST_READINGS; j++)
			took = kv_read(which);
		took -= start;
		if (took < best)
			best = took;
	}
	return (u32)div_u64(best, KV_COST_READINGS);
}

int kv_clock_init(void)
{
	u64 cpu0, cpu1, raw0, raw1, mult;

	kv_raw_desc.mult = 1U << KV_CLOCK_SHIFT;
	kv_raw_desc.invariant = 1;
	kv_raw_desc.cost = kv_measure_cost(KVERBS_CLOCK_RAW);
	if (!KV_HAVE_CPU_CLOCK)
		return 0;
	kv_read_both(&cpu0, &raw0);
	msleep(KV_CALIBRATE_MS);
	kv_read_both(&cpu1, &raw1);
	/* a counter that stands still is none */
	if (cpu1 <= cpu0 || raw1 <= raw0)
		return 0;
	mult = div64_u64((raw1 - raw0) << KV_CLOCK_SHIFT, cpu1 - cpu0);
	/* nor is one slower than 4 MHz */
	if (mult > U32_MAX)
		return 0;
	kv_cpu_desc.mult = (u32)mult;
	kv_cpu_desc.invariant = kv_cpu_clock_invariant();
	kv_cpu_desc.cost = kv_measure_cost(KVERBS_CLOCK_CPU);
	return 0;
}
