// SPDX-License-Identifier: Apache-2.0
/*
 * Completions. Each queue has a ring of those its tasks asked for; callbacks
 * go to the group (serving thread) they were launched for.
 */
#include <stdlib.h>
#include <string.h>
#include "simulator/hal/device.h"

struct report {
	struct report *next;
	struct sim_cqe cqe;
};

struct group {
	struct report *first, *last;
};

static struct group groups[SIM_CALLBACK_GROUPS]; /* under hal_lock */
static pthread_cond_t report_change;		 /* completions and callbacks */
static pthread_once_t report_once = PTHREAD_ONCE_INIT;

static void report_init(void)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&report_change, &attr);
	pthread_condattr_destroy(&attr);
}

static struct sim_cqe cqe_of(const struct sq *sq, const struct sim_sqe *sqe, uint32_t error)
{
	struct sim_cqe cqe = {
		.stream_id = sqe->stream_id,
		.task_id = sqe->task_id,
		.sq_id = (uint16_t)sq->id,
		.sq_pos = (uint16_t)atomic_load(&sq->head),
		.error = error,
		.type = sqe->type & SQE_TYPE_MASK,
		.cookie = sqe->arg[0],
		.device = sq->device,
		.block = sqe->kind == KIND_CALLBACK_BLOCK,
	};

	return cqe;
}

void cq_push(struct sq *sq, const struct sim_sqe *sqe, uint32_t error)
{
	uint32_t next = (sq->cqe_tail + 1) % SIM_SQ_DEPTH;

	if (next == sq->cqe_head) /* nobody fetches: the oldest goes */
		sq->cqe_head = (sq->cqe_head + 1) % SIM_SQ_DEPTH;
	sq->cqes[sq->cqe_tail] = cqe_of(sq, sqe, error);
	sq->cqe_tail = next;
}

void callback_push(struct device *d, struct sq *sq, const struct sim_sqe *sqe)
{
	struct group *g = &groups[sqe->arg[1] % SIM_CALLBACK_GROUPS];
	struct report *r = calloc(1, sizeof(*r));

	pthread_once(&report_once, report_init);
	if (!r)
		return;
	r->cqe = cqe_of(sq, sqe, 0);
	if (g->last)
		g->last->next = r;
	else
		g->first = r;
	g->last = r;
	pthread_cond_broadcast(&report_change);
}

static void deadline_of(int32_t ms, struct timespec *t)
{
	uint64_t at = clock_real_ns() + (uint64_t)ms * 1000000u;

	t->tv_sec = (time_t)(at / 1000000000u);
	t->tv_nsec = (long)(at % 1000000000u);
}

drvError_t halCqReportRecv(uint32_t devId, struct halReportRecvInfo *info)
{
	struct device *d = hal_device(devId);
	struct sim_cqe *to;
	struct sq *sq;

	if (!d || !info || !info->cqe_addr)
		return DRV_ERROR_INVALID_VALUE;
	to = (struct sim_cqe *)info->cqe_addr;
	info->report_cqe_num = 0;
	pthread_mutex_lock(&hal_lock);
	sq = device_sq(d, info->cqId);
	while (sq && info->report_cqe_num < info->cqe_num && sq->cqe_head != sq->cqe_tail) {
		to[info->report_cqe_num++] = sq->cqes[sq->cqe_head];
		sq->cqe_head = (sq->cqe_head + 1) % SIM_SQ_DEPTH;
	}
	pthread_mutex_unlock(&hal_lock);
	if (!sq)
		return DRV_ERROR_INVALID_VALUE;
	return info->report_cqe_num ? DRV_ERROR_NONE : DRV_ERROR_WAIT_TIMEOUT;
}

drvError_t halCqReportIrqWait(uint32_t devId, struct halReportInfoInput *in, struct halReportInfoOutput *out)
{
	struct timespec t = { 0, 0 };
	struct group *g;
	int err = 0;

	if (!in || !out || in->grpId >= SIM_CALLBACK_GROUPS || !out->cqIdBitmap || out->cqIdBitmapSize < 1)
		return DRV_ERROR_INVALID_VALUE;
	pthread_once(&report_once, report_init);
	if (in->timeout >= 0)
		deadline_of(in->timeout, &t);
	g = &groups[in->grpId];
	pthread_mutex_lock(&hal_lock);
	while (!g->first && !err) {
		if (in->timeout < 0)
			pthread_cond_wait(&report_change, &hal_lock);
		else
			err = pthread_cond_timedwait(&report_change, &hal_lock, &t);
	}
	out->cqIdBitmap[0] = g->first ? 1 : 0;
	pthread_mutex_unlock(&hal_lock);
	return out->cqIdBitmap[0] ? DRV_ERROR_NONE : DRV_ERROR_WAIT_TIMEOUT;
}

/* For callbacks cqId is the group. Hands over every report that is there; halReportRelease frees them. */
drvError_t halCqReportGet(uint32_t devId, struct halReportGetInput *in, struct halReportGetOutput *out)
{
	struct sim_cqe *to = NULL;
	struct report *r, *next;
	struct group *g;
	uint32_t n = 0;

	if (!in || !out || in->cqId >= SIM_CALLBACK_GROUPS)
		return DRV_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&hal_lock);
	g = &groups[in->cqId];
	for (r = g->first; r; r = r->next)
		n++;
	if (n)
		to = calloc(n, sizeof(*to));
	out->count = to ? n : 0;
	out->reportPtr = to;
	n = 0;
	for (r = to ? g->first : NULL; r; r = next) {
		next = r->next;
		to[n++] = r->cqe;
		free(r);
	}
	if (to)
		g->first = g->last = NULL;
	pthread_mutex_unlock(&hal_lock);
	return to ? DRV_ERROR_NONE : DRV_ERROR_WAIT_TIMEOUT;
}

/* The reports of halCqReportGet are the caller's to free: nothing is kept here. */
drvError_t halReportRelease(uint32_t devId, struct halReportReleaseInfo *info)
{
	return DRV_ERROR_NONE;
}
