// SPDX-License-Identifier: Apache-2.0
/* The list of verdicts and what it means as an exit status (report.h). */
#include "analyzer/model/report.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/model/util.h"

void report_init(struct report *report, const struct model *model)
{
	memset(report, 0, sizeof(*report));
	report->model = model;
}

static void verdicts_free(struct verdict *verdicts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		verdict_clear(&verdicts[i]);
	free(verdicts);
}

void report_clear(struct report *report)
{
	verdicts_free(report->verdicts, report->count);
	verdicts_free(report->recovered, report->recovered_count);
	memset(report, 0, sizeof(*report));
}

void report_add(struct report *report, struct verdict *verdict)
{
	struct verdict *slot = array_add(&report->verdicts, &report->count, sizeof(*slot));

	*slot = *verdict;
	memset(verdict, 0, sizeof(*verdict));
}

int report_exit_status(const struct report *report)
{
	int status = 0;

	for (size_t i = 0; i < report->count; i++) {
		switch (verdict_class_kind(report->verdicts[i].class)) {
		case KIND_HANG:
		case KIND_FAULT:
			return 10;
		case KIND_IDLE:
			break;
		default:
			status = 11;
		}
	}
	return status;
}
