/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The command line of the subcommands that run jobs. One table of options,
 * most of its rows made from those of the job, serves parsing and help.
 */
#ifndef KV_OPTIONS_H
#define KV_OPTIONS_H

#include <stdbool.h>
#include <jansson.h>
#include "axis.h"
#include "format.h"
#include "presets.h"
#include "threshold.h"

#define KV_WORDS_MAX	256
#define KV_JOB_FILE_WORDS	64

#define KV_FILES_MAX	64

/* subcommands that an option belongs to */
enum {
	KV_FOR_RUN = 1 << 0,
	KV_FOR_COMPARE = 1 << 1,
	KV_FOR_PRESETS = 1 << 2,
	KV_FOR_REPORT = 1 << 3,
	KV_FOR_DIFF = 1 << 4,
	KV_FOR_RERUN = 1 << 5,
	KV_FOR_TRACE = 1 << 6,
	KV_FOR_RECORD = 1 << 7,
	KV_FOR_BESIDE = 1 << 8,		/* the text of --with */
};

/* which functions below the driver's are traced */
enum kv_callees {
	KV_CALLEES_ALL,
	KV_CALLEES_DRIVER,	/* those of its module */
	KV_CALLEES_NONE,
	KV_CALLEES,
};

/* how alike the two sides are made */
enum kv_as {
	KV_AS_MATCHED,	/* all that can be is equal */
	KV_AS_NATIVE,	/* each side with what it usually takes */
	KV_AS_BOTH,	/* the one beside the other */
	KV_AS_ALL,
};

/* what a comparison is held to */
enum kv_expect {
	KV_EXPECT_NOTHING,
	KV_EXPECT_SAME,
	KV_EXPECT_DIFFERENT,
	KV_EXPECTS,
};

#define KV_GID_BYTES	16
#define KV_GID_TEXT	64

/**
 * struct kv_with - the job beside the measured one
 * @given: there is one
 * @engine: that runs it
 * @gid: as in struct kv_options, or empty
 */
struct kv_with {
	bool given;
	struct kv_job job;
	const struct kv_engine *engine;
	char gid[KV_GID_TEXT];
	u8 gid_bytes[KV_GID_BYTES];
};

/**
 * struct kv_options - what was asked for
 * @job: defaults, and what was given
 * @given: by enum kverbs_job_attr: the field was given
 * @given_op: --op was given
 * @given_size: -s was given
 * @size: by it
 * @preset: --preset, or NULL
 * @of_preset: by enum kverbs_job_attr: the field was given by the preset alone
 * @size_of_preset: likewise the size
 * @reading_preset: its options are being read
 * @axis: fields that take several values
 * @naxes: entries of @axis, 0: one run
 * @thresholds: --max-*, --min-*
 * @device: -d, or NULL
 * @gid: -x, when it is an address, else NULL
 * @gid_bytes: that address
 * @engine: --engine
 * @with: --with
 * @rounds: --rounds, 0: chosen
 * @seconds: --time, 0: chosen
 * @seed: --seed
 * @given_seed: it was given
 * @margin: --margin, a share of the user engine's value
 * @as: --as, enum kv_as
 * @expect: --expect, enum kv_expect
 * @prove: --prove
 * @unlike: --unlike: also what user space has nothing like, or no exact counterpart of
 * @both: --engine both
 * @callees: --callees, enum kv_callees
 * @buffer_kb: --buffer, 0: chosen
 * @slow_ns: --threshold of kverbs trace, 0: none
 * @interval_ms: --interval, 0: none
 * @unit: --clock-unit, enum kv_unit
 * @given_unit: not of the environment
 * @format: --json, --csv, --hgrm, --format: enum kv_format
 * @json: it is not text: what is measured goes into one document
 * @output: --output, or NULL
 * @keep: takes the document instead of any output, or NULL
 * @plot: --plot
 * @png: --png, or NULL
 * @file: arguments that are no options
 * @nfiles: entries of @file
 * @split: of them before "--"; 0: no such word
 * @tolerance: --tolerance, percent
 * @across: --across, or NULL
 * @word: of the command line, those that are of the job, not of the output
 * @nwords: entries of @word
 * @qpn: --qpn, 0: the most active QP
 * @child: words after "--", NULL ends; NULL: none
 * @help: --help
 */
struct kv_options {
	struct kv_job job;
	bool given[__KVERBS_JOB_A_MAX];
	bool given_op;
	bool given_size;
	u32 size;
	const struct kv_preset *preset;
	bool of_preset[__KVERBS_JOB_A_MAX];
	bool size_of_preset;
	bool reading_preset;
	struct kv_axis axis[KV_AXES_MAX];
	u32 naxes;
	struct kv_thresholds thresholds;
	const char *device;
	const char *gid;
	u8 gid_bytes[KV_GID_BYTES];
	const struct kv_engine *engine;
	struct kv_with with;
	u32 rounds;
	double seconds;
	u64 seed;
	bool given_seed;
	double margin;
	u32 as;
	u32 expect;
	bool prove;
	bool unlike;
	bool both;
	u32 callees;
	u32 buffer_kb;
	double slow_ns;
	u32 interval_ms;
	u32 unit;
	bool given_unit;
	u32 format;
	bool json;
	const char *output;
	json_t **keep;
	bool plot;
	const char *png;
	const char *file[KV_FILES_MAX];
	u32 nfiles;
	u32 split;
	double tolerance;
	const char *across;
	const char *word[KV_WORDS_MAX];
	u32 nwords;
	u32 qpn;
	char **child;
	bool help;
};

/* gid.c */
int kv_gid_parse(const char *text, u8 gid[KV_GID_BYTES]);
int kv_gid_settle(struct kv_options *options, const char *device, struct kv_error *error);

/* job_file.c: a file of kverbs record as options, and its intervals */
int kv_job_file_read(const char *path, char *words[KV_JOB_FILE_WORDS], int *n,
		     struct kv_error *error);
int kv_job_file_check(json_t *job, struct kv_error *error);
int kv_job_file_intervals(const char *path, struct kv_job *job, struct kv_error *error);

/* options.c */
bool kv_options_is_field(const char *name);
int kv_options_parse(int argc, char **argv, u32 command, struct kv_options *options,
		     struct kv_error *error);
json_t *kv_options_command(const struct kv_options *options, const char *command,
			   const char *device);
void kv_options_count(const struct kv_options *options, struct kv_job *job);
void kv_options_help(FILE *file, const char *command_name, u32 command, const char *summary);

#endif /* KV_OPTIONS_H */
