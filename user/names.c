// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <string.h>
#include "kverbs.h"
#include "options.h"

#define KV_NAME(table, i) ((i) < KV_ARRAY_SIZE(table) && (table)[i] ? (table)[i] : "unknown")

const char *kv_op_name(u32 op)
{
	return op < KV_OPS ? kv_op_rules[op].name : "unknown";
}

/* the steps of a job as they are given, "reg-mr,wait,send" */
const char *kv_steps_name(const struct kv_job *job, char text[KV_STEPS_TEXT])
{
	u32 i, used = 0;

	text[0] = '\0';
	for (i = 0; i < job->nsteps && used < KV_STEPS_TEXT; i++)
		used += (u32)snprintf(text + used, KV_STEPS_TEXT - used, "%s%s%s", i ? "," : "",
				      kv_op_name(job->step[i].op),
				      job->step[i].flags & KVERBS_STEP_WAIT ? ",wait" : "");
	return text;
}

const char *kv_op_list(void)
{
	static char list[256];
	u32 op, used = 0;

	for (op = 0; op < KV_OPS && used < sizeof(list); op++)
		used += (u32)snprintf(list + used, sizeof(list) - used, "%s%s",
				      !op ? "" : op + 1 < KV_OPS ? ", " : " or ", kv_op_name(op));
	return list;
}

const char *kv_transport_name(u32 transport)
{
	return transport < KV_TRANSPORTS ? kv_transport_rules[transport].name : "unknown";
}

const char *kv_gid_kind_name(u32 type)
{
	static const char *const names[] = {
		[KVERBS_GID_TYPE_V1] = "v1",
		[KVERBS_GID_TYPE_V2] = "v2",
	};

	return KV_NAME(names, type);
}

const char *kv_shape_name(u32 shape)
{
	return shape < KV_SHAPES ? kv_shape_rules[shape].name : "unknown";
}

const char *kv_pace_name(u32 pace)
{
	static const char *const names[] = {
		[KVERBS_PACE_CONSTANT] = "constant",
		[KVERBS_PACE_POISSON] = "poisson",
		[KVERBS_PACE_TRACE] = "trace",
	};

	return KV_NAME(names, pace);
}

const char *kv_timing_name(u32 timing)
{
	static const char *const names[] = {
		[KVERBS_TIMING_NONE] = "none",
		[KVERBS_TIMING_LAT] = "lat",
		[KVERBS_TIMING_ALL] = "all",
	};

	return KV_NAME(names, timing);
}

const char *kv_clock_kind_name(u32 clock)
{
	static const char *const names[] = {
		[KVERBS_CLOCK_CPU] = "cpu",
		[KVERBS_CLOCK_RAW] = "raw",
	};

	return KV_NAME(names, clock);
}

const char *kv_wait_name(u32 wait)
{
	static const char *const names[] = {
		[KVERBS_WAIT_NONE] = "none",
		[KVERBS_WAIT_RELAX] = "relax",
		[KVERBS_WAIT_SOFTIRQ] = "softirq",
		[KVERBS_WAIT_YIELD] = "yield",
	};

	return KV_NAME(names, wait);
}

const char *kv_local_key_name(u32 key)
{
	static const char *const names[] = {
		[KVERBS_LOCAL_KEY_MR] = "mr",
		[KVERBS_LOCAL_KEY_DMA] = "dma",
	};

	return KV_NAME(names, key);
}

const char *kv_check_data_name(u32 check)
{
	static const char *const names[] = {
		[KVERBS_CHECK_DATA_OFF] = "off",
		[KVERBS_CHECK_DATA_ON] = "on",
		[KVERBS_CHECK_DATA_FLIP] = "flip",
		[KVERBS_CHECK_DATA_SWAP] = "swap",
		[KVERBS_CHECK_DATA_STALE] = "stale",
	};

	return KV_NAME(names, check);
}

const char *kv_api_name(u32 api)
{
	static const char *const names[] = {
		[KVERBS_API_POST] = "post",
		[KVERBS_API_WR] = "wr",
	};

	return KV_NAME(names, api);
}

/* the calls themselves */
const char *kv_api_calls(u32 api)
{
	static const char *const names[] = {
		[KVERBS_API_POST] = "ibv_post_send, ibv_poll_cq",
		[KVERBS_API_WR] = "ibv_wr_*, ibv_start_poll",
	};

	return KV_NAME(names, api);
}

/* a field that is a switch: pmu, thread-domain */
const char *kv_switch_name(u32 on)
{
	static const char *const names[] = {
		"off", "on",
	};

	return KV_NAME(names, on);
}

const char *kv_context_name(u32 context)
{
	return context < KV_CONTEXTS ? kv_context_rules[context].name : "unknown";
}

const char *kv_post_from_name(u32 from)
{
	static const char *const names[] = {
		[KVERBS_POST_FROM_HANDLER] = "handler",
		[KVERBS_POST_FROM_LANE] = "lane",
	};

	return KV_NAME(names, from);
}

const char *kv_pattern_name(u32 pattern)
{
	static const char *const names[] = {
		[KVERBS_PATTERN_FIXED] = "fixed",
		[KVERBS_PATTERN_SEQUENTIAL] = "sequential",
		[KVERBS_PATTERN_RANDOM] = "random",
	};

	return KV_NAME(names, pattern);
}

const char *kv_provoke_name(u32 provoke)
{
	return provoke < KV_PROVOKES ? kv_provoke_rules[provoke].name : "unknown";
}

const char *kv_reg_name(u32 reg)
{
	return reg < KV_REGS ? kv_reg_rules[reg].name : "unknown";
}

const char *kv_reg_wait_name(u32 wait)
{
	static const char *const names[] = {
		[KVERBS_REG_WAIT_NONE] = "none",
		[KVERBS_REG_WAIT_INV] = "inv",
		[KVERBS_REG_WAIT_ALL] = "all",
	};

	return KV_NAME(names, wait);
}

const char *kv_dma_map_name(u32 map)
{
	static const char *const names[] = {
		[KVERBS_DMA_MAP_IO] = "io",
		[KVERBS_DMA_MAP_ONCE] = "once",
	};

	return KV_NAME(names, map);
}

const char *kv_exchange_inv_name(u32 inv)
{
	static const char *const names[] = {
		[KVERBS_EXCHANGE_INV_REMOTE] = "remote",
		[KVERBS_EXCHANGE_INV_LOCAL] = "local",
	};

	return KV_NAME(names, inv);
}

const char *kv_access_name(u32 access)
{
	static const char *const names[] = {
		[KVERBS_ACCESS_ALL] = "all",
		[KVERBS_ACCESS_NEEDED] = "needed",
	};

	return KV_NAME(names, access);
}

const char *kv_relaxed_ordering_name(u32 on)
{
	static const char *const names[] = {
		[KVERBS_RELAXED_ORDERING_OFF] = "off",
		[KVERBS_RELAXED_ORDERING_ON] = "on",
	};

	return KV_NAME(names, on);
}

const char *kv_flush_type_name(u32 type)
{
	static const char *const names[] = {
		[KVERBS_FLUSH_TYPE_GLOBAL] = "global",
		[KVERBS_FLUSH_TYPE_PERSISTENT] = "persistent",
	};

	return KV_NAME(names, type);
}

const char *kv_flush_level_name(u32 level)
{
	static const char *const names[] = {
		[KVERBS_FLUSH_LEVEL_RANGE] = "range",
		[KVERBS_FLUSH_LEVEL_MR] = "mr",
	};

	return KV_NAME(names, level);
}

const char *kv_cq_name(u32 cq)
{
	static const char *const names[] = {
		[KVERBS_CQ_LANE] = "lane",
		[KVERBS_CQ_QP] = "qp",
		[KVERBS_CQ_SHARED] = "shared",
	};

	return KV_NAME(names, cq);
}

const char *kv_refill_name(u32 refill)
{
	static const char *const names[] = {
		[KVERBS_REFILL_EACH] = "each",
		[KVERBS_REFILL_BATCH] = "batch",
		[KVERBS_REFILL_WATERMARK] = "watermark",
	};

	return KV_NAME(names, refill);
}

const char *kv_sg_list_name(u32 list)
{
	static const char *const names[] = {
		[KVERBS_SG_LIST_BLOCKS] = "blocks",
		[KVERBS_SG_LIST_PAGES] = "pages",
		[KVERBS_SG_LIST_GAPS] = "gaps",
	};

	return KV_NAME(names, list);
}

const char *kv_odp_name(u32 odp)
{
	static const char *const names[] = {
		[KVERBS_ODP_OFF] = "off",
		[KVERBS_ODP_EXPLICIT] = "explicit",
		[KVERBS_ODP_IMPLICIT] = "implicit",
	};

	return KV_NAME(names, odp);
}

const char *kv_connect_name(u32 connect)
{
	static const char *const names[] = {
		[KVERBS_CONNECT_VERBS] = "verbs",
		[KVERBS_CONNECT_CM] = "cm",
	};

	return KV_NAME(names, connect);
}

const char *kv_delay_at_name(u32 at)
{
	static const char *const names[] = {
		[KVERBS_DELAY_AT_POST] = "post",
		[KVERBS_DELAY_AT_BEFORE] = "before",
	};

	return KV_NAME(names, at);
}

const char *kv_recover_name(u32 recover)
{
	static const char *const names[] = {
		[KVERBS_RECOVER_RESET] = "reset",
		[KVERBS_RECOVER_RECREATE] = "recreate",
	};

	return KV_NAME(names, recover);
}

const char *kv_memory_name(u32 memory)
{
	static const char *const names[] = {
		[KVERBS_MEMORY_CONTIGUOUS] = "contiguous",
		[KVERBS_MEMORY_SCATTERED] = "scattered",
		[KVERBS_MEMORY_HUGE] = "huge",
	};

	return KV_NAME(names, memory);
}

const char *kv_state_name(u32 state)
{
	static const char *const names[] = {
		[KVERBS_STATE_NEW] = "new",
		[KVERBS_STATE_READY] = "ready",
		[KVERBS_STATE_RUNNING] = "running",
		[KVERBS_STATE_DONE] = "done",
		[KVERBS_STATE_FAILED] = "failed",
	};

	return KV_NAME(names, state);
}

const char *kv_reason_name(u32 reason)
{
	static const char *const names[] = {
		[KVERBS_REASON_NONE] = "not ended",
		[KVERBS_REASON_COMPLETE] = "complete",
		[KVERBS_REASON_STOPPED] = "stopped",
		[KVERBS_REASON_SETUP] = "set-up failed",
		[KVERBS_REASON_POST] = "post refused",
		[KVERBS_REASON_POLL] = "poll failed",
		[KVERBS_REASON_WC] = "completion error",
		[KVERBS_REASON_ORDER] = "unexpected completion",
		[KVERBS_REASON_TIMEOUT] = "no completion in time",
		[KVERBS_REASON_DEVICE_GONE] = "device removed or moved",
		[KVERBS_REASON_CPU_OFFLINE] = "CPU went offline",
		[KVERBS_REASON_SUSPEND] = "system suspended",
		[KVERBS_REASON_DATA] = "wrong data",
		[KVERBS_REASON_KEPT] = "not invalidated",
		[KVERBS_REASON_CQ] = "CQ error",
		[KVERBS_REASON_REG] = "not registered",
	};

	return KV_NAME(names, reason);
}

const char *kv_role_name(u32 role)
{
	static const char *const names[] = {
		[KVERBS_ROLE_INITIATOR] = "initiator",
		[KVERBS_ROLE_RESPONDER] = "responder",
	};

	return KV_NAME(names, role);
}

const char *kv_metric_name(u32 metric)
{
#define KV_METRIC_NAME(attr, name) [KVERBS_METRIC_##attr] = name,
	static const char *const names[] = { KV_METRICS(KV_METRIC_NAME) };

	return KV_NAME(names, metric);
}

const char *kv_link_name(u32 link)
{
	static const char *const names[] = {
		[KVERBS_LINK_IB] = "IB",
		[KVERBS_LINK_ROCE] = "RoCE",
		[KVERBS_LINK_IWARP] = "iWARP",
		[KVERBS_LINK_OTHER] = "other",
	};

	return KV_NAME(names, link);
}

const char *kv_as_name(u32 as)
{
	static const char *const names[] = {
		[KV_AS_MATCHED] = "matched",
		[KV_AS_NATIVE] = "native",
		[KV_AS_BOTH] = "both",
	};

	return KV_NAME(names, as);
}

const char *kv_expect_name(u32 expect)
{
	static const char *const names[] = {
		[KV_EXPECT_NOTHING] = "nothing",
		[KV_EXPECT_SAME] = "same",
		[KV_EXPECT_DIFFERENT] = "different",
	};

	return KV_NAME(names, expect);
}

const char *kv_callees_name(u32 callees)
{
	static const char *const names[] = {
		[KV_CALLEES_ALL] = "all",
		[KV_CALLEES_DRIVER] = "driver",
		[KV_CALLEES_NONE] = "none",
	};

	return KV_NAME(names, callees);
}

/* the fields that are given, and shown, by name */
static const struct {
	u32 attr;
	kv_name_fn name;
} named[] = {
	{ KVERBS_JOB_A_SHAPE, kv_shape_name },
	{ KVERBS_JOB_A_TIMING, kv_timing_name },
	{ KVERBS_JOB_A_CLOCK, kv_clock_kind_name },
	{ KVERBS_JOB_A_WAIT, kv_wait_name },
	{ KVERBS_JOB_A_LOCAL_KEY, kv_local_key_name },
	{ KVERBS_JOB_A_TRANSPORT, kv_transport_name },
	{ KVERBS_JOB_A_GID_TYPE, kv_gid_kind_name },
	{ KVERBS_JOB_A_CHECK_DATA, kv_check_data_name },
	{ KVERBS_JOB_A_PACE, kv_pace_name },
	{ KVERBS_JOB_A_API, kv_api_name },
	{ KVERBS_JOB_A_PMU, kv_switch_name },
	{ KVERBS_JOB_A_THREAD_DOMAIN, kv_switch_name },
	{ KVERBS_JOB_A_CONTEXT, kv_context_name },
	{ KVERBS_JOB_A_POST_FROM, kv_post_from_name },
	{ KVERBS_JOB_A_PATTERN, kv_pattern_name },
	{ KVERBS_JOB_A_COLD, kv_switch_name },
	{ KVERBS_JOB_A_PROVOKE, kv_provoke_name },
	{ KVERBS_JOB_A_REG, kv_reg_name },
	{ KVERBS_JOB_A_REG_WAIT, kv_reg_wait_name },
	{ KVERBS_JOB_A_DMA_MAP, kv_dma_map_name },
	{ KVERBS_JOB_A_DELAY_AT, kv_delay_at_name },
	{ KVERBS_JOB_A_MEMORY, kv_memory_name },
	{ KVERBS_JOB_A_EXCHANGE_INV, kv_exchange_inv_name },
	{ KVERBS_JOB_A_ACCESS, kv_access_name },
	{ KVERBS_JOB_A_RELAXED_ORDERING, kv_relaxed_ordering_name },
	{ KVERBS_JOB_A_SG_LIST, kv_sg_list_name },
	{ KVERBS_JOB_A_ODP, kv_odp_name },
	{ KVERBS_JOB_A_REFILL, kv_refill_name },
	{ KVERBS_JOB_A_SRQ, kv_switch_name },
	{ KVERBS_JOB_A_CQ, kv_cq_name },
	{ KVERBS_JOB_A_CONNECT, kv_connect_name },
	{ KVERBS_JOB_A_FLUSH_TYPE, kv_flush_type_name },
	{ KVERBS_JOB_A_FLUSH_LEVEL, kv_flush_level_name },
	{ KVERBS_JOB_A_BIDIRECTIONAL, kv_switch_name },
	{ KVERBS_JOB_A_RECOVER, kv_recover_name },
};

/* what the values of a field are called; NULL: it is a number */
kv_name_fn kv_field_names(u32 attr)
{
	u32 i;

	for (i = 0; i < KV_ARRAY_SIZE(named); i++) {
		if (named[i].attr == attr)
			return named[i].name;
	}
	return NULL;
}

/* the key of a field in JSON and CSV: bytes have their unit there, ms in the member's name */
const char *kv_field_key(const char *member, const char *unit, char key[KV_UNIT_KEY])
{
	snprintf(key, KV_UNIT_KEY, "%s%s", member, !strcmp(unit, "bytes") ? "_bytes" : "");
	return key;
}
