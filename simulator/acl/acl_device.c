// SPDX-License-Identifier: Apache-2.0
/* Devices, contexts and process-wide settings. */
#include <pthread.h>
#include "simulator/acl/register.h"

enum { LEAST_PRIORITY = 7, GREATEST_PRIORITY = 0, CUBE_CORES = 24, VECTOR_CORES = 48, OPTIONS = 4 };

static _Atomic int64_t options[OPTIONS];

aclError aclrtGetDeviceCount(uint32_t *count)
{
	int32_t n = 0;

	CHECK_NOT_NULL(count);
	rtGetDeviceCount(&n);
	*count = (uint32_t)n;
	return ACL_SUCCESS;
}

aclError aclrtSetDevice(int32_t deviceId)
{
	aclError err;

	tell_device_state(deviceId, ACL_RT_DEVICE_STATE_SET_PRE);
	err = rtSetDevice(deviceId);
	if (!err)
		tell_device_state(deviceId, ACL_RT_DEVICE_STATE_SET_POST);
	return err;
}

aclError aclrtResetDevice(int32_t deviceId)
{
	aclError err;

	tell_device_state(deviceId, ACL_RT_DEVICE_STATE_RESET_PRE);
	err = rtDeviceReset(deviceId);
	if (!err)
		tell_device_state(deviceId, ACL_RT_DEVICE_STATE_RESET_POST);
	return err;
}

aclError aclrtResetDeviceForce(int32_t deviceId)
{
	aclError err;

	tell_device_state(deviceId, ACL_RT_DEVICE_STATE_RESET_PRE);
	err = rtDeviceResetForce(deviceId);
	if (!err)
		tell_device_state(deviceId, ACL_RT_DEVICE_STATE_RESET_POST);
	return err;
}

aclError aclrtGetDevice(int32_t *deviceId)
{
	CHECK_NOT_NULL(deviceId);
	return rtGetDevice(deviceId);
}

aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus *deviceStatus)
{
	int32_t status = 0;
	aclError err;

	CHECK_NOT_NULL(deviceStatus);
	err = rtDeviceStatusQuery(deviceId, &status);
	if (!err)
		*deviceStatus = (aclrtDeviceStatus)status;
	return err;
}

aclError aclrtSetTsDevice(aclrtTsId tsId)
{
	if ((unsigned)tsId >= ACL_TS_ID_RESERVED)
		return acl_invalid("tsId");
	return rtSetTSDevice((uint32_t)tsId);
}

aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t *flags, int32_t *active)
{
	if (flags)
		return acl_invalid("flags");
	CHECK_NOT_NULL(active);
	return rtGetPrimaryCtxState(deviceId, flags, active);
}

aclError aclrtDeviceTaskAbort(int32_t deviceId, uint32_t timeout)
{
	return rtDeviceTaskAbort(deviceId, timeout);
}

aclError aclrtDeviceCanAccessPeer(int32_t *canAccessPeer, int32_t deviceId, int32_t peerDeviceId)
{
	CHECK_NOT_NULL(canAccessPeer);
	if (deviceId == peerDeviceId)
		return acl_invalid("peerDeviceId");
	*canAccessPeer = 1;
	return ACL_SUCCESS;
}

aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags)
{
	int32_t own;
	aclError err;

	if (flags)
		return ACL_ERROR_FEATURE_UNSUPPORTED;
	err = rtGetDevice(&own);
	if (err)
		return err;
	return own == peerDeviceId ? acl_invalid("peerDeviceId") : rtEnableP2P(peerDeviceId, flags);
}

aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId)
{
	return aclrtDeviceEnablePeerAccess(peerDeviceId, 0);
}

aclError aclrtDeviceGetStreamPriorityRange(int32_t *leastPriority, int32_t *greatestPriority)
{
	if (leastPriority)
		*leastPriority = LEAST_PRIORITY;
	if (greatestPriority)
		*greatestPriority = GREATEST_PRIORITY;
	return ACL_SUCCESS;
}

aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode *mode)
{
	int value = 0;
	aclError err;

	CHECK_NOT_NULL(mode);
	err = rtGetDeviceSatMode(&value);
	if (!err)
		*mode = (aclrtFloatOverflowMode)value;
	return err;
}

aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode)
{
	return rtSetDeviceSatMode((int)mode);
}

aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t *value)
{
	CHECK_NOT_NULL(value);
	switch (attr) {
	case ACL_DEV_ATTR_AICPU_CORE_NUM:
		*value = 6;
		return ACL_SUCCESS;
	case ACL_DEV_ATTR_AICORE_CORE_NUM:
	case ACL_DEV_ATTR_CUBE_CORE_NUM:
		*value = CUBE_CORES;
		return ACL_SUCCESS;
	case ACL_DEV_ATTR_VECTOR_CORE_NUM:
		*value = VECTOR_CORES;
		return ACL_SUCCESS;
	case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE:
		*value = 64ll << 30;
		return ACL_SUCCESS;
	default:
		return ACL_ERROR_RT_PARAM_INVALID;
	}
}

aclError aclrtGetDeviceCapability(int32_t deviceId, aclrtDevFeatureType devFeatureType, int32_t *value)
{
	CHECK_NOT_NULL(value);
	*value = ACL_DEV_FEATURE_NOT_SUPPORT;
	return ACL_SUCCESS;
}

aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t *value)
{
	CHECK_NOT_NULL(value);
	if ((unsigned)type > ACL_RT_DEV_RES_VECTOR_CORE)
		return ACL_ERROR_RT_PARAM_INVALID;
	*value = type == ACL_RT_DEV_RES_CUBE_CORE ? CUBE_CORES : VECTOR_CORES;
	return ACL_SUCCESS;
}

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value)
{
	if ((unsigned)opt >= OPTIONS)
		return acl_invalid("opt");
	options[opt] = value;
	return ACL_SUCCESS;
}

aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t *value)
{
	CHECK_NOT_NULL(value);
	if ((unsigned)opt >= OPTIONS)
		return acl_invalid("opt");
	*value = options[opt];
	return ACL_SUCCESS;
}

aclError aclrtSynchronizeDevice(void)
{
	return rtDeviceSynchronize();
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout)
{
	return rtDeviceSynchronizeWithTimeout(timeout);
}

/* ---- contexts ----------------------------------------------------------------- */

aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId)
{
	CHECK_NOT_NULL(context);
	return rtCtxCreate(context, 0, deviceId);
}

aclError aclrtDestroyContext(aclrtContext context)
{
	CHECK_NOT_NULL(context);
	return rtCtxDestroy(context);
}

aclError aclrtSetCurrentContext(aclrtContext context)
{
	CHECK_NOT_NULL(context);
	return rtCtxSetCurrent(context);
}

aclError aclrtGetCurrentContext(aclrtContext *context)
{
	CHECK_NOT_NULL(context);
	return rtCtxGetCurrent(context);
}

aclError aclrtCtxGetCurrentDefaultStream(aclrtStream *stream)
{
	CHECK_NOT_NULL(stream);
	return rtCtxGetCurrentDefaultStream(stream);
}

/* ---- timeouts ------------------------------------------------------------------- */

aclError aclrtSetOpWaitTimeout(uint32_t timeout)
{
	return rtSetOpWaitTimeOut(timeout);
}

aclError aclrtSetOpExecuteTimeOut(uint32_t timeout)
{
	return rtSetOpExecuteTimeOutV2(timeout * 1000000ull, NULL);
}

aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout)
{
	return rtSetOpExecuteTimeOutV2(timeout * 1000ull, NULL);
}

aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t *actualTimeout)
{
	CHECK_NOT_NULL(actualTimeout);
	return rtSetOpExecuteTimeOutV2(timeout, actualTimeout);
}

aclError aclrtGetOpExecuteTimeout(uint32_t *const timeoutMs)
{
	CHECK_NOT_NULL(timeoutMs);
	return rtGetOpExecuteTimeOut(timeoutMs);
}

aclError aclrtGetOpTimeOutInterval(uint64_t *interval)
{
	CHECK_NOT_NULL(interval);
	return rtGetOpTimeOutInterval(interval);
}

aclError aclrtGetThreadLastTaskId(uint32_t *taskId)
{
	CHECK_NOT_NULL(taskId);
	return rtGetTaskIdAndStreamID(taskId);
}
