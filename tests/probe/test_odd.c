// SPDX-License-Identifier: Apache-2.0
/*
 * Processes that are hard to look at: a stack, or an error that names the reason.
 * Arguments: odd, odd linked statically ("" if it could not be), odd stripped, library.
 */
#include "probe/stacks.h"
#include "tests/probe/check.h"
#include "tests/probe/target.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>

static int skipped;

static bool start(struct target *target, const char *path, const char *what, const char *more)
{
	const char *arguments[] = { path, what, more, NULL };
	char line[64] = "";

	if (target_start(target, arguments) || !fgets(line, sizeof(line), target->out)) {
		CHECK(!"target starts");
		target_end(target);
		return false;
	}
	if (!strcmp(line, "denied\n")) {
		skipped++;
		target_end(target);
		return false;
	}
	return true;
}

static bool names(const struct stack *stack, const char *function)
{
	size_t i;

	for (i = 0; i < stack->count; i++)
		if (stack->frames[i].symbol->raw && !strcmp(stack->frames[i].symbol->raw, function))
			return true;
	return false;
}

static int read_stacks(int pid, bool no_stop, struct stacks *stacks)
{
	struct stacks_options options = { .no_stop = no_stop, .deadline_ms = 50 };

	return stacks_read(pid, &options, stacks);
}

/* One thread, full, in the function. */
static void check_simple(int pid, const char *function, bool no_stop)
{
	struct stacks stacks;

	CHECK(read_stacks(pid, no_stop, &stacks) == 0);
	CHECK(stacks.count == 1);
	if (stacks.count) {
		const struct stack *stack = &stacks.list[0];

		CHECK(stack->quality == STACK_FULL);
		CHECK(!function || names(stack, function));
		if (stack->quality != STACK_FULL)
			fprintf(stderr, "  %s: %s\n", stack_quality_name(stack->quality), stack->reason);
	}
	stacks_clear(&stacks);
}

static void test_plain(const char *path, const char *function)
{
	struct target target;

	if (!start(&target, path, "plain", NULL))
		return;
	target_wait_state(target.pid, target.pid, "S");
	check_simple(target.pid, function, true);
	target_end(&target);
}

static void test_gone(void)
{
	struct stacks stacks;
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	usleep(50000);
	CHECK(read_stacks(pid, false, &stacks) == -ESRCH); /* a zombie */
	waitpid(pid, NULL, 0);
	CHECK(read_stacks(pid, false, &stacks) == -ESRCH);
	CHECK(read_stacks(0x7ffffff0, false, &stacks) == -ESRCH);
	CHECK(read_stacks(2, true, &stacks) != 0); /* a kernel thread has no memory */
}

static void test_zombie_leader(const char *path)
{
	struct target target;
	struct stacks stacks;

	if (!start(&target, path, "zombie-leader", NULL))
		return;
	usleep(20000);
	CHECK(read_stacks(target.pid, true, &stacks) == 0);
	CHECK(stacks.count == 2 && stacks.list[0].quality == STACK_REFUSED && stacks.list[0].reason[0]);
	CHECK(stacks.count == 2 && stacks.list[1].quality == STACK_FULL && names(&stacks.list[1], "stand_here"));
	if (stacks.count == 2) {
		struct stacks by_tid;

		CHECK(read_stacks(stacks.list[1].thread.tid, true, &by_tid) == 0);
		CHECK(by_tid.process.pid == target.pid && by_tid.count == 2);
		stacks_clear(&by_tid);
	}
	stacks_clear(&stacks);
	target_end(&target);
}

/* Its parent sleeps uninterruptibly until the child execs or ends; it cannot be stopped, but read. */
static void test_vfork_parent(const char *path)
{
	struct target target;
	struct stacks stacks;

	if (!start(&target, path, "vfork-parent", NULL))
		return;
	target_wait_state(target.pid, target.pid, "D");
	CHECK(read_stacks(target.pid, false, &stacks) == 0);
	CHECK(stacks.count == 1 && stacks.list[0].thread.state == 'D');
	CHECK(stacks.count == 1 && stacks.list[0].quality != STACK_REFUSED && names(&stacks.list[0], "vfork"));
	stacks_clear(&stacks);
	target_end(&target);
}

static void test_stopped(const char *path)
{
	struct target target;

	if (!start(&target, path, "plain", NULL))
		return;
	target_wait_state(target.pid, target.pid, "S");
	kill(target.pid, SIGSTOP);
	CHECK(target_wait_state(target.pid, target.pid, "T") == 0);
	check_simple(target.pid, "stand_here", true);
	check_simple(target.pid, "stand_here", false);
	usleep(10000);
	CHECK(target_wait_state(target.pid, target.pid, "T") == 0); /* and it still is */
	target_end(&target);
}

static void test_traced(const char *path)
{
	struct target target;

	if (!start(&target, path, "plain", NULL))
		return;
	target_wait_state(target.pid, target.pid, "S");
	CHECK(ptrace(PTRACE_SEIZE, target.pid, NULL, NULL) == 0);
	check_simple(target.pid, "stand_here", false);
	CHECK(ptrace(PTRACE_INTERRUPT, target.pid, NULL, NULL) == 0);
	waitpid(target.pid, NULL, __WALL);
	check_simple(target.pid, "stand_here", false); /* stopped by its tracer */
	CHECK(ptrace(PTRACE_DETACH, target.pid, NULL, NULL) == 0);
	target_end(&target);
}

/* As another user: refused, with the right error, in a child of ours. */
static void test_other_user(const char *path, const char *what, int want_uid_same)
{
	struct target target;
	int status = -1;
	pid_t pid;

	if (geteuid() != 0) {
		skipped++;
		return;
	}
	if (!start(&target, path, what, NULL))
		return;
	pid = fork();
	if (pid == 0) {
		struct stacks stacks;
		int err;

		if (setgid(65534) || setuid(want_uid_same ? 0 : 65534))
			_exit(99);
		err = read_stacks(target.pid, false, &stacks);
		_exit(err == -EACCES ? 1 : err == 0 ? 0 : 2);
	}
	waitpid(pid, &status, 0);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == (want_uid_same ? 0 : 1));
	target_end(&target);
}

static void test_namespace(const char *path)
{
	struct process_facts facts;
	struct target target;
	char name[64];
	int child = 0;
	FILE *file;

	if (!start(&target, path, "namespace", NULL))
		return;
	snprintf(name, sizeof(name), "/proc/%d/task/%d/children", target.pid, target.pid);
	file = fopen(name, "r");
	CHECK(file && fscanf(file, "%d", &child) == 1);
	if (file)
		fclose(file);
	if (child > 0) {
		target_wait_state(child, child, "S");
		CHECK(process_read(child, &facts) == 0 && facts.namespace_pid == 1);
		process_facts_clear(&facts);
		check_simple(child, "stand_here", true);
	}
	target_end(&target);
}

static int file_copy(const char *from, const char *to)
{
	char buffer[65536];
	FILE *in = fopen(from, "r"), *out = fopen(to, "w");
	size_t got;
	int err = in && out ? 0 : -1;

	while (!err && (got = fread(buffer, 1, sizeof(buffer), in)) > 0)
		if (fwrite(buffer, 1, got, out) != got)
			err = -1;
	if (in)
		fclose(in);
	if (out)
		fclose(out);
	chmod(to, 0755);
	return err;
}

enum fate { DELETED, REPLACED };

static void test_library(const char *path, const char *library, enum fate fate, const char *folder)
{
	char copy[256], other[256];
	struct target target;

	snprintf(copy, sizeof(copy), "%s/lib copy.so", folder);
	snprintf(other, sizeof(other), "%s/other", folder);
	CHECK(file_copy(library, copy) == 0);
	if (!start(&target, path, "load", copy))
		return;
	target_wait_state(target.pid, target.pid, "S");
	if (fate == DELETED)
		unlink(copy);
	else if (file_copy("/bin/true", other) || rename(other, copy))
		CHECK(!"replaced");
	check_simple(target.pid, "library_wait_inside", true);
	target_end(&target);
	unlink(copy);
}

static void test_deleted_program(const char *path, const char *folder)
{
	char copy[256];
	struct target target;

	snprintf(copy, sizeof(copy), "%s/program", folder);
	CHECK(file_copy(path, copy) == 0);
	if (!start(&target, copy, "plain", NULL))
		return;
	target_wait_state(target.pid, target.pid, "S");
	unlink(copy);
	check_simple(target.pid, NULL, true);
	target_end(&target);
}

#ifdef __x86_64__
/* A few bytes of code in a 32-bit program: it pauses for ever. */
static void test_32_bit(const char *folder)
{
	static const unsigned char code[] = { 0xb8, 29, 0, 0, 0, 0xcd, 0x80, 0xeb, 0xf7 };
	const Elf32_Ehdr header = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = EM_386,
		.e_version = EV_CURRENT,
		.e_entry = 0x8048000 + sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr),
		.e_phoff = sizeof(Elf32_Ehdr),
		.e_ehsize = sizeof(Elf32_Ehdr),
		.e_phentsize = sizeof(Elf32_Phdr),
		.e_phnum = 1,
	};
	const Elf32_Phdr segment = {
		.p_type = PT_LOAD,
		.p_vaddr = 0x8048000,
		.p_filesz = sizeof(header) + sizeof(Elf32_Phdr) + sizeof(code),
		.p_memsz = sizeof(header) + sizeof(Elf32_Phdr) + sizeof(code),
		.p_flags = PF_R | PF_X,
		.p_align = 0x1000,
	};
	struct target target;
	struct stacks stacks;
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/narrow", folder);
	file = fopen(path, "w");
	CHECK(file && fwrite(&header, sizeof(header), 1, file) == 1 && fwrite(&segment, sizeof(segment), 1, file) == 1 &&
	      fwrite(code, sizeof(code), 1, file) == 1);
	if (file)
		fclose(file);
	chmod(path, 0755);
	{
		const char *arguments[] = { path, NULL };

		CHECK(target_start(&target, arguments) == 0);
	}
	usleep(100000);
	if (waitpid(target.pid, NULL, WNOHANG) == target.pid) { /* this kernel runs no such programs */
		skipped++;
		target.pid = 0;
	} else {
		CHECK(read_stacks(target.pid, false, &stacks) == -ENOTSUP);
	}
	target_end(&target);
	unlink(path);
}
#endif

/* A running thread of our own user: ptrace needs no capability for it. */
static void test_running(const char *path)
{
	struct target target;
	struct stacks stacks;
	bool there = false;
	int i;

	if (!start(&target, path, "spin", NULL))
		return;
	for (i = 0; i < 200 && !there; i++) { /* it may still be on its way into the loop */
		usleep(10000);
		if (read_stacks(target.pid, false, &stacks))
			break;
		there = stacks.count == 1 && stacks.list[0].quality == STACK_FULL &&
			stacks.list[0].method == STACK_INTERRUPT && names(&stacks.list[0], "spin_here");
		stacks_clear(&stacks);
	}
	CHECK(there);
	target_end(&target);
}

/*
 * The same as a user without any capability looking at its own processes: everything
 * must be there, the deleted libraries by way of memory.
 */
static void test_unprivileged(char **argv)
{
	char folder[] = "/tmp/cannwatch-odd-XXXXXX";
	int status = -1;
	pid_t pid;

	if (geteuid() != 0) {
		skipped++;
		return;
	}
	pid = fork();
	if (pid == 0) {
		checks_failed = checks_passed = 0;
		if (setgid(65534) || setuid(65534) || !mkdtemp(folder))
			_exit(99);
		test_plain(argv[1], "stand_here");
		test_running(argv[1]);
		test_zombie_leader(argv[1]);
		test_traced(argv[1]);
		test_library(argv[1], argv[4], DELETED, folder);
		test_library(argv[1], argv[4], REPLACED, folder);
		rmdir(folder);
		_exit(checks_failed ? 1 : checks_passed > 10 ? 0 : 2);
	}
	waitpid(pid, &status, 0);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(int argc, char **argv)
{
	char folder[] = "/tmp/cannwatch-odd-XXXXXX";

	if (argc != 5 || !mkdtemp(folder))
		return 2;
	test_running(argv[1]);
	test_unprivileged(argv);
	test_plain(argv[1], "stand_here");
	if (argv[2][0])
		test_plain(argv[2], "stand_here");
	else
		puts("skipped: a static program, none can be linked in this build");
	test_plain(argv[3], NULL);
	test_gone();
	test_zombie_leader(argv[1]);
	test_vfork_parent(argv[1]);
	test_stopped(argv[1]);
	test_traced(argv[1]);
	test_other_user(argv[1], "plain", 0);
	test_other_user(argv[1], "undumpable", 0);
	test_other_user(argv[1], "undumpable", 1);
	test_namespace(argv[1]);
	test_library(argv[1], argv[4], DELETED, folder);
	test_library(argv[1], argv[4], REPLACED, folder);
	test_deleted_program(argv[1], folder);
#ifdef __x86_64__
	test_32_bit(folder);
#endif
	rmdir(folder);
	if (skipped)
		printf("%d cases skipped: this user may not do what they need\n", skipped);
	return checks_result();
}
