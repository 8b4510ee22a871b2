/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The intervals of shape paced: how long after one intended start the next one is.
 * They are made before the run, so that the loop only adds.
 *
 * Integers only, since the module has no floating point. The includer defines u32
 * and u64 and includes <linux/kverbs.h>, kverbs/stat.h and kverbs/job.h first.
 */
#ifndef _KVERBS_PACE_H
#define _KVERBS_PACE_H

#define KV_PACE_SHIFT		8	/* fraction bits of an interval in ticks */
#define KV_PACE_POISSON		1024	/* intervals that one is drawn from, a power of two */
#define KV_PACE_LN_BITS		16	/* fraction bits of a logarithm */
#define KV_PACE_LN2		45426	/* ln 2 in those */

/**
 * kv_pace_gaps - number of intervals that a lane needs
 * @job: checked job
 * Return: entries; 0 when nothing is paced
 */
static inline u32 kv_pace_gaps(const struct kv_job *job)
{
	if (!kv_shape_rules[job->shape].paced)
		return 0;
	if (job->pace == KVERBS_PACE_TRACE)
		return job->npace_ns;
	return job->pace == KVERBS_PACE_POISSON ? KV_PACE_POISSON : 1;
}

/* ln(n) of a number from 1 on, by squaring what is left of its power of two */
static inline u64 kv_pace_ln(u32 n)
{
	u32 whole = 31 - (u32)__builtin_clz(n), bit;
	u64 rest = ((u64)n << 31) >> whole, log2 = whole;

	for (bit = 0; bit < KV_PACE_LN_BITS; bit++) {
		rest = (rest * rest) >> 31;
		log2 <<= 1;
		if (rest >> 32) {
			rest >>= 1;
			log2 |= 1;
		}
	}
	return (log2 * KV_PACE_LN2) >> KV_PACE_LN_BITS;
}

/*
 * Exponentially distributed: the middle of each of as many equally likely parts,
 * scaled so that their mean is the one asked for.
 */
static inline void kv_pace_exponential(u64 mean, u64 *gap)
{
	u64 top = kv_pace_ln(2 * KV_PACE_POISSON), sum = 0;
	u32 i;

	for (i = 0; i < KV_PACE_POISSON; i++) {
		gap[i] = top - kv_pace_ln(2 * i + 1);
		sum += gap[i];
	}
	sum /= KV_PACE_POISSON;
	for (i = 0; i < KV_PACE_POISSON; i++)
		gap[i] = mean * gap[i] / sum;
}

/* as they were, in ticks: of less than a second, so that nothing overflows */
static inline u64 kv_pace_trace(const struct kv_job *job, u64 ticks_s, u64 *gap)
{
	u64 ticks, sum = 0;
	u32 i;

	for (i = 0; i < job->npace_ns; i++) {
		ticks = job->pace_ns[i] * ticks_s;
		gap[i] = ((ticks / 1000000000) << KV_PACE_SHIFT) +
			 ((ticks % 1000000000) << KV_PACE_SHIFT) / 1000000000;
		sum += gap[i];
	}
	return sum / job->npace_ns;
}

/**
 * kv_pace_fill - make the intervals of a lane
 * @job: checked job of shape paced
 * @ticks_s: ticks of its clock a second
 * @gap: kv_pace_gaps() entries, filled: ticks << KV_PACE_SHIFT
 * Return: their mean
 */
static inline u64 kv_pace_fill(const struct kv_job *job, u64 ticks_s, u64 *gap)
{
	u64 mean = job->pace == KVERBS_PACE_TRACE ?
		   kv_pace_trace(job, ticks_s, gap) :
		   (ticks_s << KV_PACE_SHIFT) / job->pace_rate;

	/* of a clock slower than any that is taken */
	if (!mean)
		mean = 1;
	if (job->pace == KVERBS_PACE_POISSON)
		kv_pace_exponential(mean, gap);
	else if (job->pace == KVERBS_PACE_CONSTANT)
		gap[0] = mean;
	return mean;
}

#endif /* _KVERBS_PACE_H */
