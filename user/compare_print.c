// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A comparison for people and for programs. */
#include <math.h>
#include <string.h>
#include "compare.h"
#include "kverbs.h"
#include "unit.h"

#define CPUS_SHOWN	16

static void verdict(const struct kv_compare *compare, const struct kv_arm *arm, u32 value,
		    struct kv_verdict *out)
{
	u32 side;

	kv_verdict_of(arm->sample[KV_KERNEL] + value, arm->sample[KV_USER] + value, KV_VALUES,
		      compare->rounds, out);
	for (side = 0; side < KV_SIDES; side++) {
		if (*arm->absent[!side])
			out->side[side] = kv_median_alone(arm->sample[side] + value, KV_VALUES,
							  compare->rounds);
	}
}

static const char *value_text(double value, bool rate, u32 unit, char text[KV_TEXT])
{
	return rate ? kv_text_rate(value, text) : kv_text_value(value, unit, text);
}

/* does the arm show the value? */
static bool shown(const struct kv_arm *arm, u32 value)
{
	return arm->values & 1U << value;
}

static void value_name(const struct kv_arm *arm, u32 value, u32 unit, char *name, size_t size)
{
	const struct kv_value_rule *rule = &kv_value_rules[value];
	bool answers = kv_shape_rules[arm->job.shape].answers;

	snprintf(name, size, "%s%s%s%s", rule->from_metric ? answers ? "rtt " : "lat " : "",
		 rule->name, rule->rate ? "" : ", ", rule->rate ? "" : kv_unit_name(unit));
}

/* of instructions: the post of a chain, and one of inline data, are named so */
static void count_name(const struct kv_arm *arm, u32 value, char *name, size_t size)
{
	u32 chain = arm->granted[KV_USER].chain;

	if (value == KV_VALUE_POST_WR)
		snprintf(name, size, "  a WR of it");
	else if (value == KV_VALUE_POST && chain > 1)
		snprintf(name, size, "post of %u", chain);
	else if (value == KV_VALUE_POST && arm->granted[KV_USER].inline_data)
		snprintf(name, size, "post inline");
	else
		snprintf(name, size, "%s", kv_metric_name(kv_value_rules[value].metric));
}

static const char *ratio_text(double ratio, char text[KV_TEXT])
{
	if (isfinite(ratio))
		snprintf(text, KV_TEXT, "%.3f", ratio);
	else
		strcpy(text, "-");
	return text;
}

static void print_count(FILE *file, const struct kv_compare *compare, const struct kv_arm *arm,
			u32 value, const char *job)
{
	const struct kv_tally *kernel = &arm->tally[KV_KERNEL][value];
	const struct kv_tally *user = &arm->tally[KV_USER][value];
	char text[4][KV_TEXT], said[64], name[32];
	struct kv_verdict v;

	verdict(compare, arm, value, &v);
	count_name(arm, value, name, sizeof(name));
	fprintf(file, "%-16s %-12s %10s %10s %14s %14s  %s\n", job, name,
		kv_text_value(v.side[KV_KERNEL], KV_UNIT_INSN, text[0]),
		kv_text_value(v.side[KV_USER], KV_UNIT_INSN, text[1]),
		kv_text_value(v.side[KV_KERNEL] - v.side[KV_USER], KV_UNIT_INSN, text[2]),
		ratio_text(v.ratio, text[3]),
		kv_verdict_text(&v, kernel, user, said, sizeof(said)));
}

static void print_row(FILE *file, const struct kv_compare *compare, const struct kv_arm *arm,
		      u32 value, const char *job)
{
	bool rate = kv_value_rules[value].rate;
	char kernel[KV_TEXT], user[KV_TEXT], ratio[64] = "-", name[32];
	struct kv_verdict v;

	verdict(compare, arm, value, &v);
	value_name(arm, value, KV_UNIT_NS, name, sizeof(name));
	if (isfinite(v.ratio))
		snprintf(ratio, sizeof(ratio), "%6.3f  [%.3f .. %.3f]", v.ratio, v.low, v.high);
	fprintf(file, "%-16s %-13s %12s %12s  %s\n", job, name,
		value_text(v.side[KV_KERNEL], rate, KV_UNIT_NS, kernel),
		value_text(v.side[KV_USER], rate, KV_UNIT_NS, user), ratio);
}

static bool same_case(const struct kv_arm *a, const struct kv_arm *b)
{
	return !a->quiet && !b->quiet && a->job.step[0].op == b->job.step[0].op &&
	       a->job.step[0].size == b->job.step[0].size;
}

static void print_table(FILE *file, const struct kv_compare *compare)
{
	bool times = kv_unit_is_time(compare->options.unit);
	char size[KV_TEXT], job[48];
	u32 i, value;

	if (times)
		fprintf(file, "\n%s%-16s %-13s %12s %12s  %s%s\n", kv_bold(file), "job", "",
			"kernel", "user", "kernel / user", kv_plain(file));
	else
		fprintf(file, "\n%s%-16s %-12s %10s %10s %14s %14s%s\n", kv_bold(file), "job",
			kv_unit_name(compare->options.unit), "kernel", "user", "kernel - user",
			"kernel / user", kv_plain(file));
	for (i = 0; i < compare->narms; i++) {
		const struct kv_arm *arm = &compare->arm[i];

		if (arm->quiet)
			continue;
		snprintf(job, sizeof(job), "%s %s", kv_op_name(arm->job.step[0].op),
			 kv_text_size(arm->job.step[0].size, size));
		if (i && same_case(arm, arm - 1))
			job[0] = '\0';
		else if (i)
			fputc('\n', file);
		for (value = 0; value < KV_VALUES; value++) {
			if (!shown(arm, value))
				continue;
			if (times)
				print_row(file, compare, arm, value, job);
			else
				print_count(file, compare, arm, value, job);
			job[0] = '\0';
		}
	}
}

/* the first arm of a shape after another one, to tell its settings */
static const struct kv_arm *next_arm(const struct kv_compare *compare, bool window,
				     const struct kv_arm *after)
{
	const struct kv_arm *arm = after ? after + 1 : compare->arm;

	for (; arm < compare->arm + compare->narms; arm++) {
		if (kv_shape_rules[arm->job.shape].window == window && arm->runs && !arm->quiet)
			return arm;
	}
	return NULL;
}

static void print_lengths(FILE *file, const struct kv_job *job)
{
	if (job->iterations)
		fprintf(file, "%llu operations", job->iterations);
	else
		fprintf(file, "%u ms", job->duration_ms);
	fprintf(file, " a run after a warm-up of %u ms or more", job->warmup_ms);
}

/* has an arm before this one the same window? */
static bool window_told(const struct kv_compare *compare, const struct kv_arm *arm)
{
	const struct kv_arm *before = NULL;

	while ((before = next_arm(compare, true, before)) && before < arm) {
		if (before->granted[KV_USER].outstanding == arm->granted[KV_USER].outstanding &&
		    before->granted[KV_USER].signal == arm->granted[KV_USER].signal)
			return true;
	}
	return false;
}

static void print_windows(FILE *file, const struct kv_compare *compare)
{
	const struct kv_arm *arm = NULL;
	const char *lead = kv_unit_is_time(compare->options.unit) ? "rates: " : "chains: ";
	char size[KV_TEXT];

	while ((arm = next_arm(compare, true, arm))) {
		const struct kv_job *job = &arm->granted[KV_USER];

		if (window_told(compare, arm))
			continue;
		fprintf(file, "%s%s: %u outstanding, chains of %u, one in %u signalled", lead,
			kv_text_size(job->step[0].size, size), job->outstanding, job->chain,
			job->signal);
		lead = "; ";
	}
	if (*lead == ';')
		fputc('\n', file);
}

static void print_terms(FILE *file, const struct kv_compare *compare)
{
	const struct kv_arm *lat = next_arm(compare, false, NULL);
	const struct kv_arm *any = lat ? lat : next_arm(compare, true, NULL);
	bool times = kv_unit_is_time(compare->options.unit);
	const struct kv_job *k, *u;
	u32 i;

	fprintf(file, "%u round%s%s, %u runs, each on fresh QPs, CQs, MRs and buffers",
		compare->rounds, compare->rounds > 1 ? "s" : "",
		compare->runs + compare->skipped < compare->rounds * compare->narms * KV_SIDES ?
		", the last one incomplete" : "", compare->runs);
	if (times)
		fprintf(file, ", in %.1f s", compare->elapsed_s);
	fputc('\n', file);
	if (lat) {
		fprintf(file, "%s: one WR outstanding, every WR signalled, every call %s; ",
			times ? "times" : "calls", times ? "timed" : "counted");
		print_lengths(file, &lat->job);
		fputc('\n', file);
	}
	print_windows(file, compare);
	if (!any)
		return;
	k = &any->granted[*any->absent[KV_KERNEL] ? KV_USER : KV_KERNEL];
	u = &any->granted[*any->absent[KV_USER] ? KV_KERNEL : KV_USER];
	fprintf(file, "both: MTU %u bytes", k->mtu);
	if (k->gid_index != KV_AUTO)
		fprintf(file, ", GID %u", k->gid_index);
	fputs(any->job.ncpus > 1 ? ", lanes on CPUs" : ", lane on CPU", file);
	for (i = 0; i < any->job.ncpus && i < CPUS_SHOWN; i++)
		fprintf(file, "%s%u", i ? "," : " ", any->job.cpu[i]);
	if (i < any->job.ncpus)
		fputs(",...", file);
	fprintf(file, "; after an empty poll: kernel %s, user %s\n", kv_wait_name(k->wait),
		kv_wait_name(u->wait));
}

static void print_clocks(FILE *file, const struct kv_compare *compare)
{
	const struct kv_clock_info *k = &compare->clock[KV_KERNEL], *u = &compare->clock[KV_USER];
	const char *label = kv_label_clock(u), *unit = kv_unit_name(u->unit);
	char text[2][KV_TEXT];

	fprintf(file,
		"clock of both: %s; a reading costs %s %s in the kernel, %s %s in user space%s%s\n",
		u->name, kv_text_value(kv_ticks_ns(k, k->cost), k->unit, text[0]), unit,
		kv_text_value(kv_ticks_ns(u, u->cost), u->unit, text[1]), unit,
		*label ? "; " : "", label);
}

static void print_disturbance(FILE *file, const struct kv_compare *compare)
{
	const struct kv_arm *quiet = &compare->arm[compare->narms - 1];
	struct kv_verdict with, without;
	char size[KV_TEXT], text[4][KV_TEXT];

	if (!quiet->quiet)
		return;
	verdict(compare, compare->arm, KV_VALUE_OP, &with);
	verdict(compare, quiet, KV_VALUE_OP, &without);
	fprintf(file,
		"cost of measuring: one %s of %s in the loop takes %s ns timed and %s ns untimed in the kernel, %s and %s ns in user space (medians; nothing is subtracted)\n",
		kv_op_name(quiet->job.step[0].op), kv_text_size(quiet->job.step[0].size, size),
		kv_text_value(with.side[KV_KERNEL], KV_UNIT_NS, text[0]),
		kv_text_value(without.side[KV_KERNEL], KV_UNIT_NS, text[1]),
		kv_text_value(with.side[KV_USER], KV_UNIT_NS, text[2]),
		kv_text_value(without.side[KV_USER], KV_UNIT_NS, text[3]));
}

/* what one of the engines could not run */
static void print_absent(FILE *file, const struct kv_compare *compare)
{
	const struct kv_arm *arm;
	u32 side;

	for (arm = compare->arm; arm < compare->arm + compare->narms; arm++) {
		for (side = 0; side < KV_SIDES; side++) {
			if (!*arm->absent[side] || arm->quiet)
				continue;
			fprintf(file, "%s, %s: no comparison: %s\n",
				kv_op_name(arm->job.step[0].op), kv_shape_name(arm->job.shape),
				arm->absent[side]);
		}
	}
}

static void print_time_notes(FILE *file, const struct kv_compare *compare)
{
	bool software = compare->env.facts.software;

	fprintf(file,
		"\nkernel / user, median over rounds [lowest .. highest]: a time below 1: kernel cheaper; a rate above 1: kernel faster\n"
		);
	fprintf(file,
		"lat of write and send: acked, not placed%s; loopback on one port never leaves the device\n",
		software ? "; includes stack progress" : "");
	fputs("-: too few samples for that percentile (p needs 10 / (1 - p))\n", file);
	if (compare->contaminated)
		fprintf(file,
			"%u of %u runs contaminated by other work on the CPUs, none dropped (--json tells which)\n",
			compare->contaminated, compare->runs);
}

static void print_count_notes(FILE *file, const struct kv_compare *compare)
{
	struct kv_tally all = { 0 };
	u32 arm, side, value;

	for (arm = 0; arm < compare->narms; arm++) {
		for (side = 0; side < KV_SIDES; side++) {
			for (value = 0; value < KV_VALUES; value++) {
				if (!shown(&compare->arm[arm], value) || value == KV_VALUE_POST_WR)
					continue;
				all.count += compare->arm[arm].tally[side][value].count;
				all.disturbed += compare->arm[arm].tally[side][value].disturbed;
			}
		}
	}
	fputs("exact: every sample in every round is that number; ", file);
	fputs("of 94 % and 94 %: so many of the two sides are, the others took another path\n",
	      file);
	fprintf(file,
		"%llu of %llu samples were hit by an interrupt (%u or more above the median) and are counted apart\n",
		all.disturbed, all.count, KV_INSN_INTERRUPT);
	fputs("an instruction is no time: a write to a doorbell register is one of them\n", file);
}

static void print_notes(FILE *file, const struct kv_compare *compare)
{
	u32 i;

	if (kv_unit_is_time(compare->options.unit))
		print_time_notes(file, compare);
	else
		print_count_notes(file, compare);
	if (compare->failed_checks)
		fprintf(file, "%sCHECK FAILED%s in %u cases: these figures are not to be trusted\n",
			kv_bold(file), kv_plain(file), compare->failed_checks);
	fprintf(file, "\n%swhat differs by nature and is part of every ratio%s\n", kv_bold(file),
		kv_plain(file));
	for (i = 0; i < compare->nledger; i++)
		fprintf(file, "  %s\n", compare->ledger[i]);
	if (*compare->post_send)
		fprintf(file, "  kernel posts go to %s\n", compare->post_send);
}

static void print_depths(FILE *file, const struct kv_compare *compare)
{
	u32 i;

	for (i = 0; i < compare->narms; i++) {
		const struct kv_arm *arm = &compare->arm[i];
		const struct kv_lane_result *k = &arm->lane[KV_KERNEL], *u = &arm->lane[KV_USER];

		if (!arm->runs || !k->sq_depth || !u->sq_depth ||
		    (k->sq_depth == u->sq_depth && k->rq_depth == u->rq_depth &&
		     k->cq_depth == u->cq_depth))
			continue;
		fprintf(file,
			"granted queues differ, shape %s: kernel SQ %u, RQ %u, CQ %u entries; user SQ %u, RQ %u, CQ %u\n",
			kv_shape_name(arm->job.shape), k->sq_depth, k->rq_depth, k->cq_depth,
			u->sq_depth, u->rq_depth, u->cq_depth);
		return;
	}
}

/**
 * kv_print_compare - the table of a comparison
 * @file: where to
 * @compare: with at least one run
 */
void kv_print_compare(FILE *file, const struct kv_compare *compare)
{
	kv_print_env(file, &compare->env);
	print_terms(file, compare);
	print_depths(file, compare);
	print_clocks(file, compare);
	print_table(file, compare);
	fputc('\n', file);
	print_absent(file, compare);
	print_disturbance(file, compare);
	print_notes(file, compare);
}

static json_t *json_side(const struct kv_compare *compare, const struct kv_arm *arm, u32 value,
			 enum kv_side side, double middle)
{
	const struct kv_tally *tally = &arm->tally[side][value];
	json_t *rounds = json_array(), *json;
	u32 i;

	for (i = 0; i < compare->rounds; i++)
		json_array_append_new(rounds, kv_json_real(arm->sample[side][i * KV_VALUES +
									      value]));
	json = json_pack("{s:o, s:o}", "median", kv_json_real(middle), "rounds", rounds);
	if (!kv_unit_is_time(compare->options.unit)) {
		json_object_set_new(json, "count", json_integer((json_int_t)tally->count));
		kv_json_paths(json, tally->same, tally->other, tally->disturbed, tally->width);
	}
	return json;
}

/* of instructions: the verdict */
static void put_verdict(json_t *json, const struct kv_arm *arm, u32 value,
			const struct kv_verdict *v)
{
	const struct kv_tally *kernel = &arm->tally[KV_KERNEL][value];
	const struct kv_tally *user = &arm->tally[KV_USER][value];
	char text[64];

	json_object_set_new(json, "difference", kv_json_real(v->side[KV_KERNEL] -
							     v->side[KV_USER]));
	json_object_set_new(json, "exact", json_boolean(kv_verdict_exact(v, kernel, user)));
	kv_verdict_text(v, kernel, user, text, sizeof(text));
	json_object_set_new(json, "verdict", json_string(text));
}

static json_t *json_value(const struct kv_compare *compare, const struct kv_arm *arm, u32 value)
{
	struct kv_verdict v;
	json_t *json;

	verdict(compare, arm, value, &v);
	json = json_pack("{s:o, s:o, s:{s:o, s:o, s:o}, s:I}",
			 "kernel", json_side(compare, arm, value, KV_KERNEL, v.side[KV_KERNEL]),
			 "user", json_side(compare, arm, value, KV_USER, v.side[KV_USER]),
			 "ratio", "median", kv_json_real(v.ratio), "min", kv_json_real(v.low),
			 "max", kv_json_real(v.high), "rounds_with_both", (json_int_t)v.n);
	if (!kv_unit_is_time(compare->options.unit))
		put_verdict(json, arm, value, &v);
	return json;
}

static json_t *json_arm(const struct kv_compare *compare, const struct kv_arm *arm)
{
	json_t *values = json_object();
	u32 unit = compare->options.unit, value;
	char key[KV_UNIT_KEY];

	for (value = 0; value < KV_VALUES; value++) {
		const struct kv_value_rule *rule = &kv_value_rules[value];

		if (!kv_unit_is_time(unit) && !shown(arm, value))
			continue;
		json_object_set_new(values, rule->rate ? rule->key :
				    kv_unit_key(rule->key, unit, key),
				    json_value(compare, arm, value));
	}
	return json_pack("{s:s, s:s, s:s, s:I, s:s, s:b, s:o, s:o, s:o, s:o, s:I, s:I}",
			 "absent_kernel", arm->absent[KV_KERNEL],
			 "absent_user", arm->absent[KV_USER],
			 "op", kv_op_name(arm->job.step[0].op),
			 "size_bytes", (json_int_t)arm->job.step[0].size,
			 "shape", kv_shape_name(arm->job.shape), "untimed", (int)arm->quiet,
			 "asked", kv_json_job(&arm->job),
			 "granted_kernel", kv_json_job(&arm->granted[KV_KERNEL]),
			 "granted_user", kv_json_job(&arm->granted[KV_USER]),
			 "values", values, "runs", (json_int_t)arm->runs,
			 "contaminated", (json_int_t)arm->contaminated);
}

/**
 * kv_json_compare - a comparison with all its runs
 * @compare: with at least one run
 * Return: new object
 */
json_t *kv_json_compare(const struct kv_compare *compare)
{
	json_t *arms = json_array(), *ledger = json_array(), *json;
	u32 unit = compare->options.unit, i;
	char key[KV_UNIT_KEY];

	for (i = 0; i < compare->narms; i++)
		json_array_append_new(arms, json_arm(compare, &compare->arm[i]));
	for (i = 0; i < compare->nledger; i++)
		json_array_append_new(ledger, json_string(compare->ledger[i]));
	json = json_pack("{s:s, s:o, s:s, s:I, s:b, s:o, s:o, s:I, s:I, s:o, s:o, s:O}",
			 "schema", "kverbs-compare/1", "environment", kv_json_env(&compare->env),
			 "post_send", compare->post_send, "rounds", (json_int_t)compare->rounds,
			 "interrupted", (int)kv_interrupted(),
			 "clock_kernel", kv_json_clock(&compare->clock[KV_KERNEL]),
			 "clock_user", kv_json_clock(&compare->clock[KV_USER]),
			 "contaminated_runs", (json_int_t)compare->contaminated,
			 "failed_checks", (json_int_t)compare->failed_checks,
			 "ledger", ledger, "arms", arms, "runs", compare->json_runs);
	if (kv_unit_is_time(unit))
		json_object_set_new(json, kv_unit_key("elapsed", unit, key),
				    kv_json_real(compare->elapsed_s * 1e9));
	return json;
}
