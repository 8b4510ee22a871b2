/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef HCA_FAULT_H
#define HCA_FAULT_H

#include "hca.h"

unsigned int fault_packet(struct hca *hca, int64_t *delay);
uint8_t fault_command(struct hca *hca, uint16_t opcode);

#endif
