// SPDX-License-Identifier: Apache-2.0
/*
 * A blocking host callback: the stream stands until the thread that subscribed has run
 * it in aclrtProcessReport. That thread is busy with something else, for ever.
 */
#include "example_common.h"

static void callback(void *unused)
{
	(void)unused;
}

/* Should call aclrtProcessReport in a loop. */
static void *server(void *unused)
{
	(void)unused;
	for (;;)
		pause();
	return NULL;
}

int main(int argc, char **argv)
{
	struct example_options o;
	aclrtStream stream;
	pthread_t thread;

	if (example_parse(argc, argv, &o) != 0)
		return 2;
	example_start();
	example_threads(&o);
	example_decoys(&o);
	CALL(aclrtCreateStream(&stream));
	example_tasks(&o, stream);

	if (pthread_create(&thread, NULL, server, NULL) != 0)
		example_fail("pthread_create", 0);
	CALL(aclrtSubscribeReport((uint64_t)thread, stream));
	CALL(aclrtLaunchCallback(callback, NULL, ACL_CALLBACK_BLOCK, stream));
	example_print_stream("stream", stream);
	example_print("hanging", 1);
	CALL(aclrtSynchronizeStream(stream));
	return 0;
}
