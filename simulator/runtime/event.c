// SPDX-License-Identifier: Apache-2.0
/*
 * Events and their records. A record is one RecordEvent: it owns the event id
 * it was given (default and Ex events) until nobody needs the id any more.
 */
#include <stdlib.h>
#include "simulator/runtime/runtime.h"

struct pool event_pool = POOL(struct event);

int event_id_alloc(uint32_t device, int32_t *id)
{
	uint32_t n;

	if (driver_id_alloc(device, DRV_EVENT_ID, &n) != 0)
		return -1;
	*id = (int32_t)n;
	return 0;
}

void event_id_free(uint32_t device, int32_t id)
{
	if (id >= 0)
		driver_id_free(device, DRV_EVENT_ID, (uint32_t)id);
}

/* Whether streams can wait for it. */
bool event_waitable(const struct event *e)
{
	return e->kind == EVENT_KIND_PLAIN || (e->flags & (RT_EVENT_SYNC | RT_EVENT_EXTERNAL));
}

static bool owns_ids(const struct event *e)
{
	return e->id == NO_ID && event_waitable(e);
}

/* ---- records ---------------------------------------------------------------------- */

void record_get(struct record *r)
{
	atomic_fetch_add(&r->refs, 1);
}

void record_put(struct record *r)
{
	if (r && atomic_fetch_sub(&r->refs, 1) == 1)
		free(r);
}

void record_hold(struct record *r)
{
	atomic_fetch_add(&r->holders, 1);
}

void record_release_id(struct record *r)
{
	if (atomic_fetch_sub(&r->holders, 1) != 1 || !r->owns_id)
		return;
	event_id_free(r->device, atomic_exchange(&r->id, NO_ID));
}

/* With no id free the call waits for one. */
static int record_take_id(struct record *r)
{
	int32_t id;

	while (event_id_alloc(r->device, &id) != 0)
		wait_turn(0);
	atomic_store(&r->id, id);
	r->owns_id = true;
	return 0;
}

/*
 * One reference and one hold for the task that will make it. A default event
 * keeps the id of its latest record: that hold is taken here too, for the task
 * may have run before the record has become the latest.
 */
struct record *record_new(struct event *e, struct stream *s, int *err)
{
	struct record *r = calloc(1, sizeof(*r));

	*err = r ? 0 : ACL_ERROR_RT_MEMORY_ALLOCATION;
	if (!r)
		return NULL;
	atomic_store(&r->refs, 1);
	atomic_store(&r->holders, e->kind == EVENT_KIND_PLAIN ? 2 : 1);
	r->stream = s;
	r->device = s->context->device->id;
	atomic_store(&r->id, e->id);
	if (e->id != NO_ID)
		r->device = e->device;
	else if (owns_ids(e))
		*err = record_take_id(r);
	return r;
}

/* ---- the event's own state --------------------------------------------------------------- */

/* The latest record, referenced, or NULL. */
struct record *event_latest(struct event *e)
{
	struct record *r = NULL;

	pthread_mutex_lock(&e->lock);
	r = e->latest;
	if (r)
		record_get(r);
	pthread_mutex_unlock(&e->lock);
	return r;
}

static void drop_latest(struct event *e, struct record *r)
{
	if (!r)
		return;
	/* a default event keeps the id of its latest record */
	if (e->kind == EVENT_KIND_PLAIN && !r->hidden)
		record_release_id(r);
	record_put(r);
}

/* Takes a reference of its own. */
void event_set_latest(struct event *e, struct record *r)
{
	struct record *old = NULL;

	record_get(r);
	pthread_mutex_lock(&e->lock);
	old = e->latest;
	e->latest = r;
	e->captured = r->hidden != NULL;
	pthread_mutex_unlock(&e->lock);
	drop_latest(e, old);
}

static void event_free(struct event *e)
{
	drop_latest(e, e->latest);
	e->latest = NULL;
	event_id_free(e->device, e->id);
	e->id = NO_ID;
	pool_put(&event_pool, e);
}

void event_begin(struct event *e, bool waits)
{
	atomic_fetch_add(&e->pending, 1);
	if (waits)
		atomic_fetch_add(&e->waits, 1);
}

/* The last pending task of a destroyed event frees it. */
void event_end(struct event *e, bool waits)
{
	bool last;

	if (waits)
		atomic_fetch_sub(&e->waits, 1);
	pthread_mutex_lock(&e->lock);
	last = atomic_fetch_sub(&e->pending, 1) == 1 && e->destroyed;
	pthread_mutex_unlock(&e->lock);
	if (last)
		event_free(e);
}

/* ---- making and destroying ------------------------------------------------------------------ */

static int event_new(int kind, uint32_t flags, void **out)
{
	struct context *c = NULL;
	struct event *e = NULL;
	int err = context_current(&c);

	if (err)
		return err;
	e = pool_get(&event_pool);
	if (!e)
		return ACL_ERROR_RT_MEMORY_ALLOCATION;
	if (!e->lock_ready)
		pthread_mutex_init(&e->lock, NULL);
	e->lock_ready = true;
	e->kind = kind;
	e->flags = flags;
	e->device = c->device->id;
	e->id = NO_ID;
	e->latest = NULL;
	e->destroyed = e->captured = false;
	atomic_store(&e->pending, 0);
	atomic_store(&e->waits, 0);
	if (kind == EVENT_KIND_FLAG && event_waitable(e) && event_id_alloc(e->device, &e->id) != 0) {
		pool_put(&event_pool, e);
		return fail(ACL_ERROR_RT_NO_EVENT_RESOURCE, NULL, "Resource exhausted: no event id is left");
	}
	atomic_store(&e->object.alive, 1);
	*out = e;
	return 0;
}

rtError_t rtEventCreate(rtEvent_t *evt)
{
	return rt_done(event_new(EVENT_KIND_PLAIN, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE, evt), __func__);
}

static int bad_flags(uint32_t flags)
{
	return fail(ACL_ERROR_RT_PARAM_INVALID, NULL, "Invalid event flag=%#x", flags);
}

static bool is_mix(uint32_t flags)
{
	return flags != 0 && (flags & ~0xfu) == 0;
}

rtError_t rtEventCreateWithFlag(rtEvent_t *evt, uint32_t flag)
{
	struct context *c = NULL;
	int err = context_current(&c);

	if (!err && flag == ACL_EVENT_DEVICE_USE_ONLY)
		err = fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, NULL,
			   "Events for the device only are not supported");
	else if (!err && !is_mix(flag) && flag != ACL_EVENT_EXTERNAL)
		err = bad_flags(flag);
	return rt_done(err ? err : event_new(EVENT_KIND_FLAG, flag, evt), __func__);
}

rtError_t rtEventCreateExWithFlag(rtEvent_t *evt, uint32_t flag)
{
	struct context *c = NULL;
	int err = context_current(&c);

	/* sharing needs a newer task scheduler; the refusal leaves no text */
	if (!err && flag == ACL_EVENT_IPC)
		return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
	if (!err && !is_mix(flag))
		err = bad_flags(flag);
	return rt_done(err ? err : event_new(EVENT_KIND_EX, flag, evt), __func__);
}

rtError_t rtEventDestroy(rtEvent_t evt)
{
	struct event *e = evt;
	uint32_t alive = 1;
	struct record *r = NULL;
	bool idle;

	if (!pool_valid(&event_pool, e) || !atomic_compare_exchange_strong(&e->object.alive, &alive, 0))
		return rt_done(fail(ACL_ERROR_RT_INVALID_HANDLE, NULL, "event is not a valid handle"),
			       __func__);
	/* what has run but was not noticed must not keep the handle */
	r = event_latest(e);
	if (r && !r->hidden && !atomic_load(&r->done))
		stream_reclaim(r->stream);
	record_put(r);
	pthread_mutex_lock(&e->lock);
	e->destroyed = true;
	idle = atomic_load(&e->pending) == 0;
	pthread_mutex_unlock(&e->lock);
	if (idle)
		event_free(e);
	return 0;
}
