# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Documents as kverbs writes them, small and made up: one run, a series, a comparison."""

import random

UNIT = "ns"
JOB = {"port": 1, "shape": "lat", "iterations": 2, "duration_ms": 0, "transport": "rc",
       "cpus": [0], "steps": [{"op": "write", "size_bytes": 64}], "gid_index": None}
CLOCK = {"name": "tsc", "unit": UNIT, "mult": 1, "shift": 0, "invariant": True, "cost_ns": 10}
ENVIRONMENT = {
    "kverbs": "0", "kernel": "6.1", "machine": "x86_64", "cpu": "a CPU", "virtual_machine": False,
    "cpus": 1, "module": None, "device": "rxe0", "driver": "rdma_rxe", "firmware": "", "port": 1,
    "numa_node": -1, "link": "RoCE", "software_device": True, "loopback": True, "variables": "",
}


def histogram(middle, n=5000, seed=1):
    """Values above 2048 ticks share buckets: only lower bounds of buckets are drawn."""
    rng = random.Random(seed)
    values = sorted((int(middle * rng.paretovariate(3)) >> 5) << 5 for _ in range(n))
    buckets = []
    for value in values:
        if buckets and buckets[-1][0] == value:
            buckets[-1][1] += 1
        else:
            buckets.append([value, 1])
    return {"count": n, "over": 0, "sum_ns": sum(values), "min_ns": values[0],
            "max_ns": values[-1], "buckets_low_ns": buckets}


def quantile(hist, share):
    """Nearest rank, the lower bound of its bucket."""
    rank = max(1, -(-hist["count"] * share // 1))
    seen = 0
    for low, count in hist["buckets_low_ns"]:
        seen += count
        if seen >= rank:
            return low
    return hist["max_ns"]


def figure(hist):
    return {"count": hist["count"], "min_ns": hist["min_ns"],
            "mean_ns": hist["sum_ns"] / hist["count"], "p50_ns": quantile(hist, 0.5),
            "p90_ns": quantile(hist, 0.9), "p99_ns": quantile(hist, 0.99), "p99_9_ns": None,
            "max_ns": hist["max_ns"]}


def job(size=64, **fields):
    return {**JOB, "steps": [{"op": "write", "size_bytes": size}], **fields}


def run(engine="kernel", middle=20000, size=64, seed=1):
    hist = histogram(middle, seed=seed)
    lane = {"index": 0, "role": "initiator", "cpu": 0, "qpn": 1, "peer_qpn": 2, "sq_depth": 1,
            "rq_depth": 1, "cq_depth": 1, "reason": "complete",
            "counters": dict.fromkeys(("ops", "bytes", "posts", "wrs", "wcs", "retired"), 5000),
            "histograms": {"lat": hist}}
    mean = hist["sum_ns"] / hist["count"]
    return {
        "engine": engine, "state": "done", "reason": "complete", "error": None, "labels": [],
        "asked": job(size), "granted": job(size), "clock": CLOCK,
        "summary": {"metrics": {"lat": figure(hist)}, "operations": 5000,
                    "post_per_wr_ns": 500.0, "operations_per_s": 1e9 / mean,
                    "bytes_per_s": size * 1e9 / mean, "outstanding_wrs": 1.0,
                    "window_ns": 1e9, "operation_ns": mean, "share_post": 0.25,
                    "share_poll": 0.125, "share_empty_polls": 0.5, "share_rest": 0.125,
                    "warmup_operations": 0, "warmup_unsettled": False, "lost": 0, "tainted": 0},
        "noise": None, "checks": [], "thresholds": [], "device_counters": {}, "lanes": [lane],
    }


def document(**fields):
    return {"schema": "kverbs-run/1", "command": ["kverbs", "run"], "environment": ENVIRONMENT,
            "run": run(**fields)}


def series(sizes=(8, 64, 512, 4096)):
    return {"schema": "kverbs-series/1", "command": ["kverbs", "run", "-s", "8..4k"],
            "environment": ENVIRONMENT, "interrupted": False,
            "points": [{"values": {"size": size}, "outcome": "measured", "error": None,
                        "run": run(middle=10000 + 4 * size, size=size, seed=size)}
                       for size in sizes]}


def value(kernel, user, primary):
    """kernel, user: of each block."""
    difference = sorted(k - u for k, u in zip(kernel, user))
    ratio = sorted(k / u for k, u in zip(kernel, user))
    middle = len(kernel) // 2
    return {"kernel": {"median": sorted(kernel)[middle], "blocks": kernel},
            "user": {"median": sorted(user)[middle], "blocks": user},
            "difference": {"estimate": difference[middle], "low": difference[0],
                           "high": difference[-1]},
            "ratio": {"estimate": ratio[middle], "low": ratio[0], "high": ratio[-1]},
            "p": 0.01, "p_holm": 0.02 if primary else None,
            "verdict": "different" if primary else None, "primary": primary, "margin": 400.0,
            "smallest_difference": 100.0, "blocks_with_both": len(kernel)}


def arm(size, kernel, user, seed, blocks=9):
    rng = random.Random(seed)

    def side(middle):
        return [middle * rng.uniform(0.97, 1.03) for _ in range(blocks)]

    return {
        "op": "write", "size_bytes": size, "shape": "lat", "untimed": False, "as": "matched",
        "absent_kernel": "", "absent_user": "", "asked": job(size), "granted_kernel": job(size),
        "granted_user": job(size), "runs": 4 * blocks, "contaminated": 0, "primary": "p50_ns",
        "values": {"p50_ns": value(side(kernel), side(user), True),
                   "post_p50_ns": value(side(500), side(300), False)},
        "where": {part: {"kernel_ns": k, "user_ns": u, "difference_ns": k - u}
                  for part, k, u in (("post", 500, 300), ("wait", kernel - 700, user - 500),
                                     ("poll", 150, 160), ("clock", 50, 40))},
        "histograms": {"kernel": {"lat": histogram(kernel, seed=seed)},
                       "user": {"lat": histogram(user, seed=seed + 1)}},
    }


def comparison(kernel=20000, user=18000, seed=1, blocks=9):
    return {
        "schema": "kverbs-compare/2", "command": ["kverbs", "compare"],
        "environment": ENVIRONMENT, "post_send": "", "interrupted": False, "elapsed_ns": 1.0,
        "clock_kernel": CLOCK, "clock_user": CLOCK, "contaminated_runs": 0, "failed_checks": 0,
        "ledger": ["the kernel takes the locks of SQ and CQ"], "as": "matched",
        "design": {"blocks": blocks, "pilot": 8, "planned": 9, "seed": 7, "orders": [["ABBA"]],
                   "why_ended": "as planned", "margin_percent": 2, "level": 0.95},
        "arms": [arm(64, kernel, user, seed, blocks),
                 arm(65536, 10 * kernel, 10 * user, seed + 1, blocks)],
        "runs": [],
    }
