// SPDX-License-Identifier: Apache-2.0
/* rtStreamSynchronize and its sibling: two names of one function of the runtime proper. */
#include "simulator/runtime/rt.h"
#include "simulator/runtime/front.h"

rtError_t rtStreamSynchronize(rtStream_t stm)
{
	return RT_INNER(rtApiStreamSynchronize)(stm, -1, __func__);
}

rtError_t rtStreamSynchronizeWithTimeout(rtStream_t stm, int32_t timeout)
{
	return RT_INNER(rtApiStreamSynchronize)(stm, timeout, __func__);
}
