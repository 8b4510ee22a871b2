// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * kverbs: runs jobs of RDMA work from kernel threads through the kernel verbs,
 * for measuring, comparing and tracing them.
 */
#include <linux/module.h>

#include "clock.h"
#include "debugfs.h"
#include "device.h"
#include "main.h"
#include "netlink.h"
#include "run.h"

unsigned int kv_max_runs = 64;
module_param_named(max_runs, kv_max_runs, uint, 0644);
MODULE_PARM_DESC(max_runs, "runs at a time, of all sockets (default 64)");

unsigned int kv_max_lanes = 64;
module_param_named(max_lanes, kv_max_lanes, uint, 0644);
MODULE_PARM_DESC(max_lanes, "lanes (kernel threads) of a run (default 64)");

unsigned int kv_max_depth = 16384;
module_param_named(max_depth, kv_max_depth, uint, 0644);
MODULE_PARM_DESC(max_depth, "WRs of a send or receive queue (default 16384)");

unsigned long kv_max_bytes = 256UL << 20;
module_param_named(max_bytes, kv_max_bytes, ulong, 0644);
MODULE_PARM_DESC(max_bytes, "buffers and histograms of all runs, bytes (default 256 MiB)");

unsigned int kv_max_time_ms = 3600 * 1000;
module_param_named(max_time_ms, kv_max_time_ms, uint, 0644);
MODULE_PARM_DESC(max_time_ms, "length of a run from its start, ms (default one hour)");

static const struct {
	const char *what;
	int (*init)(void);
	void (*exit)(void);
} kv_parts[] = {
	{ "clock", kv_clock_init, NULL },
	{ "debugfs", kv_debugfs_init, kv_debugfs_exit },
	{ "runs", kv_runs_init, kv_runs_exit },
	{ "ib client", kv_devices_init, kv_devices_exit },
	{ "netlink", kv_netlink_init, kv_netlink_exit },
};

static void kv_unwind(unsigned int parts)
{
	while (parts--) {
		if (kv_parts[parts].exit)
			kv_parts[parts].exit();
	}
}

static int __init kv_init(void)
{
	unsigned int i;
	int rc;

	for (i = 0; i < ARRAY_SIZE(kv_parts); i++) {
		rc = kv_parts[i].init();
		if (rc) {
			pr_err("kverbs: %s: set-up failed (%d)\n",
			       kv_parts[i].what, rc);
			kv_unwind(i);
			return rc;
		}
	}
	return 0;
}

static void __exit kv_exit(void)
{
	kv_unwind(ARRAY_SIZE(kv_parts));
}

module_init(kv_init);
module_exit(kv_exit);

MODULE_DESCRIPTION("In-kernel RDMA verbs testing");
MODULE_VERSION(KVERBS_VERSION);
MODULE_LICENSE("Dual BSD/GPL");
/* clients are removed last-registered first: ours must go before ib_uverbs */
MODULE_SOFTDEP("pre: ib_uverbs");
