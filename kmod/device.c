// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* RDMA devices: the ib_client, cached port attributes, life with the device. */
#include <linux/mutex.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>

#include "cm.h"
#include "compat.h"
#include "device.h"
#include "main.h"
#include "record.h"
#include "run.h"
#include "trace.h"

static LIST_HEAD(kv_devs);
static DEFINE_MUTEX(kv_devs_lock);	/* kv_devs; an ibdev in it is alive */

static void kv_dev_free(struct kref *ref)
{
	kfree(container_of(ref, struct kv_dev, ref));
}

void kv_dev_put(struct kv_dev *dev)
{
	kref_put(&dev->ref, kv_dev_free);
}

void kv_dev_leave(struct kv_dev *dev)
{
	if (refcount_dec_and_test(&dev->inside))
		complete(&dev->left);
}

bool kv_dev_enter(struct kv_dev *dev)
{
	if (!refcount_inc_not_zero(&dev->inside))
		return false;
	/* pairs with remove(): who misses the flag is seen by its abort */
	smp_mb__after_atomic();
	if (!READ_ONCE(dev->dead))
		return true;
	kv_dev_leave(dev);
	return false;
}

struct kv_dev *kv_dev_find(struct net *net, const char *name)
{
	struct kv_dev *dev, *found = NULL;

	mutex_lock(&kv_devs_lock);
	list_for_each_entry(dev, &kv_devs, entry) {
		/* the copy: a rename frees what dev_name() returns */
		if (strcmp(dev->ibdev->name, name) ||
		    !rdma_dev_access_netns(dev->ibdev, net))
			continue;
		kref_get(&dev->ref);
		found = dev;
		break;
	}
	mutex_unlock(&kv_devs_lock);
	return found;
}

struct kv_dev *kv_dev_nth(struct net *net, unsigned int nth)
{
	struct kv_dev *dev, *found = NULL;

	mutex_lock(&kv_devs_lock);
	list_for_each_entry(dev, &kv_devs, entry) {
		if (!rdma_dev_access_netns(dev->ibdev, net) || nth--)
			continue;
		kref_get(&dev->ref);
		found = dev;
		break;
	}
	mutex_unlock(&kv_devs_lock);
	return found;
}

void kv_devices_each(void (*tell)(const struct kv_dev *dev, void *arg), void *arg)
{
	struct kv_dev *dev;

	mutex_lock(&kv_devs_lock);
	list_for_each_entry(dev, &kv_devs, entry)
		tell(dev, arg);
	mutex_unlock(&kv_devs_lock);
}

void kv_dev_refresh(struct kv_dev *dev)
{
	struct ib_port_attr attr;
	unsigned int i;

	for (i = 0; i < dev->nports; i++) {
		/* what the port last said holds until it says something else */
		if (ib_query_port(dev->ibdev, i + 1, &attr))
			continue;
		/* mlx5 without memory says that all is well, and no MTU */
		if (attr.state == IB_PORT_ACTIVE &&
		    ib_mtu_enum_to_int(attr.active_mtu) < 0)
			continue;
		spin_lock(&dev->ports_lock);
		dev->port[i].valid = true;
		dev->port[i].attr = attr;
		spin_unlock(&dev->ports_lock);
	}
}

void kv_dev_refresh_later(struct kv_dev *dev)
{
	schedule_work(&dev->refresh);
}

static void kv_dev_refresh_work(struct work_struct *work)
{
	kv_dev_refresh(container_of(work, struct kv_dev, refresh));
}

bool kv_dev_port(struct kv_dev *dev, u32 port, struct ib_port_attr *attr)
{
	bool valid;

	if (port < 1 || port > dev->nports)
		return false;
	spin_lock(&dev->ports_lock);
	valid = dev->port[port - 1].valid;
	*attr = dev->port[port - 1].attr;
	spin_unlock(&dev->ports_lock);
	return valid;
}

u32 kv_dev_link(struct kv_dev *dev, u32 port)
{
	if (rdma_protocol_ib(dev->ibdev, port))
		return KVERBS_LINK_IB;
	if (rdma_protocol_roce(dev->ibdev, port))
		return KVERBS_LINK_ROCE;
	if (rdma_protocol_iwarp(dev->ibdev, port))
		return KVERBS_LINK_IWARP;
	return KVERBS_LINK_OTHER;
}

/* of the kernel's MRs no user says how they are to be ordered */
static u32 kv_dev_ordering(const struct ib_device *ibdev)
{
	if (ib_uses_virt_dma((struct ib_device *)ibdev))
		return KV_ORDERING_STRICT;
	if (ibdev->ops.driver_id == RDMA_DRIVER_MLX5)
		return KV_ORDERING_RELAXED;
	return KV_ORDERING_UNKNOWN;
}

void kv_dev_caps(struct kv_dev *dev, u32 port, struct kv_caps *caps)
{
	const struct ib_device_attr *attr = &dev->ibdev->attrs;
	struct ib_port_attr pattr;

	memset(caps, 0, sizeof(*caps));
	caps->kernel = 1;
	caps->software = ib_uses_virt_dma(dev->ibdev);
	caps->ports = dev->nports;
	caps->max_qp = attr->max_qp;
	caps->max_qp_wr = attr->max_qp_wr;
	caps->max_cqe = attr->max_cqe;
	caps->max_rd_atomic = min(attr->max_qp_rd_atom, attr->max_qp_init_rd_atom);
	caps->max_sge = min(attr->max_send_sge, attr->max_recv_sge);
	caps->max_sge_rd = attr->max_sge_rd;
	caps->max_sgl_rd = attr->max_sgl_rd;
	caps->atomic = attr->atomic_cap != IB_ATOMIC_NONE;
	if (!KV_HAVE_PLACEMENT)
		caps->atomic_write = KV_LACKS_KERNEL;
	else if (!(attr->device_cap_flags & KV_DEVICE_ATOMIC_WRITE))
		caps->atomic_write = KV_LACKS_DEVICE;
	caps->flush = KV_HAVE_PLACEMENT ? KV_LACKS_WR : KV_LACKS_KERNEL;
	caps->max_reg_bytes = (u64)attr->max_fast_reg_page_list_len * PAGE_SIZE;
	caps->reg_mr = !!(attr->device_cap_flags & IB_DEVICE_MEM_MGT_EXTENSIONS);
	caps->max_mr = attr->max_mr;
	caps->vectors = dev->ibdev->num_comp_vectors;
	caps->max_cq = attr->max_cq;
	caps->max_srq = attr->max_srq;
	caps->max_srq_wr = attr->max_srq_wr;
	caps->max_srq_sge = attr->max_srq_sge;
	caps->ordering = kv_dev_ordering(dev->ibdev);
	caps->sg_gaps = !!(attr->kernel_cap_flags & IBK_SG_GAPS_REG);
	caps->cm = KV_HAVE_CM;
	caps->evict = KV_CAN_EVICT;
	caps->page = PAGE_SIZE;
	caps->mr_pages = attr->page_size_cap;
	caps->max_block = kv_max_block();
	caps->limit_lanes = kv_max_lanes;
	caps->limit_depth = kv_max_depth;
	caps->limit_ms = kv_max_time_ms;
	caps->limit_bytes = kv_max_bytes;
	if (port < 1 || port > dev->nports)
		return;
	caps->link = kv_dev_link(dev, port);
	caps->read_inv = rdma_cap_read_inv(dev->ibdev, port);
	if (!kv_dev_port(dev, port, &pattr)) {
		/* it could not be queried yet: the next who asks may know */
		kv_dev_refresh_later(dev);
		return;
	}
	caps->port_active = pattr.state == IB_PORT_ACTIVE;
	caps->mtu = ib_mtu_enum_to_int(pattr.active_mtu);
	caps->gids = pattr.gid_tbl_len;
	caps->pkeys = pattr.pkey_tbl_len;
	caps->max_msg = pattr.max_msg_sz;
}

static void kv_dev_event(struct ib_event_handler *handler,
			 struct ib_event *event)
{
	struct kv_dev *dev = container_of(handler, struct kv_dev, events);

	trace_kverbs_async_event(dev->ibdev->name, event->event,
				 event->element.port_num);
	if (event->event == IB_EVENT_DEVICE_FATAL)
		kv_runs_abort_device(dev, KVERBS_REASON_DEVICE_GONE);
	kv_dev_refresh_later(dev);
}

static struct ib_client kv_client;

static int kv_dev_add(struct ib_device *ibdev)
{
	u32 nports = ibdev->phys_port_cnt;
	struct kv_dev *dev;

	/* RDMA switches and the like have nothing that a job could use */
	if (!rdma_is_port_valid(ibdev, 1))
		return -EOPNOTSUPP;
	dev = kzalloc(struct_size(dev, port, nports), GFP_KERNEL);
	if (!dev)
		return -ENOMEM;
	dev->post = ibdev->ops.post_send;
	if (kv_record_add(dev->post)) {
		kfree(dev);
		return -ENOMEM;
	}
	kref_init(&dev->ref);
	refcount_set(&dev->inside, 1);
	init_completion(&dev->left);
	spin_lock_init(&dev->ports_lock);
	INIT_WORK(&dev->refresh, kv_dev_refresh_work);
	dev->ibdev = ibdev;
	dev->nports = nports;
	kv_dev_refresh(dev);
	INIT_IB_EVENT_HANDLER(&dev->events, ibdev, kv_dev_event);
	ib_register_event_handler(&dev->events);
	ib_set_client_data(ibdev, &kv_client, dev);
	mutex_lock(&kv_devs_lock);
	list_add_tail(&dev->entry, &kv_devs);
	mutex_unlock(&kv_devs_lock);
	return 0;
}

/*
 * The device goes, or moves to another network namespace. No run can enter any
 * more; those inside are told and leave within a stop's time. The wait has no
 * limit: returning while a verbs object exists would be a use after free.
 */
static void kv_dev_remove(struct ib_device *ibdev, void *data)
{
	struct kv_dev *dev = data;

	mutex_lock(&kv_devs_lock);
	list_del(&dev->entry);
	mutex_unlock(&kv_devs_lock);
	ib_unregister_event_handler(&dev->events);
	kv_record_remove(dev->post);
	WRITE_ONCE(dev->dead, true);
	smp_mb();	/* pairs with kv_dev_enter() */
	kv_dev_leave(dev);
	kv_runs_abort_device(dev, KVERBS_REASON_DEVICE_GONE);
	wait_for_completion(&dev->left);
	/* nobody is left who could schedule it */
	cancel_work_sync(&dev->refresh);
	dev->ibdev = NULL;
	kv_dev_put(dev);
}

static struct ib_client kv_client = {
	.name = "kverbs",
	.add = kv_dev_add,
	.remove = kv_dev_remove,
};

int kv_devices_init(void)
{
	return ib_register_client(&kv_client);
}

void kv_devices_exit(void)
{
	ib_unregister_client(&kv_client);
}
