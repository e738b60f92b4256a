// SPDX-License-Identifier: Apache-2.0
/*
 * The last event texts of the CANN runtime, read out of a live process's heap. The
 * runtime keeps them in rings of 128-byte entries: time stamp, length (112), text.
 * Reads only pages of the malloc heap that are in memory; sends nothing, stops
 * nothing. Uses libc and probe/{maps,memory}.h.
 */
#ifndef CANNWATCH_PROBE_TRACE_RING_H
#define CANNWATCH_PROBE_TRACE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/maps.h"

#define TRACE_TEXT 112

struct trace_text {
	uint64_t stamp; /* of the runtime, unit unknown: orders the texts of one ring */
	uint32_t ring;	/* texts of one ring share a number; rings count from 0 by address */
	char text[TRACE_TEXT + 1]; /* up to the first NUL or control byte, NUL-terminated */
};

struct trace_texts {
	struct trace_text *list; /* by ring, then oldest first */
	size_t count;
	uint32_t rings;
	bool wrapped;	   /* some ring was full: older texts may have been overwritten */
	bool cut_short;	   /* the time ran out before the whole heap was seen */
	size_t changed;	   /* entries left out because they were being written */
	uint64_t scanned; /* bytes */
};

/*
 * id: a thread that has memory (process_facts.anchor); maps: of that process.
 * budget_ms: when to give up (0: 100). No texts is not an error. -ESRCH, -EACCES,
 * -ENOMEM. Free with trace_texts_clear.
 */
int trace_texts_read(int id, const struct map_table *maps, int budget_ms, struct trace_texts *texts);
void trace_texts_clear(struct trace_texts *texts);

#endif
