/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Registration for each operation: memory of its own, which is registered before it is
 * posted, and deregistered when it is through.
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
 */
struct kv_reg {
	struct ibv_pd *pd;
	u8 *memory;
	struct ibv_mr **mr;
	size_t bytes;
	size_t stride;
	u32 slots;
	u32 access;
};

struct kv_port;

int kv_reg_open(struct kv_reg *reg, const struct kv_port *port, const struct kv_job *job);
void kv_reg_close(struct kv_reg *reg);

/* of one slot, whose WR is not posted or has completed: 0 or -errno */
int kv_reg_mr(struct kv_reg *reg, u32 slot);
int kv_reg_dereg(struct kv_reg *reg, u32 slot);

#endif /* KV_REG_H */
