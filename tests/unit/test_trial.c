// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Comparisons of made-up runs, by the function that kverbs compare calls and with
 * its rule when to stop: how often the interval holds the truth, how often a
 * difference is found that is not there, and one that is. Seeds are fixed.
 */
#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "trial.h"
#include <cmocka.h>

#define COMPARISONS	1000
#define TABLES		2000
#define BASE		1000.0		/* ns of a user run */
#define RUN_S		0.05
#define FAMILY		12		/* arms of a table */

enum noise {
	HEAVY,		/* Student's t, 2 degrees of freedom: no variance */
	BIMODAL,	/* one run in three is slower by four times the spread */
	DRIFTING,	/* a ramp and a wave, much larger than the spread */
	AR1,		/* each run remembers nine tenths of the one before */
	NOISES,
};

static const char *const noise_name[NOISES] = { "heavy-tailed", "bimodal", "drifting", "AR(1)" };

/**
 * struct world - where runs come from
 * @shift: of the kernel's runs
 * @spread: of a run
 * @runs: so far
 * @limit: runs after which it is stopped, 0: never
 * @fails: the run that fails, 0: none
 */
struct world {
	u64 random;
	enum noise noise;
	double shift;
	double spread;
	double last;
	u32 runs;
	u32 limit;
	u32 fails;
	char orders[4096];
};

/* neighbours of a generator's state go the same way for a while: spread them */
static u64 seed(u32 i)
{
	u64 z = (i + 1) * 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static double uniform(struct world *world)
{
	world->random ^= world->random << 13;
	world->random ^= world->random >> 7;
	world->random ^= world->random << 17;
	return ((double)(world->random >> 11) + 0.5) / 9007199254740992.0;
}

static double gauss(struct world *world)
{
	double u = uniform(world);

	return sqrt(-2 * log(u)) * cos(2 * M_PI * uniform(world));
}

static double noise_of(struct world *world)
{
	double t = world->runs;

	switch (world->noise) {
	case HEAVY:
		return gauss(world) / sqrt(-log(uniform(world)));
	case BIMODAL:
		return gauss(world) + (uniform(world) < 1.0 / 3 ? 4 : 0);
	case DRIFTING:
		return gauss(world) + 0.1 * t + 6 * sin(t / 37);
	case AR1:
		world->last = 0.9 * world->last + gauss(world);
		return world->last;
	default:
		return 0;
	}
}

static int run(void *of, u32 arm, enum kv_side side, u32 block, u32 turn, double *value,
	       struct kv_error *error)
{
	struct world *world = of;

	world->runs++;
	if (world->runs == world->fails) {
		error->status = KV_EXIT_MEASUREMENT;
		return -1;
	}
	if (!arm && world->runs < sizeof(world->orders))
		strcat(world->orders, side == KV_KERNEL ? "A" : "B");
	value[0] = BASE + world->spread * noise_of(world) + (side == KV_KERNEL ? world->shift : 0);
	return 0;
}

static double seconds(void *of)
{
	return ((struct world *)of)->runs * RUN_S;
}

static bool stopped(void *of)
{
	const struct world *world = of;

	return world->limit && world->runs >= world->limit;
}

static const struct kv_design usual = {
	.seconds = KV_TRIAL_SECONDS, .margin = KV_MARGIN, .tick = 1, .level = KV_LEVEL,
};

static struct kv_trial *compare(struct world *world, const struct kv_design *design, u32 narms,
				int *rc)
{
	const struct kv_source source = { world, run, seconds, stopped };
	struct kv_trial *trial = kv_trial_new(design, narms, 1);
	struct kv_error error;

	assert_non_null(trial);
	*rc = kv_trial_run(trial, &source, &error);
	return trial;
}

/* chance of at most @k of @n, each of chance @p */
static double at_most(u32 k, u32 n, double p)
{
	double sum = 0;
	u32 i;

	for (i = 0; i <= k; i++)
		sum += exp(lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1) + i * log(p) +
			   (n - i) * log1p(-p));
	return sum;
}

/* Clopper-Pearson, 95 %: the chances that @k of @n does not contradict */
static void chances(u32 k, u32 n, double *low, double *high)
{
	double from, to, mid;
	u32 i;

	for (from = 0, to = 1, i = 0; i < 50; i++) {
		mid = (from + to) / 2;
		if (k && 1 - at_most(k - 1, n, mid) < 0.025)
			from = mid;
		else
			to = mid;
	}
	*low = k ? from : 0;
	for (from = 0, to = 1, i = 0; i < 50; i++) {
		mid = (from + to) / 2;
		if (k < n && at_most(k, n, mid) > 0.025)
			from = mid;
		else
			to = mid;
	}
	*high = k < n ? from : 1;
}

static double share(const char *what, enum noise noise, u32 k, u32 n, double blocks)
{
	double low, high;

	chances(k, n, &low, &high);
	print_message("# %-12s %s: %.1f %% [%.1f .. %.1f], %.1f blocks on average\n",
		      noise_name[noise], what, 100.0 * k / n, 100 * low, 100 * high,
		      blocks / n);
	return (double)k / n;
}

/* one cell: a difference of @shift in all comparisons */
static void cell(enum noise noise, double shift, u32 *covered, u32 *different, u32 *same,
		 double *blocks)
{
	struct kv_judgement judgement;
	struct kv_design design = usual;
	struct kv_trial *trial;
	u32 i;
	int rc;

	*covered = 0;
	*different = 0;
	*same = 0;
	*blocks = 0;
	for (i = 0; i < COMPARISONS; i++) {
		struct world world = {
			.random = seed(i), .noise = noise, .shift = shift,
			.spread = 0.012 * BASE,
		};

		design.seed = i;
		trial = compare(&world, &design, 1, &rc);
		assert_int_equal(rc, 0);
		kv_trial_judge(trial, 0, 0, &judgement);
		*covered += judgement.difference.low <= shift &&
			    shift <= judgement.difference.high;
		*different += judgement.finding == KV_DIFFERENT;
		*same += judgement.finding == KV_SAME;
		*blocks += trial->blocks;
		kv_trial_free(trial);
	}
}

/* no difference: the interval holds zero, and "same" is what is found */
static void test_coverage(void **state)
{
	u32 noise, covered, different, same;
	double blocks, part;

	for (noise = 0; noise < NOISES; noise++) {
		cell(noise, 0, &covered, &different, &same, &blocks);
		part = share("A/A: interval holds 0", noise, covered, COMPARISONS, blocks);
		assert_true(part >= 0.93 && part <= 0.97);
		share("A/A: same", noise, same, COMPARISONS, blocks);
		assert_true(share("A/A: different", noise, different, COMPARISONS, blocks) < 0.05);
	}
}

/* a difference that matters is found, lies in the interval, and is not called "same" */
static void test_planted(void **state)
{
	u32 noise, covered, different, same;
	double blocks, part;

	for (noise = 0; noise < NOISES; noise++) {
		cell(noise, 1.25 * KV_MARGIN * BASE, &covered, &different, &same, &blocks);
		part = share("A/A + 2.5 %: interval holds it", noise, covered, COMPARISONS, blocks);
		assert_true(part >= 0.93 && part <= 0.975);
		part = share("A/A + 2.5 %: found", noise, different, COMPARISONS, blocks);
		assert_true(part >= 0.80);
		assert_true(share("A/A + 2.5 %: same", noise, same, COMPARISONS, blocks) < 0.05);
	}
}

/* a table of arms, none of which has a difference: is any called so? */
static void test_family(void **state)
{
	struct kv_judgement judgement;
	struct kv_design design = usual;
	struct kv_trial *trial;
	u32 noise, i, arm, wrong;
	double blocks;
	int rc;

	for (noise = 0; noise < NOISES; noise++) {
		wrong = 0;
		blocks = 0;
		for (i = 0; i < TABLES; i++) {
			struct world world = {
				.random = seed(COMPARISONS + i), .noise = noise,
				.spread = 0.03 * BASE,
			};

			design.seed = i + 5000;
			trial = compare(&world, &design, FAMILY, &rc);
			assert_int_equal(rc, 0);
			for (arm = 0; arm < FAMILY; arm++) {
				kv_trial_judge(trial, arm, 0, &judgement);
				if (judgement.finding == KV_DIFFERENT)
					break;
			}
			wrong += arm < FAMILY;
			blocks += trial->blocks;
			kv_trial_free(trial);
		}
		assert_true(share("A/A of 12 arms: any different", noise, wrong, TABLES,
				  blocks) < 0.05);
	}
}

/* the number of blocks and the order of runs are those of another sign */
static void test_stop_sees_no_sign(void **state)
{
	struct kv_design design = usual;
	struct kv_trial *plus, *minus;
	u32 i;
	int rc;

	for (i = 0; i < 50; i++) {
		/* of the user side nothing changes, and so the margin does not */
		struct world up = { .random = 99 + i, .spread = 12, .shift = 25 }, down = up;

		down.shift = -400;
		design.seed = i;
		plus = compare(&up, &design, 1, &rc);
		minus = compare(&down, &design, 1, &rc);
		assert_int_equal(plus->blocks, minus->blocks);
		assert_string_equal(up.orders, down.orders);
		kv_trial_free(plus);
		kv_trial_free(minus);
	}
}

static void test_orders(void **state)
{
	struct kv_design design = usual;
	struct world world = { .random = 3, .spread = 1 };
	struct kv_trial *trial;
	u32 block, abba = 0, seen = 0;
	int rc;

	design.blocks = 200;
	design.seed = 77;
	trial = compare(&world, &design, 1, &rc);
	assert_int_equal(trial->blocks, 200);
	assert_int_equal(trial->end, KV_END_ASKED);
	for (block = 0; block < 200; block++) {
		assert_true(!strncmp(world.orders + 4 * block, kv_trial_order(trial, block, 0), 4));
		abba += !strcmp(kv_trial_order(trial, block, 0), "ABBA");
		seen += !strcmp(kv_trial_order(trial, block, 0), "BAAB");
	}
	assert_int_equal(abba + seen, 200);
	assert_true(abba > 60 && abba < 140);
	kv_trial_free(trial);
}

static void test_why(void **state)
{
	struct kv_design design = usual;
	struct world quiet = { .random = 3, .spread = 0.1 }, wild = quiet;
	struct kv_judgement judgement;
	struct kv_trial *trial;
	char why[160];
	int rc;

	wild.noise = BIMODAL;
	wild.spread = 400;

	trial = compare(&quiet, &design, 1, &rc);
	assert_int_equal(trial->end, KV_END_PRECISE);
	assert_int_equal(trial->blocks, KV_PILOT);
	kv_trial_judge(trial, 0, 0, &judgement);
	assert_int_equal(judgement.finding, KV_SAME);
	kv_trial_free(trial);

	trial = compare(&wild, &design, 1, &rc);
	assert_int_equal(trial->end, KV_END_TIME);
	assert_true(trial->wanted > trial->blocks && trial->blocks > 100);
	assert_true(trial->elapsed_s <= KV_TRIAL_SECONDS + 1);
	kv_trial_why(trial, why, sizeof(why));
	assert_non_null(strstr(why, "24 s"));
	kv_trial_judge(trial, 0, 0, &judgement);
	assert_true(judgement.finding == KV_UNDECIDED && judgement.smallest > judgement.margin);
	kv_trial_free(trial);

	/* a hard limit goes before the pilot */
	design.seconds = 3 * KV_TURNS * RUN_S;
	design.hard = true;
	wild.runs = 0;
	trial = compare(&wild, &design, 1, &rc);
	assert_int_equal(trial->blocks, 3);
	assert_int_equal(trial->end, KV_END_TIME);
	kv_trial_judge(trial, 0, 0, &judgement);
	assert_int_equal(judgement.finding, KV_TOO_FEW);
	kv_trial_free(trial);

	/* of a large table more than the pilot, or nothing could be found */
	design = usual;
	design.seconds = 1;
	trial = compare(&wild, &design, FAMILY, &rc);
	assert_int_equal(trial->blocks, 9);
	kv_trial_free(trial);

	design.repeats = 2;
	trial = compare(&quiet, &design, 1, &rc);
	assert_int_equal(trial->blocks, 2);
	assert_int_equal(trial->end, KV_END_REPEATS);
	kv_trial_free(trial);
}

/* what was complete stays, what was not is in no difference */
static void test_stopped_and_failed(void **state)
{
	struct world world = { .random = 5, .spread = 1, .limit = 6 * KV_TURNS + 3 };
	struct kv_judgement judgement;
	struct kv_trial *trial;
	int rc;

	trial = compare(&world, &usual, 1, &rc);
	assert_int_equal(rc, 0);
	assert_int_equal(trial->blocks, 6);
	assert_int_equal(trial->begun, 7);
	assert_int_equal(trial->end, KV_END_STOPPED);
	kv_trial_judge(trial, 0, 0, &judgement);
	assert_int_equal(judgement.n, 6);
	kv_trial_free(trial);

	world = (struct world){ .random = 5, .spread = 1, .limit = 2 };
	trial = compare(&world, &usual, 1, &rc);
	assert_int_equal(trial->blocks, 0);
	kv_trial_judge(trial, 0, 0, &judgement);
	assert_true(isfinite(judgement.side[KV_KERNEL]) || isfinite(judgement.side[KV_USER]));
	assert_int_equal(judgement.finding, KV_TOO_FEW);
	kv_trial_free(trial);

	world = (struct world){ .random = 5, .spread = 1, .fails = 9 };
	trial = compare(&world, &usual, 1, &rc);
	assert_int_equal(rc, -1);
	assert_int_equal(trial->blocks, 2);
	assert_int_equal(trial->end, KV_END_FAILED);
	kv_trial_free(trial);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_coverage),
		cmocka_unit_test(test_planted),
		cmocka_unit_test(test_family),
		cmocka_unit_test(test_stop_sees_no_sign),
		cmocka_unit_test(test_orders),
		cmocka_unit_test(test_why),
		cmocka_unit_test(test_stopped_and_failed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
