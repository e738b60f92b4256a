// SPDX-License-Identifier: Apache-2.0
/*
 * submit-stuck: a thread does not get rid of a task, because the stream's queue is full
 * behind one that does not finish.
 */
#include <stdlib.h>

#include "analyzer/diagnose/finding_report.h"
#include "analyzer/diagnose/rules.h"

static void describe(const struct finding *finding, struct verdict *verdict)
{
	const struct model *model = finding->diagnosis->model;
	const struct model_thread *thread;
	char *stream, *task;
	size_t index;

	if (!finding_blocks_submit(finding, &index))
		return;
	thread = &model->threads[index];
	stream = stream_describe(model, finding->root->end.stream);
	task = task_describe(finding_end_task(finding));
	verdict_summary(verdict,
			"thread %lld %s is stuck in %s; the queue is held up by %s at the head of %s",
			(long long)thread->tid, thread->name ? thread->name : "",
			thread->api ? thread->api : "a call", task, stream);
	fields_set_number(&verdict->culprit, FIELD_TID, thread->tid);
	fields_set_text(&verdict->culprit, FIELD_THREAD, thread->name);
	fields_set_text(&verdict->culprit, FIELD_API, thread->api);
	free(stream);
	free(task);
}

void rule_submit_stuck(const struct diagnosis *diagnosis, struct report *report)
{
	finding_report_tasks(diagnosis, report, CLASS_SUBMIT_STUCK, describe);
}
