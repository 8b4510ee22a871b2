// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Buffers: zeroed pages of the base size, as the module's are, near the device
 * unless the job says where.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/mempolicy.h>
#include <linux/mman.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include "verbs.h"
#include "kverbs.h"

#define NODES_MAX	1024

static int place(void *buffer, size_t bytes, u32 node, int policy)
{
	unsigned long mask[NODES_MAX / (8 * sizeof(long))] = { 0 };

	mask[node / (8 * sizeof(long))] |= 1UL << (node % (8 * sizeof(long)));
	return (int)syscall(SYS_mbind, buffer, bytes, policy, mask, (unsigned long)NODES_MAX + 1,
			    0UL);
}

static void explain_registration(size_t bytes, int err, struct kv_error *error)
{
	struct rlimit limit;

	if (err == ENOMEM && !getrlimit(RLIMIT_MEMLOCK, &limit) && limit.rlim_cur != RLIM_INFINITY)
		kv_error_set(error, KV_EXIT_ENVIRONMENT,
			     "reg_mr of %zu bytes: over the limit of locked memory, %llu bytes; raise it (ulimit -l unlimited, limits.conf) or use a smaller -s or -q",
			     bytes, (unsigned long long)limit.rlim_cur);
	else
		kv_error_set(error, KV_EXIT_ENVIRONMENT, "reg_mr of %zu bytes: %s", bytes,
			     strerror(err));
}

/**
 * kv_mr_bytes - length of an MR that covers some memory
 * @facts: of the device
 * @bytes: that are used; the memory starts at a page
 * Return: bytes, at least @bytes, that the memory has to have
 */
size_t kv_mr_bytes(const struct kv_device_facts *facts, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t pages = (bytes + page - 1) / page;

	if (strcmp(facts->driver, "rdma_rxe") || !kv_rxe_spare(pages))
		return bytes;
	return (pages + kv_rxe_spare(pages)) * page;
}

/* bytes of a whole buffer, as it is mapped */
static size_t buffer_bytes(const struct kv_port *port, const struct kv_job *job)
{
	size_t unit = job->memory == KVERBS_MEMORY_HUGE ? KV_HUGE_BYTES :
							  (size_t)sysconf(_SC_PAGESIZE);

	return (kv_mr_bytes(&port->facts, 2 * kv_job_half(job)) + unit - 1) / unit * unit;
}

static void *map(size_t bytes, const struct kv_job *job, struct kv_error *error)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	bool huge = job->memory == KVERBS_MEMORY_HUGE;
	void *buffer;

	if (huge)
		flags |= MAP_HUGETLB | MAP_HUGE_2MB;
	buffer = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
	if (buffer != MAP_FAILED)
		return buffer;
	if (huge)
		kv_error_set(error, KV_EXIT_ENVIRONMENT,
			     "memory huge: %zu of %u huge pages of 2 MiB cannot be had: %s; reserve them (sysctl vm.nr_hugepages=%u), or leave it out",
			     bytes / KV_HUGE_BYTES,
			     (u32)(2 * job->pairs * (bytes / KV_HUGE_BYTES)), strerror(errno),
			     (u32)(2 * job->pairs * (bytes / KV_HUGE_BYTES)));
	else
		kv_error_set(error, KV_EXIT_ENVIRONMENT, "buffer of %zu bytes: %s", bytes,
			     strerror(errno));
	return NULL;
}

/*
 * Memory is had when it is written to. Of scattered pages the even ones come first, as
 * in the module: what is had in turn often lies side by side. A huge page that the
 * node has not would end the process.
 */
static int touch(u8 *buffer, size_t bytes, const struct kv_job *job, struct kv_error *error)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), at, odd;

	if (job->memory == KVERBS_MEMORY_HUGE &&
	    madvise(buffer, bytes, MADV_POPULATE_WRITE) && errno != EINVAL)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT,
				    "memory huge: %zu bytes cannot be had on this node: %s; reserve huge pages there (/sys/devices/system/node), or leave --node or --memory out",
				    bytes, strerror(errno));
	for (odd = 0; odd < 2 && job->memory == KVERBS_MEMORY_SCATTERED; odd++) {
		for (at = odd * page; at < bytes; at += 2 * page)
			buffer[at] = 0;
	}
	memset(buffer, 0, bytes);
	return 0;
}

_Static_assert((u32)KV_ACCESS_LOCAL_WRITE == IBV_ACCESS_LOCAL_WRITE, "LOCAL_WRITE");
_Static_assert((u32)KV_ACCESS_REMOTE_WRITE == IBV_ACCESS_REMOTE_WRITE, "REMOTE_WRITE");
_Static_assert((u32)KV_ACCESS_REMOTE_READ == IBV_ACCESS_REMOTE_READ, "REMOTE_READ");
_Static_assert((u32)KV_ACCESS_REMOTE_ATOMIC == IBV_ACCESS_REMOTE_ATOMIC, "REMOTE_ATOMIC");

/**
 * kv_access - what an MR allows
 * @job: as granted
 * @of: KV_ACCESS_OF_BUFFER or KV_ACCESS_OF_IO
 * Return: mask of enum ibv_access_flags
 */
u32 kv_access(const struct kv_job *job, u32 of)
{
	u32 access = kv_job_access(job, of);

	/* windows are bound in the MR of a buffer */
	if (kv_job_exchanges(job))
		access |= IBV_ACCESS_MW_BIND;
	if (job->odp)
		access |= IBV_ACCESS_ON_DEMAND;
	if (job->relaxed_ordering == KVERBS_RELAXED_ORDERING_ON)
		access |= IBV_ACCESS_RELAXED_ORDERING;
	return access;
}

/* over a buffer, or over all addresses, where pages are had on demand */
static struct ibv_mr *new_mr(const struct kv_port *port, void *buffer, size_t bytes,
			     const struct kv_job *job)
{
	if (job->odp == KVERBS_ODP_IMPLICIT) {
		buffer = NULL;
		bytes = SIZE_MAX;
	}
	return ibv_reg_mr(port->pd, buffer, bytes, (int)kv_access(job, KV_ACCESS_OF_BUFFER));
}

static int make_window(struct kv_end *end, const struct kv_port *port, const struct kv_job *job,
		       struct kv_error *error)
{
	if (!kv_job_exchanges(job) && !kv_job_window(job))
		return 0;
	end->mw = ibv_alloc_mw(port->pd, IBV_MW_TYPE_2);
	if (end->mw)
		return 0;
	return kv_error_set(error, KV_EXIT_ENVIRONMENT, "alloc_mw of type 2: %s", strerror(errno));
}

/* MRs over the same buffer, beside the first */
static int register_more(struct kv_end *end, const struct kv_port *port, const struct kv_job *job,
			 struct kv_error *error)
{
	u32 i;

	end->more = calloc(job->mrs, sizeof(*end->more));
	if (!end->more)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT, "out of memory");
	for (i = 0; i + 1 < job->mrs; i++) {
		end->more[i] = new_mr(port, end->mr->addr, end->mr->length, job);
		if (!end->more[i]) {
			explain_registration(end->mr->length, errno, error);
			return -1;
		}
		end->nmore++;
	}
	return 0;
}

/* one of the MRs over the buffer of an end */
struct ibv_mr *kv_memory_mr(const struct kv_end *end, u32 i)
{
	return i ? end->more[i - 1] : end->mr;
}

/**
 * kv_memory_make - make and register the buffer of an end
 * @end: its @buffer, @half and @mr are filled
 * @port: opened, with a PD
 * @job: as granted
 * @error: filled on failure
 * Return: 0, or -1; kv_qp_free() and kv_memory_free() undo what was done either way
 */
int kv_memory_make(struct kv_end *end, const struct kv_port *port, const struct kv_job *job,
		   struct kv_error *error)
{
	size_t bytes, registered;
	void *buffer;

	end->half = kv_job_half(job);
	registered = kv_mr_bytes(&port->facts, 2 * end->half);
	bytes = buffer_bytes(port, job);
	buffer = map(bytes, job, error);
	if (!buffer)
		return -1;
	end->buffer = buffer;
	end->bytes = bytes;
	madvise(buffer, bytes, MADV_NOHUGEPAGE);
	if (job->node != KV_AUTO && job->node < NODES_MAX) {
		if (place(buffer, bytes, job->node, MPOL_BIND))
			return kv_error_set(error, KV_EXIT_USAGE,
					    "node %u: no memory can be had there: %s; see 'ls /sys/devices/system/node'",
					    job->node, strerror(errno));
	} else if (port->facts.node >= 0 && port->facts.node < NODES_MAX) {
		place(buffer, bytes, (u32)port->facts.node, MPOL_PREFERRED);
	}
	if (touch(buffer, bytes, job, error))
		return -1;
	end->mr = new_mr(port, buffer, registered, job);
	if (!end->mr) {
		explain_registration(registered, errno, error);
		return -1;
	}
	if (make_window(end, port, job, error))
		return -1;
	if (kv_reg_open(&end->reg, port, job))
		return kv_error_set(error, KV_EXIT_ENVIRONMENT, "memory of operations: %s",
				    strerror(errno));
	return register_more(end, port, job, error);
}

void kv_memory_free(struct kv_end *end)
{
	kv_reg_close(&end->reg);
	while (end->nmore)
		ibv_dereg_mr(end->more[--end->nmore]);
	free(end->more);
	end->more = NULL;
	if (end->mr)
		ibv_dereg_mr(end->mr);
	end->mr = NULL;
	if (end->buffer)
		munmap(end->buffer, end->bytes);
	end->buffer = NULL;
}
