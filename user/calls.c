// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <stdlib.h>
#include <string.h>
#include "calls.h"

#define DEPTH_MAX	64

/* where a thread is: calls that have begun and not ended */
struct kv_calls_stack {
	int pid;
	int base;		/* depth of the outermost */
	u32 depth;
	struct {
		struct kv_call *call;
		u64 begin;
	} at[DEPTH_MAX];
};

static struct kv_calls_stack *stack_of(struct kv_calls *calls, int pid)
{
	struct kv_calls_stack *more;
	u32 i;

	for (i = 0; i < calls->nstacks; i++) {
		if (calls->stack[i].pid == pid)
			return &calls->stack[i];
	}
	more = realloc(calls->stack, (calls->nstacks + 1) * sizeof(*more));
	if (!more)
		return NULL;
	calls->stack = more;
	more += calls->nstacks++;
	more->pid = pid;
	more->depth = 0;
	return more;
}

static struct kv_call *callee(struct kv_call *caller, u64 address)
{
	struct kv_call **at = &caller->child;

	while (*at && (*at)->address != address)
		at = &(*at)->next;
	if (!*at) {
		*at = calloc(1, sizeof(**at));
		if (*at)
			(*at)->address = address;
	}
	return *at;
}

static void enter(struct kv_calls *calls, int pid, u64 address, int depth, u64 ts)
{
	struct kv_calls_stack *stack = stack_of(calls, pid);
	struct kv_call *call;

	if (!stack)
		return;
	if (!stack->depth || depth <= stack->base) {
		calls->cut += stack->depth;
		stack->depth = 0;
		stack->base = depth;
	}
	/* what is above was left without an event that was kept */
	while (stack->depth > (u32)(depth - stack->base)) {
		stack->depth--;
		calls->cut++;
	}
	if (stack->depth != (u32)(depth - stack->base) || stack->depth == DEPTH_MAX)
		return;
	call = callee(stack->depth ? stack->at[stack->depth - 1].call : &calls->root, address);
	if (!call)
		return;
	stack->at[stack->depth].call = call;
	stack->at[stack->depth++].begin = ts;
}

static void sample(struct kv_calls *calls, u64 address, int pid, u64 ns)
{
	struct kv_sample *more;

	if (calls->nsamples == calls->room) {
		calls->room = calls->room ? 2 * calls->room : 1024;
		more = realloc(calls->sample, calls->room * sizeof(*more));
		if (!more) {
			calls->room = calls->nsamples;
			return;
		}
		calls->sample = more;
	}
	calls->sample[calls->nsamples++] = (struct kv_sample){ address, pid, ns };
}

/* @ns: how long it took; 0: from event to event */
static void leave(struct kv_calls *calls, int pid, u64 address, int depth, u64 ts, u64 ns)
{
	struct kv_calls_stack *stack = stack_of(calls, pid);
	struct kv_call *call;
	u32 at;

	if (!stack || !stack->depth || depth < stack->base ||
	    (u32)(depth - stack->base) >= stack->depth) {
		calls->cut++;
		return;
	}
	at = (u32)(depth - stack->base);
	calls->cut += stack->depth - at - 1;
	stack->depth = at;
	call = stack->at[at].call;
	if (call->address != address) {
		calls->cut++;
		return;
	}
	if (!ns)
		ns = ts - stack->at[at].begin;
	if (!call->count || ns < call->least)
		call->least = ns;
	if (ns > call->most)
		call->most = ns;
	call->count++;
	call->total += ns;
	if (at)
		stack->at[at - 1].call->below += ns;
	else
		sample(calls, address, pid, ns);
}

/* number in a field of an event; 0: it has no such field */
u64 kv_event_number(struct tep_event *event, struct tep_record *record, const char *name)
{
	struct tep_format_field *field = tep_find_any_field(event, name);
	unsigned long long value = 0;

	if (field)
		tep_read_number_field(field, record->data, &value);
	return value;
}

/**
 * kv_calls_take - take an event
 * @calls: all zero before the first
 * @tep: its formats
 * @event: event, any
 * @record: of it
 */
void kv_calls_take(struct kv_calls *calls, struct tep_handle *tep, struct tep_event *event,
		   struct tep_record *record)
{
	int pid, depth;
	u64 address;

	if (strncmp(event->name, "funcgraph_", 10))
		return;
	pid = tep_data_pid(tep, record);
	address = kv_event_number(event, record, "func");
	depth = (int)kv_event_number(event, record, "depth");
	calls->events++;
	if (!strcmp(event->name, "funcgraph_exit"))
		leave(calls, pid, address, depth, record->ts, calls->by_events ? 0 :
		      kv_event_number(event, record, "rettime") -
		      kv_event_number(event, record, "calltime"));
	else
		enter(calls, pid, address, depth, record->ts);
}

static void free_call(struct kv_call *call)
{
	struct kv_call *next;

	for (; call; call = next) {
		next = call->next;
		free_call(call->child);
		free(call);
	}
}

void kv_calls_free(struct kv_calls *calls)
{
	free_call(calls->root.child);
	free(calls->sample);
	free(calls->stack);
	memset(calls, 0, sizeof(*calls));
}
