// SPDX-License-Identifier: Apache-2.0
/*
 * sync-stuck: a thread is blocked in a synchronize for longer than the stall limit,
 * and nothing that was seen says on what. The least specific class of all.
 */
#include "analyzer/diagnose/finding.h"
#include "analyzer/diagnose/rules.h"

static bool is_unexplained(const struct diagnosis *diagnosis, size_t index)
{
	const struct model *model = diagnosis->model;
	const struct model_thread *thread = &model->threads[index];

	if (!thread_is_waiting(thread) || thread->role == ROLE_SUBMIT)
		return false;
	if (diagnosis->graph->threads[index].root != MODEL_NONE)
		return false;
	if (thread->stream < model->stream_count && model->streams[thread->stream].moved)
		return false;
	return thread->blocked_s >= 0 && thread->blocked_s >= diagnosis->options->stall_s;
}

void rule_sync_stuck(const struct diagnosis *diagnosis, struct report *report)
{
	const struct model *model = diagnosis->model;

	for (size_t i = 0; i < model->thread_count; i++) {
		const struct model_thread *thread = &model->threads[i];
		struct verdict verdict;

		if (!is_unexplained(diagnosis, i))
			continue;
		verdict_init(&verdict, CLASS_SYNC_STUCK, CONFIDENCE_POSSIBLE);
		verdict.blocked_s = thread->blocked_s;
		verdict_summary(&verdict,
				"thread %lld %s is blocked in %s; nothing that was seen says on what",
				(long long)thread->tid, thread->name ? thread->name : "",
				thread->api ? thread->api : "a synchronize");
		fields_set_number(&verdict.culprit, FIELD_RANK, model->rank.global);
		fields_set_text(&verdict.culprit, FIELD_API, thread->api);
		finding_chain_thread(&verdict, model, i);
		if (thread->stream < model->stream_count)
			fields_set_number(&verdict.culprit, FIELD_STREAM, model->streams[thread->stream].id);
		verdict_assume(&verdict, "work that was not seen holds it up");
		if (thread->any_stream)
			verdict_next(&verdict, "start the program with LD_PRELOAD=libcannwatch.so, or cannwatch run: "
					       "then its streams are known");
		verdict_next(&verdict,
			     "collect the stacks (cannwatch stacks %lld) and the device's task list "
			     "(a schedule_tracer dump; cannwatch logs reads it)",
			     (long long)model->pid);
		if (thread->timeout_ms > 0)
			verdict_next(&verdict, "the call gives up by itself after %lld ms",
				     (long long)thread->timeout_ms);
		report_add(report, &verdict);
	}
}
