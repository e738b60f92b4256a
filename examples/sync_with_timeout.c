// SPDX-License-Identifier: Apache-2.0
/*
 * A wait that the program itself gives up on: the synchronize times out with
 * 507046, the program records the event after all and ends in good order.
 */
#include "example_common.h"

enum { TIMEOUT_MS = 3000 };

int main(int argc, char **argv)
{
	struct example_options o;
	aclrtStream stream, other;
	aclrtEvent event;
	aclError err;

	if (example_parse(argc, argv, &o) != 0)
		return 2;
	example_start();
	example_threads(&o);
	example_decoys(&o);
	CALL(aclrtCreateStream(&stream));
	CALL(aclrtCreateStream(&other));
	CALL(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC));
	example_tasks(&o, stream);

	CALL(aclrtStreamWaitEvent(stream, event));
	example_print_stream("stream", stream);
	example_print_event("event", event);
	example_print_task("task");
	example_print("hanging", 1);
	err = aclrtSynchronizeStreamWithTimeout(stream, TIMEOUT_MS);
	example_print("result", err);
	if (err != ACL_ERROR_RT_STREAM_SYNC_TIMEOUT)
		return 1;

	CALL(aclrtRecordEvent(event, other));
	CALL(aclrtSynchronizeStream(stream));
	example_print("hanging", 0);
	CALL(aclrtDestroyEvent(event));
	CALL(aclrtDestroyStream(other));
	CALL(aclrtDestroyStream(stream));
	example_end();
	return 0;
}
