// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* From JSON to a document: what comparisons have of their own. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "compare.h"
#include "document.h"
#include "kverbs.h"
#include "reader.h"
#include "unit.h"

_Static_assert(KV_DOC_PARTS == KV_PARTS, "parts of a document");

#define BLOCKS_MAX	10000

const char *const kv_doc_sides[KV_DOC_SIDES] = { "kernel", "user" };

static int no_memory(const struct kv_reader *reader)
{
	return kv_error_set(reader->error, KV_EXIT_ENVIRONMENT, "out of memory");
}

static int read_blocks(const struct kv_reader *reader, struct kv_doc_value *value, u32 side)
{
	json_t *blocks, *block;
	size_t i, n;

	if (kv_read_array(reader, "blocks", BLOCKS_MAX, &blocks))
		return -1;
	n = json_array_size(blocks);
	if (side && n != value->nblocks)
		return kv_read_refuse(reader, "blocks", "are not as many as the kernel's");
	value->nblocks = (u32)n;
	value->block[side] = calloc(n ? n : 1, sizeof(double));
	if (!value->block[side])
		return no_memory(reader);
	for (i = 0; i < n; i++) {
		block = json_array_get(blocks, i);
		if (!json_is_number(block) && !json_is_null(block))
			return kv_read_refuse(reader, "blocks", "has an entry that is no number");
		value->block[side][i] = json_is_null(block) ? NAN : json_number_value(block);
	}
	return 0;
}

static int read_side(const struct kv_reader *reader, struct kv_doc_value *value, u32 side)
{
	struct kv_reader at;

	return kv_read_object(reader, kv_doc_sides[side], &at) ||
	       kv_read_real(&at, "median", &value->median[side]) ||
	       read_blocks(&at, value, side) ? -1 : 0;
}

/* of instructions there is an estimate without bounds */
static int read_interval(const struct kv_reader *reader, const char *key, u32 unit,
			 struct kv_doc_interval *interval)
{
	struct kv_reader at;

	interval->low = NAN;
	interval->high = NAN;
	if (kv_read_object(reader, key, &at) ||
	    kv_read_real(&at, "estimate", &interval->estimate))
		return -1;
	if (!kv_unit_is_time(unit))
		return 0;
	return kv_read_real(&at, "low", &interval->low) ||
	       kv_read_real(&at, "high", &interval->high) ? -1 : 0;
}

static int read_value(const struct kv_reader *reader, u32 unit, struct kv_doc_value *value)
{
	value->verdict = "";
	value->margin = NAN;
	if (read_side(reader, value, KV_DOC_KERNEL) || read_side(reader, value, KV_DOC_USER) ||
	    read_interval(reader, "difference", unit, &value->difference) ||
	    read_interval(reader, "ratio", unit, &value->ratio))
		return -1;
	if (!json_is_null(json_object_get(reader->object, "verdict")) &&
	    kv_read_text(reader, "verdict", &value->verdict))
		return -1;
	if (!kv_unit_is_time(unit))
		return 0;
	return kv_read_bool(reader, "primary", &value->primary) ||
	       kv_read_real(reader, "margin", &value->margin) ? -1 : 0;
}

static int read_values(const struct kv_reader *reader, u32 unit, struct kv_doc_arm *arm)
{
	struct kv_reader at, value;
	char key[KV_UNIT_KEY];
	u32 i;

	arm->value = calloc(KV_VALUES, sizeof(*arm->value));
	if (!arm->value)
		return no_memory(reader);
	if (kv_read_object(reader, "values", &at))
		return -1;
	for (i = 0; i < KV_VALUES; i++) {
		const struct kv_value_rule *rule = &kv_value_rules[i];
		struct kv_doc_value *next = &arm->value[arm->nvalues];
		const char *name = kv_unit_value_key(rule->key, rule->rate, unit, key);

		if (!json_object_get(at.object, name))
			continue;
		arm->nvalues++;
		next->key = rule->key;
		next->rate = rule->rate;
		if (kv_read_object(&at, name, &value) || read_value(&value, unit, next))
			return -1;
	}
	return 0;
}

static int read_parts(const struct kv_reader *reader, struct kv_doc_arm *arm)
{
	struct kv_reader at, part;
	u32 i;

	if (json_is_null(json_object_get(reader->object, "where")))
		return 0;
	if (kv_read_object(reader, "where", &at))
		return -1;
	for (i = 0; i < KV_DOC_PARTS; i++) {
		struct kv_doc_part *next = &arm->part[arm->nparts];

		if (json_is_null(json_object_get(at.object, kv_part_keys[i])))
			continue;
		next->name = kv_part_keys[i];
		if (kv_read_object(&at, kv_part_keys[i], &part) ||
		    kv_read_real(&part, "kernel_ns", &next->mean[KV_DOC_KERNEL]) ||
		    kv_read_real(&part, "user_ns", &next->mean[KV_DOC_USER]))
			return -1;
		arm->nparts++;
	}
	return 0;
}

static int read_hists(const struct kv_reader *reader, const struct kv_clock_info *clock,
		      struct kv_doc_arm *arm)
{
	struct kv_reader all, of_side, hist;
	u32 side, metric;

	if (kv_read_object(reader, "histograms", &all))
		return -1;
	for (side = 0; side < KV_DOC_SIDES; side++) {
		if (kv_read_object(&all, kv_doc_sides[side], &of_side))
			return -1;
		for (metric = 0; metric < __KVERBS_METRIC_MAX; metric++) {
			const char *name = kv_metric_name(metric);

			if (!json_object_get(of_side.object, name))
				continue;
			if (kv_read_object(&of_side, name, &hist) ||
			    kv_read_hist(&hist, &clock[side], &arm->hist[side][metric]))
				return -1;
		}
	}
	return 0;
}

static int read_arm(const struct kv_reader *reader, const struct kv_clock_info *clock,
		    struct kv_doc_arm *arm)
{
	return kv_load_job(reader, "asked", "granted_kernel", &arm->job) ||
	       kv_read_text(reader, "as", &arm->as) ||
	       kv_read_bool(reader, "untimed", &arm->untimed) ||
	       kv_read_text(reader, "absent_kernel", &arm->absent[KV_DOC_KERNEL]) ||
	       kv_read_text(reader, "absent_user", &arm->absent[KV_DOC_USER]) ||
	       read_values(reader, clock[KV_DOC_USER].unit, arm) || read_parts(reader, arm) ||
	       read_hists(reader, clock, arm) ? -1 : 0;
}

/**
 * kv_load_arms - the arms of a comparison
 * @reader: of the document
 * @doc: filled
 * Return: 0, or -1
 */
int kv_load_arms(const struct kv_reader *reader, struct kv_doc *doc)
{
	struct kv_clock_info clock[KV_DOC_SIDES];
	struct kv_reader at;
	json_t *arms;
	size_t i, n;

	if (kv_load_clock(reader, "clock_kernel", &clock[KV_DOC_KERNEL]) ||
	    kv_load_clock(reader, "clock_user", &clock[KV_DOC_USER]) ||
	    kv_read_array(reader, "arms", KV_DOC_ARMS_MAX, &arms))
		return -1;
	if (clock[KV_DOC_KERNEL].unit != clock[KV_DOC_USER].unit)
		return kv_read_refuse(reader, "clock_kernel", "has another unit than clock_user");
	doc->unit = clock[KV_DOC_USER].unit;
	n = json_array_size(arms);
	doc->arm = calloc(n ? n : 1, sizeof(*doc->arm));
	if (!doc->arm)
		return no_memory(reader);
	doc->narms = (u32)n;
	for (i = 0; i < n; i++) {
		if (kv_read_item(reader, "arms", i, json_array_get(arms, i), &at) ||
		    read_arm(&at, clock, &doc->arm[i]))
			return -1;
	}
	return kv_read_bool(reader, "interrupted", &doc->interrupted);
}

void kv_free_arms(struct kv_doc *doc)
{
	u32 i, j, side, metric;

	for (i = 0; i < doc->narms; i++) {
		struct kv_doc_arm *arm = &doc->arm[i];

		for (side = 0; side < KV_DOC_SIDES; side++) {
			for (j = 0; j < arm->nvalues; j++)
				free(arm->value[j].block[side]);
			for (metric = 0; metric < __KVERBS_METRIC_MAX; metric++)
				kv_sparse_clear(&arm->hist[side][metric]);
		}
		free(arm->value);
	}
	free(doc->arm);
}
