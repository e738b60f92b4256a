// SPDX-License-Identifier: Apache-2.0
/*
 * aicpu-error: an AI CPU kernel failed or did not end. Host and device side tell it in
 * different words; either names the operator. Uses story.
 */
#include "analyzer/diagnose/rules.h"
#include "analyzer/diagnose/story.h"
#include <stdlib.h>

static void tell(const struct story *story, const struct candidate *c, struct verdict *verdict)
{
	static const enum observation_kind more[] = { OBSERVED_AICPU_FAULT, OBSERVED_AICPU_ERROR };
	struct observation o = story_merge(story, c);
	const char *kernel = o.kernel ? o.kernel : o.op;
	char *where = story_where(&o);

	story_place(&o, verdict);
	fields_set_text(&verdict->culprit, FIELD_KERNEL, kernel);
	fields_set_text(&verdict->culprit, FIELD_OP, o.op);
	if (kernel)
		verdict_summary(verdict, "AI CPU kernel %s failed%s", kernel, where);
	else
		verdict_summary(verdict, "an AI CPU task failed%s", where);
	story_more_evidence(story, c, more, 2, 3, verdict);
	verdict_next(verdict, "the device log (device-<id>/device-<pid>_*.log) says why: look for the operator's name there");
	story_explain_code(&o, verdict);
	free(where);
}

static bool is_fault(const struct story *story, const struct observation *o)
{
	(void)story;
	return o->kind == OBSERVED_AICPU_FAULT;
}

static bool is_report(const struct story *story, const struct observation *o)
{
	(void)story;
	return o->kind == OBSERVED_AICPU_ERROR || code_means(o, CLASS_AICPU_ERROR);
}

static const struct cause cause = {
	.class = CLASS_AICPU_ERROR, .tier = TIER_CAUSE, .matches = is_fault, .tell = tell
};
static const struct cause report_cause = {
	.class = CLASS_AICPU_ERROR, .tier = TIER_REPORT, .matches = is_report, .tell = tell
};
CAUSE(aicpu_error, cause)
CAUSE(aicpu_report, report_cause)
