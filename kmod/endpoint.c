// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Endpoints: creation, loopback connection, prebuilt WRs, teardown. */
#include <linux/delay.h>
#include <linux/etherdevice.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>

#include "cm.h"
#include "endpoint.h"
#include "place.h"
#include "trace.h"
#include "turn.h"

#define KV_SETUP_MS	5000	/* longest wait for a WR of set-up */

static u32 kv_ep_places(const struct kv_job *job)
{
	if (job->check_data || kv_job_aims(job))
		return job->outstanding + job->recv_depth;
	return kv_job_wrs(job) > 1 ? job->outstanding * kv_job_wrs(job) : 0;
}

/* send WRs that are made in advance: of all slots, or of an exchange */
static u64 kv_ep_wrs(const struct kv_job *job)
{
	return kv_job_exchanges(job) ? KV_EXCHANGE_ALL :
				       (u64)job->outstanding * kv_job_wrs(job);
}

/* the type of a GID is the one asked for, if any was */
static bool kv_gid_fits(const struct ib_gid_attr *attr, u32 type)
{
	bool v2 = attr->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP;

	return type == KV_AUTO || v2 == (type == KVERBS_GID_TYPE_V2);
}

static const struct ib_gid_attr *kv_gid_best(struct ib_device *ibdev, u32 port,
					     u32 gids, u32 type)
{
	const struct ib_gid_attr *attr, *best = NULL;
	u32 i, rank, best_rank = 0;

	for (i = 0; i < gids; i++) {
		attr = rdma_get_gid_attr(ibdev, port, i);
		if (IS_ERR(attr))
			continue;
		rank = kv_gid_fits(attr, type) ?
		       kv_gid_rank(attr->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP,
				   attr->gid.raw) : 0;
		if (rank > best_rank) {
			if (best)
				rdma_put_gid_attr(best);
			best = attr;
			best_rank = rank;
		} else {
			rdma_put_gid_attr(attr);
		}
	}
	return best ? best : ERR_PTR(-ENOENT);
}

int kv_path_open(struct kv_path *path, struct ib_device *ibdev,
		 struct kv_job *job, const char **where)
{
	struct ib_port_attr attr;
	int rc;

	memset(path, 0, sizeof(*path));
	path->port = job->port;
	*where = "query port";
	rc = ib_query_port(ibdev, job->port, &attr);
	if (rc)
		return rc;
	path->lid = attr.lid;
	path->mtu = ib_mtu_int_to_enum(job->mtu);
	/* rdma_cm finds the way itself */
	if (job->connect == KVERBS_CONNECT_CM)
		return 0;
	/* on IB loopback needs no GRH unless a GID was asked for */
	if (rdma_protocol_ib(ibdev, job->port) && job->gid_index == KV_AUTO)
		return 0;
	if (job->gid_index == KV_AUTO) {
		*where = "find a usable GID (give the port's interface an address)";
		path->gid_attr = kv_gid_best(ibdev, job->port,
					     attr.gid_tbl_len, job->gid_type);
	} else {
		*where = "get the GID of --gid-index (see /sys/class/infiniband)";
		path->gid_attr = rdma_get_gid_attr(ibdev, job->port,
						   job->gid_index);
	}
	if (IS_ERR(path->gid_attr)) {
		rc = PTR_ERR(path->gid_attr);
		path->gid_attr = NULL;
		return rc;
	}
	*where = "use this --gid-index, its GID is not of the --gid-type";
	if (!kv_gid_fits(path->gid_attr, job->gid_type))
		return -EINVAL;
	job->gid_index = path->gid_attr->index;
	if (!rdma_protocol_roce(ibdev, job->port))
		return 0;
	*where = "read the MAC of the GID";
	return rdma_read_gid_l2_fields(path->gid_attr, NULL, path->dmac);
}

void kv_path_close(struct kv_path *path)
{
	if (path->gid_attr)
		rdma_put_gid_attr(path->gid_attr);
	path->gid_attr = NULL;
	kv_cm_close(path);
}

u64 kv_ep_bytes(const struct kv_job *job)
{
	return sizeof(struct kv_ep) +
	       kv_ep_wrs(job) * sizeof(union kv_wr) +
	       (u64)job->recv_depth * sizeof(struct ib_recv_wr) +
	       (job->lane_qps > 1 ? job->outstanding + job->lane_qps : 0) *
	       sizeof(struct ib_qp *) +
	       (job->cq == KVERBS_CQ_QP ? job->lane_qps + 1 : 0) *
	       sizeof(struct ib_cq *) +
	       kv_context_bytes(job) + kv_cm_bytes(job) +
	       2ULL * job->sges * sizeof(struct ib_sge) +
	       (u64)kv_ep_places(job) * sizeof(struct ib_sge) +
	       (kv_job_registers(job) ? job->outstanding : 0) *
	       sizeof(struct ib_mr *) +
	       /* an MR has a list of the pages that it covers */
	       (kv_job_aims(job) ? job->mrs : 0) *
	       (sizeof(struct kv_keys) + sizeof(struct ib_mr *) +
		(PAGE_ALIGN(2 * kv_job_half(job)) >> PAGE_SHIFT) * sizeof(u64)) +
	       (kv_job_maps(job) || kv_job_rw(job) ? job->outstanding : 0) *
	       sizeof(struct kv_buf) + kv_rw_bytes(job);
}

/* what differs between transports on the way to RTS: attributes by ib_qp_attr_mask */
static const struct {
	enum ib_qp_type type;
	int init;
	int rtr;
	int rts;
} kv_qp_rules[KV_TRANSPORTS] = {
	[KVERBS_TRANSPORT_RC] = {
		IB_QPT_RC,
		IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_ACCESS_FLAGS,
		IB_QP_STATE | IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN |
			IB_QP_RQ_PSN | IB_QP_MAX_DEST_RD_ATOMIC |
			IB_QP_MIN_RNR_TIMER,
		IB_QP_STATE | IB_QP_TIMEOUT | IB_QP_RETRY_CNT |
			IB_QP_RNR_RETRY | IB_QP_SQ_PSN | IB_QP_MAX_QP_RD_ATOMIC,
	},
	[KVERBS_TRANSPORT_UC] = {
		IB_QPT_UC,
		IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_ACCESS_FLAGS,
		IB_QP_STATE | IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN |
			IB_QP_RQ_PSN,
		IB_QP_STATE | IB_QP_SQ_PSN,
	},
	[KVERBS_TRANSPORT_UD] = {
		IB_QPT_UD,
		IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_QKEY,
		IB_QP_STATE,
		IB_QP_STATE | IB_QP_SQ_PSN,
	},
};

/*
 * How many inline bytes the driver grants: it says no more than "no" to those
 * that are too many. Below the ones refused, by halving.
 */
static u32 kv_inline_limit(struct ib_pd *pd, struct ib_qp_init_attr *attr,
			   u32 refused)
{
	struct ib_qp_cap cap = attr->cap;
	u32 good = 0, middle;
	struct ib_qp *qp;

	while (refused - good > 1) {
		middle = good + (refused - good) / 2;
		attr->cap = cap;
		attr->cap.max_inline_data = middle;
		qp = ib_create_qp(pd, attr);
		if (IS_ERR(qp)) {
			refused = middle;
		} else {
			good = middle;
			ib_destroy_qp(qp);
		}
	}
	return good;
}

void kv_ep_number(struct kv_ep *ep)
{
	ep->psn = get_random_u32() & 0xffffff;
}

u32 kv_ep_slot(const struct kv_ep *ep, u64 wr_id)
{
	u32 slot;

	div_u64_rem(wr_id, ep->depth, &slot);
	return slot;
}

const struct ib_qp *kv_ep_qp_of(const struct kv_ep *ep, u64 wr_id)
{
	if (!ep->turn)
		return ep->qp;
	if (wr_id & KV_ID_RECV)
		return kv_ep_qp_at(ep, min(kv_recv_ring(wr_id), ep->nspare));
	return ep->turn[kv_ep_slot(ep, wr_id)];
}

void kv_ep_qp_attr(const struct kv_ep *ep, const struct kv_job *job,
		   struct ib_qp_init_attr *attr)
{
	*attr = (struct ib_qp_init_attr) {
		.send_cq = ep->cq,
		.recv_cq = ep->cq,
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.qp_type = kv_qp_rules[job->transport].type,
		.port_num = job->port,
		.cap = {
			.max_send_wr = kv_job_sq_depth(job),
			.max_recv_wr = kv_job_ring_depth(job) + KV_MARKERS,
			.max_send_sge = job->sges,
			.max_recv_sge = job->sges,
			.max_inline_data = job->inline_data,
		},
	};
	kv_srq_join(ep, attr);
	kv_rw_caps(ep, job, &attr->cap);
}

int kv_ep_make_qp(struct kv_ep *ep, struct ib_pd *pd, const struct kv_job *job,
		  struct kv_refusal *no, const char **where)
{
	struct ib_qp_init_attr attr;
	struct ib_qp_cap asked;
	u32 limit = 0;
	int rc;

	kv_ep_qp_attr(ep, job, &attr);
	asked = attr.cap;
	*where = "create QP";
	ep->qp = ib_create_qp(pd, &attr);
	if (!IS_ERR(ep->qp) && attr.cap.max_inline_data >= job->inline_data) {
		ep->sq_depth = attr.cap.max_send_wr;
		if (!ep->srq)
			ep->rq_depth = attr.cap.max_recv_wr;
		ep->inline_data = attr.cap.max_inline_data;
		ep->send_sges = attr.cap.max_send_sge;
		kv_rw_granted(job, ep->qp);
		return 0;
	}
	rc = PTR_ERR_OR_ZERO(ep->qp);
	if (!rc) {
		limit = attr.cap.max_inline_data;
		ib_destroy_qp(ep->qp);
	}
	ep->qp = NULL;
	if (!job->inline_data)
		return rc;
	attr.cap = asked;
	if (rc)
		limit = kv_inline_limit(pd, &attr, job->inline_data);
	kv_refuse(no, KVERBS_JOB_A_INLINE_DATA,
		  "inline %u: the driver grants up to %u bytes to this QP; use a smaller -I, or leave it out",
		  job->inline_data, limit);
	*where = no->text;
	return -EINVAL;
}

struct kv_ep *kv_ep_create(struct ib_pd *pd, const struct kv_job *job, u32 role,
			   u32 lane, struct kv_shared *shared,
			   struct kv_refusal *no, const char **where)
{
	int node = job->node == KV_AUTO ? ibdev_to_node(pd->device) : job->node;
	struct kv_ep *ep;
	int rc;

	*where = "allocate WRs";
	ep = kzalloc_node(sizeof(*ep), GFP_KERNEL, node);
	if (!ep)
		return ERR_PTR(-ENOMEM);
	ep->role = role;
	ep->lane = lane;
	ep->vector = kv_job_vector(job, lane, pd->device->num_comp_vectors);
	ep->depth = job->outstanding;
	ep->wrs = kv_job_wrs(job);
	ep->stride = ep->wrs * sizeof(*ep->wr);
	ep->recv_depth = job->recv_depth;
	ep->ring_depth = kv_job_ring_depth(job);
	ep->wait = job->wait;
	ep->clock = job->clock;
	ep->apart = job->lane_qps > 1 || kv_job_rw(job);
	kv_ep_number(ep);
	ep->flags[0] = job->inline_data ? IB_SEND_INLINE : 0;
	ep->flags[1] = ep->flags[0] | IB_SEND_SIGNALED;
	rc = -ENOMEM;
	ep->sge = kcalloc(2 * job->sges, sizeof(*ep->sge), GFP_KERNEL);
	if (!ep->sge)
		goto fail;
	ep->wr = kvcalloc(kv_ep_wrs(job), sizeof(*ep->wr), GFP_KERNEL);
	if (!ep->wr)
		goto fail;
	ep->tail = ep->wr + ep->wrs - 1;
	if (ep->recv_depth) {
		ep->rwr = kvcalloc(ep->recv_depth, sizeof(*ep->rwr),
				   GFP_KERNEL);
		if (!ep->rwr)
			goto fail;
	}
	if (kv_ep_places(job)) {
		ep->places = kvcalloc(kv_ep_places(job), sizeof(*ep->places),
				      GFP_KERNEL);
		if (!ep->places)
			goto fail;
	}
	rc = kv_buf_create(&ep->buf, pd, 2 * kv_job_half(job), job, node, where);
	if (rc)
		goto fail;
	if (job->local_key == KVERBS_LOCAL_KEY_DMA && !kv_buf_dma(&ep->buf)) {
		*where = "give local_dma_lkey one piece of memory; use --local-key mr";
		rc = -EMSGSIZE;
		goto fail;
	}
	rc = kv_place_mrs(ep, pd, job, where);
	if (rc)
		goto fail;
	rc = kv_context_open(ep, pd->device, job, shared, no, where);
	if (rc)
		goto fail;
	rc = kv_srq_open(ep, pd, job, where);
	if (rc)
		goto fail;
	rc = kv_ep_make_qp(ep, pd, job, no, where);
	if (rc)
		goto fail;
	return ep;

fail:
	kv_ep_destroy(ep);
	return ERR_PTR(rc);
}

static_assert((u32)KV_ACCESS_LOCAL_WRITE == IB_ACCESS_LOCAL_WRITE);
static_assert((u32)KV_ACCESS_REMOTE_WRITE == IB_ACCESS_REMOTE_WRITE);
static_assert((u32)KV_ACCESS_REMOTE_READ == IB_ACCESS_REMOTE_READ);
static_assert((u32)KV_ACCESS_REMOTE_ATOMIC == IB_ACCESS_REMOTE_ATOMIC);

static void kv_path_address(const struct kv_path *path, const struct kv_job *job,
			    struct ib_device *ibdev, struct rdma_ah_attr *ah)
{
	ah->type = rdma_ah_find_type(ibdev, path->port);
	rdma_ah_set_port_num(ah, path->port);
	rdma_ah_set_sl(ah, job->sl);
	if (path->gid_attr)
		rdma_ah_set_grh(ah, (union ib_gid *)&path->gid_attr->gid, 0,
				path->gid_attr->index, job->hop_limit,
				job->traffic_class);
	if (ah->type == RDMA_AH_ATTR_TYPE_ROCE)
		ether_addr_copy(ah->roce.dmac, path->dmac);
	else
		rdma_ah_set_dlid(ah, path->lid);
}

int kv_ep_modify(const struct kv_ep *ep, struct ib_qp *qp,
		 struct ib_qp_attr *attr, int mask)
{
	int rc = ib_modify_qp(qp, attr, mask);

	trace_kverbs_qp_state(ep, qp, attr->qp_state, rc);
	return rc;
}

int kv_ep_qp_to(const struct kv_ep *ep, struct ib_qp *qp,
		enum ib_qp_state state, const struct kv_wire *wire,
		const struct kv_path *path, const struct kv_job *job)
{
	struct ib_qp_attr attr = { .qp_state = state };
	int mask = IB_QP_STATE;

	switch (state) {
	case IB_QPS_INIT:
		attr.port_num = path->port;
		attr.pkey_index = job->pkey_index;
		attr.qkey = KV_QKEY;
		attr.qp_access_flags = kv_job_access(job, KV_ACCESS_OF_QP);
		mask = kv_qp_rules[job->transport].init;
		break;
	case IB_QPS_RTR:
		attr.path_mtu = path->mtu;
		attr.dest_qp_num = wire->dest_qpn;
		attr.rq_psn = wire->rq_psn;
		attr.max_dest_rd_atomic = job->rd_atomic;
		attr.min_rnr_timer = job->min_rnr_timer;
		kv_path_address(path, job, qp->device, &attr.ah_attr);
		mask = kv_qp_rules[job->transport].rtr;
		break;
	case IB_QPS_RTS:
		attr.timeout = job->timeout;
		attr.retry_cnt = job->retry_cnt;
		attr.rnr_retry = job->rnr_retry;
		attr.sq_psn = wire->sq_psn;
		attr.max_rd_atomic = job->rd_atomic;
		mask = kv_qp_rules[job->transport].rts;
		break;
	default:
		break;
	}
	return kv_ep_modify(ep, qp, &attr, mask);
}

int kv_ep_to(struct kv_ep *ep, enum ib_qp_state state,
	     const struct kv_wire *wire, const struct kv_path *path,
	     const struct kv_job *job)
{
	return kv_ep_qp_to(ep, ep->qp, state, wire, path, job);
}

int kv_ep_qp_to_rts(const struct kv_ep *ep, struct ib_qp *qp,
		    const struct kv_wire *wire, const struct kv_path *path,
		    const struct kv_job *job, const char **where)
{
	int rc;

	*where = "move QP to INIT";
	rc = kv_ep_qp_to(ep, qp, IB_QPS_INIT, wire, path, job);
	if (rc)
		return rc;
	*where = "move QP to RTR";
	rc = kv_ep_qp_to(ep, qp, IB_QPS_RTR, wire, path, job);
	if (rc)
		return rc;
	*where = "move QP to RTS";
	return kv_ep_qp_to(ep, qp, IB_QPS_RTS, wire, path, job);
}

void kv_ep_wire(const struct kv_ep *ep, const struct kv_ep *peer,
		struct kv_wire *wire)
{
	wire->dest_qpn = peer->qp->qp_num;
	wire->rq_psn = peer->psn;
	wire->sq_psn = ep->psn;
}

static int kv_ep_join(struct kv_ep *ep, const struct kv_ep *peer,
		      const struct kv_path *path, const struct kv_job *job,
		      const char **where)
{
	struct kv_wire wire;

	kv_ep_wire(ep, peer, &wire);
	return kv_ep_to_rts(ep, &wire, path, job, where);
}

static int kv_ep_join_both(struct kv_ep *a, struct kv_ep *b,
			   const struct kv_path *path, const struct kv_job *job,
			   const char **where)
{
	int rc;

	if (path->cm) {
		rc = kv_cm_connect(a, a->qp, b, b->qp, path, job, where);
		if (rc)
			return rc;
		a->connected = true;
		b->connected = true;
		return 0;
	}
	rc = kv_ep_join(a, b, path, job, where);
	if (rc)
		return rc;
	a->connected = true;
	rc = kv_ep_join(b, a, path, job, where);
	if (rc)
		return rc;
	b->connected = true;
	return 0;
}

/* UD: the way to the peer is an object of its own */
static int kv_ep_address(struct kv_ep *ep, const struct kv_path *path,
			 const struct kv_job *job, const char **where)
{
	struct rdma_ah_attr attr = { };
	struct ib_ah *ah;

	if (!kv_transport_rules[job->transport].datagram)
		return 0;
	*where = "create address handle";
	kv_path_address(path, job, ep->qp->device, &attr);
	ah = rdma_create_ah(ep->qp->pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
	if (IS_ERR(ah))
		return PTR_ERR(ah);
	ep->ah = ah;
	return 0;
}

int kv_ep_await(struct kv_ep *ep, const char **where)
{
	ktime_t end = ktime_add_ms(ktime_get(), KV_SETUP_MS);
	int rc;

	ep->marks++;
	do {
		rc = kv_context_marked(ep);
		if (rc < 0)
			return rc;
		if (rc == ep->marks && ep->marked_status != IB_WC_SUCCESS) {
			*where = ib_wc_status_msg(ep->marked_status);
			return -EIO;
		}
		if (rc == ep->marks)
			return 0;
		if (READ_ONCE(*ep->stop))
			return -EINTR;
		usleep_range(20, 100);
	} while (ktime_before(ktime_get(), end));
	return -ETIMEDOUT;
}

int kv_ep_register(struct kv_ep *over, struct ib_mr *mr,
		   const struct kv_job *job, u32 of, const char **where)
{
	struct ib_reg_wr wr = {
		.wr = {
			.opcode = IB_WR_REG_MR,
			.send_flags = IB_SEND_SIGNALED,
		},
		.mr = mr,
		.key = mr->rkey,
		.access = kv_job_access(job, of),
	};
	int rc;

	*where = "post REG_MR";
	kv_context_mark_send(over, &wr.wr);
	rc = ib_post_send(over->qp, &wr.wr, NULL);
	if (rc)
		return rc;
	trace_kverbs_mr_reg(over, mr, wr.key);
	*where = "wait for the completion of REG_MR";
	return kv_ep_await(over, where);
}

/* all MRs over the buffer of an endpoint */
static int kv_ep_register_all(struct kv_ep *over, struct kv_ep *ep,
			      const struct kv_job *job, const char **where)
{
	int rc = kv_ep_register(over, ep->buf.mr, job, KV_ACCESS_OF_BUFFER,
				where);
	u32 i;

	for (i = 0; i < ep->nmore && !rc; i++)
		rc = kv_ep_register(over, ep->more[i], job,
				    KV_ACCESS_OF_BUFFER, where);
	return rc;
}

static const enum ib_wr_opcode kv_opcodes[KV_OPS] = {
	[KVERBS_OP_WRITE] = IB_WR_RDMA_WRITE,
	[KVERBS_OP_READ] = IB_WR_RDMA_READ,
	[KVERBS_OP_SEND] = IB_WR_SEND,
	[KVERBS_OP_SEND_IMM] = IB_WR_SEND_WITH_IMM,
	[KVERBS_OP_WRITE_IMM] = IB_WR_RDMA_WRITE_WITH_IMM,
	[KVERBS_OP_CAS] = IB_WR_ATOMIC_CMP_AND_SWP,
	[KVERBS_OP_FADD] = IB_WR_ATOMIC_FETCH_AND_ADD,
	[KVERBS_OP_SEND_INV] = IB_WR_SEND_WITH_INV,
	[KVERBS_OP_REG_MR] = IB_WR_REG_MR,
	[KVERBS_OP_LOCAL_INV] = IB_WR_LOCAL_INV,
	[KVERBS_OP_READ_INV] = IB_WR_RDMA_READ_WITH_INV,
	[KVERBS_OP_ATOMIC_WRITE] = KV_WR_ATOMIC_WRITE,
};

/*
 * What reads fills the own incoming half from the peer's outgoing one. A
 * compare-and-swap compares with 0 and stores 0, so that each one stores.
 */
static void kv_ep_build_send(struct kv_ep *ep, union kv_wr *wr, u32 op_of,
			     const struct kv_ep *peer, const struct kv_job *job)
{
	const struct kv_op_rule *op = &kv_op_rules[op_of];
	u64 remote = peer->buf.mr->iova + (op->reads ? 0 : kv_job_half(job));

	wr->wr.opcode = kv_opcodes[op_of];
	wr->wr.sg_list = ep->sge;
	wr->wr.num_sge = kv_job_sges(job);
	if (op->imm)
		wr->wr.ex.imm_data = cpu_to_be32(KV_IMM);
	if (op->atomic) {
		wr->atomic.remote_addr = remote;
		wr->atomic.rkey = peer->buf.mr->rkey;
		wr->atomic.compare_add = op_of == KVERBS_OP_FADD;
	} else if (op->remote) {
		wr->rdma.remote_addr = remote;
		wr->rdma.rkey = peer->buf.mr->rkey;
	} else if (ep->ah) {
		wr->ud.ah = ep->ah;
		wr->ud.remote_qpn = peer->qp->qp_num;
		wr->ud.remote_qkey = KV_QKEY;
	}
}

/* the pieces of a message, of which the first has what comes before it */
static void kv_ep_split(struct ib_sge *sge, u64 addr, u32 before, u32 lkey,
			const struct kv_job *job)
{
	u32 i;

	for (i = 0; i < job->sges; i++) {
		sge[i].addr = addr;
		sge[i].length = kv_job_piece(job, i) + (i ? 0 : before);
		sge[i].lkey = lkey;
		addr += sge[i].length;
	}
}

static void kv_ep_build(struct kv_ep *ep, const struct kv_ep *peer,
			const struct kv_job *job)
{
	u32 head = kv_transport_rules[job->transport].datagram ? KV_GRH_BYTES : 0;
	bool dma = job->local_key == KVERBS_LOCAL_KEY_DMA;
	u64 local = dma ? kv_buf_dma(&ep->buf) : ep->buf.mr->iova;
	u32 lkey = dma ? ep->qp->pd->local_dma_lkey : ep->buf.mr->lkey;
	u32 size = kv_job_size(job);
	u64 half = kv_job_half(job), send = local, ignored;
	u32 i;

	if (kv_job_rule(job)->reads)
		send += half;
	/* what is sent inline the CPU reads */
	if (job->inline_data)
		send = (uintptr_t)kv_buf_byte(&ep->buf, 0, &ignored);
	kv_ep_split(ep->sge, send, 0, lkey, job);
	kv_ep_split(ep->sge + job->sges, local + half, head, lkey, job);
	for (i = 0; i < ep->depth * ep->wrs; i++)
		kv_ep_build_send(ep, &ep->wr[i], kv_job_wr_op(job, i % ep->wrs),
				 peer, job);
	for (i = 0; i < ep->recv_depth; i++) {
		u32 ring = i / ep->ring_depth, slot = i % ep->ring_depth;

		kv_context_recv_id(ep, i, &ep->rwr[i], kv_recv_id(ring, slot));
		ep->rwr[i].sg_list = ep->sge + job->sges;
		ep->rwr[i].num_sge = head && !size ? 1 : kv_job_sges(job);
		ep->rwr[i].next = slot + 1 == ep->ring_depth ?
				  &ep->rwr[ring * ep->ring_depth] :
				  &ep->rwr[i + 1];
	}
	/* tags are of operations with a payload, and of transports without a head */
	size = size ? size : 1;
	ep->stamp = kv_buf_byte(&ep->buf, size - 1, &ep->stamp_dma);
	ep->landing = kv_buf_byte(&ep->buf, half + size - 1, &ep->landing_dma);
}

/* data is checked: each WR has a place of its own at both ends */
static void kv_ep_place(struct kv_ep *ep, const struct kv_ep *peer,
			const struct kv_job *job)
{
	u64 stride = kv_job_stride(job), half = kv_job_half(job);
	struct ib_sge *sge = ep->places;
	u32 i;

	if (!job->check_data)
		return;
	for (i = 0; i < ep->depth; i++, sge++) {
		*sge = ep->sge[0];
		sge->addr += i * stride;
		ep->wr[i].wr.sg_list = sge;
		if (!kv_job_two_sided(job))
			ep->wr[i].rdma.remote_addr += i * stride;
	}
	for (i = 0; i < ep->recv_depth; i++, sge++) {
		*sge = ep->sge[job->sges];
		sge->addr += i * stride;
		ep->rwr[i].sg_list = sge;
	}
	ep->area[KV_AREA_OUT].buf = &ep->buf;
	ep->area[KV_AREA_IN].buf = &ep->buf;
	ep->area[KV_AREA_IN].offset = half;
	ep->area[KV_AREA_PEER_OUT].buf = &peer->buf;
	ep->area[KV_AREA_PEER_IN].buf = &peer->buf;
	ep->area[KV_AREA_PEER_IN].offset = half;
}

/* an MR for each slot: of what it sends, or of what it reads into */
static int kv_ep_own_mrs(struct kv_ep *ep, const struct kv_job *job,
			 const char **where)
{
	u64 size = kv_job_stride(job);
	u64 offset = kv_job_rule(job)->reads ? kv_job_half(job) : 0;
	u32 pages, i;
	struct ib_mr *mr;
	int rc;

	if (kv_job_maps(job) || kv_job_rw(job))
		return kv_reg_open(ep, job, where);
	if (!kv_job_registers(job))
		return 0;
	pages = kv_mr_entries(ep->qp->device,
			      (PAGE_ALIGN(size) >> PAGE_SHIFT) + 1);
	*where = "allocate the MRs of operations";
	ep->mr = kvcalloc(ep->depth, sizeof(*ep->mr), GFP_KERNEL);
	if (!ep->mr)
		return -ENOMEM;
	rc = kv_buf_list(&ep->buf, offset, kv_job_covered(job), &ep->region);
	if (rc)
		return rc;
	for (i = 0; i < ep->depth; i++) {
		mr = ib_alloc_mr(ep->qp->pd, IB_MR_TYPE_MEM_REG, pages);
		if (IS_ERR(mr))
			return PTR_ERR(mr);
		ep->mr[i] = mr;
		rc = ib_map_mr_sg(mr, ep->region.sgl, ep->region.nents, NULL,
				  PAGE_SIZE);
		if (rc != ep->region.nents)
			return rc < 0 ? rc : -EINVAL;
	}
	return 0;
}

/* the WRs of a slot, where there are several: chains, MRs, a place each */
static void kv_ep_step(struct kv_ep *ep, const struct kv_ep *peer,
		       const struct kv_job *job, u32 slot, u32 i)
{
	union kv_wr *wr = &ep->wr[slot * ep->wrs + i];
	u32 op = kv_job_wr_op(job, i), size = kv_job_wr_size(job, i);
	/* without one, that of an operation is known when it is mapped */
	struct ib_mr *mr = ep->mr ? ep->mr[slot] : NULL;
	struct ib_sge *sge;

	wr->wr.wr_id = KV_EP_ID_STEP | i;
	wr->wr.next = kv_job_wr_ends(job, i) ? NULL : &wr[1].wr;
	wr->wr.send_flags = kv_job_wr_ends(job, i) ? IB_SEND_SIGNALED : 0;
	wr->wr.num_sge = 0;
	if (kv_op_moves(op) && size) {
		sge = &ep->places[slot * ep->wrs + i];
		sge->addr = ep->sge[0].addr;
		sge->lkey = ep->sge[0].lkey;
		/* of several steps some may read, and some not */
		if (kv_op_rules[op].reads != kv_job_rule(job)->reads)
			sge->addr += kv_op_rules[op].reads ? kv_job_half(job) :
							     -kv_job_half(job);
		if (mr && (kv_op_rules[op].mr == KV_MR_LEFT ||
			   op == KVERBS_OP_READ_INV)) {
			sge->addr = mr->iova;
			sge->lkey = mr->lkey;
		}
		sge->length = size;
		wr->wr.sg_list = sge;
		wr->wr.num_sge = 1;
	}
	switch (op) {
	case KVERBS_OP_REG_MR:
		wr->reg.access = kv_job_access(job, KV_ACCESS_OF_IO);
		if (mr) {
			wr->reg.mr = mr;
			wr->reg.key = mr->rkey;
		}
		break;
	case KVERBS_OP_LOCAL_INV:
		if (mr)
			wr->wr.ex.invalidate_rkey = mr->rkey;
		/* what uses the MR is to be through with it */
		if (i && kv_op_moves(kv_job_wr_op(job, i - 1)))
			wr->wr.send_flags |= IB_SEND_FENCE;
		break;
	case KVERBS_OP_READ_INV:
		if (mr)
			wr->wr.ex.invalidate_rkey = mr->rkey;
		break;
	case KVERBS_OP_SEND_INV:
		wr->wr.ex.invalidate_rkey = peer->mr[slot]->rkey;
		break;
	}
}

static void kv_ep_steps(struct kv_ep *ep, const struct kv_ep *peer,
			const struct kv_job *job)
{
	u32 slot, i;

	if ((ep->wrs == 1 && !ep->mr) || kv_job_exchanges(job))
		return;
	for (slot = 0; slot < ep->depth; slot++) {
		for (i = 0; i < ep->wrs; i++)
			kv_ep_step(ep, peer, job, slot, i);
	}
	/* the last one is made ready for each post */
	ep->flags[0] = ep->tail->wr.send_flags & ~IB_SEND_SIGNALED;
	ep->flags[1] = ep->flags[0] | IB_SEND_SIGNALED;
	if (kv_job_rule(job)->mr == KV_MR_TAKEN)
		ep->rkey = ep->mr[0]->rkey;
}

/* MRs that an operation finds registered, or a peer's message invalidates first */
static int kv_ep_begin(struct kv_ep *a, struct kv_ep *b,
		       const struct kv_job *job, const char **where)
{
	u32 first = kv_op_rules[job->step[0].op].mr, i;
	int rc;

	if (kv_job_rule(job)->mr == KV_MR_TAKEN)
		return kv_ep_register(b, b->mr[0], job, KV_ACCESS_OF_IO, where);
	for (i = 0; first > KV_MR_REGISTERED && i < a->depth; i++) {
		rc = kv_ep_register(a, a->mr[i], job, KV_ACCESS_OF_IO, where);
		if (rc)
			return rc;
	}
	return 0;
}

/*
 * A driver may advertise what its kernel verbs refuse (atomics of mlx5), or take and
 * send without address and key (ATOMIC_WRITE of rxe): one WR tells. It does to the
 * peer's memory what those of the lane will do.
 */
static int kv_ep_probe(struct kv_ep *ep, const struct kv_job *job,
		       const char **where)
{
	const struct kv_op_rule *op = &kv_op_rules[job->step[0].op];
	union kv_wr wr;
	u32 i = 0;
	int rc;

	while (!op->atomic && !op->placement)
		op = &kv_op_rules[job->step[++i].op];
	wr = ep->wr[i];
	kv_context_mark_send(ep, &wr.wr);
	wr.wr.next = NULL;
	wr.wr.send_flags = ep->flags[1];
	*where = op->atomic ? "post a first atomic" : "post a first ATOMIC_WRITE";
	rc = ib_post_send(ep->qp, &wr.wr, NULL);
	if (rc)
		return rc;
	*where = op->atomic ? "wait for the completion of a first atomic" :
			      "wait for the completion of a first ATOMIC_WRITE";
	rc = kv_ep_await(ep, where);
	if (rc == -EIO && !op->atomic)
		*where =
			"complete a first ATOMIC_WRITE as asked; use --engine user";
	return rc;
}

int kv_ep_connect(struct kv_ep *a, struct kv_ep *b, const struct kv_path *path,
		  const struct kv_job *job, struct kv_ep *helper,
		  const char **where)
{
	int rc;

	rc = kv_ep_join_both(a, b, path, job, where);
	if (rc)
		return rc;
	rc = kv_turn_connect(a, b, path, job, where);
	if (rc)
		return rc;
	rc = kv_ep_address(a, path, job, where);
	if (rc)
		return rc;
	rc = kv_ep_address(b, path, job, where);
	if (rc)
		return rc;
	rc = kv_ep_register_all(helper ? helper : a, a, job, where);
	if (rc)
		return rc;
	rc = kv_ep_register_all(helper ? helper : b, b, job, where);
	if (rc)
		return rc;
	rc = kv_ep_own_mrs(a, job, where);
	if (rc)
		return rc;
	if (kv_shape_rules[job->shape].answers && !kv_job_exchanges(job))
		rc = kv_ep_own_mrs(b, job, where);
	if (rc)
		return rc;
	kv_ep_build(a, b, job);
	kv_ep_build(b, a, job);
	kv_ep_place(a, b, job);
	kv_ep_place(b, a, job);
	kv_place_build(a, b, job);
	kv_place_build(b, a, job);
	kv_ep_steps(a, b, job);
	/* an end that answers nothing posts nothing */
	if (kv_shape_rules[job->shape].answers)
		kv_ep_steps(b, a, job);
	kv_exchange_build(a, b, job);
	rc = kv_ep_begin(a, b, job, where);
	if (rc)
		return rc;
	return kv_job_probes(job) ? kv_ep_probe(a, job, where) : 0;
}

struct kv_ep *kv_ep_helper(struct ib_pd *pd, const struct kv_path *path,
			   const struct kv_job *job, u32 *stop,
			   const char **where)
{
	static const struct kv_job plain = KV_JOB_INIT;
	static const struct kv_caps caps = { .max_rd_atomic = 1 };
	struct kv_refusal no;
	struct kv_job *own;
	struct kv_ep *ep;
	int rc;

	/* too large for a stack */
	own = kmemdup(&plain, sizeof(plain), GFP_KERNEL);
	if (!own)
		return ERR_PTR(-ENOMEM);
	own->port = job->port;
	own->mtu = job->mtu;
	own->node = job->node;
	own->outstanding = 1;
	own->recv_depth = 0;
	kv_job_check_acks(own, &caps, &no);
	ep = kv_ep_create(pd, own, KVERBS_ROLE_INITIATOR, 0, NULL, &no,
			  where);
	if (!IS_ERR(ep)) {
		ep->stop = stop;
		rc = kv_ep_join(ep, ep, path, own, where);
		if (rc) {
			kv_ep_destroy(ep);
			ep = ERR_PTR(rc);
		}
	}
	kfree(own);
	return ep;
}

void kv_ep_flush(struct kv_ep *ep)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };
	union kv_wr swr = {
		.wr = {
			.opcode = ep->ah ? IB_WR_SEND : IB_WR_RDMA_WRITE,
			.send_flags = IB_SEND_SIGNALED,
		},
	};
	struct ib_recv_wr rwr = { };

	if (!ep->connected)
		return;
	/* drivers look into what a WR of UD names */
	if (ep->qp->qp_type == IB_QPT_UD) {
		if (!ep->ah)
			return;
		swr.ud.ah = ep->ah;
		swr.ud.remote_qpn = ep->qp->qp_num;
		swr.ud.remote_qkey = KV_QKEY;
	}
	kv_turn_flush(ep);
	if (kv_ep_modify(ep, ep->qp, &attr, IB_QP_STATE))
		return;
	kv_srq_flush(ep);
	kv_context_mark_send(ep, &swr.wr);
	kv_context_mark_recv(ep, &rwr);
	if (!ib_post_send(ep->qp, &swr.wr, NULL))
		ep->marks++;
	if (!ep->srq && !ib_post_recv(ep->qp, &rwr, NULL))
		ep->marks++;
}

void kv_ep_reap(struct kv_ep *ep, ktime_t end)
{
	int came = kv_context_marked(ep);

	while (came >= 0 && (came < ep->marks || kv_srq_waits(ep)) &&
	       ktime_before(ktime_get(), end)) {
		usleep_range(20, 100);
		came = kv_context_marked(ep);
	}
}

void kv_ep_destroy_qp(struct kv_ep *ep)
{
	if (IS_ERR_OR_NULL(ep))
		return;
	kv_reg_put(ep);
	kv_cm_leave(ep);
	kv_turn_destroy(ep);
	if (ep->qp)
		ib_destroy_qp(ep->qp);
	ep->qp = NULL;
}

void kv_ep_destroy(struct kv_ep *ep)
{
	bool closed;
	u32 i;

	if (IS_ERR_OR_NULL(ep))
		return;
	kv_ep_destroy_qp(ep);
	kv_srq_close(ep);
	kv_reg_close(ep);
	if (ep->ah)
		rdma_destroy_ah(ep->ah, RDMA_DESTROY_AH_SLEEPABLE);
	closed = kv_context_close(ep);
	for (i = 0; ep->mr && i < ep->depth; i++) {
		if (ep->mr[i])
			ib_dereg_mr(ep->mr[i]);
	}
	kvfree(ep->mr);
	if (ep->region.sgl)
		sg_free_table(&ep->region);
	kv_place_free(ep);
	kv_buf_destroy(&ep->buf);
	kvfree(ep->places);
	kvfree(ep->rwr);
	kvfree(ep->wr);
	kfree(ep->sge);
	if (!closed)
		return;
	/* rxe's tasklet may still be raising an event of the CQ that is gone */
	kfree_rcu(ep, rcu);
}
