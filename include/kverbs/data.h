/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What a message holds when data is checked: a pattern of the run's seed, the lane
 * that sends it, its number and the offset of each byte; and the check of what
 * arrived. Memory that is to take a message holds its complement before, so that no
 * byte of it can be right by chance.
 *
 * Plain C without headers, like the loop that includes it.
 */
#ifndef _KVERBS_DATA_H
#define _KVERBS_DATA_H

#define KV_DATA_NONE		(~0ULL)
#define KV_DATA_FAULT_AFTER	16	/* measured messages before the fault */
#define KV_DATA_TELLS		8	/* least size that tells messages apart */
#define KV_DATA_NEAR		64	/* messages before and after, to name what came */

/* where a message lies: of the two halves of a buffer, own or the peer's */
enum {
	KV_AREA_OUT,
	KV_AREA_IN,
	KV_AREA_PEER_OUT,
	KV_AREA_PEER_IN,
	KV_AREAS,
};

/**
 * struct kv_data - the checking of a lane's messages; the engine fills the first part
 * @on: data is checked
 * @own: the lane checks what it sends itself, as no peer sees it come
 * @unseen: a WC says that the transport took the message, which may be lost on its
 *	way and sent again: it may come as long as the deadline lets it
 * @fault: enum kverbs_data_fault, of the messages sent
 * @lane: number of the own lane: of what it sends
 * @peer: number of the lane of what it takes
 * @source: area that messages of this lane are sent from
 * @target: area that messages are checked in
 * @size: bytes of a message that are checked
 * @stride: bytes from one message to the next
 * @out_slots: messages in turn in @source
 * @in_slots: messages in turn in @target
 * @bad: number of the message that was wrong, else KV_DATA_NONE
 * @found: number of the message that it was instead, else KV_DATA_NONE
 * @offset: its first wrong byte
 * @expected: what that should be
 * @got: what it is
 */
struct kv_data {
	u32 on;
	u32 own;
	u32 unseen;
	u32 fault;
	u32 lane;
	u32 peer;
	u32 source;
	u32 target;
	u64 seed;
	u64 size;
	u64 stride;
	u32 out_slots;
	u32 in_slots;

	u64 filled;	/* messages */
	u64 checked;
	u32 out_slot;	/* of the next message to fill */
	u32 in_slot;	/* of the next message to check */
	u64 fault_at;	/* number of the message that is spoilt */

	u64 bad;
	u64 found;
	u64 offset;
	u32 expected;
	u32 got;
};

/* 8 bytes of a message; neighbouring messages differ in each of its words */
static inline u64 kv_data_word(u64 seed, u32 lane, u64 message, u64 word)
{
	u64 x = seed + ((u64)lane << 40) + word * 0x9e3779b97f4a7c15ULL;

	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdULL;
	x ^= x >> 33;
	return x + message * 0xc4ceb9fe1a85ec53ULL;
}

static inline u32 kv_data_byte(u64 seed, u32 lane, u64 message, u64 offset)
{
	u64 word = kv_data_word(seed, lane, message, offset >> 3);

	return ((const unsigned char *)&word)[offset & 7];
}

/**
 * kv_data_write - write part of a message, or of its complement
 * @to: where, aligned like @offset
 * @offset: of its first byte, a multiple of 8
 * @n: bytes
 * @seed: of the run
 * @lane: that sends it
 * @message: its number
 * @flip: 0, or ~0 for the complement
 */
static inline void kv_data_write(void *to, u64 offset, u64 n, u64 seed,
				 u32 lane, u64 message, u64 flip)
{
	unsigned char *byte = to;
	u64 *word = to;
	u64 i;

	for (i = 0; i + 8 <= n; i += 8)
		word[i >> 3] = kv_data_word(seed, lane, message,
					    (offset + i) >> 3) ^ flip;
	for (; i < n; i++)
		byte[i] = (unsigned char)(kv_data_byte(seed, lane, message,
						       offset + i) ^ flip);
}

/**
 * kv_data_differs - find the first byte that is not the message's
 * @from: where, aligned like @offset
 * @offset: of its first byte, a multiple of 8
 * @n: bytes
 * @seed: of the run
 * @lane: that sends it
 * @message: its number
 * Return: bytes before it, @n when there is none
 */
static inline u64 kv_data_differs(const void *from, u64 offset, u64 n, u64 seed,
				  u32 lane, u64 message)
{
	const unsigned char *byte = from;
	const u64 *word = from;
	u64 i;

	for (i = 0; i + 8 <= n; i += 8) {
		if (word[i >> 3] != kv_data_word(seed, lane, message,
						 (offset + i) >> 3))
			break;
	}
	for (; i < n; i++) {
		if (byte[i] != kv_data_byte(seed, lane, message, offset + i))
			break;
	}
	return i;
}

#endif /* _KVERBS_DATA_H */
