// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The device, its objects, and its coming and going. */
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "nullhca.h"

#define NULL_MAX_PAGES	4096

static DEFINE_MUTEX(null_lock);		/* the two below */
static struct null_dev *null_device;	/* NULL: unplugged */
static bool null_scripted;

static int null_query_device(struct ib_device *ib, struct ib_device_attr *attr,
			     struct ib_udata *udata)
{
	kv_null_device_attr(attr);
	attr->page_size_cap = PAGE_SIZE;
	attr->device_cap_flags = IB_DEVICE_MEM_MGT_EXTENSIONS;
	attr->kernel_cap_flags = IBK_LOCAL_DMA_LKEY;
	attr->max_send_sge = KV_NULL_MAX_SGE;
	attr->max_recv_sge = KV_NULL_MAX_SGE;
	attr->atomic_cap = IB_ATOMIC_HCA;
	attr->max_fast_reg_page_list_len = NULL_MAX_PAGES;
	return 0;
}

static int null_query_port(struct ib_device *ib, u32 port, struct ib_port_attr *attr)
{
	int rc = null_fails(NULL_QUERY_PORT, ib);

	if (rc)
		return rc;
	attr->state = IB_PORT_ACTIVE;
	attr->phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = IB_MTU_4096;
	kv_null_port_attr(attr);
	attr->active_width = IB_WIDTH_1X;
	attr->active_speed = IB_SPEED_SDR;
	return 0;
}

static int null_immutable(struct ib_device *ib, u32 port, struct ib_port_immutable *immutable)
{
	immutable->pkey_tbl_len = 1;
	immutable->gid_tbl_len = 1;
	immutable->core_cap_flags = RDMA_CORE_CAP_PROT_IB;
	return 0;
}

static enum rdma_link_layer null_link_layer(struct ib_device *ib, u32 port)
{
	return IB_LINK_LAYER_INFINIBAND;
}

static int null_query_gid(struct ib_device *ib, u32 port, int index, union ib_gid *gid)
{
	memset(gid, 0, sizeof(*gid));
	gid->global.subnet_prefix = cpu_to_be64(0xfe80000000000000ULL);
	gid->global.interface_id = ib->node_guid;
	return 0;
}

static int null_query_pkey(struct ib_device *ib, u32 port, u16 index, u16 *pkey)
{
	*pkey = 0xffff;
	return 0;
}

static int null_alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return null_fails(NULL_ALLOC_PD, pd->device);
}

static int null_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}

static int null_make_ring(struct kv_null_ring *ring, u32 entries)
{
	u64 room = kv_null_room(entries);

	ring->done = kvcalloc(room, sizeof(*ring->done), GFP_KERNEL);
	if (!ring->done)
		return -ENOMEM;
	ring->mask = room - 1;
	return 0;
}

static int null_destroy_cq(struct ib_cq *ib, struct ib_udata *udata)
{
	struct null_cq *cq = container_of(ib, struct null_cq, ib);

	kvfree(cq->cq.own.done);
	kvfree(cq->cq.came.done);
	return 0;
}

static int null_create_cq(struct ib_cq *ib, const struct ib_cq_init_attr *attr,
			  struct ib_udata *udata)
{
	struct null_cq *cq = container_of(ib, struct null_cq, ib);
	int rc = null_fails(NULL_CREATE_CQ, ib->device);

	if (rc)
		return rc;
	if (!attr->cqe || attr->cqe > KV_NULL_MAX_CQE)
		return -EINVAL;
	ib->cqe = attr->cqe;
	if (null_make_ring(&cq->cq.own, attr->cqe) || null_make_ring(&cq->cq.came, attr->cqe)) {
		null_destroy_cq(ib, NULL);
		return -ENOMEM;
	}
	return 0;
}

static int null_req_notify_cq(struct ib_cq *ib, enum ib_cq_notify_flags flags)
{
	struct null_cq *cq = container_of(ib, struct null_cq, ib);
	int missed;

	/* ib_alloc_cq() sets the handler after the creation */
	cq->cq.notifies = !!ib->comp_handler;
	missed = kv_null_arm(&cq->cq);
	return flags & IB_CQ_REPORT_MISSED_EVENTS ? missed : 0;
}

static int null_destroy_qp(struct ib_qp *ib, struct ib_udata *udata)
{
	struct null_qp *qp = container_of(ib, struct null_qp, ib);
	struct null_dev *dev = container_of(ib->device, struct null_dev, ib);

	xa_erase(&dev->qps, ib->qp_num);
	kv_null_part(&qp->qp);
	kvfree(qp->qp.recv);
	kvfree(qp->qp.wait);
	return 0;
}

static int null_create_qp(struct ib_qp *ib, struct ib_qp_init_attr *attr,
			  struct ib_udata *udata)
{
	struct null_dev *dev = container_of(ib->device, struct null_dev, ib);
	struct null_qp *qp = container_of(ib, struct null_qp, ib);
	u64 recvs = kv_null_room(attr->cap.max_recv_wr);
	u64 sends = kv_null_room(attr->cap.max_send_wr);
	int rc = null_fails(NULL_CREATE_QP, ib->device);

	if (rc)
		return rc;
	if (attr->qp_type != IB_QPT_RC || attr->srq)
		return -EOPNOTSUPP;
	if (attr->cap.max_send_wr > KV_NULL_MAX_WR || attr->cap.max_recv_wr > KV_NULL_MAX_WR ||
	    attr->cap.max_inline_data > KV_NULL_MAX_INLINE)
		return -EINVAL;
	qp->qp.lock = &dev->lock;
	qp->qp.scq = &container_of(attr->send_cq, struct null_cq, ib)->cq;
	qp->qp.rcq = &container_of(attr->recv_cq, struct null_cq, ib)->cq;
	qp->qp.recv_mask = recvs - 1;
	qp->qp.wait_mask = sends - 1;
	qp->state = IB_QPS_RESET;
	qp->qp.recv = kvcalloc(recvs, sizeof(*qp->qp.recv), GFP_KERNEL);
	qp->qp.wait = kvcalloc(sends, sizeof(*qp->qp.wait), GFP_KERNEL);
	rc = -ENOMEM;
	if (qp->qp.recv && qp->qp.wait)
		rc = xa_alloc(&dev->qps, &ib->qp_num, qp, XA_LIMIT(2, 0xffffff), GFP_KERNEL);
	if (rc) {
		kvfree(qp->qp.recv);
		kvfree(qp->qp.wait);
	}
	return rc;
}

static int null_modify_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
			  struct ib_udata *udata)
{
	struct null_dev *dev = container_of(ib->device, struct null_dev, ib);
	struct null_qp *qp = container_of(ib, struct null_qp, ib), *peer;
	int rc = null_fails(NULL_MODIFY_QP, ib->device);

	if (rc)
		return rc;
	if (mask & IB_QP_DEST_QPN) {
		peer = xa_load(&dev->qps, attr->dest_qp_num);
		kv_null_connect(&qp->qp, peer ? &peer->qp : NULL);
	}
	if (!(mask & IB_QP_STATE))
		return 0;
	if (attr->qp_state == IB_QPS_ERR)
		kv_null_fail(&qp->qp);
	if (attr->qp_state == IB_QPS_RESET)
		kv_null_reset(&qp->qp);
	qp->state = attr->qp_state;
	return 0;
}

static int null_query_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
			 struct ib_qp_init_attr *init)
{
	struct null_qp *qp = container_of(ib, struct null_qp, ib);

	memset(attr, 0, sizeof(*attr));
	memset(init, 0, sizeof(*init));
	attr->qp_state = qp->state;
	attr->cur_qp_state = qp->state;
	return 0;
}

static struct null_mr *null_new_mr(struct ib_pd *pd, u32 max)
{
	struct null_dev *dev = container_of(pd->device, struct null_dev, ib);
	struct null_mr *mr = kzalloc(sizeof(*mr), GFP_KERNEL);

	if (!mr)
		return NULL;
	mr->max = max;
	/* the low byte is the owner's */
	mr->ib.lkey = (u32)atomic_inc_return(&dev->keys) << 8;
	mr->ib.rkey = mr->ib.lkey;
	return mr;
}

static struct ib_mr *null_get_dma_mr(struct ib_pd *pd, int access)
{
	struct null_mr *mr = null_new_mr(pd, 0);

	return mr ? &mr->ib : ERR_PTR(-ENOMEM);
}

static struct ib_mr *null_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 addr,
				      int access, struct ib_udata *udata)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static struct ib_mr *null_alloc_mr(struct ib_pd *pd, enum ib_mr_type type, u32 max)
{
	int rc = null_fails(NULL_ALLOC_MR, pd->device);
	struct null_mr *mr;

	if (rc)
		return ERR_PTR(rc);
	if (type != IB_MR_TYPE_MEM_REG || max > NULL_MAX_PAGES)
		return ERR_PTR(-EINVAL);
	mr = null_new_mr(pd, max);
	return mr ? &mr->ib : ERR_PTR(-ENOMEM);
}

static int null_set_page(struct ib_mr *ib, u64 address)
{
	struct null_mr *mr = container_of(ib, struct null_mr, ib);

	if (mr->pages == mr->max)
		return -ENOMEM;
	mr->pages++;
	return 0;
}

static int null_map_mr_sg(struct ib_mr *ib, struct scatterlist *sg, int n,
			  unsigned int *offset)
{
	struct null_mr *mr = container_of(ib, struct null_mr, ib);
	int rc = null_fails(NULL_MAP_MR_SG, ib->device);

	if (rc)
		return rc;
	mr->pages = 0;
	return ib_sg_to_pages(ib, sg, n, offset, null_set_page);
}

static int null_dereg_mr(struct ib_mr *ib, struct ib_udata *udata)
{
	kfree(container_of(ib, struct null_mr, ib));
	return 0;
}

static const struct ib_device_ops null_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_UNKNOWN,
	.query_device = null_query_device,
	.query_port = null_query_port,
	.get_port_immutable = null_immutable,
	.get_link_layer = null_link_layer,
	.query_gid = null_query_gid,
	.query_pkey = null_query_pkey,
	.alloc_pd = null_alloc_pd,
	.dealloc_pd = null_dealloc_pd,
	.create_cq = null_create_cq,
	.destroy_cq = null_destroy_cq,
	.req_notify_cq = null_req_notify_cq,
	.create_qp = null_create_qp,
	.modify_qp = null_modify_qp,
	.query_qp = null_query_qp,
	.destroy_qp = null_destroy_qp,
	.get_dma_mr = null_get_dma_mr,
	.reg_user_mr = null_reg_user_mr,
	.alloc_mr = null_alloc_mr,
	.map_mr_sg = null_map_mr_sg,
	.dereg_mr = null_dereg_mr,
	INIT_RDMA_OBJ_SIZE(ib_pd, null_pd, ib),
	INIT_RDMA_OBJ_SIZE(ib_cq, null_cq, ib),
	INIT_RDMA_OBJ_SIZE(ib_qp, null_qp, ib),
};

/* make the device known, if it is not */
int null_plug(void)
{
	struct null_dev *dev;
	int rc = 0;

	mutex_lock(&null_lock);
	if (null_device)
		goto out;
	rc = -ENOMEM;
	dev = ib_alloc_device(null_dev, ib);
	if (!dev)
		goto out;
	spin_lock_init(&dev->lock.lock);
	xa_init_flags(&dev->qps, XA_FLAGS_ALLOC);
	dev->ib.phys_port_cnt = 1;
	dev->ib.num_comp_vectors = num_possible_cpus();
	dev->ib.node_type = RDMA_NODE_IB_CA;
	dev->ib.node_guid = cpu_to_be64(0x02006b76656e756cULL);
	strscpy(dev->ib.node_desc, "nullhca", sizeof(dev->ib.node_desc));
	ib_set_device_ops(&dev->ib, &null_ops);
	null_path_ops(&dev->ib, null_scripted);
	rc = ib_register_device(&dev->ib, "null0", NULL);
	if (rc)
		ib_dealloc_device(&dev->ib);
	else
		null_device = dev;
out:
	mutex_unlock(&null_lock);
	return rc;
}

/* take the device away, if it is there: waits until its clients have let go */
void null_unplug(void)
{
	mutex_lock(&null_lock);
	if (null_device) {
		ib_unregister_device(&null_device->ib);
		xa_destroy(&null_device->qps);
		ib_dealloc_device(&null_device->ib);
		null_device = NULL;
	}
	mutex_unlock(&null_lock);
}

static void null_unplug_work(struct work_struct *work)
{
	null_unplug();
}

static DECLARE_WORK(null_going, null_unplug_work);

/* the same, from wherever the device is being called */
void null_unplug_later(void)
{
	queue_work(system_long_wq, &null_going);
}

/**
 * null_set_scripted - set which data path the device has
 * @scripted: through the script
 */
void null_set_scripted(bool scripted)
{
	mutex_lock(&null_lock);
	null_scripted = scripted;
	if (null_device)
		null_path_ops(&null_device->ib, scripted);
	mutex_unlock(&null_lock);
}

static int __init null_init(void)
{
	int rc = null_script_init();

	if (rc)
		return rc;
	rc = null_plug();
	if (rc)
		null_script_exit();
	return rc;
}

static void __exit null_exit(void)
{
	null_script_exit();
	cancel_work_sync(&null_going);
	null_unplug();
}

module_init(null_init);
module_exit(null_exit);

MODULE_DESCRIPTION("RDMA device without hardware, for tests");
MODULE_LICENSE("Dual BSD/GPL");
