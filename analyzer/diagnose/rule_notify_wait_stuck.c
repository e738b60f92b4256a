// SPDX-License-Identifier: Apache-2.0
/*
 * notify-wait-stuck: a chain ends in a wait for a notify that nobody records. The one
 * who should may be another stream, process or rank.
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

	verdict_summary(verdict, "%s waits for %s at %s; no record of it is queued", stream, object, wait);
	verdict_next(verdict,
		     "find who should call aclrtRecordNotify for %s: another stream, process or rank",
		     object);
	if (*site)
		verdict_next(verdict, "the wait was submitted%s", site);
	free(stream);
	free(object);
	free(wait);
	free(site);
}

void rule_notify_wait_stuck(const struct diagnosis *diagnosis, struct report *report)
{
	finding_report_waits(diagnosis, report, CLASS_NOTIFY_WAIT_STUCK, describe);
}
