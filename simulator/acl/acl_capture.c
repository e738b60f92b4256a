// SPDX-License-Identifier: Apache-2.0
/* Captured and built graphs. */
#include "simulator/acl/check.h"

aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode)
{
	CHECK_NOT_NULL(stream);
	return rtStreamBeginCapture(stream, (int)mode);
}

aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI *modelRI)
{
	CHECK_NOT_NULL(stream);
	return rtStreamEndCapture(stream, modelRI);
}

aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus *status, aclmdlRI *modelRI)
{
	int value = 0;
	aclError err;

	CHECK_NOT_NULL(status);
	err = rtStreamGetCaptureInfo(stream, &value, modelRI);
	if (!err)
		*status = (aclmdlRICaptureStatus)value;
	return err;
}

aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode *mode)
{
	int value;
	aclError err;

	CHECK_NOT_NULL(mode);
	value = (int)*mode;
	err = rtThreadExchangeCaptureMode(&value);
	if (!err)
		*mode = (aclmdlRICaptureMode)value;
	return err;
}

aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream)
{
	CHECK_NOT_NULL(modelRI);
	return rtsModelExecuteAsync(modelRI, stream);
}

aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout)
{
	CHECK_NOT_NULL(modelRI);
	return rtsModelExecute(modelRI, timeout);
}

aclError aclmdlRIDestroy(aclmdlRI modelRI)
{
	CHECK_NOT_NULL(modelRI);
	return rtModelDestroy(modelRI);
}

aclError aclmdlRIAbort(aclmdlRI modelRI)
{
	return rtModelAbort(modelRI);
}

aclError aclmdlRIGetId(aclmdlRI modelRI, uint32_t *modelRIId)
{
	CHECK_NOT_NULL(modelRI);
	CHECK_NOT_NULL(modelRIId);
	return rtModelGetId(modelRI, modelRIId);
}

aclError aclmdlRIBuildBegin(aclmdlRI *modelRI, uint32_t flag)
{
	CHECK_NOT_NULL(modelRI);
	return rtModelCreate(modelRI, flag);
}

aclError aclmdlRIBindStream(aclmdlRI modelRI, aclrtStream stream, uint32_t flag)
{
	CHECK_NOT_NULL(modelRI);
	return rtModelBindStream(modelRI, stream, flag);
}

aclError aclmdlRIUnbindStream(aclmdlRI modelRI, aclrtStream stream)
{
	CHECK_NOT_NULL(modelRI);
	return rtModelUnbindStream(modelRI, stream);
}

aclError aclmdlRIEndTask(aclmdlRI modelRI, aclrtStream stream)
{
	CHECK_NOT_NULL(modelRI);
	return rtEndGraph(modelRI, stream);
}

aclError aclmdlRIBuildEnd(aclmdlRI modelRI, void *reserve)
{
	CHECK_NOT_NULL(modelRI);
	return rtModelLoadComplete(modelRI);
}
