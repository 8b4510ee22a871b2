// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A lane of the user engine: a thread on its own CPU that runs the loop on one
 * end. What it writes in the loop shares no cache line with another lane.
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include "ep.h"
#include "placement.h"
#include "pmu.h"
#include "verbs.h"
#include "kverbs.h"

#define LINE		128	/* cache line, with its neighbour that is fetched along */
#define GRACE_MS	50	/* how long a stop waits for what is outstanding */

struct kv_lane {
	struct kv_loop loop;
	struct kv_ep ep;
	struct kv_lane_plan plan;
	struct ibv_sge *sge;	/* of all send WRs, then of all receive WRs, as in the module */
	struct ibv_sge *places;		/* one a WR instead, when there are several places */
	u64 *gap;	/* intervals of shape paced */
	pthread_t thread;
	bool started;
	struct {
		u32 word;	/* alone on its line: another thread writes it */
	} __attribute__((aligned(LINE))) stop;
} __attribute__((aligned(LINE)));

static void *lines(size_t bytes)
{
	void *p;

	bytes = (bytes + LINE - 1) / LINE * LINE;
	if (posix_memalign(&p, LINE, bytes))
		return NULL;
	return memset(p, 0, bytes);
}

struct kv_pair *kv_pair_new(void)
{
	struct kv_pair *pair = lines(sizeof(*pair));

	if (pair) {
		pair->measured_from = KV_UNSET;
		pair->total = KV_UNSET;
		pair->seed = kv_raw_clock() * 0x9e3779b97f4a7c15ULL;
	}
	return pair;
}

static u64 ticks_of_ns(const struct kv_clock_info *clock, u64 ns)
{
	return (u64)(((__uint128_t)ns << clock->shift) / clock->mult);
}

static u64 ticks_of_us(const struct kv_clock_info *clock, u64 us)
{
	return ticks_of_ns(clock, us * 1000);
}

static u64 ticks_of_ms(const struct kv_clock_info *clock, u64 ms)
{
	return ticks_of_ns(clock, ms * 1000000);
}

/* what each operation posts, by enum kverbs_op */
static const enum ibv_wr_opcode opcode[KV_OPS] = {
	[KVERBS_OP_WRITE] = IBV_WR_RDMA_WRITE,
	[KVERBS_OP_READ] = IBV_WR_RDMA_READ,
	[KVERBS_OP_SEND] = IBV_WR_SEND,
	[KVERBS_OP_SEND_IMM] = IBV_WR_SEND_WITH_IMM,
	[KVERBS_OP_WRITE_IMM] = IBV_WR_RDMA_WRITE_WITH_IMM,
	[KVERBS_OP_CAS] = IBV_WR_ATOMIC_CMP_AND_SWP,
	[KVERBS_OP_FADD] = IBV_WR_ATOMIC_FETCH_AND_ADD,
	[KVERBS_OP_SEND_INV] = IBV_WR_SEND_WITH_INV,
	[KVERBS_OP_ATOMIC_WRITE] = KV_IBV_ATOMIC_WRITE,
	[KVERBS_OP_FLUSH] = KV_IBV_FLUSH,
};

/* the pieces of a message, of which the first has what comes before it */
static void split(struct ibv_sge *sge, u64 addr, u32 before, u32 lkey, const struct kv_job *job)
{
	u32 i;

	for (i = 0; i < job->sges; i++) {
		sge[i].addr = addr;
		sge[i].length = kv_job_piece(job, i) + (i ? 0 : before);
		sge[i].lkey = lkey;
		addr += sge[i].length;
	}
}

/*
 * What reads fills the own incoming half from the peer's outgoing one. A
 * compare-and-swap compares with 0 and stores 0, so that each one stores.
 */
static void build_sends(struct kv_lane *lane)
{
	const struct kv_lane_plan *plan = &lane->plan;
	u64 local = (uintptr_t)plan->end->buffer +
		    (kv_job_rule(plan->job)->reads ? plan->end->half : 0);
	const struct kv_op_rule *op;
	struct ibv_send_wr *wr;
	u64 remote;
	u32 i;

	split(lane->sge, local, 0, plan->end->mr->lkey, plan->job);
	for (i = 0; i < lane->ep.depth * lane->ep.wrs; i++) {
		const u32 number = kv_job_wr_op(plan->job, i % lane->ep.wrs);

		wr = &lane->ep.wr[i];
		op = &kv_op_rules[number];
		remote = (uintptr_t)plan->peer->buffer + (op->reads ? 0 : plan->peer->half);
		wr->opcode = opcode[number];
		wr->sg_list = lane->sge;
		wr->num_sge = kv_op_moves(number) ? (int)kv_job_sges(plan->job) : 0;
		if (op->imm)
			wr->imm_data = htobe32(KV_IMM);
		if (op->atomic) {
			wr->wr.atomic.remote_addr = remote;
			wr->wr.atomic.rkey = plan->peer->mr->rkey;
			wr->wr.atomic.compare_add = number == KVERBS_OP_FADD;
		} else if (op->remote) {
			wr->wr.rdma.remote_addr = remote;
			wr->wr.rdma.rkey = plan->peer->mr->rkey;
		} else if (plan->end->ah) {
			wr->wr.ud.ah = plan->end->ah;
			wr->wr.ud.remote_qpn = plan->peer->qp->qp_num;
			wr->wr.ud.remote_qkey = KV_QKEY;
		}
	}
}

static void build_recvs(struct kv_lane *lane)
{
	const struct kv_lane_plan *plan = &lane->plan;
	u32 head = kv_transport_rules[plan->job->transport].datagram ? KV_GRH_BYTES : 0;
	struct ibv_sge *sge = lane->sge + plan->job->sges;
	struct kv_ep *ep = &lane->ep;
	u32 i;

	split(sge, (uintptr_t)plan->end->buffer + plan->end->half, head, plan->end->mr->lkey,
	      plan->job);
	for (i = 0; i < ep->recv_depth; i++) {
		u32 ring = i / ep->ring_depth, slot = i % ep->ring_depth;

		ep->recv[i].wr_id = kv_recv_id(ring, slot);
		ep->recv[i].next = slot + 1 == ep->ring_depth ? &ep->recv[ring * ep->ring_depth] :
								&ep->recv[i + 1];
		ep->recv[i].sg_list = sge;
		ep->recv[i].num_sge = head && !kv_job_size(plan->job) ? 1 :
				      (int)kv_job_sges(plan->job);
	}
}

/* data is checked: each WR has a place of its own at both ends */
static int build_places(struct kv_lane *lane)
{
	const struct kv_lane_plan *plan = &lane->plan;
	u64 stride = kv_job_stride(plan->job);
	struct kv_ep *ep = &lane->ep;
	struct ibv_sge *sge;
	u32 i;

	if (!plan->job->check_data)
		return 0;
	lane->places = lines((ep->depth + ep->recv_depth) * sizeof(*sge));
	if (!lane->places)
		return -1;
	for (i = 0, sge = lane->places; i < ep->depth; i++, sge++) {
		*sge = lane->sge[0];
		sge->addr += i * stride;
		ep->wr[i].sg_list = sge;
		if (!kv_job_two_sided(plan->job))
			ep->wr[i].wr.rdma.remote_addr += i * stride;
	}
	for (i = 0; i < ep->recv_depth; i++, sge++) {
		*sge = lane->sge[plan->job->sges];
		sge->addr += i * stride;
		ep->recv[i].sg_list = sge;
	}
	ep->area[KV_AREA_OUT] = plan->end->buffer;
	ep->area[KV_AREA_IN] = plan->end->buffer + plan->end->half;
	ep->area[KV_AREA_PEER_OUT] = plan->peer->buffer;
	ep->area[KV_AREA_PEER_IN] = plan->peer->buffer + plan->peer->half;
	return 0;
}

/* the MRs over the buffers of both ends, and each WR its place in them */
static int build_aim(struct kv_lane *lane)
{
	const struct kv_lane_plan *plan = &lane->plan;
	const struct kv_job *job = plan->job;
	u64 in = kv_job_rule(job)->reads ? plan->end->half : 0;
	struct kv_ep *ep = &lane->ep;
	struct ibv_sge *sge;
	u32 i;

	ep->aim.local = (uintptr_t)plan->end->buffer + in;
	ep->aim.remote = (uintptr_t)plan->peer->buffer + plan->peer->half - in;
	ep->aim.stride = kv_job_stride(job);
	ep->aim.payload = kv_job_covered(job);
	if (!kv_job_aims(job))
		return 0;
	lane->places = lines((ep->depth + ep->recv_depth) * sizeof(*sge));
	ep->aim.keys = lines(job->mrs * sizeof(*ep->aim.keys));
	if (!lane->places || !ep->aim.keys)
		return -1;
	for (i = 0; i < job->mrs; i++) {
		ep->aim.keys[i].lkey = kv_memory_mr(plan->end, i)->lkey;
		ep->aim.keys[i].rkey = kv_memory_mr(plan->peer, i)->rkey;
	}
	for (i = 0, sge = lane->places; i < ep->depth; i++, sge++) {
		*sge = lane->sge[0];
		ep->wr[i].sg_list = sge;
	}
	for (i = 0; i < ep->recv_depth; i++, sge++) {
		*sge = lane->sge[job->sges];
		sge->addr += kv_recv_place(job, i) * ep->aim.stride;
		sge->lkey = ep->aim.keys[i % job->mrs].lkey;
		ep->recv[i].sg_list = sge;
	}
	return 0;
}

/* the WRs of a slot, where there are several: chains, and a place each */
static int build_steps(struct kv_lane *lane)
{
	const struct kv_lane_plan *plan = &lane->plan;
	struct kv_ep *ep = &lane->ep;
	u64 buffer = (uintptr_t)plan->end->buffer;
	u32 i, step;

	if ((ep->wrs == 1 && !kv_job_reg_mr(plan->job)) || kv_job_exchanges(plan->job))
		return 0;
	lane->places = lines(ep->depth * ep->wrs * sizeof(*lane->places));
	if (!lane->places)
		return -1;
	for (i = 0; i < ep->depth * ep->wrs; i++) {
		struct ibv_send_wr *wr = &ep->wr[i];
		struct ibv_sge *sge = &lane->places[i];

		step = i % ep->wrs;
		sge->addr = buffer + (kv_op_rules[plan->job->step[step].op].reads ?
				      plan->end->half : 0);
		sge->length = kv_job_wr_size(plan->job, step);
		sge->lkey = plan->end->mr->lkey;
		wr->sg_list = sge;
		wr->num_sge = kv_op_moves(plan->job->step[step].op) && sge->length;
		wr->wr_id = KV_ID_STEP | step;
		if (plan->end->reg.memory)
			sge->addr = (uintptr_t)plan->end->reg.memory +
				    i / ep->wrs * plan->end->reg.stride;
		wr->next = kv_job_wr_ends(plan->job, step) ? NULL : wr + 1;
		wr->send_flags = kv_job_wr_ends(plan->job, step) ? IBV_SEND_SIGNALED : 0;
	}
	return 0;
}

static struct ibv_send_wr *exchange_wr(struct kv_ep *ep, u32 i, enum ibv_wr_opcode op)
{
	struct ibv_send_wr *wr = &ep->wr[i];

	memset(wr, 0, sizeof(*wr));
	wr->wr_id = KV_ID_STEP | i;
	wr->opcode = op;
	return wr;
}

/* the SEND, of the offer or of the answer, ends a slot of this many WRs */
static void exchange_slot(struct kv_lane *lane, struct ibv_send_wr *send, u32 wrs)
{
	struct kv_ep *ep = &lane->ep;

	send->sg_list = &lane->places[KV_EXCHANGE_SEND];
	send->num_sge = 1;
	ep->wrs = wrs;
	ep->stride = wrs * (u32)sizeof(*ep->wr);
	ep->tail = send;
	ep->flags[0] = send->send_flags;
	ep->flags[1] = send->send_flags | IBV_SEND_SIGNALED;
}

/* the window is bound in the chain of the SEND, or before it */
static void exchange_asks(struct kv_lane *lane)
{
	const struct kv_lane_plan *plan = &lane->plan;
	const struct kv_job *job = plan->job;
	bool reads = kv_job_rule(job)->reads;
	struct kv_exchange *ex = &lane->ep.exchange;
	struct kv_phase reg, inv;
	struct ibv_send_wr *send;
	u32 first;

	kv_job_exchange(job, &reg, &inv);
	first = reg.n ? KV_EXCHANGE_FIRST : KV_EXCHANGE_SEND;
	send = exchange_wr(&lane->ep, first, IBV_WR_SEND);
	ex->mw = plan->end->mw;
	ex->rkey = ex->mw->rkey;
	/* rxe gives user space the kernel's number of that flag */
	ex->invalidated = IBV_WC_WITH_INV;
	if (!strcmp(plan->port->facts.driver, "rdma_rxe"))
		ex->invalidated |= IBV_WC_IP_CSUM_OK;
	ex->bind = exchange_wr(&lane->ep, reg.n ? KV_EXCHANGE_REG : KV_EXCHANGE_FIRST,
			       IBV_WR_BIND_MW);
	ex->bind->send_flags = reg.n ? IBV_SEND_SIGNALED : 0;
	ex->bind->next = reg.n ? NULL : send;
	ex->bind->bind_mw.mw = ex->mw;
	ex->bind->bind_mw.bind_info.mr = plan->end->mr;
	ex->bind->bind_mw.bind_info.addr = (uintptr_t)plan->end->buffer +
					   (reads ? 0 : plan->end->half);
	ex->bind->bind_mw.bind_info.length = kv_job_size(job);
	/* of a window only what the peer may do */
	ex->bind->bind_mw.bind_info.mw_access_flags =
		kv_job_access(job, KV_ACCESS_OF_IO) & ~(u32)KV_ACCESS_LOCAL_WRITE;
	ex->inv = exchange_wr(&lane->ep, KV_EXCHANGE_INV, IBV_WR_LOCAL_INV);
	ex->inv->send_flags = IBV_SEND_SIGNALED;
	exchange_slot(lane, send, first + 1);
}

static void exchange_serves(struct kv_lane *lane)
{
	const struct kv_job *job = lane->plan.job;
	bool takes = job->exchange_inv == KVERBS_EXCHANGE_INV_REMOTE;
	bool reads = kv_job_rule(job)->reads;
	struct kv_exchange *ex = &lane->ep.exchange;

	ex->use = exchange_wr(&lane->ep, KV_EXCHANGE_FIRST,
			      reads ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE);
	ex->send = exchange_wr(&lane->ep, KV_EXCHANGE_SEND,
			       takes ? IBV_WR_SEND_WITH_INV : IBV_WR_SEND);
	/* as it was built for a plain operation: own memory, its length */
	lane->places[KV_EXCHANGE_FIRST] = lane->sge[0];
	ex->use->sg_list = &lane->places[KV_EXCHANGE_FIRST];
	ex->use->num_sge = 1;
	ex->use->next = ex->send;
	/* the answer is not to overtake what is read */
	ex->send->send_flags = reads ? IBV_SEND_FENCE : 0;
	exchange_slot(lane, ex->send, KV_EXCHANGE_WRS);
}

/* both ends of an exchange: their messages, at the end of each half, and their WRs */
static int build_exchange(struct kv_lane *lane)
{
	const struct kv_lane_plan *plan = &lane->plan;
	const struct kv_end *end = plan->end;
	struct ibv_sge *msg;

	if (!kv_job_exchanges(plan->job))
		return 0;
	lane->places = lines(KV_EXCHANGE_WRS * sizeof(*lane->places));
	if (!lane->places)
		return -1;
	lane->ep.exchange.out = (void *)(end->buffer + end->half - KV_OFFER_ROOM);
	lane->ep.exchange.in = (void *)(end->buffer + 2 * end->half - KV_OFFER_ROOM);
	msg = &lane->places[KV_EXCHANGE_SEND];
	msg->addr = (uintptr_t)lane->ep.exchange.out;
	msg->length = sizeof(struct kv_offer);
	msg->lkey = end->mr->lkey;
	/* that of all receives, of which one is used at a time */
	lane->sge[1] = *msg;
	lane->sge[1].addr += end->half;
	if (plan->role == KVERBS_ROLE_INITIATOR)
		exchange_asks(lane);
	else
		exchange_serves(lane);
	return 0;
}

/* what the extended calls need beside the templates; inline is a call, not a flag */
static int build_wr_api(struct kv_lane *lane)
{
	const struct kv_lane_plan *plan = &lane->plan;
	struct kv_ep *ep = &lane->ep;
	u32 i;

	if (plan->job->api != KVERBS_API_WR)
		return 0;
	ep->qp_ex = ibv_qp_to_qp_ex(ep->qp);
	ep->cq_ex = plan->end->cq_ex;
	ep->datagram = kv_transport_rules[plan->job->transport].datagram;
	if (kv_job_flushes(plan->job)) {
		ep->flush_type = (u8)(1U << plan->job->flush_type);
		ep->flush_level = (u8)plan->job->flush_level;
	}
	ep->flags[0] &= ~(u32)IBV_SEND_INLINE;
	ep->flags[1] &= ~(u32)IBV_SEND_INLINE;
	if (!kv_job_sges(plan->job) || !plan->job->inline_data)
		return 0;
	ep->piece = lines(plan->job->sges * sizeof(*ep->piece));
	for (i = 0; ep->piece && i < plan->job->sges; i++) {
		ep->piece[i].addr = (void *)(uintptr_t)lane->sge[i].addr;
		ep->piece[i].length = lane->sge[i].length;
	}
	return ep->piece ? 0 : -1;
}

/* the role takes messages out of a receive queue */
static bool takes(const struct kv_lane_plan *plan)
{
	return kv_job_takes(plan->job, plan->role);
}

/* the QP of each slot, where there are several */
static int build_turns(struct kv_lane *lane)
{
	const struct kv_lane_plan *plan = &lane->plan;
	struct kv_ep *ep = &lane->ep;
	u32 slot;

	if (plan->job->lane_qps == 1)
		return 0;
	ep->turn = lines(ep->depth * sizeof(*ep->turn));
	if (!ep->turn)
		return -1;
	for (slot = 0; slot < ep->depth; slot++)
		ep->turn[slot] = kv_qp_at(plan->end, kv_job_turn(plan->job, slot));
	return 0;
}

static int build_ep(struct kv_lane *lane)
{
	const struct kv_lane_plan *plan = &lane->plan;
	u32 size = kv_job_size(plan->job);
	struct kv_ep *ep = &lane->ep;

	ep->qp = plan->end->qp;
	ep->cq = plan->end->cq;
	ep->depth = plan->job->outstanding;
	ep->recv_depth = takes(plan) ? plan->job->recv_depth : 0;
	ep->ring_depth = kv_job_ring_depth(plan->job);
	ep->spare = plan->end->spare;
	ep->cqs = plan->end->cqs;
	ep->ncqs = plan->job->lane_qps;
	ep->srq = plan->end->srq;
	ep->limit = kv_job_limit(plan->job, plan->role);
	ep->wait = plan->job->wait;
	ep->raw_clock = plan->job->clock == KVERBS_CLOCK_RAW;
	ep->stop = &lane->stop.word;
	ep->channel = plan->end->channel;
	ep->reg = &plan->end->reg;
	if (kv_job_window(plan->job)) {
		ep->reg->mw = plan->end->mw;
		ep->reg->rkey = plan->end->mw->rkey;
	}
	ep->patience = (u64)plan->job->deadline_ms * 1000000;
	ep->grace = GRACE_MS * 1000000ULL;
	ep->yields = &lane->loop.stat.yields;
	ep->flags[0] = plan->job->inline_data ? IBV_SEND_INLINE : 0;
	ep->flags[1] = ep->flags[0] | IBV_SEND_SIGNALED;
	/* tags are of operations with a payload, and of transports without a head */
	ep->out_tag = plan->end->buffer + (size ? size - 1 : 0);
	ep->in_tag = ep->out_tag + plan->end->half;
	ep->wrs = kv_job_wrs(plan->job);
	ep->stride = ep->wrs * (u32)sizeof(*ep->wr);
	/* those of an exchange are of one slot, and beside it */
	ep->wr = kv_job_exchanges(plan->job) ? lines(KV_EXCHANGE_ALL * sizeof(*ep->wr)) :
					       lines((size_t)ep->depth * ep->stride);
	ep->recv = lines((ep->recv_depth ? ep->recv_depth : 1) * sizeof(*ep->recv));
	lane->sge = lines(2 * plan->job->sges * sizeof(*lane->sge));
	if (!ep->wr || !ep->recv || !lane->sge)
		return -1;
	ep->tail = ep->wr + ep->wrs - 1;
	build_sends(lane);
	build_recvs(lane);
	if (build_turns(lane))
		return -1;
	return build_wr_api(lane) || build_places(lane) || build_aim(lane) ||
	       build_steps(lane) || build_exchange(lane) ? -1 : 0;
}

/* what shape paced has beside the others */
static int build_pace(struct kv_lane *lane, u32 ring)
{
	const struct kv_job *job = lane->plan.job;
	struct kv_loop *loop = &lane->loop;
	u32 gaps = kv_pace_gaps(job);

	if (!gaps || lane->plan.role != KVERBS_ROLE_INITIATOR)
		return 0;
	lane->gap = lines(gaps * sizeof(*lane->gap));
	loop->due = lines(ring * sizeof(*loop->due));
	if (!lane->gap || !loop->due)
		return -1;
	loop->gap = lane->gap;
	loop->gaps = gaps;
	loop->gap_mean = kv_pace_fill(job, ticks_of_ms(lane->plan.clock, 1000), lane->gap);
	loop->gap_drawn = job->pace == KVERBS_PACE_POISSON;
	return 0;
}

static int build_loop(struct kv_lane *lane)
{
	const struct kv_lane_plan *plan = &lane->plan;
	const struct kv_job *job = plan->job;
	struct kv_loop *loop = &lane->loop;
	u32 ring = 2, metric;

	while (ring <= job->outstanding)
		ring *= 2;
	loop->ep = &lane->ep;
	loop->pair = plan->pair;
	loop->other = plan->other;
	loop->chains = lines(ring * sizeof(*loop->chains));
	if (!loop->chains || build_pace(lane, ring))
		return -1;
	for (metric = 0; metric < __KVERBS_METRIC_MAX; metric++) {
		if (!kv_job_has_metric(job, plan->role, metric) || kv_metric_kernel(metric))
			continue;
		loop->hist[metric] = lines(sizeof(struct kv_hist));
		if (!loop->hist[metric])
			return -1;
		kv_hist_clear(loop->hist[metric]);
	}
	loop->chain_mask = ring - 1;
	loop->iterations = job->iterations;
	loop->span = ticks_of_ms(plan->clock, job->duration_ms);
	loop->delay = kv_job_delay(job, ticks_of_ms(plan->clock, 1000));
	loop->delay_at = job->delay_at;
	loop->warm = ticks_of_ms(plan->clock, job->warmup_ms);
	loop->deadline = ticks_of_ms(plan->clock, job->deadline_ms);
	loop->grace = ticks_of_ms(plan->clock, GRACE_MS);
	loop->size = kv_job_payload(job);
	if (job->context == KVERBS_CONTEXT_HYBRID)
		loop->spin = ticks_of_us(plan->clock, job->spin_us);
	loop->sleeps = kv_context_rules[job->context].sleeps;
	loop->depth = job->outstanding;
	loop->chain = job->chain;
	loop->signal = job->signal;
	loop->batch = job->poll_batch;
	loop->recv_depth = lane->ep.recv_depth;
	loop->nrings = kv_job_rings(job);
	loop->ring_depth = kv_job_ring_depth(job);
	kv_job_refill(job, &loop->refill_from, &loop->refill_chain);
	loop->limit = lane->ep.limit;
	loop->rings = lines(loop->nrings * sizeof(*loop->rings));
	if (!loop->rings)
		return -1;
	loop->timing = job->timing;
	loop->two_sided = kv_job_two_sided(job);
	loop->turns = job->lane_qps;
	loop->lossy = !kv_transport_rules[job->transport].acked;
	loop->credit = kv_job_credit(job);
	loop->taken = kv_job_taken(job, plan->role);
	loop->provoke = job->provoke;
	if (job->provoke == KVERBS_PROVOKE_CQ_OVERFLOW) {
		loop->wide = loop->depth;
		loop->depth = KV_PROVOKE_WINDOW;
	}
	loop->control = kv_shape_rules[job->shape].control;
	loop->storm = job->storm;
	loop->storm_qps = kv_job_storm_qps(job);
	loop->cm = job->connect == KVERBS_CONNECT_CM;
	loop->theirs = kv_job_theirs(job);
	loop->recreate = job->recover == KVERBS_RECOVER_RECREATE;
	kv_job_reg_calls(job, &loop->reg);
	loop->nphases = kv_job_phases(job, loop->phase);
	loop->exchanges = kv_job_exchanges(job);
	kv_job_exchange(job, &loop->opened_by, &loop->closed_by);
	loop->places = kv_job_places(job);
	loop->mrs = job->mrs;
	loop->drawn = job->pattern == KVERBS_PATTERN_RANDOM;
	loop->aims = kv_job_aims(job);
	loop->cold = job->cold;
	kv_job_data(job, plan->index, plan->pair->seed, &loop->data);
	loop->random = (kv_cpu_clock() ^ ((u64)plan->index << 32)) | 1;
	return 0;
}

/* what an error is provoked with, if one is */
static int build_wrong(struct kv_lane *lane)
{
	struct kv_wrong_plan plan = {
		.ep = &lane->ep,
		.sge = lane->sge,
		.end = lane->plan.end,
		.peer = lane->plan.peer,
		.port = lane->plan.port,
		.job = lane->plan.job,
	};

	if (!plan.job->provoke)
		return 0;
	lane->ep.wrong = kv_provoke_open(&plan);
	return lane->ep.wrong ? 0 : -1;
}

/* what calls of the control path need, where they are made */
static int build_control(struct kv_lane *lane, struct kv_error *error)
{
	struct kv_control_plan plan = {
		.ep = &lane->ep,
		.end = { lane->plan.end, lane->plan.peer },
		.port = lane->plan.port,
		.job = lane->plan.job,
	};

	if (!kv_shape_rules[plan.job->shape].control)
		return 0;
	lane->ep.control = kv_control_open(&plan, error);
	return lane->ep.control ? 0 : -1;
}

/**
 * kv_lane_new - make a lane
 * @plan: what it is made from, copied
 * @error: filled on failure
 * Return: the lane, or NULL
 */
struct kv_lane *kv_lane_new(const struct kv_lane_plan *plan, struct kv_error *error)
{
	struct kv_lane *lane = lines(sizeof(*lane));

	if (!lane)
		goto memory;
	lane->plan = *plan;
	if (build_ep(lane) || build_loop(lane) || build_wrong(lane))
		goto memory;
	if (build_control(lane, error)) {
		kv_lane_free(lane);
		return NULL;
	}
	return lane;
memory:
	kv_lane_free(lane);
	kv_error_set(error, KV_EXIT_ENVIRONMENT, "out of memory");
	return NULL;
}

/* the verbs objects that are the lane's own, before those of the run go */
void kv_lane_leave(struct kv_lane *lane)
{
	kv_provoke_close(lane->ep.wrong);
	lane->ep.wrong = NULL;
	kv_control_close(lane->ep.control);
	lane->ep.control = NULL;
}

/* its CQ reported an error of its own */
void kv_lane_broken(struct kv_lane *lane, const struct ibv_cq *cq)
{
	const struct kv_end *end = lane->plan.end;
	bool mine = end->cq == cq;
	u32 i;

	for (i = 0; end->cqs && i <= end->nspare; i++)
		mine |= end->cqs[i] == cq;
	if (mine)
		__atomic_store_n(&lane->ep.broken, 1, __ATOMIC_RELAXED);
}

/* its SRQ has fewer receives than its limit; broken: or an error of its own */
void kv_lane_limit(struct kv_lane *lane, const struct ibv_srq *srq, bool broken)
{
	if (lane->ep.srq == srq)
		__atomic_fetch_add(broken ? &lane->ep.broken : &lane->ep.limits, 1,
				   __ATOMIC_RELAXED);
}

void kv_lane_free(struct kv_lane *lane)
{
	u32 metric;

	if (!lane)
		return;
	kv_lane_leave(lane);
	for (metric = 0; metric < __KVERBS_METRIC_MAX; metric++)
		free(lane->loop.hist[metric]);
	free(lane->loop.due);
	free(lane->loop.rings);
	free(lane->gap);
	free(lane->loop.chains);
	free(lane->ep.wr);
	free(lane->ep.recv);
	free(lane->ep.piece);
	free(lane->ep.turn);
	free(lane->ep.aim.keys);
	free(lane->sge);
	free(lane->places);
	free(lane);
}

/**
 * kv_lane_fill - post the receives of a lane that takes messages
 * @lane: lane, not started
 * Return: 0, or -1 with its fate set
 */
int kv_lane_fill(struct kv_lane *lane)
{
	return takes(&lane->plan) || kv_shape_rules[lane->plan.job->shape].answers ?
	       kv_loop_fill(&lane->loop) : 0;
}

static bool pass_gate(struct kv_gate *gate)
{
	bool open;

	pthread_mutex_lock(&gate->lock);
	while (gate->state == KV_GATE_SHUT)
		pthread_cond_wait(&gate->moved, &gate->lock);
	open = gate->state == KV_GATE_OPEN;
	pthread_mutex_unlock(&gate->lock);
	return open;
}

/* CPU time of this thread up to now, ns */
static u64 thread_cpu(void)
{
	struct timespec at = { 0, 0 };

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
	return (u64)at.tv_sec * 1000000000ULL + (u64)at.tv_nsec;
}

static void *lane_main(void *arg)
{
	struct kv_lane *lane = arg;
	void (*run)(struct kv_loop *loop, u32 shape, u32 role) =
		lane->plan.job->api == KVERBS_API_WR ? kv_wr_loop_run : kv_loop_run;
	bool counted = lane->plan.job->pmu;
	struct rusage before, after;
	struct kv_pmu pmu;
	u64 cpu;

	if (!pass_gate(lane->plan.gate))
		return NULL;
	getrusage(RUSAGE_THREAD, &before);
	cpu = thread_cpu();
	if (counted)
		kv_pmu_open(&pmu, kv_pmu_hardware());
	run(&lane->loop, lane->plan.job->shape, lane->plan.role);
	if (counted)
		kv_pmu_close(&pmu, &lane->loop.stat);
	lane->loop.stat.cpu = thread_cpu() - cpu;
	getrusage(RUSAGE_THREAD, &after);
	lane->loop.stat.switches = (u64)(after.ru_nvcsw - before.ru_nvcsw);
	lane->loop.stat.preemptions = (u64)(after.ru_nivcsw - before.ru_nivcsw);
	/* a CQ whose events are not acknowledged is never destroyed */
	if (lane->ep.unacked)
		ibv_ack_cq_events(lane->ep.cq, lane->ep.unacked);
	lane->plan.ended(lane->plan.owner, lane);
	return NULL;
}

/**
 * kv_lane_start - make the thread of a lane; it waits at the gate
 * @lane: lane
 * Return: 0 or errno
 */
int kv_lane_start(struct kv_lane *lane)
{
	pthread_attr_t attr;
	cpu_set_t cpu;
	int rc;

	CPU_ZERO(&cpu);
	CPU_SET(lane->plan.cpu, &cpu);
	rc = pthread_attr_init(&attr);
	if (rc)
		return rc;
	rc = pthread_attr_setaffinity_np(&attr, sizeof(cpu), &cpu);
	if (!rc)
		rc = pthread_create(&lane->thread, &attr, lane_main, lane);
	pthread_attr_destroy(&attr);
	lane->started = !rc;
	return rc;
}

/**
 * kv_lane_stop - ask a lane to end
 * @lane: lane
 * @now: abandon what is outstanding
 */
void kv_lane_stop(struct kv_lane *lane, bool now)
{
	u32 word = now ? KV_STOP_NOW : KV_STOP_SOON;

	if (__atomic_load_n(&lane->stop.word, __ATOMIC_RELAXED) < word)
		__atomic_store_n(&lane->stop.word, word, __ATOMIC_RELEASE);
}

void kv_lane_join(struct kv_lane *lane)
{
	if (lane->started)
		pthread_join(lane->thread, NULL);
	lane->started = false;
}

void kv_lane_fate(const struct kv_lane *lane, struct kv_lane_fate *fate)
{
	fate->reason = lane->loop.end;
	fate->err = lane->loop.err;
	fate->wr = lane->loop.err_wr;
	fate->wc_status = lane->loop.wc_status;
	fate->vendor_err = lane->loop.wc_vendor;
	fate->data_offset = lane->loop.data.offset;
	fate->data_expected = lane->loop.data.expected;
	fate->data_got = lane->loop.data.got;
	fate->data_found = lane->loop.data.found;
}

u32 kv_lane_index(const struct kv_lane *lane)
{
	return lane->plan.index;
}

/**
 * kv_lane_result - what a lane measured
 * @lane: lane, joined
 * @result: filled; its histograms are copies
 * Return: 0, or -1 without memory
 */
int kv_lane_result(const struct kv_lane *lane, struct kv_lane_result *result)
{
	const struct kv_lane_plan *plan = &lane->plan;
	u32 metric;

	result->index = plan->index;
	result->role = plan->role;
	result->cpu = plan->cpu;
	result->reason = lane->loop.end;
	result->err = lane->loop.err;
	result->err_wr = lane->loop.err_wr;
	result->wc_status = lane->loop.wc_status;
	result->vendor_err = lane->loop.wc_vendor;
	result->stat = lane->loop.stat;
	for (metric = 0; metric < __KVERBS_METRIC_MAX; metric++) {
		if (!lane->loop.hist[metric])
			continue;
		result->hist[metric] = malloc(sizeof(struct kv_hist));
		if (!result->hist[metric])
			return -1;
		memcpy(result->hist[metric], lane->loop.hist[metric], sizeof(struct kv_hist));
	}
	return 0;
}
