// SPDX-License-Identifier: Apache-2.0
/*
 * What the program's own threads do, by their stacks: the ground of the verdicts for
 * a process in which no thread is in a CANN call. Reads the model only.
 */
#ifndef CANNWATCH_DIAGNOSE_HOST_STATE_H
#define CANNWATCH_DIAGNOSE_HOST_STATE_H

#include "analyzer/model/model.h"

enum host_state {
	HOST_NOT_SEEN,	/* no stacks were taken */
	HOST_IN_CANN,	/* a thread of the program is in a CANN call */
	HOST_MOVING,	/* none is, and the program goes on */
	HOST_WAITING,	/* every thread waits for requests, children, or one that does */
	HOST_STANDING,	/* it stands still in code of its own */
	HOST_UNDECIDED, /* what was seen does not tell */
};

/* *witness: the thread that shows it, MODEL_NONE none; *why (HOST_UNDECIDED): static text. */
enum host_state host_state(const struct model *model, size_t *witness, const char **why);
/* "waits for a request", "sleeps", ...; static. */
const char *thread_wait_text(enum thread_wait wait);

#endif
