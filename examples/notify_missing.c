// SPDX-License-Identifier: Apache-2.0
/*
 * As seen in the field: stream A waits for a notify that nobody records, stream B for an
 * event recorded on A behind that wait, and the host synchronizes B. B's wait is in good
 * order; the missing notify is the cause.
 */
#include "example_common.h"

int main(int argc, char **argv)
{
	struct example_options o;
	aclrtStream a, b;
	aclrtNotify notify;
	aclrtEvent event;
	uint32_t id = 0;

	if (example_parse(argc, argv, &o) != 0)
		return 2;
	example_start();
	example_threads(&o);
	example_decoys(&o);
	CALL(aclrtCreateStream(&a));
	CALL(aclrtCreateStream(&b));
	CALL(aclrtCreateNotify(&notify, 0));
	CALL(aclrtCreateEvent(&event));
	example_tasks(&o, a);

	CALL(aclrtWaitAndResetNotify(notify, a, 0));
	example_print_task("task");
	CALL(aclrtRecordEvent(event, a));
	CALL(aclrtStreamWaitEvent(b, event));
	CALL(aclrtGetNotifyId(notify, &id));
	example_print("notify", id);
	example_print_event("event", event);
	example_print_stream("stream", a);
	example_print_stream("waiting", b);
	example_print("hanging", 1);
	CALL(aclrtSynchronizeStream(b));
	return 0;
}
