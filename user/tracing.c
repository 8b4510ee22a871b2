// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/sysinfo.h>
#include <kbuffer.h>
#include <tracefs.h>
#include "kverbs.h"
#include "lease.h"
#include "tracing.h"

#define BUFFER_KB	(16 << 10)	/* of a CPU, at most */
#define SYSTEMS_MAX	16		/* systems of events of a plan */
#define BUFFER_SHARE	16		/* of the machine's memory: one in so many, all CPUs */
#define SOME_PAGES	512		/* of a CPU, read in a row while it is traced */

struct cpu_pages {
	char *data;
	size_t size;
	struct kbuffer *kbuf;
	size_t at;		/* next page */
	void *event;		/* the next one, or NULL */
	unsigned long long ts;
};

/**
 * struct kv_tracing - tracing of this process
 * @own: our instance
 * @at: that of the plan under way: @own, or NULL for the top-level one
 * @graph: where function_graph runs, with @has_graph
 * @leased: the top-level one is ours for now
 * @where: said of it, or why there is none
 */
struct kv_tracing {
	struct tracefs_instance *own;
	struct tracefs_instance *at;
	struct tracefs_instance *graph;
	bool has_graph;
	bool leased;
	char where[384];
	char name[32];
	const char *clock;
	struct tep_handle *tep;
	u32 buffer_kb;
	u32 page;
	u32 ncpus;
	struct cpu_pages *cpu;
	u64 lost;
	char *threads;
	char trigger_file[160];
	char trigger[128];
	const char *const *events;
};

bool kv_tracing_has_graph(const struct kv_tracing *tracing)
{
	return tracing->has_graph;
}

const char *kv_tracing_where(const struct kv_tracing *tracing)
{
	return tracing->where;
}

const char *kv_tracing_clock(const struct kv_tracing *tracing)
{
	return tracing->clock;
}

const char *kv_tracing_name(const struct kv_tracing *tracing)
{
	return tracing->name;
}

struct tep_handle *kv_tracing_tep(struct kv_tracing *tracing)
{
	return tracing->tep;
}

u32 kv_tracing_cpus(const struct kv_tracing *tracing)
{
	return tracing->ncpus;
}

u64 kv_tracing_lost(const struct kv_tracing *tracing)
{
	return tracing->lost;
}

const void *kv_tracing_pages(const struct kv_tracing *tracing, u32 cpu, size_t *size)
{
	*size = tracing->cpu[cpu].size;
	return tracing->cpu[cpu].data;
}

static int put(struct tracefs_instance *instance, const char *file, const char *value)
{
	return tracefs_instance_file_write(instance, file, value) < 0 ? -1 : 0;
}

static int refuse(const char *file, const char *value, struct kv_error *error)
{
	return kv_error_set(error, KV_EXIT_ENVIRONMENT, "trace: %s does not take '%.100s': %s%s",
			    file, value, strerror(errno),
			    errno == EBUSY ? "; another tool has it" : "");
}

static int set(struct tracefs_instance *instance, const char *file, const char *value,
	       struct kv_error *error)
{
	return put(instance, file, value) ? refuse(file, value, error) : 0;
}

/* the same counter as the runs', so that no time need be converted; else ns */
static const char *choose_clock(struct tracefs_instance *instance)
{
	if (!put(instance, "trace_clock", "x86-tsc"))
		return "x86-tsc";
	return put(instance, "trace_clock", "mono_raw") ? "local" : "mono_raw";
}

/* @given: or 0: so much of the memory as does not hurt */
static int size_buffer(struct tracefs_instance *instance, u32 given, u32 cpus,
		       struct kv_error *error)
{
	struct sysinfo info;
	char text[32];
	u64 kb = BUFFER_KB, most;

	if (given) {
		kb = given;
	} else if (!sysinfo(&info)) {
		most = (u64)info.totalram * info.mem_unit / BUFFER_SHARE / 1024 / cpus;
		if (kb > most)
			kb = most;
	}
	snprintf(text, sizeof(text), "%llu", kb);
	if (!put(instance, "buffer_size_kb", text) || !given)
		return 0;
	return kv_error_set(error, KV_EXIT_ENVIRONMENT,
			    "buffer %u: %u KB for each of %u CPUs cannot be had: %s; use a smaller --buffer",
			    given, given, cpus, strerror(errno));
}

/* function_graph has instances since Linux 6.11 */
static void find_graph(struct kv_tracing *tracing)
{
	char why[192];

	if (!tracefs_tracer_available(NULL, "function_graph")) {
		snprintf(tracing->where, sizeof(tracing->where),
			 "this kernel has no function_graph (CONFIG_FUNCTION_GRAPH_TRACER)");
		return;
	}
	if (!put(tracing->own, "current_tracer", "function_graph")) {
		put(tracing->own, "current_tracer", "nop");
		tracing->graph = tracing->own;
		tracing->has_graph = true;
		snprintf(tracing->where, sizeof(tracing->where), "in an instance of its own, %s",
			 tracing->name);
		return;
	}
	tracing->has_graph = kv_lease_free(why, sizeof(why));
	if (tracing->has_graph)
		snprintf(tracing->where, sizeof(tracing->where),
			 "in the top-level buffer, which nobody uses: this kernel has function_graph nowhere else");
	else
		snprintf(tracing->where, sizeof(tracing->where),
			 "this kernel has function_graph in the top-level buffer alone, and %s",
			 why);
}

/**
 * kv_tracing_open - make an instance
 * @out: filled; kv_tracing_close() removes it
 * @buffer_kb: of a CPU, 0: chosen
 * @error: filled on failure
 * Return: 0, or -1
 */
int kv_tracing_open(struct kv_tracing **out, u32 buffer_kb, struct kv_error *error)
{
	struct kv_tracing *tracing;
	const char *path = NULL;

	*out = NULL;
	tracefs_set_loglevel(TEP_LOG_NONE);
	if (tracefs_tracing_dir_is_mounted(false, &path) <= 0)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT,
				    "trace: tracefs is not mounted; mount -t tracefs none /sys/kernel/tracing");
	tracing = calloc(1, sizeof(*tracing));
	if (!tracing)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT, "out of memory");
	kv_lease_sweep();
	snprintf(tracing->name, sizeof(tracing->name), "kverbs-%d", (int)getpid());
	tracing->own = tracefs_instance_create(tracing->name);
	if (!tracing->own) {
		free(tracing);
		return kv_error_set(error, KV_EXIT_ENVIRONMENT,
				    "trace: no instance can be made in %s/instances: %s; it takes root, and a kernel that is not locked down (/sys/kernel/security/lockdown)",
				    path ? path : "tracefs", strerror(errno));
	}
	put(tracing->own, "tracing_on", "0");
	tracing->ncpus = (u32)sysconf(_SC_NPROCESSORS_CONF);
	tracing->cpu = calloc(tracing->ncpus, sizeof(*tracing->cpu));
	if (!tracing->cpu) {
		kv_tracing_close(tracing);
		return kv_error_set(error, KV_EXIT_ENVIRONMENT, "out of memory");
	}
	tracing->clock = choose_clock(tracing->own);
	tracing->buffer_kb = buffer_kb;
	if (size_buffer(tracing->own, buffer_kb, tracing->ncpus, error)) {
		kv_tracing_close(tracing);
		return -1;
	}
	find_graph(tracing);
	*out = tracing;
	return 0;
}

/**
 * kv_tracing_count_ns - have time stamps in ns, as those of runs are not needed
 * @tracing: tracing, before a plan is armed
 */
void kv_tracing_count_ns(struct kv_tracing *tracing)
{
	tracing->clock = put(tracing->own, "trace_clock", "mono_raw") ? "local" : "mono_raw";
}

static void drop_pages(struct kv_tracing *tracing)
{
	u32 i;

	for (i = 0; tracing->cpu && i < tracing->ncpus; i++) {
		free(tracing->cpu[i].data);
		kbuffer_free(tracing->cpu[i].kbuf);
		memset(&tracing->cpu[i], 0, sizeof(tracing->cpu[i]));
	}
}

void kv_tracing_close(struct kv_tracing *tracing)
{
	if (!tracing)
		return;
	kv_tracing_disarm(tracing);
	drop_pages(tracing);
	tep_free(tracing->tep);
	tracefs_instance_destroy(tracing->own);
	tracefs_instance_free(tracing->own);
	free(tracing->threads);
	free(tracing->cpu);
	free(tracing);
}

/* filters first: with all functions even the tracer's start would be a storm */
static int arm_graph(struct kv_tracing *tracing, const struct kv_tracing_plan *plan,
		     struct kv_error *error)
{
	struct tracefs_instance *at = tracing->at;
	u32 i;

	tracefs_instance_file_clear(at, "set_ftrace_filter");
	for (i = 0; plan->filter && i < plan->nroots; i++) {
		if (tracefs_instance_file_append(at, "set_ftrace_filter",
						 plan->root[i]->name) < 0)
			return refuse("set_ftrace_filter", plan->root[i]->name, error);
	}
	if (plan->filter && *plan->filter &&
	    tracefs_instance_file_append(at, "set_ftrace_filter", plan->filter) < 0)
		return refuse("set_ftrace_filter", plan->filter, error);
	tracefs_instance_file_clear(at, "set_graph_function");
	for (i = 0; i < plan->nroots; i++) {
		if (tracefs_instance_file_append(at, "set_graph_function",
						 plan->root[i]->name) < 0)
			return refuse("set_graph_function", plan->root[i]->name, error);
	}
	if (set(at, "current_tracer", "function_graph", error))
		return -1;
	/* interrupts are not called by what they hit */
	put(at, "options/funcgraph-irqs", "0");
	return 0;
}

static int arm_events(struct kv_tracing *tracing, const char *const *events,
		      struct kv_error *error)
{
	char path[160];

	for (; events && *events; events++) {
		snprintf(path, sizeof(path), "events/%s/enable", *events);
		if (set(tracing->at, path, "1", error))
			return -1;
	}
	return 0;
}

/* threads that are made later follow the one that makes them */
static int arm_own(struct kv_tracing *tracing, struct kv_error *error)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	return set(tracing->at, "options/event-fork", "1", error) ||
	       set(tracing->at, "set_event_pid", pid, error) ? -1 : 0;
}

static int arm_trigger(struct kv_tracing *tracing, const struct kv_tracing_plan *plan,
		       struct kv_error *error)
{
	char path[160];

	if (!plan->trigger)
		return 0;
	snprintf(path, sizeof(path), "events/%s/trigger", plan->trigger_event);
	snprintf(tracing->trigger_file, sizeof(tracing->trigger_file), "%s", path);
	snprintf(tracing->trigger, sizeof(tracing->trigger), "!%s", plan->trigger);
	return set(tracing->at, path, plan->trigger, error);
}

/* with the kernel's symbols, which events are printed with: that takes a second */
static struct tep_handle *load_all(const char *const *events)
{
	char name[SYSTEMS_MAX][64] = { "ftrace" };
	const char *system[SYSTEMS_MAX + 1] = { name[0] };
	u32 n = 1, i;

	for (; events && *events; events++) {
		for (i = 0; i < n; i++) {
			if (!strncmp(*events, name[i], strlen(name[i])))
				break;
		}
		if (i < n || n == SYSTEMS_MAX)
			continue;
		snprintf(name[n], sizeof(name[n]), "%.*s", (int)strcspn(*events, "/"), *events);
		system[n] = name[n];
		n++;
	}
	return tracefs_local_events_system(NULL, system);
}

static bool load_one(struct tep_handle *tep, const char *event)
{
	char path[192], system[64], *text;
	int size = 0;
	bool done;

	snprintf(system, sizeof(system), "%.*s", (int)strcspn(event, "/"), event);
	snprintf(path, sizeof(path), "events/%s/format", event);
	text = tracefs_instance_file_read(NULL, path, &size);
	done = text && !tep_parse_event(tep, text, (unsigned long)size, system);
	free(text);
	return done;
}

/* the formats of these events, and of functions */
static struct tep_handle *load_few(const char *const *events)
{
	struct tep_handle *tep = tep_alloc();
	int size = 0;
	char *text;

	if (!tep)
		return NULL;
	text = tracefs_instance_file_read(NULL, "events/header_page", &size);
	if (text)
		tep_parse_header_page(tep, text, (unsigned long)size, sizeof(long));
	free(text);
	/* absent where there is no such tracer */
	load_one(tep, "ftrace/funcgraph_entry");
	load_one(tep, "ftrace/funcgraph_exit");
	for (; events && *events; events++) {
		if (!load_one(tep, *events)) {
			tep_free(tep);
			return NULL;
		}
	}
	return tep;
}

/* what the kernel says of the formats of the events */
static int load_formats(struct kv_tracing *tracing, const char *const *events, bool printed,
			struct kv_error *error)
{
	tep_free(tracing->tep);
	tracing->tep = printed ? load_all(events) : load_few(events);
	if (!tracing->tep)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT,
				    "trace: the formats of events cannot be read: %s",
				    strerror(errno));
	return 0;
}

/**
 * kv_tracing_arm - make all ready that a plan asks for, and switch nothing on
 * @tracing: tracing
 * @plan: plan; kv_tracing_disarm() undoes it
 * @error: filled on failure
 * Return: 0, or -1
 */
int kv_tracing_arm(struct kv_tracing *tracing, const struct kv_tracing_plan *plan,
		   struct kv_error *error)
{
	char why[192];

	kv_tracing_disarm(tracing);
	tracing->at = plan->graph ? tracing->graph : tracing->own;
	tracing->events = plan->events;
	if (!tracing->at) {
		tracing->leased = kv_lease_take(why, sizeof(why));
		if (!tracing->leased) {
			tracing->at = tracing->own;
			return kv_error_set(error, KV_EXIT_ENVIRONMENT,
					    "trace: the top-level buffer is not free any more: %s",
					    why);
		}
		put(NULL, "tracing_on", "0");
		tracing->clock = choose_clock(NULL);
		if (size_buffer(NULL, tracing->buffer_kb, tracing->ncpus, error))
			return -1;
	}
	tracefs_instance_file_clear(tracing->at, "trace");
	if (plan->graph && arm_graph(tracing, plan, error))
		return -1;
	if (plan->own && arm_own(tracing, error))
		return -1;
	if (arm_events(tracing, plan->events, error) || arm_trigger(tracing, plan, error))
		return -1;
	return load_formats(tracing, plan->events, plan->trigger, error);
}

void kv_tracing_on(struct kv_tracing *tracing)
{
	put(tracing->at, "tracing_on", "1");
}

bool kv_tracing_is_on(struct kv_tracing *tracing)
{
	return tracefs_trace_is_on(tracing->at) > 0;
}

void kv_tracing_off(struct kv_tracing *tracing)
{
	put(tracing->at, "tracing_on", "0");
}

void kv_tracing_disarm(struct kv_tracing *tracing)
{
	char path[160];
	u32 i;

	if (*tracing->trigger)
		put(tracing->at, tracing->trigger_file, tracing->trigger);
	*tracing->trigger = '\0';
	if (tracing->leased) {
		kv_lease_return();
		tracing->leased = false;
	} else {
		put(tracing->own, "tracing_on", "0");
		put(tracing->own, "current_tracer", "nop");
		tracefs_instance_file_clear(tracing->own, "set_graph_function");
		tracefs_instance_file_clear(tracing->own, "set_ftrace_filter");
		tracefs_instance_file_clear(tracing->own, "set_event_pid");
		for (i = 0; tracing->events && tracing->events[i]; i++) {
			snprintf(path, sizeof(path), "events/%s/enable", tracing->events[i]);
			put(tracing->own, path, "0");
		}
	}
	tracing->events = NULL;
	tracing->at = tracing->own;
}

/**
 * kv_tracing_thread - what a thread that was traced was called
 * @tracing: tracing, after kv_tracing_read()
 * @pid: of the thread, which may be no more
 * @name: filled
 * Return: false when the kernel does not remember it
 */
bool kv_tracing_thread(struct kv_tracing *tracing, int pid, char name[16])
{
	const char *at = tracing->threads;
	int known;

	while (at && *at) {
		known = (int)strtol(at, NULL, 10);
		at = strchr(at, ' ');
		if (at && known == pid) {
			snprintf(name, 16, "%.*s", (int)strcspn(at + 1, "\n"), at + 1);
			return true;
		}
		at = at ? strchr(at, '\n') : NULL;
		at = at ? at + 1 : NULL;
	}
	return false;
}

/* events that found no room: the oldest made place for the newest */
static u64 count_lost(struct kv_tracing *tracing, u32 cpu)
{
	char name[64], *text, *at;
	u64 lost = 0;

	snprintf(name, sizeof(name), "per_cpu/cpu%u/stats", cpu);
	text = tracefs_instance_file_read(tracing->at, name, NULL);
	if (!text)
		return 0;
	at = strstr(text, "overrun: ");
	if (at)
		lost += strtoull(at + 9, NULL, 10);
	at = strstr(text, "dropped events: ");
	if (at)
		lost += strtoull(at + 16, NULL, 10);
	free(text);
	return lost;
}

/* at most so many pages; a page need not be full, and what is traced goes on filling others */
static int read_cpu(struct kv_tracing *tracing, u32 index, u32 most, bool *more_left)
{
	struct cpu_pages *cpu = &tracing->cpu[index];
	struct tracefs_cpu *from = tracefs_cpu_open(tracing->at, (int)index, true);
	size_t room = 0;
	char *more;
	int got = 0, why;
	u32 n;

	if (!from)
		return 0;	/* not there: a CPU that is offline */
	tracing->page = (u32)tracefs_cpu_read_size(from);
	for (n = 0; n < most; n++) {
		if (cpu->size + tracing->page > room) {
			room = room ? 2 * room : 64 * tracing->page;
			more = realloc(cpu->data, room);
			if (!more) {
				got = -1;
				break;
			}
			cpu->data = more;
		}
		got = tracefs_cpu_read(from, cpu->data + cpu->size, true);
		if (got <= 0)
			break;
		cpu->size += tracing->page;
	}
	*more_left |= n == most;
	/* closing may change errno, and what is said of it is said later */
	why = got < 0 ? errno : 0;
	tracefs_cpu_close(from);
	errno = why;
	return why && why != EAGAIN ? -1 : 0;
}

static int read_all(struct kv_tracing *tracing, u32 most, bool *more, struct kv_error *error)
{
	u32 i;

	drop_pages(tracing);
	free(tracing->threads);
	tracing->threads = tracefs_instance_file_read(NULL, "saved_cmdlines", NULL);
	tracing->lost = 0;
	for (i = 0; i < tracing->ncpus; i++) {
		tracing->lost += count_lost(tracing, i);
		errno = 0;
		if (read_cpu(tracing, i, most, more))
			return kv_error_set(error, KV_EXIT_ENVIRONMENT,
					    "trace: the buffer of CPU %u cannot be read: %s", i,
					    strerror(errno));
	}
	return 0;
}

/**
 * kv_tracing_read - take what was traced out of the buffer
 * @tracing: tracing, switched off
 * @error: filled on failure
 * Return: 0, or -1
 */
int kv_tracing_read(struct kv_tracing *tracing, struct kv_error *error)
{
	bool more = false;

	return read_all(tracing, UINT32_MAX, &more, error);
}

/**
 * kv_tracing_read_some - likewise a part, while tracing may be on
 * @tracing: tracing
 * @more: set: there may be more by now
 * @error: filled on failure
 * Return: 0, or -1
 */
int kv_tracing_read_some(struct kv_tracing *tracing, bool *more, struct kv_error *error)
{
	*more = false;
	return read_all(tracing, SOME_PAGES, more, error);
}

static bool next_page(struct kv_tracing *tracing, struct cpu_pages *cpu)
{
	while (cpu->at < cpu->size) {
		if (kbuffer_load_subbuffer(cpu->kbuf, cpu->data + cpu->at))
			return false;
		cpu->at += tracing->page;
		cpu->event = kbuffer_read_event(cpu->kbuf, &cpu->ts);
		if (cpu->event)
			return true;
	}
	cpu->event = NULL;
	return false;
}

static void first_event(struct kv_tracing *tracing, struct cpu_pages *cpu)
{
	kbuffer_free(cpu->kbuf);
	cpu->kbuf = kbuffer_alloc(sizeof(long) == 8 ? KBUFFER_LSIZE_8 : KBUFFER_LSIZE_4,
				  tep_is_bigendian() ? KBUFFER_ENDIAN_BIG : KBUFFER_ENDIAN_LITTLE);
	cpu->at = 0;
	cpu->event = NULL;
	if (cpu->kbuf)
		next_page(tracing, cpu);
}

/**
 * kv_tracing_each - go through what was read, in the order of time
 * @tracing: tracing, after kv_tracing_read()
 * @fn: called for each event
 * @arg: its first argument
 */
void kv_tracing_each(struct kv_tracing *tracing, kv_tracing_fn fn, void *arg)
{
	struct cpu_pages *cpu, *first;
	struct tep_record record;
	struct tep_event *event;
	u32 i;

	for (i = 0; i < tracing->ncpus; i++)
		first_event(tracing, &tracing->cpu[i]);
	for (;;) {
		first = NULL;
		for (i = 0; i < tracing->ncpus; i++) {
			cpu = &tracing->cpu[i];
			if (cpu->event && (!first || cpu->ts < first->ts))
				first = cpu;
		}
		if (!first)
			return;
		memset(&record, 0, sizeof(record));
		record.ts = first->ts;
		record.cpu = (int)(first - tracing->cpu);
		record.data = first->event;
		record.size = kbuffer_event_size(first->kbuf);
		event = tep_find_event_by_record(tracing->tep, &record);
		if (event)
			fn(arg, event, &record);
		first->event = kbuffer_next_event(first->kbuf, &first->ts);
		if (!first->event)
			next_page(tracing, first);
	}
}
