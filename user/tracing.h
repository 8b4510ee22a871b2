/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A tracing instance of our own, and the lease of the one that function_graph needs
 * on kernels that have it in the top-level buffer alone. Nobody else's tracing is
 * touched; what a killed process left behind is cleaned up by the next one.
 */
#ifndef KV_TRACING_H
#define KV_TRACING_H

#include <stdbool.h>
#include <event-parse.h>
#include "engine.h"
#include "symbols.h"

#define KV_ROOTS_MAX	4

struct kv_tracing;

/**
 * struct kv_tracing_plan - what is traced
 * @graph: by function_graph
 * @root: functions that it begins at
 * @nroots: entries of @root
 * @filter: what is traced below them, a glob or ":mod:NAME"; "": nothing but the
 *	roots; NULL: all functions
 * @events: "system/event", NULL ends; or NULL
 * @own: events of this process's threads only
 * @passing: what was traced is not for a file
 * @trigger_event: of the event that has @trigger
 * @trigger: or NULL
 */
struct kv_tracing_plan {
	bool graph;
	const struct kv_function *root[KV_ROOTS_MAX];
	u32 nroots;
	const char *filter;
	const char *const *events;
	bool own;
	bool passing;
	const char *trigger_event;
	const char *trigger;
};

/* an event of the buffer, in the order of time */
typedef void (*kv_tracing_fn)(void *arg, struct tep_event *event, struct tep_record *record);

void kv_tracing_count_ns(struct kv_tracing *tracing);
int kv_tracing_open(struct kv_tracing **tracing, u32 buffer_kb, struct kv_error *error);
void kv_tracing_close(struct kv_tracing *tracing);

bool kv_tracing_has_graph(const struct kv_tracing *tracing);
const char *kv_tracing_where(const struct kv_tracing *tracing);
const char *kv_tracing_clock(const struct kv_tracing *tracing);
const char *kv_tracing_name(const struct kv_tracing *tracing);

int kv_tracing_arm(struct kv_tracing *tracing, const struct kv_tracing_plan *plan,
		   struct kv_error *error);
void kv_tracing_on(struct kv_tracing *tracing);
bool kv_tracing_is_on(struct kv_tracing *tracing);
void kv_tracing_off(struct kv_tracing *tracing);
int kv_tracing_read(struct kv_tracing *tracing, struct kv_error *error);
int kv_tracing_read_some(struct kv_tracing *tracing, bool *more, struct kv_error *error);
void kv_tracing_each(struct kv_tracing *tracing, kv_tracing_fn fn, void *arg);
bool kv_tracing_thread(struct kv_tracing *tracing, int pid, char name[16]);
u64 kv_tracing_lost(const struct kv_tracing *tracing);
void kv_tracing_disarm(struct kv_tracing *tracing);
struct tep_handle *kv_tracing_tep(struct kv_tracing *tracing);

/* the pages of a CPU, for trace.dat */
u32 kv_tracing_cpus(const struct kv_tracing *tracing);
const void *kv_tracing_pages(const struct kv_tracing *tracing, u32 cpu, size_t *size);

#endif /* KV_TRACING_H */
