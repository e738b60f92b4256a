// SPDX-License-Identifier: Apache-2.0
/*
 * Optimistic execution of all queues (graph_reduce.h). Each task is looked at a
 * constant number of times: a stream that stops is put on the list of the one thing
 * it waits for and continued only when that thing happens.
 */
#include "analyzer/diagnose/graph_reduce.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/model/util.h"

static const struct graph_point no_point = { MODEL_NONE, MODEL_NONE };

struct state { /* of one reduction */
	const struct model *model;
	struct reduction *result;
	size_t *first_task;	      /* number of a stream's first task among all tasks */
	uint32_t *task_queue;	      /* per task: first stream that waits for it, + 1 */
	uint32_t *object_queue;	      /* per object: first stream that waits for any record, + 1 */
	uint32_t *next_waiter;	      /* per stream: the next in the same list, + 1 */
	struct graph_point *recorded; /* per object: a record of it that executed */
	size_t *tokens;		      /* per object: notify records that no wait has used up */
	bool *maybe_set;	      /* per object: a record may have executed before */
	bool *granted;		      /* per stream: the wait it stops at was released */
	size_t *ready;		      /* streams to continue */
	size_t ready_count;
};

static bool object_is_notify(const struct model_object *object)
{
	return object->kind == OBJECT_NOTIFY || object->kind == OBJECT_COUNT_NOTIFY;
}

static bool task_is_release(enum task_type type)
{
	return type == TASK_EVENT_RECORD || type == TASK_NOTIFY_RECORD || type == TASK_VALUE_WRITE;
}

static bool at_known_head(const struct model_stream *stream, size_t task)
{
	return stream->head_known && task == 0;
}

/* Appends the stream to a list that starts at *queue. */
static void wait_in(struct state *state, uint32_t *queue, size_t stream)
{
	state->next_waiter[stream] = *queue;
	*queue = (uint32_t)stream + 1;
}

static void grant(struct state *state, size_t stream, struct graph_point by)
{
	state->granted[stream] = true;
	if (state->result->stop[stream] == 0)
		state->result->freed[stream] = by;
	state->ready[state->ready_count++] = stream;
}

static void grant_all(struct state *state, uint32_t *queue, struct graph_point by)
{
	while (*queue) {
		size_t stream = *queue - 1;

		*queue = state->next_waiter[stream];
		grant(state, stream, by);
	}
}

static void grant_one(struct state *state, uint32_t *queue, struct graph_point by)
{
	size_t stream = *queue - 1;

	*queue = state->next_waiter[stream];
	grant(state, stream, by);
}

static void execute_release(struct state *state, struct graph_point at, const struct model_task *task)
{
	size_t object = task->object;

	if (object >= state->model->object_count)
		return;
	state->recorded[object] = at;
	if (!object_is_notify(&state->model->objects[object]))
		grant_all(state, &state->object_queue[object], at);
	else if (state->object_queue[object])
		grant_one(state, &state->object_queue[object], at);
	else
		state->tokens[object]++;
}

/* A wait that is bound to one record: passes if that record is behind us. */
static bool bound_wait_passes(struct state *state, size_t index, const struct model_task *task)
{
	const struct model_stream *stream;
	size_t record;

	if (task->bound_done || task->bound_stream >= state->model->stream_count)
		return true;
	stream = &state->model->streams[task->bound_stream];
	record = stream_find_task(stream, task->bound_seq);
	if (record == MODEL_NONE)
		return true;
	if (state->result->stop[task->bound_stream] > record) {
		if (state->result->stop[index] == 0)
			state->result->freed[index] = (struct graph_point){ task->bound_stream, record };
		return true;
	}
	wait_in(state, &state->task_queue[state->first_task[task->bound_stream] + record], index);
	return false;
}

static bool unbound_wait_passes(struct state *state, size_t index, const struct model_task *task)
{
	const struct model_stream *stream = &state->model->streams[index];
	size_t at = state->result->stop[index];
	size_t object = task->object;

	if (object >= state->model->object_count)
		return !at_known_head(stream, at);
	if (object_is_notify(&state->model->objects[object])) {
		if (state->tokens[object]) {
			state->tokens[object]--;
			if (at == 0)
				state->result->freed[index] = state->recorded[object];
			return true;
		}
	} else if (state->recorded[object].stream != MODEL_NONE) {
		if (at == 0)
			state->result->freed[index] = state->recorded[object];
		return true;
	} else if (state->maybe_set[object] && !at_known_head(stream, at)) {
		return true;
	}
	wait_in(state, &state->object_queue[object], index);
	return false;
}

static bool wait_passes(struct state *state, size_t index, const struct model_task *task)
{
	if (state->granted[index]) {
		state->granted[index] = false;
		return true;
	}
	/* A wait that the runtime may have skipped holds nothing up, unless it is seen to. */
	if (task->certainty == TASK_MAYBE &&
	    !at_known_head(&state->model->streams[index], state->result->stop[index]))
		return true;
	if (task->bound)
		return bound_wait_passes(state, index, task);
	return unbound_wait_passes(state, index, task);
}

static void run_stream(struct state *state, size_t index)
{
	const struct model_stream *stream = &state->model->streams[index];
	size_t *at = &state->result->stop[index];

	while (*at < stream->task_count) {
		const struct model_task *task = &stream->tasks[*at];
		struct graph_point here = { index, *at };

		if (task_is_wait(task) && !wait_passes(state, index, task))
			return;
		(*at)++;
		if (task_is_release(task->type)) {
			execute_release(state, here, task);
			grant_all(state, &state->task_queue[state->first_task[index] + here.task], here);
		}
	}
}

/* What may have happened before the first task that is still known. */
static void seed_objects(struct state *state)
{
	const struct model *model = state->model;
	int64_t *records = xcalloc(model->object_count, sizeof(*records));
	int64_t *waits = xcalloc(model->object_count, sizeof(*waits));
	bool *at_head = xcalloc(model->object_count, sizeof(*at_head));

	for (size_t s = 0; s < model->stream_count; s++) {
		const struct model_stream *stream = &model->streams[s];

		for (size_t t = 0; t < stream->task_count; t++) {
			const struct model_task *task = &stream->tasks[t];

			if (task->object >= model->object_count)
				continue;
			if (task_is_release(task->type))
				records[task->object]++;
			if (!task_is_wait(task))
				continue;
			waits[task->object]++;
			at_head[task->object] |= at_known_head(stream, t);
		}
	}
	for (size_t i = 0; i < model->object_count; i++) {
		const struct model_object *object = &model->objects[i];
		bool counted = object->records != MODEL_UNKNOWN && object->waits != MODEL_UNKNOWN;
		int64_t executed = counted ? object->records - records[i] : 0;

		if (object_is_notify(object)) /* a wait that is seen to stand there found none */
			state->tokens[i] = !at_head[i] && (!counted || executed > object->waits - waits[i]);
		else
			state->maybe_set[i] = object->records != MODEL_UNKNOWN &&
					      object->records > records[i];
	}
	free(records);
	free(waits);
	free(at_head);
}

static void state_init(struct state *state, const struct model *model, struct reduction *reduction)
{
	size_t tasks = 0;

	memset(state, 0, sizeof(*state));
	state->model = model;
	state->result = reduction;
	state->first_task = xcalloc(model->stream_count, sizeof(*state->first_task));
	for (size_t s = 0; s < model->stream_count; s++) {
		state->first_task[s] = tasks;
		tasks += model->streams[s].task_count;
	}
	state->task_queue = xcalloc(tasks, sizeof(*state->task_queue));
	state->object_queue = xcalloc(model->object_count, sizeof(*state->object_queue));
	state->next_waiter = xcalloc(model->stream_count, sizeof(*state->next_waiter));
	state->recorded = xcalloc(model->object_count, sizeof(*state->recorded));
	for (size_t i = 0; i < model->object_count; i++)
		state->recorded[i] = no_point;
	state->tokens = xcalloc(model->object_count, sizeof(*state->tokens));
	state->maybe_set = xcalloc(model->object_count, sizeof(*state->maybe_set));
	state->granted = xcalloc(model->stream_count, sizeof(*state->granted));
	state->ready = xcalloc(model->stream_count, sizeof(*state->ready));
}

static void state_clear(struct state *state)
{
	free(state->first_task);
	free(state->task_queue);
	free(state->object_queue);
	free(state->next_waiter);
	free(state->recorded);
	free(state->tokens);
	free(state->maybe_set);
	free(state->granted);
	free(state->ready);
}

void reduction_run(const struct graph *graph, struct reduction *reduction)
{
	const struct model *model = graph->model;
	struct state state;

	reduction->stop = xcalloc(model->stream_count, sizeof(*reduction->stop));
	reduction->freed = xcalloc(model->stream_count, sizeof(*reduction->freed));
	for (size_t s = 0; s < model->stream_count; s++)
		reduction->freed[s] = no_point;
	state_init(&state, model, reduction);
	seed_objects(&state);
	/*
	 * A stream is in the list at most once: it is put there when the wait it
	 * stands at is released, and stands at one wait only.
	 */
	for (size_t s = 0; s < model->stream_count; s++) {
		run_stream(&state, s);
		while (state.ready_count)
			run_stream(&state, state.ready[--state.ready_count]);
	}
	state_clear(&state);
}

void reduction_clear(struct reduction *reduction)
{
	free(reduction->stop);
	free(reduction->freed);
}
