// SPDX-License-Identifier: Apache-2.0
/* Picking the root, counting followers, and what causes share (story.h). */
#include "analyzer/diagnose/story.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyzer/codes/error_code.h"
#include "analyzer/model/util.h"

static const struct cause *const *const story_causes[] = {
#define CAUSE_ENTRY(name) &cause_##name,
	CAUSES(CAUSE_ENTRY)
#undef CAUSE_ENTRY
};
static const size_t story_cause_count = sizeof(story_causes) / sizeof(story_causes[0]);

#define SECOND	 INT64_C(1000000)
#define INCIDENT (10 * SECOND)

void set_number(struct fields *fields, enum field field, int64_t number)
{
	if (number != MODEL_UNKNOWN)
		fields_set_number(fields, field, number);
}

char *story_time(int64_t time_us)
{
	time_t seconds = (time_t)(time_us / SECOND);
	struct tm tm;
	char text[40];

	if (time_us == MODEL_UNKNOWN || time_us < 0 || !gmtime_r(&seconds, &tm))
		return NULL;
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm);
	return xasprintf("%s.%06lld", text, (long long)(time_us % SECOND));
}

void candidate_init(struct candidate *candidate, const struct cause *cause)
{
	memset(candidate, 0, sizeof(*candidate));
	candidate->cause = cause;
	candidate->time_us = MODEL_UNKNOWN;
	candidate->number = MODEL_UNKNOWN;
}

void candidate_from(struct candidate *candidate, const struct observation *o)
{
	candidate->first = o;
	candidate->time_us = o->time_us;
	candidate->file = o->origin.file;
	candidate->line = o->origin.line;
}

const struct observation *story_first(const struct story *story, enum observation_kind kind)
{
	for (size_t i = 0; i < story->set->count; i++)
		if (story->set->items[i].kind == kind)
			return &story->set->items[i];
	return NULL;
}

enum verdict_class story_code_class(const struct observation *o)
{
	const struct error_code *code = NULL;

	if (o->code_text)
		code = error_code_find(o->code_text);
	if (!code && o->code != MODEL_UNKNOWN)
		code = error_code_find_number(o->code);
	return code ? code->class : CLASS_COUNT;
}

/*
 * How much earlier than written a tier may be taken: the specific line of an
 * incident often follows the general one by some milliseconds.
 */
static int64_t head_start(enum tier tier)
{
	switch (tier) {
	case TIER_DEVICE:
		return 86400 * SECOND;
	case TIER_CAUSE:
		return INCIDENT;
	case TIER_REPORT:
		return INCIDENT / 2;
	case TIER_PROGRAM:
		return INCIDENT / 2;
	case TIER_STACK:
	case TIER_VAGUE:
	case TIER_IDLE:
		return -INCIDENT;
	default:
		return 0;
	}
}

/* Whether a comes before b as the cause of it all. */
static bool comes_before(const struct candidate *a, const struct candidate *b)
{
	if (a->time_us != MODEL_UNKNOWN && b->time_us != MODEL_UNKNOWN) {
		int64_t from_a = a->time_us - head_start(a->cause->tier);
		int64_t from_b = b->time_us - head_start(b->cause->tier);

		if (a->cause->tier == b->cause->tier && a->time_us != b->time_us)
			return a->time_us < b->time_us;
		if (from_a != from_b)
			return from_a < from_b;
	}
	if (a->cause->tier != b->cause->tier)
		return a->cause->tier < b->cause->tier;
	if (a->file != b->file)
		return a->file < b->file;
	return a->line < b->line;
}

static bool find_candidate(const struct story *story, const struct cause *cause, struct candidate *candidate)
{
	bool found = false;

	candidate_init(candidate, cause);
	if (cause->find)
		return cause->find(story, candidate);
	for (size_t i = 0; i < story->set->count; i++) {
		const struct observation *o = &story->set->items[i];
		struct candidate other;

		if (!cause->matches(story, o))
			continue;
		candidate_init(&other, cause);
		candidate_from(&other, o);
		if (!found || comes_before(&other, candidate))
			*candidate = other;
		found = true;
	}
	return found;
}

/* Observations that only state facts do not follow from anything. */
static bool is_trouble(const struct observation *o)
{
	switch (o->kind) {
	case OBSERVED_DEVICE_SET:
	case OBSERVED_COLLECTIVE_ENTRY:
	case OBSERVED_COMM_ENTRY:
	case OBSERVED_COLLECTIVE_CALL:
	case OBSERVED_WORLD:
	case OBSERVED_TIMEOUT_SETTING:
	case OBSERVED_COMPILE_STATUS:
	case OBSERVED_COMPILE_FINISHED:
	case OBSERVED_COMPILE_WAIT:
	case OBSERVED_COMPILE_STATE:
	case OBSERVED_HOST_WATCHDOG:
	case OBSERVED_IDLE_NOTE:
	case OBSERVED_STEP:
	case OBSERVED_FILE:
	case OBSERVED_NOTHING:
		return false;
	default:
		return o->level != LEVEL_INFO && o->level != LEVEL_EVENT;
	}
}

static void note_time(struct story *story, int64_t time_us)
{
	if (time_us == MODEL_UNKNOWN)
		return;
	if (story->followers_first_us == MODEL_UNKNOWN || time_us < story->followers_first_us)
		story->followers_first_us = time_us;
	if (story->followers_last_us == MODEL_UNKNOWN || time_us > story->followers_last_us)
		story->followers_last_us = time_us;
}

static void count_followers(struct story *story)
{
	for (size_t i = 0; i < story->set->count; i++) {
		const struct observation *o = &story->set->items[i];

		if (o == story->root.first || !is_trouble(o))
			continue;
		story->followers += 1 + o->repeats;
		note_time(story, o->time_us);
		note_time(story, o->last_us);
	}
}

struct story *story_build(const struct model *model)
{
	struct story *story;

	if (!model->observations)
		return NULL;
	story = xcalloc(1, sizeof(*story));
	story->model = model;
	story->set = model->observations;
	story->followers_first_us = story->followers_last_us = MODEL_UNKNOWN;
	for (size_t i = 0; i < story_cause_count; i++) {
		struct candidate candidate;

		if (!find_candidate(story, *story_causes[i], &candidate)) {
			free(candidate.list);
			continue;
		}
		if (story->root.cause && !comes_before(&candidate, &story->root)) {
			free(candidate.list);
			continue;
		}
		free(story->root.list);
		story->root = candidate;
	}
	if (story->root.cause)
		count_followers(story);
	return story;
}

void story_free(struct story *story)
{
	if (!story)
		return;
	free(story->root.list);
	free(story);
}

/* Verdicts the graph made of what followed from a failure. */
static void drop_verdicts(struct report *report)
{
	for (size_t i = 0; i < report->count; i++)
		verdict_clear(&report->verdicts[i]);
	report->count = 0;
}

void story_report(const struct diagnosis *diagnosis, const struct cause *cause, struct report *report)
{
	const struct story *story = diagnosis->story;
	struct verdict verdict;

	if (!story || story->root.cause != cause)
		return;
	if (report->count) {
		if (cause->tier >= TIER_PROGRAM)
			return;
		drop_verdicts(report);
	}
	verdict_init(&verdict, cause->class, cause->tier <= TIER_REPORT ? CONFIDENCE_LIKELY : CONFIDENCE_POSSIBLE);
	if (story->root.first) {
		verdict.first_seen = story_time(story->root.first->time_us);
		story_evidence(story, &story->root.first->origin, &verdict);
	}
	cause->tell(story, &story->root, &verdict);
	verdict.followers = story->followers;
	verdict.followers_first = story_time(story->followers_first_us);
	verdict.followers_last = story_time(story->followers_last_us);
	report_add(report, &verdict);
}

static bool same_incident(const struct observation *a, const struct observation *b)
{
	if (a->time_us != MODEL_UNKNOWN && b->time_us != MODEL_UNKNOWN) {
		int64_t apart = a->time_us > b->time_us ? a->time_us - b->time_us : b->time_us - a->time_us;

		if (apart > INCIDENT)
			return false;
	} else if (a->origin.file != b->origin.file) {
		return false;
	}
	if (a->pid != MODEL_UNKNOWN && b->pid != MODEL_UNKNOWN && a->pid != b->pid && a->module && b->module &&
	    !strcmp(a->module, b->module))
		return false;
	if (a->rank != MODEL_UNKNOWN && b->rank != MODEL_UNKNOWN && a->rank != b->rank)
		return false;
	if (a->stream != MODEL_UNKNOWN && b->stream != MODEL_UNKNOWN && a->stream != b->stream)
		return false;
	return true;
}

#define FILL(field, none) \
	do { \
		if (merged.field == (none)) \
			merged.field = o->field; \
	} while (0)

/* torch_npu puts process and device into a line of its own behind the message. */
static void fill_from_neighbour(const struct story *story, struct observation *merged)
{
	for (size_t i = 0; i < story->set->count; i++) {
		const struct observation *o = &story->set->items[i];

		if (o->kind != OBSERVED_OTHER_ERROR || o->origin.file != merged->origin.file ||
		    o->origin.line <= merged->origin.line || o->origin.line > merged->origin.line + 6)
			continue;
		if (merged->device == MODEL_UNKNOWN)
			merged->device = o->device;
		if (merged->pid == MODEL_UNKNOWN)
			merged->pid = o->pid;
		if (merged->rank == MODEL_UNKNOWN)
			merged->rank = o->rank;
	}
}

struct observation story_merge(const struct story *story, const struct candidate *candidate)
{
	struct observation merged = *candidate->first;

	fill_from_neighbour(story, &merged);
	if (!candidate->cause->matches)
		return merged;
	for (size_t i = 0; i < story->set->count; i++) {
		const struct observation *o = &story->set->items[i];

		if (o == candidate->first || !candidate->cause->matches(story, o) || !same_incident(&merged, o))
			continue;
		if (merged.device != MODEL_UNKNOWN && o->device != MODEL_UNKNOWN && merged.device != o->device)
			continue;
		FILL(rank, MODEL_UNKNOWN);
		FILL(pid, MODEL_UNKNOWN);
		FILL(tid, MODEL_UNKNOWN);
		FILL(device, MODEL_UNKNOWN);
		FILL(stream, MODEL_UNKNOWN);
		FILL(task, MODEL_UNKNOWN);
		FILL(event, MODEL_UNKNOWN);
		FILL(notify, MODEL_UNKNOWN);
		FILL(peer, MODEL_UNKNOWN);
		FILL(code, MODEL_UNKNOWN);
		FILL(kernel, NULL);
		FILL(op, NULL);
		FILL(api, NULL);
		FILL(resource, NULL);
		FILL(communicator, NULL);
		FILL(host, NULL);
		FILL(peer_host, NULL);
		FILL(thread, NULL);
		if (!merged.code_text)
			merged.code_text = o->code_text;
	}
	return merged;
}

void story_evidence(const struct story *story, const struct model_origin *origin, struct verdict *verdict)
{
	const char *file = origin->file && origin->file <= story->model->file_count ?
				   story->model->files[origin->file - 1] :
				   NULL;

	for (size_t i = 0; i < verdict->evidence_count; i++)
		if (file && verdict->evidence[i].file && verdict->evidence[i].line == origin->line &&
		    !strcmp(verdict->evidence[i].file, file))
			return;
	verdict_evidence_add(verdict, model_source_name(origin->source), file, origin->line, origin->text);
}

void story_more_evidence(const struct story *story, const struct candidate *candidate,
			 const enum observation_kind *kinds, size_t count, size_t most, struct verdict *verdict)
{
	for (size_t i = 0; i < story->set->count && most; i++) {
		const struct observation *o = &story->set->items[i];
		bool wanted = false;

		for (size_t k = 0; k < count; k++)
			wanted |= o->kind == kinds[k];
		if (!wanted || o == candidate->first || !same_incident(candidate->first, o))
			continue;
		story_evidence(story, &o->origin, verdict);
		most--;
	}
}

void story_place(const struct observation *o, struct verdict *verdict)
{
	struct fields *culprit = &verdict->culprit;

	set_number(culprit, FIELD_RANK, o->rank);
	set_number(culprit, FIELD_DEVICE, o->device);
	set_number(culprit, FIELD_PID, o->pid);
	set_number(culprit, FIELD_TID, o->tid);
	fields_set_text(culprit, FIELD_THREAD, o->thread);
	set_number(culprit, FIELD_STREAM, o->stream);
	set_number(culprit, FIELD_TASK, o->task);
}

char *story_where(const struct observation *o)
{
	struct text text = { 0 };

	text_add(&text, "");
	if (o->rank != MODEL_UNKNOWN)
		text_addf(&text, "%s rank %lld", text.length ? "," : " on", (long long)o->rank);
	if (o->device != MODEL_UNKNOWN)
		text_addf(&text, "%s device %lld", text.length ? "," : " on", (long long)o->device);
	if (o->stream != MODEL_UNKNOWN)
		text_addf(&text, "%s stream %lld", text.length ? "," : " on", (long long)o->stream);
	if (o->task != MODEL_UNKNOWN)
		text_addf(&text, "%s task %lld", text.length ? "," : " on", (long long)o->task);
	return text_take(&text);
}

void story_explain_code(const struct observation *o, struct verdict *verdict)
{
	const struct error_code *code = NULL;

	if (o->code_text)
		code = error_code_find(o->code_text);
	if (code)
		verdict_next(verdict, "%s: %s; %s", code->code, code->meaning, code->remedy);
	code = o->code != MODEL_UNKNOWN ? error_code_find_number(o->code) : NULL;
	if (code)
		verdict_next(verdict, "%s: %s; %s", code->code, code->meaning, code->remedy);
}

bool code_means(const struct observation *o, enum verdict_class class)
{
	return (o->kind == OBSERVED_ERROR_CODE || o->kind == OBSERVED_API_FAILED) && o->level != LEVEL_WARNING &&
	       story_code_class(o) == class;
}

void story_cluster(const struct story *story, const struct observation *o, struct verdict *verdict)
{
	bool one_host = true;

	for (size_t i = 0; i < story->set->count; i++) {
		const struct observation *other = &story->set->items[i];

		if (other->kind < OBSERVED_CLUSTER_LOST || other->kind > OBSERVED_CLUSTER_MISMATCH)
			continue;
		one_host &= !other->host || !o->peer_host || other->host == o->peer_host;
	}
	set_number(&verdict->culprit, FIELD_DEVICE, o->peer);
	fields_set_text(&verdict->culprit, FIELD_HOST, o->peer_host);
	if (one_host)
		set_number(&verdict->culprit, FIELD_RANK, o->peer);
}

#define EXEC_TIMEOUT_DEFAULT	1836
#define CONNECT_TIMEOUT_DEFAULT 120

int64_t story_collective_limit(const struct story *story)
{
	for (size_t i = 0; i < story->set->count; i++) {
		const struct observation *o = &story->set->items[i];

		if (o->kind == OBSERVED_TIMEOUT_SETTING && o->api && !strcmp(o->api, "HCCL_EXEC_TIMEOUT") && o->number > 0)
			return o->number;
	}
	return EXEC_TIMEOUT_DEFAULT;
}

void story_limits(const struct story *story, struct verdict *verdict)
{
	const char *told[8];
	size_t count = 0;

	for (size_t i = 0; i < story->set->count && count < 8; i++) {
		const struct observation *o = &story->set->items[i];
		bool again = false;

		if (o->kind != OBSERVED_TIMEOUT_SETTING || !o->api || o->number == MODEL_UNKNOWN)
			continue;
		for (size_t k = 0; k < count; k++)
			again |= told[k] == o->api;
		if (again)
			continue;
		told[count++] = o->api;
		if (o->number == 0 && !strcmp(o->api, "HCCL_EXEC_TIMEOUT"))
			verdict_next(verdict, "%s=0 was ignored, %d s is in force", o->api, EXEC_TIMEOUT_DEFAULT);
		else if (o->number == 0 && !strcmp(o->api, "HCCL_CONNECT_TIMEOUT"))
			verdict_next(verdict, "%s=0 was ignored, %d s is in force", o->api, CONNECT_TIMEOUT_DEFAULT);
		else
			verdict_next(verdict, "in force: %s %lld s (%s)", o->api, (long long)o->number,
				     o->detail ? o->detail : "environment");
	}
}
