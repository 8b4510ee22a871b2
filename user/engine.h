/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Who runs a job: the kernel engine (the module, over generic netlink) and the
 * user engine (libibverbs) behind one interface, with one form of result.
 */
#ifndef KV_ENGINE_H
#define KV_ENGINE_H

#include <stdbool.h>
#include "side.h"

/**
 * struct kv_clock_info - the clock of a run
 * @name: how it is read
 * @mult: ns = ticks * mult >> shift
 * @shift: see @mult
 * @invariant: it runs at one rate on all CPUs; else "unsynchronised clock"
 * @cost: ticks of one reading
 * @unit: enum kv_unit: what a tick is shown as, by @mult and @shift
 */
struct kv_clock_info {
	char name[48];
	u32 mult;
	u32 shift;
	u32 invariant;
	u32 cost;
	u32 unit;
};

/* what figures are in; see unit.h */
enum kv_unit {
	KV_UNIT_NS,
	KV_UNIT_INSN,	/* a tick is an instruction */
	KV_UNITS,
};

/**
 * struct kv_rw_result - what the kernel's rdma_rw made of operations, warm-up and all
 * @single: of so many, one WR with one SGE
 * @multi: several WRs, or SGEs
 * @mr: REG_MR, and a WR
 * @wrs: WRs of all of them
 */
struct kv_rw_result {
	u64 single;
	u64 multi;
	u64 mr;
	u64 wrs;
};

/**
 * struct kv_lane_result - what one lane did
 * @rw: of --reg rw, else zero
 * @reason: enum kverbs_reason, how it ended by itself
 * @err: -errno, then
 * @err_wr: number of the WR on its queue, then
 * @wc_status: enum ibv_wc_status, then
 * @vendor_err: vendor syndrome, then
 * @hist: histograms in ticks, NULL where the role has none
 */
struct kv_lane_result {
	u32 index;
	u32 role;
	u32 cpu;
	u32 qpn;
	u32 peer_qpn;
	u32 sq_depth;
	u32 rq_depth;
	u32 cq_depth;
	u32 inline_data;
	struct kv_rw_result rw;
	u32 reason;
	int err;
	u64 err_wr;
	u32 wc_status;
	u32 vendor_err;
	struct kv_stat stat;
	struct kv_hist *hist[__KVERBS_METRIC_MAX];
};

#define KV_LANES_MAX	2048	/* two of each of the most pairs that a job may have */

/**
 * struct kv_result - what a run did, the same from both engines
 * @engine: name of the engine
 * @id: number of the run in the module, of its lanes' threads and its tracepoints; else 0
 * @device: name of the device
 * @software: the device is a software one (rxe, siw)
 * @state: enum kverbs_state
 * @reason: enum kverbs_reason
 * @err: -errno of the step, post or poll call that failed
 * @where: the step of set-up that failed, or empty
 * @err_lane: lane of the error
 * @err_wr: number of the WR of the error on its queue
 * @wc_status: enum ibv_wc_status, valid with KVERBS_REASON_WC
 * @vendor_err: vendor syndrome, likewise
 * @qp_state: enum ibv_qp_state at the error
 * @peer_qp_state: of the QP at the other end, then
 * @data_offset: first wrong byte of message @err_wr, with KVERBS_REASON_DATA
 * @data_expected: what it should be
 * @data_got: what it is
 * @data_found: number of the message that it was instead, else KV_DATA_NONE
 * @gid_type: 0 IB, 1 RoCE v1, 2 RoCE v2, as in both verbs
 * @bytes: memory of the run
 * @job: as asked
 * @granted: as run, no field left at KV_AUTO but node
 * @clock: clock of all ticks below
 * @nlanes: entries of @lane
 * @lane: owned by the result
 */
struct kv_result {
	const char *engine;
	u32 id;
	char device[64];
	u32 software;
	u32 state;
	u32 reason;
	int err;
	char where[64];
	u32 err_lane;
	u64 err_wr;
	u32 wc_status;
	u32 vendor_err;
	u32 qp_state;
	u32 peer_qp_state;
	u64 data_offset;
	u32 data_expected;
	u32 data_got;
	u64 data_found;
	u32 gid_type;
	u64 bytes;
	struct kv_job job;
	struct kv_job granted;
	struct kv_clock_info clock;
	u32 nlanes;
	struct kv_lane_result *lane;
};

#define KV_ERROR_TEXT	512

/* one clear line for people, and the exit status that goes with it */
struct kv_error {
	int status;		/* enum kv_exit */
	bool unimplemented;	/* by the driver of this engine; the other may have it */
	char text[KV_ERROR_TEXT];
};

enum kv_exit {
	KV_EXIT_GOOD = 0,
	KV_EXIT_MISSED = 1,
	KV_EXIT_USAGE = 2,
	KV_EXIT_ENVIRONMENT = 3,
	KV_EXIT_MEASUREMENT = 4,
	KV_EXIT_UNDECIDED = 5,
	KV_EXIT_INTERRUPTED = 130,
};

struct kv_run;		/* each engine's own */

/**
 * struct kv_engine - one engine
 * @name: "kernel" or "user"
 * @prepare: check the job on the device and make a run (NEW)
 * @connect: make QPs, CQs, MRs, buffers and connect them (READY)
 * @start: start the lanes (RUNNING); returns at once
 * @wait: wait up to timeout_ms: 1 when the run has ended, 0 when not yet
 * @stop: ask the lanes to end; @wait tells when they have
 * @result: what was measured, also of a failed run; freed by kv_result_free()
 * @peek: the same of a run under way, counters and histograms as they are; lanes go
 *	on meanwhile
 * @release: stop if need be, free the run; run may be NULL
 *
 * All return 0, or -1 with @kv_error filled. Call them in this order.
 */
struct kv_engine {
	const char *name;
	int (*prepare)(const char *device, const struct kv_job *job,
		       struct kv_run **run, struct kv_error *error);
	int (*connect)(struct kv_run *run, struct kv_error *error);
	int (*start)(struct kv_run *run, struct kv_error *error);
	int (*wait)(struct kv_run *run, int timeout_ms, struct kv_error *error);
	int (*stop)(struct kv_run *run, struct kv_error *error);
	int (*result)(struct kv_run *run, struct kv_result **result,
		      struct kv_error *error);
	int (*peek)(struct kv_run *run, struct kv_result **result,
		    struct kv_error *error);
	void (*release)(struct kv_run *run);
};

extern const struct kv_engine kv_engine_kernel;
extern const struct kv_engine kv_engine_user;

/* result.c */
struct kv_result *kv_result_new(u32 nlanes);
void kv_result_free(struct kv_result *result);

#endif /* KV_ENGINE_H */
