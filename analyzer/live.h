// SPDX-License-Identifier: Apache-2.0
/*
 * Looks at a live process (or at the ring a dead one left): takes two samples and
 * joins what the sources say into one model. With a ring nothing is stopped; without
 * one a thread that runs stands still while its stack is copied (probe/stacks.h).
 */
#ifndef CANNWATCH_ANALYZER_LIVE_H
#define CANNWATCH_ANALYZER_LIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/model/model.h"

struct live_request {
	int pid;	       /* the process; 0: only a ring is left */
	int ring_fd;	       /* its ring, -1: look for it */
	const char *ring_path; /* a ring that a process left behind, NULL none */
	unsigned int apart_ms; /* between the samples; 0: 300 */
	bool no_stop;	       /* without a ring: never stop a thread to read its stack */
	bool ask_runtime;      /* without a ring: let the runtime write its trace (signal 35) */
};

struct live_result {
	uint32_t stall_ms; /* CANNWATCH_STALL of the process */
	uint32_t reports;  /* made by the shim so far */
	bool by_stacks;	   /* there is no ring: stacks and the runtime's own trace were read */
};

/*
 * Fills an initialised model. Returns 0, or -errno and one line for the user in
 * error, which says what to do: -ESRCH no such process, -EACCES not permitted, -ENOENT
 * there is no such ring, others: the ring or the stacks cannot be read. A process
 * without a ring is looked at through its stacks.
 */
int live_observe(const struct live_request *request, struct model *model, struct live_result *result,
		 char *error, size_t size);
/* The part of it for a process without a ring; pid must be given. */
int live_observe_stacks(const struct live_request *request, struct model *model, struct live_result *result,
			char *error, size_t size);

#endif
