// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Signed ranks (Wilcoxon) for differences of pairs, rank sums (Mann, Whitney)
 * for two samples; the estimates and intervals of both are order statistics of
 * all pairwise averages or differences (Hodges, Lehmann). Below KV_INFER_EXACT
 * values the null distribution is counted out, with tied ranks as they are.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "infer.h"

/* a value and where it came from */
struct ranked {
	double value;
	bool mark;	/* counts for the statistic */
	u32 rank2;	/* twice its rank, so that a mean rank is whole */
};

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static int by_ranked(const void *a, const void *b)
{
	return by_value(&((const struct ranked *)a)->value, &((const struct ranked *)b)->value);
}

static void nothing_known(u32 n, double level, struct kv_infer *out)
{
	*out = (struct kv_infer){ n, NAN, NAN, NAN, level, NAN };
}

/*
 * Ranks, the same for equal values. Returns the sum over ties of t^3 - t, by which
 * they lessen the variance.
 */
static double rank_values(struct ranked *ranked, u32 n)
{
	double ties = 0, t;
	u32 i, j, k;

	qsort(ranked, n, sizeof(*ranked), by_ranked);
	for (i = 0; i < n; i = j) {
		for (j = i + 1; j < n && ranked[j].value == ranked[i].value; j++)
			;
		for (k = i; k < j; k++)
			ranked[k].rank2 = i + j + 1;
		t = j - i;
		ties += t * t * t - t;
	}
	return ties;
}

static u32 marked_sum2(const struct ranked *ranked, u32 n)
{
	u32 sum = 0, i;

	for (i = 0; i < n; i++)
		sum += ranked[i].mark ? ranked[i].rank2 : 0;
	return sum;
}

/* two-sided: the smaller tail of a distribution of counts, twice, the value itself in it */
static double tails(const double *ways, u32 size, u32 at)
{
	double below = 0, above = 0, all = 0;
	u32 i;

	for (i = 0; i < size; i++) {
		all += ways[i];
		below += i <= at ? ways[i] : 0;
		above += i >= at ? ways[i] : 0;
	}
	return fmin(1, 2 * fmin(below, above) / all);
}

static double p_of_z(double distance, double variance)
{
	/* half a rank towards the middle, as the statistic is discrete */
	distance = fmax(0, fabs(distance) - 0.5);
	return variance > 0 ? erfc(distance / sqrt(2 * variance)) : 1;
}

/* the quantile of the normal distribution that leaves @tail above it */
static double normal_quantile(double tail)
{
	double low = 0, high = 40, z = 0;
	u32 i;

	for (i = 0; i < 100; i++) {
		z = (low + high) / 2;
		if (erfc(z / M_SQRT2) / 2 > tail)
			low = z;
		else
			high = z;
	}
	return z;
}

/* ways in which subsets of the ranks make each sum; NULL without memory */
static double *subset_ways(const struct ranked *ranked, u32 n, u32 *size)
{
	double *ways;
	u32 i, s;

	*size = 1;
	for (i = 0; i < n; i++)
		*size += ranked[i].rank2;
	ways = calloc(*size, sizeof(*ways));
	if (!ways)
		return NULL;
	ways[0] = 1;
	for (i = 0; i < n; i++) {
		for (s = *size; s-- > ranked[i].rank2;)
			ways[s] += ways[s - ranked[i].rank2];
	}
	return ways;
}

static double signed_rank_p(const struct ranked *ranked, u32 n, double ties)
{
	double *ways, p, dn = n;
	u32 size;

	if (!n)
		return 1;
	if (n >= KV_INFER_EXACT)
		return p_of_z(marked_sum2(ranked, n) / 2.0 - dn * (dn + 1) / 4,
			      dn * (dn + 1) * (2 * dn + 1) / 24 - ties / 48);
	ways = subset_ways(ranked, n, &size);
	if (!ways)
		return NAN;
	p = tails(ways, size, marked_sum2(ranked, n));
	free(ways);
	return p;
}

/* a value of zero says nothing about the sign, and has no rank */
static double paired_p(const double *difference, u32 n)
{
	struct ranked *ranked = calloc(n, sizeof(*ranked));
	double ties, p;
	u32 i, used = 0;

	if (!ranked)
		return NAN;
	for (i = 0; i < n; i++) {
		if (difference[i] == 0)
			continue;
		ranked[used].value = fabs(difference[i]);
		ranked[used++].mark = difference[i] > 0;
	}
	ties = rank_values(ranked, used);
	p = signed_rank_p(ranked, used, ties);
	free(ranked);
	return p;
}

/* how many values at either end lie outside the interval; of untied ranks */
static u32 outside(const double *ways, u32 size, double tail)
{
	double all = 0, sum = 0;
	u32 i;

	for (i = 0; i < size; i++)
		all += ways[i];
	for (i = 0; i < size; i++) {
		sum += ways[i];
		if (sum > tail * all)
			break;
	}
	return i;
}

static u32 outside_normal(double mean, double variance, double tail)
{
	double k = floor(mean - normal_quantile(tail) * sqrt(variance));

	return k > 0 ? (u32)k : 0;
}

/* the same for signed ranks; 0: no interval of that level exists */
static u32 paired_outside(u32 n, double tail)
{
	struct ranked *ranked;
	double *ways, dn = n;
	u32 size, i, k = 0;

	if (n >= KV_INFER_EXACT)
		return outside_normal(dn * (dn + 1) / 4, dn * (dn + 1) * (2 * dn + 1) / 24, tail);
	ranked = calloc(n, sizeof(*ranked));
	for (i = 0; ranked && i < n; i++)
		ranked[i].rank2 = i + 1;
	ways = ranked ? subset_ways(ranked, n, &size) : NULL;
	if (ways)
		k = outside(ways, size, tail);
	free(ways);
	free(ranked);
	return k;
}

/**
 * kv_infer_median - the median
 * @value: sorted on return
 * @n: how many, at least one
 */
double kv_infer_median(double *value, u32 n)
{
	qsort(value, n, sizeof(*value), by_value);
	return n % 2 ? value[n / 2] : (value[n / 2 - 1] + value[n / 2]) / 2;
}

/* the estimate, and the interval that leaves out @k values at either end */
static int shift_of(double *value, u32 n, u32 k, struct kv_infer *out)
{
	out->estimate = kv_infer_median(value, n);
	if (!k)
		return -1;
	out->low = value[k - 1];
	out->high = value[n - k];
	return 0;
}

/**
 * kv_infer_paired - a shift from differences of pairs
 * @difference: finite
 * @n: how many
 * @level: of the interval, such as 0.95
 * @out: filled
 *
 * Holds for any distribution that is symmetric about the shift, as differences
 * are whose order was drawn.
 *
 * Return: 0, or -1 when no interval of that level exists, or without memory
 */
int kv_infer_paired(const double *difference, u32 n, double level, struct kv_infer *out)
{
	u32 walsh = n * (n + 1) / 2, i, j, at = 0;
	double *mean;
	int rc;

	nothing_known(n, level, out);
	mean = n ? malloc(walsh * sizeof(*mean)) : NULL;
	if (!mean)
		return -1;
	for (i = 0; i < n; i++) {
		for (j = i; j < n; j++)
			mean[at++] = (difference[i] + difference[j]) / 2;
	}
	rc = shift_of(mean, walsh, paired_outside(n, (1 - level) / 2), out);
	out->p = paired_p(difference, n);
	free(mean);
	return rc;
}

/*
 * Ways in which na of the n ranks make each sum: ways[taken * size + sum]. NULL
 * without memory.
 */
static double *chosen_ways(const struct ranked *ranked, u32 n, u32 na, u32 *size)
{
	u32 i, s, taken;
	double *ways;

	*size = n * (n + 1) + 1;
	ways = calloc((size_t)(na + 1) * *size, sizeof(*ways));
	if (!ways)
		return NULL;
	ways[0] = 1;
	for (i = 0; i < n; i++) {
		for (taken = i + 1 < na ? i + 1 : na; taken; taken--) {
			double *to = ways + (size_t)taken * *size, *from = to - *size;

			for (s = ranked[i].rank2; s < *size; s++)
				to[s] += from[s - ranked[i].rank2];
		}
	}
	return ways;
}

static double rank_sum_p(const struct ranked *ranked, u32 n, u32 na, double ties)
{
	double *ways, p, dn = n, a = na, b = n - na;
	u32 size;

	if (na >= KV_INFER_EXACT || n - na >= KV_INFER_EXACT)
		return p_of_z(marked_sum2(ranked, n) / 2.0 - a * (dn + 1) / 2,
			      a * b / 12 * (dn + 1 - ties / (dn * (dn - 1))));
	ways = chosen_ways(ranked, n, na, &size);
	if (!ways)
		return NAN;
	p = tails(ways + (size_t)na * size, size, marked_sum2(ranked, n));
	free(ways);
	return p;
}

static double two_p(const double *a, u32 na, const double *b, u32 nb)
{
	struct ranked *ranked = calloc(na + nb, sizeof(*ranked));
	double ties, p;
	u32 i;

	if (!ranked)
		return NAN;
	for (i = 0; i < na + nb; i++) {
		ranked[i].value = i < na ? a[i] : b[i - na];
		ranked[i].mark = i < na;
	}
	ties = rank_values(ranked, na + nb);
	p = rank_sum_p(ranked, na + nb, na, ties);
	free(ranked);
	return p;
}

/* as paired_outside(), of the na * nb differences */
static u32 two_outside(u32 na, u32 nb, double tail)
{
	double a = na, b = nb, *ways;
	struct ranked *ranked;
	u32 n = na + nb, size, i, least = na * (na + 1), k = 0;

	if (na >= KV_INFER_EXACT || nb >= KV_INFER_EXACT)
		return outside_normal(a * b / 2, a * b * (a + b + 1) / 12, tail);
	ranked = calloc(n, sizeof(*ranked));
	for (i = 0; ranked && i < n; i++)
		ranked[i].rank2 = 2 * (i + 1);
	ways = ranked ? chosen_ways(ranked, n, na, &size) : NULL;
	if (ways) {
		double *sums = ways + (size_t)na * size;

		/* untied, the sums are even: a step of one of the statistic is two */
		for (i = 0; i <= na * nb; i++)
			sums[i] = sums[least + 2 * i];
		k = outside(sums, na * nb + 1, tail);
	}
	free(ways);
	free(ranked);
	return k;
}

/**
 * kv_infer_two - a shift between two samples, b - a
 * @a: finite
 * @na: how many
 * @b: finite
 * @nb: how many
 * @level: of the interval, such as 0.95
 * @out: filled
 * Return: 0, or -1 when no interval of that level exists, or without memory
 */
int kv_infer_two(const double *a, u32 na, const double *b, u32 nb, double level,
		 struct kv_infer *out)
{
	double *difference;
	u32 i, j;
	int rc;

	nothing_known(na < nb ? na : nb, level, out);
	difference = na && nb ? malloc((size_t)na * nb * sizeof(*difference)) : NULL;
	if (!difference)
		return -1;
	for (i = 0; i < na; i++) {
		for (j = 0; j < nb; j++)
			difference[(size_t)i * nb + j] = b[j] - a[i];
	}
	rc = shift_of(difference, na * nb, two_outside(na, nb, (1 - level) / 2), out);
	out->p = two_p(a, na, b, nb);
	free(difference);
	return rc;
}

/**
 * kv_infer_holm - adjust p values for their number (Holm's step-down)
 * @p: adjusted in place; NaN is no test and stays
 * @n: how many
 *
 * With all that are at most 5 % rejected, some true null hypothesis is among
 * them in at most 5 % of all tables.
 */
void kv_infer_holm(double *p, u32 n)
{
	struct ranked *ranked = calloc(n ? n : 1, sizeof(*ranked));
	double largest = 0;
	u32 i, tests = 0;

	if (!ranked) {
		/* nothing may then be called different */
		for (i = 0; i < n; i++)
			p[i] = isfinite(p[i]) ? 1 : p[i];
		return;
	}
	for (i = 0; i < n; i++) {
		if (!isfinite(p[i]))
			continue;
		ranked[tests].value = p[i];
		ranked[tests++].rank2 = i;
	}
	qsort(ranked, tests, sizeof(*ranked), by_ranked);
	for (i = 0; i < tests; i++) {
		largest = fmax(largest, fmin(1, ranked[i].value * (tests - i)));
		p[ranked[i].rank2] = largest;
	}
	free(ranked);
}

/**
 * kv_infer_finding - what may be said of a shift
 * @infer: with the p that is to be judged
 * @margin: differences up to it are of no interest, 0: all are
 *
 * Two one-sided tests say "same" when the interval lies within the margin. That
 * goes first: a difference that is surely there and surely smaller than the
 * margin is one that was said not to matter.
 *
 * Return: the finding
 */
enum kv_finding kv_infer_finding(const struct kv_infer *infer, double margin)
{
	if (infer->n < KV_INFER_LEAST || !isfinite(infer->low) || !isfinite(infer->p))
		return KV_TOO_FEW;
	if (infer->low > -margin && infer->high < margin)
		return KV_SAME;
	return infer->p <= 1 - infer->level ? KV_DIFFERENT : KV_UNDECIDED;
}

const char *kv_finding_name(u32 finding)
{
	static const char *const name[KV_FINDINGS] = {
		[KV_TOO_FEW] = "too few rounds",
		[KV_DIFFERENT] = "different",
		[KV_SAME] = "same",
		[KV_UNDECIDED] = "undecided",
	};

	return finding < KV_FINDINGS ? name[finding] : "?";
}
