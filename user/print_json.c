// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The report of a run for programs. Units stand in the keys; a figure that is
 * not known is null.
 */
#include <math.h>
#include <string.h>
#include "kverbs.h"
#include "pmu.h"
#include "report.h"
#include "unit.h"

json_t *kv_json_real(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *integer(u64 value)
{
	return json_integer((json_int_t)value);
}

static void put(json_t *json, const char *key, json_t *value)
{
	json_object_set_new(json, key, value);
}

/* a member whose key says its unit */
static void put_in(json_t *json, const char *name, u32 unit, json_t *value)
{
	char key[KV_UNIT_KEY];

	put(json, kv_unit_key(name, unit, key), value);
}

json_t *kv_json_clock(const struct kv_clock_info *clock)
{
	json_t *json = json_pack("{s:s, s:s, s:I, s:I, s:b}", "name", clock->name,
				 "unit", kv_unit_name(clock->unit),
				 "mult", (json_int_t)clock->mult,
				 "shift", (json_int_t)clock->shift,
				 "invariant", (int)clock->invariant);

	put_in(json, "cost", clock->unit, kv_json_real(kv_ticks_ns(clock, clock->cost)));
	return json;
}

json_t *kv_json_env(const struct kv_env *env)
{
	json_t *json = json_object();

	put(json, "kverbs", json_string(KVERBS_VERSION));
	put(json, "kernel", json_string(env->kernel));
	put(json, "machine", json_string(env->machine));
	put(json, "cpu", json_string(env->cpu));
	put(json, "virtual_machine", json_boolean(*env->hypervisor));
	put(json, "cpus", integer(env->cpus));
	put(json, "module", *env->module ? json_string(env->module) : json_null());
	put(json, "device", json_string(env->device));
	put(json, "driver", json_string(env->facts.driver));
	put(json, "firmware", json_string(env->facts.fw_ver));
	put(json, "port", integer(env->port));
	put(json, "numa_node", json_integer(env->facts.node));
	put(json, "link", json_string(kv_link_name(env->link)));
	put(json, "software_device", json_boolean(env->facts.software));
	put(json, "loopback", json_true());
	put(json, "variables", json_string(env->variables));
	put(json, "checks", kv_json_health(env->finding));
	return json;
}

static void set_field(json_t *json, const char *member, const char *unit, u32 attr, u64 value)
{
	bool unset = attr != KVERBS_JOB_A_ITERATIONS && value == KV_AUTO;
	kv_name_fn name = kv_field_names(attr);
	char key[KV_UNIT_KEY];

	put(json, kv_field_key(member, unit, key), unset ? json_null() :
	    name ? json_string(name((u32)value)) : integer(value));
}

json_t *kv_json_job(const struct kv_job *job)
{
	json_t *json = json_object(), *cpus = json_array(), *steps = json_array();
	u32 i;

#define KV_JSON_FIELD(attr, member, type, lo, hi, def, letter, name, unit, what) \
	set_field(json, #member, unit, KVERBS_JOB_A_##attr, job->member);
	KV_JOB_FIELDS(KV_JSON_FIELD)
	for (i = 0; i < job->ncpus; i++)
		json_array_append_new(cpus, integer(job->cpu[i]));
	for (i = 0; i < job->nsteps; i++) {
		json_t *step = json_pack("{s:s, s:I}", "op", kv_op_name(job->step[i].op),
					 "size_bytes", (json_int_t)job->step[i].size);

		if (job->step[i].flags & KVERBS_STEP_WAIT)
			json_object_set_new(step, "wait", json_true());
		json_array_append_new(steps, step);
	}
	json_object_set_new(json, "cpus", cpus);
	json_object_set_new(json, "steps", steps);
	return json;
}

/* how samples divide on a clock that counts instructions */
void kv_json_paths(json_t *json, u64 same, u64 other, u64 disturbed, u64 width)
{
	put(json, "same", integer(same));
	put(json, "other", integer(other));
	put(json, "disturbed", integer(disturbed));
	put(json, "bucket_width", integer(width));
}

json_t *kv_json_figure(struct kv_figure figure, u32 unit)
{
	json_t *json = json_object();
	u32 i;

	put(json, "count", integer(figure.count));
	for (i = 0; i < KV_FIGURE_MEMBERS; i++)
		put_in(json, kv_figure_members[i].name, unit,
		       kv_json_real(*kv_figure_value(&figure, i)));
	if (unit == KV_UNIT_INSN)
		kv_json_paths(json, figure.same, figure.other, figure.disturbed, figure.width);
	return json;
}

/* what is so many a second, or a time that the device's delay is in */
static void put_times(json_t *json, const struct kv_summary *s, u32 unit)
{
	put(json, "operations_per_s", kv_json_real(s->ops_s));
	put(json, "bytes_per_s", kv_json_real(s->bytes_s));
	put(json, "delivered_per_s", kv_json_real(s->delivered_s));
	put_in(json, "window", unit, kv_json_real(s->window_s * 1e9));
	put(json, "outstanding_wrs", kv_json_real(s->outstanding));
	put_in(json, "operation", unit, kv_json_real(s->op_ns));
	put(json, "share_post", kv_json_real(s->share_post));
	put(json, "share_poll", kv_json_real(s->share_poll));
	put(json, "share_empty_polls", kv_json_real(s->share_empty));
	put(json, "share_rest", kv_json_real(s->share_rest));
	put_in(json, "warmup", unit, kv_json_real(s->warm_ms * 1e6));
}

/* of the initiators' threads; null when it was not asked for, or nothing was counted */
static json_t *json_pmu(const struct kv_summary *s)
{
	json_t *json;

	if (!s->pmu)
		return json_null();
	json = json_object();
	put(json, "instructions_per_operation", kv_json_real(s->instructions));
	put(json, "cycles_per_operation", kv_json_real(s->cycles));
	put(json, "cache_misses_per_operation", kv_json_real(s->cache_misses));
	put(json, "user_mode_only", json_boolean(s->pmu & KV_PMU_USER_ONLY));
	put(json, "scaled", json_boolean(s->pmu & KV_PMU_SHARED));
	return json;
}

/* an operation; null where it was not counted */
static json_t *json_cpu(const struct kv_report *report)
{
	json_t *json = json_object();

	put(json, "thread_ns", kv_json_real(report->summary.cpu_ns));
	put(json, "responder_thread_ns", kv_json_real(report->summary.peer_cpu_ns));
	put(json, "softirq_ns", kv_json_real(report->noise.softirq_ns));
	put(json, "irq_ns", kv_json_real(report->noise.irq_ns));
	put(json, "kernel_threads_ns", kv_json_real(report->noise.kthreads_ns));
	put(json, "irq_step_ns", kv_json_real(report->noise.step_ns));
	return json;
}

static json_t *json_summary(const struct kv_report *report)
{
	const struct kv_summary *s = &report->summary;
	json_t *json = json_object(), *metrics = json_object();
	u32 unit = report->result->clock.unit, metric;

	for (metric = 0; metric < __KVERBS_METRIC_MAX; metric++) {
		if (s->metric[metric].count)
			json_object_set_new(metrics, kv_metric_name(metric),
					    kv_json_figure(s->metric[metric], unit));
	}
	put(json, "metrics", metrics);
	put(json, "operations", integer(s->ops));
	put_in(json, "post_per_wr", unit, kv_json_real(s->post_wr));
	if (kv_unit_is_time(unit)) {
		put_times(json, s, unit);
		put(json, "cpu", json_cpu(report));
	}
	put(json, "warmup_operations", integer(s->warm_ops));
	put(json, "warmup_unsettled", json_boolean(s->unsettled));
	put(json, "lost", integer(s->lost));
	put(json, "unsent", integer(s->unsent));
	put(json, "achieved", kv_json_real(s->achieved));
	put(json, "delivered", integer(s->delivered));
	put(json, "yields", integer(s->yields));
	put(json, "tainted", integer(s->tainted));
	put(json, "clock_backwards", integer(s->backwards));
	put(json, "switches", integer(s->switches));
	put(json, "preemptions", integer(s->preemptions));
	put(json, "pmu", json_pmu(s));
	return json;
}

/* sparse: of each bucket its lower bound and its count */
json_t *kv_json_hist(const struct kv_hist *hist, const struct kv_clock_info *clock)
{
	json_t *buckets = json_array(), *bucket, *json = json_object();
	u32 i;

	for (i = 0; i < KV_HIST_BUCKETS; i++) {
		if (!hist->bucket[i])
			continue;
		bucket = json_array();
		json_array_append_new(bucket, integer(kv_clock_ns(kv_hist_low(i), clock->mult,
								  clock->shift)));
		json_array_append_new(bucket, integer(hist->bucket[i]));
		json_array_append_new(buckets, bucket);
	}
	put(json, "count", integer(hist->count));
	put_in(json, "sum", clock->unit, integer(kv_clock_ns(hist->sum, clock->mult,
							     clock->shift)));
	put_in(json, "min", clock->unit, integer(hist->count ?
						 kv_clock_ns(hist->min, clock->mult,
							     clock->shift) : 0));
	put_in(json, "max", clock->unit, integer(kv_clock_ns(hist->max, clock->mult,
							     clock->shift)));
	put(json, "over", integer(hist->over));
	put_in(json, "buckets_low", clock->unit, buckets);
	return json;
}

static void set_counter(json_t *json, u32 counter, const char *name, const char *unit, u64 value,
			const struct kv_clock_info *clock)
{
	/* time of another clock than one that counts instructions is none of its figures */
	if (!strcmp(unit, "ns") && !kv_unit_is_time(clock->unit))
		return;
	if (strcmp(unit, "ticks"))
		put(json, name, integer(value));
	else if (kv_unit_has_counter(clock->unit, counter))
		put_in(json, name, clock->unit, integer(kv_clock_ns(value, clock->mult,
								    clock->shift)));
}

/* how the lane itself ended, when it did so by an error */
static json_t *json_lane_error(const struct kv_lane_result *lane)
{
	switch (lane->reason) {
	case KVERBS_REASON_NONE:
	case KVERBS_REASON_COMPLETE:
	case KVERBS_REASON_STOPPED:
		return json_null();
	}
	return json_pack("{s:i, s:I, s:I, s:s, s:I}", "errno", lane->err,
			 "wr", (json_int_t)lane->err_wr,
			 "wc_status", (json_int_t)lane->wc_status,
			 "wc_status_name", kv_wc_status_name(lane->wc_status),
			 "vendor_error", (json_int_t)lane->vendor_err);
}

static json_t *json_lane(const struct kv_lane_result *lane, const struct kv_clock_info *clock,
			 bool histograms)
{
	json_t *counters = json_object(), *hists, *json;
	u32 metric;

#define KV_JSON_COUNTER(attr, member, name, unit) \
	set_counter(counters, KVERBS_CTR_##attr, name, unit, lane->stat.member, clock);
	KV_COUNTERS(KV_JSON_COUNTER)
	json = json_pack("{s:I, s:I, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:s, s:o}",
			 "inline_data_bytes", (json_int_t)lane->inline_data,
			 "index", (json_int_t)lane->index, "role", kv_role_name(lane->role),
			 "cpu", (json_int_t)lane->cpu, "qpn", (json_int_t)lane->qpn,
			 "peer_qpn", (json_int_t)lane->peer_qpn,
			 "sq_depth", (json_int_t)lane->sq_depth,
			 "rq_depth", (json_int_t)lane->rq_depth,
			 "cq_depth", (json_int_t)lane->cq_depth,
			 "reason", kv_reason_name(lane->reason), "counters", counters);
	json_object_set_new(json, "error", json_lane_error(lane));
	if (lane->rw.wrs)
		json_object_set_new(json, "rdma_rw",
				    json_pack("{s:I, s:I, s:I, s:I}",
					      "single", (json_int_t)lane->rw.single,
					      "multiple", (json_int_t)lane->rw.multi,
					      "mr", (json_int_t)lane->rw.mr,
					      "wrs", (json_int_t)lane->rw.wrs));
	if (!histograms)
		return json;
	hists = json_object();
	for (metric = 0; metric < __KVERBS_METRIC_MAX; metric++) {
		if (lane->hist[metric] && kv_unit_has_metric(clock->unit, metric))
			json_object_set_new(hists, kv_metric_name(metric),
					    kv_json_hist(lane->hist[metric], clock));
	}
	json_object_set_new(json, "histograms", hists);
	return json;
}

static json_t *json_noise(const struct kv_noise *noise, u32 unit)
{
	json_t *json;

	if (!noise->known)
		return json_null();
	json = json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:s}",
			 "cpus", (json_int_t)noise->cpus,
			 "timer_interrupts", (json_int_t)noise->timer_irqs,
			 "other_interrupts", (json_int_t)noise->irqs,
			 "softirqs", (json_int_t)noise->softirqs,
			 "machine_context_switches", (json_int_t)noise->switches,
			 "throttles", (json_int_t)noise->throttles,
			 "preemptions", (json_int_t)noise->preemptions,
			 "contaminated", (int)noise->contaminated, "why", noise->why);
	if (kv_unit_is_time(unit)) {
		put_in(json, "span", unit, kv_json_real(noise->span_s * 1e9));
		put_in(json, "steal", unit, kv_json_real(noise->steal_ms * 1e6));
	}
	return json;
}

static json_t *json_checks(const struct kv_checks *checks)
{
	json_t *array = json_array();
	u32 i;

	for (i = 0; i < KV_CHECKS; i++) {
		const struct kv_check *check = &checks->check[i];

		json_t *json = json_object();

		put(json, "name", json_string(check->name));
		put(json, "done", integer(check->done));
		put(json, "failed", integer(check->failed));
		put(json, "largest_relative_difference", kv_json_real(check->worst));
		put(json, "text", json_string(check->text));
		json_array_append_new(array, json);
	}
	return array;
}

/* the labels of the metric that a run is about */
static const char *label_main(const struct kv_report *report)
{
	const char *label = kv_label_time(kv_main_metric(&report->summary));

	return report->summary.metric[kv_main_metric(&report->summary)].count ? label : "";
}

static json_t *json_labels(const struct kv_report *report)
{
	const struct kv_result *result = report->result;
	json_t *array = json_array();
	bool times = kv_unit_is_time(result->clock.unit);
	const char *const label[] = { times ? kv_label_lat(result) : "",
				times ? kv_label_progress(result) : "",
				kv_label_clock(&result->clock),
				times ? label_main(report) : "",
				kv_is_overloaded(&report->summary) ?
				"overloaded, not steady state" : "",
				result->software ? "software device" : "", "loopback" };
	u32 i;

	for (i = 0; i < KV_ARRAY_SIZE(label); i++) {
		if (*label[i])
			json_array_append_new(array, json_string(label[i]));
	}
	return array;
}

static json_t *json_data(const struct kv_result *result)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:o}", "message", (json_int_t)result->err_wr,
			 "offset_bytes", (json_int_t)result->data_offset,
			 "expected", (json_int_t)result->data_expected,
			 "got", (json_int_t)result->data_got, "is_message",
			 result->data_found == KV_DATA_NONE ? json_null() :
							      integer(result->data_found));
}

static json_t *json_error(const struct kv_result *result)
{
	char text[KV_ERROR_TEXT];
	json_t *json;

	if (result->state != KVERBS_STATE_FAILED)
		return json_null();
	kv_explain(result, text, sizeof(text));
	json = json_pack("{s:s, s:i, s:s, s:I, s:I, s:I, s:s, s:I, s:s}", "text", text,
			 "errno", result->err, "where", result->where,
			 "lane", (json_int_t)result->err_lane, "wr", (json_int_t)result->err_wr,
			 "wc_status", (json_int_t)result->wc_status,
			 "wc_status_name", kv_wc_status_name(result->wc_status),
			 "vendor_error", (json_int_t)result->vendor_err,
			 "qp_state", kv_qp_state_name(result->qp_state));
	put(json, "peer_qp_state", json_string(kv_qp_state_name(result->peer_qp_state)));
	if (result->reason == KVERBS_REASON_DATA)
		put(json, "data", json_data(result));
	return json;
}

/* the error that was to come, and whether it did */
static json_t *json_provoked(const struct kv_result *result)
{
	const struct kv_provoke_rule *rule = &kv_provoke_rules[result->granted.provoke];
	bool came = kv_provoked(result);

	if (!result->granted.provoke)
		return json_null();
	return json_pack("{s:s, s:s, s:s, s:b}", "name", rule->name, "what", rule->what,
			 "expected", kv_provoked_name(rule),
			 "came", came);
}

/**
 * kv_json_report - one run
 * @report: of the run
 * @histograms: with its full histograms
 * Return: new object
 */
json_t *kv_json_report(const struct kv_report *report, bool histograms)
{
	const struct kv_result *result = report->result;
	json_t *lanes = json_array(), *json;
	u32 i;

	for (i = 0; i < result->nlanes; i++)
		json_array_append_new(lanes, json_lane(&result->lane[i], &result->clock,
						       histograms));
	json = json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:I, s:I, s:o, s:o, s:o, s:o, s:o}",
			 "engine", result->engine, "state", kv_state_name(result->state),
			 "reason", kv_reason_name(result->reason), "error", json_error(result),
			 "labels", json_labels(report), "asked", kv_json_job(&result->job),
			 "granted", kv_json_job(&result->granted),
			 "gid_type", (json_int_t)result->gid_type,
			 "memory_bytes", (json_int_t)result->bytes,
			 "clock", kv_json_clock(&result->clock),
			 "summary", json_summary(report),
			 "noise", json_noise(&report->noise, result->clock.unit),
			 "checks", json_checks(&report->checks), "lanes", lanes);
	put(json, "provoked", json_provoked(result));
	if (report->beside)
		put(json, "beside", kv_json_report(report->beside, false));
	return json;
}

/**
 * kv_json_print - print JSON and free it
 * @file: where to
 * @json: object, may be NULL without memory
 * @error: filled on failure
 * Return: 0, or -1
 */
int kv_json_print(FILE *file, json_t *json, struct kv_error *error)
{
	int rc = json ? json_dumpf(json, file, JSON_COMPACT | JSON_REAL_PRECISION(9)) : -1;

	json_decref(json);
	if (rc || fputc('\n', file) == EOF || fflush(file))
		return kv_error_set(error, KV_EXIT_ENVIRONMENT, "cannot write JSON");
	return 0;
}
