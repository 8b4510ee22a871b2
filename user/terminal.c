// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include "kverbs.h"

static bool progress_shown;

bool kv_is_terminal(FILE *file)
{
	return isatty(fileno(file));
}

static const char *escape(FILE *file, const char *code)
{
	const char *term = getenv("TERM");

	if (!kv_is_terminal(file) || getenv("NO_COLOR") || !term || !strcmp(term, "dumb"))
		return "";
	return code;
}

const char *kv_bold(FILE *file)
{
	return escape(file, "\033[1m");
}

const char *kv_plain(FILE *file)
{
	return escape(file, "\033[0m");
}

/* columns of a terminal: a longer line would wrap, and could not be wiped */
static size_t columns(FILE *file)
{
	struct winsize size;

	return ioctl(fileno(file), TIOCGWINSZ, &size) || !size.ws_col ? 80 : size.ws_col;
}

void kv_progress(const char *fmt, ...)
{
	char line[512];
	size_t room;
	va_list args;

	if (!kv_is_terminal(stderr))
		return;
	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	room = columns(stderr);
	if (room < sizeof(line))
		line[room - 1] = '\0';
	fprintf(stderr, "\r\033[K%s", line);
	fflush(stderr);
	progress_shown = true;
}

void kv_progress_end(void)
{
	if (!progress_shown)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	progress_shown = false;
}
