// SPDX-License-Identifier: Apache-2.0
/*
 * What dlsym and dlvsym answer under the shim. usage: lookup_test CASE LIBRARY
 * The library is an old CANN (old_acl.c). Run with LD_PRELOAD, see meson.build.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

#define CHECK(condition, ...)                                                  \
	do {                                                                   \
		if (!(condition)) {                                            \
			failures++;                                            \
			printf("%s:%d: %s: ", __FILE__, __LINE__, #condition); \
			printf(__VA_ARGS__);                                   \
			printf("\n");                                          \
		}                                                              \
	} while (0)

typedef int sync_function(void *stream);
typedef int begin_function(void *stream, void *model, int mode);

static const char *home(void *address)
{
	Dl_info info;

	return address && dladdr(address, &info) && info.dli_fname ? info.dli_fname : "nowhere";
}

static int lives_in(void *address, const char *library)
{
	return strstr(home(address), library) != NULL;
}

/* Looked up, not found, and dlerror names it. */
static void check_absent(void *handle, const char *name, const char *how)
{
	const char *error;
	void *found;

	dlerror();
	found = dlsym(handle, name);
	error = dlerror();
	CHECK(!found, "%s: %s is at %s", how, name, home(found));
	CHECK(error && strstr(error, name), "%s: dlerror says %s", how, error ? error : "nothing");
	dlerror();
	found = dlvsym(handle, name, "NOBODY_1.0");
	error = dlerror();
	CHECK(!found && error && strstr(error, name), "%s: dlvsym, dlerror says %s", how, error ? error : "nothing");
}

/* Newer than the library: exported by the shim, but nobody behind it has it. */
static void absent(const char *path)
{
	void *library, *program = dlopen(NULL, RTLD_NOW);

	check_absent(RTLD_DEFAULT, "aclrtSynchronizeStream", "before it is loaded");
	check_absent(program, "aclrtSynchronizeStream", "before it is loaded, program");
	library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	CHECK(library, "%s", dlerror());
	check_absent(library, "aclrtCreateEvent", "library");
	check_absent(program, "aclrtCreateEvent", "program");
	check_absent(RTLD_DEFAULT, "aclrtCreateEvent", "default");
	check_absent(RTLD_NEXT, "aclrtCreateEvent", "next");
	check_absent(RTLD_DEFAULT, "halSqTaskSend", "a weak name of the driver's");
	check_absent(library, "no_such_name", "not ours");
	CHECK(lives_in(dlsym(RTLD_DEFAULT, "aclrtSynchronizeStream"), "cannwatch"), "default");
	CHECK(lives_in(dlsym(program, "aclrtSynchronizeStream"), "cannwatch"), "program");
}

/* Newer than what the shim exports: by look-up only, and only where it is. */
static void newer(const char *path)
{
	void *library, *program = dlopen(NULL, RTLD_NOW);
	begin_function *found;

	check_absent(RTLD_DEFAULT, "aclmdlRICaptureToModelRIBegin", "before");
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	check_absent(RTLD_DEFAULT, "aclmdlRICaptureToModelRIBegin", "local, default");
	check_absent(program, "aclmdlRICaptureToModelRIBegin", "local, program");
	found = (begin_function *)dlsym(library, "aclmdlRICaptureToModelRIBegin");
	CHECK(lives_in((void *)found, "cannwatch"), "handle: %s", home((void *)found));
	CHECK(found && found(NULL, NULL, 1) == 9, "the real one is not reached");
	library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	CHECK(lives_in(dlsym(RTLD_DEFAULT, "aclmdlRICaptureToModelRIBegin"), "cannwatch"), "default");
	CHECK(lives_in(dlsym(program, "aclmdlRICaptureToModelRIBegin"), "cannwatch"), "program");
	CHECK(dlsym(RTLD_NEXT, "malloc") != NULL, "RTLD_NEXT of the program");
}

static void local(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	sync_function *found = (sync_function *)dlsym(library, "aclrtSynchronizeStream");
	int (*seen)(void) = (int (*)(void))dlsym(library, "calls_seen");

	CHECK(lives_in((void *)found, "cannwatch"), "%s", home((void *)found));
	errno = 77;
	CHECK(dlsym(library, "aclInit") && errno == 77, "errno is %d", errno);
	CHECK(found && seen && found(NULL) == 7 && seen() == 1, "the real one is not reached once");
}

static void off(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	CHECK(dlsym(library, "aclrtSynchronizeStream") &&
		      !lives_in(dlsym(library, "aclrtSynchronizeStream"), "cannwatch"), "switched off");
	check_absent(library, "aclrtCreateEvent", "library");
}

/* Another interposer before or after us: each is called once, and its RTLD_NEXT means what it says. */
static void other(const char *path, const char *next_home, const char *kind)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	int (*seen)(void) = (int (*)(void))dlsym(library, "calls_seen");
	int (*interposed)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "interposer_calls");
	void *(*next)(const char *) = (void *(*)(const char *))dlsym(RTLD_DEFAULT, "interposer_next");
	sync_function *by_default = (sync_function *)dlsym(RTLD_DEFAULT, "aclrtSynchronizeStream");
	sync_function *by_handle = (sync_function *)dlsym(library, "aclrtSynchronizeStream");

	if (!seen || !interposed || !next || !by_default || !by_handle) {
		CHECK(0, "something was not found: %s", dlerror());
		return;
	}
	CHECK(by_default(NULL) == 7 && seen() == 1 && interposed() == 1, "default: %d real, %d interposed", seen(),
	      interposed());
	CHECK(lives_in(next("aclrtSynchronizeStream"), next_home), "next is in %s",
	      home(next("aclrtSynchronizeStream")));
	/* One that comes first and has a dlsym of its own goes past ours. */
	if (strcmp(kind, "dlsym") || strcmp(next_home, "cannwatch"))
		CHECK(!next("aclrtCreateEvent"), "next finds what is not there");
	/* Who asks the library itself gets the library's, with or without us in front, never twice. */
	CHECK(by_handle(NULL) == 7 && seen() == 2 && interposed() == 1, "handle: %d real, %d interposed", seen(),
	      interposed());
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	if (!strcmp(argv[1], "absent"))
		absent(argv[2]);
	else if (!strcmp(argv[1], "newer"))
		newer(argv[2]);
	else if (!strcmp(argv[1], "local"))
		local(argv[2]);
	else if (!strcmp(argv[1], "off"))
		off(argv[2]);
	else if (!strcmp(argv[1], "other") && argc > 4)
		other(argv[2], argv[3], argv[4]);
	else
		return 2;
	return failures != 0;
}
