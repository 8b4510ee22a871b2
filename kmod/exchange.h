/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The exchange of a ULP: memory is registered, its rkey sent; the peer writes or reads
 * there, and answers. The WRs of both ends, and the message between them.
 */
#ifndef KV_EXCHANGE_H
#define KV_EXCHANGE_H

#include <linux/types.h>

struct kv_ep;
struct kv_job;

/**
 * struct kv_exchange - an end of an exchange
 * @on: it is one
 * @out: message that it sends
 * @out_dma: its DMA address
 * @in: message that the peer sends
 * @in_dma: its DMA address
 * @stale: the peer's memory is reached by the key of the exchange before
 */
struct kv_exchange {
	bool on;
	void *out;
	u64 out_dma;
	void *in;
	u64 in_dma;
	bool stale;
};

/**
 * kv_exchange_build - make the WRs of both ends
 * @a: endpoint that registers, with its memory of operations
 * @b: its peer
 * @job: checked job; nothing is done when it is of no exchanges
 */
void kv_exchange_build(struct kv_ep *a, struct kv_ep *b,
		       const struct kv_job *job);

/**
 * kv_exchange_offer - put the MR of the mapped memory into the WRs, its key into the
 *	message
 * @ep: endpoint that registers
 */
void kv_exchange_offer(struct kv_ep *ep);

/**
 * kv_exchange_accept - put the key of the message that came into the WRs
 * @ep: its peer
 */
void kv_exchange_accept(struct kv_ep *ep);

#endif /* KV_EXCHANGE_H */
