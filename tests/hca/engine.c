// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The engine: what makes the device move. One pass takes messages that are
 * due, packets that are due, timers that are due, and gives every busy QP a
 * bounded turn. Normally a thread of its own makes the passes, outside QEMU's
 * big lock; under instruction counting a timer on guest time makes them, so
 * that the guest sees every effect at a fixed distance from its cause.
 */
#include "hca.h"
#include "qemu/main-loop.h"
#include "qemu/rcu.h"
#include <poll.h>
#include <sys/eventfd.h>

enum { TURNS_A_PASS = 64, MESSAGES_A_PASS = 256, PACKETS_A_PASS = 256, PASSES_A_TICK = 64 };

static void handle(struct hca *hca, struct hca_msg *m)
{
	switch (m->what) {
	case MSG_CMD:
		cmd_doorbell(hca, m->a);
		break;
	case MSG_SQ:
		sq_doorbell(hca, m->uar, m->a, m->b);
		break;
	case MSG_BF:
		sq_blueflame(hca, m->uar, m->bf);
		break;
	case MSG_CQ_ARM:
		cq_arm(hca, m->uar, m->a, m->b & 0xffffff);
		break;
	case MSG_EQ:
	case MSG_EQ_ARM:
		eq_doorbell(hca, m->uar, m->a, m->what == MSG_EQ_ARM);
		break;
	case MSG_RESET:
		hca_reset_objects(hca);
		break;
	case MSG_FAULT:
		m->bf[sizeof(m->bf) - 1] = 0;
		fault_apply(hca, (const char *)m->bf);
		break;
	}
}

void hca_timer_del(struct hca *hca, struct hca_timer *t)
{
	if (t->when)
		QTAILQ_REMOVE(&hca->timers, t, link);
	t->when = 0;
}

void hca_timer_set(struct hca *hca, struct hca_timer *t, int64_t when)
{
	struct hca_timer *at;

	hca_timer_del(hca, t);
	t->when = MAX(when, 1);
	/* New timers mostly expire last. */
	QTAILQ_FOREACH_REVERSE(at, &hca->timers, link) {
		if (at->when <= t->when) {
			QTAILQ_INSERT_AFTER(&hca->timers, at, t, link);
			return;
		}
	}
	QTAILQ_INSERT_HEAD(&hca->timers, t, link);
}

static bool take_message(struct hca *hca, struct hca_msg *m, int64_t now, int64_t *due)
{
	bool got = false;

	qemu_mutex_lock(&hca->lock);
	if (hca->ring_head != hca->ring_tail) {
		struct hca_msg *first = &hca->ring[hca->ring_head % HCA_RING];
		int64_t when = hca->icount ? first->stamp + hca->delay_ns : 0;

		if (when <= now) {
			*m = *first;
			hca->ring_head++;
			got = true;
		} else {
			*due = MIN(*due, when);
		}
	}
	qemu_mutex_unlock(&hca->lock);
	return got;
}

static struct hca_rx *take_packet(struct hca *hca, int64_t now, int64_t *due)
{
	struct hca_rx *r;

	qemu_mutex_lock(&hca->lock);
	QTAILQ_FOREACH(r, &hca->rx, link) {
		if (r->due <= now) {
			QTAILQ_REMOVE(&hca->rx, r, link);
			hca->rx_count--;
			break;
		}
		*due = MIN(*due, r->due);
	}
	qemu_mutex_unlock(&hca->lock);
	return r;
}

/* One pass. Returns when there will be something to do: 0 is now, INT64_MAX is when told. */
static int64_t engine_pass(struct hca *hca)
{
	int64_t now = hca_now(hca), due = INT64_MAX;
	struct hca_timer *t;
	struct hca_msg m;
	struct hca_rx *r;
	struct hca_qp *qp;
	bool more = false;
	unsigned int i;

	for (i = 0; i < MESSAGES_A_PASS && take_message(hca, &m, now, &due); i++)
		handle(hca, &m);
	more |= i == MESSAGES_A_PASS;

	for (i = 0; i < PACKETS_A_PASS && (r = take_packet(hca, now, &due)); i++) {
		transport_rx(hca, &r->pkt);
		g_free(r);
	}
	more |= i == PACKETS_A_PASS;

	for (i = 0; i < TURNS_A_PASS && (t = QTAILQ_FIRST(&hca->timers)) && t->when <= now; i++) {
		hca_timer_del(hca, t);
		t->fn(hca, t->opaque);
	}

	for (i = 0; i < TURNS_A_PASS && (qp = QTAILQ_FIRST(&hca->run)); i++) {
		QTAILQ_REMOVE(&hca->run, qp, run);
		qp->queued = false;
		qp_run(hca, qp);
	}

	t = QTAILQ_FIRST(&hca->timers);
	if (t)
		due = MIN(due, t->when);
	qemu_mutex_lock(&hca->lock);
	QTAILQ_FOREACH(r, &hca->rx, link) {
		due = MIN(due, r->due);
		if (!r->due)
			break;
	}
	if (!hca->icount && hca->ring_head != hca->ring_tail)
		more = true;
	qemu_mutex_unlock(&hca->lock);
	return more || !QTAILQ_EMPTY(&hca->run) ? 0 : due;
}

static void engine_tick(void *opaque)
{
	struct hca *hca = opaque;
	int64_t due = 0;

	hca->running = true;
	for (int i = 0; i < PASSES_A_TICK && due <= hca_now(hca); i++)
		due = engine_pass(hca);
	hca->running = false;
	if (due != INT64_MAX)
		timer_mod_ns(hca->clock_timer, MAX(due, hca_now(hca) + 1));
}

void engine_kick(struct hca *hca)
{
	if (hca->icount) {
		/* Messages come from vCPUs and timers, all under the big lock. */
		if (!hca->running)
			timer_mod_anticipate_ns(hca->clock_timer, hca_now(hca) + hca->delay_ns);
	} else if (!qatomic_xchg(&hca->awake, true)) {
		uint64_t one = 1;

		if (write(hca->event_fd, &one, sizeof(one)) < 0)
			return;	/* counter full: the engine is awake anyway */
	}
}

static void *engine_thread(void *opaque)
{
	struct hca *hca = opaque;

	rcu_register_thread();
	while (!qatomic_read(&hca->stop)) {
		int64_t due = engine_pass(hca);
		struct pollfd fd = { .fd = hca->event_fd, .events = POLLIN };
		struct timespec ts, *wait = NULL;
		uint64_t n;

		if (!due)
			continue;
		qatomic_set(&hca->awake, false);
		smp_mb();
		/* What came between the pass and the line above rings no bell. */
		due = engine_pass(hca);
		if (due != INT64_MAX) {
			int64_t left = MAX(due - hca_now(hca), 0);

			ts.tv_sec = left / 1000000000;
			ts.tv_nsec = left % 1000000000;
			wait = &ts;
		}
		if (due && ppoll(&fd, 1, wait, NULL) > 0 && read(hca->event_fd, &n, sizeof(n)) < 0)
			break;
		qatomic_set(&hca->awake, true);
	}
	rcu_unregister_thread();
	return NULL;
}

void engine_init(struct hca *hca)
{
	qemu_mutex_init(&hca->lock);
	hca->ring = g_new0(struct hca_msg, HCA_RING);
	QTAILQ_INIT(&hca->rx);
	QTAILQ_INIT(&hca->timers);
	QTAILQ_INIT(&hca->run);
	QTAILQ_INIT(&hca->mcgs);
	hca->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

void engine_start(struct hca *hca)
{
	hca_reset_objects(hca);
	if (hca->icount)
		hca->clock_timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, engine_tick, hca);
	else
		qemu_thread_create(&hca->thread, "hca", engine_thread, hca, QEMU_THREAD_JOINABLE);
}

void engine_stop(struct hca *hca)
{
	struct hca_rx *r;

	if (hca->icount) {
		timer_free(hca->clock_timer);
	} else {
		qatomic_set(&hca->stop, true);
		qatomic_set(&hca->awake, false);
		engine_kick(hca);
		/* The engine takes the big lock to interrupt: let it have it. */
		qemu_mutex_unlock_iothread();
		qemu_thread_join(&hca->thread);
		qemu_mutex_lock_iothread();
	}
	hca_free_objects(hca);
	while ((r = QTAILQ_FIRST(&hca->rx))) {
		QTAILQ_REMOVE(&hca->rx, r, link);
		g_free(r);
	}
	close(hca->event_fd);
	g_free(hca->ring);
	hca->ring = NULL;
	qemu_mutex_destroy(&hca->lock);
}
