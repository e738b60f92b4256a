// SPDX-License-Identifier: Apache-2.0
/*
 * peer-stuck: HCCL reports that another rank is alive but stuck. Uses story.
 */
#include "analyzer/diagnose/rules.h"
#include "analyzer/diagnose/story.h"

static bool matches(const struct story *story, const struct observation *o)
{
	(void)story;
	return o->kind == OBSERVED_CLUSTER_STUCK;
}

static void tell(const struct story *story, const struct candidate *c, struct verdict *verdict)
{
	static const enum observation_kind more[] = { OBSERVED_CLUSTER_STUCK };
	struct observation o = story_merge(story, c);

	story_cluster(story, &o, verdict);
	verdict_summary(verdict, "device %lld of host %s is alive but stuck; the others wait for it", (long long)o.peer,
			o.peer_host ? o.peer_host : "?");
	story_more_evidence(story, c, more, 1, 3, verdict);
	story_limits(story, verdict);
	verdict_next(verdict, "look at that process while it is stuck (cannwatch attach), or at its own logs");
}

static const struct cause cause = {
	.class = CLASS_PEER_STUCK, .tier = TIER_REPORT, .matches = matches, .tell = tell
};
CAUSE(peer_stuck, cause)
