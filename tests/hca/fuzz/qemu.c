// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * As much of QEMU as the model calls, for the fuzzer: the guest's memory, a
 * clock, one timer, threads and locks. The model registers itself as it does in
 * QEMU; fuzz_device() makes one.
 */
#include "fuzz.h"
#include "qemu/main-loop.h"
#include "qemu/module.h"
#include "qemu/rcu.h"
#include "qapi/error.h"
#include "hw/pci/msix.h"
#include "hw/pci/pcie.h"
#include "hw/qdev-properties.h"
#include "sysemu/cpu-timers.h"

uint8_t ram[RAM];
int64_t virtual_now = 1;
unsigned long interrupts;
int use_icount = 1;

static const TypeInfo *model;
static PCIDeviceClass class;
static const MemoryRegionOps *bar;
static void *bar_opaque;
static pthread_mutex_t big = PTHREAD_MUTEX_INITIALIZER;
static __thread bool big_held;
static void (*register_model)(void);

const PropertyInfo qdev_prop_bool, qdev_prop_string, qdev_prop_uint32;

/* ---- the device --------------------------------------------------------------------- */

void register_module_init(void (*fn)(void), module_init_type type)
{
	register_model = fn;
}

struct TypeImpl *type_register_static(const TypeInfo *info)
{
	model = info;
	return NULL;
}

/* A cast goes to the first member, whatever its type. */
ObjectClass *object_class_dynamic_cast_assert(ObjectClass *klass, const char *name,
					      const char *file, int line, const char *func)
{
	return klass;
}

Object *object_dynamic_cast_assert(Object *obj, const char *name, const char *file, int line,
				   const char *func)
{
	return obj;
}

void device_class_set_props(DeviceClass *dc, Property *props)
{
	dc->props_ = props;
}

PCIDevice *fuzz_device(bool roce)
{
	PCIDevice *pci;
	Error *error = NULL;

	if (!model) {
		register_model();
		model->class_init((ObjectClass *)&class, NULL);
	}
	pci = g_malloc0(model->instance_size);
	pci->config = g_malloc0(4096);
	for (Property *p = class.parent_class.props_; p->name; p++)
		if (!strcmp(p->name, "roce"))
			*(bool *)((char *)pci + p->offset) = roce;
		else if (!strcmp(p->name, "blueflame"))
			*(bool *)((char *)pci + p->offset) = true;
		else if (!strcmp(p->name, "delay-ns"))
			*(uint32_t *)((char *)pci + p->offset) = 1000;
	qemu_mutex_lock_iothread();
	class.realize(pci, &error);
	qemu_mutex_unlock_iothread();
	return pci;
}

void fuzz_reset(PCIDevice *pci)
{
	qemu_mutex_lock_iothread();
	class.parent_class.reset(&pci->qdev);
	qemu_mutex_unlock_iothread();
}

void fuzz_device_end(PCIDevice *pci)
{
	qemu_mutex_lock_iothread();
	class.exit(pci);
	qemu_mutex_unlock_iothread();
	g_free(pci->config);
	g_free(pci);
}

void memory_region_init_io(MemoryRegion *mr, Object *owner, const MemoryRegionOps *ops,
			   void *opaque, const char *name, uint64_t size)
{
	bar = ops;
	bar_opaque = opaque;
}

struct hca *fuzz_hca(void)
{
	return bar_opaque;
}

/* Register accesses come under the big lock, in pieces the bus can carry. */
void bar_wr(uint64_t addr, uint64_t v, unsigned int size)
{
	qemu_mutex_lock_iothread();
	bar->write(bar_opaque, addr, v, size);
	qemu_mutex_unlock_iothread();
}

uint64_t bar_rd(uint64_t addr, unsigned int size)
{
	uint64_t v;

	qemu_mutex_lock_iothread();
	v = bar->read(bar_opaque, addr, size);
	qemu_mutex_unlock_iothread();
	return v;
}

void pci_register_bar(PCIDevice *pci, int n, uint8_t attr, MemoryRegion *memory)
{
}

uint32_t pci_default_read_config(PCIDevice *pci, uint32_t addr, int len)
{
	return 0;
}

int pcie_endpoint_cap_init(PCIDevice *pci, uint8_t offset)
{
	return offset;
}

void pcie_cap_exit(PCIDevice *pci)
{
}

int msix_init_exclusive_bar(PCIDevice *pci, unsigned short n, uint8_t bar_nr, Error **errp)
{
	return 0;
}

void msix_uninit_exclusive_bar(PCIDevice *pci)
{
}

void msix_vector_use(PCIDevice *pci, unsigned int vector)
{
}

void msix_unuse_all_vectors(PCIDevice *pci)
{
}

int msix_enabled(PCIDevice *pci)
{
	return 1;
}

void msix_notify(PCIDevice *pci, unsigned int vector)
{
	if (vector >= HCA_NUM_VECTORS || !big_held)
		abort();
	interrupts++;
}

void qdev_unplug(DeviceState *dev, Error **errp)
{
}

void error_setg_internal(Error **errp, const char *src, int line, const char *func,
			 const char *fmt, ...)
{
	abort();
}

MemTxResult address_space_rw(AddressSpace *as, hwaddr addr, MemTxAttrs attrs, void *buf,
			     hwaddr len, bool is_write)
{
	if (addr >= RAM || len > RAM - addr)
		return MEMTX_DECODE_ERROR;
	memcpy(is_write ? ram + addr : buf, is_write ? buf : ram + addr, len);
	return MEMTX_OK;
}

/* ---- time ----------------------------------------------------------------------------- */

static QEMUTimer *the_timer;

int64_t qemu_clock_get_ns(QEMUClockType type)
{
	struct timespec ts;

	if (use_icount)
		return virtual_now;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

void timer_init_full(QEMUTimer *ts, QEMUTimerListGroup *group, QEMUClockType type, int scale,
		     int attributes, QEMUTimerCB *cb, void *opaque)
{
	ts->cb = cb;
	ts->opaque = opaque;
	ts->expire_time = -1;
	the_timer = ts;
}

void timer_mod_ns(QEMUTimer *ts, int64_t expire)
{
	ts->expire_time = expire;
}

void timer_mod_anticipate_ns(QEMUTimer *ts, int64_t expire)
{
	if (ts->expire_time < 0 || expire < ts->expire_time)
		ts->expire_time = expire;
}

void timer_del(QEMUTimer *ts)
{
	ts->expire_time = -1;
	the_timer = NULL;	/* only before its end */
}

/* Let time pass until the timer fires. False: nothing will happen by itself. */
bool fuzz_tick(void)
{
	QEMUTimer *t = the_timer;

	if (!t || t->expire_time < 0)
		return false;
	virtual_now = MAX(virtual_now + 1, t->expire_time);
	t->expire_time = -1;
	qemu_mutex_lock_iothread();
	t->cb(t->opaque);
	qemu_mutex_unlock_iothread();
	return true;
}

/* ---- threads and locks ------------------------------------------------------------------ */

void qemu_mutex_init(QemuMutex *m)
{
	pthread_mutex_init(&m->lock, NULL);
}

void qemu_mutex_destroy(QemuMutex *m)
{
	pthread_mutex_destroy(&m->lock);
}

static void mutex_lock(QemuMutex *m, const char *f, int l)
{
	pthread_mutex_lock(&m->lock);
}

QemuMutexLockFunc qemu_mutex_lock_func = mutex_lock;

void qemu_mutex_unlock_impl(QemuMutex *m, const char *f, const int l)
{
	pthread_mutex_unlock(&m->lock);
}

bool qemu_mutex_iothread_locked(void)
{
	return big_held;
}

void qemu_mutex_lock_iothread_impl(const char *file, int line)
{
	pthread_mutex_lock(&big);
	big_held = true;
}

void qemu_mutex_unlock_iothread(void)
{
	big_held = false;
	pthread_mutex_unlock(&big);
}

void qemu_thread_create(QemuThread *t, const char *name, void *(*fn)(void *), void *arg, int mode)
{
	pthread_create(&t->thread, NULL, fn, arg);
}

void *qemu_thread_join(QemuThread *t)
{
	void *ret;

	pthread_join(t->thread, &ret);
	return ret;
}

void rcu_register_thread(void)
{
}

void rcu_unregister_thread(void)
{
}
