// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "format.h"
#include "kverbs.h"
#include "options.h"
#include "report.h"

static const struct {
	const char *name;
	int (*write)(const struct kv_doc *doc, FILE *file, struct kv_error *error);
} formats[KV_FORMATS] = {
	[KV_FORMAT_TEXT] = { "text", NULL },
	[KV_FORMAT_JSON] = { "json", NULL },
	[KV_FORMAT_CSV] = { "csv", kv_csv_write },
	[KV_FORMAT_HGRM] = { "hgrm", kv_hgrm_write },
	[KV_FORMAT_PERFTEST] = { "perftest", kv_perftest_write },
	[KV_FORMAT_COMMIT] = { "commit", kv_commit_write },
};

const char *kv_format_name(u32 format)
{
	return formats[format].name;
}

/**
 * kv_format_write - write a document in another form
 * @format: enum kv_format, neither text nor JSON
 * @doc: document
 * @file: where to
 * @error: filled on failure
 * Return: 0, or -1
 */
int kv_format_write(u32 format, const struct kv_doc *doc, FILE *file, struct kv_error *error)
{
	return formats[format].write(doc, file, error);
}

/**
 * kv_document_put - a command has its document: write it as was asked for
 * @options: of the command
 * @json: the document, taken over
 * @error: filled on failure
 * Return: 0, or -1
 *
 * Whatever the form, it is made from what a reader would find in a file.
 */
int kv_document_put(const struct kv_options *options, json_t *json, struct kv_error *error)
{
	struct kv_doc *doc;
	int rc;

	if (options->keep) {
		*options->keep = json;
		return 0;
	}
	if (options->format == KV_FORMAT_JSON)
		return kv_json_print(stdout, json, error);
	doc = kv_doc_of(json, "this measurement", error);
	if (!doc)
		return -1;
	rc = kv_format_write(options->format, doc, stdout, error);
	kv_doc_free(doc);
	return rc;
}
