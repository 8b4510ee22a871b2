/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * QPs that rdma_cm connects, through a listener of the run at an address of the port,
 * back to it. kverbs makes them, and moves them itself where it is verbs that do: rdma_cm
 * says with which attributes, and the job's own values replace those that it has.
 */
#ifndef KV_CM_H
#define KV_CM_H

#include "endpoint.h"

struct net;

#if IS_ENABLED(CONFIG_INFINIBAND_ADDR_TRANS)
#define KV_HAVE_CM	1

/**
 * kv_cm_open - listen at an address of the port
 * @path: its port is set; what rdma_cm says of the way is filled, kv_path_close() undoes
 * @net: network namespace of the run
 * @ibdev: device, the caller is inside
 * @job: checked job; the GID of the address replaces an automatic one
 * @where: names the step that failed
 * Return: 0 or -errno
 */
int kv_cm_open(struct kv_path *path, struct net *net, struct ib_device *ibdev,
	       struct kv_job *job, const char **where);

/**
 * kv_cm_shut - listen no more; connections stay
 * @path: opened, by rdma_cm or not
 */
void kv_cm_shut(struct kv_path *path);

/* free what kv_cm_open() made; all connections were left before */
void kv_cm_close(struct kv_path *path);

/**
 * kv_cm_connect - connect two QPs to each other
 * @a: endpoint that asks
 * @qa: QP of it
 * @b: endpoint that accepts
 * @qb: QP of it
 * @path: opened
 * @job: checked job
 * @where: names the step that failed
 *
 * Afterwards both are in RTS. kv_cm_leave() undoes what was done, also after a failure.
 *
 * Return: 0 or -errno
 */
int kv_cm_connect(struct kv_ep *a, struct ib_qp *qa, struct kv_ep *b,
		  struct ib_qp *qb, const struct kv_path *path,
		  const struct kv_job *job, const char **where);

/**
 * kv_cm_leave - end the connections of an endpoint
 * @ep: endpoint, whose QPs are still there; NULL or an error is fine
 *
 * To leave waits for the answer to a request of this end: an end that accepts leaves
 * before the one that asks, and kv_cm_shut() comes before both.
 *
 * A driver of iWARP may wait in ib_destroy_qp() until rdma_cm has let go of the QP.
 */
void kv_cm_leave(struct kv_ep *ep);

/* bytes that the connections of an endpoint take */
u64 kv_cm_bytes(const struct kv_job *job);
#else
#define KV_HAVE_CM	0

static inline int kv_cm_open(struct kv_path *path, struct net *net,
			     struct ib_device *ibdev, struct kv_job *job,
			     const char **where)
{
	return -EOPNOTSUPP;
}

static inline void kv_cm_shut(struct kv_path *path) { }
static inline void kv_cm_close(struct kv_path *path) { }

static inline int kv_cm_connect(struct kv_ep *a, struct ib_qp *qa,
				struct kv_ep *b, struct ib_qp *qb,
				const struct kv_path *path,
				const struct kv_job *job, const char **where)
{
	return -EOPNOTSUPP;
}

static inline void kv_cm_leave(struct kv_ep *ep) { }

static inline u64 kv_cm_bytes(const struct kv_job *job)
{
	return 0;
}
#endif

#endif /* KV_CM_H */
