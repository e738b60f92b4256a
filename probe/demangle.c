// SPDX-License-Identifier: Apache-2.0
/* C++ names (demangle.h). Uses dlopen: nothing here needs the C++ library to be installed. */
#include "probe/demangle.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES 4096 /* longer ones are left alone: reading them takes memory without bound */

static char *(*demangler)(const char *, char *, size_t *, int *);
static pthread_once_t demangler_once = PTHREAD_ONCE_INIT;

static void demangler_find(void)
{
	static const char *const names[] = { "libstdc++.so.6", "libc++abi.so.1" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]) && !demangler; i++) {
		void *library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);

		if (library)
			*(void **)&demangler = dlsym(library, "__cxa_demangle");
	}
}

char *demangle_name(const char *name)
{
	char *text = NULL;
	int status = -1;

	if (strncmp(name, "_Z", 2) || strlen(name) > NAME_MAX_BYTES)
		return strdup(name);
	pthread_once(&demangler_once, demangler_find);
	if (demangler)
		text = demangler(name, NULL, NULL, &status);
	if (text && status == 0)
		return text;
	free(text);
	return strdup(name);
}
