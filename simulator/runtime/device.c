// SPDX-License-Identifier: Apache-2.0
/* Devices as the runtime counts them: visible ones, opening, SetDevice and its counterparts. */
#include <stdlib.h>
#include <string.h>
#include "simulator/runtime/runtime.h"

pthread_mutex_t rt_lock = PTHREAD_MUTEX_INITIALIZER;

enum { RESET_LIMIT_MS = 5000 };

static struct rt_device devices[SIM_MAX_DEVICES]; /* by the program's device id */
static uint32_t visible;
static pthread_once_t devices_once = PTHREAD_ONCE_INIT;

/* ASCEND_RT_VISIBLE_DEVICES: a list that ends at the first entry that is no device. */
static void devices_load(void)
{
	const char *text = getenv("ASCEND_RT_VISIBLE_DEVICES");
	uint32_t n = 0;

	drvGetDevNum(&n);
	for (uint32_t i = 0; !text && i < n; i++)
		devices[visible++].id = i;
	while (text && *text && visible < SIM_MAX_DEVICES) {
		char *end;
		unsigned long id = strtoul(text, &end, 10);

		if (end == text || id >= n)
			break;
		devices[visible++].id = (uint32_t)id;
		text = *end == ',' ? end + 1 : end;
	}
}

uint32_t device_count(void)
{
	pthread_once(&devices_once, devices_load);
	return visible;
}

struct rt_device *device_find(int32_t id)
{
	if (id < 0 || (uint32_t)id >= device_count())
		return NULL;
	return &devices[id];
}

int32_t device_user_id(const struct rt_device *d)
{
	return (int32_t)(d - devices);
}

static int bad_device(int32_t id)
{
	return fail(ACL_ERROR_RT_INVALID_DEVICEID, NULL, "Invalid device_id=%d, the valid range is [0, %u)",
		    id, device_count());
}

/* First use of a device: its threads, its feed, and the stream for the runtime's own tasks. */
int device_start(struct rt_device *d)
{
	int err = 0;
	uint32_t id;

	pthread_mutex_lock(&rt_lock);
	if (d->started)
		goto out;
	err = ACL_ERROR_RT_DEV_SETUP_ERROR;
	if (drvDeviceOpen(d->id) != DRV_ERROR_NONE)
		goto out;
	/* 0 is the primary context's default stream, 1 the runtime's own */
	while (d->reserved_ids < 2 && driver_id_alloc(d->id, DRV_STREAM_ID, &id) == 0)
		d->reserved_ids++;
	feed_start(d);
	recycle_start(d);
	d->started = true;
	err = 0;
out:
	pthread_mutex_unlock(&rt_lock);
	return err;
}

/*
 * The primary context, made at need; one thread at a time, for its default
 * stream has the one id 0. A reset on another thread may still hold that stream.
 */
static int primary_get(struct rt_device *d, struct context **out)
{
	static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
	struct wait w;
	int err = 0;

	wait_begin(&w, RESET_LIMIT_MS);
	pthread_mutex_lock(&making);
	for (;;) {
		pthread_mutex_lock(&rt_lock);
		*out = d->primary;
		pthread_mutex_unlock(&rt_lock);
		if (*out)
			break;
		err = context_new(d, true, out);
		if (err != ACL_ERROR_RT_NO_STREAM_RESOURCE || wait_over(&w))
			break;
		wait_turn(0);
	}
	pthread_mutex_unlock(&making);
	return err;
}

static int device_set(int32_t id)
{
	struct rt_device *d = device_find(id);
	struct context *c = NULL;
	int err;

	if (!d)
		return bad_device(id);
	err = device_start(d);
	if (err)
		return err;
	stream_control_task(d, true);
	err = primary_get(d, &c);
	if (err)
		return err;
	pthread_mutex_lock(&rt_lock);
	d->count++;
	pthread_mutex_unlock(&rt_lock);
	context_set(c);
	return 0;
}

rtError_t rtSetDevice(int32_t devId)
{
	return rt_done(device_set(devId), __func__);
}

static int device_reset(int32_t id, bool force)
{
	struct rt_device *d = device_find(id);
	struct context *c = NULL;
	int err;

	if (!d)
		return bad_device(id);
	pthread_mutex_lock(&rt_lock);
	if (d->count > 0) {
		d->count = force ? 0 : d->count - 1;
		c = d->primary;
	}
	if (c && d->count > 0) {
		pthread_mutex_unlock(&rt_lock);
		return 0;
	}
	pthread_mutex_unlock(&rt_lock);
	if (!c)
		return fail(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, NULL, "Device %d has not been set", id);
	err = context_delete(c);
	context_set(NULL);
	return err;
}

rtError_t rtDeviceReset(int32_t devId)
{
	return rt_done(device_reset(devId, false), __func__);
}

rtError_t rtDeviceResetForce(int32_t devId)
{
	return rt_done(device_reset(devId, true), __func__);
}

rtError_t rtGetDevice(int32_t *devId)
{
	struct context *c = NULL;
	int err = context_current(&c);

	if (!err)
		*devId = device_user_id(c->device);
	return rt_done(err, __func__);
}

rtError_t rtGetDeviceCount(int32_t *count)
{
	*count = (int32_t)device_count();
	return 0;
}

rtError_t rtDeviceStatusQuery(int32_t devId, int32_t *status)
{
	struct rt_device *d = device_find(devId);
	int lost = 0;

	if (!d)
		return rt_done(bad_device(devId), __func__);
	drvDeviceStatus(d->id, &lost);
	*status = lost ? ACL_RT_DEVICE_STATUS_ABNORMAL : ACL_RT_DEVICE_STATUS_NORMAL;
	return 0;
}

rtError_t rtGetPrimaryCtxState(int32_t devId, uint32_t *flags, int32_t *active)
{
	struct rt_device *d = device_find(devId);

	if (!d)
		return rt_done(bad_device(devId), __func__);
	pthread_mutex_lock(&rt_lock);
	*active = d->primary != NULL;
	pthread_mutex_unlock(&rt_lock);
	return 0;
}

rtError_t rtSetDeviceSatMode(int floatOverflowMode)
{
	struct context *c = NULL;
	int err = context_current(&c);

	if (!err && (floatOverflowMode < 0 || floatOverflowMode > ACL_RT_OVERFLOW_MODE_INFNAN))
		err = ACL_ERROR_RT_PARAM_INVALID;
	if (!err)
		c->device->sat_mode = (uint32_t)floatOverflowMode;
	return rt_done(err, __func__);
}

/* This chip computes with infinities and NaN, whatever has been asked for. */
rtError_t rtGetDeviceSatMode(int *floatOverflowMode)
{
	*floatOverflowMode = ACL_RT_OVERFLOW_MODE_INFNAN;
	return 0;
}

rtError_t rtSetTSDevice(uint32_t tsId)
{
	return 0;
}

rtError_t rtDeviceTaskAbort(int32_t devId, uint32_t timeout)
{
	if (!device_find(devId))
		return rt_done(bad_device(devId), __func__);
	return rt_done(fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, NULL,
			    "The task scheduler of this driver cannot abort tasks"),
		       __func__);
}

rtError_t rtEnableP2P(int32_t devId, uint32_t flags)
{
	return device_find(devId) ? 0 : rt_done(bad_device(devId), __func__);
}

rtError_t rtCheckContext(void)
{
	struct context *c = NULL;

	return rt_done(context_current(&c), __func__);
}
