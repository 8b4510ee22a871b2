/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The data path of a null device: a WR completes in the call that posts it, and its WC
 * is found by the next poll. Nothing is sent, and no payload is moved: what a job costs
 * there is the harness. The kernel's null device (tests/nullhca) and the user engine's
 * compile this same text.
 *
 * The includer first defines u32 and u64 and, as macros or static inline functions:
 *
 *   kv_null_inline, kv_null_noinline
 *   kv_null_wr, kv_null_rwr, kv_null_wc   the side's WRs and WC
 *   struct kv_null_lock, kv_null_lock(), kv_null_unlock()
 *   kv_null_load(p), kv_null_store(p, v)  acquire and release
 *   kv_null_fence()                       full barrier
 *   kv_null_bytes(wr), kv_null_imm(wr)    payload, immediate data or rkey
 *   kv_null_fill(wc, done)                a WC out of what the ring has
 *   kv_null_notify(cq)                    it was armed, and a WC came; may hold the lock
 *
 * The owner of a QP posts, and the owner of its CQ polls, one thread at a time each, as
 * lanes do: completions of what takes no receive know no lock. What takes a receive at
 * the peer does, one of the whole device; where none is there the WR waits for it, and
 * so do all after it.
 */
#ifndef _KVERBS_NULL_H
#define _KVERBS_NULL_H

#define KV_NULL_SIGNALED	(1U << 1)	/* IB_SEND_SIGNALED, IBV_SEND_SIGNALED */
#define KV_NULL_FLUSHED		5	/* IB_WC_WR_FLUSH_ERR, IBV_WC_WR_FLUSH_ERR */
#define KV_NULL_NO_PEER		12	/* ..._RETRY_EXC_ERR */

#define KV_NULL_MAX_WR		65536
#define KV_NULL_MAX_CQE		(4 * KV_NULL_MAX_WR)
#define KV_NULL_MAX_SGE		16
#define KV_NULL_MAX_INLINE	1024

/* what the device says of itself, where both verbs have the same name for it */
#define kv_null_device_attr(attr) do {			\
	(attr)->max_mr_size = ~0ULL;			\
	(attr)->max_qp = 16384;				\
	(attr)->max_qp_wr = KV_NULL_MAX_WR;		\
	(attr)->max_sge_rd = KV_NULL_MAX_SGE;		\
	(attr)->max_cq = 32768;				\
	(attr)->max_cqe = KV_NULL_MAX_CQE;		\
	(attr)->max_mr = 65536;				\
	(attr)->max_pd = 65536;				\
	(attr)->max_qp_rd_atom = 16;			\
	(attr)->max_qp_init_rd_atom = 16;		\
	(attr)->max_pkeys = 1;				\
} while (0)

/* likewise of its port */
#define kv_null_port_attr(attr) do {			\
	(attr)->gid_tbl_len = 1;			\
	(attr)->pkey_tbl_len = 1;			\
	(attr)->max_msg_sz = 1U << 30;			\
	(attr)->lid = 1;				\
	(attr)->sm_lid = 1;				\
} while (0)

/* opcodes that take a receive: RDMA WRITE with immediate, SENDs */
#define KV_NULL_TAKES		((1ULL << 1) | (1ULL << 2) | (1ULL << 3) | (1ULL << 9))

/**
 * struct kv_null_done - a completion
 * @id: wr_id
 * @qp: &struct kv_null_qp
 * @opcode: of the WR, also of the one that took a receive
 * @status: enum ib_wc_status
 * @bytes: payload
 * @imm: immediate data or rkey
 * @recv: of a receive
 */
struct kv_null_done {
	u64 id;
	struct kv_null_qp *qp;
	u32 opcode;
	u32 status;
	u32 bytes;
	u32 imm;
	u32 recv;
};

/**
 * struct kv_null_ring - completions, from one producer to one consumer
 * @head: put
 * @tail: taken
 * @mask: entries of @done less one, a power of two less one
 * @done: entries
 */
struct kv_null_ring {
	u64 head;
	u64 tail;
	u64 mask;
	struct kv_null_done *done;
};

/**
 * struct kv_null_cq - completion queue
 * @own: put by who posts
 * @came: put under the lock: what the peer completes, and what comes after it
 * @lost: completions that found no room
 * @notifies: somebody may arm it
 * @armed: the next completion notifies
 */
struct kv_null_cq {
	struct kv_null_ring own;
	struct kv_null_ring came;
	u64 lost;
	u32 notifies;
	u32 armed;
};

/**
 * struct kv_null_wait - a WR that waits for a receive of the peer
 * @done: its completion
 * @signalled: it has one
 */
struct kv_null_wait {
	struct kv_null_done done;
	u32 signalled;
};

/**
 * struct kv_null_qp - queue pair
 * @lock: of the device
 * @scq: of its sends
 * @rcq: of its receives
 * @peer: whose receives its sends take
 * @sender: whose @peer this one is
 * @slow: not the short way: something waits, or is to stay behind what waited; or @failed
 * @failed: in ERR
 * @recv: wr_ids of receives, a ring
 * @wait: WRs that wait, a ring
 */
struct kv_null_qp {
	struct kv_null_lock *lock;
	struct kv_null_cq *scq;
	struct kv_null_cq *rcq;
	struct kv_null_qp *peer;
	struct kv_null_qp *sender;
	u32 slow;
	u32 failed;
	u64 *recv;
	u64 recv_head;
	u64 recv_tail;
	u64 recv_mask;
	struct kv_null_wait *wait;
	u64 wait_head;
	u64 wait_tail;
	u64 wait_mask;
};

/* entries of a ring that has room for n */
static inline u64 kv_null_room(u64 n)
{
	u64 room = 2;

	while (room < n)
		room *= 2;
	return room;
}

/* a WC was put: whoever arms after it looks for it himself */
static inline void kv_null_tell(struct kv_null_cq *cq)
{
	kv_null_fence();
	if (__atomic_exchange_n(&cq->armed, 0, __ATOMIC_SEQ_CST))
		kv_null_notify(cq);
}

kv_null_inline void kv_null_put(struct kv_null_cq *cq, struct kv_null_ring *ring,
				struct kv_null_qp *qp, u64 id, u32 opcode, u32 status,
				u32 bytes)
{
	u64 head = ring->head;
	struct kv_null_done *done = &ring->done[head & ring->mask];

	if (__builtin_expect(head - kv_null_load(&ring->tail) > ring->mask, 0)) {
		cq->lost++;
		return;
	}
	done->id = id;
	done->qp = qp;
	done->opcode = opcode;
	done->status = status;
	done->bytes = bytes;
	done->recv = 0;
	kv_null_store(&ring->head, head + 1);
	if (__builtin_expect(cq->notifies, 0))
		kv_null_tell(cq);
}

/* under the lock */
static inline void kv_null_put_came(struct kv_null_cq *cq, const struct kv_null_done *done)
{
	struct kv_null_ring *ring = &cq->came;
	u64 head = ring->head;

	if (head - kv_null_load(&ring->tail) > ring->mask) {
		cq->lost++;
		return;
	}
	ring->done[head & ring->mask] = *done;
	kv_null_store(&ring->head, head + 1);
	if (cq->notifies)
		kv_null_tell(cq);
}

/* the peer's next receive takes a message; under the lock */
static inline void kv_null_deliver(struct kv_null_qp *to, const struct kv_null_done *sent)
{
	struct kv_null_done done = *sent;

	done.id = to->recv[to->recv_tail++ & to->recv_mask];
	done.qp = to;
	done.recv = 1;
	kv_null_put_came(to->rcq, &done);
}

static inline u32 kv_null_takes(u32 opcode)
{
	return opcode < 64 && (KV_NULL_TAKES >> opcode & 1);
}

/* a WR that takes a receive, or comes after one that waits: 0, or -1 without room */
static kv_null_noinline int kv_null_post_slow(struct kv_null_qp *qp, const kv_null_wr *wr)
{
	struct kv_null_done done = {
		.id = wr->wr_id,
		.qp = qp,
		.opcode = wr->opcode,
		.bytes = kv_null_bytes(wr),
		.imm = kv_null_imm(wr),
	};
	u32 signalled = !!(wr->send_flags & KV_NULL_SIGNALED);
	u32 takes = kv_null_takes(wr->opcode), waits;
	struct kv_null_qp *peer;
	int rc = 0;

	kv_null_lock(qp->lock);
	peer = qp->peer;
	if (qp->failed) {
		done.status = KV_NULL_FLUSHED;
		kv_null_put_came(qp->scq, &done);
		goto out;
	}
	if (takes && !peer) {
		done.status = KV_NULL_NO_PEER;
		kv_null_put_came(qp->scq, &done);
		goto out;
	}
	waits = qp->wait_head != qp->wait_tail ||
		(takes && peer->recv_head == peer->recv_tail);
	if (waits) {
		qp->slow = 1;
		if (qp->wait_head - qp->wait_tail > qp->wait_mask) {
			rc = -1;
			goto out;
		}
		qp->wait[qp->wait_head & qp->wait_mask].done = done;
		qp->wait[qp->wait_head++ & qp->wait_mask].signalled = signalled;
		goto out;
	}
	if (takes)
		kv_null_deliver(peer, &done);
	/* what waited may not have been polled yet: stay behind it */
	qp->slow = qp->slow &&
		   qp->scq->came.head != kv_null_load(&qp->scq->came.tail);
	if (signalled && qp->slow)
		kv_null_put_came(qp->scq, &done);
	else if (signalled)
		kv_null_put(qp->scq, &qp->scq->own, qp, done.id, done.opcode, 0, done.bytes);
out:
	kv_null_unlock(qp->lock);
	return rc;
}

/* one WR: 0, or -1 when too many wait */
kv_null_inline int kv_null_post_one(struct kv_null_qp *qp, const kv_null_wr *wr)
{
	u32 opcode = wr->opcode;

	if (__builtin_expect(qp->slow, 0) || kv_null_takes(opcode))
		return kv_null_post_slow(qp, wr);
	if (wr->send_flags & KV_NULL_SIGNALED)
		kv_null_put(qp->scq, &qp->scq->own, qp, wr->wr_id, opcode, 0,
			    kv_null_bytes(wr));
	return 0;
}

/**
 * kv_null_post - post a chain
 * @qp: queue pair
 * @wr: its first WR
 * Return: NULL, or the first WR that was not posted
 */
kv_null_inline const kv_null_wr *kv_null_post(struct kv_null_qp *qp, const kv_null_wr *wr)
{
	for (; wr; wr = wr->next) {
		if (kv_null_post_one(qp, wr))
			return wr;
	}
	return (void *)0;
}

/* receives came for what waits; under the lock */
static inline void kv_null_drain(struct kv_null_qp *from, struct kv_null_qp *to)
{
	struct kv_null_wait *wait;

	while (from->wait_head != from->wait_tail) {
		wait = &from->wait[from->wait_tail & from->wait_mask];
		if (kv_null_takes(wait->done.opcode)) {
			if (to->recv_head == to->recv_tail)
				return;
			kv_null_deliver(to, &wait->done);
		}
		from->wait_tail++;
		if (wait->signalled)
			kv_null_put_came(from->scq, &wait->done);
	}
}

/**
 * kv_null_post_recv - post receives
 * @qp: queue pair
 * @wr: the first
 * Return: NULL, or the first that was not posted
 */
static inline const kv_null_rwr *kv_null_post_recv(struct kv_null_qp *qp,
						   const kv_null_rwr *wr)
{
	struct kv_null_done flushed = { .qp = qp, .status = KV_NULL_FLUSHED, .recv = 1 };

	kv_null_lock(qp->lock);
	for (; wr; wr = wr->next) {
		if (qp->failed) {
			flushed.id = wr->wr_id;
			kv_null_put_came(qp->rcq, &flushed);
			continue;
		}
		if (qp->recv_head - qp->recv_tail > qp->recv_mask)
			break;
		qp->recv[qp->recv_head++ & qp->recv_mask] = wr->wr_id;
	}
	if (qp->sender && !qp->failed)
		kv_null_drain(qp->sender, qp);
	kv_null_unlock(qp->lock);
	return wr;
}

kv_null_inline int kv_null_poll_ring(struct kv_null_ring *ring, int max, kv_null_wc *wc)
{
	u64 tail = ring->tail, head;
	int n;

	head = kv_null_load(&ring->head);
	for (n = 0; n < max && tail != head; n++, tail++)
		kv_null_fill(&wc[n], &ring->done[tail & ring->mask]);
	if (n)
		kv_null_store(&ring->tail, tail);
	return n;
}

/**
 * kv_null_poll - poll
 * @cq: completion queue
 * @max: most WCs to take
 * @wc: filled
 * Return: number of WCs
 */
kv_null_inline int kv_null_poll(struct kv_null_cq *cq, int max, kv_null_wc *wc)
{
	/* of what one QP completed, that in @own is the older */
	int n = kv_null_poll_ring(&cq->own, max, wc);

	if (n < max)
		n += kv_null_poll_ring(&cq->came, max - n, wc + n);
	return n;
}

/* arm: 1 when there is already something to poll */
static inline int kv_null_arm(struct kv_null_cq *cq)
{
	__atomic_store_n(&cq->armed, 1, __ATOMIC_SEQ_CST);
	kv_null_fence();
	return cq->own.tail != kv_null_load(&cq->own.head) ||
	       cq->came.tail != kv_null_load(&cq->came.head);
}

/* the QP goes to ERR: what is outstanding is flushed */
static inline void kv_null_fail(struct kv_null_qp *qp)
{
	struct kv_null_done flushed = { .qp = qp, .status = KV_NULL_FLUSHED };
	struct kv_null_wait *wait;

	kv_null_lock(qp->lock);
	qp->failed = 1;
	qp->slow = 1;
	while (qp->wait_head != qp->wait_tail) {
		wait = &qp->wait[qp->wait_tail++ & qp->wait_mask];
		wait->done.status = KV_NULL_FLUSHED;
		kv_null_put_came(qp->scq, &wait->done);
	}
	flushed.recv = 1;
	while (qp->recv_head != qp->recv_tail) {
		flushed.id = qp->recv[qp->recv_tail++ & qp->recv_mask];
		kv_null_put_came(qp->rcq, &flushed);
	}
	kv_null_unlock(qp->lock);
}

/* the QP goes to RESET: what is outstanding is forgotten */
static inline void kv_null_reset(struct kv_null_qp *qp)
{
	kv_null_lock(qp->lock);
	qp->failed = 0;
	qp->slow = 0;
	qp->wait_tail = qp->wait_head;
	qp->recv_tail = qp->recv_head;
	kv_null_unlock(qp->lock);
}

static inline void kv_null_leave(struct kv_null_qp *qp)
{
	if (qp->peer && qp->peer->sender == qp)
		qp->peer->sender = (void *)0;
	qp->peer = (void *)0;
}

/* name the peer; to none: NULL */
static inline void kv_null_connect(struct kv_null_qp *qp, struct kv_null_qp *peer)
{
	kv_null_lock(qp->lock);
	kv_null_leave(qp);
	qp->peer = peer;
	if (peer)
		peer->sender = qp;
	kv_null_unlock(qp->lock);
}

/* the QP is to be destroyed: nobody names it any more */
static inline void kv_null_part(struct kv_null_qp *qp)
{
	kv_null_lock(qp->lock);
	kv_null_leave(qp);
	if (qp->sender)
		qp->sender->peer = (void *)0;
	qp->sender = (void *)0;
	kv_null_unlock(qp->lock);
}

#endif /* _KVERBS_NULL_H */
