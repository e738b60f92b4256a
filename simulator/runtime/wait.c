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

/* Until when the thread's wait lasts, for the turn that follows; 0: no limit. */
static _Thread_local uint64_t turn_deadline;

uint64_t rt_now_ns(void)
{
	return halClockNow();
}

void wait_begin(struct wait *w, int32_t ms)
{
	w->deadline_ns = ms < 0 ? 0 : rt_now_ns() + (uint64_t)ms * 1000000u;
}

bool wait_over(const struct wait *w)
{
	turn_deadline = w->deadline_ns;
	return w->deadline_ns && rt_now_ns() >= w->deadline_ns;
}

bool wait_is_spinning(void)
{
	pthread_once(&mode_once, mode_load);
	return !sleeping && !halClockManual();
}

void device_turn(void)
{
	if (halClockSeeded())
		halClockTurn(0);
}

void wait_turn(uint64_t outstanding)
{
	uint64_t deadline = turn_deadline;

	turn_deadline = 0;
	if (halClockManual())
		halClockTurn(deadline);
	else if (!wait_is_spinning() || outstanding >= MANY_TASKS)
		usleep(NAP_US);
	else
		sched_yield();
}
