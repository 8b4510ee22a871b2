/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Is any of the events of a lane's loop on? Apart from trace.h, which is read twice. */
#ifndef KV_TRACED_H
#define KV_TRACED_H

#include <linux/jump_label.h>
#include <linux/types.h>

/*
 * The events of a lane's loop have a key in common: while all of them are off, each
 * place where there may be one has a single no-op.
 */
#ifdef NOTRACE
static inline bool kv_traced(void)
{
	return false;
}
#else
DECLARE_STATIC_KEY_FALSE(kv_trace_key);

static __always_inline bool kv_traced(void)
{
	return static_branch_unlikely(&kv_trace_key);
}
#endif

int kv_trace_begin(void);
void kv_trace_end(void);

#endif /* KV_TRACED_H */
