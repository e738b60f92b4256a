// SPDX-License-Identifier: Apache-2.0
/* From event texts to streams and their tasks (trace_heap.h). Uses model/. */
#include "analyzer/sources/trace_heap.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/model/util.h"

#define TASKS_MAX 65536 /* of one stream */
#define ID_GAP	  64	/* task ids of two threads may cross by less */
#define ID_WRAP	  65536

enum text_kind {
	TEXT_OTHER,
	TEXT_RECORD,
	TEXT_WAIT,
	TEXT_RESET,
	TEXT_NOTIFY_RECORD,
	TEXT_NOTIFY_WAIT,
	TEXT_DONE,
	TEXT_EXECUTED,
};

static const struct {
	const char *prefix;
	enum text_kind kind;
} prefixes[] = {
	{ "eventRecord:", TEXT_RECORD },     { "eventWait:", TEXT_WAIT },
	{ "eventReset:", TEXT_RESET },	     { "notifyRecord:", TEXT_NOTIFY_RECORD },
	{ "notifyWait:", TEXT_NOTIFY_WAIT }, { "CqReport:", TEXT_DONE },
	{ "TryReclyTask:", TEXT_EXECUTED },  { "SendWait:", TEXT_EXECUTED },
};

struct known_object {	      /* beside model.objects, one each */
	int64_t address;      /* as the text names it, MODEL_UNKNOWN: it does not */
	size_t record_stream; /* of the last record, MODEL_NONE none */
	uint64_t record_seq;
};

struct known_stream { /* beside model.streams */
	uint64_t next_seq;
	int64_t last_id;
	uint64_t done_seq; /* tasks below have executed */
};

struct history {
	struct model *model;
	bool complete; /* no text was overwritten or missed */
	bool fresh;    /* the text being read came between the samples */
	struct known_object *objects;
	size_t object_count;
	struct known_stream *streams;
	size_t stream_count;
};

/* The number behind "name=" where name begins a field; decimal or 0x. */
static bool field_number(const char *text, const char *name, int64_t *number)
{
	size_t length = strlen(name);
	const char *at = text;
	char *end;

	while ((at = strstr(at, name))) {
		bool begins = at == text || at[-1] == ',' || at[-1] == ':' || at[-1] == ' ';

		at += length;
		if (!begins || *at != '=')
			continue;
		*number = strtoll(at + 1, &end, 0);
		return end != at + 1 && *number >= 0 && *number < INT64_MAX / 4; /* room to count on */
	}
	return false;
}

static bool field_either(const char *text, const char *name, const char *other, int64_t *number)
{
	return field_number(text, name, number) || field_number(text, other, number);
}

static enum text_kind kind_of(const char *text)
{
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (strncmp(text, prefixes[i].prefix, strlen(prefixes[i].prefix)) == 0)
			return prefixes[i].kind;
	return TEXT_OTHER;
}

static size_t stream_of(struct history *history, int64_t device, int64_t id)
{
	size_t index = model_find_stream(history->model, device, id);
	struct known_stream *known;
	struct model_stream *stream;

	if (index != MODEL_NONE)
		return index;
	stream = model_add_stream(history->model);
	stream->id = id;
	stream->device = device;
	stream->alive = true;
	stream->fresh_seq = UINT64_MAX;
	known = array_add(&history->streams, &history->stream_count, sizeof(*known));
	known->last_id = MODEL_UNKNOWN;
	return history->model->stream_count - 1;
}

/* Ids are given again, to another event at another address: both together name one. */
static size_t object_of(struct history *history, enum object_kind kind, int64_t device, int64_t id,
			int64_t address)
{
	struct model *model = history->model;
	struct known_object *known;
	struct model_object *object;

	for (size_t i = model->object_count; i-- > 0;) {
		if (model->objects[i].kind == kind && model->objects[i].device == device &&
		    model->objects[i].id == id && history->objects[i].address == address)
			return i;
	}
	object = model_add_object(model, kind);
	object->id = id;
	object->device = device;
	object->made_by = kind == OBJECT_NOTIFY ? MADE_NOTIFY : MADE_UNKNOWN;
	object->creation_unseen = kind == OBJECT_NOTIFY || !history->complete;
	object->alive = true;
	object->records = 0;
	object->waits = 0;
	known = array_add(&history->objects, &history->object_count, sizeof(*known));
	known->address = address;
	known->record_stream = MODEL_NONE;
	return model->object_count - 1;
}

/* Task ids count up and wrap; an id that jumps back is of another stream that was given the same number. */
static bool is_another_stream(const struct known_stream *known, int64_t id)
{
	int64_t back;

	if (known->last_id == MODEL_UNKNOWN || id >= known->last_id)
		return false;
	back = known->last_id - id;
	return back > ID_GAP && back < ID_WRAP / 2;
}

static struct model_task *task_add(struct history *history, size_t stream, int64_t id)
{
	struct known_stream *known = &history->streams[stream];
	struct model_task *task;

	if (history->model->streams[stream].task_count >= TASKS_MAX)
		return NULL;
	if (is_another_stream(known, id))
		known->done_seq = known->next_seq;
	/* Kernels, copies and notify waits are not in the feed: ids that were passed over stand for them. */
	if (known->last_id != MODEL_UNKNOWN && id > known->last_id + 1 && id - known->last_id < ID_WRAP / 2) {
		task = model_add_task(&history->model->streams[stream]);
		task->seq = known->next_seq++;
		task->id = known->last_id + 1;
		task->certainty = TASK_CONFIRMED;
		task->origin.source = SOURCE_TRACE_RING;
	}
	task = model_add_task(&history->model->streams[stream]);
	task->seq = known->next_seq++;
	task->id = id;
	task->certainty = TASK_CONFIRMED;
	task->origin.source = SOURCE_TRACE_RING;
	if (history->fresh && history->model->streams[stream].fresh_seq == UINT64_MAX)
		history->model->streams[stream].fresh_seq = task->seq;
	known->last_id = id;
	return task;
}

/* A wait with a record before it is released by that one, whatever kind of event it is. */
static void bind_wait(struct history *history, struct model_task *task)
{
	const struct known_object *known = &history->objects[task->object];
	struct model_object *object = &history->model->objects[task->object];

	object->waits++;
	if (known->record_stream == MODEL_NONE) {
		if (history->complete && object->made_by == MADE_UNKNOWN)
			object->made_by = MADE_SYNC; /* all others make no task of such a wait */
		return;
	}
	task->bound = true;
	task->bound_stream = known->record_stream;
	task->bound_seq = known->record_seq;
}

static void note_object(struct history *history, size_t stream, enum text_kind kind, struct model_task *task)
{
	struct known_object *known = &history->objects[task->object];

	switch (kind) {
	case TEXT_RECORD:
		history->model->objects[task->object].records++;
		known->record_stream = stream;
		known->record_seq = task->seq;
		break;
	case TEXT_NOTIFY_RECORD:
		history->model->objects[task->object].records++;
		break;
	case TEXT_RESET:
		known->record_stream = MODEL_NONE;
		break;
	case TEXT_WAIT:
		bind_wait(history, task);
		break;
	default:
		history->model->objects[task->object].waits++;
	}
}

static void add_text(struct history *history, enum text_kind kind, size_t stream, const char *text)
{
	static const enum task_type types[] = {
		[TEXT_RECORD] = TASK_EVENT_RECORD,     [TEXT_WAIT] = TASK_EVENT_WAIT,
		[TEXT_RESET] = TASK_EVENT_RESET,       [TEXT_NOTIFY_RECORD] = TASK_NOTIFY_RECORD,
		[TEXT_NOTIFY_WAIT] = TASK_NOTIFY_WAIT,
	};
	bool notify = kind == TEXT_NOTIFY_RECORD || kind == TEXT_NOTIFY_WAIT;
	int64_t id, number, address = MODEL_UNKNOWN;
	struct model_task *task;

	if (!field_either(text, "tskId", "taskId", &id))
		return;
	task = task_add(history, stream, id);
	if (!task)
		return;
	task->type = types[kind];
	task->origin.text = xstrdup(text);
	field_number(text, "addr", &address);
	if (field_number(text, "tid", &number))
		task->tid = number;
	if (field_number(text, "timeout", &number) && number > 0) {
		task->timed = true;
		task->timeout_s = number;
	}
	if (!field_number(text, notify ? "notifyId" : "eventId", &number))
		return;
	task->object = object_of(history, notify ? OBJECT_NOTIFY : OBJECT_EVENT,
				 history->model->streams[stream].device, number, address);
	note_object(history, stream, kind, task);
}

static void finish_upto(struct history *history, size_t index, int64_t id)
{
	const struct model_stream *stream = &history->model->streams[index];

	for (size_t i = stream->task_count; i-- > 0;) {
		if (stream->tasks[i].id != id)
			continue;
		if (history->streams[index].done_seq < stream->tasks[i].seq + 1)
			history->streams[index].done_seq = stream->tasks[i].seq + 1;
		return;
	}
}

static void read_text(struct history *history, const char *text)
{
	enum text_kind kind = kind_of(text);
	int64_t device, id, number;
	size_t stream;

	if (kind == TEXT_OTHER || !field_either(text, "devId", "deviceId", &device) ||
	    !field_either(text, "stmId", "streamId", &id))
		return;
	stream = stream_of(history, device, id);
	if (history->fresh && (kind == TEXT_DONE || kind == TEXT_EXECUTED))
		history->model->streams[stream].moved = true;
	if (kind == TEXT_DONE) {
		if (field_either(text, "tskId", "taskId", &number))
			finish_upto(history, stream, number);
	} else if (kind == TEXT_EXECUTED) {
		if (field_either(text, "exeTaskId", "exeTskId", &number))
			finish_upto(history, stream, number);
	} else {
		add_text(history, kind, stream, text);
	}
}

/* Tasks that have executed are no longer in the queue; their objects' counts stay. */
static void drop_finished(struct history *history)
{
	for (size_t s = 0; s < history->model->stream_count; s++) {
		struct model_stream *stream = &history->model->streams[s];
		struct model_task *rest = NULL;
		size_t kept = 0;

		for (size_t i = 0; i < stream->task_count; i++) {
			struct model_task *to = stream->tasks[i].seq < history->streams[s].done_seq
							? model_add_past(stream)
							: array_add(&rest, &kept, sizeof(*rest));

			*to = stream->tasks[i];
		}
		free(stream->tasks);
		stream->tasks = rest;
		stream->task_count = kept;
	}
}

/* A bound record that is behind us releases its wait; one on a stream's known past does too. */
static void settle_bounds(struct history *history)
{
	for (size_t s = 0; s < history->model->stream_count; s++) {
		struct model_stream *stream = &history->model->streams[s];

		for (size_t i = 0; i < stream->task_count; i++) {
			struct model_task *task = &stream->tasks[i];

			if (task->bound && task->bound_stream < history->stream_count)
				task->bound_done = task->bound_seq <
						   history->streams[task->bound_stream].done_seq;
		}
	}
}

static int by_time(const void *one, const void *other)
{
	const struct trace_text *a = *(const struct trace_text *const *)one;
	const struct trace_text *b = *(const struct trace_text *const *)other;

	if (a->stamp != b->stamp)
		return a->stamp < b->stamp ? -1 : 1;
	return (a > b) - (a < b);
}

/* A thread that submitted something meanwhile is not in one call all the time. */
static void wake_threads(struct model *model, const struct trace_text *text)
{
	int64_t tid;
	size_t index;

	if (!field_number(text->text, "tid", &tid))
		return;
	index = model_find_thread(model, tid);
	if (index == MODEL_NONE)
		return;
	model->threads[index].stable = false;
	model->threads[index].overlaps = true;
}

static uint64_t last_stamp(const struct trace_texts *texts)
{
	uint64_t last = 0;

	for (size_t i = 0; i < texts->count; i++)
		if (texts->list[i].stamp > last)
			last = texts->list[i].stamp;
	return last;
}

void trace_heap_to_model(const struct trace_texts *first, const struct trace_texts *last, struct model *model)
{
	struct history history = { .model = model,
				   .complete = !last->wrapped && !last->cut_short && !last->changed };
	const struct trace_text **order = xcalloc(last->count, sizeof(*order));
	uint64_t before = last_stamp(first);

	for (size_t i = 0; i < last->count; i++)
		order[i] = &last->list[i];
	if (last->count)
		qsort(order, last->count, sizeof(*order), by_time);
	for (size_t i = 0; i < last->count; i++) {
		history.fresh = first->count && order[i]->stamp > before;
		if (history.fresh)
			wake_threads(model, order[i]);
		read_text(&history, order[i]->text);
	}
	settle_bounds(&history);
	drop_finished(&history);
	if (last->count) {
		model->sources |= SOURCE_TRACE_RING;
		model->facts.events_complete = history.complete;
	}
	model->facts.before_attach = true;
	free(order);
	free(history.objects);
	free(history.streams);
}
