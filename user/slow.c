// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The module's event of a completion has the time since the post. A trigger of the
 * instance switches its buffer off at the first that is too long: what came before
 * is kept, and what comes after does not push it out.
 */
#include <stdlib.h>
#include <string.h>
#include <trace-seq.h>
#include "kverbs.h"
#include "options.h"
#include "slow.h"

#define MARGIN		4	/* shown before it: a part of its length */
#define EVENTS_MAX	2000	/* shown, at most */

/**
 * struct slow - what is known of it
 * @limit: ticks
 * @clock: of the run
 * @begin: of what is shown, time stamp
 * @post: of its begin
 * @end: of its completion
 * @cpu: of that
 * @found: there was one
 * @shown: events
 */
struct slow {
	struct kv_trace *trace;
	FILE *file;
	u64 limit;
	struct kv_clock_info clock;
	u64 begin;
	u64 post;
	u64 end;
	int cpu;
	bool found;
	u32 shown;
};

static void look(void *arg, struct tep_event *event, struct tep_record *record)
{
	struct tep_format_field *field;
	unsigned long long ticks = 0;
	struct slow *slow = arg;

	if (slow->found || strcmp(event->name, "kverbs_completion"))
		return;
	field = tep_find_field(event, "ticks");
	if (!field || tep_read_number_field(field, record->data, &ticks) || ticks <= slow->limit)
		return;
	slow->found = true;
	slow->end = record->ts;
	slow->cpu = record->cpu;
	slow->post = record->ts - ticks;
	slow->begin = slow->post - ticks / MARGIN;
}

static double ns_since_post(const struct slow *slow, u64 ts)
{
	return ts < slow->post ? -kv_ticks_ns(&slow->clock, (double)(slow->post - ts)) :
				 kv_ticks_ns(&slow->clock, (double)(ts - slow->post));
}

static void show(void *arg, struct tep_event *event, struct tep_record *record)
{
	struct slow *slow = arg;
	struct tep_handle *tep = kv_tracing_tep(slow->trace->tracing);
	char thread[16] = "?";
	struct trace_seq text;
	int pid;

	if (record->cpu != slow->cpu || record->ts < slow->begin || record->ts > slow->end ||
	    slow->shown++ >= EVENTS_MAX)
		return;
	pid = tep_data_pid(tep, record);
	if (pid)
		kv_tracing_thread(slow->trace->tracing, pid, thread);
	else
		strcpy(thread, "idle");
	trace_seq_init(&text);
	tep_print_event(tep, &text, record, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(&text);
	fprintf(slow->file, "%+12.0f  %-16s %-22s %s\n", ns_since_post(slow, record->ts), thread,
		event->name, text.buffer);
	trace_seq_destroy(&text);
}

/**
 * kv_slow - run until an operation is too slow, and show it
 * @trace: trace
 * @options: with the threshold
 * @error: filled on failure
 * Return: 0, or -1
 */
int kv_slow(struct kv_trace *trace, const struct kv_options *options, struct kv_error *error)
{
	struct kv_tracing_plan plan = { .events = kv_trace_surroundings };
	struct slow slow = { .trace = trace, .file = stdout };
	char trigger[64];

	if (options->unit != KV_UNIT_NS || options->job.timing == KVERBS_TIMING_NONE)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "threshold: is a time of an operation: not with --clock-unit insn, nor with --timing none");
	if (strcmp(kv_tracing_clock(trace->tracing), "x86-tsc"))
		return kv_error_set(error, KV_EXIT_ENVIRONMENT,
				    "threshold: the tracing clock here is %s, not that of the run: what ran meanwhile could not be found",
				    kv_tracing_clock(trace->tracing));
	if (kv_clock_get(options->job.clock, &slow.clock, error))
		return -1;
	slow.limit = (u64)(options->slow_ns * (double)(1ULL << slow.clock.shift) /
			   (double)slow.clock.mult);
	snprintf(trigger, sizeof(trigger), "traceoff:1 if ticks > %llu",
		 (unsigned long long)slow.limit);
	plan.trigger_event = "kverbs/kverbs_completion";
	plan.trigger = trigger;
	if (kv_trace_run(trace, options, &plan, &trace->alone, "until an operation is too slow",
			 error))
		return -1;
	kv_print_env(slow.file, trace->env);
	kv_tracing_each(trace->tracing, look, &slow);
	if (!slow.found) {
		fprintf(slow.file, "no operation of %llu took longer than %.0f ns\n",
			(unsigned long long)trace->alone.report.summary.ops, options->slow_ns);
		return 0;
	}
	fprintf(slow.file,
		"an operation took %.0f ns; on CPU %d, ns from its post:\n",
		ns_since_post(&slow, slow.end), slow.cpu);
	kv_tracing_each(trace->tracing, show, &slow);
	if (slow.shown > EVENTS_MAX)
		fprintf(slow.file, "and %u events more; -o keeps all\n", slow.shown - EVENTS_MAX);
	return 0;
}
