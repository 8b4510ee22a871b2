// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A comparison for programs: schema kverbs-compare/2. */
#include <math.h>
#include "compare.h"
#include "document.h"
#include "kverbs.h"
#include "unit.h"

const char *const kv_part_keys[KV_PARTS] = { "post", "wait", "poll", "clock" };

static void put(json_t *json, const char *key, json_t *value)
{
	json_object_set_new(json, key, value);
}

static json_t *json_side(const struct kv_compare *compare, u32 arm, u32 value, enum kv_side side)
{
	const struct kv_tally *tally = &compare->arm[arm].tally[side][value];
	const struct kv_trial *trial = compare->trial;
	json_t *blocks = json_array(), *json;
	u32 i;

	for (i = 0; i < trial->blocks; i++)
		json_array_append_new(blocks,
				      kv_json_real(kv_trial_block(trial, arm, value, side, i)));
	json = json_pack("{s:o, s:o}", "median",
			 kv_json_real(kv_trial_median(trial, arm, value, side)), "blocks", blocks);
	if (!kv_unit_is_time(compare->options.unit)) {
		put(json, "count", json_integer((json_int_t)tally->count));
		kv_json_paths(json, tally->same, tally->other, tally->disturbed, tally->width);
	}
	return json;
}

static json_t *json_infer(const struct kv_infer *infer)
{
	return json_pack("{s:o, s:o, s:o}", "estimate", kv_json_real(infer->estimate),
			 "low", kv_json_real(infer->low), "high", kv_json_real(infer->high));
}

static void put_judgement(json_t *json, const struct kv_compare *compare, u32 arm, u32 value)
{
	bool primary = compare->arm[arm].primary == value;
	struct kv_judgement j;

	kv_trial_judge(compare->trial, arm, value, &j);
	put(json, "difference", json_infer(&j.difference));
	put(json, "ratio", json_infer(&j.ratio));
	put(json, "p", kv_json_real(j.difference.p));
	put(json, "p_holm", kv_json_real(j.p_holm));
	put(json, "primary", json_boolean(primary));
	put(json, "verdict", primary ? json_string(kv_finding_name(j.finding)) : json_null());
	put(json, "margin", kv_json_real(j.margin));
	put(json, "smallest_difference", kv_json_real(j.smallest));
	put(json, "blocks_with_both", json_integer((json_int_t)j.n));
}

/* of instructions */
static void put_counts(json_t *json, const struct kv_compare *compare, u32 arm, u32 value)
{
	const struct kv_tally *kernel = &compare->arm[arm].tally[KV_KERNEL][value];
	const struct kv_tally *user = &compare->arm[arm].tally[KV_USER][value];
	struct kv_verdict v;
	char text[64];

	kv_verdict_counts(compare->trial, arm, value, &v);
	put(json, "difference",
	    json_pack("{s:o}", "estimate", kv_json_real(v.side[KV_KERNEL] - v.side[KV_USER])));
	put(json, "ratio", json_pack("{s:o, s:o, s:o}", "estimate", kv_json_real(v.ratio),
				     "low", kv_json_real(v.low), "high", kv_json_real(v.high)));
	put(json, "exact", json_boolean(kv_verdict_exact(&v, kernel, user)));
	kv_verdict_text(&v, kernel, user, text, sizeof(text));
	put(json, "primary", json_boolean(compare->arm[arm].primary == value));
	put(json, "verdict", json_string(text));
}

static json_t *json_value(const struct kv_compare *compare, u32 arm, u32 value)
{
	json_t *json = json_pack("{s:o, s:o}",
				 "kernel", json_side(compare, arm, value, KV_KERNEL),
				 "user", json_side(compare, arm, value, KV_USER));

	if (kv_unit_is_time(compare->options.unit))
		put_judgement(json, compare, arm, value);
	else
		put_counts(json, compare, arm, value);
	return json;
}

static const char *value_key(u32 value, u32 unit, char key[KV_UNIT_KEY])
{
	const struct kv_value_rule *rule = &kv_value_rules[value];

	return kv_unit_value_key(rule->key, rule->rate, unit, key);
}

static json_t *json_values(const struct kv_compare *compare, u32 arm)
{
	u32 unit = compare->options.unit, value;
	json_t *values = json_object();
	char key[KV_UNIT_KEY];

	for (value = 0; value < KV_VALUES; value++) {
		if (kv_unit_is_time(unit) || compare->arm[arm].values & 1U << value)
			put(values, value_key(value, unit, key), json_value(compare, arm, value));
	}
	return values;
}

static json_t *json_mean(double kernel, double user)
{
	return json_pack("{s:o, s:o, s:o}", "kernel_ns", kv_json_real(kernel),
			 "user_ns", kv_json_real(user),
			 "difference_ns", kv_json_real(kernel - user));
}

/* where the time of an operation goes; null when it was not timed */
static json_t *json_where(const struct kv_compare *compare, const struct kv_arm *arm)
{
	json_t *json = json_object();
	u32 part;

	if (!kv_unit_is_time(compare->options.unit) ||
	    !(arm->parts[KV_KERNEL].runs + arm->parts[KV_USER].runs)) {
		json_decref(json);
		return json_null();
	}
	for (part = 0; part < KV_PARTS; part++)
		put(json, kv_part_keys[part], json_mean(kv_part_mean(arm, KV_KERNEL, part),
							kv_part_mean(arm, KV_USER, part)));
	put(json, "operation", json_mean(kv_parts_mean(arm, KV_KERNEL),
					 kv_parts_mean(arm, KV_USER)));
	return json;
}

/* of all runs of an engine */
static json_t *json_histograms(const struct kv_compare *compare, const struct kv_arm *arm,
			       enum kv_side side)
{
	json_t *json = json_object();
	u32 metric;

	for (metric = 0; metric < __KVERBS_METRIC_MAX; metric++) {
		if (arm->hist[side][metric] &&
		    kv_unit_has_metric(compare->options.unit, metric))
			put(json, kv_metric_name(metric),
			    kv_json_hist(arm->hist[side][metric], &compare->clock[side]));
	}
	return json;
}

/* means over the runs beside those of a side */
static json_t *json_beside(const struct kv_beside_sum *sum)
{
	double runs = sum->runs ? sum->runs : NAN;

	return json_pack("{s:I, s:o, s:o}", "runs", (json_int_t)sum->runs,
			 "operations_per_s", kv_json_real(sum->ops_s / runs),
			 "bytes_per_s", kv_json_real(sum->bytes_s / runs));
}

static json_t *json_arm(const struct kv_compare *compare, u32 index)
{
	const struct kv_arm *arm = &compare->arm[index];
	const struct kv_job *job = &arm->job[KV_USER];
	char key[KV_UNIT_KEY];
	json_t *json;

	json = json_pack("{s:s, s:s, s:s, s:I, s:s, s:b, s:s, s:o, s:o, s:o, s:o, s:o, s:I, s:I}",
			 "absent_kernel", arm->absent[KV_KERNEL],
			 "absent_user", arm->absent[KV_USER],
			 "op", kv_op_name(job->step[0].op),
			 "size_bytes", (json_int_t)job->step[0].size,
			 "shape", kv_shape_name(job->shape), "untimed", (int)arm->quiet,
			 "as", kv_as_name(arm->as),
			 "asked", kv_json_job(&arm->job[KV_KERNEL]),
			 "granted_kernel", kv_json_job(&arm->granted[KV_KERNEL]),
			 "granted_user", kv_json_job(&arm->granted[KV_USER]),
			 "values", json_values(compare, index),
			 "where", json_where(compare, arm), "runs", (json_int_t)arm->runs,
			 "contaminated", (json_int_t)arm->contaminated);
	put(json, "primary", arm->primary == KV_NO_PRIMARY ? json_null() :
	    json_string(value_key(arm->primary, compare->options.unit, key)));
	if (compare->options.with.given)
		put(json, "beside", json_pack("{s:o, s:o}",
					      "kernel", json_beside(&arm->beside[KV_KERNEL]),
					      "user", json_beside(&arm->beside[KV_USER])));
	put(json, "histograms",
	    json_pack("{s:o, s:o}", "kernel", json_histograms(compare, arm, KV_KERNEL),
		      "user", json_histograms(compare, arm, KV_USER)));
	return json;
}

static json_t *json_count(u32 n)
{
	return n ? json_integer((json_int_t)n) : json_null();
}

static json_t *json_design(const struct kv_compare *compare)
{
	const struct kv_trial *trial = compare->trial;
	json_t *orders = json_array(), *row, *json;
	u32 block, arm;
	char why[160];

	for (block = 0; block < trial->blocks; block++) {
		row = json_array();
		for (arm = 0; arm < trial->narms; arm++)
			json_array_append_new(row, json_string(kv_trial_order(trial, block, arm)));
		json_array_append_new(orders, row);
	}
	kv_trial_why(trial, why, sizeof(why));
	json = json_pack("{s:I, s:o, s:o, s:o, s:o, s:I, s:I, s:o, s:s}",
			 "blocks", (json_int_t)trial->blocks,
			 "asked_blocks", json_count(trial->design.blocks),
			 "pilot", json_count(trial->pilot), "wanted", json_count(trial->wanted),
			 "planned", json_count(trial->planned), "runs_a_block",
			 (json_int_t)KV_TURNS, "seed", (json_int_t)trial->design.seed,
			 "orders", orders, "why_ended", why);
	put(json, "margin_percent", kv_json_real(100 * trial->design.margin));
	put(json, "level", kv_json_real(trial->design.level));
	put(json, "primaries", json_integer((json_int_t)kv_trial_primaries(trial)));
	if (kv_unit_is_time(compare->options.unit))
		put(json, "budget_ns", kv_json_real(trial->design.seconds * 1e9));
	return json;
}

static json_t *json_proof_row(const struct kv_proof_row *row)
{
	const struct kv_judgement *j = &row->judgement;
	json_t *json;

	if (!row->done)
		return json_null();
	json = json_pack("{s:o, s:o, s:o, s:s, s:I}",
			 "first_p50_ns", kv_json_real(j->side[KV_KERNEL]),
			 "second_p50_ns", kv_json_real(j->side[KV_USER]),
			 "difference_ns", json_infer(&j->difference),
			 "verdict", kv_finding_name(j->finding), "blocks", (json_int_t)j->n);
	if (row->planted > 0) {
		put(json, "planted_ns", kv_json_real(row->planted));
		put(json, "found", json_boolean(kv_proof_found(row)));
		put(json, "in_interval", json_boolean(kv_proof_holds(row)));
	}
	return json;
}

static json_t *json_proof(const struct kv_proof *proof)
{
	static const char *const key[KV_PROOF_PARTS] = {
		"same_kernel", "same_user", "planted_kernel", "planted_user", "null_device",
	};
	json_t *json;
	u32 i;

	if (!proof)
		return json_null();
	json = json_pack("{s:o, s:o}", "resolves_ns", kv_json_real(proof->resolves),
			 "resolves_percent", kv_json_real(100 * proof->share));
	for (i = 0; i < KV_PROOF_PARTS; i++)
		put(json, key[i], json_proof_row(&proof->row[i]));
	if (*proof->floor)
		put(json, "null_device_missing", json_string(proof->floor));
	return json;
}

/**
 * kv_json_compare - a comparison with all its runs
 * @compare: with at least one run
 * Return: new object
 */
json_t *kv_json_compare(const struct kv_compare *compare)
{
	json_t *arms = json_array(), *ledger = json_array(), *json;
	u32 unit = compare->options.unit, i;
	char key[KV_UNIT_KEY];

	for (i = 0; i < compare->narms; i++)
		json_array_append_new(arms, json_arm(compare, i));
	for (i = 0; i < compare->nledger; i++)
		json_array_append_new(ledger, json_string(compare->ledger[i]));
	json = json_pack("{s:s, s:o, s:s, s:s, s:o, s:b, s:o, s:o, s:I, s:I, s:o, s:o, s:O}",
			 "schema", KV_COMPARE_SCHEMA, "environment", kv_json_env(&compare->env),
			 "post_send", compare->post_send, "as", kv_as_name(compare->options.as),
			 "design", json_design(compare), "interrupted", (int)kv_interrupted(),
			 "clock_kernel", kv_json_clock(&compare->clock[KV_KERNEL]),
			 "clock_user", kv_json_clock(&compare->clock[KV_USER]),
			 "contaminated_runs", (json_int_t)compare->contaminated,
			 "failed_checks", (json_int_t)compare->failed_checks,
			 "ledger", ledger, "arms", arms, "runs", compare->json_runs);
	put(json, "proof", json_proof(compare->proof));
	put(json, "with", kv_json_with(&compare->options.with));
	if (kv_unit_is_time(unit))
		put(json, kv_unit_key("elapsed", unit, key),
		    kv_json_real(compare->trial->elapsed_s * 1e9));
	return json;
}
