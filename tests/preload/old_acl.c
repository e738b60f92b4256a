// SPDX-License-Identifier: Apache-2.0
/* A CANN with four functions: two that are old, one newer than the shim exports, one that tells. */
#include <stdint.h>

int aclInit(const char *config);
int aclrtSynchronizeStream(void *stream);
int aclmdlRICaptureToModelRIBegin(void *stream, void *model, int mode);
int calls_seen(void);

static int calls;

int aclInit(const char *config)
{
	return 0;
}

int aclrtSynchronizeStream(void *stream)
{
	calls++;
	return 7;
}

int aclmdlRICaptureToModelRIBegin(void *stream, void *model, int mode)
{
	calls++;
	return 9;
}

int calls_seen(void)
{
	return calls;
}
