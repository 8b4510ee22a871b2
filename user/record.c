// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * kverbs record: what a ULP posts while a command runs, by the tracepoint kverbs_record
 * in an instance of its own, and the job that does alike.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>
#include <tracefs.h>
#include "device.h"
#include "kverbs.h"
#include "options.h"
#include "record.h"
#include "tracing.h"

#define TURN_MS		50	/* between two looks at the buffer */
#define PATIENCE	5	/* seconds that an interrupted command has */

static const char *const events[] = { "kverbs/kverbs_record", NULL };

/**
 * struct recorder - a recording under way
 * @record: what comes of it
 * @tracing: instance
 * @pid: of the command, 0: it has ended
 * @status: as waitpid() says it
 * @asked: when it was told to end, 0: it was not
 */
struct recorder {
	struct kv_record *record;
	struct kv_tracing *tracing;
	pid_t pid;
	int status;
	double asked;
};

static u64 number(struct tep_event *event, struct tep_record *record, const char *name)
{
	unsigned long long value = 0;

	tep_get_field_val(NULL, event, name, record, &value, 0);
	return value;
}

static void take(void *arg, struct tep_event *event, struct tep_record *record)
{
	struct recorder *recorder = arg;
	struct kv_record *to = recorder->record;
	struct tep_handle *tep = kv_tracing_tep(recorder->tracing);
	const char *device;
	struct kv_rec_wr wr;
	char name[16] = "";
	int len;

	if (strcmp(event->name, "kverbs_record"))
		return;
	device = tep_get_field_raw(NULL, event, "device", record, &len, 0);
	if (!device || strncmp(device, to->device, (size_t)len)) {
		to->others++;
		return;
	}
	wr.qpn = (u32)number(event, record, "qpn");
	wr.qp_type = (u32)number(event, record, "qp_type");
	wr.user = number(event, record, "user");
	wr.index = (u32)number(event, record, "index");
	wr.chain = (u32)number(event, record, "chain");
	wr.opcode = (u32)number(event, record, "opcode");
	wr.flags = (u32)number(event, record, "flags");
	wr.sges = (u32)number(event, record, "sges");
	wr.bytes = number(event, record, "bytes");
	kv_tracing_thread(recorder->tracing, tep_data_pid(tep, record), name);
	kv_recorded_take(to->rec, &wr, (u32)record->cpu, record->ts, name);
}

/* what is in the buffer by now */
static int drain(struct recorder *recorder, struct kv_error *error)
{
	if (kv_tracing_read(recorder->tracing, error))
		return -1;
	kv_tracing_each(recorder->tracing, take, recorder);
	recorder->record->lost = kv_tracing_lost(recorder->tracing);
	return 0;
}

/* the command; why it could not be executed comes through a pipe */
static int start(struct recorder *recorder, char **command, struct kv_error *error)
{
	int way[2], why = 0;

	if (pipe2(way, O_CLOEXEC))
		return kv_error_set(error, KV_EXIT_ENVIRONMENT, "record: no pipe: %s",
				    strerror(errno));
	fflush(stdout);
	recorder->pid = fork();
	if (!recorder->pid) {
		execvp(command[0], command);
		why = errno;
		_exit(write(way[1], &why, sizeof(why)) == sizeof(why) ? 127 : 126);
	}
	close(way[1]);
	if (recorder->pid < 0 || read(way[0], &why, sizeof(why)) == sizeof(why)) {
		if (recorder->pid < 0)
			why = errno;
		else
			waitpid(recorder->pid, NULL, 0);
		close(way[0]);
		recorder->pid = 0;
		return kv_error_set(error, KV_EXIT_USAGE, "record: %.200s cannot be executed: %s",
				    command[0], strerror(why));
	}
	close(way[0]);
	return 0;
}

/* a terminal tells the command itself; whoever tells this process alone means both */
static void pass_on(struct recorder *recorder)
{
	if (!recorder->asked) {
		kill(recorder->pid, SIGTERM);
		recorder->asked = kv_seconds();
	} else if (kv_seconds() - recorder->asked > PATIENCE) {
		kill(recorder->pid, SIGKILL);
	}
}

static int follow(struct recorder *recorder, struct kv_error *error)
{
	while (recorder->pid) {
		if (waitpid(recorder->pid, &recorder->status, WNOHANG) == recorder->pid)
			recorder->pid = 0;
		else if (kv_interrupted())
			pass_on(recorder);
		if (drain(recorder, error))
			return -1;
		if (recorder->pid)
			poll(NULL, 0, TURN_MS);
	}
	return 0;
}

/* calls that the probes have missed, of all devices */
static u64 missed(void)
{
	const char *debugfs = tracefs_debug_dir();
	char path[256], line[256], *at;
	u64 n = 0;
	FILE *file;

	if (!debugfs)
		return 0;
	snprintf(path, sizeof(path), "%s/kverbs/record", debugfs);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		at = strstr(line, " missed ");
		n += at ? strtoull(at + 8, NULL, 10) : 0;
	}
	if (file)
		fclose(file);
	return n;
}

/* what is behind an errno of the tracepoint: it was the probe's */
static int explain(struct kv_error *error)
{
	if (strstr(error->text, "not supported") || strstr(error->text, strerror(ENOTSUP)))
		return kv_error_set(error, KV_EXIT_ENVIRONMENT,
				    "record: this kernel cannot probe functions (CONFIG_KPROBES), or not read their arguments (CONFIG_HAVE_FUNCTION_ARG_ACCESS_API)");
	return -1;
}

static int arm(struct recorder *recorder, struct kv_error *error)
{
	struct kv_tracing_plan plan = { .events = events };
	char *path = tracefs_get_tracing_file("events/kverbs/kverbs_record/enable");
	bool there = path && !access(path, F_OK);

	tracefs_put_tracing_file(path);
	if (!there)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT,
				    "record: there is no tracepoint kverbs_record; load the module (make load), built with tracepoints");
	kv_tracing_count_ns(recorder->tracing);
	if (kv_tracing_arm(recorder->tracing, &plan, error))
		return explain(error);
	return 0;
}

static int run(struct recorder *recorder, char **command, struct kv_error *error)
{
	struct kv_record *record = recorder->record;
	double begin;
	int rc;

	if (arm(recorder, error))
		return -1;
	record->missed = missed();
	kv_tracing_on(recorder->tracing);
	begin = kv_seconds();
	rc = start(recorder, command, error) || follow(recorder, error) ? -1 : 0;
	kv_tracing_off(recorder->tracing);
	record->seconds = kv_seconds() - begin;
	record->missed = missed() - record->missed;
	if (!rc)
		rc = drain(recorder, error);
	kv_tracing_disarm(recorder->tracing);
	return rc;
}

static int write_file(const char *path, json_t *json, struct kv_error *error)
{
	char *text = json_dumps(json, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
	size_t size = text ? strlen(text) : 0;
	int rc = -1;

	if (!text) {
		kv_error_set(error, KV_EXIT_ENVIRONMENT, "out of memory");
	} else {
		text[size] = '\n';
		rc = kv_output_file(path, text, size + 1, error);
	}
	free(text);
	json_decref(json);
	return rc;
}

/* what was recorded counts, whatever became of the command; but that is said */
static int conclude(const struct recorder *recorder, struct kv_error *error)
{
	int status = recorder->status;

	if (kv_interrupted())
		return KV_EXIT_INTERRUPTED;
	if (WIFSIGNALED(status))
		kv_error_set(error, KV_EXIT_MEASUREMENT,
			     "record: %.200s was ended by signal %d; what was posted until then is recorded",
			     recorder->record->command[0], WTERMSIG(status));
	else if (WEXITSTATUS(status))
		kv_error_set(error, KV_EXIT_MEASUREMENT,
			     "record: %.200s ended with exit status %d; what was posted until then is recorded",
			     recorder->record->command[0], WEXITSTATUS(status));
	else if (!recorder->record->job.qp)
		kv_error_set(error, KV_EXIT_MEASUREMENT,
			     "record: no kernel ULP posted to %s what a job can do",
			     recorder->record->device);
	else
		return KV_EXIT_GOOD;
	return kv_error_print(error);
}

static int record_as(const struct kv_options *options, struct recorder *recorder,
		     struct kv_error *error)
{
	static const struct kv_job plain = KV_JOB_INIT;
	struct kv_record *record = recorder->record;
	struct kv_env env;

	kv_env_read(record->device, &plain, &env);
	kv_interrupt_catch();
	if (run(recorder, options->child, error))
		return kv_error_print(error);
	kv_recorded_sort(record->rec);
	kv_rec_job_make(record->rec, options->qpn, &record->job);
	kv_record_print(stdout, record);
	if (options->output && write_file(options->output, kv_record_json(record, &env), error))
		return kv_error_print(error);
	return conclude(recorder, error);
}

/* kverbs record */
int kv_cmd_record(int argc, char **argv)
{
	struct kv_record record = {};
	struct recorder recorder = { .record = &record };
	struct kv_options options;
	struct kv_error error;
	int status;

	if (kv_options_parse(argc, argv, KV_FOR_RECORD, &options, &error))
		return kv_error_print(&error);
	if (options.help) {
		kv_options_help(stdout, "record", KV_FOR_RECORD,
				"Records what kernel ULPs post while COMMAND runs, as a job that does alike.");
		return KV_EXIT_GOOD;
	}
	if (!options.child || !options.child[0]) {
		kv_error_set(&error, KV_EXIT_USAGE,
			     "record: which command? give one that has the ULP post, such as -- dd if=/dev/nvme0n1 of=/dev/null");
		return kv_error_print(&error);
	}
	if (kv_device_pick(options.device, record.device, &error) ||
	    kv_tracing_open(&recorder.tracing, options.buffer_kb, &error))
		return kv_error_print(&error);
	record.command = options.child;
	record.rec = calloc(1, sizeof(*record.rec));
	if (record.rec) {
		status = record_as(&options, &recorder, &error);
	} else {
		kv_error_set(&error, KV_EXIT_ENVIRONMENT, "out of memory");
		status = kv_error_print(&error);
	}
	if (record.rec)
		kv_recorded_free(record.rec);
	kv_tracing_close(recorder.tracing);
	return status;
}
