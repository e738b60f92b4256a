// SPDX-License-Identifier: Apache-2.0
/* Streams and labels. */
#include <stdlib.h>
#include "simulator/acl/register.h"

aclError aclrtCreateStream(aclrtStream *stream)
{
	aclError err;

	CHECK_NOT_NULL(stream);
	err = rtStreamCreate(stream, 0);
	if (!err)
		tell_stream_state(*stream, ACL_RT_STREAM_STATE_CREATE_POST);
	return err;
}

aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag)
{
	aclError err;

	CHECK_NOT_NULL(stream);
	err = rtStreamCreateWithFlags(stream, (int32_t)priority, flag);
	if (!err)
		tell_stream_state(*stream, ACL_RT_STREAM_STATE_CREATE_POST);
	return err;
}

aclrtStreamConfigHandle *aclrtCreateStreamConfigHandle(void)
{
	return calloc(1, sizeof(aclrtStreamConfigHandle));
}

aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle *handle)
{
	CHECK_NOT_NULL(handle);
	free(handle);
	return ACL_SUCCESS;
}

aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle *handle, aclrtStreamConfigAttr attr,
				 const void *attrValue, size_t valueSize)
{
	CHECK_NOT_NULL(handle);
	CHECK_NOT_NULL(attrValue);
	if (attr == ACL_RT_STREAM_FLAG && valueSize == sizeof(size_t))
		handle->flag = *(const size_t *)attrValue;
	else if (attr == ACL_RT_STREAM_FLAG && valueSize == sizeof(uint32_t))
		handle->flag = *(const uint32_t *)attrValue;
	else if (attr == ACL_RT_STREAM_PRIORITY && valueSize == sizeof(uint32_t))
		handle->priority = *(const uint32_t *)attrValue;
	else if (attr == ACL_RT_STREAM_WORK_ADDR_PTR && valueSize == sizeof(void *))
		handle->workptr = *(void *const *)attrValue;
	else if (attr == ACL_RT_STREAM_WORK_SIZE && valueSize == sizeof(size_t))
		handle->workSize = *(const size_t *)attrValue;
	else
		return acl_invalid("attr");
	return ACL_SUCCESS;
}

aclError aclrtCreateStreamV2(aclrtStream *stream, const aclrtStreamConfigHandle *handle)
{
	CHECK_NOT_NULL(stream);
	CHECK_NOT_NULL(handle);
	return rtStreamCreateWithFlags(stream, (int32_t)handle->priority, (uint32_t)handle->flag);
}

aclError aclrtDestroyStream(aclrtStream stream)
{
	CHECK_NOT_NULL(stream);
	tell_stream_state(stream, ACL_RT_STREAM_STATE_DESTROY_PRE);
	return rtStreamDestroy(stream);
}

aclError aclrtDestroyStreamForce(aclrtStream stream)
{
	CHECK_NOT_NULL(stream);
	return rtStreamDestroyForce(stream);
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus *status)
{
	aclError err;

	CHECK_NOT_NULL(status);
	err = rtStreamQuery(stream);
	if (err != ACL_SUCCESS && err != ACL_ERROR_RT_STREAM_NOT_COMPLETE)
		return err;
	*status = err ? ACL_STREAM_STATUS_NOT_READY : ACL_STREAM_STATUS_COMPLETE;
	return ACL_SUCCESS;
}

aclError aclrtSynchronizeStream(aclrtStream stream)
{
	return rtStreamSynchronize(stream);
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout)
{
	return rtStreamSynchronizeWithTimeout(stream, timeout);
}

aclError aclrtStreamGetId(aclrtStream stream, int32_t *streamId)
{
	CHECK_NOT_NULL(streamId);
	return rtGetStreamId(stream, streamId);
}

aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t *flags)
{
	CHECK_NOT_NULL(flags);
	return rtStreamGetFlags(stream, flags);
}

aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t *priority)
{
	CHECK_NOT_NULL(priority);
	return rtStreamGetPriority(stream, priority);
}

aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode)
{
	return rtStreamSetMode(stream, mode);
}

aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag)
{
	if (flag > 1)
		return acl_invalid("flag");
	return rtSetStreamOverflowSwitch(stream, flag);
}

aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t *flag)
{
	CHECK_NOT_NULL(flag);
	return rtGetStreamOverflowSwitch(stream, flag);
}

aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue *value)
{
	CHECK_NOT_NULL(value);
	if (stmAttrType == ACL_STREAM_ATTR_FAILURE_MODE)
		return rtStreamSetAttribute(stream, stmAttrType, value->failureMode);
	return rtStreamSetAttribute(stream, stmAttrType, value->overflowSwitch);
}

aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue *value)
{
	uint64_t v = 0;
	aclError err;

	CHECK_NOT_NULL(value);
	err = rtStreamGetAttribute(stream, stmAttrType, &v);
	if (!err)
		value->failureMode = v;
	return err;
}

aclError aclrtActiveStream(aclrtStream activeStream, aclrtStream stream)
{
	CHECK_NOT_NULL(activeStream);
	return rtStreamActive(activeStream, stream);
}

aclError aclrtStreamAbort(aclrtStream stream)
{
	return rtStreamAbort(stream);
}

aclError aclrtStreamStop(aclrtStream stream)
{
	return rtsStreamStop(stream);
}

aclError aclrtPersistentTaskClean(aclrtStream stream)
{
	return rtStreamTaskClean(stream);
}

aclError aclrtGetStreamAvailableNum(uint32_t *streamCount)
{
	CHECK_NOT_NULL(streamCount);
	return rtGetAvailStreamNum(streamCount);
}

/* ---- labels: only tasks of a model can jump to them ------------------------------- */

aclError aclrtCreateLabel(aclrtLabel *label)
{
	aclError err;

	CHECK_NOT_NULL(label);
	err = rtCheckContext();
	if (err)
		return err;
	*label = calloc(1, sizeof(uint64_t));
	return *label ? ACL_SUCCESS : ACL_ERROR_BAD_ALLOC;
}

aclError aclrtDestroyLabel(aclrtLabel label)
{
	CHECK_NOT_NULL(label);
	free(label);
	return ACL_SUCCESS;
}

aclError aclrtSetLabel(aclrtLabel label, aclrtStream stream)
{
	CHECK_NOT_NULL(label);
	return rtLabelSet(label, stream);
}
