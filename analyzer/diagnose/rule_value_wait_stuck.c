// SPDX-License-Identifier: Apache-2.0
/*
 * value-wait-stuck: a chain ends in aclrtValueWait on an address that nothing queued
 * writes. Kernels and other devices may write it unseen, so it is never proven.
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
			"%s waits for %s at %s; nothing that is queued writes the value it compares with",
			stream, object, wait);
	verdict_next(verdict,
		     "find what should write the address: aclrtValueWrite, a kernel, or another device");
	if (*site)
		verdict_next(verdict, "the wait was submitted%s", site);
	free(stream);
	free(object);
	free(wait);
	free(site);
}

void rule_value_wait_stuck(const struct diagnosis *diagnosis, struct report *report)
{
	finding_report_waits(diagnosis, report, CLASS_VALUE_WAIT_STUCK, describe);
}
