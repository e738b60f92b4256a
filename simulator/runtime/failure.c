// SPDX-License-Identifier: Apache-2.0
/*
 * Tasks that failed: the log lines, the program's own exception function, and
 * the saved traces. Noted where the completion is read; told by the recycle
 * thread, which holds no lock then.
 */
#include <stdlib.h>
#include "simulator/runtime/runtime.h"
#include "simulator/trace/atrace.h"

struct failure {
	struct failure *next;
	uint32_t device, stream, task, thread;
	int type, code;
};

extern TraStatus AtraceEventReportSync(TraEventHandle eventHandle) __attribute__((weak));

static pthread_mutex_t failure_lock = PTHREAD_MUTEX_INITIALIZER;
static struct failure *failures; /* latest first */
static _Atomic(rtTaskFailFunction) told_function;

void rtSetTaskFailFunction(rtTaskFailFunction function)
{
	atomic_store(&told_function, function);
}

void failure_note(const struct stream *s, const struct sim_cqe *cqe, uint32_t thread)
{
	struct failure *f = calloc(1, sizeof(*f));

	if (!f)
		return;
	*f = (struct failure){
		NULL, s->context->device->id, s->id, cqe->task_id, thread, (int)cqe->type, (int)cqe->error,
	};
	pthread_mutex_lock(&failure_lock);
	f->next = failures;
	failures = f;
	pthread_mutex_unlock(&failure_lock);
}

static struct failure *failures_take(void)
{
	struct failure *f, *ordered = NULL;

	pthread_mutex_lock(&failure_lock);
	while ((f = failures)) {
		failures = f->next;
		f->next = ordered;
		ordered = f;
	}
	pthread_mutex_unlock(&failure_lock);
	return ordered;
}

static void failure_log(const struct failure *f)
{
	if (f->type == SQE_EVENT_WAIT || f->type == SQE_NOTIFY_WAIT)
		rt_log(LOG_ERROR,
		       "Task Wait Event or Notify timeout, device_id=%u, stream_id=%u, task_id=%u, "
		       "task_type=%d(%s), retCode=%d",
		       f->device, f->stream, f->task, task_number(f->type), task_name(f->type), f->code);
	else
		rt_log(LOG_ERROR,
		       "Task run failed, device_id=%u, stream_id=%u, task_id=%u, sqe_type=%d(%s), "
		       "errType=0x1, sqSwStatus=0, retCode=%d",
		       f->device, f->stream, f->task, f->type,
		       f->type == SQE_KERNEL ? "ffts" : task_name(f->type), f->code);
}

void failures_tell(void)
{
	struct failure *f = failures_take();
	bool any = f != NULL;

	while (f) {
		struct failure *next = f->next;
		rtTaskFailFunction function = atomic_load(&told_function);

		failure_log(f);
		if (function)
			function(f->device, f->stream, f->task, f->thread, f->code);
		free(f);
		f = next;
	}
	if (any && AtraceEventReportSync)
		AtraceEventReportSync(1);
}
