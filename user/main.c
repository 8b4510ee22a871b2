// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <string.h>
#include "kverbs.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
} commands[] = {
	{ "devices", kv_cmd_devices, "RDMA devices, and what kverbs can do with them" },
	{ "run", kv_cmd_run, "one job in one engine" },
	{ "compare", kv_cmd_compare, "the same jobs from the kernel and from user space" },
	{ "trace", kv_cmd_trace, "where the time of a post goes: the driver's functions" },
	{ "record", kv_cmd_record, "what a ULP posts, as a job that does alike" },
	{ "report", kv_cmd_report, "what was measured, from files, in another form" },
	{ "diff", kv_cmd_diff, "two kernels, drivers, cards or settings, from files" },
	{ "rerun", kv_cmd_rerun, "the same once more: is what a file says reproduced?" },
	{ "presets", kv_cmd_presets, "jobs by the question they answer" },
	{ "doctor", kv_cmd_doctor, "whether this host can measure, and what figures are worth" },
	{ "explain", kv_cmd_explain, "a status, event or errno: causes, and what to look at" },
};

static void usage(FILE *file)
{
	size_t i;

	fputs("usage: kverbs COMMAND [options]\n"
	      "Measures the RDMA data path from inside the kernel, and against user space.\n\n",
	      file);
	for (i = 0; i < KV_ARRAY_SIZE(commands); i++)
		fprintf(file, "  %-10s %s\n", commands[i].name, commands[i].summary);
	fputs("\n  kverbs COMMAND --help   options of a command\n"
	      "  kverbs --version\n\n"
	      "Exit status: 0 good; 1 a threshold was missed; 2 usage; 3 module, device or\n"
	      "permission missing; 4 the measurement failed; 5 undecided; 130 interrupted,\n"
	      "after printing.\n", file);
}

int main(int argc, char **argv)
{
	struct kv_error error;
	size_t i;

	if (argc < 2) {
		usage(stderr);
		return KV_EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		usage(stdout);
		return KV_EXIT_GOOD;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("kverbs %s\n", KVERBS_VERSION);
		return KV_EXIT_GOOD;
	}
	for (i = 0; i < KV_ARRAY_SIZE(commands); i++) {
		if (!strcmp(argv[1], commands[i].name))
			return kv_output_end(commands[i].run(argc - 1, argv + 1));
	}
	kv_error_set(&error, KV_EXIT_USAGE, "command '%s': not known; see 'kverbs --help'",
		     argv[1]);
	return kv_error_print(&error);
}
