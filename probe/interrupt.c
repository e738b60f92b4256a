// SPDX-License-Identifier: Apache-2.0
/* Stopping single threads for a moment (interrupt.h). Uses ptrace. */
#include "probe/interrupt.h"
#include "probe/procfs.h"

#include <elf.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#define COPY_MAX   (256u << 10) /* bytes of stack taken while the thread stands */
#define SPIN_NS	   200000u
#define PAUSE_NS   50000
#define EVENT_STOP 128 /* PTRACE_EVENT_STOP, which libc and kernel headers both define */

struct tracer { /* belongs to one tracer thread */
	struct interrupt_job *jobs;
	size_t count;
	size_t next; /* the job to do next */
	const struct map_table *maps;
	uint64_t deadline_ns;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

bool interrupt_is_harmless(long syscall_number)
{
	static const long restarted[] = {
		SYS_futex, SYS_nanosleep, SYS_clock_nanosleep, SYS_ppoll, SYS_pselect6, SYS_wait4, SYS_waitid,
		SYS_rt_sigsuspend, SYS_restart_syscall, SYS_sched_yield,
#ifdef SYS_poll
		SYS_poll, SYS_select, SYS_pause,
#endif
	};
	size_t i;

	for (i = 0; i < sizeof(restarted) / sizeof(restarted[0]); i++)
		if (restarted[i] == syscall_number)
			return true;
	return false;
}

/* Waits for the thread to stand: 0 and how it stopped, -ESRCH, -ETIME. */
static int stop_wait(int tid, uint64_t start, uint64_t deadline_ns, int *status)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	uint64_t waited;
	pid_t got;

	for (;;) {
		got = waitpid(tid, status, __WALL | WNOHANG);
		if (got == tid)
			return WIFSTOPPED(*status) ? 0 : -ESRCH;
		if (got < 0 && errno != EINTR)
			return -ESRCH;
		waited = now_ns() - start;
		if (waited > deadline_ns)
			return -ETIME;
		if (waited < SPIN_NS)
			sched_yield();
		else
			nanosleep(&pause, NULL);
	}
}

static int registers_read(int tid, struct arch_registers *registers)
{
	struct user_regs_struct user;
	struct iovec area = { .iov_base = &user, .iov_len = sizeof(user) };

	if (ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &area))
		return procfs_error(errno);
	if (area.iov_len != sizeof(user)) /* a 32-bit thread has a smaller set */
		return -ENOTSUP;
	arch_from_user(registers, &user);
	return 0;
}

static int stack_read(struct interrupt_job *job, const struct map_table *maps, uint64_t from)
{
	const struct map *map = maps_find(maps, from);
	size_t size = COPY_MAX;

	if (map && map->kind == MAP_DEVICE)
		return -EFAULT;
	if (map && map->end - from < size)
		size = map->end - from;
	return memory_copy_add(&job->copy, job->tid, from, size);
}

/* The other stack may have moved a little since its address was learnt: begin below it. */
static void other_stack_read(struct interrupt_job *job, const struct map_table *maps)
{
	const struct map *map = maps_find(maps, job->also);
	uint64_t from = job->also > COPY_MAX / 2 ? (job->also - COPY_MAX / 2) & ~UINT64_C(7) : 8;

	if (map && map->start > from)
		from = map->start;
	stack_read(job, maps, from); /* without it the stack is only shorter */
}

/* A signal that arrived first is handed on; a stop by event or by job control is not a signal. */
static void let_go(int tid, int status)
{
	long number = status >> 16 == EVENT_STOP ? 0 : WSTOPSIG(status);

	ptrace(PTRACE_DETACH, tid, NULL, (void *)number);
}

static void job_run(struct interrupt_job *job, const struct tracer *tracer)
{
	uint64_t start;
	int status = 0;

	if (ptrace(PTRACE_SEIZE, job->tid, NULL, NULL)) {
		job->err = procfs_error(errno);
		return;
	}
	start = now_ns();
	if (ptrace(PTRACE_INTERRUPT, job->tid, NULL, NULL)) {
		job->err = procfs_error(errno);
		return;
	}
	job->err = stop_wait(job->tid, start, tracer->deadline_ns, &status);
	if (job->err)
		return;
	job->err = registers_read(job->tid, &job->registers);
	if (!job->err)
		job->err = stack_read(job, tracer->maps, job->registers.value[ARCH_SP]);
	if (!job->err && job->also)
		other_stack_read(job, tracer->maps);
	let_go(job->tid, status);
	job->pause_ns = now_ns() - start;
}

/*
 * Runs jobs until one does not stop in time. A thread that has not stopped cannot be
 * detached from; but when its tracer, this thread, ends, the kernel does it.
 */
static void *tracer_run(void *argument)
{
	struct tracer *tracer = argument;

	while (tracer->next < tracer->count) {
		struct interrupt_job *job = &tracer->jobs[tracer->next++];

		job_run(job, tracer);
		if (job->err == -ETIME)
			break;
	}
	return NULL;
}

int interrupt_threads(struct interrupt_job *jobs, size_t count, const struct map_table *maps, int deadline_ms)
{
	struct tracer tracer = { .jobs = jobs, .count = count, .maps = maps,
				 .deadline_ns = (uint64_t)(deadline_ms > 0 ? deadline_ms : 1) * 1000000u };
	pthread_t thread;
	int err;

	while (tracer.next < count) {
		err = pthread_create(&thread, NULL, tracer_run, &tracer);
		if (err)
			return -err;
		pthread_join(thread, NULL);
	}
	return 0;
}
