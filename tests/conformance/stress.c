// SPDX-License-Identifier: Apache-2.0
/*
 * Random legal work from many threads on many streams: nothing may hang, fail
 * or be wrong. Meant to run under the thread and address sanitizers as well.
 * usage: stress [threads] [streams per thread] [seconds] [seed]
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "acl/acl.h"

enum { EVENTS = 8, MAX_STREAMS = 64, BYTES = 256 };

#define CALL(expression)                                                                             \
	do {                                                                                         \
		aclError err_ = (expression);                                                        \
		if (err_ != ACL_SUCCESS) {                                                           \
			fprintf(stderr, "%s:%d: %s -> %d\n", __FILE__, __LINE__, #expression, err_); \
			exit(1);                                                                     \
		}                                                                                    \
	} while (0)

struct worker {
	pthread_t thread;
	aclrtContext context;
	uint32_t random;
	int streams;
	time_t end;
	long calls;
	aclrtStream stream[MAX_STREAMS];
	aclrtEvent plain[EVENTS], ex[EVENTS], sync[EVENTS];
	aclrtNotify notify;
	char *device, *host;
	long host_calls; /* by host functions, on another thread */
	long host_launched;
};

static uint32_t draw(struct worker *w, uint32_t below)
{
	w->random = w->random * 1664525u + 1013904223u;
	return (w->random >> 8) % below;
}

static void host_function(void *data)
{
	struct worker *w = data;

	__atomic_fetch_add(&w->host_calls, 1, __ATOMIC_RELAXED);
}

static aclrtStream any(struct worker *w)
{
	return w->stream[draw(w, (uint32_t)w->streams)];
}

static void open_all(struct worker *w)
{
	for (int i = 0; i < w->streams; i++)
		CALL(aclrtCreateStream(&w->stream[i]));
	for (int i = 0; i < EVENTS; i++) {
		CALL(aclrtCreateEvent(&w->plain[i]));
		CALL(aclrtCreateEventExWithFlag(&w->ex[i], ACL_EVENT_SYNC));
		CALL(aclrtCreateEventWithFlag(&w->sync[i], ACL_EVENT_SYNC));
	}
	CALL(aclrtCreateNotify(&w->notify, 0));
	CALL(aclrtMalloc((void **)&w->device, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
	CALL(aclrtMallocHost((void **)&w->host, BYTES));
}

static void close_all(struct worker *w)
{
	for (int i = 0; i < w->streams; i++)
		CALL(aclrtDestroyStream(w->stream[i]));
	for (int i = 0; i < EVENTS; i++) {
		CALL(aclrtDestroyEvent(w->plain[i]));
		CALL(aclrtDestroyEvent(w->ex[i]));
		CALL(aclrtDestroyEvent(w->sync[i]));
	}
	CALL(aclrtDestroyNotify(w->notify));
	CALL(aclrtFree(w->device));
	CALL(aclrtFreeHost(w->host));
}

/* A record always comes before its wait, so no order of streams can be a ring. */
static void order(struct worker *w, aclrtEvent event)
{
	CALL(aclrtRecordEvent(event, any(w)));
	CALL(aclrtStreamWaitEvent(any(w), event));
}

static void graph(struct worker *w)
{
	aclrtStream s = any(w);
	aclmdlRI g;

	CALL(aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
	CALL(aclrtMemsetAsync(w->device, BYTES, 1, BYTES, s));
	CALL(aclmdlRICaptureEnd(s, &g));
	CALL(aclmdlRIExecuteAsync(g, s));
	CALL(aclmdlRIExecuteAsync(g, s));
	CALL(aclrtSynchronizeStream(s));
	CALL(aclmdlRIDestroy(g));
}

static void replace_event(struct worker *w)
{
	int i = (int)draw(w, EVENTS);

	CALL(aclrtDestroyEvent(w->ex[i]));
	CALL(aclrtCreateEventExWithFlag(&w->ex[i], ACL_EVENT_SYNC));
}

static void replace_stream(struct worker *w)
{
	int i = (int)draw(w, (uint32_t)w->streams);

	CALL(aclrtDestroyStream(w->stream[i]));
	CALL(aclrtCreateStream(&w->stream[i]));
}

static void step(struct worker *w)
{
	aclrtStream s = any(w);
	aclrtStreamStatus status;
	aclrtEventRecordedStatus recorded;

	switch (draw(w, 16)) {
	case 0:
	case 1:
		order(w, w->plain[draw(w, EVENTS)]);
		break;
	case 2:
	case 3:
		order(w, w->ex[draw(w, EVENTS)]);
		break;
	case 4:
		order(w, w->sync[draw(w, EVENTS)]);
		break;
	case 5:
		CALL(aclrtRecordNotify(w->notify, s));
		break;
	case 6:
		CALL(aclrtMemcpyAsync(w->device, BYTES, w->host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE,
				      w->stream[0]));
		break;
	case 7:
		CALL(aclrtMemsetAsync(w->host, BYTES, 7, BYTES, w->stream[0]));
		break;
	case 8:
		CALL(aclrtSynchronizeStream(s));
		break;
	case 9:
		CALL(aclrtStreamQuery(s, &status));
		break;
	case 10:
		CALL(aclrtSynchronizeEvent(w->plain[draw(w, EVENTS)]));
		break;
	case 11:
		CALL(aclrtQueryEventStatus(w->ex[draw(w, EVENTS)], &recorded));
		break;
	case 12:
		CALL(aclrtLaunchHostFunc(s, host_function, w));
		w->host_launched++;
		break;
	case 13:
		replace_event(w);
		break;
	case 14:
		if (draw(w, 8) == 0)
			replace_stream(w);
		break;
	default:
		if (draw(w, 64) == 0)
			graph(w);
		break;
	}
	w->calls++;
}

static void *work(void *data)
{
	struct worker *w = data;

	CALL(aclrtSetCurrentContext(w->context));
	open_all(w);
	while (time(NULL) < w->end)
		step(w);
	close_all(w);
	return NULL;
}

static int number(int argc, char **argv, int at, int usual)
{
	return argc > at ? atoi(argv[at]) : usual;
}

int main(int argc, char **argv)
{
	int threads = number(argc, argv, 1, 16);
	int streams = number(argc, argv, 2, MAX_STREAMS);
	int seconds = number(argc, argv, 3, 5);
	struct worker *workers = calloc((size_t)threads, sizeof(*workers));
	aclrtContext context;
	long calls = 0, lost = 0;

	if (!workers || streams < 1 || streams > MAX_STREAMS)
		return 2;
	CALL(aclInit(NULL));
	CALL(aclrtSetDevice(0));
	CALL(aclrtGetCurrentContext(&context));
	for (int i = 0; i < threads; i++) {
		workers[i].context = context;
		workers[i].streams = streams;
		workers[i].random = (uint32_t)number(argc, argv, 4, 1) * 7919u + (uint32_t)i;
		workers[i].end = time(NULL) + seconds;
		pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	}
	for (int i = 0; i < threads; i++) {
		pthread_join(workers[i].thread, NULL);
		calls += workers[i].calls;
		lost += workers[i].host_launched - __atomic_load_n(&workers[i].host_calls, __ATOMIC_RELAXED);
	}
	CALL(aclrtSynchronizeDevice());
	CALL(aclrtResetDevice(0));
	CALL(aclFinalize());
	printf("steps=%ld lost_callbacks=%ld\n", calls, lost);
	free(workers);
	return lost == 0 ? 0 : 1;
}
