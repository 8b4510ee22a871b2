/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The parts of the user engine: the opened port, one end of a connection with
 * its memory, QP and CQ, and the lane that drives an end.
 */
#ifndef KV_VERBS_H
#define KV_VERBS_H

#include <pthread.h>
#include <infiniband/verbs.h>
#include "device.h"
#include "reg.h"

struct rdma_cm_id;

/**
 * struct kv_port - the opened device and the port that a run uses
 * @context: NULL when closed
 * @pd: protection domain of the run
 * @facts: of the device
 * @device: attributes of the device
 * @attr: attributes of the port
 * @caps: what bounds a job on it
 * @number: of the port
 * @gid: GID of both ends
 * @gid_index: its index
 * @gid_type: enum ibv_gid_type
 * @grh: addresses carry a GRH
 * @cm: what connects QPs, NULL: verbs
 */
struct kv_port {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct kv_device_facts facts;
	struct ibv_device_attr device;
	struct ibv_port_attr attr;
	struct kv_caps caps;
	u8 number;
	union ibv_gid gid;
	u32 gid_index;
	u32 gid_type;
	u32 grh;
	struct kv_cm *cm;
};

/* port.c */
int kv_port_open(struct kv_port *port, const char *device, u32 number, struct kv_error *error);
int kv_port_gid(struct kv_port *port, u32 asked, u32 type, struct kv_error *error);
void kv_port_close(struct kv_port *port);

/**
 * struct kv_end - one end of a connection
 * @buffer: outgoing half, then incoming half
 * @half: bytes of one
 * @bytes: of @buffer, as it is mapped
 * @mr: over both
 * @more: likewise, MRs beside it
 * @nmore: entries of @more
 * @reg: memory that is registered for each operation
 * @mw: window over @mr, of exchanges
 * @td: thread domain, NULL without
 * @domain: parent domain that has it, else NULL
 * @cq_ex: @cq of the extended calls, else NULL
 * @vector: completion vector of its CQs
 * @psn: first packet sequence number it sends
 * @sq_depth: granted
 * @rq_depth: granted
 * @cq_depth: granted
 * @inline_data: granted
 * @send_sges: granted
 * @channel: of completion events, where the lane sleeps
 * @srq: of all of its receives, NULL: its QPs have their own
 * @spare: QPs beside @qp, where a lane has several
 * @nspare: entries of @spare
 * @cqs: CQ of each QP, the first being @cq, where each has its own, else NULL
 * @id: of rdma_cm, one for each QP that it connects
 * @nid: entries of @id
 */
struct kv_end {
	u8 *buffer;
	u64 half;
	size_t bytes;
	struct ibv_mr *mr;
	struct ibv_mr **more;
	u32 nmore;
	struct kv_reg reg;
	struct ibv_mw *mw;
	struct ibv_td *td;
	struct ibv_pd *domain;
	struct ibv_cq *cq;
	struct ibv_cq_ex *cq_ex;
	struct ibv_qp *qp;
	struct ibv_srq *srq;
	struct ibv_ah *ah;	/* of the peer, UD */
	struct ibv_comp_channel *channel;
	struct ibv_qp **spare;
	u32 nspare;
	struct ibv_cq **cqs;
	struct rdma_cm_id **id;
	u32 nid;
	u32 vector;
	u32 psn;
	u32 sq_depth;
	u32 rq_depth;
	u32 cq_depth;
	u32 inline_data;
	u32 send_sges;
};

/* memory.c */
u32 kv_access(const struct kv_job *job, u32 of);
int kv_memory_make(struct kv_end *end, const struct kv_port *port, const struct kv_job *job,
		   struct kv_error *error);
size_t kv_mr_bytes(const struct kv_device_facts *facts, size_t bytes);
struct ibv_mr *kv_memory_mr(const struct kv_end *end, u32 i);
void kv_memory_free(struct kv_end *end);

/* qp.c */
int kv_qp_make(struct kv_end *end, const struct kv_port *port, const struct kv_job *job,
	       struct kv_error *error);
struct ibv_cq *kv_qp_cq(struct kv_end *end, const struct kv_port *port, const struct kv_job *job);
int kv_qp_create(struct kv_end *end, const struct kv_port *port, const struct kv_job *job,
		 struct kv_error *error);
int kv_qp_to(struct kv_end *end, const struct kv_end *peer, const struct kv_port *port,
	     const struct kv_job *job, u32 state);
void kv_qp_number(struct kv_end *end);
int kv_qp_init(struct kv_end *end, const struct kv_port *port, const struct kv_job *job,
	       struct kv_error *error);
struct ibv_qp *kv_qp_at(const struct kv_end *end, u32 i);
int kv_qp_move(struct kv_end *end, u32 state);
void kv_qp_attr(struct ibv_qp_attr *attr, const struct kv_job *job);
int kv_qp_gid(const struct kv_end *end, u32 *index);
int kv_qp_connect(struct kv_end *end, const struct kv_end *peer, const struct kv_port *port,
		  const struct kv_job *job, struct kv_error *error);
int kv_qp_mask(u32 transport, u32 state);
u32 kv_qp_leave_srq(struct kv_end *end);
u32 kv_qp_state(struct kv_end *end);
void kv_qp_free(struct kv_end *end);

/* lane.c */
struct kv_lane;
struct kv_pair;

/* holds the lanes back until all of them are there */
struct kv_gate {
	pthread_mutex_t lock;
	pthread_cond_t moved;
	enum { KV_GATE_SHUT, KV_GATE_OPEN, KV_GATE_ABANDONED } state;
};

/**
 * struct kv_lane_plan - what a lane is made from
 * @job: as granted, outlives the lane
 * @ended: called by the lane's thread at its end
 * @owner: argument of @ended
 */
struct kv_lane_plan {
	const struct kv_job *job;
	const struct kv_clock_info *clock;
	const struct kv_port *port;
	struct kv_end *end;
	struct kv_end *peer;
	struct kv_pair *pair;
	struct kv_pair *other;	/* as in struct kv_loop */
	struct kv_gate *gate;
	void (*ended)(void *owner, struct kv_lane *lane);
	void *owner;
	u32 index;
	u32 role;
	u32 cpu;
};

/**
 * struct kv_lane_fate - how a lane ended
 * @reason: enum kverbs_reason
 * @err: -errno of the call that failed
 * @wr: number or wr_id of the WR concerned, or number of the message
 */
struct kv_lane_fate {
	u32 reason;
	int err;
	u64 wr;
	u32 wc_status;
	u32 vendor_err;
	u64 data_offset;
	u32 data_expected;
	u32 data_got;
	u64 data_found;
};

struct kv_pair *kv_pair_new(void);
struct kv_lane *kv_lane_new(const struct kv_lane_plan *plan, struct kv_error *error);
int kv_lane_fill(struct kv_lane *lane);
int kv_lane_start(struct kv_lane *lane);	/* 0 or errno */
void kv_lane_stop(struct kv_lane *lane, bool now);
void kv_lane_join(struct kv_lane *lane);
void kv_lane_broken(struct kv_lane *lane, const struct ibv_cq *cq);
void kv_lane_limit(struct kv_lane *lane, const struct ibv_srq *srq, bool broken);
void kv_lane_leave(struct kv_lane *lane);
void kv_lane_fate(const struct kv_lane *lane, struct kv_lane_fate *fate);
u32 kv_lane_index(const struct kv_lane *lane);
int kv_lane_result(const struct kv_lane *lane, struct kv_lane_result *result);
void kv_lane_free(struct kv_lane *lane);

#endif /* KV_VERBS_H */
