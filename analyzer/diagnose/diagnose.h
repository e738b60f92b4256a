// SPDX-License-Identifier: Apache-2.0
/*
 * From the model to verdicts. A rule is one function over the model in a file of
 * its own, named after its class; the list of rules and their precedence is the
 * table in diagnose.c. Reads no file, prints nothing.
 */
#ifndef CANNWATCH_DIAGNOSE_H
#define CANNWATCH_DIAGNOSE_H

#include "analyzer/model/model.h"
#include "analyzer/model/report.h"

void diagnose(const struct model *model, struct report *report);

#endif
