// SPDX-License-Identifier: Apache-2.0
/*
 * Decides, from the shim's own tables alone, whether a blocked thread waits for
 * something that nothing submitted so far can release: a reason to start the helper
 * at once, which then looks properly. Cheap and bounded; watchdog thread only.
 */
#ifndef CANNWATCH_PRELOAD_SUSPECT_H
#define CANNWATCH_PRELOAD_SUSPECT_H

#include "preload/shim.h"

struct suspicion {
	bool structural;
	uint64_t signature; /* of what it all hangs on; the same for every thread that hangs on it */
	uint32_t stream;    /* ref of the first stream that does not move, 0 none */
	uint64_t number;    /* its head entry */
};

/* Looks at the thread in this slot, which has been inside the same call for a while. */
void suspect_look(uint32_t slot, struct suspicion *suspicion);

/* Asks the driver where every stream with unfinished work stands: what the analyzer judges by. */
void suspect_ask_all(void);

/* One sentence on what the thread waits for, as far as the shim itself knows. */
void suspect_describe(uint32_t slot, const struct suspicion *suspicion, char *to, uint32_t size);

#endif
