// SPDX-License-Identifier: Apache-2.0
/* Events. */
#include "simulator/acl/check.h"

aclError aclrtCreateEvent(aclrtEvent *event)
{
	CHECK_NOT_NULL(event);
	return rtEventCreate(event);
}

aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag)
{
	CHECK_NOT_NULL(event);
	return rtEventCreateWithFlag(event, flag);
}

aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag)
{
	CHECK_NOT_NULL(event);
	return rtEventCreateExWithFlag(event, flag);
}

aclError aclrtDestroyEvent(aclrtEvent event)
{
	CHECK_NOT_NULL(event);
	return rtEventDestroy(event);
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream)
{
	CHECK_NOT_NULL(event);
	return rtEventRecord(event, stream);
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream)
{
	CHECK_NOT_NULL(event);
	return rtEventReset(event, stream);
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event)
{
	CHECK_NOT_NULL(event);
	return rtStreamWaitEvent(stream, event);
}

aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event, int32_t timeout)
{
	CHECK_NOT_NULL(event);
	return rtStreamWaitEventWithTimeout(stream, event, (uint32_t)timeout);
}

aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus *status)
{
	aclError err;

	CHECK_NOT_NULL(event);
	CHECK_NOT_NULL(status);
	err = rtEventQuery(event);
	if (err != ACL_SUCCESS && err != ACL_ERROR_RT_EVENT_NOT_COMPLETE)
		return err;
	*status = err ? ACL_EVENT_STATUS_NOT_READY : ACL_EVENT_STATUS_COMPLETE;
	return ACL_SUCCESS;
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus *status)
{
	int value = 0;
	aclError err;

	CHECK_NOT_NULL(event);
	CHECK_NOT_NULL(status);
	err = rtEventQueryStatus(event, &value);
	if (!err)
		*status = (aclrtEventRecordedStatus)value;
	return err;
}

aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus *status)
{
	int value = 0;
	aclError err;

	CHECK_NOT_NULL(event);
	CHECK_NOT_NULL(status);
	err = rtEventQueryWaitStatus(event, &value);
	if (!err)
		*status = (aclrtEventWaitStatus)value;
	return err;
}

aclError aclrtSynchronizeEvent(aclrtEvent event)
{
	CHECK_NOT_NULL(event);
	return rtEventSynchronize(event);
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout)
{
	CHECK_NOT_NULL(event);
	return rtEventSynchronizeWithTimeout(event, timeout);
}

aclError aclrtGetEventId(aclrtEvent event, uint32_t *eventId)
{
	CHECK_NOT_NULL(event);
	CHECK_NOT_NULL(eventId);
	return rtGetEventID(event, eventId);
}

aclError aclrtEventElapsedTime(float *ms, aclrtEvent startEvent, aclrtEvent endEvent)
{
	CHECK_NOT_NULL(ms);
	CHECK_NOT_NULL(startEvent);
	CHECK_NOT_NULL(endEvent);
	return rtEventElapsedTime(ms, startEvent, endEvent);
}

aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t *timestamp)
{
	CHECK_NOT_NULL(event);
	CHECK_NOT_NULL(timestamp);
	return rtEventGetTimeStamp(timestamp, event);
}

aclError aclrtGetEventAvailNum(uint32_t *eventCount)
{
	CHECK_NOT_NULL(eventCount);
	return rtGetAvailEventNum(eventCount);
}

aclError aclrtIpcGetEventHandle(aclrtEvent event, aclrtIpcEventHandle *handle)
{
	CHECK_NOT_NULL(event);
	CHECK_NOT_NULL(handle);
	return rtIpcGetEventHandle(event, handle);
}
