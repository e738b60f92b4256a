// SPDX-License-Identifier: Apache-2.0
/* Notifies: a flag of the device with an id; count notifies, which this chip does not have. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "simulator/runtime/runtime.h"

enum { FLAG_NO_PID_CHECK = 2 };

struct pool notify_pool = POOL(struct notify);

static int notify_resolve(void *handle, struct notify **n)
{
	if (!pool_valid(&notify_pool, handle))
		return fail(ACL_ERROR_RT_INVALID_HANDLE, NULL, "notify is not a valid handle");
	*n = handle;
	return 0;
}

static int notify_new(uint32_t device, struct notify **out)
{
	struct notify *n = pool_get(&notify_pool);

	if (!n)
		return ACL_ERROR_RT_MEMORY_ALLOCATION;
	if (driver_id_alloc(device, DRV_NOTIFY_ID, &n->id) != 0) {
		pool_put(&notify_pool, n);
		return fail(ACL_ERROR_RT_NO_NOTIFY_RESOURCE, NULL,
			    "Resource exhausted: no notify id is left");
	}
	n->device = device;
	n->exported = n->imported = false;
	n->slot = 0;
	atomic_store(&n->object.alive, 1);
	*out = n;
	return 0;
}

static int notify_create(void **out, uint32_t flag)
{
	struct notify *n = NULL;
	struct context *c = NULL;
	int err = context_current(&c);

	if (err)
		return err;
	if (flag == ACL_NOTIFY_DEVICE_USE_ONLY)
		return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, NULL,
			    "Notifies for the device only are not supported");
	if (flag != 0)
		return fail(ACL_ERROR_RT_PARAM_INVALID, NULL, "Invalid notify flag=%#x", flag);
	err = notify_new(c->device->id, &n);
	if (!err)
		*out = n;
	return err;
}

rtError_t rtNotifyCreateWithFlag(int32_t deviceId, rtNotify_t *notify, uint32_t flag)
{
	return rt_done(notify_create(notify, flag), __func__);
}

/* The id is free at once, also while a stream waits: the wait stays with the id. */
rtError_t rtNotifyDestroy(rtNotify_t notify)
{
	struct notify *n = NULL;
	int err = notify_resolve(notify, &n);
	uint32_t alive = 1;

	if (!err && !atomic_compare_exchange_strong(&n->object.alive, &alive, 0))
		err = ACL_ERROR_RT_INVALID_HANDLE;
	if (err)
		return rt_done(err, __func__);
	if (!n->imported)
		driver_id_free(n->device, DRV_NOTIFY_ID, n->id);
	pool_put(&notify_pool, n);
	return 0;
}

static int notify_task(void *notify, void *stm, int type, uint32_t timeout)
{
	struct sim_sqe sqe = { .type = (uint8_t)type, .timeout_s = timeout == UINT32_MAX ? 0 : timeout };
	struct task task = { 0 };
	struct notify *n = NULL;
	struct stream *s = NULL;
	int err = stream_resolve_own(stm, &s);

	if (!err)
		err = notify_resolve(notify, &n);
	if (err)
		return err;
	sqe.object_id = n->id;
	sqe.object_device = n->device;
	sqe.arg[0] = n->slot;
	return stream_submit(s, &sqe, &task, 0);
}

rtError_t rtNotifyRecord(rtNotify_t notify, rtStream_t stm)
{
	return rt_done(notify_task(notify, stm, SQE_NOTIFY_RECORD, 0), __func__);
}

rtError_t rtNotifyWaitWithTimeOut(rtNotify_t notify, rtStream_t stm, uint32_t timeOut)
{
	return rt_done(notify_task(notify, stm, SQE_NOTIFY_WAIT, timeOut), __func__);
}

rtError_t rtGetNotifyID(rtNotify_t notify, uint32_t *notifyId)
{
	struct notify *n = NULL;
	int err = notify_resolve(notify, &n);

	if (!err)
		*notifyId = n->id;
	return rt_done(err, __func__);
}

rtError_t rtsNotifyBatchReset(rtNotify_t *notifies, uint32_t num)
{
	int err = num ? 0 : fail(ACL_ERROR_RT_PARAM_INVALID, NULL, "Invalid num=0");

	for (uint32_t i = 0; i < num && !err; i++)
		if (!pool_valid(&notify_pool, notifies[i]))
			err = fail(ACL_ERROR_RT_PARAM_INVALID, NULL, "notifies[%u] is not a notify", i);
	if (!err)
		err = fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, NULL,
			   "The task scheduler of this driver cannot reset notifies");
	return rt_done(err, __func__);
}

/* ---- sharing ------------------------------------------------------------------------- */

/* A notify can be exported once. */
static int notify_export(struct notify *n, char *key, uint32_t len, uint64_t flags)
{
	if (flags & ~(uint64_t)FLAG_NO_PID_CHECK)
		return fail(ACL_ERROR_RT_PARAM_INVALID, NULL, "Invalid flags=%#llx",
			    (unsigned long long)flags);
	if (n->exported)
		return fail(ACL_ERROR_RT_INTERNAL_ERROR, NULL, "The notify has been exported before");
	if (halShrIdCreate(n->device, n->id, flags & FLAG_NO_PID_CHECK, key, len) != DRV_ERROR_NONE)
		return fail(ACL_ERROR_RT_DRV_INTERNAL_ERROR, NULL, "[drv api] halShrIdCreate failed");
	n->exported = true;
	return 0;
}

rtError_t rtNotifyGetExportKey(rtNotify_t notify, char *key, uint32_t len, uint64_t flags)
{
	struct notify *n = NULL;
	int err = notify_resolve(notify, &n);

	return rt_done(err ? err : notify_export(n, key, len, flags), __func__);
}

static int notify_import(void **out, const char *key)
{
	struct sim_shared_id id;
	struct notify *n = NULL;

	if (halShrIdOpen(key, &id) != DRV_ERROR_NONE)
		return fail(ACL_ERROR_RT_DRV_INTERNAL_ERROR, NULL,
			    "[drv api] halShrIdOpen failed: the key names no notify that pid %d may open",
			    (int)getpid());
	n = pool_get(&notify_pool);
	if (!n)
		return ACL_ERROR_RT_MEMORY_ALLOCATION;
	n->device = id.device;
	n->id = id.id;
	n->slot = id.own ? 0 : id.slot; /* in its own process it is an ordinary notify */
	n->exported = false;
	n->imported = true;
	atomic_store(&n->object.alive, 1);
	*out = n;
	return 0;
}

rtError_t rtsNotifyImportByKey(rtNotify_t *notify, const char *key, uint64_t flag)
{
	return rt_done(notify_import(notify, key), __func__);
}

rtError_t rtNotifySetImportPid(rtNotify_t notify, int32_t *pid, int num)
{
	struct notify *n = NULL;
	int err = notify_resolve(notify, &n);

	if (!err && (num <= 0 || !n->exported))
		err = fail(ACL_ERROR_RT_PARAM_INVALID, NULL, "The notify has no key yet, or num=%d", num);
	if (!err && halShrIdSetPid(n->device, n->id, pid, (uint32_t)num) != DRV_ERROR_NONE)
		err = fail(ACL_ERROR_RT_DRV_INTERNAL_ERROR, NULL, "[drv api] halShrIdSetPid failed");
	return rt_done(err, __func__);
}

/* ---- count notifies -------------------------------------------------------------------- */

rtError_t rtCntNotifyCreateServer(rtCntNotify_t *const cntNotify, uint64_t flags)
{
	int err;

	if (!cntNotify || flags)
		err = fail(ACL_ERROR_RT_PARAM_INVALID, "EE1001", "Invalid count notify arguments");
	else
		err = fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, NULL, "This chip has no count notifies");
	return rt_done(err, __func__);
}

/* Since none can be made, no handle is valid. */
rtError_t rtCntNotifyUse(rtCntNotify_t cntNotify)
{
	return rt_done(fail(ACL_ERROR_RT_PARAM_INVALID, NULL, "The count notify is not a valid handle"),
		       __func__);
}
