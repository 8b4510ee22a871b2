// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Loaded into the tool (LD_PRELOAD) by tests/faults/allocations: the KVERBS_NTH-th allocation
 * that the kernel makes in the tool's calls of netlink and uverbs fails, by the kernel's
 * fail-nth. What happened goes to the file KVERBS_NTH_SAID: "failed CALL", and at the end how
 * many more allocations there would have had to be.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static atomic_long left;
static int said = -1;
static __thread int nth = -1;

static ssize_t (*real_write)(int fd, const void *data, size_t n);

__attribute__((constructor)) static void begin(void)
{
	const char *n = getenv("KVERBS_NTH"), *name = getenv("KVERBS_NTH_SAID");

	real_write = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
	if (!n || !name)
		return;
	said = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	left = atol(n);
}

__attribute__((destructor)) static void end(void)
{
	if (said >= 0)
		dprintf(said, "left %ld\n", left);
}

/* the number that was set, 0: none */
static long arm(void)
{
	char text[24];
	long n = left;

	if (said < 0 || n <= 0)
		return 0;
	if (nth < 0)
		nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (nth < 0 || pwrite(nth, text, snprintf(text, sizeof(text), "%ld", n), 0) <= 0)
		return 0;
	return n;
}

static void disarm(long set, const char *call)
{
	char text[24] = "";
	int saved = errno;

	if (set) {
		if (pread(nth, text, sizeof(text) - 1, 0) > 0)
			left -= set - atol(text);
		pwrite(nth, "0", 1, 0);
		if (*text && !atol(text))
			dprintf(said, "failed %s\n", call);
	}
	errno = saved;
}

ssize_t write(int fd, const void *data, size_t n)
{
	long set = arm();
	ssize_t rc = real_write(fd, data, n);

	disarm(set, "write");
	return rc;
}

ssize_t sendmsg(int fd, const struct msghdr *m, int flags)
{
	static ssize_t (*real)(int, const struct msghdr *, int);
	ssize_t rc;
	long set;

	if (!real)
		real = (ssize_t (*)(int, const struct msghdr *, int))dlsym(RTLD_NEXT, "sendmsg");
	set = arm();
	rc = real(fd, m, flags);
	disarm(set, "sendmsg");
	return rc;
}

ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
	static ssize_t (*real)(int, struct msghdr *, int);
	ssize_t rc;
	long set;

	if (!real)
		real = (ssize_t (*)(int, struct msghdr *, int))dlsym(RTLD_NEXT, "recvmsg");
	set = arm();
	rc = real(fd, m, flags);
	disarm(set, "recvmsg");
	return rc;
}

int ioctl(int fd, unsigned long request, ...)
{
	static int (*real)(int, unsigned long, void *);
	va_list list;
	void *arg;
	long set;
	int rc;

	va_start(list, request);
	arg = va_arg(list, void *);
	va_end(list);
	if (!real)
		real = (int (*)(int, unsigned long, void *))dlsym(RTLD_NEXT, "ioctl");
	set = arm();
	rc = real(fd, request, arg);
	disarm(set, "ioctl");
	return rc;
}
