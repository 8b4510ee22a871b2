// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The loop once more, with the extended calls. */
#define KV_EP_WR
#include "ep.h"

/**
 * kv_wr_loop_run - kv_loop_run() by ibv_wr_* and ibv_start_poll
 * @loop: lane, its endpoint with extended QP and CQ
 * @shape: enum kverbs_shape
 * @role: enum kverbs_role
 */
void kv_wr_loop_run(struct kv_loop *loop, u32 shape, u32 role)
{
	kv_loop_run(loop, shape, role);
}
