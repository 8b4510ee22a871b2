// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "cm.h"
#include "placement.h"
#include "verbs.h"
#include "null.h"
#include "kverbs.h"

#define LIMIT_DEPTH	65536
#define LIMIT_LANES	1024
#define GIDS_MAX	1024	/* entries looked at when a GID is chosen */

/* libibverbs loses the errno of the open that failed: look at the file itself */
static void explain_open(const struct ibv_device *device, const char *name, struct kv_error *error)
{
	int err = errno;
	char path[96];

	snprintf(path, sizeof(path), "/dev/infiniband/%s", device->dev_name);
	if (access(path, R_OK | W_OK) && (errno == EACCES || errno == EPERM))
		kv_error_set(error, KV_EXIT_ENVIRONMENT,
			     "device %s: not permitted to open %s; run as root, or give it mode 0666 (udev rules of rdma-core)",
			     name, path);
	else
		kv_error_set(error, KV_EXIT_ENVIRONMENT, "device %s: cannot be opened: %s", name,
			     strerror(err));
}

static int open_device(struct kv_port *port, const char *name, struct kv_error *error)
{
	struct ibv_device **list = ibv_get_device_list(NULL), **device;

	errno = ENODEV;
	for (device = list; device && *device; device++) {
		if (strcmp(ibv_get_device_name(*device), name))
			continue;
		port->context = ibv_open_device(*device);
		break;
	}
	if (!port->context && !(device && *device) && kv_null_named(name))
		port->context = kv_null_open();
	if (!port->context && device && *device)
		explain_open(*device, name, error);
	else if (!port->context)
		kv_error_set(error, KV_EXIT_ENVIRONMENT,
			     "device %s: user space has no access to it; load ib_uverbs, and install its provider library (package ibverbs-providers)",
			     name);
	if (list)
		ibv_free_device_list(list);
	return port->context ? 0 : -1;
}

static u32 link_of(const struct kv_port *port)
{
	switch (port->context->device->transport_type) {
	case IBV_TRANSPORT_IWARP:
		return KVERBS_LINK_IWARP;
	case IBV_TRANSPORT_IB:
		return port->attr.link_layer == IBV_LINK_LAYER_ETHERNET ? KVERBS_LINK_ROCE :
									  KVERBS_LINK_IB;
	default:
		return KVERBS_LINK_OTHER;
	}
}

/* which operations of a transport have pages on demand, by enum ibv_odp_transport_cap_bits */
static u32 odp_ops(u32 bits)
{
	u32 ops = 0;

	/* a message needs them at both ends */
	if (bits & IBV_ODP_SUPPORT_SEND && bits & IBV_ODP_SUPPORT_RECV)
		ops |= 1U << KVERBS_OP_SEND | 1U << KVERBS_OP_SEND_IMM;
	if (bits & IBV_ODP_SUPPORT_WRITE)
		ops |= 1U << KVERBS_OP_WRITE | 1U << KVERBS_OP_WRITE_IMM;
	if (bits & IBV_ODP_SUPPORT_READ)
		ops |= 1U << KVERBS_OP_READ;
	if (bits & IBV_ODP_SUPPORT_ATOMIC)
		ops |= 1U << KVERBS_OP_CAS | 1U << KVERBS_OP_FADD;
	return ops;
}

static void fill_placement(struct kv_caps *caps, u64 flags)
{
	caps->atomic_write = KV_POSTS_ATOMIC_WRITE;
	if (!caps->atomic_write && !(flags & KV_DEVICE_ATOMIC_WRITE))
		caps->atomic_write = KV_LACKS_DEVICE;
	caps->flush = KV_POSTS_FLUSH;
	if (flags & KV_DEVICE_FLUSH_GLOBAL)
		caps->flush_types |= 1U << KVERBS_FLUSH_TYPE_GLOBAL;
	if (flags & KV_DEVICE_FLUSH_PERSISTENT)
		caps->flush_types |= 1U << KVERBS_FLUSH_TYPE_PERSISTENT;
}

static void fill_extended(struct kv_port *port)
{
	struct ibv_device_attr_ex attr = { 0 };
	struct kv_caps *caps = &port->caps;

	if (ibv_query_device_ex(port->context, NULL, &attr))
		memset(&attr, 0, sizeof(attr));
	fill_placement(caps, attr.device_cap_flags_ex);
	if (!(attr.odp_caps.general_caps & IBV_ODP_SUPPORT))
		return;
	caps->odp = 1U << KVERBS_ODP_EXPLICIT;
	if (attr.odp_caps.general_caps & IBV_ODP_SUPPORT_IMPLICIT)
		caps->odp |= 1U << KVERBS_ODP_IMPLICIT;
	caps->odp_ops[KVERBS_TRANSPORT_RC] =
		odp_ops(attr.odp_caps.per_transport_caps.rc_odp_caps);
	caps->odp_ops[KVERBS_TRANSPORT_UC] =
		odp_ops(attr.odp_caps.per_transport_caps.uc_odp_caps);
	caps->odp_ops[KVERBS_TRANSPORT_UD] =
		odp_ops(attr.odp_caps.per_transport_caps.ud_odp_caps);
}

static void fill_caps(struct kv_port *port)
{
	const struct ibv_device_attr *device = &port->device;
	int rd = device->max_qp_rd_atom < device->max_qp_init_rd_atom ?
		 device->max_qp_rd_atom : device->max_qp_init_rd_atom;
	struct kv_caps *caps = &port->caps;

	caps->kernel = 0;
	caps->software = port->facts.software;
	caps->link = link_of(port);
	caps->ports = device->phys_port_cnt;
	caps->port_active = port->attr.state == IBV_PORT_ACTIVE;
	caps->mtu = 128U << port->attr.active_mtu;
	caps->gids = (u32)port->attr.gid_tbl_len;
	caps->max_msg = port->attr.max_msg_sz;
	caps->max_qp = (u32)device->max_qp;
	caps->max_qp_wr = (u32)device->max_qp_wr;
	caps->max_cqe = (u32)device->max_cqe;
	caps->max_rd_atomic = (u32)rd;
	caps->max_sge = (u32)device->max_sge;
	caps->max_sge_rd = (u32)device->max_sge_rd;
	caps->pkeys = port->attr.pkey_tbl_len;
	caps->atomic = device->atomic_cap != IBV_ATOMIC_NONE;
	caps->max_reg_bytes = ~0ULL;
	caps->reg_mr = 1;
	fill_extended(port);
	/* a null device is no one else's */
	caps->cm = port->context->cmd_fd >= 0;
	caps->ordering = caps->software ? KV_ORDERING_STRICT : KV_ORDERING_ASKED;
	if (device->device_cap_flags & (IBV_DEVICE_MEM_WINDOW_TYPE_2A |
					IBV_DEVICE_MEM_WINDOW_TYPE_2B))
		caps->windows = device->max_mw > 0 ? (u32)device->max_mw : 1;
	caps->max_mr = device->max_mr > 0 ? (u32)device->max_mr : 0;
	caps->vectors = (u32)port->context->num_comp_vectors;
	caps->max_cq = device->max_cq > 0 ? (u32)device->max_cq : 0;
	caps->max_srq = device->max_srq > 0 ? (u32)device->max_srq : 0;
	caps->max_srq_wr = device->max_srq_wr > 0 ? (u32)device->max_srq_wr : 0;
	caps->max_srq_sge = device->max_srq_sge > 0 ? (u32)device->max_srq_sge : 0;
	caps->evict = KV_CAN_EVICT;
	caps->page = (u32)sysconf(_SC_PAGESIZE);
	/*
	 * Of rdma-core 44: inline data is sent without its flag, and as nothing from a
	 * list; a list of SGEs is as long as its first times their number; the end of a
	 * batch passes one WC too many, and unlocks twice.
	 */
	caps->wr_single = !strcmp(port->facts.driver, "rdma_rxe");
	caps->limit_lanes = LIMIT_LANES;
	caps->limit_depth = LIMIT_DEPTH;
	caps->limit_ms = 0;
	caps->limit_bytes = (u64)sysconf(_SC_PHYS_PAGES) * (u64)sysconf(_SC_PAGESIZE) / 2;
}

/**
 * kv_port_open - open a device and look at one of its ports
 * @port: filled; zero before
 * @device: name
 * @number: of the port; one that the device does not have is left to the check
 *	of the job
 * @error: filled on failure
 * Return: 0, or -1 with nothing left open
 */
int kv_port_open(struct kv_port *port, const char *device, u32 number, struct kv_error *error)
{
	int rc;

	if (open_device(port, device, error))
		return -1;
	kv_device_facts(device, &port->facts);
	rc = ibv_query_device(port->context, &port->device);
	if (rc) {
		kv_error_set(error, KV_EXIT_ENVIRONMENT, "device %s: query_device: %s", device,
			     strerror(rc));
		goto close;
	}
	port->number = (u8)number;
	if (number >= 1 && number <= port->device.phys_port_cnt) {
		rc = ibv_query_port(port->context, port->number, &port->attr);
		if (rc) {
			kv_error_set(error, KV_EXIT_ENVIRONMENT, "device %s: query_port %u: %s",
				     device, number, strerror(rc));
			goto close;
		}
	}
	fill_caps(port);
	return 0;
close:
	kv_port_close(port);
	return -1;
}

static bool usable_type(const struct kv_port *port, u32 type)
{
	return port->caps.link == KVERBS_LINK_IB || type == IBV_GID_TYPE_ROCE_V1 ||
	       type == IBV_GID_TYPE_ROCE_V2;
}

/* the type of a GID is the one asked for, if any was */
static bool type_fits(u32 gid_type, u32 asked)
{
	return asked == KV_AUTO ||
	       (gid_type == IBV_GID_TYPE_ROCE_V2) == (asked == KVERBS_GID_TYPE_V2);
}

static int take_gid(struct kv_port *port, u32 index, u32 type, struct kv_error *error)
{
	struct ibv_gid_entry entry;
	int rc = ibv_query_gid_ex(port->context, port->number, index, &entry, 0);

	if (rc || !usable_type(port, entry.gid_type))
		return kv_error_set(error, KV_EXIT_USAGE,
				    "gid-index %u: this entry of port %u is empty; leave -x out to have one chosen, or see 'rdma link' and ibv_devinfo -v",
				    index, port->number);
	if (!type_fits(entry.gid_type, type))
		return kv_error_set(error, KV_EXIT_USAGE,
				    "gid-index %u: its GID is not of --gid-type %s; leave one of them out",
				    index, kv_gid_kind_name(type));
	port->gid = entry.gid;
	port->gid_index = index;
	port->gid_type = entry.gid_type;
	return 0;
}

/**
 * kv_port_gid - settle the GID of both ends
 * @port: opened
 * @asked: index, or KV_AUTO: RoCE takes the best by kv_gid_rank(), the first
 *	of equals; IB needs none unless the port demands it
 * @type: enum kverbs_gid_type, or KV_AUTO
 * @error: filled on failure
 * Return: 0, or -1
 */
int kv_port_gid(struct kv_port *port, u32 asked, u32 type, struct kv_error *error)
{
	struct ibv_gid_entry entry[GIDS_MAX];
	u32 rank, best = 0, index = 0;
	ssize_t n, i;

	port->grh = port->caps.link == KVERBS_LINK_ROCE || asked != KV_AUTO ||
		    (port->attr.flags & IBV_QPF_GRH_REQUIRED);
	port->gid_index = KV_AUTO;
	if (!port->grh)
		return 0;
	if (asked != KV_AUTO || port->caps.link != KVERBS_LINK_ROCE)
		return take_gid(port, asked == KV_AUTO ? 0 : asked, type, error);
	n = ibv_query_gid_table(port->context, entry, GIDS_MAX, 0);
	for (i = 0; i < n; i++) {
		if (entry[i].port_num != port->number ||
		    !usable_type(port, entry[i].gid_type) || !type_fits(entry[i].gid_type, type))
			continue;
		rank = kv_gid_rank(entry[i].gid_type == IBV_GID_TYPE_ROCE_V2, entry[i].gid.raw);
		if (rank > best) {
			best = rank;
			index = entry[i].gid_index;
		}
	}
	if (!best)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT,
				    "port %u: no usable GID; give its netdev an IP address and bring it up",
				    port->number);
	return take_gid(port, index, type, error);
}

/**
 * kv_port_close - close the device
 * @port: may be closed already
 */
void kv_port_close(struct kv_port *port)
{
	kv_cm_close(port);
	if (port->pd)
		ibv_dealloc_pd(port->pd);
	port->pd = NULL;
	if (port->context)
		ibv_close_device(port->context);
	port->context = NULL;
}
