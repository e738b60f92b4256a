// SPDX-License-Identifier: Apache-2.0
/*
 * Offline models and single operators. A model file is a shared object of the
 * host that exports `void model_main(uint32_t, void *args)`, args being
 * struct model_args; it runs as one kernel. A single operator is an empty kernel.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include "simulator/acl/check.h"

enum { MAX_MODELS = 256 };

struct model_args {
	const aclmdlDataset *input;
	aclmdlDataset *output;
};

static pthread_mutex_t model_lock = PTHREAD_MUTEX_INITIALIZER;
static void *model_entries[MAX_MODELS]; /* index is id - 1 */

static aclError model_add(void *entry, uint32_t *modelId)
{
	aclError err = ACL_ERROR_RT_NO_MODEL_RESOURCE;

	pthread_mutex_lock(&model_lock);
	for (uint32_t i = 0; i < MAX_MODELS && err; i++) {
		if (model_entries[i])
			continue;
		model_entries[i] = entry;
		*modelId = i + 1;
		err = ACL_SUCCESS;
	}
	pthread_mutex_unlock(&model_lock);
	return err;
}

static void *model_entry(uint32_t id)
{
	void *entry = NULL;

	pthread_mutex_lock(&model_lock);
	if (id >= 1 && id <= MAX_MODELS)
		entry = model_entries[id - 1];
	pthread_mutex_unlock(&model_lock);
	return entry;
}

static aclError load_file(const char *path, uint32_t *modelId)
{
	void *library, *entry;

	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return ACL_ERROR_INVALID_FILE;
	entry = dlsym(library, "model_main");
	return entry ? model_add(entry, modelId) : ACL_ERROR_PARSE_MODEL;
}

aclError aclmdlLoadFromFile(const char *modelPath, uint32_t *modelId)
{
	CHECK_NOT_NULL(modelPath);
	CHECK_NOT_NULL(modelId);
	return load_file(modelPath, modelId);
}

/* The bytes of a model file; they may be given back at once. */
aclError aclmdlLoadFromMem(const void *model, size_t modelSize, uint32_t *modelId)
{
	aclError err = ACL_ERROR_BAD_ALLOC;
	char path[64];
	int fd;

	CHECK_NOT_NULL(model);
	CHECK_NOT_NULL(modelId);
	if (modelSize == 0)
		return acl_invalid("modelSize");
	fd = memfd_create("cannsim-model", MFD_CLOEXEC);
	if (fd < 0)
		return err;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, model, modelSize) == (ssize_t)modelSize)
		err = load_file(path, modelId);
	/* kept while loaded: the loader knows libraries by their paths, so a number must not come twice */
	if (err)
		close(fd);
	return err == ACL_ERROR_INVALID_FILE ? ACL_ERROR_PARSE_MODEL : err;
}

aclError aclmdlLoadFromMemWithMem(const void *model, size_t modelSize, uint32_t *modelId, void *workPtr,
				  size_t workSize, void *weightPtr, size_t weightSize)
{
	return aclmdlLoadFromMem(model, modelSize, modelId);
}

aclError aclmdlLoadFromFileWithMem(const char *modelPath, uint32_t *modelId, void *workPtr, size_t workSize,
				   void *weightPtr, size_t weightSize)
{
	return aclmdlLoadFromFile(modelPath, modelId);
}

aclError aclmdlUnload(uint32_t modelId)
{
	aclError err = model_entry(modelId) ? ACL_SUCCESS : ACL_ERROR_INVALID_MODEL_ID;

	pthread_mutex_lock(&model_lock);
	if (!err)
		model_entries[modelId - 1] = NULL;
	pthread_mutex_unlock(&model_lock);
	return err;
}

aclError aclmdlExecuteAsync(uint32_t modelId, const aclmdlDataset *input, aclmdlDataset *output,
			    aclrtStream stream)
{
	struct model_args args = { input, output };
	void *entry = model_entry(modelId);

	if (!entry)
		return ACL_ERROR_INVALID_MODEL_ID;
	return rtsLaunchKernelWithHostArgs(entry, 1, stream, &args, sizeof(args));
}

aclError aclmdlExecuteAsyncV2(uint32_t modelId, const aclmdlDataset *input, aclmdlDataset *output,
			      aclrtStream stream, const aclmdlExecConfigHandle *handle)
{
	return aclmdlExecuteAsync(modelId, input, output, stream);
}

aclError aclmdlExecuteV2(uint32_t modelId, const aclmdlDataset *input, aclmdlDataset *output,
			 aclrtStream stream, const aclmdlExecConfigHandle *handle)
{
	aclError err = aclmdlExecuteAsync(modelId, input, output, stream);

	return err ? err : rtStreamSynchronize(stream);
}

aclError aclmdlExecute(uint32_t modelId, const aclmdlDataset *input, aclmdlDataset *output)
{
	return aclmdlExecuteV2(modelId, input, output, NULL, NULL);
}

/* ---- single operators ------------------------------------------------------------------ */

static void empty_kernel(uint32_t num_blocks, void *data)
{
}

static aclError run_operator(aclrtStream stream)
{
	return rtsLaunchKernelWithHostArgs((void *)(uintptr_t)empty_kernel, 1, stream, NULL, 0);
}

aclError aclopExecute(const char *opType, int numInputs, const aclTensorDesc *const inputDesc[],
		      const aclDataBuffer *const inputs[], int numOutputs,
		      const aclTensorDesc *const outputDesc[], aclDataBuffer *const outputs[],
		      const aclopAttr *attr, aclrtStream stream)
{
	CHECK_NOT_NULL(opType);
	return run_operator(stream);
}

aclError aclopExecuteV2(const char *opType, int numInputs, aclTensorDesc *inputDesc[],
			aclDataBuffer *inputs[], int numOutputs, aclTensorDesc *outputDesc[],
			aclDataBuffer *outputs[], aclopAttr *attr, aclrtStream stream)
{
	CHECK_NOT_NULL(opType);
	return run_operator(stream);
}

aclError aclopCompileAndExecute(const char *opType, int numInputs, const aclTensorDesc *const inputDesc[],
				const aclDataBuffer *const inputs[], int numOutputs,
				const aclTensorDesc *const outputDesc[], aclDataBuffer *const outputs[],
				const aclopAttr *attr, aclopEngineType engineType,
				aclopCompileType compileFlag, const char *opPath, aclrtStream stream)
{
	CHECK_NOT_NULL(opType);
	return run_operator(stream);
}

aclError aclopCompileAndExecuteV2(const char *opType, int numInputs, aclTensorDesc *inputDesc[],
				  aclDataBuffer *inputs[], int numOutputs, aclTensorDesc *outputDesc[],
				  aclDataBuffer *outputs[], aclopAttr *attr, aclopEngineType engineType,
				  aclopCompileType compileFlag, const char *opPath, aclrtStream stream)
{
	CHECK_NOT_NULL(opType);
	return run_operator(stream);
}

aclError aclopExecWithHandle(aclopHandle *handle, int numInputs, const aclDataBuffer *const inputs[],
			     int numOutputs, aclDataBuffer *const outputs[], aclrtStream stream)
{
	CHECK_NOT_NULL(handle);
	return run_operator(stream);
}

aclError aclopCast(const aclTensorDesc *srcDesc, const aclDataBuffer *srcBuffer, const aclTensorDesc *dstDesc,
		   aclDataBuffer *dstBuffer, uint8_t truncate, aclrtStream stream)
{
	CHECK_NOT_NULL(srcDesc);
	CHECK_NOT_NULL(dstDesc);
	return run_operator(stream);
}
