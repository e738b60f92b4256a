// SPDX-License-Identifier: Apache-2.0
/*
 * The layers below a call: what the runtime hands to the driver (true stream and task
 * ids, kinds and queue positions), what it asks of it, and the trace feed. These
 * wrappers never make a record of their own; they refine the call the thread is in.
 */
#include "preload/hal.h"
#include "preload/call.h"
#include "preload/queue.h"
#include "preload/real.h"
#include "preload/state.h"
#include "preload/thread.h"
#include "preload/trace.h"

#include <errno.h>
#include <string.h>

#define EXPORT	  __attribute__((visibility("default")))
/* The same wrapper under a name that nobody else's can come before: see lookup.c. */
#define OWN(name) extern __typeof(name) own_##name __attribute__((alias(#name), visibility("hidden")));
#define SQE_BYTES 64u
#define SQES_MOST 4096u /* of one call: more is not believed */
#define STREAM_ID_MASK 0x7fffu

enum sqe_type {
	SQE_AICPU = 1,
	SQE_EVENT_RECORD = 4,
	SQE_EVENT_WAIT = 5,
	SQE_NOTIFY_RECORD = 6,
	SQE_NOTIFY_WAIT = 7,
};

struct sqe {
	uint8_t type;
	uint16_t stream_id;
	uint16_t task; /* low 16 bits */
	uint16_t id;   /* event or notify */
};

static struct sqe sqe_parse(const uint8_t *bytes)
{
	struct sqe sqe;

	sqe.type = bytes[0] & 0x3f;
	memcpy(&sqe.stream_id, bytes + 4, 2);
	memcpy(&sqe.task, bytes + 6, 2);
	memcpy(&sqe.id, bytes + 8, 2);
	sqe.stream_id &= STREAM_ID_MASK;
	return sqe;
}

/* Task ids of a stream only grow; an SQE carries the low 16 bits. */
static uint32_t task_extend(uint32_t last, uint16_t low)
{
	uint32_t full;

	if (last == RING_NONE)
		return low;
	full = (last & ~0xffffu) | low;
	return full < last ? full + 0x10000u : full;
}

/*
 * May this stream be the one the driver calls so? Id 0 is the default stream of a
 * primary context, and of that only; an id that stands for a living stream is taken.
 */
static bool stream_may_be(uint32_t ref, uint32_t device, const struct sqe *sqe)
{
	const struct ring_stream *stream = stream_record(ref);
	const struct ring_context *context = context_record(stream->context);
	bool primary_default = (stream->flags & RING_STREAM_DEFAULT) && context &&
			       (context->flags & RING_CONTEXT_PRIMARY);

	if (stream->stream_id != RING_NONE && stream->stream_id != sqe->stream_id)
		return false;
	if (stream_private(ref)->hal_device != RING_NONE && stream_private(ref)->hal_device != device)
		return false;
	if ((sqe->stream_id == 0) != primary_default && !(stream->flags & RING_STREAM_SEEN_LATE))
		return false;
	return stream_by_id(device, sqe->stream_id) == 0;
}

static bool capture_hides(uint32_t ref)
{
	return __atomic_load_n(&shim.captures_open, __ATOMIC_RELAXED) && stream_record(ref)->stream_id == RING_NONE;
}

/* Which stream an SQE belongs to, learning the id of the call's stream when it is new. */
static uint32_t sqe_stream(const struct call *call, uint32_t device, const struct hal_send *send,
			   const struct sqe *sqe)
{
	uint32_t ref = stream_by_id(device, sqe->stream_id);

	/* In a capture tasks go to hidden streams: their ids say nothing of the call's stream. */
	if (!ref && call && call->stream && !capture_hides(call->stream) && stream_may_be(call->stream, device, sqe)) {
		stream_bind(call->stream, device, send->ts, sqe->stream_id, send->sq);
		ref = call->stream;
	}
	return ref;
}

static void entry_confirm(struct call *call, const struct sqe *sqe, uint32_t task, uint32_t pos)
{
	struct ring_entry *entry = call->entry;

	call->own_sqes++;
	if (!queue_holds(call))
		return;
	entry->task = task;
	entry->pos = pos;
	entry->sqes = call->own_sqes;
	if (sqe->type >= SQE_EVENT_RECORD && sqe->type <= SQE_NOTIFY_WAIT)
		entry->id = sqe->id;
	__atomic_store_n(&entry->flags, entry->flags | RING_ENTRY_CONFIRMED, __ATOMIC_RELEASE);
}

static void object_learn(const struct call *call, const struct sqe *sqe)
{
	struct ring_object *object = object_record(call->object);

	if (object && sqe->type >= SQE_EVENT_RECORD && sqe->type <= SQE_NOTIFY_WAIT)
		__atomic_store_n(&object->id, sqe->id, __ATOMIC_RELAXED);
}

static void sqe_note(struct call *call, uint32_t device, const struct hal_send *send, const struct sqe *sqe,
		     uint32_t pos)
{
	uint32_t ref = sqe_stream(call, device, send, sqe);
	struct ring_stream *stream = stream_record(ref);
	uint32_t task;

	if (sqe->type == SQE_AICPU && !(call && call->role == RING_ROLE_SUBMIT_CALLBACK))
		shim_count(aicpu_tasks, 1);
	if (!stream) {
		/* A template of a graph: its notify is the same one. */
		if (call && call->entry && (call->role == RING_ROLE_NOTIFY_WAIT || call->role == RING_ROLE_NOTIFY_RECORD))
			object_learn(call, sqe);
		return;
	}
	/* Two threads on one stream are serialised by the runtime around this very call or not at all. */
	task = task_extend(__atomic_load_n(&stream->last_task, __ATOMIC_RELAXED), sqe->task);
	__atomic_store_n(&stream->last_task, task, __ATOMIC_RELAXED);
	__atomic_store_n(&stream->last_pos, pos, __ATOMIC_RELAXED);
	__atomic_fetch_add(&stream->sent, 1, __ATOMIC_RELAXED);
	if (!call || !call->entry || call->stream != ref)
		return;
	entry_confirm(call, sqe, task, pos);
	object_learn(call, sqe);
}

static void tasks_sent(struct shim_thread *self, uint32_t device, const struct hal_send *send)
{
	struct call *call = self->inside && self->slot ? &self->call : NULL;
	uint32_t count = send->sqes, i;
	struct sqe sqe;

	shim_count(hal_tasks, count);
	if (call) {
		call->sqes += count;
	} else {
		/* The runtime's own threads may; anybody else is a caller that was not seen. */
		__atomic_store_n(&shim.hal_elsewhere, 1, __ATOMIC_RELAXED);
		if (!thread_is_cann(self))
			shim_count(unattributed_tasks, count);
	}
	if (send->type != HAL_NORMAL_TYPE || !send->sqe || count > SQES_MOST)
		return;
	for (i = 0; i < count; i++) {
		sqe = sqe_parse(send->sqe + i * SQE_BYTES);
		sqe_note(call, device, send, &sqe, send->pos + i);
	}
}

EXPORT int halSqTaskSend(uint32_t device, void *info);
OWN(halSqTaskSend)
EXPORT int halSqTaskSend(uint32_t device, void *info)
{
	int (*real)(uint32_t, void *) = (int (*)(uint32_t, void *))real_function(API_ID_halSqTaskSend);
	struct shim_thread *self = &shim_self;
	int result, saved;

	if (unlikely(!real))
		return real_missing(API_ID_halSqTaskSend, HAL_NOT_SUPPORTED);
	result = real(device, info);
	/* Tasks, and no call before them that was seen: followed from here on, if only to say so. */
	if (unlikely(__atomic_load_n(&shim.state, __ATOMIC_RELAXED) == SHIM_IDLE) && !self->busy)
		shim_start();
	if (result == 0 && info && !self->busy && shim_running()) {
		saved = errno;
		tasks_sent(self, device, info);
		errno = saved;
	}
	return result;
}

/* The older way: the tasks were written in place before, only their number is known here. */
EXPORT int halSqMsgSend(uint32_t device, void *info);
OWN(halSqMsgSend)
EXPORT int halSqMsgSend(uint32_t device, void *info)
{
	int (*real)(uint32_t, void *) = (int (*)(uint32_t, void *))real_function(API_ID_halSqMsgSend);
	const struct hal_message *message = info;
	struct shim_thread *self = &shim_self;
	int result;

	if (unlikely(!real))
		return real_missing(API_ID_halSqMsgSend, HAL_NOT_SUPPORTED);
	result = real(device, info);
	if (result == 0 && info && !self->busy && shim_running()) {
		shim_count(hal_tasks, message->commands);
		if (self->inside)
			self->call.sqes += message->commands;
		else
			__atomic_store_n(&shim.hal_elsewhere, 1, __ATOMIC_RELAXED);
	}
	return result;
}

static void head_note(uint32_t device, const struct hal_query *query)
{
	struct ring_stream *stream;

	if (query->type != HAL_NORMAL_TYPE || query->prop != HAL_PROP_SQ_HEAD)
		return;
	stream = stream_record(stream_by_sq(device, query->sq));
	if (!stream)
		return;
	__atomic_store_n(&stream->sq_head, query->value[0], __ATOMIC_RELAXED);
	__atomic_store_n(&stream->sq_head_mono, now_coarse(), __ATOMIC_RELEASE);
}

EXPORT int halSqCqQuery(uint32_t device, void *info);
OWN(halSqCqQuery)
EXPORT int halSqCqQuery(uint32_t device, void *info)
{
	int (*real)(uint32_t, void *) = (int (*)(uint32_t, void *))real_function(API_ID_halSqCqQuery);
	int result;

	if (unlikely(!real))
		return real_missing(API_ID_halSqCqQuery, HAL_NOT_SUPPORTED);
	result = real(device, info);
	if (result == 0 && info && shim_running())
		head_note(device, info);
	return result;
}

int hal_ask(uint32_t hal_device, uint32_t ts, uint32_t sq, uint32_t prop, uint32_t *value)
{
	int (*real)(uint32_t, void *) = (int (*)(uint32_t, void *))real_function(API_ID_halSqCqQuery);
	struct hal_query query = { .type = HAL_NORMAL_TYPE, .ts = ts, .sq = sq, .cq = sq, .prop = prop };

	if (!real || real(hal_device, &query))
		return 0;
	*value = query.value[0];
	return 1;
}

/* ---- passed through: named so that every layer goes the same way ---- */

#define PASS(name, missing, params, args)                                                                    \
	EXPORT int name params;                                                                              \
	OWN(name)                                                                                            \
	EXPORT int name params                                                                               \
	{                                                                                                    \
		int(*real) params = (int(*) params)real_function(API_ID_##name);                                 \
                                                                                                             \
		return likely(real) ? real args : real_missing(API_ID_##name, missing);                          \
	}

PASS(halCqReportRecv, HAL_NOT_SUPPORTED, (uint32_t device, void *info), (device, info))
PASS(halCqReportIrqWait, HAL_NOT_SUPPORTED, (uint32_t device, void *in, void *out), (device, in, out))
PASS(halCqReportGet, HAL_NOT_SUPPORTED, (uint32_t device, void *in, void *out), (device, in, out))
PASS(AtraceEventReportSync, -1, (void *handle), (handle))

static void trace_note(const void *text, uint32_t size)
{
	if (!shim_running())
		return;
	shim_count(atrace_records, 1);
	trace_learn(text, size);
}

EXPORT int AtraceSubmit(void *handle, const void *text, uint32_t size);
OWN(AtraceSubmit)
EXPORT int AtraceSubmit(void *handle, const void *text, uint32_t size)
{
	int (*real)(void *, const void *, uint32_t) =
		(int (*)(void *, const void *, uint32_t))real_function(API_ID_AtraceSubmit);

	if (unlikely(!real))
		return real_missing(API_ID_AtraceSubmit, -1);
	trace_note(text, size);
	return real(handle, text, size);
}

EXPORT int AtraceSubmitByType(void *handle, uint8_t type, const void *text, uint32_t size);
OWN(AtraceSubmitByType)
EXPORT int AtraceSubmitByType(void *handle, uint8_t type, const void *text, uint32_t size)
{
	int (*real)(void *, uint8_t, const void *, uint32_t) =
		(int (*)(void *, uint8_t, const void *, uint32_t))real_function(API_ID_AtraceSubmitByType);

	if (unlikely(!real))
		return real_missing(API_ID_AtraceSubmitByType, -1);
	trace_note(text, size);
	return real(handle, type, text, size);
}
