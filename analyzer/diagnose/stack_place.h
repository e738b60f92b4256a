// SPDX-License-Identifier: Apache-2.0
/*
 * Where a thread is, by its stack listing: in a CANN call that waits, in one that
 * should return at once, waiting for work by design, or elsewhere. As CANN's own
 * guide does: by the exported boundary first, then by inner names. Pure functions.
 */
#ifndef CANNWATCH_DIAGNOSE_STACK_PLACE_H
#define CANNWATCH_DIAGNOSE_STACK_PLACE_H

#include "analyzer/model/observation.h"

enum stack_place {
	PLACE_ELSEWHERE, /* the program's own code */
	PLACE_SYNC,
	PLACE_SUBMIT,
	PLACE_CANN,	 /* in CANN, no telling what for */
	PLACE_IDLE,	 /* waits for work: a server or worker loop */
	PLACE_HELPER,	 /* a thread of CANN's, or of no interest */
};

/* *api: the call at the boundary, static or interned; NULL if there is none. */
enum stack_place stack_place(const struct stack *stack, const char **api);
bool stack_is_helper(const struct stack *stack);
/* A frame's function contains one of the NULL-terminated words; its index, SIZE_MAX for none. */
size_t stack_find(const struct stack *stack, const char *const *words);

#endif
