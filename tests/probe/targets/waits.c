// SPDX-License-Identifier: Apache-2.0
/*
 * Threads in the waits that the kernel does not restart by itself: each says so when
 * it is interrupted. "ready" once, then "EINTR name" whenever it happens.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static void tell(const char *what)
{
	printf("EINTR %s\n", what);
	fflush(stdout);
}

static void *in_epoll(void *unused)
{
	int fd = epoll_create1(0);
	struct epoll_event event;

	for (;;)
		if (epoll_wait(fd, &event, 1, -1) < 0 && errno == EINTR)
			tell("epoll_wait");
	return unused;
}

static void *in_semop(void *unused)
{
	int set = semget(IPC_PRIVATE, 1, 0600);
	struct sembuf down = { .sem_num = 0, .sem_op = -1 };
	struct timespec limit = { .tv_sec = 60 };

	for (;;)
		if (semtimedop(set, &down, 1, &limit) < 0) {
			if (errno == EINTR)
				tell("semop");
			else
				break;
		}
	semctl(set, 0, IPC_RMID);
	return unused;
}

static void *in_recv(void *unused)
{
	struct timeval limit = { .tv_sec = 60 };
	int pair[2];
	char byte;

	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	for (;;)
		if (recv(pair[0], &byte, 1, 0) < 0 && errno == EINTR)
			tell("recv");
	return unused;
}

static void *in_sigtimedwait(void *unused)
{
	struct timespec limit = { .tv_sec = 60 };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	for (;;)
		if (sigtimedwait(&set, NULL, &limit) < 0 && errno == EINTR)
			tell("sigtimedwait");
	return unused;
}

int main(void)
{
	void *(*const bodies[])(void *) = { in_epoll, in_semop, in_recv, in_sigtimedwait };
	pthread_t thread;
	size_t i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++)
		if (pthread_create(&thread, NULL, bodies[i], NULL))
			return 5;
	usleep(100000);
	printf("ready\n");
	fflush(stdout);
	for (;;)
		pause();
}
