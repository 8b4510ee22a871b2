/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The exchange of a ULP: memory is opened to the peer, its rkey sent; the peer writes or
 * reads there, and answers. What REG_MR is in the kernel is here the binding of a memory
 * window of type 2, which a LOCAL_INV or the peer's SEND_WITH_INV invalidates just so.
 */
#ifndef KV_EXCHANGE_H
#define KV_EXCHANGE_H

#include <infiniband/verbs.h>
#include "side.h"

/**
 * struct kv_exchange - an end of an exchange
 * @mw: window that it binds; NULL at the other end
 * @rkey: its key of this time
 * @invalidated: flags of a WC that says that it was invalidated, any of them
 * @bind: the WR that does
 * @inv: a LOCAL_INV of it
 * @use: what the other end does with the memory
 * @send: its answer
 * @out: message that it sends
 * @in: message that its peer sends
 * @stale: the peer's memory is reached by the key of the exchange before
 */
struct kv_exchange {
	struct ibv_mw *mw;
	u32 rkey;
	u32 invalidated;
	struct ibv_send_wr *bind;
	struct ibv_send_wr *inv;
	struct ibv_send_wr *use;
	struct ibv_send_wr *send;
	struct kv_offer *out;
	const struct kv_offer *in;
	u32 stale;
};

/* a key for the window, into the WRs and the message; that of a message, into the WRs */
void kv_exchange_offer(struct kv_exchange *ex);
void kv_exchange_accept(struct kv_exchange *ex);

#endif /* KV_EXCHANGE_H */
