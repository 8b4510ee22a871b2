// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/utsname.h>
#include "file.h"
#include "report.h"
#include "unit.h"

extern char **environ;

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

/**
 * kv_env_read - look around
 * @device: name, "" when there is none
 * @job: with the port; with the CPUs of its lanes, or without
 * @env: filled
 */
void kv_env_read(const char *device, const struct kv_job *job, struct kv_env *env)
{
	struct kv_host host;
	struct utsname name;

	memset(env, 0, sizeof(*env));
	if (!uname(&name)) {
		snprintf(env->kernel, sizeof(env->kernel), "%s", name.release);
		snprintf(env->machine, sizeof(env->machine), "%.31s", name.machine);
	}
	env->cpus = (u32)sysconf(_SC_NPROCESSORS_ONLN);
	snprintf(env->device, sizeof(env->device), "%s", device);
	env->port = job->port;
	kv_file_line(env->module, sizeof(env->module), "/sys/module/kverbs/version");
	kv_host_read(device, job->port, job, &host);
	env->facts = host.facts;
	env->link = host.link;
	kv_health_read(&host, env->finding);
	snprintf(env->cpu, sizeof(env->cpu), "%s", kv_health_value(env->finding, "cpu"));
	if (!strcmp(kv_health_value(env->finding, "virtual"), "yes"))
		strcpy(env->hypervisor, "yes");
	read_variables(env);
}
