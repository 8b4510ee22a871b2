// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * libFuzzer: what the module answers, of whatever version it is or pretends to be: what a run
 * says of itself, its lanes and histograms, devices, refusals; and then what the tool prints
 * of that run.
 *
 * An input is a row of messages: their length in two bytes, what they answer in one (enum
 * what), the command, flags, and attributes. Its first byte tells whether the rest is one
 * datagram as it is.
 */
#include "../../../user/genl.c"
#include "../../../user/engine_kernel.c"
#include "fuzz.h"
#include "report.h"

#define FAMILY	32
#define ROOM	8192

enum what {
	WHAT_RUN,
	WHAT_INFO,
	WHAT_DEVICE,
	WHAT_LANE,
	WHAT_HIST,
	WHAT_NEWS,	/* of the run, before the answer */
	WHAT_ACK,
	WHAT_DONE,
	WHATS,
};

static struct kv_genl genl = { .family = FAMILY };
static struct kv_run run;
static struct kv_result *result;
static struct kv_hist_dump dump;
static struct kv_module_info info;
static struct kv_dev *devices;
static struct nl_msg *question;
static FILE *nowhere;

static void begin(void)
{
	static const struct kv_job plain = KV_JOB_INIT;

	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	memset(&run, 0, sizeof(run));
	run.id = 1;
	run.job = plain;
	run.result.engine = "kernel";
	run.result.job = plain;
	run.result.granted = plain;
	run.result.clock = (struct kv_clock_info){ "tsc", .mult = 1 << 24, .shift = 24 };
	memset(&dump, 0, sizeof(dump));
	memset(&info, 0, sizeof(info));
	devices = NULL;
	result = NULL;
	kv_genl_on_notify(&genl, kv_kernel_take_run, &run);
	question = nlmsg_alloc_size(ROOM);
	genlmsg_put(question, 1, 1, FAMILY, 0, 0, KVERBS_CMD_RUN_NEW, KVERBS_GENL_VERSION);
	kv_kernel_put_job(question, &run.job);
}

/* lanes and histograms come when it is known how many there are, as they do in the tool */
static int have_lanes(struct kv_error *error)
{
	struct kv_lane_result *lane;

	if (result)
		return 0;
	result = kv_result_new(run.result.nlanes);
	if (!result)
		return kv_kernel_no_memory(error);
	lane = result->lane;
	*result = run.result;
	result->lane = lane;
	dump.result = result;
	return 0;
}

static kv_genl_fn taker(enum what what, void **arg, struct kv_error *error)
{
	switch (what) {
	case WHAT_INFO:
		*arg = &info;
		return kv_genl_take_info;
	case WHAT_DEVICE:
		*arg = &devices;
		return kv_genl_take_dev;
	case WHAT_LANE:
		if (have_lanes(error))
			return NULL;
		*arg = result;
		return kv_kernel_take_lane;
	case WHAT_HIST:
		*arg = &dump;
		return have_lanes(error) ? NULL : kv_kernel_take_hist;
	default:
		*arg = &run;
		return kv_kernel_take_run;
	}
}

/* its own memory, to the byte */
static int one(enum what what, u8 command, u8 flags, const u8 *data, size_t size,
	       struct kv_error *error)
{
	struct kv_answer answer = { .msg = question };
	size_t head = what == WHAT_ACK || what == WHAT_DONE ? NLMSG_HDRLEN :
							      NLMSG_HDRLEN + GENL_HDRLEN;
	struct nlmsghdr *hdr = calloc(1, NLMSG_ALIGN(head + size));
	struct genlmsghdr *generic = nlmsg_data(hdr);
	int rc;

	hdr->nlmsg_len = head + size;
	hdr->nlmsg_type = what == WHAT_ACK ? NLMSG_ERROR :
			  what == WHAT_DONE ? NLMSG_DONE : FAMILY;
	hdr->nlmsg_flags = flags << 4;
	hdr->nlmsg_seq = what == WHAT_NEWS ? 0 : nlmsg_hdr(question)->nlmsg_seq;
	if (head > NLMSG_HDRLEN)
		generic->cmd = what == WHAT_NEWS ? KVERBS_CMD_RUN_NTF : command;
	memcpy((char *)hdr + head, data, size);
	answer.fn = taker(what, &answer.arg, error);
	rc = answer.fn ? kv_genl_message(&genl, &answer, hdr, error) : -1;
	free(hdr);
	return rc;
}

static int rows(const u8 *data, size_t size, struct kv_error *error)
{
	size_t part;

	while (size >= 5) {
		part = data[0] | data[1] << 8;
		if (part > size - 5)
			part = size - 5;
		if (one(data[2] % WHATS, data[3], data[4], data + 5, part, error))
			return -1;
		data += 5 + part;
		size -= 5 + part;
	}
	return 0;
}

static int datagram(const u8 *data, size_t size, struct kv_error *error)
{
	struct kv_answer answer = { .msg = question, .fn = kv_kernel_take_run, .arg = &run };
	struct nlmsghdr *copy = malloc(size ? size : 1), *hdr;
	int len = size, rc = 0;

	memcpy(copy, data, size);
	for (hdr = copy; !rc && nlmsg_ok(hdr, len); hdr = nlmsg_next(hdr, &len))
		rc = kv_genl_message(&genl, &answer, hdr, error);
	free(copy);
	return rc;
}

static void print(struct kv_error *error)
{
	static struct kv_env env;
	struct kv_report report = { .result = result };

	if (kv_kernel_check_hists(result, error))
		return;
	kv_report_make(&report, KV_UNIT_NS);
	kv_print_report(nowhere, &env, &report);
	json_decref(kv_json_report(&report, true));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct kv_error error = { 0 };
	int rc = -1;

	begin();
	if (size)
		rc = data[0] & 1 ? datagram(data + 1, size - 1, &error) :
				   rows(data + 1, size - 1, &error);
	if (rc && size)
		fuzz_refused(&error);
	else
		fuzz_taken++;
	/* figures take a hundred times what messages do */
	if (!rc && result && size % 8 == 0)
		print(&error);
	if (run.result.reason)
		kv_kernel_failed(&run, &error);
	kv_result_free(result);
	kv_dev_free(devices);
	nlmsg_free(question);
	return 0;
}
