// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The page of a report: tables, and plots as SVG within it. Files may come from
 * anywhere, so all of their text is escaped, and the page has no scripts.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "kverbs.h"
#include "page.h"
#include "report.h"
#include "unit.h"

#define VALUES_MAX	8	/* fields that a point is told by; more have no heading */

static const char head[] =
	"<!DOCTYPE html>\n"
	"<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	"style-src 'unsafe-inline'; img-src data:\">\n"
	"<link rel=\"icon\" href=\"data:,\">\n"
	"<title>kverbs report</title>\n<style>\n"
	":root { color-scheme: light dark; --ink: #1c1c1c; --paper: #ffffff; --faint: #6a6a6a;\n"
	"\t--line: #d4d4d4; --mark: #fff3c4; }\n"
	"@media (prefers-color-scheme: dark) {\n"
	"\t:root { --ink: #e6e6e6; --paper: #16181c; --faint: #a2a2a2; --line: #3c4048;\n"
	"\t\t--mark: #4a3f10; }\n}\n"
	"@media print {\n"
	"\t:root { color-scheme: light; --ink: #000; --paper: #fff; --faint: #444; --line: #bbb;\n"
	"\t\t--mark: #fff; }\n"
	"\tfigure, tr { break-inside: avoid; } h2 { break-after: avoid; }\n}\n"
	"body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink);\n"
	"\tbackground: var(--paper); max-width: 60rem; margin: 0 auto; padding: 1rem; }\n"
	"h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2rem;\n"
	"\tborder-bottom: 1px solid var(--line); overflow-wrap: anywhere; }\n"
	"table { border-collapse: collapse; margin: .6rem 0; font-variant-numeric: tabular-nums; }\n"
	"th, td { padding: .15rem .7rem .15rem 0; text-align: right; vertical-align: top;\n"
	"\tborder-bottom: 1px solid var(--line); }\n"
	"th { color: var(--faint); font-weight: 600; }\n"
	"th:first-child, td:first-child, td.text { text-align: left; }\n"
	"td { white-space: nowrap; }\n"
	"td.text { white-space: normal; overflow-wrap: break-word; }\n"
	".wide { overflow-x: auto; }\n"
	".note { background: var(--mark); padding: .4rem .7rem; border-left: 4px solid #e07b00; }\n"
	"code { font: 13px/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }\n"
	"figure { margin: 1.2rem 0; } figcaption { font-weight: 600; }\n"
	"figure svg { width: 100%; height: auto; display: block; }\n"
	"figure svg [color=\"black\"], figure svg [color=\"gray\"] { color: var(--ink); }\n"
	"figure svg [stroke=\"black\"] { stroke: var(--ink); }\n"
	"figure svg [fill=\"black\"] { fill: var(--ink); }\n"
	"figure svg text { font-family: system-ui, sans-serif; }\n"
	/* paper does not scroll, and comes last to win */
	"@media print {\n"
	"\tbody { padding: 0; max-width: none; } .wide { overflow: visible; }\n"
	"\ttable { font-size: 9.5px; } th, td { padding-right: .4rem; }\n}\n"
	"</style>\n</head>\n<body>\n";

/* text of a file is text, whatever it holds */
static void put(FILE *file, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':
			fputs("&amp;", file);
			break;
		case '<':
			fputs("&lt;", file);
			break;
		case '>':
			fputs("&gt;", file);
			break;
		case '"':
			fputs("&quot;", file);
			break;
		case '\'':
			fputs("&#39;", file);
			break;
		default:
			fputc(*text, file);
		}
	}
}

static void put_cell(FILE *file, const char *text)
{
	fputs("<td class=\"text\">", file);
	put(file, text);
	fputs("</td>", file);
}

static void put_value(FILE *file, double value, bool rate, u32 unit)
{
	char text[KV_TEXT];

	fprintf(file, "<td>%s</td>", rate ? kv_text_rate(value, text) :
		kv_text_value(value, unit, text));
}

static void put_command(FILE *file, const struct kv_doc *doc)
{
	size_t i;

	if (!doc->command)
		return;
	fputs("<p><code>", file);
	for (i = 0; i < json_array_size(doc->command); i++) {
		fputs(i ? " " : "", file);
		put(file, json_string_value(json_array_get(doc->command, i)));
	}
	fputs("</code></p>\n", file);
}

static void put_json(FILE *file, const json_t *json)
{
	char number[32];

	if (json_is_string(json)) {
		put_cell(file, json_string_value(json));
	} else if (json_is_boolean(json)) {
		put_cell(file, json_is_true(json) ? "yes" : "no");
	} else if (json_is_integer(json)) {
		snprintf(number, sizeof(number), "%lld", (long long)json_integer_value(json));
		put_cell(file, number);
	} else {
		put_cell(file, "-");
	}
}

/* what is known of the place, but for checks, which have a table of their own */
static void put_environment(FILE *file, const struct kv_doc *doc)
{
	const char *key;
	json_t *value;

	fputs("<details open><summary>environment</summary>\n<table>\n", file);
	json_object_foreach(doc->environment, key, value) {
		if (json_is_object(value) || json_is_array(value))
			continue;
		fputs("<tr>", file);
		put_cell(file, key);
		put_json(file, value);
		fputs("</tr>\n", file);
	}
	fputs("</table></details>\n", file);
}

static void put_checks(FILE *file, const struct kv_doc *doc)
{
	json_t *checks = json_object_get(doc->environment, "checks"), *check;
	const char *key;

	if (!json_is_object(checks))
		return;
	fputs("<details><summary>checks of the environment</summary>\n<table>\n", file);
	json_object_foreach(checks, key, check) {
		fputs("<tr>", file);
		put_cell(file, key);
		put_json(file, json_object_get(check, "value"));
		put_json(file, json_object_get(check, "judgement"));
		fputs("</tr>\n", file);
	}
	fputs("</table></details>\n", file);
}

/* the first row of a table that may be wider than the page */
static void put_heads(FILE *file, const char *const *name, u32 n)
{
	u32 i;

	fputs("<div class=\"wide\"><table>\n<tr>", file);
	for (i = 0; i < n; i++) {
		fputs("<th>", file);
		put(file, name[i]);
		fputs("</th>", file);
	}
	fputs("</tr>\n", file);
}

static void put_values(FILE *file, const json_t *values)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)values, key, value)
		put_json(file, value);
}

static void put_point(FILE *file, const struct kv_doc_point *point)
{
	const struct kv_doc_run *run = &point->run;
	const struct kv_summary *s = &run->summary;
	u32 metric = kv_doc_run_metric(run);
	struct kv_figure f = s->metric[metric];
	u32 i;

	put_values(file, point->values);
	if (!point->measured) {
		fputs("<td class=\"text\" colspan=\"13\">", file);
		put(file, point->outcome);
		fputs(": ", file);
		put(file, point->error);
		fputs("</td>", file);
		return;
	}
	put_cell(file, run->engine);
	put_cell(file, run->job.op);
	fprintf(file, "<td>%llu</td>", run->job.size);
	put_cell(file, f.count ? kv_metric_name(metric) : "-");
	for (i = 0; i < KV_FIGURE_MEMBERS; i++)
		put_value(file, f.count ? *kv_figure_value(&f, i) : NAN, false, run->unit);
	put_value(file, s->ops_s, true, run->unit);
	put_value(file, s->bytes_s, true, run->unit);
}

static void put_points(FILE *file, const struct kv_doc *doc)
{
	const char *const columns[] = {
		"engine", "op", "bytes", kv_unit_is_time(doc->unit) ? "in ns" : "in insn", "min",
		"mean", "p50", "p90", "p99", "p99.9", "max", "messages/s", "B/s",
	};
	const char *heads[VALUES_MAX + KV_ARRAY_SIZE(columns)], *key;
	u32 i, values = 0;
	json_t *value;

	if (doc->npoints) {
		json_object_foreach(doc->point->values, key, value) {
			if (values < VALUES_MAX)
				heads[values++] = key;
		}
	}
	memcpy(heads + values, columns, sizeof(columns));
	put_heads(file, heads, values + KV_ARRAY_SIZE(columns));
	for (i = 0; i < doc->npoints; i++) {
		fputs("<tr>", file);
		put_point(file, &doc->point[i]);
		fputs("</tr>\n", file);
	}
	fputs("</table></div>\n", file);
}

static void put_interval(FILE *file, const struct kv_doc_interval *interval, bool rate, u32 unit)
{
	char low[KV_TEXT], high[KV_TEXT];

	put_value(file, interval->estimate, rate, unit);
	if (isfinite(interval->low) && isfinite(interval->high))
		fprintf(file, "<td>[%s .. %s]</td>",
			rate ? kv_text_rate(interval->low, low) :
			       kv_text_value(interval->low, unit, low),
			rate ? kv_text_rate(interval->high, high) :
			       kv_text_value(interval->high, unit, high));
	else
		fputs("<td>-</td>", file);
}

static void put_ratio(FILE *file, const struct kv_doc_interval *ratio)
{
	if (isfinite(ratio->estimate))
		fprintf(file, "<td>%.3f</td>", ratio->estimate);
	else
		fputs("<td>-</td>", file);
	if (isfinite(ratio->low) && isfinite(ratio->high))
		fprintf(file, "<td>[%.3f .. %.3f]</td>", ratio->low, ratio->high);
	else
		fputs("<td>-</td>", file);
}

static void put_arm(FILE *file, const struct kv_doc *doc, const struct kv_doc_arm *arm)
{
	char text[128], size[KV_TEXT], key[KV_UNIT_KEY];
	u32 i;

	snprintf(text, sizeof(text), "%.16s %s, %.16s, %.16s", arm->job.op,
		 kv_text_size(arm->job.size, size), arm->job.shape, arm->as);
	for (i = 0; i < arm->nvalues; i++) {
		const struct kv_doc_value *value = &arm->value[i];

		fputs("<tr>", file);
		put_cell(file, i ? "" : text);
		put_cell(file, kv_unit_value_key(value->key, value->rate, doc->unit, key));
		put_value(file, value->median[KV_DOC_KERNEL], value->rate, doc->unit);
		put_value(file, value->median[KV_DOC_USER], value->rate, doc->unit);
		put_interval(file, &value->difference, value->rate, doc->unit);
		put_ratio(file, &value->ratio);
		put_cell(file, *value->verdict ? value->verdict : "secondary");
		fputs("</tr>\n", file);
	}
}

static void put_arms(FILE *file, const struct kv_doc *doc)
{
	static const char *const heads[] = {
		"job", "", "kernel", "user", "kernel - user", "95 %", "kernel / user", "95 %",
		"verdict",
	};
	json_t *ledger = json_object_get(doc->json, "ledger");
	size_t i;

	put_heads(file, heads, KV_ARRAY_SIZE(heads));
	for (i = 0; i < doc->narms; i++) {
		if (!doc->arm[i].untimed)
			put_arm(file, doc, &doc->arm[i]);
	}
	fputs("</table></div>\n", file);
	fputs("<p>A time below 1: the kernel is cheaper; a rate above 1: it is faster.</p>\n",
	      file);
	fputs("<p>What differs by nature and is part of every difference:</p>\n<ul>\n", file);
	for (i = 0; i < json_array_size(ledger); i++) {
		const char *line = json_string_value(json_array_get(ledger, i));

		fputs("<li>", file);
		put(file, line ? line : "");
		fputs("</li>\n", file);
	}
	fputs("</ul>\n", file);
}

static const char software[] =
	"<p class=\"note\">Software device: the figures show function, and no cost of hardware; "
	"times include stack progress.</p>\n";

static void put_document(FILE *file, const struct kv_doc *doc)
{
	fputs("<section>\n<h2>", file);
	put(file, doc->name);
	fputs("</h2>\n<p>", file);
	put(file, doc->device);
	fputs(", ", file);
	put(file, doc->driver);
	fputs("; Linux ", file);
	put(file, doc->kernel);
	fputs("; loopback on one port</p>\n", file);
	if (doc->software)
		fputs(software, file);
	if (doc->interrupted)
		fputs("<p class=\"note\">Interrupted: what was measured until then.</p>\n", file);
	put_command(file, doc);
	if (doc->kind == KV_DOC_COMPARE)
		put_arms(file, doc);
	else
		put_points(file, doc);
	put_environment(file, doc);
	put_checks(file, doc);
	fputs("</section>\n", file);
}

/*
 * gnuplot's picture within the page: without what comes before its root, without its
 * titles, which would show as hints, and with names that no other picture has.
 */
static void put_svg(FILE *file, const struct kv_plot *plot, const struct kv_drawn *drawn)
{
	const char *at = strstr(drawn->data, "<svg"), *end;

	while (at && *at) {
		if (!strncmp(at, "<title>", 7) || !strncmp(at, "<desc>", 6)) {
			end = strstr(at, at[1] == 't' ? "</title>" : "</desc>");
			at = end ? strchr(end, '>') + 1 : NULL;
		} else if (!strncmp(at, "gpDot", 5) || !strncmp(at, "gpPt", 4) ||
			   !strncmp(at, "gnuplot_canvas", 14)) {
			fprintf(file, "%s_", plot->id);
			fputc(*at++, file);
		} else {
			fputc(*at++, file);
		}
	}
}

static void put_plot(FILE *file, const struct kv_plot *plot, const struct kv_drawn *drawn)
{
	const double *s = drawn->scale;

	fprintf(file, "<figure id=\"%s\" data-x=\"%.10g %.10g %.10g %.10g\" ", plot->id, s[0],
		s[1], s[4], s[5]);
	fprintf(file, "data-y=\"%.10g %.10g %.10g %.10g\" data-log=\"%s%s\">\n<figcaption>",
		s[2], s[3], s[6], s[7],
		plot->kind == KV_PLOT_PERCENTILES || plot->logx ? "x" : "", plot->logy ? "y" : "");
	put(file, plot->title);
	fputs("</figcaption>\n", file);
	put_svg(file, plot, drawn);
	fputs("</figure>\n", file);
}

/* the first picture that cannot be drawn ends them: the tables are there all the same */
static int put_plots(FILE *file, const struct kv_plots *plots, struct kv_error *error)
{
	struct kv_drawn drawn;
	u32 i;

	for (i = 0; i < plots->n; i++) {
		if (kv_gnuplot(&plots->plot[i], KV_TERMINAL_SVG, &drawn, error)) {
			fputs("<p class=\"note\">", file);
			put(file, error->text);
			fputs("</p>\n", file);
			return -1;
		}
		put_plot(file, &plots->plot[i], &drawn);
		free(drawn.data);
	}
	return 0;
}

/**
 * kv_page_write - the page of documents
 * @doc: documents
 * @n: how many
 * @file: where to
 * @error: filled on failure
 * Return: 0, or -1: then plots are missing, and the page says why
 */
int kv_page_write(struct kv_doc *const *doc, u32 n, FILE *file, struct kv_error *error)
{
	struct kv_plots plots;
	u32 i;
	int rc;

	if (kv_plots_of(doc, n, &plots, error))
		return -1;
	fputs(head, file);
	fputs("<h1>kverbs report</h1>\n", file);
	for (i = 0; i < n; i++)
		put_document(file, doc[i]);
	fputs("<section>\n<h2>Plots</h2>\n", file);
	rc = put_plots(file, &plots, error);
	fprintf(file, "</section>\n<footer><p>kverbs %s</p></footer>\n</body>\n</html>\n",
		KVERBS_VERSION);
	kv_plots_free(&plots);
	return rc;
}
