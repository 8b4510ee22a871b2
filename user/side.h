/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The user side's types, and the headers shared with the module that need
 * nothing else. The loop and its primitives are in ep.h.
 */
#ifndef KV_SIDE_H
#define KV_SIDE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <linux/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s64 s64;

#define kv_inline	static inline __attribute__((always_inline, unused))
#define kv_noinline	static __attribute__((noinline, unused))

#define KV_ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define kv_printf(text, first)	__attribute__((format(printf, text, first)))

#include <linux/kverbs.h>
#include "kverbs/hist.h"
#include "kverbs/stat.h"
#include "kverbs/data.h"
#include "kverbs/clock.h"
#include "kverbs/job.h"
#include "kverbs/place.h"
#include "kverbs/pace.h"

#endif /* KV_SIDE_H */
