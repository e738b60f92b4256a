// SPDX-License-Identifier: Apache-2.0
/*
 * task-failed: the runtime says that a task failed, and no line says which kernel, copy
 * or code it was. Uses story.
 */
#include "analyzer/diagnose/rules.h"
#include "analyzer/diagnose/story.h"
#include <stdlib.h>

static bool matches(const struct story *story, const struct observation *o)
{
	(void)story;
	return o->kind == OBSERVED_TASK_FAILED;
}

static void tell(const struct story *story, const struct candidate *c, struct verdict *verdict)
{
	static const enum observation_kind more[] = { OBSERVED_TASK_FAILED, OBSERVED_API_FAILED };
	struct observation o = story_merge(story, c);
	char *where = story_where(&o);

	story_place(&o, verdict);
	verdict_summary(verdict, "a task failed%s; nothing names a kernel or a reason", where);
	story_more_evidence(story, c, more, 2, 3, verdict);
	verdict_next(verdict, "set ASCEND_GLOBAL_LOG_LEVEL=1 and run again, and look at the device log of this time");
	free(where);
}

static const struct cause cause = {
	.class = CLASS_TASK_FAILED, .tier = TIER_REPORT, .matches = matches, .tell = tell
};
CAUSE(task_failed, cause)
