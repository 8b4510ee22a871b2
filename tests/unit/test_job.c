// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The check of a job. A case is a line of settings on top of a job at its
 * defaults and a device without surprises, and what must come of it.
 */
#include "plain.h"
#include <kverbs/job.h>

/* a device that bounds nothing of what the cases ask for */
static const struct kv_caps plenty = {
	.kernel = 1, .software = 0, .link = KVERBS_LINK_ROCE, .ports = 2,
	.port_active = 1, .mtu = 4096, .gids = 16, .max_msg = 1U << 30,
	.max_qp = 100000, .max_qp_wr = 32768, .max_cqe = 1U << 22,
	.max_rd_atomic = 16, .atomic = 1, .flush_types = 3, .max_sge = 30, .max_sge_rd = 0,
	.pkeys = 1, .max_reg_bytes = 1ULL << 32, .reg_mr = 1, .max_mr = 65536, .evict = 1,
	.vectors = 8, .max_cq = 65536, .max_srq = 64, .max_srq_wr = 512, .max_srq_sge = 30,
	.cm = 1,
	.page = 4096, .mr_pages = 0xfffff000, .max_block = 4U << 20,
	.limit_lanes = 64, .limit_depth = 65536, .limit_ms = 0,
	.limit_bytes = 1ULL << 40,
};

struct member {
	const char *name;
	size_t at;
	size_t size;
};

#define JOB_MEMBER(attr, member, type, lo, hi, def, letter, name, unit, what) \
	{ #member, offsetof(struct kv_job, member), sizeof(type) },
#define CAP(member) { #member, offsetof(struct kv_caps, member), \
		      sizeof(((struct kv_caps *)0)->member) }

static const struct member job_members[] = {
	KV_JOB_FIELDS(JOB_MEMBER)
	{ "nsteps", offsetof(struct kv_job, nsteps), 4 },
	{ "op", offsetof(struct kv_job, step[0].op), 4 },
	{ "size", offsetof(struct kv_job, step[0].size), 4 },
	{ "flags", offsetof(struct kv_job, step[0].flags), 4 },
	{ "op2", offsetof(struct kv_job, step[1].op), 4 },
	{ "size2", offsetof(struct kv_job, step[1].size), 4 },
	{ "op3", offsetof(struct kv_job, step[2].op), 4 },
	{ "size3", offsetof(struct kv_job, step[2].size), 4 },
	{ "ncpus", offsetof(struct kv_job, ncpus), 4 },
	{ "cpu0", offsetof(struct kv_job, cpu[0]), 4 },
	{ "cpu1", offsetof(struct kv_job, cpu[1]), 4 },
	{ "cpu2", offsetof(struct kv_job, cpu[2]), 4 },
	{ "cpu3", offsetof(struct kv_job, cpu[3]), 4 },
};

static const struct member cap_members[] = {
	CAP(kernel), CAP(software), CAP(link), CAP(ports), CAP(port_active),
	CAP(mtu), CAP(gids), CAP(max_msg), CAP(max_qp), CAP(max_qp_wr),
	CAP(max_cqe), CAP(max_rd_atomic), CAP(atomic), CAP(atomic_write), CAP(flush),
	CAP(flush_types), CAP(max_reg_bytes), CAP(reg_mr), CAP(windows), CAP(ordering),
	CAP(sg_gaps), CAP(cm), CAP(read_inv),
	{ "odp_caps", offsetof(struct kv_caps, odp), 4 },
	{ "odp_rc", offsetof(struct kv_caps, odp_ops[KVERBS_TRANSPORT_RC]), 4 },
	CAP(max_sge), CAP(max_sge_rd), CAP(max_sgl_rd), CAP(pkeys), CAP(max_mr), CAP(evict),
	CAP(vectors), CAP(max_cq), CAP(max_srq), CAP(max_srq_wr), CAP(max_srq_sge),
	CAP(page), CAP(mr_pages), CAP(max_block),
	CAP(limit_lanes), CAP(limit_depth), CAP(limit_ms), CAP(limit_bytes),
};

struct word {
	const char *name;
	u32 value;
};

static const struct word words[] = {
	{ "write", KVERBS_OP_WRITE }, { "read", KVERBS_OP_READ },
	{ "send", KVERBS_OP_SEND }, { "send-imm", KVERBS_OP_SEND_IMM },
	{ "write-imm", KVERBS_OP_WRITE_IMM }, { "cas", KVERBS_OP_CAS },
	{ "fadd", KVERBS_OP_FADD }, { "send-inv", KVERBS_OP_SEND_INV },
	{ "reg-mr", KVERBS_OP_REG_MR }, { "local-inv", KVERBS_OP_LOCAL_INV },
	{ "read-inv", KVERBS_OP_READ_INV }, { "atomic-write", KVERBS_OP_ATOMIC_WRITE },
	{ "flush-op", KVERBS_OP_FLUSH }, { "verbs", KVERBS_CONNECT_VERBS },
	{ "cm", KVERBS_CONNECT_CM },
	{ "lat", KVERBS_SHAPE_LAT },
	{ "pingpong", KVERBS_SHAPE_PINGPONG }, { "rate", KVERBS_SHAPE_RATE },
	{ "paced", KVERBS_SHAPE_PACED }, { "recover", KVERBS_SHAPE_RECOVER },
	{ "setup", KVERBS_SHAPE_SETUP },
	{ "each", KVERBS_REFILL_EACH }, { "batch", KVERBS_REFILL_BATCH },
	{ "watermark", KVERBS_REFILL_WATERMARK },
	{ "recreate", KVERBS_RECOVER_RECREATE }, { "constant", KVERBS_PACE_CONSTANT },
	{ "trace", KVERBS_PACE_TRACE },
	{ "none", KVERBS_TIMING_NONE }, { "all", KVERBS_TIMING_ALL },
	{ "relax", KVERBS_WAIT_RELAX }, { "softirq", KVERBS_WAIT_SOFTIRQ },
	{ "yield", KVERBS_WAIT_YIELD }, { "busy", KVERBS_WAIT_NONE },
	{ "ib", KVERBS_LINK_IB }, { "iwarp", KVERBS_LINK_IWARP },
	{ "other", KVERBS_LINK_OTHER }, { "mr", KVERBS_LOCAL_KEY_MR },
	{ "uc", KVERBS_TRANSPORT_UC }, { "ud", KVERBS_TRANSPORT_UD },
	{ "v1", KVERBS_GID_TYPE_V1 }, { "v2", KVERBS_GID_TYPE_V2 },
	{ "woken", KVERBS_CONTEXT_WOKEN }, { "hybrid", KVERBS_CONTEXT_HYBRID },
	{ "direct", KVERBS_CONTEXT_DIRECT }, { "workqueue", KVERBS_CONTEXT_WORKQUEUE },
	{ "pool", KVERBS_CONTEXT_POOL }, { "unbound", KVERBS_CONTEXT_UNBOUND },
	{ "irqpoll", KVERBS_CONTEXT_SOFTIRQ },
	{ "handler", KVERBS_POST_FROM_HANDLER }, { "lane", KVERBS_POST_FROM_LANE },
	{ "io", KVERBS_REG_IO }, { "exchange", KVERBS_REG_EXCHANGE },
	{ "rw", KVERBS_REG_RW }, { "window", KVERBS_REG_WINDOW },
	{ "remote", KVERBS_EXCHANGE_INV_REMOTE }, { "local", KVERBS_EXCHANGE_INV_LOCAL },
	{ "dma", KVERBS_LOCAL_KEY_DMA }, { "auto", KV_AUTO },
	{ "contiguous", KVERBS_MEMORY_CONTIGUOUS }, { "scattered", KVERBS_MEMORY_SCATTERED },
	{ "huge", KVERBS_MEMORY_HUGE },
	{ "sequential", KVERBS_PATTERN_SEQUENTIAL }, { "random", KVERBS_PATTERN_RANDOM },
};

static u64 value_of(const char *text)
{
	char *end;
	u64 value = strtoull(text, &end, 0);
	u32 i;

	if (end != text && !*end)
		return value;
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (!strcmp(words[i].name, text))
			return words[i].value;
	}
	for (i = 1; i < KV_PROVOKES; i++) {
		if (!strcmp(kv_provoke_rules[i].name, text))
			return i;
	}
	fail_msg("no value %s", text);
	return 0;
}

static const struct member *find(const char *name, struct kv_job *job,
				 struct kv_caps *caps, char **base)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(job_members); i++) {
		if (!strcmp(job_members[i].name, name)) {
			*base = (char *)job;
			return &job_members[i];
		}
	}
	for (i = 0; i < ARRAY_SIZE(cap_members); i++) {
		if (!strcmp(cap_members[i].name, name)) {
			*base = (char *)caps;
			return &cap_members[i];
		}
	}
	fail_msg("no member %s", name);
	return NULL;
}

/* "outstanding=4 max_cqe=10": ask is 1 to set them, 0 to expect them */
static void settings(const char *line, struct kv_job *job, struct kv_caps *caps,
		     int ask)
{
	char copy[256], *save, *setting, *base;
	const struct member *m;
	u64 value;
	u32 narrow;

	snprintf(copy, sizeof(copy), "%s", line);
	for (setting = strtok_r(copy, " ", &save); setting;
	     setting = strtok_r(NULL, " ", &save)) {
		char *is = strchr(setting, '=');

		assert_non_null(is);
		*is = 0;
		m = find(setting, job, caps, &base);
		value = value_of(is + 1);
		narrow = (u32)value;
		if (ask) {
			memcpy(base + m->at, m->size == 8 ? (void *)&value : &narrow, m->size);
			continue;
		}
		if (memcmp(base + m->at, m->size == 8 ? (void *)&value : &narrow, m->size))
			fail_msg("%s: expected %s, is %u", setting, is + 1,
				 *(u32 *)(base + m->at));
	}
}

struct refusal {
	const char *ask;
	u32 attr;
	const char *text;
};

#define NOTHING(what) what \
	": means nothing in shape recover, which times calls of the control path; leave it out"

static const struct refusal refusals[] = {
	/* how long */
	{ "iterations=10 duration_ms=20", KVERBS_JOB_A_DURATION_MS,
	  "duration 20 ms with iters 10: a run ends by one of them; leave -n or -D out" },
	{ "duration_ms=1001 limit_ms=1000", KVERBS_JOB_A_DURATION_MS,
	  "duration 1001 ms: the limit is 1000 ms; use a shorter -D, or raise the module's max_time_ms",
	},
	{ "limit_ms=999", KVERBS_JOB_A_DURATION_MS,
	  "duration 1000 ms: the limit is 999 ms; use a shorter -D, or raise the module's max_time_ms",
	},
	/* the port */
	{ "port=3", KVERBS_JOB_A_PORT, "port 3: the device has 2; use -i 1 to 2" },
	{ "port=2 ports=1", KVERBS_JOB_A_PORT, "port 2: the device has 1; use -i 1 to 1" },
	{ "port=0", KVERBS_JOB_A_PORT, "port 0: the device has 2; use -i 1 to 2" },
	{ "link=other port=2", KVERBS_JOB_A_PORT,
	  "port 2 is neither IB nor RoCE nor iWARP; use another device" },
	/* what verbs and devices may lack of the memory placement extensions */
	{ "op=atomic-write size=8 atomic_write=1", KVERBS_JOB_A_STEP,
	  "atomic-write: this kernel has none (ib_core has it from 6.3 on); use --op write -s 8, or cas",
	},
	{ "op=atomic-write size=8 atomic_write=4", KVERBS_JOB_A_STEP,
	  "atomic-write: the device has none (ATOMIC_WRITE is not among its capabilities); use --op write -s 8, or cas",
	},
	{ "op=atomic-write size=8 atomic_write=3 kernel=0", KVERBS_JOB_A_STEP,
	  "atomic-write: the libibverbs that kverbs was built with has no ibv_wr_atomic_write; build it with rdma-core 44 or later, or use --op write -s 8, or cas",
	},
	{ "op=atomic-write size=8 kernel=0", KVERBS_JOB_A_API,
	  "api post: ibv_post_send posts no atomic-write; use --api wr" },
	{ "op=atomic-write size=64", KVERBS_JOB_A_STEP,
	  "size 64: atomic-write has 8 bytes; use -s 8 or leave it out" },
	{ "op=atomic-write size=8 transport=uc", KVERBS_JOB_A_TRANSPORT,
	  "transport uc: does not carry atomic-write; use -c rc" },
	{ "op=atomic-write size=8 shape=pingpong", KVERBS_JOB_A_SHAPE,
	  "shape pingpong: the peer of atomic-write has nothing to answer; use write or send, or --shape lat",
	},
	{ "op=atomic-write size=8 inline_data=8", KVERBS_JOB_A_INLINE_DATA,
	  "inline 8: the WR of an atomic-write has its data anyway; leave -I out" },
	{ "op=atomic-write size=8 reg=io", KVERBS_JOB_A_REG,
	  "reg io: atomic-write has no memory of its own to register; use write, read or send" },
	{ "op=flush-op flush=1", KVERBS_JOB_A_STEP,
	  "flush: this kernel has none (ib_core has it from 6.3 on); use --op write,read" },
	{ "nsteps=2 op2=flush-op size2=64 flush=2", KVERBS_JOB_A_STEP,
	  "flush: the kernel's verbs have its number, but no WR that says what is flushed; use --engine user, or --op write,read",
	},
	{ "op=flush-op flush=3 kernel=0", KVERBS_JOB_A_STEP,
	  "flush: the libibverbs that kverbs was built with has no ibv_wr_flush; build it with rdma-core 46 or later, or use --op write,read",
	},
	{ "op=flush-op kernel=0", KVERBS_JOB_A_API,
	  "api post: ibv_post_send posts no flush; use --api wr" },
	{ "op=flush-op flush_types=2", KVERBS_JOB_A_FLUSH_TYPE,
	  "flush-type global: the device has none (FLUSH_GLOBAL is not among its capabilities); use --op write,read",
	},
	{ "op=flush-op flush_type=1 flush_types=1", KVERBS_JOB_A_FLUSH_TYPE,
	  "flush-type persistent: the device has none (FLUSH_PERSISTENT is not among its capabilities); use global",
	},
	{ "op=flush-op sges=2", KVERBS_JOB_A_SGES,
	  "sges 2: a flush of 64 bytes is not split into so many; use fewer" },
	{ "op=flush-op inline_data=64", KVERBS_JOB_A_INLINE_DATA,
	  "inline 64: a flush sends no payload; leave -I out" },
	{ "op=flush-op provoke=5", KVERBS_JOB_A_PROVOKE,
	  "provoke flush: not where an operation has several steps, an MR, or is an atomic or a flush; use a plain one",
	},
	{ "flush_type=0", KVERBS_JOB_A_FLUSH_TYPE,
	  "flush-type: no step of an operation is a flush; use --op write,flush, or leave it out" },
	{ "flush_level=1", KVERBS_JOB_A_FLUSH_LEVEL,
	  "flush-level: no step of an operation is a flush; use --op write,flush, or leave it out",
	},

	{ "comp_vector=8", KVERBS_JOB_A_COMP_VECTOR,
	  "comp-vector 8: the device has 8 completion vectors; use 0 to 7" },
	{ "comp_vector=1 vectors=1 kernel=0", KVERBS_JOB_A_COMP_VECTOR,
	  "comp-vector 1: the device has 1 completion vector; leave it out" },

	/* who connects QPs, and what iWARP has not */
	{ "link=iwarp connect=verbs", KVERBS_JOB_A_CONNECT,
	  "connect verbs: port 1 is iWARP, whose QPs only rdma_cm connects; use cm, or leave it out",
	},
	{ "connect=cm cm=0", KVERBS_JOB_A_CONNECT,
	  "connect cm: this kernel has no rdma_cm (CONFIG_INFINIBAND_ADDR_TRANS), or this device is not its; use verbs",
	},
	{ "connect=cm transport=ud op=send", KVERBS_JOB_A_TRANSPORT,
	  "transport ud: rdma_cm connects RC QPs here; use -c rc, or --connect verbs",
	},
	{ "link=iwarp transport=uc", KVERBS_JOB_A_TRANSPORT,
	  "transport uc: rdma_cm connects RC QPs here; use -c rc",
	},
	{ "connect=cm shape=recover", KVERBS_JOB_A_SHAPE,
	  "shape recover: takes QPs to RTS by verbs; use another shape, or --connect verbs",
	},
	{ "connect=cm gid_index=1", KVERBS_JOB_A_GID_INDEX,
	  "gid-index: rdma_cm takes the GID of the port's IP address; leave it out, or --connect verbs",
	},
	{ "connect=cm gid_type=v2", KVERBS_JOB_A_GID_TYPE,
	  "gid-type: rdma_cm takes the GID of the port's IP address; leave it out, or --connect verbs",
	},
	{ "link=iwarp pkey_index=1", KVERBS_JOB_A_PKEY_INDEX,
	  "pkey-index 1: rdma_cm takes the P_Key of the port's IP address; leave it out",
	},
	{ "connect=cm provoke=wrong-qpn", KVERBS_JOB_A_PROVOKE,
	  "provoke wrong-qpn: not with QPs that rdma_cm connects; use flush, queue-full, sges or cq-overflow, or --connect verbs",
	},
	{ "link=iwarp provoke=peer-gone", KVERBS_JOB_A_PROVOKE,
	  "provoke peer-gone: not with QPs that rdma_cm connects; use flush, queue-full, sges or cq-overflow",
	},
	{ "link=iwarp mtu=1024", KVERBS_JOB_A_MTU,
	  "mtu: port 1 is iWARP, whose TCP connection has none that verbs could set; leave it out",
	},
	{ "link=iwarp timeout=14", KVERBS_JOB_A_TIMEOUT,
	  "timeout: port 1 is iWARP, whose TCP connection has none that verbs could set; leave it out",
	},
	{ "link=iwarp hop_limit=3", KVERBS_JOB_A_HOP_LIMIT,
	  "hop-limit: port 1 is iWARP, whose TCP connection has none that verbs could set; leave it out",
	},
	{ "link=iwarp rd_atomic=17", KVERBS_JOB_A_RD_ATOMIC,
	  "rd-atomic 17: the device allows 16; use -o 16 or less",
	},
	{ "link=iwarp op=write-imm", KVERBS_JOB_A_STEP,
	  "write-imm: iWARP has no immediate data; use write or send",
	},
	{ "link=iwarp op=read local_key=dma", KVERBS_JOB_A_LOCAL_KEY,
	  "local-key dma: what a read of iWARP reads into is named to the peer, by an MR; leave it out",
	},
	{ "op=read-inv", KVERBS_JOB_A_STEP,
	  "read-inv: only a READ of iWARP invalidates the MR that it reads into; use --op reg-mr,read,local-inv",
	},
	{ "link=iwarp op=send shape=rate lane_qps=2", KVERBS_JOB_A_LANE_QPS,
	  "lane-qps: over iWARP a sender waits for receives of one QP, posted again at once; leave it out",
	},
	{ "link=iwarp op=send srq=1", KVERBS_JOB_A_SRQ,
	  "srq: over iWARP a sender waits for receives of one QP, posted again at once; leave it out",
	},
	{ "link=iwarp op=send refill=watermark", KVERBS_JOB_A_REFILL,
	  "refill: over iWARP a sender waits for receives of one QP, posted again at once; leave it out",
	},
	{ "link=iwarp op=send refill=batch recv_chain=2", KVERBS_JOB_A_RECV_CHAIN,
	  "recv-chain: over iWARP a sender waits for receives of one QP, posted again at once; leave it out",
	},
	{ "link=iwarp op=send shape=rate chain=4 recv_depth=3", KVERBS_JOB_A_RECV_DEPTH,
	  "rx-depth 3: over iWARP a chain of 4 waits until there is a receive for each; use -r 4 or more",
	},
	{ "link=iwarp op=send context=irqpoll post_from=handler", KVERBS_JOB_A_POST_FROM,
	  "post-from handler: over iWARP a send waits until there is a receive for it, and a handler must not wait; use --post-from lane",
	},
	{ "port_active=0", KVERBS_JOB_A_PORT,
	  "port 1 is not ACTIVE; bring its link up (ip link, or the subnet manager), see 'rdma link'",
	},
	{ "gid_index=16", KVERBS_JOB_A_GID_INDEX,
	  "gid-index 16: port 1 has 16 entries; use -x 0 to 15 or leave it out" },
	{ "gid_index=0 gids=0", KVERBS_JOB_A_GID_INDEX,
	  "gid-index 0: port 1 has 0 entries; use -x 0 to 0 or leave it out" },
	{ "mtu=1000", KVERBS_JOB_A_MTU, "mtu 1000: is none of 256, 512, 1024, 2048, 4096" },
	{ "mtu=2048 mtu=2048 port=1 mtu=4096 mtu=1025", KVERBS_JOB_A_MTU,
	  "mtu 1025: is none of 256, 512, 1024, 2048, 4096" },
	/* recover */
	{ "recover=recreate", KVERBS_JOB_A_RECOVER,
	  "recover: shape lat has no errors to recover from; use --shape recover" },
	{ "shape=recover chain=2", KVERBS_JOB_A_CHAIN,
	  NOTHING("post-list") },
	{ "shape=recover signal=2", KVERBS_JOB_A_SIGNAL,
	  NOTHING("cq-mod") },
	{ "shape=recover poll_batch=2", KVERBS_JOB_A_POLL_BATCH,
	  NOTHING("poll-batch") },
	{ "shape=recover inline_data=64", KVERBS_JOB_A_INLINE_DATA,
	  NOTHING("inline") },
	{ "shape=recover sges=2", KVERBS_JOB_A_SGES,
	  NOTHING("sges") },
	{ "shape=recover check_data=1", KVERBS_JOB_A_CHECK_DATA,
	  NOTHING("check-data") },
	{ "shape=recover kernel=0 api=1", KVERBS_JOB_A_API,
	  NOTHING("api") },
	{ "shape=recover kernel=0 thread_domain=1", KVERBS_JOB_A_THREAD_DOMAIN,
	  NOTHING("thread-domain") },
	{ "shape=recover context=woken", KVERBS_JOB_A_CONTEXT,
	  NOTHING("context") },
	{ "shape=recover pattern=random", KVERBS_JOB_A_PATTERN,
	  NOTHING("pattern") },
	{ "shape=recover mrs=2", KVERBS_JOB_A_MRS,
	  NOTHING("mrs") },
	{ "shape=recover cold=1", KVERBS_JOB_A_COLD,
	  NOTHING("cold") },
	{ "shape=recover delay_ns=5", KVERBS_JOB_A_DELAY_NS,
	  NOTHING("delay") },
	{ "shape=recover reg=io", KVERBS_JOB_A_REG,
	  NOTHING("reg") },
	{ "shape=recover timing=none", KVERBS_JOB_A_TIMING,
	  NOTHING("timing none") },
	{ "shape=recover transport=uc", KVERBS_JOB_A_TRANSPORT,
	  "transport uc: the error of shape recover is one that the peer tells; use -c rc" },
	{ "shape=recover nsteps=2", KVERBS_JOB_A_STEP,
	  "2 steps: shape recover has but one; use --op write" },
	{ "shape=recover op=write-imm", KVERBS_JOB_A_SHAPE,
	  "shape recover: has no write-imm; use --op write, read, send, cas or fadd" },
	{ "shape=recover op=send-imm size=0", KVERBS_JOB_A_STEP,
	  "size 0: the error of shape recover with send-imm is a receive that cannot be written; use -s 1 or more",
	},
	{ "shape=recover op=send srq=1", KVERBS_JOB_A_SRQ,
	  "srq: means nothing in shape recover, which times calls of the control path; leave it out",
	},
	{ "shape=recover provoke=flush", KVERBS_JOB_A_PROVOKE,
	  "provoke flush: this shape does not show it; use -c rc" },
	{ "shape=recover recv_depth=4", KVERBS_JOB_A_RECV_DEPTH,
	  "rx-depth 4: write consumes no receives; leave -r out" },
	{ "shape=recover bidirectional=1", KVERBS_JOB_A_BIDIRECTIONAL,
	  "bidirectional: shape recover is of one end that begins; use --shape rate, or leave -b out",
	},
	{ "shape=recover pace_rate=5", KVERBS_JOB_A_PACE_RATE,
	  "pace-rate 5: shape recover posts as soon as it can; use --shape paced" },
	/* setup */
	{ "storm=2", KVERBS_JOB_A_STORM,
	  "storm 2: shape lat sets nothing up but its own QPs; use --shape setup" },
	{ "shape=recover storm=2", KVERBS_JOB_A_STORM,
	  "storm 2: shape recover sets nothing up but its own QPs; use --shape setup" },
	{ "shape=setup recover=recreate", KVERBS_JOB_A_RECOVER,
	  "recover: shape setup has no errors to recover from; use --shape recover" },
	{ "shape=setup chain=2", KVERBS_JOB_A_CHAIN,
	  "post-list: means nothing in shape setup, which times calls of the control path; leave it out",
	},
	{ "shape=setup local_key=dma", KVERBS_JOB_A_LOCAL_KEY,
	  "local-key dma: shape setup posts nothing; leave it out" },
	{ "shape=setup outstanding=1025", KVERBS_JOB_A_OUTSTANDING,
	  "tx-depth 1025: shape setup makes a pool of so many MRs in one call, up to 1024; use -t 1024 or less",
	},
	{ "shape=setup op=read", KVERBS_JOB_A_SHAPE,
	  "shape setup: posts nothing, no read either; leave --op out" },
	{ "shape=setup op=send", KVERBS_JOB_A_SHAPE,
	  "shape setup: posts nothing, no send either; leave --op out" },
	{ "shape=setup storm=100 max_qp=101", KVERBS_JOB_A_STORM,
	  "storm 100: with 1 pairs 102 QPs at once, and the device has 101; use fewer" },
	{ "shape=setup storm=100 connect=cm max_qp=201", KVERBS_JOB_A_STORM,
	  "storm 100: with 1 pairs 202 QPs at once, and the device has 201; use fewer" },
	{ "shape=setup storm=10 outstanding=9 max_mr=101", KVERBS_JOB_A_STORM,
	  "storm 10: with pools of 9 MRs (-t) 102 at once, and the device has 101; use fewer" },
	/* paced */
	{ "shape=paced", KVERBS_JOB_A_PACE_RATE,
	  "pace-rate: shape paced needs to know how many operations a second; use --pace-rate" },
	{ "shape=paced pace=trace", KVERBS_JOB_A_PACE_NS,
	  "pace trace: 0 intervals, it has 1 to 256; use --pace trace:FILE" },
	{ "pace=constant", KVERBS_JOB_A_PACE,
	  "pace: shape lat posts as soon as it can; use --shape paced" },
	{ "shape=rate pace_rate=7", KVERBS_JOB_A_PACE_RATE,
	  "pace-rate 7: shape rate posts as soon as it can; use --shape paced" },
	{ "shape=paced pace_rate=7 timing=none", KVERBS_JOB_A_TIMING,
	  "timing none: shape paced needs the clock to know when to post; use lat or all" },
	{ "shape=paced pace_rate=7 chain=2", KVERBS_JOB_A_CHAIN,
	  "post-list 2: shape paced posts one WR a call; use --shape rate" },
	{ "shape=paced pace_rate=7 signal=2", KVERBS_JOB_A_SIGNAL,
	  "cq-mod 2: shape paced signals every WR; use --shape rate" },
	/* places */
	{ "span=4096", KVERBS_JOB_A_SPAN,
	  "span 4096: all messages lie at one place; use --pattern sequential or random" },
	{ "pattern=random size=4096 span=4095", KVERBS_JOB_A_SPAN,
	  "span 4095: a message takes 4096 bytes; use --span 4096 or more" },
	{ "pattern=random span=1048640 max_reg_bytes=2097152", KVERBS_JOB_A_SPAN,
	  "span 1048640: both halves of the buffer must fit in one MR, here 2097152 bytes; use --span 1048576 or less",
	},
	{ "pattern=random size=200000 max_reg_bytes=2097152", KVERBS_JOB_A_SPAN,
	  "span 1600000: both halves of the buffer must fit in one MR, here 2097152 bytes; use --span 1048576 or less",
	},
	{ "pattern=random shape=pingpong", KVERBS_JOB_A_PATTERN,
	  "pattern: a message of shape pingpong has one place, where it is looked for; use another shape",
	},
	{ "pattern=sequential sges=2", KVERBS_JOB_A_PATTERN,
	  "pattern: not with messages in 2 pieces; leave --sges out" },
	{ "pattern=sequential inline_data=64", KVERBS_JOB_A_PATTERN,
	  "pattern: what is sent inline is not reached through an MR; leave -I out" },
	{ "mrs=2 check_data=1", KVERBS_JOB_A_MRS,
	  "mrs: data that is checked has places of its own; leave --check-data out" },
	{ "mrs=2 nsteps=2 op2=write size2=8", KVERBS_JOB_A_MRS,
	  "mrs: not where an operation has several steps or an MR; leave it out" },
	{ "mrs=9 pairs=2 max_mr=35", KVERBS_JOB_A_MRS,
	  "mrs 9: at both ends of 2 pairs, and the device has 35; use fewer" },
	/* both directions */
	{ "bidirectional=1", KVERBS_JOB_A_BIDIRECTIONAL,
	  "bidirectional: shape lat is of one end that begins; use --shape rate, or leave -b out" },
	{ "bidirectional=1 shape=rate op=send transport=uc", KVERBS_JOB_A_BIDIRECTIONAL,
	  "bidirectional: over uc a send may be lost, and an end that sends as well cannot tell when all have come; use -c rc, or leave -b out",
	},
	{ "bidirectional=1 shape=rate op=send check_data=1", KVERBS_JOB_A_CHECK_DATA,
	  "check-data: both ends send, and have no time to look at each send; leave -b or it out" },
	{ "bidirectional=1 shape=rate op=send context=4", KVERBS_JOB_A_BIDIRECTIONAL,
	  "bidirectional: a handler of context softirq posts or takes, and not both; use --post-from lane, or leave -b out",
	},
	{ "bidirectional=1 shape=rate nsteps=2 op2=write size2=8", KVERBS_JOB_A_BIDIRECTIONAL,
	  "bidirectional: not where an operation has several steps or an MR; leave -b out" },
	{ "bidirectional=1 shape=rate provoke=4", KVERBS_JOB_A_BIDIRECTIONAL,
	  "bidirectional: an error is provoked at one end; leave -b out" },
	{ "bidirectional=1 shape=rate pairs=33", KVERBS_JOB_A_PAIRS,
	  "qp 33: needs 66 lanes, the limit is 64; use -q 32 or less, or raise the module's max_lanes",
	},
	/* a CQ of all lanes */
	{ "cq=2", KVERBS_JOB_A_CQ,
	  "cq shared: with context busy a lane polls its CQ itself, and would take the WCs of others; use --context softirq, workqueue or unbound",
	},
	{ "cq=2 context=3", KVERBS_JOB_A_CQ,
	  "cq shared: with context direct a lane polls its CQ itself, and would take the WCs of others; use --context softirq, workqueue or unbound",
	},
	{ "cq=2 context=7", KVERBS_JOB_A_CQ,
	  "cq shared: of context pool it is ib_core that says who shares a CQ; leave it out, or use --context softirq",
	},
	{ "cq=2 kernel=0", KVERBS_JOB_A_CQ,
	  "cq shared: in user space a lane polls its CQ itself, and would take the WCs of others; use --engine kernel, or leave it out",
	},
	/* QPs of a lane */
	{ "lane_qps=2", KVERBS_JOB_A_LANE_QPS,
	  "lane-qps 2: shape lat has one QP a lane; use --shape rate" },
	{ "lane_qps=2 shape=rate op=send check_data=1", KVERBS_JOB_A_CHECK_DATA,
	  "check-data: messages of 2 QPs come in no order, and have no place; leave it out" },
	{ "lane_qps=3 shape=rate op=send recv_depth=100", KVERBS_JOB_A_RECV_DEPTH,
	  "rx-depth 100: 3 QPs, each with as many: a multiple of 3; use -r 102" },
	{ "lane_qps=2 shape=rate reg=io", KVERBS_JOB_A_LANE_QPS,
	  "lane-qps 2: of operations of one step and no MR of their own; use --op write, read, send, cas or fadd",
	},
	/* CQs */
	{ "cq=1", KVERBS_JOB_A_CQ,
	  "cq qp: the lane has one QP, and its CQ; use --lane-qps, or leave it out" },
	{ "cq=1 lane_qps=4 shape=rate context=woken", KVERBS_JOB_A_CQ,
	  "cq qp: a lane that sleeps does so on one CQ; use --context busy, or leave it out" },
	{ "cq=1 lane_qps=40 shape=rate pairs=2 max_cq=100", KVERBS_JOB_A_CQ,
	  "cq qp: with both ends of 2 pairs 160 CQs, the device has 100; use fewer QPs, or leave it out",
	},
	/* receives that are posted again */
	{ "refill=each", KVERBS_JOB_A_REFILL,
	  "refill: in shape lat nobody takes messages of this operation; use --op send" },
	{ "op=send shape=pingpong recv_chain=2", KVERBS_JOB_A_RECV_CHAIN,
	  "recv-chain: shape pingpong takes one message at a time, and posts its receive again; use --shape rate or lat",
	},
	{ "op=send low_water=2", KVERBS_JOB_A_LOW_WATER,
	  "low-water 2: is of receives that are posted when so many are left; use --refill watermark",
	},
	{ "op=send refill=each recv_chain=2", KVERBS_JOB_A_RECV_CHAIN,
	  "recv-chain 2: is of receives that are posted in chains; use --refill batch" },
	{ "op=send shape=rate recv_depth=8 lane_qps=4 recv_chain=3", KVERBS_JOB_A_RECV_CHAIN,
	  "recv-chain 3: a QP has 2 receives, so many are never taken; use --recv-chain 2 or less, or a larger -r",
	},
	{ "op=send refill=watermark recv_depth=1", KVERBS_JOB_A_RECV_DEPTH,
	  "rx-depth 1: a QP has one receive, and none is left when it is taken; use a larger -r, or --refill each",
	},
	/* SRQ */
	{ "srq=1", KVERBS_JOB_A_SRQ,
	  "srq: write consumes no receives; use --op send, or leave it out" },
	{ "op=send srq=1 max_srq=0", KVERBS_JOB_A_SRQ,
	  "srq: the device has none; leave it out" },
	{ "op=send srq=1 max_srq=5 pairs=3", KVERBS_JOB_A_SRQ,
	  "srq: one for each end of 3 pairs, the device has 5; use a smaller -q" },
	{ "op=send srq=1 sges=3 max_srq_sge=2", KVERBS_JOB_A_SGES,
	  "sges 3: a receive of an SRQ has up to 2 here; use fewer, or leave --srq out" },
	{ "op=send srq=1 context=pool", KVERBS_JOB_A_SRQ,
	  "srq: no WR tells which receive of a QP is its last in a CQ of context pool; use another context",
	},
	{ "op=send srq=1 shape=rate provoke=rnr rnr_retry=1", KVERBS_JOB_A_SRQ,
	  "srq: an error is provoked at a QP with receives of its own; leave --srq or --provoke out",
	},
	{ "op=send srq=1 recv_depth=90 max_srq_wr=80", KVERBS_JOB_A_RECV_DEPTH,
	  "rx-depth 90: the limit here is 80 (max_srq_wr 80, max_cqe 4194304 less tx-depth 1); use -r 80 or less",
	},
	{ "op=send srq_limit=3", KVERBS_JOB_A_SRQ_LIMIT,
	  "srq-limit 3: there is no SRQ; use --srq, or leave it out" },
	{ "op=send srq=1 srq_limit=128", KVERBS_JOB_A_SRQ_LIMIT,
	  "srq-limit 128: the SRQ has 128 receives, and has less with each message; use --srq-limit 127 or less, or a larger -r",
	},
	{ "op=send srq=1 srq_limit=3 shape=pingpong", KVERBS_JOB_A_SRQ_LIMIT,
	  "srq-limit 3: in shape pingpong one receive is taken at a time; use --shape rate" },
	{ "op=send srq=1 srq_limit=3 shape=rate context=irqpoll", KVERBS_JOB_A_SRQ_LIMIT,
	  "srq-limit 3: to ask for the next event (ib_modify_srq) may sleep, which a handler must not; use --post-from lane",
	},
	{ "op=send shape=rate lane_qps=2 srq=1 cq=1 outstanding=2 recv_depth=95 max_cqe=100",
	  KVERBS_JOB_A_CQ,
	  "cq qp: the CQ of a QP has 101 entries, the device up to 100; use a smaller -t or -r, or leave it out",
	},
	/* each CQ holds all receives: there are as many such as QPs */
	{ "op=send shape=rate lane_qps=64 srq=1 cq=1 recv_depth=512 limit_bytes=4000000",
	  KVERBS_JOB_A_CQ,
	  "cq qp: 128 CQs of 519 entries need 4251648 bytes, the limit is 4000000; use fewer QPs or a smaller -r, or leave it out",
	},
	{ "shape=rate lane_qps=2 cq=1 outstanding=2 size=64 timing=none limit_bytes=1791",
	  KVERBS_JOB_A_STEP,
	  "size 64 with 1 pairs: needs 1792 bytes, the limit is 1791; use a smaller -s or -q, or raise the module's max_bytes",
	},
	{ "op=send srq=1 refill=watermark recv_depth=8 low_water=9", KVERBS_JOB_A_LOW_WATER,
	  "low-water 9: the SRQ has 8 receives; use --low-water 7 or less, or a larger -r" },
	{ "op=send refill=watermark recv_depth=8 low_water=8", KVERBS_JOB_A_LOW_WATER,
	  "low-water 8: a QP has 8 receives; use --low-water 7 or less, or a larger -r" },
	{ "lane_qps=2 shape=rate context=irqpoll", KVERBS_JOB_A_LANE_QPS,
	  "lane-qps 2: of lanes that poll and post themselves, by ibv_post_send, what is right; leave --context, --api or --provoke out",
	},
	{ "lane_qps=4 shape=rate chain=4 outstanding=40", KVERBS_JOB_A_OUTSTANDING,
	  "tx-depth 40: 4 QPs in turn, chains of 4: a multiple of 16; use -t 48" },
	{ "lane_qps=4 shape=rate chain=4 signal=8", KVERBS_JOB_A_SIGNAL,
	  "cq-mod 8: the last WR of each chain of 4 is signalled where a lane has several QPs; use -Q 4",
	},
	{ "lane_qps=1024 shape=rate pairs=3", KVERBS_JOB_A_LANE_QPS,
	  "lane-qps 1024: with both ends of 3 pairs 6144 QPs, a run has up to 4096; use fewer" },
	{ "lane_qps=40 shape=rate max_qp=64", KVERBS_JOB_A_LANE_QPS,
	  "lane-qps 40: with both ends of 1 pairs 80 QPs, the device has 64; use fewer" },
	/* memory */
	{ "memory=contiguous kernel=0", KVERBS_JOB_A_MEMORY,
	  "memory contiguous: user space is given physical blocks as huge pages only; use --memory huge",
	},
	{ "memory=contiguous size=2097153", KVERBS_JOB_A_MEMORY,
	  "memory contiguous: a buffer has 4194432 bytes, the largest block 4194304; use --memory huge, or a smaller -s or --span",
	},
	{ "mr_page=8192 memory=huge kernel=0", KVERBS_JOB_A_MR_PAGE,
	  "mr-page 8192: the page size of a user MR is its provider's choice; use --engine kernel, or leave it out",
	},
	{ "mr_page=12288 memory=huge", KVERBS_JOB_A_MR_PAGE,
	  "mr-page 12288: the device has the sizes of the mask 0xfffff000; use one of these" },
	{ "mr_page=8192 memory=huge mr_pages=4096", KVERBS_JOB_A_MR_PAGE,
	  "mr-page 8192: the device has the sizes of the mask 0x1000; use one of these" },
	{ "mr_page=8192 memory=scattered", KVERBS_JOB_A_MR_PAGE,
	  "mr-page 8192: this memory is in pieces of 4096 bytes; use --memory huge or contiguous, or a smaller one",
	},
	{ "mr_page=8192", KVERBS_JOB_A_MR_PAGE,
	  "mr-page 8192: this memory is in pieces of 4096 bytes; use --memory huge or contiguous, or a smaller one",
	},
	{ "mr_page=131072 memory=contiguous size=20000", KVERBS_JOB_A_MR_PAGE,
	  "mr-page 131072: this memory is in pieces of 65536 bytes; use --memory huge or contiguous, or a smaller one",
	},
	{ "mr_page=8192 memory=huge op=reg-mr", KVERBS_JOB_A_MR_PAGE,
	  "mr-page 8192: an operation that registers does so in pages of 4096; leave it out" },
	{ "memory=huge limit_bytes=4194304 timing=none pairs=2", KVERBS_JOB_A_STEP,
	  "size 64 with 2 pairs: needs 8388608 bytes, the limit is 4194304; use a smaller -s or -q, or raise the module's max_bytes",
	},
	/* caches */
	{ "cold=1 evict=0", KVERBS_JOB_A_COLD,
	  "cold: kverbs has no instruction here that evicts a cache line; leave it out" },
	{ "cold=1 op=reg-mr", KVERBS_JOB_A_COLD,
	  "cold: an operation of several posts has no moment before its post; use one of a single post",
	},
	{ "cold=1 shape=rate chain=65 size=65536 outstanding=65", KVERBS_JOB_A_COLD,
	  "cold: 65 messages of 65536 bytes are evicted before a post, the limit is 4194304 bytes; use a smaller -l or -s",
	},
	/* delay */
	{ "shape=rate delay_ns=5", KVERBS_JOB_A_DELAY_NS,
	  "delay 5: shape rate has none; use --shape lat" },
	{ "delay_at=1", KVERBS_JOB_A_DELAY_AT,
	  "delay-at before: there is no delay; use --delay, or leave it out" },
	{ "delay_ns=5 timing=none", KVERBS_JOB_A_DELAY_NS,
	  "delay 5: it begins where the timing of a post does; use --timing lat or all" },
	/* the step */
	/* transports */
	{ "op=read transport=uc", KVERBS_JOB_A_TRANSPORT,
	  "transport uc: does not carry read; use -c rc" },
	{ "op=cas size=8 transport=uc", KVERBS_JOB_A_TRANSPORT,
	  "transport uc: does not carry cas; use -c rc" },
	{ "transport=ud", KVERBS_JOB_A_TRANSPORT,
	  "transport ud: does not carry write; use -c rc" },
	{ "op=write-imm transport=ud", KVERBS_JOB_A_TRANSPORT,
	  "transport ud: does not carry write-imm; use -c rc" },
	{ "op=send transport=ud size=4097", KVERBS_JOB_A_STEP,
	  "size 4097: a message of ud is one packet, here of 4096 bytes; use -s 4096 or less" },
	{ "op=send transport=ud mtu=256", KVERBS_JOB_A_MTU,
	  "mtu 256: ud has no path MTU, the port's 4096 holds; leave -m out" },
	{ "transport=uc timeout=14", KVERBS_JOB_A_TIMEOUT,
	  "timeout 14: uc has no acknowledgements; leave it out, or use -c rc" },
	{ "op=send transport=ud rd_atomic=1", KVERBS_JOB_A_RD_ATOMIC,
	  "rd-atomic 1: ud has no acknowledgements; leave it out, or use -c rc" },
	/* pieces, inline */
	{ "sges=31", KVERBS_JOB_A_SGES, "sges 31: a write has up to 30 here; use fewer" },
	{ "op=read sges=5 max_sge_rd=4", KVERBS_JOB_A_SGES,
	  "sges 5: a read has up to 4 here; use fewer" },
	{ "sges=3 size=2", KVERBS_JOB_A_SGES,
	  "sges 3: a write of 2 bytes is not split into so many; use fewer" },
	{ "op=send-imm sges=2 size=0", KVERBS_JOB_A_SGES,
	  "sges 2: a send-imm of 0 bytes is not split into so many; use fewer" },
	{ "op=fadd sges=2 size=8", KVERBS_JOB_A_SGES,
	  "sges 2: a fadd of 8 bytes is not split into so many; use fewer" },
	{ "op=read inline_data=64", KVERBS_JOB_A_INLINE_DATA,
	  "inline 64: a read sends no payload; leave -I out" },
	{ "inline_data=63", KVERBS_JOB_A_INLINE_DATA,
	  "inline 63: a message of 64 bytes has no room there; use -I 64, or leave it out" },
	/* the path */
	{ "link=ib gid_type=v2", KVERBS_JOB_A_GID_TYPE,
	  "gid-type v2: GIDs of port 1, which is not RoCE, have no type; leave it out" },
	{ "link=ib traffic_class=5", KVERBS_JOB_A_TRAFFIC_CLASS,
	  "traffic-class 5: without a GRH there is none; choose a GID with -x" },
	{ "link=ib hop_limit=5", KVERBS_JOB_A_HOP_LIMIT,
	  "hop-limit 5: without a GRH there is none; choose a GID with -x" },
	{ "sl=8", KVERBS_JOB_A_SL,
	  "sl 8: a RoCE port has priorities 0 to 7; use -S 7 or less" },
	{ "pkey_index=1", KVERBS_JOB_A_PKEY_INDEX,
	  "pkey-index 1: port 1 has 1 entries; use one below" },
	{ "rd_atomic=17", KVERBS_JOB_A_RD_ATOMIC,
	  "rd-atomic 17: the device allows 16; use -o 16 or less" },
	{ "nsteps=0", KVERBS_JOB_A_STEP, "0 steps: a job has 1 to 8" },
	{ "nsteps=9", KVERBS_JOB_A_STEP, "9 steps: a job has 1 to 8" },
	{ "op=13", KVERBS_JOB_A_STEP, "op 13: the last one known is 12 (flush)" },
	{ "op=0xffffffff", KVERBS_JOB_A_STEP,
	  "op 4294967295: the last one known is 12 (flush)" },
	{ "nsteps=2 op2=13", KVERBS_JOB_A_STEP, "op 13: the last one known is 12 (flush)" },
	{ "flags=2", KVERBS_JOB_A_STEP, "step 1: flags 0x2, known is 0x1 (wait)" },
	/* several steps */
	{ "nsteps=2 op=send op2=send-imm size2=64", KVERBS_JOB_A_STEP,
	  "steps: 2 of them consume a receive, one may" },
	{ "nsteps=2 op2=read", KVERBS_JOB_A_STEP,
	  "size 0: must be 1 to 1073741824 bytes; use -s 1, or an operation with immediate data" },
	{ "nsteps=2 op2=write size2=64 flags=1 shape=rate", KVERBS_JOB_A_SHAPE,
	  "shape rate: a step is waited for only in lat; leave 'wait' out, or use --shape lat" },
	{ "nsteps=2 op2=read size2=64 shape=pingpong", KVERBS_JOB_A_SHAPE,
	  "shape pingpong: the peer of read has nothing to answer; use write or send, or --shape lat",
	},
	{ "nsteps=2 op2=write size2=64 sges=2", KVERBS_JOB_A_SGES,
	  "sges 2: a message is not split where an operation has several steps or an MR; leave it out",
	},
	{ "nsteps=2 op2=write size2=64 inline_data=64", KVERBS_JOB_A_INLINE_DATA,
	  "inline 64: not where an operation has several steps or an MR; leave -I out" },
	{ "nsteps=2 op2=write size2=64 check_data=1", KVERBS_JOB_A_CHECK_DATA,
	  "check-data: not where an operation has several steps or an MR; leave it out" },
	{ "nsteps=2 op2=write size2=64 shape=rate outstanding=300 max_qp_wr=600",
	  KVERBS_JOB_A_OUTSTANDING,
	  "tx-depth 300: the limit here is 299 (device: max_qp_wr 600, max_cqe 4194304; engine: 65536; 2 reserved); use -t 299 or less",
	},
	/* an MR of the operation */
	{ "op=reg-mr kernel=0", KVERBS_JOB_A_STEP,
	  "reg-mr: libibverbs cannot post it for an MR; use --engine kernel" },
	{ "op=reg-mr transport=uc", KVERBS_JOB_A_TRANSPORT,
	  "transport uc: does not carry reg-mr; use -c rc" },
	{ "nsteps=2 op=reg-mr op2=send size2=64 transport=ud", KVERBS_JOB_A_TRANSPORT,
	  "transport ud: does not carry reg-mr; use -c rc" },
	{ "op=reg-mr shape=rate", KVERBS_JOB_A_SHAPE,
	  "shape rate: an operation has to leave its MR as it found it; add local-inv or reg-mr, or use --shape lat",
	},
	{ "op=reg-mr shape=pingpong", KVERBS_JOB_A_SHAPE,
	  "shape pingpong: an operation has to leave its MR as it found it; add local-inv or reg-mr, or use --shape lat",
	},
	{ "nsteps=2 op=reg-mr op2=local-inv size2=64 shape=pingpong", KVERBS_JOB_A_SHAPE,
	  "shape pingpong: the peer of reg-mr has nothing to answer; use write or send, or --shape lat",
	},
	{ "nsteps=2 op=reg-mr op2=reg-mr size2=64", KVERBS_JOB_A_STEP,
	  "step 2: registers an MR that is registered; put local-inv before it" },
	{ "nsteps=2 op=local-inv op2=local-inv size2=64", KVERBS_JOB_A_STEP,
	  "step 2: invalidates an MR that is not registered; put reg-mr before it" },
	{ "nsteps=2 op=write op2=local-inv size2=64", KVERBS_JOB_A_STEP,
	  "step 1: write uses an MR that is not registered; put reg-mr before it" },
	{ "nsteps=3 op=reg-mr op2=local-inv size2=64 op3=write size3=64", KVERBS_JOB_A_STEP,
	  "step 3: write uses an MR that is not registered; put reg-mr before it" },
	{ "nsteps=2 op=reg-mr op2=cas size2=8", KVERBS_JOB_A_STEP,
	  "step 2: cas has no MR of its own here; leave reg-mr and local-inv out" },
	{ "op=send-inv", KVERBS_JOB_A_STEP,
	  "send-inv: takes an MR of the peer, which has to register it again in its answer; use --op reg-mr,send-inv --shape pingpong",
	},
	{ "nsteps=2 op=reg-mr op2=send-inv size2=64", KVERBS_JOB_A_SHAPE,
	  "shape lat: the peer of a send-inv registers again what it invalidates; use --op reg-mr,send-inv --shape pingpong",
	},
	{ "op=cas size=8 shape=pingpong", KVERBS_JOB_A_SHAPE,
	  "shape pingpong: the peer of cas has nothing to answer; use write or send, or --shape lat",
	},
	{ "op=cas", KVERBS_JOB_A_STEP,
	  "size 64: cas has 8 bytes; use -s 8 or leave it out" },
	{ "op=fadd size=0", KVERBS_JOB_A_STEP,
	  "size 0: fadd has 8 bytes; use -s 8 or leave it out" },
	{ "op=fadd size=8 atomic=0", KVERBS_JOB_A_STEP,
	  "fadd: the device has no atomics; use write, read or send" },
	{ "op=cas size=8 max_rd_atomic=0", KVERBS_JOB_A_STEP,
	  "cas: the device allows no outstanding RDMA READ or atomic; use write or send" },
	{ "op=cas size=8 recv_depth=1", KVERBS_JOB_A_RECV_DEPTH,
	  "rx-depth 1: cas consumes no receives; leave -r out" },
	{ "op=read shape=pingpong", KVERBS_JOB_A_SHAPE,
	  "shape pingpong: the peer of read has nothing to answer; use write or send, or --shape lat",
	},
	{ "size=0", KVERBS_JOB_A_STEP,
	  "size 0: must be 1 to 1073741824 bytes; use -s 1, or an operation with immediate data",
	},
	{ "op=send size=0", KVERBS_JOB_A_STEP,
	  "size 0: must be 1 to 1073741824 bytes; use -s 1, or an operation with immediate data",
	},
	{ "size=65537 max_msg=65536", KVERBS_JOB_A_STEP,
	  "size 65537: port 1 carries messages up to 65536 bytes; use -s 65536 or less" },
	{ "size=65 max_reg_bytes=255", KVERBS_JOB_A_STEP,
	  "size 65: both halves of the buffer must fit in one MR, here 255 bytes; use -s 64 or less",
	},
	{ "size=0xffffffff max_msg=0xffffffff", KVERBS_JOB_A_STEP,
	  "size 4294967295: both halves of the buffer must fit in one MR, here 4294967296 bytes; use -s 2147483648 or less",
	},
	{ "reg_mr=0", KVERBS_JOB_A_STEP,
	  "write: the device has no REG_MR (memory management extensions), the only way to open a buffer to the peer; use --engine user",
	},
	{ "op=read max_rd_atomic=0", KVERBS_JOB_A_STEP,
	  "read: the device allows no outstanding RDMA READ or atomic; use write or send" },
	/* data */
	{ "check_data=1 shape=rate outstanding=16 size=4096 max_reg_bytes=131071",
	  KVERBS_JOB_A_CHECK_DATA,
	  "check-data: 16 messages of 4096 bytes, a place each at both ends, exceed one MR, here 131071 bytes; use a smaller -t, -r or -s",
	},
	{ "check_data=1 op=send recv_depth=33 size=1 max_reg_bytes=4096", KVERBS_JOB_A_CHECK_DATA,
	  "check-data: 33 messages of 1 bytes, a place each at both ends, exceed one MR, here 4096 bytes; use a smaller -t, -r or -s",
	},
	/* the window of shapes that have none */
	{ "outstanding=2", KVERBS_JOB_A_OUTSTANDING,
	  "tx-depth 2: shape lat keeps one WR outstanding; use --shape rate" },
	{ "chain=2", KVERBS_JOB_A_CHAIN,
	  "post-list 2: shape lat posts one WR a call; use --shape rate" },
	{ "shape=pingpong signal=2", KVERBS_JOB_A_SIGNAL,
	  "cq-mod 2: shape pingpong signals every WR; use --shape rate" },
	{ "poll_batch=2", KVERBS_JOB_A_POLL_BATCH,
	  "poll-batch 2: shape lat has one WC at a time; leave it out" },
	{ "op=send shape=pingpong poll_batch=2", KVERBS_JOB_A_POLL_BATCH,
	  "poll-batch 2: shape pingpong has one WC at a time; leave it out" },
	/* the window */
	{ "shape=rate outstanding=32767", KVERBS_JOB_A_OUTSTANDING,
	  "tx-depth 32767: the limit here is 32766 (device: max_qp_wr 32768, max_cqe 4194304; engine: 65536; 2 reserved); use -t 32766 or less",
	},
	{ "shape=rate outstanding=99 max_cqe=100", KVERBS_JOB_A_OUTSTANDING,
	  "tx-depth 99: the limit here is 98 (device: max_qp_wr 32768, max_cqe 100; engine: 65536; 2 reserved); use -t 98 or less",
	},
	{ "shape=rate outstanding=63 limit_depth=64", KVERBS_JOB_A_OUTSTANDING,
	  "tx-depth 63: the limit here is 62 (device: max_qp_wr 32768, max_cqe 4194304; engine: 64; 2 reserved); use -t 62 or less",
	},
	{ "shape=rate chain=40000", KVERBS_JOB_A_OUTSTANDING,
	  "tx-depth 40000: the limit here is 32766 (device: max_qp_wr 32768, max_cqe 4194304; engine: 65536; 2 reserved); use -t 32766 or less",
	},
	{ "shape=rate outstanding=8 chain=9", KVERBS_JOB_A_CHAIN,
	  "post-list 9: a chain cannot exceed the 8 WRs outstanding; use -l 8 or -t 9" },
	{ "shape=rate outstanding=8 signal=9", KVERBS_JOB_A_SIGNAL,
	  "cq-mod 9: no completion would come with 8 WRs outstanding; use -Q 8 or -t 9" },
	{ "recv_depth=5", KVERBS_JOB_A_RECV_DEPTH,
	  "rx-depth 5: write consumes no receives; leave -r out" },
	{ "op=read recv_depth=1", KVERBS_JOB_A_RECV_DEPTH,
	  "rx-depth 1: read consumes no receives; leave -r out" },
	{ "op=send recv_depth=32767", KVERBS_JOB_A_RECV_DEPTH,
	  "rx-depth 32767: the limit here is 32766 (max_qp_wr 32768, max_cqe 4194304 less tx-depth 1); use -r 32766 or less",
	},
	{ "op=send shape=rate outstanding=50 recv_depth=49 max_cqe=100",
	  KVERBS_JOB_A_RECV_DEPTH,
	  "rx-depth 49: the limit here is 48 (max_qp_wr 32768, max_cqe 100 less tx-depth 50); use -r 48 or less",
	},
	{ "op=send shape=rate outstanding=98 max_cqe=100", KVERBS_JOB_A_OUTSTANDING,
	  "tx-depth 98: leaves no entry of a CQ (max_cqe 100) for receives; use a smaller -t" },
	/* the engine */
	{ "pairs=65", KVERBS_JOB_A_PAIRS,
	  "qp 65: needs 65 lanes, the limit is 64; use -q 64 or less, or raise the module's max_lanes",
	},
	{ "op=send pairs=33", KVERBS_JOB_A_PAIRS,
	  "qp 33: needs 66 lanes, the limit is 64; use -q 32 or less, or raise the module's max_lanes",
	},
	{ "pairs=3 max_qp=5", KVERBS_JOB_A_PAIRS,
	  "qp 3: needs 6 QPs, the device has 5; use -q 2 or less" },
	{ "size=1024 pairs=2 timing=none limit_bytes=8191", KVERBS_JOB_A_STEP,
	  "size 1024 with 2 pairs: needs 8192 bytes, the limit is 8191; use a smaller -s or -q, or raise the module's max_bytes",
	},
	{ "kernel=0 local_key=dma", KVERBS_JOB_A_LOCAL_KEY,
	  "local-key dma: user space has no local_dma_lkey; use mr" },
	{ "context=woken shape=pingpong", KVERBS_JOB_A_CONTEXT,
	  "context woken: the answer to a write is seen in memory, no event tells of it; use busy, or --op send",
	},
	{ "spin_us=5", KVERBS_JOB_A_SPIN_US,
	  "spin 5 us: context busy does not poll for a while and then sleep; use --context hybrid",
	},
	{ "context=irqpoll kernel=0", KVERBS_JOB_A_CONTEXT,
	  "context softirq: user space has nothing like it; use busy, woken or hybrid" },
	{ "cq_count=16 cq_period_us=8", KVERBS_JOB_A_CQ_COUNT,
	  "cq-count: nobody waits for events with context busy; use woken, or leave it out" },
	{ "context=direct cq_period_us=8", KVERBS_JOB_A_CQ_PERIOD_US,
	  "cq-period: nobody waits for events with context direct; use woken, or leave it out" },
	{ "context=woken cq_count=16", KVERBS_JOB_A_CQ_COUNT,
	  "cq-count: events are moderated by a count and a time; give --cq-count and --cq-period" },
	{ "context=woken post_from=handler", KVERBS_JOB_A_POST_FROM,
	  "post-from: with context woken it is the lane, there is no other handler; leave it out" },
	{ "context=irqpoll op=send shape=pingpong post_from=handler", KVERBS_JOB_A_POST_FROM,
	  "post-from handler: in shape pingpong it is a lane that answers, or knows the time; use --post-from lane",
	},
	{ "context=irqpoll check_data=1", KVERBS_JOB_A_POST_FROM,
	  "post-from handler: a handler must not wait until data is there to be checked; use --post-from lane",
	},
	{ "context=unbound shape=rate poll_batch=4", KVERBS_JOB_A_POLL_BATCH,
	  "poll-batch 4: a handler is called for one WC at a time; leave it out, or use --post-from lane",
	},
	{ "context=woken spin_us=5", KVERBS_JOB_A_SPIN_US,
	  "spin 5 us: context woken does not poll for a while and then sleep; use --context hybrid",
	},
	/* errors that are provoked */
	{ "provoke=rnr", KVERBS_JOB_A_PROVOKE,
	  "provoke rnr: it is about receives, of which this operation has none; use --op send",
	},
	{ "provoke=rnr op=send rnr_retry=7", KVERBS_JOB_A_RNR_RETRY,
	  "rnr-retry 7: is for ever, so that provoke rnr has no end; use 6 or less",
	},
	{ "provoke=peer-gone timeout=0", KVERBS_JOB_A_TIMEOUT,
	  "timeout 0: is for ever, so that provoke peer-gone has no end; use 1 to 31",
	},
	{ "provoke=peer-gone op=send", KVERBS_JOB_A_PROVOKE,
	  "provoke peer-gone: the peer takes no part in it, as it does in this operation; use --op write",
	},
	{ "provoke=peer-gone transport=uc", KVERBS_JOB_A_PROVOKE,
	  "provoke peer-gone: this transport does not show it; use --op write",
	},
	{ "provoke=local-length op=write-imm", KVERBS_JOB_A_PROVOKE,
	  "provoke local-length: it is about data in receives, which this operation has not; use --op send",
	},
	{ "provoke=remote-access op=send", KVERBS_JOB_A_PROVOKE,
	  "provoke remote-access: it is about memory of the peer, which this operation does not name; use --op write",
	},
	{ "provoke=mw-bind", KVERBS_JOB_A_PROVOKE,
	  "provoke mw-bind: kernel verbs have no way to it over rc; use --engine user",
	},
	{ "provoke=invalidated kernel=0", KVERBS_JOB_A_PROVOKE,
	  "provoke invalidated: user verbs have no way to it over rc; use --engine kernel",
	},
	{ "provoke=local-qp-op kernel=0", KVERBS_JOB_A_PROVOKE,
	  "provoke local-qp-op: user verbs have no way to it over rc; use --engine kernel, or -c uc",
	},
	{ "provoke=flush op=fadd size=8", KVERBS_JOB_A_PROVOKE,
	  "provoke flush: not where an operation has several steps, an MR, or is an atomic or a flush; use a plain one",
	},
	{ "provoke=flush pattern=random span=4096", KVERBS_JOB_A_PROVOKE,
	  "provoke flush: not with --pattern or --mrs, which write WRs anew; leave them out",
	},
	{ "provoke=flush check_data=1", KVERBS_JOB_A_PROVOKE,
	  "provoke flush: not with --check-data, -I or --api wr; leave them out",
	},
	{ "provoke=cq-overflow shape=rate outstanding=31", KVERBS_JOB_A_OUTSTANDING,
	  "tx-depth 31: provoke cq-overflow needs 32 or more, to have more than a CQ for 4",
	},
	{ "provoke=cq-overflow shape=rate chain=2", KVERBS_JOB_A_PROVOKE,
	  "provoke cq-overflow: posts all WRs of the window in a chain, all signalled; leave -l and -Q out",
	},
	{ "provoke=cq-overflow shape=rate context=pool", KVERBS_JOB_A_CONTEXT,
	  "context pool: nobody hears of a CQ of ib_core that overflows, as provoke cq-overflow makes it; use busy or woken",
	},
	{ "kernel=0 wait=softirq", KVERBS_JOB_A_WAIT,
	  "wait softirq: user space cannot run softirqs; use yield" },
	{ "reg_wait=1", KVERBS_JOB_A_REG_WAIT,
	  "reg-wait: memory is registered before the run; use --reg io or exchange, or leave it out",
	},
	{ "dma_map=1", KVERBS_JOB_A_DMA_MAP,
	  "dma-map: memory is mapped before the run; use --reg io or exchange, or leave it out" },
	{ "exchange_inv=local", KVERBS_JOB_A_EXCHANGE_INV,
	  "exchange-inv: no rkey is sent to the peer; use --reg exchange, or leave it out" },
	{ "reg=io exchange_inv=remote", KVERBS_JOB_A_EXCHANGE_INV,
	  "exchange-inv: no rkey is sent to the peer; use --reg exchange, or leave it out" },
	{ "reg=3 kernel=0", KVERBS_JOB_A_REG,
	  "reg pool: user space has nothing like it; use --engine kernel, or --reg io" },
	{ "reg=rw kernel=0", KVERBS_JOB_A_REG,
	  "reg rw: user space has nothing like it; use --engine kernel, or --reg io" },
	{ "reg=window", KVERBS_JOB_A_REG,
	  "reg window: kernel verbs have no memory windows; use --engine user, or --reg io" },
	{ "reg=window kernel=0", KVERBS_JOB_A_REG,
	  "reg window: the device has no memory windows of type 2; use --reg io" },
	{ "reg=window kernel=0 windows=1 shape=rate", KVERBS_JOB_A_SHAPE,
	  "shape rate: a window is bound, and waited for, around one operation; use --shape lat, or --reg exchange",
	},
	{ "reg=window kernel=0 windows=1 api=1", KVERBS_JOB_A_API,
	  "api wr: kverbs binds no window by the extended calls; use --api post" },
	{ "reg=window kernel=0 windows=1 access=1", KVERBS_JOB_A_ACCESS,
	  "access needed: a window opens memory to a peer, which here makes no use of it; leave it out",
	},
	{ "reg=window kernel=0 windows=1 dma_map=0", KVERBS_JOB_A_DMA_MAP,
	  "dma-map: user space maps by ibv_reg_mr alone; leave it out, or use --engine kernel" },
	{ "odp=1 kernel=0 odp_caps=6 odp_rc=1 windows=1 reg=window", KVERBS_JOB_A_ODP,
	  "odp explicit: no window can be bound to an MR whose pages come on demand; leave it out, or use --reg io",
	},
	{ "reg=rw op=send", KVERBS_JOB_A_STEP,
	  "reg rw: rdma_rw has READ and WRITE alone; use --op read or --op write" },
	{ "reg=rw nsteps=2 op2=write size2=64", KVERBS_JOB_A_STEP,
	  "reg rw: rdma_rw has READ and WRITE alone; use --op read or --op write" },
	{ "reg=rw transport=uc", KVERBS_JOB_A_TRANSPORT,
	  "transport uc: memory is registered for each operation over RC alone; use -c rc, or leave --reg out",
	},
	{ "reg=rw shape=pingpong", KVERBS_JOB_A_SHAPE,
	  "shape pingpong: answers have no memory of their own to register; use --shape lat or rate, or --reg exchange",
	},
	{ "reg=rw reg_wait=0", KVERBS_JOB_A_REG_WAIT,
	  "reg-wait: rdma_rw decides what an operation consists of; use --reg io, or leave it out",
	},
	{ "reg=rw dma_map=0", KVERBS_JOB_A_DMA_MAP,
	  "dma-map: rdma_rw_ctx_init maps for each operation; use --reg io, or leave it out" },
	{ "reg=rw shape=rate chain=4", KVERBS_JOB_A_CHAIN,
	  "post-list 4: of rdma_rw each operation is a chain of its own; leave it out" },
	{ "reg=rw shape=rate signal=2", KVERBS_JOB_A_SIGNAL,
	  "cq-mod 2: rdma_rw_ctx_wrs signals the last WR of each operation; leave it out" },
	{ "reg=rw context=pool post_from=handler", KVERBS_JOB_A_POST_FROM,
	  "post-from handler: rdma_rw_ctx_init may sleep, a handler of kverbs may not; use --post-from lane",
	},
	/* ten pages, ten WRs of one SGE, and two of an MR */
	{ "reg=rw shape=rate size=40000 outstanding=84 max_qp_wr=1002", KVERBS_JOB_A_OUTSTANDING,
	  "tx-depth 84: the limit here is 83 (device: max_qp_wr 1002, max_cqe 4194304; engine: 65536; 2 reserved); use -t 83 or less",
	},
	{ "reg=rw size=40000 max_qp_wr=13", KVERBS_JOB_A_STEP,
	  "size 40000: an operation is up to 12 WRs, a queue holds 11 (device: max_qp_wr 13, max_cqe 4194304; engine: 65536; 2 reserved); use a smaller -s",
	},
	{ "reg=io shape=rate max_qp_wr=4", KVERBS_JOB_A_STEP,
	  "size 64: an operation is up to 3 WRs, a queue holds 2 (device: max_qp_wr 4, max_cqe 4194304; engine: 65536; 2 reserved); use fewer steps",
	},
	{ "max_qp_wr=2", KVERBS_JOB_A_OUTSTANDING,
	  "tx-depth: no WR fits into a queue here (device: max_qp_wr 2, max_cqe 4194304; engine: 65536; 2 reserved); use another device, or raise the module's max_depth",
	},
	{ "reg=rw shape=rate outstanding=49 pairs=2 max_mr=100", KVERBS_JOB_A_OUTSTANDING,
	  "tx-depth 49: rdma_rw has a pool of MRs for so many operations, of 1 each, a QP has up to 1024, the device 100; use -t 48 or less",
	},
	{ "reg=rw shape=rate outstanding=1025", KVERBS_JOB_A_OUTSTANDING,
	  "tx-depth 1025: rdma_rw has a pool of MRs for so many operations, of 1 each, a QP has up to 1024, the device 65536; use -t 1024 or less",
	},
	{ "reg=rw pairs=2 size=1048577 max_mr=7", KVERBS_JOB_A_STEP,
	  "size 1048577: rdma_rw has a pool of 2 MRs for an operation, a QP has up to 1024, the device 7; use a smaller -s or -q",
	},
	{ "reg=rw op=read sg_list=2 size=40000 max_sge_rd=30 max_sgl_rd=10", KVERBS_JOB_A_SG_LIST,
	  "sg-list gaps: rdma_rw READs into more than 10 entries (max_sgl_rd) by MRs, which have no gaps, and here are 11; use pages, or a smaller -s",
	},
	{ "reg=rw op=read sg_list=2 size=5000 link=iwarp connect=cm max_sge_rd=1",
	  KVERBS_JOB_A_SG_LIST,
	  "sg-list gaps: rdma_rw READs into more than 1 entries (iWARP) by MRs, which have no gaps, and here are 2; use pages, or a smaller -s",
	},
	{ "reg=rw sg_list=2 page=65536", KVERBS_JOB_A_SG_LIST,
	  "sg-list gaps: is made of pages of 4096 bytes, those here have 65536; use pages" },
	{ "reg=rw op=read size=5000", KVERBS_JOB_A_REG,
	  "reg rw: the device has no SGEs for READs (max_sge_rd 0), which rdma_rw divides by; use --op write, or --reg io",
	},
	{ "reg=exchange", KVERBS_JOB_A_SHAPE,
	  "shape lat: the peer answers each message of an exchange; use --shape pingpong" },
	{ "reg=exchange shape=pingpong op=send", KVERBS_JOB_A_STEP,
	  "reg exchange: between the two messages the peer does a WRITE or a READ; use --op write or --op read",
	},
	{ "reg=exchange shape=pingpong nsteps=2 op2=write size2=64", KVERBS_JOB_A_STEP,
	  "reg exchange: between the two messages the peer does a WRITE or a READ; use --op write or --op read",
	},
	{ "reg=exchange shape=pingpong transport=uc", KVERBS_JOB_A_TRANSPORT,
	  "transport uc: memory is registered for each operation over RC alone; use -c rc, or leave --reg out",
	},
	{ "reg=exchange shape=pingpong kernel=0 windows=1 api=1", KVERBS_JOB_A_API,
	  "api wr: kverbs has no exchange by the extended calls; use --api post" },
	{ "reg=exchange shape=pingpong kernel=0 windows=0", KVERBS_JOB_A_REG,
	  "reg exchange: user space needs memory windows of type 2, and the device has none; use --engine kernel",
	},
	{ "reg=exchange shape=pingpong kernel=0 windows=1 dma_map=0", KVERBS_JOB_A_DMA_MAP,
	  "dma-map: user space maps by ibv_reg_mr alone; leave it out, or use --engine kernel" },
	{ "reg=exchange shape=pingpong exchange_inv=local reg_wait=0", KVERBS_JOB_A_REG_WAIT,
	  "reg-wait none: memory is unmapped when LOCAL_INV has completed, not before; use inv or all, or --exchange-inv remote",
	},
	{ "reg=exchange shape=pingpong reg_wait=1", KVERBS_JOB_A_REG_WAIT,
	  "reg-wait inv: the answer of the peer invalidates, there is no LOCAL_INV; use none or all, or --exchange-inv local",
	},
	{ "relaxed_ordering=0 ordering=2", KVERBS_JOB_A_RELAXED_ORDERING,
	  "relaxed-ordering off: this driver's MRs of the kernel are relaxed always; use --engine user, or leave it out",
	},
	{ "relaxed_ordering=1 ordering=1", KVERBS_JOB_A_RELAXED_ORDERING,
	  "relaxed-ordering on: a software device writes over no bus, in the order of its packets; leave it out",
	},
	{ "relaxed_ordering=0 ordering=0", KVERBS_JOB_A_RELAXED_ORDERING,
	  "relaxed-ordering: in the kernel it is as the driver does, and this one does not say; use --engine user, or leave it out",
	},
	{ "odp=1", KVERBS_JOB_A_ODP,
	  "odp: pages of the kernel are always there, its MRs have none on demand; leave it out, or use --engine user",
	},
	{ "odp=1 kernel=0", KVERBS_JOB_A_ODP,
	  "odp explicit: the device has no such on-demand paging (odp_caps of ibv_devinfo -v); leave it out",
	},
	{ "odp=2 kernel=0 op=read odp_rc=1", KVERBS_JOB_A_ODP,
	  "odp implicit: the device has no such on-demand paging (odp_caps of ibv_devinfo -v); leave it out",
	},
	{ "odp=2 kernel=0 odp_caps=6 op=read odp_rc=1", KVERBS_JOB_A_ODP,
	  "odp implicit: the device has none for a read over rc (odp_caps of ibv_devinfo -v); leave it out",
	},
	{ "odp=2 kernel=0 odp_caps=6 odp_rc=1 reg=io", KVERBS_JOB_A_ODP,
	  "odp implicit: all addresses are registered before the run; use explicit, or leave --reg out",
	},
	{ "odp=2 kernel=0 odp_caps=6 odp_rc=1 shape=setup", KVERBS_JOB_A_ODP,
	  "odp implicit: shape setup registers a buffer for each MR of a pool, not all addresses; use explicit",
	},
	{ "odp=1 kernel=0 odp_caps=6 odp_rc=1 memory=huge", KVERBS_JOB_A_ODP,
	  "odp explicit: of huge pages it needs another registration; leave --memory out" },
	{ "odp=1 kernel=0 odp_caps=6 odp_rc=1 provoke=flush", KVERBS_JOB_A_ODP,
	  "odp explicit: an error is provoked with MRs that are pinned; leave it out" },
	{ "odp=1 kernel=0 odp_caps=6 odp_rc=1 windows=1 reg=exchange shape=pingpong",
	  KVERBS_JOB_A_ODP,
	  "odp explicit: no window can be bound to an MR whose pages come on demand; leave it out, or use --reg io",
	},
	{ "sg_list=1", KVERBS_JOB_A_SG_LIST,
	  "sg-list: memory is listed before the run; use --reg io or exchange, or --memory" },
	{ "sg_list=2 reg=io", KVERBS_JOB_A_SG_LIST,
	  "sg-list gaps: the device has no MRs over lists with gaps (IB_MR_TYPE_SG_GAPS); use pages",
	},
	{ "sg_list=0 reg=io kernel=0", KVERBS_JOB_A_SG_LIST,
	  "sg-list: user space registers a range of addresses, its pages are the kernel's; leave it out, or use --engine kernel",
	},
	{ "sg_list=2 reg=io sg_gaps=1 page=65536", KVERBS_JOB_A_SG_LIST,
	  "sg-list gaps: is made of pages of 4096 bytes, those here have 65536; use pages" },
	{ "sg_list=2 reg=io sg_gaps=1 size=3713 max_reg_bytes=8191", KVERBS_JOB_A_SG_LIST,
	  "sg-list gaps: 3713 bytes are 2 entries, an MR has 1; use a smaller -s" },
	{ "provoke=stale-rkey shape=pingpong", KVERBS_JOB_A_PROVOKE,
	  "provoke stale-rkey: it is about keys that the peer is told, and there are none; use --reg exchange --shape pingpong",
	},
	{ "reg=exchange shape=pingpong provoke=flush", KVERBS_JOB_A_PROVOKE,
	  "provoke: not where memory is registered for each operation; leave it out" },
	{ "reg=exchange shape=pingpong context=irqpoll", KVERBS_JOB_A_CONTEXT,
	  "context softirq: its handlers are for operations of one WR; use busy or woken" },
	{ "reg=exchange shape=pingpong size=64 max_reg_bytes=255", KVERBS_JOB_A_STEP,
	  "size 64: both halves of the buffer must fit in one MR, here 255 bytes; use -s 64 or less",
	},
	{ "reg=io memory=1", KVERBS_JOB_A_MEMORY,
	  "memory: memory that is registered for each operation is its own; leave it out" },
	{ "reg=io mr_page=4096", KVERBS_JOB_A_MR_PAGE,
	  "mr-page: memory that is registered for each operation is its own; leave it out" },
	{ "reg=io kernel=0 shape=rate bidirectional=1", KVERBS_JOB_A_BIDIRECTIONAL,
	  "bidirectional: not where an operation has several steps or an MR; leave -b out" },
	{ "reg=io transport=uc", KVERBS_JOB_A_TRANSPORT,
	  "transport uc: memory is registered for each operation over RC alone; use -c rc, or leave --reg out",
	},
	{ "reg=io shape=pingpong", KVERBS_JOB_A_SHAPE,
	  "shape pingpong: answers have no memory of their own to register; use --shape lat or rate, or --reg exchange",
	},
	{ "reg=io op=fadd size=8", KVERBS_JOB_A_REG,
	  "reg io: an atomic has no memory of its own to register; use write, read or send" },
	{ "reg=io op=send-imm size=0", KVERBS_JOB_A_REG,
	  "reg io: a message of 0 bytes has no memory to register; use -s 1 or more" },
	{ "reg=io local_key=dma", KVERBS_JOB_A_LOCAL_KEY,
	  "local-key dma: registered memory has the key of its MR; leave it out" },
	{ "reg=io sges=2", KVERBS_JOB_A_SGES,
	  "sges 2: a message is not split where its memory is registered for it; leave it out" },
	{ "reg=io inline_data=64", KVERBS_JOB_A_INLINE_DATA,
	  "inline 64: what is sent inline is not registered; leave -I out" },
	{ "reg=io check_data=1", KVERBS_JOB_A_CHECK_DATA,
	  "check-data: not where memory is registered for each operation; leave it out" },
	{ "reg=io cold=1", KVERBS_JOB_A_COLD,
	  "cold: not where memory is registered for each operation; leave it out" },
	{ "reg=io mrs=3", KVERBS_JOB_A_PATTERN,
	  "pattern, mrs: not where memory is registered for each operation; leave it out" },
	{ "reg=io shape=rate reg_wait=1", KVERBS_JOB_A_REG_WAIT,
	  "reg-wait: shape rate waits for no part of an operation; use --reg-wait none, or --shape lat",
	},
	{ "reg=io nsteps=2 op=reg-mr op2=write size2=64", KVERBS_JOB_A_STEP,
	  "reg io: its steps begin with reg-mr and end with local-inv; use --op reg-mr,write,local-inv, or --op write",
	},
	{ "reg=io reg_wait=2 nsteps=3 op=reg-mr op2=write size2=64 op3=local-inv size3=64",
	  KVERBS_JOB_A_REG_WAIT,
	  "reg-wait: the steps say otherwise what is waited for; leave it out" },
	{ "reg=io nsteps=7 op2=write size2=1", KVERBS_JOB_A_STEP,
	  "7 steps: with REG_MR and LOCAL_INV there are more than 8; use fewer" },
	{ "reg=io context=irqpoll", KVERBS_JOB_A_CONTEXT,
	  "context softirq: its handlers are for operations of one WR; use busy or woken" },
	{ "reg=io kernel=0 reg_wait=0", KVERBS_JOB_A_REG_WAIT,
	  "reg-wait: ibv_reg_mr is a call, which returns when it is done; leave it out, or use --engine kernel",
	},
	{ "reg=io kernel=0 dma_map=0", KVERBS_JOB_A_DMA_MAP,
	  "dma-map: user space maps by ibv_reg_mr alone; leave it out, or use --engine kernel" },
	{ "reg=io timing=none shape=rate outstanding=1024 size=1048576 limit_bytes=100000000",
	  KVERBS_JOB_A_STEP,
	  "size 1048576 with 1 pairs: needs 1077936128 bytes, the limit is 100000000; use a smaller -s or -q, or raise the module's max_bytes",
	},
};

static void test_refusals(void **state)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(refusals); i++) {
		const struct refusal *r = &refusals[i];
		struct kv_job job = KV_JOB_INIT;
		struct kv_caps caps = plenty;
		struct kv_refusal no = { 0 };

		settings(r->ask, &job, &caps, 1);
		if (!kv_job_check(&job, &caps, &no))
			fail_msg("accepted: %s", r->ask);
		if (strcmp(no.text, r->text))
			fail_msg("%s:\n is       %s\n expected %s", r->ask, no.text, r->text);
		if (no.attr != r->attr)
			fail_msg("%s: attribute %u, expected %u", r->ask, no.attr, r->attr);
		/* one line, and not cut */
		assert_null(strchr(no.text, '\n'));
		assert_true(strlen(no.text) < sizeof(no.text) - 1);
	}
}

static void test_mtu_above_the_port(void **state)
{
	struct kv_job job = KV_JOB_INIT;
	struct kv_caps caps = plenty;
	struct kv_refusal no;

	caps.mtu = 1024;
	job.mtu = 2048;
	assert_int_equal(kv_job_check(&job, &caps, &no), -1);
	assert_int_equal(no.attr, KVERBS_JOB_A_MTU);
	assert_string_equal(no.text, "mtu 2048: port 1 is set to 1024; use -m 1024 or less");
	job.mtu = 1024;
	assert_int_equal(kv_job_check(&job, &caps, &no), 0);
}

struct acceptance {
	const char *ask;
	const char *get;
};

static const struct acceptance acceptances[] = {
	/* the defaults of each shape and operation */
	{ "port=1", "gid_index=auto shape=lat iterations=0 duration_ms=1000" },
	{ "port=1", "outstanding=1 chain=1 signal=1" },
	{ "port=1", "mtu=4096 timing=1 clock=0 wait=relax warmup_ms=50 local_key=mr poll_batch=1" },
	{ "port=1", "recv_depth=0 pairs=1 node=auto deadline_ms=10000 op=write size=64 nsteps=1" },
	{ "op=send", "outstanding=1 recv_depth=128 poll_batch=1" },
	/* who connects */
	{ "port=1", "connect=verbs timeout=14" },
	{ "connect=cm", "connect=cm timeout=14 retry_cnt=7 rd_atomic=16" },
	{ "link=iwarp", "connect=cm timeout=auto retry_cnt=auto rd_atomic=16" },
	{ "link=iwarp pkeys=0 software=1", "wait=yield gid_index=auto mtu=4096" },
	{ "link=iwarp provoke=flush", "connect=cm timeout=auto" },
	{ "link=iwarp op=send context=irqpoll", "post_from=lane" },
	{ "link=iwarp read_inv=1 op=read-inv", "connect=cm" },
	{ "link=iwarp read_inv=1 op=reg-mr op2=read-inv size2=64 nsteps=2 shape=rate",
	  "outstanding=128" },
	{ "op=send shape=pingpong", "outstanding=1 recv_depth=128 poll_batch=1 chain=1 signal=1" },
	{ "shape=rate", "outstanding=128 chain=1 signal=1 poll_batch=16 recv_depth=0" },
	{ "op=send shape=rate", "outstanding=128 recv_depth=256 poll_batch=16" },
	{ "op=send shape=rate outstanding=64", "recv_depth=128" },
	{ "op=send shape=rate outstanding=65", "recv_depth=130" },
	{ "op=send recv_depth=1", "recv_depth=1" },
	{ "port=1", "transport=0 inline_data=0 sges=1 sl=0 traffic_class=0 hop_limit=64" },
	{ "port=1",
	  "pkey_index=0 timeout=14 retry_cnt=7 rnr_retry=7 min_rnr_timer=1 rd_atomic=16" },
	{ "max_rd_atomic=4", "rd_atomic=4" },
	{ "rd_atomic=3 timeout=0 retry_cnt=0 rnr_retry=0 min_rnr_timer=0",
	  "rd_atomic=3 timeout=0 retry_cnt=0 rnr_retry=0 min_rnr_timer=0" },
	{ "transport=uc", "transport=uc timeout=auto rd_atomic=auto mtu=4096" },
	{ "op=write-imm transport=uc size=0", "size=0 recv_depth=128" },
	{ "op=send transport=uc mtu=256", "mtu=256" },
	{ "op=send transport=ud size=4096", "mtu=4096 retry_cnt=auto" },
	{ "op=send-imm transport=ud size=0 shape=pingpong", "recv_depth=128" },
	{ "sges=30", "sges=30" },
	{ "op=read sges=4 max_sge_rd=4", "sges=4" },
	{ "inline_data=64", "inline_data=64" },
	{ "op=send-imm inline_data=1 size=0", "inline_data=1" },
	{ "gid_type=v1 sl=7 traffic_class=255", "gid_type=v1 sl=7 traffic_class=255" },
	{ "link=ib sl=15", "sl=15" },
	{ "link=ib gid_index=0 traffic_class=5 hop_limit=1", "traffic_class=5 hop_limit=1" },
	{ "pkey_index=4 pkeys=5", "pkey_index=4" },
	{ "op=send-imm", "recv_depth=128 op=send-imm size=64" },
	{ "op=write-imm shape=rate", "outstanding=128 recv_depth=256" },
	{ "op=write-imm size=0 shape=pingpong", "size=0 recv_depth=128" },
	{ "op=send-imm size=0", "size=0" },
	{ "op=cas size=8", "size=8 outstanding=1 recv_depth=0" },
	{ "op=fadd size=8 shape=rate", "size=8 outstanding=128" },
	/* how long */
	{ "iterations=5", "iterations=5 duration_ms=0" },
	{ "iterations=1000000000000", "iterations=1000000000000 duration_ms=0" },
	{ "duration_ms=7", "iterations=0 duration_ms=7" },
	{ "duration_ms=1000 limit_ms=1000", "duration_ms=1000" },
	{ "iterations=5 limit_ms=1", "iterations=5" },
	/* defaults shrink to what there is, what was asked for sets the window */
	{ "shape=rate max_qp_wr=100", "outstanding=98" },
	{ "shape=rate max_cqe=50", "outstanding=48" },
	{ "shape=rate limit_depth=10", "outstanding=8" },
	{ "shape=rate chain=200", "outstanding=200 chain=200" },
	{ "shape=rate signal=200", "outstanding=200 signal=200 chain=1" },
	{ "shape=rate chain=300 signal=200", "outstanding=300" },
	{ "op=send shape=rate max_qp_wr=100", "outstanding=98 recv_depth=98" },
	{ "op=send shape=rate outstanding=60 max_cqe=100", "recv_depth=38" },
	/* the edge is allowed */
	{ "shape=rate outstanding=32766", "outstanding=32766" },
	{ "shape=rate outstanding=8 chain=8 signal=8", "outstanding=8 chain=8 signal=8" },
	{ "outstanding=1 chain=1 signal=1 poll_batch=1", "outstanding=1" },
	{ "op=send poll_batch=4", "poll_batch=4" },
	{ "shape=rate poll_batch=64", "poll_batch=64" },
	{ "port=2", "port=2" },
	{ "gid_index=15", "gid_index=15" },
	{ "link=ib", "port=1" },
	{ "size=1 max_msg=1", "size=1" },
	{ "size=64 max_reg_bytes=128", "size=64" },
	/* data that is checked: what nobody asked for is what memory allows */
	{ "check_data=1 shape=rate size=4096 max_reg_bytes=131072", "outstanding=16" },
	{ "check_data=1 shape=rate outstanding=16 size=4096 max_reg_bytes=131072",
	  "outstanding=16" },
	{ "check_data=1 shape=rate size=65536 max_reg_bytes=131072", "outstanding=1" },
	{ "check_data=1 shape=rate size=4096", "outstanding=128" },
	{ "check_data=1 op=send shape=rate size=4096 max_reg_bytes=131072",
	  "outstanding=16 recv_depth=16" },
	{ "check_data=1 op=send size=1 max_reg_bytes=4096", "outstanding=1 recv_depth=32" },
	{ "check_data=1 op=send shape=rate size=4096 limit_bytes=67108864 pairs=32",
	  "outstanding=64 recv_depth=64" },
	{ "check_data=0 op=send shape=rate size=4096 max_reg_bytes=131072",
	  "outstanding=128 recv_depth=256" },
	{ "op=read max_rd_atomic=1 shape=rate", "outstanding=128" },
	{ "pairs=64", "pairs=64" },
	{ "op=send pairs=32", "pairs=32" },
	{ "pairs=2 max_qp=4", "pairs=2" },
	{ "size=1024 pairs=2 timing=none limit_bytes=8192", "size=1024" },
	{ "mtu=256", "mtu=256" },
	{ "mtu=4096", "mtu=4096" },
	/* how a lane waits */
	{ "software=1", "wait=softirq" },
	{ "software=1 kernel=0", "wait=yield" },
	{ "kernel=0", "wait=relax" },
	{ "wait=busy software=1", "wait=busy" },
	{ "op=send ncpus=2 cpu0=3 cpu1=3", "wait=yield" },
	{ "op=send ncpus=1 cpu0=3", "wait=yield" },
	{ "op=send ncpus=2 cpu0=3 cpu1=4", "wait=relax" },
	{ "op=send ncpus=3 cpu0=3 cpu1=4 cpu2=4", "wait=relax" },
	{ "op=send ncpus=4 cpu0=3 cpu1=4 cpu2=5 cpu3=4 pairs=2", "wait=yield" },
	{ "op=send ncpus=1 wait=relax", "wait=relax" },
	{ "ncpus=1 cpu0=3", "wait=relax" },
	{ "local_key=dma", "local_key=dma" },
	/* contexts */
	{ "context=woken", "context=woken" },
	{ "context=woken kernel=0 shape=rate", "context=woken" },
	{ "context=woken op=send shape=pingpong", "context=woken" },
	{ "context=hybrid", "spin_us=20" },
	{ "context=woken cq_count=16 cq_period_us=8", "cq_count=16 cq_period_us=8" },
	{ "context=unbound cq_count=16 cq_period_us=8", "cq_count=16 cq_period_us=8" },
	{ "context=woken", "post_from=auto" },
	{ "context=irqpoll", "post_from=handler poll_batch=1" },
	{ "context=irqpoll shape=rate", "post_from=handler poll_batch=1" },
	{ "context=unbound shape=rate post_from=lane", "post_from=lane poll_batch=16" },
	{ "context=workqueue op=send shape=pingpong", "post_from=lane" },
	{ "context=direct shape=pingpong", "post_from=lane" },
	{ "context=pool shape=rate", "post_from=handler" },
	{ "context=irqpoll check_data=1 post_from=lane", "post_from=lane" },
	{ "context=hybrid spin_us=7 kernel=0", "spin_us=7" },
	{ "provoke=rnr op=send", "rnr_retry=2 retry_cnt=7" },
	{ "provoke=rnr op=send rnr_retry=6", "rnr_retry=6" },
	{ "provoke=wrong-qpn", "timeout=10 retry_cnt=2 rnr_retry=7" },
	{ "provoke=wrong-qpn timeout=14 retry_cnt=5", "timeout=14 retry_cnt=5" },
	{ "provoke=flush transport=ud op=send", "provoke=flush" },
	{ "provoke=mw-bind kernel=0", "provoke=mw-bind" },
	{ "provoke=cq-overflow shape=rate", "outstanding=128" },
	{ "reg=io", "nsteps=3 op=reg-mr flags=1 op2=write op3=local-inv reg_wait=2 dma_map=0" },
	{ "reg=io", "size=64 size2=64 size3=64" },
	{ "reg=io reg_wait=1 op=read", "nsteps=3 op=reg-mr flags=0 op2=read reg_wait=1" },
	{ "reg=io reg_wait=0 dma_map=1 op=send", "nsteps=3 flags=0 reg_wait=0 dma_map=1" },
	{ "op=atomic-write size=8 kernel=0 api=1 shape=rate", "size=8" },
	{ "op=flush-op kernel=0 api=1", "flush_type=0 flush_level=0" },
	{ "nsteps=2 op2=flush-op size2=64 kernel=0 api=1 shape=rate flush_level=1",
	  "flush_type=0 flush_level=1" },
	{ "reg=io shape=rate", "nsteps=3 flags=0 op2=write op3=local-inv reg_wait=0" },
	{ "reg=io shape=rate", "outstanding=128" },
	{ "reg=io shape=rate size=1048576 limit_bytes=800000000", "outstanding=95" },
	{ "reg=io kernel=0 shape=rate", "nsteps=1 op=write reg_wait=auto dma_map=auto" },
	{ "reg=io nsteps=3 op=reg-mr op2=write size2=64 op3=local-inv size3=64",
	  "nsteps=3 reg_wait=0 dma_map=0" },
	{ "reg=exchange shape=pingpong op=read",
	  "nsteps=1 op=read reg_wait=2 dma_map=0 exchange_inv=remote recv_depth=128" },
	{ "reg=exchange shape=pingpong exchange_inv=local reg_wait=1 dma_map=1",
	  "reg_wait=1 dma_map=1 exchange_inv=local" },
	{ "reg=exchange shape=pingpong kernel=0 windows=1 reg_wait=0",
	  "reg_wait=0 dma_map=auto exchange_inv=remote" },
	{ "reg=exchange shape=pingpong provoke=stale-rkey", "reg_wait=2" },
	{ "relaxed_ordering=1 ordering=2", "relaxed_ordering=1" },
	{ "relaxed_ordering=1 ordering=3 kernel=0", "relaxed_ordering=1" },
	{ "relaxed_ordering=0 ordering=1", "relaxed_ordering=0" },
	{ "access=1", "access=1 relaxed_ordering=auto sg_list=auto" },
	{ "odp=1 kernel=0 odp_caps=2 odp_rc=1 reg=io", "odp=1" },
	{ "odp=2 kernel=0 odp_caps=6 odp_rc=1", "odp=2" },
	{ "reg=io", "sg_list=0" },
	{ "reg=3", "reg=3 nsteps=3 reg_wait=2 dma_map=0" },
	{ "reg=rw", "reg=rw nsteps=1 reg_wait=auto dma_map=auto sg_list=0" },
	{ "reg=rw op=read size=40000 sges=10 sg_list=1 max_sge_rd=30", "sges=10" },
	{ "reg=rw op=read size=4096", "size=4096" },
	{ "reg=rw op=read sg_list=2 size=40000 max_sge_rd=30 max_sgl_rd=11", "sg_list=2" },
	{ "reg=rw op=read sg_list=2 size=40000 max_sge_rd=30", "sg_list=2" },
	{ "reg=rw op=write sg_list=2 size=40000 max_sgl_rd=10", "sg_list=2" },
	{ "reg=rw shape=rate pairs=2 max_mr=100", "outstanding=48" },
	{ "reg=rw shape=rate outstanding=1024", "outstanding=1024" },
	{ "reg=rw size=40000 max_qp_wr=14", "outstanding=1" },
	{ "reg=rw sg_list=2 size=5000", "sg_list=2" },
	{ "reg=rw context=pool", "post_from=lane" },
	{ "reg=window kernel=0 windows=1 op=send", "reg=window nsteps=1" },
	{ "reg=rw shape=rate size=40000 outstanding=83 max_qp_wr=1002", "outstanding=83" },
	{ "reg=io sg_list=2 sg_gaps=1 size=3713 max_reg_bytes=8192", "sg_list=2" },
	{ "reg=exchange shape=pingpong sg_list=1", "sg_list=1" },
	{ "kernel=0 local_key=mr", "local_key=mr" },
	/* places */
	{ "pattern=random", "span=524288" },
	{ "pattern=sequential size=100000", "span=800256" },
	{ "pattern=random span=64 mrs=4", "span=64 mrs=4" },
	{ "pattern=random size=4096 span=1048576 max_reg_bytes=2097152", "span=1048576" },
	{ "mrs=8 pairs=2 max_mr=35", "mrs=8 span=auto" },
	{ "op=send shape=rate pattern=sequential cold=1", "span=524288 cold=1" },
	{ "cold=1 shape=rate chain=64 size=65536", "chain=64" },
	{ "memory=scattered", "memory=scattered mr_page=auto" },
	{ "memory=scattered kernel=0", "memory=scattered" },
	{ "memory=huge kernel=0", "memory=huge" },
	{ "memory=huge mr_page=2097152", "mr_page=2097152" },
	{ "memory=contiguous size=2097152", "memory=contiguous" },
	{ "memory=contiguous mr_page=65536 size=20000", "mr_page=65536" },
	{ "mr_page=4096", "mr_page=4096" },
	{ "bidirectional=1 shape=rate pairs=32", "pairs=32" },
	{ "lane_qps=3 shape=rate", "lane_qps=3 outstanding=129 chain=1 signal=1" },
	{ "lane_qps=3 shape=rate cq=1", "outstanding=129 cq=1" },
	{ "shape=recover op=cas size=8", "outstanding=16 recover=0" },
	{ "lane_qps=3 shape=rate op=send",
	  "outstanding=129 recv_depth=258 refill=batch recv_chain=auto" },
	{ "lane_qps=64 shape=rate op=send outstanding=64 max_qp_wr=100", "recv_depth=64" },
	{ "op=send", "refill=batch recv_chain=auto low_water=auto" },
	/* an SRQ is of no QP, and as large as it can be */
	{ "op=send shape=rate srq=1 lane_qps=3 max_qp_wr=132", "recv_depth=258 lane_qps=3" },
	{ "op=send shape=rate srq=1 lane_qps=7 recv_depth=50", "recv_depth=50" },
	{ "op=send shape=rate lane_qps=2 srq=1 cq=1 outstanding=2 recv_depth=94 max_cqe=100",
	  "recv_depth=94" },
	{ "shape=rate lane_qps=2 cq=1 outstanding=2 size=64 timing=none limit_bytes=1792",
	  "cq=1" },
	{ "op=send shape=pingpong srq=1", "srq=1 recv_depth=128 srq_limit=auto" },
	{ "op=send shape=rate srq=1 context=irqpoll", "srq=1 post_from=handler" },
	{ "op=send shape=rate srq=1 context=irqpoll post_from=lane srq_limit=3", "srq_limit=3" },
	{ "op=send shape=pingpong", "refill=auto" },
	{ "op=send shape=rate recv_chain=8", "refill=batch recv_chain=8" },
	{ "op=send refill=watermark", "recv_depth=128 low_water=64" },
	{ "op=send shape=rate refill=watermark low_water=1 lane_qps=4",
	  "low_water=1 recv_depth=256" },
	{ "lane_qps=1024 shape=rate chain=4 signal=2", "outstanding=4096" },
	{ "lane_qps=8 shape=rate transport=uc bidirectional=1", "outstanding=128" },
	{ "bidirectional=1 shape=rate check_data=1", "bidirectional=1" },
	{ "bidirectional=1 shape=rate ncpus=1 cpu0=3", "wait=yield" },
};

static void test_acceptances(void **state)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(acceptances); i++) {
		const struct acceptance *a = &acceptances[i];
		struct kv_job job = KV_JOB_INIT, again;
		struct kv_caps caps = plenty;
		struct kv_refusal no = { 0 };

		settings(a->ask, &job, &caps, 1);
		if (kv_job_check(&job, &caps, &no))
			fail_msg("%s: refused: %s", a->ask, no.text);
		settings(a->get, &job, &caps, 0);
		/* a complete job is valid, and stays what it is */
		again = job;
		if (kv_job_check(&again, &caps, &no))
			fail_msg("%s: refused the second time: %s", a->ask, no.text);
		assert_memory_equal(&job, &again, sizeof(job));
	}
}

/* what is needed, by hand: of the QP, of the buffer, of the memory of an operation */
static void test_access(void **state)
{
	static const struct {
		const char *ask;
		u32 access[3];
	} cases[] = {
		{ "op=write", { 7, 7, 7 } },
		{ "op=fadd size=8", { 15, 15, 15 } },
		{ "access=1 op=write", { 2, 3, 0 } },
		{ "access=1 op=read", { 4, 5, 1 } },
		{ "access=1 op=send", { 0, 1, 0 } },
		{ "access=1 op=write-imm", { 2, 3, 0 } },
		{ "access=1 op=cas size=8", { 8, 9, 1 } },
		{ "access=1 op=write nsteps=2 op2=read size2=64", { 6, 7, 1 } },
		{ "access=1 op=write reg=io", { 2, 3, 0 } },
		{ "access=1 op=write reg=exchange shape=pingpong", { 2, 1, 3 } },
		{ "access=1 op=read reg=exchange shape=pingpong", { 4, 1, 4 } },
	};
	u32 i, of;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct kv_job job = KV_JOB_INIT;
		struct kv_caps caps = plenty;
		struct kv_refusal no = { 0 };

		settings(cases[i].ask, &job, &caps, 1);
		if (kv_job_check(&job, &caps, &no))
			fail_msg("%s: refused: %s", cases[i].ask, no.text);
		for (of = KV_ACCESS_OF_QP; of <= KV_ACCESS_OF_IO; of++) {
			if (kv_job_access(&job, of) != cases[i].access[of])
				fail_msg("%s: %u: 0x%x", cases[i].ask, of,
					 kv_job_access(&job, of));
		}
	}
}

/* a message that is sent again still has its MR: its receive is there before it is sent */
static void test_credit(void **state)
{
	static const struct {
		u32 receives, of_iwarp, shape, op[3], flags[3];
	} cases[] = {
		{ 0, .op = { KVERBS_OP_SEND } },
		{ 9, 1, .op = { KVERBS_OP_SEND } },
		{ 0, 1, KVERBS_SHAPE_PINGPONG, .op = { KVERBS_OP_SEND } },
		{ 0, 1, .op = { KVERBS_OP_WRITE } },
		{ 9, .op = { KVERBS_OP_REG_MR, KVERBS_OP_SEND, KVERBS_OP_LOCAL_INV } },
		{ 9, 0, KVERBS_SHAPE_RATE,
		  .op = { KVERBS_OP_REG_MR, KVERBS_OP_SEND, KVERBS_OP_LOCAL_INV } },
		{ 9, .op = { KVERBS_OP_REG_MR, KVERBS_OP_SEND, KVERBS_OP_LOCAL_INV },
		  .flags = { KVERBS_STEP_WAIT } },
		{ 0, .op = { KVERBS_OP_REG_MR, KVERBS_OP_SEND, KVERBS_OP_LOCAL_INV },
		  .flags = { 0, KVERBS_STEP_WAIT } },
		{ 0, .op = { KVERBS_OP_LOCAL_INV, KVERBS_OP_REG_MR, KVERBS_OP_SEND } },
		{ 0, .op = { KVERBS_OP_REG_MR, KVERBS_OP_WRITE, KVERBS_OP_LOCAL_INV } },
	};
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct kv_job job = KV_JOB_INIT;

		job.shape = cases[i].shape;
		job.recv_depth = 9;
		job.nsteps = 1;
		if (cases[i].op[1])
			job.nsteps = 3;
		if (cases[i].of_iwarp) {
			job.connect = KVERBS_CONNECT_CM;
			job.timeout = KV_AUTO;
		}
		for (j = 0; j < job.nsteps; j++) {
			job.step[j].op = cases[i].op[j];
			job.step[j].flags = cases[i].flags[j];
		}
		if (kv_job_credit(&job) != cases[i].receives)
			fail_msg("case %u: %u", i, kv_job_credit(&job));
	}
}

/* is a field that was left to the check decided by it? */
static int decided(u32 attr, const struct kv_job *job)
{
	switch (attr) {
	case KVERBS_JOB_A_GID_INDEX:
	case KVERBS_JOB_A_GID_TYPE:
	case KVERBS_JOB_A_NODE:
	case KVERBS_JOB_A_COMP_VECTOR:
		return 0;
	case KVERBS_JOB_A_TIMEOUT:
	case KVERBS_JOB_A_RETRY_CNT:
	case KVERBS_JOB_A_RNR_RETRY:
	case KVERBS_JOB_A_MIN_RNR_TIMER:
	case KVERBS_JOB_A_RD_ATOMIC:
		return kv_transport_rules[job->transport].acked;
	case KVERBS_JOB_A_PACE:
		return kv_shape_rules[job->shape].paced;
	case KVERBS_JOB_A_STORM:
		return job->shape == KVERBS_SHAPE_SETUP;
	case KVERBS_JOB_A_RECOVER:
		return job->shape == KVERBS_SHAPE_RECOVER;
	case KVERBS_JOB_A_SPIN_US:
		return job->context == KVERBS_CONTEXT_HYBRID;
	case KVERBS_JOB_A_CQ_COUNT:
	case KVERBS_JOB_A_CQ_PERIOD_US:
		return 0;
	case KVERBS_JOB_A_MEMORY:
	case KVERBS_JOB_A_MR_PAGE:
	case KVERBS_JOB_A_RELAXED_ORDERING:
		return 0;
	case KVERBS_JOB_A_REFILL:
		return kv_job_two_sided(job) && !kv_shape_rules[job->shape].answers;
	case KVERBS_JOB_A_RECV_CHAIN:
	case KVERBS_JOB_A_SRQ_LIMIT:
		return 0;
	case KVERBS_JOB_A_LOW_WATER:
		return job->refill == KVERBS_REFILL_WATERMARK;
	case KVERBS_JOB_A_FLUSH_TYPE:
	case KVERBS_JOB_A_FLUSH_LEVEL:
		return kv_job_flushes(job);
	case KVERBS_JOB_A_SPAN:
		return job->pattern != KVERBS_PATTERN_FIXED;
	case KVERBS_JOB_A_EXCHANGE_INV:
		return kv_job_exchanges(job);
	case KVERBS_JOB_A_REG_WAIT:
		return kv_job_maps(job) || kv_job_exchanges(job);
	case KVERBS_JOB_A_DMA_MAP:
	case KVERBS_JOB_A_SG_LIST:
		return kv_job_maps(job);
	case KVERBS_JOB_A_POST_FROM:
		return kv_context_rules[job->context].callback;
	}
	return 1;
}

/* what was asked for is never changed, whatever the answer */
static void test_asked_is_kept(void **state)
{
	u64 seed = 3;
	u32 i, accepted = 0;

	for (i = 0; i < 400000; i++) {
		struct kv_job job = KV_JOB_INIT, asked;
		struct kv_caps caps = plenty;
		struct kv_refusal no;

#define SOME(n) ((u32)(test_random(&seed) % (n)))
		job.shape = SOME(KV_SHAPES);
		job.step[0].op = SOME(KV_OPS);
		job.step[0].size = 1 + SOME(5000);
		if (kv_op_rules[job.step[0].op].bytes)
			job.step[0].size = kv_op_rules[job.step[0].op].bytes;
		job.outstanding = SOME(2) ? KV_AUTO : 1 + SOME(300);
		job.chain = SOME(2) ? KV_AUTO : 1 + SOME(40);
		job.signal = SOME(2) ? KV_AUTO : 1 + SOME(40);
		job.recv_depth = SOME(2) ? KV_AUTO : 1 + SOME(300);
		if (!SOME(4)) {
			job.refill = SOME(2) ? KV_AUTO : SOME(KVERBS_REFILL_WATERMARK + 1);
			job.recv_chain = SOME(4) ? KV_AUTO : 1 + SOME(40);
			job.low_water = SOME(4) ? KV_AUTO : 1 + SOME(40);
			job.lane_qps = SOME(2) ? 1 : 1 + SOME(8);
			job.srq = SOME(2);
			job.cq = !SOME(4);
			job.srq_limit = SOME(4) ? KV_AUTO : 1 + SOME(300);
		}
		job.poll_batch = SOME(2) ? KV_AUTO : 1 + SOME(64);
		job.wait = SOME(2) ? KV_AUTO : SOME(KVERBS_WAIT_YIELD + 1);
		job.context = SOME(2) ? KVERBS_CONTEXT_BUSY : SOME(KV_CONTEXTS);
		job.post_from = SOME(2) ? KV_AUTO : SOME(2);
		job.spin_us = SOME(4) ? KV_AUTO : 1 + SOME(50);
		job.reg = SOME(4) ? KVERBS_REG_ONCE : SOME(KV_REGS);
		job.reg_wait = SOME(4) ? KV_AUTO : SOME(KVERBS_REG_WAIT_ALL + 1);
		job.dma_map = SOME(4) ? KV_AUTO : SOME(KVERBS_DMA_MAP_ONCE + 1);
		job.exchange_inv = SOME(4) ? KV_AUTO : SOME(KVERBS_EXCHANGE_INV_LOCAL + 1);
		job.pairs = 1 + SOME(8);
		job.transport = SOME(4) ? KVERBS_TRANSPORT_RC : SOME(KV_TRANSPORTS);
		job.timeout = SOME(2) ? KV_AUTO : SOME(32);
		job.rd_atomic = SOME(2) ? KV_AUTO : 1 + SOME(20);
		job.sges = SOME(4) ? 1 : 1 + SOME(40);
		job.inline_data = SOME(4) ? 0 : SOME(4097);
		if (kv_shape_rules[job.shape].paced) {
			job.pace = SOME(2) ? KV_AUTO : SOME(KVERBS_PACE_POISSON + 1);
			job.pace_rate = 1 + SOME(1000);
		}
		caps.kernel = SOME(2);
		caps.software = SOME(2);
		caps.windows = SOME(2);
		caps.read_inv = SOME(2);
		caps.max_qp_wr = SOME(4) ? 512 : SOME(300);
		caps.max_cqe = SOME(4) ? 4096 : SOME(300);
		caps.limit_depth = SOME(4) ? 1024 : SOME(300);
#undef SOME
		asked = job;
		if (kv_job_check(&job, &caps, &no))
			continue;
		accepted++;
#define KEPT(attr, member, type, lo, hi, def, letter, name, unit, what)	\
		if (asked.member != (def))				\
			assert_int_equal(job.member, asked.member);	\
		if (decided(KVERBS_JOB_A_##attr, &job))			\
			assert_true(job.member != (type)KV_AUTO);
		KV_JOB_FIELDS(KEPT)
#undef KEPT
		/* and what was granted fits the device */
		assert_true(job.outstanding >= 1);
		assert_true(job.outstanding + KV_MARKERS <= caps.max_qp_wr);
		assert_true(job.outstanding + KV_MARKERS <= caps.limit_depth);
		assert_true(job.recv_depth + KV_MARKERS <= caps.max_qp_wr ||
			    !job.recv_depth || job.srq);
		assert_true(!job.srq || job.recv_depth <= caps.max_srq_wr);
		assert_true(job.srq_limit == KV_AUTO ||
			    (job.srq && job.srq_limit < job.recv_depth));
		assert_true(kv_job_cq_depth(&job) <= caps.max_cqe);
		assert_true(job.chain >= 1 && job.chain <= job.outstanding);
		assert_true(job.signal >= 1 && job.signal <= job.outstanding);
		assert_true(!kv_job_two_sided(&job) == !job.recv_depth);
		assert_true(job.recv_depth % kv_job_rings(&job) == 0);
		if (kv_job_two_sided(&job)) {
			u32 from, chain;

			kv_job_refill(&job, &from, &chain);
			assert_true(from >= 1 && from <= kv_job_ring_depth(&job));
			assert_true(chain >= 1 && chain <= kv_job_ring_depth(&job));
		}
	}
	assert_true(accepted > 1000);
}

/* a row says what is wrong, what comes of it, and where it goes */
static void test_provoke_rows(void **state)
{
	const struct kv_provoke_rule *rule;
	u32 i, j;

	for (i = 1; i < KV_PROVOKES; i++) {
		rule = &kv_provoke_rules[i];
		assert_true(rule->name && *rule->what && *rule->options == ' ');
		assert_true(rule->transports);
		assert_true(rule->never || rule->shapes);
		assert_true(!rule->status == (rule->reason != KVERBS_REASON_WC));
		for (j = 0; j < i; j++)
			assert_string_not_equal(rule->name, kv_provoke_rules[j].name);
	}
}

static void check_row(u64 low, u64 high, u64 def, size_t size, int letter, const char *name,
		      const char *unit, const char *what, u32 attr)
{
	assert_true(low <= high);
	assert_true(high < KV_AUTO || size == 8);
	assert_true(def == KV_AUTO || def == 0 || (def >= low && def <= high));
	assert_true(letter == 0 || letter > ' ');
	assert_true(strlen(name) > 0 && strlen(what) > 0);
	assert_non_null(unit);
	assert_true(attr > KVERBS_JOB_A_UNSPEC && attr <= KVERBS_JOB_A_MAX);
	assert_true(attr < KVERBS_JOB_A_CPU || attr > KVERBS_JOB_A_PAD);
}

/* each row: its default is what a new job has, within its range or meaning "none" */
static void test_rows(void **state)
{
	struct kv_job job = KV_JOB_INIT;
	u32 rows = 0;

#define ROW(attr, member, type, lo, hi, def, letter, name, unit, what)	\
	assert_true(job.member == (type)(def));				\
	check_row(lo, hi, def, sizeof(type), letter, name, unit, what,	\
		  KVERBS_JOB_A_##attr);					\
	rows++;
	KV_JOB_FIELDS(ROW)
#undef ROW
	/* every scalar attribute of the wire has a row: all but cpu, step, pad, pace-ns */
	assert_int_equal(rows, KVERBS_JOB_A_MAX - 4);
	assert_int_equal(job.nsteps, 1);
	assert_int_equal(job.ncpus, 0);
}

/* letters and names are each used once */
static void test_rows_are_distinct(void **state)
{
#define LETTER(attr, member, type, lo, hi, def, letter, name, unit, what) letter,
#define NAME(attr, member, type, lo, hi, def, letter, name, unit, what) name,
	static const char letters[] = { KV_JOB_FIELDS(LETTER) };
	static const char * const names[] = { KV_JOB_FIELDS(NAME) };
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		for (j = 0; j < i; j++) {
			assert_string_not_equal(names[i], names[j]);
			assert_true(!letters[i] || letters[i] != letters[j]);
		}
	}
}

/* the range of each enum row ends where its enum does, and names exist */
static void test_rules_are_complete(void **state)
{
	u32 i;

	for (i = 0; i < KV_OPS; i++) {
		assert_non_null(kv_op_rules[i].name);
		assert_non_null(kv_op_rules[i].label);
		/* what the peer has to answer is not for lat */
		assert_true((kv_op_rules[i].shapes & KV_SHAPE_BIT(LAT)) ||
			    kv_op_rules[i].mr == KV_MR_TAKEN);
		assert_true(!kv_op_rules[i].mr || kv_op_rules[i].transports == KV_RC);
		assert_true(!(kv_op_rules[i].shapes & ~(KV_SHAPES_ALL | KV_SHAPES_TURN)));
		/* what arrives in the own memory names the peer's */
		assert_true(!kv_op_rules[i].reads || kv_op_rules[i].remote);
		assert_true(!kv_op_rules[i].imm || kv_op_rules[i].two_sided);
		assert_true(!kv_op_rules[i].atomic || kv_op_rules[i].bytes == 8);
	}
	for (i = 0; i < KV_OPS; i++) {
		/* UD names no memory, and only RC can answer */
		assert_true(kv_op_rules[i].transports & KV_RC);
		assert_true(!kv_op_rules[i].remote || !(kv_op_rules[i].transports & KV_UD));
		assert_true(!kv_op_rules[i].reads || kv_op_rules[i].transports == KV_RC);
	}
	for (i = 0; i < KV_TRANSPORTS; i++)
		assert_non_null(kv_transport_rules[i].name);
	for (i = 0; i < KV_SHAPES; i++)
		assert_non_null(kv_shape_rules[i].name);
	for (i = 0; i < KV_CONTEXTS; i++)
		assert_non_null(kv_context_rules[i].name);
}

static void test_counters_match_the_wire(void **state)
{
#define WIRE(attr, member, name, unit)					\
	assert_int_equal(offsetof(struct kv_stat, member) / sizeof(u64) + 1, \
			 KVERBS_CTR_##attr);
	KV_COUNTERS(WIRE)
#undef WIRE
	assert_int_equal(sizeof(struct kv_stat) / sizeof(u64), KVERBS_CTR_PAD - 1);
#define WIRE(attr, name) + (KVERBS_METRIC_##attr >= 0)
	assert_int_equal(0 KV_METRICS(WIRE), __KVERBS_METRIC_MAX);
#undef WIRE
}

/* lane 0 has the vector that was asked for, the others those that follow it */
static void test_vectors(void **state)
{
	struct kv_job job = KV_JOB_INIT;

	assert_int_equal(kv_job_vector(&job, 3, 8), 0);
	job.comp_vector = 6;
	assert_int_equal(kv_job_vector(&job, 0, 8), 6);
	assert_int_equal(kv_job_vector(&job, 1, 8), 7);
	assert_int_equal(kv_job_vector(&job, 2, 8), 0);
	job.cq = KVERBS_CQ_SHARED;
	assert_int_equal(kv_job_vector(&job, 2, 8), 6);
}

static void test_lanes(void **state)
{
	static const u32 lanes[KV_OPS][KV_SHAPES] = {
		[KVERBS_OP_WRITE] = { 1, 2, 1, 1, 1, 1 },
		[KVERBS_OP_READ] = { 1, 2, 1, 1, 1, 1 },
		[KVERBS_OP_SEND] = { 2, 2, 2, 2, 1, 1 },
		[KVERBS_OP_SEND_IMM] = { 2, 2, 2, 2, 1, 1 },
		[KVERBS_OP_WRITE_IMM] = { 2, 2, 2, 2, 1, 1 },
		[KVERBS_OP_CAS] = { 1, 2, 1, 1, 1, 1 },
		[KVERBS_OP_FADD] = { 1, 2, 1, 1, 1, 1 },
		[KVERBS_OP_SEND_INV] = { 2, 2, 2, 2, 1, 1 },
		[KVERBS_OP_REG_MR] = { 1, 2, 1, 1, 1, 1 },
		[KVERBS_OP_LOCAL_INV] = { 1, 2, 1, 1, 1, 1 },
		[KVERBS_OP_READ_INV] = { 1, 2, 1, 1, 1, 1 },
		[KVERBS_OP_ATOMIC_WRITE] = { 1, 2, 1, 1, 1, 1 },
		[KVERBS_OP_FLUSH] = { 1, 2, 1, 1, 1, 1 },
	};
	struct kv_job job = KV_JOB_INIT;

	for (job.step[0].op = 0; job.step[0].op < KV_OPS; job.step[0].op++) {
		for (job.shape = 0; job.shape < KV_SHAPES; job.shape++) {
			u32 want = lanes[job.step[0].op][job.shape];

			job.pairs = 1;
			assert_int_equal(kv_job_lanes_per_pair(&job), want);
			job.pairs = 7;
			assert_int_equal(kv_job_lanes(&job), 7 * want);
		}
	}
}

/*
 * post poll lat rtt recv_post recv_poll response, then, when there are any, reg inv;
 * of the initiator and of the responder
 */
struct measures {
	u32 op, shape, timing;
	const char *initiator, *responder;
};

static const struct measures measures[] = {
	{ KVERBS_OP_WRITE, KVERBS_SHAPE_LAT, KVERBS_TIMING_NONE, ".......", "......." },
	{ KVERBS_OP_WRITE, KVERBS_SHAPE_LAT, KVERBS_TIMING_LAT, "p.l....", "......." },
	{ KVERBS_OP_WRITE, KVERBS_SHAPE_LAT, KVERBS_TIMING_ALL, "pql....", "......." },
	{ KVERBS_OP_READ, KVERBS_SHAPE_RATE, KVERBS_TIMING_ALL, "pql....", "......." },
	{ KVERBS_OP_FADD, KVERBS_SHAPE_LAT, KVERBS_TIMING_ALL, "pql....", "......." },
	{ KVERBS_OP_WRITE_IMM, KVERBS_SHAPE_RATE, KVERBS_TIMING_ALL, "pql....", "....PQ." },
	{ KVERBS_OP_REG_MR, KVERBS_SHAPE_LAT, KVERBS_TIMING_NONE, ".......", "......." },
	{ KVERBS_OP_REG_MR, KVERBS_SHAPE_LAT, KVERBS_TIMING_LAT, "p.l....r.", "......." },
	{ KVERBS_OP_LOCAL_INV, KVERBS_SHAPE_LAT, KVERBS_TIMING_ALL, "pql.....i", "......." },
	{ KVERBS_OP_SEND, KVERBS_SHAPE_LAT, KVERBS_TIMING_NONE, ".......", "......." },
	{ KVERBS_OP_SEND, KVERBS_SHAPE_LAT, KVERBS_TIMING_LAT, "p.l....", "......." },
	{ KVERBS_OP_SEND, KVERBS_SHAPE_RATE, KVERBS_TIMING_ALL, "pql....", "....PQ." },
	{ KVERBS_OP_WRITE, KVERBS_SHAPE_PACED, KVERBS_TIMING_LAT, "p.l...R", "......." },
	{ KVERBS_OP_SEND, KVERBS_SHAPE_PACED, KVERBS_TIMING_ALL, "pql...R", "....PQ." },
	{ KVERBS_OP_WRITE, KVERBS_SHAPE_PINGPONG, KVERBS_TIMING_LAT, "p..r...", "p......" },
	{ KVERBS_OP_WRITE, KVERBS_SHAPE_PINGPONG, KVERBS_TIMING_ALL, "pq.r...", "pq....." },
	{ KVERBS_OP_SEND, KVERBS_SHAPE_PINGPONG, KVERBS_TIMING_NONE, ".......", "......." },
	{ KVERBS_OP_SEND, KVERBS_SHAPE_PINGPONG, KVERBS_TIMING_LAT, "p..r...", "p......" },
	{ KVERBS_OP_SEND, KVERBS_SHAPE_PINGPONG, KVERBS_TIMING_ALL, "pq.rP..", "pq..P.." },
};

static void test_metrics_of_a_role(void **state)
{
	u32 i, metric;

	for (i = 0; i < ARRAY_SIZE(measures); i++) {
		const struct measures *m = &measures[i];
		struct kv_job job = KV_JOB_INIT;

		job.step[0].op = m->op;
		job.shape = m->shape;
		job.timing = m->timing;
		for (metric = 0; metric < __KVERBS_METRIC_MAX; metric++) {
			assert_int_equal(!!kv_job_has_metric(&job, KVERBS_ROLE_INITIATOR,
							     metric),
					 strlen(m->initiator) > metric &&
					 m->initiator[metric] != '.');
			assert_int_equal(!!kv_job_has_metric(&job, KVERBS_ROLE_RESPONDER,
							     metric),
					 strlen(m->responder) > metric &&
					 m->responder[metric] != '.');
		}
		assert_int_equal(kv_job_has_metric(&job, KVERBS_ROLE_INITIATOR,
						   __KVERBS_METRIC_MAX), 0);
		/* who sleeps is woken */
		job.context = KVERBS_CONTEXT_WOKEN;
		for (metric = 0; metric < 2; metric++)
			assert_int_equal(kv_job_has_metric(&job, metric, KVERBS_METRIC_HANDLER),
					 m->timing != KVERBS_TIMING_NONE);
	}
}

/* a turn has its parts, and the calls that it makes */
static void test_metrics_of_a_turn(void **state)
{
	static const u32 always[] = {
		KVERBS_METRIC_RECOVER, KVERBS_METRIC_FLUSH, KVERBS_METRIC_RENEW,
		KVERBS_METRIC_CONNECT, KVERBS_METRIC_FIRST, KVERBS_METRIC_TO_ERR,
		KVERBS_METRIC_TO_INIT, KVERBS_METRIC_TO_RTR, KVERBS_METRIC_TO_RTS,
	};
	struct kv_job job = KV_JOB_INIT;
	u32 metric, has, i, recreate;

	job.shape = KVERBS_SHAPE_RECOVER;
	for (recreate = 0; recreate < 2; recreate++) {
		job.recover = recreate;
		for (metric = 0; metric <= __KVERBS_METRIC_MAX; metric++) {
			has = recreate ? metric == KVERBS_METRIC_CREATE_QP ||
					 metric == KVERBS_METRIC_DESTROY_QP :
					 metric == KVERBS_METRIC_TO_RESET;
			for (i = 0; i < ARRAY_SIZE(always); i++)
				has |= metric == always[i];
			assert_int_equal(kv_job_has_metric(&job, KVERBS_ROLE_INITIATOR, metric),
					 has);
			assert_int_equal(kv_job_has_metric(&job, KVERBS_ROLE_RESPONDER, metric),
					 0);
		}
	}
}

/* what a job is about is one of its metrics */
static void test_about(void **state)
{
	struct kv_job job = KV_JOB_INIT;

	for (job.shape = 0; job.shape < KV_SHAPES; job.shape++) {
		assert_int_equal(kv_job_about(&job), kv_shape_rules[job.shape].metric);
		assert_true(kv_job_has_metric(&job, KVERBS_ROLE_INITIATOR, kv_job_about(&job)));
	}
	job.shape = KVERBS_SHAPE_LAT;
	job.reg = KVERBS_REG_IO;
	assert_int_equal(kv_job_about(&job), KVERBS_METRIC_IO);
}

static void test_bytes(void **state)
{
	struct kv_job job = KV_JOB_INIT;

	/* two QPs, two halves of whole cache lines each */
	job.timing = KVERBS_TIMING_NONE;
	job.step[0].size = 1;
	assert_int_equal(kv_job_bytes(&job), 4 * 64);
	/* a header before what comes over UD */
	job.transport = KVERBS_TRANSPORT_UD;
	assert_int_equal(kv_job_bytes(&job), 4 * 64);
	job.step[0].size = 25;
	assert_int_equal(kv_job_bytes(&job), 4 * 128);
	job.transport = KVERBS_TRANSPORT_RC;
	/* also of messages without a payload */
	job.step[0].size = 0;
	assert_int_equal(kv_job_bytes(&job), 4 * 64);
	job.step[0].size = 64;
	assert_int_equal(kv_job_bytes(&job), 4 * 64);
	job.step[0].size = 65;
	assert_int_equal(kv_job_bytes(&job), 4 * 128);
	job.pairs = 3;
	assert_int_equal(kv_job_bytes(&job), 3 * 4 * 128);
	/* and the histograms */
	job.timing = KVERBS_TIMING_LAT;
	assert_int_equal(kv_job_bytes(&job), 3 * (4 * 128 + 2 * sizeof(struct kv_hist)));
	job.step[0].op = KVERBS_OP_SEND;
	job.timing = KVERBS_TIMING_ALL;
	assert_int_equal(kv_job_bytes(&job), 3 * (4 * 128 + 5 * sizeof(struct kv_hist)));
	job.memory = KVERBS_MEMORY_CONTIGUOUS;
	assert_int_equal(kv_job_bytes(&job), 3 * (2 * 4096 + 5 * sizeof(struct kv_hist)));
	job.step[0].size = 100000;
	assert_int_equal(kv_job_bytes(&job), 3 * (2 * 262144 + 5 * sizeof(struct kv_hist)));
	/* nothing wraps at the largest */
	job.pairs = 1024;
	job.step[0].size = 1U << 30;
	job.timing = KVERBS_TIMING_NONE;
	assert_true(kv_job_bytes(&job) == 1ULL << 42);
	/* the length of a run does not matter */
	job.iterations = 1;
	assert_true(kv_job_bytes(&job) == 1ULL << 42);
	job.iterations = 1000000000000ULL;
	assert_true(kv_job_bytes(&job) == 1ULL << 42);
}

/* the pieces of a message add up to it, and differ by a byte at most */
static void test_pieces(void **state)
{
	struct kv_job job = KV_JOB_INIT;
	u32 i, sum, least, most;

	for (job.step[0].size = 1; job.step[0].size < 200; job.step[0].size++) {
		for (job.sges = 1; job.sges <= 64 && job.sges <= job.step[0].size; job.sges++) {
			sum = 0;
			least = KV_AUTO;
			most = 0;
			for (i = 0; i < job.sges; i++) {
				u32 piece = kv_job_piece(&job, i);

				sum += piece;
				least = piece < least ? piece : least;
				most = piece > most ? piece : most;
			}
			assert_int_equal(sum, job.step[0].size);
			assert_true(least >= 1 && most - least <= 1);
			assert_int_equal(kv_job_sges(&job), job.sges);
		}
	}
	job.step[0].size = 0;
	job.sges = 1;
	assert_int_equal(kv_job_sges(&job), 0);
}

static void test_cq_depth(void **state)
{
	struct kv_job job = KV_JOB_INIT;

	job.outstanding = 10;
	job.recv_depth = 0;
	assert_int_equal(kv_job_cq_depth(&job), 10 + KV_MARKERS);
	job.recv_depth = 20;
	assert_int_equal(kv_job_cq_depth(&job), 30 + KV_MARKERS);
}

static void test_gid_rank(void **state)
{
	static const unsigned char none[16];
	static const unsigned char mapped[16] = {
		[10] = 0xff, 0xff, 192, 0, 2, 1
	};
	static const unsigned char local[16] = { 0xfe, 0x80, [15] = 1 };
	static const unsigned char near[16] = { [9] = 1, 0xff, 0xff, 192, 0, 2, 1 };
	static const unsigned char half[16] = { [10] = 0xff, 0xfe, 192, 0, 2, 1 };
	static const unsigned char last[16] = { [15] = 1 };

	assert_int_equal(kv_gid_rank(0, none), 0);
	assert_int_equal(kv_gid_rank(1, none), 0);
	assert_true(kv_gid_rank(1, mapped) > kv_gid_rank(1, local));
	assert_true(kv_gid_rank(1, local) > kv_gid_rank(0, mapped));
	assert_true(kv_gid_rank(0, mapped) > kv_gid_rank(0, local));
	assert_true(kv_gid_rank(0, local) > 0);
	assert_int_equal(kv_gid_rank(1, near), kv_gid_rank(1, local));
	assert_int_equal(kv_gid_rank(1, half), kv_gid_rank(1, local));
	assert_true(kv_gid_rank(0, last) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_rows_are_distinct),
		cmocka_unit_test(test_rules_are_complete),
		cmocka_unit_test(test_counters_match_the_wire),
		cmocka_unit_test(test_acceptances),
		cmocka_unit_test(test_access),
		cmocka_unit_test(test_credit),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_mtu_above_the_port),
		cmocka_unit_test(test_asked_is_kept),
		cmocka_unit_test(test_provoke_rows),
		cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_lanes),
		cmocka_unit_test(test_metrics_of_a_role),
		cmocka_unit_test(test_metrics_of_a_turn),
		cmocka_unit_test(test_about),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_cq_depth),
		cmocka_unit_test(test_gid_rank),
	};

	return cmocka_run_group_tests_name("job", tests, NULL, NULL);
}
