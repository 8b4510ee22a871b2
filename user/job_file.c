// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Files that hold a job, as kverbs record writes them, and intervals of pace trace. They
 * come from anywhere: what they may say is what fields of a job may be, and no more.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "document.h"
#include "kverbs.h"
#include "options.h"
#include "reader.h"
#include "recorded.h"

#define WORD_MAX	256

static int open_document(const char *path, struct kv_reader *reader, struct kv_error *error)
{
	const char *schema = "";

	memset(reader, 0, sizeof(*reader));
	reader->file = path;
	reader->error = error;
	reader->object = kv_document_json(path, error);
	if (!reader->object)
		return -1;
	if (json_is_object(reader->object) && !kv_read_text(reader, "schema", &schema) &&
	    !strcmp(schema, KV_JOB_SCHEMA))
		return 0;
	kv_error_set(error, KV_EXIT_USAGE,
		     "%.200s: holds no job: its schema is '%.32s', not " KV_JOB_SCHEMA
		     "; kverbs record writes one", path, schema);
	json_decref(reader->object);
	reader->object = NULL;
	return -1;
}

/* "--name=value" of a member */
static int word_of(const struct kv_reader *job, const char *path, const char *key, json_t *value,
		   char word[WORD_MAX])
{
	const char *text = json_string_value(value);
	int n;

	if (!kv_options_is_field(key))
		return kv_read_refuse(job, "", "has a member that is no field of a job");
	if (!text && !json_is_integer(value))
		return kv_read_refuse(job, key, "is neither a whole number nor a name");
	if (text && strpbrk(text, "/:"))
		return kv_read_refuse(job, key, "names a file, which a job does not");
	if (!text)
		n = snprintf(word, WORD_MAX, "--%s=%lld", key,
			     (long long)json_integer_value(value));
	else if (!strcmp(key, "pace") && !strcmp(text, kv_pace_name(KVERBS_PACE_TRACE)))
		n = snprintf(word, WORD_MAX, "--pace=trace:%s", path);
	else
		n = snprintf(word, WORD_MAX, "--%s=%s", key, text);
	return n < WORD_MAX ? 0 : kv_read_refuse(job, key, "is too long");
}

/**
 * kv_job_file_read - the job of a file, as options
 * @path: file
 * @words: takes them, which stay until the next call
 * @n: entries of @words, more on return
 * @error: filled on failure
 * Return: 0, or -1
 */
int kv_job_file_read(const char *path, char *words[KV_JOB_FILE_WORDS], int *n,
		     struct kv_error *error)
{
	static char text[KV_JOB_FILE_WORDS][WORD_MAX];
	struct kv_reader reader, job;
	const char *key;
	json_t *value;
	int rc;

	if (open_document(path, &reader, error))
		return -1;
	if (json_is_null(json_object_get(reader.object, "job")))
		rc = kv_error_set(error, KV_EXIT_USAGE,
				  "%.200s: nothing was recorded that a job can do", path);
	else
		rc = kv_read_object(&reader, "job", &job);
	if (!rc) {
		json_object_foreach(job.object, key, value) {
			if (*n == KV_JOB_FILE_WORDS)
				rc = kv_read_refuse(&job, "", "has too many members");
			else
				rc = word_of(&job, path, key, value, text[*n]);
			if (rc)
				break;
			words[*n] = text[*n];
			(*n)++;
		}
	}
	json_decref(reader.object);
	return rc;
}

/**
 * kv_job_file_check - would a job be taken, if a file had it?
 * @job: member of that name
 * @error: filled with why not
 * Return: 0, or -1
 */
int kv_job_file_check(json_t *job, struct kv_error *error)
{
	const struct kv_reader reader = { .file = "job", .object = job, .error = error };
	static char text[KV_JOB_FILE_WORDS][WORD_MAX];
	char command[] = "run";
	char *words[KV_JOB_FILE_WORDS + 1] = { command };
	struct kv_options options;
	const char *key;
	json_t *value;
	int n = 1;

	json_object_foreach(job, key, value) {
		if (n == KV_JOB_FILE_WORDS)
			return kv_read_refuse(&reader, "", "has too many members");
		/* its intervals are in no file yet */
		if (!strcmp(key, "pace"))
			continue;
		if (word_of(&reader, "", key, value, text[n]))
			return -1;
		words[n] = text[n];
		n++;
	}
	return kv_options_parse(n, words, KV_FOR_RUN, &options, error);
}

static int add_interval(const char *path, long long ns, struct kv_job *job,
			struct kv_error *error)
{
	if (job->npace_ns == KVERBS_PACE_NS_MAX)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "pace trace:%.200s: more than %u intervals", path,
				    KVERBS_PACE_NS_MAX);
	if (ns < 0 || ns > KV_PACE_NS_HIGH)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "pace trace:%.200s: interval %u is not 0 to %u ns", path,
				    job->npace_ns + 1, KV_PACE_NS_HIGH);
	job->pace_ns[job->npace_ns++] = (u32)ns;
	return 0;
}

static int read_array(const char *path, struct kv_job *job, struct kv_error *error)
{
	struct kv_reader reader;
	json_t *array, *ns;
	int rc;
	size_t i;

	if (open_document(path, &reader, error))
		return -1;
	rc = kv_read_array(&reader, "intervals_ns", KVERBS_PACE_NS_MAX, &array);
	for (i = 0; !rc && i < json_array_size(array); i++) {
		ns = json_array_get(array, i);
		rc = json_is_integer(ns) ? add_interval(path, json_integer_value(ns), job, error) :
					   kv_read_refuse(&reader, "intervals_ns",
							  "has an entry that is no whole number");
	}
	json_decref(reader.object);
	return rc;
}

/* numbers apart by white space; a '#' begins a remark */
static int read_numbers(const char *path, const char *text, size_t size, struct kv_job *job,
			struct kv_error *error)
{
	const char *at = text;
	long long ns;
	char *end;

	if (strlen(text) != size)
		return kv_error_set(error, KV_EXIT_USAGE, "pace trace:%.200s: is no text", path);
	for (;;) {
		at += strspn(at, " \t\r\n,");
		if (*at == '#') {
			at += strcspn(at, "\n");
			continue;
		}
		if (!*at)
			return 0;
		errno = 0;
		ns = strtoll(at, &end, 10);
		if (!isdigit((unsigned char)*at) || errno || (*end && !strchr(" \t\r\n,#", *end)))
			return kv_error_set(error, KV_EXIT_USAGE,
					    "pace trace:%.200s: interval %u is no number of ns",
					    path, job->npace_ns + 1);
		if (add_interval(path, ns, job, error))
			return -1;
		at = end;
	}
}

/**
 * kv_job_file_intervals - the intervals of a file, one of kverbs record or numbers of ns
 * @path: file
 * @job: filled
 * @error: filled on failure
 * Return: 0, or -1
 */
int kv_job_file_intervals(const char *path, struct kv_job *job, struct kv_error *error)
{
	size_t size;
	char *text = kv_document_text(path, &size, error);
	int rc;

	job->npace_ns = 0;
	if (!text)
		return -1;
	if (text[strspn(text, " \t\r\n")] == '{')
		rc = read_array(path, job, error);
	else
		rc = read_numbers(path, text, size, job, error);
	free(text);
	if (!rc && !job->npace_ns)
		rc = kv_error_set(error, KV_EXIT_USAGE, "pace trace:%.200s: holds no interval",
				  path);
	return rc;
}
