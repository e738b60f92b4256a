// SPDX-License-Identifier: Apache-2.0
/*
 * collective-missing-rank: some ranks waited in a collective, or in the set-up of a
 * communicator, that others never came to. Set-up errors list them; else they are the
 * ranks whose logs are there and show no wait. Uses collective, story.
 */
#include <stdlib.h>

#include "analyzer/diagnose/collective.h"
#include "analyzer/diagnose/rules.h"
#include "analyzer/model/util.h"

static void add_rank(struct candidate *candidate, int64_t rank)
{
	int64_t *slot;

	for (size_t i = 0; i < candidate->list_count; i++)
		if (candidate->list[i] == rank)
			return;
	slot = array_add(&candidate->list, &candidate->list_count, sizeof(*slot));
	*slot = rank;
}

static void find_unconnected(const struct story *story, struct candidate *candidate)
{
	for (size_t i = 0; i < story->set->count; i++) {
		const struct observation *o = &story->set->items[i];

		if (o->kind != OBSERVED_RANKS_MISSING)
			continue;
		if (!candidate->first)
			candidate_from(candidate, o);
		for (size_t k = 0; k < o->list_count; k++)
			add_rank(candidate, o->list[k]);
	}
}

static bool is_connected(const struct story *story, int64_t rank)
{
	for (size_t i = 0; i < story->set->count; i++) {
		const struct observation *o = &story->set->items[i];

		for (size_t k = 0; o->kind == OBSERVED_RANKS_CONNECTED && k < o->list_count; k++)
			if (o->list[k] == rank)
				return true;
	}
	return false;
}

/* The root lists who has come; the others have not. */
static void find_unlisted(const struct story *story, struct candidate *candidate)
{
	const struct observation *needed = story_first(story, OBSERVED_RANKS_NEEDED);
	const struct observation *connected = story_first(story, OBSERVED_RANKS_CONNECTED);

	if (!needed || !connected || needed->count == MODEL_UNKNOWN || needed->count > 100000)
		return;
	candidate_from(candidate, connected);
	for (int64_t rank = 0; rank < needed->count; rank++)
		if (!is_connected(story, rank))
			add_rank(candidate, rank);
}

/* How many collectives a rank entered on any communicator, by the entry log. */
static uint64_t entries_of(const struct story *story, int64_t rank)
{
	uint64_t count = 0;

	for (size_t i = 0; i < story->set->count; i++)
		if (story->set->items[i].kind == OBSERVED_COLLECTIVE_ENTRY && story->set->items[i].rank == rank)
			count += 1 + story->set->items[i].repeats;
	return count;
}

static void find_silent(const struct story *story, struct candidate *candidate)
{
	struct collective c;
	uint64_t most = 0;

	collective_build(story, &c);
	for (size_t i = 0; i < c.count; i++) {
		uint64_t count = entries_of(story, c.reports[i]->rank);

		if (count > most)
			most = count;
	}
	for (size_t i = 0; c.count && i < c.known_count; i++) {
		uint64_t count = entries_of(story, c.known[i]);

		/* A rank that entered as often as the others has not missed the call. */
		if (collective_is_silent(story, &c, c.known[i]) && (!count || count < most))
			add_rank(candidate, c.known[i]);
	}
	if (candidate->list_count)
		collective_candidate(&c, candidate);
	candidate->text = c.op;
	collective_clear(&c);
}

static bool find(const struct story *story, struct candidate *candidate)
{
	find_unconnected(story, candidate);
	if (!candidate->list_count)
		find_unlisted(story, candidate);
	candidate->text = "init";
	if (!candidate->list_count)
		find_silent(story, candidate);
	return candidate->list_count > 0;
}

static void tell(const struct story *story, const struct candidate *candidate, struct verdict *verdict)
{
	struct collective c;
	struct text ranks = { 0 };
	char *list;

	collective_build(story, &c);
	for (size_t i = 0; i < candidate->list_count; i++) {
		fields_add_to_list(&verdict->culprit, FIELD_RANKS, candidate->list[i]);
		if (i < 16)
			text_addf(&ranks, "%s%lld", i ? ", " : "", (long long)candidate->list[i]);
	}
	list = text_take(&ranks);
	if (candidate->first->kind == OBSERVED_RANKS_MISSING || candidate->first->kind == OBSERVED_RANKS_CONNECTED) {
		fields_set_text(&verdict->culprit, FIELD_OP, "init");
		verdict_summary(verdict, "rank%s %s never joined the communicator that the others set up",
				candidate->list_count > 1 ? "s" : "", list);
		story_limits(story, verdict);
		verdict->confidence = CONFIDENCE_LIKELY;
	} else {
		collective_tell(story, &c, verdict);
		verdict_summary(verdict, "%zu rank%s waited in %s; rank%s %s never came to it", c.count, c.count > 1 ? "s" : "",
				c.op ? c.op : "a collective", candidate->list_count > 1 ? "s" : "", list);
		verdict_assume(verdict, "what rank%s %s wrote is complete", candidate->list_count > 1 ? "s" : "", list);
	}
	verdict_next(verdict, "look at the missing rank%s first: log, screen, and if it still runs cannwatch attach there",
		     candidate->list_count > 1 ? "s" : "");
	free(list);
	collective_clear(&c);
}

static const struct cause cause = {
	.class = CLASS_COLLECTIVE_MISSING_RANK, .tier = TIER_WAIT, .find = find, .tell = tell
};
CAUSE(missing_rank, cause)
