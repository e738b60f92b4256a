// SPDX-License-Identifier: Apache-2.0
/*
 * What the stacks benchmark looks at: THREADS threads that sleep DEPTH calls deep,
 * and one that reads the clock without end and remembers the longest time between
 * two readings. A line on stdin: answer with that gap in microseconds, and begin anew.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static volatile uint64_t longest;
static volatile int sink, stop;
static int depth;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

__attribute__((noinline)) static void down(int left)
{
	volatile char pad[48];

	pad[left & 15] = (char)left;
	if (left > 0)
		down(left - 1);
	else
		while (!stop)
			pause();
	sink += pad[left & 15];
}

static void *sleeper(void *unused)
{
	down(depth);
	return unused;
}

static void *ticker(void *unused)
{
	uint64_t last = now_ns();

	for (;;) {
		uint64_t now = now_ns();

		if (now - last > longest)
			longest = now - last;
		last = now;
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_attr_t attributes;
	pthread_t thread;
	char line[16];
	int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (argc != 3)
		return 2;
	depth = atoi(argv[2]);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 256 << 10);
	for (i = 0; i < atoi(argv[1]); i++)
		if (pthread_create(&thread, &attributes, sleeper, NULL))
			return 5;
	if (pthread_create(&thread, NULL, ticker, NULL))
		return 5;
	while (fgets(line, sizeof(line), stdin)) {
		printf("%.0f\n", (double)longest / 1000);
		fflush(stdout);
		longest = 0;
	}
	return 0;
}
