// SPDX-License-Identifier: Apache-2.0
/*
 * Rings of the last texts. They lie in the heap and no symbol leads to them
 * from outside; several threads write without a lock.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "simulator/trace/atrace.h"
#include "simulator/trace/ring.h"

#define EXPORT __attribute__((visibility("default")))

static _Atomic(struct trace_ring *) rings[MAX_RINGS];
static pthread_mutex_t rings_lock = PTHREAD_MUTEX_INITIALIZER;

EXPORT TraHandle AtraceCreate(TracerType tracerType, const char *objName);
EXPORT TraHandle AtraceCreateWithAttr(TracerType tracerType, const char *objName,
				      const struct TraceAttr *attr);
EXPORT TraHandle AtraceGetHandle(TracerType tracerType, const char *objName);
EXPORT void AtraceDestroy(TraHandle handle);
EXPORT TraStatus AtraceSubmit(TraHandle handle, const void *buffer, uint32_t bufSize);
EXPORT TraStatus AtraceSubmitByType(TraHandle handle, uint8_t bufferType, const void *buffer,
				    uint32_t bufSize);
EXPORT TraStatus AtraceSave(TracerType tracerType, bool syncFlag);
EXPORT TraEventHandle AtraceEventCreate(const char *eventName);
EXPORT void AtraceEventDestroy(TraEventHandle eventHandle);
EXPORT TraEventHandle AtraceEventGetHandle(const char *eventName);
EXPORT TraStatus AtraceEventBindTrace(TraEventHandle eventHandle, TraHandle handle);
EXPORT TraStatus AtraceEventSetAttr(TraEventHandle eventHandle, const struct TraceEventAttr *attr);
EXPORT TraStatus AtraceEventReportSync(TraEventHandle eventHandle);

uint64_t trace_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static struct trace_ring *ring_new(const char *name)
{
	struct trace_ring *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->records = calloc(RING_RECORDS, sizeof(*r->records));
	if (!r->records) {
		free(r);
		return NULL;
	}
	snprintf(r->name, sizeof(r->name), "%s", name);
	return r;
}

TraHandle AtraceGetHandle(TracerType tracerType, const char *objName)
{
	for (int i = 0; objName && i < MAX_RINGS; i++) {
		struct trace_ring *r = atomic_load(&rings[i]);

		if (r && strncmp(r->name, objName, RING_NAME - 1) == 0)
			return (TraHandle)r;
	}
	return -1;
}

TraHandle AtraceCreate(TracerType tracerType, const char *objName)
{
	struct trace_ring *r = NULL;
	TraHandle handle;

	if (!objName)
		return -1;
	pthread_mutex_lock(&rings_lock);
	handle = AtraceGetHandle(tracerType, objName);
	for (int i = 0; handle == -1 && i < MAX_RINGS; i++) {
		if (atomic_load(&rings[i]))
			continue;
		r = ring_new(objName);
		atomic_store(&rings[i], r);
		handle = r ? (TraHandle)r : -1;
		break;
	}
	pthread_mutex_unlock(&rings_lock);
	return handle;
}

TraHandle AtraceCreateWithAttr(TracerType tracerType, const char *objName, const struct TraceAttr *attr)
{
	return AtraceCreate(tracerType, objName);
}

/* Kept until the process ends: a late text must find it. */
void AtraceDestroy(TraHandle handle)
{
}

TraStatus AtraceSubmit(TraHandle handle, const void *buffer, uint32_t bufSize)
{
	struct trace_ring *ring = (struct trace_ring *)handle;
	struct trace_record *r;

	if (handle == 0 || handle == -1 || !buffer || bufSize > RECORD_TEXT)
		return TRACE_FAILURE;
	r = &ring->records[atomic_fetch_add(&ring->next, 1) % RING_RECORDS];
	/* a writer a whole ring behind may still be in it: then this text is lost */
	if (atomic_exchange_explicit(&r->time_ns, BEING_WRITTEN, memory_order_acquire) == BEING_WRITTEN)
		return TRACE_FAILURE;
	r->length = RECORD_TEXT;
	memcpy(r->text, buffer, bufSize);
	memset(r->text + bufSize, 0, RECORD_TEXT - bufSize);
	atomic_store_explicit(&r->time_ns, trace_now(), memory_order_release);
	return TRACE_SUCCESS;
}

TraStatus AtraceSubmitByType(TraHandle handle, uint8_t bufferType, const void *buffer, uint32_t bufSize)
{
	return AtraceSubmit(handle, buffer, bufSize);
}

/* ---- writing out -------------------------------------------------------------------- */

static void put(int fd, const char *text, size_t n)
{
	while (n > 0) {
		ssize_t done = write(fd, text, n);

		if (done <= 0)
			return;
		text += done;
		n -= (size_t)done;
	}
}

static void record_save(int fd, const struct trace_record *r)
{
	uint64_t ns = atomic_load_explicit(&r->time_ns, memory_order_acquire);
	char line[64 + RECORD_TEXT];
	size_t n;

	if (ns == 0 || ns == BEING_WRITTEN)
		return;
	time_text(ns, line, 40);
	n = strlen(line);
	line[n++] = ' ';
	memcpy(line + n, r->text, RECORD_TEXT);
	n += strnlen(r->text, RECORD_TEXT);
	line[n++] = '\n';
	put(fd, line, n);
}

static void ring_save(const struct trace_ring *ring, const char *directory)
{
	uint64_t next = atomic_load(&ring->next);
	uint64_t first = next > RING_RECORDS ? next - RING_RECORDS : 0;
	char path[512];
	int fd;

	if ((size_t)snprintf(path, sizeof(path), "%s/schedule_tracer_%s.txt", directory, ring->name) >=
	    sizeof(path))
		return;
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
	if (fd < 0)
		return;
	for (uint64_t i = first; i < next; i++)
		record_save(fd, &ring->records[i % RING_RECORDS]);
	close(fd);
}

void rings_save(const char *directory)
{
	for (int i = 0; i < MAX_RINGS; i++) {
		const struct trace_ring *ring = atomic_load(&rings[i]);

		if (ring)
			ring_save(ring, directory);
	}
}

extern int halDumpScheduler(uint32_t devId, const char *path) __attribute__((weak));

/* The driver may have come later than this library, and privately to the runtime that loaded it. */
static int (*dump_find(void))(uint32_t, const char *)
{
	int (*found)(uint32_t, const char *) = halDumpScheduler;
	void *driver = found ? NULL : dlopen("libascend_hal.so", RTLD_NOW | RTLD_NOLOAD);
	void *address = driver ? dlsym(driver, "halDumpScheduler") : NULL;

	if (address)
		memcpy(&found, &address, sizeof(found));
	if (driver)
		dlclose(driver);
	return found;
}

/* What the device has to say, where there is a driver that can be asked. Not for signal handlers. */
static void devices_save(const char *directory)
{
	int (*dump)(uint32_t, const char *) = dump_find();
	char path[460];

	for (uint32_t i = 0; dump && i < MAX_RINGS; i++) {
		snprintf(path, sizeof(path), "%s/schedule_tracer_ts_%u.txt", directory, i);
		if (dump(i, path) != TRACE_SUCCESS)
			return;
	}
}

static TraStatus save_event(const char *event)
{
	char directory[400];

	if (event_directory(event, directory, sizeof(directory)) != 0)
		return TRACE_FAILURE;
	rings_save(directory);
	devices_save(directory);
	return TRACE_SUCCESS;
}

TraStatus AtraceSave(TracerType tracerType, bool syncFlag)
{
	return save_event("exit");
}

TraStatus AtraceEventReportSync(TraEventHandle eventHandle)
{
	return save_event("schedule");
}

TraEventHandle AtraceEventCreate(const char *eventName)
{
	return eventName ? 1 : -1;
}

void AtraceEventDestroy(TraEventHandle eventHandle)
{
}

TraEventHandle AtraceEventGetHandle(const char *eventName)
{
	return AtraceEventCreate(eventName);
}

TraStatus AtraceEventBindTrace(TraEventHandle eventHandle, TraHandle handle)
{
	return TRACE_SUCCESS;
}

TraStatus AtraceEventSetAttr(TraEventHandle eventHandle, const struct TraceEventAttr *attr)
{
	return TRACE_SUCCESS;
}

TraStatus AtraceSetGlobalAttr(const struct TraceGlobalAttr *attr)
{
	return TRACE_SUCCESS;
}
