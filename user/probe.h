/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A small job taken from step to step in an engine, to see where it is refused. */
#ifndef KV_PROBE_H
#define KV_PROBE_H

#include <stdbool.h>
#include <jansson.h>
#include "engine.h"

enum kv_probe_step {
	KV_STEP_OPEN,
	KV_STEP_CHECK,
	KV_STEP_GID,
	KV_STEP_PD,
	KV_STEP_BUFFER,
	KV_STEP_MR,
	KV_STEP_CQ,
	KV_STEP_QP,
	KV_STEP_CM,	/* of --connect cm alone */
	KV_STEP_INIT,
	KV_STEP_RTR,
	KV_STEP_RTS,
	KV_STEP_AH,
	KV_STEP_REG_MR,
	KV_STEP_LANES,
	KV_STEP_RECV,
	KV_STEP_POST,
	KV_STEP_POLL,
	KV_STEPS,	/* nothing was refused */
};

/**
 * struct kv_probe - how far a job came
 * @engine: that was asked
 * @step: enum kv_probe_step that was refused, KV_STEPS: none
 * @cm: rdma_cm connects, and says which attributes a modify passes
 * @text: why
 * @field: of the job that is to blame, found by trying another value; or NULL
 * @asked: its value, KV_AUTO: the engine's choice
 * @taken: the value that is not refused
 */
struct kv_probe {
	const struct kv_engine *engine;
	u32 step;
	bool cm;
	char text[KV_ERROR_TEXT];
	const struct kv_field *field;
	u64 asked;
	u64 taken;
};

void kv_probe_engine(const struct kv_engine *engine, const char *device, const struct kv_job *job,
		     struct kv_probe *probe);
const char *kv_probe_step_name(u32 step);
void kv_print_probe(FILE *file, const struct kv_probe *probe, const struct kv_job *job);
json_t *kv_json_probe(const struct kv_probe *probe, const struct kv_job *job);

#endif /* KV_PROBE_H */
