/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * An RDMA device without hardware, for tests: a WR completes in the call that posts it.
 * It can be scripted to fail (see script.c).
 */
#ifndef NULLHCA_H
#define NULLHCA_H

#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>

/* the lock of what two QPs share; of the device */
struct kv_null_lock {
	spinlock_t lock;	/* receives, and what waits for them */
	unsigned long flags;
};

static inline void kv_null_lock(struct kv_null_lock *lock)
{
	unsigned long flags;

	spin_lock_irqsave(&lock->lock, flags);
	lock->flags = flags;
}

static inline void kv_null_unlock(struct kv_null_lock *lock)
{
	spin_unlock_irqrestore(&lock->lock, lock->flags);
}

#define kv_null_inline		static __always_inline
#define kv_null_noinline	noinline
#define kv_null_wr		struct ib_send_wr
#define kv_null_rwr		struct ib_recv_wr
#define kv_null_wc		struct ib_wc
/* what pairs with what stands in kverbs/null.h */
#define kv_null_load(p)		smp_load_acquire(p)	/* of kv_null_store() */
#define kv_null_store(p, v)	smp_store_release(p, v)	/* of kv_null_load() */
#define kv_null_fence()		smp_mb()	/* between a WC and being armed */

static inline u32 kv_null_bytes(const struct ib_send_wr *wr)
{
	u32 bytes = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++)
		bytes += wr->sg_list[i].length;
	return bytes;
}

static inline u32 kv_null_imm(const struct ib_send_wr *wr)
{
	return wr->ex.invalidate_rkey;
}

struct kv_null_done;
struct kv_null_cq;
static inline void kv_null_fill(struct ib_wc *wc, const struct kv_null_done *done);
static inline void kv_null_notify(struct kv_null_cq *cq);

#include <kverbs/null.h>

/**
 * struct null_cq - completion queue
 * @ib: what ib_core sees
 * @cq: queue
 * @script: what a script does to its WCs
 * @script.held: WCs on their way, the first in front
 * @script.nheld: how many
 * @script.until: nothing comes before, jiffies; 0: no such time
 * @script.dead: it has overrun, nothing comes any more
 */
struct null_cq {
	struct ib_cq ib;
	struct kv_null_cq cq;
	struct {
		struct ib_wc held[4];
		u32 nheld;
		unsigned long until;
		bool dead;
	} script;
};

struct null_pd {
	struct ib_pd ib;
};

struct null_qp {
	struct ib_qp ib;
	struct kv_null_qp qp;
	enum ib_qp_state state;
};

struct null_mr {
	struct ib_mr ib;
	u32 max;	/* pages that it has room for */
	u32 pages;	/* of the mapping */
};

/**
 * struct null_dev - device
 * @ib: what ib_core sees
 * @lock: see kverbs/null.h
 * @qps: QPs by number
 * @keys: the last one given out
 */
struct null_dev {
	struct ib_device ib;
	struct kv_null_lock lock;
	struct xarray qps;
	atomic_t keys;
};

static inline void kv_null_fill(struct ib_wc *wc, const struct kv_null_done *done)
{
	struct null_qp *qp = container_of(done->qp, struct null_qp, qp);

	wc->wr_id = done->id;
	wc->status = done->status;
	wc->vendor_err = 0;
	wc->byte_len = done->bytes;
	wc->qp = &qp->ib;
	wc->src_qp = qp->ib.qp_num;
	wc->wc_flags = 0;
	wc->pkey_index = 0;
	if (likely(!done->recv)) {
		wc->opcode = done->opcode == IB_WR_RDMA_WRITE ? IB_WC_RDMA_WRITE :
			     done->opcode == IB_WR_RDMA_READ ? IB_WC_RDMA_READ :
			     done->opcode == IB_WR_REG_MR ? IB_WC_REG_MR :
			     done->opcode == IB_WR_LOCAL_INV ? IB_WC_LOCAL_INV :
			     done->opcode == IB_WR_ATOMIC_CMP_AND_SWP ? IB_WC_COMP_SWAP :
			     done->opcode == IB_WR_ATOMIC_FETCH_AND_ADD ? IB_WC_FETCH_ADD :
			     done->opcode == IB_WR_RDMA_WRITE_WITH_IMM ? IB_WC_RDMA_WRITE :
			     IB_WC_SEND;
		return;
	}
	wc->opcode = done->opcode == IB_WR_RDMA_WRITE_WITH_IMM ?
		     IB_WC_RECV_RDMA_WITH_IMM : IB_WC_RECV;
	wc->ex.invalidate_rkey = done->imm;
	if (done->opcode == IB_WR_SEND_WITH_INV)
		wc->wc_flags = IB_WC_WITH_INVALIDATE;
	else if (done->opcode != IB_WR_SEND)
		wc->wc_flags = IB_WC_WITH_IMM;
}

static inline void kv_null_notify(struct kv_null_cq *cq)
{
	struct null_cq *null = container_of(cq, struct null_cq, cq);

	null->ib.comp_handler(&null->ib, null->ib.cq_context);
}

/* what a script can act on; the order is that of their names in script.c */
enum null_call {
	NULL_ALLOC_PD,
	NULL_CREATE_CQ,
	NULL_CREATE_QP,
	NULL_MODIFY_QP,
	NULL_ALLOC_MR,
	NULL_MAP_MR_SG,
	NULL_QUERY_PORT,
	/* the data path: only while a script is on it */
	NULL_POST_SEND,		/* counts WRs */
	NULL_POST_RECV,		/* likewise */
	NULL_POLL_CQ,
	NULL_WC,
	NULL_CALLS,
};

/* path.c */
void null_path_ops(struct ib_device *ib, bool scripted);

/* device.c */
int null_plug(void);
void null_unplug(void);
void null_unplug_later(void);
void null_set_scripted(bool scripted);

/* script.c */
struct null_verdict {
	int err;		/* the call fails with it */
	u32 wc;			/* enum null_wc */
	u32 status;
	u32 delay_ms;
	u32 event;		/* enum ib_event_type + 1 */
};

enum null_wc {
	NULL_WC_AS_IS,
	NULL_WC_STATUS,
	NULL_WC_DROP,
	NULL_WC_DUP,
	NULL_WC_SWAP,
	NULL_WC_DELAY,
	NULL_WC_OVERFLOW,
};

/**
 * null_script - a call is made: what does the script say?
 * @call: which
 * @verdict: filled
 * Return: its @err
 */
int null_script(enum null_call call, struct null_verdict *verdict);
int null_fails(enum null_call call, struct ib_device *ib);
void null_raise(struct ib_device *ib, struct ib_qp *qp, struct ib_cq *cq, u32 event);
int null_script_init(void);
void null_script_exit(void);

#endif /* NULLHCA_H */
