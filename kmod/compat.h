/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Everything that differs between kernel versions and architectures. The rest of
 * the module is written as if for the newest kernel and has no #ifdef.
 */
#ifndef KV_COMPAT_H
#define KV_COMPAT_H

#include <linux/mmzone.h>
#include <linux/ptrace.h>
#include <linux/version.h>
#include <net/genetlink.h>

#ifndef CONFIG_64BIT
#error "kverbs needs a 64-bit kernel: its counters are read without locks"
#endif

/* genl_dumpit_info() got a struct genl_info inside in 6.7 */
static inline struct nlattr **kv_dump_attrs(struct netlink_callback *cb)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
	return genl_dumpit_info(cb)->info.attrs;
#else
	return genl_dumpit_info(cb)->attrs;
#endif
}

/* __assign_str() lost its second argument in 6.10 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
#define kv_assign_str(dst, src)	__assign_str(dst)
#else
#define kv_assign_str(dst, src)	__assign_str(dst, src)
#endif

/* the largest block of pages: MAX_ORDER was one above until 6.4, and renamed in 6.8 */
static inline u64 kv_max_block(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
	return PAGE_SIZE << MAX_PAGE_ORDER;
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
	return PAGE_SIZE << MAX_ORDER;
#else
	return PAGE_SIZE << (MAX_ORDER - 1);
#endif
}

/*
 * ATOMIC_WRITE came in 6.3, and has the WR of a WRITE. FLUSH came with it, as a number: no
 * WR says what is flushed.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
#define KV_HAVE_PLACEMENT	1
#define KV_WR_ATOMIC_WRITE	IB_WR_ATOMIC_WRITE
#define KV_DEVICE_ATOMIC_WRITE	IB_DEVICE_ATOMIC_WRITE
#else
#define KV_HAVE_PLACEMENT	0
#define KV_WR_ATOMIC_WRITE	0
#define KV_DEVICE_ATOMIC_WRITE	0
#endif

/* an argument of a function, at its entry: not every architecture tells */
#ifdef CONFIG_HAVE_FUNCTION_ARG_ACCESS_API
static inline bool kv_can_call_argument(void)
{
	return true;
}

static inline void *kv_call_argument(struct pt_regs *regs, unsigned int n)
{
	return (void *)regs_get_kernel_argument(regs, n);
}
#else
static inline bool kv_can_call_argument(void)
{
	return false;
}

static inline void *kv_call_argument(struct pt_regs *regs, unsigned int n)
{
	return NULL;
}
#endif

/* the CPU's counter runs at one rate and in step on all CPUs */
#if defined(CONFIG_X86) && !defined(CONFIG_UML)
#include <asm/cpufeature.h>

static inline bool kv_cpu_clock_invariant(void)
{
	return boot_cpu_has(X86_FEATURE_CONSTANT_TSC) &&
	       boot_cpu_has(X86_FEATURE_NONSTOP_TSC);
}
#elif defined(CONFIG_ARM64)
static inline bool kv_cpu_clock_invariant(void)
{
	return true;
}
#else
static inline bool kv_cpu_clock_invariant(void)
{
	return false;
}
#endif

#endif /* KV_COMPAT_H */
