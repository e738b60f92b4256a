// SPDX-License-Identifier: Apache-2.0
/* Unwinding over a copy (unwind.h). Uses cfi.h. */
#include "probe/unwind.h"
#include "probe/cfi.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS	       4096 /* power of two */
#define BACKWARD_STEPS 16   /* a handler on another stack may lead down, but not for ever */

struct cached_row {
	struct cached_row *next;
	uint64_t address;
	const struct module *module;
	int err;
	struct cfi_row row;
};

struct unwinder {
	struct image_table *images;
	struct cached_row *bucket[BUCKETS];
};

struct unwinder *unwinder_open(struct image_table *images)
{
	struct unwinder *unwinder = calloc(1, sizeof(*unwinder));

	if (unwinder)
		unwinder->images = images;
	return unwinder;
}

void unwinder_close(struct unwinder *unwinder)
{
	size_t i;

	if (!unwinder)
		return;
	for (i = 0; i < BUCKETS; i++) {
		while (unwinder->bucket[i]) {
			struct cached_row *row = unwinder->bucket[i];

			unwinder->bucket[i] = row->next;
			if (!row->err)
				cfi_row_clear(&row->row);
			free(row);
		}
	}
	free(unwinder);
}

static struct cached_row *row_find(struct unwinder *unwinder, uint64_t address)
{
	struct cached_row **slot = &unwinder->bucket[(address ^ address >> 12) & (BUCKETS - 1)];
	struct cached_row *row;

	for (row = *slot; row; row = row->next)
		if (row->address == address)
			return row;
	row = calloc(1, sizeof(*row));
	if (!row)
		return NULL;
	row->address = address;
	row->module = modules_find(unwinder->images->modules, address);
	row->err = row->module ? cfi_row_read(image_get(unwinder->images, row->module), address, &row->row) : -ENXIO;
	row->next = *slot;
	*slot = row;
	return row;
}

static int frame_append(struct unwind_stack *stack, size_t *room, uint64_t pc, bool exact)
{
	if (stack->count == *room) {
		size_t want = *room ? *room * 2 : 32;
		struct unwind_frame *frames = realloc(stack->frames, want * sizeof(*frames));

		if (!frames)
			return -ENOMEM;
		stack->frames = frames;
		*room = want;
	}
	memset(&stack->frames[stack->count], 0, sizeof(*stack->frames));
	stack->frames[stack->count].pc = pc;
	stack->frames[stack->count].lookup = exact ? pc : pc - 1;
	stack->count++;
	return 0;
}

static enum unwind_end end_of_error(int err)
{
	switch (err) {
	case -ENXIO:
		return UNWIND_NO_MODULE;
	case -ENOENT:
		return UNWIND_NO_TABLE;
	case -EBADR:
	case -ENOKEY:
		return UNWIND_NO_REGISTER;
	case -ENODATA:
		return UNWIND_NO_MEMORY;
	case -ENOMEM:
		return UNWIND_OUT_OF_MEMORY;
	default:
		return UNWIND_BAD_TABLE;
	}
}

/* The caller's registers. A register whose value cannot be had becomes unknown; only the pc is needed. */
static int registers_step(struct cfi_context *context, const struct cfi_row *row, struct arch_registers *next)
{
	uint64_t value;
	int i, err;

	memset(next, 0, sizeof(*next));
	for (i = 0; i < ARCH_REGISTERS; i++) {
		err = cfi_eval_register(context, row, i, &value);
		if (!err)
			arch_set(next, i, value);
		else if (err == -ENOMEM || i == row->return_register)
			return err;
	}
	if (row->rule[ARCH_SP].kind == CFI_UNDEFINED || row->rule[ARCH_SP].kind == CFI_SAME)
		arch_set(next, ARCH_SP, context->cfa);
	arch_set(next, ARCH_PC, ARCH_CODE_POINTER(next->value[row->return_register]));
	return 0;
}

/* One frame up: 1 stepped, 0 the outermost frame, or -errno. */
static int step(struct cached_row *cached, struct arch_registers *registers, struct memory_copy *copy,
		struct unwind_frame *frame, int *missing)
{
	struct cfi_context context = { .registers = registers, .copy = copy, .missing = -1 };
	const struct cfi_row *row = &cached->row;
	struct arch_registers next;
	int err;

	frame->is_signal_frame = row->is_signal_frame;
	if (row->is_signal_frame)
		frame->lookup = frame->pc;
	if (row->rule[row->return_register].kind == CFI_UNDEFINED)
		return 0;
	err = cfi_eval_cfa(&context, row, &context.cfa);
	if (!err) {
		context.cfa_known = true;
		frame->cfa = context.cfa;
		err = registers_step(&context, row, &next);
	}
	*missing = context.missing;
	if (err)
		return err;
	*registers = next;
	return next.value[ARCH_PC] ? 1 : 0;
}

static enum unwind_end walk(struct unwinder *unwinder, struct arch_registers *registers, bool exact,
			    struct memory_copy *copy, struct unwind_stack *stack)
{
	size_t room = 0, backward = 0;
	struct unwind_frame *frame;
	struct cached_row *row;
	uint64_t last_cfa = 0;
	int result;

	while (stack->count < UNWIND_MAX_FRAMES) {
		if (frame_append(stack, &room, registers->value[ARCH_PC], exact))
			return UNWIND_OUT_OF_MEMORY;
		frame = &stack->frames[stack->count - 1];
		row = row_find(unwinder, frame->lookup);
		if (row && !exact && row->err) {
			/* the return address of a trampoline is its first byte, in a frame of its own */
			struct cached_row *at = row_find(unwinder, frame->pc);

			if (at && !at->err && at->row.is_signal_frame)
				row = at;
		}
		if (!row)
			return UNWIND_OUT_OF_MEMORY;
		frame->module = row->module;
		if (row->err)
			return end_of_error(row->err);
		result = step(row, registers, copy, frame, &stack->missing_register);
		if (result == 0)
			return UNWIND_OUTERMOST;
		if (result < 0)
			return end_of_error(result);
		exact = row->row.is_signal_frame;
		if (frame->cfa <= last_cfa && !exact && ++backward > BACKWARD_STEPS)
			return UNWIND_NO_PROGRESS;
		last_cfa = frame->cfa;
	}
	return UNWIND_TOO_DEEP;
}

int unwind_stack(struct unwinder *unwinder, const struct arch_registers *registers, bool exact,
		 struct memory_copy *copy, struct unwind_stack *stack)
{
	struct arch_registers now = *registers;

	memset(stack, 0, sizeof(*stack));
	stack->missing_register = -1;
	if (!arch_known(registers, ARCH_PC) || !arch_known(registers, ARCH_SP))
		return -EINVAL;
	stack->end = walk(unwinder, &now, exact, copy, stack);
	return stack->count ? 0 : -ENOMEM;
}

const char *unwind_end_text(enum unwind_end end)
{
	static const char *const texts[] = {
		[UNWIND_OUTERMOST] = "complete",
		[UNWIND_NO_MODULE] = "the code there belongs to no file (generated at run time)",
		[UNWIND_NO_TABLE] = "the module there has no unwind table for it",
		[UNWIND_NO_REGISTER] = "it depends on a register that is only known when the thread is stopped",
		[UNWIND_NO_MEMORY] = "its stack memory could not be read",
		[UNWIND_BAD_TABLE] = "the unwind table there is damaged or of an unknown kind",
		[UNWIND_NO_PROGRESS] = "the frames go in circles",
		[UNWIND_TOO_DEEP] = "deeper than 4096 frames",
		[UNWIND_OUT_OF_MEMORY] = "out of memory",
	};

	return texts[end];
}
