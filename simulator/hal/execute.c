// SPDX-License-Identifier: Apache-2.0
/* What each kind of task does when it comes to the head of its queue. */
#include <string.h>
#include "simulator/hal/device.h"

enum {
	SMALL_COPY = 65536,	      /* bytes the scheduler copies itself */
	CODE_WAIT_TIMEOUT = 107019,   /* an event or value wait whose time is over */
	CODE_NOTIFY_TIMEOUT = 507048, /* a notify wait whose time is over */
	COMPARE_GEQ = 0,
	COMPARE_EQ,
	COMPARE_AND,
	COMPARE_NOR,
};

static void block(struct device *d, struct sq *sq, uint32_t timeout_ms)
{
	sq->state = SQ_BLOCKED;
	if (!sq->since_ns)
		sq->since_ns = hal_now_ns();
	if (timeout_ms && !sq->deadline_ns) {
		sq->deadline_ns = sq->since_ns + timeout_ms * 1000000ull;
		d->timed++;
	}
}

static uint32_t timeout_ms(const struct sim_sqe *sqe)
{
	if (sqe->timeout_s == 0 || sqe->timeout_s > UINT32_MAX / 1000)
		return 0;
	return sqe->timeout_s * 1000;
}

/* ---- events and notifies -------------------------------------------------------- */

static struct flag *event_flag(const struct sim_sqe *sqe)
{
	struct device *d = hal_device(sqe->object_device);

	return d && sqe->object_id < SIM_EVENTS ? &d->events[sqe->object_id] : NULL;
}

static void write_time(const struct sim_sqe *sqe)
{
	_Atomic uint64_t *at = (_Atomic uint64_t *)(uintptr_t)sqe->arg[0];

	if (at)
		atomic_store_explicit(at, hal_now_ns(), memory_order_relaxed);
}

static void event_record(struct sq *sq, const struct sim_sqe *sqe)
{
	struct flag *f = event_flag(sqe);
	struct sq *waiter;

	write_time(sqe);
	if (f) {
		f->set = true;
		/* granted, not only woken: a reset right behind must not take it back */
		while ((waiter = wait_pop(&f->waiters))) {
			waiter->granted = true;
			sq_make_ready(waiter);
		}
	}
	sq_finish_head(sq, 0);
}

static void event_wait(struct device *d, struct sq *sq, const struct sim_sqe *sqe)
{
	struct flag *f = event_flag(sqe);

	if (!f || f->set || sq->granted) {
		sq_finish_head(sq, f ? 0 : CODE_WAIT_TIMEOUT);
		return;
	}
	if (sq->expired) {
		sq_finish_head(sq, CODE_WAIT_TIMEOUT);
		return;
	}
	block(d, sq, timeout_ms(sqe));
	wait_on(&f->waiters, sq);
}

static struct flag *notify_flag(struct device *d, const struct sim_sqe *sqe)
{
	return &d->notifies[sqe->object_id % SIM_NOTIFIES];
}

/* The word in shared memory, if the notify is one that other processes can see. */
static _Atomic uint32_t *notify_word(struct device *d, const struct sim_sqe *sqe)
{
	return sqe->arg[0] ? shared_word(sqe) : notify_flag(d, sqe)->shared;
}

static void notify_record(struct device *d, struct sq *sq, const struct sim_sqe *sqe)
{
	_Atomic uint32_t *word = notify_word(d, sqe);
	struct flag *f = notify_flag(d, sqe);
	struct sq *waiter = word ? NULL : wait_pop(&f->waiters);

	if (word) {
		atomic_store(word, 1);
	} else if (waiter) {
		waiter->granted = true;
		sq_make_ready(waiter);
	} else {
		f->set = true;
	}
	sq_finish_head(sq, 0);
}

static bool notify_take(struct device *d, const struct sim_sqe *sqe)
{
	_Atomic uint32_t *word = notify_word(d, sqe);
	struct flag *f = notify_flag(d, sqe);
	bool set = word ? atomic_exchange(word, 0) != 0 : f->set;

	if (!word)
		f->set = false;
	return set;
}

static void poll_head(struct device *d, struct sq *sq)
{
	if (!sq->polled)
		d->polled++;
	sq->polled = true;
}

static void notify_wait(struct device *d, struct sq *sq, const struct sim_sqe *sqe)
{
	if (sq->granted || notify_take(d, sqe)) {
		sq_finish_head(sq, 0);
		return;
	}
	if (sq->expired) {
		sq_finish_head(sq, CODE_NOTIFY_TIMEOUT);
		return;
	}
	block(d, sq, timeout_ms(sqe));
	if (notify_word(d, sqe))
		poll_head(d, sq);
	if (!sqe->arg[0])
		wait_on(&notify_flag(d, sqe)->waiters, sq);
}

/* ---- values ------------------------------------------------------------------------ */

static bool value_holds(const struct sim_sqe *sqe)
{
	uint64_t have = word_load((const void *)(uintptr_t)sqe->arg[0]);
	uint64_t want = sqe->arg[1];

	switch (sqe->arg[2]) {
	case COMPARE_GEQ:
		return (int64_t)(have - want) >= 0;
	case COMPARE_EQ:
		return have == want;
	case COMPARE_AND:
		return (have & want) != 0;
	default:
		return ~(have | want) != 0;
	}
}

bool polled_wait_holds(struct device *d, const struct sim_sqe *sqe)
{
	_Atomic uint32_t *word;

	if ((sqe->type & SQE_TYPE_MASK) != SQE_NOTIFY_WAIT)
		return value_holds(sqe);
	word = notify_word(d, sqe);
	return !word || atomic_load(word) != 0;
}

static void value_wait(struct device *d, struct sq *sq, const struct sim_sqe *sqe)
{
	if (value_holds(sqe) || sq->expired) {
		sq_finish_head(sq, value_holds(sqe) ? 0 : CODE_WAIT_TIMEOUT);
		return;
	}
	block(d, sq, timeout_ms(sqe));
	poll_head(d, sq);
}

static void write_value(struct device *d, struct sq *sq, const struct sim_sqe *sqe)
{
	struct flag *f;

	switch (sqe->kind) {
	case KIND_EVENT_RESET:
		f = event_flag(sqe);
		if (f)
			f->set = false;
		break;
	case KIND_NOTIFY_RESET:
		notify_take(d, sqe);
		break;
	case KIND_VALUE_WRITE:
		word_store((void *)(uintptr_t)sqe->arg[0], &sqe->arg[1], sizeof(sqe->arg[1]));
		break;
	default:
		break;
	}
	sq_finish_head(sq, 0);
}

/* ---- copies, graphs, callbacks ------------------------------------------------------ */

static void copy(struct sq *sq, const struct sim_sqe *sqe)
{
	struct sim_sqe task = *sqe;

	if (task.arg[2] > SMALL_COPY) {
		worker_run(sq, &task);
		return;
	}
	sq->state = SQ_BUSY;
	pthread_mutex_unlock(&hal_lock);
	if (task.kind == KIND_SET)
		drvMemsetD8((void *)(uintptr_t)task.arg[0], (uint8_t)task.arg[1], task.arg[2]);
	else
		drvMemcpy((void *)(uintptr_t)task.arg[0], (const void *)(uintptr_t)task.arg[1], task.arg[2]);
	pthread_mutex_lock(&hal_lock);
	sq->state = SQ_IDLE;
	sq_finish_head(sq, 0);
}

static void model_start(struct device *d, struct sq *sq, const struct sim_sqe *sqe)
{
	uint32_t id = (uint32_t)sqe->arg[0];
	struct model *m = &d->models[id % SIM_MODELS];

	if (m->running) { /* one execution at a time */
		block(d, sq, 0);
		wait_on(&m->waiters, sq);
		return;
	}
	for (uint32_t i = 0; i < m->event_count; i++)
		d->events[m->events[i] % SIM_EVENTS].set = false;
	for (uint32_t i = 0; i < SIM_SQ_COUNT; i++) {
		struct sq *part = d->sqs[i];

		if (!part || !part->used || part->model != id + 1 || part->tail == 0)
			continue;
		atomic_store_explicit(&part->head, 0, memory_order_release);
		part->enabled = true;
		m->running++;
	}
	for (uint32_t i = 0; m->running && i < SIM_SQ_COUNT; i++) {
		struct sq *part = d->sqs[i];

		if (part && part->used && part->model == id + 1 && part->enabled)
			sq_make_ready(part);
	}
	sq_finish_head(sq, 0);
}

static void callback(struct device *d, struct sq *sq, const struct sim_sqe *sqe)
{
	if (sq->granted) { /* the host has run it */
		sq_finish_head(sq, 0);
		return;
	}
	if (sqe->kind == KIND_CALLBACK_BLOCK)
		block(d, sq, 0);
	callback_push(d, sq, sqe);
	if (sqe->kind == KIND_CALLBACK)
		sq_finish_head(sq, 0);
}

/* ---- the head ------------------------------------------------------------------------- */

static void execute(struct device *d, struct sq *sq, const struct sim_sqe *sqe)
{
	switch (sqe->type & SQE_TYPE_MASK) {
	case SQE_KERNEL:
		if (sqe->arg[0]) {
			worker_run(sq, sqe);
			break;
		}
		sq_finish_head(sq, 0);
		break;
	case SQE_AICPU:
		callback(d, sq, sqe);
		break;
	case SQE_EVENT_RECORD:
		event_record(sq, sqe);
		break;
	case SQE_EVENT_WAIT:
		event_wait(d, sq, sqe);
		break;
	case SQE_NOTIFY_RECORD:
		notify_record(d, sq, sqe);
		break;
	case SQE_NOTIFY_WAIT:
		notify_wait(d, sq, sqe);
		break;
	case SQE_WRITE_VALUE:
		write_value(d, sq, sqe);
		break;
	case SQE_SDMA:
		copy(sq, sqe);
		break;
	case SQE_CONDITION:
		if (sqe->kind == KIND_MODEL_START)
			model_start(d, sq, sqe);
		else
			value_wait(d, sq, sqe);
		break;
	default:
		write_time(sqe);
		sq_finish_head(sq, 0);
		break;
	}
}

/* Returns whether a fault takes the place of the task. */
static bool faulty(struct device *d, struct sq *sq, const struct sim_sqe *sqe)
{
	struct fault f = { FAULT_NONE, 0 };

	if (sq->delayed && sq->expired) { /* the delay is over: the task begins afresh */
		sq->delayed = sq->expired = false;
		d->timed--;
		sq->deadline_ns = sq->since_ns = 0;
	}

	if (!sq->counted_fault)
		f = fault_find(sq, sqe);
	sq->counted_fault = true;
	switch (f.action) {
	case FAULT_HANG:
		block(d, sq, 0);
		return true;
	case FAULT_DELAY:
		sq->delayed = true;
		block(d, sq, f.value ? f.value : 1);
		return true;
	case FAULT_FAIL:
		sq_finish_head(sq, f.value);
		return true;
	case FAULT_DROP:
		sq_finish_head(sq, 0);
		return true;
	default:
		return false;
	}
}

void sq_execute_head(struct device *d, struct sq *sq)
{
	const struct sim_sqe *sqe = &sq->ring[atomic_load_explicit(&sq->head, memory_order_relaxed)];

	if (sq->stopped) {
		sq_finish_head(sq, 0);
		return;
	}
	if (faulty(d, sq, sqe))
		return;
	execute(d, sq, sqe);
}
