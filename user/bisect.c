// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <string.h>
#include "diff.h"

#define BISECT_SKIP	125	/* git bisect run: cannot be tested */

/*
 * is --bisect one of the words? Looked for there, since also a command line that is
 * refused must not make a commit a bad one.
 */
bool kv_bisecting(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--bisect"))
			return true;
	}
	return false;
}

/**
 * kv_bisect_status - an exit status as "git bisect run" understands it
 * @argc: words of the command line
 * @argv: words; --bisect may be one of them
 * @status: of the command
 * Return: @status without --bisect; else 0 good, 1 bad, 125 for all that is neither
 */
int kv_bisect_status(int argc, char **argv, int status)
{
	if (!kv_bisecting(argc, argv) || status == KV_EXIT_GOOD || status == KV_EXIT_MISSED)
		return status;
	return BISECT_SKIP;
}
