// SPDX-License-Identifier: Apache-2.0
/* Models by hand (world.h). */
#include "tests/analyzer/world.h"

#include "analyzer/model/util.h"

int failures;

void world_live(struct model *model)
{
	model_init(model);
	model->pid = 100;
	model->host = xstrdup("host");
	model->sources = SOURCE_RING | SOURCE_PROC;
	model->facts.live = true;
	model->facts.threads_complete = true;
	model->facts.signals_known = true;
	model->facts.hal_seen = true;
	add_thread(model, 100, MAKER_PROGRAM);
	add_thread(model, 101, MAKER_CANN);
	add_thread(model, 102, MAKER_CANNWATCH);
}

void world_log(struct model *model)
{
	model_init(model);
	model->sources = SOURCE_SCHEDULE_TRACER;
}

size_t add_stream(struct model *model)
{
	struct model_stream *stream = model_add_stream(model);

	stream->id = (int64_t)model->stream_count + 1;
	stream->device = 0;
	stream->head_known = true;
	if (!model->facts.live)
		stream->is_window = true;
	return model->stream_count - 1;
}

size_t add_object(struct model *model, enum object_kind kind, enum object_made_by made_by)
{
	struct model_object *object = model_add_object(model, kind);

	object->id = (int64_t)model->object_count - 1;
	object->device = 0;
	object->made_by = made_by;
	if (model->facts.live) {
		object->records = 0;
		object->waits = 0;
	}
	return model->object_count - 1;
}

size_t add_thread(struct model *model, int64_t tid, enum thread_maker maker)
{
	struct model_thread *thread = model_add_thread(model, tid);

	thread->maker = maker;
	return model->thread_count - 1;
}

struct model_task *add_task(struct model *model, size_t stream, enum task_type type, size_t object)
{
	struct model_task *task = model_add_task(&model->streams[stream]);

	task->seq = model->streams[stream].task_count - 1;
	task->id = (int64_t)task->seq + 10;
	task->type = type;
	task->certainty = TASK_CONFIRMED;
	task->object = object;
	if (object == MODEL_NONE || !model->facts.live)
		return task;
	if (type == TASK_EVENT_WAIT || type == TASK_NOTIFY_WAIT || type == TASK_VALUE_WAIT)
		model->objects[object].waits++;
	else
		model->objects[object].records++;
	return task;
}

void bind_last(struct model *model, size_t stream, size_t record_stream, size_t record_task)
{
	struct model_task *task = &model->streams[stream].tasks[model->streams[stream].task_count - 1];

	task->bound = true;
	task->bound_stream = record_stream;
	task->bound_seq = model->streams[record_stream].tasks[record_task].seq;
}

void sync_stream(struct model *model, size_t index, size_t stream, double blocked_s)
{
	struct model_thread *thread = &model->threads[index];

	thread->seen_by_shim = true;
	thread->inside = true;
	thread->stable = true;
	thread->role = ROLE_SYNC_STREAM;
	thread->api = "aclrtSynchronizeStream";
	thread->stream = stream;
	thread->timeout_ms = -1;
	thread->blocked_s = blocked_s;
}

enum verdict_class first_class(const struct model *model, double stall_s, struct report *report)
{
	struct diagnose_options options = { .stall_s = stall_s };

	report_init(report, model);
	diagnose_with(model, &options, diagnose_rules, diagnose_rule_count, report);
	return report->count ? report->verdicts[0].class : CLASS_COUNT;
}
