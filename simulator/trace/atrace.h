// SPDX-License-Identifier: Apache-2.0
/*
 * What libascend_trace.so offers: rings of texts that are written out when a
 * signal or the program asks for it. Prototypes as in the API table.
 */
#ifndef SIMULATOR_TRACE_ATRACE_H
#define SIMULATOR_TRACE_ATRACE_H

#include <stdbool.h>
#include <stdint.h>

typedef int TraStatus;
typedef intptr_t TraHandle;
typedef intptr_t TraEventHandle;
typedef int TracerType;
struct TraceAttr;
struct TraceEventAttr;
struct TraceGlobalAttr;
struct TraceStructEntry;

/* NULL: everything as it is by default. */
__attribute__((visibility("default"))) TraStatus AtraceSetGlobalAttr(const struct TraceGlobalAttr *attr);

enum { TRACE_SUCCESS = 0, TRACE_FAILURE = -1 };

#endif
