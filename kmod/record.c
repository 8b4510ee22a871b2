// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What others post. While somebody has the tracepoint kverbs_record on, the post
 * functions of all devices have a kprobe, which tells each WR that it is given. With the
 * last user of the tracepoint, be it killed, the probes are gone.
 */
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "compat.h"
#include "record.h"
#include "trace.h"

/**
 * struct kv_probed - a function that posts, of one device or of several
 * @entry: in the list
 * @function: address
 * @devices: that have it
 * @kp: probe, with @on
 * @on: it is there
 * @missed: calls that probes before @kp have missed
 * @rc: why there is none
 */
struct kv_probed {
	struct list_head entry;
	void *function;
	unsigned int devices;
	struct kprobe kp;
	bool on;
	u64 missed;
	int rc;
};

static LIST_HEAD(kv_probed_list);
static DEFINE_MUTEX(kv_record_lock);	/* the list, kv_recording */
static bool kv_recording;

u64 kv_record_bytes(const struct ib_send_wr *wr)
{
	u64 bytes = 0;
	int i;

	if (wr->opcode == IB_WR_REG_MR)
		return reg_wr(wr)->mr->length;
	for (i = 0; i < wr->num_sge && i < KV_RECORD_WRS; i++)
		bytes += wr->sg_list[i].length;
	return bytes;
}

/* the caller's chain is as good as the driver is about to find it, but is it one? */
static int kv_record_call(struct kprobe *kp, struct pt_regs *regs)
{
	const struct ib_qp *qp = kv_call_argument(regs, 0);
	const struct ib_send_wr *first = kv_call_argument(regs, 1), *wr;
	struct kv_recorded told = {};

	if (!qp)
		return 0;
	for (wr = first; wr && told.chain <= KV_RECORD_WRS; wr = wr->next)
		told.chain++;
	wr = first;
	do {
		told.wr = wr;
		trace_kverbs_record(qp, &told);
		wr = wr ? wr->next : NULL;
	} while (wr && ++told.index < KV_RECORD_WRS);
	return 0;
}

static int kv_probe(struct kv_probed *probed)
{
	memset(&probed->kp, 0, sizeof(probed->kp));
	probed->kp.addr = probed->function;
	probed->kp.pre_handler = kv_record_call;
	probed->rc = kv_can_call_argument() ? register_kprobe(&probed->kp) : -EOPNOTSUPP;
	probed->on = !probed->rc;
	return probed->rc;
}

static void kv_unprobe(struct kv_probed *probed)
{
	if (!probed->on)
		return;
	unregister_kprobe(&probed->kp);
	probed->missed += probed->kp.nmissed;
	probed->on = false;
}

int kv_record_begin(void)
{
	struct kv_probed *probed;
	unsigned int on = 0;
	int rc = 0;

	mutex_lock(&kv_record_lock);
	list_for_each_entry(probed, &kv_probed_list, entry) {
		if (kv_probe(probed))
			rc = probed->rc;
		else
			on++;
	}
	/* a device that cannot be probed keeps no other one from being recorded */
	if (on)
		rc = 0;
	kv_recording = !rc;
	mutex_unlock(&kv_record_lock);
	return rc;
}

void kv_record_end(void)
{
	struct kv_probed *probed;

	mutex_lock(&kv_record_lock);
	kv_recording = false;
	list_for_each_entry(probed, &kv_probed_list, entry)
		kv_unprobe(probed);
	mutex_unlock(&kv_record_lock);
}

static struct kv_probed *kv_probed_find(const void *function)
{
	struct kv_probed *probed;

	list_for_each_entry(probed, &kv_probed_list, entry) {
		if (probed->function == function)
			return probed;
	}
	return NULL;
}

/**
 * kv_record_add - a device has come
 * @function: that posts to it; kv_record_remove() is called before it is gone
 * Return: 0, or -ENOMEM
 */
int kv_record_add(void *function)
{
	struct kv_probed *probed;
	int rc = 0;

	mutex_lock(&kv_record_lock);
	probed = kv_probed_find(function);
	if (!probed) {
		probed = kzalloc(sizeof(*probed), GFP_KERNEL);
		if (!probed) {
			rc = -ENOMEM;
			goto out;
		}
		probed->function = function;
		list_add_tail(&probed->entry, &kv_probed_list);
		if (kv_recording)
			kv_probe(probed);
	}
	probed->devices++;
out:
	mutex_unlock(&kv_record_lock);
	return rc;
}

/**
 * kv_record_remove - a device goes
 * @function: as it was added; its driver may be unloaded afterwards
 */
void kv_record_remove(void *function)
{
	struct kv_probed *probed;

	mutex_lock(&kv_record_lock);
	probed = kv_probed_find(function);
	if (probed && !--probed->devices) {
		kv_unprobe(probed);
		list_del(&probed->entry);
		kfree(probed);
	}
	mutex_unlock(&kv_record_lock);
}

/**
 * kv_record_show - what is recorded
 * @m: takes a line a function
 */
void kv_record_show(struct seq_file *m)
{
	struct kv_probed *probed;

	mutex_lock(&kv_record_lock);
	list_for_each_entry(probed, &kv_probed_list, entry)
		seq_printf(m, "%ps probed %u errno %d missed %llu\n", probed->function,
			   probed->on, -probed->rc,
			   probed->missed + (probed->on ? probed->kp.nmissed : 0));
	mutex_unlock(&kv_record_lock);
}
