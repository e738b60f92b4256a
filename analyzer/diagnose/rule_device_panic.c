// SPDX-License-Identifier: Apache-2.0
/*
 * device-panic: the control CPU of a device stopped with a fatal panic. The host only
 * sees a lost heartbeat, so this comes first whatever the clocks say. Uses story.
 */
#include "analyzer/diagnose/rules.h"
#include "analyzer/diagnose/story.h"

static bool matches(const struct story *story, const struct observation *o)
{
	(void)story;
	return o->kind == OBSERVED_DEVICE_PANIC;
}

static void tell(const struct story *story, const struct candidate *c, struct verdict *verdict)
{
	static const enum observation_kind more[] = { OBSERVED_DEVICE_LOST };

	set_number(&verdict->culprit, FIELD_DEVICE, c->first->device);
	if (c->first->device != MODEL_UNKNOWN)
		verdict_summary(verdict, "the control CPU of device %lld stopped with a fatal panic",
				(long long)c->first->device);
	else
		verdict_summary(verdict, "the control CPU of a device stopped with a fatal panic");
	story_more_evidence(story, c, more, 1, 2, verdict);
	verdict_next(verdict, "keep the exported device logs (msnpureport) for the vendor, then reset the device");
	verdict_next(verdict, "lost heartbeats and failed calls on the host follow from it");
}

static const struct cause cause = {
	.class = CLASS_DEVICE_PANIC, .tier = TIER_DEVICE, .matches = matches, .tell = tell
};
CAUSE(device_panic, cause)
