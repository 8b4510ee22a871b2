// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* kverbs doctor: all checks of the host, with what to do. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include "file.h"
#include "kverbs.h"
#include "options.h"
#include "probe.h"
#include "report.h"

#define KV_DOCTOR_SCHEMA	"kverbs-doctor/1"

struct doctor {
	const char *asked;	/* device, or NULL */
	char device[KV_DEVICE_NAME];
	struct kv_job job;
	bool json;
	bool probes;
	struct kv_env env;
	struct kv_probe probe[2];
};

static void usage(FILE *file)
{
	fputs("usage: kverbs doctor [options] [-- options of run]\n"
	      "Whether this host can measure, and what its figures are worth.\n"
	      "\n"
	      "  -d, --device NAME          RDMA device (default: the only one)\n"
	      "  -i, --ib-port PORT         port of the device\n"
	      "      --cpu LIST             CPUs that lanes will run on, such as 2,3\n"
	      "      --probe                take a small job from step to step in both engines\n"
	      "      --json                 JSON instead of text\n"
	      "      --root DIR             look at the files below DIR, a copy of a host's\n"
	      "  -h, --help                 this text\n", file);
}

static void print_check(const struct kv_found *found, const struct kv_health_rule *rule)
{
	bool bold = found->health == KV_HEALTH_WARN || found->health == KV_HEALTH_BAD;

	printf("%s%-8s%s %-20s %s\n", bold ? kv_bold(stdout) : "", kv_health_name(found->health),
	       bold ? kv_plain(stdout) : "", rule->name, *found->value ? found->value : "-");
	if (found->health != KV_HEALTH_OK && found->health != KV_HEALTH_UNKNOWN)
		printf("%30s%s\n", "", rule->advice);
}

static void print_text(const struct doctor *doctor)
{
	const struct kv_found *finding = doctor->env.finding;
	u32 count[KV_HEALTHS] = { 0 }, i;

	for (i = 0; i < KV_HEALTH_CHECKS; i++) {
		print_check(&finding[i], &kv_health_rules[i]);
		count[finding[i].health]++;
	}
	if (*doctor->env.variables)
		printf("%-8s %-20s %s\n", "note", "environment", doctor->env.variables);
	printf("%u checks: %u ok, %u to note, %u to warn of, %u bad, %u not known here\n",
	       KV_HEALTH_CHECKS, count[KV_HEALTH_OK], count[KV_HEALTH_NOTE],
	       count[KV_HEALTH_WARN], count[KV_HEALTH_BAD], count[KV_HEALTH_UNKNOWN]);
	if (doctor->env.facts.software)
		printf("software device: what it measures is no figure of hardware\n");
}

static const struct kv_engine * const engines[] = { &kv_engine_kernel, &kv_engine_user };

static void probe(struct doctor *doctor)
{
	u32 i;

	for (i = 0; i < KV_ARRAY_SIZE(engines); i++)
		kv_probe_engine(engines[i], doctor->device, &doctor->job, &doctor->probe[i]);
}

static json_t *json_probes(const struct doctor *doctor)
{
	json_t *array = json_array();
	u32 i;

	if (!doctor->probes) {
		json_decref(array);
		return json_null();
	}
	for (i = 0; i < KV_ARRAY_SIZE(engines); i++)
		json_array_append_new(array, kv_json_probe(&doctor->probe[i], &doctor->job));
	return array;
}

static json_t *json_checks(const struct kv_found *finding)
{
	json_t *array = json_array();
	u32 i;

	for (i = 0; i < KV_HEALTH_CHECKS; i++) {
		const struct kv_health_rule *rule = &kv_health_rules[i];
		bool advise = finding[i].health != KV_HEALTH_OK &&
			      finding[i].health != KV_HEALTH_UNKNOWN;

		json_array_append_new(array,
				      json_pack("{s:s, s:s, s:s?, s:s, s:s?}", "key", rule->key,
						"name", rule->name, "value",
						*finding[i].value ? finding[i].value : NULL,
						"judgement", kv_health_name(finding[i].health),
						"advice", advise ? rule->advice : NULL));
	}
	return array;
}

static int print(const struct doctor *doctor, u32 worst, struct kv_error *error)
{
	u32 i;

	if (!doctor->json) {
		print_text(doctor);
		for (i = 0; doctor->probes && i < KV_ARRAY_SIZE(engines); i++)
			kv_print_probe(stdout, &doctor->probe[i], &doctor->job);
		return 0;
	}
	return kv_json_print(stdout, json_pack("{s:s, s:o, s:o, s:o, s:s}",
					       "schema", KV_DOCTOR_SCHEMA,
					       "environment", kv_json_env(&doctor->env),
					       "checks", json_checks(doctor->env.finding),
					       "probe", json_probes(doctor),
					       "worst", kv_health_name(worst)), error);
}

static int take_port(const char *text, struct doctor *doctor, struct kv_error *error)
{
	char *end;
	unsigned long port = strtoul(text, &end, 10);

	if (end == text || *end || port < 1 || port > 255)
		return kv_error_set(error, KV_EXIT_USAGE, "ib-port '%s': it is 1 to 255", text);
	doctor->job.port = (u32)port;
	return 0;
}

static int take_cpus(const char *text, struct doctor *doctor, struct kv_error *error)
{
	int n = kv_cpu_list_parse(text, doctor->job.cpu, KVERBS_CPUS_MAX);

	if (n < 1)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "cpu '%s': not a list of up to %u CPUs, such as 0 or 2,4-5",
				    text, KVERBS_CPUS_MAX);
	doctor->job.ncpus = (u32)n;
	return 0;
}

/* what stands after "--": the job to probe with, by options of run */
static int read_job(int argc, char **argv, struct doctor *doctor, struct kv_error *error)
{
	struct kv_options options;
	struct kv_job own = doctor->job;

	argv[0] = (char *)"run";
	if (kv_options_parse(argc, argv, KV_FOR_RUN, &options, error))
		return -1;
	if (options.naxes || options.help || options.device)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "after '--': options of one job, without -d, lists and --help");
	doctor->job = options.job;
	doctor->job.port = own.port;
	if (own.ncpus) {
		doctor->job.ncpus = own.ncpus;
		memcpy(doctor->job.cpu, own.cpu, sizeof(own.cpu));
	}
	return 0;
}

/* 1: only help was asked for */
static int read_options(int argc, char **argv, struct doctor *doctor, struct kv_error *error)
{
	static const struct option options[] = {
		{ "device", required_argument, NULL, 'd' },
		{ "ib-port", required_argument, NULL, 'i' },
		{ "cpu", required_argument, NULL, 'C' },
		{ "probe", no_argument, NULL, 'P' },
		{ "json", no_argument, NULL, 'J' },
		{ "root", required_argument, NULL, 'R' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	int c, rc = 0;

	optind = 1;
	opterr = 0;
	while (!rc && (c = getopt_long(argc, argv, "d:i:h", options, NULL)) != -1) {
		switch (c) {
		case 'd':
			doctor->asked = optarg;
			break;
		case 'i':
			rc = take_port(optarg, doctor, error);
			break;
		case 'C':
			rc = take_cpus(optarg, doctor, error);
			break;
		case 'P':
			doctor->probes = true;
			break;
		case 'J':
			doctor->json = true;
			break;
		case 'R':
			if (!kv_folder_exists(optarg))
				return kv_error_set(error, KV_EXIT_USAGE,
						    "root '%s': no such folder", optarg);
			kv_file_root(optarg);
			break;
		case 'h':
			return 1;
		default:
			return kv_error_set(error, KV_EXIT_USAGE,
					    "option '%s': not known, or its value is missing; see 'kverbs doctor --help'",
					    argv[optind - 1]);
		}
	}
	if (rc)
		return rc;
	if (optind < argc && doctor->probes && !strcmp(argv[optind - 1], "--"))
		return read_job(argc - optind + 1, argv + optind - 1, doctor, error);
	if (optind < argc)
		return kv_error_set(error, KV_EXIT_USAGE,
				    "'%s': not expected here; see 'kverbs doctor --help'",
				    argv[optind]);
	if (doctor->probes && !kv_file_live())
		return kv_error_set(error, KV_EXIT_USAGE,
				    "probe: is of this host; leave it or --root out");
	return 0;
}

/* the first step that an engine refused, as one line: false when there is none */
static bool refused(const struct doctor *doctor, struct kv_error *error)
{
	u32 i;

	for (i = 0; doctor->probes && i < KV_ARRAY_SIZE(engines); i++) {
		const struct kv_probe *probe = &doctor->probe[i];

		if (probe->step == KV_STEPS)
			continue;
		kv_error_set(error, KV_EXIT_ENVIRONMENT, "%s engine: %s: %.240s",
			     probe->engine->name, kv_probe_step_name(probe->step), probe->text);
		return true;
	}
	return false;
}

/* one line on the worst, and the status that goes with it */
static int conclude(const struct doctor *doctor, u32 worst)
{
	const struct kv_found *finding = doctor->env.finding;
	struct kv_error error;
	u32 i;

	if (refused(doctor, &error))
		return kv_error_print(&error);
	if (worst < KV_HEALTH_WARN)
		return KV_EXIT_GOOD;
	for (i = 0; finding[i].health != worst; i++)
		;
	kv_error_set(&error, worst == KV_HEALTH_BAD ? KV_EXIT_ENVIRONMENT : KV_EXIT_MISSED,
		     "%s: %s; %s", kv_health_rules[i].name, finding[i].value,
		     kv_health_rules[i].advice);
	return kv_error_print(&error);
}

/* kverbs doctor */
int kv_cmd_doctor(int argc, char **argv)
{
	static const struct kv_job defaults = KV_JOB_INIT;
	struct doctor doctor = { .job = defaults };
	struct kv_error error;
	u32 worst;
	int rc;

	rc = read_options(argc, argv, &doctor, &error);
	if (rc > 0) {
		usage(stdout);
		return KV_EXIT_GOOD;
	}
	if (rc)
		return kv_error_print(&error);
	/* without any device the rest can still be looked at */
	if (kv_device_pick(doctor.asked, doctor.device, &error) &&
	    (doctor.asked || error.status != KV_EXIT_ENVIRONMENT))
		return kv_error_print(&error);
	kv_env_read(doctor.device, &doctor.job, &doctor.env);
	worst = kv_health_worst(doctor.env.finding);
	if (doctor.probes)
		probe(&doctor);
	if (print(&doctor, worst, &error))
		return kv_error_print(&error);
	return conclude(&doctor, worst);
}
