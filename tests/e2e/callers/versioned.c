// SPDX-License-Identifier: Apache-2.0
/*
 * A library that hands the API on under versioned names, as some installations wrap it:
 * the version asked for is not the one an unversioned reference would get.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

/* Up to three arguments, all of which fit a register. */
#define HAND_ON(name)                                                                                        \
	int name(uintptr_t a, uintptr_t b, uintptr_t c);                                                     \
	int name(uintptr_t a, uintptr_t b, uintptr_t c)                                                      \
	{                                                                                                    \
		int (*real)(uintptr_t, uintptr_t, uintptr_t) =                                               \
			(int (*)(uintptr_t, uintptr_t, uintptr_t))find(#name);                               \
                                                                                                             \
		return real(a, b, c);                                                                        \
	}

static void *find(const char *name)
{
	static void *library;
	void *found;

	if (!library)
		library = dlopen("libascendcl.so", RTLD_NOW | RTLD_LOCAL);
	found = library ? dlsym(library, name) : NULL;
	if (!found)
		abort();
	return found;
}

HAND_ON(aclInit)
HAND_ON(aclrtSetDevice)
HAND_ON(aclrtCreateStream)
HAND_ON(aclrtCreateEventWithFlag)
HAND_ON(aclrtStreamWaitEvent)
HAND_ON(aclrtRecordEvent)
HAND_ON(aclrtSynchronizeStream)
HAND_ON(aclrtStreamGetId)
HAND_ON(aclrtGetEventId)
HAND_ON(aclrtGetThreadLastTaskId)
