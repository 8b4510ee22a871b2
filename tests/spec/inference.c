// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Lines "paired N 0 VALUE..." and "two N M VALUE..." in; estimate, low, high and p out.
 */
#include <stdio.h>
#include "infer.h"

#define VALUES_MAX	256

int main(void)
{
	double value[VALUES_MAX];
	struct kv_infer infer;
	char kind[16];
	u32 n, m, i;

	while (scanf("%15s %u %u", kind, &n, &m) == 3) {
		if (n + m > VALUES_MAX)
			return 1;
		for (i = 0; i < n + m; i++) {
			if (scanf("%lf", &value[i]) != 1)
				return 1;
		}
		if (kind[0] == 'p')
			kv_infer_paired(value, n, KV_LEVEL, &infer);
		else
			kv_infer_two(value, n, value + n, m, KV_LEVEL, &infer);
		printf("%.15g %.15g %.15g %.15g\n", infer.estimate, infer.low, infer.high,
		       infer.p);
	}
	return 0;
}
