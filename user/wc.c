// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What a failed run means, in the one line that a person reads.
 */
#include <errno.h>
#include <string.h>
#include <infiniband/verbs.h>
#include "explain.h"
#include "kverbs.h"
#include "report.h"

/* wr_ids as in kverbs/loop.h */
#define ID_STEP		(1ULL << 62)	/* of a WR that has a step's number */

const char *kv_wc_status_name(u32 status)
{
	const struct kv_explanation *of = kv_explanation_of(KV_EXPLAIN_STATUS, status);

	return of ? of->name : "unknown status";
}

const char *kv_qp_state_name(u32 state)
{
	static const char *const names[] = {
		[IBV_QPS_RESET] = "RESET",
		[IBV_QPS_INIT] = "INIT",
		[IBV_QPS_RTR] = "RTR",
		[IBV_QPS_RTS] = "RTS",
		[IBV_QPS_SQD] = "SQD",
		[IBV_QPS_SQE] = "SQE",
		[IBV_QPS_ERR] = "ERR",
	};

	return state < KV_ARRAY_SIZE(names) ? names[state] : "unknown";
}

/* the WRs of an exchange, by the end that posts them */
static const char *exchange_name(const struct kv_job *job, u32 lane, u64 step)
{
	if (step == KV_EXCHANGE_INV)
		return "LOCAL_INV";
	if (kv_job_role(job, lane) == KVERBS_ROLE_INITIATOR)
		return "WR that registers";
	return kv_job_rule(job)->reads ? "READ by the rkey it was told" :
					 "WRITE by the rkey it was told";
}

static void wr_name(const struct kv_job *job, u32 lane, u64 wr, char text[64])
{
	u64 step = wr & ~ID_STEP;

	if ((wr & KV_ID_RECV) && kv_job_rings(job) > 1)
		snprintf(text, 64, "receive WR of slot %u, QP %u of the lane", (u32)wr,
			 kv_recv_ring(wr) + 1);
	else if (wr & KV_ID_RECV)
		snprintf(text, 64, "receive WR of slot %u", (u32)wr);
	else if ((wr & ID_STEP) && kv_job_exchanges(job) && step < KV_EXCHANGE_ALL)
		snprintf(text, 64, "%s", exchange_name(job, lane, step));
	else if ((wr & ID_STEP) && step < kv_job_wrs(job))
		snprintf(text, 64, "WR of step %llu, %s", step + 1,
			 kv_op_name(kv_job_wr_op(job, (u32)step)));
	else
		snprintf(text, 64, "send WR %llu", wr);
}

static void explain_data(const struct kv_result *result, char *text, size_t size)
{
	char found[64] = "";

	if (result->data_found == result->err_wr)
		snprintf(found, sizeof(found), "; it came late");
	else if (result->data_found != KV_DATA_NONE)
		snprintf(found, sizeof(found), "; it is message %llu",
			 (unsigned long long)result->data_found);
	else if ((result->data_expected ^ result->data_got) == 0xff)
		snprintf(found, sizeof(found), "; nothing was written there");
	snprintf(text, size,
		 "%s engine: wrong data on lane %u in message %llu at byte %llu: expected 0x%02x, got 0x%02x%s",
		 result->engine, result->err_lane, (unsigned long long)result->err_wr,
		 (unsigned long long)result->data_offset, result->data_expected,
		 result->data_got, found);
}

/* a WC, with the likeliest causes and where to read on */
static void explain_wc(const struct kv_result *result, const char *wr, char *text, size_t size)
{
	const struct kv_explanation *of = kv_explanation_of(KV_EXPLAIN_STATUS, result->wc_status);
	char causes[160] = "";

	if (of)
		kv_explain_causes(of, 2, causes, sizeof(causes));
	snprintf(text, size,
		 "%s engine: completion error on lane %u, %s: %s (status %u), vendor error 0x%x, QP in %s, its peer in %s%s%s; see 'kverbs explain %s'",
		 result->engine, result->err_lane, wr, kv_wc_status_name(result->wc_status),
		 result->wc_status, result->vendor_err, kv_qp_state_name(result->qp_state),
		 kv_qp_state_name(result->peer_qp_state), *causes ? "; likely: " : "", causes,
		 of ? of->symbol : "--list");
}

/* a post or poll call, likewise */
static void explain_call(const struct kv_result *result, const char *wr, char *text, size_t size)
{
	const struct kv_explanation *of = kv_explanation_of(KV_EXPLAIN_ERRNO,
							    (u32)-result->err);

	snprintf(text, size,
		 "%s engine: %s on lane %u, %s: %s; see the kernel log, and 'kverbs explain %s'",
		 result->engine, kv_reason_name(result->reason), result->err_lane, wr,
		 strerror(-result->err), of ? of->symbol : "--list");
}

static void explain(const struct kv_result *result, char *text, size_t size)
{
	const char *engine = result->engine, *reason = kv_reason_name(result->reason);
	char wr[64];

	wr_name(&result->granted, result->err_lane, result->err_wr, wr);
	switch (result->reason) {
	case KVERBS_REASON_WC:
		explain_wc(result, wr, text, size);
		break;
	case KVERBS_REASON_POST:
	case KVERBS_REASON_POLL:
		explain_call(result, wr, text, size);
		break;
	case KVERBS_REASON_ORDER:
		if (result->granted.shape == KVERBS_SHAPE_RECOVER) {
			snprintf(text, size,
				 "%s engine: lane %u: %s completed where its rkey was to be refused first; the device does not check rkeys (null0 does not), or its driver is at fault",
				 engine, result->err_lane, wr);
			break;
		}
		snprintf(text, size,
			 "%s engine: lane %u got a completion for %s, which was not outstanding; the driver or the provider is at fault",
			 engine, result->err_lane, wr);
		break;
	case KVERBS_REASON_TIMEOUT:
		snprintf(text, size,
			 "%s engine: no completion on lane %u within %u ms, %s outstanding; %s, or give a longer --deadline",
			 engine, result->err_lane, result->granted.deadline_ms, wr,
			 kv_transport_rules[result->granted.transport].acked ?
			 "see the kernel log" : "the transport loses messages, and one may be");
		break;
	case KVERBS_REASON_KEPT:
		snprintf(text, size,
			 "%s engine: a message on lane %u did not invalidate the MR it was sent to, %s; the driver or the provider is at fault",
			 engine, result->err_lane, wr);
		break;
	case KVERBS_REASON_CQ:
		snprintf(text, size,
			 "%s engine: the CQ of lane %u reported an error, %s outstanding: it overflowed, or is broken; see the kernel log, and 'kverbs explain CQ_ERR'",
			 engine, result->err_lane, wr);
		break;
	case KVERBS_REASON_REG:
		snprintf(text, size,
			 "%s engine: the memory of operation %llu on lane %u could not be mapped or registered, or that undone: %s%s",
			 engine, (unsigned long long)result->err_wr, result->err_lane,
			 strerror(-result->err), result->err != -ENOMEM ? "" :
			 "; use a smaller -t or -s, or raise the limit of locked memory (ulimit -l)");
		break;
	case KVERBS_REASON_DATA:
		explain_data(result, text, size);
		break;
	case KVERBS_REASON_DEVICE_GONE:
		if (*result->where && strcmp(result->where, "removed or moved"))
			snprintf(text, size, "%s engine: device %s lost: %s", engine,
				 result->device, result->where);
		else
			snprintf(text, size, "%s engine: device %s: %s", engine, result->device,
				 reason);
		break;
	case KVERBS_REASON_SETUP:
		snprintf(text, size, "%s engine: cannot %s: %s", engine, result->where,
			 strerror(-result->err));
		break;
	default:
		snprintf(text, size, "%s engine: %s", engine, reason);
		break;
	}
}

/* the lane that ended as was to be provoked, NULL: none did */
const struct kv_lane_result *kv_provoked(const struct kv_result *result)
{
	const struct kv_provoke_rule *rule = &kv_provoke_rules[result->granted.provoke];
	u32 i;

	for (i = 0; i < result->nlanes; i++) {
		if (result->lane[i].reason != rule->reason)
			continue;
		if (rule->reason != KVERBS_REASON_WC || result->lane[i].wc_status == rule->status)
			return &result->lane[i];
	}
	return NULL;
}

/* how it was expected to end: the symbol of a status, or the reason in words */
const char *kv_provoked_name(const struct kv_provoke_rule *rule)
{
	const struct kv_explanation *of;

	if (rule->reason != KVERBS_REASON_WC)
		return kv_reason_name(rule->reason);
	of = kv_explanation_of(KV_EXPLAIN_STATUS, rule->status);
	return of ? of->symbol : "unknown";
}

/* the result as the lane saw it, which need not be the one that ended the run */
static void see_by(struct kv_result *result, const struct kv_lane_result *lane)
{
	u32 own = result->qp_state;

	if (lane->index == result->err_lane)
		return;
	/* both lanes of a pair are at the two ends of one connection */
	result->qp_state = result->peer_qp_state;
	result->peer_qp_state = own;
	result->err_lane = lane->index;
	result->reason = lane->reason;
	result->err = lane->err;
	result->err_wr = lane->err_wr;
	result->wc_status = lane->wc_status;
	result->vendor_err = lane->vendor_err;
}

/**
 * kv_explain - why a run failed, or did not as it was to, in one line
 * @result: of a run that failed, or that provokes an error
 * @text: filled
 * @size: of @text
 */
void kv_explain(const struct kv_result *result, char *text, size_t size)
{
	const struct kv_provoke_rule *rule = &kv_provoke_rules[result->granted.provoke];
	const struct kv_lane_result *lane;
	struct kv_result seen = *result;
	size_t used;

	if (!result->granted.provoke || !result->nlanes) {
		explain(result, text, size);
		return;
	}
	lane = kv_provoked(result);
	if (lane)
		see_by(&seen, lane);
	snprintf(text, size, lane ? "provoked %s, %s came: " :
				    "provoked %s, %s did not come; instead: ", rule->name,
		 kv_provoked_name(rule));
	used = strlen(text);
	if (result->state != KVERBS_STATE_FAILED)
		snprintf(text + used, size - used, "%s engine: %s", result->engine,
			 kv_reason_name(result->reason));
	else
		explain(&seen, text + used, size - used);
}
