// SPDX-License-Identifier: Apache-2.0
/*
 * Functions the program registers: device and stream states, task aborts,
 * exceptions; and notes about the last operator, which are accepted and kept by nobody.
 */
#include <pthread.h>
#include <string.h>
#include "simulator/acl/register.h"

enum { MAX_REGISTERED = 16, NAME = 64 };

struct registered {
	char name[NAME];
	void *function;
	void *args;
};

struct list {
	struct registered entries[MAX_REGISTERED];
	int count;
};

static pthread_mutex_t register_lock = PTHREAD_MUTEX_INITIALIZER;
static struct list device_states, stream_states, task_aborts;

/* A NULL function takes the name off the list. */
static aclError registered_set(struct list *list, const char *name, void *function, void *args)
{
	aclError err = ACL_SUCCESS;
	int i = 0;

	pthread_mutex_lock(&register_lock);
	while (i < list->count && strncmp(list->entries[i].name, name, NAME - 1) != 0)
		i++;
	if (!function && i < list->count) {
		list->entries[i] = list->entries[--list->count];
	} else if (function && i < MAX_REGISTERED) {
		strncpy(list->entries[i].name, name, NAME - 1);
		list->entries[i].function = function;
		list->entries[i].args = args;
		list->count += i == list->count;
	} else {
		err = ACL_ERROR_RT_PARAM_INVALID;
	}
	pthread_mutex_unlock(&register_lock);
	return err;
}

/* A copy, so that the functions are called without the lock. */
static int registered_copy(const struct list *list, struct registered *to)
{
	int n;

	pthread_mutex_lock(&register_lock);
	n = list->count;
	memcpy(to, list->entries, sizeof(list->entries));
	pthread_mutex_unlock(&register_lock);
	return n;
}

void tell_device_state(int32_t device, aclrtDeviceState state)
{
	struct registered all[MAX_REGISTERED];
	int n = registered_copy(&device_states, all);

	for (int i = 0; i < n; i++) {
		aclrtDeviceStateCallback function;

		memcpy(&function, &all[i].function, sizeof(function));
		function(device, state, all[i].args);
	}
}

void tell_stream_state(aclrtStream stream, aclrtStreamState state)
{
	struct registered all[MAX_REGISTERED];
	int n = registered_copy(&stream_states, all);

	for (int i = 0; i < n; i++) {
		aclrtStreamStateCallback function;

		memcpy(&function, &all[i].function, sizeof(function));
		function(stream, state, all[i].args);
	}
}

aclError aclrtRegDeviceStateCallback(const char *regName, aclrtDeviceStateCallback callback, void *args)
{
	CHECK_NOT_NULL(regName);
	return registered_set(&device_states, regName, (void *)(uintptr_t)callback, args);
}

aclError aclrtRegStreamStateCallback(const char *regName, aclrtStreamStateCallback callback, void *args)
{
	CHECK_NOT_NULL(regName);
	return registered_set(&stream_states, regName, (void *)(uintptr_t)callback, args);
}

/* Never called: this driver cannot abort tasks. */
aclError aclrtSetDeviceTaskAbortCallback(const char *regName, aclrtDeviceTaskAbortCallback callback,
					 void *args)
{
	CHECK_NOT_NULL(regName);
	return registered_set(&task_aborts, regName, (void *)(uintptr_t)callback, args);
}

aclError aclrtCacheLastTaskOpInfo(const void *const infoPtr, const size_t infoSize)
{
	CHECK_NOT_NULL(infoPtr);
	return infoSize ? ACL_SUCCESS : acl_invalid("infoSize");
}

aclError aclrtCacheLastTaskExtendInfo(const char *const extendInfoPtr, const size_t infoSize)
{
	CHECK_NOT_NULL(extendInfoPtr);
	return infoSize ? ACL_SUCCESS : acl_invalid("infoSize");
}

/* ---- exceptions ---------------------------------------------------------------------- */

struct rtExceptionInfo {
	uint32_t task_id;
	uint32_t stream_id;
	uint32_t thread_id;
	uint32_t device_id;
	uint32_t code;
};

static _Atomic(aclrtExceptionInfoCallback) exception_callback;

static void on_task_failure(uint32_t device, uint32_t stream, uint32_t task, uint32_t thread, int code)
{
	struct rtExceptionInfo info = { task, stream, thread, device, (uint32_t)code };
	aclrtExceptionInfoCallback function = exception_callback;

	if (function)
		function(&info);
}

aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback)
{
	exception_callback = callback;
	rtSetTaskFailFunction(callback ? on_task_failure : NULL);
	return ACL_SUCCESS;
}

uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
	return info ? info->task_id : UINT32_MAX;
}

uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
	return info ? info->stream_id : UINT32_MAX;
}

uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
	return info ? info->thread_id : UINT32_MAX;
}

uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
	return info ? info->device_id : UINT32_MAX;
}

uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo *info)
{
	return info ? info->code : UINT32_MAX;
}
