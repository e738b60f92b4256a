// SPDX-License-Identifier: Apache-2.0
/*
 * Single operators.
 * Needs only the C headers; usable from C and C++.
 */
#ifndef SIM_INC_ACL_OP_H
#define SIM_INC_ACL_OP_H

#include <stddef.h>
#include <stdint.h>
#include "acl_base.h"
#include "acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ACL_OP_DUMP_OP_AICORE_ARGS 1

typedef struct aclopAttr aclopAttr;
typedef struct aclopHandle aclopHandle;

typedef enum aclopEngineType {
	ACL_ENGINE_SYS,
	ACL_ENGINE_AICORE,
	ACL_ENGINE_VECTOR,
} aclopEngineType;

typedef enum aclopCompileType {
	ACL_COMPILE_SYS,
	ACL_COMPILE_UNREGISTERED,
} aclopCompileType;

aclError aclopStartDumpArgs(uint32_t dumpType, const char *path);
aclError aclopStopDumpArgs(uint32_t dumpType);
aclError aclopCast(const aclTensorDesc *srcDesc, const aclDataBuffer *srcBuffer, const aclTensorDesc *dstDesc,
		   aclDataBuffer *dstBuffer, uint8_t truncate, aclrtStream stream);
aclError aclopCompileAndExecute(const char *opType, int numInputs, const aclTensorDesc *const inputDesc[],
				const aclDataBuffer *const inputs[], int numOutputs,
				const aclTensorDesc *const outputDesc[], aclDataBuffer *const outputs[],
				const aclopAttr *attr, aclopEngineType engineType,
				aclopCompileType compileFlag, const char *opPath, aclrtStream stream);
aclError aclopCompileAndExecuteV2(const char *opType, int numInputs, aclTensorDesc *inputDesc[],
				  aclDataBuffer *inputs[], int numOutputs, aclTensorDesc *outputDesc[],
				  aclDataBuffer *outputs[], aclopAttr *attr, aclopEngineType engineType,
				  aclopCompileType compileFlag, const char *opPath, aclrtStream stream);
aclError aclopExecWithHandle(aclopHandle *handle, int numInputs, const aclDataBuffer *const inputs[],
			     int numOutputs, aclDataBuffer *const outputs[], aclrtStream stream);
aclError aclopExecute(const char *opType, int numInputs, const aclTensorDesc *const inputDesc[],
		      const aclDataBuffer *const inputs[], int numOutputs,
		      const aclTensorDesc *const outputDesc[], aclDataBuffer *const outputs[],
		      const aclopAttr *attr, aclrtStream stream);
aclError aclopExecuteV2(const char *opType, int numInputs, aclTensorDesc *inputDesc[],
			aclDataBuffer *inputs[], int numOutputs, aclTensorDesc *outputDesc[],
			aclDataBuffer *outputs[], aclopAttr *attr, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
