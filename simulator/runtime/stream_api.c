// SPDX-License-Identifier: Apache-2.0
/* The exported stream calls. */
#include "simulator/runtime/runtime.h"

enum {
	KNOWN_FLAGS = 0xff,
	USABLE_FLAGS = 0x1f,
	LEAST_PRIORITY = 7,
};

static int stream_create(void **stm, uint32_t priority, uint32_t flags)
{
	struct context *c = NULL;
	struct stream *s = NULL;
	int err = context_current(&c);

	if (err)
		return err;
	if (flags & ~(uint32_t)KNOWN_FLAGS)
		return fail(ACL_ERROR_RT_PARAM_INVALID, NULL, "Invalid stream flags=%#x", flags);
	if (flags & ACL_STREAM_DEVICE_USE_ONLY)
		return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "EE1006",
			    "Streams for the device only are not supported, flags=%#x", flags);
	err = stream_new(c, priority, flags & USABLE_FLAGS, &s);
	if (err)
		return err;
	stream_control_task(c->device, false);
	*stm = s;
	return 0;
}

rtError_t rtStreamCreate(rtStream_t *stm, int32_t priority)
{
	return rt_done(stream_create(stm, (uint32_t)priority, 0), __func__);
}

rtError_t rtStreamCreateWithFlags(rtStream_t *stm, int32_t priority, uint32_t flags)
{
	return rt_done(stream_create(stm, (uint32_t)priority, flags), __func__);
}

bool capture_active(const struct stream *s)
{
	return atomic_load(&s->hidden) != NULL;
}

static int captured(const struct stream *s)
{
	return fail(ACL_ERROR_RT_STREAM_CAPTURED, NULL, "The stream is being captured, stream_id=%u", s->id);
}

static int stream_destroy(void *stm)
{
	struct stream *s = NULL;
	int err = stream_resolve_own(stm, &s);

	if (err)
		return err;
	if (capture_active(s))
		return captured(s);
	if (s == s->context->default_stream)
		return 0; /* it lives and dies with its context */
	return stream_close(s);
}

rtError_t rtStreamDestroy(rtStream_t stm)
{
	return rt_done(stream_destroy(stm), __func__);
}

rtError_t rtStreamDestroyForce(rtStream_t stm)
{
	return rt_done(stream_destroy(stm), __func__);
}

/* A stream of any context, but the thread must have one. */
static int resolve_with_context(void *stm, struct stream **s)
{
	struct context *c = NULL;
	int err = stream_resolve(stm, s);

	if (!err)
		err = context_current(&c);
	if (!err && capture_active(*s))
		err = captured(*s);
	return err;
}

/* Not ready is an answer, no failure: it does not become the last error. */
rtError_t rtStreamQuery(rtStream_t stm)
{
	struct stream *s = NULL;
	int err = resolve_with_context(stm, &s);

	if (err)
		return rt_done(err, __func__);
	device_turn();
	stream_reclaim(s);
	if (stream_busy(s))
		return ACL_ERROR_RT_STREAM_NOT_COMPLETE;
	return 0;
}

int api_stream_synchronize(void *stm, int32_t ms)
{
	struct stream *s = NULL;
	int err;

	if (ms == 0 || ms < -1)
		return fail(ACL_ERROR_RT_PARAM_INVALID, NULL, "Invalid timeout=%d, must be -1 or above 0",
			    ms);
	err = resolve_with_context(stm, &s);
	if (!err)
		err = stream_synchronize(s, ms);
	if (!err)
		err = stream_take_error(s);
	if (err)
		failures_wait();
	return err;
}

rtError_t rtApiStreamSynchronize(rtStream_t stm, int32_t timeout, const char *function)
{
	return rt_done(api_stream_synchronize(stm, timeout), function);
}

/* ---- what a stream is ------------------------------------------------------------- */

rtError_t rtGetStreamId(rtStream_t stm, int32_t *streamId)
{
	struct stream *s = NULL;
	int err = stream_resolve(stm, &s);

	if (!err)
		*streamId = (int32_t)s->id;
	return rt_done(err, __func__);
}

rtError_t rtStreamGetFlags(rtStream_t stm, uint32_t *flags)
{
	struct stream *s = NULL;
	int err = stream_resolve(stm, &s);

	if (!err)
		*flags = s->flags;
	return rt_done(err, __func__);
}

rtError_t rtStreamGetPriority(rtStream_t stm, uint32_t *priority)
{
	struct stream *s = NULL;
	int err = stream_resolve(stm, &s);

	if (!err)
		*priority = s->priority;
	return rt_done(err, __func__);
}

static int set_failure_mode(struct stream *s, uint64_t mode)
{
	/* once it stops on failure it stays so */
	if (mode > ACL_STOP_ON_FAILURE || (s->failure_mode && mode != ACL_STOP_ON_FAILURE))
		return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, NULL,
			    "Failure mode %llu cannot be set, stream_id=%u", (unsigned long long)mode, s->id);
	if (s == s->context->default_stream)
		return 0;
	s->failure_mode = (uint32_t)mode;
	driver_config(s->context->device->id, s->sq_id, SIM_SQCQ_PROP_FAILURE_MODE, (uint32_t)mode);
	return 0;
}

rtError_t rtStreamSetMode(rtStream_t stm, uint64_t mode)
{
	struct stream *s = NULL;
	int err = stream_resolve_own(stm, &s);

	if (!err)
		err = set_failure_mode(s, mode);
	return rt_done(err, __func__);
}

rtError_t rtSetStreamOverflowSwitch(rtStream_t stm, uint32_t flags)
{
	struct stream *s = NULL;
	int err = stream_resolve_own(stm, &s);

	if (!err)
		s->overflow_switch = flags;
	return rt_done(err, __func__);
}

rtError_t rtGetStreamOverflowSwitch(rtStream_t stm, uint32_t *flags)
{
	struct stream *s = NULL;
	int err = stream_resolve_own(stm, &s);

	if (!err)
		*flags = s->overflow_switch;
	return rt_done(err, __func__);
}

rtError_t rtStreamSetAttribute(rtStream_t stm, int attr, uint64_t value)
{
	struct stream *s = NULL;
	int err = stream_resolve_own(stm, &s);

	if (err)
		return rt_done(err, __func__);
	switch (attr) {
	case ACL_STREAM_ATTR_FAILURE_MODE:
		err = set_failure_mode(s, value);
		break;
	case ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK:
		s->overflow_switch = (uint32_t)value;
		break;
	case ACL_STREAM_ATTR_USER_CUSTOM_TAG:
		s->user_tag = (uint32_t)value;
		break;
	case ACL_STREAM_ATTR_CACHE_OP_INFO: /* accepted, without effect on this chip */
	case ACL_STREAM_ATTR_PRIORITY:
		break;
	default:
		err = fail(ACL_ERROR_RT_PARAM_INVALID, NULL, "Invalid stream attribute %d", attr);
	}
	return rt_done(err, __func__);
}

rtError_t rtStreamGetAttribute(rtStream_t stm, int attr, uint64_t *value)
{
	struct stream *s = NULL;
	int err = stream_resolve(stm, &s);

	if (err)
		return rt_done(err, __func__);
	switch (attr) {
	case ACL_STREAM_ATTR_FAILURE_MODE:
		*value = s->failure_mode;
		break;
	case ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK:
		*value = s->overflow_switch;
		break;
	case ACL_STREAM_ATTR_USER_CUSTOM_TAG:
		*value = s->user_tag;
		break;
	case ACL_STREAM_ATTR_CACHE_OP_INFO:
		*value = 0;
		break;
	case ACL_STREAM_ATTR_PRIORITY:
		*value = s->priority;
		break;
	default:
		err = fail(ACL_ERROR_RT_PARAM_INVALID, NULL, "Invalid stream attribute %d", attr);
	}
	return rt_done(err, __func__);
}

/* ---- what this driver's task scheduler cannot do -------------------------------------- */

rtError_t rtStreamAbort(rtStream_t stm)
{
	struct stream *s = NULL;
	int err = stream_resolve_own(stm, &s);

	if (!err)
		err = fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, NULL,
			   "The task scheduler of this driver cannot abort a stream, stream_id=%u", s->id);
	return rt_done(err, __func__);
}

rtError_t rtsStreamStop(rtStream_t stm)
{
	struct stream *s = NULL;
	int err = stm ? stream_resolve_own(stm, &s)
		      : fail(ACL_ERROR_RT_PARAM_INVALID, NULL, "stream is NULL");

	if (!err)
		err = fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, NULL,
			   "The task scheduler of this driver cannot stop a stream, stream_id=%u", s->id);
	return rt_done(err, __func__);
}

rtError_t rtStreamTaskClean(rtStream_t stm)
{
	struct stream *s = NULL;
	int err = stm ? stream_resolve_own(stm, &s)
		      : fail(ACL_ERROR_RT_PARAM_INVALID, NULL, "stream is NULL");

	if (!err)
		err = fail(ACL_ERROR_RT_INTERNAL_ERROR, NULL, "No persistent tasks to clean, stream_id=%u",
			   s->id);
	return rt_done(err, __func__);
}

/* Only streams of a loaded model can be activated; those never reach the program. */
rtError_t rtStreamActive(rtStream_t activeStream, rtStream_t stm)
{
	struct stream *s = NULL;
	int err = stream_resolve_own(activeStream, &s);

	if (!err)
		err = stream_resolve_own(stm, &s);
	if (!err)
		err = fail(ACL_ERROR_RT_STREAM_MODEL, NULL, "The stream is in no model, stream_id=%u", s->id);
	return rt_done(err, __func__);
}

rtError_t rtLabelSet(void *label, rtStream_t stm)
{
	return rtStreamActive(stm, stm);
}

rtError_t rtGetAvailStreamNum(uint32_t *count)
{
	struct context *c = NULL;
	int err = context_current(&c);

	if (!err)
		*count = SIM_STREAMS;
	return rt_done(err, __func__);
}
