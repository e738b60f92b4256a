// SPDX-License-Identifier: Apache-2.0
/*
 * Looks at a live process (or at the ring a dead one left): takes two samples and
 * joins what the sources say into one model. Stops nothing, changes nothing.
 */
#ifndef CANNWATCH_ANALYZER_LIVE_H
#define CANNWATCH_ANALYZER_LIVE_H

#include <stddef.h>

#include "analyzer/model/model.h"

struct live_request {
	int pid;	       /* the process; 0: only a ring is left */
	int ring_fd;	       /* its ring, -1: look for it */
	const char *ring_path; /* a ring that a process left behind, NULL none */
	unsigned int apart_ms; /* between the samples; 0: 300 */
};

struct live_result {
	uint32_t stall_ms; /* CANNWATCH_STALL of the process */
	uint32_t reports;  /* made by the shim so far */
};

/*
 * Fills an initialised model. Returns 0, or -errno and one line for the user in
 * error, which says what to do: -ENOENT there is no ring, -ESRCH no such process,
 * -EACCES not permitted, others: the ring cannot be read.
 */
int live_observe(const struct live_request *request, struct model *model, struct live_result *result,
		 char *error, size_t size);

#endif
