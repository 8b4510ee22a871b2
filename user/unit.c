// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <string.h>
#include "kverbs.h"
#include "unit.h"

#define BIT(i)		(1ULL << (i))

/* the device's delay is in them, and that is no instruction of the CPU */
#define HOLDS_DEVICE	(BIT(KVERBS_METRIC_LAT) | BIT(KVERBS_METRIC_RTT) | \
			 BIT(KVERBS_METRIC_RESPONSE) | BIT(KVERBS_METRIC_REG) | \
			 BIT(KVERBS_METRIC_INV) | BIT(KVERBS_METRIC_IO))
/* of those in ticks; as sums they are of the calls alone */
#define CALLS		(BIT(KVERBS_CTR_T_POST) | BIT(KVERBS_CTR_T_POLL) | \
			 BIT(KVERBS_CTR_T_REG))

#define NOPS		1000
#define NOP_TRIES	32

/**
 * struct rule - a unit
 * @name: as in options, tables and keys
 * @time: it is one: there are rates, and the length of a window
 * @no_metric: mask of enum kverbs_metric
 * @tick_counter: mask of enum kverbs_counter, of those that count ticks
 */
static const struct rule {
	const char *name;
	bool time;
	u64 no_metric;
	u64 tick_counter;
} rules[KV_UNITS] = {
	[KV_UNIT_NS] = { "ns", true, 0, ~0ULL },
	[KV_UNIT_INSN] = { "insn", false, HOLDS_DEVICE, CALLS },
};

const char *kv_unit_name(u32 unit)
{
	return rules[unit].name;
}

/**
 * kv_unit_key - a JSON key with its unit
 * @name: without it
 * @unit: enum kv_unit
 * @key: filled
 * Return: @key
 */
const char *kv_unit_key(const char *name, u32 unit, char key[KV_UNIT_KEY])
{
	snprintf(key, KV_UNIT_KEY, "%s_%s", name, rules[unit].name);
	return key;
}

/* the key of a value of a comparison: a rate is one of messages, whatever the clock counts */
const char *kv_unit_value_key(const char *name, bool rate, u32 unit, char key[KV_UNIT_KEY])
{
	return rate ? name : kv_unit_key(name, unit, key);
}

bool kv_unit_is_time(u32 unit)
{
	return rules[unit].time;
}

bool kv_unit_has_metric(u32 unit, u32 metric)
{
	return !(rules[unit].no_metric & BIT(metric));
}

/* of a counter in ticks */
bool kv_unit_has_counter(u32 unit, u32 counter)
{
	return rules[unit].tick_counter & BIT(counter);
}

/**
 * kv_unit_use - take the ticks of a clock for what they count
 * @unit: enum kv_unit
 * @clock: of a run
 *
 * Instructions are what the counter counts: the factor that calibration found
 * would but smear them.
 */
void kv_unit_use(u32 unit, struct kv_clock_info *clock)
{
	clock->unit = unit;
	if (unit != KV_UNIT_INSN)
		return;
	clock->mult = 1U << KV_CLOCK_SHIFT;
	clock->shift = KV_CLOCK_SHIFT;
}

/* ticks between two readings with nothing, or with NOPS instructions, between them */
static u64 ticks_of_none(void)
{
	u64 start = kv_cpu_clock();

	return kv_cpu_clock() - start;
}

static u64 ticks_of_nops(void)
{
	u64 start = kv_cpu_clock();

	asm volatile(".rept %c0\n\tnop\n\t.endr" : : "i" (NOPS));
	return kv_cpu_clock() - start;
}

/* do NOPS instructions more take NOPS ticks more? An interrupt may hit a few tries. */
static int check_counter(struct kv_error *error)
{
	u64 took = 0;
	u32 i, exact = 0;

	for (i = 0; i < NOP_TRIES; i++) {
		took = ticks_of_nops() - ticks_of_none();
		exact += took == NOPS;
	}
	if (exact >= NOP_TRIES * 3 / 4)
		return 0;
	return kv_error_set(error, KV_EXIT_ENVIRONMENT,
			    "clock-unit insn: the CPU's counter does not count instructions here: %d of them took %lld ticks; measure under 'scripts/vm --icount', or leave the option and %s out",
			    NOPS, (long long)took, KV_UNIT_ENV);
}

/**
 * kv_unit_check - can a job be measured in this unit, on this machine?
 * @unit: enum kv_unit
 * @job: as asked
 * @error: filled on failure
 * Return: 0, or -1
 */
int kv_unit_check(u32 unit, const struct kv_job *job, struct kv_error *error)
{
	if (unit != KV_UNIT_INSN)
		return 0;
	if (job->clock != KVERBS_CLOCK_CPU)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "clock %s: with --clock-unit insn it is cpu: no other clock counts instructions",
				    kv_clock_kind_name(job->clock));
	if (job->timing == KVERBS_TIMING_NONE)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "timing none: with --clock-unit insn it is lat or all: without a clock reading nothing is counted");
	if (kv_shape_rules[job->shape].control)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "shape %s: not with --clock-unit insn: its calls wait for the device, and that is no instruction of the CPU",
				    kv_shape_name(job->shape));
	if (kv_shape_rules[job->shape].paced)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "shape %s: not with --clock-unit insn: it posts by the time, and instructions are none",
				    kv_shape_name(job->shape));
	if (!KV_HAVE_CPU_CLOCK)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT,
				    "clock-unit insn: no CPU counter is known on this architecture");
	return check_counter(error);
}
