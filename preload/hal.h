// SPDX-License-Identifier: Apache-2.0
/*
 * The driver's border: what the shim reads of its structures and tasks. Layouts are
 * those of the public headers; only the fields named here are touched.
 */
#ifndef CANNWATCH_PRELOAD_HAL_H
#define CANNWATCH_PRELOAD_HAL_H

#include <stddef.h>
#include <stdint.h>

#define HAL_NOT_SUPPORTED 65534
#define HAL_NORMAL_TYPE	  0
#define HAL_PROP_SQ_HEAD  1
#define HAL_PROP_SQ_DEPTH 7

struct hal_query {
	uint32_t type, ts, sq, cq, prop;
	uint32_t value[8];
};

struct hal_send {
	uint32_t type, ts, sq;
	int32_t timeout;
	const uint8_t *sqe;
	uint32_t sqes;
	uint32_t pos;
	uint32_t reserved[8];
};

struct hal_message {
	uint32_t type, ts, sq, commands, reports;
	uint32_t reserved[8];
};

_Static_assert(sizeof(struct hal_query) == 52, "halSqCqQueryInfo");
_Static_assert(sizeof(struct hal_send) == 64, "halTaskSendInfo");
_Static_assert(offsetof(struct hal_send, pos) == 28, "halTaskSendInfo");
_Static_assert(sizeof(struct hal_message) == 52, "halSqMsgInfo");

/* Asks the driver for one number of a queue; never through the wrapper. False: no answer. */
int hal_ask(uint32_t hal_device, uint32_t ts, uint32_t sq, uint32_t prop, uint32_t *value);

#endif
