/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Run: one job on one device, with a life: NEW, READY, RUNNING, then DONE or
 * FAILED.
 *
 * Commands (from netlink) check the state, mark what is to be done and return.
 * The run's work item, which never runs twice at a time, does it: it alone
 * touches verbs objects and threads. A run is reached through the table of runs,
 * which holds a reference until the run is deleted; the work item holds one while
 * it is queued.
 */
#ifndef KV_RUN_H
#define KV_RUN_H

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>

#include "device.h"
#include "endpoint.h"
#include "lane.h"
#include "side.h"

struct dentry;

/**
 * struct kv_run_status - the part of a run that changes, read in one go
 * @state: enum kverbs_state
 * @reason: enum kverbs_reason
 * @err: -errno of the step, post or poll call that failed
 * @err_lane: lane of the error
 * @err_wr: WR of the error
 * @wc_status: of KVERBS_REASON_WC
 * @wc_vendor: likewise
 * @qp_state: state of the QP at the error
 * @peer_qp_state: of the QP at the other end, then
 * @data_offset: of KVERBS_REASON_DATA, as in struct kv_lane_end
 * @data_expected: likewise
 * @data_got: likewise
 * @data_found: likewise
 * @generation: changes when results do
 * @gid_type: enum ib_gid_type of the path
 * @where: step of set-up that failed, or empty
 */
struct kv_run_status {
	u32 state;
	u32 reason;
	int err;
	u32 err_lane;
	u64 err_wr;
	u32 wc_status;
	u32 wc_vendor;
	u32 qp_state;
	u32 peer_qp_state;
	u64 data_offset;
	u32 data_expected;
	u32 data_got;
	u64 data_found;
	u32 generation;
	u32 gid_type;
	char where[192];
};

/**
 * struct kv_run - run
 * @ref: table of runs, queued work, readers
 * @id: in the table of runs
 * @net: namespace of the owner, with a reference
 * @portid: netlink port of the owner
 * @dev: device, with a reference
 * @device: its name when the run was made
 * @job: as asked
 * @granted: as run; @ncpus entries of @cpu filled, nothing at KV_AUTO but node
 *	and gid_index, which is filled by connect, under @lock
 * @bytes: memory charged
 * @nlanes: entries of @lane
 * @lane: lanes
 * @nep: entries of @ep
 * @ep: endpoints, two a pair
 * @pd: protection domain
 * @path: the way back to the port
 * @shared: CQ of all endpoints, where the job says so
 * @inside: the run is inside its device
 * @running: lanes that have not ended
 * @todo: bits of enum kv_do
 * @work: does them
 * @expire: ends a run that takes longer than max_time_ms
 * @lock: guards @status, @busy, @deleted, @abort_reason, gid_index of @granted
 * @status: see above
 * @busy: a command is being done
 * @deleted: not in the table of runs any more
 * @abort_reason: enum kverbs_reason, why the run was ended from outside
 * @dir: debugfs folder
 * @queues: guards @shown, and keeps QPs and CQs while a reader looks at them
 * @shown: they are all there
 */
struct kv_run {
	struct kref ref;
	u32 id;
	struct net *net;
	u32 portid;
	struct kv_dev *dev;
	char device[IB_DEVICE_NAME_MAX];
	struct kv_job job;
	struct kv_job granted;
	u64 bytes;
	u32 nlanes;
	struct kv_lane *lane;
	u32 nep;
	struct kv_ep **ep;
	struct ib_pd *pd;
	struct kv_path path;
	struct kv_shared shared;
	bool inside;
	atomic_t running;
	unsigned long todo;
	struct work_struct work;
	struct delayed_work expire;
	spinlock_t lock;	/* status, busy, deleted, abort_reason */
	struct kv_run_status status;
	bool busy;
	bool deleted;
	u32 abort_reason;
	struct dentry *dir;
	struct mutex queues;	/* shown, and what a reader looks at */
	bool shown;
};

/**
 * struct kv_queues - QP and CQ of an endpoint, for people
 * @lane: that it is of, or that of its peer
 * @has_lane: it is that lane's own
 * @qpn: number of the QP
 * @peer_qpn: of the one at the other end
 * @state: enum ib_qp_state
 * @cq: id of the CQ
 * @cqe: its entries
 */
struct kv_queues {
	u32 lane;
	bool has_lane;
	u32 qpn;
	u32 peer_qpn;
	u32 state;
	u32 cq;
	u32 cqe;
};

/**
 * kv_run_new - make a run
 * @net: namespace of the owner
 * @portid: netlink port of the owner
 * @device: name of the device
 * @job: job as asked, fields within their ranges
 * @no: why it was refused, with a text in every case
 * Return: run with a reference for the caller, or ERR_PTR()
 */
struct kv_run *kv_run_new(struct net *net, u32 portid, const char *device,
			  const struct kv_job *job, struct kv_refusal *no);

/**
 * kv_run_find - find a run of this owner
 * @net: namespace of who asks
 * @portid: netlink port of who asks
 * @id: run
 * Return: run with a reference; ERR_PTR(-ENOENT); ERR_PTR(-EPERM) when it belongs
 *	to another socket
 */
struct kv_run *kv_run_find(struct net *net, u32 portid, u32 id);

/**
 * kv_run_next - walk the runs of an owner
 * @net: namespace of the owner
 * @portid: netlink port of the owner
 * @id: least id
 * Return: run with a reference, or NULL
 */
struct kv_run *kv_run_next(struct net *net, u32 portid, u32 id);

void kv_run_put(struct kv_run *run);

/* commands: 0, or -errno with a constant text in *why; none sleeps for long */
int kv_run_connect(struct kv_run *run, const char **why);
int kv_run_start(struct kv_run *run, const char **why);
int kv_run_stop(struct kv_run *run, const char **why);

/**
 * kv_run_delete - forget a run: it is unlinked now, and stopped and freed soon
 * @run: run; the caller keeps its reference
 */
void kv_run_delete(struct kv_run *run);

void kv_run_status(struct kv_run *run, struct kv_run_status *status);

/* parts of it: the whole is much to have on a stack */
u32 kv_run_state(struct kv_run *run);
u32 kv_run_generation(struct kv_run *run);

/**
 * kv_run_granted - a field of the job as it is run, for readers at any moment
 * @run: run
 * @field: which
 * @value: filled
 * Return: false when it has none, or none yet
 */
bool kv_run_granted(struct kv_run *run, const struct kv_field *field, u64 *value);

/**
 * kv_run_ended - has the run its results?
 * @run: run
 * Return: true when DONE or FAILED
 */
static inline bool kv_run_ended(struct kv_run *run)
{
	u32 state = kv_run_state(run);

	return state == KVERBS_STATE_DONE || state == KVERBS_STATE_FAILED;
}

/**
 * kv_run_lane_stat - counters of a lane, for readers at any moment
 * @run: run
 * @lane: below @nlanes
 * Return: counters, NULL before the run was READY
 */
const struct kv_stat *kv_run_lane_stat(struct kv_run *run, u32 lane);

/* likewise, its histogram of a metric, NULL where there is none */
const struct kv_hist *kv_run_lane_hist(struct kv_run *run, u32 lane,
				       u32 metric);

/**
 * kv_run_queues - look at the QP and the CQ of an endpoint; may sleep
 * @run: run
 * @i: below @nep
 * @nth: of its QPs, 0: the first
 * @queues: filled
 * Return: false when there is none: no such QP, not yet or not any more, or its
 *	lanes make and destroy them
 */
bool kv_run_queues(struct kv_run *run, u32 i, u32 nth, struct kv_queues *queues);

u32 kv_run_id(const struct kv_run *run);
u32 kv_run_shape(const struct kv_run *run);

/* a lane has ended, from its own thread; failed: the others are to stop */
void kv_run_lane_ended(struct kv_run *run, bool failed);

/* end runs from outside; none of these waits */
void kv_runs_abort_device(struct kv_dev *dev, u32 reason);
void kv_runs_delete_owner(struct net *net, u32 portid);

int kv_runs_init(void);
void kv_runs_exit(void);

#endif /* KV_RUN_H */
