// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/ethtool.h>
#include <linux/if.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include "counters.h"
#include "file.h"
#include "kverbs.h"

#define CLASS		"/sys/class/infiniband"
#define NDEVS		CLASS "/%s/ports/%u/gid_attrs/ndevs/%u"
#define GIDS_LOOKED_AT	16
#define COUNTERS_MAX	4096	/* of one source; a device with more shows as many */

struct counter {
	char source[48];
	char name[64];
	s64 value;
};

/**
 * struct kv_counters - values at one moment
 * @n: entries of @counter
 * @room: that it has space for
 */
struct kv_counters {
	u32 n;
	u32 room;
	struct counter *counter;
};

/* one more value; lost without memory */
void kv_counters_add(struct kv_counters *counters, const char *source, const char *name,
		     u64 value)
{
	struct counter *more;

	if (counters->n == counters->room) {
		more = reallocarray(counters->counter, counters->room + 256, sizeof(*more));
		if (!more)
			return;
		counters->counter = more;
		counters->room += 256;
	}
	more = &counters->counter[counters->n++];
	snprintf(more->source, sizeof(more->source), "%s", source);
	snprintf(more->name, sizeof(more->name), "%s", name);
	more->value = (s64)value;
}

static void read_folder(struct kv_counters *counters, const char *source, const char *folder)
{
	struct dirent **entry;
	int n = kv_file_list(&entry, "%s", folder), i;
	s64 value;

	for (i = 0; i < n && i < COUNTERS_MAX; i++) {
		/* "lifespan" says how long values may be kept, and counts nothing */
		if (strcmp(entry[i]->d_name, "lifespan") &&
		    kv_file_number(&value, "%s/%s", folder, entry[i]->d_name))
			kv_counters_add(counters, source, entry[i]->d_name, (u64)value);
	}
	kv_file_list_free(entry, n);
}

/* how many statistics an interface has: 0 when it has none, or does not say */
static u32 count_stats(int fd, struct ifreq *request)
{
	struct {
		struct ethtool_sset_info info;
		u32 n;
	} ask = { .info = { .cmd = ETHTOOL_GSSET_INFO, .sset_mask = 1ULL << ETH_SS_STATS } };

	request->ifr_data = (void *)&ask;
	if (ioctl(fd, SIOCETHTOOL, request) || !ask.info.sset_mask)
		return 0;
	return ask.n < COUNTERS_MAX ? ask.n : COUNTERS_MAX;
}

static void read_stats(struct kv_counters *counters, int fd, struct ifreq *request,
		       const char *source)
{
	u32 n = count_stats(fd, request), i;
	/* the kernel writes as many as there are now: leave room for some more */
	struct ethtool_gstrings *names = calloc(1, sizeof(*names) + (n + 64) * ETH_GSTRING_LEN);
	struct ethtool_stats *stats = calloc(1, sizeof(*stats) + (n + 64) * sizeof(u64));
	char name[ETH_GSTRING_LEN + 1];

	if (n && names && stats) {
		names->cmd = ETHTOOL_GSTRINGS;
		names->string_set = ETH_SS_STATS;
		names->len = n;
		stats->cmd = ETHTOOL_GSTATS;
		stats->n_stats = n;
		request->ifr_data = (void *)names;
		if (ioctl(fd, SIOCETHTOOL, request))
			n = 0;
		request->ifr_data = (void *)stats;
		if (n && ioctl(fd, SIOCETHTOOL, request))
			n = 0;
		for (i = 0; i < n; i++) {
			snprintf(name, sizeof(name), "%.*s", ETH_GSTRING_LEN,
				 (const char *)names->data + i * ETH_GSTRING_LEN);
			kv_counters_add(counters, source, name, stats->data[i]);
		}
	}
	free(names);
	free(stats);
}

/*
 * The network interfaces behind the first GIDs: all of a port usually have the same,
 * and to open every entry of a long table takes longer than a short run.
 */
static void read_interfaces(struct kv_counters *counters, const char *device, u32 port)
{
	char name[IFNAMSIZ], last[IFNAMSIZ] = "", source[48];
	int fd = kv_file_live() ? socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1;
	struct ifreq request = { 0 };
	u32 i;

	for (i = 0; fd >= 0 && i < GIDS_LOOKED_AT; i++) {
		if (!kv_file_exists(NDEVS, device, port, i))
			break;
		/* an empty entry cannot be read */
		if (!kv_file_line(name, sizeof(name), NDEVS, device, port, i) ||
		    !strcmp(name, last))
			continue;
		strcpy(last, name);
		strcpy(request.ifr_name, name);
		snprintf(source, sizeof(source), "ethtool %s", name);
		read_stats(counters, fd, &request, source);
	}
	if (fd >= 0)
		close(fd);
}

/**
 * kv_counters_read - all counters as they are now
 * @device: RDMA device
 * @port: its port
 * Return: counters, NULL without memory; freed by kv_counters_free()
 */
struct kv_counters *kv_counters_read(const char *device, u32 port)
{
	struct kv_counters *counters = calloc(1, sizeof(*counters));
	char folder[256];

	if (!counters)
		return NULL;
	snprintf(folder, sizeof(folder), CLASS "/%s/ports/%u/counters", device, port);
	read_folder(counters, "port", folder);
	snprintf(folder, sizeof(folder), CLASS "/%s/ports/%u/hw_counters", device, port);
	read_folder(counters, "port hw", folder);
	snprintf(folder, sizeof(folder), CLASS "/%s/hw_counters", device);
	read_folder(counters, "device hw", folder);
	read_interfaces(counters, device, port);
	return counters;
}

void kv_counters_free(struct kv_counters *counters)
{
	if (counters)
		free(counters->counter);
	free(counters);
}

static const struct counter *find(const struct kv_counters *in, const struct counter *like,
				  u32 guess)
{
	u32 i;

	/* they seldom change their places */
	if (guess < in->n && !strcmp(in->counter[guess].name, like->name) &&
	    !strcmp(in->counter[guess].source, like->source))
		return &in->counter[guess];
	for (i = 0; i < in->n; i++) {
		if (!strcmp(in->counter[i].name, like->name) &&
		    !strcmp(in->counter[i].source, like->source))
			return &in->counter[i];
	}
	return NULL;
}

/**
 * kv_counters_between - turn values into differences
 * @before: becomes the differences; what is not there any more goes
 * @after: read later
 * Return: how many there are
 */
u32 kv_counters_between(struct kv_counters *before, const struct kv_counters *after)
{
	const struct counter *later;
	u32 i, kept = 0;

	for (i = 0; i < before->n; i++) {
		later = find(after, &before->counter[i], i);
		if (!later)
			continue;
		before->counter[kept] = before->counter[i];
		before->counter[kept].value = later->value - before->counter[i].value;
		kept++;
	}
	before->n = kept;
	return kept;
}

/* the i-th: false past the last */
bool kv_counters_get(const struct kv_counters *counters, u32 i, const char **source,
		     const char **name, s64 *value)
{
	if (i >= counters->n)
		return false;
	*source = counters->counter[i].source;
	*name = counters->counter[i].name;
	*value = counters->counter[i].value;
	return true;
}

/* those that moved, a line a source; counters may be NULL */
void kv_print_counters(FILE *file, const struct kv_counters *counters)
{
	const char *source = "";
	u32 i;

	for (i = 0; counters && i < counters->n; i++) {
		const struct counter *c = &counters->counter[i];

		if (!c->value)
			continue;
		if (strcmp(source, c->source))
			fprintf(file, "%scounters, %s: ", *source ? "\n" : "", c->source);
		else
			fputs(", ", file);
		source = c->source;
		fprintf(file, "%s %+lld", c->name, (long long)c->value);
	}
	if (*source)
		fputc('\n', file);
}

/* {source: {name: difference}}; null when they were not read */
json_t *kv_json_counters(const struct kv_counters *counters)
{
	json_t *json, *of_source;
	u32 i;

	if (!counters)
		return json_null();
	json = json_object();
	for (i = 0; i < counters->n; i++) {
		const struct counter *c = &counters->counter[i];

		of_source = json_object_get(json, c->source);
		if (!of_source) {
			json_object_set_new(json, c->source, json_object());
			of_source = json_object_get(json, c->source);
		}
		json_object_set_new(of_source, c->name, json_integer(c->value));
	}
	return json;
}
