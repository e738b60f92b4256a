// SPDX-License-Identifier: Apache-2.0
/*
 * op-compile-stalled: an operator's compilation does not end. The compiler's traces show
 * a subgraph that never finishes, and the operator that stays in one state. Uses story.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/diagnose/rules.h"
#include "analyzer/diagnose/story.h"

/* A state an operator passes through; staying in it is the stall. */
static bool is_passing(const char *state)
{
	static const char *const states[] = { "get mutex lock", "get gil lock", "init disk cache" };

	for (size_t i = 0; state && i < sizeof(states) / sizeof(states[0]); i++)
		if (!strcmp(state, states[i]))
			return true;
	return false;
}

static bool is_after(const struct observation *a, const struct observation *b)
{
	if (a->time_us != b->time_us)
		return a->time_us > b->time_us;
	return a->origin.file == b->origin.file && a->origin.line > b->origin.line;
}

static const struct observation *last_of(const struct story *story, enum observation_kind kind, int64_t tid)
{
	const struct observation *last = NULL;

	for (size_t i = 0; i < story->set->count; i++) {
		const struct observation *o = &story->set->items[i];

		if (o->kind == kind && (tid == MODEL_UNKNOWN || o->tid == tid) && (!last || is_after(o, last)))
			last = o;
	}
	return last;
}

/* The last status of a thread whose subgraph was never reported as finished. */
static const struct observation *unfinished(const struct story *story)
{
	for (size_t i = 0; i < story->set->count; i++) {
		const struct observation *o = &story->set->items[i], *last, *finished;

		if (o->kind != OBSERVED_COMPILE_STATUS)
			continue;
		last = last_of(story, OBSERVED_COMPILE_STATUS, o->tid);
		finished = last_of(story, OBSERVED_COMPILE_FINISHED, o->tid);
		if (last != o || (finished && is_after(finished, o)))
			continue;
		if (o->number != MODEL_UNKNOWN && o->count != MODEL_UNKNOWN && o->number >= o->count)
			continue;
		return o;
	}
	return NULL;
}

static bool find(const struct story *story, struct candidate *candidate)
{
	const struct observation *status = unfinished(story), *state = NULL, *wait = NULL;

	for (size_t i = 0; i < story->set->count; i++) {
		const struct observation *o = &story->set->items[i];

		if (o->kind == OBSERVED_COMPILE_STATE && is_passing(o->detail) &&
		    last_of(story, OBSERVED_COMPILE_STATE, o->tid) == o)
			state = o;
		if (o->kind == OBSERVED_COMPILE_WAIT && last_of(story, OBSERVED_COMPILE_WAIT, o->tid) == o)
			wait = o;
	}
	/* A trace that ends in a passing state says nothing when the status says all is done. */
	if (!status && (!state || story_first(story, OBSERVED_COMPILE_STATUS)))
		return false;
	if (status && !state && (!wait || wait->number < 60) && !story_first(story, OBSERVED_HOST_WATCHDOG))
		return false;
	candidate_from(candidate, state ? state : status);
	candidate->text = state && state->op ? state->op : wait ? wait->op : NULL;
	candidate->number = wait ? wait->number : MODEL_UNKNOWN;
	return true;
}

static void tell(const struct story *story, const struct candidate *candidate, struct verdict *verdict)
{
	const struct observation *o = candidate->first, *status = unfinished(story);
	const struct observation *dog = story_first(story, OBSERVED_HOST_WATCHDOG);

	fields_set_text(&verdict->culprit, FIELD_OP, candidate->text);
	set_number(&verdict->culprit, FIELD_PID, o->pid);
	set_number(&verdict->culprit, FIELD_RANK, o->rank);
	verdict->confidence = status && o->kind == OBSERVED_COMPILE_STATE ? CONFIDENCE_LIKELY : CONFIDENCE_POSSIBLE;
	if (candidate->number != MODEL_UNKNOWN)
		verdict->blocked_s = (double)candidate->number;
	verdict_summary(verdict, "compiling operator %s does not end%s%s", candidate->text ? candidate->text : "?",
			o->kind == OBSERVED_COMPILE_STATE && o->detail ? "; it stays at: " : "",
			o->kind == OBSERVED_COMPILE_STATE && o->detail ? o->detail : "");
	if (status)
		story_evidence(story, &status->origin, verdict);
	if (dog)
		story_evidence(story, &dog->origin, verdict);
	verdict_next(verdict, "take the stacks of the process (cannwatch stacks PID) and look at the compiler's child processes");
	verdict_next(verdict, "remove or move the kernel cache (ASCEND_CACHE_PATH, kernel_meta): a lock or a full disk there stops it at the disk cache");
}

static const struct cause cause = {
	.class = CLASS_OP_COMPILE_STALLED, .tier = TIER_WAIT, .find = find, .tell = tell
};
CAUSE(compile_stalled, cause)
