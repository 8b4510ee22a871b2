// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <string.h>
#include "axis.h"
#include "kverbs.h"

static int add(struct kv_axis *axis, u64 value)
{
	if (axis->n == KV_AXIS_VALUES)
		return -1;
	axis->value[axis->n++] = value;
	return 0;
}

/**
 * kv_axis_double - add a range that doubles from its low end
 * @axis: axis
 * @low: first value, not 0
 * @high: last value, in it whether or not doubling meets it
 * Return: 0, or -1 when there are more values than an axis can have
 */
int kv_axis_double(struct kv_axis *axis, u64 low, u64 high)
{
	u64 value;

	for (value = low; value < high; value *= 2) {
		if (add(axis, value))
			return -1;
		if (value > high / 2)
			break;
	}
	return add(axis, high);
}

static int too_many(const struct kv_axis *axis, struct kv_error *error)
{
	return kv_error_set(error, KV_EXIT_USAGE, "%s: more than %u values", axis->name,
			    KV_AXIS_VALUES);
}

/* "4..64" */
static int parse_range(struct kv_axis *axis, const char *low_text, const char *high_text,
		       kv_axis_value_fn value_of, const void *row, struct kv_error *error)
{
	u64 low, high;

	if (axis->value_name)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "%s '%s..%s': names have no range; give a list", axis->name,
				    low_text, high_text);
	if (value_of(row, low_text, &low, error) || value_of(row, high_text, &high, error))
		return -1;
	if (!low || low > high)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "%s '%s..%s': a range doubles from its start, 1 or more, up to its end",
				    axis->name, low_text, high_text);
	return kv_axis_double(axis, low, high) ? too_many(axis, error) : 0;
}

static int parse_word(struct kv_axis *axis, char *word, kv_axis_value_fn value_of,
		      const void *row, struct kv_error *error)
{
	char *dots = strstr(word, "..");
	u64 value;

	if (dots) {
		*dots = '\0';
		return parse_range(axis, word, dots + 2, value_of, row, error);
	}
	if (value_of(row, word, &value, error))
		return -1;
	return add(axis, value) ? too_many(axis, error) : 0;
}

/**
 * kv_axis_parse - read a list such as "1,2,4..64"
 * @axis: its @name and @value_name are set; the values are filled
 * @text: list
 * @value_of: reads one value
 * @row: for @value_of
 * @error: filled on failure
 * Return: 0, or -1
 */
int kv_axis_parse(struct kv_axis *axis, const char *text, kv_axis_value_fn value_of,
		  const void *row, struct kv_error *error)
{
	char word[64];
	size_t len;

	axis->n = 0;
	for (;;) {
		len = strcspn(text, ",");
		if (len >= sizeof(word))
			return kv_error_set(error, KV_EXIT_USAGE, "%s '%s': not a list of values",
					    axis->name, text);
		memcpy(word, text, len);
		word[len] = '\0';
		if (parse_word(axis, word, value_of, row, error))
			return -1;
		if (!text[len])
			return 0;
		text += len + 1;
	}
}

/**
 * kv_axes_points - points of the grid
 * @axis: axes
 * @naxes: how many
 * Return: product of their values, KV_POINTS_MAX + 1 when that is more
 */
u32 kv_axes_points(const struct kv_axis *axis, u32 naxes)
{
	u32 points = 1, i;

	for (i = 0; i < naxes; i++) {
		points *= axis[i].n;
		if (points > KV_POINTS_MAX)
			return KV_POINTS_MAX + 1;
	}
	return points;
}

/* value of an axis at a point; the first axis changes slowest */
u64 kv_axes_value(const struct kv_axis *axis, u32 naxes, u32 which, u32 point)
{
	u32 i;

	for (i = naxes - 1; i > which; i--)
		point /= axis[i].n;
	return axis[which].value[point % axis[which].n];
}

/* the job of a point, from one that has everything else */
void kv_axes_job(const struct kv_axis *axis, u32 naxes, u32 point, struct kv_job *job)
{
	u32 i;

	for (i = 0; i < naxes; i++) {
		u64 value = kv_axes_value(axis, naxes, i, point);

		if (axis[i].field)
			kv_field_set(job, axis[i].field, value);
		else
			kv_job_resize(job, (u32)value);
	}
}
