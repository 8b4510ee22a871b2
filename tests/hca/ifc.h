/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Access to the fields of the firmware interface. The layouts themselves are
 * the kernel's own mlx5_ifc.h, taken from the installed kernel headers at
 * build time: one u8 of a struct there stands for one bit on the wire.
 */
#ifndef HCA_IFC_H
#define HCA_IFC_H

#include "qemu/osdep.h"
#include "qemu/bitops.h"

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
#include "linux/mlx5/mlx5_ifc.h"

static inline uint64_t ifc_get(const void *base, size_t off, size_t bits)
{
	const uint8_t *p = (const uint8_t *)base + off / 8;
	unsigned int shift = off % 8;
	uint64_t v = 0;

	if (bits == 64 && !shift) {
		for (int i = 0; i < 8; i++)
			v = v << 8 | p[i];
		return v;
	}
	/* A field never straddles more than five bytes unless it is 64 wide. */
	unsigned int n = (shift + bits + 7) / 8;

	for (unsigned int i = 0; i < n; i++)
		v = v << 8 | p[i];
	v >>= n * 8 - shift - bits;
	return v & ((1ULL << bits) - 1);
}

static inline void ifc_set(void *base, size_t off, size_t bits, uint64_t v)
{
	uint8_t *p = (uint8_t *)base + off / 8;
	unsigned int shift = off % 8;
	unsigned int n = (shift + bits + 7) / 8;
	unsigned int low = n * 8 - shift - bits;

	for (int i = n - 1; i >= 0; i--) {
		unsigned int first = (int)i == (int)n - 1 ? low : 0;
		unsigned int last = i == 0 ? 8 - shift : 8;
		unsigned int w = last - first;
		uint8_t mask = ((1U << w) - 1) << first;

		p[i] = (p[i] & ~mask) | ((v << first) & mask);
		v >>= w;
	}
}

#define IFC_OFF(typ, fld) offsetof(struct mlx5_ifc_##typ##_bits, fld)
#define IFC_BITS(typ, fld) sizeof(((struct mlx5_ifc_##typ##_bits *)0)->fld)
#define IFC_BYTES(typ) (sizeof(struct mlx5_ifc_##typ##_bits) / 8)

#define GET(typ, p, fld) ifc_get(p, IFC_OFF(typ, fld), IFC_BITS(typ, fld))
#define SET(typ, p, fld, v) ifc_set(p, IFC_OFF(typ, fld), IFC_BITS(typ, fld), v)
#define ADDR(typ, p, fld) ((void *)((uint8_t *)(p) + IFC_OFF(typ, fld) / 8))

#endif
