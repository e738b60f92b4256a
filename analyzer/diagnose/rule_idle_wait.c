// SPDX-License-Identifier: Apache-2.0
/*
 * idle-wait: every thread of a live process waits for requests or children, or for
 * one that does, as servers and launchers do. Stack listings in files: log_stack.c.
 */
#include "analyzer/diagnose/finding.h"
#include "analyzer/diagnose/host_state.h"
#include "analyzer/diagnose/rules.h"

void rule_idle_wait(const struct diagnosis *diagnosis, struct report *report)
{
	const struct model *model = diagnosis->model;
	const struct model_thread *thread;
	struct verdict verdict;
	const char *why;
	size_t witness;

	if (host_state(model, &witness, &why) != HOST_WAITING)
		return;
	thread = &model->threads[witness];
	verdict_init(&verdict, CLASS_IDLE_WAIT, CONFIDENCE_LIKELY);
	verdict_summary(&verdict,
			"no thread is in a CANN call; thread %lld %s %s and all others wait too: nothing is "
			"wrong here",
			(long long)thread->tid, thread->name ? thread->name : "",
			thread_wait_text(thread->wait));
	fields_set_number(&verdict.culprit, FIELD_RANK, model->rank.global);
	fields_set_number(&verdict.culprit, FIELD_TID, thread->tid);
	fields_set_text(&verdict.culprit, FIELD_THREAD, thread->name);
	finding_chain_thread(&verdict, model, witness);
	verdict_assume(&verdict, "what it waits for is not overdue");
	if (thread->wait == WAIT_CHILD)
		verdict_next(&verdict, "ask the child processes: cannwatch attach each of pgrep -P %lld",
			     (long long)model->pid);
	else
		verdict_next(&verdict,
			     "if requests were sent, look at the way they take before they come here");
	report_add(report, &verdict);
}
