// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The fabric: which port gets a packet. Ports of this process hear each other
 * directly; a second process is joined by a local socket. Whoever comes first
 * to the socket listens and has the low LIDs, the other connects.
 */
#include "hca.h"
#include "fault.h"
#include <sys/socket.h>
#include <sys/un.h>

enum { QUEUE_MAX = 16384, SECOND_NODE = 64, MAGIC = 0x6b766862 };

static QemuMutex fabric_lock;
static QTAILQ_HEAD(, hca) ports = QTAILQ_HEAD_INITIALIZER(ports);
static unsigned int attached, node;
static int peer_fd = -1, listen_fd = -1;
static bool joined;

static void __attribute__((constructor)) fabric_init(void)
{
	qemu_mutex_init(&fabric_lock);
}

void fabric_attach(struct hca *hca)
{
	qemu_mutex_lock(&fabric_lock);
	hca->number = attached++;
	hca->lid = 1 + node * SECOND_NODE + hca->number;
	hca->guid = 0x0002c90300000000ULL + ((uint64_t)node << 16) + ((hca->number + 1) << 8);
	hca->mac[0] = 0x02;
	hca->mac[1] = 0x4b;
	hca->mac[2] = 0x56;
	hca->mac[3] = 0;
	hca->mac[4] = node;
	hca->mac[5] = hca->number + 1;
	hca->link_up = true;
	QTAILQ_INSERT_TAIL(&ports, hca, link);
	qemu_mutex_unlock(&fabric_lock);
}

void fabric_detach(struct hca *hca)
{
	qemu_mutex_lock(&fabric_lock);
	QTAILQ_REMOVE(&ports, hca, link);
	qemu_mutex_unlock(&fabric_lock);
}

/* A packet arrives at a port. */
void fabric_deliver(struct hca *hca, const struct hca_pkt *p, int64_t delay)
{
	struct hca_rx *r;

	if (!hca->link_up || hca->dead)
		return;
	r = g_malloc(sizeof(*r) + p->len);
	memcpy(&r->pkt, p, sizeof(*p) + p->len);
	r->due = delay ? hca_now(hca) + delay : 0;
	qemu_mutex_lock(&hca->lock);
	if (hca->rx_count >= QUEUE_MAX) {
		g_free(r);
		r = NULL;
	} else {
		hca->rx_count++;
		QTAILQ_INSERT_TAIL(&hca->rx, r, link);
	}
	qemu_mutex_unlock(&hca->lock);
	engine_kick(hca);
}

static bool is_multicast(const struct hca_pkt *p)
{
	return p->type == QPT_UD && p->dqpn == 0xffffff;
}

static bool port_is(const struct hca *hca, const struct hca_pkt *p)
{
	if (p->op == PKT_ETH)
		return hca->roce;
	if (hca->roce != (p->roce != 0))
		return false;
	if (is_multicast(p))
		return true;
	return hca->roce ? !memcmp(p->dmac, hca->mac, 6) : p->dlid == hca->lid;
}

/* Ownership of the packet passes to the fabric. */
void fabric_send(struct hca *hca, struct hca_qp *qp, struct hca_pkt *p)
{
	struct hca *to;
	int64_t delay = 0;
	unsigned int copies;

	if (p->op != PKT_ETH) {
		uint8_t index = p->roce;

		p->roce = 0;
		p->slid = hca->lid;
		p->pkey = 0xffff;
		memcpy(p->smac, hca->mac, 6);
		if (hca->roce) {
			const typeof(hca->gids[0]) *g = &hca->gids[index % HCA_GIDS];

			if (!g->valid) {
				hca_trace(hca, "QP 0x%x sends from GID %u, which is empty", p->sqpn,
					  index);
				goto drop;
			}
			memcpy(p->sgid, g->gid, 16);
			p->roce = g->version == 0 ? 1 : g->l3 == 0 ? 3 : 2;
		} else if (p->flags & PKT_F_GRH) {
			stq_be_p(p->sgid, 0xfe80000000000000ULL);
			stq_be_p(p->sgid + 8, hca->guid);
		}
	}
	hca->cnt.tx_packets++;
	hca->cnt.tx_bytes += p->len;
	if (!hca->link_up || hca->dead)
		goto drop;
	copies = fault_packet(hca, &delay);

	qemu_mutex_lock(&fabric_lock);
	for (; copies; copies--) {
		bool here = false;

		QTAILQ_FOREACH(to, &ports, link) {
			if (!port_is(to, p) || (p->op == PKT_ETH && to == hca))
				continue;
			fabric_deliver(to, p, delay);
			here = !is_multicast(p) && p->op != PKT_ETH;
			if (here)
				break;
		}
		if (!here && peer_fd >= 0) {
			uint32_t magic = MAGIC;
			struct iovec v[2] = {{&magic, sizeof(magic)}, {p, sizeof(*p) + p->len}};
			struct msghdr m = { .msg_iov = v, .msg_iovlen = 2 };

			if (sendmsg(peer_fd, &m, MSG_NOSIGNAL) < 0)
				hca_trace(hca, "peer lost a packet: %s", strerror(errno));
		}
	}
	qemu_mutex_unlock(&fabric_lock);
drop:
	g_free(p);
}

/* ---- the other process ------------------------------------------------------------ */

static void peer_packet(const uint8_t *buf, ssize_t n)
{
	const struct hca_pkt *p = (const void *)(buf + 8);
	struct hca *hca;

	if (n < 4 + (ssize_t)sizeof(*p) || *(const uint32_t *)(buf + 4) != MAGIC ||
	    p->len > HCA_MAX_FRAME || n != 4 + (ssize_t)(sizeof(*p) + p->len))
		return;
	qemu_mutex_lock(&fabric_lock);
	QTAILQ_FOREACH(hca, &ports, link)
		if (port_is(hca, p))
			fabric_deliver(hca, p, 0);
	qemu_mutex_unlock(&fabric_lock);
}

static void *peer_thread(void *opaque)
{
	/* Eight bytes in front keep the packet aligned behind the magic number. */
	static uint8_t buf[16384] __attribute__((aligned(16)));

	for (;;) {
		ssize_t n;
		int fd = qatomic_read(&peer_fd);

		if (fd < 0) {
			fd = accept(listen_fd, NULL, NULL);
			if (fd < 0)
				return NULL;
			qatomic_set(&peer_fd, fd);
		}
		n = recv(fd, buf + 4, sizeof(buf) - 4, 0);
		if (n > 0) {
			peer_packet(buf, n);
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		qemu_mutex_lock(&fabric_lock);
		qatomic_set(&peer_fd, -1);
		close(fd);
		qemu_mutex_unlock(&fabric_lock);
		if (listen_fd < 0)
			return NULL;
	}
}

bool fabric_join(const char *path, char **error)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	QemuThread t;
	int fd;

	if (joined)
		return true;
	if (strlen(path) >= sizeof(a.sun_path)) {
		*error = g_strdup_printf(
			"peer socket '%s' is longer than %zu characters: use a shorter path", path,
			sizeof(a.sun_path) - 1);
		return false;
	}
	strcpy(a.sun_path, path);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (!connect(fd, (struct sockaddr *)&a, sizeof(a))) {
		node = 1;
		peer_fd = fd;
	} else {
		unlink(path);	/* nobody listens: a leftover, or nothing at all */
		if (bind(fd, (struct sockaddr *)&a, sizeof(a)) || listen(fd, 1)) {
			*error = g_strdup_printf("peer socket '%s': %s", path, strerror(errno));
			close(fd);
			return false;
		}
		listen_fd = fd;
	}
	joined = true;
	qemu_thread_create(&t, "hca-peer", peer_thread, NULL, QEMU_THREAD_DETACHED);
	return true;
}
