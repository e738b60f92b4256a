// SPDX-License-Identifier: Apache-2.0
/*
 * slow-rank: all ranks were in the same collective and all timed out, but one of them so
 * much later than the first that it must have come late. Uses collective, story.
 */
#include <stdlib.h>

#include "analyzer/diagnose/collective.h"
#include "analyzer/diagnose/rules.h"

static bool find(const struct story *story, struct candidate *candidate)
{
	const struct observation *first = NULL, *last = NULL;
	struct collective c;

	collective_build(story, &c);
	for (size_t i = 0; i < c.count; i++) {
		const struct observation *o = c.reports[i];

		if (o->time_us == MODEL_UNKNOWN || o->rank == MODEL_UNKNOWN)
			continue;
		if (!first || o->time_us < first->time_us)
			first = o;
		if (!last || o->time_us > last->time_us)
			last = o;
	}
	if (c.count > 1 && first && last != first &&
	    (last->time_us - first->time_us) / 1000000 >= story_collective_limit(story)) {
		candidate_from(candidate, first);
		candidate->number = last->rank;
	}
	collective_clear(&c);
	return candidate->first != NULL;
}

static void tell(const struct story *story, const struct candidate *candidate, struct verdict *verdict)
{
	const struct observation *last = NULL;
	struct collective c;

	collective_build(story, &c);
	for (size_t i = 0; i < c.count; i++)
		if (c.reports[i]->rank == candidate->number)
			last = c.reports[i];
	fields_set_number(&verdict->culprit, FIELD_RANK, candidate->number);
	collective_tell(story, &c, verdict);
	verdict_summary(verdict, "rank %lld came to %s more than %lld s after rank %lld; the limit is %lld s",
			(long long)candidate->number, c.op ? c.op : "the collective",
			last ? (long long)((last->time_us - candidate->time_us) / 1000000) : 0,
			(long long)candidate->first->rank, (long long)story_collective_limit(story));
	verdict_next(verdict, "find what kept that rank (compilation, data, checkpoint), or raise HCCL_EXEC_TIMEOUT if it is meant");
	collective_clear(&c);
}

static const struct cause cause = {
	.class = CLASS_SLOW_RANK, .tier = TIER_WAIT, .find = find, .tell = tell
};
CAUSE(slow_rank, cause)
