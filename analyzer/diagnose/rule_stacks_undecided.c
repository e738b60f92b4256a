// SPDX-License-Identifier: Apache-2.0
/*
 * insufficient-evidence, of a live process: its stacks were taken and do not decide. A
 * thread stays in a CANN call that may take its time, or a stack could not be read. Last
 * of its kind: speaks only where no other rule has spoken.
 */
#include <string.h>

#include "analyzer/diagnose/finding.h"
#include "analyzer/diagnose/host_state.h"
#include "analyzer/diagnose/rules.h"

/* A thread of the program that stayed in one call of which nothing is known. */
static size_t find_inside(const struct model *model)
{
	for (size_t i = 0; i < model->thread_count; i++) {
		const struct model_thread *thread = &model->threads[i];

		if (thread->inside && thread->stable && thread->in_cann && thread->wait != WAIT_REQUEST)
			return i;
	}
	return MODEL_NONE;
}

static void tell_inside(const struct model *model, const struct model_thread *thread, struct verdict *verdict)
{
	if (thread->api)
		verdict_summary(verdict,
				"thread %lld %s was in %s in both samples; its stack does not say what that "
				"waits for",
				(long long)thread->tid, thread->name ? thread->name : "", thread->api);
	else
		verdict_summary(
			verdict,
			"thread %lld %s was in a CANN library in both samples, in no function with a name",
			(long long)thread->tid, thread->name ? thread->name : "");
	fields_set_text(&verdict->culprit, FIELD_API, thread->api);
	if (thread->api && strncmp(thread->api, "Hccl", 4) == 0)
		verdict_next(verdict,
			     "look at all ranks: cannwatch attach each of them and compare who entered what");
	verdict_next(verdict,
		     "ask again in a while; collect the plog folders (debug and run) and the device's logs");
	(void)model;
}

static void tell_host(const struct model *model, const struct model_thread *thread, const char *why,
		      struct verdict *verdict)
{
	verdict_summary(verdict, "no CANN call was seen, but that is not all: %s%s%s", why,
			thread && thread->stack_reason ? ": " : "",
			thread && thread->stack_reason ? thread->stack_reason : "");
	if (thread && thread->stack_reason)
		verdict_next(verdict, "see what would make it whole: cannwatch doctor %lld",
			     (long long)model->pid);
	else
		verdict_next(verdict, "look at the process that is to wake it: cannwatch attach that one");
}

void rule_stacks_undecided(const struct diagnosis *diagnosis, struct report *report)
{
	const struct model *model = diagnosis->model;
	const char *why;
	size_t witness, inside;
	enum host_state state = host_state(model, &witness, &why);
	struct verdict verdict;

	if (report->count || (state != HOST_UNDECIDED && state != HOST_IN_CANN))
		return;
	inside = find_inside(model);
	if (state == HOST_IN_CANN && inside == MODEL_NONE)
		return; /* calls come and go */
	verdict_init(&verdict, CLASS_INSUFFICIENT_EVIDENCE, CONFIDENCE_POSSIBLE);
	if (inside != MODEL_NONE)
		witness = inside;
	fields_set_number(&verdict.culprit, FIELD_RANK, model->rank.global);
	if (witness != MODEL_NONE) {
		fields_set_number(&verdict.culprit, FIELD_TID, model->threads[witness].tid);
		fields_set_text(&verdict.culprit, FIELD_THREAD, model->threads[witness].name);
		finding_chain_thread(&verdict, model, witness);
	}
	if (inside != MODEL_NONE)
		tell_inside(model, &model->threads[inside], &verdict);
	else
		tell_host(model, witness != MODEL_NONE ? &model->threads[witness] : NULL, why, &verdict);
	verdict_next(&verdict, "start the program with LD_PRELOAD=libcannwatch.so, or cannwatch run: then "
			       "streams and events are followed");
	report_add(report, &verdict);
}
