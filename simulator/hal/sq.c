// SPDX-License-Identifier: Apache-2.0
/* Submission queues as the runtime sees them: allocate, send, query, configure, free. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "simulator/hal/device.h"

enum { BUSY_NAP_US = 100 };

static struct sq *sq_new(struct device *d, uint32_t id, uint32_t depth)
{
	struct sq *sq = d->sqs[id];

	if (!sq) {
		sq = calloc(1, sizeof(*sq));
		if (!sq)
			return NULL;
		sq->cqes = calloc(SIM_SQ_DEPTH, sizeof(*sq->cqes));
		if (!sq->cqes) {
			free(sq);
			return NULL;
		}
	}
	if (sq->depth != depth) {
		struct sim_sqe *ring = calloc(depth, sizeof(*ring));

		if (!ring)
			return NULL;
		free(sq->ring);
		sq->ring = ring;
		sq->depth = depth;
	}
	sq->device = d->id;
	sq->id = id;
	d->sqs[id] = sq;
	return sq;
}

drvError_t halSqCqAllocate(uint32_t devId, struct halSqCqInputInfo *in, struct halSqCqOutputInfo *out)
{
	struct device *d = hal_device(devId);
	drvError_t err = DRV_ERROR_NO_RESOURCES;
	struct sq *sq;

	if (!d || !in || !out || in->sqId >= SIM_SQ_COUNT)
		return DRV_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&hal_lock);
	if (d->sqs[in->sqId] && d->sqs[in->sqId]->used)
		goto out;
	sq = sq_new(d, in->sqId, in->sqeDepth ? in->sqeDepth : SIM_SQ_DEPTH);
	if (!sq)
		goto out;
	sq->used = true;
	sq->enabled = in->flag == 0;
	sq->stopped = sq->stop_on_failure = false;
	sq->model = 0;
	sq->stream_id = in->info[0];
	sq->state = SQ_IDLE;
	atomic_store(&sq->head, 0);
	sq->tail = 0;
	sq->cqe_head = sq->cqe_tail = 0;
	out->sqId = in->sqId;
	out->cqId = in->sqId;
	err = DRV_ERROR_NONE;
out:
	pthread_mutex_unlock(&hal_lock);
	return err;
}

drvError_t halSqCqFree(uint32_t devId, struct halSqCqFreeInfo *info)
{
	struct device *d = hal_device(devId);
	struct sq *sq;

	if (!d || !info)
		return DRV_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&hal_lock);
	sq = device_sq(d, info->sqId);
	while (sq && sq->state == SQ_BUSY) { /* its task uses the queue until it returns */
		pthread_mutex_unlock(&hal_lock);
		usleep(BUSY_NAP_US);
		pthread_mutex_lock(&hal_lock);
	}
	if (sq) {
		if (sq->model && sq->enabled)
			model_queue_ended(d, sq);
		if (sq->state == SQ_READY)
			list_remove(&d->ready, sq);
		wait_leave(sq);
		sq->state = SQ_IDLE;
		sq->used = false;
		sq->enabled = false;
		if (sq->deadline_ns)
			d->timed--;
		if (sq->polled)
			d->polled--;
		sq->deadline_ns = sq->since_ns = 0;
		sq->polled = sq->granted = sq->expired = sq->counted_fault = sq->delayed = false;
	}
	pthread_mutex_unlock(&hal_lock);
	return sq ? DRV_ERROR_NONE : DRV_ERROR_INVALID_VALUE;
}

static uint32_t sq_used(const struct sq *sq)
{
	uint32_t head = atomic_load_explicit(&sq->head, memory_order_relaxed);

	return sq->tail >= head ? sq->tail - head : sq->tail + sq->depth - head;
}

drvError_t halSqTaskSend(uint32_t devId, struct halTaskSendInfo *info)
{
	struct device *d = hal_device(devId);
	drvError_t err = DRV_ERROR_INVALID_VALUE;
	struct sq *sq;

	if (!d || !info || !info->sqe_addr || info->sqe_num == 0)
		return DRV_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&hal_lock);
	sq = device_sq(d, info->sqId);
	if (!sq)
		goto out;
	err = DRV_ERROR_NO_RESOURCES;
	if (sq_used(sq) + info->sqe_num > sq->depth - 1)
		goto out;
	info->pos = sq->tail;
	for (uint32_t i = 0; i < info->sqe_num; i++) {
		memcpy(&sq->ring[sq->tail], info->sqe_addr + i * sizeof(struct sim_sqe),
		       sizeof(struct sim_sqe));
		sq->tail = sq->tail + 1 == sq->depth ? 0 : sq->tail + 1;
	}
	if (sq->enabled && sq->state == SQ_IDLE)
		sq_make_ready(sq);
	err = DRV_ERROR_NONE;
out:
	pthread_mutex_unlock(&hal_lock);
	return err;
}

/* The older way in (fill a slot, then ring the bell) is not offered by this driver. */
drvError_t halSqMsgSend(uint32_t devId, struct halSqMsgInfo *info)
{
	return DRV_ERROR_NOT_SUPPORT;
}

drvError_t halSqMemGet(uint32_t devId, struct halSqMemGetInput *in, struct halSqMemGetOutput *out)
{
	return DRV_ERROR_NOT_SUPPORT;
}

drvError_t halSqCqQuery(uint32_t devId, struct halSqCqQueryInfo *info)
{
	struct device *d = hal_device(devId);
	drvError_t err = DRV_ERROR_NONE;
	struct sq *sq;

	if (!d || !info)
		return DRV_ERROR_INVALID_VALUE;
	/* polled by every synchronize: no lock */
	if (info->prop == DRV_SQCQ_PROP_SQ_HEAD) {
		sq = info->sqId < SIM_SQ_COUNT ? atomic_load(&d->sqs[info->sqId]) : NULL;
		if (!sq)
			return DRV_ERROR_INVALID_VALUE;
		info->value[0] = atomic_load_explicit(&sq->head, memory_order_acquire);
		return DRV_ERROR_NONE;
	}
	pthread_mutex_lock(&hal_lock);
	sq = device_sq(d, info->sqId);
	if (!sq) {
		err = DRV_ERROR_INVALID_VALUE;
	} else {
		switch (info->prop) {
		case DRV_SQCQ_PROP_SQ_TAIL:
			info->value[0] = sq->tail;
			break;
		case DRV_SQCQ_PROP_SQ_DEPTH:
			info->value[0] = sq->depth;
			break;
		case DRV_SQCQ_PROP_SQ_STATUS:
			info->value[0] = sq->stopped;
			break;
		default:
			err = DRV_ERROR_NOT_SUPPORT;
		}
	}
	pthread_mutex_unlock(&hal_lock);
	return err;
}

drvError_t halSqCqConfig(uint32_t devId, struct halSqCqConfigInfo *info)
{
	struct device *d = hal_device(devId);
	drvError_t err = DRV_ERROR_NONE;
	struct sq *sq;

	if (!d || !info)
		return DRV_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&hal_lock);
	sq = device_sq(d, info->sqId);
	if (!sq) {
		err = DRV_ERROR_INVALID_VALUE;
	} else if (info->prop == SIM_SQCQ_PROP_CALLBACK_DONE) {
		if (sq->state == SQ_BLOCKED && atomic_load(&sq->head) == info->value[0]) {
			sq->granted = true;
			sq_make_ready(sq);
		}
	} else if (info->prop == SIM_SQCQ_PROP_FAILURE_MODE) {
		sq->stop_on_failure = info->value[0] == 1;
	} else if (info->prop == SIM_SQCQ_PROP_MODEL) {
		sq->model = info->value[0] + 1;
		sq->enabled = false;
	} else {
		err = DRV_ERROR_NOT_SUPPORT;
	}
	pthread_mutex_unlock(&hal_lock);
	return err;
}
