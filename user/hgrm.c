// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The percentile text of HdrHistogram, which its plotters read. A document with
 * more than one histogram has a comment line before each, and its own table.
 */
#include <math.h>
#include "format.h"
#include "kverbs.h"
#include "report.h"
#include "unit.h"

#define TICKS	5	/* lines before the distance to 100 % has halved */

static void put_line(FILE *file, double value, double share, double seen)
{
	if (share < 1)
		fprintf(file, "%12.3f %2.12f %10.0f %14.2f\n", value, share, seen, 1 / (1 - share));
	else
		fprintf(file, "%12.3f %2.12f %10.0f\n", value, 1.0, seen);
}

/* how far the next line is: the nearer to 100 %, the finer */
static double step_at(double share)
{
	double halves = floor(log2(1 / (1 - share))) + 1;

	return 1 / (TICKS * pow(2, halves));
}

static void put_hist(FILE *file, const struct kv_sparse *hist)
{
	double all = (double)hist->count, seen = 0, next = 0, share;
	u32 i;

	fputs("       Value     Percentile TotalCount 1/(1-Percentile)\n\n", file);
	for (i = 0; i < hist->n; i++) {
		double high = fmin((double)hist->bucket[i].high, (double)hist->max);

		seen += (double)hist->bucket[i].count;
		share = seen / all;
		/* the share that is asked for, and the count up to this bucket; once of the last */
		while (next <= share && next < 1) {
			put_line(file, high, next, seen);
			next = seen < all ? next + step_at(next) : 1;
		}
	}
	put_line(file, (double)hist->max, 1, all);
	fprintf(file, "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n", kv_sparse_mean(hist),
		kv_sparse_deviation(hist));
	fprintf(file, "#[Max     = %12.3f, Total count    = %12llu]\n", (double)hist->max,
		hist->count);
	fprintf(file, "#[Buckets = %12u, SubBuckets     = %12u]\n",
		KV_HIST_VALUE_BITS - KV_HIST_SUB_BITS, 2 * KV_HIST_SUB);
}

/**
 * struct list - histograms that are written
 * @n: so far
 * @named: each has its comment line
 */
struct list {
	FILE *file;
	const struct kv_doc *doc;
	u32 n;
	bool named;
};

static void put(struct list *list, const struct kv_doc_job *job, const char *engine,
		const char *metric, const struct kv_sparse *hist)
{
	char size[KV_TEXT];

	if (!hist->count)
		return;
	list->n++;
	if (!list->file)
		return;
	if (list->named)
		fprintf(list->file, "%s#[%s engine, %s of %s, shape %s: %s in %s%s]\n",
			list->n > 1 ? "\n" : "", engine, job->op, kv_text_size(job->size, size),
			job->shape, metric, kv_unit_name(list->doc->unit),
			list->doc->software ? ", software device" : "");
	put_hist(list->file, hist);
}

static void walk(struct list *list)
{
	const struct kv_doc *doc = list->doc;
	u32 i, side, metric;

	list->n = 0;
	for (i = 0; i < doc->npoints; i++) {
		const struct kv_doc_run *run = &doc->point[i].run;

		metric = kv_doc_main_metric(doc, run->hist);
		if (doc->point[i].measured)
			put(list, &run->job, run->engine, kv_metric_name(metric),
			    &run->hist[metric]);
	}
	for (i = 0; i < doc->narms; i++) {
		for (side = 0; side < KV_DOC_SIDES; side++) {
			metric = kv_doc_main_metric(doc, doc->arm[i].hist[side]);
			put(list, &doc->arm[i].job, kv_doc_sides[side],
			    kv_metric_name(metric), &doc->arm[i].hist[side][metric]);
		}
	}
}

int kv_hgrm_write(const struct kv_doc *doc, FILE *file, struct kv_error *error)
{
	struct list list = { .doc = doc };

	walk(&list);
	if (!list.n)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "%s: has no histogram with a sample; measure with --timing lat",
				    doc->name);
	list.named = list.n > 1 || doc->software;
	list.file = file;
	walk(&list);
	return 0;
}
