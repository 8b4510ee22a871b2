// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "exchange.h"

void kv_exchange_offer(struct kv_exchange *ex)
{
	/* what the window has as its key is for its owner to keep */
	ex->mw->rkey = ex->rkey;
	ex->rkey = ibv_inc_rkey(ex->rkey);
	ex->bind->bind_mw.rkey = ex->rkey;
	ex->inv->invalidate_rkey = ex->rkey;
	ex->out->addr = ex->bind->bind_mw.bind_info.addr;
	ex->out->rkey = ex->rkey;
	ex->out->bytes = (u32)ex->bind->bind_mw.bind_info.length;
	/* the device reads it behind the compiler's back */
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

void kv_exchange_accept(struct kv_exchange *ex)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	ex->use->wr.rdma.remote_addr = ex->in->addr;
	if (!ex->stale)
		ex->use->wr.rdma.rkey = ex->in->rkey;
	ex->send->invalidate_rkey = ex->in->rkey;
}
