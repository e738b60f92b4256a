// SPDX-License-Identifier: Apache-2.0
/* One verdict per root of a class (finding_report.h). */
#include "analyzer/diagnose/finding_report.h"

#include "analyzer/diagnose/confidence.h"

void finding_report_waits(const struct diagnosis *diagnosis, struct report *report, enum verdict_class class,
			  void (*describe)(const struct finding *finding, struct verdict *verdict))
{
	for (size_t i = 0; i < diagnosis->graph->root_count; i++) {
		const struct graph_root *root = &diagnosis->graph->roots[i];
		struct finding finding;
		struct verdict verdict;

		if (root->kind != ROOT_WAIT)
			continue;
		finding_init(&finding, diagnosis, root);
		if (finding_wait_class(&finding) != class || !finding_is_due(&finding))
			continue;
		finding_verdict(&finding, class, &verdict);
		object_set_id(&verdict.culprit, finding_end_object(&finding),
			      finding_end_task(&finding)->object_id);
		fields_set_number(&verdict.culprit, FIELD_STREAM, finding_end_stream(&finding)->id);
		confidence_decide(diagnosis, root, &verdict);
		describe(&finding, &verdict);
		report_add(report, &verdict);
	}
}

void finding_report_tasks(const struct diagnosis *diagnosis, struct report *report, enum verdict_class class,
			  void (*describe)(const struct finding *finding, struct verdict *verdict))
{
	for (size_t i = 0; i < diagnosis->graph->root_count; i++) {
		const struct graph_root *root = &diagnosis->graph->roots[i];
		struct finding finding;
		struct verdict verdict;

		if (root->kind != ROOT_TASK)
			continue;
		finding_init(&finding, diagnosis, root);
		if (finding_task_class(&finding) != class || !finding_is_due(&finding))
			continue;
		finding_verdict(&finding, class, &verdict);
		finding_blame_task(&finding, &verdict);
		describe(&finding, &verdict);
		report_add(report, &verdict);
	}
}
