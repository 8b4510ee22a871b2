// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What a failed run means: WC statuses with their likely causes, and the one
 * line that a person reads.
 */
#include <string.h>
#include <infiniband/verbs.h>
#include "kverbs.h"
#include "report.h"

#define ID_RECV		(1ULL << 63)	/* wr_id of a receive, as in kverbs/loop.h */

static const struct {
	const char *name;
	const char *causes;
} statuses[] = {
	[IBV_WC_SUCCESS] = {
		"success",
		""
	},
	[IBV_WC_LOC_LEN_ERR] = {
		"local length error",
		"message larger than the receive buffer or the port's max_msg"
	},
	[IBV_WC_LOC_QP_OP_ERR] = {
		"local QP operation error",
		"malformed WR, or an operation that this QP or provider does not do"
	},
	[IBV_WC_LOC_EEC_OP_ERR] = {
		"local EE context operation error",
		"RD transport only"
	},
	[IBV_WC_LOC_PROT_ERR] = {
		"local protection error",
		"wrong or stale lkey, address outside the MR, MR without LOCAL_WRITE, other PD"
	},
	[IBV_WC_WR_FLUSH_ERR] = {
		"WR flushed",
		"the QP is in the error state; look at the first error of the QP, or at who closed it"
	},
	[IBV_WC_MW_BIND_ERR] = {
		"memory window bind error",
		"MW or MR without the access asked for"
	},
	[IBV_WC_BAD_RESP_ERR] = {
		"bad response",
		"the peer's answer does not fit the request"
	},
	[IBV_WC_LOC_ACCESS_ERR] = {
		"local access error",
		"receive buffer or READ sink not writable"
	},
	[IBV_WC_REM_INV_REQ_ERR] = {
		"remote invalid request",
		"message larger than the peer's receive, or an operation that the peer's QP does not allow"
	},
	[IBV_WC_REM_ACCESS_ERR] = {
		"remote access error",
		"wrong or stale rkey, address outside the peer's MR, or access not granted"
	},
	[IBV_WC_REM_OP_ERR] = {
		"remote operation error",
		"the peer could not complete the operation; see its own completion"
	},
	[IBV_WC_RETRY_EXC_ERR] = {
		"transport retries exceeded",
		"no answer from the peer: wrong path or GID, peer QP not in RTR, packets lost, link down"
	},
	[IBV_WC_RNR_RETRY_EXC_ERR] = {
		"RNR retries exceeded",
		"the peer posted too few receives"
	},
	[IBV_WC_LOC_RDD_VIOL_ERR] = {
		"local RDD violation",
		"RD transport only"
	},
	[IBV_WC_REM_INV_RD_REQ_ERR] = {
		"remote invalid RD request",
		"RD transport only"
	},
	[IBV_WC_REM_ABORT_ERR] = {
		"remote aborted",
		"the peer gave the operation up"
	},
	[IBV_WC_INV_EECN_ERR] = {
		"invalid EE context number",
		"RD transport only"
	},
	[IBV_WC_INV_EEC_STATE_ERR] = {
		"invalid EE context state",
		"RD transport only"
	},
	[IBV_WC_FATAL_ERR] = {
		"fatal error",
		"the device failed; see the kernel log"
	},
	[IBV_WC_RESP_TIMEOUT_ERR] = {
		"response timeout",
		"no answer to a connection request"
	},
	[IBV_WC_GENERAL_ERR] = {
		"general error",
		"the provider says no more; see the kernel log"
	},
};

const char *kv_wc_status_name(u32 status)
{
	return status < KV_ARRAY_SIZE(statuses) ? statuses[status].name : "unknown status";
}

const char *kv_wc_causes(u32 status)
{
	return status < KV_ARRAY_SIZE(statuses) ? statuses[status].causes : "";
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

static void wr_name(u64 wr, char text[48])
{
	if (wr & ID_RECV)
		snprintf(text, 48, "receive WR of slot %llu", wr & ~ID_RECV);
	else
		snprintf(text, 48, "send WR %llu", wr);
}

/**
 * kv_explain - why a run failed, in one line
 * @result: of a failed run
 * @text: filled
 * @size: of @text
 */
void kv_explain(const struct kv_result *result, char *text, size_t size)
{
	const char *engine = result->engine, *reason = kv_reason_name(result->reason);
	char wr[48];

	wr_name(result->err_wr, wr);
	switch (result->reason) {
	case KVERBS_REASON_WC:
		snprintf(text, size,
			 "%s engine: completion error on lane %u, %s: %s (status %u), vendor error 0x%x, QP in %s; likely: %s",
			 engine, result->err_lane, wr, kv_wc_status_name(result->wc_status),
			 result->wc_status, result->vendor_err,
			 kv_qp_state_name(result->qp_state), kv_wc_causes(result->wc_status));
		break;
	case KVERBS_REASON_POST:
	case KVERBS_REASON_POLL:
		snprintf(text, size, "%s engine: %s on lane %u, %s: %s; see the kernel log", engine,
			 reason, result->err_lane, wr, strerror(-result->err));
		break;
	case KVERBS_REASON_ORDER:
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
