// SPDX-License-Identifier: Apache-2.0
/* Functions of the development branch that 9.1 does not have yet. */
#include <stdio.h>
#include "simulator/acl/check.h"

/* Compiled under their ...Impl names, like everything public here. */
SIM_EXPORT aclError aclrtRecordEventWithFlag(aclrtEvent event, aclrtStream stream, uint32_t flag);
SIM_EXPORT aclError aclrtStreamWaitEventWithFlag(aclrtStream stream, aclrtEvent event, uint32_t timeout,
						 uint32_t flag);

enum { EVENT_DEFAULT = 0, EVENT_EXTERNAL = 1 };

/* External records need a chip that can do them. */
static aclError check_flag(uint32_t flag)
{
	if (flag > EVENT_EXTERNAL)
		return acl_invalid("flag");
	return flag == EVENT_EXTERNAL ? ACL_ERROR_RT_FEATURE_NOT_SUPPORT : ACL_SUCCESS;
}

aclError aclrtRecordEventWithFlag(aclrtEvent event, aclrtStream stream, uint32_t flag)
{
	aclError err;

	CHECK_NOT_NULL(event);
	err = check_flag(flag);
	return err ? err : aclrtRecordEvent(event, stream);
}

aclError aclrtStreamWaitEventWithFlag(aclrtStream stream, aclrtEvent event, uint32_t timeout, uint32_t flag)
{
	aclError err;

	CHECK_NOT_NULL(event);
	err = check_flag(flag);
	return err ? err : aclrtStreamWaitEventWithTimeout(stream, event, (int32_t)timeout);
}

static int refuse(const char *function)
{
	char text[160];

	snprintf(text, sizeof(text), "%s is not supported", function);
	rtLogLine(3, "ASCENDCL", function, text);
	return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
}

#define MASTER(name)
#define MASTER_REST(name)             \
	SIM_EXPORT int name(void);    \
	int name(void)                \
	{                             \
		return refuse(#name); \
	}

#include "simulator/split/master.def"
