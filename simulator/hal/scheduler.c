// SPDX-License-Identifier: Apache-2.0
/*
 * The device's scheduler: one thread per device takes the queues that have
 * work and runs their heads, in order within a queue, round robin among queues.
 */
#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include "simulator/hal/device.h"

enum { BURST = 64, POLL_NS = 1000000 };

void list_push(struct sq_list *list, struct sq *sq)
{
	sq->next = NULL;
	if (list->last)
		list->last->next = sq;
	else
		list->first = sq;
	list->last = sq;
}

struct sq *list_pop(struct sq_list *list)
{
	struct sq *sq = list->first;

	if (sq) {
		list->first = sq->next;
		if (!list->first)
			list->last = NULL;
		sq->next = NULL;
	}
	return sq;
}

void list_remove(struct sq_list *list, struct sq *sq)
{
	struct sq **at = &list->first;
	struct sq *before = NULL;

	while (*at && *at != sq) {
		before = *at;
		at = &before->next;
	}
	if (!*at)
		return;
	*at = sq->next;
	if (list->last == sq)
		list->last = before;
	sq->next = NULL;
}

void wait_on(struct sq_list *list, struct sq *sq)
{
	list_push(list, sq);
	sq->waiting_on = list;
}

struct sq *wait_pop(struct sq_list *list)
{
	struct sq *sq = list_pop(list);

	if (sq)
		sq->waiting_on = NULL;
	return sq;
}

void wait_leave(struct sq *sq)
{
	if (sq->waiting_on)
		list_remove(sq->waiting_on, sq);
	sq->waiting_on = NULL;
}

void sq_make_ready(struct sq *sq)
{
	struct device *d = &hal_devices[sq->device];

	if (sq->state == SQ_READY || sq->state == SQ_BUSY)
		return;
	sq->state = SQ_READY;
	list_push(&d->ready, sq);
	device_wake(d);
}

static void clear_wait(struct device *d, struct sq *sq)
{
	if (sq->deadline_ns)
		d->timed--;
	if (sq->polled)
		d->polled--;
	sq->deadline_ns = 0;
	sq->since_ns = 0;
	sq->polled = false;
	sq->granted = false;
	sq->expired = false;
	sq->counted_fault = false;
	sq->delayed = false;
}

/* A queue of a graph has come to its end: the last one ends the execution. */
void model_queue_ended(struct device *d, struct sq *sq)
{
	struct model *m = &d->models[sq->model - 1];
	struct sq *waiter;

	sq->enabled = false;
	if (m->running == 0 || --m->running > 0)
		return;
	waiter = wait_pop(&m->waiters);
	if (waiter)
		sq_make_ready(waiter);
}

void sq_finish_head(struct sq *sq, uint32_t error)
{
	struct device *d = &hal_devices[sq->device];
	uint32_t head = atomic_load_explicit(&sq->head, memory_order_relaxed);
	const struct sim_sqe *sqe = &sq->ring[head];

	if (error && !d->dump)
		dump_keep(d, sq, sqe);
	clear_wait(d, sq);
	if (error || (sqe->flags & SQE_WRITE_CQE))
		cq_push(sq, sqe, error);
	if (error && sq->stop_on_failure)
		sq->stopped = true;
	/* release: who sees the new head sees what the task wrote */
	head = head + 1 == sq->depth ? 0 : head + 1;
	atomic_store_explicit(&sq->head, head, memory_order_release);
	if (sq->model && head == sq->tail)
		model_queue_ended(d, sq);
}

/* Which queue is next: the one that has been ready longest, or one drawn. */
static struct sq *next_queue(struct device *d)
{
	struct sq *sq = d->ready.first;
	uint32_t n = 0;

	if (!clock_seeded() || !sq)
		return list_pop(&d->ready);
	for (; sq; sq = sq->next)
		n++;
	n = clock_draw(n);
	for (sq = d->ready.first; n > 0; n--)
		sq = sq->next;
	list_remove(&d->ready, sq);
	return sq;
}

/* Runs a queue until it blocks, goes to a worker, is empty, or has had its turn. */
static void sq_run(struct device *d, struct sq *sq)
{
	sq->state = SQ_IDLE;
	for (int i = 0; i < (clock_seeded() ? 1 : BURST); i++) {
		if (!sq->used || !sq->enabled || atomic_load(&sq->head) == sq->tail)
			return;
		sq_execute_head(d, sq);
		if (sq->state != SQ_IDLE)
			return;
	}
	sq_make_ready(sq);
}

static void look_at_waits(struct device *d)
{
	uint64_t now = hal_now_ns();

	for (uint32_t i = 0; i < SIM_SQ_COUNT; i++) {
		struct sq *sq = d->sqs[i];

		if (!sq || !sq->used || sq->state != SQ_BLOCKED)
			continue;
		if (sq->deadline_ns && now >= sq->deadline_ns) {
			sq->expired = true;
			wait_leave(sq);
			sq_make_ready(sq);
		} else if (sq->polled && polled_wait_holds(d, &sq->ring[atomic_load(&sq->head)])) {
			wait_leave(sq);
			sq_make_ready(sq);
		}
	}
}

uint64_t device_next_deadline(struct device *d)
{
	uint64_t first = d->lost_at_ns && !d->lost ? d->lost_at_ns : UINT64_MAX;

	for (uint32_t i = 0; d->timed && i < SIM_SQ_COUNT; i++) {
		struct sq *sq = d->sqs[i];

		if (sq && sq->used && sq->deadline_ns && sq->deadline_ns < first)
			first = sq->deadline_ns;
	}
	return first;
}

/* When something has to be looked at without being told: UINT64_MAX for never. */
static uint64_t next_look(struct device *d)
{
	uint64_t first = device_next_deadline(d);

	if (d->polled && hal_now_ns() + POLL_NS < first)
		first = hal_now_ns() + POLL_NS;
	if (!clock_is_virtual())
		return first;
	/* who moves the clock tells; memory that is polled changes without being told, in real time */
	if (!d->polled)
		return UINT64_MAX;
	return clock_real_ns() + POLL_NS;
}

static void device_sleep(struct device *d)
{
	uint64_t until = d->lost || !clock_lets_run() ? UINT64_MAX : next_look(d);
	struct timespec t = { (time_t)(until / 1000000000u), (long)(until % 1000000000u) };

	d->idle = true;
	if (until == UINT64_MAX)
		pthread_cond_wait(&d->change, &hal_lock);
	else
		pthread_cond_timedwait(&d->change, &hal_lock, &t);
	d->idle = false;
}

void *device_main(void *data)
{
	struct device *d = data;
	char name[16] = "davinci_dev0";

	name[11] = (char)('0' + d->id);
	prctl(PR_SET_NAME, name);
	pthread_mutex_lock(&hal_lock);
	for (;;) {
		struct sq *sq;

		if (d->lost_at_ns && hal_now_ns() >= d->lost_at_ns)
			d->lost = true;
		if (!d->lost && (d->timed || d->polled))
			look_at_waits(d);
		sq = d->lost || !clock_lets_run() ? NULL : next_queue(d);
		if (sq)
			sq_run(d, sq);
		else
			device_sleep(d);
	}
	return NULL;
}
