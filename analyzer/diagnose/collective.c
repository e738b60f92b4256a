// SPDX-License-Identifier: Apache-2.0
/* Reports of one collective by rank (collective.h). */
#include "analyzer/diagnose/collective.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analyzer/model/util.h"

static bool is_report(const struct observation *o)
{
	return (o->kind == OBSERVED_COLLECTIVE_TIMEOUT || o->kind == OBSERVED_COLLECTIVE_WATCHDOG ||
		o->kind == OBSERVED_HCCL_TIMEOUT || (o->kind == OBSERVED_NOTIFY_TIMEOUT && o->op)) &&
	       o->level != LEVEL_INFO;
}

static bool same_process(const struct observation *a, const struct observation *b)
{
	if (a->rank != MODEL_UNKNOWN && b->rank != MODEL_UNKNOWN)
		return a->rank == b->rank;
	return a->pid == b->pid && a->origin.file == b->origin.file;
}

/* HCCL's own report says most. */
static int report_worth(const struct observation *o)
{
	return (o->kind == OBSERVED_COLLECTIVE_TIMEOUT) * 4 + (o->op != NULL) * 2 + (o->number != MODEL_UNKNOWN);
}

static void add_report(struct collective *c, const struct observation *o)
{
	const struct observation **slot;

	for (size_t i = 0; i < c->count; i++) {
		if (!same_process(c->reports[i], o))
			continue;
		if (report_worth(o) > report_worth(c->reports[i]))
			c->reports[i] = o;
		return;
	}
	slot = array_add(&c->reports, &c->count, sizeof(*slot));
	*slot = o;
}

static int compare_reports(const void *a, const void *b)
{
	const struct observation *x = *(const struct observation *const *)a;
	const struct observation *y = *(const struct observation *const *)b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

static int compare_numbers(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void add_known(struct collective *c, int64_t rank)
{
	int64_t *slot;

	if (rank == MODEL_UNKNOWN)
		return;
	slot = array_add(&c->known, &c->known_count, sizeof(*slot));
	*slot = rank;
}

static void sort_known(struct collective *c)
{
	size_t kept = 0;

	if (!c->known_count)
		return;
	qsort(c->known, c->known_count, sizeof(*c->known), compare_numbers);
	for (size_t i = 0; i < c->known_count; i++)
		if (!kept || c->known[kept - 1] != c->known[i])
			c->known[kept++] = c->known[i];
	c->known_count = kept;
}

/* The communicator of the report that came first, NULL if none names one. */
static const char *first_communicator(const struct story *story)
{
	const struct observation *first = NULL;

	for (size_t i = 0; i < story->set->count; i++) {
		const struct observation *o = &story->set->items[i];

		if (is_report(o) && o->communicator && (!first || o->time_us < first->time_us))
			first = o;
	}
	return first ? first->communicator : NULL;
}

void collective_build(const struct story *story, struct collective *c)
{
	const char *communicator = first_communicator(story);

	memset(c, 0, sizeof(*c));
	c->world = MODEL_UNKNOWN;
	for (size_t i = 0; i < story->set->count; i++) {
		const struct observation *o = &story->set->items[i];

		if (o->kind == OBSERVED_FILE || o->kind == OBSERVED_COMM_ENTRY)
			add_known(c, o->rank);
		if (o->kind == OBSERVED_WORLD && c->world == MODEL_UNKNOWN)
			c->world = o->count;
		if (o->kind == OBSERVED_COLLECTIVE_CALL && !c->op)
			c->op = o->op;
		if (!is_report(o) || (communicator && o->communicator && o->communicator != communicator))
			continue;
		add_report(c, o);
		add_known(c, o->rank);
		if (o->kind == OBSERVED_COLLECTIVE_TIMEOUT && o->count != MODEL_UNKNOWN)
			c->world = o->count;
	}
	for (size_t i = 0; i < c->count; i++) {
		if (c->reports[i]->op) {
			c->op = c->reports[i]->op;
			break;
		}
	}
	sort_known(c);
	if (c->count)
		qsort(c->reports, c->count, sizeof(*c->reports), compare_reports);
}

void collective_clear(struct collective *c)
{
	free(c->reports);
	free(c->known);
}

bool collective_has_rank(const struct collective *c, int64_t rank)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->reports[i]->rank == rank)
			return true;
	return false;
}

bool collective_is_silent(const struct story *story, const struct collective *c, int64_t rank)
{
	if (collective_has_rank(c, rank))
		return false;
	for (size_t i = 0; i < story->set->count; i++)
		if (story->set->items[i].rank == rank && story->set->items[i].kind == OBSERVED_OTHER_ERROR)
			return false;
	return true;
}

bool collective_same_op(const char *a, const char *b)
{
	if (!a || !b)
		return true;
	while (*a || *b) {
		while (*a == '_')
			a++;
		while (*b == '_')
			b++;
		if ((*a | 32) != (*b | 32) || !*a != !*b)
			return false;
		if (!*a)
			break;
		a++;
		b++;
	}
	return true;
}

void collective_tell(const struct story *story, const struct collective *c, struct verdict *verdict)
{
	const char *communicator = NULL;

	for (size_t i = 0; i < c->count; i++) {
		if (!communicator)
			communicator = c->reports[i]->communicator;
		if (i < 6)
			story_evidence(story, &c->reports[i]->origin, verdict);
	}
	fields_set_text(&verdict->culprit, FIELD_COMMUNICATOR, communicator);
	fields_set_text(&verdict->culprit, FIELD_OP, c->op);
	story_limits(story, verdict);
}

void collective_candidate(const struct collective *c, struct candidate *candidate)
{
	for (size_t i = 0; i < c->count; i++)
		if (!candidate->first || c->reports[i]->time_us < candidate->first->time_us)
			candidate_from(candidate, c->reports[i]);
}
