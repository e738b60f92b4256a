// SPDX-License-Identifier: Apache-2.0
/*
 * Life of the shim in a process: settings at load, everything else at the first device
 * call, forgetting in forked children, tidying up at exit.
 */
#include "preload/shim.h"
#include "preload/call.h"
#include "preload/name.h"
#include "preload/real.h"
#include "preload/state.h"
#include "preload/thread.h"
#include "preload/watchdog.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

#define START_YIELDS 10000u /* for a thread that comes while another is starting the shim */

static uint32_t guard_none; /* what guard points at before there is a page for it */

struct shim shim = { .guard = &guard_none };

/* A page that the kernel empties in children, however they are made (4.14 and later). */
static bool guard_open(void)
{
	void *page = mmap(NULL, RING_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return false;
	madvise(page, RING_PAGE, MADV_WIPEONFORK);
	*(uint32_t *)page = 1;
	shim.guard = page;
	return true;
}

static void guard_close(void)
{
	if (shim.guard != &guard_none)
		munmap(shim.guard, RING_PAGE);
	shim.guard = &guard_none;
}

void shim_forget(void)
{
	uint32_t state = __atomic_load_n(&shim.state, __ATOMIC_RELAXED);

	shim.generation++;
	thread_forget();
	watchdog_forget();
	call_forget();
	memset(&shim.early, 0, sizeof(shim.early));
	if (state == SHIM_RUNNING || state == SHIM_STARTING) {
		ring_writer_forget(&shim.ring);
		name_forget();
		state_close();
		guard_close();
		__atomic_store_n(&shim.state, SHIM_IDLE, __ATOMIC_RELEASE);
	}
	shim.hal_elsewhere = 0;
	shim.captures_open = 0;
}

static void fork_in_parent(void)
{
	if (shim_running())
		shim_count(forks, 1);
}

static void fork_hooks_open(void)
{
	static bool open; /* hooks survive a fork */

	if (!open)
		open = pthread_atfork(NULL, fork_in_parent, shim_forget) == 0;
}

static bool shim_open(void)
{
	int error;

	config_warn(&shim.config);
	shim.config.identity.shim_base = real_own_base();
	if (!guard_open())
		return false;
	error = state_open();
	if (error)
		goto no_state;
	error = ring_writer_open(&shim.ring, &shim.config.identity);
	if (error)
		goto no_ring;
	memcpy(&shim.ring.header->counts, &shim.early, sizeof(shim.early));
	shim.ring.header->op_wait_timeout_s = shim.early_op_wait_timeout;
	shim.ring.header->op_execute_timeout_ms = shim.early_op_execute_timeout;
	ring_writer_publish(&shim.ring);
	return true;
no_ring:
	say("no shared memory for the ring (error %u): switched off", (unsigned int)-error);
	state_close();
no_state:
	guard_close();
	return false;
}

static bool start_wait(void)
{
	uint32_t tries;

	for (tries = 0; tries < START_YIELDS; tries++) {
		if (__atomic_load_n(&shim.state, __ATOMIC_ACQUIRE) != SHIM_STARTING)
			break;
		sched_yield();
	}
	return shim_running();
}

bool shim_start(void)
{
	uint32_t state = __atomic_load_n(&shim.state, __ATOMIC_ACQUIRE);
	int saved = errno;
	bool open;

	if (state == SHIM_OFF)
		return false;
	/* Running, but the guard says that this is a child: nobody told us of the fork. */
	if (state == SHIM_RUNNING)
		shim_forget();
	if (shim_self.busy)
		return false;
	state = SHIM_IDLE;
	if (!__atomic_compare_exchange_n(&shim.state, &state, SHIM_STARTING, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_ACQUIRE)) {
		open = state == SHIM_STARTING ? start_wait() : shim_running();
		errno = saved;
		return open;
	}
	shim_self.busy = true;
	open = shim_open();
	if (open) {
		thread_open();
		fork_hooks_open();
	}
	__atomic_store_n(&shim.state, open ? SHIM_RUNNING : SHIM_OFF, __ATOMIC_RELEASE);
	if (open) {
		thread_publish_makers();
		watchdog_start();
	}
	shim_self.busy = false;
	errno = saved;
	return open;
}

__attribute__((constructor)) static void shim_load(void)
{
	stderr_remember();
	if (!config_read(&shim.config))
		__atomic_store_n(&shim.state, SHIM_OFF, __ATOMIC_RELEASE);
}

__attribute__((destructor)) static void shim_unload(void)
{
	if (!shim_running() || shim.ring.header->pid != getpid())
		return;
	watchdog_stop();
	ring_writer_end(&shim.ring, shim.config.keep);
}
