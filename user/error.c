// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <errno.h>
#include <string.h>
#include "kverbs.h"

/**
 * kv_error_set - say what went wrong
 * @error: where
 * @status: exit status that goes with it
 * @fmt: one line, without a newline
 * Return: -1, so that a caller can return it
 */
int kv_error_set(struct kv_error *error, int status, const char *fmt, ...)
{
	va_list args;

	error->status = status;
	error->unimplemented = false;
	va_start(args, fmt);
	vsnprintf(error->text, sizeof(error->text), fmt, args);
	va_end(args);
	return -1;
}

/**
 * kv_remark_add - add to a line of remarks, with "; " between two
 * @text: line so far
 * @size: of its room; what does not fit is cut off
 * @fmt: the remark
 */
void kv_remark_add(char *text, size_t size, const char *fmt, ...)
{
	size_t used = strlen(text);
	va_list args;

	if (used && used + 2 < size) {
		strcpy(text + used, "; ");
		used += 2;
	}
	va_start(args, fmt);
	vsnprintf(text + used, size - used, fmt, args);
	va_end(args);
}

int kv_error_print(const struct kv_error *error)
{
	kv_progress_end();
	fprintf(stderr, "kverbs: %s\n", error->text);
	return error->status;
}

/**
 * kv_setup_errno - an errno of a step of set-up, with what to do where it is known
 * @err: positive errno
 * Return: text
 */
const char *kv_setup_errno(int err)
{
	static const char no_route[] =
		"no route for the GID: give the port an address (ip addr add), or choose -x";

	switch (err) {
	case ENETUNREACH:
	case EHOSTUNREACH:
	case EADDRNOTAVAIL:
		return no_route;
	default:
		return strerror(err);
	}
}
