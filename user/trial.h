/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The design of a comparison and what it allows to be said: blocks of runs in an
 * order that is drawn, how many of them, and the judgement over all arms. Where
 * the runs come from is the caller's.
 */
#ifndef KV_TRIAL_H
#define KV_TRIAL_H

#include <stdbool.h>
#include "engine.h"
#include "infer.h"

#define KV_ARMS_MAX		32
#define KV_TURNS		4	/* runs of an arm in a block: ABBA or BAAB */
#define KV_PILOT		8	/* blocks after which their number is fixed */
#define KV_BLOCKS_MAX		1000
#define KV_TRIAL_SECONDS	24.0	/* of all blocks, when nothing else was asked for */
#define KV_MARGIN		0.02	/* of the user engine's value */
#define KV_NO_PRIMARY		(~0U)

enum kv_side {
	KV_KERNEL,
	KV_USER,
	KV_SIDES,
};

/* why no further block was measured; none of it looks at a sign or a verdict */
enum kv_end {
	KV_END_ASKED,		/* as many blocks as were asked for */
	KV_END_PRECISE,		/* as many as the pilot said the margin needs */
	KV_END_TIME,		/* fewer than that: the time would not have been enough */
	KV_END_MOST,		/* fewer than that: there are never more than so many */
	KV_END_REPEATS,		/* numbers that repeat need no more */
	KV_END_STOPPED,		/* from outside */
	KV_END_FAILED,
};

/**
 * struct kv_design - what is decided before anything is measured
 * @blocks: asked for, 0: by the pilot
 * @repeats: blocks of numbers that repeat, 0: they do not
 * @seconds: all blocks may take; 0: as long as they take
 * @hard: no block begins later, even when there are few yet
 * @seed: of every order
 * @margin: differences up to so large a share of the user's value do not matter
 * @tick: nor do those below a tick of the clock
 * @level: of the intervals
 */
struct kv_design {
	u32 blocks;
	u32 repeats;
	double seconds;
	bool hard;
	u64 seed;
	double margin;
	double tick;
	double level;
};

/**
 * struct kv_source - where runs come from
 * @of: handed to all
 * @run: one run of an arm on a side; value[] is NaN and takes what was measured
 * @seconds: the clock that the time is held to
 * @stopped: no further run is wanted
 */
struct kv_source {
	void *of;
	int (*run)(void *of, u32 arm, enum kv_side side, u32 block, u32 turn, double *value,
		   struct kv_error *error);
	double (*seconds)(void *of);
	bool (*stopped)(void *of);
};

/**
 * struct kv_trial - blocks that were measured
 * @narms: arms of a block
 * @nvalues: values of a run
 * @primary: of each arm, the value that is judged; KV_NO_PRIMARY: none is
 * @rates: mask of the values that no tick bounds, being no times
 * @blocks: complete
 * @begun: with the one that was not completed
 * @pilot: blocks that the plan was made from, 0: none was
 * @wanted: blocks that the margin needs, from the pilot; 0: not known
 * @planned: blocks that were decided on then
 * @end: why it ended
 * @elapsed_s: of the blocks
 * @p_holm: of each arm's primary value, adjusted for all of them
 * @value: [((block * narms + arm) * KV_TURNS + turn) * nvalues + value]
 * @user_first: [block * narms + arm]
 * @random: state of the generator
 */
struct kv_trial {
	struct kv_design design;
	u32 narms;
	u32 nvalues;
	u32 primary[KV_ARMS_MAX];
	u32 rates;
	u32 blocks;
	u32 begun;
	u32 pilot;
	u32 wanted;
	u32 planned;
	u32 room;
	enum kv_end end;
	double elapsed_s;
	double p_holm[KV_ARMS_MAX];
	double *value;
	bool *user_first;
	u64 random;
};

/**
 * struct kv_judgement - what is said of one value of an arm
 * @n: blocks that have it of both sides
 * @side: median over the runs of each side
 * @difference: kernel - user; @difference.p as it is
 * @ratio: kernel / user
 * @p_holm: of a primary value, adjusted for all of them; else NaN
 * @margin: within which the two count as the same, in the unit of the value
 * @smallest: difference that would have been found four times in five; NaN: not known
 * @finding: of a primary value
 */
struct kv_judgement {
	u32 n;
	double side[KV_SIDES];
	struct kv_infer difference;
	struct kv_infer ratio;
	double p_holm;
	double margin;
	double smallest;
	enum kv_finding finding;
};

struct kv_trial *kv_trial_new(const struct kv_design *design, u32 narms, u32 nvalues);
void kv_trial_free(struct kv_trial *trial);
int kv_trial_run(struct kv_trial *trial, const struct kv_source *source, struct kv_error *error);
enum kv_side kv_trial_side(const struct kv_trial *trial, u32 block, u32 arm, u32 turn);
double kv_trial_value(const struct kv_trial *trial, u32 block, u32 arm, u32 turn, u32 value);
double kv_trial_block(const struct kv_trial *trial, u32 arm, u32 value, enum kv_side side,
		      u32 block);
double kv_trial_median(const struct kv_trial *trial, u32 arm, u32 value, enum kv_side side);
void kv_trial_judge(const struct kv_trial *trial, u32 arm, u32 value, struct kv_judgement *out);
void kv_trial_difference(const struct kv_trial *trial, u32 arm, u32 other, u32 value,
			 struct kv_infer *out);
u32 kv_trial_primaries(const struct kv_trial *trial);
const char *kv_trial_order(const struct kv_trial *trial, u32 block, u32 arm);
void kv_trial_why(const struct kv_trial *trial, char *text, size_t size);

#endif /* KV_TRIAL_H */
