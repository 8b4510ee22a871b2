/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * An RDMA device as kverbs sees it. Runs hold a reference on this object, never
 * on the ib_device; who uses verbs objects of it is inside, between
 * kv_dev_enter() and kv_dev_leave(), and remove() waits for all of them.
 */
#ifndef KV_DEVICE_H
#define KV_DEVICE_H

#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "side.h"

/**
 * struct kv_port_info - cached attributes of a port
 * @valid: the port could be queried, once at least
 * @attr: what it last said
 */
struct kv_port_info {
	bool valid;
	struct ib_port_attr attr;
};

/**
 * struct kv_dev - device
 * @ref: who may look at this object
 * @inside: one of the device itself, and one for everybody inside
 * @left: all are out
 * @dead: nobody may come in any more
 * @entry: in the list of devices
 * @post: function that posts to it, as it was when it came
 * @ibdev: valid inside, and under the lock of the list of devices
 * @events: asynchronous events of the device
 * @refresh: reads the ports again
 * @ports_lock: guards @port
 * @nports: entries of @port
 * @port: cached, port 1 first
 */
struct kv_dev {
	struct kref ref;
	refcount_t inside;
	struct completion left;
	bool dead;
	struct list_head entry;
	void *post;
	struct ib_device *ibdev;
	struct ib_event_handler events;
	struct work_struct refresh;
	spinlock_t ports_lock;	/* port */
	u32 nports;
	struct kv_port_info port[];
};

/**
 * kv_dev_find - find a device by name
 * @net: namespace that must have access to it
 * @name: name
 * Return: device with a reference, or NULL
 */
struct kv_dev *kv_dev_find(struct net *net, const char *name);

/**
 * kv_dev_nth - find a device by its place in the list
 * @net: namespace that must have access to it
 * @nth: from 0
 * Return: device with a reference, or NULL past the last
 */
struct kv_dev *kv_dev_nth(struct net *net, unsigned int nth);

void kv_dev_put(struct kv_dev *dev);

/**
 * kv_dev_enter - begin to use the ib_device
 * @dev: device
 * Return: false when it is being removed; else call kv_dev_leave()
 */
bool kv_dev_enter(struct kv_dev *dev);
void kv_dev_leave(struct kv_dev *dev);

/**
 * kv_dev_refresh - read the attributes of all ports
 * @dev: device, the caller is inside; may sleep for a firmware command
 */
void kv_dev_refresh(struct kv_dev *dev);

/* likewise, soon; does not sleep */
void kv_dev_refresh_later(struct kv_dev *dev);

/**
 * kv_dev_port - cached attributes of a port
 * @dev: device
 * @port: number, from 1
 * @attr: filled on success
 * Return: false when there is no such port or it could not be queried
 */
bool kv_dev_port(struct kv_dev *dev, u32 port, struct ib_port_attr *attr);

/**
 * kv_dev_link - kind of a port
 * @dev: device, the caller is inside
 * @port: number, from 1 to @nports
 * Return: enum kverbs_link
 */
u32 kv_dev_link(struct kv_dev *dev, u32 port);

/**
 * kv_dev_caps - what bounds a job on a device
 * @dev: device, the caller is inside
 * @port: port of the job, any number
 * @caps: filled from cached attributes and module parameters
 */
void kv_dev_caps(struct kv_dev *dev, u32 port, struct kv_caps *caps);

/**
 * kv_devices_each - look at all devices, of all namespaces
 * @tell: called for each, which is alive meanwhile; must not come back here
 * @arg: its second argument
 */
void kv_devices_each(void (*tell)(const struct kv_dev *dev, void *arg), void *arg);

int kv_devices_init(void);
void kv_devices_exit(void);

#endif /* KV_DEVICE_H */
