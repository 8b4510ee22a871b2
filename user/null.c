// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The user engine's null device: a verbs context of our own, whose post_send and
 * poll_cq stand where a provider's do, so that the inline ibv_post_send() reaches them
 * by the same indirect call. What happens there is kverbs/null.h, as in the kernel's
 * null device (tests/nullhca).
 *
 * libibverbs finds a provider's other functions by a structure that is private to it. So
 * the linker (--wrap, see the Makefile) hands each such call to a function here, which
 * goes on to libibverbs for any other device.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "side.h"
#include "null.h"

struct kv_null_lock {
	pthread_mutex_t lock;
};

static void kv_null_lock(struct kv_null_lock *lock)
{
	pthread_mutex_lock(&lock->lock);
}

static void kv_null_unlock(struct kv_null_lock *lock)
{
	pthread_mutex_unlock(&lock->lock);
}

#define kv_null_inline		kv_inline
#define kv_null_noinline	__attribute__((noinline))
#define kv_null_wr		struct ibv_send_wr
#define kv_null_rwr		struct ibv_recv_wr
#define kv_null_wc		struct ibv_wc
#define kv_null_load(p)		__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define kv_null_store(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)
#define kv_null_fence()		__atomic_thread_fence(__ATOMIC_SEQ_CST)
/* there are no completion channels on this device */
#define kv_null_notify(cq)	((void)(cq))

static inline u32 kv_null_bytes(const struct ibv_send_wr *wr)
{
	u32 bytes = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++)
		bytes += wr->sg_list[i].length;
	return bytes;
}

static inline u32 kv_null_imm(const struct ibv_send_wr *wr)
{
	return wr->imm_data;
}

struct kv_null_done;
static inline void kv_null_fill(struct ibv_wc *wc, const struct kv_null_done *done);

#include "kverbs/null.h"

/**
 * struct null_qp - queue pair
 * @ib: what libibverbs gives out
 * @next: in the list of the device
 */
struct null_qp {
	struct ibv_qp ib;
	struct kv_null_qp qp;
	struct null_qp *next;
};

struct null_cq {
	struct ibv_cq ib;
	struct kv_null_cq cq;
};

/**
 * struct null_dev - opened device
 * @context: what libibverbs gives out
 * @silence: other end of the asynchronous events, of which none come
 * @lock: see kverbs/null.h; also of the members below
 * @qps: all of them
 * @numbers: the last QP number or key given out
 */
struct null_dev {
	struct ibv_context context;
	struct ibv_device device;
	int silence;
	struct kv_null_lock lock;
	struct null_qp *qps;
	u32 numbers;
};

static const enum ibv_wc_opcode sent[] = {
	[IBV_WR_RDMA_WRITE] = IBV_WC_RDMA_WRITE,
	[IBV_WR_RDMA_WRITE_WITH_IMM] = IBV_WC_RDMA_WRITE,
	[IBV_WR_SEND] = IBV_WC_SEND,
	[IBV_WR_SEND_WITH_IMM] = IBV_WC_SEND,
	[IBV_WR_RDMA_READ] = IBV_WC_RDMA_READ,
	[IBV_WR_ATOMIC_CMP_AND_SWP] = IBV_WC_COMP_SWAP,
	[IBV_WR_ATOMIC_FETCH_AND_ADD] = IBV_WC_FETCH_ADD,
	[IBV_WR_LOCAL_INV] = IBV_WC_LOCAL_INV,
	[IBV_WR_BIND_MW] = IBV_WC_BIND_MW,
	[IBV_WR_SEND_WITH_INV] = IBV_WC_SEND,
};

static inline struct null_qp *qp_of(struct kv_null_qp *qp)
{
	return (struct null_qp *)((char *)qp - offsetof(struct null_qp, qp));
}

static inline void kv_null_fill(struct ibv_wc *wc, const struct kv_null_done *done)
{
	wc->wr_id = done->id;
	wc->status = done->status;
	wc->vendor_err = 0;
	wc->byte_len = done->bytes;
	wc->qp_num = qp_of(done->qp)->ib.qp_num;
	wc->src_qp = wc->qp_num;
	wc->wc_flags = 0;
	wc->pkey_index = 0;
	if (__builtin_expect(!done->recv, 1)) {
		wc->opcode = done->opcode < KV_ARRAY_SIZE(sent) ? sent[done->opcode] : IBV_WC_SEND;
		return;
	}
	wc->opcode = done->opcode == IBV_WR_RDMA_WRITE_WITH_IMM ? IBV_WC_RECV_RDMA_WITH_IMM :
								 IBV_WC_RECV;
	wc->imm_data = done->imm;
	if (done->opcode == IBV_WR_SEND_WITH_INV)
		wc->wc_flags = IBV_WC_WITH_INV;
	else if (done->opcode != IBV_WR_SEND)
		wc->wc_flags = IBV_WC_WITH_IMM;
}

static int post_send(struct ibv_qp *ib, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	struct null_qp *qp = (struct null_qp *)ib;

	wr = (struct ibv_send_wr *)kv_null_post(&qp->qp, wr);
	if (__builtin_expect(!!wr, 0))
		*bad = wr;
	return wr ? ENOMEM : 0;
}

static int post_recv(struct ibv_qp *ib, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct null_qp *qp = (struct null_qp *)ib;

	wr = (struct ibv_recv_wr *)kv_null_post_recv(&qp->qp, wr);
	if (__builtin_expect(!!wr, 0))
		*bad = wr;
	return wr ? ENOMEM : 0;
}

static int poll_cq(struct ibv_cq *ib, int max, struct ibv_wc *wc)
{
	struct null_cq *cq = (struct null_cq *)ib;

	return kv_null_poll(&cq->cq, max, wc);
}

static struct null_dev *null_of(struct ibv_context *context)
{
	return context->ops.post_send == post_send ? (struct null_dev *)context : NULL;
}

/**
 * kv_null_named - does a name mean the null device, if no other has it?
 * @device: name
 */
bool kv_null_named(const char *device)
{
	return !strcmp(device, KV_NULL_NAME);
}

/**
 * kv_null_open - open the null device, as ibv_open_device() does
 * Return: its context, or NULL with errno set
 */
struct ibv_context *kv_null_open(void)
{
	struct null_dev *dev = calloc(1, sizeof(*dev));
	int events[2];

	if (!dev)
		return NULL;
	if (pipe2(events, O_CLOEXEC)) {
		free(dev);
		return NULL;
	}
	pthread_mutex_init(&dev->lock.lock, NULL);
	pthread_mutex_init(&dev->context.mutex, NULL);
	snprintf(dev->device.name, sizeof(dev->device.name), KV_NULL_NAME);
	snprintf(dev->device.dev_name, sizeof(dev->device.dev_name), KV_NULL_NAME);
	dev->device.transport_type = IBV_TRANSPORT_IB;
	dev->device.node_type = IBV_NODE_CA;
	dev->context.device = &dev->device;
	dev->context.ops.post_send = post_send;
	dev->context.ops.post_recv = post_recv;
	dev->context.ops.poll_cq = poll_cq;
	dev->context.cmd_fd = -1;
	dev->context.async_fd = events[0];
	dev->context.num_comp_vectors = 1;
	dev->silence = events[1];
	return &dev->context;
}

static int null_close(struct null_dev *dev)
{
	close(dev->context.async_fd);
	close(dev->silence);
	pthread_mutex_destroy(&dev->context.mutex);
	pthread_mutex_destroy(&dev->lock.lock);
	free(dev);
	return 0;
}

static u32 next_number(struct null_dev *dev)
{
	u32 number;

	kv_null_lock(&dev->lock);
	number = ++dev->numbers;
	kv_null_unlock(&dev->lock);
	return number;
}

static int null_device(struct ibv_device_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	kv_null_device_attr(attr);
	attr->max_sge = KV_NULL_MAX_SGE;
	attr->atomic_cap = IBV_ATOMIC_HCA;
	attr->phys_port_cnt = 1;
	return 0;
}

/* the size of what the caller has is not known: nothing after link_layer is touched */
static int null_port(struct ibv_port_attr *attr)
{
	memset(attr, 0, offsetof(struct ibv_port_attr, link_layer));
	attr->state = IBV_PORT_ACTIVE;
	attr->max_mtu = IBV_MTU_4096;
	attr->active_mtu = IBV_MTU_4096;
	kv_null_port_attr(attr);
	attr->active_width = 1;
	attr->active_speed = 1;
	attr->phys_state = 5;
	attr->link_layer = IBV_LINK_LAYER_INFINIBAND;
	return 0;
}

static int make_ring(struct kv_null_ring *ring, u32 entries)
{
	u64 room = kv_null_room(entries);

	ring->done = calloc(room, sizeof(*ring->done));
	ring->mask = room - 1;
	return ring->done ? 0 : -1;
}

static int null_destroy_cq(struct null_cq *cq)
{
	free(cq->cq.own.done);
	free(cq->cq.came.done);
	free(cq);
	return 0;
}

static struct ibv_cq *null_create_cq(struct null_dev *dev, int cqe,
				     struct ibv_comp_channel *channel)
{
	struct null_cq *cq;

	errno = channel ? EOPNOTSUPP : EINVAL;
	if (channel || cqe < 1 || cqe > KV_NULL_MAX_CQE)
		return NULL;
	cq = calloc(1, sizeof(*cq));
	if (!cq)
		return NULL;
	cq->ib.context = &dev->context;
	cq->ib.cqe = cqe;
	if (make_ring(&cq->cq.own, (u32)cqe) || make_ring(&cq->cq.came, (u32)cqe)) {
		null_destroy_cq(cq);
		return NULL;
	}
	return &cq->ib;
}

static void free_qp(struct null_qp *qp)
{
	free(qp->qp.recv);
	free(qp->qp.wait);
	free(qp);
}

static struct ibv_qp *null_create_qp(struct null_dev *dev, struct ibv_pd *pd,
				     const struct ibv_qp_init_attr *attr)
{
	u64 recvs = kv_null_room(attr->cap.max_recv_wr);
	u64 sends = kv_null_room(attr->cap.max_send_wr);
	struct null_qp *qp;

	errno = attr->qp_type != IBV_QPT_RC || attr->srq ? EOPNOTSUPP : EINVAL;
	if (errno == EOPNOTSUPP || attr->cap.max_send_wr > KV_NULL_MAX_WR ||
	    attr->cap.max_recv_wr > KV_NULL_MAX_WR ||
	    attr->cap.max_inline_data > KV_NULL_MAX_INLINE)
		return NULL;
	qp = calloc(1, sizeof(*qp));
	if (!qp)
		return NULL;
	qp->qp.recv = calloc(recvs, sizeof(*qp->qp.recv));
	qp->qp.wait = calloc(sends, sizeof(*qp->qp.wait));
	if (!qp->qp.recv || !qp->qp.wait) {
		free_qp(qp);
		return NULL;
	}
	qp->qp.lock = &dev->lock;
	qp->qp.scq = &((struct null_cq *)attr->send_cq)->cq;
	qp->qp.rcq = &((struct null_cq *)attr->recv_cq)->cq;
	qp->qp.recv_mask = recvs - 1;
	qp->qp.wait_mask = sends - 1;
	qp->ib.context = &dev->context;
	qp->ib.pd = pd;
	qp->ib.send_cq = attr->send_cq;
	qp->ib.recv_cq = attr->recv_cq;
	qp->ib.qp_type = attr->qp_type;
	qp->ib.state = IBV_QPS_RESET;
	qp->ib.qp_num = next_number(dev) + 1;
	kv_null_lock(&dev->lock);
	qp->next = dev->qps;
	dev->qps = qp;
	kv_null_unlock(&dev->lock);
	return &qp->ib;
}

static int null_destroy_qp(struct null_dev *dev, struct null_qp *qp)
{
	struct null_qp **at;

	kv_null_part(&qp->qp);
	kv_null_lock(&dev->lock);
	for (at = &dev->qps; *at; at = &(*at)->next) {
		if (*at == qp) {
			*at = qp->next;
			break;
		}
	}
	kv_null_unlock(&dev->lock);
	free_qp(qp);
	return 0;
}

static struct null_qp *find_qp(struct null_dev *dev, u32 number)
{
	struct null_qp *qp;

	kv_null_lock(&dev->lock);
	for (qp = dev->qps; qp && qp->ib.qp_num != number; qp = qp->next)
		;
	kv_null_unlock(&dev->lock);
	return qp;
}

static int null_modify_qp(struct null_dev *dev, struct null_qp *qp, const struct ibv_qp_attr *attr,
			  int mask)
{
	struct null_qp *peer;

	if (mask & IBV_QP_DEST_QPN) {
		peer = find_qp(dev, attr->dest_qp_num);
		kv_null_connect(&qp->qp, peer ? &peer->qp : NULL);
	}
	if (!(mask & IBV_QP_STATE))
		return 0;
	if (attr->qp_state == IBV_QPS_ERR)
		kv_null_fail(&qp->qp);
	if (attr->qp_state == IBV_QPS_RESET)
		kv_null_reset(&qp->qp);
	qp->ib.state = attr->qp_state;
	return 0;
}

static int null_query_qp(const struct ibv_qp *qp, struct ibv_qp_attr *attr,
			 struct ibv_qp_init_attr *init)
{
	memset(attr, 0, sizeof(*attr));
	memset(init, 0, sizeof(*init));
	attr->qp_state = qp->state;
	attr->cur_qp_state = qp->state;
	return 0;
}

static struct ibv_mr *null_reg_mr(struct null_dev *dev, struct ibv_pd *pd, void *addr,
				  size_t length)
{
	struct ibv_mr *mr = calloc(1, sizeof(*mr));

	if (!mr)
		return NULL;
	mr->context = &dev->context;
	mr->pd = pd;
	mr->addr = addr;
	mr->length = length;
	mr->lkey = next_number(dev) << 8;
	mr->rkey = mr->lkey;
	return mr;
}

static struct ibv_pd *null_alloc_pd(struct null_dev *dev)
{
	struct ibv_pd *pd = calloc(1, sizeof(*pd));

	if (pd)
		pd->context = &dev->context;
	return pd;
}

static int null_free(void *object)
{
	free(object);
	return 0;
}

/*
 * What the linker hands over: __wrap_X() is called for X(), __real_X() is that of
 * libibverbs.
 */
#define KV_WRAP(type, name, parameters, arguments, object, ours)			\
	type __real_##name parameters;						\
	type __wrap_##name parameters;						\
	type __wrap_##name parameters						\
	{									\
		struct null_dev *dev = null_of(object);				\
										\
		return dev ? (ours) : __real_##name arguments;			\
	}

#undef ibv_query_port
#undef ibv_reg_mr

KV_WRAP(int, ibv_close_device,
	(struct ibv_context *context),
	(context), context, null_close(dev))
KV_WRAP(int, ibv_query_device,
	(struct ibv_context *context, struct ibv_device_attr *attr),
	(context, attr), context, null_device(attr))
KV_WRAP(int, ibv_query_port,
	(struct ibv_context *context, u8 port, struct _compat_ibv_port_attr *attr),
	(context, port, attr), context, null_port((struct ibv_port_attr *)attr))
KV_WRAP(int, _ibv_query_gid_ex,
	(struct ibv_context *context, u32 port, u32 index, struct ibv_gid_entry *entry,
	 u32 flags, size_t size),
	(context, port, index, entry, flags, size), context, ENODATA)
KV_WRAP(ssize_t, _ibv_query_gid_table,
	(struct ibv_context *context, struct ibv_gid_entry *entry, size_t max, u32 flags,
	 size_t size),
	(context, entry, max, flags, size), context, 0)
KV_WRAP(struct ibv_pd *, ibv_alloc_pd,
	(struct ibv_context *context),
	(context), context, null_alloc_pd(dev))
KV_WRAP(int, ibv_dealloc_pd,
	(struct ibv_pd *pd),
	(pd), pd->context, null_free(pd))
KV_WRAP(struct ibv_comp_channel *, ibv_create_comp_channel,
	(struct ibv_context *context),
	(context), context, (errno = EOPNOTSUPP, NULL))
KV_WRAP(struct ibv_cq *, ibv_create_cq,
	(struct ibv_context *context, int cqe, void *cq_context,
	 struct ibv_comp_channel *channel, int vector),
	(context, cqe, cq_context, channel, vector), context, null_create_cq(dev, cqe, channel))
KV_WRAP(int, ibv_destroy_cq,
	(struct ibv_cq *cq),
	(cq), cq->context, null_destroy_cq((struct null_cq *)cq))
KV_WRAP(struct ibv_qp *, ibv_create_qp,
	(struct ibv_pd *pd, struct ibv_qp_init_attr *attr),
	(pd, attr), pd->context, null_create_qp(dev, pd, attr))
KV_WRAP(int, ibv_modify_qp,
	(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask),
	(qp, attr, mask), qp->context, null_modify_qp(dev, (struct null_qp *)qp, attr, mask))
KV_WRAP(int, ibv_query_qp,
	(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init),
	(qp, attr, mask, init), qp->context, null_query_qp(qp, attr, init))
KV_WRAP(int, ibv_destroy_qp,
	(struct ibv_qp *qp),
	(qp), qp->context, null_destroy_qp(dev, (struct null_qp *)qp))
KV_WRAP(struct ibv_mr *, ibv_reg_mr,
	(struct ibv_pd *pd, void *addr, size_t length, int access),
	(pd, addr, length, access), pd->context, null_reg_mr(dev, pd, addr, length))
KV_WRAP(struct ibv_mr *, ibv_reg_mr_iova2,
	(struct ibv_pd *pd, void *addr, size_t length, u64 iova, unsigned int access),
	(pd, addr, length, iova, access), pd->context, null_reg_mr(dev, pd, addr, length))
KV_WRAP(int, ibv_dereg_mr,
	(struct ibv_mr *mr),
	(mr), mr->context, null_free(mr))
