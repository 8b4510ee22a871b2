/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Errors that are provoked: what makes something wrong at an end, by the row of
 * kverbs/provoke.h. It names no memory, QP or key but of the run itself.
 */
#ifndef KV_PROVOKE_H
#define KV_PROVOKE_H

#include <infiniband/verbs.h>
#include "side.h"

struct kv_end;
struct kv_ep;
struct kv_error;
struct kv_port;
struct kv_wrong;

/**
 * struct kv_wrong_plan - what an error is provoked on
 * @ep: of the lane, built
 * @sge: of all its send WRs, then of all its receive WRs
 */
struct kv_wrong_plan {
	struct kv_ep *ep;
	struct ibv_sge *sge;
	struct kv_end *end;
	struct kv_end *peer;
	const struct kv_port *port;
	const struct kv_job *job;
};

struct kv_wrong *kv_provoke_open(const struct kv_wrong_plan *plan);
void kv_provoke_close(struct kv_wrong *wrong);
int kv_provoke_spoil(struct kv_wrong *wrong, u32 role);
int kv_provoke_overfill(struct kv_wrong *wrong);

#endif /* KV_PROVOKE_H */
