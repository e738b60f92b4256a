// SPDX-License-Identifier: Apache-2.0
/*
 * One row of call frame information in a form that outlives libdw's, and its
 * evaluation. Uses libdw and probe/{arch,image,memory}.h.
 */
#ifndef CANNWATCH_PROBE_CFI_H
#define CANNWATCH_PROBE_CFI_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/arch.h"
#include "probe/image.h"
#include "probe/memory.h"

enum cfi_kind {
	CFI_UNDEFINED,
	CFI_SAME,
	CFI_AT_CFA,	 /* saved at CFA + offset */
	CFI_IS_CFA,	 /* equals CFA + offset */
	CFI_REGISTER,	 /* CFA only: register + offset */
	CFI_EXPRESSION, /* ops give a place, a register or a value */
};

struct cfi_rule {
	enum cfi_kind kind;
	uint32_t count;
	int reg;
	int64_t offset;
	Dwarf_Op *ops; /* own copy */
};

struct cfi_row {
	struct cfi_rule cfa;
	struct cfi_rule rule[ARCH_REGISTERS];
	int return_register;
	bool is_signal_frame;
};

/* The row for an address of the running process. -ENOENT: no table covers it. Free with cfi_row_clear. */
int cfi_row_read(struct image *image, uint64_t address, struct cfi_row *row);
void cfi_row_clear(struct cfi_row *row);

struct cfi_context {
	const struct arch_registers *registers;
	struct memory_copy *copy;
	uint64_t cfa;
	bool cfa_known;
	int missing; /* register that was needed and not known, -1 none */
};

/* The CFA, or -EBADR with context->missing, -ENODATA (memory), -EINVAL (table). */
int cfi_eval_cfa(struct cfi_context *context, const struct cfi_row *row, uint64_t *cfa);
/* The caller's value of a register; -ENOKEY: not to be known (undefined, or same as an unknown one). */
int cfi_eval_register(struct cfi_context *context, const struct cfi_row *row, int number, uint64_t *value);

#endif
