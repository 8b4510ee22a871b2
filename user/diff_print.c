// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A diff for people. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "diff.h"
#include "kverbs.h"
#include "report.h"
#include "unit.h"

static const char *change_text(const struct kv_diff_row *row)
{
	return row->change == KV_CHANGE_WORSE ? "WORSE" : kv_change_name(row->change);
}

static void print_side(FILE *file, const struct kv_diff *diff, u32 which)
{
	const struct kv_doc *doc = diff->doc[which][0];
	u32 i;

	fprintf(file, "%s%s%s: %s (%s%s), Linux %s:", kv_bold(file), diff->name[which],
		kv_plain(file), doc->device, doc->driver,
		doc->software ? ", software device" : "", doc->kernel);
	for (i = 0; i < diff->ndocs[which]; i++)
		fprintf(file, " %s", diff->doc[which][i]->name);
	fputc('\n', file);
}

static void print_value(FILE *file, const char *key, const json_t *value)
{
	char *text = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;

	fprintf(file, "%s%s", key, text ? text : "none");
	free(text);
}

/* members of objects that are not the same on both sides; true when there was one */
static bool print_members(FILE *file, const char *what, const json_t *a, const json_t *b)
{
	bool any = false;
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)a, key, value) {
		json_t *other = json_object_get(b, key);

		if (json_equal(value, other) || json_is_object(value) || json_is_array(value))
			continue;
		fprintf(file, "%s%s ", any ? "; " : what, key);
		print_value(file, "", value);
		print_value(file, " -> ", other);
		any = true;
	}
	if (any)
		fputc('\n', file);
	return any;
}

static const json_t *granted(const struct kv_doc *doc)
{
	if (doc->narms)
		return doc->arm->job.granted;
	return doc->npoints && doc->point->measured ? doc->point->run.job.granted : NULL;
}

static void print_checks(FILE *file, const struct kv_doc *a, const struct kv_doc *b)
{
	const json_t *before = json_object_get(a->environment, "checks");
	const json_t *after = json_object_get(b->environment, "checks");
	bool any = false;
	const char *key;
	json_t *check;

	json_object_foreach((json_t *)before, key, check) {
		json_t *was = json_object_get(check, "value");
		json_t *is = json_object_get(json_object_get(after, key), "value");

		if (json_equal(was, is))
			continue;
		fprintf(file, "%s%s ", any ? "; " : "checks that differ: ", key);
		print_value(file, "", was);
		print_value(file, " -> ", is);
		any = true;
	}
	if (any)
		fputc('\n', file);
}

static const char *signed_text(double value, bool rate, u32 unit, char text[KV_TEXT])
{
	char plain[KV_TEXT];

	if (rate)
		kv_text_rate(fabs(value), plain);
	else
		kv_text_value(fabs(value), unit, plain);
	snprintf(text, KV_TEXT, "%s%.20s", !isfinite(value) ? "" : value < 0 ? "-" : "+", plain);
	return text;
}

static void print_row(FILE *file, const struct kv_diff *diff, const struct kv_diff_row *row,
		      bool named)
{
	u32 unit = diff->doc[0][0]->unit;
	double shift = row->exact ? row->median[1] - row->median[0] : row->infer.estimate;
	char text[5][KV_TEXT], interval[64] = "";

	if (!row->exact && isfinite(row->infer.low))
		snprintf(interval, sizeof(interval), "[%s .. %s]",
			 signed_text(row->infer.low, row->rate, unit, text[3]),
			 signed_text(row->infer.high, row->rate, unit, text[4]));
	fprintf(file, "%-24s %-7s %-17s %10s %10s %10s %-24s %7.3f  %s%s\n",
		named ? row->name : "", row->side, row->key,
		row->rate ? kv_text_rate(row->median[0], text[0]) :
			    kv_text_value(row->median[0], unit, text[0]),
		row->rate ? kv_text_rate(row->median[1], text[1]) :
			    kv_text_value(row->median[1], unit, text[1]),
		signed_text(shift, row->rate, unit, text[2]), interval,
		row->median[1] / row->median[0],
		row->primary ? "" : "secondary: ", change_text(row));
}

/**
 * kv_diff_print - the table of a diff
 * @file: where to
 * @diff: made
 */
void kv_diff_print(FILE *file, const struct kv_diff *diff)
{
	const struct kv_doc *a = diff->doc[0][0], *b = diff->doc[1][0];
	const struct kv_diff_row *row;
	char minus[48], over[48];

	print_side(file, diff, 0);
	print_side(file, diff, 1);
	if (!print_members(file, "what differs: ", a->environment, b->environment))
		fputs("what differs: nothing that is recorded\n", file);
	print_checks(file, a, b);
	print_members(file, "granted otherwise: ", granted(a), granted(b));
	snprintf(minus, sizeof(minus), "%.8s - %.8s", diff->name[1], diff->name[0]);
	snprintf(over, sizeof(over), "%.8s/%.8s", diff->name[1], diff->name[0]);
	fprintf(file, "\n%s%-24s %-7s %-17s %10s %10s %10s %-24s %7s%s\n", kv_bold(file), "job", "",
		"", diff->name[0], diff->name[1], minus, "[95 %]", over, kv_plain(file));
	for (row = diff->row; row < diff->row + diff->nrows; row++)
		print_row(file, diff, row, row == diff->row || strcmp(row->name, row[-1].name));
	fprintf(file,
		"\nmedians; shift by ranks (Hodges-Lehmann); tolerance %.4g %% of %s; primary values are held to it, Holm-corrected\n",
		diff->tolerance, diff->name[0]);
	if (a->software || b->software)
		fputs("software device: the figures show function, and no cost of hardware\n",
		      file);
}
