/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * From the events of function_graph to the calls of functions: how long each took,
 * and what it called.
 */
#ifndef KV_CALLS_H
#define KV_CALLS_H

#include <stdbool.h>
#include <event-parse.h>
#include "engine.h"
#include "symbols.h"

/**
 * struct kv_call - a function in the place of the tree where it was called
 * @address: of the function
 * @count: calls that were seen to their end
 * @total: of their time, ns
 * @below: of the time, what functions called by it took
 * @least: the shortest
 * @most: the longest
 * @child: the first that it called, by the time of its first call
 * @next: the next of its caller
 */
struct kv_call {
	u64 address;
	u64 count;
	u64 total;
	u64 below;
	u64 least;
	u64 most;
	struct kv_call *child;
	struct kv_call *next;
};

/**
 * struct kv_sample - one call of a function that is no callee
 * @address: of the function
 * @pid: of the thread that called it
 * @ns: how long it took
 */
struct kv_sample {
	u64 address;
	int pid;
	u64 ns;
};

/**
 * struct kv_calls - what was called
 * @root: functions that are nobody's callee
 * @sample: each call of them, in the order of their ends
 * @nsamples: entries of @sample
 * @events: of function_graph that were seen
 * @cut: calls of which the begin or the end is missing
 * @by_events: a call lasts from event to event, by the clock of the buffer; else as
 *	long as the tracer says, in ns
 */
struct kv_calls {
	struct kv_call root;
	struct kv_sample *sample;
	size_t nsamples;
	u64 events;
	u64 cut;
	bool by_events;
	struct kv_calls_stack *stack;
	u32 nstacks;
	size_t room;
};

u64 kv_event_number(struct tep_event *event, struct tep_record *record, const char *name);
void kv_calls_take(struct kv_calls *calls, struct tep_handle *tep, struct tep_event *event,
		   struct tep_record *record);
void kv_calls_free(struct kv_calls *calls);

#endif /* KV_CALLS_H */
