// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What differs between the two data paths by nature, and so is part of every
 * ratio. One row a fact and the drivers it holds for.
 */
#include <string.h>
#include "compare.h"

enum {
	ON_SOFTWARE = 1 << 0,
	ON_RXE = 1 << 1,
	ON_HARDWARE = 1 << 2,
	ON_MLX5 = 1 << 3,
	ON_ALL = 1 << 4,
};

static const struct {
	u32 where;
	const char *fact;
} facts[] = {
	{ ON_ALL,
	  "memory: the kernel registers by REG_MR with the base page size; a user MR pins pages and may use larger ones"
	},
	{ ON_ALL,
	  "calls: the kernel reaches the driver through pointers, which mitigations (retpolines) make dear; user space calls its provider library"
	},
	{ ON_RXE,
	  "post: a kernel post copies the WR and leaves the sending to a task of the stack; a user post writes the WR to shared memory and enters the kernel, which sends before it returns"
	},
	{ ON_RXE,
	  "poll: a kernel poll takes the CQ lock with interrupts off; a user poll reads shared memory"
	},
	{ ON_SOFTWARE,
	  "progress: the stack runs on the measuring CPUs, in softirqs, system calls and tasks; figures show function, not hardware cost"
	},
	{ ON_MLX5,
	  "doorbell: the kernel writes 8 bytes to one register without write combining, shared by all its ordinary QPs of the device; libmlx5 writes to write-combining registers and flushes"
	},
	{ ON_MLX5,
	  "locks: the kernel takes SQ and CQ locks with interrupts off; libmlx5 takes its own, with interrupts on"
	},
	{ ON_MLX5,
	  "ordering: kernel MRs are always relaxed-ordered; user MRs only on request, and none was made"
	},
	{ ON_MLX5,
	  "BlueFlame and scatter-to-CQE exist in user space only; they are off here unless MLX5_SHUT_UP_BF or MLX5_SCATTER_TO_CQE was set"
	},
	{ ON_HARDWARE,
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

/**
 * kv_ledger_fill - the facts that hold for the device of a comparison
 * @compare: its @ledger is filled
 */
void kv_ledger_fill(struct kv_compare *compare)
{
	u32 where = where_is(&compare->env.facts), i;

	compare->nledger = 0;
	for (i = 0; i < KV_ARRAY_SIZE(facts) && compare->nledger < KV_LEDGER_MAX; i++) {
		if (facts[i].where & where)
			compare->ledger[compare->nledger++] = facts[i].fact;
	}
}
