/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A field of the job that takes several values, one run each: lists of sizes and
 * sweeps. Several axes make a grid of points.
 */
#ifndef KV_AXIS_H
#define KV_AXIS_H

#include <stdbool.h>
#include "engine.h"

#define KV_AXES_MAX	4
#define KV_AXIS_VALUES	64
#define KV_POINTS_MAX	1024

/**
 * struct kv_axis - one field and its values
 * @name: of the option
 * @key: of the field in JSON
 * @field: NULL: the size of the job's step
 * @value_name: names of the values, NULL: they are numbers
 * @capped: ends where the device or a limit does, without being refused
 * @preset: of a preset, so that an option may replace it
 * @n: entries of @value
 */
struct kv_axis {
	const char *name;
	const char *key;
	const struct kv_field *field;
	const char *(*value_name)(u32 value);
	bool capped;
	bool preset;
	u32 n;
	u64 value[KV_AXIS_VALUES];
};

/* reads one value of @row, whatever that is to the caller: 0 or -1 */
typedef int (*kv_axis_value_fn)(const void *row, const char *text, u64 *value,
				struct kv_error *error);

int kv_axis_parse(struct kv_axis *axis, const char *text, kv_axis_value_fn value_of,
		  const void *row, struct kv_error *error);
int kv_axis_double(struct kv_axis *axis, u64 low, u64 high);
u32 kv_axes_points(const struct kv_axis *axis, u32 naxes);
u64 kv_axes_value(const struct kv_axis *axis, u32 naxes, u32 which, u32 point);
void kv_axes_job(const struct kv_axis *axis, u32 naxes, u32 point, struct kv_job *job);

#endif /* KV_AXIS_H */
