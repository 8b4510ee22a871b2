// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The PCI function: BAR, init segment, doorbell pages, interrupts and DMA.
 * Register writes only become messages here; the engine acts on them.
 */
#include "hca.h"
#include "qemu/main-loop.h"
#include "qemu/module.h"
#include "qapi/error.h"
#include "hw/pci/msix.h"
#include "hw/pci/pcie.h"
#include "hw/qdev-properties.h"
#include "sysemu/cpu-timers.h"

#define TYPE_HCA "kverbs-hca"

struct hca_pci {
	PCIDevice parent;
	MemoryRegion bar;
	struct hca hca;
};

DECLARE_INSTANCE_CHECKER(struct hca_pci, HCA_PCI, TYPE_HCA)

enum {
	REG_FW_REV	= 0x0,
	REG_CMDIF_REV	= 0x4,
	REG_CMDQ_H	= 0x10,
	REG_CMDQ_L	= 0x14,
	REG_CMD_DBELL	= 0x18,
	REG_INITIALIZING = 0x1fc,
	REG_HEALTH	= 0x200,
	REG_HEALTH_FW	= REG_HEALTH + 0x30,
	REG_HEALTH_HW	= REG_HEALTH + 0x34,
	REG_HEALTH_RFR	= REG_HEALTH + 0x38,
	REG_HEALTH_SYND	= REG_HEALTH + 0x3c,
	REG_TIMER_H	= 0x1000,
	REG_TIMER_L	= 0x1004,
	REG_HEALTH_COUNT = 0x1010,
	/* Not a ConnectX's: guest time of the last doorbell, CQE and interrupt. */
	REG_STAMP_DOORBELL = 0x3000,
	REG_STAMP_CQE	= 0x3008,
	REG_STAMP_IRQ	= 0x3010,

	FW_MAJOR = 16, FW_MINOR = 35, FW_SUB = 1012,
	CMDIF_REV = 5,
	CMDQ_LOG_SZ = 5, CMDQ_LOG_STRIDE = 6,

	UAR_CQ_ARM	= 0x20,
	UAR_EQ_ARM	= 0x40,
	UAR_EQ_UPDATE	= 0x48,
	UAR_SQ		= 0x800,
};

static FILE *trace_file;
static QemuMutex trace_lock;

void hca_trace(struct hca *hca, const char *fmt, ...)
{
	va_list ap;

	if (!trace_file)
		return;
	qemu_mutex_lock(&trace_lock);
	fprintf(trace_file, "%u %" PRId64 " ", hca->number, hca_now(hca));
	va_start(ap, fmt);
	vfprintf(trace_file, fmt, ap);
	va_end(ap);
	fputc('\n', trace_file);
	fflush(trace_file);
	qemu_mutex_unlock(&trace_lock);
}

int64_t hca_now(struct hca *hca)
{
	return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

bool hca_dma(struct hca *hca, uint64_t addr, void *p, size_t len, bool write)
{
	/* A function that may not master the bus reaches no memory, as on hardware. */
	return pci_dma_rw(hca->pci, addr, p, len,
			  write ? DMA_DIRECTION_FROM_DEVICE : DMA_DIRECTION_TO_DEVICE,
			  MEMTXATTRS_UNSPECIFIED) == MEMTX_OK;
}

uint32_t hca_ldl(struct hca *hca, uint64_t addr)
{
	uint32_t v = 0;

	hca_dma(hca, addr, &v, 4, false);
	return be32_to_cpu(v);
}

void hca_irq(struct hca *hca, uint32_t vector)
{
	bool locked = qemu_mutex_iothread_locked();

	if (vector >= HCA_NUM_VECTORS)
		return;
	hca->stamp_irq = hca_now(hca);
	if (!locked)
		qemu_mutex_lock_iothread();
	if (msix_enabled(hca->pci))
		msix_notify(hca->pci, vector);
	if (!locked)
		qemu_mutex_unlock_iothread();
}

void hca_post(struct hca *hca, const struct hca_msg *m)
{
	qemu_mutex_lock(&hca->lock);
	if (hca->ring_tail - hca->ring_head == HCA_RING) {
		/* Only a guest that rings faster than any queue is deep gets here. */
		hca->ring_lost = true;
	} else {
		struct hca_msg *slot = &hca->ring[hca->ring_tail++ % HCA_RING];

		*slot = *m;
		slot->stamp = hca_now(hca);
	}
	qemu_mutex_unlock(&hca->lock);
	engine_kick(hca);
}

void hca_fatal(struct hca *hca, uint8_t synd)
{
	hca->dead = true;
	hca->health_synd = synd;
}

static uint64_t bar_read(void *opaque, hwaddr addr, unsigned int size)
{
	struct hca *hca = opaque;
	uint64_t now = hca_now(hca);

	if (hca->gone)
		return ~0ULL;
	if (size < 4)	/* the driver reads single bytes of the health buffer */
		return bar_read(opaque, addr & ~3ULL, 4) >> ((4 - size - (addr & 3)) * 8) &
		       ((1ULL << size * 8) - 1);
	if (size == 8)
		return (bar_read(opaque, addr, 4) << 32) | bar_read(opaque, addr + 4, 4);

	switch (addr) {
	case REG_FW_REV:
		return FW_MINOR << 16 | FW_MAJOR;
	case REG_CMDIF_REV:
		return CMDIF_REV << 16 | FW_SUB;
	case REG_CMDQ_H:
		return hca->cmdq_h;
	case REG_CMDQ_L:
		return (hca->cmdq_l & ~0xfffU) | hca->nic_state << 8 | CMDQ_LOG_SZ << 4 |
		       CMDQ_LOG_STRIDE;
	case REG_INITIALIZING:
		return 1U << 30;	/* initialized, and can be reset by software */
	case REG_HEALTH_FW:
		return FW_MAJOR << 28 | FW_MINOR << 16 | FW_SUB;
	case REG_HEALTH_HW:
		return 0x20d;
	case REG_HEALTH_RFR:
		return hca->dead ? 0x80000000U : 0;
	case REG_HEALTH_SYND:
		return (uint32_t)hca->health_synd << 16;
	case REG_TIMER_H:
		return now >> 32;
	case REG_TIMER_L:
		return now & 0xffffffff;
	case REG_STAMP_DOORBELL:
		return hca->stamp_doorbell >> 32;
	case REG_STAMP_DOORBELL + 4:
		return hca->stamp_doorbell & 0xffffffff;
	case REG_STAMP_CQE:
		return hca->stamp_cqe >> 32;
	case REG_STAMP_CQE + 4:
		return hca->stamp_cqe & 0xffffffff;
	case REG_STAMP_IRQ:
		return hca->stamp_irq >> 32;
	case REG_STAMP_IRQ + 4:
		return hca->stamp_irq & 0xffffffff;
	case REG_HEALTH_COUNT:
		/* Moves by itself every 10 ms; a dead device's stands still. */
		return hca->dead ? hca->health : (hca->health = (now / 10000000) & 0xffffff);
	}
	return 0;
}

static void uar_write(struct hca *hca, uint32_t uar, uint32_t off, uint64_t v, unsigned int size)
{
	struct hca_msg m = { .uar = uar };

	if (off == UAR_EQ_ARM || off == UAR_EQ_UPDATE) {
		m.what = off == UAR_EQ_ARM ? MSG_EQ_ARM : MSG_EQ;
		m.a = size == 8 ? v >> 32 : v;
		hca_post(hca, &m);
		return;
	}

	if (size == 4) {
		if (!(off & 4)) {
			hca->half = v;
			return;
		}
		v |= (uint64_t)hca->half << 32;
		off &= ~4U;
	}
	m.a = v >> 32;
	m.b = v;

	if (off == UAR_CQ_ARM) {
		m.what = MSG_CQ_ARM;
		hca_post(hca, &m);
	} else if (off >= UAR_SQ) {
		uint32_t reg = off & ~0xffU, pos = off & 0xff;

		if (!pos) {
			m.what = MSG_SQ;
			hca->stamp_doorbell = hca_now(hca);
			hca->bf.uar = uar;
			hca->bf.reg = reg;
			hca->bf.next = 8;
			stq_be_p(hca->bf.w, v);
			hca_post(hca, &m);
		} else if (hca->bf_on && pos < 64 && hca->bf.uar == uar && hca->bf.reg == reg &&
			   hca->bf.next == pos) {
			stq_be_p(hca->bf.w + pos, v);
			hca->bf.next += 8;
			if (hca->bf.next == 64) {
				m.what = MSG_BF;
				memcpy(m.bf, hca->bf.w, 64);
				hca_post(hca, &m);
			}
		}
	}
}

static void bar_write(void *opaque, hwaddr addr, uint64_t v, unsigned int size)
{
	struct hca *hca = opaque;
	struct hca_msg m = { };

	if (hca->gone || size < 4)
		return;
	if (addr >= HCA_FIRST_UAR * HCA_PAGE) {
		if (!hca->dead)
			uar_write(hca, addr / HCA_PAGE, addr % HCA_PAGE, v, size);
		return;
	}

	if (size == 8) {
		bar_write(opaque, addr, v >> 32, 4);
		bar_write(opaque, addr + 4, v & 0xffffffff, 4);
		return;
	}
	switch (addr) {
	case REG_CMDQ_H:
		hca->cmdq_h = v;
		break;
	case REG_CMDQ_L:
		hca->cmdq_l = v & ~0xfffU;
		hca->nic_state = (v >> 8) & 7;
		if (hca->nic_state == 7) {
			hca->nic_state = 1;	/* reset leaves the interface disabled */
			hca->dead = false;
			hca->health_synd = 0;
			m.what = MSG_RESET;
			hca_post(hca, &m);
		}
		break;
	case REG_CMD_DBELL:
		m.what = MSG_CMD;
		m.a = v;
		if (!hca->dead)
			hca_post(hca, &m);
		break;
	}
}

static const MemoryRegionOps bar_ops = {
	.read = bar_read,
	.write = bar_write,
	.endianness = DEVICE_BIG_ENDIAN,
	.valid = { .min_access_size = 1, .max_access_size = 8 },
	.impl = { .min_access_size = 1, .max_access_size = 8 },
};

static void hca_realize(PCIDevice *pci, Error **errp)
{
	struct hca_pci *d = HCA_PCI(pci);
	struct hca *hca = &d->hca;
	char *error = NULL;

	hca->pci = pci;
	hca->icount = icount_enabled();
	pci_config_set_class(pci->config, hca->roce ? 0x0200 : 0x0207);
	pci_config_set_interrupt_pin(pci->config, 0);

	memory_region_init_io(&d->bar, OBJECT(d), &bar_ops, hca, "kverbs-hca", HCA_BAR_SIZE);
	pci_register_bar(pci, 0, PCI_BASE_ADDRESS_MEM_TYPE_64 | PCI_BASE_ADDRESS_MEM_PREFETCH,
			 &d->bar);
	if (pcie_endpoint_cap_init(pci, 0x60) < 0) {
		error_setg(errp,
			   "kverbs-hca: needs a PCI Express slot: put a pcie-root-port before it");
		return;
	}
	if (msix_init_exclusive_bar(pci, HCA_NUM_VECTORS, 2, errp))
		return;
	for (int i = 0; i < HCA_NUM_VECTORS; i++)
		msix_vector_use(pci, i);

	if (hca->peer && !fabric_join(hca->peer, &error)) {
		error_setg(errp, "kverbs-hca: %s", error);
		g_free(error);
		return;
	}
	engine_init(hca);
	fabric_attach(hca);
	engine_start(hca);
	if (hca->control && !fault_open(hca, &error)) {
		error_setg(errp, "kverbs-hca: %s", error);
		g_free(error);
		engine_stop(hca);
		fabric_detach(hca);
		return;
	}
	hca_trace(hca, "device %s lid %u guid %016" PRIx64, hca->roce ? "roce" : "ib", hca->lid,
		  hca->guid);
}

static void hca_exit(PCIDevice *pci)
{
	struct hca *hca = &HCA_PCI(pci)->hca;

	fault_close(hca);
	fabric_detach(hca);
	engine_stop(hca);
	msix_unuse_all_vectors(pci);
	msix_uninit_exclusive_bar(pci);
	pcie_cap_exit(pci);
}

static uint32_t hca_config_read(PCIDevice *pci, uint32_t addr, int len)
{
	return HCA_PCI(pci)->hca.gone ? ~0U : pci_default_read_config(pci, addr, len);
}

static void hca_reset(DeviceState *dev)
{
	struct hca *hca = &HCA_PCI(dev)->hca;
	struct hca_msg m = { .what = MSG_RESET };

	hca_post(hca, &m);
}

static Property hca_properties[] = {
	DEFINE_PROP_BOOL("roce", struct hca_pci, hca.roce, false),
	DEFINE_PROP_BOOL("blueflame", struct hca_pci, hca.bf_on, true),
	DEFINE_PROP_UINT32("delay-ns", struct hca_pci, hca.delay_ns, 1000),
	DEFINE_PROP_STRING("peer", struct hca_pci, hca.peer),
	DEFINE_PROP_STRING("control", struct hca_pci, hca.control),
	DEFINE_PROP_END_OF_LIST(),
};

static void hca_class_init(ObjectClass *klass, void *data)
{
	DeviceClass *dc = DEVICE_CLASS(klass);
	PCIDeviceClass *k = PCI_DEVICE_CLASS(klass);

	k->realize = hca_realize;
	k->exit = hca_exit;
	k->config_read = hca_config_read;
	k->vendor_id = 0x15b3;
	k->device_id = 0x1017;
	k->class_id = 0x0207;
	dc->reset = hca_reset;
	dc->desc = "virtual ConnectX HCA";
	device_class_set_props(dc, hca_properties);
	set_bit(DEVICE_CATEGORY_NETWORK, dc->categories);
}

static const TypeInfo hca_type = {
	.name = TYPE_HCA,
	.parent = TYPE_PCI_DEVICE,
	.instance_size = sizeof(struct hca_pci),
	.class_init = hca_class_init,
	.interfaces = (InterfaceInfo[]) {
		{ INTERFACE_PCIE_DEVICE },
		{ },
	},
};

static void hca_register(void)
{
	const char *path = getenv("HCA_TRACE");

	qemu_mutex_init(&trace_lock);
	if (path && *path)
		trace_file = fopen(path, "a");
	type_register_static(&hca_type);
}

type_init(hca_register)
