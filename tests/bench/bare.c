// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The bare loop: what the harness of kverbs is measured against. On endpoints
 * made by the module's own code it posts signalled RDMA WRITEs until "window" of
 * them are outstanding, polls for up to "batch" completions, and does nothing
 * else: no clock, no counters, no histogram, no stop, no deadline.
 *
 * Write a number of operations to the parameter "run"; reading it gives the
 * nanoseconds that they took.
 */
#include <linux/bottom_half.h>
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>

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

static char *dev = "rxe0";
module_param(dev, charp, 0444);
MODULE_PARM_DESC(dev, "RDMA device");

static unsigned int size = 64;
module_param(size, uint, 0444);
MODULE_PARM_DESC(size, "payload bytes");

static unsigned int window = 1;
module_param(window, uint, 0444);
MODULE_PARM_DESC(window, "WRITEs outstanding");

static unsigned int batch = 1;
module_param(batch, uint, 0444);
MODULE_PARM_DESC(batch, "completions a poll");

static struct ib_device *bare_ibdev;
static struct ib_pd *bare_pd;
static struct kv_ep *bare_ep[2];
static struct kv_path bare_path;
static u32 bare_go;	/* never stops */
static u64 bare_ns;

/* as the module's loop waits on a software device */
static void bare_wait(void)
{
	local_bh_disable();
	local_bh_enable();
	if (need_resched())
		cond_resched();
}

static unsigned long bare_n;
static int bare_rc;
static DECLARE_COMPLETION(bare_done);

static noinline int bare_loop(void)
{
	unsigned long n = bare_n, posted = 0, done = 0;
	struct kv_ep *ep = bare_ep[0];
	const struct ib_send_wr *bad;
	u64 start;
	int got;

	ep->wr[0].wr.send_flags = IB_SEND_SIGNALED;
	ep->wr[0].wr.next = NULL;
	start = ktime_get_raw_ns();
	while (done < n) {
		while (posted < n && posted - done < window) {
			if (ib_post_send(ep->qp, &ep->wr[0].wr, &bad))
				return -EIO;
			posted++;
		}
		while (!(got = ib_poll_cq(ep->cq, batch, ep->wc)))
			bare_wait();
		if (got < 0)
			return -EIO;
		for (; got; got--, done++) {
			if (ep->wc[got - 1].status)
				return -EIO;
		}
	}
	bare_ns = ktime_get_raw_ns() - start;
	return 0;
}

static int bare_main(void *unused)
{
	bare_rc = bare_loop();
	complete(&bare_done);
	return 0;
}

static int bare_set(const char *text, const struct kernel_param *param)
{
	struct task_struct *task;
	unsigned long n;
	int rc;

	rc = kstrtoul(text, 0, &n);
	if (rc)
		return rc;
	if (!n || n > 100000000 || !bare_ep[1])
		return -EINVAL;
	bare_n = n;
	task = kthread_create(bare_main, NULL, "kverbs_bare");
	if (IS_ERR(task))
		return PTR_ERR(task);
	kthread_bind(task, 0);
	wake_up_process(task);
	wait_for_completion(&bare_done);
	return bare_rc;
}

static int bare_get(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%llu\n", bare_ns);
}

static const struct kernel_param_ops bare_ops = {
	.set = bare_set,
	.get = bare_get,
};
module_param_cb(run, &bare_ops, NULL, 0600);
MODULE_PARM_DESC(run, "operations to do; reads as the ns they took");

static void bare_unwind(void)
{
	kv_ep_destroy(bare_ep[0]);
	kv_ep_destroy(bare_ep[1]);
	kv_path_close(&bare_path);
	if (!IS_ERR_OR_NULL(bare_pd))
		ib_dealloc_pd(bare_pd);
	ib_device_put(bare_ibdev);
}

static int __init bare_init(void)
{
	static const struct kv_caps caps = { .max_rd_atomic = 1 };
	struct kv_job job = KV_JOB_INIT;
	struct kv_refusal no;
	const char *where = "query port";
	struct ib_port_attr attr;
	int rc, i;

	if (!window || window > 1024 || !batch || batch > KV_POLL_MAX)
		return -EINVAL;
	bare_ibdev = ib_device_get_by_name(dev, RDMA_DRIVER_UNKNOWN);
	if (!bare_ibdev)
		return -ENODEV;
	job.step[0].size = size;
	job.outstanding = window;
	job.poll_batch = batch;
	job.recv_depth = 0;
	kv_job_check_acks(&job, &caps, &no);
	rc = ib_query_port(bare_ibdev, job.port, &attr);
	if (rc)
		goto fail;
	job.mtu = ib_mtu_enum_to_int(attr.active_mtu);
	rc = kv_path_open(&bare_path, bare_ibdev, &job, &where);
	if (rc)
		goto fail;
	where = "allocate PD";
	bare_pd = ib_alloc_pd(bare_ibdev, 0);
	if (IS_ERR(bare_pd)) {
		rc = PTR_ERR(bare_pd);
		goto fail;
	}
	for (i = 0; i < 2; i++) {
		bare_ep[i] = kv_ep_create(bare_pd, &job, i ? KVERBS_ROLE_RESPONDER :
							     KVERBS_ROLE_INITIATOR,
					  0, NULL, &no, &where);
		if (IS_ERR(bare_ep[i])) {
			rc = PTR_ERR(bare_ep[i]);
			goto fail;
		}
		bare_ep[i]->stop = &bare_go;
	}
	rc = kv_ep_connect(bare_ep[0], bare_ep[1], &bare_path, &job, NULL, &where);
	if (rc)
		goto fail;
	return 0;

fail:
	pr_err("kverbs_bare: %s: %s (%d)\n", dev, where, rc);
	bare_unwind();
	return rc;
}

static void __exit bare_exit(void)
{
	bare_unwind();
}

module_init(bare_init);
module_exit(bare_exit);

MODULE_DESCRIPTION("The bare loop that kverbs is measured against");
MODULE_LICENSE("Dual BSD/GPL");
