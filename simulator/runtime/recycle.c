// SPDX-License-Identifier: Apache-2.0
/*
 * The runtime's threads of a device. RT_RECYCLE takes note of finished tasks
 * while nobody synchronizes; MONITOR and REPORT_RAS look for a lost device.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "simulator/runtime/runtime.h"
#include "simulator/trace/atrace.h"

enum { BUSY_NAP_US = 200, IDLE_NAP_US = 2000, MONITOR_NAP_US = 1000000 };

extern TraStatus AtraceEventReportSync(TraEventHandle eventHandle) __attribute__((weak));

/* The frames that show on the stacks of these threads. */
void *local_thread_main(void *data) FRAME("_ZN3cce7runtime11LocalThread10ThreadProcEPv");
void recycle_run(struct rt_device *d) FRAME("_ZN3cce7runtime11StarsEngine16RecycleThreadRunEv");
void monitor_run(struct rt_device *d) FRAME("_ZN3cce7runtime11StarsEngine13MonitoringRunEv");
void report_ras_run(struct rt_device *d) FRAME("_ZN3cce7runtime7Runtime12ReportRasRunEv");

static bool streams_reclaim(struct context *c)
{
	bool busy = false;

	for (struct stream *s = c ? c->streams : NULL; s; s = s->next) {
		stream_recycle(s);
		busy = busy || stream_busy(s);
	}
	return busy;
}

void recycle_run(struct rt_device *d)
{
	char name[16];

	snprintf(name, sizeof(name), "RT_RECYCLE_%d", device_user_id(d));
	prctl(PR_SET_NAME, name);
	for (;;) {
		bool busy = false;

		/* where order must not depend on time, only waits and queries take note */
		if (halClockSeeded()) {
			failures_tell();
			usleep(IDLE_NAP_US);
			continue;
		}
		pthread_mutex_lock(&rt_lock);
		busy = streams_reclaim(d->hidden);
		for (struct context *c = d->contexts; c; c = c->next)
			busy = streams_reclaim(c) || busy;
		pthread_mutex_unlock(&rt_lock);
		failures_tell();
		usleep(busy ? BUSY_NAP_US : IDLE_NAP_US);
	}
}

void monitor_run(struct rt_device *d)
{
	char name[16];
	int lost = 0;

	snprintf(name, sizeof(name), "MONITOR_%d", device_user_id(d));
	prctl(PR_SET_NAME, name);
	for (;;) {
		int before = lost;

		drvDeviceStatus(d->id, &lost);
		if (lost && !before) {
			rt_log(LOG_ERROR, "Device lost heartbeat, device_id=%d, retCode=507010",
			       device_user_id(d));
			atomic_store(&d->lost, true);
			if (AtraceEventReportSync)
				AtraceEventReportSync(1);
		}
		usleep(MONITOR_NAP_US);
	}
}

void report_ras_run(struct rt_device *d)
{
	prctl(PR_SET_NAME, "REPORT_RAS");
	for (;;)
		pause();
}

struct local_thread {
	void (*run)(struct rt_device *d);
	struct rt_device *device;
};

void *local_thread_main(void *data)
{
	struct local_thread t = *(struct local_thread *)data;

	free(data);
	t.run(t.device);
	return NULL;
}

static void thread_start(void (*run)(struct rt_device *d), struct rt_device *d)
{
	struct local_thread *t = malloc(sizeof(*t));
	pthread_attr_t attr;
	pthread_t thread;

	if (!t)
		return;
	*t = (struct local_thread){ run, d };
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	if (pthread_create(&thread, &attr, local_thread_main, t) != 0)
		free(t);
	pthread_attr_destroy(&attr);
}

/* With rt_lock held, once per device. */
void recycle_start(struct rt_device *d)
{
	static bool ras_started;

	thread_start(monitor_run, d);
	if (!ras_started)
		thread_start(report_ras_run, d);
	ras_started = true;
	thread_start(recycle_run, d);
}
