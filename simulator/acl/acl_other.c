// SPDX-License-Identifier: Apache-2.0
/*
 * Submissions that are rarely met: cache and prefetch hints, memory pools,
 * overflow status, branches of models, task groups, physical memory.
 */
#include <stdlib.h>
#include "simulator/acl/check.h"

enum { HINT = ACL_RT_CMO_TYPE_PREFETCH };

aclError aclrtCmoAsyncWithBarrier(void *src, size_t size, aclrtCmoType cmoType, uint32_t barrierId,
				  aclrtStream stream)
{
	return aclrtCmoAsync(src, size, cmoType, stream);
}

aclError aclrtCmoAsyncWithDesc(void *cmoDesc, aclrtCmoType cmoType, aclrtStream stream, const void *reserve)
{
	return aclrtCmoAsync(cmoDesc, 0, cmoType, stream);
}

aclError aclrtMemManagedPrefetchAsync(const void *ptr, size_t size, aclrtMemManagedLocation location,
				      uint32_t flags, aclrtStream stream)
{
	CHECK_NOT_NULL(ptr);
	return rtCmoAsync(NULL, size, HINT, stream);
}

aclError aclrtMemManagedPrefetchBatchAsync(const void **ptrs, size_t *sizes, size_t count,
					   aclrtMemManagedLocation *prefetchLocs, size_t *prefetchLocIdxs,
					   size_t numPrefetchLocs, uint64_t flags, aclrtStream stream)
{
	CHECK_NOT_NULL(ptrs);
	return count ? rtCmoAsync(NULL, count, HINT, stream) : acl_invalid("count");
}

/* ---- memory in stream order ---------------------------------------------------------- */

aclError aclrtMemPoolMallocAsync(void **ptr, size_t size, aclrtMemPool memPool, aclrtStream stream)
{
	aclError err = aclrtMalloc(ptr, size, ACL_MEM_MALLOC_HUGE_FIRST);

	return err ? err : rtCmoAsync(*ptr, size, HINT, stream);
}

static void free_in_order(uint32_t num_blocks, void *data)
{
	rtFree(*(void **)data);
}

aclError aclrtMemPoolFreeAsync(void *ptr, aclrtStream stream)
{
	CHECK_NOT_NULL(ptr);
	return rtsLaunchKernelWithHostArgs((void *)(uintptr_t)free_in_order, 1, stream, &ptr, sizeof(ptr));
}

aclError aclrtMallocPhysical(aclrtDrvMemHandle *handle, size_t size, const aclrtPhysicalMemProp *prop,
			     uint64_t flags)
{
	CHECK_NOT_NULL(handle);
	CHECK_NOT_NULL(prop);
	return aclrtMalloc(handle, size, ACL_MEM_MALLOC_HUGE_FIRST);
}

aclError aclrtFreePhysical(aclrtDrvMemHandle handle)
{
	return aclrtFree(handle);
}

/* ---- overflow: nothing here ever overflows ------------------------------------------------ */

aclError aclrtNpuGetFloatOverFlowStatus(void *outputAddr, uint64_t outputSize, uint32_t checkMode,
					aclrtStream stream)
{
	CHECK_NOT_NULL(outputAddr);
	return aclrtMemsetAsync(outputAddr, outputSize, 0, outputSize, stream);
}

aclError aclrtNpuClearFloatOverFlowStatus(uint32_t checkMode, aclrtStream stream)
{
	return rtCmoAsync(NULL, 0, HINT, stream);
}

aclError aclrtGetOverflowStatus(void *outputAddr, size_t outputSize, aclrtStream stream)
{
	return aclrtNpuGetFloatOverFlowStatus(outputAddr, outputSize, 0, stream);
}

aclError aclrtResetOverflowStatus(aclrtStream stream)
{
	return rtCmoAsync(NULL, 0, HINT, stream);
}

/* ---- branches: only streams of a model have any ------------------------------------------------ */

aclError aclrtSwitchLabelByIndex(void *ptr, uint32_t maxValue, aclrtLabelList labelList, aclrtStream stream)
{
	CHECK_NOT_NULL(ptr);
	CHECK_NOT_NULL(labelList);
	return rtLabelSet(labelList, stream);
}

aclError aclrtSwitchStream(void *leftValue, aclrtCondition cond, void *rightValue,
			   aclrtCompareDataType dataType, aclrtStream trueStream, aclrtStream falseStream,
			   aclrtStream stream)
{
	CHECK_NOT_NULL(leftValue);
	CHECK_NOT_NULL(rightValue);
	return rtLabelSet(NULL, stream);
}

/* ---- task groups: a mark on the tasks of a capture ------------------------------------------------ */

static aclError check_capturing(aclrtStream stream)
{
	aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
	aclError err = aclmdlRICaptureGetInfo(stream, &status, NULL);

	if (!err && status != ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE)
		err = ACL_ERROR_RT_STREAM_NOT_CAPTURED;
	return err;
}

aclError aclmdlRICaptureTaskGrpBegin(aclrtStream stream)
{
	CHECK_NOT_NULL(stream);
	return check_capturing(stream);
}

aclError aclmdlRICaptureTaskGrpEnd(aclrtStream stream, aclrtTaskGrp *handle)
{
	aclError err;

	CHECK_NOT_NULL(stream);
	CHECK_NOT_NULL(handle);
	err = check_capturing(stream);
	if (!err)
		*handle = stream;
	return err;
}

aclError aclrtNotifySetImportPidInterServer(aclrtNotify notify, aclrtServerPid *serverPids, size_t num)
{
	int32_t pid = 0;

	CHECK_NOT_NULL(notify);
	CHECK_NOT_NULL(serverPids);
	return num ? rtNotifySetImportPid(notify, &pid, 1) : acl_invalid("num");
}
