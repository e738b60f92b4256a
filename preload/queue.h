// SPDX-License-Identifier: Apache-2.0
/*
 * The shadow queues: one entry of the ring per submission, kept while it may be
 * unfinished. Lock-free except when a segment must be opened (every 255 entries).
 */
#ifndef CANNWATCH_PRELOAD_QUEUE_H
#define CANNWATCH_PRELOAD_QUEUE_H

#include "preload/shim.h"

/* Claims the next entry of call->stream and fills it from the call: sets entry and number. */
void queue_claim(struct call *call, uint8_t kind, uint8_t flags, uint32_t timeout_s);

/* Is the call's entry still its own? It may have been pushed out while the call was inside. */
bool queue_holds(const struct call *call);

/* The call returned: its entry gets its final state. */
void queue_finish(struct call *call, bool failed);

/* The entry with this number if it is still there, else NULL. For the watchdog. */
struct ring_entry *queue_entry(uint32_t stream, uint64_t number);

/*
 * How many entries of the stream were claimed by calls that have all returned: what a
 * synchronize that is entered now waits for at least.
 */
uint64_t queue_upto(uint32_t stream);

/* Entries with a smaller number are finished. Only ever moves forward. */
void queue_done(uint32_t stream, uint64_t upto);

#endif
