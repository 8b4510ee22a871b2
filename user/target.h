/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the verbs of the data path are calls of on a device: ib_post_send() and the
 * others are inline, so that the driver's functions are what can be traced.
 */
#ifndef KV_TARGET_H
#define KV_TARGET_H

#include "engine.h"
#include "symbols.h"

enum kv_target_kind {
	KV_TARGET_POST,
	KV_TARGET_POLL,
	KV_TARGET_RECV,
	KV_TARGETS,
};

/**
 * struct kv_target - one of them
 * @verb: "ib_post_send"
 * @op: what the device's operation is
 * @traced: what is traced of it; without a name: nothing can be
 * @how: how that was found
 * @probed: by kprobes, not by function_graph
 * @address: at which calls of @traced are, once one was seen
 */
struct kv_target {
	const char *verb;
	struct kv_function op;
	struct kv_function traced;
	char how[192];
	bool probed;
	u64 address;
};

int kv_targets_find(const char *device, const struct kv_symbols *symbols,
		    struct kv_target target[KV_TARGETS], struct kv_error *error);

#endif /* KV_TARGET_H */
