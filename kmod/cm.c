// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * QPs that rdma_cm connects.
 *
 * Its handlers only write down what came, and wake the run's work item, which alone
 * touches verbs objects, or the lane that measures what connections take. An id lives as
 * long as the QPs are connected: to destroy that of an iWARP connection ends it.
 */
#include <linux/inetdevice.h>
#include <linux/random.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <net/addrconf.h>
#include <net/net_namespace.h>
#include <rdma/ib_cache.h>
#include <rdma/rdma_cm.h>

#include "cm.h"

#define KV_CM_MS	5000	/* longest wait for an event */
#define KV_CM_LOOK_MS	20	/* a stop is noticed as late */
#define KV_CM_BACKLOG	16
#define KV_CM_ADDRESSES	1024	/* of the namespace, that are tried */
#define KV_CM_TRIES	8	/* ports, which may be those of somebody's sockets */

/* events that end a connection, or that there will be one; a bit each */
#define KV_CM_FAILED	(BIT(RDMA_CM_EVENT_ADDR_ERROR) |	\
			 BIT(RDMA_CM_EVENT_ROUTE_ERROR) |	\
			 BIT(RDMA_CM_EVENT_CONNECT_ERROR) |	\
			 BIT(RDMA_CM_EVENT_UNREACHABLE) |	\
			 BIT(RDMA_CM_EVENT_REJECTED) |		\
			 BIT(RDMA_CM_EVENT_DISCONNECTED) |	\
			 BIT(RDMA_CM_EVENT_DEVICE_REMOVAL))

/**
 * struct kv_cm - what connects the QPs of a run, or of a lane
 * @net: network namespace
 * @listener: waits for connections at @addr
 * @listening: its end
 * @addr: address of the port, both ends' own
 * @nonce: by which a request is known to be our own
 * @woken: wakes who waits for an event
 * @lock: guards @asked
 * @asked: end that waits for a request, NULL: none is expected
 */
struct kv_cm {
	struct net *net;
	struct rdma_cm_id *listener;
	struct kv_link listening;
	struct sockaddr_storage addr;
	u64 nonce;
	wait_queue_head_t woken;
	spinlock_t lock;	/* asked */
	struct kv_link *asked;
};

static int kv_cm_request(struct kv_cm *cm, struct rdma_cm_id *id,
			 const struct rdma_cm_event *event)
{
	const struct rdma_conn_param *param = &event->param.conn;
	struct kv_link *link;

	/* the port is open to the network: who is not us is turned away */
	if (param->private_data_len < sizeof(cm->nonce) ||
	    memcmp(param->private_data, &cm->nonce, sizeof(cm->nonce)))
		return -EACCES;
	/* who gives up waiting takes the lock, and may then free the link */
	spin_lock(&cm->lock);
	link = cm->asked;
	if (link) {
		cm->asked = NULL;
		link->id = id;
		id->context = link;
		smp_mb__before_atomic();	/* who sees the event sees the id */
		set_bit(event->event, &link->events);
	}
	spin_unlock(&cm->lock);
	wake_up(&cm->woken);
	return link ? 0 : -EBUSY;
}

/* a return value other than 0 has rdma_cm destroy the id, which only a new one may be */
static int kv_cm_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct kv_link *link = id->context;

	if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST)
		return kv_cm_request(link->cm, id, event);
	if (BIT(event->event) & KV_CM_FAILED && !link->status)
		link->status = event->status < 0 ? event->status : -ECONNRESET;
	smp_mb__before_atomic();	/* who sees the event sees the status */
	set_bit(event->event, &link->events);
	wake_up(&link->cm->woken);
	return 0;
}

/* has one of the events come, or any that says that it will not? */
static bool kv_cm_came(const struct kv_link *link, unsigned long which)
{
	return READ_ONCE(link->events) & (which | KV_CM_FAILED);
}

/* who has waited for a while: 0 to go on */
static int kv_cm_patience(const u32 *stop, unsigned long end)
{
	if (READ_ONCE(*stop))
		return -EINTR;
	return time_after(jiffies, end) ? -ETIMEDOUT : 0;
}

/* wait for an event at one end; a failure at the other ends the wait, too */
static int kv_cm_wait(const struct kv_link *link, const struct kv_link *other,
		      enum rdma_cm_event_type event, const u32 *stop)
{
	unsigned long end = jiffies + msecs_to_jiffies(KV_CM_MS);
	const struct kv_link *failed;
	int rc;

	do {
		wait_event_timeout(link->cm->woken,
				   kv_cm_came(link, BIT(event)) ||
				   kv_cm_came(other, 0),
				   msecs_to_jiffies(KV_CM_LOOK_MS));
		failed = kv_cm_came(link, 0) ? link : other;
		if (kv_cm_came(failed, 0)) {
			smp_rmb();	/* the status after the event */
			return failed->status;
		}
		if (kv_cm_came(link, BIT(event))) {
			smp_rmb();	/* the id after the event */
			return 0;
		}
		rc = kv_cm_patience(stop, end);
	} while (!rc);
	return rc;
}

/* wait until an end was told that it is connected no more, in whatever way */
static int kv_cm_wait_end(const struct kv_link *link, const u32 *stop)
{
	unsigned long end = jiffies + msecs_to_jiffies(KV_CM_MS);
	int rc;

	do {
		wait_event_timeout(link->cm->woken, kv_cm_came(link, 0),
				   msecs_to_jiffies(KV_CM_LOOK_MS));
		if (kv_cm_came(link, 0))
			return 0;
		rc = kv_cm_patience(stop, end);
	} while (!rc);
	return rc;
}

static bool kv_cm_usable(const struct net_device *dev)
{
	return dev->flags & IFF_UP && !(dev->flags & IFF_LOOPBACK);
}

static bool kv_cm_nth_v4(struct net_device *dev, u32 *nth,
			 struct sockaddr_storage *addr)
{
	struct sockaddr_in *sin = (struct sockaddr_in *)addr;
	struct in_device *in = __in_dev_get_rcu(dev);
	const struct in_ifaddr *ifa;

	if (!in)
		return false;
	in_dev_for_each_ifa_rcu(ifa, in) {
		if ((*nth)--)
			continue;
		sin->sin_family = AF_INET;
		sin->sin_addr.s_addr = ifa->ifa_local;
		return true;
	}
	return false;
}

static bool kv_cm_nth_v6(struct net_device *dev, u32 *nth,
			 struct sockaddr_storage *addr)
{
#if IS_ENABLED(CONFIG_IPV6)
	struct sockaddr_in6 *sin = (struct sockaddr_in6 *)addr;
	struct inet6_dev *in = __in6_dev_get(dev);
	const struct inet6_ifaddr *ifa;

	if (!in)
		return false;
	list_for_each_entry_rcu(ifa, &in->addr_list, if_list) {
		if (ifa->flags & (IFA_F_TENTATIVE | IFA_F_DADFAILED))
			continue;
		if ((*nth)--)
			continue;
		sin->sin6_family = AF_INET6;
		sin->sin6_addr = ifa->addr;
		if (ipv6_addr_type(&ifa->addr) & IPV6_ADDR_LINKLOCAL)
			sin->sin6_scope_id = dev->ifindex;
		return true;
	}
#endif
	return false;
}

/* the n-th address of a namespace, those of IPv4 first; false past the last */
static bool kv_cm_nth(struct net *net, u32 nth, struct sockaddr_storage *addr)
{
	struct net_device *dev;
	bool found = false;

	memset(addr, 0, sizeof(*addr));
	rcu_read_lock();
	for_each_netdev_rcu(net, dev) {
		found = kv_cm_usable(dev) && kv_cm_nth_v4(dev, &nth, addr);
		if (found)
			goto out;
	}
	for_each_netdev_rcu(net, dev) {
		found = kv_cm_usable(dev) && kv_cm_nth_v6(dev, &nth, addr);
		if (found)
			goto out;
	}
out:
	rcu_read_unlock();
	return found;
}

static struct rdma_cm_id *kv_cm_id(struct kv_link *link)
{
	return rdma_create_id(link->cm->net, kv_cm_event, link, RDMA_PS_TCP,
			      IB_QPT_RC);
}

/* leave the port of an address to rdma_cm */
static void kv_cm_any_port(struct sockaddr_storage *addr)
{
	if (addr->ss_family == AF_INET)
		((struct sockaddr_in *)addr)->sin_port = 0;
	else
		((struct sockaddr_in6 *)addr)->sin6_port = 0;
}

/* listen at @addr, if rdma_cm finds the port by it: -ENODEV if not */
static int kv_cm_listen_at(struct kv_cm *cm, struct sockaddr_storage *addr,
			   const struct ib_device *ibdev, u32 port)
{
	struct rdma_cm_id *id = kv_cm_id(&cm->listening);
	int rc;

	if (IS_ERR(id))
		return PTR_ERR(id);
	rc = rdma_bind_addr(id, (struct sockaddr *)addr);
	/* whatever else is wrong with an address, it is not one of the port */
	if (rc || id->device != ibdev || id->port_num != port) {
		rdma_destroy_id(id);
		return -ENODEV;
	}
	rc = rdma_listen(id, KV_CM_BACKLOG);
	if (rc) {
		rdma_destroy_id(id);
		return rc;
	}
	cm->listener = id;
	cm->addr = id->route.addr.src_addr;
	return 0;
}

/* the same, at whatever port of it is free */
static int kv_cm_listen_on(struct kv_cm *cm, struct sockaddr_storage *addr,
			   const struct ib_device *ibdev, u32 port)
{
	int rc = -EADDRINUSE;
	u32 tries;

	for (tries = 0; tries < KV_CM_TRIES && rc == -EADDRINUSE; tries++)
		rc = kv_cm_listen_at(cm, addr, ibdev, port);
	return rc;
}

static int kv_cm_listen(struct kv_cm *cm, const struct ib_device *ibdev,
			u32 port)
{
	struct sockaddr_storage addr;
	int rc = -ENODEV;
	u32 i;

	for (i = 0; i < KV_CM_ADDRESSES && rc == -ENODEV; i++) {
		if (!kv_cm_nth(cm->net, i, &addr))
			break;
		rc = kv_cm_listen_on(cm, &addr, ibdev, port);
	}
	return rc;
}

static struct kv_cm *kv_cm_new(struct net *net)
{
	struct kv_cm *cm = kzalloc(sizeof(*cm), GFP_KERNEL);

	if (!cm)
		return NULL;
	cm->net = net;
	cm->listening.cm = cm;
	cm->nonce = get_random_u64();
	init_waitqueue_head(&cm->woken);
	spin_lock_init(&cm->lock);
	return cm;
}

int kv_cm_open(struct kv_path *path, struct net *net, struct ib_device *ibdev,
	       struct kv_job *job, const char **where)
{
	const struct ib_gid_attr *gid;
	struct kv_cm *cm;
	int rc;

	/* whose drivers make their sockets in the namespace of a kernel thread */
	*where = "connect cm: iWARP needs the initial network namespace; run it there";
	if (!rdma_cap_ib_cm(ibdev, job->port) && !net_eq(net, &init_net))
		return -EINVAL;
	*where = "allocate what rdma_cm needs";
	cm = kv_cm_new(net);
	if (!cm)
		return -ENOMEM;
	path->cm = cm;
	rc = kv_cm_listen(cm, ibdev, job->port);
	*where = rc == -ENODEV ?
		 "find an IP address by which rdma_cm knows the port (give its netdev one)" :
		 "listen by rdma_cm";
	if (rc)
		return rc;
	gid = cm->listener->route.addr.dev_addr.sgid_attr;
	if (!gid || !rdma_protocol_roce(ibdev, job->port))
		return 0;
	rdma_hold_gid_attr(gid);
	path->gid_attr = gid;
	job->gid_index = gid->index;
	return 0;
}

struct kv_cm *kv_cm_more(const struct kv_path *path,
			 const struct ib_device *ibdev, const char **where)
{
	struct sockaddr_storage addr = path->cm->addr;
	struct kv_cm *cm;
	int rc;

	kv_cm_any_port(&addr);
	*where = "allocate what rdma_cm needs for a lane";
	cm = kv_cm_new(path->cm->net);
	if (!cm)
		return ERR_PTR(-ENOMEM);
	*where = "listen by rdma_cm for a lane";
	rc = kv_cm_listen_on(cm, &addr, ibdev, path->port);
	if (!rc)
		return cm;
	kv_cm_free(cm);
	return ERR_PTR(rc);
}

void kv_cm_deaf(struct kv_cm *cm)
{
	if (!cm || !cm->listener)
		return;
	rdma_destroy_id(cm->listener);
	cm->listener = NULL;
}

void kv_cm_free(struct kv_cm *cm)
{
	kv_cm_deaf(cm);
	kfree(cm);
}

void kv_cm_shut(struct kv_path *path)
{
	kv_cm_deaf(path->cm);
}

void kv_cm_close(struct kv_path *path)
{
	kv_cm_free(path->cm);
	path->cm = NULL;
}

static struct kv_link *kv_cm_link(struct kv_ep *ep, struct kv_cm *cm)
{
	struct kv_link *link = kzalloc(sizeof(*link), GFP_KERNEL);

	if (!link)
		return NULL;
	link->cm = cm;
	link->next = ep->link;
	ep->link = link;
	return link;
}

/* move the QP of an end with what rdma_cm knows of the connection, and the job of the rest */
static int kv_cm_to(const struct kv_tie *tie, u32 end, enum ib_qp_state state,
		    const struct kv_path *path, const struct kv_job *job)
{
	struct ib_qp_attr attr = { .qp_state = state };
	int mask, rc;

	rc = rdma_init_qp_attr(tie->link[end]->id, &attr, &mask);
	if (rc)
		return rc;
	if (mask & IB_QP_ACCESS_FLAGS)
		attr.qp_access_flags = kv_job_access(job, KV_ACCESS_OF_QP);
	if (mask & IB_QP_AV) {
		rdma_ah_set_sl(&attr.ah_attr, job->sl);
		if (rdma_ah_get_ah_flags(&attr.ah_attr) & IB_AH_GRH) {
			attr.ah_attr.grh.traffic_class = job->traffic_class;
			attr.ah_attr.grh.hop_limit = job->hop_limit;
		}
	}
	attr.path_mtu = path->mtu;
	attr.max_dest_rd_atomic = job->rd_atomic;
	attr.min_rnr_timer = job->min_rnr_timer;
	attr.timeout = job->timeout;
	attr.retry_cnt = job->retry_cnt;
	attr.rnr_retry = job->rnr_retry;
	attr.max_rd_atomic = job->rd_atomic;
	return kv_ep_modify(tie->ep[end], tie->qp[end], &attr, mask);
}

static int kv_cm_to_rts(const struct kv_tie *tie, u32 end,
			const struct kv_path *path, const struct kv_job *job,
			const char **where)
{
	int rc;

	*where = "move QP to RTR as rdma_cm says";
	rc = kv_cm_to(tie, end, IB_QPS_RTR, path, job);
	if (rc)
		return rc;
	*where = "move QP to RTS as rdma_cm says";
	return kv_cm_to(tie, end, IB_QPS_RTS, path, job);
}

static int kv_cm_create_id(const struct kv_tie *tie)
{
	struct kv_link *link = tie->link[0];
	struct rdma_cm_id *id;
	u32 i;

	/* what came to ids that are gone by now */
	for (i = 0; i < ARRAY_SIZE(tie->link); i++) {
		tie->link[i]->events = 0;
		tie->link[i]->status = 0;
	}
	id = kv_cm_id(link);
	if (IS_ERR(id))
		return PTR_ERR(id);
	link->id = id;
	return 0;
}

static int kv_cm_resolve_addr(const struct kv_tie *tie)
{
	const struct kv_link *link = tie->link[0];
	struct sockaddr_storage src = link->cm->addr;
	struct sockaddr *dst = (struct sockaddr *)&link->cm->addr;
	int rc;

	/* a port of its own */
	kv_cm_any_port(&src);
	rc = rdma_resolve_addr(link->id, (struct sockaddr *)&src, dst, KV_CM_MS);
	return rc ? rc : kv_cm_wait(link, tie->link[1], RDMA_CM_EVENT_ADDR_RESOLVED,
				    tie->ep[0]->stop);
}

static int kv_cm_resolve_route(const struct kv_tie *tie)
{
	const struct kv_link *link = tie->link[0];
	int rc = rdma_resolve_route(link->id, KV_CM_MS);

	return rc ? rc : kv_cm_wait(link, tie->link[1], RDMA_CM_EVENT_ROUTE_RESOLVED,
				    tie->ep[0]->stop);
}

static int kv_cm_accept(const struct kv_link *link,
			struct rdma_conn_param *param)
{
	int rc;

	rdma_lock_handler(link->id);
	rc = rdma_accept(link->id, param);
	rdma_unlock_handler(link->id);
	return rc;
}

/* what a request, and the answer to it, says of a QP */
static struct rdma_conn_param kv_cm_param(const struct ib_qp *qp,
					  const struct kv_job *job)
{
	return (struct rdma_conn_param) {
		.responder_resources = job->rd_atomic,
		.initiator_depth = job->rd_atomic,
		.retry_count = min_t(u32, job->retry_cnt, 7),
		.rnr_retry_count = min_t(u32, job->rnr_retry, 7),
		.qp_num = qp->qp_num,
	};
}

/* ask, and have the request come to the other end */
static int kv_cm_ask(const struct kv_tie *tie, struct rdma_conn_param *param,
		     const char **where)
{
	struct kv_link *la = tie->link[0], *lb = tie->link[1];
	struct kv_cm *cm = la->cm;
	int rc;

	param->private_data = &cm->nonce;
	param->private_data_len = sizeof(cm->nonce);
	spin_lock(&cm->lock);
	cm->asked = lb;
	spin_unlock(&cm->lock);
	*where = "connect by rdma_cm";
	rc = rdma_connect(la->id, param);
	if (!rc)
		rc = kv_cm_wait(lb, la, RDMA_CM_EVENT_CONNECT_REQUEST,
				tie->ep[0]->stop);
	/* who comes later finds nobody; who came, has its id in the link */
	spin_lock(&cm->lock);
	cm->asked = NULL;
	spin_unlock(&cm->lock);
	return rc;
}

/* from RESET to RTS, over a route that is known */
static int kv_cm_join(const struct kv_tie *tie, const struct kv_path *path,
		      const struct kv_job *job, const char **where)
{
	bool verbs = rdma_cap_ib_cm(tie->qp[0]->device, path->port);
	struct kv_link *la = tie->link[0], *lb = tie->link[1];
	const u32 *stop = tie->ep[0]->stop;
	struct rdma_conn_param param;
	int rc;

	*where = "move QP to INIT as rdma_cm says";
	rc = kv_cm_to(tie, 0, IB_QPS_INIT, path, job);
	if (rc)
		return rc;
	param = kv_cm_param(tie->qp[0], job);
	rc = kv_cm_ask(tie, &param, where);
	if (rc)
		return rc;
	*where = "move QP to INIT as rdma_cm says";
	rc = kv_cm_to(tie, 1, IB_QPS_INIT, path, job);
	if (!rc && verbs)
		rc = kv_cm_to_rts(tie, 1, path, job, where);
	if (rc)
		return rc;
	param = kv_cm_param(tie->qp[1], job);
	*where = "accept by rdma_cm";
	rc = kv_cm_accept(lb, &param);
	if (rc)
		return rc;
	*where = "wait for the answer of rdma_cm";
	rc = kv_cm_wait(la, lb, verbs ? RDMA_CM_EVENT_CONNECT_RESPONSE :
					RDMA_CM_EVENT_ESTABLISHED, stop);
	if (!rc && verbs)
		rc = kv_cm_to_rts(tie, 0, path, job, where);
	if (rc)
		return rc;
	if (verbs) {
		*where = "tell by rdma_cm that the QP is ready";
		rc = kv_cm_accept(la, NULL);
		if (rc)
			return rc;
	}
	*where = "wait for the connection of rdma_cm";
	return kv_cm_wait(lb, la, RDMA_CM_EVENT_ESTABLISHED, stop);
}

/*
 * End a connection, until both ends have been told. It is the end that accepted which
 * begins: TCP's TIME_WAIT then is at the listener's port, and does not use up the others.
 */
static int kv_cm_part(const struct kv_tie *tie, u32 port)
{
	struct kv_link *la = tie->link[0], *lb = tie->link[1];
	const u32 *stop = tie->ep[0]->stop;
	int rc;

	rc = rdma_disconnect(lb->id);
	if (!rc)
		rc = kv_cm_wait_end(la, stop);
	/* a request of IB to part is answered by the same call */
	if (!rc && rdma_cap_ib_cm(tie->qp[0]->device, port))
		rc = rdma_disconnect(la->id);
	return rc ? rc : kv_cm_wait_end(lb, stop);
}

static int kv_cm_step(const struct kv_tie *tie, u32 what,
		      const struct kv_path *path, const struct kv_job *job)
{
	const char *where;

	switch (what) {
	case KVERBS_METRIC_CREATE_ID:
		return kv_cm_create_id(tie);
	case KVERBS_METRIC_RESOLVE_ADDR:
		return kv_cm_resolve_addr(tie);
	case KVERBS_METRIC_RESOLVE_ROUTE:
		return kv_cm_resolve_route(tie);
	case KVERBS_METRIC_CONNECT:
		return kv_cm_join(tie, path, job, &where);
	case KVERBS_METRIC_DISCONNECT:
		return kv_cm_part(tie, path->port);
	}
	return -EINVAL;
}

int kv_cm_call(const struct kv_tie *tie, u32 what, const struct kv_path *path,
	       const struct kv_job *job)
{
	int rc = kv_cm_step(tie, what, path, job);

	return rc == -EINTR ? 1 : rc;
}

int kv_cm_connect(struct kv_ep *a, struct ib_qp *qa, struct kv_ep *b,
		  struct ib_qp *qb, const struct kv_path *path,
		  const struct kv_job *job, const char **where)
{
	struct kv_tie tie = { .ep = { a, b }, .qp = { qa, qb } };
	int rc;

	*where = "allocate the ends of a connection";
	tie.link[0] = kv_cm_link(a, path->cm);
	tie.link[1] = kv_cm_link(b, path->cm);
	if (!tie.link[0] || !tie.link[1])
		return -ENOMEM;
	*where = "create an id of rdma_cm";
	rc = kv_cm_create_id(&tie);
	if (rc)
		return rc;
	*where = "resolve the address by rdma_cm";
	rc = kv_cm_resolve_addr(&tie);
	if (rc)
		return rc;
	*where = "resolve the route by rdma_cm";
	rc = kv_cm_resolve_route(&tie);
	return rc ? rc : kv_cm_join(&tie, path, job, where);
}

void kv_cm_drop(struct kv_link *link)
{
	if (link->id)
		rdma_destroy_id(link->id);
	link->id = NULL;
}

void kv_cm_leave(struct kv_ep *ep)
{
	struct kv_link *link;

	if (IS_ERR_OR_NULL(ep))
		return;
	while ((link = ep->link)) {
		ep->link = link->next;
		kv_cm_drop(link);
		kfree(link);
	}
}

u64 kv_cm_bytes(const struct kv_job *job)
{
	return job->connect == KVERBS_CONNECT_CM ?
	       job->lane_qps * sizeof(struct kv_link) : 0;
}
