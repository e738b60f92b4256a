// SPDX-License-Identifier: Apache-2.0
/*
 * api-error: a call with arguments or in an order that the interface refuses. Errors of
 * tasks that a later call only reports are not its. Uses story.
 */
#include "analyzer/diagnose/rules.h"
#include "analyzer/diagnose/story.h"
#include <string.h>

static bool matches(const struct story *story, const struct observation *o)
{
	(void)story;
	if (o->api && strstr(o->api, "GetDevMsg"))
		return false;
	if (o->level == LEVEL_WARNING)
		return false;
	return o->kind == OBSERVED_API_ARGUMENT || code_means(o, CLASS_API_ERROR);
}

static void tell(const struct story *story, const struct candidate *c, struct verdict *verdict)
{
	static const enum observation_kind more[] = { OBSERVED_API_ARGUMENT, OBSERVED_API_FAILED };
	struct observation o = story_merge(story, c);
	const struct observation *argument = NULL;

	for (size_t i = 0; i < story->set->count && !argument; i++)
		if (story->set->items[i].kind == OBSERVED_API_ARGUMENT && story->set->items[i].pid == o.pid)
			argument = &story->set->items[i];
	story_place(&o, verdict);
	fields_set_text(&verdict->culprit, FIELD_API, o.api);
	if (o.code != MODEL_UNKNOWN)
		fields_set_number(&verdict->culprit, FIELD_ERROR_CODE, o.code);
	else
		fields_set_text(&verdict->culprit, FIELD_ERROR_CODE, o.code_text);
	verdict_summary(verdict, "%s was refused%s%s", o.api ? o.api : "a call",
			argument && argument->detail ? ": " : "", argument && argument->detail ? argument->detail : "");
	story_more_evidence(story, c, more, 2, 3, verdict);
	story_explain_code(&o, verdict);
}

static const struct cause cause = {
	.class = CLASS_API_ERROR, .tier = TIER_REPORT, .matches = matches, .tell = tell
};
CAUSE(api_error, cause)
