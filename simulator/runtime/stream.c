// SPDX-License-Identifier: Apache-2.0
/*
 * Streams: submission, taking note of what has run, and waiting. A stream is
 * one queue of the device; `tasks` remembers by queue position what the
 * runtime has to do when an entry has been passed by the queue's head.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include "simulator/runtime/runtime.h"

enum { RECYCLE_DELAY_NS = 50000000, CQE_BATCH = 16, TASK_LOW_MASK = 0xffff, THREE_MINUTES_S = 180 };

struct pool stream_pool = POOL(struct stream);

static _Thread_local uint32_t last_task = UINT32_MAX;

void last_task_set(uint32_t id)
{
	last_task = id;
}

rtError_t rtGetTaskIdAndStreamID(uint32_t *taskId)
{
	*taskId = last_task;
	return 0;
}

/* ---- making and ending -------------------------------------------------------------- */

static int stream_take_id(struct context *c, uint32_t flags, struct stream *s)
{
	int type = flags & ACL_STREAM_CPU_SCHEDULE ? DRV_CPU_STREAM_ID : DRV_STREAM_ID;

	if (c->primary && !c->default_stream) {
		s->id = DEFAULT_STREAM_ID;
		return 0;
	}
	if (driver_id_alloc(c->device->id, type, &s->id) != 0)
		return fail(ACL_ERROR_RT_NO_STREAM_RESOURCE, NULL,
			    "Resource exhausted: no stream id is left on "
			    "device_id=%d",
			    device_user_id(c->device));
	return 0;
}

static void stream_free_id(const struct stream *s)
{
	int type = s->id >= SIM_CPU_STREAM_BASE ? DRV_CPU_STREAM_ID : DRV_STREAM_ID;

	if (s->id > 1) /* 0 and 1 stay with the device */
		driver_id_free(s->context->device->id, type, s->id);
}

static int stream_take_queue(struct stream *s)
{
	struct halSqCqInputInfo in = {
		.sqeSize = sizeof(struct sim_sqe),
		.cqeSize = sizeof(struct sim_cqe),
		.sqeDepth = SIM_SQ_DEPTH,
		.cqeDepth = SIM_SQ_DEPTH,
		.sqId = s->id + 1,
		.cqId = s->id + 1,
		.info = { s->id },
	};
	struct halSqCqOutputInfo out;

	if (halSqCqAllocate(s->context->device->id, &in, &out) != DRV_ERROR_NONE)
		return ACL_ERROR_RT_NO_STREAM_RESOURCE;
	s->sq_id = out.sqId;
	return 0;
}

static void stream_reset_fields(struct stream *s, struct context *c, uint32_t priority, uint32_t flags)
{
	if (!s->lock_ready)
		pthread_mutex_init(&s->lock, NULL);
	s->lock_ready = true;
	s->context = c;
	s->flags = flags;
	s->priority = priority;
	s->failure_mode = 0;
	s->overflow_switch = 0;
	s->user_tag = UINT32_MAX;
	s->closing = false;
	s->next_task = 0;
	atomic_store(&s->submitted, 0);
	atomic_store(&s->finished, 0);
	atomic_store(&s->seen_head, 0);
	atomic_store(&s->noticed_ns, 0);
	atomic_store(&s->error, 0);
	atomic_store(&s->hidden, NULL);
	atomic_store(&s->report_thread, 0);
	atomic_store(&s->hostfunc_thread, 0);
}

static void stream_link(struct stream *s)
{
	pthread_mutex_lock(&rt_lock);
	s->next = s->context->streams;
	s->context->streams = s;
	atomic_store(&s->object.alive, 1);
	pthread_mutex_unlock(&rt_lock);
}

static void stream_unlink(struct stream *s)
{
	struct stream **at;

	pthread_mutex_lock(&rt_lock);
	at = &s->context->streams;
	while (*at && *at != s)
		at = &(*at)->next;
	if (*at)
		*at = s->next;
	atomic_store(&s->object.alive, 0);
	pthread_mutex_unlock(&rt_lock);
}

int stream_new(struct context *c, uint32_t priority, uint32_t flags, struct stream **out)
{
	struct stream *s = pool_get(&stream_pool);
	int err;

	if (!s)
		return ACL_ERROR_RT_MEMORY_ALLOCATION;
	stream_reset_fields(s, c, priority, flags);
	err = stream_take_id(c, flags, s);
	if (err)
		goto out_put;
	err = stream_take_queue(s);
	if (err)
		goto out_id;
	stream_link(s);
	*out = s;
	return 0;
out_id:
	stream_free_id(s);
out_put:
	pool_put(&stream_pool, s);
	return err;
}

/* Waits until nothing is pending, then ends the stream. Only one caller gets to do it. */
int stream_close(struct stream *s)
{
	struct halSqCqFreeInfo info;
	uint32_t generation = atomic_load(&s->object.generation);
	bool mine;

	stream_wait(s, -1, 0);
	pthread_mutex_lock(&s->lock);
	mine = atomic_load(&s->object.generation) == generation && !s->closing;
	s->closing = true;
	pthread_mutex_unlock(&s->lock);
	if (!mine)
		return 0;
	stream_wait(s, -1, 0); /* what slipped in before closing was set */
	stream_unlink(s);
	info = (struct halSqCqFreeInfo){ .sqId = s->sq_id, .cqId = s->sq_id };
	halSqCqFree(s->context->device->id, &info);
	stream_free_id(s);
	pool_put(&stream_pool, s);
	return 0;
}

int stream_resolve(void *handle, struct stream **out)
{
	struct context *c = NULL;
	int err;

	if (handle) {
		if (!pool_valid(&stream_pool, handle))
			return fail(ACL_ERROR_RT_INVALID_HANDLE, NULL, "stream is not a valid handle");
		*out = handle;
		return 0;
	}
	err = context_current(&c);
	if (!err)
		*out = c->default_stream;
	return err;
}

int stream_resolve_own(void *handle, struct stream **out)
{
	struct context *c = NULL;
	int err = stream_resolve(handle, out);

	if (!err)
		err = context_current(&c);
	if (!err && (*out)->context != c)
		err = fail(ACL_ERROR_RT_STREAM_CONTEXT, NULL, "stream is not in current ctx, stream_id=%u",
			   (*out)->id);
	return err;
}

/* ---- what has run ---------------------------------------------------------------------- */

bool stream_busy(struct stream *s)
{
	return atomic_load(&s->submitted) != atomic_load(&s->finished);
}

static void take_completions(struct stream *s)
{
	struct sim_cqe cqe[CQE_BATCH];
	uint32_t device = s->context->device->id;
	uint32_t n;

	do {
		n = driver_completions(device, s->sq_id, cqe, CQE_BATCH);
		for (uint32_t i = 0; i < n; i++) {
			int none = 0;

			if (cqe[i].error) {
				atomic_compare_exchange_strong(&s->error, &none, (int)cqe[i].error);
				failure_note(s, &cqe[i], s->tasks[cqe[i].sq_pos % SIM_SQ_DEPTH].thread);
			}
			feed_completion(device, &cqe[i], s->sq_id);
		}
	} while (n == CQE_BATCH);
}

static void reclaim_locked(struct stream *s)
{
	uint32_t seen = atomic_load(&s->seen_head);
	uint32_t head = seen;
	uint64_t n = 0;

	if (!driver_head(s->context->device->id, s->sq_id, &head) || head == seen)
		return;
	/* errors first: who sees the work finished must see how it ended */
	take_completions(s);
	while (seen != head) {
		task_complete(s, &s->tasks[seen]);
		seen = (seen + 1) % SIM_SQ_DEPTH;
		n++;
	}
	atomic_store(&s->seen_head, seen);
	atomic_fetch_add(&s->finished, n);
}

void stream_reclaim(struct stream *s)
{
	uint32_t head;

	/* the usual turn of a waiting loop finds nothing new: no lock then */
	if (!driver_head(s->context->device->id, s->sq_id, &head) || head == atomic_load(&s->seen_head))
		return;
	pthread_mutex_lock(&s->lock);
	if (atomic_load(&s->object.alive))
		reclaim_locked(s);
	pthread_mutex_unlock(&s->lock);
}

void stream_recycle(struct stream *s)
{
	uint64_t now = rt_now_ns();
	uint32_t head;

	if (!driver_head(s->context->device->id, s->sq_id, &head) || head == atomic_load(&s->seen_head)) {
		atomic_store(&s->noticed_ns, 0);
		return;
	}
	pthread_mutex_lock(&s->lock);
	if (atomic_load(&s->object.alive)) {
		take_completions(s);
		if (atomic_load(&s->noticed_ns) == 0) {
			atomic_store(&s->noticed_ns, now);
		} else if (now - atomic_load(&s->noticed_ns) > RECYCLE_DELAY_NS) {
			reclaim_locked(s);
			atomic_store(&s->noticed_ns, 0);
		}
	}
	pthread_mutex_unlock(&s->lock);
}

void task_complete(struct stream *s, struct task *t)
{
	if (t->record && t->type == SQE_EVENT_WAIT) {
		record_release_id(t->record);
	} else if (t->record) {
		atomic_store(&t->record->done, true);
		record_release_id(t->record);
	}
	if (t->record)
		record_put(t->record);
	if (t->ev)
		event_end(t->ev, t->waits);
	free(t->memory);
	t->record = NULL;
	t->ev = NULL;
	t->memory = NULL;
}

int stream_take_error(struct stream *s)
{
	int err = atomic_load(&s->error);

	/* in stop-on-failure mode it stays: nothing will run any more */
	if (err && s->failure_mode == 0)
		atomic_store(&s->error, 0);
	if (err)
		fail(err, NULL, "A task of stream_id=%u failed, retCode=%d", s->id, err);
	return err;
}

/* ---- submission --------------------------------------------------------------------------- */

static uint32_t take_task_id(struct stream *s)
{
	if ((s->next_task & TASK_LOW_MASK) == TASK_LOW_MASK)
		s->next_task++;
	return (uint32_t)s->next_task++;
}

static bool has_room(struct stream *s)
{
	if (atomic_load(&s->submitted) - atomic_load(&s->finished) < SIM_SQ_ROOM)
		return true;
	reclaim_locked(s);
	return atomic_load(&s->submitted) - atomic_load(&s->finished) < SIM_SQ_ROOM;
}

/* With the stream's lock held and room in the queue. */
static int send_locked(struct stream *s, struct sim_sqe *sqe, struct task *task, uint32_t *id)
{
	struct halTaskSendInfo info = { .sqId = s->sq_id, .sqe_addr = (uint8_t *)sqe, .sqe_num = 1 };
	uint32_t pos = (uint32_t)(atomic_load(&s->submitted) % SIM_SQ_DEPTH);

	*id = take_task_id(s);
	task->id = *id;
	task->thread = (uint32_t)own_tid();
	sqe->stream_id = (uint16_t)s->id;
	sqe->task_id = (uint16_t)*id;
	s->tasks[pos] = *task;
	feed_task(s, sqe, task, *id);
	/* counted before it is sent: a reader of the head must not see more than there is */
	atomic_fetch_add(&s->submitted, 1);
	if (halSqTaskSend(s->context->device->id, &info) == DRV_ERROR_NONE)
		return 0;
	atomic_fetch_sub(&s->submitted, 1);
	return fail(ACL_ERROR_RT_DRV_INTERNAL_ERROR, NULL, "[drv api] halSqTaskSend failed, stream_id=%u",
		    s->id);
}

/* A full queue spins here, in whatever call submits. */
void sending_wait(void)
{
	if (wait_is_spinning())
		sched_yield();
	else
		wait_turn(0);
}

int send_task(struct stream *s, struct sim_sqe *sqe, struct task *task, uint32_t *id)
{
	for (;;) {
		int err = 0;
		bool sent = false;

		pthread_mutex_lock(&s->lock);
		if (s->closing || !atomic_load(&s->object.alive)) {
			err = ACL_ERROR_RT_INVALID_HANDLE;
		} else if (s->failure_mode && atomic_load(&s->error)) {
			err = atomic_load(&s->error);
		} else if (has_room(s)) {
			err = send_locked(s, sqe, task, id);
			sent = true;
		}
		pthread_mutex_unlock(&s->lock);
		if (err || sent)
			return err;
		sending_wait();
	}
}

int submit_send(struct stream *s, struct sim_sqe *sqe, struct task *task, uint32_t *id)
{
	return send_task(s, sqe, task, id);
}

int submit_normal(struct stream *s, struct sim_sqe *sqe, struct task *task, uint32_t *id)
{
	return submit_send(s, sqe, task, id);
}

int stream_submit(struct stream *s, struct sim_sqe *sqe, struct task *task, int flags)
{
	struct hidden *h = atomic_load(&s->hidden);
	uint32_t id = 0;
	int err;

	task->type = sqe->type & SQE_TYPE_MASK;
	task->asked = sqe->flags & SQE_WRITE_CQE;
	if (h)
		return capture_submit(s, h, sqe, task, flags);
	err = submit_normal(s, sqe, task, &id);
	if (!err && !(flags & SUBMIT_UNCOUNTED))
		last_task = id;
	return err;
}

/* ---- waiting --------------------------------------------------------------------------------- */

const char *task_name(int type)
{
	switch (type) {
	case SQE_KERNEL:
		return "KERNEL_AICORE";
	case SQE_AICPU:
		return "CALLBACK_LAUNCH";
	case SQE_EVENT_RECORD:
		return "EVENT_RECORD";
	case SQE_EVENT_WAIT:
		return "EVENT_WAIT";
	case SQE_NOTIFY_RECORD:
		return "NOTIFY_RECORD";
	case SQE_NOTIFY_WAIT:
		return "NOTIFY_WAIT";
	case SQE_WRITE_VALUE:
		return "WRITE_VALUE";
	case SQE_SDMA:
		return "MEMCPY_ASYNC";
	case SQE_CONDITION:
		return "MODEL_EXECUTE";
	default:
		return "MAINTENANCE";
	}
}

/* The runtime's own numbers of task types, as its texts print them. */
int task_number(int type)
{
	switch (type) {
	case SQE_KERNEL:
		return 0;
	case SQE_EVENT_RECORD:
		return 2;
	case SQE_EVENT_WAIT:
		return 3;
	case SQE_SDMA:
		return 5;
	case SQE_NOTIFY_WAIT:
		return 39;
	case SQE_NOTIFY_RECORD:
		return 38;
	default:
		return 14;
	}
}

static int stream_timed_out(struct stream *s, int32_t ms, int code)
{
	struct task head;

	pthread_mutex_lock(&s->lock);
	head = s->tasks[atomic_load(&s->seen_head)];
	pthread_mutex_unlock(&s->lock);
	log_line(LOG_ERROR, "RUNTIME", "stream.cc", 1957, "SynchronizeExecutedTask",
		 "Stream synchronize timeout, device_id=%d, stream_id=%u, timeout=%dms.",
		 device_user_id(s->context->device), s->id, ms);
	log_line(LOG_ERROR, "RUNTIME", "api_impl.cc", 1738, "StreamSynchronize",
		 "Stream synchronize timeout, the current "
		 "task is type_name=%s, device_id=%d, stream_id=%u, task_id=%u, task_type=%d",
		 task_name(head.type), device_user_id(s->context->device), s->id, head.id,
		 task_number(head.type));
	return fail(code, NULL,
		    "Stream synchronize timeout, the current task is type_name=%s, device_id=%d, "
		    "stream_id=%u, task_id=%u, task_type=%d",
		    task_name(head.type), device_user_id(s->context->device), s->id, head.id,
		    task_number(head.type));
}

static void stuck_for_minutes(struct stream *s)
{
	uint32_t task;

	pthread_mutex_lock(&s->lock);
	task = s->tasks[atomic_load(&s->seen_head)].id;
	pthread_mutex_unlock(&s->lock);
	rt_log(LOG_EVENT, "report three minutes timeout! stream_id=%u, sq_id=%u, task_id=%u", s->id, s->sq_id,
	       task);
}

int stream_wait(struct stream *s, int32_t ms, int code)
{
	uint32_t generation = atomic_load(&s->object.generation);
	uint64_t target = atomic_load(&s->submitted);
	uint64_t noted = rt_now_ns() + THREE_MINUTES_S * 1000000000ull;
	struct wait w;

	wait_begin(&w, ms);
	for (;;) {
		uint64_t finished;

		stream_reclaim(s);
		if (atomic_load(&s->object.generation) != generation)
			return 0;
		finished = atomic_load(&s->finished);
		if ((int64_t)(finished - target) >= 0)
			return 0;
		if (wait_over(&w))
			return stream_timed_out(s, ms, code);
		/* the runtime's own waits (code 0) hang, as they do on a dead device */
		if (code && atomic_load(&s->context->device->lost))
			return fail(ACL_ERROR_RT_LOST_HEARTBEAT, NULL, "Device lost heartbeat, device_id=%d",
				    device_user_id(s->context->device));
		if (rt_now_ns() > noted) {
			noted = UINT64_MAX;
			stuck_for_minutes(s);
		}
		wait_turn(target - finished);
	}
}

int stream_synchronize_impl(struct stream *s, int32_t ms)
{
	return stream_wait(s, ms, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
}

int stream_synchronize(struct stream *s, int32_t ms)
{
	return stream_synchronize_impl(s, ms);
}

/* ---- the runtime's own stream ------------------------------------------------------------------ */

static struct stream *control_new(struct rt_device *d)
{
	struct context *c = calloc(1, sizeof(*c));
	struct stream *s = c ? pool_get(&stream_pool) : NULL;

	if (!s) {
		free(c);
		return NULL;
	}
	c->device = d;
	stream_reset_fields(s, c, 0, 0);
	s->id = 1;
	if (stream_take_queue(s) != 0) {
		pool_put(&stream_pool, s);
		free(c);
		return NULL;
	}
	stream_link(s);
	pthread_mutex_lock(&rt_lock);
	d->hidden = c;
	d->control = s;
	pthread_mutex_unlock(&rt_lock);
	return s;
}

static struct stream *control_stream(struct rt_device *d)
{
	static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
	struct stream *s = NULL;

	pthread_mutex_lock(&making);
	pthread_mutex_lock(&rt_lock);
	s = d->control;
	pthread_mutex_unlock(&rt_lock);
	if (!s)
		s = control_new(d);
	pthread_mutex_unlock(&making);
	return s;
}

/* What SetDevice and CreateStream hand to the device on their own account. */
void stream_control_task(struct rt_device *d, bool wait)
{
	struct sim_sqe sqe = { .type = SQE_PLACEHOLDER };
	struct task task = { 0 };
	struct stream *s = control_stream(d);

	if (!s)
		return;
	stream_submit(s, &sqe, &task, SUBMIT_UNCOUNTED);
	if (wait)
		stream_wait(s, -1, 0);
}
