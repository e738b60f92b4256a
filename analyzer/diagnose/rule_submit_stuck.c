// SPDX-License-Identifier: Apache-2.0
/*
 * submit-stuck: a thread does not get rid of a task, because the stream's queue is full
 * behind one that does not finish, or for a reason that was not seen: such a call should
 * return at once.
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

static bool is_unexplained(const struct diagnosis *diagnosis, size_t index)
{
	const struct model *model = diagnosis->model;
	const struct model_thread *thread = &model->threads[index];

	if (!thread_is_waiting(thread) || thread->role != ROLE_SUBMIT ||
	    diagnosis->graph->threads[index].root != MODEL_NONE)
		return false;
	if (thread->stream < model->stream_count && model->streams[thread->stream].moved)
		return false;
	return thread->blocked_s >= 0 && thread->blocked_s >= diagnosis->options->stall_s;
}

static void report_unexplained(const struct diagnosis *diagnosis, size_t index, struct report *report)
{
	const struct model *model = diagnosis->model;
	const struct model_thread *thread = &model->threads[index];
	struct verdict verdict;

	verdict_init(&verdict, CLASS_SUBMIT_STUCK, CONFIDENCE_POSSIBLE);
	verdict.blocked_s = thread->blocked_s;
	verdict_summary(&verdict, "thread %lld %s is stuck in %s, which should return at once",
			(long long)thread->tid, thread->name ? thread->name : "",
			thread->api ? thread->api : "a call");
	fields_set_number(&verdict.culprit, FIELD_RANK, model->rank.global);
	fields_set_number(&verdict.culprit, FIELD_TID, thread->tid);
	fields_set_text(&verdict.culprit, FIELD_THREAD, thread->name);
	fields_set_text(&verdict.culprit, FIELD_API, thread->api);
	if (thread->stream < model->stream_count)
		fields_set_number(&verdict.culprit, FIELD_STREAM, model->streams[thread->stream].id);
	finding_chain_thread(&verdict, model, index);
	verdict_assume(&verdict,
		       "the device or its driver does not take the task: nothing that was seen says why");
	verdict_next(&verdict, "collect the stacks (cannwatch stacks %lld) and the device's logs",
		     (long long)model->pid);
	report_add(report, &verdict);
}

void rule_submit_stuck(const struct diagnosis *diagnosis, struct report *report)
{
	finding_report_tasks(diagnosis, report, CLASS_SUBMIT_STUCK, describe);
	for (size_t i = 0; i < diagnosis->model->thread_count; i++)
		if (is_unexplained(diagnosis, i))
			report_unexplained(diagnosis, i, report);
}
