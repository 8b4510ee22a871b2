// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Lanes: kernel threads that run the loop. */
#include <linux/kthread.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "clock.h"
#include "lane.h"
#include "pmu.h"
#include "run.h"
#include "verbs.h"

#define KV_TURN		(3 * HZ / 100)	/* jiffies without a look of the lane */
#define KV_GRACE_MS	50	/* wait for completions after a gentle stop */

static_assert((u32)KV_LANE_GO == (u32)KV_STOP_NONE);
static_assert((u32)KV_LANE_FINISH == (u32)KV_STOP_SOON);
static_assert((u32)KV_LANE_ABANDON == (u32)KV_STOP_NOW);
static_assert(KV_ID_STEP == KV_EP_ID_STEP);
static_assert(sizeof(struct kv_chain) == KV_CHAIN_BYTES);

/* what shape paced has beside the others; freed with the lane */
static int kv_lane_pace(struct kv_loop *l, const struct kv_job *job, u32 ring)
{
	u64 *gap;

	gap = kvcalloc(kv_pace_gaps(job), sizeof(*gap), GFP_KERNEL);
	l->gap = gap;
	l->due = kvcalloc(ring, sizeof(*l->due), GFP_KERNEL);
	if (!gap || !l->due)
		return -ENOMEM;
	l->gaps = kv_pace_gaps(job);
	l->gap_mean = kv_pace_fill(job, kv_clock_ticks(job->clock, 1000), gap);
	l->gap_drawn = job->pace == KVERBS_PACE_POISSON;
	return 0;
}

/* the handler of a lane whose work handlers do */
static void kv_lane_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct kv_done *done = container_of(wc->wr_cqe, struct kv_done, cqe);
	struct kv_ep *ep = done->ep;
	bool wake = false;

	spin_lock_bh(&ep->callback.lock);
	/*
	 * What posts from a softirq may keep a software device in softirqs for
	 * ever, and the lane from running: leave the next turn to it.
	 */
	if (ep->loop->driven && time_after(jiffies, ep->attended + KV_TURN)) {
		ep->loop->driven = 0;
		wake = true;
	}
	if (ep->loop->driven) {
		ep->wc[0] = *wc;
		ep->wc[0].wr_id = done->id;
		kv_react(ep->loop);
		wake = ep->loop->over;
	} else {
		kv_context_keep(ep, wc, done->id);
	}
	spin_unlock_bh(&ep->callback.lock);
	if (wake)
		kv_context_wake(ep);
}

int kv_lane_prepare(struct kv_lane *lane, const struct kv_job *job,
		    struct kv_ep *ep, const struct kv_ep *peer,
		    struct kv_lane *other)
{
	u32 ring = roundup_pow_of_two(job->outstanding + 1);
	struct kv_loop *l;
	u32 metric;

	l = kvzalloc(sizeof(*l), GFP_KERNEL);
	if (!l)
		return -ENOMEM;
	lane->loop = l;
	l->ep = ep;
	l->chains = kvcalloc(ring, sizeof(*l->chains), GFP_KERNEL);
	if (!l->chains)
		return -ENOMEM;
	if (other) {
		l->pair = other->loop->pair;
	} else {
		l->pair = kzalloc(sizeof(*l->pair), GFP_KERNEL);
		if (!l->pair)
			return -ENOMEM;
		l->pair->measured_from = KV_UNSET;
		l->pair->total = KV_UNSET;
		l->pair->seed = get_random_u64();
	}
	if (lane->role == KVERBS_ROLE_INITIATOR && kv_pace_gaps(job) &&
	    kv_lane_pace(l, job, ring))
		return -ENOMEM;
	for (metric = 0; metric < __KVERBS_METRIC_MAX; metric++) {
		if (!kv_job_has_metric(job, lane->role, metric))
			continue;
		l->hist[metric] = kvmalloc(sizeof(*l->hist[metric]), GFP_KERNEL);
		if (!l->hist[metric])
			return -ENOMEM;
		kv_hist_clear(l->hist[metric]);
	}
	l->iterations = job->iterations;
	l->span = kv_clock_ticks(job->clock, job->duration_ms);
	l->delay = kv_job_delay(job, kv_clock_ticks(job->clock, 1000));
	l->delay_at = job->delay_at;
	l->warm = kv_clock_ticks(job->clock, job->warmup_ms);
	l->deadline = kv_clock_ticks(job->clock, job->deadline_ms);
	l->grace = kv_clock_ticks(job->clock, KV_GRACE_MS);
	l->size = kv_job_payload(job);
	if (job->context == KVERBS_CONTEXT_HYBRID)
		l->spin = kv_clock_ticks_us(job->clock, job->spin_us);
	l->sleeps = kv_context_rules[job->context].sleeps;
	l->handled = job->post_from == KVERBS_POST_FROM_HANDLER;
	l->chain_mask = ring - 1;
	l->depth = job->outstanding;
	l->chain = job->chain;
	l->signal = job->signal;
	l->batch = job->poll_batch;
	l->recv_depth = job->recv_depth;
	l->nrings = kv_job_rings(job);
	l->ring_depth = kv_job_ring_depth(job);
	kv_job_refill(job, &l->refill_from, &l->refill_chain);
	l->limit = kv_job_limit(job, lane->role);
	l->rings = kvcalloc(l->nrings, sizeof(*l->rings), GFP_KERNEL);
	if (!l->rings)
		return -ENOMEM;
	l->timing = job->timing;
	l->two_sided = kv_job_two_sided(job);
	l->turns = job->lane_qps;
	l->lossy = !kv_transport_rules[job->transport].acked;
	l->credit = kv_job_credit(job);
	l->taken = kv_job_taken(job, lane->role);
	l->provoke = job->provoke;
	if (job->provoke == KVERBS_PROVOKE_CQ_OVERFLOW) {
		l->wide = l->depth;
		l->depth = KV_PROVOKE_WINDOW;
	}
	l->control = kv_shape_rules[job->shape].control;
	l->storm = job->storm;
	l->storm_qps = kv_job_storm_qps(job);
	l->cm = job->connect == KVERBS_CONNECT_CM;
	l->theirs = kv_job_theirs(job);
	l->recreate = job->recover == KVERBS_RECOVER_RECREATE;
	kv_job_reg_calls(job, &l->reg);
	l->nphases = kv_job_phases(job, l->phase);
	l->exchanges = kv_job_exchanges(job);
	kv_job_exchange(job, &l->opened_by, &l->closed_by);
	l->places = kv_job_places(job);
	l->mrs = job->mrs;
	l->drawn = job->pattern == KVERBS_PATTERN_RANDOM;
	l->aims = kv_job_aims(job);
	l->cold = job->cold;
	kv_job_data(job, lane->index, l->pair->seed, &l->data);
	l->random = get_random_u64() | 1;
	ep->stop = &lane->stop;
	ep->loop = l;
	if (l->handled)
		kv_context_handler(ep, kv_lane_done);
	ep->run_id = kv_run_id(lane->run);
	ep->lane = lane->index;
	lane->pmu = job->pmu;
	lane->qpn = ep->qp->qp_num;
	lane->peer_qpn = peer->qp->qp_num;
	lane->sq_depth = ep->sq_depth;
	lane->rq_depth = ep->rq_depth;
	lane->cq_depth = ep->cq->cqe;
	lane->inline_data = ep->inline_data;
	return 0;
}

void kv_lane_face(struct kv_lane *a, struct kv_lane *b)
{
	a->loop->other = b->loop->pair;
	b->loop->other = a->loop->pair;
}

int kv_lane_fill(struct kv_lane *lane)
{
	return kv_loop_fill(lane->loop) ? lane->loop->err : 0;
}

/*
 * CPU time of this thread up to now, ns. The scheduler adds up what has passed whenever
 * it is called; to be told without that is not for modules.
 */
static u64 kv_lane_cpu(void)
{
	schedule();
	return current->se.sum_exec_runtime;
}

static int kv_lane_main(void *data)
{
	struct kv_lane *lane = data;
	struct kv_loop *l = lane->loop;
	unsigned long voluntary, involuntary;
	struct kv_pmu pmu = {};
	u64 cpu = kv_lane_cpu();

	voluntary = current->nvcsw;
	involuntary = current->nivcsw;
	if (lane->pmu)
		kv_pmu_open(&pmu, kv_pmu_hardware());
	kv_loop_run(l, kv_run_shape(lane->run), lane->role);
	if (lane->pmu)
		kv_pmu_close(&pmu, &l->stat);
	l->stat.switches = current->nvcsw - voluntary;
	l->stat.preemptions = current->nivcsw - involuntary;
	l->stat.cpu = kv_lane_cpu() - cpu;
	kv_run_lane_ended(lane->run, l->end != KVERBS_REASON_COMPLETE &&
			  l->end != KVERBS_REASON_STOPPED);
	complete(&lane->ended);
	return 0;
}

int kv_lane_start(struct kv_lane *lane)
{
	struct task_struct *task;

	init_completion(&lane->ended);
	task = kthread_create_on_node(kv_lane_main, lane,
				      cpu_to_node(lane->cpu), "kverbs/%u:%u",
				      kv_run_id(lane->run), lane->index);
	if (IS_ERR(task))
		return PTR_ERR(task);
	kthread_bind(task, lane->cpu);
	get_task_struct(task);
	WRITE_ONCE(lane->task, task);
	wake_up_process(task);
	return 0;
}

void kv_lane_stop(struct kv_lane *lane, u32 how)
{
	u32 old = READ_ONCE(lane->stop);

	while (old < how) {
		u32 seen = cmpxchg(&lane->stop, old, how);

		if (seen == old)
			break;
		old = seen;
	}
}

void kv_lane_join(struct kv_lane *lane)
{
	if (!lane->task)
		return;
	/*
	 * kthread_stop() alone would keep a thread that has not run yet from ever
	 * running, and its peer from ever hearing that nothing will come.
	 */
	wait_for_completion(&lane->ended);
	kthread_stop(lane->task);
	lane->rw = lane->loop->ep->reg.did;
	put_task_struct(lane->task);
	WRITE_ONCE(lane->task, NULL);
}

void kv_lane_free(struct kv_lane *lane)
{
	struct kv_loop *l = lane->loop;
	u32 metric;

	if (!l)
		return;
	for (metric = 0; metric < __KVERBS_METRIC_MAX; metric++)
		kvfree(l->hist[metric]);
	/* the initiator's lane made what both lanes of the pair share */
	if (lane->role == KVERBS_ROLE_INITIATOR)
		kfree(l->pair);
	kvfree(l->due);
	kvfree(l->rings);
	kvfree(l->gap);
	kvfree(l->chains);
	kvfree(l);
	lane->loop = NULL;
}

void kv_lane_end(const struct kv_lane *lane, struct kv_lane_end *end)
{
	const struct kv_loop *l = lane->loop;

	memset(end, 0, sizeof(*end));
	if (!l)
		return;
	end->reason = l->end;
	end->err = l->err;
	end->err_wr = l->err_wr;
	end->wc_status = l->wc_status;
	end->wc_vendor = l->wc_vendor;
	end->data_offset = l->data.offset;
	end->data_expected = l->data.expected;
	end->data_got = l->data.got;
	end->data_found = l->data.found;
}

const struct kv_stat *kv_lane_stat(const struct kv_lane *lane)
{
	return lane->loop ? &lane->loop->stat : NULL;
}

const struct kv_hist *kv_lane_hist(const struct kv_lane *lane, u32 metric)
{
	return lane->loop ? lane->loop->hist[metric] : NULL;
}
