// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <infiniband/verbs.h>
#include <sys/syscall.h>
#include <tracefs.h>
#include "crossing.h"
#include "kverbs.h"
#include "options.h"
#include "probes.h"

#define CALLS_MAX	1024	/* numbers of system calls */
#define THREADS_MAX	256

/* those that a data path may have */
static const struct {
	u32 number;
	const char *name;
} known[] = {
	{ SYS_write, "write" }, { SYS_read, "read" }, { SYS_ioctl, "ioctl" },
	{ SYS_sched_yield, "sched_yield" }, { SYS_ppoll, "ppoll" },
	{ SYS_futex, "futex" }, { SYS_clock_nanosleep, "clock_nanosleep" },
	{ SYS_clock_gettime, "clock_gettime" }, { SYS_nanosleep, "nanosleep" },
	/* once, where a thread begins or ends */
	{ SYS_rt_sigprocmask, "rt_sigprocmask" }, { SYS_getrusage, "getrusage" },
	{ SYS_madvise, "madvise" }, { SYS_mmap, "mmap" }, { SYS_munmap, "munmap" },
	{ SYS_mprotect, "mprotect" }, { SYS_exit, "exit" }, { SYS_prctl, "prctl" },
	{ SYS_set_robust_list, "set_robust_list" }, { SYS_rseq, "rseq" },
	{ SYS_sched_setaffinity, "sched_setaffinity" }, { SYS_perf_event_open, "perf_event_open" },
#ifdef SYS_poll
	{ SYS_poll, "poll" },
#endif
};

/**
 * struct crossing - what the lanes' threads did
 * @count: system calls by their number
 * @begun: time stamp of the provider's post under way, by thread; 0: none
 * @hist: how long it took
 */
struct crossing {
	struct kv_trace *trace;
	u64 count[CALLS_MAX];
	struct {
		int pid;
		u64 at;
	} begun[THREADS_MAX];
	struct kv_hist hist;
};

static void name_call(u32 number, char text[KV_CROSSING_NAME])
{
	u32 i;

	snprintf(text, KV_CROSSING_NAME, "call %u", number);
	for (i = 0; i < KV_ARRAY_SIZE(known); i++) {
		if (known[i].number == number)
			snprintf(text, KV_CROSSING_NAME, "%s", known[i].name);
	}
}

static void count_call(void *arg, struct tep_event *event, struct tep_record *record)
{
	struct crossing *crossing = arg;
	struct tep_format_field *field;
	unsigned long long id;
	int pid = tep_data_pid(kv_tracing_tep(crossing->trace->tracing), record);

	/* the first thread waits for the lanes, and measures nothing */
	if (strcmp(event->name, "sys_enter") || pid == getpid())
		return;
	field = tep_find_field(event, "id");
	if (field && !tep_read_number_field(field, record->data, &id) && id < CALLS_MAX)
		crossing->count[id]++;
}

static void time_post(void *arg, struct tep_event *event, struct tep_record *record)
{
	struct crossing *crossing = arg;
	int pid = tep_data_pid(kv_tracing_tep(crossing->trace->tracing), record);
	u32 i;

	for (i = 0; i < THREADS_MAX && crossing->begun[i].pid && crossing->begun[i].pid != pid; i++)
		;
	if (i == THREADS_MAX)
		return;
	crossing->begun[i].pid = pid;
	if (!strcmp(event->name, "post")) {
		crossing->begun[i].at = record->ts;
	} else if (!strcmp(event->name, "post_end") && crossing->begun[i].at) {
		kv_hist_add(&crossing->hist, record->ts - crossing->begun[i].at);
		crossing->begun[i].at = 0;
	}
}

/* the most frequent first */
static void sum_calls(const struct crossing *crossing, struct kv_crossings *crossings)
{
	bool taken[CALLS_MAX] = {};
	u64 most;
	u32 i, at;

	crossings->known = true;
	for (i = 0; i < CALLS_MAX; i++)
		crossings->all += crossing->count[i];
	while (crossings->n < KV_CROSSINGS_SHOWN) {
		most = 0;
		at = 0;
		for (i = 0; i < CALLS_MAX; i++) {
			if (!taken[i] && crossing->count[i] > most) {
				most = crossing->count[i];
				at = i;
			}
		}
		if (!most)
			break;
		taken[at] = true;
		name_call(at, crossings->most[crossings->n].name);
		crossings->most[crossings->n++].count = most;
	}
}

struct place {
	u64 address;
	u64 offset;
	bool found;
};

/* from an address in memory to one in the file */
static int find_place(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct place *place = arg;
	u64 begin;
	u32 i;

	for (i = 0; i < info->dlpi_phnum; i++) {
		begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		if (info->dlpi_phdr[i].p_type != PT_LOAD || place->address < begin ||
		    place->address >= begin + info->dlpi_phdr[i].p_memsz)
			continue;
		place->offset = place->address - begin + info->dlpi_phdr[i].p_offset;
		place->found = true;
		return 1;
	}
	return 0;
}

static struct ibv_context *open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = NULL;
	u32 i;

	for (i = 0; list && list[i] && !context; i++) {
		if (!strcmp(ibv_get_device_name(list[i]), name))
			context = ibv_open_device(list[i]);
	}
	if (list)
		ibv_free_device_list(list);
	return context;
}

/* "FILE:0xOFFSET" of the provider's post function, which need not have a symbol */
static bool find_post(const char *device, char *where, size_t size)
{
	struct ibv_context *context = open_device(device);
	struct place place = {};
	Dl_info info = {};

	if (!context)
		return false;
	place.address = (u64)(unsigned long)context->ops.post_send;
	dl_iterate_phdr(find_place, &place);
	if (place.found && dladdr((void *)(unsigned long)place.address, &info) && info.dli_fname)
		snprintf(where, size, "%s:0x%llx", info.dli_fname,
			 (unsigned long long)place.offset);
	ibv_close_device(context);
	return place.found && info.dli_fname;
}

static int trace_provider(struct kv_trace *trace, const struct kv_options *options,
			  struct crossing *crossing, struct kv_error *error)
{
	char begin[64], end[64], where[384];
	const char *const events[] = { begin, end, NULL };
	struct kv_tracing_plan plan = { .events = events, .own = true };
	int rc;

	if (!find_post(trace->env->device, where, sizeof(where))) {
		snprintf(trace->unprobed, sizeof(trace->unprobed),
			 "the provider's post function was not found");
		return 0;
	}
	if (kv_probe_put("p:kverbs_%d/post %s", where) ||
	    kv_probe_put("r:kverbs_%d/post_end %s", where)) {
		snprintf(trace->unprobed, sizeof(trace->unprobed),
			 "the provider's post, %s, cannot be probed: this kernel has no uprobes, or is locked down",
			 where);
		kv_probe_put("-:kverbs_%d/post%.0s", "");
		return 0;
	}
	snprintf(begin, sizeof(begin), "kverbs_%d/post", (int)getpid());
	snprintf(end, sizeof(end), "kverbs_%d/post_end", (int)getpid());
	rc = kv_trace_run(trace, options, &plan, &trace->tree, "the provider's post", error);
	kv_probe_put("-:kverbs_%d/post%.0s", "");
	kv_probe_put("-:kverbs_%d/post_end%.0s", "");
	if (rc)
		return rc;
	kv_tracing_each(trace->tracing, time_post, crossing);
	snprintf(trace->provider, sizeof(trace->provider), "%s", where);
	return 0;
}

/**
 * kv_crossing - run in the user engine: without tracing, with its system calls
 *	counted, with the provider's post probed
 * @trace: trace; its runs are filled
 * @options: with the job
 * @error: filled on failure
 * Return: 0, or -1
 */
int kv_crossing(struct kv_trace *trace, const struct kv_options *options, struct kv_error *error)
{
	static const char *const calls[] = { "raw_syscalls/sys_enter", NULL };
	bool seen = tracefs_event_file_exists(NULL, "raw_syscalls", "sys_enter", "enable");
	/* without them the run is there, and what it did is not known */
	struct kv_tracing_plan plan = { .events = seen ? calls : &calls[1], .own = true };
	struct crossing *crossing = calloc(1, sizeof(*crossing));
	int rc = -1;

	if (!crossing)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT, "out of memory");
	crossing->trace = trace;
	kv_hist_clear(&crossing->hist);
	if (kv_trace_run(trace, options, NULL, &trace->plain, "without tracing", error) ||
	    kv_trace_run(trace, options, &plan, &trace->alone, "its system calls", error))
		goto out;
	if (seen) {
		kv_tracing_each(trace->tracing, count_call, crossing);
		sum_calls(crossing, &trace->crossings);
	}
	rc = trace_provider(trace, options, crossing, error);
	if (!rc && *trace->provider)
		kv_figure_of(&crossing->hist, &trace->tree.report.result->clock,
			     &trace->tree.figure[KV_TARGET_POST]);
out:
	free(crossing);
	return rc;
}
