// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What is made equal between the two data paths, and what differs by nature and so
 * is part of every ratio. One row a setting or a fact, and the drivers it holds for.
 */
#include <stdlib.h>
#include <string.h>
#include "compare.h"

enum {
	ON_SOFTWARE = 1 << 0,
	ON_RXE = 1 << 1,
	ON_HARDWARE = 1 << 2,
	ON_MLX5 = 1 << 3,
	ON_ALL = 1 << 4,
};

#define AS_MATCHED	(1U << KV_AS_MATCHED)
#define AS_NATIVE	(1U << KV_AS_NATIVE)
#define AS_BOTH		(1U << KV_AS_BOTH)
#define AS_ANY		(AS_MATCHED | AS_NATIVE | AS_BOTH)

/* what user space has and the kernel has not, switched off where the sides are matched */
static const struct {
	const char *driver;
	const char *variable;
	const char *value;
} matched[] = {
	{ "mlx5", "MLX5_SHUT_UP_BF", "1" },
	{ "mlx5", "MLX5_SCATTER_TO_CQE", "0" },
};

static const struct {
	u32 where;
	u32 as;
	const char *fact;
} facts[] = {
	{ ON_ALL, AS_MATCHED,
	  "matched: memory is reached through an MR on both sides"
	},
	{ ON_ALL, AS_NATIVE,
	  "native: the kernel reaches memory through local_dma_lkey, user space through an MR"
	},
	{ ON_ALL, AS_BOTH,
	  "matched: memory through an MR on both sides; native: the kernel's through local_dma_lkey"
	},
	{ ON_MLX5, AS_MATCHED,
	  "matched: BlueFlame and scatter-to-CQE, which the kernel has not, are off unless MLX5_SHUT_UP_BF or MLX5_SCATTER_TO_CQE was set"
	},
	{ ON_MLX5, AS_NATIVE,
	  "native: user space posts by BlueFlame and scatters to CQEs as its provider likes; the kernel has neither"
	},
	{ ON_MLX5, AS_BOTH,
	  "native: user space posts by BlueFlame and scatters to CQEs as its provider likes; matched: both off, as the kernel has neither"
	},
	{ ON_ALL, AS_ANY,
	  "memory: the kernel registers by REG_MR with the base page size; a user MR pins pages and may use larger ones"
	},
	{ ON_ALL, AS_ANY,
	  "calls: the kernel reaches the driver through pointers, which mitigations (retpolines) make dear; user space calls its provider library"
	},
	{ ON_RXE, AS_ANY,
	  "post: a kernel post copies the WR and leaves the sending to a task of the stack; a user post writes the WR to shared memory and enters the kernel, which sends before it returns"
	},
	{ ON_RXE, AS_ANY,
	  "poll: a kernel poll takes the CQ lock with interrupts off; a user poll reads shared memory"
	},
	{ ON_SOFTWARE, AS_ANY,
	  "progress: the stack runs on the measuring CPUs, in softirqs, system calls and tasks; figures show function, not hardware cost"
	},
	{ ON_MLX5, AS_ANY,
	  "doorbell: the kernel writes 8 bytes to one register without write combining, shared by all its ordinary QPs of the device; libmlx5 writes to write-combining registers and flushes"
	},
	{ ON_MLX5, AS_ANY,
	  "locks: the kernel takes SQ and CQ locks with interrupts off; libmlx5 takes its own, with interrupts on"
	},
	{ ON_MLX5, AS_ANY,
	  "ordering: kernel MRs are always relaxed-ordered; user MRs only on request, by --relaxed-ordering on"
	},
	{ ON_HARDWARE, AS_ANY,
	  "tick: the timer tick interrupts both; nohz_full can stop it for user threads only"
	},
};

static u32 where_is(const struct kv_device_facts *device)
{
	u32 where = ON_ALL | (device->software ? ON_SOFTWARE : ON_HARDWARE);

	if (!strcmp(device->driver, "rdma_rxe"))
		where |= ON_RXE;
	if (!strncmp(device->driver, "mlx5", 4))
		where |= ON_MLX5;
	return where;
}

static bool applies(const struct kv_compare *compare, u32 row)
{
	return !(compare->own & 1U << row) &&
	       !strncmp(compare->env.facts.driver, matched[row].driver,
			strlen(matched[row].driver));
}

/**
 * kv_ledger_own - note which settings are the user's own, and stay
 * @compare: its @env is filled as far as the device goes
 */
void kv_ledger_own(struct kv_compare *compare)
{
	u32 i;

	kv_device_facts(compare->device, &compare->env.facts);
	for (i = 0; i < KV_ARRAY_SIZE(matched); i++) {
		if (getenv(matched[i].variable))
			compare->own |= 1U << i;
	}
}

/**
 * kv_ledger_match - settings of the user engine's provider for the next run
 * @compare: comparison
 * @as_kernel: without what the kernel has not; else as the provider likes
 *
 * Providers read them when a device is opened, as every run does.
 */
void kv_ledger_match(const struct kv_compare *compare, bool as_kernel)
{
	u32 i;

	for (i = 0; i < KV_ARRAY_SIZE(matched); i++) {
		if (!applies(compare, i))
			continue;
		if (as_kernel)
			setenv(matched[i].variable, matched[i].value, 1);
		else
			unsetenv(matched[i].variable);
	}
}

/**
 * kv_ledger_fill - the facts that hold for the device of a comparison
 * @compare: its @ledger is filled
 */
void kv_ledger_fill(struct kv_compare *compare)
{
	u32 where = where_is(&compare->env.facts), i;

	compare->nledger = 0;
	for (i = 0; i < KV_ARRAY_SIZE(facts) && compare->nledger < KV_LEDGER_MAX; i++) {
		if (facts[i].where & where && facts[i].as & 1U << compare->options.as)
			compare->ledger[compare->nledger++] = facts[i].fact;
	}
	if (*compare->unlike && compare->nledger < KV_LEDGER_MAX)
		compare->ledger[compare->nledger++] = compare->unlike;
}
