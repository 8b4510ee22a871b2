/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What was traced as a trace.dat, version 6, which trace-cmd and KernelShark read. */
#ifndef KV_TRACEDAT_H
#define KV_TRACEDAT_H

#include "tracing.h"

int kv_tracedat_write(const char *path, const struct kv_tracing *tracing,
		      const char *const *events, const struct kv_clock_info *clock,
		      struct kv_error *error);

#endif /* KV_TRACEDAT_H */
