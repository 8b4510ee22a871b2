// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Each call of the module that can fail, failed in turn. Linked into the module by
 * KVERBS_FAULTS=y, for tests: the linker sends what kmod/ calls through here (--wrap),
 * so that its own objects are those that everybody has.
 *
 * The parameter "fail": N written to it fails the N-th call from then on, once, whatever
 * thread makes it; 0: none. At load time it counts from the load on. Reading: calls since
 * then, whether one was failed, its name, and who called. With "fail_puts" those count,
 * too, that are many and alike: that write into messages, or read the table of GIDs.
 *
 * The data path is not here: its calls are inline, and tests/nullhca fails them.
 */
#include <linux/cpuhotplug.h>
#include <linux/debugfs.h>
#include <linux/dma-mapping.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/netlink.h>
#include <linux/perf_event.h>
#include <linux/scatterlist.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <net/genetlink.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>
#include <rdma/mr_pool.h>
#include <rdma/rdma_cm.h>
#include <rdma/rw.h>

#include "../../kmod/side.h"

static atomic_long_t fault_calls;
static long fault_at;
static bool fault_puts;
module_param_named(fail_puts, fault_puts, bool, 0600);

/* of the call that was failed; the name is written last */
static void *fault_caller;
static const char *fault_name;

static int fault_set(const char *text, const struct kernel_param *param)
{
	long at;
	int rc = kstrtol(text, 0, &at);

	if (rc)
		return rc;
	WRITE_ONCE(fault_at, 0);
	WRITE_ONCE(fault_name, NULL);
	atomic_long_set(&fault_calls, 0);
	WRITE_ONCE(fault_at, at);
	return 0;
}

static int fault_get(char *text, const struct kernel_param *param)
{
	const char *name = READ_ONCE(fault_name);

	if (!name)
		return sprintf(text, "%ld 0\n", atomic_long_read(&fault_calls));
	return sprintf(text, "%ld 1 %s %ps\n", atomic_long_read(&fault_calls), name,
		       fault_caller);
}

static const struct kernel_param_ops fault_ops = {
	.set = fault_set,
	.get = fault_get,
};
module_param_cb(fail, &fault_ops, NULL, 0600);

static noinline bool fault_due(const char *name, void *caller)
{
	if (atomic_long_inc_return(&fault_calls) != READ_ONCE(fault_at))
		return false;
	fault_caller = caller;
	WRITE_ONCE(fault_name, name);
	return true;
}

#define FAULT_DUE(name)	fault_due(name, __builtin_return_address(0))

/*
 * A defect for a fuzzer to find, of this build alone and only when "plant" is set: the
 * third step of a job, or a later one, reads memory that was freed if it has flags.
 */
static bool fault_plant;
module_param_named(plant, fault_plant, bool, 0400);

static noinline void fault_planted(struct nlattr **tb, int max)
{
	static int steps;
	u32 *freed;

	if (max == KVERBS_JOB_A_MAX)
		steps = 0;
	if (max != KVERBS_STEP_A_MAX || ++steps < 3 || !tb[KVERBS_STEP_A_FLAGS])
		return;
	freed = kzalloc(sizeof(*freed), GFP_KERNEL);
	kfree(freed);
	if (freed && READ_ONCE(*freed))
		pr_info("planted\n");
}

/* Kbuild reads the names of these, for the linker. */
#define WRAP(name, type, failure, params, args)			\
type __real_##name params;					\
type __wrap_##name params;					\
type __wrap_##name params					\
{								\
	if (FAULT_DUE(#name))					\
		return failure;					\
	return __real_##name args;				\
}

#define WRAP_PUT(name, type, failure, params, args)		\
type __real_##name params;					\
type __wrap_##name params;					\
type __wrap_##name params					\
{								\
	if (fault_puts && FAULT_DUE(#name))			\
		return failure;					\
	return __real_##name args;				\
}

#define NOMEM	ERR_PTR(-ENOMEM)

/* memory */
WRAP(kmalloc_trace, void *, NULL, (struct kmem_cache *s, gfp_t gfp, size_t n), (s, gfp, n))
WRAP(kmalloc_node_trace, void *, NULL, (struct kmem_cache *s, gfp_t gfp, int node, size_t n),
     (s, gfp, node, n))
WRAP(__kmalloc, void *, NULL, (size_t n, gfp_t gfp), (n, gfp))
WRAP(__kmalloc_node, void *, NULL, (size_t n, gfp_t gfp, int node), (n, gfp, node))
WRAP(kvmalloc_node, void *, NULL, (size_t n, gfp_t gfp, int node), (n, gfp, node))
WRAP(kmemdup, void *, NULL, (const void *from, size_t n, gfp_t gfp), (from, n, gfp))
WRAP(__alloc_pages, struct page *, NULL,
     (gfp_t gfp, unsigned int order, int node, nodemask_t *mask), (gfp, order, node, mask))
WRAP(sg_alloc_table, int, -ENOMEM, (struct sg_table *t, unsigned int n, gfp_t gfp), (t, n, gfp))
WRAP(xa_store, void *, XA_ERROR(-ENOMEM),
     (struct xarray *xa, unsigned long at, void *entry, gfp_t gfp), (xa, at, entry, gfp))
WRAP(__xa_alloc_cyclic, int, -ENOMEM,
     (struct xarray *xa, u32 *id, void *entry, struct xa_limit limit, u32 *next, gfp_t gfp),
     (xa, id, entry, limit, next, gfp))

/* the kernel at large */
WRAP(__cpuhp_setup_state, int, -ENOMEM,
     (enum cpuhp_state state, const char *name, bool invoke, int (*up)(unsigned int cpu),
      int (*down)(unsigned int cpu), bool many), (state, name, invoke, up, down, many))
WRAP(debugfs_create_dir, struct dentry *, NOMEM, (const char *name, struct dentry *parent),
     (name, parent))
WRAP(debugfs_create_file, struct dentry *, NOMEM,
     (const char *name, umode_t mode, struct dentry *parent, void *data,
      const struct file_operations *fops), (name, mode, parent, data, fops))
WRAP(dma_map_sg_attrs, unsigned int, 0,
     (struct device *dev, struct scatterlist *sg, int n, enum dma_data_direction dir,
      unsigned long attrs), (dev, sg, n, dir, attrs))
#ifdef CONFIG_PERF_EVENTS
WRAP(perf_event_create_kernel_counter, struct perf_event *, NOMEM,
     (struct perf_event_attr *attr, int cpu, struct task_struct *task,
      perf_overflow_handler_t handler, void *context), (attr, cpu, task, handler, context))
#endif
#ifdef CONFIG_PM_SLEEP
WRAP(register_pm_notifier, int, -ENOMEM, (struct notifier_block *nb), (nb))
#endif

/* netlink */
WRAP(__alloc_skb, struct sk_buff *, NULL, (unsigned int n, gfp_t gfp, int flags, int node),
     (n, gfp, flags, node))
WRAP(genl_register_family, int, -ENOMEM, (struct genl_family *family), (family))
WRAP(netlink_register_notifier, int, -ENOMEM, (struct notifier_block *nb), (nb))
/* WRAP(__nla_parse, by hand */
int __real___nla_parse(struct nlattr **tb, int max, const struct nlattr *head, int len,
		       const struct nla_policy *policy, unsigned int how,
		       struct netlink_ext_ack *extack);
int __wrap___nla_parse(struct nlattr **tb, int max, const struct nlattr *head, int len,
		       const struct nla_policy *policy, unsigned int how,
		       struct netlink_ext_ack *extack);
int __wrap___nla_parse(struct nlattr **tb, int max, const struct nlattr *head, int len,
		       const struct nla_policy *policy, unsigned int how,
		       struct netlink_ext_ack *extack)
{
	int rc = __real___nla_parse(tb, max, head, len, policy, how, extack);

	if (fault_plant && !rc)
		fault_planted(tb, max);
	return rc;
}

WRAP_PUT(genlmsg_put, void *, NULL,
	 (struct sk_buff *skb, u32 portid, u32 seq, const struct genl_family *family, int flags,
	  u8 cmd), (skb, portid, seq, family, flags, cmd))
WRAP_PUT(nla_put, int, -EMSGSIZE, (struct sk_buff *skb, int type, int n, const void *data),
	 (skb, type, n, data))
WRAP_PUT(nla_put_64bit, int, -EMSGSIZE,
	 (struct sk_buff *skb, int type, int n, const void *data, int pad),
	 (skb, type, n, data, pad))
WRAP_PUT(nla_reserve, struct nlattr *, NULL, (struct sk_buff *skb, int type, int n),
	 (skb, type, n))

/* verbs */
WRAP(ib_register_client, int, -ENOMEM, (struct ib_client *client), (client))
WRAP(ib_query_port, int, -EIO, (struct ib_device *dev, u32 port, struct ib_port_attr *attr),
     (dev, port, attr))
/* a table may have a thousand, and all are looked at */
WRAP_PUT(rdma_get_gid_attr, const struct ib_gid_attr *, ERR_PTR(-ENODATA),
	 (struct ib_device *dev, u32 port, int at), (dev, port, at))
WRAP(rdma_read_gid_l2_fields, int, -ENOENT, (const struct ib_gid_attr *attr, u16 *vlan, u8 *mac),
     (attr, vlan, mac))
WRAP(__ib_alloc_pd, struct ib_pd *, NOMEM,
     (struct ib_device *dev, unsigned int flags, const char *caller), (dev, flags, caller))
WRAP(__ib_create_cq, struct ib_cq *, NOMEM,
     (struct ib_device *dev, ib_comp_handler handler,
      void (*event)(struct ib_event *event, void *context), void *context,
      const struct ib_cq_init_attr *attr, const char *caller),
     (dev, handler, event, context, attr, caller))
WRAP(__ib_alloc_cq, struct ib_cq *, NOMEM,
     (struct ib_device *dev, void *private, int n, int vector, enum ib_poll_context context,
      const char *caller), (dev, private, n, vector, context, caller))
WRAP(ib_cq_pool_get, struct ib_cq *, NOMEM,
     (struct ib_device *dev, unsigned int n, int vector, enum ib_poll_context context),
     (dev, n, vector, context))
WRAP(rdma_set_cq_moderation, int, -EIO, (struct ib_cq *cq, u16 count, u16 period),
     (cq, count, period))
WRAP(ib_create_qp_kernel, struct ib_qp *, NOMEM,
     (struct ib_pd *pd, struct ib_qp_init_attr *attr, const char *caller), (pd, attr, caller))
WRAP(ib_modify_qp, int, -EIO, (struct ib_qp *qp, struct ib_qp_attr *attr, int mask),
     (qp, attr, mask))
WRAP(ib_query_qp, int, -EIO,
     (struct ib_qp *qp, struct ib_qp_attr *attr, int mask, struct ib_qp_init_attr *init),
     (qp, attr, mask, init))
WRAP(ib_create_srq_user, struct ib_srq *, NOMEM,
     (struct ib_pd *pd, struct ib_srq_init_attr *attr, struct ib_usrq_object *object,
      struct ib_udata *data), (pd, attr, object, data))
WRAP(ib_modify_srq, int, -EIO,
     (struct ib_srq *srq, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask),
     (srq, attr, mask))
WRAP(ib_alloc_mr, struct ib_mr *, NOMEM, (struct ib_pd *pd, enum ib_mr_type type, u32 n),
     (pd, type, n))
WRAP(ib_map_mr_sg, int, -EIO,
     (struct ib_mr *mr, struct scatterlist *sg, int n, unsigned int *offset, unsigned int page),
     (mr, sg, n, offset, page))
WRAP(ib_dma_virt_map_sg, int, 0, (struct ib_device *dev, struct scatterlist *sg, int n),
     (dev, sg, n))
WRAP(ib_mr_pool_init, int, -ENOMEM,
     (struct ib_qp *qp, struct list_head *list, int n, enum ib_mr_type type, u32 sg, u32 meta),
     (qp, list, n, type, sg, meta))
WRAP(ib_mr_pool_get, struct ib_mr *, NULL, (struct ib_qp *qp, struct list_head *list), (qp, list))
WRAP(rdma_create_ah, struct ib_ah *, NOMEM,
     (struct ib_pd *pd, struct rdma_ah_attr *attr, u32 flags), (pd, attr, flags))
WRAP(rdma_rw_ctx_init, int, -EIO,
     (struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port, struct scatterlist *sg, u32 n,
      u32 offset, u64 to, u32 key, enum dma_data_direction dir),
     (ctx, qp, port, sg, n, offset, to, key, dir))

/* rdma_cm */
#ifdef CONFIG_INFINIBAND_ADDR_TRANS
WRAP(__rdma_create_kernel_id, struct rdma_cm_id *, NOMEM,
     (struct net *net, rdma_cm_event_handler handler, void *context, enum rdma_ucm_port_space ps,
      enum ib_qp_type type, const char *caller), (net, handler, context, ps, type, caller))
WRAP(rdma_bind_addr, int, -EADDRNOTAVAIL, (struct rdma_cm_id *id, struct sockaddr *to), (id, to))
WRAP(rdma_listen, int, -EIO, (struct rdma_cm_id *id, int n), (id, n))
WRAP(rdma_resolve_addr, int, -EIO,
     (struct rdma_cm_id *id, struct sockaddr *from, const struct sockaddr *to, unsigned long ms),
     (id, from, to, ms))
WRAP(rdma_resolve_route, int, -EIO, (struct rdma_cm_id *id, unsigned long ms), (id, ms))
WRAP(rdma_init_qp_attr, int, -EIO, (struct rdma_cm_id *id, struct ib_qp_attr *attr, int *mask),
     (id, attr, mask))
WRAP(rdma_connect, int, -EIO, (struct rdma_cm_id *id, struct rdma_conn_param *param), (id, param))
WRAP(rdma_accept, int, -EIO, (struct rdma_cm_id *id, struct rdma_conn_param *param), (id, param))
WRAP(rdma_disconnect, int, -EIO, (struct rdma_cm_id *id), (id))
#endif

/* those that take a format: what it gives is given on as one word */

struct task_struct *__real_kthread_create_on_node(int (*run)(void *data), void *data, int node,
						  const char *format, ...);
struct task_struct *__wrap_kthread_create_on_node(int (*run)(void *data), void *data, int node,
						  const char *format, ...);
struct workqueue_struct *__real_alloc_workqueue(const char *format, unsigned int flags, int max,
						...);
struct workqueue_struct *__wrap_alloc_workqueue(const char *format, unsigned int flags, int max,
						...);

/* WRAP(kthread_create_on_node, by hand */
__printf(4, 5)
struct task_struct *__wrap_kthread_create_on_node(int (*run)(void *data), void *data, int node,
						  const char *format, ...)
{
	char name[TASK_COMM_LEN];
	va_list args;

	if (FAULT_DUE("kthread_create_on_node"))
		return NOMEM;
	va_start(args, format);
	vsnprintf(name, sizeof(name), format, args);
	va_end(args);
	return __real_kthread_create_on_node(run, data, node, "%s", name);
}

/* WRAP(alloc_workqueue, by hand */
__printf(1, 4)
struct workqueue_struct *__wrap_alloc_workqueue(const char *format, unsigned int flags, int max,
						...)
{
	char name[24];
	va_list args;

	if (FAULT_DUE("alloc_workqueue"))
		return NULL;
	va_start(args, max);
	vsnprintf(name, sizeof(name), format, args);
	va_end(args);
	return __real_alloc_workqueue("%s", flags, max, name);
}
