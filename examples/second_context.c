// SPDX-License-Identifier: Apache-2.0
/*
 * Two contexts of one device. The host synchronizes the device, which covers the current
 * context only: what does not move there is its default stream (NULL), which waits for an
 * event that nobody records. The other context's streams are idle.
 */
#include "example_common.h"

int main(int argc, char **argv)
{
	struct example_options o;
	aclrtContext second;
	aclrtStream idle;
	aclrtEvent event;

	if (example_parse(argc, argv, &o) != 0)
		return 2;
	example_start();
	example_threads(&o);
	example_decoys(&o);
	CALL(aclrtCreateStream(&idle));
	example_tasks(&o, idle);
	CALL(aclrtCreateContext(&second, 0)); /* and it is the current one from here on */
	CALL(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC));

	CALL(aclrtStreamWaitEvent(NULL, event));
	example_print_task("task");
	example_print_stream("stream", NULL);
	example_print_event("event", event);
	example_print("hanging", 1);
	CALL(aclrtSynchronizeDevice());
	return 0;
}
