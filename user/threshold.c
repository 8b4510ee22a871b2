// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "kverbs.h"
#include "threshold.h"

const struct kv_threshold_rule kv_threshold_rules[KV_THRESHOLDS] = {
	[KV_MAX_P50] = { "max-p50", "p50", "p50_ns", false },
	[KV_MAX_P99] = { "max-p99", "p99", "p99_ns", false },
	[KV_MAX_P999] = { "max-p99.9", "p99.9", "p99_9_ns", false },
	[KV_MAX_MEAN] = { "max-mean", "mean", "mean_ns", false },
	[KV_MIN_RATE] = { "min-rate", "rate", "operations_per_s", true },
	[KV_MIN_BW] = { "min-bw", "bandwidth", "bits_per_s", true },
};

struct unit {
	const char *name;
	double factor;
};

static const struct unit times[] = {
	{ "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 }, { NULL, 0 },
};

static const struct unit rates[] = {
	{ "", 1 }, { "k", 1e3 }, { "K", 1e3 }, { "M", 1e6 }, { "G", 1e9 }, { NULL, 0 },
};

/* the longest units first: their last letter makes bits of bytes */
static const struct unit bandwidths[] = {
	{ "", 1 }, { "k", 1e3 }, { "K", 1e3 }, { "M", 1e6 }, { "G", 1e9 }, { "T", 1e12 },
	{ "B", 8 }, { "kB", 8e3 }, { "KB", 8e3 }, { "MB", 8e6 }, { "GB", 8e9 }, { "TB", 8e12 },
	{ NULL, 0 },
};

static const struct unit *units_of(u32 which)
{
	return which == KV_MIN_BW ? bandwidths : which == KV_MIN_RATE ? rates : times;
}

static const char *example(u32 which)
{
	return which == KV_MIN_BW ? "bits a second such as 10G, or bytes a second such as 1.2GB" :
	       which == KV_MIN_RATE ? "messages a second, such as 1M or 250k" :
				      "a time with its unit, such as 5us, 800ns or 1.5ms";
}

/**
 * kv_threshold_parse - read the value of a threshold
 * @thresholds: the one of @which is set
 * @which: enum kv_threshold
 * @text: number and unit
 * @error: filled on failure
 * Return: 0, or -1
 */
int kv_threshold_parse(struct kv_thresholds *thresholds, u32 which, const char *text,
		       struct kv_error *error)
{
	const struct unit *unit;
	char *end = NULL;
	double value = 0;

	if ((isdigit((unsigned char)*text) || *text == '.') && !strpbrk(text, "xXpP"))
		value = strtod(text, &end);
	for (unit = units_of(which); end && unit->name; unit++) {
		if (strcmp(unit->name, end))
			continue;
		value *= unit->factor;
		if (!isfinite(value) || !(value > 0))
			break;
		thresholds->given[which] = true;
		thresholds->limit[which] = value;
		return 0;
	}
	return kv_error_set(error, KV_EXIT_USAGE, "%s '%s': not %s",
			    kv_threshold_rules[which].name, text, example(which));
}

/* the figure that a threshold is about; NaN when there is none */
double kv_threshold_value(const struct kv_summary *summary, u32 which)
{
	const struct kv_figure *figure = &summary->metric[kv_main_metric(summary)];

	switch (which) {
	case KV_MAX_P50:
		return figure->p50;
	case KV_MAX_P99:
		return figure->p99;
	case KV_MAX_P999:
		return figure->p999;
	case KV_MAX_MEAN:
		return figure->mean;
	case KV_MIN_RATE:
		return summary->ops_s;
	case KV_MIN_BW:
		return 8 * summary->bytes_s;
	}
	return NAN;
}

enum kv_met kv_threshold_met(const struct kv_thresholds *thresholds,
			     const struct kv_summary *summary, u32 which)
{
	double value = kv_threshold_value(summary, which), limit = thresholds->limit[which];

	if (!isfinite(value))
		return KV_UNKNOWN;
	if (kv_threshold_rules[which].rate)
		return value >= limit ? KV_MET : KV_MISSED;
	return value <= limit ? KV_MET : KV_MISSED;
}

/* a value with the unit that people use for it */
static void show(u32 which, double value, char *text, size_t size)
{
	static const struct unit decimal[] = {
		{ "G", 1e9 }, { "M", 1e6 }, { "k", 1e3 }, { "", 0 },
	};
	const struct unit *unit = decimal;

	if (!kv_threshold_rules[which].rate) {
		snprintf(text, size, value < 1e3 ? "%.1f ns" : "%.0f ns", value);
		return;
	}
	while (value < unit->factor)
		unit++;
	snprintf(text, size, "%.4g %s%s%s", value / (unit->factor ? unit->factor : 1), unit->name,
		 *unit->name && which != KV_MIN_BW ? " " : "",
		 which == KV_MIN_BW ? "bit/s" : "messages/s");
}

/**
 * kv_threshold_status - hold a run to its thresholds
 * @thresholds: as asked for
 * @summary: of the run
 * @text: what was missed: metric, value, limit; empty when nothing was
 * @size: of @text
 * Return: the exit status that they deserve
 */
int kv_threshold_status(const struct kv_thresholds *thresholds, const struct kv_summary *summary,
			char *text, size_t size)
{
	const char *metric = kv_metric_name(kv_main_metric(summary));
	u32 which, missed = 0, unknown = 0;
	char value[32], limit[32];

	*text = '\0';
	for (which = 0; which < KV_THRESHOLDS; which++) {
		const struct kv_threshold_rule *rule = &kv_threshold_rules[which];
		enum kv_met met;

		if (!thresholds->given[which])
			continue;
		met = kv_threshold_met(thresholds, summary, which);
		show(which, thresholds->limit[which], limit, sizeof(limit));
		if (met == KV_MISSED) {
			missed++;
			show(which, kv_threshold_value(summary, which), value, sizeof(value));
			kv_remark_add(text, size, "%s%s%s: %s %s --%s %s",
				      rule->rate ? "" : metric, rule->rate ? "" : " ",
				      rule->figure, value, rule->rate ? "below" : "above",
				      rule->name, limit);
		} else if (met == KV_UNKNOWN) {
			unknown++;
			kv_remark_add(text, size,
				      "%s %s: %llu samples are too few to hold it to --%s %s; run longer",
				      metric, rule->figure,
				      summary->metric[kv_main_metric(summary)].count, rule->name,
				      limit);
		}
	}
	return missed ? KV_EXIT_MISSED : unknown ? KV_EXIT_UNDECIDED : KV_EXIT_GOOD;
}

/**
 * kv_threshold_possible - can the job have the figures that are held to a limit?
 * @thresholds: as asked for
 * @job: job
 * @error: filled on failure
 * Return: 0, or -1
 */
int kv_threshold_possible(const struct kv_thresholds *thresholds, const struct kv_job *job,
			  struct kv_error *error)
{
	u32 which;

	for (which = 0; which < KV_THRESHOLDS; which++) {
		if (thresholds->given[which] && !kv_threshold_rules[which].rate &&
		    job->timing == KVERBS_TIMING_NONE)
			return kv_error_set(error, KV_EXIT_USAGE,
					    "%s: timing none measures no time; use --timing lat",
					    kv_threshold_rules[which].name);
	}
	return 0;
}
