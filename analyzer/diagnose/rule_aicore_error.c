// SPDX-License-Identifier: Apache-2.0
/*
 * aicore-error: a kernel of the AI Core or vector core failed or did not end. The line
 * with the kernel is the cause; codes and general lines stand for it where there is
 * none. Uses story.
 */
#include "analyzer/diagnose/rules.h"
#include "analyzer/diagnose/story.h"
#include <stdlib.h>

static void tell(const struct story *story, const struct candidate *c, struct verdict *verdict)
{
	static const enum observation_kind more[] = { OBSERVED_AICORE_FAULT, OBSERVED_AICORE_ERROR, OBSERVED_TASK_FAILED };
	struct observation o = story_merge(story, c);
	char *where = story_where(&o);

	story_place(&o, verdict);
	fields_set_text(&verdict->culprit, FIELD_KERNEL, o.kernel);
	if (o.kernel)
		verdict_summary(verdict, "kernel %s failed%s", o.kernel, where);
	else
		verdict_summary(verdict, "an AI Core task failed%s; no line names the kernel", where);
	story_more_evidence(story, c, more, 3, 3, verdict);
	verdict_next(verdict, "run this operator alone with the same shapes; dump its inputs (aclInit json: dump_scene aic_err_brief_dump)");
	story_explain_code(&o, verdict);
	free(where);
}

static bool is_fault(const struct story *story, const struct observation *o)
{
	(void)story;
	return o->kind == OBSERVED_AICORE_FAULT;
}

static bool is_report(const struct story *story, const struct observation *o)
{
	(void)story;
	return o->kind == OBSERVED_AICORE_ERROR || code_means(o, CLASS_AICORE_ERROR);
}

static const struct cause cause = {
	.class = CLASS_AICORE_ERROR, .tier = TIER_CAUSE, .matches = is_fault, .tell = tell
};
static const struct cause report_cause = {
	.class = CLASS_AICORE_ERROR, .tier = TIER_REPORT, .matches = is_report, .tell = tell
};
CAUSE(aicore_error, cause)
CAUSE(aicore_report, report_cause)
