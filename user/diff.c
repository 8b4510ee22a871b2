// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* kverbs diff: documents from files, one side against the other. */
#include "diff.h"
#include "kverbs.h"
#include "options.h"
#include "report.h"

static int load(const struct kv_options *options, struct kv_doc *doc[KV_FILES_MAX], u32 *split,
		struct kv_error *error)
{
	u32 i;

	*split = options->split ? options->split : options->nfiles == 2;
	if (!*split || *split == options->nfiles)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "which is A and which B? name two files, or more with -- between the sides");
	for (i = 0; i < options->nfiles; i++) {
		doc[i] = kv_doc_load(options->file[i], error);
		if (!doc[i])
			return -1;
	}
	return 0;
}

/* a diff that says "worse" is a good diff: it is printed, and its line as well */
static int print(const struct kv_options *options, const struct kv_diff *diff,
		 struct kv_error *error)
{
	int status;

	if (!options->json)
		kv_diff_print(stdout, diff);
	else if (kv_json_print(stdout, kv_json_diff(diff), error))
		return kv_error_print(error);
	status = kv_diff_status(diff, error);
	if (status != KV_EXIT_GOOD)
		kv_error_print(error);
	return status;
}

static int diff_files(const struct kv_options *options, struct kv_doc *doc[KV_FILES_MAX],
		      struct kv_error *error)
{
	struct kv_diff diff = {
		.tolerance = options->tolerance, .across = options->across, .name = { "A", "B" },
	};
	int status;
	u32 split;

	if (load(options, doc, &split, error) || kv_output_to(options->output, error))
		return kv_error_print(error);
	diff.doc[0] = doc;
	diff.doc[1] = doc + split;
	diff.ndocs[0] = split;
	diff.ndocs[1] = options->nfiles - split;
	status = kv_diff_make(&diff, error) ? kv_error_print(error) :
					      print(options, &diff, error);
	kv_diff_free(&diff);
	return status;
}

/* kverbs diff */
int kv_cmd_diff(int argc, char **argv)
{
	struct kv_doc *doc[KV_FILES_MAX] = { NULL };
	struct kv_options options;
	struct kv_error error;
	int status;
	u32 i;

	if (kv_options_parse(argc, argv, KV_FOR_DIFF, &options, &error))
		return kv_bisect_status(argc, argv, kv_error_print(&error));
	if (options.help) {
		kv_options_help(stdout, "diff", KV_FOR_DIFF,
				"Compares what was measured on two sides, and says whether it got worse.");
		return KV_EXIT_GOOD;
	}
	status = diff_files(&options, doc, &error);
	for (i = 0; i < options.nfiles; i++)
		kv_doc_free(doc[i]);
	return kv_bisect_status(argc, argv, status);
}
