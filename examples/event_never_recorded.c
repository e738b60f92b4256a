// SPDX-License-Identifier: Apache-2.0
/*
 * A stream waits for an event that nobody ever records, and the program waits
 * for the stream: the plainest hang there is.
 */
#include "example_common.h"

int main(int argc, char **argv)
{
	struct example_options o;
	aclrtStream stream;
	aclrtEvent event;

	if (example_parse(argc, argv, &o) != 0)
		return 2;
	example_start();
	example_threads(&o);
	example_decoys(&o);
	CALL(aclrtCreateStream(&stream));
	CALL(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC));
	example_tasks(&o, stream);

	/* A SYNC event can be waited for before it is recorded; here the record never comes. */
	CALL(aclrtStreamWaitEvent(stream, event));

	example_print_stream("stream", stream);
	example_print_event("event", event);
	example_print_task("task");
	example_print("hanging", 1);
	CALL(aclrtSynchronizeStream(stream));
	example_print("hanging", 0);
	example_end();
	return 0;
}
