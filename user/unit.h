/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What one tick of the clock counts: the unit of every figure of a report. Its
 * name is the value of --clock-unit, the label of tables and the end of JSON
 * keys; what can be said in it and what cannot stands here alone.
 */
#ifndef KV_UNIT_H
#define KV_UNIT_H

#include <stdbool.h>
#include "engine.h"

#define KV_UNIT_KEY	48			/* room for a JSON key */
#define KV_UNIT_ENV	"KVERBS_CLOCK_UNIT"	/* default of --clock-unit */

/*
 * A sample so many instructions above the median was hit by an interrupt: the
 * timer tick alone takes more than twice as many, and the paths of one and the
 * same call through a driver are tens apart.
 */
#define KV_INSN_INTERRUPT	1000
#define KV_INSN_POSTS		1000	/* of a run of no given length */

const char *kv_unit_name(u32 unit);
const char *kv_unit_key(const char *name, u32 unit, char key[KV_UNIT_KEY]);
const char *kv_unit_value_key(const char *name, bool rate, u32 unit, char key[KV_UNIT_KEY]);
bool kv_unit_is_time(u32 unit);
bool kv_unit_has_metric(u32 unit, u32 metric);
bool kv_unit_has_counter(u32 unit, u32 counter);
void kv_unit_use(u32 unit, struct kv_clock_info *clock);
int kv_unit_check(u32 unit, const struct kv_job *job, struct kv_error *error);

#endif /* KV_UNIT_H */
