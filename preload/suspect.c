// SPDX-License-Identifier: Apache-2.0
/*
 * A walk from a blocked thread over heads of queues to what releases them. Streams
 * that were met before on the walk count as stuck: so a ring of waits comes out as
 * one. Whatever the shim cannot tell counts as moving.
 */
#include "preload/suspect.h"
#include "preload/hal.h"
#include "preload/queue.h"
#include "preload/real.h"
#include "preload/state.h"
#include "preload/thread.h"

#include <string.h>

#define DEPTH_MOST  64
#define BUDGET	    200000u /* entries looked at in one walk */
#define ASKED_MOST  1024u  /* streams at a time */
#define WINDOW	    (STATE_SEGMENTS * RING_SEGMENT_ENTRIES)

struct node {
	uint32_t stream;
	uint64_t head;
};

struct walk {
	struct node path[DEPTH_MOST];
	uint32_t depth;
	uint32_t budget;
	uint64_t signature;
	uint8_t stuck[STATE_STREAMS / 8]; /* met before and found stuck */
	uint8_t asked[STATE_STREAMS / 8]; /* its head was asked of the driver */
};

static struct walk walk; /* too large for the watchdog's stack; it is the only user */

static bool bit_test_set(uint8_t *bits, uint32_t ref)
{
	uint8_t mask = (uint8_t)(1 << (ref & 7));
	bool was = bits[ref >> 3 & (STATE_STREAMS / 8 - 1)] & mask;

	bits[ref >> 3 & (STATE_STREAMS / 8 - 1)] |= mask;
	return was;
}

/* ---- how far a stream is ---- */

/* The only question put to the driver: where the queue's head is; by ids, never through a handle. */
static void stream_ask(uint32_t ref)
{
	struct ring_stream *stream = stream_record(ref);
	uint32_t device = stream_private(ref)->hal_device, ts = stream_private(ref)->ts;
	uint32_t value;

	if (device == RING_NONE || stream->sq_id == RING_NONE || bit_test_set(walk.asked, ref))
		return;
	if (stream->sq_depth == RING_NONE && hal_ask(device, ts, stream->sq_id, HAL_PROP_SQ_DEPTH, &value))
		__atomic_store_n(&stream->sq_depth, value, __ATOMIC_RELAXED);
	if (!hal_ask(device, ts, stream->sq_id, HAL_PROP_SQ_HEAD, &value))
		return;
	if (stream->sq_head != value || !stream->head_since)
		__atomic_store_n(&stream->head_since, now_mono(), __ATOMIC_RELAXED);
	__atomic_store_n(&stream->sq_head, value, __ATOMIC_RELAXED);
	__atomic_store_n(&stream->sq_head_mono, now_mono(), __ATOMIC_RELEASE);
}

/* Is this submission a task that the device may still have to do? */
static bool entry_is_pending(const struct ring_stream *stream, const struct ring_entry *entry)
{
	uint64_t tag = __atomic_load_n(&entry->tag, __ATOMIC_ACQUIRE);
	uint32_t state = RING_TAG_STATE(tag), depth = stream->sq_depth, pending;

	if (state == RING_ENTRY_FAILED || state == RING_ENTRY_EMPTY || RING_TAG_NUMBER(tag) < stream->done)
		return false;
	if (entry->flags & (RING_ENTRY_NO_TASK | RING_ENTRY_CAPTURED))
		return false;
	if (!(entry->flags & RING_ENTRY_CONFIRMED) || !depth || depth == RING_NONE ||
	    stream->sq_head == RING_NONE || stream->last_pos == RING_NONE)
		return true;
	if (stream->last_task - entry->task >= depth)
		return false;
	/* The queue holds what lies between head and tail, both modulo its depth. */
	pending = (stream->last_pos + 1 + depth - stream->sq_head % depth) % depth;
	return (stream->last_pos + depth - entry->pos % depth) % depth < pending;
}

static uint64_t window_start(const struct ring_stream *stream)
{
	uint64_t start = stream->done > stream->base_seq ? stream->done : stream->base_seq;

	if (stream->claimed > WINDOW && start < stream->claimed - WINDOW)
		start = stream->claimed - WINDOW;
	return start;
}

/* The first pending entry with a number below upto, NULL none (or the budget is spent). */
static const struct ring_entry *stream_head(uint32_t ref, uint64_t upto)
{
	const struct ring_stream *stream = stream_record(ref);
	const struct ring_entry *entry;
	uint64_t number;

	stream_ask(ref);
	if (upto > stream->claimed)
		upto = stream->claimed;
	for (number = window_start(stream); number < upto && walk.budget; number++) {
		walk.budget--;
		entry = queue_entry(ref, number);
		if (entry && entry_is_pending(stream, entry))
			return entry;
	}
	return NULL;
}

/* ---- the walk ---- */

static uint64_t node_hash(const struct node *node)
{
	uint64_t hash = (node->head ^ (uint64_t)node->stream << 44) * UINT64_C(0x9e3779b97f4a7c15);

	return hash ^ hash >> 29;
}

static bool stream_is_stuck(uint32_t ref, uint64_t upto);

static bool record_fits(uint8_t wait_kind, uint8_t record_kind)
{
	switch (wait_kind) {
	case RING_TASK_WAIT:
		return record_kind == RING_TASK_RECORD;
	case RING_TASK_NOTIFY_WAIT:
		return record_kind == RING_TASK_NOTIFY_RECORD;
	case RING_TASK_VALUE_WAIT:
		return record_kind == RING_TASK_VALUE_WRITE;
	}
	return false;
}

/* Is there a pending record of what is waited for that can still come to its turn? */
static bool stream_may_release(uint32_t ref, const struct ring_entry *wait)
{
	const struct ring_stream *stream = stream_record(ref);
	const struct ring_entry *entry;
	uint64_t number;

	if (!stream || stream->state != RING_OBJECT_LIVE || stream->done == stream->claimed)
		return false;
	stream_ask(ref);
	for (number = window_start(stream); number < stream->claimed && walk.budget; number++) {
		walk.budget--;
		entry = queue_entry(ref, number);
		if (!entry || entry->object != wait->object || entry->object_gen != wait->object_gen ||
		    !record_fits(wait->kind, entry->kind) || !entry_is_pending(stream, entry))
			continue;
		/* Later records on the same stream only come after this one. */
		return !stream_is_stuck(ref, number + 1);
	}
	return false;
}

static bool unbound_is_stuck(const struct ring_entry *wait)
{
	uint32_t ref, high = stream_high();

	for (ref = 1; ref <= high; ref++)
		if (stream_may_release(ref, wait))
			return false;
	return walk.budget != 0;
}

static bool bound_is_stuck(const struct ring_entry *wait)
{
	uint32_t ref = RING_POINT_STREAM(wait->bound);
	uint64_t number = RING_POINT_SEQ(wait->bound);
	const struct ring_entry *record;

	if (!ref)
		return true;
	record = queue_entry(ref, number);
	if (record)
		stream_ask(ref);
	if (!record || !entry_is_pending(stream_record(ref), record))
		return false; /* has run, or is long gone: the wait is about to end */
	return stream_is_stuck(ref, number + 1);
}

/*
 * May somebody outside this process's calls act on it: another process, the device, or
 * CANN itself, which makes notifies for its collectives? Then nobody knows whether a
 * release is missing or on its way, and only the stall limit tells.
 */
static bool object_is_open(const struct ring_entry *wait)
{
	const struct ring_object *object = object_record(wait->object);

	if (!object || object->generation != wait->object_gen || object->kind == RING_OBJECT_VALUE)
		return true;
	if (object->flags & (RING_OBJECT_EXPORTED | RING_OBJECT_DEVICE_WRITES | RING_OBJECT_SEEN_LATE))
		return true;
	return object->made_by == RING_MADE_IMPORT || real_is_cann((uintptr_t)object->create_site);
}

/*
 * Time limits, of the wait or of the synchronize, make no difference here: a wait whose
 * release exists nowhere is worth a report also if it gives up by itself later.
 */
static bool head_is_stuck(const struct ring_entry *head)
{
	switch (head->kind) {
	case RING_TASK_WAIT:
	case RING_TASK_NOTIFY_WAIT:
	case RING_TASK_VALUE_WAIT:
		if (object_is_open(head))
			return false;
		return head->flags & RING_ENTRY_ANY_RECORD ? unbound_is_stuck(head) : bound_is_stuck(head);
	default:
		return false; /* work: it may take its time */
	}
}

/* A stream of the path is met again: the ring is what it all hangs on. */
static bool path_closes(uint32_t ref)
{
	uint32_t i, j;

	for (i = 0; i < walk.depth; i++) {
		if (walk.path[i].stream != ref)
			continue;
		for (j = i; j < walk.depth; j++)
			walk.signature ^= node_hash(&walk.path[j]);
		return true;
	}
	return false;
}

static bool stream_is_stuck(uint32_t ref, uint64_t upto)
{
	const struct ring_entry *head;
	uint64_t before = walk.signature;
	struct node *node;
	bool stuck;

	if (!ref || !stream_record(ref) || walk.depth == DEPTH_MOST)
		return false;
	if (path_closes(ref))
		return true;
	if (walk.stuck[ref >> 3 & (STATE_STREAMS / 8 - 1)] & 1 << (ref & 7))
		return true;
	head = stream_head(ref, upto);
	if (!head)
		return false;
	node = &walk.path[walk.depth++];
	node->stream = ref;
	node->head = RING_TAG_NUMBER(head->tag);
	stuck = head_is_stuck(head);
	walk.depth--;
	if (!stuck) {
		walk.signature = before;
		return false;
	}
	/* The end of the chain: a wait that nothing releases. */
	if (walk.signature == before)
		walk.signature ^= node_hash(node);
	bit_test_set(walk.stuck, ref);
	return true;
}

static bool context_is_stuck(uint32_t context, struct suspicion *suspicion)
{
	uint32_t ref, high = stream_high();
	bool stuck = false;

	for (ref = 1; ref <= high; ref++) {
		const struct ring_stream *stream = stream_record(ref);

		if (!stream || stream->state != RING_OBJECT_LIVE || stream->context != context ||
		    !stream_is_stuck(ref, UINT64_MAX))
			continue;
		if (!stuck)
			suspicion->stream = ref;
		stuck = true;
	}
	return stuck;
}

static bool slot_is_stuck(const struct ring_thread *slot, const struct ring_api *row, struct suspicion *suspicion)
{
	uint32_t ref = slot->stream;
	uint64_t upto = UINT64_MAX;

	switch (row->role) {
	case RING_ROLE_SYNC_STREAM:
	case RING_ROLE_STREAM_DESTROY:
		upto = slot->upto;
		break;
	case RING_ROLE_SYNC_EVENT:
		ref = RING_POINT_STREAM(slot->bound);
		upto = RING_POINT_SEQ(slot->bound) + 1;
		break;
	case RING_ROLE_SYNC_DEVICE:
	case RING_ROLE_SYNC_DESTROY:
	case RING_ROLE_DEVICE_SELECT:
	case RING_ROLE_CONTEXT:
		return context_is_stuck(slot->context, suspicion);
	case RING_ROLE_CALLBACK_SERVE:
		return false;
	}
	suspicion->stream = ref;
	return ref && stream_is_stuck(ref, upto);
}

void suspect_look(uint32_t index, struct suspicion *suspicion)
{
	const struct ring_thread *slot = thread_slot(index);
	const struct ring_api *row = slot ? ring_api(slot->api) : NULL;
	const struct ring_entry *head;

	memset(suspicion, 0, sizeof(*suspicion));
	memset(&walk, 0, sizeof(walk));
	walk.budget = BUDGET;
	if (!row)
		return;
	suspicion->structural = slot_is_stuck(slot, row, suspicion) && walk.budget;
	suspicion->signature = walk.signature;
	head = suspicion->stream ? stream_head(suspicion->stream, UINT64_MAX) : NULL;
	if (head)
		suspicion->number = RING_TAG_NUMBER(head->tag);
}

void suspect_ask_all(void)
{
	uint32_t ref, high = stream_high(), asked = 0;

	memset(walk.asked, 0, sizeof(walk.asked));
	for (ref = 1; ref <= high && asked < ASKED_MOST; ref++) {
		const struct ring_stream *stream = stream_record(ref);

		if (!stream || stream->state != RING_OBJECT_LIVE || stream->done == stream->claimed)
			continue;
		stream_ask(ref);
		asked++;
	}
}

static const char *wait_words(const struct ring_entry *head)
{
	switch (head->kind) {
	case RING_TASK_WAIT:
		return "an event wait";
	case RING_TASK_NOTIFY_WAIT:
		return "a notify wait";
	case RING_TASK_VALUE_WAIT:
		return "a value wait";
	case RING_TASK_KERNEL:
		return "a kernel";
	case RING_TASK_COPY:
		return "a copy";
	case RING_TASK_CALLBACK:
		return "a host callback";
	case RING_TASK_COLLECTIVE:
		return "a collective";
	default:
		return "a task";
	}
}

void suspect_describe(uint32_t index, const struct suspicion *suspicion, char *to, uint32_t size)
{
	const struct ring_thread *slot = thread_slot(index);
	const struct ring_api *row = ring_api(slot->api);
	const struct ring_stream *stream = stream_record(suspicion->stream);
	const struct ring_entry *head =
		suspicion->stream ? queue_entry(suspicion->stream, suspicion->number) : NULL;
	uint32_t length;

	length = text_format(to, size, "thread %u has been in %s for %llu s", slot->tid, row ? row->name : "a call",
			     (unsigned long long)((now_mono() - slot->stall_since) / 1000000000u));
	if (!stream || !head)
		return;
	if (stream->stream_id != RING_NONE)
		length += text_format(to + length, size - length, "; stream %u", stream->stream_id);
	else
		length += text_format(to + length, size - length, "; its stream");
	length += text_format(to + length, size - length, " is at %s", wait_words(head));
	if (head->id != RING_NONE)
		length += text_format(to + length, size - length, " (id %u)", head->id);
	if (suspicion->structural)
		text_format(to + length, size - length, " that nothing submitted so far can release");
}
