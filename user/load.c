// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * From JSON to a document. A file may come from anywhere: every member that is used
 * is checked, and what is wrong is named.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "axis.h"
#include "document.h"
#include "kverbs.h"
#include "reader.h"
#include "unit.h"

#define FILE_BYTES_MAX	(256U << 20)
#define WORDS_MAX	512

static const struct {
	const char *schema;
	enum kv_doc_kind kind;
} schemas[] = {
	{ KV_RUN_SCHEMA, KV_DOC_RUN },
	{ KV_SERIES_SCHEMA, KV_DOC_SERIES },
	{ KV_COMPARE_SCHEMA, KV_DOC_COMPARE },
};

/* what of a clock figures and histograms need */
int kv_load_clock(const struct kv_reader *reader, const char *key, struct kv_clock_info *clock)
{
	struct kv_reader at;
	const char *unit;
	u64 mult, shift;

	memset(clock, 0, sizeof(*clock));
	if (kv_read_object(reader, key, &at) || kv_read_text(&at, "unit", &unit) ||
	    kv_read_count(&at, "mult", &mult) || kv_read_count(&at, "shift", &shift))
		return -1;
	for (clock->unit = 0; clock->unit < KV_UNITS; clock->unit++) {
		if (!strcmp(kv_unit_name(clock->unit), unit))
			break;
	}
	if (clock->unit == KV_UNITS)
		return kv_read_refuse(&at, "unit", "is neither ns nor insn");
	/* no factor: of a side that never ran */
	if (mult > ~0U || shift > 32)
		return kv_read_refuse(&at, "mult", "and shift are no clock's");
	clock->mult = (u32)mult;
	clock->shift = (u32)shift;
	return 0;
}

/* a job, by the keys that it has as it was asked for and as it was granted */
int kv_load_job(const struct kv_reader *reader, const char *asked, const char *granted,
		struct kv_doc_job *job)
{
	struct kv_reader at, step;
	json_t *steps;

	if (kv_read_object(reader, granted, &at))
		return -1;
	job->granted = at.object;
	if (kv_read_object(reader, asked, &at) || kv_read_text(&at, "shape", &job->shape) ||
	    kv_read_array(&at, "steps", KVERBS_STEPS_MAX, &steps) ||
	    kv_read_item(&at, "steps", 0, json_array_get(steps, 0), &step) ||
	    kv_read_text(&step, "op", &job->op) || kv_read_count(&step, "size_bytes", &job->size))
		return -1;
	job->asked = at.object;
	return 0;
}

static int read_figure(const struct kv_reader *reader, u32 unit, struct kv_figure *figure)
{
	char key[KV_UNIT_KEY];
	u32 i;

	if (kv_read_count(reader, "count", &figure->count))
		return -1;
	for (i = 0; i < KV_FIGURE_MEMBERS; i++) {
		if (kv_read_real(reader, kv_unit_key(kv_figure_members[i].name, unit, key),
				 kv_figure_value(figure, i)))
			return -1;
	}
	if (unit != KV_UNIT_INSN)
		return 0;
	return kv_read_count(reader, "same", &figure->same) ||
	       kv_read_count(reader, "other", &figure->other) ||
	       kv_read_count(reader, "disturbed", &figure->disturbed) ||
	       kv_read_count(reader, "bucket_width", &figure->width) ? -1 : 0;
}

static int read_metrics(const struct kv_reader *reader, struct kv_doc_run *run)
{
	struct kv_reader at, metric;
	u32 i;

	if (kv_read_object(reader, "metrics", &at))
		return -1;
	for (i = 0; i < __KVERBS_METRIC_MAX; i++) {
		kv_figure_of(NULL, NULL, &run->summary.metric[i]);
		if (!json_object_get(at.object, kv_metric_name(i)))
			continue;
		if (kv_read_object(&at, kv_metric_name(i), &metric) ||
		    read_figure(&metric, run->unit, &run->summary.metric[i]))
			return -1;
	}
	return 0;
}

/* what put_times() of print_json.c wrote */
static int read_times(const struct kv_reader *reader, u32 unit, struct kv_summary *summary)
{
	char key[KV_UNIT_KEY];
	double window;

	if (kv_read_real(reader, "operations_per_s", &summary->ops_s) ||
	    kv_read_real(reader, "bytes_per_s", &summary->bytes_s) ||
	    kv_read_real(reader, "outstanding_wrs", &summary->outstanding) ||
	    kv_read_real(reader, kv_unit_key("window", unit, key), &window) ||
	    kv_read_real(reader, kv_unit_key("operation", unit, key), &summary->op_ns) ||
	    kv_read_real(reader, "share_post", &summary->share_post) ||
	    kv_read_real(reader, "share_poll", &summary->share_poll) ||
	    kv_read_real(reader, "share_empty_polls", &summary->share_empty) ||
	    kv_read_real(reader, "share_rest", &summary->share_rest))
		return -1;
	summary->window_s = window / 1e9;
	return 0;
}

static int read_summary(const struct kv_reader *reader, struct kv_doc_run *run)
{
	struct kv_summary *summary = &run->summary;
	struct kv_reader at;
	char key[KV_UNIT_KEY];

	summary->ops_s = NAN;
	summary->bytes_s = NAN;
	summary->outstanding = NAN;
	summary->window_s = NAN;
	summary->op_ns = NAN;
	summary->share_post = NAN;
	summary->share_poll = NAN;
	summary->share_empty = NAN;
	summary->share_rest = NAN;
	if (kv_read_object(reader, "summary", &at) || read_metrics(&at, run) ||
	    kv_read_count(&at, "operations", &summary->ops) ||
	    kv_read_real(&at, kv_unit_key("post_per_wr", run->unit, key), &summary->post_wr))
		return -1;
	return kv_unit_is_time(run->unit) ? read_times(&at, run->unit, summary) : 0;
}

static int add_hist(const struct kv_reader *reader, const struct kv_clock_info *clock,
		    struct kv_sparse *all)
{
	struct kv_sparse one = { 0 };
	int rc = kv_read_hist(reader, clock, &one);

	if (!rc && kv_sparse_merge(all, &one))
		rc = kv_error_set(reader->error, KV_EXIT_ENVIRONMENT, "out of memory");
	kv_sparse_clear(&one);
	return rc;
}

static int read_lane(const struct kv_reader *lane, const char *role,
		     const struct kv_clock_info *clock, struct kv_doc_run *run)
{
	struct kv_reader hists, hist;
	const char *is;
	u32 i;

	if (kv_read_text(lane, "role", &is))
		return -1;
	if (strcmp(is, role) || !json_object_get(lane->object, "histograms"))
		return 0;
	if (kv_read_object(lane, "histograms", &hists))
		return -1;
	for (i = 0; i < __KVERBS_METRIC_MAX; i++) {
		if (!json_object_get(hists.object, kv_metric_name(i)))
			continue;
		if (kv_read_object(&hists, kv_metric_name(i), &hist) ||
		    add_hist(&hist, clock, &run->hist[i]))
			return -1;
	}
	return 0;
}

/* as summarize_metrics(): the responders' where the initiators have none */
static int read_lanes(const struct kv_reader *reader, const struct kv_clock_info *clock,
		      struct kv_doc_run *run)
{
	struct kv_doc_run *peer = calloc(1, sizeof(*peer));
	struct kv_reader lane;
	json_t *lanes;
	size_t i;
	int rc;

	if (!peer)
		return kv_error_set(reader->error, KV_EXIT_ENVIRONMENT, "out of memory");
	rc = kv_read_array(reader, "lanes", KV_LANES_MAX, &lanes);
	for (i = 0; !rc && i < json_array_size(lanes); i++) {
		rc = kv_read_item(reader, "lanes", i, json_array_get(lanes, i), &lane);
		if (!rc)
			rc = read_lane(&lane, kv_role_name(KVERBS_ROLE_INITIATOR), clock, run);
		if (!rc)
			rc = read_lane(&lane, kv_role_name(KVERBS_ROLE_RESPONDER), clock, peer);
	}
	for (i = 0; i < __KVERBS_METRIC_MAX; i++) {
		if (!rc && !run->hist[i].count) {
			kv_sparse_clear(&run->hist[i]);
			run->hist[i] = peer->hist[i];
		} else {
			kv_sparse_clear(&peer->hist[i]);
		}
	}
	free(peer);
	return rc;
}

static int read_run(const struct kv_reader *reader, struct kv_doc_run *run)
{
	struct kv_clock_info clock;

	if (kv_read_text(reader, "engine", &run->engine) ||
	    kv_read_text(reader, "state", &run->state) ||
	    kv_read_text(reader, "reason", &run->reason) ||
	    kv_load_job(reader, "asked", "granted", &run->job) ||
	    kv_load_clock(reader, "clock", &clock))
		return -1;
	run->unit = clock.unit;
	return read_summary(reader, run) || read_lanes(reader, &clock, run) ? -1 : 0;
}

static int read_point(const struct kv_reader *reader, struct kv_doc_point *point)
{
	struct kv_reader at;

	if (kv_read_text(reader, "outcome", &point->outcome) ||
	    kv_read_object(reader, "values", &at))
		return -1;
	point->values = at.object;
	if (!json_is_null(json_object_get(reader->object, "error")) &&
	    (kv_read_object(reader, "error", &at) || kv_read_text(&at, "text", &point->error)))
		return -1;
	point->measured = !strcmp(point->outcome, "measured");
	if (!point->measured)
		return 0;
	return kv_read_object(reader, "run", &at) || read_run(&at, &point->run) ? -1 : 0;
}

static int make_points(const struct kv_reader *reader, struct kv_doc *doc, size_t n)
{
	u32 i;

	doc->point = calloc(n ? n : 1, sizeof(*doc->point));
	if (!doc->point)
		return kv_error_set(reader->error, KV_EXIT_ENVIRONMENT, "out of memory");
	for (i = 0; i < n; i++) {
		doc->point[i].outcome = "measured";
		doc->point[i].error = "";
	}
	doc->npoints = (u32)n;
	return 0;
}

static int read_points(const struct kv_reader *reader, struct kv_doc *doc)
{
	struct kv_reader at;
	json_t *points;
	u32 i;

	if (kv_read_array(reader, "points", KV_POINTS_MAX, &points) ||
	    make_points(reader, doc, json_array_size(points)))
		return -1;
	for (i = 0; i < doc->npoints; i++) {
		if (kv_read_item(reader, "points", i, json_array_get(points, i), &at) ||
		    read_point(&at, &doc->point[i]))
			return -1;
		if (doc->point[i].measured)
			doc->unit = doc->point[i].run.unit;
	}
	return kv_read_bool(reader, "interrupted", &doc->interrupted);
}

static int read_single(const struct kv_reader *reader, struct kv_doc *doc)
{
	struct kv_reader at;

	if (make_points(reader, doc, 1) || kv_read_object(reader, "run", &at) ||
	    read_run(&at, &doc->point->run))
		return -1;
	doc->point->measured = true;
	doc->unit = doc->point->run.unit;
	return 0;
}

static int read_environment(const struct kv_reader *reader, struct kv_doc *doc)
{
	struct kv_reader at;

	if (kv_read_object(reader, "environment", &at) ||
	    kv_read_text(&at, "device", &doc->device) ||
	    kv_read_text(&at, "driver", &doc->driver) ||
	    kv_read_text(&at, "kernel", &doc->kernel) || kv_read_text(&at, "cpu", &doc->cpu) ||
	    kv_read_bool(&at, "software_device", &doc->software))
		return -1;
	doc->environment = at.object;
	return 0;
}

/* documents of before there was one have none */
static int read_command(const struct kv_reader *reader, struct kv_doc *doc)
{
	json_t *words;
	size_t i;

	if (!json_object_get(reader->object, "command"))
		return 0;
	if (kv_read_array(reader, "command", WORDS_MAX, &words))
		return -1;
	for (i = 0; i < json_array_size(words); i++) {
		if (!json_is_string(json_array_get(words, i)))
			return kv_read_refuse(reader, "command", "has a word that is no string");
	}
	doc->command = words;
	return 0;
}

/* nor do those of before there was a job beside them have that */
static int read_with(const struct kv_reader *reader, struct kv_doc *doc)
{
	json_t *with = json_object_get(reader->object, "with");
	struct kv_reader at;

	if (!with || json_is_null(with))
		return 0;
	if (kv_read_object(reader, "with", &at))
		return -1;
	doc->with = at.object;
	return 0;
}

/* the schema says what the rest is; another version is named */
static int read_schema(const struct kv_reader *reader, struct kv_doc *doc)
{
	const char *schema = json_string_value(json_object_get(reader->object, "schema"));
	u32 i;

	for (i = 0; schema && i < KV_ARRAY_SIZE(schemas); i++) {
		size_t len = strcspn(schemas[i].schema, "/") + 1;

		doc->kind = schemas[i].kind;
		if (!strcmp(schemas[i].schema, schema))
			return 0;
		if (!strncmp(schemas[i].schema, schema, len))
			return kv_error_set(reader->error, KV_EXIT_USAGE,
					    "%s: schema %.40s: this kverbs reads %s", reader->file,
					    schema, schemas[i].schema);
	}
	return kv_error_set(reader->error, KV_EXIT_USAGE,
			    "%s: is not what kverbs run or compare writes with --json",
			    reader->file);
}

/* escape sequences and the like: what a file says may end up on a terminal */
static bool has_controls(const char *text)
{
	const unsigned char *at;

	for (at = (const unsigned char *)text; *at; at++) {
		if (*at < ' ' || *at == 0x7f || (*at == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0))
			return true;
	}
	return false;
}

/* jansson has bounded how deep it goes */
static bool any_controls(json_t *json)
{
	const char *key;
	json_t *value;
	size_t i;

	if (json_is_string(json))
		return has_controls(json_string_value(json));
	if (json_is_array(json)) {
		for (i = 0; i < json_array_size(json); i++) {
			if (any_controls(json_array_get(json, i)))
				return true;
		}
	}
	json_object_foreach(json, key, value) {
		if (has_controls(key) || any_controls(value))
			return true;
	}
	return false;
}

static int read_document(struct kv_doc *doc, struct kv_error *error)
{
	struct kv_reader reader = { .file = doc->name, .object = doc->json, .error = error };

	if (read_schema(&reader, doc))
		return -1;
	if (any_controls(doc->json))
		return kv_error_set(error, KV_EXIT_USAGE, "%s: has control characters in a string",
				    doc->name);
	if (read_environment(&reader, doc) || read_command(&reader, doc) ||
	    read_with(&reader, doc))
		return -1;
	switch (doc->kind) {
	case KV_DOC_RUN:
		return read_single(&reader, doc);
	case KV_DOC_SERIES:
		return read_points(&reader, doc);
	default:
		return kv_load_arms(&reader, doc);
	}
}

/**
 * kv_doc_of - a document of JSON
 * @json: taken over, also on failure
 * @name: where it came from, for messages
 * @error: filled on failure
 * Return: the document, or NULL
 */
struct kv_doc *kv_doc_of(json_t *json, const char *name, struct kv_error *error)
{
	struct kv_doc *doc = calloc(1, sizeof(*doc));

	if (!doc || !json) {
		kv_error_set(error, KV_EXIT_ENVIRONMENT, "out of memory");
		json_decref(json);
		free(doc);
		return NULL;
	}
	doc->json = json;
	snprintf(doc->name, sizeof(doc->name), "%.250s", name);
	if (!read_document(doc, error))
		return doc;
	kv_doc_free(doc);
	return NULL;
}

/**
 * kv_document_text - all of a file
 * @path: file, "-" for standard input
 * @size: filled, without the 0 that ends it
 * @error: filled on failure
 * Return: new text, or NULL
 */
char *kv_document_text(const char *path, size_t *size, struct kv_error *error)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "r") : stdin;
	char *text = NULL, *more;
	size_t room = 1 << 16;

	*size = 0;
	while (file && *size < FILE_BYTES_MAX) {
		more = realloc(text, room);
		if (!more)
			break;
		text = more;
		*size += fread(text + *size, 1, room - *size, file);
		if (*size < room)
			break;
		room *= 2;
	}
	if (!file || ferror(file))
		kv_error_set(error, KV_EXIT_USAGE, "%s: %s", path, strerror(errno));
	else if (!feof(file))
		kv_error_set(error, KV_EXIT_USAGE, "%s: larger than any document, %u MiB", path,
			     FILE_BYTES_MAX >> 20);
	if (file && !ferror(file) && feof(file)) {
		fclose(file);
		text[*size] = '\0';
		return text;
	}
	if (file)
		fclose(file);
	free(text);
	return NULL;
}

/**
 * kv_document_json - read a file as JSON, whatever it holds
 * @path: file, "-" for standard input
 * @error: filled on failure
 * Return: what it holds, to be released by json_decref(), or NULL
 */
json_t *kv_document_json(const char *path, struct kv_error *error)
{
	json_error_t wrong;
	json_t *json;
	size_t size;
	char *text = kv_document_text(path, &size, error);

	if (!text)
		return NULL;
	json = json_loadb(text, size, JSON_REJECT_DUPLICATES, &wrong);
	free(text);
	if (!json)
		/* what jansson says quotes the file */
		kv_error_set(error, KV_EXIT_USAGE,
			     "%.200s: is no JSON, or not all of it: line %d, column %d", path,
			     wrong.line, wrong.column);
	return json;
}

/**
 * kv_doc_load - read a document
 * @path: file, "-" for standard input
 * @error: filled on failure
 * Return: the document, or NULL
 */
struct kv_doc *kv_doc_load(const char *path, struct kv_error *error)
{
	json_t *json = kv_document_json(path, error);

	return json ? kv_doc_of(json, path, error) : NULL;
}

/**
 * kv_doc_main_metric - the histogram that a run is about
 * @doc: document
 * @hist: by metric
 * Return: metric; of instructions that of posts, as the device is in all others
 */
u32 kv_doc_main_metric(const struct kv_doc *doc, const struct kv_sparse *hist)
{
	u32 i;

	if (!kv_unit_is_time(doc->unit))
		return KVERBS_METRIC_POST;
	for (i = 0; i + 1 < KV_MAIN_METRICS && !hist[kv_main_metrics[i]].count; i++)
		;
	return kv_main_metrics[i];
}

/* a value of a point, which is a number or a name */
const char *kv_doc_text(const json_t *value, char text[KV_DOC_TEXT])
{
	if (json_is_string(value))
		return json_string_value(value);
	snprintf(text, KV_DOC_TEXT, "%lld", (long long)json_integer_value(value));
	return text;
}

/* the metric whose figures a run is about, likewise */
u32 kv_doc_run_metric(const struct kv_doc_run *run)
{
	return kv_unit_is_time(run->unit) ? kv_main_metric(&run->summary) : KVERBS_METRIC_POST;
}

/* @doc may be NULL */
void kv_doc_free(struct kv_doc *doc)
{
	u32 i, metric;

	if (!doc)
		return;
	for (i = 0; i < doc->npoints; i++) {
		for (metric = 0; metric < __KVERBS_METRIC_MAX; metric++)
			kv_sparse_clear(&doc->point[i].run.hist[metric]);
	}
	free(doc->point);
	kv_free_arms(doc);
	json_decref(doc->json);
	free(doc);
}
