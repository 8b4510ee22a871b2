/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A run with all that is said about it, and the two forms it is printed in.
 */
#ifndef KV_REPORT_H
#define KV_REPORT_H

#include <stdbool.h>
#include <jansson.h>
#include "check.h"
#include "counters.h"
#include "device.h"
#include "health.h"
#include "interval.h"
#include "noise.h"
#include "summary.h"

#define KV_TEXT	24	/* room for a number as text */

/**
 * struct kv_env - where it was measured
 * @module: version of the module, or empty when it is not loaded
 * @link: of the port
 * @variables: of the environment, that steer providers
 * @finding: of each check of the host
 */
struct kv_env {
	char kernel[128];
	char machine[32];
	char cpu[128];
	char hypervisor[32];
	u32 cpus;
	char module[32];
	char device[KV_DEVICE_NAME];
	struct kv_device_facts facts;
	u32 port;
	u32 link;
	char variables[256];
	struct kv_found finding[KV_HEALTH_CHECKS];
};

/**
 * struct kv_report - one run
 * @result: owned
 * @failed_checks: of @checks
 * @counters: of the device, what they moved by; owned; NULL without memory
 * @beside: of the run beside it, without noise and counters; owned, NULL: there was none
 * @early: of a run beside another one: it ended without being told to
 */
struct kv_report {
	struct kv_result *result;
	struct kv_summary summary;
	struct kv_checks checks;
	u32 failed_checks;
	struct kv_noise noise;
	struct kv_counters *counters;
	struct kv_report *beside;
	bool early;
};

/**
 * struct kv_hook - what is done around the time that lanes run
 * @arg: of the functions
 * @begin: they are about to run
 * @over: asked now and then: is it to end?
 * @end: they have ended, or have not begun
 * @ms: from one question to the next
 */
struct kv_hook {
	void *arg;
	int (*begin)(void *arg, struct kv_error *error);
	bool (*over)(void *arg);
	void (*end)(void *arg);
	int ms;
};

/* env.c */
void kv_env_read(const char *device, const struct kv_job *job, struct kv_env *env);

/* wc.c */
const char *kv_wc_status_name(u32 status);
const char *kv_qp_state_name(u32 state);
const struct kv_lane_result *kv_provoked(const struct kv_result *result);
const char *kv_provoked_name(const struct kv_provoke_rule *rule);
void kv_explain(const struct kv_result *result, char *text, size_t size);

/* labels.c: what has to be said beside a figure */
const char *kv_label_lat(const struct kv_result *result);
const char *kv_label_time(u32 metric);
const char *kv_label_progress(const struct kv_result *result);
const char *kv_label_clock(const struct kv_clock_info *clock);
const char *kv_gid_type_name(u32 link, u32 gid_type);
u32 kv_gid_is_v2(u32 gid_type);

/* drive.c */
int kv_drive_watched(const struct kv_engine *engine, const char *device,
		     const struct kv_job *job, u32 unit, const char *what,
		     struct kv_intervals *intervals, const struct kv_hook *hook,
		     struct kv_report *report, struct kv_error *error);
void kv_report_make(struct kv_report *report, u32 unit);
void kv_report_free(struct kv_report *report);
int kv_report_status(const struct kv_report *report);

/* beside.c */
struct kv_with;
int kv_drive_with(const struct kv_with *with, const struct kv_engine *engine,
		  const char *device, const struct kv_job *job, u32 unit, const char *what,
		  struct kv_intervals *intervals, struct kv_report *report,
		  struct kv_error *error);
bool kv_beside_failed(const struct kv_report *report);
void kv_beside_why(const struct kv_report *report, struct kv_error *error);
json_t *kv_json_with(const struct kv_with *with);

/* print_text.c */
void kv_print_env(FILE *file, const struct kv_env *env);
void kv_print_report(FILE *file, const struct kv_env *env, const struct kv_report *report);
void kv_print_beside(FILE *file, const struct kv_report *report);
const char *kv_text_value(double value, u32 unit, char text[KV_TEXT]);
const char *kv_text_rate(double per_second, char text[KV_TEXT]);
const char *kv_text_size(u64 bytes, char text[KV_TEXT]);

/* print_json.c */
json_t *kv_json_real(double value);	/* null for NaN */
json_t *kv_json_hist(const struct kv_hist *hist, const struct kv_clock_info *clock);
json_t *kv_json_figure(struct kv_figure figure, u32 unit);
json_t *kv_json_env(const struct kv_env *env);
json_t *kv_json_clock(const struct kv_clock_info *clock);
json_t *kv_json_job(const struct kv_job *job);
void kv_json_paths(json_t *json, u64 same, u64 other, u64 disturbed, u64 width);
json_t *kv_json_report(const struct kv_report *report, bool histograms);
int kv_json_print(FILE *file, json_t *json, struct kv_error *error);

#endif /* KV_REPORT_H */
