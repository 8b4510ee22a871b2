// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The clock of the user engine: the CPU's counter with the module's factor when
 * the tool has it, else calibrated here.
 */
#include <string.h>
#include <time.h>
#include "kverbs.h"

#define CALIBRATE_NS	25000000ULL
#define PROBES		16	/* readings of both clocks, the closest is taken */
#define BATCHES		64
#define BATCH		64

static struct kv_clock_info cpu_clock;
static bool cpu_clock_known;

static u64 raw_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (u64)now.tv_sec * 1000000000ULL + (u64)now.tv_nsec;
}

/* one instant on both clocks */
static void read_both(u64 *ticks, u64 *ns)
{
	u64 before, after, middle, best = ~0ULL;
	int i;

	for (i = 0; i < PROBES; i++) {
		before = kv_cpu_clock();
		middle = raw_ns();
		after = kv_cpu_clock();
		if (after - before < best) {
			best = after - before;
			*ticks = before + best / 2;
			*ns = middle;
		}
	}
}

static u32 cost_of(u64 (*clock)(void))
{
	u64 start, best = ~0ULL;
	int i, j;

	for (i = 0; i < BATCHES; i++) {
		start = clock();
		for (j = 0; j < BATCH; j++)
			clock();
		start = clock() - start;
		if (start < best)
			best = start;
	}
	return (u32)((best + BATCH / 2) / (BATCH + 1));
}

static u64 cpu_ticks(void)
{
	return kv_cpu_clock();
}

/* does the counter run at one rate on all CPUs, whatever their state? */
static u32 counter_invariant(void)
{
#if defined(__x86_64__)
	char line[8192];
	FILE *file = fopen("/proc/cpuinfo", "r");
	u32 invariant = 0;

	while (file && fgets(line, sizeof(line), file)) {
		if (!strncmp(line, "flags", 5)) {
			invariant = strstr(line, " constant_tsc") && strstr(line, " nonstop_tsc");
			break;
		}
	}
	if (file)
		fclose(file);
	return invariant;
#else
	return KV_HAVE_CPU_CLOCK;
#endif
}

static void calibrate(void)
{
	struct timespec pause = { .tv_nsec = CALIBRATE_NS };
	u64 ticks0, ns0, ticks1, ns1;

	read_both(&ticks0, &ns0);
	do {
		nanosleep(&pause, NULL);
		read_both(&ticks1, &ns1);
	} while (ns1 - ns0 < CALIBRATE_NS || ticks1 == ticks0);
	cpu_clock.shift = KV_CLOCK_SHIFT;
	cpu_clock.mult = (u32)(((__uint128_t)(ns1 - ns0) << KV_CLOCK_SHIFT) /
			       (ticks1 - ticks0));
	cpu_clock.invariant = counter_invariant();
	cpu_clock_known = true;
}

/**
 * kv_clock_use - take the module's factor for the CPU's counter
 * @info: clock of a kernel run or of the module
 *
 * So both engines convert the same ticks to the same ns.
 */
void kv_clock_use(const struct kv_clock_info *info)
{
	if (!info->mult)
		return;
	cpu_clock.mult = info->mult;
	cpu_clock.shift = info->shift;
	cpu_clock.invariant = info->invariant;
	cpu_clock_known = true;
}

/**
 * kv_clock_get - the clock of a user run
 * @kind: enum kverbs_clock
 * @info: filled
 * @error: filled on failure
 * Return: 0, or -1 when this architecture has no such clock
 */
int kv_clock_get(u32 kind, struct kv_clock_info *info, struct kv_error *error)
{
	if (kind == KVERBS_CLOCK_RAW) {
		*info = (struct kv_clock_info){ KV_RAW_CLOCK_NAME, 1U << KV_CLOCK_SHIFT,
						KV_CLOCK_SHIFT, 1, cost_of(raw_ns), KV_UNIT_NS };
		return 0;
	}
	if (!KV_HAVE_CPU_CLOCK)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "clock cpu: no CPU counter is known on this architecture; use --clock raw");
	if (!cpu_clock_known)
		calibrate();
	*info = cpu_clock;
	snprintf(info->name, sizeof(info->name), "%s", KV_CPU_CLOCK_NAME);
	info->cost = cost_of(cpu_ticks);
	return 0;
}

/* CLOCK_MONOTONIC, for lengths that people wait for */
double kv_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
