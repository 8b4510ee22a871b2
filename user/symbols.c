// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <tracefs.h>
#include "kverbs.h"
#include "symbols.h"

#define HEADERS_MAX	512
#define BEGIN		3	/* letters of a name that say which are looked at */
#define WRAPPER_MAX	256	/* bytes of code that are looked through for a jump */

struct symbol {
	u64 address;
	const char *name;
	const char *module;	/* "" without */
};

/**
 * struct kv_symbols - the kernel's text symbols
 * @text: /proc/kallsyms, cut into words
 * @symbol: by address
 */
struct kv_symbols {
	char *text;
	struct symbol *symbol;
	size_t n;
};

static char *read_whole(const char *path, size_t *size)
{
	size_t room = 1 << 20, used = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text = NULL, *more;
	ssize_t got = 1;

	if (fd < 0)
		return NULL;
	while (got > 0) {
		more = used + 1 < room && text ? text : realloc(text, room *= 2);
		if (!more)
			break;
		text = more;
		got = read(fd, text + used, room - used - 1);
		if (got > 0)
			used += (size_t)got;
	}
	close(fd);
	if (got || !text) {
		free(text);
		return NULL;
	}
	text[used] = '\0';
	*size = used;
	return text;
}

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/* "address type name\t[module]", of text only */
static bool take_line(char *line, struct symbol *symbol)
{
	char *name, *end, *module;

	symbol->address = strtoull(line, &end, 16);
	if (!symbol->address || end[0] != ' ' || !strchr("tTwW", end[1]) || end[2] != ' ')
		return false;
	name = end + 3;
	module = name + strcspn(name, "\t ");
	symbol->module = "";
	if (*module) {
		*module++ = '\0';
		module += strspn(module, "\t [");
		module[strcspn(module, "]")] = '\0';
		symbol->module = module;
	}
	symbol->name = name;
	return true;
}

/**
 * kv_symbols_load - read the kernel's symbols
 * Return: symbols, or NULL when the kernel does not show their addresses
 */
struct kv_symbols *kv_symbols_load(void)
{
	struct kv_symbols *symbols = calloc(1, sizeof(*symbols));
	size_t size, room = 0;
	char *line, *save;
	void *more;

	if (!symbols)
		return NULL;
	symbols->text = read_whole("/proc/kallsyms", &size);
	if (!symbols->text)
		goto fail;
	for (line = strtok_r(symbols->text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		if (symbols->n == room) {
			room = room ? 2 * room : 1 << 16;
			more = realloc(symbols->symbol, room * sizeof(*symbols->symbol));
			if (!more)
				goto fail;
			symbols->symbol = more;
		}
		symbols->n += take_line(line, &symbols->symbol[symbols->n]);
	}
	if (!symbols->n)
		goto fail;
	qsort(symbols->symbol, symbols->n, sizeof(*symbols->symbol), by_address);
	return symbols;
fail:
	kv_symbols_free(symbols);
	return NULL;
}

void kv_symbols_free(struct kv_symbols *symbols)
{
	if (!symbols)
		return;
	free(symbols->symbol);
	free(symbols->text);
	free(symbols);
}

static void fill(struct kv_function *function, const struct symbol *symbol)
{
	snprintf(function->name, sizeof(function->name), "%s", symbol->name);
	snprintf(function->module, sizeof(function->module), "%s", symbol->module);
}

/* the last symbol that begins at an address or below it */
static const struct symbol *below(const struct kv_symbols *symbols, u64 address)
{
	size_t low = 0, high = symbols->n, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (symbols->symbol[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &symbols->symbol[low - 1] : NULL;
}

/* the function that an address is in */
bool kv_symbol_at(const struct kv_symbols *symbols, u64 address, struct kv_function *function)
{
	const struct symbol *symbol = symbols ? below(symbols, address) : NULL;

	if (!symbol)
		return false;
	/* of several names of one place, the first */
	while (symbol > symbols->symbol && symbol[-1].address == symbol->address)
		symbol--;
	fill(function, symbol);
	return true;
}

static const struct symbol *find(const struct kv_symbols *symbols,
				 const struct kv_function *function)
{
	size_t i;

	for (i = 0; symbols && i < symbols->n; i++) {
		if (!strcmp(symbols->symbol[i].name, function->name) &&
		    !strcmp(symbols->symbol[i].module, function->module))
			return &symbols->symbol[i];
	}
	return NULL;
}

/* 0 when it is not known */
u64 kv_symbol_address(const struct kv_symbols *symbols, const struct kv_function *function)
{
	const struct symbol *symbol = find(symbols, function);

	return symbol ? symbol->address : 0;
}

/**
 * kv_function_parse - a function as the kernel's %pS prints it
 * @text: "name+0x0/0x40 [module]"
 * @function: filled
 * @size: of its code, 0: not said
 * Return: false when it has no name
 */
bool kv_function_parse(const char *text, struct kv_function *function, u32 *size)
{
	size_t len = strcspn(text, "+ \t\n[");
	const char *slash, *module;

	memset(function, 0, sizeof(*function));
	if (!len || len >= sizeof(function->name) || !strncmp(text, "0x", 2))
		return false;
	memcpy(function->name, text, len);
	slash = strchr(text + len, '/');
	*size = slash ? (u32)strtoul(slash + 1, NULL, 16) : 0;
	module = strchr(text + len, '[');
	if (module)
		snprintf(function->module, sizeof(function->module), "%.*s",
			 (int)strcspn(module + 1, "]\n "), module + 1);
	return true;
}

/* "name [module]" a line, of all that ftrace can trace: the kernel takes a second for it */
static const char *traceable_text(void)
{
	static char *text;
	size_t size;
	char *path;

	if (text)
		return text;
	path = tracefs_get_tracing_file("available_filter_functions");
	text = path ? read_whole(path, &size) : NULL;
	tracefs_put_tracing_file(path);
	return text;
}

/*
 * Calls a function for each that ftrace can trace and that begins like a name, until it
 * returns true.
 */
static bool each_traceable(const char *like, bool (*look)(const struct kv_function *f, void *arg),
			   void *arg)
{
	const char *line = traceable_text();
	struct kv_function function;
	bool found = false;
	char copy[512];
	u32 size;

	while (line && *line && !found) {
		size_t len = strcspn(line, "\n");

		if (!strncmp(line, like, BEGIN)) {
			snprintf(copy, sizeof(copy), "%.*s", (int)len, line);
			if (kv_function_parse(copy, &function, &size))
				found = look(&function, arg);
		}
		line += len + (line[len] != '\0');
	}
	return found;
}

static bool is_same(const struct kv_function *f, void *arg)
{
	const struct kv_function *other = arg;

	return !strcmp(f->name, other->name) && !strcmp(f->module, other->module);
}

/* can ftrace trace it? */
bool kv_function_traceable(const struct kv_function *function)
{
	return each_traceable(function->name, is_same, (void *)function);
}

struct prefix {
	const struct kv_function *of;
	struct kv_function *longest;
};

static bool take_prefix(const struct kv_function *f, void *arg)
{
	struct prefix *prefix = arg;
	size_t len = strlen(f->name);

	if (!strcmp(f->module, prefix->of->module) && len > strlen(prefix->longest->name) &&
	    !strncmp(f->name, prefix->of->name, len) && prefix->of->name[len] == '_')
		*prefix->longest = *f;
	return false;
}

/**
 * kv_function_prefix - the traceable function of which a wrapper has its name
 * @function: "mlx5_ib_post_send_nodrain"
 * @prefix: filled: "mlx5_ib_post_send", the longest of the same module
 * Return: true when there is one
 */
bool kv_function_prefix(const struct kv_function *function, struct kv_function *prefix)
{
	struct prefix of = { .of = function, .longest = prefix };

	memset(prefix, 0, sizeof(*prefix));
	each_traceable(function->name, take_prefix, &of);
	return *prefix->name;
}

/* kernel memory, through the core file */
static bool read_kernel(u64 address, void *to, size_t size)
{
	int fd = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
	Elf64_Phdr header[HEADERS_MAX];
	Elf64_Ehdr elf;
	bool done = false;
	size_t i, n;

	if (fd < 0)
		return false;
	if (pread(fd, &elf, sizeof(elf), 0) != sizeof(elf) ||
	    memcmp(elf.e_ident, ELFMAG, SELFMAG) || elf.e_phentsize != sizeof(*header))
		goto out;
	n = elf.e_phnum < HEADERS_MAX ? elf.e_phnum : HEADERS_MAX;
	if (pread(fd, header, n * sizeof(*header), (off_t)elf.e_phoff) !=
	    (ssize_t)(n * sizeof(*header)))
		goto out;
	for (i = 0; i < n && !done; i++) {
		if (header[i].p_type != PT_LOAD || address < header[i].p_vaddr ||
		    address + size > header[i].p_vaddr + header[i].p_filesz)
			continue;
		done = pread(fd, to, size, (off_t)(header[i].p_offset +
			     (address - header[i].p_vaddr))) == (ssize_t)size;
	}
out:
	close(fd);
	return done;
}

/**
 * kv_function_target - where a wrapper jumps to
 * @symbols: of the kernel
 * @function: wrapper
 * @size: of its code
 * @target: filled: a traceable function of the same module
 * Return: false when the code cannot be read, or does not jump to one
 *
 * Instructions need not be told from each other: four bytes that are no offset do
 * not lead to the very first byte of a function.
 */
bool kv_function_target(const struct kv_symbols *symbols, const struct kv_function *function,
			u32 size, struct kv_function *target)
{
#ifdef __x86_64__
	u64 address = kv_symbol_address(symbols, function), to;
	unsigned char code[WRAPPER_MAX];
	const struct symbol *symbol;
	int offset;
	u32 i;

	if (!address || !size || size > sizeof(code) || !read_kernel(address, code, size))
		return false;
	for (i = 0; i + 5 <= size; i++) {
		/* jmp rel32, call rel32 */
		if (code[i] != 0xe9 && code[i] != 0xe8)
			continue;
		memcpy(&offset, code + i + 1, sizeof(offset));
		to = address + i + 5 + (u64)(s64)offset;
		symbol = below(symbols, to);
		if (!symbol || symbol->address != to || strcmp(symbol->module, function->module))
			continue;
		fill(target, symbol);
		if (kv_function_traceable(target))
			return true;
	}
#endif
	return false;
}

/* "name [module]" */
const char *kv_function_text(const struct kv_function *function, char text[KV_SYMBOL_TEXT])
{
	if (*function->module)
		snprintf(text, KV_SYMBOL_TEXT, "%s [%s]", function->name, function->module);
	else
		snprintf(text, KV_SYMBOL_TEXT, "%s", function->name);
	return text;
}
