// SPDX-License-Identifier: Apache-2.0
/* The common parts of verdicts over the graph (finding.h). Uses model/ and graph.h. */
#include "analyzer/diagnose/finding.h"

#include <stdio.h>
#include <stdlib.h>

#include "analyzer/model/util.h"

#define CHAIN_MAX 256 /* nodes: a longer way is cut, the count says so */

static const struct model_task *blocker_of(const struct diagnosis *diagnosis, size_t stream)
{
	return &diagnosis->model->streams[stream].tasks[diagnosis->graph->streams[stream].blocker];
}

/* Whether the way from this stream to the root passes an event's record. */
static bool passes_event(const struct diagnosis *diagnosis, const struct graph_root *root, size_t stream)
{
	size_t steps = 0;

	while (stream != root->end.stream && steps++ < root->member_count) {
		if (blocker_of(diagnosis, stream)->type == TASK_EVENT_WAIT)
			return true;
		stream = diagnosis->graph->streams[stream].release.stream;
	}
	return false;
}

static double root_age(const struct diagnosis *diagnosis, const struct finding *finding)
{
	const struct model *model = diagnosis->model;
	double head = model->streams[finding->root->end.stream].head_s;
	double thread = finding->thread != MODEL_NONE ? model->threads[finding->thread].blocked_s : -1;

	/* The head's own age is exact; a thread may have waited for tasks before it. */
	if (head >= 0 && finding->root->kind == ROOT_TASK)
		return head;
	if (thread >= 0)
		return thread;
	return head >= 0 ? head : model->streams[finding->stream].head_s;
}

void finding_init(struct finding *finding, const struct diagnosis *diagnosis, const struct graph_root *root)
{
	const struct graph *graph = diagnosis->graph;

	finding->diagnosis = diagnosis;
	finding->root = root;
	finding->thread = MODEL_NONE;
	finding->stream = root->end.stream;
	finding->through_event = false;
	for (size_t i = 0; i < root->observer_count && !finding->through_event; i++) {
		size_t stream = graph->threads[root->observers[i]].stream;
		bool through = passes_event(diagnosis, root, stream);

		if (i && !through)
			continue;
		finding->thread = root->observers[i];
		finding->stream = stream;
		finding->through_event = through;
	}
	if (!root->observer_count) {
		for (size_t i = 0; i < root->member_count && !finding->through_event; i++) {
			bool through = passes_event(diagnosis, root, root->members[i]);

			if (i && !through)
				continue;
			finding->stream = root->members[i];
			finding->through_event = through;
		}
	}
	finding->age_s = root_age(diagnosis, finding);
}

/* Log files hold what somebody saved because it hung; a bare head without age says nothing. */
static bool is_due_in_logs(const struct finding *finding)
{
	return finding->root->kind != ROOT_TASK || finding->root->member_count > 1 || finding->age_s > 0;
}

/* Whether the root was there in both samples. */
static bool root_is_unchanged(const struct finding *finding)
{
	const struct diagnosis *diagnosis = finding->diagnosis;
	const struct graph_root *root = finding->root;
	const struct model_stream *end = finding_end_stream(finding);

	if (end->moved || finding_end_task(finding)->seq >= end->fresh_seq)
		return false;
	for (size_t i = 0; i < root->ring_count; i++) {
		const struct model_stream *stream = &diagnosis->model->streams[root->ring[i]];

		if (stream->moved || blocker_of(diagnosis, root->ring[i])->seq >= stream->fresh_seq)
			return false;
	}
	return true;
}

static const struct model_object *task_object(const struct model *model, const struct model_task *task)
{
	return task->object < model->object_count ? &model->objects[task->object] : NULL;
}

/*
 * Whether only calls of this process can release what a task waits for: not another
 * process, not the device, not CANN itself, which makes notifies for its collectives.
 */
static bool is_released_here(const struct finding *finding, const struct model_task *task)
{
	const struct model_object *object = task_object(finding->diagnosis->model, task);

	if (!object || object->exported || object->made_by == MADE_IPC || object->device_writes ||
	    object->creation_unseen || object->made_by_cann || object->kind == OBJECT_VALUE)
		return false;
	return object->kind == OBJECT_EVENT || !finding->diagnosis->graph->opaque_work;
}

/*
 * Whether the absence of a release is complete knowledge. Where somebody outside the
 * model may release it, or a record is only seen to be gone, only time tells.
 */
static bool release_would_be_seen(const struct finding *finding)
{
	const struct graph_root *root = finding->root;

	for (size_t i = 0; i < root->ring_count; i++)
		if (!is_released_here(finding, blocker_of(finding->diagnosis, root->ring[i])))
			return false;
	if (root->kind != ROOT_WAIT)
		return true;
	return is_released_here(finding, finding_end_task(finding)) &&
	       finding_wait_class(finding) != CLASS_EVENT_WAIT_STUCK &&
	       finding_wait_class(finding) != CLASS_EVENT_RECORD_LOST;
}

bool finding_is_due(const struct finding *finding)
{
	double stall_s = finding->diagnosis->options->stall_s;
	bool observed = finding->root->observer_count > 0;

	if (!root_is_unchanged(finding))
		return false;

	if (finding->diagnosis->model->thread_count == 0)
		return is_due_in_logs(finding);
	if (finding->root->structural && observed && release_would_be_seen(finding))
		return true;
	/* Nobody waits for it, or it may only be slow. */
	return finding->age_s >= 0 && finding->age_s >= stall_s && (observed || stall_s > 0);
}

bool finding_blocks_submit(const struct finding *finding, size_t *thread)
{
	const struct graph_root *root = finding->root;

	for (size_t i = 0; i < root->observer_count; i++) {
		if (finding->diagnosis->model->threads[root->observers[i]].role != ROLE_SUBMIT)
			continue;
		*thread = root->observers[i];
		return true;
	}
	return false;
}

const struct model_stream *finding_end_stream(const struct finding *finding)
{
	return &finding->diagnosis->model->streams[finding->root->end.stream];
}

const struct model_task *finding_end_task(const struct finding *finding)
{
	return &finding_end_stream(finding)->tasks[finding->root->end.task];
}

/* Whether a record of the object may exist that is not in the model. */
static bool record_may_be_unseen(const struct model *model, const struct model_object *object)
{
	return (model->thread_count && model->facts.before_attach && !model->facts.events_complete) ||
	       model->facts.lost ||
	       object->creation_unseen || object->made_by == MADE_IPC;
}

enum verdict_class finding_wait_class(const struct finding *finding)
{
	const struct model_object *object = finding_end_object(finding);

	switch (finding_end_task(finding)->type) {
	case TASK_NOTIFY_WAIT:
		return CLASS_NOTIFY_WAIT_STUCK;
	case TASK_VALUE_WAIT:
		return CLASS_VALUE_WAIT_STUCK;
	default:
		break;
	}
	if (!object || record_may_be_unseen(finding->diagnosis->model, object))
		return CLASS_EVENT_WAIT_STUCK;
	/* None is queued, so those that were submitted have run. */
	if (object->records != MODEL_UNKNOWN && object->records > 0)
		return CLASS_EVENT_RECORD_LOST;
	return CLASS_EVENT_NEVER_RECORDED;
}

enum verdict_class finding_task_class(const struct finding *finding)
{
	size_t thread;

	if (finding_end_task(finding)->type == TASK_CALLBACK)
		return CLASS_CALLBACK_NOT_SERVED;
	if (finding_blocks_submit(finding, &thread))
		return CLASS_SUBMIT_STUCK;
	return finding->through_event ? CLASS_EVENT_RECORD_BLOCKED : CLASS_TASK_STUCK;
}

const struct model_object *finding_end_object(const struct finding *finding)
{
	return task_object(finding->diagnosis->model, finding_end_task(finding));
}

char *site_describe(const char *lead, uint64_t site, const char *text)
{
	if (text)
		return xasprintf("%s%s", lead, text);
	if (site)
		return xasprintf("%s0x%llx", lead, (unsigned long long)site);
	return xstrdup("");
}

char *task_describe(const struct model_task *task)
{
	struct text text = { 0 };

	if (task->id != MODEL_UNKNOWN)
		text_addf(&text, "task %lld (", (long long)task->id);
	else
		text_add(&text, "a task (");
	text_add(&text, task_type_name(task->type));
	if (task->kernel)
		text_addf(&text, " %s", task->kernel);
	text_add(&text, ")");
	return text_take(&text);
}

const char *object_kind_name(const struct model_object *object)
{
	switch (object->kind) {
	case OBJECT_EVENT:
		return "event";
	case OBJECT_NOTIFY:
		return "notify";
	case OBJECT_COUNT_NOTIFY:
		return "count notify";
	case OBJECT_VALUE:
		return "value";
	default:
		return "communicator";
	}
}

char *object_describe(const struct model_object *object, int64_t id)
{
	struct text text = { 0 };
	char *site;

	if (!object)
		return xstrdup("an object that was not seen");
	text_add(&text, object_kind_name(object));
	if (object->kind == OBJECT_VALUE)
		text_addf(&text, " at 0x%llx", (unsigned long long)object->handle);
	else if (id != MODEL_UNKNOWN || object->id != MODEL_UNKNOWN)
		text_addf(&text, " %lld", (long long)(id != MODEL_UNKNOWN ? id : object->id));
	site = site_describe("created at ", object->site, object->site_text);
	if (*site)
		text_addf(&text, " (%s)", site);
	free(site);
	return text_take(&text);
}

char *stream_describe(const struct model *model, size_t stream)
{
	const struct model_stream *record = &model->streams[stream];
	bool several = false;

	if (record->id == MODEL_UNKNOWN)
		return xstrdup(record->is_default ? "the default stream" : "a stream without a task yet");
	/* Stream ids repeat on every device: say which one where there are several. */
	for (size_t i = 0; i < model->stream_count && !several; i++)
		several = model->streams[i].device != record->device &&
			  model->streams[i].device != MODEL_UNKNOWN;
	if (several && record->device != MODEL_UNKNOWN)
		return xasprintf("stream %lld of device %lld", (long long)record->id,
				 (long long)record->device);
	return xasprintf("stream %lld", (long long)record->id);
}

void object_set_id(struct fields *fields, const struct model_object *object, int64_t id)
{
	char address[32];

	if (!object)
		return;
	if (id == MODEL_UNKNOWN)
		id = object->id;
	switch (object->kind) {
	case OBJECT_EVENT:
		fields_set_number(fields, FIELD_EVENT, id);
		break;
	case OBJECT_NOTIFY:
	case OBJECT_COUNT_NOTIFY:
		fields_set_number(fields, FIELD_NOTIFY, id);
		break;
	case OBJECT_VALUE:
		snprintf(address, sizeof(address), "0x%llx", (unsigned long long)object->handle);
		fields_set_text(fields, FIELD_ADDRESS, address);
		break;
	default:
		break;
	}
}

/* The event or notify of a task; its id may be known where the object is not. */
static void task_set_id(struct fields *fields, const struct model *model, const struct model_task *task)
{
	const struct model_object *object = task_object(model, task);

	if (object)
		object_set_id(fields, object, task->object_id);
	else if (task->type == TASK_EVENT_RECORD || task->type == TASK_EVENT_WAIT ||
		 task->type == TASK_EVENT_RESET)
		fields_set_number(fields, FIELD_EVENT, task->object_id);
	else if (task->type == TASK_NOTIFY_RECORD || task->type == TASK_NOTIFY_WAIT)
		fields_set_number(fields, FIELD_NOTIFY, task->object_id);
}

static void set_site(struct fields *node, uint64_t site, const char *text)
{
	char *described = site_describe("", site, text);

	if (*described)
		fields_set_text(node, FIELD_SITE, described);
	free(described);
}

void finding_chain_thread(struct verdict *verdict, const struct model *model, size_t index)
{
	const struct model_thread *thread = &model->threads[index];
	struct fields *node = verdict_chain_add(verdict, "thread");

	fields_set_number(node, FIELD_TID, thread->tid);
	fields_set_text(node, FIELD_NAME, thread->name);
	fields_set_text(node, FIELD_IN, thread->api);
	if (thread->stream < model->stream_count)
		fields_set_number(node, FIELD_STREAM, model->streams[thread->stream].id);
	if (thread->object < model->object_count)
		object_set_id(node, &model->objects[thread->object], MODEL_UNKNOWN);
	if (thread->timeout_ms != -1)
		fields_set_number(node, FIELD_TIMEOUT, thread->timeout_ms);
	set_site(node, thread->site, thread->site_text);
	if (thread->stack_text) {
		char *text = xasprintf("thread %lld: %s", (long long)thread->tid, thread->stack_text);

		verdict_evidence_add(verdict, model_source_name(SOURCE_STACKS), NULL, 0, text);
		free(text);
	}
}

static void chain_task(struct verdict *verdict, const struct model *model, size_t stream, size_t index)
{
	const struct model_stream *record = &model->streams[stream];
	const struct model_task *task = &record->tasks[index];
	struct fields *node = verdict_chain_add(verdict, "stream");

	fields_set_number(node, FIELD_STREAM, record->id);
	fields_set_number(node, FIELD_DEVICE, record->device);
	fields_set_number(node, FIELD_HEAD, record->head_pos);
	fields_set_number(node, FIELD_TASK, task->id);
	fields_set_text(node, FIELD_TYPE, task_type_name(task->type));
	fields_set_text(node, FIELD_KERNEL, task->kernel);
	task_set_id(node, model, task);
	if (task->timed)
		fields_set_number(node, FIELD_TIMEOUT, task->timeout_s);
	set_site(node, task->site, task->site_text);
}

static void chain_object(struct verdict *verdict, const struct model_object *object,
			 const struct model_task *wait)
{
	struct fields *node = verdict_chain_add(verdict, object_kind_name(object));

	object_set_id(node, object, wait->object_id);
	fields_set_text(node, FIELD_MADE_BY, object_made_by_name(object->made_by));
	if (wait->bound || object->made_by != MADE_UNKNOWN)
		fields_set_bool(node, FIELD_BOUND, wait->bound);
	set_site(node, object->site, object->site_text);
}

/* What was seen of this task: a line of a file, or the ring's own words. */
static void add_evidence(struct verdict *verdict, const struct model *model, size_t stream, size_t index)
{
	const struct model_task *task = &model->streams[stream].tasks[index];
	const struct model_origin *origin = &task->origin;
	char *where, *what, *text;

	if (origin->file && origin->file <= model->file_count) {
		verdict_evidence_add(verdict, model_source_name(origin->source),
				     model->files[origin->file - 1], origin->line, origin->text);
		return;
	}
	if (origin->text)
		verdict_evidence_add(verdict, model_source_name(origin->source), NULL, 0, origin->text);
	if (!(model->sources & SOURCE_RING))
		return;
	where = stream_describe(model, stream);
	what = task_describe(task);
	text = xasprintf("%s: %s submitted by %s%s%s", where, what, task->api ? task->api : "a call",
			 model->streams[stream].head_known && index == 0 ? ", now at the head" : "",
			 task->certainty == TASK_CONFIRMED ? ", taken by the driver" : "");
	verdict_evidence_add(verdict, "ring", NULL, 0, text);
	free(where);
	free(what);
	free(text);
}

/* From the stream where the way begins, edge by edge, to the end or once round the ring. */
static void add_chain(const struct finding *finding, struct verdict *verdict)
{
	const struct diagnosis *diagnosis = finding->diagnosis;
	const struct model *model = diagnosis->model;
	size_t steps = finding->root->member_count + 1, stream = finding->stream;
	size_t ring_seen = 0;

	if (finding->thread != MODEL_NONE)
		finding_chain_thread(verdict, model, finding->thread);
	while (steps-- && verdict->chain_count < CHAIN_MAX) {
		const struct graph_stream *at = &diagnosis->graph->streams[stream];
		const struct model_task *task = blocker_of(diagnosis, stream);
		const struct model_object *object = task_object(model, task);

		for (size_t i = 0; i < finding->root->ring_count; i++)
			ring_seen += finding->root->ring[i] == stream;
		chain_task(verdict, model, stream, at->blocker);
		add_evidence(verdict, model, stream, at->blocker);
		if (object && task_is_wait(task))
			chain_object(verdict, object, task);
		if (at->release.stream == MODEL_NONE)
			return;
		if (at->release.task != diagnosis->graph->streams[at->release.stream].blocker) {
			chain_task(verdict, model, at->release.stream, at->release.task);
			add_evidence(verdict, model, at->release.stream, at->release.task);
		}
		if (finding->root->ring_count && ring_seen == finding->root->ring_count)
			return;
		stream = at->release.stream;
	}
}

/* Nothing proves that a task never finishes: the device may still do it. */
static void assume_unfinished(const struct finding *finding, struct verdict *verdict)
{
	const struct model_stream *stream = finding_end_stream(finding);
	char *task = task_describe(finding_end_task(finding));
	char *where = stream_describe(finding->diagnosis->model, finding->root->end.stream);

	verdict->confidence = CONFIDENCE_LIKELY;
	verdict_assume(verdict, "%s of %s does not finish: the device could still do it", task, where);
	if (!stream->head_known) {
		verdict->confidence = CONFIDENCE_POSSIBLE;
		verdict_assume(verdict,
			       "%s is where %s stands: its progress was not seen, only that %zu task%s of it "
			       "are not known to have finished",
			       task, where, stream->task_count, stream->task_count == 1 ? "" : "s");
	}
	if (stream->lost)
		verdict->confidence = CONFIDENCE_POSSIBLE;
	free(task);
	free(where);
}

void finding_blame_task(const struct finding *finding, struct verdict *verdict)
{
	const struct model_task *task = finding_end_task(finding);
	char *site = site_describe(" at ", task->site, task->site_text);

	fields_set_number(&verdict->culprit, FIELD_STREAM, finding_end_stream(finding)->id);
	fields_set_number(&verdict->culprit, FIELD_TASK, task->id);
	fields_set_text(&verdict->culprit, FIELD_KERNEL, task->kernel);
	assume_unfinished(finding, verdict);
	if (*site)
		verdict_next(verdict, "the task was submitted%s: look at that operator and its inputs", site);
	else if (task->kernel)
		verdict_next(verdict, "look at kernel %s and its inputs", task->kernel);
	else
		verdict_next(verdict, "find what this task is: the call that submitted it, or the operator "
				      "dump of the run");
	verdict_next(verdict, "see whether it is only slow: ask again; a longer CANNWATCH_STALL keeps known "
			      "long tasks quiet");
	free(site);
}

static void sooner(double *ends_s, double limit_s, double since_s)
{
	double left = limit_s - (since_s >= 0 ? since_s : 0);

	if (limit_s <= 0)
		return;
	if (left < 0)
		left = 0;
	if (*ends_s < 0 || left < *ends_s)
		*ends_s = left;
}

/* Which time limit in force ends it first: the call's, the wait's or that of kernels. */
static double ends_in(const struct finding *finding)
{
	const struct model *model = finding->diagnosis->model;
	const struct model_stream *stream = finding_end_stream(finding);
	const struct model_task *task = finding_end_task(finding);
	double ends_s = -1;

	if (finding->thread != MODEL_NONE && model->threads[finding->thread].timeout_ms > 0)
		sooner(&ends_s, (double)model->threads[finding->thread].timeout_ms / 1000,
		       model->threads[finding->thread].blocked_s);
	if (task->timed && task->timeout_s > 0)
		sooner(&ends_s, (double)task->timeout_s, stream->head_s >= 0 ? stream->head_s : finding->age_s);
	if (task->type == TASK_KERNEL && stream->head_known)
		sooner(&ends_s, model->facts.op_execute_limit_s, stream->head_s);
	return ends_s;
}

void finding_verdict(const struct finding *finding, enum verdict_class class, struct verdict *verdict)
{
	const struct model *model = finding->diagnosis->model;

	verdict_init(verdict, class, CONFIDENCE_POSSIBLE);
	verdict->blocked_s = finding->age_s;
	verdict->ends_in_s = ends_in(finding);
	fields_set_number(&verdict->culprit, FIELD_RANK, model->rank.global);
	fields_set_number(&verdict->culprit, FIELD_DEVICE, finding_end_stream(finding)->device);
	add_chain(finding, verdict);
}
