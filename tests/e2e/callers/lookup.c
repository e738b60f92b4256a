// SPDX-License-Identifier: Apache-2.0
/*
 * A program that is not linked with the API. usage: lookup WAY HANG [LIBRARY]
 *
 *   handle     dlopen RTLD_LOCAL, dlsym(handle)
 *   default    dlopen RTLD_GLOBAL, dlsym(RTLD_DEFAULT)
 *   versioned  dlopen of a library with versioned symbols, dlvsym(handle)
 *   bypass     dlsym(handle) of libc's own dlsym, found by its version
 *   needed     dlopen RTLD_LOCAL of LIBRARY, which needs the API and holds the hang
 */
#include <dlfcn.h>

#define BODY_LOOKED_UP
#include "tests/e2e/callers/body.h"

#if defined(__x86_64__)
#define BASE_VERSION "GLIBC_2.2.5"
#else
#define BASE_VERSION "GLIBC_2.17"
#endif

typedef void *dlsym_function(void *library, const char *name);

static void *find(const char *way, void *library, const char *name)
{
	void *found;

	if (strcmp(way, "bypass") == 0)
		found = ((dlsym_function *)dlvsym(RTLD_NEXT, "dlsym", BASE_VERSION))(library, name);
	else if (strcmp(way, "default") == 0)
		found = dlsym(RTLD_DEFAULT, name);
	else if (strcmp(way, "versioned") == 0)
		found = dlvsym(library, name, "ACL_OLD_1.0");
	else
		found = dlsym(library, name);
	if (!found) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	return found;
}

static int run_needed(void *library, const char *hang)
{
	int (*run)(const char *) = (int (*)(const char *))find("handle", library, "run");

	return run(hang);
}

int main(int argc, char **argv)
{
	const char *name = argc > 3 ? argv[3] : "libascendcl.so";
	void *library;

	if (argc < 3)
		return 2;
	library = dlopen(name, RTLD_NOW | (strcmp(argv[1], "default") == 0 ? RTLD_GLOBAL : RTLD_LOCAL));
	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	if (strcmp(argv[1], "needed") == 0)
		return run_needed(library, argv[2]);
#define FIND(function) body_table.function = (__typeof(&function))find(argv[1], library, #function);
	BODY_FUNCTIONS(FIND)
	return body_run(argv[2]);
}
