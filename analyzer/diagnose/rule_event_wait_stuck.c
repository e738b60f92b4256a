// SPDX-License-Identifier: Apache-2.0
/*
 * event-wait-stuck: a chain ends in an event wait, and whether a record exists is not
 * known: the event, or a part of the past, was not seen.
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

	verdict_summary(verdict, "%s waits for %s at %s; whether it was ever recorded is not known", stream,
			object, wait);
	verdict_next(verdict,
		     "start the program with libcannwatch.so from the beginning: then every record is seen");
	if (*site)
		verdict_next(verdict, "the wait was submitted%s", site);
	free(stream);
	free(object);
	free(wait);
	free(site);
}

void rule_event_wait_stuck(const struct diagnosis *diagnosis, struct report *report)
{
	finding_report_waits(diagnosis, report, CLASS_EVENT_WAIT_STUCK, describe);
}
