// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * libFuzzer: command lines. The first byte is the subcommand, the rest words with a newline
 * between two. What is taken is written as the command that does the same again, and that has
 * to be taken, too.
 */
#include <string.h>
#include "fuzz.h"
#include "kverbs.h"
#include "options.h"

#define WORDS	64

static struct kv_options options;
static struct kv_error error;

static void again(const struct kv_options *first, u32 command)
{
	static struct kv_options second;
	json_t *words = kv_options_command(first, "run", "rxe0");
	char *argv[KV_WORDS_MAX + 8];
	size_t i, n = json_array_size(words);

	if (n - 1 > KV_WORDS_MAX)
		abort();
	for (i = 1; i < n; i++)
		argv[i - 1] = (char *)json_string_value(json_array_get(words, i));
	argv[n - 1] = NULL;
	if (kv_options_parse((int)n - 1, argv, command, &second, &error))
		abort();
	json_decref(words);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const u32 commands[] = {
		KV_FOR_RUN, KV_FOR_COMPARE, KV_FOR_PRESETS, KV_FOR_REPORT, KV_FOR_DIFF,
		KV_FOR_RERUN, KV_FOR_TRACE, KV_FOR_RECORD, KV_FOR_BESIDE,
	};
	char command[] = "run", *argv[WORDS + 1] = { command }, *text, *at;
	int argc = 1;
	u32 which;

	if (!size)
		return 0;
	which = commands[data[0] % KV_ARRAY_SIZE(commands)];
	text = malloc(size);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	/* files are not looked for by names that come from here */
	if (!strchr(text, '/')) {
		for (at = text; at && argc < WORDS; argc++) {
			argv[argc] = at;
			at = strchr(at, '\n');
			if (at)
				*at++ = '\0';
		}
		memset(&error, 0, sizeof(error));
		if (kv_options_parse(argc, argv, which, &options, &error)) {
			fuzz_refused(&error);
		} else {
			fuzz_taken++;
			if (which == KV_FOR_RUN && !options.help)
				again(&options, which);
		}
	}
	free(text);
	return 0;
}
