/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The measuring loop: posts, polls, times and counts. Both engines compile this
 * same text; a test compares the preprocessed tokens of the two. So a difference
 * between the engines is one between the verbs stacks.
 *
 * The includer first includes <linux/kverbs.h>, kverbs/hist.h, kverbs/stat.h,
 * kverbs/data.h, kverbs/job.h, kverbs/pace.h and defines u32, u64,
 * kv_inline (static, always inlined), kv_noinline (static, never inlined) and, as
 * static inline functions on its own struct kv_ep (one QP with its CQ and prebuilt
 * WRs):
 *
 * What a slot holds, and the functions below call a WR, are all the WRs of one
 * operation, chained, of which the last is the one that is signalled.
 *
 *   u64 kv_clock(ep)              read the clock, ordered after earlier loads
 *   void kv_wr_prep(ep, slot, id, signalled, last)
 *                                 set what changes in the prebuilt WR of a slot;
 *                                 a WR that is not last chains to the next slot
 *   u32 kv_is_bare(ep)            has it nothing beside a QP, a CQ and the CPU's counter?
 *   void kv_wr_lone(ep, slot)     it is signalled, and has none after it
 *   void kv_wr_again(ep, slot, id)
 *                                 it is that still, and is given its number
 *   int kv_post_again(ep, slot, id)
 *                                 both, kv_wr_again() and kv_post()
 *   void kv_wr_aim(ep, slot, place, mr)
 *                                 put the message of a slot in a place, and reach it by
 *                                 an MR, at both ends
 *   u32 kv_wr_chill(ep, slot, place)
 *                                 evict the WR of a slot, and the message in its place,
 *                                 from the CPU's caches: lines
 *   int kv_post(ep, slot)         post the chain that starts at slot: 0 or -errno
 *   u32 kv_post_bad(ep, slot)     after a failure: WRs posted before the bad one
 *   int kv_post_phase(ep, first)  post the WRs of a phase: 0 or -errno
 *   int kv_reg_begin(ep, slot, metric), int kv_reg_end(ep, slot, metric)
 *                                 a part of the registration of a slot's memory, by
 *                                 the metric it is timed as: 0 or -errno
 *   void kv_offer(ep), void kv_accept(ep)
 *                                 an exchange: put the key of the memory into the WRs
 *                                 and the message, or that of the message into the WRs
 *   void kv_wr_key(ep, slot)      give the WR of a slot a key of no MR, or its own again
 *   int kv_control(ep, what, i)   a call of the control path, by the metric it is timed
 *                                 as, on the i-th object of the lane: 0, -errno, or 1
 *                                 when it waits for something: still, or stopped at it
 *   int kv_poll(ep, max)          poll up to max WCs: their number or -errno
 *   u32 kv_wc_status(ep, i), u64 kv_wc_id(ep, i), u32 kv_wc_vendor(ep, i)
 *   u32 kv_wc_invalidated(ep, i)  did the message invalidate the MR of this end?
 *   int kv_post_recv(ep, ring, slot, n)
 *                                 post n receives of a queue from slot on, wrapping
 *   int kv_limit(ep, first)       has the limit of the SRQ been reached since it was asked
 *                                 last? 1, and it is asked again, as at first; 0 or -errno
 *   void kv_stamp(ep, tag)        write tag where the peer will look for it
 *   int kv_landed(ep, tag)        has the peer's tag arrived?
 *   void *kv_area_open(ep, area, offset, &n)
 *                                 memory of a message, now the CPU's: byte offset of
 *                                 an area, n cut to what lies in one piece
 *   void kv_area_close(ep, area, offset, n)
 *                                 the same, now the device's
 *   int kv_wait(ep)               after an empty poll; 1 if the CPU was given up
 *   int kv_arm(ep)                ask for the next completion event: KV_ARMED, KV_ARM_*
 *                                 when the CQ has to be polled once more, or -errno
 *   int kv_sleep(ep)              give the CPU up until an event since kv_arm(), for
 *                                 some ms at most: 1 if there was one
 *   u64 kv_event_at(ep)           clock when that was raised, once; 0: nobody knows
 *   int kv_spoil(ep, role)        make wrong what the job says is to be: 0 or -errno
 *   int kv_overfill(ep)           post a chain longer than the send queue: the answer
 *   int kv_broken(ep)             has the CQ reported an error of its own?
 *   int kv_breathe(ep, n)         after n operations or rounds; 1 if the CPU was given up
 *   void kv_hold(ep), void kv_let(ep)
 *                                 keep handlers out of the loop's state, let them in
 *   int kv_early(ep)              take a WC that came while no handler was let in: 0, 1
 *   void kv_attend(ep)            let handlers run, for some ms or until kv_over()
 *   u32 kv_stop(ep)               KV_STOP_*
 *   u64 kv_load(const u64 *p), void kv_store(u64 *p, u64 v)
 *                                 acquire and release
 *   void kv_note_post(ep, id, n, ticks, rc), void kv_note_wc(ep, i, ticks),
 *   void kv_note_answer(ep, id, ticks)
 *                                 tracepoints, outside every timed interval
 *
 * Nothing here sleeps, allocates, divides or calls a library. Every wait ends
 * by a WC, by a deadline or by a stop.
 */
#ifndef _KVERBS_LOOP_H
#define _KVERBS_LOOP_H

#define kv_likely(x)		__builtin_expect(!!(x), 1)
#define kv_unlikely(x)		__builtin_expect(!!(x), 0)
/* it is known to be so: there is no code for the other case */
#define kv_assume(x)		do { if (!(x)) __builtin_unreachable(); } while (0)

#define KV_ID_STEP		(1ULL << 62)	/* wr_id of a WR that has a step's number */
#define KV_UNSET		(~0ULL)
#define KV_IDLE_CHECK		16	/* idle rounds between looks at the clock */
#define KV_IDLE_BREATHE		1024	/* idle rounds between yields */
#define KV_CLOCK_CHECK		64	/* operations between looks at the clock */
#define KV_SAMPLE_MEAN		16	/* rate: one chain in so many is timed */
#define KV_WARM_WINDOWS		8	/* most windows of a warm-up */
#define KV_WARM_AGREE		10	/* two windows agree within 1/10 */

enum {
	KV_STOP_NONE,
	KV_STOP_SOON,	/* finish what is outstanding */
	KV_STOP_NOW,	/* abandon it */
};

/**
 * struct kv_pair - what the two lanes of a pair tell each other
 * @measured_from: messages sent when the measured window opened, else KV_UNSET
 * @total: messages sent in all once the initiator has ended, else KV_UNSET
 * @abort: 1 when either lane failed
 * @ready: messages that the responder has checked, when data is checked
 * @credit: messages whose receives the responder posted again, where a sender must not
 *	outrun them
 * @seed: of the data
 * @spoil: KV_SPOIL_*, where an error is provoked
 */
struct kv_pair {
	u64 measured_from;
	u64 total;
	u64 abort;
	u64 ready;
	u64 credit;
	u64 seed;
	u64 spoil;
};

/* the initiator waits until its responder has made wrong what it is to */
enum {
	KV_SPOIL_NOT,
	KV_SPOIL_ASKED,
	KV_SPOIL_DONE,
};

/* bits of a chain */
enum {
	KV_CHAIN_SAMPLED = 1,	/* its time enters the histograms */
	KV_CHAIN_DONE = 2,	/* all of it completed, before an earlier one */
};

/**
 * struct kv_chain - a posted chain of WRs that is not retired yet
 * @start: clock before its post call, ticks
 * @end: number of the WR after its last
 * @yields: yields of the lane when it was posted
 * @sampled: KV_CHAIN_*
 */
struct kv_chain {
	u64 start;
	u64 end;
	u64 yields;
	u32 sampled;
};

/**
 * struct kv_ring - a receive queue of a lane, as a ring of prebuilt WRs
 * @slot: the next one to be posted
 * @owed: taken by messages, and not posted again
 */
struct kv_ring {
	u32 slot;
	u32 owed;
};

/**
 * struct kv_loop - one lane's hot state; the engine fills the first part
 * @ep: the side's endpoint
 * @pair: shared with the other lane of the pair
 * @other: of two lanes that send to each other, what that one tells; else NULL
 * @chains: ring, @chain_mask + 1 entries, a power of two above @depth
 * @due: paced: ring as large, intended start of each WR outstanding
 * @gap: paced: intervals between intended starts, ticks << KV_PACE_SHIFT
 * @gaps: entries of @gap
 * @gap_mean: their mean
 * @gap_drawn: the next one is drawn at random from them, which are a power of two
 * @hist: a histogram for each metric that the lane's role has, else NULL
 * @iterations: operations to do, 0: until @span is over
 * @span: length of the measured window, ticks
 * @delay: busy wait before a post, ticks, 0: none
 * @delay_at: enum kverbs_delay_at
 * @warm: least length of the warm-up, ticks, 0: none
 * @deadline: longest wait for a completion, ticks
 * @grace: longest wait for a completion after a stop, ticks
 * @spin: polls for so long before it sleeps, ticks
 * @sleeps: sleeps until a completion event when polls find nothing
 * @handled: handlers do its work, see kv_react()
 * @size: payload bytes of an operation
 * @depth: WRs outstanding, and prebuilt slots
 * @chain: WRs a post call
 * @signal: every how many WRs one is signalled
 * @batch: WCs a poll call
 * @recv_depth: receives kept posted, and prebuilt slots, of all queues
 * @rings: receive queues of a lane that takes messages
 * @nrings: entries of @rings
 * @ring_depth: receives of each
 * @refill_from: are posted again when so many of a queue were taken
 * @refill_chain: by calls of so many WRs at most
 * @limit: an event is asked for when an SRQ has fewer receives, 0: none is
 * @timing: enum kverbs_timing
 * @two_sided: the operation completes a receive at the peer
 * @turns: QPs that chains are posted to in turn
 * @lossy: a message may not arrive, and nobody is told
 * @credit: receives at the peer, which must not be outrun, 0: they may be
 * @taken: a message invalidates the MR of its taker
 * @provoke: enum kverbs_provoke: the error that is made to come
 * @wide: WRs outstanding from then on, where it is of a CQ that overflows
 * @reg: calls that register an operation's memory, and undo it
 * @nphases: entries of @phase, 0: an operation is one chain
 * @phase: parts of an operation of shape lat
 * @exchanges: an operation is an exchange
 * @opened_by: of that, a phase before its message, if @n is not 0
 * @closed_by: likewise, after the answer
 * @control: its operations are turns of the control path
 * @recreate: which makes QPs anew, and does not reset them
 * @storm: or which sets so many up at once
 * @storm_qps: QPs of these
 * @cm: it is rdma_cm that connects them
 * @theirs: receives that the peer has in each of them, 0: it takes no messages
 * @random: state of the sampling generator, not 0
 * @data: checking of data
 * @places: that messages lie in
 * @mrs: that reach them
 * @drawn: which of these is drawn at random
 * @aims: a WR is given both before its post
 * @cold: a WR and its message are evicted before its post
 * @end: enum kverbs_reason once ended
 */
struct kv_loop {
	struct kv_ep *ep;
	struct kv_pair *pair;
	struct kv_pair *other;
	struct kv_chain *chains;
	u64 *due;
	const u64 *gap;
	u32 gaps;
	u32 gap_drawn;
	u64 gap_mean;
	struct kv_hist *hist[__KVERBS_METRIC_MAX];
	u64 iterations;
	u64 span;
	u64 delay;
	u32 delay_at;
	u64 warm;
	u64 deadline;
	u64 grace;
	u64 spin;
	u64 size;
	u32 sleeps;
	u32 handled;
	u32 chain_mask;
	u32 depth;
	u32 chain;
	u32 signal;
	u32 batch;
	u32 recv_depth;
	struct kv_ring *rings;
	u32 nrings;
	u32 ring_depth;
	u32 refill_from;
	u32 refill_chain;
	u32 limit;
	u32 timing;
	u32 two_sided;
	u32 turns;
	u32 lossy;
	u32 credit;
	u32 taken;
	u32 provoke;
	u32 wide;
	struct kv_reg_calls reg;
	u32 nphases;
	struct kv_phase phase[KV_PHASES_MAX];
	u32 exchanges;
	struct kv_phase opened_by;
	struct kv_phase closed_by;
	u32 control;
	u32 recreate;
	u32 storm;
	u32 storm_qps;
	u32 cm;
	u32 theirs;
	u64 random;
	struct kv_data data;
	u32 places;
	u32 mrs;
	u32 drawn;
	u32 aims;
	u32 cold;

	/* the pass under way */
	u64 last;	/* number of the WR after the last, or KV_UNSET */
	u32 role;	/* enum kverbs_role */
	u32 opened;	/* the measured window is open: samples count */
	u64 until;	/* length, ticks, when last is KV_UNSET */
	u64 least;	/* number of WRs to do even when until is over */
	u64 begin;	/* clock at its start */
	u64 now;	/* latest reading */
	u32 closing;	/* nothing is posted any more but to signal the tail */
	u32 tail;	/* WRs posted after the last signalled one */

	u32 shape;	/* of handlers that do its work */
	u32 driven;	/* they are let in */
	u32 over;	/* they have nothing left to do */

	/* the queues, since they were made */
	u64 posted;
	u64 retired;
	u64 released;	/* of the retired, those whose registration was undone */
	u32 release_slot;
	u64 io_start;
	u64 recvs;
	u64 chain_head;
	u64 chain_tail;
	u32 slot;
	u32 retire_slot;	/* a plain window: of the next WC */
	u64 starts;	/* a burst of it: sum of the readings before its posts */
	u64 sent;	/* turns: WRs of a queue since it was made or reset */
	u32 until_sample;
	u32 prepares;	/* there is something to be done before a post */
	u32 ahead;	/* and before its WRs are made ready */
	u32 place;
	u32 mr;
	u32 heard;	/* pingpong: messages that came and were not yet taken */
	u64 tag_in;
	u64 tag_out;
	u64 idle;	/* empty polls since the last WC */
	u64 idle_since;
	u64 spin_since;
	u32 armed;	/* an event was asked for since the last WC */
	u64 tick;	/* operations, for the look at the clock */
	u64 counted;	/* a plain loop: clock up to which was counted */
	u64 next_due;	/* paced: from the start of the window, << KV_PACE_SHIFT */
	u32 gap_at;

	struct kv_stat stat;

	/* how it ended */
	u32 end;
	int err;	/* -errno of a post or poll call */
	u64 err_wr;	/* WR concerned: number or wr_id of the WC */
	u32 wc_status;
	u32 wc_vendor;
};

/* a reading that was taken, unless it is before the last one */
kv_inline u64 kv_later(struct kv_loop *l, u64 now, u64 last)
{
	if (kv_likely(now >= last))
		return now;
	l->stat.backwards++;
	return last;
}

/* the same, with what was outstanding in that time */
kv_inline void kv_tick(struct kv_loop *l, u64 *sum)
{
	u64 last = l->now;

	l->now = kv_later(l, kv_clock(l->ep), last);
	*sum += l->now - last;
	l->stat.occupancy += (l->posted - l->retired) * (l->now - last);
}

kv_noinline int kv_fail(struct kv_loop *l, u32 reason, int err, u64 wr)
{
	l->end = reason;
	l->err = err;
	l->err_wr = wr;
	return -1;
}

kv_noinline int kv_fail_wc(struct kv_loop *l, u32 i)
{
	l->wc_status = kv_wc_status(l->ep, i);
	l->wc_vendor = kv_wc_vendor(l->ep, i);
	kv_note_wc(l->ep, i, 0);
	return kv_fail(l, KVERBS_REASON_WC, 0, kv_wc_id(l->ep, i));
}

/*
 * A role has a histogram for the metrics it can measure only. Nothing is added
 * during the warm-up: to clear a histogram when the window opens would take so
 * long that the first samples, of the peer too, showed it.
 */
kv_inline struct kv_hist *kv_hist_of(const struct kv_loop *l, u32 metric)
{
	return l->opened ? l->hist[metric] : NULL;
}

kv_inline u32 kv_sample(struct kv_loop *l, u32 metric, u64 ticks)
{
	struct kv_hist *hist = kv_hist_of(l, metric);

	if (kv_unlikely(!hist))
		return 0;
	kv_hist_add(hist, ticks);
	return 1;
}

/* a lossy transport's responder: all is sent, and nothing more comes */
kv_inline u32 kv_all_came(const struct kv_loop *l, u64 now)
{
	return l->lossy && l->role == KVERBS_ROLE_RESPONDER &&
	       kv_load(&l->pair->total) != KV_UNSET &&
	       now - l->idle_since > l->grace;
}

/* while polls find nothing: notice stops and deadlines; fresh: the wait has just begun */
kv_inline int kv_idle_look(struct kv_loop *l, u32 fresh)
{
	u32 stop = kv_stop(l->ep);
	u64 now;

	if (stop == KV_STOP_NOW)
		return kv_fail(l, KVERBS_REASON_STOPPED, 0, l->retired);
	if (kv_broken(l->ep))
		return kv_fail(l, KVERBS_REASON_CQ, 0, l->retired);
	/* what ended the other end may show at this one, too, when its turn comes */
	if (kv_load(&l->pair->abort) || (l->other && kv_load(&l->other->abort)))
		stop = KV_STOP_SOON;
	now = kv_clock(l->ep);
	if (fresh || now < l->idle_since)
		l->idle_since = now;
	/* a responder has nothing to expect while its initiator is at rest */
	if (l->role == KVERBS_ROLE_RESPONDER && l->posted == l->retired &&
	    kv_load(&l->pair->total) == KV_UNSET &&
	    !kv_load(&l->pair->abort)) {
		l->idle_since = now;
		return 0;
	}
	if (kv_all_came(l, now))
		return kv_fail(l, KVERBS_REASON_COMPLETE, 0, 0);
	if (stop == KV_STOP_SOON && now - l->idle_since > l->grace)
		return kv_fail(l, KVERBS_REASON_STOPPED, 0, l->retired);
	if (now - l->idle_since > l->deadline)
		return kv_fail(l, KVERBS_REASON_TIMEOUT, 0, l->retired);
	return 0;
}

/* a poll found nothing: wait as the job says */
kv_inline int kv_idle_poll(struct kv_loop *l)
{
	if (kv_wait(l->ep))
		l->stat.yields++;
	l->idle++;
	if (l->idle & (KV_IDLE_CHECK - 1))
		return 0;
	if (!(l->idle & (KV_IDLE_BREATHE - 1)) && kv_breathe(l->ep, 1))
		l->stat.yields++;
	return kv_idle_look(l, l->idle == KV_IDLE_CHECK);
}

/* whoever was told of a completion event runs */
kv_inline void kv_time_event(struct kv_loop *l)
{
	u64 event, now;

	if (!l->hist[KVERBS_METRIC_HANDLER])
		return;
	event = kv_event_at(l->ep);
	if (!event)
		return;
	now = kv_clock(l->ep);
	if (kv_unlikely(now < event))
		l->stat.backwards++;
	else
		kv_sample(l, KVERBS_METRIC_HANDLER, now - event);
}

/*
 * An event was asked for, a poll after that found nothing: sleep. What came before
 * the request is found by the poll, what comes after it raises the event.
 */
kv_inline int kv_idle_sleep(struct kv_loop *l)
{
	l->stat.sleeps++;
	if (kv_sleep(l->ep)) {
		l->stat.events++;
		l->armed = 0;
		kv_time_event(l);
	}
	return kv_idle_look(l, 0);
}

/* a poll found nothing, and the lane is one that sleeps */
kv_noinline int kv_idle_event(struct kv_loop *l)
{
	int rc;

	if (!l->idle) {
		l->armed = 0;
		l->idle_since = kv_clock(l->ep);
		l->spin_since = l->idle_since;
	}
	if (l->spin && kv_clock(l->ep) - l->spin_since < l->spin)
		return kv_idle_poll(l);
	if (l->armed) {
		l->idle++;
		return kv_idle_sleep(l);
	}
	rc = kv_arm(l->ep);
	if (kv_unlikely(rc < 0))
		return kv_fail(l, KVERBS_REASON_POLL, rc, l->retired);
	l->armed = 1;
	l->stat.arms++;
	l->stat.missed += rc == KV_ARM_MISSED;
	l->idle++;
	return rc == KV_ARMED ? kv_idle_sleep(l) : 0;
}

kv_inline int kv_idle(struct kv_loop *l)
{
	return kv_unlikely(l->sleeps) ? kv_idle_event(l) : kv_idle_poll(l);
}

/* one poll call with what follows from it: number of WCs, or -1 at an end */
kv_inline int kv_poll_step(struct kv_loop *l, u32 max, u32 metric)
{
	u64 start = l->now;
	int got;

	got = kv_poll(l->ep, max);
	if (kv_likely(got > 0)) {
		l->stat.polls++;
		l->idle = 0;
		if (l->timing == KVERBS_TIMING_ALL) {
			kv_tick(l, &l->stat.t_poll);
			kv_sample(l, metric, l->now - start);
		} else if (l->timing == KVERBS_TIMING_LAT) {
			kv_tick(l, &l->stat.t_empty);
		}
		return got;
	}
	if (kv_unlikely(got < 0))
		return kv_fail(l, KVERBS_REASON_POLL, got, l->retired);
	l->stat.empty_polls++;
	got = kv_idle(l);
	/* the wait belongs to the empty poll, not to the next one */
	if (l->timing == KVERBS_TIMING_ALL)
		kv_tick(l, &l->stat.t_empty);
	return got;
}

kv_inline void kv_time(struct kv_loop *l, u32 metric, u64 start, u64 yields)
{
	if (kv_sample(l, metric, l->now - start) &&
	    kv_unlikely(l->stat.yields != yields))
		l->stat.tainted++;
}

/*
 * Of several QPs only the WRs of one complete in order: a chain whose last WR has
 * completed waits until those before it have, too.
 */
kv_noinline int kv_retire_turn(struct kv_loop *l, u32 i, u64 upto)
{
	u64 at = l->chain_tail;
	struct kv_chain *c = &l->chains[at & l->chain_mask];

	while (c->end < upto)
		c = &l->chains[++at & l->chain_mask];
	if (c->sampled & KV_CHAIN_DONE)
		return kv_fail(l, KVERBS_REASON_ORDER, 0, upto - 1);
	if (c->sampled)
		kv_time(l, KVERBS_METRIC_LAT, c->start, c->yields);
	kv_note_wc(l->ep, i, l->now - c->start);
	/* a WR within a chain */
	if (c->end > upto)
		return 0;
	c->sampled = KV_CHAIN_DONE;
	while (l->chain_tail != l->chain_head) {
		c = &l->chains[l->chain_tail & l->chain_mask];
		if (!(c->sampled & KV_CHAIN_DONE))
			break;
		l->stat.residence += (c->end - l->retired) * (l->now - c->start);
		l->stat.retired += c->end - l->retired;
		l->retired = c->end;
		l->chain_tail++;
	}
	return 0;
}

/*
 * A send WC retires its WR and, as completions of a send queue are in order,
 * all earlier ones.
 */
kv_inline int kv_retire(struct kv_loop *l, u32 i)
{
	u64 upto = kv_wc_id(l->ep, i) + 1;
	struct kv_chain *c;
	u64 end;

	if (kv_unlikely(kv_wc_status(l->ep, i)))
		return kv_fail_wc(l, i);
	if (kv_unlikely(upto <= l->retired || upto > l->posted))
		return kv_fail(l, KVERBS_REASON_ORDER, 0, upto - 1);
	l->stat.wcs++;
	if (kv_unlikely(l->turns > 1))
		return kv_retire_turn(l, i, upto);
	while (l->retired < upto) {
		c = &l->chains[l->chain_tail & l->chain_mask];
		end = c->end < upto ? c->end : upto;
		l->stat.residence += (end - l->retired) * (l->now - c->start);
		l->stat.retired += end - l->retired;
		l->retired = end;
		if (end == c->end)
			l->chain_tail++;
		if (end == upto) {
			if (c->sampled)
				kv_time(l, KVERBS_METRIC_LAT, c->start,
					c->yields);
			kv_note_wc(l->ep, i, l->now - c->start);
		}
	}
	return 0;
}

/* write a message, or its complement, into a place of an area */
kv_noinline void kv_data_put(struct kv_loop *l, u32 area, u32 slot, u32 lane,
			     u64 message, u64 flip)
{
	struct kv_data *d = &l->data;
	u64 base = slot * d->stride, at, n;
	void *to;

	for (at = 0; at < d->size; at += n) {
		n = d->size - at;
		to = kv_area_open(l->ep, area, base + at, &n);
		kv_data_write(to, at, n, d->seed, lane, message, flip);
		kv_area_close(l->ep, area, base + at, n);
	}
}

/* the first byte of a place that is not the message's; its size when all are */
kv_noinline u64 kv_data_look(struct kv_loop *l, u64 message, u32 *got)
{
	struct kv_data *d = &l->data;
	u64 base = d->in_slot * d->stride, at, n, same;
	const unsigned char *from;

	for (at = 0; at < d->size; at += n) {
		n = d->size - at;
		from = kv_area_open(l->ep, d->target, base + at, &n);
		same = kv_data_differs(from, at, n, d->seed, d->peer, message);
		if (same < n)
			*got = from[same];
		kv_area_close(l->ep, d->target, base + at, n);
		if (same < n)
			return at + same;
	}
	return d->size;
}

/* number of the message whose data a message is sent with: its own, but for a fault */
kv_inline u64 kv_data_spoilt(struct kv_data *d, u64 message)
{
	if (kv_likely(d->fault_at == KV_DATA_NONE))
		return message;
	if (d->fault == KVERBS_CHECK_DATA_STALE && message == d->fault_at)
		return message - 1;
	if (d->fault == KVERBS_CHECK_DATA_SWAP && message == d->fault_at)
		return message + 1;
	if (d->fault == KVERBS_CHECK_DATA_SWAP && message == d->fault_at + 1)
		return message - 1;
	return message;
}

kv_inline void kv_data_flip(struct kv_loop *l, u32 slot)
{
	struct kv_data *d = &l->data;
	u64 at = slot * d->stride + (d->size >> 1), n = 1;
	unsigned char *byte = kv_area_open(l->ep, d->source, at, &n);

	*byte ^= 1;
	kv_area_close(l->ep, d->source, at, 1);
}

/*
 * Messages below upto are in their places. What this lane itself checks has a place
 * in which it cannot be right yet.
 */
kv_noinline void kv_data_fill(struct kv_loop *l, u64 upto)
{
	struct kv_data *d = &l->data;

	for (; d->filled < upto; d->filled++) {
		kv_data_put(l, d->source, d->out_slot, d->lane,
			    kv_data_spoilt(d, d->filled), 0);
		if (d->fault == KVERBS_CHECK_DATA_FLIP && d->size &&
		    d->filled == d->fault_at)
			kv_data_flip(l, d->out_slot);
		if (d->own)
			kv_data_put(l, d->target, d->out_slot, d->lane,
				    d->filled, ~0ULL);
		if (++d->out_slot == d->out_slots)
			d->out_slot = 0;
	}
}

/* a message is wrong: say how, and whose data it has when that can be told */
kv_noinline int kv_data_bad(struct kv_loop *l, u64 offset, u32 got)
{
	struct kv_data *d = &l->data;
	u64 m = d->checked, other;
	u32 ignored;

	d->bad = m;
	d->offset = offset;
	d->expected = kv_data_byte(d->seed, d->peer, m, offset);
	d->got = got;
	d->found = KV_DATA_NONE;
	for (other = m > KV_DATA_NEAR ? m - KV_DATA_NEAR : 0;
	     d->size >= KV_DATA_TELLS && other <= m + KV_DATA_NEAR &&
	     d->found == KV_DATA_NONE; other++) {
		if (kv_data_look(l, other, &ignored) == d->size)
			d->found = other;
	}
	return kv_fail(l, KVERBS_REASON_DATA, 0, m);
}

/*
 * What is wrong with the message that is checked may come right: a completion or a
 * tag says that it was acknowledged, or its last byte placed. Where none says that
 * it arrived, and its place is as it was, it may be on its way. Else it is bad.
 */
kv_noinline int kv_data_await(struct kv_loop *l, u64 since, u64 at, u32 got)
{
	struct kv_data *d = &l->data;
	u64 waited = kv_clock(l->ep) - since;
	u32 byte;

	if (waited > l->grace) {
		byte = kv_data_byte(d->seed, d->peer, d->checked, at);
		if (!d->unseen || (got ^ byte) != 0xff || waited > l->deadline)
			return kv_data_bad(l, at, got);
		if (kv_stop(l->ep))
			return kv_fail(l, KVERBS_REASON_STOPPED, 0, d->checked);
	}
	if (kv_wait(l->ep))
		l->stat.yields++;
	return 0;
}

/* check the messages below upto */
kv_noinline int kv_data_check(struct kv_loop *l, u64 upto)
{
	struct kv_data *d = &l->data;
	u64 since, at;
	u32 got = 0;

	for (; d->checked < upto; d->checked++) {
		since = kv_clock(l->ep);
		for (;;) {
			at = kv_data_look(l, d->checked, &got);
			if (at == d->size)
				break;
			if (kv_data_await(l, since, at, got))
				return -1;
		}
		if (!d->own)
			kv_data_put(l, d->target, d->in_slot, d->peer,
				    d->checked + d->in_slots, ~0ULL);
		if (++d->in_slot == d->in_slots)
			d->in_slot = 0;
	}
	if (l->timing != KVERBS_TIMING_NONE)
		kv_tick(l, &l->stat.t_rest);
	return 0;
}

/* after WRs were retired: their data is where this lane can see it, or at the peer */
kv_inline int kv_data_retired(struct kv_loop *l)
{
	return kv_unlikely(l->data.own) ? kv_data_check(l, l->retired) : 0;
}

/* after messages came, before their receives are posted again */
kv_inline int kv_data_heard(struct kv_loop *l)
{
	return kv_unlikely(l->data.on) ? kv_data_check(l, l->recvs) : 0;
}

/* pingpong: the next message can be sent at once, and the peer may know */
kv_inline void kv_data_ready(struct kv_loop *l)
{
	if (kv_likely(!l->data.on))
		return;
	kv_data_fill(l, l->posted + 1);
	if (l->role == KVERBS_ROLE_RESPONDER)
		kv_store(&l->pair->ready, l->recvs);
}

/* pingpong: the peer is not to be found checking the message before */
kv_inline int kv_data_wait(struct kv_loop *l)
{
	while (kv_unlikely(l->data.on) &&
	       kv_load(&l->pair->ready) < l->posted) {
		/* no event tells of it */
		if (kv_idle_poll(l))
			return -1;
	}
	return 0;
}

/* the window opens: from here it is known which message is to be spoilt */
kv_inline void kv_data_spoil(struct kv_loop *l)
{
	if (l->data.fault > KVERBS_CHECK_DATA_ON)
		l->data.fault_at = l->posted + KV_DATA_FAULT_AFTER;
}

kv_inline void kv_data_reset(struct kv_loop *l)
{
	l->data.bad = KV_DATA_NONE;
	l->data.fault_at = KV_DATA_NONE;
}

/* before any lane runs: what this lane will take has places, its first answer is there */
kv_noinline void kv_data_begin(struct kv_loop *l)
{
	struct kv_data *d = &l->data;
	u32 i;

	kv_data_reset(l);
	if (!d->on || d->own)
		return;
	for (i = 0; i < d->in_slots; i++)
		kv_data_put(l, d->target, i, d->peer, i, ~0ULL);
	kv_data_fill(l, 1);
}

/* what a chain waits for before it is posted */
enum {
	KV_DELAY_NONE,
	KV_DELAY_POST,		/* in the interval of the post */
	KV_DELAY_BEFORE,	/* before it begins */
};

/*
 * A difference of known size, to see whether a comparison finds it: a busy wait from
 * the reading that begins the interval of a post. How long it came out is counted.
 * Its twin is as long, and before that reading: what goes on meanwhile, in the device
 * or in software that is one, goes on in both.
 */
kv_inline void kv_delay(struct kv_loop *l)
{
	u64 now;

	do {
		now = kv_clock(l->ep);
	} while (now - l->now < l->delay);
	if (kv_likely(now > l->now))
		l->stat.delayed += now - l->now;
}

/* xorshift64 */
kv_inline u64 kv_draw(struct kv_loop *l)
{
	u64 x = l->random;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	l->random = x;
	return x;
}

/* the next one of n: by its turn, or drawn */
kv_inline u32 kv_next_of(struct kv_loop *l, u32 n, u32 *at)
{
	u32 this = *at;

	/* the high bits: the low ones of a xorshift are its weakest */
	if (l->drawn)
		return (u32)((kv_draw(l) >> 32) * n >> 32);
	*at = this + 1 == n ? 0 : this + 1;
	return this;
}

/* WRs from a slot on are to be posted: their data, their places, their caches */
kv_noinline void kv_prepare(struct kv_loop *l, u32 slot, u32 len)
{
	u32 place, i;

	if (l->data.on)
		kv_data_fill(l, l->posted + len);
	for (i = 0; i < len && (l->aims || l->cold); i++) {
		place = l->data.on ? slot : 0;
		if (l->aims) {
			place = kv_next_of(l, l->places, &l->place);
			kv_wr_aim(l->ep, slot, place,
				  kv_next_of(l, l->mrs, &l->mr));
		}
		if (l->cold)
			l->stat.evicted += kv_wr_chill(l->ep, slot, place);
		slot = slot + 1 == l->depth ? 0 : slot + 1;
	}
}

/* one call of the registration of a slot: timed whatever its time is part of */
kv_inline int kv_reg_call(struct kv_loop *l, u32 slot, u32 metric, u32 begin)
{
	u64 start = l->now, yields = l->stat.yields;
	int rc = begin ? kv_reg_begin(l->ep, slot, metric) :
			 kv_reg_end(l->ep, slot, metric);

	/* a call that waits ends by a stop, too */
	if (kv_unlikely(rc == -EINTR && kv_stop(l->ep)))
		return kv_fail(l, KVERBS_REASON_STOPPED, 0, l->retired);
	if (kv_unlikely(rc))
		return kv_fail(l, KVERBS_REASON_REG, rc,
			       begin ? l->posted : l->released);
	if (l->timing != KVERBS_TIMING_NONE) {
		kv_tick(l, &l->stat.t_reg);
		kv_time(l, metric, start, yields);
	}
	return 0;
}

/* before n operations from the current slot on are posted: their memory is registered */
kv_noinline int kv_register(struct kv_loop *l, u32 n)
{
	u32 slot = l->slot, i, j;

	if (l->timing != KVERBS_TIMING_NONE)
		kv_tick(l, &l->stat.t_rest);
	l->io_start = l->now;
	for (i = 0; i < n; i++) {
		for (j = 0; j < l->reg.nbegin; j++) {
			if (kv_reg_call(l, slot, l->reg.begin[j], 1))
				return -1;
		}
		slot = slot + 1 == l->depth ? 0 : slot + 1;
	}
	return 0;
}

/* has the peer posted receives for n messages more? */
kv_inline u32 kv_has_credit(const struct kv_loop *l, u32 n)
{
	return l->posted + n - kv_load(&l->pair->credit) <= l->credit;
}

kv_noinline int kv_await_credit(struct kv_loop *l, u32 n)
{
	l->idle = 0;
	while (!kv_has_credit(l, n)) {
		/* no event tells of it */
		if (kv_idle_poll(l))
			return -1;
	}
	l->idle = 0;
	return 0;
}

/* before n operations are posted: may they be, and where does their memory lie? */
kv_noinline int kv_go_ahead(struct kv_loop *l, u32 n)
{
	if (l->credit && kv_await_credit(l, n))
		return -1;
	return l->reg.on ? kv_register(l, n) : 0;
}

/* after operations were retired: their memory is the CPU's again */
kv_noinline int kv_release(struct kv_loop *l)
{
	u32 j;

	if (l->timing != KVERBS_TIMING_NONE)
		kv_tick(l, &l->stat.t_rest);
	while (l->released < l->retired) {
		for (j = 0; j < l->reg.nend; j++) {
			if (kv_reg_call(l, l->release_slot, l->reg.end[j], 0))
				return -1;
		}
		l->released++;
		l->release_slot = l->release_slot + 1 == l->depth ?
				  0 : l->release_slot + 1;
	}
	/* only where one operation is outstanding is it known when it began */
	if (l->timing != KVERBS_TIMING_NONE)
		kv_sample(l, KVERBS_METRIC_IO, l->now - l->io_start);
	return 0;
}

kv_inline int kv_reg_retired(struct kv_loop *l)
{
	return kv_unlikely(l->reg.on) ? kv_release(l) : 0;
}

/*
 * Is a WR signalled, of a chain that ends with the WR before end? It is when the interval
 * says so; the last of a chain also when the window would otherwise not have room for the
 * next chain until something is retired, and when no WR will follow.
 */
kv_inline u32 kv_signalled(struct kv_loop *l, u64 end, u32 last)
{
	if (++l->tail < l->signal) {
		if (!last || (!l->closing && end != l->last &&
			      l->tail + l->chain <= l->depth))
			return 0;
		l->stat.forced++;
	}
	l->tail = 0;
	l->stat.signalled++;
	return 1;
}

/* post the chain of len WRs that starts at the current slot */
kv_inline int kv_post_chain(struct kv_loop *l, u32 len, u32 sampled, u32 delayed)
{
	struct kv_chain *c = &l->chains[l->chain_head & l->chain_mask];
	u32 first = l->slot;
	u64 start;
	u32 signalled, last, i;
	int rc;

	if (kv_unlikely(l->ahead) && kv_go_ahead(l, len))
		return -1;
	for (i = 0; i < len; i++) {
		last = i + 1 == len;
		signalled = kv_signalled(l, l->posted + len, last);
		kv_wr_prep(l->ep, l->slot, l->posted + i, signalled, last);
		l->slot = l->slot + 1 == l->depth ? 0 : l->slot + 1;
	}
	if (kv_unlikely(l->prepares))
		kv_prepare(l, first, len);
	if (delayed == KV_DELAY_BEFORE) {
		kv_tick(l, &l->stat.t_rest);
		kv_delay(l);
	}
	/* what that took, and registration, is outside what is timed */
	if (sampled || kv_unlikely((l->prepares || l->ahead) &&
				   l->timing != KVERBS_TIMING_NONE))
		kv_tick(l, &l->stat.t_rest);
	start = l->now;
	c->start = start;
	c->end = l->posted + len;
	c->yields = l->stat.yields;
	c->sampled = sampled;
	if (delayed == KV_DELAY_POST)
		kv_delay(l);
	rc = kv_post(l->ep, first);
	if (kv_unlikely(rc)) {
		kv_note_post(l->ep, l->posted, len, 0, rc);
		i = kv_post_bad(l->ep, first);
		c->end = l->posted + i;
		l->stat.wrs += i;
		l->posted += i;
		if (i)
			l->chain_head++;
		return kv_fail(l, KVERBS_REASON_POST, rc, l->posted);
	}
	l->chain_head++;
	l->posted += len;
	l->stat.posts++;
	l->stat.wrs += len;
	if (l->timing != KVERBS_TIMING_NONE) {
		kv_tick(l, &l->stat.t_post);
		if (sampled)
			kv_sample(l, KVERBS_METRIC_POST, l->now - start);
	}
	kv_note_post(l->ep, l->posted - len, len, sampled ? l->now - start : 0,
		     0);
	return 0;
}

/* are there other operations to begin in this pass, n of them or fewer? */
kv_inline u32 kv_more_of(struct kv_loop *l, u32 n)
{
	u64 now;

	if (kv_unlikely(kv_stop(l->ep))) {
		l->end = KVERBS_REASON_STOPPED;
		return 0;
	}
	if (l->last != KV_UNSET)
		return l->posted < l->last;
	l->tick += n;
	if (l->timing == KVERBS_TIMING_NONE &&
	    (l->tick & (KV_CLOCK_CHECK - 1)) < n) {
		now = kv_clock(l->ep);
		if (kv_unlikely(now < l->now))
			l->stat.backwards++;
		else
			l->now = now;
	}
	return l->now - l->begin < l->until || l->posted < l->least;
}

kv_inline u32 kv_more(struct kv_loop *l)
{
	return kv_more_of(l, 1);
}

kv_inline void kv_rest_after(struct kv_loop *l, u32 n)
{
	if (kv_breathe(l->ep, n))
		l->stat.yields++;
}

kv_inline void kv_rest(struct kv_loop *l)
{
	kv_rest_after(l, 1);
}

/* delayed is a constant: without a delay there is no code for it */
kv_inline void kv_one_at_a_time(struct kv_loop *l, u32 delayed)
{
	u32 timed = l->timing != KVERBS_TIMING_NONE;
	int got;

	while (kv_more(l)) {
		if (kv_post_chain(l, 1, timed, delayed))
			return;
		do {
			got = kv_poll_step(l, 1, KVERBS_METRIC_POLL);
		} while (!got);
		if (got < 0 || kv_retire(l, 0) || kv_data_retired(l) ||
		    kv_reg_retired(l))
			return;
		kv_rest(l);
	}
}

/*
 * What a plain loop has done since it was counted: up to the operation of a number, and to
 * a reading of the clock, with the time of their posts, and from these to their ends. The
 * counters of a lane are read while it runs: they are brought up to date now and then, and
 * whenever there is to wait.
 */
kv_noinline void kv_plain_count(struct kv_loop *l, u64 n, u64 upto, u64 post,
				u64 lat)
{
	u64 ops = n - l->retired;

	l->posted = n;
	l->retired = n;
	l->stat.posts += ops;
	l->stat.wrs += ops;
	l->stat.signalled += ops;
	l->stat.polls += ops;
	l->stat.wcs += ops;
	l->stat.retired += ops;
	l->stat.t_rest += upto - l->counted - lat;
	l->counted = upto;
	l->stat.t_post += post;
	l->stat.t_empty += lat - post;
	/* one WR is outstanding from its post to the end of the wait, none else */
	l->stat.occupancy += lat;
	l->stat.residence += lat;
	if (l->timing == KVERBS_TIMING_NONE)
		return;
	if (kv_hist_of(l, KVERBS_METRIC_POST))
		kv_hist_total(l->hist[KVERBS_METRIC_POST], ops, post);
	if (kv_hist_of(l, KVERBS_METRIC_LAT))
		kv_hist_total(l->hist[KVERBS_METRIC_LAT], ops, lat);
}

/* a plain loop ends in a WR that was posted, and is not retired */
kv_noinline void kv_plain_broken(struct kv_loop *l, u64 start, u64 posted,
				 u64 now)
{
	l->posted = l->retired + 1;
	l->stat.posts++;
	l->stat.wrs++;
	l->stat.signalled++;
	l->stat.t_post += posted - start;
	l->stat.t_empty += now - posted;
	l->stat.occupancy += now - start;
	if (l->timing != KVERBS_TIMING_NONE && kv_hist_of(l, KVERBS_METRIC_POST))
		kv_hist_total(l->hist[KVERBS_METRIC_POST], 1, posted - start);
}

/* the WC is the one that is waited for, and a good one */
kv_inline u32 kv_plain_good(struct kv_ep *ep, u64 n)
{
	return !kv_wc_status(ep, 0) && kv_wc_id(ep, 0) == n;
}

/* a WC is a bad one, or of no WR that may complete now */
kv_noinline int kv_plain_wrong(struct kv_loop *l, u32 i)
{
	if (kv_wc_status(l->ep, i))
		return kv_fail_wc(l, i);
	return kv_fail(l, KVERBS_REASON_ORDER, 0, kv_wc_id(l->ep, i));
}

/* a poll found nothing, or failed: 1 when another finds a WC, -1 at an end */
kv_noinline int kv_plain_wait(struct kv_loop *l, int got)
{
	u64 yields = l->stat.yields;

	l->posted = l->retired + 1;
	l->idle = 0;
	while (!got) {
		l->stat.empty_polls++;
		if (kv_idle_poll(l))
			return -1;
		got = kv_poll(l->ep, 1);
	}
	if (kv_unlikely(got < 0))
		return kv_fail(l, KVERBS_REASON_POLL, got, l->retired);
	if (kv_unlikely(l->stat.yields != yields) &&
	    l->timing != KVERBS_TIMING_NONE &&
	    kv_hist_of(l, KVERBS_METRIC_LAT) &&
	    kv_plain_good(l->ep, l->retired))
		l->stat.tainted++;
	return got;
}

/* operations up to the next look at anything but their own course: 0 at an end */
kv_noinline u32 kv_plain_look(struct kv_loop *l)
{
	if (!kv_more_of(l, KV_CLOCK_CHECK))
		return 0;
	if (l->last != KV_UNSET && l->last - l->posted < KV_CLOCK_CHECK)
		return (u32)(l->last - l->posted);
	return KV_CLOCK_CHECK;
}

/* nothing is done for a WR but to post it by itself, and to wait for its WC */
kv_inline u32 kv_is_plain(const struct kv_loop *l)
{
	return l->chain == 1 && l->turns <= 1 && !l->prepares && !l->ahead &&
	       !l->data.on && !l->sleeps && !l->provoke &&
	       l->timing != KVERBS_TIMING_ALL && kv_is_bare(l->ep);
}

/*
 * kv_one_at_a_time() for such WRs, with no instruction too many: what the harness itself
 * costs is in every figure of a short operation. timed is a constant. Stops, the number of
 * operations and other tasks are looked at every KV_CLOCK_CHECK operations, and after
 * one that had to wait as long as to look at stops meanwhile.
 */
kv_inline void kv_plain_loop(struct kv_loop *l, u32 timed)
{
	struct kv_hist *posts = kv_hist_of(l, KVERBS_METRIC_POST);
	struct kv_hist *lats = kv_hist_of(l, KVERBS_METRIC_LAT);
	u64 now = l->now, n = l->posted, post = 0, lat = 0, over, start, posted;
	struct kv_ep *ep = l->ep;
	u32 left = kv_plain_look(l);
	int rc;

	if (!left)
		return;
	over = l->last == KV_UNSET ? l->begin + l->until : KV_UNSET;
	l->counted = now;
	start = now;
	posted = now;
	kv_wr_lone(ep, 0);
	for (;;) {
		kv_assume(kv_is_bare(ep));
		kv_wr_again(ep, 0, n);
		if (timed)
			start = kv_later(l, kv_clock(ep), now);
		kv_assume(kv_is_bare(ep));
		rc = kv_post(ep, 0);
		if (kv_unlikely(rc)) {
			now = start;
			kv_note_post(ep, n, 1, 0, rc);
			kv_fail(l, KVERBS_REASON_POST, rc, n);
			break;
		}
		kv_assume(kv_is_bare(ep));
		if (timed) {
			posted = kv_later(l, kv_clock(ep), start);
			if (kv_likely(posts))
				kv_hist_place(posts, posted - start);
		}
		kv_note_post(ep, n, 1, posted - start, 0);
		kv_assume(kv_is_bare(ep));
		rc = kv_poll(ep, 1);
		if (kv_unlikely(rc != 1)) {
			kv_plain_count(l, n, start, post, lat);
			post = 0;
			lat = 0;
			if (kv_plain_wait(l, rc) < 0) {
				kv_plain_broken(l, start, posted, posted);
				now = posted;
				goto out;
			}
			if (l->idle >= KV_IDLE_CHECK)
				left = 1;
		}
		kv_assume(kv_is_bare(ep));
		if (timed)
			now = kv_later(l, kv_clock(ep), posted);
		if (kv_unlikely(!kv_plain_good(ep, n))) {
			kv_plain_count(l, n, start, post, lat);
			kv_plain_broken(l, start, posted, now);
			l->stat.polls++;
			kv_plain_wrong(l, 0);
			goto out;
		}
		if (timed) {
			if (kv_likely(lats))
				kv_hist_place(lats, now - start);
			post += posted - start;
			lat += now - start;
		}
		kv_note_wc(ep, 0, now - start);
		n++;
		if (kv_likely(--left && (!timed || now < over)))
			continue;
		kv_plain_count(l, n, now, post, lat);
		post = 0;
		lat = 0;
		if (timed)
			l->now = now;
		kv_rest_after(l, KV_CLOCK_CHECK);
		left = kv_plain_look(l);
		if (!left)
			return;
	}
	kv_plain_count(l, n, now, post, lat);
out:
	if (timed)
		l->now = now;
}

/* shape lat: one WR outstanding */
kv_noinline void kv_loop_lat_timed(struct kv_loop *l)
{
	kv_plain_loop(l, 1);
}

kv_noinline void kv_loop_lat_untimed(struct kv_loop *l)
{
	kv_plain_loop(l, 0);
}

kv_noinline void kv_loop_lat(struct kv_loop *l)
{
	kv_one_at_a_time(l, KV_DELAY_NONE);
}

kv_noinline void kv_loop_lat_delayed(struct kv_loop *l)
{
	kv_one_at_a_time(l, KV_DELAY_POST);
}

kv_noinline void kv_loop_lat_spaced(struct kv_loop *l)
{
	kv_one_at_a_time(l, KV_DELAY_BEFORE);
}

/* post a phase of an operation, wait for its completion; of one outside no ticks are told */
kv_inline int kv_phase_do(struct kv_loop *l, const struct kv_phase *p)
{
	u32 timed = l->timing != KVERBS_TIMING_NONE;
	u64 start = l->now, yields = l->stat.yields;
	int rc = kv_post_phase(l->ep, p->first);

	if (kv_unlikely(rc)) {
		kv_note_post(l->ep, KV_ID_STEP | p->first, p->n, 0, rc);
		return kv_fail(l, KVERBS_REASON_POST, rc, KV_ID_STEP | p->first);
	}
	if (timed)
		kv_tick(l, &l->stat.t_post);
	if (timed && !p->outside)
		kv_sample(l, KVERBS_METRIC_POST, l->now - start);
	l->stat.posts += !p->outside;
	kv_note_post(l->ep, KV_ID_STEP | p->first, p->n,
		     p->outside ? 0 : l->now - start, 0);
	do {
		rc = kv_poll_step(l, 1, KVERBS_METRIC_POLL);
	} while (!rc);
	if (rc < 0)
		return rc;
	if (kv_unlikely(kv_wc_status(l->ep, 0)))
		return kv_fail_wc(l, 0);
	if (kv_unlikely(kv_wc_id(l->ep, 0) !=
			(KV_ID_STEP | (p->first + p->n - 1))))
		return kv_fail(l, KVERBS_REASON_ORDER, 0, kv_wc_id(l->ep, 0));
	if (timed && p->metric != __KVERBS_METRIC_MAX)
		kv_time(l, p->metric, start, yields);
	kv_note_wc(l->ep, 0, p->outside ? 0 : l->now - start);
	return 0;
}

/* shape lat, an operation in parts; what puts its MR back is in none of its figures */
kv_noinline void kv_loop_phases(struct kv_loop *l)
{
	u32 timed = l->timing != KVERBS_TIMING_NONE, i;
	u64 start, yields;

	while (kv_more(l)) {
		if (l->ahead && kv_go_ahead(l, 1))
			return;
		if (timed)
			kv_tick(l, &l->stat.t_rest);
		start = l->now;
		yields = l->stat.yields;
		l->posted++;
		l->stat.wrs++;
		l->stat.signalled++;
		for (i = 0; i < l->nphases && !l->phase[i].outside; i++) {
			if (kv_phase_do(l, &l->phase[i]))
				return;
		}
		l->retired++;
		l->stat.retired++;
		l->stat.wcs++;
		if (timed) {
			l->stat.residence += l->now - start;
			kv_time(l, KVERBS_METRIC_LAT, start, yields);
		}
		for (; i < l->nphases; i++) {
			if (kv_phase_do(l, &l->phase[i]))
				return;
		}
		if (kv_reg_retired(l))
			return;
		kv_rest(l);
	}
}

/* WRs of the next chain; 0 when the window has no room or all is posted */
kv_inline u32 kv_next_chain(struct kv_loop *l)
{
	u32 len = l->chain;

	if (l->closing)
		return 0;
	if (l->last != KV_UNSET && l->last - l->posted < len)
		len = (u32)(l->last - l->posted);
	if (l->posted - l->retired + len > l->depth)
		return 0;
	/* there is something else to do than to wait for receives */
	if (kv_unlikely(l->credit) && (l->other || l->posted != l->retired) &&
	    !kv_has_credit(l, len))
		return 0;
	if (kv_likely(kv_more(l)))
		return len;
	/* the WR that signals the tail has room: len was at least one */
	l->closing = 1;
	return l->tail ? 1 : 0;
}

kv_inline u32 kv_next_sample(struct kv_loop *l)
{
	return 1 + (u32)(kv_draw(l) & (2 * KV_SAMPLE_MEAN - 1));
}

/* which chain is timed: one in KV_SAMPLE_MEAN, at random */
kv_inline u32 kv_sampled(struct kv_loop *l)
{
	if (kv_likely(--l->until_sample))
		return 0;
	l->until_sample = kv_next_sample(l);
	return l->timing != KVERBS_TIMING_NONE;
}

/* shape rate: a window of depth WRs kept full */
kv_noinline void kv_loop_rate(struct kv_loop *l)
{
	u32 len;
	int got, i;

	for (;;) {
		for (;;) {
			len = kv_next_chain(l);
			if (!len)
				break;
			if (kv_post_chain(l, len, kv_sampled(l), 0))
				return;
		}
		if (l->retired == l->posted)
			return;
		got = kv_poll_step(l, l->batch, KVERBS_METRIC_POLL);
		if (got < 0)
			return;
		for (i = 0; i < got; i++) {
			if (kv_retire(l, (u32)i))
				return;
		}
		if (kv_data_retired(l) || kv_reg_retired(l))
			return;
		kv_rest(l);
	}
}

/* WRs to be posted before anything else is looked at: 0 when none has room, or is left */
kv_inline u32 kv_plain_room(struct kv_loop *l)
{
	u32 room = l->depth - (u32)(l->posted - l->retired);

	if (l->closing || !room)
		return 0;
	if (room > KV_CLOCK_CHECK)
		room = KV_CLOCK_CHECK;
	if (kv_likely(kv_more_of(l, room)))
		return l->last - l->posted < room ? (u32)(l->last - l->posted) :
						    room;
	/* the WR that signals the tail has room: there was some for another one */
	l->closing = 1;
	return l->tail ? 1 : 0;
}

/**
 * struct kv_burst - a burst of posts, with what is added up until it ends
 * @n: number of the next WR
 * @slot: its slot
 * @chain: its chain
 * @now: latest reading
 * @rest: time in no post
 */
struct kv_burst {
	u64 n;
	u32 slot;
	struct kv_chain *chain;
	u64 now;
	u64 rest;
};

/* the next WR of a burst: 0, or -1 at an end. timed, each and sampled are constants */
kv_inline int kv_plain_post(struct kv_loop *l, struct kv_burst *b, u32 timed,
			    u32 each, u32 sampled)
{
	struct kv_ep *ep = l->ep;
	u64 start;
	int rc;

	kv_assume(kv_is_bare(ep));
	if (!each)
		kv_wr_prep(ep, b->slot, b->n, kv_signalled(l, b->n + 1, 1), 1);
	else if (sampled)
		kv_wr_again(ep, b->slot, b->n);
	start = b->now;
	if (sampled) {
		start = kv_later(l, kv_clock(ep), b->now);
		b->rest += start - b->now;
		b->chain->sampled = 1;
		b->chain->yields = l->stat.yields;
	}
	if (timed) {
		b->chain->start = start;
		l->starts += start;
	}
	kv_assume(kv_is_bare(ep));
	if (each && !sampled)
		rc = kv_post_again(ep, b->slot, b->n);
	else
		rc = kv_post(ep, b->slot);
	if (kv_unlikely(rc)) {
		b->now = start;
		l->starts -= start;
		kv_note_post(ep, b->n, 1, 0, rc);
		return kv_fail(l, KVERBS_REASON_POST, rc, b->n);
	}
	kv_assume(kv_is_bare(ep));
	if (timed)
		b->now = kv_later(l, kv_clock(ep), start);
	if (sampled)
		kv_sample(l, KVERBS_METRIC_POST, b->now - start);
	kv_note_post(ep, b->n, 1, sampled ? b->now - start : 0, 0);
	b->n++;
	b->chain++;
	if (++b->slot == l->depth) {
		b->slot = 0;
		b->chain = l->chains;
	}
	return 0;
}

/* so many WRs are posted: 0, or -1 at an end */
kv_inline int kv_plain_burst(struct kv_loop *l, u32 room, u32 timed, u32 each)
{
	struct kv_burst b = {
		.n = l->posted,
		.slot = l->slot,
		.chain = &l->chains[l->slot],
		.now = l->now,
	};
	u64 end = b.n + room, held = b.n - l->retired, took, run;
	int rc = 0;

	l->starts = 0;
	while (!rc && b.n != end) {
		/* up to the one that is sampled */
		run = end;
		if (timed && l->until_sample <= end - b.n)
			run = b.n + l->until_sample - 1;
		if (timed)
			l->until_sample -= (u32)(run - b.n);
		while (b.n != run) {
			rc = kv_plain_post(l, &b, timed, each, 0);
			if (rc)
				break;
		}
		if (timed && !rc && run != end) {
			l->until_sample = kv_next_sample(l);
			rc = kv_plain_post(l, &b, timed, each, 1);
		}
	}
	room = (u32)(b.n - l->posted);
	if (timed) {
		took = b.now - l->now;
		l->stat.t_rest += b.rest;
		l->stat.t_post += took - b.rest;
		/* what was outstanding before, and each of these since its start */
		l->stat.occupancy += held * took + room * b.now - l->starts;
		l->now = b.now;
	}
	l->stat.posts += room;
	l->stat.wrs += room;
	if (each)
		l->stat.signalled += room;
	l->posted = b.n;
	l->slot = b.slot;
	return rc;
}

/* WRs up to that of each WC are retired: 0, or -1 at an end */
kv_inline int kv_plain_reap(struct kv_loop *l, u32 got, u32 timed)
{
	struct kv_chain *c = &l->chains[l->retire_slot], *last;
	u64 done = l->retired, n = l->posted, starts = 0, id;
	struct kv_chain *end = l->chains + l->depth;
	u32 most = got <= n - done ? got : (u32)(n - done), i;
	struct kv_ep *ep = l->ep;

	for (i = 0; i < most; i++) {
		id = kv_wc_id(ep, i);
		if (kv_unlikely(kv_wc_status(ep, i)))
			break;
		if (kv_unlikely(id != done) && id - done >= n - done)
			break;
		/* those before it have no WC, and give no sample */
		for (; kv_unlikely(done != id); done++) {
			starts += c->start;
			c->sampled = 0;
			c = c + 1 == end ? l->chains : c + 1;
		}
		last = c;
		if (timed) {
			starts += last->start;
			if (kv_unlikely(last->sampled)) {
				last->sampled = 0;
				kv_time(l, KVERBS_METRIC_LAT, last->start,
					last->yields);
			}
		}
		done++;
		if (++c == end)
			c = l->chains;
		kv_note_wc(ep, i, timed ? l->now - last->start : 0);
	}
	n = done - l->retired;
	l->stat.wcs += i;
	l->stat.retired += n;
	if (timed)
		l->stat.residence += n * l->now - starts;
	l->retired = done;
	l->retire_slot = (u32)(c - l->chains);
	return kv_likely(i == got) ? 0 : kv_plain_wrong(l, i);
}

/*
 * kv_loop_rate() for such WRs, with no instruction too many: counters and readings are
 * summed up a burst of posts and a poll. A slot has a chain.
 */
kv_inline void kv_plain_window(struct kv_loop *l, u32 timed, u32 each)
{
	u32 room, i;
	int got;

	for (i = 0; i < l->depth; i++) {
		l->chains[i].sampled = 0;
		if (each)
			kv_wr_lone(l->ep, i);
	}
	l->retire_slot = l->slot;
	for (;;) {
		room = kv_plain_room(l);
		if (room && kv_plain_burst(l, room, timed, each))
			return;
		if (l->retired == l->posted)
			return;
		kv_assume(kv_is_bare(l->ep));
		kv_assume(l->timing == (timed ? KVERBS_TIMING_LAT :
						KVERBS_TIMING_NONE));
		got = kv_poll_step(l, l->batch, KVERBS_METRIC_POLL);
		if (got < 0)
			return;
		if (got && kv_plain_reap(l, (u32)got, timed))
			return;
		kv_rest(l);
	}
}

/* shape rate: a window of depth WRs kept full */
kv_noinline void kv_loop_rate_timed(struct kv_loop *l)
{
	kv_plain_window(l, 1, 1);
}

kv_noinline void kv_loop_rate_untimed(struct kv_loop *l)
{
	kv_plain_window(l, 0, 1);
}

/* of which not all are signalled */
kv_noinline void kv_loop_rate_spaced_timed(struct kv_loop *l)
{
	kv_plain_window(l, 1, 0);
}

kv_noinline void kv_loop_rate_spaced_untimed(struct kv_loop *l)
{
	kv_plain_window(l, 0, 0);
}

kv_inline void kv_loop_rate_plain(struct kv_loop *l)
{
	u32 timed = l->timing == KVERBS_TIMING_LAT;

	if (l->signal <= 1 && timed)
		kv_loop_rate_timed(l);
	else if (l->signal <= 1)
		kv_loop_rate_untimed(l);
	else if (timed)
		kv_loop_rate_spaced_timed(l);
	else
		kv_loop_rate_spaced_untimed(l);
}

/* the interval to the next intended start */
kv_inline u64 kv_next_gap(struct kv_loop *l)
{
	u32 i = l->gap_at;

	/* the high bits: the low ones of a xorshift are its weakest */
	if (l->gap_drawn)
		return l->gap[(u32)(kv_draw(l) >> 32) & (l->gaps - 1)];
	l->gap_at = i + 1 == l->gaps ? 0 : i + 1;
	return l->gap[i];
}

/* how often a part fits into a whole: long division, as there is none here */
kv_inline u64 kv_fits(u64 part, u64 whole)
{
	u32 shift = 0;
	u64 n = 0;

	while (part << shift <= whole >> 1)
		shift++;
	for (;; shift--) {
		n <<= 1;
		if (part << shift <= whole) {
			whole -= part << shift;
			n++;
		}
		if (!shift)
			return n;
	}
}

/*
 * Posting has ended: starts that were intended by then, or by the end of the
 * window, and never came. Of intervals drawn at random as many as their mean makes.
 */
kv_noinline void kv_count_unsent(struct kv_loop *l)
{
	u64 span = l->now - l->begin;

	if (l->last == KV_UNSET && span > l->until)
		span = l->until;
	span <<= KV_PACE_SHIFT;
	if (l->next_due <= span)
		l->stat.unsent = 1 + kv_fits(l->gap_mean, span - l->next_due);
}

/* is the next WR due, and is there room for it? */
kv_inline u32 kv_is_due(struct kv_loop *l)
{
	if (l->closing)
		return 0;
	if (kv_unlikely(!kv_more(l))) {
		l->closing = 1;
		kv_count_unsent(l);
		return 0;
	}
	if (kv_unlikely(l->credit) && l->posted != l->retired &&
	    !kv_has_credit(l, 1))
		return 0;
	return l->posted - l->retired < l->depth &&
	       l->now - l->begin >= l->next_due >> KV_PACE_SHIFT;
}

/* post the WR that is due; the next one is due when it is, late as this one may be */
kv_inline int kv_post_due(struct kv_loop *l)
{
	l->due[l->posted & l->chain_mask] =
		l->begin + (l->next_due >> KV_PACE_SHIFT);
	l->next_due += kv_next_gap(l);
	return kv_post_chain(l, 1, 1, 0);
}

/* WRs retired by one WC: each from its intended start on */
kv_inline int kv_retire_due(struct kv_loop *l, u32 i)
{
	u64 id = l->retired;

	if (kv_retire(l, i))
		return -1;
	for (; id < l->retired; id++)
		kv_sample(l, KVERBS_METRIC_RESPONSE,
			  l->now - l->due[id & l->chain_mask]);
	return 0;
}

/* nothing is outstanding and nothing is due: others may have the CPU */
kv_inline int kv_pause(struct kv_loop *l)
{
	if (kv_wait(l->ep))
		l->stat.yields++;
	kv_rest(l);
	if (kv_load(&l->pair->abort))
		return kv_fail(l, KVERBS_REASON_STOPPED, 0, l->retired);
	kv_tick(l, &l->stat.t_empty);
	return 0;
}

/*
 * Shape paced: an open loop. When WRs are due does not hang on when others
 * complete; one that finds the queue full waits, and its wait counts.
 */
kv_noinline void kv_loop_paced(struct kv_loop *l)
{
	int got, i;

	l->next_due = kv_next_gap(l);
	for (;;) {
		while (kv_is_due(l)) {
			if (kv_post_due(l))
				return;
		}
		if (l->retired == l->posted) {
			if (l->closing || kv_pause(l))
				return;
			continue;
		}
		got = kv_poll_step(l, l->batch, KVERBS_METRIC_POLL);
		if (got < 0)
			return;
		for (i = 0; i < got; i++) {
			if (kv_retire_due(l, (u32)i))
				return;
		}
		if (kv_data_retired(l) || kv_reg_retired(l))
			return;
		kv_rest(l);
		/* what is due next is seen on the clock, WC or not */
		kv_tick(l, got ? &l->stat.t_rest : &l->stat.t_empty);
	}
}

/**
 * kv_recv_refill - post receives
 * @l: lane
 * @of: to this queue of its
 * @n: how many, at most @l->ring_depth
 * Return: 0, or -1 with @l->end set
 */
kv_inline int kv_recv_refill(struct kv_loop *l, u32 of, u32 n)
{
	struct kv_ring *ring = &l->rings[of];
	u64 start;
	int rc;

	if (l->timing == KVERBS_TIMING_ALL)
		kv_tick(l, &l->stat.t_rest);
	start = l->now;
	rc = kv_post_recv(l->ep, of, ring->slot, n);
	if (kv_unlikely(rc))
		return kv_fail(l, KVERBS_REASON_POST, rc,
			       kv_recv_id(of, ring->slot));
	if (l->timing == KVERBS_TIMING_ALL) {
		kv_tick(l, &l->stat.t_post);
		kv_sample(l, KVERBS_METRIC_RECV_POST, l->now - start);
	}
	l->stat.recv_posts++;
	l->stat.recv_wrs += n;
	ring->slot += n;
	if (ring->slot >= l->ring_depth)
		ring->slot -= l->ring_depth;
	return 0;
}

/* receives of a queue were taken: post them again, if it is time */
kv_inline int kv_refill_ring(struct kv_loop *l, u32 of)
{
	struct kv_ring *ring = &l->rings[of];
	u32 n;

	while (ring->owed >= l->refill_from) {
		n = ring->owed < l->refill_chain ? ring->owed : l->refill_chain;
		if (kv_recv_refill(l, of, n))
			return -1;
		ring->owed -= n;
	}
	return 0;
}

/* the same of several queues, which the WCs of the last poll tell */
kv_noinline int kv_refill_rings(struct kv_loop *l, u32 got)
{
	u32 of, i;

	for (i = 0; i < got; i++) {
		of = kv_recv_ring(kv_wc_id(l->ep, i));
		if (kv_unlikely(of >= l->nrings))
			return kv_fail(l, KVERBS_REASON_ORDER, 0,
				       kv_wc_id(l->ep, i));
		l->rings[of].owed++;
	}
	for (i = 0; i < got; i++) {
		if (kv_refill_ring(l, kv_recv_ring(kv_wc_id(l->ep, i))))
			return -1;
	}
	return 0;
}

/* ask for the event of the SRQ's limit; but not while it would come at once */
kv_noinline int kv_limit_look(struct kv_loop *l, u32 first)
{
	int rc;

	if (l->rings->owed + l->limit > l->ring_depth)
		return 0;
	rc = kv_limit(l->ep, first);
	if (kv_unlikely(rc < 0))
		return kv_fail(l, KVERBS_REASON_POST, rc, kv_recv_id(0, 0));
	l->stat.srq_limits += (u32)rc;
	/* to ask anew is a call of the control path: it is no part of the next poll */
	if (rc && l->timing != KVERBS_TIMING_NONE)
		kv_tick(l, &l->stat.t_rest);
	return 0;
}

/* after so many messages were taken */
kv_inline int kv_refill(struct kv_loop *l, u32 got)
{
	if (kv_unlikely(l->nrings > 1))
		return kv_refill_rings(l, got);
	l->rings->owed += got;
	return kv_refill_ring(l, 0);
}

/* open the window: what was counted so far was warm-up */
kv_noinline void kv_window_open(struct kv_loop *l)
{
	u64 ops = l->stat.warm_ops, ticks = l->stat.warm_ticks;
	u64 unsettled = l->stat.warm_unsettled;
	u64 *counter = (u64 *)&l->stat;
	u32 i;

	for (i = 0; i < sizeof(l->stat) / sizeof(u64); i++)
		counter[i] = 0;
	l->stat.warm_ops = ops;
	l->stat.warm_ticks = ticks;
	l->stat.warm_unsettled = unsettled;
	l->until_sample = 1;
	l->begin = kv_clock(l->ep);
	l->now = l->begin;
}

/*
 * Where messages get lost, no number of them tells when the window opened: all that
 * come before have come once kv_let_arrive() is over.
 */
kv_inline u32 kv_opens(const struct kv_loop *l)
{
	u64 from = kv_load(&l->pair->measured_from);

	return l->lossy ? from != KV_UNSET : l->recvs == from;
}

/* what was sent in the warm-up arrives now, or never */
kv_noinline void kv_let_arrive(struct kv_loop *l)
{
	u64 since = kv_clock(l->ep);

	while (kv_clock(l->ep) - since < l->grace) {
		if (kv_stop(l->ep) != KV_STOP_NONE)
			return;
		kv_wait(l->ep);
		kv_breathe(l->ep, 1);
	}
}

/* a responder takes one more message: does the measured window open? */
kv_inline void kv_count_message(struct kv_loop *l)
{
	if (kv_unlikely(!l->opened && kv_opens(l))) {
		l->opened = 1;
		kv_window_open(l);
	}
	l->recvs++;
	l->stat.ops++;
	l->stat.recv_wcs += l->two_sided;
}

/* the i-th WC is of a receive: 0, or -1 when it is an error */
kv_inline int kv_take_message(struct kv_loop *l, u32 i)
{
	if (kv_unlikely(kv_wc_status(l->ep, i)))
		return kv_fail_wc(l, i);
	kv_count_message(l);
	kv_note_wc(l->ep, i, 0);
	return 0;
}

kv_inline u32 kv_all_heard(struct kv_loop *l)
{
	return l->recvs == kv_load(&l->pair->total);
}

/* responder of a two-sided lat or rate: takes messages, reposts receives */
kv_noinline void kv_loop_recv(struct kv_loop *l)
{
	int got, i;

	while (!kv_all_heard(l)) {
		got = kv_poll_step(l, l->batch, KVERBS_METRIC_RECV_POLL);
		if (got < 0)
			return;
		for (i = 0; i < got; i++) {
			if (kv_take_message(l, (u32)i))
				return;
		}
		if (got && (kv_data_heard(l) || kv_refill(l, (u32)got)))
			return;
		if (got && kv_unlikely(l->limit) && kv_limit_look(l, 0))
			return;
		if (kv_unlikely(l->credit))
			kv_store(&l->pair->credit, l->recvs);
		kv_rest(l);
	}
}

/* the i-th WC is of a receive of a lane that sends as well */
kv_inline int kv_both_heard(struct kv_loop *l, u32 i)
{
	u32 of = kv_recv_ring(kv_wc_id(l->ep, i));

	if (kv_unlikely(kv_wc_status(l->ep, i)))
		return kv_fail_wc(l, i);
	if (kv_unlikely(of >= l->nrings))
		return kv_fail(l, KVERBS_REASON_ORDER, 0, kv_wc_id(l->ep, i));
	l->rings[of].owed++;
	l->recvs++;
	l->stat.recv_wcs++;
	kv_note_wc(l->ep, i, 0);
	return 0;
}

/* the WCs of one poll: sends are retired, messages are counted, receives posted again */
kv_inline int kv_both_take(struct kv_loop *l, u32 got)
{
	u64 before = l->recvs;
	u32 i;

	for (i = 0; i < got; i++) {
		if (kv_wc_id(l->ep, i) & KV_ID_RECV ? kv_both_heard(l, i) :
						      kv_retire(l, i))
			return -1;
	}
	if (l->recvs == before)
		return 0;
	for (i = 0; i < got; i++) {
		if (kv_wc_id(l->ep, i) & KV_ID_RECV &&
		    kv_refill_ring(l, kv_recv_ring(kv_wc_id(l->ep, i))))
			return -1;
	}
	if (kv_unlikely(l->limit) && kv_limit_look(l, 0))
		return -1;
	if (kv_unlikely(l->credit))
		kv_store(&l->other->credit, l->recvs);
	return 0;
}

/* shape rate, both ends send: the window is kept full, and what comes is taken */
kv_noinline void kv_loop_both(struct kv_loop *l)
{
	u32 len;
	int got;

	for (;;) {
		while ((len = kv_next_chain(l))) {
			if (kv_post_chain(l, len, kv_sampled(l), 0))
				return;
		}
		if (l->closing && l->retired == l->posted)
			return;
		got = kv_poll_step(l, l->batch, KVERBS_METRIC_POLL);
		if (got < 0 || kv_both_take(l, (u32)got))
			return;
		kv_rest(l);
	}
}

/* its own window is over, and the other end may still send: none of it is measured */
kv_noinline void kv_both_rest(struct kv_loop *l)
{
	u64 posts = l->stat.recv_posts, wrs = l->stat.recv_wrs;
	u64 wcs = l->stat.recv_wcs;
	u32 end = l->end;
	int got;

	l->timing = KVERBS_TIMING_NONE;
	l->opened = 0;
	l->idle = 0;
	while (l->recvs != kv_load(&l->other->total)) {
		got = kv_poll(l->ep, l->batch);
		if (kv_unlikely(got < 0)) {
			kv_fail(l, KVERBS_REASON_POLL, got, l->retired);
			break;
		}
		if (got)
			l->idle = 0;
		if (got ? kv_both_take(l, (u32)got) : kv_idle(l))
			break;
		kv_rest(l);
	}
	/* it had ended before the stop came */
	if (l->end == KVERBS_REASON_STOPPED)
		l->end = end;
	l->stat.recv_posts = posts;
	l->stat.recv_wrs = wrs;
	l->stat.recv_wcs = wcs;
	l->stat.total_recvs = l->recvs;
	if (l->end != end)
		kv_store(&l->pair->abort, 1);
}

/* take the WCs of one poll: own sends are retired, messages are counted */
kv_inline int kv_take(struct kv_loop *l)
{
	int got = kv_poll_step(l, 1, KVERBS_METRIC_POLL);

	if (got <= 0)
		return got;
	if (!(kv_wc_id(l->ep, 0) & KV_ID_RECV))
		return kv_retire(l, 0);
	if (kv_unlikely(kv_wc_status(l->ep, 0)))
		return kv_fail_wc(l, 0);
	if (kv_unlikely(l->taken && !kv_wc_invalidated(l->ep, 0)))
		return kv_fail(l, KVERBS_REASON_KEPT, 0, kv_wc_id(l->ep, 0));
	l->heard++;
	kv_note_wc(l->ep, 0, 0);
	return 0;
}

/* has the next message come? 1, 0, or -1 at an end */
kv_inline int kv_hear(struct kv_loop *l)
{
	int rc;

	if (l->two_sided) {
		rc = l->heard ? 0 : kv_take(l);
		if (rc < 0 || !l->heard)
			return rc;
		l->heard--;
		return 1;
	}
	if (kv_landed(l->ep, l->tag_in + 1)) {
		l->tag_in++;
		l->idle = 0;
		if (l->timing != KVERBS_TIMING_NONE)
			kv_tick(l, &l->stat.t_empty);
		return 1;
	}
	/* an error can only be seen in the CQ */
	if (l->posted != l->retired)
		return kv_take(l);
	l->stat.empty_polls++;
	return kv_idle(l);
}

/* answer, or ask: post one message and do not wait */
kv_inline int kv_say(struct kv_loop *l)
{
	if (!l->two_sided)
		kv_stamp(l->ep, ++l->tag_out);
	return kv_post_chain(l, 1, l->timing != KVERBS_TIMING_NONE, 0);
}

/* after a message: own send must be retired, and its receive replaced */
kv_inline int kv_settle(struct kv_loop *l)
{
	while (l->posted != l->retired) {
		if (kv_take(l))
			return -1;
	}
	if (kv_data_heard(l))
		return -1;
	if (l->two_sided && kv_recv_refill(l, 0, 1))
		return -1;
	kv_data_ready(l);
	return 0;
}

/* hear the answer to what was said just now, and take its time: 0, or -1 at an end */
kv_inline int kv_answered(struct kv_loop *l, u64 yields)
{
	u64 start = l->chains[(l->chain_head - 1) & l->chain_mask].start;
	int rc;

	do {
		rc = kv_hear(l);
	} while (!rc);
	if (rc < 0)
		return -1;
	if (l->timing != KVERBS_TIMING_NONE)
		kv_time(l, KVERBS_METRIC_RTT, start, yields);
	kv_note_answer(l->ep, l->posted - 1, l->now - start);
	return 0;
}

/* shape pingpong, initiator: a round trip is one operation */
kv_noinline void kv_loop_ping(struct kv_loop *l)
{
	u64 yields;

	while (kv_more(l)) {
		if (kv_data_wait(l))
			return;
		yields = l->stat.yields;
		if (kv_say(l))
			return;
		if (kv_answered(l, yields))
			return;
		l->recvs++;
		l->stat.recv_wcs += l->two_sided;
		if (kv_settle(l))
			return;
		kv_rest(l);
	}
}

/* answer whatever is heard; of an exchange with what it opens */
kv_inline void kv_answer_all(struct kv_loop *l, u32 exchanges)
{
	int rc;

	while (!kv_all_heard(l)) {
		rc = kv_hear(l);
		if (rc < 0)
			return;
		if (!rc)
			continue;
		kv_count_message(l);
		if (exchanges)
			kv_accept(l->ep);
		if (kv_say(l) || kv_settle(l))
			return;
		kv_rest(l);
	}
}

/* shape pingpong, responder */
kv_noinline void kv_loop_pong(struct kv_loop *l)
{
	kv_answer_all(l, 0);
}

/* open memory to the peer, and tell it: 0, or -1 at an end */
kv_inline int kv_exchange_open(struct kv_loop *l)
{
	if (kv_register(l, 1))
		return -1;
	kv_offer(l->ep);
	if (l->timing != KVERBS_TIMING_NONE)
		kv_tick(l, &l->stat.t_rest);
	if (l->opened_by.n && kv_phase_do(l, &l->opened_by))
		return -1;
	return kv_say(l);
}

/* the answer has come: nobody reaches the memory any more before it is the CPU's again */
kv_inline int kv_exchange_close(struct kv_loop *l)
{
	l->recvs++;
	l->stat.recv_wcs++;
	if (kv_settle(l))
		return -1;
	if (l->timing != KVERBS_TIMING_NONE)
		kv_tick(l, &l->stat.t_rest);
	if (l->closed_by.n && kv_phase_do(l, &l->closed_by))
		return -1;
	return kv_release(l);
}

/*
 * An exchange: memory is registered and its key sent; the peer writes or reads there,
 * and answers. rtt is from the post of the message to the answer, io is the whole.
 */
kv_noinline void kv_loop_ask(struct kv_loop *l)
{
	u64 yields;

	while (kv_more(l)) {
		yields = l->stat.yields;
		if (kv_exchange_open(l))
			return;
		if (kv_answered(l, yields))
			return;
		if (kv_exchange_close(l))
			return;
		kv_rest(l);
	}
}

/* likewise, responder: the answer is in the chain of what it does with the memory */
kv_noinline void kv_loop_serve(struct kv_loop *l)
{
	kv_answer_all(l, 1);
}

/* the last that a handler, or the lane in its stead, does in a pass */
kv_inline void kv_over(struct kv_loop *l)
{
	l->over = 1;
	l->driven = 0;
	if (l->timing != KVERBS_TIMING_NONE)
		kv_tick(l, &l->stat.t_rest);
	else
		l->now = kv_clock(l->ep);
}

/* post all chains that there is room for: 0, or -1 at an end */
kv_inline int kv_react_post(struct kv_loop *l)
{
	u32 len;

	while ((len = kv_next_chain(l))) {
		if (kv_post_chain(l, len, l->shape == KVERBS_SHAPE_LAT ?
					  l->timing != KVERBS_TIMING_NONE :
					  kv_sampled(l), 0))
			return -1;
	}
	return 0;
}

kv_inline int kv_react_recv(struct kv_loop *l)
{
	return kv_take_message(l, 0) ? -1 : kv_refill(l, 1);
}

/*
 * What follows from the WC at hand where a handler does the work of a lane: no more
 * than retire or count, and post. Shape lat is a window of one. Between kv_hold()
 * and kv_let(), and only while the lane is driven.
 */
kv_inline void kv_react(struct kv_loop *l)
{
	u32 sends = l->role == KVERBS_ROLE_INITIATOR;
	int rc;

	/* the time since the last reaction was one of waiting */
	if (l->timing != KVERBS_TIMING_NONE)
		kv_tick(l, &l->stat.t_empty);
	kv_time_event(l);
	rc = sends ? kv_retire(l, 0) : kv_react_recv(l);
	if (!rc && sends)
		rc = kv_react_post(l);
	l->stat.handled++;
	if (rc || (sends ? l->retired == l->posted : kv_all_heard(l)))
		kv_over(l);
}

/* let handlers run; has anything come since, and is there a reason to end? 1 at the end */
kv_inline u32 kv_handling(struct kv_loop *l, u64 *done)
{
	u32 over;

	kv_attend(l->ep);
	kv_hold(l->ep);
	if (!l->over) {
		if (*done != l->retired + l->recvs) {
			*done = l->retired + l->recvs;
			l->idle_since = kv_clock(l->ep);
		}
		/* handlers had the CPU for so long that they left this to the lane */
		l->stat.yields += !l->driven;
		while (!l->driven && !l->over && kv_early(l->ep))
			kv_react(l);
		l->driven = !l->over;
	}
	if (!l->over) {
		if (kv_idle_look(l, 0) ||
		    (l->role == KVERBS_ROLE_RESPONDER && kv_all_heard(l)))
			kv_over(l);
	}
	over = l->over;
	kv_let(l->ep);
	return over;
}

/* handlers do the work of the lane, which begins it and notices stops and deadlines */
kv_noinline void kv_loop_handled(struct kv_loop *l, u32 shape)
{
	u64 done = l->retired + l->recvs;
	u32 over;

	/* none is let in yet: what comes is kept */
	l->shape = shape;
	l->over = 0;
	l->idle_since = kv_clock(l->ep);
	if (l->role == KVERBS_ROLE_INITIATOR &&
	    (kv_react_post(l) || l->retired == l->posted))
		kv_over(l);
	kv_hold(l->ep);
	while (!l->over && kv_early(l->ep))
		kv_react(l);
	l->driven = !l->over;
	over = l->over;
	kv_let(l->ep);
	while (!over)
		over = kv_handling(l, &done);
}

/*
 * Turns of the control path: calls that make, modify and destroy objects are measured,
 * and not messages. It is not hot. Of a turn each call is timed.
 */

/* one call, of the i-th object of the lane: 0, or -1 at an end */
kv_inline int kv_call(struct kv_loop *l, u32 what, u32 i)
{
	u64 start = l->now;
	int rc;

	/* between two calls: none of them is left undone */
	if (kv_unlikely(kv_stop(l->ep)))
		return kv_fail(l, KVERBS_REASON_STOPPED, 0, l->retired);
	rc = kv_control(l->ep, what, i);
	kv_tick(l, &l->stat.t_control);
	/* it waited, and was told to stop */
	if (kv_unlikely(rc > 0))
		return kv_fail(l, KVERBS_REASON_STOPPED, 0, l->retired);
	if (kv_unlikely(rc))
		return kv_fail(l, KVERBS_REASON_SETUP, rc, what);
	kv_sample(l, what, l->now - start);
	return 0;
}

/* the same of both ends: 0 is the lane's own */
kv_inline int kv_call_both(struct kv_loop *l, u32 what)
{
	return kv_call(l, what, 0) || kv_call(l, what, 1) ? -1 : 0;
}

/* post n WRs, all signalled, in one chain; the first has a key of no MR when it is to fail */
kv_inline int kv_recover_post(struct kv_loop *l, u32 n, u32 wrong)
{
	u64 start = l->now;
	u32 first = l->slot, i;
	int rc;

	for (i = 0; i < n; i++) {
		kv_wr_prep(l->ep, l->slot, l->sent + i, 1, i + 1 == n);
		l->slot = l->slot + 1 == l->depth ? 0 : l->slot + 1;
	}
	if (wrong)
		kv_wr_key(l->ep, first);
	rc = kv_post(l->ep, first);
	if (wrong)
		kv_wr_key(l->ep, first);
	if (kv_unlikely(rc))
		return kv_fail(l, KVERBS_REASON_POST, rc, l->sent);
	kv_tick(l, &l->stat.t_post);
	kv_note_post(l->ep, l->sent, n, l->now - start, 0);
	l->stat.posts++;
	l->sent += n;
	return 0;
}

/*
 * The peer of messages posts its receives: all of them, of which the first has a key of
 * no MR, or one that is good.
 */
kv_inline int kv_recover_recv(struct kv_loop *l, u32 wrong)
{
	int rc;

	if (!l->theirs)
		return 0;
	rc = kv_control(l->ep, KVERBS_METRIC_RECV_POST, wrong);
	kv_tick(l, &l->stat.t_control);
	return rc ? kv_fail(l, KVERBS_REASON_SETUP, rc,
			    KVERBS_METRIC_RECV_POST) : 0;
}

/* and all of them complete, one way or the other */
kv_inline int kv_recover_reap(struct kv_loop *l)
{
	int rc;

	if (!l->theirs)
		return 0;
	l->idle = 0;
	while ((rc = kv_control(l->ep, KVERBS_METRIC_RECV_POLL, 0)) > 0) {
		if (kv_idle(l))
			return -1;
	}
	l->idle = 0;
	kv_tick(l, &l->stat.t_control);
	return rc ? kv_fail(l, KVERBS_REASON_SETUP, rc,
			    KVERBS_METRIC_RECV_POLL) : 0;
}

/* wait for the WC of a WR, which has to have this status: 0, or -1 at an end */
kv_inline int kv_recover_await(struct kv_loop *l, u64 id, u32 status)
{
	int got;

	do {
		got = kv_poll_step(l, 1, KVERBS_METRIC_POLL);
	} while (!got);
	if (got < 0)
		return -1;
	if (kv_unlikely(kv_wc_id(l->ep, 0) != id))
		return kv_fail(l, KVERBS_REASON_ORDER, 0, kv_wc_id(l->ep, 0));
	if (kv_likely(kv_wc_status(l->ep, 0) == status)) {
		kv_note_wc(l->ep, 0, 0);
		return 0;
	}
	/* it is good, and should not be */
	if (!kv_wc_status(l->ep, 0))
		return kv_fail(l, KVERBS_REASON_ORDER, 0, id);
	return kv_fail_wc(l, 0);
}

/* what was outstanding completes, all of it */
kv_inline int kv_recover_flush(struct kv_loop *l, u64 from)
{
	u64 id;

	if (kv_call_both(l, KVERBS_METRIC_TO_ERR))
		return -1;
	for (id = from; id < l->sent; id++) {
		if (kv_recover_await(l, id, KV_WC_WR_FLUSH_ERR))
			return -1;
		l->stat.flushed++;
	}
	if (l->theirs)
		l->stat.flushed += l->theirs - 1;
	return kv_recover_reap(l);
}

kv_inline int kv_recover_renew(struct kv_loop *l)
{
	int rc;

	if (l->recreate)
		rc = kv_call_both(l, KVERBS_METRIC_DESTROY_QP) ||
		     kv_call_both(l, KVERBS_METRIC_CREATE_QP);
	else
		rc = kv_call_both(l, KVERBS_METRIC_TO_RESET);
	/* their queues are empty, and begin anew */
	l->sent = 0;
	l->slot = 0;
	return rc ? -1 : 0;
}

kv_inline int kv_recover_connect(struct kv_loop *l)
{
	return kv_call_both(l, KVERBS_METRIC_TO_INIT) ||
	       kv_call_both(l, KVERBS_METRIC_TO_RTR) ||
	       kv_call_both(l, KVERBS_METRIC_TO_RTS) ? -1 : 0;
}

/* the time since *from is over, and the next one begins */
kv_inline void kv_turn_part(struct kv_loop *l, u32 metric, u64 *from)
{
	kv_sample(l, metric, l->now - *from);
	*from = l->now;
}

/* a window of WRs of which the first is refused, and all that it takes to be as before */
kv_inline int kv_recover(struct kv_loop *l)
{
	u64 id = l->sent, start, from;

	if (kv_recover_recv(l, 1) || kv_recover_post(l, l->depth, !l->theirs) ||
	    kv_recover_await(l, id, l->theirs ? KV_WC_REM_OP_ERR :
						   KV_WC_REM_ACCESS_ERR))
		return -1;
	start = l->now;
	from = start;
	if (kv_recover_flush(l, id + 1))
		return -1;
	kv_turn_part(l, KVERBS_METRIC_FLUSH, &from);
	if (kv_recover_renew(l))
		return -1;
	kv_turn_part(l, KVERBS_METRIC_RENEW, &from);
	if (kv_recover_connect(l))
		return -1;
	kv_turn_part(l, KVERBS_METRIC_CONNECT, &from);
	if (kv_recover_recv(l, 0) || kv_recover_post(l, 1, 0) ||
	    kv_recover_await(l, 0, 0))
		return -1;
	kv_turn_part(l, KVERBS_METRIC_FIRST, &from);
	kv_sample(l, KVERBS_METRIC_RECOVER, l->now - start);
	return kv_recover_reap(l);
}

/* one call of each of n objects of a storm: it is through with this before the next begins */
kv_inline int kv_call_each(struct kv_loop *l, u32 what, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++) {
		if (kv_call(l, what, i))
			return -1;
	}
	kv_rest(l);
	kv_tick(l, &l->stat.t_rest);
	return 0;
}

kv_inline int kv_call_all(struct kv_loop *l, u32 what)
{
	return kv_call_each(l, what, l->storm);
}

/* QPs that are each their own peer, from nothing to RTS */
kv_inline int kv_setup_qps(struct kv_loop *l)
{
	return kv_call_each(l, KVERBS_METRIC_CREATE_CQ, l->storm_qps) ||
	       kv_call_each(l, KVERBS_METRIC_CREATE_QP, l->storm_qps) ||
	       kv_call_all(l, KVERBS_METRIC_TO_INIT) ||
	       kv_call_all(l, KVERBS_METRIC_TO_RTR) ||
	       kv_call_all(l, KVERBS_METRIC_TO_RTS) ? -1 : 0;
}

/*
 * Connections of rdma_cm likewise. Both ends are the lane's: that which asks has the
 * objects up to storm, that which accepts those after.
 */
kv_inline int kv_setup_connections(struct kv_loop *l)
{
	return kv_call_all(l, KVERBS_METRIC_CREATE_ID) ||
	       kv_call_all(l, KVERBS_METRIC_RESOLVE_ADDR) ||
	       kv_call_all(l, KVERBS_METRIC_RESOLVE_ROUTE) ||
	       kv_call_each(l, KVERBS_METRIC_CREATE_CQ, l->storm_qps) ||
	       kv_call_each(l, KVERBS_METRIC_CREATE_QP, l->storm_qps) ||
	       kv_call_all(l, KVERBS_METRIC_CONNECT) ? -1 : 0;
}

/* and back to nothing */
kv_inline int kv_setup_undo(struct kv_loop *l)
{
	/* drivers of iWARP wait for the id, before a QP goes */
	if (l->cm && (kv_call_all(l, KVERBS_METRIC_DISCONNECT) ||
		      kv_call_each(l, KVERBS_METRIC_DESTROY_ID, l->storm_qps)))
		return -1;
	return kv_call_each(l, KVERBS_METRIC_DESTROY_QP, l->storm_qps) ||
	       kv_call_each(l, KVERBS_METRIC_DESTROY_CQ, l->storm_qps) ? -1 : 0;
}

/* a storm, from nothing to RTS, and back to nothing */
kv_inline int kv_setup(struct kv_loop *l)
{
	u64 start = l->now;

	if (l->cm ? kv_setup_connections(l) : kv_setup_qps(l))
		return -1;
	kv_sample(l, KVERBS_METRIC_SETUP, l->now - start);
	if (kv_call_all(l, KVERBS_METRIC_MR_ALLOC) ||
	    kv_call_all(l, KVERBS_METRIC_MR_FREE))
		return -1;
	/* where there are such pools */
	if (l->hist[KVERBS_METRIC_POOL_INIT] &&
	    (kv_call_all(l, KVERBS_METRIC_POOL_INIT) ||
	     kv_call_all(l, KVERBS_METRIC_POOL_FREE)))
		return -1;
	return kv_setup_undo(l);
}

/* a turn is an operation, and all of its WRs count as one */
kv_noinline void kv_loop_turns(struct kv_loop *l, u32 shape)
{
	u64 start;
	int rc;

	while (kv_more(l)) {
		kv_tick(l, &l->stat.t_rest);
		start = l->now;
		l->posted++;
		rc = shape == KVERBS_SHAPE_RECOVER ? kv_recover(l) : kv_setup(l);
		l->stat.residence += l->now - start;
		if (rc) {
			/* one that did not come to its end is none */
			l->posted--;
			return;
		}
		l->retired++;
		l->stat.wrs++;
		l->stat.signalled++;
		l->stat.wcs++;
		l->stat.retired++;
		kv_rest(l);
	}
}

/* a shape is a row: what each role runs */
kv_inline void kv_pass(struct kv_loop *l, u32 shape, u32 role)
{
	l->closing = 0;
	if (kv_unlikely(l->handled)) {
		kv_loop_handled(l, shape);
		return;
	}
	switch (shape) {
	case KVERBS_SHAPE_LAT:
		if (role == KVERBS_ROLE_RESPONDER)
			kv_loop_recv(l);
		else if (l->nphases)
			kv_loop_phases(l);
		else if (l->delay && l->delay_at == KVERBS_DELAY_AT_BEFORE)
			kv_loop_lat_spaced(l);
		else if (l->delay)
			kv_loop_lat_delayed(l);
		else if (!kv_is_plain(l) || l->depth > 1)
			kv_loop_lat(l);
		else if (l->timing == KVERBS_TIMING_LAT)
			kv_loop_lat_timed(l);
		else
			kv_loop_lat_untimed(l);
		break;
	case KVERBS_SHAPE_PINGPONG:
		if (l->exchanges && role == KVERBS_ROLE_INITIATOR)
			kv_loop_ask(l);
		else if (l->exchanges)
			kv_loop_serve(l);
		else if (role == KVERBS_ROLE_INITIATOR)
			kv_loop_ping(l);
		else
			kv_loop_pong(l);
		break;
	case KVERBS_SHAPE_RATE:
		if (l->other)
			kv_loop_both(l);
		else if (role == KVERBS_ROLE_RESPONDER)
			kv_loop_recv(l);
		else if (!kv_is_plain(l))
			kv_loop_rate(l);
		else
			kv_loop_rate_plain(l);
		break;
	case KVERBS_SHAPE_PACED:
		/* the warm-up takes as long as it takes, and is not paced */
		if (role == KVERBS_ROLE_RESPONDER)
			kv_loop_recv(l);
		else if (l->opened)
			kv_loop_paced(l);
		else
			kv_loop_rate(l);
		break;
	case KVERBS_SHAPE_RECOVER:
	case KVERBS_SHAPE_SETUP:
		kv_loop_turns(l, shape);
		break;
	}
}

/*
 * An error is provoked: operations that are good, then something is made wrong, and
 * the pass after that is to end by it. Nothing of it is in the loops above.
 */

/* a round of a wait for the other lane, where nothing is outstanding: 0, or -1 at an end */
kv_inline int kv_wait_other(struct kv_loop *l, u64 since)
{
	if (kv_wait(l->ep))
		l->stat.yields++;
	kv_rest(l);
	if (kv_stop(l->ep) || kv_load(&l->pair->abort))
		return kv_fail(l, KVERBS_REASON_STOPPED, 0, l->retired);
	if (kv_clock(l->ep) - since > l->deadline)
		return kv_fail(l, KVERBS_REASON_TIMEOUT, 0, l->retired);
	return 0;
}

/* the responder has heard all so far, and makes its part wrong */
kv_inline int kv_spoil_asked(struct kv_loop *l)
{
	u64 since = kv_clock(l->ep);

	if (!l->two_sided)
		return 0;
	kv_store(&l->pair->spoil, KV_SPOIL_ASKED);
	kv_store(&l->pair->total, l->posted);
	while (kv_load(&l->pair->spoil) != KV_SPOIL_DONE) {
		if (kv_wait_other(l, since))
			return -1;
	}
	return 0;
}

/* more completions than the CQ has entries, while nobody polls */
kv_inline int kv_overflow(struct kv_loop *l)
{
	l->depth = l->wide;
	l->chain = l->wide;
	if (kv_post_chain(l, l->depth, 0, 0))
		return -1;
	kv_let_arrive(l);
	return 0;
}

kv_inline int kv_spoil_now(struct kv_loop *l)
{
	const struct kv_provoke_rule *rule = &kv_provoke_rules[l->provoke];
	u32 len;
	int rc;

	if (l->provoke == KVERBS_PROVOKE_CQ_OVERFLOW)
		return kv_overflow(l);
	if (l->provoke == KVERBS_PROVOKE_QUEUE_FULL) {
		rc = kv_overfill(l->ep);
		return rc ? kv_fail(l, KVERBS_REASON_POST, rc, l->posted) : 0;
	}
	l->closing = 0;
	while ((rule->needs & KV_WHILE_BUSY) && (len = kv_next_chain(l))) {
		if (kv_post_chain(l, len, 0, 0))
			return -1;
	}
	if (rule->needs & KV_BY_RESPONDER)
		return 0;
	rc = kv_spoil(l->ep, KVERBS_ROLE_INITIATOR);
	return rc ? kv_fail(l, KVERBS_REASON_SETUP, rc, l->posted) : 0;
}

/* the first pass of the window, and what spoils the next one */
kv_noinline void kv_loop_provoke(struct kv_loop *l, u32 shape)
{
	u64 n = l->iterations && l->iterations < 2 * KV_PROVOKE_AFTER ?
		l->iterations >> 1 : KV_PROVOKE_AFTER;

	l->last = l->posted + n;
	kv_pass(l, shape, KVERBS_ROLE_INITIATOR);
	l->last = KV_UNSET;
	l->until = KV_UNSET;
	if (!l->end && !kv_spoil_asked(l))
		kv_spoil_now(l);
}

/* a responder that was asked to makes its part wrong, and goes on, or no more */
kv_noinline void kv_loop_provoked(struct kv_loop *l, u32 shape)
{
	int rc = 0;

	if (l->end || kv_load(&l->pair->spoil) != KV_SPOIL_ASKED)
		return;
	if (kv_provoke_rules[l->provoke].needs & KV_BY_RESPONDER)
		rc = kv_spoil(l->ep, KVERBS_ROLE_RESPONDER);
	if (rc) {
		kv_fail(l, KVERBS_REASON_SETUP, rc, l->recvs);
		return;
	}
	kv_store(&l->pair->total, KV_UNSET);
	kv_store(&l->pair->spoil, KV_SPOIL_DONE);
	/* receives that are left are used up, and no others come */
	while (l->provoke == KVERBS_PROVOKE_RNR &&
	       kv_load(&l->pair->total) == KV_UNSET) {
		if (kv_wait_other(l, kv_clock(l->ep)))
			return;
	}
	kv_pass(l, shape, KVERBS_ROLE_RESPONDER);
}

/*
 * Warm-up: windows of half the asked time and at least one turn of the queue
 * each, until two in a row agree on the time of an operation.
 */
kv_inline void kv_warm_up(struct kv_loop *l, u32 shape)
{
	u64 from, ops, ticks, last_ops = 0, last_ticks = 0, a, b;
	u32 i, scale;

	if (!l->warm)
		return;
	l->stat.warm_unsettled = 1;
	for (i = 0; i < KV_WARM_WINDOWS && l->stat.warm_unsettled; i++) {
		from = l->posted;
		l->last = KV_UNSET;
		l->until = l->warm >> 1;
		l->least = from + (l->control ? 1 : l->depth);
		l->begin = kv_clock(l->ep);
		l->now = l->begin;
		kv_pass(l, shape, KVERBS_ROLE_INITIATOR);
		ops = l->posted - from;
		ticks = kv_clock(l->ep);
		ticks = ticks < l->begin ? 0 : ticks - l->begin;
		l->stat.warm_ops += ops;
		l->stat.warm_ticks += ticks;
		if (l->end)
			return;
		/* in units that let the products fit */
		for (scale = 0; (ticks | last_ticks) >> scale >> 32; scale++)
			;
		a = (ticks >> scale) * last_ops;
		b = (last_ticks >> scale) * ops;
		if (i && (a > b ? a - b : b - a) * KV_WARM_AGREE <= b)
			l->stat.warm_unsettled = 0;
		last_ops = ops;
		last_ticks = ticks;
	}
	if (l->lossy && l->two_sided)
		kv_let_arrive(l);
}

/**
 * kv_loop_run - run one lane from its warm-up to its end
 * @l: lane, its first part filled, the rest zero
 * @shape: enum kverbs_shape
 * @role: enum kverbs_role
 *
 * The receives of a lane that takes messages are posted by kv_loop_fill()
 * before any lane runs. On return @l->end says why it ended, and @l->stat and
 * the histograms hold what was measured up to then.
 */
kv_noinline void kv_loop_run(struct kv_loop *l, u32 shape, u32 role)
{
	u64 end, from;
	u32 i;

	l->role = role;
	for (i = 0; i < __KVERBS_METRIC_MAX; i++) {
		if (l->hist[i])
			kv_hist_clear(l->hist[i]);
	}
	kv_data_reset(l);
	l->prepares = l->data.on || l->aims || l->cold;
	l->ahead = l->credit || l->reg.on;
	kv_window_open(l);
	if (role == KVERBS_ROLE_INITIATOR) {
		kv_warm_up(l, shape);
		/* also when it was the end: what it counted was not measured */
		kv_window_open(l);
		if (!l->end) {
			l->opened = 1;
			kv_store(&l->pair->measured_from, l->posted);
			kv_data_spoil(l);
			l->least = 0;
			from = l->posted;
			if (l->provoke)
				kv_loop_provoke(l, shape);
			l->last = l->iterations ? from + l->iterations :
						  KV_UNSET;
			l->until = l->span;
			/* what was made wrong is posted, late as it may be by now */
			if (l->provoke)
				l->least = l->posted + 1;
			if (!l->end)
				kv_pass(l, shape, role);
		}
		l->stat.ops = l->stat.retired;
	} else {
		kv_pass(l, shape, role);
		if (l->provoke)
			kv_loop_provoked(l, shape);
		if (!l->opened)
			kv_window_open(l);
	}
	if (l->timing != KVERBS_TIMING_NONE) {
		/* one reading: a preemption between two would be in no sum */
		if (!l->handled)
			kv_tick(l, &l->stat.t_rest);
		end = l->now;
	} else {
		l->stat.residence = 0;
		end = l->handled ? l->now : kv_clock(l->ep);
	}
	l->stat.wall = end < l->begin ? 0 : end - l->begin;
	l->stat.bytes = l->stat.ops * l->size;
	l->stat.total_wrs = l->posted;
	l->stat.total_retired = l->retired;
	l->stat.total_recvs = l->recvs;
	if (!l->end)
		l->end = KVERBS_REASON_COMPLETE;
	if (l->lossy && role == KVERBS_ROLE_RESPONDER &&
	    kv_load(&l->pair->total) != KV_UNSET)
		l->stat.lost = kv_load(&l->pair->total) - l->recvs;
	if (l->end != KVERBS_REASON_COMPLETE &&
	    (l->end != KVERBS_REASON_STOPPED || l->posted != l->retired))
		kv_store(&l->pair->abort, 1);
	if (role == KVERBS_ROLE_INITIATOR)
		kv_store(&l->pair->total, l->posted);
	if (l->other && (l->end == KVERBS_REASON_COMPLETE ||
			 l->end == KVERBS_REASON_STOPPED))
		kv_both_rest(l);
}

/**
 * kv_loop_fill - post all receives of a lane that takes messages
 * @l: lane, any
 * Return: 0, or -1 with @l->end set
 */
kv_noinline int kv_loop_fill(struct kv_loop *l)
{
	u32 i;

	kv_data_begin(l);
	for (i = 0; l->recv_depth && i < l->nrings; i++) {
		if (kv_recv_refill(l, i, l->ring_depth))
			return -1;
	}
	return l->limit ? kv_limit_look(l, 1) : 0;
}

#endif /* _KVERBS_LOOP_H */
