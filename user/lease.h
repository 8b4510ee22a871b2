/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The top-level tracing buffer, taken while nobody uses it, and given back as it was. */
#ifndef KV_LEASE_H
#define KV_LEASE_H

#include <stdbool.h>
#include <stddef.h>

bool kv_lease_has_tracer(void);
bool kv_lease_free(char *why, size_t size);
bool kv_lease_take(char *why, size_t size);
void kv_lease_return(void);

/* what processes left behind that are no more: instances, probes, leases */
void kv_lease_sweep(void);
bool kv_lease_is_left(const char *instance);

#endif /* KV_LEASE_H */
