// SPDX-License-Identifier: Apache-2.0
/*
 * Host callbacks. A stream's callbacks go to the group of the thread that was
 * subscribed for it; host functions without a subscription go to group 0,
 * which a thread of the runtime serves. A blocking one holds its queue until
 * the host has run it and said so.
 */
#include <stdlib.h>
#include "simulator/runtime/runtime.h"

enum { OWN_GROUP = 0, WAIT_FOREVER = -1 };

struct server { /* a thread that serves callbacks; its index is its group */
	uint64_t thread;
	int streams; /* subscribed to it */
};

static struct server servers[SIM_CALLBACK_GROUPS];
static uint32_t server_count = 1;
static pthread_mutex_t server_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t own_once = PTHREAD_ONCE_INIT;

/* ---- groups ----------------------------------------------------------------------- */

static struct server *server_find(uint64_t thread)
{
	for (uint32_t i = 1; i < server_count; i++)
		if (servers[i].thread == thread)
			return &servers[i];
	return NULL;
}

static int server_join(uint64_t thread)
{
	struct server *v;
	int err = 0;

	pthread_mutex_lock(&server_lock);
	v = server_find(thread);
	if (!v && server_count < SIM_CALLBACK_GROUPS) {
		v = &servers[server_count++];
		v->thread = thread;
	}
	if (v)
		v->streams++;
	else
		err = ACL_ERROR_RT_RESOURCE_ALLOC_FAIL;
	pthread_mutex_unlock(&server_lock);
	return err;
}

static void server_part(uint64_t thread)
{
	struct server *v;

	pthread_mutex_lock(&server_lock);
	v = server_find(thread);
	if (v && v->streams > 0)
		v->streams--;
	pthread_mutex_unlock(&server_lock);
}

/* The group of a thread that serves at least one stream, or -1. */
static int server_group(uint64_t thread)
{
	struct server *v;
	int group = -1;

	pthread_mutex_lock(&server_lock);
	v = server_find(thread);
	if (v && v->streams > 0)
		group = (int)(v - servers);
	pthread_mutex_unlock(&server_lock);
	return group;
}

static int subscribe(uint64_t thread, _Atomic uint64_t *slot)
{
	uint64_t none = 0;
	int err = server_join(thread);

	if (err)
		return err;
	if (atomic_compare_exchange_strong(slot, &none, thread))
		return 0;
	server_part(thread);
	return fail(ACL_ERROR_RT_STREAM_SUBSCRIBE, NULL, "The stream has been subscribed before");
}

static int unsubscribe(uint64_t thread, _Atomic uint64_t *slot)
{
	uint64_t have = atomic_load(slot);

	if (have == 0)
		return fail(ACL_ERROR_RT_STREAM_SUBSCRIBE, NULL, "The stream is not subscribed");
	if (have != thread || !atomic_compare_exchange_strong(slot, &have, 0))
		return fail(ACL_ERROR_RT_THREAD_SUBSCRIBE, NULL,
			    "The stream is subscribed to another thread");
	server_part(thread);
	return 0;
}

rtError_t rtSubscribeReport(uint64_t threadId, rtStream_t stm)
{
	struct stream *s = NULL;
	int err = stream_resolve_own(stm, &s);

	return rt_done(err ? err : subscribe(threadId, &s->report_thread), __func__);
}

rtError_t rtUnSubscribeReport(uint64_t threadId, rtStream_t stm)
{
	struct stream *s = NULL;
	int err = stream_resolve_own(stm, &s);

	return rt_done(err ? err : unsubscribe(threadId, &s->report_thread), __func__);
}

rtError_t rtSubscribeHostFunc(uint64_t threadId, rtStream_t stm)
{
	struct stream *s = NULL;
	int err = stream_resolve_own(stm, &s);

	return rt_done(err ? err : subscribe(threadId, &s->hostfunc_thread), __func__);
}

rtError_t rtUnSubscribeHostFunc(uint64_t threadId, rtStream_t stm)
{
	struct stream *s = NULL;
	int err = stream_resolve_own(stm, &s);

	return rt_done(err ? err : unsubscribe(threadId, &s->hostfunc_thread), __func__);
}

/* ---- serving -------------------------------------------------------------------------- */

static void run_callback(const struct sim_cqe *cqe)
{
	struct callback *cb = (struct callback *)(uintptr_t)cqe->cookie;
	bool kept = cb->kept;

	cb->function(cb->data);
	if (!kept)
		free(cb);
	if (cqe->block)
		driver_config(cqe->device, cqe->sq_id, SIM_SQCQ_PROP_CALLBACK_DONE, cqe->sq_pos);
}

/* Runs every callback that is ready for the group; waits for the first up to ms. */
static int serve(uint32_t group, int32_t ms)
{
	uint64_t bitmap = 0;
	struct halReportInfoInput in = { .type = DRV_CALLBACK_TYPE, .grpId = group, .timeout = ms };
	struct halReportInfoOutput out = { .cqIdBitmap = &bitmap, .cqIdBitmapSize = 1 };
	struct halReportGetInput get = { .type = DRV_CALLBACK_TYPE, .cqId = group };
	struct halReportGetOutput got = { 0 };
	struct sim_cqe *cqes;

	if (halCqReportIrqWait(0, &in, &out) != DRV_ERROR_NONE ||
	    halCqReportGet(0, &get, &got) != DRV_ERROR_NONE)
		return fail(ACL_ERROR_RT_REPORT_TIMEOUT, NULL, "No callback came within %d ms", ms);
	cqes = got.reportPtr;
	for (uint32_t i = 0; i < got.count; i++)
		run_callback(&cqes[i]);
	free(cqes);
	return 0;
}

static int process(int32_t timeout)
{
	int group = server_group((uint64_t)pthread_self());

	if (group < 0)
		return fail(ACL_ERROR_RT_THREAD_SUBSCRIBE, NULL, "The thread is not subscribed");
	return serve((uint32_t)group, timeout);
}

rtError_t rtProcessReport(int32_t timeout)
{
	device_turn();
	return rt_done(process(timeout), __func__);
}

rtError_t rtProcessHostFunc(int32_t timeout)
{
	device_turn();
	return rt_done(process(timeout), __func__);
}

static void *own_server_main(void *data)
{
	for (;;)
		serve(OWN_GROUP, WAIT_FOREVER);
	return NULL;
}

static void own_server_start(void)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_create(&thread, &attr, own_server_main, NULL);
	pthread_attr_destroy(&attr);
}

/* ---- launching --------------------------------------------------------------------------- */

static int launch(struct stream *s, rtCallback_t function, void *data, uint32_t group, bool block)
{
	struct sim_sqe sqe = {
		.type = SQE_AICPU,
		.kind = block ? KIND_CALLBACK_BLOCK : KIND_CALLBACK,
	};
	struct task task = { 0 };
	struct callback *cb = calloc(1, sizeof(*cb));
	int err;

	if (!cb)
		return ACL_ERROR_RT_MEMORY_ALLOCATION;
	cb->function = function;
	cb->data = data;
	task.callback = cb;
	sqe.arg[0] = (uintptr_t)cb;
	sqe.arg[1] = group;
	err = stream_submit(s, &sqe, &task, 0);
	if (err)
		free(cb);
	return err;
}

static int null_function(void)
{
	return fail(ACL_ERROR_RT_PARAM_INVALID, NULL, "The callback function is NULL");
}

rtError_t rtCallbackLaunch(rtCallback_t callBackFunc, void *fnData, rtStream_t stm, bool isBlock)
{
	struct stream *s = NULL;
	int group = -1;
	int err = stream_resolve_own(stm, &s);

	if (!err && !callBackFunc)
		err = null_function();
	if (!err)
		group = server_group(atomic_load(&s->report_thread));
	if (!err && group < 0)
		err = fail(ACL_ERROR_RT_STREAM_NO_CB_REG, NULL, "No thread is subscribed, stream_id=%u",
			   s->id);
	return rt_done(err ? err : launch(s, callBackFunc, fnData, (uint32_t)group, isBlock), __func__);
}

static int launch_host_function(struct stream *s, rtCallback_t function, void *data)
{
	uint64_t thread = atomic_load(&s->hostfunc_thread);
	int group = OWN_GROUP;

	if (atomic_load(&s->report_thread))
		return fail(ACL_ERROR_RT_STREAM_SUBSCRIBE, NULL,
			    "The stream is subscribed by SubscribeReport, "
			    "stream_id=%u",
			    s->id);
	if (thread)
		group = server_group(thread);
	if (group < 0)
		return ACL_ERROR_RT_STREAM_NO_CB_REG;
	if (group == OWN_GROUP)
		pthread_once(&own_once, own_server_start);
	return launch(s, function, data, (uint32_t)group, true);
}

rtError_t rtsLaunchHostFunc(rtStream_t stm, const rtCallback_t callBackFunc, void *const fnData)
{
	struct stream *s = NULL;
	int err = stream_resolve_own(stm, &s);

	if (!err && !callBackFunc)
		err = null_function();
	return rt_done(err ? err : launch_host_function(s, callBackFunc, fnData), __func__);
}
