// SPDX-License-Identifier: Apache-2.0
/* Start and end of acl, errors, and the checks shared by the acl layer. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include "simulator/acl/check.h"
#include "simulator/trace/atrace.h"

static pthread_mutex_t init_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t init_count; /* aclInit calls, the refused ones too */
static bool finalized;

aclError acl_null(const char *argument)
{
	char text[160];

	snprintf(text, sizeof(text), "Argument %s must not be NULL", argument);
	rtReportInputError("EH0008", text);
	return ACL_ERROR_INVALID_PARAM;
}

aclError acl_invalid(const char *argument)
{
	char text[160];

	snprintf(text, sizeof(text), "The value of argument %s is invalid", argument);
	rtReportInputError("EH0007", text);
	return ACL_ERROR_INVALID_PARAM;
}

static void *dump_worker(void *unused)
{
	for (;;)
		pause();
	return NULL;
}

/* A thread that waits for dumps to write; the real one has no name of its own either. */
static void dump_worker_start(void)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_create(&thread, &attr, dump_worker, NULL);
	pthread_attr_destroy(&attr);
}

aclError aclInit(const char *configPath)
{
	static pthread_once_t worker_once = PTHREAD_ONCE_INIT;
	aclError err = ACL_SUCCESS;

	if (configPath && configPath[0] && access(configPath, R_OK) != 0)
		return ACL_ERROR_INVALID_FILE;
	AtraceSetGlobalAttr(NULL);
	pthread_once(&worker_once, dump_worker_start);
	pthread_mutex_lock(&init_lock);
	if (init_count++)
		err = ACL_ERROR_REPEAT_INITIALIZE;
	finalized = false;
	pthread_mutex_unlock(&init_lock);
	return err;
}

/* Without any aclInit before there is nothing to finalize, and that is no error. */
aclError aclFinalize(void)
{
	aclError err = ACL_SUCCESS;

	pthread_mutex_lock(&init_lock);
	if (finalized)
		err = ACL_ERROR_REPEAT_FINALIZE;
	finalized = true;
	init_count = 0;
	pthread_mutex_unlock(&init_lock);
	return err;
}

aclError aclFinalizeReference(uint64_t *refCount)
{
	aclError err = ACL_ERROR_REPEAT_FINALIZE;

	pthread_mutex_lock(&init_lock);
	if (init_count > 0) {
		init_count--;
		finalized = init_count == 0;
		if (refCount)
			*refCount = init_count;
		err = ACL_SUCCESS;
	}
	pthread_mutex_unlock(&init_lock);
	return err;
}

const char *aclGetRecentErrMsg(void)
{
	return rtTakeErrorText();
}

aclError aclrtPeekAtLastError(aclrtLastErrLevel level)
{
	return level == ACL_RT_THREAD_LEVEL ? rtPeekAtLastError(level) : acl_invalid("level");
}

aclError aclrtGetLastError(aclrtLastErrLevel level)
{
	return level == ACL_RT_THREAD_LEVEL ? rtGetLastError(level) : acl_invalid("level");
}

aclError aclrtGetVersion(int32_t *majorVersion, int32_t *minorVersion, int32_t *patchVersion)
{
	CHECK_NOT_NULL(majorVersion);
	CHECK_NOT_NULL(minorVersion);
	CHECK_NOT_NULL(patchVersion);
	*majorVersion = ACL_MAJOR_VERSION;
	*minorVersion = ACL_MINOR_VERSION;
	*patchVersion = ACL_PATCH_VERSION;
	return ACL_SUCCESS;
}

const char *aclrtGetSocName(void)
{
	return "Ascend910B1";
}

aclError aclrtGetRunMode(aclrtRunMode *runMode)
{
	CHECK_NOT_NULL(runMode);
	*runMode = ACL_HOST;
	return ACL_SUCCESS;
}
