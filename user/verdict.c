// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <math.h>
#include <stdlib.h>
#include "compare.h"

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *value, u32 n)
{
	qsort(value, n, sizeof(*value), by_value);
	return n % 2 ? value[n / 2] : (value[n / 2 - 1] + value[n / 2]) / 2;
}

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
		middle = median(value, n);
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

	*verdict = (struct kv_verdict){ 0, { NAN, NAN }, NAN, NAN, NAN };
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
		verdict->side[KV_KERNEL] = median(value, n);
		verdict->side[KV_USER] = median(other, n);
	}
	for (i = 0; i < n && isfinite(ratio[i]); i++)
		;
	if (n && i == n) {
		verdict->ratio = median(ratio, n);
		verdict->low = ratio[0];
		verdict->high = ratio[n - 1];
	}
	free(value);
}
