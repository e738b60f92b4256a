// SPDX-License-Identifier: Apache-2.0
/*
 * Which lines of a block of text hold one of many literals: the sieve before any
 * parser looks at a line. With vectorscan (libhs) where it was built in, else by a
 * table of byte pairs. Thread safety: one set per thread.
 */
#ifndef CANNWATCH_SOURCES_LITERAL_SET_H
#define CANNWATCH_SOURCES_LITERAL_SET_H

#include <stddef.h>
#include <stdint.h>

struct literal_set;

/* Offsets of line starts, ascending; grown by the set, freed by the owner. */
struct line_hits {
	uint32_t *starts;
	size_t count, room;
};

/* literals: NULL-terminated, each of at least 3 bytes, case counts. NULL if the library refuses. */
struct literal_set *literal_set_new(const char *const *literals);
void literal_set_free(struct literal_set *set);
/* Replaces hits by the lines of bytes[0..size) that hold a literal. size < 2^31. 0 or -errno. */
int literal_set_scan(struct literal_set *set, const char *bytes, size_t size, struct line_hits *hits);

#endif
