// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/utsname.h>
#include "report.h"
#include "unit.h"

extern char **environ;

static void read_cpu(struct kv_env *env)
{
	char line[8192], *value;
	FILE *file = fopen("/proc/cpuinfo", "r");

	while (file && fgets(line, sizeof(line), file)) {
		value = strchr(line, ':');
		if (!value)
			continue;
		value += 1 + (value[1] == ' ');
		value[strcspn(value, "\n")] = '\0';
		if (!strncmp(line, "model name", 10) && !*env->cpu)
			snprintf(env->cpu, sizeof(env->cpu), "%.127s", value);
		if (!strncmp(line, "flags", 5) && strstr(value, " hypervisor"))
			strcpy(env->hypervisor, "yes");
	}
	if (file)
		fclose(file);
}

static void read_module(struct kv_env *env)
{
	FILE *file = fopen("/sys/module/kverbs/version", "r");

	if (!file)
		return;
	if (fgets(env->module, sizeof(env->module), file))
		env->module[strcspn(env->module, "\n")] = '\0';
	fclose(file);
}

/* all that changes what libibverbs and its providers do, and the unit */
static void read_variables(struct kv_env *env)
{
	size_t used = 0;
	char **at;

	for (at = environ; *at && used < sizeof(env->variables); at++) {
		if (strncmp(*at, "MLX5_", 5) && strncmp(*at, "MLX4_", 5) &&
		    strncmp(*at, "RDMAV_", 6) && strncmp(*at, "IBV_", 4) &&
		    strncmp(*at, KV_UNIT_ENV "=", sizeof(KV_UNIT_ENV)))
			continue;
		used += (size_t)snprintf(env->variables + used, sizeof(env->variables) - used,
					 "%s%s", used ? " " : "", *at);
	}
}

static void read_link(struct kv_env *env)
{
	char path[160], line[64] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/%u/link_layer", env->device,
		 env->port);
	file = fopen(path, "r");
	if (file) {
		if (!fgets(line, sizeof(line), file))
			line[0] = '\0';
		fclose(file);
	}
	if (!strncmp(line, "InfiniBand", 10))
		env->link = KVERBS_LINK_IB;
	else if (!strcmp(env->facts.driver, "siw"))
		env->link = KVERBS_LINK_IWARP;
	else
		env->link = *line ? KVERBS_LINK_ROCE : KVERBS_LINK_OTHER;
}

/**
 * kv_env_read - look around
 * @device: name
 * @port: of the device
 * @env: filled
 */
void kv_env_read(const char *device, u32 port, struct kv_env *env)
{
	struct utsname name;

	memset(env, 0, sizeof(*env));
	if (!uname(&name)) {
		snprintf(env->kernel, sizeof(env->kernel), "%s", name.release);
		snprintf(env->machine, sizeof(env->machine), "%.31s", name.machine);
	}
	env->cpus = (u32)sysconf(_SC_NPROCESSORS_ONLN);
	snprintf(env->device, sizeof(env->device), "%s", device);
	env->port = port;
	kv_device_facts(device, &env->facts);
	read_cpu(env);
	read_module(env);
	read_variables(env);
	read_link(env);
}
