// SPDX-License-Identifier: Apache-2.0
/*
 * The API table: what the number in ring_thread.api and ring_entry.api stands for.
 * One row per function of CANN that has a role, made from api/cann_api.tsv. The
 * functions here are pure and may be called anywhere; needs nothing.
 */
#ifndef CANNWATCH_SHM_RING_API_H
#define CANNWATCH_SHM_RING_API_H

#include <stdint.h>

enum ring_family {
	RING_FAMILY_ACL,
	RING_FAMILY_RT,
	RING_FAMILY_HCCL,
	RING_FAMILY_HAL,
	RING_FAMILY_ATRACE,
};

/* Named as in the table's column "role". */
enum ring_role {
	RING_ROLE_NONE = 0,
	RING_ROLE_ATRACE_FEED,
	RING_ROLE_ATRACE_SAVE,
	RING_ROLE_CALLBACK_REGISTER,
	RING_ROLE_CALLBACK_SERVE,
	RING_ROLE_CALLBACK_SUBSCRIBE,
	RING_ROLE_CALLBACK_UNSUBSCRIBE,
	RING_ROLE_CAPTURE,
	RING_ROLE_COLLECTIVE,
	RING_ROLE_COMM_CREATE,
	RING_ROLE_COMM_DESTROY,
	RING_ROLE_COMM_OTHER,
	RING_ROLE_CONTEXT,
	RING_ROLE_CONTEXT_TELL, /* tells the current context */
	RING_ROLE_DEVICE_SELECT,
	RING_ROLE_DUMP,
	RING_ROLE_EVENT_CREATE,
	RING_ROLE_EVENT_DESTROY,
	RING_ROLE_EVENT_QUERY,
	RING_ROLE_EVENT_RECORD,
	RING_ROLE_EVENT_RESET,
	RING_ROLE_EVENT_WAIT,
	RING_ROLE_EXCEPTION_CALLBACK,
	RING_ROLE_EXPORT,
	RING_ROLE_FUNCTION_TELL, /* tells the name of a kernel's handle */
	RING_ROLE_HAL_COMPLETE,
	RING_ROLE_HAL_PROGRESS,
	RING_ROLE_HAL_SUBMIT,
	RING_ROLE_LIFECYCLE,
	RING_ROLE_MEMORY,
	RING_ROLE_MODEL_LOAD,
	RING_ROLE_NOTIFY_CREATE,
	RING_ROLE_NOTIFY_DESTROY,
	RING_ROLE_NOTIFY_RECORD,
	RING_ROLE_NOTIFY_RESET,
	RING_ROLE_NOTIFY_WAIT,
	RING_ROLE_OP_INFO,
	RING_ROLE_P2P,
	RING_ROLE_STREAM_ABORT,
	RING_ROLE_STREAM_CREATE,
	RING_ROLE_STREAM_DESTROY,
	RING_ROLE_STREAM_ID_TELL, /* tells a stream's id */
	RING_ROLE_STREAM_QUERY,
	RING_ROLE_STREAM_TELL, /* tells the default stream's handle */
	RING_ROLE_SUBMIT_CALLBACK,
	RING_ROLE_SUBMIT_KERNEL,
	RING_ROLE_SUBMIT_MEMCPY,
	RING_ROLE_SUBMIT_MEMSET,
	RING_ROLE_SUBMIT_MODEL,
	RING_ROLE_SUBMIT_OTHER,
	RING_ROLE_SYNC_DESTROY,
	RING_ROLE_SYNC_DEVICE,
	RING_ROLE_SYNC_EVENT,
	RING_ROLE_SYNC_MEMCPY,
	RING_ROLE_SYNC_MODEL,
	RING_ROLE_SYNC_STREAM,
	RING_ROLE_TIMEOUT_SETTING,
	RING_ROLE_VALUE_WAIT,
	RING_ROLE_VALUE_WRITE,
	RING_ROLES,
};

struct ring_api {
	const char *name;
	uint8_t family;	   /* enum ring_family */
	uint8_t role;	   /* enum ring_role */
	int8_t stream_arg; /* zero-based, -1 none; likewise below */
	int8_t object_arg;
	int8_t timeout_arg;
};

/* The row with this number, NULL for RING_API_NONE and numbers of another table. */
const struct ring_api *ring_api(uint16_t api);

/* A number that names the table: equal means that the numbers mean the same (ring_header.api_table). */
uint32_t ring_api_table(void);

#endif
