// SPDX-License-Identifier: Apache-2.0
/*
 * What stack listings alone can say: a thread stuck handing over work
 * (submit-stuck), blocked in a synchronize (sync-stuck), no thread in CANN at all
 * (host-not-submitting), or everybody waiting for work (idle-wait). Uses stack_place,
 * story.
 */
#include <stdio.h>
#include <string.h>

#include "analyzer/diagnose/rules.h"
#include "analyzer/diagnose/stack_place.h"
#include "analyzer/diagnose/story.h"

/* The first thread at the place, the process's first thread preferred. */
static const struct stack *find_place(const struct story *story, enum stack_place place)
{
	const struct stack *found = NULL;
	const char *api;

	for (size_t i = 0; i < story->set->stack_count; i++) {
		const struct stack *stack = &story->set->stacks[i];

		if (stack_place(stack, &api) != place || !stack->frame_count)
			continue;
		if (!found || (stack->tid == stack->pid && found->tid != found->pid))
			found = stack;
	}
	return found;
}

static void candidate_of(struct candidate *candidate, const struct stack *stack)
{
	candidate->stack = stack;
	candidate->file = stack->origin.file;
	candidate->line = stack->origin.line;
}

static void tell_thread(const struct story *story, const struct stack *stack, struct verdict *verdict)
{
	set_number(&verdict->culprit, FIELD_RANK, stack->rank);
	set_number(&verdict->culprit, FIELD_PID, stack->pid);
	set_number(&verdict->culprit, FIELD_TID, stack->tid);
	fields_set_text(&verdict->culprit, FIELD_THREAD, stack->name);
	story_evidence(story, &stack->origin, verdict);
}

static bool find_submit(const struct story *story, struct candidate *candidate)
{
	const struct stack *stack = find_place(story, PLACE_SUBMIT);

	if (stack)
		candidate_of(candidate, stack);
	return stack != NULL;
}

static void tell_submit(const struct story *story, const struct candidate *c, struct verdict *verdict)
{
	const char *api;

	stack_place(c->stack, &api);
	tell_thread(story, c->stack, verdict);
	fields_set_text(&verdict->culprit, FIELD_API, api);
	verdict_summary(verdict, "a thread is stuck in %s, which should return at once: it cannot hand its task to the device",
			api ? api : "the submission of a task");
	verdict_next(verdict, "the queue of its stream is full or its head does not finish: a device dump (schedule_tracer) shows the head");
}

static bool find_sync(const struct story *story, struct candidate *candidate)
{
	const struct stack *stack = find_place(story, PLACE_SYNC);

	if (!stack || find_place(story, PLACE_SUBMIT))
		return false;
	candidate_of(candidate, stack);
	return true;
}

static void tell_sync(const struct story *story, const struct candidate *c, struct verdict *verdict)
{
	const char *api;
	char name[96];
	size_t length;

	stack_place(c->stack, &api);
	snprintf(name, sizeof(name), "%s", api ? api : "aclrtSynchronizeStream");
	length = strlen(name);
	if (length > 4 && !strcmp(name + length - 4, "Impl"))
		name[length - 4] = 0; /* the public name is a jump to it */
	tell_thread(story, c->stack, verdict);
	if (api)
		fields_set_text(&verdict->culprit, FIELD_API, name);
	verdict_summary(verdict, "a thread is blocked in %s; nothing that was given says on what", api ? name : "a synchronize");
	verdict_next(verdict, "add the device's task list (schedule_tracer dump), or run cannwatch attach while it hangs");
}

/* Stacks that were taken to see where a process hangs: no crash. */
static bool is_snapshot(const struct stack *stack)
{
	return stack->signal == MODEL_UNKNOWN || stack->signal == 35;
}

static bool find_host(const struct story *story, struct candidate *candidate)
{
	const struct stack *found = NULL;
	bool only_idle = true;
	const char *api;

	for (size_t i = 0; i < story->set->stack_count; i++) {
		const struct stack *stack = &story->set->stacks[i];
		enum stack_place place = stack_place(stack, &api);

		if (!is_snapshot(stack) || !stack->frame_count || place == PLACE_HELPER)
			continue;
		if (place != PLACE_ELSEWHERE && place != PLACE_IDLE)
			return false;
		if (place == PLACE_ELSEWHERE)
			only_idle = false;
		if (!found || (place == PLACE_ELSEWHERE && stack->tid == stack->pid))
			found = stack;
	}
	if (!found || only_idle)
		return false;
	candidate_of(candidate, found);
	return true;
}

static void tell_host(const struct story *story, const struct candidate *c, struct verdict *verdict)
{
	const struct stack_frame *top = &c->stack->frames[0];

	tell_thread(story, c->stack, verdict);
	verdict_summary(verdict, "no thread is in a CANN call: the program itself does not hand out work; %s is in %s",
			c->stack->name ? c->stack->name : "the first thread", top->function ? top->function : "unknown code");
	verdict_next(verdict, "read the stack of that thread: file system, data loading, locks of the program");
}

/* The first thread of every process waits for work, and nothing is wrong. */
static bool find_idle(const struct story *story, struct candidate *candidate)
{
	const struct stack *found = NULL;
	const char *api;

	for (size_t i = 0; i < story->set->stack_count; i++) {
		const struct stack *stack = &story->set->stacks[i];
		enum stack_place place = stack_place(stack, &api);

		if (!is_snapshot(stack) || !stack->frame_count || place == PLACE_HELPER)
			continue;
		if (place != PLACE_IDLE)
			return false;
		if (!found)
			found = stack;
	}
	if (found)
		candidate_of(candidate, found);
	return found != NULL;
}

static void tell_idle(const struct story *story, const struct candidate *c, struct verdict *verdict)
{
	const struct observation *note = story_first(story, OBSERVED_IDLE_NOTE);

	tell_thread(story, c->stack, verdict);
	for (size_t i = 0; i < story->set->stack_count && i < 8; i++)
		story_evidence(story, &story->set->stacks[i].origin, verdict);
	if (note)
		story_evidence(story, &note->origin, verdict);
	verdict_summary(verdict, "every process waits for work, as a server does; nothing is wrong");
	verdict_next(verdict, "if requests were sent, look at the way they take before they come here");
}

static const struct cause submit_cause = {
	.class = CLASS_SUBMIT_STUCK, .tier = TIER_STACK, .find = find_submit, .tell = tell_submit
};
static const struct cause sync_cause = {
	.class = CLASS_SYNC_STUCK, .tier = TIER_STACK, .find = find_sync, .tell = tell_sync
};
static const struct cause host_cause = {
	.class = CLASS_HOST_NOT_SUBMITTING, .tier = TIER_STACK, .find = find_host, .tell = tell_host
};
static const struct cause idle_cause = {
	.class = CLASS_IDLE_WAIT, .tier = TIER_IDLE, .find = find_idle, .tell = tell_idle
};
CAUSE(submit_stack, submit_cause)
CAUSE(sync_stack, sync_cause)
CAUSE(host_stack, host_cause)
CAUSE(idle_stack, idle_cause)
