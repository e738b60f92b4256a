// SPDX-License-Identifier: Apache-2.0
/*
 * Signal handlers, installed when the library is loaded unless
 * ASCEND_COREDUMP_SIGNAL=none: signal 35 writes the rings and a stackcore and
 * the process runs on; any other writes the same and then has its usual effect.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "simulator/trace/ring.h"

static const int signals[] = { 2, 3, 4, 5, 6, 7, 8, 11, 15, 24, 25, 31, ASK_SIGNAL };

static _Atomic int writing;

static void write_all(int number, const void *context)
{
	char directory[400];

	if (atomic_exchange(&writing, 1))
		return; /* another thread is at it */
	if (event_directory("stackcore", directory, sizeof(directory)) == 0) {
		rings_save(directory);
		stackcore_write(directory, number, context);
	}
	atomic_store(&writing, 0);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	int saved = errno;

	if (!stackcore_answer(info, context))
		write_all(number, context);
	errno = saved;
	if (number == ASK_SIGNAL)
		return;
	signal(number, SIG_DFL);
	raise(number);
}

void signals_install(void)
{
	const char *setting = getenv("ASCEND_COREDUMP_SIGNAL");

	if (setting && strcmp(setting, "none") == 0)
		return;
	stackcore_prepare();
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		struct sigaction action;

		memset(&action, 0, sizeof(action));
		action.sa_sigaction = on_signal;
		action.sa_flags = SA_SIGINFO | SA_RESTART;
		sigaction(signals[i], &action, NULL);
	}
}
