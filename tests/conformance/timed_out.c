// SPDX-License-Identifier: Apache-2.0
/*
 * Hangs in one way until a time limit ends it, so that the runtime writes down
 * what it knows. usage: timed_out WAY KERNEL_LIBRARY
 * event-never-recorded, wait-cycle, event-record-blocked: the wait of an event
 * ends at its own limit, and the device then keeps its view; task-stuck: a
 * kernel that does not end, the synchronize has the limit. The runtime does not
 * save traces then, so the program asks for them (on a real machine: the export
 * of the device's logs).
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "acl/acl.h"

enum { WAIT_LIMIT_S = 6, SYNC_LIMIT_MS = 9000 };

#define CALL(expression)                                                                             \
	do {                                                                                         \
		aclError err_ = (expression);                                                        \
		if (err_ != ACL_SUCCESS) {                                                           \
			fprintf(stderr, "%s:%d: %s -> %d\n", __FILE__, __LINE__, #expression, err_); \
			exit(2);                                                                     \
		}                                                                                    \
	} while (0)

static aclrtStream a, b;
static aclrtEvent first, second;
static uint32_t *word;

static void launch_endless(const char *kernels, aclrtStream s)
{
	struct {
		uint32_t *at;
		uint32_t value;
	} args = { word, 1 }; /* nobody writes it */
	aclrtBinHandle library;
	aclrtFuncHandle function;

	CALL(aclrtBinaryLoadFromFile(kernels, NULL, &library));
	CALL(aclrtBinaryGetFunction(library, "wait_for", &function));
	CALL(aclrtLaunchKernelWithHostArgs(function, 1, s, NULL, &args, sizeof(args), NULL, 0));
}

static int hang(const char *way, const char *kernels)
{
	if (strcmp(way, "event-never-recorded") == 0) {
		CALL(aclrtStreamWaitEvent(a, first));
	} else if (strcmp(way, "wait-cycle") == 0) {
		CALL(aclrtStreamWaitEvent(a, first));
		CALL(aclrtRecordEvent(second, a));
		CALL(aclrtStreamWaitEvent(b, second));
		CALL(aclrtRecordEvent(first, b));
	} else if (strcmp(way, "event-record-blocked") == 0) {
		launch_endless(kernels, b);
		CALL(aclrtRecordEvent(first, b));
		CALL(aclrtStreamWaitEvent(a, first));
	} else if (strcmp(way, "task-stuck") == 0) {
		launch_endless(kernels, a);
	} else {
		return 2;
	}
	return 0;
}

static void save_traces(void)
{
	int (*save)(int, bool);
	void *library = dlopen("libascend_trace.so", RTLD_NOW | RTLD_NOLOAD);
	void *address = library ? dlsym(library, "AtraceSave") : NULL;

	if (!address)
		exit(2);
	memcpy(&save, &address, sizeof(save));
	save(0, true);
}

int main(int argc, char **argv)
{
	aclError err;

	if (argc != 3)
		return 2;
	CALL(aclInit(NULL));
	CALL(aclrtSetDevice(0));
	CALL(aclrtSetOpWaitTimeout(WAIT_LIMIT_S));
	CALL(aclrtCreateStream(&a));
	CALL(aclrtCreateStream(&b));
	CALL(aclrtCreateEventWithFlag(&first, ACL_EVENT_SYNC));
	CALL(aclrtCreateEventWithFlag(&second, ACL_EVENT_SYNC));
	CALL(aclrtMalloc((void **)&word, 64, ACL_MEM_MALLOC_HUGE_FIRST));
	CALL(aclrtMemset(word, 64, 0, 64));
	if (hang(argv[1], argv[2]) != 0)
		return 2;
	err = aclrtSynchronizeStreamWithTimeout(a, SYNC_LIMIT_MS);
	if (strcmp(argv[1], "task-stuck") == 0)
		save_traces();
	printf("ended=%d\n", err);
	fflush(stdout);
	_exit(err == ACL_SUCCESS);
}
