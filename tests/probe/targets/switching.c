// SPDX-License-Identifier: Apache-2.0
/*
 * Threads that never stand still for long, in stacks that vouch for themselves: a
 * number of 11 bits chooses a way down (for each bit the a or the b function of that
 * level), and then the same way once more. A stack whose halves differ, or whose
 * levels are out of order, never existed.
 *
 *   switching THREADS MODE     MODE s: sleeps at the bottom, r: never sleeps
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "tests/probe/targets/noinline.h"


static char mode;
static volatile unsigned int sink;

static NOINLINE void bottom(unsigned int way)
{
	struct timespec pause = { .tv_nsec = 1000 + (way & 63) * 1000 };

	if (mode == 's')
		nanosleep(&pause, NULL);
	else
		sink += way;
	KEEP();
}

#define LEVEL(half, level, next_a, next_b)                           \
	static NOINLINE void half##level##a(unsigned int way)        \
	{                                                            \
		volatile char pad[16 + level * 8];                   \
		pad[level] = (char)way;                              \
		if (way >> level & 1)                                \
			next_b(way);                                 \
		else                                                 \
			next_a(way);                                 \
		KEEP();                                              \
		sink += pad[level];                                  \
	}                                                            \
	static NOINLINE void half##level##b(unsigned int way)        \
	{                                                            \
		volatile char pad[40 + level * 16];                  \
		pad[level] = (char)way;                              \
		if (way >> level & 1)                                \
			next_b(way);                                 \
		else                                                 \
			next_a(way);                                 \
		KEEP();                                              \
		sink += pad[level];                                  \
	}

/* level n is entered as a or b by bit n - 1 of the way; low0 by the last bit, high0 by the lowest one */
LEVEL(low, 10, bottom, bottom)
LEVEL(low, 9, low10a, low10b)
LEVEL(low, 8, low9a, low9b)
LEVEL(low, 7, low8a, low8b)
LEVEL(low, 6, low7a, low7b)
LEVEL(low, 5, low6a, low6b)
LEVEL(low, 4, low5a, low5b)
LEVEL(low, 3, low4a, low4b)
LEVEL(low, 2, low3a, low3b)
LEVEL(low, 1, low2a, low2b)
LEVEL(low, 0, low1a, low1b)
LEVEL(high, 10, low0a, low0b)
LEVEL(high, 9, high10a, high10b)
LEVEL(high, 8, high9a, high9b)
LEVEL(high, 7, high8a, high8b)
LEVEL(high, 6, high7a, high7b)
LEVEL(high, 5, high6a, high6b)
LEVEL(high, 4, high5a, high5b)
LEVEL(high, 3, high4a, high4b)
LEVEL(high, 2, high3a, high3b)
LEVEL(high, 1, high2a, high2b)
LEVEL(high, 0, high1a, high1b)

static void *run(void *seed)
{
	unsigned int way = (unsigned int)(size_t)seed * 7919u;

	for (;;) {
		way = way * 1103515245u + 12345u;
		if (way >> 8 & 1)
			high0b(way >> 8 & 0x7ff);
		else
			high0a(way >> 8 & 0x7ff);
		KEEP();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int i, threads;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (argc != 3)
		return 2;
	threads = atoi(argv[1]);
	mode = argv[2][0];
	for (i = 0; i < threads; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, run, (void *)(size_t)(i + 1)))
			return 5;
	}
	if (write(1, "ready\n", 6) != 6)
		return 3;
	for (;;)
		pause();
}
