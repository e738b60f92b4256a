// SPDX-License-Identifier: Apache-2.0
/*
 * host-not-submitting: no thread of a live process is in a CANN call, and the program
 * stands still in code of its own: it does not hand out work. Where stacks are a
 * listing in a file, log_stack.c says it. Stacks never prove anything.
 */
#include "analyzer/diagnose/finding.h"
#include "analyzer/diagnose/host_state.h"
#include "analyzer/diagnose/rules.h"

void rule_host_not_submitting(const struct diagnosis *diagnosis, struct report *report)
{
	const struct model *model = diagnosis->model;
	const struct model_thread *thread;
	struct verdict verdict;
	const char *why;
	size_t witness;

	if (host_state(model, &witness, &why) != HOST_STANDING)
		return;
	thread = &model->threads[witness];
	verdict_init(&verdict, CLASS_HOST_NOT_SUBMITTING,
		     thread->wait == WAIT_NONE || thread->wait == WAIT_THREAD ? CONFIDENCE_POSSIBLE : CONFIDENCE_LIKELY);
	verdict.blocked_s = thread->blocked_s;
	verdict_summary(
		&verdict,
		"no thread is in a CANN call: the program itself does not hand out work; thread %lld %s %s",
		(long long)thread->tid, thread->name ? thread->name : "", thread_wait_text(thread->wait));
	fields_set_number(&verdict.culprit, FIELD_RANK, model->rank.global);
	fields_set_number(&verdict.culprit, FIELD_TID, thread->tid);
	fields_set_text(&verdict.culprit, FIELD_THREAD, thread->name);
	finding_chain_thread(&verdict, model, witness);
	verdict_assume(&verdict, "the program should be handing out work now");
	if (thread->wait == WAIT_NONE)
		verdict_assume(
			&verdict,
			"what thread %lld computes does not end: it was at the same place in both samples",
			(long long)thread->tid);
	if (thread->wait == WAIT_THREAD)
		verdict_assume(&verdict, "no signal and no timer is to wake one of its threads");
	verdict_next(&verdict,
		     "read the stack of thread %lld (cannwatch stacks %lld): data loading, file system, "
		     "locks of the program",
		     (long long)thread->tid, (long long)model->pid);
	report_add(report, &verdict);
}
