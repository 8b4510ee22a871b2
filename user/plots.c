// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* From documents to plots: what there is to see in them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "kverbs.h"
#include "plot.h"
#include "report.h"
#include "unit.h"

#define PLOTS_MAX	64
#define LOG_FROM	8.0	/* an axis over more than so many times is logarithmic */
#define LINES_AT_ONCE	5	/* rows of a percentile curve before the rest has halved */

static struct kv_plot *new_plot(struct kv_plots *plots, enum kv_plot_kind kind, const char *id)
{
	struct kv_plot *more;

	if (plots->n == PLOTS_MAX)
		return NULL;
	if (plots->n == plots->room) {
		more = reallocarray(plots->plot, plots->room + 8, sizeof(*more));
		if (!more)
			return NULL;
		plots->plot = more;
		plots->room += 8;
	}
	more = &plots->plot[plots->n++];
	memset(more, 0, sizeof(*more));
	more->kind = kind;
	snprintf(more->id, sizeof(more->id), "%s_%u", id, plots->n);
	return more;
}

/* the curve of a name, made when there is none yet; NULL when there are enough */
static struct kv_curve *curve_of(struct kv_plot *plot, const char *name)
{
	u32 i;

	for (i = 0; i < plot->ncurves; i++) {
		if (!strncmp(plot->curve[i].name, name, KV_PLOT_TEXT - 1))
			return &plot->curve[i];
	}
	if (plot->ncurves == KV_CURVES_MAX)
		return NULL;
	snprintf(plot->curve[plot->ncurves].name, KV_PLOT_TEXT, "%s", name);
	return &plot->curve[plot->ncurves++];
}

static void add_row(struct kv_curve *curve, double x, double y, double low, double high,
		    const char *label)
{
	struct kv_plot_row *more;

	if (!curve || !isfinite(x) || !isfinite(y))
		return;
	if (curve->n == curve->room) {
		more = reallocarray(curve->row, curve->room + 64, sizeof(*more));
		if (!more)
			return;
		curve->row = more;
		curve->room += 64;
	}
	more = &curve->row[curve->n++];
	more->x = x;
	more->y = y;
	more->low = isfinite(low) ? low : x;
	more->high = isfinite(high) ? high : x;
	snprintf(more->label, sizeof(more->label), "%s", label);
}

/* the value at ever higher percentiles, the last that of the largest sample */
static void add_percentiles(struct kv_curve *curve, const struct kv_sparse *hist)
{
	double inverse, step = pow(2, 1.0 / LINES_AT_ONCE), most = (double)hist->count;

	for (inverse = 1; inverse < most; inverse *= step)
		add_row(curve, inverse, fmax(kv_sparse_quantile(hist, 1 - 1 / inverse), 1), NAN,
			NAN, "");
	add_row(curve, most, fmax((double)hist->max, 1), NAN, NAN, "");
}

/* the plot of latencies of a job; one for all documents that have it */
static struct kv_plot *latency_plot(struct kv_plots *plots, const struct kv_doc_job *job,
				    const char *metric, u32 unit)
{
	char size[KV_TEXT], title[160];
	struct kv_plot *plot;
	u32 i;

	snprintf(title, sizeof(title), "%.16s of %s, shape %.16s: %s by percentile", job->op,
		 kv_text_size(job->size, size), job->shape, metric);
	for (i = 0; i < plots->n; i++) {
		if (plots->plot[i].kind == KV_PLOT_PERCENTILES &&
		    !strcmp(plots->plot[i].title, title))
			return &plots->plot[i];
	}
	plot = new_plot(plots, KV_PLOT_PERCENTILES, "percentiles");
	if (!plot)
		return NULL;
	strcpy(plot->title, title);
	strcpy(plot->xlabel, "percentile");
	snprintf(plot->ylabel, sizeof(plot->ylabel), "%s, %s", metric, kv_unit_name(unit));
	plot->logy = true;
	return plot;
}

/* @of: which document, when there are several */
static void add_latencies(struct kv_plots *plots, const struct kv_doc *doc,
			  const struct kv_doc_job *job, const struct kv_sparse *hist,
			  const char *side, const char *of)
{
	u32 metric = kv_doc_main_metric(doc, hist);
	char name[KV_PLOT_TEXT];
	struct kv_curve *curve;
	struct kv_plot *plot;

	if (!hist[metric].count)
		return;
	plot = latency_plot(plots, job, kv_metric_name(metric), doc->unit);
	snprintf(name, sizeof(name), "%.30s%s%.32s", side, *of ? " " : "", of);
	curve = plot ? curve_of(plot, name) : NULL;
	if (curve && !curve->n)
		add_percentiles(curve, &hist[metric]);
}

static void arm_text(const struct kv_doc_arm *arm, const char *key, char text[KV_PLOT_TEXT])
{
	bool matched = !strcmp(arm->as, "matched");
	char size[KV_TEXT];

	snprintf(text, KV_PLOT_TEXT, "%.12s %s%s%.16s%s%.8s", arm->job.op,
		 kv_text_size(arm->job.size, size), *key ? " " : "", key, matched ? "" : " ",
		 matched ? "" : arm->as);
}

/* kernel over user: of times below 1, of rates above 1 the kernel is better */
static void plot_ratios(const struct kv_doc *doc, struct kv_plots *plots)
{
	struct kv_plot *plot = new_plot(plots, KV_PLOT_RATIOS, "ratios");
	char text[KV_PLOT_TEXT];
	struct kv_curve *curve;
	u32 i, j;

	if (!plot)
		return;
	strcpy(plot->title, "kernel / user, with the 95 % interval");
	strcpy(plot->xlabel, "kernel / user");
	plot->named = true;
	curve = curve_of(plot, "kernel / user");
	for (i = 0; i < doc->narms; i++) {
		for (j = 0; j < doc->arm[i].nvalues; j++) {
			const struct kv_doc_value *value = &doc->arm[i].value[j];

			if (doc->arm[i].untimed ||
			    (kv_unit_is_time(doc->unit) && !value->primary))
				continue;
			arm_text(&doc->arm[i], value->key, text);
			add_row(curve, value->ratio.estimate, 0, value->ratio.low,
				value->ratio.high, text);
		}
	}
}

static struct kv_plot *stacks(struct kv_plots *plots, const char *title, const char *ylabel)
{
	struct kv_plot *plot = new_plot(plots, KV_PLOT_STACKS, "where");

	if (!plot)
		return NULL;
	snprintf(plot->title, sizeof(plot->title), "%s", title);
	strcpy(plot->ylabel, ylabel);
	plot->named = true;
	return plot;
}

/* one picture a comparison arm: 64 KiB would flatten 64 bytes */
static void plot_arm_parts(const struct kv_doc_arm *arm, struct kv_plots *plots)
{
	char text[KV_PLOT_TEXT], title[160];
	struct kv_plot *plot;
	u32 side, i;

	if (!arm->nparts || arm->untimed)
		return;
	arm_text(arm, "", text);
	snprintf(title, sizeof(title), "where the time of an operation goes: %s, shape %.16s", text,
		 arm->job.shape);
	plot = stacks(plots, title, "mean, ns");
	for (i = 0; plot && i < arm->nparts; i++) {
		for (side = 0; side < KV_DOC_SIDES; side++)
			add_row(curve_of(plot, arm->part[i].name), side, arm->part[i].mean[side],
				NAN, NAN, kv_doc_sides[side]);
	}
}

static void point_text(const struct kv_doc_point *point, char text[KV_PLOT_TEXT])
{
	char number[KV_DOC_TEXT];
	const char *key;
	json_t *value;
	size_t used = 0;

	strcpy(text, point->values ? "" : point->run.engine);
	json_object_foreach(point->values, key, value) {
		used += (size_t)snprintf(text + used, KV_PLOT_TEXT - used, "%s%.16s %.20s",
					 used ? " " : "", key, kv_doc_text(value, number));
		if (used >= KV_PLOT_TEXT)
			break;
	}
}

/* shares of the window of runs, as time of an operation */
static void plot_run_parts(const struct kv_doc *doc, struct kv_plots *plots)
{
	struct kv_plot *plot = NULL;
	char text[KV_PLOT_TEXT];
	u32 i, j;

	for (i = 0; i < doc->npoints; i++) {
		const struct kv_summary *s = &doc->point[i].run.summary;
		const struct {
			const char *name;
			double share;
		} part[] = {
			{ "post", s->share_post }, { "poll", s->share_poll },
			{ isfinite(s->share_poll) ? "empty polls" : "polls", s->share_empty },
			{ "the rest", s->share_rest },
		};

		if (!doc->point[i].measured || !isfinite(s->share_post) || !isfinite(s->op_ns))
			continue;
		point_text(&doc->point[i], text);
		if (!plot)
			plot = stacks(plots, "where the time of an operation goes", "mean, ns");
		for (j = 0; plot && j < KV_ARRAY_SIZE(part); j++)
			add_row(curve_of(plot, part[j].name), i,
				isfinite(part[j].share) ? part[j].share * s->op_ns : 0, NAN, NAN,
				text);
	}
}

/* the field with the most values is x, the others make curves */
static const char *sweep_key(const struct kv_doc *doc)
{
	const char *best = NULL, *key;
	u32 most = 0, i;
	json_t *value;

	if (!doc->npoints || !doc->point->values)
		return NULL;
	json_object_foreach(doc->point->values, key, value) {
		json_t *seen = json_object();
		char number[KV_DOC_TEXT];

		for (i = 0; i < doc->npoints; i++) {
			value = json_object_get(doc->point[i].values, key);
			json_object_set_new(seen, kv_doc_text(value, number), json_true());
		}
		if (json_object_size(seen) > most) {
			most = (u32)json_object_size(seen);
			best = key;
		}
		json_decref(seen);
	}
	return best;
}

/* what the other fields of a point are: the name of its curve */
static void curve_text(const struct kv_doc_point *point, const char *x, const char *figure,
		       char text[KV_PLOT_TEXT])
{
	struct kv_doc_point others = *point;
	char rest[KV_PLOT_TEXT];

	others.values = json_copy(point->values);
	json_object_del(others.values, x);
	point_text(&others, rest);
	json_decref(others.values);
	snprintf(text, KV_PLOT_TEXT, "%.16s%s%.44s", figure, *rest ? ", " : "", rest);
}

static void add_point(struct kv_plot *plot, const struct kv_doc_point *point, u32 i,
		      const char *key, const char *figure, double y)
{
	json_t *x = json_object_get(point->values, key);
	char name[KV_PLOT_TEXT];

	if (!plot || !point->measured)
		return;
	curve_text(point, key, figure, name);
	if (json_is_string(x))
		plot->named = true;
	add_row(curve_of(plot, name), json_is_string(x) ? i : json_number_value(x), y, NAN, NAN,
		json_is_string(x) ? json_string_value(x) : "");
}

/* an axis that spans much is logarithmic, when it can be */
static void choose_scales(struct kv_plot *plot)
{
	double low[2] = { INFINITY, INFINITY }, high[2] = { 0, 0 };
	u32 i, j;

	for (i = 0; i < plot->ncurves; i++) {
		for (j = 0; j < plot->curve[i].n; j++) {
			low[0] = fmin(low[0], plot->curve[i].row[j].x);
			high[0] = fmax(high[0], plot->curve[i].row[j].x);
			low[1] = fmin(low[1], plot->curve[i].row[j].y);
			high[1] = fmax(high[1], plot->curve[i].row[j].y);
		}
	}
	plot->logx = !plot->named && low[0] > 0 && high[0] > LOG_FROM * low[0];
	plot->logy = low[1] > 0 && high[1] > LOG_FROM * low[1];
}

enum figure { P50, P99, RATE, BYTES };

static double figure_of(const struct kv_doc_run *run, enum figure figure)
{
	const struct kv_summary *s = &run->summary;
	u32 metric = kv_doc_run_metric(run);

	switch (figure) {
	case P50:
		return s->metric[metric].p50;
	case P99:
		return s->metric[metric].p99;
	case RATE:
		return s->ops_s;
	default:
		return s->bytes_s;
	}
}

static void plot_sweep(const struct kv_doc *doc, struct kv_plots *plots, const char *key,
		       const char *title, const char *ylabel, const enum figure figure[2],
		       const char *const name[2])
{
	struct kv_plot *plot = new_plot(plots, KV_PLOT_LINES, "sweep");
	u32 i, j;

	if (!plot)
		return;
	snprintf(plot->title, sizeof(plot->title), "%s by %.32s", title, key);
	snprintf(plot->xlabel, sizeof(plot->xlabel), "%.32s", key);
	strcpy(plot->ylabel, ylabel);
	for (j = 0; j < 2 && name[j]; j++) {
		for (i = 0; i < doc->npoints; i++)
			add_point(plot, &doc->point[i], i, key, name[j],
				  figure_of(&doc->point[i].run, figure[j]));
	}
	choose_scales(plot);
}

static void plot_sweeps(const struct kv_doc *doc, struct kv_plots *plots)
{
	static const enum figure times[2] = { P50, P99 }, rates[2] = { RATE }, bytes[2] = { BYTES };
	static const char *const two[] = { "p50", "p99" };
	static const char *const rate[] = { "messages/s", NULL };
	static const char *const byte[] = { "bytes/s", NULL };
	const char *key = sweep_key(doc);
	char unit[KV_PLOT_TEXT];

	if (!key)
		return;
	snprintf(unit, sizeof(unit), "%s", kv_unit_name(doc->unit));
	plot_sweep(doc, plots, key, kv_unit_is_time(doc->unit) ? "latency" : "post", unit, times,
		   two);
	if (!kv_unit_is_time(doc->unit))
		return;
	plot_sweep(doc, plots, key, "message rate", "messages/s", rates, rate);
	plot_sweep(doc, plots, key, "bandwidth", "bytes/s", bytes, byte);
}

static void plot_latencies(const struct kv_doc *doc, struct kv_plots *plots, const char *of)
{
	char name[KV_PLOT_TEXT];
	u32 i, side;

	/* of a long series its sweep says more */
	for (i = 0; i < doc->npoints && doc->npoints <= KV_CURVES_MAX; i++) {
		if (!doc->point[i].measured)
			continue;
		point_text(&doc->point[i], name);
		add_latencies(plots, doc, &doc->point[i].run.job, doc->point[i].run.hist, name,
			      of);
	}
	for (i = 0; i < doc->narms; i++) {
		for (side = 0; side < KV_DOC_SIDES; side++)
			add_latencies(plots, doc, &doc->arm[i].job, doc->arm[i].hist[side],
				      kv_doc_sides[side], of);
	}
}

static void free_plot(struct kv_plot *plot)
{
	u32 i;

	for (i = 0; i < plot->ncurves; i++)
		free(plot->curve[i].row);
}

/* plots and curves that no row came to */
static void drop_empty(struct kv_plots *plots)
{
	u32 i, j, kept = 0;

	for (i = 0; i < plots->n; i++) {
		struct kv_plot *plot = &plots->plot[i];
		u32 curves = 0;

		for (j = 0; j < plot->ncurves; j++) {
			if (plot->curve[j].n)
				plot->curve[curves++] = plot->curve[j];
		}
		plot->ncurves = curves;
		if (curves)
			plots->plot[kept++] = *plot;
	}
	plots->n = kept;
}

/* the last part of a path, without its end */
static void short_name(const struct kv_doc *doc, char text[KV_PLOT_TEXT])
{
	const char *at = strrchr(doc->name, '/');

	at = at ? at + 1 : doc->name;
	snprintf(text, KV_PLOT_TEXT, "%.*s", (int)strcspn(at, "."), at);
}

/**
 * kv_plots_of - what there is to see in documents
 * @doc: documents
 * @n: how many
 * @plots: filled; freed by kv_plots_free()
 * @error: filled on failure
 * Return: 0, or -1
 */
int kv_plots_of(struct kv_doc *const *doc, u32 n, struct kv_plots *plots,
		struct kv_error *error)
{
	char of[KV_PLOT_TEXT] = "";
	u32 i, j;

	memset(plots, 0, sizeof(*plots));
	for (i = 0; i < n; i++) {
		if (n > 1)
			short_name(doc[i], of);
		plot_latencies(doc[i], plots, of);
	}
	for (i = 0; i < n; i++) {
		if (doc[i]->kind == KV_DOC_COMPARE)
			plot_ratios(doc[i], plots);
		for (j = 0; j < doc[i]->narms; j++)
			plot_arm_parts(&doc[i]->arm[j], plots);
		plot_sweeps(doc[i], plots);
		plot_run_parts(doc[i], plots);
	}
	drop_empty(plots);
	return 0;
}

void kv_plots_free(struct kv_plots *plots)
{
	u32 i;

	for (i = 0; i < plots->n; i++)
		free_plot(&plots->plot[i]);
	free(plots->plot);
}
