/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The forms in which a document can be written, one row each.
 */
#ifndef KV_FORMAT_H
#define KV_FORMAT_H

#include <stdio.h>
#include "document.h"

struct kv_options;

enum kv_format {
	KV_FORMAT_TEXT,		/* by the command itself, as it goes on */
	KV_FORMAT_JSON,
	KV_FORMAT_CSV,
	KV_FORMAT_HGRM,
	KV_FORMAT_PERFTEST,
	KV_FORMAT_COMMIT,
	KV_FORMATS,
};

const char *kv_format_name(u32 format);
int kv_format_write(u32 format, const struct kv_doc *doc, FILE *file, struct kv_error *error);
int kv_document_put(const struct kv_options *options, json_t *json, struct kv_error *error);

/* csv.c */
int kv_csv_write(const struct kv_doc *doc, FILE *file, struct kv_error *error);

/* hgrm.c */
int kv_hgrm_write(const struct kv_doc *doc, FILE *file, struct kv_error *error);

/* perftest.c */
int kv_perftest_write(const struct kv_doc *doc, FILE *file, struct kv_error *error);

/* commit.c */
int kv_commit_write(const struct kv_doc *doc, FILE *file, struct kv_error *error);

#endif /* KV_FORMAT_H */
