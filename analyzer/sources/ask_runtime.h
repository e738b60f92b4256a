// SPDX-License-Identifier: Apache-2.0
/*
 * Lets the CANN runtime of a live process write its event trace, by the signal that
 * its own handler waits for, and reads it back. The one thing here that a process can
 * notice: only on the user's request. Uses probe/.
 */
#ifndef CANNWATCH_SOURCES_ASK_RUNTIME_H
#define CANNWATCH_SOURCES_ASK_RUNTIME_H

#include "probe/process.h"
#include "probe/trace_ring.h"

/*
 * 0 and texts (maybe none: nothing was written within wait_ms), free with
 * trace_texts_clear. -EOPNOTSUPP: the process has no handler, nothing was sent;
 * -ESRCH it ended; -EPERM.
 */
int runtime_ask(const struct process_facts *facts, int wait_ms, struct trace_texts *texts);

#endif
