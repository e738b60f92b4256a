// SPDX-License-Identifier: Apache-2.0
/*
 * callback-not-served: a stream stands at a host callback: no thread runs
 * aclrtProcessReport for it, or the callback does not return.
 */
#include <stdlib.h>

#include "analyzer/diagnose/finding_report.h"
#include "analyzer/diagnose/rules.h"

static void describe(const struct finding *finding, struct verdict *verdict)
{
	char *stream = stream_describe(finding->diagnosis->model, finding->root->end.stream);
	char *task = task_describe(finding_end_task(finding));

	verdict_summary(verdict, "%s stands at %s: no thread serves the callback, or it does not return",
			stream, task);
	verdict_next(verdict,
		     "see that the thread given to aclrtSubscribeReport keeps calling aclrtProcessReport");
	free(stream);
	free(task);
}

void rule_callback_not_served(const struct diagnosis *diagnosis, struct report *report)
{
	finding_report_tasks(diagnosis, report, CLASS_CALLBACK_NOT_SERVED, describe);
}
