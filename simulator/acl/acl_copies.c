// SPDX-License-Identifier: Apache-2.0
/* Copies in batches, with offsets, by descriptor; fills by words; reductions. */
#include <string.h>
#include "simulator/acl/check.h"

struct copy_desc { /* behind the memory of aclrtSetMemcpyDesc */
	void *dst;
	void *src;
	size_t count;
};

struct reduce_args {
	void *dst;
	const void *src;
	uint64_t count; /* elements */
	int kind;
	int type;
};

static aclError batch(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches,
		      size_t *failIndex, bool async, aclrtStream stream)
{
	CHECK_NOT_NULL(dsts);
	CHECK_NOT_NULL(destMaxs);
	CHECK_NOT_NULL(srcs);
	CHECK_NOT_NULL(sizes);
	for (size_t i = 0; i < numBatches; i++) {
		aclError err = async ? aclrtMemcpyAsync(dsts[i], destMaxs[i], srcs[i], sizes[i],
							ACL_MEMCPY_DEFAULT, stream)
				     : aclrtMemcpy(dsts[i], destMaxs[i], srcs[i], sizes[i],
						   ACL_MEMCPY_DEFAULT);

		if (err && failIndex)
			*failIndex = i;
		if (err)
			return err;
	}
	return ACL_SUCCESS;
}

aclError aclrtMemcpyBatch(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches,
			  aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs,
			  size_t *failIndex)
{
	return batch(dsts, destMaxs, srcs, sizes, numBatches, failIndex, false, NULL);
}

aclError aclrtMemcpyBatchV2(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches,
			    aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs)
{
	return batch(dsts, destMaxs, srcs, sizes, numBatches, NULL, false, NULL);
}

aclError aclrtMemcpyBatchAsync(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches,
			       aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs,
			       size_t *failIndex, aclrtStream stream)
{
	return batch(dsts, destMaxs, srcs, sizes, numBatches, failIndex, true, stream);
}

aclError aclrtMemcpyBatchAsyncV2(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches,
				 aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs,
				 aclrtStream stream)
{
	return batch(dsts, destMaxs, srcs, sizes, numBatches, NULL, true, stream);
}

/* The addresses themselves lie in device memory, which this process can read. */
aclError aclrtMemcpyAsyncWithOffset(void **dst, size_t destMax, size_t dstDataOffset, const void **src,
				    size_t count, size_t srcDataOffset, aclrtMemcpyKind kind,
				    aclrtStream stream)
{
	CHECK_NOT_NULL(dst);
	CHECK_NOT_NULL(src);
	return aclrtMemcpyAsync((char *)*dst + dstDataOffset, destMax, (const char *)*src + srcDataOffset,
				count, kind, stream);
}

aclError aclrtGetMemcpyDescSize(aclrtMemcpyKind kind, size_t *descSize)
{
	CHECK_NOT_NULL(descSize);
	*descSize = sizeof(struct copy_desc);
	return ACL_SUCCESS;
}

aclError aclrtSetMemcpyDesc(void *desc, aclrtMemcpyKind kind, void *srcAddr, void *dstAddr, size_t count,
			    void *config)
{
	struct copy_desc d = { dstAddr, srcAddr, count };

	CHECK_NOT_NULL(desc);
	CHECK_NOT_NULL(srcAddr);
	CHECK_NOT_NULL(dstAddr);
	memcpy(desc, &d, sizeof(d));
	return ACL_SUCCESS;
}

aclError aclrtMemcpyAsyncWithDesc(void *desc, aclrtMemcpyKind kind, aclrtStream stream)
{
	struct copy_desc d;

	CHECK_NOT_NULL(desc);
	memcpy(&d, desc, sizeof(d));
	return aclrtMemcpyAsync(d.dst, d.count, d.src, d.count, kind, stream);
}

/* ---- words ------------------------------------------------------------------------- */

struct fill_args {
	uint32_t *to;
	uint32_t value;
	size_t count;
};

static void fill_words(uint32_t num_blocks, void *data)
{
	const struct fill_args *a = data;

	for (size_t i = 0; i < a->count; i++)
		a->to[i] = a->value;
}

static aclError check_words(void *ptr, size_t memSize, size_t n)
{
	CHECK_NOT_NULL(ptr);
	return n > memSize / sizeof(uint32_t) ? acl_invalid("N") : ACL_SUCCESS;
}

aclError aclrtMemsetD32(void *ptr, size_t memSize, uint32_t value, size_t N)
{
	struct fill_args a = { ptr, value, N };
	aclError err = check_words(ptr, memSize, N);

	if (!err)
		err = rtCheckContext();
	if (!err)
		fill_words(1, &a);
	return err;
}

aclError aclrtMemsetD32Async(void *ptr, size_t memSize, uint32_t value, size_t N, aclrtStream stream)
{
	struct fill_args a = { ptr, value, N };
	aclError err = check_words(ptr, memSize, N);

	if (err)
		return err;
	return rtsLaunchKernelWithHostArgs((void *)(uintptr_t)fill_words, 1, stream, &a, sizeof(a));
}

/* ---- reductions ----------------------------------------------------------------------- */

#define REDUCE(type)                                                          \
	do {                                                                  \
		type *to = a->dst;                                            \
		const type *from = a->src;                                    \
		for (uint64_t i = 0; i < a->count; i++) {                     \
			if (a->kind == ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM)      \
				to[i] = (type)(to[i] + from[i]);              \
			else if (a->kind == ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX) \
				to[i] = to[i] > from[i] ? to[i] : from[i];    \
			else if (a->kind == ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN) \
				to[i] = to[i] < from[i] ? to[i] : from[i];    \
			else                                                  \
				to[i] = from[i];                              \
		}                                                             \
	} while (0)

static void reduce(uint32_t num_blocks, void *data)
{
	const struct reduce_args *a = data;

	switch (a->type) {
	case ACL_FLOAT:
		REDUCE(float);
		break;
	case ACL_INT8:
		REDUCE(int8_t);
		break;
	case ACL_INT16:
		REDUCE(int16_t);
		break;
	default:
		REDUCE(int32_t);
		break;
	}
}

aclError aclrtReduceAsync(void *dst, const void *src, uint64_t count, aclrtReduceKind kind, aclDataType type,
			  aclrtStream stream, void *reserve)
{
	struct reduce_args a = { dst, src, count, (int)kind, (int)type };

	CHECK_NOT_NULL(dst);
	CHECK_NOT_NULL(src);
	if (kind < ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM || kind > ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL)
		return acl_invalid("kind");
	if (type != ACL_FLOAT && type != ACL_INT8 && type != ACL_INT16 && type != ACL_INT32)
		return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
	return rtsLaunchKernelWithHostArgs((void *)(uintptr_t)reduce, 1, stream, &a, sizeof(a));
}
