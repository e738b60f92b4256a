// SPDX-License-Identifier: Apache-2.0
/*
 * The runtime's own event feed: one text per event task, completion and
 * timeout, handed to libascend_trace if there is one (weak references).
 * Notify waits are not in it; they stand in the process log only.
 */
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "simulator/runtime/runtime.h"
#include "simulator/trace/atrace.h"

enum { TEXT_SIZE = 112, SCHEDULE_TRACER = 0, RECORD_CQE_TYPE = 4 };

extern TraHandle AtraceCreate(TracerType tracerType, const char *objName) __attribute__((weak));
extern TraStatus AtraceSubmit(TraHandle handle, const void *buffer, uint32_t bufSize) __attribute__((weak));

static _Atomic(TraHandle) handles[SIM_MAX_DEVICES];
static _Thread_local int cached_tid;

int own_tid(void)
{
	if (!cached_tid)
		cached_tid = (int)syscall(SYS_gettid);
	return cached_tid;
}

void feed_start(struct rt_device *d)
{
	char name[40];

	if (!AtraceCreate)
		return;
	snprintf(name, sizeof(name), "RUNTIME_ATRACE_DEV%u_TS0", d->id);
	atomic_store(&handles[d->id], AtraceCreate(SCHEDULE_TRACER, name));
}

static void feed(uint32_t device, char *text, int length)
{
	if (!AtraceSubmit || length <= 0 || !atomic_load(&handles[device]))
		return;
	if (length >= TEXT_SIZE)
		length = TEXT_SIZE - 1;
	AtraceSubmit(atomic_load(&handles[device]), text, (uint32_t)length + 1);
}

/* Enough of the address to tell events apart: the texts have room for little. */
static unsigned short_address(const void *p)
{
	return (unsigned)((uintptr_t)p & 0xffff);
}

/* The process log has what the real runtime writes when it fills an entry of the queue. */
static void log_task(const struct stream *s, const struct sim_sqe *sqe, uint32_t task_id)
{
	uint32_t device = s->context->device->id;

	switch (sqe->type & SQE_TYPE_MASK) {
	case SQE_EVENT_RECORD:
		log_line(LOG_INFO, "RUNTIME", "event_task_v100.cc", 80, "ConstructSqeForEventRecordTask",
			 "event_record: device_id=%u, stream_id=%u, task_id=%u, event_id=%u, sq_id=%u.",
			 device, s->id, task_id, sqe->object_id, s->sq_id);
		break;
	case SQE_EVENT_WAIT:
		log_line(LOG_INFO, "RUNTIME", "event_task_v100.cc", 205, "ConstructSqeForEventWaitTask",
			 "event_wait: device_id=%u, stream_id=%u, task_id=%u, event_id=%u, sq_id=%u, "
			 "timeout=%us.",
			 device, s->id, task_id, sqe->object_id, s->sq_id, sqe->timeout_s);
		break;
	case SQE_NOTIFY_RECORD:
		log_line(LOG_INFO, "RUNTIME", "notify_task_v100.cc", 98, "ConstructSqeForNotifyRecordTask",
			 "notify_record: notify_id=%u, stream_id=%u, task_id=%u, sq_id=%u, device_id=%u.",
			 sqe->object_id, s->id, task_id, s->sq_id, device);
		break;
	case SQE_NOTIFY_WAIT:
		log_line(LOG_INFO, "RUNTIME", "notify_task_v100.cc", 172, "ConstructSqeForNotifyWaitTask",
			 "notify_wait: notify_id=%u, stream_id=%u, task_id=%u, sq_id=%u, device_id=%u, "
			 "timeout=%us.",
			 sqe->object_id, s->id, task_id, s->sq_id, device, sqe->timeout_s);
		break;
	default:
		break;
	}
}

void feed_task(const struct stream *s, const struct sim_sqe *sqe, const struct task *t, uint32_t task_id)
{
	uint32_t device = s->context->device->id;
	char text[TEXT_SIZE];
	int n = 0;

	log_task(s, sqe, task_id);
	switch (sqe->type & SQE_TYPE_MASK) {
	case SQE_EVENT_RECORD:
		n = snprintf(text, sizeof(text),
			     "eventRecord:devId=%u,stmId=%u,tskId=%u,eventId=%u,"
			     "waitCqFlag=0,waitCqId=0,addr=0x%x,tid=%d",
			     device, s->id, task_id, sqe->object_id, short_address(t->ev), own_tid());
		break;
	case SQE_EVENT_WAIT:
		n = snprintf(text, sizeof(text),
			     "eventWait:devId=%u,stmId=%u,tskId=%u,eventId=%u,addr=0x%x,tid=%d", device,
			     s->id, task_id, sqe->object_id, short_address(t->ev), own_tid());
		break;
	case SQE_NOTIFY_RECORD:
		n = snprintf(text, sizeof(text),
			     "notifyRecord:devId=%u,stmId=%u,tskId=%u,notifyId=%u,isIpc=%d,"
			     "remoteDev=%u,tid=%d",
			     device, s->id, task_id, sqe->object_id, sqe->arg[0] != 0,
			     sqe->arg[0] ? sqe->object_device : device, own_tid());
		break;
	case SQE_WRITE_VALUE:
		if (sqe->kind == KIND_EVENT_RESET)
			n = snprintf(text, sizeof(text),
				     "eventReset:devId=%u,stmId=%u,tskId=%u,eventId=%u,isNotify=0,"
				     "addr=0x%x,tid=%d",
				     device, s->id, task_id, sqe->object_id, short_address(t->ev), own_tid());
		break;
	default:
		break;
	}
	feed(device, text, n);
}

void feed_completion(uint32_t device, const struct sim_cqe *cqe, uint32_t cq_id)
{
	char text[TEXT_SIZE];
	int n = snprintf(text, sizeof(text),
			 "CqReport:devId=%u,stmId=%u,tskId=%u,cqId=%u,errCode=%u,cqType=%d,tid=%d", device,
			 cqe->stream_id, cqe->task_id, cq_id, cqe->error, RECORD_CQE_TYPE, own_tid());

	feed(device, text, n);
}
