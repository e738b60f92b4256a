// SPDX-License-Identifier: Apache-2.0
/*
 * Registers and stack of a sleeping thread without stopping it: stack pointer and
 * pc from /proc/PID/task/TID/syscall, the stack by process_vm_readv, and the count
 * of times it was put on a CPU as the witness that it slept through all of it. Uses
 * probe/{arch,maps,memory,procfs}.h.
 */
#ifndef CANNWATCH_PROBE_BLOCKED_H
#define CANNWATCH_PROBE_BLOCKED_H

#include "probe/arch.h"
#include "probe/maps.h"
#include "probe/memory.h"

struct blocked_thread {
	int tid;
	int schedstat; /* open file: the witness is asked again and again */
	const struct map_table *maps;
	uint64_t switches_in;
	long syscall; /* number, -1 not inside one */
	struct arch_registers registers;
	struct memory_copy copy; /* grows by itself, re-checking the witness */
};

/*
 * task_dir: /proc/PID/task. 0; -EBUSY it runs or woke up meanwhile; -ENODATA this kernel keeps no count;
 * -ESRCH; -EACCES. On 0 the caller frees with blocked_clear. The struct must not move while copy
 * is in use.
 */
int blocked_read(int task_dir, int tid, const struct map_table *maps, struct blocked_thread *blocked);
void blocked_clear(struct blocked_thread *blocked);
/* The text of a syscall file: 0, -EBUSY "running", -EINVAL. Exact for any bytes. */
int blocked_parse_syscall(const char *text, long *number, uint64_t *sp, uint64_t *pc);

#endif
