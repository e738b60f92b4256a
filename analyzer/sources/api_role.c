// SPDX-License-Identifier: Apache-2.0
/* Roles of calls (api_role.h). */
#include "analyzer/sources/api_role.h"

#include <stdbool.h>
#include <string.h>

enum call_role api_role(const struct ring_api *row)
{
	switch (row->role) {
	case RING_ROLE_SYNC_STREAM:
		return ROLE_SYNC_STREAM;
	case RING_ROLE_SYNC_EVENT:
		return ROLE_SYNC_EVENT;
	case RING_ROLE_SYNC_DEVICE:
		return ROLE_SYNC_DEVICE;
	case RING_ROLE_STREAM_DESTROY:
	case RING_ROLE_SYNC_DESTROY:
	case RING_ROLE_SYNC_MODEL:
		return ROLE_SYNC_OTHER;
	case RING_ROLE_CONTEXT:
		return strstr(row->name, "Destroy") ? ROLE_SYNC_OTHER : ROLE_OTHER;
	case RING_ROLE_DEVICE_SELECT:
		return strstr(row->name, "Reset") ? ROLE_SYNC_OTHER : ROLE_OTHER;
	case RING_ROLE_EVENT_RECORD:
	case RING_ROLE_EVENT_WAIT:
	case RING_ROLE_EVENT_RESET:
	case RING_ROLE_NOTIFY_RECORD:
	case RING_ROLE_NOTIFY_WAIT:
	case RING_ROLE_NOTIFY_RESET:
	case RING_ROLE_SUBMIT_CALLBACK:
	case RING_ROLE_SUBMIT_KERNEL:
	case RING_ROLE_SUBMIT_MEMCPY:
	case RING_ROLE_SUBMIT_MEMSET:
	case RING_ROLE_SUBMIT_MODEL:
	case RING_ROLE_SUBMIT_OTHER:
	case RING_ROLE_VALUE_WAIT:
	case RING_ROLE_VALUE_WRITE:
	case RING_ROLE_COLLECTIVE:
	case RING_ROLE_P2P:
		return ROLE_SUBMIT;
	default:
		return ROLE_OTHER;
	}
}

static bool is_exported(const char *name)
{
	static const char *const families[] = { "acl", "rt", "Hccl", "hal" };

	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		if (strncmp(name, families[i], strlen(families[i])) == 0)
			return true;
	return false;
}

const struct ring_api *api_find(const char *symbol)
{
	static const char impl[] = "Impl";
	size_t length = strlen(symbol), tail = sizeof(impl) - 1;
	const struct ring_api *row;

	if (!is_exported(symbol))
		return NULL;
	if (length > tail && strcmp(symbol + length - tail, impl) == 0)
		length -= tail;
	for (uint16_t i = 0; (row = ring_api(i)); i++)
		if (strncmp(row->name, symbol, length) == 0 && !row->name[length])
			return row;
	return NULL;
}

enum call_role api_inner_role(const char *symbol)
{
	static const char *const submit[] = { "SendTask",	  "SubmitTask", "SendingWait",
					      "AllocTaskAndSend", "SubmitSend", "halSqTaskSend",
					      "halSqMsgSend",	  NULL };
	static const char *const sync[] = { "6Stream11Synchronize",
					    "Stream::Synchronize",
					    "SynchronizeExecutedTask",
					    "7Context11Synchronize",
					    "Context::Synchronize",
					    "StreamSynchronize",
					    "SyncTask",
					    NULL };

	for (size_t i = 0; submit[i]; i++)
		if (strstr(symbol, submit[i]))
			return ROLE_SUBMIT;
	for (size_t i = 0; sync[i]; i++)
		if (strstr(symbol, sync[i]))
			return ROLE_SYNC_OTHER;
	return ROLE_NONE;
}
