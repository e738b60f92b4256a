// SPDX-License-Identifier: Apache-2.0
/*
 * Tasks that failed: the log lines, the program's own exception function, and
 * the saved traces. Noted where the completion is read; told by the recycle
 * thread, which holds no lock then.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>
#include "simulator/runtime/runtime.h"
#include "simulator/trace/atrace.h"

struct failure {
	struct failure *next;
	uint32_t device, stream, task, thread;
	int type, code;
	uint64_t entry; /* of a kernel */
};

extern TraStatus AtraceEventReportSync(TraEventHandle eventHandle) __attribute__((weak));

static pthread_mutex_t failure_lock = PTHREAD_MUTEX_INITIALIZER;
static struct failure *failures; /* latest first */
static _Atomic(rtTaskFailFunction) told_function;
static _Atomic uint64_t noted, told; /* how many */
static _Thread_local bool telling;

enum { TELL_LIMIT_MS = 1000 };

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
		NULL,	s->context->device->id, s->id,		 cqe->task_id,
		thread, (int)cqe->type,		(int)cqe->error, cqe->cookie,
	};
	pthread_mutex_lock(&failure_lock);
	f->next = failures;
	failures = f;
	atomic_fetch_add(&noted, 1);
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

static void log_wait_timeout(const struct failure *f)
{
	log_line(LOG_ERROR, "RUNTIME", "stars_engine.cc", 1602, "ProcLogicCqReport",
		 "Task Wait Event or Notify timeout, device_id=%u, stream_id=%u, task_id=%u, "
		 "task_type=%d(%s), retCode=%d",
		 f->device, f->stream, f->task, task_number(f->type), task_name(f->type), f->code);
}

static void log_kernel(const struct failure *f)
{
	Dl_info info = { 0 };
	const char *name = "none";

	/* the entry is an exported function of the kernel's library */
	if (f->entry && dladdr((void *)(uintptr_t)f->entry, &info) && info.dli_sname)
		name = info.dli_sname;
	log_line(LOG_ERROR, "RUNTIME", "davinci_kernel_task.cc", 1482, "PreCheckTaskErr",
		 "Kernel task happen error, retCode=0x%x, [%s].", code_inner(f->code),
		 code_text(f->code) ? code_text(f->code) : "unknown");
	log_line(LOG_ERROR, "RUNTIME", "davinci_kernel_task.cc", 1393, "PrintErrorInfoForDavinciTask",
		 "Aicore kernel execute failed, device_id=%u, stream_id=%u, report_stream_id=%u, task_id=%u, "
		 "flip_num=0, "
		 "fault kernel_name=%s, fault kernel info ext=none, program id=0, hash=0.",
		 f->device, f->stream, f->stream, f->task, name);
}

static void failure_log(const struct failure *f)
{
	if (f->type == SQE_EVENT_WAIT || f->type == SQE_NOTIFY_WAIT) {
		log_wait_timeout(f);
		return;
	}
	log_line(LOG_ERROR, "RUNTIME", "stars_engine.cc", 1565, "ProcLogicCqReport",
		 "Task run failed, device_id=%u, stream_id=%u, task_id=%u, sqe_type=%d(%s), errType=0x1(task "
		 "exception), "
		 "sqSwStatus=0",
		 f->device, f->stream, f->task, f->type, f->type == SQE_KERNEL ? "ffts" : task_name(f->type));
	if (f->type == SQE_KERNEL)
		log_kernel(f);
}

void failures_tell(void)
{
	struct failure *f = failures_take();
	uint64_t count = 0;

	telling = true;
	while (f) {
		struct failure *next = f->next;
		rtTaskFailFunction function = atomic_load(&told_function);

		failure_log(f);
		if (function)
			function(f->device, f->stream, f->task, f->thread, f->code);
		free(f);
		f = next;
		count++;
	}
	if (count && AtraceEventReportSync)
		AtraceEventReportSync(1);
	atomic_fetch_add(&told, count);
	telling = false;
}

/*
 * Who gets an error from a synchronize may end the process at once: what is
 * to be read about it afterwards must have been written by then.
 */
void failures_wait(void)
{
	uint64_t until = atomic_load(&noted);

	for (int i = 0; i < TELL_LIMIT_MS && !telling && atomic_load(&told) < until; i++)
		usleep(1000);
}
