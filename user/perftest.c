// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The tables of perftest's programs, for what reads those: the columns and units
 * that a program for the same job prints.
 */
#include <math.h>
#include <string.h>
#include "format.h"
#include "kverbs.h"
#include "unit.h"

#define LAT_HEAD	" #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]"	\
			"    t_avg[usec]    t_stdev[usec]   99% percentile[usec]"		\
			"   99.9% percentile[usec]\n"
#define BW_HEAD		" #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]"	\
			"   MsgRate[Mpps]\n"
#define RULE	"---------------------------------------------------------------------------------------\n"

#define MIB	1048576.0	/* perftest's MB */

static bool is_rate(const struct kv_doc_run *run)
{
	return !strcmp(run->job.shape, kv_shape_name(KVERBS_SHAPE_RATE));
}

/* perftest shows half of a round trip */
static void put_lat(FILE *file, const struct kv_doc_run *run)
{
	u32 metric = kv_main_metric(&run->summary);
	const struct kv_figure *f = &run->summary.metric[metric];
	double us = metric == KVERBS_METRIC_RTT ? 2000 : 1000;

	fprintf(file,
		" %-7llu %llu          %-7.2f        %-7.2f      %-7.2f  \t       %-7.2f     \t%-7.2f\t\t%-7.2f \t\t%-7.2f\n",
		run->job.size, f->count, f->min / us, f->max / us, f->p50 / us, f->mean / us,
		kv_sparse_deviation(&run->hist[metric]) / us, f->p99 / us, f->p999 / us);
}

/* no peak is measured: 0, as perftest prints it with --noPeak */
static void put_bw(FILE *file, const struct kv_doc_run *run)
{
	const struct kv_summary *s = &run->summary;

	fprintf(file, " %-7llu    %-10llu       %-7.2f            %-7.2f\t\t   %-7.6f\n",
		run->job.size, s->ops, 0.0, s->bytes_s / MIB, s->ops_s / 1e6);
}

/* perftest's own times are half a round trip, of READs and atomics post to completion */
static const char *what(const struct kv_doc_run *run)
{
	if (is_rate(run))
		return "";
	return run->summary.metric[KVERBS_METRIC_RTT].count ? "; times are half a round trip" :
							      "; times are post to completion";
}

static void put_head(FILE *file, const struct kv_doc *doc, const struct kv_doc_run *run)
{
	fputs(RULE, file);
	fprintf(file, " kverbs: %s of the %s engine, shape %s, on %s%s%s\n", run->job.op,
		run->engine, run->job.shape, doc->device,
		doc->software ? " (software device)" : "",
		what(run));
	fputs(RULE, file);
	fputs(is_rate(run) ? BW_HEAD : LAT_HEAD, file);
}

int kv_perftest_write(const struct kv_doc *doc, FILE *file, struct kv_error *error)
{
	const struct kv_doc_run *run, *before = NULL;
	u32 i;

	if (doc->kind == KV_DOC_COMPARE)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "format perftest: is of one engine, not of a comparison; use kverbs run");
	if (!kv_unit_is_time(doc->unit))
		return kv_error_set(error, KV_EXIT_USAGE,
				    "format perftest: its tables are of times, and these are %s",
				    kv_unit_name(doc->unit));
	for (i = 0; i < doc->npoints; i++) {
		run = &doc->point[i].run;
		if (!doc->point[i].measured)
			continue;
		if (!before || is_rate(before) != is_rate(run))
			put_head(file, doc, run);
		if (is_rate(run))
			put_bw(file, run);
		else
			put_lat(file, run);
		before = run;
	}
	if (!before)
		return kv_error_set(error, KV_EXIT_USAGE, "%s: has no run that was measured",
				    doc->name);
	fputs(RULE, file);
	return 0;
}
