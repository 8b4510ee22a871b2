/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Lane: one kernel thread that runs the loop on one endpoint. What it measured
 * outlives its verbs objects.
 */
#ifndef KV_LANE_H
#define KV_LANE_H

#include <linux/completion.h>

#include "endpoint.h"
#include "side.h"

#define KV_CHAIN_BYTES	32	/* struct kv_chain, which only lane.c knows */

struct kv_loop;
struct kv_pair;
struct kv_run;

/**
 * struct kv_lane - lane
 * @run: run it belongs to
 * @index: place in the run
 * @role: enum kverbs_role
 * @cpu: CPU it is bound to
 * @loop: hot state, statistics and histograms; NULL before kv_lane_prepare()
 * @task: its thread while the run is RUNNING
 * @ended: the thread is through with the loop
 * @qpn: number of its QP
 * @peer_qpn: number of the QP at the other end
 * @sq_depth: granted WRs of the send queue
 * @rq_depth: granted WRs of the receive queue
 * @cq_depth: granted entries of the CQ
 * @inline_data: granted bytes of an inline message
 * @rw: what rdma_rw made of its operations, once it has ended
 * @stop: enum kv_lane_stop, written by anybody; nothing beside it changes
 *	while the lane runs
 */
struct kv_lane {
	struct kv_run *run;
	u32 index;
	u32 role;
	u32 cpu;
	struct kv_loop *loop;
	struct task_struct *task;
	struct completion ended;
	u32 qpn;
	u32 peer_qpn;
	u32 sq_depth;
	u32 rq_depth;
	u32 cq_depth;
	u32 inline_data;
	struct kv_rw_stat rw;
	u32 pmu;
	u32 stop;
};

/* how hard a lane is stopped: the loop's KV_STOP_*, which only lane.c includes */
enum kv_lane_stop {
	KV_LANE_GO,
	KV_LANE_FINISH,
	KV_LANE_ABANDON,
};

/**
 * kv_lane_prepare - allocate what the lane measures with
 * @lane: lane with @run, @index, @role and @cpu set
 * @job: checked job
 * @ep: its endpoint, connected
 * @peer: the endpoint at the other end
 * @other: the other lane of the pair if it is already prepared, else NULL
 * Return: 0 or -ENOMEM
 */
int kv_lane_prepare(struct kv_lane *lane, const struct kv_job *job,
		    struct kv_ep *ep, const struct kv_ep *peer,
		    struct kv_lane *other);

/**
 * kv_lane_face - tell two lanes that send to each other, and take what comes
 * @a: prepared lane
 * @b: the other of its pair
 */
void kv_lane_face(struct kv_lane *a, struct kv_lane *b);

/**
 * kv_lane_fill - post the receives of a lane that takes messages
 * @lane: prepared lane
 * Return: 0 or -errno
 */
int kv_lane_fill(struct kv_lane *lane);

/**
 * kv_lane_start - create the thread, bound to its CPU, and let it run
 * @lane: prepared lane
 *
 * At its end the lane calls kv_run_lane_ended(). kv_lane_join() must follow.
 *
 * Return: 0 or -errno
 */
int kv_lane_start(struct kv_lane *lane);

/**
 * kv_lane_stop - ask a lane to end
 * @lane: lane, in any state
 * @how: enum kv_lane_stop; never takes back a harder one
 */
void kv_lane_stop(struct kv_lane *lane, u32 how);

/**
 * kv_lane_join - wait for the thread, which has ended or been told to
 * @lane: lane
 */
void kv_lane_join(struct kv_lane *lane);

/**
 * kv_lane_free - free statistics and histograms
 * @lane: lane without a thread
 */
void kv_lane_free(struct kv_lane *lane);

/**
 * struct kv_lane_end - how a lane ended
 * @reason: enum kverbs_reason
 * @err: -errno of a post or poll call
 * @err_wr: WR concerned
 * @wc_status: of KVERBS_REASON_WC
 * @wc_vendor: likewise
 * @data_offset: of KVERBS_REASON_DATA: first wrong byte of message @err_wr
 * @data_expected: what it should be
 * @data_got: what it is
 * @data_found: message that it was instead, else KV_DATA_NONE
 */
struct kv_lane_end {
	u32 reason;
	int err;
	u64 err_wr;
	u32 wc_status;
	u32 wc_vendor;
	u64 data_offset;
	u32 data_expected;
	u32 data_got;
	u64 data_found;
};

/* of a lane without a thread; until then nobody is to be told */
void kv_lane_end(const struct kv_lane *lane, struct kv_lane_end *end);

/*
 * A figure of a lane that may be running. It counts by plain writes, as whatever it does
 * for a reader would be measured; who reads meanwhile has figures that need not agree.
 */
#define kv_glance(figure)	data_race(READ_ONCE(figure))

/**
 * kv_lane_stat - counters of a lane
 * @lane: lane
 * Return: counters for kv_glance() while the lane runs; NULL before it is prepared
 */
const struct kv_stat *kv_lane_stat(const struct kv_lane *lane);

/**
 * kv_lane_hist - histogram of a lane
 * @lane: lane
 * @metric: enum kverbs_metric
 * Return: histogram for kv_glance() while the lane runs, or NULL
 */
const struct kv_hist *kv_lane_hist(const struct kv_lane *lane, u32 metric);

#endif /* KV_LANE_H */
