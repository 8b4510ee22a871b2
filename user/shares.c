// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * From events to shares. Each CPU has a sum of time for every label; a post keeps what
 * they were, and its completion takes the difference of the CPU that it is on. What the
 * device does meanwhile no event tells: it is in the time that the lane polls, or idles.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>
#include "kverbs.h"
#include "probes.h"
#include "trace.h"

#define READY_MAX	16	/* threads that wait for one CPU */
#define WORKERS_MAX	256	/* that have work under way */
#define QPS_MAX		1024
#define PENDING_MAX	(1 << 16)	/* posts of a QP without a completion */
#define EVENTS_MAX	24
#define TORN		8	/* the event is off by more than one in so many of lat */

const struct kv_share_name kv_share_names[KV_SHARES] = {
	[KV_SHARE_DRIVER] = { "driver_post", "post: the driver's function" },
	[KV_SHARE_POST] = { "post_rest", "post: the rest of it" },
	[KV_SHARE_POLL] = { "driver_poll", "the driver's poll function" },
	[KV_SHARE_LANE] = { "lane", "the lane's thread otherwise" },
	[KV_SHARE_IRQ] = { "irq", "interrupts" },
	[KV_SHARE_SOFTIRQ] = { "softirq", "softirqs" },
	[KV_SHARE_WORK] = { "workqueue", "workqueues" },
	[KV_SHARE_WAKE] = { "wakeup", "woken, and not running yet" },
	[KV_SHARE_OTHER] = { "other_threads", "other threads" },
	[KV_SHARE_IDLE] = { "idle", "idle" },
	[KV_SHARE_UNSEEN] = { "unseen", "between a clock reading and its event" },
};

static const char *const wanted[] = {
	"kverbs/kverbs_post", "kverbs/kverbs_completion", "kverbs/kverbs_answer",
	"irq/irq_handler_entry", "irq/irq_handler_exit", "irq/softirq_entry",
	"irq/softirq_exit", "sched/sched_switch", "sched/sched_waking",
	"workqueue/workqueue_execute_start", "workqueue/workqueue_execute_end",
	"irq_vectors/local_timer_entry", "irq_vectors/local_timer_exit",
	"irq_vectors/reschedule_entry", "irq_vectors/reschedule_exit",
	"irq_vectors/call_function_single_entry", "irq_vectors/call_function_single_exit",
	"irq_vectors/call_function_entry", "irq_vectors/call_function_exit",
};

/**
 * struct cpu - what a CPU does
 * @at: time stamp up to which it is accounted for; 0: not yet
 * @sum: by label
 * @pid: thread that it runs, or that an interrupt hit
 * @irq: interrupts under way
 * @softirq: likewise
 * @poll: the driver's poll function is under way
 * @poll_pid: of that thread
 * @poll_softirq: softirqs that it was called in
 * @post_at: the driver's post function is under way since; 0: it is not
 * @driver: what it took since the last event of a post
 * @ready: threads of ours that wait for it
 */
struct cpu {
	u64 at;
	u64 sum[KV_SHARES];
	int pid;
	u32 irq;
	u32 softirq;
	bool poll;
	int poll_pid;
	u32 poll_softirq;
	u64 post_at;
	double driver;
	int ready[READY_MAX];
	u32 nready;
};

/* a post that waits for completions; @sum: of each CPU, when it was over */
struct post {
	u64 wr_id;
	u64 ops;
	u64 ts;
	int cpu;
	u64 ticks;
	double driver;
	u64 own;
	u64 *sum;
};

/* an operation; of one in steps, as far as they were seen */
struct op {
	double sum[KV_SHARES];
	double lat;
	bool any;
	bool torn;
	bool elsewhere;
};

struct queue {
	u32 qpn;
	struct op op;
	struct post *post;
	size_t head;
	size_t n;
	size_t room;
};

/* of a thread of a lane: how long it was the lane's thread that ran */
struct own {
	int pid;
	u32 lane;
	u64 ran;
};

struct state {
	struct kv_trace *trace;
	const struct kv_trace_run *run;
	struct kv_shares *shares;
	struct kv_clock_info clock;
	bool by_events;
	bool ticks;		/* time stamps are of the run's clock, else ns */
	struct tep_handle *tep;
	u32 ncpus;
	struct cpu *cpu;
	struct queue queue[QPS_MAX];
	u32 nqueues;
	int worker[WORKERS_MAX];
	u32 nworkers;
	struct own own[KV_TRACE_THREADS];
};

/**
 * kv_shares_events - the events that shares are made of
 * @missing: filled: those that this kernel does not have, or empty
 * Return: names, NULL ends
 */
const char *const *kv_shares_events(char missing[160])
{
	static const char *names[EVENTS_MAX];
	char system[32];
	const char *event;
	u32 n = 0, i;

	*missing = '\0';
	for (i = 0; i < KV_ARRAY_SIZE(wanted); i++) {
		event = strchr(wanted[i], '/') + 1;
		snprintf(system, sizeof(system), "%.*s", (int)strcspn(wanted[i], "/"), wanted[i]);
		if (tracefs_event_file_exists(NULL, system, event, "enable"))
			names[n++] = wanted[i];
		else
			kv_remark_add(missing, 160, "%s", wanted[i]);
	}
	names[n] = NULL;
	return names;
}

/* does a text of an event begin so? */
static bool begins(struct tep_event *event, struct tep_record *record, const char *name,
		   const char *with)
{
	struct tep_format_field *field = tep_find_field(event, name);

	return field && !strncmp((char *)record->data + field->offset, with, strlen(with));
}

static double since(const struct state *state, u64 from, u64 to)
{
	return state->ticks ? kv_ticks_ns(&state->clock, (double)(to - from)) :
			      (double)(to - from);
}

static struct own *own_of(struct state *state, int pid)
{
	u32 i;

	for (i = 0; i < state->run->nthreads; i++) {
		if (state->own[i].pid == pid)
			return &state->own[i];
	}
	return NULL;
}

static u64 ran_of(const struct state *state, u32 lane)
{
	u32 i;

	for (i = 0; i < state->run->nthreads; i++) {
		if (state->own[i].lane == lane)
			return state->own[i].ran;
	}
	return 0;
}

static bool has_work(const struct state *state, int pid)
{
	u32 i;

	for (i = 0; i < state->nworkers && state->worker[i] != pid; i++)
		;
	return i < state->nworkers;
}

static enum kv_share label(struct state *state, const struct cpu *cpu)
{
	if (cpu->irq)
		return KV_SHARE_IRQ;
	if (cpu->poll && cpu->pid == cpu->poll_pid && cpu->softirq == cpu->poll_softirq)
		return KV_SHARE_POLL;
	if (cpu->softirq)
		return KV_SHARE_SOFTIRQ;
	if (own_of(state, cpu->pid))
		return KV_SHARE_LANE;
	if (has_work(state, cpu->pid))
		return KV_SHARE_WORK;
	if (cpu->nready)
		return KV_SHARE_WAKE;
	return cpu->pid ? KV_SHARE_OTHER : KV_SHARE_IDLE;
}

/* account for a CPU up to now */
static void advance(struct state *state, struct cpu *cpu, u64 ts)
{
	enum kv_share share;
	struct own *own;

	if (cpu->at && ts > cpu->at) {
		share = label(state, cpu);
		cpu->sum[share] += ts - cpu->at;
		own = share == KV_SHARE_LANE ? own_of(state, cpu->pid) : NULL;
		if (own)
			own->ran += ts - cpu->at;
	}
	if (ts > cpu->at)
		cpu->at = ts;
}

static void not_ready(struct state *state, int pid)
{
	struct cpu *cpu;
	u32 i;

	for (cpu = state->cpu; cpu < state->cpu + state->ncpus; cpu++) {
		for (i = 0; i < cpu->nready && cpu->ready[i] != pid; i++)
			;
		if (i < cpu->nready)
			cpu->ready[i] = cpu->ready[--cpu->nready];
	}
}

static void ready(struct cpu *cpu, int pid)
{
	u32 i;

	for (i = 0; i < cpu->nready && cpu->ready[i] != pid; i++)
		;
	if (i == cpu->nready && i < READY_MAX)
		cpu->ready[cpu->nready++] = pid;
}

/* threads that completions pass through */
static bool is_ours(struct state *state, struct tep_event *event, struct tep_record *record,
		    const char *pid, const char *comm)
{
	return own_of(state, (int)kv_event_number(event, record, pid)) ||
	       begins(event, record, comm, "kworker/") ||
	       begins(event, record, comm, "ksoftirqd/");
}

static void take_waking(struct state *state, struct tep_event *event, struct tep_record *record)
{
	u32 target = (u32)kv_event_number(event, record, "target_cpu");

	if (target >= state->ncpus || !is_ours(state, event, record, "pid", "comm"))
		return;
	advance(state, &state->cpu[target], record->ts);
	ready(&state->cpu[target], (int)kv_event_number(event, record, "pid"));
}

/* TASK_RUNNING, or preempted, which the event has a bit of its own for */
static bool runs_on(u64 prev_state)
{
	return !(prev_state & 0xff);
}

static void take_switch(struct state *state, struct cpu *cpu, struct tep_event *event,
			struct tep_record *record)
{
	cpu->pid = (int)kv_event_number(event, record, "next_pid");
	not_ready(state, cpu->pid);
	if (runs_on(kv_event_number(event, record, "prev_state")) &&
	    is_ours(state, event, record, "prev_pid", "prev_comm"))
		ready(cpu, (int)kv_event_number(event, record, "prev_pid"));
}

static void take_work(struct state *state, int pid, bool begin)
{
	u32 i;

	for (i = 0; i < state->nworkers && state->worker[i] != pid; i++)
		;
	if (begin && i == state->nworkers && i < WORKERS_MAX)
		state->worker[state->nworkers++] = pid;
	else if (!begin && i < state->nworkers)
		state->worker[i] = state->worker[--state->nworkers];
}

static void take_call(struct state *state, struct cpu *cpu, struct tep_event *event,
		      struct tep_record *record, bool begin)
{
	u64 address = kv_event_number(event, record, "func");

	if (kv_trace_is_call(state->trace, KV_TARGET_POLL, address)) {
		cpu->poll = begin;
		cpu->poll_pid = cpu->pid;
		cpu->poll_softirq = cpu->softirq;
	} else if (kv_trace_is_call(state->trace, KV_TARGET_POST, address)) {
		if (!begin && cpu->post_at)
			cpu->driver = state->by_events ? since(state, cpu->post_at, record->ts) :
				       (double)(kv_event_number(event, record, "rettime") -
						kv_event_number(event, record, "calltime"));
		cpu->post_at = begin ? record->ts : 0;
		state->shares->driver = true;
	}
}

static void take_probe(struct state *state, struct cpu *cpu, struct tep_record *record,
		       u32 target, bool begin)
{
	if (target == KV_TARGET_POLL) {
		cpu->poll = begin;
		cpu->poll_pid = cpu->pid;
		cpu->poll_softirq = cpu->softirq;
	} else if (target == KV_TARGET_POST) {
		if (!begin && cpu->post_at)
			cpu->driver = since(state, cpu->post_at, record->ts);
		cpu->post_at = begin ? record->ts : 0;
		state->shares->driver = true;
	}
}

/* wr_id of a receive; of the step of an operation in several */
#define ID_RECV		(1ULL << 63)
#define ID_STEP		(1ULL << 62)

static struct queue *queue_of(struct state *state, u32 qpn)
{
	u32 i;

	for (i = 0; i < state->nqueues; i++) {
		if (state->queue[i].qpn == qpn)
			return &state->queue[i];
	}
	if (state->nqueues == QPS_MAX)
		return NULL;
	state->queue[state->nqueues].qpn = qpn;
	return &state->queue[state->nqueues++];
}

static void drop_first(struct queue *queue)
{
	free(queue->post[queue->head].sum);
	queue->head++;
	queue->n--;
}

static struct post *append(struct queue *queue)
{
	struct post *more;
	size_t room;

	if (queue->n == PENDING_MAX)
		drop_first(queue);
	if (queue->head + queue->n == queue->room) {
		memmove(queue->post, queue->post + queue->head, queue->n * sizeof(*queue->post));
		queue->head = 0;
	}
	if (queue->n == queue->room) {
		room = queue->room ? 2 * queue->room : 64;
		more = realloc(queue->post, room * sizeof(*more));
		if (!more)
			return NULL;
		queue->post = more;
		queue->room = room;
	}
	return &queue->post[queue->head + queue->n];
}

static u64 *snapshot(const struct state *state)
{
	u64 *sum = malloc(state->ncpus * sizeof(state->cpu->sum));
	u32 i;

	for (i = 0; sum && i < state->ncpus; i++)
		memcpy(sum + i * KV_SHARES, state->cpu[i].sum, sizeof(state->cpu->sum));
	return sum;
}

static void take_post(struct state *state, struct cpu *cpu, struct tep_event *event,
		      struct tep_record *record)
{
	struct queue *queue = queue_of(state, (u32)kv_event_number(event, record, "qpn"));
	u64 wr_id = kv_event_number(event, record, "wr_id");
	u64 ticks = kv_event_number(event, record, "ticks");
	double driver = cpu->driver;
	struct post *post;
	u32 i;

	cpu->driver = 0;
	if (!queue || wr_id & ID_RECV || !ticks || kv_event_number(event, record, "rc"))
		return;
	if (state->shares->metric == KVERBS_METRIC_RTT) {
		if (wr_id & ID_STEP)
			return;
		/* one is outstanding */
		while (queue->n)
			drop_first(queue);
	}
	/* the sums of all CPUs are of this moment */
	for (i = 0; i < state->ncpus; i++)
		advance(state, &state->cpu[i], record->ts);
	post = append(queue);
	if (!post)
		return;
	*post = (struct post){
		.wr_id = wr_id,
		.ops = kv_event_number(event, record, "ops"),
		.ts = record->ts,
		.cpu = record->cpu,
		.ticks = ticks,
		.driver = driver,
		.own = ran_of(state, (u32)kv_event_number(event, record, "lane")),
		.sum = snapshot(state),
	};
	queue->n += post->sum ? 1 : 0;
}

static void flush(struct state *state, struct op *op)
{
	struct kv_shares *shares = state->shares;
	u32 i;

	if (op->torn) {
		shares->torn++;
	} else if (op->any) {
		for (i = 0; i < KV_SHARES; i++)
			shares->sum[i] += op->sum[i];
		shares->lat += op->lat;
		shares->elsewhere += op->elsewhere;
		shares->count++;
	}
	memset(op, 0, sizeof(*op));
}

static void add(struct state *state, const struct post *post, const struct cpu *cpu, u32 lane,
		double lat, struct op *op)
{
	const u64 *before = post->sum + (cpu - state->cpu) * KV_SHARES;
	double in_post = kv_ticks_ns(&state->clock, (double)post->ticks), others;
	double unseen = lat - in_post - since(state, post->ts, cpu->at);
	double driver = post->driver < in_post ? post->driver : in_post;
	double *sum = op->sum;
	u32 i;

	op->any = true;
	if (fabs(unseen) * TORN > lat)
		op->torn = true;
	sum[KV_SHARE_DRIVER] += driver;
	sum[KV_SHARE_POST] += in_post - driver;
	for (i = KV_SHARE_POLL; i <= KV_SHARE_IDLE; i++)
		sum[i] += since(state, before[i], cpu->sum[i]);
	/* a thread of another lane is another thread */
	others = since(state, before[KV_SHARE_LANE], cpu->sum[KV_SHARE_LANE]) -
		 since(state, post->own, ran_of(state, lane));
	if (others > 0) {
		sum[KV_SHARE_LANE] -= others;
		sum[KV_SHARE_OTHER] += others;
	}
	sum[KV_SHARE_UNSEEN] += unseen;
	op->lat += lat;
	op->elsewhere |= post->cpu != (int)(cpu - state->cpu);
}

/* a completion, or an answer: what it is of is over; a step ends when the next begins */
static void take_end(struct state *state, struct cpu *cpu, struct tep_event *event,
		     struct tep_record *record)
{
	struct queue *queue = queue_of(state, (u32)kv_event_number(event, record, "qpn"));
	u64 wr_id = kv_event_number(event, record, "wr_id");
	u64 ticks = kv_event_number(event, record, "ticks");
	struct post *post;

	if (!queue || wr_id & ID_RECV || !ticks || kv_event_number(event, record, "status"))
		return;
	while (queue->n && queue->post[queue->head].wr_id + queue->post[queue->head].ops <= wr_id)
		drop_first(queue);
	post = &queue->post[queue->head];
	if (!queue->n || post->wr_id > wr_id)
		return;
	/* of an operation whose first step was lost none counts */
	if (!(post->wr_id & ID_STEP) || post->wr_id == ID_STEP)
		flush(state, &queue->op);
	if (post->wr_id == ID_STEP || !(post->wr_id & ID_STEP) || queue->op.any)
		add(state, post, cpu, (u32)kv_event_number(event, record, "lane"),
		    kv_ticks_ns(&state->clock, (double)ticks), &queue->op);
	if (post->wr_id + post->ops == wr_id + 1)
		drop_first(queue);
}

static bool ends_with(const char *name, const char *end)
{
	size_t len = strlen(name), tail = strlen(end);

	return len >= tail && !strcmp(name + len - tail, end);
}

static void take(void *arg, struct tep_event *event, struct tep_record *record)
{
	struct state *state = arg;
	struct cpu *cpu = &state->cpu[record->cpu];
	const char *name = event->name;
	bool begin = ends_with(name, "_entry") || ends_with(name, "_start");
	u32 target;

	if (record->cpu >= (int)state->ncpus)
		return;
	advance(state, cpu, record->ts);
	cpu->pid = tep_data_pid(state->tep, record);
	if (kv_probes_event(event, &target, &begin))
		take_probe(state, cpu, record, target, begin);
	else if (!strcmp(name, "sched_switch"))
		take_switch(state, cpu, event, record);
	else if (!strcmp(name, "sched_waking"))
		take_waking(state, event, record);
	else if (!strncmp(name, "workqueue_", 10))
		take_work(state, cpu->pid, begin);
	else if (!strncmp(name, "funcgraph_", 10))
		take_call(state, cpu, event, record, begin);
	else if (!strcmp(name, "kverbs_post"))
		take_post(state, cpu, event, record);
	else if (!strcmp(name, state->shares->metric == KVERBS_METRIC_RTT ? "kverbs_answer" :
						    "kverbs_completion"))
		take_end(state, cpu, event, record);
	else if (!strncmp(name, "kverbs_", 7))
		return;
	else if (!strncmp(name, "softirq_", 8))
		cpu->softirq = begin ? cpu->softirq + 1 : cpu->softirq ? cpu->softirq - 1 : 0;
	else if (begin || ends_with(name, "_exit"))
		cpu->irq = begin ? cpu->irq + 1 : cpu->irq ? cpu->irq - 1 : 0;
}

static void free_state(struct state *state)
{
	u32 i;

	for (i = 0; i < state->nqueues; i++) {
		flush(state, &state->queue[i].op);
		while (state->queue[i].n)
			drop_first(&state->queue[i]);
		free(state->queue[i].post);
	}
	free(state->cpu);
	free(state);
}

/**
 * kv_shares_of - what is to be shared out
 * @plain: the run without tracing
 * @shares: cleared; @metric and @plain are filled, or @refused
 * Return: there is such a metric
 */
bool kv_shares_of(const struct kv_trace_run *plain, struct kv_shares *shares)
{
	const struct kv_result *result = plain->report.result;
	struct kv_hist *hist = malloc(sizeof(*hist));
	static const u32 metrics[] = { KVERBS_METRIC_LAT, KVERBS_METRIC_RTT };
	u32 i;

	memset(shares, 0, sizeof(*shares));
	for (i = 0; hist && i < KV_ARRAY_SIZE(metrics); i++) {
		kv_hist_clear(hist);
		kv_metric_merge(result, metrics[i], hist);
		if (!hist->count)
			continue;
		shares->metric = metrics[i];
		shares->plain = kv_ticks_ns(&result->clock,
					    (double)hist->sum / (double)hist->count);
		break;
	}
	free(hist);
	if (!shares->plain)
		snprintf(shares->refused, sizeof(shares->refused),
			 "the run has neither lat nor rtt, by --shape or --timing");
	else if (result->clock.unit == KV_UNIT_INSN &&
		 result->granted.context != KVERBS_CONTEXT_BUSY &&
		 result->granted.context != KVERBS_CONTEXT_DIRECT)
		snprintf(shares->refused, sizeof(shares->refused),
			 "not in instructions with --context %s: while the CPU is idle there are none, and the counter goes on",
			 kv_context_name(result->granted.context));
	return !*shares->refused;
}

/**
 * kv_shares_take - from the events of a run that is over
 * @trace: trace; its buffer was read
 * @run: the run
 * @shares: after kv_shares_of(); filled
 * Return: false without memory
 */
bool kv_shares_take(struct kv_trace *trace, const struct kv_trace_run *run,
		    struct kv_shares *shares)
{
	struct state *state = calloc(1, sizeof(*state));
	u32 i;

	if (!state)
		return false;
	state->trace = trace;
	state->run = run;
	state->shares = shares;
	state->clock = run->report.result->clock;
	state->by_events = run->calls.by_events;
	state->ticks = !strcmp(kv_tracing_clock(trace->tracing), "x86-tsc");
	state->tep = kv_tracing_tep(trace->tracing);
	state->ncpus = kv_tracing_cpus(trace->tracing);
	state->cpu = calloc(state->ncpus, sizeof(*state->cpu));
	for (i = 0; i < run->nthreads; i++)
		state->own[i] = (struct own){ run->thread[i], run->lane[i], 0 };
	if (state->cpu)
		kv_tracing_each(trace->tracing, take, state);
	free_state(state);
	return shares->count;
}
