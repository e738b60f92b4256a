// SPDX-License-Identifier: Apache-2.0
/*
 * event-record-blocked: the record of an event exists, but sits behind a task that
 * does not finish. The same task without an event on the way is task-stuck.
 */
#include <stdlib.h>

#include "analyzer/diagnose/finding_report.h"
#include "analyzer/diagnose/rules.h"
#include "analyzer/model/util.h"
/* The wait nearest to the blocker: its event is the one whose record is held up. */
static size_t last_waiter(const struct finding *finding)
{
	size_t stream = finding->stream, steps = finding->root->member_count;

	while (steps-- &&
	       finding->diagnosis->graph->streams[stream].release.stream != finding->root->end.stream)
		stream = finding->diagnosis->graph->streams[stream].release.stream;
	return stream;
}

static void summarize(const struct finding *finding, size_t waiter, const struct model_object *event,
		      int64_t id, struct verdict *verdict)
{
	const struct model *model = finding->diagnosis->model;
	char *waiting = stream_describe(model, waiter);
	char *blocked = stream_describe(model, finding->root->end.stream);
	char *object = object_describe(event, id);
	char *task = task_describe(finding_end_task(finding));
	char *age = finding->age_s >= 0 ? xasprintf(" for %.0f s", finding->age_s) : xstrdup("");

	verdict_summary(verdict,
			"%s waits for %s; its record on %s is queued behind %s, which has not finished%s",
			waiting, object, blocked, task, age);
	free(waiting);
	free(blocked);
	free(object);
	free(task);
	free(age);
}

static void describe(const struct finding *finding, struct verdict *verdict)
{
	const struct model *model = finding->diagnosis->model;
	size_t waiter = last_waiter(finding);
	const struct model_task *wait =
		&model->streams[waiter].tasks[finding->diagnosis->graph->streams[waiter].blocker];
	const struct model_object *event = wait->object < model->object_count ? &model->objects[wait->object]
									      : NULL;

	summarize(finding, waiter, event, wait->object_id, verdict);
	object_set_id(&verdict->culprit, event, wait->object_id);
}

void rule_event_record_blocked(const struct diagnosis *diagnosis, struct report *report)
{
	finding_report_tasks(diagnosis, report, CLASS_EVENT_RECORD_BLOCKED, describe);
}
