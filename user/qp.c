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
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 0,
		.cap = {
			.max_send_wr = job->outstanding + KV_MARKERS,
			.max_recv_wr = job->recv_depth + KV_MARKERS,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
	};
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.pkey_index = 0,
		.port_num = port->number,
		.qp_access_flags = kv_access(job),
	};
	int rc;

	end->cq = ibv_create_cq(port->context, (int)kv_job_cq_depth(job), NULL, NULL, 0);
	if (!end->cq)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT, "create_cq of %u entries: %s",
				    kv_job_cq_depth(job), strerror(errno));
	end->cq_depth = (u32)end->cq->cqe;
	init.send_cq = end->cq;
	init.recv_cq = end->cq;
	end->qp = ibv_create_qp(port->pd, &init);
	if (!end->qp)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT,
				    "create_qp with %u send and %u receive WRs: %s; use a smaller -t, -r or -q",
				    job->outstanding + KV_MARKERS, job->recv_depth + KV_MARKERS,
				    strerror(errno));
	end->sq_depth = init.cap.max_send_wr;
	end->rq_depth = init.cap.max_recv_wr;
	if (getrandom(&end->psn, sizeof(end->psn), GRND_NONBLOCK) != sizeof(end->psn))
		end->psn = end->qp->qp_num;
	end->psn &= 0xffffff;
	rc = ibv_modify_qp(end->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			   IBV_QP_ACCESS_FLAGS);
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
		.max_dest_rd_atomic = port->rd_atomic,
		.min_rnr_timer = KV_QP_MIN_RNR_TIMER,
		.ah_attr = {
			.dlid = port->attr.lid,
			.port_num = port->number,
			.is_global = port->grh,
			.grh = {
				.dgid = port->gid,
				.sgid_index = (u8)port->gid_index,
				.hop_limit = KV_QP_HOP_LIMIT,
			},
		},
	};
	int rc;

	rc = ibv_modify_qp(end->qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			   IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			   IBV_QP_MIN_RNR_TIMER);
	if (rc)
		return fail(error, "modify_qp to RTR", rc);
	attr.qp_state = IBV_QPS_RTS;
	attr.timeout = KV_QP_TIMEOUT;
	attr.retry_cnt = KV_QP_RETRY;
	attr.rnr_retry = KV_QP_RNR_RETRY;
	attr.sq_psn = end->psn;
	attr.max_rd_atomic = port->rd_atomic;
	rc = ibv_modify_qp(end->qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			   IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
	return rc ? fail(error, "modify_qp to RTS", rc) : 0;
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
	if (end->cq)
		ibv_destroy_cq(end->cq);
	end->cq = NULL;
}
