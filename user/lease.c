// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/file.h>
#include <tracefs.h>
#include "file.h"
#include "kverbs.h"
#include "lease.h"

#define LEASE_FOLDER	"/run"
#define LEASE_NAME	"kverbs-trace."
#define OWN_PREFIX	"kverbs-"	/* of instances */
#define PROBE_PREFIX	"kverbs_"	/* of groups of probes */
#define VALUE_MAX	64

/* where the top-level buffer has other than this, somebody uses it */
static const struct {
	const char *file;
	const char *idle;	/* how its content begins */
	const char *what;
} idle[] = {
	{ "current_tracer", "nop", "a tracer" },
	{ "set_event", "", "events" },
	{ "set_graph_function", "#### all functions enabled", "a graph filter" },
	{ "set_graph_notrace", "#### no functions disabled", "a graph filter" },
	{ "set_ftrace_filter", "#### all functions enabled", "a function filter" },
	{ "set_ftrace_notrace", "#### no functions disabled", "a function filter" },
	{ "set_ftrace_pid", "no pid", "a filter by pid" },
	{ "set_event_pid", "", "a filter by pid" },
	{ "tracing_thresh", "0", "a threshold" },
	{ "max_graph_depth", "0", "a depth" },
	{ "function_profile_enabled", "0", "the function profiler" },
};

/* what is changed of it besides, and put back */
static const char *const kept[] = {
	"trace_clock", "buffer_size_kb", "options/funcgraph-irqs", "tracing_on",
};

static char *read_file(const char *file)
{
	return tracefs_instance_file_read(NULL, file, NULL);
}

/* has anybody's record been left in it? */
static bool is_empty(void)
{
	char name[64], *text, *at;
	bool empty = true;
	int cpu;

	for (cpu = 0; empty; cpu++) {
		snprintf(name, sizeof(name), "per_cpu/cpu%d/stats", cpu);
		text = read_file(name);
		if (!text)
			break;
		at = strstr(text, "entries: ");
		empty = !at || !strtoull(at + 9, NULL, 10);
		free(text);
	}
	return empty;
}

/**
 * kv_lease_free - does nobody use the top-level buffer?
 * @why: who does, when not
 * @size: of @why
 */
bool kv_lease_free(char *why, size_t size)
{
	char *text;
	bool same;
	u32 i;

	for (i = 0; i < KV_ARRAY_SIZE(idle); i++) {
		text = read_file(idle[i].file);
		/* what this kernel does not have nobody uses */
		same = !text || (*idle[i].idle ?
				 !strncmp(text, idle[i].idle, strlen(idle[i].idle)) : !*text);
		if (!same)
			snprintf(why, size, "somebody has %s there (%s: %.*s)", idle[i].what,
				 idle[i].file, (int)strcspn(text, "\n"), text);
		free(text);
		if (!same)
			return false;
	}
	if (is_empty())
		return true;
	snprintf(why, size, "it holds a trace that somebody may want (echo > trace empties it)");
	return false;
}

/* is a tracer on there, whoever it is of? */
bool kv_lease_has_tracer(void)
{
	char *text = read_file("current_tracer");
	bool on = text && strncmp(text, "nop", strlen("nop"));

	free(text);
	return on;
}

/* the value that a file is to be given back: "local [global]" is global */
static bool value_of(const char *file, char value[VALUE_MAX])
{
	char *text = read_file(file), *from = text;

	*value = '\0';
	if (!text)
		return false;
	if (strchr(text, '['))
		from = strchr(text, '[') + 1;
	snprintf(value, VALUE_MAX, "%.*s", (int)strcspn(from, "]\n "), from);
	free(text);
	return *value;
}

static void lease_path(char path[128], pid_t pid)
{
	snprintf(path, 128, LEASE_FOLDER "/" LEASE_NAME "%d", (int)pid);
}

/* also by the next process, when this one was killed */
static void put_back(const char *path)
{
	char line[256], *value;
	FILE *file = fopen(path, "re");

	if (!file)
		return;
	tracefs_instance_file_write(NULL, "tracing_on", "0");
	tracefs_instance_file_write(NULL, "current_tracer", "nop");
	tracefs_instance_file_write(NULL, "events/enable", "0");
	tracefs_instance_file_clear(NULL, "set_graph_function");
	tracefs_instance_file_clear(NULL, "set_ftrace_filter");
	tracefs_instance_file_clear(NULL, "set_event_pid");
	while (fgets(line, sizeof(line), file)) {
		value = strchr(line, ' ');
		if (!value)
			continue;
		*value++ = '\0';
		value[strcspn(value, "\n")] = '\0';
		tracefs_instance_file_write(NULL, line, value);
	}
	tracefs_instance_file_clear(NULL, "trace");
	fclose(file);
	unlink(path);
}

/* two of us do not take it at once */
static bool somebody_has_it(void)
{
	DIR *folder = opendir(LEASE_FOLDER);
	struct dirent *entry;
	bool found = false;

	while (folder && !found && (entry = readdir(folder)))
		found = !strncmp(entry->d_name, LEASE_NAME, sizeof(LEASE_NAME) - 1);
	if (folder)
		closedir(folder);
	return found;
}

static bool write_down(const char *path)
{
	FILE *file = fopen(path, "wxe");
	char value[VALUE_MAX];
	u32 i;

	if (!file)
		return false;
	for (i = 0; i < KV_ARRAY_SIZE(kept); i++) {
		if (value_of(kept[i], value))
			fprintf(file, "%s %s\n", kept[i], value);
	}
	return !fclose(file);
}

/**
 * kv_lease_take - take the top-level buffer
 * @why: why not, when it is in use
 * @size: of @why
 * Return: true when it is ours until kv_lease_return()
 */
bool kv_lease_take(char *why, size_t size)
{
	int lock = open(LEASE_FOLDER, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char path[128];
	bool taken = false;

	lease_path(path, getpid());
	if (lock >= 0)
		flock(lock, LOCK_EX);
	if (somebody_has_it()) {
		snprintf(why, size, "another kverbs trace has it");
	} else if (kv_lease_free(why, size)) {
		taken = write_down(path);
		if (!taken)
			snprintf(why, size, "%s: %s", path, strerror(errno));
	}
	if (lock >= 0)
		close(lock);
	return taken;
}

void kv_lease_return(void)
{
	char path[128];

	lease_path(path, getpid());
	put_back(path);
}

/* is there a process of ours with that number? */
static bool is_ours(const char *number)
{
	char name[32];

	return kv_file_line(name, sizeof(name), "/proc/%d/comm", atoi(number)) &&
	       !strncmp(name, "kverbs", 6);
}

/**
 * kv_lease_is_left - was it left behind by a process that is no more?
 * @instance: name of an instance of tracefs
 */
bool kv_lease_is_left(const char *instance)
{
	return !strncmp(instance, OWN_PREFIX, sizeof(OWN_PREFIX) - 1) &&
	       !is_ours(instance + sizeof(OWN_PREFIX) - 1);
}

static void sweep_leases(void)
{
	DIR *folder = opendir(LEASE_FOLDER);
	struct dirent *entry;
	char path[128];

	while (folder && (entry = readdir(folder))) {
		if (strncmp(entry->d_name, LEASE_NAME, sizeof(LEASE_NAME) - 1) ||
		    is_ours(entry->d_name + sizeof(LEASE_NAME) - 1))
			continue;
		lease_path(path, atoi(entry->d_name + sizeof(LEASE_NAME) - 1));
		put_back(path);
	}
	if (folder)
		closedir(folder);
}

static int sweep_instance(const char *name, void *arg)
{
	struct tracefs_instance *instance;

	if (!kv_lease_is_left(name))
		return 0;
	instance = tracefs_instance_create(name);
	if (!instance)
		return 0;
	tracefs_instance_destroy(instance);
	tracefs_instance_free(instance);
	return 0;
}

/* "p:kverbs_123/name where" */
static void sweep_probes(void)
{
	char *text = read_file("dynamic_events"), *line, *save, *name, command[128];

	for (line = text ? strtok_r(text, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save)) {
		name = strchr(line, ':');
		if (!name || strncmp(name + 1, PROBE_PREFIX, sizeof(PROBE_PREFIX) - 1) ||
		    is_ours(name + sizeof(PROBE_PREFIX)))
			continue;
		snprintf(command, sizeof(command), "-%.*s", (int)strcspn(name, " "), name);
		tracefs_instance_file_append(NULL, "dynamic_events", command);
	}
	free(text);
}

void kv_lease_sweep(void)
{
	sweep_leases();
	tracefs_instances_walk(sweep_instance, NULL);
	sweep_probes();
}
