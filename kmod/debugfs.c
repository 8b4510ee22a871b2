// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * debugfs: what a run is, does and has measured, as "name value" lines. Files may
 * be read at any moment; the figures of a RUNNING run are a moving picture.
 */
#include <linux/debugfs.h>
#include <linux/seq_file.h>

#include "clock.h"
#include "debugfs.h"
#include "device.h"
#include "record.h"
#include "run.h"

static struct dentry *kv_root;

static const char * const kv_state_names[] = {
	[KVERBS_STATE_NEW] = "NEW",
	[KVERBS_STATE_READY] = "READY",
	[KVERBS_STATE_RUNNING] = "RUNNING",
	[KVERBS_STATE_DONE] = "DONE",
	[KVERBS_STATE_FAILED] = "FAILED",
};

static int job_show(struct seq_file *m, void *v)
{
	struct kv_run *run = m->private;
	const struct kv_job *job = &run->granted;
	const struct kv_field *f;
	u64 value;
	u32 i;

	seq_printf(m, "device %s\n", run->device);
	for (i = 0; (f = kv_job_field(i)); i++) {
		if (kv_run_granted(run, f, &value))
			seq_printf(m, "%s %llu%s%s\n", f->name, value,
				   *f->unit ? " " : "", f->unit);
	}
	for (i = 0; i < job->nsteps; i++)
		seq_printf(m, "step %u %s %u bytes%s\n", i,
			   kv_op_rules[job->step[i].op].name,
			   job->step[i].size,
			   job->step[i].flags & KVERBS_STEP_WAIT ? " wait" : "");
	for (i = 0; i < job->ncpus; i++)
		seq_printf(m, "cpu %u\n", job->cpu[i]);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(job);

static int state_show(struct seq_file *m, void *v)
{
	struct kv_run *run = m->private;
	struct kv_run_status s;

	kv_run_status(run, &s);
	seq_printf(m, "state %s\nreason %u\nerrno %d\n", kv_state_names[s.state],
		   s.reason, s.err);
	if (*s.where)
		seq_printf(m, "where %s\n", s.where);
	if (s.reason == KVERBS_REASON_WC)
		seq_printf(m, "wc_status %s\nvendor_err 0x%x\nlane %u\nwr_id %llu\n",
			   ib_wc_status_msg(s.wc_status), s.wc_vendor,
			   s.err_lane, s.err_wr);
	if (s.reason == KVERBS_REASON_DATA)
		seq_printf(m, "message %llu\noffset %llu\nexpected 0x%02x\ngot 0x%02x\nlane %u\n",
			   s.err_wr, s.data_offset, s.data_expected,
			   s.data_got, s.err_lane);
	seq_printf(m, "lanes %u\nbytes %llu\n", run->nlanes, run->bytes);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(state);

#define KV_COUNTER_ROW(attr, member, name, unit)	{ name, unit },

static const struct {
	const char *name;
	const char *unit;
} kv_counters[] = { KV_COUNTERS(KV_COUNTER_ROW) };

static int counters_show(struct seq_file *m, void *v)
{
	struct kv_run *run = m->private;
	const struct kv_stat *stat;
	u32 i, j;

	for (i = 0; i < run->nlanes; i++) {
		stat = kv_run_lane_stat(run, i);
		if (!stat)
			continue;
		seq_printf(m, "lane %u cpu %u\nlane %u qpn %u\nlane %u inline_data %u bytes\n",
			   i, run->lane[i].cpu, i, run->lane[i].qpn, i,
			   run->lane[i].inline_data);
		for (j = 0; j < ARRAY_SIZE(kv_counters); j++)
			seq_printf(m, "lane %u %s %llu %s\n", i,
				   kv_counters[j].name,
				   kv_glance(((const u64 *)stat)[j]),
				   kv_counters[j].unit);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(counters);

#define KV_QP_STATE_NAME(name)	[IB_QPS_##name] = #name

static const char * const kv_qp_states[] = { KV_QP_STATES(KV_QP_STATE_NAME) };

/* numbers as 'rdma resource show qp' and 'cq' have them */
static int queues_show(struct seq_file *m, void *v)
{
	struct kv_run *run = m->private;
	struct kv_queues queues;
	u32 i, nth;

	seq_puts(m, "# lane end lqpn rqpn qp_state cqn cqe\n");
	if (kv_shape_rules[run->granted.shape].control)
		seq_puts(m, "# of this shape none: its lanes make and destroy QPs\n");
	for (i = 0; i < run->nep; i++) {
		for (nth = 0; kv_run_queues(run, i, nth, &queues); nth++)
			seq_printf(m, "%u %s %u %u %s %u %u\n", queues.lane,
				   queues.has_lane ? "lane" : "peer", queues.qpn,
				   queues.peer_qpn,
				   queues.state < ARRAY_SIZE(kv_qp_states) ?
				   kv_qp_states[queues.state] : "?",
				   queues.cq, queues.cqe);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(queues);

#define KV_METRIC_NAME(attr, name)	name,

static const char * const kv_metric_names[] = { KV_METRICS(KV_METRIC_NAME) };

static int histograms_show(struct seq_file *m, void *v)
{
	struct kv_run *run = m->private;
	u32 mult = kv_clock_desc(run->granted.clock)->mult;
	const struct kv_hist *h;
	u32 i, j, metric;

	seq_puts(m, "# lane metric from_ns to_ns count\n");
	for (i = 0; i < run->nlanes; i++) {
		for (metric = 0; metric < __KVERBS_METRIC_MAX; metric++) {
			h = kv_run_lane_hist(run, i, metric);
			for (j = 0; h && j < KV_HIST_BUCKETS; j++) {
				u64 count = kv_glance(h->bucket[j]);

				if (!count)
					continue;
				seq_printf(m, "%u %s %llu %llu %llu\n", i,
					   kv_metric_names[metric],
					   kv_clock_ns(kv_hist_low(j), mult,
						       KV_CLOCK_SHIFT),
					   kv_clock_ns(kv_hist_high(j), mult,
						       KV_CLOCK_SHIFT),
					   count);
			}
		}
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(histograms);

void kv_debugfs_add(struct kv_run *run)
{
	char name[16];

	snprintf(name, sizeof(name), "%u", run->id);
	run->dir = debugfs_create_dir(name, kv_root);
	debugfs_create_file("job", 0400, run->dir, run, &job_fops);
	debugfs_create_file("state", 0400, run->dir, run, &state_fops);
	debugfs_create_file("counters", 0400, run->dir, run, &counters_fops);
	debugfs_create_file("queues", 0400, run->dir, run, &queues_fops);
	debugfs_create_file("histograms", 0400, run->dir, run,
			    &histograms_fops);
}

/* waits for readers that are inside, so that the run can be freed after */
void kv_debugfs_remove(struct kv_run *run)
{
	debugfs_remove_recursive(run->dir);
	run->dir = NULL;
}

/* what a call of the data path is a call of: the verbs are inline functions */
static void device_tell(const struct kv_dev *dev, void *arg)
{
	const struct ib_device *ibdev = dev->ibdev;
	struct seq_file *m = arg;

	seq_printf(m, "%s post_send %pS\n", ibdev->name, ibdev->ops.post_send);
	seq_printf(m, "%s post_recv %pS\n", ibdev->name, ibdev->ops.post_recv);
	seq_printf(m, "%s poll_cq %pS\n", ibdev->name, ibdev->ops.poll_cq);
}

static int devices_show(struct seq_file *m, void *v)
{
	kv_devices_each(device_tell, m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(devices);

static void record_tell(const struct kv_dev *dev, void *arg)
{
	kv_record_show_device(arg, dev->ibdev->name, dev->post);
}

static int record_show(struct seq_file *m, void *v)
{
	kv_record_show(m);
	kv_devices_each(record_tell, m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(record);

int kv_debugfs_init(void)
{
	/* a kernel without debugfs, or locked down, measures all the same */
	kv_root = debugfs_create_dir("kverbs", NULL);
	debugfs_create_file("devices", 0400, kv_root, NULL, &devices_fops);
	debugfs_create_file("record", 0400, kv_root, NULL, &record_fops);
	return 0;
}

void kv_debugfs_exit(void)
{
	debugfs_remove_recursive(kv_root);
}
