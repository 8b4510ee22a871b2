/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Errors that are provoked: what is made wrong, when a job can show it, and what
 * is expected to come of it. One row each, for the check of the job, for both
 * engines, for 'kverbs explain' and for the tests.
 *
 * Part of kverbs/job.h, which includes it.
 */
#ifndef _KVERBS_PROVOKE_H
#define _KVERBS_PROVOKE_H

#define KV_PROVOKE_AFTER	64	/* operations that are good before */
#define KV_PROVOKE_WINDOW	4	/* WRs outstanding before a CQ overflows */
#define KV_PROVOKE_TIMEOUT	10	/* 4.096 us * 2^10 = 4 ms */
#define KV_PROVOKE_RETRY	2	/* of those that are to run out */
#define KV_PROVOKE_KEY		0x55	/* the last byte of a key is the MR's own to check */
#define KV_PROVOKE_PSN		0x400000	/* added to a PSN, far from what is expected */

/* enum ib_wc_status and enum ibv_wc_status, which agree */
enum {
	KV_WC_LOC_LEN_ERR = 1,
	KV_WC_LOC_QP_OP_ERR = 2,
	KV_WC_LOC_PROT_ERR = 4,
	KV_WC_WR_FLUSH_ERR = 5,
	KV_WC_MW_BIND_ERR = 6,
	KV_WC_REM_INV_REQ_ERR = 9,
	KV_WC_REM_ACCESS_ERR = 10,
	KV_WC_REM_OP_ERR = 11,
	KV_WC_RETRY_EXC_ERR = 12,
	KV_WC_RNR_RETRY_EXC_ERR = 13,
};

/* what a job must have, and how it is gone about: a mask */
enum {
	KV_NEEDS_RECEIVES = 1 << 0,	/* it consumes receives of the peer */
	KV_NEEDS_REMOTE = 1 << 1,	/* it names memory of the peer */
	KV_NEEDS_ONE_SIDED = 1 << 2,	/* it consumes no receives */
	KV_NEEDS_KERNEL = 1 << 3,	/* the kernel engine */
	KV_NEEDS_USER = 1 << 4,		/* the user engine */
	KV_NEEDS_KERNEL_RC = 1 << 5,	/* over RC the kernel engine */
	KV_BY_RESPONDER = 1 << 6,	/* it is the responder that makes it wrong */
	KV_WHILE_BUSY = 1 << 7,		/* with all WRs of the window outstanding */
	KV_NEEDS_SEND = 1 << 8,		/* its data goes into receives of the peer */
	KV_NEEDS_EXCHANGE = 1 << 9,	/* the peer is told the rkey of each operation */
	KV_WITH_CM = 1 << 10,		/* QPs that rdma_cm connected show it, too */
};

/**
 * struct kv_provoke_rule - an error that can be provoked
 * @name: as in options and outputs
 * @what: what is made wrong
 * @options: with a plain job, what shows it: " --op send"
 * @reason: enum kverbs_reason that a lane is expected to end with
 * @status: of KVERBS_REASON_WC, likewise
 * @needs: mask of KV_NEEDS_*, KV_BY_RESPONDER, KV_WHILE_BUSY, KV_WITH_CM
 * @transports: bit mask by enum kverbs_transport
 * @shapes: bit mask by enum kverbs_shape
 * @never: why no engine does it, NULL: one does
 */
struct kv_provoke_rule {
	const char *name;
	const char *what;
	const char *options;
	u32 reason;
	u32 status;
	u32 needs;
	u32 transports;
	u32 shapes;
	const char *never;
};

#define KV_PROVOKES		(KVERBS_PROVOKE_STALE_RKEY + 1)
#define KV_PROVOKE_SHAPES	(KV_SHAPE_BIT(LAT) | KV_SHAPE_BIT(RATE))
#define KV_PROVOKE_WC(s)	KVERBS_REASON_WC, KV_WC_##s##_ERR

static const struct kv_provoke_rule kv_provoke_rules[KV_PROVOKES] = {
	[KVERBS_PROVOKE_NONE] = { "none", "nothing", "" },
	[KVERBS_PROVOKE_RNR] = {
		"rnr", "the responder posts no receives any more", " --op send",
		KV_PROVOKE_WC(RNR_RETRY_EXC),
		KV_NEEDS_RECEIVES | KV_BY_RESPONDER, KV_RC, KV_PROVOKE_SHAPES,
	},
	[KVERBS_PROVOKE_WRONG_QPN] = {
		"wrong-qpn", "the QP is connected anew, to a QP that is in RESET", " -c rc",
		KV_PROVOKE_WC(RETRY_EXC), 0, KV_RC, KV_PROVOKE_SHAPES,
	},
	[KVERBS_PROVOKE_WRONG_PSN] = {
		"wrong-psn", "both QPs are connected anew, with PSNs that do not match",
		" --op write", KV_PROVOKE_WC(RETRY_EXC), KV_NEEDS_ONE_SIDED,
		KV_RC, KV_PROVOKE_SHAPES,
	},
	[KVERBS_PROVOKE_PEER_GONE] = {
		"peer-gone", "the QP of the peer is moved to ERR", " --op write",
		KV_PROVOKE_WC(RETRY_EXC), KV_NEEDS_ONE_SIDED, KV_RC,
		KV_PROVOKE_SHAPES,
	},
	[KVERBS_PROVOKE_FLUSH] = {
		"flush", "the QP of the initiator is moved to ERR", " -c rc",
		KV_PROVOKE_WC(WR_FLUSH), KV_WITH_CM, KV_RC | KV_UC | KV_UD,
		KV_PROVOKE_SHAPES,
	},
	[KVERBS_PROVOKE_LOCAL_LENGTH] = {
		"local-length", "the responder's receives are a byte long", " --op send",
		KV_PROVOKE_WC(LOC_LEN), KV_NEEDS_SEND | KV_BY_RESPONDER,
		KV_RC, KV_PROVOKE_SHAPES,
	},
	[KVERBS_PROVOKE_LOCAL_PROT] = {
		"local-prot", "the lkey of the initiator's SGEs is of no MR", " --op read",
		KV_PROVOKE_WC(LOC_PROT), 0, KV_RC | KV_UC | KV_UD,
		KV_PROVOKE_SHAPES,
	},
	[KVERBS_PROVOKE_LOCAL_QP_OP] = {
		"local-qp-op",
		"over RC a LOCAL_INV of a key that is of no MR, over UC a READ, which UC has not",
		" -c uc --engine user", KV_PROVOKE_WC(LOC_QP_OP),
		KV_NEEDS_KERNEL_RC | KV_NEEDS_ONE_SIDED, KV_RC | KV_UC,
		KV_PROVOKE_SHAPES,
	},
	[KVERBS_PROVOKE_REMOTE_INV_REQ] = {
		"remote-inv-req", "the QP of the peer allows no access to memory any more",
		" --op write", KV_PROVOKE_WC(REM_INV_REQ),
		KV_NEEDS_REMOTE | KV_NEEDS_ONE_SIDED, KV_RC, KV_PROVOKE_SHAPES,
	},
	[KVERBS_PROVOKE_REMOTE_ACCESS] = {
		"remote-access", "the rkey is of no MR", " --op write",
		KV_PROVOKE_WC(REM_ACCESS), KV_NEEDS_REMOTE, KV_RC,
		KV_PROVOKE_SHAPES,
	},
	[KVERBS_PROVOKE_REMOTE_OP] = {
		"remote-op", "the lkey of the responder's receives is of no MR",
		" --op send", KV_PROVOKE_WC(REM_OP),
		KV_NEEDS_SEND | KV_BY_RESPONDER, KV_RC, KV_PROVOKE_SHAPES,
	},
	[KVERBS_PROVOKE_MW_BIND] = {
		"mw-bind", "a memory window is bound to an MR without MW_BIND",
		" --engine user", KV_PROVOKE_WC(MW_BIND),
		KV_NEEDS_USER | KV_NEEDS_ONE_SIDED, KV_RC, KV_PROVOKE_SHAPES,
	},
	[KVERBS_PROVOKE_CQ_OVERFLOW] = {
		"cq-overflow", "more WRs complete than the CQ holds, and nobody polls",
		" --shape rate", KVERBS_REASON_CQ, 0,
		KV_NEEDS_ONE_SIDED | KV_WITH_CM,
		KV_RC | KV_UC, KV_SHAPE_BIT(RATE),
	},
	[KVERBS_PROVOKE_QUEUE_FULL] = {
		"queue-full", "more WRs are posted in one chain than the send queue holds",
		" -c rc", KVERBS_REASON_POST, 0, KV_WITH_CM,
		KV_RC | KV_UC | KV_UD,
		KV_PROVOKE_SHAPES,
	},
	[KVERBS_PROVOKE_SGES] = {
		"sges", "a WR has one SGE more than the QP was granted", " -c rc",
		KVERBS_REASON_POST, 0, KV_WITH_CM, KV_RC | KV_UC | KV_UD,
		KV_PROVOKE_SHAPES,
	},
	[KVERBS_PROVOKE_NO_AH] = {
		"no-ah", "a WR of UD has no address handle", " -c ud --op send",
		KVERBS_REASON_POST, .transports = KV_UD,
		.never = "drivers and providers do not look whether there is one, and crash",
	},
	[KVERBS_PROVOKE_WRONG_PD] = {
		"wrong-pd", "the rkey is of an MR of another PD", " --op write",
		KV_PROVOKE_WC(REM_ACCESS), KV_NEEDS_REMOTE, KV_RC,
		KV_PROVOKE_SHAPES,
	},
	[KVERBS_PROVOKE_DEREG] = {
		"dereg", "the MR of the peer is deregistered with WRs under way",
		" --op write --shape rate", KV_PROVOKE_WC(REM_ACCESS),
		KV_NEEDS_REMOTE | KV_NEEDS_ONE_SIDED | KV_WHILE_BUSY, KV_RC,
		KV_SHAPE_BIT(RATE),
	},
	[KVERBS_PROVOKE_INVALIDATED] = {
		"invalidated", "the MR of the peer is invalidated by a LOCAL_INV",
		" --op write", KV_PROVOKE_WC(REM_ACCESS),
		KV_NEEDS_REMOTE | KV_NEEDS_ONE_SIDED | KV_NEEDS_KERNEL, KV_RC,
		KV_PROVOKE_SHAPES,
	},
	[KVERBS_PROVOKE_STALE_RKEY] = {
		"stale-rkey",
		"the peer uses the rkey of the exchange before, which was invalidated",
		" --reg exchange --shape pingpong", KV_PROVOKE_WC(REM_ACCESS),
		KV_NEEDS_EXCHANGE | KV_BY_RESPONDER, KV_RC,
		KV_SHAPE_BIT(PINGPONG),
	},
};

/* retries that are to run out, and that nobody asked for, are few and short */
static inline void kv_provoke_hurry(struct kv_job *job)
{
	u32 status = kv_provoke_rules[job->provoke].status;

	if (status == KV_WC_RNR_RETRY_EXC_ERR && job->rnr_retry == KV_AUTO)
		job->rnr_retry = KV_PROVOKE_RETRY;
	if (status != KV_WC_RETRY_EXC_ERR)
		return;
	if (job->timeout == KV_AUTO)
		job->timeout = KV_PROVOKE_TIMEOUT;
	if (job->retry_cnt == KV_AUTO)
		job->retry_cnt = KV_PROVOKE_RETRY;
}

#endif /* _KVERBS_PROVOKE_H */
