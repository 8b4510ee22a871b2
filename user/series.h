/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A series: one job run once for each point of a grid of values, shown as one
 * table.
 */
#ifndef KV_SERIES_H
#define KV_SERIES_H

#include "options.h"
#include "report.h"

int kv_series_run(const struct kv_options *options, const char *device, const struct kv_env *env);

/* run.c */
json_t *kv_json_run(const struct kv_options *options, const struct kv_report *report);

#endif /* KV_SERIES_H */
