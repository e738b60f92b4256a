// SPDX-License-Identifier: Apache-2.0
/*
 * collective-mismatch: on one communicator ranks were in different collectives, or in
 * one with different arguments. Uses collective, story.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/diagnose/collective.h"
#include "analyzer/diagnose/rules.h"
#include "analyzer/model/util.h"

/* Point to point calls and those with unequal shares differ by nature. */
static bool shape_may_differ(const char *op)
{
	static const char *const names[] = { "send", "recv", "alltoall", "batchsendrecv" };

	for (size_t i = 0; op && i < sizeof(names) / sizeof(names[0]); i++)
		if (collective_same_op(op, names[i]))
			return true;
	return !op || strchr(op, 'V') != NULL || strstr(op, "ToAll") != NULL;
}

/* Whether a name that both give ("count=4096 datatype=float32") has another value. */
static bool shapes_differ(const char *a, const char *b)
{
	for (; a && b && *a; a += strcspn(a, " "), a += *a == ' ') {
		size_t name = strcspn(a, "= "), length = strcspn(a, " ");

		for (const char *p = b; *p; p += strcspn(p, " "), p += *p == ' ')
			if (!strncmp(a, p, name + 1) && (strcspn(p, " ") != length || strncmp(a, p, length)))
				return true;
	}
	return false;
}

static bool differ(const struct observation *a, const struct observation *b)
{
	if (a->communicator && b->communicator && a->communicator != b->communicator)
		return false;
	if (!collective_same_op(a->op, b->op) && a->kind == b->kind)
		return true;
	if (a->kind != b->kind)
		return false;
	if (a->number != MODEL_UNKNOWN && b->number != MODEL_UNKNOWN && a->kind != OBSERVED_HCCL_TIMEOUT &&
	    a->kind != OBSERVED_NOTIFY_TIMEOUT && a->number != b->number)
		return true;
	return a->kind == OBSERVED_COLLECTIVE_TIMEOUT && a->op && b->op && !shape_may_differ(a->op) &&
	       shapes_differ(a->detail, b->detail);
}

static size_t agreeing(const struct collective *c, size_t i)
{
	size_t count = 0;

	for (size_t k = 0; k < c->count; k++)
		count += !differ(c->reports[i], c->reports[k]);
	return count;
}

/* The ranks of those that differ from somebody which the fewest agree with. */
static bool find_reports(const struct story *story, struct candidate *candidate)
{
	size_t most = 0, least = SIZE_MAX;
	struct collective c;

	collective_build(story, &c);
	for (size_t i = 0; i < c.count; i++) {
		size_t count = agreeing(&c, i);

		if (count == c.count)
			continue;
		most = count > most ? count : most;
		least = count < least ? count : least;
	}
	for (size_t i = 0; most && i < c.count; i++) {
		size_t count = agreeing(&c, i);
		int64_t *slot;

		if (c.reports[i]->rank == MODEL_UNKNOWN || count == c.count || (count == most && most != least))
			continue;
		slot = array_add(&candidate->list, &candidate->list_count, sizeof(*slot));
		*slot = c.reports[i]->rank;
	}
	if (most)
		collective_candidate(&c, candidate);
	collective_clear(&c);
	return candidate->first != NULL;
}

/* HCCL compared the arguments itself. */
static bool find_told(const struct story *story, struct candidate *candidate)
{
	const struct observation *o = story_first(story, OBSERVED_COLLECTIVE_PARAMETER);

	if (!o)
		o = story_first(story, OBSERVED_CLUSTER_MISMATCH);
	if (o)
		candidate_from(candidate, o);
	return o != NULL;
}

static bool find(const struct story *story, struct candidate *candidate)
{
	return find_told(story, candidate) || find_reports(story, candidate);
}

static void tell_told(const struct story *story, const struct candidate *candidate, struct verdict *verdict)
{
	const struct observation *o = candidate->first;

	if (o->kind == OBSERVED_CLUSTER_MISMATCH) {
		fields_set_text(&verdict->culprit, FIELD_HOST, o->peer_host);
		set_number(&verdict->culprit, FIELD_DEVICE, o->peer);
	}
	fields_set_text(&verdict->culprit, FIELD_COMMUNICATOR, o->communicator);
	fields_set_text(&verdict->culprit, FIELD_OP, o->op);
	if (o->rank != MODEL_UNKNOWN)
		fields_add_to_list(&verdict->culprit, FIELD_RANKS, o->rank);
	if (o->peer != MODEL_UNKNOWN && o->kind == OBSERVED_COLLECTIVE_PARAMETER)
		fields_add_to_list(&verdict->culprit, FIELD_RANKS, o->peer);
	verdict_summary(verdict, "ranks called %s with different arguments: %s", o->op ? o->op : "a collective",
			o->origin.text ? o->origin.text : "");
	verdict->confidence = CONFIDENCE_LIKELY;
	(void)story;
}

static void tell(const struct story *story, const struct candidate *candidate, struct verdict *verdict)
{
	struct collective c;

	if (candidate->first->kind == OBSERVED_COLLECTIVE_PARAMETER ||
	    candidate->first->kind == OBSERVED_CLUSTER_MISMATCH) {
		tell_told(story, candidate, verdict);
	} else {
		const struct observation *a, *b;
		size_t first = 0, odd = 0;

		collective_build(story, &c);
		for (size_t i = 0; i < candidate->list_count; i++)
			fields_add_to_list(&verdict->culprit, FIELD_RANKS, candidate->list[i]);
		collective_tell(story, &c, verdict);
		while (first + 1 < c.count && agreeing(&c, first) == c.count)
			first++;
		a = c.reports[first];
		while (odd + 1 < c.count && !differ(a, c.reports[odd]))
			odd++;
		b = c.reports[odd];
		verdict_summary(verdict, "on one communicator rank %lld is in %s (%s, call %lld), rank %lld in %s (%s, call %lld)",
				(long long)a->rank, a->op ? a->op : "?", a->detail ? a->detail : "", (long long)a->number,
				(long long)b->rank, b->op ? b->op : "?", b->detail ? b->detail : "", (long long)b->number);
		verdict->confidence = CONFIDENCE_LIKELY;
		collective_clear(&c);
	}
	verdict_next(verdict, "look for branches that depend on the rank or the data before this call; HCCL_ENTRY_LOG_ENABLE=1 logs every call");
}

static const struct cause cause = {
	.class = CLASS_COLLECTIVE_MISMATCH, .tier = TIER_WAIT, .find = find, .tell = tell
};
CAUSE(mismatch, cause)
