// SPDX-License-Identifier: Apache-2.0
/*
 * resource-exhausted: memory, events, streams, queues or the device itself are used up
 * or taken. Uses story.
 */
#include "analyzer/diagnose/rules.h"
#include "analyzer/diagnose/story.h"
#include <string.h>

static bool matches(const struct story *story, const struct observation *o)
{
	(void)story;
	return o->kind == OBSERVED_RESOURCE_FAILED || code_means(o, CLASS_RESOURCE_EXHAUSTED);
}

/* The interface of the program's own level, if any line names one: acl before rt. */
static const char *api_of(const struct story *story, const struct observation *root)
{
	const char *api = root->api;

	for (size_t i = 0; i < story->set->count; i++) {
		const struct observation *o = &story->set->items[i];

		if (o->kind != OBSERVED_API_FAILED || !o->api || (o->pid != root->pid && o->pid != MODEL_UNKNOWN) ||
		    !code_means(o, CLASS_RESOURCE_EXHAUSTED))
			continue;
		if (!api || (strncmp(api, "acl", 3) && !strncmp(o->api, "acl", 3)))
			api = o->api;
	}
	return api;
}

static void tell(const struct story *story, const struct candidate *c, struct verdict *verdict)
{
	static const enum observation_kind more[] = { OBSERVED_RESOURCE_FAILED, OBSERVED_API_FAILED };
	struct observation o = story_merge(story, c);
	const char *api = api_of(story, &o);

	set_number(&verdict->culprit, FIELD_RANK, o.rank);
	set_number(&verdict->culprit, FIELD_DEVICE, o.device);
	set_number(&verdict->culprit, FIELD_PID, o.pid);
	set_number(&verdict->culprit, FIELD_TID, o.tid);
	fields_set_text(&verdict->culprit, FIELD_RESOURCE, o.resource);
	fields_set_text(&verdict->culprit, FIELD_API, api);
	if (o.resource && !strcmp(o.resource, "device"))
		verdict_summary(verdict, "the device is taken: another or an earlier process still holds it");
	else
		verdict_summary(verdict, "no %s left%s%s", o.resource ? o.resource : "resource", api ? " for " : "", api ? api : "");
	story_more_evidence(story, c, more, 2, 3, verdict);
	verdict_next(verdict, "count what is created and destroyed per step; npu-smi info shows memory and processes of the device");
	story_explain_code(&o, verdict);
}

static const struct cause cause = {
	.class = CLASS_RESOURCE_EXHAUSTED, .tier = TIER_CAUSE, .matches = matches, .tell = tell
};
CAUSE(resource_exhausted, cause)
