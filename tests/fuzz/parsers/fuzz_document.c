// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * libFuzzer: JSON that says it is a document, or a job. What is taken is written in every form
 * that there is, and compared with itself.
 */
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include "diff.h"
#include "format.h"
#include "fuzz.h"
#include "kverbs.h"
#include "options.h"
#include "page.h"
#include "report.h"

static struct kv_error error;
static FILE *nowhere;

static void forms(struct kv_doc *doc)
{
	struct kv_plots plots;
	u32 i;

	for (i = KV_FORMAT_CSV; i < KV_FORMATS; i++) {
		if (kv_format_write(i, doc, nowhere, &error))
			fuzz_refused(&error);
	}
	/* the pictures themselves are gnuplot's */
	if (kv_plots_of(&doc, 1, &plots, &error))
		fuzz_refused(&error);
	else
		kv_plots_free(&plots);
}

static void differ(struct kv_doc *doc)
{
	struct kv_doc *sides[] = { doc, doc, doc, doc };
	struct kv_diff diff = {
		.tolerance = KV_TOLERANCE, .name = { "A", "B" }, .doc = { sides, sides + 2 },
		.ndocs = { 2, 2 },
	};

	if (kv_diff_make(&diff, &error)) {
		fuzz_refused(&error);
	} else {
		kv_diff_print(nowhere, &diff);
		json_decref(kv_json_diff(&diff));
		kv_diff_status(&diff, &error);
	}
	kv_diff_free(&diff);
}

static void document(const u8 *data, size_t size)
{
	json_t *json = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);
	struct kv_doc *doc;

	if (!json)
		return;
	doc = kv_doc_of(json, "fuzzed", &error);
	if (!doc) {
		fuzz_refused(&error);
		return;
	}
	fuzz_taken++;
	forms(doc);
	differ(doc);
	kv_doc_free(doc);
}

/* those are read from files by name */
static void job_file(const u8 *data, size_t size)
{
	char path[32], word[64], command[] = "run", *words[] = { command, word };
	struct kv_options options;
	struct kv_job paced;
	int fd = memfd_create("fuzzed", 0);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	snprintf(word, sizeof(word), "--job=%s", path);
	if (kv_options_parse(2, words, KV_FOR_RUN, &options, &error))
		fuzz_refused(&error);
	else
		fuzz_taken++;
	if (kv_job_file_intervals(path, &paced, &error))
		fuzz_refused(&error);
	else
		fuzz_taken++;
	close(fd);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	memset(&error, 0, sizeof(error));
	document(data, size);
	memset(&error, 0, sizeof(error));
	if (size < 4096)
		job_file(data, size);
	return 0;
}
