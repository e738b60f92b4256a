// SPDX-License-Identifier: Apache-2.0
/*
 * The calling thread's last error and error text. The text grows with every
 * failed call until somebody takes it; its first code is that of the first failure.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "simulator/runtime/runtime.h"

enum { TEXT_SIZE = 4096, DETAIL_SIZE = 512, INNER_CODES = 0x7030000 };

struct thread_errors {
	int last;
	char ee[8]; /* for the code about to be returned */
	char detail[DETAIL_SIZE];
	size_t used;
	char text[TEXT_SIZE];
	char taken[TEXT_SIZE];
};

static pthread_key_t errors_key;
static pthread_once_t errors_once = PTHREAD_ONCE_INIT;
static _Thread_local struct thread_errors *errors;

static void errors_init(void)
{
	pthread_key_create(&errors_key, free);
}

static struct thread_errors *own_errors(void)
{
	if (errors)
		return errors;
	pthread_once(&errors_once, errors_init);
	errors = calloc(1, sizeof(*errors));
	if (errors)
		pthread_setspecific(errors_key, errors);
	return errors;
}

static const struct {
	int code;
	const char *ee;
	const char *title;
} texts[] = {
	{ ACL_ERROR_RT_PARAM_INVALID, "EE1003", "Invalid_Argument" },
	{ ACL_ERROR_RT_INVALID_DEVICEID, "EE1003", "Invalid_Argument_Device" },
	{ ACL_ERROR_RT_CONTEXT_NULL, "EE1001", "Context_Null" },
	{ ACL_ERROR_RT_STREAM_NO_CB_REG, "EE1018", "Stream_Not_Subscribed" },
	{ ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "EE1001", "Feature_Not_Supported" },
	{ ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "EE1002", "Execution_Error_Stream_Synchronize_Timeout" },
	{ ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "EE1002", "Execution_Error_Event_Synchronize_Timeout" },
	{ ACL_ERROR_RT_NO_STREAM_RESOURCE, "EE1023", "Resource_Exhausted" },
	{ ACL_ERROR_RT_NO_EVENT_RESOURCE, "EE1023", "Resource_Exhausted" },
	{ ACL_ERROR_RT_NO_NOTIFY_RESOURCE, "EE1023", "Resource_Exhausted" },
	{ ACL_ERROR_RT_STREAM_CAPTURED, "EE1016", "Capture_Error" },
	{ ACL_ERROR_RT_EVENT_CAPTURED, "EE1016", "Capture_Error" },
	{ ACL_ERROR_RT_STREAM_NOT_CAPTURED, "EE1016", "Capture_Error" },
	{ ACL_ERROR_RT_STREAM_UNJOINED, "EE9999", "Inner_Error" },
	{ ACL_ERROR_RT_MEMORY_ALLOCATION, "EL0004", "Memory_Allocation_Failure" },
};

static const struct {
	int code;
	unsigned inner;
	const char *text;
} code_names[] = {
	{ ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, 0x10, "stream sync timeout" },
	{ ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, 0x11, "event sync timeout" },
	{ ACL_ERROR_RT_LOST_HEARTBEAT, 0x0b, "lost heartbeat" },
	{ ACL_ERROR_RT_AICORE_TIMEOUT, 0x25, "aicore timeout" },
	{ ACL_ERROR_RT_AICORE_EXCEPTION, 0x26, "aicore exception" },
	{ ACL_ERROR_RT_AICPU_TIMEOUT, 0x28, "aicpu timeout" },
	{ ACL_ERROR_RT_AICPU_EXCEPTION, 0x2a, "aicpu exception" },
	{ ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, 0x31, "vector core exception" },
	{ ACL_ERROR_RT_SYS_DMA, 0x34, "sdma error" },
	{ ACL_ERROR_RT_SUSPECT_REMOTE_ERROR, 0x5f, "suspect remote error" },
	{ ACL_ERROR_RT_WAIT_TIMEOUT, 0x13, "wait timeout" },
	{ ACL_ERROR_RT_PARAM_INVALID, 0x00, "param invalid" },
	{ ACL_ERROR_RT_CONTEXT_NULL, 0x02, "context pointer null" },
	{ ACL_ERROR_RT_FEATURE_NOT_SUPPORT, 0x07, "feature not support" },
};

const char *code_text(int code)
{
	for (size_t i = 0; i < sizeof(code_names) / sizeof(code_names[0]); i++)
		if (code_names[i].code == code)
			return code_names[i].text;
	return NULL;
}

unsigned code_inner(int code)
{
	for (size_t i = 0; i < sizeof(code_names) / sizeof(code_names[0]); i++)
		if (code_names[i].code == code)
			return code_names[i].inner;
	return (unsigned)(code % 1000);
}

static void text_of(int code, const char **ee, const char **title)
{
	*ee = code >= 500000 ? "EE9999" : "EE1003";
	*title = code >= 500000 ? "Inner_Error" : "Invalid_Argument";
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (texts[i].code != code)
			continue;
		*ee = texts[i].ee;
		*title = texts[i].title;
	}
	if (version_is_master() && code == ACL_ERROR_RT_CONTEXT_NULL)
		*ee = "EE1018";
	if (version_is_master() && code == ACL_ERROR_RT_STREAM_UNJOINED)
		*ee = "EE1017";
}

int fail(int code, const char *ee, const char *format, ...)
{
	struct thread_errors *e = own_errors();
	va_list ap;

	if (!e)
		return code;
	snprintf(e->ee, sizeof(e->ee), "%s", ee ? ee : "");
	va_start(ap, format);
	vsnprintf(e->detail, sizeof(e->detail), format, ap);
	va_end(ap);
	return code;
}

static void stamp(char *to, size_t size)
{
	struct timespec t;
	struct tm tm;
	size_t n;

	clock_gettime(CLOCK_REALTIME, &t);
	localtime_r(&t.tv_sec, &tm);
	n = strftime(to, size, "%Y-%m-%d-%H:%M:%S", &tm);
	snprintf(to + n, size - n, ".%03ld.%03ld", t.tv_nsec / 1000000, t.tv_nsec / 1000 % 1000);
}

static void text_add(struct thread_errors *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void text_add(struct thread_errors *e, const char *format, ...)
{
	va_list ap;
	int n;

	if (e->used >= TEXT_SIZE - 1)
		return;
	va_start(ap, format);
	n = vsnprintf(e->text + e->used, TEXT_SIZE - e->used, format, ap);
	va_end(ap);
	if (n > 0)
		e->used = e->used + (size_t)n < TEXT_SIZE ? e->used + (size_t)n : TEXT_SIZE - 1;
}

static void text_report(struct thread_errors *e, const char *ee, const char *title, const char *detail,
			const char *function)
{
	char when[48];

	if (e->used) { /* the first failure keeps the head line */
		text_add(e, "        %s. %s execution failed.\n", detail, function);
		return;
	}
	stamp(when, sizeof(when));
	text_add(e, "[PID: %d] %s %s(%s): %s\n", (int)getpid(), when, title, ee, detail);
	if (strcmp(ee, "EE1002") == 0)
		text_add(e, "        Possible Cause: 1. The timeout interval may be improperly set.\n"
			    "        Solution: 1. Check whether the timeout interval is properly set. "
			    "2. Check whether the network is normal.\n");
	text_add(e, "TraceBack (most recent call last):\n        %s. %s execution failed.\n", detail,
		 function);
}

int rt_done(int code, const char *function)
{
	struct thread_errors *e;
	const char *ee, *title;

	if (code == 0)
		return 0;
	e = own_errors();
	if (!e)
		return code;
	text_of(code, &ee, &title);
	if (e->ee[0])
		ee = e->ee;
	if (!e->detail[0])
		snprintf(e->detail, sizeof(e->detail), "%s failed, error=%d", function, code);
	e->last = code;
	text_report(e, ee, title, e->detail, function);
	log_line(LOG_ERROR, "RUNTIME", "api_c.cc", 184, function, "ErrCode=%d, desc=[%s], InnerCode=0x%x",
		 code, code_text(code) ? code_text(code) : e->detail, INNER_CODES + code_inner(code));
	log_line(LOG_ERROR, "RUNTIME", "error_message_manage.cc", 65, "FuncErrorReason",
		 "%s execution failed.", function);
	e->ee[0] = '\0';
	e->detail[0] = '\0';
	return code;
}

rtError_t rtPeekAtLastError(int level)
{
	struct thread_errors *e = own_errors();

	return e ? e->last : 0;
}

rtError_t rtGetLastError(int level)
{
	struct thread_errors *e = own_errors();
	int last = e ? e->last : 0;

	if (e)
		e->last = 0;
	return last;
}

void rtReportInputError(const char *eh, const char *text)
{
	struct thread_errors *e = own_errors();

	if (e)
		text_report(e, eh, "Invalid_Argument", text, "acl");
}

/* Without a context the answer is always about that, and stays. */
static const char *no_context_text(struct thread_errors *e)
{
	const char *ee, *title;
	char when[48];

	text_of(ACL_ERROR_RT_CONTEXT_NULL, &ee, &title);
	stamp(when, sizeof(when));
	snprintf(e->taken, sizeof(e->taken),
		 "[PID: %d] %s %s(%s): The context of the thread is NULL. "
		 "Call aclrtSetDevice or aclrtSetCurrentContext first.\n",
		 (int)getpid(), when, title, ee);
	return e->taken;
}

const char *rtTakeErrorText(void)
{
	struct thread_errors *e = own_errors();
	struct context *c = NULL;

	if (!e)
		return NULL;
	if (context_current(&c) != 0) {
		e->detail[0] = e->ee[0] = '\0';
		return no_context_text(e);
	}
	if (!e->used)
		return NULL;
	memcpy(e->taken, e->text, e->used + 1);
	e->used = 0;
	e->text[0] = '\0';
	return e->taken;
}
