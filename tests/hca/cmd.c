// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The command queue: fetching a command with its mailboxes, one table row and
 * one function for each opcode, and the answer.
 */
#include "hca.h"
#include "fault.h"

enum {
	ST_OK = 0x0, ST_INTERNAL = 0x1, ST_BAD_OP = 0x2, ST_BAD_PARAM = 0x3, ST_BAD_SYS_STATE = 0x4,
	ST_BAD_RES = 0x5, ST_BUSY = 0x6, ST_LIMIT = 0x8, ST_BAD_RES_STATE = 0x9, ST_INDEX = 0xa,
	ST_NO_RES = 0xf, ST_BAD_QP_STATE = 0x10, ST_BAD_IN_LEN = 0x50, ST_BAD_OUT_LEN = 0x51,

	DELIVERY_OK = 0, DELIVERY_TOKEN = 0x2, DELIVERY_IN_LEN = 0x6, DELIVERY_OUT_LEN = 0x7,
	DELIVERY_FW = 0x5, DELIVERY_DESCR = 0x10,

	ENTRY = 64, BLOCK = 576, BLOCK_DATA = 512, BLOCK_NEXT = 560, BLOCK_TOKEN = 573,
	MAX_OUT = 1 << 20,
};

/* One command: its input, padded with zeros to more than any layout, and its output. */
struct cmd {
	uint8_t *in, *out;
	size_t in_len, out_len;
	uint16_t op_mod;
};

#define PAD 4608

/* ---- the device and its port -------------------------------------------------- */

static uint8_t ok(struct hca *hca, struct cmd *c)
{
	return ST_OK;
}

static uint8_t query_issi(struct hca *hca, struct cmd *c)
{
	SET(query_issi_out, c->out, current_issi, 1);
	SET(query_issi_out, c->out, supported_issi_dw0, 3);
	return ST_OK;
}

/* The model keeps its state in the host. It asks for pages all the same, to see them return. */
static uint8_t query_pages(struct hca *hca, struct cmd *c)
{
	enum { BOOT = 1, INIT = 2 };

	SET(query_pages_out, c->out, num_pages,
	    c->op_mod == BOOT ? HCA_BOOT_PAGES : c->op_mod == INIT ? HCA_INIT_PAGES : 0);
	return ST_OK;
}

static uint8_t manage_pages(struct hca *hca, struct cmd *c)
{
	enum { CANT_GIVE = 0, GIVE = 1, TAKE = 2 };
	uint32_t n = GET(manage_pages_in, c->in, input_num_entries);

	switch (c->op_mod) {
	case CANT_GIVE:
		return ST_OK;
	case GIVE:
		if (n > HCA_MAX_PAGES - hca->npages)
			return ST_LIMIT;
		if (n > (c->in_len - IFC_BYTES(manage_pages_in)) / 8)
			return ST_BAD_IN_LEN;
		for (uint32_t i = 0; i < n; i++)
			hca->pages[hca->npages++] = be64p(c->in + IFC_BYTES(manage_pages_in) + i * 8);
		return ST_OK;
	case TAKE:
		if (c->out_len < IFC_BYTES(manage_pages_out))
			return ST_BAD_OUT_LEN;
		n = MIN(n, hca->npages);
		n = MIN(n, (c->out_len - IFC_BYTES(manage_pages_out)) / 8);
		SET(manage_pages_out, c->out, output_num_entries, n);
		for (uint32_t i = 0; i < n; i++)
			stq_be_p(c->out + IFC_BYTES(manage_pages_out) + i * 8,
				 hca->pages[--hca->npages]);
		return ST_OK;
	}
	return ST_BAD_PARAM;
}

static uint8_t query_hca_cap(struct hca *hca, struct cmd *c)
{
	uint8_t *cap = ADDR(query_hca_cap_out, c->out, capability);

	if (c->out_len < 16)
		return ST_BAD_OUT_LEN;
	return caps_query(hca, c->op_mod >> 1, !(c->op_mod & 1), cap, c->out_len - 16)
		       ? ST_OK
		       : ST_BAD_PARAM;
}

static uint8_t set_hca_cap(struct hca *hca, struct cmd *c)
{
	return caps_set(hca, c->op_mod >> 1, ADDR(set_hca_cap_in, c->in, capability),
			c->in_len - 16)
		       ? ST_OK
		       : ST_BAD_PARAM;
}

static uint8_t query_adapter(struct hca *hca, struct cmd *c)
{
	void *a = ADDR(query_adapter_out, c->out, query_adapter_struct);

	SET(query_adapter_param_block, a, ieee_vendor_id, 0x2c9);
	SET(query_adapter_param_block, a, vsd_vendor_id, 0x15b3);
	memcpy(ADDR(query_adapter_param_block, a, vsd_contd_psid), "KVB0000000001", 14);
	return ST_OK;
}

static uint8_t teardown_hca(struct hca *hca, struct cmd *c)
{
	return ST_OK;
}

static uint8_t disable_hca(struct hca *hca, struct cmd *c)
{
	objects_left(hca);
	hca_reset_objects(hca);
	return ST_OK;
}

static uint8_t query_special_contexts(struct hca *hca, struct cmd *c)
{
	SET(query_special_contexts_out, c->out, resd_lkey, 0x100);
	SET(query_special_contexts_out, c->out, null_mkey, 0x100);
	return ST_OK;
}

static uint8_t query_hca_vport_context(struct hca *hca, struct cmd *c)
{
	void *v = ADDR(query_hca_vport_context_out, c->out, hca_vport_context);

	SET(hca_vport_context, v, has_smi, 1);
	SET(hca_vport_context, v, port_physical_state, hca->link_up ? 5 : 3);
	SET(hca_vport_context, v, port_state, hca->link_up ? 4 : 1);
	SET(hca_vport_context, v, vport_state, hca->link_up ? 4 : 1);
	SET(hca_vport_context, v, system_image_guid, hca->guid);
	SET(hca_vport_context, v, port_guid, hca->guid);
	SET(hca_vport_context, v, node_guid, hca->guid);
	SET(hca_vport_context, v, cap_mask1, 0x2651e848);
	SET(hca_vport_context, v, cap_mask1_field_select, 0x10000);
	SET(hca_vport_context, v, lid, hca->lid);
	SET(hca_vport_context, v, sm_lid, 0);
	SET(hca_vport_context, v, subnet_timeout, 18);
	return ST_OK;
}

/* Port capabilities that software owns: connection management, traps and the like. */
static uint8_t modify_hca_vport_context(struct hca *hca, struct cmd *c)
{
	return ST_OK;
}

static uint8_t query_hca_vport_gid(struct hca *hca, struct cmd *c)
{
	uint32_t index = GET(query_hca_vport_gid_in, c->in, gid_index);
	uint8_t *gid = c->out + 16;
	bool all = index == 0xffff;

	if (c->out_len < 32)
		return ST_BAD_OUT_LEN;
	SET(query_hca_vport_gid_out, c->out, gids_num, all ? HCA_GIDS : 1);
	if (all || !index) {
		stq_be_p(gid, 0xfe80000000000000ULL);
		stq_be_p(gid + 8, hca->guid);
	}
	return ST_OK;
}

static uint8_t query_hca_vport_pkey(struct hca *hca, struct cmd *c)
{
	uint32_t index = GET(query_hca_vport_pkey_in, c->in, pkey_index);

	if (c->out_len < 20)
		return ST_BAD_OUT_LEN;
	if (index == 0xffff || !index)
		stl_be_p(c->out + 16, 0xffff);	/* the default key, full member */
	return ST_OK;
}

static uint8_t mad_ifc(struct hca *hca, struct cmd *c)
{
	uint8_t *in = ADDR(mad_ifc_in, c->in, mad),
		*out = ADDR(mad_ifc_out, c->out, response_mad_packet);

	/* No agent lives here: every MAD comes back as "attribute not supported". */
	memcpy(out, in, 256);
	out[3] = 0x81;
	stw_be_p(out + 4, 0x000c | (in[1] == 0x81 ? 0x8000 : 0));
	return ST_OK;
}

static uint8_t query_vport_counter(struct hca *hca, struct cmd *c)
{
	const struct hca_counters *n = &hca->cnt;

	SET(query_vport_counter_out, c->out, received_ib_unicast.packets, n->rx_packets);
	SET(query_vport_counter_out, c->out, received_ib_unicast.octets, n->rx_bytes);
	SET(query_vport_counter_out, c->out, transmitted_ib_unicast.packets, n->tx_packets);
	SET(query_vport_counter_out, c->out, transmitted_ib_unicast.octets, n->tx_bytes);
	return ST_OK;
}

static uint8_t query_q_counter(struct hca *hca, struct cmd *c)
{
	const struct hca_counters *n = &hca->cnt;

	SET(query_q_counter_out, c->out, out_of_buffer, n->out_of_buffer);
	SET(query_q_counter_out, c->out, out_of_sequence, n->out_of_sequence);
	SET(query_q_counter_out, c->out, duplicate_request, n->duplicates);
	SET(query_q_counter_out, c->out, packet_seq_err, n->out_of_sequence);
	SET(query_q_counter_out, c->out, local_ack_timeout_err, n->timeouts);
	SET(query_q_counter_out, c->out, req_transport_retries_exceeded, n->retry_exceeded);
	SET(query_q_counter_out, c->out, cq_overflow, n->cq_overruns);
	return ST_OK;
}

/* ---- the Ethernet side of a RoCE port -------------------------------------------- */

static uint8_t query_vport_state(struct hca *hca, struct cmd *c)
{
	SET(query_vport_state_out, c->out, admin_state, 1);
	SET(query_vport_state_out, c->out, state, hca->link_up);
	return ST_OK;
}

static uint8_t query_nic_vport_context(struct hca *hca, struct cmd *c)
{
	uint8_t *v = ADDR(query_nic_vport_context_out, c->out, nic_vport_context);

	if (c->out_len < 16 + sizeof(hca->nic_vport))
		return ST_BAD_OUT_LEN;
	memcpy(v, hca->nic_vport, sizeof(hca->nic_vport));
	SET(nic_vport_context, v, system_image_guid, hca->guid);
	SET(nic_vport_context, v, port_guid, hca->guid);
	SET(nic_vport_context, v, node_guid, hca->guid);
	SET(nic_vport_context, v, allowed_list_size, 0);
	if (!GET(nic_vport_context, v, mtu))
		SET(nic_vport_context, v, mtu, 1500);
	if (!GET(nic_vport_context, v, permanent_address.mac_addr_31_0)) {
		SET(nic_vport_context, v, permanent_address.mac_addr_47_32, be16p(hca->mac));
		SET(nic_vport_context, v, permanent_address.mac_addr_31_0, be32p(hca->mac + 2));
	}
	return ST_OK;
}

static uint8_t modify_nic_vport_context(struct hca *hca, struct cmd *c)
{
	const uint8_t *v = ADDR(modify_nic_vport_context_in, c->in, nic_vport_context);

#define TAKE(select, field)                                                       \
	do {                                                                      \
		if (GET(modify_nic_vport_context_in, c->in, field_select.select)) \
			SET(nic_vport_context, hca->nic_vport, field,             \
			    GET(nic_vport_context, v, field));                    \
	} while (0)
	TAKE(roce_en, roce_en);
	TAKE(mtu, mtu);
	TAKE(min_inline, min_wqe_inline_mode);
	TAKE(disable_uc_local_lb, disable_uc_local_lb);
	TAKE(disable_mc_local_lb, disable_mc_local_lb);
	TAKE(promisc, promisc_uc);
	TAKE(promisc, promisc_mc);
	TAKE(promisc, promisc_all);
	TAKE(permanent_address, permanent_address.mac_addr_47_32);
	TAKE(permanent_address, permanent_address.mac_addr_31_0);
#undef TAKE
	return ST_OK;
}

static uint8_t set_roce_address(struct hca *hca, struct cmd *c)
{
	uint32_t i = GET(set_roce_address_in, c->in, roce_address_index);
	const uint8_t *a = ADDR(set_roce_address_in, c->in, roce_address);

	if (i >= HCA_GIDS)
		return ST_INDEX;
	memcpy(hca->gids[i].gid, ADDR(roce_addr_layout, a, source_l3_address), 16);
	stw_be_p(hca->gids[i].mac, GET(roce_addr_layout, a, source_mac_47_32));
	stl_be_p(hca->gids[i].mac + 2, GET(roce_addr_layout, a, source_mac_31_0));
	hca->gids[i].version = GET(roce_addr_layout, a, roce_version);
	hca->gids[i].l3 = GET(roce_addr_layout, a, roce_l3_type);
	hca->gids[i].valid = be64p(hca->gids[i].gid) || be64p(hca->gids[i].gid + 8);
	return ST_OK;
}

/* ---- registers -------------------------------------------------------------------- */

static uint8_t access_reg(struct hca *hca, struct cmd *c)
{
	uint32_t id = GET(access_register_in, c->in, register_id);
	const uint8_t *in = ADDR(access_register_in, c->in, register_data);
	uint8_t *out = ADDR(access_register_out, c->out, register_data);
	size_t room = c->out_len > 16 ? c->out_len - 16 : 0;
	bool read = c->op_mod & 1;

	memcpy(out, in, MIN(room, c->in_len > 16 ? c->in_len - 16 : 0));
	switch (id) {
	case 0x5003:		/* PMTU */
		SET(pmtu_reg, out, max_mtu, hca->roce ? 9978 : 4096);
		SET(pmtu_reg, out, oper_mtu, hca->roce ? 1500 : 4096);
		SET(pmtu_reg, out, admin_mtu, hca->roce ? 1500 : 4096);
		return ST_OK;
	case 0x5004:		/* PTYS */
		SET(ptys_reg, out, ib_link_width_capability, 7);
		SET(ptys_reg, out, ib_proto_capability, 0x3f);
		SET(ptys_reg, out, ib_link_width_admin, 7);
		SET(ptys_reg, out, ib_proto_admin, 0x3f);
		SET(ptys_reg, out, ib_link_width_oper, hca->roce ? 0 : 4);	/* 4x */
		SET(ptys_reg, out, ib_proto_oper, hca->roce ? 0 : 0x20);	/* EDR */
		if (hca->roce) {
			SET(ptys_reg, out, eth_proto_capability, 1U << 23);	/* 100GBASE-LR4 */
			SET(ptys_reg, out, eth_proto_admin, 1U << 23);
			SET(ptys_reg, out, eth_proto_oper, hca->link_up ? 1U << 23 : 0);
		}
		return ST_OK;
	case 0x500f:		/* PVLC */
		SET(pvlc_reg, out, vl_hw_cap, 4);
		SET(pvlc_reg, out, vl_admin, 4);
		SET(pvlc_reg, out, vl_operational, 4);
		return ST_OK;
	case 0x5006:		/* PAOS */
		SET(paos_reg, out, admin_status, 1);
		SET(paos_reg, out, oper_status, hca->link_up ? 1 : 2);
		return ST_OK;
	case 0x6001:		/* node description */
		if (!read)
			memcpy(hca->node_desc, in, sizeof(hca->node_desc));
		memcpy(out, hca->node_desc, MIN(room, sizeof(hca->node_desc)));
		return ST_OK;
	case 0x7004:		/* host endianness */
	case 0x5007:		/* PFCC */
	case 0x5008:		/* PPCNT */
	case 0x5002:		/* PMLP */
		return ST_OK;
	}
	hca_trace(hca, "register 0x%x is not modelled", id);
	return ST_BAD_PARAM;
}

/* ---- objects that are a number --------------------------------------------------------- */

static uint8_t number_alloc(struct hca_table *t, struct cmd *c)
{
	int64_t id = table_add(t, t);

	if (id < 0)
		return ST_LIMIT;
	stl_be_p(c->out + 8, id);
	return ST_OK;
}

static uint8_t number_free(struct hca_table *t, struct cmd *c)
{
	return table_del(t, be32p(c->in + 8) & 0xffffff) ? ST_OK : ST_BAD_RES;
}

#define NUMBER(name, table)                                           \
	static uint8_t alloc_##name(struct hca *hca, struct cmd *c)   \
	{                                                             \
		return number_alloc(&hca->table, c);                  \
	}                                                             \
	static uint8_t dealloc_##name(struct hca *hca, struct cmd *c) \
	{                                                             \
		return number_free(&hca->table, c);                   \
	}

NUMBER(uar, uars)
NUMBER(pd, pds)
NUMBER(xrcd, xrcds)
NUMBER(td, tds)
NUMBER(misc, misc)

static uint8_t create_ethq(struct hca *hca, struct cmd *c, bool send)
{
	int64_t id = ethq_create(hca, send, c->in + 32, c->in_len > 32 ? c->in_len - 32 : 0);

	if (id < 0)
		return ST_BAD_PARAM;
	SET(create_sq_out, c->out, sqn, id);
	return ST_OK;
}

static uint8_t modify_ethq(struct hca *hca, struct cmd *c, bool send)
{
	struct hca_ethq *q =
		table_get(send ? &hca->esqs : &hca->erqs, GET(modify_sq_in, c->in, sqn));

	if (!q)
		return ST_BAD_RES;
	q->state = GET(sqc, ADDR(modify_sq_in, c->in, ctx),
		       state); /* in both contexts the same bits */
	if (!q->state)
		q->ci = 0;
	return ST_OK;
}

static uint8_t query_ethq(struct hca *hca, struct cmd *c, bool send)
{
	struct hca_ethq *q =
		table_get(send ? &hca->esqs : &hca->erqs, GET(query_sq_in, c->in, sqn));
	uint8_t *ctx = ADDR(query_sq_out, c->out, sq_context);

	if (!q)
		return ST_BAD_RES;
	if (c->out_len < IFC_OFF(query_sq_out, sq_context) / 8 + sizeof(q->ctx))
		return ST_BAD_OUT_LEN;
	memcpy(ctx, q->ctx, sizeof(q->ctx));
	SET(sqc, ctx, state, q->state);
	return ST_OK;
}

static uint8_t destroy_ethq_cmd(struct hca *hca, struct cmd *c, bool send)
{
	void *q = table_del(send ? &hca->esqs : &hca->erqs, be32p(c->in + 8) & 0xffffff);

	if (!q)
		return ST_BAD_RES;
	ethq_destroy(hca, q);
	return ST_OK;
}

static uint8_t create_sq(struct hca *hca, struct cmd *c) { return create_ethq(hca, c, true); }
static uint8_t create_rq(struct hca *hca, struct cmd *c) { return create_ethq(hca, c, false); }
static uint8_t modify_sq(struct hca *hca, struct cmd *c) { return modify_ethq(hca, c, true); }
static uint8_t modify_rq(struct hca *hca, struct cmd *c) { return modify_ethq(hca, c, false); }
static uint8_t query_sq(struct hca *hca, struct cmd *c) { return query_ethq(hca, c, true); }
static uint8_t query_rq(struct hca *hca, struct cmd *c) { return query_ethq(hca, c, false); }
static uint8_t destroy_sq(struct hca *hca, struct cmd *c) { return destroy_ethq_cmd(hca, c, true); }
static uint8_t destroy_rq(struct hca *hca, struct cmd *c)
{
	return destroy_ethq_cmd(hca, c, false);
}

/* Flow tables and groups are named where their layouts have them. */
static uint8_t destroy_flow(struct hca *hca, struct cmd *c)
{
	uint32_t id = GET(destroy_flow_group_in, c->in, group_id);

	if (be16p(c->in) == 0x931)
		id = GET(destroy_flow_table_in, c->in, table_id);
	return table_del(&hca->misc, id) ? ST_OK : ST_BAD_RES;
}

static uint8_t alloc_q_counter(struct hca *hca, struct cmd *c)
{
	SET(alloc_q_counter_out, c->out, counter_set_id, 1);
	return ST_OK;
}

/* ---- memory keys -------------------------------------------------------------------------- */

static uint8_t create_mkey(struct hca *hca, struct cmd *c)
{
	const uint8_t *ctx = ADDR(create_mkey_in, c->in, memory_key_mkey_entry);
	size_t at = IFC_OFF(create_mkey_in, klm_pas_mtt) / 8;
	uint32_t octowords = GET(mkc, ctx, translations_octword_size);
	struct hca_mkey *m = g_new0(struct hca_mkey, 1);
	uint32_t given = GET(create_mkey_in, c->in, translations_octword_actual_size);
	int64_t id;

	mkey_load(m, ctx);
	if (m->mode == MKEY_PA)
		octowords = 0;
	octowords = ROUND_UP((uint64_t)octowords, 4);	/* updates come in units of 64 bytes */
	if (m->mode > MKEY_KSM || !mkey_resize(hca, m, octowords)) {
		g_free(m);
		return ST_BAD_PARAM;
	}
	if (c->in_len > at && m->xlt)
		memcpy(m->xlt, c->in + at, MIN(c->in_len - at, MIN(given, octowords) * 16UL));
	id = table_add(&hca->mkeys, m);
	if (id < 0) {
		mkey_destroy(hca, m);
		return ST_LIMIT;
	}
	m->index = id;
	SET(create_mkey_out, c->out, mkey_index, id);
	return ST_OK;
}

static uint8_t query_mkey(struct hca *hca, struct cmd *c)
{
	struct hca_mkey *m = table_get(&hca->mkeys, GET(destroy_mkey_in, c->in, mkey_index));

	if (!m)
		return ST_BAD_RES;
	memcpy(ADDR(query_mkey_out, c->out, memory_key_mkey_entry), m->ctx, sizeof(m->ctx));
	return ST_OK;
}

static uint8_t destroy_mkey(struct hca *hca, struct cmd *c)
{
	struct hca_mkey *m = table_del(&hca->mkeys, GET(destroy_mkey_in, c->in, mkey_index));

	if (!m)
		return ST_BAD_RES;
	mkey_destroy(hca, m);
	return ST_OK;
}

/* ---- queues: EQ, CQ ---------------------------------------------------------------------------
 */

#define PAS(typ, c) (c->in + IFC_OFF(typ, pas) / 8), \
	(c->in_len > IFC_OFF(typ, pas) / 8 ? c->in_len - IFC_OFF(typ, pas) / 8 : 0)

static uint8_t create_eq(struct hca *hca, struct cmd *c)
{
	void *ctx = ADDR(create_eq_in, c->in, eq_context_entry);
	struct hca_eq *eq = g_new0(struct hca_eq, 1);
	unsigned int shift = GET(eqc, ctx, log_page_size) + 12;
	int64_t id = -1;

	eq->log_size = GET(eqc, ctx, log_eq_size);
	eq->uar = GET(eqc, ctx, uar_page);
	eq->vector = GET(eqc, ctx, intr);
	memcpy(eq->ctx, ctx, sizeof(eq->ctx));
	for (int i = 0; i < 4; i++)
		eq->mask[i] = be64p(ADDR(create_eq_in, c->in, event_bitmask) + i * 8);
	if (eq->log_size <= HCA_LOG_MAX_CQE && eq->vector < HCA_NUM_VECTORS &&
	    buf_init(&eq->buf, PAS(create_eq_in, c), shift,
		     GET(eqc, ctx, page_offset) << (shift - 6), 64ULL << eq->log_size))
		id = table_add(&hca->eqs, eq);
	if (id < 0) {
		eq_destroy(hca, eq);
		return ST_BAD_PARAM;
	}
	eq->eqn = id;
	if (eq->mask[0] & (1ULL << EVENT_CMD))
		hca->cmd_eq = true;
	SET(create_eq_out, c->out, eq_number, id);
	return ST_OK;
}

static uint8_t destroy_eq(struct hca *hca, struct cmd *c)
{
	struct hca_eq *eq = table_del(&hca->eqs, GET(destroy_eq_in, c->in, eq_number));

	if (!eq)
		return ST_BAD_RES;
	if (eq->mask[0] & (1ULL << EVENT_CMD))
		hca->cmd_eq = false;
	eq_destroy(hca, eq);
	return ST_OK;
}

static uint8_t query_eq(struct hca *hca, struct cmd *c)
{
	struct hca_eq *eq = table_get(&hca->eqs, GET(query_eq_in, c->in, eq_number));
	void *ctx = ADDR(query_eq_out, c->out, eq_context_entry);

	if (!eq)
		return ST_BAD_RES;
	memcpy(ctx, eq->ctx, sizeof(eq->ctx));
	SET(eqc, ctx, consumer_counter, eq->ci);
	SET(eqc, ctx, producer_counter, eq->pi);
	return ST_OK;
}

static uint8_t create_cq(struct hca *hca, struct cmd *c)
{
	void *ctx = ADDR(create_cq_in, c->in, cq_context);
	struct hca_cq *cq = g_new0(struct hca_cq, 1);
	unsigned int shift = GET(cqc, ctx, log_page_size) + 12;
	int64_t id = -1;

	cq->log_size = GET(cqc, ctx, log_cq_size);
	cq->stride = GET(cqc, ctx, cqe_sz) ? 128 : 64;
	cq->uar = GET(cqc, ctx, uar_page);
	cq->eqn = GET(cqc, ctx, c_eqn_or_apu_element);
	cq->oi = GET(cqc, ctx, oi);
	cq->scqe_break = GET(cqc, ctx, scqe_break_moderation_en);
	cq->period = GET(cqc, ctx, cq_period);
	cq->max_count = GET(cqc, ctx, cq_max_count);
	cq->dbr = GET(cqc, ctx, dbr_addr);
	memcpy(cq->ctx, ctx, sizeof(cq->ctx));
	if (cq->log_size <= HCA_LOG_MAX_CQE && table_get(&hca->eqs, cq->eqn) &&
	    buf_init(&cq->buf, PAS(create_cq_in, c), shift,
		     GET(cqc, ctx, page_offset) << (shift - 6),
		     (uint64_t)cq->stride << cq->log_size))
		id = table_add(&hca->cqs, cq);
	if (id < 0) {
		cq_destroy(hca, cq);
		return ST_BAD_PARAM;
	}
	cq->cqn = id;
	SET(create_cq_out, c->out, cqn, id);
	return ST_OK;
}

static uint8_t destroy_cq(struct hca *hca, struct cmd *c)
{
	uint32_t cqn = GET(destroy_cq_in, c->in, cqn);
	struct hca_cq *cq = table_get(&hca->cqs, cqn);

	if (!cq)
		return ST_BAD_RES;
	for (uint32_t i = 0; i < hca->qps.max; i++) {
		struct hca_qp *qp = hca->qps.slot[i];

		if (qp && (qp->cq_snd == cqn || qp->cq_rcv == cqn) && qp->type != QPT_XRC)
			return ST_BAD_RES_STATE;
	}
	table_del(&hca->cqs, cqn);
	cq_destroy(hca, cq);
	return ST_OK;
}

static uint8_t query_cq(struct hca *hca, struct cmd *c)
{
	struct hca_cq *cq = table_get(&hca->cqs, GET(destroy_cq_in, c->in, cqn));
	void *ctx = ADDR(query_cq_out, c->out, cq_context);

	if (!cq)
		return ST_BAD_RES;
	memcpy(ctx, cq->ctx, sizeof(cq->ctx));
	SET(cqc, ctx, producer_counter, cq->pi);
	SET(cqc, ctx, consumer_counter, hca_ldl(hca, cq->dbr) & 0xffffff);
	SET(cqc, ctx, cq_period, cq->period);
	SET(cqc, ctx, cq_max_count, cq->max_count);
	return ST_OK;
}

static uint8_t modify_cq(struct hca *hca, struct cmd *c)
{
	struct hca_cq *cq = table_get(&hca->cqs, GET(modify_cq_in, c->in, cqn));
	void *ctx = ADDR(modify_cq_in, c->in, cq_context);
	uint32_t fields = be32p(c->in + 12);

	if (!cq)
		return ST_BAD_RES;
	if (c->op_mod == 1) {
		unsigned int shift = GET(cqc, ctx, log_page_size) + 12,
			     log_size = GET(cqc, ctx, log_cq_size);
		struct hca_buf buf = { };

		if (log_size > HCA_LOG_MAX_CQE ||
		    !buf_init(&buf, PAS(modify_cq_in, c), shift,
			      GET(cqc, ctx, page_offset) << (shift - 6),
			      (uint64_t)cq->stride << log_size))
			return ST_BAD_PARAM;
		if (!cq_resize(hca, cq, &buf, log_size)) {
			buf_free(&buf);
			return 0x40;	/* more completions are waiting than would fit */
		}
		return ST_OK;
	}
	if (fields & 1)
		cq->period = GET(cqc, ctx, cq_period);
	if (fields & 2)
		cq->max_count = GET(cqc, ctx, cq_max_count);
	if (fields & 4)
		cq->oi = GET(cqc, ctx, oi);
	return ST_OK;
}

/* ---- shared receive queues
 * ------------------------------------------------------------------------ */

static uint8_t srq_add(struct hca *hca, struct cmd *c, struct hca_srq *srq, const uint8_t *pas,
		       size_t len, unsigned int shift, uint32_t offset)
{
	int64_t id = -1;

	if (srq->log_size <= HCA_LOG_MAX_WQ && srq->log_stride >= 4 && srq->log_stride <= 16 &&
	    shift <= 31 &&
	    buf_init(&srq->buf, pas, len, shift, offset << (shift - 6),
		     1ULL << (srq->log_size + srq->log_stride)))
		id = table_add(&hca->srqs, srq);
	if (id < 0) {
		srq_destroy(hca, srq);
		return ST_BAD_PARAM;
	}
	srq->srqn = id;
	stl_be_p(c->out + 8, id);
	return ST_OK;
}

static uint8_t create_rmp(struct hca *hca, struct cmd *c)
{
	uint8_t *wq = ADDR(create_rmp_in, c->in, ctx.wq);
	struct hca_srq *srq = g_new0(struct hca_srq, 1);
	size_t at = (IFC_OFF(create_rmp_in, ctx) + IFC_OFF(rmpc, wq) + IFC_OFF(wq, pas)) / 8;

	srq->is_rmp = true;
	srq->linked = GET(wq, wq, wq_type) == 0;
	srq->pd = GET(wq, wq, pd);
	srq->dbr = GET(wq, wq, dbr_addr);
	srq->lwm = GET(wq, wq, lwm);
	srq->log_stride = GET(wq, wq, log_wq_stride);
	srq->log_size = GET(wq, wq, log_wq_sz);
	memcpy(srq->ctx, ADDR(create_rmp_in, c->in, ctx), sizeof(srq->ctx));
	return srq_add(hca, c, srq, c->in + at, c->in_len > at ? c->in_len - at : 0,
		       GET(wq, wq, log_wq_pg_sz) + 12, GET(wq, wq, page_offset));
}

static uint8_t create_xrc_srq(struct hca *hca, struct cmd *c)
{
	uint8_t *ctx = ADDR(create_xrc_srq_in, c->in, xrc_srq_context_entry);
	struct hca_srq *srq = g_new0(struct hca_srq, 1);

	srq->linked = !GET(xrc_srqc, ctx, basic_cyclic_rcv_wqe);
	srq->pd = GET(xrc_srqc, ctx, pd);
	srq->cqn = GET(xrc_srqc, ctx, cqn);
	srq->xrcd = GET(xrc_srqc, ctx, xrcd);
	srq->user_index = GET(xrc_srqc, ctx, user_index);
	srq->dbr = GET(srqc, ctx, dbr_addr);
	srq->lwm = GET(xrc_srqc, ctx, lwm);
	srq->log_stride = GET(xrc_srqc, ctx, log_rq_stride) + 4;
	srq->log_size = GET(xrc_srqc, ctx, log_xrc_srq_size);
	memcpy(srq->ctx, ctx, 64);
	return srq_add(hca, c, srq, PAS(create_xrc_srq_in, c),
		       GET(xrc_srqc, ctx, log_page_size) + 12, GET(xrc_srqc, ctx, page_offset));
}

static struct hca_srq *srq_of(struct hca *hca, struct cmd *c, bool rmp)
{
	struct hca_srq *srq = table_get(&hca->srqs, be32p(c->in + 8) & 0xffffff);

	return srq && srq->is_rmp == rmp ? srq : NULL;
}

static uint8_t destroy_any_srq(struct hca *hca, struct cmd *c, bool rmp)
{
	struct hca_srq *srq = srq_of(hca, c, rmp);

	if (!srq)
		return ST_BAD_RES;
	table_del(&hca->srqs, srq->srqn);
	srq_destroy(hca, srq);
	return ST_OK;
}

static uint8_t destroy_rmp(struct hca *hca, struct cmd *c)
{
	return destroy_any_srq(hca, c, true);
}

static uint8_t destroy_xrc_srq(struct hca *hca, struct cmd *c)
{
	return destroy_any_srq(hca, c, false);
}

static uint8_t query_rmp(struct hca *hca, struct cmd *c)
{
	struct hca_srq *srq = srq_of(hca, c, true);
	uint8_t *ctx = ADDR(query_rmp_out, c->out, rmp_context);

	if (!srq)
		return ST_BAD_RES;
	memcpy(ctx, srq->ctx, MIN(sizeof(srq->ctx), c->out_len - MIN(c->out_len, 32)));
	SET(rmpc, ctx, wq.lwm, srq->lwm);
	SET(rmpc, ctx, state, srq->error ? 3 : 1);
	return ST_OK;
}

static uint8_t query_xrc_srq(struct hca *hca, struct cmd *c)
{
	struct hca_srq *srq = srq_of(hca, c, false);
	uint8_t *ctx = ADDR(query_xrc_srq_out, c->out, xrc_srq_context_entry);

	if (!srq)
		return ST_BAD_RES;
	memcpy(ctx, srq->ctx, 64);
	SET(xrc_srqc, ctx, lwm, srq->lwm);
	return ST_OK;
}

static uint8_t modify_rmp(struct hca *hca, struct cmd *c)
{
	struct hca_srq *srq = srq_of(hca, c, true);

	if (!srq)
		return ST_BAD_RES;
	if (GET(modify_rmp_in, c->in, bitmask.lwm))
		srq->lwm = GET(modify_rmp_in, c->in, ctx.wq.lwm);
	return ST_OK;
}

static uint8_t arm_xrc_srq(struct hca *hca, struct cmd *c)
{
	struct hca_srq *srq = table_get(&hca->srqs, be32p(c->in + 8) & 0xffffff);

	if (!srq)
		return ST_BAD_RES;
	srq->lwm = GET(arm_xrc_srq_in, c->in, lwm);
	return ST_OK;
}

/* ---- queue pairs
 * ------------------------------------------------------------------------------------- */

/* The working values from the context. */
static void qp_load(struct hca_qp *qp)
{
	const uint8_t *x = qp->ctx, *path = ADDR(qpc, qp->ctx, primary_address_path);
	unsigned int mtu = GET(qpc, x, mtu);

	qp->mtu = mtu >= 1 && mtu <= 5 ? 128U << mtu : 256;
	if (qp->type == QPT_QP0 || qp->type == QPT_QP1)
		qp->mtu = 256;
	qp->remote_qpn = GET(qpc, x, remote_qpn);
	qp->qkey = GET(qpc, x, q_key);
	qp->dlid = GET(ads, path, rlid);
	qp->sl = GET(ads, path, sl);
	qp->grh = GET(ads, path, grh);
	qp->sgid_index = GET(ads, path, src_addr_index);
	qp->tclass = GET(ads, path, tclass);
	qp->hop_limit = GET(ads, path, hop_limit);
	memcpy(qp->dgid, ADDR(ads, path, rgid_rip), 16);
	stw_be_p(qp->dmac, GET(ads, path, rmac_47_32));
	stl_be_p(qp->dmac + 2, GET(ads, path, rmac_31_0));
	qp->ack_timeout = GET(ads, path, ack_timeout);
	qp->retry_cnt = GET(qpc, x, retry_count);
	qp->rnr_retry = GET(qpc, x, rnr_retry);
	qp->min_rnr = GET(qpc, x, min_rnr_nak);
	qp->max_rd_atomic = 1U << MIN(GET(qpc, x, log_sra_max), HCA_LOG_MAX_RD);
	qp->max_dest_rd = 1U << MIN(GET(qpc, x, log_rra_max), HCA_LOG_MAX_RD);
	qp->rre = GET(qpc, x, rre);
	qp->rwe = GET(qpc, x, rwe);
	qp->rae = GET(qpc, x, rae);
	qp->cq_snd = GET(qpc, x, cqn_snd);
	qp->cq_rcv = GET(qpc, x, cqn_rcv);
}

/* How much data a CQE may carry: asked for by user space, for CQEs of its size. */
static uint8_t scatter_bytes(unsigned int asked)
{
	return asked == 1 ? 32 : asked == 2 ? 64 : 0;
}

static uint8_t create_qp(struct hca *hca, struct cmd *c)
{
	uint8_t *ctx = ADDR(create_qp_in, c->in, qpc);
	struct hca_qp *qp = g_new0(struct hca_qp, 1);
	unsigned int shift = GET(qpc, ctx, log_page_size) + 12;
	uint64_t rq_bytes = 0, sq_bytes = 0;
	int64_t id = -1;

	memcpy(qp->ctx, ctx, sizeof(qp->ctx));
	qp->type = GET(qpc, ctx, st);
	qp->pd = GET(qpc, ctx, pd);
	qp->uar = GET(qpc, ctx, uar_page);
	qp->user_index = GET(qpc, ctx, user_index);
	qp->rq_type = GET(qpc, ctx, rq_type);
	qp->srqn = GET(qpc, ctx, srqn_rmpn_xrqn);
	qp->xrcd = GET(qpc, ctx, xrcd);
	qp->no_sq = GET(qpc, ctx, no_sq);
	qp->dbr = GET(qpc, ctx, dbr_addr);
	qp->scatter_req = scatter_bytes(GET(qpc, ctx, cs_req) & 0xf);
	qp->scatter_res = scatter_bytes(GET(qpc, ctx, cs_res) & 0xf);
	qp->log_rq = GET(qpc, ctx, log_rq_size);
	qp->log_rq_stride = GET(qpc, ctx, log_rq_stride);
	qp->log_sq = GET(qpc, ctx, log_sq_size);
	qp_load(qp);
	if (qp->type == QPT_XRC || qp->type == QPT_REG_UMR)
		qp->rq_type = 3;	/* has none, whatever the context says */
	if (qp->rq_type == 0)
		rq_bytes = 16ULL << (qp->log_rq + qp->log_rq_stride);
	if (!qp->no_sq)
		sq_bytes = 64ULL << qp->log_sq;
	else
		qp->log_sq = 0;
	qp->sq_offset = rq_bytes;

	switch (qp->type) {
	case QPT_RC:
	case QPT_UC:
	case QPT_UD:
	case QPT_XRC:
	case QPT_QP0:
	case QPT_QP1:
	case QPT_REG_UMR:
		break;
	default:
		hca_trace(hca, "QP service type 0x%x is not modelled", qp->type);
		goto bad;
	}
	if (rq_bytes + sq_bytes &&
	    !buf_init(&qp->buf, PAS(create_qp_in, c), shift,
		      GET(qpc, ctx, page_offset) << (shift - 6), rq_bytes + sq_bytes))
		goto bad;
	/* The driver's own queue for key updates belongs to no domain: it serves all. */
	if (qp->type == QPT_REG_UMR)
		qp->pd = HCA_ANY_PD;
	else if (!table_get(&hca->pds, qp->pd))
		goto bad;
	id = table_add(&hca->qps, qp);
	if (id < 0)
		goto bad;
	qp->qpn = id;
	qp->req = g_new0(struct hca_req, 1U << qp->log_sq);
	qp->wqe = g_new0(struct hca_wqe, 1);
	if (qp->type == QPT_QP0)
		hca->qp0 = id;
	if (qp->type == QPT_QP1)
		hca->qp1 = id;
	SET(create_qp_out, c->out, qpn, id);
	return ST_OK;
bad:
	qp_destroy(hca, qp);
	return ST_BAD_PARAM;
}

static struct hca_qp *qp_of(struct hca *hca, struct cmd *c)
{
	return table_get(&hca->qps, GET(destroy_qp_in, c->in, qpn));
}

static uint8_t destroy_qp(struct hca *hca, struct cmd *c)
{
	struct hca_qp *qp = qp_of(hca, c);

	if (!qp)
		return ST_BAD_RES;
	table_del(&hca->qps, qp->qpn);
	if (hca->qp0 == qp->qpn)
		hca->qp0 = 0;
	if (hca->qp1 == qp->qpn)
		hca->qp1 = 0;
	for (struct hca_mcg *g = QTAILQ_FIRST(&hca->mcgs), *next; g; g = next) {
		next = QTAILQ_NEXT(g, link);
		if (g->qpn == qp->qpn) {
			QTAILQ_REMOVE(&hca->mcgs, g, link);
			g_free(g);
		}
	}
	qp_destroy(hca, qp);
	return ST_OK;
}

static uint8_t query_qp(struct hca *hca, struct cmd *c)
{
	struct hca_qp *qp = qp_of(hca, c);
	uint8_t *ctx = ADDR(query_qp_out, c->out, qpc);

	if (!qp)
		return ST_BAD_RES;
	memcpy(ctx, qp->ctx, sizeof(qp->ctx));
	SET(qpc, ctx, state, qp->state);
	SET(qpc, ctx, next_send_psn, qp->psn);
	SET(qpc, ctx, next_rcv_psn, qp->epsn);
	SET(qpc, ctx, last_acked_psn, psn_add(qp->una, -1));
	SET(qpc, ctx, hw_sq_wqebb_counter, qp->sq_ci);
	SET(qpc, ctx, sw_sq_wqebb_counter, qp->sq_prod);
	SET(qpc, ctx, hw_rq_counter, qp->rq_ci);
	return ST_OK;
}

#define QPC_FIELD(bits, f) { bits, IFC_OFF(qpc, f), IFC_BITS(qpc, f) }
#define QPC_PATH(bits, f)                                                                         \
	{                                                                                         \
		bits, IFC_OFF(qpc, primary_address_path.f), IFC_BITS(qpc, primary_address_path.f) \
	}

enum {
	OPT_RRE = 1 << 1, OPT_RAE = 1 << 2, OPT_RWE = 1 << 3, OPT_PKEY = 1 << 4, OPT_QKEY = 1 << 5,
	OPT_RNR_TIMER = 1 << 6, OPT_PATH = 1 << 7, OPT_SRA = 1 << 8, OPT_RRA = 1 << 9,
	OPT_RETRY = 1 << 12, OPT_RNR_RETRY = 1 << 13, OPT_TIMEOUT = 1 << 14,
	/* not of the wire: what a transition requires */
	NEED_INIT = 1 << 28, NEED_RTR = 1 << 29, NEED_RTS = 1 << 30,
};

/* Which part of the context a transition or an option takes over. */
static const struct { uint32_t when; size_t off, bits;
} qp_fields[] = {
	QPC_FIELD(OPT_RRE | NEED_INIT, rre),
	QPC_FIELD(OPT_RWE | NEED_INIT, rwe),
	QPC_FIELD(OPT_RAE | NEED_INIT, rae),
	QPC_FIELD(OPT_RAE | NEED_INIT, atomic_mode),
	QPC_FIELD(OPT_QKEY | NEED_INIT, q_key),
	QPC_FIELD(NEED_INIT, counter_set_id),
	QPC_FIELD(NEED_INIT, pm_state),
	QPC_FIELD(NEED_INIT, rlky),
	QPC_PATH(OPT_PKEY | NEED_INIT, pkey_index),
	QPC_PATH(NEED_INIT, vhca_port_num),
	QPC_FIELD(NEED_RTR, mtu),
	QPC_FIELD(NEED_RTR, log_msg_max),
	QPC_FIELD(NEED_RTR, remote_qpn),
	QPC_FIELD(OPT_RRA | NEED_RTR, log_rra_max),
	QPC_FIELD(OPT_RNR_TIMER | NEED_RTR, min_rnr_nak),
	QPC_FIELD(NEED_RTR, next_rcv_psn),
	QPC_PATH(OPT_PATH | NEED_RTR, grh),
	QPC_PATH(OPT_PATH | NEED_RTR, mlid),
	QPC_PATH(OPT_PATH | NEED_RTR, rlid),
	QPC_PATH(OPT_PATH | NEED_RTR, src_addr_index),
	QPC_PATH(OPT_PATH | NEED_RTR, stat_rate),
	QPC_PATH(OPT_PATH | NEED_RTR, hop_limit),
	QPC_PATH(OPT_PATH | NEED_RTR, tclass),
	QPC_PATH(OPT_PATH | NEED_RTR, flow_label),
	QPC_PATH(OPT_PATH | NEED_RTR, sl),
	QPC_PATH(OPT_PATH | NEED_RTR, eth_prio),
	QPC_PATH(OPT_PATH | NEED_RTR, dscp),
	QPC_PATH(OPT_PATH | NEED_RTR, udp_sport),
	QPC_PATH(OPT_PATH | NEED_RTR, rmac_47_32),
	QPC_PATH(OPT_PATH | NEED_RTR, rmac_31_0),
	QPC_FIELD(OPT_SRA | NEED_RTS, log_sra_max),
	QPC_FIELD(OPT_RETRY | NEED_RTS, retry_count),
	QPC_FIELD(OPT_RNR_RETRY | NEED_RTS, rnr_retry),
	QPC_FIELD(NEED_RTS, next_send_psn),
	QPC_PATH(OPT_TIMEOUT | NEED_RTS, ack_timeout),
	QPC_FIELD(NEED_RTS, log_ack_req_freq),
};

static uint8_t qp_modify(struct hca *hca, struct cmd *c, uint32_t from, uint8_t to, uint32_t need)
{
	struct hca_qp *qp = qp_of(hca, c);
	uint8_t *ctx = ADDR(rst2init_qp_in, c->in, qpc);
	uint32_t opt = (GET(rst2init_qp_in, c->in, opt_param_mask) & 0xfffffff) | need;

	if (!qp)
		return ST_BAD_RES;
	if (!(from & (1U << qp->state)))
		return ST_BAD_QP_STATE;
	if ((need & NEED_RTR) &&
	    (qp->type == QPT_RC || qp->type == QPT_UC || qp->type == QPT_XRC) &&
	    (GET(qpc, ctx, mtu) < 1 || GET(qpc, ctx, mtu) > 5))
		return ST_BAD_PARAM;
	for (size_t i = 0; i < ARRAY_SIZE(qp_fields); i++)
		if (opt & qp_fields[i].when)
			ifc_set(qp->ctx, qp_fields[i].off, qp_fields[i].bits,
				ifc_get(ctx, qp_fields[i].off, qp_fields[i].bits));
	if (opt & (NEED_RTR | OPT_PATH))
		memcpy(ADDR(qpc, qp->ctx, primary_address_path.rgid_rip),
		       ADDR(qpc, ctx, primary_address_path.rgid_rip), 16);
	qp_load(qp);
	if (need & NEED_INIT)
		transport_reset(hca, qp);
	if (need & NEED_RTR)
		qp->epsn = GET(qpc, qp->ctx, next_rcv_psn);
	if (need & NEED_RTS) {
		qp->psn = qp->una = GET(qpc, qp->ctx, next_send_psn);
		qp->retries = qp->retry_cnt;
		qp->rnr_retries = qp->rnr_retry;
	}
	qp->state = to;
	if (to == QPS_RTS)
		qp_schedule(hca, qp);
	return ST_OK;
}

static uint8_t rst2init_qp(struct hca *hca, struct cmd *c)
{
	return qp_modify(hca, c, 1 << QPS_RST, QPS_INIT, NEED_INIT);
}

static uint8_t init2init_qp(struct hca *hca, struct cmd *c)
{
	return qp_modify(hca, c, 1 << QPS_INIT, QPS_INIT, 0);
}

static uint8_t init2rtr_qp(struct hca *hca, struct cmd *c)
{
	return qp_modify(hca, c, 1 << QPS_INIT, QPS_RTR, NEED_RTR);
}

static uint8_t rtr2rts_qp(struct hca *hca, struct cmd *c)
{
	return qp_modify(hca, c, 1 << QPS_RTR, QPS_RTS, NEED_RTS);
}

static uint8_t rts2rts_qp(struct hca *hca, struct cmd *c)
{
	return qp_modify(hca, c, 1 << QPS_RTS, QPS_RTS, 0);
}

static uint8_t sqerr2rts_qp(struct hca *hca, struct cmd *c)
{
	return qp_modify(hca, c, 1 << QPS_SQER, QPS_RTS, 0);
}

static uint8_t sqd2rts_qp(struct hca *hca, struct cmd *c)
{
	return qp_modify(hca, c, 1 << QPS_SQD, QPS_RTS, 0);
}

static uint8_t toerr_qp(struct hca *hca, struct cmd *c)
{
	struct hca_qp *qp = qp_of(hca, c);

	if (!qp)
		return ST_BAD_RES;
	if (qp->state == QPS_RST)
		qp->state = QPS_INIT;	/* from reset too: what is posted later is flushed */
	qp_error(hca, qp);
	return ST_OK;
}

static uint8_t torst_qp(struct hca *hca, struct cmd *c)
{
	struct hca_qp *qp = qp_of(hca, c);

	if (!qp)
		return ST_BAD_RES;
	transport_reset(hca, qp);
	qp->state = QPS_RST;
	return ST_OK;
}

static uint8_t attach_mcg(struct hca *hca, struct cmd *c)
{
	uint32_t qpn = GET(attach_to_mcg_in, c->in, qpn);
	struct hca_mcg *g;
	unsigned int n = 0;

	if (!table_get(&hca->qps, qpn))
		return ST_BAD_RES;
	QTAILQ_FOREACH(g, &hca->mcgs, link)
		n++;
	if (n >= 4096)
		return ST_LIMIT;
	g = g_new0(struct hca_mcg, 1);
	g->qpn = qpn;
	memcpy(g->gid, ADDR(attach_to_mcg_in, c->in, multicast_gid), 16);
	QTAILQ_INSERT_TAIL(&hca->mcgs, g, link);
	return ST_OK;
}

static uint8_t detach_mcg(struct hca *hca, struct cmd *c)
{
	uint32_t qpn = GET(attach_to_mcg_in, c->in, qpn);
	struct hca_mcg *g;

	QTAILQ_FOREACH(g, &hca->mcgs, link) {
		if (g->qpn == qpn &&
		    !memcmp(g->gid, ADDR(attach_to_mcg_in, c->in, multicast_gid), 16)) {
			QTAILQ_REMOVE(&hca->mcgs, g, link);
			g_free(g);
			return ST_OK;
		}
	}
	return ST_BAD_RES;
}

/* ---- the table ------------------------------------------------------------------- */

static const struct row {
	uint16_t opcode;
	const char *name;
	uint8_t (*fn)(struct hca *hca, struct cmd *c);
	size_t in_len;			/* at least */
} rows[] = {
	{0x100, "QUERY_HCA_CAP", query_hca_cap, 16},
	{0x101, "QUERY_ADAPTER", query_adapter, 16},
	{0x102, "INIT_HCA", ok, 16},
	{0x103, "TEARDOWN_HCA", teardown_hca, 16},
	{0x104, "ENABLE_HCA", ok, 16},
	{0x105, "DISABLE_HCA", disable_hca, 16},
	{0x107, "QUERY_PAGES", query_pages, 16},
	{0x108, "MANAGE_PAGES", manage_pages, IFC_BYTES(manage_pages_in)},
	{0x109, "SET_HCA_CAP", set_hca_cap, 16},
	{0x10a, "QUERY_ISSI", query_issi, 16},
	{0x10b, "SET_ISSI", ok, 16},
	{0x10d, "SET_DRIVER_VERSION", ok, 16},
	{0x200, "CREATE_MKEY", create_mkey, IFC_OFF(create_mkey_in, klm_pas_mtt) / 8},
	{0x201, "QUERY_MKEY", query_mkey, 16},
	{0x202, "DESTROY_MKEY", destroy_mkey, 16},
	{0x203, "QUERY_SPECIAL_CONTEXTS", query_special_contexts, 16},
	{0x301, "CREATE_EQ", create_eq, IFC_OFF(create_eq_in, pas) / 8},
	{0x302, "DESTROY_EQ", destroy_eq, 16},
	{0x303, "QUERY_EQ", query_eq, 16},
	{0x400, "CREATE_CQ", create_cq, IFC_OFF(create_cq_in, pas) / 8},
	{0x401, "DESTROY_CQ", destroy_cq, 16},
	{0x402, "QUERY_CQ", query_cq, 16},
	{0x403, "MODIFY_CQ", modify_cq, IFC_OFF(modify_cq_in, reserved_at_280) / 8},
	{0x500, "CREATE_QP", create_qp, IFC_OFF(create_qp_in, reserved_at_800) / 8},
	{0x501, "DESTROY_QP", destroy_qp, 16},
	{0x502, "RST2INIT_QP", rst2init_qp, IFC_BYTES(rst2init_qp_in)},
	{0x503, "INIT2RTR_QP", init2rtr_qp, IFC_BYTES(rst2init_qp_in)},
	{0x504, "RTR2RTS_QP", rtr2rts_qp, IFC_BYTES(rst2init_qp_in)},
	{0x505, "RTS2RTS_QP", rts2rts_qp, IFC_BYTES(rst2init_qp_in)},
	{0x506, "SQERR2RTS_QP", sqerr2rts_qp, IFC_BYTES(rst2init_qp_in)},
	{0x507, "2ERR_QP", toerr_qp, 16},
	{0x50a, "2RST_QP", torst_qp, 16},
	{0x50b, "QUERY_QP", query_qp, 16},
	{0x50c, "SQD_RTS_QP", sqd2rts_qp, IFC_BYTES(rst2init_qp_in)},
	{0x50d, "MAD_IFC", mad_ifc, IFC_BYTES(mad_ifc_in)},
	{0x50e, "INIT2INIT_QP", init2init_qp, IFC_BYTES(rst2init_qp_in)},
	{0x705, "CREATE_XRC_SRQ", create_xrc_srq, IFC_OFF(create_xrc_srq_in, pas) / 8},
	{0x706, "DESTROY_XRC_SRQ", destroy_xrc_srq, 16},
	{0x707, "QUERY_XRC_SRQ", query_xrc_srq, 16},
	{0x708, "ARM_XRC_SRQ", arm_xrc_srq, 16},
	{0x750, "QUERY_VPORT_STATE", query_vport_state, 16},
	{0x751, "MODIFY_VPORT_STATE", ok, 16},
	{0x754, "QUERY_NIC_VPORT_CONTEXT", query_nic_vport_context, 16},
	{0x755, "MODIFY_NIC_VPORT_CONTEXT", modify_nic_vport_context,
	 IFC_BYTES(modify_nic_vport_context_in)},
	{0x761, "SET_ROCE_ADDRESS", set_roce_address, IFC_BYTES(set_roce_address_in)},
	{0x762, "QUERY_HCA_VPORT_CONTEXT", query_hca_vport_context, 16},
	{0x763, "MODIFY_HCA_VPORT_CONTEXT", modify_hca_vport_context,
	 IFC_BYTES(query_hca_vport_context_in)},
	{0x764, "QUERY_HCA_VPORT_GID", query_hca_vport_gid, 16},
	{0x765, "QUERY_HCA_VPORT_PKEY", query_hca_vport_pkey, 16},
	{0x770, "QUERY_VPORT_COUNTER", query_vport_counter, 16},
	{0x771, "ALLOC_Q_COUNTER", alloc_q_counter, 16},
	{0x772, "DEALLOC_Q_COUNTER", ok, 16},
	{0x773, "QUERY_Q_COUNTER", query_q_counter, 16},
	{0x800, "ALLOC_PD", alloc_pd, 16},
	{0x801, "DEALLOC_PD", dealloc_pd, 16},
	{0x802, "ALLOC_UAR", alloc_uar, 16},
	{0x803, "DEALLOC_UAR", dealloc_uar, 16},
	{0x805, "ACCESS_REG", access_reg, 16},
	{0x806, "ATTACH_TO_MCG", attach_mcg, 32},
	{0x807, "DETACH_FROM_MCG", detach_mcg, 32},
	{0x80d, "NOP", ok, 16},
	{0x80e, "ALLOC_XRCD", alloc_xrcd, 16},
	{0x80f, "DEALLOC_XRCD", dealloc_xrcd, 16},
	{0x816, "ALLOC_TRANSPORT_DOMAIN", alloc_td, 16},
	{0x817, "DEALLOC_TRANSPORT_DOMAIN", dealloc_td, 16},
	{0x829, "SET_L2_TABLE_ENTRY", ok, 16},
	{0x82b, "DELETE_L2_TABLE_ENTRY", ok, 16},
	{0x804, "CONFIG_INT_MODERATION", ok, 16},
	{0x900, "CREATE_TIR", alloc_misc, 16},
	{0x901, "MODIFY_TIR", ok, 16},
	{0x902, "DESTROY_TIR", dealloc_misc, 16},
	{0x904, "CREATE_SQ", create_sq, 16},
	{0x905, "MODIFY_SQ", modify_sq, 16},
	{0x906, "DESTROY_SQ", destroy_sq, 16},
	{0x907, "QUERY_SQ", query_sq, 16},
	{0x908, "CREATE_RQ", create_rq, 16},
	{0x909, "MODIFY_RQ", modify_rq, 16},
	{0x90a, "DESTROY_RQ", destroy_rq, 16},
	{0x90b, "QUERY_RQ", query_rq, 16},
	{0x90c, "CREATE_RMP", create_rmp, IFC_BYTES(create_rmp_in)},
	{0x90d, "MODIFY_RMP", modify_rmp, IFC_BYTES(modify_rmp_in)},
	{0x90e, "DESTROY_RMP", destroy_rmp, 16},
	{0x90f, "QUERY_RMP", query_rmp, 16},
	{0x912, "CREATE_TIS", alloc_misc, 16},
	{0x913, "MODIFY_TIS", ok, 16},
	{0x914, "DESTROY_TIS", dealloc_misc, 16},
	{0x916, "CREATE_RQT", alloc_misc, 16},
	{0x917, "MODIFY_RQT", ok, 16},
	{0x918, "DESTROY_RQT", dealloc_misc, 16},
	{0x92f, "SET_FLOW_TABLE_ROOT", ok, 16},
	{0x930, "CREATE_FLOW_TABLE", alloc_misc, 16},
	{0x931, "DESTROY_FLOW_TABLE", destroy_flow, 16},
	{0x933, "CREATE_FLOW_GROUP", alloc_misc, 16},
	{0x934, "DESTROY_FLOW_GROUP", destroy_flow, 16},
	{0x936, "SET_FLOW_TABLE_ENTRY", ok, 16},
	{0x938, "DELETE_FLOW_TABLE_ENTRY", ok, 16},
	{0x939, "ALLOC_FLOW_COUNTER", alloc_misc, 16},
	{0x93a, "DEALLOC_FLOW_COUNTER", dealloc_misc, 16},
	{0x93c, "MODIFY_FLOW_TABLE", ok, 16},
};

static void execute(struct hca *hca, struct cmd *c)
{
	uint16_t opcode = be16p(c->in);
	const struct row *row = NULL;
	uint8_t status;

	c->op_mod = be16p(c->in + 6);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].opcode == opcode)
			row = &rows[i];

	status = fault_command(hca, opcode);
	if (status) {
		hca_trace(hca, "fault: command 0x%x fails with 0x%x", opcode, status);
	} else if (!row) {
		status = ST_BAD_OP;
		hca_trace(hca, "command 0x%x op_mod 0x%x is not modelled", opcode, c->op_mod);
	} else if (c->in_len < row->in_len) {
		status = ST_BAD_IN_LEN;
	} else {
		status = row->fn(hca, c);
	}
	if (status)
		memset(c->out, 0, PAD);
	c->out[0] = status;
	if (status)
		stl_be_p(c->out + 4, 0x4b560000 | opcode);	/* the syndrome names the command */
	hca_trace(hca, "cmd %s (0x%x) op_mod 0x%x in %zu out %zu [%08x %08x] -> 0x%x [%08x]",
		  row ? row->name : "?", opcode, c->op_mod, c->in_len, c->out_len, be32p(c->in + 8),
		  be32p(c->in + 12), status, be32p(c->out + 8));
}

/* ---- fetching and answering ------------------------------------------------------ */

/* Walk a chain of mailboxes. Ends by itself: each block takes its share of the length. */
static bool mailboxes(struct hca *hca, uint64_t at, uint8_t token, uint8_t *p, size_t len,
		      bool write)
{
	while (len) {
		uint8_t tail[BLOCK - BLOCK_NEXT];
		size_t n = MIN(len, BLOCK_DATA);

		if ((at & 0x3ff) || !hca_dma(hca, at + BLOCK_NEXT, tail, sizeof(tail), false) ||
		    tail[BLOCK_TOKEN - BLOCK_NEXT] != token || !hca_dma(hca, at, p, n, write))
			return false;
		p += n;
		len -= n;
		at = be64p(tail);
	}
	return true;
}

static uint8_t deliver(struct hca *hca, uint8_t *e)
{
	size_t in_len = be32p(e + 4), out_len = be32p(e + 56);
	uint8_t token = e[60], status = DELIVERY_OK;
	struct cmd c = { .in_len = in_len, .out_len = out_len };

	if (e[0] != 7)
		return DELIVERY_DESCR;
	if (in_len < 8 || in_len > HCA_MAX_MSG_BYTES)
		return DELIVERY_IN_LEN;
	if (out_len < 8 || out_len > MAX_OUT)
		return DELIVERY_OUT_LEN;
	c.in = g_malloc0(in_len + PAD);
	c.out = g_malloc0(out_len + PAD);
	memcpy(c.in, e + 16, MIN(in_len, 16));
	if (in_len > 16 && !mailboxes(hca, be64p(e + 8), token, c.in + 16, in_len - 16, false)) {
		status = DELIVERY_TOKEN;
	} else {
		execute(hca, &c);
		memcpy(e + 32, c.out, MIN(out_len, 16));
		if (out_len > 16 &&
		    !mailboxes(hca, be64p(e + 48), token, c.out + 16, out_len - 16, true))
			status = DELIVERY_TOKEN;
	}
	g_free(c.in);
	g_free(c.out);
	return status;
}

void cmd_doorbell(struct hca *hca, uint32_t slots)
{
	uint64_t queue = (uint64_t)hca->cmdq_h << 32 | hca->cmdq_l;

	for (int i = 0; i < 32; i++) {
		uint64_t at = queue + i * ENTRY;
		uint8_t e[ENTRY], d[28] = { };
		/* The command that makes the event queue is itself still polled for. */
		bool event = hca->cmd_eq;

		if (!(slots & (1U << i)) || !hca_dma(hca, at, e, ENTRY, false) || !(e[63] & 1))
			continue;
		e[63] = deliver(hca, e) << 1;
		hca_dma(hca, at + 32, e + 32, 16, true);
		smp_wmb();
		hca_dma(hca, at + 63, e + 63, 1, true);
		stl_be_p(d, 1U << i);
		if (event)
			event_post(hca, EVENT_CMD, 0, d);
	}
}
