// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A comparison for people and for programs. */
#include <math.h>
#include <string.h>
#include "compare.h"
#include "kverbs.h"

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

static const char *value_text(double value, bool rate, char text[KV_TEXT])
{
	return rate ? kv_text_rate(value, text) : kv_text_ns(value, text);
}

static void value_name(const struct kv_arm *arm, u32 value, char *name, size_t size)
{
	const struct kv_value_rule *rule = &kv_value_rules[value];
	bool answers = kv_shape_rules[arm->job.shape].answers;

	snprintf(name, size, "%s%s%s", rule->from_metric ? answers ? "rtt " : "lat " : "",
		 rule->name, rule->rate ? "" : ", ns");
}

static void print_row(FILE *file, const struct kv_compare *compare, const struct kv_arm *arm,
		      u32 value, const char *job)
{
	bool rate = kv_value_rules[value].rate;
	char kernel[KV_TEXT], user[KV_TEXT], ratio[64] = "-", name[32];
	struct kv_verdict v;

	verdict(compare, arm, value, &v);
	value_name(arm, value, name, sizeof(name));
	if (isfinite(v.ratio))
		snprintf(ratio, sizeof(ratio), "%6.3f  [%.3f .. %.3f]", v.ratio, v.low, v.high);
	fprintf(file, "%-16s %-13s %12s %12s  %s\n", job, name,
		value_text(v.side[KV_KERNEL], rate, kernel),
		value_text(v.side[KV_USER], rate, user), ratio);
}

static bool same_case(const struct kv_arm *a, const struct kv_arm *b)
{
	return !a->quiet && !b->quiet && a->job.step[0].op == b->job.step[0].op &&
	       a->job.step[0].size == b->job.step[0].size;
}

static void print_table(FILE *file, const struct kv_compare *compare)
{
	char size[KV_TEXT], job[48];
	u32 i, value;

	fprintf(file, "\n%s%-16s %-13s %12s %12s  %s%s\n", kv_bold(file), "job", "", "kernel",
		"user", "kernel / user", kv_plain(file));
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
			if (!(arm->values & 1U << value))
				continue;
			print_row(file, compare, arm, value, job);
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
	const char *lead = "rates: ";
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
	const struct kv_job *k, *u;
	u32 i;

	fprintf(file, "%u round%s%s, %u runs, each on fresh QPs, CQs, MRs and buffers, in %.1f s\n",
		compare->rounds, compare->rounds > 1 ? "s" : "",
		compare->runs + compare->skipped < compare->rounds * compare->narms * KV_SIDES ?
		", the last one incomplete" : "", compare->runs, compare->elapsed_s);
	if (lat) {
		fputs("times: one WR outstanding, every WR signalled, every call timed; ", file);
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

	fprintf(file,
		"clock of both: %s; a reading costs %.1f ns in the kernel, %.1f ns in user space%s%s\n",
		u->name, kv_ticks_ns(k, k->cost), kv_ticks_ns(u, u->cost),
		u->invariant ? "" : "; ", kv_label_clock(u));
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
		kv_text_ns(with.side[KV_KERNEL], text[0]),
		kv_text_ns(without.side[KV_KERNEL], text[1]),
		kv_text_ns(with.side[KV_USER], text[2]),
		kv_text_ns(without.side[KV_USER], text[3]));
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

static void print_notes(FILE *file, const struct kv_compare *compare)
{
	bool software = compare->env.facts.software;
	u32 i;

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
	json_t *rounds = json_array();
	u32 i;

	for (i = 0; i < compare->rounds; i++)
		json_array_append_new(rounds, kv_json_real(arm->sample[side][i * KV_VALUES +
									      value]));
	return json_pack("{s:o, s:o}", "median", kv_json_real(middle), "rounds", rounds);
}

static json_t *json_value(const struct kv_compare *compare, const struct kv_arm *arm, u32 value)
{
	struct kv_verdict v;

	verdict(compare, arm, value, &v);
	return json_pack("{s:o, s:o, s:{s:o, s:o, s:o}, s:I}",
			 "kernel", json_side(compare, arm, value, KV_KERNEL, v.side[KV_KERNEL]),
			 "user", json_side(compare, arm, value, KV_USER, v.side[KV_USER]),
			 "ratio", "median", kv_json_real(v.ratio), "min", kv_json_real(v.low),
			 "max", kv_json_real(v.high), "rounds_with_both", (json_int_t)v.n);
}

static json_t *json_arm(const struct kv_compare *compare, const struct kv_arm *arm)
{
	json_t *values = json_object();
	u32 value;

	for (value = 0; value < KV_VALUES; value++)
		json_object_set_new(values, kv_value_rules[value].key,
				    json_value(compare, arm, value));
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
	json_t *arms = json_array(), *ledger = json_array();
	u32 i;

	for (i = 0; i < compare->narms; i++)
		json_array_append_new(arms, json_arm(compare, &compare->arm[i]));
	for (i = 0; i < compare->nledger; i++)
		json_array_append_new(ledger, json_string(compare->ledger[i]));
	return json_pack("{s:s, s:o, s:s, s:I, s:o, s:b, s:o, s:o, s:I, s:I, s:o, s:o, s:O}",
			 "schema", "kverbs-compare/1", "environment", kv_json_env(&compare->env),
			 "post_send", compare->post_send, "rounds", (json_int_t)compare->rounds,
			 "elapsed_ns", kv_json_real(compare->elapsed_s * 1e9),
			 "interrupted", (int)kv_interrupted(),
			 "clock_kernel", kv_json_clock(&compare->clock[KV_KERNEL]),
			 "clock_user", kv_json_clock(&compare->clock[KV_USER]),
			 "contaminated_runs", (json_int_t)compare->contaminated,
			 "failed_checks", (json_int_t)compare->failed_checks,
			 "ledger", ledger, "arms", arms, "runs", compare->json_runs);
}
