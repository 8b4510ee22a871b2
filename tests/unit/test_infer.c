// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Rank tests and their intervals: known values, and counting that is done another way. */
#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "infer.h"
#include <cmocka.h>

#define near(a, b)	assert_true(fabs((a) - (b)) * 1e9 < 1)

/* the values of these are what R 4.2 says of wilcox.test(conf.int = TRUE) */
static void test_paired_known(void **state)
{
	static const double ten[] = { 1.2, -0.3, 2.5, 0.8, 1.9, -1.1, 3.2, 0.4, 2.2, 1.5 };
	static const double six[] = { 1, 2, 3, 4, 5, 6.5 };
	struct kv_infer infer;

	assert_int_equal(kv_infer_paired(ten, 10, 0.95, &infer), 0);
	near(infer.estimate, 1.3);
	near(infer.low, 0.25);
	near(infer.high, 2.20);
	near(infer.p, 0.01953125);
	assert_int_equal(infer.n, 10);
	assert_int_equal(kv_infer_paired(six, 6, 0.95, &infer), 0);
	near(infer.estimate, 3.5);
	near(infer.low, 1);
	near(infer.high, 6.5);
	near(infer.p, 0.03125);
}

static void test_two_known(void **state)
{
	static const double a[] = { 1.1, 2.3, 3.7, 4.2, 5.9, 6.1 };
	static const double b[] = { 2.2, 4.5, 6.6, 7.7, 8.3, 9.4, 3.3 };
	struct kv_infer infer;

	assert_int_equal(kv_infer_two(a, 6, b, 7, 0.95, &infer), 0);
	near(infer.estimate, 2.2);
	near(infer.low, -1.5);
	near(infer.high, 5.5);
	assert_true(fabs(infer.p - 0.180652681) * 1e8 < 1);
	assert_int_equal(infer.n, 6);
	/* the other way round it is the same shift downwards */
	assert_int_equal(kv_infer_two(b, 7, a, 6, 0.95, &infer), 0);
	near(infer.estimate, -2.2);
	near(infer.low, -5.5);
	near(infer.high, 1.5);
}

/* p by writing down every sign */
static double p_of_all_signs(const double *difference, u32 n)
{
	double rank[16], seen = 0, sum;
	u32 i, j, signs, below = 0, above = 0;

	for (i = 0; i < n; i++) {
		rank[i] = 0.5;
		for (j = 0; j < n; j++)
			rank[i] += fabs(difference[j]) < fabs(difference[i]) ? 1 :
				   fabs(difference[j]) == fabs(difference[i]) ? 0.5 : 0;
		seen += difference[i] > 0 ? rank[i] : 0;
	}
	for (signs = 0; signs < 1U << n; signs++) {
		for (sum = 0, i = 0; i < n; i++)
			sum += signs >> i & 1 ? rank[i] : 0;
		below += sum <= seen;
		above += sum >= seen;
	}
	return fmin(1, 2.0 * (below < above ? below : above) / (1U << n));
}

static void test_paired_ties(void **state)
{
	double difference[10];
	struct kv_infer infer;
	u32 round, i;

	srand(7);
	for (round = 0; round < 200; round++) {
		u32 n = 6 + (u32)rand() % 5;

		for (i = 0; i < n; i++)
			difference[i] = (1 + rand() % 4) * (rand() % 3 ? 1 : -1);
		kv_infer_paired(difference, n, 0.95, &infer);
		near(infer.p, p_of_all_signs(difference, n));
		assert_true(infer.low <= infer.estimate && infer.estimate <= infer.high);
	}
}

/* p by every choice of the first sample's places */
static double p_of_all_choices(const double *all, u32 na, u32 n)
{
	double rank[16], seen = 0, sum;
	u32 i, j, choice, below = 0, above = 0, choices = 0;

	for (i = 0; i < n; i++) {
		rank[i] = 0.5;
		for (j = 0; j < n; j++)
			rank[i] += all[j] < all[i] ? 1 : all[j] == all[i] ? 0.5 : 0;
		seen += i < na ? rank[i] : 0;
	}
	for (choice = 0; choice < 1U << n; choice++) {
		if ((u32)__builtin_popcount(choice) != na)
			continue;
		for (sum = 0, i = 0; i < n; i++)
			sum += choice >> i & 1 ? rank[i] : 0;
		choices++;
		below += sum <= seen;
		above += sum >= seen;
	}
	return fmin(1, 2.0 * (below < above ? below : above) / choices);
}

static void test_two_ties(void **state)
{
	struct kv_infer infer;
	double all[12];
	u32 round, i;

	srand(8);
	for (round = 0; round < 50; round++) {
		u32 na = 3 + (u32)rand() % 3, nb = 3 + (u32)rand() % 4;

		for (i = 0; i < na + nb; i++)
			all[i] = rand() % 5;
		kv_infer_two(all, na, all + na, nb, 0.95, &infer);
		near(infer.p, p_of_all_choices(all, na, na + nb));
	}
}

static void test_too_few(void **state)
{
	static const double five[] = { 1, 2, 3, 4, 5 };
	struct kv_infer infer;

	assert_int_equal(kv_infer_paired(five, 5, 0.95, &infer), -1);
	near(infer.estimate, 3);
	assert_true(isnan(infer.low) && isnan(infer.high));
	near(infer.p, 0.0625);
	assert_int_equal(kv_infer_finding(&infer, 1e9), KV_TOO_FEW);
	assert_int_equal(kv_infer_paired(five, 5, 0.90, &infer), 0);
	assert_int_equal(kv_infer_paired(five, 0, 0.95, &infer), -1);
	assert_true(isnan(infer.estimate) && isnan(infer.p));
	/* 3 against 3: the surest p is 0.1 */
	assert_int_equal(kv_infer_two(five, 3, five + 2, 3, 0.95, &infer), -1);
	assert_int_equal(kv_infer_two(five, 0, five, 5, 0.95, &infer), -1);
}

static void test_all_equal(void **state)
{
	static const double none[8], some[8] = { 3, 3, 3, 3, 3, 3, 3, 3 };
	struct kv_infer infer;

	assert_int_equal(kv_infer_paired(none, 8, 0.95, &infer), 0);
	near(infer.low, 0);
	near(infer.high, 0);
	near(infer.p, 1);
	assert_int_equal(kv_infer_finding(&infer, 0.5), KV_SAME);
	assert_int_equal(kv_infer_finding(&infer, 0), KV_UNDECIDED);
	assert_int_equal(kv_infer_paired(some, 8, 0.95, &infer), 0);
	near(infer.low, 3);
	near(infer.p, 2.0 / 256);
	assert_int_equal(kv_infer_finding(&infer, 0), KV_DIFFERENT);
}

/* where counting out ends and the approximation begins, little changes */
static void test_seam(void **state)
{
	double difference[40], other[40];
	struct kv_infer below, above;
	u32 i;

	for (i = 0; i < 40; i++) {
		difference[i] = sin(i * 1.7) + 0.35;
		other[i] = cos(i * 2.3) + 0.8;
	}
	assert_int_equal(kv_infer_paired(difference, 29, 0.95, &below), 0);
	difference[29] = below.estimate;
	assert_int_equal(kv_infer_paired(difference, 30, 0.95, &above), 0);
	assert_true(fabs(below.low - above.low) < 0.05 && fabs(below.high - above.high) < 0.05);
	assert_true(fabs(below.p / above.p - 1) < 0.4);
	assert_int_equal(kv_infer_two(difference, 29, other, 29, 0.95, &below), 0);
	assert_int_equal(kv_infer_two(difference, 30, other, 30, 0.95, &above), 0);
	assert_true(fabs(below.low - above.low) < 0.1 && fabs(below.high - above.high) < 0.1);
	assert_true(fabs(log(below.p / above.p)) < 0.6);
}

static void test_holm(void **state)
{
	double p[] = { 0.01, 0.04, NAN, 0.03, 0.005 }, one[] = { 0.05 }, large[] = { 0.9, 0.8 };

	kv_infer_holm(p, 5);
	near(p[0], 0.03);
	near(p[1], 0.06);
	assert_true(isnan(p[2]));
	near(p[3], 0.06);
	near(p[4], 0.02);
	kv_infer_holm(one, 1);
	near(one[0], 0.05);
	kv_infer_holm(large, 2);
	near(large[0], 1);
	near(large[1], 1);
	kv_infer_holm(NULL, 0);
}

static void test_finding(void **state)
{
	struct kv_infer infer = { 10, 5, 3, 7, 0.95, 0.01 };

	assert_int_equal(kv_infer_finding(&infer, 2), KV_DIFFERENT);
	assert_int_equal(kv_infer_finding(&infer, 7.5), KV_SAME);
	assert_int_equal(kv_infer_finding(&infer, 7), KV_DIFFERENT);
	infer.p = 0.2;
	assert_int_equal(kv_infer_finding(&infer, 2), KV_UNDECIDED);
	infer.p = 0.05;
	assert_int_equal(kv_infer_finding(&infer, 2), KV_DIFFERENT);
	infer.n = 5;
	assert_int_equal(kv_infer_finding(&infer, 2), KV_TOO_FEW);
	assert_string_equal(kv_finding_name(KV_TOO_FEW), "too few rounds");
	assert_string_equal(kv_finding_name(KV_SAME), "same");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paired_known),
		cmocka_unit_test(test_two_known),
		cmocka_unit_test(test_paired_ties),
		cmocka_unit_test(test_two_ties),
		cmocka_unit_test(test_too_few),
		cmocka_unit_test(test_all_equal),
		cmocka_unit_test(test_seam),
		cmocka_unit_test(test_holm),
		cmocka_unit_test(test_finding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
