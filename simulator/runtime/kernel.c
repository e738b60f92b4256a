// SPDX-License-Identifier: Apache-2.0
/* Launching a kernel: a host function that a thread of the device runs. */
#include <stdlib.h>
#include <string.h>
#include "simulator/runtime/runtime.h"

static void *copy_args(const void *args, uint32_t size)
{
	void *p = malloc(size ? size : 1);

	if (p && args)
		memcpy(p, args, size);
	return p;
}

rtError_t rtsLaunchKernelWithHostArgs(void *entry, uint32_t numBlocks, rtStream_t stm, const void *args,
				      uint32_t argsSize)
{
	struct sim_sqe sqe = { .type = SQE_KERNEL, .block_dim = (uint16_t)numBlocks };
	struct task task = { 0 };
	struct stream *s = NULL;
	int err = stream_resolve_own(stm, &s);

	if (!err && (!entry || numBlocks == 0 || numBlocks > UINT16_MAX))
		err = fail(ACL_ERROR_RT_PARAM_INVALID, NULL, "Invalid kernel or numBlocks=%u", numBlocks);
	if (err)
		return rt_done(err, __func__);
	task.memory = copy_args(args, argsSize);
	if (!task.memory)
		return rt_done(ACL_ERROR_RT_MEMORY_ALLOCATION, __func__);
	sqe.arg[0] = (uintptr_t)entry;
	sqe.arg[1] = (uintptr_t)task.memory;
	err = stream_submit(s, &sqe, &task, 0);
	if (err)
		free(task.memory);
	return rt_done(err, __func__);
}
