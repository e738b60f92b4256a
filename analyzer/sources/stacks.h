// SPDX-License-Identifier: Apache-2.0
/*
 * The native stacks of a live process as a source: which call of CANN each thread is
 * in and since which sample, or what else it waits for. Uses probe/ and the model;
 * judges nothing. Does not stop a thread unless it must and may (probe/stacks.h).
 */
#ifndef CANNWATCH_SOURCES_STACKS_H
#define CANNWATCH_SOURCES_STACKS_H

#include <stdbool.h>

#include "analyzer/model/model.h"

struct stacks_sample; /* all stacks at about one moment */

/* 0 and a sample to free with stacks_sample_free, or -errno as stacks_read has it. */
int stacks_sample_take(int pid, bool no_stop, struct stacks_sample **sample);
void stacks_sample_free(struct stacks_sample *sample);

/*
 * Fills the threads that are in the model already (process_to_model); apart_s: seconds
 * between the samples. A thread is stable when both show it in the same call: same
 * function, same frame, and nothing on the caller's side of the stack was written.
 */
void stacks_to_model(const struct stacks_sample *first, const struct stacks_sample *last, double apart_s,
		     struct model *model);

#endif
