// SPDX-License-Identifier: Apache-2.0
/* Data buffers, sizes of data types, half precision numbers. */
#include <stdlib.h>
#include <string.h>
#include "simulator/acl/check.h"

struct aclDataBuffer {
	void *data;
	size_t size;
};

aclDataBuffer *aclCreateDataBuffer(void *data, size_t size)
{
	aclDataBuffer *b = malloc(sizeof(*b));

	if (b)
		*b = (aclDataBuffer){ data, size };
	return b;
}

aclError aclDestroyDataBuffer(const aclDataBuffer *dataBuffer)
{
	CHECK_NOT_NULL(dataBuffer);
	free((void *)(uintptr_t)dataBuffer);
	return ACL_SUCCESS;
}

aclError aclUpdateDataBuffer(aclDataBuffer *dataBuffer, void *data, size_t size)
{
	CHECK_NOT_NULL(dataBuffer);
	*dataBuffer = (aclDataBuffer){ data, size };
	return ACL_SUCCESS;
}

void *aclGetDataBufferAddr(const aclDataBuffer *dataBuffer)
{
	return dataBuffer ? dataBuffer->data : NULL;
}

size_t aclGetDataBufferSizeV2(const aclDataBuffer *dataBuffer)
{
	return dataBuffer ? dataBuffer->size : 0;
}

uint32_t aclGetDataBufferSize(const aclDataBuffer *dataBuffer)
{
	return (uint32_t)aclGetDataBufferSizeV2(dataBuffer);
}

size_t aclDataTypeSize(aclDataType dataType)
{
	switch (dataType) {
	case ACL_INT8:
	case ACL_UINT8:
	case ACL_BOOL:
		return 1;
	case ACL_FLOAT16:
	case ACL_BF16:
	case ACL_INT16:
	case ACL_UINT16:
		return 2;
	case ACL_FLOAT:
	case ACL_INT32:
	case ACL_UINT32:
		return 4;
	case ACL_DOUBLE:
	case ACL_INT64:
	case ACL_UINT64:
	case ACL_COMPLEX64:
		return 8;
	case ACL_COMPLEX128:
		return 16;
	default:
		return 0;
	}
}

float aclFloat16ToFloat(aclFloat16 value)
{
	uint32_t sign = (uint32_t)(value & 0x8000) << 16;
	uint32_t exponent = (value >> 10) & 0x1f;
	uint32_t fraction = value & 0x3ff;
	uint32_t bits;
	float result;

	if (exponent == 0) {
		result = (float)fraction / 16777216.0f; /* 2^-24 */
		return sign ? -result : result;
	}
	exponent = exponent == 31 ? 255 : exponent + 112;
	bits = sign | exponent << 23 | fraction << 13;
	memcpy(&result, &bits, sizeof(result));
	return result;
}

/* Rounds towards zero; too large becomes infinity, too small zero. */
aclFloat16 aclFloatToFloat16(float value)
{
	uint32_t bits;
	int exponent;
	aclFloat16 sign;

	memcpy(&bits, &value, sizeof(bits));
	sign = (aclFloat16)(bits >> 16 & 0x8000);
	exponent = (int)(bits >> 23 & 0xff) - 112;
	if ((bits & 0x7fffffff) > 0x7f800000)
		return sign | 0x7e00;
	if (exponent >= 31)
		return sign | 0x7c00;
	if (exponent <= 0)
		return exponent < -9 ? sign
				     : (aclFloat16)(sign | ((bits & 0x7fffff) | 0x800000) >> (14 - exponent));
	return (aclFloat16)(sign | exponent << 10 | (int)(bits >> 13 & 0x3ff));
}
