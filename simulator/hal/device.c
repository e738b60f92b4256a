// SPDX-License-Identifier: Apache-2.0
/* Devices: how many there are, opening them, ids and their pools. */
#include <stdlib.h>
#include <string.h>
#include "simulator/hal/device.h"

pthread_mutex_t hal_lock = PTHREAD_MUTEX_INITIALIZER;
struct device hal_devices[SIM_MAX_DEVICES];
static pthread_once_t hal_once = PTHREAD_ONCE_INIT;
static uint32_t device_count = 2;

static void pool_init(struct id_pool *pool, uint32_t base, uint32_t count)
{
	pool->base = base;
	pool->count = count;
	pool->bits = calloc((count + 63) / 64, sizeof(*pool->bits));
	if (!pool->bits)
		pool->count = 0;
}

static void device_init(struct device *d, uint32_t id)
{
	pthread_condattr_t attr;

	d->id = id;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&d->change, &attr);
	pthread_condattr_destroy(&attr);
	pool_init(&d->ids[DRV_STREAM_ID], 0, fault_limit("streams", SIM_STREAMS));
	pool_init(&d->ids[DRV_EVENT_ID], 0, fault_limit("events", SIM_EVENTS));
	pool_init(&d->ids[DRV_MODEL_ID], 0, SIM_MODELS);
	pool_init(&d->ids[DRV_NOTIFY_ID], 0, fault_limit("notifies", SIM_NOTIFIES));
	pool_init(&d->ids[DRV_CPU_STREAM_ID], SIM_CPU_STREAM_BASE, SIM_CPU_STREAMS);
	d->events = calloc(SIM_EVENTS, sizeof(*d->events));
	d->notifies = calloc(SIM_NOTIFIES, sizeof(*d->notifies));
	d->models = calloc(SIM_MODELS, sizeof(*d->models));
	memory_open(d);
}

static void hal_init(void)
{
	const char *text = getenv("CANNSIM_DEVICES");
	long n = text ? strtol(text, NULL, 10) : 0;

	if (n > 0 && n <= SIM_MAX_DEVICES)
		device_count = (uint32_t)n;
	fault_load();
	for (uint32_t i = 0; i < device_count; i++)
		device_init(&hal_devices[i], i);
}

struct device *hal_device(uint32_t id)
{
	pthread_once(&hal_once, hal_init);
	return id < device_count ? &hal_devices[id] : NULL;
}

struct sq *device_sq(struct device *d, uint32_t sq_id)
{
	struct sq *sq = sq_id < SIM_SQ_COUNT ? d->sqs[sq_id] : NULL;

	return sq && sq->used ? sq : NULL;
}

void device_wake(struct device *d)
{
	if (d->idle)
		pthread_cond_signal(&d->change);
}

drvError_t drvGetDevNum(uint32_t *count)
{
	hal_device(0);
	*count = device_count;
	return DRV_ERROR_NONE;
}

drvError_t drvDeviceStatus(uint32_t devId, int *lost)
{
	struct device *d = hal_device(devId);

	if (!d)
		return DRV_ERROR_INVALID_DEVICE;
	pthread_mutex_lock(&hal_lock);
	*lost = d->lost;
	pthread_mutex_unlock(&hal_lock);
	return DRV_ERROR_NONE;
}

drvError_t drvDeviceOpen(uint32_t devId)
{
	struct device *d = hal_device(devId);
	pthread_attr_t attr;
	uint32_t after_ms;
	int err = 0;

	if (!d || !d->events || !d->notifies || !d->models)
		return DRV_ERROR_INVALID_DEVICE;
	pthread_mutex_lock(&hal_lock);
	if (!d->open) {
		if (fault_device_dead(d->id, &after_ms)) {
			d->lost = after_ms == 0;
			d->lost_at_ns = hal_now_ns() + after_ms * 1000000ull;
		}
		pthread_attr_init(&attr);
		pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
		err = pthread_create(&d->thread, &attr, device_main, d);
		pthread_attr_destroy(&attr);
		d->open = err == 0;
	}
	pthread_mutex_unlock(&hal_lock);
	return err ? DRV_ERROR_NO_RESOURCES : DRV_ERROR_NONE;
}

/* ---- ids -------------------------------------------------------------------- */

static int pool_take(struct id_pool *pool, uint32_t *id)
{
	for (uint32_t word = pool->lowest / 64; word < (pool->count + 63) / 64; word++) {
		uint32_t bit;

		if (~pool->bits[word] == 0)
			continue;
		bit = (uint32_t)__builtin_ctzll(~pool->bits[word]);
		if (word * 64 + bit >= pool->count)
			break;
		pool->bits[word] |= 1ull << bit;
		pool->lowest = word * 64 + bit;
		*id = pool->base + pool->lowest;
		return 0;
	}
	return DRV_ERROR_NO_RESOURCES;
}

static void pool_put(struct id_pool *pool, uint32_t id)
{
	if (id < pool->base || id - pool->base >= pool->count)
		return;
	id -= pool->base;
	pool->bits[id / 64] &= ~(1ull << (id % 64));
	if (id < pool->lowest)
		pool->lowest = id;
}

drvError_t halResourceIdAlloc(uint32_t devId, struct halResourceIdInputInfo *in,
			      struct halResourceIdOutputInfo *out)
{
	struct device *d = hal_device(devId);
	int err;

	if (!d || !in || !out || in->type < 0 || in->type > DRV_CPU_STREAM_ID)
		return DRV_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&hal_lock);
	err = pool_take(&d->ids[in->type], &out->resourceId);
	/*
	 * Waiters stay: a wait on a destroyed notify is released by the record
	 * of the notify that got its id.
	 */
	if (!err && in->type == DRV_EVENT_ID)
		d->events[out->resourceId].set = false;
	if (!err && in->type == DRV_NOTIFY_ID) {
		share_end(&d->notifies[out->resourceId]);
		d->notifies[out->resourceId].set = false;
	}
	if (!err && in->type == DRV_MODEL_ID)
		d->models[out->resourceId].event_count = 0;
	pthread_mutex_unlock(&hal_lock);
	return err;
}

drvError_t halResourceIdFree(uint32_t devId, struct halResourceIdInputInfo *in)
{
	struct device *d = hal_device(devId);

	if (!d || !in || in->type < 0 || in->type > DRV_CPU_STREAM_ID)
		return DRV_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&hal_lock);
	pool_put(&d->ids[in->type], in->resourceId);
	pthread_mutex_unlock(&hal_lock);
	return DRV_ERROR_NONE;
}

/* For a model: value[0] is an event id to clear at each start. */
drvError_t halResourceConfig(uint32_t devId, struct halResourceIdInputInfo *in,
			     struct halResourceConfigInfo *para)
{
	struct device *d = hal_device(devId);
	uint32_t *more = NULL;
	struct model *m;

	if (!d || !in || !para || in->type != DRV_MODEL_ID || in->resourceId >= SIM_MODELS)
		return DRV_ERROR_NOT_SUPPORT;
	pthread_mutex_lock(&hal_lock);
	m = &d->models[in->resourceId];
	more = realloc(m->events, (m->event_count + 1) * sizeof(*more));
	if (more) {
		m->events = more;
		m->events[m->event_count++] = para->value[0];
	}
	pthread_mutex_unlock(&hal_lock);
	return more ? DRV_ERROR_NONE : DRV_ERROR_OUT_OF_MEMORY;
}
