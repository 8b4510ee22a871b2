// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Runs: their table, their life, what ends them. */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/suspend.h>
#include <linux/xarray.h>

#include "clock.h"
#include "cm.h"
#include "control.h"
#include "debugfs.h"
#include "main.h"
#include "netlink.h"
#include "provoke.h"
#include "run.h"
#include "trace.h"

#define KV_RUN_CALL(attr, name) [KVERBS_METRIC_##attr] = "make the call " name,

#define KV_MR_BYTES	4096	/* of a driver's MR, with entries for some pages */
#define KV_WQE_BYTES	256	/* of its WR */
#define KV_LEAVE_MS	200	/* for lanes, when a CPU goes offline or all sleep */

enum kv_do {
	KV_DO_CONNECT,
	KV_DO_START,
	KV_DO_FINISH,
};

static DEFINE_XARRAY_ALLOC1(kv_runs);
static u32 kv_next_id;
static atomic_t kv_nruns = ATOMIC_INIT(0);
static atomic_long_t kv_bytes = ATOMIC_LONG_INIT(0);
static struct workqueue_struct *kv_wq;
static enum cpuhp_state kv_cpuhp;
static bool kv_suspending;

static void kv_run_work(struct work_struct *work);
static void kv_run_expire(struct work_struct *work);

static void kv_run_free(struct kref *ref)
{
	struct kv_run *run = container_of(ref, struct kv_run, ref);
	u32 i;

	for (i = 0; run->lane && i < run->nlanes; i++)
		kv_lane_free(&run->lane[i]);
	kvfree(run->lane);
	kvfree(run->ep);
	if (run->dev)
		kv_dev_put(run->dev);
	put_net(run->net);
	atomic_long_sub(run->bytes, &kv_bytes);
	atomic_dec(&kv_nruns);
	kfree(run);
}

void kv_run_put(struct kv_run *run)
{
	kref_put(&run->ref, kv_run_free);
}

u32 kv_run_id(const struct kv_run *run)
{
	return run->id;
}

u32 kv_run_shape(const struct kv_run *run)
{
	return run->granted.shape;
}

static bool kv_run_has_lanes(struct kv_run *run)
{
	return kv_run_state(run) != KVERBS_STATE_NEW;
}

const struct kv_stat *kv_run_lane_stat(struct kv_run *run, u32 lane)
{
	return kv_run_has_lanes(run) ? kv_lane_stat(&run->lane[lane]) : NULL;
}

const struct kv_hist *kv_run_lane_hist(struct kv_run *run, u32 lane,
				       u32 metric)
{
	return kv_run_has_lanes(run) ? kv_lane_hist(&run->lane[lane], metric) :
				       NULL;
}

static void kv_run_queue(struct kv_run *run, enum kv_do what)
{
	set_bit(what, &run->todo);
	kref_get(&run->ref);
	if (!queue_work(kv_wq, &run->work))
		kv_run_put(run);
}

void kv_run_status(struct kv_run *run, struct kv_run_status *status)
{
	spin_lock(&run->lock);
	*status = run->status;
	spin_unlock(&run->lock);
}

u32 kv_run_state(struct kv_run *run)
{
	u32 state;

	spin_lock(&run->lock);
	state = run->status.state;
	spin_unlock(&run->lock);
	return state;
}

bool kv_run_granted(struct kv_run *run, const struct kv_field *field, u64 *value)
{
	bool has;

	spin_lock(&run->lock);
	has = kv_field_has(&run->granted, field);
	*value = kv_field_get(&run->granted, field);
	spin_unlock(&run->lock);
	return has;
}

u32 kv_run_generation(struct kv_run *run)
{
	u32 generation;

	spin_lock(&run->lock);
	generation = run->status.generation;
	spin_unlock(&run->lock);
	return generation;
}

/* the new state is there before the owner hears of it */
static void kv_run_enter(struct kv_run *run, u32 state, u32 reason)
{
	bool deleted;
	int err;

	spin_lock(&run->lock);
	run->status.state = state;
	run->status.reason = reason;
	run->status.generation++;
	run->busy = false;
	deleted = run->deleted;
	err = run->status.err;
	spin_unlock(&run->lock);
	trace_kverbs_run_state(run->id, run->device, state, reason, err);
	if (!deleted)
		kv_netlink_notify(run);
}

static void kv_run_failed_at(struct kv_run *run, const char *where, int err)
{
	spin_lock(&run->lock);
	run->status.err = err;
	strscpy(run->status.where, where, sizeof(run->status.where));
	spin_unlock(&run->lock);
}

static u32 kv_run_abort_reason(struct kv_run *run)
{
	u32 reason;

	spin_lock(&run->lock);
	reason = run->abort_reason;
	spin_unlock(&run->lock);
	return reason;
}

static void kv_run_stop_lanes(struct kv_run *run, u32 how)
{
	u32 i;

	for (i = 0; i < run->nlanes; i++)
		kv_lane_stop(&run->lane[i], how);
}

/* end a run from outside, whatever its state; the first reason stays */
static void kv_run_abort(struct kv_run *run, u32 reason, u32 how)
{
	spin_lock(&run->lock);
	if (!run->abort_reason)
		run->abort_reason = reason;
	spin_unlock(&run->lock);
	trace_kverbs_run_stop(run->id, run->device, reason,
			      how == KV_LANE_ABANDON);
	kv_run_stop_lanes(run, how);
	kv_run_queue(run, KV_DO_FINISH);
}

void kv_run_lane_ended(struct kv_run *run, bool failed)
{
	/* what is outstanding may show the same error from its own end */
	if (failed)
		kv_run_stop_lanes(run, KV_LANE_FINISH);
	if (atomic_dec_and_test(&run->running))
		kv_run_queue(run, KV_DO_FINISH);
}

static void kv_run_expire(struct work_struct *work)
{
	struct kv_run *run = container_of(to_delayed_work(work), struct kv_run,
					  expire);

	kv_run_abort(run, KVERBS_REASON_STOPPED, KV_LANE_FINISH);
}

static int kv_run_charge(u64 bytes)
{
	if ((u64)atomic_long_add_return(bytes, &kv_bytes) <= kv_max_bytes)
		return 0;
	atomic_long_sub(bytes, &kv_bytes);
	return -ENOMEM;
}

/* lanes go to CPUs in the order given, else to those near the device */
static int kv_run_choose_cpus(struct kv_job *job, struct kv_dev *dev,
			      struct kv_refusal *no)
{
	int node = ibdev_to_node(dev->ibdev);
	u32 lanes = kv_job_lanes(job), i;
	int cpu;

	for (i = 0; i < job->ncpus; i++) {
		if (job->cpu[i] < nr_cpu_ids && cpu_online(job->cpu[i]))
			continue;
		kv_refuse(no, KVERBS_JOB_A_CPU,
			  "cpu %u: is not online, %u are; see /sys/devices/system/cpu/online",
			  job->cpu[i], num_online_cpus());
		return -EINVAL;
	}
	if (job->ncpus)
		return 0;
	if (node != NUMA_NO_NODE) {
		for_each_cpu_and(cpu, cpumask_of_node(node), cpu_online_mask) {
			if (job->ncpus == min_t(u32, lanes, KVERBS_CPUS_MAX))
				return 0;
			job->cpu[job->ncpus++] = cpu;
		}
	}
	if (job->ncpus)
		return 0;
	for_each_online_cpu(cpu) {
		if (job->ncpus == min_t(u32, lanes, KVERBS_CPUS_MAX))
			break;
		job->cpu[job->ncpus++] = cpu;
	}
	return 0;
}

static int kv_run_check(struct kv_job *granted, struct kv_dev *dev,
			struct kv_refusal *no)
{
	struct kv_caps caps;

	if (!kv_clock_desc(granted->clock)) {
		kv_refuse(no, KVERBS_JOB_A_CLOCK,
			  "clock cpu: this machine has no usable CPU counter; use --clock raw");
		return -EINVAL;
	}
	if (granted->node != KV_AUTO &&
	    (granted->node >= nr_node_ids || !node_online(granted->node))) {
		kv_refuse(no, KVERBS_JOB_A_NODE,
			  "node %u: is not online, %u are; see /sys/devices/system/node/online",
			  granted->node, num_online_nodes());
		return -EINVAL;
	}
	if (granted->shape < KV_SHAPES && kv_job_steps_known(granted) &&
	    kv_run_choose_cpus(granted, dev, no))
		return -EINVAL;
	kv_dev_caps(dev, granted->port, &caps);
	if (!kv_job_check(granted, &caps, no))
		return 0;
	return no->host ? -ENETDOWN : -EINVAL;
}

/* what a lane of shape setup has made at once, the driver's part by what drivers take */
static u64 kv_run_storm_bytes(const struct kv_job *job)
{
	u64 mr = KV_MR_BYTES + (PAGE_ALIGN((u64)kv_job_covered(job)) >>
				PAGE_SHIFT) * sizeof(u64);

	if (job->shape != KVERBS_SHAPE_SETUP)
		return 0;
	return kv_job_storm_qps(job) *
	       ((u64)kv_job_sq_depth(job) * KV_WQE_BYTES +
		(u64)kv_job_cq_depth(job) * sizeof(struct ib_wc)) +
	       job->storm * (job->outstanding + 1ULL) * mr;
}

static u64 kv_run_bytes(const struct kv_job *job)
{
	u32 lanes = kv_job_lanes(job);

	/* a lane's ring of chains has up to twice as many as WRs */
	return kv_job_bytes(job) + 2ULL * job->pairs * kv_ep_bytes(job) +
	       job->pairs * kv_run_storm_bytes(job) +
	       (u64)lanes * (sizeof(struct kv_lane) +
			     2ULL * (job->outstanding + 1) * KV_CHAIN_BYTES +
			     kv_job_rings(job) * sizeof(u64) +
			     sizeof(u64) * kv_pace_gaps(job));
}

struct kv_run *kv_run_new(struct net *net, u32 portid, const char *device,
			  const struct kv_job *job, struct kv_refusal *no)
{
	struct kv_run *run;
	u32 i;
	int rc;

	no->attr = 0;
	snprintf(no->text, sizeof(no->text), "out of memory");
	if (atomic_inc_return(&kv_nruns) > kv_max_runs) {
		kv_refuse(no, 0,
			  "runs: the limit is %u at a time; delete one, or raise the module's max_runs",
			  kv_max_runs);
		atomic_dec(&kv_nruns);
		return ERR_PTR(-EBUSY);
	}
	run = kzalloc(sizeof(*run), GFP_KERNEL);
	if (!run) {
		atomic_dec(&kv_nruns);
		return ERR_PTR(-ENOMEM);
	}
	kref_init(&run->ref);
	spin_lock_init(&run->lock);
	mutex_init(&run->queues);
	INIT_WORK(&run->work, kv_run_work);
	INIT_DELAYED_WORK(&run->expire, kv_run_expire);
	run->net = get_net(net);
	run->portid = portid;
	run->job = *job;
	run->granted = *job;
	strscpy(run->device, device, sizeof(run->device));

	run->dev = kv_dev_find(net, device);
	if (!run->dev || !kv_dev_enter(run->dev)) {
		kv_refuse(no, 0,
			  "device %s: no RDMA device of that name with kernel verbs; see 'kverbs devices'",
			  device);
		rc = -ENODEV;
		goto fail;
	}
	rc = kv_run_check(&run->granted, run->dev, no);
	kv_dev_leave(run->dev);
	if (rc)
		goto fail;

	rc = kv_run_charge(kv_run_bytes(&run->granted));
	if (rc) {
		kv_refuse(no, KVERBS_JOB_A_STEP,
			  "run: needs %llu bytes, all runs may hold %lu and hold %ld; delete a run, use a smaller -s or -q, or raise the module's max_bytes",
			  kv_run_bytes(&run->granted), kv_max_bytes,
			  atomic_long_read(&kv_bytes));
		goto fail;
	}
	run->bytes = kv_run_bytes(&run->granted);
	rc = -ENOMEM;
	run->nlanes = kv_job_lanes(&run->granted);
	run->nep = 2 * run->granted.pairs;
	run->lane = kvcalloc(run->nlanes, sizeof(*run->lane), GFP_KERNEL);
	run->ep = kvcalloc(run->nep, sizeof(*run->ep), GFP_KERNEL);
	if (!run->lane || !run->ep)
		goto fail;
	for (i = 0; i < run->nlanes; i++) {
		run->lane[i].run = run;
		run->lane[i].index = i;
		run->lane[i].role = kv_job_role(&run->granted, i);
		run->lane[i].cpu = run->granted.cpu[i % run->granted.ncpus];
	}
	/* a place first: who finds the run may delete it, its folder too */
	rc = xa_alloc_cyclic(&kv_runs, &run->id, NULL, xa_limit_31b,
			     &kv_next_id, GFP_KERNEL);
	if (rc < 0)
		goto fail;
	kv_debugfs_add(run);
	kref_get(&run->ref);	/* of the table */
	rc = xa_err(xa_store(&kv_runs, run->id, run, GFP_KERNEL));
	if (rc) {
		xa_release(&kv_runs, run->id);
		kv_debugfs_remove(run);
		kv_run_put(run);
		goto fail;
	}
	return run;

fail:
	kv_run_put(run);
	return ERR_PTR(rc);
}

static bool kv_run_owned(const struct kv_run *run, struct net *net, u32 portid)
{
	return net_eq(run->net, net) && run->portid == portid;
}

struct kv_run *kv_run_find(struct net *net, u32 portid, u32 id)
{
	struct kv_run *run;

	xa_lock(&kv_runs);
	run = xa_load(&kv_runs, id);
	if (!run)
		run = ERR_PTR(-ENOENT);
	else if (!kv_run_owned(run, net, portid))
		run = ERR_PTR(-EPERM);
	else
		kref_get(&run->ref);
	xa_unlock(&kv_runs);
	return run;
}

struct kv_run *kv_run_next(struct net *net, u32 portid, u32 id)
{
	unsigned long index = id;
	struct kv_run *run;

	xa_lock(&kv_runs);
	for (run = xa_find(&kv_runs, &index, ULONG_MAX, XA_PRESENT); run;
	     run = xa_find_after(&kv_runs, &index, ULONG_MAX, XA_PRESENT)) {
		if (kv_run_owned(run, net, portid)) {
			kref_get(&run->ref);
			break;
		}
	}
	xa_unlock(&kv_runs);
	return run;
}

/* mark a command as being done, if the state allows it */
static int kv_run_command(struct kv_run *run, u32 from, enum kv_do what,
			  const char *wrong, const char **why)
{
	int rc = 0;

	spin_lock(&run->lock);
	if (run->busy) {
		*why = "the run is busy with an earlier command: wait for its notification";
		rc = -EBUSY;
	} else if (run->status.state != from) {
		*why = wrong;
		rc = -EINVAL;
	} else {
		run->busy = true;
	}
	spin_unlock(&run->lock);
	if (!rc)
		kv_run_queue(run, what);
	return rc;
}

int kv_run_connect(struct kv_run *run, const char **why)
{
	return kv_run_command(run, KVERBS_STATE_NEW, KV_DO_CONNECT,
			      "only a NEW run can be connected: make another run",
			      why);
}

int kv_run_start(struct kv_run *run, const char **why)
{
	return kv_run_command(run, KVERBS_STATE_READY, KV_DO_START,
			      "only a READY run can be started, once: connect it first, or make another run",
			      why);
}

int kv_run_stop(struct kv_run *run, const char **why)
{
	if (kv_run_ended(run)) {
		*why = "the run has already ended: its results can be read";
		return -EALREADY;
	}
	kv_run_abort(run, KVERBS_REASON_STOPPED, KV_LANE_FINISH);
	return 0;
}

void kv_run_delete(struct kv_run *run)
{
	bool was;

	/* in one go: who walks the table never meets a deleted run again */
	xa_lock(&kv_runs);
	spin_lock(&run->lock);
	was = run->deleted;
	run->deleted = true;
	spin_unlock(&run->lock);
	if (!was)
		__xa_erase(&kv_runs, run->id);
	xa_unlock(&kv_runs);
	if (was)
		return;
	kv_run_abort(run, KVERBS_REASON_STOPPED, KV_LANE_ABANDON);
	kv_run_put(run);	/* of the table */
}

static void kv_run_show(struct kv_run *run, bool shown)
{
	mutex_lock(&run->queues);
	run->shown = shown;
	mutex_unlock(&run->queues);
}

/* the run leaves its device: no verbs object is left, results stay */
static void kv_run_teardown(struct kv_run *run)
{
	ktime_t end;
	u32 i;

	for (i = 0; i < run->nep; i++) {
		if (!IS_ERR_OR_NULL(run->ep[i]))
			kv_ep_flush(run->ep[i]);
	}
	end = ktime_add_ms(ktime_get(), KV_FLUSH_MS);
	for (i = 0; i < run->nep; i++) {
		if (!IS_ERR_OR_NULL(run->ep[i]))
			kv_ep_reap(run->ep[i], end);
	}
	for (i = 0; i < run->nep; i++) {
		if (IS_ERR_OR_NULL(run->ep[i]))
			continue;
		kv_provoke_close(run->ep[i]);
		kv_control_close(run->ep[i]);
	}
	kv_run_show(run, false);
	/* rdma_cm waits for the answer to who asks: who has the request goes first */
	for (i = 1; i < run->nep; i += 2)
		kv_cm_leave(run->ep[i]);
	/* a CQ of them all goes between their QPs and what its handlers look at */
	for (i = 0; run->shared.cq && i < run->nep; i++)
		kv_ep_destroy_qp(run->ep[i]);
	kv_shared_close(&run->shared);
	for (i = 0; i < run->nep; i++) {
		kv_ep_destroy(run->ep[i]);
		run->ep[i] = NULL;
	}
	kv_path_close(&run->path);
	if (run->pd)
		ib_dealloc_pd(run->pd);
	run->pd = NULL;
	if (run->inside)
		kv_dev_leave(run->dev);
	run->inside = false;
}

static int kv_run_connect_eps(struct kv_run *run, const char **where)
{
	u32 per_pair = kv_job_lanes_per_pair(&run->granted), i;
	struct kv_ep *helper = NULL;
	int rc = 0;

	for (i = 0; i < run->nep; i++)
		run->ep[i]->stop = &run->lane[i / 2 * per_pair].stop;
	if (!kv_transport_rules[run->granted.transport].acked) {
		helper = kv_ep_helper(run->pd, &run->path, &run->granted,
				      run->ep[0]->stop, where);
		if (IS_ERR(helper))
			return PTR_ERR(helper);
	}
	for (i = 0; i < run->nep && !rc; i += 2) {
		if (kv_run_abort_reason(run))
			rc = -EINTR;
		else
			rc = kv_ep_connect(run->ep[i], run->ep[i + 1],
					   &run->path, &run->granted, helper,
					   where);
	}
	kv_ep_destroy(helper);
	kv_cm_shut(&run->path);
	for (i = 0; i < run->nep && run->granted.provoke && !rc; i++)
		rc = kv_provoke_open(run->ep[i], run->ep[i ^ 1],
				     i & 1 ? KVERBS_ROLE_RESPONDER :
					     KVERBS_ROLE_INITIATOR,
				     &run->path, &run->granted, where);
	for (i = 0; i < run->nep && !rc; i += 2) {
		if (kv_shape_rules[run->granted.shape].control)
			rc = kv_control_open(run->ep[i], run->ep[i + 1],
					     &run->path, &run->granted, where);
	}
	return rc;
}

/*
 * Check and complete a copy of the job: what was granted may be read meanwhile, and
 * only its GID was left to be found.
 */
static int kv_run_open_path(struct kv_run *run, struct kv_refusal *no,
			    const char **where)
{
	struct ib_device *ibdev = run->dev->ibdev;
	struct kv_path *path = &run->path;
	struct kv_job *job;
	int rc;

	*where = "copy the job";
	job = kmemdup(&run->granted, sizeof(*job), GFP_KERNEL);
	if (!job)
		return -ENOMEM;
	/* the port may have changed since the run was made */
	kv_dev_refresh(run->dev);
	rc = kv_run_check(job, run->dev, no);
	if (rc) {
		*where = no->text;
		goto out;
	}
	rc = kv_path_open(path, ibdev, job, where);
	if (rc == -ENODATA && job->gid_index != KV_AUTO) {
		kv_refuse(no, KVERBS_JOB_A_GID_INDEX,
			  "gid-index %u: this entry of port %u is empty; leave -x out to have one chosen, or see 'rdma link'",
			  job->gid_index, job->port);
		*where = no->text;
		rc = -EINVAL;
	}
	if (!rc && job->connect == KVERBS_CONNECT_CM)
		rc = kv_cm_open(path, run->net, ibdev, job, where);
	if (rc)
		goto out;
	spin_lock(&run->lock);
	run->granted.gid_index = job->gid_index;
	run->status.gid_type = path->gid_attr ? path->gid_attr->gid_type :
						IB_GID_TYPE_IB;
	spin_unlock(&run->lock);
out:
	kfree(job);
	return rc;
}

static int kv_run_make(struct kv_run *run, struct kv_refusal *no,
		       const char **where)
{
	struct ib_device *ibdev = run->dev->ibdev;
	u32 per_pair = kv_job_lanes_per_pair(&run->granted);
	struct kv_lane *first, *lane;
	u32 i, j;
	int rc;

	rc = kv_run_open_path(run, no, where);
	if (rc)
		return rc;
	*where = "allocate PD";
	run->pd = ib_alloc_pd(ibdev, 0);
	if (IS_ERR(run->pd)) {
		rc = PTR_ERR(run->pd);
		run->pd = NULL;
		return rc;
	}
	for (i = 0; i < run->nep; i++) {
		if (kv_run_abort_reason(run))
			return -EINTR;
		run->ep[i] = kv_ep_create(run->pd, &run->granted,
					  i % 2 ? KVERBS_ROLE_RESPONDER :
						  KVERBS_ROLE_INITIATOR,
					  kv_job_lane_of(&run->granted, i),
					  &run->shared, no, where);
		if (IS_ERR(run->ep[i]))
			return PTR_ERR(run->ep[i]);
		run->ep[i]->run_id = run->id;
	}
	rc = kv_run_connect_eps(run, where);
	if (rc)
		return rc;
	*where = "allocate histograms";
	for (i = 0; i < run->nlanes; i += per_pair) {
		first = NULL;
		for (j = 0; j < per_pair; j++) {
			lane = &run->lane[i + j];
			rc = kv_lane_prepare(lane, &run->granted,
					     run->ep[i / per_pair * 2 + j],
					     run->ep[i / per_pair * 2 + !j],
					     first);
			if (rc)
				return rc;
			/* where both begin operations neither waits for the other */
			if (!run->granted.bidirectional)
				first = lane;
		}
		/* but takes its messages */
		if (run->granted.bidirectional &&
		    kv_job_two_sided(&run->granted))
			kv_lane_face(&run->lane[i], &run->lane[i + 1]);
	}
	return 0;
}

static void kv_run_end(struct kv_run *run, u32 reason)
{
	kv_run_teardown(run);
	if (reason == KVERBS_REASON_COMPLETE ||
	    reason == KVERBS_REASON_STOPPED)
		kv_run_enter(run, KVERBS_STATE_DONE, reason);
	else
		kv_run_enter(run, KVERBS_STATE_FAILED, reason);
}

static void kv_run_do_connect(struct kv_run *run)
{
	const char *where = "open device";
	struct kv_refusal no = { };
	u32 reason;
	int rc;

	/* a stop may have come between the command and its work */
	if (kv_run_state(run) != KVERBS_STATE_NEW)
		return;
	run->inside = kv_dev_enter(run->dev);
	if (!run->inside) {
		kv_run_end(run, KVERBS_REASON_DEVICE_GONE);
		return;
	}
	rc = kv_run_make(run, &no, &where);
	reason = kv_run_abort_reason(run);
	if (reason) {
		kv_run_end(run, reason);
	} else if (rc) {
		kv_run_failed_at(run, where, rc);
		kv_run_end(run, KVERBS_REASON_SETUP);
	} else {
		/* lanes that make and destroy QPs have them for themselves */
		kv_run_show(run, !kv_shape_rules[run->granted.shape].control);
		kv_run_enter(run, KVERBS_STATE_READY, KVERBS_REASON_NONE);
	}
}

static u32 kv_run_qp_state(struct ib_qp *qp)
{
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr = { };

	/* it could not be made anew */
	if (!qp || ib_query_qp(qp, &attr, IB_QP_STATE, &init))
		return IB_QPS_ERR;
	return attr.qp_state;
}

/* what a lane was to do beside its WRs */
static void kv_run_failed_in_lane(struct kv_run *run,
				  const struct kv_lane_end *end)
{
	static const char * const calls[] = { KV_METRICS(KV_RUN_CALL) };

	if (kv_shape_rules[run->granted.shape].control &&
	    end->err_wr < ARRAY_SIZE(calls))
		kv_run_failed_at(run, calls[end->err_wr], end->err);
	else
		kv_run_failed_at(run, "make wrong what --provoke says",
				 end->err);
}

bool kv_run_queues(struct kv_run *run, u32 i, u32 nth, struct kv_queues *queues)
{
	u32 per_pair = kv_job_lanes_per_pair(&run->granted);
	const struct kv_ep *ep, *peer;
	struct ib_qp *qp;
	bool shown;

	/* a run that ends waits for one look at one QP, not for all of them */
	mutex_lock(&run->queues);
	shown = run->shown && nth <= run->ep[i]->nspare;
	if (shown) {
		ep = run->ep[i];
		peer = run->ep[i ^ 1];
		qp = nth ? ep->spare[nth - 1] : ep->qp;
		queues->lane = kv_job_lane_of(&run->granted, i);
		queues->has_lane = per_pair > 1 || !(i % 2);
		queues->qpn = qp->qp_num;
		queues->peer_qpn = (nth ? peer->spare[nth - 1] : peer->qp)->qp_num;
		queues->state = kv_run_qp_state(qp);
		queues->cq = qp->send_cq->res.id;
		queues->cqe = qp->send_cq->cqe;
	}
	mutex_unlock(&run->queues);
	return shown;
}

/* of several QPs the first that is not in RTS */
static u32 kv_run_ep_state(const struct kv_ep *ep)
{
	u32 state = kv_run_qp_state(ep->qp), i;

	for (i = 0; i < ep->nspare && state == IB_QPS_RTS; i++)
		state = kv_run_qp_state(ep->spare[i]);
	return state;
}

/*
 * The first lane that failed by itself, before one whose WRs were but flushed, as an
 * error at one end does to the other; as many as there are lanes: none failed.
 */
static u32 kv_run_culprit(struct kv_run *run)
{
	u32 flushed = run->nlanes, i;
	struct kv_lane_end end;

	for (i = 0; i < run->nlanes; i++) {
		kv_lane_end(&run->lane[i], &end);
		if (end.reason == KVERBS_REASON_COMPLETE ||
		    end.reason == KVERBS_REASON_STOPPED ||
		    end.reason == KVERBS_REASON_NONE)
			continue;
		if (end.reason != KVERBS_REASON_WC ||
		    end.wc_status != IB_WC_WR_FLUSH_ERR)
			return i;
		if (flushed == run->nlanes)
			flushed = i;
	}
	return flushed;
}

/* what the lanes say together: the first failure, else stopped, else complete */
static u32 kv_run_verdict(struct kv_run *run)
{
	u32 reason = KVERBS_REASON_COMPLETE, state, peer, i;
	u32 culprit = kv_run_culprit(run);
	u32 per_pair = kv_job_lanes_per_pair(&run->granted), of;
	struct kv_lane_end end;

	for (i = 0; i < run->nlanes; i++) {
		kv_lane_end(&run->lane[i], &end);
		if (end.reason == KVERBS_REASON_COMPLETE)
			continue;
		if (end.reason == KVERBS_REASON_STOPPED ||
		    end.reason == KVERBS_REASON_NONE) {
			reason = KVERBS_REASON_STOPPED;
			continue;
		}
		if (i != culprit)
			continue;
		of = i / per_pair * 2 + i % per_pair;
		state = kv_run_ep_state(run->ep[of]);
		peer = kv_run_ep_state(run->ep[of ^ 1]);
		if (end.reason == KVERBS_REASON_SETUP)
			kv_run_failed_in_lane(run, &end);
		spin_lock(&run->lock);
		run->status.err = end.err;
		run->status.err_lane = i;
		run->status.err_wr = end.err_wr;
		run->status.wc_status = end.wc_status;
		run->status.wc_vendor = end.wc_vendor;
		run->status.qp_state = state;
		run->status.peer_qp_state = peer;
		run->status.data_offset = end.data_offset;
		run->status.data_expected = end.data_expected;
		run->status.data_got = end.data_got;
		run->status.data_found = end.data_found;
		spin_unlock(&run->lock);
		return end.reason;
	}
	return reason;
}

static void kv_run_do_start(struct kv_run *run)
{
	u32 reason = KVERBS_REASON_SETUP, i;
	int rc = 0;

	if (READ_ONCE(kv_suspending)) {
		kv_run_end(run, KVERBS_REASON_SUSPEND);
		return;
	}
	atomic_set(&run->running, run->nlanes);
	for (i = 0; i < run->nlanes && !rc; i++) {
		if (kv_job_takes(&run->granted, run->lane[i].role) ||
		    run->lane[i].role == KVERBS_ROLE_RESPONDER ||
		    kv_shape_rules[run->granted.shape].answers)
			rc = kv_lane_fill(&run->lane[i]);
	}
	if (rc) {
		kv_run_failed_at(run, "post receives", rc);
		kv_run_end(run, reason);
		return;
	}
	cpus_read_lock();
	for (i = 0; i < run->nlanes && !rc; i++) {
		if (!cpu_online(run->lane[i].cpu)) {
			reason = KVERBS_REASON_CPU_OFFLINE;
			rc = -ENODEV;
		}
	}
	if (!rc)
		kv_run_enter(run, KVERBS_STATE_RUNNING, KVERBS_REASON_NONE);
	for (i = 0; i < run->nlanes && !rc; i++)
		rc = kv_lane_start(&run->lane[i]);
	cpus_read_unlock();
	if (!rc) {
		if (kv_max_time_ms)
			queue_delayed_work(kv_wq, &run->expire,
					   msecs_to_jiffies(kv_max_time_ms));
		return;
	}
	kv_run_stop_lanes(run, KV_LANE_ABANDON);
	for (i = 0; i < run->nlanes; i++)
		kv_lane_join(&run->lane[i]);
	kv_run_failed_at(run, "start lanes", rc);
	kv_run_end(run, reason);
}

static void kv_run_do_finish(struct kv_run *run)
{
	u32 reason, verdict, i;

	if (kv_run_ended(run))
		return;
	reason = kv_run_abort_reason(run);
	if (kv_run_state(run) == KVERBS_STATE_RUNNING) {
		if (!reason && atomic_read(&run->running))
			return;
		for (i = 0; i < run->nlanes; i++)
			kv_lane_join(&run->lane[i]);
		cancel_delayed_work_sync(&run->expire);
		/* a stop that came as the last lane ended took nothing away */
		verdict = kv_run_verdict(run);
		if (!reason || reason == KVERBS_REASON_STOPPED)
			reason = verdict;
	}
	kv_run_end(run, reason);
}

static void kv_run_work(struct work_struct *work)
{
	struct kv_run *run = container_of(work, struct kv_run, work);
	bool deleted;

	if (test_and_clear_bit(KV_DO_CONNECT, &run->todo))
		kv_run_do_connect(run);
	if (test_and_clear_bit(KV_DO_START, &run->todo)) {
		if (kv_run_abort_reason(run))
			set_bit(KV_DO_FINISH, &run->todo);
		else
			kv_run_do_start(run);
	}
	if (test_and_clear_bit(KV_DO_FINISH, &run->todo))
		kv_run_do_finish(run);
	spin_lock(&run->lock);
	deleted = run->deleted;
	spin_unlock(&run->lock);
	if (deleted)
		kv_debugfs_remove(run);
	kv_run_put(run);
}

void kv_runs_abort_device(struct kv_dev *dev, u32 reason)
{
	unsigned long index;
	struct kv_run *run;

	xa_lock(&kv_runs);
	xa_for_each(&kv_runs, index, run) {
		if (run->dev == dev)
			kv_run_abort(run, reason, KV_LANE_ABANDON);
	}
	xa_unlock(&kv_runs);
}

void kv_runs_delete_owner(struct net *net, u32 portid)
{
	struct kv_run *run;

	while ((run = kv_run_next(net, portid, 0))) {
		kv_run_delete(run);
		kv_run_put(run);
	}
}

static void kv_runs_abort_all(u32 reason, u32 cpu)
{
	unsigned long index;
	struct kv_run *run;
	u32 i;

	xa_lock(&kv_runs);
	xa_for_each(&kv_runs, index, run) {
		for (i = 0; i < run->nlanes; i++) {
			if (cpu == KV_AUTO || run->lane[i].cpu == cpu)
				break;
		}
		if (i < run->nlanes)
			kv_run_abort(run, reason, KV_LANE_ABANDON);
	}
	xa_unlock(&kv_runs);
}

static bool kv_lanes_on(u32 cpu)
{
	unsigned long index;
	struct kv_run *run;
	bool any = false;
	u32 i;

	xa_lock(&kv_runs);
	xa_for_each(&kv_runs, index, run) {
		for (i = 0; i < run->nlanes && !any; i++)
			any = (cpu == KV_AUTO || run->lane[i].cpu == cpu) &&
			      READ_ONCE(run->lane[i].task);
	}
	xa_unlock(&kv_runs);
	return any;
}

/* KV_AUTO: lanes of all CPUs */
static void kv_runs_leave(u32 reason, u32 cpu)
{
	ktime_t end = ktime_add_ms(ktime_get(), KV_LEAVE_MS);

	kv_runs_abort_all(reason, cpu);
	while (kv_lanes_on(cpu) && ktime_before(ktime_get(), end))
		usleep_range(1000, 2000);
}

/* bound threads would be moved to another CPU without a word */
static int kv_cpu_offline(unsigned int cpu)
{
	kv_runs_leave(KVERBS_REASON_CPU_OFFLINE, cpu);
	return 0;
}

static int kv_pm_event(struct notifier_block *nb, unsigned long event,
		       void *data)
{
	switch (event) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
		WRITE_ONCE(kv_suspending, true);
		smp_mb();	/* who did not see it is in the table */
		kv_runs_leave(KVERBS_REASON_SUSPEND, KV_AUTO);
		break;
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
		WRITE_ONCE(kv_suspending, false);
		break;
	}
	return NOTIFY_DONE;
}

static struct notifier_block kv_pm_notifier = {
	.notifier_call = kv_pm_event,
};

int kv_runs_init(void)
{
	int rc;

	kv_wq = alloc_workqueue("kverbs", WQ_UNBOUND, 0);
	if (!kv_wq)
		return -ENOMEM;
	rc = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "kverbs:online",
				       NULL, kv_cpu_offline);
	if (rc < 0) {
		destroy_workqueue(kv_wq);
		return rc;
	}
	kv_cpuhp = rc;
	rc = register_pm_notifier(&kv_pm_notifier);
	if (rc) {
		cpuhp_remove_state_nocalls(kv_cpuhp);
		destroy_workqueue(kv_wq);
		return rc;
	}
	return 0;
}

/* netlink is gone and so are all devices: what is left only waits to be freed */
void kv_runs_exit(void)
{
	unsigned long index = 0;
	struct kv_run *run;

	unregister_pm_notifier(&kv_pm_notifier);
	cpuhp_remove_state_nocalls(kv_cpuhp);
	while ((run = xa_find(&kv_runs, &index, ULONG_MAX, XA_PRESENT)))
		kv_run_delete(run);
	destroy_workqueue(kv_wq);
	tracepoint_synchronize_unregister();
	xa_destroy(&kv_runs);
}
