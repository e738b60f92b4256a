// SPDX-License-Identifier: Apache-2.0
/*
 * Waits of the device that logs report when they time out: a notify that did not come
 * (notify-wait-stuck), an event (event-wait-stuck), a synchronize whose current task the
 * runtime names. Uses story.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/diagnose/rules.h"
#include "analyzer/diagnose/story.h"

static bool is_notify(const struct story *story, const struct observation *o)
{
	(void)story;
	return o->kind == OBSERVED_NOTIFY_TIMEOUT || o->kind == OBSERVED_HCCL_TIMEOUT ||
	       o->kind == OBSERVED_COLLECTIVE_TIMEOUT || code_means(o, CLASS_NOTIFY_WAIT_STUCK);
}

static void tell_notify(const struct story *story, const struct candidate *c, struct verdict *verdict)
{
	static const enum observation_kind more[] = { OBSERVED_NOTIFY_TIMEOUT, OBSERVED_COLLECTIVE_TIMEOUT };
	struct observation o = story_merge(story, c);

	story_place(&o, verdict);
	set_number(&verdict->culprit, FIELD_NOTIFY, o.notify);
	if (o.peer != o.rank)
		set_number(&verdict->culprit, FIELD_PEER, o.peer);
	fields_set_text(&verdict->culprit, FIELD_COMMUNICATOR, o.communicator);
	fields_set_text(&verdict->culprit, FIELD_OP, o.op);
	if (o.peer != MODEL_UNKNOWN && o.peer != o.rank)
		verdict_summary(verdict, "a notify wait%s%s timed out; rank %lld did not record it, and nothing here says why",
				o.op ? " of " : "", o.op ? o.op : "", (long long)o.peer);
	else
		verdict_summary(verdict, "a notify wait%s%s timed out; nothing here says who should have recorded it",
				o.op ? " of " : "", o.op ? o.op : "");
	story_more_evidence(story, c, more, 2, 2, verdict);
	story_limits(story, verdict);
	verdict_next(verdict, "collect plog and screen of the other ranks and give them all to cannwatch logs: who failed, who never came");
	story_explain_code(&o, verdict);
}

static bool is_event(const struct story *story, const struct observation *o)
{
	(void)story;
	return o->kind == OBSERVED_EVENT_TIMEOUT ||
	       (o->kind == OBSERVED_SYNC_TIMEOUT && o->detail && strstr(o->detail, "EVENT_WAIT"));
}

static void tell_event(const struct story *story, const struct candidate *c, struct verdict *verdict)
{
	static const enum observation_kind more[] = { OBSERVED_EVENT_TIMEOUT, OBSERVED_SYNC_TIMEOUT };
	struct observation o = story_merge(story, c);
	char *where = story_where(&o);

	story_place(&o, verdict);
	set_number(&verdict->culprit, FIELD_EVENT, o.event);
	if (o.event != MODEL_UNKNOWN)
		verdict_summary(verdict, "the wait for event %lld%s did not end; nothing here says whether a record exists",
				(long long)o.event, where);
	else
		verdict_summary(verdict, "a wait for an event%s did not end; nothing here says which or whether a record exists",
				where);
	story_more_evidence(story, c, more, 2, 2, verdict);
	story_limits(story, verdict);
	verdict_next(verdict, "a device dump (schedule_tracer) or a run under LD_PRELOAD=libcannwatch.so shows where its record is");
	free(where);
}

static bool is_sync(const struct story *story, const struct observation *o)
{
	(void)story;
	return o->kind == OBSERVED_SYNC_TIMEOUT;
}

static void tell_sync(const struct story *story, const struct candidate *c, struct verdict *verdict)
{
	static const enum observation_kind more[] = { OBSERVED_SYNC_TIMEOUT, OBSERVED_API_FAILED };
	struct observation o = story_merge(story, c);
	char *where = story_where(&o);

	story_place(&o, verdict);
	fields_set_text(&verdict->culprit, FIELD_API, o.api);
	verdict_summary(verdict, "%s timed out%s; nothing here says on what", o.api ? o.api : "a synchronize", where);
	story_more_evidence(story, c, more, 2, 3, verdict);
	story_limits(story, verdict);
	verdict_next(verdict, "a device dump (schedule_tracer) or a run under LD_PRELOAD=libcannwatch.so shows the stream's queue");
	free(where);
}

static const struct cause notify_cause = {
	.class = CLASS_NOTIFY_WAIT_STUCK, .tier = TIER_WAIT, .matches = is_notify, .tell = tell_notify
};
static const struct cause event_cause = {
	.class = CLASS_EVENT_WAIT_STUCK, .tier = TIER_WAIT, .matches = is_event, .tell = tell_event
};
static const struct cause sync_cause = {
	.class = CLASS_SYNC_STUCK, .tier = TIER_WAIT, .matches = is_sync, .tell = tell_sync
};
CAUSE(notify_wait_log, notify_cause)
CAUSE(event_wait_log, event_cause)
CAUSE(sync_log, sync_cause)
