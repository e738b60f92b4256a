// SPDX-License-Identifier: Apache-2.0
/* Reads "Name:key=number,key=number,..." of the runtime's feed: see trace.h. */
#include "preload/trace.h"
#include "preload/state.h"

#include <string.h>

#define TEXT_MOST 256u

struct text {
	const char *at, *end;
};

static bool text_begins(const struct text *text, const char *with)
{
	size_t length = strlen(with);

	return (size_t)(text->end - text->at) >= length && memcmp(text->at, with, length) == 0;
}

/* The number after key, which includes its '='; false: there is none. */
static bool number_of(const struct text *text, const char *key, uint32_t *number)
{
	size_t length = strlen(key);
	const char *at;
	uint64_t value = 0;

	for (at = text->at; at + length < text->end; at++) {
		if (memcmp(at, key, length) || (at > text->at && at[-1] != ',' && at[-1] != ':' && at[-1] != ' '))
			continue;
		at += length;
		if (at == text->end || *at < '0' || *at > '9')
			return false;
		for (; at < text->end && *at >= '0' && *at <= '9'; at++) {
			value = value * 10 + (uint64_t)(*at - '0');
			if (value > UINT32_MAX)
				return false;
		}
		*number = (uint32_t)value;
		return true;
	}
	return false;
}

void trace_learn(const char *text, uint32_t size)
{
	struct text whole = { text, text + (size < TEXT_MOST ? size : TEXT_MOST) };
	uint32_t device, id, executed;
	struct ring_stream *stream;

	if (!text || size < 8 || (*text != 'T' && *text != 'S'))
		return;
	whole.end = text + strnlen(text, (size_t)(whole.end - text));
	if (!text_begins(&whole, "TryReclyTask:") && !text_begins(&whole, "SendWait:"))
		return;
	if (!number_of(&whole, "devId=", &device) || !number_of(&whole, "stmId=", &id) ||
	    !number_of(&whole, "exeTaskId=", &executed))
		return;
	stream = stream_record(stream_by_id(device, id));
	if (stream)
		__atomic_store_n(&stream->executed_task, executed, __ATOMIC_RELAXED);
}
