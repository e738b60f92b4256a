// SPDX-License-Identifier: Apache-2.0
/* Entries of the shadow queues: see queue.h; the order of the stores is that of ring_format.h. */
#include "preload/queue.h"
#include "preload/state.h"

#include <stddef.h>

/* Place of a number within its stream: which segment, where it is kept, which entry of it. */
struct place {
	uint64_t first; /* number of the segment's first entry */
	uint32_t slot;
	uint32_t entry;
};

static struct place place_of(const struct ring_stream *stream, uint64_t number)
{
	uint64_t offset = number - stream->base_seq;
	uint64_t index = offset / RING_SEGMENT_ENTRIES;

	return (struct place){
		.first = stream->base_seq + index * RING_SEGMENT_ENTRIES,
		.slot = (uint32_t)(index % STATE_SEGMENTS),
		.entry = (uint32_t)(offset % RING_SEGMENT_ENTRIES),
	};
}

static struct ring_segment *segment_at(struct stream_private *private, const struct ring_stream *stream,
				       const struct place *place)
{
	struct ring_segment *segment = __atomic_load_n(&private->segments[place->slot], __ATOMIC_ACQUIRE);

	if (segment && __atomic_load_n(&segment->first, __ATOMIC_ACQUIRE) == place->first &&
	    segment->generation == stream->generation && segment->stream)
		return segment;
	return NULL;
}

/*
 * Is everything in this segment finished? Known from synchronisation, or because the
 * device has since taken more tasks than its deepest queue holds.
 */
static bool segment_is_finished(const struct ring_stream *stream, const struct stream_private *private,
				uint32_t slot)
{
	const struct ring_segment *segment = private->segments[slot];
	const struct ring_segment *next = private->segments[(slot + 1) % STATE_SEGMENTS];

	if (segment->generation != stream->generation ||
	    segment->first + RING_SEGMENT_ENTRIES <= __atomic_load_n(&stream->done, __ATOMIC_RELAXED))
		return true;
	return next && next->first == segment->first + RING_SEGMENT_ENTRIES &&
	       next->generation == stream->generation &&
	       stream->sent - private->sent_at[(slot + 1) % STATE_SEGMENTS] >= STATE_DEPTH;
}

static void segment_count_lost(struct ring_stream *stream, const struct ring_segment *segment)
{
	uint64_t done = __atomic_load_n(&stream->done, __ATOMIC_RELAXED);
	uint64_t from = done > segment->first ? done : segment->first;
	uint32_t lost = (uint32_t)(segment->first + RING_SEGMENT_ENTRIES - from);

	__atomic_fetch_add(&stream->lost, lost, __ATOMIC_RELAXED);
	shim_count(lost_entries, lost);
}

static bool segment_is_older(const struct ring_stream *stream, const struct ring_segment *segment,
			     const struct place *place)
{
	return segment->generation != stream->generation || segment->first < place->first;
}

/* A segment to write over, or a new one. With the lock held. */
static struct ring_segment *segment_obtain(struct ring_stream *stream, struct stream_private *private,
					   const struct place *place)
{
	uint32_t slot = place->slot, i, number;
	struct ring_segment *segment = private->segments[slot];

	if (segment) {
		if (!segment_is_finished(stream, private, slot))
			segment_count_lost(stream, segment);
		return segment;
	}
	for (i = 0; i < STATE_SEGMENTS; i++) {
		segment = private->segments[i];
		if (segment && i != slot && segment_is_older(stream, segment, place) &&
		    segment_is_finished(stream, private, i)) {
			private->segments[i] = NULL;
			return segment;
		}
	}
	segment = ring_writer_chunk(&shim.ring, RING_CHUNK_QUEUE, &number);
	if (segment)
		return segment;
	/* The ring is full: the oldest piece of this very stream makes room. */
	for (i = 1; i < STATE_SEGMENTS; i++) {
		uint32_t other = (slot + i) % STATE_SEGMENTS;

		segment = private->segments[other];
		if (segment && segment_is_older(stream, segment, place)) {
			segment_count_lost(stream, segment);
			private->segments[other] = NULL;
			return segment;
		}
	}
	return NULL;
}

static struct ring_segment *segment_open(uint32_t ref, struct ring_stream *stream,
					 struct stream_private *private, const struct place *place)
{
	struct ring_segment *segment;

	if (!state_lock())
		return NULL;
	segment = segment_at(private, stream, place);
	if (segment)
		goto out;
	/* One that came late may not push out what is newer. */
	segment = private->segments[place->slot];
	if (segment && segment->generation == stream->generation && segment->first > place->first) {
		segment = NULL;
		goto out;
	}
	segment = segment_obtain(stream, private, place);
	if (!segment)
		goto out;
	__atomic_store_n(&segment->stream, 0, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	segment->generation = stream->generation;
	__atomic_store_n(&segment->first, place->first, __ATOMIC_RELEASE);
	__atomic_store_n(&segment->stream, ref, __ATOMIC_RELEASE);
	private->sent_at[place->slot] = stream->sent;
	__atomic_store_n(&private->segments[place->slot], segment, __ATOMIC_RELEASE);
out:
	state_unlock();
	return segment;
}

/* If the entry before is still inside its call, nothing says which of the two the runtime takes first. */
static bool overlaps_previous(uint32_t ref, const struct ring_stream *stream, uint64_t number)
{
	const struct ring_entry *entry;

	if (number == stream->base_seq)
		return false;
	/* Not even written yet, or lost: then certainly not known to be before. */
	entry = queue_entry(ref, number - 1);
	return !entry || RING_TAG_STATE(__atomic_load_n(&entry->tag, __ATOMIC_RELAXED)) < RING_ENTRY_COMMITTED;
}

void queue_claim(struct call *call, uint8_t kind, uint8_t flags, uint32_t timeout_s)
{
	struct ring_stream *stream = stream_record(call->stream);
	struct stream_private *private = stream_private(call->stream);
	struct ring_segment *segment;
	struct ring_entry *entry;
	struct place place;
	uint64_t number;

	number = __atomic_fetch_add(&stream->claimed, 1, __ATOMIC_RELAXED);
	place = place_of(stream, number);
	segment = segment_at(private, stream, &place);
	if (unlikely(!segment))
		segment = segment_open(call->stream, stream, private, &place);
	if (unlikely(!segment)) {
		__atomic_fetch_add(&stream->lost, 1, __ATOMIC_RELAXED);
		shim_count(lost_entries, 1);
		return;
	}
	if (stream->owner_tid != shim_self.tid) {
		if (overlaps_previous(call->stream, stream, number))
			__atomic_fetch_or(&stream->flags, RING_STREAM_UNORDERED, __ATOMIC_RELAXED);
		stream->owner_tid = shim_self.tid;
	}
	entry = &segment->entries[place.entry];
	__atomic_store_n(&entry->tag, RING_TAG(number, RING_ENTRY_EMPTY), __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	entry->api = call->api;
	entry->kind = kind;
	entry->flags = flags;
	entry->tid = shim_self.tid;
	entry->task = RING_NONE;
	entry->pos = RING_NONE;
	entry->sqes = 0;
	entry->object = call->object;
	entry->object_gen = call->object_gen;
	entry->id = RING_NONE;
	entry->bound = call->bound;
	entry->return_address = call->return_address;
	entry->timeout_s = timeout_s;
	entry->name = call->name;
	__atomic_store_n(&entry->tag, RING_TAG(number, RING_ENTRY_CLAIMED), __ATOMIC_RELEASE);
	call->entry = entry;
	call->number = number;
}

bool queue_holds(const struct call *call)
{
	return __atomic_load_n(&call->entry->tag, __ATOMIC_RELAXED) ==
	       RING_TAG(call->number, RING_ENTRY_CLAIMED);
}

void queue_finish(struct call *call, bool failed)
{
	if (!queue_holds(call))
		return;
	__atomic_store_n(&call->entry->tag,
			 RING_TAG(call->number, failed ? RING_ENTRY_FAILED : RING_ENTRY_COMMITTED),
			 __ATOMIC_RELEASE);
}

struct ring_entry *queue_entry(uint32_t ref, uint64_t number)
{
	struct ring_stream *stream = stream_record(ref);
	struct ring_segment *segment;
	struct ring_entry *entry;
	struct place place;

	if (!stream || number < stream->base_seq)
		return NULL;
	place = place_of(stream, number);
	segment = segment_at(stream_private(ref), stream, &place);
	if (!segment)
		return NULL;
	entry = &segment->entries[place.entry];
	return RING_TAG_NUMBER(__atomic_load_n(&entry->tag, __ATOMIC_ACQUIRE)) == number ? entry : NULL;
}

/*
 * Has the call that claimed this number not returned yet? It may not even have written
 * its entry: an older number is in its place then. One that lost its entry never
 * writes it, so that this is not believed for long.
 */
static bool entry_is_inside(uint32_t ref, uint64_t number, uint64_t claimed)
{
	struct ring_stream *stream = stream_record(ref);
	struct place place = place_of(stream, number);
	struct ring_segment *segment = segment_at(stream_private(ref), stream, &place);
	uint64_t tag;

	if (!segment)
		return false;
	tag = __atomic_load_n(&segment->entries[place.entry].tag, __ATOMIC_ACQUIRE);
	if (RING_TAG_NUMBER(tag) != number || tag == 0)
		return claimed - number < 2 * RING_SEGMENT_ENTRIES;
	return RING_TAG_STATE(tag) < RING_ENTRY_COMMITTED;
}

uint64_t queue_upto(uint32_t ref)
{
	struct ring_stream *stream = stream_record(ref);
	uint64_t claimed = __atomic_load_n(&stream->claimed, __ATOMIC_ACQUIRE);
	uint64_t number;

	if (claimed == stream->base_seq)
		return claimed;
	if (!(stream->flags & RING_STREAM_UNORDERED))
		return entry_is_inside(ref, claimed - 1, claimed) ? claimed - 1 : claimed;
	for (number = __atomic_load_n(&stream->done, __ATOMIC_RELAXED); number < claimed; number++)
		if (entry_is_inside(ref, number, claimed))
			return number;
	return claimed;
}

void queue_done(uint32_t ref, uint64_t upto)
{
	struct ring_stream *stream = stream_record(ref);
	uint64_t done = __atomic_load_n(&stream->done, __ATOMIC_RELAXED);

	while (done < upto && !__atomic_compare_exchange_n(&stream->done, &done, upto, false, __ATOMIC_RELEASE,
							   __ATOMIC_RELAXED))
		;
}
