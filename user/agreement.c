// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "agreement.h"
#include "kverbs.h"
#include "kverbs/clock.h"
#include "probes.h"
#include "trace.h"

#define POSTS_MIN	20	/* to be judged */
#define BATCHES		16
#define BATCH		16	/* calls between two readings */

/* a system call that does next to nothing, as architectures and ftrace name its function */
static const char *const known[] = {
	"__x64_sys_getppid", "__ia32_sys_getppid", "__do_sys_getppid", "__arm64_sys_getppid",
	"__riscv_sys_getppid", "__s390x_sys_getppid", "sys_getppid",
};

/* a CPU: the driver's post function that it is in, or the last that ended on it */
struct cpu {
	u64 begin;
	double took;	/* 0: none since the last event of a post */
	int pid;
};

/* a call and its post; @at, @end: the call's end, by the run's clock and the tracer's */
struct pair {
	double took;
	double post;
	double at;
	double end;
};

struct state {
	struct kv_trace *trace;
	struct kv_clock_info clock;
	bool by_events;
	bool ticks;		/* time stamps are of the run's clock, else ns */
	struct cpu *cpu;
	struct pair *pair;
	size_t n;
	size_t room;
	double end;		/* by the tracer, of the call that ended last */
};

/* ticks of a call: the least of a few batches */
static double known_takes(void)
{
	u64 start, best = ~0ULL;
	u32 i, j;

	for (i = 0; i < BATCHES; i++) {
		start = kv_cpu_clock();
		for (j = 0; j < BATCH; j++)
			syscall(SYS_getppid);
		start = kv_cpu_clock() - start;
		if (start < best)
			best = start;
	}
	return (double)best / BATCH;
}

/**
 * kv_agreement_find - find the function of which tracing's overhead is measured
 * @trace: trace; its agreement is cleared, and @known filled
 * Return: there is one; it is to be traced with the driver's
 */
bool kv_agreement_find(struct kv_trace *trace)
{
	struct kv_agreement *agreement = &trace->agreement;
	u32 i;

	memset(agreement, 0, sizeof(*agreement));
	for (i = 0; KV_HAVE_CPU_CLOCK && i < KV_ARRAY_SIZE(known); i++) {
		snprintf(agreement->known.name, sizeof(agreement->known.name), "%s", known[i]);
		if (kv_symbol_address(trace->symbols, &agreement->known) &&
		    kv_function_traceable(&agreement->known)) {
			agreement->plain = known_takes();
			return true;
		}
	}
	memset(&agreement->known, 0, sizeof(agreement->known));
	return false;
}

/**
 * kv_agreement_traced - the same while it is traced
 * @agreement: after kv_agreement_find()
 */
void kv_agreement_traced(struct kv_agreement *agreement)
{
	if (*agreement->known.name)
		agreement->traced = known_takes();
}

static double unit_of(const struct state *state, u64 stamp)
{
	return state->ticks ? kv_ticks_ns(&state->clock, (double)stamp) : (double)stamp;
}

/* @ns: as the tracer says it; negative: from event to event */
static void take_call(const struct state *state, struct cpu *cpu, int pid, u64 ts, bool begin,
		      double ns)
{
	cpu->took = 0;
	if (!begin && cpu->begin && cpu->pid == pid)
		cpu->took = ns < 0 ? unit_of(state, ts - cpu->begin) : ns;
	cpu->begin = begin ? ts : 0;
	cpu->pid = pid;
}

static struct pair *append(struct state *state)
{
	struct pair *more;

	if (state->n == state->room) {
		state->room = state->room ? 2 * state->room : 1024;
		more = realloc(state->pair, state->room * sizeof(*more));
		if (!more) {
			state->room = state->n;
			return NULL;
		}
		state->pair = more;
	}
	return &state->pair[state->n++];
}

/* a post is over: was the call before it the one that it made? */
static void take_post(struct state *state, struct cpu *cpu, int pid, struct tep_event *event,
		      struct tep_record *record)
{
	double post = kv_ticks_ns(&state->clock,
				  (double)kv_event_number(event, record, "ticks"));
	double took = cpu->pid == pid ? cpu->took : 0;
	struct pair *pair;

	cpu->took = 0;
	if (took <= 0 || post <= 0 || kv_event_number(event, record, "rc"))
		return;
	pair = append(state);
	if (pair)
		*pair = (struct pair){ took, post, unit_of(state, record->ts), state->end };
}

static void take(void *arg, struct tep_event *event, struct tep_record *record)
{
	struct state *state = arg;
	struct cpu *cpu = &state->cpu[record->cpu];
	int pid = tep_data_pid(kv_tracing_tep(state->trace->tracing), record);
	double ns = -1;
	u32 target;
	bool begin;

	if (kv_probes_event(event, &target, &begin)) {
		if (target == KV_TARGET_POST)
			take_call(state, cpu, pid, record->ts, begin, ns);
	} else if (!strcmp(event->name, "kverbs_post")) {
		take_post(state, cpu, pid, event, record);
	} else if (!strncmp(event->name, "funcgraph_", 10) &&
		   kv_trace_is_call(state->trace, KV_TARGET_POST,
				    kv_event_number(event, record, "func"))) {
		begin = !strcmp(event->name, "funcgraph_entry");
		if (!begin && !state->by_events) {
			state->end = (double)kv_event_number(event, record, "rettime");
			ns = state->end - (double)kv_event_number(event, record, "calltime");
		}
		take_call(state, cpu, pid, record->ts, begin, ns);
	}
}

/* of the pairs from one to another, the one that was told soonest after its call */
static const struct pair *soonest(const struct pair *from, const struct pair *to)
{
	const struct pair *best = from;

	for (; from < to; from++) {
		if (from->at - from->end < best->at - best->end)
			best = from;
	}
	return best;
}

/*
 * The tracer's ns are of the scheduler's clock, and where that was calibrated otherwise
 * than the clock of the run, a long call comes out longer than its post. Both are told
 * of each call: its end, and the time stamp of the event that follows.
 */
static double rate_of(const struct state *state)
{
	const struct pair *first, *last;

	if (state->by_events || !state->ticks || state->n < 8 || !state->end)
		return 1;
	first = soonest(state->pair, state->pair + state->n / 4);
	last = soonest(state->pair + state->n - state->n / 4, state->pair + state->n);
	return (last->end - first->end) / (last->at - first->at);
}

static void compare(struct kv_agreement *a, const struct state *state, struct kv_hist *calls,
		    struct kv_hist *outside)
{
	const struct pair *pair;
	double took;

	kv_hist_clear(calls);
	kv_hist_clear(outside);
	a->reading = kv_ticks_ns(&state->clock, state->clock.cost);
	a->overhead = a->traced > 0 ? kv_ticks_ns(&state->clock, a->traced - a->plain) : NAN;
	a->rate = rate_of(state);
	a->posts = state->n;
	for (pair = state->pair; pair < state->pair + state->n; pair++) {
		took = pair->took / a->rate;
		kv_hist_add(calls, (u64)(took + 0.5));
		if (took > pair->post)
			continue;
		a->within++;
		a->explained += pair->post - took <= a->reading + a->overhead;
		kv_hist_add(outside, (u64)(pair->post - took + 0.5));
	}
}

static void judge(struct kv_agreement *a)
{
	a->judged = !isnan(a->overhead) && a->posts >= POSTS_MIN;
	a->agree = a->judged && a->within == a->posts && a->explained &&
		   a->outside.min >= a->reading;
}

/**
 * kv_agreement_take - from the events of a run that is over
 * @trace: trace; its buffer was read; its agreement is filled
 * @run: the run, with the driver's functions traced and nothing else
 */
void kv_agreement_take(struct kv_trace *trace, const struct kv_trace_run *run)
{
	struct kv_clock_info as_is = { .mult = 1, .unit = run->report.result->clock.unit };
	struct kv_hist *hist = malloc(2 * sizeof(*hist));
	struct state state = {
		.trace = trace,
		.clock = run->report.result->clock,
		.by_events = run->calls.by_events,
		.ticks = !strcmp(kv_tracing_clock(trace->tracing), "x86-tsc"),
		.cpu = calloc(kv_tracing_cpus(trace->tracing), sizeof(*state.cpu)),
	};

	if (hist && state.cpu) {
		kv_tracing_each(trace->tracing, take, &state);
		compare(&trace->agreement, &state, &hist[0], &hist[1]);
		kv_figure_of(&hist[0], &as_is, &trace->agreement.calls);
		kv_figure_of(&hist[1], &as_is, &trace->agreement.outside);
		judge(&trace->agreement);
	}
	free(state.pair);
	free(state.cpu);
	free(hist);
}
