// SPDX-License-Identifier: Apache-2.0
/*
 * The report: an ordered list of verdicts, root cause first, and what they speak
 * of. Filled by diagnose/, shown by render/.
 */
#ifndef CANNWATCH_MODEL_REPORT_H
#define CANNWATCH_MODEL_REPORT_H

#include "analyzer/model/verdict.h"

struct model;

struct report {
	struct verdict *verdicts;
	size_t count;
	struct verdict *recovered; /* hangs that ended by themselves */
	size_t recovered_count;
	const struct model *model; /* what was looked at; not owned */
};

void report_init(struct report *report, const struct model *model);
void report_clear(struct report *report);
/* Appends; the verdict's contents move into the report. */
void report_add(struct report *report, struct verdict *verdict);
/* 0, 10 or 11 as the contract says. */
int report_exit_status(const struct report *report);

#endif
