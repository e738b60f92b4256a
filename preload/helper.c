// SPDX-License-Identifier: Apache-2.0
/*
 * Starting the helper without a trace. The watchdog clones a keeper that sends no
 * signal when it ends and that only __WCLONE can wait for; it shares the memory but
 * has descriptors and signal dispositions of its own. The keeper starts the helper
 * proper, which therefore is the keeper's child and not the program's (exec makes the
 * exit signal SIGCHLD again, so the helper itself could not be hidden), waits for it
 * with a deadline and leaves its status in memory.
 *
 * Everything that runs in the keeper or below lives on the watchdog's thread-local
 * storage without being that thread: raw system calls only, no errno, no libc.
 */
#include "preload/helper.h"
#include "preload/real.h"
#include "preload/shim.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STACK_BYTES	(64u << 10)
#define TEXT_BYTES	(128u << 10)
#define VARIABLES	2048u
#define DEADLINE_TICKS	3000u /* of 10 ms */
#define FAREWELL_NS	200000000u
#define STATUS_NONE	(-1)
#define STATUS_NO_EXEC	(-2)
#define STATUS_DEADLINE (-3)
#define CLOSE_MOST	65536

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/* Mapped once and kept: the keeper may outlive any stack of the program's. */
struct job {
	int status; /* exit status of the helper, or STATUS_* ; atomic */
	int ring_fd;
	bool stay; /* the keeper waits for the helper */
	bool mute; /* descriptor 2 is not for messages any more */
	int descriptor_limit;
	char path[4096];
	char ring_fd_text[16], number_text[16], pid_text[16];
	char *arguments[16];
	char *environment[VARIABLES];
	char text[TEXT_BYTES];
	unsigned char keeper_stack[STACK_BYTES] __attribute__((aligned(64)));
	unsigned char helper_stack[STACK_BYTES] __attribute__((aligned(64)));
};

static struct job *job;
static pid_t keeper; /* 0 none */

/* ---- below here: keeper and helper, raw system calls only ---- */

/*
 * These never return and their stacks are used again: what a sanitizer noted about
 * the frames of the last time would be held against the next one.
 */
#define ON_BARE_STACK __attribute__((no_sanitize("address", "undefined")))

ON_BARE_STACK static long raw(long number, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__)
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
#else
#error "no raw system call for this machine"
#endif
}

ON_BARE_STACK static long raw3(long number, long a, long b, long c)
{
	return raw(number, a, b, c, 0, 0, 0);
}

struct kernel_action {
	uint64_t handler, flags, restorer, mask;
};

ON_BARE_STACK static void signals_reset(void)
{
	struct kernel_action action;
	uint64_t none = 0;
	int number;

	for (number = 1; number <= RING_MAX_SIGNAL; number++) {
		action = (struct kernel_action){ 0, 0, 0, 0 };
		if (raw(SYS_rt_sigaction, number, 0, (long)&action, 8, 0, 0) == 0 && action.handler > 1) {
			action = (struct kernel_action){ 0, 0, 0, 0 };
			raw(SYS_rt_sigaction, number, (long)&action, 0, 8, 0, 0);
		}
	}
	raw(SYS_rt_sigprocmask, SIG_SETMASK, (long)&none, 0, 8, 0, 0);
}

/* The helper until it becomes the tool: it shares the memory, but nothing else runs on this stack. */
ON_BARE_STACK static int helper_main(void *data)
{
	struct job *own = data;

	/* A look at a process that ends is called off with it: first the keeper goes, then this. */
	if (own->stay)
		raw(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0, 0);
	signals_reset();
	raw3(SYS_execve, (long)own->path, (long)own->arguments, (long)own->environment);
	__atomic_store_n(&own->status, STATUS_NO_EXEC, __ATOMIC_RELEASE);
	raw3(SYS_exit_group, 127, 0, 0);
	return 127;
}

/* Nothing but stderr and the ring goes on to the helper; 0 and 1 are /dev/null. */
ON_BARE_STACK static void descriptors_close(const struct job *own)
{
	int fd, null;

	if (own->ring_fd > 3)
		raw3(SYS_close_range, 3, own->ring_fd - 1, 0);
	if (raw3(SYS_close_range, own->ring_fd + 1, ~0u, 0))
		for (fd = 3; fd < own->descriptor_limit; fd++)
			if (fd != own->ring_fd)
				raw3(SYS_close, fd, 0, 0);
	null = (int)raw(SYS_openat, AT_FDCWD, (long)"/dev/null", O_RDWR, 0, 0, 0);
	if (null < 0)
		return;
	if (null != 0)
		raw3(SYS_dup3, null, 0, 0);
	if (null != 1)
		raw3(SYS_dup3, null, 1, 0);
	if (own->mute && null != 2)
		raw3(SYS_dup3, null, 2, 0);
	if (null > 2)
		raw3(SYS_close, null, 0, 0);
}

ON_BARE_STACK static int keeper_wait(pid_t pid)
{
	struct timespec pause = { 0, 10000000 };
	unsigned int tick;
	int status = 0;

	for (tick = 0; tick < DEADLINE_TICKS; tick++) {
		long got = raw(SYS_wait4, pid, (long)&status, WNOHANG, 0, 0, 0);

		if (got == pid)
			return (status & 0x7f) ? 128 + (status & 0x7f) : status >> 8 & 0xff;
		if (got < 0 && got != -EINTR)
			return STATUS_NO_EXEC;
		raw3(SYS_nanosleep, (long)&pause, 0, 0);
	}
	raw3(SYS_kill, pid, SIGKILL, 0);
	raw(SYS_wait4, pid, (long)&status, 0, 0, 0, 0);
	return STATUS_DEADLINE;
}

ON_BARE_STACK static int keeper_main(void *data)
{
	struct job *own = data;
	struct kernel_action standard = { 0, 0, 0, 0 };
	int status;
	pid_t pid;

	if (own->stay)
		raw(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0, 0);
	/* Its own copy: a program that ignores SIGCHLD would have the helper's status thrown away. */
	raw(SYS_rt_sigaction, SIGCHLD, (long)&standard, 0, 8, 0, 0);
	descriptors_close(own);
	raw3(SYS_fcntl, own->ring_fd, F_SETFD, 0);
	pid = clone(helper_main, own->helper_stack + STACK_BYTES, CLONE_VM | CLONE_VFORK | SIGCHLD, own);
	status = pid <= 0 ? STATUS_NO_EXEC : 0;
	if (status == 0 && own->stay)
		status = keeper_wait(pid);
	if (__atomic_load_n(&own->status, __ATOMIC_ACQUIRE) != STATUS_NO_EXEC)
		__atomic_store_n(&own->status, status, __ATOMIC_RELEASE);
	raw3(SYS_exit_group, 0, 0, 0);
	return 0;
}

/* ---- above: keeper and helper; below: the watchdog ---- */

static bool path_try(const char *directory, size_t length, const char *rest)
{
	if (length + strlen(rest) >= sizeof(job->path))
		return false;
	memcpy(job->path, directory, length);
	strcpy(job->path + length, rest);
	return access(job->path, X_OK) == 0;
}

/* CANNWATCH_HELPER, else where the build and the installation put it relative to this library. */
static const char *path_find(void)
{
	static const char *const places[] = { "/cannwatch", "/../cli/cannwatch", "/../bin/cannwatch",
					      "/../../bin/cannwatch" };
	const char *own = real_own_path(), *slash;
	size_t i;

	if (shim.config.helper[0]) {
		strcpy(job->path, shim.config.helper);
		return access(job->path, X_OK) == 0 ? NULL : "CANNWATCH_HELPER names no program that can be run";
	}
	slash = strrchr(own, '/');
	for (i = 0; slash && i < ARRAY_SIZE(places); i++)
		if (path_try(own, (size_t)(slash - own), places[i]))
			return NULL;
	return "the helper program cannwatch is not beside the library; set CANNWATCH_HELPER";
}

static bool variable_is_ours(const char *variable)
{
	return strncmp(variable, "LD_PRELOAD=", 11) != 0 && strncmp(variable, "LD_AUDIT=", 9) != 0;
}

/* The environment the program was started with: the live one may be changing under our hands. */
static void environment_make(void)
{
	size_t have = 0, at, count = 0;
	ssize_t got;
	int fd = open("/proc/self/environ", O_RDONLY | O_CLOEXEC);

	while (fd >= 0 && have + 1 < sizeof(job->text)) {
		got = read(fd, job->text + have, sizeof(job->text) - 1 - have);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		have += (size_t)got;
	}
	if (fd >= 0)
		close(fd);
	job->text[have] = '\0';
	for (at = 0; at < have && count + 1 < VARIABLES; at += strlen(job->text + at) + 1)
		if (variable_is_ours(job->text + at))
			job->environment[count++] = job->text + at;
	job->environment[count] = NULL;
}

static void arguments_make(uint32_t number, bool recovered)
{
	char **at = job->arguments;

	text_format(job->ring_fd_text, sizeof(job->ring_fd_text), "%u", (unsigned int)job->ring_fd);
	text_format(job->number_text, sizeof(job->number_text), "%u", number);
	text_format(job->pid_text, sizeof(job->pid_text), "%u", (unsigned int)getpid());
	*at++ = (char *)"cannwatch";
	*at++ = (char *)"attach";
	*at++ = (char *)"--from-shim";
	*at++ = (char *)"--ring-fd";
	*at++ = job->ring_fd_text;
	*at++ = (char *)"--report-number";
	*at++ = job->number_text;
	if (recovered) {
		*at++ = (char *)"--recovered";
		*at++ = job->number_text;
	}
	*at++ = job->pid_text;
	*at = NULL;
}

static const char *job_open(bool stay)
{
	struct rlimit limit;
	void *at;

	if (!job) {
		at = mmap(NULL, sizeof(*job), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (at == MAP_FAILED)
			return "no memory for the helper";
		job = at;
	}
	job->ring_fd = ring_writer_fd(&shim.ring);
	if (job->ring_fd < 0)
		return "the ring's descriptor is gone";
	job->status = STATUS_NONE;
	job->stay = stay;
	job->mute = !stderr_is_usable();
	job->descriptor_limit = CLOSE_MOST;
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < CLOSE_MOST)
		job->descriptor_limit = (int)limit.rlim_cur;
	environment_make();
	return NULL;
}

static const char *job_make(uint32_t number, bool recovered, bool stay)
{
	const char *why = job_open(stay);

	if (!why)
		why = path_find();
	if (why)
		return why;
	arguments_make(number, recovered);
	return NULL;
}

/* The command's text is the settings': it stays. */
static const char *job_make_command(const char *command)
{
	static char variable[32];
	const char *why = job_open(true);
	size_t count = 0;

	if (why)
		return why;
	strcpy(job->path, "/bin/sh");
	job->arguments[0] = (char *)"sh";
	job->arguments[1] = (char *)"-c";
	job->arguments[2] = (char *)command;
	job->arguments[3] = NULL;
	while (job->environment[count])
		count++;
	text_format(variable, sizeof(variable), "CANNWATCH_PID=%u", (unsigned int)getpid());
	if (count + 1 < VARIABLES) {
		job->environment[count] = variable;
		job->environment[count + 1] = NULL;
	}
	return NULL;
}

static const char *keeper_start(void)
{
	sigset_t all, old;
	int pid;

	/* The keeper inherits the mask; nothing may run a handler of the program's in it. */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	pid = clone(keeper_main, job->keeper_stack + STACK_BYTES, CLONE_VM, job);
	sigprocmask(SIG_SETMASK, &old, NULL);
	if (pid < 0)
		return "no process could be made for the helper";
	keeper = pid;
	return NULL;
}

const char *helper_start(uint32_t number, bool recovered)
{
	const char *why = job_make(number, recovered, true);

	return why ? why : keeper_start();
}

const char *helper_command(const char *command)
{
	const char *why = job_make_command(command);

	return why ? why : keeper_start();
}

enum helper_outcome helper_poll(void)
{
	pid_t got;

	if (!keeper)
		return HELPER_FAILED;
	got = waitpid(keeper, NULL, WNOHANG | __WCLONE);
	if (got == 0 || (got < 0 && errno == EINTR))
		return HELPER_RUNNING;
	keeper = 0;
	switch (__atomic_load_n(&job->status, __ATOMIC_ACQUIRE)) {
	case 0:
		return HELPER_SILENT;
	case 10:
		return HELPER_HANG;
	case 11:
		return HELPER_REPORTED;
	default:
		return HELPER_FAILED;
	}
}

void helper_farewell(uint32_t number)
{
	struct timespec pause = { 0, 1000000 };
	uint64_t end = now_mono() + FAREWELL_NS;

	/* An attach that is under way is about a process that ends: its keeper goes with us. */
	if (keeper || job_make(number, true, false) || keeper_start())
		return;
	while (now_mono() < end && waitpid(keeper, NULL, WNOHANG | __WCLONE) == 0)
		nanosleep(&pause, NULL);
	keeper = 0;
}
