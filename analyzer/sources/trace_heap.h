// SPDX-License-Identifier: Apache-2.0
/*
 * The runtime's last event texts, read out of a live process's heap, as a source: the
 * events' past of a process that nobody prepared. Uses probe/trace_ring.h and the
 * model; judges nothing.
 */
#ifndef CANNWATCH_SOURCES_TRACE_HEAP_H
#define CANNWATCH_SOURCES_TRACE_HEAP_H

#include "analyzer/model/model.h"
#include "probe/trace_ring.h"

/*
 * first: what was there before the samples of the threads, last: after them. Streams,
 * their tasks and events go to the model; a wait with an earlier record of the same
 * event becomes bound to it, one without can be of the SYNC or EXTERNAL kind only.
 * Threads that wrote a text between the two are no longer stable. Sets facts.
 */
void trace_heap_to_model(const struct trace_texts *first, const struct trace_texts *last,
			 struct model *model);

#endif
