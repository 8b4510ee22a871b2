// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * QPs and CQs. The attributes are those of the module's QPs: a difference here
 * would be one of the measurement.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include "cm.h"
#include "placement.h"
#include "verbs.h"
#include "kverbs.h"

static int fail(struct kv_error *error, const char *call, int err)
{
	return kv_error_set(error, KV_EXIT_ENVIRONMENT, "%s: %s", call, kv_setup_errno(err));
}

/* what differs between transports on the way to RTS: attributes by ibv_qp_attr_mask */
static const struct {
	enum ibv_qp_type type;
	int init;
	int rtr;
	int rts;
} rules[KV_TRANSPORTS] = {
	[KVERBS_TRANSPORT_RC] = {
		IBV_QPT_RC,
		IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
		IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
		IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC,
	},
	[KVERBS_TRANSPORT_UC] = {
		IBV_QPT_UC,
		IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
		IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN,
		IBV_QP_STATE | IBV_QP_SQ_PSN,
	},
	[KVERBS_TRANSPORT_UD] = {
		IBV_QPT_UD,
		IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY,
		IBV_QP_STATE,
		IBV_QP_STATE | IBV_QP_SQ_PSN,
	},
};

/* what an operation needs of the extended calls: enum ibv_qp_create_send_ops_flags */
static const u64 send_ops[KV_OPS] = {
	[KVERBS_OP_WRITE] = IBV_QP_EX_WITH_RDMA_WRITE,
	[KVERBS_OP_READ] = IBV_QP_EX_WITH_RDMA_READ,
	[KVERBS_OP_SEND] = IBV_QP_EX_WITH_SEND,
	[KVERBS_OP_SEND_IMM] = IBV_QP_EX_WITH_SEND_WITH_IMM,
	[KVERBS_OP_WRITE_IMM] = IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM,
	[KVERBS_OP_CAS] = IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP,
	[KVERBS_OP_FADD] = IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD,
	[KVERBS_OP_ATOMIC_WRITE] = KV_IBV_WITH_ATOMIC_WRITE,
	[KVERBS_OP_FLUSH] = KV_IBV_WITH_FLUSH,
};

/* a thread domain, and a PD that has it: the provider leaves its locks out */
static int make_domain(struct kv_end *end, const struct kv_port *port, struct kv_error *error)
{
	struct ibv_td_init_attr thread = { 0 };
	struct ibv_parent_domain_init_attr parent = { .pd = port->pd };

	end->td = ibv_alloc_td(port->context, &thread);
	parent.td = end->td;
	end->domain = end->td ? ibv_alloc_parent_domain(port->context, &parent) : NULL;
	if (end->domain)
		return 0;
	if (errno == EOPNOTSUPP)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "thread-domain: the provider has none; leave it out");
	return fail(error, end->td ? "alloc_parent_domain" : "alloc_td", errno);
}

/* ibv_create_qp(), or the same with the extended calls */
static struct ibv_qp *new_qp(const struct kv_end *end, const struct kv_port *port,
			     const struct kv_job *job, struct ibv_qp_init_attr *init)
{
	struct ibv_pd *pd = end->domain ? end->domain : port->pd;
	struct ibv_qp_init_attr_ex wide = {
		.send_cq = init->send_cq,
		.recv_cq = init->recv_cq,
		.srq = init->srq,
		.cap = init->cap,
		.qp_type = init->qp_type,
		.sq_sig_all = init->sq_sig_all,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = pd,
	};
	struct ibv_qp *qp;
	u32 i;

	if (job->api != KVERBS_API_WR)
		return ibv_create_qp(pd, init);
	for (i = 0; i < kv_job_wrs(job); i++)
		wide.send_ops_flags |= send_ops[kv_job_wr_op(job, i)];
	qp = ibv_create_qp_ex(port->context, &wide);
	init->cap = wide.cap;
	return qp;
}

/* the provider has not got the extended calls, or not for this */
static int lacks_wr(const struct kv_job *job, struct kv_error *error)
{
	return kv_error_set(error, KV_EXIT_USAGE,
			    "api wr: the provider has no extended calls for %s over %s: %s; use --api post",
			    kv_op_name(job->step[kv_job_main(job)].op),
			    kv_transport_name(job->transport), strerror(errno));
}

static bool not_supported(const struct kv_job *job)
{
	return job->api == KVERBS_API_WR && errno == EOPNOTSUPP;
}

/* the CQ of an end; NULL with errno */
struct ibv_cq *kv_qp_cq(struct kv_end *end, const struct kv_port *port, const struct kv_job *job)
{
	struct ibv_cq_init_attr_ex wide = {
		.cqe = kv_job_cq_depth(job),
		.channel = end->channel,
		.comp_vector = end->vector,
	};

	if (job->thread_domain) {
		wide.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS;
		wide.flags = IBV_CREATE_CQ_ATTR_SINGLE_THREADED;
	}
	if (job->api != KVERBS_API_WR && !job->thread_domain)
		return ibv_create_cq(port->context, (int)kv_job_cq_depth(job), NULL, end->channel,
				     (int)end->vector);
	end->cq_ex = ibv_create_cq_ex(port->context, &wide);
	return end->cq_ex ? ibv_cq_ex_to_cq(end->cq_ex) : NULL;
}

/*
 * How many inline bytes the provider grants: it says no more than "no" to those
 * that are too many. Below the ones refused, by halving.
 */
static u32 inline_limit(const struct kv_end *end, const struct kv_port *port,
			const struct kv_job *job, const struct ibv_qp_init_attr *asked)
{
	u32 refused = job->inline_data, good = 0;
	struct ibv_qp_init_attr init;
	struct ibv_qp *qp;

	while (refused - good > 1) {
		init = *asked;
		init.cap.max_inline_data = good + (refused - good) / 2;
		qp = new_qp(end, port, job, &init);
		if (qp) {
			good += (refused - good) / 2;
			ibv_destroy_qp(qp);
		} else {
			refused = good + (refused - good) / 2;
		}
	}
	return good;
}

/* one SRQ for the receives of all QPs of an end */
static int make_srq(struct kv_end *end, const struct kv_port *port, const struct kv_job *job,
		    struct kv_error *error)
{
	struct ibv_srq_init_attr init = {
		.attr = { .max_wr = job->recv_depth, .max_sge = job->sges },
	};

	if (!job->srq)
		return 0;
	end->srq = ibv_create_srq(port->pd, &init);
	if (!end->srq)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT,
				    "create_srq of %u WRs: %s; use a smaller -r, or leave --srq out",
				    job->recv_depth, strerror(errno));
	end->rq_depth = init.attr.max_wr;
	return 0;
}

static struct ibv_qp_init_attr qp_attr(const struct kv_end *end, const struct kv_job *job)
{
	return (struct ibv_qp_init_attr) {
		.send_cq = end->cq,
		.recv_cq = end->cq,
		.srq = end->srq,
		.qp_type = rules[job->transport].type,
		.sq_sig_all = 0,
		.cap = {
			.max_send_wr = kv_job_sq_depth(job),
			.max_recv_wr = end->srq ? 0 : kv_job_ring_depth(job) + KV_MARKERS,
			.max_send_sge = job->sges,
			.max_recv_sge = end->srq ? 0 : job->sges,
			.max_inline_data = job->inline_data,
		},
	};
}

/**
 * kv_qp_create - make the QP of an end
 * @end: with a CQ
 * @port: opened, with a PD
 * @job: as granted
 * @error: filled on failure
 * Return: 0, or -1
 */
int kv_qp_create(struct kv_end *end, const struct kv_port *port, const struct kv_job *job,
		 struct kv_error *error)
{
	struct ibv_qp_init_attr init, asked = qp_attr(end, job);

	init = asked;
	end->qp = new_qp(end, port, job, &init);
	if (!end->qp && not_supported(job))
		return lacks_wr(job, error);
	if (!end->qp && !job->inline_data)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT,
				    "create_qp with %u send and %u receive WRs: %s; use a smaller -t, -r or -q",
				    asked.cap.max_send_wr, asked.cap.max_recv_wr,
				    strerror(errno));
	if (!end->qp || init.cap.max_inline_data < job->inline_data)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "inline %u: the provider grants up to %u bytes to this QP; use a smaller -I, or leave it out",
				    job->inline_data,
				    end->qp ? init.cap.max_inline_data :
				    inline_limit(end, port, job, &asked));
	end->sq_depth = init.cap.max_send_wr;
	if (!end->srq)
		end->rq_depth = init.cap.max_recv_wr;
	end->inline_data = init.cap.max_inline_data;
	end->send_sges = init.cap.max_send_sge;
	return 0;
}

/* reading it never blocks: whoever waits has a deadline */
static int create_channel(struct kv_end *end, const struct kv_port *port, struct kv_error *error)
{
	int flags;

	end->channel = ibv_create_comp_channel(port->context);
	if (!end->channel)
		return fail(error, "create_comp_channel", errno);
	flags = fcntl(end->channel->fd, F_GETFL);
	if (flags < 0 || fcntl(end->channel->fd, F_SETFL, flags | O_NONBLOCK))
		return fail(error, "completion channel: O_NONBLOCK", errno);
	return 0;
}

static int moderate(struct kv_end *end, const struct kv_job *job, struct kv_error *error)
{
	struct ibv_modify_cq_attr attr = {
		.attr_mask = IBV_CQ_ATTR_MODERATE,
		.moderate = {
			.cq_count = (u16)job->cq_count,
			.cq_period = (u16)job->cq_period_us,
		},
	};
	int rc;

	if (job->cq_count == KV_AUTO)
		return 0;
	rc = ibv_modify_cq(end->cq, &attr);
	if (rc == EOPNOTSUPP)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "cq-count %u: the provider cannot moderate completion events; leave it out",
				    job->cq_count);
	return rc ? fail(error, "modify_cq", rc) : 0;
}

static u32 mtu_enum(u32 bytes)
{
	u32 mtu = IBV_MTU_256;

	while (mtu < IBV_MTU_4096 && (128U << mtu) < bytes)
		mtu++;
	return mtu;
}

/* the way to the peer, which is on the same port */
static void address(const struct kv_port *port, const struct kv_job *job, struct ibv_ah_attr *ah)
{
	ah->dlid = port->attr.lid;
	ah->sl = (u8)job->sl;
	ah->port_num = port->number;
	ah->is_global = port->grh;
	ah->grh.dgid = port->gid;
	ah->grh.sgid_index = (u8)port->gid_index;
	ah->grh.hop_limit = (u8)job->hop_limit;
	ah->grh.traffic_class = (u8)job->traffic_class;
}

/* move a QP of an end, of which the peer's is the other end, to a state: 0 or errno */
static int move_qp(struct ibv_qp *qp, const struct ibv_qp *to, const struct kv_end *end,
		   const struct kv_end *peer, const struct kv_port *port,
		   const struct kv_job *job, u32 state)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	switch (state) {
	case IBV_QPS_INIT:
		attr.pkey_index = (u16)job->pkey_index;
		attr.port_num = port->number;
		attr.qkey = KV_QKEY;
		attr.qp_access_flags = kv_job_access(job, KV_ACCESS_OF_QP);
		return ibv_modify_qp(qp, &attr, rules[job->transport].init);
	case IBV_QPS_RTR:
		attr.path_mtu = mtu_enum(job->mtu);
		attr.dest_qp_num = to->qp_num;
		attr.rq_psn = peer->psn;
		attr.max_dest_rd_atomic = (u8)job->rd_atomic;
		attr.min_rnr_timer = (u8)job->min_rnr_timer;
		address(port, job, &attr.ah_attr);
		return ibv_modify_qp(qp, &attr, rules[job->transport].rtr);
	case IBV_QPS_RTS:
		attr.timeout = (u8)job->timeout;
		attr.retry_cnt = (u8)job->retry_cnt;
		attr.rnr_retry = (u8)job->rnr_retry;
		attr.sq_psn = end->psn;
		attr.max_rd_atomic = (u8)job->rd_atomic;
		return ibv_modify_qp(qp, &attr, rules[job->transport].rts);
	default:
		return ibv_modify_qp(qp, &attr, IBV_QP_STATE);
	}
}

/**
 * kv_qp_to - move the QP of an end to a state
 * @end: with a QP
 * @peer: in INIT or later, where @state is RTR
 * @port: opened, GID settled
 * @job: as granted
 * @state: RESET, INIT, RTR, RTS or ERR, as the states follow each other
 * Return: 0 or errno
 */
int kv_qp_to(struct kv_end *end, const struct kv_end *peer, const struct kv_port *port,
	     const struct kv_job *job, u32 state)
{
	return move_qp(end->qp, peer ? peer->qp : NULL, end, peer, port, job, state);
}

/**
 * kv_qp_init - move the QP of an end from RESET to INIT
 * @end: with a QP
 * @port: opened
 * @job: as granted
 * @error: filled on failure
 * Return: 0, or -1
 */
int kv_qp_init(struct kv_end *end, const struct kv_port *port, const struct kv_job *job,
	       struct kv_error *error)
{
	int rc = kv_qp_to(end, NULL, port, job, IBV_QPS_INIT);

	return rc ? fail(error, "modify_qp to INIT", rc) : 0;
}

/* draw another first PSN */
void kv_qp_number(struct kv_end *end)
{
	if (getrandom(&end->psn, sizeof(end->psn), GRND_NONBLOCK) != sizeof(end->psn))
		end->psn += end->qp ? end->qp->qp_num : 0x10000;
	end->psn &= 0xffffff;
}

/* to RESET or ERR; 0 or errno */
int kv_qp_move(struct kv_end *end, u32 state)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	return ibv_modify_qp(end->qp, &attr, IBV_QP_STATE);
}

/* QPs beside the first, of a lane that has several */
static int make_spares(struct kv_end *end, const struct kv_port *port, const struct kv_job *job,
		       struct kv_error *error)
{
	struct ibv_qp_init_attr init;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	int rc;

	if (job->lane_qps == 1)
		return 0;
	end->spare = calloc(job->lane_qps, sizeof(*end->spare));
	if (job->cq == KVERBS_CQ_QP)
		end->cqs = calloc(job->lane_qps + 1, sizeof(*end->cqs));
	if (!end->spare || (job->cq == KVERBS_CQ_QP && !end->cqs))
		return fail(error, "QPs of a lane", ENOMEM);
	if (end->cqs)
		end->cqs[0] = end->cq;
	while (end->nspare + 1 < job->lane_qps) {
		init = qp_attr(end, job);
		if (end->cqs) {
			cq = kv_qp_cq(end, port, job);
			if (!cq)
				return fail(error, "create_cq of a QP of a lane", errno);
			end->cqs[end->nspare + 1] = cq;
			init.send_cq = cq;
			init.recv_cq = cq;
		}
		qp = new_qp(end, port, job, &init);
		if (!qp)
			return kv_error_set(error, KV_EXIT_ENVIRONMENT,
					    "create_qp, number %u of %u of a lane: %s; use a smaller --lane-qps",
					    end->nspare + 2, job->lane_qps, strerror(errno));
		end->spare[end->nspare++] = qp;
		if (job->connect == KVERBS_CONNECT_CM)
			continue;
		rc = move_qp(qp, NULL, end, NULL, port, job, IBV_QPS_INIT);
		if (rc)
			return fail(error, "modify_qp to INIT", rc);
	}
	return 0;
}

/* a QP of an end, the first being 0 */
struct ibv_qp *kv_qp_at(const struct kv_end *end, u32 i)
{
	return i ? end->spare[i - 1] : end->qp;
}

/**
 * kv_qp_make - make the CQ and the QPs of an end
 * @end: filled
 * @port: opened, with a PD
 * @job: as granted
 * @error: filled on failure
 * Return: 0, or -1; kv_qp_free() undoes what was done either way
 */
int kv_qp_make(struct kv_end *end, const struct kv_port *port, const struct kv_job *job,
	       struct kv_error *error)
{
	if (job->thread_domain && make_domain(end, port, error))
		return -1;
	if (kv_context_rules[job->context].sleeps && create_channel(end, port, error))
		return -1;
	end->cq = kv_qp_cq(end, port, job);
	if (!end->cq && not_supported(job))
		return lacks_wr(job, error);
	if (!end->cq)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT, "create_cq of %u entries: %s",
				    kv_job_cq_depth(job), strerror(errno));
	end->cq_depth = (u32)end->cq->cqe;
	if (moderate(end, job, error) || make_srq(end, port, job, error) ||
	    kv_qp_create(end, port, job, error))
		return -1;
	kv_qp_number(end);
	/* rdma_cm says with what it goes to INIT */
	if (job->connect != KVERBS_CONNECT_CM && kv_qp_init(end, port, job, error))
		return -1;
	return make_spares(end, port, job, error);
}

/**
 * kv_qp_connect - connect the QPs of an end to those of its peer
 * @end: in INIT
 * @peer: in INIT or later, on the same port
 * @port: opened, GID settled
 * @job: as granted
 * @error: filled on failure
 * Return: 0 with @end in RTS, or -1
 */
int kv_qp_connect(struct kv_end *end, const struct kv_end *peer, const struct kv_port *port,
		  const struct kv_job *job, struct kv_error *error)
{
	struct ibv_ah_attr ah = { 0 };
	u32 i;
	int rc;

	for (i = 0; i <= end->nspare; i++) {
		rc = move_qp(kv_qp_at(end, i), kv_qp_at(peer, i), end, peer, port, job,
			     IBV_QPS_RTR);
		if (rc)
			return fail(error, "modify_qp to RTR", rc);
		rc = move_qp(kv_qp_at(end, i), NULL, end, peer, port, job, IBV_QPS_RTS);
		if (rc)
			return fail(error, "modify_qp to RTS", rc);
	}
	if (!kv_transport_rules[job->transport].datagram)
		return 0;
	address(port, job, &ah);
	end->ah = ibv_create_ah(port->pd, &ah);
	return end->ah ? 0 : fail(error, "create_ah", errno);
}

/* attributes that are the job's, in place of what rdma_cm has for a QP */
void kv_qp_attr(struct ibv_qp_attr *attr, const struct kv_job *job)
{
	attr->qp_access_flags = kv_job_access(job, KV_ACCESS_OF_QP);
	attr->ah_attr.sl = (u8)job->sl;
	attr->ah_attr.grh.hop_limit = (u8)job->hop_limit;
	attr->ah_attr.grh.traffic_class = (u8)job->traffic_class;
	attr->path_mtu = mtu_enum(job->mtu);
	attr->max_dest_rd_atomic = (u8)job->rd_atomic;
	attr->min_rnr_timer = (u8)job->min_rnr_timer;
	attr->timeout = (u8)job->timeout;
	attr->retry_cnt = (u8)job->retry_cnt;
	attr->rnr_retry = (u8)job->rnr_retry;
	attr->max_rd_atomic = (u8)job->rd_atomic;
}

/* index of the GID that the QP has: 0, or errno */
int kv_qp_gid(const struct kv_end *end, u32 *index)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	int rc = ibv_query_qp(end->qp, &attr, IBV_QP_AV, &init);

	*index = attr.ah_attr.grh.sgid_index;
	return rc;
}

/* attributes that a modify to @state passes, enum ibv_qp_attr_mask */
int kv_qp_mask(u32 transport, u32 state)
{
	switch (state) {
	case IBV_QPS_INIT:
		return rules[transport].init;
	case IBV_QPS_RTR:
		return rules[transport].rtr;
	default:
		return rules[transport].rts;
	}
}

/* state of the QP, enum ibv_qp_state; of several the first that is not in RTS */
u32 kv_qp_state(struct kv_end *end)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTS };
	u32 i;

	if (!end->qp)
		return IBV_QPS_UNKNOWN;
	for (i = 0; i <= end->nspare && attr.qp_state == IBV_QPS_RTS; i++) {
		if (ibv_query_qp(kv_qp_at(end, i), &attr, IBV_QP_STATE, &init))
			return IBV_QPS_UNKNOWN;
	}
	return attr.qp_state;
}

/* QPs of an end that are to say that they take no more receives of its SRQ */
u32 kv_qp_leave_srq(struct kv_end *end)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	u32 n = 0, i;

	if (!end->srq || !end->qp)
		return 0;
	for (i = 0; i <= end->nspare; i++)
		n += !ibv_modify_qp(kv_qp_at(end, i), &attr, IBV_QP_STATE);
	return n;
}

void kv_qp_free(struct kv_end *end)
{
	kv_cm_leave(end);
	/* one that is still bound holds the QP, which rxe then waits for in vain */
	if (end->mw)
		ibv_dealloc_mw(end->mw);
	end->mw = NULL;
	/* the last one may have a CQ and be none */
	if (end->cqs && end->cqs[end->nspare + 1])
		ibv_destroy_cq(end->cqs[end->nspare + 1]);
	while (end->nspare) {
		ibv_destroy_qp(end->spare[--end->nspare]);
		if (end->cqs)
			ibv_destroy_cq(end->cqs[end->nspare + 1]);
	}
	free(end->cqs);
	end->cqs = NULL;
	free(end->spare);
	end->spare = NULL;
	if (end->qp)
		ibv_destroy_qp(end->qp);
	end->qp = NULL;
	if (end->srq)
		ibv_destroy_srq(end->srq);
	end->srq = NULL;
	if (end->ah)
		ibv_destroy_ah(end->ah);
	end->ah = NULL;
	if (end->cq)
		ibv_destroy_cq(end->cq);
	end->cq = NULL;
	end->cq_ex = NULL;
	if (end->domain)
		ibv_dealloc_pd(end->domain);
	end->domain = NULL;
	if (end->td)
		ibv_dealloc_td(end->td);
	end->td = NULL;
	if (end->channel)
		ibv_destroy_comp_channel(end->channel);
	end->channel = NULL;
}
