// SPDX-License-Identifier: Apache-2.0
/* Tables from handles and ids to records of the ring: see state.h. */
#include "preload/state.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define STREAM_SLOTS 16384u  /* powers of two, twice the records */
#define OBJECT_SLOTS 262144u
#define PROBES	     128u
#define LOCK_SPINS   200u
#define LOCK_YIELDS  500u
#define LOCK_SLEEPS  200u /* of 100 us: a holder that the scheduler has put aside comes back by then */
#define REUSE_AFTER_STREAMS 64u	  /* destroyed records stay at least this long, */
#define REUSE_AFTER_OBJECTS 4096u /* since queues and threads may still refer to them */

/*
 * A handle and its record. The key, once set, only changes to another handle, and
 * only while ref is 0: so a reader that finds its key before and after ref has a
 * pair that belongs together.
 */
struct slot {
	uint64_t key;
	uint32_t ref;
	uint32_t pad;
};

/* Records of one kind: how many there are, and the destroyed ones in order. */
struct records {
	uint32_t high;
	uint32_t first, last; /* of the row of destroyed ones, modulo its room */
	uint32_t *row;
	uint32_t room;
};

struct state {
	struct slot stream_slots[STREAM_SLOTS];
	struct slot object_slots[OBJECT_SLOTS];
	struct stream_private streams[STATE_STREAMS];
	uint32_t by_id[STATE_DEVICES][STATE_STREAM_IDS];
	uint32_t by_sq[STATE_DEVICES][STATE_SQ_IDS];
	uint32_t stream_row[STATE_STREAMS];
	uint32_t object_row[STATE_OBJECTS];
	uint32_t context_row[STATE_CONTEXTS];
	uint64_t buffers[STATE_BUFFERS][STATE_STREAMS];
	uint32_t buffer_used[STATE_BUFFERS];
	struct records stream_records, object_records, context_records;
	uint32_t lock; /* tid of the holder */
};

static struct state *state;

int state_open(void)
{
	void *at = mmap(NULL, sizeof(*state), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			-1, 0);

	if (at == MAP_FAILED)
		return -errno;
	state = at;
	state->stream_records = (struct records){ .row = state->stream_row, .room = STATE_STREAMS };
	state->object_records = (struct records){ .row = state->object_row, .room = STATE_OBJECTS };
	state->context_records = (struct records){ .row = state->context_row, .room = STATE_CONTEXTS };
	return 0;
}

void state_close(void)
{
	if (state)
		munmap(state, sizeof(*state));
	state = NULL;
}

/*
 * Never waits for a holder that cannot go on: a signal handler on top of it is told
 * at once, anybody else after some tens of milliseconds at most.
 */
bool state_lock(void)
{
	const struct timespec pause = { 0, 100000 };
	uint32_t own = shim_self.tid ? shim_self.tid : (uint32_t)syscall(SYS_gettid);
	uint32_t tries, holder;
	int saved = errno;

	for (tries = 0; tries < LOCK_SPINS + LOCK_YIELDS + LOCK_SLEEPS; tries++) {
		holder = 0;
		if (__atomic_compare_exchange_n(&state->lock, &holder, own, false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED)) {
			errno = saved;
			return true;
		}
		if (holder == own)
			return false;
		if (tries >= LOCK_SPINS + LOCK_YIELDS)
			nanosleep(&pause, NULL);
		else if (tries >= LOCK_SPINS)
			sched_yield();
	}
	errno = saved;
	return false;
}

void state_unlock(void)
{
	__atomic_store_n(&state->lock, 0, __ATOMIC_RELEASE);
}

/* ---- slots ---- */

static uint32_t slot_index(uint64_t key, uint32_t slots)
{
	/* Handles lie close together: keep neighbours in one page, and stir the upper bits in. */
	return (uint32_t)((key >> 5) ^ ((key >> 23) * UINT64_C(0x9e3779b1))) & (slots - 1);
}

static uint32_t slot_find(const struct slot *slots, uint32_t count, uint64_t key)
{
	uint32_t index = slot_index(key, count), i;

	for (i = 0; i < PROBES; i++, index = (index + 1) & (count - 1)) {
		const struct slot *slot = &slots[index];
		uint64_t found = __atomic_load_n(&slot->key, __ATOMIC_ACQUIRE);
		uint32_t ref;

		if (found == 0)
			return 0;
		if (found != key)
			continue;
		ref = __atomic_load_n(&slot->ref, __ATOMIC_ACQUIRE);
		if (ref && __atomic_load_n(&slot->key, __ATOMIC_ACQUIRE) == key)
			return ref;
		if (ref == 0)
			return 0;
	}
	return 0;
}

/* With the lock held. False: no room near its place. */
static bool slot_set(struct slot *slots, uint32_t count, uint64_t key, uint32_t ref)
{
	uint32_t index = slot_index(key, count), i;
	struct slot *unused = NULL;

	for (i = 0; i < PROBES; i++, index = (index + 1) & (count - 1)) {
		struct slot *slot = &slots[index];

		if (slot->key == key) {
			__atomic_store_n(&slot->ref, ref, __ATOMIC_RELEASE);
			return true;
		}
		if (!unused && slot->ref == 0)
			unused = slot;
		if (slot->key == 0)
			break;
	}
	if (!unused)
		return false;
	__atomic_store_n(&unused->key, key, __ATOMIC_RELEASE);
	__atomic_store_n(&unused->ref, ref, __ATOMIC_RELEASE);
	return true;
}

static void slot_clear(struct slot *slots, uint32_t count, uint64_t key, uint32_t ref)
{
	uint32_t index = slot_index(key, count), i;

	for (i = 0; i < PROBES; i++, index = (index + 1) & (count - 1)) {
		struct slot *slot = &slots[index];

		if (slot->key == 0)
			return;
		if (slot->key == key) {
			/* The same address may stand for something newer by now. */
			__atomic_compare_exchange_n(&slot->ref, &ref, 0, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
			return;
		}
	}
}

/* ---- records ---- */

/* A ref to use: a new one while there is room, else the one destroyed longest ago. 0 none. */
static uint32_t record_take(struct records *records, enum ring_chunk_kind kind, uint32_t per_chunk,
			    uint32_t reuse_after)
{
	uint32_t gone = records->last - records->first, number;

	if (gone > reuse_after)
		return records->row[records->first++ % records->room];
	if (records->high < records->room) {
		if (records->high % per_chunk || ring_writer_chunk(&shim.ring, kind, &number)) {
			__atomic_store_n(&records->high, records->high + 1, __ATOMIC_RELEASE);
			return records->high;
		}
	}
	return gone ? records->row[records->first++ % records->room] : 0;
}

static void record_give(struct records *records, uint32_t ref)
{
	if (records->last - records->first < records->room)
		records->row[records->last++ % records->room] = ref;
}

struct ring_stream *stream_record(uint32_t ref)
{
	return ref ? ring_writer_record(&shim.ring, RING_CHUNK_STREAMS, RING_STREAMS_PER_CHUNK,
					sizeof(struct ring_stream), ref - 1)
		   : NULL;
}

struct ring_object *object_record(uint32_t ref)
{
	return ref ? ring_writer_record(&shim.ring, RING_CHUNK_OBJECTS, RING_OBJECTS_PER_CHUNK,
					sizeof(struct ring_object), ref - 1)
		   : NULL;
}

struct ring_context *context_record(uint32_t ref)
{
	return ref ? ring_writer_record(&shim.ring, RING_CHUNK_CONTEXTS, RING_CONTEXTS_PER_CHUNK,
					sizeof(struct ring_context), ref - 1)
		   : NULL;
}

struct stream_private *stream_private(uint32_t ref)
{
	return ref && ref <= STATE_STREAMS ? &state->streams[ref - 1] : NULL;
}

uint32_t stream_high(void)
{
	return __atomic_load_n(&state->stream_records.high, __ATOMIC_ACQUIRE);
}

uint32_t object_high(void)
{
	return __atomic_load_n(&state->object_records.high, __ATOMIC_ACQUIRE);
}

uint32_t context_high(void)
{
	return __atomic_load_n(&state->context_records.high, __ATOMIC_ACQUIRE);
}

/* Identity fields change between these two; readers leave a record with an odd generation alone. */
static void identity_begin(uint32_t *generation)
{
	__atomic_store_n(generation, *generation + 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

static void identity_end(uint32_t *generation)
{
	__atomic_store_n(generation, *generation + 1, __ATOMIC_RELEASE);
}

/* ---- streams ---- */

static uint32_t context_device(uint32_t context)
{
	struct ring_context *record = context_record(context);

	return record ? record->device : RING_NONE;
}

static void stream_unbind(uint32_t ref)
{
	struct ring_stream *stream = stream_record(ref);
	struct stream_private *private = stream_private(ref);
	uint32_t device = private->hal_device, old = ref;

	if (device < STATE_DEVICES && stream->stream_id < STATE_STREAM_IDS)
		__atomic_compare_exchange_n(&state->by_id[device][stream->stream_id], &old, 0, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	old = ref;
	if (device < STATE_DEVICES && stream->sq_id < STATE_SQ_IDS)
		__atomic_compare_exchange_n(&state->by_sq[device][stream->sq_id], &old, 0, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	private->hal_device = RING_NONE;
}

/* A segment freed is a segment nobody finds any more; its chunk is used again by this record. */
static void stream_fill(uint32_t ref, uint64_t handle, uint32_t context, uint32_t flags, uint32_t create_flags,
			uint64_t site)
{
	struct ring_stream *stream = stream_record(ref);
	struct stream_private *private = stream_private(ref);

	identity_begin(&stream->generation);
	stream->state = RING_OBJECT_LIVE;
	stream->handle = handle;
	stream->context = context;
	stream->device = context_device(context);
	stream->stream_id = RING_NONE;
	stream->sq_id = RING_NONE;
	stream->flags = flags;
	stream->create_flags = create_flags;
	stream->create_site = site;
	stream->base_seq = stream->claimed;
	stream->sent = 0;
	stream->last_task = RING_NONE;
	stream->last_pos = RING_NONE;
	stream->lost = 0;
	stream->owner_tid = 0;
	stream->done = stream->claimed;
	stream->sq_head = RING_NONE;
	stream->sq_depth = RING_NONE;
	stream->sq_head_mono = 0;
	stream->head_since = 0;
	stream->done_mono = 0;
	stream->executed_task = RING_NONE;
	private->hal_device = RING_NONE;
	private->ts = 0;
	identity_end(&stream->generation);
}

static uint32_t stream_add_locked(uint64_t handle, uint32_t context, uint32_t flags, uint32_t create_flags,
				  uint64_t site)
{
	uint32_t ref = record_take(&state->stream_records, RING_CHUNK_STREAMS, RING_STREAMS_PER_CHUNK,
				   REUSE_AFTER_STREAMS);

	if (!ref)
		return 0;
	stream_fill(ref, handle, context, flags, create_flags, site);
	if (handle && !slot_set(state->stream_slots, STREAM_SLOTS, handle, ref)) {
		stream_record(ref)->state = RING_OBJECT_GONE;
		record_give(&state->stream_records, ref);
		return 0;
	}
	return ref;
}

static void stream_remove_locked(uint32_t ref)
{
	struct ring_stream *stream = stream_record(ref);

	if (!stream || stream->state != RING_OBJECT_LIVE)
		return;
	if (stream->handle)
		slot_clear(state->stream_slots, STREAM_SLOTS, stream->handle, ref);
	stream_unbind(ref);
	__atomic_store_n(&stream->state, RING_OBJECT_GONE, __ATOMIC_RELAXED);
	record_give(&state->stream_records, ref);
}

uint32_t stream_find(uint64_t handle)
{
	return slot_find(state->stream_slots, STREAM_SLOTS, handle);
}

uint32_t stream_add(uint64_t handle, uint32_t context, uint32_t flags, uint32_t create_flags, uint64_t site)
{
	uint32_t ref = 0;

	if (state_lock()) {
		/* A creation proves that whatever had this handle before is gone. */
		stream_remove_locked(handle ? stream_find(handle) : 0);
		ref = stream_add_locked(handle, context, flags, create_flags, site);
		state_unlock();
	}
	if (!ref)
		shim_count(lost_streams, 1);
	return ref;
}

void stream_remove(uint32_t ref)
{
	if (!state_lock()) {
		shim_count(lost_streams, 1);
		return;
	}
	stream_remove_locked(ref);
	state_unlock();
}

static uint32_t stream_default(uint32_t context)
{
	struct ring_context *record = context_record(context);
	uint32_t ref;

	if (!record)
		return 0;
	ref = __atomic_load_n(&record->default_stream, __ATOMIC_ACQUIRE);
	if (likely(ref))
		return ref;
	if (!state_lock()) {
		shim_count(lost_streams, 1);
		return 0;
	}
	ref = record->default_stream;
	if (!ref) {
		ref = stream_add_locked(0, context, RING_STREAM_DEFAULT, 0, 0);
		__atomic_store_n(&record->default_stream, ref, __ATOMIC_RELEASE);
	}
	state_unlock();
	if (!ref)
		shim_count(lost_streams, 1);
	return ref;
}

uint32_t stream_resolve(uint64_t handle, uint32_t context, bool *late)
{
	uint32_t ref;

	if (handle == 0)
		return stream_default(context);
	ref = stream_find(handle);
	if (likely(ref))
		return ref;
	if (!state_lock()) {
		shim_count(lost_streams, 1);
		return 0;
	}
	ref = stream_find(handle);
	if (!ref) {
		ref = stream_add_locked(handle, context, RING_STREAM_SEEN_LATE, 0, 0);
		*late = ref != 0;
	}
	state_unlock();
	if (!ref)
		shim_count(lost_streams, 1);
	return ref;
}

void stream_name_default(uint32_t context, uint64_t handle)
{
	uint32_t ref = stream_default(context), other;

	if (!ref || !handle || !state_lock())
		return;
	other = stream_find(handle);
	/* What was taken for a stream of its own keeps its record: its past is there. */
	if (!other && slot_set(state->stream_slots, STREAM_SLOTS, handle, ref))
		stream_record(ref)->handle = handle;
	state_unlock();
}

uint32_t stream_by_id(uint32_t hal_device, uint32_t stream_id)
{
	if (hal_device >= STATE_DEVICES || stream_id >= STATE_STREAM_IDS)
		return 0;
	return __atomic_load_n(&state->by_id[hal_device][stream_id], __ATOMIC_RELAXED);
}

uint32_t stream_by_sq(uint32_t hal_device, uint32_t sq_id)
{
	if (hal_device >= STATE_DEVICES || sq_id >= STATE_SQ_IDS)
		return 0;
	return __atomic_load_n(&state->by_sq[hal_device][sq_id], __ATOMIC_RELAXED);
}

void stream_bind(uint32_t ref, uint32_t hal_device, uint32_t ts, uint32_t stream_id, uint32_t sq_id)
{
	struct ring_stream *stream = stream_record(ref);
	struct stream_private *private = stream_private(ref);

	if (!stream || hal_device >= STATE_DEVICES || stream_id >= STATE_STREAM_IDS)
		return;
	private->ts = ts;
	__atomic_store_n(&private->hal_device, hal_device, __ATOMIC_RELAXED);
	__atomic_store_n(&stream->stream_id, stream_id, __ATOMIC_RELAXED);
	__atomic_store_n(&state->by_id[hal_device][stream_id], ref, __ATOMIC_RELAXED);
	if (sq_id < STATE_SQ_IDS) {
		__atomic_store_n(&stream->sq_id, sq_id, __ATOMIC_RELAXED);
		__atomic_store_n(&state->by_sq[hal_device][sq_id], ref, __ATOMIC_RELAXED);
	}
}

/* ---- objects ---- */

/* Events, notifies, values and communicators may share addresses: the class is part of the key. */
static uint64_t object_key(enum ring_object_kind kind, uint64_t handle)
{
	uint64_t class = kind == RING_OBJECT_COUNT_NOTIFY ? RING_OBJECT_NOTIFY : kind;

	return handle ^ class << 60;
}

static uint32_t object_add_locked(enum ring_object_kind kind, uint64_t handle, enum ring_made_by made_by,
				  uint32_t create_flags, uint32_t context, uint64_t site, uint8_t flags)
{
	uint32_t ref = record_take(&state->object_records, RING_CHUNK_OBJECTS, RING_OBJECTS_PER_CHUNK,
				   REUSE_AFTER_OBJECTS);
	struct ring_object *object = object_record(ref);

	if (!object)
		return 0;
	identity_begin(&object->generation);
	object->kind = (uint8_t)kind;
	object->state = RING_OBJECT_LIVE;
	object->made_by = (uint8_t)made_by;
	object->flags = flags;
	object->handle = handle;
	object->create_flags = create_flags;
	object->id = RING_NONE;
	object->last_record = 0;
	object->records = 0;
	object->waits = 0;
	object->create_site = site;
	object->device = context_device(context);
	object->context = context;
	identity_end(&object->generation);
	if (slot_set(state->object_slots, OBJECT_SLOTS, object_key(kind, handle), ref))
		return ref;
	object->state = RING_OBJECT_GONE;
	record_give(&state->object_records, ref);
	return 0;
}

static void object_remove_locked(uint32_t ref)
{
	struct ring_object *object = object_record(ref);

	if (!object || object->state != RING_OBJECT_LIVE)
		return;
	slot_clear(state->object_slots, OBJECT_SLOTS, object_key(object->kind, object->handle), ref);
	__atomic_store_n(&object->state, RING_OBJECT_GONE, __ATOMIC_RELAXED);
	record_give(&state->object_records, ref);
}

uint32_t object_find(enum ring_object_kind kind, uint64_t handle)
{
	return slot_find(state->object_slots, OBJECT_SLOTS, object_key(kind, handle));
}

uint32_t object_resolve(enum ring_object_kind kind, uint64_t handle, uint32_t context, bool *late)
{
	uint32_t ref = object_find(kind, handle);

	if (likely(ref) || !handle)
		return ref;
	if (!state_lock()) {
		shim_count(lost_objects, 1);
		return 0;
	}
	ref = object_find(kind, handle);
	if (!ref) {
		/* A value has no creator to miss. */
		ref = object_add_locked(kind, handle, RING_MADE_UNKNOWN, 0, context, 0,
					kind == RING_OBJECT_VALUE ? 0 : RING_OBJECT_SEEN_LATE);
		*late = ref != 0;
	}
	state_unlock();
	if (!ref)
		shim_count(lost_objects, 1);
	return ref;
}

uint32_t object_add(enum ring_object_kind kind, uint64_t handle, enum ring_made_by made_by,
		    uint32_t create_flags, uint32_t context, uint64_t site)
{
	uint32_t ref = 0;

	if (state_lock()) {
		object_remove_locked(object_find(kind, handle));
		ref = object_add_locked(kind, handle, made_by, create_flags, context, site, 0);
		state_unlock();
	}
	if (!ref)
		shim_count(lost_objects, 1);
	return ref;
}

void object_remove(uint32_t ref)
{
	if (!state_lock()) {
		shim_count(lost_objects, 1);
		return;
	}
	object_remove_locked(ref);
	state_unlock();
}

/* ---- contexts: few, so that a walk finds them ---- */

static uint32_t context_match(uint64_t handle, uint32_t device, bool primary)
{
	uint32_t ref, high = context_high();

	for (ref = 1; ref <= high; ref++) {
		struct ring_context *context = context_record(ref);

		if (!context || context->state != RING_OBJECT_LIVE)
			continue;
		if (primary ? (context->flags & RING_CONTEXT_PRIMARY) && context->device == device
			    : context->handle == handle)
			return ref;
	}
	return 0;
}

static uint32_t context_add_locked(uint64_t handle, uint32_t device, uint32_t flags)
{
	uint32_t ref = record_take(&state->context_records, RING_CHUNK_CONTEXTS, RING_CONTEXTS_PER_CHUNK, 0);
	struct ring_context *context = context_record(ref);

	if (!context)
		return 0;
	identity_begin(&context->generation);
	context->state = RING_OBJECT_LIVE;
	context->handle = handle;
	context->device = device;
	context->flags = flags;
	context->default_stream = 0;
	identity_end(&context->generation);
	return ref;
}

static uint32_t context_get(uint64_t handle, uint32_t device, uint32_t flags)
{
	uint32_t ref = context_match(handle, device, flags & RING_CONTEXT_PRIMARY);

	if (ref || !state_lock())
		return ref;
	ref = context_match(handle, device, flags & RING_CONTEXT_PRIMARY);
	if (!ref)
		ref = context_add_locked(handle, device, flags);
	state_unlock();
	return ref;
}

uint32_t context_primary(uint32_t device)
{
	return context_get(0, device, RING_CONTEXT_PRIMARY);
}

uint32_t context_find(uint64_t handle)
{
	return handle ? context_match(handle, 0, false) : 0;
}

uint32_t context_add(uint64_t handle, uint32_t device)
{
	return context_get(handle, device, 0);
}

void context_name(uint32_t ref, uint64_t handle)
{
	struct ring_context *context = context_record(ref);

	if (context && handle && !context_find(handle))
		__atomic_store_n(&context->handle, handle, __ATOMIC_RELAXED);
}

void context_remove(uint32_t ref)
{
	struct ring_context *context = context_record(ref);
	uint32_t stream;

	if (!context || !state_lock())
		return;
	if (context->state == RING_OBJECT_LIVE) {
		for (stream = 1; stream <= stream_high(); stream++)
			if (stream_record(stream)->context == ref)
				stream_remove_locked(stream);
		__atomic_store_n(&context->state, RING_OBJECT_GONE, __ATOMIC_RELAXED);
		record_give(&state->context_records, ref);
	}
	state_unlock();
}

/* ---- scratch ---- */

uint32_t buffer_take(void)
{
	uint32_t i, unused;

	for (i = 0; i < STATE_BUFFERS; i++) {
		unused = 0;
		if (__atomic_compare_exchange_n(&state->buffer_used[i], &unused, 1, false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return i + 1;
	}
	return 0;
}

uint64_t *buffer_numbers(uint32_t buffer)
{
	return state->buffers[buffer - 1];
}

void buffer_give(uint32_t buffer)
{
	if (buffer)
		__atomic_store_n(&state->buffer_used[buffer - 1], 0, __ATOMIC_RELEASE);
}
