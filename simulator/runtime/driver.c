// SPDX-License-Identifier: Apache-2.0
/*
 * Calls into the driver that the runtime makes again and again. Two of them
 * are weak references, tested before use: old drivers do not have them.
 */
#include <string.h>
#include "simulator/runtime/runtime.h"

extern drvError_t halSqCqQuery(uint32_t devId, struct halSqCqQueryInfo *info) __attribute__((weak));
extern drvError_t halCqReportRecv(uint32_t devId, struct halReportRecvInfo *info) __attribute__((weak));

bool driver_head(uint32_t device, uint32_t sq, uint32_t *head)
{
	struct halSqCqQueryInfo info = { .sqId = sq, .cqId = sq, .prop = DRV_SQCQ_PROP_SQ_HEAD };

	if (!halSqCqQuery || halSqCqQuery(device, &info) != DRV_ERROR_NONE)
		return false;
	*head = info.value[0];
	return true;
}

uint32_t driver_completions(uint32_t device, uint32_t cq, struct sim_cqe *to, uint32_t max)
{
	struct halReportRecvInfo info = { .cqId = cq, .cqe_addr = (uint8_t *)to, .cqe_num = max };

	if (!halCqReportRecv || halCqReportRecv(device, &info) != DRV_ERROR_NONE)
		return 0;
	return info.report_cqe_num < max ? info.report_cqe_num : max;
}

int driver_id_alloc(uint32_t device, int type, uint32_t *id)
{
	struct halResourceIdInputInfo in = { .type = type };
	struct halResourceIdOutputInfo out;

	memset(&out, 0, sizeof(out));
	if (halResourceIdAlloc(device, &in, &out) != DRV_ERROR_NONE)
		return -1;
	*id = out.resourceId;
	return 0;
}

void driver_id_free(uint32_t device, int type, uint32_t id)
{
	struct halResourceIdInputInfo in = { .type = type, .resourceId = id };

	halResourceIdFree(device, &in);
}

int driver_config(uint32_t device, uint32_t sq, int prop, uint32_t value)
{
	struct halSqCqConfigInfo info = { .sqId = sq, .cqId = sq, .prop = prop, .value = { value } };

	return halSqCqConfig(device, &info);
}
