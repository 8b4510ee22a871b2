// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A GID that was given by its address. It is looked for once, among those that sysfs
 * shows, so that both engines are given the same entry of the table.
 */
#include <string.h>
#include <arpa/inet.h>
#include "device.h"
#include "file.h"
#include "kverbs.h"
#include "options.h"

#define CLASS	"/sys/class/infiniband"
#define ENTRIES	1024	/* looked at */

/**
 * kv_gid_parse - read an address
 * @text: a GID or IPv6 address, or an IPv4 address
 * @gid: filled
 * Return: 0, or -1 when it is none
 */
int kv_gid_parse(const char *text, u8 gid[KV_GID_BYTES])
{
	static const u8 mapped[12] = { [10] = 0xff, [11] = 0xff };

	if (inet_pton(AF_INET6, text, gid) == 1)
		return 0;
	memcpy(gid, mapped, sizeof(mapped));
	return inet_pton(AF_INET, text, gid + sizeof(mapped)) == 1 ? 0 : -1;
}

/* is an entry of the table the GID, of the type asked for? how well it suits, or 0 */
static u32 suits(const char *device, const struct kv_job *job, u32 index,
		 const u8 gid[KV_GID_BYTES])
{
	char text[64], type[32];
	u8 entry[KV_GID_BYTES];
	u32 kind;

	if (!kv_file_line(text, sizeof(text), CLASS "/%s/ports/%u/gids/%u", device, job->port,
			  index) ||
	    inet_pton(AF_INET6, text, entry) != 1 || memcmp(entry, gid, KV_GID_BYTES) ||
	    !kv_file_line(type, sizeof(type), CLASS "/%s/ports/%u/gid_attrs/types/%u", device,
			  job->port, index))
		return 0;
	kind = strcmp(type, "RoCE v2") ? KVERBS_GID_TYPE_V1 : KVERBS_GID_TYPE_V2;
	if (job->gid_type != KV_AUTO && job->gid_type != kind)
		return 0;
	/* one address may be there as both: as where the choice is free, v2 goes first */
	return kind == KVERBS_GID_TYPE_V2 ? 2 : 1;
}

static int settle(struct kv_job *job, const char *gid, const u8 bytes[KV_GID_BYTES],
		  const char *device, struct kv_error *error)
{
	u32 index, rank, best = 0;

	for (index = 0; index < ENTRIES; index++) {
		rank = suits(device, job, index, bytes);
		if (rank <= best)
			continue;
		best = rank;
		job->gid_index = index;
	}
	if (best)
		return 0;
	return kv_error_set(error, KV_EXIT_USAGE,
			    "gid-index %s: port %u of %s has no such GID%s%s; see ip address, and ports/%u/gids of the device in sysfs",
			    gid, job->port, device, job->gid_type == KV_AUTO ? "" : " of type ",
			    job->gid_type == KV_AUTO ? "" : kv_gid_kind_name(job->gid_type),
			    job->port);
}

/**
 * kv_gid_settle - the entry of a GID that was given by its address
 * @options: its job gets the index, and so does that of --with
 * @device: that is measured
 * @error: filled on failure
 * Return: 0, also when none was given, or -1
 */
int kv_gid_settle(struct kv_options *options, const char *device, struct kv_error *error)
{
	struct kv_with *with = &options->with;

	if (options->gid &&
	    settle(&options->job, options->gid, options->gid_bytes, device, error))
		return -1;
	return *with->gid ? settle(&with->job, with->gid, with->gid_bytes, device, error) : 0;
}
