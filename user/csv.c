// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Comma-separated values (RFC 4180): a run or a point a line, or a value of a
 * comparison. A first line names the columns; what is not known is empty.
 */
#include <math.h>
#include <string.h>
#include "format.h"
#include "kverbs.h"
#include "unit.h"

static void put_text(FILE *file, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, file);
		return;
	}
	fputc('"', file);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', file);
		fputc(*text, file);
	}
	fputc('"', file);
}

static void put_real(FILE *file, double value)
{
	fputc(',', file);
	if (isfinite(value))
		fprintf(file, "%.9g", value);
}

static void put_json(FILE *file, const json_t *json)
{
	fputc(',', file);
	if (json_is_string(json))
		put_text(file, json_string_value(json));
	else if (json_is_integer(json))
		fprintf(file, "%lld", (long long)json_integer_value(json));
}

/* where it was measured: part of every line, so that lines can be taken apart */
static void put_place(FILE *file, const struct kv_doc *doc)
{
	put_text(file, doc->device);
	fputc(',', file);
	put_text(file, doc->driver);
	fprintf(file, ",%d,", doc->software);
	put_text(file, doc->kernel);
}

#define PLACE	"device,driver,software_device,kernel"

static void head_of_points(FILE *file, const struct kv_doc *doc)
{
	char key[KV_UNIT_KEY];
	u32 metric, i;

	fputs(PLACE ",engine,outcome,op,size_bytes", file);
#define KV_CSV_NAME(attr, member, type, lo, hi, def, letter, name, unit, what) \
	fprintf(file, ",%s", kv_field_key(#member, unit, key));
	KV_JOB_FIELDS(KV_CSV_NAME)
	fputs(",operations,operations_per_s,bytes_per_s", file);
	for (metric = 0; metric < __KVERBS_METRIC_MAX; metric++) {
		fprintf(file, ",%s_count", kv_metric_name(metric));
		for (i = 0; i < KV_FIGURE_MEMBERS; i++)
			fprintf(file, ",%s_%s", kv_metric_name(metric),
				kv_unit_key(kv_figure_members[i].name, doc->unit, key));
	}
	fputc('\n', file);
}

static void put_field(FILE *file, const json_t *job, const char *member, const char *unit)
{
	char key[KV_UNIT_KEY];

	put_json(file, json_object_get(job, kv_field_key(member, unit, key)));
}

static void put_run(FILE *file, const struct kv_doc_run *run)
{
	const struct kv_summary *s = &run->summary;
	u32 metric, i;

	fprintf(file, ",%llu", run->job.size);
#define KV_CSV_FIELD(attr, member, type, lo, hi, def, letter, name, unit, what) \
	put_field(file, run->job.granted, #member, unit);
	KV_JOB_FIELDS(KV_CSV_FIELD)
	fprintf(file, ",%llu", s->ops);
	put_real(file, s->ops_s);
	put_real(file, s->bytes_s);
	for (metric = 0; metric < __KVERBS_METRIC_MAX; metric++) {
		struct kv_figure figure = s->metric[metric];

		fprintf(file, ",%llu", figure.count);
		for (i = 0; i < KV_FIGURE_MEMBERS; i++)
			put_real(file, *kv_figure_value(&figure, i));
	}
}

/* a point that was not measured: the fields that make it this point */
static void put_unmeasured(FILE *file, const struct kv_doc_point *point)
{
	u32 metric, i;

	put_json(file, json_object_get(point->values, "size"));
#define KV_CSV_VALUE(attr, member, type, lo, hi, def, letter, name, unit, what) \
	put_json(file, json_object_get(point->values, #member));
	KV_JOB_FIELDS(KV_CSV_VALUE)
	fputs(",,,", file);
	for (metric = 0; metric < __KVERBS_METRIC_MAX; metric++) {
		for (i = 0; i <= KV_FIGURE_MEMBERS; i++)
			fputc(',', file);
	}
}

static void write_points(const struct kv_doc *doc, FILE *file)
{
	u32 i;

	head_of_points(file, doc);
	for (i = 0; i < doc->npoints; i++) {
		const struct kv_doc_point *point = &doc->point[i];

		put_place(file, doc);
		fputc(',', file);
		put_text(file, point->measured ? point->run.engine : "");
		fputc(',', file);
		put_text(file, point->outcome);
		fputc(',', file);
		put_text(file, point->measured ? point->run.job.op : "");
		if (point->measured)
			put_run(file, &point->run);
		else
			put_unmeasured(file, point);
		fputc('\n', file);
	}
}

static void put_interval(FILE *file, const struct kv_doc_interval *interval)
{
	put_real(file, interval->estimate);
	put_real(file, interval->low);
	put_real(file, interval->high);
}

static void write_arm(const struct kv_doc *doc, const struct kv_doc_arm *arm, FILE *file)
{
	char key[KV_UNIT_KEY];
	u32 i;

	for (i = 0; i < arm->nvalues; i++) {
		const struct kv_doc_value *value = &arm->value[i];

		put_place(file, doc);
		fputc(',', file);
		put_text(file, arm->job.op);
		fprintf(file, ",%llu,", arm->job.size);
		put_text(file, arm->job.shape);
		fputc(',', file);
		put_text(file, arm->as);
		fprintf(file, ",%d,%s", arm->untimed,
			kv_unit_value_key(value->key, value->rate, doc->unit, key));
		put_real(file, value->median[KV_DOC_KERNEL]);
		put_real(file, value->median[KV_DOC_USER]);
		put_interval(file, &value->difference);
		put_interval(file, &value->ratio);
		fprintf(file, ",%d,", value->primary);
		put_text(file, value->verdict);
		fprintf(file, ",%u\n", value->nblocks);
	}
}

static void write_arms(const struct kv_doc *doc, FILE *file)
{
	static const char *const columns[] = {
		"op", "size_bytes", "shape", "as", "untimed", "value", "kernel", "user",
		"difference", "difference_low", "difference_high", "ratio", "ratio_low",
		"ratio_high", "primary", "verdict", "blocks",
	};
	u32 i;

	fputs(PLACE, file);
	for (i = 0; i < KV_ARRAY_SIZE(columns); i++)
		fprintf(file, ",%s", columns[i]);
	fputc('\n', file);
	for (i = 0; i < doc->narms; i++)
		write_arm(doc, &doc->arm[i], file);
}

int kv_csv_write(const struct kv_doc *doc, FILE *file, struct kv_error *error)
{
	if (doc->kind == KV_DOC_COMPARE)
		write_arms(doc, file);
	else
		write_points(doc, file);
	return 0;
}
