/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The first operation that takes longer than it may, and what ran around it. */
#ifndef KV_SLOW_H
#define KV_SLOW_H

#include "trace.h"

int kv_slow(struct kv_trace *trace, const struct kv_options *options, struct kv_error *error);

#endif /* KV_SLOW_H */
