/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Tracepoints kverbs:*. Ids join: run and lane with debugfs and the tool's
 * output, qpn with 'rdma resource', wr_id from post to completion.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM kverbs

#if !defined(KV_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define KV_TRACE_H

#include <linux/tracepoint.h>
#include <rdma/ib_verbs.h>
#include <rdma/ib_cm.h>
#include <rdma/rdma_cm.h>
#include <trace/misc/rdma.h>

#include "compat.h"
#include "side.h"

#define kv_trace_state(v)						\
	__print_symbolic(v,						\
			 { KVERBS_STATE_NEW, "NEW" },			\
			 { KVERBS_STATE_READY, "READY" },		\
			 { KVERBS_STATE_RUNNING, "RUNNING" },		\
			 { KVERBS_STATE_DONE, "DONE" },			\
			 { KVERBS_STATE_FAILED, "FAILED" })

#define kv_trace_reason(v)						\
	__print_symbolic(v,						\
			 { KVERBS_REASON_NONE, "none" },		\
			 { KVERBS_REASON_COMPLETE, "complete" },	\
			 { KVERBS_REASON_STOPPED, "stopped" },		\
			 { KVERBS_REASON_SETUP, "setup" },		\
			 { KVERBS_REASON_POST, "post" },		\
			 { KVERBS_REASON_POLL, "poll" },		\
			 { KVERBS_REASON_WC, "wc" },			\
			 { KVERBS_REASON_ORDER, "order" },		\
			 { KVERBS_REASON_TIMEOUT, "timeout" },		\
			 { KVERBS_REASON_DEVICE_GONE, "device_gone" },	\
			 { KVERBS_REASON_CPU_OFFLINE, "cpu_offline" },	\
			 { KVERBS_REASON_SUSPEND, "suspend" })

TRACE_EVENT(kverbs_run_state,
	TP_PROTO(u32 run, const char *device, u32 state, u32 reason, int err),
	TP_ARGS(run, device, state, reason, err),
	TP_STRUCT__entry(
		__field(u32, run)
		__field(u32, state)
		__field(u32, reason)
		__field(int, err)
		__string(device, device)
	),
	TP_fast_assign(
		__entry->run = run;
		__entry->state = state;
		__entry->reason = reason;
		__entry->err = err;
		kv_assign_str(device, device);
	),
	TP_printk("run=%u device=%s state=%s reason=%s err=%d", __entry->run,
		  __get_str(device), kv_trace_state(__entry->state),
		  kv_trace_reason(__entry->reason), __entry->err)
);

TRACE_EVENT(kverbs_post,
	TP_PROTO(u32 run, u32 lane, u32 qpn, u64 wr_id, u32 wrs, u64 ticks),
	TP_ARGS(run, lane, qpn, wr_id, wrs, ticks),
	TP_STRUCT__entry(
		__field(u64, wr_id)
		__field(u64, ticks)
		__field(u32, run)
		__field(u32, lane)
		__field(u32, qpn)
		__field(u32, wrs)
	),
	TP_fast_assign(
		__entry->wr_id = wr_id;
		__entry->ticks = ticks;
		__entry->run = run;
		__entry->lane = lane;
		__entry->qpn = qpn;
		__entry->wrs = wrs;
	),
	TP_printk("run=%u lane=%u qpn=%u wr_id=%llu wrs=%u ticks=%llu",
		  __entry->run, __entry->lane, __entry->qpn, __entry->wr_id,
		  __entry->wrs, __entry->ticks)
);

TRACE_EVENT(kverbs_completion,
	TP_PROTO(u32 run, u32 lane, const struct ib_wc *wc, u64 ticks),
	TP_ARGS(run, lane, wc, ticks),
	TP_STRUCT__entry(
		__field(u64, wr_id)
		__field(u64, ticks)
		__field(u32, run)
		__field(u32, lane)
		__field(u32, qpn)
		__field(u32, opcode)
		__field(u32, flags)
	),
	TP_fast_assign(
		__entry->wr_id = wc->wr_id;
		__entry->ticks = ticks;
		__entry->run = run;
		__entry->lane = lane;
		__entry->qpn = wc->qp->qp_num;
		__entry->opcode = wc->opcode;
		__entry->flags = wc->wc_flags;
	),
	TP_printk("run=%u lane=%u qpn=%u wr_id=%llu opcode=%s imm=%s ticks=%llu",
		  __entry->run, __entry->lane, __entry->qpn, __entry->wr_id,
		  __print_symbolic(__entry->opcode,
				   { IB_WC_SEND, "SEND" },
				   { IB_WC_RDMA_WRITE, "RDMA_WRITE" },
				   { IB_WC_RDMA_READ, "RDMA_READ" },
				   { IB_WC_COMP_SWAP, "COMP_SWAP" },
				   { IB_WC_FETCH_ADD, "FETCH_ADD" },
				   { IB_WC_REG_MR, "REG_MR" },
				   { IB_WC_RECV, "RECV" },
				   { IB_WC_RECV_RDMA_WITH_IMM,
				     "RECV_RDMA_WITH_IMM" }),
		  __entry->flags & IB_WC_WITH_IMM ? "yes" : "no",
		  __entry->ticks)
);

TRACE_EVENT(kverbs_wc_error,
	TP_PROTO(u32 run, u32 lane, const struct ib_wc *wc),
	TP_ARGS(run, lane, wc),
	TP_STRUCT__entry(
		__field(u64, wr_id)
		__field(u32, run)
		__field(u32, lane)
		__field(u32, qpn)
		__field(u32, status)
		__field(u32, vendor_err)
	),
	TP_fast_assign(
		__entry->wr_id = wc->wr_id;
		__entry->run = run;
		__entry->lane = lane;
		__entry->qpn = wc->qp->qp_num;
		__entry->status = wc->status;
		__entry->vendor_err = wc->vendor_err;
	),
	TP_printk("run=%u lane=%u qpn=%u wr_id=%llu status=%s vendor_err=0x%x",
		  __entry->run, __entry->lane, __entry->qpn, __entry->wr_id,
		  rdma_show_wc_status(__entry->status), __entry->vendor_err)
);

#endif /* KV_TRACE_H */

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
