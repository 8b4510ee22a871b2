// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <signal.h>
#include <unistd.h>
#include "kverbs.h"

static volatile sig_atomic_t interrupts;

/* of a terminal that goes, the shell and the kernel may both tell: once is enough */
static void on_signal(int signal)
{
	if (interrupts && signal != SIGHUP)
		_exit(KV_EXIT_INTERRUPTED);
	interrupts = 1;
}

void kv_interrupt_catch(void)
{
	struct sigaction action = { .sa_handler = on_signal }, before;

	/* no SA_RESTART: a wait for the run has to notice */
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGQUIT, &action, NULL);
	/* nohup means it */
	if (!sigaction(SIGHUP, NULL, &before) && before.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
}

bool kv_interrupted(void)
{
	return interrupts;
}
