// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Client of the generic netlink family kverbs.
 *
 * Messages are received here and not by libnl's callbacks: notifications of a run
 * arrive between the parts of an answer, a refusal carries its reason in the
 * attributes of the acknowledgment, and a dump may have to be tried again.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include "genl.h"

#define KV_GENL_ANSWER_MS	30000	/* no command waits for hardware */
#define KV_GENL_BUFFER		(4 << 20)
#define KV_GENL_MESSAGE		(64 << 10)
#define KV_GENL_TRIES		16	/* of a dump that changes while it is taken */
#define KV_GENL_ERRNO		4095	/* the kernel's MAX_ERRNO */

/* the kernel's, newer than some headers */
#define KV_NLMSGERR_MISS_TYPE	5

/**
 * struct kv_genl - one socket
 * @sock: libnl's
 * @family: number of the family
 * @notify: takes notifications
 * @notify_arg: its argument
 */
struct kv_genl {
	struct nl_sock *sock;
	int family;
	kv_genl_fn notify;
	void *notify_arg;
};

/**
 * struct kv_answer - an answer under way
 * @msg: the question
 * @fn: takes its messages, may be NULL
 * @arg: its argument
 * @done: it is complete
 * @interrupted: what was dumped changed meanwhile
 */
struct kv_answer {
	struct nl_msg *msg;
	kv_genl_fn fn;
	void *arg;
	bool done;
	bool interrupted;
};

/**
 * kv_genl_err - an error number of a message
 * @err: as it came
 * Return: it, or -EPROTO for what is none
 */
int kv_genl_err(int err)
{
	return err <= 0 && err >= -KV_GENL_ERRNO ? err : -EPROTO;
}

/* exit status of an answer that is an error */
static int kv_genl_status(int err)
{
	switch (err) {
	case EINVAL:
	case ERANGE:
	case EOPNOTSUPP:
	case E2BIG:
	case EMSGSIZE:
		return KV_EXIT_USAGE;
	case EIO:
	case ETIMEDOUT:
		return KV_EXIT_MEASUREMENT;
	default:
		return KV_EXIT_ENVIRONMENT;
	}
}

/* the scalar field of the job at an offset of a message that was sent, or NULL */
static const char *kv_genl_field(struct nl_msg *msg, u32 offset)
{
	struct nlmsghdr *hdr = nlmsg_hdr(msg);
	const struct kv_field *field;
	struct nlattr *job, *attr;
	int left;
	u32 i;

	job = nlmsg_find_attr(hdr, GENL_HDRLEN, KVERBS_A_JOB);
	if (!job)
		return NULL;
	nla_for_each_nested(attr, job, left) {
		if ((char *)attr - (char *)hdr != offset)
			continue;
		for (i = 0; (field = kv_job_field(i)); i++) {
			if (field->attr == (u32)nla_type(attr))
				return field->name;
		}
	}
	return NULL;
}

static int kv_genl_no_module(struct kv_error *error)
{
	struct utsname uts;

	if (uname(&uts))
		strcpy(uts.release, "RELEASE");
	return kv_error_set(error, KV_EXIT_ENVIRONMENT,
			    "module kverbs is not loaded: sudo modprobe kverbs (or insmod build/%s/kverbs.ko), or use --engine user",
			    uts.release);
}

static int kv_genl_not_permitted(struct kv_error *error)
{
	return kv_error_set(error, KV_EXIT_ENVIRONMENT,
			    "the kernel engine needs CAP_NET_ADMIN in the initial user namespace: use sudo, or --engine user");
}

/* an error of the kernel's: its own words where it has some */
static int kv_genl_refused(struct kv_answer *answer, int err, struct nlattr *ext, int len,
			   struct kv_error *error)
{
	struct genlmsghdr *asked = nlmsg_data(nlmsg_hdr(answer->msg));
	const char *text = NULL, *field = NULL;
	int miss = 0;
	struct nlattr *attr;

	for (attr = ext; nla_ok(attr, len); attr = nla_next(attr, &len)) {
		if (nla_type(attr) == NLMSGERR_ATTR_MSG && nla_len(attr) > 0 &&
		    memchr(nla_data(attr), 0, nla_len(attr)))
			text = nla_data(attr);
		else if (nla_type(attr) == NLMSGERR_ATTR_OFFS && nla_len(attr) >= 4)
			field = kv_genl_field(answer->msg, nla_get_u32(attr));
		else if (nla_type(attr) == KV_NLMSGERR_MISS_TYPE && nla_len(attr) >= 4)
			miss = nla_get_u32(attr);
	}
	/* words of the kernel's own attribute checks do not name the field */
	if (text && field && !strchr(text, ':'))
		return kv_error_set(error, kv_genl_status(err), "%s: %s", field, text);
	if (text)
		return kv_error_set(error, kv_genl_status(err), "%s", text);
	if (err == EPERM || err == EACCES)
		return kv_genl_not_permitted(error);
	/* what the kernel answers for a family that is not there any more */
	if (err == ENOENT)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT,
				    "module kverbs was unloaded: load it and start again");
	if (miss)
		return kv_error_set(error, kv_genl_status(err),
				    "the module misses attribute %d in command %d: tool and module differ in version",
				    miss, asked->cmd);
	return kv_error_set(error, kv_genl_status(err), "the module refused command %d: %s",
			    asked->cmd, strerror(err));
}

/* an acknowledgment, an error, the end of a dump */
static int kv_genl_ack(struct kv_answer *answer, struct nlmsghdr *hdr, struct kv_error *error)
{
	struct nlmsgerr *e = nlmsg_data(hdr);
	int skip = hdr->nlmsg_type == NLMSG_ERROR ? sizeof(*e) : sizeof(int);
	int size = nlmsg_datalen(hdr);

	if (size < skip)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT,
				    "a netlink answer of %d bytes is too short", size);
	answer->done = true;
	if (e->error >= 0)
		return 0;
	/* the question comes back with the answer unless the kernel cut it off */
	if (hdr->nlmsg_type == NLMSG_ERROR && !(hdr->nlmsg_flags & NLM_F_CAPPED)) {
		if (e->msg.nlmsg_len < sizeof(e->msg) || e->msg.nlmsg_len > (u32)size)
			skip = size;
		else
			skip += NLMSG_ALIGN(e->msg.nlmsg_len) - sizeof(e->msg);
	}
	if (!(hdr->nlmsg_flags & NLM_F_ACK_TLVS) || skip > size)
		skip = size;
	return kv_genl_refused(answer, -kv_genl_err(e->error),
			       (struct nlattr *)((char *)e + skip), size - skip, error);
}

static int kv_genl_message(struct kv_genl *genl, struct kv_answer *answer, struct nlmsghdr *hdr,
			   struct kv_error *error)
{
	struct nlattr *attr[KVERBS_A_MAX + 1];
	struct genlmsghdr *ghdr = nlmsg_data(hdr);
	bool ours;

	ours = answer && hdr->nlmsg_seq == nlmsg_hdr(answer->msg)->nlmsg_seq;
	if (hdr->nlmsg_type < NLMSG_MIN_TYPE) {
		/* an acknowledgment of something given up earlier is old news */
		if (!ours)
			return 0;
		if (hdr->nlmsg_flags & NLM_F_DUMP_INTR)
			answer->interrupted = true;
		if (hdr->nlmsg_type == NLMSG_ERROR || hdr->nlmsg_type == NLMSG_DONE)
			return kv_genl_ack(answer, hdr, error);
		return 0;
	}
	if (hdr->nlmsg_type != genl->family || nlmsg_datalen(hdr) < GENL_HDRLEN)
		return 0;
	if (genlmsg_parse(hdr, 0, attr, KVERBS_A_MAX, NULL) < 0)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT,
				    "a message of the module cannot be parsed (command %d): tool and module differ in version",
				    ghdr->cmd);
	if (ghdr->cmd == KVERBS_CMD_RUN_NTF)
		return genl->notify ? genl->notify(ghdr->cmd, attr, genl->notify_arg, error) : 0;
	if (!ours)
		return 0;
	if (hdr->nlmsg_flags & NLM_F_DUMP_INTR)
		answer->interrupted = true;
	return answer->fn ? answer->fn(ghdr->cmd, attr, answer->arg, error) : 0;
}

/* one datagram, waited for up to timeout_ms: 1, 0 when none came or a signal did, -1 */
static int kv_genl_receive(struct kv_genl *genl, struct kv_answer *answer, int timeout_ms,
			   struct kv_error *error)
{
	struct pollfd pfd = { .fd = nl_socket_get_fd(genl->sock), .events = POLLIN };
	struct sockaddr_nl from;
	unsigned char *buf = NULL;
	struct nlmsghdr *hdr;
	int len, rc;

	rc = poll(&pfd, 1, timeout_ms);
	if (rc < 0 && errno != EINTR)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT, "poll on a netlink socket: %s",
				    strerror(errno));
	if (rc <= 0)
		return 0;
	len = nl_recv(genl->sock, &from, &buf, NULL);
	/* the socket ran over: a notification may be lost, whoever waits asks for the state */
	if (len == -NLE_NOMEM || len == -NLE_AGAIN || len == -NLE_INTR)
		return 1;
	if (len < 0)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT, "netlink: %s", nl_geterror(len));
	rc = 0;
	/* only the kernel has port 0 */
	if (from.nl_pid == 0) {
		for (hdr = (struct nlmsghdr *)buf; !rc && nlmsg_ok(hdr, len);
		     hdr = nlmsg_next(hdr, &len))
			rc = kv_genl_message(genl, answer, hdr, error);
	}
	free(buf);
	return rc ? -1 : 1;
}

static int kv_genl_ask(struct kv_genl *genl, struct kv_answer *answer, int flags,
		       struct kv_error *error)
{
	struct nlmsghdr *hdr = nlmsg_hdr(answer->msg);
	int rc, waited = 0;

	hdr->nlmsg_flags = NLM_F_REQUEST | flags;
	hdr->nlmsg_seq = NL_AUTO_SEQ;
	answer->done = false;
	answer->interrupted = false;
	rc = nl_send_auto(genl->sock, answer->msg);
	if (rc < 0)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT, "netlink: %s", nl_geterror(rc));
	while (!answer->done) {
		rc = kv_genl_receive(genl, answer, 1000, error);
		if (rc < 0)
			return -1;
		waited = rc ? 0 : waited + 1000;
		if (waited >= KV_GENL_ANSWER_MS)
			return kv_error_set(error, KV_EXIT_ENVIRONMENT,
					    "the module did not answer within %d s; see the kernel log (dmesg)",
					    KV_GENL_ANSWER_MS / 1000);
	}
	return 0;
}

/**
 * kv_genl_open - open a socket and find the family
 * @error: filled on failure
 * Return: socket, or NULL
 */
struct kv_genl *kv_genl_open(struct kv_error *error)
{
	struct kv_genl *genl = calloc(1, sizeof(*genl));
	int size = KV_GENL_BUFFER, on = 1, fd, rc;

	if (genl)
		genl->sock = nl_socket_alloc();
	if (!genl || !genl->sock) {
		free(genl);
		kv_error_set(error, KV_EXIT_ENVIRONMENT, "out of memory");
		return NULL;
	}
	rc = genl_connect(genl->sock);
	if (rc < 0) {
		kv_error_set(error, KV_EXIT_ENVIRONMENT, "generic netlink: %s", nl_geterror(rc));
		goto fail;
	}
	fd = nl_socket_get_fd(genl->sock);
	/* a histogram is larger than what an unprivileged buffer may be on some hosts */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)))
		nl_socket_set_buffer_size(genl->sock, size, 0);
	nl_socket_set_msg_buf_size(genl->sock, KV_GENL_MESSAGE);
	/* refused by old kernels only: then errors come without their reason */
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	rc = genl_ctrl_resolve(genl->sock, KVERBS_GENL_NAME);
	if (rc < 0) {
		/* libnl says so, too, when the kernel had no memory to look for it */
		if (rc == -NLE_OBJ_NOTFOUND && access("/sys/module/kverbs", F_OK))
			kv_genl_no_module(error);
		else
			kv_error_set(error, KV_EXIT_ENVIRONMENT,
				     "generic netlink family %s: %s", KVERBS_GENL_NAME,
				     nl_geterror(rc));
		goto fail;
	}
	genl->family = rc;
	return genl;
fail:
	kv_genl_close(genl);
	return NULL;
}

/**
 * kv_genl_close - close a socket; its runs end
 * @genl: socket, may be NULL
 */
void kv_genl_close(struct kv_genl *genl)
{
	if (!genl)
		return;
	nl_socket_free(genl->sock);
	free(genl);
}

/**
 * kv_genl_on_notify - who takes the notifications of a socket
 * @genl: socket
 * @fn: called by whichever function receives one
 * @arg: its argument
 */
void kv_genl_on_notify(struct kv_genl *genl, kv_genl_fn fn, void *arg)
{
	genl->notify = fn;
	genl->notify_arg = arg;
}

/**
 * kv_genl_msg - a message without attributes
 * @genl: socket
 * @cmd: enum kverbs_cmd
 * Return: message, NULL when there is no memory: kv_genl_do() and kv_genl_dump()
 * take that too
 */
struct nl_msg *kv_genl_msg(struct kv_genl *genl, int cmd)
{
	struct nl_msg *msg = nlmsg_alloc_size(KV_GENL_MESSAGE / 4);

	if (msg && !genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, genl->family, 0, 0, cmd,
				KVERBS_GENL_VERSION)) {
		nlmsg_free(msg);
		msg = NULL;
	}
	return msg;
}

/**
 * kv_genl_do - one command and its answer
 * @genl: socket
 * @msg: message, freed here
 * @fn: takes the answer, NULL: it has none but the acknowledgment
 * @arg: argument of @fn
 * @error: filled on failure
 * Return: 0 or -1
 */
int kv_genl_do(struct kv_genl *genl, struct nl_msg *msg, kv_genl_fn fn, void *arg,
	       struct kv_error *error)
{
	struct kv_answer answer = { .msg = msg, .fn = fn, .arg = arg };
	int rc;

	if (!msg)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT, "out of memory");
	rc = kv_genl_ask(genl, &answer, NLM_F_ACK, error);
	nlmsg_free(msg);
	return rc;
}

/**
 * kv_genl_dump - one dump
 * @genl: socket
 * @msg: message, freed here
 * @fn: takes each part; called with no attributes first, each time it is tried
 * @arg: argument of @fn
 * @error: filled on failure
 * Return: 0 or -1
 */
int kv_genl_dump(struct kv_genl *genl, struct nl_msg *msg, kv_genl_fn fn, void *arg,
		 struct kv_error *error)
{
	struct kv_answer answer = { .msg = msg, .fn = fn, .arg = arg };
	int rc, tries;

	if (!msg)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT, "out of memory");
	for (tries = 0; tries < KV_GENL_TRIES; tries++) {
		rc = fn(0, NULL, arg, error);
		if (!rc)
			rc = kv_genl_ask(genl, &answer, NLM_F_DUMP, error);
		if (rc || !answer.interrupted)
			break;
	}
	if (!rc && answer.interrupted)
		rc = kv_error_set(error, KV_EXIT_ENVIRONMENT,
				  "what the module shows changed during each of %d tries to read it; try again",
				  KV_GENL_TRIES);
	nlmsg_free(msg);
	return rc;
}

/**
 * kv_genl_listen - take notifications
 * @genl: socket
 * @timeout_ms: longest wait for the first, -1: any
 * @error: filled on failure
 * Return: 1 when something came, 0 when nothing did or a signal came first, or -1
 */
int kv_genl_listen(struct kv_genl *genl, int timeout_ms, struct kv_error *error)
{
	int rc = kv_genl_receive(genl, NULL, timeout_ms, error);

	while (rc > 0) {
		int more = kv_genl_receive(genl, NULL, 0, error);

		if (more <= 0)
			return more < 0 ? -1 : rc;
	}
	return rc;
}

/**
 * kv_genl_nest - attributes of a nest by number
 * @attr: @max + 1 entries
 * @max: the highest number wanted
 * @nest: the nest; NULL leaves all of @attr NULL
 * @error: filled on failure
 * Return: 0 or -1
 */
int kv_genl_nest(struct nlattr **attr, int max, struct nlattr *nest, struct kv_error *error)
{
	memset(attr, 0, sizeof(*attr) * (max + 1));
	if (nest && nla_parse_nested(attr, max, nest, NULL) < 0)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT,
				    "attribute %d of the module cannot be parsed: tool and module differ in version",
				    nla_type(nest));
	return 0;
}

/**
 * kv_genl_u32 - value of an attribute that may be missing
 * @attr: attribute or NULL
 * @otherwise: value of a missing one, or of one of another size
 * Return: value
 */
u32 kv_genl_u32(struct nlattr *attr, u32 otherwise)
{
	return attr && nla_len(attr) == sizeof(u32) ? nla_get_u32(attr) : otherwise;
}

/**
 * kv_genl_u64 - value of an attribute that may be missing
 * @attr: attribute or NULL
 * @otherwise: value of a missing one, or of one of another size
 * Return: value
 */
u64 kv_genl_u64(struct nlattr *attr, u64 otherwise)
{
	return attr && nla_len(attr) == sizeof(u64) ? nla_get_u64(attr) : otherwise;
}

/**
 * kv_genl_string - text of an attribute that may be missing
 * @attr: attribute or NULL
 * @to: where to, always terminated
 * @size: of @to
 */
void kv_genl_string(struct nlattr *attr, char *to, size_t size)
{
	to[0] = '\0';
	if (attr)
		nla_strlcpy(to, attr, size);
}

static int kv_genl_take_info(int cmd, struct nlattr **attr, void *arg, struct kv_error *error)
{
	struct nlattr *a[KVERBS_INFO_A_MAX + 1];
	struct kv_module_info *info = arg;

	if (kv_genl_nest(a, KVERBS_INFO_A_MAX, attr[KVERBS_A_INFO], error))
		return -1;
	memset(info, 0, sizeof(*info));
	kv_genl_string(a[KVERBS_INFO_A_VERSION], info->version, sizeof(info->version));
	info->max_runs = kv_genl_u32(a[KVERBS_INFO_A_MAX_RUNS], 0);
	info->max_lanes = kv_genl_u32(a[KVERBS_INFO_A_MAX_LANES], 0);
	info->max_depth = kv_genl_u32(a[KVERBS_INFO_A_MAX_DEPTH], 0);
	info->max_bytes = kv_genl_u64(a[KVERBS_INFO_A_MAX_BYTES], 0);
	info->max_time_ms = kv_genl_u32(a[KVERBS_INFO_A_MAX_TIME_MS], 0);
	kv_genl_string(a[KVERBS_INFO_A_CLOCK_NAME], info->clock.name, sizeof(info->clock.name));
	info->clock.mult = kv_genl_u32(a[KVERBS_INFO_A_CLOCK_MULT], 0);
	info->clock.shift = kv_genl_u32(a[KVERBS_INFO_A_CLOCK_SHIFT], 0);
	info->clock.invariant = kv_genl_u32(a[KVERBS_INFO_A_CLOCK_INVARIANT], 0);
	info->clock.cost = kv_genl_u32(a[KVERBS_INFO_A_CLOCK_COST], 0);
	if (info->clock.shift > 32)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT,
				    "clock shift %u of the module: at most 32; tool and module differ in version",
				    info->clock.shift);
	return 0;
}

/**
 * kv_genl_info - what the module says of itself
 * @genl: socket
 * @info: filled
 * @error: filled on failure
 * Return: 0 or -1
 */
int kv_genl_info(struct kv_genl *genl, struct kv_module_info *info, struct kv_error *error)
{
	return kv_genl_do(genl, kv_genl_msg(genl, KVERBS_CMD_INFO_GET), kv_genl_take_info, info,
			  error);
}

/**
 * kv_module_info - what the module says of itself, on a socket of its own
 * @info: filled
 * @error: filled on failure
 * Return: 0 or -1
 */
int kv_module_info(struct kv_module_info *info, struct kv_error *error)
{
	struct kv_genl *genl = kv_genl_open(error);
	int rc;

	if (!genl)
		return -1;
	rc = kv_genl_info(genl, info, error);
	kv_genl_close(genl);
	return rc;
}

static int kv_genl_take_port(struct nlattr *nest, struct kv_dev_port *port, struct kv_error *error)
{
	struct nlattr *a[KVERBS_PORT_A_MAX + 1];

	if (kv_genl_nest(a, KVERBS_PORT_A_MAX, nest, error))
		return -1;
	port->num = kv_genl_u32(a[KVERBS_PORT_A_NUM], 0);
	port->state = kv_genl_u32(a[KVERBS_PORT_A_STATE], 0);
	port->link = kv_genl_u32(a[KVERBS_PORT_A_LINK_LAYER], KVERBS_LINK_OTHER);
	port->mtu = kv_genl_u32(a[KVERBS_PORT_A_MTU], 0);
	port->max_msg = kv_genl_u32(a[KVERBS_PORT_A_MAX_MSG], 0);
	port->gids = kv_genl_u32(a[KVERBS_PORT_A_GIDS], 0);
	port->lid = kv_genl_u32(a[KVERBS_PORT_A_LID], 0);
	return 0;
}

static int kv_genl_take_ports(struct nlattr *nest, struct kv_dev *dev, struct kv_error *error)
{
	struct nlattr *attr;
	int left, n = 0;

	nla_for_each_nested(attr, nest, left)
		n += nla_type(attr) == KVERBS_DEV_A_PORT;
	dev->port = calloc(n ? n : 1, sizeof(*dev->port));
	if (!dev->port)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT, "out of memory");
	nla_for_each_nested(attr, nest, left) {
		if (nla_type(attr) != KVERBS_DEV_A_PORT)
			continue;
		if (kv_genl_take_port(attr, &dev->port[dev->nports++], error))
			return -1;
	}
	return 0;
}

static int kv_genl_take_dev(int cmd, struct nlattr **attr, void *arg, struct kv_error *error)
{
	struct nlattr *a[KVERBS_DEV_A_MAX + 1];
	struct kv_dev **list = arg, *dev;

	if (!attr) {
		kv_dev_free(*list);
		*list = NULL;
		return 0;
	}
	if (!attr[KVERBS_A_DEV])
		return 0;
	if (kv_genl_nest(a, KVERBS_DEV_A_MAX, attr[KVERBS_A_DEV], error))
		return -1;
	dev = calloc(1, sizeof(*dev));
	if (!dev)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT, "out of memory");
	while (*list)
		list = &(*list)->next;
	*list = dev;
	kv_genl_string(a[KVERBS_DEV_A_NAME], dev->name, sizeof(dev->name));
	kv_genl_string(a[KVERBS_DEV_A_DRIVER], dev->driver, sizeof(dev->driver));
	kv_genl_string(a[KVERBS_DEV_A_POST_SEND], dev->post_send, sizeof(dev->post_send));
	kv_genl_string(a[KVERBS_DEV_A_FW_VER], dev->fw_ver, sizeof(dev->fw_ver));
	dev->node_guid = kv_genl_u64(a[KVERBS_DEV_A_NODE_GUID], 0);
	dev->numa_node = (int)kv_genl_u32(a[KVERBS_DEV_A_NUMA_NODE], ~0U);
	dev->software = kv_genl_u32(a[KVERBS_DEV_A_SOFTWARE], 0);
	dev->max_qp = kv_genl_u32(a[KVERBS_DEV_A_MAX_QP], 0);
	dev->max_qp_wr = kv_genl_u32(a[KVERBS_DEV_A_MAX_QP_WR], 0);
	dev->max_cqe = kv_genl_u32(a[KVERBS_DEV_A_MAX_CQE], 0);
	dev->max_sge = kv_genl_u32(a[KVERBS_DEV_A_MAX_SGE], 0);
	dev->max_rd_atomic = kv_genl_u32(a[KVERBS_DEV_A_MAX_RD_ATOMIC], 0);
	dev->max_reg_pages = kv_genl_u32(a[KVERBS_DEV_A_MAX_REG_PAGES], 0);
	dev->reg_mr = kv_genl_u32(a[KVERBS_DEV_A_REG_MR], 0);
	return kv_genl_take_ports(attr[KVERBS_A_DEV], dev, error);
}

/**
 * kv_genl_devices - devices that the module sees
 * @genl: socket
 * @name: of one device, or NULL for all
 * @list: set; freed by kv_dev_free(), also after a failure
 * @error: filled on failure
 * Return: 0 or -1
 */
int kv_genl_devices(struct kv_genl *genl, const char *name, struct kv_dev **list,
		    struct kv_error *error)
{
	struct nl_msg *msg = kv_genl_msg(genl, KVERBS_CMD_DEV_GET);

	*list = NULL;
	if (!name)
		return kv_genl_dump(genl, msg, kv_genl_take_dev, list, error);
	if (msg && nla_put_string(msg, KVERBS_A_DEV_NAME, name)) {
		nlmsg_free(msg);
		msg = NULL;
	}
	return kv_genl_do(genl, msg, kv_genl_take_dev, list, error);
}

/**
 * kv_dev_free - free a list of devices
 * @list: may be NULL
 */
void kv_dev_free(struct kv_dev *list)
{
	struct kv_dev *next;

	for (; list; list = next) {
		next = list->next;
		free(list->port);
		free(list);
	}
}
