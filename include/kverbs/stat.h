/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What a lane counts. One row a counter: its wire name, its member, its name in
 * outputs, its unit ("ticks" are converted to ns by whoever shows them; "ns" are of
 * another clock than the run's).
 *
 * The includer defines u64 and includes <linux/kverbs.h> first.
 */
#ifndef _KVERBS_STAT_H
#define _KVERBS_STAT_H

#define KV_COUNTERS(X)							\
	X(OPS,		ops,		"ops",		"")		\
	X(BYTES,	bytes,		"bytes",	"bytes")	\
	X(POSTS,	posts,		"posts",	"")		\
	X(WRS,		wrs,		"wrs",		"")		\
	X(SIGNALLED,	signalled,	"signalled",	"")		\
	X(FORCED,	forced,		"forced",	"")		\
	X(WCS,		wcs,		"wcs",		"")		\
	X(RETIRED,	retired,	"retired",	"")		\
	X(RECV_POSTS,	recv_posts,	"recv_posts",	"")		\
	X(RECV_WRS,	recv_wrs,	"recv_wrs",	"")		\
	X(RECV_WCS,	recv_wcs,	"recv_wcs",	"")		\
	X(POLLS,	polls,		"polls",	"")		\
	X(EMPTY_POLLS,	empty_polls,	"empty_polls",	"")		\
	X(WALL,		wall,		"wall",		"ticks")	\
	X(T_POST,	t_post,		"in_post",	"ticks")	\
	X(T_POLL,	t_poll,		"in_poll",	"ticks")	\
	X(T_EMPTY,	t_empty,	"in_empty_polls", "ticks")	\
	X(T_REST,	t_rest,		"in_rest",	"ticks")	\
	X(RESIDENCE,	residence,	"residence",	"ticks")	\
	X(OCCUPANCY,	occupancy,	"occupancy",	"ticks")	\
	X(YIELDS,	yields,		"yields",	"")		\
	X(TAINTED,	tainted,	"tainted",	"")		\
	X(BACKWARDS,	backwards,	"clock_backwards", "")		\
	X(WARM_OPS,	warm_ops,	"warmup_ops",	"")		\
	X(WARM_TICKS,	warm_ticks,	"warmup",	"ticks")	\
	X(WARM_UNSETTLED, warm_unsettled, "warmup_unsettled", "")	\
	X(SWITCHES,	switches,	"switches",	"")		\
	X(PREEMPTIONS,	preemptions,	"preemptions",	"")		\
	X(TOTAL_WRS,	total_wrs,	"total_wrs",	"")		\
	X(TOTAL_RETIRED, total_retired,	"total_retired", "")		\
	X(TOTAL_RECVS,	total_recvs,	"total_recvs",	"")		\
	X(LOST,		lost,		"lost",		"")		\
	X(UNSENT,	unsent,		"unsent",	"")		\
	X(DELAYED,	delayed,	"delayed",	"ticks")	\
	X(INSTRUCTIONS,	instructions,	"instructions",	"")		\
	X(CYCLES,	cycles,		"cycles",	"")		\
	X(CACHE_MISSES,	cache_misses,	"cache_misses",	"")		\
	X(PMU_EVENTS,	pmu_events,	"pmu_events",	"")		\
	X(ARMS,		arms,		"arms",		"")		\
	X(MISSED,	missed,		"missed_events", "")		\
	X(SLEEPS,	sleeps,		"sleeps",	"")		\
	X(EVENTS,	events,		"events",	"")		\
	X(HANDLED,	handled,	"handled",	"")		\
	X(EVICTED,	evicted,	"evicted_lines", "")	\
	X(T_REG,	t_reg,		"in_registration", "ticks")	\
	X(T_CONTROL,	t_control,	"in_control",	"ticks")	\
	X(FLUSHED,	flushed,	"flushed",	"")		\
	X(SRQ_LIMITS,	srq_limits,	"srq_limits",	"")		\
	X(CPU,		cpu,		"cpu_ns",	"ns")

#define KV_STAT_MEMBER(attr, member, name, unit)	u64 member;

/**
 * struct kv_stat - counters of one lane over its measured window
 *
 * Members stand in the order of &enum kverbs_counter, each a u64, so that
 * ((u64 *)stat)[KVERBS_CTR_X - 1] is counter X.
 */
struct kv_stat {
	KV_COUNTERS(KV_STAT_MEMBER)
};

#define KV_METRICS(X)							\
	X(POST,		"post")						\
	X(POLL,		"poll")						\
	X(LAT,		"lat")						\
	X(RTT,		"rtt")						\
	X(RECV_POST,	"recv_post")					\
	X(RECV_POLL,	"recv_poll")					\
	X(RESPONSE,	"response")					\
	X(REG,		"reg")						\
	X(INV,		"inv")						\
	X(HANDLER,	"handler")					\
	X(MAP,		"map")						\
	X(SYNC,		"sync")						\
	X(UNMAP,	"unmap")					\
	X(IO,		"io")						\
	X(RECOVER,	"recover")					\
	X(FLUSH,	"flush")					\
	X(RENEW,	"renew")					\
	X(CONNECT,	"connect")					\
	X(FIRST,	"first")					\
	X(TO_ERR,	"to_err")					\
	X(TO_RESET,	"to_reset")					\
	X(TO_INIT,	"to_init")					\
	X(TO_RTR,	"to_rtr")					\
	X(TO_RTS,	"to_rts")					\
	X(CREATE_QP,	"create_qp")					\
	X(DESTROY_QP,	"destroy_qp")					\
	X(SETUP,	"setup")					\
	X(CREATE_CQ,	"create_cq")					\
	X(DESTROY_CQ,	"destroy_cq")					\
	X(MR_ALLOC,	"mr_alloc")					\
	X(MR_FREE,	"mr_free")					\
	X(POOL_INIT,	"pool_init")					\
	X(POOL_FREE,	"pool_free")					\
	X(CREATE_ID,	"create_id")					\
	X(RESOLVE_ADDR,	"resolve_addr")					\
	X(RESOLVE_ROUTE, "resolve_route")				\
	X(DISCONNECT,	"disconnect")					\
	X(DESTROY_ID,	"destroy_id")

#endif /* _KVERBS_STAT_H */
