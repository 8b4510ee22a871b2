/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The control path as something that is measured: the calls of turns, on the
 * QPs of a pair.
 */
#ifndef KV_CONTROL_H
#define KV_CONTROL_H

#include "endpoint.h"

/**
 * kv_control_open - make what the calls of a lane will need
 * @ep: endpoint, connected, of that lane
 * @peer: the endpoint at the other end, on which no lane runs
 * @path: the way between them, outlives both
 * @job: checked job of a shape of the control path, likewise
 * @where: names the step that failed
 * Return: 0 or -errno; kv_control_close() undoes what was done either way
 */
int kv_control_open(struct kv_ep *ep, struct kv_ep *peer,
		    const struct kv_path *path, const struct kv_job *job,
		    const char **where);

/* before the endpoint is destroyed; @ep may have nothing of it */
void kv_control_close(struct kv_ep *ep);

/**
 * kv_control_call - one call of the control path
 * @ep: endpoint of the lane that calls; sleeps
 * @what: enum kverbs_metric that it is timed as
 * @i: object that it is of
 * Return: 0 or -errno; 1: what it waits for has not come, or it was stopped at that
 */
int kv_control_call(struct kv_ep *ep, u32 what, u32 i);

/* give the WR of a slot a key that is of no MR, or, the next time, its own */
void kv_control_key(struct kv_ep *ep, u32 slot);

#endif /* KV_CONTROL_H */
