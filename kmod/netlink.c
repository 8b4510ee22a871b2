// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The generic netlink family: policies, what is read from messages, what is
 * written into them, commands.
 */
#include <linux/module.h>
#include <linux/netlink.h>
#include <net/genetlink.h>
#include <net/sock.h>
#include <rdma/ib_verbs.h>

#include "clock.h"
#include "compat.h"
#include "device.h"
#include "main.h"
#include "netlink.h"
#include "run.h"

#define KV_HIST_CHUNK	200	/* buckets of a message */
#define KV_RUN_MSG	8192	/* room for a run with two full CPU lists */

/* policies; the ranges are not const for kernels before 6.2 */

static const struct nla_policy kv_top_policy[KVERBS_A_MAX + 1] = {
	[KVERBS_A_DEV_NAME] = { .type = NLA_NUL_STRING,
				.len = IB_DEVICE_NAME_MAX - 1 },
	[KVERBS_A_RUN_ID] = NLA_POLICY_MIN(NLA_U32, 1),
	[KVERBS_A_JOB] = { .type = NLA_NESTED },
	[KVERBS_A_PEER_QPN] = { .type = NLA_REJECT,
		.reject_message = "runs between two hosts do not exist yet: leave the peer out" },
	[KVERBS_A_PEER_PSN] = { .type = NLA_REJECT,
		.reject_message = "runs between two hosts do not exist yet: leave the peer out" },
	[KVERBS_A_PEER_GID] = { .type = NLA_REJECT,
		.reject_message = "runs between two hosts do not exist yet: leave the peer out" },
	[KVERBS_A_PEER_RKEY] = { .type = NLA_REJECT,
		.reject_message = "runs between two hosts do not exist yet: leave the peer out" },
	[KVERBS_A_PEER_ADDR] = { .type = NLA_REJECT,
		.reject_message = "runs between two hosts do not exist yet: leave the peer out" },
};

#define KV_FIELD_RANGE(attr, member, type, lo, hi, def, letter, name, unit, what) \
	[KVERBS_JOB_A_##attr] = { .min = (lo), .max = (hi) },

static struct netlink_range_validation kv_ranges[KVERBS_JOB_A_MAX + 1] = {
	KV_JOB_FIELDS(KV_FIELD_RANGE)
};

#define KV_NLA_u32	NLA_U32
#define KV_NLA_u64	NLA_U64
#define KV_FIELD_POLICY(attr, member, type, lo, hi, def, letter, name, unit, what) \
	[KVERBS_JOB_A_##attr] = NLA_POLICY_FULL_RANGE(KV_NLA_##type,	\
					&kv_ranges[KVERBS_JOB_A_##attr]),

static struct netlink_range_validation kv_range_op = {
	.max = KV_OPS - 1,
};

/* 0 is refused by the job's check, which says what the port allows */
static struct netlink_range_validation kv_range_size = {
	.max = KV_SIZE_MAX,
};

static const struct nla_policy kv_step_policy[KVERBS_STEP_A_MAX + 1] = {
	[KVERBS_STEP_A_OP] = NLA_POLICY_FULL_RANGE(NLA_U32, &kv_range_op),
	[KVERBS_STEP_A_SIZE] = NLA_POLICY_FULL_RANGE(NLA_U32, &kv_range_size),
	[KVERBS_STEP_A_FLAGS] = NLA_POLICY_MASK(NLA_U32, KVERBS_STEP_WAIT),
};

static const struct nla_policy kv_job_policy[KVERBS_JOB_A_MAX + 1] = {
	KV_JOB_FIELDS(KV_FIELD_POLICY)
	[KVERBS_JOB_A_CPU] = { .type = NLA_U32 },
	[KVERBS_JOB_A_PACE_NS] = { .type = NLA_U32 },
	[KVERBS_JOB_A_STEP] = NLA_POLICY_NESTED(kv_step_policy),
};

/*
 * Texts of refusals that name values. An extack message must outlive the doit;
 * a place is used again after as many other refusals as there are places.
 */
#define KV_TEXTS	1024

static char kv_text[KV_TEXTS][sizeof_field(struct kv_refusal, text)];
static atomic_t kv_next_text = ATOMIC_INIT(0);

static const char *kv_keep(const char *text)
{
	char *place = kv_text[(u32)atomic_inc_return(&kv_next_text) % KV_TEXTS];

	strscpy(place, text, sizeof(kv_text[0]));
	return place;
}

static int kv_say_no(struct netlink_ext_ack *extack, const char *text, int rc)
{
	if (extack)
		extack->_msg = text;
	return rc;
}

/* reading */

static u64 kv_attr_value(const struct nlattr *attr, const struct kv_field *f)
{
	return f->bytes == sizeof(u64) ? nla_get_u64(attr) : nla_get_u32(attr);
}

/* netlink says "integer out of range" only, of an attribute of the job or a step */
static void kv_explain_range(const struct nlattr *nest,
			     struct netlink_ext_ack *extack)
{
	const struct nlattr *bad = extack ? extack->bad_attr : NULL;
	char text[sizeof_field(struct kv_refusal, text)];
	const struct nlattr *attr;
	const struct kv_field *f;
	bool of_job = false;
	int rem;
	u32 i;

	if (!bad)
		return;
	nla_for_each_nested(attr, nest, rem)
		of_job |= attr == bad;
	if (!of_job) {
		if (nla_type(bad) == KVERBS_STEP_A_OP)
			snprintf(text, sizeof(text),
				 "op %u: must be 0 to %llu",
				 nla_get_u32(bad), kv_range_op.max);
		else if (nla_type(bad) == KVERBS_STEP_A_SIZE)
			snprintf(text, sizeof(text),
				 "size %u: must be up to %llu bytes",
				 nla_get_u32(bad), kv_range_size.max);
		else
			return;
		extack->_msg = kv_keep(text);
		return;
	}
	for (i = 0; (f = kv_job_field(i)); i++) {
		if (nla_type(bad) != f->attr)
			continue;
		snprintf(text, sizeof(text), "%s %llu: must be %llu to %llu%s%s",
			 f->name, kv_attr_value(bad, f), f->lo, f->hi,
			 *f->unit ? " " : "", f->unit);
		extack->_msg = kv_keep(text);
	}
}

static int kv_get_step(struct kv_step *step, const struct nlattr *nest,
		       struct netlink_ext_ack *extack)
{
	struct nlattr *tb[KVERBS_STEP_A_MAX + 1];
	int rc;

	rc = nla_parse_nested(tb, KVERBS_STEP_A_MAX, nest, kv_step_policy,
			      extack);
	if (rc)
		return rc;
	if (!tb[KVERBS_STEP_A_OP])
		return kv_say_no(extack, "step: the operation is missing",
				 -EINVAL);
	if (!tb[KVERBS_STEP_A_SIZE])
		return kv_say_no(extack, "step: the size is missing", -EINVAL);
	step->op = nla_get_u32(tb[KVERBS_STEP_A_OP]);
	step->size = nla_get_u32(tb[KVERBS_STEP_A_SIZE]);
	step->flags = tb[KVERBS_STEP_A_FLAGS] ?
		      nla_get_u32(tb[KVERBS_STEP_A_FLAGS]) : 0;
	return 0;
}

static const char kv_many_cpus[] =
	"cpu: the list is too long, the limit is " __stringify(KVERBS_CPUS_MAX);
static const char kv_many_gaps[] =
	"pace-ns: too many, the limit is " __stringify(KVERBS_PACE_NS_MAX);
static const char kv_many_steps[] =
	"step: too many, the limit is " __stringify(KVERBS_STEPS_MAX);

static int kv_get_job(struct kv_job *job, const struct nlattr *nest,
		      struct netlink_ext_ack *extack)
{
	struct nlattr *tb[KVERBS_JOB_A_MAX + 1];
	const struct kv_field *f;
	const struct nlattr *attr;
	int rc, rem;
	u32 i;

	rc = nla_parse_nested(tb, KVERBS_JOB_A_MAX, nest, kv_job_policy,
			      extack);
	if (rc) {
		if (rc == -ERANGE)
			kv_explain_range(nest, extack);
		return rc;
	}
	for (i = 0; (f = kv_job_field(i)); i++) {
		if (tb[f->attr])
			kv_field_set(job, f, kv_attr_value(tb[f->attr], f));
	}
	job->nsteps = 0;
	nla_for_each_nested(attr, nest, rem) {
		switch (nla_type(attr)) {
		case KVERBS_JOB_A_CPU:
			if (job->ncpus == KVERBS_CPUS_MAX)
				return kv_say_no(extack, kv_many_cpus, -E2BIG);
			job->cpu[job->ncpus++] = nla_get_u32(attr);
			break;
		case KVERBS_JOB_A_PACE_NS:
			if (job->npace_ns == KVERBS_PACE_NS_MAX)
				return kv_say_no(extack, kv_many_gaps, -E2BIG);
			job->pace_ns[job->npace_ns++] = nla_get_u32(attr);
			break;
		case KVERBS_JOB_A_STEP:
			if (job->nsteps == KVERBS_STEPS_MAX)
				return kv_say_no(extack, kv_many_steps, -E2BIG);
			rc = kv_get_step(&job->step[job->nsteps++], attr,
					 extack);
			if (rc)
				return rc;
			break;
		}
	}
	if (!job->nsteps)
		return kv_say_no(extack, "step: a job needs one", -EINVAL);
	return 0;
}

static struct kv_run *kv_get_run(struct net *net, u32 portid,
				 const struct nlattr *id,
				 struct netlink_ext_ack *extack)
{
	char text[80];
	struct kv_run *run;

	if (!id) {
		kv_say_no(extack, "run-id is missing", 0);
		return ERR_PTR(-EINVAL);
	}
	run = kv_run_find(net, portid, nla_get_u32(id));
	if (IS_ERR(run)) {
		NL_SET_BAD_ATTR(extack, id);
		snprintf(text, sizeof(text), PTR_ERR(run) == -EPERM ?
			 "run %u: belongs to another socket; use your own" :
			 "run %u: there is none; make one", nla_get_u32(id));
		kv_say_no(extack, kv_keep(text), 0);
	}
	return run;
}

/* writing */

/* a field that has no value yet is left out, like one that was not given */
static int kv_put_field(struct sk_buff *skb, const struct kv_job *job,
			const struct kv_field *f)
{
	u64 value = kv_field_get(job, f);

	if (!kv_field_has(job, f))
		return 0;
	if (f->bytes == sizeof(u64))
		return nla_put_u64_64bit(skb, f->attr, value, KVERBS_JOB_A_PAD);
	return nla_put_u32(skb, f->attr, value);
}

static int kv_put_job(struct sk_buff *skb, int attrtype,
		      const struct kv_job *job)
{
	struct nlattr *nest, *step;
	const struct kv_field *f;
	u32 i;

	nest = nla_nest_start(skb, attrtype);
	if (!nest)
		return -EMSGSIZE;
	for (i = 0; (f = kv_job_field(i)); i++) {
		if (kv_put_field(skb, job, f))
			goto full;
	}
	for (i = 0; i < job->ncpus; i++) {
		if (nla_put_u32(skb, KVERBS_JOB_A_CPU, job->cpu[i]))
			goto full;
	}
	for (i = 0; i < job->nsteps; i++) {
		step = nla_nest_start(skb, KVERBS_JOB_A_STEP);
		if (!step ||
		    nla_put_u32(skb, KVERBS_STEP_A_OP, job->step[i].op) ||
		    nla_put_u32(skb, KVERBS_STEP_A_SIZE, job->step[i].size) ||
		    nla_put_u32(skb, KVERBS_STEP_A_FLAGS, job->step[i].flags))
			goto full;
		nla_nest_end(skb, step);
	}
	nla_nest_end(skb, nest);
	return 0;

full:
	nla_nest_cancel(skb, nest);
	return -EMSGSIZE;
}

/* what was wrong with a message */
static int kv_put_data(struct sk_buff *skb, const struct kv_run_status *s)
{
	if (nla_put_u64_64bit(skb, KVERBS_RUN_A_DATA_OFFSET, s->data_offset,
			      KVERBS_RUN_A_PAD) ||
	    nla_put_u32(skb, KVERBS_RUN_A_DATA_EXPECTED, s->data_expected) ||
	    nla_put_u32(skb, KVERBS_RUN_A_DATA_GOT, s->data_got))
		return -EMSGSIZE;
	if (s->data_found == KV_DATA_NONE)
		return 0;
	return nla_put_u64_64bit(skb, KVERBS_RUN_A_DATA_FOUND, s->data_found,
				 KVERBS_RUN_A_PAD);
}

static int kv_put_jobs(struct sk_buff *skb, struct kv_run *run)
{
	int rc;

	rc = kv_put_job(skb, KVERBS_RUN_A_JOB, &run->job);
	if (rc)
		return rc;
	/* its GID may just be found */
	spin_lock(&run->lock);
	rc = kv_put_job(skb, KVERBS_RUN_A_GRANTED, &run->granted);
	spin_unlock(&run->lock);
	return rc;
}

static int kv_put_run(struct sk_buff *skb, struct kv_run *run, bool whole)
{
	struct kv_run_status s;
	struct nlattr *nest;

	kv_run_status(run, &s);
	nest = nla_nest_start(skb, KVERBS_A_RUN);
	if (!nest)
		return -EMSGSIZE;
	if (nla_put_u32(skb, KVERBS_RUN_A_ID, run->id) ||
	    nla_put_u32(skb, KVERBS_RUN_A_STATE, s.state) ||
	    nla_put_u32(skb, KVERBS_RUN_A_REASON, s.reason) ||
	    nla_put_string(skb, KVERBS_RUN_A_DEV_NAME, run->device) ||
	    nla_put_s32(skb, KVERBS_RUN_A_ERRNO, s.err) ||
	    nla_put_string(skb, KVERBS_RUN_A_WHERE, s.where) ||
	    nla_put_u32(skb, KVERBS_RUN_A_ERR_LANE, s.err_lane) ||
	    nla_put_u64_64bit(skb, KVERBS_RUN_A_ERR_WR, s.err_wr,
			      KVERBS_RUN_A_PAD) ||
	    nla_put_u32(skb, KVERBS_RUN_A_WC_STATUS, s.wc_status) ||
	    nla_put_u32(skb, KVERBS_RUN_A_VENDOR_ERR, s.wc_vendor) ||
	    nla_put_u32(skb, KVERBS_RUN_A_QP_STATE, s.qp_state) ||
	    nla_put_u32(skb, KVERBS_RUN_A_PEER_QP_STATE, s.peer_qp_state) ||
	    nla_put_u32(skb, KVERBS_RUN_A_LANES, run->nlanes) ||
	    nla_put_u32(skb, KVERBS_RUN_A_GENERATION, s.generation) ||
	    nla_put_u64_64bit(skb, KVERBS_RUN_A_BYTES, run->bytes,
			      KVERBS_RUN_A_PAD) ||
	    nla_put_u32(skb, KVERBS_RUN_A_GID_TYPE, s.gid_type) ||
	    nla_put_u32(skb, KVERBS_RUN_A_CLOCK_COST,
			kv_clock_desc(run->granted.clock)->cost))
		goto full;
	if (s.reason == KVERBS_REASON_DATA && kv_put_data(skb, &s))
		goto full;
	if (whole && kv_put_jobs(skb, run))
		goto full;
	nla_nest_end(skb, nest);
	return 0;

full:
	nla_nest_cancel(skb, nest);
	return -EMSGSIZE;
}

static int kv_put_rw(struct sk_buff *skb, const struct kv_rw_stat *rw)
{
	if (!rw->wrs)
		return 0;
	return nla_put_u64_64bit(skb, KVERBS_LANE_A_RW_SINGLE,
				 rw->ops[KV_RW_SINGLE], KVERBS_LANE_A_PAD) ||
	       nla_put_u64_64bit(skb, KVERBS_LANE_A_RW_MULTI,
				 rw->ops[KV_RW_MULTI], KVERBS_LANE_A_PAD) ||
	       nla_put_u64_64bit(skb, KVERBS_LANE_A_RW_MR,
				 rw->ops[KV_RW_MR], KVERBS_LANE_A_PAD) ||
	       nla_put_u64_64bit(skb, KVERBS_LANE_A_RW_WRS, rw->wrs,
				 KVERBS_LANE_A_PAD);
}

static int kv_put_lane(struct sk_buff *skb, const struct kv_lane *lane)
{
	const struct kv_stat *stat = kv_lane_stat(lane);
	bool ended = kv_run_ended(lane->run);
	struct nlattr *nest, *counters;
	struct kv_lane_end end = { };
	u32 i;

	if (ended)
		kv_lane_end(lane, &end);
	nest = nla_nest_start(skb, KVERBS_A_LANE);
	if (!nest)
		return -EMSGSIZE;
	if (nla_put_u32(skb, KVERBS_LANE_A_INDEX, lane->index) ||
	    nla_put_u32(skb, KVERBS_LANE_A_ROLE, lane->role) ||
	    nla_put_u32(skb, KVERBS_LANE_A_CPU, lane->cpu) ||
	    nla_put_u32(skb, KVERBS_LANE_A_QPN, lane->qpn) ||
	    nla_put_u32(skb, KVERBS_LANE_A_PEER_QPN, lane->peer_qpn) ||
	    nla_put_u32(skb, KVERBS_LANE_A_SQ_DEPTH, lane->sq_depth) ||
	    nla_put_u32(skb, KVERBS_LANE_A_RQ_DEPTH, lane->rq_depth) ||
	    nla_put_u32(skb, KVERBS_LANE_A_CQ_DEPTH, lane->cq_depth) ||
	    nla_put_u32(skb, KVERBS_LANE_A_INLINE_DATA, lane->inline_data) ||
	    nla_put_u32(skb, KVERBS_LANE_A_REASON, end.reason) ||
	    nla_put_s32(skb, KVERBS_LANE_A_ERRNO, end.err) ||
	    nla_put_u64_64bit(skb, KVERBS_LANE_A_ERR_WR, end.err_wr,
			      KVERBS_LANE_A_PAD) ||
	    nla_put_u32(skb, KVERBS_LANE_A_WC_STATUS, end.wc_status) ||
	    nla_put_u32(skb, KVERBS_LANE_A_VENDOR_ERR, end.wc_vendor))
		goto full;
	counters = nla_nest_start(skb, KVERBS_LANE_A_COUNTERS);
	if (!counters)
		goto full;
	for (i = 1; stat && i < KVERBS_CTR_PAD; i++) {
		if (nla_put_u64_64bit(skb, i,
				      kv_glance(((const u64 *)stat)[i - 1]),
				      KVERBS_CTR_PAD))
			goto full;
	}
	nla_nest_end(skb, counters);
	if (ended && kv_put_rw(skb, &lane->rw))
		goto full;
	nla_nest_end(skb, nest);
	return 0;

full:
	nla_nest_cancel(skb, nest);
	return -EMSGSIZE;
}

/* one message: buckets from *from on; *from ends at KV_HIST_BUCKETS */
static int kv_put_hist(struct sk_buff *skb, u32 lane, u32 metric,
		       const struct kv_hist *h, u32 generation, u32 *from)
{
	struct kverbs_bucket bucket = { };
	struct nlattr *nest, *list;
	u32 n = 0, i;
	char *to;

	nest = nla_nest_start(skb, KVERBS_A_HIST);
	if (!nest)
		return -EMSGSIZE;
	if (nla_put_u32(skb, KVERBS_HIST_A_LANE, lane) ||
	    nla_put_u32(skb, KVERBS_HIST_A_METRIC, metric) ||
	    nla_put_u64_64bit(skb, KVERBS_HIST_A_COUNT, kv_glance(h->count),
			      KVERBS_HIST_A_PAD) ||
	    nla_put_u64_64bit(skb, KVERBS_HIST_A_SUM, kv_glance(h->sum),
			      KVERBS_HIST_A_PAD) ||
	    nla_put_u64_64bit(skb, KVERBS_HIST_A_SMALLEST, kv_glance(h->min),
			      KVERBS_HIST_A_PAD) ||
	    nla_put_u64_64bit(skb, KVERBS_HIST_A_LARGEST, kv_glance(h->max),
			      KVERBS_HIST_A_PAD) ||
	    nla_put_u64_64bit(skb, KVERBS_HIST_A_OVER, kv_glance(h->over),
			      KVERBS_HIST_A_PAD) ||
	    nla_put_u32(skb, KVERBS_HIST_A_GENERATION, generation))
		goto full;
	for (i = *from; i < KV_HIST_BUCKETS && n < KV_HIST_CHUNK; i++)
		n += !!kv_glance(h->bucket[i]);
	list = nla_reserve(skb, KVERBS_HIST_A_BUCKETS, n * sizeof(bucket));
	if (!list)
		goto full;
	/* of a run under way there may be fewer by now: nothing is left as it was */
	memset(nla_data(list), 0, n * sizeof(bucket));
	/* copied: attributes are aligned to 4 bytes only */
	to = nla_data(list);
	for (i = *from; i < KV_HIST_BUCKETS && n; i++) {
		bucket.index = i;
		bucket.count = kv_glance(h->bucket[i]);
		if (!bucket.count)
			continue;
		memcpy(to, &bucket, sizeof(bucket));
		to += sizeof(bucket);
		n--;
	}
	while (i < KV_HIST_BUCKETS && !kv_glance(h->bucket[i]))
		i++;
	*from = i;
	nla_nest_end(skb, nest);
	return 0;

full:
	nla_nest_cancel(skb, nest);
	return -EMSGSIZE;
}

static int kv_put_port(struct sk_buff *skb, struct kv_dev *dev, u32 port)
{
	struct ib_port_attr attr = { };
	struct nlattr *nest;

	kv_dev_port(dev, port, &attr);
	nest = nla_nest_start(skb, KVERBS_DEV_A_PORT);
	if (!nest)
		return -EMSGSIZE;
	if (nla_put_u32(skb, KVERBS_PORT_A_NUM, port) ||
	    nla_put_u32(skb, KVERBS_PORT_A_STATE, attr.state) ||
	    nla_put_u32(skb, KVERBS_PORT_A_LINK_LAYER,
			kv_dev_link(dev, port)) ||
	    nla_put_u32(skb, KVERBS_PORT_A_MTU, attr.active_mtu ?
			ib_mtu_enum_to_int(attr.active_mtu) : 0) ||
	    nla_put_u32(skb, KVERBS_PORT_A_MAX_MSG, attr.max_msg_sz) ||
	    nla_put_u32(skb, KVERBS_PORT_A_GIDS, attr.gid_tbl_len) ||
	    nla_put_u32(skb, KVERBS_PORT_A_LID, attr.lid)) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}

/* the caller is inside the device */
static int kv_put_dev(struct sk_buff *skb, struct kv_dev *dev)
{
	struct ib_device *ibdev = dev->ibdev;
	const struct ib_device_attr *attr = &ibdev->attrs;
	struct module *owner = ibdev->ops.owner;
	char fw[IB_FW_VERSION_NAME_MAX] = "";
	char symbol[128];
	struct nlattr *nest;
	u32 port;

	ib_get_device_fw_str(ibdev, fw);
	snprintf(symbol, sizeof(symbol), "%ps", ibdev->ops.post_send);
	nest = nla_nest_start(skb, KVERBS_A_DEV);
	if (!nest)
		return -EMSGSIZE;
	if (nla_put_string(skb, KVERBS_DEV_A_NAME, ibdev->name) ||
	    nla_put_string(skb, KVERBS_DEV_A_DRIVER,
			   owner ? module_name(owner) : "built-in") ||
	    nla_put_u64_64bit(skb, KVERBS_DEV_A_NODE_GUID,
			      be64_to_cpu(ibdev->node_guid),
			      KVERBS_DEV_A_PAD) ||
	    nla_put_s32(skb, KVERBS_DEV_A_NUMA_NODE, ibdev_to_node(ibdev)) ||
	    nla_put_u32(skb, KVERBS_DEV_A_SOFTWARE, ib_uses_virt_dma(ibdev)) ||
	    nla_put_string(skb, KVERBS_DEV_A_POST_SEND, symbol) ||
	    nla_put_string(skb, KVERBS_DEV_A_FW_VER, fw) ||
	    nla_put_u32(skb, KVERBS_DEV_A_MAX_QP, attr->max_qp) ||
	    nla_put_u32(skb, KVERBS_DEV_A_MAX_QP_WR, attr->max_qp_wr) ||
	    nla_put_u32(skb, KVERBS_DEV_A_MAX_CQE, attr->max_cqe) ||
	    nla_put_u32(skb, KVERBS_DEV_A_MAX_SGE, attr->max_send_sge) ||
	    nla_put_u32(skb, KVERBS_DEV_A_MAX_RD_ATOMIC,
			attr->max_qp_rd_atom) ||
	    nla_put_u32(skb, KVERBS_DEV_A_MAX_REG_PAGES,
			attr->max_fast_reg_page_list_len) ||
	    nla_put_u32(skb, KVERBS_DEV_A_REG_MR,
			!!(attr->device_cap_flags &
			   IB_DEVICE_MEM_MGT_EXTENSIONS)))
		goto full;
	for (port = 1; port <= dev->nports; port++) {
		if (kv_put_port(skb, dev, port))
			goto full;
	}
	nla_nest_end(skb, nest);
	return 0;

full:
	nla_nest_cancel(skb, nest);
	return -EMSGSIZE;
}

static int kv_put_info(struct sk_buff *skb)
{
	const struct kv_clock_desc *clock = kv_clock_desc(KVERBS_CLOCK_CPU);
	struct nlattr *nest;

	if (!clock)
		clock = kv_clock_desc(KVERBS_CLOCK_RAW);
	nest = nla_nest_start(skb, KVERBS_A_INFO);
	if (!nest)
		return -EMSGSIZE;
	if (nla_put_string(skb, KVERBS_INFO_A_VERSION, KVERBS_VERSION) ||
	    nla_put_u32(skb, KVERBS_INFO_A_MAX_RUNS, kv_max_runs) ||
	    nla_put_u32(skb, KVERBS_INFO_A_MAX_LANES, kv_max_lanes) ||
	    nla_put_u32(skb, KVERBS_INFO_A_MAX_DEPTH, kv_max_depth) ||
	    nla_put_u64_64bit(skb, KVERBS_INFO_A_MAX_BYTES, kv_max_bytes,
			      KVERBS_INFO_A_PAD) ||
	    nla_put_u32(skb, KVERBS_INFO_A_MAX_TIME_MS, kv_max_time_ms) ||
	    nla_put_string(skb, KVERBS_INFO_A_CLOCK_NAME, clock->name) ||
	    nla_put_u32(skb, KVERBS_INFO_A_CLOCK_MULT, clock->mult) ||
	    nla_put_u32(skb, KVERBS_INFO_A_CLOCK_SHIFT, KV_CLOCK_SHIFT) ||
	    nla_put_u32(skb, KVERBS_INFO_A_CLOCK_INVARIANT,
			clock->invariant) ||
	    nla_put_u32(skb, KVERBS_INFO_A_CLOCK_COST, clock->cost)) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}

/* commands */

static struct genl_family kv_family;

/* a reply of one message; fill() writes the part of the command */
static int kv_reply(struct genl_info *info, size_t room, u8 cmd,
		    int (*fill)(struct sk_buff *skb, void *what), void *what)
{
	struct sk_buff *skb;
	void *header;
	int rc = -EMSGSIZE;

	skb = genlmsg_new(room, GFP_KERNEL);
	if (!skb)
		return -ENOMEM;
	header = genlmsg_put_reply(skb, info, &kv_family, 0, cmd);
	if (header)
		rc = fill(skb, what);
	if (rc) {
		nlmsg_free(skb);
		return rc;
	}
	genlmsg_end(skb, header);
	return genlmsg_reply(skb, info);
}

static int kv_fill_info(struct sk_buff *skb, void *what)
{
	return kv_put_info(skb);
}

static int kv_fill_dev(struct sk_buff *skb, void *what)
{
	return kv_put_dev(skb, what);
}

static int kv_fill_run(struct sk_buff *skb, void *what)
{
	return kv_put_run(skb, what, true);
}

static int kv_info_get(struct sk_buff *skb, struct genl_info *info)
{
	return kv_reply(info, NLMSG_DEFAULT_SIZE, KVERBS_CMD_INFO_GET,
			kv_fill_info, NULL);
}

static int kv_dev_get(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *name = info->attrs[KVERBS_A_DEV_NAME];
	char text[128];
	struct kv_dev *dev;
	int rc = -ENODEV;

	if (!name)
		return kv_say_no(info->extack, "dev-name is missing", -EINVAL);
	dev = kv_dev_find(genl_info_net(info), nla_data(name));
	if (dev && kv_dev_enter(dev)) {
		rc = kv_reply(info, KV_RUN_MSG, KVERBS_CMD_DEV_GET,
			      kv_fill_dev, dev);
		kv_dev_leave(dev);
	} else {
		snprintf(text, sizeof(text),
			 "device %s: no RDMA device of that name with kernel verbs; see 'kverbs devices'",
			 (const char *)nla_data(name));
		NL_SET_BAD_ATTR(info->extack, name);
		kv_say_no(info->extack, kv_keep(text), 0);
	}
	if (dev)
		kv_dev_put(dev);
	return rc;
}

static int kv_run_new_doit(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *name = info->attrs[KVERBS_A_DEV_NAME];
	const struct nlattr *nest = info->attrs[KVERBS_A_JOB];
	static const struct kv_job blank = KV_JOB_INIT;
	struct kv_refusal no = { };
	struct kv_job *job;
	struct kv_run *run;
	int rc;

	if (!name)
		return kv_say_no(info->extack, "dev-name is missing", -EINVAL);
	if (!nest)
		return kv_say_no(info->extack, "job is missing", -EINVAL);
	job = kmemdup(&blank, sizeof(blank), GFP_KERNEL);
	if (!job)
		return -ENOMEM;
	rc = kv_get_job(job, nest, info->extack);
	if (rc)
		goto out;
	run = kv_run_new(genl_info_net(info), info->snd_portid,
			 nla_data(name), job, &no);
	if (IS_ERR(run)) {
		rc = PTR_ERR(run);
		if (no.attr)
			NL_SET_BAD_ATTR(info->extack,
					nla_find_nested(nest, no.attr));
		kv_say_no(info->extack, kv_keep(no.text), 0);
		goto out;
	}
	rc = kv_reply(info, KV_RUN_MSG, KVERBS_CMD_RUN_NEW, kv_fill_run, run);
	if (rc)
		kv_run_delete(run);
	kv_run_put(run);
out:
	kfree(job);
	return rc;
}

static int kv_run_do(struct genl_info *info,
		     int (*command)(struct kv_run *run, const char **why))
{
	const char *why = NULL;
	struct kv_run *run;
	int rc;

	run = kv_get_run(genl_info_net(info), info->snd_portid,
			 info->attrs[KVERBS_A_RUN_ID], info->extack);
	if (IS_ERR(run))
		return PTR_ERR(run);
	rc = command(run, &why);
	if (rc && why)
		kv_say_no(info->extack, why, 0);
	kv_run_put(run);
	return rc;
}

static int kv_run_connect_doit(struct sk_buff *skb, struct genl_info *info)
{
	return kv_run_do(info, kv_run_connect);
}

static int kv_run_start_doit(struct sk_buff *skb, struct genl_info *info)
{
	return kv_run_do(info, kv_run_start);
}

static int kv_run_stop_doit(struct sk_buff *skb, struct genl_info *info)
{
	return kv_run_do(info, kv_run_stop);
}

static int kv_run_forget(struct kv_run *run, const char **why)
{
	kv_run_delete(run);
	return 0;
}

static int kv_run_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	return kv_run_do(info, kv_run_forget);
}

static int kv_run_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct kv_run *run;
	int rc;

	run = kv_get_run(genl_info_net(info), info->snd_portid,
			 info->attrs[KVERBS_A_RUN_ID], info->extack);
	if (IS_ERR(run))
		return PTR_ERR(run);
	rc = kv_reply(info, KV_RUN_MSG, KVERBS_CMD_RUN_GET, kv_fill_run, run);
	kv_run_put(run);
	return rc;
}

/* dumps */

struct kv_cursor {
	struct kv_run *run;
	u32 at;		/* device, run or lane */
	u32 metric;
	u32 bucket;
};

static struct kv_cursor *kv_cursor(struct netlink_callback *cb)
{
	BUILD_BUG_ON(sizeof(struct kv_cursor) > sizeof(cb->ctx));
	return (struct kv_cursor *)cb->ctx;
}

static void *kv_dump_put(struct sk_buff *skb, struct netlink_callback *cb,
			 u8 cmd)
{
	return genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
			   &kv_family, NLM_F_MULTI, cmd);
}

/* keep a message that was put whole, drop one that was not */
static void kv_dump_end(struct sk_buff *skb, void *header, int rc)
{
	if (header && rc)
		genlmsg_cancel(skb, header);
	else if (header)
		genlmsg_end(skb, header);
}

/* one message may be more than a dump's usual buffer holds */
static int kv_dump_start(struct netlink_callback *cb)
{
	cb->min_dump_alloc = KV_RUN_MSG;
	return 0;
}

static int kv_dev_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct kv_cursor *cursor = kv_cursor(cb);
	struct net *net = sock_net(cb->skb->sk);
	struct kv_dev *dev;
	void *header;
	int rc = 0;

	while (!rc && (dev = kv_dev_nth(net, cursor->at))) {
		if (kv_dev_enter(dev)) {
			/* a firmware command here would hold up all of genetlink */
			kv_dev_refresh_later(dev);
			header = kv_dump_put(skb, cb, KVERBS_CMD_DEV_GET);
			rc = header ? kv_put_dev(skb, dev) : -EMSGSIZE;
			kv_dump_end(skb, header, rc);
			kv_dev_leave(dev);
		}
		kv_dev_put(dev);
		if (!rc)
			cursor->at++;
	}
	return skb->len ? skb->len : rc;
}

static int kv_run_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct kv_cursor *cursor = kv_cursor(cb);
	u32 portid = NETLINK_CB(cb->skb).portid;
	struct net *net = sock_net(cb->skb->sk);
	struct kv_run *run;
	void *header;
	int rc = 0;

	while (!rc && (run = kv_run_next(net, portid, cursor->at))) {
		header = kv_dump_put(skb, cb, KVERBS_CMD_RUN_GET);
		rc = header ? kv_put_run(skb, run, true) : -EMSGSIZE;
		kv_dump_end(skb, header, rc);
		if (!rc)
			cursor->at = run->id + 1;
		kv_run_put(run);
	}
	return skb->len ? skb->len : rc;
}

/*
 * Results of a run: it must have been started, and stays until the dump is over; while
 * it is RUNNING its lanes go on counting meanwhile. Opened by the first part of the
 * dump: .start has no extack to say why not.
 */
static int kv_result_open(struct netlink_callback *cb)
{
	struct kv_cursor *cursor = kv_cursor(cb);
	char text[100];
	struct kv_run *run;

	if (cursor->run)
		return 0;
	run = kv_get_run(sock_net(cb->skb->sk), NETLINK_CB(cb->skb).portid,
			 kv_dump_attrs(cb)[KVERBS_A_RUN_ID], cb->extack);
	if (IS_ERR(run))
		return PTR_ERR(run);
	if (kv_run_state(run) < KVERBS_STATE_RUNNING) {
		snprintf(text, sizeof(text),
			 "run %u: has no results yet; start it, and wait for DONE or FAILED",
			 run->id);
		kv_say_no(cb->extack, kv_keep(text), 0);
		kv_run_put(run);
		return -EBUSY;
	}
	cursor->run = run;
	return 0;
}

static int kv_result_done(struct netlink_callback *cb)
{
	struct kv_cursor *cursor = kv_cursor(cb);

	if (cursor->run)
		kv_run_put(cursor->run);
	cursor->run = NULL;
	return 0;
}

static int kv_lane_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct kv_cursor *cursor = kv_cursor(cb);
	void *header;
	int rc;

	rc = kv_result_open(cb);
	while (!rc && cursor->at < cursor->run->nlanes) {
		header = kv_dump_put(skb, cb, KVERBS_CMD_LANE_GET);
		rc = header ? kv_put_lane(skb, &cursor->run->lane[cursor->at]) :
			      -EMSGSIZE;
		kv_dump_end(skb, header, rc);
		if (!rc)
			cursor->at++;
	}
	return skb->len ? skb->len : rc;
}

static int kv_hist_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct kv_cursor *cursor = kv_cursor(cb);
	const struct kv_hist *h;
	struct kv_run *run;
	void *header;
	int rc;

	rc = kv_result_open(cb);
	if (rc)
		return rc;
	run = cursor->run;
	while (!rc && cursor->at < run->nlanes) {
		cond_resched();
		h = kv_lane_hist(&run->lane[cursor->at], cursor->metric);
		if (h) {
			header = kv_dump_put(skb, cb, KVERBS_CMD_HIST_GET);
			rc = header ? kv_put_hist(skb, cursor->at,
						  cursor->metric, h,
						  kv_run_generation(run),
						  &cursor->bucket) : -EMSGSIZE;
			kv_dump_end(skb, header, rc);
			if (rc || cursor->bucket < KV_HIST_BUCKETS)
				continue;
		}
		cursor->bucket = 0;
		if (++cursor->metric == __KVERBS_METRIC_MAX) {
			cursor->metric = 0;
			cursor->at++;
		}
	}
	return skb->len ? skb->len : rc;
}

#define KV_OP_DO(c, f)							\
	{ .cmd = (c), .flags = GENL_ADMIN_PERM, .doit = (f) }

static const struct genl_ops kv_ops[] = {
	KV_OP_DO(KVERBS_CMD_INFO_GET, kv_info_get),
	{
		.cmd = KVERBS_CMD_DEV_GET,
		.flags = GENL_ADMIN_PERM,
		.doit = kv_dev_get,
		.start = kv_dump_start,
		.dumpit = kv_dev_dump,
	},
	KV_OP_DO(KVERBS_CMD_RUN_NEW, kv_run_new_doit),
	KV_OP_DO(KVERBS_CMD_RUN_CONNECT, kv_run_connect_doit),
	KV_OP_DO(KVERBS_CMD_RUN_START, kv_run_start_doit),
	KV_OP_DO(KVERBS_CMD_RUN_STOP, kv_run_stop_doit),
	{
		.cmd = KVERBS_CMD_RUN_GET,
		.flags = GENL_ADMIN_PERM,
		.doit = kv_run_get_doit,
		.start = kv_dump_start,
		.dumpit = kv_run_dump,
	},
	KV_OP_DO(KVERBS_CMD_RUN_DEL, kv_run_del_doit),
	{
		.cmd = KVERBS_CMD_LANE_GET,
		.flags = GENL_ADMIN_PERM,
		.dumpit = kv_lane_dump,
		.done = kv_result_done,
	},
	{
		.cmd = KVERBS_CMD_HIST_GET,
		.flags = GENL_ADMIN_PERM,
		.dumpit = kv_hist_dump,
		.done = kv_result_done,
	},
};

static struct genl_family kv_family __ro_after_init = {
	.name = KVERBS_GENL_NAME,
	.version = KVERBS_GENL_VERSION,
	.maxattr = KVERBS_A_MAX,
	.policy = kv_top_policy,
	.module = THIS_MODULE,
	.netnsok = true,
	.parallel_ops = true,
	.ops = kv_ops,
	.n_ops = ARRAY_SIZE(kv_ops),
	.resv_start_op = __KVERBS_CMD_MAX,
};

void kv_netlink_notify(struct kv_run *run)
{
	struct sk_buff *skb;
	void *header;

	skb = genlmsg_new(NLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!skb)
		return;
	header = genlmsg_put(skb, 0, 0, &kv_family, 0, KVERBS_CMD_RUN_NTF);
	if (!header || kv_put_run(skb, run, false)) {
		nlmsg_free(skb);
		return;
	}
	genlmsg_end(skb, header);
	genlmsg_unicast(run->net, skb, run->portid);
}

/* a socket closes: its runs end; unlinked now, the rest is done later */
static int kv_netlink_event(struct notifier_block *nb, unsigned long event,
			    void *data)
{
	struct netlink_notify *notify = data;

	if (event == NETLINK_URELEASE && notify->protocol == NETLINK_GENERIC)
		kv_runs_delete_owner(notify->net, notify->portid);
	return NOTIFY_DONE;
}

static struct notifier_block kv_netlink_notifier = {
	.notifier_call = kv_netlink_event,
};

int kv_netlink_init(void)
{
	int rc;

	rc = netlink_register_notifier(&kv_netlink_notifier);
	if (rc)
		return rc;
	rc = genl_register_family(&kv_family);
	if (rc)
		netlink_unregister_notifier(&kv_netlink_notifier);
	return rc;
}

void kv_netlink_exit(void)
{
	genl_unregister_family(&kv_family);
	netlink_unregister_notifier(&kv_netlink_notifier);
}
