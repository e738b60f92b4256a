// SPDX-License-Identifier: Apache-2.0
/*
 * From the model to verdicts. A rule is one function over the model in a file of
 * its own, named after its class; the list of rules and their precedence is the
 * table in diagnose.c. Reads no file, prints nothing. Not thread safe per report.
 */
#ifndef CANNWATCH_DIAGNOSE_H
#define CANNWATCH_DIAGNOSE_H

#include "analyzer/model/model.h"
#include "analyzer/model/report.h"

struct graph;
struct story;

struct diagnose_options {
	/*
	 * Seconds that something must have been blocked before a finding that only
	 * lasts long (a task that does not finish) is reported; 0: no limit, for logs.
	 */
	double stall_s;
};

/* What a rule sees. */
struct diagnosis {
	const struct model *model;
	const struct graph *graph; /* graph.h; never NULL */
	const struct story *story; /* story.h; NULL when no logs were read */
	const struct diagnose_options *options;
};

/* Adds a verdict to the report for every finding of its class; looks at no other rule's verdicts
 * unless the table puts it behind them and its file says so. */
struct rule {
	enum verdict_class class;
	void (*apply)(const struct diagnosis *diagnosis, struct report *report);
};

extern const struct rule diagnose_rules[]; /* in order of precedence */
extern const size_t diagnose_rule_count;

/* All rules, default options (logs: no stall limit). */
void diagnose(const struct model *model, struct report *report);
/* NULL options: the defaults. rules may be any table: tests leave one out. */
void diagnose_with(const struct model *model, const struct diagnose_options *options,
		   const struct rule *rules, size_t rule_count, struct report *report);

#endif
