/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR Linux-OpenIB */
/*
 * kverbs generic netlink family, version 1: the protocol between the tool and
 * the module. docs/netlink/kverbs.yaml is the same family as a YNL spec.
 *
 * Every command needs CAP_NET_ADMIN in the initial user namespace. Every
 * refusal carries an extack message, and the offending attribute where there is
 * one. All attributes are in host byte order.
 *
 * KVERBS_CMD_INFO_GET (do)
 *   reply  KVERBS_A_INFO { KVERBS_INFO_A_* }
 * KVERBS_CMD_DEV_GET (do: KVERBS_A_DEV_NAME; dump: all devices of the netns)
 *   reply  KVERBS_A_DEV { KVERBS_DEV_A_*, KVERBS_DEV_A_PORT { ... } ... }
 * KVERBS_CMD_RUN_NEW (do)
 *   ask    KVERBS_A_DEV_NAME, KVERBS_A_JOB { KVERBS_JOB_A_*,
 *          KVERBS_JOB_A_STEP { KVERBS_STEP_A_* } ... }
 *   reply  KVERBS_A_RUN { KVERBS_RUN_A_ID, ... }
 * KVERBS_CMD_RUN_CONNECT, _START, _STOP, _DEL (do: KVERBS_A_RUN_ID)
 *   An accepted command is only queued. The run tells its owner by
 *   KVERBS_CMD_RUN_NTF when its state changes.
 * KVERBS_CMD_RUN_GET (do: KVERBS_A_RUN_ID; dump: the runs of this socket)
 *   reply  KVERBS_A_RUN { KVERBS_RUN_A_*, KVERBS_RUN_A_GRANTED {
 *          KVERBS_JOB_A_* } }
 * KVERBS_CMD_LANE_GET (dump: KVERBS_A_RUN_ID)
 *   from RUNNING on; of a run under way what its lanes have counted up to now
 *   reply  KVERBS_A_LANE { KVERBS_LANE_A_* }, one message a lane
 * KVERBS_CMD_HIST_GET (dump: KVERBS_A_RUN_ID)
 *   likewise
 *   reply  KVERBS_A_HIST { KVERBS_HIST_A_* }, one or more messages a histogram
 * KVERBS_CMD_RUN_NTF (unicast to the owner)
 *   KVERBS_A_RUN { KVERBS_RUN_A_* }
 */
#ifndef _UAPI_LINUX_KVERBS_H
#define _UAPI_LINUX_KVERBS_H

#include <linux/types.h>

#define KVERBS_GENL_NAME	"kverbs"
#define KVERBS_GENL_VERSION	1

#define KVERBS_STEPS_MAX	8	/* steps of a job */
#define KVERBS_CPUS_MAX		256	/* entries of a job's CPU list */
#define KVERBS_PACE_NS_MAX	256	/* intervals of pace trace */

enum kverbs_cmd {
	KVERBS_CMD_UNSPEC,
	KVERBS_CMD_INFO_GET,
	KVERBS_CMD_DEV_GET,
	KVERBS_CMD_RUN_NEW,
	KVERBS_CMD_RUN_CONNECT,
	KVERBS_CMD_RUN_START,
	KVERBS_CMD_RUN_STOP,
	KVERBS_CMD_RUN_GET,
	KVERBS_CMD_RUN_DEL,
	KVERBS_CMD_RUN_NTF,
	KVERBS_CMD_LANE_GET,
	KVERBS_CMD_HIST_GET,

	__KVERBS_CMD_MAX,
	KVERBS_CMD_MAX = __KVERBS_CMD_MAX - 1
};

/* top level */
enum kverbs_attr {
	KVERBS_A_UNSPEC,
	KVERBS_A_DEV_NAME,	/* string */
	KVERBS_A_RUN_ID,	/* u32 */
	KVERBS_A_JOB,		/* nest: kverbs_job_attr */
	KVERBS_A_INFO,		/* nest: kverbs_info_attr */
	KVERBS_A_DEV,		/* nest: kverbs_dev_attr */
	KVERBS_A_RUN,		/* nest: kverbs_run_attr */
	KVERBS_A_LANE,		/* nest: kverbs_lane_attr */
	KVERBS_A_HIST,		/* nest: kverbs_hist_attr */
	/* reserved for runs between two hosts; refused for now */
	KVERBS_A_PEER_QPN,	/* u32 */
	KVERBS_A_PEER_PSN,	/* u32 */
	KVERBS_A_PEER_GID,	/* binary, 16 bytes */
	KVERBS_A_PEER_RKEY,	/* u32 */
	KVERBS_A_PEER_ADDR,	/* u64 */

	__KVERBS_A_MAX,
	KVERBS_A_MAX = __KVERBS_A_MAX - 1
};

/* the module: version, limits, clock */
enum kverbs_info_attr {
	KVERBS_INFO_A_UNSPEC,
	KVERBS_INFO_A_VERSION,		/* string */
	KVERBS_INFO_A_MAX_RUNS,		/* u32 */
	KVERBS_INFO_A_MAX_LANES,	/* u32, a run */
	KVERBS_INFO_A_MAX_DEPTH,	/* u32, WRs of a queue */
	KVERBS_INFO_A_MAX_BYTES,	/* u64, all runs, histograms counted */
	KVERBS_INFO_A_MAX_TIME_MS,	/* u32, a run */
	KVERBS_INFO_A_CLOCK_NAME,	/* string */
	KVERBS_INFO_A_CLOCK_MULT,	/* u32: ns = ticks * mult >> shift */
	KVERBS_INFO_A_CLOCK_SHIFT,	/* u32 */
	KVERBS_INFO_A_CLOCK_INVARIANT,	/* u32, 0: "unsynchronised clock" */
	KVERBS_INFO_A_CLOCK_COST,	/* u32, ticks of one reading */
	KVERBS_INFO_A_PAD,

	__KVERBS_INFO_A_MAX,
	KVERBS_INFO_A_MAX = __KVERBS_INFO_A_MAX - 1
};

enum kverbs_dev_attr {
	KVERBS_DEV_A_UNSPEC,
	KVERBS_DEV_A_NAME,		/* string */
	KVERBS_DEV_A_DRIVER,		/* string */
	KVERBS_DEV_A_NODE_GUID,		/* u64 */
	KVERBS_DEV_A_NUMA_NODE,		/* s32, -1: none */
	KVERBS_DEV_A_SOFTWARE,		/* u32, 1: no DMA device behind it */
	KVERBS_DEV_A_POST_SEND,		/* string: symbol of ops.post_send */
	KVERBS_DEV_A_FW_VER,		/* string */
	KVERBS_DEV_A_MAX_QP,		/* u32 */
	KVERBS_DEV_A_MAX_QP_WR,		/* u32 */
	KVERBS_DEV_A_MAX_CQE,		/* u32 */
	KVERBS_DEV_A_MAX_SGE,		/* u32, send */
	KVERBS_DEV_A_MAX_RD_ATOMIC,	/* u32 */
	KVERBS_DEV_A_MAX_REG_PAGES,	/* u32, pages of one REG_MR */
	KVERBS_DEV_A_REG_MR,		/* u32, 1: REG_MR works (MEM_MGT_EXTENSIONS) */
	KVERBS_DEV_A_PORT,		/* nest, one a port: kverbs_port_attr */
	KVERBS_DEV_A_PAD,

	__KVERBS_DEV_A_MAX,
	KVERBS_DEV_A_MAX = __KVERBS_DEV_A_MAX - 1
};

enum kverbs_port_attr {
	KVERBS_PORT_A_UNSPEC,
	KVERBS_PORT_A_NUM,		/* u32 */
	KVERBS_PORT_A_STATE,		/* u32: enum ib_port_state */
	KVERBS_PORT_A_LINK_LAYER,	/* u32: enum kverbs_link */
	KVERBS_PORT_A_MTU,		/* u32, bytes, active */
	KVERBS_PORT_A_MAX_MSG,		/* u32, bytes */
	KVERBS_PORT_A_GIDS,		/* u32, entries of the GID table */
	KVERBS_PORT_A_LID,		/* u32 */

	__KVERBS_PORT_A_MAX,
	KVERBS_PORT_A_MAX = __KVERBS_PORT_A_MAX - 1
};

enum kverbs_link {
	KVERBS_LINK_IB,
	KVERBS_LINK_ROCE,
	KVERBS_LINK_IWARP,
	KVERBS_LINK_OTHER,
};

/*
 * The job. An absent field takes its default; ranges and defaults stand in
 * include/kverbs/job.h, where each field is one row.
 */
enum kverbs_job_attr {
	KVERBS_JOB_A_UNSPEC,
	KVERBS_JOB_A_PORT,		/* u32 */
	KVERBS_JOB_A_GID_INDEX,		/* u32, absent: chosen by type */
	KVERBS_JOB_A_SHAPE,		/* u32: enum kverbs_shape */
	KVERBS_JOB_A_ITERATIONS,	/* u64, operations a lane */
	KVERBS_JOB_A_DURATION_MS,	/* u32, when no iterations are given */
	KVERBS_JOB_A_OUTSTANDING,	/* u32, WRs */
	KVERBS_JOB_A_CHAIN,		/* u32, WRs a post call */
	KVERBS_JOB_A_SIGNAL,		/* u32, every how many WRs */
	KVERBS_JOB_A_MTU,		/* u32, bytes, absent: the port's */
	KVERBS_JOB_A_TIMING,		/* u32: enum kverbs_timing */
	KVERBS_JOB_A_CLOCK,		/* u32: enum kverbs_clock */
	KVERBS_JOB_A_WAIT,		/* u32: enum kverbs_wait */
	KVERBS_JOB_A_WARMUP_MS,		/* u32, 0: none */
	KVERBS_JOB_A_LOCAL_KEY,		/* u32: enum kverbs_local_key */
	KVERBS_JOB_A_POLL_BATCH,	/* u32, WCs a poll call */
	KVERBS_JOB_A_RECV_DEPTH,	/* u32, posted receives */
	KVERBS_JOB_A_PAIRS,		/* u32, QP pairs */
	KVERBS_JOB_A_NODE,		/* u32, NUMA node of buffers */
	KVERBS_JOB_A_DEADLINE_MS,	/* u32, longest wait for a completion */
	KVERBS_JOB_A_CPU,		/* u32, repeated: CPU of lane 0, 1, ... */
	KVERBS_JOB_A_STEP,		/* nest, repeated: kverbs_step_attr */
	KVERBS_JOB_A_PAD,
	KVERBS_JOB_A_TRANSPORT,		/* u32: enum kverbs_transport */
	KVERBS_JOB_A_INLINE_DATA,	/* u32, bytes, 0: none */
	KVERBS_JOB_A_SGES,		/* u32, of a message */
	KVERBS_JOB_A_SL,		/* u32 */
	KVERBS_JOB_A_TRAFFIC_CLASS,	/* u32 */
	KVERBS_JOB_A_HOP_LIMIT,		/* u32 */
	KVERBS_JOB_A_PKEY_INDEX,	/* u32 */
	KVERBS_JOB_A_TIMEOUT,		/* u32, exponent */
	KVERBS_JOB_A_RETRY_CNT,		/* u32 */
	KVERBS_JOB_A_RNR_RETRY,		/* u32 */
	KVERBS_JOB_A_MIN_RNR_TIMER,	/* u32, code */
	KVERBS_JOB_A_RD_ATOMIC,		/* u32, READs and atomics outstanding */
	KVERBS_JOB_A_GID_TYPE,		/* u32: enum kverbs_gid_type */
	KVERBS_JOB_A_CHECK_DATA,	/* u32: enum kverbs_check_data */
	KVERBS_JOB_A_PACE,		/* u32: enum kverbs_pace */
	KVERBS_JOB_A_PACE_RATE,		/* u32, operations a second and pair */
	KVERBS_JOB_A_API,		/* u32: enum kverbs_api */
	KVERBS_JOB_A_DELAY_NS,		/* u32, busy wait before a post */
	KVERBS_JOB_A_PMU,		/* u32: enum kverbs_pmu */
	KVERBS_JOB_A_THREAD_DOMAIN,	/* u32: enum kverbs_thread_domain */
	KVERBS_JOB_A_CONTEXT,		/* u32: enum kverbs_context */
	KVERBS_JOB_A_SPIN_US,		/* u32, of hybrid */
	KVERBS_JOB_A_POST_FROM,		/* u32: enum kverbs_post_from */
	KVERBS_JOB_A_CQ_COUNT,		/* u32, CQEs before an event */
	KVERBS_JOB_A_CQ_PERIOD_US,	/* u32, or so long after the first */
	KVERBS_JOB_A_PATTERN,		/* u32: enum kverbs_pattern */
	KVERBS_JOB_A_SPAN,		/* u32, bytes that messages lie in */
	KVERBS_JOB_A_MRS,		/* u32, MRs over the buffer of an end */
	KVERBS_JOB_A_COLD,		/* u32: enum kverbs_cold */
	KVERBS_JOB_A_PROVOKE,		/* u32: enum kverbs_provoke */
	KVERBS_JOB_A_REG,		/* u32: enum kverbs_reg */
	KVERBS_JOB_A_REG_WAIT,		/* u32: enum kverbs_reg_wait */
	KVERBS_JOB_A_DMA_MAP,		/* u32: enum kverbs_dma_map */
	KVERBS_JOB_A_DELAY_AT,		/* u32: enum kverbs_delay_at */
	KVERBS_JOB_A_MEMORY,		/* u32: enum kverbs_memory */
	KVERBS_JOB_A_MR_PAGE,		/* u32, bytes, kernel only */
	KVERBS_JOB_A_BIDIRECTIONAL,	/* u32: enum kverbs_bidirectional */
	KVERBS_JOB_A_EXCHANGE_INV,	/* u32: enum kverbs_exchange_inv */
	KVERBS_JOB_A_RECOVER,		/* u32: enum kverbs_recover */
	KVERBS_JOB_A_LANE_QPS,		/* u32, QPs of a lane */
	KVERBS_JOB_A_STORM,		/* u32, QPs set up at once by a lane */
	KVERBS_JOB_A_ACCESS,		/* u32: enum kverbs_access */
	KVERBS_JOB_A_RELAXED_ORDERING,	/* u32: enum kverbs_relaxed_ordering */
	KVERBS_JOB_A_SG_LIST,		/* u32: enum kverbs_sg_list, kernel only */
	KVERBS_JOB_A_ODP,		/* u32: enum kverbs_odp, user engine only */
	KVERBS_JOB_A_REFILL,		/* u32: enum kverbs_refill */
	KVERBS_JOB_A_RECV_CHAIN,	/* u32, receive WRs per post call */
	KVERBS_JOB_A_LOW_WATER,		/* u32, receives left when they are refilled */
	KVERBS_JOB_A_SRQ,		/* u32: enum kverbs_srq */
	KVERBS_JOB_A_SRQ_LIMIT,		/* u32, receives below which an event is to come */
	KVERBS_JOB_A_CQ,		/* u32: enum kverbs_cq */
	KVERBS_JOB_A_PACE_NS,		/* u32, repeated: intervals of pace trace, not told back */
	KVERBS_JOB_A_CONNECT,		/* u32: enum kverbs_connect */
	KVERBS_JOB_A_FLUSH_TYPE,	/* u32: enum kverbs_flush_type */
	KVERBS_JOB_A_FLUSH_LEVEL,	/* u32: enum kverbs_flush_level */
	KVERBS_JOB_A_COMP_VECTOR,	/* u32, of the CQ of lane 0 */

	__KVERBS_JOB_A_MAX,
	KVERBS_JOB_A_MAX = __KVERBS_JOB_A_MAX - 1
};

enum kverbs_step_attr {
	KVERBS_STEP_A_UNSPEC,
	KVERBS_STEP_A_OP,		/* u32: enum kverbs_op */
	KVERBS_STEP_A_SIZE,		/* u32, bytes */
	KVERBS_STEP_A_FLAGS,		/* u32: enum kverbs_step_flag */

	__KVERBS_STEP_A_MAX,
	KVERBS_STEP_A_MAX = __KVERBS_STEP_A_MAX - 1
};

enum kverbs_op {
	KVERBS_OP_WRITE,
	KVERBS_OP_READ,
	KVERBS_OP_SEND,
	KVERBS_OP_SEND_IMM,	/* with immediate data */
	KVERBS_OP_WRITE_IMM,	/* likewise */
	KVERBS_OP_CAS,		/* compare and swap, 8 bytes */
	KVERBS_OP_FADD,		/* fetch and add, 8 bytes */
	KVERBS_OP_SEND_INV,	/* with invalidate */
	KVERBS_OP_REG_MR,	/* of an MR of the operation */
	KVERBS_OP_LOCAL_INV,	/* likewise */
	KVERBS_OP_READ_INV,	/* of the MR that is read into, iWARP */
	KVERBS_OP_ATOMIC_WRITE,	/* of 8 bytes, seen as a whole or not at all */
	KVERBS_OP_FLUSH,	/* of memory of the peer that was written to */
};

/* of a step, a mask */
enum kverbs_step_flag {
	KVERBS_STEP_WAIT = 1,	/* the next step is posted when it has completed */
};

enum kverbs_transport {
	KVERBS_TRANSPORT_RC,
	KVERBS_TRANSPORT_UC,
	KVERBS_TRANSPORT_UD,
};

/* of RoCE */
enum kverbs_gid_type {
	KVERBS_GID_TYPE_V1,
	KVERBS_GID_TYPE_V2,
};

enum kverbs_shape {
	KVERBS_SHAPE_LAT,	/* one WR outstanding */
	KVERBS_SHAPE_PINGPONG,	/* two lanes answer each other */
	KVERBS_SHAPE_RATE,	/* a window of WRs kept full */
	KVERBS_SHAPE_PACED,	/* each WR at its own time, whatever became of others */
	KVERBS_SHAPE_RECOVER,	/* QPs in error are made to work again */
	KVERBS_SHAPE_SETUP,	/* CQs, QPs and MRs are made, and destroyed */
};

/* intervals between the intended starts of shape paced */
enum kverbs_pace {
	KVERBS_PACE_CONSTANT,
	KVERBS_PACE_POISSON,	/* exponentially distributed */
	KVERBS_PACE_TRACE,	/* those of KVERBS_JOB_A_PACE_NS, again and again */
};

enum kverbs_timing {
	KVERBS_TIMING_NONE,	/* no clock reading inside the loop */
	KVERBS_TIMING_LAT,	/* post and lat */
	KVERBS_TIMING_ALL,	/* poll too: every poll call is timed */
};

enum kverbs_clock {
	KVERBS_CLOCK_CPU,	/* the CPU's counter */
	KVERBS_CLOCK_RAW,	/* CLOCK_MONOTONIC_RAW */
};

/* what a lane does after a poll that found nothing */
enum kverbs_wait {
	KVERBS_WAIT_NONE,	/* polls again at once */
	KVERBS_WAIT_RELAX,	/* one CPU pause instruction */
	KVERBS_WAIT_SOFTIRQ,	/* lets softirqs run, then other tasks if due */
	KVERBS_WAIT_YIELD,	/* gives the CPU to any other task */
};

enum kverbs_local_key {
	KVERBS_LOCAL_KEY_MR,	/* lkey of the buffer's MR */
	KVERBS_LOCAL_KEY_DMA,	/* local_dma_lkey (kernel only) */
};

/* whether data that arrives is checked; the last three show that the check checks */
enum kverbs_check_data {
	KVERBS_CHECK_DATA_OFF,
	KVERBS_CHECK_DATA_ON,
	KVERBS_CHECK_DATA_FLIP,		/* one message is sent with a wrong byte */
	KVERBS_CHECK_DATA_SWAP,		/* two messages are sent in each other's place */
	KVERBS_CHECK_DATA_STALE,	/* one message is that before it */
};

/* calls of the user engine; kernel verbs have the first alone */
enum kverbs_api {
	KVERBS_API_POST,	/* ibv_post_send, ibv_poll_cq */
	KVERBS_API_WR,		/* ibv_wr_*, ibv_start_poll */
};

/* whether the lanes are counted by the CPU's performance monitoring unit */
enum kverbs_pmu {
	KVERBS_PMU_OFF,
	KVERBS_PMU_ON,
};

/* whether the user engine tells its provider that a queue is of one thread */
enum kverbs_thread_domain {
	KVERBS_THREAD_DOMAIN_OFF,
	KVERBS_THREAD_DOMAIN_ON,
};

/* who takes completions, and how it learns of them */
enum kverbs_context {
	KVERBS_CONTEXT_BUSY,	/* the lane polls without end */
	KVERBS_CONTEXT_WOKEN,	/* the lane sleeps until a completion event */
	KVERBS_CONTEXT_HYBRID,	/* the lane polls for a while, then sleeps */
	KVERBS_CONTEXT_DIRECT,	/* the lane has ib_core call handlers */
	KVERBS_CONTEXT_SOFTIRQ,	/* ib_core calls them from a softirq (irq_poll) */
	KVERBS_CONTEXT_WORKQUEUE,	/* from a workqueue, on the CPU of the event */
	KVERBS_CONTEXT_UNBOUND,	/* from a workqueue, on any CPU */
	KVERBS_CONTEXT_POOL,	/* from a softirq, of a CQ that others share */
};

/* where ib_core calls handlers: who retires WRs and posts the next */
enum kverbs_post_from {
	KVERBS_POST_FROM_HANDLER,
	KVERBS_POST_FROM_LANE,	/* which the handler wakes */
};

/* what is true of data when its FLUSH completes */
enum kverbs_flush_type {
	KVERBS_FLUSH_TYPE_GLOBAL,	/* all of the peer's host see it */
	KVERBS_FLUSH_TYPE_PERSISTENT,	/* it outlives a power failure */
};

/* of which data */
enum kverbs_flush_level {
	KVERBS_FLUSH_LEVEL_RANGE,	/* of the bytes that are named */
	KVERBS_FLUSH_LEVEL_MR,		/* of all of the MR */
};

/* where in the span of an end the next message lies, and through which MR it is reached */
enum kverbs_pattern {
	KVERBS_PATTERN_FIXED,	/* at its start */
	KVERBS_PATTERN_SEQUENTIAL,
	KVERBS_PATTERN_RANDOM,
};

/* whether caches hold what is posted */
enum kverbs_cold {
	KVERBS_COLD_OFF,
	KVERBS_COLD_ON,		/* its lines are evicted before each post */
};

/* what is made wrong on the way, to see the error that comes of it */
enum kverbs_provoke {
	KVERBS_PROVOKE_NONE,
	KVERBS_PROVOKE_RNR,		/* no receive is posted any more */
	KVERBS_PROVOKE_WRONG_QPN,	/* the peer is a QP in RESET */
	KVERBS_PROVOKE_WRONG_PSN,	/* packets are numbered from elsewhere */
	KVERBS_PROVOKE_PEER_GONE,	/* the peer's QP is in ERR */
	KVERBS_PROVOKE_FLUSH,		/* the own QP is in ERR */
	KVERBS_PROVOKE_LOCAL_LENGTH,	/* receives are too short */
	KVERBS_PROVOKE_LOCAL_PROT,	/* the lkey is of no MR */
	KVERBS_PROVOKE_LOCAL_QP_OP,	/* an operation that the QP cannot do */
	KVERBS_PROVOKE_REMOTE_INV_REQ,	/* the peer's QP allows no access */
	KVERBS_PROVOKE_REMOTE_ACCESS,	/* the rkey is of no MR */
	KVERBS_PROVOKE_REMOTE_OP,	/* the lkey of receives is of no MR */
	KVERBS_PROVOKE_MW_BIND,		/* a window on an MR without MW_BIND */
	KVERBS_PROVOKE_CQ_OVERFLOW,	/* more completions than the CQ holds */
	KVERBS_PROVOKE_QUEUE_FULL,	/* more WRs than the send queue holds */
	KVERBS_PROVOKE_SGES,		/* more SGEs than the QP was made for */
	KVERBS_PROVOKE_NO_AH,		/* a WR of UD without address handle */
	KVERBS_PROVOKE_WRONG_PD,	/* the rkey of an MR of another PD */
	KVERBS_PROVOKE_DEREG,		/* the peer's MR is deregistered under way */
	KVERBS_PROVOKE_INVALIDATED,	/* the peer's MR is invalidated */
	KVERBS_PROVOKE_STALE_RKEY,	/* the rkey of an exchange that is over */
};

/* when the memory of an operation is registered */
enum kverbs_reg {
	KVERBS_REG_ONCE,	/* before the run */
	KVERBS_REG_IO,		/* for each operation, and invalidated after it */
	KVERBS_REG_EXCHANGE,	/* likewise, and the peer is told the rkey, to use it */
	KVERBS_REG_POOL,	/* as IO, with an MR of a pool, kernel only */
	KVERBS_REG_RW,		/* as rdma_rw does it, kernel only */
	KVERBS_REG_WINDOW,	/* a memory window is bound, user engine only */
};

/* of registration by WRs: what is posted only when that before it has completed */
enum kverbs_reg_wait {
	KVERBS_REG_WAIT_NONE,	/* nothing: REG_MR, operation and LOCAL_INV are a chain */
	KVERBS_REG_WAIT_INV,	/* LOCAL_INV */
	KVERBS_REG_WAIT_ALL,	/* each */
};

/* when memory that is registered for each operation is mapped for DMA */
enum kverbs_dma_map {
	KVERBS_DMA_MAP_IO,	/* for each operation too */
	KVERBS_DMA_MAP_ONCE,	/* before the run; it is synced for each operation */
};

/* who invalidates what the peer was told the rkey of */
enum kverbs_exchange_inv {
	KVERBS_EXCHANGE_INV_REMOTE,	/* the peer's answer, a SEND_WITH_INV */
	KVERBS_EXCHANGE_INV_LOCAL,	/* a LOCAL_INV after the answer */
};

/* what MRs and QPs allow */
enum kverbs_access {
	KVERBS_ACCESS_ALL,	/* to write and to read, locally and remotely */
	KVERBS_ACCESS_NEEDED,	/* what the operations of the job need */
};

/* whether the device may write to an MR in another order than it was told */
enum kverbs_relaxed_ordering {
	KVERBS_RELAXED_ORDERING_OFF,
	KVERBS_RELAXED_ORDERING_ON,
};

/* what the memory that an operation registers is listed in */
enum kverbs_sg_list {
	KVERBS_SG_LIST_BLOCKS,	/* as large pieces as come */
	KVERBS_SG_LIST_PAGES,	/* pages, not side by side where that can be helped */
	KVERBS_SG_LIST_GAPS,	/* parts of pages, which begin and end inside them */
};

/* whether an MR pins its pages, or has them on demand */
enum kverbs_odp {
	KVERBS_ODP_OFF,
	KVERBS_ODP_EXPLICIT,	/* an MR over the buffer */
	KVERBS_ODP_IMPLICIT,	/* an MR over all addresses of the process */
};

/* when the receives that messages took are posted again */
enum kverbs_refill {
	KVERBS_REFILL_EACH,	/* one call for each message */
	KVERBS_REFILL_BATCH,	/* in chains: of a poll's messages, or of a length */
	KVERBS_REFILL_WATERMARK, /* all at once, when no more than so many are left */
};

/* where the QPs of a lane complete to */
enum kverbs_cq {
	KVERBS_CQ_LANE,	/* one CQ of the lane's */
	KVERBS_CQ_QP,	/* a CQ each, polled in turn */
	KVERBS_CQ_SHARED, /* one CQ for all QPs of the run, both ends */
};

/* do the QPs of a lane take their receives from one SRQ? */
enum kverbs_srq {
	KVERBS_SRQ_OFF,
	KVERBS_SRQ_ON,
};

/* who takes QPs to RTS */
enum kverbs_connect {
	KVERBS_CONNECT_VERBS,	/* kverbs, with modify_qp: it knows both ends */
	KVERBS_CONNECT_CM,	/* rdma_cm, which iWARP needs */
};

/* where a busy wait is: in what is timed, or as long, but before it */
enum kverbs_delay_at {
	KVERBS_DELAY_AT_POST,
	KVERBS_DELAY_AT_BEFORE,
};

/* what the buffer of an end is made of */
enum kverbs_memory {
	KVERBS_MEMORY_CONTIGUOUS,	/* one block of physical memory (kernel only) */
	KVERBS_MEMORY_SCATTERED,	/* single pages of the base size */
	KVERBS_MEMORY_HUGE,		/* pieces of 2 MiB */
};

/* which ends of a pair post and measure */
enum kverbs_bidirectional {
	KVERBS_BIDIRECTIONAL_OFF,	/* one */
	KVERBS_BIDIRECTIONAL_ON,	/* both, at the same time */
};

/* how QPs in error are made to work again */
enum kverbs_recover {
	KVERBS_RECOVER_RESET,		/* by way of RESET */
	KVERBS_RECOVER_RECREATE,	/* they are destroyed, and others created */
};

enum kverbs_state {
	KVERBS_STATE_NEW,
	KVERBS_STATE_READY,
	KVERBS_STATE_RUNNING,
	KVERBS_STATE_DONE,
	KVERBS_STATE_FAILED,
};

/* why a lane, and so its run, ended */
enum kverbs_reason {
	KVERBS_REASON_NONE,		/* not ended */
	KVERBS_REASON_COMPLETE,		/* all that was asked */
	KVERBS_REASON_STOPPED,		/* asked to stop; what was measured holds */
	KVERBS_REASON_SETUP,		/* a step of set-up failed */
	KVERBS_REASON_POST,		/* a post call was refused */
	KVERBS_REASON_POLL,		/* a poll call failed */
	KVERBS_REASON_WC,		/* a WC with an error status */
	KVERBS_REASON_ORDER,		/* a WC that no outstanding WR can have */
	KVERBS_REASON_TIMEOUT,		/* no completion within the deadline */
	KVERBS_REASON_DEVICE_GONE,	/* device removed or moved */
	KVERBS_REASON_CPU_OFFLINE,	/* the CPU of a lane went offline */
	KVERBS_REASON_SUSPEND,		/* the system is going to sleep */
	KVERBS_REASON_DATA,		/* a message arrived with wrong data */
	KVERBS_REASON_KEPT,		/* a message did not invalidate what it was to */
	KVERBS_REASON_CQ,		/* a CQ overflowed, or is broken */
	KVERBS_REASON_REG,		/* memory could not be mapped or registered */
};

enum kverbs_run_attr {
	KVERBS_RUN_A_UNSPEC,
	KVERBS_RUN_A_ID,		/* u32 */
	KVERBS_RUN_A_STATE,		/* u32: enum kverbs_state */
	KVERBS_RUN_A_REASON,		/* u32: enum kverbs_reason */
	KVERBS_RUN_A_DEV_NAME,		/* string */
	KVERBS_RUN_A_ERRNO,		/* s32, negative, of set-up, post or poll */
	KVERBS_RUN_A_WHERE,		/* string: the step of set-up that failed */
	KVERBS_RUN_A_ERR_LANE,		/* u32 */
	KVERBS_RUN_A_ERR_WR,		/* u64, number of the WR on its queue */
	KVERBS_RUN_A_WC_STATUS,		/* u32: enum ib_wc_status */
	KVERBS_RUN_A_VENDOR_ERR,	/* u32 */
	KVERBS_RUN_A_QP_STATE,		/* u32: enum ib_qp_state at the error */
	KVERBS_RUN_A_LANES,		/* u32 */
	KVERBS_RUN_A_GENERATION,	/* u32, changes when results do */
	KVERBS_RUN_A_JOB,		/* nest: kverbs_job_attr, as asked */
	KVERBS_RUN_A_GRANTED,		/* nest: kverbs_job_attr, as run */
	KVERBS_RUN_A_BYTES,		/* u64, memory the run holds */
	KVERBS_RUN_A_GID_TYPE,		/* u32: enum ib_gid_type, RoCE only */
	KVERBS_RUN_A_CLOCK_COST,	/* u32, ticks of one reading of its clock */
	KVERBS_RUN_A_PAD,
	/* of KVERBS_REASON_DATA; ERR_WR is the number of the message */
	KVERBS_RUN_A_DATA_OFFSET,	/* u64, of the first wrong byte */
	KVERBS_RUN_A_DATA_EXPECTED,	/* u32, what it should be */
	KVERBS_RUN_A_DATA_GOT,		/* u32, what it is */
	KVERBS_RUN_A_DATA_FOUND,	/* u64, message that it was instead, if any */
	KVERBS_RUN_A_PEER_QP_STATE,	/* u32: enum ib_qp_state at the other end, at the error */

	__KVERBS_RUN_A_MAX,
	KVERBS_RUN_A_MAX = __KVERBS_RUN_A_MAX - 1
};

enum kverbs_role {
	KVERBS_ROLE_INITIATOR,
	KVERBS_ROLE_RESPONDER,
};

enum kverbs_lane_attr {
	KVERBS_LANE_A_UNSPEC,
	KVERBS_LANE_A_INDEX,		/* u32 */
	KVERBS_LANE_A_ROLE,		/* u32: enum kverbs_role */
	KVERBS_LANE_A_CPU,		/* u32 */
	KVERBS_LANE_A_QPN,		/* u32 */
	KVERBS_LANE_A_PEER_QPN,		/* u32 */
	KVERBS_LANE_A_SQ_DEPTH,		/* u32, granted */
	KVERBS_LANE_A_RQ_DEPTH,		/* u32, granted */
	KVERBS_LANE_A_CQ_DEPTH,		/* u32, granted */
	KVERBS_LANE_A_COUNTERS,		/* nest: kverbs_counter, u64 each */
	KVERBS_LANE_A_REASON,		/* u32: enum kverbs_reason */
	KVERBS_LANE_A_PAD,
	KVERBS_LANE_A_INLINE_DATA,	/* u32, bytes, granted */
	/* how the lane itself ended */
	KVERBS_LANE_A_ERRNO,		/* s32, negative, of post or poll */
	KVERBS_LANE_A_ERR_WR,		/* u64, number of the WR on its queue */
	KVERBS_LANE_A_WC_STATUS,	/* u32: enum ib_wc_status */
	KVERBS_LANE_A_VENDOR_ERR,	/* u32 */
	/* operations that rdma_rw did so */
	KVERBS_LANE_A_RW_SINGLE,	/* u64, as one WR with one SGE */
	KVERBS_LANE_A_RW_MULTI,		/* u64, as several WRs, or SGEs */
	KVERBS_LANE_A_RW_MR,		/* u64, as REG_MR, and a WR */
	KVERBS_LANE_A_RW_WRS,		/* u64, WRs of all of them */

	__KVERBS_LANE_A_MAX,
	KVERBS_LANE_A_MAX = __KVERBS_LANE_A_MAX - 1
};

/*
 * Counters of a lane over its measured window, each a u64. Times are in ticks
 * of the run's clock. include/kverbs/stat.h names each in a row.
 */
enum kverbs_counter {
	KVERBS_CTR_UNSPEC,
	KVERBS_CTR_OPS,		/* operations completed */
	KVERBS_CTR_BYTES,	/* payload bytes of those */
	KVERBS_CTR_POSTS,	/* post calls */
	/* the WRs of an operation of several steps count as one */
	KVERBS_CTR_WRS,		/* send WRs posted */
	KVERBS_CTR_SIGNALLED,	/* of those, signalled */
	KVERBS_CTR_FORCED,	/* of those, signalled beyond the interval */
	KVERBS_CTR_WCS,		/* send WCs */
	KVERBS_CTR_RETIRED,	/* send WRs that those WCs retire */
	KVERBS_CTR_RECV_POSTS,	/* post_recv calls */
	KVERBS_CTR_RECV_WRS,	/* receive WRs posted */
	KVERBS_CTR_RECV_WCS,	/* receive WCs */
	KVERBS_CTR_POLLS,	/* poll calls that returned a WC */
	KVERBS_CTR_EMPTY_POLLS,	/* poll calls that returned none */
	KVERBS_CTR_WALL,	/* ticks of the window */
	KVERBS_CTR_T_POST,	/* ticks in post calls */
	KVERBS_CTR_T_POLL,	/* ticks in polls that returned a WC */
	KVERBS_CTR_T_EMPTY,	/* ticks in empty polls and the waits after */
	KVERBS_CTR_T_REST,	/* ticks in everything else */
	KVERBS_CTR_RESIDENCE,	/* sum over WRs: ticks from post to retirement */
	KVERBS_CTR_OCCUPANCY,	/* integral of outstanding WRs over ticks */
	KVERBS_CTR_YIELDS,	/* times the CPU was given up */
	KVERBS_CTR_TAINTED,	/* samples that contain a yield */
	KVERBS_CTR_BACKWARDS,	/* clock readings before their predecessor */
	KVERBS_CTR_WARM_OPS,	/* operations of the warm-up */
	KVERBS_CTR_WARM_TICKS,	/* its length */
	KVERBS_CTR_WARM_UNSETTLED,	/* 1: no two of its windows agreed */
	KVERBS_CTR_SWITCHES,	/* context switches of the thread, voluntary */
	KVERBS_CTR_PREEMPTIONS,	/* context switches of the thread, involuntary */
	KVERBS_CTR_TOTAL_WRS,	/* send WRs posted, warm-up and closing included */
	KVERBS_CTR_TOTAL_RETIRED,	/* send WRs retired, likewise */
	KVERBS_CTR_TOTAL_RECVS,	/* receive WCs, likewise */
	KVERBS_CTR_LOST,	/* messages sent that never came, likewise */
	KVERBS_CTR_UNSENT,	/* paced: starts intended in the window, never posted */
	KVERBS_CTR_DELAYED,	/* ticks of busy waits before posts, asked for */
	/* of the thread by the PMU, warm-up and its interrupts included */
	KVERBS_CTR_INSTRUCTIONS,	/* instructions */
	KVERBS_CTR_CYCLES,	/* cycles of the CPU */
	KVERBS_CTR_CACHE_MISSES,	/* misses of the last level of cache */
	KVERBS_CTR_PMU_EVENTS,	/* which of these were counted, and how: a mask */
	KVERBS_CTR_ARMS,	/* requests for a completion event */
	KVERBS_CTR_MISSED,	/* of those, answered that a WC is there already */
	KVERBS_CTR_SLEEPS,	/* times the lane slept until an event */
	KVERBS_CTR_EVENTS,	/* of those, ended by one */
	KVERBS_CTR_HANDLED,	/* calls of a handler that did the lane's work */
	KVERBS_CTR_EVICTED,	/* cache lines evicted before posts */
	KVERBS_CTR_T_REG,	/* ticks in calls that map, sync, register and undo it */
	KVERBS_CTR_T_CONTROL,	/* ticks in calls that create, modify and destroy objects */
	KVERBS_CTR_FLUSHED,	/* WRs that completed as flushed */
	KVERBS_CTR_SRQ_LIMITS,	/* events of an SRQ that has few receives left */
	KVERBS_CTR_CPU,		/* ns of CPU time of the thread, the warm-up's too */
	KVERBS_CTR_PAD,

	__KVERBS_CTR_MAX,
	KVERBS_CTR_MAX = __KVERBS_CTR_MAX - 1
};

enum kverbs_metric {
	KVERBS_METRIC_POST,
	KVERBS_METRIC_POLL,
	KVERBS_METRIC_LAT,
	KVERBS_METRIC_RTT,
	KVERBS_METRIC_RECV_POST,
	KVERBS_METRIC_RECV_POLL,
	KVERBS_METRIC_RESPONSE,
	KVERBS_METRIC_REG,	/* a REG_MR on its own, post to completion; ibv_reg_mr */
	KVERBS_METRIC_INV,	/* a LOCAL_INV on its own, likewise; ibv_dereg_mr */
	KVERBS_METRIC_HANDLER,
	KVERBS_METRIC_MAP,	/* memory of an operation, for DMA and into its MR */
	KVERBS_METRIC_SYNC,
	KVERBS_METRIC_UNMAP,
	KVERBS_METRIC_IO,	/* an operation with all of that */
	/* of shape recover, from the WC with an error on */
	KVERBS_METRIC_RECOVER,	/* to the next good WC; the sum of these four */
	KVERBS_METRIC_FLUSH,	/* to the last WR that is flushed */
	KVERBS_METRIC_RENEW,	/* both QPs to RESET, or destroyed and created */
	KVERBS_METRIC_CONNECT,	/* both QPs to RTS; by rdma_cm, of shape setup too */
	KVERBS_METRIC_FIRST,	/* the first WR, post to completion */
	/* calls of the control path, each of one object */
	KVERBS_METRIC_TO_ERR,
	KVERBS_METRIC_TO_RESET,
	KVERBS_METRIC_TO_INIT,
	KVERBS_METRIC_TO_RTR,
	KVERBS_METRIC_TO_RTS,
	KVERBS_METRIC_CREATE_QP,
	KVERBS_METRIC_DESTROY_QP,
	/* likewise, of shape setup; the first is of a whole storm, until it is in RTS */
	KVERBS_METRIC_SETUP,
	KVERBS_METRIC_CREATE_CQ,
	KVERBS_METRIC_DESTROY_CQ,
	KVERBS_METRIC_MR_ALLOC,	/* ib_alloc_mr; ibv_reg_mr */
	KVERBS_METRIC_MR_FREE,	/* ib_dereg_mr; ibv_dereg_mr */
	KVERBS_METRIC_POOL_INIT,	/* kernel only: ib_mr_pool_init */
	KVERBS_METRIC_POOL_FREE,	/* kernel only */
	/* likewise, where rdma_cm connects; CONNECT is of a connection, both QPs to RTS */
	KVERBS_METRIC_CREATE_ID,
	KVERBS_METRIC_RESOLVE_ADDR,	/* call to event */
	KVERBS_METRIC_RESOLVE_ROUTE,	/* likewise */
	KVERBS_METRIC_DISCONNECT,	/* until both ends have been told */
	KVERBS_METRIC_DESTROY_ID,

	__KVERBS_METRIC_MAX,
	KVERBS_METRIC_MAX = __KVERBS_METRIC_MAX - 1
};

/* a non-empty bucket; its bounds follow from its index, see kverbs/hist.h */
struct kverbs_bucket {
	__u32 index;
	__u32 reserved;
	__u64 count;
};

enum kverbs_hist_attr {
	KVERBS_HIST_A_UNSPEC,
	KVERBS_HIST_A_LANE,		/* u32 */
	KVERBS_HIST_A_METRIC,		/* u32: enum kverbs_metric */
	KVERBS_HIST_A_COUNT,		/* u64, samples */
	KVERBS_HIST_A_SUM,		/* u64, ticks */
	KVERBS_HIST_A_SMALLEST,	/* u64, ticks */
	KVERBS_HIST_A_LARGEST,	/* u64, ticks */
	KVERBS_HIST_A_OVER,		/* u64, samples above the last bucket */
	KVERBS_HIST_A_BUCKETS,		/* binary: struct kverbs_bucket [] */
	KVERBS_HIST_A_GENERATION,	/* u32 */
	KVERBS_HIST_A_PAD,

	__KVERBS_HIST_A_MAX,
	KVERBS_HIST_A_MAX = __KVERBS_HIST_A_MAX - 1
};

#endif /* _UAPI_LINUX_KVERBS_H */
