/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The one line on a terminal that says how a run goes. */
#ifndef KV_LIVE_H
#define KV_LIVE_H

#include <stdbool.h>
#include "summary.h"

#define KV_LIVE_MS	250	/* from one look at the lanes to the next */

bool kv_live_wanted(const char *what);
void kv_live_begin(const char *what);
void kv_live_look(const struct kv_result *now, double at_s);
void kv_live_end(const struct kv_result *result, const struct kv_summary *summary);
void kv_live_text(const struct kv_result *now, double at_s, char *text, size_t size);

#endif /* KV_LIVE_H */
