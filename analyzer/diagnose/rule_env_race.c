// SPDX-License-Identifier: Apache-2.0
/*
 * env-race: a crash inside getenv or putenv, which are not safe against each other:
 * one thread read the environment while another changed it. Uses stack_place, story.
 */
#include "analyzer/diagnose/rules.h"
#include "analyzer/diagnose/stack_place.h"
#include "analyzer/diagnose/story.h"

static const char *const environment[] = { "getenv", "putenv", "setenv", "unsetenv", "clearenv", "add_to_environ", NULL };

/* The thread that got the signal, if it was at the environment. */
static const struct stack *racing(const struct story *story, const struct observation *o)
{
	for (size_t i = 0; i < story->set->stack_count; i++) {
		const struct stack *stack = &story->set->stacks[i];

		if (stack->crashed && stack->origin.file == o->origin.file && stack_find(stack, environment) <= 4)
			return stack;
	}
	return NULL;
}

static bool matches(const struct story *story, const struct observation *o)
{
	return o->kind == OBSERVED_CRASH && (o->number == 11 || o->number == 7 || o->number == 6) && racing(story, o);
}

static void tell(const struct story *story, const struct candidate *c, struct verdict *verdict)
{
	const struct stack *stack = racing(story, c->first), *other = NULL;

	for (size_t i = 0; i < story->set->stack_count; i++) {
		const struct stack *s = &story->set->stacks[i];

		if (s != stack && s->origin.file == stack->origin.file && s->tid != stack->tid &&
		    stack_find(s, environment) != SIZE_MAX)
			other = s;
	}
	set_number(&verdict->culprit, FIELD_RANK, c->first->rank);
	set_number(&verdict->culprit, FIELD_PID, c->first->pid);
	set_number(&verdict->culprit, FIELD_TID, stack->tid);
	fields_set_text(&verdict->culprit, FIELD_THREAD, stack->name);
	story_evidence(story, &stack->origin, verdict);
	if (other) {
		story_evidence(story, &other->origin, verdict);
		verdict_summary(verdict, "thread %lld crashed at the environment while thread %lld was changing it",
				(long long)stack->tid, (long long)other->tid);
	} else {
		verdict_summary(verdict, "thread %lld crashed reading or changing the environment", (long long)stack->tid);
	}
	verdict_next(verdict, "set all variables before the first import of torch_npu or call of acl; no putenv or os.environ[...] = afterwards");
}

static const struct cause cause = {
	.class = CLASS_ENV_RACE, .tier = TIER_CAUSE, .matches = matches, .tell = tell
};
CAUSE(env_race, cause)
