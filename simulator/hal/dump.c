// SPDX-License-Identifier: Apache-2.0
/* The scheduler's view of every queue, as the device exports it (schedule_tracer_ts). */
#include <stdio.h>
#include "simulator/hal/device.h"

drvError_t halDumpScheduler(uint32_t devId, const char *path)
{
	return DRV_ERROR_NOT_SUPPORT;
}
