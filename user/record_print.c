// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What was recorded, as text and as the file that a job is read from. */
#include <string.h>
#include "kverbs.h"
#include "record.h"

#define QPS_SHOWN	8
#define PATTERNS_SHOWN	6
#define PATTERNS_KEPT	64	/* of a QP, in the file */

static const struct {
	u32 flag;
	const char *name;
} flags[] = {
	{ KV_REC_FENCE, "fence" },
	{ KV_REC_SOLICITED, "solicited" },
	{ KV_REC_INLINE, "inline" },
};

static void print_run(FILE *file, const struct kv_rec_run *run)
{
	u32 i;

	if (run->times > 1)
		fprintf(file, "%u ", run->times);
	fprintf(file, "%s %llu", kv_rec_opcode(run->opcode), run->bytes);
	if (run->sges > 1)
		fprintf(file, " in %u SGEs", run->sges);
	for (i = 0; i < KV_ARRAY_SIZE(flags); i++) {
		if (run->flags & flags[i].flag)
			fprintf(file, " %s", flags[i].name);
	}
}

static void print_pattern(FILE *file, const struct kv_rec_pattern *pattern)
{
	u32 i;

	fprintf(file, "  %8llu x ", pattern->posts);
	if (!pattern->nruns)
		fputs("WRs that the kernel does not see", file);
	for (i = 0; i < pattern->nruns; i++) {
		fputs(i ? " + " : "", file);
		print_run(file, &pattern->run[i]);
	}
	if (pattern->cut)
		fputs(" + more", file);
	if (pattern->nruns)
		fprintf(file, ", %u of %u signalled", pattern->signalled, pattern->wrs);
	fputc('\n', file);
}

/* the power of two of ns that half of the intervals are below */
static double middle_gap(const struct kv_rec_qp *qp)
{
	u64 all = 0, below = 0;
	u32 i;

	for (i = 0; i < KV_REC_GAPS; i++)
		all += qp->gap[i];
	for (i = 0; i < KV_REC_GAPS; i++) {
		below += qp->gap[i];
		if (below && 2 * below >= all)
			return (double)(1ULL << i) * 2;
	}
	return 0;
}

static void print_qp(FILE *file, const struct kv_rec_qp *qp, const struct kv_rec_job *job)
{
	u32 i;

	fprintf(file, "QP %u %s%s%s%s: %llu posts, %llu WRs, %llu bytes%s\n", qp->qpn,
		kv_rec_qp_type(qp->qp_type), qp->user ? " of user space" : "",
		*qp->by ? ", by " : "", qp->by, qp->posts, qp->wrs, qp->bytes,
		qp == job->qp ? "  <- the job" : qp == job->peer ? "  <- its peer" : "");
	for (i = 0; i < qp->npatterns && i < PATTERNS_SHOWN; i++)
		print_pattern(file, &qp->pattern[i]);
	if (qp->npatterns > PATTERNS_SHOWN || qp->other_posts)
		fprintf(file, "  and %u other chains%s\n",
			qp->npatterns > PATTERNS_SHOWN ? qp->npatterns - PATTERNS_SHOWN : 0,
			qp->other_posts ? ", and more that found no room" : "");
	if (qp->posts > 1)
		fprintf(file, "  a post each %.4g us; half of the intervals below %.4g us\n",
			(double)(qp->end - qp->begin) / 1e3 / (double)(qp->posts - 1),
			middle_gap(qp) / 1e3);
}

static void print_lost(FILE *file, const struct kv_record *record)
{
	if (record->lost)
		fprintf(file, "%llu WRs found no room in the buffer; use a larger --buffer\n",
			record->lost);
	if (record->rec->torn)
		fprintf(file, "%llu posts are not in it: WRs of their chains were lost\n",
			record->rec->torn);
	if (!record->missed_known)
		fputs("how many posts the probe missed is unknown: debugfs cannot be read\n", file);
	else if (record->missed)
		fprintf(file, "%llu posts were missed by the probe, which told of another\n",
			record->missed);
	if (record->rec->other_qps)
		fprintf(file, "%llu WRs are not in it: more than %u QPs\n", record->rec->other_qps,
			KV_REC_QPS);
	if (record->others)
		fprintf(file, "%llu WRs of other devices are not in it\n", record->others);
}

static u64 share_wrs(const struct kv_rec_job *job)
{
	return job->same + job->alike;
}

/* what no job can do is named, too */
static void print_left(FILE *file, const struct kv_record *record)
{
	const struct kv_rec_qp *qp;
	u32 i;

	for (i = 0; i < record->rec->nqps; i++) {
		qp = record->rec->qp[i];
		if (qp == record->job.qp || qp == record->job.peer)
			continue;
		fprintf(file, "not in the job: QP %u %s, %llu WRs%s\n", qp->qpn,
			kv_rec_qp_type(qp->qp_type), qp->user ? qp->posts : qp->wrs,
			qp->user ? " or more, of user space" :
			kv_rec_kernel(qp) ? "; --qpn makes the job of it" :
			", of no type that a job has");
	}
}

/* the words of the job, as on a command line */
static void print_words(FILE *file, const struct kv_rec_job *job)
{
	fprintf(file, "job: --op %s -s %llu --shape %s -n %llu", job->op, job->size, job->shape,
		job->iterations);
	if (job->reg)
		fprintf(file, " --reg %s", job->reg);
	if (job->sges > 1)
		fprintf(file, " --sges %u", job->sges);
	if (job->inlined)
		fprintf(file, " -I %u", job->inlined);
	if (job->chain > 1)
		fprintf(file, " -l %u", job->chain);
	if (job->signal > 1)
		fprintf(file, " -Q %u", job->signal);
	if (job->rate && job->qp->nfirst)
		fprintf(file, " --pace trace (%u intervals)", job->qp->nfirst);
	else if (job->rate)
		fprintf(file, " --pace-rate %u", job->rate);
	fputc('\n', file);
}

void kv_record_print(FILE *file, const struct kv_record *record)
{
	const struct kv_rec_job *job = &record->job;
	u32 i;

	fprintf(file, "recorded %s for %.3g s: %u QPs\n", record->device, record->seconds,
		record->rec->nqps);
	for (i = 0; i < record->rec->nqps && i < QPS_SHOWN; i++)
		print_qp(file, record->rec->qp[i], job);
	if (record->rec->nqps > QPS_SHOWN)
		fprintf(file, "and %u other QPs\n", record->rec->nqps - QPS_SHOWN);
	print_lost(file, record);
	if (!job->qp)
		return;
	print_words(file, job);
	fprintf(file,
		"it stands for %llu of the %llu WRs of QP %u, %.3g %%: %llu as they were, %llu with other sizes or flags\n",
		share_wrs(job), job->qp->wrs, job->qp->qpn,
		100 * (double)share_wrs(job) / (double)job->qp->wrs, job->same, job->alike);
	for (i = 0; i < job->nnotes; i++)
		fprintf(file, "  %s\n", job->note[i]);
	print_left(file, record);
}

static void put(json_t *json, const char *key, json_t *value)
{
	json_object_set_new(json, key, value);
}

static json_t *integer(u64 value)
{
	return json_integer((json_int_t)value);
}

static json_t *json_pattern(const struct kv_rec_pattern *pattern)
{
	json_t *json = json_object(), *runs = json_array(), *run, *names;
	u32 i, j;

	put(json, "posts", integer(pattern->posts));
	put(json, "wrs", integer(pattern->wrs));
	put(json, "signalled", integer(pattern->signalled));
	put(json, "more", json_boolean(pattern->cut));
	for (i = 0; i < pattern->nruns; i++) {
		names = json_array();
		for (j = 0; j < KV_ARRAY_SIZE(flags); j++) {
			if (pattern->run[i].flags & flags[j].flag)
				json_array_append_new(names, json_string(flags[j].name));
		}
		run = json_object();
		put(run, "opcode", json_string(kv_rec_opcode(pattern->run[i].opcode)));
		put(run, "times", integer(pattern->run[i].times));
		put(run, "size_bytes", integer(pattern->run[i].bytes));
		put(run, "sges", integer(pattern->run[i].sges));
		put(run, "flags", names);
		json_array_append_new(runs, run);
	}
	put(json, "chain", runs);
	return json;
}

/* [lower bound in ns, count] */
static json_t *json_gaps(const struct kv_rec_qp *qp)
{
	json_t *json = json_array(), *bucket;
	u32 i;

	for (i = 0; i < KV_REC_GAPS; i++) {
		if (!qp->gap[i])
			continue;
		bucket = json_array();
		json_array_append_new(bucket, integer(i ? 1ULL << i : 0));
		json_array_append_new(bucket, integer(qp->gap[i]));
		json_array_append_new(json, bucket);
	}
	return json;
}

static json_t *json_qp(const struct kv_rec_qp *qp)
{
	json_t *json = json_object(), *patterns = json_array();
	u64 posts = qp->other_posts, wrs = qp->other_wrs;
	u32 i;

	for (i = 0; i < qp->npatterns; i++) {
		if (i < PATTERNS_KEPT) {
			json_array_append_new(patterns, json_pattern(&qp->pattern[i]));
			continue;
		}
		posts += qp->pattern[i].posts;
		wrs += qp->pattern[i].posts * qp->pattern[i].wrs;
	}
	put(json, "qpn", integer(qp->qpn));
	put(json, "type", json_string(kv_rec_qp_type(qp->qp_type)));
	put(json, "user_space", json_boolean(qp->user));
	put(json, "thread", *qp->by ? json_string(qp->by) : json_null());
	put(json, "posts", integer(qp->posts));
	put(json, "wrs", integer(qp->wrs));
	put(json, "bytes", integer(qp->bytes));
	put(json, "span_ns", integer(qp->end - qp->begin));
	put(json, "patterns", patterns);
	put(json, "other_posts", integer(posts));
	put(json, "other_wrs", integer(wrs));
	put(json, "intervals_low_ns", json_gaps(qp));
	put(json, "intervals_backwards", integer(qp->backwards));
	return json;
}

static json_t *json_recorded(const struct kv_record *record)
{
	json_t *json = json_object(), *qps = json_array();
	u32 i;

	for (i = 0; i < record->rec->nqps; i++)
		json_array_append_new(qps, json_qp(record->rec->qp[i]));
	put(json, "seconds", json_real(record->seconds));
	put(json, "qps", qps);
	put(json, "lost_wrs", integer(record->lost));
	put(json, "torn_posts", integer(record->rec->torn));
	put(json, "missed_posts", record->missed_known ? integer(record->missed) : json_null());
	put(json, "wrs_of_other_qps", integer(record->rec->other_qps));
	put(json, "wrs_of_other_devices", integer(record->others));
	return json;
}

/**
 * kv_rec_job_json - a job by the names of options, so that it is read as these are
 * @job: job
 * Return: new object
 */
json_t *kv_rec_job_json(const struct kv_rec_job *job)
{
	json_t *json = json_pack("{s:s, s:I, s:s, s:I, s:s}", "op", job->op, "size",
				 (json_int_t)job->size, "shape", job->shape, "iters",
				 (json_int_t)job->iterations, "transport",
				 kv_rec_qp_type(job->qp->qp_type));

	if (job->reg)
		put(json, "reg", json_string(job->reg));
	if (job->sges > 1)
		put(json, "sges", integer(job->sges));
	if (job->inlined)
		put(json, "inline", integer(job->inlined));
	if (job->chain > 1)
		put(json, "post-list", integer(job->chain));
	if (job->signal > 1)
		put(json, "cq-mod", integer(job->signal));
	if (job->rate && job->qp->nfirst)
		put(json, "pace", json_string(kv_pace_name(KVERBS_PACE_TRACE)));
	else if (job->rate)
		put(json, "pace-rate", integer(job->rate));
	return json;
}

static json_t *json_faithful(const struct kv_rec_job *job)
{
	json_t *json = json_object(), *notes = json_array();
	u32 i;

	for (i = 0; i < job->nnotes; i++)
		json_array_append_new(notes, json_string(job->note[i]));
	put(json, "qpn", integer(job->qp->qpn));
	put(json, "peer_qpn", job->peer ? integer(job->peer->qpn) : json_null());
	put(json, "wrs", integer(job->qp->wrs));
	put(json, "wrs_same", integer(job->same));
	put(json, "wrs_alike", integer(job->alike));
	put(json, "differs", notes);
	return json;
}

/**
 * kv_record_json - the document
 * @record: recorded
 * @env: where
 * Return: new object
 */
json_t *kv_record_json(const struct kv_record *record, const struct kv_env *env)
{
	const struct kv_rec_job *job = &record->job;
	json_t *json = json_object(), *command = json_array(), *gaps = json_array();
	json_t *word;
	char **at;
	u32 i;

	for (at = record->command; *at; at++) {
		word = json_string(*at);
		/* a word need not be UTF-8 */
		json_array_append_new(command, word ? word : json_string("?"));
	}
	for (i = 0; job->qp && i < job->qp->nfirst; i++)
		json_array_append_new(gaps, integer(job->qp->first[i]));
	put(json, "schema", json_string(KV_JOB_SCHEMA));
	put(json, "recorded_command", command);
	put(json, "environment", kv_json_env(env));
	put(json, "recorded", json_recorded(record));
	put(json, "job", job->qp ? kv_rec_job_json(job) : json_null());
	put(json, "stands_for", job->qp ? json_faithful(job) : json_null());
	put(json, "intervals_ns", gaps);
	return json;
}
