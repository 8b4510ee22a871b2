// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The user engine: the same run as the module's, over libibverbs.
 *
 * A run holds its device open from prepare to its end, not to its release: some
 * drivers cannot be removed while a process has them open, so wait() closes
 * everything as soon as the lanes have ended or the device is leaving, and only
 * the results stay. That the device is leaving is told by an asynchronous event
 * (hardware), by the removal of its uverbs device (a uevent; all a software
 * device tells), or is seen in sysfs.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/netlink.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include "cm.h"
#include "verbs.h"
#include "kverbs.h"

#define LOOK_MS		500	/* how often sysfs is looked at */
#define LAST_WQE_MS	100	/* some providers never say it, as in the module */

/**
 * struct kv_run - run of the user engine
 * @lock: guards @ended and @first
 * @ended: lanes that have ended
 * @first: the first lane that failed
 * @done_fd: eventfd, written when a lane ends
 * @uevent_fd: netlink socket of uevents, -1: none
 * @gone: the device is leaving, and why
 * @lasts: QPs that said that they take no more receives of their SRQ
 */
struct kv_run {
	char device[KV_DEVICE_NAME];
	char uverbs[64];
	struct kv_job job;
	struct kv_job granted;
	struct kv_clock_info clock;
	struct kv_port port;
	struct kv_gate gate;
	struct kv_end *end;
	struct kv_pair **pair;
	struct kv_lane **lane;
	struct kv_lane_result *ids;
	u32 nlanes;
	u32 state;
	u32 reason;
	int err;
	char where[64];
	pthread_mutex_t lock;
	u32 ended;
	struct kv_lane *first;
	u32 qp_state;
	u32 peer_qp_state;
	int done_fd;
	int uevent_fd;
	const char *gone;
	u32 lasts;
};

static struct kv_end *end_of(const struct kv_run *run, u32 lane)
{
	u32 per_pair = kv_job_lanes_per_pair(&run->granted);

	return &run->end[2 * (lane / per_pair) + lane % per_pair];
}

static struct kv_end *peer_of(const struct kv_run *run, u32 lane)
{
	u32 i = (u32)(end_of(run, lane) - run->end);

	return &run->end[i ^ 1];
}

static int no_memory(struct kv_error *error)
{
	return kv_error_set(error, KV_EXIT_ENVIRONMENT, "out of memory");
}

/* uevents of the kernel; a run without them still looks at sysfs */
static int open_uevents(void)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = 1 };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_KOBJECT_UEVENT);

	if (fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof(address))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static int check_job(struct kv_run *run, struct kv_error *error)
{
	const struct kv_caps *caps = &run->port.caps;
	struct kv_job *granted = &run->granted;
	struct kv_refusal no;
	u32 lanes = 1;

	*granted = run->job;
	if (kv_job_steps_known(granted) && granted->shape < KV_SHAPES)
		lanes = kv_job_lanes(granted);
	if (!granted->ncpus && kv_cpus_choose(run->device, lanes, granted, error))
		return -1;
	if (kv_job_check(granted, caps, &no))
		return kv_error_set(error, no.host ? KV_EXIT_ENVIRONMENT : KV_EXIT_USAGE, "%s",
				    no.text);
	return kv_cpus_check(granted, error);
}

/* the GID of both ends; rdma_cm finds its own */
static int find_gid(struct kv_run *run, struct kv_error *error)
{
	run->port.gid_index = KV_AUTO;
	if (run->granted.connect == KVERBS_CONNECT_CM)
		return 0;
	return kv_port_gid(&run->port, run->granted.gid_index, run->granted.gid_type, error);
}

static void user_release(struct kv_run *run);

static int user_prepare(const char *device, const struct kv_job *job, struct kv_run **out,
			struct kv_error *error)
{
	struct kv_run *run = calloc(1, sizeof(*run));

	if (!run)
		return no_memory(error);
	run->job = *job;
	run->uevent_fd = -1;
	run->done_fd = -1;
	pthread_mutex_init(&run->lock, NULL);
	pthread_mutex_init(&run->gate.lock, NULL);
	pthread_cond_init(&run->gate.moved, NULL);
	if (kv_device_pick(device, run->device, error) ||
	    kv_port_open(&run->port, run->device, job->port, error))
		goto fail;
	snprintf(run->uverbs, sizeof(run->uverbs), "%s", run->port.context->device->dev_name);
	if (check_job(run, error) || find_gid(run, error) ||
	    kv_clock_get(run->granted.clock, &run->clock, error))
		goto fail;
	run->granted.gid_index = run->port.gid_index;
	run->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (run->done_fd < 0) {
		kv_error_set(error, KV_EXIT_ENVIRONMENT, "eventfd: %s", strerror(errno));
		goto fail;
	}
	run->uevent_fd = open_uevents();
	fcntl(run->port.context->async_fd, F_SETFL,
	      fcntl(run->port.context->async_fd, F_GETFL) | O_NONBLOCK);
	*out = run;
	return 0;
fail:
	user_release(run);
	return -1;
}

static void read_events(struct kv_run *run);

/* QPs on an SRQ say when they take no more of its receives: only then it may go */
static void leave_srqs(struct kv_run *run)
{
	struct pollfd fd = { .events = POLLIN };
	u32 due = 0, i, tries;

	if (!run->granted.srq || !run->end || !run->port.context || run->gone)
		return;
	for (i = 0; i < 2 * run->granted.pairs; i++)
		due += kv_qp_leave_srq(&run->end[i]);
	fd.fd = run->port.context->async_fd;
	for (tries = 0; run->lasts < due && tries < LAST_WQE_MS / 10; tries++) {
		if (poll(&fd, 1, 10) > 0)
			read_events(run);
	}
}

static void free_verbs(struct kv_run *run)
{
	u32 i;

	leave_srqs(run);
	for (i = 0; run->lane && i < run->nlanes; i++) {
		if (run->lane[i])
			kv_lane_leave(run->lane[i]);
	}
	/* rdma_cm waits for the answer to who asks: who has the request goes first */
	kv_cm_shut(&run->port);
	for (i = 1; run->end && i < 2 * run->granted.pairs; i += 2)
		kv_cm_leave(&run->end[i]);
	for (i = 0; run->end && i < 2 * run->granted.pairs; i++)
		kv_qp_free(&run->end[i]);
	for (i = 0; run->end && i < 2 * run->granted.pairs; i++)
		kv_memory_free(&run->end[i]);
	kv_port_close(&run->port);
}

static int fail(struct kv_run *run, const char *where, struct kv_error *error)
{
	run->state = KVERBS_STATE_FAILED;
	run->reason = KVERBS_REASON_SETUP;
	snprintf(run->where, sizeof(run->where), "%s", where);
	free_verbs(run);
	(void)error;
	return -1;
}

static void lane_ended(void *owner, struct kv_lane *lane)
{
	struct kv_run *run = owner;
	struct kv_lane_fate fate;
	u64 one = 1;
	u32 i;

	kv_lane_fate(lane, &fate);
	pthread_mutex_lock(&run->lock);
	if (!run->first && fate.reason != KVERBS_REASON_COMPLETE &&
	    fate.reason != KVERBS_REASON_STOPPED) {
		run->first = lane;
		for (i = 0; i < run->nlanes; i++)
			kv_lane_stop(run->lane[i], false);
	}
	run->ended++;
	pthread_mutex_unlock(&run->lock);
	if (write(run->done_fd, &one, sizeof(one)) < 0)
		return;	/* the counter is full: the reader wakes up as it is */
}

static int make_lanes(struct kv_run *run, struct kv_error *error)
{
	struct kv_pair **pair;
	u32 i;
	struct kv_lane_plan plan = {
		.job = &run->granted,
		.clock = &run->clock,
		.port = &run->port,
		.gate = &run->gate,
		.ended = lane_ended,
		.owner = run,
	};

	for (i = 0; i < run->nlanes; i++) {
		pair = &run->pair[kv_job_pair_of(&run->granted, i)];
		if (!*pair)
			*pair = kv_pair_new();
		if (!*pair)
			return no_memory(error);
	}
	for (i = 0; i < run->nlanes; i++) {
		plan.pair = run->pair[kv_job_pair_of(&run->granted, i)];
		if (run->granted.bidirectional && kv_job_two_sided(&run->granted))
			plan.other = run->pair[i ^ 1];
		plan.end = end_of(run, i);
		plan.peer = peer_of(run, i);
		plan.index = i;
		plan.role = kv_job_role(&run->granted, i);
		plan.cpu = run->granted.cpu[i % run->granted.ncpus];
		run->lane[i] = kv_lane_new(&plan, error);
		if (!run->lane[i])
			return -1;
		run->ids[i].qpn = plan.end->qp->qp_num;
		run->ids[i].peer_qpn = plan.peer->qp->qp_num;
		run->ids[i].sq_depth = plan.end->sq_depth;
		run->ids[i].rq_depth = plan.end->rq_depth;
		run->ids[i].cq_depth = plan.end->cq_depth;
		run->ids[i].inline_data = plan.end->inline_data;
	}
	return 0;
}

/* by rdma_cm, which is asked afterwards for the GID that it took */
static int connect_by_cm(struct kv_run *run, struct kv_error *error)
{
	u32 i, spare, gid;

	if (kv_cm_open(&run->port, error))
		return -1;
	for (i = 0; i < 2 * run->granted.pairs; i += 2) {
		for (spare = 0; spare < run->granted.lane_qps; spare++) {
			if (kv_cm_connect(&run->end[i], &run->end[i + 1], spare, &run->port,
					  &run->granted, error))
				return -1;
		}
	}
	kv_cm_shut(&run->port);
	if (run->port.caps.link != KVERBS_LINK_ROCE || kv_qp_gid(&run->end[0], &gid))
		return 0;
	if (kv_port_gid(&run->port, gid, KV_AUTO, error))
		return -1;
	run->granted.gid_index = run->port.gid_index;
	return 0;
}

static int connect_ends(struct kv_run *run, struct kv_error *error)
{
	u32 i;

	if (run->granted.connect == KVERBS_CONNECT_CM)
		return connect_by_cm(run, error);
	for (i = 0; i < 2 * run->granted.pairs; i++) {
		if (kv_qp_connect(&run->end[i], &run->end[i ^ 1], &run->port, &run->granted,
				  error))
			return -1;
	}
	return 0;
}

static int user_connect(struct kv_run *run, struct kv_error *error)
{
	u32 pairs = run->granted.pairs, i;

	run->nlanes = kv_job_lanes(&run->granted);
	run->end = calloc(2 * pairs, sizeof(*run->end));
	run->pair = calloc(run->nlanes, sizeof(*run->pair));
	run->lane = calloc(run->nlanes, sizeof(*run->lane));
	run->ids = calloc(run->nlanes, sizeof(*run->ids));
	if (!run->end || !run->pair || !run->lane || !run->ids) {
		no_memory(error);
		return fail(run, "allocate lanes", error);
	}
	run->port.pd = ibv_alloc_pd(run->port.context);
	if (!run->port.pd) {
		kv_error_set(error, KV_EXIT_ENVIRONMENT, "alloc_pd: %s", strerror(errno));
		return fail(run, "allocate PD", error);
	}
	for (i = 0; i < 2 * pairs; i++) {
		run->end[i].vector = kv_job_vector(&run->granted,
						   kv_job_lane_of(&run->granted, i),
						   run->port.caps.vectors);
		if (kv_memory_make(&run->end[i], &run->port, &run->granted, error))
			return fail(run, "register buffer", error);
		if (kv_qp_make(&run->end[i], &run->port, &run->granted, error))
			return fail(run, "create QP", error);
	}
	if (connect_ends(run, error))
		return fail(run, "connect QP", error);
	if (make_lanes(run, error))
		return fail(run, "allocate lanes", error);
	run->state = KVERBS_STATE_READY;
	return 0;
}

static void move_gate(struct kv_run *run, int state)
{
	pthread_mutex_lock(&run->gate.lock);
	run->gate.state = state;
	pthread_cond_broadcast(&run->gate.moved);
	pthread_mutex_unlock(&run->gate.lock);
}

static void join_lanes(struct kv_run *run)
{
	u32 i;

	for (i = 0; run->lane && i < run->nlanes; i++) {
		if (run->lane[i])
			kv_lane_join(run->lane[i]);
	}
}

static void stop_lanes(struct kv_run *run, bool now)
{
	u32 i;

	for (i = 0; run->lane && i < run->nlanes; i++) {
		if (run->lane[i])
			kv_lane_stop(run->lane[i], now);
	}
}

static int user_start(struct kv_run *run, struct kv_error *error)
{
	struct kv_lane_fate fate;
	int rc;
	u32 i;

	for (i = 0; i < run->nlanes; i++) {
		if (!kv_lane_fill(run->lane[i]))
			continue;
		kv_lane_fate(run->lane[i], &fate);
		kv_error_set(error, KV_EXIT_MEASUREMENT, "post_recv of %u WRs: %s",
			     run->granted.recv_depth, strerror(-fate.err));
		return fail(run, "post receives", error);
	}
	for (i = 0; i < run->nlanes; i++) {
		rc = kv_lane_start(run->lane[i]);
		if (!rc)
			continue;
		move_gate(run, KV_GATE_ABANDONED);
		join_lanes(run);
		kv_error_set(error, KV_EXIT_ENVIRONMENT, "thread of lane %u on CPU %u: %s", i,
			     run->granted.cpu[i % run->granted.ncpus], strerror(rc));
		return fail(run, "start lanes", error);
	}
	run->state = KVERBS_STATE_RUNNING;
	move_gate(run, KV_GATE_OPEN);
	return 0;
}

static void break_lanes(struct kv_run *run, const struct ibv_cq *cq)
{
	u32 i;

	for (i = 0; run->lane && i < run->nlanes; i++) {
		if (run->lane[i])
			kv_lane_broken(run->lane[i], cq);
	}
}

static void limit_lanes(struct kv_run *run, const struct ibv_srq *srq, bool broken)
{
	u32 i;

	for (i = 0; run->lane && i < run->nlanes; i++) {
		if (run->lane[i])
			kv_lane_limit(run->lane[i], srq, broken);
	}
}

/* does one of the device's asynchronous events end the run? */
static void read_events(struct kv_run *run)
{
	struct ibv_async_event event;

	while (!ibv_get_async_event(run->port.context, &event)) {
		switch (event.event_type) {
		case IBV_EVENT_DEVICE_FATAL:
			run->gone = "fatal error of the device";
			break;
		case IBV_EVENT_PORT_ERR:
			if (event.element.port_num == (int)run->port.number)
				run->gone = "the port went down";
			break;
		case IBV_EVENT_CQ_ERR:
			break_lanes(run, event.element.cq);
			break;
		case IBV_EVENT_SRQ_LIMIT_REACHED:
		case IBV_EVENT_SRQ_ERR:
			limit_lanes(run, event.element.srq,
				    event.event_type == IBV_EVENT_SRQ_ERR);
			break;
		case IBV_EVENT_QP_LAST_WQE_REACHED:
			run->lasts++;
			break;
		case IBV_EVENT_QP_FATAL:
			/* a CQ that overflowed takes its QPs along; others are to fail */
			if (run->granted.provoke || kv_shape_rules[run->granted.shape].control)
				break;
			run->gone = "fatal error of a QP";
			break;
		default:
			break;
		}
		ibv_ack_async_event(&event);
	}
	if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
		run->gone = "removed or moved";
}

/* "remove@/devices/.../uverbs0" */
static void read_uevents(struct kv_run *run)
{
	char message[4096], *name;
	ssize_t len;

	while ((len = recv(run->uevent_fd, message, sizeof(message) - 1, 0)) > 0) {
		message[len] = '\0';
		name = strrchr(message, '/');
		if (!strncmp(message, "remove@", 7) && name && !strcmp(name + 1, run->uverbs))
			run->gone = "removed or moved";
	}
	/* uevents were lost: look */
	if (len < 0 && errno == ENOBUFS && !kv_device_exists(run->device))
		run->gone = "removed or moved";
}

static bool all_ended(struct kv_run *run)
{
	bool ended;

	pthread_mutex_lock(&run->lock);
	ended = run->ended == run->nlanes;
	pthread_mutex_unlock(&run->lock);
	return ended;
}

/* the lanes have ended: settle the outcome, give the device back */
static void finish(struct kv_run *run)
{
	struct kv_lane_fate fate;
	u32 i;

	join_lanes(run);
	/* what a lane saw first may be the device going away */
	if (run->first && !run->gone) {
		read_events(run);
		read_uevents(run);
		if (kv_cm_gone(&run->port))
			run->gone = "removed or moved";
	}
	run->state = KVERBS_STATE_DONE;
	run->reason = KVERBS_REASON_COMPLETE;
	for (i = 0; i < run->nlanes; i++) {
		kv_lane_fate(run->lane[i], &fate);
		if (fate.reason == KVERBS_REASON_STOPPED)
			run->reason = KVERBS_REASON_STOPPED;
	}
	if (run->first) {
		kv_lane_fate(run->first, &fate);
		run->state = KVERBS_STATE_FAILED;
		run->reason = fate.reason;
		run->err = fate.err;
		run->qp_state = kv_qp_state(end_of(run, kv_lane_index(run->first)));
		run->peer_qp_state = kv_qp_state(peer_of(run, kv_lane_index(run->first)));
		if (fate.reason == KVERBS_REASON_SETUP &&
		    kv_shape_rules[run->granted.shape].control)
			snprintf(run->where, sizeof(run->where), "make the call %s",
				 kv_metric_name((u32)fate.wr));
		else if (fate.reason == KVERBS_REASON_SETUP)
			snprintf(run->where, sizeof(run->where),
				 "make wrong what --provoke says");
	}
	if (run->gone) {
		run->state = KVERBS_STATE_FAILED;
		run->reason = KVERBS_REASON_DEVICE_GONE;
		snprintf(run->where, sizeof(run->where), "%s", run->gone);
	}
	free_verbs(run);
}

static int user_wait(struct kv_run *run, int timeout_ms, struct kv_error *error)
{
	struct pollfd fd[3] = {
		{ .fd = run->done_fd, .events = POLLIN },
		{ .fd = run->uevent_fd, .events = POLLIN },
		{ .fd = run->port.context ? run->port.context->async_fd : -1, .events = POLLIN },
	};
	double end = kv_seconds() + timeout_ms / 1e3, look = kv_seconds(), now;
	u64 count;
	int left;

	if (run->state != KVERBS_STATE_RUNNING)
		return 1;
	while (!all_ended(run)) {
		/* events may come in a flow, so that no round waits: the clock counts */
		left = (int)((end - kv_seconds()) * 1e3) + 1;
		left = left < 0 ? 0 : left < LOOK_MS ? left : LOOK_MS;
		if (poll(fd, KV_ARRAY_SIZE(fd), left) < 0) {
			if (errno == EINTR)
				return 0;
			return kv_error_set(error, KV_EXIT_ENVIRONMENT, "poll: %s",
					    strerror(errno));
		}
		if (fd[0].revents && read(run->done_fd, &count, sizeof(count)) < 0)
			continue;
		if (fd[1].revents)
			read_uevents(run);
		if (fd[2].revents)
			read_events(run);
		now = kv_seconds();
		if (now >= look || (!fd[0].revents && !fd[1].revents && !fd[2].revents)) {
			look = now + LOOK_MS / 1e3;
			if (!kv_device_exists(run->device))
				run->gone = "removed or moved";
		}
		if (run->gone) {
			stop_lanes(run, true);
			join_lanes(run);
		} else if (now >= end && !all_ended(run)) {
			return 0;
		}
	}
	finish(run);
	return 1;
}

static int user_stop(struct kv_run *run, struct kv_error *error)
{
	(void)error;
	stop_lanes(run, false);
	return 0;
}

static int user_result(struct kv_run *run, struct kv_result **out, struct kv_error *error)
{
	bool lanes = run->lane && (run->state == KVERBS_STATE_RUNNING ||
				   run->state == KVERBS_STATE_DONE ||
				   (run->state == KVERBS_STATE_FAILED &&
				    run->reason != KVERBS_REASON_SETUP));
	struct kv_result *result = kv_result_new(lanes ? run->nlanes : 0);
	struct kv_lane_fate fate;
	u32 i;

	if (!result)
		return no_memory(error);
	result->engine = kv_engine_user.name;
	snprintf(result->device, sizeof(result->device), "%s", run->device);
	result->software = run->port.facts.software;
	result->state = run->state;
	result->reason = run->reason;
	result->err = run->err;
	snprintf(result->where, sizeof(result->where), "%s", run->where);
	if (run->first) {
		kv_lane_fate(run->first, &fate);
		result->err_lane = kv_lane_index(run->first);
		result->err_wr = fate.wr;
		result->wc_status = fate.wc_status;
		result->vendor_err = fate.vendor_err;
		result->qp_state = run->qp_state;
		result->peer_qp_state = run->peer_qp_state;
		result->data_offset = fate.data_offset;
		result->data_expected = fate.data_expected;
		result->data_got = fate.data_got;
		result->data_found = fate.data_found;
	}
	result->gid_type = run->port.gid_type;
	result->bytes = kv_job_bytes(&run->granted);
	result->job = run->job;
	result->granted = run->granted;
	result->clock = run->clock;
	for (i = 0; i < result->nlanes; i++) {
		result->lane[i] = run->ids[i];
		if (kv_lane_result(run->lane[i], &result->lane[i])) {
			kv_result_free(result);
			return no_memory(error);
		}
	}
	*out = result;
	return 0;
}

static void user_release(struct kv_run *run)
{
	u32 i;

	if (!run)
		return;
	if (run->state == KVERBS_STATE_RUNNING) {
		stop_lanes(run, true);
		join_lanes(run);
	}
	free_verbs(run);
	for (i = 0; run->lane && i < run->nlanes; i++)
		kv_lane_free(run->lane[i]);
	for (i = 0; run->pair && i < run->nlanes; i++)
		free(run->pair[i]);
	free(run->lane);
	free(run->pair);
	free(run->ids);
	free(run->end);
	if (run->done_fd >= 0)
		close(run->done_fd);
	if (run->uevent_fd >= 0)
		close(run->uevent_fd);
	pthread_cond_destroy(&run->gate.moved);
	pthread_mutex_destroy(&run->gate.lock);
	pthread_mutex_destroy(&run->lock);
	free(run);
}

const struct kv_engine kv_engine_user = {
	.name = "user",
	.prepare = user_prepare,
	.connect = user_connect,
	.start = user_start,
	.wait = user_wait,
	.stop = user_stop,
	.result = user_result,
	.peek = user_result,
	.release = user_release,
};
