/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The command line of the subcommands that run jobs. One table of options,
 * most of its rows made from those of the job, serves parsing and help.
 */
#ifndef KV_OPTIONS_H
#define KV_OPTIONS_H

#include <stdbool.h>
#include "engine.h"

/* subcommands that an option belongs to */
enum {
	KV_FOR_RUN = 1 << 0,
	KV_FOR_COMPARE = 1 << 1,
};

/**
 * struct kv_options - what was asked for
 * @job: defaults, and what was given
 * @given: by enum kverbs_job_attr: the field was given
 * @given_op: --op was given
 * @given_size: -s was given
 * @device: -d, or NULL
 * @engine: --engine
 * @rounds: --rounds, 0: chosen
 * @unit: --clock-unit, enum kv_unit
 * @json: --json
 * @help: --help
 */
struct kv_options {
	struct kv_job job;
	bool given[__KVERBS_JOB_A_MAX];
	bool given_op;
	bool given_size;
	const char *device;
	const struct kv_engine *engine;
	u32 rounds;
	u32 unit;
	bool json;
	bool help;
};

int kv_options_parse(int argc, char **argv, u32 command, struct kv_options *options,
		     struct kv_error *error);
void kv_options_count(const struct kv_options *options, struct kv_job *job);
void kv_options_help(FILE *file, const char *command_name, u32 command, const char *summary);

#endif /* KV_OPTIONS_H */
