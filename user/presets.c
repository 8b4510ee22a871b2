// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <string.h>
#include <jansson.h>
#include "kverbs.h"
#include "options.h"
#include "presets.h"
#include "report.h"

#define KV_PRESETS_SCHEMA	"kverbs-presets/1"

#define BOTH	(KV_FOR_RUN | KV_FOR_COMPARE)

static const struct kv_preset presets[] = {
	/* perftest's programs with their defaults */
	{ "ib_write_lat", "half a round trip of 2-byte WRITEs, seen in memory",
	  "--op write --shape pingpong -s 2 -n 1000", BOTH },
	{ "ib_write_bw", "bandwidth of 64 KiB WRITEs",
	  "--op write --shape rate -s 64k -t 128 -Q 100 -n 5000", BOTH },
	{ "ib_send_lat", "half a round trip of 2-byte SENDs",
	  "--op send --shape pingpong -s 2 -n 1000", BOTH },
	{ "ib_send_bw", "bandwidth of 64 KiB SENDs",
	  "--op send --shape rate -s 64k -t 128 -Q 100 -r 512 -n 1000", BOTH },
	{ "ib_read_lat", "a 2-byte READ, from post to data",
	  "--op read --shape lat -s 2 -n 1000", BOTH },
	{ "ib_read_bw", "bandwidth of 64 KiB READs",
	  "--op read --shape rate -s 64k -t 128 -Q 100 -n 1000", BOTH },
	{ "ib_atomic_lat", "a fetch-and-add, from post to the old value",
	  "--op fadd --shape lat -n 1000", BOTH },
	{ "ib_atomic_bw", "rate of fetch-and-adds",
	  "--op fadd --shape rate -t 128 -Q 100 -n 1000", BOTH },
	/* how the rate comes about */
	{ "window", "how many 32-byte WRITEs, all signalled, must be outstanding for the full rate",
	  "--op write --shape rate -s 32 -Q 1 --sweep tx-depth=1..128", KV_FOR_RUN },
	{ "depth", "what depth a 4 KiB READ needs, its round trip being longer",
	  "--op read --shape rate -s 4k --sweep tx-depth=1..64", KV_FOR_RUN },
	{ "read-sizes", "rate and bandwidth of all-signalled READs from 16 bytes to 4 KiB",
	  "--op read --shape rate -t 16 -Q 1 -s 16..4k", KV_FOR_RUN },
	{ "read-swarm", "32-byte READs of many QPs at once, each with its lane",
	  "--op read --shape rate -s 32 -t 16 -q 16", BOTH },
	{ "header-send", "rate of SENDs with immediate data and nothing else",
	  "--op send-imm --shape rate -s 0 -t 128 -Q 16", BOTH },
	{ "qp-scaling", "does the rate of 32-byte WRITEs grow with QPs and lanes",
	  "--op write --shape rate -s 32 -t 32 --sweep qp=1..16", KV_FOR_RUN },
	{ "qp-contexts", "how many QPs does the HCA serve before its caches are too small for them",
	  "--op write --shape rate -s 32 -t 1024 --sweep lane-qps=1,4..1024", KV_FOR_RUN },
	{ "post-list", "what a WR costs to post, by the length of its chain",
	  "--op write --shape rate -s 32 -t 64 -Q 64 --sweep post-list=1..64", KV_FOR_RUN },
	{ "doorbell", "what a doorbell for each WR costs: one by one against chains of 16",
	  "--op write --shape rate -s 32 -t 64 -Q 16 --sweep post-list=1,16", KV_FOR_RUN },
	{ "signal-interval", "what a completion for each WR costs",
	  "--op write --shape rate -s 32 -t 128 --sweep cq-mod=1..128", KV_FOR_RUN },
	{ "poll-batch", "what it saves to ask for more completions a poll",
	  "--op write --shape rate -s 32 -t 128 -Q 1 --sweep poll-batch=1..64", KV_FOR_RUN },
	{ "sizes", "completion time and post by size",
	  "--op write --shape lat -a", KV_FOR_RUN },
	{ "bandwidth", "bandwidth by size",
	  "--op write --shape rate -a", KV_FOR_RUN },
	{ "inline-crossover", "up to which size a WRITE is faster with its data inline",
	  "--op write --shape lat -s 16..256 --sweep inline=0,256", KV_FOR_RUN },
	{ "sges", "what it costs to gather 4 KiB from more pieces",
	  "--op write --shape lat -s 4k --sweep sges=1..16", KV_FOR_RUN },
	{ "atomics", "fetch-and-adds of one hot word, and spread over many",
	  "--op fadd --shape rate -t 16 --sweep pattern=fixed,random", KV_FOR_RUN },
	{ "rpc-echo", "round trips of a 32-byte SEND and its answer, polled and woken",
	  "--op send --shape pingpong -s 32 --sweep context=busy,woken", KV_FOR_RUN },
	{ "moderation", "what fewer completion events save, and cost, with a driver that has this",
	  "--op write --shape rate -s 32 -t 128 --context woken --cq-period 16 --sweep cq-count=1..64",
	  KV_FOR_RUN },
	{ "numa", "does the node of the buffers matter, for the CPU of --cpu (two nodes)",
	  "--op read --shape lat -s 4k --sweep node=0,1", KV_FOR_RUN },
	{ "refill", "what it costs to post receives one by one, poll by poll, at a watermark",
	  "--op send --shape rate -s 64 -t 64 -r 256 --timing all --sweep refill=each,batch,watermark",
	  KV_FOR_RUN },
	{ "srq", "what an SRQ for 64 QPs of a lane costs, or saves",
	  "--op send --shape rate -s 64 -t 256 --lane-qps 64 --sweep srq=off,on", KV_FOR_RUN },
	{ "cq-per-qp", "does one CQ for 64 QPs of a lane cost less than one each",
	  "--op write --shape rate -s 32 -t 256 --lane-qps 64 --sweep cq=lane,qp", KV_FOR_RUN },
	{ "write-flush", "a WRITE known to be in memory: a READ behind it brings it there",
	  "--op write,read --shape lat -s 64", KV_FOR_RUN },
	{ "local-key", "the lkey of an MR against local_dma_lkey (kernel engine)",
	  "--op write --shape lat -s 64 --sweep local-key=mr,dma", KV_FOR_RUN },
	{ "registration", "what it costs to map and register the memory of each WRITE, by size",
	  "--op write --reg io --shape lat -s 4k,64k,256k", KV_FOR_RUN },
	{ "registration-rate", "how many READs a second with memory registered once, and for each",
	  "--op read --shape rate -s 4k -t 32 --sweep reg=once,io", KV_FOR_RUN },
	{ "dma-map", "memory mapped for DMA for each WRITE, or once and synced (kernel engine)",
	  "--op write --reg io --shape lat -s 64k --sweep dma-map=io,once", KV_FOR_RUN },
	{ "recovery", "what recovery costs: WC error to the next good WC, by reset or new QPs",
	  "--op write --shape recover --sweep recover=reset,recreate", KV_FOR_RUN },
	{ "recovery-depth", "does recovery take longer the more WRs are to be flushed",
	  "--op write --shape recover --sweep tx-depth=1..256", KV_FOR_RUN },
	{ "setup", "what setup costs: each call from nothing to a QP in RTS, and back",
	  "--op write --shape setup", BOTH },
	{ "setup-storm", "does setup cost more where many QPs are set up at once",
	  "--op write --shape setup --sweep storm=1,16,128", KV_FOR_RUN },
	{ "setup-mr", "what an MR costs to make and to free, by size",
	  "--op write --shape setup -s 4k,64k,1m", KV_FOR_RUN },
	{ "disturbance", "what measuring itself costs: none, fewer or more clock readings",
	  "--op write --shape rate -s 32 -t 64 --sweep timing=none,lat,all", KV_FOR_RUN },
	{ "data", "is every byte of every SEND right, at a few sizes",
	  "--op send --shape rate -t 16 -s 1,64,1000,4k,40000 --check-data", KV_FOR_RUN },
};

const struct kv_preset *kv_preset(u32 i)
{
	return i < KV_ARRAY_SIZE(presets) ? &presets[i] : NULL;
}

/**
 * kv_preset_find - a preset by its name
 * @name: name
 * @command: KV_FOR_* that asks, 0: any
 * @error: filled on failure
 * Return: the preset, or NULL
 */
const struct kv_preset *kv_preset_find(const char *name, u32 command, struct kv_error *error)
{
	const struct kv_preset *preset;
	u32 i;

	for (i = 0; (preset = kv_preset(i)); i++) {
		if (strcmp(preset->name, name))
			continue;
		if (!command || preset->commands & command)
			return preset;
		kv_error_set(error, KV_EXIT_USAGE,
			     "preset %s: is a series, or of several steps, which kverbs compare does not take; use kverbs run",
			     name);
		return NULL;
	}
	kv_error_set(error, KV_EXIT_USAGE, "preset '%s': not known; see 'kverbs presets'", name);
	return NULL;
}

/* the line that heads a result; none without a preset */
void kv_print_preset(FILE *file, const struct kv_preset *preset)
{
	if (preset)
		fprintf(file, "preset %s: %s (%s)\n", preset->name, preset->question,
			preset->options);
}

static json_t *json_preset(const struct kv_preset *preset)
{
	json_t *commands = json_array();

	if (preset->commands & KV_FOR_RUN)
		json_array_append_new(commands, json_string("run"));
	if (preset->commands & KV_FOR_COMPARE)
		json_array_append_new(commands, json_string("compare"));
	return json_pack("{s:s, s:s, s:s, s:o}", "name", preset->name,
			 "question", preset->question, "options", preset->options,
			 "commands", commands);
}

static void show_preset(FILE *file, const struct kv_preset *preset)
{
	fprintf(file, "%s%s%s%s: %s\n    %s\n", kv_bold(file), preset->name, kv_plain(file),
		preset->commands & KV_FOR_COMPARE ? " (run, compare)" : " (run)",
		preset->question, preset->options);
}

static int show(const struct kv_options *options, struct kv_error *error)
{
	json_t *array = options->json ? json_array() : NULL;
	const struct kv_preset *preset;
	u32 i;

	for (i = 0; (preset = kv_preset(i)); i++) {
		if (options->preset && options->preset != preset)
			continue;
		if (options->json)
			json_array_append_new(array, json_preset(preset));
		else
			show_preset(stdout, preset);
	}
	if (!options->json)
		return 0;
	return kv_json_print(stdout, json_pack("{s:s, s:o}", "schema", KV_PRESETS_SCHEMA,
					       "presets", array), error);
}

/* kverbs presets */
int kv_cmd_presets(int argc, char **argv)
{
	struct kv_options options;
	struct kv_error error;

	if (kv_options_parse(argc, argv, KV_FOR_PRESETS, &options, &error))
		return kv_error_print(&error);
	if (options.help) {
		kv_options_help(stdout, "presets", KV_FOR_PRESETS,
				"Lists the presets of run and compare: what each answers, and its options.");
		return KV_EXIT_GOOD;
	}
	return show(&options, &error) ? kv_error_print(&error) : KV_EXIT_GOOD;
}
