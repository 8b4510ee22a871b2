/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What a ULP posted, WR by WR, becomes patterns of its QPs, and the job that does most
 * alike. Plain data: where the WRs come from is record.c's.
 */
#ifndef KV_RECORDED_H
#define KV_RECORDED_H

#include <stdbool.h>
#include <jansson.h>
#include "engine.h"

#define KV_JOB_SCHEMA	"kverbs-job/1"

#define KV_REC_RUNS	8	/* runs of equal WRs that a chain is told by */
#define KV_REC_PATTERNS	512	/* of a QP */
#define KV_REC_QPS	256
#define KV_REC_CPUS	1024
#define KV_REC_GAPS	64	/* powers of two of ns */
#define KV_REC_NOTES	8
#define KV_REC_BY	16

/* opcodes and flags of struct ib_send_wr; those of REG_MR are the kernel's alone */
enum {
	KV_REC_WRITE = 0,
	KV_REC_WRITE_IMM = 1,
	KV_REC_SEND = 2,
	KV_REC_SEND_IMM = 3,
	KV_REC_READ = 4,
	KV_REC_CAS = 5,
	KV_REC_FADD = 6,
	KV_REC_LOCAL_INV = 7,
	KV_REC_SEND_INV = 9,
	KV_REC_REG_MR = 0x20,

	KV_REC_FENCE = 1 << 0,
	KV_REC_SIGNALED = 1 << 1,
	KV_REC_SOLICITED = 1 << 2,
	KV_REC_INLINE = 1 << 3,

	KV_REC_QPT_RC = 2,
	KV_REC_QPT_UC = 3,
	KV_REC_QPT_UD = 4,
};

/**
 * struct kv_rec_wr - a WR as it was posted
 * @index: its place in the chain
 * @chain: WRs of the chain; 0: of user space, which does not tell
 */
struct kv_rec_wr {
	u32 qpn;
	u32 qp_type;
	bool user;
	u32 index;
	u32 chain;
	u32 opcode;
	u32 flags;
	u32 sges;
	u64 bytes;
};

/* WRs in a row that are alike but for being signalled */
struct kv_rec_run {
	u32 opcode;
	u32 flags;
	u32 sges;
	u32 times;
	u64 bytes;
};

/**
 * struct kv_rec_pattern - a chain, as often as it was posted
 * @posts: calls
 * @wrs: of a call
 * @signalled: of them
 * @nruns: entries of @run
 * @cut: the chain has more than is told
 */
struct kv_rec_pattern {
	u64 posts;
	u32 wrs;
	u32 signalled;
	u32 nruns;
	bool cut;
	struct kv_rec_run run[KV_REC_RUNS];
};

/**
 * struct kv_rec_qp - a QP
 * @by: name of the thread that posted first
 * @begin: ns of the first post; @end: of the last
 * @gap: intervals between posts by powers of two; @backwards: those that were none
 * @first: the first intervals, ns; @nfirst: entries
 * @other_posts: of chains that found no room in @pattern, @other_wrs: their WRs
 */
struct kv_rec_qp {
	u32 qpn;
	u32 qp_type;
	bool user;
	char by[KV_REC_BY];
	u64 posts;
	u64 wrs;
	u64 bytes;
	u64 begin;
	u64 end;
	u64 gap[KV_REC_GAPS];
	u64 backwards;
	u32 first[KVERBS_PACE_NS_MAX];
	u32 nfirst;
	u32 npatterns;
	struct kv_rec_pattern *pattern;
	u64 other_posts;
	u64 other_wrs;
};

/* a chain that is being told, on a CPU */
struct kv_rec_open {
	bool open;
	u32 qpn;
	u32 next;
	u64 at;
	struct kv_rec_pattern now;
};

/**
 * struct kv_recorded - all of it
 * @torn: chains of which WRs are missing
 * @other_qps: WRs of QPs that found no room
 */
struct kv_recorded {
	struct kv_rec_qp *qp[KV_REC_QPS];
	u32 nqps;
	struct kv_rec_open open[KV_REC_CPUS];
	u64 torn;
	u64 other_qps;
};

/**
 * struct kv_rec_job - a job that does alike
 * @qp: whose posts it is made of; NULL: there is none
 * @peer: of an exchange, the other end where it was recorded, too; or NULL
 * @of: the pattern that it is made of
 * @op: its operations
 * @reg: --reg, or NULL
 * @shape: --shape
 * @size: of its messages
 * @sges: of a message
 * @inlined: bytes sent inline
 * @chain: WRs a post
 * @signal: one in so many signalled
 * @iterations: operations
 * @rate: posts a second; 0: as soon as it can
 * @same: WRs of @qp that it posts as they were
 * @alike: those that differ in size, SGEs or flags
 * @note: what it does not do as it was
 */
struct kv_rec_job {
	const struct kv_rec_qp *qp;
	const struct kv_rec_qp *peer;
	const struct kv_rec_pattern *of;
	char op[128];
	const char *reg;
	const char *shape;
	u64 size;
	u32 sges;
	u32 inlined;
	u32 chain;
	u32 signal;
	u64 iterations;
	u32 rate;
	u64 same;
	u64 alike;
	u32 nnotes;
	char note[KV_REC_NOTES][160];
};

const char *kv_rec_opcode(u32 opcode);
const char *kv_rec_qp_type(u32 qp_type);

bool kv_recorded_new(const struct kv_recorded *rec, const struct kv_rec_wr *wr);
int kv_recorded_take(struct kv_recorded *rec, const struct kv_rec_wr *wr, u32 cpu, u64 ns,
		     const char *by);
void kv_recorded_sort(struct kv_recorded *rec);
void kv_recorded_free(struct kv_recorded *rec);

bool kv_rec_kernel(const struct kv_rec_qp *qp);
json_t *kv_rec_job_json(const struct kv_rec_job *job);	/* record_print.c */
void kv_rec_job_make(const struct kv_recorded *rec, u32 qpn, struct kv_rec_job *job);

#endif /* KV_RECORDED_H */
