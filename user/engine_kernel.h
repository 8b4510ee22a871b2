/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the kernel engine offers beyond struct kv_engine.
 */
#ifndef KV_ENGINE_KERNEL_H
#define KV_ENGINE_KERNEL_H

#include <stdbool.h>
#include "engine.h"

int kv_kernel_fd(const struct kv_run *run);
bool kv_kernel_device_gone(struct kv_run *run);

#endif /* KV_ENGINE_KERNEL_H */
