// SPDX-License-Identifier: Apache-2.0
/* Contexts: the one current on each thread, creating, destroying, synchronizing. */
#include <stdlib.h>
#include "simulator/runtime/runtime.h"

struct pool context_pool = POOL(struct context);

static _Thread_local struct context *current;
static _Thread_local uint32_t current_generation;

void context_set(struct context *c)
{
	current = c;
	current_generation = c ? atomic_load(&c->object.generation) : 0;
}

static bool current_is_alive(void)
{
	return current && pool_valid(&context_pool, current) &&
	       atomic_load(&current->object.generation) == current_generation;
}

int context_current(struct context **out)
{
	if (!current_is_alive())
		return fail(ACL_ERROR_RT_CONTEXT_NULL, NULL,
			    "ctx is NULL: the thread has no current context");
	*out = current;
	return 0;
}

int context_new(struct rt_device *d, bool primary, struct context **out)
{
	struct context *c = pool_get(&context_pool);
	int err;

	if (!c)
		return ACL_ERROR_RT_MEMORY_ALLOCATION;
	c->device = d;
	c->primary = primary;
	c->streams = NULL;
	c->default_stream = NULL;
	atomic_store(&c->captures, 0);
	atomic_store(&c->error, 0);
	err = stream_new(c, 0, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC, &c->default_stream);
	if (err) {
		pool_put(&context_pool, c);
		return err;
	}
	pthread_mutex_lock(&rt_lock);
	if (primary && d->primary) { /* another thread was first */
		struct context *first = d->primary;

		pthread_mutex_unlock(&rt_lock);
		stream_close(c->default_stream);
		pool_put(&context_pool, c);
		*out = first;
		return 0;
	}
	if (primary)
		d->primary = c;
	c->next = d->contexts;
	d->contexts = c;
	atomic_store(&c->object.alive, 1);
	pthread_mutex_unlock(&rt_lock);
	*out = c;
	return 0;
}

static struct stream *any_stream(struct context *c)
{
	struct stream *s = NULL;

	pthread_mutex_lock(&rt_lock);
	s = c->streams;
	pthread_mutex_unlock(&rt_lock);
	return s;
}

static bool any_busy(struct context *c)
{
	bool busy = false;

	pthread_mutex_lock(&rt_lock);
	for (struct stream *s = c->streams; s && !busy; s = s->next) {
		stream_reclaim(s);
		busy = stream_busy(s);
	}
	pthread_mutex_unlock(&rt_lock);
	return busy;
}

static void context_unlink(struct context *c)
{
	struct context **at = &c->device->contexts;

	pthread_mutex_lock(&rt_lock);
	if (c->device->primary == c)
		c->device->primary = NULL;
	while (*at && *at != c)
		at = &(*at)->next;
	if (*at)
		*at = c->next;
	pthread_mutex_unlock(&rt_lock);
}

/* Waits for the work of its streams, then ends them and the context. */
int context_delete(struct context *c)
{
	uint32_t generation = atomic_load(&c->object.generation);
	struct stream *s = NULL;
	uint32_t alive = 1;

	while (any_busy(c))
		wait_turn(0);
	if (atomic_load(&c->object.generation) != generation ||
	    !atomic_compare_exchange_strong(&c->object.alive, &alive, 0))
		return 0; /* another thread did it meanwhile */
	context_unlink(c);
	while ((s = any_stream(c)))
		stream_close(s);
	pool_put(&context_pool, c);
	return 0;
}

rtError_t rtCtxCreate(rtContext_t *ctx, uint32_t flags, int32_t devId)
{
	struct rt_device *d = device_find(devId);
	struct context *c = NULL;
	int err;

	if (!d)
		return rt_done(fail(ACL_ERROR_RT_INVALID_DEVICEID, NULL, "Invalid device_id=%d", devId),
			       __func__);
	err = device_start(d);
	if (!err) {
		stream_control_task(d, true);
		err = context_new(d, false, &c);
	}
	if (!err) {
		context_set(c);
		*ctx = c;
	}
	return rt_done(err, __func__);
}

rtError_t rtCtxDestroy(rtContext_t ctx)
{
	struct context *c = ctx;
	bool own;

	if (!pool_valid(&context_pool, c) || c->primary)
		return rt_done(fail(ACL_ERROR_RT_CONTEXT_NULL, NULL, "ctx is not a created context"),
			       __func__);
	own = c == current;
	context_delete(c);
	if (own)
		context_set(NULL);
	return 0;
}

rtError_t rtCtxSetCurrent(rtContext_t ctx)
{
	if (!pool_valid(&context_pool, ctx))
		return rt_done(fail(ACL_ERROR_RT_PARAM_INVALID, NULL, "ctx is not a context"), __func__);
	context_set(ctx);
	return 0;
}

rtError_t rtCtxGetCurrent(rtContext_t *ctx)
{
	struct context *c = NULL;
	int err;

	/* up to 9.1 a context destroyed by another thread is still handed out */
	if (current && !version_is_master()) {
		*ctx = current;
		return 0;
	}
	err = context_current(&c);
	if (!err)
		*ctx = c;
	return rt_done(err, __func__);
}

rtError_t rtCtxGetCurrentDefaultStream(rtStream_t *stm)
{
	struct context *c = NULL;
	int err = context_current(&c);

	if (!err)
		*stm = c->default_stream;
	return rt_done(err, __func__);
}

/* ---- synchronize ------------------------------------------------------------------ */

struct mark { /* how far a stream had been filled when the call was entered */
	struct stream *stream;
	uint32_t generation;
	uint64_t submitted;
};

static struct mark *context_marks(struct context *c, size_t *count)
{
	struct mark *marks;
	size_t n = 0;

	pthread_mutex_lock(&rt_lock);
	for (struct stream *s = c->streams; s; s = s->next)
		n++;
	marks = calloc(n ? n : 1, sizeof(*marks));
	n = 0;
	for (struct stream *s = marks ? c->streams : NULL; s; s = s->next)
		marks[n++] = (struct mark){ s, atomic_load(&s->object.generation),
					    atomic_load(&s->submitted) };
	pthread_mutex_unlock(&rt_lock);
	*count = n;
	return marks;
}

static bool mark_reached(const struct mark *m)
{
	if (atomic_load(&m->stream->object.generation) != m->generation)
		return true; /* destroyed, so finished */
	stream_reclaim(m->stream);
	return (int64_t)(atomic_load(&m->stream->finished) - m->submitted) >= 0;
}

static int context_take_error(struct context *c)
{
	int err = 0;

	pthread_mutex_lock(&rt_lock);
	for (struct stream *s = c->streams; s && !err; s = s->next)
		err = stream_take_error(s);
	pthread_mutex_unlock(&rt_lock);
	return err;
}

int context_synchronize(int32_t ms)
{
	struct mark *marks;
	struct context *c = NULL;
	struct wait w;
	size_t count, at = 0;
	int err = context_current(&c);

	if (err)
		return err;
	if (atomic_load(&c->captures) > 0)
		return fail(ACL_ERROR_RT_STREAM_CAPTURED, NULL, "A stream of the context is being captured");
	marks = context_marks(c, &count);
	if (!marks)
		return ACL_ERROR_RT_MEMORY_ALLOCATION;
	wait_begin(&w, ms);
	while (at < count) {
		if (mark_reached(&marks[at])) {
			at++;
			continue;
		}
		if (atomic_load(&c->device->lost)) {
			err = fail(ACL_ERROR_RT_LOST_HEARTBEAT, NULL, "Device lost heartbeat, device_id=%d",
				   device_user_id(c->device));
			break;
		}
		if (wait_over(&w)) {
			err = fail(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, NULL,
				   "Device synchronize timeout, device_id=%d, stream_id=%u, timeout=%dms",
				   device_user_id(c->device), marks[at].stream->id, ms);
			break;
		}
		wait_turn(atomic_load(&marks[at].stream->submitted) -
			  atomic_load(&marks[at].stream->finished));
	}
	free(marks);
	if (!err)
		err = context_take_error(c);
	if (err)
		failures_wait();
	return err;
}

rtError_t rtDeviceSynchronize(void)
{
	return rt_done(context_synchronize(-1), __func__);
}

rtError_t rtDeviceSynchronizeWithTimeout(int32_t timeout)
{
	if (timeout == 0 || timeout < -1)
		return rt_done(fail(ACL_ERROR_RT_PARAM_INVALID, NULL,
				    "Invalid timeout=%d, must be -1 or above 0", timeout),
			       __func__);
	return rt_done(context_synchronize(timeout), __func__);
}
