// SPDX-License-Identifier: Apache-2.0
/*
 * Unwinding over a copy of a stack, by call frame information only. A register that
 * is not known stays unknown until a frame is found to have saved it; a step that
 * would need it ends the stack: frames are never guessed. Uses libdw for reading the
 * tables, image.h, memory.h.
 *
 * Why not a ready-made unwinder: those start from complete registers and fall back to
 * frame pointers or scanning when tables fail; neither holds for a thread that
 * nobody stopped, of which only stack pointer and pc are known.
 */
#ifndef CANNWATCH_PROBE_UNWIND_H
#define CANNWATCH_PROBE_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/arch.h"
#include "probe/image.h"
#include "probe/memory.h"

#define UNWIND_MAX_FRAMES 4096

struct unwind_frame {
	uint64_t pc;
	uint64_t lookup; /* an address inside the calling instruction: pc, or pc - 1 after a call */
	uint64_t cfa;	 /* the stack pointer in the caller, 0 not known */
	const struct module *module; /* NULL: code in no module */
	bool is_signal_frame; /* the trampoline between a handler and what it interrupted */
};

enum unwind_end {
	UNWIND_OUTERMOST, /* the tables say that nothing called this frame */
	UNWIND_NO_MODULE,
	UNWIND_NO_TABLE,
	UNWIND_NO_REGISTER,
	UNWIND_NO_MEMORY,
	UNWIND_BAD_TABLE,
	UNWIND_NO_PROGRESS,
	UNWIND_TOO_DEEP,
	UNWIND_OUT_OF_MEMORY,
};

struct unwind_stack {
	struct unwind_frame *frames; /* innermost first; the caller frees */
	size_t count;
	enum unwind_end end;
	int missing_register; /* for UNWIND_NO_REGISTER: its DWARF number, -1 not known which */
};

struct unwinder; /* remembers table rows by pc; not thread safe */

struct unwinder *unwinder_open(struct image_table *images);
void unwinder_close(struct unwinder *unwinder);
/*
 * registers: stack pointer and pc at least. exact: pc is the next instruction of an
 * interrupted thread (true) or a return address (false). Always gives the first frame.
 */
int unwind_stack(struct unwinder *unwinder, const struct arch_registers *registers, bool exact,
		 struct memory_copy *copy, struct unwind_stack *stack);
const char *unwind_end_text(enum unwind_end end);

#endif
