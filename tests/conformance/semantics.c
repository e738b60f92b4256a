// SPDX-License-Identifier: Apache-2.0
/*
 * What the project relies on and the recordings do not show: kernels, value
 * waits that do not hold, the codes of waits that time out, graphs executed
 * again, faults on demand. Each case runs in a process of its own.
 * usage: semantics KERNEL_LIBRARY [CASE]
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "acl/acl.h"

enum { SHORT_MS = 200, LONG_MS = 5000, CASE_LIMIT_S = 30 };

struct kernel_args {
	uint32_t *at;
	uint32_t value;
};

#define EXPECT(expression, wanted)                                                                     \
	do {                                                                                           \
		long long got_ = (long long)(expression);                                              \
		if (got_ != (long long)(wanted)) {                                                     \
			printf("%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #expression, got_, \
			       (long long)(wanted));                                                   \
			exit(1);                                                                       \
		}                                                                                      \
	} while (0)

#define CALL(expression) EXPECT(expression, ACL_SUCCESS)
#define STUCK(stream) \
	EXPECT(aclrtSynchronizeStreamWithTimeout(stream, SHORT_MS), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT)
#define DONE(stream) EXPECT(aclrtSynchronizeStreamWithTimeout(stream, LONG_MS), ACL_SUCCESS)

static const char *kernels;
static aclrtStream s1, s2;

static void start(void)
{
	CALL(aclInit(NULL));
	CALL(aclrtSetDevice(0));
	CALL(aclrtCreateStream(&s1));
	CALL(aclrtCreateStream(&s2));
}

static aclrtFuncHandle kernel(const char *name)
{
	aclrtBinHandle library;
	aclrtFuncHandle function;

	CALL(aclrtBinaryLoadFromFile(kernels, NULL, &library));
	CALL(aclrtBinaryGetFunction(library, name, &function));
	return function;
}

static void launch(aclrtFuncHandle function, uint32_t blocks, uint32_t *at, uint32_t value, aclrtStream s)
{
	struct kernel_args args = { at, value };

	CALL(aclrtLaunchKernelWithHostArgs(function, blocks, s, NULL, &args, sizeof(args), NULL, 0));
}

static uint32_t *device_word(void)
{
	uint32_t *p;

	CALL(aclrtMalloc((void **)&p, 64, ACL_MEM_MALLOC_HUGE_FIRST));
	CALL(aclrtMemset(p, 64, 0, 64));
	return p;
}

static uint32_t read_word(const uint32_t *p)
{
	uint32_t value = 0;

	CALL(aclrtMemcpy(&value, sizeof(value), p, sizeof(value), ACL_MEMCPY_DEVICE_TO_HOST));
	return value;
}

/* ---- kernels --------------------------------------------------------------------- */

static void kernels_run_in_order(void)
{
	uint32_t *word = device_word();
	aclrtFuncHandle add = kernel("add");

	for (int i = 0; i < 100; i++)
		launch(add, 2, word, 3, s1);
	DONE(s1);
	EXPECT(read_word(word), 600);
	EXPECT(aclrtLaunchKernelWithHostArgs(add, 0, s1, NULL, word, 1, NULL, 0), ACL_ERROR_RT_PARAM_INVALID);
}

static void kernel_holds_its_stream_only(void)
{
	uint32_t *word = device_word(), *other = device_word();
	uint32_t one = 1;

	launch(kernel("wait_for"), 1, word, 1, s1);
	launch(kernel("add"), 1, other, 5, s2);
	DONE(s2);
	EXPECT(read_word(other), 5);
	STUCK(s1);
	CALL(aclrtMemcpy(word, sizeof(one), &one, sizeof(one), ACL_MEMCPY_HOST_TO_DEVICE));
	DONE(s1);
}

/* ---- values ------------------------------------------------------------------------ */

static void value_wait_held_until_written(void)
{
	uint32_t *word = device_word();
	uint64_t seven = 7;

	CALL(aclrtValueWait(word, 7, ACL_STREAM_WAIT_VALUE_EQ, s1));
	STUCK(s1);
	CALL(aclrtValueWrite(word, 6, 0, s2));
	DONE(s2);
	STUCK(s1);
	CALL(aclrtValueWrite(word, 7, 0, s2));
	DONE(s1);
	CALL(aclrtValueWait(word, 8, ACL_STREAM_WAIT_VALUE_GEQ, s1));
	CALL(aclrtValueWait(word + 2, 1, ACL_STREAM_WAIT_VALUE_AND, s1));
	STUCK(s1);
	CALL(aclrtMemset(word, 64, 0xff, 4)); /* by the host, past every stream */
	STUCK(s1);
	CALL(aclrtMemcpy(word + 2, sizeof(seven), &seven, sizeof(seven), ACL_MEMCPY_HOST_TO_DEVICE));
	DONE(s1);
}

/* ---- timeouts of waits ------------------------------------------------------------------ */

static void event_wait_times_out(void)
{
	aclrtEvent e;

	CALL(aclrtCreateEventWithFlag(&e, ACL_EVENT_SYNC));
	CALL(aclrtStreamWaitEventWithTimeout(s1, e, 1));
	EXPECT(aclrtSynchronizeStream(s1), ACL_ERROR_RT_WAIT_TIMEOUT);
	EXPECT(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_WAIT_TIMEOUT);
	DONE(s1); /* reported once; the stream goes on */
	CALL(aclrtSetOpWaitTimeout(1));
	CALL(aclrtStreamWaitEvent(s1, e));
	EXPECT(aclrtSynchronizeDevice(), ACL_ERROR_RT_WAIT_TIMEOUT);
}

static void notify_wait_times_out(void)
{
	aclrtNotify n;

	CALL(aclrtCreateNotify(&n, 0));
	CALL(aclrtWaitAndResetNotify(n, s1, 1));
	EXPECT(aclrtSynchronizeStream(s1), ACL_ERROR_RT_FFTS_PLUS_TIMEOUT);
	CALL(aclrtWaitAndResetNotify(n, s1, 60));
	CALL(aclrtRecordNotify(n, s2)); /* the timed out wait must not take it */
	DONE(s1);
}

/* ---- graphs --------------------------------------------------------------------------------- */

static void graph_executed_again(void)
{
	uint32_t *word = device_word();
	aclrtFuncHandle add = kernel("add");
	aclrtEvent fork_event, join_event;
	aclmdlRI g;

	CALL(aclrtCreateEventExWithFlag(&fork_event, ACL_EVENT_SYNC));
	CALL(aclrtCreateEventExWithFlag(&join_event, ACL_EVENT_SYNC));
	CALL(aclmdlRICaptureBegin(s1, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
	launch(add, 1, word, 1, s1);
	CALL(aclrtRecordEvent(fork_event, s1));
	CALL(aclrtStreamWaitEvent(s2, fork_event));
	launch(add, 1, word, 10, s2);
	CALL(aclrtRecordEvent(join_event, s2));
	CALL(aclrtStreamWaitEvent(s1, join_event));
	launch(add, 1, word, 100, s1);
	CALL(aclmdlRICaptureEnd(s1, &g));
	EXPECT(read_word(word), 0);
	for (int i = 0; i < 50; i++)
		CALL(aclmdlRIExecuteAsync(g, i % 2 ? s1 : s2));
	DONE(s1);
	DONE(s2);
	EXPECT(read_word(word), 50 * 111);
	CALL(aclmdlRIDestroy(g));
}

/* ---- host functions ----------------------------------------------------------------------------- */

static void set_flag(void *data)
{
	__atomic_store_n((int *)data, 1, __ATOMIC_RELEASE);
}

static void host_function_on_subscribed_thread(void)
{
	int flag = 0;

	CALL(aclrtSubscribeHostFunc((uint64_t)pthread_self(), s1));
	CALL(aclrtLaunchHostFunc(s1, set_flag, &flag));
	STUCK(s1);
	EXPECT(flag, 0);
	CALL(aclrtProcessHostFunc(LONG_MS));
	EXPECT(flag, 1);
	DONE(s1);
	CALL(aclrtUnSubscribeHostFunc((uint64_t)pthread_self(), s1));
}

/* ---- resources ----------------------------------------------------------------------------------------- */

static void memory_runs_out(void)
{
	void *p;

	EXPECT(aclrtMalloc(&p, 61ull << 30, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_MEMORY_ALLOCATION);
	CALL(aclrtMalloc(&p, 50ull << 30, ACL_MEM_MALLOC_HUGE_FIRST));
	EXPECT(aclrtMalloc(&p, 20ull << 30, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_MEMORY_ALLOCATION);
}

static void events_run_out(void)
{
	aclrtEvent e;

	for (int i = 0; i < 4; i++)
		CALL(aclrtCreateEventWithFlag(&e, ACL_EVENT_SYNC));
	EXPECT(aclrtCreateEventWithFlag(&e, ACL_EVENT_SYNC), ACL_ERROR_RT_NO_EVENT_RESOURCE);
}

static void streams_run_out(void)
{
	aclrtStream s;

	for (int i = 0; i < 4; i++) /* of 8: 0 and 1 are the device's, 2 and 3 exist */
		CALL(aclrtCreateStream(&s));
	EXPECT(aclrtCreateStream(&s), ACL_ERROR_RT_NO_STREAM_RESOURCE);
	CALL(aclrtDestroyStream(s1));
	CALL(aclrtCreateStream(&s1));
}

static void notifies_run_out(void)
{
	aclrtNotify n;

	CALL(aclrtCreateNotify(&n, 0));
	EXPECT(aclrtCreateNotify(&n, 0), ACL_ERROR_RT_NO_NOTIFY_RESOURCE);
}

static void little_memory(void)
{
	void *p;

	CALL(aclrtMalloc(&p, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST));
	EXPECT(aclrtMalloc(&p, 64 << 20, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_MEMORY_ALLOCATION);
}

/* ---- symbols and models from memory -------------------------------------------- */

static void symbols_are_copied_in_order(void)
{
	uint32_t *word = device_word();
	uint32_t values[4] = { 1, 2, 3, 4 }, back[2] = { 0, 0 };
	void *library = dlopen(kernels, RTLD_NOW), *address = NULL;
	uint32_t *symbol = library ? dlsym(library, "table") : NULL;
	size_t size = 0;

	EXPECT(symbol != NULL, 1);
	CALL(aclrtGetSymbolSize(symbol, &size));
	EXPECT(size, sizeof(values));
	CALL(aclrtGetSymbolAddress(symbol, &address));
	EXPECT(address == symbol, 1);
	CALL(aclrtMemcpyToSymbolAsync(symbol, values, sizeof(values), 0, ACL_MEMCPY_HOST_TO_DEVICE, s1));
	launch(kernel("add_table"), 1, word, 0, s1);
	CALL(aclrtMemcpyFromSymbolAsync(back, sizeof(back), symbol, sizeof(back), 8, ACL_MEMCPY_DEVICE_TO_HOST,
					s1));
	DONE(s1);
	EXPECT(read_word(word), 10);
	EXPECT(back[0], 3);
	EXPECT(aclrtMemcpyToSymbol(symbol, values, 8, 12, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_INVALID_PARAM);
	EXPECT(aclrtMemcpyToSymbol(&size, values, 8, 0, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_INVALID_PARAM);
}

static void model_from_memory(void)
{
	char *bytes = malloc(1 << 20);
	FILE *file = fopen(kernels, "re");
	size_t size = file && bytes ? fread(bytes, 1, 1 << 20, file) : 0;
	uint32_t id = 0, second = 0;

	EXPECT(size > 0 && feof(file), 1);
	CALL(aclmdlLoadFromMem(bytes, size, &id));
	CALL(aclmdlLoadFromMemWithMem(bytes, size, &second, NULL, 0, NULL, 0));
	EXPECT(id != second, 1);
	memset(bytes, 0, 64);
	EXPECT(aclmdlLoadFromMem(bytes, size, &second), ACL_ERROR_PARSE_MODEL);
	CALL(aclmdlExecute(id, NULL, NULL));
	CALL(aclmdlUnload(id));
	EXPECT(aclmdlExecute(id, NULL, NULL), ACL_ERROR_INVALID_MODEL_ID);
	fclose(file);
	free(bytes);
}

/* ---- faults
 * ------------------------------------------------------------------------------------------------ */

static void submit(int tasks)
{
	aclrtNotify n;

	CALL(aclrtCreateNotify(&n, 0));
	for (int i = 0; i < tasks; i++)
		CALL(aclrtRecordNotify(n, s1));
}

static void fault_hangs_a_task(void)
{
	submit(3);
	STUCK(s1);
	EXPECT(strstr(aclGetRecentErrMsg(), "stream_id=2, task_id=1,") != NULL, 1);
	DONE(s2);
}

static void fault_delays_a_task(void)
{
	submit(3);
	STUCK(s1);
	DONE(s1);
}

static uint32_t seen_stream, seen_task, seen_code;

static void on_exception(aclrtExceptionInfo *info)
{
	seen_stream = aclrtGetStreamIdFromExceptionInfo(info);
	seen_task = aclrtGetTaskIdFromExceptionInfo(info);
	__atomic_store_n(&seen_code, aclrtGetErrorCodeFromExceptionInfo(info), __ATOMIC_RELEASE);
}

static void fault_fails_a_task(void)
{
	CALL(aclrtSetExceptionInfoCallback(on_exception));
	submit(3);
	EXPECT(aclrtSynchronizeStream(s1), ACL_ERROR_RT_AICORE_EXCEPTION);
	DONE(s1);
	for (int i = 0; i < 1000 && !__atomic_load_n(&seen_code, __ATOMIC_ACQUIRE); i++)
		usleep(1000);
	EXPECT(seen_code, ACL_ERROR_RT_AICORE_EXCEPTION);
	EXPECT(seen_stream, 2);
	EXPECT(seen_task, 1);
}

static void fault_fails_with_each_code(void)
{
	static const int codes[] = { ACL_ERROR_RT_AICORE_TIMEOUT, ACL_ERROR_RT_AICPU_EXCEPTION,
				     ACL_ERROR_RT_AICPU_TIMEOUT, ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, 507013, 507057,
				     507011 };

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		submit(1);
		EXPECT(aclrtSynchronizeStream(s1), codes[i]);
		DONE(s1); /* told once */
	}
}

static void fault_stops_a_stream(void)
{
	aclrtNotify n;

	CALL(aclrtSetStreamFailureMode(s1, ACL_STOP_ON_FAILURE));
	submit(2); /* a third could already be refused */
	EXPECT(aclrtSynchronizeStream(s1), ACL_ERROR_RT_AICORE_EXCEPTION);
	CALL(aclrtCreateNotify(&n, 0));
	EXPECT(aclrtRecordNotify(n, s1), ACL_ERROR_RT_AICORE_EXCEPTION);
	CALL(aclrtRecordNotify(n, s2));
	DONE(s2);
}

static void fault_drops_a_record(void)
{
	aclrtEvent e;

	CALL(aclrtCreateEventWithFlag(&e, ACL_EVENT_SYNC));
	CALL(aclrtStreamWaitEvent(s2, e));
	CALL(aclrtRecordEvent(e, s1));
	DONE(s1);
	STUCK(s2);
	CALL(aclrtRecordEvent(e, s1)); /* the rule applies once */
	DONE(s2);
}

static void *set_device(void *data)
{
	aclrtSetDevice(1);
	__atomic_store_n((int *)data, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void dead_device_hangs_set_device(void)
{
	static int back;
	pthread_t thread;

	EXPECT(pthread_create(&thread, NULL, set_device, &back), 0);
	usleep(SHORT_MS * 1000);
	EXPECT(__atomic_load_n(&back, __ATOMIC_ACQUIRE), 0);
	submit(3);
	DONE(s1);
}

static void lost_device_ends_synchronize(void)
{
	aclrtDeviceStatus status = ACL_RT_DEVICE_STATUS_NORMAL;
	aclrtNotify n;

	CALL(aclrtCreateNotify(&n, 0));
	CALL(aclrtWaitAndResetNotify(n, s1, 0));
	EXPECT(aclrtSynchronizeStream(s1), ACL_ERROR_RT_LOST_HEARTBEAT);
	EXPECT(aclrtSynchronizeDevice(), ACL_ERROR_RT_LOST_HEARTBEAT);
	CALL(aclrtQueryDeviceStatus(0, &status));
	EXPECT(status, ACL_RT_DEVICE_STATUS_ABNORMAL);
}

static void delayed_wait_still_waits(void)
{
	aclrtEvent e;

	CALL(aclrtCreateEventWithFlag(&e, ACL_EVENT_SYNC));
	CALL(aclrtStreamWaitEvent(s1, e));
	usleep(2 * SHORT_MS * 1000);
	STUCK(s1);
	CALL(aclrtRecordEvent(e, s2));
	DONE(s1);
}

static void *set_and_reset(void *data)
{
	for (int i = 0; i < 50; i++) {
		CALL(aclrtSetDevice(1));
		CALL(aclrtResetDevice(1));
	}
	return NULL;
}

static void threads_set_one_device_at_once(void)
{
	pthread_t threads[8];

	CALL(aclrtSetDevice(1)); /* held here: the others count up and down above it */
	for (int i = 0; i < 8; i++)
		EXPECT(pthread_create(&threads[i], NULL, set_and_reset, NULL), 0);
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	CALL(aclrtResetDevice(1));
	EXPECT(aclrtResetDevice(1), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
}

static const struct {
	const char *name;
	void (*run)(void);
	const char *fault;
} cases[] = {
	{ "kernels_run_in_order", kernels_run_in_order, NULL },
	{ "kernel_holds_its_stream_only", kernel_holds_its_stream_only, NULL },
	{ "value_wait_held_until_written", value_wait_held_until_written, NULL },
	{ "event_wait_times_out", event_wait_times_out, NULL },
	{ "notify_wait_times_out", notify_wait_times_out, NULL },
	{ "graph_executed_again", graph_executed_again, NULL },
	{ "host_function_on_subscribed_thread", host_function_on_subscribed_thread, NULL },
	{ "memory_runs_out", memory_runs_out, NULL },
	{ "events_run_out", events_run_out, "max-events=4" },
	{ "streams_run_out", streams_run_out, "max-streams=8" },
	{ "notifies_run_out", notifies_run_out, "max-notifies=1" },
	{ "little_memory", little_memory, "max-memory-mb=32" },
	{ "symbols_are_copied_in_order", symbols_are_copied_in_order, NULL },
	{ "model_from_memory", model_from_memory, NULL },
	{ "fault_fails_with_each_code", fault_fails_with_each_code,
	  "stream=2,task=0,fail=aicore-timeout;stream=2,task=1,fail=aicpu;stream=2,task=2,fail=aicpu-timeout;"
	  "stream=2,task=3,fail=vector-core;stream=2,task=4,fail=sdma;stream=2,task=5,fail=remote;"
	  "stream=2,task=6,fail=507011" },
	{ "fault_hangs_a_task", fault_hangs_a_task, "stream=2,task=1,hang" },
	{ "fault_delays_a_task", fault_delays_a_task, "stream=2,task=1,delay=600" },
	{ "fault_fails_a_task", fault_fails_a_task, "stream=2,task=1,fail=aicore" },
	{ "fault_stops_a_stream", fault_stops_a_stream, "stream=2,task=1,fail=aicore" },
	{ "fault_drops_a_record", fault_drops_a_record, "type=event-record,count=1,drop" },
	{ "lost_device_ends_synchronize", lost_device_ends_synchronize, "device=0,dead,after=1000" },
	{ "delayed_wait_still_waits", delayed_wait_still_waits, "type=event-wait,delay=200" },
	{ "threads_set_one_device_at_once", threads_set_one_device_at_once, NULL },
	{ "dead_device_hangs_set_device", dead_device_hangs_set_device, "device=1,dead" },
};

static int run_case(const char *name)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (strcmp(cases[i].name, name) != 0)
			continue;
		alarm(CASE_LIMIT_S);
		start();
		cases[i].run();
		fflush(stdout);
		_exit(0); /* streams may be stuck on purpose */
	}
	return 2;
}

static int start_case(size_t i, const char *program)
{
	int status = 0;
	pid_t pid = fork();

	if (pid < 0)
		return -1;
	if (pid == 0) {
		if (cases[i].fault)
			setenv("CANNSIM_FAULT", cases[i].fault, 1);
		else
			unsetenv("CANNSIM_FAULT");
		execl(program, program, kernels, cases[i].name, (char *)NULL);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	printf("%s %s\n", status == 0 ? "ok" : "FAILED", cases[i].name);
	return status;
}

int main(int argc, char **argv)
{
	int failed = 0;

	if (argc < 2)
		return 2;
	kernels = argv[1];
	if (argc == 3)
		return run_case(argv[2]);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fflush(stdout);
		failed += start_case(i, argv[0]) != 0;
	}
	printf("%zu cases, %d failed\n", sizeof(cases) / sizeof(cases[0]), failed);
	return failed ? 1 : 0;
}
