// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The kernel engine: runs of the module, over generic netlink.
 *
 * A run is made on a socket of its own and ends with it, so that nothing is left
 * behind however the tool ends. Commands are only queued by the module; what came
 * of them is told by a notification, and asked for when none comes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "genl.h"

#define KV_KERNEL_SETUP_MS	180000	/* firmware commands can take a minute each */
#define KV_KERNEL_ASK_MS	500	/* without news: ask for the state */
#define KV_KERNEL_TRIES		4	/* to read results that stay the same meanwhile */

/**
 * struct kv_run - a run of the module
 * @genl: its socket
 * @id: its number on that socket
 * @generation: of the results, as last told
 * @job: as asked
 * @module: limits and clock
 * @result: state and error as last told; no lanes
 * @where: the step of set-up that failed, in full: it may be a whole refusal
 */
struct kv_run {
	struct kv_genl *genl;
	u32 id;
	u32 generation;
	struct kv_job job;
	struct kv_module_info module;
	struct kv_result result;
	char where[192];
};

static int kv_kernel_no_memory(struct kv_error *error)
{
	return kv_error_set(error, KV_EXIT_ENVIRONMENT, "out of memory");
}

static s64 kv_kernel_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (s64)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int kv_kernel_put_field(struct nl_msg *msg, const struct kv_job *job,
			       const struct kv_field *f)
{
	const void *from = (const char *)job + f->offset;

	if (f->bytes == sizeof(u64))
		return *(const u64 *)from == f->def ? 0 :
		       nla_put_u64(msg, f->attr, *(const u64 *)from);
	return *(const u32 *)from == f->def ? 0 :
	       nla_put_u32(msg, f->attr, *(const u32 *)from);
}

static void kv_kernel_take_field(struct nlattr **a, struct kv_job *job,
				 const struct kv_field *f)
{
	void *to = (char *)job + f->offset;

	if (f->bytes == sizeof(u64))
		*(u64 *)to = kv_genl_u64(a[f->attr], f->def);
	else
		*(u32 *)to = kv_genl_u32(a[f->attr], (u32)f->def);
}

/* fields at their default are left to the module, which has the same rows */
static int kv_kernel_put_job(struct nl_msg *msg, const struct kv_job *job)
{
	const struct kv_field *field;
	struct nlattr *nest, *step;
	u32 i;

	nest = nla_nest_start(msg, KVERBS_A_JOB | NLA_F_NESTED);
	if (!nest)
		return -1;
	for (i = 0; (field = kv_job_field(i)); i++) {
		if (kv_kernel_put_field(msg, job, field))
			return -1;
	}
	for (i = 0; i < job->ncpus; i++) {
		if (nla_put_u32(msg, KVERBS_JOB_A_CPU, job->cpu[i]))
			return -1;
	}
	for (i = 0; i < job->npace_ns; i++) {
		if (nla_put_u32(msg, KVERBS_JOB_A_PACE_NS, job->pace_ns[i]))
			return -1;
	}
	for (i = 0; i < job->nsteps; i++) {
		step = nla_nest_start(msg, KVERBS_JOB_A_STEP | NLA_F_NESTED);
		if (!step || nla_put_u32(msg, KVERBS_STEP_A_OP, job->step[i].op) ||
		    nla_put_u32(msg, KVERBS_STEP_A_SIZE, job->step[i].size) ||
		    nla_put_u32(msg, KVERBS_STEP_A_FLAGS, job->step[i].flags))
			return -1;
		nla_nest_end(msg, step);
	}
	nla_nest_end(msg, nest);
	return 0;
}

/* an absent field is at its default */
static int kv_kernel_take_job(struct nlattr *nest, struct kv_job *job, struct kv_error *error)
{
	static const struct kv_job plain = KV_JOB_INIT;
	const struct kv_field *field;
	struct nlattr *a[KVERBS_JOB_A_MAX + 1], *s[KVERBS_STEP_A_MAX + 1], *attr;
	int left;
	u32 i;

	if (kv_genl_nest(a, KVERBS_JOB_A_MAX, nest, error))
		return -1;
	*job = plain;
	for (i = 0; (field = kv_job_field(i)); i++)
		kv_kernel_take_field(a, job, field);
	if (a[KVERBS_JOB_A_STEP])
		job->nsteps = 0;
	nla_for_each_nested(attr, nest, left) {
		if (nla_type(attr) == KVERBS_JOB_A_CPU && job->ncpus < KVERBS_CPUS_MAX)
			job->cpu[job->ncpus++] = kv_genl_u32(attr, 0);
		if (nla_type(attr) != KVERBS_JOB_A_STEP || job->nsteps >= KVERBS_STEPS_MAX)
			continue;
		if (kv_genl_nest(s, KVERBS_STEP_A_MAX, attr, error))
			return -1;
		job->step[job->nsteps].op = kv_genl_u32(s[KVERBS_STEP_A_OP], KVERBS_OP_WRITE);
		job->step[job->nsteps].size =
			kv_genl_u32(s[KVERBS_STEP_A_SIZE], plain.step[0].size);
		job->step[job->nsteps].flags = kv_genl_u32(s[KVERBS_STEP_A_FLAGS], 0);
		job->nsteps++;
	}
	return 0;
}

/* an answer or a notification: the run as it is now; what is absent stays */
static int kv_kernel_take_run(int cmd, struct nlattr **attr, void *arg, struct kv_error *error)
{
	struct nlattr *a[KVERBS_RUN_A_MAX + 1];
	struct kv_run *run = arg;
	struct kv_result *r = &run->result;
	u32 lanes;

	if (!attr[KVERBS_A_RUN])
		return 0;
	if (kv_genl_nest(a, KVERBS_RUN_A_MAX, attr[KVERBS_A_RUN], error))
		return -1;
	if (cmd == KVERBS_CMD_RUN_NEW)
		run->id = kv_genl_u32(a[KVERBS_RUN_A_ID], 0);
	else if (kv_genl_u32(a[KVERBS_RUN_A_ID], run->id) != run->id)
		return 0;
	r->state = kv_genl_u32(a[KVERBS_RUN_A_STATE], r->state);
	r->reason = kv_genl_u32(a[KVERBS_RUN_A_REASON], r->reason);
	r->err = kv_genl_err((int)kv_genl_u32(a[KVERBS_RUN_A_ERRNO], (u32)r->err));
	if (a[KVERBS_RUN_A_WHERE]) {
		kv_genl_string(a[KVERBS_RUN_A_WHERE], run->where, sizeof(run->where));
		kv_genl_string(a[KVERBS_RUN_A_WHERE], r->where, sizeof(r->where));
	}
	if (a[KVERBS_RUN_A_DEV_NAME])
		kv_genl_string(a[KVERBS_RUN_A_DEV_NAME], r->device, sizeof(r->device));
	r->err_lane = kv_genl_u32(a[KVERBS_RUN_A_ERR_LANE], r->err_lane);
	r->err_wr = kv_genl_u64(a[KVERBS_RUN_A_ERR_WR], r->err_wr);
	r->wc_status = kv_genl_u32(a[KVERBS_RUN_A_WC_STATUS], r->wc_status);
	r->vendor_err = kv_genl_u32(a[KVERBS_RUN_A_VENDOR_ERR], r->vendor_err);
	r->qp_state = kv_genl_u32(a[KVERBS_RUN_A_QP_STATE], r->qp_state);
	r->peer_qp_state = kv_genl_u32(a[KVERBS_RUN_A_PEER_QP_STATE], r->peer_qp_state);
	r->data_offset = kv_genl_u64(a[KVERBS_RUN_A_DATA_OFFSET], r->data_offset);
	r->data_expected = kv_genl_u32(a[KVERBS_RUN_A_DATA_EXPECTED], r->data_expected);
	r->data_got = kv_genl_u32(a[KVERBS_RUN_A_DATA_GOT], r->data_got);
	r->data_found = kv_genl_u64(a[KVERBS_RUN_A_DATA_FOUND], KV_DATA_NONE);
	r->gid_type = kv_genl_u32(a[KVERBS_RUN_A_GID_TYPE], r->gid_type);
	r->bytes = kv_genl_u64(a[KVERBS_RUN_A_BYTES], r->bytes);
	r->clock.cost = kv_genl_u32(a[KVERBS_RUN_A_CLOCK_COST], r->clock.cost);
	lanes = kv_genl_u32(a[KVERBS_RUN_A_LANES], r->nlanes);
	if (lanes > KV_LANES_MAX)
		return kv_error_set(error, KV_EXIT_MEASUREMENT,
				    "a run with %u lanes: at most %u; tool and module differ in version",
				    lanes, KV_LANES_MAX);
	r->nlanes = lanes;
	run->generation = kv_genl_u32(a[KVERBS_RUN_A_GENERATION], run->generation);
	if (a[KVERBS_RUN_A_JOB] && kv_kernel_take_job(a[KVERBS_RUN_A_JOB], &r->job, error))
		return -1;
	if (a[KVERBS_RUN_A_GRANTED] &&
	    kv_kernel_take_job(a[KVERBS_RUN_A_GRANTED], &r->granted, error))
		return -1;
	/* a job without receives has no such field, which here would mean automatic */
	if (kv_job_steps_known(&r->granted) && !kv_job_two_sided(&r->granted))
		r->granted.recv_depth = 0;
	return 0;
}

/* a message about this run */
static struct nl_msg *kv_kernel_msg(struct kv_run *run, int cmd)
{
	struct nl_msg *msg = kv_genl_msg(run->genl, cmd);

	if (msg && nla_put_u32(msg, KVERBS_A_RUN_ID, run->id)) {
		nlmsg_free(msg);
		msg = NULL;
	}
	return msg;
}

static int kv_kernel_command(struct kv_run *run, int cmd, struct kv_error *error)
{
	return kv_genl_do(run->genl, kv_kernel_msg(run, cmd), NULL, NULL, error);
}

static int kv_kernel_ask(struct kv_run *run, struct kv_error *error)
{
	return kv_genl_do(run->genl, kv_kernel_msg(run, KVERBS_CMD_RUN_GET), kv_kernel_take_run,
			  run, error);
}

static bool kv_kernel_ended(const struct kv_run *run)
{
	return run->result.state == KVERBS_STATE_DONE || run->result.state == KVERBS_STATE_FAILED;
}

static void kv_kernel_release(struct kv_run *run)
{
	struct kv_error ignored;

	if (!run)
		return;
	/* closing the socket does the same; this one says so in the order asked */
	if (run->genl && run->id)
		kv_kernel_command(run, KVERBS_CMD_RUN_DEL, &ignored);
	kv_genl_close(run->genl);
	free(run);
}

/* ticks of CLOCK_MONOTONIC_RAW are ns; the run tells what a reading costs */
static void kv_kernel_raw_clock(struct kv_clock_info *clock)
{
	memset(clock, 0, sizeof(*clock));
	strcpy(clock->name, KV_RAW_CLOCK_NAME);
	clock->mult = 1;
	clock->invariant = 1;
}

static int kv_kernel_new(struct kv_run *run, const char *device, struct kv_error *error)
{
	struct nl_msg *msg = kv_genl_msg(run->genl, KVERBS_CMD_RUN_NEW);

	if (msg && (nla_put_string(msg, KVERBS_A_DEV_NAME, device) ||
		    kv_kernel_put_job(msg, &run->job))) {
		nlmsg_free(msg);
		msg = NULL;
	}
	if (kv_genl_do(run->genl, msg, kv_kernel_take_run, run, error))
		return -1;
	if (!run->id)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT,
				    "the module made a run without a number: tool and module differ in version");
	return 0;
}

static int kv_kernel_prepare(const char *device, const struct kv_job *job, struct kv_run **out,
			     struct kv_error *error)
{
	struct kv_run *run = calloc(1, sizeof(*run));
	struct kv_dev *dev = NULL;
	int rc = -1;

	*out = NULL;
	if (!run)
		return kv_kernel_no_memory(error);
	run->job = *job;
	run->result.engine = kv_engine_kernel.name;
	run->result.job = *job;
	run->result.granted = *job;
	run->genl = kv_genl_open(error);
	if (!run->genl || kv_genl_info(run->genl, &run->module, error) ||
	    kv_genl_devices(run->genl, device, &dev, error))
		goto out;
	if (!dev) {
		kv_error_set(error, KV_EXIT_ENVIRONMENT,
			     "device %s: the module does not know it; see kverbs devices", device);
		goto out;
	}
	run->result.software = dev->software;
	strcpy(run->result.device, dev->name);
	run->result.clock = run->module.clock;
	if (job->clock == KVERBS_CLOCK_RAW)
		kv_kernel_raw_clock(&run->result.clock);
	kv_genl_on_notify(run->genl, kv_kernel_take_run, run);
	rc = kv_kernel_new(run, device, error);
out:
	kv_dev_free(dev);
	if (rc)
		kv_kernel_release(run);
	else
		*out = run;
	return rc;
}

/* a step of set-up that names an option failed for its value */
static int kv_kernel_setup_status(const struct kv_run *run)
{
	if (strstr(run->where, "--"))
		return KV_EXIT_USAGE;
	return run->result.err == -ENOENT || run->result.err == -ENOMEM ? KV_EXIT_ENVIRONMENT :
									  KV_EXIT_MEASUREMENT;
}

/* one line on a run that ended before it could measure */
static int kv_kernel_failed(struct kv_run *run, struct kv_error *error)
{
	struct kv_result *r = &run->result;

	switch (r->reason) {
	case KVERBS_REASON_DEVICE_GONE:
		return kv_error_set(error, KV_EXIT_MEASUREMENT,
				    "kernel engine: device %s: removed, or moved to another network namespace",
				    r->device);
	case KVERBS_REASON_SETUP:
		/* the job was checked again: a port that went down, say */
		if ((r->err == -EINVAL || r->err == -ENETDOWN) && strchr(run->where, ':'))
			return kv_error_set(error, r->err == -EINVAL ? KV_EXIT_USAGE :
					    KV_EXIT_ENVIRONMENT, "%s", run->where);
		if (r->err == -EOPNOTSUPP) {
			kv_error_set(error, KV_EXIT_USAGE,
				     "kernel engine: device %s: cannot %s: the kernel driver does not implement it; use --engine user",
				     r->device, run->where);
			error->unimplemented = true;
			return -1;
		}
		return kv_error_set(error, kv_kernel_setup_status(run),
				    "kernel engine: device %s: cannot %s: %s", r->device,
				    run->where[0] ? run->where : "set the run up",
				    kv_setup_errno(-r->err));
	default:
		return kv_error_set(error, KV_EXIT_MEASUREMENT, "kernel engine: device %s: %s%s%s",
				    r->device, kv_reason_name(r->reason), r->err ? ": " : "",
				    r->err ? strerror(-r->err) : "");
	}
}

/* news of the run, waited for up to timeout_ms; asks when none come: 0 or -1 */
static int kv_kernel_news(struct kv_run *run, int timeout_ms, struct kv_error *error)
{
	int part = timeout_ms < KV_KERNEL_ASK_MS ? timeout_ms : KV_KERNEL_ASK_MS;
	int rc = kv_genl_listen(run->genl, part, error);

	if (rc < 0)
		return -1;
	return rc == 0 && part == KV_KERNEL_ASK_MS ? kv_kernel_ask(run, error) : 0;
}

/* a command that is refused because the run has ended meanwhile: say why it has */
static int kv_kernel_step(struct kv_run *run, int cmd, struct kv_error *error)
{
	struct kv_error other;

	if (!kv_kernel_command(run, cmd, error))
		return 0;
	if (!kv_kernel_ask(run, &other) && kv_kernel_ended(run))
		return kv_kernel_failed(run, error);
	return -1;
}

static int kv_kernel_connect(struct kv_run *run, struct kv_error *error)
{
	s64 end = kv_kernel_now_ms() + KV_KERNEL_SETUP_MS;

	if (kv_kernel_step(run, KVERBS_CMD_RUN_CONNECT, error))
		return -1;
	while (run->result.state == KVERBS_STATE_NEW) {
		if (kv_kernel_news(run, KV_KERNEL_ASK_MS, error))
			return -1;
		if (kv_interrupted())
			return kv_error_set(error, KV_EXIT_INTERRUPTED, "interrupted");
		if (kv_kernel_now_ms() > end)
			return kv_error_set(error, KV_EXIT_MEASUREMENT,
					    "device %s: no connection within %d s; see the kernel log (dmesg)",
					    run->result.device, KV_KERNEL_SETUP_MS / 1000);
	}
	if (run->result.state == KVERBS_STATE_READY)
		return 0;
	/* a notification may be short: the step and the error come with the state */
	if (kv_kernel_ask(run, error))
		return -1;
	return kv_kernel_failed(run, error);
}

static int kv_kernel_start(struct kv_run *run, struct kv_error *error)
{
	return kv_kernel_step(run, KVERBS_CMD_RUN_START, error);
}

static int kv_kernel_wait(struct kv_run *run, int timeout_ms, struct kv_error *error)
{
	s64 end = kv_kernel_now_ms() + timeout_ms;
	bool before = kv_interrupted();
	s64 left = timeout_ms;

	/* what has come already, even with no time to wait */
	if (!kv_kernel_ended(run) && kv_genl_listen(run->genl, 0, error) < 0)
		return -1;
	while (!kv_kernel_ended(run)) {
		/* whoever waits acts on Ctrl-C, and may wait again after it */
		if (left <= 0 || kv_interrupted() != before)
			return 0;
		if (kv_kernel_news(run, (int)left, error))
			return -1;
		left = end - kv_kernel_now_ms();
	}
	return 1;
}

static int kv_kernel_stop(struct kv_run *run, struct kv_error *error)
{
	struct kv_error other;

	if (kv_kernel_ended(run) || !kv_kernel_command(run, KVERBS_CMD_RUN_STOP, error))
		return 0;
	/* it may have ended by itself, and the news not been read yet */
	return kv_kernel_ask(run, &other) || !kv_kernel_ended(run) ? -1 : 0;
}

static int kv_kernel_take_lane(int cmd, struct nlattr **attr, void *arg, struct kv_error *error)
{
	struct nlattr *a[KVERBS_LANE_A_MAX + 1], *c[KVERBS_CTR_MAX + 1];
	struct kv_result *result = arg;
	struct kv_lane_result *lane;
	u32 index;
	int i;

	if (!attr || !attr[KVERBS_A_LANE])
		return 0;
	if (kv_genl_nest(a, KVERBS_LANE_A_MAX, attr[KVERBS_A_LANE], error))
		return -1;
	index = kv_genl_u32(a[KVERBS_LANE_A_INDEX], ~0U);
	if (index >= result->nlanes)
		return kv_error_set(error, KV_EXIT_MEASUREMENT,
				    "lane %u of a run with %u lanes: tool and module differ in version",
				    index, result->nlanes);
	if (kv_genl_nest(c, KVERBS_CTR_MAX, a[KVERBS_LANE_A_COUNTERS], error))
		return -1;
	lane = &result->lane[index];
	lane->index = index;
	lane->role = kv_genl_u32(a[KVERBS_LANE_A_ROLE], KVERBS_ROLE_INITIATOR);
	lane->cpu = kv_genl_u32(a[KVERBS_LANE_A_CPU], 0);
	lane->qpn = kv_genl_u32(a[KVERBS_LANE_A_QPN], 0);
	lane->peer_qpn = kv_genl_u32(a[KVERBS_LANE_A_PEER_QPN], 0);
	lane->sq_depth = kv_genl_u32(a[KVERBS_LANE_A_SQ_DEPTH], 0);
	lane->rq_depth = kv_genl_u32(a[KVERBS_LANE_A_RQ_DEPTH], 0);
	lane->cq_depth = kv_genl_u32(a[KVERBS_LANE_A_CQ_DEPTH], 0);
	lane->inline_data = kv_genl_u32(a[KVERBS_LANE_A_INLINE_DATA], 0);
	lane->reason = kv_genl_u32(a[KVERBS_LANE_A_REASON], KVERBS_REASON_NONE);
	lane->err = kv_genl_err((int)kv_genl_u32(a[KVERBS_LANE_A_ERRNO], 0));
	lane->err_wr = kv_genl_u64(a[KVERBS_LANE_A_ERR_WR], 0);
	lane->wc_status = kv_genl_u32(a[KVERBS_LANE_A_WC_STATUS], 0);
	lane->vendor_err = kv_genl_u32(a[KVERBS_LANE_A_VENDOR_ERR], 0);
	lane->rw.single = kv_genl_u64(a[KVERBS_LANE_A_RW_SINGLE], 0);
	lane->rw.multi = kv_genl_u64(a[KVERBS_LANE_A_RW_MULTI], 0);
	lane->rw.mr = kv_genl_u64(a[KVERBS_LANE_A_RW_MR], 0);
	lane->rw.wrs = kv_genl_u64(a[KVERBS_LANE_A_RW_WRS], 0);
	/* members of struct kv_stat stand in the order of the counters */
	for (i = 0; i < (int)(sizeof(lane->stat) / sizeof(u64)); i++)
		((u64 *)&lane->stat)[i] = kv_genl_u64(c[i + 1], 0);
	return 0;
}

/* start of a dump of histograms: forget what an earlier try brought */
static void kv_kernel_drop_hists(struct kv_result *result)
{
	u32 i, m;

	for (i = 0; i < result->nlanes; i++) {
		for (m = 0; m < __KVERBS_METRIC_MAX; m++) {
			free(result->lane[i].hist[m]);
			result->lane[i].hist[m] = NULL;
		}
	}
}

/**
 * struct kv_hist_dump - histograms under way
 * @result: they go to
 * @generation: of the first message
 * @seen: a message came
 * @changed: messages of another generation came too
 */
struct kv_hist_dump {
	struct kv_result *result;
	u32 generation;
	bool seen;
	bool changed;
};

static int kv_kernel_take_buckets(struct kv_hist *h, struct nlattr *attr, struct kv_error *error)
{
	struct kverbs_bucket bucket;
	const char *from = nla_data(attr);
	int n = nla_len(attr) / (int)sizeof(bucket);

	for (; n > 0; n--, from += sizeof(bucket)) {
		/* attributes are aligned to 4 bytes only */
		memcpy(&bucket, from, sizeof(bucket));
		if (bucket.index >= KV_HIST_BUCKETS)
			return kv_error_set(error, KV_EXIT_MEASUREMENT,
					    "bucket %u of a histogram with %u: tool and module differ in version",
					    bucket.index, KV_HIST_BUCKETS);
		h->bucket[bucket.index] += bucket.count;
	}
	return 0;
}

static int kv_kernel_take_hist(int cmd, struct nlattr **attr, void *arg, struct kv_error *error)
{
	struct nlattr *a[KVERBS_HIST_A_MAX + 1];
	struct kv_hist_dump *dump = arg;
	struct kv_result *result = dump->result;
	u32 lane, metric, generation;
	struct kv_hist *h;

	if (!attr) {
		kv_kernel_drop_hists(result);
		dump->seen = false;
		dump->changed = false;
		return 0;
	}
	if (!attr[KVERBS_A_HIST])
		return 0;
	if (kv_genl_nest(a, KVERBS_HIST_A_MAX, attr[KVERBS_A_HIST], error))
		return -1;
	lane = kv_genl_u32(a[KVERBS_HIST_A_LANE], ~0U);
	metric = kv_genl_u32(a[KVERBS_HIST_A_METRIC], ~0U);
	if (lane >= result->nlanes || metric >= __KVERBS_METRIC_MAX)
		return kv_error_set(error, KV_EXIT_MEASUREMENT,
				    "histogram of lane %u, metric %u: unknown; tool and module differ in version",
				    lane, metric);
	generation = kv_genl_u32(a[KVERBS_HIST_A_GENERATION], 0);
	if (dump->seen && generation != dump->generation)
		dump->changed = true;
	dump->generation = generation;
	dump->seen = true;
	h = result->lane[lane].hist[metric];
	if (!h) {
		h = malloc(sizeof(*h));
		if (!h)
			return kv_kernel_no_memory(error);
		kv_hist_clear(h);
		result->lane[lane].hist[metric] = h;
	}
	h->count = kv_genl_u64(a[KVERBS_HIST_A_COUNT], h->count);
	h->sum = kv_genl_u64(a[KVERBS_HIST_A_SUM], h->sum);
	h->min = kv_genl_u64(a[KVERBS_HIST_A_SMALLEST], h->min);
	h->max = kv_genl_u64(a[KVERBS_HIST_A_LARGEST], h->max);
	h->over = kv_genl_u64(a[KVERBS_HIST_A_OVER], h->over);
	return a[KVERBS_HIST_A_BUCKETS] ?
	       kv_kernel_take_buckets(h, a[KVERBS_HIST_A_BUCKETS], error) : 0;
}

/* every sample that was counted must have come over */
static int kv_kernel_check_hists(const struct kv_result *result, struct kv_error *error)
{
	const struct kv_hist *h;
	u32 i, m, b;
	u64 sum;

	for (i = 0; i < result->nlanes; i++) {
		for (m = 0; m < __KVERBS_METRIC_MAX; m++) {
			h = result->lane[i].hist[m];
			if (!h)
				continue;
			sum = h->over;
			for (b = 0; b < KV_HIST_BUCKETS; b++)
				sum += h->bucket[b];
			if (sum != h->count)
				return kv_error_set(error, KV_EXIT_MEASUREMENT,
						    "lane %u, %s: %llu samples counted, %llu came over netlink",
						    i, kv_metric_name(m),
						    (unsigned long long)h->count,
						    (unsigned long long)sum);
		}
	}
	return 0;
}

/* state, lanes and histograms of one generation */
static int kv_kernel_result(struct kv_run *run, struct kv_result **out, struct kv_error *error)
{
	struct kv_hist_dump dump;
	struct kv_result *result;
	struct kv_lane_result *lane;
	u32 generation;
	int tries;

	*out = NULL;
	for (tries = 0; tries < KV_KERNEL_TRIES; tries++) {
		if (kv_kernel_ask(run, error))
			return -1;
		generation = run->generation;
		result = kv_result_new(run->result.nlanes);
		if (!result)
			return kv_kernel_no_memory(error);
		lane = result->lane;
		*result = run->result;
		result->id = run->id;
		result->lane = lane;
		dump.result = result;
		if (kv_genl_dump(run->genl, kv_kernel_msg(run, KVERBS_CMD_LANE_GET),
				 kv_kernel_take_lane, result, error) ||
		    kv_genl_dump(run->genl, kv_kernel_msg(run, KVERBS_CMD_HIST_GET),
				 kv_kernel_take_hist, &dump, error) ||
		    kv_kernel_ask(run, error)) {
			kv_result_free(result);
			return -1;
		}
		if (run->generation == generation && !dump.changed &&
		    !(dump.seen && dump.generation != generation)) {
			if (kv_kernel_check_hists(result, error)) {
				kv_result_free(result);
				return -1;
			}
			*out = result;
			return 0;
		}
		kv_result_free(result);
	}
	return kv_error_set(error, KV_EXIT_MEASUREMENT,
			    "the results changed during each of %d tries to read them; wait for the end of the run",
			    KV_KERNEL_TRIES);
}

/* what the lanes have counted up to now */
static int kv_kernel_peek(struct kv_run *run, struct kv_result **out, struct kv_error *error)
{
	struct kv_result *result = kv_result_new(run->result.nlanes);
	struct kv_hist_dump dump = { .result = result };
	struct kv_lane_result *lane;

	*out = NULL;
	if (!result)
		return kv_kernel_no_memory(error);
	lane = result->lane;
	*result = run->result;
	result->id = run->id;
	result->lane = lane;
	if (kv_genl_dump(run->genl, kv_kernel_msg(run, KVERBS_CMD_LANE_GET), kv_kernel_take_lane,
			 result, error) ||
	    kv_genl_dump(run->genl, kv_kernel_msg(run, KVERBS_CMD_HIST_GET), kv_kernel_take_hist,
			 &dump, error)) {
		kv_result_free(result);
		return -1;
	}
	*out = result;
	return 0;
}

const struct kv_engine kv_engine_kernel = {
	.name = "kernel",
	.prepare = kv_kernel_prepare,
	.connect = kv_kernel_connect,
	.start = kv_kernel_start,
	.wait = kv_kernel_wait,
	.stop = kv_kernel_stop,
	.result = kv_kernel_result,
	.peek = kv_kernel_peek,
	.release = kv_kernel_release,
};
