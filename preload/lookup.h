// SPDX-License-Identifier: Apache-2.0
/*
 * What dlsym and dlvsym answer. A name of the API table leads to its wrapper if, and
 * only if, the real look-up finds the very function that the wrapper would go on to;
 * a name that this library exports but that no other has looks absent.
 */
#ifndef CANNWATCH_PRELOAD_LOOKUP_H
#define CANNWATCH_PRELOAD_LOOKUP_H

#include "preload/shim.h"

/* In two registers on both machines: lookup.S counts on it. */
struct lookup_answer {
	void *jump;  /* go on there with the arguments as they came; NULL: */
	void *value; /* answer this */
};

/* version NULL: dlsym. caller: where the look-up was asked for. Any thread; takes the loader's lock only. */
struct lookup_answer lookup_decide(void *handle, const char *name, const char *version, uintptr_t caller);

/* The wrappers by number in the API table, whether or not they are exported. */
extern void *const lookup_wrappers[API_COUNT];

#endif
