// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * kverbs compare --prove: what a comparison on this host can tell, found out before
 * it is made. Each engine against itself, where there is nothing to find; then with a
 * busy wait in the posts of one of the two, which has to be found, and one before the
 * posts of the other, since what a device does meanwhile it does then, too; then both
 * engines on the null device, where all that is left is the loop and the calls.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "compare.h"
#include "kverbs.h"

#define PROVE_BLOCKS	16	/* of each part, when no number was given */
#define PROVE_MS	50	/* a run */
#define PROVE_WARMUP_MS	5
#define PLANT_FACTOR	3	/* of the smallest difference that shows */
#define PLANT_LEAST_NS	50
#define PLANT_MOST_NS	1000000
#define NULL_DEVICE	"null0"

/* the job of every arm: one of the first case, as the comparison has it */
static struct kv_job prove_job(const struct kv_compare *compare)
{
	struct kv_job job = compare->arm[0].job[KV_USER];

	if (!compare->options.given[KVERBS_JOB_A_DURATION_MS] && !job.iterations)
		job.duration_ms = PROVE_MS;
	if (!compare->options.given[KVERBS_JOB_A_WARMUP_MS])
		job.warmup_ms = PROVE_WARMUP_MS;
	return job;
}

static struct kv_arm *add(struct kv_compare *part, const struct kv_job *job,
			  const struct kv_engine *first, const struct kv_engine *second,
			  const char *device)
{
	struct kv_arm *arm = &part->arm[part->narms++];

	arm->job[KV_KERNEL] = *job;
	arm->job[KV_USER] = *job;
	arm->engine[KV_KERNEL] = first;
	arm->engine[KV_USER] = second;
	arm->device = device;
	arm->values = 1U << KV_VALUE_P50;
	arm->primary = KV_VALUE_P50;
	return arm;
}

/* a comparison of its own, on the same terms */
static struct kv_compare *new_part(const struct kv_compare *compare, struct kv_error *error)
{
	struct kv_compare *part = calloc(1, sizeof(*part));

	if (!part) {
		kv_error_set(error, KV_EXIT_ENVIRONMENT, "out of memory");
		return NULL;
	}
	part->options = compare->options;
	part->options.json = false;
	if (!part->options.rounds)
		part->options.rounds = PROVE_BLOCKS;
	part->env = compare->env;
	part->own = compare->own;
	memcpy(part->device, compare->device, sizeof(part->device));
	return part;
}

/*
 * The median of what was waited. A wait ends with the first reading that is late enough,
 * which is by half a reading in the middle; one that was interrupted is as much longer,
 * and no median sees it.
 */
static double planted(const struct kv_compare *part, u32 arm)
{
	const struct kv_clock_info *clock = &part->clock[KV_KERNEL];
	u32 delay = part->arm[arm].job[KV_KERNEL].delay_ns;

	return delay ? delay + kv_ticks_ns(clock, clock->cost) / 2 : 0;
}

static void take(const struct kv_compare *part, u32 arm, struct kv_proof_row *row)
{
	row->done = true;
	kv_trial_judge(part->trial, arm, KV_VALUE_P50, &row->judgement);
	row->planted = planted(part, arm);
}

static int measure(struct kv_compare *part, struct kv_proof_row *row, struct kv_error *error)
{
	int rc = kv_compare_measure(part, error);
	u32 arm;

	for (arm = 0; !rc && arm < part->narms && part->trial->blocks; arm++)
		take(part, arm, &row[arm]);
	return rc;
}

static int prove_same(const struct kv_compare *compare, const struct kv_job *job,
		      struct kv_proof *proof, struct kv_error *error)
{
	struct kv_compare *part = new_part(compare, error);
	int rc;

	if (!part)
		return -1;
	add(part, job, &kv_engine_kernel, &kv_engine_kernel, compare->device);
	add(part, job, &kv_engine_user, &kv_engine_user, compare->device);
	rc = measure(part, &proof->row[KV_PROOF_SAME_KERNEL], error);
	kv_compare_free(part);
	return rc;
}

static u32 plant_of(const struct kv_proof_row *row)
{
	double ns = ceil(PLANT_FACTOR * row->judgement.smallest);

	if (!(ns > PLANT_LEAST_NS))
		return PLANT_LEAST_NS;
	return ns < PLANT_MOST_NS ? (u32)ns : PLANT_MOST_NS;
}

/* a wait in the posts of one, and as long a one before the posts of the other */
static void plant(struct kv_arm *arm, const struct kv_proof_row *same)
{
	arm->job[KV_KERNEL].delay_ns = plant_of(same);
	arm->job[KV_USER].delay_ns = plant_of(same);
	arm->job[KV_USER].delay_at = KVERBS_DELAY_AT_BEFORE;
}

static int prove_planted(const struct kv_compare *compare, const struct kv_job *job,
			 struct kv_proof *proof, struct kv_error *error)
{
	struct kv_compare *part = new_part(compare, error);
	int rc;

	if (!part)
		return -1;
	plant(add(part, job, &kv_engine_kernel, &kv_engine_kernel, compare->device),
	      &proof->row[KV_PROOF_SAME_KERNEL]);
	plant(add(part, job, &kv_engine_user, &kv_engine_user, compare->device),
	      &proof->row[KV_PROOF_SAME_USER]);
	rc = measure(part, &proof->row[KV_PROOF_PLANTED_KERNEL], error);
	kv_compare_free(part);
	return rc;
}

/* a host without the null device has no such row, and is told what to load */
static int prove_floor(const struct kv_compare *compare, const struct kv_job *job,
		       struct kv_proof *proof, struct kv_error *error)
{
	struct kv_compare *part;
	int rc;

	if (!kv_device_exists(NULL_DEVICE)) {
		snprintf(proof->floor, sizeof(proof->floor),
			 "there is no null0 here; nullhca, a module of the tests, makes it");
		return 0;
	}
	part = new_part(compare, error);
	if (!part)
		return -1;
	add(part, job, &kv_engine_kernel, &kv_engine_user, NULL_DEVICE);
	rc = measure(part, &proof->row[KV_PROOF_FLOOR], error);
	kv_compare_free(part);
	if (rc && error->status != KV_EXIT_MEASUREMENT) {
		/* the proof does not hang on a device that is there for tests */
		snprintf(proof->floor, sizeof(proof->floor), "%.150s", error->text);
		rc = 0;
	}
	return rc;
}

/**
 * kv_prove - find out what a comparison can tell
 * @compare: planned, nothing measured yet
 * @proof: filled
 * @error: filled on failure
 * Return: 0, also when it was stopped, or -1
 */
int kv_prove(const struct kv_compare *compare, struct kv_proof *proof, struct kv_error *error)
{
	const struct kv_proof_row *kernel = &proof->row[KV_PROOF_SAME_KERNEL];
	const struct kv_proof_row *user = &proof->row[KV_PROOF_SAME_USER];
	struct kv_job job = prove_job(compare);

	memset(proof, 0, sizeof(*proof));
	if (prove_same(compare, &job, proof, error))
		return -1;
	proof->resolves = fmax(kernel->judgement.smallest, user->judgement.smallest);
	proof->share = fmax(kernel->judgement.smallest / kernel->judgement.side[KV_USER],
			    user->judgement.smallest / user->judgement.side[KV_USER]);
	if (!kv_interrupted() && prove_planted(compare, &job, proof, error))
		return -1;
	if (!kv_interrupted() && prove_floor(compare, &job, proof, error))
		return -1;
	return 0;
}

/*
 * Was the planted difference found, and does the interval hold it? Each is a question
 * of its own, not one of many that are asked at once: its interval alone answers.
 */
bool kv_proof_found(const struct kv_proof_row *row)
{
	return row->done && row->judgement.difference.low > 0;
}

bool kv_proof_holds(const struct kv_proof_row *row)
{
	const struct kv_infer *difference = &row->judgement.difference;

	return row->done && difference->low <= row->planted && row->planted <= difference->high;
}
