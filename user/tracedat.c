// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <tracefs.h>
#include "kverbs.h"
#include "tracedat.h"

#define FORMATS_MAX	512
#define SYSTEMS_MAX	16

/* as trace-cmd numbers them */
enum {
	OPTION_DONE = 0,
	OPTION_TRACECLOCK = 4,
	OPTION_TSC2NSEC = 14,
};

static void put(FILE *file, const void *data, size_t size)
{
	fwrite(data, size, 1, file);
}

static void put_u16(FILE *file, u32 value)
{
	unsigned short small = (unsigned short)value;

	put(file, &small, sizeof(small));
}

static void put_u32(FILE *file, u32 value)
{
	put(file, &value, sizeof(value));
}

static void put_u64(FILE *file, u64 value)
{
	put(file, &value, sizeof(value));
}

static void put_name(FILE *file, const char *name)
{
	put(file, name, strlen(name) + 1);
}

/* a file of tracefs, with its size ahead; what cannot be read is empty */
static void put_tracefs(FILE *file, const char *path)
{
	int size = 0;
	char *text = tracefs_instance_file_read(NULL, path, &size);

	put_u64(file, text ? (u64)size : 0);
	if (text)
		put(file, text, (size_t)size);
	free(text);
}

static void put_formats_of(FILE *file, const char *system)
{
	char **event = tracefs_system_events(NULL, system), path[256];
	u32 n = 0, i;

	while (event && event[n] && n < FORMATS_MAX)
		n++;
	put_u32(file, n);
	for (i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "events/%s/%s/format", system, event[i]);
		put_tracefs(file, path);
	}
	tracefs_list_free(event);
}

static void put_systems(FILE *file, const char *const *events)
{
	char name[SYSTEMS_MAX][64];
	u32 n = 0, i;

	for (; events && *events && n < SYSTEMS_MAX; events++) {
		snprintf(name[n], sizeof(name[n]), "%.*s", (int)strcspn(*events, "/"), *events);
		for (i = 0; i < n && strcmp(name[i], name[n]); i++)
			;
		n += i == n;
	}
	put_u32(file, n);
	for (i = 0; i < n; i++) {
		put_name(file, name[i]);
		put_formats_of(file, name[i]);
	}
}

/* names of addresses: those of code, as all of them would be five times as many */
static void put_symbols(FILE *file)
{
	FILE *from = fopen("/proc/kallsyms", "re"), *kept;
	size_t size = 0, room = 0;
	char *text = NULL, *line = NULL;

	kept = open_memstream(&text, &size);
	while (from && kept && getline(&line, &room, from) > 0) {
		if (strlen(line) > 18 && strchr("tTwW", line[17]))
			fputs(line, kept);
	}
	if (kept)
		fclose(kept);
	if (from)
		fclose(from);
	put_u32(file, (u32)size);
	put(file, text, size);
	free(line);
	free(text);
}

static void put_printk(FILE *file)
{
	int size = 0;
	char *text = tracefs_instance_file_read(NULL, "printk_formats", &size);

	put_u32(file, text ? (u32)size : 0);
	if (text)
		put(file, text, (size_t)size);
	free(text);
}

/* what the time stamps are: ticks, with the factor of the run, or ns */
static void put_options(FILE *file, const struct kv_tracing *tracing,
			const struct kv_clock_info *clock)
{
	char text[32];

	put_name(file, "options  ");
	snprintf(text, sizeof(text), "[%s]", kv_tracing_clock(tracing));
	put_u16(file, OPTION_TRACECLOCK);
	put_u32(file, (u32)strlen(text) + 1);
	put_name(file, text);
	if (!strcmp(kv_tracing_clock(tracing), "x86-tsc")) {
		put_u16(file, OPTION_TSC2NSEC);
		put_u32(file, 16);
		put_u32(file, clock->mult);
		put_u32(file, clock->shift);
		put_u64(file, 0);
	}
	put_u16(file, OPTION_DONE);
}

static u64 to_page(u64 at)
{
	u64 page = (u64)sysconf(_SC_PAGESIZE);

	return (at + page - 1) / page * page;
}

/* a table of where each CPU's pages are, then the pages */
static void put_pages(FILE *file, const struct kv_tracing *tracing)
{
	u32 cpus = kv_tracing_cpus(tracing), i;
	const void *pages;
	size_t size;
	u64 at;

	put_name(file, "flyrecord");
	at = to_page((u64)ftell(file) + 16ULL * cpus);
	for (i = 0; i < cpus; i++) {
		kv_tracing_pages(tracing, i, &size);
		put_u64(file, size ? at : 0);
		put_u64(file, size);
		at = to_page(at + size);
	}
	for (i = 0; i < cpus; i++) {
		pages = kv_tracing_pages(tracing, i, &size);
		if (!size)
			continue;
		while ((u64)ftell(file) < to_page((u64)ftell(file)))
			fputc(0, file);
		put(file, pages, size);
	}
}

static void put_all(FILE *file, const struct kv_tracing *tracing, const char *const *events,
		    const struct kv_clock_info *clock)
{
	static const char magic[] = { 0x17, 0x08, 0x44 };

	put(file, magic, sizeof(magic));
	put(file, "tracing", 7);
	put_name(file, "6");
	fputc(tep_is_bigendian(), file);
	fputc(sizeof(long), file);
	put_u32(file, (u32)sysconf(_SC_PAGESIZE));
	put_name(file, "header_page");
	put_tracefs(file, "events/header_page");
	put_name(file, "header_event");
	put_tracefs(file, "events/header_event");
	put_formats_of(file, "ftrace");
	put_systems(file, events);
	put_symbols(file);
	put_printk(file);
	put_tracefs(file, "saved_cmdlines");
	put_u32(file, kv_tracing_cpus(tracing));
	put_options(file, tracing, clock);
	put_pages(file, tracing);
}

/**
 * kv_tracedat_write - write what was read from the buffer
 * @path: file, written as a whole or not at all
 * @tracing: tracing, after kv_tracing_read()
 * @events: that were on, or NULL
 * @clock: of the run
 * @error: filled on failure
 * Return: 0, or -1
 */
int kv_tracedat_write(const char *path, const struct kv_tracing *tracing,
		      const char *const *events, const struct kv_clock_info *clock,
		      struct kv_error *error)
{
	size_t size = 0;
	char *data = NULL;
	FILE *file = open_memstream(&data, &size);
	int rc;

	if (file) {
		put_all(file, tracing, events, clock);
		fclose(file);
	}
	rc = data ? kv_output_file(path, data, size, error) :
		    kv_error_set(error, KV_EXIT_ENVIRONMENT, "out of memory");
	free(data);
	return rc;
}
