/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What else happened on the measuring CPUs while a run went on.
 */
#ifndef KV_NOISE_H
#define KV_NOISE_H

#include <stdbool.h>
#include "engine.h"

#define KV_NOISE_CPUS	1024
#define KV_NOISE_KTHREADS	8192

/* CPU time of a kernel thread since it began */
struct kv_noise_kthread {
	u32 pid;
	u64 ns;
};

/* counters of each CPU since boot */
struct kv_noise_sample {
	u64 irqs[KV_NOISE_CPUS];	/* all but the local timer's */
	u64 timer_irqs[KV_NOISE_CPUS];
	u64 softirqs[KV_NOISE_CPUS];
	u64 steal[KV_NOISE_CPUS];	/* USER_HZ, as the next ones */
	u64 irq_time[KV_NOISE_CPUS];
	u64 softirq_time[KV_NOISE_CPUS];
	u64 all_irq_time;		/* of the whole machine */
	u64 throttles[KV_NOISE_CPUS];
	u64 switches;			/* of the whole machine */
	u32 nkthreads;			/* of the whole machine, but the lanes; by pid */
	struct kv_noise_kthread kthread[KV_NOISE_KTHREADS];
	u64 at_ns;
};

/**
 * struct kv_noise - over a run, on the CPUs of its lanes
 * @known: it could be read
 * @span_s: from before the start to after the end, warm-up included
 * @switches: context switches of the whole machine
 * @steal_ms: taken by the hypervisor
 * @irq_ns: CPU time an operation in interrupts; NaN when it is not counted, but sampled
 *	at timer ticks, which are interrupts themselves
 * @softirq_ns: likewise in softirqs
 * @step_ns: what both come in steps of
 * @kthreads_ns: CPU time an operation of all kernel threads but the lanes: workqueues,
 *	ksoftirqd, those of a software stack; NaN when the kernel does not say
 * @preemptions: of lanes that do not yield
 * @contaminated: more than the measurement should bear
 */
struct kv_noise {
	bool known;
	double span_s;
	u32 cpus;
	u64 irqs;
	u64 timer_irqs;
	u64 softirqs;
	u64 switches;
	double steal_ms;
	double irq_ns;
	double softirq_ns;
	double step_ns;
	double kthreads_ns;
	u64 throttles;
	u64 preemptions;
	bool contaminated;
	char why[96];
};

void kv_noise_parse_stat(const char *text, struct kv_noise_sample *sample);
void kv_noise_parse_table(const char *text, u64 *count, u64 *timer);
bool kv_noise_other_kthread(const char *stat);
struct kv_noise_sample *kv_noise_sample(void);	/* freed by free(), NULL: unknown */
void kv_noise_between(const struct kv_noise_sample *before, const struct kv_noise_sample *after,
		      const struct kv_result *result, struct kv_noise *noise);

#endif /* KV_NOISE_H */
