/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What sysfs tells about RDMA devices, and the CPUs a run takes.
 */
#ifndef KV_DEVICE_H
#define KV_DEVICE_H

#include <stdbool.h>
#include "engine.h"

#define KV_DEVICE_NAME	64

/**
 * struct kv_device_facts - what is known without opening the device
 * @driver: name of its driver
 * @fw_ver: firmware version, or empty
 * @node: NUMA node, -1: none
 * @software: no DMA device behind it
 */
struct kv_device_facts {
	char driver[32];
	char fw_ver[64];
	int node;
	bool software;
};

int kv_device_pick(const char *asked, char name[KV_DEVICE_NAME], struct kv_error *error);
bool kv_device_exists(const char *name);
void kv_device_facts(const char *name, struct kv_device_facts *facts);

int kv_cpu_list_parse(const char *text, u32 *cpu, u32 max);
int kv_cpus_choose(const char *device, u32 wanted, struct kv_job *job, struct kv_error *error);
int kv_cpus_check(const struct kv_job *job, struct kv_error *error);

#endif /* KV_DEVICE_H */
