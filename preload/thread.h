// SPDX-License-Identifier: Apache-2.0
/*
 * Threads: the slot each one has in the ring once it makes a call, and who made it.
 */
#ifndef CANNWATCH_PRELOAD_THREAD_H
#define CANNWATCH_PRELOAD_THREAD_H

#include "preload/shim.h"

/* Gives the calling thread a slot. False: none is left (counted). */
bool thread_register(struct shim_thread *self);

/* Prepares what frees slots when threads end. Once per ring. */
void thread_open(void);

/* Copies the makers noted so far into the ring that has just been made. */
void thread_publish_makers(void);

/* In a forked child: nobody else is left. */
void thread_forget(void);

struct ring_thread *thread_slot(uint32_t index); /* NULL: not there */
uint32_t thread_high(void);			 /* slots handed out so far */

/* Was the calling thread made by a library of CANN's? */
bool thread_is_cann(struct shim_thread *self);

/* Starts a thread of the shim's own: small stack, signals blocked. False: it could not. */
bool thread_start_own(void *(*routine)(void *));

#endif
