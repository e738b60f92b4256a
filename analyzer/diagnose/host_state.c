// SPDX-License-Identifier: Apache-2.0
/* The program's own threads together (host_state.h). */
#include "analyzer/diagnose/host_state.h"

struct tally { /* of the program's threads; counts of those outside of CANN */
	size_t in_cann;
	size_t not_whole; /* stacks that may hide a frame of CANN */
	size_t requests, children, threads, shared, others;
	size_t main;	/* the first thread, MODEL_NONE */
	size_t request; /* one that waits for a request or child */
	size_t hidden;	/* one whose stack is not whole */
	size_t other;	/* one that is none of these, standing still if there is such a one */
};

const char *thread_wait_text(enum thread_wait wait)
{
	static const char *const texts[] = {
		[WAIT_UNKNOWN] = "is somewhere unknown",
		[WAIT_NONE] = "runs code of its own",
		[WAIT_REQUEST] = "waits for a request",
		[WAIT_CHILD] = "waits for a child process",
		[WAIT_THREAD] = "waits for another thread",
		[WAIT_SHARED] = "waits for another process through shared memory",
		[WAIT_LOCK] = "waits for a lock",
		[WAIT_INPUT] = "waits for input",
		[WAIT_SLEEP] = "sleeps",
	};

	return texts[wait];
}

static void tally_wait(struct tally *tally, const struct model *model, size_t index)
{
	switch (model->threads[index].wait) {
	case WAIT_REQUEST:
		tally->requests++;
		tally->request = index;
		return;
	case WAIT_CHILD:
		tally->children++;
		if (tally->request == MODEL_NONE)
			tally->request = index;
		return;
	case WAIT_THREAD:
		tally->threads++;
		return;
	case WAIT_SHARED:
		tally->shared++;
		return;
	default:
		tally->others++;
		if (tally->other == MODEL_NONE || !model->threads[tally->other].stable)
			tally->other = index;
	}
}

static void tally_thread(struct tally *tally, const struct model *model, size_t index)
{
	const struct model_thread *thread = &model->threads[index];

	if (thread->maker == MAKER_CANN || thread->maker == MAKER_CANNWATCH)
		return;
	if (thread->tid == model->pid)
		tally->main = index;
	if (thread->in_cann && thread->wait != WAIT_REQUEST) { /* else it serves callbacks */
		tally->in_cann++;
		return;
	}
	if (thread->stack_reason) {
		tally->not_whole++;
		tally->hidden = index;
		return;
	}
	tally_wait(tally, model, index);
}

static enum host_state state_of(const struct model *model, const struct tally *tally, size_t *witness,
				const char **why)
{
	if (tally->in_cann)
		return HOST_IN_CANN;
	if (tally->not_whole) {
		*witness = tally->hidden;
		*why = "the stack of a thread is not whole";
		return HOST_UNDECIDED;
	}
	if (tally->main == MODEL_NONE && tally->others + tally->threads + tally->requests == 0) {
		*why = "no thread of the program was seen";
		return HOST_UNDECIDED;
	}
	if (tally->others) {
		*witness = tally->main != MODEL_NONE && model->threads[tally->main].wait != WAIT_REQUEST &&
					   model->threads[tally->main].stable
				   ? tally->main
				   : tally->other;
		return model->threads[*witness].stable ? HOST_STANDING : HOST_MOVING;
	}
	if (tally->requests || tally->children) {
		*witness = tally->request;
		return HOST_WAITING;
	}
	*witness = tally->main;
	if (tally->shared) { /* whoever is to wake it may do so any time */
		*why = "it waits for another process, which may be as designed";
		return HOST_UNDECIDED;
	}
	return tally->main != MODEL_NONE && model->threads[tally->main].stable ? HOST_STANDING : HOST_MOVING;
}

enum host_state host_state(const struct model *model, size_t *witness, const char **why)
{
	struct tally tally = {
		.main = MODEL_NONE, .request = MODEL_NONE, .hidden = MODEL_NONE, .other = MODEL_NONE
	};

	enum host_state state;

	*witness = MODEL_NONE;
	*why = "";
	if (!(model->sources & SOURCE_STACKS))
		return HOST_NOT_SEEN;
	for (size_t i = 0; i < model->thread_count; i++)
		tally_thread(&tally, model, i);
	state = state_of(model, &tally, witness, why);
	if (state != HOST_STANDING || model->facts.cann_loaded)
		return state;
	/* A launcher, a worker, a sleep: nothing says that it should hand out work at all. */
	*why = "it has no CANN library loaded: another process may be meant";
	return HOST_UNDECIDED;
}
