// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * kverbs devices: what the module sees and what libibverbs sees, merged by name.
 * One JSON tree is built of both, and the text is printed from that tree, so the
 * two outputs cannot say different things.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <infiniband/verbs.h>
#include <jansson.h>
#include "device.h"
#include "genl.h"

#define KV_DEVICES_SCHEMA	"kverbs-devices/1"
#define KV_GIDS_SHOWN		256

/* rows of "limits": where each side has it, ~0: nowhere */
struct kv_limit_row {
	const char *key;
	const char *text;
	size_t kernel;
	size_t user;
};

#define KV_LIMIT_ROW(key, text, dev, attr) \
	{ key, text, offsetof(struct kv_dev, dev), offsetof(struct ibv_device_attr, attr) }

static const struct kv_limit_row kv_limit_rows[] = {
	KV_LIMIT_ROW("max_qp", "QPs", max_qp, max_qp),
	KV_LIMIT_ROW("max_qp_wr", "WRs a queue", max_qp_wr, max_qp_wr),
	KV_LIMIT_ROW("max_cqe", "CQ entries", max_cqe, max_cqe),
	KV_LIMIT_ROW("max_sge", "SGEs a WR", max_sge, max_sge),
	KV_LIMIT_ROW("max_rd_atomic", "READs outstanding", max_rd_atomic, max_qp_rd_atom),
	{ "max_reg_pages", "pages a REG_MR", offsetof(struct kv_dev, max_reg_pages), ~(size_t)0 },
};

static const char * const kv_port_states[] = {
	"NOP", "DOWN", "INIT", "ARMED", "ACTIVE", "ACTIVE_DEFER",
};

static const char *kv_port_state_name(u32 state)
{
	return state < KV_ARRAY_SIZE(kv_port_states) ? kv_port_states[state] : "unknown";
}

static void kv_set_string(json_t *object, const char *key, const char *value)
{
	/* a string that is not UTF-8 has no place in JSON */
	json_t *string = value[0] ? json_string(value) : NULL;

	json_object_set_new(object, key, string ? string : json_null());
}

static void kv_set_int(json_t *object, const char *key, u64 value)
{
	json_object_set_new(object, key, json_integer((json_int_t)value));
}

static void kv_guid_text(u64 guid, char *to, size_t size)
{
	snprintf(to, size, "%04x:%04x:%04x:%04x", (unsigned int)(guid >> 48) & 0xffff,
		 (unsigned int)(guid >> 32) & 0xffff, (unsigned int)(guid >> 16) & 0xffff,
		 (unsigned int)guid & 0xffff);
}

/* all of them are u32 or int */
static u32 kv_limit_at(const void *from, size_t offset)
{
	return *(const u32 *)((const char *)from + offset);
}

/* the module's view of a device */
static json_t *kv_device_of_kernel(const struct kv_dev *dev)
{
	json_t *object = json_object(), *limits = json_object(), *ports = json_array(), *port;
	const struct kv_dev_port *p;
	char guid[24];
	u32 i;

	kv_set_string(object, "name", dev->name);
	kv_set_string(object, "driver", dev->driver);
	json_object_set_new(object, "software_device", json_boolean(dev->software));
	kv_guid_text(dev->node_guid, guid, sizeof(guid));
	kv_set_string(object, "node_guid", guid);
	kv_set_string(object, "firmware", dev->fw_ver);
	json_object_set_new(object, "numa_node", dev->numa_node < 0 ?
			    json_null() : json_integer(dev->numa_node));
	kv_set_string(object, "post_send", dev->post_send);
	json_object_set_new(object, "reg_mr", json_boolean(dev->reg_mr));
	for (i = 0; i < KV_ARRAY_SIZE(kv_limit_rows); i++)
		kv_set_int(limits, kv_limit_rows[i].key, kv_limit_at(dev, kv_limit_rows[i].kernel));
	json_object_set_new(object, "limits", limits);
	for (i = 0; i < dev->nports; i++) {
		p = &dev->port[i];
		port = json_object();
		kv_set_int(port, "port", p->num);
		kv_set_string(port, "state", kv_port_state_name(p->state));
		kv_set_string(port, "link", kv_link_name(p->link));
		kv_set_int(port, "mtu_bytes", p->mtu);
		kv_set_int(port, "max_message_bytes", p->max_msg);
		kv_set_int(port, "gid_entries", p->gids);
		kv_set_int(port, "lid", p->lid);
		json_array_append_new(ports, port);
	}
	json_object_set_new(object, "ports", ports);
	return object;
}

static u32 kv_link_of(struct ibv_device *ibv, const struct ibv_port_attr *attr)
{
	if (ibv->transport_type == IBV_TRANSPORT_IWARP)
		return KVERBS_LINK_IWARP;
	if (ibv->transport_type != IBV_TRANSPORT_IB)
		return KVERBS_LINK_OTHER;
	return attr->link_layer == IBV_LINK_LAYER_ETHERNET ? KVERBS_LINK_ROCE : KVERBS_LINK_IB;
}

/* GIDs that are there, each with the index that -x takes */
static json_t *kv_gids_of_port(const struct ibv_gid_entry *entry, ssize_t n, u32 port)
{
	static const char * const types[] = {
		[IBV_GID_TYPE_IB] = "IB",
		[IBV_GID_TYPE_ROCE_V1] = "RoCE v1",
		[IBV_GID_TYPE_ROCE_V2] = "RoCE v2",
	};
	json_t *gids = json_array(), *gid;
	char text[INET6_ADDRSTRLEN];
	ssize_t i;

	for (i = 0; i < n; i++) {
		if (entry[i].port_num != port)
			continue;
		gid = json_object();
		kv_set_int(gid, "index", entry[i].gid_index);
		inet_ntop(AF_INET6, entry[i].gid.raw, text, sizeof(text));
		kv_set_string(gid, "gid", text);
		kv_set_string(gid, "type", entry[i].gid_type < KV_ARRAY_SIZE(types) ?
			      types[entry[i].gid_type] : "unknown");
		json_array_append_new(gids, gid);
	}
	return gids;
}

static json_t *kv_ports_of_user(struct ibv_context *context, u32 nports)
{
	struct ibv_gid_entry *entry = calloc(KV_GIDS_SHOWN, sizeof(*entry));
	json_t *ports = json_array(), *port;
	struct ibv_port_attr attr;
	ssize_t n = 0;
	u32 i;

	if (entry)
		n = ibv_query_gid_table(context, entry, KV_GIDS_SHOWN, 0);
	for (i = 1; i <= nports; i++) {
		if (ibv_query_port(context, (u8)i, &attr))
			continue;
		port = json_object();
		kv_set_int(port, "port", i);
		kv_set_string(port, "state", kv_port_state_name(attr.state));
		kv_set_string(port, "link", kv_link_name(kv_link_of(context->device, &attr)));
		kv_set_int(port, "mtu_bytes", 128U << attr.active_mtu);
		kv_set_int(port, "max_message_bytes", attr.max_msg_sz);
		kv_set_int(port, "gid_entries", (u32)attr.gid_tbl_len);
		kv_set_int(port, "lid", attr.lid);
		json_object_set_new(port, "gids", kv_gids_of_port(entry, n, i));
		json_array_append_new(ports, port);
	}
	free(entry);
	return ports;
}

/* libibverbs' view of a device; what cannot be known without opening it is left out */
static json_t *kv_device_of_user(struct ibv_device *ibv)
{
	struct ibv_context *context = ibv_open_device(ibv);
	const char *name = ibv_get_device_name(ibv), *why = strerror(errno);
	json_t *object = json_object(), *limits;
	struct kv_device_facts facts;
	struct ibv_device_attr attr;
	char guid[24];
	u32 i;

	kv_device_facts(name, &facts);
	kv_set_string(object, "name", name);
	kv_set_string(object, "driver", facts.driver);
	json_object_set_new(object, "software_device", json_boolean(facts.software));
	kv_guid_text(be64toh(ibv_get_device_guid(ibv)), guid, sizeof(guid));
	kv_set_string(object, "node_guid", guid);
	kv_set_string(object, "firmware", facts.fw_ver);
	json_object_set_new(object, "numa_node", facts.node < 0 ?
			    json_null() : json_integer(facts.node));
	if (!context) {
		fprintf(stderr,
			"kverbs: device %s: its ports and limits are not shown, it cannot be opened: %s; see the permissions of /dev/infiniband\n",
			name, why);
		return object;
	}
	if (!ibv_query_device(context, &attr)) {
		limits = json_object();
		for (i = 0; i < KV_ARRAY_SIZE(kv_limit_rows); i++) {
			if (kv_limit_rows[i].user != ~(size_t)0)
				kv_set_int(limits, kv_limit_rows[i].key,
					   kv_limit_at(&attr, kv_limit_rows[i].user));
		}
		json_object_set_new(object, "limits", limits);
		json_object_set_new(object, "ports",
				    kv_ports_of_user(context, attr.phys_port_cnt));
	}
	ibv_close_device(context);
	return object;
}

/* GIDs are seen from user space, everything else of a port from the kernel */
static void kv_merge_ports(json_t *kernel, json_t *user)
{
	json_t *to, *from;
	size_t i, j;

	json_array_foreach(json_object_get(kernel, "ports"), i, to) {
		json_array_foreach(json_object_get(user, "ports"), j, from) {
			if (json_equal(json_object_get(to, "port"), json_object_get(from, "port")))
				json_object_set(to, "gids", json_object_get(from, "gids"));
		}
	}
}

/* one device of the two views, of which one may be missing */
static json_t *kv_merge(json_t *kernel, json_t *user, bool module)
{
	json_t *object = kernel ? kernel : user, *engines = json_array();

	if (kernel)
		json_array_append_new(engines, json_string("kernel"));
	if (user)
		json_array_append_new(engines, json_string("user"));
	json_object_set_new(object, "engines", engines);
	json_object_set_new(object, "kernel_known", json_boolean(module));
	if (kernel && user) {
		kv_merge_ports(kernel, user);
		json_decref(user);
	}
	return object;
}

static json_t *kv_find(json_t *list, const char *name)
{
	json_t *object;
	size_t i;

	json_array_foreach(list, i, object) {
		if (!strcmp(json_string_value(json_object_get(object, "name")), name))
			return object;
	}
	return NULL;
}

static json_t *kv_module_json(const struct kv_module_info *info)
{
	json_t *object = json_object(), *clock = json_object();

	kv_set_string(object, "version", info->version);
	kv_set_int(object, "max_runs", info->max_runs);
	kv_set_int(object, "max_lanes", info->max_lanes);
	kv_set_int(object, "max_depth", info->max_depth);
	kv_set_int(object, "max_bytes", info->max_bytes);
	kv_set_int(object, "max_time_ms", info->max_time_ms);
	kv_set_string(clock, "name", info->clock.name);
	kv_set_int(clock, "mult", info->clock.mult);
	kv_set_int(clock, "shift", info->clock.shift);
	json_object_set_new(clock, "invariant", json_boolean(info->clock.invariant));
	kv_set_int(clock, "cost_ns", kv_clock_ns(info->clock.cost, info->clock.mult,
						 info->clock.shift));
	json_object_set_new(object, "clock", clock);
	return object;
}

/* what the module sees; says on stderr why nothing when it is not there */
static json_t *kv_collect_kernel(json_t *tree)
{
	struct kv_module_info info;
	struct kv_dev *list = NULL, *dev;
	json_t *devices = NULL;
	struct kv_genl *genl;
	struct kv_error error;

	genl = kv_genl_open(&error);
	if (genl && !kv_genl_info(genl, &info, &error) &&
	    !kv_genl_devices(genl, NULL, &list, &error)) {
		devices = json_array();
		for (dev = list; dev; dev = dev->next)
			json_array_append_new(devices, kv_device_of_kernel(dev));
	}
	if (devices)
		json_object_set_new(tree, "module", kv_module_json(&info));
	else
		json_object_set_new(tree, "module", json_null());
	if (!devices)
		fprintf(stderr, "kverbs: the kernel side is not shown: %s\n", error.text);
	kv_dev_free(list);
	kv_genl_close(genl);
	return devices;
}

static void kv_collect_user(json_t *devices, json_t *kernel, const char *only)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	const char *name;
	json_t *seen;
	int i;

	for (i = 0; list && list[i]; i++) {
		name = ibv_get_device_name(list[i]);
		if (only && strcmp(only, name))
			continue;
		seen = kv_find(kernel, name);
		json_array_append_new(devices, kv_merge(json_incref(seen),
							kv_device_of_user(list[i]), kernel));
	}
	if (list)
		ibv_free_device_list(list);
	else
		fprintf(stderr,
			"kverbs: the user side is not shown: no list of devices (%s); load the module ib_uverbs\n",
			strerror(errno));
}

static json_t *kv_collect(const char *only)
{
	json_t *tree = json_object(), *devices = json_array(), *kernel, *seen;
	size_t i;

	kv_set_string(tree, "schema", KV_DEVICES_SCHEMA);
	kv_set_string(tree, "kverbs", KVERBS_VERSION);
	kernel = kv_collect_kernel(tree);
	kv_collect_user(devices, kernel, only);
	json_array_foreach(kernel, i, seen) {
		const char *name = json_string_value(json_object_get(seen, "name"));

		if (!kv_find(devices, name) && (!only || !strcmp(only, name)))
			json_array_append_new(devices, kv_merge(json_incref(seen), NULL, true));
	}
	json_object_set_new(tree, "devices", devices);
	json_decref(kernel);
	return tree;
}

static const char *kv_text(json_t *object, const char *key)
{
	const char *value = json_string_value(json_object_get(object, key));

	return value ? value : "-";
}

static long long kv_number(json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static const char *kv_engines_text(json_t *object)
{
	json_t *engines = json_object_get(object, "engines");

	if (json_array_size(engines) == 2)
		return "kernel, user";
	if (!strcmp(json_string_value(json_array_get(engines, 0)), "kernel"))
		return "kernel-only";
	return json_is_true(json_object_get(object, "kernel_known")) ?
	       "user-only" : "user (kernel not known)";
}

static void kv_print_limits(json_t *limits)
{
	const char *comma = "";
	json_t *value;
	size_t i;

	if (!limits)
		return;
	printf("  %-10s", "limits");
	for (i = 0; i < KV_ARRAY_SIZE(kv_limit_rows); i++) {
		value = json_object_get(limits, kv_limit_rows[i].key);
		if (!value)
			continue;
		printf("%s%s %lld", comma, kv_limit_rows[i].text,
		       (long long)json_integer_value(value));
		comma = ", ";
	}
	printf("\n");
}

static void kv_print_port(json_t *port)
{
	json_t *gid;
	size_t i;

	printf("  port %-5lld%s, %s, MTU %lld, messages up to %lld bytes, %lld GID entries",
	       kv_number(port, "port"), kv_text(port, "state"), kv_text(port, "link"),
	       kv_number(port, "mtu_bytes"), kv_number(port, "max_message_bytes"),
	       kv_number(port, "gid_entries"));
	if (kv_number(port, "lid"))
		printf(", LID %lld", kv_number(port, "lid"));
	printf("\n");
	json_array_foreach(json_object_get(port, "gids"), i, gid)
		printf("    GID %-4lld%-40s %s\n", kv_number(gid, "index"), kv_text(gid, "gid"),
		       kv_text(gid, "type"));
}

static void kv_print_device(json_t *object)
{
	json_t *port, *node = json_object_get(object, "numa_node");
	size_t i;

	printf("%s%s%s\n", kv_bold(stdout), kv_text(object, "name"), kv_plain(stdout));
	printf("  %-10s%s\n", "engines", kv_engines_text(object));
	printf("  %-10s%s%s\n", "driver", kv_text(object, "driver"),
	       json_is_true(json_object_get(object, "software_device")) ?
	       " (software device)" : "");
	printf("  %-10s%s\n", "node GUID", kv_text(object, "node_guid"));
	printf("  %-10s%s\n", "firmware", kv_text(object, "firmware"));
	if (json_is_integer(node))
		printf("  %-10s%lld\n", "NUMA node", (long long)json_integer_value(node));
	else
		printf("  %-10s-\n", "NUMA node");
	if (json_object_get(object, "post_send"))
		printf("  %-10s%s\n", "post_send", kv_text(object, "post_send"));
	if (json_is_false(json_object_get(object, "reg_mr")))
		printf("  %-10snone: the kernel engine refuses every job here\n", "REG_MR");
	kv_print_limits(json_object_get(object, "limits"));
	json_array_foreach(json_object_get(object, "ports"), i, port)
		kv_print_port(port);
}

static void kv_devices_usage(FILE *file)
{
	fputs("usage: kverbs devices [options]\n"
	      "RDMA devices, as the module and as libibverbs see them.\n"
	      "\n"
	      "  -d, --device NAME          this device only\n"
	      "      --json                 JSON instead of text\n"
	      "  -h, --help                 this text\n", file);
}

/**
 * kv_cmd_devices - kverbs devices
 * @argc: entries of @argv
 * @argv: arguments, the subcommand first
 * Return: exit status
 */
int kv_cmd_devices(int argc, char **argv)
{
	static const struct option options[] = {
		{ "device", required_argument, NULL, 'd' },
		{ "json", no_argument, NULL, 'J' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	const char *only = NULL;
	json_t *tree, *device;
	bool json = false;
	size_t i, n;
	int c;

	optind = 1;
	while ((c = getopt_long(argc, argv, "d:h", options, NULL)) != -1) {
		switch (c) {
		case 'd':
			only = optarg;
			break;
		case 'J':
			json = true;
			break;
		case 'h':
			kv_devices_usage(stdout);
			return KV_EXIT_GOOD;
		default:
			kv_devices_usage(stderr);
			return KV_EXIT_USAGE;
		}
	}
	if (optind < argc) {
		fprintf(stderr, "kverbs: devices: '%s' is no option; use -d to name a device\n",
			argv[optind]);
		return KV_EXIT_USAGE;
	}
	tree = kv_collect(only);
	n = json_array_size(json_object_get(tree, "devices"));
	if (only && !n) {
		fprintf(stderr,
			"kverbs: device %s: not known here; kverbs devices shows those that are\n",
			only);
		json_decref(tree);
		return KV_EXIT_ENVIRONMENT;
	}
	if (json) {
		json_dumpf(tree, stdout, JSON_INDENT(2));
		putchar('\n');
	} else {
		json_array_foreach(json_object_get(tree, "devices"), i, device)
			kv_print_device(device);
	}
	if (!n)
		fprintf(stderr,
			"kverbs: no RDMA device here; load the driver of one, or make a software one: rdma link add rxe0 type rxe netdev NETDEV\n");
	json_decref(tree);
	return KV_EXIT_GOOD;
}
