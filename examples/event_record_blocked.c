// SPDX-License-Identifier: Apache-2.0
/*
 * Stream B waits for an event that has been recorded, on stream A, behind a kernel that
 * never ends. Who looks at B sees a wait for an event; the cause is A's kernel.
 */
#include "example_kernel.h"

int main(int argc, char **argv)
{
	struct example_options o;
	aclrtFuncHandle kernel;
	aclrtStream a, b;
	aclrtEvent event;

	if (example_parse(argc, argv, &o) != 0)
		return 2;
	example_start();
	example_threads(&o);
	example_decoys(&o);
	kernel = example_kernel("never_ends");
	CALL(aclrtCreateStream(&a));
	CALL(aclrtCreateStream(&b));
	CALL(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
	example_tasks(&o, a);

	example_launch(kernel, a, 0);
	example_print_task("task");
	CALL(aclrtRecordEvent(event, a));
	CALL(aclrtStreamWaitEvent(b, event));
	example_print_event("event", event);
	example_print_stream("stream", a);
	example_print_stream("waiting", b);
	example_print("hanging", 1);
	CALL(aclrtSynchronizeStream(b));
	return 0;
}
