/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What one kverbs record has, and how it is printed. */
#ifndef KV_RECORD_H
#define KV_RECORD_H

#include <jansson.h>
#include "recorded.h"
#include "report.h"

/**
 * struct kv_record - a recording
 * @device: recorded
 * @command: words of the command that ran meanwhile
 * @rec: what was posted
 * @job: made of it
 * @seconds: recorded
 * @lost: events that found no room
 * @missed: calls that the probe did not see
 * @missed_known: else @missed could not be read
 * @others: WRs of other devices
 */
struct kv_record {
	char device[KV_DEVICE_NAME];
	char **command;
	struct kv_recorded *rec;
	struct kv_rec_job job;
	double seconds;
	u64 lost;
	u64 missed;
	bool missed_known;
	u64 others;
};

void kv_record_print(FILE *file, const struct kv_record *record);
json_t *kv_record_json(const struct kv_record *record, const struct kv_env *env);

#endif /* KV_RECORD_H */
