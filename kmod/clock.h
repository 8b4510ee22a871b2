/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The clocks of runs, calibrated when the module is loaded. */
#ifndef KV_CLOCK_H
#define KV_CLOCK_H

#include "side.h"

/**
 * struct kv_clock_desc - a clock
 * @name: how it is read
 * @mult: ns = ticks * mult >> KV_CLOCK_SHIFT
 * @invariant: one rate, in step on all CPUs
 * @cost: ticks of one reading
 */
struct kv_clock_desc {
	const char *name;
	u32 mult;
	u32 invariant;
	u32 cost;
};

/**
 * kv_clock_desc - describe a clock
 * @which: enum kverbs_clock
 * Return: the description, NULL when this machine has no such clock
 */
const struct kv_clock_desc *kv_clock_desc(u32 which);

/**
 * kv_clock_ticks - milliseconds to ticks
 * @which: enum kverbs_clock, one that exists
 * @ms: milliseconds
 * Return: ticks
 */
u64 kv_clock_ticks(u32 which, u32 ms);

/* likewise, microseconds */
u64 kv_clock_ticks_us(u32 which, u64 us);

int kv_clock_init(void);

#endif /* KV_CLOCK_H */
