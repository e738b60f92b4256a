// SPDX-License-Identifier: Apache-2.0
/*
 * A notify shared between processes: exported by key, allowed for chosen pids or
 * for all, recorded by another process, waited for by another process.
 * The other process is this program again (never a fork that uses the device).
 * usage: shared_notify; shared_notify record|wait|refused KEY
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "acl/acl.h"

enum { SHORT_MS = 300, LONG_MS = 10000, KEY_SIZE = 65, NO_PID_CHECK = 2 };

#define EXPECT(expression, wanted)                                                                       \
	do {                                                                                             \
		int got_ = (int)(expression);                                                            \
		if (got_ != (int)(wanted)) {                                                             \
			printf("%s:%d: %s is %d, not %d\n", __FILE__, __LINE__, #expression, got_, (int)(wanted)); \
			exit(1);                                                                         \
		}                                                                                        \
	} while (0)

static aclrtStream stream;

static void start(void)
{
	EXPECT(aclInit(NULL), 0);
	EXPECT(aclrtSetDevice(0), 0);
	EXPECT(aclrtCreateStream(&stream), 0);
}

static int other_process(const char *what, const char *key)
{
	aclrtNotify n = NULL, own = NULL;
	uint32_t id = 99;

	start();
	/* a notify of our own has the same id: they must not be mixed up */
	EXPECT(aclrtCreateNotify(&own, 0), 0);
	if (strcmp(what, "refused") == 0) {
		EXPECT(aclrtNotifyImportByKey(&n, key, 0), ACL_ERROR_RT_DRV_INTERNAL_ERROR);
		EXPECT(aclrtNotifyImportByKey(&n, "nokeyhere", 0), ACL_ERROR_RT_DRV_INTERNAL_ERROR);
		EXPECT(aclrtNotifyImportByKey(&n, "", 0), ACL_ERROR_RT_DRV_INTERNAL_ERROR);
		return 0;
	}
	EXPECT(aclrtNotifyImportByKey(&n, key, 0), 0);
	EXPECT(aclrtGetNotifyId(n, &id), 0);
	EXPECT(id < 2, 1);
	if (strcmp(what, "record") == 0) {
		EXPECT(aclrtRecordNotify(own, stream), 0);
		EXPECT(aclrtRecordNotify(n, stream), 0);
	} else {
		EXPECT(aclrtWaitAndResetNotify(n, stream, 0), 0);
	}
	EXPECT(aclrtSynchronizeStreamWithTimeout(stream, LONG_MS), 0);
	EXPECT(aclrtDestroyNotify(n), 0);
	return 0;
}

/* Pid of the other process; the caller waits for it. It starts when the pipe is closed. */
static pid_t other_start(const char *what, const char *key, int *go)
{
	int ends[2];
	pid_t pid;

	EXPECT(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		char byte;

		close(ends[1]);
		if (read(ends[0], &byte, 1) >= 0)
			execl("/proc/self/exe", "shared_notify", what, key, (char *)NULL);
		_exit(3);
	}
	close(ends[0]);
	*go = ends[1];
	return pid;
}

static void other_run(const char *what, const char *key, aclrtNotify allow)
{
	int status = -1, go;
	int32_t pid = other_start(what, key, &go);

	if (allow)
		EXPECT(aclrtNotifySetImportPid(allow, &pid, 1), 0);
	close(go);
	waitpid(pid, &status, 0);
	EXPECT(status, 0);
}

int main(int argc, char **argv)
{
	aclrtNotify first = NULL, second = NULL;
	char key[KEY_SIZE] = "", open_key[KEY_SIZE] = "";

	if (argc == 3)
		return other_process(argv[1], argv[2]);
	start();
	EXPECT(aclrtCreateNotify(&first, 0), 0);
	EXPECT(aclrtCreateNotify(&second, 0), 0);
	/* one wait is queued before the notify becomes a shared one */
	EXPECT(aclrtWaitAndResetNotify(first, stream, 0), 0);
	EXPECT(aclrtNotifyGetExportKey(first, key, sizeof(key), 0), 0);
	EXPECT(aclrtNotifyGetExportKey(second, open_key, sizeof(open_key), NO_PID_CHECK), 0);
	EXPECT(aclrtSynchronizeStreamWithTimeout(stream, SHORT_MS), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
	other_run("refused", key, NULL);
	EXPECT(aclrtSynchronizeStreamWithTimeout(stream, SHORT_MS), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
	other_run("record", key, first);
	EXPECT(aclrtSynchronizeStreamWithTimeout(stream, LONG_MS), 0);
	/* and one is queued after */
	EXPECT(aclrtWaitAndResetNotify(second, stream, 0), 0);
	EXPECT(aclrtSynchronizeStreamWithTimeout(stream, SHORT_MS), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
	other_run("record", open_key, NULL);
	EXPECT(aclrtSynchronizeStreamWithTimeout(stream, LONG_MS), 0);
	/* the wait reset it: the next one blocks until a record, here of this process */
	EXPECT(aclrtRecordNotify(second, stream), 0);
	other_run("wait", open_key, NULL);
	EXPECT(aclrtWaitAndResetNotify(second, stream, 0), 0);
	EXPECT(aclrtSynchronizeStreamWithTimeout(stream, SHORT_MS), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
	puts("shared notifies: good");
	fflush(stdout);
	_exit(0); /* a stream is left waiting */
}
