// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <string.h>
#include <infiniband/verbs.h>
#include "kverbs.h"
#include "probe.h"
#include "report.h"
#include "verbs.h"

#define WAIT_MS	200
#define LIMIT_S	20.0	/* of one try: a job of one message has a deadline of its own */

/* a step, and how the refusals of the engines name it */
static const struct {
	const char *name;
	const char *sign[4];
} steps[KV_STEPS] = {
	[KV_STEP_OPEN] = { "open", { "cannot be opened", "not permitted to open" } },
	[KV_STEP_CHECK] = { "check the job", { NULL } },
	[KV_STEP_GID] = { "port and GID", { "query port", "query_port", "GID" } },
	[KV_STEP_PD] = { "PD", { "allocate PD", "alloc_pd" } },
	[KV_STEP_BUFFER] = { "buffer", { "allocate WRs", "buffer of", "allocate buffer",
					 "buffer for DMA" } },
	[KV_STEP_MR] = { "MR", { "allocate MR", "buffer into MR", "reg_mr of" } },
	[KV_STEP_CQ] = { "CQ", { "create CQ", "create_cq" } },
	[KV_STEP_QP] = { "QP", { "create QP", "create_qp", "inline" } },
	[KV_STEP_CM] = { "rdma_cm", { "by rdma_cm", "of rdma_cm", "rdma_cm: " } },
	[KV_STEP_INIT] = { "modify to INIT", { "QP to INIT", "modify_qp to INIT" } },
	[KV_STEP_RTR] = { "modify to RTR", { "QP to RTR", "modify_qp to RTR" } },
	[KV_STEP_RTS] = { "modify to RTS", { "QP to RTS", "modify_qp to RTS" } },
	[KV_STEP_AH] = { "address handle", { "address handle", "create_ah" } },
	[KV_STEP_REG_MR] = { "register by REG_MR", { "REG_MR", "first atomic" } },
	[KV_STEP_LANES] = { "lanes", { "histograms", "thread of lane", "allocate lanes" } },
	[KV_STEP_RECV] = { "post receives", { "post_recv" } },
	[KV_STEP_POST] = { "post", { NULL } },
	[KV_STEP_POLL] = { "poll and complete", { NULL } },
};

/* what of a job goes into a step, with a value that every device takes */
static const struct {
	u32 step;
	u32 attr;
	u64 harmless;
} trials[] = {
	{ KV_STEP_CQ, KVERBS_JOB_A_OUTSTANDING, 1 },
	{ KV_STEP_CQ, KVERBS_JOB_A_RECV_DEPTH, 1 },
	{ KV_STEP_QP, KVERBS_JOB_A_OUTSTANDING, 1 },
	{ KV_STEP_QP, KVERBS_JOB_A_RECV_DEPTH, 1 },
	{ KV_STEP_QP, KVERBS_JOB_A_SGES, 1 },
	{ KV_STEP_QP, KVERBS_JOB_A_INLINE_DATA, 0 },
	{ KV_STEP_INIT, KVERBS_JOB_A_PKEY_INDEX, 0 },
	{ KV_STEP_RTR, KVERBS_JOB_A_MTU, 256 },
	{ KV_STEP_RTR, KVERBS_JOB_A_RD_ATOMIC, 1 },
	{ KV_STEP_RTR, KVERBS_JOB_A_MIN_RNR_TIMER, 12 },
	{ KV_STEP_RTR, KVERBS_JOB_A_SL, 0 },
	{ KV_STEP_RTR, KVERBS_JOB_A_TRAFFIC_CLASS, 0 },
	{ KV_STEP_RTR, KVERBS_JOB_A_HOP_LIMIT, 64 },
	{ KV_STEP_RTS, KVERBS_JOB_A_TIMEOUT, 14 },
	{ KV_STEP_RTS, KVERBS_JOB_A_RETRY_CNT, 7 },
	{ KV_STEP_RTS, KVERBS_JOB_A_RNR_RETRY, 7 },
	{ KV_STEP_RTS, KVERBS_JOB_A_RD_ATOMIC, 1 },
};

const char *kv_probe_step_name(u32 step)
{
	return step < KV_STEPS ? steps[step].name : "none";
}

/*
 * The step that a refusal speaks of, else what it is by where it came from. The latest:
 * a modify may speak of the GID that it was for.
 */
static u32 step_of(const struct kv_error *error, u32 otherwise)
{
	u32 step, i;

	for (step = KV_STEPS; step-- > 0;) {
		for (i = 0; i < KV_ARRAY_SIZE(steps[step].sign) && steps[step].sign[i]; i++) {
			if (strstr(error->text, steps[step].sign[i]))
				return step;
		}
	}
	return error->status == KV_EXIT_USAGE ? KV_STEP_CHECK : otherwise;
}

static u32 step_of_result(const struct kv_result *result)
{
	if (result->state == KVERBS_STATE_DONE)
		return KV_STEPS;
	return result->reason == KVERBS_REASON_POST ? KV_STEP_POST : KV_STEP_POLL;
}

/* the lanes have to end by themselves: who waits for them has an end too */
static int run_lanes(const struct kv_engine *engine, struct kv_run *run, struct kv_error *error)
{
	double end = kv_seconds() + LIMIT_S;
	bool stopped = false;
	int rc;

	if (engine->start(run, error))
		return -1;
	while (!(rc = engine->wait(run, WAIT_MS, error))) {
		if ((kv_interrupted() || kv_seconds() > end) && !stopped) {
			stopped = true;
			if (engine->stop(run, error))
				return -1;
		}
	}
	return rc < 0 ? -1 : 0;
}

/* Return: enum kv_probe_step that is refused, and @error says why; @cm: rdma_cm connects */
static u32 try_job(const struct kv_engine *engine, const char *device, const struct kv_job *job,
		   bool *cm, struct kv_error *error)
{
	struct kv_result *result;
	struct kv_run *run = NULL;
	u32 step;

	error->text[0] = '\0';
	*cm = job->connect == KVERBS_CONNECT_CM;
	if (engine->prepare(device, job, &run, error))
		return step_of(error, KV_STEP_OPEN);
	if (engine->connect(run, error)) {
		step = step_of(error, KV_STEP_LANES);
	} else if (run_lanes(engine, run, error)) {
		step = step_of(error, KV_STEP_LANES);
	} else if (engine->result(run, &result, error)) {
		step = KV_STEP_POLL;
	} else {
		step = step_of_result(result);
		*cm = result->granted.connect == KVERBS_CONNECT_CM;
		if (step < KV_STEPS)
			kv_explain(result, error->text, sizeof(error->text));
		kv_result_free(result);
	}
	engine->release(run);
	*cm |= step == KV_STEP_CM || strstr(error->text, "rdma_cm");
	return step;
}

static const struct kv_field *field_of(u32 attr)
{
	const struct kv_field *field;
	u32 i;

	for (i = 0; (field = kv_job_field(i)); i++) {
		if (field->attr == attr)
			return field;
	}
	return NULL;
}

/* which of the attributes is it? one after the other with a harmless value instead */
static void find_field(const struct kv_engine *engine, const char *device,
		       const struct kv_job *job, struct kv_probe *probe)
{
	const struct kv_field *field;
	struct kv_error error;
	struct kv_job other;
	bool cm;
	u32 i;

	for (i = 0; i < KV_ARRAY_SIZE(trials); i++) {
		field = field_of(trials[i].attr);
		if (trials[i].step != probe->step || !field ||
		    kv_field_get(job, field) == trials[i].harmless)
			continue;
		other = *job;
		kv_field_set(&other, field, trials[i].harmless);
		if (try_job(engine, device, &other, &cm, &error) <= probe->step)
			continue;
		probe->field = field;
		probe->asked = kv_field_get(job, field);
		probe->taken = trials[i].harmless;
		return;
	}
}

/**
 * kv_probe_engine - take a job from step to step
 * @engine: that runs it
 * @device: name
 * @job: runs once, with a message
 * @probe: filled
 */
void kv_probe_engine(const struct kv_engine *engine, const char *device, const struct kv_job *job,
		     struct kv_probe *probe)
{
	struct kv_job once = *job;
	struct kv_error error;

	memset(probe, 0, sizeof(*probe));
	memset(&error, 0, sizeof(error));
	once.iterations = 1;
	once.duration_ms = 0;
	once.warmup_ms = 0;
	probe->engine = engine;
	probe->step = try_job(engine, device, &once, &probe->cm, &error);
	if (probe->step == KV_STEPS)
		return;
	memcpy(probe->text, error.text, sizeof(probe->text));
	find_field(engine, device, &once, probe);
}

/* the attributes that a modify passes, by the names of its mask */
static void attributes(u32 step, u32 transport, char *text, size_t size)
{
	static const char * const names[] = {
		"STATE", "CUR_STATE", "EN_SQD_ASYNC_NOTIFY", "ACCESS_FLAGS", "PKEY_INDEX", "PORT",
		"QKEY", "AV", "PATH_MTU", "TIMEOUT", "RETRY_CNT", "RNR_RETRY", "RQ_PSN",
		"MAX_QP_RD_ATOMIC", "ALT_PATH", "MIN_RNR_TIMER", "SQ_PSN", "MAX_DEST_RD_ATOMIC",
		"PATH_MIG_STATE", "CAP", "DEST_QPN",
	};
	u32 state = step == KV_STEP_INIT ? IBV_QPS_INIT : step == KV_STEP_RTR ? IBV_QPS_RTR :
		    IBV_QPS_RTS;
	u32 mask = (u32)kv_qp_mask(transport, state), i;
	size_t used = 0;

	text[0] = '\0';
	for (i = 0; i < KV_ARRAY_SIZE(names) && used < size; i++) {
		if (mask & 1U << i)
			used += (size_t)snprintf(text + used, size - used, "%s%s",
						 used ? " " : "", names[i]);
	}
}

static bool is_modify(u32 step)
{
	return step >= KV_STEP_INIT && step <= KV_STEP_RTS;
}

static void print_blame(FILE *file, const struct kv_probe *probe)
{
	char asked[24] = "the engine's choice";

	if (!probe->field)
		return;
	if (probe->asked != KV_AUTO)
		snprintf(asked, sizeof(asked), "%llu", probe->asked);
	fprintf(file, "%30sit is %s: %s is refused, %llu is taken\n", "", probe->field->name,
		asked, probe->taken);
}

/* every step of an engine up to the one refused */
void kv_print_probe(FILE *file, const struct kv_probe *probe, const struct kv_job *job)
{
	char masks[256];
	u32 step;

	for (step = 0; step < KV_STEPS; step++) {
		if (step == KV_STEP_CM && !probe->cm)
			continue;
		masks[0] = '\0';
		if (is_modify(step) && !probe->cm)
			attributes(step, job->transport, masks, sizeof(masks));
		if (step != probe->step) {
			fprintf(file, *masks ? "%-8s %-7s %-20s %s\n" : "%-8s %-7s %s%s\n",
				step < probe->step ? "ok" : "-", probe->engine->name,
				kv_probe_step_name(step), masks);
			continue;
		}
		fprintf(file, "%s%-8s%s %-7s %-20s %s\n", kv_bold(file), "refused",
			kv_plain(file), probe->engine->name, kv_probe_step_name(step),
			probe->text);
		if (*masks)
			fprintf(file, "%30sattributes: %s\n", "", masks);
		print_blame(file, probe);
	}
}

json_t *kv_json_probe(const struct kv_probe *probe, const struct kv_job *job)
{
	bool refused = probe->step < KV_STEPS;
	json_t *passed = json_array();
	char masks[256] = "";
	u32 step;

	for (step = 0; step < probe->step; step++) {
		if (step != KV_STEP_CM || probe->cm)
			json_array_append_new(passed, json_string(kv_probe_step_name(step)));
	}
	if (is_modify(probe->step) && !probe->cm)
		attributes(probe->step, job->transport, masks, sizeof(masks));
	return json_pack("{s:s, s:o, s:s?, s:s?, s:s?, s:s?, s:o, s:o}",
			 "engine", probe->engine->name, "passed", passed,
			 "refused", refused ? kv_probe_step_name(probe->step) : NULL,
			 "text", refused ? probe->text : NULL,
			 "attributes", *masks ? masks : NULL,
			 "field", probe->field ? probe->field->name : NULL,
			 "asked", !probe->field || probe->asked == KV_AUTO ? json_null() :
			 json_integer((json_int_t)probe->asked),
			 "taken", probe->field ? json_integer((json_int_t)probe->taken) :
			 json_null());
}
