// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <string.h>
#include "diff.h"

#define BISECT_SKIP	125	/* git bisect run: cannot be tested */

/**
 * kv_bisect_status - an exit status as "git bisect run" understands it
 * @argc: words of the command line
 * @argv: words; --bisect may be one of them
 * @status: of the command
 * Return: @status without --bisect; else 0 good, 1 bad, 125 for all that is neither
 *
 * Looked for in the words, since also a command line that is refused must not make a
 * commit a bad one.
 */
int kv_bisect_status(int argc, char **argv, int status)
{
	int i;

	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--bisect"))
			return status == KV_EXIT_GOOD || status == KV_EXIT_MISSED ? status :
										    BISECT_SKIP;
	}
	return status;
}
