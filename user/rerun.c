// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * kverbs rerun: what a file says was measured is measured once more, by the command
 * that the file holds, and compared with it.
 */
#include <math.h>
#include <string.h>
#include "diff.h"
#include "kverbs.h"
#include "options.h"

#define RUNS		3	/* of a run or a series, when not told */
#define RUNS_MAX	64
#define WORDS_MAX	600

/**
 * struct rerun - a rerun under way
 * @options: of rerun itself
 * @doc: what is in the file
 * @again: what is measured now
 * @n: entries of @again
 */
struct rerun {
	const struct kv_options *options;
	struct kv_doc *doc;
	struct kv_doc *again[RUNS_MAX];
	u32 n;
};

/* numbers of the design of a comparison, as options */
static void add_design(const struct kv_doc *doc, const char *key, char *text, size_t size,
		       const char **word, int *n)
{
	json_t *design = json_object_get(doc->json, "design");
	json_t *value = json_object_get(design, !strcmp(key, "--seed") ? "seed" : "blocks");

	if (!json_is_integer(value))
		return;
	snprintf(text, size, "%llu", (unsigned long long)json_integer_value(value));
	word[(*n)++] = key;
	word[(*n)++] = text;
}

/*
 * The words of the file, read as those of a command line are. They come from anywhere:
 * what they may do is what the options of a job can, and write nowhere.
 */
static int read_command(const struct rerun *rerun, struct kv_options *options,
			struct kv_error *error)
{
	bool compare = rerun->doc->kind == KV_DOC_COMPARE;
	const char *word[WORDS_MAX];
	static char text[2][24];
	int n = 0;
	size_t i;

	if (json_array_size(rerun->doc->command) < 2)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "%s: does not hold the command that made it",
				    rerun->doc->name);
	for (i = 1; i < json_array_size(rerun->doc->command) && n < WORDS_MAX - 8; i++)
		word[n++] = json_string_value(json_array_get(rerun->doc->command, i));
	if (strcmp(word[0], compare ? "compare" : "run"))
		return kv_error_set(error, KV_EXIT_USAGE,
				    "%s: command '%.40s': not one of its kind",
				    rerun->doc->name, word[0]);
	if (compare) {
		add_design(rerun->doc, "--seed", text[0], sizeof(text[0]), word, &n);
		add_design(rerun->doc, "--rounds", text[1], sizeof(text[1]), word, &n);
	}
	if (rerun->options->device) {
		word[n++] = "-d";
		word[n++] = rerun->options->device;
	}
	if (kv_options_parse(n, (char **)word, compare ? KV_FOR_COMPARE : KV_FOR_RUN, options,
			     error))
		return -1;
	if (options->output || options->help || options->json)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "%s: its command is not only of what is measured",
				    rerun->doc->name);
	memset(&options->thresholds, 0, sizeof(options->thresholds));
	options->interval_ms = 0;
	options->json = true;
	options->format = KV_FORMAT_JSON;
	return 0;
}

/* Return: exit status; the document is there when it is good */
static int measure(struct rerun *rerun, struct kv_options *options, struct kv_error *error)
{
	json_t *json = NULL;
	int status;

	options->keep = &json;
	status = rerun->doc->kind == KV_DOC_COMPARE ? kv_compare_as(options) : kv_run_as(options);
	if (status != KV_EXIT_GOOD && status != KV_EXIT_MISSED && status != KV_EXIT_UNDECIDED) {
		json_decref(json);
		return status;
	}
	rerun->again[rerun->n] = kv_doc_of(json, "this measurement", error);
	if (!rerun->again[rerun->n])
		return kv_error_print(error);
	rerun->n++;
	return KV_EXIT_GOOD;
}

/* the primary value that is furthest off, in percent */
static const struct kv_diff_row *furthest(const struct kv_diff *diff, double *off)
{
	const struct kv_diff_row *row, *worst = NULL;
	double percent;

	*off = 0;
	for (row = diff->row; row < diff->row + diff->nrows; row++) {
		percent = (row->median[1] / row->median[0] - 1) * 100;
		if (!row->primary || !isfinite(percent) || (worst && fabs(percent) <= fabs(*off)))
			continue;
		worst = row;
		*off = percent;
	}
	return worst;
}

static bool surely_off(const struct kv_diff *diff)
{
	u32 i;

	for (i = 0; i < diff->nrows; i++) {
		const struct kv_diff_row *row = &diff->row[i];
		double off = fabs(row->median[1] / row->median[0] - 1) * 100;

		if (row->primary && (row->change == KV_CHANGE_WORSE ||
				     (row->change == KV_CHANGE_BETTER && off > diff->tolerance)))
			return true;
	}
	return false;
}

/* reproduced, or not, and how far off */
static int conclude(const struct kv_diff *diff, struct kv_error *error)
{
	int status = kv_diff_status(diff, error);
	const struct kv_diff_row *row;
	double off;

	row = furthest(diff, &off);
	if (surely_off(diff))
		status = KV_EXIT_MISSED;
	printf("%s within %.4g %%: at most %+.1f %% off%s%s%s%s%s%s\n",
	       status == KV_EXIT_GOOD ? "reproduced" :
	       status == KV_EXIT_MISSED ? "NOT reproduced" : "not decided", diff->tolerance, off,
	       row ? ": " : "", row ? row->name : "", row ? " " : "", row ? row->side : "",
	       row ? " " : "", row ? row->key : "");
	if (status == KV_EXIT_MISSED)
		kv_error_set(error, status, "not reproduced: %+.1f %% off, %.4g %% are tolerated",
			     off, diff->tolerance);
	return status == KV_EXIT_GOOD ? status : kv_error_print(error);
}

/* for git bisect what got better is good */
static int compare(const struct rerun *rerun, bool bisect, struct kv_error *error)
{
	struct kv_diff diff = {
		.tolerance = rerun->options->tolerance,
		.single = rerun->doc->kind != KV_DOC_COMPARE,
		.name = { "file", "now" },
		.doc = { &rerun->doc, rerun->again },
		.ndocs = { 1, rerun->n },
	};
	int status;

	if (kv_diff_make(&diff, error)) {
		status = kv_error_print(error);
	} else {
		kv_diff_print(stdout, &diff);
		status = conclude(&diff, error);
		if (bisect)
			status = kv_diff_status(&diff, error);
	}
	kv_diff_free(&diff);
	return status;
}

static int rerun_file(struct rerun *rerun, bool bisect, struct kv_error *error)
{
	u32 runs = rerun->options->rounds ? rerun->options->rounds : RUNS, i;
	struct kv_options options;
	int status;

	if (rerun->options->nfiles != 1)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "which one? name one file that kverbs run or compare wrote with --json");
	if (runs > RUNS_MAX)
		return kv_error_set(error, KV_EXIT_USAGE, "runs %u: it is 1 to %u", runs, RUNS_MAX);
	rerun->doc = kv_doc_load(rerun->options->file[0], error);
	if (!rerun->doc || read_command(rerun, &options, error))
		return -1;
	if (rerun->doc->kind == KV_DOC_COMPARE)
		runs = 1;
	for (i = 0; i < runs; i++) {
		status = measure(rerun, &options, error);
		if (status != KV_EXIT_GOOD)
			return status;
	}
	return compare(rerun, bisect, error);
}

/* kverbs rerun */
int kv_cmd_rerun(int argc, char **argv)
{
	struct kv_options options;
	struct rerun rerun = { .options = &options };
	struct kv_error error;
	int status;
	u32 i;

	if (kv_options_parse(argc, argv, KV_FOR_RERUN, &options, &error))
		return kv_bisect_status(argc, argv, kv_error_print(&error));
	if (options.help) {
		kv_options_help(stdout, "rerun", KV_FOR_RERUN,
				"Measures what a file says was measured once more: reproduced, or not?");
		return KV_EXIT_GOOD;
	}
	if (kv_output_to(options.output, &error))
		status = -1;
	else
		status = rerun_file(&rerun, kv_bisecting(argc, argv), &error);
	if (status < 0)
		status = kv_error_print(&error);
	for (i = 0; i < rerun.n; i++)
		kv_doc_free(rerun.again[i]);
	kv_doc_free(rerun.doc);
	return kv_bisect_status(argc, argv, status);
}
