/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the parts of the tool offer each other: subcommands, errors, names,
 * the terminal, the clock.
 */
#ifndef KV_KVERBS_H
#define KV_KVERBS_H

#include <stdbool.h>
#include <stdarg.h>
#include "engine.h"
#include "unit.h"

/*
 * Subcommands. argv[0] is the subcommand's name. Each prints what it has to say
 * and returns the exit status of the tool (enum kv_exit).
 */
int kv_cmd_devices(int argc, char **argv);
int kv_cmd_run(int argc, char **argv);
int kv_cmd_compare(int argc, char **argv);
int kv_cmd_report(int argc, char **argv);
int kv_cmd_diff(int argc, char **argv);
int kv_cmd_rerun(int argc, char **argv);
int kv_cmd_presets(int argc, char **argv);
int kv_cmd_doctor(int argc, char **argv);
int kv_cmd_explain(int argc, char **argv);
int kv_cmd_trace(int argc, char **argv);
int kv_cmd_record(int argc, char **argv);

/* run.c and compare.c: what a command line asked for */
struct kv_options;
int kv_run_as(const struct kv_options *options);
int kv_compare_as(const struct kv_options *options);

/* output.c */
int kv_output_to(const char *path, struct kv_error *error);
int kv_output_file(const char *path, const void *data, size_t size, struct kv_error *error);
int kv_output_end(int status);	/* returns the exit status */

/* error.c */
int kv_error_set(struct kv_error *error, int status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));	/* always returns -1 */
int kv_error_print(const struct kv_error *error);	/* returns ->status */
const char *kv_setup_errno(int err);
void kv_remark_add(char *text, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* names.c: enumerations by the names that options and outputs use */
const char *kv_op_name(u32 op);
#define KV_STEPS_TEXT	160

const char *kv_steps_name(const struct kv_job *job, char text[KV_STEPS_TEXT]);
const char *kv_op_list(void);	/* "write, read or send", of all there are */
const char *kv_transport_name(u32 transport);
const char *kv_gid_kind_name(u32 type);	/* enum kverbs_gid_type */
const char *kv_shape_name(u32 shape);
const char *kv_timing_name(u32 timing);
const char *kv_clock_kind_name(u32 clock);
const char *kv_wait_name(u32 wait);
const char *kv_local_key_name(u32 key);
const char *kv_check_data_name(u32 check);
const char *kv_pace_name(u32 pace);
const char *kv_api_name(u32 api);
const char *kv_api_calls(u32 api);
const char *kv_switch_name(u32 on);
const char *kv_context_name(u32 context);
const char *kv_post_from_name(u32 from);
const char *kv_pattern_name(u32 pattern);
const char *kv_provoke_name(u32 provoke);
const char *kv_reg_name(u32 reg);
const char *kv_reg_wait_name(u32 wait);
const char *kv_dma_map_name(u32 map);
const char *kv_delay_at_name(u32 at);
const char *kv_memory_name(u32 memory);
const char *kv_exchange_inv_name(u32 inv);
const char *kv_recover_name(u32 recover);
const char *kv_access_name(u32 access);
const char *kv_odp_name(u32 odp);
const char *kv_sg_list_name(u32 list);
const char *kv_refill_name(u32 refill);
const char *kv_cq_name(u32 cq);
const char *kv_connect_name(u32 connect);
const char *kv_flush_type_name(u32 type);
const char *kv_flush_level_name(u32 level);
const char *kv_relaxed_ordering_name(u32 on);

typedef const char *(*kv_name_fn)(u32 value);

kv_name_fn kv_field_names(u32 attr);
const char *kv_field_key(const char *member, const char *unit, char key[KV_UNIT_KEY]);
const char *kv_state_name(u32 state);
const char *kv_reason_name(u32 reason);	/* "device gone" */
const char *kv_role_name(u32 role);
const char *kv_metric_name(u32 metric);
const char *kv_link_name(u32 link);
const char *kv_as_name(u32 as);
const char *kv_expect_name(u32 expect);
const char *kv_callees_name(u32 callees);

/* terminal.c */
bool kv_is_terminal(FILE *file);
const char *kv_bold(FILE *file);	/* escapes, "" when not a terminal */
const char *kv_plain(FILE *file);
void kv_progress(const char *fmt, ...)	/* one line on stderr, terminal only */
	__attribute__((format(printf, 1, 2)));
void kv_progress_end(void);		/* wipes it */

/* interrupt.c: Ctrl-C, or a terminal that goes, ends the measurement; a second Ctrl-C the tool */
void kv_interrupt_catch(void);
bool kv_interrupted(void);

/* clock.c */
double kv_seconds(void);
void kv_clock_use(const struct kv_clock_info *info);	/* the module's factor */
int kv_clock_get(u32 kind, struct kv_clock_info *info, struct kv_error *error);

#endif /* KV_KVERBS_H */
