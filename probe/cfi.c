// SPDX-License-Identifier: Apache-2.0
/* Rows of call frame information (cfi.h). Uses libdw. */
#include "probe/cfi.h"
#include "probe/debugfile.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define OPS_MAX	  256
#define DEPTH_MAX 64

/* The two forms that nearly all rules have need no interpreter. */
static bool rule_compile(struct cfi_rule *rule, const Dwarf_Op *ops, size_t count, bool is_cfa)
{
	if (!is_cfa && count > 1 && ops[count - 1].atom == DW_OP_stack_value) {
		if (!rule_compile(rule, ops, count - 1, false))
			return false;
		rule->kind = CFI_IS_CFA;
		return true;
	}
	if (!is_cfa && ops[0].atom == DW_OP_call_frame_cfa && (count == 1 || (count == 2 && ops[1].atom == DW_OP_plus_uconst))) {
		rule->kind = CFI_AT_CFA;
		rule->offset = count == 2 ? (int64_t)ops[1].number : 0;
		return true;
	}
	if (!is_cfa || count != 1)
		return false;
	if (ops[0].atom == DW_OP_bregx && ops[0].number < ARCH_REGISTERS) {
		rule->reg = (int)ops[0].number;
		rule->offset = (int64_t)ops[0].number2;
	} else if (ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31) {
		rule->reg = ops[0].atom - DW_OP_breg0;
		rule->offset = (int64_t)ops[0].number;
	} else {
		return false;
	}
	rule->kind = CFI_REGISTER;
	return true;
}

static int rule_copy(struct cfi_rule *rule, const Dwarf_Op *ops, size_t count, bool is_cfa)
{
	rule->kind = CFI_EXPRESSION;
	if (count == 0 || count > OPS_MAX)
		return -EINVAL;
	if (rule_compile(rule, ops, count, is_cfa))
		return 0;
	rule->ops = malloc(count * sizeof(*ops));
	if (!rule->ops)
		return -ENOMEM;
	memcpy(rule->ops, ops, count * sizeof(*ops));
	rule->count = count;
	return 0;
}

static int row_read_register(Dwarf_Frame *frame, int number, struct cfi_rule *rule)
{
	Dwarf_Op memory[3], *ops;
	size_t count;

	rule->kind = CFI_UNDEFINED;
	if (dwarf_frame_register(frame, number, memory, &ops, &count))
		return 0;
	if (count)
		return rule_copy(rule, ops, count, false);
	rule->kind = ops ? CFI_UNDEFINED : CFI_SAME;
	return 0;
}

static int row_from_frame(Dwarf_Frame *frame, struct cfi_row *row)
{
	Dwarf_Op *ops;
	size_t count;
	int i, err;

	memset(row, 0, sizeof(*row));
	row->return_register = dwarf_frame_info(frame, NULL, NULL, &row->is_signal_frame);
	if (row->return_register < 0 || row->return_register >= ARCH_REGISTERS ||
	    dwarf_frame_cfa(frame, &ops, &count))
		return -EINVAL;
	err = rule_copy(&row->cfa, ops, count, true);
	for (i = 0; i < ARCH_REGISTERS && !err; i++)
		err = row_read_register(frame, i, &row->rule[i]);
	if (err)
		cfi_row_clear(row);
	return err;
}

static Dwarf_Frame *frame_find(struct image *image, uint64_t address)
{
	Dwarf_Frame *frame = NULL;
	Dwarf_CFI *cfi;

	if (image->eh_cfi && !dwarf_cfi_addrframe(image->eh_cfi, address, &frame))
		return frame;
	debugfile_load_dwarf(image);
	cfi = image->dwarf ? dwarf_getcfi(image->dwarf) : NULL;
	if (cfi && !dwarf_cfi_addrframe(cfi, address, &frame))
		return frame;
	return NULL;
}

int cfi_row_read(struct image *image, uint64_t address, struct cfi_row *row)
{
	Dwarf_Frame *frame;
	int err;

	frame = image->elf ? frame_find(image, address - image->bias) : NULL;
	if (!frame)
		return -ENOENT;
	err = row_from_frame(frame, row);
	free(frame);
	return err;
}

void cfi_row_clear(struct cfi_row *row)
{
	int i;

	free(row->cfa.ops);
	for (i = 0; i < ARCH_REGISTERS; i++)
		free(row->rule[i].ops);
	memset(row, 0, sizeof(*row));
}

struct machine {
	uint64_t stack[DEPTH_MAX];
	int depth;
};

static int push(struct machine *machine, uint64_t value)
{
	if (machine->depth == DEPTH_MAX)
		return -EINVAL;
	machine->stack[machine->depth++] = value;
	return 0;
}

static int read_register(struct cfi_context *context, uint64_t number, uint64_t *value)
{
	if (number >= ARCH_REGISTERS || !arch_known(context->registers, (int)number)) {
		context->missing = number < ARCH_REGISTERS ? (int)number : -1;
		return -EBADR;
	}
	*value = context->registers->value[number];
	return 0;
}

static int push_register(struct cfi_context *context, struct machine *machine, uint64_t number, uint64_t offset)
{
	uint64_t value;
	int err = read_register(context, number, &value);

	return err ? err : push(machine, value + offset);
}

static int eval_deref(struct cfi_context *context, uint64_t *value, size_t size)
{
	uint64_t word = 0;
	int err;

	if (size == 0 || size > sizeof(word))
		return -EINVAL;
	err = memory_copy_bytes(context->copy, *value, &word, size);
	if (!err)
		*value = word;
	return err == -ENOMEM ? err : err ? -ENODATA : 0;
}

static int eval_binary(struct machine *machine, unsigned int atom)
{
	uint64_t b, a;
	int64_t sa, sb;

	if (machine->depth < 2)
		return -EINVAL;
	b = machine->stack[--machine->depth];
	a = machine->stack[machine->depth - 1];
	sa = (int64_t)a;
	sb = (int64_t)b;
	switch (atom) {
	case DW_OP_and: a &= b; break;
	case DW_OP_or: a |= b; break;
	case DW_OP_xor: a ^= b; break;
	case DW_OP_plus: a += b; break;
	case DW_OP_minus: a -= b; break;
	case DW_OP_mul: a *= b; break;
	case DW_OP_shl: a = b < 64 ? a << b : 0; break;
	case DW_OP_shr: a = b < 64 ? a >> b : 0; break;
	case DW_OP_shra: a = (uint64_t)(sa >> (b < 64 ? b : 63)); break;
	case DW_OP_eq: a = sa == sb; break;
	case DW_OP_ne: a = sa != sb; break;
	case DW_OP_lt: a = sa < sb; break;
	case DW_OP_le: a = sa <= sb; break;
	case DW_OP_gt: a = sa > sb; break;
	case DW_OP_ge: a = sa >= sb; break;
	default: return -EINVAL;
	}
	machine->stack[machine->depth - 1] = a;
	return 0;
}

static int eval_unary(struct cfi_context *context, struct machine *machine, const Dwarf_Op *op)
{
	uint64_t *top;

	if (machine->depth < 1)
		return -EINVAL;
	top = &machine->stack[machine->depth - 1];
	switch (op->atom) {
	case DW_OP_deref: return eval_deref(context, top, sizeof(*top));
	case DW_OP_deref_size: return eval_deref(context, top, op->number);
	case DW_OP_plus_uconst: *top += op->number; return 0;
	case DW_OP_neg: *top = -*top; return 0;
	case DW_OP_not: *top = ~*top; return 0;
	case DW_OP_dup: return push(machine, *top);
	case DW_OP_drop: machine->depth--; return 0;
	default: return eval_binary(machine, op->atom);
	}
}

static int eval_op(struct cfi_context *context, struct machine *machine, const Dwarf_Op *op)
{
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		return push(machine, op->atom - DW_OP_lit0);
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		return push_register(context, machine, op->atom - DW_OP_breg0, op->number);
	switch (op->atom) {
	case DW_OP_bregx:
		return push_register(context, machine, op->number, op->number2);
	case DW_OP_const1u: case DW_OP_const1s: case DW_OP_const2u: case DW_OP_const2s:
	case DW_OP_const4u: case DW_OP_const4s: case DW_OP_const8u: case DW_OP_const8s:
	case DW_OP_constu: case DW_OP_consts:
		return push(machine, op->number);
	case DW_OP_call_frame_cfa:
		return context->cfa_known ? push(machine, context->cfa) : -EINVAL;
	case DW_OP_nop:
		return 0;
	default:
		return eval_unary(context, machine, op);
	}
}

/* Runs ops; is_value: the result is the value itself, else the address where it lies. */
static int eval(struct cfi_context *context, const struct cfi_rule *rule, uint64_t *result, bool *is_value)
{
	struct machine machine = { .depth = 0 };
	uint32_t i;
	int err = 0;

	*is_value = false;
	for (i = 0; i < rule->count && !err; i++) {
		unsigned int atom = rule->ops[i].atom;

		if (atom == DW_OP_stack_value) {
			*is_value = true;
			break;
		}
		if (atom == DW_OP_regx || (atom >= DW_OP_reg0 && atom <= DW_OP_reg31)) {
			*is_value = true;
			return read_register(context, atom == DW_OP_regx ? rule->ops[i].number : atom - DW_OP_reg0,
					     result);
		}
		err = eval_op(context, &machine, &rule->ops[i]);
	}
	if (err)
		return err;
	if (machine.depth < 1)
		return -EINVAL;
	*result = machine.stack[machine.depth - 1];
	return 0;
}

int cfi_eval_cfa(struct cfi_context *context, const struct cfi_row *row, uint64_t *cfa)
{
	bool is_value;
	int err;

	context->missing = -1;
	if (row->cfa.kind != CFI_REGISTER)
		return eval(context, &row->cfa, cfa, &is_value);
	err = read_register(context, row->cfa.reg, cfa);
	if (!err)
		*cfa += (uint64_t)row->cfa.offset;
	return err;
}

int cfi_eval_register(struct cfi_context *context, const struct cfi_row *row, int number, uint64_t *value)
{
	const struct cfi_rule *rule = &row->rule[number];
	bool is_value;
	int err;

	context->missing = -1;
	if (rule->kind == CFI_UNDEFINED)
		return -ENOKEY;
	if (rule->kind == CFI_SAME) {
		*value = context->registers->value[number];
		return arch_known(context->registers, number) ? 0 : -ENOKEY;
	}
	if (rule->kind == CFI_AT_CFA || rule->kind == CFI_IS_CFA) {
		*value = context->cfa + (uint64_t)rule->offset;
		if (rule->kind == CFI_IS_CFA)
			return 0;
		return eval_deref(context, value, sizeof(*value));
	}
	err = eval(context, rule, value, &is_value);
	if (err)
		return err;
	return is_value ? 0 : eval_deref(context, value, sizeof(*value));
}
