// SPDX-License-Identifier: Apache-2.0
/*
 * config-error: a set-up that cannot work, such as a driver that is older than the
 * toolkit or devices hidden from a peer. Uses story.
 */
#include "analyzer/diagnose/rules.h"
#include "analyzer/diagnose/story.h"

static bool matches(const struct story *story, const struct observation *o)
{
	(void)story;
	return o->kind == OBSERVED_CONFIG_CONFLICT || code_means(o, CLASS_CONFIG_ERROR);
}

static void tell(const struct story *story, const struct candidate *c, struct verdict *verdict)
{
	struct observation o = story_merge(story, c);

	set_number(&verdict->culprit, FIELD_RANK, o.rank);
	set_number(&verdict->culprit, FIELD_DEVICE, o.device);
	set_number(&verdict->culprit, FIELD_PID, o.pid);
	fields_set_text(&verdict->culprit, FIELD_ERROR_CODE, o.code_text);
	verdict_summary(verdict, "the set-up cannot work: %s", o.detail ? o.detail : o.origin.text ? o.origin.text : "see below");
	story_explain_code(&o, verdict);
	verdict_next(verdict, "compare the versions of driver, firmware and toolkit, and the visible devices of all processes");
}

static const struct cause cause = {
	.class = CLASS_CONFIG_ERROR, .tier = TIER_CAUSE, .matches = matches, .tell = tell
};
CAUSE(config_error, cause)
