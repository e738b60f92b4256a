// SPDX-License-Identifier: Apache-2.0
/* Notifies, count notifies, values in memory. */
#include "simulator/acl/check.h"

aclError aclrtCreateNotify(aclrtNotify *notify, uint64_t flag)
{
	CHECK_NOT_NULL(notify);
	return rtNotifyCreateWithFlag(-1, notify, (uint32_t)flag);
}

aclError aclrtDestroyNotify(aclrtNotify notify)
{
	CHECK_NOT_NULL(notify);
	return rtNotifyDestroy(notify);
}

aclError aclrtRecordNotify(aclrtNotify notify, aclrtStream stream)
{
	CHECK_NOT_NULL(notify);
	return rtNotifyRecord(notify, stream);
}

aclError aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream, uint32_t timeout)
{
	CHECK_NOT_NULL(notify);
	return rtNotifyWaitWithTimeOut(notify, stream, timeout);
}

aclError aclrtGetNotifyId(aclrtNotify notify, uint32_t *notifyId)
{
	CHECK_NOT_NULL(notify);
	CHECK_NOT_NULL(notifyId);
	return rtGetNotifyID(notify, notifyId);
}

aclError aclrtNotifyBatchReset(aclrtNotify *notifies, size_t num)
{
	CHECK_NOT_NULL(notifies);
	return rtsNotifyBatchReset(notifies, (uint32_t)num);
}

aclError aclrtNotifyGetExportKey(aclrtNotify notify, char *key, size_t len, uint64_t flags)
{
	CHECK_NOT_NULL(notify);
	CHECK_NOT_NULL(key);
	return rtNotifyGetExportKey(notify, key, (uint32_t)len, flags);
}

aclError aclrtNotifyImportByKey(aclrtNotify *notify, const char *key, uint64_t flags)
{
	CHECK_NOT_NULL(notify);
	CHECK_NOT_NULL(key);
	return rtsNotifyImportByKey(notify, key, flags);
}

aclError aclrtNotifySetImportPid(aclrtNotify notify, int32_t *pid, size_t num)
{
	CHECK_NOT_NULL(notify);
	CHECK_NOT_NULL(pid);
	return rtNotifySetImportPid(notify, pid, (int)num);
}

/* ---- count notifies: this layer passes everything on ------------------------------ */

aclError aclrtCntNotifyCreate(aclrtCntNotify *cntNotify, uint64_t flag)
{
	return rtCntNotifyCreateServer(cntNotify, flag);
}

aclError aclrtCntNotifyDestroy(aclrtCntNotify cntNotify)
{
	return rtCntNotifyUse(cntNotify);
}

aclError aclrtCntNotifyRecord(aclrtCntNotify cntNotify, aclrtStream stream, aclrtCntNotifyRecordInfo *info)
{
	return rtCntNotifyUse(cntNotify);
}

aclError aclrtCntNotifyWaitWithTimeout(aclrtCntNotify cntNotify, aclrtStream stream,
				       aclrtCntNotifyWaitInfo *info)
{
	return rtCntNotifyUse(cntNotify);
}

aclError aclrtCntNotifyReset(aclrtCntNotify cntNotify, aclrtStream stream)
{
	return rtCntNotifyUse(cntNotify);
}

aclError aclrtCntNotifyGetId(aclrtCntNotify cntNotify, uint32_t *notifyId)
{
	return rtCntNotifyUse(cntNotify);
}

/* ---- values --------------------------------------------------------------------------- */

aclError aclrtValueWrite(void *devAddr, uint64_t value, uint32_t flag, aclrtStream stream)
{
	CHECK_NOT_NULL(devAddr);
	return rtsValueWrite(devAddr, value, flag, stream);
}

aclError aclrtValueWait(void *devAddr, uint64_t value, uint32_t flag, aclrtStream stream)
{
	CHECK_NOT_NULL(devAddr);
	return rtsValueWait(devAddr, value, flag, stream);
}
