/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Files of the host that tell something (sysfs, procfs, /boot), below a root that
 * may be a copy of another host's.
 */
#ifndef KV_FILE_H
#define KV_FILE_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include "side.h"

#define KV_FORMAT_PATH(n)	__attribute__((format(printf, n, n + 1)))

void kv_file_root(const char *root);
bool kv_file_live(void);
bool kv_folder_exists(const char *path);
bool kv_file_exists(const char *fmt, ...) KV_FORMAT_PATH(1);
bool kv_file_usable(const char *fmt, ...) KV_FORMAT_PATH(1);
bool kv_file_read(char *text, size_t size, const char *fmt, ...) KV_FORMAT_PATH(3);
bool kv_file_line(char *line, size_t size, const char *fmt, ...) KV_FORMAT_PATH(3);
bool kv_file_number(s64 *value, const char *fmt, ...) KV_FORMAT_PATH(2);
bool kv_file_link(char *name, size_t size, const char *fmt, ...) KV_FORMAT_PATH(3);
int kv_file_list(struct dirent ***entry, const char *fmt, ...) KV_FORMAT_PATH(2);
void kv_file_list_free(struct dirent **entry, int n);

#endif /* KV_FILE_H */
