// SPDX-License-Identifier: Apache-2.0
/* The table of rules and their precedence (diagnose.h). Uses model/ and graph.h. */
#include "analyzer/diagnose/diagnose.h"

#include "analyzer/diagnose/rules.h"

const struct rule diagnose_rules[] = {
	{ CLASS_COUNT, NULL },
};
const size_t diagnose_rule_count = 0;

void diagnose_with(const struct model *model, const struct diagnose_options *options,
		   const struct rule *rules, size_t rule_count, struct report *report)
{
	static const struct diagnose_options defaults = { .stall_s = 0 };
	struct diagnosis diagnosis = {
		.model = model,
		.options = options ? options : &defaults,
	};

	for (size_t i = 0; i < rule_count; i++)
		rules[i].apply(&diagnosis, report);
}

void diagnose(const struct model *model, struct report *report)
{
	diagnose_with(model, NULL, diagnose_rules, diagnose_rule_count, report);
}
