// SPDX-License-Identifier: Apache-2.0
/*
 * What differs between processors: register numbers as DWARF has them, and the
 * way from the kernel's register sets to them. Uses system headers only.
 */
#ifndef CANNWATCH_PROBE_ARCH_H
#define CANNWATCH_PROBE_ARCH_H

#include <elf.h>
#include <stdint.h>
#include <sys/user.h>

#if defined(__x86_64__)
#define ARCH_REGISTERS	  17 /* rax rdx rcx rbx rsi rdi rbp rsp r8-r15 rip */
#define ARCH_FP		  6
#define ARCH_SP		  7
#define ARCH_PC		  16
#define ARCH_ELF_MACHINE  EM_X86_64
#define ARCH_CODE_POINTER(value) (value)
#elif defined(__aarch64__)
#define ARCH_REGISTERS	  33 /* x0-x30, sp, and the pc, which has no number that CFI would use */
#define ARCH_FP		  29
#define ARCH_SP		  31
#define ARCH_PC		  32
#define ARCH_ELF_MACHINE  EM_AARCH64
/* bits above the user address space may hold a pointer authentication code */
#define ARCH_CODE_POINTER(value) ((value) & UINT64_C(0x0000ffffffffffff))
#else
#error "this processor is not known"
#endif

/* Values of registers of which some may not be known. */
struct arch_registers {
	uint64_t value[ARCH_REGISTERS];
	uint64_t known; /* bit per register */
};

static inline void arch_set(struct arch_registers *registers, int number, uint64_t value)
{
	registers->value[number] = value;
	registers->known |= UINT64_C(1) << number;
}

static inline int arch_known(const struct arch_registers *registers, int number)
{
	return number >= 0 && number < ARCH_REGISTERS && (registers->known >> number & 1);
}

static inline void arch_from_user(struct arch_registers *to, const struct user_regs_struct *from)
{
#if defined(__x86_64__)
	const uint64_t values[ARCH_REGISTERS] = {
		from->rax, from->rdx, from->rcx, from->rbx, from->rsi, from->rdi, from->rbp, from->rsp, from->r8,
		from->r9,  from->r10, from->r11, from->r12, from->r13, from->r14, from->r15, from->rip,
	};
	int i;

	for (i = 0; i < ARCH_REGISTERS; i++)
		arch_set(to, i, values[i]);
#else
	int i;

	for (i = 0; i <= 30; i++)
		arch_set(to, i, from->regs[i]);
	arch_set(to, ARCH_SP, from->sp);
	arch_set(to, ARCH_PC, from->pc);
#endif
}

#endif
