/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Errors that are provoked: what makes something wrong at an endpoint, by the row of
 * kverbs/provoke.h. It names no memory, QP or key but of the run itself.
 */
#ifndef KV_PROVOKE_H
#define KV_PROVOKE_H

#include "endpoint.h"

/**
 * kv_provoke_open - make what an error will be provoked with
 * @ep: endpoint, connected
 * @peer: the endpoint at the other end
 * @role: enum kverbs_role of its lane
 * @path: the way between them, outlives both
 * @job: checked job that provokes one, likewise
 * @where: names the step that failed
 * Return: 0 or -errno; kv_provoke_close() undoes what was done either way
 */
int kv_provoke_open(struct kv_ep *ep, struct kv_ep *peer, u32 role,
		    const struct kv_path *path, const struct kv_job *job,
		    const char **where);

/* before the endpoint is destroyed; @ep may have nothing of it */
void kv_provoke_close(struct kv_ep *ep);

/**
 * kv_provoke_spoil - make it wrong
 * @ep: endpoint of the lane that calls; sleeps
 * @role: enum kverbs_role of that lane
 * Return: 0 or -errno
 */
int kv_provoke_spoil(struct kv_ep *ep, u32 role);

/**
 * kv_provoke_overfill - post one chain that is longer than the send queue
 * @ep: endpoint of the lane that calls; sleeps
 * Return: what the post call returned
 */
int kv_provoke_overfill(struct kv_ep *ep);

#endif /* KV_PROVOKE_H */
