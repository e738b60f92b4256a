// SPDX-License-Identifier: Apache-2.0
/* Memory and copies. */
#include "simulator/acl/check.h"

enum { MODULE_ACL = 33 };

static aclError check_kind(aclrtMemcpyKind kind)
{
	return (unsigned)kind > ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE ? acl_invalid("kind") : ACL_SUCCESS;
}

aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
	CHECK_NOT_NULL(devPtr);
	if (size == 0)
		return acl_invalid("size");
	return rtMalloc(devPtr, size, (int)policy, MODULE_ACL);
}

aclError aclrtMallocAlign32(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
	return aclrtMalloc(devPtr, size, policy);
}

aclError aclrtMallocCached(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
	return aclrtMalloc(devPtr, size, policy);
}

aclError aclrtMallocWithCfg(void **devPtr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig *cfg)
{
	return aclrtMalloc(devPtr, size, policy);
}

aclError aclrtMallocForTaskScheduler(void **devPtr, size_t size, aclrtMemMallocPolicy policy,
				     aclrtMallocConfig *cfg)
{
	return aclrtMalloc(devPtr, size, policy);
}

aclError aclrtFree(void *devPtr)
{
	CHECK_NOT_NULL(devPtr);
	return rtFree(devPtr);
}

aclError aclrtFreeWithDevSync(void *devPtr)
{
	CHECK_NOT_NULL(devPtr);
	return rtFreeWithDevSync(devPtr);
}

aclError aclrtMallocHost(void **hostPtr, size_t size)
{
	CHECK_NOT_NULL(hostPtr);
	if (size == 0)
		return acl_invalid("size");
	return rtMallocHost(hostPtr, size, MODULE_ACL);
}

aclError aclrtMallocHostWithCfg(void **ptr, uint64_t size, aclrtMallocConfig *cfg)
{
	return aclrtMallocHost(ptr, size);
}

aclError aclrtFreeHost(void *hostPtr)
{
	CHECK_NOT_NULL(hostPtr);
	return rtFreeHost(hostPtr);
}

aclError aclrtFreeHostWithDevSync(void *hostPtr)
{
	CHECK_NOT_NULL(hostPtr);
	return rtFreeHostWithDevSync(hostPtr);
}

aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind)
{
	CHECK_NOT_NULL(dst);
	CHECK_NOT_NULL(src);
	return check_kind(kind) ? ACL_ERROR_INVALID_PARAM : rtMemcpy(dst, destMax, src, count, (int)kind);
}

aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind,
			  aclrtStream stream)
{
	CHECK_NOT_NULL(dst);
	CHECK_NOT_NULL(src);
	return check_kind(kind) ? ACL_ERROR_INVALID_PARAM
				: rtMemcpyAsync(dst, destMax, src, count, (int)kind, stream);
}

aclError aclrtMemcpyAsyncWithCondition(void *dst, size_t destMax, const void *src, size_t count,
				       aclrtMemcpyKind kind, aclrtStream stream)
{
	CHECK_NOT_NULL(dst);
	CHECK_NOT_NULL(src);
	return rtMemcpyAsyncCondition(dst, src, stream);
}

static aclError check_rows(size_t dpitch, size_t spitch, size_t width)
{
	return width > dpitch || width > spitch ? acl_invalid("width") : ACL_SUCCESS;
}

aclError aclrtMemcpy2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
		       aclrtMemcpyKind kind)
{
	aclError err = ACL_SUCCESS;

	CHECK_NOT_NULL(dst);
	CHECK_NOT_NULL(src);
	if (check_kind(kind) || check_rows(dpitch, spitch, width))
		return ACL_ERROR_INVALID_PARAM;
	for (size_t i = 0; i < height && !err; i++)
		err = rtMemcpy((char *)dst + i * dpitch, dpitch, (const char *)src + i * spitch, width,
			       (int)kind);
	return err;
}

aclError aclrtMemcpy2dAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
			    size_t height, aclrtMemcpyKind kind, aclrtStream stream)
{
	aclError err = ACL_SUCCESS;

	CHECK_NOT_NULL(dst);
	CHECK_NOT_NULL(src);
	if (check_kind(kind) || check_rows(dpitch, spitch, width))
		return ACL_ERROR_INVALID_PARAM;
	for (size_t i = 0; i < height && !err; i++)
		err = rtMemcpyAsync((char *)dst + i * dpitch, dpitch, (const char *)src + i * spitch, width,
				    (int)kind, stream);
	return err;
}

aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count)
{
	CHECK_NOT_NULL(devPtr);
	return rtMemset(devPtr, maxCount, (uint32_t)value, count);
}

aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream)
{
	CHECK_NOT_NULL(devPtr);
	return rtMemsetAsync(devPtr, maxCount, (uint32_t)value, count, stream);
}

aclError aclrtCmoAsync(void *src, size_t size, aclrtCmoType cmoType, aclrtStream stream)
{
	CHECK_NOT_NULL(src);
	return rtCmoAsync(src, size, (int)cmoType, stream);
}

aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *free, size_t *total)
{
	CHECK_NOT_NULL(free);
	CHECK_NOT_NULL(total);
	return rtMemGetInfoEx((int)attr, free, total);
}

aclError aclrtPointerGetAttributes(const void *ptr, aclrtPtrAttributes *attributes)
{
	uint32_t where = 0, device = 0;
	aclError err;

	CHECK_NOT_NULL(ptr);
	CHECK_NOT_NULL(attributes);
	err = rtPointerGetAttributes(ptr, &where, &device);
	if (!err) {
		attributes->location.id = device;
		attributes->location.type = (aclrtMemLocationType)where;
		attributes->pageSize = 4096;
	}
	return err;
}

/* Nothing is cached here. */
aclError aclrtMemFlush(void *devPtr, size_t size)
{
	CHECK_NOT_NULL(devPtr);
	return ACL_SUCCESS;
}

aclError aclrtMemInvalidate(void *devPtr, size_t size)
{
	CHECK_NOT_NULL(devPtr);
	return ACL_SUCCESS;
}
