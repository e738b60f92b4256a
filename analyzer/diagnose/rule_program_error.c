// SPDX-License-Identifier: Apache-2.0
/*
 * program-error: an exception of the program itself came first; what the NPU side says
 * afterwards follows. Exceptions that only pass on an NPU error, or that follow from
 * another process's end, are not its. Uses story.
 */
#include "analyzer/diagnose/rules.h"
#include "analyzer/diagnose/story.h"
#include <string.h>

/* The exception speaks for somebody else. */
static bool is_passed_on(const struct observation *o)
{
	static const char *const words[] = { "NPU",	"ACL",	     "acl",	   "HCCL",	"hccl",	   "Ascend",
					     "ASCEND",	"EE9999",    "EI0",	   "EZ9",	"error code", "aclnn",
					     "forked subprocess", "davinci", "synchroniz", "Engine core", "EngineCore",
					     "worker died", "died unexpectedly", "Watchdog", "watchdog", "cancelled" };
	static const char *const names[] = { "EOFError",	"ConnectionResetError", "BrokenPipeError", "KeyboardInterrupt",
					     "SystemExit",	"ChildFailedError",	"EngineDeadError", "ConnectionRefusedError",
					     "CancelledError", "ProcessExitedException", "ProcessRaisedException",
					     "ConnectionAbortedError", "SignalException" };

	for (size_t i = 0; o->detail && i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(o->detail, words[i]))
			return true;
	for (size_t i = 0; o->op && i < sizeof(names) / sizeof(names[0]); i++)
		if (strstr(o->op, names[i]))
			return true;
	return false;
}

static bool is_failure(enum observation_kind kind)
{
	return kind > OBSERVED_NOTHING && kind < OBSERVED_TIMEOUT_SETTING && kind != OBSERVED_DEVICE_SET &&
	       kind != OBSERVED_COLLECTIVE_CALL && kind != OBSERVED_COLLECTIVE_ENTRY && kind != OBSERVED_COMM_ENTRY &&
	       kind != OBSERVED_WORLD && kind != OBSERVED_MEMORY_FAULT;
}

/* Something of CANN failed on the same rank or in the same file before. */
static bool is_late(const struct story *story, const struct observation *e)
{
	for (size_t i = 0; i < story->set->count; i++) {
		const struct observation *o = &story->set->items[i];

		if (!is_failure(o->kind) || o->level != LEVEL_ERROR)
			continue;
		if (o->origin.file == e->origin.file && o->origin.line < e->origin.line)
			return true;
		if (((o->pid != MODEL_UNKNOWN && o->pid == e->pid) || (o->rank != MODEL_UNKNOWN && o->rank == e->rank)) &&
		    o->time_us != MODEL_UNKNOWN && e->time_us != MODEL_UNKNOWN && o->time_us < e->time_us)
			return true;
	}
	return false;
}

static bool matches(const struct story *story, const struct observation *o)
{
	return o->kind == OBSERVED_PROGRAM_EXCEPTION && !is_passed_on(o) && !is_late(story, o);
}

static void tell(const struct story *story, const struct candidate *c, struct verdict *verdict)
{
	const struct observation *o = c->first;

	(void)story;
	set_number(&verdict->culprit, FIELD_RANK, o->rank);
	set_number(&verdict->culprit, FIELD_PID, o->pid);
	fields_set_text(&verdict->culprit, FIELD_THREAD, o->thread);
	if (o->rank != MODEL_UNKNOWN)
		verdict_summary(verdict, "the program's own error came first, on rank %lld: %s: %s", (long long)o->rank,
				o->op ? o->op : "exception", o->detail ? o->detail : "");
	else
		verdict_summary(verdict, "the program's own error came first: %s: %s", o->op ? o->op : "exception",
				o->detail ? o->detail : "");
	verdict_next(verdict, "repair that error; time-outs of other ranks follow from it");
}

static const struct cause cause = {
	.class = CLASS_PROGRAM_ERROR, .tier = TIER_PROGRAM, .matches = matches, .tell = tell
};
CAUSE(program_error, cause)
