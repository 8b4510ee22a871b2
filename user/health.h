/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What of a host decides whether it can measure, and what its figures are worth: one
 * table of checks, for kverbs doctor, for the records of a run and for its warnings.
 */
#ifndef KV_HEALTH_H
#define KV_HEALTH_H

#include <stdbool.h>
#include <jansson.h>
#include "device.h"

#define KV_HEALTH_CHECKS	36
#define KV_HEALTH_VALUE		128

/* from good to bad; what could not be read is not guessed */
enum kv_health {
	KV_HEALTH_OK,
	KV_HEALTH_NOTE,		/* worth knowing beside a figure */
	KV_HEALTH_WARN,		/* figures are not what they could be */
	KV_HEALTH_BAD,		/* nothing can be measured, or figures mean nothing */
	KV_HEALTH_UNKNOWN,
	KV_HEALTHS,
};

/**
 * struct kv_host - what is looked at
 * @device: name, "" when there is none
 * @port: of the device
 * @facts: of the device
 * @link: of the port
 * @netdev: network interface behind the first GID, or ""
 * @ncpus: entries of @cpu
 * @cpu: of the lanes
 */
struct kv_host {
	char device[KV_DEVICE_NAME];
	u32 port;
	struct kv_device_facts facts;
	u32 link;
	char netdev[16];
	u32 ncpus;
	u32 cpu[KVERBS_CPUS_MAX];
};

/**
 * struct kv_found - what a check found
 * @health: enum kv_health
 * @number: what the reader tells its judge, if it is not the text
 * @value: for people and to be compared, "" when unknown
 */
struct kv_found {
	u32 health;
	s64 number;
	char value[KV_HEALTH_VALUE];
};

/* which checks a command repeats beside its figures, and of what they are */
enum kv_health_scope {
	KV_SCOPE_DOCTOR = 0,	/* shows by itself when a run is tried */
	KV_SCOPE_FIGURES = 1,	/* changes figures, of any device */
	KV_SCOPE_HARDWARE = 2,	/* changes figures of hardware only */
	KV_SCOPE_BUS = 4,	/* there is none without a bus device */
};

/**
 * struct kv_health_rule - one check
 * @key: in JSON
 * @name: in text
 * @scope: enum kv_health_scope
 * @read: fills value or number; false: unknown
 * @judge: what is to be thought of it, enum kv_health
 * @advice: what it does and what to do, when it is not good
 */
struct kv_health_rule {
	const char *key;
	const char *name;
	u32 scope;
	bool (*read)(const struct kv_host *host, struct kv_found *finding);
	u32 (*judge)(const struct kv_host *host, const struct kv_found *finding);
	const char *advice;
};

extern const struct kv_health_rule kv_health_rules[KV_HEALTH_CHECKS];

void kv_host_read(const char *device, u32 port, const struct kv_job *job, struct kv_host *host);
void kv_health_read(const struct kv_host *host, struct kv_found *finding);
u32 kv_health_worst(const struct kv_found *finding);
bool kv_health_warns(const struct kv_found *finding, u32 check);
const char *kv_health_value(const struct kv_found *finding, const char *key);
const char *kv_health_name(u32 health);
json_t *kv_json_health(const struct kv_found *finding);

#endif /* KV_HEALTH_H */
