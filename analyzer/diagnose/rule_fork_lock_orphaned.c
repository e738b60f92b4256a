// SPDX-License-Identifier: Apache-2.0
/*
 * fork-lock-orphaned: a forked child waits for a lock while it still runs the
 * after-fork handlers; the thread that held it exists in the parent only. Uses
 * stack_place, story.
 */
#include <stdio.h>

#include "analyzer/diagnose/rules.h"
#include "analyzer/diagnose/stack_place.h"
#include "analyzer/diagnose/story.h"

static const char *const after_fork[] = { "AfterFork_Child", "run_postfork", "run_fork_handlers", "fork_child", NULL };
static const char *const locks[] = { "acquire_lock", "sem_wait",   "futex_wait",    "lll_lock_wait",
				     "mutex_lock",   "rwlock_",	   "cond_wait",	    NULL };
static const char *const forkers[] = { "popen_fork", "_launch", "os_fork", NULL };

static bool find(const struct story *story, struct candidate *candidate)
{
	for (size_t i = 0; i < story->set->stack_count; i++) {
		const struct stack *stack = &story->set->stacks[i];
		size_t fork = stack_find(stack, after_fork), lock = stack_find(stack, locks);

		if (fork == SIZE_MAX || lock == SIZE_MAX || lock >= fork)
			continue;
		candidate->stack = stack;
		candidate->file = stack->origin.file;
		candidate->line = stack->origin.line;
		return true;
	}
	return false;
}

/* Another process of the listing that is in multiprocessing's fork code. */
static const struct stack *find_parent(const struct story *story, const struct stack *child)
{
	for (size_t i = 0; i < story->set->stack_count; i++) {
		const struct stack *stack = &story->set->stacks[i];

		if (stack->pid == child->pid || stack->pid == MODEL_UNKNOWN)
			continue;
		for (size_t k = 0; k < stack->frame_count; k++) {
			struct stack one = { .frames = &stack->frames[k], .frame_count = 1 };
			struct stack_frame place = { .function = stack->frames[k].place };
			struct stack other = { .frames = &place, .frame_count = 1 };

			if (stack_find(&one, forkers) == 0 || stack_find(&other, forkers) == 0)
				return stack;
		}
	}
	return NULL;
}

static void tell(const struct story *story, const struct candidate *c, struct verdict *verdict)
{
	const struct stack *parent = find_parent(story, c->stack);
	char lock[32];

	set_number(&verdict->culprit, FIELD_PID, c->stack->pid);
	set_number(&verdict->culprit, FIELD_TID, c->stack->tid != MODEL_UNKNOWN ? c->stack->tid : c->stack->pid);
	if (c->stack->waits_for) {
		snprintf(lock, sizeof(lock), "0x%llx", (unsigned long long)c->stack->waits_for);
		fields_set_text(&verdict->culprit, FIELD_LOCK, lock);
	}
	story_evidence(story, &c->stack->origin, verdict);
	verdict->confidence = CONFIDENCE_LIKELY;
	if (parent) {
		fields_set_number(&verdict->culprit, FIELD_PARENT_PID, parent->pid);
		story_evidence(story, &parent->origin, verdict);
	}
	verdict_summary(verdict, "the forked process %lld waits for a lock that only a thread of its parent can release",
			(long long)c->stack->pid);
	verdict_next(verdict, "start workers with spawn or forkserver; a fork copies locks that other threads hold at that moment");
}

static const struct cause cause = {
	.class = CLASS_FORK_LOCK_ORPHANED, .tier = TIER_WAIT, .find = find, .tell = tell
};
CAUSE(fork_lock, cause)
