// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "device.h"
#include "kverbs.h"
#include "options.h"
#include "unit.h"

enum kind {
	KIND_FIELD,	/* a number of the job's */
	KIND_SECONDS,	/* a field in ms that is given in seconds */
	KIND_NAME,	/* an enumeration of the job's */
	KIND_SIZE,
	KIND_OP,
	KIND_CPU,
	KIND_DEVICE,
	KIND_ENGINE,
	KIND_ROUNDS,
	KIND_UNIT,
	KIND_JSON,
	KIND_HELP,
};

typedef const char *(*name_fn)(u32 value);

/**
 * struct row - an option
 * @attr: enum kverbs_job_attr of its field, or 0
 * @offset: of its field in struct kv_job
 * @bytes: of its field
 */
struct row {
	char letter;
	const char *name;
	const char *argument;
	const char *what;
	u32 commands;
	enum kind kind;
	u32 attr;
	size_t offset;
	size_t bytes;
	u64 low;
	u64 high;
};

#define FIELD_ROW(attribute, member, type, lo, hi, def, let, long_name, unit, text)	\
	{										\
		.letter = (let), .name = (long_name), .argument = (unit),		\
		.what = (text), .commands = KV_FOR_RUN | KV_FOR_COMPARE,		\
		.kind = KIND_FIELD, .attr = KVERBS_JOB_A_##attribute,			\
		.offset = offsetof(struct kv_job, member), .bytes = sizeof(type),	\
		.low = (lo), .high = (hi),						\
	},

#define OWN_ROW(let, long_name, value, text, where, how)				\
	{										\
		.letter = (let), .name = (long_name), .argument = (value),		\
		.what = (text), .commands = (where), .kind = (how),			\
	},

static const struct row rows[] = {
	OWN_ROW('d', "device", "NAME", "RDMA device; not needed when there is one only",
		KV_FOR_RUN | KV_FOR_COMPARE, KIND_DEVICE)
	OWN_ROW(0, "engine", "NAME", "kernel (default) or user", KV_FOR_RUN, KIND_ENGINE)
	OWN_ROW(0, "op", "NAME",
		"write (default of run), read, send, send-imm, write-imm, cas or fadd",
		KV_FOR_RUN | KV_FOR_COMPARE, KIND_OP)
	OWN_ROW('s', "size", "BYTES", "message size, k and M allowed (default of run: 64)",
		KV_FOR_RUN | KV_FOR_COMPARE, KIND_SIZE)
	OWN_ROW(0, "cpu", "LIST", "CPUs of the lanes in order, such as 2,4-5",
		KV_FOR_RUN | KV_FOR_COMPARE, KIND_CPU)
	KV_JOB_FIELDS(FIELD_ROW)
	OWN_ROW(0, "rounds", "N", "rounds of all measurements (default: what fits, 3 or more)",
		KV_FOR_COMPARE, KIND_ROUNDS)
	OWN_ROW(0, "clock-unit", "NAME", "what a tick of the clock counts: ns (default) or insn",
		KV_FOR_RUN | KV_FOR_COMPARE, KIND_UNIT)
	OWN_ROW(0, "json", NULL, "JSON instead of text", KV_FOR_RUN | KV_FOR_COMPARE, KIND_JSON)
	OWN_ROW('h', "help", NULL, "this text", KV_FOR_RUN | KV_FOR_COMPARE, KIND_HELP)
};

/* the fields that are given by name */
static const struct {
	u32 attr;
	name_fn name;
} named[] = {
	{ KVERBS_JOB_A_SHAPE, kv_shape_name },
	{ KVERBS_JOB_A_TIMING, kv_timing_name },
	{ KVERBS_JOB_A_CLOCK, kv_clock_kind_name },
	{ KVERBS_JOB_A_WAIT, kv_wait_name },
	{ KVERBS_JOB_A_LOCAL_KEY, kv_local_key_name },
	{ KVERBS_JOB_A_TRANSPORT, kv_transport_name },
	{ KVERBS_JOB_A_GID_TYPE, kv_gid_kind_name },
};

static name_fn names_of(const struct row *row)
{
	u32 i;

	for (i = 0; row->kind == KIND_FIELD && i < KV_ARRAY_SIZE(named); i++) {
		if (named[i].attr == row->attr)
			return named[i].name;
	}
	return NULL;
}

static enum kind kind_of(const struct row *row)
{
	if (names_of(row))
		return KIND_NAME;
	return row->attr == KVERBS_JOB_A_DURATION_MS ? KIND_SECONDS : row->kind;
}

static void set_field(struct kv_options *options, const struct row *row, u64 value)
{
	void *field = (u8 *)&options->job + row->offset;
	u32 narrow = (u32)value;

	memcpy(field, row->bytes == sizeof(u64) ? (void *)&value : (void *)&narrow, row->bytes);
	options->given[row->attr] = true;
}

/* a whole decimal number with nothing after it but what @end takes */
static int parse_number(const char *text, u64 *value, char **end)
{
	if (!isdigit((unsigned char)*text))
		return -1;
	errno = 0;
	*value = strtoull(text, end, 10);
	return errno ? -1 : 0;
}

static int parse_field(struct kv_options *options, const struct row *row, const char *text,
		       struct kv_error *error)
{
	char *end;
	u64 value;

	if (parse_number(text, &value, &end) || *end)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "%s '%s': not a number; %s is %llu to %llu%s%s",
				    row->name, text, row->name, row->low, row->high,
				    *row->argument ? " " : "", row->argument);
	if (value < row->low || value > row->high)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "%s %s: out of range; it is %llu to %llu%s%s",
				    row->name, text, row->low, row->high,
				    *row->argument ? " " : "", row->argument);
	set_field(options, row, value);
	return 0;
}

static int parse_seconds(struct kv_options *options, const struct row *row, const char *text,
			 struct kv_error *error)
{
	double seconds = -1, ms;
	char *end = NULL;

	if (isdigit((unsigned char)*text) || *text == '.')
		seconds = strtod(text, &end);
	if (!end || *end || strpbrk(text, "xXpP"))
		return kv_error_set(error, KV_EXIT_USAGE,
				    "%s '%s': not a number of seconds, such as 2 or 0.5", row->name,
				    text);
	ms = seconds * 1000 + 0.5;
	if (!(ms >= (double)row->low && ms < (double)row->high + 1))
		return kv_error_set(error, KV_EXIT_USAGE,
				    "%s %s: out of range; it is %.3f to %.0f seconds", row->name,
				    text, (double)row->low / 1000, (double)row->high / 1000);
	set_field(options, row, (u64)ms);
	return 0;
}

/* what is asked for by its name in the field, and why there is none */
static const struct {
	const char *option;
	const char *value;
	const char *why;
} absent[] = {
	{
		"op", "send-inv",
		"invalidates an MR that has to be registered again before each message; there are no jobs for that yet"
	},
	{
		"op", "read-inv",
		"is of iWARP, whose QPs need rdma_cm; there are no jobs for that yet"
	},
	{
		"op", "flush",
		"is not in this kernel's verbs (Linux 6.3), nor in libibverbs' ibv_post_send"
	},
	{
		"op", "atomic-write",
		"is not in this kernel's verbs (Linux 6.3), nor in libibverbs' ibv_post_send"
	},
	{
		"op", "reg-mr",
		"is done once, at set-up; there are no jobs that measure it yet"
	},
	{
		"op", "local-inv",
		"needs an MR that is registered again; there are no jobs for that yet"
	},
	{
		"op", "null",
		"posts nothing, and so has nothing to complete; see the null device of the tests"
	},
	{
		"transport", "xrc",
		"is of many processes that share receive queues; kverbs has no jobs for it"
	},
	{
		"transport", "dc",
		"is not among the kernel's verbs; kverbs has no jobs for it"
	},
	{
		"local-key", "dmabuf",
		"is memory of another device; kverbs has no jobs for it"
	},
	{
		"local-key", "integrity",
		"signs and checks blocks (T10-DIF); kverbs has no jobs for it"
	},
};

static int refuse_absent(const char *option, const char *text, struct kv_error *error)
{
	u32 i;

	for (i = 0; i < KV_ARRAY_SIZE(absent); i++) {
		if (strcmp(absent[i].option, option) || strcmp(absent[i].value, text))
			continue;
		return kv_error_set(error, KV_EXIT_USAGE, "%s %s: %s", option, text,
				    absent[i].why);
	}
	return 0;
}

static int parse_name(struct kv_options *options, const struct row *row, const char *text,
		      struct kv_error *error)
{
	name_fn name = names_of(row);
	u64 i;

	if (refuse_absent(row->name, text, error))
		return -1;
	for (i = row->low; i <= row->high; i++) {
		if (strcmp(name((u32)i), text))
			continue;
		set_field(options, row, i);
		return 0;
	}
	return kv_error_set(error, KV_EXIT_USAGE, "%s '%s': not known; it is %s", row->name, text,
			    row->what);
}

static int parse_size(struct kv_options *options, const char *text, struct kv_error *error)
{
	char *end;
	u64 value;
	u32 shift = 0;

	if (parse_number(text, &value, &end))
		goto bad;
	if (*end == 'k' || *end == 'K')
		shift = 10;
	else if (*end == 'm' || *end == 'M')
		shift = 20;
	if (end[shift ? 1 : 0])
		goto bad;
	if (value > (KV_SIZE_MAX >> shift))
		return kv_error_set(error, KV_EXIT_USAGE,
				    "size %s: out of range; it is 0 to %u bytes", text,
				    KV_SIZE_MAX);
	options->job.step[0].size = (u32)(value << shift);
	options->given_size = true;
	return 0;
bad:
	return kv_error_set(error, KV_EXIT_USAGE,
			    "size '%s': not a size; give bytes, or k or M, such as 64 or 64k",
			    text);
}

static int parse_op(struct kv_options *options, const char *text, struct kv_error *error)
{
	u32 op;

	if (refuse_absent("op", text, error))
		return -1;
	for (op = 0; op < KV_OPS; op++) {
		if (strcmp(kv_op_name(op), text))
			continue;
		options->job.step[0].op = op;
		options->given_op = true;
		return 0;
	}
	return kv_error_set(error, KV_EXIT_USAGE, "op '%s': not known; it is %s", text,
			    kv_op_list());
}

static int parse_cpu(struct kv_options *options, const char *text, struct kv_error *error)
{
	int n = kv_cpu_list_parse(text, options->job.cpu, KVERBS_CPUS_MAX);

	if (n < 0)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "cpu '%s': not a list of up to %u CPUs, such as 0 or 2,4-5",
				    text, KVERBS_CPUS_MAX);
	options->job.ncpus = (u32)n;
	return 0;
}

static int parse_engine(struct kv_options *options, const char *text, struct kv_error *error)
{
	if (!strcmp(text, kv_engine_kernel.name))
		options->engine = &kv_engine_kernel;
	else if (!strcmp(text, kv_engine_user.name))
		options->engine = &kv_engine_user;
	else
		return kv_error_set(error, KV_EXIT_USAGE,
				    "engine '%s': not known; it is kernel or user", text);
	return 0;
}

static int parse_rounds(struct kv_options *options, const char *text, struct kv_error *error)
{
	char *end;
	u64 value;

	if (parse_number(text, &value, &end) || *end || !value || value > 1000)
		return kv_error_set(error, KV_EXIT_USAGE, "rounds '%s': it is 1 to 1000", text);
	options->rounds = (u32)value;
	return 0;
}

/* @from: who says so */
static int parse_unit(struct kv_options *options, const char *from, const char *text,
		      struct kv_error *error)
{
	u32 unit;

	for (unit = 0; unit < KV_UNITS; unit++) {
		if (strcmp(kv_unit_name(unit), text))
			continue;
		options->unit = unit;
		return 0;
	}
	return kv_error_set(error, KV_EXIT_USAGE, "%s '%s': not known; it is ns or insn", from,
			    text);
}

static int take(struct kv_options *options, const struct row *row, const char *text,
		struct kv_error *error)
{
	switch (kind_of(row)) {
	case KIND_FIELD:
		return parse_field(options, row, text, error);
	case KIND_SECONDS:
		return parse_seconds(options, row, text, error);
	case KIND_NAME:
		return parse_name(options, row, text, error);
	case KIND_SIZE:
		return parse_size(options, text, error);
	case KIND_OP:
		return parse_op(options, text, error);
	case KIND_CPU:
		return parse_cpu(options, text, error);
	case KIND_ENGINE:
		return parse_engine(options, text, error);
	case KIND_ROUNDS:
		return parse_rounds(options, text, error);
	case KIND_UNIT:
		return parse_unit(options, row->name, text, error);
	case KIND_DEVICE:
		options->device = text;
		return 0;
	case KIND_JSON:
		options->json = true;
		return 0;
	case KIND_HELP:
		options->help = true;
		return 0;
	}
	return 0;
}

/* "-x", "-x3", "--name", "--name=3": the row, and the value when it is attached */
static const struct row *find(const char *word, u32 command, const char **value)
{
	size_t len = strcspn(word, "=");
	const struct row *row;

	for (row = rows; row < rows + KV_ARRAY_SIZE(rows); row++) {
		if (!(row->commands & command))
			continue;
		*value = NULL;
		if (word[1] == '-') {
			if (strlen(row->name) != len - 2 || strncmp(row->name, word + 2, len - 2))
				continue;
			if (word[len])
				*value = word + len + 1;
			return row;
		}
		if (!row->letter || row->letter != word[1])
			continue;
		if (word[2])
			*value = word + 2;
		return row;
	}
	return NULL;
}

/**
 * kv_options_parse - read a command line
 * @argc: words
 * @argv: words; the first is the subcommand's name
 * @command: KV_FOR_*
 * @options: filled
 * @error: filled on failure
 * Return: 0, or -1
 */
int kv_options_parse(int argc, char **argv, u32 command, struct kv_options *options,
		     struct kv_error *error)
{
	static const struct kv_job defaults = KV_JOB_INIT;
	const char *value = getenv(KV_UNIT_ENV);
	const struct row *row;
	int i;

	memset(options, 0, sizeof(*options));
	options->job = defaults;
	options->engine = &kv_engine_kernel;
	if (value && parse_unit(options, KV_UNIT_ENV, value, error))
		return -1;
	for (i = 1; i < argc; i++) {
		if (argv[i][0] != '-' || !argv[i][1])
			return kv_error_set(error, KV_EXIT_USAGE,
					    "'%s': not expected here; see 'kverbs %s --help'",
					    argv[i], argv[0]);
		row = find(argv[i], command, &value);
		if (!row)
			return kv_error_set(error, KV_EXIT_USAGE,
					    "option '%s': not known; see 'kverbs %s --help'",
					    argv[i], argv[0]);
		if (!row->argument && value)
			return kv_error_set(error, KV_EXIT_USAGE,
					    "option '%s': takes no value", argv[i]);
		if (row->argument && !value) {
			if (++i == argc)
				return kv_error_set(error, KV_EXIT_USAGE,
						    "option '%s': its value is missing",
						    argv[i - 1]);
			value = argv[i];
		}
		if (take(options, row, value, error))
			return -1;
	}
	/* an operation that has one size need not be told it */
	if (!options->given_size && kv_op_rules[options->job.step[0].op].bytes)
		options->job.step[0].size = kv_op_rules[options->job.step[0].op].bytes;
	/* more readings change nothing in what is counted between two of them */
	if (options->unit == KV_UNIT_INSN && !options->given[KVERBS_JOB_A_TIMING])
		options->job.timing = KVERBS_TIMING_ALL;
	kv_options_count(options, &options->job);
	return 0;
}

/**
 * kv_options_count - how long to count instructions, when that was not said
 * @options: what was asked for
 * @job: filled
 *
 * They repeat, so some posts do; a second of them would keep an emulator busy
 * for minutes.
 */
void kv_options_count(const struct kv_options *options, struct kv_job *job)
{
	if (options->unit != KV_UNIT_INSN || options->given[KVERBS_JOB_A_ITERATIONS] ||
	    options->given[KVERBS_JOB_A_DURATION_MS])
		return;
	job->iterations = KV_INSN_POSTS;
	if (job->chain != KV_AUTO)
		job->iterations *= job->chain;
}

/* what stands for the value of an option */
static const char *placeholder(const struct row *row)
{
	if (!row->argument)
		return "";
	switch (kind_of(row)) {
	case KIND_SECONDS:
		return "SECONDS";
	case KIND_NAME:
		return "NAME";
	case KIND_FIELD:
		return strcmp(row->argument, "ms") ? "N" : "MS";
	default:
		return row->argument;
	}
}

/**
 * kv_options_help - print the options of a subcommand
 * @file: where to
 * @command_name: name of the subcommand
 * @command: KV_FOR_*
 * @summary: what it does
 */
void kv_options_help(FILE *file, const char *command_name, u32 command, const char *summary)
{
	const struct row *row;
	char left[64], letter[8];

	fprintf(file, "usage: kverbs %s [options]\n%s\n\n", command_name, summary);
	for (row = rows; row < rows + KV_ARRAY_SIZE(rows); row++) {
		if (!(row->commands & command))
			continue;
		letter[0] = '\0';
		if (row->letter)
			snprintf(letter, sizeof(letter), "-%c, ", row->letter);
		snprintf(left, sizeof(left), "%4s--%s %s", letter, row->name, placeholder(row));
		fprintf(file, "  %-26s %s\n", left, row->what);
	}
	fprintf(file,
		"\nThe run ends after -n operations a pair or -D seconds, not both (default: %.0f s; of\n"
		"instructions: %u posts).\n",
		KV_DURATION_MS / 1000.0, KV_INSN_POSTS);
}
