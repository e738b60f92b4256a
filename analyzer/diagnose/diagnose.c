// SPDX-License-Identifier: Apache-2.0
/* The table of rules and their precedence (diagnose.h). Uses model/ and graph.h. */
#include "analyzer/diagnose/diagnose.h"

#include "analyzer/diagnose/graph.h"
#include "analyzer/diagnose/rules.h"
#include "analyzer/diagnose/story.h"

/* Certain and specific before vague: the first verdict is what a user reads. */
const struct rule diagnose_rules[] = {
	{ CLASS_WAIT_CYCLE, rule_wait_cycle },
	{ CLASS_EVENT_NEVER_RECORDED, rule_event_never_recorded },
	{ CLASS_NOTIFY_WAIT_STUCK, rule_notify_wait_stuck },
	{ CLASS_EVENT_RECORD_LOST, rule_event_record_lost },
	{ CLASS_VALUE_WAIT_STUCK, rule_value_wait_stuck },
	{ CLASS_EVENT_WAIT_STUCK, rule_event_wait_stuck },
	{ CLASS_SUBMIT_STUCK, rule_submit_stuck },
	{ CLASS_CALLBACK_NOT_SERVED, rule_callback_not_served },
	{ CLASS_EVENT_RECORD_BLOCKED, rule_event_record_blocked },
	{ CLASS_TASK_STUCK, rule_task_stuck },
	{ CLASS_SYNC_STUCK, rule_sync_stuck },
	/* Stacks of a live process without a thread in CANN, or that do not decide. */
	{ CLASS_HOST_NOT_SUBMITTING, rule_host_not_submitting },
	{ CLASS_IDLE_WAIT, rule_idle_wait },
	{ CLASS_SHIM_BYPASSED, rule_shim_bypassed },
	{ CLASS_INSUFFICIENT_EVIDENCE, rule_stacks_undecided },
	/* What logs tell. At most one of these speaks: the story has one root. */
	{ CLASS_DEVICE_PANIC, rule_device_panic },
	{ CLASS_HEARTBEAT_LOST, rule_heartbeat_lost },
	{ CLASS_AICORE_ERROR, rule_aicore_error },
	{ CLASS_AICPU_ERROR, rule_aicpu_error },
	{ CLASS_SDMA_ERROR, rule_sdma_error },
	{ CLASS_LINK_ERROR, rule_link_error },
	{ CLASS_RESOURCE_EXHAUSTED, rule_resource_exhausted },
	{ CLASS_NO_CONTEXT, rule_no_context },
	{ CLASS_CONFIG_ERROR, rule_config_error },
	{ CLASS_PROCESS_GONE, rule_process_gone },
	{ CLASS_ENV_RACE, rule_env_race },
	{ CLASS_CRASH, rule_crash },
	{ CLASS_FORK_AFTER_INIT, rule_fork_after_init },
	{ CLASS_SYNC_DURING_CAPTURE, rule_sync_during_capture },
	{ CLASS_DUMP_MISUSE, rule_dump_misuse },
	{ CLASS_USE_AFTER_DESTROY, rule_use_after_destroy },
	{ CLASS_AICORE_ERROR, rule_aicore_report },
	{ CLASS_AICPU_ERROR, rule_aicpu_report },
	{ CLASS_SDMA_ERROR, rule_sdma_report },
	{ CLASS_TASK_FAILED, rule_task_failed },
	{ CLASS_ERROR_CODE, rule_error_code },
	{ CLASS_API_ERROR, rule_api_error },
	{ CLASS_PEER_STUCK, rule_peer_stuck },
	{ CLASS_HEARTBEAT_LOST, rule_rank_lost },
	{ CLASS_PROGRAM_ERROR, rule_program_error },
	{ CLASS_COLLECTIVE_MISSING_RANK, rule_missing_rank },
	{ CLASS_COLLECTIVE_MISMATCH, rule_mismatch },
	{ CLASS_SLOW_RANK, rule_slow_rank },
	{ CLASS_COLLECTIVE_STUCK, rule_collective_stuck },
	{ CLASS_NOTIFY_WAIT_STUCK, rule_notify_wait_log },
	{ CLASS_EVENT_WAIT_STUCK, rule_event_wait_log },
	{ CLASS_SYNC_STUCK, rule_sync_log },
	{ CLASS_OP_COMPILE_STALLED, rule_compile_stalled },
	{ CLASS_FORK_LOCK_ORPHANED, rule_fork_lock },
	{ CLASS_HOST_DEADLOCK, rule_host_deadlock },
	{ CLASS_CRASH, rule_abort },
	{ CLASS_SUBMIT_STUCK, rule_submit_stack },
	{ CLASS_SYNC_STUCK, rule_sync_stack },
	{ CLASS_HOST_NOT_SUBMITTING, rule_host_stack },
	{ CLASS_INSUFFICIENT_EVIDENCE, rule_insufficient },
	{ CLASS_IDLE_WAIT, rule_idle_stack },
};
const size_t diagnose_rule_count = sizeof(diagnose_rules) / sizeof(diagnose_rules[0]);

void diagnose_with(const struct model *model, const struct diagnose_options *options,
		   const struct rule *rules, size_t rule_count, struct report *report)
{
	static const struct diagnose_options defaults = { .stall_s = 0 };
	struct graph *graph = graph_build(model);
	struct story *story = story_build(model);
	struct diagnosis diagnosis = {
		.model = model,
		.graph = graph,
		.story = story,
		.options = options ? options : &defaults,
	};

	for (size_t i = 0; i < rule_count; i++)
		rules[i].apply(&diagnosis, report);
	story_free(story);
	graph_free(graph);
}

void diagnose(const struct model *model, struct report *report)
{
	diagnose_with(model, NULL, diagnose_rules, diagnose_rule_count, report);
}
