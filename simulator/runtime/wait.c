// SPDX-License-Identifier: Apache-2.0
/*
 * How a thread waits for the device. On chips with the recycle thread the real
 * runtime burns a core in sched_yield; others sleep. CANNSIM_SYNC chooses.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "simulator/runtime/runtime.h"

enum { NAP_US = 50, MANY_TASKS = 10 };

static pthread_once_t mode_once = PTHREAD_ONCE_INIT;
static bool sleeping;

static void mode_load(void)
{
	const char *mode = getenv("CANNSIM_SYNC");

	sleeping = mode && strcmp(mode, "sleep") == 0;
}

uint64_t rt_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void wait_begin(struct wait *w, int32_t ms)
{
	w->deadline_ns = ms < 0 ? 0 : rt_now_ns() + (uint64_t)ms * 1000000u;
}

bool wait_over(const struct wait *w)
{
	return w->deadline_ns && rt_now_ns() >= w->deadline_ns;
}

bool wait_is_spinning(void)
{
	pthread_once(&mode_once, mode_load);
	return !sleeping;
}

void wait_turn(uint64_t outstanding)
{
	if (!wait_is_spinning() || outstanding >= MANY_TASKS)
		usleep(NAP_US);
	else
		sched_yield();
}
