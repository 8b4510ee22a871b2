/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Counters of the device beside a run: of its port, of its hardware, of its
 * network interfaces, as differences over the run.
 */
#ifndef KV_COUNTERS_H
#define KV_COUNTERS_H

#include <stdbool.h>
#include <stdio.h>
#include <jansson.h>
#include "engine.h"

struct kv_counters;	/* values at one moment */

struct kv_counters *kv_counters_read(const char *device, u32 port);
void kv_counters_add(struct kv_counters *counters, const char *source, const char *name,
		     u64 value);
void kv_counters_free(struct kv_counters *counters);
u32 kv_counters_between(struct kv_counters *before, const struct kv_counters *after);
bool kv_counters_get(const struct kv_counters *counters, u32 i, const char **source,
		     const char **name, s64 *value);
void kv_print_counters(FILE *file, const struct kv_counters *counters);
json_t *kv_json_counters(const struct kv_counters *counters);

#endif /* KV_COUNTERS_H */
