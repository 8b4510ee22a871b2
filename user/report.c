// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* kverbs report: documents from files, as a page or in another form. */
#include <stdlib.h>
#include <string.h>
#include "format.h"
#include "kverbs.h"
#include "options.h"
#include "page.h"

static int load(const struct kv_options *options, struct kv_doc *doc[KV_FILES_MAX],
		struct kv_error *error)
{
	u32 i;

	if (!options->nfiles)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "no file: name one that kverbs run or compare wrote with --json");
	for (i = 0; i < options->nfiles; i++) {
		doc[i] = kv_doc_load(options->file[i], error);
		if (!doc[i])
			return -1;
		if (doc[i]->unit != doc[0]->unit)
			return kv_error_set(error, KV_EXIT_USAGE,
					    "%.100s and %.100s are in different units, ns and insn; report them apart",
					    options->file[0], options->file[i]);
	}
	return 0;
}

/* its name, the picture and all of it at once: a picture is there or it is not */
static int write_png(const char *prefix, const struct kv_plot *plot,
		     const struct kv_drawn *drawn, struct kv_error *error)
{
	char path[512];

	snprintf(path, sizeof(path), "%.400s-%s.png", prefix, plot->id);
	return kv_output_file(path, drawn->data, drawn->size, error);
}

static int draw(const struct kv_options *options, const struct kv_plots *plots,
		struct kv_error *error)
{
	struct kv_drawn drawn;
	u32 i;
	int rc = 0;

	for (i = 0; !rc && i < plots->n; i++) {
		rc = kv_gnuplot(&plots->plot[i],
				options->png ? KV_TERMINAL_PNG : KV_TERMINAL_DUMB, &drawn, error);
		if (rc)
			break;
		if (options->png)
			rc = write_png(options->png, &plots->plot[i], &drawn, error);
		else
			fwrite(drawn.data, 1, drawn.size, stdout);
		free(drawn.data);
	}
	return rc;
}

static int write_forms(const struct kv_options *options, struct kv_doc *const *doc,
		       struct kv_error *error)
{
	u32 i;

	for (i = 0; i < options->nfiles; i++) {
		if (kv_format_write(options->format, doc[i], stdout, error))
			return -1;
	}
	return 0;
}

static int write_all(const struct kv_options *options, struct kv_doc *const *doc,
		     struct kv_error *error)
{
	struct kv_plots plots;
	int rc;

	if (options->json)
		return write_forms(options, doc, error);
	if (!options->plot && !options->png)
		return kv_page_write(doc, options->nfiles, stdout, error);
	if (kv_plots_of(doc, options->nfiles, &plots, error))
		return -1;
	rc = draw(options, &plots, error);
	kv_plots_free(&plots);
	return rc;
}

/* kverbs report */
int kv_cmd_report(int argc, char **argv)
{
	struct kv_doc *doc[KV_FILES_MAX] = { NULL };
	struct kv_options options;
	struct kv_error error;
	u32 i;
	int rc;

	if (kv_options_parse(argc, argv, KV_FOR_REPORT, &options, &error))
		return kv_error_print(&error);
	if (options.help) {
		kv_options_help(stdout, "report", KV_FOR_REPORT,
				"Writes what kverbs run or compare measured, from its JSON, as a page in HTML\n"
				"or in another form.");
		return KV_EXIT_GOOD;
	}
	rc = load(&options, doc, &error);
	if (!rc)
		rc = kv_output_to(options.output, &error);
	if (!rc)
		rc = write_all(&options, doc, &error);
	for (i = 0; i < options.nfiles; i++)
		kv_doc_free(doc[i]);
	return rc ? kv_error_print(&error) : KV_EXIT_GOOD;
}
