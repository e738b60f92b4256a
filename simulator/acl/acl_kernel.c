// SPDX-License-Identifier: Apache-2.0
/*
 * Kernels. A "binary" is a shared object of the host; a kernel is an exported
 * function of it, `void name(uint32_t num_blocks, void *args)`, run by a thread
 * of the device. args is a copy made at launch.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include "simulator/acl/check.h"

struct binary {
	void *library;
};

struct kernel {
	void *entry;
	char name[128];
};

struct kernel_args { /* behind aclrtArgsHandle */
	size_t size;
	unsigned char bytes[4096];
};

aclError aclrtBinaryLoadFromFile(const char *binPath, aclrtBinaryLoadOptions *options,
				 aclrtBinHandle *binHandle)
{
	struct binary *b;

	CHECK_NOT_NULL(binPath);
	CHECK_NOT_NULL(binHandle);
	b = calloc(1, sizeof(*b));
	if (!b)
		return ACL_ERROR_BAD_ALLOC;
	b->library = dlopen(binPath, RTLD_NOW | RTLD_LOCAL);
	if (!b->library) {
		free(b);
		return ACL_ERROR_RT_FILE_OPEN;
	}
	*binHandle = b;
	return ACL_SUCCESS;
}

/* The library stays loaded: a kernel of it may still be queued. */
aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle)
{
	CHECK_NOT_NULL(binHandle);
	free(binHandle);
	return ACL_SUCCESS;
}

aclError aclrtBinaryGetFunction(const aclrtBinHandle binHandle, const char *kernelName,
				aclrtFuncHandle *funcHandle)
{
	const struct binary *b = binHandle;
	struct kernel *k;
	void *entry;

	CHECK_NOT_NULL(binHandle);
	CHECK_NOT_NULL(kernelName);
	CHECK_NOT_NULL(funcHandle);
	entry = dlsym(b->library, kernelName);
	if (!entry)
		return ACL_ERROR_RT_KERNEL_LOOKUP;
	k = calloc(1, sizeof(*k));
	if (!k)
		return ACL_ERROR_BAD_ALLOC;
	k->entry = entry;
	strncpy(k->name, kernelName, sizeof(k->name) - 1);
	*funcHandle = k;
	return ACL_SUCCESS;
}

aclError aclrtGetFunctionName(aclrtFuncHandle funcHandle, uint32_t maxLen, char *name)
{
	const struct kernel *k = funcHandle;

	CHECK_NOT_NULL(funcHandle);
	CHECK_NOT_NULL(name);
	if (maxLen <= strlen(k->name))
		return ACL_ERROR_RT_PARAM_INVALID;
	strcpy(name, k->name);
	return ACL_SUCCESS;
}

aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void *argsData,
			   size_t argsSize, aclrtStream stream)
{
	const struct kernel *k = funcHandle;

	CHECK_NOT_NULL(funcHandle);
	return rtsLaunchKernelWithHostArgs(k->entry, numBlocks, stream, argsData, (uint32_t)argsSize);
}

aclError aclrtLaunchKernelV2(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void *argsData,
			     size_t argsSize, aclrtLaunchKernelCfg *cfg, aclrtStream stream)
{
	return aclrtLaunchKernel(funcHandle, numBlocks, argsData, argsSize, stream);
}

aclError aclrtLaunchKernelWithHostArgs(aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream,
				       aclrtLaunchKernelCfg *cfg, void *hostArgs, size_t argsSize,
				       aclrtPlaceHolderInfo *placeHolderArray, size_t placeHolderNum)
{
	return aclrtLaunchKernel(funcHandle, numBlocks, hostArgs, argsSize, stream);
}

/* ---- arguments put together by handle --------------------------------------------- */

aclError aclrtKernelArgsInit(aclrtFuncHandle funcHandle, aclrtArgsHandle *argsHandle)
{
	CHECK_NOT_NULL(funcHandle);
	CHECK_NOT_NULL(argsHandle);
	*argsHandle = calloc(1, sizeof(struct kernel_args));
	return *argsHandle ? ACL_SUCCESS : ACL_ERROR_BAD_ALLOC;
}

aclError aclrtKernelArgsAppend(aclrtArgsHandle argsHandle, void *param, size_t paramSize,
			       aclrtParamHandle *paramHandle)
{
	struct kernel_args *a = argsHandle;

	CHECK_NOT_NULL(argsHandle);
	CHECK_NOT_NULL(param);
	if (paramSize > sizeof(a->bytes) - a->size)
		return acl_invalid("paramSize");
	memcpy(a->bytes + a->size, param, paramSize);
	if (paramHandle)
		*paramHandle = a->bytes + a->size;
	a->size += paramSize;
	return ACL_SUCCESS;
}

aclError aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle)
{
	CHECK_NOT_NULL(argsHandle);
	return ACL_SUCCESS;
}

aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream,
				     aclrtLaunchKernelCfg *cfg, aclrtArgsHandle argsHandle, void *reserve)
{
	const struct kernel_args *a = argsHandle;

	CHECK_NOT_NULL(argsHandle);
	return aclrtLaunchKernel(funcHandle, numBlocks, a->bytes, a->size, stream);
}
