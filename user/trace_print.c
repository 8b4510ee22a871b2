// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What was traced, for people. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "kverbs.h"
#include "trace.h"
#include "unit.h"

#define TREE_SHARE	1000	/* calls below one in so many of the post's time are left out */
#define TREE_WIDTH	54
#define SHARE_WIDTH	44

static void print_figure(FILE *file, const char *name, const struct kv_figure *f, u32 unit,
			 const char *remark)
{
	char min[KV_TEXT], mean[KV_TEXT], p50[KV_TEXT], p90[KV_TEXT], p99[KV_TEXT], max[KV_TEXT];

	fprintf(file, "%-28s %8llu %9s %9s %9s %9s %9s %10s  %s\n", name, f->count,
		kv_text_value(f->min, unit, min), kv_text_value(f->mean, unit, mean),
		kv_text_value(f->p50, unit, p50), kv_text_value(f->p90, unit, p90),
		kv_text_value(f->p99, unit, p99), kv_text_value(f->max, unit, max), remark);
}

static void print_head(FILE *file, u32 unit)
{
	fprintf(file, "\n%s%-28s %8s %9s %9s %9s %9s %9s %10s%s\n", kv_bold(file),
		kv_unit_name(unit), "calls", "min", "mean", "p50", "p90", "p99", "max",
		kv_plain(file));
}

static const char *traced_by(const struct kv_trace *trace, const struct kv_target *target)
{
	if (target->probed)
		return "; by kprobes";
	if (!*target->traced.name || kv_tracing_has_graph(trace->tracing))
		return "";
	return "; not traced: no function_graph, and no kprobes, or somebody has a tracer on";
}

static void print_targets(FILE *file, const struct kv_trace *trace)
{
	const struct kv_target *target;
	char text[KV_SYMBOL_TEXT];

	for (target = trace->target; target < trace->target + KV_TARGETS; target++)
		fprintf(file, "%s is %s: %s%s\n", target->verb,
			*target->traced.name ? kv_function_text(&target->traced, text) :
			"not to be traced", target->how, traced_by(trace, target));
}

/* what tracing does to what it measures */
static void print_overhead(FILE *file, const struct kv_trace *trace)
{
	const struct kv_figure *plain = &trace->plain.report.summary.metric[KVERBS_METRIC_POST];
	const struct kv_figure *alone = &trace->alone.report.summary.metric[KVERBS_METRIC_POST];
	const struct kv_figure *by_ftrace = &trace->alone.figure[KV_TARGET_POST];
	u32 unit = trace->plain.report.result->clock.unit;
	char all[KV_TEXT], within[KV_TEXT];

	if (!by_ftrace->count || isnan(plain->p50) || isnan(alone->p50))
		return;
	fprintf(file,
		"tracing the driver's functions adds %s %s to a post, at p50; %s of a traced post, at p50, are outside what %s\n",
		kv_text_value(alone->p50 - plain->p50, unit, all), kv_unit_name(unit),
		kv_text_value(alone->p50 - by_ftrace->p50, unit, within),
		trace->target[KV_TARGET_POST].probed ? "kprobes measure" : "ftrace measures");
}

static void print_lost(FILE *file, const struct kv_trace_run *run)
{
	if (run->lost)
		fprintf(file,
			"%llu events found no room in the buffer, the oldest: a smaller -n or -D keeps all\n",
			(unsigned long long)run->lost);
}

static void print_alone(FILE *file, const struct kv_trace *trace)
{
	const struct kv_trace_run *run = &trace->alone;
	u32 unit = trace->plain.report.result->clock.unit, i;

	print_head(file, unit);
	for (i = 0; i < KV_TARGETS; i++) {
		if (run->done && run->figure[i].count)
			print_figure(file, trace->target[i].traced.name, &run->figure[i], unit,
				     trace->target[i].probed ? "by kprobes" : "by ftrace");
	}
	if (run->done)
		print_figure(file, "post", &run->report.summary.metric[KVERBS_METRIC_POST], unit,
			     "of the same run, by kverbs");
	print_figure(file, "post", &trace->plain.report.summary.metric[KVERBS_METRIC_POST], unit,
		     "of a run without tracing");
	print_overhead(file, trace);
	print_lost(file, run);
}

static void print_call(FILE *file, const struct kv_trace *trace, const struct kv_call *call,
		       const struct kv_call *root, int depth)
{
	u32 unit = trace->plain.report.result->clock.unit;
	char mean[KV_TEXT], self[KV_TEXT], name[KV_SYMBOL_TEXT + 64];
	struct kv_function function = { .name = "?" };
	const struct kv_call *child;

	if (!call->count || call->total * TREE_SHARE < root->total)
		return;
	kv_symbol_at(trace->symbols, call->address, &function);
	snprintf(name, sizeof(name), "%*s", 2 * depth, "");
	kv_function_text(&function, name + strlen(name));
	fprintf(file, "%-*s %8.2f %9s %9s %6.1f %%\n", TREE_WIDTH, name,
		(double)call->count / (double)root->count,
		kv_text_value((double)call->total / (double)call->count, unit, mean),
		kv_text_value((double)(call->total - call->below) / (double)call->count, unit,
			      self),
		100.0 * (double)(call->total - call->below) / (double)root->total);
	for (child = call->child; child; child = child->next)
		print_call(file, trace, child, root, depth + 1);
}

/* tasks that were preempted in a traced function may leave others behind it */
static bool is_post(const struct kv_trace *trace, const struct kv_call *call)
{
	const struct kv_target *post = &trace->target[KV_TARGET_POST];

	return call->address && call->address == post->address;
}

/**
 * kv_trace_post - the post in the tree of calls
 * @trace: trace
 * Return: with what it calls, or NULL
 */
const struct kv_call *kv_trace_post(const struct kv_trace *trace)
{
	const struct kv_call *call = trace->tree.calls.root.child;

	while (call && !is_post(trace, call))
		call = call->next;
	return call && call->count ? call : NULL;
}

static u64 calls_below(const struct kv_call *call)
{
	const struct kv_call *child;
	u64 n = 0;

	for (child = call->child; child; child = child->next)
		n += child->count + calls_below(child);
	return n;
}

/* by how much a call that is traced is longer, of a post with all its calls */
static void print_call_cost(FILE *file, const struct kv_trace *trace)
{
	const struct kv_figure *plain = &trace->plain.report.summary.metric[KVERBS_METRIC_POST];
	const struct kv_figure *tree = &trace->tree.report.summary.metric[KVERBS_METRIC_POST];
	u32 unit = trace->plain.report.result->clock.unit;
	const struct kv_call *root = kv_trace_post(trace);
	char cost[KV_TEXT];
	double calls;

	if (!root || isnan(plain->p50) || isnan(tree->p50))
		return;
	calls = 1 + (double)calls_below(root) / (double)root->count;
	fprintf(file, "tracing adds %s %s to each of the %.1f calls of a post, at its p50\n",
		kv_text_value((tree->p50 - plain->p50) / calls, unit, cost), kv_unit_name(unit),
		calls);
}

static void print_tree(FILE *file, const struct kv_trace *trace)
{
	const struct kv_call *root;

	if (!trace->tree.done)
		return;
	fprintf(file, "\n%s%-*s %8s %9s %9s %8s%s\n", kv_bold(file), TREE_WIDTH, "calls", "a call",
		"mean", "self", "share", kv_plain(file));
	for (root = trace->tree.calls.root.child; root; root = root->next) {
		if (is_post(trace, root))
			print_call(file, trace, root, root, 0);
	}
	print_call_cost(file, trace);
	print_lost(file, &trace->tree);
}

static void print_share(FILE *file, const char *what, double value, double lat, u32 unit)
{
	char text[KV_TEXT];

	fprintf(file, "%-*s %9s %8.1f %%\n", SHARE_WIDTH, what, kv_text_value(value, unit, text),
		100.0 * value / lat);
}

/* who is waiting meanwhile */
static const char *waits(u32 context)
{
	switch (context) {
	case KVERBS_CONTEXT_BUSY:
	case KVERBS_CONTEXT_DIRECT:
		return "the lane's thread, which polls";
	case KVERBS_CONTEXT_HYBRID:
		return "the lane's thread, which polls for a while, and of the idle CPU";
	default:
		return "the idle CPU";
	}
}

/* what the table does not tell, and why */
static void print_share_remarks(FILE *file, const struct kv_trace *trace)
{
	const struct kv_shares *shares = &trace->shares;
	const struct kv_result *result = trace->plain.report.result;
	u32 unit = result->clock.unit;
	char all[KV_TEXT], plain[KV_TEXT];

	if (shares->torn)
		fprintf(file,
			"%llu operations more are left out: something came between their clock readings and their events\n",
			shares->torn);
	if (shares->elsewhere)
		fprintf(file,
			"%llu of the completions were taken on another CPU than their post was made on: it is that CPU's time\n",
			shares->elsewhere);
	fprintf(file, "what the device does has no events: it is in the time of %s%s\n",
		waits(result->granted.context),
		result->software ? ", and of softirqs and threads, since it is software" : "");
	if (!shares->driver)
		fprintf(file,
			"the driver's functions were not traced: they are in the rest of post and the lane's time, or that of softirqs and workqueues\n");
	if (*trace->missing)
		fprintf(file, "not seen, for this kernel has no such events: %s\n",
			trace->missing);
	if (shares->metric == KVERBS_METRIC_RTT)
		fprintf(file,
			"what the peer's lane does on another CPU is in the time of this one, which polls meanwhile\n");
	fprintf(file, "with all these events an operation takes %s %s, without %s, on average\n",
		kv_text_value(shares->lat / (double)shares->count, unit, all), kv_unit_name(unit),
		kv_text_value(shares->plain, unit, plain));
}

/* where the time of an operation goes */
static void print_shares(FILE *file, const struct kv_trace *trace)
{
	const struct kv_shares *shares = &trace->shares;
	const char *metric = kv_metric_name(shares->metric);
	double n = (double)shares->count;
	u32 unit = trace->plain.report.result->clock.unit, i;
	char head[64];

	if (*shares->refused)
		fprintf(file, "\nno shares: %s\n", shares->refused);
	if (!trace->whole.done)
		return;
	if (!shares->count) {
		fprintf(file, "\nshares of %s: no operation was seen from its post to its %s%s%s\n",
			metric, shares->metric == KVERBS_METRIC_RTT ? "answer" : "completion",
			*trace->missing ? "; no such events here: " : "", trace->missing);
		print_lost(file, &trace->whole);
		return;
	}
	snprintf(head, sizeof(head), "shares of %s, means of %llu operations", metric,
		 shares->count);
	fprintf(file, "\n%s%-*s %9s %10s%s\n", kv_bold(file), SHARE_WIDTH, head,
		kv_unit_name(unit), "share", kv_plain(file));
	for (i = 0; i < KV_SHARES; i++) {
		if (i == KV_SHARE_UNSEEN || shares->sum[i] > 0)
			print_share(file, kv_share_names[i].what, shares->sum[i] / n,
				    shares->lat / n, unit);
	}
	print_share(file, metric, shares->lat / n, shares->lat / n, unit);
	print_share_remarks(file, trace);
	print_lost(file, &trace->whole);
}

static void print_crossings(FILE *file, const struct kv_trace *trace)
{
	const struct kv_crossings *crossings = &trace->crossings;
	u64 ops = trace->alone.report.summary.ops;
	u32 i;

	if (!crossings->known) {
		fprintf(file,
			"system calls: no events of them in this kernel (CONFIG_FTRACE_SYSCALLS)\n");
		return;
	}
	fprintf(file, "the lanes entered the kernel %llu times, %.2f an operation",
		crossings->all, ops ? (double)crossings->all / (double)ops : 0.0);
	for (i = 0; i < crossings->n; i++)
		fprintf(file, "%s%s %llu", i ? ", " : ": ", crossings->most[i].name,
			crossings->most[i].count);
	fputc('\n', file);
}

/**
 * kv_trace_print_user - what was found out of the user engine
 * @file: where to
 * @trace: trace
 */
void kv_trace_print_user(FILE *file, const struct kv_trace *trace)
{
	u32 unit = trace->plain.report.result->clock.unit;

	print_crossings(file, trace);
	if (*trace->unprobed)
		fprintf(file, "%s\n", trace->unprobed);
	if (*trace->provider)
		fprintf(file, "ibv_post_send is %s, probed there\n", trace->provider);
	print_head(file, unit);
	if (trace->tree.done) {
		print_figure(file, "the provider's post", &trace->tree.figure[KV_TARGET_POST],
			     unit, "by uprobes");
		print_figure(file, "post", &trace->tree.report.summary.metric[KVERBS_METRIC_POST],
			     unit, "of the same run, by kverbs");
	}
	print_figure(file, "post", &trace->plain.report.summary.metric[KVERBS_METRIC_POST], unit,
		     "of a run without tracing");
}

/* two clocks on the same calls: the tracer's, and the loop's */
static void print_agreement(FILE *file, const struct kv_trace *trace)
{
	const struct kv_agreement *a = &trace->agreement;
	u32 unit = trace->plain.report.result->clock.unit;
	char min[KV_TEXT], p50[KV_TEXT], max[KV_TEXT];

	if (!trace->alone.done || !a->posts)
		return;
	fprintf(file,
		"check: %llu of %llu calls took no longer than their post by kverbs; the post is longer by %s %s at least, %s at p50, %s at most",
		a->within, a->posts, kv_text_value(a->outside.min, unit, min), kv_unit_name(unit),
		kv_text_value(a->outside.p50, unit, p50),
		kv_text_value(a->outside.max, unit, max));
	if (unit == KV_UNIT_INSN)
		fprintf(file, "; %llu of them by just as many", a->outside.same);
	fputc('\n', file);
	if (!a->judged)
		fprintf(file, "not judged: %s\n", isnan(a->overhead) ?
			"what tracing adds to a call is not known here" : "too few posts");
	else
		fprintf(file,
			"%s: by a reading of its clock, %s %s, and up to what tracing adds to a call, %s by %s: %llu of %llu posts\n",
			a->agree ? "agree" : "disagree", kv_text_value(a->reading, unit, p50),
			kv_unit_name(unit), kv_text_value(a->overhead, unit, max), a->known.name,
			a->explained, a->posts);
}

/**
 * kv_trace_print - all of it
 * @file: where to
 * @trace: trace
 */
void kv_trace_print(FILE *file, const struct kv_trace *trace)
{
	kv_print_env(file, trace->env);
	fprintf(file, "function_graph: %s; clock %s\n", kv_tracing_where(trace->tracing),
		kv_tracing_clock(trace->tracing));
	print_targets(file, trace);
	print_alone(file, trace);
	print_agreement(file, trace);
	print_tree(file, trace);
	print_shares(file, trace);
}
