// SPDX-License-Identifier: Apache-2.0
/* Classifying stack listings (stack_place.h). Needs the model only. */
#include "analyzer/diagnose/stack_place.h"

#include <string.h>

static const char *const helper_names[] = { "alogFlush", "PlogFlush", "awatchdog", "AtraceMonitor", "RT_RECYCLE",
					    "MONITOR_",	 "REPORT_RAS", "davinci_dev", "HwtsLog",	 "slogd",
					    "adx_",	 "msprof",    NULL };
static const char *const cann_places[] = { "/Ascend/",	  "libascendcl", "libacl_rt", "libruntime", "libascend_",
					   "libhccl",	  "libhcomm",	 "libge_",    "libte_fusion", "libopapi",
					   "libnnopbase", "libunified_dlog", "libmmpa", NULL };
static const char *const system_places[] = { "libc.so", "libc-2", "libpthread", "libstdc++", "ld-linux", "/nptl/",
					     "/sysdeps/", "sysdeps", "pthread_create", "clone", NULL };
static const char *const submit_names[] = { "SendTask",	      "SubmitTask", "SendingWait", "TaskReclaim",
					    "AllocTaskAndSend", "SubmitSend", "halSqTaskSend", "halSqMsgSend", NULL };
static const char *const sync_names[] = { "6Stream11Synchronize", "Stream::Synchronize", "SynchronizeExecutedTask",
					  "StreamSynchronize",	  "Context::Synchronize", "7Context11Synchronize",
					  "SynchronizeImpl",	  "SyncTask", NULL };

static bool has_word(const char *text, const char *const *words)
{
	for (; text && *words; words++)
		if (strstr(text, *words))
			return true;
	return false;
}

size_t stack_find(const struct stack *stack, const char *const *words)
{
	for (size_t i = 0; i < stack->frame_count; i++)
		if (has_word(stack->frames[i].function, words))
			return i;
	return SIZE_MAX;
}

/* A CANN library's own thread: nothing of the program or an interpreter is on it. */
bool stack_is_helper(const struct stack *stack)
{
	bool cann = false;

	if (has_word(stack->name, helper_names))
		return true;
	for (size_t i = 0; i < stack->frame_count; i++) {
		const struct stack_frame *frame = &stack->frames[i];

		if (has_word(frame->place, cann_places))
			cann = true;
		else if (frame->function && !strcmp(frame->function, "main"))
			return false;
		else if (frame->place && !has_word(frame->place, system_places))
			return false;
		else if (!frame->place && frame->function && i + 2 < stack->frame_count && !cann)
			return false;
	}
	return cann;
}

static bool is_exported(const char *name)
{
	return name && (!strncmp(name, "acl", 3) || !strncmp(name, "Hccl", 4) ||
			(!strncmp(name, "rt", 2) && name[2] >= 'A' && name[2] <= 'Z'));
}

static bool is_sync_call(const char *name)
{
	static const char *const words[] = { "Synchronize", "DestroyStream", "StreamDestroy", "ResetDevice",
					     "DeviceReset", "WithDevSync",   "DestroyContext", "aclmdlExecute",
					     "rtModelExecute", "SetDevice",  NULL };

	if (!strncmp(name, "aclmdlExecuteAsync", 18))
		return false;
	return has_word(name, words);
}

static bool is_submit_call(const char *name)
{
	static const char *const words[] = { "Launch", "Async", "Record", "WaitEvent", "WaitAndReset", "Hccl", "aclnn",
					     "aclopExecute", "ValueWait", "ValueWrite", "StreamWait", NULL };

	return has_word(name, words);
}

/* What a worker does while nobody wants anything of it. */
static bool is_waiting_for_work(const struct stack *stack)
{
	static const char *const inner[] = { "select", "epoll_wait", "accept", "recv", "receive", "poll", "dequeue", "kqueue",
					     "get", "wait", "read_message", "sem_wait", "cond_wait", "futex", NULL };
	static const char *const loops[] = { "run_forever",	"serve", "_run_once", "worker_busy_loop", "run_busy_loop",
					     "wait_for_work",	"command_channel", "message_queue", "rpc_broadcast",
					     "uvicorn",		"asyncio", "event_loop", "main_loop", "recv_multipart",
					     "grpc",		"accept", "server", NULL };
	bool waits = false, loop = false;

	for (size_t i = 0; i < stack->frame_count; i++) {
		if (i < 2)
			waits |= has_word(stack->frames[i].function, inner);
		loop |= has_word(stack->frames[i].function, loops) || has_word(stack->frames[i].place, loops);
	}
	return waits && loop;
}

/* A Python stack begins in a module or in a thread's start; what ends before is cut. */
static bool is_whole(const struct stack *stack)
{
	static const char *const beginnings[] = { "<module>", "_bootstrap", "<frozen", "main", "run", NULL };

	if (stack->form != STACK_PYTHON && stack->form != STACK_FAULTHANDLER)
		return true;
	return stack->frame_count && has_word(stack->frames[stack->frame_count - 1].function, beginnings);
}

enum stack_place stack_place(const struct stack *stack, const char **api)
{
	const char *boundary = NULL;
	bool cann = false;

	*api = NULL;
	if (stack_is_helper(stack))
		return PLACE_HELPER;
	for (size_t i = 0; i < stack->frame_count; i++) {
		const struct stack_frame *frame = &stack->frames[i];

		cann |= has_word(frame->place, cann_places);
		if (is_exported(frame->function))
			boundary = frame->function; /* the outermost counts */
	}
	*api = boundary;
	if (boundary && is_sync_call(boundary))
		return PLACE_SYNC;
	if (boundary && is_submit_call(boundary))
		return PLACE_SUBMIT;
	if (boundary || cann) {
		if (stack_find(stack, sync_names) != SIZE_MAX)
			return PLACE_SYNC;
		if (stack_find(stack, submit_names) != SIZE_MAX)
			return PLACE_SUBMIT;
	}
	if (boundary || cann)
		return PLACE_CANN;
	if (is_waiting_for_work(stack))
		return PLACE_IDLE;
	return is_whole(stack) ? PLACE_ELSEWHERE : PLACE_HELPER;
}
