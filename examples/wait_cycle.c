// SPDX-License-Identifier: Apache-2.0
/*
 * Two streams and two events: each stream waits for the event that the other
 * one records behind its own wait. Neither can move.
 */
#include "example_common.h"

int main(int argc, char **argv)
{
	struct example_options o;
	aclrtStream a, b;
	aclrtEvent from_a, from_b;

	if (example_parse(argc, argv, &o) != 0)
		return 2;
	example_start();
	example_threads(&o);
	example_decoys(&o);
	CALL(aclrtCreateStream(&a));
	CALL(aclrtCreateStream(&b));
	CALL(aclrtCreateEventWithFlag(&from_a, ACL_EVENT_SYNC));
	CALL(aclrtCreateEventWithFlag(&from_b, ACL_EVENT_SYNC));
	example_tasks(&o, a);

	CALL(aclrtStreamWaitEvent(a, from_b));
	example_print_task("wait_a");
	CALL(aclrtRecordEvent(from_a, a));
	CALL(aclrtStreamWaitEvent(b, from_a));
	example_print_task("wait_b");
	CALL(aclrtRecordEvent(from_b, b));

	example_print_stream("stream_a", a);
	example_print_stream("stream_b", b);
	example_print_event("event_a", from_a); /* recorded on a, waited for by b */
	example_print_event("event_b", from_b);
	example_print("hanging", 1);
	CALL(aclrtSynchronizeStream(a));
	example_print("hanging", 0);
	example_end();
	return 0;
}
