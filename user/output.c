// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Where the output of the tool goes: standard output, or a file that is there as a
 * whole or not at all. What a command prints is kept in memory until it is complete;
 * then it is written beside the file, and takes its name.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <libgen.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include "kverbs.h"

static char target[PATH_MAX];	/* empty: standard output */
static bool in_place;		/* a pipe or a device, which no file can take the place of */

static int refuse(const char *what, struct kv_error *error)
{
	return kv_error_set(error, KV_EXIT_ENVIRONMENT, "output %.200s: %s", what,
			    strerror(errno));
}

/* would a file of that name be taken? so that nobody measures for nothing */
static int look_at(const char *path, struct kv_error *error)
{
	char folder[PATH_MAX];
	struct stat is;

	if (strlen(path) >= sizeof(target) - sizeof(".XXXXXX")) {
		errno = ENAMETOOLONG;
		return refuse(path, error);
	}
	/* a link stays one */
	if (!realpath(path, target))
		strcpy(target, path);
	in_place = !stat(target, &is) && !S_ISREG(is.st_mode) && !S_ISDIR(is.st_mode);
	if (S_ISDIR(is.st_mode) && !stat(target, &is)) {
		errno = EISDIR;
		return refuse(path, error);
	}
	strcpy(folder, target);
	if (access(in_place ? target : dirname(folder), W_OK))
		return refuse(path, error);
	return 0;
}

/**
 * kv_output_to - what is printed from now on goes to a file
 * @path: file, which is not touched before kv_output_end(); NULL: standard output
 * @error: filled on failure
 * Return: 0, or -1
 */
int kv_output_to(const char *path, struct kv_error *error)
{
	int memory;

	if (!path)
		return 0;
	if (look_at(path, error)) {
		target[0] = '\0';
		return -1;
	}
	memory = memfd_create("kverbs", MFD_CLOEXEC);
	if (memory < 0 || fflush(stdout) || dup2(memory, STDOUT_FILENO) < 0)
		return refuse(path, error);
	close(memory);
	return 0;
}

/* @from: a file in memory */
static int copy(int from, int to, struct kv_error *error)
{
	off_t size = lseek(from, 0, SEEK_END), at = 0;
	char part[1 << 16];
	ssize_t n, done, rc;

	while (at < size) {
		n = pread(from, part, sizeof(part), at);
		if (n <= 0)
			return refuse(target, error);
		for (done = 0; done < n; done += rc) {
			rc = write(to, part + done, (size_t)(n - done));
			if (rc < 0)
				return refuse(target, error);
		}
		at += n;
	}
	return 0;
}

static int copy_in_place(int from, struct kv_error *error)
{
	int file = open(target, O_WRONLY | O_CLOEXEC), rc;

	if (file < 0)
		return refuse(target, error);
	rc = copy(from, file, error);
	if (close(file) && !rc)
		rc = refuse(target, error);
	return rc;
}

static int replace(int from, struct kv_error *error)
{
	mode_t mask = umask(0);
	char beside[PATH_MAX];
	int file, rc;

	umask(mask);
	snprintf(beside, sizeof(beside), "%.*s.XXXXXX", PATH_MAX - 8, target);
	file = mkostemp(beside, O_CLOEXEC);
	if (file < 0)
		return refuse(target, error);
	rc = copy(from, file, error);
	if (!rc && (fchmod(file, 0666 & ~mask) || fsync(file)))
		rc = refuse(target, error);
	if (close(file) && !rc)
		rc = refuse(target, error);
	if (!rc && rename(beside, target))
		rc = refuse(target, error);
	if (rc)
		unlink(beside);
	return rc;
}

/**
 * kv_output_file - one more file, as a whole or not at all
 * @path: file
 * @data: all of it
 * @size: of @data
 * @error: filled on failure
 * Return: 0, or -1
 */
int kv_output_file(const char *path, const void *data, size_t size, struct kv_error *error)
{
	int memory, rc = look_at(path, error);

	if (rc)
		return rc;
	memory = memfd_create("kverbs", MFD_CLOEXEC);
	if (memory < 0 || write(memory, data, size) != (ssize_t)size)
		rc = refuse(path, error);
	if (!rc)
		rc = in_place ? copy_in_place(memory, error) : replace(memory, error);
	if (memory >= 0)
		close(memory);
	target[0] = '\0';
	return rc;
}

/**
 * kv_output_end - all has been printed
 * @status: exit status so far
 * Return: the exit status; another one when the output could not be written
 *
 * A command that printed nothing was refused: then the file stays as it was.
 */
int kv_output_end(int status)
{
	struct kv_error error;
	int rc = 0;

	errno = 0;
	if (fflush(stdout) || ferror(stdout))
		rc = refuse(*target ? target : "to standard output", &error);
	else if (*target && lseek(STDOUT_FILENO, 0, SEEK_END) > 0)
		rc = in_place ? copy_in_place(STDOUT_FILENO, &error) :
				replace(STDOUT_FILENO, &error);
	/* who printed may have said so already */
	return !rc || status == KV_EXIT_ENVIRONMENT ? status : kv_error_print(&error);
}
