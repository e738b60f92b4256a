// SPDX-License-Identifier: Apache-2.0
/*
 * error-code: a documented code came first and no other class says more. Internal codes
 * never count. Uses story, codes.
 */
#include "analyzer/diagnose/rules.h"
#include "analyzer/diagnose/story.h"
#include <string.h>

#include "analyzer/codes/error_code.h"

static bool matches(const struct story *story, const struct observation *o)
{
	(void)story;
	if (code_means(o, CLASS_ERROR_CODE))
		return true;
	return o->kind == OBSERVED_ERROR_CODE && o->code_text && o->code_text[2] != '9' &&
	       strcmp(o->code_text, "EE8888") && !error_code_find(o->code_text);
}

static void tell(const struct story *story, const struct candidate *c, struct verdict *verdict)
{
	static const enum observation_kind more[] = { OBSERVED_ERROR_CODE, OBSERVED_API_FAILED };
	const struct observation *o = c->first;
	const struct error_code *code = o->code_text ? error_code_find(o->code_text) :
					o->code != MODEL_UNKNOWN ? error_code_find_number(o->code) : NULL;

	story_place(o, verdict);
	if (o->code_text)
		fields_set_text(&verdict->culprit, FIELD_ERROR_CODE, o->code_text);
	else
		set_number(&verdict->culprit, FIELD_ERROR_CODE, o->code);
	fields_set_text(&verdict->culprit, FIELD_API, o->api);
	verdict_summary(verdict, "the first error has code %s: %s", o->code_text ? o->code_text : code ? code->code : "?",
			code ? code->meaning : o->detail ? o->detail : "see its text");
	story_more_evidence(story, c, more, 2, 2, verdict);
	story_explain_code(o, verdict);
	if (!code)
		verdict_next(verdict, "look the code up in the vendor's list: it is a documented one");
}

static const struct cause cause = {
	.class = CLASS_ERROR_CODE, .tier = TIER_REPORT, .matches = matches, .tell = tell
};
CAUSE(error_code, cause)
