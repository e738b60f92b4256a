// SPDX-License-Identifier: Apache-2.0
/*
 * Further rt and rts names of the public table for what the runtime does
 * anyway: older and newer spellings of the same calls. Nothing of the
 * simulator calls them; programs and libraries above the runtime do.
 */
#include "simulator/include/acl/acl.h"
#include "simulator/runtime/rt.h"

/* NAME(own name, its parameters, the call that does the work) */
#define NAME(name, parameters, call)          \
	SIM_EXPORT rtError_t name parameters; \
	rtError_t name parameters             \
	{                                     \
		return call;                  \
	}

/* devices */
NAME(rtSetDeviceEx, (int32_t devId), rtSetDevice(devId))
NAME(rtSetDeviceWithoutTsd, (int32_t devId), rtSetDevice(devId))
NAME(rtsSetDevice, (int32_t devId), rtSetDevice(devId))
NAME(rtDeviceResetEx, (int32_t devId), rtDeviceReset(devId))
NAME(rtDeviceResetWithoutTsd, (int32_t devId), rtDeviceReset(devId))
NAME(rtsDeviceSynchronize, (int32_t timeout), rtDeviceSynchronizeWithTimeout(timeout))

/* streams */
NAME(rtStreamCreateWithFlagsExternal, (rtStream_t *stm, int32_t priority, uint32_t flags),
     rtStreamCreateWithFlags(stm, priority, flags))
NAME(rtsStreamDestroy, (rtStream_t stm, uint64_t flags), rtStreamDestroy(stm))
NAME(rtsStreamQuery, (rtStream_t stm), rtStreamQuery(stm))
NAME(rtsStreamSynchronize, (rtStream_t stm, int32_t timeout), rtStreamSynchronizeWithTimeout(stm, timeout))
NAME(rtsStreamAbort, (rtStream_t stm), rtStreamAbort(stm))

/* events */
NAME(rtsEventCreate, (rtEvent_t *evt, uint64_t flag), rtEventCreateWithFlag(evt, (uint32_t)flag))
NAME(rtsEventCreateEx, (rtEvent_t *evt, uint64_t flag), rtEventCreateExWithFlag(evt, (uint32_t)flag))
NAME(rtEventDestroySync, (rtEvent_t evt), rtEventDestroy(evt))
NAME(rtsEventDestroy, (rtEvent_t evt), rtEventDestroy(evt))
NAME(rtsEventRecord, (rtEvent_t evt, rtStream_t stm), rtEventRecord(evt, stm))
NAME(rtsEventReset, (rtEvent_t evt, rtStream_t stm), rtEventReset(evt, stm))
NAME(rtsEventWait, (rtStream_t stream, rtEvent_t evt, uint32_t timeout),
     rtStreamWaitEventWithTimeout(stream, evt, timeout))
NAME(rtsEventQueryStatus, (rtEvent_t evt, rtEventStatus_t *status), rtEventQueryStatus(evt, status))
NAME(rtsEventSynchronize, (rtEvent_t evt, const int32_t timeout), rtEventSynchronizeWithTimeout(evt, timeout))

/* notifies */
NAME(rtNotifyCreate, (int32_t deviceId, rtNotify_t *notify), rtNotifyCreateWithFlag(deviceId, notify, 0))
NAME(rtsNotifyCreate, (rtNotify_t *notify, uint64_t flag), rtNotifyCreateWithFlag(0, notify, (uint32_t)flag))
NAME(rtsNotifyDestroy, (rtNotify_t notify), rtNotifyDestroy(notify))
NAME(rtsNotifyRecord, (rtNotify_t notify, rtStream_t stm), rtNotifyRecord(notify, stm))
NAME(rtNotifyWait, (rtNotify_t notify, rtStream_t stm), rtNotifyWaitWithTimeOut(notify, stm, 0))
NAME(rtsNotifyWaitAndReset, (rtNotify_t notify, rtStream_t stm, uint32_t timeout),
     rtNotifyWaitWithTimeOut(notify, stm, timeout))

/* callbacks, copies, graphs */
NAME(rtsCallbackLaunch, (rtCallback_t callBackFunc, void *fnData, rtStream_t stm, bool isBlock),
     rtCallbackLaunch(callBackFunc, fnData, stm, isBlock))
NAME(rtsMemsetAsync, (void *ptr, uint64_t destMax, uint32_t val, uint64_t cnt, rtStream_t stm),
     rtMemsetAsync(ptr, destMax, val, cnt, stm))
NAME(rtMemcpyAsyncWithoutCheckKind,
     (void *dst, uint64_t destMax, const void *src, uint64_t cnt, rtMemcpyKind_t kind, rtStream_t stm),
     rtMemcpyAsync(dst, destMax, src, cnt, kind, stm))
NAME(rtModelExecute, (rtModel_t mdl, rtStream_t stm, uint32_t flag), rtsModelExecuteAsync(mdl, stm))
