/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What others post: the WRs of all users of a device, as tracepoint kverbs_record. */
#ifndef KV_RECORD_H
#define KV_RECORD_H

#include <linux/types.h>

struct ib_send_wr;
struct seq_file;

/**
 * struct kv_recorded - a WR that is in a chain
 * @index: its place
 * @chain: WRs of the chain, KV_RECORD_WRS + 1: more than are recorded; 0: it was
 *	posted by user space, which hands its WRs to the driver without the kernel
 * @wr: the WR, or NULL
 */
struct kv_recorded {
	u32 index;
	u32 chain;
	const struct ib_send_wr *wr;
};

#ifdef NOTRACE
static inline int kv_record_add(void *function)
{
	return 0;
}

static inline void kv_record_remove(void *function)
{
}

static inline void kv_record_show(struct seq_file *m)
{
}

static inline void kv_record_show_device(struct seq_file *m, const char *name,
					 const void *function)
{
}
#else
int kv_record_add(void *function);
void kv_record_remove(void *function);
void kv_record_show(struct seq_file *m);
void kv_record_show_device(struct seq_file *m, const char *name,
			   const void *function);
#endif

/* the first and the last user of the tracepoint */
int kv_record_begin(void);
void kv_record_end(void);

u64 kv_record_bytes(const struct ib_send_wr *wr);

#endif /* KV_RECORD_H */
