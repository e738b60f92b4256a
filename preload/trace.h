// SPDX-License-Identifier: Apache-2.0
/* The runtime's own event texts, as it submits them: what they say of progress. */
#ifndef CANNWATCH_PRELOAD_TRACE_H
#define CANNWATCH_PRELOAD_TRACE_H

#include <stdint.h>

/*
 * Learns from one text, of at most size bytes, NUL-terminated or not. Any thread, no lock;
 * what is no text of a known kind is left alone.
 */
void trace_learn(const char *text, uint32_t size);

#endif
