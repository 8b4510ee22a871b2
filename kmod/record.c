// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What others post. While somebody has the tracepoint kverbs_record on, the post
 * functions of all devices have a kprobe, which tells each WR that it is given. They are
 * gone when the last user of the tracepoint switches it off or removes its instance;
 * one that is killed does neither, and the next kverbs command cleans up after it.
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
 * @rc: why there is none
 */
struct kv_probed {
	struct list_head entry;
	void *function;
	unsigned int devices;
	struct kprobe kp;
	bool on;
	int rc;
};

static LIST_HEAD(kv_probed_list);
static DEFINE_MUTEX(kv_record_lock);	/* all below, and the list */
static bool kv_recording;
static u64 kv_record_missed;	/* by probes that are gone; it never decreases */

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
	kv_record_missed += probed->kp.nmissed;
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
 * @m: takes a line a function, and how many calls all probes have missed so far
 */
void kv_record_show(struct seq_file *m)
{
	struct kv_probed *probed;
	u64 missed;

	mutex_lock(&kv_record_lock);
	missed = kv_record_missed;
	list_for_each_entry(probed, &kv_probed_list, entry) {
		seq_printf(m, "%ps probed %u errno %d\n", probed->function,
			   probed->on, -probed->rc);
		missed += probed->on ? probed->kp.nmissed : 0;
	}
	seq_printf(m, "missed %llu\n", missed);
	mutex_unlock(&kv_record_lock);
}

/**
 * kv_record_show_device - can what is posted to a device be recorded?
 * @m: takes a line
 * @name: of the device
 * @function: as it was added
 */
void kv_record_show_device(struct seq_file *m, const char *name,
			   const void *function)
{
	struct kv_probed *probed;

	mutex_lock(&kv_record_lock);
	probed = kv_probed_find(function);
	if (probed)
		seq_printf(m, "device %s probed %u errno %d %ps\n", name,
			   probed->on, -probed->rc, function);
	mutex_unlock(&kv_record_lock);
}
