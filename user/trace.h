/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What one trace found, and how it is printed. */
#ifndef KV_TRACE_H
#define KV_TRACE_H

#include "agreement.h"
#include "calls.h"
#include "report.h"
#include "shares.h"
#include "summary.h"
#include "target.h"
#include "tracing.h"

#define KV_TRACE_THREADS	64

/**
 * struct kv_trace_run - a run, traced or not
 * @report: of the run
 * @calls: of functions, where they were traced
 * @lost: events that found no room in the buffer
 * @thread: pids of the lanes, as far as the kernel told them
 * @lane: of each of them
 * @nthreads: entries of @thread, 0: whoever called it
 * @figure: of the calls of each target, of the lanes
 * @done: @report is filled
 */
struct kv_trace_run {
	struct kv_report report;
	struct kv_calls calls;
	u64 lost;
	int thread[KV_TRACE_THREADS];
	u32 lane[KV_TRACE_THREADS];
	u32 nthreads;
	struct kv_figure figure[KV_TARGETS];
	bool done;
};

#define KV_CROSSINGS_SHOWN	6
#define KV_CROSSING_NAME	32

/**
 * struct kv_crossings - system calls of the lanes of the user engine
 * @known: they were counted
 * @all: of all kinds
 * @most: the most frequent
 * @n: entries of @most
 */
struct kv_crossings {
	bool known;
	u64 all;
	struct {
		char name[KV_CROSSING_NAME];
		u64 count;
	} most[KV_CROSSINGS_SHOWN];
	u32 n;
};

/**
 * struct kv_trace - what is traced in an engine
 * @env: where
 * @tracing: how
 * @symbols: of the kernel, or NULL
 * @target: functions of the driver
 * @engine: engine
 * @plain: the job without tracing
 * @alone: the driver's functions traced, and nothing else
 * @tree: with what they call; of the user engine: the provider's post probed
 * @whole: the driver's functions, and what else the CPUs did
 * @agreement: of the calls of @alone with its posts
 * @measure: while a run is traced, what that adds to a call is measured, too
 * @shares: of @whole
 * @missing: events for it that this kernel does not have, or empty
 * @callees: enum kv_callees
 * @crossings: of the user engine
 * @unprobed: why the provider's post was not probed, or empty
 * @provider: file and offset of the provider's post, or empty
 */
struct kv_trace {
	const struct kv_env *env;
	struct kv_tracing *tracing;
	struct kv_symbols *symbols;
	struct kv_target target[KV_TARGETS];
	const struct kv_engine *engine;
	struct kv_trace_run plain;
	struct kv_trace_run alone;
	struct kv_trace_run tree;
	struct kv_trace_run whole;
	struct kv_agreement agreement;
	bool measure;
	struct kv_shares shares;
	char missing[160];
	u32 callees;
	struct kv_crossings crossings;
	char unprobed[512];
	char provider[384];
};

#define KV_TRACE_SCHEMA		"kverbs-trace/1"

struct kv_options;

extern const char *const kv_trace_surroundings[];

int kv_trace_run(struct kv_trace *trace, const struct kv_options *options,
		 const struct kv_tracing_plan *plan, struct kv_trace_run *run, const char *what,
		 struct kv_error *error);
bool kv_trace_is_call(struct kv_trace *trace, u32 target, u64 address);
bool kv_trace_is_lane(const struct kv_trace_run *run, int pid);
const struct kv_call *kv_trace_post(const struct kv_trace *trace);
json_t *kv_trace_json(const struct kv_trace *trace);
json_t *kv_trace_json_user(const struct kv_trace *trace);
void kv_trace_print_user(FILE *file, const struct kv_trace *trace);
void kv_trace_print(FILE *file, const struct kv_trace *trace);

#endif /* KV_TRACE_H */
