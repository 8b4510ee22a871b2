/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The page of a report: one file that needs no other.
 */
#ifndef KV_PAGE_H
#define KV_PAGE_H

#include <stdio.h>
#include "plot.h"

int kv_page_write(struct kv_doc *const *doc, u32 n, FILE *file, struct kv_error *error);

#endif /* KV_PAGE_H */
