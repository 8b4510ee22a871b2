// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * QPs and CQs. The attributes are those of the module's QPs: a difference here
 * would be one of the measurement.
 */
#include <errno.h>
#include <string.h>
#include <sys/random.h>
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

/*
 * How many inline bytes the provider grants: it says no more than "no" to those
 * that are too many. Below the ones refused, by halving.
 */
static u32 inline_limit(struct ibv_pd *pd, const struct ibv_qp_init_attr *asked, u32 refused)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp *qp;
	u32 good = 0;

	while (refused - good > 1) {
		init = *asked;
		init.cap.max_inline_data = good + (refused - good) / 2;
		qp = ibv_create_qp(pd, &init);
		if (qp) {
			good += (refused - good) / 2;
			ibv_destroy_qp(qp);
		} else {
			refused = good + (refused - good) / 2;
		}
	}
	return good;
}

static int create_qp(struct kv_end *end, const struct kv_port *port, const struct kv_job *job,
		     struct kv_error *error)
{
	struct ibv_qp_init_attr init, asked = {
		.send_cq = end->cq,
		.recv_cq = end->cq,
		.qp_type = rules[job->transport].type,
		.sq_sig_all = 0,
		.cap = {
			.max_send_wr = job->outstanding * kv_job_wrs(job) + KV_MARKERS,
			.max_recv_wr = job->recv_depth + KV_MARKERS,
			.max_send_sge = job->sges,
			.max_recv_sge = job->sges,
			.max_inline_data = job->inline_data,
		},
	};

	init = asked;
	end->qp = ibv_create_qp(port->pd, &init);
	if (!end->qp && !job->inline_data)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT,
				    "create_qp with %u send and %u receive WRs: %s; use a smaller -t, -r or -q",
				    asked.cap.max_send_wr, job->recv_depth + KV_MARKERS,
				    strerror(errno));
	if (!end->qp || init.cap.max_inline_data < job->inline_data)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "inline %u: the provider grants up to %u bytes to this QP; use a smaller -I, or leave it out",
				    job->inline_data,
				    end->qp ? init.cap.max_inline_data :
				    inline_limit(port->pd, &asked, job->inline_data));
	end->sq_depth = init.cap.max_send_wr;
	end->rq_depth = init.cap.max_recv_wr;
	end->inline_data = init.cap.max_inline_data;
	return 0;
}

/**
 * kv_qp_make - make the CQ and the QP of an end
 * @end: filled
 * @port: opened, with a PD
 * @job: as granted
 * @error: filled on failure
 * Return: 0, or -1; kv_qp_free() undoes what was done either way
 */
int kv_qp_make(struct kv_end *end, const struct kv_port *port, const struct kv_job *job,
	       struct kv_error *error)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.pkey_index = (u16)job->pkey_index,
		.port_num = port->number,
		.qkey = KV_QKEY,
		.qp_access_flags = kv_access(job),
	};
	int rc;

	end->cq = ibv_create_cq(port->context, (int)kv_job_cq_depth(job), NULL, NULL, 0);
	if (!end->cq)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT, "create_cq of %u entries: %s",
				    kv_job_cq_depth(job), strerror(errno));
	end->cq_depth = (u32)end->cq->cqe;
	if (create_qp(end, port, job, error))
		return -1;
	if (getrandom(&end->psn, sizeof(end->psn), GRND_NONBLOCK) != sizeof(end->psn))
		end->psn = end->qp->qp_num;
	end->psn &= 0xffffff;
	rc = ibv_modify_qp(end->qp, &attr, rules[job->transport].init);
	return rc ? fail(error, "modify_qp to INIT", rc) : 0;
}

static u32 mtu_enum(u32 bytes)
{
	u32 mtu = IBV_MTU_256;

	while (mtu < IBV_MTU_4096 && (128U << mtu) < bytes)
		mtu++;
	return mtu;
}

/**
 * kv_qp_connect - connect an end to its peer
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
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = mtu_enum(job->mtu),
		.dest_qp_num = peer->qp->qp_num,
		.rq_psn = peer->psn,
		.max_dest_rd_atomic = (u8)job->rd_atomic,
		.min_rnr_timer = (u8)job->min_rnr_timer,
		.ah_attr = {
			.dlid = port->attr.lid,
			.sl = (u8)job->sl,
			.port_num = port->number,
			.is_global = port->grh,
			.grh = {
				.dgid = port->gid,
				.sgid_index = (u8)port->gid_index,
				.hop_limit = (u8)job->hop_limit,
				.traffic_class = (u8)job->traffic_class,
			},
		},
	};
	int rc;

	rc = ibv_modify_qp(end->qp, &attr, rules[job->transport].rtr);
	if (rc)
		return fail(error, "modify_qp to RTR", rc);
	attr.qp_state = IBV_QPS_RTS;
	attr.timeout = (u8)job->timeout;
	attr.retry_cnt = (u8)job->retry_cnt;
	attr.rnr_retry = (u8)job->rnr_retry;
	attr.sq_psn = end->psn;
	attr.max_rd_atomic = (u8)job->rd_atomic;
	rc = ibv_modify_qp(end->qp, &attr, rules[job->transport].rts);
	if (rc)
		return fail(error, "modify_qp to RTS", rc);
	if (!kv_transport_rules[job->transport].datagram)
		return 0;
	end->ah = ibv_create_ah(port->pd, &attr.ah_attr);
	return end->ah ? 0 : fail(error, "create_ah", errno);
}

/* state of the QP, enum ibv_qp_state */
u32 kv_qp_state(struct kv_end *end)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	if (!end->qp || ibv_query_qp(end->qp, &attr, IBV_QP_STATE, &init))
		return IBV_QPS_UNKNOWN;
	return attr.qp_state;
}

void kv_qp_free(struct kv_end *end)
{
	if (end->qp)
		ibv_destroy_qp(end->qp);
	end->qp = NULL;
	if (end->ah)
		ibv_destroy_ah(end->ah);
	end->ah = NULL;
	if (end->cq)
		ibv_destroy_cq(end->cq);
	end->cq = NULL;
}
