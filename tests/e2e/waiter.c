// SPDX-License-Identifier: Apache-2.0
/*
 * A program that minds its children: a SIGCHLD handler and a wait(-1) loop,
 * while its main thread sits in a device wait long enough for a report.
 * Prints children=N sigchld=N strangers=N; uses the public API only.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acl/acl.h"

enum { CHILDREN = 5, WAIT_S = 4 };

static atomic_int signals;
static atomic_int reaped;
static atomic_int strangers;
static pid_t own[CHILDREN];

static void on_child(int number)
{
	(void)number;
	atomic_fetch_add(&signals, 1);
}

static int is_own(pid_t pid)
{
	for (int i = 0; i < CHILDREN; i++)
		if (own[i] == pid)
			return 1;
	return 0;
}

/* Reaps whatever wait() offers until there is nothing left to wait for. */
static void *reap(void *unused)
{
	(void)unused;
	for (;;) {
		int status;
		pid_t pid = wait(&status);

		if (pid > 0) {
			atomic_fetch_add(is_own(pid) ? &reaped : &strangers, 1);
			continue;
		}
		if (errno == ECHILD)
			return NULL;
	}
}

static int start_children(void)
{
	for (int i = 0; i < CHILDREN; i++) {
		own[i] = fork();
		if (own[i] < 0)
			return -1;
		if (own[i] == 0) {
			/* One ends each second, so that there is always one to wait for. */
			sleep((unsigned int)(i + 1));
			_exit(i);
		}
	}
	return 0;
}

static aclrtStream helper_stream;
static aclrtEvent event;

/* What ends the wait, after a report had time to be made. */
static void *record_late(void *unused)
{
	(void)unused;
	sleep(WAIT_S);
	if (aclrtSetDevice(0) == 0)
		aclrtRecordEvent(event, helper_stream);
	return NULL;
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_child };
	aclrtStream stream;
	pthread_t reaper, recorder;

	sigaction(SIGCHLD, &action, NULL);
	if (start_children() != 0 || pthread_create(&reaper, NULL, reap, NULL) != 0)
		return 1;
	if (aclInit(NULL) != 0 || aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0 ||
	    aclrtCreateStream(&helper_stream) != 0 || aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC) != 0 ||
	    pthread_create(&recorder, NULL, record_late, NULL) != 0 || aclrtStreamWaitEvent(stream, event) != 0)
		return 2;
	if (aclrtSynchronizeStream(stream) != 0)
		return 4;
	pthread_join(recorder, NULL);
	pthread_join(reaper, NULL);
	printf("children=%d sigchld=%d strangers=%d\n", atomic_load(&reaped), atomic_load(&signals),
	       atomic_load(&strangers));
	return atomic_load(&reaped) == CHILDREN ? 0 : 3;
}
