// SPDX-License-Identifier: Apache-2.0
/*
 * The exported side of libruntime.so: rt* functions as libascendcl calls them,
 * prototypes as in the API table where it has them. Handles are opaque.
 * All return 0 or a code of the ACL_ERROR_RT_* range, which also becomes the
 * calling thread's last error. Thread-safe; none may be called from a signal handler.
 */
#ifndef SIMULATOR_RUNTIME_RT_H
#define SIMULATOR_RUNTIME_RT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "simulator/hal/hal.h"
#include "simulator/runtime/frames.h"

/*
 * SIM_EXPORT: in the split layout the body is in libruntime_v100.so and libruntime.so passes calls on.
 * SIM_FRONT: the body is in libruntime.so. SIM_INNER: no function of the public interface.
 */
#define SIM_FRONT SIM_EXPORT
#define SIM_INNER

typedef int rtError_t;
typedef void *rtStream_t;
typedef void *rtEvent_t;
typedef void *rtNotify_t;
typedef void *rtContext_t;
typedef void *rtModel_t;
typedef void *rtCntNotify_t;
typedef int rtMemcpyKind_t;
typedef int rtMemType_t;
typedef int rtEventStatus_t;
typedef int rtEventWaitStatus_t;
typedef int rtStreamCaptureMode;
typedef void (*rtCallback_t)(void *);

/* device.c */
SIM_EXPORT rtError_t rtGetDeviceCount(int32_t *count);
SIM_EXPORT rtError_t rtSetDevice(int32_t devId);
SIM_EXPORT rtError_t rtDeviceReset(int32_t devId);
SIM_EXPORT rtError_t rtDeviceResetForce(int32_t devId);
SIM_EXPORT rtError_t rtGetDevice(int32_t *devId);
SIM_EXPORT rtError_t rtDeviceStatusQuery(int32_t devId, int32_t *status);
SIM_EXPORT rtError_t rtGetPrimaryCtxState(int32_t devId, uint32_t *flags, int32_t *active);
SIM_EXPORT rtError_t rtSetDeviceSatMode(int floatOverflowMode);
SIM_EXPORT rtError_t rtGetDeviceSatMode(int *floatOverflowMode);
SIM_EXPORT rtError_t rtSetTSDevice(uint32_t tsId);
SIM_EXPORT rtError_t rtDeviceTaskAbort(int32_t devId, uint32_t timeout);
SIM_EXPORT rtError_t rtEnableP2P(int32_t devId, uint32_t flags);
SIM_EXPORT rtError_t rtDeviceSynchronize(void);
SIM_EXPORT rtError_t rtDeviceSynchronizeWithTimeout(int32_t timeout);
SIM_EXPORT rtError_t rtCheckContext(void);

/* context.c */
SIM_EXPORT rtError_t rtCtxCreate(rtContext_t *ctx, uint32_t flags, int32_t devId);
SIM_EXPORT rtError_t rtCtxDestroy(rtContext_t ctx);
SIM_EXPORT rtError_t rtCtxSetCurrent(rtContext_t ctx);
SIM_EXPORT rtError_t rtCtxGetCurrent(rtContext_t *ctx);
SIM_EXPORT rtError_t rtCtxGetCurrentDefaultStream(rtStream_t *stm);

/* stream_api.c */
SIM_EXPORT rtError_t rtStreamCreate(rtStream_t *stm, int32_t priority);
SIM_EXPORT rtError_t rtStreamCreateWithFlags(rtStream_t *stm, int32_t priority, uint32_t flags);
SIM_EXPORT rtError_t rtStreamDestroy(rtStream_t stm);
SIM_EXPORT rtError_t rtStreamDestroyForce(rtStream_t stm);
SIM_EXPORT rtError_t rtStreamQuery(rtStream_t stm);
SIM_FRONT rtError_t rtStreamSynchronize(rtStream_t stm);
SIM_FRONT rtError_t rtStreamSynchronizeWithTimeout(rtStream_t stm, int32_t timeout);
SIM_INNER rtError_t rtApiStreamSynchronize(rtStream_t stm, int32_t timeout, const char *function)
	FRAME("_ZN3cce7runtime17ApiErrorDecorator17StreamSynchronizeEPNS0_6StreamEi");
SIM_EXPORT rtError_t rtGetStreamId(rtStream_t stm, int32_t *streamId);
SIM_EXPORT rtError_t rtStreamGetFlags(rtStream_t stm, uint32_t *flags);
SIM_EXPORT rtError_t rtStreamGetPriority(rtStream_t stm, uint32_t *priority);
SIM_EXPORT rtError_t rtStreamSetMode(rtStream_t stm, uint64_t mode);
SIM_EXPORT rtError_t rtSetStreamOverflowSwitch(rtStream_t stm, uint32_t flags);
SIM_EXPORT rtError_t rtGetStreamOverflowSwitch(rtStream_t stm, uint32_t *flags);
SIM_EXPORT rtError_t rtStreamSetAttribute(rtStream_t stm, int attr, uint64_t value);
SIM_EXPORT rtError_t rtStreamGetAttribute(rtStream_t stm, int attr, uint64_t *value);
SIM_EXPORT rtError_t rtStreamAbort(rtStream_t stm);
SIM_EXPORT rtError_t rtsStreamStop(rtStream_t stm);
SIM_EXPORT rtError_t rtStreamTaskClean(rtStream_t stm);
SIM_EXPORT rtError_t rtStreamActive(rtStream_t activeStream, rtStream_t stm);
SIM_EXPORT rtError_t rtGetAvailStreamNum(uint32_t *count);
SIM_EXPORT rtError_t rtGetTaskIdAndStreamID(uint32_t *taskId);
SIM_EXPORT rtError_t rtLabelSet(void *label, rtStream_t stm);

/* event_api.c */
SIM_EXPORT rtError_t rtEventCreate(rtEvent_t *evt);
SIM_EXPORT rtError_t rtEventCreateWithFlag(rtEvent_t *evt, uint32_t flag);
SIM_EXPORT rtError_t rtEventCreateExWithFlag(rtEvent_t *evt, uint32_t flag);
SIM_EXPORT rtError_t rtEventDestroy(rtEvent_t evt);
SIM_EXPORT rtError_t rtEventRecord(rtEvent_t evt, rtStream_t stm);
SIM_EXPORT rtError_t rtEventReset(rtEvent_t evt, rtStream_t stm);
SIM_EXPORT rtError_t rtStreamWaitEvent(rtStream_t stm, rtEvent_t evt);
SIM_EXPORT rtError_t rtStreamWaitEventWithTimeout(rtStream_t stm, rtEvent_t evt, uint32_t timeout);
SIM_EXPORT rtError_t rtEventQuery(rtEvent_t evt);
SIM_EXPORT rtError_t rtEventQueryStatus(rtEvent_t evt, rtEventStatus_t *status);
SIM_EXPORT rtError_t rtEventQueryWaitStatus(rtEvent_t evt, rtEventWaitStatus_t *status);
SIM_EXPORT rtError_t rtEventSynchronize(rtEvent_t evt);
SIM_EXPORT rtError_t rtEventSynchronizeWithTimeout(rtEvent_t evt, const int32_t timeout);
SIM_EXPORT rtError_t rtGetEventID(rtEvent_t evt, uint32_t *evtId);
SIM_EXPORT rtError_t rtEventElapsedTime(float *ms, rtEvent_t start, rtEvent_t end);
SIM_EXPORT rtError_t rtEventGetTimeStamp(uint64_t *us, rtEvent_t evt);
SIM_EXPORT rtError_t rtGetAvailEventNum(uint32_t *count);
SIM_EXPORT rtError_t rtIpcGetEventHandle(rtEvent_t evt, void *handle);

/* notify.c */
SIM_EXPORT rtError_t rtNotifyCreateWithFlag(int32_t deviceId, rtNotify_t *notify, uint32_t flag);
SIM_EXPORT rtError_t rtNotifyDestroy(rtNotify_t notify);
SIM_EXPORT rtError_t rtNotifyRecord(rtNotify_t notify, rtStream_t stm);
SIM_EXPORT rtError_t rtNotifyWaitWithTimeOut(rtNotify_t notify, rtStream_t stm, uint32_t timeOut);
SIM_EXPORT rtError_t rtGetNotifyID(rtNotify_t notify, uint32_t *notifyId);
SIM_EXPORT rtError_t rtsNotifyBatchReset(rtNotify_t *notifies, uint32_t num);
SIM_EXPORT rtError_t rtNotifyGetExportKey(rtNotify_t notify, char *key, uint32_t len, uint64_t flags);
SIM_EXPORT rtError_t rtsNotifyImportByKey(rtNotify_t *notify, const char *key, uint64_t flag);
SIM_EXPORT rtError_t rtNotifySetImportPid(rtNotify_t notify, int32_t *pid, int num);
SIM_EXPORT rtError_t rtCntNotifyCreateServer(rtCntNotify_t *const cntNotify, uint64_t flags);
SIM_EXPORT rtError_t rtCntNotifyUse(rtCntNotify_t cntNotify);

/* memory.c */
SIM_EXPORT rtError_t rtMalloc(void **devPtr, uint64_t size, rtMemType_t type, const uint16_t moduleId);
SIM_EXPORT rtError_t rtFree(void *devPtr);
SIM_EXPORT rtError_t rtFreeWithDevSync(void *devPtr);
SIM_EXPORT rtError_t rtMallocHost(void **hostPtr, uint64_t size, const uint16_t moduleId);
SIM_EXPORT rtError_t rtFreeHost(void *hostPtr);
SIM_EXPORT rtError_t rtFreeHostWithDevSync(void *hostPtr);
SIM_EXPORT rtError_t rtMemcpy(void *dst, uint64_t destMax, const void *src, uint64_t cnt,
			      rtMemcpyKind_t kind);
SIM_EXPORT rtError_t rtMemcpyAsync(void *dst, uint64_t destMax, const void *src, uint64_t cnt,
				   rtMemcpyKind_t kind, rtStream_t stm);
SIM_EXPORT rtError_t rtMemcpyAsyncCondition(void *dst, const void *src, rtStream_t stm);
SIM_EXPORT rtError_t rtMemset(void *devPtr, uint64_t destMax, const uint32_t val, const uint64_t cnt);
SIM_EXPORT rtError_t rtMemsetAsync(void *ptr, uint64_t destMax, uint32_t val, uint64_t cnt, rtStream_t stm);
SIM_EXPORT rtError_t rtCmoAsync(void *srcAddrPtr, uint64_t srcLen, int cmoType, rtStream_t stm);
SIM_EXPORT rtError_t rtMemGetInfoEx(int memInfoType, size_t *freeSize, size_t *totalSize);
SIM_EXPORT rtError_t rtPointerGetAttributes(const void *ptr, uint32_t *where, uint32_t *devId);

/* value.c */
SIM_EXPORT rtError_t rtsValueWrite(void *devAddr, uint64_t value, uint32_t flag, rtStream_t stm);
SIM_EXPORT rtError_t rtsValueWait(void *devAddr, uint64_t value, uint32_t flag, rtStream_t stm);

/* callback.c */
SIM_EXPORT rtError_t rtSubscribeReport(uint64_t threadId, rtStream_t stm);
SIM_EXPORT rtError_t rtUnSubscribeReport(uint64_t threadId, rtStream_t stm);
SIM_EXPORT rtError_t rtProcessReport(int32_t timeout);
SIM_EXPORT rtError_t rtCallbackLaunch(rtCallback_t callBackFunc, void *fnData, rtStream_t stm, bool isBlock);
SIM_EXPORT rtError_t rtsLaunchHostFunc(rtStream_t stm, const rtCallback_t callBackFunc, void *const fnData);
SIM_EXPORT rtError_t rtSubscribeHostFunc(uint64_t threadId, rtStream_t stm);
SIM_EXPORT rtError_t rtUnSubscribeHostFunc(uint64_t threadId, rtStream_t stm);
SIM_EXPORT rtError_t rtProcessHostFunc(int32_t timeout);

/* kernel.c: entry is a host function of a loaded kernel library */
SIM_EXPORT rtError_t rtsLaunchKernelWithHostArgs(void *entry, uint32_t numBlocks, rtStream_t stm,
						 const void *args, uint32_t argsSize);

/* capture.c */
SIM_EXPORT rtError_t rtStreamBeginCapture(rtStream_t stm, const rtStreamCaptureMode mode);
SIM_EXPORT rtError_t rtStreamEndCapture(rtStream_t stm, rtModel_t *captureMdl);
SIM_EXPORT rtError_t rtStreamGetCaptureInfo(rtStream_t stm, int *status, rtModel_t *captureMdl);
SIM_EXPORT rtError_t rtThreadExchangeCaptureMode(int *mode);
SIM_EXPORT rtError_t rtsModelExecuteAsync(rtModel_t mdl, rtStream_t stm);
SIM_EXPORT rtError_t rtsModelExecute(rtModel_t mdl, int32_t timeout);
SIM_EXPORT rtError_t rtModelDestroy(rtModel_t mdl);
SIM_EXPORT rtError_t rtModelAbort(rtModel_t mdl);
SIM_EXPORT rtError_t rtModelGetId(rtModel_t mdl, uint32_t *id);
SIM_EXPORT rtError_t rtModelCreate(rtModel_t *mdl, uint32_t flag);
SIM_EXPORT rtError_t rtModelBindStream(rtModel_t mdl, rtStream_t stm, uint32_t flag);
SIM_EXPORT rtError_t rtModelUnbindStream(rtModel_t mdl, rtStream_t stm);
SIM_EXPORT rtError_t rtEndGraph(rtModel_t mdl, rtStream_t stm);
SIM_EXPORT rtError_t rtModelLoadComplete(rtModel_t mdl);

/* settings.c */
SIM_EXPORT rtError_t rtSetOpWaitTimeOut(uint32_t timeout);
SIM_EXPORT rtError_t rtSetOpExecuteTimeOutV2(uint64_t timeoutUs, uint64_t *actualUs);
SIM_EXPORT rtError_t rtGetOpExecuteTimeOut(uint32_t *timeoutMs);
SIM_EXPORT rtError_t rtGetOpTimeOutInterval(uint64_t *interval);

/* failure.c: called by a thread of the runtime for every task that failed; NULL: no more */
typedef void (*rtTaskFailFunction)(uint32_t device, uint32_t stream, uint32_t task, uint32_t thread,
				   int code);
SIM_EXPORT void rtSetTaskFailFunction(rtTaskFailFunction function);

/* error.c */
SIM_EXPORT rtError_t rtPeekAtLastError(int level);
SIM_EXPORT rtError_t rtGetLastError(int level);
/* Adds a text of the layer above (EH codes) to the thread's error text; no last error. */
SIM_EXPORT void rtReportInputError(const char *eh, const char *text);
/* Hands over the thread's error text once; NULL if there is none. Valid until the thread's next call. */
SIM_EXPORT const char *rtTakeErrorText(void);
/* One line in the process log; level 0 debug to 3 error. */
SIM_EXPORT void rtLogLine(int level, const char *module, const char *function, const char *text);
SIM_EXPORT int rtVersionIsMaster(void);

#endif
