// SPDX-License-Identifier: Apache-2.0
/* Around the outermost call of a thread: slot, queue entry, and what its result tells. */
#include "preload/call.h"
#include "preload/name.h"
#include "preload/queue.h"
#include "preload/real.h"
#include "preload/state.h"
#include "preload/thread.h"

#include <errno.h>
#include <string.h>

#define EVENT_SYNC     0x1u
#define EVENT_DEVICE   0x10u
#define EVENT_EXTERNAL 0x20u
#define EVENT_IPC      0x40u

/* What the shim does for a role. */
enum trait {
	SUBMITS = 1 << 0, /* an entry in the stream's queue, of kind */
	WAITS = 1 << 1,	  /* the host may block: timeout is in milliseconds */
	BEFORE = 1 << 2,  /* something to note at entry */
	AFTER = 1 << 3,	  /* something to learn from the result */
	QUIET = 1 << 4,	  /* says nothing of a device: no reason to start the shim */
	FINDS = 1 << 5,	  /* unknown handles get no record from it */
};

struct role_traits {
	uint8_t traits;
	uint8_t kind;	/* enum ring_task_kind */
	uint8_t object; /* enum ring_object_kind of the object argument */
};

static const struct role_traits roles[RING_ROLES] = {
	[RING_ROLE_CALLBACK_REGISTER] = { AFTER | QUIET, 0, 0 },
	[RING_ROLE_CALLBACK_SERVE] = { WAITS, 0, 0 },
	[RING_ROLE_CALLBACK_SUBSCRIBE] = { AFTER, 0, 0 },
	[RING_ROLE_CAPTURE] = { AFTER, 0, 0 },
	[RING_ROLE_COLLECTIVE] = { SUBMITS | AFTER, RING_TASK_COLLECTIVE, RING_OBJECT_COMM },
	[RING_ROLE_COMM_DESTROY] = { FINDS, 0, RING_OBJECT_COMM },
	[RING_ROLE_COMM_OTHER] = { FINDS, 0, RING_OBJECT_COMM },
	[RING_ROLE_CONTEXT] = { AFTER, 0, 0 },
	[RING_ROLE_CONTEXT_TELL] = { AFTER | QUIET, 0, 0 },
	[RING_ROLE_DEVICE_SELECT] = { AFTER, 0, 0 },
	[RING_ROLE_DUMP] = { AFTER | QUIET, 0, 0 },
	[RING_ROLE_EVENT_CREATE] = { AFTER, 0, 0 },
	[RING_ROLE_EVENT_DESTROY] = { AFTER | FINDS, 0, RING_OBJECT_EVENT },
	[RING_ROLE_EVENT_QUERY] = { BEFORE | AFTER | FINDS, 0, RING_OBJECT_EVENT },
	[RING_ROLE_EVENT_RECORD] = { SUBMITS | AFTER, RING_TASK_RECORD, RING_OBJECT_EVENT },
	[RING_ROLE_EVENT_RESET] = { SUBMITS | AFTER, RING_TASK_RESET, RING_OBJECT_EVENT },
	[RING_ROLE_EVENT_WAIT] = { SUBMITS | AFTER, RING_TASK_WAIT, RING_OBJECT_EVENT },
	[RING_ROLE_EXCEPTION_CALLBACK] = { AFTER | QUIET, 0, 0 },
	[RING_ROLE_EXPORT] = { AFTER, 0, RING_OBJECT_EVENT },
	[RING_ROLE_FUNCTION_TELL] = { AFTER, 0, 0 },
	[RING_ROLE_LIFECYCLE] = { QUIET, 0, 0 },
	[RING_ROLE_NOTIFY_CREATE] = { AFTER, 0, 0 },
	[RING_ROLE_NOTIFY_DESTROY] = { AFTER | FINDS, 0, RING_OBJECT_NOTIFY },
	[RING_ROLE_NOTIFY_RECORD] = { SUBMITS | AFTER, RING_TASK_NOTIFY_RECORD, RING_OBJECT_NOTIFY },
	[RING_ROLE_NOTIFY_RESET] = { SUBMITS, RING_TASK_RESET, RING_OBJECT_NOTIFY },
	[RING_ROLE_NOTIFY_WAIT] = { SUBMITS | AFTER, RING_TASK_NOTIFY_WAIT, RING_OBJECT_NOTIFY },
	[RING_ROLE_OP_INFO] = { QUIET, 0, 0 },
	[RING_ROLE_P2P] = { SUBMITS | AFTER, RING_TASK_COLLECTIVE, RING_OBJECT_COMM },
	[RING_ROLE_STREAM_ABORT] = { AFTER, 0, 0 },
	[RING_ROLE_STREAM_CREATE] = { AFTER, 0, 0 },
	[RING_ROLE_STREAM_DESTROY] = { BEFORE | AFTER | FINDS, 0, 0 },
	[RING_ROLE_STREAM_ID_TELL] = { AFTER | FINDS | QUIET, 0, 0 },
	[RING_ROLE_STREAM_QUERY] = { BEFORE | AFTER | FINDS, 0, 0 },
	[RING_ROLE_STREAM_TELL] = { AFTER | QUIET, 0, 0 },
	[RING_ROLE_SUBMIT_CALLBACK] = { SUBMITS | AFTER, RING_TASK_CALLBACK, 0 },
	[RING_ROLE_SUBMIT_KERNEL] = { SUBMITS, RING_TASK_KERNEL, 0 },
	[RING_ROLE_SUBMIT_MEMCPY] = { SUBMITS, RING_TASK_COPY, 0 },
	[RING_ROLE_SUBMIT_MEMSET] = { SUBMITS, RING_TASK_COPY, 0 },
	[RING_ROLE_SUBMIT_MODEL] = { SUBMITS | AFTER, RING_TASK_MODEL, RING_OBJECT_GRAPH },
	[RING_ROLE_SUBMIT_OTHER] = { SUBMITS, RING_TASK_OTHER, 0 },
	[RING_ROLE_SYNC_DESTROY] = { 0, 0, 0 },
	[RING_ROLE_SYNC_DEVICE] = { WAITS | BEFORE | AFTER, 0, 0 },
	[RING_ROLE_SYNC_EVENT] = { WAITS | BEFORE | AFTER | FINDS, 0, RING_OBJECT_EVENT },
	[RING_ROLE_SYNC_MODEL] = { SUBMITS | WAITS, RING_TASK_MODEL, 0 },
	[RING_ROLE_SYNC_STREAM] = { WAITS | BEFORE | AFTER | FINDS, 0, 0 },
	[RING_ROLE_TIMEOUT_SETTING] = { AFTER | QUIET, 0, 0 },
	[RING_ROLE_VALUE_WAIT] = { SUBMITS, RING_TASK_VALUE_WAIT, RING_OBJECT_VALUE },
	[RING_ROLE_VALUE_WRITE] = { SUBMITS | AFTER, RING_TASK_VALUE_WRITE, RING_OBJECT_VALUE },
};

/* ---- the slot ---- */

/* Fields first, then the odd sequence: see struct ring_thread. */
static void slot_publish(struct shim_thread *self)
{
	struct ring_thread *slot = self->slot;
	const struct call *call = &self->call;
	const struct ring_context *context;

	__atomic_thread_fence(__ATOMIC_RELEASE);
	slot->api = call->api;
	slot->depth = 0;
	if (unlikely(slot->context != self->context)) {
		slot->context = self->context;
		context = context_record(self->context);
		slot->device = context ? context->device : RING_NONE;
	}
	slot->stream = call->stream;
	slot->object = call->object;
	slot->object_gen = call->object_gen;
	slot->timeout = call->timeout;
	slot->flags = call->thread_flags;
	slot->return_address = call->return_address;
	slot->stack_pointer = call->cfa;
	slot->frame_pointer = call->frame_pointer;
	slot->upto = call->upto;
	slot->bound = call->bound;
	__atomic_store_n(&slot->seq, slot->seq + 1, __ATOMIC_RELEASE);
}

static void slot_retract(struct shim_thread *self)
{
	__atomic_store_n(&self->slot->seq, self->slot->seq + 1, __ATOMIC_RELEASE);
}

/* ---- what is noted at entry ---- */

/* A device synchronize waits for every stream of the context, each up to where it is now. */
static void device_sync_before(struct shim_thread *self, struct call *call)
{
	uint32_t ref, high = stream_high();
	uint64_t *upto;

	call->buffer = self->context ? buffer_take() : 0;
	if (!call->buffer)
		return;
	upto = buffer_numbers(call->buffer);
	for (ref = 1; ref <= high; ref++) {
		const struct ring_stream *stream = stream_record(ref);

		upto[ref - 1] = 0;
		if (stream && stream->context == self->context && stream->state == RING_OBJECT_LIVE)
			upto[ref - 1] = queue_upto(ref);
	}
	call->upto = high;
}

static void call_before(struct shim_thread *self, struct call *call)
{
	const struct ring_object *object;

	switch (call->role) {
	case RING_ROLE_SYNC_STREAM:
	case RING_ROLE_STREAM_QUERY:
	case RING_ROLE_STREAM_DESTROY:
		if (call->stream)
			call->upto = queue_upto(call->stream);
		break;
	case RING_ROLE_SYNC_EVENT:
	case RING_ROLE_EVENT_QUERY:
		object = object_record(call->object);
		if (object)
			call->bound = __atomic_load_n(&object->last_record, __ATOMIC_ACQUIRE);
		break;
	case RING_ROLE_SYNC_DEVICE:
		device_sync_before(self, call);
		break;
	}
}

/* ---- submissions ---- */

/* Any record releases a wait for these; the others are bound to the latest one before. */
static bool event_is_unbound(const struct ring_object *object)
{
	if (object->made_by == RING_MADE_PLAIN || object->made_by == RING_MADE_EX)
		return false;
	if (object->made_by == RING_MADE_FLAG)
		return object->create_flags & (EVENT_SYNC | EVENT_EXTERNAL);
	return object->made_by == RING_MADE_UNKNOWN;
}

static void wait_describe(const struct call *call, uint64_t *bound, uint8_t *flags, uint32_t *timeout_s)
{
	const struct ring_object *object = object_record(call->object);
	const struct ring_api *row = ring_api(call->api);
	uint32_t seconds = (uint32_t)call->timeout;

	if (call->role == RING_ROLE_NOTIFY_WAIT || call->role == RING_ROLE_VALUE_WAIT) {
		*flags |= RING_ENTRY_ANY_RECORD;
	} else if (object && event_is_unbound(object)) {
		*flags |= RING_ENTRY_ANY_RECORD;
	} else if (object) {
		/* After a reset of a plain event not even a new record releases its waits. */
		*bound = __atomic_load_n(&object->last_record, __ATOMIC_ACQUIRE);
		if (object->made_by == RING_MADE_PLAIN && (object->flags & RING_OBJECT_RESET))
			*bound = 0;
	}
	if (row->timeout_arg < 0) {
		seconds = 0;
		if (call->role == RING_ROLE_EVENT_WAIT)
			seconds = __atomic_load_n(&shim.ring.header->op_wait_timeout_s, __ATOMIC_RELAXED);
		/* A counting notify's time-out is in a structure that is not public. */
		if (call->role == RING_ROLE_NOTIFY_WAIT && strstr(row->name, "WithTimeout"))
			*flags |= RING_ENTRY_TIMED;
	}
	if (seconds)
		*flags |= RING_ENTRY_TIMED;
	*timeout_s = seconds;
}

/* A kernel's name, from its handle or its operator's type; both are the first argument. */
static uint32_t launch_name(const struct call *call)
{
	const struct ring_object *function;

	switch (call->api) {
	case API_ID_aclopExecute:
	case API_ID_aclopExecuteV2:
	case API_ID_aclopCompileAndExecute:
	case API_ID_aclopCompileAndExecuteV2:
	case API_ID_rtKernelLaunchFwk:
		return name_number((const char *)(uintptr_t)call->first[0]);
	}
	function = object_record(object_find(RING_OBJECT_FUNCTION, call->first[0]));
	return function ? function->create_flags : 0;
}

static void call_submit(struct call *call, uint8_t kind)
{
	const struct ring_stream *stream = stream_record(call->stream);
	uint32_t timeout_s = 0;
	uint8_t flags = 0;

	if (kind == RING_TASK_WAIT || kind == RING_TASK_NOTIFY_WAIT || kind == RING_TASK_VALUE_WAIT)
		wait_describe(call, &call->bound, &flags, &timeout_s);
	if (kind == RING_TASK_KERNEL)
		call->name = launch_name(call);
	if (unlikely(stream->flags & RING_STREAM_CAPTURING))
		flags |= RING_ENTRY_CAPTURED;
	queue_claim(call, kind, flags, timeout_s);
	call->bound = 0; /* of the slot: a host wait's only */
}

static void submission_leave(struct call *call, bool failed)
{
	struct ring_entry *entry = call->entry;

	if (!queue_holds(call))
		return;
	/*
	 * Nothing reached the driver though others did: the runtime skipped it. Unknown
	 * where it hands tasks over on threads of its own.
	 */
	if (!failed && !call->sqes && !(entry->flags & RING_ENTRY_CAPTURED) &&
	    __atomic_load_n(&shim.ring.header->counts.hal_tasks, __ATOMIC_RELAXED) &&
	    !__atomic_load_n(&shim.hal_elsewhere, __ATOMIC_RELAXED))
		entry->flags |= RING_ENTRY_NO_TASK;
	/* All of it went to streams that the program never made: it belongs to a graph. */
	if (!failed && call->sqes && !call->own_sqes && __atomic_load_n(&shim.captures_open, __ATOMIC_RELAXED))
		entry->flags |= RING_ENTRY_CAPTURED;
	queue_finish(call, failed);
}

/* ---- what a result tells ---- */

/* Two threads at once may count as one: what matters is whether there was any. */
static void counter_add(uint32_t *counter)
{
	__atomic_store_n(counter, __atomic_load_n(counter, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
}

static void record_after(const struct call *call)
{
	struct ring_object *object = object_record(call->object);

	if (!object || !call->entry || (call->entry->flags & RING_ENTRY_CAPTURED))
		return;
	__atomic_store_n(&object->last_record, RING_POINT(call->stream, call->number), __ATOMIC_RELEASE);
	counter_add(&object->records);
	if (object->flags & RING_OBJECT_RESET)
		__atomic_fetch_and(&object->flags, (uint8_t)~RING_OBJECT_RESET, __ATOMIC_RELAXED);
}

static void wait_after(const struct call *call)
{
	struct ring_object *object = object_record(call->object);

	if (object && !(call->entry && (call->entry->flags & RING_ENTRY_CAPTURED)))
		counter_add(&object->waits);
}

static void reset_after(const struct call *call)
{
	struct ring_object *object = object_record(call->object);

	if (object)
		__atomic_fetch_or(&object->flags, RING_OBJECT_RESET, __ATOMIC_RELAXED);
}

/* The event's record, as it was when the call was entered, has executed, and all before it. */
static void event_finished(const struct call *call)
{
	const struct ring_object *object = object_record(call->object);
	uint32_t stream = RING_POINT_STREAM(call->bound);
	uint64_t number = RING_POINT_SEQ(call->bound);
	const struct ring_stream *record = stream_record(stream);

	if (!object || !record || number < record->base_seq || (record->flags & RING_STREAM_UNORDERED))
		return;
	/* One id for all records: an older one answers for it as well. */
	if (event_is_unbound(object) && object->records != 1)
		return;
	queue_done(stream, number + 1);
}

static void event_query_after(const struct call *call)
{
	uint32_t complete, status;

	switch (call->api) {
	case API_ID_aclrtQueryEvent:
		complete = 0;
		break;
	case API_ID_aclrtQueryEventStatus:
	case API_ID_rtEventQueryStatus:
	case API_ID_rtsEventQueryStatus:
		complete = 1;
		break;
	case API_ID_rtEventQuery:
		event_finished(call);
		return;
	default:
		return;
	}
	if (!call->first[1])
		return;
	memcpy(&status, (const void *)(uintptr_t)call->first[1], sizeof(status));
	if (status == complete)
		event_finished(call);
}

static void stream_query_after(const struct call *call)
{
	uint32_t status = 0;

	if (!call->stream)
		return;
	if (call->api == API_ID_aclrtStreamQuery) {
		if (!call->first[1])
			return;
		memcpy(&status, (const void *)(uintptr_t)call->first[1], sizeof(status));
	}
	if (status == 0)
		queue_done(call->stream, call->upto);
}

static void device_sync_after(const struct call *call)
{
	const uint64_t *upto;
	uint32_t ref;

	if (!call->buffer)
		return;
	upto = buffer_numbers(call->buffer);
	for (ref = 1; ref <= call->upto; ref++)
		if (upto[ref - 1])
			queue_done(ref, upto[ref - 1]);
}

/* ---- objects come and go ---- */

static uint64_t result_handle(const struct call *call, int argument)
{
	uint64_t place = call->first[argument], handle;

	if (!place)
		return 0;
	memcpy(&handle, (const void *)(uintptr_t)place, sizeof(handle));
	return handle;
}

static void stream_created(struct shim_thread *self, const struct call *call)
{
	uint64_t handle = result_handle(call, 0);
	uint32_t flags = call->api == API_ID_aclrtCreateStreamWithConfig ? (uint32_t)call->first[2] : 0;

	if (handle)
		stream_add(handle, self->context, 0, flags, call->return_address);
}

static void event_created(struct shim_thread *self, const struct call *call)
{
	enum ring_made_by made_by = RING_MADE_FLAG;
	uint32_t flags = (uint32_t)call->first[1];
	struct ring_object *object;
	uint64_t handle;
	int out = 0;

	switch (call->api) {
	case API_ID_aclrtCreateEvent:
	case API_ID_rtEventCreate:
		made_by = RING_MADE_PLAIN;
		flags = 0;
		break;
	case API_ID_aclrtCreateEventExWithFlag:
	case API_ID_rtEventCreateExWithFlag:
	case API_ID_rtsEventCreateEx:
		made_by = RING_MADE_EX;
		break;
	case API_ID_aclrtIpcOpenEventHandle:
		made_by = RING_MADE_IMPORT;
		flags = EVENT_IPC;
		out = 1;
		break;
	}
	handle = result_handle(call, out);
	if (!handle)
		return;
	object = object_record(
		object_add(RING_OBJECT_EVENT, handle, made_by, flags, self->context, call->return_address));
	if (!object)
		return;
	if (flags & EVENT_IPC) {
		__atomic_fetch_or(&object->flags, RING_OBJECT_EXPORTED, __ATOMIC_RELAXED);
		shim_count(exports, 1);
	}
	if (flags & EVENT_DEVICE)
		__atomic_fetch_or(&object->flags, RING_OBJECT_DEVICE_WRITES, __ATOMIC_RELAXED);
}

static void notify_created(struct shim_thread *self, const struct call *call)
{
	enum ring_object_kind kind = RING_OBJECT_NOTIFY;
	enum ring_made_by made_by = RING_MADE_NOTIFY;
	struct ring_object *object;
	uint64_t handle, flags = call->first[1];
	int out = 0;

	if (strstr(ring_api(call->api)->name, "Cnt"))
		kind = RING_OBJECT_COUNT_NOTIFY;
	switch (call->api) {
	case API_ID_rtNotifyCreate:
	case API_ID_rtNotifyCreateWithFlag:
	case API_ID_rtCntNotifyCreate:
	case API_ID_rtCntNotifyCreateWithFlag:
		out = 1;
		flags = call->first[2];
		break;
	case API_ID_aclrtNotifyImportByKey:
	case API_ID_rtsNotifyImportByKey:
		made_by = RING_MADE_IMPORT;
		flags = 0;
		break;
	}
	handle = result_handle(call, out);
	if (!handle)
		return;
	object = object_record(object_add(kind, handle, made_by, (uint32_t)flags, self->context, call->return_address));
	if (!object)
		return;
	if (made_by == RING_MADE_IMPORT) {
		__atomic_fetch_or(&object->flags, RING_OBJECT_EXPORTED, __ATOMIC_RELAXED);
		shim_count(exports, 1);
	}
	if (flags & 1) /* ACL_NOTIFY_DEVICE_USE_ONLY */
		__atomic_fetch_or(&object->flags, RING_OBJECT_DEVICE_WRITES, __ATOMIC_RELAXED);
}

static void exported_after(const struct call *call)
{
	struct ring_object *object = object_record(call->object);

	shim_count(exports, 1);
	if (object)
		__atomic_fetch_or(&object->flags, RING_OBJECT_EXPORTED, __ATOMIC_RELAXED);
}

/* aclrtBinaryGetFunction gives a handle for a name, aclrtGetFunctionName a name for a handle. */
static void function_told(const struct call *call)
{
	uint64_t handle = call->api == API_ID_aclrtBinaryGetFunction ? result_handle(call, 2) : call->first[0];
	uint64_t text = call->first[call->api == API_ID_aclrtBinaryGetFunction ? 1 : 2];
	uint32_t name = name_number((const char *)(uintptr_t)text);
	const struct ring_object *known = object_record(object_find(RING_OBJECT_FUNCTION, handle));

	if (handle && name && (!known || known->create_flags != name))
		object_add(RING_OBJECT_FUNCTION, handle, RING_MADE_UNKNOWN, name, 0, call->return_address);
}

/* ---- contexts ---- */

static uint32_t device_references[STATE_DEVICES];

static void device_selected(struct shim_thread *self, uint32_t device)
{
	if (device < STATE_DEVICES)
		__atomic_fetch_add(&device_references[device], 1, __ATOMIC_RELAXED);
	self->context = context_primary(device);
}

/* aclrtResetDevice is counted: only the last one ends the primary context. */
static void device_reset(struct shim_thread *self, uint32_t device, bool force)
{
	uint32_t context = context_primary(device), references = 0;

	if (device < STATE_DEVICES) {
		references = __atomic_load_n(&device_references[device], __ATOMIC_RELAXED);
		references = force || !references ? 0 : references - 1;
		__atomic_store_n(&device_references[device], references, __ATOMIC_RELAXED);
	}
	if (references)
		return;
	context_remove(context);
	if (self->context == context)
		self->context = 0;
}

static void device_select_after(struct shim_thread *self, const struct call *call)
{
	uint32_t device = (uint32_t)call->first[0];

	switch (call->api) {
	case API_ID_aclrtSetDevice:
	case API_ID_rtSetDevice:
	case API_ID_rtSetDeviceEx:
	case API_ID_rtSetDeviceWithFlags:
	case API_ID_rtSetDeviceWithoutTsd:
	case API_ID_rtsSetDevice:
		device_selected(self, device);
		break;
	case API_ID_aclrtResetDevice:
	case API_ID_rtDeviceReset:
	case API_ID_rtDeviceResetEx:
	case API_ID_rtDeviceResetWithoutTsd:
		device_reset(self, device, false);
		break;
	case API_ID_aclrtResetDeviceForce:
	case API_ID_rtDeviceResetForce:
		device_reset(self, device, true);
		break;
	case API_ID_rtsSetDeviceTaskAbortCallback:
		shim_count(callbacks, 1);
		break;
	}
}

static void context_after(struct shim_thread *self, const struct call *call)
{
	uint64_t handle;
	uint32_t context;

	switch (call->api) {
	case API_ID_aclrtCreateContext:
		handle = result_handle(call, 0);
		/* The address may have been another context's that went without notice. */
		context_remove(context_find(handle));
		self->context = context_add(handle, (uint32_t)call->first[1]);
		break;
	case API_ID_aclrtSetCurrentContext:
		handle = call->first[0];
		context = context_find(handle);
		self->context = context ? context : context_add(handle, RING_NONE);
		break;
	case API_ID_aclrtDestroyContext:
		context = context_find(call->first[0]);
		context_remove(context);
		if (self->context == context)
			self->context = 0;
		break;
	}
}

static void context_told(struct shim_thread *self, const struct call *call)
{
	uint64_t handle = result_handle(call, 0);
	const struct ring_context *record = context_record(self->context);

	if (record && record->handle == 0)
		context_name(self->context, handle);
	else if (handle && (!record || record->handle != handle))
		self->context = context_find(handle) ? context_find(handle) : context_add(handle, RING_NONE);
}

/* ---- graphs ---- */

static bool entry_waits(const struct ring_entry *entry)
{
	return entry->kind == RING_TASK_WAIT || entry->kind == RING_TASK_NOTIFY_WAIT;
}

static bool entry_records(const struct ring_entry *entry)
{
	return entry->kind == RING_TASK_RECORD || entry->kind == RING_TASK_NOTIFY_RECORD;
}

/* What was captured on this stream becomes a graph. */
static void graph_made(const struct call *call, uint32_t context)
{
	uint64_t handle = result_handle(call, 1), number;
	const struct ring_stream *stream = stream_record(call->stream);
	struct ring_object *graph;
	uint64_t from;

	if (!handle || !stream)
		return;
	from = stream_private(call->stream)->capture_from;
	graph = object_record(object_add(RING_OBJECT_GRAPH, handle, RING_MADE_UNKNOWN,
					 (uint32_t)(stream->claimed - from), context, call->return_address));
	if (!graph)
		return;
	for (number = from; number < stream->claimed; number++) {
		const struct ring_entry *entry = queue_entry(call->stream, number);

		if (entry && (entry_waits(entry) || entry_records(entry)))
			graph->waits++;
	}
	__atomic_store_n(&graph->last_record, RING_POINT(call->stream, from), __ATOMIC_RELEASE);
}

/* Each execution waits and records anew. */
static void graph_executed(const struct call *call)
{
	const struct ring_object *graph = object_record(call->object);
	uint64_t point = graph ? graph->last_record : 0, number, from = RING_POINT_SEQ(point);

	if (!graph || graph->kind != RING_OBJECT_GRAPH || !graph->waits || !point)
		return;
	for (number = from; number < from + graph->create_flags; number++) {
		const struct ring_entry *entry = queue_entry(RING_POINT_STREAM(point), number);
		struct ring_object *object = entry ? object_record(entry->object) : NULL;

		if (!object || object->generation != entry->object_gen)
			continue;
		if (entry_waits(entry))
			counter_add(&object->waits);
		else if (entry_records(entry))
			counter_add(&object->records);
	}
}

static void capture_mark(uint32_t ref, struct ring_stream *stream, bool begins)
{
	uint32_t before;

	if (begins) {
		stream_private(ref)->capture_from = stream->claimed;
		before = __atomic_fetch_or(&stream->flags, RING_STREAM_CAPTURING, __ATOMIC_RELAXED);
		if (!(before & RING_STREAM_CAPTURING))
			__atomic_fetch_add(&shim.captures_open, 1, __ATOMIC_RELAXED);
		return;
	}
	before = __atomic_fetch_and(&stream->flags, ~(uint32_t)RING_STREAM_CAPTURING, __ATOMIC_RELAXED);
	if (before & RING_STREAM_CAPTURING)
		__atomic_fetch_sub(&shim.captures_open, 1, __ATOMIC_RELAXED);
}

/* An end that fails ends the capture as well. */
static void capture_failed(const struct call *call)
{
	struct ring_stream *stream = stream_record(call->stream);

	if (stream && (call->api == API_ID_aclmdlRICaptureEnd || call->api == API_ID_rtStreamEndCapture))
		capture_mark(call->stream, stream, false);
}

static void capture_after(const struct call *call, uint32_t context)
{
	struct ring_stream *stream = stream_record(call->stream);
	bool begins = false;

	switch (call->api) {
	case API_ID_aclmdlRICaptureBegin:
	case API_ID_aclmdlRICaptureToModelRIBegin:
	case API_ID_rtStreamBeginCapture:
		begins = true;
		shim_count(captures, 1);
		break;
	case API_ID_aclmdlRICaptureEnd:
	case API_ID_rtStreamEndCapture:
		break;
	default:
		return;
	}
	if (!stream)
		return;
	capture_mark(call->stream, stream, begins);
	if (!begins)
		graph_made(call, context);
}

/* An abort throws away what a stream still had to do. */
static void abort_after(const struct call *call)
{
	uint32_t ref, high = stream_high();

	if (call->stream) {
		queue_done(call->stream, queue_upto(call->stream));
		return;
	}
	if (call->api != API_ID_aclrtDeviceTaskAbort)
		return;
	for (ref = 1; ref <= high; ref++)
		if (stream_record(ref) && stream_record(ref)->device == (uint32_t)call->first[0])
			queue_done(ref, queue_upto(ref));
}

static void stream_id_told(const struct call *call)
{
	struct ring_stream *stream = stream_record(call->stream);
	uint32_t id;

	if (!stream || !call->first[1] || stream->stream_id != RING_NONE)
		return;
	memcpy(&id, (const void *)(uintptr_t)call->first[1], sizeof(id));
	__atomic_store_n(&stream->stream_id, id, __ATOMIC_RELAXED);
}

/* Results of calls that succeeded; one function per role. */
static void call_after(struct shim_thread *self, struct call *call)
{
	switch (call->role) {
	case RING_ROLE_EVENT_RECORD:
	case RING_ROLE_NOTIFY_RECORD:
	case RING_ROLE_VALUE_WRITE:
		record_after(call);
		break;
	case RING_ROLE_EVENT_WAIT:
	case RING_ROLE_NOTIFY_WAIT:
		wait_after(call);
		break;
	case RING_ROLE_EVENT_RESET:
		reset_after(call);
		break;
	case RING_ROLE_SYNC_STREAM:
		if (call->stream)
			queue_done(call->stream, call->upto);
		break;
	case RING_ROLE_SYNC_EVENT:
		event_finished(call);
		break;
	case RING_ROLE_SYNC_DEVICE:
		device_sync_after(call);
		break;
	case RING_ROLE_EVENT_QUERY:
		event_query_after(call);
		break;
	case RING_ROLE_STREAM_QUERY:
		stream_query_after(call);
		break;
	case RING_ROLE_STREAM_CREATE:
		stream_created(self, call);
		break;
	case RING_ROLE_STREAM_DESTROY:
		stream_remove(call->stream);
		break;
	case RING_ROLE_STREAM_ABORT:
		abort_after(call);
		break;
	case RING_ROLE_EVENT_CREATE:
		event_created(self, call);
		break;
	case RING_ROLE_NOTIFY_CREATE:
		notify_created(self, call);
		break;
	case RING_ROLE_EVENT_DESTROY:
	case RING_ROLE_NOTIFY_DESTROY:
		object_remove(call->object);
		break;
	case RING_ROLE_EXPORT:
		exported_after(call);
		break;
	case RING_ROLE_DEVICE_SELECT:
		device_select_after(self, call);
		break;
	case RING_ROLE_CONTEXT:
		context_after(self, call);
		break;
	case RING_ROLE_CONTEXT_TELL:
		context_told(self, call);
		break;
	case RING_ROLE_STREAM_TELL:
		stream_name_default(self->context, result_handle(call, 0));
		break;
	case RING_ROLE_STREAM_ID_TELL:
		stream_id_told(call);
		break;
	case RING_ROLE_CAPTURE:
		capture_after(call, self->context);
		break;
	case RING_ROLE_FUNCTION_TELL:
		function_told(call);
		break;
	case RING_ROLE_SUBMIT_MODEL:
		graph_executed(call);
		break;
	case RING_ROLE_COLLECTIVE:
	case RING_ROLE_P2P:
		shim_count(collectives, 1);
		break;
	case RING_ROLE_CALLBACK_SUBSCRIBE:
	case RING_ROLE_SUBMIT_CALLBACK:
		shim_count(callbacks, 1);
		break;
	}
}

/* ---- calls that mean something before there is a ring ---- */

static void timeout_set(uint32_t seconds)
{
	if (shim_running())
		__atomic_store_n(&shim.ring.header->op_wait_timeout_s, seconds, __ATOMIC_RELAXED);
	else
		__atomic_store_n(&shim.early_op_wait_timeout, seconds, __ATOMIC_RELAXED);
}

static void execute_timeout_set(uint64_t milliseconds)
{
	uint32_t *place = shim_running() ? &shim.ring.header->op_execute_timeout_ms : &shim.early_op_execute_timeout;

	__atomic_store_n(place, milliseconds < UINT32_MAX ? (uint32_t)milliseconds : 0, __ATOMIC_RELAXED);
}

/* The limit that the runtime made of the one asked for, if it tells. */
static void execute_timeout_told(const struct call *call)
{
	uint64_t limit = call->first[0];

	if (call->first[1])
		memcpy(&limit, (const void *)(uintptr_t)call->first[1], sizeof(limit));
	execute_timeout_set(limit / 1000);
}

static void quiet_after(const struct call *call)
{
	switch (call->role) {
	case RING_ROLE_CALLBACK_REGISTER:
	case RING_ROLE_EXCEPTION_CALLBACK:
		shim_count(callbacks, 1);
		break;
	case RING_ROLE_DUMP:
		if (call->api == API_ID_acldumpRegCallback)
			shim_count(callbacks, 1);
		break;
	case RING_ROLE_TIMEOUT_SETTING:
		if (call->api == API_ID_aclrtSetOpWaitTimeout)
			timeout_set((uint32_t)call->first[0]);
		else if (call->api == API_ID_aclrtSetOpExecuteTimeOut)
			execute_timeout_set(call->first[0] * 1000);
		else if (call->api == API_ID_aclrtSetOpExecuteTimeOutWithMs)
			execute_timeout_set(call->first[0]);
		else if (call->api == API_ID_aclrtSetOpExecuteTimeOutV2)
			execute_timeout_told(call);
		break;
	}
}

void call_forget(void)
{
	memset(device_references, 0, sizeof(device_references));
}

/* ---- entry and return ---- */

/* May this call be followed, and are the ring and the thread's slot there for it? */
static bool call_ready(struct shim_thread *self, const struct role_traits *role)
{
	bool ready;
	int saved;

	if (unlikely(!shim_running())) {
		if (role->traits & QUIET)
			return false;
		if (!shim_start())
			return false;
	}
	if (unlikely(self->generation != shim.generation)) {
		self->slot = NULL;
		self->inside = self->served = false;
	}
	if (unlikely(!self->slot)) {
		saved = errno;
		ready = thread_register(self);
		errno = saved;
		return ready;
	}
	return true;
}

/* A callback in the middle of a serving call makes calls of its own: they take its place meanwhile. */
static void call_push(struct shim_thread *self)
{
	self->outer = self->call;
	self->served = true;
	slot_retract(self);
}

static void call_pop(struct shim_thread *self)
{
	self->call = self->outer;
	self->served = false;
	self->inside = true;
	slot_publish(self);
}

/* The frame of the call before is gone without its return having been seen. */
static void call_void(struct shim_thread *self)
{
	buffer_give(self->call.buffer);
	self->inside = self->served = false;
	slot_retract(self);
}

static void call_resolve(struct shim_thread *self, struct call *call, const struct role_traits *role,
			 const struct call_site *site)
{
	const struct ring_api *row = ring_api(call->api);
	enum ring_object_kind kind = role->object;
	const struct ring_object *object;
	bool late = false;

	if (row->stream_arg >= 0) {
		if ((role->traits & FINDS) && site->stream)
			call->stream = stream_find(site->stream);
		else
			call->stream = stream_resolve(site->stream, self->context, &late);
		call->late_stream = late;
	}
	if (row->object_arg < 0 && role->object != RING_OBJECT_VALUE)
		return;
	if (kind == RING_OBJECT_NOTIFY && strstr(row->name, "Cnt"))
		kind = RING_OBJECT_COUNT_NOTIFY;
	if (call->role == RING_ROLE_EXPORT && call->api != API_ID_aclrtIpcGetEventHandle)
		kind = RING_OBJECT_NOTIFY;
	late = false;
	call->object = role->traits & FINDS ? object_find(kind, site->object)
					    : object_resolve(kind, site->object, self->context, &late);
	call->late_object = late;
	object = object_record(call->object);
	if (object)
		call->object_gen = object->generation;
}

static void call_start(struct shim_thread *self, struct call *call, uint16_t api, uint8_t role,
		       const struct call_site *site)
{
	call->api = api;
	call->role = role;
	call->late_stream = call->late_object = false;
	call->stream = call->object = call->object_gen = 0;
	call->entry = NULL;
	call->upto = call->bound = 0;
	call->name = 0;
	call->sqes = call->own_sqes = 0;
	call->buffer = 0;
	call->timeout = -1;
	call->thread_flags = 0;
	call->cfa = site->cfa;
	call->return_address = site->return_address;
	call->frame_pointer = site->frame_pointer;
	memcpy(call->first, site->first, sizeof(call->first));
}

bool call_enter(struct shim_thread *self, uint16_t api, uint8_t role, const struct call_site *site)
{
	const struct role_traits *traits = &roles[role];
	struct call *call = &self->call;

	if (unlikely(!call_ready(self, traits))) {
		/* Nothing is followed yet, but this one is remembered. */
		if ((traits->traits & (QUIET | AFTER)) == (QUIET | AFTER) && shim.state == SHIM_IDLE) {
			call_start(self, call, api, role, site);
			self->inside = true;
			return true;
		}
		return false;
	}
	/* From here on nothing touches errno but what keeps it itself: a chunk's reservation. */
	if (unlikely(self->inside)) {
		/* A call from the same frame as the one inside: that one was left by a jump. */
		if (site->cfa >= call->cfa)
			call_void(self);
		else if (ring_api(api)->family == RING_FAMILY_RT)
			return false; /* more likely the serving call's own layer than the callback's work */
		else
			call_push(self);
	}
	self->busy = true;
	call_start(self, call, api, role, site);
	call_resolve(self, call, traits, site);
	if (ring_api(api)->timeout_arg >= 0)
		call->timeout = (int32_t)site->timeout;
	if ((traits->traits & WAITS) && call->timeout >= 0)
		call->thread_flags = RING_THREAD_TIMED;
	if ((traits->traits & SUBMITS) && call->stream)
		call_submit(call, traits->kind);
	if (traits->traits & BEFORE)
		call_before(self, call);
	slot_publish(self);
	self->inside = true;
	self->busy = false;
	return true;
}

void call_leave(struct shim_thread *self, bool failed)
{
	const struct role_traits *traits = &roles[self->call.role];
	struct call *call = &self->call;

	self->inside = false;
	if (unlikely(!self->slot || !shim_running() || self->generation != shim.generation)) {
		/* Before the first device call, or in a child that was forked inside the call. */
		if (!failed && (traits->traits & QUIET))
			quiet_after(call);
		self->served = false;
		return;
	}
	self->busy = true;
	if (call->entry)
		submission_leave(call, failed);
	if (!failed && (traits->traits & AFTER)) {
		call_after(self, call);
		quiet_after(call);
	}
	if (unlikely(failed && call->role == RING_ROLE_CAPTURE))
		capture_failed(call);
	if (unlikely(failed && call->late_stream))
		stream_remove(call->stream);
	if (unlikely(failed && call->late_object))
		object_remove(call->object);
	buffer_give(call->buffer);
	self->busy = false;
	slot_retract(self);
	if (unlikely(self->served))
		call_pop(self);
}
