// SPDX-License-Identifier: Apache-2.0
/*
 * collective-stuck: every rank reports the same collective, so nobody is missing and
 * nobody differs, and still it did not end. Uses collective, story.
 */
#include <stdlib.h>

#include "analyzer/diagnose/collective.h"
#include "analyzer/diagnose/rules.h"

static bool find(const struct story *story, struct candidate *candidate)
{
	struct collective c;
	bool whole = true;

	collective_build(story, &c);
	for (size_t i = 0; i < c.count; i++)
		whole &= !c.reports[i]->is_cut;
	if (c.count > 1 && c.op && whole &&
	    (c.world != MODEL_UNKNOWN ? (int64_t)c.count >= c.world : c.count == c.known_count))
		collective_candidate(&c, candidate);
	collective_clear(&c);
	return candidate->first != NULL;
}

static void tell(const struct story *story, const struct candidate *candidate, struct verdict *verdict)
{
	struct collective c;

	(void)candidate;
	collective_build(story, &c);
	collective_tell(story, &c, verdict);
	for (size_t i = 0; i < c.count; i++)
		if (c.reports[i]->rank != MODEL_UNKNOWN)
			fields_add_to_list(&verdict->culprit, FIELD_RANKS, c.reports[i]->rank);
	verdict_summary(verdict, "all %zu ranks are in the same %s and none leaves it", c.count, c.op);
	if (c.world == MODEL_UNKNOWN)
		verdict_assume(verdict, "there are no other ranks than those whose logs are here");
	verdict_next(verdict, "look for the device side: link errors between the ranks, a kernel before the collective that does not finish on one of them");
	collective_clear(&c);
}

static const struct cause cause = {
	.class = CLASS_COLLECTIVE_STUCK, .tier = TIER_WAIT, .find = find, .tell = tell
};
CAUSE(collective_stuck, cause)
