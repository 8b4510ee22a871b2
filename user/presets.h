/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Presets: questions with the options that answer them.
 */
#ifndef KV_PRESETS_H
#define KV_PRESETS_H

#include <stdio.h>
#include "engine.h"

/**
 * struct kv_preset - one question
 * @name: for --preset
 * @question: what it answers
 * @options: as on a command line, words apart by single spaces
 * @commands: KV_FOR_*, that may take it
 */
struct kv_preset {
	const char *name;
	const char *question;
	const char *options;
	u32 commands;
};

const struct kv_preset *kv_preset(u32 i);	/* NULL past the last */
void kv_print_preset(FILE *file, const struct kv_preset *preset);	/* or NULL */
const struct kv_preset *kv_preset_find(const char *name, u32 command, struct kv_error *error);

#endif /* KV_PRESETS_H */
