// SPDX-License-Identifier: Apache-2.0
/*
 * use-after-destroy: a stream, event or notify was used after it was destroyed, as the
 * runtime says. Uses story.
 */
#include "analyzer/diagnose/rules.h"
#include "analyzer/diagnose/story.h"

static bool matches(const struct story *story, const struct observation *o)
{
	(void)story;
	return o->kind == OBSERVED_DESTROYED_USE;
}

static void tell(const struct story *story, const struct candidate *c, struct verdict *verdict)
{
	struct observation o = story_merge(story, c);

	story_place(&o, verdict);
	set_number(&verdict->culprit, FIELD_EVENT, o.event);
	set_number(&verdict->culprit, FIELD_NOTIFY, o.notify);
	fields_set_text(&verdict->culprit, FIELD_API, o.api);
	verdict_summary(verdict, "%s used an object that was destroyed%s%s", o.api ? o.api : "a call", o.detail ? ": " : "",
			o.detail ? o.detail : "");
	verdict_next(verdict, "find the destroy call and move it behind the last use; handles are given out again soon after a destroy");
}

static const struct cause cause = {
	.class = CLASS_USE_AFTER_DESTROY, .tier = TIER_CAUSE, .matches = matches, .tell = tell
};
CAUSE(use_after_destroy, cause)
