/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The control path as something that is measured: the calls of turns, on the
 * QPs of a pair.
 */
#ifndef KV_CONTROL_H
#define KV_CONTROL_H

#include "side.h"

struct kv_control;
struct kv_end;
struct kv_ep;
struct kv_error;
struct kv_port;

/**
 * struct kv_control_plan - what calls of the control path are made on
 * @ep: of the lane, built
 * @end: both ends; the first is the lane's own
 * @port: opened
 * @job: as granted
 */
struct kv_control_plan {
	struct kv_ep *ep;
	struct kv_end *end[2];
	const struct kv_port *port;
	const struct kv_job *job;
};

struct kv_control *kv_control_open(const struct kv_control_plan *plan, struct kv_error *error);
void kv_control_close(struct kv_control *control);
int kv_control_call(struct kv_control *control, u32 what, u32 i);

#endif /* KV_CONTROL_H */
