// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * QPs that rdma_cm connects, by librdmacm. As in the module kverbs makes them, and moves
 * them itself where it is verbs that do; an id lives as long as its QP is connected.
 *
 * librdmacm opens each device that an address leads it to, and closes it with the process:
 * it is asked only about addresses of the port's own netdev.
 */
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netpacket/packet.h>
#include <rdma/rdma_cma.h>
#include <sys/random.h>
#include "cm.h"
#include "kverbs.h"

#define CM_MS		5000	/* longest wait for an event, as in the module */
#define LOOK_MS		20	/* Ctrl-C is noticed as late */
#define BACKLOG		16
#define TRIES		8	/* ports, which may be those of somebody's sockets */
#define GIDS_MAX	1024

/**
 * struct kv_cm - what connects the QPs of a run, or of a lane
 * @channel: of all events
 * @listener: waits for connections, NULL: no more
 * @addr: its address, both ends' own
 * @nonce: by which a request is known to be our own
 * @stop: KV_STOP_* of the lane; NULL: Ctrl-C stops it
 */
struct kv_cm {
	struct rdma_event_channel *channel;
	struct rdma_cm_id *listener;
	struct sockaddr_storage addr;
	u64 nonce;
	const volatile u32 *stop;
};

/* errno is what failed, too, for whoever has no use for a text */
static int fail(struct kv_error *error, const char *what, int err)
{
	kv_error_set(error, KV_EXIT_ENVIRONMENT, "rdma_cm: %s: %s", what, kv_setup_errno(err));
	errno = err;
	return -1;
}

/* leave the port of an address to rdma_cm */
static void any_port(struct sockaddr_storage *addr)
{
	if (addr->ss_family == AF_INET)
		((struct sockaddr_in *)addr)->sin_port = 0;
	else
		((struct sockaddr_in6 *)addr)->sin6_port = 0;
}

static socklen_t length(const struct sockaddr *addr)
{
	return addr->sa_family == AF_INET ? sizeof(struct sockaddr_in) :
					    sizeof(struct sockaddr_in6);
}

/* is the netdev of that name the one of an iWARP port? Their GID is its MAC. */
static bool has_mac(const struct ifaddrs *list, const char *name, const union ibv_gid *gid)
{
	const struct sockaddr_ll *link;

	for (; list; list = list->ifa_next) {
		if (!list->ifa_addr || list->ifa_addr->sa_family != AF_PACKET ||
		    strcmp(list->ifa_name, name))
			continue;
		link = (const struct sockaddr_ll *)list->ifa_addr;
		return link->sll_halen == 6 && !memcmp(link->sll_addr, gid->raw, 6);
	}
	return false;
}

/* is the address one of the port's RoCE GIDs? */
static bool has_gid(const struct kv_port *port, const struct sockaddr *addr)
{
	struct ibv_gid_entry entry[GIDS_MAX];
	union ibv_gid gid = { .raw = { [10] = 0xff, [11] = 0xff } };
	ssize_t n, i;

	if (addr->sa_family == AF_INET)
		memcpy(&gid.raw[12], &((const struct sockaddr_in *)addr)->sin_addr, 4);
	else
		memcpy(gid.raw, &((const struct sockaddr_in6 *)addr)->sin6_addr, 16);
	n = ibv_query_gid_table(port->context, entry, GIDS_MAX, 0);
	for (i = 0; i < n; i++) {
		if (entry[i].port_num == port->number && !memcmp(&entry[i].gid, &gid, sizeof(gid)))
			return true;
	}
	return false;
}

/* may this be an address of the port? */
static bool fits(const struct kv_port *port, const struct ifaddrs *list,
		 const struct ifaddrs *at, int family)
{
	union ibv_gid gid;

	if (!at->ifa_addr || at->ifa_addr->sa_family != family || !(at->ifa_flags & IFF_UP) ||
	    (at->ifa_flags & IFF_LOOPBACK))
		return false;
	if (port->caps.link == KVERBS_LINK_ROCE)
		return has_gid(port, at->ifa_addr);
	if (port->caps.link != KVERBS_LINK_IWARP)
		return true;
	return !ibv_query_gid(port->context, port->number, 0, &gid) &&
	       has_mac(list, at->ifa_name, &gid);
}

/* listen there, if rdma_cm finds the port by it: 0, ENODEV if not, or another errno */
static int listen_at(struct kv_cm *cm, struct sockaddr *addr, const struct kv_port *port)
{
	const char *name = ibv_get_device_name(port->context->device);
	struct rdma_cm_id *id;
	int err = 0;

	if (rdma_create_id(cm->channel, &id, NULL, RDMA_PS_TCP))
		return errno;
	if (rdma_bind_addr(id, addr) || !id->verbs || id->port_num != port->number ||
	    strcmp(ibv_get_device_name(id->verbs->device), name))
		err = ENODEV;
	else if (rdma_listen(id, BACKLOG))
		err = errno;
	if (err) {
		rdma_destroy_id(id);
		return err;
	}
	cm->listener = id;
	memcpy(&cm->addr, rdma_get_local_addr(id), length(addr));
	return 0;
}

/* the same, at whatever port of it is free */
static int listen_on(struct kv_cm *cm, struct sockaddr *addr, const struct kv_port *port)
{
	int err = EADDRINUSE;
	u32 tries;

	for (tries = 0; tries < TRIES && err == EADDRINUSE; tries++)
		err = listen_at(cm, addr, port);
	return err;
}

/* at the first address of the port, those of IPv4 first */
static int start_listening(struct kv_cm *cm, const struct kv_port *port)
{
	static const int families[] = { AF_INET, AF_INET6 };
	struct ifaddrs *list, *at;
	int err = ENODEV;
	u32 i;

	if (getifaddrs(&list))
		return errno;
	for (i = 0; i < KV_ARRAY_SIZE(families) && err == ENODEV; i++) {
		for (at = list; at && err == ENODEV; at = at->ifa_next) {
			if (fits(port, list, at, families[i]))
				err = listen_on(cm, at->ifa_addr, port);
		}
	}
	freeifaddrs(list);
	return err;
}

static int open_channel(struct kv_cm *cm, struct kv_error *error)
{
	int flags;

	/* blocks for a moment at most: since Linux 5.4 it makes what it lacks */
	if (getrandom(&cm->nonce, sizeof(cm->nonce), 0) != sizeof(cm->nonce))
		return fail(error, "getrandom", errno);
	cm->channel = rdma_create_event_channel();
	if (!cm->channel)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT,
				    "rdma_cm: create_event_channel: %s; load rdma_ucm, and see that /dev/infiniband/rdma_cm may be opened",
				    strerror(errno));
	/* reading it never blocks: whoever waits has a deadline */
	flags = fcntl(cm->channel->fd, F_GETFL);
	if (flags < 0 || fcntl(cm->channel->fd, F_SETFL, flags | O_NONBLOCK))
		return fail(error, "event channel: O_NONBLOCK", errno);
	return 0;
}

/**
 * kv_cm_open - listen at an address of the port
 * @port: opened
 * @error: filled on failure
 * Return: 0, or -1; kv_cm_close() undoes what was done either way
 */
int kv_cm_open(struct kv_port *port, struct kv_error *error)
{
	struct kv_cm *cm = calloc(1, sizeof(*cm));
	int err;

	if (!cm)
		return fail(error, "what it needs", ENOMEM);
	port->cm = cm;
	if (open_channel(cm, error))
		return -1;
	err = start_listening(cm, port);
	if (err == ENODEV)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT,
				    "port %u: no IP address by which rdma_cm knows it; give its netdev one and bring it up",
				    port->number);
	return err ? fail(error, "listen", err) : 0;
}

/**
 * kv_cm_more - listen once more, for connections of a lane beside those of the run
 * @port: kv_cm_open() was called
 * @stop: KV_STOP_* of the lane
 * @error: filled on failure
 * Return: owned by the caller, or NULL
 */
struct kv_cm *kv_cm_more(const struct kv_port *port, const volatile u32 *stop,
			 struct kv_error *error)
{
	struct sockaddr_storage addr = port->cm->addr;
	struct kv_cm *cm = calloc(1, sizeof(*cm));
	int err;

	if (!cm) {
		fail(error, "what a lane needs", ENOMEM);
		return NULL;
	}
	cm->stop = stop;
	any_port(&addr);
	if (open_channel(cm, error))
		goto fail;
	err = listen_on(cm, (struct sockaddr *)&addr, port);
	if (!err)
		return cm;
	fail(error, "listen for a lane", err);
fail:
	kv_cm_free(cm);
	return NULL;
}

/* listen no more: before the ids of its connections are left; NULL allowed */
void kv_cm_deaf(struct kv_cm *cm)
{
	if (!cm || !cm->listener)
		return;
	rdma_destroy_id(cm->listener);
	cm->listener = NULL;
}

/* all its connections were left before; NULL allowed */
void kv_cm_free(struct kv_cm *cm)
{
	if (!cm)
		return;
	kv_cm_deaf(cm);
	if (cm->channel)
		rdma_destroy_event_channel(cm->channel);
	free(cm);
}

/* listen no more; connections stay */
void kv_cm_shut(struct kv_port *port)
{
	kv_cm_deaf(port->cm);
}

/* all connections were left before */
void kv_cm_close(struct kv_port *port)
{
	kv_cm_free(port->cm);
	port->cm = NULL;
}

/*
 * Take an event if one is there: 1 with the event, 0 without, or -1. A request that is not
 * our own is turned away.
 */
static int take(const struct kv_cm *cm, struct rdma_cm_event **event)
{
	const struct rdma_conn_param *param;
	struct rdma_cm_id *id;

	if (rdma_get_cm_event(cm->channel, event))
		return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? 0 : -1;
	param = &(*event)->param.conn;
	if ((*event)->event != RDMA_CM_EVENT_CONNECT_REQUEST ||
	    (param->private_data_len >= sizeof(cm->nonce) &&
	     !memcmp(param->private_data, &cm->nonce, sizeof(cm->nonce))))
		return 1;
	id = (*event)->id;
	rdma_ack_cm_event(*event);
	rdma_reject(id, NULL, 0);
	rdma_destroy_id(id);
	return 0;
}

/* was it told since that the device goes? rdma_cm then ends its connections */
bool kv_cm_gone(const struct kv_port *port)
{
	struct rdma_cm_event *event;
	bool gone = false;

	while (port->cm && take(port->cm, &event) > 0) {
		gone |= event->event == RDMA_CM_EVENT_DEVICE_REMOVAL;
		rdma_ack_cm_event(event);
	}
	return gone;
}

/* what an event said, which is acknowledged */
struct news {
	enum rdma_cm_event_type event;
	struct rdma_cm_id *id;
	int status;
};

static bool stopped(const struct kv_cm *cm)
{
	return cm->stop ? *cm->stop : kv_interrupted();
}

static int next(const struct kv_cm *cm, enum rdma_cm_event_type what, double end,
		struct news *news, struct kv_error *error)
{
	struct pollfd fd = { .fd = cm->channel->fd, .events = POLLIN };
	struct rdma_cm_event *event;
	int rc = 0;

	while (!rc) {
		if (stopped(cm))
			return fail(error, rdma_event_str(what), EINTR);
		if (kv_seconds() > end)
			return fail(error, rdma_event_str(what), ETIMEDOUT);
		poll(&fd, 1, LOOK_MS);
		rc = take(cm, &event);
	}
	if (rc < 0)
		return fail(error, "get_cm_event", errno);
	news->event = event->event;
	news->id = event->id;
	news->status = event->status;
	rdma_ack_cm_event(event);
	return 0;
}

static int unexpected(const struct news *news, enum rdma_cm_event_type what,
		      struct kv_error *error)
{
	kv_error_set(error, KV_EXIT_ENVIRONMENT,
		     "rdma_cm: %s came instead of %s, with status %d%s%s",
		     rdma_event_str(news->event), rdma_event_str(what), news->status,
		     news->status < 0 ? ": " : "",
		     news->status < 0 ? strerror(-news->status) : "");
	errno = news->status < 0 ? -news->status : ECONNRESET;
	return -1;
}

/* does the event say that there is, or will be, no connection? */
static bool is_failure(enum rdma_cm_event_type event)
{
	switch (event) {
	case RDMA_CM_EVENT_ADDR_ERROR:
	case RDMA_CM_EVENT_ROUTE_ERROR:
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_UNREACHABLE:
	case RDMA_CM_EVENT_REJECTED:
	case RDMA_CM_EVENT_DISCONNECTED:
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		return true;
	default:
		return false;
	}
}

/*
 * The next event until @end, where one of an id that is connected by now says nothing;
 * -1 if it is a failure of one of the two ends, or of the device.
 */
static int hear(const struct kv_cm *cm, enum rdma_cm_event_type what, struct rdma_cm_id *id,
		struct rdma_cm_id *other, double end, struct news *news, struct kv_error *error)
{
	if (next(cm, what, end, news, error))
		return -1;
	if (news->event == RDMA_CM_EVENT_DEVICE_REMOVAL)
		return unexpected(news, what, error);
	if (!is_failure(news->event) || (news->id != id && news->id != other))
		return 0;
	return unexpected(news, what, error);
}

/*
 * Wait for an event of an id, or for a request with a new one; a failure of the other end,
 * NULL: none yet, ends the wait, too.
 */
static int await(const struct kv_cm *cm, enum rdma_cm_event_type what, struct rdma_cm_id **id,
		 struct rdma_cm_id *other, struct kv_error *error)
{
	double end = kv_seconds() + CM_MS / 1e3;
	struct news news;

	do {
		if (hear(cm, what, *id, other, end, &news, error))
			return -1;
		if (news.event == RDMA_CM_EVENT_CONNECT_REQUEST && !*id)
			*id = news.id;
		else if (news.event == RDMA_CM_EVENT_CONNECT_REQUEST)
			rdma_destroy_id(news.id);	/* of one that was given up */
	} while (news.event != what || news.id != *id);
	return 0;
}

/* that both ends are connected, which is told in any order, once to each */
static int await_both(const struct kv_cm *cm, struct rdma_cm_id *a, struct rdma_cm_id *b,
		      struct kv_error *error)
{
	double end = kv_seconds() + CM_MS / 1e3;
	u32 left = 2;
	struct news news;

	while (left) {
		if (hear(cm, RDMA_CM_EVENT_ESTABLISHED, a, b, end, &news, error))
			return -1;
		left -= news.event == RDMA_CM_EVENT_ESTABLISHED &&
			(news.id == a || news.id == b);
	}
	return 0;
}

/*
 * Wait until an end was told that it is connected no more, in whatever way; the other may
 * be told first.
 */
static int await_end(const struct kv_cm *cm, struct rdma_cm_id *const id[2], u32 which,
		     bool told[2], struct kv_error *error)
{
	double end = kv_seconds() + CM_MS / 1e3;
	struct news news;
	u32 i;

	while (!told[which]) {
		if (next(cm, RDMA_CM_EVENT_DISCONNECTED, end, &news, error))
			return -1;
		for (i = 0; i < 2; i++)
			told[i] |= news.id == id[i] && is_failure(news.event);
	}
	return 0;
}

/* move a QP with what rdma_cm knows of the connection, and the job of the rest */
static int move(struct rdma_cm_id *id, struct ibv_qp *qp, u32 state, const struct kv_job *job,
		const char *what, struct kv_error *error)
{
	struct ibv_qp_attr attr = { .qp_state = state };
	int mask, rc;

	if (rdma_init_qp_attr(id, &attr, &mask))
		return fail(error, "init_qp_attr", errno);
	kv_qp_attr(&attr, job);
	rc = ibv_modify_qp(qp, &attr, mask);
	return rc ? fail(error, what, rc) : 0;
}

static int to_rts(struct rdma_cm_id *id, struct ibv_qp *qp, const struct kv_job *job,
		  struct kv_error *error)
{
	return move(id, qp, IBV_QPS_RTR, job, "modify_qp to RTR", error) ||
	       move(id, qp, IBV_QPS_RTS, job, "modify_qp to RTS", error) ? -1 : 0;
}

static int resolve_addr(const struct kv_cm *cm, struct rdma_cm_id *id, struct kv_error *error)
{
	struct sockaddr_storage src = cm->addr, dst = cm->addr;

	/* a port of its own */
	any_port(&src);
	if (rdma_resolve_addr(id, (struct sockaddr *)&src, (struct sockaddr *)&dst, CM_MS))
		return fail(error, "resolve_addr", errno);
	return await(cm, RDMA_CM_EVENT_ADDR_RESOLVED, &id, NULL, error);
}

static int resolve_route(const struct kv_cm *cm, struct rdma_cm_id *id, struct kv_error *error)
{
	if (rdma_resolve_route(id, CM_MS))
		return fail(error, "resolve_route", errno);
	return await(cm, RDMA_CM_EVENT_ROUTE_RESOLVED, &id, NULL, error);
}

/* what a request, and the answer to it, says of a QP */
static struct rdma_conn_param conn_param(const struct ibv_qp *qp, const struct kv_job *job)
{
	return (struct rdma_conn_param) {
		.responder_resources = (u8)job->rd_atomic,
		.initiator_depth = (u8)job->rd_atomic,
		.retry_count = job->retry_cnt > 7 ? 7 : (u8)job->retry_cnt,
		.rnr_retry_count = job->rnr_retry > 7 ? 7 : (u8)job->rnr_retry,
		.qp_num = qp->qp_num,
	};
}

/* a place for one more id of an end */
static struct rdma_cm_id **new_id(struct kv_end *end, const struct kv_job *job)
{
	if (!end->id)
		end->id = calloc(job->lane_qps, sizeof(*end->id));
	return end->id && end->nid < job->lane_qps ? &end->id[end->nid++] : NULL;
}

static int create_id(const struct kv_cm *cm, struct rdma_cm_id **id, struct kv_error *error)
{
	if (!id)
		return fail(error, "ids", ENOMEM);
	return rdma_create_id(cm->channel, id, NULL, RDMA_PS_TCP) ?
	       fail(error, "create_id", errno) : 0;
}

/* two QPs from RESET to RTS, over a route that is known to the id of the first */
static int join(const struct kv_cm *cm, struct rdma_cm_id **a, struct ibv_qp *qa,
		struct rdma_cm_id **b, struct ibv_qp *qb, const struct kv_port *port,
		const struct kv_job *job, struct kv_error *error)
{
	bool verbs = port->caps.link != KVERBS_LINK_IWARP;
	struct rdma_conn_param param;

	if (!b)
		return fail(error, "ids", ENOMEM);
	if (move(*a, qa, IBV_QPS_INIT, job, "modify_qp to INIT", error))
		return -1;
	param = conn_param(qa, job);
	param.private_data = &cm->nonce;
	param.private_data_len = sizeof(cm->nonce);
	if (rdma_connect(*a, &param))
		return fail(error, "connect", errno);
	if (await(cm, RDMA_CM_EVENT_CONNECT_REQUEST, b, *a, error) ||
	    move(*b, qb, IBV_QPS_INIT, job, "modify_qp to INIT", error) ||
	    (verbs && to_rts(*b, qb, job, error)))
		return -1;
	param = conn_param(qb, job);
	if (rdma_accept(*b, &param))
		return fail(error, "accept", errno);
	if (!verbs)
		return await_both(cm, *a, *b, error);
	if (await(cm, RDMA_CM_EVENT_CONNECT_RESPONSE, a, *b, error) ||
	    to_rts(*a, qa, job, error))
		return -1;
	if (rdma_establish(*a))
		return fail(error, "establish", errno);
	return await(cm, RDMA_CM_EVENT_ESTABLISHED, b, *a, error);
}

/*
 * End a connection, until both ends have been told. It is the end that accepted which
 * begins: TCP's TIME_WAIT then is at the listener's port, and does not use up the others.
 */
static int part(const struct kv_cm *cm, struct rdma_cm_id *a, struct rdma_cm_id *b,
		const struct kv_port *port, struct kv_error *error)
{
	struct rdma_cm_id *const id[2] = { a, b };
	bool told[2] = { false, false };

	if (rdma_disconnect(b))
		return fail(error, "disconnect", errno);
	if (await_end(cm, id, 0, told, error))
		return -1;
	/* a request of IB to part is answered by the same call */
	if (port->caps.link != KVERBS_LINK_IWARP && rdma_disconnect(a))
		return fail(error, "disconnect", errno);
	return await_end(cm, id, 1, told, error);
}

/**
 * kv_cm_connect - connect a QP of an end to that of its peer
 * @end: that asks
 * @peer: that accepts
 * @i: which of their QPs
 * @port: kv_cm_open() was called
 * @job: as granted
 * @error: filled on failure
 * Return: 0 with both in RTS, or -1; kv_cm_leave() undoes what was done either way
 */
int kv_cm_connect(struct kv_end *end, struct kv_end *peer, u32 i, const struct kv_port *port,
		  const struct kv_job *job, struct kv_error *error)
{
	struct rdma_cm_id **a = new_id(end, job), **b = new_id(peer, job);
	const struct kv_cm *cm = port->cm;

	return create_id(cm, a, error) || resolve_addr(cm, *a, error) ||
	       resolve_route(cm, *a, error) ||
	       join(cm, a, kv_qp_at(end, i), b, kv_qp_at(peer, i), port, job, error) ? -1 : 0;
}

/**
 * kv_cm_call - one step of a connection, which the steps before it have prepared
 * @cm: by which it is connected
 * @end: that asks
 * @peer: that accepts
 * @what: enum kverbs_metric that it is timed as
 * @port: opened
 * @job: as granted
 * Return: 0 or -errno; 1: stopped while it waited
 */
int kv_cm_call(const struct kv_cm *cm, struct kv_end *end, struct kv_end *peer, u32 what,
	       const struct kv_port *port, const struct kv_job *job)
{
	struct kv_error error;
	int rc;

	switch (what) {
	case KVERBS_METRIC_CREATE_ID:
		rc = create_id(cm, new_id(end, job), &error);
		break;
	case KVERBS_METRIC_RESOLVE_ADDR:
		rc = resolve_addr(cm, *end->id, &error);
		break;
	case KVERBS_METRIC_RESOLVE_ROUTE:
		rc = resolve_route(cm, *end->id, &error);
		break;
	case KVERBS_METRIC_CONNECT:
		rc = join(cm, end->id, end->qp, new_id(peer, job), peer->qp, port, job, &error);
		break;
	case KVERBS_METRIC_DISCONNECT:
		rc = part(cm, *end->id, *peer->id, port, &error);
		break;
	default:
		return -EINVAL;
	}
	if (rc)
		return errno == EINTR ? 1 : -errno;
	return 0;
}

/*
 * Before the QPs are destroyed: a driver of iWARP may wait for rdma_cm to let go of them.
 * To leave waits for the answer to a request of this end: an end that accepts leaves before
 * the one that asks, and kv_cm_shut() comes before both.
 */
void kv_cm_leave(struct kv_end *end)
{
	while (end->nid) {
		if (end->id[--end->nid])
			rdma_destroy_id(end->id[end->nid]);
	}
	free(end->id);
	end->id = NULL;
}
