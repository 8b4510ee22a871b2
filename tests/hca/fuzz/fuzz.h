/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef FUZZ_H
#define FUZZ_H

#include "../hca.h"

enum { RAM = 8 << 20 };

extern uint8_t ram[RAM];
extern int64_t virtual_now;
extern unsigned long interrupts;

/* The device as QEMU would make it, with a timer or, without use_icount, a thread. */
PCIDevice *fuzz_device(bool roce);
void fuzz_device_end(PCIDevice *pci);
void fuzz_reset(PCIDevice *pci);
struct hca *fuzz_hca(void);
void bar_wr(uint64_t addr, uint64_t v, unsigned int size);
uint64_t bar_rd(uint64_t addr, unsigned int size);
bool fuzz_tick(void);

#endif
