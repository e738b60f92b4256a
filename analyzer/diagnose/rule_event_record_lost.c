// SPDX-License-Identifier: Apache-2.0
/*
 * event-record-lost: a chain ends in a wait for an event whose records have all run, or
 * were reset, before the wait could see them (a reused event, a replayed graph).
 */
#include <stdlib.h>

#include "analyzer/diagnose/finding_report.h"
#include "analyzer/diagnose/rules.h"

static void describe(const struct finding *finding, struct verdict *verdict)
{
	const struct model_task *task = finding_end_task(finding);
	char *stream = stream_describe(finding->diagnosis->model, finding->root->end.stream);
	char *object = object_describe(finding_end_object(finding), task->object_id);
	char *wait = task_describe(task);
	char *site = site_describe(" at ", task->site, task->site_text);

	verdict_summary(verdict,
			"%s waits for %s at %s; all its records ran, or were reset, before this wait", stream,
			object, wait);
	verdict_next(verdict,
		     "record %s again after the last reset, or use one event per record: a record that ran "
		     "earlier does not count",
		     object);
	/* That the records came too early is concluded from the wait still being there. */
	if (verdict->confidence == CONFIDENCE_PROVEN)
		verdict->confidence = CONFIDENCE_LIKELY;
	verdict_assume(verdict, "the records of %s have run, and none of them is still to release this wait",
		       object);
	if (*site)
		verdict_next(verdict, "the wait was submitted%s", site);
	free(stream);
	free(object);
	free(wait);
	free(site);
}

void rule_event_record_lost(const struct diagnosis *diagnosis, struct report *report)
{
	finding_report_waits(diagnosis, report, CLASS_EVENT_RECORD_LOST, describe);
}
