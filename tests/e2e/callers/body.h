// SPDX-License-Identifier: Apache-2.0
/*
 * Two hangs in their shortest form, for callers that reach the API in different ways:
 * by name, or (BODY_LOOKED_UP) by pointers that were looked up. Prints the ids as the examples do. Needs acl's header only.
 */
#ifndef TESTS_E2E_CALLERS_BODY_H
#define TESTS_E2E_CALLERS_BODY_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "acl/acl.h"

/* Every function that the hangs use: what a caller that looks them up must find. */
#define BODY_FUNCTIONS(each)                                                                                 \
	each(aclInit) each(aclrtSetDevice) each(aclrtCreateStream) each(aclrtCreateEventWithFlag)            \
	each(aclrtStreamWaitEvent) each(aclrtRecordEvent) each(aclrtSynchronizeStream)                       \
	each(aclrtStreamGetId) each(aclrtGetEventId) each(aclrtGetThreadLastTaskId)

#ifdef BODY_LOOKED_UP /* by the includer, into this */
#define BODY_FIELD(name) __typeof(&name) name;
static struct {
	BODY_FUNCTIONS(BODY_FIELD)
} body_table;
#define FUNCTION(name) (body_table.name)
#else
#define FUNCTION(name) name
#endif

#define DO(call)                                                  \
	do {                                                      \
		int err_ = (call);                                \
		if (err_) {                                       \
			fprintf(stderr, "%s -> %d\n", #call, err_); \
			exit(1);                                  \
		}                                                 \
	} while (0)

static inline void body_print(const char *key, long long value)
{
	printf("%s=%lld\n", key, value);
	fflush(stdout);
}

static inline void body_print_stream(const char *key, aclrtStream stream)
{
	int32_t id = -1;

	DO(FUNCTION(aclrtStreamGetId)(stream, &id));
	body_print(key, id);
}

static inline void body_print_event(const char *key, aclrtEvent event)
{
	uint32_t id = 0;

	DO(FUNCTION(aclrtGetEventId)(event, &id));
	body_print(key, id);
}

static inline void body_print_task(const char *key)
{
	uint32_t id = 0;

	DO(FUNCTION(aclrtGetThreadLastTaskId)(&id));
	body_print(key, id);
}

static inline void body_never_recorded(aclrtStream stream, aclrtEvent event)
{
	DO(FUNCTION(aclrtStreamWaitEvent)(stream, event));
	body_print_task("task");
	body_print_stream("stream", stream);
	body_print_event("event", event);
}

static inline void body_cycle(aclrtStream a, aclrtEvent from_a)
{
	aclrtStream b;
	aclrtEvent from_b;

	DO(FUNCTION(aclrtCreateStream)(&b));
	DO(FUNCTION(aclrtCreateEventWithFlag)(&from_b, ACL_EVENT_SYNC));
	DO(FUNCTION(aclrtStreamWaitEvent)(a, from_b));
	body_print_task("wait_a");
	DO(FUNCTION(aclrtRecordEvent)(from_a, a));
	DO(FUNCTION(aclrtStreamWaitEvent)(b, from_a));
	body_print_task("wait_b");
	DO(FUNCTION(aclrtRecordEvent)(from_b, b));
	body_print_stream("stream_a", a);
	body_print_stream("stream_b", b);
	body_print_event("event_a", from_a);
	body_print_event("event_b", from_b);
}

static inline int body_run(const char *hang)
{
	aclrtStream stream;
	aclrtEvent event;

	DO(FUNCTION(aclInit)(NULL));
	DO(FUNCTION(aclrtSetDevice)(0));
	DO(FUNCTION(aclrtCreateStream)(&stream));
	DO(FUNCTION(aclrtCreateEventWithFlag)(&event, ACL_EVENT_SYNC));
	if (strcmp(hang, "wait_cycle") == 0)
		body_cycle(stream, event);
	else
		body_never_recorded(stream, event);
	body_print("hanging", 1);
	DO(FUNCTION(aclrtSynchronizeStream)(stream));
	return 0;
}

#endif
