// SPDX-License-Identifier: Apache-2.0
/*
 * Another library that stands in front of the same function, as profilers do. With
 * WITH_DLSYM it stands in front of dlsym as well and finds the real one by version.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

int aclrtSynchronizeStream(void *stream);
int interposer_calls(void);
void *interposer_next(const char *name);

static int calls;

/* What RTLD_NEXT means to this library. */
void *interposer_next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

int aclrtSynchronizeStream(void *stream)
{
	int (*real)(void *) = (int (*)(void *))dlsym(RTLD_NEXT, "aclrtSynchronizeStream");

	calls++;
	return real ? real(stream) : -1;
}

int interposer_calls(void)
{
	return calls;
}

#ifdef WITH_DLSYM
#if defined(__x86_64__)
#define BASE_VERSION "GLIBC_2.2.5"
#else
#define BASE_VERSION "GLIBC_2.17"
#endif

void *dlsym(void *restrict handle, const char *restrict name)
{
	static void *(*real)(void *, const char *);

	if (!real)
		real = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", BASE_VERSION);
	if (!real)
		abort();
	if (strcmp(name, "hooked_by_interposer") == 0)
		return &calls;
	return real(handle, name);
}
#endif
