// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kverbs.h"
#include "options.h"
#include "recorded.h"

static const struct {
	u32 opcode;
	const char *name;	/* of the kernel's */
	const char *op;		/* of a job, or NULL */
} opcodes[] = {
	{ KV_REC_WRITE, "RDMA_WRITE", "write" },
	{ KV_REC_WRITE_IMM, "RDMA_WRITE_WITH_IMM", "write-imm" },
	{ KV_REC_SEND, "SEND", "send" },
	{ KV_REC_SEND_IMM, "SEND_WITH_IMM", "send-imm" },
	{ KV_REC_READ, "RDMA_READ", "read" },
	{ KV_REC_CAS, "ATOMIC_CMP_AND_SWP", "cas" },
	{ KV_REC_FADD, "ATOMIC_FETCH_AND_ADD", "fadd" },
	{ KV_REC_LOCAL_INV, "LOCAL_INV", NULL },
	{ KV_REC_SEND_INV, "SEND_WITH_INV", "send" },
	{ KV_REC_REG_MR, "REG_MR", NULL },
	{ 8, "BIND_MW", NULL },
	{ 10, "TSO", NULL },
	{ 11, "RDMA_READ_WITH_INV", "read" },
	{ 12, "MASKED_ATOMIC_CMP_AND_SWP", NULL },
	{ 13, "MASKED_ATOMIC_FETCH_AND_ADD", NULL },
	{ 14, "FLUSH", NULL },
	{ 15, "ATOMIC_WRITE", "atomic-write" },
	{ KV_REC_REG_MR + 1, "REG_MR_INTEGRITY", NULL },
};

const char *kv_rec_opcode(u32 opcode)
{
	u32 i;

	for (i = 0; i < KV_ARRAY_SIZE(opcodes); i++) {
		if (opcodes[i].opcode == opcode)
			return opcodes[i].name;
	}
	return "OTHER";
}

static const char *op_of(u32 opcode)
{
	u32 i;

	for (i = 0; i < KV_ARRAY_SIZE(opcodes); i++) {
		if (opcodes[i].opcode == opcode)
			return opcodes[i].op;
	}
	return NULL;
}

static bool two_sided(u32 opcode)
{
	return opcode == KV_REC_SEND || opcode == KV_REC_SEND_IMM ||
	       opcode == KV_REC_SEND_INV || opcode == KV_REC_WRITE_IMM;
}

const char *kv_rec_qp_type(u32 qp_type)
{
	static const char *const names[] = {
		"smi", "gsi", "rc", "uc", "ud", "raw-ipv6", "raw-ethertype", "raw-packet", "xrc",
		"xrc-target",
	};

	return qp_type < KV_ARRAY_SIZE(names) ? names[qp_type] : "other";
}

/* a QP whose posts a job can do */
bool kv_rec_kernel(const struct kv_rec_qp *qp)
{
	return !qp->user && (qp->qp_type == KV_REC_QPT_RC || qp->qp_type == KV_REC_QPT_UC ||
			     qp->qp_type == KV_REC_QPT_UD);
}

static struct kv_rec_qp *find_qp(const struct kv_recorded *rec, const struct kv_rec_wr *wr)
{
	struct kv_rec_qp *qp;
	u32 i;

	for (i = 0; i < rec->nqps; i++) {
		qp = rec->qp[i];
		if (qp->qpn == wr->qpn && qp->qp_type == wr->qp_type && qp->user == wr->user)
			return qp;
	}
	return NULL;
}

/**
 * kv_recorded_new - will a QP be made for a WR?
 * @rec: recorded
 * @wr: WR
 * Return: so it is, and the thread's name is needed
 */
bool kv_recorded_new(const struct kv_recorded *rec, const struct kv_rec_wr *wr)
{
	return rec->nqps < KV_REC_QPS && !find_qp(rec, wr);
}

static struct kv_rec_qp *qp_of(struct kv_recorded *rec, const struct kv_rec_wr *wr,
			       const char *by)
{
	struct kv_rec_qp *qp = find_qp(rec, wr);

	if (qp || rec->nqps == KV_REC_QPS)
		return qp;
	qp = calloc(1, sizeof(*qp));
	if (!qp)
		return NULL;
	qp->pattern = calloc(KV_REC_PATTERNS, sizeof(*qp->pattern));
	if (!qp->pattern) {
		free(qp);
		return NULL;
	}
	qp->qpn = wr->qpn;
	qp->qp_type = wr->qp_type;
	qp->user = wr->user;
	snprintf(qp->by, sizeof(qp->by), "%s", by ? by : "");
	rec->qp[rec->nqps++] = qp;
	return qp;
}

static bool same_run(const struct kv_rec_run *a, const struct kv_rec_run *b)
{
	return a->opcode == b->opcode && a->flags == b->flags && a->sges == b->sges &&
	       a->bytes == b->bytes;
}

static bool same_pattern(const struct kv_rec_pattern *a, const struct kv_rec_pattern *b)
{
	u32 i;

	if (a->wrs != b->wrs || a->signalled != b->signalled || a->nruns != b->nruns ||
	    a->cut != b->cut)
		return false;
	for (i = 0; i < a->nruns; i++) {
		if (a->run[i].times != b->run[i].times || !same_run(&a->run[i], &b->run[i]))
			return false;
	}
	return true;
}

static void add_wr(struct kv_rec_pattern *pattern, const struct kv_rec_wr *wr)
{
	struct kv_rec_run run = {
		.opcode = wr->opcode,
		.flags = wr->flags & ~(u32)KV_REC_SIGNALED,
		.sges = wr->sges,
		.times = 1,
		.bytes = wr->bytes,
	};

	pattern->wrs++;
	pattern->signalled += !!(wr->flags & KV_REC_SIGNALED);
	if (pattern->nruns && same_run(&pattern->run[pattern->nruns - 1], &run))
		pattern->run[pattern->nruns - 1].times++;
	else if (pattern->nruns < KV_REC_RUNS)
		pattern->run[pattern->nruns++] = run;
	else
		pattern->cut = true;
}

static void add_gap(struct kv_rec_qp *qp, u64 at)
{
	u64 ns;

	if (!qp->posts) {
		qp->begin = at;
		qp->end = at;
		return;
	}
	if (at < qp->end) {
		qp->backwards++;
		return;
	}
	ns = at - qp->end;
	qp->gap[ns ? 63 - __builtin_clzll(ns) : 0]++;
	if (qp->nfirst < KVERBS_PACE_NS_MAX)
		qp->first[qp->nfirst++] = ns > KV_PACE_NS_HIGH ? KV_PACE_NS_HIGH : (u32)ns;
	qp->end = at;
}

static void end_chain(struct kv_rec_qp *qp, const struct kv_rec_pattern *now, u64 at)
{
	struct kv_rec_pattern *pattern = qp->pattern;
	u32 i;

	add_gap(qp, at);
	qp->posts++;
	qp->wrs += now->wrs;
	for (i = 0; i < now->nruns; i++)
		qp->bytes += now->run[i].opcode == KV_REC_REG_MR ? 0 :
			     now->run[i].bytes * now->run[i].times;
	while (pattern < qp->pattern + qp->npatterns && !same_pattern(pattern, now))
		pattern++;
	if (pattern == qp->pattern + KV_REC_PATTERNS) {
		qp->other_posts++;
		qp->other_wrs += now->wrs;
		return;
	}
	if (pattern == qp->pattern + qp->npatterns) {
		*pattern = *now;
		pattern->posts = 0;
		qp->npatterns++;
	}
	pattern->posts++;
}

/**
 * kv_recorded_take - a WR was posted
 * @rec: recorded
 * @wr: WR; those of a chain come one after the other from a CPU
 * @cpu: CPU that it was posted on
 * @ns: when
 * @by: name of the thread, or NULL; only kv_recorded_new() needs one
 * Return: 0, or -1 where it is counted as lost
 */
int kv_recorded_take(struct kv_recorded *rec, const struct kv_rec_wr *wr, u32 cpu, u64 ns,
		     const char *by)
{
	struct kv_rec_qp *qp = qp_of(rec, wr, by);
	struct kv_rec_open *open;

	if (!qp || cpu >= KV_REC_CPUS) {
		rec->other_qps++;
		return -1;
	}
	open = &rec->open[cpu];
	if (!wr->index) {
		rec->torn += open->open;
		memset(open, 0, sizeof(*open));
		open->open = true;
		open->qpn = wr->qpn;
		open->at = ns;
	}
	if (!open->open || open->qpn != wr->qpn || open->next != wr->index) {
		/* of the chain its first WRs were lost: once is enough */
		rec->torn += open->open || wr->index + 1 == wr->chain;
		open->open = false;
		return -1;
	}
	open->next++;
	if (wr->chain)
		add_wr(&open->now, wr);
	if (open->next < wr->chain && open->next < KV_RECORD_WRS)
		return 0;
	open->now.cut |= wr->chain > KV_RECORD_WRS;
	end_chain(qp, &open->now, open->at);
	open->open = false;
	return 0;
}

static int by_wrs(const void *a, const void *b)
{
	const struct kv_rec_qp *const *x = a, *const *y = b;

	if ((*x)->wrs != (*y)->wrs)
		return (*x)->wrs < (*y)->wrs ? 1 : -1;
	return (*x)->qpn < (*y)->qpn ? -1 : 1;
}

static u64 wrs_of(const struct kv_rec_pattern *pattern)
{
	return pattern->posts * pattern->wrs;
}

static int by_weight(const void *a, const void *b)
{
	u64 x = wrs_of(a), y = wrs_of(b);

	return x < y ? 1 : x > y ? -1 : 0;
}

/**
 * kv_recorded_sort - the most active QPs first, and of each what it posted most
 * @rec: recorded
 */
void kv_recorded_sort(struct kv_recorded *rec)
{
	u32 i;

	qsort(rec->qp, rec->nqps, sizeof(rec->qp[0]), by_wrs);
	for (i = 0; i < rec->nqps; i++)
		qsort(rec->qp[i]->pattern, rec->qp[i]->npatterns, sizeof(*rec->qp[i]->pattern),
		      by_weight);
}

void kv_recorded_free(struct kv_recorded *rec)
{
	u32 i;

	for (i = 0; i < rec->nqps; i++) {
		free(rec->qp[i]->pattern);
		free(rec->qp[i]);
	}
	free(rec);
}

__attribute__((format(printf, 2, 3)))
static void note(struct kv_rec_job *job, const char *fmt, ...)
{
	va_list args;

	if (job->nnotes == KV_REC_NOTES)
		return;
	va_start(args, fmt);
	vsnprintf(job->note[job->nnotes++], sizeof(job->note[0]), fmt, args);
	va_end(args);
}

/* is it a message, or what makes and ends the MR of one? */
static bool moves(u32 opcode)
{
	return op_of(opcode);
}

/* REG_MR of so many bytes whose key a SEND of the same chain tells; 0: not so */
static u64 asks(const struct kv_rec_pattern *pattern)
{
	u64 bytes = 0;
	u32 i;

	for (i = 0; i < pattern->nruns; i++) {
		if (pattern->run[i].opcode == KV_REC_REG_MR)
			bytes = pattern->run[i].bytes;
		else if (bytes && two_sided(pattern->run[i].opcode))
			return bytes;
	}
	return 0;
}

/* does it answer such a one: a message of that size to or from the MR? */
static bool serves(const struct kv_rec_pattern *pattern, u64 bytes)
{
	u32 opcode = pattern->run[0].opcode;

	return pattern->nruns && (opcode == KV_REC_READ || opcode == KV_REC_WRITE) &&
	       pattern->run[0].bytes == bytes;
}

/* of all QPs but one, who asks for, or serves, that many bytes most */
static const struct kv_rec_qp *find_peer(const struct kv_recorded *rec, const struct kv_rec_qp *qp,
					 u64 bytes, bool asking, const struct kv_rec_pattern **how)
{
	const struct kv_rec_pattern *pattern;
	const struct kv_rec_qp *peer = NULL;
	u32 i, j;

	*how = NULL;
	for (i = 0; i < rec->nqps; i++) {
		if (rec->qp[i] == qp || !kv_rec_kernel(rec->qp[i]))
			continue;
		for (j = 0; j < rec->qp[i]->npatterns; j++) {
			pattern = &rec->qp[i]->pattern[j];
			if (asking ? asks(pattern) != bytes : !serves(pattern, bytes))
				continue;
			if (*how && wrs_of(*how) >= wrs_of(pattern))
				continue;
			*how = pattern;
			peer = rec->qp[i];
		}
	}
	return peer;
}

/* the operations of two patterns are the same, whatever their sizes */
static bool same_ops(const struct kv_rec_pattern *a, const struct kv_rec_pattern *b)
{
	u32 i;

	if (a->nruns != b->nruns || a->cut || b->cut || a->wrs != b->wrs)
		return false;
	for (i = 0; i < a->nruns; i++) {
		if (a->run[i].opcode != b->run[i].opcode || a->run[i].times != b->run[i].times)
			return false;
	}
	return true;
}

/* how many WRs of the QP the job stands for */
static void count(struct kv_rec_job *job)
{
	const struct kv_rec_pattern *pattern;
	u32 i;

	for (i = 0; i < job->qp->npatterns; i++) {
		pattern = &job->qp->pattern[i];
		if (pattern == job->of)
			job->same += wrs_of(pattern);
		else if (same_ops(pattern, job->of))
			job->alike += wrs_of(pattern);
	}
}

/* of an exchange each side posts several chains, of which only the sizes of data count */
static void count_exchange(struct kv_rec_job *job, u64 bytes, bool asking)
{
	const struct kv_rec_pattern *pattern;
	bool mine, other;
	u64 asked;
	u32 i;

	for (i = 0; i < job->qp->npatterns; i++) {
		pattern = &job->qp->pattern[i];
		asked = asks(pattern);
		if (asking) {
			mine = asked == bytes || (pattern->nruns == 1 &&
						  pattern->run[0].opcode == KV_REC_LOCAL_INV);
			other = asked;
		} else {
			mine = serves(pattern, bytes) ||
			       (pattern->nruns == 1 && pattern->run[0].opcode == KV_REC_SEND_INV);
			other = pattern->nruns && serves(pattern, pattern->run[0].bytes);
		}
		if (mine)
			job->same += wrs_of(pattern);
		else if (other)
			job->alike += wrs_of(pattern);
	}
}

/* REG_MR and SEND at one end, WRITE or READ and SEND_WITH_INV at the other */
static bool make_exchange(const struct kv_recorded *rec, struct kv_rec_job *job)
{
	const struct kv_rec_pattern *how, *of = job->of;
	u64 bytes = asks(of);
	bool asking = bytes;

	if (!asking && of->nruns && (of->run[0].opcode == KV_REC_READ ||
				     of->run[0].opcode == KV_REC_WRITE))
		bytes = of->run[0].bytes;
	if (!bytes)
		return false;
	job->peer = find_peer(rec, job->qp, bytes, !asking, &how);
	if (!asking && !job->peer)
		return false;
	if (asking && !job->peer)
		note(job, "the peer was not recorded: it is taken to write");
	snprintf(job->op, sizeof(job->op), "%s",
		 op_of(asking ? (how ? how->run[0].opcode : KV_REC_WRITE) : of->run[0].opcode));
	job->reg = "exchange";
	job->shape = "pingpong";
	job->size = bytes;
	job->iterations = of->posts;
	note(job, "one exchange is under way at a time: depth and pacing are not replayed");
	if (of->run[0].sges > 1 || (how && how->run[0].sges > 1))
		note(job, "its messages have one SGE, those recorded up to %u",
		     of->run[0].sges > 1 ? of->run[0].sges : how->run[0].sges);
	note(job, "the SENDs have kverbs' own sizes");
	count_exchange(job, bytes, asking);
	return true;
}

/* REG_MR, but no key is told: the message uses the MR itself */
static bool make_registered(struct kv_rec_job *job)
{
	const struct kv_rec_pattern *of = job->of;
	bool reg = false;
	u32 i;

	for (i = 0; i < of->nruns; i++) {
		reg |= of->run[i].opcode == KV_REC_REG_MR;
		if (reg && moves(of->run[i].opcode))
			break;
	}
	if (i == of->nruns)
		return false;
	snprintf(job->op, sizeof(job->op), "%s", op_of(of->run[i].opcode));
	job->reg = "io";
	job->shape = "lat";
	job->size = of->run[i].bytes;
	job->iterations = of->posts;
	note(job, "one message is under way at a time: depth and pacing are not replayed");
	count(job);
	return true;
}

static void pace(struct kv_rec_job *job)
{
	double seconds = (double)(job->qp->end - job->qp->begin) / 1e9;
	double rate = seconds > 0 ? (double)(job->qp->posts - 1) / seconds : 0;

	job->shape = "paced";
	job->rate = rate < 1 ? 1 : rate > 1e9 ? 1000000000 : (u32)(rate + 0.5);
	if (job->qp->posts < 2)
		note(job, "one post tells no pace: one a second is taken");
}

/* most that a field of a job may be */
static u64 most_of(u32 attr)
{
	const struct kv_field *field;
	u32 i;

	for (i = 0; (field = kv_job_field(i)); i++) {
		if (field->attr == attr)
			return field->hi;
	}
	return 0;
}

/* of a job a message has no piece without bytes, and an atomic has one */
static void set_sges(struct kv_rec_job *job, const struct kv_rec_run *run)
{
	u64 most = most_of(KVERBS_JOB_A_SGES);

	if (most > job->size)
		most = job->size;
	if (run->opcode == KV_REC_CAS || run->opcode == KV_REC_FADD)
		most = 1;
	job->sges = run->sges > most ? (u32)most : run->sges ? run->sges : 1;
	if (run->sges > most)
		note(job, "its messages have %u SGEs, those recorded %u", job->sges, run->sges);
}

static void set_inline(struct kv_rec_job *job, const struct kv_rec_run *run)
{
	u64 most = most_of(KVERBS_JOB_A_INLINE_DATA);

	if (!(run->flags & KV_REC_INLINE))
		return;
	if (job->size > most)
		note(job, "its messages are not inline: a job has at most %llu bytes so", most);
	else
		job->inlined = (u32)job->size;
}

/* a chain of WRs that are alike */
static void make_chain(struct kv_rec_job *job)
{
	const struct kv_rec_pattern *of = job->of;

	snprintf(job->op, sizeof(job->op), "%s", op_of(of->run[0].opcode));
	if (of->run[0].opcode == KV_REC_SEND_INV)
		note(job, "SEND_WITH_INV is a SEND in it: no key is invalidated");
	job->size = of->run[0].bytes;
	set_sges(job, &of->run[0]);
	set_inline(job, &of->run[0]);
	job->chain = of->wrs;
	job->iterations = of->posts * of->wrs;
	if (of->wrs == 1) {
		pace(job);
		if (!of->signalled)
			note(job, "its WRs are signalled, those recorded were not");
	} else {
		job->shape = "rate";
		note(job, "chains are posted as soon as they can be: pacing is not replayed");
		job->signal = of->wrs;
		if (of->signalled)
			job->signal = (of->wrs + of->signalled / 2) / of->signalled;
		if (!of->signalled)
			note(job, "one WR of a chain is signalled, none of those recorded was");
	}
	count(job);
}

/* a chain of several operations, one of which may consume a receive */
static bool make_steps(struct kv_rec_job *job)
{
	const struct kv_rec_pattern *of = job->of;
	u32 i, n, steps = 0, taken = 0;
	size_t used = 0;

	for (i = 0; i < of->nruns; i++) {
		if (!moves(of->run[i].opcode))
			return false;
		taken += two_sided(of->run[i].opcode) * of->run[i].times;
		steps += of->run[i].times;
	}
	if (steps > KVERBS_STEPS_MAX || taken > 1)
		return false;
	for (i = 0; i < of->nruns; i++) {
		for (n = 0; n < of->run[i].times; n++)
			used += (size_t)snprintf(job->op + used, sizeof(job->op) - used, "%s%s",
						 used ? "," : "", op_of(of->run[i].opcode));
		if (of->run[i].bytes > job->size)
			job->size = of->run[i].bytes;
	}
	for (i = 0; i < of->nruns; i++) {
		if (of->run[i].bytes != job->size) {
			note(job, "all messages of a chain have the size of the largest");
			break;
		}
	}
	job->iterations = of->posts;
	pace(job);
	count(job);
	return true;
}

static void note_flags(struct kv_rec_job *job)
{
	u32 flags = 0, i;

	for (i = 0; i < job->of->nruns; i++)
		flags |= job->of->run[i].flags;
	if (flags & KV_REC_FENCE)
		note(job, "FENCE: a job has no such flag");
	if (flags & KV_REC_SOLICITED)
		note(job, "SOLICITED: a job has no such flag");
	if (flags & ~(u32)(KV_REC_FENCE | KV_REC_SOLICITED | KV_REC_INLINE))
		note(job, "flags 0x%x: a job has no such flags", flags);
}

/* can a job be made of it at all? what it then is, its options tell */
static bool usable(const struct kv_rec_pattern *pattern)
{
	u32 i;

	for (i = 0; i < pattern->nruns && !pattern->cut; i++) {
		if (moves(pattern->run[i].opcode))
			return true;
	}
	return false;
}

static bool has_size(const struct kv_rec_run *run)
{
	return run->bytes && run->bytes <= KV_SIZE_MAX;
}

/* of a chain that no job has as it is, the most frequent of its WRs */
static bool make_part(struct kv_rec_job *job, struct kv_rec_pattern *part)
{
	const struct kv_rec_pattern *whole = job->of;
	u32 i, best = whole->nruns;

	for (i = 0; i < whole->nruns; i++) {
		if (moves(whole->run[i].opcode) && has_size(&whole->run[i]) &&
		    (best == whole->nruns || whole->run[i].times > whole->run[best].times))
			best = i;
	}
	if (best == whole->nruns)
		return false;
	*part = *whole;
	part->nruns = 1;
	part->run[0] = whole->run[best];
	part->wrs = part->run[0].times;
	if (part->signalled > part->wrs)
		part->signalled = part->wrs;
	job->of = part;
	make_chain(job);
	job->of = whole;
	job->same = 0;
	job->alike = whole->posts * part->wrs;
	note(job, "of chains of %u WRs it has the %u that are %s", whole->wrs, part->wrs,
	     kv_rec_opcode(part->run[0].opcode));
	return true;
}

/* false, with @error, when no job can be like the pattern */
static bool make_of(const struct kv_recorded *rec, const struct kv_rec_qp *qp,
		    const struct kv_rec_pattern *pattern, struct kv_rec_job *job,
		    struct kv_error *error)
{
	struct kv_rec_pattern part;
	json_t *json;
	bool made;

	memset(job, 0, sizeof(*job));
	job->qp = qp;
	job->of = pattern;
	job->sges = 1;
	job->chain = 1;
	job->signal = 1;
	made = make_exchange(rec, job) || make_registered(job);
	if (!made && pattern->nruns == 1) {
		make_chain(job);
		made = true;
	}
	made = made || make_steps(job) || make_part(job, &part);
	if (!made || !job->size || job->size > KV_SIZE_MAX) {
		kv_error_set(error, KV_EXIT_USAGE, "size %llu: a job has 1 to %u bytes",
			     job->size, KV_SIZE_MAX);
		return false;
	}
	note_flags(job);
	json = kv_rec_job_json(job);
	made = json && !kv_job_file_check(json, error);
	json_decref(json);
	return made;
}

/* what the QP posted most and a job can do: patterns are sorted by their weight */
static bool make_of_qp(const struct kv_recorded *rec, const struct kv_rec_qp *qp,
		       struct kv_rec_job *job)
{
	const struct kv_rec_pattern *left = NULL;
	struct kv_error why, error;
	u32 i;

	for (i = 0; i < qp->npatterns; i++) {
		if (!usable(&qp->pattern[i]))
			continue;
		if (make_of(rec, qp, &qp->pattern[i], job, &error)) {
			if (left)
				note(job, "chains of %u WRs that it posted more make no job: %.80s",
				     left->wrs, why.text);
			return true;
		}
		if (!left) {
			left = &qp->pattern[i];
			why = error;
		}
	}
	return false;
}

/**
 * kv_rec_job_make - the job that does most of what a QP did
 * @rec: recorded and sorted
 * @qpn: the QP; 0: the most active one of the kernel's
 * @job: filled; without @qp there is none
 */
void kv_rec_job_make(const struct kv_recorded *rec, u32 qpn, struct kv_rec_job *job)
{
	u32 i;

	for (i = 0; i < rec->nqps; i++) {
		if (kv_rec_kernel(rec->qp[i]) && (!qpn || rec->qp[i]->qpn == qpn) &&
		    make_of_qp(rec, rec->qp[i], job))
			return;
	}
	memset(job, 0, sizeof(*job));
}
