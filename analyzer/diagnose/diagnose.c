// SPDX-License-Identifier: Apache-2.0
/* The table of rules and their precedence (diagnose.h). Uses model/ and graph.h. */
#include "analyzer/diagnose/diagnose.h"

#include "analyzer/diagnose/graph.h"
#include "analyzer/diagnose/rules.h"

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
};
const size_t diagnose_rule_count = sizeof(diagnose_rules) / sizeof(diagnose_rules[0]);

void diagnose_with(const struct model *model, const struct diagnose_options *options,
		   const struct rule *rules, size_t rule_count, struct report *report)
{
	static const struct diagnose_options defaults = { .stall_s = 0 };
	struct graph *graph = graph_build(model);
	struct diagnosis diagnosis = {
		.model = model,
		.graph = graph,
		.options = options ? options : &defaults,
	};

	for (size_t i = 0; i < rule_count; i++)
		rules[i].apply(&diagnosis, report);
	graph_free(graph);
}

void diagnose(const struct model *model, struct report *report)
{
	diagnose_with(model, NULL, diagnose_rules, diagnose_rule_count, report);
}
