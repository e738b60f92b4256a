// SPDX-License-Identifier: Apache-2.0
/*
 * The front half of the split layout's libruntime.so: loads the runtime proper
 * for the chip family and takes its table. Loaded with the library, so that
 * its threads and handlers are there as early as in the classic layout.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "simulator/runtime/front.h"

static const struct rt_table *table;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
	const struct rt_table *(*construct)(void);
	void *library = dlopen("libruntime_v100.so", RTLD_NOW | RTLD_LOCAL);
	void *address = library ? dlsym(library, "ConstructRuntimeImpl") : NULL;

	if (!address) {
		fprintf(stderr, "libruntime: cannot load libruntime_v100.so: %s\n", dlerror());
		abort();
	}
	memcpy(&construct, &address, sizeof(construct));
	table = construct();
}

const struct rt_table *rt_table(void)
{
	pthread_once(&once, load);
	return table;
}

__attribute__((constructor)) static void load_early(void)
{
	rt_table();
}
