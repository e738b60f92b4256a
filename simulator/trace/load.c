// SPDX-License-Identifier: Apache-2.0
/* What happens when the library is loaded: paths, handlers, the monitor thread, fork handlers. */
#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "simulator/trace/ring.h"

static void *monitor_main(void *data)
{
	prctl(PR_SET_NAME, "AtraceMonitor");
	for (;;)
		sleep(60);
	return NULL;
}

/* A child writes into a directory of its own. */
static void after_fork_in_child(void)
{
	paths_load();
}

__attribute__((constructor)) static void trace_load(void)
{
	pthread_attr_t attr;
	pthread_t thread;

	paths_load();
	signals_install();
	pthread_atfork(NULL, NULL, after_fork_in_child);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_create(&thread, &attr, monitor_main, NULL);
	pthread_attr_destroy(&attr);
}
