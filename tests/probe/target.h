// SPDX-License-Identifier: Apache-2.0
/* Starting and ending the small programs that these tests look at. */
#ifndef CANNWATCH_TESTS_PROBE_TARGET_H
#define CANNWATCH_TESTS_PROBE_TARGET_H

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct target {
	pid_t pid;
	FILE *out;
};

static inline int target_start(struct target *target, const char *const *arguments)
{
	int pipes[2];

	target->pid = 0;
	target->out = NULL;
	if (pipe2(pipes, O_CLOEXEC))
		return -1;
	target->pid = fork();
	if (target->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(pipes[1], 1);
		execv(arguments[0], (char *const *)arguments);
		_exit(127);
	}
	close(pipes[1]);
	target->out = fdopen(pipes[0], "r");
	return target->pid > 0 && target->out ? 0 : -1;
}

static inline void target_end(struct target *target)
{
	if (target->pid > 0) { /* 0 and -1 would mean other processes */
		kill(target->pid, SIGKILL);
		waitpid(target->pid, NULL, 0);
	}
	if (target->out)
		fclose(target->out);
}

/* Waits until a thread is in one of the states. */
static inline int target_wait_state(int pid, int tid, const char *states)
{
	char path[64], text[512], name[64], state;
	int i;

	for (i = 0; i < 500; i++) {
		FILE *file;

		snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
		file = fopen(path, "r");
		if (file && fgets(text, sizeof(text), file) && sscanf(text, "%*d (%63[^)]) %c", name, &state) == 2) {
			const char *s;

			for (s = states; *s; s++)
				if (*s == state) {
					fclose(file);
					return 0;
				}
		}
		if (file)
			fclose(file);
		usleep(2000);
	}
	return -1;
}

#endif
