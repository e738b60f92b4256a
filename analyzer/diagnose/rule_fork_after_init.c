// SPDX-License-Identifier: Apache-2.0
/*
 * fork-after-init: a forked child uses the device that its parent had set up. Here: the
 * framework noticed and refused. Uses story.
 */
#include "analyzer/diagnose/rules.h"
#include "analyzer/diagnose/story.h"

static bool matches(const struct story *story, const struct observation *o)
{
	(void)story;
	return o->kind == OBSERVED_FORKED_DEVICE;
}

static void tell(const struct story *story, const struct candidate *c, struct verdict *verdict)
{
	struct observation o = story_merge(story, c);

	set_number(&verdict->culprit, FIELD_RANK, o.rank);
	set_number(&verdict->culprit, FIELD_PID, o.pid);
	fields_set_text(&verdict->culprit, FIELD_THREAD, o.thread);
	if (o.pid != MODEL_UNKNOWN)
		verdict_summary(verdict, "process %lld was forked after its parent had used the device, and uses it too",
				(long long)o.pid);
	else
		verdict_summary(verdict, "a process was forked after its parent had used the device, and uses it too");
	(void)story;
	verdict_next(verdict, "start workers with spawn or forkserver, or fork before anything touches the device (also indirectly: memory queries, device counts)");
}

static const struct cause cause = {
	.class = CLASS_FORK_AFTER_INIT, .tier = TIER_CAUSE, .matches = matches, .tell = tell
};
CAUSE(fork_after_init, cause)
