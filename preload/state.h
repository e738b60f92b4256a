// SPDX-License-Identifier: Apache-2.0
/*
 * The tables: which record of the ring stands for a handle, a stream id or a queue
 * id. Look-ups are lock-free; what adds or removes takes a small private lock that
 * never waits for long and is never held across foreign code. If it cannot be had,
 * or a table is full, the loss is counted and the caller goes on without.
 */
#ifndef CANNWATCH_PRELOAD_STATE_H
#define CANNWATCH_PRELOAD_STATE_H

#include "preload/shim.h"

#define STATE_STREAMS  8192u
#define STATE_OBJECTS  131072u
#define STATE_CONTEXTS 256u
#define STATE_THREADS  4096u
#define STATE_DEVICES  16u
#define STATE_STREAM_IDS 32768u
#define STATE_SQ_IDS	 8192u
#define STATE_SEGMENTS	 12u   /* queue segments a stream may hold: more than any queue is deep */
#define STATE_DEPTH	 2048u /* entries of the deepest queue known: older ones are finished */
#define STATE_BUFFERS	 16u   /* device synchronizes that can be followed at a time */

/* What the shim knows of a stream beyond its record. */
struct stream_private {
	uint32_t hal_device; /* driver's number of the device, RING_NONE until a task showed it */
	uint32_t ts;
	uint64_t capture_from; /* first entry of the capture that is under way or was last */
	struct ring_segment *segments[STATE_SEGMENTS];
	uint64_t sent_at[STATE_SEGMENTS]; /* SQEs sent when the segment was opened */
};

/* Makes the private tables. Returns 0 or -errno. */
int state_open(void);
void state_close(void);

bool state_lock(void);
void state_unlock(void);

/* Records by ref (1-based); NULL for 0 and for what is not there. */
struct ring_stream *stream_record(uint32_t ref);
struct ring_object *object_record(uint32_t ref);
struct ring_context *context_record(uint32_t ref);
struct stream_private *stream_private(uint32_t ref);
uint32_t stream_high(void); /* refs handed out so far */
uint32_t object_high(void);
uint32_t context_high(void);

/*
 * The stream for a handle; 0 is the default stream of the context. Unknown handles
 * get a record (flag SEEN_LATE) and *late is set. 0: none.
 */
uint32_t stream_resolve(uint64_t handle, uint32_t context, bool *late);
uint32_t stream_find(uint64_t handle); /* without making one */
uint32_t stream_add(uint64_t handle, uint32_t context, uint32_t flags, uint32_t create_flags, uint64_t site);
void stream_remove(uint32_t ref);
/* The default stream of this context now has this handle. */
void stream_name_default(uint32_t context, uint64_t handle);

/* kind tells events, notifies, values and communicators apart. Unknown ones as for streams. */
uint32_t object_resolve(enum ring_object_kind kind, uint64_t handle, uint32_t context, bool *late);
uint32_t object_find(enum ring_object_kind kind, uint64_t handle);
uint32_t object_add(enum ring_object_kind kind, uint64_t handle, enum ring_made_by made_by,
		    uint32_t create_flags, uint32_t context, uint64_t site);
void object_remove(uint32_t ref);

/* handle 0 and primary: the primary context of the device. */
uint32_t context_primary(uint32_t device);
uint32_t context_find(uint64_t handle);
uint32_t context_add(uint64_t handle, uint32_t device);
void context_name(uint32_t ref, uint64_t handle);
/* The context is gone, and its streams with it. */
void context_remove(uint32_t ref);

/* Streams by what the driver calls them. 0: unknown. */
uint32_t stream_by_id(uint32_t hal_device, uint32_t stream_id);
uint32_t stream_by_sq(uint32_t hal_device, uint32_t sq_id);
void stream_bind(uint32_t ref, uint32_t hal_device, uint32_t ts, uint32_t stream_id, uint32_t sq_id);

/* Takes and gives back a scratch array of STATE_STREAMS numbers; 0 none free, else number + 1. */
uint32_t buffer_take(void);
uint64_t *buffer_numbers(uint32_t buffer);
void buffer_give(uint32_t buffer);

#endif
