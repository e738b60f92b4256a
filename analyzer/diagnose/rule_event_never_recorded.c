// SPDX-License-Identifier: Apache-2.0
/*
 * event-never-recorded: a chain ends in a wait for an event of which no record was
 * ever submitted. Where a record may exist unseen it is event-wait-stuck, where one
 * ran before the wait event-record-lost.
 */
#include <stdlib.h>

#include "analyzer/diagnose/finding_report.h"
#include "analyzer/diagnose/rules.h"

static void summarize(const struct finding *finding, struct verdict *verdict)
{
	const struct model *model = finding->diagnosis->model;
	char *stream = stream_describe(model, finding->root->end.stream);
	char *event = object_describe(finding_end_object(finding), finding_end_task(finding)->object_id);
	char *task = task_describe(finding_end_task(finding));
	const char *why = finding_end_stream(finding)->is_window
				  ? "no queue that was dumped holds a record of it"
			  : verdict->confidence == CONFIDENCE_PROVEN
				  ? "nobody has recorded it, and every thread that could is stuck itself"
				  : "nobody has recorded it";

	verdict_summary(verdict, "%s waits for %s at %s; %s", stream, event, task, why);
	free(stream);
	free(event);
	free(task);
}

static void advise(const struct finding *finding, struct verdict *verdict)
{
	const struct model_task *task = finding_end_task(finding);
	char *site = site_describe(" at ", task->site, task->site_text);
	char *event = object_describe(finding_end_object(finding), finding_end_task(finding)->object_id);

	verdict_next(verdict,
		     "find the aclrtRecordEvent that should record %s: it is missing, on a path that was "
		     "not taken, or the calling thread waits before it",
		     event);
	if (*site)
		verdict_next(verdict, "the wait was submitted%s", site);
	free(site);
	free(event);
}

static void describe(const struct finding *finding, struct verdict *verdict)
{
	summarize(finding, verdict);
	advise(finding, verdict);
}

void rule_event_never_recorded(const struct diagnosis *diagnosis, struct report *report)
{
	finding_report_waits(diagnosis, report, CLASS_EVENT_NEVER_RECORDED, describe);
}
