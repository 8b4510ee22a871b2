// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <signal.h>
#include <unistd.h>
#include "kverbs.h"

static volatile sig_atomic_t interrupts;

static void on_signal(int signal)
{
	(void)signal;
	if (interrupts++)
		_exit(KV_EXIT_INTERRUPTED);
}

void kv_interrupt_catch(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	/* no SA_RESTART: a wait for the run has to notice */
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

bool kv_interrupted(void)
{
	return interrupts;
}
