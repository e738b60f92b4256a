// SPDX-License-Identifier: Apache-2.0
/*
 * Prints the order in which a device ran the tasks of streams that nothing
 * orders, and what limits of minutes end in. Meant for CANNSIM_SEED and
 * CANNSIM_CLOCK=virtual. usage: deterministic order|limits
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "acl/acl.h"

enum { STREAMS = 6, ROUNDS = 4, WAIT_LIMIT_S = 300, SYNC_LIMIT_MS = 3600000 };

#define CALL(expression)                                                                             \
	do {                                                                                         \
		aclError err_ = (expression);                                                        \
		if (err_ != ACL_SUCCESS) {                                                           \
			fprintf(stderr, "%s:%d: %s -> %d\n", __FILE__, __LINE__, #expression, err_); \
			exit(2);                                                                     \
		}                                                                                    \
	} while (0)

/* Every task writes its stream's number into one word and copies the word to its own place. */
static void order(void)
{
	uint64_t seen[STREAMS * ROUNDS], *word, *log;
	aclrtStream s[STREAMS];

	CALL(aclrtMalloc((void **)&word, 64, ACL_MEM_MALLOC_HUGE_FIRST));
	CALL(aclrtMalloc((void **)&log, sizeof(seen), ACL_MEM_MALLOC_HUGE_FIRST));
	for (int i = 0; i < STREAMS; i++)
		CALL(aclrtCreateStream(&s[i]));
	for (int i = 0; i < STREAMS * ROUNDS; i++) {
		aclrtStream on = s[i % STREAMS];

		CALL(aclrtValueWrite(word, (uint64_t)(i % STREAMS), 0, on));
		CALL(aclrtMemcpyAsync(log + i, 8, word, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, on));
	}
	CALL(aclrtSynchronizeDevice());
	CALL(aclrtMemcpy(seen, sizeof(seen), log, sizeof(seen), ACL_MEMCPY_DEVICE_TO_HOST));
	for (int i = 0; i < STREAMS * ROUNDS; i++)
		printf("%d", (int)seen[i]);
	putchar('\n');
}

static void limits(void)
{
	aclrtEvent never, before, after;
	aclrtStream s;
	aclError err;
	float ms = 0;

	CALL(aclrtSetOpWaitTimeout(WAIT_LIMIT_S));
	CALL(aclrtCreateStream(&s));
	CALL(aclrtCreateEventWithFlag(&never, ACL_EVENT_SYNC));
	CALL(aclrtCreateEventWithFlag(&before, ACL_EVENT_TIME_LINE));
	CALL(aclrtCreateEventWithFlag(&after, ACL_EVENT_TIME_LINE));
	CALL(aclrtRecordEvent(before, s));
	CALL(aclrtStreamWaitEvent(s, never));
	CALL(aclrtRecordEvent(after, s));
	err = aclrtSynchronizeStreamWithTimeout(s, SYNC_LIMIT_MS);
	CALL(aclrtEventElapsedTime(&ms, before, after));
	printf("wait: %d after %.0f s\n", err, ms / 1000);
	CALL(aclrtSetOpWaitTimeout(0));
	CALL(aclrtStreamWaitEvent(s, never));
	printf("synchronize: %d\n", aclrtSynchronizeStreamWithTimeout(s, SYNC_LIMIT_MS));
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	CALL(aclInit(NULL));
	CALL(aclrtSetDevice(0));
	if (strcmp(argv[1], "order") == 0)
		order();
	else
		limits();
	fflush(stdout);
	_exit(0);
}
