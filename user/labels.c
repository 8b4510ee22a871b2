// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What has to be said beside a figure so that it is not taken for another.
 */
#include "report.h"

/* what lat, or the window, of this run stands for */
const char *kv_label_lat(const struct kv_result *result)
{
	const struct kv_job *job = &result->granted;
	bool queued = job->outstanding > 1 || job->chain > 1 || job->signal > 1;
	bool reads = kv_job_rule(job)->reads;

	/* what iWARP has sent may be on its way in the TCP stream yet */
	if (!kv_transport_rules[job->transport].acked || (kv_job_iwarp(job) && !reads))
		return queued ? "queued completion time; local, not acked" : "local, not acked";
	if (queued)
		return reads || kv_job_placement(job) ?
			       "queued completion time" :
			       "queued completion time; acked, not placed";
	if (kv_job_restore(job))
		return job->nsteps > 1 ? "all steps; what restores the MR is not in it" :
					 "what restores the MR is not in it";
	return job->nsteps > 1 ? "all steps" : kv_job_rule(job)->label;
}

/* whose time it is: of a closed loop, where what is late delays what comes after it */
const char *kv_label_time(u32 metric)
{
	switch (metric) {
	case KVERBS_METRIC_LAT:
		return "service time";
	case KVERBS_METRIC_RESPONSE:
		return "response time";
	}
	return "";
}

const char *kv_label_progress(const struct kv_result *result)
{
	return result->software ? "includes stack progress" : "";
}

const char *kv_label_clock(const struct kv_clock_info *clock)
{
	if (clock->unit == KV_UNIT_INSN)
		return "counts instructions, which are no time";
	return clock->invariant ? "" : "unsynchronised clock";
}

u32 kv_gid_is_v2(u32 gid_type)
{
	return gid_type >= 2;
}

const char *kv_gid_type_name(u32 link, u32 gid_type)
{
	if (link != KVERBS_LINK_ROCE)
		return "IB";
	return kv_gid_is_v2(gid_type) ? "RoCE v2" : "RoCE v1";
}
