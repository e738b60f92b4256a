// SPDX-License-Identifier: Apache-2.0
/* Host callbacks and host functions. */
#include "simulator/acl/check.h"

aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream)
{
	return rtSubscribeReport(threadId, stream);
}

aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream)
{
	return rtUnSubscribeReport(threadId, stream);
}

aclError aclrtProcessReport(int32_t timeout)
{
	if (timeout == 0 || timeout < -1)
		return acl_invalid("timeout");
	return rtProcessReport(timeout);
}

aclError aclrtLaunchCallback(aclrtCallback fn, void *userData, aclrtCallbackBlockType blockType,
			     aclrtStream stream)
{
	if ((unsigned)blockType > ACL_CALLBACK_BLOCK)
		return acl_invalid("blockType");
	return rtCallbackLaunch(fn, userData, stream, blockType == ACL_CALLBACK_BLOCK);
}

aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void *args)
{
	return rtsLaunchHostFunc(stream, fn, args);
}

aclError aclrtSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream)
{
	return rtSubscribeHostFunc(hostFuncThreadId, exeStream);
}

aclError aclrtUnSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream)
{
	return rtUnSubscribeHostFunc(hostFuncThreadId, exeStream);
}

aclError aclrtProcessHostFunc(int32_t timeout)
{
	if (timeout == 0 || timeout < -1)
		return acl_invalid("timeout");
	return rtProcessHostFunc(timeout);
}
