// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Capabilities: what the device says it can do, by type. */
#include "hca.h"

enum {
	CAP_GENERAL = 0, CAP_ETH = 1, CAP_ODP = 2, CAP_ATOMIC = 3, CAP_ROCE = 4, CAP_FLOW_TABLE = 7,
	CAP_BYTES = 4096, CAP_TYPES = 64,
};

static void general(struct hca *hca, void *c)
{
	SET(cmd_hca_cap, c, log_max_srq_sz, HCA_LOG_MAX_WQ);
	SET(cmd_hca_cap, c, log_max_qp_sz, HCA_LOG_MAX_WQ);
	SET(cmd_hca_cap, c, log_max_qp, HCA_LOG_MAX_QP);
	SET(cmd_hca_cap, c, log_max_srq, HCA_LOG_MAX_SRQ);
	SET(cmd_hca_cap, c, max_sgl_for_optimized_performance, 30);
	SET(cmd_hca_cap, c, log_max_cq_sz, HCA_LOG_MAX_CQE);
	SET(cmd_hca_cap, c, log_max_cq, HCA_LOG_MAX_CQ);
	SET(cmd_hca_cap, c, log_max_eq_sz, HCA_LOG_MAX_CQE);
	SET(cmd_hca_cap, c, log_max_mkey, HCA_LOG_MAX_MKEY);
	SET(cmd_hca_cap, c, log_max_eq, HCA_LOG_MAX_EQ);
	SET(cmd_hca_cap, c, log_max_mrw_sz, 63);
	SET(cmd_hca_cap, c, log_max_klm_list_size, 16);
	SET(cmd_hca_cap, c, max_indirection, 1);
	SET(cmd_hca_cap, c, log_max_ra_req_qp, HCA_LOG_MAX_RD);
	SET(cmd_hca_cap, c, log_max_ra_res_qp, HCA_LOG_MAX_RD);
	SET(cmd_hca_cap, c, gid_table_size, 1);		/* 16 entries */
	SET(cmd_hca_cap, c, pkey_table_size, 0);	/* 128 entries */
	SET(cmd_hca_cap, c, vport_counters, 1);
	SET(cmd_hca_cap, c, retransmission_q_counters, 1);
	SET(cmd_hca_cap, c, out_of_seq_cnt, 1);
	SET(cmd_hca_cap, c, max_qp_cnt, 64);
	SET(cmd_hca_cap, c, ib_virt, 1);
	SET(cmd_hca_cap, c, local_ca_ack_delay, 16);
	SET(cmd_hca_cap, c, num_ports, 1);
	SET(cmd_hca_cap, c, log_max_msg, HCA_LOG_MAX_MSG);
	SET(cmd_hca_cap, c, cqe_version, 1);
	SET(cmd_hca_cap, c, sctr_data_cqe, 1);
	SET(cmd_hca_cap, c, atomic, 1);
	SET(cmd_hca_cap, c, cq_oi, 1);
	SET(cmd_hca_cap, c, cq_resize, 1);
	SET(cmd_hca_cap, c, cq_moderation, 1);
	SET(cmd_hca_cap, c, scqe_break_moderation, 1);
	SET(cmd_hca_cap, c, imaicl, 1);
	SET(cmd_hca_cap, c, qkv, 1);
	SET(cmd_hca_cap, c, pkv, 1);
	SET(cmd_hca_cap, c, xrc, 1);
	SET(cmd_hca_cap, c, ud, 1);
	SET(cmd_hca_cap, c, uc, 1);
	SET(cmd_hca_cap, c, rc, 1);
	SET(cmd_hca_cap, c, uar_sz, 4);
	SET(cmd_hca_cap, c, log_pg_sz, 12);
	SET(cmd_hca_cap, c, bf, hca->bf_on);
	SET(cmd_hca_cap, c, driver_version, 1);
	SET(cmd_hca_cap, c, log_bf_reg_size, 9);
	SET(cmd_hca_cap, c, max_wqe_sz_sq, HCA_MAX_SQ_WQE);
	SET(cmd_hca_cap, c, max_wqe_sz_rq, HCA_MAX_RQ_WQE);
	SET(cmd_hca_cap, c, max_qp_mcg, 240);
	SET(cmd_hca_cap, c, log_max_mcg, 8);
	SET(cmd_hca_cap, c, log_max_transport_domain, 12);
	SET(cmd_hca_cap, c, log_max_pd, HCA_LOG_MAX_PD);
	SET(cmd_hca_cap, c, log_max_xrcd, 12);
	SET(cmd_hca_cap, c, device_frequency_mhz, 1000);
	SET(cmd_hca_cap, c, device_frequency_khz, 1000000);
	SET(cmd_hca_cap, c, stat_rate_support, 0x7ffc >> 2);
	SET(cmd_hca_cap, c, port_type, hca->roce ? 1 : 0);
	if (!hca->roce)
		return;
	SET(cmd_hca_cap, c, roce, 1);
	SET(cmd_hca_cap, c, eth_net_offloads, 1);
	SET(cmd_hca_cap, c, nic_flow_table, 1);
	SET(cmd_hca_cap, c, eth_virt, 1);
	SET(cmd_hca_cap, c, log_max_rq, 10);
	SET(cmd_hca_cap, c, log_max_sq, 10);
	SET(cmd_hca_cap, c, log_max_tir, 10);
	SET(cmd_hca_cap, c, log_max_tis, 10);
	SET(cmd_hca_cap, c, log_max_rmp, 10);
	SET(cmd_hca_cap, c, log_max_rqt, 10);
	SET(cmd_hca_cap, c, log_max_rqt_size, 10);
	SET(cmd_hca_cap, c, log_max_tis_per_sq, 3);
	SET(cmd_hca_cap, c, log_max_stride_sz_rq, 10);
	SET(cmd_hca_cap, c, log_min_stride_sz_rq, 4);
	SET(cmd_hca_cap, c, log_max_stride_sz_sq, 10);
	SET(cmd_hca_cap, c, log_min_stride_sz_sq, 6);
	SET(cmd_hca_cap, c, log_max_wq_sz, 15);
	SET(cmd_hca_cap, c, log_max_vlan_list, 5);
	SET(cmd_hca_cap, c, log_max_current_mc_list, 5);
	SET(cmd_hca_cap, c, log_max_current_uc_list, 5);
	SET(cmd_hca_cap, c, log_max_l2_table, 5);
	SET(cmd_hca_cap, c, max_tc, 1);
}

static void atomics(void *c)
{
	SET(atomic_caps, c, supported_atomic_req_8B_endianness_mode_1, 1);
	SET(atomic_caps, c, atomic_req_8B_endianness_mode, 1);
	SET(atomic_caps, c, atomic_operations, 3);	/* compare and swap, fetch and add */
	SET(atomic_caps, c, atomic_size_qp, 8);		/* bytes */
}

static void ethernet(void *c)
{
#define ETH(f, v) SET(per_protocol_networking_offload_caps, c, f, v)
	ETH(csum_cap, 1);
	ETH(vlan_cap, 1);
	ETH(max_lso_cap, 1);			/* two bytes: as good as none */
	ETH(rss_ind_tbl_cap, 7);
	ETH(wqe_inline_mode, 2);		/* by vport context: L2 at least */
	ETH(self_lb_en_modifiable, 1);
	ETH(scatter_fcs, 0);
#undef ETH
}

static void roce(void *c)
{
	SET(roce_cap, c, l3_type, 6);			/* IPv4 and IPv6 */
	SET(roce_cap, c, roce_version, 5);		/* v1 and v2 */
	SET(roce_cap, c, r_roce_dest_udp_port, 4791);
	SET(roce_cap, c, r_roce_max_src_udp_port, 0xffff);
	SET(roce_cap, c, r_roce_min_src_udp_port, 0xc000);
	SET(roce_cap, c, roce_address_table_size, HCA_GIDS);
}

static void flow_table(void *c)
{
#define RX flow_table_properties_nic_receive
	SET(flow_table_nic_cap, c, RX.ft_support, 1);
	SET(flow_table_nic_cap, c, RX.flow_modify_en, 1);
	SET(flow_table_nic_cap, c, RX.modify_root, 1);
	SET(flow_table_nic_cap, c, RX.log_max_ft_size, 16);
	SET(flow_table_nic_cap, c, RX.max_ft_level, 63);
	SET(flow_table_nic_cap, c, RX.log_max_ft_num, 10);
	SET(flow_table_nic_cap, c, RX.log_max_destination, 5);
	SET(flow_table_nic_cap, c, RX.log_max_flow, 16);
#undef RX
}

/* What the device has: the most, which is what it starts with. */
static void caps_fill(struct hca *hca, unsigned int type, void *c)
{
	switch (type) {
	case CAP_GENERAL:
		general(hca, c);
		break;
	case CAP_ATOMIC:
		atomics(c);
		break;
	case CAP_ETH:
		if (hca->roce)
			ethernet(c);
		break;
	case CAP_ROCE:
		if (hca->roce)
			roce(c);
		break;
	case CAP_FLOW_TABLE:
		if (hca->roce)
			flow_table(c);
		break;
	}
}

bool caps_query(struct hca *hca, unsigned int type, bool max, void *out, size_t len)
{
	uint8_t c[CAP_BYTES] = { };

	if (type >= CAP_TYPES)
		return false;
	caps_fill(hca, type, c);
	memcpy(out, !max && hca->caps[type] ? hca->caps[type] : c, MIN(len, sizeof(c)));
	return true;
}

bool caps_set(struct hca *hca, unsigned int type, const void *in, size_t len)
{
	if (type >= CAP_TYPES)
		return false;
	/* Of the other types the driver sets single fields, to what they are already. */
	if (type != CAP_GENERAL)
		return true;
	if (!hca->caps[type])
		hca->caps[type] = g_malloc0(CAP_BYTES);
	memcpy(hca->caps[type], in, MIN(len, CAP_BYTES));
	return true;
}

void caps_reset(struct hca *hca)
{
	for (int i = 0; i < CAP_TYPES; i++) {
		g_free(hca->caps[i]);
		hca->caps[i] = NULL;
	}
}
