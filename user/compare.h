/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A comparison: cases (operation and size), each with arms (a job that both
 * engines run), measured in blocks.
 */
#ifndef KV_COMPARE_H
#define KV_COMPARE_H

#include "options.h"
#include "report.h"
#include "trial.h"

#define KV_LEDGER_MAX	24

/* what is taken from the run of an arm */
enum kv_value {
	KV_VALUE_P50,		/* of what the job is about, as lat is */
	KV_VALUE_P99,
	KV_VALUE_MAX,
	KV_VALUE_POST,
	KV_VALUE_POST_WR,	/* of a WR of its chain */
	KV_VALUE_POLL,
	KV_VALUE_RECV_POST,
	KV_VALUE_RECV_POLL,
	KV_VALUE_FLUSH,
	KV_VALUE_RENEW,
	KV_VALUE_CONNECT,
	KV_VALUE_FIRST,
	KV_VALUE_TO_RESET,
	KV_VALUE_TO_INIT,
	KV_VALUE_TO_RTR,
	KV_VALUE_TO_RTS,
	KV_VALUE_CREATE_QP,
	KV_VALUE_DESTROY_QP,
	KV_VALUE_CREATE_CQ,
	KV_VALUE_DESTROY_CQ,
	KV_VALUE_MR_ALLOC,
	KV_VALUE_MR_FREE,
	KV_VALUE_CREATE_ID,
	KV_VALUE_RESOLVE_ADDR,
	KV_VALUE_RESOLVE_ROUTE,
	KV_VALUE_DISCONNECT,
	KV_VALUE_DESTROY_ID,
	KV_VALUE_OPS,
	KV_VALUE_BYTES,
	KV_VALUE_OP,		/* window over operations */
	KV_VALUES,
};

/**
 * struct kv_value_rule - how a value is shown
 * @name: in the table, after "lat" or "rtt" where @timed
 * @key: in JSON, without the unit of what is no rate
 * @rate: the more the better
 * @from_metric: belongs to lat or rtt
 * @metric: enum kverbs_metric that it is the median of, or none
 */
struct kv_value_rule {
	const char *name;
	const char *key;
	bool rate;
	bool from_metric;
	u32 metric;
};

#define KV_NO_METRIC	__KVERBS_METRIC_MAX

extern const struct kv_value_rule kv_value_rules[KV_VALUES];

/**
 * struct kv_tally - how the samples of a number of instructions divide, all runs
 *
 * Members as in struct kv_figure; @width is the largest.
 */
struct kv_tally {
	u64 count;
	u64 same;
	u64 other;
	u64 disturbed;
	u64 width;
};

/* where the time of an operation goes, as the loop adds it up */
enum kv_part {
	KV_PART_POST,
	KV_PART_WAIT,		/* empty polls, and the waits after them */
	KV_PART_POLL,		/* polls that returned a WC */
	KV_PART_CLOCK,		/* the rest: readings of the clock, and the loop itself */
	KV_PARTS,
};

extern const char *const kv_part_keys[KV_PARTS];	/* in JSON */

/**
 * struct kv_parts - means of an operation over all runs of a side
 * @runs: that were timed
 * @sum: ns of an operation, added up over them
 */
struct kv_parts {
	u32 runs;
	double sum[KV_PARTS];
};

/**
 * struct kv_beside_sum - the run beside those of a side
 * @runs: of this side
 * @ops_s: its operations a second, added up over them
 * @bytes_s: its bytes, likewise
 */
struct kv_beside_sum {
	u32 runs;
	double ops_s;
	double bytes_s;
};

/**
 * struct kv_arm - one job that both sides run in every block
 * @job: of each side
 * @engine: of each side
 * @device: name
 * @as: enum kv_as
 * @primary: enum kv_value that is judged
 * @values: mask of the values it shows
 * @quiet: the arm without time stamps: what measuring itself costs
 * @absent: this engine's driver does not implement the job, and how it said so
 * @tally: of the values that are medians, when instructions are counted
 * @runs: that ended well
 * @contaminated: runs that were
 * @granted: by each engine in its latest run
 * @lane: lane 0 of it, without histograms
 * @parts: where the time went; of the initiators
 * @beside: what ran beside it
 * @hist: of all runs; owned, NULL where there is none
 */
struct kv_arm {
	struct kv_job job[KV_SIDES];
	const struct kv_engine *engine[KV_SIDES];
	const char *device;
	u32 as;
	u32 primary;
	u32 values;
	bool quiet;
	char absent[KV_SIDES][160];
	struct kv_tally tally[KV_SIDES][KV_VALUES];
	u32 runs;
	u32 contaminated;
	struct kv_job granted[KV_SIDES];
	struct kv_lane_result lane[KV_SIDES];
	struct kv_parts parts[KV_SIDES];
	struct kv_beside_sum beside[KV_SIDES];
	struct kv_hist *hist[KV_SIDES][__KVERBS_METRIC_MAX];
};

/* what --prove finds out */
enum kv_proof_part {
	KV_PROOF_SAME_KERNEL,
	KV_PROOF_SAME_USER,
	KV_PROOF_PLANTED_KERNEL,
	KV_PROOF_PLANTED_USER,
	KV_PROOF_FLOOR,
	KV_PROOF_PARTS,
};

/**
 * struct kv_proof_row - one comparison of it
 * @done: it was measured
 * @judgement: of p50
 * @planted: median of the wait, ns, 0: there was none
 */
struct kv_proof_row {
	bool done;
	struct kv_judgement judgement;
	double planted;
};

/**
 * struct kv_proof - what a comparison on this host can tell
 * @resolves: smallest difference of p50 that shows, ns, of either engine against itself
 * @share: the same of p50
 * @floor: why there is no row of the null device, or empty
 */
struct kv_proof {
	struct kv_proof_row row[KV_PROOF_PARTS];
	double resolves;
	double share;
	char floor[160];
};

/**
 * struct kv_compare - a comparison
 * @link: of the port, enum kverbs_link
 * @trial: what was measured; owned
 * @proof: of --prove, else NULL; owned
 * @arm: arms of one case follow each other
 * @clock: of each engine, kernel and user
 * @skipped: runs that an engine's driver does not implement
 * @own: variables of the environment that were set by the user, mask by row
 * @ledger: what differs by nature, lines
 */
struct kv_compare {
	struct kv_options options;
	struct kv_env env;
	char device[KV_DEVICE_NAME];
	char post_send[128];
	u32 link;
	struct kv_trial *trial;
	struct kv_proof *proof;
	struct kv_arm arm[KV_ARMS_MAX];
	u32 narms;
	struct kv_clock_info clock[KV_SIDES];
	u32 runs;
	u32 skipped;
	u32 contaminated;
	u32 failed_checks;
	u32 own;
	const char *ledger[KV_LEDGER_MAX];
	char unlike[192];
	u32 nledger;
	json_t *json_runs;
};

/**
 * struct kv_verdict - one value over the rounds
 * @n: rounds that have it from both engines
 * @side: median of each engine
 * @ratio: median of the ratios kernel / user of a round
 * @constant: of each engine, every round has the same value
 */
struct kv_verdict {
	u32 n;
	double side[KV_SIDES];
	bool constant[KV_SIDES];
	double ratio;
	double low;
	double high;
};

void kv_verdict_of(const double *kernel, const double *user, u32 stride, u32 rounds,
		   struct kv_verdict *verdict);
double kv_median_alone(const double *sample, u32 stride, u32 rounds);
bool kv_verdict_exact(const struct kv_verdict *verdict, const struct kv_tally *kernel,
		      const struct kv_tally *user);
const char *kv_verdict_text(const struct kv_verdict *verdict, const struct kv_tally *kernel,
			    const struct kv_tally *user, char *text, size_t size);
void kv_tally_add(struct kv_tally *tally, const struct kv_figure *figure);
void kv_verdict_counts(const struct kv_trial *trial, u32 arm, u32 value,
		       struct kv_verdict *verdict);
int kv_verdict_expected(const struct kv_compare *compare, struct kv_error *error);

/* compare.c */
int kv_compare_measure(struct kv_compare *compare, struct kv_error *error);
void kv_compare_free(struct kv_compare *compare);

/* prove.c */
int kv_prove(const struct kv_compare *compare, struct kv_proof *proof, struct kv_error *error);
bool kv_proof_found(const struct kv_proof_row *row);
bool kv_proof_holds(const struct kv_proof_row *row);

/* arms.c */
void kv_arms_plan(struct kv_compare *compare, u32 largest);

/* ledger.c: what is made equal, and what is left */
void kv_ledger_own(struct kv_compare *compare);
void kv_ledger_match(const struct kv_compare *compare, bool matched);
void kv_ledger_fill(struct kv_compare *compare);

/* compare_print.c, compare_json.c */
double kv_part_mean(const struct kv_arm *arm, enum kv_side side, u32 part);
double kv_parts_mean(const struct kv_arm *arm, enum kv_side side);
void kv_print_compare(FILE *file, const struct kv_compare *compare);
json_t *kv_json_compare(const struct kv_compare *compare);

#endif /* KV_COMPARE_H */
