// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What was posted becomes patterns, and these a job. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <setjmp.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "kverbs.h"
#include "options.h"
#include "recorded.h"

#define SIG	KV_REC_SIGNALED

static struct kv_recorded *rec;
static u64 now;

static int begin(void **state)
{
	rec = calloc(1, sizeof(*rec));
	now = 1000;
	return !rec;
}

static int end(void **state)
{
	kv_recorded_free(rec);
	return 0;
}

/* a WR of QP @qpn; @index of @chain */
static int post(u32 qpn, u32 index, u32 chain, u32 opcode, u64 bytes, u32 flags)
{
	struct kv_rec_wr wr = {
		.qpn = qpn, .qp_type = KV_REC_QPT_RC, .index = index, .chain = chain,
		.opcode = opcode, .bytes = bytes, .flags = flags,
		.sges = opcode != KV_REC_REG_MR,
	};

	if (!index)
		now += 1000;
	return kv_recorded_take(rec, &wr, 0, now, "thread");
}

static void make(u32 qpn, struct kv_rec_job *job)
{
	kv_recorded_sort(rec);
	kv_rec_job_make(rec, qpn, job);
}

static bool noted(const struct kv_rec_job *job, const char *text)
{
	u32 i;

	for (i = 0; i < job->nnotes; i++) {
		if (strstr(job->note[i], text))
			return true;
	}
	return false;
}

static void test_chain(void **state)
{
	struct kv_rec_job job;
	u32 i, n;

	for (n = 0; n < 25; n++) {
		for (i = 0; i < 4; i++)
			post(17, i, 4, KV_REC_WRITE, 512, i == 3 ? SIG : 0);
	}
	post(17, 0, 1, KV_REC_REG_MR, 4096, SIG);
	post(18, 0, 1, KV_REC_SEND, 16, SIG);
	make(0, &job);
	assert_int_equal(job.qp->qpn, 17);
	assert_string_equal(job.op, "write");
	assert_string_equal(job.shape, "rate");
	assert_int_equal(job.size, 512);
	assert_int_equal(job.chain, 4);
	assert_int_equal(job.signal, 4);
	assert_int_equal(job.iterations, 100);
	assert_int_equal(job.same, 100);
	assert_int_equal(job.alike, 0);
	assert_int_equal(job.qp->wrs, 101);
	make(18, &job);
	assert_string_equal(job.op, "send");
	assert_int_equal(job.iterations, 1);
	make(19, &job);
	assert_null(job.qp);
}

/* intervals as they were, and the rate that they make */
static void test_paced(void **state)
{
	struct kv_rec_job job;
	u32 i;

	for (i = 0; i < 400; i++)
		post(17, 0, 1, KV_REC_SEND, i % 4 ? 64 : 80,
		     SIG | KV_REC_INLINE | KV_REC_SOLICITED);
	make(0, &job);
	assert_string_equal(job.shape, "paced");
	assert_int_equal(job.rate, 1000000);
	assert_int_equal(job.qp->nfirst, KVERBS_PACE_NS_MAX);
	assert_int_equal(job.qp->first[0], 1000);
	assert_int_equal(job.qp->gap[9], 399);
	assert_int_equal(job.inlined, 64);
	assert_int_equal(job.same, 300);
	assert_int_equal(job.alike, 100);
	assert_true(noted(&job, "SOLICITED"));
}

/* both ends of NVMe over RDMA are one job, whichever is chosen */
static void test_exchange(void **state)
{
	struct kv_rec_job job;
	u32 i;

	for (i = 0; i < 10; i++) {
		post(19, 0, 2, KV_REC_REG_MR, 4096, 0);
		post(19, 1, 2, KV_REC_SEND, 64, SIG);
		post(20, 0, 2, KV_REC_WRITE, 4096, 0);
		post(20, 1, 2, KV_REC_SEND_INV, 16, SIG);
	}
	make(0, &job);
	assert_int_equal(job.qp->qpn, 19);
	assert_int_equal(job.peer->qpn, 20);
	assert_string_equal(job.op, "write");
	assert_string_equal(job.reg, "exchange");
	assert_int_equal(job.size, 4096);
	assert_int_equal(job.iterations, 10);
	assert_int_equal(job.same, 20);
	make(20, &job);
	assert_int_equal(job.peer->qpn, 19);
	assert_string_equal(job.reg, "exchange");
	assert_int_equal(job.same, 20);
}

static void test_exchange_alone(void **state)
{
	struct kv_rec_job job;

	post(19, 0, 2, KV_REC_REG_MR, 4096, 0);
	post(19, 1, 2, KV_REC_SEND, 64, SIG);
	make(0, &job);
	assert_null(job.peer);
	assert_true(noted(&job, "the peer was not recorded"));
	/* of a WRITE without one that registered, what was posted */
	post(20, 0, 2, KV_REC_WRITE, 8192, 0);
	post(20, 1, 2, KV_REC_SEND, 16, SIG);
	make(20, &job);
	assert_null(job.reg);
	assert_string_equal(job.op, "write,send");
	assert_int_equal(job.size, 8192);
	assert_true(noted(&job, "size of the largest"));
}

static void test_registered(void **state)
{
	struct kv_rec_job job;

	post(19, 0, 3, KV_REC_REG_MR, 4096, 0);
	post(19, 1, 3, KV_REC_READ, 4096, SIG);
	post(19, 2, 3, KV_REC_LOCAL_INV, 0, SIG);
	make(0, &job);
	assert_string_equal(job.op, "read");
	assert_string_equal(job.reg, "io");
	assert_int_equal(job.same, 3);
}

/* what no job has as it is becomes part of it, and the share says so */
static void test_part(void **state)
{
	struct kv_rec_job job;
	u32 i;

	for (i = 0; i < 12; i++)
		post(19, i, 12, i % 6 ? KV_REC_WRITE : KV_REC_SEND, 100, SIG);
	make(0, &job);
	assert_string_equal(job.op, "write");
	assert_int_equal(job.chain, 5);
	assert_int_equal(job.same, 0);
	assert_int_equal(job.alike, 5);
	assert_true(noted(&job, "of chains of 12 WRs"));
}

/* chains with a hole, and chains of another kind of QP, make no job */
static void test_torn(void **state)
{
	struct kv_rec_wr user = { .qpn = 30, .qp_type = KV_REC_QPT_RC, .user = true };
	struct kv_rec_wr mad = { .qpn = 1, .qp_type = 1, .chain = 1, .opcode = KV_REC_SEND };
	struct kv_rec_job job;

	post(17, 0, 4, KV_REC_WRITE, 512, 0);
	post(17, 2, 4, KV_REC_WRITE, 512, 0);
	post(17, 3, 4, KV_REC_WRITE, 512, 0);
	assert_int_equal(rec->torn, 2);
	post(17, 0, 4, KV_REC_WRITE, 512, 0);
	kv_recorded_take(rec, &mad, 0, now, NULL);
	assert_int_equal(rec->torn, 3);
	kv_recorded_take(rec, &user, 0, now, NULL);
	assert_int_equal(kv_recorded_take(rec, &mad, KV_REC_CPUS, now, NULL), -1);
	assert_int_equal(rec->other_qps, 1);
	make(0, &job);
	assert_null(job.qp);
	assert_int_equal(rec->nqps, 3);
}

/* no number of QPs, chains or WRs is too large */
static void test_bounded(void **state)
{
	struct kv_rec_job job;
	u32 i;

	for (i = 0; i < KV_REC_QPS + 5; i++)
		post(100 + i, 0, 1, KV_REC_WRITE, 1, SIG);
	assert_int_equal(rec->nqps, KV_REC_QPS);
	assert_int_equal(rec->other_qps, 5);
	for (i = 0; i < KV_REC_PATTERNS + 7; i++)
		post(100, 0, 1, KV_REC_WRITE, 100 + i, SIG);
	for (i = 0; i < KV_RECORD_WRS; i++)
		post(101, i, KV_RECORD_WRS + 1, KV_REC_WRITE, 8, SIG);
	make(100, &job);
	assert_int_equal(job.qp->npatterns, KV_REC_PATTERNS);
	assert_int_equal(job.qp->other_posts, 8);
	make(101, &job);
	assert_int_equal(job.qp->npatterns, 2);
	assert_true(job.qp->pattern[0].cut);
	/* what was cut is not what a job is made of */
	assert_int_equal(job.size, 1);
}

/* is the job taken when it is read again? */
static void taken(const struct kv_rec_job *job)
{
	struct kv_error error;
	json_t *json;

	assert_non_null(job->qp);
	json = kv_rec_job_json(job);
	if (kv_job_file_check(json, &error))
		fail_msg("%s", error.text);
	json_decref(json);
}

/* what a field of a job cannot be becomes less, or another chain is taken */
static void test_limits(void **state)
{
	struct kv_rec_wr wr = {
		.qpn = 17, .qp_type = KV_REC_QPT_RC, .chain = 1, .opcode = KV_REC_WRITE,
		.sges = 300, .bytes = 1 << 20, .flags = SIG | KV_REC_INLINE,
	};
	struct kv_rec_job job;
	u32 i;

	kv_recorded_take(rec, &wr, 0, ++now, NULL);
	wr.qpn = 18;
	wr.bytes = 3;
	kv_recorded_take(rec, &wr, 0, ++now, NULL);
	wr.qpn = 22;
	wr.opcode = KV_REC_FADD;
	wr.flags = SIG;
	wr.sges = 2;
	wr.bytes = 8;
	kv_recorded_take(rec, &wr, 0, ++now, NULL);
	make(17, &job);
	taken(&job);
	assert_int_equal(job.sges, 64);
	assert_int_equal(job.inlined, 0);
	assert_true(noted(&job, "64 SGEs, those recorded 300"));
	assert_true(noted(&job, "not inline"));
	make(18, &job);
	taken(&job);
	assert_int_equal(job.sges, 3);
	assert_int_equal(job.inlined, 3);
	make(22, &job);
	taken(&job);
	assert_int_equal(job.sges, 1);

	/* without bytes, or with too many, most often: the next chain */
	for (i = 0; i < 30; i++) {
		post(19, 0, 1, KV_REC_SEND, 0, SIG);
		post(19, 0, 1, KV_REC_WRITE, KV_SIZE_MAX + 1ULL, SIG);
	}
	post(19, 0, 1, KV_REC_READ, 64, SIG);
	make(19, &job);
	taken(&job);
	assert_string_equal(job.op, "read");
	assert_true(noted(&job, "make no job: size"));
	/* of an exchange, and in a chain */
	post(20, 0, 2, KV_REC_REG_MR, 4ULL << 30, 0);
	post(20, 1, 2, KV_REC_SEND, 64, SIG);
	make(20, &job);
	assert_null(job.qp);
	post(20, 0, 2, KV_REC_WRITE, KV_SIZE_MAX + 1ULL, 0);
	post(20, 1, 2, KV_REC_SEND, 64, SIG);
	make(20, &job);
	assert_null(job.qp);
	post(21, 0, 1, KV_REC_WRITE, KV_SIZE_MAX, SIG);
	make(21, &job);
	taken(&job);
}

/* a thread's name is asked for once a QP */
static void test_new(void **state)
{
	struct kv_rec_wr wr = { .qpn = 1, .qp_type = KV_REC_QPT_RC, .chain = 1 };
	u32 i;

	for (i = 0; i < KV_REC_QPS; i++) {
		wr.qpn = i;
		assert_true(kv_recorded_new(rec, &wr));
		kv_recorded_take(rec, &wr, 0, ++now, NULL);
		assert_false(kv_recorded_new(rec, &wr));
	}
	wr.qpn = i;
	assert_false(kv_recorded_new(rec, &wr));
}

static int read_text(const char *text, struct kv_job *job, char *words[KV_JOB_FILE_WORDS],
		     struct kv_error *error)
{
	char path[] = "/tmp/kverbs-test-XXXXXX";
	int fd = mkstemp(path), rc, n = 0;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	rc = words ? kv_job_file_read(path, words, &n, error) :
		     kv_job_file_intervals(path, job, error);
	unlink(path);
	return rc < 0 ? rc : words ? n : rc;
}

#define JOB(members)	"{\"schema\": \"kverbs-job/1\", \"job\": " members "}"

static void test_files(void **state)
{
	static const struct {
		const char *text;
		const char *error;
	} bad[] = {
		{ "", "is no JSON" },
		{ "[]", "holds no job" },
		{ "{\"schema\": \"kverbs-run/1\"}", "its schema is 'kverbs-run/1'" },
		{ "{\"schema\": \"kverbs-job/1\"}", "job is missing" },
		{ JOB("null"), "nothing was recorded" },
		{ JOB("[]"), "job is no object" },
		{ JOB("{\"output\": \"/etc/passwd\"}"), "no field of a job" },
		{ JOB("{\"engine\": \"user\"}"), "no field of a job" },
		{ JOB("{\"job\": \"other\"}"), "no field of a job" },
		{ JOB("{\"pace\": \"trace:/etc/passwd\"}"), "names a file" },
		{ JOB("{\"size\": 1.5}"), "neither a whole number nor a name" },
		{ JOB("{\"size\": {}}"), "neither a whole number nor a name" },
		{ JOB("{\"op\": \"write\", \"op\": \"read\"}"), "is no JSON" },
	};
	char *words[KV_JOB_FILE_WORDS];
	struct kv_error error;
	struct kv_job job;
	u32 i;

	for (i = 0; i < KV_ARRAY_SIZE(bad); i++) {
		assert_int_equal(read_text(bad[i].text, NULL, words, &error), -1);
		if (!strstr(error.text, bad[i].error))
			fail_msg("%s: %s", bad[i].text, error.text);
	}
	assert_int_equal(read_text(JOB("{\"op\": \"write\", \"size\": 64, \"pace\": \"trace\"}"),
				   NULL, words, &error), 3);
	assert_string_equal(words[0], "--op=write");
	assert_string_equal(words[1], "--size=64");
	assert_int_equal(strncmp(words[2], "--pace=trace:/tmp/kverbs-test-", 30), 0);

	assert_int_equal(read_text("# ns\n1000 2000\n\n30,4 # end", &job, NULL, &error), 0);
	assert_int_equal(job.npace_ns, 4);
	assert_int_equal(job.pace_ns[3], 4);
	assert_int_equal(read_text("{\"schema\": \"kverbs-job/1\", \"intervals_ns\": [5, 6]}", &job,
				   NULL, &error), 0);
	assert_int_equal(job.npace_ns, 2);
}

static void test_bad_intervals(void **state)
{
	static const char *const bad[] = {
		"", "# nothing", "1 x", "-1", "1000000001", "99999999999999999999", "1e3", "0x10",
		"{\"schema\": \"kverbs-job/1\", \"intervals_ns\": [1.5]}",
		"{\"schema\": \"kverbs-job/1\", \"intervals_ns\": [-1]}",
		"{\"schema\": \"kverbs-job/1\", \"intervals_ns\": []}",
		"{\"schema\": \"kverbs-job/1\"}",
	};
	struct kv_error error;
	struct kv_job job;
	char many[2000];
	u32 i;

	for (i = 0; i < KV_ARRAY_SIZE(bad); i++) {
		if (read_text(bad[i], &job, NULL, &error) != -1)
			fail_msg("'%s' is taken", bad[i]);
	}
	for (i = 0; i < KVERBS_PACE_NS_MAX + 1; i++)
		memcpy(many + 2 * i, "1\n", 3);
	assert_int_equal(read_text(many, &job, NULL, &error), -1);
	assert_non_null(strstr(error.text, "more than 256"));
	assert_int_equal(kv_job_file_intervals("/nosuch", &job, &error), -1);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_chain), TEST(test_paced), TEST(test_exchange), TEST(test_exchange_alone),
		TEST(test_registered), TEST(test_part), TEST(test_torn), TEST(test_bounded),
		TEST(test_limits), TEST(test_new),
		TEST(test_files), TEST(test_bad_intervals),
	};

	return cmocka_run_group_tests_name("recorded", tests, NULL, NULL);
}
