/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A document: what run, a series or compare says in JSON, checked and as a struct.
 * All other outputs are made from it, be it fresh or read from a file.
 */
#ifndef KV_DOCUMENT_H
#define KV_DOCUMENT_H

#include <stdbool.h>
#include <jansson.h>
#include "sparse.h"
#include "summary.h"

/* one schema a kind, with its version; docs/schema has them */
#define KV_RUN_SCHEMA		"kverbs-run/1"
#define KV_SERIES_SCHEMA	"kverbs-series/1"
#define KV_COMPARE_SCHEMA	"kverbs-compare/2"

enum kv_doc_kind {
	KV_DOC_RUN,
	KV_DOC_SERIES,
	KV_DOC_COMPARE,
};

enum {
	KV_DOC_KERNEL,
	KV_DOC_USER,
	KV_DOC_SIDES,
};

extern const char *const kv_doc_sides[KV_DOC_SIDES];	/* "kernel", "user" */

/**
 * struct kv_doc_job - a job as a document has it
 * @asked: all of its fields, as they were asked for
 * @granted: as they were run
 */
struct kv_doc_job {
	const char *op;
	u64 size;
	const char *shape;
	json_t *asked;
	json_t *granted;
};

/**
 * struct kv_doc_run - a run
 * @metric: of @summary the members that a document has; rates and times NaN when unknown
 * @hist: by enum kverbs_metric, over the initiators, or over the responders where only
 *	they have it; empty without histograms
 */
struct kv_doc_run {
	struct kv_doc_job job;
	const char *engine;
	const char *state;
	const char *reason;
	u32 unit;
	struct kv_summary summary;
	struct kv_sparse hist[__KVERBS_METRIC_MAX];
};

/**
 * struct kv_doc_point - a point of a series; a plain run is the only point
 * @values: fields that differ between points, NULL of a plain run
 * @outcome: "measured", or why not
 * @error: what went wrong, or empty
 * @measured: @run is there
 */
struct kv_doc_point {
	json_t *values;
	const char *outcome;
	const char *error;
	bool measured;
	struct kv_doc_run run;
};

struct kv_doc_interval {
	double estimate;
	double low;
	double high;
};

/**
 * struct kv_doc_value - a value of an arm of a comparison
 * @key: without its unit
 * @rate: the more the better
 * @median: by side
 * @block: by side; of each block, NaN where it was not measured
 * @nblocks: entries of each
 * @verdict: or empty
 */
struct kv_doc_value {
	const char *key;
	bool rate;
	double median[KV_DOC_SIDES];
	double *block[KV_DOC_SIDES];
	u32 nblocks;
	struct kv_doc_interval difference;
	struct kv_doc_interval ratio;
	const char *verdict;
	bool primary;
	double margin;
};

/* a part of an operation, in means */
struct kv_doc_part {
	const char *name;
	double mean[KV_DOC_SIDES];
};

#define KV_DOC_PARTS	4
#define KV_DOC_ARMS_MAX	256

/**
 * struct kv_doc_arm - an arm of a comparison
 * @as: "matched" or "native"
 * @untimed: the arm without time stamps
 * @absent: by side, why it has no figures, or empty
 * @nparts: entries of @part, where the time of an operation goes; 0: not known
 */
struct kv_doc_arm {
	struct kv_doc_job job;
	const char *as;
	bool untimed;
	const char *absent[KV_DOC_SIDES];
	u32 nvalues;
	struct kv_doc_value *value;
	u32 nparts;
	struct kv_doc_part part[KV_DOC_PARTS];
	struct kv_sparse hist[KV_DOC_SIDES][__KVERBS_METRIC_MAX];
};

/**
 * struct kv_doc - a document
 * @name: file it came from, for messages
 * @json: all of it, owned
 * @unit: enum kv_unit, of all its figures
 * @device: and what follows, of the environment
 * @command: words of the command that made it, NULL when it does not say
 * @with: the job beside those that were measured, NULL: none
 * @point: of a run or a series
 * @arm: of a comparison
 */
struct kv_doc {
	char name[256];
	json_t *json;
	enum kv_doc_kind kind;
	u32 unit;
	json_t *environment;
	const char *device;
	const char *driver;
	const char *kernel;
	const char *cpu;
	bool software;
	json_t *command;
	json_t *with;
	bool interrupted;
	u32 npoints;
	struct kv_doc_point *point;
	u32 narms;
	struct kv_doc_arm *arm;
};

char *kv_document_text(const char *path, size_t *size, struct kv_error *error);
json_t *kv_document_json(const char *path, struct kv_error *error);
struct kv_doc *kv_doc_of(json_t *json, const char *name, struct kv_error *error);
struct kv_doc *kv_doc_load(const char *path, struct kv_error *error);
#define KV_DOC_TEXT	24	/* room for a number */

const char *kv_doc_text(const json_t *value, char text[KV_DOC_TEXT]);
u32 kv_doc_arm_nth(const struct kv_doc *doc, u32 i);
u32 kv_doc_run_metric(const struct kv_doc_run *run);
u32 kv_doc_main_metric(const struct kv_doc *doc, const struct kv_sparse *hist);
void kv_doc_free(struct kv_doc *doc);

/* load.c and load_compare.c */
struct kv_reader;
int kv_load_clock(const struct kv_reader *reader, const char *key, struct kv_clock_info *clock);
int kv_load_job(const struct kv_reader *reader, const char *asked, const char *granted,
		struct kv_doc_job *job);
int kv_load_arms(const struct kv_reader *reader, struct kv_doc *doc);
void kv_free_arms(struct kv_doc *doc);

#endif /* KV_DOCUMENT_H */
