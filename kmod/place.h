/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Places: where the messages of an endpoint lie, and the MRs that reach them. */
#ifndef KV_PLACE_H
#define KV_PLACE_H

#include "endpoint.h"

/**
 * kv_place_mrs - make the MRs of an endpoint that are beside its buffer's own
 * @ep: endpoint with a buffer
 * @pd: protection domain
 * @job: checked job
 * @where: names the step that failed
 *
 * Each covers the whole buffer; they are still to be registered.
 *
 * Return: 0 or -errno; on failure kv_place_free() is still to be called
 */
int kv_place_mrs(struct kv_ep *ep, struct ib_pd *pd, const struct kv_job *job,
		 const char **where);

/**
 * kv_place_build - give each WR of a built endpoint its place
 * @ep: endpoint, its WRs built, @aim.keys allocated
 * @peer: the one at the other end
 * @job: checked job
 */
void kv_place_build(struct kv_ep *ep, const struct kv_ep *peer,
		    const struct kv_job *job);

/**
 * kv_place_aim - the message of a slot lies elsewhere from now on, at both ends
 * @ep: endpoint
 * @slot: of its send WRs, not posted
 * @place: below kv_job_places()
 * @mr: which of the MRs
 */
void kv_place_aim(struct kv_ep *ep, u32 slot, u32 place, u32 mr);

/**
 * kv_place_chill - evict a WR and its message from the CPU's caches
 * @ep: endpoint
 * @slot: of its send WRs
 * @place: where the message lies
 * Return: lines
 */
u32 kv_place_chill(struct kv_ep *ep, u32 slot, u32 place);

void kv_place_free(struct kv_ep *ep);

#endif /* KV_PLACE_H */
