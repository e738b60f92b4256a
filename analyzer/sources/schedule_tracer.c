// SPDX-License-Identifier: Apache-2.0
/*
 * Source: the device scheduler's dump (schedule_tracer_ts_*.txt): for every stream a
 * heading with head and tail of its queue, then the entries around them. Becomes
 * streams with the unfinished tasks of the window, and the time-outs that the
 * scheduler wrote above. Any damaged line costs one entry.
 */
#include <stdlib.h>

#include "analyzer/model/util.h"
#include "analyzer/sources/log_source.h"

#define QUEUE_ENTRIES_MAX 8192 /* of one stream; a queue has at most a few thousand */
#define STREAM_FLAG	  0x8000

struct dump {
	bool open;     /* a heading was read */
	size_t stream; /* index into the model */
	int64_t head, tail;
	int64_t device;
	bool saw_entry;
};

static const char *const literals[] = { "rtsq_id=", "sqe_type=", "stars_wait_sqe_is_timeout", NULL };

static enum task_type task_type_of(int64_t sqe_type)
{
	switch (sqe_type) {
	case 0:
		return TASK_KERNEL;
	case 1:
		return TASK_AICPU;
	case 3:
		return TASK_PLACEHOLDER;
	case 4:
		return TASK_EVENT_RECORD;
	case 5:
		return TASK_EVENT_WAIT;
	case 6:
		return TASK_NOTIFY_RECORD;
	case 7:
		return TASK_NOTIFY_WAIT;
	case 8:
		return TASK_EVENT_RESET;
	case 11:
	case 17:
		return TASK_COPY;
	default:
		return TASK_OTHER;
	}
}

static size_t object_of(struct model *model, enum object_kind kind, int64_t device, int64_t id)
{
	size_t index = model_find_object(model, kind, device, id);
	struct model_object *object;

	if (index != MODEL_NONE)
		return index;
	object = model_add_object(model, kind);
	object->id = id;
	object->device = device;
	object->made_by = kind == OBJECT_NOTIFY ? MADE_NOTIFY : MADE_UNKNOWN;
	return model->object_count - 1;
}

static bool number_of(struct span text, const char *names, int64_t *number)
{
	return span_field_number(text, names, number) && *number >= 0;
}

static void queue_forget(struct model_task **tasks, size_t *count)
{
	for (size_t i = 0; i < *count; i++)
		free((*tasks)[i].origin.text);
	free(*tasks);
	*tasks = NULL;
	*count = 0;
}

/* The scheduler's time-out for this stream, if it wrote one above the dump. */
static void set_limit(const struct log_file *file, struct model_stream *stream)
{
	for (size_t i = file->set->count; i-- > 0;) {
		const struct observation *o = &file->set->items[i];

		if (o->kind != OBSERVED_TASK_TIMEOUT || o->origin.file != file->index || o->stream != stream->id ||
		    o->count == MODEL_UNKNOWN)
			continue;
		stream->wait_limit_s = (double)o->count;
		return;
	}
}

/* "stream_id=3, rtsq_id=3, sq_fsm=0x9, cur_wait_time=16, head=47, tail=49, ..." */
static void read_heading(struct log_file *file, struct dump *dump, const struct log_line *line)
{
	int64_t id, head, tail, wait;
	struct model_stream *stream;

	dump->open = false;
	if (number_of(line->text, "pid\0", &wait)) {
		/* Ids of two processes must not be mixed: the first dump is the one that is judged. */
		if (file->model->pid != MODEL_UNKNOWN && file->model->pid != wait)
			return;
		file->model->pid = wait;
	}
	if (!number_of(line->text, "streamid\0", &id) || !number_of(line->text, "head\0", &head) ||
	    !number_of(line->text, "tail\0", &tail))
		return;
	id &= ~(int64_t)STREAM_FLAG;
	/* A later dump of the same stream replaces the earlier one. */
	dump->stream = model_find_stream(file->model, dump->device, id);
	if (dump->stream == MODEL_NONE) {
		model_add_stream(file->model);
		dump->stream = file->model->stream_count - 1;
	}
	stream = &file->model->streams[dump->stream];
	stream->id = id;
	stream->device = dump->device;
	stream->is_window = true;
	stream->head_pos = head;
	stream->head_known = false;
	queue_forget(&stream->tasks, &stream->task_count);
	queue_forget(&stream->past, &stream->past_count);
	if (number_of(line->text, "curwaittime\0", &wait) && wait > 0)
		stream->head_s = (double)wait;
	set_limit(file, stream);
	dump->head = head;
	dump->tail = tail;
	dump->open = true;
	log_origin(file, SOURCE_SCHEDULE_TRACER, line, line->text);
}

/* Whether the queue, which wraps, has position pos between head and tail. */
static bool is_pending(const struct dump *dump, int64_t pos)
{
	if (dump->head <= dump->tail)
		return pos >= dump->head && pos < dump->tail;
	return pos >= dump->head || pos < dump->tail;
}

static void set_object(struct log_file *file, const struct dump *dump, struct model_task *task, struct span text)
{
	int64_t id;
	bool is_event = task->type == TASK_EVENT_RECORD || task->type == TASK_EVENT_WAIT ||
			task->type == TASK_EVENT_RESET;
	bool is_notify = task->type == TASK_NOTIFY_RECORD || task->type == TASK_NOTIFY_WAIT;

	if (is_event && number_of(text, "eventid\0", &id))
		task->object = object_of(file->model, OBJECT_EVENT, dump->device, id);
	else if (is_notify && number_of(text, "notifyid\0", &id))
		task->object = object_of(file->model, OBJECT_NOTIFY, dump->device, id);
}

/* "pos=47: stream_id=3, task_id=47, sqe_type=5, Event Wait, event_id=1" */
static void read_entry(struct log_file *file, struct dump *dump, const struct log_line *line)
{
	struct model_stream *stream = &file->model->streams[dump->stream];
	int64_t pos, id, task_id, type;
	struct model_task *task;
	bool pending;

	if (!number_of(line->text, "pos\0", &pos) || !number_of(line->text, "sqetype\0", &type) ||
	    !number_of(line->text, "streamid\0", &id) || (id & ~(int64_t)STREAM_FLAG) != stream->id)
		return;
	if (stream->task_count + stream->past_count >= QUEUE_ENTRIES_MAX)
		return;
	pending = is_pending(dump, pos);
	task = pending ? model_add_task(stream) : model_add_past(stream);
	/* Positions wrap; the order counts on from the head. */
	task->seq = (uint64_t)(pending && pos < dump->head ? pos + (1 << 20) : pos);
	if (number_of(line->text, "taskid\0", &task_id))
		task->id = task_id;
	task->type = task_type_of(type);
	task->certainty = TASK_CONFIRMED;
	task->origin = log_origin(file, SOURCE_SCHEDULE_TRACER, line, line->text);
	task->origin.text = xstrdup(task->origin.text); /* the task owns it */
	set_object(file, dump, task, line->text);
	if (pending && pos == dump->head) {
		stream->head_known = true;
		if (task->type == TASK_EVENT_WAIT || task->type == TASK_NOTIFY_WAIT)
			task->timed = stream->wait_limit_s > 0;
	}
}

/* "... stars_wait_sqe_is_timeout: Timeout: ..., exe_time=16, time_out=10, stream_id=3, task_id=47, ..." */
static void read_timeout(struct log_file *file, struct dump *dump, const struct log_line *line)
{
	struct observation o;
	int64_t number;

	observation_init(&o, OBSERVED_TASK_TIMEOUT);
	o.level = LEVEL_ERROR;
	o.origin = log_origin(file, SOURCE_SCHEDULE_TRACER, line, line->text);
	log_time_find(file, line->text, 120, &o.time_us);
	o.device = dump->device;
	o.rank = file->rank;
	if (number_of(line->text, "streamid\0", &number))
		o.stream = number & ~(int64_t)STREAM_FLAG;
	if (number_of(line->text, "taskid\0", &number))
		o.task = number;
	if (number_of(line->text, "exetime\0", &number))
		o.number = number;
	if (number_of(line->text, "timeout\0", &number))
		o.count = number;
	if (number_of(line->text, "sqpid\0", &number))
		o.pid = number;
	observations_add(file->set, &o);
}

static bool read_line(struct log_file *file, void *state, const struct log_line *line, unsigned *want)
{
	struct dump *dump = state;

	(void)want;
	if (!line->hit)
		return false;
	dump->device = file->device;
	if (span_has(line->text, "rtsq_id=") && span_has(line->text, "sq_fsm=")) {
		read_heading(file, dump, line);
		return true;
	}
	if (span_has(line->text, "sqe_type=") && span_has(line->text, "pos=") && !span_has(line->text, "Task run failed")) {
		if (dump->open)
			read_entry(file, dump, line);
		return true;
	}
	if (span_has(line->text, "stars_wait_sqe_is_timeout") && span_has(line->text, "Timeout:")) {
		read_timeout(file, dump, line);
		return true;
	}
	return false;
}

static int compare_tasks(const void *a, const void *b)
{
	const struct model_task *x = a, *y = b;

	return (x->seq > y->seq) - (x->seq < y->seq);
}

static void end(struct log_file *file, void *state)
{
	(void)state;
	/* Entries of a wrapped queue stand in position order, not in queue order. */
	for (size_t i = 0; i < file->model->stream_count; i++) {
		struct model_stream *stream = &file->model->streams[i];

		if (stream->is_window && stream->task_count)
			qsort(stream->tasks, stream->task_count, sizeof(*stream->tasks), compare_tasks);
	}
}

const struct log_source schedule_tracer_source = {
	.name = "schedule_tracer",
	.literals = literals,
	.state_size = sizeof(struct dump),
	.line = read_line,
	.end = end,
};
