// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "device.h"
#include "diff.h"
#include "kverbs.h"
#include "options.h"
#include "trial.h"
#include "unit.h"

#define ALL_FROM	2	/* sizes of -a, as perftest's */
#define ALL_TO		(8U << 20)
#define INTERVAL_LOW	100	/* ms */
#define INTERVAL_HIGH	3600000
#define PRESET_WORDS	32
#define PACE_FILE	"trace:"
#define QPN_HIGH	16777215
#define TIME_LOW	1000	/* ms */
#define TIME_HIGH	86400000
#define SEED_HIGH	9007199254740991ULL	/* what JSON readers keep exactly */

enum kind {
	KIND_FIELD,	/* a number of the job's */
	KIND_SECONDS,	/* a field in ms that is given in seconds */
	KIND_NAME,	/* an enumeration of the job's */
	KIND_SIZE,
	KIND_ALL,
	KIND_SWEEP,
	KIND_THRESHOLD,
	KIND_OP,
	KIND_PRESET,
	KIND_CPU,
	KIND_DEVICE,
	KIND_ENGINE,
	KIND_WITH,
	KIND_ROUNDS,
	KIND_TIME,
	KIND_SEED,
	KIND_MARGIN,
	KIND_AS,
	KIND_EXPECT,
	KIND_PROVE,
	KIND_UNLIKE,
	KIND_INTERVAL,
	KIND_UNIT,
	KIND_FORMAT,		/* one of them, by attr */
	KIND_FORMAT_NAME,
	KIND_OUTPUT,
	KIND_PLOT,
	KIND_PNG,
	KIND_TOLERANCE,
	KIND_ACROSS,
	KIND_BISECT,
	KIND_ENGINES,
	KIND_CALLEES,
	KIND_BUFFER,
	KIND_SLOW,
	KIND_JOB,
	KIND_QPN,
	KIND_HELP,
};

#define KV_FOR_MEASURED	(KV_FOR_RUN | KV_FOR_COMPARE | KV_FOR_TRACE)
#define KV_FOR_JOBS	(KV_FOR_MEASURED | KV_FOR_BESIDE) /* take the fields of a job */
#define WITH_WORDS	64
#define BUFFER_MAX_KB	(1 << 20)
#define KV_FOR_ALL	(KV_FOR_RUN | KV_FOR_COMPARE | KV_FOR_PRESETS)
#define KV_FOR_FILES	(KV_FOR_REPORT | KV_FOR_DIFF | KV_FOR_RERUN) /* take files as arguments */
#define KV_FOR_FORMS	(KV_FOR_RUN | KV_FOR_COMPARE | KV_FOR_REPORT)

/**
 * struct row - an option
 * @attr: enum kverbs_job_attr of its field, or 0; of a threshold, enum kv_threshold;
 *	of a format, enum kv_format
 * @key: of its field in JSON
 */
struct row {
	char letter;
	const char *name;
	const char *argument;
	const char *what;
	u32 commands;
	enum kind kind;
	u32 attr;
	const char *key;
	u64 low;
	u64 high;
};

#define FIELD_ROW(attribute, member, type, lo, hi, def, let, long_name, unit, text)	\
	{										\
		.letter = (let), .name = (long_name), .argument = (unit),		\
		.what = (text), .commands = KV_FOR_JOBS,				\
		.kind = KIND_FIELD, .attr = KVERBS_JOB_A_##attribute,			\
		.key = #member,								\
		.low = (lo), .high = (hi),						\
	},

#define OWN_ROW(let, long_name, value, text, where, how)				\
	{										\
		.letter = (let), .name = (long_name), .argument = (value),		\
		.what = (text), .commands = (where), .kind = (how),			\
	},

#define THRESHOLD_ROW(long_name, value, text, which)					\
	{										\
		.name = (long_name), .argument = (value), .what = (text),		\
		.commands = KV_FOR_RUN, .kind = KIND_THRESHOLD, .attr = (which),	\
	},

#define FORMAT_ROW(long_name, text, where, which)					\
	{										\
		.name = (long_name), .what = (text), .commands = (where),		\
		.kind = KIND_FORMAT, .attr = (which),					\
	},

static const struct row rows[] = {
	OWN_ROW('d', "device", "NAME", "RDMA device; not needed when there is one only",
		KV_FOR_MEASURED, KIND_DEVICE)
	OWN_ROW('d', "device", "NAME", "another device than that of the file", KV_FOR_RERUN,
		KIND_DEVICE)
	OWN_ROW(0, "engine", "NAME", "kernel (default) or user",
		KV_FOR_RUN | KV_FOR_BESIDE, KIND_ENGINE)
	OWN_ROW(0, "with", "JOB",
		"a job beside the measured one, as options: '--op read --shape rate -s 64k'",
		KV_FOR_RUN | KV_FOR_COMPARE, KIND_WITH)
	OWN_ROW(0, "engine", "NAME", "kernel (default), user or both", KV_FOR_TRACE, KIND_ENGINES)
	OWN_ROW(0, "threshold", "TIME",
		"end at the first operation that takes longer, and show what ran around it",
		KV_FOR_TRACE, KIND_SLOW)
	OWN_ROW(0, "callees", "NAME",
		"all (default), driver or none: what is traced below the driver's function",
		KV_FOR_TRACE, KIND_CALLEES)
	OWN_ROW(0, "buffer", "KB", "of each CPU, for what is traced (default: by the memory)",
		KV_FOR_TRACE, KIND_BUFFER)
	OWN_ROW(0, "preset", "NAME", "options by the question they answer, see kverbs presets",
		KV_FOR_RUN | KV_FOR_COMPARE | KV_FOR_PRESETS, KIND_PRESET)
	OWN_ROW(0, "job", "FILE", "the job of a file that kverbs record wrote", KV_FOR_JOBS,
		KIND_JOB)
	OWN_ROW(0, "op", "NAME",
		"write (default of run), read, send, send-imm, write-imm, cas, fadd and more, or a list of steps",
		KV_FOR_JOBS, KIND_OP)
	OWN_ROW('s', "size", "BYTES", "message size (default of run: 64), or a list; 64k, 1M",
		KV_FOR_JOBS, KIND_SIZE)
	OWN_ROW('a', "all", NULL, "all sizes from 2 bytes to 8M that are powers of two", KV_FOR_RUN,
		KIND_ALL)
	OWN_ROW(0, "sweep", "FIELD=LIST", "a run for each value, such as post-list=1,2,4..64",
		KV_FOR_RUN, KIND_SWEEP)
	OWN_ROW(0, "cpu", "LIST", "CPUs of the lanes in order, such as 2,4-5",
		KV_FOR_JOBS, KIND_CPU)
	/* of trace-cmd's users the letter is the file's, and so not that of a field below */
	OWN_ROW('d', "device", "NAME", "RDMA device; not needed when there is one only",
		KV_FOR_RECORD, KIND_DEVICE)
	OWN_ROW('o', "output", "FILE", "what was recorded, and the job made of it", KV_FOR_RECORD,
		KIND_OUTPUT)
	OWN_ROW(0, "qpn", "N", "make the job of this QP (default: the most active)", KV_FOR_RECORD,
		KIND_QPN)
	OWN_ROW(0, "buffer", "KB", "of each CPU, for what is recorded (default: by the memory)",
		KV_FOR_RECORD, KIND_BUFFER)
	OWN_ROW('o', "output", "FILE", "all that was traced, for trace-cmd report and KernelShark",
		KV_FOR_TRACE, KIND_OUTPUT)
	KV_JOB_FIELDS(FIELD_ROW)
	THRESHOLD_ROW("max-p50", "TIME", "fail when the median of lat or rtt is above", KV_MAX_P50)
	THRESHOLD_ROW("max-p99", "TIME", "fail when its p99 is above", KV_MAX_P99)
	THRESHOLD_ROW("max-p99.9", "TIME", "fail when its p99.9 is above", KV_MAX_P999)
	THRESHOLD_ROW("max-mean", "TIME", "fail when its mean is above", KV_MAX_MEAN)
	THRESHOLD_ROW("min-rate", "RATE", "fail with fewer messages a second", KV_MIN_RATE)
	THRESHOLD_ROW("min-bw", "RATE", "fail below this bandwidth: 10G is bits/s, 1GB bytes/s",
		      KV_MIN_BW)
	OWN_ROW(0, "rounds", "N", "blocks of four runs of each job (default: what --margin needs)",
		KV_FOR_COMPARE, KIND_ROUNDS)
	OWN_ROW(0, "time", "SECONDS",
		"begin no block later (default: about 24 s, 8 blocks or more)",
		KV_FOR_COMPARE, KIND_TIME)
	OWN_ROW(0, "seed", "N", "of the order of the runs (default: drawn, and shown)",
		KV_FOR_COMPARE, KIND_SEED)
	OWN_ROW(0, "margin", "PERCENT", "differences up to it count as none (default: 2)",
		KV_FOR_COMPARE, KIND_MARGIN)
	OWN_ROW(0, "as", "NAME", "matched (default), native or both: how alike the sides are made",
		KV_FOR_COMPARE, KIND_AS)
	OWN_ROW(0, "prove", NULL, "first find out what a comparison on this host can tell",
		KV_FOR_COMPARE, KIND_PROVE)
	OWN_ROW(0, "expect", "NAME", "same or different: fail when a verdict is another",
		KV_FOR_COMPARE, KIND_EXPECT)
	OWN_ROW(0, "unlike", NULL,
		"also what user space has no like of: the kernel alone, or no verdict",
		KV_FOR_COMPARE, KIND_UNLIKE)
	OWN_ROW(0, "clock-unit", "NAME", "what a tick of the clock counts: ns (default) or insn",
		KV_FOR_MEASURED, KIND_UNIT)
	OWN_ROW(0, "interval", "SECONDS", "report rate, p50 and p99 while the run goes on",
		KV_FOR_RUN, KIND_INTERVAL)
	FORMAT_ROW("json", "JSON instead of text", KV_FOR_ALL | KV_FOR_TRACE, KV_FORMAT_JSON)
	FORMAT_ROW("csv", "comma-separated values instead of text", KV_FOR_FORMS, KV_FORMAT_CSV)
	FORMAT_ROW("hgrm", "percentiles as HdrHistogram writes them", KV_FOR_FORMS,
		   KV_FORMAT_HGRM)
	OWN_ROW(0, "format", "NAME", "text, json, csv, hgrm, perftest or commit",
		KV_FOR_FORMS, KIND_FORMAT_NAME)
	OWN_ROW(0, "output", "FILE", "write there instead of standard output",
		KV_FOR_RUN | KV_FOR_COMPARE, KIND_OUTPUT)
	OWN_ROW(0, "tolerance", "PERCENT", "what a value may be worse by (default: 2)", KV_FOR_DIFF,
		KIND_TOLERANCE)
	OWN_ROW(0, "tolerance", "PERCENT", "how far off a value may be (default: 5)", KV_FOR_RERUN,
		KIND_TOLERANCE)
	OWN_ROW(0, "runs", "N", "times that a run is repeated (default: 3)", KV_FOR_RERUN,
		KIND_ROUNDS)
	OWN_ROW(0, "across", "FIELDS", "fields of the job that may differ, such as chain,signal",
		KV_FOR_DIFF, KIND_ACROSS)
	OWN_ROW(0, "bisect", NULL, "exit status for git bisect run: 0 good, 1 bad, 125 neither",
		KV_FOR_DIFF | KV_FOR_RERUN, KIND_BISECT)
	OWN_ROW(0, "plot", NULL, "plots in the terminal", KV_FOR_REPORT, KIND_PLOT)
	OWN_ROW(0, "png", "PREFIX", "plots as PREFIX-NAME.png", KV_FOR_REPORT, KIND_PNG)
	FORMAT_ROW("json", "JSON instead of text", KV_FOR_DIFF, KV_FORMAT_JSON)
	OWN_ROW('o', "output", "FILE", "write there instead of standard output", KV_FOR_FILES,
		KIND_OUTPUT)
	OWN_ROW('h', "help", NULL, "this text",
		KV_FOR_ALL | KV_FOR_TRACE | KV_FOR_FILES | KV_FOR_RECORD, KIND_HELP)
};

static kv_name_fn names_of(const struct row *row)
{
	return row->kind == KIND_FIELD ? kv_field_names(row->attr) : NULL;
}

static enum kind kind_of(const struct row *row)
{
	if (names_of(row))
		return KIND_NAME;
	if (row->kind == KIND_FIELD && row->attr == KVERBS_JOB_A_DURATION_MS)
		return KIND_SECONDS;
	return row->kind;
}

/* an option takes the place of a preset's list of the same field; NULL: the size */
static void drop_preset_axis(struct kv_options *options, const struct kv_field *field)
{
	u32 i, kept = 0;

	for (i = 0; i < options->naxes; i++) {
		if (options->reading_preset || !options->axis[i].preset ||
		    options->axis[i].field != field)
			options->axis[kept++] = options->axis[i];
	}
	options->naxes = kept;
}

/* the field is as if it had never been given */
static void unset_field(struct kv_options *options, u32 attr)
{
	const struct kv_field *field;
	u32 i;

	for (i = 0; (field = kv_job_field(i)); i++) {
		if (field->attr != attr)
			continue;
		kv_field_set(&options->job, field, field->def);
		drop_preset_axis(options, field);
	}
	options->given[attr] = false;
	options->of_preset[attr] = false;
}

/* the length of a run is one field or the other: an option wins over a preset */
static void drop_preset_length(struct kv_options *options, u32 attr)
{
	u32 other = attr == KVERBS_JOB_A_ITERATIONS ? KVERBS_JOB_A_DURATION_MS :
						      KVERBS_JOB_A_ITERATIONS;

	if (attr != KVERBS_JOB_A_ITERATIONS && attr != KVERBS_JOB_A_DURATION_MS)
		return;
	if (!options->reading_preset && options->of_preset[other])
		unset_field(options, other);
}

static const struct kv_field *field_of(const struct row *row)
{
	const struct kv_field *field = NULL;
	u32 i;

	for (i = 0; row->kind == KIND_FIELD && (field = kv_job_field(i)); i++) {
		if (field->attr == row->attr)
			break;
	}
	return field;
}

static void set_field(struct kv_options *options, const struct row *row, u64 value)
{
	kv_field_set(&options->job, field_of(row), value);
	options->given[row->attr] = true;
	options->of_preset[row->attr] = options->reading_preset;
	drop_preset_axis(options, field_of(row));
	drop_preset_length(options, row->attr);
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

/* the suffix of a number of bytes, as a shift; 0: there is none */
static u32 take_suffix(char **end)
{
	static const char suffixes[] = "kKmMgG";
	const char *suffix = **end ? strchr(suffixes, **end) : NULL;

	if (!suffix)
		return 0;
	(*end)++;
	return 10 * ((u32)(suffix - suffixes) / 2 + 1);
}

static int parse_field(const struct row *row, const char *text, u64 *value,
		       struct kv_error *error)
{
	bool bytes = !strcmp(row->argument, "bytes"), number;
	u32 shift = 0;
	char *end;

	number = !parse_number(text, value, &end);
	if (number && bytes)
		shift = take_suffix(&end);
	if (!number || *end)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "%s '%s': not a number; %s is %llu to %llu%s%s%s",
				    row->name, text, row->name, row->low, row->high,
				    *row->argument ? " " : "", row->argument,
				    bytes ? "; k, M and G are allowed" : "");
	if (*value > row->high >> shift || *value << shift < row->low)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "%s %s: out of range; it is %llu to %llu%s%s",
				    row->name, text, row->low, row->high,
				    *row->argument ? " " : "", row->argument);
	*value <<= shift;
	return 0;
}

static int parse_seconds(const struct row *row, const char *text, u64 *value,
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
	*value = (u64)ms;
	return 0;
}

/* what is asked for by its name in the field, and why there is none */
static const struct {
	const char *option;
	const char *value;
	const char *why;
} absent[] = {
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
		"memory", "dmabuf",
		"is memory of another device; kverbs has no jobs for it"
	},
	{
		"reg", "integrity",
		"signs and checks blocks (T10-DIF); kverbs has no jobs for it"
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

/* "a, b or c": all that a field may be */
static void list_names(const struct row *row, char *list, size_t size)
{
	kv_name_fn name = names_of(row);
	size_t used = 0;
	u64 value;

	for (value = row->low; value <= row->high && used < size; value++)
		used += (size_t)snprintf(list + used, size - used, "%s%s",
					 value == row->low ? "" : value < row->high ? ", " : " or ",
					 name((u32)value));
}

static int parse_name(const struct row *row, const char *text, u64 *value, struct kv_error *error)
{
	kv_name_fn name = names_of(row);
	char list[384];

	if (refuse_absent(row->name, text, error))
		return -1;
	for (*value = row->low; *value <= row->high; (*value)++) {
		if (!strcmp(name((u32)*value), text))
			return 0;
	}
	list_names(row, list, sizeof(list));
	return kv_error_set(error, KV_EXIT_USAGE, "%s '%.32s': not known; it is %s", row->name,
			    text, list);
}

static int parse_size(const char *text, u64 *value, struct kv_error *error)
{
	u32 shift;
	char *end;

	if (parse_number(text, value, &end))
		goto bad;
	shift = take_suffix(&end);
	if (*end)
		goto bad;
	if (*value > (KV_SIZE_MAX >> shift))
		return kv_error_set(error, KV_EXIT_USAGE,
				    "size %s: out of range; it is 0 to %u bytes", text,
				    KV_SIZE_MAX);
	*value <<= shift;
	return 0;
bad:
	return kv_error_set(error, KV_EXIT_USAGE,
			    "size '%s': not a size; give bytes, or k or M, such as 64 or 64k",
			    text);
}

/* one value of a field of the job, or a size */
static int parse_value(const void *arg, const char *text, u64 *value, struct kv_error *error)
{
	const struct row *row = arg;

	switch (kind_of(row)) {
	case KIND_SECONDS:
		return parse_seconds(row, text, value, error);
	case KIND_NAME:
		return parse_name(row, text, value, error);
	case KIND_SIZE:
		return parse_size(text, value, error);
	default:
		return parse_field(row, text, value, error);
	}
}

static int take_field(struct kv_options *options, const struct row *row, const char *text,
		      struct kv_error *error)
{
	u64 value;

	if (row->attr == KVERBS_JOB_A_GID_INDEX) {
		options->gid = strpbrk(text, ".:") ? text : NULL;
		if (options->gid && kv_gid_parse(text, options->gid_bytes))
			return kv_error_set(error, KV_EXIT_USAGE,
					    "gid-index '%s': neither a number nor an address, such as fe80::1 or 192.0.2.1",
					    text);
		/* which entry it is depends on the device */
		if (options->gid) {
			set_field(options, row, 0);
			return 0;
		}
	}
	if (row->attr == KVERBS_JOB_A_PACE) {
		options->job.npace_ns = 0;
		if (!strncmp(text, PACE_FILE, sizeof(PACE_FILE) - 1)) {
			if (kv_job_file_intervals(text + sizeof(PACE_FILE) - 1, &options->job,
						  error))
				return -1;
			set_field(options, row, KVERBS_PACE_TRACE);
			return 0;
		}
	}
	if (parse_value(row, text, &value, error))
		return -1;
	set_field(options, row, value);
	return 0;
}

/* the next free axis; NULL with @error filled when the field has one, or all are taken */
static struct kv_axis *new_axis(struct kv_options *options, const struct row *row,
				struct kv_error *error)
{
	const struct kv_field *field = field_of(row);
	struct kv_axis *axis;
	u32 i;

	drop_preset_axis(options, field);
	if (field && options->of_preset[field->attr])
		unset_field(options, field->attr);
	if (!field && options->size_of_preset)
		options->given_size = false;
	if (field)
		drop_preset_length(options, field->attr);
	for (i = 0; i < options->naxes; i++) {
		if (options->axis[i].field != field)
			continue;
		kv_error_set(error, KV_EXIT_USAGE, "%s: has several values already; give one list",
			     row->name);
		return NULL;
	}
	if (options->naxes == KV_AXES_MAX) {
		kv_error_set(error, KV_EXIT_USAGE, "%s: no more than %u fields may take lists",
			     row->name, KV_AXES_MAX);
		return NULL;
	}
	axis = &options->axis[options->naxes];
	memset(axis, 0, sizeof(*axis));
	axis->name = row->name;
	axis->key = field ? row->key : row->name;
	axis->field = field;
	axis->value_name = names_of(row);
	axis->preset = options->reading_preset;
	return axis;
}

static int take_axis(struct kv_options *options, const struct row *row, const char *text,
		     struct kv_error *error)
{
	struct kv_axis *axis = new_axis(options, row, error);

	if (!axis || kv_axis_parse(axis, text, parse_value, row, error))
		return -1;
	options->naxes++;
	if (kv_axes_points(options->axis, options->naxes) > KV_POINTS_MAX)
		return kv_error_set(error, KV_EXIT_USAGE, "%s: makes more than %u runs", row->name,
				    KV_POINTS_MAX);
	return 0;
}

/* one size, or a list */
static int take_size(struct kv_options *options, const struct row *row, const char *text,
		     struct kv_error *error)
{
	u64 value;

	if (strchr(text, ',') || strstr(text, ".."))
		return take_axis(options, row, text, error);
	if (parse_size(text, &value, error))
		return -1;
	drop_preset_axis(options, NULL);
	options->size = (u32)value;
	options->given_size = true;
	options->size_of_preset = options->reading_preset;
	return 0;
}

static const struct row *row_of(const char *name, size_t len);

/* "-a": perftest's sizes, as many as the device and the limits allow */
static int take_all(struct kv_options *options, struct kv_error *error)
{
	const struct row *size = row_of("size", 4);
	struct kv_axis *axis = new_axis(options, size, error);

	if (!axis)
		return -1;
	kv_axis_double(axis, ALL_FROM, ALL_TO);
	axis->capped = true;
	options->naxes++;
	return 0;
}

/* "FIELD=LIST" */
static int take_sweep(struct kv_options *options, const char *text, struct kv_error *error)
{
	size_t len = strcspn(text, "=");
	const struct row *row = row_of(text, len);

	if (!text[len])
		return kv_error_set(error, KV_EXIT_USAGE,
				    "sweep '%s': it is FIELD=LIST, such as post-list=1,2,4..64",
				    text);
	if (!row)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "sweep '%.*s': not a field of the job; it is size or one of the long options with a number or a name, such as tx-depth, post-list, qp",
				    (int)len, text);
	return take_axis(options, row, text + len + 1, error);
}

/* the step "wait" is none: it says how the one before it is followed */
static int take_wait(struct kv_job *job, struct kv_error *error)
{
	if (!job->nsteps || (job->step[job->nsteps - 1].flags & KVERBS_STEP_WAIT))
		return kv_error_set(error, KV_EXIT_USAGE,
				    "op wait: there is nothing to wait for; it stands behind an operation");
	job->step[job->nsteps - 1].flags |= KVERBS_STEP_WAIT;
	return 0;
}

static int take_step(struct kv_job *job, const char *text, struct kv_error *error)
{
	u32 op;

	if (!strcmp(text, "wait"))
		return take_wait(job, error);
	if (refuse_absent("op", text, error))
		return -1;
	for (op = 0; op < KV_OPS && strcmp(kv_op_name(op), text); op++)
		;
	if (op == KV_OPS)
		return kv_error_set(error, KV_EXIT_USAGE, "op '%s': not known; it is %s", text,
				    kv_op_list());
	if (job->nsteps == KVERBS_STEPS_MAX)
		return kv_error_set(error, KV_EXIT_USAGE, "op: more than %u of them",
				    KVERBS_STEPS_MAX);
	job->step[job->nsteps].op = op;
	job->step[job->nsteps++].flags = 0;
	return 0;
}

/* one operation, or a list of those that make one */
static int parse_op(struct kv_options *options, const char *text, struct kv_error *error)
{
	char list[KV_STEPS_TEXT], *word, *save;

	if (snprintf(list, sizeof(list), "%s", text) >= (int)sizeof(list) || !*text)
		return kv_error_set(error, KV_EXIT_USAGE, "op '%s': not a list of operations",
				    text);
	options->job.nsteps = 0;
	for (word = strtok_r(list, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		if (take_step(&options->job, word, error))
			return -1;
	}
	if (!options->job.nsteps)
		return kv_error_set(error, KV_EXIT_USAGE, "op '%s': not a list of operations",
				    text);
	if (options->job.step[options->job.nsteps - 1].flags & KVERBS_STEP_WAIT)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "op wait: nothing follows it; an operation is waited for at its end anyway");
	options->given_op = true;
	return 0;
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

static int parse_engines(struct kv_options *options, const char *text, struct kv_error *error)
{
	options->both = !strcmp(text, "both");
	if (options->both)
		return 0;
	if (strcmp(text, kv_engine_kernel.name) && strcmp(text, kv_engine_user.name))
		return kv_error_set(error, KV_EXIT_USAGE,
				    "engine '%s': not known; it is kernel, user or both", text);
	return parse_engine(options, text, error);
}

/* a time, as those of --max-* are given */
static int parse_slow(struct kv_options *options, const struct row *row, const char *text,
		      struct kv_error *error)
{
	struct kv_thresholds one = {};

	if (kv_threshold_parse(&one, KV_MAX_MEAN, text, error))
		return kv_error_set(error, KV_EXIT_USAGE, "%s '%s': not a time, such as 50us",
				    row->name, text);
	options->slow_ns = one.limit[KV_MAX_MEAN];
	return 0;
}

static int parse_buffer(struct kv_options *options, const char *text, struct kv_error *error)
{
	u64 value;
	char *end;

	if (parse_number(text, &value, &end) || *end || !value || value > BUFFER_MAX_KB)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "buffer '%s': not a number of KB; it is 1 to %u", text,
				    BUFFER_MAX_KB);
	options->buffer_kb = (u32)value;
	return 0;
}

static int parse_qpn(struct kv_options *options, const char *text, struct kv_error *error)
{
	u64 value;
	char *end;

	if (parse_number(text, &value, &end) || *end || !value || value > QPN_HIGH)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "qpn '%s': not the number of a QP; it is 1 to %u", text,
				    QPN_HIGH);
	options->qpn = (u32)value;
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

static int parse_time(struct kv_options *options, const struct row *row, const char *text,
		      struct kv_error *error)
{
	struct row limits = *row;
	u64 ms;

	limits.low = TIME_LOW;
	limits.high = TIME_HIGH;
	if (parse_seconds(&limits, text, &ms, error))
		return -1;
	options->seconds = (double)ms / 1000;
	return 0;
}

static int parse_seed(struct kv_options *options, const char *text, struct kv_error *error)
{
	char *end;

	if (parse_number(text, &options->seed, &end) || *end || options->seed > SEED_HIGH)
		return kv_error_set(error, KV_EXIT_USAGE, "seed '%s': it is 0 to %llu", text,
				    SEED_HIGH);
	options->given_seed = true;
	return 0;
}

static int parse_margin(struct kv_options *options, const char *text, struct kv_error *error)
{
	double percent = -1;
	char *end = NULL;

	if ((isdigit((unsigned char)*text) || *text == '.') && !strpbrk(text, "xXpP"))
		percent = strtod(text, &end);
	if (!end || *end || !(percent > 0 && percent <= 100))
		return kv_error_set(error, KV_EXIT_USAGE,
				    "margin '%s': not a percentage above 0, such as 2 or 0.5",
				    text);
	options->margin = percent / 100;
	return 0;
}

static int parse_choice(const struct row *row, const char *text, kv_name_fn name, u32 values,
			u32 *value, struct kv_error *error)
{
	u32 i;

	for (i = 0; i < values; i++) {
		if (!name(i) || strcmp(name(i), text))
			continue;
		*value = i;
		return 0;
	}
	return kv_error_set(error, KV_EXIT_USAGE, "%s '%s': not known; it is %.*s", row->name, text,
			    (int)strcspn(row->what, ":"), row->what);
}

static int take_interval(struct kv_options *options, const struct row *row, const char *text,
			 struct kv_error *error)
{
	struct row limits = *row;
	u64 ms;

	limits.low = INTERVAL_LOW;
	limits.high = INTERVAL_HIGH;
	if (parse_seconds(&limits, text, &ms, error))
		return -1;
	options->interval_ms = (u32)ms;
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

static int parse_tolerance(struct kv_options *options, const char *text, struct kv_error *error)
{
	char *end = NULL;

	if (isdigit((unsigned char)*text) || *text == '.')
		options->tolerance = strtod(text, &end);
	if (end && !strpbrk(text, "xXpP") && (!*end || !strcmp(end, "%")) &&
	    options->tolerance <= 1000)
		return 0;
	return kv_error_set(error, KV_EXIT_USAGE,
			    "tolerance '%s': it is 0 to 1000 percent, such as 5 or 2.5%%", text);
}

static int parse_format(struct kv_options *options, const char *text, struct kv_error *error)
{
	for (options->format = 0; options->format < KV_FORMATS; options->format++) {
		if (!strcmp(kv_format_name(options->format), text))
			return 0;
	}
	return kv_error_set(error, KV_EXIT_USAGE,
			    "format '%s': not known; it is text, json, csv, hgrm, perftest or commit",
			    text);
}

/* it lasts as long as the measured one, and is good */
static int take_with(struct kv_with *with, const struct kv_options *beside,
		     struct kv_error *error)
{
	if (beside->given[KVERBS_JOB_A_ITERATIONS] || beside->given[KVERBS_JOB_A_DURATION_MS])
		return kv_error_set(error, KV_EXIT_USAGE,
				    "it lasts as long as the measured job; leave -n and -D out");
	if (beside->job.provoke)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "provoke %s: its error would end what is measured; provoke it alone",
				    kv_provoke_name(beside->job.provoke));
	with->given = true;
	with->job = beside->job;
	with->engine = beside->engine;
	snprintf(with->gid, sizeof(with->gid), "%s", beside->gid ? beside->gid : "");
	memcpy(with->gid_bytes, beside->gid_bytes, sizeof(with->gid_bytes));
	return 0;
}

/* "--with JOB": the words of a command line of its own */
static int parse_with(struct kv_options *options, const char *text, struct kv_error *error)
{
	char command[] = "run", *words[WITH_WORDS] = { command }, *word, *save = NULL;
	struct kv_options *beside = calloc(1, sizeof(*beside));
	char *copy = strdup(text);
	struct kv_error why;
	int n = 1, rc = -1;

	if (!beside || !copy) {
		kv_error_set(error, KV_EXIT_ENVIRONMENT, "out of memory");
		goto out;
	}
	for (word = strtok_r(copy, " ", &save); word && n < WITH_WORDS;
	     word = strtok_r(NULL, " ", &save))
		words[n++] = word;
	if (word)
		kv_error_set(&why, KV_EXIT_USAGE, "no more than %u words", WITH_WORDS - 1);
	else if (!kv_options_parse(n, words, KV_FOR_BESIDE, beside, &why))
		rc = take_with(&options->with, beside, &why);
	if (rc)
		kv_error_set(error, why.status, "with: %.480s", why.text);
out:
	free(copy);
	free(beside);
	return rc;
}

static int take(struct kv_options *options, const struct row *row, const char *text,
		struct kv_error *error)
{
	switch (kind_of(row)) {
	case KIND_FIELD:
	case KIND_SECONDS:
	case KIND_NAME:
		return take_field(options, row, text, error);
	case KIND_SIZE:
		return take_size(options, row, text, error);
	case KIND_ALL:
		return take_all(options, error);
	case KIND_SWEEP:
		return take_sweep(options, text, error);
	case KIND_INTERVAL:
		return take_interval(options, row, text, error);
	case KIND_PRESET:
	case KIND_JOB:
		return 0;	/* read before all others */
	case KIND_QPN:
		return parse_qpn(options, text, error);
	case KIND_THRESHOLD:
		return kv_threshold_parse(&options->thresholds, row->attr, text, error);
	case KIND_OP:
		return parse_op(options, text, error);
	case KIND_CPU:
		return parse_cpu(options, text, error);
	case KIND_ENGINE:
		return parse_engine(options, text, error);
	case KIND_WITH:
		return parse_with(options, text, error);
	case KIND_ENGINES:
		return parse_engines(options, text, error);
	case KIND_BUFFER:
		return parse_buffer(options, text, error);
	case KIND_CALLEES:
		return parse_choice(row, text, kv_callees_name, KV_CALLEES, &options->callees,
				    error);
	case KIND_SLOW:
		return parse_slow(options, row, text, error);
	case KIND_ROUNDS:
		return parse_rounds(options, text, error);
	case KIND_TIME:
		return parse_time(options, row, text, error);
	case KIND_SEED:
		return parse_seed(options, text, error);
	case KIND_MARGIN:
		return parse_margin(options, text, error);
	case KIND_AS:
		return parse_choice(row, text, kv_as_name, KV_AS_ALL, &options->as, error);
	case KIND_EXPECT:
		return parse_choice(row, text, kv_expect_name, KV_EXPECTS, &options->expect,
				    error);
	case KIND_UNLIKE:
		options->unlike = true;
		return 0;
	case KIND_UNIT:
		options->given_unit = true;
		return parse_unit(options, row->name, text, error);
	case KIND_PROVE:
		options->prove = true;
		return 0;
	case KIND_TOLERANCE:
		return parse_tolerance(options, text, error);
	case KIND_ACROSS:
		options->across = text;
		return 0;
	case KIND_BISECT:
		return 0;	/* looked for where the exit status is made */
	case KIND_PLOT:
		options->plot = true;
		return 0;
	case KIND_PNG:
		options->png = text;
		return 0;
	case KIND_DEVICE:
		options->device = text;
		return 0;
	case KIND_FORMAT:
		options->format = row->attr;
		return 0;
	case KIND_FORMAT_NAME:
		return parse_format(options, text, error);
	case KIND_OUTPUT:
		options->output = text;
		return 0;
	case KIND_HELP:
		options->help = true;
		return 0;
	}
	return 0;
}

/* a field of the job, by the name of its option or of its key in JSON; or the size */
static const struct row *row_of(const char *name, size_t len)
{
	const struct row *row;

	for (row = rows; row < rows + KV_ARRAY_SIZE(rows); row++) {
		if (row->kind != KIND_FIELD && row->kind != KIND_SIZE)
			continue;
		if (strlen(row->name) == len && !strncmp(row->name, name, len))
			return row;
		if (row->key && strlen(row->key) == len && !strncmp(row->key, name, len))
			return row;
	}
	return NULL;
}

/**
 * kv_options_is_field - does an option of this name say what a job does?
 * @name: long name
 */
bool kv_options_is_field(const char *name)
{
	return !strcmp(name, "op") || row_of(name, strlen(name));
}

/* an option and a sweep of one field leave open which is meant */
static int check_axes(const struct kv_options *options, u32 command, struct kv_error *error)
{
	const struct kv_axis *axis;

	for (axis = options->axis; axis < options->axis + options->naxes; axis++) {
		if (command != KV_FOR_RUN)
			return kv_error_set(error, KV_EXIT_USAGE,
					    "%s: a list is for kverbs run; give one value",
					    axis->name);
		if (options->interval_ms)
			return kv_error_set(error, KV_EXIT_USAGE,
					    "interval: is of one run; leave it or the list of %s out",
					    axis->name);
		if (axis->field ? options->given[axis->field->attr] : options->given_size)
			return kv_error_set(error, KV_EXIT_USAGE,
					    "%s: given both as one value and as several; leave one out",
					    axis->name);
	}
	return 0;
}

/* thresholds and intervals are of times and rates */
static int check_unit(const struct kv_options *options, struct kv_error *error)
{
	bool given = options->interval_ms;
	u32 i;

	for (i = 0; i < KV_THRESHOLDS; i++)
		given |= options->thresholds.given[i];
	if (options->with.given && options->unit == KV_UNIT_INSN)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "clock-unit insn: instructions of a call are the same beside any load; leave it or --with out");
	if (given && options->unit == KV_UNIT_INSN)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "clock-unit insn: thresholds and intervals are of times and rates, which it does not measure; leave one of them out");
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

/* what an option means without a value, when it need not have one */
static const char *alone(const struct row *row)
{
	if (row->kind != KIND_FIELD)
		return NULL;
	if (row->attr == KVERBS_JOB_A_CHECK_DATA)
		return kv_check_data_name(KVERBS_CHECK_DATA_ON);
	return names_of(row) == kv_switch_name ? kv_switch_name(1) : NULL;
}

/* is the option of what is measured, rather than of how it is shown? */
static bool of_job(const struct row *row)
{
	return row->kind != KIND_FORMAT && row->kind != KIND_FORMAT_NAME &&
	       row->kind != KIND_OUTPUT && row->kind != KIND_HELP;
}

/* can it stand in a document? */
static bool is_text(const char *word)
{
	json_t *json = json_string(word);

	json_decref(json);
	return json;
}

/* @value: when it is a word of its own */
static int keep_words(struct kv_options *options, const struct row *row, const char *word,
		      const char *value, struct kv_error *error)
{
	if (options->reading_preset || !of_job(row))
		return 0;
	if (options->nwords + 2 > KV_WORDS_MAX)
		return kv_error_set(error, KV_EXIT_USAGE, "option '%s': no more than %u words",
				    word, KV_WORDS_MAX);
	if (!is_text(word) || (value && !is_text(value)))
		return kv_error_set(error, KV_EXIT_USAGE,
				    "%s: not UTF-8, as the command of a document has to be",
				    row->name);
	options->word[options->nwords++] = word;
	if (value)
		options->word[options->nwords++] = value;
	return 0;
}

/* the words of a command line, or of a preset */
static int read_words(int argc, char **argv, u32 command, struct kv_options *options,
		      struct kv_error *error)
{
	const struct row *row;
	const char *value, *word;
	int i, at;

	for (i = 1; i < argc; i++) {
		/* another command, with options of its own */
		if (command == KV_FOR_RECORD && (!strcmp(argv[i], "--") || argv[i][0] != '-')) {
			i += !strcmp(argv[i], "--");
			options->child = argv + i;
			return 0;
		}
		if (command == KV_FOR_DIFF && !strcmp(argv[i], "--") && !options->split) {
			options->split = options->nfiles;
			continue;
		}
		if (argv[i][0] != '-' || !argv[i][1]) {
			if (command & KV_FOR_FILES && options->nfiles < KV_FILES_MAX) {
				options->file[options->nfiles++] = argv[i];
				continue;
			}
			return kv_error_set(error, KV_EXIT_USAGE,
					    "'%s': not expected here; see 'kverbs %s --help'",
					    argv[i], argv[0]);
		}
		word = argv[i];
		at = i;
		row = find(word, command, &value);
		if (!row)
			return kv_error_set(error, KV_EXIT_USAGE,
					    "option '%s': not known; see 'kverbs %s --help'",
					    argv[i], argv[0]);
		if (!row->argument && value)
			return kv_error_set(error, KV_EXIT_USAGE,
					    "option '%s': takes no value", argv[i]);
		if (row->argument && !value)
			value = alone(row);
		if (row->argument && !value) {
			if (++i == argc)
				return kv_error_set(error, KV_EXIT_USAGE,
						    "option '%s': its value is missing",
						    argv[i - 1]);
			value = argv[i];
		}
		if (take(options, row, value, error) ||
		    keep_words(options, row, word, i > at ? value : NULL, error))
			return -1;
	}
	return 0;
}

/* "--preset NAME": its options come before all others, which may replace them */
static int read_preset(int argc, char **argv, u32 command, struct kv_options *options,
		       struct kv_error *error)
{
	char text[256], *word, *save = NULL, *words[PRESET_WORDS] = { argv[0] };
	const char *name = NULL;
	int i, n = 1, rc;

	for (i = 1; i < argc; i++) {
		if (!strncmp(argv[i], "--preset=", 9))
			name = argv[i] + 9;
		else if (!strcmp(argv[i], "--preset") && i + 1 < argc)
			name = argv[i + 1];
	}
	if (!name)
		return 0;
	options->preset = kv_preset_find(name, command == KV_FOR_PRESETS ? 0 : command, error);
	if (!options->preset)
		return -1;
	if (command == KV_FOR_PRESETS)
		return 0;
	snprintf(text, sizeof(text), "%s", options->preset->options);
	for (word = strtok_r(text, " ", &save); word && n < PRESET_WORDS;
	     word = strtok_r(NULL, " ", &save))
		words[n++] = word;
	options->reading_preset = true;
	rc = read_words(n, words, command, options, error);
	options->reading_preset = false;
	return rc;
}

/* "--job FILE": likewise; what is left of it is what is measured */
static int read_job_file(int argc, char **argv, u32 command, struct kv_options *options,
			 struct kv_error *error)
{
	static char *words[KV_JOB_FILE_WORDS];
	const char *path = NULL;
	int i, n = 0, rc;

	for (i = 1; i < argc; i++) {
		if (!strncmp(argv[i], "--job=", 6))
			path = argv[i] + 6;
		else if (!strcmp(argv[i], "--job") && i + 1 < argc)
			path = argv[i + 1];
	}
	if (!path || !(command & KV_FOR_JOBS))
		return 0;
	if (options->preset)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "job %s: a preset is a job of its own; leave one of them out",
				    path);
	words[n++] = argv[0];
	if (kv_job_file_read(path, words, &n, error))
		return -1;
	options->reading_preset = true;
	rc = read_words(n, words, command, options, error);
	options->reading_preset = false;
	return rc;
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
	const char *unit = getenv(KV_UNIT_ENV);

	memset(options, 0, sizeof(*options));
	options->job = defaults;
	/* of a job beside another one it may be left open */
	options->engine = command == KV_FOR_BESIDE ? NULL : &kv_engine_kernel;
	options->margin = KV_MARGIN;
	options->tolerance = command == KV_FOR_RERUN ? KV_RERUN_TOLERANCE : KV_TOLERANCE;
	if (unit && parse_unit(options, KV_UNIT_ENV, unit, error))
		return -1;
	if (read_preset(argc, argv, command, options, error) ||
	    read_job_file(argc, argv, command, options, error) ||
	    read_words(argc, argv, command, options, error))
		return -1;
	/* of a comparison the kernel's, so that the load is the same for both sides */
	if (!options->with.engine)
		options->with.engine = options->engine;
	/* an operation that has one size need not be told it */
	kv_job_resize(&options->job, options->given_size ? options->size :
								  defaults.step[0].size);
	if (!options->given_size && kv_op_rules[options->job.step[0].op].bytes)
		options->job.step[0].size = kv_op_rules[options->job.step[0].op].bytes;
	if (command == KV_FOR_COMPARE && options->job.nsteps > 1)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "op: compare takes one operation; use kverbs run for a list");
	if (command == KV_FOR_COMPARE && options->job.provoke)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "provoke %s: compare measures what is good; use kverbs run",
				    kv_provoke_name(options->job.provoke));
	/* more readings change nothing in what is counted between two of them */
	if (options->unit == KV_UNIT_INSN && !options->given[KVERBS_JOB_A_TIMING])
		options->job.timing = KVERBS_TIMING_ALL;
	kv_options_count(options, &options->job);
	options->json = options->format != KV_FORMAT_TEXT;
	if (options->help)
		return 0;
	if (check_axes(options, command, error) || check_unit(options, error))
		return -1;
	return kv_threshold_possible(&options->thresholds, &options->job, error);
}

/**
 * kv_options_command - the command that measures the same again
 * @options: as read
 * @command: name of the subcommand
 * @device: that was measured
 * Return: new array of words: those of the command line that are of the job, and what
 *	was decided without them
 */
json_t *kv_options_command(const struct kv_options *options, const char *command,
			   const char *device)
{
	json_t *words = json_pack("[s, s]", "kverbs", command);
	u32 i;

	if (!options->device) {
		json_array_append_new(words, json_string("-d"));
		json_array_append_new(words, json_string(device));
	}
	for (i = 0; i < options->nwords; i++)
		json_array_append_new(words, json_string(options->word[i]));
	if (options->unit != KV_UNIT_NS && !options->given_unit) {
		json_array_append_new(words, json_string("--clock-unit"));
		json_array_append_new(words, json_string(kv_unit_name(options->unit)));
	}
	return words;
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
	char left[64], letter[8], word[4];
	const char *value;

	fprintf(file, "usage: kverbs %s [options]%s\n%s\n\n", command_name,
		command == KV_FOR_DIFF ? " A... [--] B..." :
		command == KV_FOR_RERUN ? " FILE" :
		command == KV_FOR_RECORD ? " [--] COMMAND [ARGUMENT...]" :
		command & KV_FOR_FILES ? " FILE..." : "", summary);
	for (row = rows; row < rows + KV_ARRAY_SIZE(rows); row++) {
		if (!(row->commands & command))
			continue;
		letter[0] = '\0';
		snprintf(word, sizeof(word), "-%c", row->letter);
		if (row->letter && find(word, command, &value) == row)
			snprintf(letter, sizeof(letter), "-%c, ", row->letter);
		snprintf(left, sizeof(left), "%4s--%s %s", letter, row->name, placeholder(row));
		fprintf(file, "  %-26s %s\n", left, row->what);
	}
	if (!(command & KV_FOR_JOBS))
		return;
	fprintf(file,
		"\nThe run ends after -n operations a pair or -D seconds, not both (default: %.0f s; of\n"
		"instructions: %u posts).\n",
		KV_DURATION_MS / 1000.0, KV_INSN_POSTS);
}
