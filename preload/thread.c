// SPDX-License-Identifier: Apache-2.0
/*
 * Slots of threads, and the wrapper of pthread_create that notes who made each one.
 * The notes are kept from the start of the process, since threads are made before the
 * first device call; they are copied to the ring when there is one.
 */
#include "preload/thread.h"
#include "preload/real.h"
#include "preload/state.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define MAKERS	 4096u /* notes kept; those of threads that have ended make room */
#define PROBES	 16u
#define STARTS	 1024u /* threads between pthread_create and their first instruction */
#define STACK	 (256u << 10)

__thread struct shim_thread shim_self __attribute__((tls_model("initial-exec")));

struct maker {
	struct ring_maker note;
	uint32_t ref; /* of the copy in the ring, 0 none yet */
};

/* What a new thread is to run: taken from a pool, so that nothing is allocated. */
struct start {
	uint32_t used;
	uintptr_t caller;
	void *(*routine)(void *);
	void *argument;
};

static struct maker makers[MAKERS];
static uint32_t maker_high; /* in the ring */
static struct start starts[STARTS];
static uint32_t start_hint;

static uint8_t slot_used[STATE_THREADS];
static uint32_t slot_high, slot_hint;
static struct {
	bool open;
	pthread_key_t key;
	int (*set)(pthread_key_t, const void *);
} exit_key;

static uint32_t own_tid(void)
{
	return (uint32_t)syscall(SYS_gettid);
}

static bool thread_is_gone(uint32_t tid)
{
	int saved = errno;
	bool gone = syscall(SYS_tgkill, getpid(), tid, 0) == -1 && errno == ESRCH;

	errno = saved;
	return gone;
}

/* ---- slots ---- */

struct ring_thread *thread_slot(uint32_t index)
{
	return ring_writer_record(&shim.ring, RING_CHUNK_THREADS, RING_THREADS_PER_CHUNK,
				  sizeof(struct ring_thread), index);
}

uint32_t thread_high(void)
{
	return __atomic_load_n(&slot_high, __ATOMIC_ACQUIRE);
}

/* The calling thread ends: whatever call it was in, it is in none now. */
static void thread_ends(void *value)
{
	struct shim_thread *self = &shim_self;
	struct ring_thread *slot = self->slot;

	if (!slot || !shim_running() || self->generation != shim.generation)
		return;
	__atomic_store_n(&slot->seq, (slot->seq + 1) & ~1u, __ATOMIC_RELEASE);
	__atomic_fetch_or(&slot->flags, RING_THREAD_EXITED, __ATOMIC_RELAXED);
	self->slot = NULL;
	self->inside = false;
	self->served = false;
	__atomic_store_n(&slot_used[self->slot_index], 0, __ATOMIC_RELEASE);
}

void thread_open(void)
{
	int (*create)(pthread_key_t *, void (*)(void *)) = real_find("pthread_key_create");

	/* A key survives a fork: one is enough for the life of the process. */
	if (exit_key.open || !create)
		return;
	exit_key.set = real_find("pthread_setspecific");
	exit_key.open = exit_key.set && create(&exit_key.key, thread_ends) == 0;
}

/* With the lock held: a slot nobody has, the higher numbers last. */
static bool slot_take(uint32_t *index)
{
	uint32_t i, number;

	for (i = 0; i < slot_high; i++) {
		uint32_t at = (slot_hint + i) % slot_high;

		if (!slot_used[at]) {
			*index = slot_hint = at;
			return true;
		}
	}
	if (slot_high < STATE_THREADS &&
	    (slot_high % RING_THREADS_PER_CHUNK || ring_writer_chunk(&shim.ring, RING_CHUNK_THREADS, &number))) {
		*index = slot_high;
		__atomic_store_n(&slot_high, slot_high + 1, __ATOMIC_RELEASE);
		return true;
	}
	/* Threads that ended without telling (their last destructor round made a call). */
	for (i = 0; i < slot_high; i++)
		if (thread_is_gone(thread_slot(i)->tid)) {
			*index = i;
			return true;
		}
	return false;
}

static struct maker *maker_find(uint32_t tid);

bool thread_register(struct shim_thread *self)
{
	struct ring_thread *slot;
	uint32_t index;
	bool found;

	memset(self, 0, sizeof(*self));
	self->generation = shim.generation;
	self->tid = own_tid();
	if (!state_lock())
		goto lost;
	found = slot_take(&index);
	if (found)
		slot_used[index] = 1;
	state_unlock();
	if (!found)
		goto lost;
	slot = thread_slot(index);
	/* An even seq says that nothing here means anything yet. */
	__atomic_store_n(&slot->seq, (slot->seq + 1) & ~1u, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	slot->api = RING_API_NONE;
	slot->flags = 0;
	slot->stall_seq = 0;
	slot->stall_since = 0;
	slot->device = RING_NONE;
	slot->registered_mono = now_mono();
	__atomic_store_n(&slot->tid, self->tid, __ATOMIC_RELEASE);
	self->slot = slot;
	self->slot_index = index;
	if (exit_key.open)
		exit_key.set(exit_key.key, slot);
	if (self->tid != (uint32_t)getpid() && !maker_find(self->tid))
		shim_count(unknown_threads, 1);
	return true;
lost:
	shim_count(lost_threads, 1);
	return false;
}

/* ---- makers ---- */

static struct maker *maker_find(uint32_t tid)
{
	uint32_t i;

	for (i = 0; i < PROBES; i++) {
		struct maker *maker = &makers[(tid + i) % MAKERS];

		if (__atomic_load_n(&maker->note.tid, __ATOMIC_ACQUIRE) == tid)
			return maker;
	}
	return NULL;
}

/* The place for this thread's note: its own of an earlier life, a free one, or a dead thread's. */
static struct maker *maker_take(uint32_t tid)
{
	struct maker *maker = maker_find(tid);
	uint32_t i, old;

	if (maker)
		return maker;
	for (i = 0; i < PROBES; i++) {
		maker = &makers[(tid + i) % MAKERS];
		old = 0;
		if (__atomic_compare_exchange_n(&maker->note.tid, &old, tid, false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return maker;
		if (thread_is_gone(old) && __atomic_compare_exchange_n(&maker->note.tid, &old, tid, false,
								       __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return maker;
	}
	return NULL;
}

static void maker_publish(struct maker *maker)
{
	struct ring_maker *record;
	uint32_t number;

	if (!maker->ref) {
		if (!state_lock()) {
			shim_count(lost_makers, 1);
			return;
		}
		if (maker_high % RING_MAKERS_PER_CHUNK ||
		    ring_writer_chunk(&shim.ring, RING_CHUNK_MAKERS, &number))
			maker->ref = ++maker_high;
		state_unlock();
	}
	record = maker->ref ? ring_writer_record(&shim.ring, RING_CHUNK_MAKERS, RING_MAKERS_PER_CHUNK,
						 sizeof(*record), maker->ref - 1)
			    : NULL;
	if (!record) {
		shim_count(lost_makers, 1);
		return;
	}
	__atomic_store_n(&record->tid, 0, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	record->flags = maker->note.flags;
	record->caller = maker->note.caller;
	record->routine = maker->note.routine;
	record->made_mono = maker->note.made_mono;
	__atomic_store_n(&record->tid, maker->note.tid, __ATOMIC_RELEASE);
}

static void maker_note(uintptr_t caller, void *(*routine)(void *))
{
	uint32_t tid = own_tid();
	struct maker *maker = maker_take(tid);

	if (!maker) {
		shim_count(lost_makers, 1);
		return;
	}
	maker->note.caller = caller;
	maker->note.routine = (uintptr_t)routine;
	maker->note.made_mono = now_mono();
	if (shim_running())
		maker_publish(maker);
}

void thread_publish_makers(void)
{
	uint32_t i;

	for (i = 0; i < MAKERS; i++)
		if (makers[i].note.tid && !makers[i].ref)
			maker_publish(&makers[i]);
}

bool thread_is_cann(struct shim_thread *self)
{
	struct maker *maker;

	if (!self->cann_made) {
		maker = maker_find(self->tid ? self->tid : own_tid());
		self->cann_made = maker && real_is_cann(maker->note.caller) ? 2 : 1;
	}
	return self->cann_made == 2;
}

/* ---- pthread_create ---- */

static struct start *start_take(void)
{
	uint32_t first = __atomic_fetch_add(&start_hint, 1, __ATOMIC_RELAXED), i, unused;

	for (i = 0; i < STARTS; i++) {
		struct start *start = &starts[(first + i) % STARTS];

		unused = 0;
		if (__atomic_compare_exchange_n(&start->used, &unused, 1, false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return start;
	}
	return NULL;
}

/* Runs first in a new thread and leaves no frame behind: the last call is a jump. */
static void *thread_begin(void *data)
{
	struct start *start = data;
	void *(*routine)(void *) = start->routine;
	void *argument = start->argument;
	uintptr_t caller = start->caller;

	__atomic_store_n(&start->used, 0, __ATOMIC_RELEASE);
	maker_note(caller, routine);
	return routine(argument);
}

typedef int create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static create_function *real_create(void)
{
	static create_function *real;
	create_function *found = __atomic_load_n(&real, __ATOMIC_RELAXED);

	if (!found) {
		found = real_find("pthread_create");
		__atomic_store_n(&real, found, __ATOMIC_RELAXED);
	}
	return found;
}

EXPORT int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
			  void *(*routine)(void *), void *restrict argument)
{
	create_function *real = real_create();
	struct start *start;
	int error;

	if (!real)
		return EAGAIN;
	if (__atomic_load_n(&shim.state, __ATOMIC_RELAXED) == SHIM_OFF)
		return real(thread, attributes, routine, argument);
	start = start_take();
	if (!start) {
		shim_count(lost_makers, 1);
		return real(thread, attributes, routine, argument);
	}
	start->routine = routine;
	start->argument = argument;
	start->caller = (uintptr_t)__builtin_return_address(0);
	error = real(thread, attributes, thread_begin, start);
	if (error)
		__atomic_store_n(&start->used, 0, __ATOMIC_RELEASE);
	return error;
}

bool thread_start_own(void *(*routine)(void *))
{
	int (*init)(pthread_attr_t *) = real_find("pthread_attr_init");
	int (*size)(pthread_attr_t *, size_t) = real_find("pthread_attr_setstacksize");
	int (*detach)(pthread_attr_t *, int) = real_find("pthread_attr_setdetachstate");
	int (*destroy)(pthread_attr_t *) = real_find("pthread_attr_destroy");
	create_function *create = real_create();
	pthread_attr_t attributes;
	sigset_t all, old;
	pthread_t thread;
	int error;

	if (!init || !detach || !destroy || !create || init(&attributes))
		return false;
	detach(&attributes, PTHREAD_CREATE_DETACHED);
	if (size)
		size(&attributes, STACK);
	/* glibc keeps its own two signals out of this, as setuid in the program needs. */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	error = create(&thread, &attributes, routine, NULL);
	if (error == EINVAL && size) {
		/* Much thread-local storage: the usual stack then. */
		destroy(&attributes);
		if (init(&attributes) == 0 && detach(&attributes, PTHREAD_CREATE_DETACHED) == 0)
			error = create(&thread, &attributes, routine, NULL);
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	destroy(&attributes);
	return error == 0;
}

void thread_forget(void)
{
	struct shim_thread *self = &shim_self;

	memset(makers, 0, sizeof(makers));
	memset(starts, 0, sizeof(starts));
	memset(slot_used, 0, sizeof(slot_used));
	maker_high = slot_high = slot_hint = 0;
	self->slot = NULL;
	self->tid = 0;
	self->context = 0;
	self->cann_made = 0;
}
