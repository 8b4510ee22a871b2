// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What is compared, and what is said of it. Of one comparison a side, its blocks are
 * the values; of several documents a side each gives one, its median: what is the
 * same within a boot or a host varies between them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "compare.h"
#include "diff.h"
#include "kverbs.h"
#include "report.h"
#include "unit.h"

/* the row of a value; a new one when there is none */
static struct kv_diff_row *row_of(struct kv_diff *diff, const char *name, const char *side,
				  const char *key)
{
	struct kv_diff_row *row;
	u32 i;

	for (i = 0; i < diff->nrows; i++) {
		row = &diff->row[i];
		if (!strcmp(row->name, name) && !strcmp(row->side, side) && !strcmp(row->key, key))
			return row;
	}
	if (diff->nrows == diff->room) {
		row = reallocarray(diff->row, diff->room + 64, sizeof(*row));
		if (!row)
			return NULL;
		diff->row = row;
		diff->room += 64;
	}
	row = &diff->row[diff->nrows++];
	memset(row, 0, sizeof(*row));
	strcpy(row->name, name);
	strcpy(row->side, side);
	strcpy(row->key, key);
	return row;
}

/* values that were not measured are none */
static void add_values(struct kv_diff_row *row, u32 which, const double *value, u32 n)
{
	double *more;
	u32 i;

	more = row ? reallocarray(row->value[which], row->n[which] + n + 1, sizeof(*more)) : NULL;
	if (!more)
		return;
	row->value[which] = more;
	for (i = 0; i < n; i++) {
		if (isfinite(value[i]))
			more[row->n[which]++] = value[i];
	}
}

/* does ib_core call a handler for each WC, which is then what the run is about? */
static bool by_handler(const struct kv_doc_run *run)
{
	const char *name = json_string_value(json_object_get(run->job.granted, "context"));
	u32 i;

	if (!name || !kv_unit_is_time(run->unit) ||
	    !run->summary.metric[KVERBS_METRIC_HANDLER].count)
		return false;
	for (i = 0; i < KV_CONTEXTS; i++) {
		if (!strcmp(name, kv_context_name(i)))
			return kv_context_rules[i].callback;
	}
	return false;
}

/* what is taken of a run; one value is primary */
static void add_run(struct kv_diff *diff, u32 which, const char *name,
		    const struct kv_doc_run *run)
{
	const struct kv_summary *s = &run->summary;
	bool times = kv_unit_is_time(run->unit);
	bool window = !strcmp(run->job.shape, kv_shape_name(KVERBS_SHAPE_RATE));
	bool handler = by_handler(run);
	u32 metric = kv_doc_run_metric(run), i;
	const struct {
		const char *of;
		const char *key;
		bool rate;
		bool primary;
		double value;
	} taken[] = {
		{ kv_metric_name(KVERBS_METRIC_HANDLER), "p50", false, handler,
		  handler ? s->metric[KVERBS_METRIC_HANDLER].p50 : NAN },
		{ kv_metric_name(metric), "p50", false, !handler && (!times || !window),
		  s->metric[metric].p50 },
		{ kv_metric_name(metric), "p99", false, false, s->metric[metric].p99 },
		{ kv_metric_name(metric), "mean", false, false, s->metric[metric].mean },
		{ "", "messages/s", true, !handler && times && window, s->ops_s },
		{ "", "bytes/s", true, false, s->bytes_s },
	};

	for (i = 0; i < KV_ARRAY_SIZE(taken); i++) {
		char key[48], side[16];
		struct kv_diff_row *row;

		if (!isfinite(taken[i].value))
			continue;
		snprintf(key, sizeof(key), "%s%s%s%s%s", taken[i].of, *taken[i].of ? " " : "",
			 taken[i].key, taken[i].rate ? "" : ", ",
			 taken[i].rate ? "" : kv_unit_name(run->unit));
		snprintf(side, sizeof(side), "%.15s",
			 kv_diff_may_differ(diff, "engine") ? "" : run->engine);
		row = row_of(diff, name, side, key);
		if (!row)
			return;
		row->rate = taken[i].rate;
		row->primary = taken[i].primary;
		add_values(row, which, &taken[i].value, 1);
	}
}

/* points are alike in order: the name is that of A's first document */
static void add_points(struct kv_diff *diff, u32 which, const struct kv_doc *doc)
{
	const struct kv_doc *first = diff->doc[0][0];
	char name[KV_DIFF_NAME], size[KV_TEXT], number[KV_DOC_TEXT];
	const char *key;
	json_t *value;
	u32 i;

	for (i = 0; i < doc->npoints && i < first->npoints; i++) {
		const struct kv_doc_point *point = &first->point[i];
		size_t used;

		if (!doc->point[i].measured || !point->measured)
			continue;
		used = (size_t)snprintf(name, sizeof(name), "%.12s %s", point->run.job.op,
					kv_text_size(point->run.job.size, size));
		json_object_foreach(point->values, key, value) {
			if (used < sizeof(name) && strcmp(key, "size"))
				used += (size_t)snprintf(name + used, sizeof(name) - used,
							 " %.16s %.20s", key,
							 kv_doc_text(value, number));
		}
		add_run(diff, which, name, &doc->point[i].run);
	}
}

/* of arms that would be called the same, the later ones have their data inline */
static void name_arm(char name[KV_DIFF_NAME], const struct kv_doc *doc, u32 i)
{
	const struct kv_doc_arm *arm = &doc->arm[i];
	char size[KV_TEXT];

	snprintf(name, KV_DIFF_NAME, "%.12s %s %.12s%s%.10s%s", arm->job.op,
		 kv_text_size(arm->job.size, size), arm->job.shape,
		 strcmp(arm->as, "matched") ? " " : "", strcmp(arm->as, "matched") ? arm->as : "",
		 kv_doc_arm_nth(doc, i) ? " inline" : "");
}

static void add_value(struct kv_diff *diff, u32 which, const struct kv_doc *doc,
		      const char *name, const struct kv_doc_value *value, u32 side)
{
	char key[48], unit[KV_UNIT_KEY];
	struct kv_diff_row *row;

	snprintf(key, sizeof(key), "%.47s",
		 kv_unit_value_key(value->key, value->rate, doc->unit, unit));
	row = row_of(diff, name, kv_doc_sides[side], key);
	if (!row)
		return;
	row->rate = value->rate;
	row->primary = value->primary || !kv_unit_is_time(doc->unit);
	if (diff->ndocs[0] == 1 && diff->ndocs[1] == 1)
		add_values(row, which, value->block[side], value->nblocks);
	else
		add_values(row, which, &value->median[side], 1);
}

static void add_arms(struct kv_diff *diff, u32 which, const struct kv_doc *doc)
{
	char name[KV_DIFF_NAME];
	u32 i, j, side;

	for (i = 0; i < doc->narms; i++) {
		if (doc->arm[i].untimed)
			continue;
		name_arm(name, doc, i);
		for (side = 0; side < KV_DOC_SIDES; side++) {
			for (j = 0; j < doc->arm[i].nvalues; j++)
				add_value(diff, which, doc, name, &doc->arm[i].value[j], side);
		}
	}
}

static bool constant(const double *value, u32 n)
{
	u32 i;

	for (i = 1; i < n; i++) {
		if (value[i] < value[0] || value[i] > value[0])
			return false;
	}
	return n;
}

/* how far B is worse than A, in the unit of the value */
static double worse_by(const struct kv_diff_row *row, double shift)
{
	return row->rate ? -shift : shift;
}

const char *kv_change_name(enum kv_change change)
{
	static const char *const names[KV_CHANGES] = {
		[KV_CHANGE_NONE] = "same",
		[KV_CHANGE_BETTER] = "better",
		[KV_CHANGE_WORSE] = "worse",
		[KV_CHANGE_UNDECIDED] = "undecided",
		[KV_CHANGE_TOO_FEW] = "too few values",
	};

	return names[change];
}

static enum kv_change change_of(const struct kv_diff_row *row, double margin)
{
	double worse = worse_by(row, row->exact ? row->median[1] - row->median[0] :
						  row->infer.estimate);

	if (row->exact)
		return worse > margin ? KV_CHANGE_WORSE :
		       worse < -margin ? KV_CHANGE_BETTER : KV_CHANGE_NONE;
	switch (kv_infer_finding(&row->infer, margin)) {
	case KV_SAME:
		return KV_CHANGE_NONE;
	case KV_DIFFERENT:
		if (worse < 0)
			return KV_CHANGE_BETTER;
		/* surely worse, but perhaps by less than is tolerated */
		return worse > margin ? KV_CHANGE_WORSE : KV_CHANGE_UNDECIDED;
	case KV_TOO_FEW:
		return KV_CHANGE_TOO_FEW;
	default:
		return KV_CHANGE_UNDECIDED;
	}
}

static void infer_row(const struct kv_diff *diff, struct kv_diff_row *row)
{
	u32 i;

	for (i = 0; i < 2; i++)
		row->median[i] = kv_median_alone(row->value[i], 1, row->n[i]);
	row->exact = diff->single ||
		     (!kv_unit_is_time(diff->doc[0][0]->unit) &&
		      constant(row->value[0], row->n[0]) && constant(row->value[1], row->n[1]));
	kv_infer_two(row->value[0], row->n[0], row->value[1], row->n[1], KV_LEVEL, &row->infer);
}

/* all primary rows are one family */
static int adjust(struct kv_diff *diff, struct kv_error *error)
{
	double *p = calloc(diff->nrows ? diff->nrows : 1, sizeof(*p));
	u32 i;

	if (!p)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT, "out of memory");
	for (i = 0; i < diff->nrows; i++)
		p[i] = diff->row[i].primary && !diff->row[i].exact ? diff->row[i].infer.p : NAN;
	kv_infer_holm(p, diff->nrows);
	for (i = 0; i < diff->nrows; i++) {
		struct kv_diff_row *row = &diff->row[i];

		if (isfinite(p[i]))
			row->infer.p = p[i];
		row->change = change_of(row, fabs(row->median[0]) * diff->tolerance / 100);
	}
	free(p);
	return 0;
}

static int keep_both(struct kv_diff *diff, struct kv_error *error)
{
	u32 i, kept = 0;

	for (i = 0; i < diff->nrows; i++) {
		struct kv_diff_row *row = &diff->row[i];

		if (row->n[0] && row->n[1]) {
			diff->row[kept++] = *row;
			continue;
		}
		free(row->value[0]);
		free(row->value[1]);
	}
	diff->nrows = kept;
	if (kept)
		return 0;
	return kv_error_set(error, KV_EXIT_USAGE, "nothing was measured on both sides");
}

/**
 * kv_diff_make - compare two sides of documents
 * @diff: with its documents, tolerance and names; freed by kv_diff_free()
 * @error: filled on failure
 * Return: 0, or -1
 */
int kv_diff_make(struct kv_diff *diff, struct kv_error *error)
{
	u32 which, i;

	if (kv_diff_like(diff, error))
		return -1;
	for (which = 0; which < 2; which++) {
		for (i = 0; i < diff->ndocs[which]; i++) {
			if (diff->doc[which][i]->kind == KV_DOC_COMPARE)
				add_arms(diff, which, diff->doc[which][i]);
			else
				add_points(diff, which, diff->doc[which][i]);
		}
	}
	if (keep_both(diff, error))
		return -1;
	for (i = 0; i < diff->nrows; i++)
		infer_row(diff, &diff->row[i]);
	return adjust(diff, error);
}

void kv_diff_free(struct kv_diff *diff)
{
	u32 i;

	for (i = 0; i < diff->nrows; i++) {
		free(diff->row[i].value[0]);
		free(diff->row[i].value[1]);
	}
	free(diff->row);
	diff->row = NULL;
	diff->nrows = 0;
}

/**
 * kv_diff_status - the exit status that a diff deserves
 * @diff: made
 * @error: its line, unless the status is good
 * Return: exit status
 */
int kv_diff_status(const struct kv_diff *diff, struct kv_error *error)
{
	u32 count[KV_CHANGES] = { 0 }, i;

	for (i = 0; i < diff->nrows; i++) {
		if (diff->row[i].primary)
			count[diff->row[i].change]++;
	}
	if (count[KV_CHANGE_WORSE])
		kv_error_set(error, KV_EXIT_MISSED,
			     "%u of the primary values worse by more than %.4g %%",
			     count[KV_CHANGE_WORSE], diff->tolerance);
	else if (count[KV_CHANGE_TOO_FEW])
		kv_error_set(error, KV_EXIT_UNDECIDED,
			     "too few values a side to tell: give %u files or more of each, or comparisons of %u blocks or more",
			     KV_INFER_LEAST, KV_INFER_LEAST);
	else if (count[KV_CHANGE_UNDECIDED])
		kv_error_set(error, KV_EXIT_UNDECIDED,
			     "%u of the primary values undecided within %.4g %%: measure longer, or tolerate more",
			     count[KV_CHANGE_UNDECIDED], diff->tolerance);
	else
		return KV_EXIT_GOOD;
	return error->status;
}
