// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include "reg.h"
#include "verbs.h"

/**
 * kv_reg_open - make the memory of an end's operations
 * @reg: zeroed
 * @port: opened, with a PD
 * @job: as granted
 * Return: 0, or -1 with errno; kv_reg_close() undoes what was done either way
 */
int kv_reg_open(struct kv_reg *reg, const struct kv_port *port, const struct kv_job *job)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *memory;

	if (!kv_job_reg_mr(job))
		return 0;
	reg->pd = port->pd;
	reg->bytes = kv_mr_bytes(&port->facts, kv_job_covered(job));
	reg->stride = (reg->bytes + page - 1) / page * page;
	reg->slots = job->outstanding;
	reg->access = kv_access(job, KV_ACCESS_OF_IO);
	reg->mr = calloc(reg->slots, sizeof(*reg->mr));
	if (!reg->mr)
		return -1;
	memory = mmap(NULL, reg->slots * reg->stride, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return -1;
	reg->memory = memory;
	madvise(memory, reg->slots * reg->stride, MADV_NOHUGEPAGE);
	/* pages that are there: to make them is no part of a registration */
	memset(memory, 0, reg->slots * reg->stride);
	if (!kv_job_window(job))
		return 0;
	reg->over = ibv_reg_mr(port->pd, memory, reg->slots * reg->stride,
			       (int)reg->access | IBV_ACCESS_MW_BIND);
	return reg->over ? 0 : -1;
}

void kv_reg_close(struct kv_reg *reg)
{
	u32 i;

	for (i = 0; reg->mr && i < reg->slots; i++)
		kv_reg_dereg(reg, i);
	free(reg->mr);
	if (reg->over)
		ibv_dereg_mr(reg->over);
	if (reg->memory)
		munmap(reg->memory, reg->slots * reg->stride);
	memset(reg, 0, sizeof(*reg));
}

int kv_reg_mr(struct kv_reg *reg, u32 slot)
{
	reg->mr[slot] = ibv_reg_mr(reg->pd, reg->memory + slot * reg->stride, reg->bytes,
				   (int)reg->access);
	if (reg->mr[slot])
		return 0;
	return errno ? -errno : -EIO;
}

int kv_reg_dereg(struct kv_reg *reg, u32 slot)
{
	struct ibv_mr *mr = reg->mr[slot];
	int rc;

	reg->mr[slot] = NULL;
	rc = mr ? ibv_dereg_mr(mr) : 0;
	return rc > 0 ? -rc : rc;
}

/* a key that was used is not used again */
void kv_reg_bind(struct kv_reg *reg, u32 slot, struct ibv_send_wr *wr)
{
	/* what the window has as its key is for its owner to keep */
	reg->mw->rkey = reg->rkey;
	reg->rkey = ibv_inc_rkey(reg->rkey);
	memset(wr, 0, sizeof(*wr));
	wr->opcode = IBV_WR_BIND_MW;
	wr->send_flags = IBV_SEND_SIGNALED;
	wr->bind_mw.mw = reg->mw;
	wr->bind_mw.rkey = reg->rkey;
	wr->bind_mw.bind_info.mr = reg->over;
	wr->bind_mw.bind_info.addr = (uintptr_t)reg->memory + slot * reg->stride;
	wr->bind_mw.bind_info.length = reg->bytes;
	wr->bind_mw.bind_info.mw_access_flags = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE;
}

void kv_reg_unbind(const struct kv_reg *reg, struct ibv_send_wr *wr)
{
	memset(wr, 0, sizeof(*wr));
	wr->opcode = IBV_WR_LOCAL_INV;
	wr->send_flags = IBV_SEND_SIGNALED;
	wr->invalidate_rkey = reg->rkey;
}
