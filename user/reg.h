/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Registration for each operation: memory of its own, which is registered before it is
 * posted, and deregistered when it is through; or a window over it is bound.
 */
#ifndef KV_REG_H
#define KV_REG_H

#include <infiniband/verbs.h>
#include "side.h"

/**
 * struct kv_reg - memory of the operations of an end
 * @pd: protection domain
 * @memory: @slots times @stride bytes; NULL: operations register nothing
 * @mr: of each slot while its operation is under way, else NULL
 * @bytes: that are registered
 * @stride: from one slot to the next, whole pages
 * @slots: operations outstanding
 * @access: enum ibv_access_flags
 * @over: MR of all of it, where windows are bound, else NULL
 * @mw: the window, of the end
 * @rkey: that it has
 */
struct kv_reg {
	struct ibv_pd *pd;
	u8 *memory;
	struct ibv_mr **mr;
	size_t bytes;
	size_t stride;
	u32 slots;
	u32 access;
	struct ibv_mr *over;
	struct ibv_mw *mw;
	u32 rkey;
};

struct kv_port;

int kv_reg_open(struct kv_reg *reg, const struct kv_port *port, const struct kv_job *job);
void kv_reg_close(struct kv_reg *reg);

/* of one slot, whose WR is not posted or has completed: 0 or -errno */
int kv_reg_mr(struct kv_reg *reg, u32 slot);
int kv_reg_dereg(struct kv_reg *reg, u32 slot);

/* WRs that open and close the window over a slot */
void kv_reg_bind(struct kv_reg *reg, u32 slot, struct ibv_send_wr *wr);
void kv_reg_unbind(const struct kv_reg *reg, struct ibv_send_wr *wr);

#endif /* KV_REG_H */
