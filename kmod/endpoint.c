// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Endpoints: creation, loopback connection, prebuilt WRs, teardown. */
#include <linux/delay.h>
#include <linux/etherdevice.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>

#include "endpoint.h"

#define KV_SETUP_MS	5000	/* longest wait for a WR of set-up */
#define KV_ID_MARKER	(~0ULL - 1)	/* wr_id of the teardown's WRs */

static const struct ib_gid_attr *kv_gid_best(struct ib_device *ibdev, u32 port,
					     u32 gids)
{
	const struct ib_gid_attr *attr, *best = NULL;
	u32 i, rank, best_rank = 0;

	for (i = 0; i < gids; i++) {
		attr = rdma_get_gid_attr(ibdev, port, i);
		if (IS_ERR(attr))
			continue;
		rank = kv_gid_rank(attr->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP,
				   attr->gid.raw);
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
	path->rd_atomic = min_t(u32, min(ibdev->attrs.max_qp_rd_atom,
					 ibdev->attrs.max_qp_init_rd_atom),
				KV_RD_ATOMIC_MAX);
	/* on IB loopback needs no GRH unless a GID was asked for */
	if (rdma_protocol_ib(ibdev, job->port) && job->gid_index == KV_AUTO)
		return 0;
	if (job->gid_index == KV_AUTO) {
		*where = "find a usable GID (give the port's interface an address)";
		path->gid_attr = kv_gid_best(ibdev, job->port,
					     attr.gid_tbl_len);
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
}

u64 kv_ep_bytes(const struct kv_job *job)
{
	return sizeof(struct kv_ep) +
	       (u64)job->outstanding * sizeof(union kv_wr) +
	       (u64)job->recv_depth * sizeof(struct ib_recv_wr);
}

struct kv_ep *kv_ep_create(struct ib_pd *pd, const struct kv_job *job,
			   const char **where)
{
	struct ib_cq_init_attr cq_attr = { .cqe = kv_job_cq_depth(job) };
	struct ib_qp_init_attr qp_attr = {
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.qp_type = IB_QPT_RC,
		.port_num = job->port,
		.cap = {
			.max_send_wr = job->outstanding + KV_MARKERS,
			.max_recv_wr = job->recv_depth + KV_MARKERS,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
	};
	int node = job->node == KV_AUTO ? ibdev_to_node(pd->device) : job->node;
	struct kv_ep *ep;
	int rc;

	*where = "allocate WRs";
	ep = kzalloc_node(sizeof(*ep), GFP_KERNEL, node);
	if (!ep)
		return ERR_PTR(-ENOMEM);
	ep->depth = job->outstanding;
	ep->recv_depth = job->recv_depth;
	ep->wait = job->wait;
	ep->clock = job->clock;
	ep->psn = get_random_u32() & 0xffffff;
	rc = -ENOMEM;
	ep->wr = kvcalloc(ep->depth, sizeof(*ep->wr), GFP_KERNEL);
	if (!ep->wr)
		goto fail;
	if (ep->recv_depth) {
		ep->rwr = kvcalloc(ep->recv_depth, sizeof(*ep->rwr),
				   GFP_KERNEL);
		if (!ep->rwr)
			goto fail;
	}
	rc = kv_buf_create(&ep->buf, pd, 2 * kv_job_half(job), node, where);
	if (rc)
		goto fail;
	if (job->local_key == KVERBS_LOCAL_KEY_DMA && !kv_buf_dma(&ep->buf)) {
		*where = "give local_dma_lkey one piece of memory; use --local-key mr";
		rc = -EMSGSIZE;
		goto fail;
	}
	*where = "create CQ";
	ep->cq = ib_create_cq(pd->device, NULL, NULL, NULL, &cq_attr);
	if (IS_ERR(ep->cq)) {
		rc = PTR_ERR(ep->cq);
		ep->cq = NULL;
		goto fail;
	}
	qp_attr.send_cq = ep->cq;
	qp_attr.recv_cq = ep->cq;
	*where = "create QP";
	ep->qp = ib_create_qp(pd, &qp_attr);
	if (IS_ERR(ep->qp)) {
		rc = PTR_ERR(ep->qp);
		ep->qp = NULL;
		goto fail;
	}
	ep->sq_depth = qp_attr.cap.max_send_wr;
	ep->rq_depth = qp_attr.cap.max_recv_wr;
	return ep;

fail:
	kv_ep_destroy(ep);
	return ERR_PTR(rc);
}

/* what a peer may do, to a QP and to an MR */
static int kv_access(const struct kv_job *job)
{
	return IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
	       IB_ACCESS_REMOTE_READ |
	       (kv_op_rules[job->step[0].op].atomic ? IB_ACCESS_REMOTE_ATOMIC : 0);
}

static int kv_ep_to_rts(struct kv_ep *ep, const struct kv_ep *peer,
			const struct kv_path *path, const struct kv_job *job,
			const char **where)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT,
		.port_num = path->port,
		.qp_access_flags = kv_access(job),
	};
	int rc;

	*where = "move QP to INIT";
	rc = ib_modify_qp(ep->qp, &attr, IB_QP_STATE | IB_QP_PKEY_INDEX |
			  IB_QP_PORT | IB_QP_ACCESS_FLAGS);
	if (rc)
		return rc;
	memset(&attr, 0, sizeof(attr));
	attr.qp_state = IB_QPS_RTR;
	attr.path_mtu = path->mtu;
	attr.dest_qp_num = peer->qp->qp_num;
	attr.rq_psn = peer->psn;
	attr.max_dest_rd_atomic = path->rd_atomic;
	attr.min_rnr_timer = KV_QP_MIN_RNR_TIMER;
	attr.ah_attr.type = rdma_ah_find_type(ep->qp->device, path->port);
	rdma_ah_set_port_num(&attr.ah_attr, path->port);
	if (path->gid_attr) {
		rdma_ah_set_grh(&attr.ah_attr,
				(union ib_gid *)&path->gid_attr->gid, 0,
				path->gid_attr->index, KV_QP_HOP_LIMIT, 0);
	}
	if (attr.ah_attr.type == RDMA_AH_ATTR_TYPE_ROCE)
		ether_addr_copy(attr.ah_attr.roce.dmac, path->dmac);
	else
		rdma_ah_set_dlid(&attr.ah_attr, path->lid);
	*where = "move QP to RTR";
	rc = ib_modify_qp(ep->qp, &attr, IB_QP_STATE | IB_QP_AV |
			  IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN |
			  IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER);
	if (rc)
		return rc;
	memset(&attr, 0, sizeof(attr));
	attr.qp_state = IB_QPS_RTS;
	attr.timeout = KV_QP_TIMEOUT;
	attr.retry_cnt = KV_QP_RETRY;
	attr.rnr_retry = KV_QP_RNR_RETRY;
	attr.sq_psn = ep->psn;
	attr.max_rd_atomic = path->rd_atomic;
	*where = "move QP to RTS";
	return ib_modify_qp(ep->qp, &attr, IB_QP_STATE | IB_QP_TIMEOUT |
			    IB_QP_RETRY_CNT | IB_QP_RNR_RETRY | IB_QP_SQ_PSN |
			    IB_QP_MAX_QP_RD_ATOMIC);
}

/* wait for the one WC that is due before any lane runs */
static int kv_ep_await(struct kv_ep *ep, const char **where)
{
	ktime_t end = ktime_add_ms(ktime_get(), KV_SETUP_MS);
	int rc;

	do {
		rc = ib_poll_cq(ep->cq, 1, ep->wc);
		if (rc < 0)
			return rc;
		if (rc && ep->wc->status != IB_WC_SUCCESS) {
			*where = ib_wc_status_msg(ep->wc->status);
			return -EIO;
		}
		if (rc)
			return 0;
		if (READ_ONCE(*ep->stop))
			return -EINTR;
		usleep_range(20, 100);
	} while (ktime_before(ktime_get(), end));
	return -ETIMEDOUT;
}

/* REG_MR of the endpoint's buffer, over its own QP */
static int kv_ep_register(struct kv_ep *ep, const struct kv_job *job,
			  const char **where)
{
	struct ib_reg_wr wr = {
		.wr = {
			.wr_id = KV_ID_MARKER,
			.opcode = IB_WR_REG_MR,
			.send_flags = IB_SEND_SIGNALED,
		},
		.mr = ep->buf.mr,
		.key = ep->buf.mr->rkey,
		.access = kv_access(job),
	};
	int rc;

	*where = "post REG_MR";
	rc = ib_post_send(ep->qp, &wr.wr, NULL);
	if (rc)
		return rc;
	*where = "wait for the completion of REG_MR";
	return kv_ep_await(ep, where);
}

static const enum ib_wr_opcode kv_opcodes[KV_OPS] = {
	[KVERBS_OP_WRITE] = IB_WR_RDMA_WRITE,
	[KVERBS_OP_READ] = IB_WR_RDMA_READ,
	[KVERBS_OP_SEND] = IB_WR_SEND,
	[KVERBS_OP_SEND_IMM] = IB_WR_SEND_WITH_IMM,
	[KVERBS_OP_WRITE_IMM] = IB_WR_RDMA_WRITE_WITH_IMM,
	[KVERBS_OP_CAS] = IB_WR_ATOMIC_CMP_AND_SWP,
	[KVERBS_OP_FADD] = IB_WR_ATOMIC_FETCH_AND_ADD,
};

/*
 * What reads fills the own incoming half from the peer's outgoing one. A
 * compare-and-swap compares with 0 and stores 0, so that each one stores.
 */
static void kv_ep_build_send(struct kv_ep *ep, union kv_wr *wr,
			     const struct kv_ep *peer, const struct kv_job *job)
{
	const struct kv_op_rule *op = &kv_op_rules[job->step[0].op];
	u64 remote = peer->buf.mr->iova + (op->reads ? 0 : kv_job_half(job));

	wr->wr.opcode = kv_opcodes[job->step[0].op];
	wr->wr.sg_list = &ep->sge;
	wr->wr.num_sge = job->step[0].size ? 1 : 0;
	if (op->imm)
		wr->wr.ex.imm_data = cpu_to_be32(KV_IMM);
	if (op->atomic) {
		wr->atomic.remote_addr = remote;
		wr->atomic.rkey = peer->buf.mr->rkey;
		wr->atomic.compare_add = job->step[0].op == KVERBS_OP_FADD;
	} else if (op->remote) {
		wr->rdma.remote_addr = remote;
		wr->rdma.rkey = peer->buf.mr->rkey;
	}
}

static void kv_ep_build(struct kv_ep *ep, const struct kv_ep *peer,
			const struct kv_job *job)
{
	bool dma = job->local_key == KVERBS_LOCAL_KEY_DMA;
	u64 local = dma ? kv_buf_dma(&ep->buf) : ep->buf.mr->iova;
	u32 lkey = dma ? ep->qp->pd->local_dma_lkey : ep->buf.mr->lkey;
	u32 size = job->step[0].size;
	u64 half = kv_job_half(job);
	u32 i;

	ep->sge = (struct ib_sge){ .addr = local, .length = size, .lkey = lkey };
	ep->rsge = ep->sge;
	ep->rsge.addr += half;
	if (kv_op_rules[job->step[0].op].reads)
		ep->sge.addr += half;
	for (i = 0; i < ep->depth; i++)
		kv_ep_build_send(ep, &ep->wr[i], peer, job);
	for (i = 0; i < ep->recv_depth; i++) {
		ep->rwr[i].wr_id = 1ULL << 63 | i;
		ep->rwr[i].sg_list = &ep->rsge;
		ep->rwr[i].num_sge = size ? 1 : 0;
		ep->rwr[i].next = &ep->rwr[i + 1 == ep->recv_depth ? 0 : i + 1];
	}
	/* tags are of operations with a payload */
	size = size ? size : 1;
	ep->stamp = kv_buf_byte(&ep->buf, size - 1, &ep->stamp_dma);
	ep->landing = kv_buf_byte(&ep->buf, half + size - 1, &ep->landing_dma);
}

/*
 * A driver may advertise what its kernel verbs refuse (atomics of mlx5): one WR
 * tells. It does to the peer's memory what those of the lane will do.
 */
static int kv_ep_probe(struct kv_ep *ep, const char **where)
{
	union kv_wr wr = ep->wr[0];
	int rc;

	wr.wr.wr_id = KV_ID_MARKER;
	wr.wr.next = NULL;
	wr.wr.send_flags = IB_SEND_SIGNALED;
	*where = "post a first atomic";
	rc = ib_post_send(ep->qp, &wr.wr, NULL);
	if (rc)
		return rc;
	*where = "wait for the completion of a first atomic";
	return kv_ep_await(ep, where);
}

int kv_ep_connect(struct kv_ep *a, struct kv_ep *b, const struct kv_path *path,
		  const struct kv_job *job, const char **where)
{
	int rc;

	rc = kv_ep_to_rts(a, b, path, job, where);
	if (rc)
		return rc;
	a->connected = true;
	rc = kv_ep_to_rts(b, a, path, job, where);
	if (rc)
		return rc;
	b->connected = true;
	rc = kv_ep_register(a, job, where);
	if (rc)
		return rc;
	rc = kv_ep_register(b, job, where);
	if (rc)
		return rc;
	kv_ep_build(a, b, job);
	kv_ep_build(b, a, job);
	return kv_op_rules[job->step[0].op].atomic ? kv_ep_probe(a, where) : 0;
}

void kv_ep_flush(struct kv_ep *ep)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };
	struct ib_rdma_wr swr = {
		.wr = {
			.wr_id = KV_ID_MARKER,
			.opcode = IB_WR_RDMA_WRITE,
			.send_flags = IB_SEND_SIGNALED,
		},
	};
	struct ib_recv_wr rwr = { .wr_id = KV_ID_MARKER };

	if (!ep->connected)
		return;
	if (ib_modify_qp(ep->qp, &attr, IB_QP_STATE))
		return;
	if (!ib_post_send(ep->qp, &swr.wr, NULL))
		ep->markers++;
	if (!ib_post_recv(ep->qp, &rwr, NULL))
		ep->markers++;
}

void kv_ep_reap(struct kv_ep *ep, ktime_t end)
{
	int got, i;

	while (ep->markers > 0 && ktime_before(ktime_get(), end)) {
		got = ib_poll_cq(ep->cq, KV_POLL_MAX, ep->wc);
		if (got < 0)
			return;
		for (i = 0; i < got; i++)
			ep->markers -= ep->wc[i].wr_id == KV_ID_MARKER;
		if (!got)
			usleep_range(20, 100);
	}
}

void kv_ep_destroy(struct kv_ep *ep)
{
	if (IS_ERR_OR_NULL(ep))
		return;
	if (ep->qp)
		ib_destroy_qp(ep->qp);
	if (ep->cq)
		ib_destroy_cq(ep->cq);
	kv_buf_destroy(&ep->buf);
	kvfree(ep->rwr);
	kvfree(ep->wr);
	kfree(ep);
}
