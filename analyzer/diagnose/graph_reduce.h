// SPDX-License-Identifier: Apache-2.0
/*
 * Part of the graph: lets every stream run as far as it can, with all tasks that are
 * not waits finishing. Where a stream stops then, it stops for good unless something
 * outside the model acts. Used by graph.c only.
 */
#ifndef CANNWATCH_DIAGNOSE_GRAPH_REDUCE_H
#define CANNWATCH_DIAGNOSE_GRAPH_REDUCE_H

#include "analyzer/diagnose/graph.h"

struct reduction {
	size_t *stop;		   /* per stream: index of the task it stops at, its task count if none */
	struct graph_point *freed; /* per stream: the record that ended the wait at its head, if any */
};

/* graph->releases must be filled. Free with reduction_clear. */
void reduction_run(const struct graph *graph, struct reduction *reduction);
void reduction_clear(struct reduction *reduction);

#endif
