// SPDX-License-Identifier: Apache-2.0
/*
 * aclrtDestroyStream waits for what the stream still has to do: here an event that
 * nobody records. The program hangs in a call whose name says nothing of waiting.
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

	CALL(aclrtStreamWaitEvent(stream, event));
	example_print_task("task");
	example_print_stream("stream", stream);
	example_print_event("event", event);
	example_print("hanging", 1);
	CALL(aclrtDestroyStream(stream));
	return 0;
}
