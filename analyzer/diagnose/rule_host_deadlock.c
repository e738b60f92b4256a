// SPDX-License-Identifier: Apache-2.0
/*
 * host-deadlock: threads that hold locks in a ring, by a debugger's listing of
 * stacks and of the mutexes' owners. Uses story.
 */
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/diagnose/rules.h"
#include "analyzer/diagnose/story.h"
#include "analyzer/model/util.h"

static const struct lock_owner *owner_of(const struct story *story, uint64_t address)
{
	for (size_t i = 0; address && i < story->set->lock_count; i++)
		if (story->set->locks[i].address == address)
			return &story->set->locks[i];
	return NULL;
}

static const struct stack *thread_of(const struct story *story, int64_t tid)
{
	for (size_t i = 0; i < story->set->stack_count; i++)
		if (story->set->stacks[i].tid == tid && story->set->stacks[i].waits_for)
			return &story->set->stacks[i];
	return NULL;
}

/* Follows owners from stack; the number of threads in the ring it comes back by, 0 if it does not. */
static size_t ring_length(const struct story *story, const struct stack *stack)
{
	const struct stack *at = stack;

	for (size_t steps = 1; steps <= story->set->lock_count + 1; steps++) {
		const struct lock_owner *lock = owner_of(story, at->waits_for);

		at = lock ? thread_of(story, lock->owner) : NULL;
		if (!at)
			return 0;
		if (at == stack)
			return steps;
	}
	return 0;
}

static bool find(const struct story *story, struct candidate *candidate)
{
	for (size_t i = 0; i < story->set->stack_count; i++) {
		const struct stack *stack = &story->set->stacks[i];
		size_t length = stack->waits_for ? ring_length(story, stack) : 0;

		if (!length)
			continue;
		candidate->stack = stack;
		candidate->file = stack->origin.file;
		candidate->line = stack->origin.line;
		candidate->number = (int64_t)length;
		return true;
	}
	return false;
}

static void tell(const struct story *story, const struct candidate *c, struct verdict *verdict)
{
	const struct stack *at = c->stack;
	struct text way = { 0 };
	char address[32], *text;

	set_number(&verdict->culprit, FIELD_PID, at->pid);
	snprintf(address, sizeof(address), "0x%llx", (unsigned long long)at->waits_for);
	fields_set_text(&verdict->culprit, FIELD_LOCK, address);
	for (int64_t i = 0; i < c->number; i++) {
		const struct lock_owner *lock = owner_of(story, at->waits_for);
		struct fields *node = verdict_chain_add(verdict, "thread");

		fields_add_to_list(&verdict->culprit, FIELD_TIDS, at->tid);
		fields_set_number(node, FIELD_TID, at->tid);
		fields_set_text(node, FIELD_NAME, at->name);
		snprintf(address, sizeof(address), "0x%llx", (unsigned long long)at->waits_for);
		node = verdict_chain_add(verdict, "lock");
		fields_set_text(node, FIELD_ADDRESS, address);
		text_addf(&way, "%sthread %lld waits for a lock of %lld", i ? ", " : "", (long long)at->tid,
			  (long long)lock->owner);
		story_evidence(story, &at->origin, verdict);
		story_evidence(story, &lock->origin, verdict);
		at = thread_of(story, lock->owner);
	}
	text = text_take(&way);
	verdict_summary(verdict, "%s", text);
	free(text);
	verdict->confidence = CONFIDENCE_PROVEN;
	verdict_next(verdict, "take these locks in one order everywhere");
}

static const struct cause cause = {
	.class = CLASS_HOST_DEADLOCK, .tier = TIER_WAIT, .find = find, .tell = tell
};
CAUSE(host_deadlock, cause)
