/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What the shared headers need, in the kernel. */
#ifndef KV_SIDE_H
#define KV_SIDE_H

#include <linux/kernel.h>
#include <linux/types.h>

#define kv_printf(text, first)	__printf(text, first)

#include <linux/kverbs.h>
#include <kverbs/hist.h>
#include <kverbs/stat.h>
#include <kverbs/data.h>
#include <kverbs/job.h>
#include <kverbs/place.h>
#include <kverbs/pace.h>
#include <kverbs/clock.h>

#endif /* KV_SIDE_H */
