/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The driver's functions by kprobes, where function_graph does not have them. */
#ifndef KV_PROBES_H
#define KV_PROBES_H

#include "trace.h"

#define KV_PROBE_GROUP	"kverbs_"	/* and the number of the process */

int kv_probe_put(const char *format, const char *where);

void kv_probes_open(struct kv_trace *trace);
void kv_probes_close(struct kv_trace *trace);
const char *const *kv_probes_events(const struct kv_trace *trace, const char *const *more);
bool kv_probes_event(const struct tep_event *event, u32 *target, bool *begin);
void kv_probes_take(struct kv_trace *trace, struct kv_trace_run *run);

#endif /* KV_PROBES_H */
