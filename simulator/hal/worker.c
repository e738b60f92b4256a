// SPDX-License-Identifier: Apache-2.0
/*
 * Kernels and large copies run on threads of their own, so that one which
 * takes long (or never ends) holds up its own queue only. Idle threads are
 * kept; the pool grows by one whenever none is idle.
 */
#include <stdlib.h>
#include <sys/prctl.h>
#include "simulator/hal/device.h"

struct worker {
	pthread_cond_t change;
	struct worker *next;
	struct sq *sq;
	struct sim_sqe sqe;
};

static struct worker *idle_workers; /* under hal_lock */

static void run_task(const struct sim_sqe *sqe)
{
	void (*kernel)(uint32_t, void *);
	void *address = (void *)(uintptr_t)sqe->arg[0];

	if ((sqe->type & SQE_TYPE_MASK) == SQE_SDMA) {
		if (sqe->kind == KIND_SET)
			drvMemsetD8(address, (uint8_t)sqe->arg[1], sqe->arg[2]);
		else
			drvMemcpy(address, (const void *)(uintptr_t)sqe->arg[1], sqe->arg[2]);
		return;
	}
	__builtin_memcpy(&kernel, &address, sizeof(kernel));
	kernel(sqe->block_dim, (void *)(uintptr_t)sqe->arg[1]);
}

static void *worker_main(void *data)
{
	struct worker *w = data;

	prctl(PR_SET_NAME, "davinci_core");
	pthread_mutex_lock(&hal_lock);
	for (;;) {
		struct sq *sq = w->sq;

		pthread_mutex_unlock(&hal_lock);
		run_task(&w->sqe);
		pthread_mutex_lock(&hal_lock);
		w->sq = NULL;
		sq->state = SQ_IDLE;
		sq_finish_head(sq, 0);
		sq_make_ready(sq);
		w->next = idle_workers;
		idle_workers = w;
		while (!w->sq)
			pthread_cond_wait(&w->change, &hal_lock);
	}
	return NULL;
}

static struct worker *worker_create(void)
{
	struct worker *w = calloc(1, sizeof(*w));

	if (w)
		pthread_cond_init(&w->change, NULL);
	return w;
}

static int worker_start(struct worker *w)
{
	pthread_attr_t attr;
	pthread_t thread;
	int err;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	err = pthread_create(&thread, &attr, worker_main, w);
	pthread_attr_destroy(&attr);
	return err;
}

void worker_run(struct sq *sq, const struct sim_sqe *sqe)
{
	struct worker *w = idle_workers;
	bool fresh = !w;

	if (w)
		idle_workers = w->next;
	else
		w = worker_create();
	if (!w) {
		sq_finish_head(sq, 507000);
		return;
	}
	sq->state = SQ_BUSY;
	sq->since_ns = hal_now_ns(); /* a dump tells how long it has been running */
	w->sqe = *sqe;
	w->sq = sq;
	if (!fresh) {
		pthread_cond_signal(&w->change);
	} else if (worker_start(w) != 0) {
		free(w);
		sq->state = SQ_IDLE;
		sq_finish_head(sq, 507000);
	}
}
