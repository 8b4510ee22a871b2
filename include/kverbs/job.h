/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The job: the description of one measurement, plain data, the same for both
 * engines; its fields with their ranges and defaults, what operations and shapes
 * go together, and the one check that decides whether a job is valid on a device.
 *
 * The includer defines u32, u64 and kv_printf(text, first) (a printf attribute),
 * declares vsnprintf() and includes
 * <linux/kverbs.h>, kverbs/hist.h and kverbs/data.h first.
 */
#ifndef _KVERBS_JOB_H
#define _KVERBS_JOB_H

#define KV_AUTO			(~0U)	/* default of a field: decided by the check */
#define KV_SIZE_MAX		(1U << 30)
#define KV_RATE_OUTSTANDING	128	/* default window of shape rate */
#define KV_CONTROL_OUTSTANDING	16	/* and of a shape of the control path */
#define KV_STORM_MAX		128	/* QPs that a lane sets up at once */
#define KV_RATE_BATCH		16	/* default WCs a poll call of shape rate */
#define KV_RECV_DEPTH		128	/* least default of receives kept posted */
#define KV_ID_RECV		(1ULL << 63)	/* wr_id of a receive */
#define KV_DURATION_MS		1000	/* default length */
#define KV_MARKERS		2	/* queue slots kept for the teardown's WRs */
#define KV_QP_TIMEOUT		14	/* 4.096 us * 2^14 = 67 ms */
#define KV_QP_RETRY		7
#define KV_QP_RNR_RETRY		7	/* for ever */
#define KV_QP_MIN_RNR_TIMER	1	/* 0.01 ms; 0 would be 655 ms */
#define KV_HOP_LIMIT		64
#define KV_QKEY			0x6b7662U	/* of UD; one with the top bit is privileged */
#define KV_GRH_BYTES		40	/* in front of a message received over UD */
#define KV_RD_ATOMIC_MAX	16	/* RDMA READs outstanding that are asked for */
#define KV_IMM			0x6b766572U	/* immediate data of all messages */
#define KV_SPIN_US		20	/* default of context hybrid */
#define KV_SPAN_BYTES		(512U << 10)	/* default of a pattern over many places */
#define KV_SPAN_PLACES		8	/* but so many messages at least */
#define KV_MRS_MAX		4096
#define KV_POOL_MAX		1024	/* MRs that one call makes: a stop waits for it */
#define KV_QPS_MAX		4096	/* of a run, where a lane has several */
#define KV_COLD_BYTES		(4U << 20)	/* most that is evicted before a post */
#define KV_RECORD_WRS		256	/* WRs of a chain that are recorded */
#define KV_PACE_NS_HIGH		1000000000U /* longest interval of pace trace */
#define KV_HUGE_BYTES		(2U << 20)	/* a piece of memory huge */

/*
 * One row a scalar field: wire name, member, type, lowest and highest value that
 * may be given, default when it is not, option letter (0: none), long name, unit,
 * what it is. The netlink policy, the tool's options, JSON and debugfs are made
 * from these rows.
 */
#define KV_JOB_FIELDS(X)						\
	X(PORT, port, u32, 1, 255, 1,					\
	  'i', "port", "", "port of the device")			\
	X(GID_INDEX, gid_index, u32, 0, 65535, KV_AUTO,			\
	  'x', "gid-index", "", "GID table entry of both ends")		\
	X(SHAPE, shape, u32, 0, KVERBS_SHAPE_SETUP, KVERBS_SHAPE_LAT,	\
	  0, "shape", "", "lat, pingpong, rate, paced, recover or setup")		\
	X(ITERATIONS, iterations, u64, 1, 1000000000000ULL, 0,		\
	  'n', "iters", "operations", "operations a pair does")		\
	X(DURATION_MS, duration_ms, u32, 1, 86400000, 0,		\
	  'D', "duration", "ms", "length of the measured window")	\
	X(OUTSTANDING, outstanding, u32, 1, 65536, KV_AUTO,		\
	  't', "tx-depth", "WRs", "send WRs kept outstanding")		\
	X(CHAIN, chain, u32, 1, 65536, KV_AUTO,				\
	  'l', "post-list", "WRs", "send WRs a post call")		\
	X(SIGNAL, signal, u32, 1, 65536, KV_AUTO,			\
	  'Q', "cq-mod", "WRs", "one WR in so many is signalled")	\
	X(MTU, mtu, u32, 256, 4096, KV_AUTO,				\
	  'm', "mtu", "bytes", "path MTU")				\
	X(TIMING, timing, u32, 0, KVERBS_TIMING_ALL, KVERBS_TIMING_LAT,	\
	  0, "timing", "", "none, lat or all")				\
	X(CLOCK, clock, u32, 0, KVERBS_CLOCK_RAW, KVERBS_CLOCK_CPU,	\
	  0, "clock", "", "cpu or raw")					\
	X(WAIT, wait, u32, 0, KVERBS_WAIT_YIELD, KV_AUTO,		\
	  0, "wait", "", "none, relax, softirq or yield")		\
	X(WARMUP_MS, warmup_ms, u32, 0, 60000, 50,			\
	  0, "warmup", "ms", "least length of the warm-up, 0: none")	\
	X(LOCAL_KEY, local_key, u32, 0, KVERBS_LOCAL_KEY_DMA,		\
	  KVERBS_LOCAL_KEY_MR,						\
	  0, "local-key", "", "mr or dma")				\
	X(POLL_BATCH, poll_batch, u32, 1, 64, KV_AUTO,			\
	  0, "poll-batch", "WCs", "WCs a poll call")			\
	X(RECV_DEPTH, recv_depth, u32, 1, 65536, KV_AUTO,		\
	  'r', "rx-depth", "WRs", "receive WRs kept posted")		\
	X(PAIRS, pairs, u32, 1, 1024, 1,				\
	  'q', "qp", "pairs", "QP pairs, each with its own lanes")	\
	X(NODE, node, u32, 0, 1023, KV_AUTO,				\
	  0, "node", "", "NUMA node of the buffers")			\
	X(DEADLINE_MS, deadline_ms, u32, 1, 60000, 10000,		\
	  0, "deadline", "ms", "longest wait for a completion")		\
	X(TRANSPORT, transport, u32, 0, KVERBS_TRANSPORT_UD,		\
	  KVERBS_TRANSPORT_RC,						\
	  'c', "transport", "", "rc, uc or ud")				\
	X(INLINE_DATA, inline_data, u32, 0, 4096, 0,			\
	  'I', "inline", "bytes", "room for messages that are sent inline") \
	X(SGES, sges, u32, 1, 64, 1,					\
	  0, "sges", "SGEs", "pieces of a message")			\
	X(SL, sl, u32, 0, 15, 0,					\
	  'S', "sl", "", "service level")				\
	X(TRAFFIC_CLASS, traffic_class, u32, 0, 255, 0,			\
	  0, "traffic-class", "", "traffic class of the GRH")		\
	X(HOP_LIMIT, hop_limit, u32, 1, 255, KV_HOP_LIMIT,		\
	  0, "hop-limit", "", "hop limit of the GRH")			\
	X(PKEY_INDEX, pkey_index, u32, 0, 65535, 0,			\
	  0, "pkey-index", "", "P_Key table entry")			\
	X(TIMEOUT, timeout, u32, 0, 31, KV_AUTO,			\
	  'u', "timeout", "", "wait for an ACK, 4.096 us << this")	\
	X(RETRY_CNT, retry_cnt, u32, 0, 7, KV_AUTO,			\
	  0, "retry-cnt", "", "retries without an ACK")			\
	X(RNR_RETRY, rnr_retry, u32, 0, 7, KV_AUTO,			\
	  0, "rnr-retry", "", "retries without a receive, 7: for ever")	\
	X(MIN_RNR_TIMER, min_rnr_timer, u32, 0, 31, KV_AUTO,		\
	  0, "min-rnr-timer", "", "wait before such a retry, a code")	\
	X(RD_ATOMIC, rd_atomic, u32, 1, 255, KV_AUTO,			\
	  'o', "rd-atomic", "", "READs and atomics outstanding")	\
	X(GID_TYPE, gid_type, u32, 0, KVERBS_GID_TYPE_V2, KV_AUTO,	\
	  0, "gid-type", "", "v1 or v2")			\
	X(CHECK_DATA, check_data, u32, 0, KVERBS_CHECK_DATA_STALE,	\
	  KVERBS_CHECK_DATA_OFF,					\
	  0, "check-data", "", "off, on, flip, swap or stale")		\
	X(PACE, pace, u32, 0, KVERBS_PACE_TRACE, KV_AUTO,		\
	  0, "pace", "", "constant, poisson or trace")			\
	X(PACE_RATE, pace_rate, u32, 1, 1000000000, 0,			\
	  0, "pace-rate", "operations/s", "operations a pair is to start a second")	\
	X(API, api, u32, 0, KVERBS_API_WR, KVERBS_API_POST,		\
	  0, "api", "", "post or wr")				\
	X(DELAY_NS, delay_ns, u32, 1, 1000000, 0,			\
	  0, "delay", "ns", "busy wait added to each post, to see it found")	\
	X(PMU, pmu, u32, 0, KVERBS_PMU_ON, KVERBS_PMU_OFF,		\
	  0, "pmu", "", "off or on")	\
	X(THREAD_DOMAIN, thread_domain, u32, 0, KVERBS_THREAD_DOMAIN_ON, \
	  KVERBS_THREAD_DOMAIN_OFF,					\
	  0, "thread-domain", "", "off or on")				\
	X(CONTEXT, context, u32, 0, KVERBS_CONTEXT_POOL,		\
	  KVERBS_CONTEXT_BUSY,						\
	  0, "context", "",						\
	  "busy, woken, hybrid, direct, softirq, workqueue, unbound or pool") \
	X(SPIN_US, spin_us, u32, 1, 1000000, KV_AUTO,			\
	  0, "spin", "us", "how long hybrid polls before it sleeps")	\
	X(POST_FROM, post_from, u32, 0, KVERBS_POST_FROM_LANE, KV_AUTO,	\
	  0, "post-from", "", "handler or lane")			\
	X(CQ_COUNT, cq_count, u32, 1, 65535, KV_AUTO,			\
	  0, "cq-count", "CQEs", "completions before an event is raised") \
	X(CQ_PERIOD_US, cq_period_us, u32, 1, 65535, KV_AUTO,		\
	  0, "cq-period", "us", "or so long after the first of them")	\
	X(PATTERN, pattern, u32, 0, KVERBS_PATTERN_RANDOM,		\
	  KVERBS_PATTERN_FIXED,						\
	  0, "pattern", "", "fixed, sequential or random")		\
	X(SPAN, span, u32, 64, 1073741824, KV_AUTO,			\
	  0, "span", "bytes", "memory that messages lie in, at each end") \
	X(MRS, mrs, u32, 1, KV_MRS_MAX, 1,				\
	  0, "mrs", "MRs", "MRs over it that are used in turn")		\
	X(COLD, cold, u32, 0, KVERBS_COLD_ON, KVERBS_COLD_OFF,		\
	  0, "cold", "", "off or on")	\
	X(PROVOKE, provoke, u32, 0, KVERBS_PROVOKE_STALE_RKEY,		\
	  KVERBS_PROVOKE_NONE,						\
	  0, "provoke", "", "an error to be made to come")	\
	X(REG, reg, u32, 0, KVERBS_REG_WINDOW, KVERBS_REG_ONCE,	\
	  0, "reg", "", "once, io, pool, rw, window or exchange")				\
	X(REG_WAIT, reg_wait, u32, 0, KVERBS_REG_WAIT_ALL, KV_AUTO,	\
	  0, "reg-wait", "", "none, inv or all")			\
	X(DMA_MAP, dma_map, u32, 0, KVERBS_DMA_MAP_ONCE, KV_AUTO,	\
	  0, "dma-map", "", "io or once")				\
	X(DELAY_AT, delay_at, u32, 0, KVERBS_DELAY_AT_BEFORE,		\
	  KVERBS_DELAY_AT_POST,						\
	  0, "delay-at", "", "post or before")			\
	X(MEMORY, memory, u32, 0, KVERBS_MEMORY_HUGE, KV_AUTO,		\
	  0, "memory", "", "contiguous, scattered or huge")		\
	X(MR_PAGE, mr_page, u32, 4096, 1073741824, KV_AUTO,		\
	  0, "mr-page", "bytes", "page size of MRs, a power of two")	\
	X(BIDIRECTIONAL, bidirectional, u32, 0,				\
	  KVERBS_BIDIRECTIONAL_ON, KVERBS_BIDIRECTIONAL_OFF,		\
	  'b', "bidirectional", "", "off or on")			\
	X(EXCHANGE_INV, exchange_inv, u32, 0,				\
	  KVERBS_EXCHANGE_INV_LOCAL, KV_AUTO,				\
	  0, "exchange-inv", "", "remote or local")			\
	X(RECOVER, recover, u32, 0, KVERBS_RECOVER_RECREATE, KV_AUTO,	\
	  0, "recover", "", "reset or recreate")			\
	X(LANE_QPS, lane_qps, u32, 1, 1024, 1,				\
	  0, "lane-qps", "QPs", "QPs of a lane, used in turn")			\
	X(STORM, storm, u32, 1, KV_STORM_MAX, KV_AUTO,			\
	  0, "storm", "QPs", "QPs or connections that a lane sets up at once")		\
	X(ACCESS, access, u32, 0, KVERBS_ACCESS_NEEDED,			\
	  KVERBS_ACCESS_ALL,						\
	  0, "access", "", "all or needed")				\
	X(RELAXED_ORDERING, relaxed_ordering, u32, 0,			\
	  KVERBS_RELAXED_ORDERING_ON, KV_AUTO,				\
	  0, "relaxed-ordering", "", "off or on")			\
	X(SG_LIST, sg_list, u32, 0, KVERBS_SG_LIST_GAPS, KV_AUTO,	\
	  0, "sg-list", "", "blocks, pages or gaps")			\
	X(ODP, odp, u32, 0, KVERBS_ODP_IMPLICIT, KVERBS_ODP_OFF,	\
	  0, "odp", "", "off, explicit or implicit")			\
	X(REFILL, refill, u32, 0, KVERBS_REFILL_WATERMARK, KV_AUTO,	\
	  0, "refill", "", "each, batch or watermark")			\
	X(RECV_CHAIN, recv_chain, u32, 1, 65536, KV_AUTO,		\
	  0, "recv-chain", "WRs", "receive WRs a post call")		\
	X(LOW_WATER, low_water, u32, 1, 65536, KV_AUTO,			\
	  0, "low-water", "WRs", "receives left posted when they are refilled") \
	X(SRQ, srq, u32, 0, KVERBS_SRQ_ON, KVERBS_SRQ_OFF,		\
	  0, "srq", "", "off or on")					\
	X(SRQ_LIMIT, srq_limit, u32, 1, 65536, KV_AUTO,			\
	  0, "srq-limit", "WRs", "receives of an SRQ below which an event comes") \
	X(CQ, cq, u32, 0, KVERBS_CQ_SHARED, KVERBS_CQ_LANE,		\
	  0, "cq", "", "lane, qp or shared")					\
	X(CONNECT, connect, u32, 0, KVERBS_CONNECT_CM, KV_AUTO,		\
	  0, "connect", "", "verbs or cm")				\
	X(FLUSH_TYPE, flush_type, u32, 0,				\
	  KVERBS_FLUSH_TYPE_PERSISTENT, KV_AUTO,			\
	  0, "flush-type", "", "global or persistent")			\
	X(FLUSH_LEVEL, flush_level, u32, 0, KVERBS_FLUSH_LEVEL_MR,	\
	  KV_AUTO,							\
	  0, "flush-level", "", "range or mr")				\
	X(COMP_VECTOR, comp_vector, u32, 0, 65535, KV_AUTO,		\
	  0, "comp-vector", "", "completion vector of the CQ of lane 0, others follow")

#define KV_JOB_MEMBER(attr, member, type, lo, hi, def, letter, name, unit, what) \
	type member;

/**
 * struct kv_step - one WR template of a job
 * @op: enum kverbs_op
 * @size: payload bytes; of MRs, those they cover
 * @flags: mask of enum kverbs_step_flag
 */
struct kv_step {
	u32 op;
	u32 size;
	u32 flags;
};

/**
 * struct kv_job - one measurement
 *
 * The scalar members are those of KV_JOB_FIELDS().
 *
 * @ncpus: entries of @cpu, 0: chosen by the engine
 * @cpu: lane i runs on cpu[i % ncpus]
 * @npace_ns: entries of @pace_ns
 * @pace_ns: intervals of pace trace, in their order
 * @nsteps: entries of @step
 * @step: what one operation does
 */
struct kv_job {
	KV_JOB_FIELDS(KV_JOB_MEMBER)
	u32 ncpus;
	u32 cpu[KVERBS_CPUS_MAX];
	u32 npace_ns;
	u32 pace_ns[KVERBS_PACE_NS_MAX];
	u32 nsteps;
	struct kv_step step[KVERBS_STEPS_MAX];
};

/**
 * struct kv_field - a scalar field of the job, as data
 * @attr: enum kverbs_job_attr
 * @offset: of its member in struct kv_job
 * @bytes: of its member, 4 or 8
 * @letter: option letter, 0: none
 * @name: long option, and name in outputs
 * @unit: unit, or empty
 * @what: what it is
 * @lo: lowest value that may be given
 * @hi: highest value that may be given
 * @def: value when it is not given
 */
struct kv_field {
	u32 attr;
	u32 offset;
	u32 bytes;
	char letter;
	const char *name;
	const char *unit;
	const char *what;
	u64 lo;
	u64 hi;
	u64 def;
};

#define KV_JOB_ROW(attr, member, type, lo, hi, def, letter, name, unit, what) \
	{ KVERBS_JOB_A_##attr, __builtin_offsetof(struct kv_job, member), \
	  sizeof(type), letter, name, unit, what, lo, hi, def },

/**
 * kv_job_field - walk the scalar fields of the job
 * @i: from 0
 * Return: the row, or NULL past the last
 */
static inline const struct kv_field *kv_job_field(u32 i)
{
	static const struct kv_field rows[] = { KV_JOB_FIELDS(KV_JOB_ROW) };

	return i < sizeof(rows) / sizeof(*rows) ? &rows[i] : NULL;
}

/* value of a field */
static inline u64 kv_field_get(const struct kv_job *job,
			       const struct kv_field *field)
{
	const char *at = (const char *)job + field->offset;

	return field->bytes == sizeof(u64) ? *(const u64 *)at :
					     *(const u32 *)at;
}

/* does the field have a value, given or decided, other than "none" or KV_AUTO? */
static inline u32 kv_field_has(const struct kv_job *job,
			       const struct kv_field *field)
{
	u64 value = kv_field_get(job, field);

	return value >= field->lo && value <= field->hi;
}

/* set a field; the value is within its range */
static inline void kv_field_set(struct kv_job *job,
				const struct kv_field *field, u64 value)
{
	char *at = (char *)job + field->offset;

	if (field->bytes == sizeof(u64))
		*(u64 *)at = value;
	else
		*(u32 *)at = (u32)value;
}

#define KV_JOB_DEFAULT(attr, member, type, lo, hi, def, letter, name, unit, what) \
	.member = (def),

/* a job with every field at its default and one step, a 64-byte WRITE */
#define KV_JOB_INIT {							\
	KV_JOB_FIELDS(KV_JOB_DEFAULT)					\
	.nsteps = 1,							\
	.step = { { KVERBS_OP_WRITE, 64 } },				\
}

/**
 * struct kv_op_rule - what an operation is and where it is valid
 * @name: as in options and outputs
 * @shapes: bit mask by enum kverbs_shape
 * @two_sided: consumes a receive of the peer
 * @reads: moves data from the peer
 * @label: what its completion tells
 * @data: each message can be checked where it arrives
 * @remote: names memory of the peer
 * @imm: carries immediate data, and so may have no payload
 * @atomic: needs atomics of the device, and of the driver
 * @bytes: the only size it has, 0: any
 * @transports: bit mask by enum kverbs_transport
 * @mr: what it does to the MR of its operation, KV_MR_*
 * @kernel: no user of libibverbs can post it
 * @placement: of the memory placement extensions, which not all verbs have
 */
struct kv_op_rule {
	const char *name;
	u32 shapes;
	u32 two_sided;
	u32 reads;
	const char *label;
	u32 data;
	u32 remote;
	u32 imm;
	u32 atomic;
	u32 bytes;
	u32 transports;
	u32 mr;
	u32 kernel;
	u32 placement;
};

/* an operation that registers has an MR of its own, and this is done to it */
enum {
	KV_MR_LEFT,		/* nothing; a message lies in it, when there is one */
	KV_MR_REGISTERED,
	KV_MR_INVALIDATED,	/* by the lane itself */
	KV_MR_TAKEN,		/* by the peer's message */
};

#define KV_RC			(1U << KVERBS_TRANSPORT_RC)
#define KV_UC			(1U << KVERBS_TRANSPORT_UC)
#define KV_UD			(1U << KVERBS_TRANSPORT_UD)
#define KV_TRANSPORTS		(KVERBS_TRANSPORT_UD + 1)
#define KV_SHAPE_BIT(s)		(1U << KVERBS_SHAPE_##s)
#define KV_SHAPES_ALL		(KV_SHAPE_BIT(LAT) | KV_SHAPE_BIT(PINGPONG) | \
				 KV_SHAPE_BIT(RATE) | KV_SHAPE_BIT(PACED))
#define KV_SHAPES_ASK		(KV_SHAPES_ALL & ~KV_SHAPE_BIT(PINGPONG))
#define KV_SHAPES_TURN		(KV_SHAPE_BIT(RECOVER) | KV_SHAPE_BIT(SETUP))
#define KV_OPS			(KVERBS_OP_FLUSH + 1)
#define KV_SHAPES		(KVERBS_SHAPE_SETUP + 1)

static const struct kv_op_rule kv_op_rules[KV_OPS] = {
	[KVERBS_OP_WRITE] = {
		"write", KV_SHAPES_ALL | KV_SHAPES_TURN, 0, 0,
		"acked, not placed", .remote = 1,
		.transports = KV_RC | KV_UC, .data = 1,
	},
	[KVERBS_OP_READ] = {
		"read", KV_SHAPES_ASK | KV_SHAPE_BIT(RECOVER), 0, 1,
		"data arrived", .remote = 1,
		.transports = KV_RC, .data = 1,
	},
	[KVERBS_OP_SEND] = {
		"send", KV_SHAPES_ALL | KV_SHAPE_BIT(RECOVER), 1, 0, "acked, not placed",
		.transports = KV_RC | KV_UC | KV_UD, .data = 1,
	},
	[KVERBS_OP_SEND_IMM] = {
		"send-imm", KV_SHAPES_ALL | KV_SHAPE_BIT(RECOVER), 1, 0,
		"acked, not placed", .imm = 1,
		.transports = KV_RC | KV_UC | KV_UD, .data = 1,
	},
	[KVERBS_OP_WRITE_IMM] = {
		"write-imm", KV_SHAPES_ALL, 1, 0, "acked, not placed",
		.remote = 1, .imm = 1, .transports = KV_RC | KV_UC,
	},
	[KVERBS_OP_CAS] = {
		"cas", KV_SHAPES_ASK | KV_SHAPE_BIT(RECOVER), 0, 1,
		"old value arrived", .remote = 1,
		.atomic = 1, .bytes = 8, .transports = KV_RC,
	},
	[KVERBS_OP_FADD] = {
		"fadd", KV_SHAPES_ASK | KV_SHAPE_BIT(RECOVER), 0, 1,
		"old value arrived", .remote = 1,
		.atomic = 1, .bytes = 8, .transports = KV_RC,
	},
	[KVERBS_OP_SEND_INV] = {
		"send-inv", KV_SHAPE_BIT(PINGPONG), 1, 0, "acked, not placed",
		.transports = KV_RC, .mr = KV_MR_TAKEN, .kernel = 1,
	},
	[KVERBS_OP_REG_MR] = {
		"reg-mr", KV_SHAPES_ASK, 0, 0, "registered", .transports = KV_RC,
		.mr = KV_MR_REGISTERED, .kernel = 1,
	},
	[KVERBS_OP_LOCAL_INV] = {
		"local-inv", KV_SHAPES_ASK, 0, 0, "invalidated",
		.transports = KV_RC, .mr = KV_MR_INVALIDATED, .kernel = 1,
	},
	[KVERBS_OP_READ_INV] = {
		"read-inv", KV_SHAPES_ASK, 0, 1, "data arrived", .remote = 1,
		.transports = KV_RC, .mr = KV_MR_INVALIDATED, .kernel = 1,
	},
	[KVERBS_OP_ATOMIC_WRITE] = {
		"atomic-write", KV_SHAPES_ASK, 0, 0, "placed", .remote = 1,
		.bytes = 8, .transports = KV_RC, .placement = 1,
	},
	[KVERBS_OP_FLUSH] = {
		"flush", KV_SHAPES_ASK, 0, 0, "flushed", .remote = 1,
		.transports = KV_RC, .placement = 1,
	},
};

/**
 * struct kv_transport_rule - what a transport is
 * @name: as in options and outputs
 * @acked: the peer answers; else a completion is local, and messages get lost
 * @datagram: one packet a message, an address a WR, a GRH before each receive
 */
struct kv_transport_rule {
	const char *name;
	u32 acked;
	u32 datagram;
};

static const struct kv_transport_rule kv_transport_rules[KV_TRANSPORTS] = {
	[KVERBS_TRANSPORT_RC] = { "rc", 1, 0 },
	[KVERBS_TRANSPORT_UC] = { "uc", 0, 0 },
	[KVERBS_TRANSPORT_UD] = { "ud", 0, 1 },
};

/**
 * struct kv_shape_rule - what a shape is
 * @name: as in options and outputs
 * @window: may have more than one WR outstanding
 * @answers: the peer answers each message
 * @chains: chains and a signal interval apply
 * @paced: each WR has its intended start
 * @control: turns of the control path, of which each makes or mends objects
 * @depth: default of WRs outstanding
 * @metric: enum kverbs_metric that it is about
 * @counted: what its operations are called
 */
struct kv_shape_rule {
	const char *name;
	u32 window;
	u32 answers;
	u32 chains;
	u32 paced;
	u32 control;
	u32 depth;
	u32 metric;
	const char *counted;
};

static const struct kv_shape_rule kv_shape_rules[KV_SHAPES] = {
	[KVERBS_SHAPE_LAT] = {
		"lat", .depth = 1, .metric = KVERBS_METRIC_LAT, .counted = "messages",
	},
	[KVERBS_SHAPE_PINGPONG] = {
		"pingpong", .answers = 1, .depth = 1, .metric = KVERBS_METRIC_RTT,
		.counted = "round trips",
	},
	[KVERBS_SHAPE_RATE] = {
		"rate", .window = 1, .chains = 1, .depth = KV_RATE_OUTSTANDING,
		.metric = KVERBS_METRIC_LAT, .counted = "messages",
	},
	[KVERBS_SHAPE_PACED] = {
		"paced", .window = 1, .paced = 1, .depth = KV_RATE_OUTSTANDING,
		.metric = KVERBS_METRIC_RESPONSE, .counted = "messages",
	},
	[KVERBS_SHAPE_RECOVER] = {
		"recover", .window = 1, .control = 1, .depth = KV_CONTROL_OUTSTANDING,
		.metric = KVERBS_METRIC_RECOVER, .counted = "recoveries",
	},
	[KVERBS_SHAPE_SETUP] = {
		"setup", .window = 1, .control = 1, .depth = KV_CONTROL_OUTSTANDING,
		.metric = KVERBS_METRIC_SETUP, .counted = "turns",
	},
};

/**
 * struct kv_context_rule - what a completion context is
 * @name: as in options and outputs
 * @user: what user space has that is like it, NULL: nothing
 * @sleeps: the lane waits for completion events
 * @callback: ib_core polls the CQ, and calls a handler for each WC
 * @events: the moment of a completion event is known
 */
struct kv_context_rule {
	const char *name;
	const char *user;
	u32 sleeps;
	u32 callback;
	u32 events;
};

#define KV_CONTEXTS		(KVERBS_CONTEXT_POOL + 1)

static const struct kv_context_rule kv_context_rules[KV_CONTEXTS] = {
	[KVERBS_CONTEXT_BUSY] = { "busy", "polling", 0, 0, 0 },
	[KVERBS_CONTEXT_WOKEN] = { "woken", "a completion channel", 1, 0, 1 },
	[KVERBS_CONTEXT_HYBRID] = {
		"hybrid", "polling, then a completion channel", 1, 0, 1,
	},
	[KVERBS_CONTEXT_DIRECT] = { "direct", NULL, 0, 1, 0 },
	[KVERBS_CONTEXT_SOFTIRQ] = { "softirq", NULL, 1, 1, 1 },
	[KVERBS_CONTEXT_WORKQUEUE] = { "workqueue", NULL, 1, 1, 1 },
	[KVERBS_CONTEXT_UNBOUND] = { "unbound", NULL, 1, 1, 1 },
	[KVERBS_CONTEXT_POOL] = { "pool", NULL, 1, 1, 0 },
};

#include "provoke.h"

/**
 * struct kv_reg_rule - what a way of registration is
 * @name: as in options and outputs
 * @kernel: what it is in the kernel, NULL: nothing
 * @user: what it is in user space, NULL: nothing
 * @each: calls are made for each operation
 * @wrs: and it has WRs of its own for it, in the kernel
 */
struct kv_reg_rule {
	const char *name;
	const char *kernel;
	const char *user;
	u32 each;
	u32 wrs;
};

#define KV_REGS			(KVERBS_REG_WINDOW + 1)

static const struct kv_reg_rule kv_reg_rules[KV_REGS] = {
	[KVERBS_REG_ONCE] = { "once", "REG_MR before the run", "ibv_reg_mr before the run" },
	[KVERBS_REG_IO] = {
		"io", "REG_MR and LOCAL_INV", "ibv_reg_mr and ibv_dereg_mr",
		.each = 1, .wrs = 1,
	},
	[KVERBS_REG_EXCHANGE] = {
		"exchange", "REG_MR, its rkey sent",
		"BIND_MW of a window of type 2 over an MR, its rkey sent",
	},
	[KVERBS_REG_POOL] = {
		"pool", "REG_MR and LOCAL_INV of an MR from a pool", NULL,
		.each = 1, .wrs = 1,
	},
	[KVERBS_REG_RW] = {
		"rw", "rdma_rw_ctx_init and rdma_rw_ctx_destroy", NULL,
		.each = 1,
	},
	[KVERBS_REG_WINDOW] = {
		"window", NULL, "BIND_MW and LOCAL_INV of a window of type 2 over an MR",
		.each = 1,
	},
};

/* what a request for a completion event answers */
enum {
	KV_ARMED,	/* nothing came before: the event will tell */
	KV_ARM_MISSED,	/* a WC is there already */
	KV_ARM_UNKNOWN,	/* only a poll can tell */
};

/* can an engine post an operation of the memory placement extensions? */
enum {
	KV_POSTS,
	KV_LACKS_KERNEL,	/* its number is not in the kernel's verbs */
	KV_LACKS_WR,		/* but no WR that says what it is about is */
	KV_LACKS_LIBRARY,	/* libibverbs has no call for it */
	KV_LACKS_DEVICE,
};

/* how a device writes to the MRs of an engine */
enum {
	KV_ORDERING_UNKNOWN,	/* as the driver does, and does not say */
	KV_ORDERING_STRICT,	/* there is no bus that it could be relaxed on */
	KV_ORDERING_RELAXED,	/* relaxed, whatever is asked */
	KV_ORDERING_ASKED,	/* as asked, where it can */
};

/**
 * struct kv_caps - what bounds a job: the device, the port, the engine
 * @kernel: 1 for the kernel engine
 * @software: 1 when no DMA device is behind it (rxe, siw)
 * @link: enum kverbs_link of the port
 * @ports: ports of the device
 * @port_active: the port is ACTIVE
 * @mtu: active MTU of the port, bytes
 * @gids: entries of the port's GID table
 * @max_msg: largest message, bytes
 * @max_qp: QPs of the device
 * @max_qp_wr: WRs of a queue
 * @max_cqe: entries of a CQ
 * @max_rd_atomic: RDMA READs outstanding at a QP
 * @atomic: the device has atomics
 * @atomic_write: the engine posts ATOMIC_WRITEs, KV_POSTS, or what is lacking
 * @flush: and FLUSHes, likewise; what the device has is in @flush_types
 * @flush_types: bit mask by enum kverbs_flush_type
 * @max_sge: SGEs of a WR, send and receive
 * @max_sge_rd: SGEs of an RDMA READ, 0: @max_sge, but for rdma_rw, which takes it as it is
 * @max_sgl_rd: entries of an SG list that rdma_rw READs into by SGEs, 0: any
 * @pkeys: entries of the port's P_Key table
 * @max_mr: MRs of the device
 * @page: base page size
 * @mr_pages: page sizes of MRs, a mask
 * @max_block: largest block of memory
 * @vectors: completion vectors of the device
 * @max_cq: CQs of the device
 * @max_srq: SRQs of the device
 * @max_srq_wr: WRs of an SRQ
 * @max_srq_sge: SGEs of these
 * @evict: lines can be evicted from the CPU's caches
 * @max_reg_bytes: bytes that one MR of the engine can cover
 * @reg_mr: the engine can register remote access
 * @windows: memory windows of type 2 that the device has
 * @ordering: how it writes to MRs, KV_ORDERING_*
 * @sg_gaps: it can register an SG list with gaps
 * @odp: it can have pages on demand: bit mask by enum kverbs_odp
 * @odp_ops: in these operations: bit mask by transport, then enum kverbs_op
 * @cm: the engine can have QPs connected by rdma_cm
 * @read_inv: a READ can invalidate the MR that it reads into
 * @wr_single: of the extended calls only those of one SGE and one WC work
 * @limit_lanes: lanes of a run that the engine allows
 * @limit_depth: WRs of a queue that the engine allows
 * @limit_ms: length of a run that the engine allows, 0: any
 * @limit_bytes: memory that the engine allows, histograms counted
 */
struct kv_caps {
	u32 kernel;
	u32 software;
	u32 link;
	u32 ports;
	u32 port_active;
	u32 mtu;
	u32 gids;
	u32 max_msg;
	u32 max_qp;
	u32 max_qp_wr;
	u32 max_cqe;
	u32 max_rd_atomic;
	u32 atomic;
	u32 atomic_write;
	u32 flush;
	u32 flush_types;
	u32 max_sge;
	u32 max_sge_rd;
	u32 max_sgl_rd;
	u32 pkeys;
	u32 max_mr;
	u32 vectors;
	u32 max_cq;
	u32 max_srq;
	u32 max_srq_wr;
	u32 max_srq_sge;
	u32 evict;
	u32 page;
	u64 mr_pages;
	u64 max_block;
	u64 max_reg_bytes;
	u32 reg_mr;
	u32 windows;
	u32 ordering;
	u32 sg_gaps;
	u32 odp;
	u32 odp_ops[KVERBS_TRANSPORT_UD + 1];
	u32 cm;
	u32 read_inv;
	u32 wr_single;
	u32 limit_lanes;
	u32 limit_depth;
	u32 limit_ms;
	u64 limit_bytes;
};

/**
 * struct kv_refusal - why a job is refused
 * @attr: enum kverbs_job_attr of the field, 0 when it is none
 * @host: 1 when the job may be good, but not on this port as it is
 * @text: one line: the field, its value, the limit, the way out
 */
struct kv_refusal {
	u32 attr;
	u32 host;
	char text[192];
};

/**
 * kv_refuse - write down why a job is refused
 * @no: filled
 * @attr: enum kverbs_job_attr of the field, 0 when it is none
 * @format: printf format of the line
 * Return: -1
 */
static inline kv_printf(3, 4)
int kv_refuse(struct kv_refusal *no, u32 attr, const char *format, ...)
{
	__builtin_va_list args;

	no->attr = attr;
	no->host = 0;
	__builtin_va_start(args, format);
	vsnprintf(no->text, sizeof(no->text), format, args);
	__builtin_va_end(args);
	return -1;
}

/* wr_id of a receive: the queue of its lane's, and its place among the WRs of that */
static inline u64 kv_recv_id(u32 ring, u32 slot)
{
	return KV_ID_RECV | (u64)ring << 32 | slot;
}

static inline u32 kv_recv_ring(u64 id)
{
	return (u32)((id & ~KV_ID_RECV) >> 32);
}

/* can the steps be looked up? Before kv_job_check() said so, they may be anything */
static inline u32 kv_job_steps_known(const struct kv_job *job)
{
	u32 i;

	for (i = 0; i < job->nsteps && job->nsteps <= KVERBS_STEPS_MAX; i++) {
		if (job->step[i].op >= KV_OPS)
			return 0;
	}
	return i;
}

/* does an operation of this kind carry a message? */
static inline u32 kv_op_moves(u32 op)
{
	return op != KVERBS_OP_REG_MR && op != KVERBS_OP_LOCAL_INV &&
	       op != KVERBS_OP_FLUSH;
}

/* the metric of one that is posted and waited for alone, or __KVERBS_METRIC_MAX */
static inline u32 kv_op_metric(u32 op)
{
	return op == KVERBS_OP_REG_MR ? KVERBS_METRIC_REG :
	       op == KVERBS_OP_LOCAL_INV ? KVERBS_METRIC_INV :
	       __KVERBS_METRIC_MAX;
}

/* the step that the job is about: the message that the peer takes, else the last one */
static inline u32 kv_job_main(const struct kv_job *job)
{
	u32 main = 0, i;

	for (i = 0; i < job->nsteps; i++) {
		if (kv_op_rules[job->step[i].op].two_sided)
			return i;
		if (kv_op_moves(job->step[i].op))
			main = i;
	}
	return main;
}

/* its payload */
static inline u32 kv_job_size(const struct kv_job *job)
{
	return job->step[kv_job_main(job)].size;
}

#define kv_job_rule(job)	(&kv_op_rules[(job)->step[kv_job_main(job)].op])

/* payload bytes of an operation, all of its messages; a set-up has none */
static inline u64 kv_job_payload(const struct kv_job *job)
{
	u64 bytes = 0;
	u32 i;

	if (job->shape == KVERBS_SHAPE_SETUP)
		return 0;
	for (i = 0; i < job->nsteps; i++)
		bytes += kv_op_moves(job->step[i].op) ? job->step[i].size : 0;
	return bytes;
}

/* set the size of all steps but of those that have one only */
static inline void kv_job_resize(struct kv_job *job, u32 size)
{
	u32 i;

	for (i = 0; i < job->nsteps; i++) {
		u32 fixed = kv_op_rules[job->step[i].op].bytes;

		job->step[i].size = fixed && job->nsteps > 1 ? fixed : size;
	}
}

/* does an operation of the job have an MR of its own? */
static inline u32 kv_job_registers(const struct kv_job *job)
{
	u32 i;

	for (i = 0; i < job->nsteps; i++) {
		if (kv_op_rules[job->step[i].op].mr)
			return 1;
	}
	return 0;
}

/*
 * What an operation leaves of its MR, when it is not what it found: 0, or the
 * operation that puts it back.
 */
static inline u32 kv_job_restore(const struct kv_job *job)
{
	u32 first = KV_MR_LEFT, last = KV_MR_LEFT, mr, i;

	for (i = 0; i < job->nsteps; i++) {
		mr = kv_op_rules[job->step[i].op].mr;
		if (!mr)
			continue;
		if (!first)
			first = mr;
		last = mr;
	}
	if (first == KV_MR_REGISTERED && last == KV_MR_REGISTERED)
		return KVERBS_OP_LOCAL_INV;
	if (first > KV_MR_REGISTERED && last > KV_MR_REGISTERED)
		return KVERBS_OP_REG_MR;
	return 0;
}

/* is an operation an exchange, in which the peer is told the rkey of its memory? */
static inline u32 kv_job_exchanges(const struct kv_job *job)
{
	return job->reg == KVERBS_REG_EXCHANGE;
}

/* the WRs of both ends of an exchange: those of a slot, and two that are posted alone */
enum {
	KV_EXCHANGE_FIRST,	/* REG_MR before the SEND, or what the peer does */
	KV_EXCHANGE_SEND,
	KV_EXCHANGE_WRS,	/* of a slot, at most */
	KV_EXCHANGE_REG = KV_EXCHANGE_WRS,
	KV_EXCHANGE_INV,
	KV_EXCHANGE_ALL,
};

/**
 * struct kv_offer - the message that opens memory to the peer
 * @addr: where it is, as the peer names it
 * @rkey: by which it is reached
 * @bytes: how much it is
 *
 * Both ends are on one host: in its byte order.
 */
struct kv_offer {
	u64 addr;
	u32 rkey;
	u32 bytes;
};

#define KV_OFFER_ROOM		64	/* at the end of a half: a cache line of its own */

/* WRs of an operation: one a step, and one that restores its MR between two of them */
static inline u32 kv_job_wrs(const struct kv_job *job)
{
	if (kv_job_exchanges(job))
		return KV_EXCHANGE_WRS;
	return job->nsteps + !!kv_job_restore(job);
}

/* the operation of the i-th of these */
static inline u32 kv_job_wr_op(const struct kv_job *job, u32 i)
{
	return i < job->nsteps ? job->step[i].op : kv_job_restore(job);
}

/* bytes that it moves, or that its MR covers */
static inline u32 kv_job_wr_size(const struct kv_job *job, u32 i)
{
	return job->step[i < job->nsteps ? i : 0].size;
}

/* is there an atomic among the steps? */
static inline u32 kv_job_atomic(const struct kv_job *job)
{
	u32 i;

	for (i = 0; i < job->nsteps; i++) {
		if (kv_op_rules[job->step[i].op].atomic)
			return 1;
	}
	return 0;
}

/* is one of them of the memory placement extensions? The first, or 0 */
static inline u32 kv_job_placement(const struct kv_job *job)
{
	u32 i;

	for (i = 0; i < job->nsteps; i++) {
		if (kv_op_rules[job->step[i].op].placement)
			return job->step[i].op;
	}
	return 0;
}

/* does one of them flush? */
static inline u32 kv_job_flushes(const struct kv_job *job)
{
	u32 i;

	for (i = 0; i < job->nsteps; i++) {
		if (job->step[i].op == KVERBS_OP_FLUSH)
			return 1;
	}
	return 0;
}

/* is one WR posted before the run, as drivers advertise what they refuse? */
static inline u32 kv_job_probes(const struct kv_job *job)
{
	return kv_job_atomic(job) || kv_job_placement(job);
}

/* bytes that an operation needs, or its MR covers: its steps use the same ones */
static inline u32 kv_job_covered(const struct kv_job *job)
{
	u32 bytes = 0, i;

	for (i = 0; i < job->nsteps; i++)
		bytes = job->step[i].size > bytes ? job->step[i].size : bytes;
	return bytes;
}

/* is a checked job one of iWARP, where it is TCP that repeats what got lost? */
static inline u32 kv_job_iwarp(const struct kv_job *job)
{
	return job->connect == KVERBS_CONNECT_CM && job->timeout == KV_AUTO;
}

/*
 * May a LOCAL_INV take the MR from under a message that is not acknowledged yet? It is
 * executed when its turn comes, and a message that finds no receive is sent again.
 */
static inline u32 kv_job_inv_early(const struct kv_job *job)
{
	u32 sent = 0, i;

	for (i = 0; i < job->nsteps; i++) {
		if (sent && kv_op_rules[job->step[i].op].mr == KV_MR_INVALIDATED)
			return 1;
		sent |= kv_op_rules[job->step[i].op].two_sided;
		if (job->step[i].flags & KVERBS_STEP_WAIT)
			sent = 0;
	}
	return 0;
}

/*
 * Receives that a sender must not outrun, or 0. Over iWARP its WRs complete early, and a
 * message that finds none ends the connection. An answer tells of one, too.
 */
static inline u32 kv_job_credit(const struct kv_job *job)
{
	return (kv_job_iwarp(job) || kv_job_inv_early(job)) &&
	       kv_job_rule(job)->two_sided &&
	       !kv_shape_rules[job->shape].answers ? job->recv_depth : 0;
}

/* enum ib_access_flags and enum ibv_access_flags, which agree */
enum {
	KV_ACCESS_LOCAL_WRITE = 1 << 0,
	KV_ACCESS_REMOTE_WRITE = 1 << 1,
	KV_ACCESS_REMOTE_READ = 1 << 2,
	KV_ACCESS_REMOTE_ATOMIC = 1 << 3,
	KV_ACCESS_FLUSH_GLOBAL = 1 << 8,
	KV_ACCESS_FLUSH_PERSISTENT = 1 << 9,
};

/* what allows it */
enum {
	KV_ACCESS_OF_QP,
	KV_ACCESS_OF_BUFFER,	/* MRs over the buffer of an end */
	KV_ACCESS_OF_IO,	/* MRs of the memory of an operation */
};

/**
 * kv_job_access - what a QP or an MR allows
 * @job: checked job
 * @of: KV_ACCESS_OF_*
 * Return: mask of KV_ACCESS_*
 */
static inline u32 kv_job_access(const struct kv_job *job, u32 of)
{
	const struct kv_op_rule *op;
	u32 peer = 0, reads = 0, flush = 0, sink, i;

	if (kv_job_flushes(job))
		flush = job->flush_type == KVERBS_FLUSH_TYPE_PERSISTENT ?
			KV_ACCESS_FLUSH_PERSISTENT : KV_ACCESS_FLUSH_GLOBAL;
	if (job->access == KVERBS_ACCESS_ALL)
		return KV_ACCESS_LOCAL_WRITE | KV_ACCESS_REMOTE_WRITE |
		       KV_ACCESS_REMOTE_READ | flush |
		       (kv_job_atomic(job) ? KV_ACCESS_REMOTE_ATOMIC : 0);
	for (i = 0; i < job->nsteps; i++) {
		op = &kv_op_rules[job->step[i].op];
		reads |= op->reads;
		if (op->atomic)
			peer |= KV_ACCESS_REMOTE_ATOMIC;
		else if (job->step[i].op == KVERBS_OP_FLUSH)
			peer |= flush;
		else if (op->remote)
			peer |= op->reads ? KV_ACCESS_REMOTE_READ :
					    KV_ACCESS_REMOTE_WRITE;
	}
	if (of == KV_ACCESS_OF_QP)
		return peer;
	/* the answer to a READ of iWARP is written as if from afar */
	sink = reads && kv_job_iwarp(job) ? KV_ACCESS_REMOTE_WRITE : 0;
	/* messages come into it, and a READ fills it */
	if (of == KV_ACCESS_OF_BUFFER)
		return KV_ACCESS_LOCAL_WRITE | sink |
		       (kv_job_exchanges(job) ? 0 : peer);
	if (!kv_job_exchanges(job))
		return reads ? KV_ACCESS_LOCAL_WRITE | sink : 0;
	/* who may write from afar may write at home */
	return peer | (peer & ~(u32)KV_ACCESS_REMOTE_READ ?
		       KV_ACCESS_LOCAL_WRITE : 0);
}

/* is the i-th WR the last of its chain? */
static inline u32 kv_job_wr_ends(const struct kv_job *job, u32 i)
{
	return i + 1 >= job->nsteps || (job->step[i].flags & KVERBS_STEP_WAIT);
}

/* does the lane post an operation in parts, and wait for each? */
static inline u32 kv_job_phased(const struct kv_job *job)
{
	u32 i;

	for (i = 0; i < job->nsteps; i++) {
		if (i + 1 < job->nsteps && kv_job_wr_ends(job, i))
			return 1;
	}
	return !!kv_job_restore(job);
}

/* is the memory of an operation mapped and registered for it, by WRs? */
static inline u32 kv_job_maps(const struct kv_job *job)
{
	/* of an exchange the check decides how, in the kernel alone */
	if (kv_job_exchanges(job))
		return job->dma_map != KV_AUTO;
	return kv_reg_rules[job->reg].wrs && kv_job_registers(job);
}

/* is it rdma_rw that maps it, and makes the WRs? */
static inline u32 kv_job_rw(const struct kv_job *job)
{
	return job->reg == KVERBS_REG_RW;
}

/* is a window bound for each operation, by its lane alone? */
static inline u32 kv_job_window(const struct kv_job *job)
{
	return job->reg == KVERBS_REG_WINDOW;
}

/* is it registered in user space, where the lane waits for that? */
static inline u32 kv_job_reg_mr(const struct kv_job *job)
{
	return (job->reg == KVERBS_REG_IO && !kv_job_registers(job)) ||
	       kv_job_window(job);
}

#define KV_REG_CALLS_MAX	2

/**
 * struct kv_reg_calls - what is called for the registration of an operation
 * @on: anything is around the post of an operation, or its time is to be known
 * @nbegin: entries of @begin
 * @begin: before its post, each by the metric that it is timed as
 * @nend: entries of @end
 * @end: after its completion, likewise
 */
struct kv_reg_calls {
	u32 on;
	u32 nbegin;
	u32 begin[KV_REG_CALLS_MAX];
	u32 nend;
	u32 end[KV_REG_CALLS_MAX];
};

/**
 * kv_job_reg_calls - the calls of a job
 * @job: checked job
 * @calls: filled
 */
static inline void kv_job_reg_calls(const struct kv_job *job,
				    struct kv_reg_calls *calls)
{
	u32 once = job->dma_map == KVERBS_DMA_MAP_ONCE;

	calls->on = kv_reg_rules[job->reg].each;
	calls->nbegin = 0;
	calls->nend = 0;
	if (kv_job_maps(job)) {
		calls->begin[calls->nbegin++] = KVERBS_METRIC_MAP;
		if (once) {
			calls->begin[calls->nbegin++] = KVERBS_METRIC_SYNC;
			calls->end[calls->nend++] = KVERBS_METRIC_SYNC;
		}
		calls->end[calls->nend++] = KVERBS_METRIC_UNMAP;
	} else if (kv_job_rw(job)) {
		calls->begin[calls->nbegin++] = KVERBS_METRIC_MAP;
		calls->end[calls->nend++] = KVERBS_METRIC_UNMAP;
	} else if (kv_job_reg_mr(job)) {
		calls->begin[calls->nbegin++] = KVERBS_METRIC_REG;
		calls->end[calls->nend++] = KVERBS_METRIC_INV;
	}
}

/* is this one of them? */
static inline u32 kv_job_reg_has(const struct kv_job *job, u32 metric)
{
	struct kv_reg_calls calls;
	u32 i, has = 0;

	kv_job_reg_calls(job, &calls);
	for (i = 0; i < calls.nbegin; i++)
		has |= calls.begin[i] == metric;
	for (i = 0; i < calls.nend; i++)
		has |= calls.end[i] == metric;
	return has;
}

#define KV_PHASES_MAX		(KVERBS_STEPS_MAX + 1)

/**
 * struct kv_phase - a chain of WRs of an operation, and the wait for its last one
 * @first: its first WR, of those of the operation
 * @n: its WRs
 * @metric: enum kverbs_metric of the time from post to completion, or
 *	__KVERBS_METRIC_MAX
 * @outside: it comes between two operations, and no sample is taken
 */
struct kv_phase {
	u32 first;
	u32 n;
	u32 metric;
	u32 outside;
};

/**
 * kv_job_phases - the parts of an operation
 * @job: job with known steps
 * @phase: filled, KV_PHASES_MAX entries
 * Return: how many; 0 when each operation is one chain and leaves nothing to be done
 */
static inline u32 kv_job_phases(const struct kv_job *job, struct kv_phase *phase)
{
	u32 wrs = kv_job_wrs(job), n = 0, first = 0, i;

	if (!kv_job_phased(job))
		return 0;
	for (i = 0; i < wrs; i++) {
		if (!kv_job_wr_ends(job, i))
			continue;
		phase[n].first = first;
		phase[n].n = i + 1 - first;
		phase[n].outside = first >= job->nsteps;
		phase[n].metric = i == first && !phase[n].outside ?
				  kv_op_metric(job->step[i].op) :
				  __KVERBS_METRIC_MAX;
		first = i + 1;
		n++;
	}
	return n;
}

/* does a phase have this metric? */
static inline u32 kv_job_phase_has(const struct kv_job *job, u32 metric)
{
	struct kv_phase phase[KV_PHASES_MAX];
	u32 n = kv_job_phases(job, phase), i;

	for (i = 0; i < n; i++) {
		if (phase[i].metric == metric)
			return 1;
	}
	return 0;
}

/* what an exchange waits for alone: REG_MR before it, LOCAL_INV after it; n is 0 if not */
static inline void kv_job_exchange(const struct kv_job *job,
				   struct kv_phase *reg, struct kv_phase *inv)
{
	reg->first = KV_EXCHANGE_REG;
	reg->n = kv_job_exchanges(job) &&
		 job->reg_wait == KVERBS_REG_WAIT_ALL;
	reg->metric = KVERBS_METRIC_REG;
	reg->outside = 0;
	inv->first = KV_EXCHANGE_INV;
	inv->n = kv_job_exchanges(job) &&
		 job->exchange_inv == KVERBS_EXCHANGE_INV_LOCAL;
	inv->metric = KVERBS_METRIC_INV;
	inv->outside = 0;
}

/* is this metric of one of the two? */
static inline u32 kv_job_exchange_has(const struct kv_job *job, u32 metric)
{
	struct kv_phase reg, inv;

	kv_job_exchange(job, &reg, &inv);
	return (reg.n && metric == reg.metric) ||
	       (inv.n && metric == inv.metric);
}

/* does a lane of this role take messages that have to invalidate its MR? */
static inline u32 kv_job_taken(const struct kv_job *job, u32 role)
{
	if (kv_job_exchanges(job))
		return role == KVERBS_ROLE_INITIATOR &&
		       job->exchange_inv == KVERBS_EXCHANGE_INV_REMOTE;
	return kv_job_rule(job)->mr == KV_MR_TAKEN;
}

/* does the operation complete a receive at the peer? */
static inline u32 kv_job_two_sided(const struct kv_job *job)
{
	return kv_job_rule(job)->two_sided || kv_job_exchanges(job);
}

/* does a lane of this role take messages out of a receive queue? */
static inline u32 kv_job_takes(const struct kv_job *job, u32 role)
{
	return kv_job_two_sided(job) && !kv_shape_rules[job->shape].control &&
	       (role == KVERBS_ROLE_RESPONDER || job->bidirectional ||
		kv_shape_rules[job->shape].answers);
}

/* receives that the peer of a turn of shape recover has, 0: it takes no messages */
static inline u32 kv_job_theirs(const struct kv_job *job)
{
	return kv_job_two_sided(job) && kv_shape_rules[job->shape].control ?
	       job->recv_depth : 0;
}

/* receive queues of a lane that takes messages */
static inline u32 kv_job_rings(const struct kv_job *job)
{
	return kv_job_two_sided(job) && !job->srq ? job->lane_qps : 1;
}

/* receives kept posted to each of them */
static inline u32 kv_job_ring_depth(const struct kv_job *job)
{
	return job->recv_depth / kv_job_rings(job);
}

/**
 * kv_job_refill - when receives are posted again, and how many a call
 * @job: checked job, two-sided
 * @from: when so many of a queue were taken
 * @chain: WRs of a post call at most
 */
static inline void kv_job_refill(const struct kv_job *job, u32 *from, u32 *chain)
{
	u32 depth = kv_job_ring_depth(job);

	*from = 1;
	*chain = depth;
	if (job->refill == KVERBS_REFILL_EACH)
		*chain = 1;
	else if (job->refill == KVERBS_REFILL_WATERMARK)
		*from = depth - job->low_water;
	else if (job->recv_chain != KV_AUTO)
		*from = *chain = job->recv_chain;
}

/* receives of the SRQ of a lane of this role below which an event comes, 0: none does */
static inline u32 kv_job_limit(const struct kv_job *job, u32 role)
{
	return job->srq_limit != KV_AUTO && kv_job_takes(job, role) ?
	       job->srq_limit : 0;
}

/* extended calls, of a provider that has but the simple ones right */
static inline u32 kv_job_single(const struct kv_job *job,
				const struct kv_caps *caps)
{
	return job->api == KVERBS_API_WR && caps->wr_single;
}

/* lanes of a pair: two when the peer has something to do of its own accord */
static inline u32 kv_job_lanes_per_pair(const struct kv_job *job)
{
	if (kv_shape_rules[job->shape].control)
		return 1;
	return kv_job_two_sided(job) || kv_shape_rules[job->shape].answers ||
	       job->bidirectional ? 2 : 1;
}

/* what a lane of the job is: enum kverbs_role */
static inline u32 kv_job_role(const struct kv_job *job, u32 lane)
{
	return job->bidirectional || !(lane % kv_job_lanes_per_pair(job)) ?
	       KVERBS_ROLE_INITIATOR : KVERBS_ROLE_RESPONDER;
}

/* lanes of a pair that begin operations */
static inline u32 kv_job_initiators(const struct kv_job *job)
{
	return job->bidirectional ? 2 : 1;
}

/* lanes that tell each other how far they are have the same number */
static inline u32 kv_job_pair_of(const struct kv_job *job, u32 lane)
{
	return job->bidirectional ? lane : lane / kv_job_lanes_per_pair(job);
}

/* the lane of an end, 2 to a pair; of one without a lane that of its pair */
static inline u32 kv_job_lane_of(const struct kv_job *job, u32 end)
{
	u32 lanes = kv_job_lanes_per_pair(job);

	return end / 2 * lanes + (lanes > 1 ? end % 2 : 0);
}

/* lanes of the whole job */
static inline u32 kv_job_lanes(const struct kv_job *job)
{
	return job->pairs * kv_job_lanes_per_pair(job);
}

/* does a set-up? */
static inline u32 kv_job_setup_has(const struct kv_job *job, u32 metric)
{
	switch (metric) {
	case KVERBS_METRIC_TO_INIT:
	case KVERBS_METRIC_TO_RTR:
	case KVERBS_METRIC_TO_RTS:
		return job->connect != KVERBS_CONNECT_CM;
	case KVERBS_METRIC_CREATE_ID:
	case KVERBS_METRIC_RESOLVE_ADDR:
	case KVERBS_METRIC_RESOLVE_ROUTE:
	case KVERBS_METRIC_CONNECT:
	case KVERBS_METRIC_DISCONNECT:
	case KVERBS_METRIC_DESTROY_ID:
		return job->connect == KVERBS_CONNECT_CM;
	case KVERBS_METRIC_CREATE_QP:
	case KVERBS_METRIC_DESTROY_QP:
	case KVERBS_METRIC_SETUP:
	case KVERBS_METRIC_CREATE_CQ:
	case KVERBS_METRIC_DESTROY_CQ:
	case KVERBS_METRIC_MR_ALLOC:
	case KVERBS_METRIC_MR_FREE:
	case KVERBS_METRIC_POOL_INIT:
	case KVERBS_METRIC_POOL_FREE:
		return 1;
	}
	return 0;
}

/* QPs of a storm: rdma_cm connects two, verbs each to itself */
static inline u32 kv_job_storm_qps(const struct kv_job *job)
{
	return job->connect == KVERBS_CONNECT_CM ? 2 * job->storm : job->storm;
}

/* is it of calls that user space has not? */
static inline u32 kv_metric_kernel(u32 metric)
{
	return metric == KVERBS_METRIC_POOL_INIT ||
	       metric == KVERBS_METRIC_POOL_FREE;
}

/* does a turn of the control path have this metric? */
static inline u32 kv_job_turn_has(const struct kv_job *job, u32 metric)
{
	u32 recreate = job->recover == KVERBS_RECOVER_RECREATE;

	if (job->shape == KVERBS_SHAPE_SETUP)
		return kv_job_setup_has(job, metric);
	switch (metric) {
	case KVERBS_METRIC_RECOVER:
	case KVERBS_METRIC_FLUSH:
	case KVERBS_METRIC_RENEW:
	case KVERBS_METRIC_CONNECT:
	case KVERBS_METRIC_FIRST:
	case KVERBS_METRIC_TO_ERR:
	case KVERBS_METRIC_TO_INIT:
	case KVERBS_METRIC_TO_RTR:
	case KVERBS_METRIC_TO_RTS:
		return 1;
	case KVERBS_METRIC_TO_RESET:
		return !recreate;
	case KVERBS_METRIC_CREATE_QP:
	case KVERBS_METRIC_DESTROY_QP:
		return recreate;
	}
	return 0;
}

/* does a lane of this role measure this metric? */
static inline u32 kv_job_has_metric(const struct kv_job *job, u32 role,
				    u32 metric)
{
	u32 sends = role == KVERBS_ROLE_INITIATOR ||
		    kv_shape_rules[job->shape].answers;
	u32 takes = kv_job_takes(job, role);
	u32 polls = job->timing == KVERBS_TIMING_ALL &&
		    !kv_context_rules[job->context].callback;

	if (job->timing == KVERBS_TIMING_NONE)
		return 0;
	if (kv_shape_rules[job->shape].control)
		return role == KVERBS_ROLE_INITIATOR && kv_job_turn_has(job, metric);
	switch (metric) {
	case KVERBS_METRIC_POST:
		return sends;
	case KVERBS_METRIC_POLL:
		return sends && polls;
	case KVERBS_METRIC_LAT:
		return role == KVERBS_ROLE_INITIATOR &&
		       !kv_shape_rules[job->shape].answers;
	case KVERBS_METRIC_RTT:
		return role == KVERBS_ROLE_INITIATOR &&
		       kv_shape_rules[job->shape].answers;
	case KVERBS_METRIC_RECV_POST:
		return takes && job->timing == KVERBS_TIMING_ALL;
	case KVERBS_METRIC_RECV_POLL:
		return takes && !sends && polls;
	case KVERBS_METRIC_RESPONSE:
		return role == KVERBS_ROLE_INITIATOR &&
		       kv_shape_rules[job->shape].paced;
	case KVERBS_METRIC_REG:
	case KVERBS_METRIC_INV:
		return role == KVERBS_ROLE_INITIATOR &&
		       (kv_job_phase_has(job, metric) ||
			kv_job_exchange_has(job, metric) ||
			kv_job_reg_has(job, metric));
	case KVERBS_METRIC_MAP:
	case KVERBS_METRIC_SYNC:
	case KVERBS_METRIC_UNMAP:
		return role == KVERBS_ROLE_INITIATOR &&
		       kv_job_reg_has(job, metric);
	case KVERBS_METRIC_IO:
		/* elsewhere several are under way, and share what is called for them */
		return role == KVERBS_ROLE_INITIATOR &&
		       job->reg != KVERBS_REG_ONCE &&
		       (job->shape == KVERBS_SHAPE_LAT ||
			kv_job_exchanges(job));
	case KVERBS_METRIC_HANDLER:
		/* an event of a CQ of many is no lane's */
		return kv_context_rules[job->context].events &&
		       job->cq != KVERBS_CQ_SHARED;
	}
	return 0;
}

/* the metric that a job is about */
static inline u32 kv_job_about(const struct kv_job *job)
{
	return job->reg != KVERBS_REG_ONCE &&
	       (job->shape == KVERBS_SHAPE_LAT || kv_job_exchanges(job)) ?
	       KVERBS_METRIC_IO : kv_shape_rules[job->shape].metric;
}

/* bytes from one message to the next */
static inline u64 kv_job_stride(const struct kv_job *job)
{
	u64 size = kv_job_covered(job);

	if (kv_transport_rules[job->transport].datagram)
		size += KV_GRH_BYTES;
	return size ? (size + 63) & ~63ULL : 64;
}

/* places that messages of a lane lie in */
static inline u32 kv_job_places(const struct kv_job *job)
{
	if (job->pattern == KVERBS_PATTERN_FIXED)
		return 1;
	return (u32)(job->span / (u32)kv_job_stride(job));
}

/* is a WR given its place, or its MR, before each post? */
static inline u32 kv_job_aims(const struct kv_job *job)
{
	return job->pattern != KVERBS_PATTERN_FIXED || job->mrs > 1;
}

/* messages that a half has room for: data that is checked needs a place each */
static inline u32 kv_job_slots(const struct kv_job *job)
{
	if (!job->check_data)
		return kv_job_places(job);
	return job->recv_depth > job->outstanding ? job->recv_depth :
						    job->outstanding;
}

/* bytes of one of the two halves (outgoing, incoming) of a QP's buffer */
static inline u64 kv_job_half(const struct kv_job *job)
{
	return kv_job_stride(job) * kv_job_slots(job) +
	       (kv_job_exchanges(job) ? KV_OFFER_ROOM : 0);
}

#define KV_REG_PAGE		4096ULL
#define KV_SG_GAP		192U	/* bytes at both ends of a page that are left out */
#define KV_SG_PART		((u32)KV_REG_PAGE - 2 * KV_SG_GAP)

/* entries of the SG list of an operation, where it is one of pages */
static inline u32 kv_job_sg_entries(const struct kv_job *job)
{
	u32 part = job->sg_list == KVERBS_SG_LIST_GAPS ? KV_SG_PART :
							 (u32)KV_REG_PAGE;
	u32 bytes = kv_job_covered(job);

	return bytes / part + !!(bytes % part);
}

#define KV_RW_ENTRIES		256U	/* of an SG list, that rdma_rw has in one MR */

/* MRs that rdma_rw takes for an operation, where it takes any */
static inline u32 kv_job_rw_mrs(const struct kv_job *job)
{
	u32 entries = kv_job_sg_entries(job);

	if (!kv_job_rw(job))
		return 0;
	return entries / KV_RW_ENTRIES + !!(entries % KV_RW_ENTRIES);
}

/*
 * WRs of an operation that a queue has to hold. How rdma_rw does it is not known before
 * it has: a READ or WRITE for every so many SGEs, or one an MR, with its LOCAL_INV and
 * REG_MR.
 */
static inline u32 kv_job_queued(const struct kv_job *job)
{
	u32 entries = kv_job_sg_entries(job), mrs = kv_job_rw_mrs(job), wrs;

	if (!kv_job_rw(job))
		return kv_job_wrs(job);
	wrs = entries / job->sges + !!(entries % job->sges);
	return (wrs > mrs ? wrs : mrs) + 2 * mrs;
}

#define KV_RXE_TABLE		256	/* pages of a table of rxe's */

/*
 * rxe looks for the page after the one that it copied, past the end of its table where
 * that table is full (rxe_mr_copy() until 6.3): pages that an MR of it has more.
 */
static inline u32 kv_rxe_spare(u64 pages)
{
	return !(pages & (KV_RXE_TABLE - 1));
}

/* memory of an operation that is registered for it: whole pages */
static inline u64 kv_job_reg_bytes(const struct kv_job *job)
{
	/* a window of user space lies in the buffer */
	if (job->reg == KVERBS_REG_ONCE ||
	    (kv_job_exchanges(job) && !kv_job_maps(job)))
		return 0;
	return kv_job_sg_entries(job) * KV_REG_PAGE;
}

/* bytes of its whole buffer, as it is allocated: a block is a power of two of pages */
static inline u64 kv_job_buffer(const struct kv_job *job)
{
	u64 bytes = 2 * kv_job_half(job), block = KV_REG_PAGE;

	if (job->memory == KVERBS_MEMORY_HUGE)
		return (bytes + KV_HUGE_BYTES - 1) & ~(u64)(KV_HUGE_BYTES - 1);
	if (job->memory != KVERBS_MEMORY_CONTIGUOUS)
		return bytes;
	while (block && block < bytes)
		block *= 2;
	return block ? block : bytes;
}

/* bytes of the i-th of the pieces that a message is split into */
static inline u32 kv_job_piece(const struct kv_job *job, u32 i)
{
	u32 size = kv_job_size(job);

	return size / job->sges + (i < size % job->sges);
}

/* SGEs of a WR; a message without payload has none */
static inline u32 kv_job_sges(const struct kv_job *job)
{
	return kv_job_size(job) ? job->sges : 0;
}

static inline u32 kv_job_cq_depth(const struct kv_job *job);

#define KV_CQE_BYTES		64	/* of a driver's CQ */

/* entries of the CQ of all QPs */
static inline u64 kv_job_shared_depth(const struct kv_job *job)
{
	return 2ULL * job->pairs * kv_job_cq_depth(job);
}

/* bytes of CQs, where a lane has many: with an SRQ each holds all receives of the lane */
static inline u64 kv_job_cqs_bytes(const struct kv_job *job)
{
	if (job->cq != KVERBS_CQ_QP)
		return 0;
	return 2ULL * job->pairs * job->lane_qps * kv_job_cq_depth(job) *
	       KV_CQE_BYTES;
}

/**
 * kv_job_bytes - memory that a job needs
 * @job: job that passed kv_job_check()
 * Return: bytes of buffers, histograms and a CQ for each QP; other queues of the
 *	driver not counted
 */
static inline u64 kv_job_bytes(const struct kv_job *job)
{
	u64 bytes = job->pairs * 2 * kv_job_buffer(job) +
		    job->pairs * kv_job_reg_bytes(job) * job->outstanding +
		    kv_job_cqs_bytes(job);
	u32 lane, metric;

	for (lane = 0; lane < kv_job_lanes_per_pair(job); lane++) {
		for (metric = 0; metric < __KVERBS_METRIC_MAX; metric++) {
			if (kv_job_has_metric(job, kv_job_role(job, lane),
					      metric))
				bytes += job->pairs * sizeof(struct kv_hist);
		}
	}
	return bytes;
}

/* messages that memory allows a half to have, for a depth that nobody asked for */
static inline u32 kv_job_fit(const struct kv_job *job,
			     const struct kv_caps *caps)
{
	u64 half = caps->max_reg_bytes / 2, fit;
	u64 room = caps->limit_bytes / 8 / job->pairs;

	if ((job->reg == KVERBS_REG_ONCE && !job->check_data) ||
	    kv_job_exchanges(job))
		return ~0U;
	if (job->reg != KVERBS_REG_ONCE)
		fit = room / kv_job_reg_bytes(job);
	else
		fit = (half < room ? half : room) / kv_job_stride(job);
	return fit < 1 ? 1 : fit > ~0U ? ~0U : (u32)fit;
}

/* at least so many WRs, the same number of chains for each QP of a lane */
static inline u32 kv_job_even(const struct kv_job *job, u32 wrs)
{
	u32 turn = job->lane_qps * (job->chain == KV_AUTO ? 1 : job->chain);

	return (wrs + turn - 1) / turn * turn;
}

/* operations that there can be MRs for: rdma_rw has those of all in a pool of the QP */
static inline u32 kv_job_rw_fit(const struct kv_job *job,
				const struct kv_caps *caps)
{
	/* beside an MR of the buffer of each end; the initiator alone has a pool */
	u32 room = caps->max_mr / job->pairs, mrs = kv_job_rw_mrs(job);

	if (!mrs)
		return ~0U;
	room = room > 2 ? room - 2 : 0;
	return (room < KV_POOL_MAX ? room : KV_POOL_MAX) / mrs;
}

static inline int kv_job_check_window(struct kv_job *job,
				      const struct kv_caps *caps,
				      struct kv_refusal *no)
{
	u32 room = caps->max_qp_wr < caps->limit_depth ? caps->max_qp_wr :
							 caps->limit_depth;
	const struct kv_shape_rule *shape = &kv_shape_rules[job->shape];
	u32 fit = kv_job_fit(job, caps), rw_fit = kv_job_rw_fit(job, caps);
	u32 auto_recv, recv_room, recv_max;

	room = room > KV_MARKERS ? room - KV_MARKERS : 0;
	if (caps->max_cqe < room + KV_MARKERS)
		room = caps->max_cqe > KV_MARKERS ? caps->max_cqe - KV_MARKERS : 0;
	recv_max = room;
	if (job->srq)
		recv_max = caps->max_srq_wr < caps->limit_depth ?
			   caps->max_srq_wr : caps->limit_depth;
	if (!room)
		return kv_refuse(no, KVERBS_JOB_A_OUTSTANDING,
				 "tx-depth: no WR fits into a queue here (device: max_qp_wr %u, max_cqe %u; engine: %u; %u reserved); use another device, or raise the module's max_depth",
				 caps->max_qp_wr, caps->max_cqe,
				 caps->limit_depth, KV_MARKERS);
	if (kv_job_queued(job) > room)
		return kv_refuse(no, KVERBS_JOB_A_STEP,
				 "size %u: an operation is up to %u WRs, a queue holds %u (device: max_qp_wr %u, max_cqe %u; engine: %u; %u reserved); use %s",
				 kv_job_size(job), kv_job_queued(job), room,
				 caps->max_qp_wr, caps->max_cqe,
				 caps->limit_depth, KV_MARKERS,
				 kv_job_rw(job) ? "a smaller -s" : "fewer steps");
	if (!rw_fit)
		return kv_refuse(no, KVERBS_JOB_A_STEP,
				 "size %u: rdma_rw has a pool of %u MRs for an operation, a QP has up to %u, the device %u; use a smaller -s or -q",
				 kv_job_size(job), kv_job_rw_mrs(job),
				 KV_POOL_MAX, caps->max_mr);
	/* an operation that fails may complete each of its WRs */
	room /= kv_job_queued(job);
	if (!shape->window && job->outstanding != KV_AUTO && job->outstanding != 1)
		return kv_refuse(no, KVERBS_JOB_A_OUTSTANDING,
				 "tx-depth %u: shape %s keeps one WR outstanding; use --shape rate",
				 job->outstanding, shape->name);
	if (!shape->chains) {
		if (job->chain != KV_AUTO && job->chain != 1)
			return kv_refuse(no, KVERBS_JOB_A_CHAIN,
					 "post-list %u: shape %s posts one WR a call; use --shape rate",
					 job->chain, shape->name);
		if (job->signal != KV_AUTO && job->signal != 1)
			return kv_refuse(no, KVERBS_JOB_A_SIGNAL,
					 "cq-mod %u: shape %s signals every WR; use --shape rate",
					 job->signal, shape->name);
	}
	if (job->outstanding == KV_AUTO) {
		job->outstanding = shape->depth;
		/* each QP of a lane has as many chains */
		if (shape->chains && job->lane_qps > 1)
			job->outstanding = kv_job_even(job, job->outstanding);
		if (job->outstanding > room)
			job->outstanding = room;
		if (job->outstanding > fit)
			job->outstanding = fit;
		if (job->outstanding > rw_fit)
			job->outstanding = rw_fit;
		/* a chain or an interval that was asked for sets the window */
		if (shape->chains && job->chain != KV_AUTO &&
		    job->chain > job->outstanding)
			job->outstanding = job->chain;
		if (shape->chains && job->signal != KV_AUTO &&
		    job->signal > job->outstanding)
			job->outstanding = job->signal;
	}
	if (job->outstanding > room)
		return kv_refuse(no, KVERBS_JOB_A_OUTSTANDING,
				 "tx-depth %u: the limit here is %u (device: max_qp_wr %u, max_cqe %u; engine: %u; %u reserved); use -t %u or less",
				 job->outstanding, room, caps->max_qp_wr,
				 caps->max_cqe, caps->limit_depth, KV_MARKERS,
				 room);
	if (job->outstanding > rw_fit)
		return kv_refuse(no, KVERBS_JOB_A_OUTSTANDING,
				 "tx-depth %u: rdma_rw has a pool of MRs for so many operations, of %u each, a QP has up to %u, the device %u; use -t %u or less",
				 job->outstanding, kv_job_rw_mrs(job),
				 KV_POOL_MAX, caps->max_mr, rw_fit);
	if (job->chain == KV_AUTO)
		job->chain = 1;
	if (job->chain > job->outstanding)
		return kv_refuse(no, KVERBS_JOB_A_CHAIN,
				 "post-list %u: a chain cannot exceed the %u WRs outstanding; use -l %u or -t %u",
				 job->chain, job->outstanding, job->outstanding,
				 job->chain);
	if (job->signal == KV_AUTO)
		job->signal = 1;
	if (job->signal > job->outstanding)
		return kv_refuse(no, KVERBS_JOB_A_SIGNAL,
				 "cq-mod %u: no completion would come with %u WRs outstanding; use -Q %u or -t %u",
				 job->signal, job->outstanding,
				 job->outstanding, job->signal);
	if (!kv_job_two_sided(job)) {
		if (job->recv_depth != KV_AUTO && job->recv_depth)
			return kv_refuse(no, KVERBS_JOB_A_RECV_DEPTH,
					 "rx-depth %u: %s consumes no receives; leave -r out",
					 job->recv_depth,
					 kv_job_rule(job)->name);
		job->recv_depth = 0;
	} else {
		/* the sender never outruns receives that are being reposted */
		auto_recv = 2 * job->outstanding < KV_RECV_DEPTH ?
			    KV_RECV_DEPTH : 2 * job->outstanding;
		if (auto_recv > fit)
			auto_recv = fit;
		/* sends and receives complete on one CQ */
		recv_room = caps->max_cqe - KV_MARKERS -
			    job->outstanding * kv_job_queued(job);
		if (!recv_room)
			return kv_refuse(no, KVERBS_JOB_A_OUTSTANDING,
					 "tx-depth %u: leaves no entry of a CQ (max_cqe %u) for receives; use a smaller -t",
					 job->outstanding, caps->max_cqe);
		if (recv_room > recv_max)
			recv_room = recv_max;
		if (job->recv_depth == KV_AUTO) {
			if (auto_recv > recv_room)
				auto_recv = recv_room;
			/* as many for each queue, one at least */
			job->recv_depth = auto_recv - auto_recv % kv_job_rings(job);
			if (!job->recv_depth)
				job->recv_depth = kv_job_rings(job);
		}
		if (job->recv_depth > recv_room)
			return kv_refuse(no, KVERBS_JOB_A_RECV_DEPTH,
					 "rx-depth %u: the limit here is %u (%s %u, max_cqe %u less tx-depth %u); use -r %u or less",
					 job->recv_depth, recv_room,
					 job->srq ? "max_srq_wr" : "max_qp_wr",
					 job->srq ? caps->max_srq_wr : caps->max_qp_wr,
					 caps->max_cqe,
					 job->outstanding, recv_room);
		/* a sender is told of receives one by one, of one queue */
		if (caps->link == KVERBS_LINK_IWARP &&
		    (job->lane_qps > 1 || job->srq ||
		     job->recv_chain != KV_AUTO ||
		     job->refill == KVERBS_REFILL_WATERMARK))
			return kv_refuse(no, job->lane_qps > 1 ? KVERBS_JOB_A_LANE_QPS :
					     job->srq ? KVERBS_JOB_A_SRQ :
					     job->recv_chain != KV_AUTO ?
							KVERBS_JOB_A_RECV_CHAIN :
							KVERBS_JOB_A_REFILL,
					 "%s: over iWARP a sender waits for receives of one QP, posted again at once; leave it out",
					 job->lane_qps > 1 ? "lane-qps" :
					 job->srq ? "srq" :
					 job->recv_chain != KV_AUTO ?
					 "recv-chain" : "refill");
		if (caps->link == KVERBS_LINK_IWARP &&
		    job->recv_depth < job->chain)
			return kv_refuse(no, KVERBS_JOB_A_RECV_DEPTH,
					 "rx-depth %u: over iWARP a chain of %u waits until there is a receive for each; use -r %u or more",
					 job->recv_depth, job->chain,
					 job->chain);
	}
	if (job->poll_batch == KV_AUTO)
		job->poll_batch = shape->window && !kv_job_single(job, caps) ?
				  KV_RATE_BATCH : 1;
	if ((shape->answers || (!shape->window && !kv_job_two_sided(job))) &&
	    job->poll_batch != 1)
		return kv_refuse(no, KVERBS_JOB_A_POLL_BATCH,
				 "poll-batch %u: shape %s has one WC at a time; leave it out",
				 job->poll_batch, shape->name);
	return 0;
}

/* one CQ for the QPs of all lanes: handlers tell whose a WC is, and lanes that poll do not */
static inline int kv_job_check_shared(const struct kv_job *job,
				      const struct kv_caps *caps,
				      struct kv_refusal *no)
{
	const struct kv_context_rule *context = &kv_context_rules[job->context];

	if (job->cq != KVERBS_CQ_SHARED)
		return 0;
	if (!caps->kernel)
		return kv_refuse(no, KVERBS_JOB_A_CQ,
				 "cq shared: in user space a lane polls its CQ itself, and would take the WCs of others; use --engine kernel, or leave it out");
	if (job->context == KVERBS_CONTEXT_POOL)
		return kv_refuse(no, KVERBS_JOB_A_CQ,
				 "cq shared: of context pool it is ib_core that says who shares a CQ; leave it out, or use --context softirq");
	if (!context->callback || !context->sleeps)
		return kv_refuse(no, KVERBS_JOB_A_CQ,
				 "cq shared: with context %s a lane polls its CQ itself, and would take the WCs of others; use --context softirq, workqueue or unbound",
				 context->name);
	if (kv_job_shared_depth(job) > caps->max_cqe)
		return kv_refuse(no, KVERBS_JOB_A_CQ,
				 "cq shared: %llu entries for both ends of %u pairs, the device has up to %u; use a smaller -q, -t or -r, or leave it out",
				 (unsigned long long)kv_job_shared_depth(job),
				 job->pairs, caps->max_cqe);
	return 0;
}

/* the interrupts of a CQ are those of its vector */
static inline int kv_job_check_vector(const struct kv_job *job,
				      const struct kv_caps *caps,
				      struct kv_refusal *no)
{
	if (job->comp_vector == KV_AUTO || job->comp_vector < caps->vectors)
		return 0;
	return kv_refuse(no, KVERBS_JOB_A_COMP_VECTOR,
			 caps->vectors > 1 ?
			 "comp-vector %u: the device has %u completion vectors; use 0 to %u" :
			 "comp-vector %u: the device has %u completion vector; leave it out",
			 job->comp_vector, caps->vectors, caps->vectors - 1);
}

/* several QPs for one lane: their completions come in no order of the lane's */
static inline int kv_job_check_lane_qps(const struct kv_job *job,
					const struct kv_caps *caps,
					struct kv_refusal *no)
{
	u32 turn = job->lane_qps * job->chain;

	if (job->lane_qps == 1 && job->cq == KVERBS_CQ_QP)
		return kv_refuse(no, KVERBS_JOB_A_CQ,
				 "cq qp: the lane has one QP, and its CQ; use --lane-qps, or leave it out");
	if (job->lane_qps == 1)
		return 0;
	if (job->shape != KVERBS_SHAPE_RATE)
		return kv_refuse(no, KVERBS_JOB_A_LANE_QPS,
				 "lane-qps %u: shape %s has one QP a lane; use --shape rate",
				 job->lane_qps, kv_shape_rules[job->shape].name);
	if (kv_job_registers(job) || job->reg != KVERBS_REG_ONCE ||
	    job->nsteps > 1)
		return kv_refuse(no, KVERBS_JOB_A_LANE_QPS,
				 "lane-qps %u: of operations of one step and no MR of their own; use --op write, read, send, cas or fadd",
				 job->lane_qps);
	if (kv_job_two_sided(job) && job->check_data)
		return kv_refuse(no, KVERBS_JOB_A_CHECK_DATA,
				 "check-data: messages of %u QPs come in no order, and have no place; leave it out",
				 job->lane_qps);
	if (kv_transport_rules[job->transport].datagram)
		return kv_refuse(no, KVERBS_JOB_A_LANE_QPS,
				 "lane-qps %u: not over %s, whose QP reaches any other; use -q",
				 job->lane_qps,
				 kv_transport_rules[job->transport].name);
	if (kv_context_rules[job->context].callback ||
	    job->api != KVERBS_API_POST || job->provoke)
		return kv_refuse(no, KVERBS_JOB_A_LANE_QPS,
				 "lane-qps %u: of lanes that poll and post themselves, by ibv_post_send, what is right; leave --context, --api or --provoke out",
				 job->lane_qps);
	if (job->outstanding % turn)
		return kv_refuse(no, KVERBS_JOB_A_OUTSTANDING,
				 "tx-depth %u: %u QPs in turn, chains of %u: a multiple of %u; use -t %u",
				 job->outstanding, job->lane_qps, job->chain,
				 turn, kv_job_even(job, job->outstanding));
	if (job->chain % job->signal)
		return kv_refuse(no, KVERBS_JOB_A_SIGNAL,
				 "cq-mod %u: the last WR of each chain of %u is signalled where a lane has several QPs; use -Q %u",
				 job->signal, job->chain, job->chain);
	if (job->cq == KVERBS_CQ_QP &&
	    job->context != KVERBS_CONTEXT_BUSY)
		return kv_refuse(no, KVERBS_JOB_A_CQ,
				 "cq qp: a lane that sleeps does so on one CQ; use --context busy, or leave it out");
	if (job->cq == KVERBS_CQ_QP &&
	    2 * job->pairs * job->lane_qps > caps->max_cq)
		return kv_refuse(no, KVERBS_JOB_A_CQ,
				 "cq qp: with both ends of %u pairs %u CQs, the device has %u; use fewer QPs, or leave it out",
				 job->pairs, 2 * job->pairs * job->lane_qps,
				 caps->max_cq);
	/* a chain and the markers are of each QP, not of the lane */
	if (job->cq == KVERBS_CQ_QP && kv_job_cq_depth(job) > caps->max_cqe)
		return kv_refuse(no, KVERBS_JOB_A_CQ,
				 "cq qp: the CQ of a QP has %u entries, the device up to %u; use a smaller -t or -r, or leave it out",
				 kv_job_cq_depth(job), caps->max_cqe);
	if (job->recv_depth % kv_job_rings(job))
		return kv_refuse(no, KVERBS_JOB_A_RECV_DEPTH,
				 "rx-depth %u: %u QPs, each with as many: a multiple of %u; use -r %u",
				 job->recv_depth, job->lane_qps, job->lane_qps,
				 (job->recv_depth / job->lane_qps + 1) * job->lane_qps);
	return 0;
}

/* one SRQ for the receives of a lane */
static inline int kv_job_check_srq(const struct kv_job *job,
				   const struct kv_caps *caps,
				   struct kv_refusal *no)
{
	if (!job->srq) {
		if (job->srq_limit == KV_AUTO)
			return 0;
		return kv_refuse(no, KVERBS_JOB_A_SRQ_LIMIT,
				 "srq-limit %u: there is no SRQ; use --srq, or leave it out",
				 job->srq_limit);
	}
	if (!kv_job_two_sided(job))
		return kv_refuse(no, KVERBS_JOB_A_SRQ,
				 "srq: %s consumes no receives; use --op send, or leave it out",
				 kv_job_rule(job)->name);
	if (!caps->max_srq)
		return kv_refuse(no, KVERBS_JOB_A_SRQ,
				 "srq: the device has none; leave it out");
	if (2 * job->pairs > caps->max_srq)
		return kv_refuse(no, KVERBS_JOB_A_SRQ,
				 "srq: one for each end of %u pairs, the device has %u; use a smaller -q",
				 job->pairs, caps->max_srq);
	if (job->sges > caps->max_srq_sge)
		return kv_refuse(no, KVERBS_JOB_A_SGES,
				 "sges %u: a receive of an SRQ has up to %u here; use fewer, or leave --srq out",
				 job->sges, caps->max_srq_sge);
	if (job->context == KVERBS_CONTEXT_POOL)
		return kv_refuse(no, KVERBS_JOB_A_SRQ,
				 "srq: no WR tells which receive of a QP is its last in a CQ of context pool; use another context");
	if (job->provoke)
		return kv_refuse(no, KVERBS_JOB_A_SRQ,
				 "srq: an error is provoked at a QP with receives of its own; leave --srq or --provoke out");
	if (job->odp)
		return kv_refuse(no, KVERBS_JOB_A_SRQ,
				 "srq: not with receives in pages on demand; leave --srq or --odp out");
	if (job->srq_limit == KV_AUTO)
		return 0;
	if (kv_shape_rules[job->shape].answers)
		return kv_refuse(no, KVERBS_JOB_A_SRQ_LIMIT,
				 "srq-limit %u: in shape %s one receive is taken at a time; use --shape rate",
				 job->srq_limit, kv_shape_rules[job->shape].name);
	if (job->post_from == KVERBS_POST_FROM_HANDLER)
		return kv_refuse(no, KVERBS_JOB_A_SRQ_LIMIT,
				 "srq-limit %u: to ask for the next event (ib_modify_srq) may sleep, which a handler must not; use --post-from lane",
				 job->srq_limit);
	return 0;
}

/* when receives are posted again: of a lane that does no more than take messages */
static inline int kv_job_check_refill(struct kv_job *job, struct kv_refusal *no)
{
	u32 depth = kv_job_ring_depth(job);
	const char *of = job->srq ? "the SRQ" : "a QP";
	u32 attr = job->refill != KV_AUTO ? KVERBS_JOB_A_REFILL :
		   job->recv_chain != KV_AUTO ? KVERBS_JOB_A_RECV_CHAIN :
		   job->low_water != KV_AUTO ? KVERBS_JOB_A_LOW_WATER : 0;
	const char *name = attr == KVERBS_JOB_A_REFILL ? "refill" :
			   attr == KVERBS_JOB_A_RECV_CHAIN ? "recv-chain" :
							     "low-water";

	if (!kv_job_two_sided(job) || kv_shape_rules[job->shape].answers) {
		if (!attr)
			return 0;
		if (kv_job_two_sided(job))
			return kv_refuse(no, attr,
					 "%s: shape %s takes one message at a time, and posts its receive again; use --shape rate or lat",
					 name, kv_shape_rules[job->shape].name);
		return kv_refuse(no, attr,
				 "%s: in shape %s nobody takes messages of this operation; use --op send",
				 name, kv_shape_rules[job->shape].name);
	}
	if (job->refill == KV_AUTO)
		job->refill = KVERBS_REFILL_BATCH;
	if (job->recv_chain != KV_AUTO && job->refill != KVERBS_REFILL_BATCH)
		return kv_refuse(no, KVERBS_JOB_A_RECV_CHAIN,
				 "recv-chain %u: is of receives that are posted in chains; use --refill batch",
				 job->recv_chain);
	if (job->recv_chain != KV_AUTO && job->recv_chain > depth)
		return kv_refuse(no, KVERBS_JOB_A_RECV_CHAIN,
				 "recv-chain %u: %s has %u receives, so many are never taken; use --recv-chain %u or less, or a larger -r",
				 job->recv_chain, of, depth, depth);
	if (job->srq_limit != KV_AUTO && job->srq_limit >= depth)
		return kv_refuse(no, KVERBS_JOB_A_SRQ_LIMIT,
				 "srq-limit %u: the SRQ has %u receives, and has less with each message; use --srq-limit %u or less, or a larger -r",
				 job->srq_limit, depth, depth - 1);
	if (job->refill != KVERBS_REFILL_WATERMARK) {
		if (job->low_water == KV_AUTO)
			return 0;
		return kv_refuse(no, KVERBS_JOB_A_LOW_WATER,
				 "low-water %u: is of receives that are posted when so many are left; use --refill watermark",
				 job->low_water);
	}
	if (depth < 2)
		return kv_refuse(no, KVERBS_JOB_A_RECV_DEPTH,
				 "rx-depth %u: %s has one receive, and none is left when it is taken; use a larger -r, or --refill each",
				 job->recv_depth, of);
	if (job->low_water == KV_AUTO)
		job->low_water = depth / 2;
	if (job->low_water >= depth)
		return kv_refuse(no, KVERBS_JOB_A_LOW_WATER,
				 "low-water %u: %s has %u receives; use --low-water %u or less, or a larger -r",
				 job->low_water, of, depth, depth - 1);
	return 0;
}

/* what no other job would change */
static inline int kv_port_check(const struct kv_job *job,
				const struct kv_caps *caps,
				struct kv_refusal *no)
{
	if (caps->link == KVERBS_LINK_OTHER)
		return kv_refuse(no, KVERBS_JOB_A_PORT,
				 "port %u is neither IB nor RoCE nor iWARP; use another device",
				 job->port);
	if (!caps->port_active)
		return kv_refuse(no, KVERBS_JOB_A_PORT,
				 "port %u is not ACTIVE; bring its link up (ip link, or the subnet manager), see 'rdma link'",
				 job->port);
	return 0;
}

static inline int kv_job_check_port(struct kv_job *job,
				    const struct kv_caps *caps,
				    struct kv_refusal *no)
{
	if (job->port < 1 || job->port > caps->ports)
		return kv_refuse(no, KVERBS_JOB_A_PORT,
				 "port %u: the device has %u; use -i 1 to %u",
				 job->port, caps->ports, caps->ports);
	if (kv_port_check(job, caps, no)) {
		no->host = 1;
		return -1;
	}
	if (job->gid_index != KV_AUTO && job->gid_index >= caps->gids)
		return kv_refuse(no, KVERBS_JOB_A_GID_INDEX,
				 "gid-index %u: port %u has %u entries; use -x 0 to %u or leave it out",
				 job->gid_index, job->port, caps->gids,
				 caps->gids ? caps->gids - 1 : 0);
	if (job->mtu == KV_AUTO)
		job->mtu = caps->mtu;
	if (job->mtu & (job->mtu - 1))
		return kv_refuse(no, KVERBS_JOB_A_MTU,
				 "mtu %u: is none of 256, 512, 1024, 2048, 4096",
				 job->mtu);
	if (job->mtu > caps->mtu)
		return kv_refuse(no, KVERBS_JOB_A_MTU,
				 "mtu %u: port %u is set to %u; use -m %u or less",
				 job->mtu, job->port, caps->mtu, caps->mtu);
	return 0;
}

/* what only the connection of iWARP has not: that of TCP has its own */
static inline int kv_job_check_iwarp(const struct kv_job *job,
				     const struct kv_caps *caps,
				     struct kv_refusal *no)
{
	struct {
		u32 attr;
		u32 given;
		const char *name;
	} field[] = {
		{ KVERBS_JOB_A_MTU, job->mtu != caps->mtu, "mtu" },
		{ KVERBS_JOB_A_SL, job->sl, "sl" },
		{ KVERBS_JOB_A_TRAFFIC_CLASS, job->traffic_class, "traffic-class" },
		{ KVERBS_JOB_A_HOP_LIMIT, job->hop_limit != KV_HOP_LIMIT, "hop-limit" },
		{ KVERBS_JOB_A_TIMEOUT, job->timeout != KV_AUTO, "timeout" },
		{ KVERBS_JOB_A_RETRY_CNT, job->retry_cnt != KV_AUTO, "retry-cnt" },
		{ KVERBS_JOB_A_RNR_RETRY, job->rnr_retry != KV_AUTO, "rnr-retry" },
		{ KVERBS_JOB_A_MIN_RNR_TIMER, job->min_rnr_timer != KV_AUTO,
		  "min-rnr-timer" },
	};
	u32 i;

	for (i = 0; i < sizeof(field) / sizeof(*field); i++) {
		if (field[i].given)
			return kv_refuse(no, field[i].attr,
					 "%s: port %u is iWARP, whose TCP connection has none that verbs could set; leave it out",
					 field[i].name, job->port);
	}
	return 0;
}

/* who connects QPs of a port of this link, where that was not said */
static inline u32 kv_connect_by(u32 link)
{
	return link == KVERBS_LINK_IWARP ? KVERBS_CONNECT_CM : KVERBS_CONNECT_VERBS;
}

/* who connects QPs, and what it decides then itself */
static inline int kv_job_check_connect(struct kv_job *job,
				       const struct kv_caps *caps,
				       struct kv_refusal *no)
{
	u32 iwarp = caps->link == KVERBS_LINK_IWARP;
	const char *leave = iwarp ? "" : ", or --connect verbs";

	if (job->connect == KV_AUTO)
		job->connect = kv_connect_by(caps->link);
	if (iwarp && job->connect == KVERBS_CONNECT_VERBS)
		return kv_refuse(no, KVERBS_JOB_A_CONNECT,
				 "connect verbs: port %u is iWARP, whose QPs only rdma_cm connects; use cm, or leave it out",
				 job->port);
	if (job->connect == KVERBS_CONNECT_VERBS)
		return 0;
	if (!caps->cm)
		return kv_refuse(no, KVERBS_JOB_A_CONNECT,
				 "connect cm: this kernel has no rdma_cm (CONFIG_INFINIBAND_ADDR_TRANS), or this device is not its; use verbs");
	if (job->transport != KVERBS_TRANSPORT_RC)
		return kv_refuse(no, KVERBS_JOB_A_TRANSPORT,
				 "transport %s: rdma_cm connects RC QPs here; use -c rc%s",
				 kv_transport_rules[job->transport].name, leave);
	if (job->shape == KVERBS_SHAPE_RECOVER)
		return kv_refuse(no, KVERBS_JOB_A_SHAPE,
				 "shape %s: takes QPs to RTS by verbs; use another shape%s",
				 kv_shape_rules[job->shape].name, leave);
	if (job->gid_index != KV_AUTO || job->gid_type != KV_AUTO)
		return kv_refuse(no, job->gid_index != KV_AUTO ?
				     KVERBS_JOB_A_GID_INDEX : KVERBS_JOB_A_GID_TYPE,
				 "%s: rdma_cm takes the GID of the port's IP address; leave it out%s",
				 job->gid_index != KV_AUTO ? "gid-index" : "gid-type",
				 leave);
	if (job->pkey_index)
		return kv_refuse(no, KVERBS_JOB_A_PKEY_INDEX,
				 "pkey-index %u: rdma_cm takes the P_Key of the port's IP address; leave it out%s",
				 job->pkey_index, leave);
	if (job->provoke &&
	    !(kv_provoke_rules[job->provoke].needs & KV_WITH_CM))
		return kv_refuse(no, KVERBS_JOB_A_PROVOKE,
				 "provoke %s: not with QPs that rdma_cm connects; use flush, queue-full, sges or cq-overflow%s",
				 kv_provoke_rules[job->provoke].name, leave);
	return iwarp ? kv_job_check_iwarp(job, caps, no) : 0;
}

/* the steps, one after the other, find the MR of their operation as they need it */
static inline int kv_job_check_mr(const struct kv_job *job,
				  struct kv_refusal *no)
{
	const struct kv_op_rule *op;
	u32 state = KV_MR_LEFT, i;

	if (!kv_job_registers(job))
		return 0;
	for (i = 0; i < job->nsteps; i++) {
		op = &kv_op_rules[job->step[i].op];
		if (op->mr == KV_MR_REGISTERED && state == KV_MR_REGISTERED)
			return kv_refuse(no, KVERBS_JOB_A_STEP,
					 "step %u: registers an MR that is registered; put local-inv before it",
					 i + 1);
		if (op->mr > KV_MR_REGISTERED && state > KV_MR_REGISTERED)
			return kv_refuse(no, KVERBS_JOB_A_STEP,
					 "step %u: invalidates an MR that is not registered; put reg-mr before it",
					 i + 1);
		if (!op->mr && state > KV_MR_REGISTERED)
			return kv_refuse(no, KVERBS_JOB_A_STEP,
					 "step %u: %s uses an MR that is not registered; put reg-mr before it",
					 i + 1, op->name);
		if (op->atomic || op->placement)
			return kv_refuse(no, KVERBS_JOB_A_STEP,
					 "step %u: %s has no MR of its own here; leave reg-mr and local-inv out",
					 i + 1, op->name);
		if (op->mr)
			state = op->mr;
	}
	if (kv_op_rules[job->step[0].op].mr == KV_MR_LEFT)
		return kv_refuse(no, KVERBS_JOB_A_STEP,
				 "step 1: %s uses an MR that is not registered; put reg-mr before it",
				 kv_op_rules[job->step[0].op].name);
	if (state == KV_MR_TAKEN && kv_op_rules[job->step[0].op].mr !=
				    KV_MR_REGISTERED)
		return kv_refuse(no, KVERBS_JOB_A_STEP,
				 "send-inv: takes an MR of the peer, which has to register it again in its answer; use --op reg-mr,send-inv --shape pingpong");
	return 0;
}

/* what an array of steps has to be */
static inline int kv_job_check_steps(struct kv_job *job,
				     struct kv_refusal *no)
{
	u32 taken = 0, i;

	if (job->nsteps < 1 || job->nsteps > KVERBS_STEPS_MAX)
		return kv_refuse(no, KVERBS_JOB_A_STEP,
				 "%u steps: a job has 1 to %u", job->nsteps,
				 KVERBS_STEPS_MAX);
	for (i = 0; i < job->nsteps; i++) {
		if (job->step[i].op >= KV_OPS)
			return kv_refuse(no, KVERBS_JOB_A_STEP,
					 "op %u: the last one known is %u (%s)",
					 job->step[i].op, KV_OPS - 1,
					 kv_op_rules[KV_OPS - 1].name);
		taken += kv_op_rules[job->step[i].op].two_sided;
		if (job->step[i].flags & ~(u32)KVERBS_STEP_WAIT)
			return kv_refuse(no, KVERBS_JOB_A_STEP,
					 "step %u: flags 0x%x, known is 0x%x (wait)",
					 i + 1, job->step[i].flags,
					 KVERBS_STEP_WAIT);
	}
	if (taken > 1)
		return kv_refuse(no, KVERBS_JOB_A_STEP,
				 "steps: %u of them consume a receive, one may", taken);
	if (kv_job_check_mr(job, no))
		return -1;
	if (kv_job_restore(job) && job->shape != KVERBS_SHAPE_LAT)
		return kv_refuse(no, KVERBS_JOB_A_SHAPE,
				 "shape %s: an operation has to leave its MR as it found it; add local-inv or reg-mr, or use --shape lat",
				 kv_shape_rules[job->shape].name);
	if (kv_job_phased(job) && job->shape != KVERBS_SHAPE_LAT)
		return kv_refuse(no, KVERBS_JOB_A_SHAPE,
				 "shape %s: a step is waited for only in lat; leave 'wait' out, or use --shape lat",
				 kv_shape_rules[job->shape].name);
	if (job->nsteps == 1 && !kv_job_registers(job))
		return 0;
	if (job->sges > 1)
		return kv_refuse(no, KVERBS_JOB_A_SGES,
				 "sges %u: a message is not split where an operation has several steps or an MR; leave it out",
				 job->sges);
	if (job->inline_data)
		return kv_refuse(no, KVERBS_JOB_A_INLINE_DATA,
				 "inline %u: not where an operation has several steps or an MR; leave -I out",
				 job->inline_data);
	if (job->check_data)
		return kv_refuse(no, KVERBS_JOB_A_CHECK_DATA,
				 "check-data: not where an operation has several steps or an MR; leave it out");
	return 0;
}

/* an operation with its registration: the steps that were asked for, between two more */
static inline void kv_job_add_reg(struct kv_job *job)
{
	u32 size = kv_job_covered(job), i;

	for (i = job->nsteps; i; i--)
		job->step[i] = job->step[i - 1];
	job->nsteps += 2;
	job->step[0].op = KVERBS_OP_REG_MR;
	job->step[0].size = size;
	job->step[0].flags = job->reg_wait == KVERBS_REG_WAIT_ALL ?
			     KVERBS_STEP_WAIT : 0;
	i = job->nsteps - 1;
	job->step[i].op = KVERBS_OP_LOCAL_INV;
	job->step[i].size = size;
	job->step[i].flags = 0;
	if (job->reg_wait != KVERBS_REG_WAIT_NONE)
		job->step[i - 1].flags |= KVERBS_STEP_WAIT;
}

/* what steps that register wait for, and whether they begin and end with it: enum or KV_AUTO */
static inline u32 kv_job_reg_order(const struct kv_job *job)
{
	const struct kv_step *step = job->step;
	u32 last = job->nsteps - 1;

	if (job->nsteps < 3 || step[0].op != KVERBS_OP_REG_MR ||
	    step[last].op != KVERBS_OP_LOCAL_INV)
		return KV_AUTO;
	if (!(step[last - 1].flags & KVERBS_STEP_WAIT))
		return step[0].flags & KVERBS_STEP_WAIT ?
		       KV_AUTO : KVERBS_REG_WAIT_NONE;
	return step[0].flags & KVERBS_STEP_WAIT ? KVERBS_REG_WAIT_ALL :
						  KVERBS_REG_WAIT_INV;
}

/* what only the registration of each operation has */
static inline int kv_job_check_once(const struct kv_job *job,
				    struct kv_refusal *no)
{
	if (job->reg_wait != KV_AUTO)
		return kv_refuse(no, KVERBS_JOB_A_REG_WAIT,
				 "reg-wait: memory is registered before the run; use --reg io or exchange, or leave it out");
	if (job->sg_list != KV_AUTO)
		return kv_refuse(no, KVERBS_JOB_A_SG_LIST,
				 "sg-list: memory is listed before the run; use --reg io or exchange, or --memory");
	if (job->dma_map != KV_AUTO)
		return kv_refuse(no, KVERBS_JOB_A_DMA_MAP,
				 "dma-map: memory is mapped before the run; use --reg io or exchange, or leave it out");
	return 0;
}

/* what goes with the registration of each operation */
static inline int kv_job_check_reg_with(const struct kv_job *job,
					struct kv_refusal *no)
{
	const char *name = kv_reg_rules[job->reg].name;

	if (job->transport != KVERBS_TRANSPORT_RC)
		return kv_refuse(no, KVERBS_JOB_A_TRANSPORT,
				 "transport %s: memory is registered for each operation over RC alone; use -c rc, or leave --reg out",
				 kv_transport_rules[job->transport].name);
	if (kv_shape_rules[job->shape].answers && !kv_job_exchanges(job))
		return kv_refuse(no, KVERBS_JOB_A_SHAPE,
				 "shape %s: answers have no memory of their own to register; use --shape lat or rate, or --reg exchange",
				 kv_shape_rules[job->shape].name);
	if (kv_job_atomic(job) || kv_job_placement(job))
		return kv_refuse(no, KVERBS_JOB_A_REG,
				 "reg %s: %s has no memory of its own to register; use write, read or send",
				 name, kv_job_atomic(job) ? "an atomic" :
					kv_op_rules[kv_job_placement(job)].name);
	if (!kv_job_covered(job))
		return kv_refuse(no, KVERBS_JOB_A_REG,
				 "reg %s: a message of 0 bytes has no memory to register; use -s 1 or more",
				 name);
	if (job->local_key != KVERBS_LOCAL_KEY_MR)
		return kv_refuse(no, KVERBS_JOB_A_LOCAL_KEY,
				 "local-key dma: registered memory has the key of its MR; leave it out");
	if (job->sges > 1 && !kv_job_rw(job))
		return kv_refuse(no, KVERBS_JOB_A_SGES,
				 "sges %u: a message is not split where its memory is registered for it; leave it out",
				 job->sges);
	if (job->inline_data)
		return kv_refuse(no, KVERBS_JOB_A_INLINE_DATA,
				 "inline %u: what is sent inline is not registered; leave -I out",
				 job->inline_data);
	if (job->check_data)
		return kv_refuse(no, KVERBS_JOB_A_CHECK_DATA,
				 "check-data: not where memory is registered for each operation; leave it out");
	if (job->provoke && !(kv_job_exchanges(job) &&
			      kv_provoke_rules[job->provoke].needs & KV_NEEDS_EXCHANGE))
		return kv_refuse(no, KVERBS_JOB_A_PROVOKE,
				 "provoke: not where memory is registered for each operation; leave it out");
	if (kv_job_aims(job) || job->cold)
		return kv_refuse(no, kv_job_aims(job) ? KVERBS_JOB_A_PATTERN :
							KVERBS_JOB_A_COLD,
				 "%s: not where memory is registered for each operation; leave it out",
				 kv_job_aims(job) ? "pattern, mrs" : "cold");
	if (job->memory != KV_AUTO || job->mr_page != KV_AUTO)
		return kv_refuse(no, job->memory != KV_AUTO ? KVERBS_JOB_A_MEMORY :
							      KVERBS_JOB_A_MR_PAGE,
				 "%s: memory that is registered for each operation is its own; leave it out",
				 job->memory != KV_AUTO ? "memory" : "mr-page");
	return 0;
}

/* the SG list of an operation, which only the kernel has */
static inline int kv_job_check_sg_list(struct kv_job *job,
				       const struct kv_caps *caps,
				       struct kv_refusal *no)
{
	if (!caps->kernel) {
		if (job->sg_list == KV_AUTO)
			return 0;
		return kv_refuse(no, KVERBS_JOB_A_SG_LIST,
				 "sg-list: user space registers a range of addresses, its pages are the kernel's; leave it out, or use --engine kernel");
	}
	if (job->sg_list == KV_AUTO)
		job->sg_list = KVERBS_SG_LIST_BLOCKS;
	if (job->sg_list != KVERBS_SG_LIST_GAPS)
		return 0;
	/* of SGEs any list can be made: see kv_job_check_rw_list() */
	if (!caps->sg_gaps && !kv_job_rw(job))
		return kv_refuse(no, KVERBS_JOB_A_SG_LIST,
				 "sg-list gaps: the device has no MRs over lists with gaps (IB_MR_TYPE_SG_GAPS); use pages");
	if (caps->page != KV_REG_PAGE)
		return kv_refuse(no, KVERBS_JOB_A_SG_LIST,
				 "sg-list gaps: is made of pages of %llu bytes, those here have %u; use pages",
				 KV_REG_PAGE, caps->page);
	if (kv_job_rw(job))
		return 0;
	if (kv_job_sg_entries(job) * KV_REG_PAGE > caps->max_reg_bytes)
		return kv_refuse(no, KVERBS_JOB_A_SG_LIST,
				 "sg-list gaps: %u bytes are %u entries, an MR has %llu; use a smaller -s",
				 kv_job_covered(job), kv_job_sg_entries(job),
				 (unsigned long long)(caps->max_reg_bytes / KV_REG_PAGE));
	return 0;
}

/* registration by WRs: they are steps, and may be given as such */
static inline int kv_job_check_reg_wrs(struct kv_job *job,
				       struct kv_refusal *no)
{
	u32 order;

	if (!kv_job_registers(job)) {
		if (job->reg_wait == KV_AUTO)
			job->reg_wait = job->shape == KVERBS_SHAPE_LAT ?
					KVERBS_REG_WAIT_ALL :
					KVERBS_REG_WAIT_NONE;
		if (job->nsteps + 2 > KVERBS_STEPS_MAX)
			return kv_refuse(no, KVERBS_JOB_A_STEP,
					 "%u steps: with REG_MR and LOCAL_INV there are more than %u; use fewer",
					 job->nsteps, KVERBS_STEPS_MAX);
		kv_job_add_reg(job);
	}
	if (job->shape != KVERBS_SHAPE_LAT && job->reg_wait != KV_AUTO &&
	    job->reg_wait != KVERBS_REG_WAIT_NONE)
		return kv_refuse(no, KVERBS_JOB_A_REG_WAIT,
				 "reg-wait: shape %s waits for no part of an operation; use --reg-wait none, or --shape lat",
				 kv_shape_rules[job->shape].name);
	order = kv_job_reg_order(job);
	if (order == KV_AUTO)
		return kv_refuse(no, KVERBS_JOB_A_STEP,
				 "reg %s: its steps begin with reg-mr and end with local-inv; use --op reg-mr,write,local-inv, or --op write",
				 kv_reg_rules[job->reg].name);
	if (job->reg_wait == KV_AUTO)
		job->reg_wait = order;
	if (job->reg_wait != order)
		return kv_refuse(no, KVERBS_JOB_A_REG_WAIT,
				 "reg-wait: the steps say otherwise what is waited for; leave it out");
	if (job->dma_map == KV_AUTO)
		job->dma_map = KVERBS_DMA_MAP_IO;
	return 0;
}

/* what an exchange waits for: an invalidation of its own always */
static inline int kv_job_check_exchange_wait(struct kv_job *job,
					     struct kv_refusal *no)
{
	u32 local;

	if (job->exchange_inv == KV_AUTO)
		job->exchange_inv = KVERBS_EXCHANGE_INV_REMOTE;
	local = job->exchange_inv == KVERBS_EXCHANGE_INV_LOCAL;
	if (job->reg_wait == KV_AUTO)
		job->reg_wait = KVERBS_REG_WAIT_ALL;
	if (local && job->reg_wait == KVERBS_REG_WAIT_NONE)
		return kv_refuse(no, KVERBS_JOB_A_REG_WAIT,
				 "reg-wait none: memory is unmapped when LOCAL_INV has completed, not before; use inv or all, or --exchange-inv remote");
	if (!local && job->reg_wait == KVERBS_REG_WAIT_INV)
		return kv_refuse(no, KVERBS_JOB_A_REG_WAIT,
				 "reg-wait inv: the answer of the peer invalidates, there is no LOCAL_INV; use none or all, or --exchange-inv local");
	return 0;
}

/* memory that the peer is told the rkey of, and that it uses once */
static inline int kv_job_check_exchange(struct kv_job *job,
					const struct kv_caps *caps,
					struct kv_refusal *no)
{
	const char *name = kv_reg_rules[job->reg].name;
	u32 op = job->step[0].op;

	if (job->shape != KVERBS_SHAPE_PINGPONG)
		return kv_refuse(no, KVERBS_JOB_A_SHAPE,
				 "shape %s: the peer answers each message of an exchange; use --shape pingpong",
				 kv_shape_rules[job->shape].name);
	if (job->nsteps != 1 ||
	    (op != KVERBS_OP_WRITE && op != KVERBS_OP_READ))
		return kv_refuse(no, KVERBS_JOB_A_STEP,
				 "reg %s: between the two messages the peer does a WRITE or a READ; use --op write or --op read",
				 name);
	if (job->api != KVERBS_API_POST)
		return kv_refuse(no, KVERBS_JOB_A_API,
				 "api wr: kverbs has no exchange by the extended calls; use --api post");
	if (!caps->kernel && !caps->windows)
		return kv_refuse(no, KVERBS_JOB_A_REG,
				 "reg %s: user space needs memory windows of type 2, and the device has none; use --engine kernel",
				 name);
	if (kv_job_check_exchange_wait(job, no))
		return -1;
	if (caps->kernel) {
		if (job->dma_map == KV_AUTO)
			job->dma_map = KVERBS_DMA_MAP_IO;
		return 0;
	}
	if (job->dma_map != KV_AUTO)
		return kv_refuse(no, KVERBS_JOB_A_DMA_MAP,
				 "dma-map: user space maps by ibv_reg_mr alone; leave it out, or use --engine kernel");
	return 0;
}

/* an SG list that rdma_rw reads into: by SGEs, or by MRs, which have no gaps */
static inline int kv_job_check_rw_list(const struct kv_job *job,
				       const struct kv_caps *caps,
				       struct kv_refusal *no)
{
	u32 iwarp = caps->link == KVERBS_LINK_IWARP;
	u32 entries = kv_job_sg_entries(job);
	u32 by_sges = iwarp ? 1 : caps->max_sgl_rd;

	if (!kv_op_rules[job->step[0].op].reads)
		return 0;
	if (job->sg_list == KVERBS_SG_LIST_GAPS && by_sges && entries > by_sges)
		return kv_refuse(no, KVERBS_JOB_A_SG_LIST,
				 "sg-list gaps: rdma_rw READs into more than %u entries (%s) by MRs, which have no gaps, and here are %u; use pages, or a smaller -s",
				 by_sges, iwarp ? "iWARP" : "max_sgl_rd", entries);
	if (!iwarp && !caps->max_sge_rd && entries > 1)
		return kv_refuse(no, KVERBS_JOB_A_REG,
				 "reg rw: the device has no SGEs for READs (max_sge_rd 0), which rdma_rw divides by; use --op write, or --reg io");
	return 0;
}

/* an I/O of the kernel's rdma_rw: it maps, makes the WRs, and knows what registers */
static inline int kv_job_check_rw(const struct kv_job *job,
				  const struct kv_caps *caps,
				  struct kv_refusal *no)
{
	u32 op = job->step[0].op;

	if (job->nsteps != 1 ||
	    (op != KVERBS_OP_WRITE && op != KVERBS_OP_READ))
		return kv_refuse(no, KVERBS_JOB_A_STEP,
				 "reg rw: rdma_rw has READ and WRITE alone; use --op read or --op write");
	if (job->reg_wait != KV_AUTO)
		return kv_refuse(no, KVERBS_JOB_A_REG_WAIT,
				 "reg-wait: rdma_rw decides what an operation consists of; use --reg io, or leave it out");
	if (job->dma_map != KV_AUTO)
		return kv_refuse(no, KVERBS_JOB_A_DMA_MAP,
				 "dma-map: rdma_rw_ctx_init maps for each operation; use --reg io, or leave it out");
	if (job->chain != KV_AUTO && job->chain != 1)
		return kv_refuse(no, KVERBS_JOB_A_CHAIN,
				 "post-list %u: of rdma_rw each operation is a chain of its own; leave it out",
				 job->chain);
	if (job->signal != KV_AUTO && job->signal != 1)
		return kv_refuse(no, KVERBS_JOB_A_SIGNAL,
				 "cq-mod %u: rdma_rw_ctx_wrs signals the last WR of each operation; leave it out",
				 job->signal);
	return kv_job_check_rw_list(job, caps, no);
}

/* a window over the memory of an operation: opened before it, closed after it */
static inline int kv_job_check_bound(const struct kv_job *job,
				     const struct kv_caps *caps,
				     struct kv_refusal *no)
{
	if (!caps->windows)
		return kv_refuse(no, KVERBS_JOB_A_REG,
				 "reg window: the device has no memory windows of type 2; use --reg io");
	if (job->shape != KVERBS_SHAPE_LAT)
		return kv_refuse(no, KVERBS_JOB_A_SHAPE,
				 "shape %s: a window is bound, and waited for, around one operation; use --shape lat, or --reg exchange",
				 kv_shape_rules[job->shape].name);
	if (job->api != KVERBS_API_POST)
		return kv_refuse(no, KVERBS_JOB_A_API,
				 "api wr: kverbs binds no window by the extended calls; use --api post");
	if (job->access != KVERBS_ACCESS_ALL)
		return kv_refuse(no, KVERBS_JOB_A_ACCESS,
				 "access needed: a window opens memory to a peer, which here makes no use of it; leave it out");
	return 0;
}

/* how the memory of an operation is registered */
static inline int kv_job_check_reg(struct kv_job *job,
				   const struct kv_caps *caps,
				   struct kv_refusal *no)
{
	if (!kv_job_exchanges(job) && job->exchange_inv != KV_AUTO)
		return kv_refuse(no, KVERBS_JOB_A_EXCHANGE_INV,
				 "exchange-inv: no rkey is sent to the peer; use --reg exchange, or leave it out");
	if (job->reg == KVERBS_REG_ONCE)
		return kv_job_check_once(job, no);
	if (caps->kernel && !kv_reg_rules[job->reg].kernel)
		return kv_refuse(no, KVERBS_JOB_A_REG,
				 "reg %s: kernel verbs have no memory windows; use --engine user, or --reg io",
				 kv_reg_rules[job->reg].name);
	if (!caps->kernel && !kv_reg_rules[job->reg].user)
		return kv_refuse(no, KVERBS_JOB_A_REG,
				 "reg %s: user space has nothing like it; use --engine kernel, or --reg io",
				 kv_reg_rules[job->reg].name);
	/* whatever else they are, it is refused with them */
	if (!kv_job_steps_known(job))
		return 0;
	if (kv_job_check_reg_with(job, no) ||
	    kv_job_check_sg_list(job, caps, no))
		return -1;
	if (kv_job_exchanges(job))
		return kv_job_check_exchange(job, caps, no);
	if (kv_job_rw(job))
		return kv_job_check_rw(job, caps, no);
	if (kv_job_window(job) && kv_job_check_bound(job, caps, no))
		return -1;
	if (caps->kernel)
		return kv_job_check_reg_wrs(job, no);
	if (job->reg_wait != KV_AUTO)
		return kv_refuse(no, KVERBS_JOB_A_REG_WAIT,
				 "reg-wait: ibv_reg_mr is a call, which returns when it is done; leave it out, or use --engine kernel");
	if (job->dma_map != KV_AUTO)
		return kv_refuse(no, KVERBS_JOB_A_DMA_MAP,
				 "dma-map: user space maps by ibv_reg_mr alone; leave it out, or use --engine kernel");
	return 0;
}

static inline int kv_job_check_size(const struct kv_job *job,
				    const struct kv_step *step,
				    const struct kv_caps *caps,
				    struct kv_refusal *no)
{
	const struct kv_op_rule *op = &kv_op_rules[step->op];
	u32 size = step->size;

	if (op->bytes && size != op->bytes)
		return kv_refuse(no, KVERBS_JOB_A_STEP,
				 "size %u: %s has %u bytes; use -s %u or leave it out",
				 size, op->name, op->bytes, op->bytes);
	if (!size && !op->imm)
		return kv_refuse(no, KVERBS_JOB_A_STEP,
				 "size 0: must be 1 to %u bytes; use -s 1, or an operation with immediate data",
				 caps->max_msg);
	if (size > caps->max_msg)
		return kv_refuse(no, KVERBS_JOB_A_STEP,
				 "size %u: port %u carries messages up to %u bytes; use -s %u or less",
				 size, job->port, caps->max_msg, caps->max_msg);
	return 0;
}

/* what the verbs, and the device, must have for a WR of the memory placement extensions */
static inline int kv_job_check_placement(const struct kv_job *job,
					 const struct kv_step *step,
					 const struct kv_caps *caps,
					 struct kv_refusal *no)
{
	u32 flush = step->op == KVERBS_OP_FLUSH;
	const char *name = kv_op_rules[step->op].name;
	const char *other = flush ? "write,read" : "write -s 8, or cas";

	switch (flush ? caps->flush : caps->atomic_write) {
	case KV_LACKS_KERNEL:
		return kv_refuse(no, KVERBS_JOB_A_STEP,
				 "%s: this kernel has none (ib_core has it from 6.3 on); use --op %s",
				 name, other);
	case KV_LACKS_WR:
		return kv_refuse(no, KVERBS_JOB_A_STEP,
				 "%s: the kernel's verbs have its number, but no WR that says what is flushed; use --engine user, or --op %s",
				 name, other);
	case KV_LACKS_LIBRARY:
		return kv_refuse(no, KVERBS_JOB_A_STEP,
				 "%s: the libibverbs that kverbs was built with has no %s; build it with rdma-core %s or later, or use --op %s",
				 name, flush ? "ibv_wr_flush" : "ibv_wr_atomic_write",
				 flush ? "46" : "44", other);
	case KV_LACKS_DEVICE:
		return kv_refuse(no, KVERBS_JOB_A_STEP,
				 "%s: the device has none (ATOMIC_WRITE is not among its capabilities); use --op %s",
				 name, other);
	}
	if (flush && !(caps->flush_types & (1U << job->flush_type)))
		return kv_refuse(no, KVERBS_JOB_A_FLUSH_TYPE,
				 "flush-type %s: the device has none (FLUSH_%s is not among its capabilities); use %s",
				 job->flush_type ? "persistent" : "global",
				 job->flush_type ? "PERSISTENT" : "GLOBAL",
				 job->flush_type ? "global" : "--op write,read");
	/* such a WR has no place in ibv_send_wr */
	if (!caps->kernel && job->api != KVERBS_API_WR)
		return kv_refuse(no, KVERBS_JOB_A_API,
				 "api post: ibv_post_send posts no %s; use --api wr",
				 name);
	return 0;
}

/* fields that only a FLUSH has, with their defaults */
static inline int kv_job_check_flush(struct kv_job *job, struct kv_refusal *no)
{
	u32 type = job->flush_type != KV_AUTO;

	if (kv_job_flushes(job)) {
		if (!type)
			job->flush_type = KVERBS_FLUSH_TYPE_GLOBAL;
		if (job->flush_level == KV_AUTO)
			job->flush_level = KVERBS_FLUSH_LEVEL_RANGE;
		return 0;
	}
	if (type || job->flush_level != KV_AUTO)
		return kv_refuse(no, type ? KVERBS_JOB_A_FLUSH_TYPE :
					    KVERBS_JOB_A_FLUSH_LEVEL,
				 "%s: no step of an operation is a flush; use --op write,flush, or leave it out",
				 type ? "flush-type" : "flush-level");
	return 0;
}

static inline int kv_job_check_op(const struct kv_job *job,
				  const struct kv_step *step,
				  const struct kv_caps *caps,
				  struct kv_refusal *no)
{
	const struct kv_op_rule *op = &kv_op_rules[step->op];

	if (op->kernel && !caps->kernel)
		return kv_refuse(no, KVERBS_JOB_A_STEP,
				 "%s: libibverbs cannot post it for an MR; use --engine kernel",
				 op->name);
	if (op->mr == KV_MR_TAKEN && job->shape != KVERBS_SHAPE_PINGPONG)
		return kv_refuse(no, KVERBS_JOB_A_SHAPE,
				 "shape %s: the peer of a %s registers again what it invalidates; use --op reg-mr,send-inv --shape pingpong",
				 kv_shape_rules[job->shape].name, op->name);
	/* beside a message REG_MR and LOCAL_INV go wherever it goes */
	if (!(op->shapes & (1U << job->shape)) && !kv_job_exchanges(job) &&
	    (kv_op_moves(step->op) || step == &job->step[kv_job_main(job)]))
		return kv_refuse(no, KVERBS_JOB_A_SHAPE,
				 job->shape == KVERBS_SHAPE_SETUP ?
				 "shape %s: posts nothing, no %s either; leave --op out" :
				 kv_shape_rules[job->shape].control ?
				 "shape %s: has no %s; use --op write, read, send, cas or fadd" :
				 "shape %s: the peer of %s has nothing to answer; use write or send, or --shape lat",
				 kv_shape_rules[job->shape].name, op->name);
	if (kv_job_check_size(job, step, caps, no))
		return -1;
	if (step->op == KVERBS_OP_READ_INV && !caps->read_inv)
		return kv_refuse(no, KVERBS_JOB_A_STEP,
				 "read-inv: only a READ of iWARP invalidates the MR that it reads into; use --op reg-mr,read,local-inv");
	if (caps->link == KVERBS_LINK_IWARP && op->imm)
		return kv_refuse(no, KVERBS_JOB_A_STEP,
				 "%s: iWARP has no immediate data; use write or send",
				 op->name);
	if (caps->link == KVERBS_LINK_IWARP && op->reads &&
	    job->local_key != KVERBS_LOCAL_KEY_MR)
		return kv_refuse(no, KVERBS_JOB_A_LOCAL_KEY,
				 "local-key dma: what a %s of iWARP reads into is named to the peer, by an MR; leave it out",
				 op->name);
	if (!caps->reg_mr)
		return kv_refuse(no, KVERBS_JOB_A_STEP,
				 "%s: the device has no REG_MR (memory management extensions), the only way to open a buffer to the peer; use --engine user",
				 op->name);
	if (op->reads && !caps->max_rd_atomic)
		return kv_refuse(no, KVERBS_JOB_A_STEP,
				 "%s: the device allows no outstanding RDMA READ or atomic; use write or send",
				 op->name);
	if (op->atomic && !caps->atomic)
		return kv_refuse(no, KVERBS_JOB_A_STEP,
				 "%s: the device has no atomics; use write, read or send",
				 op->name);
	return op->placement ? kv_job_check_placement(job, step, caps, no) : 0;
}

static inline int kv_job_check_step(struct kv_job *job,
				    const struct kv_caps *caps,
				    struct kv_refusal *no)
{
	u32 i;

	if (kv_job_check_steps(job, no) || kv_job_check_flush(job, no))
		return -1;
	for (i = 0; i < job->nsteps; i++) {
		if (kv_job_check_op(job, &job->step[i], caps, no))
			return -1;
	}
	if (2 * (kv_job_stride(job) +
		 (kv_job_exchanges(job) ? KV_OFFER_ROOM : 0)) > caps->max_reg_bytes)
		return kv_refuse(no, KVERBS_JOB_A_STEP,
				 "size %u: both halves of the buffer must fit in one MR, here %llu bytes; use -s %llu or less",
				 kv_job_size(job),
				 (unsigned long long)caps->max_reg_bytes,
				 (unsigned long long)caps->max_reg_bytes / 2 & ~63ULL);
	return 0;
}

static inline int kv_job_check_data(const struct kv_job *job,
				    const struct kv_caps *caps,
				    struct kv_refusal *no)
{
	const struct kv_op_rule *op = kv_job_rule(job);

	if (!job->check_data)
		return 0;
	if (!op->data)
		return kv_refuse(no, KVERBS_JOB_A_CHECK_DATA,
				 "check-data: not with %s, whose data has no place of its own; leave it out",
				 op->name);
	if (job->transport != KVERBS_TRANSPORT_RC)
		return kv_refuse(no, KVERBS_JOB_A_CHECK_DATA,
				 "check-data: messages of %s may be lost, and then have no number; use -c rc",
				 kv_transport_rules[job->transport].name);
	if (job->sges > 1)
		return kv_refuse(no, KVERBS_JOB_A_CHECK_DATA,
				 "check-data: not with messages in %u pieces; leave --sges out",
				 job->sges);
	if (2 * kv_job_half(job) > caps->max_reg_bytes)
		return kv_refuse(no, KVERBS_JOB_A_CHECK_DATA,
				 "check-data: %u messages of %u bytes, a place each at both ends, exceed one MR, here %llu bytes; use a smaller -t, -r or -s",
				 kv_job_slots(job), kv_job_size(job),
				 (unsigned long long)caps->max_reg_bytes);
	return 0;
}

/* fields of acknowledged transports, with their defaults */
static inline int kv_job_check_acks(struct kv_job *job,
				    const struct kv_caps *caps,
				    struct kv_refusal *no)
{
	u32 rd = caps->max_rd_atomic < KV_RD_ATOMIC_MAX ? caps->max_rd_atomic :
							  KV_RD_ATOMIC_MAX;
	struct {
		u32 attr;
		const char *name;
		u32 *value;
		u32 def;
	} field[] = {
		{ KVERBS_JOB_A_TIMEOUT, "timeout", &job->timeout, KV_QP_TIMEOUT },
		{ KVERBS_JOB_A_RETRY_CNT, "retry-cnt", &job->retry_cnt, KV_QP_RETRY },
		{ KVERBS_JOB_A_RNR_RETRY, "rnr-retry", &job->rnr_retry,
		  KV_QP_RNR_RETRY },
		{ KVERBS_JOB_A_MIN_RNR_TIMER, "min-rnr-timer", &job->min_rnr_timer,
		  KV_QP_MIN_RNR_TIMER },
		{ KVERBS_JOB_A_RD_ATOMIC, "rd-atomic", &job->rd_atomic, rd },
	};
	u32 i;

	/* TCP acknowledges by itself, but READs are the QP's to count */
	if (caps->link == KVERBS_LINK_IWARP) {
		if (job->rd_atomic == KV_AUTO)
			job->rd_atomic = rd;
		goto rd_atomic;
	}
	if (kv_transport_rules[job->transport].acked)
		kv_provoke_hurry(job);
	for (i = 0; i < sizeof(field) / sizeof(*field); i++) {
		if (kv_transport_rules[job->transport].acked) {
			if (*field[i].value == KV_AUTO)
				*field[i].value = field[i].def;
		} else if (*field[i].value != KV_AUTO) {
			return kv_refuse(no, field[i].attr,
					 "%s %u: %s has no acknowledgements; leave it out, or use -c rc",
					 field[i].name, *field[i].value,
					 kv_transport_rules[job->transport].name);
		}
	}
rd_atomic:
	if (job->rd_atomic != KV_AUTO && job->rd_atomic > caps->max_rd_atomic)
		return kv_refuse(no, KVERBS_JOB_A_RD_ATOMIC,
				 "rd-atomic %u: the device allows %u; use -o %u or less",
				 job->rd_atomic, caps->max_rd_atomic,
				 caps->max_rd_atomic);
	return 0;
}

static inline int kv_job_check_path(struct kv_job *job,
				    const struct kv_caps *caps,
				    struct kv_refusal *no)
{
	u32 grh = caps->link != KVERBS_LINK_IB || job->gid_index != KV_AUTO;

	if (job->gid_type != KV_AUTO && caps->link != KVERBS_LINK_ROCE)
		return kv_refuse(no, KVERBS_JOB_A_GID_TYPE,
				 "gid-type v%u: GIDs of port %u, which is not RoCE, have no type; leave it out",
				 job->gid_type + 1, job->port);
	if (!grh && job->traffic_class)
		return kv_refuse(no, KVERBS_JOB_A_TRAFFIC_CLASS,
				 "traffic-class %u: without a GRH there is none; choose a GID with -x",
				 job->traffic_class);
	if (!grh && job->hop_limit != KV_HOP_LIMIT)
		return kv_refuse(no, KVERBS_JOB_A_HOP_LIMIT,
				 "hop-limit %u: without a GRH there is none; choose a GID with -x",
				 job->hop_limit);
	if (caps->link == KVERBS_LINK_ROCE && job->sl > 7)
		return kv_refuse(no, KVERBS_JOB_A_SL,
				 "sl %u: a RoCE port has priorities 0 to 7; use -S 7 or less",
				 job->sl);
	if (caps->link != KVERBS_LINK_IWARP && job->pkey_index >= caps->pkeys)
		return kv_refuse(no, KVERBS_JOB_A_PKEY_INDEX,
				 "pkey-index %u: port %u has %u entries; use one below",
				 job->pkey_index, job->port, caps->pkeys);
	return kv_job_check_acks(job, caps, no);
}

/* what a message is made of, and what can carry it */
static inline int kv_job_check_carried(const struct kv_job *job,
				       const struct kv_step *step,
				       const struct kv_caps *caps,
				       struct kv_refusal *no)
{
	const struct kv_op_rule *op = &kv_op_rules[step->op];
	const char *transport = kv_transport_rules[job->transport].name;
	u32 size = step->size, sges = caps->max_sge;

	if (!(op->transports & (1U << job->transport)))
		return kv_refuse(no, KVERBS_JOB_A_TRANSPORT,
				 "transport %s: does not carry %s; use -c rc",
				 transport, op->name);
	if (kv_transport_rules[job->transport].datagram) {
		if (job->mtu != caps->mtu)
			return kv_refuse(no, KVERBS_JOB_A_MTU,
					 "mtu %u: %s has no path MTU, the port's %u holds; leave -m out",
					 job->mtu, transport, caps->mtu);
		if (size > caps->mtu)
			return kv_refuse(no, KVERBS_JOB_A_STEP,
					 "size %u: a message of %s is one packet, here of %u bytes; use -s %u or less",
					 size, transport, caps->mtu, caps->mtu);
	}
	if (op->reads && caps->max_sge_rd && caps->max_sge_rd < sges)
		sges = caps->max_sge_rd;
	if (job->sges > sges)
		return kv_refuse(no, KVERBS_JOB_A_SGES,
				 "sges %u: a %s has up to %u here; use fewer",
				 job->sges, op->name, sges);
	if (job->sges > 1 && (job->sges > size || op->bytes || op->placement))
		return kv_refuse(no, KVERBS_JOB_A_SGES,
				 "sges %u: a %s of %u bytes is not split into so many; use fewer",
				 job->sges, op->name, size);
	if (job->inline_data && op->bytes && op->placement)
		return kv_refuse(no, KVERBS_JOB_A_INLINE_DATA,
				 "inline %u: the WR of an %s has its data anyway; leave -I out",
				 job->inline_data, op->name);
	if (job->inline_data && (op->reads || op->placement))
		return kv_refuse(no, KVERBS_JOB_A_INLINE_DATA,
				 "inline %u: a %s sends no payload; leave -I out",
				 job->inline_data, op->name);
	if (job->inline_data && size > job->inline_data)
		return kv_refuse(no, KVERBS_JOB_A_INLINE_DATA,
				 "inline %u: a message of %u bytes has no room there; use -I %u, or leave it out",
				 job->inline_data, size, size);
	return 0;
}

static inline int kv_job_check_message(const struct kv_job *job,
				       const struct kv_caps *caps,
				       struct kv_refusal *no)
{
	u32 i;

	for (i = 0; i < job->nsteps; i++) {
		if (kv_job_check_carried(job, &job->step[i], caps, no))
			return -1;
	}
	return 0;
}

/* fields that mean nothing where it is the control path that is measured */
static inline int kv_job_check_control(struct kv_job *job, struct kv_refusal *no)
{
	const struct kv_shape_rule *shape = &kv_shape_rules[job->shape];
	struct {
		u32 attr;
		u32 given;
		const char *name;
	} field[] = {
		/* a job that was checked is checked again, when it is run */
		{ KVERBS_JOB_A_CHAIN, job->chain != KV_AUTO && job->chain != 1, "post-list" },
		{ KVERBS_JOB_A_SIGNAL, job->signal != KV_AUTO && job->signal != 1, "cq-mod" },
		{ KVERBS_JOB_A_POLL_BATCH, job->poll_batch != KV_AUTO && job->poll_batch != 1,
		  "poll-batch" },
		{ KVERBS_JOB_A_INLINE_DATA, job->inline_data, "inline" },
		{ KVERBS_JOB_A_SGES, job->sges > 1, "sges" },
		{ KVERBS_JOB_A_CHECK_DATA, job->check_data, "check-data" },
		{ KVERBS_JOB_A_API, job->api != KVERBS_API_POST, "api" },
		{ KVERBS_JOB_A_THREAD_DOMAIN, job->thread_domain, "thread-domain" },
		{ KVERBS_JOB_A_CONTEXT, job->context != KVERBS_CONTEXT_BUSY, "context" },
		{ KVERBS_JOB_A_PATTERN, job->pattern != KVERBS_PATTERN_FIXED, "pattern" },
		{ KVERBS_JOB_A_MRS, job->mrs > 1, "mrs" },
		{ KVERBS_JOB_A_LANE_QPS, job->lane_qps > 1, "lane-qps" },
		{ KVERBS_JOB_A_COLD, job->cold, "cold" },
		{ KVERBS_JOB_A_DELAY_NS, job->delay_ns, "delay" },
		{ KVERBS_JOB_A_REG, job->reg != KVERBS_REG_ONCE, "reg" },
		{ KVERBS_JOB_A_SRQ, job->srq, "srq" },
		{ KVERBS_JOB_A_REFILL, job->refill != KV_AUTO &&
				       job->refill != KVERBS_REFILL_BATCH, "refill" },
		{ KVERBS_JOB_A_RECV_CHAIN, job->recv_chain != KV_AUTO, "recv-chain" },
		{ KVERBS_JOB_A_TIMING, job->timing == KVERBS_TIMING_NONE, "timing none" },
	};
	u32 i;

	if (job->shape != KVERBS_SHAPE_RECOVER && job->recover != KV_AUTO)
		return kv_refuse(no, KVERBS_JOB_A_RECOVER,
				 "recover: shape %s has no errors to recover from; use --shape recover",
				 shape->name);
	if (job->shape != KVERBS_SHAPE_SETUP && job->storm != KV_AUTO)
		return kv_refuse(no, KVERBS_JOB_A_STORM,
				 "storm %u: shape %s sets nothing up but its own QPs; use --shape setup",
				 job->storm, shape->name);
	if (!shape->control)
		return 0;
	for (i = 0; i < sizeof(field) / sizeof(*field); i++) {
		if (field[i].given)
			return kv_refuse(no, field[i].attr,
					 "%s: means nothing in shape %s, which times calls of the control path; leave it out",
					 field[i].name, shape->name);
	}
	if (job->nsteps > 1)
		return kv_refuse(no, KVERBS_JOB_A_STEP,
				 "%u steps: shape %s has but one; use --op write",
				 job->nsteps, shape->name);
	job->poll_batch = 1;
	if (job->shape == KVERBS_SHAPE_SETUP) {
		if (job->local_key != KVERBS_LOCAL_KEY_MR)
			return kv_refuse(no, KVERBS_JOB_A_LOCAL_KEY,
					 "local-key dma: shape %s posts nothing; leave it out",
					 shape->name);
		if (job->storm == KV_AUTO)
			job->storm = 1;
		return 0;
	}
	if (job->transport != KVERBS_TRANSPORT_RC)
		return kv_refuse(no, KVERBS_JOB_A_TRANSPORT,
				 "transport %s: the error of shape %s is one that the peer tells; use -c rc",
				 kv_transport_rules[job->transport].name, shape->name);
	if (kv_job_rule(job)->two_sided && !job->step[0].size)
		return kv_refuse(no, KVERBS_JOB_A_STEP,
				 "size 0: the error of shape %s with %s is a receive that cannot be written; use -s 1 or more",
				 shape->name, kv_job_rule(job)->name);
	if (job->recover == KV_AUTO)
		job->recover = KVERBS_RECOVER_RESET;
	return 0;
}

/* what only shape paced has, and cannot be without */
/* the intervals of a trace, and the rate that they make */
static inline int kv_job_check_trace(struct kv_job *job, struct kv_refusal *no)
{
	u64 sum = 0, rate;
	u32 i;

	if (job->pace != KVERBS_PACE_TRACE) {
		if (job->npace_ns)
			return kv_refuse(no, KVERBS_JOB_A_PACE_NS,
					 "pace: there are %u intervals, which only pace trace takes; use --pace trace:FILE",
					 job->npace_ns);
		return 0;
	}
	if (!job->npace_ns || job->npace_ns > KVERBS_PACE_NS_MAX)
		return kv_refuse(no, KVERBS_JOB_A_PACE_NS,
				 "pace trace: %u intervals, it has 1 to %u; use --pace trace:FILE",
				 job->npace_ns, KVERBS_PACE_NS_MAX);
	for (i = 0; i < job->npace_ns; i++) {
		if (job->pace_ns[i] > KV_PACE_NS_HIGH)
			return kv_refuse(no, KVERBS_JOB_A_PACE_NS,
					 "pace trace: interval %u is %u ns, the longest is %u",
					 i + 1, job->pace_ns[i], KV_PACE_NS_HIGH);
		sum += job->pace_ns[i];
	}
	if (sum < job->npace_ns)
		return kv_refuse(no, KVERBS_JOB_A_PACE_NS,
				 "pace trace: %u intervals of %llu ns together: less than 1 ns each is no pace; use --shape rate",
				 job->npace_ns, (unsigned long long)sum);
	rate = (1000000000ULL * job->npace_ns + sum / 2) / sum;
	if (!rate)
		rate = 1;
	if (job->pace_rate && job->pace_rate != rate)
		return kv_refuse(no, KVERBS_JOB_A_PACE_RATE,
				 "pace-rate %u: the intervals of pace trace make %llu; leave it out",
				 job->pace_rate, (unsigned long long)rate);
	job->pace_rate = (u32)rate;
	return 0;
}

static inline int kv_job_check_pace(struct kv_job *job, struct kv_refusal *no)
{
	const struct kv_shape_rule *shape = &kv_shape_rules[job->shape];

	if (!shape->paced) {
		if (job->pace != KV_AUTO)
			return kv_refuse(no, KVERBS_JOB_A_PACE,
					 "pace: shape %s posts as soon as it can; use --shape paced",
					 shape->name);
		if (job->pace_rate)
			return kv_refuse(no, KVERBS_JOB_A_PACE_RATE,
					 "pace-rate %u: shape %s posts as soon as it can; use --shape paced",
					 job->pace_rate, shape->name);
		return kv_job_check_trace(job, no);
	}
	if (kv_job_check_trace(job, no))
		return -1;
	if (!job->pace_rate)
		return kv_refuse(no, KVERBS_JOB_A_PACE_RATE,
				 "pace-rate: shape %s needs to know how many operations a second; use --pace-rate",
				 shape->name);
	if (job->timing == KVERBS_TIMING_NONE)
		return kv_refuse(no, KVERBS_JOB_A_TIMING,
				 "timing none: shape %s needs the clock to know when to post; use lat or all",
				 shape->name);
	if (job->pace == KV_AUTO)
		job->pace = KVERBS_PACE_CONSTANT;
	return 0;
}

/* what cannot have its messages elsewhere than where they were when it was made */
static inline int kv_job_check_aim(const struct kv_job *job, u32 attr,
				   const char *what, struct kv_refusal *no)
{
	const struct kv_shape_rule *shape = &kv_shape_rules[job->shape];

	if (shape->answers)
		return kv_refuse(no, attr,
				 "%s: a message of shape %s has one place, where it is looked for; use another shape",
				 what, shape->name);
	if (job->nsteps > 1 || kv_job_registers(job))
		return kv_refuse(no, attr,
				 "%s: not where an operation has several steps or an MR; leave it out",
				 what);
	if (job->sges > 1)
		return kv_refuse(no, attr,
				 "%s: not with messages in %u pieces; leave --sges out",
				 what, job->sges);
	if (job->inline_data)
		return kv_refuse(no, attr,
				 "%s: what is sent inline is not reached through an MR; leave -I out",
				 what);
	if (job->check_data)
		return kv_refuse(no, attr,
				 "%s: data that is checked has places of its own; leave --check-data out",
				 what);
	return 0;
}

/* which memory the messages of a job touch, and how cold it is */
static inline int kv_job_check_places(struct kv_job *job,
				      const struct kv_caps *caps,
				      struct kv_refusal *no)
{
	u64 stride = kv_job_stride(job), span;

	if (job->pattern == KVERBS_PATTERN_FIXED) {
		if (job->span != KV_AUTO)
			return kv_refuse(no, KVERBS_JOB_A_SPAN,
					 "span %u: all messages lie at one place; use --pattern sequential or random",
					 job->span);
	} else {
		if (kv_job_check_aim(job, KVERBS_JOB_A_PATTERN, "pattern", no))
			return -1;
		span = stride * KV_SPAN_PLACES;
		if (span < KV_SPAN_BYTES)
			span = KV_SPAN_BYTES;
		if (job->span != KV_AUTO)
			span = job->span;
		if (span < stride)
			return kv_refuse(no, KVERBS_JOB_A_SPAN,
					 "span %llu: a message takes %llu bytes; use --span %llu or more",
					 (unsigned long long)span,
					 (unsigned long long)stride,
					 (unsigned long long)stride);
		if (span > KV_SIZE_MAX || 2 * span > caps->max_reg_bytes)
			return kv_refuse(no, KVERBS_JOB_A_SPAN,
					 "span %llu: both halves of the buffer must fit in one MR, here %llu bytes; use --span %llu or less",
					 (unsigned long long)span,
					 (unsigned long long)caps->max_reg_bytes,
					 (unsigned long long)caps->max_reg_bytes / 2 & ~63ULL);
		job->span = (u32)span;
	}
	if (job->mrs > 1 && kv_job_check_aim(job, KVERBS_JOB_A_MRS, "mrs", no))
		return -1;
	if (job->mrs > 1 && job->mrs > caps->max_mr / (2 * job->pairs))
		return kv_refuse(no, KVERBS_JOB_A_MRS,
				 "mrs %u: at both ends of %u pairs, and the device has %u; use fewer",
				 job->mrs, job->pairs, caps->max_mr);
	return 0;
}

/* what is set up at once, beside the run's own */
static inline int kv_job_check_storm(const struct kv_job *job,
				     const struct kv_caps *caps,
				     struct kv_refusal *no)
{
	u64 qps = (u64)job->pairs * (2 + kv_job_storm_qps(job));
	/* those of all pools, of lanes and of the run's buffers */
	u64 mrs = (u64)job->pairs * (2 + job->storm * (job->outstanding + 1));

	if (job->shape != KVERBS_SHAPE_SETUP)
		return 0;
	if (qps > caps->max_qp)
		return kv_refuse(no, KVERBS_JOB_A_STORM,
				 "storm %u: with %u pairs %llu QPs at once, and the device has %u; use fewer",
				 job->storm, job->pairs, (unsigned long long)qps,
				 caps->max_qp);
	if (caps->kernel && job->outstanding > KV_POOL_MAX)
		return kv_refuse(no, KVERBS_JOB_A_OUTSTANDING,
				 "tx-depth %u: shape setup makes a pool of so many MRs in one call, up to %u; use -t %u or less",
				 job->outstanding, KV_POOL_MAX, KV_POOL_MAX);
	if (mrs > caps->max_mr)
		return kv_refuse(no, KVERBS_JOB_A_STORM,
				 "storm %u: with pools of %u MRs (-t) %llu at once, and the device has %u; use fewer",
				 job->storm, job->outstanding,
				 (unsigned long long)mrs, caps->max_mr);
	return 0;
}

/* both ends of a pair post, where neither has anything else to do */
static inline int kv_job_check_bidirectional(const struct kv_job *job,
					     struct kv_refusal *no)
{
	if (!job->bidirectional)
		return 0;
	if (job->shape != KVERBS_SHAPE_RATE)
		return kv_refuse(no, KVERBS_JOB_A_BIDIRECTIONAL,
				 "bidirectional: shape %s is of one end that begins; use --shape rate, or leave -b out",
				 kv_shape_rules[job->shape].name);
	if (kv_job_two_sided(job) &&
	    !kv_transport_rules[job->transport].acked)
		return kv_refuse(no, KVERBS_JOB_A_BIDIRECTIONAL,
				 "bidirectional: over %s a %s may be lost, and an end that sends as well cannot tell when all have come; use -c rc, or leave -b out",
				 kv_transport_rules[job->transport].name,
				 kv_job_rule(job)->name);
	if (kv_job_two_sided(job) && job->check_data)
		return kv_refuse(no, KVERBS_JOB_A_CHECK_DATA,
				 "check-data: both ends send, and have no time to look at each %s; leave -b or it out",
				 kv_job_rule(job)->name);
	if (job->nsteps > 1 || kv_job_registers(job) || job->reg != KVERBS_REG_ONCE)
		return kv_refuse(no, KVERBS_JOB_A_BIDIRECTIONAL,
				 "bidirectional: not where an operation has several steps or an MR; leave -b out");
	if (job->provoke)
		return kv_refuse(no, KVERBS_JOB_A_BIDIRECTIONAL,
				 "bidirectional: an error is provoked at one end; leave -b out");
	return 0;
}

/* a lane that sends and takes messages does so itself: a handler has one of them to do */
static inline int kv_job_check_both(const struct kv_job *job,
				    struct kv_refusal *no)
{
	if (!job->bidirectional || !kv_job_two_sided(job) ||
	    job->post_from != KVERBS_POST_FROM_HANDLER)
		return 0;
	return kv_refuse(no, KVERBS_JOB_A_BIDIRECTIONAL,
			 "bidirectional: a handler of context %s posts or takes, and not both; use --post-from lane, or leave -b out",
			 kv_context_rules[job->context].name);
}

/* what the buffers are made of, and in which pages MRs see them */
static inline int kv_job_check_memory(const struct kv_job *job,
				      const struct kv_caps *caps,
				      struct kv_refusal *no)
{
	u64 bytes = 2 * kv_job_half(job), piece = caps->page;

	if (job->memory == KVERBS_MEMORY_CONTIGUOUS) {
		if (!caps->kernel)
			return kv_refuse(no, KVERBS_JOB_A_MEMORY,
					 "memory contiguous: user space is given physical blocks as huge pages only; use --memory huge");
		if (bytes > caps->max_block)
			return kv_refuse(no, KVERBS_JOB_A_MEMORY,
					 "memory contiguous: a buffer has %llu bytes, the largest block %llu; use --memory huge, or a smaller -s or --span",
					 (unsigned long long)bytes,
					 (unsigned long long)caps->max_block);
		/* a block is as aligned as it is large */
		if (piece < kv_job_buffer(job))
			piece = kv_job_buffer(job);
	} else if (job->memory == KVERBS_MEMORY_HUGE) {
		piece = KV_HUGE_BYTES;
	}
	if (job->mr_page == KV_AUTO)
		return 0;
	if (!caps->kernel)
		return kv_refuse(no, KVERBS_JOB_A_MR_PAGE,
				 "mr-page %u: the page size of a user MR is its provider's choice; use --engine kernel, or leave it out",
				 job->mr_page);
	if (job->mr_page & (job->mr_page - 1) || !(job->mr_page & caps->mr_pages))
		return kv_refuse(no, KVERBS_JOB_A_MR_PAGE,
				 "mr-page %u: the device has the sizes of the mask 0x%llx; use one of these",
				 job->mr_page, (unsigned long long)caps->mr_pages);
	if (job->mr_page > piece)
		return kv_refuse(no, KVERBS_JOB_A_MR_PAGE,
				 "mr-page %u: this memory is in pieces of %llu bytes; use --memory huge or contiguous, or a smaller one",
				 job->mr_page, (unsigned long long)piece);
	if (kv_job_registers(job) && job->mr_page != caps->page)
		return kv_refuse(no, KVERBS_JOB_A_MR_PAGE,
				 "mr-page %u: an operation that registers does so in pages of %u; leave it out",
				 job->mr_page, caps->page);
	return 0;
}

/* pages on demand: an offer of user MRs, of some devices and transports */
static inline int kv_job_check_odp(const struct kv_job *job,
				   const struct kv_caps *caps,
				   struct kv_refusal *no)
{
	const char *kind = job->odp == KVERBS_ODP_IMPLICIT ? "implicit" :
							     "explicit";
	u32 i;

	if (!job->odp)
		return 0;
	if (caps->kernel)
		return kv_refuse(no, KVERBS_JOB_A_ODP,
				 "odp: pages of the kernel are always there, its MRs have none on demand; leave it out, or use --engine user");
	if (!(caps->odp & (1U << job->odp)))
		return kv_refuse(no, KVERBS_JOB_A_ODP,
				 "odp %s: the device has no such on-demand paging (odp_caps of ibv_devinfo -v); leave it out",
				 kind);
	for (i = 0; i < job->nsteps; i++) {
		if (!(caps->odp_ops[job->transport] & (1U << job->step[i].op)))
			return kv_refuse(no, KVERBS_JOB_A_ODP,
					 "odp %s: the device has none for a %s over %s (odp_caps of ibv_devinfo -v); leave it out",
					 kind, kv_op_rules[job->step[i].op].name,
					 kv_transport_rules[job->transport].name);
	}
	if (kv_job_exchanges(job) || kv_job_window(job))
		return kv_refuse(no, KVERBS_JOB_A_ODP,
				 "odp %s: no window can be bound to an MR whose pages come on demand; leave it out, or use --reg io",
				 kind);
	if (job->odp == KVERBS_ODP_IMPLICIT && job->shape == KVERBS_SHAPE_SETUP)
		return kv_refuse(no, KVERBS_JOB_A_ODP,
				 "odp implicit: shape setup registers a buffer for each MR of a pool, not all addresses; use explicit");
	if (job->odp == KVERBS_ODP_IMPLICIT && job->reg != KVERBS_REG_ONCE)
		return kv_refuse(no, KVERBS_JOB_A_ODP,
				 "odp implicit: all addresses are registered before the run; use explicit, or leave --reg out");
	if (job->provoke)
		return kv_refuse(no, KVERBS_JOB_A_ODP,
				 "odp %s: an error is provoked with MRs that are pinned; leave it out",
				 kind);
	if (job->memory == KVERBS_MEMORY_HUGE)
		return kv_refuse(no, KVERBS_JOB_A_ODP,
				 "odp %s: of huge pages it needs another registration; leave --memory out",
				 kind);
	return 0;
}

/* in which order the device writes to MRs: what the driver decides cannot be asked for */
static inline int kv_job_check_ordering(const struct kv_job *job,
					const struct kv_caps *caps,
					struct kv_refusal *no)
{
	u32 on = job->relaxed_ordering == KVERBS_RELAXED_ORDERING_ON;

	if (job->relaxed_ordering == KV_AUTO ||
	    caps->ordering == KV_ORDERING_ASKED ||
	    caps->ordering == (on ? KV_ORDERING_RELAXED : KV_ORDERING_STRICT))
		return 0;
	if (caps->ordering == KV_ORDERING_RELAXED)
		return kv_refuse(no, KVERBS_JOB_A_RELAXED_ORDERING,
				 "relaxed-ordering off: this driver's MRs of the kernel are relaxed always; use --engine user, or leave it out");
	if (caps->ordering == KV_ORDERING_STRICT)
		return kv_refuse(no, KVERBS_JOB_A_RELAXED_ORDERING,
				 "relaxed-ordering on: a software device writes over no bus, in the order of its packets; leave it out");
	return kv_refuse(no, KVERBS_JOB_A_RELAXED_ORDERING,
			 "relaxed-ordering: in the kernel it is as the driver does, and this one does not say; use --engine user, or leave it out");
}

/* what is evicted from caches, which takes its time and has to be possible */
static inline int kv_job_check_cold(const struct kv_job *job,
				    const struct kv_caps *caps,
				    struct kv_refusal *no)
{
	if (!job->cold)
		return 0;
	if (!caps->evict)
		return kv_refuse(no, KVERBS_JOB_A_COLD,
				 "cold: kverbs has no instruction here that evicts a cache line; leave it out");
	if (kv_job_phased(job))
		return kv_refuse(no, KVERBS_JOB_A_COLD,
				 "cold: an operation of several posts has no moment before its post; use one of a single post");
	if ((u64)job->chain * kv_job_stride(job) > KV_COLD_BYTES)
		return kv_refuse(no, KVERBS_JOB_A_COLD,
				 "cold: %u messages of %u bytes are evicted before a post, the limit is %u bytes; use a smaller -l or -s",
				 job->chain, kv_job_size(job), KV_COLD_BYTES);
	return 0;
}

/* a delay is part of what is timed, in the one shape that has room for it */
static inline int kv_job_check_delay(const struct kv_job *job,
				     struct kv_refusal *no)
{
	if (!job->delay_ns && job->delay_at)
		return kv_refuse(no, KVERBS_JOB_A_DELAY_AT,
				 "delay-at before: there is no delay; use --delay, or leave it out");
	if (!job->delay_ns)
		return 0;
	if (job->shape != KVERBS_SHAPE_LAT)
		return kv_refuse(no, KVERBS_JOB_A_DELAY_NS,
				 "delay %u: shape %s has none; use --shape lat",
				 job->delay_ns, kv_shape_rules[job->shape].name);
	if (kv_job_phased(job))
		return kv_refuse(no, KVERBS_JOB_A_DELAY_NS,
				 "delay %u: an operation of several posts has none; use one of a single post",
				 job->delay_ns);
	if (job->timing == KVERBS_TIMING_NONE)
		return kv_refuse(no, KVERBS_JOB_A_DELAY_NS,
				 "delay %u: it begins where the timing of a post does; use --timing lat or all",
				 job->delay_ns);
	return 0;
}

/* its length, given the ticks of a second */
static inline u64 kv_job_delay(const struct kv_job *job, u64 ticks_s)
{
	return ticks_s * job->delay_ns / 1000000000U;
}

/* who posts the next WR, where ib_core calls a handler */
static inline int kv_job_check_post_from(struct kv_job *job,
					 const struct kv_caps *caps,
					 struct kv_refusal *no)
{
	const struct kv_context_rule *context = &kv_context_rules[job->context];
	u32 iwarp = caps->link == KVERBS_LINK_IWARP;
	u32 lane = kv_shape_rules[job->shape].answers ||
		   kv_shape_rules[job->shape].paced;

	if (!context->callback) {
		if (job->post_from == KV_AUTO)
			return 0;
		return kv_refuse(no, KVERBS_JOB_A_POST_FROM,
				 "post-from: with context %s it is the lane, there is no other handler; leave it out",
				 context->name);
	}
	if (kv_job_wrs(job) > 1 || kv_job_registers(job))
		return kv_refuse(no, KVERBS_JOB_A_CONTEXT,
				 "context %s: its handlers are for operations of one WR; use busy or woken",
				 context->name);
	if (kv_job_rw(job) && job->post_from == KVERBS_POST_FROM_HANDLER)
		return kv_refuse(no, KVERBS_JOB_A_POST_FROM,
				 "post-from handler: rdma_rw_ctx_init may sleep, a handler of kverbs may not; use --post-from lane");
	lane |= kv_job_rw(job);
	if (job->post_from == KV_AUTO)
		job->post_from = lane || (iwarp && kv_job_two_sided(job)) ?
					KVERBS_POST_FROM_LANE :
					KVERBS_POST_FROM_HANDLER;
	if (job->post_from == KVERBS_POST_FROM_LANE)
		return 0;
	if (lane)
		return kv_refuse(no, KVERBS_JOB_A_POST_FROM,
				 "post-from handler: in shape %s it is a lane that answers, or knows the time; use --post-from lane",
				 kv_shape_rules[job->shape].name);
	if (job->check_data)
		return kv_refuse(no, KVERBS_JOB_A_POST_FROM,
				 "post-from handler: a handler must not wait until data is there to be checked; use --post-from lane");
	if (iwarp && kv_job_two_sided(job))
		return kv_refuse(no, KVERBS_JOB_A_POST_FROM,
				 "post-from handler: over iWARP a %s waits until there is a receive for it, and a handler must not wait; use --post-from lane",
				 kv_job_rule(job)->name);
	if (job->delay_ns)
		return kv_refuse(no, KVERBS_JOB_A_POST_FROM,
				 "post-from handler: --delay is of the posts of a lane; use --post-from lane");
	if (job->poll_batch == KV_AUTO)
		job->poll_batch = 1;
	if (job->poll_batch != 1)
		return kv_refuse(no, KVERBS_JOB_A_POLL_BATCH,
				 "poll-batch %u: a handler is called for one WC at a time; leave it out, or use --post-from lane",
				 job->poll_batch);
	return 0;
}

/* moderation of completion events: whether it holds is for the driver to say */
static inline int kv_job_check_moderation(const struct kv_job *job,
					  struct kv_refusal *no)
{
	const struct kv_context_rule *context = &kv_context_rules[job->context];
	u32 count = job->cq_count != KV_AUTO;
	u32 attr = count ? KVERBS_JOB_A_CQ_COUNT : KVERBS_JOB_A_CQ_PERIOD_US;

	if (!count && job->cq_period_us == KV_AUTO)
		return 0;
	if (!context->events)
		return kv_refuse(no, attr,
				 "%s: nobody waits for events with context %s; use woken, or leave it out",
				 count ? "cq-count" : "cq-period", context->name);
	if (!count || job->cq_period_us == KV_AUTO)
		return kv_refuse(no, attr,
				 "%s: events are moderated by a count and a time; give --cq-count and --cq-period",
				 count ? "cq-count" : "cq-period");
	return 0;
}

/* where completions are taken */
static inline int kv_job_check_context(struct kv_job *job,
				       const struct kv_caps *caps,
				       struct kv_refusal *no)
{
	const struct kv_context_rule *context = &kv_context_rules[job->context];

	if (!caps->kernel && !context->user)
		return kv_refuse(no, KVERBS_JOB_A_CONTEXT,
				 "context %s: user space has nothing like it; use busy, woken or hybrid",
				 context->name);
	if (context->sleeps && kv_shape_rules[job->shape].answers &&
	    !kv_job_two_sided(job))
		return kv_refuse(no, KVERBS_JOB_A_CONTEXT,
				 "context %s: the answer to a %s is seen in memory, no event tells of it; use busy, or --op send",
				 context->name,
				 kv_op_rules[job->step[0].op].name);
	if (context->sleeps && kv_shape_rules[job->shape].paced)
		return kv_refuse(no, KVERBS_JOB_A_CONTEXT,
				 "context %s: shape %s waits for the clock, not for a completion; use busy",
				 context->name,
				 kv_shape_rules[job->shape].name);
	if (job->context == KVERBS_CONTEXT_HYBRID) {
		if (job->spin_us == KV_AUTO)
			job->spin_us = KV_SPIN_US;
	} else if (job->spin_us != KV_AUTO) {
		return kv_refuse(no, KVERBS_JOB_A_SPIN_US,
				 "spin %u us: context %s does not poll for a while and then sleep; use --context hybrid",
				 job->spin_us, context->name);
	}
	if (kv_job_check_moderation(job, no))
		return -1;
	return kv_job_check_post_from(job, caps, no);
}

/* what can be made wrong with a job, and shows */
static inline int kv_job_check_provoke(const struct kv_job *job,
				       const struct kv_caps *caps,
				       struct kv_refusal *no)
{
	const struct kv_provoke_rule *rule = &kv_provoke_rules[job->provoke];
	const struct kv_op_rule *op = kv_job_rule(job);
	const char *wrong = NULL;

	if (!job->provoke)
		return 0;
	if (rule->never)
		return kv_refuse(no, KVERBS_JOB_A_PROVOKE,
				 "provoke %s: %s; there is no way to provoke it without harm",
				 rule->name, rule->never);
	if (caps->kernel ? rule->needs & KV_NEEDS_USER :
			   (rule->needs & KV_NEEDS_KERNEL ||
			    (rule->needs & KV_NEEDS_KERNEL_RC &&
			     job->transport == KVERBS_TRANSPORT_RC)))
		return kv_refuse(no, KVERBS_JOB_A_PROVOKE,
				 "provoke %s: %s verbs have no way to it over %s; use --engine %s%s",
				 rule->name, caps->kernel ? "kernel" : "user",
				 kv_transport_rules[job->transport].name,
				 caps->kernel ? "user" : "kernel",
				 rule->needs & KV_NEEDS_KERNEL_RC ? ", or -c uc" : "");
	if (!(rule->transports & (1U << job->transport)))
		wrong = "this transport does not show it";
	else if (!(rule->shapes & (1U << job->shape)))
		wrong = "this shape does not show it";
	else if (rule->needs & KV_NEEDS_RECEIVES && !op->two_sided)
		wrong = "it is about receives, of which this operation has none";
	else if (rule->needs & KV_NEEDS_SEND && (!op->two_sided || op->remote))
		wrong = "it is about data in receives, which this operation has not";
	else if (rule->needs & KV_NEEDS_REMOTE && !op->remote)
		wrong = "it is about memory of the peer, which this operation does not name";
	else if (rule->needs & KV_NEEDS_EXCHANGE && !kv_job_exchanges(job))
		wrong = "it is about keys that the peer is told, and there are none";
	else if (rule->needs & KV_NEEDS_ONE_SIDED && op->two_sided)
		wrong = "the peer takes no part in it, as it does in this operation";
	if (wrong)
		return kv_refuse(no, KVERBS_JOB_A_PROVOKE,
				 "provoke %s: %s; use%s", rule->name, wrong,
				 rule->options);
	if (job->nsteps > 1 || kv_job_registers(job) || op->atomic ||
	    op->placement)
		return kv_refuse(no, KVERBS_JOB_A_PROVOKE,
				 "provoke %s: not where an operation has several steps, an MR, or is an atomic or a flush; use a plain one",
				 rule->name);
	if (kv_job_aims(job))
		return kv_refuse(no, KVERBS_JOB_A_PROVOKE,
				 "provoke %s: not with --pattern or --mrs, which write WRs anew; leave them out",
				 rule->name);
	if (job->check_data || job->inline_data || job->api != KVERBS_API_POST)
		return kv_refuse(no, KVERBS_JOB_A_PROVOKE,
				 "provoke %s: not with --check-data, -I or --api wr; leave them out",
				 rule->name);
	if (job->provoke == KVERBS_PROVOKE_RNR && job->rnr_retry == 7)
		return kv_refuse(no, KVERBS_JOB_A_RNR_RETRY,
				 "rnr-retry 7: is for ever, so that provoke %s has no end; use 6 or less",
				 rule->name);
	if (rule->status == KV_WC_RETRY_EXC_ERR && !job->timeout)
		return kv_refuse(no, KVERBS_JOB_A_TIMEOUT,
				 "timeout 0: is for ever, so that provoke %s has no end; use 1 to 31",
				 rule->name);
	if (job->provoke != KVERBS_PROVOKE_CQ_OVERFLOW)
		return 0;
	if (kv_context_rules[job->context].callback)
		return kv_refuse(no, KVERBS_JOB_A_CONTEXT,
				 "context %s: nobody hears of a CQ of ib_core that overflows, as provoke %s makes it; use busy or woken",
				 kv_context_rules[job->context].name, rule->name);
	if (job->chain != 1 || job->signal != 1)
		return kv_refuse(no, KVERBS_JOB_A_PROVOKE,
				 "provoke %s: posts all WRs of the window in a chain, all signalled; leave -l and -Q out",
				 rule->name);
	if (job->outstanding < 8 * KV_PROVOKE_WINDOW)
		return kv_refuse(no, KVERBS_JOB_A_OUTSTANDING,
				 "tx-depth %u: provoke %s needs %u or more, to have more than a CQ for %u",
				 job->outstanding, rule->name,
				 8 * KV_PROVOKE_WINDOW, KV_PROVOKE_WINDOW);
	return 0;
}

static inline int kv_job_check_engine(struct kv_job *job,
				      const struct kv_caps *caps,
				      struct kv_refusal *no)
{
	u64 bytes = kv_job_bytes(job);
	u32 lanes = kv_job_lanes(job), i, j;

	if (lanes > caps->limit_lanes)
		return kv_refuse(no, KVERBS_JOB_A_PAIRS,
				 "qp %u: needs %u lanes, the limit is %u; use -q %u or less, or raise the module's max_lanes",
				 job->pairs, lanes, caps->limit_lanes,
				 caps->limit_lanes / kv_job_lanes_per_pair(job));
	if (2 * job->pairs * job->lane_qps > KV_QPS_MAX)
		return kv_refuse(no, KVERBS_JOB_A_LANE_QPS,
				 "lane-qps %u: with both ends of %u pairs %u QPs, a run has up to %u; use fewer",
				 job->lane_qps, job->pairs,
				 2 * job->pairs * job->lane_qps, KV_QPS_MAX);
	if (2 * job->pairs * job->lane_qps > caps->max_qp && job->lane_qps > 1)
		return kv_refuse(no, KVERBS_JOB_A_LANE_QPS,
				 "lane-qps %u: with both ends of %u pairs %u QPs, the device has %u; use fewer",
				 job->lane_qps, job->pairs,
				 2 * job->pairs * job->lane_qps, caps->max_qp);
	if (2 * job->pairs > caps->max_qp)
		return kv_refuse(no, KVERBS_JOB_A_PAIRS,
				 "qp %u: needs %u QPs, the device has %u; use -q %u or less",
				 job->pairs, 2 * job->pairs, caps->max_qp,
				 caps->max_qp / 2);
	if (kv_job_cqs_bytes(job) > caps->limit_bytes)
		return kv_refuse(no, KVERBS_JOB_A_CQ,
				 "cq qp: %u CQs of %u entries need %llu bytes, the limit is %llu; use fewer QPs or a smaller -r, or leave it out",
				 2 * job->pairs * job->lane_qps,
				 kv_job_cq_depth(job),
				 (unsigned long long)kv_job_cqs_bytes(job),
				 (unsigned long long)caps->limit_bytes);
	if (bytes > caps->limit_bytes)
		return kv_refuse(no, KVERBS_JOB_A_STEP,
				 "size %u with %u pairs: needs %llu bytes, the limit is %llu; use a smaller -s or -q, or raise the module's max_bytes",
				 kv_job_size(job), job->pairs,
				 (unsigned long long)bytes,
				 (unsigned long long)caps->limit_bytes);
	if (!caps->kernel && job->local_key == KVERBS_LOCAL_KEY_DMA)
		return kv_refuse(no, KVERBS_JOB_A_LOCAL_KEY,
				 "local-key dma: user space has no local_dma_lkey; use mr");
	if (!caps->kernel && job->wait == KVERBS_WAIT_SOFTIRQ)
		return kv_refuse(no, KVERBS_JOB_A_WAIT,
				 "wait softirq: user space cannot run softirqs; use yield");
	if (caps->kernel && job->api != KVERBS_API_POST)
		return kv_refuse(no, KVERBS_JOB_A_API,
				 "api wr: kernel verbs have ib_post_send alone; use --engine user, or leave it out");
	if (caps->kernel && job->thread_domain)
		return kv_refuse(no, KVERBS_JOB_A_THREAD_DOMAIN,
				 "thread-domain: kernel verbs have none; use --engine user, or leave it out");
	if (kv_job_single(job, caps) && job->inline_data)
		return kv_refuse(no, KVERBS_JOB_A_INLINE_DATA,
				 "inline %u: ibv_wr_set_inline_data of this provider sends other bytes; leave -I out, or use --api post",
				 job->inline_data);
	if (kv_job_single(job, caps) && job->sges > 1)
		return kv_refuse(no, KVERBS_JOB_A_SGES,
				 "sges %u: ibv_wr_set_sge_list of this provider sends other bytes; leave it out, or use --api post",
				 job->sges);
	if (kv_job_single(job, caps) && job->poll_batch > 1)
		return kv_refuse(no, KVERBS_JOB_A_POLL_BATCH,
				 "poll-batch %u: ibv_next_poll of this provider returns WCs twice; use --poll-batch 1, or --api post",
				 job->poll_batch);
	if (job->wait == KV_AUTO) {
		/* rxe needs softirqs; siw a thread, which may be of this CPU */
		job->wait = !caps->software ? KVERBS_WAIT_RELAX :
			    caps->kernel && caps->link != KVERBS_LINK_IWARP ?
			    KVERBS_WAIT_SOFTIRQ : KVERBS_WAIT_YIELD;
		/* lanes that share a CPU must hand it to each other */
		for (i = 0; i < lanes && i < job->ncpus; i++) {
			for (j = 0; j < i; j++) {
				if (job->cpu[i] == job->cpu[j])
					job->wait = KVERBS_WAIT_YIELD;
			}
		}
		if (job->ncpus && job->ncpus < lanes)
			job->wait = KVERBS_WAIT_YIELD;
	}
	return 0;
}

/**
 * kv_job_check - complete a job and decide whether it is valid
 * @job: job, each field within the range of its row or at its default; fields at
 *	KV_AUTO are replaced by what they come to, but for gid_index and node
 * @caps: what bounds it
 * @no: the refusal, written on failure only
 *
 * Nothing that was asked for is changed: what cannot be granted is refused.
 *
 * Return: 0, or -1 with the reason in @no
 */
static inline int kv_job_check(struct kv_job *job, const struct kv_caps *caps,
			       struct kv_refusal *no)
{
	if (job->iterations && job->duration_ms)
		return kv_refuse(no, KVERBS_JOB_A_DURATION_MS,
				 "duration %u ms with iters %llu: a run ends by one of them; leave -n or -D out",
				 job->duration_ms,
				 (unsigned long long)job->iterations);
	if (!job->iterations && !job->duration_ms)
		job->duration_ms = KV_DURATION_MS;
	if (caps->limit_ms && job->duration_ms > caps->limit_ms)
		return kv_refuse(no, KVERBS_JOB_A_DURATION_MS,
				 "duration %u ms: the limit is %u ms; use a shorter -D, or raise the module's max_time_ms",
				 job->duration_ms, caps->limit_ms);
	if (kv_job_check_port(job, caps, no) ||
	    kv_job_check_connect(job, caps, no) ||
	    kv_job_check_control(job, no) ||
	    kv_job_check_reg(job, caps, no) ||
	    kv_job_check_step(job, caps, no) ||
	    kv_job_check_message(job, caps, no) ||
	    kv_job_check_path(job, caps, no) ||
	    kv_job_check_pace(job, no) ||
	    kv_job_check_bidirectional(job, no) ||
	    kv_job_check_places(job, caps, no) ||
	    kv_job_check_delay(job, no) ||
	    kv_job_check_context(job, caps, no) ||
	    kv_job_check_both(job, no) ||
	    kv_job_check_srq(job, caps, no) ||
	    kv_job_check_window(job, caps, no) ||
	    kv_job_check_lane_qps(job, caps, no) ||
	    kv_job_check_shared(job, caps, no) ||
	    kv_job_check_vector(job, caps, no) ||
	    kv_job_check_refill(job, no) ||
	    kv_job_check_storm(job, caps, no) ||
	    kv_job_check_cold(job, caps, no) ||
	    kv_job_check_data(job, caps, no) ||
	    kv_job_check_provoke(job, caps, no) ||
	    kv_job_check_memory(job, caps, no) ||
	    kv_job_check_ordering(job, caps, no) ||
	    kv_job_check_odp(job, caps, no) ||
	    kv_job_check_engine(job, caps, no))
		return -1;
	return 0;
}

/**
 * kv_job_data - how a lane checks data
 * @job: checked job
 * @lane: number of the lane in its run; the other of its pair is @lane ^ 1
 * @seed: of the pair
 * @d: its first part is filled
 */
static inline void kv_job_data(const struct kv_job *job, u32 lane, u64 seed,
			       struct kv_data *d)
{
	u32 two_sided = kv_job_two_sided(job);
	u32 answers = kv_shape_rules[job->shape].answers;
	u32 reads = kv_job_rule(job)->reads;

	d->on = job->check_data != KVERBS_CHECK_DATA_OFF;
	d->own = d->on && !two_sided && !answers;
	d->unseen = d->own && !reads && kv_job_iwarp(job);
	d->fault = job->check_data;
	d->lane = lane;
	d->peer = d->own ? lane : lane ^ 1;
	d->source = reads ? KV_AREA_PEER_OUT : KV_AREA_OUT;
	d->target = d->own && !reads ? KV_AREA_PEER_IN : KV_AREA_IN;
	d->seed = seed;
	/* the last byte of a WRITE that is answered is its tag */
	d->size = kv_job_size(job) - (answers && !two_sided);
	d->stride = kv_job_stride(job);
	d->out_slots = job->outstanding;
	d->in_slots = two_sided ? job->recv_depth : job->outstanding;
}

/* the job as one engine of a comparison gets it: without what is of the other alone */
static inline void kv_job_for(struct kv_job *job, u32 kernel)
{
	if (!kernel)
		return;
	job->api = KVERBS_API_POST;
	job->thread_domain = KVERBS_THREAD_DOMAIN_OFF;
}

/* WRs that a send queue must hold: with a chain that the end of a window cut short */
static inline u32 kv_job_sq_depth(const struct kv_job *job)
{
	u32 wrs = job->outstanding * kv_job_queued(job);

	if (job->lane_qps > 1)
		wrs = job->outstanding / job->lane_qps + job->chain;
	return wrs + KV_MARKERS;
}

/*
 * QP, of the lane's, that the chain from a slot on is posted to. Also where chains were
 * cut short, one after the other goes to another QP.
 */
static inline u32 kv_job_turn(const struct kv_job *job, u32 slot)
{
	return slot / job->chain % job->lane_qps;
}

/**
 * kv_job_vector - the completion vector of the CQs of a lane
 * @job: checked job
 * @lane: number of the lane in its run, or of that of the pair for an end without one
 * @vectors: that the device has
 *
 * Who pins lanes to CPUs pins an interrupt to each, too.
 */
static inline u32 kv_job_vector(const struct kv_job *job, u32 lane, u32 vectors)
{
	if (job->comp_vector == KV_AUTO || !vectors)
		return 0;
	return (job->comp_vector + (job->cq == KVERBS_CQ_SHARED ? 0 : lane)) % vectors;
}

/* completions that one CQ must hold: the lane's own, the receives, the markers */
static inline u32 kv_job_cq_depth(const struct kv_job *job)
{
	if (job->provoke == KVERBS_PROVOKE_CQ_OVERFLOW)
		return KV_PROVOKE_WINDOW + KV_MARKERS;
	/* WRs beyond what was asked for may be flushed: queues are rounded up */
	if (job->provoke == KVERBS_PROVOKE_QUEUE_FULL)
		return 3 * (job->outstanding + KV_MARKERS) + job->recv_depth;
	/* of one QP of several: its own send WRs, and all receives that it may take */
	if (job->cq == KVERBS_CQ_QP)
		return kv_job_sq_depth(job) + kv_job_ring_depth(job) + KV_MARKERS;
	return job->outstanding * kv_job_queued(job) + job->recv_depth + KV_MARKERS;
}

/**
 * kv_gid_rank - how well a RoCE GID suits when none was asked for
 * @v2: its type is RoCE v2
 * @gid: its 16 bytes
 * Return: the higher the better; 0 is never used
 */
static inline u32 kv_gid_rank(u32 v2, const unsigned char *gid)
{
	u32 i, zeros = 0, mapped;

	for (i = 0; i < 10; i++)
		zeros += !gid[i];
	mapped = zeros == 10 && gid[10] == 0xff && gid[11] == 0xff;
	for (i = 10; i < 16; i++)
		zeros += !gid[i];
	if (zeros == 16)
		return 0;
	return 1 + (v2 ? 2 : 0) + (mapped ? 1 : 0);
}

#endif /* _KVERBS_JOB_H */
