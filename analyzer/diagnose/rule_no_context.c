// SPDX-License-Identifier: Apache-2.0
/*
 * no-context: a thread called an interface without a device context. Contexts are per
 * thread: the log shows on which threads aclrtSetDevice ran. Uses story.
 */
#include "analyzer/diagnose/rules.h"
#include "analyzer/diagnose/story.h"
#include <string.h>

static bool matches(const struct story *story, const struct observation *o)
{
	(void)story;
	if (o->api && strstr(o->api, "GetDevMsg"))
		return false; /* the library asks for a message after another error */
	return o->kind == OBSERVED_NO_CONTEXT || code_means(o, CLASS_NO_CONTEXT);
}

static void tell(const struct story *story, const struct candidate *c, struct verdict *verdict)
{
	static const enum observation_kind more[] = { OBSERVED_NO_CONTEXT, OBSERVED_API_FAILED };
	struct observation o = story_merge(story, c);
	const struct observation *set = NULL;

	for (size_t i = 0; i < story->set->count && !set; i++)
		if (story->set->items[i].kind == OBSERVED_DEVICE_SET && story->set->items[i].pid == o.pid)
			set = &story->set->items[i];
	story_place(&o, verdict);
	fields_set_text(&verdict->culprit, FIELD_API, o.api);
	if (set && set->tid != MODEL_UNKNOWN && o.tid != MODEL_UNKNOWN && set->tid != o.tid) {
		verdict_summary(verdict, "thread %lld called %s without a device context; aclrtSetDevice ran on thread %lld only",
				(long long)o.tid, o.api ? o.api : "the runtime", (long long)set->tid);
		story_evidence(story, &set->origin, verdict);
	} else if (o.tid != MODEL_UNKNOWN) {
		verdict_summary(verdict, "thread %lld called %s without a device context", (long long)o.tid,
				o.api ? o.api : "the runtime");
	} else {
		verdict_summary(verdict, "%s was called without a device context", o.api ? o.api : "the runtime");
	}
	story_more_evidence(story, c, more, 2, 2, verdict);
	verdict_next(verdict, "call aclrtSetDevice (torch.npu.set_device) or aclrtSetCurrentContext on that thread before its first call");
}

static const struct cause cause = {
	.class = CLASS_NO_CONTEXT, .tier = TIER_CAUSE, .matches = matches, .tell = tell
};
CAUSE(no_context, cause)
