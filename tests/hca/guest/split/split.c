// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Where the instructions of a kernel post and of a completion go: the CPU's
 * counter before and after ib_post_send, and in the completion handler, against
 * the times that the virtual HCA stamped on the doorbell, the CQE and the
 * interrupt. Only with instruction counting is the counter that of the stamps.
 *
 * Reading the parameter "split" measures, and gives one line a length of chain.
 */
#include <linux/io.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/sort.h>

/* the same endpoints; built in, so that kverbs need not export them */
#include "cm.c"
#include "context.c"
#include "endpoint.c"
#include "exchange.c"
#include "memory.c"
#include "place.c"
#include "reg.c"
#include "rw.c"
#include "srq.c"
#include "turn.c"

#define SPLIT_STAMPS	0x3000		/* in BAR 0; see pci.c of the model */
#define SPLIT_POSTS	64
#define SPLIT_SKIP	16		/* one turn of the queue, and the first of all */
#define SPLIT_CHAIN	16
#define SPLIT_PATIENCE	1000000000ULL	/* ticks */

static char *dev = "mlx5_0";
module_param(dev, charp, 0444);
MODULE_PARM_DESC(dev, "a virtual HCA");

enum split_stamp {
	SPLIT_DOORBELL,
	SPLIT_CQE,
	SPLIT_IRQ,
};

/* one chain; the clock where it names no stamp of the device */
struct split_sample {
	u64 start;
	u64 doorbell;
	u64 end;
	u64 cqe;
	u64 irq;
	u64 handler;
};

static struct ib_device *split_ibdev;
static struct ib_pd *split_pd;
static struct kv_ep *split_ep[2];
static struct kv_path split_path;
static void __iomem *split_stamps;
static u32 split_go;	/* never stops */
static u64 split_handled;

static u64 split_stamp(enum split_stamp which)
{
	void __iomem *at = split_stamps + 8 * which;

	return (u64)ioread32be(at) << 32 | ioread32be(at + 4);
}

static void split_handler(struct ib_cq *cq, void *context)
{
	WRITE_ONCE(split_handled, kv_cpu_clock());
}

static int split_wait(struct kv_ep *ep, u64 start, bool event)
{
	int got;

	while (event && !READ_ONCE(split_handled)) {
		if (kv_cpu_clock() - start > SPLIT_PATIENCE)
			return -ETIMEDOUT;
		cpu_relax();
	}
	while (!(got = ib_poll_cq(ep->cq, 1, ep->wc))) {
		if (kv_cpu_clock() - start > SPLIT_PATIENCE)
			return -ETIMEDOUT;
	}
	return got < 0 || ep->wc[0].status ? -EIO : 0;
}

static int split_one(struct kv_ep *ep, bool event, struct split_sample *s)
{
	const struct ib_send_wr *bad;
	int rc;

	split_handled = 0;
	if (event && ib_req_notify_cq(ep->cq, IB_CQ_NEXT_COMP) < 0)
		return -EIO;
	s->start = kv_cpu_clock();
	rc = ib_post_send(ep->qp, &ep->wr[0].wr, &bad);
	s->end = kv_cpu_clock();
	if (rc)
		return rc;
	rc = split_wait(ep, s->start, event);
	s->doorbell = split_stamp(SPLIT_DOORBELL);
	s->cqe = split_stamp(SPLIT_CQE);
	s->irq = split_stamp(SPLIT_IRQ);
	s->handler = split_handled;
	return rc;
}

static u64 split_post(const struct split_sample *s)
{
	return s->end - s->start;
}

static u64 split_event(const struct split_sample *s)
{
	return s->handler - s->cqe;
}

static int split_by_post(const void *a, const void *b)
{
	return split_post(a) < split_post(b) ? -1 : split_post(a) > split_post(b);
}

static int split_by_event(const void *a, const void *b)
{
	return split_event(a) < split_event(b) ? -1 : split_event(a) > split_event(b);
}

/* many chains; the one in the middle is first, and *same says how many are as long */
static int split_many(u32 chain, bool event, struct split_sample *s, u32 *same)
{
	u64 (*length)(const struct split_sample *) = event ? split_event : split_post;
	struct kv_ep *ep = split_ep[0];
	u32 i;
	int rc;

	for (i = 0; i < chain; i++) {
		ep->wr[i].wr.send_flags = i + 1 == chain ? IB_SEND_SIGNALED : 0;
		ep->wr[i].wr.next = i + 1 == chain ? NULL : &ep->wr[i + 1].wr;
	}
	for (i = 0; i < SPLIT_SKIP + SPLIT_POSTS; i++) {
		rc = split_one(ep, event, &s[i < SPLIT_SKIP ? 0 : i - SPLIT_SKIP]);
		if (rc)
			return rc;
	}
	sort(s, SPLIT_POSTS, sizeof(*s), event ? split_by_event : split_by_post, NULL);
	s[0] = s[SPLIT_POSTS / 2];
	*same = 0;
	for (i = 1; i < SPLIT_POSTS; i++)
		*same += length(&s[i]) == length(&s[0]);
	return 0;
}

static int split_line(char *buffer, int at, u32 chain, struct split_sample *s)
{
	u32 same;
	int rc;

	rc = split_many(chain, false, s, &same);
	if (rc)
		return rc;
	at += sysfs_emit_at(buffer, at,
			    "kernel chain=%u post=%llu build=%lld return=%lld same=%u/%u device=%lld",
			    chain, split_post(s), s->doorbell - s->start, s->end - s->doorbell,
			    same, SPLIT_POSTS - 1, s->cqe - s->doorbell);
	rc = split_many(chain, true, s, &same);
	if (rc)
		return rc;
	return at + sysfs_emit_at(buffer, at, " event=%llu irq=%lld handler=%lld\n",
				  split_event(s), s->irq - s->cqe, s->handler - s->irq);
}

static int split_get(char *buffer, const struct kernel_param *param)
{
	struct split_sample *s;
	int rc;

	if (!split_stamps)
		return -ENODEV;
	s = kcalloc(SPLIT_POSTS, sizeof(*s), GFP_KERNEL);
	if (!s)
		return -ENOMEM;
	rc = split_line(buffer, 0, 1, s);
	if (rc > 0)
		rc = split_line(buffer, rc, SPLIT_CHAIN, s);
	kfree(s);
	return rc;
}

static const struct kernel_param_ops split_ops = {
	.get = split_get,
};
module_param_cb(split, &split_ops, NULL, 0400);
MODULE_PARM_DESC(split, "reads as the split of a post and of a completion");

static void split_unwind(void)
{
	if (split_stamps)
		iounmap(split_stamps);
	kv_ep_destroy(split_ep[0]);
	kv_ep_destroy(split_ep[1]);
	kv_path_close(&split_path);
	if (!IS_ERR_OR_NULL(split_pd))
		ib_dealloc_pd(split_pd);
	ib_device_put(split_ibdev);
}

/* complete the job as the module does, on what the model is known to have */
static int split_check(struct kv_job *job, struct kv_refusal *no)
{
	struct kv_caps caps = {
		.kernel = 1,
		.ports = 1,
		.port_active = 1,
		.max_qp = 2,
		.max_qp_wr = 2 * SPLIT_CHAIN,
		.max_cqe = 4 * SPLIT_CHAIN,
		.max_rd_atomic = 1,
		.max_sge = 1,
		.max_sge_rd = 1,
		.max_reg_bytes = 16 * PAGE_SIZE,
		.reg_mr = 1,
		.limit_lanes = 1,
		.limit_depth = 2 * SPLIT_CHAIN,
		.limit_bytes = U64_MAX,
	};
	struct ib_port_attr attr;
	int rc;

	rc = ib_query_port(split_ibdev, job->port, &attr);
	if (rc)
		return rc;
	caps.link = rdma_protocol_roce(split_ibdev, job->port) ?
		    KVERBS_LINK_ROCE : KVERBS_LINK_IB;
	caps.mtu = ib_mtu_enum_to_int(attr.active_mtu);
	caps.gids = attr.gid_tbl_len;
	caps.pkeys = attr.pkey_tbl_len;
	caps.max_msg = attr.max_msg_sz;
	return kv_job_check(job, &caps, no) ? -EINVAL : 0;
}

static int split_connect(struct kv_refusal *no, const char **where)
{
	static struct kv_job job = KV_JOB_INIT;
	int rc, i;

	job.shape = KVERBS_SHAPE_RATE;
	job.outstanding = SPLIT_CHAIN;
	job.chain = SPLIT_CHAIN;
	*where = no->text;
	rc = split_check(&job, no);
	if (rc)
		return rc;
	rc = kv_path_open(&split_path, split_ibdev, &job, where);
	if (rc)
		return rc;
	*where = "allocate PD";
	split_pd = ib_alloc_pd(split_ibdev, 0);
	if (IS_ERR(split_pd))
		return PTR_ERR(split_pd);
	for (i = 0; i < 2; i++) {
		split_ep[i] = kv_ep_create(split_pd, &job, i ? KVERBS_ROLE_RESPONDER :
							       KVERBS_ROLE_INITIATOR,
					   0, NULL, no, where);
		if (IS_ERR(split_ep[i]))
			return PTR_ERR(split_ep[i]);
		split_ep[i]->stop = &split_go;
	}
	rc = kv_ep_connect(split_ep[0], split_ep[1], &split_path, &job, NULL, where);
	/* a raw CQ has no handler; nothing has armed it yet */
	split_ep[0]->cq->comp_handler = split_handler;
	return rc;
}

static int __init split_init(void)
{
	static struct kv_refusal no;
	const char *where = "";
	struct pci_dev *pdev;
	int rc;

	split_ibdev = ib_device_get_by_name(dev, RDMA_DRIVER_MLX5);
	if (!split_ibdev)
		return -ENODEV;
	rc = split_connect(&no, &where);
	if (rc)
		goto fail;
	where = "map the stamps";
	pdev = to_pci_dev(split_ibdev->dev.parent);
	split_stamps = ioremap(pci_resource_start(pdev, 0) + SPLIT_STAMPS, 24);
	if (!split_stamps) {
		rc = -ENOMEM;
		goto fail;
	}
	return 0;

fail:
	pr_err("kverbs_split: %s: %s (%d)\n", dev, where, rc);
	split_unwind();
	return rc;
}

static void __exit split_exit(void)
{
	split_unwind();
}

module_init(split_init);
module_exit(split_exit);

MODULE_DESCRIPTION("Where the instructions of a post and of a completion go");
MODULE_LICENSE("Dual BSD/GPL");
