// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Documents: what was written is read again, and what is wrong is refused by a line. */
#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "document.h"
#include "format.h"
#include "kverbs.h"
#include "options.h"
#include "report.h"
#include <cmocka.h>

#define LANES	3

static struct kv_error error;
static struct kv_report report;
static char path[32] = "/tmp/kverbs-document.XXXXXX";
static u64 dice = 88172645463325252ULL;

static u64 roll(void)
{
	dice ^= dice << 13;
	dice ^= dice >> 7;
	return dice ^= dice << 17;
}

/* two initiators and a responder, which have done something */
static void make_report(u32 unit)
{
	struct kv_job job = KV_JOB_INIT;
	struct kv_result *result = kv_result_new(LANES);
	u32 i, metric, n;

	memset(&report, 0, sizeof(report));
	job.chain = 1;
	result->engine = "kernel";
	result->state = KVERBS_STATE_DONE;
	result->reason = KVERBS_REASON_COMPLETE;
	result->job = job;
	result->granted = job;
	strcpy(result->clock.name, "test");
	result->clock.mult = unit == KV_UNIT_NS ? 7989144 : 1 << 24;
	result->clock.shift = 24;
	result->clock.unit = unit;
	for (i = 0; i < LANES; i++) {
		struct kv_lane_result *lane = &result->lane[i];

		lane->role = i == 2 ? KVERBS_ROLE_RESPONDER : KVERBS_ROLE_INITIATOR;
		lane->stat.ops = 2000;
		lane->stat.wall = 100000000;
		for (metric = 0; metric < __KVERBS_METRIC_MAX; metric++) {
			lane->hist[metric] = malloc(sizeof(struct kv_hist));
			kv_hist_clear(lane->hist[metric]);
			/* of the responder that alone; no run has both rtt and response or io */
			if (metric == KVERBS_METRIC_RESPONSE || metric == KVERBS_METRIC_IO ||
			    metric == KVERBS_METRIC_RECOVER || metric == KVERBS_METRIC_SETUP)
				continue;
			if (i == 2 ? metric != KVERBS_METRIC_RECV_POLL :
				     metric == KVERBS_METRIC_RECV_POLL)
				continue;
			for (n = 0; n < 2000; n++)
				kv_hist_add(lane->hist[metric], 30000 + roll() % 50 * 1000);
		}
		kv_hist_add(lane->hist[KVERBS_METRIC_POLL], 3ULL << KV_HIST_VALUE_BITS);
	}
	report.result = result;
	kv_summarize(result, &report.summary);
	kv_check_result(result, &report.checks);
}

static json_t *make_env(void)
{
	struct kv_env env = { .kernel = "6.1.0", .cpu = "a CPU", .cpus = 2, .device = "rxe0",
			      .port = 1, .facts = { .driver = "rdma_rxe", .software = 1 } };

	return kv_json_env(&env);
}

static json_t *make_document(u32 unit)
{
	json_t *json;

	make_report(unit);
	json = json_pack("{s:s, s:[s, s, s, s], s:o, s:o}", "schema", KV_RUN_SCHEMA, "command",
			 "kverbs", "run", "-n", "2000", "environment", make_env(),
			 "run", kv_json_report(&report, true));
	assert_non_null(json);
	return json;
}

static void assert_same(double a, double b)
{
	if (isnan(a) != isnan(b) || (!isnan(a) && fabs(a - b) > fabs(a) / 1000000))
		fail_msg("%.12g is not %.12g", a, b);
}

static void same_figure(const struct kv_figure *a, const struct kv_figure *b)
{
	assert_true(a->count == b->count && a->same == b->same && a->other == b->other &&
		    a->disturbed == b->disturbed && a->width == b->width);
	assert_same(a->min, b->min);
	assert_same(a->mean, b->mean);
	assert_same(a->p50, b->p50);
	assert_same(a->p90, b->p90);
	assert_same(a->p99, b->p99);
	assert_same(a->p999, b->p999);
	assert_same(a->max, b->max);
}

/* what the figures were made from gives them again */
static void same_hist(const struct kv_figure *figure, const struct kv_sparse *hist)
{
	assert_true(figure->count == hist->count);
	if (!hist->count)
		return;
	assert_same(figure->min, (double)hist->min);
	assert_same(figure->max, (double)hist->max);
	/* rounded to whole ns, lane by lane */
	assert_true(fabs(figure->mean - kv_sparse_mean(hist)) < 1);
	assert_true(fabs(figure->p50 - kv_sparse_quantile(hist, 0.5)) <= 2);
	if (fabs(figure->p99 - kv_sparse_quantile(hist, 0.99)) > 2)
		fail_msg("p99 %.3f is not %.3f", figure->p99, kv_sparse_quantile(hist, 0.99));
}

static void round_trip(u32 unit)
{
	json_t *json = make_document(unit);
	const struct kv_summary *a = &report.summary, *b;
	struct kv_doc *doc;
	u32 i;

	assert_int_equal(json_dump_file(json, path, JSON_REAL_PRECISION(9)), 0);
	json_decref(json);
	doc = kv_doc_load(path, &error);
	if (!doc)
		fail_msg("%s", error.text);
	assert_int_equal(doc->kind, KV_DOC_RUN);
	assert_int_equal(doc->unit, unit);
	assert_true(doc->software && doc->npoints == 1 && doc->point->measured);
	assert_string_equal(doc->point->run.job.op, "write");
	assert_int_equal(doc->point->run.job.size, 64);
	b = &doc->point->run.summary;
	for (i = 0; i < __KVERBS_METRIC_MAX; i++) {
		same_figure(&a->metric[i], &b->metric[i]);
		same_hist(&a->metric[i], &doc->point->run.hist[i]);
	}
	assert_true(a->ops == b->ops);
	assert_same(a->post_wr, b->post_wr);
	if (unit == KV_UNIT_NS) {
		assert_same(a->ops_s, b->ops_s);
		assert_same(a->window_s, b->window_s);
		assert_same(a->op_ns, b->op_ns);
		assert_same(a->share_rest, b->share_rest);
	}
	kv_doc_free(doc);
	kv_report_free(&report);
}

static void test_round_trip(void **state)
{
	round_trip(KV_UNIT_NS);
	round_trip(KV_UNIT_INSN);
}

/* the member at "a.b.0.c" of a document becomes @value; taken over */
static void set_at(json_t *json, const char *where, json_t *value)
{
	char text[128], *key, *next;

	snprintf(text, sizeof(text), "%s", where);
	for (key = text; (next = strchr(key, '.')); key = next + 1) {
		*next = '\0';
		json = json_is_array(json) ? json_array_get(json, (size_t)atoi(key)) :
					     json_object_get(json, key);
		assert_non_null(json);
	}
	if (!value)
		assert_int_equal(json_object_del(json, key), 0);
	else if (json_is_array(json))
		json_array_set_new(json, (size_t)atoi(key), value);
	else
		json_object_set_new(json, key, value);
}

static void test_refused(void **state)
{
#define HIST	"run.lanes.0.histograms.lat"
	static const struct {
		const char *where;
		const char *value;	/* JSON; NULL: there is none */
		const char *said;
	} bad[] = {
		{ "schema", "\"kverbs-run/2\"", "this kverbs reads kverbs-run/1" },
		{ "schema", "\"fio\"", "is not what kverbs" },
		{ "schema", "7", "is not what kverbs" },
		{ "schema", NULL, "is not what kverbs" },
		{ "environment", NULL, "environment is missing" },
		{ "environment.device", "\"\\u001b[2J\"", "control characters" },
		{ "environment.kernel", "\"\\u009b2J\"", "control characters" },
		{ "environment.software_device", "1", "neither true nor false" },
		{ "command", "[1]", "no string" },
		{ "command", "\"rm\"", "is no array" },
		{ "run", "[]", "run is no object" },
		{ "run.clock.unit", "\"us\"", "neither ns nor insn" },
		{ "run.clock.unit", "\"insn\"", "is missing" },
		{ "run.clock.mult", "0", "beyond the last" },
		{ "run.clock.mult", "4294967296", "no clock's" },
		{ "run.clock.shift", "33", "no clock's" },
		{ "run.asked.steps", "[]", "is no object" },
		{ "run.asked.shape", "null", "is no string" },
		{ "run.summary.operations", "-1", "is negative" },
		{ "run.summary.operations", "1.5", "no whole number" },
		{ "run.summary.metrics.lat.p50_ns", "\"1\"", "no number" },
		{ "run.summary.metrics.lat.p50_ns", NULL, "is missing" },
		{ "run.lanes", "{}", "is no array" },
		{ "run.lanes.0", "[]", "is no object" },
		{ HIST ".count", "7", "not what the buckets hold" },
		{ HIST ".over", "9223372036854775807", "not what the buckets hold" },
		{ HIST ".min_ns", "99999999999", "above the largest" },
		{ HIST ".buckets_low_ns", "[[1, 2], [0, 1]]", "not in order" },
		{ HIST ".buckets_low_ns", "[[1, 9223372036854775807], [2, 9223372036854775807]]",
		  "overflow" },
		{ HIST ".buckets_low_ns", "[[1, -2]]", "[LOW, COUNT]" },
		{ HIST ".buckets_low_ns", "[[1, 0]]", "[LOW, COUNT]" },
		{ HIST ".buckets_low_ns", "[1, 2]", "[LOW, COUNT]" },
		{ HIST ".buckets_low_ns", "[[9223372036854775807, 1]]", "beyond the last" },
	};
	u32 i;

	for (i = 0; i < KV_ARRAY_SIZE(bad); i++) {
		json_t *json = make_document(KV_UNIT_NS);
		struct kv_doc *doc;

		set_at(json, bad[i].where,
		       bad[i].value ? json_loads(bad[i].value, JSON_DECODE_ANY, NULL) : NULL);
		doc = kv_doc_of(json, "FILE", &error);
		if (doc)
			fail_msg("%s = %s: taken", bad[i].where, bad[i].value);
		if (!strstr(error.text, bad[i].said))
			fail_msg("%s = %s: %s", bad[i].where, bad[i].value, error.text);
		assert_int_equal(error.status, KV_EXIT_USAGE);
		assert_int_equal(strncmp(error.text, "FILE: ", 6), 0);
		assert_null(strchr(error.text, '\n'));
		kv_report_free(&report);
	}
}

static void write_file(const void *text, size_t size)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, size, file), size);
	fclose(file);
}

static void test_no_json(void **state)
{
	static const char *const text[] = {
		"", "{", "[]", "null", "{\"schema\": NaN}", "{\"schema\": 1e999}", "\177ELF",
		"{\"schema\": \"kverbs-run/1\", \"schema\": \"kverbs-run/1\"}",
		"{\"schema\": \"kverbs-run/1\"} x", "{\"schema\": \"\\ud800\"}", "\xff\xfe",
		"{\"schema\": 99999999999999999999999}",
	};
	char *deep = malloc(1 << 20);
	u32 i;

	for (i = 0; i < KV_ARRAY_SIZE(text); i++) {
		write_file(text[i], strlen(text[i]));
		if (kv_doc_load(path, &error))
			fail_msg("%s: taken", text[i]);
		assert_int_equal(error.status, KV_EXIT_USAGE);
	}
	memset(deep, '[', 1 << 20);
	write_file(deep, 1 << 20);
	assert_null(kv_doc_load(path, &error));
	for (i = 0; i < 1 << 20; i++)
		deep[i] = "{\"a\":"[i % 5];
	write_file(deep, 1 << 20);
	assert_null(kv_doc_load(path, &error));
	free(deep);
	assert_null(kv_doc_load("/nonexistent/file", &error));
	assert_non_null(strstr(error.text, "/nonexistent/file: No such file"));
	assert_null(kv_doc_load("/", &error));
	assert_int_equal(error.status, KV_EXIT_USAGE);
}

/* every form of a document that was taken can be written, or is refused by a line */
static void write_forms(const struct kv_doc *doc)
{
	FILE *null = fopen("/dev/null", "w");
	u32 format;

	for (format = KV_FORMAT_CSV; format < KV_FORMATS; format++)
		kv_format_write(format, doc, null, &error);
	fclose(null);
}

static void test_mutations(void **state)
{
	json_t *json = make_document(KV_UNIT_NS), *lanes;
	char *text, *copy;
	size_t size, i, at;
	u32 taken = 0;

	/* of the histograms one is enough */
	lanes = json_object_get(json_object_get(json, "run"), "lanes");
	set_at(json, "run.lanes", json_pack("[O]", json_array_get(lanes, 0)));
	text = json_dumps(json, JSON_COMPACT);
	json_decref(json);
	size = strlen(text);
	copy = malloc(size);
	for (i = 0; i < 4000; i++) {
		struct kv_doc *doc;

		memcpy(copy, text, size);
		for (at = 0; at <= i % 3; at++)
			copy[roll() % size] = "0123456789-.,:[]{}\"eanul\x1b\xff"[roll() % 26];
		/* a third is cut off too */
		write_file(copy, i % 3 ? size : roll() % size);
		doc = kv_doc_load(path, &error);
		if (doc) {
			write_forms(doc);
			taken++;
		} else {
			assert_int_equal(error.status, KV_EXIT_USAGE);
		}
		kv_doc_free(doc);
	}
	/* digits of counters that nothing reads are changed now and then */
	assert_true(taken > 10);
	free(copy);
	free(text);
	kv_report_free(&report);
}

/* what a form of the document says */
static char *form(u32 format, u32 unit)
{
	json_t *json = make_document(unit);
	struct kv_doc *doc = kv_doc_of(json, "FILE", &error);
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(doc);
	if (kv_format_write(format, doc, file, &error))
		fail_msg("%s", error.text);
	fclose(file);
	kv_doc_free(doc);
	return text;
}

/* the command is in the document, which holds nothing but UTF-8 */
static void test_command(void **state)
{
	static const struct {
		char *word[3];
		bool good;
	} cases[] = {
		{ { "run", "-d", "rxe\303\2600" }, true },
		{ { "run", "-d", "rxe\3600" }, false },
		{ { "run", "-d\377", "--help" }, false },
		{ { "run", "--op", "write" }, true },
	};
	static struct kv_options options;
	json_t *words;
	u32 i;

	for (i = 0; i < KV_ARRAY_SIZE(cases); i++) {
		int rc = kv_options_parse(3, (char **)cases[i].word, KV_FOR_RUN, &options, &error);

		assert_int_equal(rc, -!cases[i].good);
		if (rc) {
			assert_string_equal(error.text,
					    "device: not UTF-8, as the command of a document has to be");
			assert_int_equal(error.status, KV_EXIT_USAGE);
			continue;
		}
		/* "kverbs", "run", the device where none is given, and the words */
		words = kv_options_command(&options, "run", "rxe0");
		assert_int_equal(json_array_size(words), options.device ? 4 : 6);
		json_decref(words);
	}
}

static void test_csv(void **state)
{
	char *text = form(KV_FORMAT_CSV, KV_UNIT_NS), *line = strchr(text, '\n');
	u32 names = 0, values = 0, lines = 0;
	const char *at;

	for (at = text; at < line; at++)
		names += *at == ',';
	for (at = line + 1; *at && *at != '\n'; at++)
		values += *at == ',';
	for (at = text; *at; at++)
		lines += *at == '\n';
	assert_int_equal(names, values);
	assert_int_equal(lines, 2);
	assert_non_null(strstr(text, ",lat_p99_9_ns,"));
	assert_non_null(strstr(line, "\nrxe0,rdma_rxe,1,6.1.0,kernel,measured,write,64,"));
	free(text);
	kv_report_free(&report);
}

/* shares rise, counts do not fall, and the last line has all */
static void test_hgrm(void **state)
{
	char *text = form(KV_FORMAT_HGRM, KV_UNIT_NS), *save = NULL, *line;
	double value, share, before = -1;
	unsigned long long count, most = 0;
	u32 lines = 0;

	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (*line == '#' || sscanf(line, "%lf %lf %llu", &value, &share, &count) != 3)
			continue;
		assert_true(share > before && share <= 1 && count >= most);
		before = share;
		most = count;
		lines++;
	}
	assert_true(share == 1 && lines > 20);
	assert_true(most == report.summary.metric[KVERBS_METRIC_RTT].count);
	assert_true(value == report.summary.metric[KVERBS_METRIC_RTT].max);
	free(text);
	kv_report_free(&report);
}

static void test_commit(void **state)
{
	u32 unit, lines;

	for (unit = 0; unit < KV_UNITS; unit++) {
		char *text = form(KV_FORMAT_COMMIT, unit), *save = NULL, *line;

		assert_non_null(strstr(text, "\nrerun: kverbs run -n 2000\n"));
		assert_non_null(strstr(text, "software device"));
		lines = 0;
		for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
			assert_true(strlen(line) <= 72);
			lines++;
		}
		assert_true(lines >= 3 && lines <= 8);
		free(text);
		kv_report_free(&report);
	}
}

/* half a round trip, in us, as its programs print it */
static void test_perftest(void **state)
{
	char *text = form(KV_FORMAT_PERFTEST, KV_UNIT_NS), *line = strstr(text, "\n 64 ");
	double value[5] = { 0 };
	char *end = line;
	u32 i;

	assert_non_null(line);
	assert_non_null(strstr(text, "#bytes #iterations    t_min[usec]"));
	for (i = 0; i < KV_ARRAY_SIZE(value); i++)
		value[i] = strtod(end, &end);
	assert_same(value[1], (double)report.summary.metric[KVERBS_METRIC_RTT].count);
	assert_true(fabs(value[3] - report.summary.metric[KVERBS_METRIC_RTT].max / 2000) < 0.006);
	assert_true(fabs(value[4] - report.summary.metric[KVERBS_METRIC_RTT].p50 / 2000) < 0.006);
	free(text);
	kv_report_free(&report);
}

static int teardown(void **state)
{
	unlink(path);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_no_json),
		cmocka_unit_test(test_mutations),
		cmocka_unit_test(test_command),
		cmocka_unit_test(test_csv),
		cmocka_unit_test(test_hgrm),
		cmocka_unit_test(test_commit),
		cmocka_unit_test(test_perftest),
	};

	close(mkstemp(path));
	return cmocka_run_group_tests(tests, NULL, teardown);
}
