// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <stdlib.h>
#include "kverbs.h"

/**
 * kv_result_new - an empty result
 * @nlanes: lanes it has
 * Return: the result, or NULL without memory
 */
struct kv_result *kv_result_new(u32 nlanes)
{
	struct kv_result *result = calloc(1, sizeof(*result));

	if (!result)
		return NULL;
	result->lane = calloc(nlanes ? nlanes : 1, sizeof(*result->lane));
	if (!result->lane) {
		free(result);
		return NULL;
	}
	result->nlanes = nlanes;
	return result;
}

/**
 * kv_result_free - free a result with its lanes and histograms
 * @result: may be NULL
 */
void kv_result_free(struct kv_result *result)
{
	u32 i, metric;

	if (!result)
		return;
	for (i = 0; i < result->nlanes; i++) {
		for (metric = 0; metric < __KVERBS_METRIC_MAX; metric++)
			free(result->lane[i].hist[metric]);
	}
	free(result->lane);
	free(result);
}
