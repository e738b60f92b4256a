// SPDX-License-Identifier: Apache-2.0
/* Writing a value to memory from a stream, and waiting for one. */
#include "simulator/runtime/runtime.h"

rtError_t rtsValueWrite(void *devAddr, uint64_t value, uint32_t flag, rtStream_t stm)
{
	struct sim_sqe sqe = {
		.type = SQE_WRITE_VALUE,
		.kind = KIND_VALUE_WRITE,
		.arg = { (uintptr_t)devAddr, value },
	};
	struct task task = { 0 };
	struct stream *s = NULL;
	int err = stream_resolve_own(stm, &s);

	if (!err && flag != 0)
		err = fail(ACL_ERROR_RT_PARAM_INVALID, NULL, "Invalid flag=%u", flag);
	if (!err)
		err = stream_submit(s, &sqe, &task, 0);
	return rt_done(err, __func__);
}

rtError_t rtsValueWait(void *devAddr, uint64_t value, uint32_t flag, rtStream_t stm)
{
	struct sim_sqe sqe = {
		.type = SQE_CONDITION,
		.kind = KIND_VALUE_WAIT,
		.arg = { (uintptr_t)devAddr, value, flag },
	};
	struct task task = { 0 };
	struct stream *s = NULL;
	int err = stream_resolve_own(stm, &s);

	if (!err && flag > ACL_STREAM_WAIT_VALUE_NOR)
		err = fail(ACL_ERROR_RT_PARAM_INVALID, NULL, "Invalid flag=%u", flag);
	if (!err && drvMemGetAttribute(devAddr, NULL) != SIM_MEM_DEVICE)
		err = fail(ACL_ERROR_RT_PARAM_INVALID, NULL, "devAddr is no device memory");
	if (!err)
		err = stream_submit(s, &sqe, &task, 0);
	return rt_done(err, __func__);
}
