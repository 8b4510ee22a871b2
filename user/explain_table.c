// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The table of kverbs explain, which the error line of a run reads too. */
#include <errno.h>
#include <infiniband/verbs.h>
#include "explain.h"

static const struct kv_explanation table[] = {
	{
		KV_EXPLAIN_STATUS, IBV_WC_SUCCESS, "SUCCESS",
		"success",
		"the operation completed: of a WRITE or SEND over RC, the peer's device has acknowledged it",
		"",
		""
	},
	{
		KV_EXPLAIN_STATUS, IBV_WC_LOC_LEN_ERR, "LOC_LEN_ERR",
		"local length error",
		"a message that came did not fit its receive WR, or one that was posted is longer than may be sent",
		"message larger than the receive buffer; on UD, receive buffers without the 40 bytes of the GRH; message larger than max_msg_sz of the port, on UD than the MTU",
		"max_msg_sz and active_mtu of ibv_devinfo -v; mlx5: hw_counters/resp_local_length_error; over RC the sender has REM_INV_REQ_ERR"
	},
	{
		KV_EXPLAIN_STATUS, IBV_WC_LOC_QP_OP_ERR, "LOC_QP_OP_ERR",
		"local QP operation error",
		"the WR itself could not be processed",
		"malformed WR: more SGEs or inline bytes than the QP was made for; operation that this QP, transport or provider does not do; a queue entry overwritten while it was outstanding",
		"the vendor error; the kernel log, where mlx5 dumps the CQE"
	},
	{
		KV_EXPLAIN_STATUS, IBV_WC_LOC_EEC_OP_ERR, "LOC_EEC_OP_ERR",
		"local EE context operation error",
		"RD transport only, which nothing has",
		"",
		""
	},
	{
		KV_EXPLAIN_STATUS, IBV_WC_LOC_PROT_ERR, "LOC_PROT_ERR",
		"local protection error",
		"an SGE does not lie in a valid MR of the QP's PD",
		"wrong or stale lkey: MR invalidated or deregistered; address or length outside the MR; MR of another PD; MR without LOCAL_WRITE as a receive buffer or READ sink; WR ran before the REG_MR that it needs",
		"rdma resource show mr; on which WR it is"
	},
	{
		KV_EXPLAIN_STATUS, IBV_WC_WR_FLUSH_ERR, "WR_FLUSH_ERR",
		"WR flushed",
		"the WR never ran: the QP was in the error state when its turn came",
		"an earlier WR of the QP failed: look for the first completion that is no flush; who closes moved the QP to ERR: disconnect, drain, teardown; port or device went away",
		"the first error of the QP; of a flushed WC only status, wr_id and qp_num hold"
	},
	{
		KV_EXPLAIN_STATUS, IBV_WC_MW_BIND_ERR, "MW_BIND_ERR",
		"memory window bind error",
		"a memory window could not be bound",
		"MR without MW_BIND; window and MR of different PDs; range outside the MR",
		"access flags of the MR"
	},
	{
		KV_EXPLAIN_STATUS, IBV_WC_BAD_RESP_ERR, "BAD_RESP_ERR",
		"bad response",
		"the responder's answer fits no request",
		"PSNs or paths of the two ends do not match; packets of an earlier connection on the same QPN; firmware or driver at fault",
		"rdma statistic; mlx5: hw_counters/out_of_sequence, packet_seq_err"
	},
	{
		KV_EXPLAIN_STATUS, IBV_WC_LOC_ACCESS_ERR, "LOC_ACCESS_ERR",
		"local access error",
		"data was to be written where it may not be",
		"receive buffer or READ sink without LOCAL_WRITE; RDMA WRITE with immediate onto memory without REMOTE_WRITE",
		"access flags of the MR"
	},
	{
		KV_EXPLAIN_STATUS, IBV_WC_REM_INV_REQ_ERR, "REM_INV_REQ_ERR",
		"remote invalid request",
		"the responder refuses the request as such",
		"message larger than the peer's receive WR; operation that the peer's QP does not allow (qp_access_flags); more READs or atomics outstanding than its max_dest_rd_atomic; atomic not aligned to 8 bytes",
		"mlx5: hw_counters/req_remote_invalid_request, and resp_local_length_error of the peer; --rd-atomic"
	},
	{
		KV_EXPLAIN_STATUS, IBV_WC_REM_ACCESS_ERR, "REM_ACCESS_ERR",
		"remote access error",
		"the responder refuses access to its memory",
		"wrong or stale rkey: MR invalidated, deregistered or registered anew; address or length outside the peer's MR; MR without REMOTE_READ, REMOTE_WRITE or REMOTE_ATOMIC; MR of another PD than the peer's QP",
		"mlx5: hw_counters/req_remote_access_errors, and resp_remote_access_errors of the peer"
	},
	{
		KV_EXPLAIN_STATUS, IBV_WC_REM_OP_ERR, "REM_OP_ERR",
		"remote operation error",
		"the responder could not complete the operation, by an error of its own",
		"the peer's receive WR failed: see its own completion; the peer's QP went to the error state",
		"completions and kernel log of the peer"
	},
	{
		KV_EXPLAIN_STATUS, IBV_WC_RETRY_EXC_ERR, "RETRY_EXC_ERR",
		"transport retries exceeded",
		"no answer, after retry_cnt repetitions with the ACK timeout between",
		"peer QP not there, or not in RTR; wrong path: GID, RoCE version, VLAN, LID, or a switch with a smaller MTU; packets lost: link errors, or RoCE without PFC and ECN; link down; peer slower than the timeout, 4.096 us times 2 to its power",
		"hw_counters: mlx5 local_ack_timeout_err, rxe retry_exceeded_err; --timeout, --retry-cnt; ping -M do -s MTU"
	},
	{
		KV_EXPLAIN_STATUS, IBV_WC_RNR_RETRY_EXC_ERR, "RNR_RETRY_EXC_ERR",
		"RNR retries exceeded",
		"the peer had no receive posted, rnr_retry times in a row",
		"the peer posted too few receives, or too late; its SRQ ran empty; rnr_retry below 7, which is without end; RNR timer shorter than the peer needs",
		"hw_counters: mlx5 rnr_nak_retry_err, and out_of_buffer of the peer, rxe rcvd_rnr_err; -r, --rnr-retry, --min-rnr-timer"
	},
	{
		KV_EXPLAIN_STATUS, IBV_WC_LOC_RDD_VIOL_ERR, "LOC_RDD_VIOL_ERR",
		"local RDD violation",
		"RD transport only, which nothing has",
		"",
		""
	},
	{
		KV_EXPLAIN_STATUS, IBV_WC_REM_INV_RD_REQ_ERR, "REM_INV_RD_REQ_ERR",
		"remote invalid RD request",
		"RD transport only, which nothing has",
		"",
		""
	},
	{
		KV_EXPLAIN_STATUS, IBV_WC_REM_ABORT_ERR, "REM_ABORT_ERR",
		"remote aborted",
		"the responder gave the operation up",
		"the peer's MR or QP went away while it ran",
		"completions of the peer"
	},
	{
		KV_EXPLAIN_STATUS, IBV_WC_INV_EECN_ERR, "INV_EECN_ERR",
		"invalid EE context number",
		"RD transport only, which nothing has",
		"",
		""
	},
	{
		KV_EXPLAIN_STATUS, IBV_WC_INV_EEC_STATE_ERR, "INV_EEC_STATE_ERR",
		"invalid EE context state",
		"RD transport only, which nothing has",
		"",
		""
	},
	{
		KV_EXPLAIN_STATUS, IBV_WC_FATAL_ERR, "FATAL_ERR",
		"fatal error",
		"the device failed",
		"firmware or driver in the error state; device being reset or removed",
		"the kernel log; devlink health show"
	},
	{
		KV_EXPLAIN_STATUS, IBV_WC_RESP_TIMEOUT_ERR, "RESP_TIMEOUT_ERR",
		"response timeout",
		"no answer to a management datagram",
		"no subnet manager or connection manager on the other side; management packets lost",
		"ibv_devinfo (sm_lid); sminfo"
	},
	{
		KV_EXPLAIN_STATUS, IBV_WC_GENERAL_ERR, "GENERAL_ERR",
		"general error",
		"an error that fits none of the others; the provider says no more",
		"",
		"the vendor error; the kernel log"
	},
	{
		KV_EXPLAIN_STATUS, IBV_WC_TM_ERR, "TM_ERR",
		"tag matching error",
		"tag matching failed; user space only",
		"",
		"the provider's manual"
	},
	{
		KV_EXPLAIN_STATUS, IBV_WC_TM_RNDV_INCOMPLETE, "TM_RNDV_INCOMPLETE",
		"tag matching rendezvous incomplete",
		"software has to finish the rendezvous; user space only",
		"",
		""
	},
	{
		KV_EXPLAIN_EVENT, IBV_EVENT_CQ_ERR, "CQ_ERR",
		"CQ error",
		"the CQ overflowed, or is broken: no more completions come from it, and its QPs fail",
		"CQ smaller than the WRs that may complete before it is polled; several QPs on a CQ that was sized for one; poller starved",
		"cqe asked for against send and receive WRs of all QPs on it; kernel log"
	},
	{
		KV_EXPLAIN_EVENT, IBV_EVENT_QP_FATAL, "QP_FATAL",
		"QP fatal error",
		"the QP is in the error state, by an error that no WC could tell",
		"its CQ overflowed; device could not read a queue",
		"kernel log"
	},
	{
		KV_EXPLAIN_EVENT, IBV_EVENT_QP_REQ_ERR, "QP_REQ_ERR",
		"invalid request at a QP",
		"the responder side of the QP met a request that it cannot serve",
		"operation not allowed on this QP; more READs than max_dest_rd_atomic",
		"the peer has REM_INV_REQ_ERR"
	},
	{
		KV_EXPLAIN_EVENT, IBV_EVENT_QP_ACCESS_ERR, "QP_ACCESS_ERR",
		"access violation at a QP",
		"a request wanted memory that it may not have",
		"wrong or stale rkey; range outside the MR",
		"the peer has REM_ACCESS_ERR"
	},
	{
		KV_EXPLAIN_EVENT, IBV_EVENT_COMM_EST, "COMM_EST",
		"communication established",
		"the first packet came at a QP that is in RTR",
		"the peer is in RTS and sent before RTU came: call rdma_notify, or ignore it",
		""
	},
	{
		KV_EXPLAIN_EVENT, IBV_EVENT_SQ_DRAINED, "SQ_DRAINED",
		"send queue drained",
		"all WRs posted before the move to SQD have completed",
		"",
		""
	},
	{
		KV_EXPLAIN_EVENT, IBV_EVENT_PATH_MIG, "PATH_MIG",
		"path migrated",
		"the QP went over to its alternate path",
		"the primary path failed",
		"port counters link_downed, symbol_error"
	},
	{
		KV_EXPLAIN_EVENT, IBV_EVENT_PATH_MIG_ERR, "PATH_MIG_ERR",
		"path migration failed",
		"the alternate path did not work either",
		"alternate path not armed, or wrong",
		"query_qp: path_mig_state"
	},
	{
		KV_EXPLAIN_EVENT, IBV_EVENT_DEVICE_FATAL, "DEVICE_FATAL",
		"device fatal error",
		"the device failed; all its objects are lost",
		"firmware assert; PCIe error, device unplugged or reset",
		"kernel log; devlink health show; AER counters of the PCI device"
	},
	{
		KV_EXPLAIN_EVENT, IBV_EVENT_PORT_ACTIVE, "PORT_ACTIVE",
		"port active",
		"the port came up",
		"",
		""
	},
	{
		KV_EXPLAIN_EVENT, IBV_EVENT_PORT_ERR, "PORT_ERR",
		"port error",
		"the port went down",
		"cable or peer; ip link set NETDEV down; subnet manager",
		"rdma link; port counters link_downed, link_error_recovery"
	},
	{
		KV_EXPLAIN_EVENT, IBV_EVENT_LID_CHANGE, "LID_CHANGE",
		"LID changed",
		"the subnet manager gave the port another LID: paths with the old one are void",
		"subnet manager restarted or another one took over",
		"ibv_devinfo (port_lid, sm_lid)"
	},
	{
		KV_EXPLAIN_EVENT, IBV_EVENT_PKEY_CHANGE, "PKEY_CHANGE",
		"P_Key table changed",
		"the partitions of the port changed: indices may mean another P_Key",
		"subnet manager",
		"/sys/class/infiniband/DEVICE/ports/N/pkeys"
	},
	{
		KV_EXPLAIN_EVENT, IBV_EVENT_SM_CHANGE, "SM_CHANGE",
		"subnet manager changed",
		"another subnet manager is in charge",
		"",
		""
	},
	{
		KV_EXPLAIN_EVENT, IBV_EVENT_SRQ_ERR, "SRQ_ERR",
		"SRQ error",
		"the SRQ is broken; QPs on it fail",
		"device could not read the queue",
		"kernel log"
	},
	{
		KV_EXPLAIN_EVENT, IBV_EVENT_SRQ_LIMIT_REACHED, "SRQ_LIMIT_REACHED",
		"SRQ limit reached",
		"fewer receives than the limit are left: post some, and arm it again",
		"",
		""
	},
	{
		KV_EXPLAIN_EVENT, IBV_EVENT_QP_LAST_WQE_REACHED, "QP_LAST_WQE_REACHED",
		"last WQE reached",
		"a QP on an SRQ, in the error state, takes no more receives of it: it may be destroyed",
		"the QP went to the error state",
		""
	},
	{
		KV_EXPLAIN_EVENT, IBV_EVENT_CLIENT_REREGISTER, "CLIENT_REREGISTER",
		"re-register",
		"the subnet manager asks for subscriptions anew",
		"subnet manager restarted",
		""
	},
	{
		KV_EXPLAIN_EVENT, IBV_EVENT_GID_CHANGE, "GID_CHANGE",
		"GID table changed",
		"an address was added or removed: indices may mean another GID",
		"IP address, VLAN or bonding of the network interface changed",
		"-x; gid_attrs of the port"
	},
	{
		KV_EXPLAIN_EVENT, IBV_EVENT_WQ_FATAL, "WQ_FATAL",
		"WQ fatal error",
		"a work queue of an RSS QP is broken",
		"",
		"kernel log"
	},
	{
		KV_EXPLAIN_ERRNO, EINVAL, "EINVAL",
		"Invalid argument",
		"the call's arguments, or the state of the object, do not allow it",
		"modify_qp: attribute or mask not allowed in this state, or a value beyond the device's; create_qp: more WRs, SGEs or inline bytes than there may be; post: more SGEs than the QP has, or an operation unknown to the provider; siw: QP not in RTS",
		"kverbs doctor --probe names the step and the attribute; ibv_devinfo -v has the limits"
	},
	{
		KV_EXPLAIN_ERRNO, ENOMEM, "ENOMEM",
		"Cannot allocate memory",
		"no room: in memory, in a queue, or within a limit",
		"post: the send or receive queue is full, WRs were not retired by a signalled completion; reg_mr: over the limit of locked memory; create: device out of QPs, CQs or MRs",
		"ulimit -l; signal interval against queue depth (-Q, -t); rdma resource against ibv_devinfo -v"
	},
	{
		KV_EXPLAIN_ERRNO, EIO, "EIO",
		"Input/output error",
		"the device or its firmware does not answer",
		"device in the error state (mlx5 refuses posts so); firmware command failed",
		"kernel log; devlink health show"
	},
	{
		KV_EXPLAIN_ERRNO, EOPNOTSUPP, "EOPNOTSUPP",
		"Operation not supported",
		"the driver does not implement it",
		"kernel verbs without what the device advertises: atomics of mlx5; extended verb of another provider",
		"kverbs devices; --engine user"
	},
	{
		KV_EXPLAIN_ERRNO, ENODEV, "ENODEV",
		"No such device",
		"the device is not there any more, or user space has no access to it",
		"device removed or moved to another network namespace; ib_uverbs not loaded, or provider library missing",
		"rdma link; kverbs doctor"
	},
	{
		KV_EXPLAIN_ERRNO, ENXIO, "ENXIO",
		"No such device or address",
		"the port or the index is not there",
		"gone, or in another network namespace",
		"rdma link"
	},
	{
		KV_EXPLAIN_ERRNO, EPERM, "EPERM",
		"Operation not permitted",
		"a privilege is missing",
		"no CAP_NET_ADMIN in the first user namespace (kernel engine); locked memory or raw packets without the capability",
		"run as root; kverbs doctor"
	},
	{
		KV_EXPLAIN_ERRNO, EACCES, "EACCES",
		"Permission denied",
		"the device file may not be opened",
		"mode of /dev/infiniband/uverbs*",
		"udev rules of rdma-core"
	},
	{
		KV_EXPLAIN_ERRNO, EAGAIN, "EAGAIN",
		"Resource temporarily unavailable",
		"try again, or nothing is there now",
		"create_ah: address not resolved yet; no event on a descriptor that does not block",
		"ip neigh"
	},
	{
		KV_EXPLAIN_ERRNO, EBUSY, "EBUSY",
		"Device or resource busy",
		"something still uses it",
		"dealloc_pd, destroy_cq: objects of it are left; dereg_mr: windows are bound",
		"rdma resource show"
	},
	{
		KV_EXPLAIN_ERRNO, ENETUNREACH, "ENETUNREACH",
		"Network is unreachable",
		"no route for the GID",
		"the network interface has no address of that network",
		"ip route get; choose another GID with -x"
	},
	{
		KV_EXPLAIN_ERRNO, EHOSTUNREACH, "EHOSTUNREACH",
		"No route to host",
		"the peer's address does not resolve",
		"no neighbour entry; peer down",
		"ip neigh"
	},
	{
		KV_EXPLAIN_ERRNO, EADDRNOTAVAIL, "EADDRNOTAVAIL",
		"Cannot assign requested address",
		"the source GID is not there",
		"its address was removed from the interface",
		"gid_attrs of the port; -x"
	},
	{
		KV_EXPLAIN_ERRNO, ETIMEDOUT, "ETIMEDOUT",
		"Connection timed out",
		"no answer in time",
		"peer or subnet manager silent; firmware command lost; a completion did not come within --deadline",
		"kernel log"
	},
	{
		KV_EXPLAIN_ERRNO, EMSGSIZE, "EMSGSIZE",
		"Message too long",
		"larger than one piece may be",
		"buffer not in one piece for local_dma_lkey; message over max_msg_sz",
		"--local-key mr; ibv_devinfo -v"
	},
	{
		KV_EXPLAIN_ERRNO, ENOSPC, "ENOSPC",
		"No space left on device",
		"a table of the device is full",
		"too many MRs, pages or flow rules",
		"rdma resource"
	},
	{
		KV_EXPLAIN_ERRNO, EFAULT, "EFAULT",
		"Bad address",
		"memory that is not mapped",
		"registration of pages that are not there, or of device memory",
		"the range given to reg_mr"
	},
	{
		KV_EXPLAIN_ERRNO, EINTR, "EINTR",
		"Interrupted system call",
		"a signal came",
		"Ctrl-C",
		""
	},
	{
		KV_EXPLAIN_ERRNO, ENOENT, "ENOENT",
		"No such file or directory",
		"no such entry",
		"GID index is empty; no usable GID: interface without an address",
		"rdma link; ip addr; -x"
	},
	{
		KV_EXPLAIN_REASON, KVERBS_REASON_NONE, "NONE",
		"running",
		"the run has not ended",
		"",
		""
	},
	{
		KV_EXPLAIN_REASON, KVERBS_REASON_COMPLETE, "COMPLETE",
		"complete",
		"all that was asked was done",
		"",
		""
	},
	{
		KV_EXPLAIN_REASON, KVERBS_REASON_STOPPED, "STOPPED",
		"stopped",
		"it was asked to stop; what was measured until then holds",
		"Ctrl-C",
		""
	},
	{
		KV_EXPLAIN_REASON, KVERBS_REASON_SETUP, "SETUP",
		"set-up failed",
		"a step of set-up was refused; the line names it",
		"",
		"kverbs doctor --probe names the attribute"
	},
	{
		KV_EXPLAIN_REASON, KVERBS_REASON_POST, "POST",
		"post refused",
		"a post call returned an error; the line has the errno",
		"QP moved to the error state; queue overrun: a fault of the provider, since kverbs posts no more than was granted",
		"kverbs explain ERRNO; kernel log"
	},
	{
		KV_EXPLAIN_REASON, KVERBS_REASON_POLL, "POLL",
		"poll failed",
		"a poll call returned an error",
		"CQ overflowed or broken",
		"kernel log"
	},
	{
		KV_EXPLAIN_REASON, KVERBS_REASON_WC, "WC",
		"completion with an error",
		"a WC came with a status other than success; the line has it",
		"",
		"kverbs explain STATUS"
	},
	{
		KV_EXPLAIN_REASON, KVERBS_REASON_ORDER, "ORDER",
		"completion out of order",
		"a WC came that no outstanding WR can have",
		"driver or provider at fault; memory of the CQ overwritten",
		"the same job in the other engine"
	},
	{
		KV_EXPLAIN_REASON, KVERBS_REASON_TIMEOUT, "TIMEOUT",
		"no completion in time",
		"nothing completed within --deadline",
		"over UC and UD a message was lost; interrupt or stack progress missing; device hangs",
		"--deadline; device_counters of the run; kernel log"
	},
	{
		KV_EXPLAIN_REASON, KVERBS_REASON_DEVICE_GONE, "DEVICE_GONE",
		"device gone",
		"the device was removed, or moved to another network namespace",
		"driver unloaded, device unplugged or reset; rdma dev set DEVICE netns",
		"kernel log"
	},
	{
		KV_EXPLAIN_REASON, KVERBS_REASON_CPU_OFFLINE, "CPU_OFFLINE",
		"CPU offline",
		"the CPU of a lane went offline",
		"CPU hotplug",
		"/sys/devices/system/cpu/online"
	},
	{
		KV_EXPLAIN_REASON, KVERBS_REASON_SUSPEND, "SUSPEND",
		"suspend",
		"the system went to sleep",
		"suspend or hibernation",
		""
	},
	{
		KV_EXPLAIN_REASON, KVERBS_REASON_KEPT, "KEPT",
		"not invalidated",
		"a message did not invalidate the MR that it was sent to",
		"driver or provider at fault",
		"the same job with --op reg-mr,send,local-inv"
	},
	{
		KV_EXPLAIN_REASON, KVERBS_REASON_CQ, "CQ",
		"CQ error",
		"a CQ reported an error of its own: completions are lost",
		"CQ overflowed; device could not write to it",
		"kverbs explain CQ_ERR; kernel log"
	},
	{
		KV_EXPLAIN_REASON, KVERBS_REASON_DATA, "DATA",
		"wrong data",
		"a message arrived with other bytes than were sent",
		"device or driver at fault; memory overwritten by somebody else; WRITE or READ counted as complete too early",
		"the line: offset, expected and got; --check-data in the other engine"
	},
};

/* the i-th, NULL past the last */
const struct kv_explanation *kv_explanation(u32 i)
{
	return i < KV_ARRAY_SIZE(table) ? &table[i] : NULL;
}
