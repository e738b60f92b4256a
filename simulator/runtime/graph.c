// SPDX-License-Identifier: Apache-2.0
/* Graphs: their templates, loading them into queues of their own, executing, destroying. */
#include <stdlib.h>
#include <string.h>
#include "simulator/runtime/graph.h"

struct pool graph_pool = POOL(struct graph);

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

int hidden_add(struct hidden *h, struct sim_sqe *sqe, void *memory)
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

int graph_new(struct context *c, enum graph_state state, struct graph **out)
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

void graph_free(struct graph *g)
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

/* ---- loading: queues that only run when an execution starts them ---------------- */

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

int graph_load(struct graph *g)
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
