// SPDX-License-Identifier: Apache-2.0
/*
 * The last resort for a thread's stack: PTRACE_SEIZE and PTRACE_INTERRUPT, one
 * thread at a time, each for as long as copying registers and stack takes. No
 * signal is sent; nothing stays stopped if we die, since the kernel lets go of all
 * that a dead tracer held. Uses libc, threads and probe/{arch,memory,maps}.h.
 *
 * What the target can notice: the time, and that a call which the kernel does not
 * restart (epoll_wait, semop, sigtimedwait, a socket read with a time-out, some
 * drivers' ioctl) returns EINTR. interrupt_is_harmless tells.
 */
#ifndef CANNWATCH_PROBE_INTERRUPT_H
#define CANNWATCH_PROBE_INTERRUPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/arch.h"
#include "probe/maps.h"
#include "probe/memory.h"

struct interrupt_job {
	int tid;
	uint64_t also; /* in: an address whose surroundings are to be copied too (another stack), 0 none */
	int err; /* 0; -ESRCH ended; -EACCES not allowed; -EBUSY already traced; -ETIME did not stop in time */
	struct arch_registers registers;
	struct memory_copy copy;
	uint64_t pause_ns; /* from asking it to stop to letting it go */
};

/*
 * Fills every job. maps bounds the copies. deadline_ms: how long one thread may take
 * to stop (1..). Returns 0, or -errno if no tracer could be started at all.
 */
int interrupt_threads(struct interrupt_job *jobs, size_t count, const struct map_table *maps, int deadline_ms);
/* True if the kernel restarts this system call by itself after an interruption. */
bool interrupt_is_harmless(long syscall_number);

#endif
