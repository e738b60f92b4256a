// SPDX-License-Identifier: Apache-2.0
/*
 * shim-bypassed: the driver was handed tasks by threads that were in no call the shim
 * saw. Who calls the runtime in a way that the shim does not stand in is not followed.
 */
#include "analyzer/diagnose/rules.h"

#define TASKS_LEAST 3 /* the runtime's own odd task is no caller */

void rule_shim_bypassed(const struct diagnosis *diagnosis, struct report *report)
{
	const struct model_facts *facts = &diagnosis->model->facts;
	struct verdict verdict;

	if (!facts->live || facts->unattributed < TASKS_LEAST || facts->unattributed * 2 < facts->hal_tasks)
		return;
	verdict_init(&verdict, CLASS_SHIM_BYPASSED, CONFIDENCE_LIKELY);
	verdict_summary(&verdict,
			"%llu of %llu tasks reached the driver outside any call that was seen: their submitters "
			"do not go through the preload library, and their hangs cannot be told",
			(unsigned long long)facts->unattributed, (unsigned long long)facts->hal_tasks);
	fields_set_number(&verdict.culprit, FIELD_RANK, diagnosis->model->rank.global);
	verdict_assume(&verdict, "the program submits them, and no library of the runtime's that is not known as such");
	verdict_next(&verdict, "see how the program finds the API: RTLD_DEEPBIND, a dlsym of another library's, or "
			       "static linking; put libcannwatch.so first in LD_PRELOAD");
	report_add(report, &verdict);
}
