/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The user engine's null device.
 */
#ifndef KV_NULL_H
#define KV_NULL_H

#include <stdbool.h>
#include <infiniband/verbs.h>

#define KV_NULL_NAME	"null0"

bool kv_null_named(const char *device);
struct ibv_context *kv_null_open(void);

#endif /* KV_NULL_H */
