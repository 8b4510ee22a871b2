/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Where the messages of a lane lie, through which MRs they are reached, and whether
 * caches hold them: what is done to a WR before its post, outside of what is timed.
 *
 * The includer defines u32 and u64 and includes <linux/kverbs.h> and kverbs/job.h first.
 */
#ifndef _KVERBS_PLACE_H
#define _KVERBS_PLACE_H

/**
 * struct kv_keys - of one MR over the buffers of a pair
 * @lkey: at the own end
 * @rkey: at the peer's
 */
struct kv_keys {
	u32 lkey;
	u32 rkey;
};

/**
 * struct kv_aim - what the address of a message is made of
 * @local: of the first place at the own end, for the device
 * @remote: likewise at the peer's
 * @stride: bytes from one place to the next
 * @offset: of the first place in the own buffer
 * @payload: bytes of a message
 * @keys: of each MR
 */
struct kv_aim {
	u64 local;
	u64 remote;
	u64 stride;
	u64 offset;
	u64 payload;
	struct kv_keys *keys;
};

/* the place that the i-th receive has, for as long as the run goes on */
static inline u32 kv_recv_place(const struct kv_job *job, u32 i)
{
	u32 places = kv_job_places(job);

	if (job->pattern == KVERBS_PATTERN_RANDOM)
		return (u32)((u64)((i + 1) * 0x9e3779b1U) * places >> 32);
	return i % places;
}

#if defined(__x86_64__)

#define KV_CAN_EVICT	1
#define KV_LINE_BYTES	64

static inline void kv_evict_line(char *line)
{
	asm volatile("clflush %0" : "+m" (*line));
}

/* what was evicted is gone before what follows begins */
static inline void kv_evict_end(void)
{
	asm volatile("mfence" : : : "memory");
}

#elif defined(__aarch64__)

#define KV_CAN_EVICT	1
#define KV_LINE_BYTES	64

static inline void kv_evict_line(char *line)
{
	asm volatile("dc civac, %0" : : "r" (line) : "memory");
}

static inline void kv_evict_end(void)
{
	asm volatile("dsb sy" : : : "memory");
}

#else

#define KV_CAN_EVICT	0
#define KV_LINE_BYTES	64

static inline void kv_evict_line(char *line)
{
	(void)line;
}

static inline void kv_evict_end(void)
{
}

#endif

/**
 * kv_evict - write the lines of some memory back, and drop them from all caches
 * @at: its start
 * @bytes: length
 *
 * kv_evict_end() is to follow.
 *
 * Return: lines
 */
static inline u32 kv_evict(const void *at, u64 bytes)
{
	unsigned long line = (unsigned long)at & ~(KV_LINE_BYTES - 1UL);
	unsigned long end = (unsigned long)at + (unsigned long)bytes;
	u32 lines = 0;

	for (; line < end; line += KV_LINE_BYTES, lines++)
		kv_evict_line((char *)line);
	return lines;
}

#endif /* _KVERBS_PLACE_H */
