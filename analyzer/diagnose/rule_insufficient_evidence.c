// SPDX-License-Identifier: Apache-2.0
/*
 * insufficient-evidence: something went wrong, and nothing that is here says what. Keeps
 * the ids that are known. Uses story.
 */
#include <stdlib.h>

#include "analyzer/codes/error_code.h"
#include "analyzer/diagnose/rules.h"
#include "analyzer/diagnose/story.h"

static bool matches(const struct story *story, const struct observation *o)
{
	(void)story;
	switch (o->kind) {
	case OBSERVED_SCHEDULER_ERROR:
	case OBSERVED_TASK_TIMEOUT:
	case OBSERVED_COLLECTIVE_WATCHDOG:
	case OBSERVED_ERROR_CODE:
		return true;
	case OBSERVED_API_FAILED:
		/* A warning may be one that was dealt with; small numbers are other libraries' codes. */
		return o->level != LEVEL_WARNING && o->code >= 1 && o->code != 107006;
	default:
		return false;
	}
}

static void tell(const struct story *story, const struct candidate *c, struct verdict *verdict)
{
	static const enum observation_kind more[] = { OBSERVED_SCHEDULER_ERROR, OBSERVED_API_FAILED, OBSERVED_ERROR_CODE };
	struct observation o = story_merge(story, c);
	const struct error_code *code = o.code != MODEL_UNKNOWN ? error_code_find_number(o.code) : NULL;
	char *where = story_where(&o);

	story_place(&o, verdict);
	set_number(&verdict->culprit, FIELD_EVENT, o.event);
	fields_set_text(&verdict->culprit, FIELD_API, o.api);
	fields_set_text(&verdict->culprit, FIELD_OP, o.op);
	if (o.code != MODEL_UNKNOWN)
		fields_set_number(&verdict->culprit, FIELD_ERROR_CODE, o.code);
	else
		fields_set_text(&verdict->culprit, FIELD_ERROR_CODE, o.code_text);
	if (code)
		verdict_summary(verdict, "%s%s (code %s): what caused it is not in what was given",
				code->meaning, where, code->code);
	else if (c->first->kind == OBSERVED_COLLECTIVE_WATCHDOG)
		verdict_summary(verdict, "a %s timed out%s; what the other ranks did is not in what was given",
				o.op ? o.op : "collective", where);
	else
		verdict_summary(verdict, "something failed%s; what caused it is not in what was given", where);
	story_more_evidence(story, c, more, 3, 3, verdict);
	story_limits(story, verdict);
	verdict_next(verdict, "collect the plog folders (debug and run) and screens of all ranks, the device logs and an msnpureport export of the same time");
	story_explain_code(&o, verdict);
	free(where);
}

static const struct cause cause = {
	.class = CLASS_INSUFFICIENT_EVIDENCE, .tier = TIER_VAGUE, .matches = matches, .tell = tell
};
CAUSE(insufficient, cause)
