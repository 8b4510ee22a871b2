// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>
#include "file.h"

static const char *below = "";

/**
 * kv_file_root - where paths start
 * @root: folder that holds sys, proc and so on; "" is this host
 */
void kv_file_root(const char *root)
{
	below = root;
}

/* are the files those of this host, so that what is no file can be asked too? */
bool kv_file_live(void)
{
	return !*below;
}

/* of this host, whatever the root */
bool kv_folder_exists(const char *path)
{
	struct stat stat_of;

	return !stat(path, &stat_of) && S_ISDIR(stat_of.st_mode);
}

/* false when it does not fit: no path of the kernel's is that long */
static bool format_path(char path[PATH_MAX], const char *fmt, va_list args)
{
	int head = snprintf(path, PATH_MAX, "%s", below), tail;

	if (head >= PATH_MAX)
		return false;
	tail = vsnprintf(path + head, (size_t)(PATH_MAX - head), fmt, args);
	return tail < PATH_MAX - head;
}

/* the same of a function's own variable arguments, which can be taken there only */
#define make_path(path, fmt) ({				\
	va_list args;					\
	bool made;					\
							\
	va_start(args, fmt);				\
	made = format_path(path, fmt, args);		\
	va_end(args);					\
	made;						\
})

bool kv_file_exists(const char *fmt, ...)
{
	char path[PATH_MAX];

	return make_path(path, fmt) && !access(path, F_OK);
}

/* may it be read and written? */
bool kv_file_usable(const char *fmt, ...)
{
	char path[PATH_MAX];

	return make_path(path, fmt) && !access(path, R_OK | W_OK);
}

/* only a regular file: opening a pipe or a terminal may wait for ever */
static int open_plain(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat stat_of;

	if (fd >= 0 && (fstat(fd, &stat_of) || !S_ISREG(stat_of.st_mode))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* what is no plain text would spoil a terminal, and has no place in JSON */
static void make_plain(char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if ((text[i] < ' ' && text[i] != '\n' && text[i] != '\t') || text[i] > '~')
			text[i] = '?';
	}
}

static bool read_path(char *text, size_t size, const char *path)
{
	int fd = open_plain(path);
	size_t used = 0;
	ssize_t got = 0;

	text[0] = '\0';
	if (fd < 0)
		return false;
	while (used < size - 1) {
		got = read(fd, text + used, size - 1 - used);
		if (got <= 0)
			break;
		used += (size_t)got;
	}
	close(fd);
	text[used] = '\0';
	make_plain(text, used);
	return got >= 0;
}

/**
 * kv_file_read - what a file holds
 * @text: filled, with as much as make_path(path, fmt)
 * @size: of @text
 * @fmt: path below the root
 * Return: true when it could be read, be it empty
 */
bool kv_file_read(char *text, size_t size, const char *fmt, ...)
{
	char path[PATH_MAX];
	bool fits = make_path(path, fmt);

	text[0] = '\0';
	return fits && read_path(text, size, path);
}

/* the first line, without blanks at its end: false when there is nothing in it */
bool kv_file_line(char *line, size_t size, const char *fmt, ...)
{
	char path[PATH_MAX];
	bool fits = make_path(path, fmt);
	size_t len;

	line[0] = '\0';
	if (!fits || !read_path(line, size, path))
		return false;
	len = strcspn(line, "\n");
	while (len && (line[len - 1] == ' ' || line[len - 1] == '\t'))
		len--;
	line[len] = '\0';
	return len;
}

/* a file of one number */
bool kv_file_number(s64 *value, const char *fmt, ...)
{
	char path[PATH_MAX], text[64], *end;

	if (!make_path(path, fmt) || !read_path(text, sizeof(text), path))
		return false;
	errno = 0;
	*value = strtoll(text, &end, 0);
	return end != text && !errno && (*end == '\n' || !*end);
}

/* the last part of what a symbolic link points to */
bool kv_file_link(char *name, size_t size, const char *fmt, ...)
{
	char path[PATH_MAX], target[PATH_MAX], *last;
	bool fits = make_path(path, fmt);
	ssize_t len;

	name[0] = '\0';
	len = fits ? readlink(path, target, sizeof(target) - 1) : -1;
	if (len <= 0)
		return false;
	target[len] = '\0';
	make_plain(target, (size_t)len);
	last = strrchr(target, '/');
	snprintf(name, size, "%s", last ? last + 1 : target);
	return *name;
}

static int visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/**
 * kv_file_list - what is in a folder, in the order of people: 2 before 10
 * @entry: filled; freed by kv_file_list_free()
 * @fmt: path below the root
 * Return: how many entries, 0 when there is no such folder
 */
int kv_file_list(struct dirent ***entry, const char *fmt, ...)
{
	char path[PATH_MAX];
	bool fits = make_path(path, fmt);
	int n;

	*entry = NULL;
	n = fits ? scandir(path, entry, visible, versionsort) : -1;
	return n < 0 ? 0 : n;
}

void kv_file_list_free(struct dirent **entry, int n)
{
	int i;

	for (i = 0; i < n; i++)
		free(entry[i]);
	free(entry);
}
