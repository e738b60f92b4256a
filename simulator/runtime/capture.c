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
#include "simulator/runtime/graph.h"

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
