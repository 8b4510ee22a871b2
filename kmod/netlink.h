/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The generic netlink family; the protocol stands in <linux/kverbs.h>. */
#ifndef KV_NETLINK_H
#define KV_NETLINK_H

struct kv_run;

/**
 * kv_netlink_notify - tell the owner of a run that its state has changed
 * @run: run; a message that cannot be delivered is lost, the state can be asked
 */
void kv_netlink_notify(struct kv_run *run);

int kv_netlink_init(void);
void kv_netlink_exit(void);

#endif /* KV_NETLINK_H */
