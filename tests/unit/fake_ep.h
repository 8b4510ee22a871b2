/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A device that does what a script says, for the loop to run on: the primitives
 * that kverbs/loop.h asks for, in simulated time, on one thread. Each lane is a
 * coroutine, and a generator decides at every primitive whether the other one
 * goes on, so that a seed is a schedule.
 *
 * It holds the loop to the rules of a queue pair: no slot is written while its WR
 * may be in use, WRs are numbered in order, neither queue nor CQ overflows. What
 * breaks them ends the run, and the test says what it was.
 */
#ifndef KV_TEST_FAKE_EP_H
#define KV_TEST_FAKE_EP_H

#include "plain.h"
#include <kverbs/job.h>
#include <errno.h>
#include <ucontext.h>
#include <kverbs/job.h>

#define FAKE_SLOTS	256
#define FAKE_QPS	16
#define FAKE_PIECE	128	/* memory is in pieces of so many bytes */
#define FAKE_MEMORY	(FAKE_SLOTS * 256)
#define FAKE_STACK	(256 * 1024)
#define FAKE_CALLS	4000000ULL	/* primitives of a run that has to end */
#define FAKE_SLICE	5000	/* ticks of a sleep without an event */
#define FAKE_STATUS	12
#define FAKE_VENDOR	0x89
/* KV_ID_RECV and KV_ID_STEP, of loop.h which comes later */
#define FAKE_RECV	(1ULL << 63)
#define FAKE_STEP	(1ULL << 62)

/**
 * struct script - what goes wrong at one endpoint, and when
 * @latency: ticks of a WR
 * @jitter: up to so many more
 * @slower: the latency grows by this with each WR
 * @post_bad: so manieth WR is refused, those before it in its chain are not
 * @recv_bad: so manieth post of receives fails
 * @poll_bad: so manieth poll call fails
 * @limit_bad: so manieth request for the event of an SRQ's limit fails
 * @limit_ticks: ticks that each takes
 * @never: the device stops at so manieth WR
 * @lose: so manieth message never arrives, though its WR completes
 * @drop: so manieth send WC is missing
 * @dup: so manieth send WC comes twice
 * @swap: so manieth send WC comes after its successor
 * @shuffle: one send WC in so many, at random, comes after its successor, of another QP
 * @alien: so manieth send WC has a wr_id of no WR
 * @fail: so manieth send WC has an error status
 * @recv_fail: so manieth receive WC has an error status
 * @flip: so manieth message arrives with one bit wrong, in the middle
 * @unplaced: so manieth message is completed, and its data never arrives
 * @old: so manieth message arrives with the data of that before
 * @exchange: so manieth message and its successor arrive in each other's place
 * @late: so manieth message is placed when its place was looked at a few times
 * @looks: how many these are, 0: 5
 * @reg_bad: so manieth call that registers fails
 * @dereg_bad: so manieth call that undoes it
 * @yield_every: one wait in so many gives the CPU up
 * @wait: ticks of a wait
 * @wake: ticks from an event to the lane that slept
 * @arm_mute: a request for an event does not say what came before
 * @deaf: so manieth event is lost
 * @spoil_bad: nothing can be made wrong
 * @starve: what is made wrong is that the lane posts no receives
 * @broken_cq: the CQ has an error of its own
 * @control_bad: so manieth call of the control path fails
 * @control_stops: or is stopped while it waits
 * @kind: a WR with a key of no MR is good all the same
 * @park: one handler in so many, at random, leaves its turn to the lane
 */
struct script {
	u64 latency, jitter, slower;
	u64 post_bad, recv_bad, poll_bad, never, lose;
	u64 drop, dup, swap, shuffle, alien, fail, recv_fail;
	u64 flip, unplaced, old, exchange, late, looks;
	u64 reg_bad, dereg_bad;
	u64 yield_every, wait, wake, arm_mute, deaf, park;
	u64 spoil_bad, broken_cq, starve;
	u64 control_bad, control_stops, kind, limit_bad, limit_ticks;
};

struct fake_wr {
	u64 id;
	u64 due;
	u32 signalled;
	u32 last;
	u32 wrong;	/* its key is of no MR */
	u64 tag;
};

/* of a QP, where these come and go */
enum {
	FAKE_RESET,
	FAKE_INIT,
	FAKE_RTR,
	FAKE_RTS,
	FAKE_ERR,
	FAKE_GONE,
};

struct fake_wc {
	u64 id;
	u32 status;
	u32 vendor;
};

struct fake;

/* a message on its way into a place that was looked at too early */
struct fake_late {
	unsigned char *to;
	unsigned char data[256];
	u32 looks;
};

struct kv_ep {
	struct fake *world;
	struct kv_ep *peer;
	struct script script;
	u32 depth, recv_depth, cq_depth, two_sided, lossy;
	const struct kv_phase *phase;	/* of an operation in parts */
	u32 in_phase;
	const struct kv_reg_calls *reg;
	u32 calls[FAKE_SLOTS];	/* of a slot, made so far in their turn */
	u64 begins, ends;
	u32 keeps;	/* its messages do not invalidate */
	u64 offered, accepted;	/* keys of an exchange */
	u32 places, mrs;	/* that a WR may be given */
	u64 aimed, chilled;	/* WRs that were */
	u32 at_place[FAKE_SLOTS], at_mr[FAKE_SLOTS];
	ucontext_t context;
	u32 finished;

	struct fake_wr slot[FAKE_SLOTS];	/* prebuilt WRs */
	struct fake_wr sq[FAKE_SLOTS];
	u64 prepared;	/* WRs prepared, and so the number of the next */
	u64 posted;	/* WRs in the send queue, ever */
	u64 done;	/* of those, executed */
	u64 freed;	/* of those, retired by a WC that was polled */
	u64 last_due;
	u32 last_signalled;
	u32 bad_after;

	u64 recvs;	/* receives posted, ever */
	u64 taken;	/* of those, consumed */
	u32 qps, chain;	/* messages go to receive queues by their slot */
	u64 ring_recvs[FAKE_QPS], ring_taken[FAKE_QPS];	/* the same of each */
	u32 limit, limit_armed;	/* of an SRQ */
	u64 limit_raised, limit_seen, limit_asked;
	u32 qps_told;	/* its WCs name one queue more than there are */
	u32 least;	/* receives left in a queue, at the least */
	u64 sent;	/* messages that left */

	struct fake_wc cq[2 * FAKE_SLOTS];
	u64 cq_in, cq_out;
	u32 held;
	struct fake_wc swapped;
	u64 owed;	/* number of the WR after one whose WC was overtaken, or 0 */
	u64 ahead;	/* WRs that would be free but for that */
	struct fake_wc wc[64];
	u32 polled;
	u32 spoilt, looked;
	u32 widens;	/* its window is not all of its slots from the start */
	u64 wcs, recv_wcs;	/* made, as the script counts them */

	u32 armed, raised;
	u32 holding;
	u32 *driven;	/* of the loop: handlers are let in */
	void (*react)(struct kv_ep *ep);
	u64 event_at, events, arms, sleeps;

	u64 stamped, landed;
	u32 turns;		/* its QPs come and go */
	u32 state[2];		/* of both of them */
	u32 made[FAKE_SLOTS];	/* of a set-up, FAKE_* */
	u32 storm;
	u32 cm;			/* connects what is set up */
	u32 in_error;		/* what completes is flushed */
	u64 controls;		/* calls of the control path */
	u64 flushes;		/* WRs that were */

	u64 posts, recv_posts, polls, waits;
	u64 noted_wrs, noted_wcs, noted_answers;
	u64 handed;		/* WCs handed to the loop */

	/* data, when stride is not 0 */
	unsigned char *area[KV_AREAS];
	u64 stride, size;
	u32 reads, opened;
	u64 moved;		/* messages */
	unsigned char previous[256];
	struct fake_late late;
};

/**
 * struct fake - a device with its time
 * @now: true time, ticks
 * @step: ticks of a clock reading
 * @back_every: one reading in so many is @back_by before the truth
 * @stop_at: so manieth look at the stop flag finds it set, to @stop_kind
 * @switch_in: one primitive in so many hands over to the other lane
 * @broken: the rule that was broken, else NULL
 */
struct fake {
	u64 now, step;
	u64 readings, back_every, back_by;
	u64 stops, stop_at;
	u32 stop_kind;
	u32 switch_in;
	u64 calls;
	u64 seed;
	u32 lanes;
	struct kv_ep ep[2];
	ucontext_t home;
	const char *broken;
};

static char fake_stacks[2][FAKE_STACK];

/* the rule is broken: leave the loop where it is */
static inline void fake_break(struct kv_ep *ep, const char *rule)
{
	if (!ep->world->broken)
		ep->world->broken = rule;
	swapcontext(&ep->context, &ep->world->home);
}

#define fake_rule(ep, holds)						\
	do {								\
		if (!(holds))						\
			fake_break(ep, #holds);				\
	} while (0)

static inline void fake_call(struct kv_ep *ep)
{
	struct fake *w = ep->world;

	if (++w->calls > FAKE_CALLS)
		fake_break(ep, "a run ends");
	if (w->lanes > 1 && w->switch_in && test_random(&w->seed) % w->switch_in == 0)
		swapcontext(&ep->context, &w->home);
}

static inline void fake_push(struct kv_ep *ep, u64 id, u32 status)
{
	struct fake_wc *wc = &ep->cq[ep->cq_in++ % ARRAY_SIZE(ep->cq)];

	fake_rule(ep, ep->cq_in - ep->cq_out <= ep->cq_depth);
	wc->id = id;
	wc->status = status;
	wc->vendor = status ? FAKE_VENDOR : 0;
	if (!ep->armed)
		return;
	ep->armed = 0;
	if (++ep->events == ep->script.deaf)
		return;
	ep->raised = 1;
	ep->event_at = ep->world->now;
}

static inline u32 fake_status(struct kv_ep *ep, const struct fake_wr *wr, u64 n)
{
	if (n == ep->script.fail)
		return FAKE_STATUS;
	if (ep->in_error) {
		ep->flushes++;
		return KV_WC_WR_FLUSH_ERR;
	}
	ep->in_error = wr->wrong && !ep->script.kind;
	return ep->in_error ? KV_WC_REM_ACCESS_ERR : 0;
}

static inline void fake_complete(struct kv_ep *ep, const struct fake_wr *wr)
{
	const struct script *s = &ep->script;
	u64 n = ++ep->wcs;
	u32 overtaken = s->shuffle && wr->last && !ep->held && !ep->owed &&
			ep->done + 1 < ep->posted &&
			test_random(&ep->world->seed) % s->shuffle == 0;

	if (n == s->drop)
		return;
	if (n == s->swap || overtaken) {
		ep->held = 1;
		ep->owed = s->shuffle ? wr->id + 1 : 0;
		ep->ahead = wr->id + 1;
		ep->swapped.id = wr->id;
		return;
	}
	fake_push(ep, n == s->alien ? wr->id + 1000 : wr->id,
		  fake_status(ep, wr, n));
	if (n == s->dup)
		fake_push(ep, wr->id, 0);
	if (ep->held) {
		ep->held = 0;
		fake_push(ep, ep->swapped.id, 0);
	}
}

/* move the data of a message that is accepted now */
static inline void fake_move(struct kv_ep *ep, const struct fake_wr *wr)
{
	const struct script *s = &ep->script;
	u64 n = ++ep->moved, slot = wr->id % ep->depth;
	unsigned char *from, *to;

	if (!ep->stride)
		return;
	if (n == s->exchange)
		from = ep->area[ep->reads ? KV_AREA_PEER_OUT : KV_AREA_OUT] +
		       (slot + 1) % ep->depth * ep->stride;
	else
		from = ep->area[ep->reads ? KV_AREA_PEER_OUT : KV_AREA_OUT] +
		       slot * ep->stride;
	if (ep->two_sided)
		to = ep->peer->area[KV_AREA_IN] +
		     ep->peer->taken % ep->peer->recv_depth * ep->stride;
	else if (ep->peer)
		to = ep->peer->area[KV_AREA_IN];
	else
		to = ep->area[ep->reads ? KV_AREA_IN : KV_AREA_PEER_IN] + slot * ep->stride;
	if (n == s->unplaced)
		return;
	if (n == s->late) {
		struct kv_ep *at = ep->peer ? ep->peer : ep;

		at->late.to = to;
		at->late.looks = s->looks ? s->looks : 5;
		memcpy(at->late.data, from, ep->size);
		return;
	}
	if (n == s->old || (s->exchange && n == s->exchange + 1))
		from = ep->previous;
	memcpy(to, from, ep->size);
	/* of an exchange, what its successor will arrive with */
	if (n == s->exchange)
		from = ep->area[ep->reads ? KV_AREA_PEER_OUT : KV_AREA_OUT] +
		       slot * ep->stride;
	memcpy(ep->previous, from, ep->size);
	if (n == s->flip)
		to[ep->size / 2] ^= 0x10;
}

/* 0: the peer has no receive */
static inline u32 fake_deliver(struct kv_ep *ep, const struct fake_wr *wr)
{
	struct kv_ep *peer = ep->peer;
	u32 of = ep->qps > 1 ? wr->id % ep->depth / ep->chain % ep->qps : 0;
	u64 n, left;

	if (!peer) {
		fake_move(ep, wr);
		return 1;
	}
	/* without a receive: tried again, or lost */
	if (ep->two_sided && peer->ring_taken[of] == peer->ring_recvs[of])
		return ep->lossy;
	if (++ep->sent == ep->script.lose)
		return 1;
	fake_move(ep, wr);
	if (!ep->two_sided) {
		peer->landed = wr->tag;
		return 1;
	}
	n = ++peer->recv_wcs;
	peer->taken++;
	fake_push(peer, FAKE_RECV | (u64)(of + ep->qps_told) << 32 |
			peer->ring_taken[of]++ % (peer->recv_depth / ep->qps),
		  n == peer->script.recv_fail ? FAKE_STATUS : 0);
	left = peer->ring_recvs[of] - peer->ring_taken[of];
	if (left < peer->least)
		peer->least = (u32)left;
	if (peer->limit_armed && left < peer->limit) {
		peer->limit_armed = 0;
		peer->limit_raised++;
	}
	return 1;
}

/* what the device has done by now */
static inline void fake_progress(struct kv_ep *ep)
{
	struct fake_wr *wr;

	while (ep->done < ep->posted) {
		wr = &ep->sq[ep->done % FAKE_SLOTS];
		if (wr->due > ep->world->now)
			return;
		if (ep->script.never && ep->done + 1 >= ep->script.never)
			return;
		if (!fake_deliver(ep, wr)) {
			wr->due = ep->world->now + 100;
			return;
		}
		ep->done++;
		if (wr->signalled)
			fake_complete(ep, wr);
	}
}

static inline void fake_pass_time(struct kv_ep *ep, u64 ticks)
{
	struct fake *w = ep->world;
	u32 i;

	w->now += ticks;
	for (i = 0; i < w->lanes; i++)
		fake_progress(&w->ep[i]);
}

static inline u64 kv_clock(struct kv_ep *ep)
{
	struct fake *w = ep->world;

	fake_call(ep);
	fake_pass_time(ep, w->step);
	if (w->back_every && ++w->readings % w->back_every == 0)
		return w->now - w->back_by;
	return w->now;
}

static inline void kv_wr_prep(struct kv_ep *ep, u32 slot, u64 id, u32 signalled,
			      u32 last)
{
	fake_rule(ep, slot < ep->depth);
	fake_rule(ep, id == ep->prepared);
	fake_rule(ep, ep->widens || slot == id % ep->depth);
	/* the WR that had the slot before is retired */
	fake_rule(ep, id - ep->freed < ep->depth);
	ep->slot[slot].id = id;
	ep->slot[slot].signalled = signalled;
	ep->slot[slot].last = last;
	ep->prepared++;
}

static inline u32 kv_is_bare(const struct kv_ep *ep)
{
	return 1;
}

/* before a pass, with nothing outstanding */
static inline void kv_wr_lone(struct kv_ep *ep, u32 slot)
{
	fake_rule(ep, slot < ep->depth);
	fake_rule(ep, ep->posted == ep->prepared && ep->posted == ep->freed);
	ep->slot[slot].signalled = 1;
	ep->slot[slot].last = 1;
}

static inline void kv_wr_again(struct kv_ep *ep, u32 slot, u64 id)
{
	fake_rule(ep, ep->slot[slot].signalled && ep->slot[slot].last);
	kv_wr_prep(ep, slot, id, 1, 1);
}

/* a WR that is made ready and not posted yet */
static inline void fake_ready(struct kv_ep *ep, u32 slot)
{
	fake_rule(ep, slot < ep->depth);
	fake_rule(ep, ep->slot[slot].id >= ep->posted && ep->slot[slot].id < ep->prepared);
}

static inline void kv_wr_aim(struct kv_ep *ep, u32 slot, u32 place, u32 mr)
{
	fake_ready(ep, slot);
	fake_rule(ep, place < ep->places && mr < ep->mrs);
	ep->at_place[slot] = place;
	ep->at_mr[slot] = mr;
	ep->aimed++;
	ep->world->now += 7;
}

static inline u32 kv_wr_chill(struct kv_ep *ep, u32 slot, u32 place)
{
	fake_ready(ep, slot);
	fake_rule(ep, place == (ep->places ? ep->at_place[slot] : ep->stride ? slot : 0));
	ep->chilled++;
	ep->world->now += 1000;
	return 3;
}

/* what a WR names is registered */
static inline void fake_registered(struct kv_ep *ep, u32 slot)
{
	fake_rule(ep, !ep->reg->on || ep->calls[slot] == ep->reg->nbegin);
}

static inline int kv_post(struct kv_ep *ep, u32 slot)
{
	const struct script *s = &ep->script;
	struct fake_wr *wr, *at;

	fake_call(ep);
	ep->posts++;
	ep->bad_after = 0;
	fake_rule(ep, !ep->turns || (ep->state[0] == FAKE_RTS && ep->state[1] == FAKE_RTS));
	for (;;) {
		wr = &ep->slot[slot];
		fake_pass_time(ep, 10);
		fake_rule(ep, wr->id == ep->posted);
		fake_registered(ep, slot);
		if (ep->posted + 1 == s->post_bad)
			return -ENOMEM;
		at = &ep->sq[ep->posted % FAKE_SLOTS];
		*at = *wr;
		at->tag = ep->stamped;
		if (ep->last_due < ep->world->now)
			ep->last_due = ep->world->now;
		at->due = ep->world->now + s->latency + s->slower * ep->posted +
			  (s->jitter ? test_random(&ep->world->seed) % s->jitter : 0);
		if (at->due < ep->last_due)
			at->due = ep->last_due;
		ep->last_due = at->due;
		ep->posted++;
		ep->bad_after++;
		ep->last_signalled = wr->signalled;
		fake_rule(ep, ep->posted - ep->freed <= ep->depth);
		if (wr->last)
			break;
		slot = slot + 1 == ep->depth ? 0 : slot + 1;
	}
	fake_rule(ep, ep->posted == ep->prepared);
	return 0;
}

static inline int kv_post_again(struct kv_ep *ep, u32 slot, u64 id)
{
	kv_wr_again(ep, slot, id);
	return kv_post(ep, slot);
}

/* one WR stands for those of a phase; the phases come in turn, one at a time */
static inline int kv_post_phase(struct kv_ep *ep, u32 first)
{
	const struct kv_phase *p = &ep->phase[ep->in_phase];
	struct fake_wr *at = &ep->sq[ep->posted % FAKE_SLOTS];

	fake_call(ep);
	ep->posts++;
	fake_pass_time(ep, 10);
	fake_rule(ep, first == p->first);
	fake_registered(ep, 0);
	fake_rule(ep, ep->posted == ep->freed);
	if (ep->posted + 1 == ep->script.post_bad)
		return -ENOMEM;
	at->id = FAKE_STEP | (first + p->n - 1);
	at->signalled = 1;
	at->due = ep->world->now + ep->script.latency;
	ep->posted++;
	ep->in_phase++;
	if (!ep->phase[ep->in_phase].n)
		ep->in_phase = 0;
	return 0;
}

/* memory of a slot: registered call by call, and only while no WR may be using it */
static inline int kv_reg_begin(struct kv_ep *ep, u32 slot, u32 metric)
{
	fake_call(ep);
	fake_pass_time(ep, 30 + metric);
	fake_rule(ep, slot < ep->depth && ep->calls[slot] < ep->reg->nbegin);
	fake_rule(ep, metric == ep->reg->begin[ep->calls[slot]]);
	if (++ep->begins == ep->script.reg_bad)
		return -ENOMEM;
	ep->calls[slot]++;
	return 0;
}

static inline int kv_reg_end(struct kv_ep *ep, u32 slot, u32 metric)
{
	u64 wr;

	fake_call(ep);
	fake_pass_time(ep, 20 + metric);
	fake_rule(ep, slot < ep->depth && ep->calls[slot] >= ep->reg->nbegin);
	fake_rule(ep, metric == ep->reg->end[ep->calls[slot] - ep->reg->nbegin]);
	for (wr = ep->freed; !ep->phase && wr < ep->posted; wr++)
		fake_rule(ep, wr % ep->depth != slot);
	if (++ep->ends == ep->script.dereg_bad)
		return -EINVAL;
	if (++ep->calls[slot] == ep->reg->nbegin + ep->reg->nend)
		ep->calls[slot] = 0;
	return 0;
}

/* an exchange: the key goes to the peer while its message cannot be under way */
static inline void kv_offer(struct kv_ep *ep)
{
	fake_call(ep);
	fake_rule(ep, ep->posted == ep->freed);
	ep->offered++;
}

static inline void kv_accept(struct kv_ep *ep)
{
	fake_call(ep);
	fake_rule(ep, ep->posted == ep->freed);
	ep->accepted++;
	fake_rule(ep, ep->accepted == ep->peer->offered);
}

static inline u32 kv_wc_invalidated(struct kv_ep *ep, u32 i)
{
	return !ep->keeps;
}

static inline u32 kv_post_bad(struct kv_ep *ep, u32 slot)
{
	return ep->bad_after;
}

static inline void fake_pop(struct kv_ep *ep)
{
	struct fake_wc *wc = &ep->cq[ep->cq_out++ % ARRAY_SIZE(ep->cq)];

	ep->wc[ep->polled++] = *wc;
	ep->handed++;
	if (ep->owed && wc->id + 1 >= ep->owed) {
		if (wc->id + 1 > ep->ahead)
			ep->ahead = wc->id + 1;
		if (wc->id + 1 == ep->owed) {
			ep->owed = 0;
			ep->freed = ep->ahead;
		}
		return;
	}
	if (ep->phase)
		ep->freed = ep->done;
	else if (!(wc->id & FAKE_RECV) && wc->id + 1 > ep->freed && wc->id < ep->posted)
		ep->freed = wc->id + 1;
}

static inline int kv_poll(struct kv_ep *ep, int max)
{
	fake_call(ep);
	fake_rule(ep, max >= 1 && max <= (int)ARRAY_SIZE(ep->wc));
	fake_pass_time(ep, 15);
	if (++ep->polls == ep->script.poll_bad)
		return -EIO;
	for (ep->polled = 0; ep->polled < (u32)max && ep->cq_out < ep->cq_in;)
		fake_pop(ep);
	return (int)ep->polled;
}

static inline u32 kv_wc_status(struct kv_ep *ep, u32 i)
{
	fake_rule(ep, i < ep->polled);
	return ep->wc[i].status;
}

static inline u64 kv_wc_id(struct kv_ep *ep, u32 i)
{
	fake_rule(ep, i < ep->polled);
	return ep->wc[i].id;
}

static inline u32 kv_wc_vendor(struct kv_ep *ep, u32 i)
{
	fake_rule(ep, i < ep->polled);
	return ep->wc[i].vendor;
}

static inline int kv_post_recv(struct kv_ep *ep, u32 ring, u32 slot, u32 n)
{
	u32 depth = ep->recv_depth / ep->qps;

	fake_call(ep);
	fake_rule(ep, ring < ep->qps);
	fake_rule(ep, n >= 1 && n <= depth);
	fake_rule(ep, slot == ep->ring_recvs[ring] % depth);
	if (++ep->recv_posts == ep->script.recv_bad)
		return -ENOMEM;
	ep->recvs += n;
	ep->ring_recvs[ring] += n;
	fake_rule(ep, ep->ring_recvs[ring] - ep->ring_taken[ring] <= depth);
	ep->world->now += 10;
	return 0;
}

/* where the lane asks, it has posted enough receives for it not to come at once */
static inline int kv_limit(struct kv_ep *ep, u32 first)
{
	fake_call(ep);
	fake_rule(ep, ep->limit && (first ? !ep->limit_asked : ep->limit_asked));
	if (!first && ep->limit_raised == ep->limit_seen)
		return 0;
	fake_rule(ep, first || ep->limit_raised == ep->limit_seen + 1);
	ep->limit_seen = ep->limit_raised;
	if (++ep->limit_asked == ep->script.limit_bad)
		return -EIO;
	ep->limit_armed = 1;
	ep->world->now += ep->script.limit_ticks;
	return !first;
}

static inline void kv_stamp(struct kv_ep *ep, u64 tag)
{
	fake_rule(ep, tag == ep->stamped + 1);
	ep->stamped = tag;
}

static inline int kv_landed(struct kv_ep *ep, u64 tag)
{
	fake_call(ep);
	fake_pass_time(ep, 5);
	fake_rule(ep, ep->landed <= tag);
	return ep->landed == tag;
}

/* a place that a WR in the queue reads from is not to be touched */
static inline void *kv_area_open(struct kv_ep *ep, u32 area, u64 offset, u64 *n)
{
	u64 slot = offset / ep->stride, wr;
	u32 source = ep->reads ? KV_AREA_PEER_OUT : KV_AREA_OUT;

	fake_rule(ep, area < KV_AREAS && offset < FAKE_MEMORY && *n);
	fake_rule(ep, !ep->opened);
	ep->opened = 1;
	for (wr = ep->freed; area == source && wr < ep->posted; wr++)
		fake_rule(ep, wr % ep->depth != slot);
	if (*n > FAKE_PIECE - offset % FAKE_PIECE)
		*n = FAKE_PIECE - offset % FAKE_PIECE;
	if (ep->late.looks && ep->area[area] + offset == ep->late.to && !--ep->late.looks)
		memcpy(ep->late.to, ep->late.data, ep->size);
	return ep->area[area] + offset;
}

static inline void kv_area_close(struct kv_ep *ep, u32 area, u64 offset, u64 n)
{
	fake_rule(ep, ep->opened && n);
	ep->opened = 0;
	fake_pass_time(ep, 1);
}

static inline int kv_wait(struct kv_ep *ep)
{
	fake_call(ep);
	fake_pass_time(ep, ep->script.wait);
	return ep->script.yield_every && ++ep->waits % ep->script.yield_every == 0;
}

static inline int kv_arm(struct kv_ep *ep)
{
	fake_call(ep);
	ep->arms++;
	ep->armed = 1;
	if (ep->script.arm_mute)
		return KV_ARM_UNKNOWN;
	ep->raised = 0;
	return ep->cq_in != ep->cq_out ? KV_ARM_MISSED : KV_ARMED;
}

static inline int kv_sleep(struct kv_ep *ep)
{
	u64 slept;

	ep->sleeps++;
	for (slept = 0; !ep->raised && slept < FAKE_SLICE; slept += 50) {
		fake_call(ep);
		/* a WC that no event will tell of */
		fake_rule(ep, ep->cq_in == ep->cq_out || ep->raised || ep->script.deaf);
		fake_pass_time(ep, 50);
	}
	if (!ep->raised)
		return 0;
	ep->raised = 0;
	fake_pass_time(ep, ep->script.wake);
	return 1;
}

static inline u64 kv_event_at(struct kv_ep *ep)
{
	return ep->script.arm_mute ? 0 : ep->event_at;
}

static inline void kv_hold(struct kv_ep *ep)
{
	fake_call(ep);
	fake_rule(ep, !ep->holding);
	ep->holding = 1;
}

static inline void kv_let(struct kv_ep *ep)
{
	fake_rule(ep, ep->holding);
	ep->holding = 0;
	fake_call(ep);
}

static inline int kv_early(struct kv_ep *ep)
{
	fake_rule(ep, ep->holding && !*ep->driven);
	fake_pass_time(ep, 5);
	ep->polled = 0;
	if (ep->cq_in == ep->cq_out)
		return 0;
	fake_pop(ep);
	return 1;
}

/* handlers run here, each for one WC */
static inline void kv_attend(struct kv_ep *ep)
{
	u64 slept;

	fake_rule(ep, !ep->holding);
	for (slept = 0; *ep->driven && slept < FAKE_SLICE; slept += 50) {
		fake_call(ep);
		fake_pass_time(ep, 50);
		while (*ep->driven && ep->cq_in != ep->cq_out) {
			kv_hold(ep);
			/* leave a turn to the lane */
			if (ep->script.park &&
			    test_random(&ep->world->seed) % ep->script.park == 0) {
				*ep->driven = 0;
				kv_let(ep);
				return;
			}
			ep->polled = 0;
			fake_pop(ep);
			ep->event_at = ep->world->now;
			fake_pass_time(ep, ep->script.wake);
			ep->react(ep);
			kv_let(ep);
		}
	}
}

/* what is made wrong is the next send WC, or the next receive */
static inline int kv_spoil(struct kv_ep *ep, u32 role)
{
	fake_call(ep);
	ep->spoilt++;
	if (ep->script.spoil_bad)
		return -EIO;
	if (ep->script.starve)
		return 0;
	if (role == 1)
		ep->script.recv_fail = ep->recv_wcs + 3;
	else
		ep->script.fail = ep->wcs + 3;
	return 0;
}

static inline int kv_overfill(struct kv_ep *ep)
{
	fake_call(ep);
	ep->spoilt++;
	return -ENOMEM;
}

/* of a WR that is made ready, and while it is posted */
static inline void kv_wr_key(struct kv_ep *ep, u32 slot)
{
	fake_rule(ep, slot < ep->depth);
	ep->slot[slot].wrong ^= 1;
}

/* its queues are empty: WRs are numbered from 0 again */
static inline void fake_renew(struct kv_ep *ep)
{
	fake_rule(ep, ep->freed == ep->posted && ep->cq_in == ep->cq_out);
	ep->prepared = 0;
	ep->posted = 0;
	ep->done = 0;
	ep->freed = 0;
	ep->noted_wrs = 0;
	ep->in_error = 0;
}

static inline void fake_to(struct kv_ep *ep, u32 i, u32 from, u32 to)
{
	fake_rule(ep, ep->state[i] == from);
	ep->state[i] = to;
}

/* what a set-up has made, a mask; the states of its QP are bits too */
enum {
	FAKE_CQ = 1,
	FAKE_QP = 2,
	FAKE_MR = 4,
	FAKE_POOL = 8,
	FAKE_AT_INIT = 16,
	FAKE_AT_RTR = 32,
	FAKE_AT_RTS = 64,
	FAKE_ID = 128,
	FAKE_ADDR = 256,
	FAKE_ROUTE = 512,
	FAKE_CONNECTED = 1024,
	FAKE_PARTED = 2048,
};

/* what is made needs what was before; all of it is there first, and goes last */
static inline void fake_set(struct kv_ep *ep, u32 i, u32 before, u32 mask, u32 after)
{
	fake_rule(ep, (ep->made[i] & mask) == before);
	ep->made[i] = (ep->made[i] & ~mask) | after;
}

/*
 * Connections of rdma_cm: who accepts has neither address nor route, and an id only with
 * the connection. MRs are made by who asks, while it is there.
 */
static inline int fake_setup_cm(struct kv_ep *ep, u32 what, u32 i)
{
	const u32 made = FAKE_CQ | FAKE_QP, way = FAKE_ID | FAKE_ADDR | FAKE_ROUTE;
	const u32 all = made | way | FAKE_CONNECTED | FAKE_PARTED | FAKE_MR | FAKE_POOL;
	u32 asks = i < ep->storm, own = asks ? way : 0;

	fake_rule(ep, i < 2 * ep->storm);
	fake_rule(ep, asks || what == KVERBS_METRIC_CREATE_CQ ||
		  what == KVERBS_METRIC_CREATE_QP || what == KVERBS_METRIC_DESTROY_ID ||
		  what == KVERBS_METRIC_DESTROY_QP || what == KVERBS_METRIC_DESTROY_CQ);
	switch (what) {
	case KVERBS_METRIC_CREATE_ID:
		fake_set(ep, i, 0, all, FAKE_ID);
		break;
	case KVERBS_METRIC_RESOLVE_ADDR:
		fake_set(ep, i, FAKE_ID, all, FAKE_ID | FAKE_ADDR);
		break;
	case KVERBS_METRIC_RESOLVE_ROUTE:
		fake_set(ep, i, FAKE_ID | FAKE_ADDR, all, way);
		break;
	case KVERBS_METRIC_CREATE_CQ:
		fake_set(ep, i, own, all, own | FAKE_CQ);
		break;
	case KVERBS_METRIC_CREATE_QP:
		fake_set(ep, i, own | FAKE_CQ, all, own | made);
		break;
	case KVERBS_METRIC_CONNECT:
		fake_set(ep, i, way | made, all, way | made | FAKE_CONNECTED);
		fake_set(ep, i + ep->storm, made, all, FAKE_ID | made | FAKE_CONNECTED);
		break;
	case KVERBS_METRIC_MR_ALLOC:
	case KVERBS_METRIC_POOL_INIT:
		fake_set(ep, i, way | made | FAKE_CONNECTED, all, way | made | FAKE_CONNECTED |
			 (what == KVERBS_METRIC_MR_ALLOC ? FAKE_MR : FAKE_POOL));
		break;
	case KVERBS_METRIC_MR_FREE:
		fake_set(ep, i, FAKE_MR, FAKE_MR, 0);
		break;
	case KVERBS_METRIC_POOL_FREE:
		fake_set(ep, i, FAKE_POOL, FAKE_POOL, 0);
		break;
	case KVERBS_METRIC_DISCONNECT:
		fake_set(ep, i, way | made | FAKE_CONNECTED, all, FAKE_ID | made | FAKE_PARTED);
		fake_set(ep, i + ep->storm, FAKE_ID | made | FAKE_CONNECTED, all,
			 FAKE_ID | made | FAKE_PARTED);
		break;
	case KVERBS_METRIC_DESTROY_ID:
		fake_set(ep, i, FAKE_ID | made | FAKE_PARTED, all, made);
		break;
	case KVERBS_METRIC_DESTROY_QP:
		fake_set(ep, i, made, all, FAKE_CQ);
		break;
	case KVERBS_METRIC_DESTROY_CQ:
		fake_set(ep, i, FAKE_CQ, all, 0);
		break;
	default:
		fake_rule(ep, !"a call that is known");
	}
	return 0;
}

static inline int fake_setup(struct kv_ep *ep, u32 what, u32 i)
{
	const u32 ready = FAKE_CQ | FAKE_QP | FAKE_AT_INIT | FAKE_AT_RTR | FAKE_AT_RTS;
	const u32 all = ready | FAKE_MR | FAKE_POOL;

	fake_rule(ep, i < ep->storm);
	switch (what) {
	case KVERBS_METRIC_CREATE_CQ:
		fake_set(ep, i, 0, all, FAKE_CQ);
		break;
	case KVERBS_METRIC_CREATE_QP:
		fake_set(ep, i, FAKE_CQ, all, FAKE_CQ | FAKE_QP);
		break;
	case KVERBS_METRIC_TO_INIT:
		fake_set(ep, i, FAKE_QP, all ^ FAKE_CQ, FAKE_QP | FAKE_AT_INIT);
		break;
	case KVERBS_METRIC_TO_RTR:
		fake_set(ep, i, FAKE_AT_INIT, FAKE_AT_INIT | FAKE_AT_RTR,
			 FAKE_AT_INIT | FAKE_AT_RTR);
		break;
	case KVERBS_METRIC_TO_RTS:
		fake_set(ep, i, FAKE_AT_RTR, FAKE_AT_RTR | FAKE_AT_RTS,
			 FAKE_AT_RTR | FAKE_AT_RTS);
		break;
	case KVERBS_METRIC_MR_ALLOC:
		fake_set(ep, i, ready, all, ready | FAKE_MR);
		break;
	case KVERBS_METRIC_MR_FREE:
		fake_set(ep, i, FAKE_MR, FAKE_MR, 0);
		break;
	case KVERBS_METRIC_POOL_INIT:
		fake_set(ep, i, ready, all, ready | FAKE_POOL);
		break;
	case KVERBS_METRIC_POOL_FREE:
		fake_set(ep, i, FAKE_POOL, FAKE_POOL, 0);
		break;
	case KVERBS_METRIC_DESTROY_QP:
		fake_set(ep, i, ready, all, FAKE_CQ);
		break;
	case KVERBS_METRIC_DESTROY_CQ:
		fake_set(ep, i, FAKE_CQ, all, 0);
		break;
	default:
		fake_rule(ep, !"a call that is known");
	}
	return 0;
}

static inline int kv_control(struct kv_ep *ep, u32 what, u32 i)
{
	fake_call(ep);
	fake_pass_time(ep, 300 + what);
	fake_rule(ep, ep->turns);
	if (++ep->controls == ep->script.control_bad)
		return ep->script.control_stops ? 1 : -EINVAL;
	if (ep->cm)
		return fake_setup_cm(ep, what, i);
	if (ep->storm)
		return fake_setup(ep, what, i);
	fake_rule(ep, i < 2);
	switch (what) {
	case KVERBS_METRIC_TO_ERR:
		fake_to(ep, i, FAKE_RTS, FAKE_ERR);
		ep->in_error = 1;
		break;
	case KVERBS_METRIC_TO_RESET:
	case KVERBS_METRIC_DESTROY_QP:
		fake_to(ep, i, FAKE_ERR, what == KVERBS_METRIC_TO_RESET ? FAKE_RESET : FAKE_GONE);
		if (!i)
			fake_renew(ep);
		break;
	case KVERBS_METRIC_CREATE_QP:
		fake_to(ep, i, FAKE_GONE, FAKE_RESET);
		break;
	case KVERBS_METRIC_TO_INIT:
		fake_to(ep, i, FAKE_RESET, FAKE_INIT);
		break;
	case KVERBS_METRIC_TO_RTR:
		/* its peer has a number, and takes packets */
		fake_rule(ep, ep->state[!i] == FAKE_INIT || ep->state[!i] == FAKE_RTR);
		fake_to(ep, i, FAKE_INIT, FAKE_RTR);
		break;
	case KVERBS_METRIC_TO_RTS:
		fake_to(ep, i, FAKE_RTR, FAKE_RTS);
		break;
	default:
		fake_rule(ep, !"a call that is known");
	}
	return 0;
}

/* a CQ that has lost completions says so when it was asked a few times */
static inline int kv_broken(struct kv_ep *ep)
{
	return ep->script.broken_cq && ep->looked++ > 2;
}

static inline int kv_breathe(struct kv_ep *ep, u32 n)
{
	fake_call(ep);
	return 0;
}

static inline u32 kv_stop(struct kv_ep *ep)
{
	struct fake *w = ep->world;

	fake_call(ep);
	w->stops++;
	return w->stop_at && w->stops >= w->stop_at ? w->stop_kind : 0;
}

static inline u64 kv_load(const u64 *p)
{
	return *p;
}

static inline void kv_store(u64 *p, u64 v)
{
	*p = v;
}

static inline void kv_note_post(struct kv_ep *ep, u64 id, u32 n, u64 ticks, int rc)
{
	if (rc)
		return;
	fake_rule(ep, ep->phase || id == ep->noted_wrs);
	ep->noted_wrs += n;
}

static inline void kv_note_wc(struct kv_ep *ep, u32 i, u64 ticks)
{
	fake_rule(ep, i < ep->polled);
	ep->noted_wcs++;
}

static inline void kv_note_answer(struct kv_ep *ep, u64 id, u64 ticks)
{
	ep->noted_answers++;
}

#endif /* KV_TEST_FAKE_EP_H */
