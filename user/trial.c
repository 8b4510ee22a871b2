// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The unit is the block: of every arm four runs, kernel, user, user, kernel or
 * the other way round, as drawn. Its difference (mean of the two kernel runs less
 * mean of the two user runs) has no drift in it that is linear over the block,
 * and as the order is drawn, its error is as likely to have one sign as the
 * other: that, and nothing about the distribution, is what a signed-rank
 * interval needs.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "kverbs.h"
#include "trial.h"

#define POWER_Z		0.8416	/* found four times in five */
#define LEVEL_Z		1.9600	/* of 95 % */

/* splitmix64: any seed will do, and equal seeds make equal orders everywhere */
static u64 draw(struct kv_trial *trial)
{
	u64 z = trial->random += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static void shuffle(struct kv_trial *trial, u32 *order)
{
	u32 i, j, swap;

	for (i = 0; i < trial->narms; i++)
		order[i] = i;
	for (i = trial->narms; i > 1; i--) {
		j = (u32)(draw(trial) % i);
		swap = order[i - 1];
		order[i - 1] = order[j];
		order[j] = swap;
	}
}

static double *run_at(const struct kv_trial *trial, u32 block, u32 arm, u32 turn)
{
	return trial->value + (((size_t)block * trial->narms + arm) * KV_TURNS + turn) *
			      trial->nvalues;
}

/**
 * kv_trial_side - who has a turn
 * @trial: trial
 * @block: of those begun
 * @arm: arm
 * @turn: the outer two of a block are one side's, the inner two the other's
 * Return: the side
 */
enum kv_side kv_trial_side(const struct kv_trial *trial, u32 block, u32 arm, u32 turn)
{
	bool inner = turn == 1 || turn == 2;

	return trial->user_first[(size_t)block * trial->narms + arm] == inner ? KV_KERNEL :
										 KV_USER;
}

/* one value of one run; NaN where it was not measured */
double kv_trial_value(const struct kv_trial *trial, u32 block, u32 arm, u32 turn, u32 value)
{
	return run_at(trial, block, arm, turn)[value];
}

/**
 * kv_trial_new - a trial with nothing measured yet
 * @design: copied
 * @narms: up to KV_ARMS_MAX; set their @primary
 * @nvalues: of a run
 * Return: it, or NULL without memory
 */
struct kv_trial *kv_trial_new(const struct kv_design *design, u32 narms, u32 nvalues)
{
	struct kv_trial *trial = calloc(1, sizeof(*trial));
	u32 arm;

	if (!trial)
		return NULL;
	trial->design = *design;
	trial->narms = narms;
	trial->nvalues = nvalues;
	trial->random = design->seed;
	for (arm = 0; arm < narms; arm++)
		trial->p_holm[arm] = NAN;
	return trial;
}

void kv_trial_free(struct kv_trial *trial)
{
	if (!trial)
		return;
	free(trial->value);
	free(trial->user_first);
	free(trial);
}

/* room for one more block */
static int make_room(struct kv_trial *trial, struct kv_error *error)
{
	size_t row = (size_t)trial->narms * KV_TURNS * trial->nvalues, i;
	u32 room = trial->room ? 2 * trial->room : 16;
	bool *user_first;
	double *value;

	if (trial->blocks == trial->room) {
		value = realloc(trial->value, room * row * sizeof(*value));
		if (value)
			trial->value = value;
		user_first = realloc(trial->user_first, (size_t)room * trial->narms);
		if (user_first)
			trial->user_first = user_first;
		if (!value || !user_first)
			return kv_error_set(error, KV_EXIT_ENVIRONMENT, "out of memory");
		trial->room = room;
	}
	for (i = 0; i < row; i++)
		trial->value[trial->blocks * row + i] = NAN;
	return 0;
}

/* 0, 1 when it was stopped before its end, or -1 */
static int run_block(struct kv_trial *trial, const struct kv_source *source,
		     struct kv_error *error)
{
	u32 order[KV_ARMS_MAX], i, arm, turn, block = trial->blocks;
	enum kv_side side;

	if (make_room(trial, error))
		return -1;
	shuffle(trial, order);
	for (arm = 0; arm < trial->narms; arm++)
		trial->user_first[(size_t)block * trial->narms + arm] = draw(trial) >> 63;
	trial->begun = block + 1;
	for (i = 0; i < trial->narms; i++) {
		arm = order[i];
		for (turn = 0; turn < KV_TURNS; turn++) {
			if (source->stopped(source->of))
				return 1;
			side = kv_trial_side(trial, block, arm, turn);
			if (source->run(source->of, arm, side, block, turn,
					run_at(trial, block, arm, turn), error))
				return -1;
		}
	}
	return source->stopped(source->of);
}

/**
 * kv_trial_block - a side's value of a block
 * @trial: trial
 * @arm: arm
 * @value: value
 * @side: side
 * @block: of those begun
 * Return: mean of its two runs, NaN unless both have it
 */
double kv_trial_block(const struct kv_trial *trial, u32 arm, u32 value, enum kv_side side,
		      u32 block)
{
	double sum = 0;
	u32 turn;

	for (turn = 0; turn < KV_TURNS; turn++) {
		if (kv_trial_side(trial, block, arm, turn) == side)
			sum += kv_trial_value(trial, block, arm, turn, value);
	}
	return sum / 2;
}

/* median over all runs of a side; NaN without any */
double kv_trial_median(const struct kv_trial *trial, u32 arm, u32 value, enum kv_side side)
{
	double *sample = malloc((2 * (size_t)trial->begun + 1) * sizeof(*sample)), median = NAN;
	u32 block, turn, n = 0;

	for (block = 0; sample && block < trial->begun; block++) {
		for (turn = 0; turn < KV_TURNS; turn++) {
			double x = kv_trial_value(trial, block, arm, turn, value);

			if (kv_trial_side(trial, block, arm, turn) == side && isfinite(x))
				sample[n++] = x;
		}
	}
	if (n)
		median = kv_infer_median(sample, n);
	free(sample);
	return median;
}

static double margin_of(const struct kv_trial *trial, u32 arm, u32 value)
{
	double margin = trial->design.margin *
			kv_trial_median(trial, arm, value, KV_USER);

	if (trial->rates & 1U << value)
		return margin;
	return margin < trial->design.tick ? trial->design.tick : margin;
}

/*
 * Blocks after which the interval of an arm should be as wide as the margin, so
 * that it can lie within it, or on one side of zero. The spread is that of two
 * contrasts in which each side is compared with itself: they have in them nothing
 * of the difference, nor of which side was first, so that the number of blocks
 * tells nothing of either.
 */
static double blocks_needed(const struct kv_trial *trial, u32 arm)
{
	double *contrast = calloc(2 * (size_t)trial->blocks, sizeof(*contrast)), width;
	u32 value = trial->primary[arm], block, n = 0;
	struct kv_infer infer;

	for (block = 0; contrast && block < trial->blocks; block++) {
		double outer = kv_trial_value(trial, block, arm, 0, value) -
			       kv_trial_value(trial, block, arm, 3, value);
		double inner = kv_trial_value(trial, block, arm, 1, value) -
			       kv_trial_value(trial, block, arm, 2, value);

		if (!isfinite(outer + inner))
			continue;
		contrast[n++] = (outer + inner) / 2;
		contrast[n++] = (outer - inner) / 2;
	}
	if (!contrast || kv_infer_paired(contrast, n, trial->design.level, &infer)) {
		free(contrast);
		return 0;
	}
	free(contrast);
	width = (infer.high - infer.low) / margin_of(trial, arm, value);
	return isfinite(width) ? ceil(n * width * width) : 0;
}

/* values that are judged */
u32 kv_trial_primaries(const struct kv_trial *trial)
{
	u32 arm, n = 0;

	for (arm = 0; arm < trial->narms; arm++)
		n += trial->primary[arm] != KV_NO_PRIMARY;
	return n;
}

/* the fewest blocks of which one arm alone can be called different */
static u32 least_blocks(const struct kv_trial *trial)
{
	u32 n = KV_PILOT;

	while (ldexp(kv_trial_primaries(trial), 1 - (int)n) > 1 - trial->design.level)
		n++;
	return n;
}

/* the pilot is over: fix the number of blocks, once */
static void plan(struct kv_trial *trial, double elapsed)
{
	const struct kv_design *design = &trial->design;
	double fit = floor(design->seconds * trial->blocks / elapsed), needed = 0, target;
	u32 least = least_blocks(trial), arm;

	for (arm = 0; arm < trial->narms; arm++) {
		if (trial->primary[arm] != KV_NO_PRIMARY)
			needed = fmax(needed, blocks_needed(trial, arm));
	}
	trial->pilot = trial->blocks;
	trial->wanted = (u32)fmin(needed, 1e9);
	trial->end = KV_END_PRECISE;
	target = fmax(needed, least);
	if (design->seconds > 0 && target > fit && (design->hard || target > least)) {
		target = design->hard ? fit : fmax(fit, least);
		trial->end = target < needed ? KV_END_TIME : KV_END_PRECISE;
	}
	if (target > KV_BLOCKS_MAX) {
		target = KV_BLOCKS_MAX;
		trial->end = KV_END_MOST;
	}
	trial->planned = target > trial->blocks ? (u32)target : trial->blocks;
}

static u32 first_target(struct kv_trial *trial)
{
	if (trial->design.repeats)
		trial->end = KV_END_REPEATS;
	if (trial->design.blocks)
		trial->end = KV_END_ASKED;
	return trial->design.blocks ? trial->design.blocks :
	       trial->design.repeats ? trial->design.repeats : KV_PILOT;
}

static int run_blocks(struct kv_trial *trial, const struct kv_source *source,
		      struct kv_error *error)
{
	const struct kv_design *design = &trial->design;
	u32 target = first_target(trial);
	double start = source->seconds(source->of);
	int rc;

	while (trial->blocks < target) {
		rc = run_block(trial, source, error);
		trial->elapsed_s = source->seconds(source->of) - start;
		if (rc) {
			trial->end = rc < 0 ? KV_END_FAILED : KV_END_STOPPED;
			return rc < 0 ? -1 : 0;
		}
		trial->blocks++;
		if (trial->blocks == KV_PILOT && target == KV_PILOT && !design->blocks &&
		    !design->repeats) {
			plan(trial, trial->elapsed_s);
			target = trial->planned;
		}
		if (trial->blocks < target && design->hard &&
		    trial->elapsed_s >= design->seconds) {
			trial->end = KV_END_TIME;
			break;
		}
	}
	return 0;
}

/* differences of the blocks that have a value of both sides; how many */
static u32 differences(const struct kv_trial *trial, u32 arm, u32 value, double *difference,
		       double *log_ratio)
{
	u32 block, n = 0;

	for (block = 0; block < trial->blocks; block++) {
		double kernel = kv_trial_block(trial, arm, value, KV_KERNEL, block);
		double user = kv_trial_block(trial, arm, value, KV_USER, block);

		if (!isfinite(kernel) || !isfinite(user))
			continue;
		difference[n] = kernel - user;
		log_ratio[n++] = log(kernel / user);
	}
	return n;
}

static void infer(const struct kv_trial *trial, u32 arm, u32 value, struct kv_judgement *out)
{
	double *difference = calloc(2 * (size_t)trial->blocks + 2, sizeof(*difference));
	double *log_ratio = difference + trial->blocks + 1;
	bool ratios = true;
	u32 i;

	out->n = difference ? differences(trial, arm, value, difference, log_ratio) : 0;
	for (i = 0; i < out->n; i++)
		ratios &= isfinite(log_ratio[i]);
	kv_infer_paired(difference, out->n, trial->design.level, &out->difference);
	kv_infer_paired(log_ratio, ratios ? out->n : 0, trial->design.level, &out->ratio);
	out->ratio.estimate = exp(out->ratio.estimate);
	out->ratio.low = exp(out->ratio.low);
	out->ratio.high = exp(out->ratio.high);
	free(difference);
}

static void adjust(struct kv_trial *trial)
{
	double *difference = calloc(2 * (size_t)trial->blocks + 2, sizeof(*difference));
	struct kv_infer shift;
	u32 arm, n;

	for (arm = 0; difference && arm < trial->narms; arm++) {
		if (trial->primary[arm] == KV_NO_PRIMARY)
			continue;
		n = differences(trial, arm, trial->primary[arm], difference,
				difference + trial->blocks + 1);
		kv_infer_paired(difference, n, trial->design.level, &shift);
		trial->p_holm[arm] = shift.p;
	}
	kv_infer_holm(trial->p_holm, trial->narms);
	free(difference);
}

/**
 * kv_trial_run - measure blocks until there are enough
 * @trial: new; its arms' @primary are set
 * @source: of runs
 * @error: filled on failure
 * Return: 0, also when it was stopped, or -1; the blocks until then count
 */
int kv_trial_run(struct kv_trial *trial, const struct kv_source *source, struct kv_error *error)
{
	int rc = run_blocks(trial, source, error);

	adjust(trial);
	return rc;
}

/**
 * kv_trial_judge - what is said of one value of an arm
 * @trial: that was run
 * @arm: arm
 * @value: value
 * @out: filled; a verdict belongs to the primary value only
 */
void kv_trial_judge(const struct kv_trial *trial, u32 arm, u32 value, struct kv_judgement *out)
{
	struct kv_infer judged;
	u32 side;

	for (side = 0; side < KV_SIDES; side++)
		out->side[side] = kv_trial_median(trial, arm, value, side);
	infer(trial, arm, value, out);
	out->margin = margin_of(trial, arm, value);
	out->smallest = (out->difference.high - out->difference.low) / 2 *
			(LEVEL_Z + POWER_Z) / LEVEL_Z;
	out->p_holm = trial->primary[arm] == value ? trial->p_holm[arm] : NAN;
	judged = out->difference;
	judged.p = out->p_holm;
	out->finding = kv_infer_finding(&judged, out->margin);
}

/**
 * kv_trial_difference - how far the differences of two arms are apart, block by block
 * @trial: that was run
 * @arm: kernel - user of this one
 * @other: less kernel - user of this one
 * @value: of both
 * @out: filled
 */
void kv_trial_difference(const struct kv_trial *trial, u32 arm, u32 other, u32 value,
			 struct kv_infer *out)
{
	double *apart = calloc(trial->blocks + 1, sizeof(*apart));
	u32 block, n = 0;

	for (block = 0; apart && block < trial->blocks; block++) {
		double x = kv_trial_block(trial, arm, value, KV_KERNEL, block) -
			   kv_trial_block(trial, arm, value, KV_USER, block) -
			   kv_trial_block(trial, other, value, KV_KERNEL, block) +
			   kv_trial_block(trial, other, value, KV_USER, block);

		if (isfinite(x))
			apart[n++] = x;
	}
	kv_infer_paired(apart, n, trial->design.level, out);
	free(apart);
}

/* the order of an arm's runs in a block, A being the kernel's */
const char *kv_trial_order(const struct kv_trial *trial, u32 block, u32 arm)
{
	return kv_trial_side(trial, block, arm, 0) == KV_KERNEL ? "ABBA" : "BAAB";
}

/**
 * kv_trial_why - why there are no more blocks, in words
 * @trial: that was run
 * @text: filled
 * @size: its room
 */
void kv_trial_why(const struct kv_trial *trial, char *text, size_t size)
{
	double percent = 100 * trial->design.margin;

	switch (trial->end) {
	case KV_END_ASKED:
		snprintf(text, size, "as many as were asked for");
		break;
	case KV_END_PRECISE:
		if (!trial->wanted)
			snprintf(text, size, "the first %u do not vary", trial->pilot);
		else
			snprintf(text, size,
				 "a margin of %.4g %% takes %u by the spread of the first %u",
				 percent, trial->wanted, trial->pilot);
		break;
	case KV_END_TIME:
		if (trial->pilot)
			snprintf(text, size,
				 "as many as fit %.4g s; a margin of %.4g %% would take about %u",
				 trial->design.seconds, percent, trial->wanted);
		else
			snprintf(text, size, "as many as fit %.4g s", trial->design.seconds);
		break;
	case KV_END_MOST:
		snprintf(text, size, "never more; a margin of %.4g %% would take about %u",
			 percent, trial->wanted);
		break;
	case KV_END_REPEATS:
		snprintf(text, size, "the numbers repeat");
		break;
	case KV_END_STOPPED:
		snprintf(text, size, "stopped by Ctrl-C");
		break;
	case KV_END_FAILED:
		snprintf(text, size, "a run failed");
		break;
	}
}
