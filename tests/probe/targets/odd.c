// SPDX-License-Identifier: Apache-2.0
/*
 * Processes in odd states, for whoever looks at them. "ready" when the state is reached.
 *   odd zombie-leader | vfork-parent | undumpable | plain | spin | load LIBRARY | namespace
 */
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/probe/targets/noinline.h"

static void ready(void)
{
	if (write(1, "ready\n", 6) != 6)
		_exit(3);
}

NOINLINE static void stand_here(void)
{
	for (;;)
		pause();
}

static NOINLINE void spin_here(void)
{
	static volatile unsigned long turns, stop;

	while (!stop)
		turns++;
	KEEP();
}

static void *survivor(void *unused)
{
	usleep(50000);
	ready();
	stand_here();
	return unused;
}

static void zombie_leader(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, survivor, NULL))
		_exit(5);
	syscall(SYS_exit, 0);
}

static void vfork_parent(void)
{
	pid_t child = vfork();

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		ready();
		for (;;)
			pause();
	}
	_exit(child < 0 ? 6 : 0);
}

static void load(const char *library)
{
	void (*wait_inside)(void (*)(void));
	void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);

	*(void **)&wait_inside = handle ? dlsym(handle, "library_wait_inside") : NULL;
	if (!wait_inside)
		_exit(7);
	wait_inside(ready);
}

static void in_namespace(void)
{
	pid_t child;

	if (unshare(CLONE_NEWPID | CLONE_NEWNS)) {
		if (write(1, "denied\n", 7) != 7)
			_exit(3);
		stand_here();
	}
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getpid() == 1)
			ready();
		stand_here();
	}
	waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (argc > 2 && !strcmp(argv[1], "load")) {
		load(argv[2]);
	} else if (argc > 1 && !strcmp(argv[1], "zombie-leader")) {
		zombie_leader();
	} else if (argc > 1 && !strcmp(argv[1], "vfork-parent")) {
		vfork_parent();
	} else if (argc > 1 && !strcmp(argv[1], "spin")) {
		ready();
		spin_here();
	} else if (argc > 1 && !strcmp(argv[1], "namespace")) {
		in_namespace();
	} else {
		if (argc > 1 && !strcmp(argv[1], "undumpable"))
			prctl(PR_SET_DUMPABLE, 0);
		ready();
		stand_here();
	}
	return 0;
}
