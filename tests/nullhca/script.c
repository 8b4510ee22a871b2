// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What is to go wrong, one rule a write to debugfs nullhca/script:
 *
 *	CALL N fail ERRNO	the N-th CALL from now on fails; of post_send, the N-th WR
 *	CALL N event NUMBER	it raises this enum ib_event_type
 *	CALL N gone		the device begins to go away
 *	wc N status NUMBER	the N-th WC polled has this enum ib_wc_status
 *	wc N drop		it never comes
 *	wc N dup		it comes twice
 *	wc N swap		it comes after the next one
 *	wc N delay MS		it and all after it come so much later
 *	wc N overflow		its CQ has overrun: an event, and no WC any more
 *	reset			forget all rules
 *
 * Each rule acts once. Reading shows the rules, and how often each call was made since
 * the first of them.
 */
#include <linux/debugfs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "nullhca.h"

#define NULL_RULES	16

static const char *const null_call_name[NULL_CALLS] = {
	"alloc_pd", "create_cq", "create_qp", "modify_qp", "alloc_mr", "map_mr_sg",
	"query_port", "post_send", "post_recv", "poll_cq", "wc",
};

enum null_act {
	NULL_FAIL,
	NULL_EVENT,
	NULL_GONE,
	NULL_STATUS,	/* from here on: of wc, in the order of enum null_wc */
	NULL_DROP,
	NULL_DUP,
	NULL_SWAP,
	NULL_DELAY,
	NULL_OVERFLOW,
	NULL_ACTS,
};

static const struct {
	const char *name;
	bool arg;
} null_act_rule[NULL_ACTS] = {
	[NULL_FAIL] = { "fail", true },
	[NULL_EVENT] = { "event", true },
	[NULL_GONE] = { "gone" },
	[NULL_STATUS] = { "status", true },
	[NULL_DROP] = { "drop" },
	[NULL_DUP] = { "dup" },
	[NULL_SWAP] = { "swap" },
	[NULL_DELAY] = { "delay", true },
	[NULL_OVERFLOW] = { "overflow" },
};

struct null_rule {
	u32 call;
	u32 act;
	u32 arg;
	u64 at;		/* number of the call, from the first rule's writing on */
	bool done;
};

static DEFINE_SPINLOCK(null_script_lock);	/* all below */
static struct null_rule null_rules[NULL_RULES];
static u32 null_nrules;
static u64 null_calls[NULL_CALLS];
static struct dentry *null_dir;

static void null_act(const struct null_rule *rule, struct null_verdict *verdict)
{
	switch (rule->act) {
	case NULL_FAIL:
		verdict->err = -(int)rule->arg;
		break;
	case NULL_EVENT:
		verdict->event = rule->arg + 1;
		break;
	case NULL_GONE:
		null_unplug_later();
		break;
	case NULL_STATUS:
		verdict->status = rule->arg;
		fallthrough;
	default:
		verdict->wc = rule->act - NULL_STATUS + NULL_WC_STATUS;
		verdict->delay_ms = rule->arg;
	}
}

int null_script(enum null_call call, struct null_verdict *verdict)
{
	unsigned long flags;
	u32 i;

	memset(verdict, 0, sizeof(*verdict));
	if (!READ_ONCE(null_nrules))
		return 0;
	spin_lock_irqsave(&null_script_lock, flags);
	null_calls[call]++;
	for (i = 0; i < null_nrules; i++) {
		if (null_rules[i].call != call || null_rules[i].done ||
		    null_rules[i].at != null_calls[call])
			continue;
		null_rules[i].done = true;
		null_act(&null_rules[i], verdict);
	}
	spin_unlock_irqrestore(&null_script_lock, flags);
	return verdict->err;
}

/**
 * null_fails - a call is made that has no object to name in an event
 * @call: which
 * @ib: device
 * Return: what it returns at once, or 0
 */
int null_fails(enum null_call call, struct ib_device *ib)
{
	struct null_verdict verdict;
	int rc = null_script(call, &verdict);

	if (verdict.event)
		null_raise(ib, NULL, NULL, verdict.event - 1);
	return rc;
}

/**
 * null_raise - raise an asynchronous event
 * @ib: device
 * @qp: that it is about, or NULL
 * @cq: likewise
 * @event: enum ib_event_type
 */
void null_raise(struct ib_device *ib, struct ib_qp *qp, struct ib_cq *cq, u32 event)
{
	struct ib_event raised = { .device = ib, .event = event };

	if (event == IB_EVENT_CQ_ERR) {
		raised.element.cq = cq;
		if (cq && cq->event_handler)
			cq->event_handler(&raised, cq->cq_context);
	} else if (event == IB_EVENT_DEVICE_FATAL || event == IB_EVENT_PORT_ERR ||
		   event == IB_EVENT_PORT_ACTIVE) {
		raised.element.port_num = 1;
		ib_dispatch_event(&raised);
	} else if (qp && qp->event_handler) {
		raised.element.qp = qp;
		qp->event_handler(&raised, qp->qp_context);
	}
}

static void null_show_rule(struct seq_file *file, const struct null_rule *rule)
{
	seq_printf(file, "%s %llu %s", null_call_name[rule->call], rule->at,
		   null_act_rule[rule->act].name);
	if (null_act_rule[rule->act].arg)
		seq_printf(file, " %u", rule->arg);
	seq_puts(file, rule->done ? " # done\n" : "\n");
}

static int null_script_show(struct seq_file *file, void *unused)
{
	u32 i;

	spin_lock_irq(&null_script_lock);
	for (i = 0; i < null_nrules; i++)
		null_show_rule(file, &null_rules[i]);
	for (i = 0; i < NULL_CALLS; i++)
		seq_printf(file, "# %s %llu\n", null_call_name[i], null_calls[i]);
	spin_unlock_irq(&null_script_lock);
	return 0;
}

static int null_script_open(struct inode *inode, struct file *file)
{
	return single_open(file, null_script_show, NULL);
}

static int null_parse(const char *text, struct null_rule *rule)
{
	char call[16], act[16];
	int n = sscanf(text, "%15s %llu %15s %u", call, &rule->at, act, &rule->arg);
	bool has_arg = n == 4;

	if (n < 3 || !rule->at)
		return -EINVAL;
	for (rule->call = 0; rule->call < NULL_CALLS; rule->call++) {
		if (!strcmp(call, null_call_name[rule->call]))
			break;
	}
	for (rule->act = 0; rule->act < NULL_ACTS; rule->act++) {
		if (!strcmp(act, null_act_rule[rule->act].name))
			break;
	}
	if (rule->call == NULL_CALLS || rule->act == NULL_ACTS ||
	    null_act_rule[rule->act].arg != has_arg ||
	    (rule->act >= NULL_STATUS && rule->call != NULL_WC) ||
	    (rule->act == NULL_FAIL && (rule->call == NULL_WC || !rule->arg || rule->arg > 133)))
		return -EINVAL;
	return 0;
}

static int null_add(const struct null_rule *rule)
{
	int rc = 0;

	spin_lock_irq(&null_script_lock);
	if (null_nrules == NULL_RULES) {
		rc = -ENOSPC;
	} else {
		if (!null_nrules)
			memset(null_calls, 0, sizeof(null_calls));
		null_rules[null_nrules] = *rule;
		null_rules[null_nrules].at += null_calls[rule->call];
		null_nrules++;
	}
	spin_unlock_irq(&null_script_lock);
	return rc;
}

static ssize_t null_script_write(struct file *file, const char __user *from, size_t size,
				 loff_t *pos)
{
	struct null_rule rule = { };
	char text[64] = "";
	int rc;

	if (size >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, from, size))
		return -EFAULT;
	if (sysfs_streq(text, "reset")) {
		null_set_scripted(false);
		spin_lock_irq(&null_script_lock);
		null_nrules = 0;
		spin_unlock_irq(&null_script_lock);
		return size;
	}
	rc = null_parse(text, &rule);
	if (!rc)
		rc = null_add(&rule);
	if (rc)
		return rc;
	if (rule.call >= NULL_POST_SEND)
		null_set_scripted(true);
	return size;
}

static const struct file_operations null_script_fops = {
	.owner = THIS_MODULE,
	.open = null_script_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
	.write = null_script_write,
};

static ssize_t null_plug_write(struct file *file, const char __user *from, size_t size,
			       loff_t *pos)
{
	bool plug;
	int rc = kstrtobool_from_user(from, size, &plug);

	if (rc)
		return rc;
	if (plug)
		rc = null_plug();
	else
		null_unplug();
	return rc ? rc : size;
}

static const struct file_operations null_plug_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.llseek = noop_llseek,
	.write = null_plug_write,
};

int null_script_init(void)
{
	null_dir = debugfs_create_dir("nullhca", NULL);
	debugfs_create_file("script", 0600, null_dir, NULL, &null_script_fops);
	debugfs_create_file("plug", 0200, null_dir, NULL, &null_plug_fops);
	return 0;
}

/* nobody can write any more; what is going is waited for by the caller */
void null_script_exit(void)
{
	debugfs_remove(null_dir);
}
