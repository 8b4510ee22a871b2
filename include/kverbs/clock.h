/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The CPU's counter, read by the same instructions in both engines.
 *
 * The includer defines u64 first. KV_HAVE_CPU_CLOCK is 0 on architectures
 * without a row here: only CLOCK_MONOTONIC_RAW can be asked for there.
 */
#ifndef _KVERBS_CLOCK_H
#define _KVERBS_CLOCK_H

#define KV_CLOCK_SHIFT		24	/* ns = ticks * mult >> shift, in 128 bits */

#if defined(__x86_64__)

#define KV_HAVE_CPU_CLOCK	1
#define KV_CPU_CLOCK_NAME	"tsc (lfence; rdtsc)"

/* lfence: the counter is read after all earlier loads, of a CQE say, are done */
static inline u64 kv_cpu_clock(void)
{
	/* it clears the upper halves of both */
	unsigned long low, high;

	asm volatile("lfence\n\trdtsc" : "=a" (low), "=d" (high) : : "memory");
	return (u64)high << 32 | low;
}

#elif defined(__aarch64__)

#define KV_HAVE_CPU_CLOCK	1
#define KV_CPU_CLOCK_NAME	"cntvct (isb; mrs)"

static inline u64 kv_cpu_clock(void)
{
	u64 now;

	asm volatile("isb\n\tmrs %0, cntvct_el0" : "=r" (now) : : "memory");
	return now;
}

#else

#define KV_HAVE_CPU_CLOCK	0
#define KV_CPU_CLOCK_NAME	"none"

static inline u64 kv_cpu_clock(void)
{
	return 0;
}

#endif

#define KV_RAW_CLOCK_NAME	"CLOCK_MONOTONIC_RAW"

/**
 * kv_clock_ns - ticks to nanoseconds
 * @ticks: ticks of a clock
 * @mult: its factor
 * @shift: its shift, 0 to 32
 *
 * The product is split, so that it fits whatever the number of ticks.
 *
 * Return: nanoseconds, rounded down by less than 2
 */
static inline u64 kv_clock_ns(u64 ticks, u32 mult, u32 shift)
{
	return ((ticks >> 32) * mult << (32 - shift)) +
	       ((ticks & 0xffffffffULL) * mult >> shift);
}

#endif /* _KVERBS_CLOCK_H */
