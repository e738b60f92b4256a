// SPDX-License-Identifier: Apache-2.0
/*
 * Looks like event_never_recorded for a while: but a second thread, which has
 * never called acl before, records the event after six seconds. Nobody may
 * claim that this wait can never end.
 */
#include "example_common.h"

enum { LATE_S = 6 };

struct late {
	aclrtContext context;
	aclrtStream stream;
	aclrtEvent event;
};

static void *record_late(void *data)
{
	struct late *late = data;

	sleep(LATE_S);
	CALL(aclrtSetCurrentContext(late->context));
	CALL(aclrtRecordEvent(late->event, late->stream));
	return NULL;
}

int main(int argc, char **argv)
{
	struct example_options o;
	struct late late;
	aclrtStream stream;
	pthread_t thread;

	if (example_parse(argc, argv, &o) != 0)
		return 2;
	example_start();
	example_threads(&o);
	example_decoys(&o);
	CALL(aclrtGetCurrentContext(&late.context));
	CALL(aclrtCreateStream(&stream));
	CALL(aclrtCreateStream(&late.stream));
	CALL(aclrtCreateEventWithFlag(&late.event, ACL_EVENT_SYNC));
	example_tasks(&o, stream);
	if (pthread_create(&thread, NULL, record_late, &late) != 0)
		return 1;

	CALL(aclrtStreamWaitEvent(stream, late.event));

	example_print_stream("stream", stream);
	example_print_event("event", late.event);
	example_print_task("task");
	example_print("hanging", 1);
	CALL(aclrtSynchronizeStream(stream));
	example_print("hanging", 0);
	pthread_join(thread, NULL);
	example_end();
	return 0;
}
