// SPDX-License-Identifier: Apache-2.0
/*
 * Blocks in one way and stays there; prints "blocking" before. usage: blocked WAY
 * sync: a stream synchronize; event: an event synchronize; device: a device
 * synchronize; submit: a kernel launch into a full queue.
 */
#include <stdio.h>
#include <string.h>
#include "acl/acl.h"

static void block(const char *way, aclrtStream held, aclrtEvent after)
{
	char filler[8] = "";

	if (strcmp(way, "sync") == 0)
		aclrtSynchronizeStream(held);
	else if (strcmp(way, "event") == 0)
		aclrtSynchronizeEvent(after);
	else if (strcmp(way, "device") == 0)
		aclrtSynchronizeDevice();
	while (strcmp(way, "submit") == 0)
		aclrtMemsetAsync(filler, sizeof(filler), 0, sizeof(filler), held);
}

int main(int argc, char **argv)
{
	aclrtStream held = NULL;
	aclrtEvent never = NULL, after = NULL;

	if (argc != 2 || aclInit(NULL) || aclrtSetDevice(0) || aclrtCreateStream(&held) ||
	    aclrtCreateEventWithFlag(&never, ACL_EVENT_SYNC) ||
	    aclrtCreateEventExWithFlag(&after, ACL_EVENT_SYNC) || aclrtStreamWaitEvent(held, never) ||
	    aclrtRecordEvent(after, held))
		return 2;
	puts("blocking");
	fflush(stdout);
	block(argv[1], held, after);
	return 1;
}
