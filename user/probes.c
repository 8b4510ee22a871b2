// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <tracefs.h>
#include "kverbs.h"
#include "lease.h"
#include "probes.h"

#define THREADS_MAX	256
#define EVENTS_MAX	64
#define RETURNS		"64"	/* calls that may be under way at a time */

static const char *const names[KV_TARGETS] = {
	[KV_TARGET_POST] = "post_send",
	[KV_TARGET_POLL] = "poll_cq",
	[KV_TARGET_RECV] = "post_recv",
};

/* calls under way, of threads */
struct begun {
	int pid;
	u64 at[KV_TARGETS];
};

struct taking {
	struct kv_tracing *tracing;
	const struct kv_trace_run *run;
	struct begun begun[THREADS_MAX];
	struct kv_hist hist[KV_TARGETS];
};

/**
 * kv_probe_put - write a line of dynamic_events
 * @format: of it; takes the number of this process, and @where
 * @where: place
 * Return: 0, or -1
 */
int kv_probe_put(const char *format, const char *where)
{
	char command[512];

	snprintf(command, sizeof(command), format, (int)getpid(), where);
	return tracefs_instance_file_append(NULL, "dynamic_events", command) < 0 ? -1 : 0;
}

static bool put(u32 i, const struct kv_function *function)
{
	char where[KV_SYMBOL_TEXT], begin[64], end[64], drop[64];

	snprintf(where, sizeof(where), "%s%s%s", function->module, *function->module ? ":" : "",
		 function->name);
	snprintf(begin, sizeof(begin), "p:" KV_PROBE_GROUP "%%d/%s %%s", names[i]);
	snprintf(end, sizeof(end), "r" RETURNS ":" KV_PROBE_GROUP "%%d/%s_end %%s", names[i]);
	snprintf(drop, sizeof(drop), "-:" KV_PROBE_GROUP "%%d/%s%%.0s", names[i]);
	if (kv_probe_put(begin, where))
		return false;
	if (!kv_probe_put(end, where))
		return true;
	kv_probe_put(drop, "");
	return false;
}

/* neither way goes: what is missing, and what there is without it */
static void give_up(struct kv_target *target)
{
	memset(&target->traced, 0, sizeof(target->traced));
	snprintf(target->how, sizeof(target->how),
		 "ftrace does not know %.40s, and the kernel lets no kprobe there (CONFIG_KPROBE_EVENTS_ON_NOTRACE); kverbs' own times are left",
		 target->op.name);
}

/**
 * kv_probes_open - probe what function_graph does not trace
 * @trace: trace; kv_probes_close() removes them
 *
 * function_graph and a kretprobe each put an address of their own in the place of that which
 * a function returns to. A guest of 6.1 died where both did so to rxe_poll_cq(): while somebody
 * has a tracer on nothing is probed.
 */
void kv_probes_open(struct kv_trace *trace)
{
	struct kv_target *target;
	u32 i;

	if (!kv_tracing_has_graph(trace->tracing) && kv_lease_has_tracer())
		return;
	for (i = 0; i < KV_TARGETS; i++) {
		target = &trace->target[i];
		if (*target->traced.name && kv_tracing_has_graph(trace->tracing))
			continue;
		if (!*target->traced.name && *target->op.name) {
			/* not of ftrace; the name is there, if it can be probed */
			target->traced = target->op;
			target->probed = put(i, &target->op);
			if (!target->probed)
				give_up(target);
		} else if (*target->traced.name) {
			target->probed = put(i, &target->traced);
		}
	}
}

void kv_probes_close(struct kv_trace *trace)
{
	char drop[64];
	u32 i;

	for (i = 0; i < KV_TARGETS; i++) {
		if (!trace->target[i].probed)
			continue;
		snprintf(drop, sizeof(drop), "-:" KV_PROBE_GROUP "%%d/%s%%.0s", names[i]);
		kv_probe_put(drop, "");
		snprintf(drop, sizeof(drop), "-:" KV_PROBE_GROUP "%%d/%s_end%%.0s", names[i]);
		kv_probe_put(drop, "");
	}
}

/**
 * kv_probes_events - events of the probes
 * @trace: trace
 * @more: other events, NULL ends; or NULL
 * Return: all of them, NULL ends; NULL: none
 */
const char *const *kv_probes_events(const struct kv_trace *trace, const char *const *more)
{
	static char name[2 * KV_TARGETS][48];
	static const char *events[EVENTS_MAX];
	u32 n = 0, i;

	for (i = 0; i < KV_TARGETS; i++) {
		if (!trace->target[i].probed)
			continue;
		snprintf(name[2 * i], sizeof(name[0]), KV_PROBE_GROUP "%d/%s", (int)getpid(),
			 names[i]);
		snprintf(name[2 * i + 1], sizeof(name[0]), KV_PROBE_GROUP "%d/%s_end",
			 (int)getpid(), names[i]);
		events[n++] = name[2 * i];
		events[n++] = name[2 * i + 1];
	}
	for (; more && *more && n + 1 < EVENTS_MAX; more++)
		events[n++] = *more;
	events[n] = NULL;
	return n ? events : NULL;
}

/**
 * kv_probes_event - is it an event of a probe?
 * @event: event
 * @target: filled: enum kv_target_kind
 * @begin: filled: a call begins, else it ends
 */
bool kv_probes_event(const struct tep_event *event, u32 *target, bool *begin)
{
	size_t len;
	u32 i;

	if (strncmp(event->system, KV_PROBE_GROUP, sizeof(KV_PROBE_GROUP) - 1))
		return false;
	for (i = 0; i < KV_TARGETS; i++) {
		len = strlen(names[i]);
		if (strncmp(event->name, names[i], len))
			continue;
		*target = i;
		*begin = !event->name[len];
		return *begin || !strcmp(event->name + len, "_end");
	}
	return false;
}

static void take(void *arg, struct tep_event *event, struct tep_record *record)
{
	struct taking *taking = arg;
	int pid = tep_data_pid(kv_tracing_tep(taking->tracing), record);
	struct begun *begun = taking->begun;
	u32 target;
	bool begin;

	if (!kv_probes_event(event, &target, &begin) ||
	    (taking->run->nthreads && !kv_trace_is_lane(taking->run, pid)))
		return;
	while (begun < taking->begun + THREADS_MAX && begun->pid && begun->pid != pid)
		begun++;
	if (begun == taking->begun + THREADS_MAX)
		return;
	begun->pid = pid;
	if (!begin && begun->at[target])
		kv_hist_add(&taking->hist[target], record->ts - begun->at[target]);
	begun->at[target] = begin ? record->ts : 0;
}

/**
 * kv_probes_take - how long the calls took that were probed
 * @trace: trace; its buffer was read
 * @run: its figures are filled
 */
void kv_probes_take(struct kv_trace *trace, struct kv_trace_run *run)
{
	struct kv_clock_info clock = run->report.result->clock;
	struct taking *taking = calloc(1, sizeof(*taking));
	u32 i;

	if (!taking)
		return;
	taking->tracing = trace->tracing;
	taking->run = run;
	for (i = 0; i < KV_TARGETS; i++)
		kv_hist_clear(&taking->hist[i]);
	kv_tracing_each(trace->tracing, take, taking);
	if (strcmp(kv_tracing_clock(trace->tracing), "x86-tsc")) {
		clock.mult = 1;
		clock.shift = 0;
	}
	for (i = 0; i < KV_TARGETS; i++) {
		if (trace->target[i].probed)
			kv_figure_of(&taking->hist[i], &clock, &run->figure[i]);
	}
	free(taking);
}
