// SPDX-License-Identifier: Apache-2.0
/*
 * Finds the functions that the wrappers stand in front of, without dlsym: no lock but
 * the loader's, no allocation, no dlerror. Any thread.
 */
#ifndef CANNWATCH_PRELOAD_REAL_H
#define CANNWATCH_PRELOAD_REAL_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/shim.h"

extern void *real_functions[API_COUNT]; /* NULL not looked up or not there; atomic */

/* The first definition of name in any loaded library after this one, NULL none. */
void *real_find(const char *name);

/* The first definition of name in any loaded library, this one among them; NULL none. */
void *real_first(const char *name);

/* As defined by the C library itself, whoever else stands in front of it. */
void *real_find_libc(const char *name);

/* Do both addresses lie in one loaded library? */
bool real_same_object(uintptr_t one, uintptr_t other);

/* Looks a function of the table up and remembers it. NULL: this CANN does not have it. */
void *real_resolve(enum shim_api api);

static inline void *real_function(enum shim_api api)
{
	void *function = __atomic_load_n(&real_functions[api], __ATOMIC_RELAXED);

	return likely(function) ? function : real_resolve(api);
}

/* What a wrapper answers when its function is missing; says so once per function. */
int real_missing(enum shim_api api, int answer);

/* Does this address lie in a library of CANN's? Walks the loaded libraries. */
bool real_is_cann(uintptr_t address);

/* Load address of this library, and its path (static storage, empty if unknown). */
uintptr_t real_own_base(void);
const char *real_own_path(void);

#endif
