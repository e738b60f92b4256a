// SPDX-License-Identifier: Apache-2.0
/*
 * The stackcore: registers of the thread that got the signal, the frames of
 * all threads, the mappings. Written in a signal handler: every thread unwinds
 * itself there; one that does not answer in time is listed without frames.
 */
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <limits.h>
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

enum { MAX_FRAMES = 48, ANSWER_NS = 200000000, NAP_NS = 100000, MAX_THREADS = 4096 };

/* One request at a time: which thread is to unwind itself, and what it found. */
static struct {
	_Atomic int wanted; /* tid; -tid: it is at it; 0: done or given up */
	void *frames[MAX_FRAMES];
	int count;
} request;

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

static void *program_counter(const ucontext_t *context)
{
	return (void *)(uintptr_t)context->uc_mcontext.gregs[REG_RIP];
}
#else
static void write_registers(int fd, const ucontext_t *context)
{
}

static unsigned long stack_pointer(const ucontext_t *context)
{
	return (unsigned long)(uintptr_t)context;
}

static void *program_counter(const ucontext_t *context)
{
#if defined(__aarch64__)
	return (void *)(uintptr_t)context->uc_mcontext.pc;
#else
	return NULL;
#endif
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
	dprintf(fd, "\n\n[stack]\n");
}

static int own_frames(const ucontext_t *context, void **frames)
{
	void *all[MAX_FRAMES];
	int n = backtrace(all, MAX_FRAMES);
	int first = 0;

	/* the handler's own frames are nobody's business */
	for (int i = 0; i < n && first == 0; i++)
		if (all[i] == program_counter(context))
			first = i;
	memcpy(frames, all + first, (size_t)(n - first) * sizeof(*frames));
	return n - first;
}

static void write_frames(int fd, void *const *frames, int n)
{
	for (int i = 0; i < n; i++) {
		/* a return address may lie behind the end of a function that never returns */
		const char *at = (const char *)frames[i] - (i > 0);
		Dl_info info = { 0 };

		if (dladdr(at, &info) == 0)
			info.dli_fname = "??";
		dprintf(fd, "#%02d 0x%016lx 0x%016lx %s", i, (unsigned long)frames[i],
			(unsigned long)info.dli_fbase, info.dli_fname);
		if (info.dli_sname)
			dprintf(fd, " (%s)", info.dli_sname);
		dprintf(fd, "\n");
	}
	dprintf(fd, "\n");
}

static void thread_name(int tid, char *to, size_t size)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/comm", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, to, size - 1);
	if (fd >= 0)
		close(fd);
	to[n > 0 ? n : 0] = '\0';
	to[strcspn(to, "\n")] = '\0';
}

bool stackcore_answer(const siginfo_t *info, const void *context)
{
	int own = (int)syscall(SYS_gettid);
	int wanted = own;

	if (info->si_code != SI_QUEUE || info->si_value.sival_ptr != &request)
		return false;
	if (atomic_compare_exchange_strong(&request.wanted, &wanted, -own)) {
		request.count = own_frames(context, request.frames);
		atomic_store(&request.wanted, 0);
	}
	return true;
}

static bool answered_in(uint64_t ns)
{
	const struct timespec nap = { 0, NAP_NS };

	for (uint64_t waited = 0; waited < ns; waited += NAP_NS) {
		if (atomic_load(&request.wanted) == 0)
			return true;
		nanosleep(&nap, NULL);
	}
	return false;
}

static void ask_thread(int tid)
{
	siginfo_t info;
	int wanted = tid;

	memset(&info, 0, sizeof(info));
	info.si_signo = ASK_SIGNAL;
	info.si_code = SI_QUEUE;
	info.si_pid = getpid();
	info.si_value.sival_ptr = &request;
	request.count = 0;
	atomic_store(&request.wanted, tid);
	if (syscall(SYS_rt_tgsigqueueinfo, getpid(), tid, ASK_SIGNAL, &info) != 0 || answered_in(ANSWER_NS)) {
		atomic_store(&request.wanted, 0);
		return;
	}
	if (!atomic_compare_exchange_strong(&request.wanted, &wanted, 0))
		while (!answered_in(ANSWER_NS)) /* it has begun: its frames are being written */
			;
}

static void write_thread(int fd, int number, int tid)
{
	char name[32];

	ask_thread(tid);
	thread_name(tid, name, sizeof(name));
	dprintf(fd, "Thread %d (%d, %s)\n", number, tid, name);
	write_frames(fd, request.frames, request.count);
}

struct entry { /* of getdents64 */
	uint64_t inode;
	int64_t offset;
	unsigned short length;
	unsigned char type;
	char name[];
};

static void write_other_threads(int fd, int own)
{
	_Alignas(struct entry) static char buffer[4096];
	int directory = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int number = 2;
	long n;

	while (directory >= 0 && number < MAX_THREADS &&
	       (n = syscall(SYS_getdents64, directory, buffer, sizeof(buffer))) > 0)
		for (long at = 0; at < n; at += ((struct entry *)(buffer + at))->length) {
			int tid = atoi(((struct entry *)(buffer + at))->name);

			if (tid > 0 && tid != own)
				write_thread(fd, number++, tid);
		}
	if (directory >= 0)
		close(directory);
}

static void write_maps(int fd)
{
	static char buffer[4096];
	int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	ssize_t n;

	dprintf(fd, "[maps]\n");
	while (maps >= 0 && (n = read(maps, buffer, sizeof(buffer))) > 0)
		if (write(fd, buffer, (size_t)n) != n)
			break;
	if (maps >= 0)
		close(maps);
}

void stackcore_write(const char *directory, int number, const void *context)
{
	char comm[17] = "", stamp[32], path[600];
	void *frames[MAX_FRAMES];
	int own = (int)syscall(SYS_gettid);
	int fd;

	prctl(PR_GET_NAME, comm);
	time_digits(trace_now(), stamp, sizeof(stamp));
	snprintf(path, sizeof(path), "%s/stackcore_tracer_%d_%d_%s_%s.txt", directory, number, (int)getpid(),
		 comm, stamp);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
	if (fd < 0)
		return;
	write_head(fd, number, context);
	dprintf(fd, "Thread 1 (%d, %s)\n", own, comm);
	write_frames(fd, frames, own_frames(context, frames));
	write_other_threads(fd, own);
	write_maps(fd);
	close(fd);
}

void stackcore_prepare(void)
{
	void *frame[1];

	uname(&kernel);
	/* the first call loads what the unwinder needs; a handler could not */
	backtrace(frame, 1);
}
