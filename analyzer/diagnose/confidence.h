// SPDX-License-Identifier: Apache-2.0
/*
 * How sure a structural finding is. "Proven" means: nothing that still runs can end
 * this wait. It needs six conditions (docs/verdicts.md), each a named check here; a
 * condition that does not hold becomes a sentence of the verdict's "assumes".
 */
#ifndef CANNWATCH_DIAGNOSE_CONFIDENCE_H
#define CANNWATCH_DIAGNOSE_CONFIDENCE_H

#include "analyzer/diagnose/diagnose.h"
#include "analyzer/diagnose/graph.h"

/* Sets the verdict's confidence and assumes for a root that ends in waits only. */
void confidence_decide(const struct diagnosis *diagnosis, const struct graph_root *root,
		       struct verdict *verdict);

#endif
