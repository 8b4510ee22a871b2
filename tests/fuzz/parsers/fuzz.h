/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the fuzzers of the tool's parsers share.
 */
#ifndef KV_FUZZ_H
#define KV_FUZZ_H

#include <stdio.h>
#include <stdlib.h>
#include "engine.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* inputs that were no nonsense: a fuzzer that has none looks at little */
static unsigned long fuzz_taken;

static void __attribute__((destructor)) fuzz_end(void)
{
	fprintf(stderr, "taken %lu\n", fuzz_taken);
}

/* a failure says why, and what the exit status is to be */
static inline void fuzz_refused(const struct kv_error *error)
{
	if (!error->text[0] || !error->status)
		abort();
}

#endif /* KV_FUZZ_H */
