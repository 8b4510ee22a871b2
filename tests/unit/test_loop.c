// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The loop against a device that does what a script says. Whatever the numbers
 * and whatever happens, each WR is accounted for and each run ends.
 */
#include "fake_ep.h"
#include <kverbs/pace.h>
#include <kverbs/loop.h>

#define DEADLINE	200000
#define GRACE		20000

/* one run: what is asked, the world it runs in, what came out */
struct bench {
	u32 shape, two_sided, lossy, credit, timing;
	u64 n, span, warm, delay;
	u32 delay_at;
	u32 depth, chain, signal, batch, recv_depth, turns;
	u32 refill_from, refill_chain, limit;
	struct kv_ring rings[2][FAKE_QPS];
	u32 with_hists, spare_cqes, head_start;
	u32 check_data, unseen, reads, size;
	u64 gap, gaps[4];	/* paced: ticks; the same one, or one of four */
	u32 taken, nphases, provoke, exchanges;
	struct kv_reg_calls reg;
	struct kv_phase phase[KV_PHASES_MAX];
	u32 sleeps, handled, recreate, storm, cm;
	u32 places, mrs, drawn, cold;
	u64 spin;
	struct fake w;
	struct kv_pair pair;
	struct kv_loop loop[2];
	struct kv_chain chains[2][FAKE_SLOTS];
	u64 due[FAKE_SLOTS];
};

static unsigned char memory[2][2][FAKE_MEMORY] __attribute__((aligned(64)));
static struct kv_hist hists[2][__KVERBS_METRIC_MAX];
static struct bench b;

static u32 answers(void)
{
	return b.shape == KVERBS_SHAPE_PINGPONG;
}

static u32 lanes(void)
{
	return b.two_sided || answers() ? 2 : 1;
}

static u32 takes(u32 lane)
{
	return b.two_sided && (lane == KVERBS_ROLE_RESPONDER || answers());
}

/* a run with nothing special about it */
static void bench_new(u32 shape, u32 two_sided, u64 n)
{
	u32 i;

	memset(&b, 0, sizeof(b));
	b.shape = shape;
	b.two_sided = two_sided;
	b.n = n;
	b.timing = KVERBS_TIMING_ALL;
	b.depth = 1;
	b.chain = 1;
	b.signal = 1;
	b.batch = 1;
	b.turns = 1;
	b.recv_depth = 16;
	b.w.step = 3;
	b.w.seed = 0x9e3779b97f4a7c15ULL;
	b.w.switch_in = 3;
	for (i = 0; i < 2; i++) {
		b.w.ep[i].script.latency = 500;
		b.w.ep[i].script.wait = 40;
	}
}

static void fill_main(int lane)
{
	kv_loop_fill(&b.loop[lane]);
	swapcontext(&b.w.ep[lane].context, &b.w.home);
}

static void lane_main(int lane)
{
	kv_loop_run(&b.loop[lane], b.shape, (u32)lane);
	b.w.ep[lane].finished = 1;
	swapcontext(&b.w.ep[lane].context, &b.w.home);
}

static void resume(u32 lane, void (*entry)(int))
{
	struct kv_ep *ep = &b.w.ep[lane];

	if (entry) {
		getcontext(&ep->context);
		ep->context.uc_stack.ss_sp = fake_stacks[lane];
		ep->context.uc_stack.ss_size = FAKE_STACK;
		ep->context.uc_link = NULL;
		makecontext(&ep->context, (void (*)(void))entry, 1, lane);
	}
	swapcontext(&b.w.home, &ep->context);
}

/* as kv_job_data() would have it, which test_job covers */
static void bench_data(u32 lane)
{
	struct kv_data *d = &b.loop[lane].data;
	struct kv_ep *ep = &b.w.ep[lane];

	ep->stride = (b.size + 63) / 64 * 64;
	ep->size = b.size;
	ep->reads = b.reads;
	ep->area[KV_AREA_OUT] = memory[lane][0];
	ep->area[KV_AREA_IN] = memory[lane][1];
	ep->area[KV_AREA_PEER_OUT] = memory[!lane][0];
	ep->area[KV_AREA_PEER_IN] = memory[!lane][1];
	d->on = 1;
	d->own = lanes() == 1;
	d->unseen = b.unseen;
	d->fault = b.check_data;
	d->lane = lane;
	d->peer = d->own ? lane : !lane;
	d->source = b.reads ? KV_AREA_PEER_OUT : KV_AREA_OUT;
	d->target = d->own && !b.reads ? KV_AREA_PEER_IN : KV_AREA_IN;
	d->seed = b.w.seed;
	d->size = b.size;
	d->stride = ep->stride;
	d->out_slots = b.depth;
	d->in_slots = b.two_sided ? b.recv_depth : b.depth;
}

/* as kv_pace_fill() would have it, which test_pace covers */
static void bench_pace(struct kv_loop *l)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(b.gaps); i++) {
		b.gaps[i] = b.gap ? b.gap << KV_PACE_SHIFT : b.gaps[i];
		l->gap_mean += b.gaps[i] / ARRAY_SIZE(b.gaps);
	}
	l->due = b.due;
	l->gap = b.gaps;
	l->gaps = b.gap ? 1 : ARRAY_SIZE(b.gaps);
	l->gap_drawn = !b.gap;
}

static void bench_react(struct kv_ep *ep)
{
	kv_react(&b.loop[ep - b.w.ep]);
}

/* run what b says; a broken rule fails the test */
static void bench_run(void)
{
	u32 i, m, roundup = 1, started[2] = { 0 }, turn, switching = b.w.switch_in;

	while (roundup <= b.depth)
		roundup *= 2;
	b.pair.measured_from = KV_UNSET;
	b.pair.total = KV_UNSET;
	b.w.lanes = lanes();
	for (i = 0; i < b.w.lanes; i++) {
		struct kv_loop *l = &b.loop[i];
		struct kv_ep *ep = &b.w.ep[i];

		ep->world = &b.w;
		ep->peer = b.w.lanes > 1 ? &b.w.ep[!i] : NULL;
		ep->depth = b.depth;
		ep->recv_depth = b.recv_depth;
		ep->qps = b.two_sided ? b.turns : 1;
		ep->chain = b.chain;
		ep->least = ~0U;
		ep->cq_depth = b.depth + (takes(i) ? b.recv_depth : 0) + b.spare_cqes;
		ep->two_sided = b.two_sided;
		ep->lossy = b.lossy || b.credit;
		memset(l, 0, sizeof(*l));
		l->ep = ep;
		l->pair = &b.pair;
		l->chains = b.chains[i];
		l->chain_mask = roundup - 1;
		if (b.shape == KVERBS_SHAPE_PACED)
			bench_pace(l);
		l->iterations = b.n;
		l->span = b.span;
		l->warm = b.warm;
		l->delay = b.delay;
		l->delay_at = b.delay_at;
		l->deadline = DEADLINE;
		l->grace = GRACE;
		l->size = 64;
		l->depth = b.depth;
		l->chain = b.chain;
		l->signal = b.signal;
		l->batch = b.batch;
		l->recv_depth = b.recv_depth;
		l->rings = b.rings[i];
		l->nrings = ep->qps;
		l->ring_depth = b.recv_depth / ep->qps;
		l->limit = i == KVERBS_ROLE_RESPONDER ? b.limit : 0;
		ep->limit = l->limit;
		l->refill_from = b.refill_from ? b.refill_from : 1;
		l->refill_chain = b.refill_chain ? b.refill_chain : l->ring_depth;
		l->timing = b.timing;
		l->two_sided = b.two_sided;
		l->turns = b.turns;
		l->lossy = b.lossy;
		l->credit = b.credit ? b.recv_depth : 0;
		l->taken = b.taken;
		l->provoke = b.provoke;
		l->exchanges = b.exchanges;
		if (b.provoke == KVERBS_PROVOKE_CQ_OVERFLOW) {
			l->wide = b.depth;
			l->depth = 4;
		}
		l->nphases = b.nphases;
		memcpy(l->phase, b.phase, sizeof(b.phase));
		ep->phase = b.nphases ? b.phase : NULL;
		l->reg = b.reg;
		ep->reg = &l->reg;
		l->control = kv_shape_rules[b.shape].control;
		l->recreate = b.recreate;
		l->storm = b.storm;
		ep->storm = b.storm;
		l->storm_qps = b.cm ? 2 * b.storm : b.storm;
		l->cm = b.cm;
		ep->cm = b.cm;
		ep->turns = l->control;
		ep->state[0] = FAKE_RTS;
		ep->state[1] = FAKE_RTS;
		l->sleeps = b.sleeps;
		l->spin = b.spin;
		l->handled = b.handled;
		l->places = b.places;
		l->mrs = b.mrs;
		l->drawn = b.drawn;
		l->aims = b.places > 1 || b.mrs > 1;
		l->cold = b.cold;
		ep->places = b.places;
		ep->mrs = b.mrs;
		ep->driven = &l->driven;
		ep->react = bench_react;
		l->random = 88172645463325252ULL + i;
		for (m = 0; b.with_hists && m < __KVERBS_METRIC_MAX; m++)
			l->hist[m] = &hists[i][m];
		if (b.check_data)
			bench_data(i);
		if (takes(i) || (answers() && b.check_data)) {
			l->recv_depth = takes(i) ? b.recv_depth : 0;
			b.w.switch_in = 0;
			resume(i, fill_main);
			b.w.switch_in = switching;
			/* as an engine does: no lane starts */
			if (l->end)
				return;
		}
	}
	for (turn = 0; !b.w.broken; turn++) {
		i = b.w.lanes > 1 ? (u32)test_random(&b.w.seed) % 2 : 0;
		if (turn < b.head_start)
			i = KVERBS_ROLE_RESPONDER;
		if (b.w.ep[i].finished)
			i = !i;
		if (i >= b.w.lanes || b.w.ep[i].finished)
			break;
		resume(i, started[i] ? NULL : lane_main);
		started[i] = 1;
	}
}

/* the run that a failed expectation is of */
static void describe(void)
{
	const struct kv_loop *l = b.loop;

	print_error("shape %u two-sided %u timing %u n %llu span %llu warm %llu\n",
		    b.shape, b.two_sided, b.timing, b.n, b.span, b.warm);
	print_error("depth %u chain %u signal %u batch %u stop %llu/%u\n", b.depth,
		    b.chain, b.signal, b.batch, b.w.stop_at, b.w.stop_kind);
	print_error("initiator: end %u err %d wr 0x%llx; responder: end %u\n",
		    l[0].end, l[0].err, l[0].err_wr, l[1].end);
	print_error("broken rule: %s\n", b.w.broken ? b.w.broken : "none");
}

#define ask_is(holds)							\
	do {								\
		if (!(holds)) {						\
			describe();					\
			fail_msg("%s", #holds);				\
		}							\
	} while (0)

/* what holds of an initiator however it ended, as long as its queue is empty */
static void check_accounts(u32 lane)
{
	struct kv_loop *l = &b.loop[lane];
	struct kv_ep *ep = &b.w.ep[lane];
	struct kv_stat *s = &l->stat;
	u64 tiles = s->t_post + s->t_poll + s->t_empty + s->t_rest + s->t_reg;

	ask_is(!b.w.broken);
	ask_is(l->posted == ep->posted);
	ask_is(l->retired == l->posted);
	ask_is(ep->done == ep->posted);
	ask_is(ep->cq_in == ep->cq_out || l->end != KVERBS_REASON_COMPLETE);
	ask_is(!l->posted || ep->last_signalled);
	ask_is(ep->noted_wrs == l->posted);
	ask_is(s->total_wrs == l->posted);
	ask_is(s->total_retired == l->retired);
	ask_is(s->wrs == s->retired);
	ask_is(s->total_wrs == s->wrs + (lane ? 0 : s->warm_ops) || lane);
	ask_is(s->signalled == s->wcs);
	ask_is(s->signalled <= s->wrs);
	ask_is(s->wrs <= s->posts * b.chain);
	ask_is(s->forced <= s->signalled);
	/* at least one in signal, at most those and the forced ones */
	ask_is(s->signalled - s->forced <= s->wrs / b.signal);
	ask_is(s->signalled * b.signal >= s->wrs);
	ask_is(s->bytes == s->ops * l->size);
	ask_is(s->residence == s->occupancy);
	if (b.timing == KVERBS_TIMING_NONE) {
		ask_is(!tiles && !s->residence);
	} else if (!b.w.back_every) {
		ask_is(s->wall >= tiles);
		/* with nobody else to take time */
		ask_is(lanes() > 1 || s->wall == tiles);
	}
	if (b.timing == KVERBS_TIMING_ALL && !b.handled)
		ask_is(b.w.back_every || !s->wcs == !s->t_poll);
	else
		ask_is(!s->t_poll);
}

static void check_initiator(u64 ops)
{
	ask_is(b.loop[0].end == KVERBS_REASON_COMPLETE);
	check_accounts(0);
	ask_is(b.loop[0].stat.ops == ops);
	ask_is(!b.pair.abort);
	ask_is(b.pair.total == b.loop[0].posted);
	ask_is(b.pair.measured_from == b.loop[0].posted - ops);
}

/* receives that were taken and wait for more of them */
static u32 owed_of(const struct kv_loop *l)
{
	u32 sum = 0, i;

	for (i = 0; i < l->nrings; i++) {
		ask_is(l->rings[i].owed < l->refill_from);
		sum += l->rings[i].owed;
	}
	return sum;
}

/* a responder that heard everything */
static void check_responder(u64 ops)
{
	struct kv_loop *l = &b.loop[1];
	struct kv_stat *s = &l->stat;

	ask_is(l->end == KVERBS_REASON_COMPLETE);
	ask_is(!b.w.broken);
	ask_is(s->ops == ops);
	ask_is(s->bytes == ops * l->size);
	ask_is(s->total_recvs == b.loop[0].posted);
	if (b.two_sided) {
		ask_is(s->recv_wcs == ops);
		/* the window may open within a poll: its whole refill counts */
		if (!b.refill_from)
			ask_is(s->recv_wrs >= ops && s->recv_wrs < ops + b.batch);
		ask_is(b.w.ep[1].recvs - b.w.ep[1].taken + owed_of(l) == b.recv_depth);
	}
	if (answers()) {
		check_accounts(1);
		ask_is(s->wrs == ops);
	}
}

static void check_both(u64 ops)
{
	check_initiator(ops);
	if (lanes() > 1)
		check_responder(ops);
}

/* all small windows */
#define for_windows(most)						\
	for (u32 t = 1; t <= (most); t++)				\
		for (u32 l = 1; l <= t; l++)				\
			for (u32 q = 1; q <= t; q++)

static void rate_new(u64 n, u32 t, u32 l, u32 q)
{
	bench_new(KVERBS_SHAPE_RATE, 0, n);
	b.depth = t;
	b.chain = l;
	b.signal = q;
}

static void test_rate_all_small_windows(void **state)
{
	static const u32 batches[] = { 1, 2, 7 };
	u64 seed = 1;
	u32 n, i, timing;

	for_windows(6) {
		for (n = 1; n <= 15; n++) {
			for (i = 0; i < ARRAY_SIZE(batches); i++) {
				for (timing = 0; timing <= KVERBS_TIMING_ALL; timing++) {
					rate_new(n, t, l, q);
					b.timing = timing;
					b.batch = batches[i];
					/* at once, later, at any time */
					b.w.ep[0].script.latency = n % 3 ? 400 : 0;
					b.w.ep[0].script.jitter = n % 2 ? 300 : 0;
					b.w.seed = test_random(&seed);
					bench_run();
					check_initiator(n);
				}
			}
		}
	}
}

static void test_rate_larger_windows(void **state)
{
	u64 seed = 5;
	u32 i;

	for (i = 0; i < 3000; i++) {
		u32 t = 1 + (u32)(test_random(&seed) % 200);

		rate_new(1 + test_random(&seed) % 1000, t,
			 1 + (u32)(test_random(&seed) % t),
			 1 + (u32)(test_random(&seed) % t));
		b.batch = 1 + (u32)(test_random(&seed) % 64);
		b.timing = i % 3;
		b.w.ep[0].script.latency = test_random(&seed) % 3000;
		b.w.ep[0].script.jitter = test_random(&seed) % 3000;
		b.w.seed = test_random(&seed);
		bench_run();
		check_initiator(b.n);
	}
}

/* the window is used: it is full, or too full for one more chain, before a wait */
static void test_rate_fills_the_window(void **state)
{
	for_windows(6) {
		rate_new(1000, t, l, q);
		b.batch = 16;
		b.w.ep[0].script.latency = 100000;
		b.w.ep[0].script.never = 1;
		bench_run();
		ask_is(b.loop[0].end == KVERBS_REASON_TIMEOUT);
		ask_is(b.loop[0].posted == t / l * l);
	}
}

/* signalled WRs are no more than what the interval and the window ask for */
static void test_rate_signals_by_interval(void **state)
{
	rate_new(1000, 64, 1, 10);
	bench_run();
	check_initiator(1000);
	assert_int_equal(b.loop[0].stat.signalled, 100);
	assert_int_equal(b.loop[0].stat.forced, 0);
	rate_new(1001, 64, 1, 10);
	bench_run();
	check_initiator(1001);
	assert_int_equal(b.loop[0].stat.signalled, 101);
	assert_int_equal(b.loop[0].stat.forced, 1);
	/* chains of 4, every 6th: 6, 12, ... whatever the chain */
	rate_new(1200, 64, 4, 6);
	bench_run();
	check_initiator(1200);
	assert_int_equal(b.loop[0].stat.signalled, 200);
	assert_int_equal(b.loop[0].stat.forced, 0);
	assert_int_equal(b.loop[0].stat.posts, 300);
	/* a window of 4 with chains of 3: the interval of 4 would never be full */
	rate_new(12, 4, 3, 4);
	bench_run();
	check_initiator(12);
	assert_int_equal(b.loop[0].stat.posts, 4);
	assert_int_equal(b.loop[0].stat.signalled, 4);
	assert_int_equal(b.loop[0].stat.forced, 4);
}

static void test_rate_posts_whole_chains(void **state)
{
	rate_new(103, 16, 5, 1);
	bench_run();
	check_initiator(103);
	assert_int_equal(b.loop[0].stat.posts, 21);
	assert_int_equal(b.w.ep[0].posts, 21);
	assert_int_equal(b.loop[0].stat.polls + b.loop[0].stat.empty_polls, b.w.ep[0].polls);
}

/* every point at which a stop can be seen */
static void test_rate_stop_anywhere(void **state)
{
	u32 timing;
	u64 at;

	for_windows(5) {
		for (at = 1; at < 1000; at++) {
			timing = at % 3;
			rate_new(20, t, l, q);
			b.timing = timing;
			b.batch = 1 + at % 2;
			b.w.stop_at = at;
			b.w.stop_kind = KV_STOP_SOON;
			bench_run();
			if (b.w.stops < at) {
				check_initiator(20);
				break;
			}
			check_accounts(0);
			ask_is(b.loop[0].end == KVERBS_REASON_STOPPED ||
			       b.loop[0].posted == 20);
			ask_is(b.loop[0].stat.ops <= 20);
			ask_is(!b.pair.abort);
		}
		ask_is(at < 1000);
	}
}

/* abandoned: an end at once, and the counters are those of what was seen */
static void test_rate_abandon_anywhere(void **state)
{
	u64 at;

	for_windows(4) {
		for (at = 1; at < 1000; at++) {
			rate_new(20, t, l, q);
			b.w.stop_at = at;
			b.w.stop_kind = KV_STOP_NOW;
			b.w.ep[0].script.latency = 5000;
			bench_run();
			ask_is(!b.w.broken);
			ask_is(b.loop[0].posted == b.w.ep[0].posted);
			ask_is(b.loop[0].retired == b.w.ep[0].freed);
			ask_is(b.loop[0].stat.ops == b.loop[0].retired);
			if (b.w.stops < at)
				break;
			ask_is(b.loop[0].end == KVERBS_REASON_STOPPED);
			ask_is(b.pair.abort == (b.loop[0].posted != b.loop[0].retired));
		}
		ask_is(at < 1000);
	}
}

/* a device that is dead, and a stop: SOON waits for the grace, not the deadline */
static void test_stop_of_a_dead_device(void **state)
{
	u64 begin;

	rate_new(100, 8, 2, 4);
	b.w.ep[0].script.never = 20;
	b.w.stop_at = 40;
	b.w.stop_kind = KV_STOP_SOON;
	begin = b.w.now;
	bench_run();
	ask_is(b.loop[0].end == KVERBS_REASON_STOPPED);
	ask_is(b.loop[0].posted != b.loop[0].retired);
	ask_is(b.pair.abort == 1);
	ask_is(b.w.now - begin > GRACE && b.w.now - begin < DEADLINE / 2);
}

static void test_rate_for_a_time(void **state)
{
	static const u64 spans[] = { 1, 50, 333, 1000, 12345 };
	u32 i, timing;

	for_windows(5) {
		for (i = 0; i < ARRAY_SIZE(spans); i++) {
			for (timing = 0; timing <= KVERBS_TIMING_ALL; timing++) {
				rate_new(0, t, l, q);
				b.span = spans[i];
				b.timing = timing;
				b.w.ep[0].script.jitter = 200;
				bench_run();
				ask_is(b.loop[0].end == KVERBS_REASON_COMPLETE);
				check_accounts(0);
				ask_is(b.loop[0].stat.ops >= 1);
				ask_is(b.loop[0].stat.wall >= b.span);
				/* it ends when the window drains, or at a look at the clock */
				ask_is(b.loop[0].stat.wall < b.span + 3000 +
				       (timing ? 0 : KV_CLOCK_CHECK * 1000));
			}
		}
	}
}

static void lat_new(u64 n)
{
	bench_new(KVERBS_SHAPE_LAT, 0, n);
	b.with_hists = 1;
}

static void test_lat(void **state)
{
	struct kv_hist *h = hists[0];
	struct kv_stat *s = &b.loop[0].stat;
	u32 timing;

	for (timing = 0; timing <= KVERBS_TIMING_ALL; timing++) {
		lat_new(1000);
		b.timing = timing;
		b.w.ep[0].script.jitter = 700;
		bench_run();
		check_initiator(1000);
		assert_int_equal(s->posts, 1000);
		assert_int_equal(s->polls, 1000);
		assert_int_equal(s->forced, 0);
		assert_true(s->empty_polls > 0);
		assert_int_equal(h[KVERBS_METRIC_LAT].count, timing ? 1000 : 0);
		assert_int_equal(h[KVERBS_METRIC_POST].count, timing ? 1000 : 0);
		assert_int_equal(h[KVERBS_METRIC_POLL].count,
				 timing == KVERBS_TIMING_ALL ? 1000 : 0);
		assert_int_equal(h[KVERBS_METRIC_RTT].count, 0);
		assert_int_equal(h[KVERBS_METRIC_RECV_POST].count, 0);
		assert_int_equal(h[KVERBS_METRIC_RECV_POLL].count, 0);
		if (!timing)
			continue;
		/* each latency is of one WR, and their sum is the time they were there */
		assert_int_equal(h[KVERBS_METRIC_LAT].sum, s->residence);
		assert_true(h[KVERBS_METRIC_LAT].min >= 500);
		assert_true(h[KVERBS_METRIC_LAT].max < 500 + 700 + 200);
		/* post: the call of 10 ticks and one reading, nothing else */
		assert_int_equal(h[KVERBS_METRIC_POST].min, 13);
		assert_int_equal(h[KVERBS_METRIC_POST].max, 13);
		assert_int_equal(s->t_post, 13000);
		if (timing == KVERBS_TIMING_ALL) {
			/* poll: the call of 15 and one reading */
			assert_int_equal(h[KVERBS_METRIC_POLL].min, 18);
			assert_int_equal(h[KVERBS_METRIC_POLL].max, 18);
			assert_int_equal(s->t_poll, 18000);
			assert_int_equal(s->t_rest, 3000 + 3);
		}
	}
}

/* a delay is in the post, and in all that the post is in; it ends with a reading of 3 */
static void test_lat_delayed(void **state)
{
	struct kv_stat *s = &b.loop[0].stat;
	struct kv_hist *h = hists[0];
	u32 timing;

	for (timing = KVERBS_TIMING_LAT; timing <= KVERBS_TIMING_ALL; timing++) {
		lat_new(1000);
		b.timing = timing;
		b.delay = 100;
		bench_run();
		check_initiator(1000);
		assert_int_equal(s->delayed, 102000);
		assert_int_equal(h[KVERBS_METRIC_POST].min, 13 + 102);
		assert_int_equal(h[KVERBS_METRIC_POST].max, 13 + 102);
		assert_int_equal(s->t_post, 115000);
		assert_true(h[KVERBS_METRIC_LAT].min >= 500 + 102);
	}
}

/* places and MRs in turn, or drawn: all of them, and each WR is given one of each */
static void test_places(void **state)
{
	struct kv_ep *ep = &b.w.ep[0];
	u64 seen = 0;
	u32 i;

	lat_new(100);
	b.shape = KVERBS_SHAPE_RATE;
	b.depth = 20;
	b.chain = 3;
	b.signal = 7;
	b.places = 6;
	b.mrs = 4;
	bench_run();
	check_initiator(100);
	ask_is(ep->aimed == 100 && !ep->chilled);
	/* the last WR of each slot; WR i has the i-th place and the i-th MR */
	for (i = 80; i < 100; i++) {
		assert_int_equal(ep->at_place[i % 20], i % 6);
		assert_int_equal(ep->at_mr[i % 20], i % 4);
	}

	lat_new(4000);
	b.shape = KVERBS_SHAPE_RATE;
	b.depth = FAKE_SLOTS / 2;
	b.places = 5;
	b.mrs = 3;
	b.drawn = 1;
	bench_run();
	check_initiator(4000);
	for (i = 0; i < b.depth; i++)
		seen |= 1ULL << (ep->at_place[i] * 3 + ep->at_mr[i]);
	assert_int_equal(seen, (1ULL << 15) - 1);
}

/* what is evicted is evicted before each post, and outside of what is timed */
static void test_cold(void **state)
{
	struct kv_stat *s = &b.loop[0].stat;
	u32 timing;

	for (timing = KVERBS_TIMING_NONE; timing <= KVERBS_TIMING_ALL; timing++) {
		lat_new(1000);
		b.timing = timing;
		b.cold = 1;
		b.warm = 5000;
		bench_run();
		check_initiator(1000);
		ask_is(b.w.ep[0].chilled == b.loop[0].posted);
		assert_int_equal(s->evicted, 3000);
		if (timing == KVERBS_TIMING_NONE)
			continue;
		assert_int_equal(hists[0][KVERBS_METRIC_POST].max, 13);
		assert_int_equal(s->t_post, 13000);
		assert_true(s->t_rest >= 1000 * 1000);
		assert_true(hists[0][KVERBS_METRIC_LAT].max < 1000);
	}
}

/* likewise of chains, of which some are not sampled */
static void test_cold_chains(void **state)
{
	lat_new(1000);
	b.shape = KVERBS_SHAPE_RATE;
	b.depth = 12;
	b.chain = 4;
	b.signal = 5;
	b.places = 9;
	b.mrs = 1;
	b.cold = 1;
	bench_run();
	check_initiator(1000);
	ask_is(b.w.ep[0].aimed == 1000 && b.w.ep[0].chilled == 1000);
	assert_int_equal(b.loop[0].stat.evicted, 3000);
	assert_true(b.loop[0].stat.t_post <= 1000 * 10 + b.loop[0].stat.posts * 3);
}

/* its twin is as long, and in the rest */
static void test_lat_delayed_before(void **state)
{
	struct kv_stat *s = &b.loop[0].stat;
	struct kv_hist *h = hists[0];

	lat_new(1000);
	b.timing = KVERBS_TIMING_ALL;
	b.delay = 100;
	b.delay_at = KVERBS_DELAY_AT_BEFORE;
	bench_run();
	check_initiator(1000);
	assert_int_equal(s->delayed, 102000);
	assert_int_equal(h[KVERBS_METRIC_POST].min, 13);
	assert_int_equal(h[KVERBS_METRIC_POST].max, 13);
	assert_int_equal(s->t_post, 13000);
	assert_true(s->t_rest >= 102000);
}

/* a latency is what the device took, to the reading */
static void test_lat_of_a_known_device(void **state)
{
	lat_new(10);
	b.timing = KVERBS_TIMING_LAT;
	b.w.ep[0].script.latency = 0;
	bench_run();
	check_initiator(10);
	/* post 10 and reading 3, poll 15 and reading 3: the WC is there at the first poll */
	assert_int_equal(hists[0][KVERBS_METRIC_LAT].min, 31);
	assert_int_equal(hists[0][KVERBS_METRIC_LAT].max, 31);
	assert_int_equal(b.loop[0].stat.empty_polls, 0);
}

static void test_lat_for_a_time(void **state)
{
	lat_new(0);
	b.span = 100000;
	bench_run();
	ask_is(b.loop[0].end == KVERBS_REASON_COMPLETE);
	check_accounts(0);
	assert_true(b.loop[0].stat.wall >= 100000);
	assert_true(b.loop[0].stat.wall < 102000);
	assert_int_equal(hists[0][KVERBS_METRIC_LAT].count, b.loop[0].stat.ops);
}

static void test_lat_stop_anywhere(void **state)
{
	u64 at, ops = 0;

	for (at = 1; ; at++) {
		lat_new(10);
		b.w.stop_at = at;
		b.w.stop_kind = KV_STOP_SOON;
		bench_run();
		check_accounts(0);
		if (b.w.stops < at)
			break;
		ask_is(b.loop[0].end == KVERBS_REASON_STOPPED ||
		       b.loop[0].stat.ops == 10);
		ask_is(b.loop[0].stat.ops >= ops);
		ask_is(hists[0][KVERBS_METRIC_LAT].count == b.loop[0].stat.ops);
		ops = b.loop[0].stat.ops;
	}
	assert_int_equal(b.loop[0].stat.ops, 10);
	assert_true(at > 10);
}

static void test_rate_samples_some_chains(void **state)
{
	struct kv_hist *post = &hists[0][KVERBS_METRIC_POST];
	struct kv_hist *lat = &hists[0][KVERBS_METRIC_LAT];
	u64 seed = 11, period, i;
	u32 seen[64] = { 0 };

	rate_new(200000, 16, 2, 1);
	b.with_hists = 1;
	b.batch = 4;
	b.timing = KVERBS_TIMING_LAT;
	b.w.seed = test_random(&seed);
	bench_run();
	check_initiator(200000);
	/* one chain in 16.5 */
	assert_true(post->count > 100000 / 18 && post->count < 100000 / 15);
	/* each of its WCs a latency, unless two came in one WC's stead */
	assert_int_equal(lat->count, 2 * post->count);
	/* a short run has a sample all the same */
	rate_new(1, 16, 1, 1);
	b.with_hists = 1;
	bench_run();
	check_initiator(1);
	assert_int_equal(post->count, 1);
	assert_int_equal(lat->count, 1);
	/* not at a fixed interval: the wrap of no queue is a favourite */
	b.loop[0].random = 1;
	b.loop[0].until_sample = 1;
	b.loop[0].timing = KVERBS_TIMING_LAT;
	for (period = 2; period <= 64; period++) {
		memset(seen, 0, sizeof(seen));
		for (i = 0; i < 1000 * period; i++) {
			if (kv_sampled(&b.loop[0]))
				seen[i % period]++;
		}
		for (i = 0; i < period; i++)
			assert_true(seen[i] > 20 && seen[i] < 120);
	}
}

static void test_unsignalled_wrs_give_no_latency(void **state)
{
	rate_new(1000, 16, 1, 8);
	b.with_hists = 1;
	b.w.ep[0].script.latency = 0;
	bench_run();
	check_initiator(1000);
	assert_true(hists[0][KVERBS_METRIC_LAT].count <= b.loop[0].stat.signalled);
	assert_true(hists[0][KVERBS_METRIC_LAT].count > 0);
}

static void test_warm_up_is_not_counted(void **state)
{
	u32 shape, timing, two_sided;
	struct kv_stat *s = &b.loop[0].stat;

	for (shape = 0; shape <= KVERBS_SHAPE_RATE; shape++) {
		for (timing = 0; timing <= KVERBS_TIMING_ALL; timing++) {
			for (two_sided = 0; two_sided < 2; two_sided++) {
				bench_new(shape, two_sided, 37);
				b.timing = timing;
				b.with_hists = 1;
				b.warm = 40000;
				if (shape == KVERBS_SHAPE_RATE) {
					b.depth = 8;
					b.chain = 3;
					b.signal = 5;
					b.batch = 4;
				}
				bench_run();
				check_both(37);
				ask_is(s->warm_ops >= 2 * b.depth);
				ask_is(s->warm_ticks >= 40000);
				ask_is(s->total_wrs == s->warm_ops + s->ops);
				ask_is(!s->warm_unsettled);
				ask_is(s->posts <= 37);
				ask_is(hists[0][KVERBS_METRIC_POST].count <= s->posts);
				ask_is(!timing || hists[0][KVERBS_METRIC_POST].count > 0);
				if (shape == KVERBS_SHAPE_LAT && timing)
					ask_is(hists[0][KVERBS_METRIC_LAT].count == 37);
				if (shape == KVERBS_SHAPE_PINGPONG && timing)
					ask_is(hists[0][KVERBS_METRIC_RTT].count == 37);
				if (shape == KVERBS_SHAPE_PINGPONG && timing)
					ask_is(hists[1][KVERBS_METRIC_POST].count == 37);
				if (shape != KVERBS_SHAPE_PINGPONG && two_sided &&
				    timing == KVERBS_TIMING_ALL)
					ask_is(hists[1][KVERBS_METRIC_RECV_POLL].count > 0 &&
					       hists[1][KVERBS_METRIC_RECV_POLL].count <= 37);
			}
		}
	}
}

static void test_warm_up_off(void **state)
{
	lat_new(5);
	bench_run();
	check_initiator(5);
	assert_int_equal(b.loop[0].stat.warm_ops, 0);
	assert_int_equal(b.loop[0].stat.warm_ticks, 0);
	assert_int_equal(b.loop[0].stat.warm_unsettled, 0);
	assert_int_equal(b.loop[0].stat.total_wrs, 5);
}

/* a device that gets ever slower never settles, and the warm-up ends all the same */
static void test_warm_up_of_a_restless_device(void **state)
{
	lat_new(5);
	b.warm = 2000;
	b.w.ep[0].script.slower = 2000;
	bench_run();
	check_initiator(5);
	assert_int_equal(b.loop[0].stat.warm_unsettled, 1);
	assert_true(b.loop[0].stat.warm_ops >= KV_WARM_WINDOWS);
}

/* the queue is turned even when the time is short */
static void test_warm_up_turns_the_queue(void **state)
{
	rate_new(5, 100, 1, 1);
	b.warm = 2;
	bench_run();
	check_initiator(5);
	assert_true(b.loop[0].stat.warm_ops >= 200);
}

/* an end during the warm-up: nothing was measured */
static void test_end_in_warm_up(void **state)
{
	u32 shape, i;

	for (shape = 0; shape <= KVERBS_SHAPE_RATE; shape++) {
		for (i = 0; i < 2; i++) {
			bench_new(shape, 1, 1000);
			b.with_hists = 1;
			b.warm = 1000000;
			b.w.stop_at = i ? 0 : 200;
			b.w.stop_kind = KV_STOP_SOON;
			b.w.ep[0].script.post_bad = i ? 60 : 0;
			bench_run();
			ask_is(!b.w.broken);
			ask_is(b.loop[0].end == (i ? KVERBS_REASON_POST :
						     KVERBS_REASON_STOPPED));
			ask_is(b.loop[0].stat.ops == 0);
			ask_is(b.loop[0].stat.bytes == 0);
			ask_is(b.loop[0].stat.posts == 0);
			ask_is(b.loop[0].stat.warm_ops == b.loop[0].posted);
			ask_is(b.loop[0].stat.warm_ticks > 0);
			ask_is(b.loop[0].stat.total_wrs == b.loop[0].posted);
			/* but for what the other lane did meanwhile */
			ask_is(b.loop[0].stat.wall < 5000);
			ask_is(b.pair.measured_from == KV_UNSET);
			ask_is(b.pair.total == b.loop[0].posted);
			ask_is(hists[0][KVERBS_METRIC_POST].count == 0);
			ask_is(hists[0][KVERBS_METRIC_LAT].count == 0);
			ask_is(hists[0][KVERBS_METRIC_RTT].count == 0);
			ask_is(b.loop[1].stat.ops == 0);
			ask_is(b.loop[1].stat.recv_wrs == 0);
			ask_is(hists[1][KVERBS_METRIC_RECV_POST].count == 0);
		}
	}
}

static void check_failed(u32 reason, int err)
{
	ask_is(!b.w.broken);
	ask_is(b.loop[0].end == reason);
	ask_is(b.loop[0].err == err);
	ask_is(b.pair.abort == 1);
	ask_is(b.pair.total == b.loop[0].posted);
	ask_is(b.loop[0].posted == b.w.ep[0].posted);
	ask_is(b.loop[0].stat.total_wrs == b.loop[0].posted);
	ask_is(b.loop[0].stat.total_retired == b.loop[0].retired);
	ask_is(b.loop[0].stat.wrs == b.loop[0].posted);
	ask_is(b.loop[0].stat.ops == b.loop[0].retired);
}

/* what a run of lat came to, but for what hangs on how often the clock was read */
struct outcome {
	u32 end, wc_status;
	int err;
	u64 err_wr, posted, retired;
	u64 posts, wrs, signalled, forced, polls, wcs, wrs_retired, lats;
};

static struct outcome lat_outcome(u32 timing, const struct script *script)
{
	struct kv_loop *l = &b.loop[0];
	struct kv_stat *s = &l->stat;

	lat_new(150);
	b.timing = timing;
	b.w.ep[0].script = *script;
	b.w.ep[0].script.latency = 500;
	bench_run();
	/* what is counted now and then is whole when it ends */
	ask_is(timing == KVERBS_TIMING_NONE || s->t_post + s->t_poll +
	       s->t_empty + s->t_rest <= s->wall);
	ask_is(timing == KVERBS_TIMING_NONE ||
	       hists[0][KVERBS_METRIC_LAT].sum <= s->residence);
	return (struct outcome){
		l->end, l->wc_status, l->err, l->err_wr, l->posted, l->retired,
		s->posts, s->wrs,
		/* of a chain that is refused it is not said how far it came */
		l->end == KVERBS_REASON_POST ? 0 : s->signalled,
		s->forced, s->polls, s->wcs,
		s->retired, timing ? hists[0][KVERBS_METRIC_LAT].count : 0,
	};
}

/* lat has a loop of its own for plain WRs: whatever happens, it counts as the other does */
static void test_lat_loops_agree(void **state)
{
	static const size_t faults[] = {
		offsetof(struct script, post_bad),
		offsetof(struct script, poll_bad),
		offsetof(struct script, fail),
		offsetof(struct script, alien),
		offsetof(struct script, drop),
		offsetof(struct script, never),
		offsetof(struct script, broken_cq),
	};
	struct outcome plain, other, untimed;
	struct script script;
	size_t i;
	u64 at;

	for (i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
		for (at = 0; at < 140; at = at < 3 ? at + 1 : at * 2 + 1) {
			memset(&script, 0, sizeof(script));
			*(u64 *)((char *)&script + faults[i]) = at;
			other = lat_outcome(KVERBS_TIMING_ALL, &script);
			plain = lat_outcome(KVERBS_TIMING_LAT, &script);
			untimed = lat_outcome(KVERBS_TIMING_NONE, &script);
			/* when that is depends on how many polls there are */
			if (faults[i] == offsetof(struct script, poll_bad) ||
			    faults[i] == offsetof(struct script, broken_cq)) {
				ask_is(plain.end == other.end);
				ask_is(plain.wrs == plain.posted);
				continue;
			}
			assert_memory_equal(&plain, &other, sizeof(plain));
			untimed.lats = plain.lats;
			assert_memory_equal(&untimed, &other, sizeof(plain));
		}
	}
}

static struct outcome rate_outcome(u32 timing, u32 signal, const struct script *script)
{
	struct kv_loop *l = &b.loop[0];
	struct kv_stat *s = &l->stat;

	rate_new(150, 8, 1, signal);
	b.batch = 3;
	b.timing = timing;
	b.spare_cqes = 1;
	b.w.ep[0].script = *script;
	b.w.ep[0].script.latency = 500;
	bench_run();
	ask_is(s->wrs == l->posted);
	ask_is(timing == KVERBS_TIMING_NONE ||
	       hists[0][KVERBS_METRIC_LAT].sum <= s->residence);
	/* what is posted by then, and found by a poll, hangs on the readings of the clock */
	return (struct outcome){
		.end = l->end, .wc_status = l->wc_status, .err = l->err,
		.err_wr = l->err_wr, .retired = l->retired, .wcs = s->wcs,
		.wrs_retired = s->retired,
	};
}

/* and so has rate, of which a post and a WC may have others before them */
static void test_rate_loops_agree(void **state)
{
	static const size_t faults[] = {
		offsetof(struct script, post_bad),
		offsetof(struct script, fail),
		offsetof(struct script, alien),
		offsetof(struct script, drop),
		offsetof(struct script, dup),
		offsetof(struct script, swap),
		offsetof(struct script, never),
	};
	struct outcome other, lean;
	struct script script;
	u32 signal, timing;
	size_t i;
	u64 at;

	for (i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
		for (at = 0; at < 140; at = at < 9 ? at + 1 : at * 2 + 1) {
			for (signal = 1; signal <= 7; signal += 3) {
				memset(&script, 0, sizeof(script));
				*(u64 *)((char *)&script + faults[i]) = at;
				other = rate_outcome(KVERBS_TIMING_ALL, signal, &script);
				for (timing = 0; timing <= KVERBS_TIMING_LAT; timing++) {
					lean = rate_outcome(timing, signal, &script);
					if (faults[i] == offsetof(struct script, post_bad)) {
						/* when it is posted, others are outstanding */
						ask_is(lean.end == other.end);
						ask_is(lean.err_wr == other.err_wr);
						continue;
					}
					assert_memory_equal(&lean, &other, sizeof(lean));
				}
			}
		}
	}
}

/* a post fails at each WR, with those before it in its chain posted */
static void test_post_refused_at_any_wr(void **state)
{
	u64 bad;

	for_windows(5) {
		for (bad = 1; bad <= 12; bad++) {
			rate_new(12, t, l, q);
			b.w.ep[0].script.post_bad = bad;
			bench_run();
			check_failed(KVERBS_REASON_POST, -ENOMEM);
			ask_is(b.loop[0].posted == bad - 1);
			ask_is(b.loop[0].err_wr == bad - 1);
			ask_is(b.loop[0].stat.posts == (bad - 1) / l || l > 1);
		}
	}
}

static void test_poll_fails(void **state)
{
	u64 bad;

	for (bad = 1; bad < 30; bad++) {
		rate_new(100, 8, 2, 3);
		b.w.ep[0].script.poll_bad = bad;
		bench_run();
		check_failed(KVERBS_REASON_POLL, -EIO);
		ask_is(b.w.ep[0].polls == bad);
	}
}

static void test_failing_wc(void **state)
{
	u64 bad;

	for_windows(4) {
		for (bad = 1; bad <= 10 / q; bad++) {
			rate_new(20, t, l, q);
			b.batch = 3;
			b.w.ep[0].script.fail = bad;
			bench_run();
			check_failed(KVERBS_REASON_WC, 0);
			ask_is(b.loop[0].wc_status == FAKE_STATUS);
			ask_is(b.loop[0].wc_vendor == FAKE_VENDOR);
			/* the WR concerned is the one after those that are retired */
			ask_is(b.loop[0].err_wr >= b.loop[0].retired);
			ask_is(b.loop[0].err_wr < b.loop[0].posted);
			ask_is(b.loop[0].stat.wcs == bad - 1);
			/* it is traced too */
			ask_is(b.w.ep[0].noted_wcs == bad);
		}
	}
}

/* an error is provoked: what was good is counted, and then it comes */
static void test_provoked(void **state)
{
	u32 shape, n;

	for (shape = KVERBS_SHAPE_LAT; shape <= KVERBS_SHAPE_RATE; shape += 2) {
		for (n = 1; n < 300; n += 7) {
			bench_new(shape, 0, n);
			b.depth = shape == KVERBS_SHAPE_RATE ? 8 : 1;
			b.provoke = KVERBS_PROVOKE_REMOTE_ACCESS;
			bench_run();
			ask_is(!b.w.broken && b.w.ep[0].spoilt == 1);
			if (b.loop[0].end == KVERBS_REASON_COMPLETE) {
				/* so few were left that it could not come */
				ask_is(n < 6);
				check_initiator(n);
				continue;
			}
			check_failed(KVERBS_REASON_WC, 0);
			ask_is(b.loop[0].stat.ops ==
			       (n < 2 * KV_PROVOKE_AFTER ? n / 2 : KV_PROVOKE_AFTER) + 2);
		}
	}
	bench_new(KVERBS_SHAPE_LAT, 0, 100);
	b.provoke = KVERBS_PROVOKE_REMOTE_ACCESS;
	b.w.ep[0].script.spoil_bad = 1;
	bench_run();
	check_failed(KVERBS_REASON_SETUP, -EIO);
	bench_new(KVERBS_SHAPE_LAT, 0, 100);
	b.provoke = KVERBS_PROVOKE_QUEUE_FULL;
	bench_run();
	check_failed(KVERBS_REASON_POST, -ENOMEM);
	ask_is(b.loop[0].stat.ops == 50);
}

/* with every WR of the window outstanding */
static void test_provoked_busy(void **state)
{
	rate_new(1000, 8, 1, 1);
	b.provoke = KVERBS_PROVOKE_DEREG;
	bench_run();
	check_failed(KVERBS_REASON_WC, 0);
	ask_is(b.loop[0].stat.ops >= KV_PROVOKE_AFTER);
	ask_is(b.loop[0].posted >= KV_PROVOKE_AFTER + 8);
}

/* a CQ that has lost what came says so, and the lane does not wait for it */
static void test_provoked_overflow(void **state)
{
	rate_new(1000, 32, 1, 1);
	b.provoke = KVERBS_PROVOKE_CQ_OVERFLOW;
	b.w.ep[0].widens = 1;
	b.w.ep[0].script.never = 90;
	b.w.ep[0].script.broken_cq = 1;
	bench_run();
	ask_is(!b.w.broken && b.loop[0].end == KVERBS_REASON_CQ);
	ask_is(b.loop[0].posted == KV_PROVOKE_AFTER + 32);
	ask_is(b.w.now < DEADLINE);
}

/* a responder makes its part wrong once all is heard */
static void test_provoked_receives(void **state)
{
	static const u32 what[] = { KVERBS_PROVOKE_LOCAL_LENGTH, KVERBS_PROVOKE_REMOTE_OP };
	u32 i, seed;

	for (i = 0; i < ARRAY_SIZE(what); i++) {
		for (seed = 1; seed < 50; seed++) {
			bench_new(i ? KVERBS_SHAPE_RATE : KVERBS_SHAPE_LAT, 1, 1000);
			b.depth = i ? 8 : 1;
			b.w.seed = seed;
			b.provoke = what[i];
			bench_run();
			ask_is(!b.w.broken && b.loop[1].end == KVERBS_REASON_WC);
			ask_is(b.loop[1].err_wr & KV_ID_RECV);
			ask_is(b.w.ep[1].spoilt == 1 && b.loop[1].stat.ops == KV_PROVOKE_AFTER + 2);
			ask_is(b.w.ep[0].spoilt == 0 && b.loop[0].end != KVERBS_REASON_COMPLETE);
			ask_is(b.pair.abort == 1 && b.w.now < DEADLINE);
		}
	}
	for (seed = 1; seed < 50; seed++) {
		bench_new(KVERBS_SHAPE_LAT, 1, 1000);
		b.w.seed = seed;
		b.provoke = KVERBS_PROVOKE_RNR;
		b.w.ep[1].script.starve = 1;
		bench_run();
		/* this device tries for ever: the deadline ends it */
		ask_is(!b.w.broken && b.loop[0].end == KVERBS_REASON_TIMEOUT);
		ask_is(b.loop[0].stat.ops == KV_PROVOKE_AFTER + 16);
		/* too few are left to run out of receives */
		bench_new(KVERBS_SHAPE_LAT, 1, 20);
		b.w.seed = seed;
		b.provoke = KVERBS_PROVOKE_RNR;
		b.w.ep[1].script.starve = 1;
		bench_run();
		ask_is(!b.w.broken && b.loop[0].end == KVERBS_REASON_COMPLETE);
		ask_is(b.loop[1].end == KVERBS_REASON_COMPLETE);
		ask_is(b.loop[0].stat.ops == 20);
		ask_is(b.loop[1].stat.ops == 20);
	}
}

static void test_duplicated_wc(void **state)
{
	u64 bad;

	for (bad = 1; bad <= 15; bad++) {
		rate_new(20, 4, 1, 1);
		b.spare_cqes = 1;
		b.w.ep[0].script.dup = bad;
		bench_run();
		check_failed(KVERBS_REASON_ORDER, 0);
		ask_is(b.loop[0].err_wr == bad - 1);
		ask_is(b.loop[0].retired >= bad);
	}
}

static void test_wc_out_of_order(void **state)
{
	u64 bad;

	for (bad = 1; bad < 15; bad++) {
		rate_new(20, 4, 1, 1);
		b.w.ep[0].script.swap = bad;
		bench_run();
		check_failed(KVERBS_REASON_ORDER, 0);
		ask_is(b.loop[0].err_wr == bad - 1);
		ask_is(b.loop[0].retired >= bad + 1);
	}
}

/* of several QPs the WCs come in any order; each is accounted for */
static void test_several_qps(void **state)
{
	static const struct {
		u32 turns, chain, signal;
	} jobs[] = { { 2, 1, 1 }, { 4, 1, 1 }, { 2, 4, 4 }, { 3, 4, 2 }, { 16, 1, 1 } };
	u64 seed;
	u32 i, windows;

	for (i = 0; i < ARRAY_SIZE(jobs) * 200; i++) {
		seed = i / ARRAY_SIZE(jobs);
		windows = 1 + seed % 3;
		/* the last chain may be cut short, and the next window begins with its slot */
		rate_new(100 + seed % 4, jobs[i % 5].turns * jobs[i % 5].chain * windows,
			 jobs[i % 5].chain, jobs[i % 5].signal);
		b.turns = jobs[i % 5].turns;
		b.batch = 1 + seed % 5;
		b.warm = seed % 2 ? 3000 : 0;
		b.with_hists = 1;
		memset(hists, 0, sizeof(hists));
		b.w.seed += seed;
		b.w.ep[0].script.shuffle = 1 + seed % 3;
		b.w.ep[0].script.jitter = 100;
		bench_run();
		check_initiator(100 + seed % 4);
		ask_is(b.loop[0].chain_head == b.loop[0].chain_tail);
		/* a sample for each signalled WR of a chain that is timed */
		if (b.signal == b.chain)
			ask_is(hists[0][KVERBS_METRIC_LAT].count ==
			       hists[0][KVERBS_METRIC_POST].count);
		else
			ask_is(hists[0][KVERBS_METRIC_LAT].count >
			       hists[0][KVERBS_METRIC_POST].count);
		ask_is(hists[0][KVERBS_METRIC_LAT].count > 0);
	}
	/* no WC twice, none of no WR */
	rate_new(40, 8, 1, 1);
	b.turns = 4;
	b.spare_cqes = 1;
	b.w.ep[0].script.dup = 9;
	bench_run();
	check_failed(KVERBS_REASON_ORDER, 0);
}

/* messages of several QPs: each finds a receive of its own queue, which is posted again */
static void test_several_queues(void **state)
{
	static const struct {
		u32 turns, chain, each;
	} jobs[] = {
		{ 2, 1, 1 }, { 4, 1, 3 }, { 2, 4, 8 }, { 3, 2, 1 }, { 16, 1, 2 }, { 1, 1, 7 },
	};
	u32 i, seed, how;

	for (i = 0; i < ARRAY_SIZE(jobs) * 200; i++) {
		seed = i / ARRAY_SIZE(jobs);
		how = seed % 4;
		rate_new(100 + seed % 4, jobs[i % 6].turns * jobs[i % 6].chain * (1 + seed % 3),
			 jobs[i % 6].chain, jobs[i % 6].chain);
		b.two_sided = 1;
		b.turns = jobs[i % 6].turns;
		b.recv_depth = b.turns * jobs[i % 6].each;
		b.batch = 1 + seed % 5;
		b.warm = seed % 2 ? 3000 : 0;
		b.w.seed += seed;
		b.w.ep[0].script.shuffle = b.turns > 1 ? 1 + seed % 3 : 0;
		b.w.ep[0].script.jitter = 100;
		/* as polled, each, chains, at a watermark */
		if (how == 1)
			b.refill_chain = 1;
		if (how > 1)
			b.refill_from = 1 + seed % jobs[i % 6].each;
		if (how == 2)
			b.refill_chain = b.refill_from;
		bench_run();
		check_both(100 + seed % 4);
		ask_is(how != 1 || b.loop[1].stat.recv_posts == b.loop[1].stat.recv_wrs);
		ask_is(how != 2 || b.loop[1].stat.recv_posts * b.refill_from ==
				   b.loop[1].stat.recv_wrs);
		ask_is(how != 3 || b.loop[1].stat.recv_posts <= 1 + 104 / b.refill_from ||
		       b.turns > 1);
		ask_is(b.w.ep[1].least < b.recv_depth / b.turns);
	}
	/* a WC of a queue that the lane has not */
	rate_new(40, 8, 1, 1);
	b.two_sided = 1;
	b.turns = 4;
	b.w.ep[0].qps_told = 5;
	bench_run();
	ask_is(b.loop[1].end == KVERBS_REASON_ORDER);
}

/* the event of an SRQ's limit is asked for again when it came, and counted */
static void test_srq_limit(void **state)
{
	u32 i;

	for (i = 0; i < 300; i++) {
		rate_new(200, 8, 1, 1);
		b.two_sided = 1;
		b.recv_depth = 8 + i % 8;
		b.batch = 1 + i % 4;
		b.limit = 1 + i % 7;
		/* receives are left until there are fewer than the limit, or not */
		b.refill_from = 1 + i % b.recv_depth;
		b.w.seed += i;
		bench_run();
		check_both(200);
		ask_is(b.loop[1].stat.srq_limits == b.w.ep[1].limit_seen);
		ask_is(b.w.ep[1].limit_asked == 1 + b.loop[1].stat.srq_limits);
		/* each time that so many were taken: none of it is missed */
		if (b.refill_from > b.recv_depth - b.limit)
			ask_is(b.loop[1].stat.srq_limits >= b.loop[1].stat.recv_posts);
	}
	/* to ask for it is no part of a poll */
	for (i = 0; i < 2; i++) {
		struct kv_stat *s = &b.loop[1].stat;

		rate_new(200, 8, 1, 1);
		b.two_sided = 1;
		b.recv_depth = 8;
		b.limit = 4;
		b.refill_from = 8;
		b.timing = i ? KVERBS_TIMING_ALL : KVERBS_TIMING_LAT;
		b.with_hists = 1;
		b.w.ep[1].script.limit_ticks = 1000000;
		bench_run();
		check_both(200);
		ask_is(s->srq_limits > 2);
		ask_is(s->t_rest >= (s->srq_limits - 1) * 1000000ULL);
		ask_is(s->wall == s->t_post + s->t_poll + s->t_empty + s->t_rest);
		if (i)
			ask_is(hists[1][KVERBS_METRIC_RECV_POLL].max < 1000000);
	}
	for (i = 1; i < 4; i++) {
		rate_new(200, 8, 1, 1);
		b.two_sided = 1;
		b.limit = 8;
		b.refill_from = 12;
		b.w.ep[1].script.limit_bad = i;
		bench_run();
		ask_is(b.loop[1].end == KVERBS_REASON_POST && b.loop[1].err == -EIO);
		ask_is(i == 1 || b.pair.abort);
	}
}

static void test_wc_of_no_wr(void **state)
{
	u64 bad;

	for (bad = 1; bad < 15; bad++) {
		rate_new(20, 4, 1, 1);
		b.w.ep[0].script.alien = bad;
		bench_run();
		check_failed(KVERBS_REASON_ORDER, 0);
		ask_is(b.loop[0].err_wr == bad - 1 + 1000);
	}
}

/* a later WC retires the WR too; the counters tell that one was missing */
static void test_missing_wc(void **state)
{
	u64 bad;

	for (bad = 1; bad < 20; bad++) {
		rate_new(20, 4, 1, 1);
		b.w.ep[0].script.drop = bad;
		bench_run();
		ask_is(!b.w.broken);
		ask_is(b.loop[0].end == KVERBS_REASON_COMPLETE);
		ask_is(b.loop[0].stat.ops == 20);
		ask_is(b.loop[0].stat.signalled == b.loop[0].stat.wcs + 1);
		ask_is(b.loop[0].stat.residence == b.loop[0].stat.occupancy);
	}
	/* nothing comes after the last one */
	rate_new(20, 4, 1, 1);
	b.w.ep[0].script.drop = 20;
	bench_run();
	check_failed(KVERBS_REASON_TIMEOUT, 0);
	ask_is(b.loop[0].err_wr == 19);
	lat_new(20);
	b.w.ep[0].script.drop = 7;
	bench_run();
	check_failed(KVERBS_REASON_TIMEOUT, 0);
	ask_is(b.loop[0].err_wr == 6);
}

static void test_dead_device(void **state)
{
	u32 timing;
	u64 at;

	for_windows(4) {
		for (at = 1; at <= 20; at++) {
			for (timing = 0; timing <= KVERBS_TIMING_ALL; timing++) {
				rate_new(20, t, l, q);
				b.timing = timing;
				b.w.ep[0].script.never = at;
				bench_run();
				check_failed(KVERBS_REASON_TIMEOUT, 0);
				ask_is(b.loop[0].retired < at);
				ask_is(b.loop[0].stat.wall > DEADLINE);
				ask_is(b.loop[0].stat.wall < DEADLINE + 50000);
			}
		}
	}
}

/* slow is not dead: each wait is shorter than the deadline, all are longer */
static void test_slow_device(void **state)
{
	lat_new(10);
	b.w.ep[0].script.latency = DEADLINE / 2;
	bench_run();
	check_initiator(10);
	assert_true(b.loop[0].stat.wall > 4 * DEADLINE);
}

static void test_clock_that_goes_backwards(void **state)
{
	u32 shape, timing, every;

	for (shape = 0; shape <= KVERBS_SHAPE_RATE; shape++) {
		for (timing = 0; timing <= KVERBS_TIMING_ALL; timing++) {
			for (every = 2; every < 7; every++) {
				bench_new(shape, shape == KVERBS_SHAPE_PINGPONG, 200);
				b.with_hists = 1;
				b.timing = timing;
				b.w.back_every = every;
				b.w.back_by = 100;
				b.w.now = 100000;
				if (shape == KVERBS_SHAPE_RATE)
					b.depth = 4;
				bench_run();
				check_initiator(200);
				ask_is(!timing || b.loop[0].stat.backwards > 0);
				/* no sample is made of a step back */
				ask_is(hists[0][KVERBS_METRIC_LAT].max < 20000);
				ask_is(hists[0][KVERBS_METRIC_POST].max < 20000);
				ask_is(b.loop[0].stat.t_post < 1000000);
				ask_is(b.loop[0].stat.wall < 10000000);
			}
		}
	}
}

/* a step back does not end a run that has a time to go on for */
static void test_clock_backwards_for_a_time(void **state)
{
	u32 timing;

	for (timing = 0; timing <= KVERBS_TIMING_ALL; timing++) {
		lat_new(0);
		b.timing = timing;
		b.span = 1000000;
		b.w.back_every = 2;
		b.w.back_by = 500;
		b.w.now = 10000;
		bench_run();
		ask_is(b.loop[0].end == KVERBS_REASON_COMPLETE);
		check_accounts(0);
		assert_true(b.w.now >= 1000000);
		assert_true(b.w.now < 1200000);
	}
}

/* not even one that goes back to before its beginning */
static void test_clock_far_backwards(void **state)
{
	u32 timing, every, held = 0;

	for (timing = 0; timing <= KVERBS_TIMING_ALL; timing++) {
		for (every = 3; every < 12; every++) {
			lat_new(0);
			b.timing = timing;
			b.span = 300000;
			b.warm = 20000;
			b.w.back_every = every;
			b.w.back_by = 1000000;
			b.w.now = 10000000;
			bench_run();
			ask_is(b.loop[0].end == KVERBS_REASON_COMPLETE);
			check_accounts(0);
			ask_is(b.loop[0].stat.warm_ticks < 20000000);
			/* where the beginning itself was misread, who can tell */
			if (b.loop[0].begin < 10000000)
				continue;
			ask_is(b.w.now > b.loop[0].begin + 300000);
			held++;
		}
	}
	assert_true(held > 10);
}

/* nor does it fake a timeout */
static void test_clock_backwards_while_waiting(void **state)
{
	lat_new(5);
	b.w.ep[0].script.latency = DEADLINE / 2;
	b.w.back_every = 3;
	b.w.back_by = 100000;
	b.w.now = 1000000;
	bench_run();
	check_initiator(5);
}

static void test_yields_are_counted(void **state)
{
	lat_new(100);
	b.w.ep[0].script.yield_every = 1;
	bench_run();
	check_initiator(100);
	assert_int_equal(b.loop[0].stat.yields, b.loop[0].stat.empty_polls);
	assert_int_equal(b.loop[0].stat.tainted, 100);
	lat_new(100);
	b.w.ep[0].script.latency = 0;
	b.w.ep[0].script.yield_every = 1;
	bench_run();
	check_initiator(100);
	assert_int_equal(b.loop[0].stat.tainted, 0);
	/* one sample of a round trip, tainted once */
	bench_new(KVERBS_SHAPE_PINGPONG, 1, 100);
	b.with_hists = 1;
	b.w.ep[0].script.yield_every = 1;
	hists[0][KVERBS_METRIC_LAT].count = 0;
	bench_run();
	check_both(100);
	assert_int_equal(hists[0][KVERBS_METRIC_RTT].count, 100);
	assert_true(b.loop[0].stat.tainted <= 200);
}

/* samples of metrics that a role does not have are not tainted either */
static void test_taint_needs_a_sample(void **state)
{
	bench_new(KVERBS_SHAPE_PINGPONG, 1, 100);
	b.w.ep[0].script.yield_every = 1;
	bench_run();
	check_both(100);
	assert_true(b.loop[0].stat.yields > 0);
	assert_int_equal(b.loop[0].stat.tainted, 0);
}

static void two_new(u32 shape, u32 two_sided, u64 n, u64 seed)
{
	bench_new(shape, two_sided, n);
	b.w.seed = seed | 1;
	b.w.switch_in = 1 + (u32)(seed % 7);
	b.w.ep[0].script.jitter = seed % 900;
	b.w.ep[1].script.jitter = seed % 700;
}

static void test_send_lat(void **state)
{
	u64 seed = 21;
	u32 i, n;

	for (i = 0; i < 300; i++) {
		n = 1 + i % 20;
		two_new(KVERBS_SHAPE_LAT, 1, n, test_random(&seed));
		b.recv_depth = 1 + i % 5;
		b.timing = i % 3;
		b.with_hists = !(i % 10);
		bench_run();
		check_both(n);
		if (b.with_hists && b.timing == KVERBS_TIMING_ALL) {
			/* the window opens with the first message: after its poll */
			assert_int_equal(hists[1][KVERBS_METRIC_RECV_POLL].count, n - 1);
			assert_int_equal(hists[1][KVERBS_METRIC_RECV_POST].count, n);
			assert_int_equal(hists[0][KVERBS_METRIC_RECV_POST].count, 0);
		}
	}
}

static void test_send_rate(void **state)
{
	u64 seed = 22;
	u32 i;

	for_windows(5) {
		for (i = 0; i < 12; i++) {
			two_new(KVERBS_SHAPE_RATE, 1, 1 + test_random(&seed) % 40,
				test_random(&seed));
			b.depth = t;
			b.chain = l;
			b.signal = q;
			b.batch = 1 + i % 6;
			b.timing = i % 3;
			/* also fewer receives than sends: the device retries */
			b.recv_depth = 1 + i;
			if (b.batch > b.recv_depth)
				b.batch = b.recv_depth;
			b.warm = i % 4 ? 0 : 3000;
			bench_run();
			check_both(b.n);
		}
	}
}

static void test_pingpong(void **state)
{
	u64 seed = 23;
	u32 i, n, two_sided;

	for (i = 0; i < 800; i++) {
		n = 1 + i % 25;
		two_sided = i % 2;
		two_new(KVERBS_SHAPE_PINGPONG, two_sided, n, test_random(&seed));
		b.recv_depth = two_sided ? 1 + i % 6 : 0;
		b.timing = i % 3;
		b.with_hists = !(i % 10);
		b.warm = i % 8 ? 0 : 5000;
		bench_run();
		check_both(n);
		if (two_sided) {
			ask_is(b.loop[0].stat.recv_wcs == n);
			ask_is(b.loop[0].stat.recv_wrs == n);
		} else {
			ask_is(!b.loop[0].stat.recv_wcs && !b.loop[0].stat.recv_posts);
		}
		ask_is(b.w.ep[1].posted == b.w.ep[0].posted);
		if (b.with_hists && b.timing) {
			assert_int_equal(hists[0][KVERBS_METRIC_RTT].count, n);
			assert_int_equal(hists[1][KVERBS_METRIC_RTT].count, 0);
			/* there and back */
			assert_true(hists[0][KVERBS_METRIC_RTT].min >= 1000);
		}
	}
}

static void test_pingpong_for_a_time(void **state)
{
	u64 seed = 24;
	u32 i;

	for (i = 0; i < 60; i++) {
		two_new(KVERBS_SHAPE_PINGPONG, i % 2, 0, test_random(&seed));
		b.recv_depth = 4;
		b.span = 50000;
		b.timing = i % 3;
		bench_run();
		ask_is(b.loop[0].end == KVERBS_REASON_COMPLETE);
		ask_is(b.loop[0].stat.wall >= 50000);
		check_both(b.loop[0].stat.ops);
		ask_is(b.loop[0].stat.ops > 3);
	}
}

/* a stop in two lanes at every point: both end, and none waits for a deadline */
static void test_two_lanes_stop_anywhere(void **state)
{
	u64 at, seed = 25;
	u32 shape, two_sided;

	for (shape = 0; shape <= KVERBS_SHAPE_RATE; shape++) {
		for (two_sided = 0; two_sided < 2; two_sided++) {
			if (!two_sided && shape != KVERBS_SHAPE_PINGPONG)
				continue;
			for (at = 1; at < 2000; at++) {
				two_new(shape, two_sided, 12, test_random(&seed));
				b.w.stop_at = at;
				b.w.stop_kind = KV_STOP_SOON;
				if (shape == KVERBS_SHAPE_RATE) {
					b.depth = 4;
					b.chain = 2;
					b.signal = 3;
				}
				bench_run();
				check_accounts(0);
				check_responder(b.loop[0].stat.ops);
				if (b.w.stops < at)
					break;
				ask_is(b.loop[0].end == KVERBS_REASON_STOPPED ||
				       b.loop[0].stat.ops == 12);
				ask_is(!b.pair.abort);
				ask_is(b.w.now < DEADLINE);
			}
			ask_is(at < 2000);
		}
	}
}

static void test_two_lanes_abandon_anywhere(void **state)
{
	u64 at, seed = 26;
	u32 shape, two_sided;

	for (shape = 0; shape <= KVERBS_SHAPE_RATE; shape++) {
		for (two_sided = 0; two_sided < 2; two_sided++) {
			if (!two_sided && shape != KVERBS_SHAPE_PINGPONG)
				continue;
			for (at = 1; at < 2000; at += 1 + at / 50) {
				two_new(shape, two_sided, 12, test_random(&seed));
				b.w.stop_at = at;
				b.w.stop_kind = KV_STOP_NOW;
				bench_run();
				ask_is(!b.w.broken);
				ask_is(b.loop[0].end && b.loop[1].end);
				if (b.w.stops < at)
					break;
				ask_is(b.w.now < DEADLINE);
				ask_is(b.loop[0].end == KVERBS_REASON_STOPPED ||
				       b.loop[0].end == KVERBS_REASON_COMPLETE);
				ask_is(b.loop[1].end == KVERBS_REASON_STOPPED ||
				       b.loop[1].end == KVERBS_REASON_COMPLETE);
			}
		}
	}
}

/* one lane fails: the other one is told, and ends well before its deadline */
static void test_a_lane_fails(void **state)
{
	u64 seed = 27, at;
	u32 i, shape;

	for (i = 0; i < 400; i++) {
		shape = i % 3;
		at = 1 + test_random(&seed) % 12;
		two_new(shape, 1, 40, test_random(&seed));
		switch (i / 3 % 3) {
		case 0:
			b.w.ep[0].script.fail = at;
			break;
		case 1:
			b.w.ep[0].script.post_bad = at;
			break;
		case 2:
			b.w.ep[0].script.poll_bad = at;
			break;
		}
		bench_run();
		ask_is(!b.w.broken);
		ask_is(b.loop[0].end == KVERBS_REASON_WC ||
		       b.loop[0].end == KVERBS_REASON_POST ||
		       b.loop[0].end == KVERBS_REASON_POLL);
		ask_is(b.pair.abort == 1);
		ask_is(b.loop[1].end == KVERBS_REASON_STOPPED ||
		       b.loop[1].end == KVERBS_REASON_COMPLETE);
		ask_is(b.w.now < DEADLINE);
	}
	for (i = 0; i < 400; i++) {
		shape = i % 3;
		at = 1 + test_random(&seed) % 12;
		two_new(shape, 1, 40, test_random(&seed));
		b.recv_depth = 4;
		switch (i / 3 % 3) {
		case 0:
			b.w.ep[1].script.recv_fail = at;
			break;
		case 1:
			/* the first one fills the queue, before any lane runs */
			b.w.ep[1].script.recv_bad = 1 + at;
			break;
		case 2:
			b.w.ep[1].script.poll_bad = at;
			break;
		}
		bench_run();
		ask_is(!b.w.broken);
		ask_is(b.loop[1].end == KVERBS_REASON_WC ||
		       b.loop[1].end == KVERBS_REASON_POST ||
		       b.loop[1].end == KVERBS_REASON_POLL);
		if (i / 3 % 3 == 0)
			ask_is(b.loop[1].err_wr & KV_ID_RECV &&
			       b.loop[1].wc_status == FAKE_STATUS);
		if (i / 3 % 3 == 1)
			ask_is(b.loop[1].err_wr & KV_ID_RECV && b.loop[1].err == -ENOMEM);
		ask_is(b.pair.abort == 1);
		ask_is(b.loop[0].end == KVERBS_REASON_STOPPED ||
		       b.loop[0].end == KVERBS_REASON_COMPLETE);
		ask_is(b.w.now < DEADLINE);
	}
}

static void test_filling_fails(void **state)
{
	bench_new(KVERBS_SHAPE_LAT, 1, 5);
	b.w.ep[1].script.recv_bad = 1;
	bench_run();
	ask_is(!b.w.broken);
	ask_is(b.loop[1].end == KVERBS_REASON_POST);
	ask_is(b.loop[1].err == -ENOMEM);
	ask_is(b.loop[1].err_wr == KV_ID_RECV);
}

/* a message is lost: the lane that waits for it says so */
static void test_lost_message(void **state)
{
	u64 seed = 28;
	u32 i;

	for (i = 0; i < 60; i++) {
		two_new(KVERBS_SHAPE_PINGPONG, i % 2, 20, test_random(&seed));
		b.w.ep[i / 2 % 2].script.lose = 1 + i % 15;
		bench_run();
		ask_is(!b.w.broken);
		ask_is(b.loop[0].end == KVERBS_REASON_TIMEOUT);
		/* complete when it was the last answer */
		ask_is(b.loop[1].end == KVERBS_REASON_STOPPED ||
		       b.loop[1].end == KVERBS_REASON_COMPLETE);
		ask_is(b.pair.abort == 1);
	}
	for (i = 0; i < 20; i++) {
		two_new(i % 2 ? KVERBS_SHAPE_RATE : KVERBS_SHAPE_LAT, 1, 20,
			test_random(&seed));
		b.w.ep[0].script.lose = 1 + i;
		bench_run();
		ask_is(!b.w.broken);
		/* the sender's WCs say that all went well */
		ask_is(b.loop[0].end == KVERBS_REASON_COMPLETE);
		ask_is(b.loop[1].end == KVERBS_REASON_TIMEOUT);
		ask_is(b.loop[1].recvs == 19);
	}
}

/* a transport that loses messages: what is lost is counted, and both lanes end */
static void test_lossy(void **state)
{
	u64 seed = 32, lost = 0;
	u32 i;

	for (i = 0; i < 400; i++) {
		two_new(i % 2 ? KVERBS_SHAPE_RATE : KVERBS_SHAPE_LAT, 1, 1 + i % 60,
			test_random(&seed));
		b.lossy = 1;
		/* a receiver that is slow, or far from it */
		b.recv_depth = 1 + i % 7;
		b.timing = i % 3;
		b.warm = i % 4 ? 0 : 3000;
		b.w.ep[0].script.latency = test_random(&seed) % 500;
		b.w.ep[0].script.lose = i % 3 ? 0 : 1 + i % 20;
		if (i % 2) {
			b.depth = 1 + i % 9;
			b.batch = 1 + i % b.recv_depth;
		}
		bench_run();
		check_initiator(b.n);
		ask_is(b.loop[1].end == KVERBS_REASON_COMPLETE);
		ask_is(!b.w.broken && !b.pair.abort);
		ask_is(b.loop[1].stat.total_recvs + b.loop[1].stat.lost == b.loop[0].posted);
		ask_is(b.loop[1].stat.total_recvs == b.w.ep[1].taken);
		ask_is(b.loop[1].stat.ops <= b.n);
		ask_is(b.loop[1].stat.lost || b.loop[1].stat.ops == b.n);
		ask_is(!b.loop[0].stat.lost);
		lost += b.loop[1].stat.lost;
		/* what was lost in the warm-up does not hide what came later */
		ask_is(b.loop[1].stat.ops || b.n < 20);
	}
	assert_true(lost > 100);
	/* an answer that never comes: the asker's deadline */
	two_new(KVERBS_SHAPE_PINGPONG, 1, 20, 1);
	b.lossy = 1;
	b.w.ep[0].script.lose = 5;
	bench_run();
	ask_is(b.loop[0].end == KVERBS_REASON_TIMEOUT);
	/* a stop in between */
	for (i = 1; i < 600; i++) {
		two_new(KVERBS_SHAPE_RATE, 1, 12, test_random(&seed));
		b.lossy = 1;
		b.depth = 3;
		b.recv_depth = 2;
		b.w.stop_at = i;
		b.w.stop_kind = KV_STOP_SOON;
		bench_run();
		check_accounts(0);
		ask_is(b.loop[1].end == KVERBS_REASON_COMPLETE ||
		       b.loop[1].end == KVERBS_REASON_STOPPED);
		ask_is(b.w.now < DEADLINE);
	}
}

/* a transport that loses what finds no receive: a sender that knows of them loses nothing */
static void test_credit(void **state)
{
	u64 seed = 77;
	u32 i;

	for (i = 0; i < 400; i++) {
		two_new(i % 2 ? KVERBS_SHAPE_RATE : KVERBS_SHAPE_LAT, 1, 1 + i % 60,
			test_random(&seed));
		b.credit = 1;
		b.recv_depth = 1 + i % 7;
		b.timing = i % 3;
		b.warm = i % 4 ? 0 : 3000;
		b.w.ep[0].script.latency = test_random(&seed) % 500;
		if (i % 2) {
			b.depth = 1 + i % 9;
			b.chain = 1 + i % (b.depth < b.recv_depth ? b.depth : b.recv_depth);
			b.batch = 1 + i % b.recv_depth;
		}
		bench_run();
		check_initiator(b.n);
		ask_is(b.loop[1].end == KVERBS_REASON_COMPLETE);
		ask_is(b.loop[1].stat.total_recvs == b.loop[0].posted);
		ask_is(b.loop[1].stat.ops == b.n && !b.loop[1].stat.lost);
	}
	/* a stop while it waits, and a responder that takes nothing any more */
	for (i = 1; i < 600; i++) {
		two_new(KVERBS_SHAPE_RATE, 1, 12, test_random(&seed));
		b.credit = 1;
		b.depth = 3;
		b.recv_depth = 2;
		b.w.stop_at = i;
		b.w.stop_kind = KV_STOP_SOON;
		bench_run();
		check_accounts(0);
		ask_is(b.w.now < DEADLINE);
	}
}

/* a one-sided message fails: its WC tells, long before the answer is overdue */
static void test_pingpong_of_a_failing_write(void **state)
{
	u32 lane, bad;

	for (lane = 0; lane < 2; lane++) {
		for (bad = 1; bad < 10; bad++) {
			bench_new(KVERBS_SHAPE_PINGPONG, 0, 20);
			b.w.ep[lane].script.lose = bad;
			b.w.ep[lane].script.fail = bad;
			bench_run();
			ask_is(!b.w.broken);
			ask_is(b.loop[lane].end == KVERBS_REASON_WC);
			ask_is(b.loop[lane].err_wr == bad - 1);
			ask_is(b.loop[!lane].end == KVERBS_REASON_STOPPED);
			ask_is(b.w.now < DEADLINE);
		}
	}
}

/* an initiator that starts late does not time its responder out */
static void test_late_initiator(void **state)
{
	u32 shape;

	for (shape = 0; shape <= KVERBS_SHAPE_RATE; shape++) {
		bench_new(shape, shape != KVERBS_SHAPE_PINGPONG, 3);
		b.head_start = 10000;
		bench_run();
		assert_true(b.w.now > 2 * DEADLINE);
		check_both(3);
	}
}

/* one in some runs, at one of its first events */
static u64 rarely(u64 *seed, u32 in, u32 most)
{
	return test_random(seed) % in ? 0 : 1 + test_random(seed) % most;
}

/* any numbers, any faults, several at a time: it ends, and the counters are true */
static void test_anything(void **state)
{
	u64 seed = 31;
	u32 i, lane;

	for (i = 0; i < 20000; i++) {
		u32 shape = (u32)(test_random(&seed) % 4);

		bench_new(shape, shape == KVERBS_SHAPE_PINGPONG || test_random(&seed) % 2 ?
				 (u32)(test_random(&seed) % 2) : 0,
			  test_random(&seed) % 4 ? 1 + test_random(&seed) % 50 : 0);
		b.span = b.n ? 0 : 1 + test_random(&seed) % 30000;
		b.warm = rarely(&seed, 3, 5000);
		b.timing = (u32)(test_random(&seed) % 3);
		if (shape == KVERBS_SHAPE_PACED) {
			b.timing = 1 + (u32)(test_random(&seed) % 2);
			b.depth = 1 + (u32)(test_random(&seed) % 20);
			b.gap = 1 + test_random(&seed) % 3000;
		}
		if (shape == KVERBS_SHAPE_RATE) {
			b.depth = 1 + (u32)(test_random(&seed) % 20);
			b.chain = 1 + (u32)(test_random(&seed) % b.depth);
			b.signal = 1 + (u32)(test_random(&seed) % b.depth);
		}
		b.recv_depth = 1 + (u32)(test_random(&seed) % 20);
		b.batch = 1 + (u32)(test_random(&seed) % b.recv_depth);
		b.spare_cqes = 4;
		b.w.seed = seed;
		b.w.switch_in = 1 + (u32)(seed % 9);
		b.w.stop_at = rarely(&seed, 4, 300);
		b.w.stop_kind = 1 + (u32)(seed % 2);
		b.w.back_every = rarely(&seed, 5, 9);
		b.w.back_by = b.w.back_every ? 300 : 0;
		b.w.now = 1000000;
		for (lane = 0; lane < 2; lane++) {
			struct script *s = &b.w.ep[lane].script;

			s->latency = test_random(&seed) % 2000;
			s->jitter = test_random(&seed) % 2000;
			s->post_bad = rarely(&seed, 12, 60);
			s->recv_bad = rarely(&seed, 12, 30);
			s->poll_bad = rarely(&seed, 12, 200);
			s->never = rarely(&seed, 12, 60);
			s->lose = rarely(&seed, 12, 60);
			s->drop = rarely(&seed, 12, 60);
			s->dup = rarely(&seed, 12, 60);
			s->swap = rarely(&seed, 12, 60);
			s->alien = rarely(&seed, 12, 60);
			s->fail = rarely(&seed, 12, 60);
			s->recv_fail = rarely(&seed, 12, 60);
			s->yield_every = rarely(&seed, 3, 9);
		}
		bench_run();
		ask_is(!b.w.broken);
		for (lane = 0; lane < lanes(); lane++) {
			const struct kv_loop *l = &b.loop[lane];
			const struct kv_stat *s = &l->stat;

			/* no lane starts when one could not post its receives */
			if (!l->end)
				ask_is(b.loop[!lane].end == KVERBS_REASON_POST);
			if (!l->end || (l->err_wr == (KV_ID_RECV | 0) && !s->wall))
				continue;
			ask_is(l->posted == b.w.ep[lane].posted);
			ask_is(l->retired <= l->posted);
			ask_is(s->wrs <= l->posted && s->retired <= l->retired);
			ask_is(s->wcs <= s->signalled || b.w.ep[lane].script.dup);
			ask_is(s->total_wrs == l->posted && s->total_retired == l->retired);
			ask_is(!s->bytes == !s->ops);
			if (l->end == KVERBS_REASON_COMPLETE)
				ask_is(l->posted == l->retired);
			if (l->end == KVERBS_REASON_COMPLETE && !lane && b.n)
				ask_is(s->ops == b.n);
		}
	}
}

/* a run whose data is checked: message of that number in the run, from 1 */
static void data_new(u32 kind, u64 n)
{
	static const struct {
		u32 shape, two_sided, reads, depth;
	} kinds[] = {
		{ KVERBS_SHAPE_LAT, 0, 0, 1 },		/* write */
		{ KVERBS_SHAPE_LAT, 0, 1, 1 },		/* read */
		{ KVERBS_SHAPE_LAT, 1, 0, 1 },		/* send */
		{ KVERBS_SHAPE_PINGPONG, 0, 0, 1 },
		{ KVERBS_SHAPE_PINGPONG, 1, 0, 1 },
		{ KVERBS_SHAPE_RATE, 0, 0, 7 },
		{ KVERBS_SHAPE_RATE, 0, 1, 7 },
		{ KVERBS_SHAPE_RATE, 1, 0, 7 },
	};

	bench_new(kinds[kind].shape, kinds[kind].two_sided, n);
	b.reads = kinds[kind].reads;
	b.depth = kinds[kind].depth;
	b.chain = b.depth > 1 ? 2 : 1;
	b.signal = b.depth > 1 ? 3 : 1;
	b.batch = b.depth > 1 ? 4 : 1;
	b.check_data = KVERBS_CHECK_DATA_ON;
	b.size = 200;
}

#define DATA_KINDS	8

/* the lane that checks what the initiator sends */
static struct kv_loop *checker(void)
{
	return &b.loop[lanes() > 1 ? KVERBS_ROLE_RESPONDER : KVERBS_ROLE_INITIATOR];
}

static void test_data_is_right(void **state)
{
	static const u32 sizes[] = { 1, 7, 8, 13, 64, 200, 256 };
	u64 seed = 99;
	u32 kind, i, timing;

	for (kind = 0; kind < DATA_KINDS; kind++) {
		for (i = 0; i < ARRAY_SIZE(sizes); i++) {
			for (timing = 0; timing <= KVERBS_TIMING_ALL; timing++) {
				data_new(kind, 100);
				b.size = sizes[i];
				b.timing = timing;
				b.warm = i % 2 ? 20000 : 0;
				b.w.ep[0].script.jitter = 400;
				b.w.seed = test_random(&seed);
				bench_run();
				check_both(100);
				ask_is(checker()->data.checked == b.loop[0].posted);
				ask_is(checker()->data.bad == KV_DATA_NONE);
				ask_is(!answers() ||
				       b.loop[0].data.checked == b.loop[1].posted);
			}
		}
	}
}

/* exactly one report: of this message, by its checker; all else stops or completes */
static void expect_bad(u64 message, u64 found)
{
	struct kv_loop *l = checker();
	struct kv_data *d = &l->data;

	ask_is(!b.w.broken);
	ask_is(l->end == KVERBS_REASON_DATA);
	ask_is(l->err_wr == message && d->bad == message);
	ask_is(d->found == found);
	ask_is(d->checked == message);
	ask_is(d->expected == kv_data_byte(d->seed, 0, message, d->offset));
	ask_is(d->expected != d->got);
	ask_is(lanes() == 1 || b.loop[0].end != KVERBS_REASON_DATA);
}

static void test_data_on_the_way(void **state)
{
	u32 kind;

	for (kind = 0; kind < DATA_KINDS; kind++) {
		data_new(kind, 100);
		b.w.ep[0].script.flip = 23;
		bench_run();
		expect_bad(22, KV_DATA_NONE);
		ask_is(checker()->data.offset == 100);
		ask_is((checker()->data.expected ^ checker()->data.got) == 0x10);

		data_new(kind, 100);
		b.w.ep[0].script.unplaced = 23;
		bench_run();
		expect_bad(22, KV_DATA_NONE);
		ask_is(checker()->data.offset == 0);
		ask_is((checker()->data.expected ^ checker()->data.got) == 0xff);

		data_new(kind, 100);
		b.w.ep[0].script.old = 23;
		bench_run();
		expect_bad(22, 21);

		if (b.depth > 1) {
			data_new(kind, 100);
			b.w.ep[0].script.exchange = 23;
			b.w.ep[0].script.latency = 5000;
			bench_run();
			expect_bad(22, 23);
		}

		data_new(kind, 100);
		b.w.ep[0].script.late = 23;
		bench_run();
		check_both(100);
	}
}

/* no WC says that it arrived: it has until the deadline, unless it is another's data */
static void test_data_unseen(void **state)
{
	static const u32 writes[] = { 0, 5 };
	static const u64 looks[] = { 5, 2000 };
	u32 kind, i, n;
	u64 begin;

	for (n = 0; n < ARRAY_SIZE(writes); n++) {
		kind = writes[n];
		for (i = 0; i < ARRAY_SIZE(looks); i++) {
			data_new(kind, 100);
			b.unseen = 1;
			b.w.ep[0].script.late = 23;
			b.w.ep[0].script.looks = looks[i];
			begin = b.w.now;
			bench_run();
			check_both(100);
			ask_is(!i || b.w.now - begin > GRACE);
		}
		data_new(kind, 100);
		b.unseen = 1;
		b.w.ep[0].script.unplaced = 23;
		begin = b.w.now;
		bench_run();
		expect_bad(22, KV_DATA_NONE);
		ask_is(b.w.now - begin > DEADLINE);

		data_new(kind, 100);
		b.unseen = 1;
		b.w.ep[0].script.old = 23;
		begin = b.w.now;
		bench_run();
		expect_bad(22, 21);
		ask_is(b.w.now - begin < DEADLINE);

		data_new(kind, 100);
		b.unseen = 1;
		b.w.ep[0].script.unplaced = 23;
		b.w.stop_at = 300;
		b.w.stop_kind = KV_STOP_SOON;
		begin = b.w.now;
		bench_run();
		ask_is(checker()->end == KVERBS_REASON_STOPPED);
		ask_is(b.w.now - begin < DEADLINE);
	}
}

/* the faults that a job may ask for, in the measured window */
static void test_data_spoilt(void **state)
{
	u32 kind, size;
	u64 at;

	for (kind = 0; kind < DATA_KINDS; kind++) {
		for (size = 8; size <= 256; size += 31) {
			data_new(kind, 100);
			b.size = size;
			b.warm = 20000;
			b.check_data = KVERBS_CHECK_DATA_FLIP;
			bench_run();
			at = b.pair.measured_from + KV_DATA_FAULT_AFTER;
			expect_bad(at, KV_DATA_NONE);
			ask_is(checker()->data.offset == size / 2);
			ask_is((checker()->data.expected ^ checker()->data.got) == 1);

			data_new(kind, 100);
			b.size = size;
			b.warm = 20000;
			b.check_data = KVERBS_CHECK_DATA_SWAP;
			bench_run();
			at = b.pair.measured_from + KV_DATA_FAULT_AFTER;
			expect_bad(at, at + 1);

			data_new(kind, 100);
			b.size = size;
			b.check_data = KVERBS_CHECK_DATA_STALE;
			bench_run();
			expect_bad(KV_DATA_FAULT_AFTER, KV_DATA_FAULT_AFTER - 1);
			ask_is(b.loop[0].stat.ops > 0);
		}
	}
}

/* neighbouring messages differ in their first byte already; each byte in its complement */
static void test_data_pattern(void **state)
{
	unsigned char a[64] __attribute__((aligned(8))), c[64] __attribute__((aligned(8)));
	u64 seed = 7, m;
	u32 i;

	for (m = 0; m < 1000; m++) {
		for (i = 1; i < 255; i++)
			assert_int_not_equal(kv_data_byte(seed, 3, m, 0),
					     kv_data_byte(seed, 3, m + i, 0));
		kv_data_write(a, 8, 45, seed, 3, m, 0);
		kv_data_write(c, 8, 45, seed, 3, m, ~0ULL);
		assert_int_equal(kv_data_differs(a, 8, 45, seed, 3, m), 45);
		for (i = 0; i < 45; i++) {
			assert_int_equal(a[i], kv_data_byte(seed, 3, m, 8 + i));
			assert_int_equal(a[i] ^ c[i], 0xff);
			a[i] ^= 1;
			assert_int_equal(kv_data_differs(a, 8, 45, seed, 3, m), i);
			a[i] ^= 1;
		}
	}
}

static void paced_new(u32 two_sided, u64 n, u64 gap, u32 depth)
{
	bench_new(KVERBS_SHAPE_PACED, two_sided, n);
	b.with_hists = 1;
	b.timing = KVERBS_TIMING_LAT;
	b.gap = gap;
	b.depth = depth;
}

/* a device that keeps up: each WR at its time, and its response is its service */
static void test_paced(void **state)
{
	struct kv_hist *response = &hists[0][KVERBS_METRIC_RESPONSE];
	struct kv_hist *lat = &hists[0][KVERBS_METRIC_LAT];
	u32 timing;

	for (timing = KVERBS_TIMING_LAT; timing <= KVERBS_TIMING_ALL; timing++) {
		paced_new(0, 100, 1000, 4);
		b.timing = timing;
		bench_run();
		check_initiator(100);
		ask_is(b.loop[0].stat.unsent == 0);
		ask_is(response->count == 100 && lat->count == 100);
		ask_is(lat->sum == b.loop[0].stat.residence);
		ask_is(lat->min >= 500 && lat->max < 700);
		/* at most a wait and its readings late */
		ask_is(response->min >= lat->min && response->max < lat->max + 100);
		ask_is(b.loop[0].stat.wall >= 100 * 1000 + 500);
		ask_is(b.loop[0].stat.wall < 101 * 1000 + 500);
	}
}

/* one that does not: the wait of each WR counts, and starts that never came are known */
static void test_paced_overload(void **state)
{
	struct kv_hist *response = &hists[0][KVERBS_METRIC_RESPONSE];
	struct kv_stat *s = &b.loop[0].stat;

	paced_new(0, 200, 100, 1);
	bench_run();
	check_initiator(200);
	ask_is(hists[0][KVERBS_METRIC_LAT].max < 700);
	/* the last was to start at 20000 */
	ask_is(response->max + 20000 + 100 > s->wall && response->max < s->wall - 20000 + 100);
	/* it was posted about 500 before the end; one start every 100 */
	ask_is(s->unsent + 200 <= s->wall / 100 && s->unsent + 200 + 10 > s->wall / 100);
	/* by a time: those of the window are posted, or counted */
	paced_new(0, 0, 100, 1);
	b.span = 100000;
	bench_run();
	ask_is(b.loop[0].end == KVERBS_REASON_COMPLETE);
	check_accounts(0);
	ask_is(s->ops + s->unsent == 1000 && s->ops < 200);
	paced_new(0, 0, 1000, 4);
	b.span = 100000;
	bench_run();
	ask_is(s->ops == 100 || s->ops == 99);
	ask_is(s->ops + s->unsent == 100);
}

/* longer between two starts than a completion may take: no time-out of nothing */
static void test_paced_rests(void **state)
{
	paced_new(0, 3, 3 * DEADLINE, 4);
	b.warm = 1000;
	bench_run();
	check_initiator(3);
	/* and the warm-up does not take as long */
	ask_is(b.loop[0].stat.warm_ops >= 4);
	ask_is(b.loop[0].stat.warm_ticks < DEADLINE);
}

static void test_paced_drawn(void **state)
{
	u32 i;

	paced_new(0, 2000, 0, 8);
	for (i = 0; i < 4; i++)
		b.gaps[i] = (200ULL + 400 * i) << KV_PACE_SHIFT;
	bench_run();
	check_initiator(2000);
	/* each of the four about as often: a mean of 800 */
	ask_is(b.loop[0].stat.wall > 2000 * 760 && b.loop[0].stat.wall < 2000 * 840);
}

static void test_paced_stop_anywhere(void **state)
{
	u64 at;
	u32 kind;

	for (kind = KV_STOP_SOON; kind <= KV_STOP_NOW; kind++) {
		for (at = 1; ; at += 1 + at / 20) {
			paced_new(0, 20, 300, 2);
			b.w.stop_at = at;
			b.w.stop_kind = kind;
			bench_run();
			ask_is(!b.w.broken);
			if (b.w.stops < at)
				break;
			ask_is(b.loop[0].end == KVERBS_REASON_STOPPED ||
			       b.loop[0].stat.ops == 20);
		}
		check_initiator(20);
		assert_true(at > 20);
	}
}

/* one lane's end is the other's, also while nothing is due */
static void test_paced_two_lanes(void **state)
{
	u64 seed = 5;
	u32 i;

	for (i = 0; i < 300; i++) {
		paced_new(1, 1 + test_random(&seed) % 40, 100 + test_random(&seed) % 2000,
			  1 + (u32)(test_random(&seed) % 8));
		b.warm = i % 2 ? 500 : 0;
		b.w.seed = seed;
		bench_run();
		check_both(b.n);
	}
	paced_new(1, 1000, 10 * DEADLINE, 4);
	b.w.ep[1].script.recv_fail = 2;
	bench_run();
	ask_is(b.loop[1].end == KVERBS_REASON_WC);
	ask_is(b.loop[0].end == KVERBS_REASON_STOPPED);
	ask_is(b.loop[0].stat.ops == 2);
}

/* REG_MR and a message chained, LOCAL_INV; the same registered again in between */
static void phases_new(u64 n)
{
	static const struct kv_phase phases[] = {
		{ 0, 1, KVERBS_METRIC_REG, 0 },
		{ 1, 2, __KVERBS_METRIC_MAX, 0 },
		{ 3, 1, KVERBS_METRIC_INV, 0 },
		{ 4, 1, __KVERBS_METRIC_MAX, 1 },
	};

	bench_new(KVERBS_SHAPE_LAT, 0, n);
	b.nphases = ARRAY_SIZE(phases);
	memcpy(b.phase, phases, sizeof(phases));
	b.with_hists = 1;
}

static void check_phases(u64 n)
{
	struct kv_loop *l = &b.loop[0];
	struct kv_stat *s = &l->stat;

	ask_is(!b.w.broken);
	ask_is(l->retired == l->posted && s->total_wrs == l->posted);
	ask_is(s->ops == n && s->wrs == n && s->signalled == n && s->wcs == n);
	/* what comes between two operations is no post of theirs */
	ask_is(s->posts == 3 * n);
	ask_is(b.w.ep[0].posts == 4 * l->posted || l->end != KVERBS_REASON_COMPLETE);
	if (b.timing == KVERBS_TIMING_NONE) {
		ask_is(!s->residence && !hists[0][KVERBS_METRIC_LAT].count);
		return;
	}
	ask_is(hists[0][KVERBS_METRIC_LAT].count == n);
	ask_is(hists[0][KVERBS_METRIC_POST].count == 3 * n);
	ask_is(hists[0][KVERBS_METRIC_REG].count == n);
	ask_is(hists[0][KVERBS_METRIC_INV].count == n);
	ask_is(s->residence == s->occupancy);
	ask_is(s->residence == hists[0][KVERBS_METRIC_LAT].sum);
	ask_is(s->wall == s->t_post + s->t_poll + s->t_empty + s->t_rest + s->t_reg);
	/* the parts of an operation are within it */
	ask_is(!n || hists[0][KVERBS_METRIC_REG].sum + hists[0][KVERBS_METRIC_INV].sum <
		     hists[0][KVERBS_METRIC_LAT].sum);
}

static void test_phases(void **state)
{
	u32 timing, n;

	for (timing = 0; timing <= KVERBS_TIMING_ALL; timing++) {
		for (n = 1; n <= 20; n++) {
			phases_new(n);
			b.timing = timing;
			bench_run();
			ask_is(b.loop[0].end == KVERBS_REASON_COMPLETE);
			check_phases(n);
			phases_new(n);
			b.timing = timing;
			b.warm = 20000;
			bench_run();
			ask_is(b.loop[0].end == KVERBS_REASON_COMPLETE);
			ask_is(b.loop[0].stat.warm_ops);
			check_phases(n);
		}
	}
}

static void test_phases_stop_anywhere(void **state)
{
	u64 at;

	for (at = 1; at < 60; at++) {
		phases_new(20);
		b.w.stop_at = at;
		b.w.stop_kind = KV_STOP_SOON;
		bench_run();
		ask_is(b.loop[0].end == KVERBS_REASON_STOPPED ||
		       b.loop[0].end == KVERBS_REASON_COMPLETE);
		check_phases(b.loop[0].stat.ops);
	}
}

/* whatever goes wrong, in whichever phase: the reason, and the WR by its step */
static void test_phases_that_fail(void **state)
{
	static const u64 last[] = { 0, 2, 3, 4 };
	u64 at;

	for (at = 1; at <= 12; at++) {
		struct kv_loop *l = &b.loop[0];
		u64 phase = (at - 1) % 4;

		phases_new(20);
		b.w.ep[0].script.post_bad = at;
		bench_run();
		ask_is(l->end == KVERBS_REASON_POST && l->err == -ENOMEM);
		ask_is(l->err_wr == (KV_ID_STEP | b.phase[phase].first));
		ask_is(b.pair.abort);

		phases_new(20);
		b.w.ep[0].script.fail = at;
		bench_run();
		ask_is(l->end == KVERBS_REASON_WC && l->wc_status == FAKE_STATUS);
		ask_is(l->err_wr == (KV_ID_STEP | last[phase]));
		ask_is(l->stat.ops == (at - 1) / 4 + (phase == 3));

		phases_new(20);
		b.w.ep[0].script.alien = at;
		bench_run();
		ask_is(l->end == KVERBS_REASON_ORDER);

		phases_new(20);
		b.w.ep[0].script.never = at;
		bench_run();
		ask_is(l->end == KVERBS_REASON_TIMEOUT);
	}
}

/* a message that is to invalidate does, or ends the run */
static void test_taken(void **state)
{
	bench_new(KVERBS_SHAPE_PINGPONG, 1, 20);
	b.taken = 1;
	bench_run();
	check_both(20);

	bench_new(KVERBS_SHAPE_PINGPONG, 1, 20);
	b.taken = 1;
	b.w.ep[1].keeps = 1;
	bench_run();
	ask_is(b.loop[1].end == KVERBS_REASON_KEPT);
	ask_is(b.loop[0].end == KVERBS_REASON_STOPPED);

	bench_new(KVERBS_SHAPE_PINGPONG, 1, 20);
	b.w.ep[1].keeps = 1;
	bench_run();
	check_both(20);
}

/* memory is opened before each message, and the peer has its key before it answers */
static void exchange_new(u64 n, u64 seed)
{
	bench_new(KVERBS_SHAPE_PINGPONG, 1, n);
	b.w.seed = seed;
	b.exchanges = 1;
	b.with_hists = 1;
	b.reg.nbegin = 1;
	b.reg.begin[0] = KVERBS_METRIC_MAP;
	b.reg.nend = 1;
	b.reg.end[0] = KVERBS_METRIC_UNMAP;
}

static void test_exchange(void **state)
{
	u64 seed, stop;

	for (seed = 1; seed < 50; seed++) {
		exchange_new(20, seed);
		bench_run();
		check_both(20);
		ask_is(b.w.ep[0].offered == b.loop[0].posted);
		ask_is(b.w.ep[1].accepted == b.w.ep[0].offered);
		ask_is(b.loop[0].released == b.loop[0].posted);
		ask_is(hists[0][KVERBS_METRIC_MAP].count == 20);
		ask_is(hists[0][KVERBS_METRIC_UNMAP].count == 20);
		ask_is(hists[0][KVERBS_METRIC_IO].count == 20);
		ask_is(hists[0][KVERBS_METRIC_IO].sum > hists[0][KVERBS_METRIC_RTT].sum);
	}
	for (stop = 1; stop < 300; stop++) {
		exchange_new(20, stop);
		b.w.stop_at = stop;
		b.w.stop_kind = stop & 1 ? KV_STOP_SOON : KV_STOP_NOW;
		bench_run();
		ask_is(!b.w.broken);
		ask_is(b.loop[0].end == KVERBS_REASON_STOPPED ||
		       b.loop[0].end == KVERBS_REASON_COMPLETE);
	}
	for (stop = 1; stop < 20; stop++) {
		exchange_new(20, stop);
		b.w.ep[1].script.never = stop;
		bench_run();
		ask_is(!b.w.broken);
		ask_is(b.loop[0].end == KVERBS_REASON_TIMEOUT ||
		       b.loop[1].end == KVERBS_REASON_TIMEOUT);
	}
	exchange_new(20, 1);
	b.w.ep[0].script.reg_bad = 7;
	bench_run();
	ask_is(b.loop[0].end == KVERBS_REASON_REG && b.loop[0].err == -ENOMEM);
	/* all that was sent has been answered */
	ask_is(b.loop[1].end == KVERBS_REASON_COMPLETE && b.loop[1].recvs == 6);
}

/* the lane sleeps: nothing is lost between a poll, a request for an event and a sleep */
static void sleep_new(u32 i, u64 n, u64 seed)
{
	u32 lane;

	two_new(i % 3, i % 3 == KVERBS_SHAPE_PINGPONG || i / 3 % 2, n, seed);
	if (b.shape == KVERBS_SHAPE_RATE) {
		b.depth = 1 + i % 9;
		b.chain = 1 + i % b.depth;
		b.signal = 1 + i / 2 % b.depth;
		b.batch = 1 + i % 4;
	}
	b.timing = i / 6 % 3;
	b.sleeps = 1;
	b.spin = i / 18 % 2 ? 400 : 0;
	b.with_hists = i % 5 == 0;
	for (lane = 0; lane < 2; lane++) {
		b.w.ep[lane].script.arm_mute = i / 36 % 2;
		b.w.ep[lane].script.wake = i % 4 * 100;
		/* often in the midst of the race */
		b.w.ep[lane].script.latency = i % 7 * 12;
	}
}

static void test_sleep(void **state)
{
	u64 seed = 41, arms = 0, missed = 0, events = 0;
	struct kv_stat *s = &b.loop[0].stat;
	u32 i;

	for (i = 0; i < 1440; i++) {
		sleep_new(i, 1 + i % 40, test_random(&seed));
		if (i / 36 % 3 == 2)
			b.warm = 3000;
		bench_run();
		check_both(1 + i % 40);
		ask_is(s->arms <= b.w.ep[0].arms && s->sleeps <= b.w.ep[0].sleeps);
		ask_is(s->missed <= s->arms && s->events <= s->sleeps);
		arms += s->arms;
		missed += s->missed;
		events += s->events;
	}
	assert_true(arms > missed && missed > 100 && events > 100);
}

/* from the event to the lane that runs again, to the reading */
static void test_sleep_handler(void **state)
{
	struct kv_hist *h = &hists[0][KVERBS_METRIC_HANDLER];

	lat_new(100);
	b.sleeps = 1;
	b.w.ep[0].script.wake = 70;
	bench_run();
	check_initiator(100);
	assert_int_equal(b.loop[0].stat.events, 100);
	assert_int_equal(b.loop[0].stat.arms, 100);
	assert_int_equal(h->count, 100);
	assert_true(h->min >= 73 && h->max <= 73 + 50);
	/* long enough, polling finds it */
	lat_new(100);
	b.sleeps = 1;
	b.spin = 2000;
	bench_run();
	check_initiator(100);
	assert_int_equal(b.loop[0].stat.arms, 0);
	/* who raises it took no clock */
	lat_new(100);
	b.sleeps = 1;
	b.w.ep[0].script.arm_mute = 1;
	bench_run();
	check_initiator(100);
	assert_int_equal(b.loop[0].stat.events, 100);
	assert_int_equal(h->count, 0);
}

/* it ends whatever happens, and an event that is lost costs a slice */
static void test_sleep_ends(void **state)
{
	u64 seed = 42;
	u32 i;

	for (i = 0; i < 144; i++) {
		sleep_new(i, 20, test_random(&seed));
		b.w.ep[0].script.never = 1 + i % 15;
		bench_run();
		ask_is(!b.w.broken);
		ask_is(b.loop[0].end == KVERBS_REASON_TIMEOUT ||
		       b.loop[1].end == KVERBS_REASON_TIMEOUT);
	}
	for (i = 0; i < 144; i++) {
		sleep_new(i, 0, test_random(&seed));
		b.span = 1000000;
		b.w.stop_at = 1 + i % 50;
		b.w.stop_kind = 1 + i % 2;
		bench_run();
		ask_is(!b.w.broken);
		ask_is(b.loop[0].end == KVERBS_REASON_STOPPED);
	}
	for (i = 0; i < 36; i++) {
		sleep_new(3 * i, 20, test_random(&seed));
		b.w.ep[0].script.deaf = 1 + i % 15;
		bench_run();
		check_both(20);
	}
}

/* handlers do the work of the lane: each WR is accounted for as it does it itself */
static void handled_new(u32 i, u64 n, u64 seed)
{
	u32 lane;

	two_new(i % 2 ? KVERBS_SHAPE_RATE : KVERBS_SHAPE_LAT, i / 2 % 2, n, seed);
	if (b.shape == KVERBS_SHAPE_RATE) {
		b.depth = 1 + i % 9;
		b.chain = 1 + i % b.depth;
		b.signal = 1 + i / 2 % b.depth;
	}
	b.recv_depth = 1 + i % 16;
	b.timing = i / 4 % 3;
	b.handled = 1;
	for (lane = 0; lane < 2; lane++) {
		b.w.ep[lane].script.wake = i % 3 * 20;
		b.w.ep[lane].script.latency = i % 7 * 40;
		b.w.ep[lane].script.park = i / 12 % 2 * 10;
	}
}

static void test_handled(void **state)
{
	struct kv_stat *s = &b.loop[0].stat;
	u64 seed = 51;
	u32 i, n;

	for (i = 0; i < 1200; i++) {
		n = 1 + i % 60;
		handled_new(i, n, test_random(&seed));
		b.with_hists = !(i % 5);
		if (i % 3 == 2)
			b.warm = 3000;
		/* the window opens anywhere in what the receiver is given */
		b.head_start = lanes() > 1 && i % 7 == 6 ? 50 : 0;
		bench_run();
		check_both(n);
		ask_is(s->handled == s->wcs && !s->polls && !s->empty_polls);
		ask_is(lanes() == 1 || b.loop[1].stat.handled == n);
		if (b.with_hists && b.timing && b.shape == KVERBS_SHAPE_LAT)
			ask_is(hists[0][KVERBS_METRIC_LAT].count == n &&
			       hists[0][KVERBS_METRIC_POST].count == n);
	}
}

static void test_handled_for_a_time(void **state)
{
	u64 seed = 52;
	u32 i;

	for (i = 0; i < 200; i++) {
		handled_new(i, 0, test_random(&seed));
		b.span = 20000;
		bench_run();
		check_both(b.loop[0].stat.ops);
		ask_is(b.loop[0].stat.wall >= b.span);
	}
}

static void test_handled_ends(void **state)
{
	u64 seed = 53;
	u32 i;

	for (i = 0; i < 200; i++) {
		handled_new(i, 20, test_random(&seed));
		b.w.ep[0].script.never = 1 + i % 15;
		bench_run();
		ask_is(!b.w.broken);
		ask_is(b.loop[0].end == KVERBS_REASON_TIMEOUT ||
		       b.loop[1].end == KVERBS_REASON_TIMEOUT);
	}
	for (i = 0; i < 200; i++) {
		handled_new(i, 0, test_random(&seed));
		b.span = 1000000;
		b.w.stop_at = 1 + i % 50;
		b.w.stop_kind = 1 + i % 2;
		bench_run();
		ask_is(!b.w.broken);
		ask_is(b.loop[0].end == KVERBS_REASON_STOPPED);
	}
	for (i = 0; i < 200; i++) {
		handled_new(i, 20, test_random(&seed));
		b.w.ep[0].script.fail = 1;
		bench_run();
		ask_is(!b.w.broken);
		ask_is(b.loop[0].end == KVERBS_REASON_WC && b.loop[0].wc_status == FAKE_STATUS);
		handled_new(i, 20, test_random(&seed));
		b.w.ep[0].script.post_bad = 1 + i % 19;
		bench_run();
		ask_is(!b.w.broken);
		ask_is(b.loop[0].end == KVERBS_REASON_POST && b.loop[0].err == -ENOMEM);
	}
}

/* memory of each operation is registered, by so many calls before and after it */
static void reg_new(u32 shape, u64 n, u32 begin, u32 end)
{
	static const struct kv_reg_calls calls = {
		.on = 1,
		.begin = { KVERBS_METRIC_MAP, KVERBS_METRIC_SYNC },
		.end = { KVERBS_METRIC_INV, KVERBS_METRIC_UNMAP },
	};

	if (shape == KVERBS_SHAPE_PACED)
		paced_new(n, 200 + 10 * n, 0, 4);
	else
		bench_new(shape, 0, n);
	b.reg = calls;
	b.reg.nbegin = begin;
	b.reg.nend = end;
	b.with_hists = 1;
}

/* each call is made once for each operation, timed, and counted as what it is */
static void check_reg(u64 n)
{
	u32 timed = b.timing != KVERBS_TIMING_NONE, i;
	struct kv_loop *l = &b.loop[0];
	u64 sum = 0;

	ask_is(b.w.ep[0].begins == l->posted * b.reg.nbegin);
	ask_is(b.w.ep[0].ends == l->posted * b.reg.nend);
	for (i = 0; i < FAKE_SLOTS; i++)
		ask_is(!b.w.ep[0].calls[i]);
	for (i = 0; i < b.reg.nbegin; i++) {
		ask_is(hists[0][b.reg.begin[i]].count == timed * n);
		sum += hists[0][b.reg.begin[i]].sum;
	}
	for (i = 0; i < b.reg.nend; i++) {
		ask_is(hists[0][b.reg.end[i]].count == timed * n);
		sum += hists[0][b.reg.end[i]].sum;
	}
	ask_is(l->stat.t_reg == sum);
	if (b.depth > 1 || !timed)
		return;
	ask_is(hists[0][KVERBS_METRIC_IO].count == n);
	ask_is(hists[0][KVERBS_METRIC_IO].sum >= sum + hists[0][KVERBS_METRIC_LAT].sum);
	/* nothing of it is in what the device takes */
	ask_is(hists[0][KVERBS_METRIC_LAT].max < 700);
}

static void test_registered(void **state)
{
	u32 timing, parts;
	u64 n;

	for (timing = 0; timing <= KVERBS_TIMING_ALL; timing++) {
		for (parts = 0; parts < 6; parts++) {
			for (n = 1; n <= 12; n++) {
				reg_new(KVERBS_SHAPE_LAT, n, parts % 3, 1 + parts / 3);
				b.timing = timing;
				b.warm = n % 2 ? 5000 : 0;
				bench_run();
				check_initiator(n);
				check_reg(n);
			}
		}
	}
}

static void test_registered_window(void **state)
{
	u32 i;

	for (i = 0; i < 600; i++) {
		reg_new(KVERBS_SHAPE_RATE, 1 + i % 40, i % 3, 1 + i / 3 % 2);
		b.depth = 2 + i % 9;
		b.chain = 1 + i % b.depth;
		b.signal = 1 + i / 2 % b.depth;
		b.batch = 1 + i % 4;
		b.timing = i / 6 % 3;
		b.warm = i / 18 % 2 ? 3000 : 0;
		bench_run();
		check_initiator(1 + i % 40);
		check_reg(1 + i % 40);
	}
}

/* whichever call fails, the run ends there: nothing is posted that is not registered */
static void test_registration_fails(void **state)
{
	struct kv_loop *l = &b.loop[0];
	u64 at;
	u32 i;

	for (at = 1; at <= 20; at++) {
		for (i = 0; i < 2; i++) {
			reg_new(i ? KVERBS_SHAPE_RATE : KVERBS_SHAPE_LAT, 20, 2, 2);
			b.depth = i ? 5 : 1;
			b.chain = i ? 3 : 1;
			b.w.ep[0].script.reg_bad = at;
			bench_run();
			ask_is(!b.w.broken);
			ask_is(l->end == KVERBS_REASON_REG && l->err == -ENOMEM);
			ask_is(l->posted <= (at - 1) / 2 && l->err_wr == l->posted);
			ask_is(b.pair.abort);
			reg_new(i ? KVERBS_SHAPE_RATE : KVERBS_SHAPE_LAT, 20, 2, 2);
			b.depth = i ? 5 : 1;
			b.w.ep[0].script.dereg_bad = at;
			bench_run();
			ask_is(!b.w.broken);
			ask_is(l->end == KVERBS_REASON_REG && l->err == -EINVAL);
			ask_is(l->err_wr == (at - 1) / 2);
		}
	}
}

static void test_registered_stop_anywhere(void **state)
{
	u64 at;
	u32 i;

	for (at = 1; at < 80; at++) {
		for (i = 0; i < 3; i++) {
			reg_new(i ? KVERBS_SHAPE_RATE : KVERBS_SHAPE_LAT, 30, 1, 1 + i % 2);
			b.depth = i ? 6 : 1;
			b.chain = i ? 2 : 1;
			b.w.stop_at = at;
			b.w.stop_kind = KV_STOP_SOON;
			bench_run();
			check_accounts(0);
			check_reg(b.loop[0].stat.ops);
		}
	}
}

/* in phases: the calls are before the first and after the last */
static void test_registered_phases(void **state)
{
	u32 timing, n;

	for (timing = 0; timing <= KVERBS_TIMING_ALL; timing++) {
		for (n = 1; n <= 10; n++) {
			phases_new(n);
			b.timing = timing;
			b.warm = n % 2 ? 20000 : 0;
			b.reg.on = 1;
			b.reg.nbegin = 1;
			b.reg.begin[0] = KVERBS_METRIC_MAP;
			b.reg.nend = 1;
			b.reg.end[0] = KVERBS_METRIC_UNMAP;
			bench_run();
			ask_is(b.loop[0].end == KVERBS_REASON_COMPLETE);
			check_phases(n);
			ask_is(b.w.ep[0].begins == b.loop[0].posted);
			ask_is(b.w.ep[0].ends == b.loop[0].posted);
			ask_is(hists[0][KVERBS_METRIC_IO].count == (timing ? n : 0));
		}
	}
	phases_new(20);
	b.reg.on = 1;
	b.reg.nbegin = 1;
	b.reg.nend = 1;
	b.w.ep[0].script.reg_bad = 7;
	bench_run();
	ask_is(b.loop[0].end == KVERBS_REASON_REG && b.loop[0].err_wr == 6);
}

/* errors, and what it takes to be as before */
static void recover_new(u64 n, u32 depth, u32 recreate)
{
	bench_new(KVERBS_SHAPE_RECOVER, 0, n);
	b.depth = depth;
	b.recreate = recreate;
	b.timing = n % 2 ? KVERBS_TIMING_LAT : KVERBS_TIMING_ALL;
	b.with_hists = 1;
	b.w.ep[0].script.jitter = 50;
}

/* what holds of it however it ended */
static void check_turns(void)
{
	struct kv_stat *s = &b.loop[0].stat;
	u64 tiles = s->t_post + s->t_poll + s->t_empty + s->t_rest + s->t_control;

	ask_is(!b.w.broken);
	ask_is(b.loop[0].posted == b.loop[0].retired);
	ask_is(s->ops == s->retired && s->wrs == s->retired && s->wcs == s->signalled);
	ask_is(s->total_wrs == s->ops + s->warm_ops);
	ask_is(s->wall == tiles && s->t_control);
	ask_is(s->residence == s->occupancy);
	ask_is(!b.w.ep[0].slot[0].wrong);
}

/* a turn is in each of these once, or, of a call, for both QPs */
static void check_recovered(u64 n)
{
	static const u32 parts[] = {
		KVERBS_METRIC_FLUSH, KVERBS_METRIC_RENEW, KVERBS_METRIC_CONNECT,
		KVERBS_METRIC_FIRST,
	};
	struct kv_hist *h = hists[0];
	u64 sum = 0;
	u32 i, anew = b.recreate;

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		ask_is(h[parts[i]].count == n);
		sum += h[parts[i]].sum;
	}
	ask_is(h[KVERBS_METRIC_RECOVER].count == n && h[KVERBS_METRIC_RECOVER].sum == sum);
	for (i = KVERBS_METRIC_TO_ERR; i <= KVERBS_METRIC_TO_RTS; i++)
		ask_is(h[i].count == (i == KVERBS_METRIC_TO_RESET && anew ? 0 : 2 * n));
	ask_is(h[KVERBS_METRIC_CREATE_QP].count == (anew ? 2 * n : 0));
	ask_is(h[KVERBS_METRIC_DESTROY_QP].count == (anew ? 2 * n : 0));
	ask_is(b.loop[0].stat.flushed == n * (b.depth - 1));
	ask_is(b.w.ep[0].flushes >= b.loop[0].stat.flushed);
}

static void test_recover(void **state)
{
	u32 depth, n;

	for (depth = 1; depth <= 40; depth++) {
		for (n = 1; n <= 8; n++) {
			recover_new(n, depth, depth % 2);
			b.warm = n % 3 ? 0 : 20000;
			bench_run();
			ask_is(b.loop[0].end == KVERBS_REASON_COMPLETE);
			ask_is(b.loop[0].stat.ops == n);
			check_turns();
			check_recovered(n);
		}
	}
	recover_new(0, 7, 0);
	b.span = 100000;
	bench_run();
	ask_is(b.loop[0].end == KVERBS_REASON_COMPLETE && b.loop[0].stat.ops > 3);
	check_turns();
	check_recovered(b.loop[0].stat.ops);
}

/* a stop anywhere ends it; a turn that did not come to its end is none */
static void test_recover_stop_anywhere(void **state)
{
	u64 at;
	u32 kind;

	for (at = 1; at < 400; at++) {
		for (kind = KV_STOP_SOON; kind <= KV_STOP_NOW; kind++) {
			recover_new(20, 5, at % 2);
			b.w.stop_at = at;
			b.w.stop_kind = kind;
			bench_run();
			ask_is(!b.w.broken);
			if (b.loop[0].end == KVERBS_REASON_COMPLETE)
				continue;
			ask_is(b.loop[0].end == KVERBS_REASON_STOPPED);
			ask_is(b.loop[0].posted == b.loop[0].retired);
			ask_is(b.loop[0].stat.ops == hists[0][KVERBS_METRIC_RECOVER].count);
			ask_is(b.loop[0].stat.residence == b.loop[0].stat.occupancy);
			ask_is(!b.pair.abort);
		}
	}
}

/* whichever call fails, it is named, and nothing is called after it */
static void test_recover_call_fails(void **state)
{
	static const u32 turn[2][12] = {
		{ KVERBS_METRIC_TO_ERR, KVERBS_METRIC_TO_ERR, KVERBS_METRIC_TO_RESET,
		  KVERBS_METRIC_TO_RESET, KVERBS_METRIC_TO_INIT, KVERBS_METRIC_TO_INIT,
		  KVERBS_METRIC_TO_RTR, KVERBS_METRIC_TO_RTR, KVERBS_METRIC_TO_RTS,
		  KVERBS_METRIC_TO_RTS },
		{ KVERBS_METRIC_TO_ERR, KVERBS_METRIC_TO_ERR, KVERBS_METRIC_DESTROY_QP,
		  KVERBS_METRIC_DESTROY_QP, KVERBS_METRIC_CREATE_QP, KVERBS_METRIC_CREATE_QP,
		  KVERBS_METRIC_TO_INIT, KVERBS_METRIC_TO_INIT, KVERBS_METRIC_TO_RTR,
		  KVERBS_METRIC_TO_RTR, KVERBS_METRIC_TO_RTS, KVERBS_METRIC_TO_RTS },
	};
	u32 at, recreate, calls;

	for (recreate = 0; recreate < 2; recreate++) {
		calls = recreate ? 12 : 10;
		for (at = 0; at < 2 * calls; at++) {
			recover_new(5, 4, recreate);
			b.w.ep[0].script.control_bad = at + 1;
			bench_run();
			ask_is(!b.w.broken);
			ask_is(b.loop[0].end == KVERBS_REASON_SETUP);
			ask_is(b.loop[0].err == -EINVAL);
			ask_is(b.loop[0].err_wr == turn[recreate][at % calls]);
			ask_is(b.w.ep[0].controls == at + 1);
			ask_is(b.loop[0].stat.ops == at / calls);
			ask_is(b.pair.abort);
		}
	}
}

/* completions that are none of its own making, or never come */
static void test_recover_goes_wrong(void **state)
{
	recover_new(3, 4, 0);
	b.w.ep[0].script.kind = 1;
	bench_run();
	ask_is(b.loop[0].end == KVERBS_REASON_ORDER && b.loop[0].err_wr == 0);
	recover_new(3, 4, 0);
	b.w.ep[0].script.fail = 5;	/* the good one */
	bench_run();
	ask_is(b.loop[0].end == KVERBS_REASON_WC && b.loop[0].wc_status == FAKE_STATUS);
	recover_new(3, 4, 0);
	b.w.ep[0].script.drop = 3;
	bench_run();
	ask_is(b.loop[0].end == KVERBS_REASON_ORDER && b.loop[0].err_wr == 3);
	recover_new(3, 4, 0);
	b.w.ep[0].script.drop = 4;
	bench_run();
	ask_is(b.loop[0].end == KVERBS_REASON_TIMEOUT);
	recover_new(3, 4, 0);
	b.w.ep[0].script.post_bad = 2;
	bench_run();
	ask_is(b.loop[0].end == KVERBS_REASON_POST && b.loop[0].err == -ENOMEM);
}

/* storms: each call of each object, and nothing is left */
static void setup_new(u64 n, u32 storm)
{
	bench_new(KVERBS_SHAPE_SETUP, 0, n);
	b.depth = 4;
	b.storm = storm;
	b.timing = KVERBS_TIMING_LAT;
	b.with_hists = 1;
}

static void test_setup(void **state)
{
	u32 storm, n, i;

	for (storm = 1; storm <= 128; storm += storm < 8 ? 1 : 24) {
		for (n = 1; n <= 4; n++) {
			setup_new(n, storm);
			b.warm = n == 2 ? 5000 : 0;
			bench_run();
			ask_is(b.loop[0].end == KVERBS_REASON_COMPLETE);
			ask_is(b.loop[0].stat.ops == n && !b.loop[0].stat.flushed);
			check_turns();
			ask_is(hists[0][KVERBS_METRIC_SETUP].count == n);
			for (i = KVERBS_METRIC_TO_INIT; i <= KVERBS_METRIC_POOL_FREE; i++) {
				if (i != KVERBS_METRIC_SETUP)
					ask_is(hists[0][i].count == n * storm);
			}
			for (i = 0; i < storm; i++)
				ask_is(!b.w.ep[0].made[i]);
		}
	}
}

/* connections: what is made of each end, and what of both; a set-up ends with the last of them */
static void test_setup_by_cm(void **state)
{
	static const u32 whole[] = {
		KVERBS_METRIC_CREATE_ID, KVERBS_METRIC_RESOLVE_ADDR, KVERBS_METRIC_RESOLVE_ROUTE,
		KVERBS_METRIC_CONNECT, KVERBS_METRIC_MR_ALLOC, KVERBS_METRIC_MR_FREE,
		KVERBS_METRIC_POOL_INIT, KVERBS_METRIC_POOL_FREE, KVERBS_METRIC_DISCONNECT,
	}, ends[] = {
		KVERBS_METRIC_CREATE_CQ, KVERBS_METRIC_CREATE_QP, KVERBS_METRIC_DESTROY_ID,
		KVERBS_METRIC_DESTROY_QP, KVERBS_METRIC_DESTROY_CQ,
	}, before[] = {
		KVERBS_METRIC_CREATE_ID, KVERBS_METRIC_RESOLVE_ADDR, KVERBS_METRIC_RESOLVE_ROUTE,
		KVERBS_METRIC_CREATE_CQ, KVERBS_METRIC_CREATE_QP, KVERBS_METRIC_CONNECT,
	};
	u32 storm, n, i;
	u64 sum;

	for (storm = 1; storm <= 64; storm += storm < 8 ? 1 : 28) {
		for (n = 1; n <= 3; n++) {
			setup_new(n, storm);
			b.cm = 1;
			bench_run();
			ask_is(b.loop[0].end == KVERBS_REASON_COMPLETE);
			ask_is(b.loop[0].stat.ops == n);
			check_turns();
			ask_is(hists[0][KVERBS_METRIC_SETUP].count == n);
			for (i = 0; i < ARRAY_SIZE(whole); i++)
				ask_is(hists[0][whole[i]].count == n * storm);
			for (i = 0; i < ARRAY_SIZE(ends); i++)
				ask_is(hists[0][ends[i]].count == 2 * n * storm);
			ask_is(!hists[0][KVERBS_METRIC_TO_INIT].count);
			for (sum = 0, i = 0; i < ARRAY_SIZE(before); i++)
				sum += hists[0][before[i]].sum;
			ask_is(hists[0][KVERBS_METRIC_SETUP].sum >= sum);
			ask_is(hists[0][KVERBS_METRIC_SETUP].sum <
			       sum + hists[0][KVERBS_METRIC_MR_ALLOC].sum);
			for (i = 0; i < 2 * storm; i++)
				ask_is(!b.w.ep[0].made[i]);
		}
	}
	/* 19 calls a turn of one connection */
	for (i = 1; i < 40; i++) {
		setup_new(2, 1);
		b.cm = 1;
		b.w.ep[0].script.control_bad = i;
		b.w.ep[0].script.control_stops = i & 1;
		bench_run();
		ask_is(!b.w.broken);
		ask_is(b.w.ep[0].controls == (i > 38 ? 38 : i));
		ask_is(b.loop[0].end == (i > 38 ? KVERBS_REASON_COMPLETE : i & 1 ?
					 KVERBS_REASON_STOPPED : KVERBS_REASON_SETUP));
		ask_is(b.loop[0].posted == b.loop[0].retired);
		ask_is(b.loop[0].retired == (i > 38 ? 2 : i > 19 ? 1 : 0));
	}
}

/* whichever call fails, and wherever it is stopped, it ends between two calls */
static void test_setup_ends_anywhere(void **state)
{
	u32 at;

	for (at = 1; at < 70; at++) {
		setup_new(3, 2);
		b.w.ep[0].script.control_bad = at;
		bench_run();
		ask_is(!b.w.broken);
		ask_is(b.loop[0].end == (at > 66 ? KVERBS_REASON_COMPLETE : KVERBS_REASON_SETUP));
		ask_is(b.w.ep[0].controls == (at > 66 ? 66 : at));
		setup_new(3, 2);
		b.w.stop_at = at;
		b.w.stop_kind = KV_STOP_SOON;
		bench_run();
		ask_is(!b.w.broken && b.loop[0].posted == b.loop[0].retired);
		ask_is(b.w.ep[0].controls <= at);
		ask_is(b.loop[0].stat.residence == b.loop[0].stat.occupancy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lat),
		cmocka_unit_test(test_lat_loops_agree),
		cmocka_unit_test(test_rate_loops_agree),
		cmocka_unit_test(test_lat_delayed),
		cmocka_unit_test(test_lat_delayed_before),
		cmocka_unit_test(test_lat_of_a_known_device),
		cmocka_unit_test(test_lat_for_a_time),
		cmocka_unit_test(test_lat_stop_anywhere),
		cmocka_unit_test(test_rate_all_small_windows),
		cmocka_unit_test(test_rate_larger_windows),
		cmocka_unit_test(test_rate_fills_the_window),
		cmocka_unit_test(test_rate_signals_by_interval),
		cmocka_unit_test(test_rate_posts_whole_chains),
		cmocka_unit_test(test_rate_for_a_time),
		cmocka_unit_test(test_rate_stop_anywhere),
		cmocka_unit_test(test_rate_abandon_anywhere),
		cmocka_unit_test(test_rate_samples_some_chains),
		cmocka_unit_test(test_unsignalled_wrs_give_no_latency),
		cmocka_unit_test(test_stop_of_a_dead_device),
		cmocka_unit_test(test_warm_up_is_not_counted),
		cmocka_unit_test(test_warm_up_off),
		cmocka_unit_test(test_warm_up_of_a_restless_device),
		cmocka_unit_test(test_warm_up_turns_the_queue),
		cmocka_unit_test(test_end_in_warm_up),
		cmocka_unit_test(test_paced),
		cmocka_unit_test(test_paced_overload),
		cmocka_unit_test(test_paced_rests),
		cmocka_unit_test(test_paced_drawn),
		cmocka_unit_test(test_paced_stop_anywhere),
		cmocka_unit_test(test_paced_two_lanes),
		cmocka_unit_test(test_post_refused_at_any_wr),
		cmocka_unit_test(test_poll_fails),
		cmocka_unit_test(test_failing_wc),
		cmocka_unit_test(test_provoked),
		cmocka_unit_test(test_provoked_busy),
		cmocka_unit_test(test_provoked_overflow),
		cmocka_unit_test(test_provoked_receives),
		cmocka_unit_test(test_duplicated_wc),
		cmocka_unit_test(test_wc_out_of_order),
		cmocka_unit_test(test_several_qps),
		cmocka_unit_test(test_several_queues),
		cmocka_unit_test(test_srq_limit),
		cmocka_unit_test(test_wc_of_no_wr),
		cmocka_unit_test(test_missing_wc),
		cmocka_unit_test(test_dead_device),
		cmocka_unit_test(test_slow_device),
		cmocka_unit_test(test_clock_that_goes_backwards),
		cmocka_unit_test(test_clock_backwards_for_a_time),
		cmocka_unit_test(test_clock_far_backwards),
		cmocka_unit_test(test_clock_backwards_while_waiting),
		cmocka_unit_test(test_yields_are_counted),
		cmocka_unit_test(test_taint_needs_a_sample),
		cmocka_unit_test(test_send_lat),
		cmocka_unit_test(test_send_rate),
		cmocka_unit_test(test_pingpong),
		cmocka_unit_test(test_pingpong_for_a_time),
		cmocka_unit_test(test_two_lanes_stop_anywhere),
		cmocka_unit_test(test_two_lanes_abandon_anywhere),
		cmocka_unit_test(test_a_lane_fails),
		cmocka_unit_test(test_filling_fails),
		cmocka_unit_test(test_lost_message),
		cmocka_unit_test(test_lossy),
		cmocka_unit_test(test_credit),
		cmocka_unit_test(test_pingpong_of_a_failing_write),
		cmocka_unit_test(test_late_initiator),
		cmocka_unit_test(test_anything),
		cmocka_unit_test(test_sleep),
		cmocka_unit_test(test_sleep_handler),
		cmocka_unit_test(test_sleep_ends),
		cmocka_unit_test(test_handled),
		cmocka_unit_test(test_handled_for_a_time),
		cmocka_unit_test(test_handled_ends),
		cmocka_unit_test(test_data_is_right),
		cmocka_unit_test(test_data_on_the_way),
		cmocka_unit_test(test_data_unseen),
		cmocka_unit_test(test_data_spoilt),
		cmocka_unit_test(test_data_pattern),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_cold),
		cmocka_unit_test(test_cold_chains),
		cmocka_unit_test(test_phases),
		cmocka_unit_test(test_phases_stop_anywhere),
		cmocka_unit_test(test_phases_that_fail),
		cmocka_unit_test(test_taken),
		cmocka_unit_test(test_exchange),
		cmocka_unit_test(test_registered),
		cmocka_unit_test(test_registered_window),
		cmocka_unit_test(test_registration_fails),
		cmocka_unit_test(test_registered_stop_anywhere),
		cmocka_unit_test(test_registered_phases),
		cmocka_unit_test(test_recover),
		cmocka_unit_test(test_recover_stop_anywhere),
		cmocka_unit_test(test_recover_call_fails),
		cmocka_unit_test(test_recover_goes_wrong),
		cmocka_unit_test(test_setup),
		cmocka_unit_test(test_setup_by_cm),
		cmocka_unit_test(test_setup_ends_anywhere),
	};

	return cmocka_run_group_tests_name("loop", tests, NULL, NULL);
}
