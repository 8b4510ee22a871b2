/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Functions of the running kernel: their addresses and names, whether ftrace can
 * trace them, and where a wrapper jumps to.
 */
#ifndef KV_SYMBOLS_H
#define KV_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include "side.h"

#define KV_SYMBOL_NAME	128
#define KV_MODULE_NAME	64
#define KV_SYMBOL_TEXT	(KV_SYMBOL_NAME + KV_MODULE_NAME + 4)

/**
 * struct kv_function - a function of the kernel
 * @name: symbol
 * @module: module that it is in, or empty
 */
struct kv_function {
	char name[KV_SYMBOL_NAME];
	char module[KV_MODULE_NAME];
};

struct kv_symbols;

struct kv_symbols *kv_symbols_load(void);
void kv_symbols_free(struct kv_symbols *symbols);
bool kv_symbol_at(const struct kv_symbols *symbols, u64 address, struct kv_function *function);
u64 kv_symbol_address(const struct kv_symbols *symbols, const struct kv_function *function);

bool kv_function_parse(const char *text, struct kv_function *function, u32 *size);
bool kv_function_traceable(const struct kv_function *function);
bool kv_function_prefix(const struct kv_function *function, struct kv_function *prefix);
bool kv_function_target(const struct kv_symbols *symbols, const struct kv_function *function,
			u32 size, struct kv_function *target);
const char *kv_function_text(const struct kv_function *function, char text[KV_SYMBOL_TEXT]);

#endif /* KV_SYMBOLS_H */
