/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Module parameters: what all runs together may take from the host. */
#ifndef KV_MAIN_H
#define KV_MAIN_H

extern unsigned int kv_max_runs;
extern unsigned int kv_max_lanes;
extern unsigned int kv_max_depth;
extern unsigned long kv_max_bytes;
extern unsigned int kv_max_time_ms;

#endif /* KV_MAIN_H */
