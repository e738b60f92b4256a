// SPDX-License-Identifier: Apache-2.0
/*
 * Dumps of operators and of exceptions.
 * Needs only the C headers; usable from C and C++.
 */
#ifndef SIM_INC_ACL_DUMP_H
#define SIM_INC_ACL_DUMP_H

#include <stddef.h>
#include <stdint.h>
#include "acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ACL_DUMP_MAX_FILE_PATH_LENGTH 4096
#define ACL_DUMP_MAX_SHAPE_NUM	      25

typedef enum acldumpType {
	AIC_ERR_BRIEF_DUMP = 1,
	AIC_ERR_NORM_DUMP = 2,
	AIC_ERR_DETAIL_DUMP = 3,
	DATA_DUMP = 4,
	OVERFLOW_DUMP = 5,
} acldumpType;

typedef enum acldumpTensorType {
	ACL_DUMP_TENSOR_INPUT = 0,
	ACL_DUMP_TENSOR_OUTPUT = 1,
	ACL_DUMP_TENSOR_WORKSPACE = 2,
} acldumpTensorType;

typedef enum acldumpTensorAddressType {
	ACL_DUMP_ADDR_PTR = 0,
	ACL_DUMP_ADDR_PTR_PTR = 1,
	ACL_DUMP_ADDR_RAW = 2,
} acldumpTensorAddressType;

typedef enum acldumpTensorPlacement {
	ACL_DUMP_PLACEMENT_DEVICE = 0,
	ACL_DUMP_PLACEMENT_HOST = 1,
	ACL_DUMP_PLACEMENT_END = 2,
} acldumpTensorPlacement;

typedef struct acldumpChunk {
	char fileName[4096];
	uint32_t bufLen;
	uint32_t isLastChunk;
	int64_t offset;
	int32_t flag;
	uint8_t dataBuf[0];
} acldumpChunk;

typedef struct acldumpTensorInfo {
	acldumpTensorType type;
	size_t tensorSize;
	int32_t format;
	int32_t dataType;
	int64_t *tensorAddr;
	acldumpTensorAddressType addrType;
	acldumpTensorPlacement placement;
	uint32_t argsOffset;
	uint32_t shapeNum;
	uint32_t originShapeNum;
	uint64_t shape[25];
	uint64_t originShape[25];
} acldumpTensorInfo;

const char *acldumpGetPath(acldumpType dumpType);
aclError acldumpRegCallback(int32_t (*const messageCallback)(const acldumpChunk *, int32_t), int32_t flag);
void acldumpUnregCallback(void);

#ifdef __cplusplus
}
#endif

#endif
