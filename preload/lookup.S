// SPDX-License-Identifier: Apache-2.0
/*
 * dlsym and dlvsym as the program sees them. The real functions find out from their
 * return address who is asking (RTLD_NEXT, RTLD_DEFAULT), so that they must be jumped to
 * and not called: lookup_decide says where to, or what to answer instead (lookup.c).
 * It answers in the two result registers: the function to jump to, 0 none; the value.
 */
#if defined(__CET__)
#include <cet.h>
#else
#define _CET_ENDBR
#endif

	.text

#if defined(__x86_64__)

.macro LOOKUP name, versioned
	.globl	\name
	.type	\name, @function
	.p2align 4
\name:
	.cfi_startproc
	_CET_ENDBR
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	pushq	%rdx
	.cfi_adjust_cfa_offset 8
	movq	24(%rsp), %rcx
	.if \versioned == 0
	xorl	%edx, %edx
	.endif
	call	lookup_decide
	movq	%rax, %r11
	movq	%rdx, %rax
	popq	%rdx
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	testq	%r11, %r11
	jz	1f
	jmp	*%r11
1:	ret
	.cfi_endproc
	.size	\name, . - \name
.endm

#elif defined(__aarch64__)

.macro LOOKUP name, versioned
	.globl	\name
	.type	\name, %function
	.p2align 4
\name:
	.cfi_startproc
	hint	#34 /* bti c */
	stp	x29, x30, [sp, #-48]!
	.cfi_def_cfa_offset 48
	.cfi_offset x29, -48
	.cfi_offset x30, -40
	mov	x29, sp
	stp	x0, x1, [sp, #16]
	str	x2, [sp, #32]
	mov	x3, x30
	.if \versioned == 0
	mov	x2, xzr
	.endif
	bl	lookup_decide
	mov	x16, x0
	mov	x9, x1
	ldp	x0, x1, [sp, #16]
	ldr	x2, [sp, #32]
	ldp	x29, x30, [sp], #48
	.cfi_restore x30
	.cfi_restore x29
	.cfi_def_cfa_offset 0
	cbz	x16, 1f
	br	x16
1:	mov	x0, x9
	ret
	.cfi_endproc
	.size	\name, . - \name
.endm

#else
#error "no trampoline for this machine"
#endif

	.hidden	lookup_decide
	LOOKUP	dlsym, 0
	LOOKUP	dlvsym, 1

	.section .note.GNU-stack, "", %progbits
