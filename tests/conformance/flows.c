// SPDX-License-Identifier: Apache-2.0
/*
 * The usual ways to use the runtime, as public documents show them: nothing but
 * the public headers, every call must succeed and every effect must be seen.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "acl/acl.h"

#define CALL(expression)                                                                             \
	do {                                                                                         \
		aclError err_ = (expression);                                                        \
		if (err_ != ACL_SUCCESS) {                                                           \
			fprintf(stderr, "%s:%d: %s -> %d\n", __FILE__, __LINE__, #expression, err_); \
			exit(1);                                                                     \
		}                                                                                    \
	} while (0)

#define CHECK(condition)                                                               \
	do {                                                                           \
		if (!(condition)) {                                                    \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			exit(1);                                                       \
		}                                                                      \
	} while (0)

enum { BYTES = 1 << 20, REPORT_MS = 100 };

/* A context of its own, copies there and back on a stream, the stream waited for. */
static void copy_in_own_context(void)
{
	aclrtContext context;
	aclrtStream stream;
	void *host, *back, *device;

	CALL(aclrtSetDevice(0));
	CALL(aclrtCreateContext(&context, 0));
	CALL(aclrtCreateStream(&stream));
	CALL(aclrtMallocHost(&host, BYTES));
	CALL(aclrtMallocHost(&back, BYTES));
	CALL(aclrtMalloc(&device, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
	memset(host, 0x5a, BYTES);
	memset(back, 0, BYTES);
	CALL(aclrtMemcpyAsync(device, BYTES, host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream));
	CALL(aclrtMemcpyAsync(back, BYTES, device, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, stream));
	CALL(aclrtSynchronizeStream(stream));
	CHECK(memcmp(host, back, BYTES) == 0);
	CALL(aclrtFree(device));
	CALL(aclrtFreeHost(host));
	CALL(aclrtFreeHost(back));
	CALL(aclrtDestroyStream(stream));
	CALL(aclrtDestroyContext(context));
	CALL(aclrtResetDevice(0));
}

/* One stream waits for the other by an event; the time between two events. */
static void wait_between_streams(void)
{
	aclrtStream first, second;
	aclrtEvent begin, end;
	aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
	uint32_t value = 7, back = 0;
	void *device;
	float ms = -1;

	CALL(aclrtSetDevice(0));
	CALL(aclrtCreateStream(&first));
	CALL(aclrtCreateStream(&second));
	CALL(aclrtCreateEvent(&begin));
	CALL(aclrtCreateEvent(&end));
	CALL(aclrtMalloc(&device, 64, ACL_MEM_MALLOC_HUGE_FIRST));
	CALL(aclrtRecordEvent(begin, first));
	CALL(aclrtMemcpyAsync(device, 64, &value, sizeof(value), ACL_MEMCPY_HOST_TO_DEVICE, first));
	CALL(aclrtRecordEvent(end, first));
	CALL(aclrtStreamWaitEvent(second, end));
	CALL(aclrtMemcpyAsync(&back, sizeof(back), device, sizeof(back), ACL_MEMCPY_DEVICE_TO_HOST, second));
	CALL(aclrtSynchronizeStream(second));
	CHECK(back == 7);
	CALL(aclrtSynchronizeEvent(end));
	CALL(aclrtQueryEventStatus(end, &status));
	CHECK(status == ACL_EVENT_RECORDED_STATUS_COMPLETE);
	CALL(aclrtEventElapsedTime(&ms, begin, end));
	CHECK(ms >= 0);
	CALL(aclrtDestroyEvent(begin));
	CALL(aclrtDestroyEvent(end));
	CALL(aclrtDestroyStream(first));
	CALL(aclrtDestroyStream(second));
	CALL(aclrtFree(device));
	CALL(aclrtResetDevice(0));
}

/* A notify: recorded on one stream, waited for and cleared on the other. */
static void notify_between_streams(void)
{
	aclrtStream first, second;
	aclrtNotify notify;

	CALL(aclrtSetDevice(0));
	CALL(aclrtCreateStream(&first));
	CALL(aclrtCreateStream(&second));
	CALL(aclrtCreateNotify(&notify, 0));
	CALL(aclrtWaitAndResetNotify(notify, second, 10));
	CALL(aclrtRecordNotify(notify, first));
	CALL(aclrtSynchronizeStream(first));
	CALL(aclrtSynchronizeStream(second));
	CALL(aclrtDestroyNotify(notify));
	CALL(aclrtDestroyStream(first));
	CALL(aclrtDestroyStream(second));
	CALL(aclrtResetDevice(0));
}

static _Atomic bool stop;
static _Atomic int calls;

static void on_callback(void *data)
{
	*(_Atomic int *)data += 1;
}

static void *serve(void *data)
{
	CALL(aclrtSetCurrentContext(data));
	while (!stop)
		aclrtProcessReport(REPORT_MS); /* nothing to do in time is no failure */
	return NULL;
}

/* Callbacks served by a thread of the program. */
static void callbacks(void)
{
	aclrtContext context;
	aclrtStream stream;
	pthread_t thread;

	CALL(aclrtSetDevice(0));
	CALL(aclrtGetCurrentContext(&context));
	CALL(aclrtCreateStream(&stream));
	CHECK(pthread_create(&thread, NULL, serve, context) == 0);
	CALL(aclrtSubscribeReport((uint64_t)thread, stream));
	for (int i = 0; i < 10; i++)
		CALL(aclrtLaunchCallback(on_callback, &calls, ACL_CALLBACK_BLOCK, stream));
	CALL(aclrtSynchronizeStream(stream));
	CHECK(calls == 10);
	CALL(aclrtUnSubscribeReport((uint64_t)thread, stream));
	stop = true;
	pthread_join(thread, NULL);
	CALL(aclrtDestroyStream(stream));
	CALL(aclrtResetDevice(0));
}

int main(void)
{
	CALL(aclInit(NULL));
	copy_in_own_context();
	wait_between_streams();
	notify_between_streams();
	callbacks();
	CALL(aclFinalize());
	puts("flows: good");
	return 0;
}
