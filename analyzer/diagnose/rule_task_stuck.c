// SPDX-License-Identifier: Apache-2.0
/* task-stuck: a task that is not a wait does not finish, and somebody waits for it or its stream stands. */
#include <stdlib.h>

#include "analyzer/diagnose/finding_report.h"
#include "analyzer/diagnose/rules.h"
#include "analyzer/model/util.h"
static void describe(const struct finding *finding, struct verdict *verdict)
{
	const struct model *model = finding->diagnosis->model;
	char *stream = stream_describe(model, finding->root->end.stream);
	char *task = task_describe(finding_end_task(finding));
	char *age = finding->age_s >= 0 ? xasprintf(" for %.0f s", finding->age_s) : xstrdup("");
	size_t behind = finding_end_stream(finding)->task_count - 1;

	verdict_summary(verdict, "%s at the head of %s has not finished%s; %zu more task%s behind it", task,
			stream, age, behind, behind == 1 ? " is queued" : "s are queued");
	free(stream);
	free(task);
	free(age);
}

void rule_task_stuck(const struct diagnosis *diagnosis, struct report *report)
{
	finding_report_tasks(diagnosis, report, CLASS_TASK_STUCK, describe);
}
