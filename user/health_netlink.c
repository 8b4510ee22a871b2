// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Checks of what no file tells: PFC (DCB) and adaptive moderation (RDMA netlink). */
#include <string.h>
#include <linux/dcbnl.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <rdma/rdma_netlink.h>
#include "file.h"
#include "health_read.h"

#define PATIENCE_S	1

/* send a message and read what comes back by valid(): an answer in time, or false */
static bool ask(int protocol, struct nl_msg *msg, nl_recvmsg_msg_cb_t valid, void *arg)
{
	struct timeval patience = { .tv_sec = PATIENCE_S };
	struct nl_sock *sock = nl_socket_alloc();
	bool answered = false;

	if (sock && msg && !nl_connect(sock, protocol) &&
	    !setsockopt(nl_socket_get_fd(sock), SOL_SOCKET, SO_RCVTIMEO, &patience,
			sizeof(patience))) {
		nl_socket_modify_cb(sock, NL_CB_VALID, NL_CB_CUSTOM, valid, arg);
		answered = nl_send_auto(sock, msg) > 0 && nl_recvmsgs_default(sock) >= 0;
	}
	nl_socket_free(sock);
	nlmsg_free(msg);
	return answered;
}

/* the priorities with PFC: -1 where the interface does not say */
int kv_take_pfc(struct nl_msg *msg, void *arg)
{
	struct nlattr *attr[DCB_ATTR_MAX + 1], *ieee[DCB_ATTR_IEEE_MAX + 1];
	struct ieee_pfc pfc;
	int *enabled = arg;

	if (!nlmsg_parse(nlmsg_hdr(msg), sizeof(struct dcbmsg), attr, DCB_ATTR_MAX, NULL) &&
	    attr[DCB_ATTR_IEEE] &&
	    !nla_parse_nested(ieee, DCB_ATTR_IEEE_MAX, attr[DCB_ATTR_IEEE], NULL) &&
	    ieee[DCB_ATTR_IEEE_PFC] &&
	    nla_len(ieee[DCB_ATTR_IEEE_PFC]) >= (int)sizeof(pfc)) {
		/* attributes are aligned to 4 bytes, its members to 8 */
		memcpy(&pfc, nla_data(ieee[DCB_ATTR_IEEE_PFC]), sizeof(pfc));
		*enabled = pfc.pfc_en;
	}
	return NL_OK;
}

KV_READER(pfc)
{
	struct dcbmsg head = { .dcb_family = AF_UNSPEC, .cmd = DCB_CMD_IEEE_GET };
	struct nl_msg *msg;
	int enabled = -1;

	if (!kv_file_live() || !*host->netdev)
		return false;
	msg = nlmsg_alloc_simple(RTM_GETDCB, NLM_F_REQUEST);
	if (msg && (nlmsg_append(msg, &head, sizeof(head), NLMSG_ALIGNTO) ||
		    nla_put_string(msg, DCB_ATTR_IFNAME, host->netdev))) {
		nlmsg_free(msg);
		return false;
	}
	if (!ask(NETLINK_ROUTE, msg, kv_take_pfc, &enabled) || enabled < 0)
		return false;
	if (enabled)
		kv_found(found, enabled, "on for priorities 0x%02x of %s", enabled, host->netdev);
	else
		kv_found(found, 0, "off on %s", host->netdev);
	return true;
}

int kv_take_moderation(struct nl_msg *msg, void *arg)
{
	struct nlattr *attr[RDMA_NLDEV_ATTR_MAX];
	struct kv_moderation *moderation = arg;

	if (!nlmsg_parse(nlmsg_hdr(msg), 0, attr, RDMA_NLDEV_ATTR_MAX - 1, NULL) &&
	    attr[RDMA_NLDEV_ATTR_DEV_NAME] && attr[RDMA_NLDEV_ATTR_DEV_DIM] &&
	    !strcmp(nla_get_string(attr[RDMA_NLDEV_ATTR_DEV_NAME]), moderation->device))
		moderation->on = nla_get_u8(attr[RDMA_NLDEV_ATTR_DEV_DIM]);
	return NL_OK;
}

KV_READER(moderation)
{
	struct kv_moderation moderation = { host->device, -1 };
	struct nl_msg *msg;

	if (!kv_file_live())
		return false;
	msg = nlmsg_alloc_simple(RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET),
				 NLM_F_REQUEST | NLM_F_ACK | NLM_F_DUMP);
	if (!ask(NETLINK_RDMA, msg, kv_take_moderation, &moderation) || moderation.on < 0)
		return false;
	kv_found(found, moderation.on, moderation.on ? "on" : "off");
	return true;
}

KV_JUDGE(moderation)
{
	return found->number ? KV_HEALTH_NOTE : KV_HEALTH_OK;
}
