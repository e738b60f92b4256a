// SPDX-License-Identifier: Apache-2.0
/*
 * What happens around a call: only the outermost one of a thread is followed, the
 * layers below refine it (hal.c). A wrapper calls call_begin, the real function, and,
 * if call_begin said so, call_end.
 */
#ifndef CANNWATCH_PRELOAD_CALL_H
#define CANNWATCH_PRELOAD_CALL_H

#include "preload/shim.h"

/* What a wrapper knows of its call. Lives on the wrapper's stack until call_begin returns. */
struct call_site {
	uint64_t first[4]; /* the first arguments as numbers */
	uint64_t stream, object, timeout;
	uintptr_t return_address, frame_pointer, cfa;
};

bool call_enter(struct shim_thread *self, uint16_t api, uint8_t role, const struct call_site *site);
void call_leave(struct shim_thread *self, bool failed);

/* In a forked child: no device is selected. */
void call_forget(void);

/*
 * A call below a followed one, unless that one's frame is gone (longjmp, an exception)
 * or it only runs callbacks of the program's own.
 */
static inline bool call_is_nested(const struct shim_thread *self, uintptr_t cfa)
{
	return self->inside && cfa < self->call.cfa && self->call.role != RING_ROLE_CALLBACK_SERVE;
}

/* True: followed, call_end is due. */
static inline bool call_begin(struct shim_thread *self, uint16_t api, uint8_t role, const struct call_site *site)
{
	if (call_is_nested(self, site->cfa) || self->busy)
		return false;
	return call_enter(self, api, role, site);
}

static inline void call_end(struct shim_thread *self, bool failed)
{
	if (likely(self->inside))
		call_leave(self, failed);
}

#endif
