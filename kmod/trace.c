// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The one place where the tracepoints are defined, and what they need to know. */
#define CREATE_TRACE_POINTS
#include "trace.h"

DEFINE_STATIC_KEY_FALSE(kv_trace_key);

int kv_trace_begin(void)
{
	static_branch_inc(&kv_trace_key);
	return 0;
}

void kv_trace_end(void)
{
	static_branch_dec(&kv_trace_key);
}

/* the WRs of a chain, as they were posted */
static const union kv_wr *kv_posted_first(const struct kv_ep *ep, u64 wr_id)
{
	if (wr_id & KV_EP_ID_STEP)
		return &ep->wr[(u32)wr_id];
	return &ep->wr[kv_ep_slot(ep, wr_id) * ep->wrs];
}

static u32 kv_posted_bytes(const struct ib_send_wr *wr)
{
	u32 bytes = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++)
		bytes += wr->sg_list[i].length;
	return bytes;
}

void kv_ep_posted(const struct kv_ep *ep, u64 wr_id, struct kv_ep_posted *posted)
{
	const struct ib_send_wr *wr = &kv_posted_first(ep, wr_id)->wr;
	u32 most = ep->depth * ep->wrs;

	memset(posted, 0, sizeof(*posted));
	posted->first = wr->opcode;
	for (; wr && posted->wrs < most; wr = wr->next) {
		posted->last = wr->opcode;
		posted->bytes += kv_posted_bytes(wr);
		posted->wrs++;
	}
}

void kv_ep_note_mrs(const struct kv_ep *ep, u64 wr_id)
{
	const struct ib_send_wr *wr = &kv_posted_first(ep, wr_id)->wr;
	u32 i, most = ep->depth * ep->wrs;

	for (i = 0; wr && i < most; wr = wr->next, i++) {
		if (wr->opcode == IB_WR_REG_MR)
			trace_kverbs_mr_reg(ep, reg_wr(wr)->mr, reg_wr(wr)->key);
		else if (wr->opcode == IB_WR_LOCAL_INV)
			trace_kverbs_mr_inv(ep, wr->ex.invalidate_rkey, false);
	}
}
