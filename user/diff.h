/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Two sides of documents, A and B, of the same jobs: what is different, how surely,
 * and whether it got worse.
 */
#ifndef KV_DIFF_H
#define KV_DIFF_H

#include <stdio.h>
#include "document.h"
#include "infer.h"

#define KV_DIFF_NAME	80
#define KV_TOLERANCE	2.0	/* percent, when none is given */
#define KV_RERUN_TOLERANCE 5.0	/* of a rerun, likewise */

enum kv_change {
	KV_CHANGE_NONE,		/* same within the tolerance */
	KV_CHANGE_BETTER,
	KV_CHANGE_WORSE,	/* surely, and by more than the tolerance */
	KV_CHANGE_UNDECIDED,
	KV_CHANGE_TOO_FEW,	/* values, to say anything */
	KV_CHANGES,
};

/**
 * struct kv_diff_row - a value on both sides
 * @name: job
 * @side: engine
 * @key: of the value, with its unit
 * @rate: the more the better
 * @primary: one of those that the exit status comes from
 * @value: by side of the diff
 * @n: entries of each
 * @median: of each
 * @exact: no inference: instructions, the same in all values of a side, or @single
 * @infer: shift from A to B, p adjusted for primary ones
 */
struct kv_diff_row {
	char name[KV_DIFF_NAME];
	char side[16];
	char key[48];
	bool rate;
	bool primary;
	double *value[2];
	u32 n[2];
	double median[2];
	bool exact;
	struct kv_infer infer;
	enum kv_change change;
};

/**
 * struct kv_diff - a diff
 * @tolerance: in percent of A
 * @across: fields that may differ, words with commas; or NULL
 * @single: A is one run: its figure is held to the tolerance, without an interval
 * @name: what A and B are called
 */
struct kv_diff {
	double tolerance;
	const char *across;
	bool single;
	const char *name[2];
	struct kv_doc *const *doc[2];
	u32 ndocs[2];
	u32 nrows;
	u32 room;
	struct kv_diff_row *row;
};

int kv_diff_make(struct kv_diff *diff, struct kv_error *error);
void kv_diff_free(struct kv_diff *diff);
int kv_diff_status(const struct kv_diff *diff, struct kv_error *error);
const char *kv_change_name(enum kv_change change);
json_t *kv_json_diff(const struct kv_diff *diff);
void kv_diff_print(FILE *file, const struct kv_diff *diff);

/* like.c */
bool kv_diff_may_differ(const struct kv_diff *diff, const char *field);
int kv_diff_like(const struct kv_diff *diff, struct kv_error *error);

/* bisect.c */
bool kv_bisecting(int argc, char **argv);
int kv_bisect_status(int argc, char **argv, int status);

#endif /* KV_DIFF_H */
