// SPDX-License-Identifier: Apache-2.0
/* Building and freeing the model (model.h). Uses util.h only. */
#include "analyzer/model/model.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/model/observation.h"
#include "analyzer/model/util.h"

void model_init(struct model *model)
{
	memset(model, 0, sizeof(*model));
	model->pid = MODEL_UNKNOWN;
	model->rank.global = MODEL_UNKNOWN;
	model->rank.local = MODEL_UNKNOWN;
	model->rank.world = MODEL_UNKNOWN;
}

static void tasks_free(struct model_task *tasks, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(tasks[i].kernel);
		free(tasks[i].site_text);
		free(tasks[i].origin.text);
	}
	free(tasks);
}

void model_clear(struct model *model)
{
	observations_free(model->observations);
	for (size_t i = 0; i < model->thread_count; i++) {
		free(model->threads[i].name);
		free(model->threads[i].site_text);
		free(model->threads[i].stack_text);
		free(model->threads[i].stack_reason);
	}
	free(model->threads);
	for (size_t i = 0; i < model->stream_count; i++) {
		tasks_free(model->streams[i].tasks, model->streams[i].task_count);
		tasks_free(model->streams[i].past, model->streams[i].past_count);
		free(model->streams[i].site_text);
	}
	free(model->streams);
	for (size_t i = 0; i < model->object_count; i++)
		free(model->objects[i].site_text);
	free(model->objects);
	free(model->contexts);
	for (size_t i = 0; i < model->file_count; i++)
		free(model->files[i]);
	free(model->files);
	free(model->host);
	free(model->command);
	free(model->rank.source);
	model_init(model);
}

struct model_thread *model_add_thread(struct model *model, int64_t tid)
{
	struct model_thread *thread = array_add(&model->threads, &model->thread_count, sizeof(*thread));

	thread->tid = tid;
	thread->stream = MODEL_NONE;
	thread->object = MODEL_NONE;
	thread->context = MODEL_NONE;
	thread->upto = UINT64_MAX;
	thread->bound_task = MODEL_NONE;
	thread->bound_stream = MODEL_NONE;
	thread->timeout_ms = MODEL_UNKNOWN;
	thread->blocked_s = -1;
	return thread;
}

struct model_stream *model_add_stream(struct model *model)
{
	struct model_stream *stream = array_add(&model->streams, &model->stream_count, sizeof(*stream));

	stream->id = MODEL_UNKNOWN;
	stream->device = MODEL_UNKNOWN;
	stream->context = MODEL_NONE;
	stream->alive = true;
	stream->head_pos = MODEL_UNKNOWN;
	stream->head_s = -1;
	stream->wait_limit_s = -1;
	stream->fresh_seq = UINT64_MAX;
	return stream;
}

struct model_object *model_add_object(struct model *model, enum object_kind kind)
{
	struct model_object *object = array_add(&model->objects, &model->object_count, sizeof(*object));

	object->kind = kind;
	object->id = MODEL_UNKNOWN;
	object->device = MODEL_UNKNOWN;
	object->alive = true;
	object->records = MODEL_UNKNOWN;
	object->waits = MODEL_UNKNOWN;
	return object;
}

struct model_context *model_add_context(struct model *model)
{
	struct model_context *context = array_add(&model->contexts, &model->context_count, sizeof(*context));

	context->device = MODEL_UNKNOWN;
	return context;
}

static struct model_task *task_init(struct model_task *task)
{
	task->id = MODEL_UNKNOWN;
	task->certainty = TASK_ASSUMED;
	task->object = MODEL_NONE;
	task->object_id = MODEL_UNKNOWN;
	task->bound_stream = MODEL_NONE;
	task->tid = MODEL_UNKNOWN;
	task->timeout_s = MODEL_UNKNOWN;
	return task;
}

struct model_task *model_add_task(struct model_stream *stream)
{
	return task_init(array_add(&stream->tasks, &stream->task_count, sizeof(*stream->tasks)));
}

struct model_task *model_add_past(struct model_stream *stream)
{
	return task_init(array_add(&stream->past, &stream->past_count, sizeof(*stream->past)));
}

uint32_t model_add_file(struct model *model, const char *name)
{
	char **slot;

	/* The last one first: sources add one file's facts in a row. */
	for (size_t i = model->file_count; i-- > 0;)
		if (strcmp(model->files[i], name) == 0)
			return (uint32_t)i + 1;
	slot = array_add(&model->files, &model->file_count, sizeof(*slot));
	*slot = xstrdup(name);
	return (uint32_t)model->file_count;
}

size_t model_find_thread(const struct model *model, int64_t tid)
{
	for (size_t i = 0; i < model->thread_count; i++)
		if (model->threads[i].tid == tid)
			return i;
	return MODEL_NONE;
}

size_t model_find_stream(const struct model *model, int64_t device, int64_t id)
{
	for (size_t i = 0; i < model->stream_count; i++)
		if (model->streams[i].id == id && model->streams[i].device == device)
			return i;
	return MODEL_NONE;
}

size_t model_find_object(const struct model *model, enum object_kind kind, int64_t device, int64_t id)
{
	for (size_t i = 0; i < model->object_count; i++)
		if (model->objects[i].kind == kind && model->objects[i].id == id &&
		    model->objects[i].device == device)
			return i;
	return MODEL_NONE;
}

const char *model_source_name(uint32_t bit)
{
	switch (bit) {
	case SOURCE_RING:
		return "ring";
	case SOURCE_STACKS:
		return "stacks";
	case SOURCE_PLOG:
		return "plog";
	case SOURCE_SCHEDULE_TRACER:
		return "schedule_tracer";
	case SOURCE_TRACE_RING:
		return "trace_ring";
	case SOURCE_SCREEN:
		return "screen";
	case SOURCE_STACK_TEXT:
		return "stack_text";
	case SOURCE_DEVICE_LOG:
		return "device_log";
	case SOURCE_COMPILE_TRACE:
		return "compile_trace";
	case SOURCE_PROC:
		return "proc";
	case SOURCE_BPF:
		return "bpf";
	default:
		return "unknown";
	}
}

const char *task_type_name(enum task_type type)
{
	static const char *const names[] = {
		[TASK_OTHER] = "other",
		[TASK_KERNEL] = "kernel",
		[TASK_AICPU] = "aicpu",
		[TASK_COPY] = "copy",
		[TASK_EVENT_RECORD] = "event-record",
		[TASK_EVENT_WAIT] = "event-wait",
		[TASK_EVENT_RESET] = "event-reset",
		[TASK_NOTIFY_RECORD] = "notify-record",
		[TASK_NOTIFY_WAIT] = "notify-wait",
		[TASK_VALUE_WRITE] = "value-write",
		[TASK_VALUE_WAIT] = "value-wait",
		[TASK_CALLBACK] = "callback",
		[TASK_MODEL] = "model",
		[TASK_COLLECTIVE] = "collective",
		[TASK_PLACEHOLDER] = "placeholder",
	};

	return type < sizeof(names) / sizeof(names[0]) ? names[type] : "other";
}

const char *object_made_by_name(enum object_made_by made_by)
{
	static const char *const names[] = {
		[MADE_UNKNOWN] = NULL,	      [MADE_PLAIN] = "plain", [MADE_SYNC] = "sync",
		[MADE_EXTERNAL] = "external", [MADE_EX] = "ex",	      [MADE_IPC] = "ipc",
		[MADE_NOTIFY] = "notify",
	};

	return made_by < sizeof(names) / sizeof(names[0]) ? names[made_by] : NULL;
}
