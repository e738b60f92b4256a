// SPDX-License-Identifier: Apache-2.0
/* What a prober may do here (doctor.h). Uses libc and probe/. */
#include "probe/doctor.h"
#include "probe/maps.h"
#include "probe/memory.h"
#include "probe/module.h"
#include "probe/process.h"
#include "probe/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct examination {
	int pid; /* 0: none */
	struct process_facts process;
	struct map_table maps;
	struct module_table modules;
	uint64_t capabilities; /* ours, effective */
	struct doctor_check *checks;
	size_t count;
};

const char *doctor_state_name(enum doctor_state state)
{
	static const char *const names[] = { "good", "limited", "bad", "note" };

	return names[state];
}

__attribute__((format(printf, 5, 6))) static void report(struct examination *exam, const char *name,
							   enum doctor_state state, const char *remedy,
							   const char *format, ...)
{
	struct doctor_check *check;
	va_list arguments;

	if (exam->count == DOCTOR_MAX_CHECKS)
		return;
	check = &exam->checks[exam->count++];
	check->name = name;
	check->state = state;
	va_start(arguments, format);
	vsnprintf(check->found, sizeof(check->found), format, arguments);
	va_end(arguments);
	snprintf(check->remedy, sizeof(check->remedy), "%s", remedy);
}

/* The number in a small file, or fallback. */
static long number_in(const char *path, long fallback)
{
	char text[64];

	if (procfs_read_at(AT_FDCWD, path, text, sizeof(text)) <= 0)
		return fallback;
	return strtol(text, NULL, 10);
}

static uint64_t own_capabilities(void)
{
	char text[8192];
	const char *line;

	if (procfs_read_at(AT_FDCWD, "/proc/self/status", text, sizeof(text)) <= 0)
		return 0;
	line = strstr(text, "\nCapEff:");
	return line ? strtoull(line + 8, NULL, 16) : 0;
}

static bool capable(const struct examination *exam, int capability)
{
	return exam->capabilities >> capability & 1;
}

/* On a child of our own, so that only a filter (seccomp) or a missing kernel part can refuse. */
static int ptrace_try(void)
{
	pid_t child = fork();
	int err = 0;

	if (child < 0)
		return -errno;
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	if (ptrace(PTRACE_SEIZE, child, NULL, NULL))
		err = -errno;
	kill(child, SIGKILL);
	waitpid(child, NULL, __WALL);
	return err;
}

static void examine_ptrace(struct examination *exam)
{
	int err = ptrace_try();

	if (err)
		report(exam, "ptrace", DOCTOR_LIMITED,
		       "start the container with --cap-add=SYS_PTRACE, or --security-opt seccomp=unconfined",
		       "refused even for own children (%s): running threads have no stacks", strerror(-err));
	else
		report(exam, "ptrace", DOCTOR_GOOD, "", "allowed for own children%s",
		       capable(exam, CAP_SYS_PTRACE) ? "; CAP_SYS_PTRACE is there" : "");
}

static void examine_yama(struct examination *exam)
{
	long scope = number_in("/proc/sys/kernel/yama/ptrace_scope", -1);
	bool free_of_it = capable(exam, CAP_SYS_PTRACE) && scope < 3;

	if (scope < 0)
		report(exam, "yama", DOCTOR_GOOD, "", "this kernel does not restrict ptrace by Yama");
	else if (scope == 0 || free_of_it)
		report(exam, "yama", DOCTOR_GOOD, "", "ptrace_scope %ld does not bind this user", scope);
	else
		report(exam, "yama", DOCTOR_BAD,
		       scope == 3 ? "kernel.yama.ptrace_scope=3 can only be changed by a reboot" :
				    "sysctl kernel.yama.ptrace_scope=0, or CAP_SYS_PTRACE, or start the program under "
				    "'cannwatch run' or with the preload library",
		       "ptrace_scope %ld: only ancestors may look into a process", scope);
}

static void examine_map_files(struct examination *exam)
{
	char path[128];
	uint64_t start = 0, end = 0;
	struct map_table maps;
	size_t i;
	int id = exam->pid ? exam->process.anchor : getpid(), fd;

	if (maps_read(id, &maps))
		return;
	for (i = 0; i < maps.count && !end; i++)
		if (maps.list[i].kind == MAP_FILE) {
			start = maps.list[i].start;
			end = maps.list[i].end;
		}
	maps_clear(&maps);
	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, id, start, end);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		report(exam, "map_files", DOCTOR_GOOD, "", "libraries can be read even when deleted or in another container");
	else
		report(exam, "map_files", DOCTOR_LIMITED, "CAP_CHECKPOINT_RESTORE or CAP_SYS_ADMIN",
		       "not readable (%s): deleted libraries are read from memory, with exported names only",
		       strerror(errno));
	if (fd >= 0)
		close(fd);
}

static void examine_schedstat(struct examination *exam)
{
	struct process_thread self;

	if (process_thread_read(getpid(), getpid(), &self) || !self.schedstat_known)
		report(exam, "schedstat", DOCTOR_LIMITED, "a kernel with CONFIG_SCHED_INFO",
		       "context switches are not counted: no stack without stopping its thread");
	else
		report(exam, "schedstat", DOCTOR_GOOD, "", "sleeping threads can be read without stopping them");
}

static int bpf_try(void)
{
	union bpf_attr attributes = { .map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1 };
	long fd = syscall(SYS_bpf, BPF_MAP_CREATE, &attributes, sizeof(attributes));

	if (fd < 0)
		return -errno;
	close((int)fd);
	return 0;
}

static void examine_bpf(struct examination *exam)
{
	int err = bpf_try();

	if (err)
		report(exam, "bpf", DOCTOR_LIMITED, err == -ENOSYS ? "a kernel with CONFIG_BPF_SYSCALL" : "CAP_BPF and CAP_PERFMON, or root",
		       "not available (%s): calls cannot be followed after attaching", strerror(-err));
	else
		report(exam, "bpf", DOCTOR_GOOD, "", "programs and maps can be made");
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		report(exam, "btf", DOCTOR_LIMITED, "a kernel with CONFIG_DEBUG_INFO_BTF", "no BTF of the kernel");
	else
		report(exam, "btf", DOCTOR_GOOD, "", "the kernel describes its types");
}

static void examine_uprobes(struct examination *exam)
{
	long type = number_in("/sys/bus/event_source/devices/uprobe/type", -1);
	long paranoid = number_in("/proc/sys/kernel/perf_event_paranoid", 99);
	bool privileged = capable(exam, CAP_SYS_ADMIN) || capable(exam, CAP_PERFMON);

	if (type < 0)
		report(exam, "uprobes", DOCTOR_LIMITED, "a kernel with CONFIG_UPROBE_EVENTS, and /sys mounted",
		       "no uprobe event source");
	else if (!privileged)
		report(exam, "uprobes", DOCTOR_LIMITED, "CAP_PERFMON or CAP_SYS_ADMIN", "there, but not for this user");
	else
		report(exam, "uprobes", DOCTOR_GOOD, "", "usable");
	if (paranoid == 99)
		report(exam, "perf_event_paranoid", DOCTOR_LIMITED, "a kernel with CONFIG_PERF_EVENTS", "no perf events");
	else
		report(exam, "perf_event_paranoid", privileged || paranoid < 2 ? DOCTOR_GOOD : DOCTOR_LIMITED,
		       privileged || paranoid < 2 ? "" : "sysctl kernel.perf_event_paranoid=1, or CAP_PERFMON", "%ld%s",
		       paranoid, privileged ? ", which does not bind this user" : "");
}

static const char *read_remedy(const struct examination *exam)
{
	if (exam->process.uid != geteuid())
		return "run as the same user as the process, or as root";
	return "CAP_SYS_PTRACE (docker run --cap-add=SYS_PTRACE; Kubernetes: securityContext.capabilities.add), "
	       "or start the program with the preload library";
}

static void examine_reading(struct examination *exam)
{
	const struct module *module = exam->modules.count ? &exam->modules.list[0] : NULL;
	char byte;
	ssize_t got;

	if (!module) {
		report(exam, "process_vm_readv", DOCTOR_BAD, read_remedy(exam), "its memory map is not readable");
		return;
	}
	got = memory_read(exam->process.anchor, module->start, &byte, 1);
	if (got == 1)
		report(exam, "process_vm_readv", DOCTOR_GOOD, "", "its memory can be read");
	else
		report(exam, "process_vm_readv", DOCTOR_BAD, read_remedy(exam), "its memory cannot be read (%s)",
		       strerror((int)-got));
}

static void examine_namespaces(struct examination *exam)
{
	char path[64], mine[64], theirs[64];
	ssize_t a, b;

	a = readlink("/proc/self/ns/pid", mine, sizeof(mine));
	snprintf(path, sizeof(path), "/proc/%d/ns/pid", exam->process.anchor);
	b = readlink(path, theirs, sizeof(theirs));
	if (a <= 0 || b <= 0)
		return;
	if (a == b && !memcmp(mine, theirs, a))
		report(exam, "namespace", DOCTOR_GOOD, "", "same pid namespace");
	else
		report(exam, "namespace", DOCTOR_NOTE, "", "in a container of its own, where it is pid %d",
		       exam->process.namespace_pid);
}

static void examine_state(struct examination *exam)
{
	if (exam->process.tracer)
		report(exam, "traced", DOCTOR_LIMITED, "end the debugger, or let it print the stacks",
		       "process %d traces it: running threads have no stacks", exam->process.tracer);
	if (exam->process.state == 'T')
		report(exam, "stopped", DOCTOR_NOTE, "kill -CONT continues it", "it was stopped by a signal");
}

static const struct module *module_named(const struct examination *exam, const char *prefix)
{
	size_t i;

	for (i = 0; i < exam->modules.count; i++)
		if (!strncmp(exam->modules.list[i].name, prefix, strlen(prefix)))
			return &exam->modules.list[i];
	return NULL;
}

static size_t count_cann(const struct examination *exam)
{
	size_t i, count = 0;

	for (i = 0; i < exam->modules.count; i++)
		count += exam->modules.list[i].owner == MODULE_CANN;
	return count;
}

static void examine_cann(struct examination *exam)
{
	const struct module *split = module_named(exam, "libacl_rt.so"), *runtime = module_named(exam, "libruntime.so");
	const struct module *family = module_named(exam, "libruntime_v");
	size_t count = count_cann(exam);

	if (!count)
		report(exam, "cann", DOCTOR_NOTE, "", "no CANN library is loaded");
	else
		report(exam, "cann", DOCTOR_GOOD, "", "%zu CANN libraries, layout %s%s%s, %s", count,
		       split ? "split (libacl_rt)" : "classic (libascendcl)", family ? ", " : "", family ? family->name : "",
		       runtime ? runtime->path : "no libruntime");
}

/* LD_PRELOAD separates by colons or blanks. */
static bool preload_names_other_first(const char *preload)
{
	const char *first = preload + strspn(preload, ": "), *slash;
	size_t length = strcspn(first, ": ");

	slash = memrchr(first, '/', length);
	if (slash) {
		length -= slash + 1 - first;
		first = slash + 1;
	}
	return length && strncmp(first, "libcannwatch.so", 15) != 0;
}

static void examine_shim(struct examination *exam)
{
	const struct module *shim = module_named(exam, "libcannwatch.so");
	char *preload, *off;

	if (!shim) {
		report(exam, "shim", DOCTOR_NOTE, "start it with LD_PRELOAD=libcannwatch.so to have the past of its streams",
		       "the preload library is not loaded");
		return;
	}
	preload = process_variable(exam->process.anchor, "LD_PRELOAD");
	off = process_variable(exam->process.anchor, "CANNWATCH");
	if (off && !strcmp(off, "off"))
		report(exam, "shim", DOCTOR_LIMITED, "unset CANNWATCH", "loaded, but switched off by CANNWATCH=off");
	else if (preload && preload_names_other_first(preload))
		report(exam, "shim", DOCTOR_LIMITED, "name libcannwatch.so first in LD_PRELOAD",
		       "loaded, but not first: another library may answer calls before it");
	else
		report(exam, "shim", DOCTOR_GOOD, "", "loaded from %.200s", shim->path);
	free(preload);
	free(off);
}

static int target_read(struct examination *exam, int pid)
{
	int err = process_read(pid, &exam->process);

	if (err)
		return err;
	if (!exam->process.anchor) {
		process_facts_clear(&exam->process);
		return -ESRCH;
	}
	exam->pid = exam->process.pid;
	if (!maps_read(exam->process.anchor, &exam->maps))
		modules_build(&exam->maps, NULL, &exam->modules);
	return 0;
}

int doctor_examine(int pid, struct doctor_check checks[DOCTOR_MAX_CHECKS], size_t *count)
{
	struct examination exam = { .checks = checks, .capabilities = own_capabilities() };
	int err = pid ? target_read(&exam, pid) : 0;

	*count = 0;
	if (err)
		return err;
	examine_ptrace(&exam);
	examine_yama(&exam);
	examine_schedstat(&exam);
	examine_map_files(&exam);
	examine_bpf(&exam);
	examine_uprobes(&exam);
	if (pid) {
		examine_reading(&exam);
		examine_namespaces(&exam);
		examine_state(&exam);
		examine_cann(&exam);
		examine_shim(&exam);
		modules_clear(&exam.modules);
		maps_clear(&exam.maps);
		process_facts_clear(&exam.process);
	}
	*count = exam.count;
	return 0;
}
