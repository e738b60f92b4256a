// SPDX-License-Identifier: Apache-2.0
/* Process-wide settings: the version to answer like, and the timeouts of operators and waits. */
#include <stdlib.h>
#include <string.h>
#include "simulator/runtime/runtime.h"

/* The split layout came after 9.1. */
#ifdef SIM_SPLIT
#define MASTER_BY_DEFAULT true
#else
#define MASTER_BY_DEFAULT false
#endif

/* The hardware counts an operator's time in these steps. */
#define TICK_US	      4294967.296
#define DEFAULT_TICKS 254

static pthread_once_t version_once = PTHREAD_ONCE_INIT;
static bool master;
static _Atomic uint32_t wait_timeout_s;
static _Atomic uint32_t execute_ticks = DEFAULT_TICKS;

static void version_load(void)
{
	const char *text = getenv("CANNSIM_VERSION");

	master = text ? strcmp(text, "master") == 0 : MASTER_BY_DEFAULT;
}

bool version_is_master(void)
{
	pthread_once(&version_once, version_load);
	return master;
}

int rtVersionIsMaster(void)
{
	return version_is_master();
}

uint32_t op_wait_timeout(void)
{
	return atomic_load(&wait_timeout_s);
}

rtError_t rtSetOpWaitTimeOut(uint32_t timeout)
{
	atomic_store(&wait_timeout_s, timeout);
	return 0;
}

static uint64_t ticks_to_us(uint32_t ticks)
{
	return (uint64_t)(ticks * TICK_US);
}

/* 0, and anything the hardware cannot count, mean the default. */
rtError_t rtSetOpExecuteTimeOutV2(uint64_t timeoutUs, uint64_t *actualUs)
{
	uint32_t ticks = DEFAULT_TICKS;

	if (timeoutUs > 0 && (double)timeoutUs < DEFAULT_TICKS * TICK_US) {
		ticks = (uint32_t)((double)timeoutUs / TICK_US);
		if (ticks * TICK_US < (double)timeoutUs)
			ticks++;
	}
	atomic_store(&execute_ticks, ticks);
	if (actualUs)
		*actualUs = ticks_to_us(ticks);
	return 0;
}

rtError_t rtGetOpExecuteTimeOut(uint32_t *timeoutMs)
{
	*timeoutMs = (uint32_t)((atomic_load(&execute_ticks) * TICK_US) / 1000 + 0.5);
	return 0;
}

rtError_t rtGetOpTimeOutInterval(uint64_t *interval)
{
	struct context *c = NULL;
	int err = context_current(&c);

	if (!err)
		*interval = (uint64_t)TICK_US;
	return rt_done(err, __func__);
}
