// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The report of a run for people. */
#include <math.h>
#include <string.h>
#include "kverbs.h"
#include "pmu.h"
#include "report.h"
#include "unit.h"

#define CPUS_SHOWN	16

/**
 * kv_text_value - a figure with as many digits as make sense
 * @value: in @unit, or NaN
 * @unit: enum kv_unit; instructions are whole, and only a share of them is not
 * @text: filled, "-" for NaN
 * Return: @text
 */
const char *kv_text_value(double value, u32 unit, char text[KV_TEXT])
{
	bool digit = kv_unit_is_time(unit) ? fabs(value) < 100 : value != floor(value);

	if (isnan(value))
		strcpy(text, "-");
	else
		snprintf(text, KV_TEXT, digit ? "%.1f" : "%.0f", value);
	return text;
}

/* something a second, with its decimal prefix: "12.3 M" */
const char *kv_text_rate(double per_second, char text[KV_TEXT])
{
	static const char prefix[] = " kMGT";
	u32 i = 0;

	if (isnan(per_second)) {
		strcpy(text, "-");
		return text;
	}
	while (per_second >= 999.95 && i < sizeof(prefix) - 2) {
		per_second /= 1000;
		i++;
	}
	snprintf(text, KV_TEXT, "%.*f %.1s", per_second < 10 ? 2 : 1, per_second,
		 i ? prefix + i : "");
	return text;
}

/* a size that may be a whole number of KiB or MiB */
const char *kv_text_size(u64 bytes, char text[KV_TEXT])
{
	if (bytes >= 1 << 20 && !(bytes & ((1 << 20) - 1)))
		snprintf(text, KV_TEXT, "%llu MiB", bytes >> 20);
	else if (bytes >= 1 << 10 && !(bytes & ((1 << 10) - 1)))
		snprintf(text, KV_TEXT, "%llu KiB", bytes >> 10);
	else
		snprintf(text, KV_TEXT, "%llu B", bytes);
	return text;
}

/* what makes the figures below less than they could be */
static void print_warnings(FILE *file, const struct kv_env *env)
{
	u32 i;

	for (i = 0; i < KV_HEALTH_CHECKS; i++) {
		if (kv_health_warns(env->finding, i))
			fprintf(file, "%swarning%s: %s: %s; %s\n", kv_bold(file), kv_plain(file),
				kv_health_rules[i].name, env->finding[i].value,
				kv_health_rules[i].advice);
	}
}

/**
 * kv_print_env - the lines that head every report
 * @file: where to
 * @env: where it was measured
 */
void kv_print_env(FILE *file, const struct kv_env *env)
{
	fprintf(file, "%s%s port %u%s: %s, driver %s%s%s%s, loopback on one port\n", kv_bold(file),
		env->device, env->port, kv_plain(file), kv_link_name(env->link),
		env->facts.driver, *env->facts.fw_ver ? ", firmware " : "", env->facts.fw_ver,
		env->facts.software ? ", software device" : "");
	fprintf(file, "kernel %s, %s%s, %u CPU%s; kverbs %s, module %s\n", env->kernel,
		*env->cpu ? env->cpu : env->machine, *env->hypervisor ? " (virtual machine)" : "",
		env->cpus, env->cpus > 1 ? "s" : "", KVERBS_VERSION,
		*env->module ? env->module : "not loaded");
	if (*env->variables)
		fprintf(file, "environment: %s\n", env->variables);
	print_warnings(file, env);
}

static void print_cpus(FILE *file, const struct kv_result *result)
{
	u32 i;

	fputs(result->nlanes > 1 ? "lanes on CPUs" : "lane on CPU", file);
	for (i = 0; i < result->nlanes && i < CPUS_SHOWN; i++)
		fprintf(file, "%s%u", i ? "," : " ", result->lane[i].cpu);
	if (i < result->nlanes)
		fputs(",...", file);
}

static void print_path(FILE *file, const struct kv_result *result)
{
	const struct kv_job *job = &result->granted;

	if (kv_job_iwarp(job))
		fprintf(file, "path: TCP, connected by rdma_cm, %u READs outstanding",
			job->rd_atomic);
	else
		fprintf(file, "path: SL %u, traffic class %u, hop limit %u, P_Key index %u",
			job->sl, job->traffic_class, job->hop_limit, job->pkey_index);
	if (!kv_job_iwarp(job) && kv_transport_rules[job->transport].acked)
		fprintf(file,
			", timeout %u, %u retries, %u of RNR (timer %u), %u READs or atomics outstanding",
			job->timeout, job->retry_cnt, job->rnr_retry, job->min_rnr_timer,
			job->rd_atomic);
	if (!kv_job_iwarp(job) && job->connect == KVERBS_CONNECT_CM)
		fputs(", connected by rdma_cm", file);
	if (job->sges > 1)
		fprintf(file, "; %u SGEs a %s", job->sges,
			kv_job_rw(job) ? "WR at most" : "message");
	if (job->inline_data)
		fprintf(file, "; sent inline, up to %u bytes", result->lane[0].inline_data);
	fputc('\n', file);
}

/* which memory messages touch, when that is more, or colder, than one place */
static void print_places(FILE *file, const struct kv_job *job)
{
	char span[KV_TEXT];

	if (!kv_job_aims(job) && !job->cold && job->memory == KV_AUTO && job->mr_page == KV_AUTO)
		return;
	fputs("memory: ", file);
	if (job->pattern != KVERBS_PATTERN_FIXED)
		fprintf(file, "%s over %s, %u places of each end", kv_pattern_name(job->pattern),
			kv_text_size(job->span, span), kv_job_places(job));
	else
		fputs("one place of each end", file);
	fprintf(file, ", %u MR%s", job->mrs, job->mrs > 1 ? "s in turn" : "");
	if (job->memory != KV_AUTO)
		fprintf(file, ", %s", kv_memory_name(job->memory));
	if (job->mr_page != KV_AUTO)
		fprintf(file, ", MR pages of %s", kv_text_size(job->mr_page, span));
	if (job->cold)
		fputs(", WR and payload evicted from caches before each post", file);
	fputc('\n', file);
}

/* how the receives that messages took are posted again, where it is not poll by poll */
static void print_refill(FILE *file, const struct kv_job *job)
{
	if (job->refill == KVERBS_REFILL_EACH)
		fputs(", one post call each", file);
	else if (job->refill == KVERBS_REFILL_WATERMARK)
		fprintf(file, ", again when %u are left", job->low_water);
	else if (job->recv_chain != KV_AUTO)
		fprintf(file, ", in chains of %u", job->recv_chain);
	if (job->srq)
		fputs(", in one SRQ", file);
	if (job->srq_limit != KV_AUTO)
		fprintf(file, " (an event below %u)", job->srq_limit);
}

/* how rdma_rw did what was asked of it: of all operations, those of the warm-up too */
static void print_rw(FILE *file, const struct kv_result *result)
{
	struct kv_rw_result all = { 0 };
	u64 ops;
	u32 i;

	for (i = 0; i < result->nlanes; i++) {
		all.single += result->lane[i].rw.single;
		all.multi += result->lane[i].rw.multi;
		all.mr += result->lane[i].rw.mr;
		all.wrs += result->lane[i].rw.wrs;
	}
	ops = all.single + all.multi + all.mr;
	if (!ops)
		return;
	fputs(", which made of them", file);
	if (all.single)
		fprintf(file, " one WR %llu times", all.single);
	if (all.multi)
		fprintf(file, " several WRs or SGEs %llu times", all.multi);
	if (all.mr)
		fprintf(file, " REG_MR and a WR %llu times", all.mr);
	fprintf(file, ", %.1f WRs an operation", (double)all.wrs / (double)ops);
}

static void print_granted(FILE *file, const struct kv_env *env, const struct kv_result *result)
{
	const struct kv_job *job = &result->granted;
	char size[KV_TEXT], memory[KV_TEXT], steps[KV_STEPS_TEXT];

	fprintf(file, "%s%s engine%s: %s of %s over %s, shape %s, %u pair%s%s, ",
		kv_bold(file), result->engine, kv_plain(file), kv_steps_name(job, steps),
		kv_text_size(kv_job_size(job), size), kv_transport_name(job->transport),
		kv_shape_name(job->shape), job->pairs,
		job->pairs > 1 ? "s" : "", job->bidirectional ? " in both directions" : "");
	if (job->lane_qps > 1)
		fprintf(file, "%u QPs a lane in turn%s, ", job->lane_qps,
			job->cq == KVERBS_CQ_QP ? " with a CQ each" : "");
	if (job->cq == KVERBS_CQ_SHARED)
		fputs("one CQ for all QPs, ", file);
	if (kv_job_flushes(job))
		fprintf(file, "flush %s of the %s, ", kv_flush_type_name(job->flush_type),
			job->flush_level == KVERBS_FLUSH_LEVEL_MR ? "MR" : "range");
	fprintf(file, "%u outstanding, ", job->outstanding);
	if (job->chain > 1)
		fprintf(file, "chains of %u WRs, ", job->chain);
	if (job->signal > 1)
		fprintf(file, "one WR in %u signalled\n", job->signal);
	else
		fputs("every WR signalled\n", file);
	if (!result->nlanes)
		return;
	print_places(file, job);
	fputs("granted: ", file);
	if (job->gid_index != KV_AUTO)
		fprintf(file, "GID %u (%s), ", job->gid_index,
			kv_gid_type_name(env->link, result->gid_type));
	fprintf(file, "MTU %u bytes, SQ %u, RQ %u, CQ %u entries, local key %s, %s of memory\n",
		job->mtu, result->lane[0].sq_depth, result->lane[0].rq_depth,
		result->lane[0].cq_depth, kv_local_key_name(job->local_key),
		kv_text_size(result->bytes, memory));
	print_path(file, result);
	print_cpus(file, result);
	fprintf(file, ", context %s", kv_context_name(job->context));
	if (job->spin_us != KV_AUTO)
		fprintf(file, " (polls for %u us first)", job->spin_us);
	if (job->cq_count != KV_AUTO)
		fprintf(file, " (an event after %u CQEs or %u us)", job->cq_count,
			job->cq_period_us);
	if (job->comp_vector != KV_AUTO)
		fprintf(file, " (completion vector %u%s)", job->comp_vector,
			result->nlanes > 1 && job->cq != KVERBS_CQ_SHARED ?
			", of lane 1 the next" : "");
	if (job->post_from != KV_AUTO)
		fprintf(file, " (posts from the %s)", kv_post_from_name(job->post_from));
	fprintf(file, ", wait %s, timing %s, %u WC%s a poll", kv_wait_name(job->wait),
		kv_timing_name(job->timing), job->poll_batch, job->poll_batch > 1 ? "s" : "");
	if (job->recv_depth)
		fprintf(file, ", %u receives posted", job->recv_depth);
	print_refill(file, job);
	if (job->reg != KVERBS_REG_ONCE)
		fprintf(file, ", registration %s (%s)", kv_reg_name(job->reg),
			result->engine == kv_engine_user.name ?
			kv_reg_rules[job->reg].user : kv_reg_rules[job->reg].kernel);
	print_rw(file, result);
	if (kv_job_exchanges(job))
		fprintf(file, ", the peer's %s, %s",
			kv_op_name(job->step[0].op),
			job->exchange_inv == KVERBS_EXCHANGE_INV_LOCAL ?
			"its SEND, LOCAL_INV" : "its SEND_WITH_INV");
	if (job->dma_map == KVERBS_DMA_MAP_ONCE)
		fputs(", mapped for DMA once", file);
	if (job->recover != KV_AUTO)
		fprintf(file, ", recovers by %s", kv_recover_name(job->recover));
	if (job->storm != KV_AUTO)
		fprintf(file, ", %u %s%s set up at once", job->storm,
			job->connect == KVERBS_CONNECT_CM ? "connection" : "QP",
			job->storm > 1 ? "s" : "");
	if (job->sg_list == KVERBS_SG_LIST_PAGES || job->sg_list == KVERBS_SG_LIST_GAPS)
		fprintf(file, ", SG lists of %u %s", kv_job_sg_entries(job),
			job->sg_list != KVERBS_SG_LIST_GAPS ? "pages" :
			kv_job_rw(job) ? "parts of pages" : "parts of pages (SG_GAPS)");
	if (job->odp)
		fprintf(file, ", pages on demand (%s)", kv_odp_name(job->odp));
	if (job->access == KVERBS_ACCESS_NEEDED)
		fputs(", MRs and QPs allow what is needed", file);
	if (job->relaxed_ordering != KV_AUTO)
		fprintf(file, ", relaxed ordering %s (%s)",
			kv_relaxed_ordering_name(job->relaxed_ordering),
			result->engine == kv_engine_user.name ?
			"as asked for by ibv_reg_mr" : "as the driver does");
	if (job->check_data)
		fputs(", data checked (rates include it)", file);
	if (result->engine == kv_engine_user.name)
		fprintf(file, ", by %s%s", kv_api_calls(job->api),
			job->thread_domain ? ", a thread domain each" : "");
	fputc('\n', file);
	if (job->provoke)
		fprintf(file, "provoked %s, after %u good operations: %s\n",
			kv_provoke_name(job->provoke), KV_PROVOKE_AFTER,
			kv_provoke_rules[job->provoke].what);
}

static void print_clock(FILE *file, const struct kv_clock_info *clock)
{
	const char *label = kv_label_clock(clock);
	char cost[KV_TEXT];

	fprintf(file, "clock %s, %s %s a reading%s%s\n", clock->name,
		kv_text_value(kv_ticks_ns(clock, clock->cost), clock->unit, cost),
		kv_unit_name(clock->unit), *label ? ", " : "", label);
}

static void print_figure(FILE *file, const char *name, const struct kv_figure *figure,
			 double factor, const char *label)
{
	const double value[] = { figure->min, figure->mean, figure->p50, figure->p90,
				 figure->p99, figure->p999, figure->max };
	char text[KV_TEXT];
	u32 i;

	fprintf(file, "%-13s %9llu", name, figure->count);
	for (i = 0; i < KV_ARRAY_SIZE(value); i++)
		fprintf(file, " %10s", kv_text_value(value[i] * factor, KV_UNIT_NS, text));
	fprintf(file, "%s%s\n", *label ? "  " : "", label);
}

/* of instructions: the number, and how many samples are it */
static void print_count(FILE *file, const char *name, const struct kv_figure *figure,
			double factor)
{
	const double value[] = { figure->p50, figure->min, figure->max };
	char text[3][KV_TEXT];
	u32 i;

	for (i = 0; i < KV_ARRAY_SIZE(value); i++)
		kv_text_value(value[i] * factor, KV_UNIT_INSN, text[i]);
	fprintf(file, "%-13s %9llu %10s %10llu %10llu %10llu %10s %10s\n", name, figure->count,
		text[0], figure->same, figure->other, figure->disturbed, text[1], text[2]);
}

static void print_counts(FILE *file, const struct kv_report *report)
{
	const struct kv_result *result = report->result;
	u32 metric;

	fprintf(file, "\n%s%-13s %9s %10s %10s %10s %10s %10s %10s%s\n", kv_bold(file),
		kv_unit_name(result->clock.unit), "count", "p50", "same", "other", "disturbed",
		"min", "max", kv_plain(file));
	for (metric = 0; metric < __KVERBS_METRIC_MAX; metric++) {
		const struct kv_figure *figure = &report->summary.metric[metric];

		if (!figure->count)
			continue;
		print_count(file, kv_metric_name(metric), figure, 1);
		if (metric == KVERBS_METRIC_POST && result->granted.chain > 1)
			print_count(file, "post/WR", figure, 1.0 / result->granted.chain);
	}
	fprintf(file,
		"same: samples that are p50; other: another path, as where a queue wraps; disturbed: %u or more above p50, hit by an interrupt\n",
		KV_INSN_INTERRUPT);
}

/* handlers do the work of the lanes */
static bool handled(const struct kv_result *result)
{
	return result->granted.post_from == KVERBS_POST_FROM_HANDLER;
}

static void print_metrics(FILE *file, const struct kv_report *report)
{
	const struct kv_result *result = report->result;
	char label[128];
	u32 metric;

	fprintf(file, "\n%s%-13s %9s %10s %10s %10s %10s %10s %10s %10s%s\n", kv_bold(file),
		kv_unit_name(result->clock.unit), "count", "min", "mean", "p50", "p90",
		"p99", "p99.9", "max", kv_plain(file));
	for (metric = 0; metric < __KVERBS_METRIC_MAX; metric++) {
		const struct kv_figure *figure = &report->summary.metric[metric];

		if (!figure->count)
			continue;
		label[0] = '\0';
		if (metric == KVERBS_METRIC_LAT)
			snprintf(label, sizeof(label), "%s; %s%s%s", kv_label_time(metric),
				 kv_label_lat(result), result->software ? "; " : "",
				 kv_label_progress(result));
		else if (metric == KVERBS_METRIC_RESPONSE)
			snprintf(label, sizeof(label), "%s, from the intended start",
				 kv_label_time(metric));
		else if (metric == KVERBS_METRIC_RTT)
			snprintf(label, sizeof(label), "%s", kv_label_progress(result));
		else if (metric == KVERBS_METRIC_HANDLER)
			snprintf(label, sizeof(label), "event raised to %s running",
				 handled(result) ? "handler" : "lane");
		print_figure(file, kv_metric_name(metric), figure, 1, label);
		/* the two ways of an exchange are no halves of it */
		if (metric == KVERBS_METRIC_RTT && !kv_job_exchanges(&result->granted))
			print_figure(file, "rtt/2", figure, 0.5, label);
		if (metric == KVERBS_METRIC_POST && result->granted.chain > 1)
			print_figure(file, "post/WR", figure, 1.0 / result->granted.chain, "");
	}
	if (result->granted.timing == KVERBS_TIMING_NONE)
		fputs("(timing none: rates only)\n", file);
}

static const char *operations(const struct kv_report *report)
{
	return kv_shape_rules[report->result->granted.shape].counted;
}

static void print_messages(FILE *file, const struct kv_report *report)
{
	fprintf(file, "\n%llu %s after a warm-up of %llu\n", report->summary.ops,
		operations(report), report->summary.warm_ops);
}

static void print_pace(FILE *file, const struct kv_report *report)
{
	const struct kv_job *job = &report->result->granted;
	const struct kv_summary *s = &report->summary;
	char rate[KV_TEXT];

	if (isnan(s->achieved))
		return;
	fprintf(file,
		"%s intervals, %s/s a pair: %.1f %% of the intended starts posted, %llu unsent",
		kv_pace_name(job->pace), kv_text_rate(job->pace_rate, rate), 100 * s->achieved,
		s->unsent);
	if (kv_is_overloaded(s))
		fputs("; overloaded, not steady state", file);
	fputc('\n', file);
}

static void print_rates(FILE *file, const struct kv_report *report)
{
	const struct kv_summary *s = &report->summary;
	char ops[KV_TEXT], bytes[KV_TEXT], text[KV_TEXT];

	fprintf(file, "\n%llu %s in %.3f s: %s%s/s, %sB/s, %s ns each", s->ops,
		operations(report), s->window_s, kv_text_rate(s->ops_s, ops),
		operations(report), kv_text_rate(s->bytes_s, bytes),
		kv_text_value(s->op_ns, KV_UNIT_NS, text));
	if (!isnan(s->outstanding) && !kv_shape_rules[report->result->granted.shape].control)
		fprintf(file, "; %.2f WRs outstanding on average", s->outstanding);
	fputc('\n', file);
	print_pace(file, report);
	if (s->flushed)
		fprintf(file, "%llu WRs flushed, all that were outstanding\n", s->flushed);
	if (report->result->granted.srq_limit != KV_AUTO)
		fprintf(file, "the SRQ fell below its limit %llu times\n", s->srq_limits);
	if (!isnan(s->share_post)) {
		fprintf(file, "time of the initiators: %.1f %% in post", 100 * s->share_post);
		if (!isnan(s->share_poll))
			fprintf(file, ", %.1f %% in polls that found a WC, %.1f %% in empty polls",
				100 * s->share_poll, 100 * s->share_empty);
		else
			fprintf(file, ", %.1f %% from post to WC", 100 * s->share_empty);
		fprintf(file, ", %.1f %% in the rest\n", 100 * s->share_rest);
	}
	if (!kv_transport_rules[report->result->granted.transport].acked &&
	    kv_job_two_sided(&report->result->granted))
		fprintf(file,
			"%llu messages delivered, %s/s; %llu lost, warm-up included (sent is not delivered: %s has no acknowledgements)\n",
			s->delivered, kv_text_rate(s->delivered_s, text), s->lost,
			kv_transport_name(report->result->granted.transport));
	fprintf(file, "warm-up %.1f ms, %llu operations%s\n", s->warm_ms, s->warm_ops,
		s->unsettled ? ", not settled: no two of its windows agreed within 10 %" : "");
	if (s->tainted || s->backwards)
		fprintf(file, "%llu samples contain a yield; the clock stepped back %llu times\n",
			s->tainted, s->backwards);
}

/* how those that sleep came to their completions; the lanes' sums */
static void print_events(FILE *file, const struct kv_result *result)
{
	u64 arms = 0, missed = 0, sleeps = 0, events = 0;
	u32 i;

	if (!kv_context_rules[result->granted.context].sleeps || handled(result))
		return;
	for (i = 0; i < result->nlanes; i++) {
		arms += result->lane[i].stat.arms;
		missed += result->lane[i].stat.missed;
		sleeps += result->lane[i].stat.sleeps;
		events += result->lane[i].stat.events;
	}
	fprintf(file,
		"completion events: asked for %llu times (%llu: a WC was there already), %llu sleeps, %llu ended by one\n",
		arms, missed, sleeps, events);
}

/* of instructions: what hit samples, which are counted apart, and no time */
static void print_interrupts(FILE *file, const struct kv_noise *noise)
{
	if (noise->known)
		fprintf(file,
			"on %u CPU%s, warm-up included: %llu timer and %llu other interrupts, %llu softirqs, lanes preempted %llu times\n",
			noise->cpus, noise->cpus > 1 ? "s" : "", noise->timer_irqs, noise->irqs,
			noise->softirqs, noise->preemptions);
}

static void print_noise(FILE *file, const struct kv_noise *noise)
{
	if (!noise->known)
		return;
	fprintf(file,
		"on %u CPU%s in %.3f s, warm-up included: %llu timer and %llu other interrupts, %llu softirqs, %.0f ms stolen",
		noise->cpus, noise->cpus > 1 ? "s" : "", noise->span_s, noise->timer_irqs,
		noise->irqs, noise->softirqs, noise->steal_ms);
	if (noise->preemptions)
		fprintf(file, ", lanes preempted %llu times", noise->preemptions);
	if (noise->contaminated)
		fprintf(file, "; %scontaminated%s: %s", kv_bold(file), kv_plain(file), noise->why);
	fputc('\n', file);
}

/* an operation, of what the kernel counts, and of nothing that it samples */
static void print_cpu(FILE *file, const struct kv_report *report)
{
	const struct kv_noise *noise = &report->noise;
	char text[KV_TEXT];

	if (isnan(report->summary.cpu_ns))
		return;
	fprintf(file, "CPU time, each operation: thread %s ns",
		kv_text_value(report->summary.cpu_ns, KV_UNIT_NS, text));
	if (!isnan(report->summary.peer_cpu_ns))
		fprintf(file, ", responder's %s ns",
			kv_text_value(report->summary.peer_cpu_ns, KV_UNIT_NS, text));
	if (isnan(noise->step_ns)) {
		fputs(", softirq n/a, irq n/a (tick-sampled; in a thread's that it interrupts)",
		      file);
	} else {
		fprintf(file, ", softirq %s ns",
			kv_text_value(noise->softirq_ns, KV_UNIT_NS, text));
		fprintf(file, ", irq %s ns",
			kv_text_value(noise->irq_ns, KV_UNIT_NS, text));
		fprintf(file, " (in steps of %s ns)",
			kv_text_value(noise->step_ns, KV_UNIT_NS, text));
	}
	if (isnan(noise->kthreads_ns))
		fputs(", other kernel threads n/a", file);
	else
		fprintf(file, ", other kernel threads %s ns",
			kv_text_value(noise->kthreads_ns, KV_UNIT_NS, text));
	fputs("; warm-up included\n", file);
}

/**
 * kv_print_beside - the line of the run beside the measured one, if there was one
 * @file: where to
 * @report: of the measured run
 */
void kv_print_beside(FILE *file, const struct kv_report *report)
{
	const struct kv_report *beside = report->beside;
	char steps[KV_STEPS_TEXT], size[KV_TEXT], ops[KV_TEXT], bytes[KV_TEXT];
	const struct kv_result *result;

	if (!beside)
		return;
	result = beside->result;
	fprintf(file, "beside: %s engine: %s of %s, %s, ", result->engine,
		kv_steps_name(&result->granted, steps),
		kv_text_size(kv_job_size(&result->granted), size),
		kv_shape_name(result->granted.shape));
	print_cpus(file, result);
	fprintf(file, ": %s%s/s, %sB/s in %.3f s", kv_text_rate(beside->summary.ops_s, ops),
		operations(beside), kv_text_rate(beside->summary.bytes_s, bytes),
		beside->summary.window_s);
	if (beside->failed_checks)
		fputs("; its own checks failed", file);
	if (kv_beside_failed(report))
		fprintf(file, "; %sended early%s: %s", kv_bold(file), kv_plain(file),
			kv_reason_name(result->reason));
	fputc('\n', file);
}

static void print_pmu(FILE *file, const struct kv_report *report)
{
	const struct kv_summary *s = &report->summary;
	char text[3][KV_TEXT];

	if (report->result->granted.pmu == KVERBS_PMU_OFF)
		return;
	if (!s->pmu) {
		fputs("PMU: n/a (this CPU offers none here, or it is not permitted)\n", file);
		return;
	}
	fprintf(file,
		"PMU, each operation of the initiators: %s instructions, %s cycles, %s cache misses; warm-up and interrupts included%s%s\n",
		kv_text_value(s->instructions, KV_UNIT_NS, text[0]),
		kv_text_value(s->cycles, KV_UNIT_NS, text[1]),
		kv_text_value(s->cache_misses, KV_UNIT_NS, text[2]),
		s->pmu & KV_PMU_USER_ONLY ? ", user mode alone" : "",
		s->pmu & KV_PMU_SHARED ? ", scaled from part of the time" : "");
}

static void print_checks(FILE *file, const struct kv_report *report)
{
	const struct kv_check *check;
	u32 i, done = 0;

	for (i = 0; i < KV_CHECKS; i++) {
		check = &report->checks.check[i];
		done += check->done;
		if (check->failed)
			fprintf(file, "%sCHECK FAILED%s: %s: %s\n", kv_bold(file),
				kv_plain(file), check->name, check->text);
	}
	if (!report->failed_checks && done)
		fprintf(file,
			"checks: Little's law within %.2f %%, times add up within %.2f %%, all WRs accounted for\n",
			100 * report->checks.check[KV_CHECK_LITTLE].worst,
			100 * report->checks.check[KV_CHECK_TIME].worst);
}

/**
 * kv_print_report - the report of one run
 * @file: where to
 * @env: where it was measured
 * @report: of the run
 */
void kv_print_report(FILE *file, const struct kv_env *env, const struct kv_report *report)
{
	const struct kv_result *result = report->result;

	kv_print_env(file, env);
	print_granted(file, env, result);
	print_clock(file, &result->clock);
	if (!result->nlanes)
		return;
	if (kv_unit_is_time(result->clock.unit)) {
		print_metrics(file, report);
		print_rates(file, report);
		print_noise(file, &report->noise);
		print_cpu(file, report);
	} else {
		print_counts(file, report);
		print_messages(file, report);
		print_interrupts(file, &report->noise);
	}
	kv_print_beside(file, report);
	print_pmu(file, report);
	print_events(file, result);
	print_checks(file, report);
	if (result->reason != KVERBS_REASON_COMPLETE)
		fprintf(file, "ended early: %s\n", kv_reason_name(result->reason));
}
