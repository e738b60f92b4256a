// SPDX-License-Identifier: Apache-2.0
/*
 * Busy and correct: four threads keep their streams full of copies, kernels
 * and events of several kinds for a while, and check every result. A tool
 * that finds a hang here is wrong.
 */
#include <time.h>
#include "example_common.h"

enum { THREADS = 4, NUMBERS = 4096, ROUNDS_MAX = 1 << 30 };

struct add_args { /* as the kernel library has it */
	uint32_t *numbers;
	uint32_t count;
	uint32_t value;
};

struct worker {
	pthread_t thread;
	aclrtContext context;
	aclrtFuncHandle kernel;
	time_t end;
	long rounds;
	long wrong;
};

struct lane { /* what one worker works with */
	aclrtStream compute, copy;
	aclrtEvent ready, done; /* ready: default event; done: Ex */
	aclrtEvent time;	/* TIME_LINE only */
	uint32_t *host, *device;
};

static void lane_open(struct lane *l)
{
	CALL(aclrtCreateStream(&l->compute));
	CALL(aclrtCreateStreamWithConfig(&l->copy, 0, ACL_STREAM_FAST_LAUNCH));
	CALL(aclrtCreateEvent(&l->ready));
	CALL(aclrtCreateEventExWithFlag(&l->done, ACL_EVENT_SYNC));
	CALL(aclrtCreateEventWithFlag(&l->time, ACL_EVENT_TIME_LINE));
	CALL(aclrtMallocHost((void **)&l->host, NUMBERS * sizeof(uint32_t)));
	CALL(aclrtMalloc((void **)&l->device, NUMBERS * sizeof(uint32_t), ACL_MEM_MALLOC_HUGE_FIRST));
}

static void lane_close(struct lane *l)
{
	CALL(aclrtSynchronizeStream(l->compute));
	CALL(aclrtSynchronizeStream(l->copy));
	CALL(aclrtFree(l->device));
	CALL(aclrtFreeHost(l->host));
	CALL(aclrtDestroyEvent(l->ready));
	CALL(aclrtDestroyEvent(l->done));
	CALL(aclrtDestroyEvent(l->time));
	CALL(aclrtDestroyStream(l->copy));
	CALL(aclrtDestroyStream(l->compute));
}

/* In by one stream, a kernel on another, out by the first: events order the three. */
static void lane_round(struct lane *l, aclrtFuncHandle kernel, uint32_t seed)
{
	struct add_args args = { l->device, NUMBERS, seed };
	size_t bytes = NUMBERS * sizeof(uint32_t);

	for (uint32_t i = 0; i < NUMBERS; i++)
		l->host[i] = i;
	CALL(aclrtMemcpyAsync(l->device, bytes, l->host, bytes, ACL_MEMCPY_HOST_TO_DEVICE, l->copy));
	CALL(aclrtRecordEvent(l->ready, l->copy));
	CALL(aclrtStreamWaitEvent(l->compute, l->ready));
	CALL(aclrtLaunchKernelWithHostArgs(kernel, 1, l->compute, NULL, &args, sizeof(args), NULL, 0));
	CALL(aclrtRecordEvent(l->time, l->compute));
	CALL(aclrtRecordEvent(l->done, l->compute));
	CALL(aclrtStreamWaitEvent(l->copy, l->done));
	CALL(aclrtMemcpyAsync(l->host, bytes, l->device, bytes, ACL_MEMCPY_DEVICE_TO_HOST, l->copy));
	CALL(aclrtSynchronizeStream(l->copy));
}

static long lane_check(const struct lane *l, uint32_t seed)
{
	long wrong = 0;

	for (uint32_t i = 0; i < NUMBERS; i++)
		wrong += l->host[i] != i + seed;
	return wrong;
}

static void *work(void *data)
{
	struct worker *w = data;
	struct lane lane;

	CALL(aclrtSetCurrentContext(w->context));
	lane_open(&lane);
	while (time(NULL) < w->end && w->rounds < ROUNDS_MAX) {
		uint32_t seed = (uint32_t)++w->rounds;

		lane_round(&lane, w->kernel, seed);
		w->wrong += lane_check(&lane, seed);
	}
	lane_close(&lane);
	return NULL;
}

/* The kernel library lies beside the program. */
static void kernel_path(char *to, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", to, size - 1);

	to[n > 0 ? n : 0] = '\0';
	n = strrchr(to, '/') ? strrchr(to, '/') - to + 1 : 0;
	snprintf(to + n, size - (size_t)n, "libhealthy_kernels.so");
}

int main(int argc, char **argv)
{
	struct example_options o;
	struct worker workers[THREADS];
	aclrtBinHandle library;
	aclrtFuncHandle kernel;
	aclrtContext context;
	char path[4096];
	long rounds = 0, wrong = 0;

	if (example_parse(argc, argv, &o) != 0)
		return 2;
	example_start();
	example_threads(&o);
	example_decoys(&o);
	kernel_path(path, sizeof(path));
	CALL(aclrtBinaryLoadFromFile(path, NULL, &library));
	CALL(aclrtBinaryGetFunction(library, "add_to_all", &kernel));
	CALL(aclrtGetCurrentContext(&context));
	for (int i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){ .context = context,
					      .kernel = kernel,
					      .end = time(NULL) + o.seconds };
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
			return 1;
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		rounds += workers[i].rounds;
		wrong += workers[i].wrong;
	}
	CALL(aclrtSynchronizeDevice());
	CALL(aclrtBinaryUnLoad(library));
	example_print("rounds", rounds);
	example_print("wrong", wrong);
	example_end();
	return wrong == 0 && rounds > 0 ? 0 : 1;
}
