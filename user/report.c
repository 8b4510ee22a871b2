// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* kverbs report: documents from files, in another form. */
#include "document.h"
#include "format.h"
#include "kverbs.h"
#include "options.h"

static int report(const struct kv_options *options, struct kv_error *error)
{
	struct kv_doc *doc;
	u32 i;
	int rc = 0;

	if (!options->nfiles)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "no file: name one that kverbs run or compare wrote with --json");
	if (!options->json)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "no form: say which by --csv, --hgrm or --format");
	for (i = 0; !rc && i < options->nfiles; i++) {
		doc = kv_doc_load(options->file[i], error);
		rc = doc ? kv_format_write(options->format, doc, stdout, error) : -1;
		kv_doc_free(doc);
	}
	return rc;
}

/* kverbs report */
int kv_cmd_report(int argc, char **argv)
{
	struct kv_options options;
	struct kv_error error;

	if (kv_options_parse(argc, argv, KV_FOR_REPORT, &options, &error))
		return kv_error_print(&error);
	if (options.help) {
		kv_options_help(stdout, "report", KV_FOR_REPORT,
				"Writes what kverbs run or compare measured, from its JSON, in another form.");
		return KV_EXIT_GOOD;
	}
	if (kv_output_to(options.output, &error) || report(&options, &error))
		return kv_error_print(&error);
	return KV_EXIT_GOOD;
}
