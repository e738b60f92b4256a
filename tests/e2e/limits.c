// SPDX-License-Identifier: Apache-2.0
/*
 * Waits with time limits, and waits that somebody outside may end: one program, one
 * argument. Prints "hanging=1" before it blocks and ends in good order.
 *
 *   polls MS    asks a stream again and again for MS ms, until another thread records
 *   wait        an event wait with a limit of 3 s, and a synchronize without one
 *   exported    a notify that another process may record; stands for 6 s
 */
#include "examples/example_common.h"

static aclrtEvent event;
static aclrtStream other;

static void *record_late(void *unused)
{
	(void)unused;
	sleep(3);
	CALL(aclrtSetDevice(0));
	CALL(aclrtRecordEvent(event, other));
	CALL(aclrtSynchronizeStream(other));
	return NULL;
}

static void polls(aclrtStream stream, int32_t ms)
{
	pthread_t thread;
	aclError err;

	CALL(aclrtStreamWaitEvent(stream, event));
	if (pthread_create(&thread, NULL, record_late, NULL) != 0)
		exit(1);
	do
		err = aclrtSynchronizeStreamWithTimeout(stream, ms);
	while (err == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
	CALL(err);
	pthread_join(thread, NULL);
}

static void wait_limited(aclrtStream stream)
{
	aclError err;

	CALL(aclrtSetOpWaitTimeout(3));
	CALL(aclrtStreamWaitEvent(stream, event));
	example_print_stream("stream", stream);
	example_print_event("event", event);
	example_print("hanging", 1);
	err = aclrtSynchronizeStream(stream);
	example_print("result", err);
}

static void exported(aclrtStream stream)
{
	aclrtNotify notify;
	char key[128];
	uint32_t id;

	CALL(aclrtCreateNotify(&notify, 0));
	CALL(aclrtNotifyGetExportKey(notify, key, sizeof(key), 0));
	CALL(aclrtWaitAndResetNotify(notify, stream, 0));
	CALL(aclrtGetNotifyId(notify, &id));
	example_print_stream("stream", stream);
	example_print("notify", id);
	example_print("hanging", 1);
	if (aclrtSynchronizeStreamWithTimeout(stream, 6000) != ACL_ERROR_RT_STREAM_SYNC_TIMEOUT)
		exit(1);
	CALL(aclrtRecordNotify(notify, other));
	CALL(aclrtSynchronizeStream(stream));
}

int main(int argc, char **argv)
{
	aclrtStream stream;

	if (argc < 2)
		return 2;
	example_start();
	CALL(aclrtCreateStream(&stream));
	CALL(aclrtCreateStream(&other));
	CALL(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC));
	if (strcmp(argv[1], "polls") == 0 && argc == 3)
		polls(stream, (int32_t)strtol(argv[2], NULL, 10));
	else if (strcmp(argv[1], "wait") == 0)
		wait_limited(stream);
	else if (strcmp(argv[1], "exported") == 0)
		exported(stream);
	else
		return 2;
	example_end();
	return 0;
}
