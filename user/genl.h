/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Client of the generic netlink family kverbs. A run belongs to the socket that
 * made it, so there is one struct kv_genl a run.
 */
#ifndef KV_GENL_H
#define KV_GENL_H

#include <netlink/attr.h>
#include <netlink/msg.h>
#include "kverbs.h"

struct kv_genl;

/**
 * typedef kv_genl_fn - takes one message
 * @cmd: enum kverbs_cmd of it
 * @attr: its attributes by number, 0 to KVERBS_A_MAX; NULL before the first
 *	message of a dump, which may be tried again: forget what came
 * @arg: of the caller
 * Return: 0, or -1 to end with @error filled
 */
typedef int (*kv_genl_fn)(int cmd, struct nlattr **attr, void *arg, struct kv_error *error);

struct kv_genl *kv_genl_open(struct kv_error *error);
void kv_genl_close(struct kv_genl *genl);
void kv_genl_on_notify(struct kv_genl *genl, kv_genl_fn fn, void *arg);

struct nl_msg *kv_genl_msg(struct kv_genl *genl, int cmd);
int kv_genl_do(struct kv_genl *genl, struct nl_msg *msg, kv_genl_fn fn, void *arg,
	       struct kv_error *error);
int kv_genl_dump(struct kv_genl *genl, struct nl_msg *msg, kv_genl_fn fn, void *arg,
		 struct kv_error *error);
int kv_genl_listen(struct kv_genl *genl, int timeout_ms, struct kv_error *error);

int kv_genl_nest(struct nlattr **attr, int max, struct nlattr *nest, struct kv_error *error);
int kv_genl_err(int err);
u32 kv_genl_u32(struct nlattr *attr, u32 otherwise);
u64 kv_genl_u64(struct nlattr *attr, u64 otherwise);
void kv_genl_string(struct nlattr *attr, char *to, size_t size);

/**
 * struct kv_module_info - the module: its version, limits and clock
 */
struct kv_module_info {
	char version[32];
	u32 max_runs;
	u32 max_lanes;
	u32 max_depth;
	u64 max_bytes;
	u32 max_time_ms;
	struct kv_clock_info clock;
};

int kv_genl_info(struct kv_genl *genl, struct kv_module_info *info, struct kv_error *error);
int kv_module_info(struct kv_module_info *info, struct kv_error *error);

/**
 * struct kv_dev_port - a port as the module sees it
 */
struct kv_dev_port {
	u32 num;
	u32 state;
	u32 link;
	u32 mtu;
	u32 max_msg;
	u32 gids;
	u32 lid;
};

/**
 * struct kv_dev - a device as the module sees it
 * @next: of the list
 * @post_send: symbol of the driver's post function
 * @port: @nports entries
 */
struct kv_dev {
	struct kv_dev *next;
	char name[64];
	char driver[64];
	char post_send[128];
	char fw_ver[64];
	u64 node_guid;
	int numa_node;
	u32 software;
	u32 max_qp;
	u32 max_qp_wr;
	u32 max_cqe;
	u32 max_sge;
	u32 max_rd_atomic;
	u32 max_reg_pages;
	u32 reg_mr;
	u32 nports;
	struct kv_dev_port *port;
};

int kv_genl_devices(struct kv_genl *genl, const char *name, struct kv_dev **list,
		    struct kv_error *error);
void kv_dev_free(struct kv_dev *list);

#endif /* KV_GENL_H */
