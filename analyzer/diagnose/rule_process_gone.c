// SPDX-License-Identifier: Apache-2.0
/*
 * process-gone: a process was ended from outside: by the kernel for want of memory, by
 * the platform or a launcher. Uses story.
 */
#include "analyzer/diagnose/rules.h"
#include "analyzer/diagnose/story.h"
#include <string.h>

static bool matches(const struct story *story, const struct observation *o)
{
	(void)story;
	return o->kind == OBSERVED_PROCESS_KILLED ||
	       (o->kind == OBSERVED_CRASH && (o->number == 9 || o->number == 15));
}

static void tell(const struct story *story, const struct candidate *c, struct verdict *verdict)
{
	struct observation o = story_merge(story, c);
	bool memory = o.origin.text && (strstr(o.origin.text, "Out of memory") || strstr(o.origin.text, "oom"));

	set_number(&verdict->culprit, FIELD_PID, o.pid);
	set_number(&verdict->culprit, FIELD_RANK, o.rank);
	verdict_summary(verdict, "%s%lld was ended from outside by signal %lld%s", o.pid != MODEL_UNKNOWN ? "process " : "rank ",
			(long long)(o.pid != MODEL_UNKNOWN ? o.pid : o.rank), (long long)o.number,
			memory ? ": the host ran out of memory" : "");
	if (memory)
		verdict_next(verdict, "lower the host memory the processes take (data loader workers, caches) or raise the limit of the container");
	else
		verdict_next(verdict, "ask the platform, the launcher or the kernel's log who sent the signal");
}

static const struct cause cause = {
	.class = CLASS_PROCESS_GONE, .tier = TIER_CAUSE, .matches = matches, .tell = tell
};
CAUSE(process_gone, cause)
