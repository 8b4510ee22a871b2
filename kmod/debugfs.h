/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* debugfs kverbs/RUN/: job, state, counters, histograms and queues as text. */
#ifndef KV_DEBUGFS_H
#define KV_DEBUGFS_H

struct kv_run;

void kv_debugfs_add(struct kv_run *run);
void kv_debugfs_remove(struct kv_run *run);

int kv_debugfs_init(void);
void kv_debugfs_exit(void);

#endif /* KV_DEBUGFS_H */
