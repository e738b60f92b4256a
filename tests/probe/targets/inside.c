// SPDX-License-Identifier: Apache-2.0
/*
 * A thread that spins inside a "call" it has told its registers of, as the preload
 * library's slots do: one line "tid return-address stack-pointer frame-pointer pc pc ...",
 * the pcs being the caller's stack by backtrace().
 */
#include <execinfo.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/probe/targets/noinline.h"

static volatile int sink, stop;

static NOINLINE void tell(uintptr_t return_address, uintptr_t stack_pointer, uintptr_t frame_pointer)
{
	void *pcs[64];
	int count = backtrace(pcs, 64), i;

	printf("%ld %lx %lx %lx", (long)syscall(SYS_gettid), (long)return_address, (long)stack_pointer,
	       (long)frame_pointer);
	for (i = 2; i < count; i++) /* from the caller of the call outwards */
		printf(" %lx", (long)(uintptr_t)pcs[i]);
	printf("\n");
	fflush(stdout);
	KEEP();
}

static NOINLINE void the_call(void)
{
	uintptr_t *frame = __builtin_frame_address(0); /* makes this function keep a frame pointer */

	tell((uintptr_t)__builtin_return_address(0), (uintptr_t)(frame + 2), frame[0]);
	while (!stop)
		sink++;
}

static NOINLINE void caller(int left)
{
	volatile char pad[24];

	pad[left & 7] = (char)left;
	if (left > 0)
		caller(left - 1);
	else
		the_call();
	KEEP();
	sink += pad[left & 7];
}

int main(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	caller(12);
	return 0;
}
