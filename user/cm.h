/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * QPs that rdma_cm connects, through a listener of the run at an address of the port,
 * back to it.
 */
#ifndef KV_CM_H
#define KV_CM_H

#include "verbs.h"

int kv_cm_open(struct kv_port *port, struct kv_error *error);
void kv_cm_shut(struct kv_port *port);
bool kv_cm_gone(const struct kv_port *port);
void kv_cm_close(struct kv_port *port);
int kv_cm_connect(struct kv_end *end, struct kv_end *peer, u32 i, const struct kv_port *port,
		  const struct kv_job *job, struct kv_error *error);
void kv_cm_leave(struct kv_end *end);
struct kv_cm *kv_cm_more(const struct kv_port *port, const volatile u32 *stop,
			 struct kv_error *error);
void kv_cm_deaf(struct kv_cm *cm);
void kv_cm_free(struct kv_cm *cm);
int kv_cm_call(const struct kv_cm *cm, struct kv_end *end, struct kv_end *peer, u32 what,
	       const struct kv_port *port, const struct kv_job *job);

#endif /* KV_CM_H */
