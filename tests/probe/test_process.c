// SPDX-License-Identifier: Apache-2.0
/* Process facts of live, odd and ended processes, and the parsers on odd text. */
#include "probe/blocked.h"
#include "probe/process.h"
#include "probe/procfs.h"
#include "tests/probe/check.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void on_signal(int number)
{
	(void)number;
}

static void *thread_wait(void *name)
{
	if (name)
		prctl(PR_SET_NAME, name);
	for (;;)
		pause();
	return NULL;
}

static void child_threads(int ready)
{
	pthread_t thread;

	signal(SIGUSR1, on_signal);
	signal(SIGUSR2, SIG_IGN);
	prctl(PR_SET_NAME, "odd) R 1 (na\nme");
	pthread_create(&thread, NULL, thread_wait, "second");
	usleep(50000);
	if (write(ready, "x", 1) != 1)
		_exit(1);
	thread_wait(NULL);
}

/* The leader ends, the second thread lives on: the leader becomes a zombie. */
static void child_zombie_leader(int ready)
{
	pthread_t thread;

	pthread_create(&thread, NULL, thread_wait, "survivor");
	usleep(50000);
	if (write(ready, "x", 1) != 1)
		_exit(1);
	syscall(SYS_exit, 0);
}

static pid_t child_start(void (*body)(int))
{
	int pipes[2];
	pid_t pid;
	char byte;

	if (pipe(pipes))
		return -1;
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		body(pipes[1]);
		_exit(1);
	}
	CHECK(read(pipes[0], &byte, 1) == 1);
	usleep(50000);
	close(pipes[0]);
	close(pipes[1]);
	return pid;
}

static void child_end(pid_t pid)
{
	if (pid <= 0) /* would mean other processes */
		return;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void test_live(void)
{
	struct process_threads threads;
	struct process_facts facts, by_tid;
	pid_t pid = child_start(child_threads);

	CHECK(process_read(pid, &facts) == 0);
	CHECK(facts.pid == pid && facts.anchor == pid && facts.parent == getpid());
	CHECK(facts.namespace_pid == pid && facts.tracer == 0);
	CHECK(facts.signals_caught & (UINT64_C(1) << (SIGUSR1 - 1)));
	CHECK(!(facts.signals_caught & (UINT64_C(1) << (SIGUSR2 - 1))));
	CHECK(facts.signals_ignored & (UINT64_C(1) << (SIGUSR2 - 1)));
	CHECK(strstr(facts.command, "test_process"));
	CHECK(facts.state == 'S' && facts.start_ticks > 0 && facts.thread_count == 2);
	CHECK(!strcmp(facts.name, "odd) R 1 (na\nme"));

	CHECK(process_threads_read(pid, &threads) == 0);
	CHECK(threads.count == 2 && threads.complete);
	CHECK(threads.list[0].tid == pid && threads.list[1].tid > pid);
	CHECK(!strcmp(threads.list[1].name, "second") && threads.list[1].state == 'S');
	CHECK(threads.list[1].schedstat_known && threads.list[1].run_ns > 0);

	CHECK(process_read(threads.list[1].tid, &by_tid) == 0);
	CHECK(by_tid.pid == pid && by_tid.given == threads.list[1].tid && by_tid.anchor == pid);
	process_facts_clear(&by_tid);
	CHECK(process_is_same(&facts));
	child_end(pid);
	CHECK(!process_is_same(&facts));
	CHECK(process_read(pid, &by_tid) == -ESRCH);
	CHECK(process_thread_read(pid, pid, &threads.list[0]) == -ESRCH);
	process_threads_clear(&threads);
	CHECK(process_threads_read(pid, &threads) == -ESRCH);
	process_facts_clear(&facts);
}

static void test_zombie_leader(void)
{
	struct process_facts facts;
	pid_t pid = child_start(child_zombie_leader);

	CHECK(process_read(pid, &facts) == 0);
	CHECK(facts.state == 'Z' && facts.anchor > pid);
	CHECK(strstr(facts.command, "test_process"));
	process_facts_clear(&facts);
	child_end(pid);
}

static void test_zombie(void)
{
	struct process_facts facts;
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	usleep(100000);
	CHECK(process_read(pid, &facts) == 0);
	CHECK(facts.state == 'Z' && facts.anchor == 0 && facts.command[0]);
	process_facts_clear(&facts);
	waitpid(pid, NULL, 0);
}

static void test_bad_ids(void)
{
	struct process_facts facts;

	CHECK(process_read(0, &facts) == -ESRCH);
	CHECK(process_read(-1, &facts) == -ESRCH);
	CHECK(process_read(0x7ffffff0, &facts) == -ESRCH);
}

static void test_parse(void)
{
	struct process_thread thread = { 0 };
	int parent = 0;

	CHECK(process_parse_stat("7 (a) b) S 3 7 7 0 -1 1 0 0 0 0 0 0 0 0 20 0 1 0 4242 9\n", &thread, &parent) == 0);
	CHECK(!strcmp(thread.name, "a) b") && thread.state == 'S' && parent == 3 && thread.start_ticks == 4242);
	CHECK(process_parse_stat("", &thread, NULL) == -EINVAL);
	CHECK(process_parse_stat("7 (a)", &thread, NULL) == -EINVAL);
	CHECK(process_parse_stat("7 )a( S 3", &thread, NULL) == -EINVAL);
	CHECK(process_parse_stat("7 (a) S 3 7", &thread, NULL) == -EINVAL);
	CHECK(process_parse_schedstat("1 2", &thread) == -EINVAL);
	CHECK(process_parse_schedstat("0 0 0\n", &thread) == 0 && !thread.schedstat_known);
	CHECK(process_parse_schedstat("10 20 30\n", &thread) == 0 && thread.schedstat_known &&
	      thread.switches_in == 30);
}

static void test_parse_syscall(void)
{
	uint64_t sp = 0, pc = 0;
	long number = 0;

	CHECK(blocked_parse_syscall("running\n", &number, &sp, &pc) == -EBUSY);
	CHECK(blocked_parse_syscall("-1 0x7ffc10 0x401000\n", &number, &sp, &pc) == 0);
	CHECK(number == -1 && sp == 0x7ffc10 && pc == 0x401000);
	CHECK(blocked_parse_syscall("202 0x1 0x2 0x3 0x4 0x5 0x6 0x7ffc20 0x7f0010\n", &number, &sp, &pc) == 0);
	CHECK(number == 202 && sp == 0x7ffc20 && pc == 0x7f0010);
	CHECK(blocked_parse_syscall("202 0x1 0x2 0x3 0x4 0x5 0x6 0x7ffc20", &number, &sp, &pc) == -EINVAL);
	CHECK(blocked_parse_syscall("-1 0x7ffc10", &number, &sp, &pc) == -EINVAL);
	CHECK(blocked_parse_syscall("", &number, &sp, &pc) == -EINVAL);
	CHECK(blocked_parse_syscall("x y z", &number, &sp, &pc) == -EINVAL);
}

static void test_variable(void)
{
	char *path = process_variable(getpid(), "CANNWATCH_TEST_VARIABLE");

	CHECK(path && !strcmp(path, "a=b"));
	free(path);
	CHECK(!process_variable(getpid(), "CANNWATCH_TEST_VARIABL"));
}

int main(void)
{
	test_live();
	test_zombie_leader();
	test_zombie();
	test_bad_ids();
	test_parse();
	test_parse_syscall();
	test_variable();
	return checks_result();
}
