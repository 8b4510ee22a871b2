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
#include "endpoint.h"
#include "record.h"
#include "side.h"
#include "traced.h"

/*
 * Names of values. TRACE_DEFINE_ENUM() has the number put into the format that
 * programs read, where an enumerator would mean nothing.
 */
TRACE_DEFINE_ENUM(KVERBS_STATE_NEW);
TRACE_DEFINE_ENUM(KVERBS_STATE_READY);
TRACE_DEFINE_ENUM(KVERBS_STATE_RUNNING);
TRACE_DEFINE_ENUM(KVERBS_STATE_DONE);
TRACE_DEFINE_ENUM(KVERBS_STATE_FAILED);

TRACE_DEFINE_ENUM(KVERBS_REASON_NONE);
TRACE_DEFINE_ENUM(KVERBS_REASON_COMPLETE);
TRACE_DEFINE_ENUM(KVERBS_REASON_STOPPED);
TRACE_DEFINE_ENUM(KVERBS_REASON_SETUP);
TRACE_DEFINE_ENUM(KVERBS_REASON_POST);
TRACE_DEFINE_ENUM(KVERBS_REASON_POLL);
TRACE_DEFINE_ENUM(KVERBS_REASON_WC);
TRACE_DEFINE_ENUM(KVERBS_REASON_ORDER);
TRACE_DEFINE_ENUM(KVERBS_REASON_TIMEOUT);
TRACE_DEFINE_ENUM(KVERBS_REASON_DEVICE_GONE);
TRACE_DEFINE_ENUM(KVERBS_REASON_CPU_OFFLINE);
TRACE_DEFINE_ENUM(KVERBS_REASON_SUSPEND);
TRACE_DEFINE_ENUM(KVERBS_REASON_DATA);
TRACE_DEFINE_ENUM(KVERBS_REASON_KEPT);

TRACE_DEFINE_ENUM(IB_QPS_RESET);
TRACE_DEFINE_ENUM(IB_QPS_INIT);
TRACE_DEFINE_ENUM(IB_QPS_RTR);
TRACE_DEFINE_ENUM(IB_QPS_RTS);
TRACE_DEFINE_ENUM(IB_QPS_SQD);
TRACE_DEFINE_ENUM(IB_QPS_SQE);
TRACE_DEFINE_ENUM(IB_QPS_ERR);

TRACE_DEFINE_ENUM(IB_WR_RDMA_WRITE);
TRACE_DEFINE_ENUM(IB_WR_RDMA_WRITE_WITH_IMM);
TRACE_DEFINE_ENUM(IB_WR_SEND);
TRACE_DEFINE_ENUM(IB_WR_SEND_WITH_IMM);
TRACE_DEFINE_ENUM(IB_WR_SEND_WITH_INV);
TRACE_DEFINE_ENUM(IB_WR_RDMA_READ);
TRACE_DEFINE_ENUM(IB_WR_ATOMIC_CMP_AND_SWP);
TRACE_DEFINE_ENUM(IB_WR_ATOMIC_FETCH_AND_ADD);
TRACE_DEFINE_ENUM(IB_WR_LOCAL_INV);
TRACE_DEFINE_ENUM(IB_WR_REG_MR);

TRACE_DEFINE_ENUM(IB_SEND_FENCE);
TRACE_DEFINE_ENUM(IB_SEND_SIGNALED);
TRACE_DEFINE_ENUM(IB_SEND_SOLICITED);
TRACE_DEFINE_ENUM(IB_SEND_INLINE);
TRACE_DEFINE_ENUM(IB_SEND_IP_CSUM);

TRACE_DEFINE_ENUM(IB_WC_SEND);
TRACE_DEFINE_ENUM(IB_WC_RDMA_WRITE);
TRACE_DEFINE_ENUM(IB_WC_RDMA_READ);
TRACE_DEFINE_ENUM(IB_WC_COMP_SWAP);
TRACE_DEFINE_ENUM(IB_WC_FETCH_ADD);
TRACE_DEFINE_ENUM(IB_WC_LOCAL_INV);
TRACE_DEFINE_ENUM(IB_WC_REG_MR);
TRACE_DEFINE_ENUM(IB_WC_RECV);
TRACE_DEFINE_ENUM(IB_WC_RECV_RDMA_WITH_IMM);

#define kv_trace_state(v)						\
	__print_symbolic(v,						\
			 { KVERBS_STATE_NEW, "NEW" },			\
			 { KVERBS_STATE_READY, "READY" },		\
			 { KVERBS_STATE_RUNNING, "RUNNING" },		\
			 { KVERBS_STATE_DONE, "DONE" },			\
			 { KVERBS_STATE_FAILED, "FAILED" })

#define kv_trace_reason(v)						\
	__print_symbolic(v,						\
			 { KVERBS_REASON_NONE, "NONE" },		\
			 { KVERBS_REASON_COMPLETE, "COMPLETE" },	\
			 { KVERBS_REASON_STOPPED, "STOPPED" },		\
			 { KVERBS_REASON_SETUP, "SETUP" },		\
			 { KVERBS_REASON_POST, "POST" },		\
			 { KVERBS_REASON_POLL, "POLL" },		\
			 { KVERBS_REASON_WC, "WC" },			\
			 { KVERBS_REASON_ORDER, "ORDER" },		\
			 { KVERBS_REASON_TIMEOUT, "TIMEOUT" },		\
			 { KVERBS_REASON_DEVICE_GONE, "DEVICE_GONE" },	\
			 { KVERBS_REASON_CPU_OFFLINE, "CPU_OFFLINE" },	\
			 { KVERBS_REASON_SUSPEND, "SUSPEND" },		\
			 { KVERBS_REASON_DATA, "DATA" },		\
			 { KVERBS_REASON_KEPT, "KEPT" })

#define kv_trace_qp_state_row(name)	{ IB_QPS_##name, #name }
#define kv_trace_qp_state(v)						\
	__print_symbolic(v, KV_QP_STATES(kv_trace_qp_state_row))

#define kv_trace_wr_opcode(v)						\
	__print_symbolic(v,						\
			 { IB_WR_RDMA_WRITE, "RDMA_WRITE" },		\
			 { IB_WR_RDMA_WRITE_WITH_IMM, "RDMA_WRITE_WITH_IMM" },	\
			 { IB_WR_SEND, "SEND" },			\
			 { IB_WR_SEND_WITH_IMM, "SEND_WITH_IMM" },	\
			 { IB_WR_SEND_WITH_INV, "SEND_WITH_INV" },	\
			 { IB_WR_RDMA_READ, "RDMA_READ" },		\
			 { IB_WR_ATOMIC_CMP_AND_SWP, "ATOMIC_CMP_AND_SWP" },	\
			 { IB_WR_ATOMIC_FETCH_AND_ADD, "ATOMIC_FETCH_AND_ADD" },	\
			 { IB_WR_LOCAL_INV, "LOCAL_INV" },		\
			 { IB_WR_REG_MR, "REG_MR" },			\
			 /* of the ABI, with a name from 6.3 on */	\
			 { 15, "ATOMIC_WRITE" })

#define kv_trace_send_flags(v)						\
	__print_flags(v, "|",						\
		      { IB_SEND_FENCE, "FENCE" },			\
		      { IB_SEND_SIGNALED, "SIGNALED" },			\
		      { IB_SEND_SOLICITED, "SOLICITED" },		\
		      { IB_SEND_INLINE, "INLINE" },			\
		      { IB_SEND_IP_CSUM, "IP_CSUM" })

#define kv_trace_wc_opcode(v)						\
	__print_symbolic(v,						\
			 { IB_WC_SEND, "SEND" },			\
			 { IB_WC_RDMA_WRITE, "RDMA_WRITE" },		\
			 { IB_WC_RDMA_READ, "RDMA_READ" },		\
			 { IB_WC_COMP_SWAP, "COMP_SWAP" },		\
			 { IB_WC_FETCH_ADD, "FETCH_ADD" },		\
			 { IB_WC_LOCAL_INV, "LOCAL_INV" },		\
			 { IB_WC_REG_MR, "REG_MR" },			\
			 { IB_WC_RECV, "RECV" },			\
			 { IB_WC_RECV_RDMA_WITH_IMM, "RECV_RDMA_WITH_IMM" })

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

TRACE_EVENT(kverbs_run_stop,
	TP_PROTO(u32 run, const char *device, u32 reason, bool abandon),
	TP_ARGS(run, device, reason, abandon),
	TP_STRUCT__entry(
		__field(u32, run)
		__field(u32, reason)
		__field(bool, abandon)
		__string(device, device)
	),
	TP_fast_assign(
		__entry->run = run;
		__entry->reason = reason;
		__entry->abandon = abandon;
		kv_assign_str(device, device);
	),
	TP_printk("run=%u device=%s reason=%s outstanding=%s", __entry->run,
		  __get_str(device), kv_trace_reason(__entry->reason),
		  __entry->abandon ? "abandon" : "finish")
);

TRACE_EVENT(kverbs_qp_state,
	TP_PROTO(const struct kv_ep *ep, const struct ib_qp *qp, u32 state,
		 int rc),
	TP_ARGS(ep, qp, state, rc),
	TP_STRUCT__entry(
		__field(u32, run)
		__field(u32, lane)
		__field(u32, qpn)
		__field(u32, cq)
		__field(u32, state)
		__field(int, rc)
	),
	TP_fast_assign(
		__entry->run = ep->run_id;
		__entry->lane = ep->lane;
		__entry->qpn = qp->qp_num;
		__entry->cq = qp->send_cq->res.id;
		__entry->state = state;
		__entry->rc = rc;
	),
	TP_printk("run=%u lane=%u qpn=%u cq=%u state=%s rc=%d", __entry->run,
		  __entry->lane, __entry->qpn, __entry->cq,
		  kv_trace_qp_state(__entry->state), __entry->rc)
);

TRACE_EVENT_FN(kverbs_post,
	TP_PROTO(const struct kv_ep *ep, u64 wr_id, u32 ops, u64 ticks, int rc),
	TP_ARGS(ep, wr_id, ops, ticks, rc),
	TP_STRUCT__entry(
		__field(u64, wr_id)
		__field(u64, ticks)
		__field(u64, bytes)
		__field(u32, run)
		__field(u32, lane)
		__field(u32, qpn)
		__field(u32, cq)
		__field(u32, ops)
		__field(u32, wrs)
		__field(u32, opcode)
		__field(u32, last)
		__field(int, rc)
	),
	TP_fast_assign(
		struct kv_ep_posted posted;

		kv_ep_posted(ep, wr_id, &posted);
		__entry->wr_id = wr_id;
		__entry->ticks = ticks;
		__entry->bytes = posted.bytes;
		__entry->run = ep->run_id;
		__entry->lane = ep->lane;
		__entry->qpn = kv_ep_qp_of(ep, wr_id)->qp_num;
		__entry->cq = kv_ep_qp_of(ep, wr_id)->send_cq->res.id;
		__entry->ops = ops;
		__entry->wrs = posted.wrs;
		__entry->opcode = posted.first;
		__entry->last = posted.last;
		__entry->rc = rc;
	),
	TP_printk("run=%u lane=%u qpn=%u cq=%u wr_id=%llu ops=%u wrs=%u opcode=%s last=%s bytes=%llu rc=%d ticks=%llu",
		  __entry->run, __entry->lane, __entry->qpn, __entry->cq,
		  __entry->wr_id, __entry->ops, __entry->wrs,
		  kv_trace_wr_opcode(__entry->opcode),
		  kv_trace_wr_opcode(__entry->last), __entry->bytes,
		  __entry->rc, __entry->ticks),
	kv_trace_begin, kv_trace_end
);

TRACE_EVENT_FN(kverbs_poll,
	TP_PROTO(const struct kv_ep *ep, u32 asked, int got),
	TP_ARGS(ep, asked, got),
	TP_STRUCT__entry(
		__field(u32, run)
		__field(u32, lane)
		__field(u32, cq)
		__field(u32, asked)
		__field(int, got)
	),
	TP_fast_assign(
		__entry->run = ep->run_id;
		__entry->lane = ep->lane;
		__entry->cq = ep->cq->res.id;
		__entry->asked = asked;
		__entry->got = got;
	),
	TP_printk("run=%u lane=%u cq=%u asked=%u got=%d", __entry->run,
		  __entry->lane, __entry->cq, __entry->asked, __entry->got),
	kv_trace_begin, kv_trace_end
);

/* of one that failed the opcode is not told */
TRACE_EVENT_FN(kverbs_completion,
	TP_PROTO(const struct kv_ep *ep, const struct ib_wc *wc, u64 ticks),
	TP_ARGS(ep, wc, ticks),
	TP_STRUCT__entry(
		__field(u64, wr_id)
		__field(u64, ticks)
		__field(u32, run)
		__field(u32, lane)
		__field(u32, qpn)
		__field(u32, cq)
		__field(u32, status)
		__field(u32, opcode)
		__field(u32, flags)
	),
	TP_fast_assign(
		__entry->wr_id = wc->wr_id;
		__entry->ticks = ticks;
		__entry->run = ep->run_id;
		__entry->lane = ep->lane;
		__entry->qpn = kv_ep_qp_of_wc(ep, wc)->qp_num;
		__entry->cq = ep->cq->res.id;
		__entry->status = wc->status;
		__entry->opcode = wc->status ? 0 : wc->opcode;
		__entry->flags = wc->status ? 0 : wc->wc_flags;
	),
	TP_printk("run=%u lane=%u qpn=%u cq=%u wr_id=%llu status=%s opcode=%s imm=%s ticks=%llu",
		  __entry->run, __entry->lane, __entry->qpn, __entry->cq,
		  __entry->wr_id, rdma_show_wc_status(__entry->status),
		  kv_trace_wc_opcode(__entry->opcode),
		  __entry->flags & IB_WC_WITH_IMM ? "yes" : "no",
		  __entry->ticks),
	kv_trace_begin, kv_trace_end
);

/* ping-pong and exchange: the answer to a message was seen */
TRACE_EVENT_FN(kverbs_answer,
	TP_PROTO(const struct kv_ep *ep, u64 wr_id, u64 ticks),
	TP_ARGS(ep, wr_id, ticks),
	TP_STRUCT__entry(
		__field(u64, wr_id)
		__field(u64, ticks)
		__field(u32, run)
		__field(u32, lane)
		__field(u32, qpn)
	),
	TP_fast_assign(
		__entry->wr_id = wr_id;
		__entry->ticks = ticks;
		__entry->run = ep->run_id;
		__entry->lane = ep->lane;
		__entry->qpn = kv_ep_qp_of(ep, wr_id)->qp_num;
	),
	TP_printk("run=%u lane=%u qpn=%u wr_id=%llu ticks=%llu",
		  __entry->run, __entry->lane, __entry->qpn, __entry->wr_id,
		  __entry->ticks),
	kv_trace_begin, kv_trace_end
);

TRACE_EVENT_FN(kverbs_wc_error,
	TP_PROTO(const struct kv_ep *ep, const struct ib_wc *wc),
	TP_ARGS(ep, wc),
	TP_STRUCT__entry(
		__field(u64, wr_id)
		__field(u32, run)
		__field(u32, lane)
		__field(u32, qpn)
		__field(u32, cq)
		__field(u32, status)
		__field(u32, vendor_err)
	),
	TP_fast_assign(
		__entry->wr_id = wc->wr_id;
		__entry->run = ep->run_id;
		__entry->lane = ep->lane;
		__entry->qpn = kv_ep_qp_of_wc(ep, wc)->qp_num;
		__entry->cq = ep->cq->res.id;
		__entry->status = wc->status;
		__entry->vendor_err = wc->vendor_err;
	),
	TP_printk("run=%u lane=%u qpn=%u cq=%u wr_id=%llu status=%s vendor_err=0x%x",
		  __entry->run, __entry->lane, __entry->qpn, __entry->cq,
		  __entry->wr_id, rdma_show_wc_status(__entry->status),
		  __entry->vendor_err),
	kv_trace_begin, kv_trace_end
);

/* REG_MR was posted for an MR */
TRACE_EVENT_FN(kverbs_mr_reg,
	TP_PROTO(const struct kv_ep *ep, const struct ib_mr *mr, u32 key),
	TP_ARGS(ep, mr, key),
	TP_STRUCT__entry(
		__field(u64, iova)
		__field(u64, length)
		__field(u32, run)
		__field(u32, lane)
		__field(u32, qpn)
		__field(u32, mr)
		__field(u32, key)
	),
	TP_fast_assign(
		__entry->iova = mr->iova;
		__entry->length = mr->length;
		__entry->run = ep->run_id;
		__entry->lane = ep->lane;
		__entry->qpn = ep->qp->qp_num;
		__entry->mr = mr->res.id;
		__entry->key = key;
	),
	TP_printk("run=%u lane=%u qpn=%u mr=%u key=0x%x iova=0x%llx length=%llu",
		  __entry->run, __entry->lane, __entry->qpn, __entry->mr,
		  __entry->key, __entry->iova, __entry->length),
	kv_trace_begin, kv_trace_end
);

/* an MR is invalid: by our LOCAL_INV, or by a message of the peer */
TRACE_EVENT_FN(kverbs_mr_inv,
	TP_PROTO(const struct kv_ep *ep, u32 key, bool remote),
	TP_ARGS(ep, key, remote),
	TP_STRUCT__entry(
		__field(u32, run)
		__field(u32, lane)
		__field(u32, qpn)
		__field(u32, key)
		__field(bool, remote)
	),
	TP_fast_assign(
		__entry->run = ep->run_id;
		__entry->lane = ep->lane;
		__entry->qpn = ep->qp->qp_num;
		__entry->key = key;
		__entry->remote = remote;
	),
	TP_printk("run=%u lane=%u qpn=%u key=0x%x by=%s", __entry->run,
		  __entry->lane, __entry->qpn, __entry->key,
		  __entry->remote ? "SEND_WITH_INV" : "LOCAL_INV"),
	kv_trace_begin, kv_trace_end
);

/* a WR that somebody posts to a device, not only a run */
TRACE_EVENT_FN(kverbs_record,
	TP_PROTO(const struct ib_qp *qp, const struct kv_recorded *told),
	TP_ARGS(qp, told),
	TP_STRUCT__entry(
		__field(u64, bytes)
		__field(u32, qpn)
		__field(u32, qp_type)
		__field(u32, user)
		__field(u32, index)
		__field(u32, chain)
		__field(u32, opcode)
		__field(u32, flags)
		__field(u32, sges)
		__array(char, device, IB_DEVICE_NAME_MAX)
	),
	TP_fast_assign(
		__entry->qpn = qp->qp_num;
		__entry->qp_type = qp->qp_type;
		__entry->user = !!qp->uobject;
		__entry->index = told->index;
		__entry->chain = told->chain;
		__entry->opcode = told->wr ? told->wr->opcode : 0;
		__entry->flags = told->wr ? told->wr->send_flags : 0;
		__entry->sges = told->wr ? told->wr->num_sge : 0;
		__entry->bytes = told->wr ? kv_record_bytes(told->wr) : 0;
		/* it may be renamed meanwhile: no length of it holds */
		strscpy(__entry->device, qp->device->name, IB_DEVICE_NAME_MAX);
	),
	TP_printk("device=%s qpn=%u qp_type=%u user=%u index=%u chain=%u opcode=%s sges=%u bytes=%llu flags=%s",
		  __entry->device, __entry->qpn, __entry->qp_type,
		  __entry->user, __entry->index, __entry->chain,
		  kv_trace_wr_opcode(__entry->opcode), __entry->sges,
		  __entry->bytes, kv_trace_send_flags(__entry->flags)),
	kv_record_begin, kv_record_end
);

TRACE_EVENT(kverbs_async_event,
	TP_PROTO(const char *device, u32 event, u32 port),
	TP_ARGS(device, event, port),
	TP_STRUCT__entry(
		__field(u32, event)
		__field(u32, port)
		__string(device, device)
	),
	TP_fast_assign(
		__entry->event = event;
		__entry->port = port;
		kv_assign_str(device, device);
	),
	TP_printk("device=%s event=%s port=%u", __get_str(device),
		  rdma_show_ib_event(__entry->event), __entry->port)
);

#endif /* KV_TRACE_H */

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
