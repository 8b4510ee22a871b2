// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Verdicts: of numbers of instructions, which repeat, by looking whether they do;
 * and of all, whether they are what was expected.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "compare.h"
#include "kverbs.h"
#include "unit.h"

/* the median of an engine whose driver alone implements the job */
double kv_median_alone(const double *sample, u32 stride, u32 rounds)
{
	double *value = calloc(rounds ? rounds : 1, sizeof(*value)), middle = NAN;
	u32 i, n = 0;

	for (i = 0; value && i < rounds; i++) {
		if (isfinite(sample[i * stride]))
			value[n++] = sample[i * stride];
	}
	if (n)
		middle = kv_infer_median(value, n);
	free(value);
	return middle;
}

/**
 * kv_verdict_of - one value over the rounds
 * @kernel: values of the kernel engine, NaN where there is none
 * @user: of the user engine
 * @stride: from one round to the next
 * @rounds: rounds
 * @verdict: filled; NaN where nothing can be said
 *
 * A round counts when both engines have the value: the ratio is one of runs
 * that were neighbours in time.
 */
void kv_verdict_of(const double *kernel, const double *user, u32 stride, u32 rounds,
		   struct kv_verdict *verdict)
{
	double *value = calloc(rounds ? rounds : 1, 3 * sizeof(*value));
	double *ratio = value + rounds, *other = value + 2 * (size_t)rounds;
	u32 i, n = 0;

	*verdict = (struct kv_verdict){ 0, { NAN, NAN }, { false, false }, NAN, NAN, NAN };
	for (i = 0; value && i < rounds; i++) {
		double k = kernel[i * stride], u = user[i * stride];

		if (!isfinite(k) || !isfinite(u))
			continue;
		value[n] = k;
		other[n] = u;
		ratio[n] = u > 0 ? k / u : NAN;
		n++;
	}
	verdict->n = n;
	if (n) {
		verdict->side[KV_KERNEL] = kv_infer_median(value, n);
		verdict->side[KV_USER] = kv_infer_median(other, n);
		/* the median has sorted them */
		verdict->constant[KV_KERNEL] = value[0] == value[n - 1];
		verdict->constant[KV_USER] = other[0] == other[n - 1];
	}
	for (i = 0; i < n && isfinite(ratio[i]); i++)
		;
	if (n && i == n) {
		verdict->ratio = kv_infer_median(ratio, n);
		verdict->low = ratio[0];
		verdict->high = ratio[n - 1];
	}
	free(value);
}

/**
 * kv_tally_add - count the samples of one more run
 * @tally: of a value
 * @figure: of the run, that the value is taken from
 */
void kv_tally_add(struct kv_tally *tally, const struct kv_figure *figure)
{
	tally->count += figure->count;
	tally->same += figure->same;
	tally->other += figure->other;
	tally->disturbed += figure->disturbed;
	if (figure->width > tally->width)
		tally->width = figure->width;
}

static bool one_path(const struct kv_tally *tally)
{
	return tally->count && !tally->other;
}

/**
 * kv_verdict_exact - is the difference of two numbers of instructions exact?
 * @verdict: of the value
 * @kernel: its samples
 * @user: likewise
 *
 * It is when in both engines every sample of every round is one and the same
 * number, but for those that an interrupt hit.
 */
bool kv_verdict_exact(const struct kv_verdict *verdict, const struct kv_tally *kernel,
		      const struct kv_tally *user)
{
	return verdict->n && verdict->constant[KV_KERNEL] && verdict->constant[KV_USER] &&
	       one_path(kernel) && one_path(user) && kernel->width == 1 && user->width == 1;
}

static double percent(const struct kv_tally *tally)
{
	return 100.0 * (double)tally->same / (double)(tally->count - tally->disturbed);
}

/**
 * kv_verdict_text - what can be said of two numbers of instructions
 * @verdict: of the value
 * @kernel: its samples
 * @user: likewise
 * @text: filled
 * @size: its room
 * Return: @text
 */
const char *kv_verdict_text(const struct kv_verdict *verdict, const struct kv_tally *kernel,
			    const struct kv_tally *user, char *text, size_t size)
{
	u64 width = kernel->width > user->width ? kernel->width : user->width;

	if (!verdict->n || !kernel->count || !user->count)
		snprintf(text, size, "-");
	else if (!verdict->constant[KV_KERNEL] || !verdict->constant[KV_USER])
		snprintf(text, size, "rounds differ, ratio %.3f .. %.3f", verdict->low,
			 verdict->high);
	else if (!one_path(kernel) || !one_path(user))
		snprintf(text, size, "of %.4g %% and %.4g %%", percent(kernel), percent(user));
	else if (width > 1)
		snprintf(text, size, "exact to %llu", width - 1);
	else
		snprintf(text, size, "exact");
	return text;
}

/* the two pairs of neighbours of a block: runs one and two, three and four */
static void pairs_of(const struct kv_trial *trial, u32 arm, u32 value, double *pair[KV_SIDES])
{
	u32 block, turn, side, seen[KV_SIDES];

	for (block = 0; block < trial->blocks; block++) {
		memset(seen, 0, sizeof(seen));
		for (turn = 0; turn < KV_TURNS; turn++) {
			side = kv_trial_side(trial, block, arm, turn);
			pair[side][2 * block + seen[side]++] =
				kv_trial_value(trial, block, arm, turn, value);
		}
	}
}

/**
 * kv_verdict_counts - a number of instructions over all runs
 * @trial: that was run
 * @arm: arm
 * @value: value
 * @verdict: filled; of a side that is alone its median
 */
void kv_verdict_counts(const struct kv_trial *trial, u32 arm, u32 value,
		       struct kv_verdict *verdict)
{
	u32 pairs = 2 * trial->blocks, side;
	double *both = calloc(2 * (size_t)pairs + 1, sizeof(*both));
	double *pair[KV_SIDES] = { both, both + pairs };

	if (both)
		pairs_of(trial, arm, value, pair);
	kv_verdict_of(pair[KV_KERNEL], pair[KV_USER], 1, both ? pairs : 0, verdict);
	for (side = 0; side < KV_SIDES && !verdict->n; side++)
		verdict->side[side] = kv_trial_median(trial, arm, value, side);
	free(both);
}

/* what is found of an arm; of instructions by looking, not by inference */
static enum kv_finding finding_of(const struct kv_compare *compare, u32 arm)
{
	u32 value = compare->arm[arm].primary;
	struct kv_judgement judgement;
	struct kv_verdict verdict;

	if (kv_unit_is_time(compare->options.unit)) {
		kv_trial_judge(compare->trial, arm, value, &judgement);
		return judgement.finding;
	}
	kv_verdict_counts(compare->trial, arm, value, &verdict);
	if (!verdict.n)
		return KV_TOO_FEW;
	if (!verdict.constant[KV_KERNEL] || !verdict.constant[KV_USER])
		return KV_UNDECIDED;
	return verdict.side[KV_KERNEL] == verdict.side[KV_USER] ? KV_SAME : KV_DIFFERENT;
}

/**
 * kv_verdict_expected - are the verdicts those that were asked for?
 * @compare: that was measured
 * @error: filled when they are not
 * Return: 0, or -1: missed when one is the other verdict, else undecided
 */
int kv_verdict_expected(const struct kv_compare *compare, struct kv_error *error)
{
	u32 expect = compare->options.expect, arm, found[KV_FINDINGS] = { 0 }, judged = 0;
	enum kv_finding wrong = expect == KV_EXPECT_SAME ? KV_DIFFERENT : KV_SAME;
	u32 unknown;

	if (expect == KV_EXPECT_NOTHING)
		return 0;
	for (arm = 0; arm < compare->narms; arm++) {
		if (compare->arm[arm].primary == KV_NO_PRIMARY)
			continue;
		found[finding_of(compare, arm)]++;
		judged++;
	}
	if (found[wrong])
		return kv_error_set(error, KV_EXIT_MISSED, "expect %s: %u of %u are %s",
				    kv_expect_name(expect), found[wrong], judged,
				    kv_finding_name(wrong));
	unknown = found[KV_UNDECIDED] + found[KV_TOO_FEW];
	if (unknown || !judged)
		return kv_error_set(error, KV_EXIT_UNDECIDED,
				    "expect %s: %u of %u are undecided; use more --time, or a wider --margin",
				    kv_expect_name(expect), unknown, judged);
	return 0;
}
