// SPDX-License-Identifier: Apache-2.0
/* Building the wait-for graph (graph.h). Uses model/ and graph_reduce.h. */
#include "analyzer/diagnose/graph.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/diagnose/graph_reduce.h"
#include "analyzer/model/util.h"

static const struct graph_point no_point = { MODEL_NONE, MODEL_NONE };

bool task_is_wait(const struct model_task *task)
{
	return task->type == TASK_EVENT_WAIT || task->type == TASK_NOTIFY_WAIT ||
	       task->type == TASK_VALUE_WAIT;
}

bool task_is_unbound_wait(const struct model_task *task)
{
	return task_is_wait(task) && !task->bound;
}

size_t stream_find_task(const struct model_stream *stream, uint64_t seq)
{
	size_t low = 0, high = stream->task_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (stream->tasks[middle].seq < seq)
			low = middle + 1;
		else
			high = middle;
	}
	return low < stream->task_count && stream->tasks[low].seq == seq ? low : MODEL_NONE;
}

bool thread_is_waiting(const struct model_thread *thread)
{
	if (!thread->inside || !thread->stable || thread->overlaps)
		return false;
	switch (thread->role) {
	case ROLE_SYNC_STREAM:
	case ROLE_SYNC_EVENT:
	case ROLE_SYNC_DEVICE:
	case ROLE_SYNC_OTHER:
	case ROLE_SUBMIT:
		return true;
	default:
		return false;
	}
}

static bool is_release(const struct model *model, const struct model_task *task)
{
	return task->object < model->object_count &&
	       (task->type == TASK_EVENT_RECORD || task->type == TASK_NOTIFY_RECORD ||
		task->type == TASK_VALUE_WRITE);
}

static bool is_opaque(enum task_type type)
{
	return type == TASK_AICPU || type == TASK_MODEL || type == TASK_COLLECTIVE;
}

/* Sorts the pending releases by object: count, then fill. */
static void index_releases(struct graph *graph)
{
	const struct model *model = graph->model;
	size_t *start = xcalloc(model->object_count + 2, sizeof(*start));

	for (size_t s = 0; s < model->stream_count; s++) {
		for (size_t t = 0; t < model->streams[s].task_count; t++) {
			graph->opaque_work |= is_opaque(model->streams[s].tasks[t].type);
			if (is_release(model, &model->streams[s].tasks[t]))
				start[model->streams[s].tasks[t].object + 2]++;
		}
	}
	for (size_t i = 0; i < model->object_count; i++)
		start[i + 2] += start[i + 1];
	graph->releases = xcalloc(start[model->object_count + 1], sizeof(*graph->releases));
	for (size_t s = 0; s < model->stream_count; s++)
		for (size_t t = 0; t < model->streams[s].task_count; t++)
			if (is_release(model, &model->streams[s].tasks[t]))
				graph->releases[start[model->streams[s].tasks[t].object + 1]++] =
					(struct graph_point){ s, t };
	graph->release_start = start;
}

/*
 * Where a stream stands: what the device executes if that is known, else where it
 * must come to a stop, else the oldest task not known to be finished.
 */
static void place_stream(struct graph *graph, const struct reduction *reduction, size_t index)
{
	const struct model_stream *stream = &graph->model->streams[index];
	struct graph_stream *node = &graph->streams[index];
	size_t stop = reduction->stop[index];

	node->blocker = MODEL_NONE;
	node->release = no_point;
	node->root = MODEL_NONE;
	if (stream->task_count == 0)
		return;
	if (stream->head_known || stop == stream->task_count)
		node->blocker = 0;
	else
		node->blocker = stop;
	node->structural = node->blocker == stop;
	/* Nothing known to be unfinished lies before it, and it cannot have got past. */
	node->certain = stream->head_known || (node->structural && stop == 0);
}

struct choice { /* of the record that waits on one object wait for */
	struct graph_point release;
	size_t count;
	bool made;
};

/*
 * The record that structural waits on an object wait for. Of several, one whose stream
 * stands at a structural wait itself explains most: the others cannot help either.
 */
static const struct choice *choose_release(const struct graph *graph, const struct reduction *reduction,
					   struct choice *choices, size_t object)
{
	struct choice *choice = &choices[object];

	if (choice->made)
		return choice;
	choice->made = true;
	choice->release = no_point;
	for (size_t i = graph->release_start[object]; i < graph->release_start[object + 1]; i++) {
		struct graph_point at = graph->releases[i];

		if (at.task < reduction->stop[at.stream]) /* used up by another wait */
			continue;
		choice->count++;
		if (choice->release.stream == MODEL_NONE ||
		    (!graph->streams[choice->release.stream].structural &&
		     graph->streams[at.stream].structural))
			choice->release = at;
	}
	return choice;
}

static void link_stream(struct graph *graph, const struct reduction *reduction, struct choice *choices,
			size_t index)
{
	struct graph_stream *node = &graph->streams[index];
	const struct model_task *task;

	if (node->blocker == MODEL_NONE)
		return;
	task = &graph->model->streams[index].tasks[node->blocker];
	if (!task_is_wait(task))
		return;
	if (!node->structural) {
		node->release = reduction->freed[index];
		node->releases = node->release.stream != MODEL_NONE;
		if (!node->releases) /* its release is behind us: it moves on */
			node->blocker = MODEL_NONE;
		return;
	}
	if (task->bound) {
		node->release.stream = task->bound_stream;
		node->release.task = stream_find_task(&graph->model->streams[task->bound_stream],
						      task->bound_seq);
		node->releases = 1;
		return;
	}
	if (task->object < graph->model->object_count) {
		const struct choice *choice = choose_release(graph, reduction, choices, task->object);

		node->release = choice->release;
		node->releases = choice->count;
	}
}

static struct graph_root *add_root(struct graph *graph, enum root_kind kind, size_t stream)
{
	struct graph_root *root = array_add(&graph->roots, &graph->root_count, sizeof(*root));
	const struct graph_stream *node = &graph->streams[stream];

	root->kind = kind;
	root->end = (struct graph_point){ stream, node->blocker };
	root->structural = kind != ROOT_TASK && node->structural;
	return root;
}

static void add_index(size_t **list, size_t *count, size_t index)
{
	size_t *slot = array_add(list, count, sizeof(*slot));

	*slot = index;
}

/* What the end of a path is: a root of its own, one that is known, or nothing that is stuck. */
static size_t end_of_path(struct graph *graph, size_t last)
{
	const struct graph_stream *node = &graph->streams[last];
	const struct model_task *task;

	if (node->blocker == MODEL_NONE)
		return MODEL_NONE;
	task = &graph->model->streams[last].tasks[node->blocker];
	add_root(graph, task_is_wait(task) ? ROOT_WAIT : ROOT_TASK, last);
	return graph->root_count - 1;
}

static size_t close_ring(struct graph *graph, const size_t *path, size_t count, size_t first)
{
	struct graph_root *root;
	size_t from = count;

	while (from > 0 && path[from - 1] != first)
		from--;
	root = add_root(graph, ROOT_CYCLE, first);
	for (size_t i = from - 1; i < count; i++) {
		root->structural &= graph->streams[path[i]].structural;
		add_index(&root->ring, &root->ring_count, path[i]);
	}
	return graph->root_count - 1;
}

/* Follows the one edge out of each stream; every stream is walked once. */
static void find_roots(struct graph *graph)
{
	enum { FRESH, ON_PATH, DONE };
	size_t count = graph->model->stream_count;
	unsigned char *mark = xcalloc(count, 1);
	size_t *path = xcalloc(count, sizeof(*path));

	for (size_t s = 0; s < count; s++) {
		size_t length = 0, at = s, root;

		while (mark[at] == FRESH) {
			mark[at] = ON_PATH;
			path[length++] = at;
			if (graph->streams[at].blocker == MODEL_NONE ||
			    graph->streams[at].release.stream == MODEL_NONE)
				break;
			at = graph->streams[at].release.stream;
		}
		if (length == 0)
			continue;
		if (mark[at] == DONE)
			root = graph->streams[at].root;
		else if (graph->streams[at].release.stream != MODEL_NONE)
			root = close_ring(graph, path, length, at);
		else
			root = end_of_path(graph, at);
		for (size_t i = 0; i < length; i++) {
			mark[path[i]] = DONE;
			graph->streams[path[i]].root = root;
		}
	}
	free(mark);
	free(path);
	for (size_t s = 0; s < count; s++) {
		struct graph_root *root;

		if (graph->streams[s].root == MODEL_NONE)
			continue;
		root = &graph->roots[graph->streams[s].root];
		add_index(&root->members, &root->member_count, s);
	}
}

/* Whether a call that waits for all tasks below upto is held up by this stream. */
static bool holds_up(const struct graph *graph, size_t stream, uint64_t upto)
{
	const struct graph_stream *node = &graph->streams[stream];

	return node->root != MODEL_NONE && node->blocker != MODEL_NONE &&
	       graph->model->streams[stream].tasks[node->blocker].seq < upto;
}

/* The first stream of a context (or device) that does not move; one stuck for good before a busy one. */
static size_t stuck_stream_of(const struct graph *graph, const struct model_thread *thread)
{
	const struct model *model = graph->model;
	size_t best = MODEL_NONE;

	for (size_t s = 0; s < model->stream_count; s++) {
		if (thread->context != MODEL_NONE && model->streams[s].context != thread->context)
			continue;
		if (!holds_up(graph, s, UINT64_MAX))
			continue;
		if (best == MODEL_NONE || (!graph->roots[graph->streams[best].root].structural &&
					   graph->roots[graph->streams[s].root].structural))
			best = s;
	}
	return best;
}

static bool thread_submitted_to(const struct graph *graph, const struct model_thread *thread, size_t stream)
{
	const struct model_stream *record = &graph->model->streams[stream];

	for (size_t i = 0; i < record->task_count; i++)
		if (record->tasks[i].tid == thread->tid)
			return true;
	return false;
}

/*
 * A call that waits for a stream, its stack does not say for which. Only streams that are
 * stuck for good count; one that the thread handed work to itself comes first, and a call
 * that hands over work can only be held up by such a one.
 */
static size_t likely_stream_of(const struct graph *graph, const struct model_thread *thread)
{
	size_t other = MODEL_NONE;

	for (size_t s = 0; s < graph->model->stream_count; s++) {
		if (!holds_up(graph, s, UINT64_MAX) || !graph->roots[graph->streams[s].root].structural)
			continue;
		if (thread_submitted_to(graph, thread, s))
			return s;
		if (other == MODEL_NONE)
			other = s;
	}
	return thread->role == ROLE_SUBMIT ? MODEL_NONE : other;
}

static void place_thread(struct graph *graph, size_t index)
{
	const struct model *model = graph->model;
	const struct model_thread *thread = &model->threads[index];
	struct graph_thread *node = &graph->threads[index];
	uint64_t upto = UINT64_MAX;

	node->stream = MODEL_NONE;
	node->root = MODEL_NONE;
	if (!thread_is_waiting(thread))
		return;
	if (thread->any_stream) {
		node->stream = likely_stream_of(graph, thread);
		if (node->stream != MODEL_NONE)
			node->root = graph->streams[node->stream].root;
		return;
	}
	switch (thread->role) {
	case ROLE_SYNC_EVENT:
		node->stream = thread->bound_stream;
		if (node->stream < model->stream_count &&
		    thread->bound_task < model->streams[node->stream].task_count)
			upto = model->streams[node->stream].tasks[thread->bound_task].seq + 1;
		else
			node->stream = MODEL_NONE;
		break;
	case ROLE_SYNC_DEVICE:
		node->stream = stuck_stream_of(graph, thread);
		break;
	case ROLE_SYNC_OTHER:
		node->stream = thread->stream < model->stream_count ? thread->stream
								    : stuck_stream_of(graph, thread);
		break;
	case ROLE_SYNC_STREAM:
		upto = thread->upto;
		node->stream = thread->stream;
		break;
	default:
		node->stream = thread->stream;
	}
	if (node->stream >= model->stream_count) {
		node->stream = MODEL_NONE;
		return;
	}
	if (holds_up(graph, node->stream, upto))
		node->root = graph->streams[node->stream].root;
}

/* The best witness first: the main thread, then one that waits for ever, then the smallest id. */
static bool better_witness(const struct model *model, size_t one, size_t other)
{
	const struct model_thread *a = &model->threads[one], *b = &model->threads[other];

	if ((a->tid == model->pid) != (b->tid == model->pid))
		return a->tid == model->pid;
	if ((a->timeout_ms == -1) != (b->timeout_ms == -1))
		return a->timeout_ms == -1;
	return a->tid < b->tid;
}

static void add_observers(struct graph *graph)
{
	for (size_t i = 0; i < graph->model->thread_count; i++) {
		struct graph_root *root;

		if (graph->threads[i].root == MODEL_NONE)
			continue;
		root = &graph->roots[graph->threads[i].root];
		add_index(&root->observers, &root->observer_count, i);
		if (better_witness(graph->model, i, root->observers[0])) {
			root->observers[root->observer_count - 1] = root->observers[0];
			root->observers[0] = i;
		}
	}
}

struct graph *graph_build(const struct model *model)
{
	struct graph *graph = xcalloc(1, sizeof(*graph));
	struct choice *choices = xcalloc(model->object_count, sizeof(*choices));
	struct reduction reduction;

	graph->model = model;
	graph->streams = xcalloc(model->stream_count, sizeof(*graph->streams));
	graph->threads = xcalloc(model->thread_count, sizeof(*graph->threads));
	index_releases(graph);
	reduction_run(graph, &reduction);
	for (size_t s = 0; s < model->stream_count; s++)
		place_stream(graph, &reduction, s);
	for (size_t s = 0; s < model->stream_count; s++)
		link_stream(graph, &reduction, choices, s);
	free(choices);
	reduction_clear(&reduction);
	find_roots(graph);
	for (size_t i = 0; i < model->thread_count; i++)
		place_thread(graph, i);
	add_observers(graph);
	return graph;
}

void graph_free(struct graph *graph)
{
	if (!graph)
		return;
	for (size_t i = 0; i < graph->root_count; i++) {
		free(graph->roots[i].members);
		free(graph->roots[i].ring);
		free(graph->roots[i].observers);
	}
	free(graph->roots);
	free(graph->streams);
	free(graph->threads);
	free(graph->releases);
	free(graph->release_start);
	free(graph);
}
