// SPDX-License-Identifier: Apache-2.0
/*
 * Signal handlers, installed when the library is loaded unless
 * ASCEND_COREDUMP_SIGNAL=none: signal 35 writes the rings and a stackcore and
 * the process runs on; any other writes the same and then has its usual effect.
 */
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <ucontext.h>
#include <unistd.h>
#include "simulator/trace/ring.h"

enum { ASK_SIGNAL = 35, MAX_FRAMES = 48 };

static const int signals[] = { 2, 3, 4, 5, 6, 7, 8, 11, 15, 24, 25, 31, ASK_SIGNAL };

static struct utsname kernel;

#if defined(__x86_64__)
static void write_registers(int fd, const ucontext_t *context)
{
	const greg_t *r = context->uc_mcontext.gregs;

	dprintf(fd, "crash registers:\n");
	dprintf(fd, "    rax 0x%016llx  rbx 0x%016llx  rcx 0x%016llx  rdx 0x%016llx\n", r[REG_RAX],
		r[REG_RBX], r[REG_RCX], r[REG_RDX]);
	dprintf(fd, "    r8  0x%016llx  r9  0x%016llx  r10 0x%016llx  r11 0x%016llx\n", r[REG_R8], r[REG_R9],
		r[REG_R10], r[REG_R11]);
	dprintf(fd, "    r12 0x%016llx  r13 0x%016llx  r14 0x%016llx  r15 0x%016llx\n", r[REG_R12],
		r[REG_R13], r[REG_R14], r[REG_R15]);
	dprintf(fd, "    rdi 0x%016llx  rsi 0x%016llx\n", r[REG_RDI], r[REG_RSI]);
	dprintf(fd, "    rbp 0x%016llx  rsp 0x%016llx  rip 0x%016llx\n", r[REG_RBP], r[REG_RSP], r[REG_RIP]);
}

static unsigned long stack_pointer(const ucontext_t *context)
{
	return (unsigned long)context->uc_mcontext.gregs[REG_RSP];
}
#else
static void write_registers(int fd, const ucontext_t *context)
{
}

static unsigned long stack_pointer(const ucontext_t *context)
{
	return (unsigned long)(uintptr_t)context;
}
#endif

static void write_head(int fd, int number, const ucontext_t *context)
{
	char comm[17] = "";
	int tid = (int)syscall(SYS_gettid);

	prctl(PR_GET_NAME, comm);
	dprintf(fd, "[process]\ncrash task:%s\ncrash pid:%d\ncrash tid:%d\n", comm, (int)getpid(), tid);
	dprintf(fd, "crash stack top:0x%016lx\ncrash reason: signal %d\n", stack_pointer(context), number);
	dprintf(fd, "kernel version: %s %s %s %s %s GNU/Linux\n", kernel.sysname, kernel.nodename,
		kernel.release, kernel.version, kernel.machine);
	write_registers(fd, context);
	dprintf(fd, "\n\n[stack]\nThread 1 (%d, %s)\n", tid, comm);
}

static void write_frames(int fd)
{
	void *frames[MAX_FRAMES];
	int n = backtrace(frames, MAX_FRAMES);

	for (int i = 0; i < n; i++) {
		Dl_info info = { 0 };

		if (dladdr(frames[i], &info) == 0)
			info.dli_fname = "??";
		dprintf(fd, "#%02d 0x%016lx 0x%016lx %s", i, (unsigned long)frames[i],
			(unsigned long)info.dli_fbase, info.dli_fname);
		if (info.dli_sname)
			dprintf(fd, " (%s)", info.dli_sname);
		dprintf(fd, "\n");
	}
}

static void write_stackcore(const char *directory, int number, const ucontext_t *context)
{
	char comm[17] = "", stamp[32], path[600];
	int fd;

	prctl(PR_GET_NAME, comm);
	time_digits(trace_now(), stamp, sizeof(stamp));
	snprintf(path, sizeof(path), "%s/stackcore_tracer_%d_%d_%s_%s.txt", directory, number, (int)getpid(),
		 comm, stamp);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
	if (fd < 0)
		return;
	write_head(fd, number, context);
	write_frames(fd);
	close(fd);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	char directory[400];

	if (event_directory("stackcore", directory, sizeof(directory)) == 0) {
		rings_save(directory);
		write_stackcore(directory, number, context);
	}
	if (number == ASK_SIGNAL)
		return;
	signal(number, SIG_DFL);
	raise(number);
}

void signals_install(void)
{
	const char *setting = getenv("ASCEND_COREDUMP_SIGNAL");
	void *frame[1];

	uname(&kernel);
	if (setting && strcmp(setting, "none") == 0)
		return;
	/* the first call loads what the unwinder needs; a handler could not */
	backtrace(frame, 1);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		struct sigaction action;

		memset(&action, 0, sizeof(action));
		action.sa_sigaction = on_signal;
		action.sa_flags = SA_SIGINFO | SA_RESTART;
		sigaction(signals[i], &action, NULL);
	}
}
