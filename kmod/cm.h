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
struct rdma_cm_id;

/**
 * struct kv_link - one end of a connection
 * @next: of the same endpoint
 * @cm: by which it is connected
 * @id: of rdma_cm, NULL: none yet
 * @events: that came, a bit each
 * @status: of the first that is a failure
 */
struct kv_link {
	struct kv_link *next;
	struct kv_cm *cm;
	struct rdma_cm_id *id;
	unsigned long events;
	int status;
};

/**
 * struct kv_tie - two QPs, and the connection that is to be between them
 * @ep: whose they are, of which the first asks, and has the lane that is told to stop
 * @qp: QPs, made before they are connected
 * @link: ends of the connection
 */
struct kv_tie {
	const struct kv_ep *ep[2];
	struct ib_qp *qp[2];
	struct kv_link *link[2];
};

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

/**
 * kv_cm_more - listen once more, for connections beside those of the run
 * @path: opened, by rdma_cm
 * @ibdev: device of it
 * @where: names the step that failed
 *
 * The end of a connection that is made by it has it as @cm.
 *
 * Return: owned by the caller, or ERR_PTR()
 */
struct kv_cm *kv_cm_more(const struct kv_path *path,
			 const struct ib_device *ibdev, const char **where);

/* listen no more: before the ends of its connections are dropped; NULL allowed */
void kv_cm_deaf(struct kv_cm *cm);

/* after all ends of its connections were; NULL allowed */
void kv_cm_free(struct kv_cm *cm);

/**
 * kv_cm_call - one step of a connection, which the steps before it have prepared
 * @tie: QPs and ends
 * @what: enum kverbs_metric that it is timed as
 * @path: the way between both ends
 * @job: checked job
 * Return: 0 or -errno; 1: stopped while it waited
 */
int kv_cm_call(const struct kv_tie *tie, u32 what, const struct kv_path *path,
	       const struct kv_job *job);

/* destroy the id of an end, if it has one; as kv_cm_leave() does, and in that order */
void kv_cm_drop(struct kv_link *link);

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

static inline struct kv_cm *kv_cm_more(const struct kv_path *path,
				       const struct ib_device *ibdev,
				       const char **where)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static inline void kv_cm_deaf(struct kv_cm *cm) { }
static inline void kv_cm_free(struct kv_cm *cm) { }

static inline int kv_cm_call(const struct kv_tie *tie, u32 what,
			     const struct kv_path *path,
			     const struct kv_job *job)
{
	return -EOPNOTSUPP;
}

static inline void kv_cm_drop(struct kv_link *link) { }

static inline u64 kv_cm_bytes(const struct kv_job *job)
{
	return 0;
}
#endif

#endif /* KV_CM_H */
