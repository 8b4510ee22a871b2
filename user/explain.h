/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What a status, an event, an errno or a reason means, and what to look at. */
#ifndef KV_EXPLAIN_H
#define KV_EXPLAIN_H

#include <stdbool.h>
#include <stdio.h>
#include <jansson.h>
#include "side.h"

enum kv_explain_kind {
	KV_EXPLAIN_STATUS,	/* enum ib_wc_status */
	KV_EXPLAIN_EVENT,	/* enum ib_event_type */
	KV_EXPLAIN_ERRNO,	/* of calls of verbs */
	KV_EXPLAIN_REASON,	/* enum kverbs_reason */
	KV_EXPLAIN_KINDS,
};

/**
 * struct kv_explanation - one of them
 * @kind: enum kv_explain_kind
 * @number: its value
 * @symbol: its name without the prefix of its enum: RETRY_EXC_ERR
 * @name: in words
 * @meaning: what happened, in a sentence
 * @causes: likeliest first, with "; " between two; or ""
 * @see: the counter or setting that shows it, or ""
 */
struct kv_explanation {
	u32 kind;
	u32 number;
	const char *symbol;
	const char *name;
	const char *meaning;
	const char *causes;
	const char *see;
};

#define KV_EXPLAIN_JOB	96

const struct kv_explanation *kv_explanation(u32 i);
const struct kv_explanation *kv_explanation_of(u32 kind, u32 number);
const struct kv_explanation *kv_explanation_find(const char *name,
						 const struct kv_explanation *after);
void kv_explain_causes(const struct kv_explanation *of, u32 most, char *text, size_t size);

bool kv_explain_provoked(const struct kv_explanation *of, u32 i, char text[KV_EXPLAIN_JOB]);

#endif /* KV_EXPLAIN_H */
