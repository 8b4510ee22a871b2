// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <math.h>
#include <string.h>
#include "check.h"
#include "kverbs.h"
#include "unit.h"

static void note(struct kv_check *check, bool good, double difference, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static void note(struct kv_check *check, bool good, double difference, const char *fmt, ...)
{
	va_list args;

	check->done++;
	if (difference > check->worst)
		check->worst = difference;
	if (good || check->failed++)
		return;
	va_start(args, fmt);
	vsnprintf(check->text, sizeof(check->text), fmt, args);
	va_end(args);
}

/*
 * Little's law in its exact form: the time integral of the WRs outstanding is
 * the sum of the times that each was outstanding. Both over the window's length
 * are outstanding, and rate x mean lat.
 */
static void check_little(const struct kv_lane_result *lane, struct kv_check *check)
{
	double left = (double)lane->stat.occupancy, right = (double)lane->stat.residence;
	double difference = fabs(left - right) / fmax(fmax(left, right), 1);

	note(check, difference <= KV_CHECK_TOLERANCE, difference,
	     "lane %u: %.0f WR ticks outstanding, %.0f from post to retirement, %.1f %% apart",
	     lane->index, left, right, 100 * difference);
}

static void check_time(const struct kv_lane_result *lane, const struct kv_clock_info *clock,
		       struct kv_check *check)
{
	const struct kv_stat *stat = &lane->stat;
	double sum = (double)stat->t_post + (double)stat->t_poll + (double)stat->t_empty +
		     (double)stat->t_rest + (double)stat->t_reg + (double)stat->t_control;
	double wall = (double)stat->wall;
	double difference = fabs(wall - sum) / fmax(wall, 1);

	note(check, difference <= KV_CHECK_TOLERANCE, difference,
	     "lane %u: the parts add up to %.0f of a window of %.0f %s, %.1f %% apart",
	     lane->index, kv_clock_ns((u64)sum, clock->mult, clock->shift) * 1.0,
	     kv_clock_ns(stat->wall, clock->mult, clock->shift) * 1.0,
	     kv_unit_name(clock->unit), 100 * difference);
}

static const struct kv_lane_result *other_lane(const struct kv_result *result,
					       const struct kv_lane_result *lane)
{
	const struct kv_lane_result *other;
	u32 i;

	for (i = 0; i < result->nlanes; i++) {
		other = &result->lane[i];
		if (other->qpn == lane->peer_qpn && other->peer_qpn == lane->qpn)
			return other;
	}
	return NULL;
}

static void check_messages(const struct kv_result *result, const struct kv_lane_result *lane,
			   struct kv_check *check)
{
	const struct kv_lane_result *other = other_lane(result, lane);
	bool answers = kv_shape_rules[result->granted.shape].answers;

	if (!other || other->reason != KVERBS_REASON_COMPLETE ||
	    (other->role == lane->role && !kv_job_two_sided(&result->granted)))
		return;
	note(check, other->stat.total_recvs + other->stat.lost == lane->stat.total_wrs, 0,
	     "lane %u sent %llu messages, lane %u received %llu and missed %llu", lane->index,
	     lane->stat.total_wrs, other->index, other->stat.total_recvs, other->stat.lost);
	/* each is the other's, and counts its own operations */
	if (other->role == lane->role)
		return;
	if (answers)
		note(check, lane->stat.total_recvs == other->stat.total_wrs, 0,
		     "lane %u sent %llu answers, lane %u received %llu", other->index,
		     other->stat.total_wrs, lane->index, lane->stat.total_recvs);
	note(check, other->stat.lost ? other->stat.ops <= lane->stat.ops :
				       other->stat.ops == lane->stat.ops, 0,
	     "lane %u counts %llu operations in the window, lane %u %llu", lane->index,
	     lane->stat.ops, other->index, other->stat.ops);
}

/**
 * kv_check_result - make the checks that a result allows
 * @result: of a run that has ended
 * @checks: filled
 * Return: number of checks that failed
 */
u32 kv_check_result(const struct kv_result *result, struct kv_checks *checks)
{
	static const char *const names[KV_CHECKS] = {
		[KV_CHECK_LITTLE] = "outstanding is rate x mean lat",
		[KV_CHECK_TIME] = "post, poll, empty polls and the rest add up",
		[KV_CHECK_RETIRED] = "every WR posted was retired",
		[KV_CHECK_WCS] = "every signalled WR had its completion",
		[KV_CHECK_MESSAGES] = "every message sent was received",
		[KV_CHECK_COUNT] = "operations are as many as asked",
	};
	bool timed = result->granted.timing != KVERBS_TIMING_NONE;
	const struct kv_lane_result *lane;
	u32 i, failed = 0;
	bool complete;

	memset(checks, 0, sizeof(*checks));
	for (i = 0; i < KV_CHECKS; i++)
		checks->check[i].name = names[i];
	for (i = 0; i < result->nlanes; i++) {
		lane = &result->lane[i];
		complete = lane->reason == KVERBS_REASON_COMPLETE;
		/* time lost by a counter that stepped back is in no sum; it is shown */
		if (timed && !lane->stat.backwards) {
			if (lane->stat.total_wrs == lane->stat.total_retired)
				check_little(lane, &checks->check[KV_CHECK_LITTLE]);
			check_time(lane, &result->clock, &checks->check[KV_CHECK_TIME]);
		}
		if (!complete)
			continue;
		note(&checks->check[KV_CHECK_RETIRED],
		     lane->stat.total_wrs == lane->stat.total_retired, 0,
		     "lane %u posted %llu WRs, %llu were retired", lane->index,
		     lane->stat.total_wrs, lane->stat.total_retired);
		/* a later WC retires a WR whose own was lost */
		note(&checks->check[KV_CHECK_WCS],
		     lane->stat.signalled == lane->stat.wcs, 0,
		     "lane %u signalled %llu WRs, %llu WCs came", lane->index,
		     lane->stat.signalled, lane->stat.wcs);
		if (lane->role != KVERBS_ROLE_INITIATOR)
			continue;
		check_messages(result, lane, &checks->check[KV_CHECK_MESSAGES]);
		if (result->granted.iterations)
			note(&checks->check[KV_CHECK_COUNT],
			     lane->stat.ops == result->granted.iterations, 0,
			     "lane %u did %llu operations of %llu", lane->index, lane->stat.ops,
			     result->granted.iterations);
	}
	for (i = 0; i < KV_CHECKS; i++)
		failed += checks->check[i].failed;
	return failed;
}
