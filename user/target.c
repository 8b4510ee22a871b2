// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <tracefs.h>
#include "kverbs.h"
#include "target.h"

/* as the module names them in debugfs */
static const struct {
	const char *op;
	const char *verb;
} kinds[KV_TARGETS] = {
	[KV_TARGET_POST] = { "post_send", "ib_post_send" },
	[KV_TARGET_POLL] = { "poll_cq", "ib_poll_cq" },
	[KV_TARGET_RECV] = { "post_recv", "ib_post_recv" },
};

/* the operation itself, or what a wrapper that ftrace does not know leads to */
static void resolve(struct kv_target *target, const struct kv_symbols *symbols, u32 size)
{
	char text[KV_SYMBOL_TEXT];

	if (kv_function_traceable(&target->op)) {
		target->traced = target->op;
		snprintf(target->how, sizeof(target->how), "the device's own operation");
		return;
	}
	kv_function_text(&target->op, text);
	if (kv_function_target(symbols, &target->op, size, &target->traced))
		snprintf(target->how, sizeof(target->how),
			 "where %.120s jumps to, by its code in /proc/kcore", target->op.name);
	else if (kv_function_prefix(&target->op, &target->traced))
		snprintf(target->how, sizeof(target->how),
			 "by its name, a prefix of %.120s: its code could not be read",
			 target->op.name);
	else
		snprintf(target->how, sizeof(target->how), "%.120s cannot be traced by ftrace",
			 text);
}

static void take(char *line, const char *device, const struct kv_symbols *symbols,
		 struct kv_target target[KV_TARGETS])
{
	char *save, *name = strtok_r(line, "\n ", &save), *op = strtok_r(NULL, "\n ", &save);
	char *symbol = strtok_r(NULL, "\n", &save);
	u32 i, size;

	if (!name || !op || !symbol || strcmp(name, device))
		return;
	for (i = 0; i < KV_TARGETS; i++) {
		if (strcmp(kinds[i].op, op))
			continue;
		if (kv_function_parse(symbol, &target[i].op, &size))
			resolve(&target[i], symbols, size);
		else
			snprintf(target[i].how, sizeof(target[i].how),
				 "the kernel has no symbols (CONFIG_KALLSYMS)");
	}
}

/**
 * kv_targets_find - find the functions of a device
 * @device: name
 * @symbols: of the kernel, or NULL
 * @target: filled
 * @error: filled on failure
 * Return: 0, or -1 when the module does not tell
 */
int kv_targets_find(const char *device, const struct kv_symbols *symbols,
		    struct kv_target target[KV_TARGETS], struct kv_error *error)
{
	const char *debugfs = tracefs_debug_dir();
	char path[256], line[512];
	FILE *file;
	u32 i;

	memset(target, 0, KV_TARGETS * sizeof(*target));
	for (i = 0; i < KV_TARGETS; i++)
		target[i].verb = kinds[i].verb;
	if (!debugfs)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT,
				    "trace: debugfs is not mounted, where the module tells the driver's functions; mount -t debugfs none /sys/kernel/debug");
	snprintf(path, sizeof(path), "%s/kverbs/devices", debugfs);
	file = fopen(path, "re");
	if (!file)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT,
				    "trace: %s: %s; %s", path, strerror(errno),
				    errno == EPERM || errno == EACCES ?
				    "it takes root, and a kernel that is not locked down" :
				    "load the module (make load)");
	while (fgets(line, sizeof(line), file))
		take(line, device, symbols, target);
	fclose(file);
	return 0;
}
