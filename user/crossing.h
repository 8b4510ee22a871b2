/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A job of the user engine: whether it enters the kernel, and the provider's post. */
#ifndef KV_CROSSING_H
#define KV_CROSSING_H

#include "trace.h"

int kv_crossing(struct kv_trace *trace, const struct kv_options *options,
		struct kv_error *error);

#endif /* KV_CROSSING_H */
