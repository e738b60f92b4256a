// SPDX-License-Identifier: Apache-2.0
/* From the ring's records to the model (ring.h). Uses model/ and shm/ring_reader.h, ring_api.h. */
#include "analyzer/sources/ring.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/model/util.h"
#include "analyzer/sources/api_role.h"
#include "shm/ring_api.h"

#define PAST_KEPT	   16			/* finished entries per stream */
#define HEAD_FRESH_NS	   UINT64_C(2000000000) /* an answer of the driver is the present that long */
#define ACL_EVENT_SYNC	   0x01u
#define ACL_EVENT_EXTERNAL 0x20u
#define ACL_EVENT_IPC	   0x40u

struct ring_map { /* of one translation */
	const struct ring_source *source;
	struct model *model;
	const struct ring_snapshot *ring;
	size_t *streams; /* ref - 1 -> index, MODEL_NONE */
	size_t *objects;
	size_t *contexts;
	bool same_table;   /* api numbers mean what we think */
	uint64_t harmless; /* lost entries that are known to be finished by now */
	uint64_t asked_site; /* whose code it is: */
	bool asked_cann;
};

static size_t map_ref(const size_t *map, size_t count, uint32_t ref)
{
	return ref && ref <= count ? map[ref - 1] : MODEL_NONE;
}

static size_t stream_of(const struct ring_map *map, uint32_t ref)
{
	return map_ref(map->streams, map->ring->stream_count, ref);
}

static int64_t known(uint32_t number)
{
	return number == RING_NONE ? MODEL_UNKNOWN : (int64_t)number;
}

static double seconds_since(const struct ring_map *map, uint64_t mono)
{
	return mono && mono <= map->ring->taken_mono ? (double)(map->ring->taken_mono - mono) / 1e9 : -1;
}

static const struct ring_api *api_row(const struct ring_map *map, uint16_t api)
{
	return map->same_table ? ring_api(api) : NULL;
}

/* Contexts. */

static void add_contexts(struct ring_map *map)
{
	for (size_t i = 0; i < map->ring->context_count; i++) {
		const struct ring_context *from = &map->ring->contexts[i];
		struct model_context *context;

		map->contexts[i] = MODEL_NONE;
		if (from->state == RING_OBJECT_FREE)
			continue;
		context = model_add_context(map->model);
		context->device = known(from->device);
		context->primary = from->flags & RING_CONTEXT_PRIMARY;
		context->handle = from->handle;
		map->contexts[i] = map->model->context_count - 1;
	}
}

/* Objects. */

static bool object_kind_of(uint8_t from, enum object_kind *kind)
{
	switch (from) {
	case RING_OBJECT_EVENT:
		*kind = OBJECT_EVENT;
		return true;
	case RING_OBJECT_NOTIFY:
		*kind = OBJECT_NOTIFY;
		return true;
	case RING_OBJECT_COUNT_NOTIFY:
		*kind = OBJECT_COUNT_NOTIFY;
		return true;
	case RING_OBJECT_VALUE:
		*kind = OBJECT_VALUE;
		return true;
	case RING_OBJECT_COMM:
		*kind = OBJECT_COMM;
		return true;
	default:
		return false;
	}
}

/* What decides which record a wait is bound to: the creating call and its flags. */
static enum object_made_by made_by_of(const struct ring_object *from)
{
	if (from->kind == RING_OBJECT_NOTIFY || from->kind == RING_OBJECT_COUNT_NOTIFY)
		return MADE_NOTIFY;
	switch (from->made_by) {
	case RING_MADE_PLAIN:
		return MADE_PLAIN;
	case RING_MADE_FLAG:
		if (from->create_flags & ACL_EVENT_EXTERNAL)
			return MADE_EXTERNAL;
		return from->create_flags & ACL_EVENT_SYNC ? MADE_SYNC : MADE_PLAIN;
	case RING_MADE_EX:
		return from->create_flags & ACL_EVENT_IPC ? MADE_IPC : MADE_EX;
	case RING_MADE_IMPORT:
		return MADE_IPC;
	default:
		return MADE_UNKNOWN;
	}
}

/* Many objects come from few places: the last answer is kept. */
static bool is_cann_code(struct ring_map *map, uint64_t site)
{
	if (!site || !map->source->owner)
		return false;
	if (site != map->asked_site) {
		map->asked_site = site;
		map->asked_cann = map->source->owner(map->source->context, site) == MAKER_CANN;
	}
	return map->asked_cann;
}

static void add_objects(struct ring_map *map)
{
	for (size_t i = 0; i < map->ring->object_count; i++) {
		const struct ring_object *from = &map->ring->objects[i];
		struct model_object *object;
		enum object_kind kind;

		map->objects[i] = MODEL_NONE;
		if (from->state == RING_OBJECT_FREE || !object_kind_of(from->kind, &kind))
			continue;
		object = model_add_object(map->model, kind);
		object->made_by = made_by_of(from);
		object->id = known(from->id);
		object->device = known(from->device);
		object->handle = from->handle;
		object->alive = from->state == RING_OBJECT_LIVE;
		object->exported = (from->flags & RING_OBJECT_EXPORTED) || from->made_by == RING_MADE_IMPORT;
		object->device_writes = from->flags & RING_OBJECT_DEVICE_WRITES;
		object->creation_unseen = from->flags & RING_OBJECT_SEEN_LATE;
		object->made_by_cann = is_cann_code(map, from->create_site);
		object->records = from->records;
		object->waits = from->waits;
		object->site = from->create_site;
		map->objects[i] = map->model->object_count - 1;
	}
}

/* A reference with its generation: an object that was made anew in the same place is another one. */
static size_t object_of(const struct ring_map *map, uint32_t ref, uint32_t generation)
{
	size_t index = map_ref(map->objects, map->ring->object_count, ref);

	if (index == MODEL_NONE || map->ring->objects[ref - 1].generation != generation)
		return MODEL_NONE;
	return index;
}

/* Streams. */

static void add_streams(struct ring_map *map)
{
	for (size_t i = 0; i < map->ring->stream_count; i++) {
		const struct ring_stream *from = &map->ring->streams[i];
		struct model_stream *stream;

		map->streams[i] = MODEL_NONE;
		if (from->state == RING_OBJECT_FREE)
			continue;
		stream = model_add_stream(map->model);
		stream->id = known(from->stream_id);
		stream->device = known(from->device);
		stream->context = map_ref(map->contexts, map->ring->context_count, from->context);
		stream->handle = from->handle;
		stream->alive = from->state == RING_OBJECT_LIVE;
		stream->is_default = from->flags & RING_STREAM_DEFAULT;
		stream->capturing = from->flags & RING_STREAM_CAPTURING;
		stream->unordered = from->flags & RING_STREAM_UNORDERED;
		stream->head_pos = known(from->sq_head);
		stream->head_s = seconds_since(map, from->head_since);
		stream->site = from->create_site;
		map->streams[i] = map->model->stream_count - 1;
	}
}

static const struct ring_stream *same_stream_before(const struct ring_map *map, size_t index)
{
	const struct ring_snapshot *first = map->source->first;

	if (!first || index >= first->stream_count ||
	    first->streams[index].generation != map->ring->streams[index].generation)
		return NULL;
	return &first->streams[index];
}

static void compare_stream(const struct ring_map *map, size_t index, struct model_stream *stream)
{
	const struct ring_stream *now = &map->ring->streams[index];
	const struct ring_stream *before = same_stream_before(map, index);

	if (!map->source->first)
		return;
	if (!before) {
		stream->fresh_seq = 0;
		return;
	}
	stream->fresh_seq = before->claimed;
	stream->moved = before->done != now->done || before->executed_task != now->executed_task ||
			(before->sq_head != RING_NONE && before->sq_head != now->sq_head);
}

/* Entries of one queue. */

static enum task_type task_type_of(uint8_t kind)
{
	switch (kind) {
	case RING_TASK_KERNEL:
		return TASK_KERNEL;
	case RING_TASK_COPY:
		return TASK_COPY;
	case RING_TASK_RECORD:
		return TASK_EVENT_RECORD;
	case RING_TASK_WAIT:
		return TASK_EVENT_WAIT;
	case RING_TASK_RESET:
		return TASK_EVENT_RESET;
	case RING_TASK_NOTIFY_RECORD:
		return TASK_NOTIFY_RECORD;
	case RING_TASK_NOTIFY_WAIT:
		return TASK_NOTIFY_WAIT;
	case RING_TASK_VALUE_WRITE:
		return TASK_VALUE_WRITE;
	case RING_TASK_VALUE_WAIT:
		return TASK_VALUE_WAIT;
	case RING_TASK_CALLBACK:
		return TASK_CALLBACK;
	case RING_TASK_MODEL:
		return TASK_MODEL;
	case RING_TASK_COLLECTIVE:
		return TASK_COLLECTIVE;
	default:
		return TASK_OTHER;
	}
}

/* An Ex or IPC event without a record: the runtime makes no task of such a wait. */
static bool is_silent_wait(const struct ring_map *map, const struct ring_entry *entry)
{
	size_t object;

	if (entry->kind != RING_TASK_WAIT || entry->bound ||
	    (entry->flags & (RING_ENTRY_ANY_RECORD | RING_ENTRY_CONFIRMED)))
		return false;
	object = object_of(map, entry->object, entry->object_gen);
	if (object == MODEL_NONE)
		return false;
	return map->model->objects[object].made_by == MADE_EX ||
	       map->model->objects[object].made_by == MADE_IPC;
}

static bool entry_is_task(const struct ring_map *map, const struct ring_entry *entry)
{
	uint32_t state = RING_TAG_STATE(entry->tag);

	if (state != RING_ENTRY_CLAIMED && state != RING_ENTRY_COMMITTED)
		return false;
	if (entry->flags & (RING_ENTRY_NO_TASK | RING_ENTRY_CAPTURED))
		return false;
	return !is_silent_wait(map, entry);
}

/* Where the record is that a wait is bound to. A record of a stream that is gone has run. */
static void set_bound(const struct ring_map *map, const struct ring_entry *entry, struct model_task *task)
{
	uint32_t ref = RING_POINT_STREAM(entry->bound);
	uint64_t seq = RING_POINT_SEQ(entry->bound);
	const struct ring_stream *stream;

	if (entry->kind != RING_TASK_WAIT || (entry->flags & RING_ENTRY_ANY_RECORD) || !entry->bound)
		return;
	task->bound = true;
	task->bound_stream = stream_of(map, ref);
	task->bound_seq = seq;
	if (task->bound_stream == MODEL_NONE) {
		task->bound_done = true;
		return;
	}
	stream = &map->ring->streams[ref - 1];
	task->bound_done = seq < stream->done || seq < stream->base_seq;
}

/*
 * Whether the entry became a task. Without the HAL it is open for waits that the
 * runtime may skip: the record was reclaimed, or an Ex wait on its record's stream.
 */
static enum task_certainty certainty_of(const struct ring_map *map, const struct ring_entry *entry,
					const struct model_task *task, size_t stream)
{
	if (entry->flags & RING_ENTRY_CONFIRMED)
		return TASK_CONFIRMED;
	if (RING_TAG_STATE(entry->tag) == RING_ENTRY_CLAIMED)
		return TASK_CLAIMED;
	if (task->bound && (task->bound_done || task->bound_stream == stream))
		return TASK_MAYBE;
	return TASK_ASSUMED;
}

static const char *name_at(const struct ring_map *map, uint32_t name)
{
	return name && name <= map->ring->names_bytes ? map->ring->names + name - 1 : NULL;
}

static void fill_task(const struct ring_map *map, const struct ring_entry *entry, size_t stream,
		      struct model_task *task)
{
	const struct ring_api *row = api_row(map, entry->api);
	const char *name = name_at(map, entry->name);

	task->seq = RING_TAG_NUMBER(entry->tag);
	task->id = known(entry->task);
	task->type = task_type_of(entry->kind);
	task->object = object_of(map, entry->object, entry->object_gen);
	task->object_id = known(entry->id);
	set_bound(map, entry, task);
	task->certainty = certainty_of(map, entry, task, stream);
	task->timed = entry->flags & RING_ENTRY_TIMED;
	if (task->timed)
		task->timeout_s = entry->timeout_s;
	task->tid = entry->tid ? (int64_t)entry->tid : MODEL_UNKNOWN;
	task->api = row ? row->name : NULL;
	if (name && *name)
		task->kernel = xstrdup(name);
	task->site = entry->return_address;
	task->origin.source = SOURCE_RING;
}

/*
 * The oldest entry that is not finished, as an index into the queue. Known from
 * results that the program got (done), from the driver's answer (sq_head) and from
 * the trace feed (executed_task). Positions and task ids wrap: so the entries are
 * walked from the newest, whose distance to the head is known, to older ones.
 */
static size_t first_unfinished(const struct ring_stream *stream, const struct ring_queue *queue)
{
	uint32_t depth = stream->sq_depth, ahead = 0, steps = 0;
	bool by_head = stream->sq_head != RING_NONE && stream->last_pos != RING_NONE && depth != RING_NONE &&
		       depth > 1 && stream->sq_head < depth && stream->last_pos < depth;
	bool by_task = stream->executed_task != RING_NONE && stream->last_task != RING_NONE;
	uint32_t tasks_ahead = by_task ? (stream->last_task - stream->executed_task) & 0xffff : 0;
	size_t at = queue->count;

	if (by_head) /* queued from the head on; one place of a queue always stays free */
		ahead = (stream->last_pos + 1 + depth - stream->sq_head) % depth;
	while (at > 0) {
		const struct ring_entry *entry = &queue->entries[at - 1];
		bool confirmed = entry->flags & RING_ENTRY_CONFIRMED;

		if (RING_TAG_NUMBER(entry->tag) < stream->done)
			break;
		if (by_head && confirmed && entry->pos < depth) {
			uint32_t distance = (stream->last_pos + depth - entry->pos) % depth;

			if (distance >= ahead || distance < steps)
				break;
			steps = distance;
		}
		if (by_task && confirmed && entry->task != RING_NONE &&
		    ((stream->last_task - entry->task) & 0xffff) >= tasks_ahead &&
		    stream->last_task - entry->task < 0x8000)
			break;
		at--;
	}
	return at;
}

/*
 * Entries that are gone though they may not be finished. Where an older entry is
 * there and known to be finished, nothing is missing, whatever was lost before.
 */
static uint64_t missing_entries(const struct ring_stream *stream, const struct ring_queue *queue,
				size_t first)
{
	uint64_t oldest = stream->done > stream->base_seq ? stream->done : stream->base_seq;
	uint64_t gap = 0;

	if (first > 0)
		return 0;
	if (queue->first_kept > oldest && stream->claimed > oldest)
		gap = queue->first_kept - oldest;
	return gap > stream->lost ? gap : stream->lost;
}

static bool entry_waits_or_records(const struct ring_entry *entry)
{
	switch (entry->kind) {
	case RING_TASK_WAIT:
	case RING_TASK_NOTIFY_WAIT:
	case RING_TASK_VALUE_WAIT:
	case RING_TASK_RECORD:
	case RING_TASK_NOTIFY_RECORD:
	case RING_TASK_VALUE_WRITE:
		return RING_TAG_STATE(entry->tag) == RING_ENTRY_COMMITTED && (entry->flags & RING_ENTRY_CAPTURED);
	default:
		return false;
	}
}

/*
 * The execution of a captured graph stands for what was captured: its waits and records
 * follow it in the queue, as if the stream did them itself. Where among them the graph
 * is, nobody knows, so that the head's position no longer names one task.
 */
static void add_graph(struct ring_map *map, const struct ring_entry *execution, size_t number)
{
	struct model_stream *stream = &map->model->streams[number];
	uint32_t ref = execution->object, from;
	const struct ring_object *graph;
	const struct ring_queue *queue;
	uint64_t first;

	if (execution->kind != RING_TASK_MODEL || !ref || ref > map->ring->object_count)
		return;
	graph = &map->ring->objects[ref - 1];
	from = RING_POINT_STREAM(graph->last_record);
	if (graph->kind != RING_OBJECT_GRAPH || graph->generation != execution->object_gen || !from ||
	    from > map->ring->stream_count)
		return;
	queue = &map->ring->queues[from - 1];
	first = RING_POINT_SEQ(graph->last_record);
	for (size_t i = 0; i < queue->count; i++) {
		const struct ring_entry *entry = &queue->entries[i];
		struct model_task *task;

		if (RING_TAG_NUMBER(entry->tag) < first || RING_TAG_NUMBER(entry->tag) - first >= graph->create_flags ||
		    !entry_waits_or_records(entry))
			continue;
		if (stream->task_count == 1)
			stream->head_known = false;
		task = model_add_task(stream);
		fill_task(map, entry, number, task);
		task->seq = RING_TAG_NUMBER(execution->tag);
		task->id = MODEL_UNKNOWN;
		task->bound = false;
		task->certainty = TASK_ASSUMED;
	}
}

static bool head_is_fresh(const struct ring_map *map, const struct ring_stream *stream)
{
	return stream->sq_head != RING_NONE && stream->sq_depth != RING_NONE && stream->sq_head_mono &&
	       stream->sq_head_mono + HEAD_FRESH_NS >= map->ring->taken_mono;
}

static void add_queue(struct ring_map *map, size_t index)
{
	const struct ring_stream *from = &map->ring->streams[index];
	const struct ring_queue *queue = &map->ring->queues[index];
	size_t number = map->streams[index], first;
	struct model_stream *stream;

	if (number == MODEL_NONE)
		return;
	stream = &map->model->streams[number];
	compare_stream(map, index, stream);
	first = first_unfinished(from, queue);
	stream->lost = missing_entries(from, queue, first);
	if (!stream->lost)
		map->harmless += from->lost;
	stream->head_known = head_is_fresh(map, from);
	for (size_t i = first > PAST_KEPT ? first - PAST_KEPT : 0; i < first; i++)
		if (entry_is_task(map, &queue->entries[i]))
			fill_task(map, &queue->entries[i], number, model_add_past(stream));
	for (size_t i = first; i < queue->count; i++) {
		if (RING_TAG_NUMBER(queue->entries[i].tag) < from->base_seq ||
		    !entry_is_task(map, &queue->entries[i]))
			continue;
		fill_task(map, &queue->entries[i], number, model_add_task(stream));
		add_graph(map, &queue->entries[i], number);
	}
}

/* Threads. */

static const struct ring_thread *same_thread(const struct ring_snapshot *ring, const struct ring_thread *like)
{
	for (size_t i = 0; i < ring->thread_count; i++)
		if (ring->threads[i].tid == like->tid &&
		    ring->threads[i].registered_mono == like->registered_mono)
			return &ring->threads[i];
	return NULL;
}

/* Where the two copies of its slot agree or differ. */
static void compare_thread(const struct ring_map *map, const struct ring_thread *now,
			   struct model_thread *thread)
{
	const struct ring_thread *before;

	if (!map->source->first) {
		thread->stable = thread->inside;
		return;
	}
	before = same_thread(map->source->first, now);
	thread->overlaps = !before || before->seq != now->seq;
	thread->stable = thread->inside && !thread->overlaps;
}

static void set_bound_record(const struct ring_map *map, const struct ring_thread *from,
			     struct model_thread *thread)
{
	size_t stream = stream_of(map, RING_POINT_STREAM(from->bound));
	const struct model_stream *record;

	if (!from->bound || stream == MODEL_NONE)
		return;
	record = &map->model->streams[stream];
	for (size_t i = 0; i < record->task_count; i++) {
		if (record->tasks[i].seq != RING_POINT_SEQ(from->bound))
			continue;
		thread->bound_stream = stream;
		thread->bound_task = i;
	}
}

static double blocked_seconds(const struct ring_map *map, const struct ring_thread *from,
			      const struct model_thread *thread)
{
	if (from->stall_since && from->stall_seq == from->seq)
		return seconds_since(map, from->stall_since);
	if (thread->stable && map->source->first)
		return seconds_since(map, map->source->first->taken_mono);
	return -1;
}

static void fill_call(const struct ring_map *map, const struct ring_thread *from, struct model_thread *thread)
{
	const struct ring_api *row = api_row(map, from->api);

	thread->context = map_ref(map->contexts, map->ring->context_count, from->context);
	thread->stream = stream_of(map, from->stream);
	thread->object = object_of(map, from->object, from->object_gen);
	thread->upto = from->upto;
	thread->site = from->return_address;
	thread->blocked_s = blocked_seconds(map, from, thread);
	set_bound_record(map, from, thread);
	if (!row)
		return;
	thread->api = row->name;
	thread->role = api_role(row);
	if (thread->role != ROLE_SYNC_STREAM)
		thread->upto = UINT64_MAX;
	if (from->flags & RING_THREAD_TIMED)
		thread->timeout_ms = from->timeout;
	else
		thread->timeout_ms = row->timeout_arg >= 0 && from->timeout >= 0 ? from->timeout : -1;
}

static void add_threads(struct ring_map *map)
{
	for (size_t i = 0; i < map->ring->thread_count; i++) {
		const struct ring_thread *from = &map->ring->threads[i];
		struct model_thread *thread;
		size_t index;

		if (from->flags & RING_THREAD_EXITED)
			continue;
		index = model_find_thread(map->model, from->tid);
		if (index == MODEL_NONE && map->source->live)
			continue;
		thread = index == MODEL_NONE ? model_add_thread(map->model, from->tid)
					     : &map->model->threads[index];
		thread->seen_by_shim = true;
		thread->inside = (from->seq & 1) && from->left_seq != from->seq;
		compare_thread(map, from, thread);
		if (thread->inside)
			fill_call(map, from, thread);
	}
}

/* CANN's own only if CANN made it and it runs CANN's code: a helper may start a routine of the program's. */
static enum thread_maker maker_of(const struct ring_map *map, const struct ring_maker *maker)
{
	enum thread_maker owner = map->source->owner(map->source->context, maker->caller);

	if (owner == MAKER_CANN && map->source->owner(map->source->context, maker->routine) != MAKER_CANN)
		return MAKER_PROGRAM;
	return owner;
}

/* Who made each thread. Of two records of one id the later is the living thread's. */
static void set_makers(struct ring_map *map)
{
	uint64_t *made = xcalloc(map->model->thread_count, sizeof(*made));

	for (size_t i = 0; i < map->ring->maker_count; i++) {
		const struct ring_maker *maker = &map->ring->makers[i];
		size_t index = model_find_thread(map->model, maker->tid);

		if (index == MODEL_NONE || maker->made_mono < made[index] || !map->source->owner)
			continue;
		made[index] = maker->made_mono;
		map->model->threads[index].maker = maker_of(map, maker);
	}
	for (size_t i = 0; i < map->model->thread_count; i++) {
		struct model_thread *thread = &map->model->threads[i];

		if (thread->tid == map->ring->header.pid)
			thread->maker = MAKER_PROGRAM;
		else if (thread->tid == map->ring->header.shim_tid)
			thread->maker = MAKER_CANNWATCH;
	}
	free(made);
}

static void set_facts(struct ring_map *map)
{
	const struct ring_counts *counts = &map->ring->header.counts;
	struct model_facts *facts = &map->model->facts;

	facts->callbacks = counts->callbacks;
	facts->exports = counts->exports;
	facts->collectives = counts->collectives;
	facts->device_writers = counts->aicpu_tasks;
	facts->captures = counts->captures;
	facts->lost = (uint64_t)counts->lost_threads + counts->lost_streams + counts->lost_objects +
		      map->ring->torn + map->ring->dropped;
	if (counts->lost_entries > map->harmless)
		facts->lost += counts->lost_entries - map->harmless;
	facts->unattributed = counts->unattributed_tasks;
	facts->hal_tasks = counts->hal_tasks;
	facts->hal_seen = counts->hal_tasks > 0;
	facts->op_execute_limit_s = map->ring->header.op_execute_timeout_ms / 1000.0;
}

static void set_identity(struct ring_map *map)
{
	const struct ring_header *header = &map->ring->header;
	struct model *model = map->model;

	if (model->pid == MODEL_UNKNOWN)
		model->pid = header->pid;
	if (!model->command && header->command[0])
		model->command = xstrdup(header->command);
	if (header->rank_source[0]) {
		model->rank.source = xstrdup(header->rank_source);
		if (header->rank_global >= 0)
			model->rank.global = header->rank_global;
		if (header->rank_local >= 0)
			model->rank.local = header->rank_local;
		if (header->world_size > 0)
			model->rank.world = header->world_size;
	}
}

void ring_to_model(const struct ring_source *source, struct model *model)
{
	struct ring_map map = {
		.source = source,
		.model = model,
		.ring = source->last,
		.streams = xcalloc(source->last->stream_count, sizeof(size_t)),
		.objects = xcalloc(source->last->object_count, sizeof(size_t)),
		.contexts = xcalloc(source->last->context_count, sizeof(size_t)),
		.same_table = source->last->header.api_table == ring_api_table(),
	};

	model->sources |= SOURCE_RING;
	set_identity(&map);
	add_contexts(&map);
	add_objects(&map);
	add_streams(&map);
	for (size_t i = 0; i < map.ring->stream_count; i++)
		add_queue(&map, i);
	set_facts(&map);
	add_threads(&map);
	set_makers(&map);
	free(map.streams);
	free(map.objects);
	free(map.contexts);
}
