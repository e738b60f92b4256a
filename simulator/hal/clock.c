// SPDX-License-Identifier: Apache-2.0
/*
 * The device's time, and who may run when. Usually time is CLOCK_MONOTONIC and
 * devices run by themselves. CANNSIM_CLOCK=virtual: time stands still while
 * anything can run and then jumps to the next time limit. CANNSIM_SEED=N:
 * devices run only while a thread of the host waits or queries, and draw which
 * queue is next from a generator that starts at N.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "simulator/hal/device.h"

enum { TURN_NAP_US = 200, QUIET_TURNS = 5, RUN_TURNS = 500, STUCK_TURNS = 10 };

static pthread_once_t clock_once = PTHREAD_ONCE_INIT;
static bool is_virtual, is_seeded;
static _Atomic uint64_t virtual_ns = 1000000000u;
static uint64_t random_state; /* under hal_lock */
static int running;	      /* threads that let the devices run; under hal_lock */
static int quiet;	      /* turns in a row in which nothing could run; under hal_lock */
static int stuck_turns;	      /* or in which only kernels did */

static void clock_load(void)
{
	const char *clock = getenv("CANNSIM_CLOCK");
	const char *seed = getenv("CANNSIM_SEED");

	is_virtual = clock && strcmp(clock, "virtual") == 0;
	is_seeded = seed && *seed;
	random_state = is_seeded ? strtoull(seed, NULL, 0) : 0;
}

bool clock_seeded(void)
{
	pthread_once(&clock_once, clock_load);
	return is_seeded;
}

bool halClockManual(void)
{
	return clock_seeded() || is_virtual;
}

bool halClockSeeded(void)
{
	return clock_seeded();
}

uint64_t clock_real_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t hal_now_ns(void)
{
	pthread_once(&clock_once, clock_load);
	return is_virtual ? atomic_load(&virtual_ns) : clock_real_ns();
}

uint64_t halClockNow(void)
{
	return hal_now_ns();
}

bool clock_lets_run(void)
{
	return !clock_seeded() || running > 0;
}

bool clock_is_virtual(void)
{
	pthread_once(&clock_once, clock_load);
	return is_virtual;
}

/* splitmix64: small, and good from any start */
uint32_t clock_draw(uint32_t below)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return (uint32_t)((z ^ (z >> 31)) % below);
}

static bool device_is_quiet(const struct device *d)
{
	if (d->lost)
		return true;
	if (!d->idle || d->ready.first)
		return false;
	for (uint32_t i = 0; i < SIM_SQ_COUNT; i++) {
		const struct sq *sq = atomic_load(&d->sqs[i]);

		if (sq && sq->used && sq->state == SQ_BUSY)
			return false;
	}
	return true;
}

/* Whether nothing can run; the time when something will, 0 for never. */
static bool all_quiet(uint64_t *next)
{
	*next = 0;
	for (int i = 0; i < SIM_MAX_DEVICES; i++) {
		struct device *d = &hal_devices[i];
		uint64_t first = d->open ? device_next_deadline(d) : UINT64_MAX;

		if (d->open && !device_is_quiet(d))
			return false;
		if (first != UINT64_MAX && (*next == 0 || first < *next))
			*next = first;
	}
	return true;
}

static void wake_all(void)
{
	for (int i = 0; i < SIM_MAX_DEVICES; i++)
		if (hal_devices[i].open)
			pthread_cond_signal(&hal_devices[i].change);
}

/* A kernel that does not end must not keep time from passing for the others for ever. */
static void time_jump(uint64_t deadline_ns)
{
	uint64_t next, now = atomic_load(&virtual_ns);
	bool none = all_quiet(&next);

	quiet = none ? quiet + 1 : 0;
	if (!none && ++stuck_turns < STUCK_TURNS)
		return;
	if (none && quiet < QUIET_TURNS)
		return;
	stuck_turns = quiet = 0;
	if (deadline_ns && (next == 0 || deadline_ns < next))
		next = deadline_ns;
	if (next > now)
		atomic_store(&virtual_ns, next);
	wake_all();
}

void halClockTurn(uint64_t deadline_ns)
{
	uint64_t next;

	hal_device(0);
	pthread_mutex_lock(&hal_lock);
	running++;
	if (clock_seeded())
		wake_all();
	for (int i = 0; i < RUN_TURNS; i++) {
		pthread_mutex_unlock(&hal_lock);
		usleep(TURN_NAP_US);
		pthread_mutex_lock(&hal_lock);
		if (all_quiet(&next))
			break;
	}
	running--;
	if (is_virtual)
		time_jump(deadline_ns);
	pthread_mutex_unlock(&hal_lock);
}
