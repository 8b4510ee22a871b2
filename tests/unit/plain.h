/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What the shared headers ask their includer for, without either engine. */
#ifndef KV_TEST_PLAIN_H
#define KV_TEST_PLAIN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <linux/kverbs.h>

typedef __u32 u32;
typedef __u64 u64;

#define kv_inline	static inline __attribute__((always_inline, unused))
#define kv_noinline	static __attribute__((noinline, unused))

#define kv_printf(text, first)	__attribute__((format(printf, text, first)))

#include <kverbs/hist.h>
#include <kverbs/stat.h>
#include <kverbs/data.h>
#include <kverbs/clock.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* xorshift64*: the same numbers on every machine, so that a failure repeats */
static inline u64 test_random(u64 *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 2685821657736338717ULL;
}

#endif /* KV_TEST_PLAIN_H */
