// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A diff for programs. */
#include <math.h>
#include <string.h>
#include "diff.h"
#include "kverbs.h"
#include "report.h"
#include "unit.h"

#define KV_DIFF_SCHEMA	"kverbs-diff/1"

static json_t *json_side(const struct kv_diff *diff, u32 which)
{
	const struct kv_doc *doc = diff->doc[which][0];
	json_t *files = json_array();
	u32 i;

	for (i = 0; i < diff->ndocs[which]; i++)
		json_array_append_new(files, json_string(diff->doc[which][i]->name));
	return json_pack("{s:s, s:o, s:s, s:s, s:b, s:s}",
			 "name", diff->name[which], "files", files,
			 "device", doc->device, "driver", doc->driver,
			 "software_device", (int)doc->software, "kernel", doc->kernel);
}

static json_t *json_values(const struct kv_diff_row *row, u32 which)
{
	json_t *values = json_array();
	u32 i;

	for (i = 0; i < row->n[which]; i++)
		json_array_append_new(values, kv_json_real(row->value[which][i]));
	return json_pack("{s:o, s:o}", "median", kv_json_real(row->median[which]),
			 "values", values);
}

/* an exact row has no interval: it is the difference of two numbers */
static json_t *json_row(const struct kv_diff_row *row)
{
	double shift = row->exact ? row->median[1] - row->median[0] : row->infer.estimate;
	json_t *interval = json_pack("{s:o, s:o, s:o}", "estimate", kv_json_real(shift),
				     "low", kv_json_real(row->exact ? NAN : row->infer.low),
				     "high", kv_json_real(row->exact ? NAN : row->infer.high));

	return json_pack("{s:s, s:s, s:s, s:b, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:s}",
			 "job", row->name, "engine", row->side, "value", row->key,
			 "rate", (int)row->rate, "primary", (int)row->primary,
			 "exact", (int)row->exact,
			 "a", json_values(row, 0), "b", json_values(row, 1), "shift", interval,
			 "ratio", kv_json_real(row->median[1] / row->median[0]),
			 "p", kv_json_real(row->exact ? NAN : row->infer.p),
			 "change", kv_change_name(row->change));
}

/**
 * kv_json_diff - a diff with all its values
 * @diff: made
 * Return: new object
 */
json_t *kv_json_diff(const struct kv_diff *diff)
{
	json_t *rows = json_array();
	u32 i;

	for (i = 0; i < diff->nrows; i++)
		json_array_append_new(rows, json_row(&diff->row[i]));
	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "schema", KV_DIFF_SCHEMA,
			 "unit", kv_unit_name(diff->doc[0][0]->unit),
			 "tolerance_percent", kv_json_real(diff->tolerance),
			 "a", json_side(diff, 0), "b", json_side(diff, 1), "rows", rows);
}
