// SPDX-License-Identifier: Apache-2.0
/*
 * Captured graphs. While a stream is captured its tasks go to a hidden stream
 * as templates; the end of the capture loads them into queues of their own,
 * which only run when an execution starts them. An event wait draws further
 * streams in, each with a hidden stream of its own.
 *
 * capture_lock guards graphs and hidden streams; it comes after rt_lock and
 * before an event's lock, and is never held together with a stream's.
 */
#include <stdlib.h>
#include <string.h>
#include "simulator/runtime/runtime.h"

enum graph_state { GRAPH_OPEN, GRAPH_READY, GRAPH_BUILDING };

struct hidden { /* one hidden stream */
	struct graph *graph;
	struct hidden *next;
	struct stream *origin; /* the program's stream while the capture is open */
	uint32_t stream_id;
	bool queue;  /* the device has a queue for it */
	bool joined; /* somebody waits for its last task */
	uint64_t next_task;
	size_t count, room;
	struct sim_sqe *sqes;
	void **memories; /* freed with the graph */
};

struct graph {
	struct object object;
	enum graph_state state;
	struct graph *next_open;
	struct context *context;
	struct hidden *hidden; /* the first is the origin's */
	int mode;
	pthread_t owner;
	uint32_t model;
	uint32_t notify;
	bool has_notify;
	int32_t *events; /* ids of captured Ex records */
	size_t event_count;
	struct event_ref *refs; /* captured events */
};

struct event_ref {
	struct event_ref *next;
	struct event *event;
	struct record *record;
};

struct pool graph_pool = POOL(struct graph);

static pthread_mutex_t capture_lock = PTHREAD_MUTEX_INITIALIZER;
static struct graph *open_graphs;
static _Thread_local int thread_mode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;

/* ---- templates --------------------------------------------------------------------- */

static struct hidden *hidden_new(struct graph *g, struct stream *s)
{
	struct hidden *h = calloc(1, sizeof(*h));
	struct hidden **at = &g->hidden;

	if (!h)
		return NULL;
	if (driver_id_alloc(g->context->device->id, DRV_STREAM_ID, &h->stream_id) != 0) {
		free(h);
		return NULL;
	}
	h->graph = g;
	h->origin = s;
	while (*at)
		at = &(*at)->next;
	*at = h;
	atomic_fetch_add(&s->context->captures, 1);
	atomic_store(&s->hidden, h);
	return h;
}

static int hidden_grow(struct hidden *h)
{
	size_t room = h->room ? h->room * 2 : 64;
	struct sim_sqe *sqes;
	void **memories;

	if (h->count < h->room)
		return 0;
	if (room > UINT16_MAX)
		return fail(ACL_ERROR_RT_STREAM_TASK_FULL, NULL, "The graph has too many tasks");
	sqes = realloc(h->sqes, room * sizeof(*sqes));
	if (!sqes)
		return ACL_ERROR_RT_MEMORY_ALLOCATION;
	h->sqes = sqes;
	memories = realloc(h->memories, room * sizeof(*memories));
	if (!memories)
		return ACL_ERROR_RT_MEMORY_ALLOCATION;
	h->memories = memories;
	h->room = room;
	return 0;
}

static int hidden_add(struct hidden *h, struct sim_sqe *sqe, void *memory)
{
	int err = hidden_grow(h);

	if (err)
		return err;
	if ((h->next_task & 0xffff) == 0xffff)
		h->next_task++;
	sqe->stream_id = (uint16_t)h->stream_id;
	sqe->task_id = (uint16_t)h->next_task;
	h->sqes[h->count] = *sqe;
	h->memories[h->count++] = memory;
	h->joined = false;
	last_task_set((uint32_t)h->next_task++);
	return 0;
}

int capture_submit(struct stream *s, struct hidden *h, struct sim_sqe *sqe, struct task *task, int flags)
{
	void *memory = task->memory ? task->memory : task->callback;
	int err = ACL_ERROR_RT_STREAM_NOT_CAPTURED;

	pthread_mutex_lock(&capture_lock);
	if (atomic_load(&s->hidden) == h) {
		if (task->callback)
			task->callback->kept = true;
		err = hidden_add(h, sqe, memory);
	}
	pthread_mutex_unlock(&capture_lock);
	return err;
}

/* ---- events in a capture ---------------------------------------------------------------- */

static int not_in_capture(const char *what)
{
	return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, NULL, "The event cannot be %s in a capture", what);
}

static bool is_external(const struct event *e)
{
	return e->kind == EVENT_KIND_FLAG && (e->flags & RT_EVENT_EXTERNAL);
}

static int add_fixed(struct stream *s, struct event *e, struct sim_sqe *sqe)
{
	struct hidden *h = atomic_load(&s->hidden);
	struct task task = { 0 };

	sqe->object_id = (uint32_t)e->id;
	sqe->object_device = e->device;
	return h ? capture_submit(s, h, sqe, &task, 0) : ACL_ERROR_RT_STREAM_NOT_CAPTURED;
}

static int graph_keep_id(struct graph *g, int32_t id)
{
	int32_t *more = realloc(g->events, (g->event_count + 1) * sizeof(*more));

	if (!more)
		return ACL_ERROR_RT_MEMORY_ALLOCATION;
	g->events = more;
	g->events[g->event_count++] = id;
	return 0;
}

static int graph_keep_event(struct graph *g, struct event *e, struct record *r)
{
	struct event_ref *ref = calloc(1, sizeof(*ref));

	if (!ref)
		return ACL_ERROR_RT_MEMORY_ALLOCATION;
	event_begin(e, false);
	record_get(r);
	*ref = (struct event_ref){ g->refs, e, r };
	g->refs = ref;
	return 0;
}

/* An Ex record: gets an id that stays with the graph. With capture_lock held. */
static int record_ex(struct hidden *h, struct event *e)
{
	struct sim_sqe sqe = { .type = SQE_PLACEHOLDER };
	uint32_t device = h->graph->context->device->id;
	struct record *r = calloc(1, sizeof(*r));
	int32_t id = NO_ID;
	int err = r ? 0 : ACL_ERROR_RT_MEMORY_ALLOCATION;

	if (!err && event_waitable(e)) {
		if (event_id_alloc(device, &id) != 0)
			err = fail(ACL_ERROR_RT_NO_EVENT_RESOURCE, NULL,
				   "Resource exhausted: no event id is left");
		else
			err = graph_keep_id(h->graph, id);
		sqe.type = SQE_EVENT_RECORD;
		sqe.object_id = (uint32_t)id;
		sqe.object_device = device;
	}
	if (!err)
		err = hidden_add(h, &sqe, NULL);
	if (err) {
		free(r);
		return err;
	}
	atomic_store(&r->refs, 1);
	atomic_store(&r->id, id);
	r->device = device;
	r->graph = h->graph;
	r->hidden = h;
	r->hidden_pos = h->count - 1;
	err = graph_keep_event(h->graph, e, r);
	if (!err)
		event_set_latest(e, r);
	record_put(r);
	return err;
}

int capture_event_record(struct stream *s, struct event *e)
{
	struct sim_sqe sqe = { .type = SQE_EVENT_RECORD };
	struct hidden *h;
	int err = ACL_ERROR_RT_STREAM_NOT_CAPTURED;

	if (is_external(e))
		return add_fixed(s, e, &sqe);
	if (e->kind != EVENT_KIND_EX)
		return not_in_capture("recorded");
	pthread_mutex_lock(&capture_lock);
	h = atomic_load(&s->hidden);
	if (h)
		err = record_ex(h, e);
	pthread_mutex_unlock(&capture_lock);
	return err;
}

int capture_event_reset(struct stream *s, struct event *e)
{
	struct sim_sqe sqe = { .type = SQE_WRITE_VALUE, .kind = KIND_EVENT_RESET };

	return is_external(e) ? add_fixed(s, e, &sqe) : not_in_capture("reset");
}

/* With capture_lock held: a wait of one stream of the graph for a record in it. */
static int wait_inside(struct hidden *h, const struct record *r, uint32_t timeout)
{
	struct sim_sqe sqe = {
		.type = SQE_EVENT_WAIT,
		.object_id = (uint32_t)atomic_load(&r->id),
		.object_device = r->device,
		.timeout_s = timeout,
	};
	int err;

	if (r->hidden == h)
		return 0;
	err = hidden_add(h, &sqe, NULL);
	if (!err && r->hidden_pos + 1 == r->hidden->count)
		r->hidden->joined = true;
	return err;
}

static int wait_ex(struct stream *s, struct event *e, uint32_t timeout)
{
	struct record *r = event_latest(e);
	struct hidden *h;
	int err = ACL_ERROR_RT_STREAM_NOT_CAPTURED;

	if (!r)
		return 0;
	pthread_mutex_lock(&capture_lock);
	h = atomic_load(&s->hidden);
	if (h && e->captured && r->graph == h->graph)
		err = wait_inside(h, r, timeout);
	else if (h)
		err = fail(ACL_ERROR_RT_CAPTURE_DEPENDENCY, NULL,
			   "The event was recorded outside of the capture");
	pthread_mutex_unlock(&capture_lock);
	record_put(r);
	return err;
}

int capture_event_wait(struct stream *s, struct event *e, uint32_t timeout)
{
	struct sim_sqe sqe = { .type = SQE_EVENT_WAIT, .timeout_s = timeout };

	if (is_external(e))
		return add_fixed(s, e, &sqe);
	if (e->kind != EVENT_KIND_EX || !event_waitable(e))
		return not_in_capture("waited for");
	return wait_ex(s, e, timeout);
}

int capture_draw_in(struct stream *s, struct event *e, uint32_t timeout)
{
	struct record *r = event_latest(e);
	struct hidden *h = NULL;
	int err = 0;

	pthread_mutex_lock(&capture_lock);
	/* the capture may have ended meanwhile: then the wait is a no-op */
	if (r && r->hidden && e->captured) {
		h = atomic_load(&s->hidden);
		if (!h)
			h = hidden_new(r->graph, s);
		err = h ? wait_inside(h, r, timeout) : ACL_ERROR_RT_NO_STREAM_RESOURCE;
	}
	pthread_mutex_unlock(&capture_lock);
	record_put(r);
	return err;
}

/* ---- begin and end ------------------------------------------------------------------------ */

bool capture_forbids_unsafe(void)
{
	bool forbidden = false;

	if (thread_mode == ACL_MODEL_RI_CAPTURE_MODE_RELAXED)
		return false;
	pthread_mutex_lock(&capture_lock);
	for (struct graph *g = open_graphs; g && !forbidden; g = g->next_open) {
		bool own = pthread_equal(g->owner, pthread_self());

		if (g->mode == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL)
			forbidden = own || thread_mode == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
		else if (g->mode == ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL)
			forbidden = own;
	}
	pthread_mutex_unlock(&capture_lock);
	return forbidden;
}

static int graph_new(struct context *c, enum graph_state state, struct graph **out)
{
	struct graph *g = pool_get(&graph_pool);

	if (!g)
		return ACL_ERROR_RT_MEMORY_ALLOCATION;
	if (driver_id_alloc(c->device->id, DRV_MODEL_ID, &g->model) != 0) {
		pool_put(&graph_pool, g);
		return fail(ACL_ERROR_RT_NO_MODEL_RESOURCE, NULL, "Resource exhausted: no model id is left");
	}
	g->state = state;
	g->next_open = NULL;
	g->context = c;
	g->hidden = NULL;
	g->has_notify = false;
	g->events = NULL;
	g->event_count = 0;
	g->refs = NULL;
	g->owner = pthread_self();
	atomic_store(&g->object.alive, 1);
	*out = g;
	return 0;
}

/* The program's streams are its own again, and captured events become ordinary. */
static void graph_close(struct graph *g)
{
	struct graph **at = &open_graphs;

	while (*at && *at != g)
		at = &(*at)->next_open;
	if (*at)
		*at = g->next_open;
	for (struct hidden *h = g->hidden; h; h = h->next) {
		if (!h->origin)
			continue;
		atomic_store(&h->origin->hidden, NULL);
		atomic_fetch_sub(&h->origin->context->captures, 1);
		h->origin = NULL;
	}
	while (g->refs) {
		struct event_ref *ref = g->refs;

		g->refs = ref->next;
		atomic_store(&ref->record->done, true);
		pthread_mutex_lock(&ref->event->lock);
		if (ref->event->latest == ref->record)
			ref->event->captured = false;
		pthread_mutex_unlock(&ref->event->lock);
		record_put(ref->record);
		event_end(ref->event, false);
		free(ref);
	}
}

static void hidden_free(struct graph *g, struct hidden *h)
{
	struct halSqCqFreeInfo info = { .sqId = h->stream_id + 1, .cqId = h->stream_id + 1 };

	if (h->queue)
		halSqCqFree(g->context->device->id, &info);
	driver_id_free(g->context->device->id, DRV_STREAM_ID, h->stream_id);
	for (size_t i = 0; i < h->count; i++)
		free(h->memories[i]);
	free(h->sqes);
	free(h->memories);
	free(h);
}

static void graph_free(struct graph *g)
{
	uint32_t device = g->context->device->id;

	while (g->hidden) {
		struct hidden *h = g->hidden;

		g->hidden = h->next;
		hidden_free(g, h);
	}
	for (size_t i = 0; i < g->event_count; i++)
		event_id_free(device, g->events[i]);
	free(g->events);
	g->events = NULL;
	if (g->has_notify)
		driver_id_free(device, DRV_NOTIFY_ID, g->notify);
	driver_id_free(device, DRV_MODEL_ID, g->model);
	pool_put(&graph_pool, g);
}

static int capture_begin(struct stream *s, int mode)
{
	struct graph *g = NULL;
	int err;

	if (mode < 0 || mode > ACL_MODEL_RI_CAPTURE_MODE_RELAXED)
		return fail(ACL_ERROR_RT_PARAM_INVALID, NULL, "Invalid capture mode %d", mode);
	if (s == s->context->default_stream)
		return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, NULL, "The default stream cannot be captured");
	pthread_mutex_lock(&capture_lock);
	if (atomic_load(&s->hidden)) {
		err = fail(ACL_ERROR_RT_STREAM_CAPTURED, NULL, "The stream is being captured, stream_id=%u",
			   s->id);
		goto out;
	}
	err = graph_new(s->context, GRAPH_OPEN, &g);
	if (err)
		goto out;
	g->mode = mode;
	if (!hidden_new(g, s)) {
		graph_free(g);
		err = ACL_ERROR_RT_NO_STREAM_RESOURCE;
		goto out;
	}
	g->next_open = open_graphs;
	open_graphs = g;
out:
	pthread_mutex_unlock(&capture_lock);
	return err;
}

rtError_t rtStreamBeginCapture(rtStream_t stm, const rtStreamCaptureMode mode)
{
	struct stream *s = NULL;
	int err = stream_resolve_own(stm, &s);

	return rt_done(err ? err : capture_begin(s, mode), __func__);
}

/* ---- loading a finished capture into queues ---------------------------------------------------- */

static int hidden_load(struct graph *g, struct hidden *h)
{
	uint32_t device = g->context->device->id;
	struct halSqCqInputInfo in = {
		.sqeDepth = (uint32_t)h->count + 2,
		.flag = 1,
		.sqId = h->stream_id + 1,
		.cqId = h->stream_id + 1,
		.info = { h->stream_id },
	};
	struct halTaskSendInfo send = { .sqId = h->stream_id + 1 };
	struct halSqCqOutputInfo out;

	if (h->count == 0)
		return 0;
	if (halSqCqAllocate(device, &in, &out) != DRV_ERROR_NONE)
		return ACL_ERROR_RT_NO_STREAM_RESOURCE;
	h->queue = true;
	driver_config(device, h->stream_id + 1, SIM_SQCQ_PROP_MODEL, g->model);
	send.sqe_addr = (uint8_t *)h->sqes;
	send.sqe_num = (uint32_t)h->count;
	return halSqTaskSend(device, &send) == DRV_ERROR_NONE ? 0 : ACL_ERROR_RT_DRV_INTERNAL_ERROR;
}

/* The graph tells its end by a notify of the runtime's own. */
static int graph_add_end(struct graph *g)
{
	struct sim_sqe record = { .type = SQE_NOTIFY_RECORD };
	struct sim_sqe end = { .type = SQE_PLACEHOLDER };
	int err;

	if (driver_id_alloc(g->context->device->id, DRV_NOTIFY_ID, &g->notify) != 0)
		return fail(ACL_ERROR_RT_NO_NOTIFY_RESOURCE, NULL,
			    "Resource exhausted: no notify id is left");
	g->has_notify = true;
	record.object_id = g->notify;
	record.object_device = g->context->device->id;
	err = hidden_add(g->hidden, &end, NULL);
	return err ? err : hidden_add(g->hidden, &record, NULL);
}

static int graph_load(struct graph *g)
{
	struct halResourceIdInputInfo in = { .type = DRV_MODEL_ID, .resourceId = g->model };
	int err = graph_add_end(g);

	for (size_t i = 0; i < g->event_count; i++) {
		struct halResourceConfigInfo event = { .value = { (uint32_t)g->events[i] } };

		halResourceConfig(g->context->device->id, &in, &event);
	}
	for (struct hidden *h = g->hidden; h && !err; h = h->next)
		err = hidden_load(g, h);
	if (!err)
		g->state = GRAPH_READY;
	return err;
}

static bool all_joined(const struct graph *g)
{
	for (const struct hidden *h = g->hidden->next; h; h = h->next)
		if (!h->joined)
			return false;
	return true;
}

static int finish(struct graph *g)
{
	if (g->mode != ACL_MODEL_RI_CAPTURE_MODE_RELAXED && !pthread_equal(g->owner, pthread_self()))
		return fail(ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD, NULL,
			    "The capture was begun on another thread");
	if (!all_joined(g))
		return fail(ACL_ERROR_RT_STREAM_UNJOINED, NULL,
			    "A stream of the capture has not been joined");
	return graph_load(g);
}

static int capture_end(struct stream *s, void **out)
{
	struct hidden *h;
	struct graph *g = NULL;
	int err = 0;

	if (s == s->context->default_stream)
		return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, NULL, "The default stream cannot be captured");
	pthread_mutex_lock(&capture_lock);
	h = atomic_load(&s->hidden);
	if (!h)
		err = fail(ACL_ERROR_RT_STREAM_NOT_CAPTURED, NULL, "The stream is not being captured");
	else if (!out)
		err = fail(ACL_ERROR_RT_PARAM_INVALID, NULL, "modelRI is NULL");
	else if (h != h->graph->hidden)
		err = fail(ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED, NULL,
			   "The capture was begun on another stream");
	if (err)
		goto out;
	g = h->graph;
	err = finish(g);
	graph_close(g);
	if (err)
		graph_free(g);
	else
		*out = g;
out:
	pthread_mutex_unlock(&capture_lock);
	return err;
}

rtError_t rtStreamEndCapture(rtStream_t stm, rtModel_t *captureMdl)
{
	struct stream *s = NULL;
	int err = stream_resolve_own(stm, &s);

	return rt_done(err ? err : capture_end(s, captureMdl), __func__);
}

rtError_t rtStreamGetCaptureInfo(rtStream_t stm, int *status, rtModel_t *captureMdl)
{
	struct stream *s = NULL;
	struct hidden *h;
	int err = stream_resolve(stm, &s);

	if (err)
		return rt_done(err, __func__);
	pthread_mutex_lock(&capture_lock);
	h = atomic_load(&s->hidden);
	*status = h ? ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE : ACL_MODEL_RI_CAPTURE_STATUS_NONE;
	if (captureMdl)
		*captureMdl = h ? h->graph : NULL;
	pthread_mutex_unlock(&capture_lock);
	return 0;
}

rtError_t rtThreadExchangeCaptureMode(int *mode)
{
	int before = thread_mode;

	if (*mode < 0 || *mode > ACL_MODEL_RI_CAPTURE_MODE_RELAXED)
		return rt_done(fail(ACL_ERROR_RT_PARAM_INVALID, NULL, "Invalid capture mode %d", *mode),
			       __func__);
	thread_mode = *mode;
	*mode = before;
	return 0;
}

/* ---- executing and destroying -------------------------------------------------------------------- */

static int graph_resolve(void *handle, struct graph **g)
{
	if (!pool_valid(&graph_pool, handle))
		return fail(ACL_ERROR_RT_INVALID_HANDLE, NULL, "modelRI is not a valid handle");
	*g = handle;
	return 0;
}

/* On the caller's stream: a condition that starts the graph, then the wait for its end. */
static int graph_execute(struct graph *g, struct stream *s)
{
	struct sim_sqe start = { .type = SQE_CONDITION, .kind = KIND_MODEL_START, .arg = { g->model } };
	struct sim_sqe wait = { .type = SQE_NOTIFY_WAIT, .object_id = g->notify };
	struct task task = { 0 };
	int err;

	if (g->state != GRAPH_READY)
		return fail(ACL_ERROR_RT_MODEL_EXECUTE, NULL, "The model is not ready, model_id=%u",
			    g->model);
	if (g->context->device != s->context->device)
		return fail(ACL_ERROR_RT_MODEL_CONTEXT, NULL, "The model belongs to another device");
	err = stream_submit(s, &start, &task, 0);
	return err ? err : stream_submit(s, &wait, &task, 0);
}

rtError_t rtsModelExecuteAsync(rtModel_t mdl, rtStream_t stm)
{
	struct graph *g = NULL;
	struct stream *s = NULL;
	int err = graph_resolve(mdl, &g);

	if (!err)
		err = stream_resolve_own(stm, &s);
	return rt_done(err ? err : graph_execute(g, s), __func__);
}

/* Captured graphs can only be executed on a stream. */
rtError_t rtsModelExecute(rtModel_t mdl, int32_t timeout)
{
	struct graph *g = NULL;
	int err = graph_resolve(mdl, &g);

	if (!err)
		err = fail(ACL_ERROR_RT_PARAM_INVALID, "EE1016",
			   "A captured model must be executed on a stream");
	return rt_done(err, __func__);
}

rtError_t rtModelDestroy(rtModel_t mdl)
{
	struct graph *g = NULL;
	uint32_t alive = 1;
	int err = graph_resolve(mdl, &g);

	if (!err && g->state == GRAPH_OPEN)
		err = fail(ACL_ERROR_RT_MODEL_CAPTURED, NULL, "The model is being captured");
	if (!err && !atomic_compare_exchange_strong(&g->object.alive, &alive, 0))
		err = ACL_ERROR_RT_INVALID_HANDLE;
	if (err)
		return rt_done(err, __func__);
	graph_free(g);
	return 0;
}

/* Accepted; the task scheduler of this driver lets the execution go on. */
rtError_t rtModelAbort(rtModel_t mdl)
{
	struct graph *g = NULL;

	if (!mdl)
		return rt_done(fail(ACL_ERROR_RT_PARAM_INVALID, NULL, "modelRI is NULL"), __func__);
	return rt_done(graph_resolve(mdl, &g), __func__);
}

rtError_t rtModelGetId(rtModel_t mdl, uint32_t *id)
{
	struct graph *g = NULL;
	int err = graph_resolve(mdl, &g);

	if (!err)
		*id = g->model;
	return rt_done(err, __func__);
}

/* ---- models built by hand: only what programs meet without a model file ------------------------------- */

rtError_t rtModelCreate(rtModel_t *mdl, uint32_t flag)
{
	struct context *c = NULL;
	struct graph *g = NULL;
	int err = context_current(&c);

	if (!err)
		err = graph_new(c, GRAPH_BUILDING, &g);
	if (!err)
		*mdl = g;
	return rt_done(err, __func__);
}

rtError_t rtModelBindStream(rtModel_t mdl, rtStream_t stm, uint32_t flag)
{
	struct graph *g = NULL;
	struct stream *s = NULL;
	int err = graph_resolve(mdl, &g);

	if (!err)
		err = stream_resolve_own(stm, &s);
	if (!err && !(s->flags & ACL_STREAM_PERSISTENT))
		err = fail(ACL_ERROR_RT_PARAM_INVALID, NULL,
			   "Only persistent streams can be bound, stream_id=%u", s->id);
	if (!err)
		err = fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, NULL, "Models cannot be built with this driver");
	return rt_done(err, __func__);
}

rtError_t rtModelUnbindStream(rtModel_t mdl, rtStream_t stm)
{
	struct graph *g = NULL;
	int err = graph_resolve(mdl, &g);

	return rt_done(err ? err : fail(ACL_ERROR_RT_STREAM_MODEL, NULL, "The stream is in no model"),
		       __func__);
}

rtError_t rtEndGraph(rtModel_t mdl, rtStream_t stm)
{
	struct graph *g = NULL;
	int err = graph_resolve(mdl, &g);

	return rt_done(err ? err : fail(ACL_ERROR_RT_INTERNAL_ERROR, NULL, "The stream is in no model"),
		       __func__);
}

rtError_t rtModelLoadComplete(rtModel_t mdl)
{
	struct graph *g = NULL;
	int err = graph_resolve(mdl, &g);

	return rt_done(err ? err : fail(ACL_ERROR_RT_STREAM_MODEL, NULL, "The model has no stream"),
		       __func__);
}
