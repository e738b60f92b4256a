// SPDX-License-Identifier: Apache-2.0
/*
 * Source: the runtime's own trace text (schedule_tracer_RUNTIME_*.txt, or the same
 * lines anywhere else) and the submissions in a debug plog. What was submitted
 * becomes tasks of streams, what the runtime says has executed moves to the past.
 */
#include <stdlib.h>

#include "analyzer/model/util.h"
#include "analyzer/sources/log_source.h"

#define TASKS_MAX 4096 /* of one stream; a queue holds at most 2048 */

static const char *const literals[] = { "eventRecord:dev", "eventWait:dev",    "eventReset:dev",
					"notifyWait:dev",  "notifyRecord:dev", "CqReport:dev",
					"TryReclyTask:dev", "SendWait:dev",    NULL };

enum entry_kind {
	ENTRY_RECORD,
	ENTRY_WAIT,
	ENTRY_RESET,
	ENTRY_NOTIFY_WAIT,
	ENTRY_NOTIFY_RECORD,
	ENTRY_DONE,    /* the task has finished */
	ENTRY_EXECUTED, /* the last task the device has executed */
};

static const struct {
	const char *prefix;
	enum entry_kind kind;
} entries[] = {
	{ "eventRecord:", ENTRY_RECORD },	 { "eventWait:", ENTRY_WAIT },
	{ "eventReset:", ENTRY_RESET },	 { "notifyWait:", ENTRY_NOTIFY_WAIT },
	{ "notifyRecord:", ENTRY_NOTIFY_RECORD }, { "CqReport:", ENTRY_DONE },
	{ "TryReclyTask:", ENTRY_EXECUTED },	 { "SendWait:", ENTRY_EXECUTED },
};

struct trace {
	bool spoke;
};

static struct model_stream *stream_of(struct log_file *file, int64_t device, int64_t id)
{
	size_t index = model_find_stream(file->model, device, id);
	struct model_stream *stream;

	if (index != MODEL_NONE)
		return &file->model->streams[index];
	stream = model_add_stream(file->model);
	stream->id = id;
	stream->device = device;
	return stream;
}

static size_t object_of(struct log_file *file, enum object_kind kind, int64_t device, int64_t id)
{
	size_t index = model_find_object(file->model, kind, device, id);
	struct model_object *object;

	if (index != MODEL_NONE)
		return index;
	object = model_add_object(file->model, kind);
	object->id = id;
	object->device = device;
	object->made_by = kind == OBJECT_NOTIFY ? MADE_NOTIFY : MADE_UNKNOWN;
	object->creation_unseen = true;
	return file->model->object_count - 1;
}

static void task_forget(struct model_task *task)
{
	free(task->kernel);
	free(task->site_text);
	free(task->origin.text);
}

/* The first `done` tasks have executed: they move to the past. */
static void finish_first(struct model_stream *stream, size_t done)
{
	struct model_task *rest = NULL;
	size_t count = 0;

	if (!done)
		return;
	for (size_t i = 0; i < done; i++) {
		if (stream->past_count < TASKS_MAX)
			*model_add_past(stream) = stream->tasks[i];
		else
			task_forget(&stream->tasks[i]);
	}
	/* array_add sizes by the count alone: nothing else may shrink such an array in place. */
	for (size_t i = done; i < stream->task_count; i++)
		*(struct model_task *)array_add(&rest, &count, sizeof(*rest)) = stream->tasks[i];
	free(stream->tasks);
	stream->tasks = rest;
	stream->task_count = count;
}

/* Everything up to task `id` has executed. */
static void finish_upto(struct model_stream *stream, int64_t id)
{
	size_t done = 0;

	for (size_t i = 0; i < stream->task_count; i++)
		if (stream->tasks[i].id == id)
			done = i + 1;
	finish_first(stream, done);
}

static int64_t last_id(const struct model_stream *stream)
{
	if (stream->task_count)
		return stream->tasks[stream->task_count - 1].id;
	return stream->past_count ? stream->past[stream->past_count - 1].id : MODEL_UNKNOWN;
}

static struct model_task *add_task(struct model_stream *stream, int64_t id)
{
	uint64_t seq = stream->task_count + stream->past_count;
	int64_t last = last_id(stream);
	struct model_task *task;

	if (stream->task_count >= TASKS_MAX)
		return NULL;
	/* Ids the trace does not mention: kernels, copies and notify waits are not in it. */
	if (last != MODEL_UNKNOWN && id > last + 1 && id < last + TASKS_MAX / 2) {
		task = model_add_task(stream);
		task->seq = seq++;
		task->id = last + 1;
		task->type = TASK_OTHER;
		task->certainty = TASK_CONFIRMED;
	}
	task = model_add_task(stream);
	task->seq = seq;
	task->id = id;
	task->certainty = TASK_CONFIRMED;
	return task;
}

static enum task_type type_of(enum entry_kind kind)
{
	switch (kind) {
	case ENTRY_RECORD:
		return TASK_EVENT_RECORD;
	case ENTRY_WAIT:
		return TASK_EVENT_WAIT;
	case ENTRY_RESET:
		return TASK_EVENT_RESET;
	case ENTRY_NOTIFY_WAIT:
		return TASK_NOTIFY_WAIT;
	default:
		return TASK_NOTIFY_RECORD;
	}
}

static void read_task(struct log_file *file, struct model_stream *stream, enum entry_kind kind,
		      const struct log_line *line, struct span text)
{
	bool is_notify = kind == ENTRY_NOTIFY_WAIT || kind == ENTRY_NOTIFY_RECORD;
	struct model_task *task;
	int64_t id, number;

	if (!span_field_number(text, "tskid\0taskid\0", &id))
		return;
	task = add_task(stream, id);
	if (!task)
		return;
	task->type = type_of(kind);
	task->origin = log_origin(file, SOURCE_TRACE_RING, line, line->text);
	task->origin.text = xstrdup(task->origin.text);
	if (span_field_number(text, is_notify ? "notifyid\0" : "eventid\0", &number))
		task->object = object_of(file, is_notify ? OBJECT_NOTIFY : OBJECT_EVENT, stream->device, number);
	if (span_field_number(text, "tid\0", &number))
		task->tid = number;
	if (span_field_number(text, "timeout\0", &number) && number > 0) {
		task->timed = true;
		task->timeout_s = number;
	}
}

/* The prefix as a word of its own ("ProcLogicCqReport:" is a function), with the device behind it. */
static size_t find_entry(struct span text, const char *prefix)
{
	size_t at = span_find(text, prefix, 0);

	if (at == SIZE_MAX || (at && span_is_word(text.p[at - 1])))
		return SIZE_MAX;
	return span_starts(span_from(text, at + strlen(prefix)), "dev") ? at : SIZE_MAX;
}

static bool read_line(struct log_file *file, void *state, const struct log_line *line, unsigned *want)
{
	struct trace *trace = state;
	int64_t device, id, number;
	struct model_stream *stream;
	struct span text;
	size_t i, at = SIZE_MAX;

	(void)want;
	if (!line->hit)
		return false;
	for (i = 0; i < sizeof(entries) / sizeof(entries[0]) && at == SIZE_MAX; i++)
		at = find_entry(line->text, entries[i].prefix);
	if (at == SIZE_MAX)
		return false;
	i--;
	text = span_from(line->text, at + strlen(entries[i].prefix));
	if (!span_field_number(text, "devid\0deviceid\0", &device) || !span_field_number(text, "stmid\0streamid\0", &id))
		return false;
	stream = stream_of(file, device, id);
	trace->spoke = true;
	switch (entries[i].kind) {
	case ENTRY_DONE:
		if (span_field_number(text, "tskid\0taskid\0", &number))
			finish_upto(stream, number);
		break;
	case ENTRY_EXECUTED:
		if (span_field_number(text, "exetaskid\0", &number))
			finish_upto(stream, number);
		break;
	default:
		read_task(file, stream, entries[i].kind, line, text);
	}
	file->spoke = true;
	file->model->sources |= SOURCE_TRACE_RING;
	return true;
}

/* Whether a record of the object is known to have run. */
static bool is_recorded(const struct model *model, size_t object)
{
	for (size_t i = 0; i < model->stream_count; i++) {
		const struct model_stream *stream = &model->streams[i];

		for (size_t k = 0; k < stream->past_count; k++)
			if (stream->past[k].object == object && (stream->past[k].type == TASK_EVENT_RECORD ||
								 stream->past[k].type == TASK_NOTIFY_RECORD))
				return true;
	}
	return false;
}

/* What stands at a stream's head and cannot block has run: the trace mentions few completions. */
static bool has_run(const struct model *model, const struct model_task *head)
{
	switch (head->type) {
	case TASK_EVENT_RECORD:
	case TASK_EVENT_RESET:
	case TASK_NOTIFY_RECORD:
		return true;
	case TASK_EVENT_WAIT:
		return head->object != MODEL_NONE && is_recorded(model, head->object);
	default:
		return false;
	}
}

static void end(struct log_file *file, void *state)
{
	const struct trace *trace = state;
	bool moved = trace->spoke;

	while (moved) {
		moved = false;
		for (size_t i = 0; i < file->model->stream_count; i++) {
			struct model_stream *stream = &file->model->streams[i];
			size_t count = 0;

			if (stream->is_window)
				continue;
			while (count < stream->task_count && has_run(file->model, &stream->tasks[count]))
				count++;
			finish_first(stream, count);
			moved |= count > 0;
		}
	}
}

const struct log_source runtime_trace_source = {
	.name = "runtime_trace",
	.literals = literals,
	.state_size = sizeof(struct trace),
	.line = read_line,
	.end = end,
};
