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
	if (kv_recorded_new(to->rec, &wr))
		kv_tracing_thread(recorder->tracing, tep_data_pid(tep, record), name);
	kv_recorded_take(to->rec, &wr, (u32)record->cpu, record->ts, name);
}

/* some of what is in the buffer by now: a fast ULP fills it while it is read */
static int drain(struct recorder *recorder, bool *more, struct kv_error *error)
{
	if (kv_tracing_read_some(recorder->tracing, more, error))
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
	/* who ignores it is not told how a child ended */
	signal(SIGCHLD, SIG_DFL);
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

static void look_after(struct recorder *recorder)
{
	pid_t ended = waitpid(recorder->pid, &recorder->status, WNOHANG);

	if (ended == recorder->pid || (ended < 0 && errno == ECHILD))
		recorder->pid = 0;
}

static int follow(struct recorder *recorder, struct kv_error *error)
{
	bool more;

	while (recorder->pid) {
		look_after(recorder);
		if (recorder->pid && kv_interrupted())
			pass_on(recorder);
		if (drain(recorder, &more, error))
			return -1;
		if (recorder->pid && !more)
			poll(NULL, 0, TURN_MS);
	}
	return 0;
}

/* recording failed: nobody waits for the command any more */
static void end_command(struct recorder *recorder)
{
	while (recorder->pid) {
		pass_on(recorder);
		look_after(recorder);
		if (recorder->pid)
			poll(NULL, 0, TURN_MS);
	}
}

/* what is left, which grows no more */
static int drain_all(struct recorder *recorder, struct kv_error *error)
{
	bool more = true;

	while (more) {
		if (drain(recorder, &more, error))
			return -1;
	}
	return 0;
}

/* the module's file of what is recorded */
static FILE *open_state(void)
{
	const char *debugfs = tracefs_debug_dir();
	char path[256];

	if (!debugfs)
		return NULL;
	snprintf(path, sizeof(path), "%s/kverbs/record", debugfs);
	return fopen(path, "re");
}

/* calls that probes have missed since the module was loaded, of all devices */
static bool read_missed(u64 *missed)
{
	unsigned long long n;
	bool known = false;
	FILE *file = open_state();
	char line[256];

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "missed %llu", &n) == 1) {
			*missed = n;
			known = true;
		}
	}
	if (file)
		fclose(file);
	return known;
}

/* its post function may have no probe though another device's has one */
static int check_probed(const struct recorder *recorder, struct kv_error *error)
{
	char line[256], name[KV_DEVICE_NAME], function[KV_DEVICE_NAME] = "";
	int probed = -1, why = 0;
	FILE *file = open_state();

	if (!file)
		return 0;	/* it is not known */
	while (probed < 0 && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "device %63s probed %d errno %d %63s", name, &probed, &why,
			   function) < 3 || strcmp(name, recorder->record->device))
			probed = -1;
	}
	fclose(file);
	if (probed > 0)
		return 0;
	if (probed < 0)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT,
				    "record: %s is not among the devices of /sys/kernel/debug/kverbs/record: it has gone, or was renamed",
				    recorder->record->device);
	return kv_error_set(error, KV_EXIT_ENVIRONMENT,
			    "record: %s cannot be recorded: the kernel lets no kprobe at its post function %s: %s",
			    recorder->record->device, function, strerror(why));
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
	return check_probed(recorder, error);
}

static int run(struct recorder *recorder, char **command, struct kv_error *error)
{
	struct kv_record *record = recorder->record;
	u64 before = 0, after = 0;
	double begin;
	int rc;

	if (arm(recorder, error))
		return -1;
	record->missed_known = read_missed(&before);
	kv_tracing_on(recorder->tracing);
	begin = kv_seconds();
	rc = start(recorder, command, error) || follow(recorder, error) ? -1 : 0;
	kv_tracing_off(recorder->tracing);
	record->seconds = kv_seconds() - begin;
	record->missed_known &= read_missed(&after);
	record->missed = after > before ? after - before : 0;
	if (!rc)
		rc = drain_all(recorder, error);
	kv_tracing_disarm(recorder->tracing);
	end_command(recorder);
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
