// SPDX-License-Identifier: Apache-2.0
/*
 * dump-misuse: a dump interface in a wrong order or with arguments it does not take.
 * Uses story.
 */
#include "analyzer/diagnose/rules.h"
#include "analyzer/diagnose/story.h"
#include <string.h>

static bool matches(const struct story *story, const struct observation *o)
{
	(void)story;
	if (o->kind == OBSERVED_DUMP_CALL || code_means(o, CLASS_DUMP_MISUSE))
		return true;
	return (o->kind == OBSERVED_ERROR_CODE || o->kind == OBSERVED_API_FAILED) && o->api &&
	       (strstr(o->api, "Dump") || strstr(o->api, "acldump"));
}

static void tell(const struct story *story, const struct candidate *c, struct verdict *verdict)
{
	static const enum observation_kind more[] = { OBSERVED_DUMP_CALL };
	struct observation o = story_merge(story, c);

	set_number(&verdict->culprit, FIELD_PID, o.pid);
	set_number(&verdict->culprit, FIELD_TID, o.tid);
	fields_set_text(&verdict->culprit, FIELD_API, o.api);
	fields_set_text(&verdict->culprit, FIELD_ERROR_CODE, o.code_text);
	verdict_summary(verdict, "%s was used wrongly%s%s", o.api ? o.api : "a dump interface", o.detail ? ": " : "",
			o.detail ? o.detail : "");
	story_more_evidence(story, c, more, 1, 2, verdict);
	verdict_next(verdict, "order: aclInit, aclmdlInitDump, aclmdlSetDump, load the model, aclmdlFinalizeDump; aclInit's own json must not configure a dump as well");
	story_explain_code(&o, verdict);
}

static const struct cause cause = {
	.class = CLASS_DUMP_MISUSE, .tier = TIER_CAUSE, .matches = matches, .tell = tell
};
CAUSE(dump_misuse, cause)
