// SPDX-License-Identifier: Apache-2.0
/* The exported event calls: record, wait, reset, query, synchronize, times. */
#include <string.h>
#include "simulator/runtime/runtime.h"

static int event_resolve(void *evt, struct event **e)
{
	if (!pool_valid(&event_pool, evt))
		return fail(ACL_ERROR_RT_INVALID_HANDLE, NULL, "event is not a valid handle");
	*e = evt;
	return 0;
}

static bool is_external(const struct event *e)
{
	return e->kind == EVENT_KIND_FLAG && (e->flags & RT_EVENT_EXTERNAL);
}

static int unsupported(const char *what)
{
	return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, NULL, "The event does not support %s", what);
}

static int resolve_both(void *evt, void *stm, struct event **e, struct stream **s)
{
	int err = stream_resolve_own(stm, s);

	return err ? err : event_resolve(evt, e);
}

/* ---- record --------------------------------------------------------------------- */

static int event_record(struct event *e, struct stream *s)
{
	struct sim_sqe sqe = { .type = SQE_EVENT_RECORD };
	struct task task = { 0 };
	struct record *r = NULL;
	int err;

	if (capture_active(s))
		return capture_event_record(s, e);
	r = record_new(e, s, &err);
	if (err) {
		record_put(r);
		return err;
	}
	if (atomic_load(&r->id) == NO_ID) {
		sqe.type = SQE_PLACEHOLDER;
		sqe.kind = KIND_TIMESTAMP;
	} else {
		sqe.object_id = (uint32_t)atomic_load(&r->id);
	}
	if (e->kind != EVENT_KIND_FLAG)
		sqe.flags = SQE_WRITE_CQE;
	sqe.object_device = r->device;
	sqe.arg[0] = (uintptr_t)&r->time_ns;
	task.record = r;
	task.ev = e;
	event_begin(e, false);
	record_get(r);
	err = stream_submit(s, &sqe, &task, 0);
	if (err) {
		if (e->kind == EVENT_KIND_PLAIN)
			record_release_id(r);
		record_release_id(r);
		record_put(r);
		event_end(e, false);
	} else {
		event_set_latest(e, r);
	}
	record_put(r);
	return err;
}

rtError_t rtEventRecord(rtEvent_t evt, rtStream_t stm)
{
	struct event *e = NULL;
	struct stream *s = NULL;
	int err = resolve_both(evt, stm, &e, &s);

	return rt_done(err ? err : event_record(e, s), __func__);
}

/* ---- wait -------------------------------------------------------------------------- */

static int submit_wait(struct stream *s, struct event *e, struct record *r, int32_t id, uint32_t timeout)
{
	struct sim_sqe sqe = {
		.type = SQE_EVENT_WAIT,
		.object_id = (uint32_t)id,
		.object_device = r ? r->device : e->device,
		.timeout_s = timeout,
	};
	struct task task = { .ev = e, .waits = true, .record = r };
	int err;

	event_begin(e, true);
	err = stream_submit(s, &sqe, &task, 0);
	if (err)
		event_end(e, true);
	return err;
}

/*
 * A wait for a default or Ex event is bound to the latest record. None is
 * submitted when that record has been taken note of as finished, unless the
 * event was reset since. Takes over the caller's reference.
 */
static int wait_bound(struct stream *s, struct event *e, struct record *r, uint32_t timeout)
{
	int32_t id;
	int err;

	if (e->kind == EVENT_KIND_EX && r->stream == s) {
		record_put(r);
		return 0;
	}
	record_hold(r);
	id = atomic_load(&r->id);
	if (id == NO_ID || (atomic_load(&r->done) && !atomic_load(&r->reset))) {
		record_release_id(r);
		record_put(r);
		return 0;
	}
	err = submit_wait(s, e, r, id, timeout);
	if (err) {
		record_release_id(r);
		record_put(r);
	}
	return err;
}

static int event_wait(struct stream *s, struct event *e, uint32_t timeout)
{
	struct record *r = NULL;

	if (capture_active(s))
		return capture_event_wait(s, e, timeout);
	if (!event_waitable(e))
		return unsupported("waiting");
	if (e->kind == EVENT_KIND_FLAG)
		return submit_wait(s, e, NULL, e->id, timeout);
	r = event_latest(e);
	if (!r && e->kind == EVENT_KIND_PLAIN)
		return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1018", "The event has not been recorded");
	if (!r)
		return 0;
	if (r->hidden) {
		bool open = e->captured;

		record_put(r);
		return open ? capture_draw_in(s, e, timeout) : 0;
	}
	return wait_bound(s, e, r, timeout);
}

rtError_t rtStreamWaitEvent(rtStream_t stm, rtEvent_t evt)
{
	struct event *e = NULL;
	struct stream *s = NULL;
	int err = resolve_both(evt, stm, &e, &s);

	return rt_done(err ? err : event_wait(s, e, op_wait_timeout()), __func__);
}

rtError_t rtStreamWaitEventWithTimeout(rtStream_t stm, rtEvent_t evt, uint32_t timeout)
{
	struct event *e = NULL;
	struct stream *s = NULL;
	int err = resolve_both(evt, stm, &e, &s);

	if (!err && timeout > INT32_MAX)
		err = fail(ACL_ERROR_RT_PARAM_INVALID, NULL, "Invalid timeout=%d", (int32_t)timeout);
	return rt_done(err ? err : event_wait(s, e, timeout), __func__);
}

/* ---- reset ------------------------------------------------------------------------------ */

static int event_reset(struct stream *s, struct event *e)
{
	struct sim_sqe sqe = { .type = SQE_WRITE_VALUE, .kind = KIND_EVENT_RESET };
	struct task task = { .ev = e };
	struct record *r = NULL;
	int err;

	if (e->kind == EVENT_KIND_EX || !event_waitable(e))
		return unsupported("reset");
	if (capture_active(s))
		return capture_event_reset(s, e);
	if (e->kind == EVENT_KIND_PLAIN) {
		r = event_latest(e);
		if (!r)
			return 0;
	}
	sqe.object_id = (uint32_t)(r ? atomic_load(&r->id) : e->id);
	sqe.object_device = r ? r->device : e->device;
	event_begin(e, false);
	err = stream_submit(s, &sqe, &task, SUBMIT_UNCOUNTED);
	if (err)
		event_end(e, false);
	else if (r)
		atomic_store(&r->reset, true);
	record_put(r);
	return err;
}

rtError_t rtEventReset(rtEvent_t evt, rtStream_t stm)
{
	struct event *e = NULL;
	struct stream *s = NULL;
	int err = resolve_both(evt, stm, &e, &s);

	return rt_done(err ? err : event_reset(s, e), __func__);
}

/* ---- query ---------------------------------------------------------------------------------- */

/* Whether the latest record has run; none counts as `without`. */
static bool latest_done(struct event *e, bool without)
{
	struct record *r = event_latest(e);
	bool done = without;

	if (r) {
		if (!atomic_load(&r->done) && !r->hidden)
			device_turn();
		if (!atomic_load(&r->done) && !r->hidden)
			stream_reclaim(r->stream);
		done = atomic_load(&r->done);
	}
	record_put(r);
	return done;
}

/* Not complete is an answer, no failure: it does not become the last error. */
rtError_t rtEventQuery(rtEvent_t evt)
{
	struct event *e = NULL;
	int err = event_resolve(evt, &e);

	if (!err && (e->kind == EVENT_KIND_EX || is_external(e)))
		err = unsupported("query");
	if (err)
		return rt_done(err, __func__);
	return latest_done(e, true) ? 0 : ACL_ERROR_RT_EVENT_NOT_COMPLETE;
}

static int event_captured(void)
{
	return fail(ACL_ERROR_RT_EVENT_CAPTURED, NULL, "The event has been captured");
}

rtError_t rtEventQueryStatus(rtEvent_t evt, rtEventStatus_t *status)
{
	struct event *e = NULL;
	int err = event_resolve(evt, &e);

	if (!err && is_external(e))
		err = unsupported("query");
	if (!err && e->captured)
		err = event_captured();
	if (!err)
		*status = latest_done(e, e->kind == EVENT_KIND_EX) ? ACL_EVENT_RECORDED_STATUS_COMPLETE
								   : ACL_EVENT_RECORDED_STATUS_NOT_READY;
	return rt_done(err, __func__);
}

rtError_t rtEventQueryWaitStatus(rtEvent_t evt, rtEventWaitStatus_t *status)
{
	struct event *e = NULL;
	int err = event_resolve(evt, &e);

	if (!err && (e->kind == EVENT_KIND_EX || is_external(e)))
		err = unsupported("query of its waits");
	if (!err)
		*status = atomic_load(&e->waits) ? ACL_EVENT_WAIT_STATUS_NOT_READY
						 : ACL_EVENT_WAIT_STATUS_COMPLETE;
	return rt_done(err, __func__);
}

rtError_t rtGetEventID(rtEvent_t evt, uint32_t *evtId)
{
	struct event *e = NULL;
	struct record *r = NULL;
	int32_t id = NO_ID;
	int err = event_resolve(evt, &e);

	if (err)
		return rt_done(err, __func__);
	r = event_latest(e);
	if (e->id != NO_ID)
		id = e->id;
	else if (r && !r->hidden)
		id = atomic_load(&r->id);
	record_put(r);
	if (id == NO_ID)
		return rt_done(fail(ACL_ERROR_RT_INTERNAL_ERROR, NULL, "The event has no id"), __func__);
	*evtId = (uint32_t)id;
	return 0;
}

/* ---- times --------------------------------------------------------------------------------------- */

static int event_time(struct event *e, uint64_t *ns)
{
	struct record *r = NULL;

	if (is_external(e))
		return unsupported("time stamps");
	*ns = 0;
	if (latest_done(e, false)) {
		r = event_latest(e);
		*ns = r ? atomic_load(&r->time_ns) : 0;
		record_put(r);
	}
	return *ns ? 0 : fail(ACL_ERROR_RT_INTERNAL_ERROR, NULL, "The event has no time stamp");
}

rtError_t rtEventElapsedTime(float *ms, rtEvent_t start, rtEvent_t end)
{
	struct event *a = NULL, *b = NULL;
	uint64_t from = 0, to = 0;
	int err = event_resolve(start, &a);

	if (!err)
		err = event_resolve(end, &b);
	if (!err)
		err = event_time(a, &from);
	if (!err)
		err = event_time(b, &to);
	if (!err)
		*ms = (float)((double)(int64_t)(to - from) / 1e6);
	return rt_done(err, __func__);
}

rtError_t rtEventGetTimeStamp(uint64_t *us, rtEvent_t evt)
{
	struct event *e = NULL;
	uint64_t ns = 0;
	int err = event_resolve(evt, &e);

	if (!err)
		err = event_time(e, &ns);
	if (!err)
		*us = ns / 1000;
	return rt_done(err, __func__);
}

/* ---- synchronize ------------------------------------------------------------------------------------ */

/* Bound to the record that is the latest when the call is entered. */
int event_synchronize(struct event *e, int32_t ms)
{
	struct record *r = NULL;
	struct wait w;
	int err = 0;

	if (is_external(e))
		return unsupported("synchronize");
	if (e->captured)
		return event_captured();
	r = event_latest(e);
	wait_begin(&w, ms);
	while (r && !atomic_load(&r->done) && !err) {
		stream_reclaim(r->stream);
		if (atomic_load(&r->done))
			break;
		if (wait_over(&w))
			err = fail(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, NULL,
				   "Event synchronize timeout, event_id=%d, timeout=%dms",
				   atomic_load(&r->id), ms);
		wait_turn(0);
	}
	record_put(r);
	return err;
}

rtError_t rtEventSynchronize(rtEvent_t evt)
{
	struct event *e = NULL;
	int err = event_resolve(evt, &e);

	return rt_done(err ? err : event_synchronize(e, -1), __func__);
}

rtError_t rtEventSynchronizeWithTimeout(rtEvent_t evt, const int32_t timeout)
{
	struct event *e = NULL;
	int err = event_resolve(evt, &e);

	if (!err && (timeout == 0 || timeout < -1))
		err = fail(ACL_ERROR_RT_PARAM_INVALID, NULL, "Invalid timeout=%d, must be -1 or above 0",
			   timeout);
	return rt_done(err ? err : event_synchronize(e, timeout), __func__);
}

rtError_t rtGetAvailEventNum(uint32_t *count)
{
	struct context *c = NULL;
	int err = context_current(&c);

	if (!err)
		*count = SIM_EVENTS - 1;
	return rt_done(err, __func__);
}

/* Only events made for it can be shared, and this driver makes none. */
rtError_t rtIpcGetEventHandle(rtEvent_t evt, void *handle)
{
	struct event *e = NULL;
	int err = event_resolve(evt, &e);

	if (!err && !(e->kind == EVENT_KIND_EX && e->flags == ACL_EVENT_IPC))
		err = fail(ACL_ERROR_RT_PARAM_INVALID, NULL, "The event was not made for other processes");
	if (!err)
		err = unsupported("export with this driver");
	return rt_done(err, __func__);
}
