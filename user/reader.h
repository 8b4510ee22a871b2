/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Members of JSON objects, each with the checks that its type needs. A reader knows
 * where it is, so that what is wrong is named.
 */
#ifndef KV_READER_H
#define KV_READER_H

#include <stdbool.h>
#include <jansson.h>
#include "engine.h"
#include "sparse.h"

/**
 * struct kv_reader - where in which file
 * @file: its name
 * @where: path to @object, such as "run.summary"
 * @object: read from
 * @error: takes what is wrong
 */
struct kv_reader {
	const char *file;
	char where[96];
	json_t *object;
	struct kv_error *error;
};

int kv_read_refuse(const struct kv_reader *reader, const char *key, const char *what);
int kv_read_object(const struct kv_reader *from, const char *key, struct kv_reader *to);
int kv_read_array(const struct kv_reader *reader, const char *key, size_t most, json_t **array);
int kv_read_item(const struct kv_reader *from, const char *key, size_t i, json_t *item,
		 struct kv_reader *to);
int kv_read_text(const struct kv_reader *reader, const char *key, const char **text);
int kv_read_count(const struct kv_reader *reader, const char *key, u64 *count);
int kv_read_real(const struct kv_reader *reader, const char *key, double *value);
int kv_read_bool(const struct kv_reader *reader, const char *key, bool *value);
int kv_read_hist(const struct kv_reader *reader, const struct kv_clock_info *clock,
		 struct kv_sparse *sparse);

#endif /* KV_READER_H */
