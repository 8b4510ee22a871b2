// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A comparison for people. */
#include <math.h>
#include <string.h>
#include "compare.h"
#include "kverbs.h"
#include "unit.h"

#define CPUS_SHOWN	16

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
	u32 metric = kv_job_about(&arm->job[KV_USER]);

	snprintf(name, size, "%s%s%s%s%s", rule->from_metric ? kv_metric_name(metric) : "",
		 rule->from_metric ? " " : "", rule->name, rule->rate ? "" : ", ",
		 rule->rate ? "" : kv_unit_name(unit));
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

static void print_count(FILE *file, const struct kv_compare *compare, u32 index, u32 value,
			const char *job)
{
	const struct kv_arm *arm = &compare->arm[index];
	const struct kv_tally *kernel = &arm->tally[KV_KERNEL][value];
	const struct kv_tally *user = &arm->tally[KV_USER][value];
	char text[4][KV_TEXT], said[64], name[32];
	struct kv_verdict v;

	kv_verdict_counts(compare->trial, index, value, &v);
	count_name(arm, value, name, sizeof(name));
	fprintf(file, "%-16s %-12s %10s %10s %14s %14s  %s\n", job, name,
		kv_text_value(v.side[KV_KERNEL], KV_UNIT_INSN, text[0]),
		kv_text_value(v.side[KV_USER], KV_UNIT_INSN, text[1]),
		kv_text_value(v.side[KV_KERNEL] - v.side[KV_USER], KV_UNIT_INSN, text[2]),
		ratio_text(v.ratio, text[3]),
		kv_verdict_text(&v, kernel, user, said, sizeof(said)));
}

/* a difference with its sign */
static const char *signed_text(double value, bool rate, char text[KV_TEXT])
{
	char size[KV_TEXT];

	if (!isfinite(value))
		return strcpy(text, "-");
	value_text(fabs(value), rate, KV_UNIT_NS, size);
	snprintf(text, KV_TEXT, "%c%.22s", value < 0 ? '-' : '+', size);
	return text;
}

/* what is said of a primary value; of others nothing is */
static void finding_text(const struct kv_compare *compare, const struct kv_judgement *j, bool rate,
			 char *text, size_t size)
{
	char seen[KV_TEXT];

	switch (j->finding) {
	case KV_SAME:
		snprintf(text, size, "same within %.4g %%",
			 100 * j->margin / fabs(j->side[KV_USER]));
		break;
	case KV_UNDECIDED:
		snprintf(text, size, "undecided; %s would show",
			 value_text(j->smallest, rate, KV_UNIT_NS, seen));
		break;
	default:
		snprintf(text, size, "%s", kv_finding_name(j->finding));
	}
}

static void print_row(FILE *file, const struct kv_compare *compare, u32 index, u32 value,
		      const char *job)
{
	const struct kv_arm *arm = &compare->arm[index];
	bool rate = kv_value_rules[value].rate, primary = arm->primary == value;
	char kernel[KV_TEXT], user[KV_TEXT], text[4][KV_TEXT], range[64] = "", name[32];
	char said[64] = "";
	struct kv_judgement j;

	kv_trial_judge(compare->trial, index, value, &j);
	value_name(arm, value, KV_UNIT_NS, name, sizeof(name));
	/* a maximum is shown, and compared with nothing */
	if (value == KV_VALUE_MAX) {
		j.difference = (struct kv_infer){ 0, NAN, NAN, NAN, NAN, NAN };
		j.ratio = j.difference;
	}
	if (isfinite(j.difference.low))
		snprintf(range, sizeof(range), "[%s .. %s]",
			 signed_text(j.difference.low, rate, text[0]),
			 signed_text(j.difference.high, rate, text[1]));
	if (primary && !*arm->absent[KV_KERNEL] && !*arm->absent[KV_USER])
		finding_text(compare, &j, rate, said, sizeof(said));
	fprintf(file, "%-14s %s%-13s %10s %10s %10s %-24s %7s%s%s%s\n", job,
		primary ? kv_bold(file) : "", name,
		value_text(j.side[KV_KERNEL], rate, KV_UNIT_NS, kernel),
		value_text(j.side[KV_USER], rate, KV_UNIT_NS, user),
		signed_text(j.difference.estimate, rate, text[2]), range,
		ratio_text(j.ratio.estimate, text[3]), *said ? "  " : "", said,
		primary ? kv_plain(file) : "");
}

static bool same_case(const struct kv_arm *a, const struct kv_arm *b)
{
	const struct kv_step *x = &a->job[KV_USER].step[0], *y = &b->job[KV_USER].step[0];

	return !a->quiet && !b->quiet && a->as == b->as && x->op == y->op && x->size == y->size;
}

static void print_case(FILE *file, const struct kv_compare *compare, u32 index)
{
	const struct kv_arm *arm = &compare->arm[index];
	const struct kv_step *step = &arm->job[KV_USER].step[0];
	bool times = kv_unit_is_time(compare->options.unit);
	char size[KV_TEXT], job[48];
	u32 value;

	snprintf(job, sizeof(job), "%s %s", arm->job[KV_USER].shape == KVERBS_SHAPE_SETUP ?
		 "setup" : kv_op_name(step->op), kv_text_size(step->size, size));
	if (index && same_case(arm, arm - 1))
		job[0] = '\0';
	else if (index)
		fputc('\n', file);
	for (value = 0; value < KV_VALUES; value++) {
		if (!shown(arm, value))
			continue;
		if (times)
			print_row(file, compare, index, value, job);
		else
			print_count(file, compare, index, value, job);
		job[0] = '\0';
		if (compare->options.as == KV_AS_BOTH && arm->primary == value)
			snprintf(job, sizeof(job), "  %s", kv_as_name(arm->as));
	}
}

static void print_table(FILE *file, const struct kv_compare *compare)
{
	bool times = kv_unit_is_time(compare->options.unit);
	u32 i;

	if (times)
		fprintf(file, "\n%s%-14s %-13s %10s %10s %10s %-24s %7s  %s%s\n",
			kv_bold(file), "job", "", "kernel", "user", "kernel-user",
			"[95 % interval]", "k / u", "verdict", kv_plain(file));
	else
		fprintf(file, "\n%s%-16s %-12s %10s %10s %14s %14s%s\n", kv_bold(file), "job",
			kv_unit_name(compare->options.unit), "kernel", "user", "kernel - user",
			"kernel / user", kv_plain(file));
	for (i = 0; i < compare->narms; i++) {
		if (!compare->arm[i].quiet)
			print_case(file, compare, i);
	}
}

double kv_part_mean(const struct kv_arm *arm, enum kv_side side, u32 part)
{
	const struct kv_parts *parts = &arm->parts[side];

	return parts->runs ? parts->sum[part] / parts->runs : NAN;
}

/* mean of an operation: the sum of its parts; those that are not told apart are in others */
double kv_parts_mean(const struct kv_arm *arm, enum kv_side side)
{
	double sum = 0, mean;
	u32 part;

	for (part = 0; part < KV_PARTS; part++) {
		mean = kv_part_mean(arm, side, part);
		sum += isfinite(mean) ? mean : 0;
	}
	return arm->parts[side].runs ? sum : NAN;
}

/* "kernel +180 = +120 post +60 poll": means, for medians do not add up */
static void print_parts(FILE *file, const struct kv_compare *compare)
{
	static const char *const name[KV_PARTS] = { "post", "wait", "poll", "clock and loop" };
	char text[KV_TEXT], size[KV_TEXT];
	const struct kv_arm *arm;
	bool told = false;
	u32 part;

	for (arm = compare->arm; arm < compare->arm + compare->narms; arm++) {
		double all = kv_parts_mean(arm, KV_KERNEL) - kv_parts_mean(arm, KV_USER);
		const struct kv_job *job = &arm->job[KV_USER];

		if (arm->quiet || !isfinite(all) ||
		    !isfinite(kv_part_mean(arm, KV_USER, KV_PART_POLL)))
			continue;
		if (!told)
			fprintf(file,
				"%swhere the difference goes%s: means of an operation, ns, which add up\n",
				kv_bold(file), kv_plain(file));
		told = true;
		fprintf(file, "  %s %s, %s%s%s: kernel %s =", kv_op_name(job->step[0].op),
			kv_text_size(job->step[0].size, size), kv_shape_name(job->shape),
			compare->options.as == KV_AS_BOTH ? ", " : "",
			compare->options.as == KV_AS_BOTH ? kv_as_name(arm->as) : "",
			signed_text(all, false, text));
		for (part = 0; part < KV_PARTS; part++)
			fprintf(file, " %s %s", signed_text(kv_part_mean(arm, KV_KERNEL, part) -
							    kv_part_mean(arm, KV_USER, part),
							    false, text),
				part == KV_PART_CLOCK && job->reg != KVERBS_REG_ONCE ?
				"registration, clock and loop" : name[part]);
		fputc('\n', file);
	}
}

/* native less matched is what settings explain; matched is the stack's */
static void print_split(FILE *file, const struct kv_compare *compare)
{
	struct kv_judgement matched;
	struct kv_infer settings;
	char text[6][KV_TEXT], size[KV_TEXT];
	u32 i;

	for (i = 1; i < compare->narms && compare->options.as == KV_AS_BOTH; i++) {
		const struct kv_arm *arm = &compare->arm[i];
		bool rate = arm->primary != KV_NO_PRIMARY && kv_value_rules[arm->primary].rate;
		const char *unit = rate ? "/s" : kv_unit_name(compare->options.unit);
		const struct kv_job *job = &arm->job[KV_USER];

		if (arm->as != KV_AS_NATIVE || arm->primary == KV_NO_PRIMARY)
			continue;
		kv_trial_difference(compare->trial, i, i - 1, arm->primary, &settings);
		kv_trial_judge(compare->trial, i - 1, arm->primary, &matched);
		fprintf(file,
			"%s %s, %s: settings explain %s %s [%s .. %s], the stack %s %s [%s .. %s]\n",
			kv_op_name(job->step[0].op), kv_text_size(job->step[0].size, size),
			kv_shape_name(job->shape), signed_text(settings.estimate, rate, text[1]),
			unit, signed_text(settings.low, rate, text[2]),
			signed_text(settings.high, rate, text[3]),
			signed_text(matched.difference.estimate, rate, text[4]), unit,
			signed_text(matched.difference.low, rate, text[5]),
			signed_text(matched.difference.high, rate, text[0]));
	}
}

/* the first arm of a shape after another one, to tell its settings */
static const struct kv_arm *next_arm(const struct kv_compare *compare, bool window,
				     const struct kv_arm *after)
{
	const struct kv_arm *arm = after ? after + 1 : compare->arm;

	for (; arm < compare->arm + compare->narms; arm++) {
		if (kv_shape_rules[arm->job[KV_USER].shape].window == window && arm->runs &&
		    !arm->quiet)
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

/* turns of the control path */
static void print_turns(FILE *file, const struct kv_arm *arm)
{
	const struct kv_job *job = &arm->granted[KV_USER];

	if (job->shape == KVERBS_SHAPE_SETUP && job->connect == KVERBS_CONNECT_CM)
		fprintf(file,
			"turns: %u connection%s of rdma_cm at once, each of two QPs of %u WRs with a CQ each; each call timed; ",
			job->storm, job->storm > 1 ? "s" : "", job->outstanding);
	else if (job->shape == KVERBS_SHAPE_SETUP)
		fprintf(file,
			"turns: %u CQ%s and QP%s of %u WRs at once, each QP its own peer; each call timed; ",
			job->storm, job->storm > 1 ? "s" : "", job->storm > 1 ? "s" : "",
			job->outstanding);
	else
		fprintf(file,
			"turns: %u WRs outstanding when an error comes, by %s; each call timed; ",
			job->outstanding, kv_recover_name(job->recover));
	print_lengths(file, &arm->job[KV_USER]);
	fputc('\n', file);
}

static void print_windows(FILE *file, const struct kv_compare *compare)
{
	const struct kv_arm *arm = NULL;
	const char *lead = kv_unit_is_time(compare->options.unit) ? "rates: " : "chains: ";
	char size[KV_TEXT];

	while ((arm = next_arm(compare, true, arm))) {
		const struct kv_job *job = &arm->granted[KV_USER];

		if (kv_shape_rules[job->shape].control || window_told(compare, arm))
			continue;
		fprintf(file, "%s%s: %u outstanding, chains of %u, one in %u signalled", lead,
			kv_text_size(job->step[0].size, size), job->outstanding, job->chain,
			job->signal);
		lead = "; ";
	}
	if (*lead == ';')
		fputc('\n', file);
}

static void print_design(FILE *file, const struct kv_compare *compare)
{
	const struct kv_trial *trial = compare->trial;
	char why[160];

	kv_trial_why(trial, why, sizeof(why));
	fprintf(file,
		"%u block%s%s, each of four runs of every job (ABBA or BAAB, seed %llu): %s\n",
		trial->blocks, trial->blocks == 1 ? "" : "s",
		trial->begun > trial->blocks ? " and one that is not complete" : "",
		trial->design.seed, why);
	fprintf(file, "%u runs, each on fresh QPs, CQs, MRs and buffers", compare->runs);
	if (kv_unit_is_time(compare->options.unit))
		fprintf(file, ", in %.1f s", trial->elapsed_s);
	fprintf(file, "; settings %s\n", kv_as_name(compare->options.as));
}

static void print_terms(FILE *file, const struct kv_compare *compare)
{
	const struct kv_arm *lat = next_arm(compare, false, NULL);
	const struct kv_arm *any = lat ? lat : next_arm(compare, true, NULL);
	bool times = kv_unit_is_time(compare->options.unit);
	const struct kv_job *k, *u;
	u32 i, ncpus;

	print_design(file, compare);
	if (lat) {
		fprintf(file, "%s: one WR outstanding, every WR signalled, every call %s; ",
			times ? "times" : "calls", times ? "timed" : "counted");
		print_lengths(file, &lat->job[KV_USER]);
		fputc('\n', file);
	}
	print_windows(file, compare);
	if (!any)
		return;
	if (kv_shape_rules[any->granted[KV_USER].shape].control)
		print_turns(file, any);
	k = &any->granted[*any->absent[KV_KERNEL] ? KV_USER : KV_KERNEL];
	u = &any->granted[*any->absent[KV_USER] ? KV_KERNEL : KV_USER];
	fprintf(file, "both: MTU %u bytes", k->mtu);
	if (k->gid_index != KV_AUTO)
		fprintf(file, ", GID %u", k->gid_index);
	ncpus = any->job[KV_USER].ncpus;
	fputs(ncpus > 1 ? ", lanes on CPUs" : ", lane on CPU", file);
	for (i = 0; i < ncpus && i < CPUS_SHOWN; i++)
		fprintf(file, "%s%u", i ? "," : " ", any->job[KV_USER].cpu[i]);
	if (i < ncpus)
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
	const struct kv_step *step = &quiet->job[KV_USER].step[0];
	const struct kv_trial *trial = compare->trial;
	char size[KV_TEXT], text[4][KV_TEXT];
	u32 i, arm;

	if (!quiet->quiet)
		return;
	for (i = 0; i < 4; i++) {
		arm = i % 2 ? compare->narms - 1 : 0;
		kv_text_value(kv_trial_median(trial, arm, KV_VALUE_OP, i / 2), KV_UNIT_NS, text[i]);
	}
	fprintf(file,
		"cost of measuring: one %s of %s in the loop takes %s ns timed and %s ns untimed in the kernel, %s and %s ns in user space (medians; nothing is subtracted)\n",
		kv_op_name(step->op), kv_text_size(step->size, size), text[0], text[1], text[2],
		text[3]);
}

/* the load beside each job, which is the same for both sides, and what it did meanwhile */
static void print_beside(FILE *file, const struct kv_compare *compare)
{
	const struct kv_with *with = &compare->options.with;
	char steps[KV_STEPS_TEXT], size[KV_TEXT], text[2][KV_TEXT];
	const struct kv_beside_sum *sum;
	const struct kv_arm *arm;
	u32 side;

	if (!with->given)
		return;
	fprintf(file, "beside: %s engine for both sides: %s of %s, %s\n", with->engine->name,
		kv_steps_name(&with->job, steps), kv_text_size(kv_job_size(&with->job), size),
		kv_shape_name(with->job.shape));
	for (arm = compare->arm; arm < compare->arm + compare->narms; arm++) {
		for (side = 0; side < KV_SIDES; side++) {
			sum = &arm->beside[side];
			if (!sum->runs || arm->quiet)
				continue;
			fprintf(file,
				"  beside %s of %s, %s, %s: %s%s/s, %sB/s (means of %u runs)\n",
				kv_op_name(arm->job[side].step[0].op),
				kv_text_size(arm->job[side].step[0].size, size),
				kv_shape_name(arm->job[side].shape),
				side == KV_KERNEL ? "kernel" : "user",
				kv_text_rate(sum->ops_s / sum->runs, text[0]),
				kv_shape_rules[with->job.shape].counted,
				kv_text_rate(sum->bytes_s / sum->runs, text[1]), sum->runs);
		}
	}
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
				kv_op_name(arm->job[side].step[0].op),
				kv_shape_name(arm->job[side].shape), arm->absent[side]);
		}
	}
}

static void print_time_notes(FILE *file, const struct kv_compare *compare)
{
	bool software = compare->env.facts.software;

	fprintf(file,
		"\nkernel, user: medians over runs; kernel-user, k / u: over blocks, by signed ranks, with 95 %% intervals\n"
		);
	fputs("a time below 0, or a ratio below 1: kernel cheaper; of a rate: kernel slower\n",
	      file);
	fprintf(file,
		"verdicts: one value a job%s, differences within %.4g %% counting as none; the others are secondary\n",
		kv_trial_primaries(compare->trial) > 1 ?
		", corrected for the number of jobs (Holm)" : "", 100 * compare->options.margin);
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
	fputs("exact: every sample of every run is that number; ", file);
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
	fprintf(file,
		"\n%swhat was made equal, and what differs by nature and is part of every difference%s\n",
		kv_bold(file), kv_plain(file));
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
			kv_shape_name(arm->job[KV_USER].shape), k->sq_depth, k->rq_depth,
			k->cq_depth, u->sq_depth, u->rq_depth, u->cq_depth);
		return;
	}
}

static void print_proof_row(FILE *file, const char *name, const struct kv_proof_row *row)
{
	char text[5][KV_TEXT];

	if (!row->done)
		return;
	fprintf(file, "  %-34s %s and %s ns: %s [%s .. %s]", name,
		kv_text_value(row->judgement.side[KV_KERNEL], KV_UNIT_NS, text[0]),
		kv_text_value(row->judgement.side[KV_USER], KV_UNIT_NS, text[1]),
		signed_text(row->judgement.difference.estimate, false, text[2]),
		signed_text(row->judgement.difference.low, false, text[3]),
		signed_text(row->judgement.difference.high, false, text[4]));
	if (row->planted > 0)
		fprintf(file, ", planted %s: %s, %s",
			kv_text_value(row->planted, KV_UNIT_NS, text[0]),
			kv_proof_found(row) ? "found" : "NOT FOUND",
			kv_proof_holds(row) ? "in the interval" : "NOT in the interval");
	else
		fprintf(file, ": %s", kv_finding_name(row->judgement.finding));
	fputc('\n', file);
}

static void print_proof(FILE *file, const struct kv_compare *compare)
{
	static const char *const name[KV_PROOF_PARTS] = {
		"kernel against itself", "user space against itself",
		"kernel with a wait, and without", "user space with a wait, and without",
		"null device, kernel and user space",
	};
	const struct kv_proof *proof = compare->proof;
	char text[KV_TEXT];
	u32 i;

	if (!proof)
		return;
	if (isfinite(proof->resolves))
		fprintf(file, "%sthis host resolves %s ns (%.2g %%) at p50%s\n", kv_bold(file),
			kv_text_value(proof->resolves, KV_UNIT_NS, text), 100 * proof->share,
			kv_plain(file));
	else
		fputs("too few blocks to say what this host resolves; give it more --time\n", file);
	for (i = 0; i < KV_PROOF_PARTS; i++)
		print_proof_row(file, name[i], &proof->row[i]);
	if (*proof->floor)
		fprintf(file, "  null device: %s\n", proof->floor);
	fputc('\n', file);
}

/**
 * kv_print_compare - the table of a comparison
 * @file: where to
 * @compare: with at least one run
 */
void kv_print_compare(FILE *file, const struct kv_compare *compare)
{
	print_proof(file, compare);
	kv_print_env(file, &compare->env);
	print_terms(file, compare);
	print_depths(file, compare);
	print_clocks(file, compare);
	print_table(file, compare);
	fputc('\n', file);
	print_absent(file, compare);
	print_beside(file, compare);
	print_split(file, compare);
	print_parts(file, compare);
	print_disturbance(file, compare);
	print_notes(file, compare);
}
