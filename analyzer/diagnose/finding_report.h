// SPDX-License-Identifier: Apache-2.0
/*
 * One verdict per root of a class: what rule files have in common. A rule names its
 * class and describes (summary, next, more of the culprit).
 */
#ifndef CANNWATCH_DIAGNOSE_FINDING_REPORT_H
#define CANNWATCH_DIAGNOSE_FINDING_REPORT_H

#include "analyzer/diagnose/finding.h"

/* Roots that end in a wait. Culprit: object and stream; confidence is decided. */
void finding_report_waits(const struct diagnosis *diagnosis, struct report *report, enum verdict_class class,
			  void (*describe)(const struct finding *finding, struct verdict *verdict));
/* Roots that end in a task that does not finish. Culprit: stream, task, kernel; never proven. */
void finding_report_tasks(const struct diagnosis *diagnosis, struct report *report, enum verdict_class class,
			  void (*describe)(const struct finding *finding, struct verdict *verdict));

#endif
