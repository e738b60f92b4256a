// SPDX-License-Identifier: Apache-2.0
/*
 * sync-during-capture: a call that is not allowed while a stream is being captured. Uses
 * story.
 */
#include "analyzer/diagnose/rules.h"
#include "analyzer/diagnose/story.h"

static bool matches(const struct story *story, const struct observation *o)
{
	(void)story;
	return o->kind == OBSERVED_CAPTURE_CALL || code_means(o, CLASS_SYNC_DURING_CAPTURE);
}

static void tell(const struct story *story, const struct candidate *c, struct verdict *verdict)
{
	static const enum observation_kind more[] = { OBSERVED_CAPTURE_CALL };
	struct observation o = story_merge(story, c);

	story_place(&o, verdict);
	fields_set_text(&verdict->culprit, FIELD_API, o.api);
	if (o.stream != MODEL_UNKNOWN)
		verdict_summary(verdict, "%s was called while stream %lld is being captured", o.api ? o.api : "a call that is not allowed",
				(long long)o.stream);
	else
		verdict_summary(verdict, "%s was called during a capture, where it is not allowed", o.api ? o.api : "a call");
	story_more_evidence(story, c, more, 1, 2, verdict);
	verdict_next(verdict, "find the host copy, .item(), synchronize or query in the captured region (the Python lines above the error) and move it out");
	story_explain_code(&o, verdict);
}

static const struct cause cause = {
	.class = CLASS_SYNC_DURING_CAPTURE, .tier = TIER_CAUSE, .matches = matches, .tell = tell
};
CAUSE(sync_during_capture, cause)
