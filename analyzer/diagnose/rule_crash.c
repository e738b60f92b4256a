// SPDX-License-Identifier: Apache-2.0
/*
 * crash: the process died of a signal. An abort is what programs do after another
 * error, so it counts only where nothing else is known. Uses story.
 */
#include "analyzer/diagnose/rules.h"
#include "analyzer/diagnose/story.h"


static bool is_crash(const struct story *story, const struct observation *o)
{
	(void)story;
	return o->kind == OBSERVED_CRASH && (o->number == 4 || o->number == 5 || o->number == 7 || o->number == 8 ||
					     o->number == 11 || o->number == 31);
}

static bool is_abort(const struct story *story, const struct observation *o)
{
	(void)story;
	return o->kind == OBSERVED_CRASH && o->number == 6;
}

static const struct stack *crashed_stack(const struct story *story, const struct observation *o)
{
	for (size_t i = 0; i < story->set->stack_count; i++)
		if (story->set->stacks[i].crashed && story->set->stacks[i].origin.file == o->origin.file)
			return &story->set->stacks[i];
	return NULL;
}

static void tell(const struct story *story, const struct candidate *c, struct verdict *verdict)
{
	const struct observation *o = c->first;
	const struct stack *stack = crashed_stack(story, o);
	const char *function = NULL;

	for (size_t i = 0; stack && i < stack->frame_count && !function; i++)
		function = stack->frames[i].function;
	set_number(&verdict->culprit, FIELD_RANK, o->rank);
	set_number(&verdict->culprit, FIELD_PID, o->pid);
	set_number(&verdict->culprit, FIELD_TID, o->tid);
	if (stack)
		fields_set_text(&verdict->culprit, FIELD_THREAD, stack->name);
	verdict_summary(verdict, "the process died of signal %lld%s%s", (long long)o->number, function ? " in " : "",
			function ? function : "");
	if (stack) {
		story_evidence(story, &stack->origin, verdict);
		verdict->confidence = CONFIDENCE_PROVEN;
	}
	verdict_next(verdict, "other threads' CANN calls at that moment mean nothing: look at the thread that got the signal");
}

static const struct cause crash_cause = {
	.class = CLASS_CRASH, .tier = TIER_CAUSE, .matches = is_crash, .tell = tell
};
static const struct cause abort_cause = {
	.class = CLASS_CRASH, .tier = TIER_STACK, .matches = is_abort, .tell = tell
};
CAUSE(crash, crash_cause)
CAUSE(abort, abort_cause)
