/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The memory placement extensions, ATOMIC_WRITE and FLUSH, as far as the libibverbs that
 * this is compiled with has them: the Makefile looks. Where it has one not, its number is
 * that of the kernel, and the check of the job lets no WR of it come here.
 */
#ifndef KV_PLACEMENT_H
#define KV_PLACEMENT_H

#include <infiniband/verbs.h>
#include "side.h"

/* capabilities of a device, bits of the kernel's that libibverbs has no names for */
#define KV_DEVICE_FLUSH_GLOBAL		(1ULL << 38)
#define KV_DEVICE_FLUSH_PERSISTENT	(1ULL << 39)
#define KV_DEVICE_ATOMIC_WRITE		(1ULL << 40)

#ifdef KV_HAVE_IBV_ATOMIC_WRITE
#define KV_IBV_ATOMIC_WRITE		IBV_WR_ATOMIC_WRITE
#define KV_IBV_WITH_ATOMIC_WRITE	IBV_QP_EX_WITH_ATOMIC_WRITE
#define KV_POSTS_ATOMIC_WRITE		KV_POSTS
#else
#define KV_IBV_ATOMIC_WRITE		((enum ibv_wr_opcode)15)
#define KV_IBV_WITH_ATOMIC_WRITE	0
#define KV_POSTS_ATOMIC_WRITE		KV_LACKS_LIBRARY
#define ibv_wr_atomic_write(qp, rkey, remote, data)	((void)(data))
#endif

#ifdef KV_HAVE_IBV_FLUSH
#define KV_IBV_FLUSH			IBV_WR_FLUSH
#define KV_IBV_WITH_FLUSH		IBV_QP_EX_WITH_FLUSH
#define KV_POSTS_FLUSH			KV_POSTS
#else
#define KV_IBV_FLUSH			((enum ibv_wr_opcode)14)
#define KV_IBV_WITH_FLUSH		0
#define KV_POSTS_FLUSH			KV_LACKS_LIBRARY
#define ibv_wr_flush(qp, rkey, remote, len, type, level)	((void)(len), (void)(type))
#endif

#endif /* KV_PLACEMENT_H */
