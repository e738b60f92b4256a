// SPDX-License-Identifier: Apache-2.0
/*
 * A look around every TICK: threads whose sequence number is odd and has not changed
 * are in a call that does not return. The look costs one load per thread as long as
 * none is. What is structurally stuck gets the helper after two equal looks, anything
 * else after the stall limit.
 */
#include "preload/watchdog.h"
#include "preload/helper.h"
#include "preload/shim.h"
#include "preload/state.h"
#include "preload/suspect.h"
#include "preload/thread.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define TICK_NS	     100000000u
#define ASK_NS	     1000000000u
#define SLOW_FACTOR  4 /* setting up a device or loading a model may take longer than the stall limit */
#define REPORTS_KEPT 64u

/* What the watchdog remembers of a slot. */
struct watch {
	uint32_t seq;
	bool helped;	       /* something has been done about this very call ... */
	bool helped_late;      /* ... and again at the stall limit */
	uint64_t since;	       /* when this seq was first seen */
	uint64_t signature;    /* of the last look, 0 nothing structural */
	uint32_t report;       /* number of the report that is about this call, 0 none */
	uint32_t report_seq;
};

static struct watch watches[STATE_THREADS];

static struct {
	bool running;	 /* a helper is */
	bool recovery;	 /* it brings a report up to date */
	bool command;	 /* it is what CANNWATCH_ON_HANG asked for */
	bool late;	 /* it was started at the stall limit */
	uint32_t number; /* of its report */
	uint32_t cause;	 /* slot it was started for */
	struct suspicion suspicion;
	uint64_t signature; /* last one that was handed to a helper, or told */
} helper;

static uint32_t stopping; /* 1 the watchdog, 2 the destructor has the helper */
static bool told_missing;

/* ---- signals ---- */

/* Whether a handler of the program's could end a wait is for the analyzer to judge. */
static void signals_refresh(void)
{
	struct ring_header *header = shim.ring.header;
	uint64_t action[4];
	int number;

	for (number = 1; number <= RING_MAX_SIGNAL; number++) {
		action[0] = 0;
		if (syscall(SYS_rt_sigaction, number, NULL, action, 8) == 0)
			__atomic_store_n(&header->signal_handler[number], action[0], __ATOMIC_RELAXED);
	}
	__atomic_store_n(&header->signals_mono, now_mono(), __ATOMIC_RELEASE);
}

/* ---- helper ---- */

static void told_plainly(uint32_t slot, const struct suspicion *suspicion, const char *why)
{
	char text[300];

	suspect_describe(slot, suspicion, text, sizeof(text));
	say("%s (%s)", text, why);
}

static void watches_mark(uint64_t signature, bool late)
{
	uint32_t i, high = thread_high();

	for (i = 0; i < high; i++) {
		if (!watches[i].signature || watches[i].signature != signature)
			continue;
		watches[i].helped = true;
		watches[i].helped_late |= late;
	}
}

static void helper_begin(uint32_t slot, const struct suspicion *suspicion, bool late)
{
	const char *why;

	suspect_ask_all();
	signals_refresh();
	watches[slot].helped = true;
	watches[slot].helped_late |= late;
	watches_mark(suspicion->signature, late);
	helper.number = shim.ring.header->reports + 1;
	helper.recovery = false;
	helper.late = late;
	helper.cause = slot;
	helper.suspicion = *suspicion;
	helper.signature = suspicion->structural ? suspicion->signature : 0;
	why = helper_start(helper.number, false);
	helper.running = why == NULL;
	if (why && (suspicion->structural || late))
		told_plainly(slot, suspicion, why);
}

static void recovery_begin(uint32_t number)
{
	helper.number = number;
	helper.recovery = true;
	helper.running = helper_start(number, true) == NULL;
}

/* All that hang on what was reported carry the report's number, so that its end is noticed. */
static void reported(uint32_t number)
{
	uint32_t i, high = thread_high();

	__atomic_store_n(&shim.ring.header->reports, number, __ATOMIC_RELAXED);
	for (i = 0; i < high; i++) {
		struct watch *watch = &watches[i];

		if (!(watch->seq & 1) || watch->report)
			continue;
		if (i != helper.cause && (!watch->signature || watch->signature != helper.signature))
			continue;
		watch->report = number;
		watch->report_seq = watch->seq;
	}
}

/* What CANNWATCH_ON_HANG asks for, once the report is out. */
static void act_on_hang(void)
{
	const char *why;

	switch (shim.config.on_hang) {
	case ON_HANG_SIGNAL:
		say("CANNWATCH_ON_HANG: sending signal %u to process %u", shim.config.on_hang_signal,
		    (unsigned int)getpid());
		kill(getpid(), shim.config.on_hang_signal);
		break;
	case ON_HANG_EXEC:
		why = helper_command(shim.config.on_hang_command);
		helper.running = why == NULL;
		helper.command = helper.running;
		if (why)
			say("CANNWATCH_ON_HANG: %s", why);
		break;
	}
}

static void helper_check(void)
{
	enum helper_outcome outcome;

	if (!helper.running)
		return;
	outcome = helper_poll();
	if (outcome == HELPER_RUNNING)
		return;
	helper.running = false;
	if (helper.command || helper.recovery) {
		helper.command = false;
		return;
	}
	if (outcome == HELPER_REPORTED || outcome == HELPER_HANG) {
		reported(helper.number);
		if (outcome == HELPER_HANG)
			act_on_hang();
	} else if (outcome == HELPER_FAILED && !told_missing && watches[helper.cause].seq & 1) {
		told_missing = true;
		told_plainly(helper.cause, &helper.suspicion, "the helper program failed");
	}
}

/* ---- the look ---- */

static bool report_is_over(uint32_t number)
{
	uint32_t i, high = thread_high();
	bool any = false;

	for (i = 0; i < high; i++) {
		const struct ring_thread *slot = thread_slot(i);

		if (watches[i].report != number)
			continue;
		if (__atomic_load_n(&slot->seq, __ATOMIC_ACQUIRE) == watches[i].report_seq)
			return false;
		any = true;
	}
	return any;
}

static void report_close(uint32_t number)
{
	uint32_t i, high = thread_high();

	for (i = 0; i < high; i++)
		if (watches[i].report == number)
			watches[i].report = 0;
}

/* The number of a report all of whose threads have moved on, 0 none. */
static uint32_t report_over(void)
{
	uint32_t i, high = thread_high();

	for (i = 0; i < high; i++)
		if (watches[i].report && report_is_over(watches[i].report))
			return watches[i].report;
	return 0;
}

static void watch_restart(struct watch *watch, struct ring_thread *slot, uint32_t seq, uint64_t now)
{
	watch->seq = seq;
	watch->since = now;
	watch->helped = watch->helped_late = false;
	watch->signature = 0;
	if (slot->stall_seq)
		__atomic_store_n(&slot->stall_seq, 0, __ATOMIC_RELAXED);
}

/*
 * Whether the thread is still in the call: its return address stands where the call put
 * it. A call left by longjmp is followed by others that overwrite it. Read through the
 * kernel: the stack may be gone. Elsewhere than on x86-64 the place is not known.
 */
static bool call_is_left(const struct ring_thread *slot)
{
#if defined(__x86_64__)
	uint64_t word = 0;
	struct iovec to = { &word, sizeof(word) };
	struct iovec from = { (void *)(uintptr_t)(slot->stack_pointer - sizeof(word)), sizeof(word) };

	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)sizeof(word) && word != slot->return_address;
#else
	return false;
#endif
}

static void stall_date(struct watch *watch, struct ring_thread *slot)
{
	__atomic_store_n(&slot->left_seq, call_is_left(slot) ? watch->seq : 0, __ATOMIC_RELEASE);
	if (slot->stall_seq == watch->seq)
		return;
	__atomic_store_n(&slot->stall_since, watch->since, __ATOMIC_RELAXED);
	__atomic_store_n(&slot->stall_seq, watch->seq, __ATOMIC_RELEASE);
}

static uint64_t stall_limit(const struct ring_api *row)
{
	switch (row->role) {
	case RING_ROLE_CALLBACK_SERVE:
		return UINT64_MAX; /* waiting for work is what it is for */
	case RING_ROLE_DEVICE_SELECT:
	case RING_ROLE_CONTEXT:
	case RING_ROLE_LIFECYCLE:
	case RING_ROLE_MODEL_LOAD:
	case RING_ROLE_COMM_CREATE:
	case RING_ROLE_DUMP:
		return shim.config.stall_ns * SLOW_FACTOR;
	default:
		return shim.config.stall_ns;
	}
}

/* Deals with a call that was already there at the look before. */
static void stalled(uint32_t index, struct watch *watch, const struct ring_thread *slot, uint64_t now)
{
	const struct ring_api *row = ring_api(slot->api);
	struct suspicion suspicion;
	bool late;

	if (!row || watch->report)
		return;
	suspect_look(index, &suspicion);
	if (__atomic_load_n(&slot->seq, __ATOMIC_ACQUIRE) != watch->seq)
		return;
	late = now - watch->since >= stall_limit(row);
	if (suspicion.structural && suspicion.signature != watch->signature) {
		/* First look, or something has changed since: look again before believing it. */
		watch->signature = suspicion.signature;
		watch->helped = suspicion.signature == helper.signature;
		return;
	}
	if (!suspicion.structural)
		watch->signature = 0;
	if (helper.running)
		return;
	if (late && !watch->helped_late)
		helper_begin(index, &suspicion, true);
	else if (suspicion.structural && !watch->helped)
		helper_begin(index, &suspicion, false);
}

/* For streams, that is: who serves callbacks waits for work, which is what it is for. */
static bool is_waiting(const struct ring_thread *slot)
{
	const struct ring_api *row = ring_api(slot->api);

	return row && row->role != RING_ROLE_CALLBACK_SERVE;
}

static void look_around(void)
{
	uint64_t now = now_mono();
	static uint64_t asked;
	uint32_t i, high = thread_high(), over;
	bool any = false;

	__atomic_store_n(&shim.ring.header->beat_mono, now, __ATOMIC_RELAXED);
	helper_check();
	for (i = 0; i < high; i++) {
		struct ring_thread *slot = thread_slot(i);
		struct watch *watch = &watches[i];
		uint32_t seq = __atomic_load_n(&slot->seq, __ATOMIC_ACQUIRE);

		if (seq != watch->seq) {
			watch_restart(watch, slot, seq, now);
			continue;
		}
		if (!(seq & 1))
			continue;
		any |= is_waiting(slot);
		stall_date(watch, slot);
		stalled(i, watch, slot, now);
	}
	/* Somebody may attach any moment and needs to know where streams stand. */
	if (any && now - asked >= ASK_NS) {
		asked = now;
		suspect_ask_all();
	}
	over = helper.running ? 0 : report_over();
	if (over) {
		report_close(over);
		recovery_begin(over);
	}
}

/* Whoever has the helper keeps it for one look; the destructor keeps it for good. */
static bool helper_own(uint32_t who)
{
	uint32_t nobody = 0;

	return __atomic_compare_exchange_n(&stopping, &nobody, who, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static void *watchdog_main(void *data)
{
	const struct timespec tick = { 0, TICK_NS };

	shim_self.busy = true; /* whatever it calls is no call of the program's */
	shim_self.tid = (uint32_t)syscall(SYS_gettid);
	prctl(PR_SET_NAME, "cannwatch", 0, 0, 0);
	__atomic_store_n(&shim.ring.header->shim_tid, (int32_t)shim_self.tid, __ATOMIC_RELAXED);
	for (;;) {
		clock_nanosleep(CLOCK_MONOTONIC, 0, &tick, NULL);
		if (!shim_running() || !helper_own(1))
			return NULL;
		look_around();
		__atomic_store_n(&stopping, 0, __ATOMIC_RELEASE);
	}
}

void watchdog_start(void)
{
	if (!thread_start_own(watchdog_main))
		say("the watchdog thread could not be started: nothing will be reported by itself");
}

void watchdog_stop(void)
{
	const struct timespec pause = { 0, 1000000 };
	unsigned int tries;
	uint32_t over;

	for (tries = 0; tries < 50 && !helper_own(2); tries++)
		nanosleep(&pause, NULL);
	if (tries == 50)
		return; /* it is in the middle of something: the program's end comes first */
	/* A recovery that is being written is worth a moment; a look at what is ending is not. */
	helper_check();
	for (tries = 0; tries < 200 && helper.running && helper.recovery; tries++) {
		nanosleep(&pause, NULL);
		helper_check();
	}
	over = report_over();
	if (over && !helper.running)
		helper_farewell(over);
}

void watchdog_forget(void)
{
	memset(watches, 0, sizeof(watches));
	memset(&helper, 0, sizeof(helper));
	stopping = 0;
}
