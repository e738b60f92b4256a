// SPDX-License-Identifier: Apache-2.0
/*
 * sdma-error: a copy engine failed. The hardware's status tells what it stumbled over:
 * (cqeStatus >> 16) >> 1. Uses story.
 */
#include "analyzer/diagnose/rules.h"
#include "analyzer/diagnose/story.h"
#include <stdlib.h>
#include <string.h>

static bool matches(const struct story *story, const struct observation *o)
{
	(void)story;
	return o->kind == OBSERVED_SDMA_ERROR;
}

static bool is_report(const struct story *story, const struct observation *o)
{
	(void)story;
	return code_means(o, CLASS_SDMA_ERROR);
}

/* The real code in "cqeStatus=0x150000", -1 if there is none. */
static long status_code(const struct observation *o)
{
	const char *at = o->detail ? strstr(o->detail, "cqeStatus=") : NULL;

	if (!at && o->origin.text)
		at = strstr(o->origin.text, "cqeStatus=");
	return at ? (strtol(at + 10, NULL, 0) >> 16) >> 1 : -1;
}

static void tell(const struct story *story, const struct candidate *c, struct verdict *verdict)
{
	static const enum observation_kind more[] = { OBSERVED_SDMA_ERROR, OBSERVED_MEMORY_FAULT };
	struct observation o = story_merge(story, c);
	char *where = story_where(&o);
	long status = status_code(&o);

	story_place(&o, verdict);
	set_number(&verdict->culprit, FIELD_PEER, o.peer);
	if (status == 0x0a)
		verdict_summary(verdict, "a copy failed%s: damaged data read from device memory (HBM)", where);
	else if (status > 0)
		verdict_summary(verdict, "a copy failed%s: copy engine status 0x%lx", where, (unsigned long)status);
	else
		verdict_summary(verdict, "a copy failed%s", where);
	story_more_evidence(story, c, more, 2, 3, verdict);
	if (status == 0x0a)
		verdict_next(verdict, "look for memory errors of the device (npu-smi info -t ecc, slog events) and isolate the pages or replace the card");
	verdict_next(verdict, "check that source and destination are allocated, big enough and not freed before the stream was done; in a collective, that no peer ended first");
	free(where);
}

static const struct cause cause = {
	.class = CLASS_SDMA_ERROR, .tier = TIER_CAUSE, .matches = matches, .tell = tell
};
static const struct cause report_cause = {
	.class = CLASS_SDMA_ERROR, .tier = TIER_REPORT, .matches = is_report, .tell = tell
};
CAUSE(sdma_error, cause)
CAUSE(sdma_report, report_cause)
