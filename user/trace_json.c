// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What was traced, for programs. */
#include <math.h>
#include <string.h>
#include "kverbs.h"
#include "options.h"
#include "trace.h"
#include "unit.h"

static u32 unit_of(const struct kv_trace *trace)
{
	return trace->plain.report.result->clock.unit;
}

static void put(json_t *json, const char *key, json_t *value)
{
	json_object_set_new(json, key, value);
}

static void put_in(json_t *json, const struct kv_trace *trace, const char *name, double value)
{
	char key[KV_UNIT_KEY];

	put(json, kv_unit_key(name, unit_of(trace), key), kv_json_real(value));
}

static json_t *integer(u64 value)
{
	return json_integer((json_int_t)value);
}

static json_t *text_or_null(const char *text)
{
	return *text ? json_string(text) : json_null();
}

/* null: not measured */
static json_t *json_figure(const struct kv_trace *trace, const struct kv_trace_run *run,
			   const struct kv_figure *figure)
{
	return run->done && figure->count ? kv_json_figure(*figure, unit_of(trace)) :
					    json_null();
}

static json_t *json_functions(const struct kv_trace *trace)
{
	const struct kv_target *target;
	json_t *array = json_array(), *json;
	u32 i;

	for (i = 0; i < KV_TARGETS; i++) {
		target = &trace->target[i];
		json = json_pack("{s:s, s:s}", "verb", target->verb, "how", target->how);
		put(json, "name", text_or_null(target->traced.name));
		put(json, "module", text_or_null(target->traced.module));
		put(json, "operation", text_or_null(target->op.name));
		put(json, "by", *target->traced.name &&
		    (target->probed || kv_tracing_has_graph(trace->tracing)) ?
		    json_string(target->probed ? "kprobes" : "function_graph") : json_null());
		put(json, "calls", json_figure(trace, &trace->alone, &trace->alone.figure[i]));
		json_array_append_new(array, json);
	}
	return array;
}

static json_t *json_call(const struct kv_trace *trace, const struct kv_call *call,
			 const struct kv_call *root)
{
	struct kv_function function = { .name = "?" };
	json_t *below = json_array(), *json = json_object();
	const struct kv_call *child;

	kv_symbol_at(trace->symbols, call->address, &function);
	put(json, "name", json_string(function.name));
	put(json, "module", text_or_null(function.module));
	put(json, "calls", integer(call->count));
	put(json, "calls_per_post", json_real((double)call->count / (double)root->count));
	put_in(json, trace, "mean", (double)call->total / (double)call->count);
	put_in(json, trace, "self", (double)(call->total - call->below) / (double)call->count);
	put(json, "share", json_real((double)(call->total - call->below) / (double)root->total));
	for (child = call->child; child; child = child->next) {
		if (child->count)
			json_array_append_new(below, json_call(trace, child, root));
	}
	put(json, "callees", below);
	return json;
}

static json_t *json_tree(const struct kv_trace *trace)
{
	const struct kv_call *root = trace->tree.done ? kv_trace_post(trace) : NULL;

	return root ? json_call(trace, root, root) : json_null();
}

static json_t *json_shares(const struct kv_trace *trace)
{
	const struct kv_shares *shares = &trace->shares;
	json_t *json = json_object(), *parts = json_object();
	double n = (double)shares->count;
	u32 i;

	if (!trace->whole.done || !shares->count) {
		json_decref(json);
		json_decref(parts);
		return json_null();
	}
	for (i = 0; i < KV_SHARES; i++)
		put_in(parts, trace, kv_share_names[i].key, shares->sum[i] / n);
	put(json, "operations", integer(shares->count));
	put(json, "operations_left_out", integer(shares->torn));
	put(json, "completions_on_another_cpu", integer(shares->elsewhere));
	put(json, "driver_traced", json_boolean(shares->driver));
	put(json, "events_missing", text_or_null(trace->missing));
	put(json, "events_lost", integer(trace->whole.lost));
	put_in(json, trace, kv_metric_name(shares->metric), shares->lat / n);
	put(json, "parts", parts);
	return json;
}

/* calls traced one by one, against the posts that they are in */
static json_t *json_agreement(const struct kv_trace *trace)
{
	const struct kv_agreement *agreement = &trace->agreement;
	json_t *json;

	if (!trace->alone.done || !agreement->posts)
		return json_null();
	json = json_pack("{s:I, s:I}", "posts", (json_int_t)agreement->posts, "within",
			 (json_int_t)agreement->within);
	put(json, "calls", json_figure(trace, &trace->alone, &agreement->calls));
	put(json, "outside", json_figure(trace, &trace->alone, &agreement->outside));
	put_in(json, trace, "reading", agreement->reading);
	put_in(json, trace, "overhead", agreement->overhead);
	put(json, "overhead_of", text_or_null(agreement->known.name));
	put(json, "explained", integer(agreement->explained));
	put(json, "clock_rate", json_real(agreement->rate));
	put(json, "agree", agreement->judged ? json_boolean(agreement->agree) : json_null());
	return json;
}

/**
 * kv_trace_json - what was found out of the kernel engine
 * @trace: trace
 * Return: new object
 */
json_t *kv_trace_json(const struct kv_trace *trace)
{
	const struct kv_trace_run *alone = &trace->alone;
	json_t *json = json_pack("{s:s, s:b, s:s, s:s}", "engine", "kernel",
				 "function_graph", (int)kv_tracing_has_graph(trace->tracing),
				 "function_graph_where", kv_tracing_where(trace->tracing),
				 "trace_clock", kv_tracing_clock(trace->tracing));

	put(json, "run", kv_json_report(&trace->plain.report, false));
	put(json, "functions", json_functions(trace));
	put(json, "post_traced", json_figure(trace, alone, &alone->report.summary
					     .metric[KVERBS_METRIC_POST]));
	put(json, "events_lost", integer(alone->lost + trace->tree.lost));
	put(json, "agreement", json_agreement(trace));
	put(json, "tree", json_tree(trace));
	put(json, "shares", json_shares(trace));
	put(json, "shares_refused", text_or_null(trace->shares.refused));
	return json;
}

static json_t *json_crossings(const struct kv_trace *trace)
{
	const struct kv_crossings *crossings = &trace->crossings;
	u64 ops = trace->alone.report.summary.ops;
	json_t *calls = json_object(), *json;
	u32 i;

	if (!crossings->known) {
		json_decref(calls);
		return json_null();
	}
	for (i = 0; i < crossings->n; i++)
		put(calls, crossings->most[i].name, integer(crossings->most[i].count));
	json = json_object();
	put(json, "count", integer(crossings->all));
	put(json, "per_operation", ops ? json_real((double)crossings->all / (double)ops) :
					 json_null());
	put(json, "most", calls);
	return json;
}

/**
 * kv_trace_json_user - what was found out of the user engine
 * @trace: trace
 * Return: new object
 */
json_t *kv_trace_json_user(const struct kv_trace *trace)
{
	const struct kv_trace_run *probed = &trace->tree;
	json_t *json = json_pack("{s:s}", "engine", "user");

	put(json, "run", kv_json_report(&trace->plain.report, false));
	put(json, "system_calls", json_crossings(trace));
	put(json, "provider_post", text_or_null(trace->provider));
	put(json, "provider_unprobed", text_or_null(trace->unprobed));
	put(json, "provider_calls", json_figure(trace, probed, &probed->figure[KV_TARGET_POST]));
	put(json, "post_traced", json_figure(trace, probed, &probed->report.summary
					     .metric[KVERBS_METRIC_POST]));
	put(json, "events_lost", integer(trace->alone.lost + probed->lost));
	return json;
}
