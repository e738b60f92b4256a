// SPDX-License-Identifier: Apache-2.0
/* The dump interfaces: their order and arguments are checked; nothing is dumped, since no operator has
 * tensors here. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "simulator/acl/check.h"

static _Atomic bool dump_ready, dump_set;
static _Atomic bool operator_dump;
static _Atomic(void *) dump_callback;

aclError aclmdlInitDump(void)
{
	if (dump_ready)
		return ACL_ERROR_DUMP_ALREADY_RUN;
	dump_ready = true;
	return ACL_SUCCESS;
}

aclError aclmdlSetDump(const char *dumpCfgPath)
{
	CHECK_NOT_NULL(dumpCfgPath);
	if (!dump_ready)
		return ACL_ERROR_DUMP_NOT_RUN;
	if (access(dumpCfgPath, R_OK) != 0)
		return ACL_ERROR_INVALID_FILE;
	dump_set = true;
	return ACL_SUCCESS;
}

aclError aclmdlFinalizeDump(void)
{
	if (!dump_ready)
		return ACL_ERROR_DUMP_NOT_RUN;
	dump_ready = dump_set = false;
	return ACL_SUCCESS;
}

aclError aclopStartDumpArgs(uint32_t dumpType, const char *path)
{
	CHECK_NOT_NULL(path);
	if (dumpType != ACL_OP_DUMP_OP_AICORE_ARGS)
		return acl_invalid("dumpType");
	operator_dump = true;
	return ACL_SUCCESS;
}

aclError aclopStopDumpArgs(uint32_t dumpType)
{
	if (dumpType != ACL_OP_DUMP_OP_AICORE_ARGS)
		return acl_invalid("dumpType");
	if (!operator_dump)
		return ACL_ERROR_DUMP_NOT_RUN;
	operator_dump = false;
	return ACL_SUCCESS;
}

aclError acldumpRegCallback(int32_t (*const messageCallback)(const acldumpChunk *, int32_t), int32_t flag)
{
	CHECK_NOT_NULL(messageCallback);
	dump_callback = (void *)(uintptr_t)messageCallback;
	return ACL_SUCCESS;
}

void acldumpUnregCallback(void)
{
	dump_callback = NULL;
}

/* ASCEND_DUMP_PATH before ASCEND_WORK_PATH before the working directory. */
const char *acldumpGetPath(acldumpType dumpType)
{
	const char *path = getenv("ASCEND_DUMP_PATH");

	if (!path || !*path)
		path = getenv("ASCEND_WORK_PATH");
	return path && *path ? path : "./";
}
