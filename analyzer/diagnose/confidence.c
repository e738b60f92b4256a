// SPDX-License-Identifier: Apache-2.0
/*
 * The conditions of "proven" (confidence.h). The closed set is the root's own streams
 * plus everything that the program's threads wait for without a time limit: if each
 * thread sits in a structural wait of that set, none of them can act again.
 */
#include "analyzer/diagnose/confidence.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/model/util.h"

#define THREADS_NAMED 3 /* in one sentence; the rest is counted */

struct proof {
	const struct model *model;
	const struct graph *graph;
	const struct graph_root *root;
	struct verdict *verdict;
	bool *member; /* per stream: in the closed set */
	bool unbound; /* a member's wait may be released by any record */
};

static bool thread_may_act(const struct model_thread *thread)
{
	return thread->maker == MAKER_PROGRAM || thread->maker == MAKER_UNKNOWN;
}

/* Whether it is known what the call waits for; one for a whole context, or a slow submission, may end sooner. */
static bool wait_is_exact(const struct model_thread *thread)
{
	if (thread->role == ROLE_SYNC_OTHER) /* of these only this one names the one stream it waits for */
		return thread->stream != MODEL_NONE && thread->api &&
		       strncmp(thread->api, "aclrtDestroyStream", 18) == 0;
	return thread->role == ROLE_SYNC_STREAM || thread->role == ROLE_SYNC_EVENT;
}

/* In a wait of the set that has no time limit and that nothing inside the model ends. */
static bool thread_is_closed_in(const struct proof *proof, size_t index)
{
	const struct model_thread *thread = &proof->model->threads[index];
	size_t root = proof->graph->threads[index].root;

	return thread_is_waiting(thread) && wait_is_exact(thread) && thread->timeout_ms == -1 && root != MODEL_NONE &&
	       proof->graph->roots[root].structural;
}

static void add_path(struct proof *proof, size_t stream)
{
	while (stream != MODEL_NONE && !proof->member[stream] &&
	       proof->graph->streams[stream].blocker != MODEL_NONE) {
		proof->member[stream] = true;
		stream = proof->graph->streams[stream].release.stream;
	}
}

static const struct model_task *member_task(const struct proof *proof, size_t stream)
{
	return &proof->model->streams[stream].tasks[proof->graph->streams[stream].blocker];
}

static const struct model_object *member_object(const struct proof *proof, size_t stream)
{
	size_t object = member_task(proof, stream)->object;

	return object < proof->model->object_count ? &proof->model->objects[object] : NULL;
}

static void proof_init(struct proof *proof)
{
	proof->member = xcalloc(proof->model->stream_count, sizeof(*proof->member));
	add_path(proof, proof->root->end.stream);
	for (size_t i = 0; i < proof->model->thread_count; i++)
		if (thread_is_closed_in(proof, i))
			add_path(proof, proof->graph->threads[i].stream);
	for (size_t s = 0; s < proof->model->stream_count; s++)
		if (proof->member[s] && task_is_unbound_wait(member_task(proof, s)))
			proof->unbound = true;
}

/* (1) Every edge is real: the waits were seen as tasks, at their place in the queue. */
static bool edges_are_real(struct proof *proof)
{
	const struct model *model = proof->model;
	bool holds = true;

	if (!model->facts.live) {
		verdict_assume(proof->verdict, "nothing has changed since what was read was written");
		holds = false;
	}
	if (!model->facts.hal_seen) {
		verdict_assume(proof->verdict, "every call that returned success handed over its task: "
					       "the driver's border was not seen");
		holds = false;
	}
	for (size_t s = 0; s < model->stream_count; s++) {
		const struct model_stream *stream = &model->streams[s];

		if (!proof->member[s])
			continue;
		if (model->facts.hal_seen && member_task(proof, s)->certainty == TASK_ASSUMED) {
			verdict_assume(proof->verdict, "the wait on stream %lld became a task of the device",
				       (long long)stream->id);
			holds = false;
		}
		if (!proof->graph->streams[s].certain) {
			verdict_assume(proof->verdict,
				       "the tasks before the wait on stream %lld have finished",
				       (long long)stream->id);
			holds = false;
		}
		if (stream->unordered) {
			verdict_assume(proof->verdict,
				       "stream %lld runs its tasks in the order in which the "
				       "calls of its threads began",
				       (long long)stream->id);
			holds = false;
		}
	}
	return holds;
}

/* What a host thread that is not part of the set is assumed not to do. */
static void assume_threads(struct proof *proof, const size_t *threads, size_t count)
{
	struct text names = { 0 };

	for (size_t i = 0; i < count && i < THREADS_NAMED; i++) {
		const struct model_thread *thread = &proof->model->threads[threads[i]];

		text_addf(&names, "%s%lld%s%s", i ? ", " : "", (long long)thread->tid,
			  thread->name ? " " : "", thread->name ? thread->name : "");
	}
	if (count > THREADS_NAMED)
		text_addf(&names, " and %zu more", count - THREADS_NAMED);
	verdict_assume(proof->verdict, "no thread of the program that is not stuck here will release it: %s",
		       names.bytes);
	text_clear(&names);
}

/* (2) Every possible releaser is inside the set. */
static bool releasers_are_closed(struct proof *proof)
{
	const struct model *model = proof->model;
	size_t *open = NULL, open_count = 0;
	bool holds = true;

	for (size_t s = 0; s < model->stream_count; s++) {
		const struct model_object *object;

		if (!proof->member[s])
			continue;
		object = member_object(proof, s);
		if (object && object->kind == OBJECT_VALUE)
			continue; /* nothing but memory: device_is_no_writer speaks of it */
		if (!object || object->made_by == MADE_UNKNOWN || object->creation_unseen) {
			verdict_assume(proof->verdict,
				       "what stream %lld waits for is of the common kind: "
				       "its creation was not seen",
				       (long long)model->streams[s].id);
			holds = false;
		}
	}
	if (!proof->unbound)
		return holds;
	if (!model->facts.threads_complete) {
		verdict_assume(proof->verdict, "no thread exists that was not seen");
		holds = false;
	}
	for (size_t i = 0; i < model->thread_count; i++) {
		if (thread_may_act(&model->threads[i]) && !thread_is_closed_in(proof, i)) {
			size_t *slot = array_add(&open, &open_count, sizeof(*slot));

			*slot = i;
		}
	}
	if (open_count)
		assume_threads(proof, open, open_count);
	free(open);
	return holds && !open_count;
}

/* (1) The observers wait for members, as far as their stacks tell. */
static bool observers_are_placed(struct proof *proof)
{
	bool holds = true;

	for (size_t i = 0; i < proof->root->observer_count; i++) {
		size_t index = proof->root->observers[i], stream = proof->graph->threads[index].stream;
		const struct model_thread *thread = &proof->model->threads[index];

		if (!thread->any_stream || stream == MODEL_NONE)
			continue;
		verdict_assume(proof->verdict, "thread %lld waits for stream %lld: its stack does not say for which",
			       (long long)thread->tid, (long long)proof->model->streams[stream].id);
		holds = false;
	}
	return holds;
}

/* (3) No member ends by itself. */
static bool members_are_untimed(struct proof *proof)
{
	bool holds = true;

	for (size_t s = 0; s < proof->model->stream_count; s++) {
		if (!proof->member[s] || !member_task(proof, s)->timed)
			continue;
		verdict_assume(proof->verdict,
			       "the time limit of the wait on stream %lld only ends it with an error",
			       (long long)proof->model->streams[s].id);
		holds = false;
	}
	for (size_t i = 0; i < proof->root->observer_count; i++) {
		const struct model_thread *thread = &proof->model->threads[proof->root->observers[i]];

		if (thread->timeout_ms == -1)
			continue;
		if (thread->timeout_ms == MODEL_UNKNOWN)
			verdict_assume(proof->verdict, "thread %lld waits without a time limit",
				       (long long)thread->tid);
		else
			verdict_assume(proof->verdict, "thread %lld gives up by itself after %lld ms",
				       (long long)thread->tid, (long long)thread->timeout_ms);
		holds = false;
	}
	return holds;
}

/* (3) No member can be released from outside the process. */
static bool members_are_private(struct proof *proof)
{
	bool holds = true;

	for (size_t s = 0; s < proof->model->stream_count; s++) {
		const struct model_object *object;

		if (!proof->member[s])
			continue;
		object = member_object(proof, s);
		if (!object || (!object->exported && object->made_by != MADE_IPC))
			continue;
		verdict_assume(proof->verdict,
			       "no other process releases what stream %lld waits for: it is shared",
			       (long long)proof->model->streams[s].id);
		holds = false;
	}
	return holds;
}

/* (3) Nothing on the device writes what a member waits for. */
static bool device_is_no_writer(struct proof *proof)
{
	const struct model_facts *facts = &proof->model->facts;
	bool holds = true;

	for (size_t s = 0; s < proof->model->stream_count; s++) {
		const struct model_object *object;

		if (!proof->member[s])
			continue;
		object = member_object(proof, s);
		/* A value is memory: any kernel or copy may write it. */
		if (object && (object->device_writes || object->kind == OBJECT_VALUE)) {
			verdict_assume(proof->verdict,
				       "no task on the device writes what stream %lld waits for",
				       (long long)proof->model->streams[s].id);
			holds = false;
		}
	}
	if (!proof->unbound)
		return holds;
	if (facts->device_writers || facts->collectives || proof->graph->opaque_work) {
		verdict_assume(proof->verdict,
			       "no AI CPU kernel, collective or graph records it on the device");
		holds = false;
	}
	return holds;
}

/* (4) No code of the program runs without a thread of its own. */
static bool no_handler_can_act(struct proof *proof)
{
	const struct model_facts *facts = &proof->model->facts;
	bool holds = true;

	if (!proof->unbound)
		return true;
	if (!facts->signals_known) {
		verdict_assume(proof->verdict, "no signal handler releases it: the handlers are not known");
		holds = false;
	} else if (facts->own_signal_handlers) {
		verdict_assume(proof->verdict, "no signal handler of the program releases it");
		holds = false;
	}
	if (facts->callbacks) {
		verdict_assume(proof->verdict, "no callback of the program releases it");
		holds = false;
	}
	return holds;
}

/* (5) No call was under way while the samples were taken. */
static bool no_call_overlaps(struct proof *proof)
{
	for (size_t i = 0; i < proof->model->thread_count; i++) {
		if (!proof->model->threads[i].overlaps)
			continue;
		verdict_assume(proof->verdict, "the call that thread %lld made meanwhile does not release it",
			       (long long)proof->model->threads[i].tid);
		return false;
	}
	return true;
}

/* (6) Nothing was lost, unseen or only maybe submitted. */
static bool nothing_is_missing(struct proof *proof)
{
	const struct model_facts *facts = &proof->model->facts;
	size_t gaps = 0;
	bool holds = true;

	if (facts->lost) {
		verdict_assume(proof->verdict, "none of %llu lost records matters here",
			       (unsigned long long)facts->lost);
		holds = false;
	}
	if (facts->unattributed) {
		verdict_assume(proof->verdict, "none of %llu tasks of unknown origin releases it",
			       (unsigned long long)facts->unattributed);
		holds = false;
	}
	if (facts->before_attach) {
		verdict_assume(proof->verdict,
			       "nothing that was submitted before cannwatch looked releases it");
		holds = false;
	}
	for (size_t s = 0; s < proof->model->stream_count; s++) {
		const struct model_stream *stream = &proof->model->streams[s];

		/* A release may be missing from any stream, a wait only from a member. */
		gaps += stream->lost || (stream->is_window && proof->unbound);
		if (!proof->member[s])
			continue;
		if (member_task(proof, s)->certainty == TASK_MAYBE ||
		    member_task(proof, s)->certainty == TASK_CLAIMED) {
			verdict_assume(proof->verdict, "the wait on stream %lld was submitted",
				       (long long)stream->id);
			holds = false;
		}
	}
	if (gaps) {
		verdict_assume(proof->verdict,
			       "the parts of %zu stream%s that were not seen hold no release for it", gaps,
			       gaps == 1 ? "" : "s");
		holds = false;
	}
	return holds;
}

static bool (*const conditions[])(struct proof *proof) = {
	edges_are_real,	     observers_are_placed, releasers_are_closed, members_are_untimed, members_are_private,
	device_is_no_writer, no_handler_can_act,   no_call_overlaps,	nothing_is_missing,
};

/* Whether what was seen is too thin for "likely". */
static bool structure_is_thin(const struct proof *proof)
{
	const struct model_facts *facts = &proof->model->facts;
	const struct model_object *object = member_object(proof, proof->root->end.stream);

	return facts->lost || (object && object->creation_unseen) || 
	       (facts->live && facts->before_attach && !facts->events_complete) ||
	       proof->model->streams[proof->root->end.stream].lost ||
	       (proof->model->thread_count && !proof->root->observer_count);
}

void confidence_decide(const struct diagnosis *diagnosis, const struct graph_root *root,
		       struct verdict *verdict)
{
	struct proof proof = {
		.model = diagnosis->model,
		.graph = diagnosis->graph,
		.root = root,
		.verdict = verdict,
	};
	bool holds = root->structural && root->observer_count > 0;

	proof_init(&proof);
	/* All of them, also after the first that fails: each adds what it assumes. */
	for (size_t i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++)
		holds &= conditions[i](&proof);
	verdict->confidence = holds			  ? CONFIDENCE_PROVEN
			      : structure_is_thin(&proof) ? CONFIDENCE_POSSIBLE
							  : CONFIDENCE_LIKELY;
	free(proof.member);
}
