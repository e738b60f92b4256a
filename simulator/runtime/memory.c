// SPDX-License-Identifier: Apache-2.0
/* Memory, and the copies and fills that go through a stream or straight to the driver. */
#include <string.h>
#include "simulator/runtime/runtime.h"

enum { MEMORY_ATTRIBUTES = 18, CMO_TYPES = 4 };

rtError_t rtMalloc(void **devPtr, uint64_t size, rtMemType_t type, const uint16_t moduleId)
{
	struct context *c = NULL;
	int err = context_current(&c);

	if (!err && halMemAlloc(devPtr, size, c->device->id) != DRV_ERROR_NONE)
		err = fail(ACL_ERROR_RT_MEMORY_ALLOCATION, NULL, "[drv api] halMemAlloc failed, size=%llu",
			   (unsigned long long)size);
	return rt_done(err, __func__);
}

rtError_t rtFree(void *devPtr)
{
	if (halMemFree(devPtr) != DRV_ERROR_NONE)
		return rt_done(fail(ACL_ERROR_RT_PARAM_INVALID, NULL, "devPtr has not been allocated"),
			       __func__);
	return 0;
}

rtError_t rtMallocHost(void **hostPtr, uint64_t size, const uint16_t moduleId)
{
	struct context *c = NULL;
	int err = context_current(&c);

	if (!err && halHostMemAlloc(hostPtr, size) != DRV_ERROR_NONE)
		err = fail(ACL_ERROR_RT_MEMORY_ALLOCATION, NULL, "Host memory is exhausted, size=%llu",
			   (unsigned long long)size);
	return rt_done(err, __func__);
}

rtError_t rtFreeHost(void *hostPtr)
{
	if (halHostMemFree(hostPtr) != DRV_ERROR_NONE)
		return rt_done(fail(ACL_ERROR_RT_PARAM_INVALID, NULL, "hostPtr has not been allocated"),
			       __func__);
	return 0;
}

rtError_t rtFreeWithDevSync(void *devPtr)
{
	int err = rtDeviceSynchronize();

	return err ? err : rtFree(devPtr);
}

rtError_t rtFreeHostWithDevSync(void *hostPtr)
{
	int err = rtDeviceSynchronize();

	return err ? err : rtFreeHost(hostPtr);
}

static int check_size(uint64_t max, uint64_t count)
{
	if (count <= max)
		return 0;
	return fail(ACL_ERROR_RT_PARAM_INVALID, NULL, "count=%llu is above destMax=%llu",
		    (unsigned long long)count, (unsigned long long)max);
}

static int check_unsafe(void)
{
	if (!capture_forbids_unsafe())
		return 0;
	return fail(ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT, NULL,
		    "The call is not allowed while a stream is captured");
}

rtError_t rtMemcpy(void *dst, uint64_t destMax, const void *src, uint64_t cnt, rtMemcpyKind_t kind)
{
	struct context *c = NULL;
	int err = context_current(&c);

	if (!err)
		err = check_unsafe();
	if (!err)
		err = check_size(destMax, cnt);
	if (!err)
		drvMemcpy(dst, src, cnt);
	return rt_done(err, __func__);
}

static int submit_sdma(void *stm, uint32_t kind, uint64_t to, uint64_t from, uint64_t count)
{
	struct sim_sqe sqe = { .type = SQE_SDMA, .kind = kind, .arg = { to, from, count } };
	struct task task = { 0 };
	struct stream *s = NULL;
	int err = stream_resolve_own(stm, &s);

	if (err || count == 0)
		return err;
	return stream_submit(s, &sqe, &task, 0);
}

rtError_t rtMemcpyAsync(void *dst, uint64_t destMax, const void *src, uint64_t cnt, rtMemcpyKind_t kind,
			rtStream_t stm)
{
	int err = check_size(destMax, cnt);

	if (!err && kind == ACL_MEMCPY_HOST_TO_HOST)
		err = fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, NULL,
			   "Asynchronous copies host to host are not supported");
	if (!err)
		err = submit_sdma(stm, KIND_COPY, (uintptr_t)dst, (uintptr_t)src, cnt);
	return rt_done(err, __func__);
}

rtError_t rtMemcpyAsyncCondition(void *dst, const void *src, rtStream_t stm)
{
	return rt_done(fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, NULL, "Conditional copies are not supported"),
		       __func__);
}

/* Passes to the driver whatever the maximum is, as the real one does. */
rtError_t rtMemset(void *devPtr, uint64_t destMax, const uint32_t val, const uint64_t cnt)
{
	struct context *c = NULL;
	int err = context_current(&c);

	if (!err)
		err = check_unsafe();
	if (!err)
		drvMemsetD8(devPtr, (uint8_t)val, cnt);
	return rt_done(err, __func__);
}

rtError_t rtMemsetAsync(void *ptr, uint64_t destMax, uint32_t val, uint64_t cnt, rtStream_t stm)
{
	int err = check_size(destMax, cnt);

	if (!err)
		err = submit_sdma(stm, KIND_SET, (uintptr_t)ptr, val, cnt);
	return rt_done(err, __func__);
}

rtError_t rtCmoAsync(void *srcAddrPtr, uint64_t srcLen, int cmoType, rtStream_t stm)
{
	struct sim_sqe sqe = { .type = SQE_PLACEHOLDER };
	struct task task = { 0 };
	struct stream *s = NULL;
	int err = stream_resolve_own(stm, &s);

	if (!err && (cmoType < 0 || cmoType >= CMO_TYPES))
		err = fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, NULL, "Invalid cmoType=%d", cmoType);
	if (!err)
		err = stream_submit(s, &sqe, &task, 0);
	return rt_done(err, __func__);
}

rtError_t rtMemGetInfoEx(int memInfoType, size_t *freeSize, size_t *totalSize)
{
	struct sim_memory_info info;
	struct context *c = NULL;
	int err = context_current(&c);

	if (!err && (memInfoType < 0 || memInfoType >= MEMORY_ATTRIBUTES))
		err = fail(ACL_ERROR_RT_INVALID_MEMORY_TYPE, NULL, "Invalid memory type %d", memInfoType);
	if (!err && halMemGetInfo(c->device->id, &info) != DRV_ERROR_NONE)
		err = ACL_ERROR_RT_DRV_INTERNAL_ERROR;
	if (!err) {
		*freeSize = info.free;
		*totalSize = info.total;
	}
	return rt_done(err, __func__);
}

rtError_t rtPointerGetAttributes(const void *ptr, uint32_t *where, uint32_t *devId)
{
	struct context *c = NULL;
	int err = context_current(&c);

	if (!err)
		*where = drvMemGetAttribute(ptr, devId);
	return rt_done(err, __func__);
}
