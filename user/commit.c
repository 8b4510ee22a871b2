// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What a commit message can quote: a few short lines, the last of which measures it
 * again.
 */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include "format.h"
#include "kverbs.h"
#include "report.h"
#include "unit.h"

#define LINES		8
#define COLUMNS		72
#define RERUN_LINES	3	/* at most */

struct lines {
	char line[LINES][COLUMNS + 1];
	u32 n;
};

static void add(struct lines *lines, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* what does not fit is cut off */
static void add(struct lines *lines, const char *fmt, ...)
{
	va_list args;

	if (lines->n == LINES)
		return;
	va_start(args, fmt);
	vsnprintf(lines->line[lines->n++], COLUMNS + 1, fmt, args);
	va_end(args);
}

/* a word as a shell takes it; false when it cannot stand in a line */
static bool quote(const char *word, char *text, size_t size)
{
	const char *at = word;

	while (isalnum((unsigned char)*at) || (*at && strchr("_./=,:+%-", *at)))
		at++;
	if (*at && strchr(word, '\''))
		return false;
	return snprintf(text, size, *at || !*word ? "'%s'" : "%s", word) < size;
}

/* "rerun: WORD..." in lines that end in a backslash but for the last; false: too long */
static bool add_command(struct lines *lines, const json_t *command)
{
	char line[COLUMNS + 1] = "rerun:", word[COLUMNS];
	u32 first = lines->n;
	size_t i;

	for (i = 0; i < json_array_size(command); i++) {
		if (!quote(json_string_value(json_array_get(command, i)), word, sizeof(word)))
			return false;
		if (strlen(line) + strlen(word) + 3 > COLUMNS) {
			if (lines->n - first + 1 == RERUN_LINES || strlen(word) + 5 > COLUMNS)
				return false;
			add(lines, "%s \\", line);
			strcpy(line, "  ");
		}
		strcat(line, " ");
		strcat(line, word);
	}
	add(lines, "%s", line);
	return i > 0;
}

static void make_rerun(struct lines *rerun, const struct kv_doc *doc)
{
	if (doc->command && add_command(rerun, doc->command))
		return;
	rerun->n = 0;
	add(rerun, "rerun: kverbs rerun FILE, where FILE is the JSON of this measurement");
}

static void add_place(struct lines *lines, const struct kv_doc *doc)
{
	const char *version = json_string_value(json_object_get(doc->environment, "kverbs"));

	add(lines, "%.20s (%.16s%s), %.32s, kverbs %.10s", doc->device, doc->driver,
	    doc->software ? ", software device" : "", doc->kernel, version ? version : "?");
}

static void add_run(struct lines *lines, const struct kv_doc_run *run)
{
	const struct kv_summary *s = &run->summary;
	u32 metric = kv_doc_run_metric(run);
	const struct kv_figure *f = &s->metric[metric];
	char text[4][KV_TEXT];

	add(lines, "%s engine: %s of %s, shape %s, %llu operations", run->engine, run->job.op,
	    kv_text_size(run->job.size, text[0]), run->job.shape, s->ops);
	if (f->count)
		add(lines, "%s, %s: p50 %s, p99 %s, mean %s, max %s", kv_metric_name(metric),
		    kv_unit_name(run->unit), kv_text_value(f->p50, run->unit, text[0]),
		    kv_text_value(f->p99, run->unit, text[1]),
		    kv_text_value(f->mean, run->unit, text[2]),
		    kv_text_value(f->max, run->unit, text[3]));
	if (isfinite(s->ops_s))
		add(lines, "%s messages/s, %sB/s", kv_text_rate(s->ops_s, text[0]),
		    kv_text_rate(s->bytes_s, text[1]));
	if (strcmp(run->state, kv_state_name(KVERBS_STATE_DONE)))
		add(lines, "FAILED: %s", run->reason);
}

static void add_point(struct lines *lines, const struct kv_doc_point *point)
{
	const struct kv_summary *s = &point->run.summary;
	const struct kv_figure *f = &s->metric[kv_doc_run_metric(&point->run)];
	char what[32] = "", text[2][KV_TEXT], number[KV_DOC_TEXT];
	const char *key;
	json_t *value;

	json_object_foreach(point->values, key, value) {
		size_t used = strlen(what);

		snprintf(what + used, sizeof(what) - used, "%s %s ", key,
			 kv_doc_text(value, number));
	}
	if (point->measured)
		add(lines, "  %-31s %12s %14s", what,
		    kv_text_value(f->count ? f->p50 : NAN, point->run.unit, text[0]),
		    kv_text_rate(s->ops_s, text[1]));
	else
		add(lines, "  %-31s %.36s", what, point->outcome);
}

/* as many points as there are lines left */
static void add_points(struct lines *lines, const struct kv_doc *doc, u32 left)
{
	u32 n = doc->npoints, i, at, shown;

	if (n == 1 && !doc->point->values) {
		add_run(lines, &doc->point->run);
		return;
	}
	shown = n < left - 1 ? n : left - 1;
	add(lines, "%-33s %8s p50, %s %14s%s", "", n && doc->point->measured ?
	    doc->point->run.engine : "", kv_unit_name(doc->unit), "messages/s",
	    shown < n ? "   (some)" : "");
	for (i = 0; i < shown; i++) {
		at = shown > 1 ? i * (n - 1) / (shown - 1) : 0;
		add_point(lines, &doc->point[at]);
	}
}

/* at most 7 characters: with a decimal prefix from 100000 on, and for a rate at once */
static const char *text_short(double value, u32 unit, bool rate, char text[KV_TEXT])
{
	static const char prefix[] = " kMGT";
	u32 i = 0;

	if (!isfinite(value) || (!rate && fabs(value) < 99999.5))
		return kv_text_value(value, unit, text);
	while (fabs(value) >= 999.5 && i < sizeof(prefix) - 2) {
		value /= 1000;
		i++;
	}
	snprintf(text, KV_TEXT, "%.4g%.*s", value, i > 0, prefix + i);
	return text;
}

static void add_arm(struct lines *lines, const struct kv_doc *doc, const struct kv_doc_arm *arm,
		    const struct kv_doc_value *value)
{
	char size[KV_TEXT], text[5][KV_TEXT], name[40], interval[2 * KV_TEXT + 8] = "";
	u32 unit = doc->unit, i;
	const double number[] = { value->median[KV_DOC_KERNEL], value->median[KV_DOC_USER],
				  value->difference.estimate, value->difference.low,
				  value->difference.high };

	for (i = 0; i < KV_ARRAY_SIZE(number); i++)
		text_short(number[i], unit, value->rate, text[i]);
	if (isfinite(value->difference.low))
		snprintf(interval, sizeof(interval), " [%s .. %s]", text[3], text[4]);
	snprintf(name, sizeof(name), "%.9s %s %.12s", arm->job.op,
		 kv_text_size(arm->job.size, size), value->key);
	add(lines, "%-24.24s%8s %8s  %s%s", name, text[0], text[1], text[2], interval);
}

static void add_arms(struct lines *lines, const struct kv_doc *doc, u32 left)
{
	u32 i, j, n = 0;

	add(lines, "%-24s%8s %8s  %s", kv_unit_is_time(doc->unit) ? "ns, or a second" :
	    kv_unit_name(doc->unit), "kernel", "user",
	    kv_unit_is_time(doc->unit) ? "kernel - user [95 %]" : "kernel - user");
	for (i = 0; i < doc->narms; i++) {
		for (j = 0; j < doc->arm[i].nvalues && n + 1 < left; j++) {
			const struct kv_doc_value *value = &doc->arm[i].value[j];

			if (doc->arm[i].untimed ||
			    (kv_unit_is_time(doc->unit) && !value->primary))
				continue;
			add_arm(lines, doc, &doc->arm[i], value);
			n++;
		}
	}
}

int kv_commit_write(const struct kv_doc *doc, FILE *file, struct kv_error *error)
{
	struct lines lines = { .n = 0 }, rerun = { .n = 0 };
	u32 i, left;

	make_rerun(&rerun, doc);
	add_place(&lines, doc);
	left = LINES - rerun.n - lines.n;
	if (doc->kind == KV_DOC_COMPARE)
		add_arms(&lines, doc, left);
	else
		add_points(&lines, doc, left);
	for (i = 0; i < lines.n; i++)
		fprintf(file, "%s\n", lines.line[i]);
	for (i = 0; i < rerun.n; i++)
		fprintf(file, "%s\n", rerun.line[i]);
	return 0;
}
