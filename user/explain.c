// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* kverbs explain: what a status, event, errno or reason means, and what to look at. */
#include <ctype.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <infiniband/verbs.h>
#include "explain.h"
#include "kverbs.h"
#include "report.h"

#define KV_EXPLAIN_SCHEMA	"kverbs-explain/1"
#define NAME_MAX_LEN		64

static const struct {
	const char *name;
	const char *heading;
	const char *prefix[2];	/* of its symbols, in the kernel and in user space */
} kinds[KV_EXPLAIN_KINDS] = {
	[KV_EXPLAIN_STATUS] = { "status", "statuses of completions", { "IB_WC_", "IBV_WC_" } },
	[KV_EXPLAIN_EVENT] = { "event", "asynchronous events", { "IB_EVENT_", "IBV_EVENT_" } },
	[KV_EXPLAIN_ERRNO] = { "errno", "errors of calls", { "", "-" } },
	[KV_EXPLAIN_REASON] = { "reason", "why a run of kverbs ended",
				{ "KVERBS_REASON_", "KVERBS_REASON_" } },
};

/* NULL when it is not known */
const struct kv_explanation *kv_explanation_of(u32 kind, u32 number)
{
	const struct kv_explanation *of;
	u32 i;

	for (i = 0; (of = kv_explanation(i)); i++) {
		if (of->kind == kind && of->number == number)
			return of;
	}
	return NULL;
}

/* "retry-exc-err" as "RETRY_EXC_ERR" */
static void spell(const char *name, char to[NAME_MAX_LEN])
{
	u32 i;

	for (i = 0; name[i] && i < NAME_MAX_LEN - 1; i++)
		to[i] = (name[i] == '-' && i) || name[i] == ' ' ? '_' :
			(char)toupper((unsigned char)name[i]);
	to[i] = '\0';
}

static bool is_called(const struct kv_explanation *of, const char *name)
{
	char number[16], words[NAME_MAX_LEN];
	const char *prefix;
	u32 i;

	for (i = 0; i < KV_ARRAY_SIZE(kinds[0].prefix); i++) {
		prefix = kinds[of->kind].prefix[i];
		if (!strncmp(name, prefix, strlen(prefix)) &&
		    !strcmp(name + strlen(prefix), of->symbol))
			return true;
	}
	spell(of->name, words);
	snprintf(number, sizeof(number), "%u", of->number);
	return !strcmp(name, of->symbol) || !strcmp(name, words) || !strcmp(name, number) ||
	       (of->kind == KV_EXPLAIN_ERRNO && *name == '-' && !strcmp(name + 1, number));
}

/**
 * kv_explanation_find - what a person may mean
 * @name: symbol with or without prefix, in either case; words; or a number
 * @after: the one found before, or NULL
 * Return: the next one, NULL: no more; a number may be one of each kind
 */
const struct kv_explanation *kv_explanation_find(const char *name,
						 const struct kv_explanation *after)
{
	const struct kv_explanation *of = after ? after + 1 : kv_explanation(0);
	const struct kv_explanation *end = kv_explanation(0);
	char spelt[NAME_MAX_LEN];

	while (kv_explanation((u32)(end - kv_explanation(0))))
		end++;
	spell(name, spelt);
	for (; of < end; of++) {
		if (is_called(of, spelt))
			return of;
	}
	return NULL;
}

/**
 * kv_explain_causes - the likeliest causes in short
 * @of: explanation
 * @most: how many
 * @text: filled
 * @size: of @text
 */
void kv_explain_causes(const struct kv_explanation *of, u32 most, char *text, size_t size)
{
	const char *end = of->causes;

	while (most--) {
		end = strstr(end, "; ");
		if (!end) {
			end = of->causes + strlen(of->causes);
			break;
		}
		end += most ? 2 : 0;
	}
	snprintf(text, size, "%.*s", (int)(end - of->causes), of->causes);
}

/**
 * kv_explain_provoked - a job that shows it
 * @of: explanation
 * @i: from 0
 * @text: filled: a command
 * Return: false past the last
 */
bool kv_explain_provoked(const struct kv_explanation *of, u32 i, char text[KV_EXPLAIN_JOB])
{
	const struct kv_provoke_rule *rule;
	u32 provoke, shows;

	for (provoke = 1; provoke < KV_PROVOKES; provoke++) {
		rule = &kv_provoke_rules[provoke];
		if (of->kind == KV_EXPLAIN_STATUS)
			shows = rule->reason == KVERBS_REASON_WC && rule->status == of->number;
		else if (of->kind == KV_EXPLAIN_REASON)
			shows = rule->reason != KVERBS_REASON_WC && rule->reason == of->number;
		else
			shows = of->kind == KV_EXPLAIN_EVENT && of->number == IBV_EVENT_CQ_ERR &&
				rule->reason == KVERBS_REASON_CQ;
		if (!shows || rule->never || i--)
			continue;
		snprintf(text, KV_EXPLAIN_JOB, "kverbs run --provoke %s%s", rule->name,
			 rule->options);
		return true;
	}
	return false;
}

static void print(FILE *file, const struct kv_explanation *of)
{
	const char *cause = of->causes;
	char job[KV_EXPLAIN_JOB];
	u32 i;
	int n = 0;

	fprintf(file, "%s%s%s (%s %u): %s\n  %s\n", kv_bold(file), of->symbol, kv_plain(file),
		kinds[of->kind].name, of->number, of->name, of->meaning);
	while (*cause) {
		size_t len = strstr(cause, "; ") ? (size_t)(strstr(cause, "; ") - cause) :
						   strlen(cause);

		if (!n)
			fputs("  likely causes\n", file);
		fprintf(file, "    %d. %.*s\n", ++n, (int)len, cause);
		cause += len + (cause[len] ? 2 : 0);
	}
	if (*of->see)
		fprintf(file, "  look at: %s\n", of->see);
	for (i = 0; kv_explain_provoked(of, i, job); i++)
		fprintf(file, "  provoke it: %s\n", job);
}

static json_t *to_json(const struct kv_explanation *of)
{
	json_t *causes = json_array(), *jobs = json_array();
	const char *cause = of->causes, *end;
	char job[KV_EXPLAIN_JOB];
	u32 i;

	while (*cause) {
		end = strstr(cause, "; ");
		if (!end)
			end = cause + strlen(cause);
		json_array_append_new(causes, json_stringn(cause, (size_t)(end - cause)));
		cause = *end ? end + 2 : end;
	}
	for (i = 0; kv_explain_provoked(of, i, job); i++)
		json_array_append_new(jobs, json_string(job));
	return json_pack("{s:s, s:i, s:s, s:s, s:s, s:o, s:s, s:o}", "kind", kinds[of->kind].name,
			 "number", (int)of->number, "symbol", of->symbol, "name", of->name,
			 "meaning", of->meaning, "causes", causes, "look_at", of->see,
			 "provoke", jobs);
}

static void list(FILE *file)
{
	const struct kv_explanation *of;
	u32 kind, i;

	for (kind = 0; kind < KV_EXPLAIN_KINDS; kind++) {
		fprintf(file, "%s%s%s%s\n", kind ? "\n" : "", kv_bold(file), kinds[kind].heading,
			kv_plain(file));
		for (i = 0; (of = kv_explanation(i)); i++) {
			if (of->kind == kind)
				fprintf(file, "  %3u %-22s %s\n", of->number, of->symbol, of->name);
		}
	}
}

static void usage(FILE *file)
{
	fputs("usage: kverbs explain [options] STATUS|EVENT|ERRNO|REASON...\n"
	      "What it means, its likely causes, and what to look at.\n"
	      "\n"
	      "      --list                 all that can be explained\n"
	      "      --json                 JSON instead of text\n"
	      "  -h, --help                 this text\n", file);
}

/* Return: how many were found */
static u32 explain(const char *name, json_t *json)
{
	const struct kv_explanation *of = NULL;
	u32 n = 0;

	while ((of = kv_explanation_find(name, of))) {
		if (json)
			json_array_append_new(json, to_json(of));
		else
			print(stdout, of);
		n++;
	}
	return n;
}

static int explain_all(int argc, char **argv, bool as_json)
{
	json_t *json = as_json ? json_array() : NULL;
	struct kv_error error;
	int i, rc = KV_EXIT_GOOD;

	for (i = 0; i < argc; i++) {
		if (explain(argv[i], json))
			continue;
		kv_error_set(&error, KV_EXIT_USAGE,
			     "'%.64s': not known; see 'kverbs explain --list'", argv[i]);
		rc = kv_error_print(&error);
	}
	if (json && kv_json_print(stdout, json_pack("{s:s, s:o}", "schema", KV_EXPLAIN_SCHEMA,
						    "explanations", json), &error))
		return kv_error_print(&error);
	return rc;
}

/* an errno with its sign is no option */
static bool is_number(const char *word)
{
	return word[0] == '-' && isdigit((unsigned char)word[1]);
}

/* kverbs explain */
int kv_cmd_explain(int argc, char **argv)
{
	static const struct option options[] = {
		{ "list", no_argument, NULL, 'L' },
		{ "json", no_argument, NULL, 'J' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	bool as_json = false;
	struct kv_error error;
	int c;

	optind = 1;
	opterr = 0;
	while (optind < argc && !is_number(argv[optind]) &&
	       (c = getopt_long(argc, argv, "+h", options, NULL)) != -1) {
		switch (c) {
		case 'L':
			list(stdout);
			return KV_EXIT_GOOD;
		case 'J':
			as_json = true;
			break;
		case 'h':
			usage(stdout);
			return KV_EXIT_GOOD;
		default:
			kv_error_set(&error, KV_EXIT_USAGE,
				     "option '%s': not known; see 'kverbs explain --help'",
				     argv[optind - 1]);
			return kv_error_print(&error);
		}
	}
	if (optind == argc) {
		kv_error_set(&error, KV_EXIT_USAGE,
			     "explain what? a status, event, errno or reason; see 'kverbs explain --list'");
		return kv_error_print(&error);
	}
	return explain_all(argc - optind, argv + optind, as_json);
}
