// SPDX-License-Identifier: Apache-2.0
/*
 * Runs with libcannwatch.so preloaded and the stand-in library below it.
 * usage: shim_test pass|fork|threads|tables|odd|order|storm|below|names|plain, or helper MODE MARK
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "shm/ring_api.h"
#include "shm/ring_reader.h"
#include "tests/preload/fake.h"
#include "tests/shm/check.h"

struct api_triple {
	uint32_t x, y, z;
};
struct api_pair {
	int32_t a, b;
};
struct api_bytes64 {
	char bytes[64];
};

/* ---- every wrapper hands on its arguments, its result and errno ---- */

static unsigned char areas[2][FAKE_ARGUMENTS][4096] __attribute__((aligned(64)));
static intptr_t call_answer;

static void *call_pointer(int index, int zeroed)
{
	/* What the driver's structures hold is read by the shim: those are all zero. */
	memset(areas[zeroed][index], zeroed ? 0 : 0x30 + index, sizeof(areas[0][0]));
	return areas[zeroed][index];
}

static void call_pattern(int index, void *to, size_t size)
{
	unsigned char *bytes = to;
	size_t i;

	for (i = 0; i < size; i++)
		bytes[i] = (unsigned char)(index * 16 + (int)i + 1);
	if (size == 1)
		bytes[0] = 1; /* it may be a bool */
}

static void call_begin(void)
{
	fake.name = "";
	fake.answer = call_answer;
	fake.errno_set = 55;
	errno = 44;
}

static void call_check(const char *name, int index, const void *value, size_t size)
{
	if (memcmp(fake.arguments[index], value, size)) {
		fprintf(stderr, "%s: argument %d was changed\n", name, index);
		check_failures++;
	}
}

static void call_end(const char *name, int arguments, intptr_t result)
{
	int seen = errno;

	if (seen != 55 || fake.errno_seen != 44 || result != call_answer || strcmp(fake.name, name)) {
		fprintf(stderr, "%s: errno %d in, %d out, result %ld, ran %s\n", name, fake.errno_seen, seen,
			(long)result, fake.name);
		check_failures++;
	}
}

#include "calls.inc"

static void test_pass(void)
{
	static const intptr_t answers[] = { 0, 107000, -1 };
	size_t i, j;

	for (j = 0; j < sizeof(answers) / sizeof(answers[0]); j++) {
		call_answer = answers[j];
		for (i = 0; i < sizeof(all_calls) / sizeof(all_calls[0]); i++)
			all_calls[i]();
	}
	printf("%zu functions\n", sizeof(all_calls) / sizeof(all_calls[0]));
	CHECK(sizeof(all_calls) / sizeof(all_calls[0]) > 300);
}

/* ---- a ring of this or another process ---- */

static int ring_of(pid_t pid, struct ring_snapshot *snapshot)
{
	struct ring_reader *reader;
	char path[256], error[200];
	int status = ring_find(pid, path, sizeof(path));

	if (status)
		return status;
	reader = ring_reader_open(path, error, sizeof(error));
	if (!reader)
		return -errno;
	status = ring_reader_snapshot(reader, snapshot);
	ring_reader_close(reader);
	return status;
}

static void calls_ready(void)
{
	fake.answer = 0;
	fake.handles = 1;
	fake.errno_set = 0;
	CHECK(aclrtSetDevice(0) == 0);
}

/* A wait that nothing can release, and a thread that synchronises on it. */
static void block_for(unsigned int ms)
{
	void *stream, *event;

	CHECK(aclrtCreateStream(&stream) == 0);
	CHECK(aclrtCreateEventWithFlag(&event, 1) == 0);
	CHECK(aclrtStreamWaitEvent(stream, event) == 0);
	fake.block_ms = ms;
	CHECK(aclrtSynchronizeStream(stream) == 0);
	fake.block_ms = 0;
}

/* ---- the helper is invisible ---- */

static volatile sig_atomic_t children_signalled;
static volatile int done;

static void on_child(int number)
{
	children_signalled++;
}

static void *block_main(void *data)
{
	fake.handles = 1;
	block_for(1500);
	done = 1;
	return NULL;
}

static bool helper_has_run(const char *mark)
{
	struct stat status;

	return stat(mark, &status) == 0 && status.st_size > 0;
}

/* mode: "handle" SIGCHLD, "ignore" it, or leave it alone. The helper writes its arguments to mark. */
static void test_helper(const char *mode, const char *mark)
{
	struct timespec pause = { 0, 20000000 };
	pthread_t thread;
	int own = 0, foreign = 0;
	sigset_t before, after;
	pid_t pid;

	if (!strcmp(mode, "handle"))
		signal(SIGCHLD, on_child);
	else if (!strcmp(mode, "ignore"))
		signal(SIGCHLD, SIG_IGN);
	memset(&before, 0, sizeof(before)); /* the kernel fills in 64 signals only */
	memset(&after, 0, sizeof(after));
	pthread_sigmask(SIG_SETMASK, NULL, &before);
	calls_ready();
	pthread_create(&thread, NULL, block_main, NULL);
	pid = fork();
	if (pid == 0)
		_exit(3);
	while (!done) {
		int status;
		pid_t got = wait(&status);

		if (got == pid)
			own += strcmp(mode, "ignore") ? WEXITSTATUS(status) == 3 : 1;
		else if (got > 0)
			foreign++;
		else
			CHECK(errno == ECHILD || errno == EINTR);
		nanosleep(&pause, NULL);
	}
	pthread_join(thread, NULL);
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	CHECK(!memcmp(&before, &after, sizeof(before)));
	CHECK(foreign == 0);
	CHECK(own == (strcmp(mode, "ignore") ? 1 : 0));
	if (!strcmp(mode, "handle"))
		CHECK(children_signalled == 1);
	CHECK(helper_has_run(mark));
}

/* ---- fork ---- */

static void test_fork(void)
{
	struct ring_snapshot parent, child;
	int status, pipes[2];
	void *stream;
	pid_t pid;
	char go;

	calls_ready();
	CHECK(aclrtCreateStream(&stream) == 0);
	CHECK(pipe(pipes) == 0);
	pid = fork();
	if (pid == 0) {
		/* Nothing before the first call, a ring of its own after it. */
		CHECK(ring_of(getpid(), &child) == -ENOENT);
		calls_ready();
		CHECK(ring_of(getpid(), &child) == 0 && child.header.pid == getpid());
		CHECK(child.thread_count == 1 && child.threads[0].tid == (uint32_t)getpid());
		CHECK(child.header.counts.forks == 0);
		CHECK(write(pipes[1], "x", 1) == 1);
		exit(check_failures ? 1 : 0);
	}
	CHECK(read(pipes[0], &go, 1) == 1);
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
	CHECK(ring_of(getpid(), &parent) == 0);
	CHECK(parent.header.counts.forks == 1 && parent.thread_count == 1 && parent.header.pid == getpid());
	CHECK(parent.stream_count && parent.streams[0].state == RING_OBJECT_LIVE);
	CHECK(ring_of(pid, &child) == -ESRCH);
}

/* ---- threads ---- */

static void *call_main(void *data)
{
	void *event;

	fake.handles = 1;
	CHECK(aclrtSetDevice(0) == 0);
	CHECK(aclrtCreateEvent(&event) == 0);
	return data;
}

static void *cancelled_main(void *data)
{
	fake.handles = 1;
	block_for(60000);
	return NULL;
}

static void test_threads(void)
{
	struct ring_snapshot s;
	pthread_attr_t attributes;
	pthread_t thread, many[20];
	size_t i, exited = 0;
	void *result;

	calls_ready();
	for (i = 0; i < 200; i++) {
		CHECK(pthread_create(&thread, NULL, call_main, (void *)i) == 0);
		CHECK(pthread_join(thread, &result) == 0 && result == (void *)i);
	}
	for (i = 0; i < 20; i++)
		CHECK(pthread_create(&many[i], NULL, call_main, NULL) == 0);
	for (i = 0; i < 20; i++)
		CHECK(pthread_join(many[i], NULL) == 0);
	/* One that is cancelled inside a call leaves no blocked thread behind. */
	CHECK(pthread_create(&thread, NULL, cancelled_main, NULL) == 0);
	usleep(200000);
	CHECK(pthread_cancel(thread) == 0);
	CHECK(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
	/* Errors of pthread_create itself come through. */
	pthread_attr_init(&attributes);
	CHECK(pthread_attr_setstacksize(&attributes, (size_t)1 << 46) == 0);
	CHECK(pthread_create(&thread, &attributes, call_main, NULL) == EAGAIN);
	CHECK(ring_of(getpid(), &s) == 0);
	for (i = 0; i < s.thread_count; i++) {
		exited += s.threads[i].flags & RING_THREAD_EXITED ? 1 : 0;
		CHECK(!(s.threads[i].seq & 1) || s.threads[i].tid == (uint32_t)getpid());
	}
	CHECK(s.thread_count <= 22 && exited == s.thread_count - 1);
	CHECK(s.maker_count >= 221);
	CHECK(s.header.counts.lost_threads == 0 && s.header.counts.unknown_threads == 0);
	ring_snapshot_free(&s);
}

/* ---- what the tables know ---- */

static void test_tables(void)
{
	void *streams[2], *events[3];
	struct ring_snapshot s;
	const struct ring_entry *e;
	int i;

	calls_ready();
	CHECK(aclrtCreateStream(&streams[0]) == 0 && aclrtCreateStream(&streams[1]) == 0);
	CHECK(aclrtCreateEvent(&events[0]) == 0);
	CHECK(aclrtCreateEventWithFlag(&events[1], 1) == 0);
	CHECK(aclrtCreateEventExWithFlag(&events[2], 1) == 0);
	CHECK(aclrtRecordEvent(events[0], streams[0]) == 0);
	CHECK(aclrtRecordEvent(events[2], streams[0]) == 0);
	CHECK(aclrtSynchronizeStream(streams[0]) == 0);
	CHECK(aclrtRecordEvent(events[2], streams[0]) == 0);
	CHECK(aclrtStreamWaitEvent(streams[1], events[0]) == 0);
	CHECK(aclrtStreamWaitEvent(streams[1], events[1]) == 0);
	CHECK(aclrtStreamWaitEvent(streams[1], events[2]) == 0);
	CHECK(aclrtStreamWaitEventWithTimeout(streams[1], events[1], 7) == 0);
	CHECK(aclrtSetOpWaitTimeout(9) == 0);
	CHECK(aclrtStreamWaitEvent(streams[1], events[1]) == 0);
	fake.answer = 107000;
	CHECK(aclrtStreamWaitEvent(streams[1], events[0]) == 107000);
	CHECK(aclrtRecordEvent((void *)0xdead00, streams[1]) == 107000);
	CHECK(aclrtSynchronizeStream(streams[1]) == 107000);
	fake.answer = 0;
	CHECK(aclrtDestroyEvent(events[0]) == 0);
	for (i = 0; i < 600; i++)
		CHECK(aclrtRecordEvent(events[1], NULL) == 0);
	CHECK(ring_of(getpid(), &s) == 0);
	CHECK(s.streams[0].claimed == 3 && s.streams[0].done == 2);
	CHECK(s.streams[1].claimed == 7 && s.streams[1].done == 0 && s.queues[1].count == 7);
	e = s.queues[1].entries;
	CHECK(e[0].bound == RING_POINT(1, 0) && !(e[0].flags & RING_ENTRY_ANY_RECORD));
	CHECK(e[1].bound == 0 && (e[1].flags & RING_ENTRY_ANY_RECORD));
	CHECK(e[2].bound == RING_POINT(1, 2));
	CHECK((e[3].flags & RING_ENTRY_TIMED) && e[3].timeout_s == 7);
	CHECK((e[4].flags & RING_ENTRY_TIMED) && e[4].timeout_s == 9);
	CHECK(RING_TAG_STATE(e[5].tag) == RING_ENTRY_FAILED && RING_TAG_STATE(e[6].tag) == RING_ENTRY_FAILED);
	CHECK(s.objects[0].state == RING_OBJECT_GONE && s.objects[0].records == 1);
	CHECK(s.objects[0].made_by == RING_MADE_PLAIN && s.objects[1].made_by == RING_MADE_FLAG);
	CHECK(s.objects[2].made_by == RING_MADE_EX && s.objects[2].last_record == RING_POINT(1, 2));
	CHECK(s.objects[3].state == RING_OBJECT_GONE); /* the handle that was none */
	CHECK(s.contexts[0].default_stream == 3 && (s.streams[2].flags & RING_STREAM_DEFAULT));
	CHECK(s.queues[2].count == 600 && s.objects[1].records == 600);
	CHECK(s.header.counts.lost_entries == 0 && s.header.op_wait_timeout_s == 9);
	ring_snapshot_free(&s);
}

/* ---- calls that do not return, calls from callbacks, libraries that go ---- */

static jmp_buf away;
static void *odd_stream, *odd_event;

static void jump_out(const char *name)
{
	fake.inside = NULL;
	longjmp(away, 1);
}

/* A callback that the program is served with makes calls of its own. */
static void serve(const char *name)
{
	struct ring_snapshot s;

	if (strcmp(name, "aclrtProcessReport"))
		return;
	fake.inside = NULL;
	CHECK(aclrtRecordEvent(odd_event, odd_stream) == 0);
	CHECK(ring_of(getpid(), &s) == 0);
	/* It is back inside the serving call, and has submitted. */
	CHECK((s.threads[0].seq & 1) && !strcmp(ring_api(s.threads[0].api)->name, "aclrtProcessReport"));
	CHECK(s.queues[0].count == 1 && RING_TAG_STATE(s.queues[0].entries[0].tag) == RING_ENTRY_COMMITTED);
	ring_snapshot_free(&s);
}

static void jump(void)
{
	fake.inside = jump_out;
	if (setjmp(away) == 0) {
		aclrtRecordEvent(odd_event, odd_stream);
		CHECK(!"it should have jumped");
	}
}

static void test_odd(void)
{
	struct ring_snapshot s;
	void *handle;
	int i;

	calls_ready();
	CHECK(aclrtCreateStream(&odd_stream) == 0);
	CHECK(aclrtCreateEventWithFlag(&odd_event, 1) == 0);
	fake.inside = serve;
	CHECK(aclrtProcessReport(100) == 0);
	jump();
	/* From a frame further up, as after any longjmp: the call that was left is void. */
	CHECK(aclrtRecordEvent(odd_event, odd_stream) == 0);
	CHECK(ring_of(getpid(), &s) == 0);
	CHECK(!(s.threads[0].seq & 1) && s.queues[0].count == 3);
	CHECK(RING_TAG_STATE(s.queues[0].entries[1].tag) == RING_ENTRY_CLAIMED);
	CHECK(RING_TAG_STATE(s.queues[0].entries[2].tag) == RING_ENTRY_COMMITTED);
	ring_snapshot_free(&s);
	for (i = 0; i < 3; i++) {
		handle = dlopen("libm.so.6", RTLD_NOW);
		CHECK(handle && dlclose(handle) == 0);
		CHECK(aclrtRecordEvent(odd_event, odd_stream) == 0);
	}
}

/* ---- two threads on one stream: one after the other, and one in the other's call ---- */

static void *submit_main(void *data)
{
	CHECK(aclrtRecordEvent(odd_event, odd_stream) == 0);
	return NULL;
}

static void submit_elsewhere(const char *name)
{
	pthread_t thread;

	fake.inside = NULL;
	CHECK(pthread_create(&thread, NULL, submit_main, NULL) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
}

static uint32_t odd_stream_flags(void)
{
	struct ring_snapshot s;
	uint32_t flags;

	CHECK(ring_of(getpid(), &s) == 0);
	flags = s.streams[0].flags;
	ring_snapshot_free(&s);
	return flags;
}

static void test_order(void)
{
	struct ring_snapshot s;

	calls_ready();
	CHECK(aclrtCreateStream(&odd_stream) == 0);
	CHECK(aclrtCreateEventWithFlag(&odd_event, 1) == 0);
	CHECK(aclrtRecordEvent(odd_event, odd_stream) == 0);
	submit_elsewhere("");
	CHECK(aclrtRecordEvent(odd_event, odd_stream) == 0);
	CHECK(!(odd_stream_flags() & RING_STREAM_UNORDERED));
	CHECK(aclrtSynchronizeStream(odd_stream) == 0);
	/* A synchronize finishes only what had returned when it was entered. */
	fake.inside = submit_elsewhere;
	CHECK(aclrtSynchronizeStream(odd_stream) == 0);
	CHECK(ring_of(getpid(), &s) == 0);
	CHECK(s.streams[0].claimed == 4 && s.streams[0].done == 3);
	ring_snapshot_free(&s);
	CHECK(!(odd_stream_flags() & RING_STREAM_UNORDERED));
	fake.inside = submit_elsewhere;
	CHECK(aclrtRecordEvent(odd_event, odd_stream) == 0);
	CHECK(odd_stream_flags() & RING_STREAM_UNORDERED);
}

/* ---- many threads, shared streams, handles that come and go ---- */

#define STORM_THREADS 8
#define STORM_ROUNDS  30000

static void *storm_streams[4], *storm_event;

static void *storm_main(void *data)
{
	unsigned int number = (unsigned int)(uintptr_t)data, i;
	void *stream, *event;

	fake.handles = 1;
	CHECK(aclrtSetDevice(0) == 0);
	for (i = 0; i < STORM_ROUNDS; i++) {
		stream = storm_streams[(i + number) % 4];
		switch (i % 8) {
		case 0:
			CHECK(aclrtCreateEventExWithFlag(&event, 1) == 0);
			CHECK(aclrtRecordEvent(event, stream) == 0);
			CHECK(aclrtStreamWaitEvent(storm_streams[i / 8 % 4], event) == 0);
			CHECK(aclrtDestroyEvent(event) == 0);
			break;
		case 1:
			if (i % 64 == 1) {
				CHECK(aclrtCreateStream(&stream) == 0);
				CHECK(aclrtRecordEvent(storm_event, stream) == 0);
				CHECK(aclrtDestroyStream(stream) == 0);
			}
			break;
		case 2:
			CHECK(aclrtSynchronizeStream(stream) == 0);
			break;
		case 3:
			CHECK(aclrtSynchronizeDevice() == 0);
			break;
		default:
			CHECK(aclrtRecordEvent(storm_event, stream) == 0);
		}
	}
	return NULL;
}

static void test_storm(void)
{
	pthread_t threads[STORM_THREADS];
	struct ring_snapshot s;
	size_t i, j;

	calls_ready();
	for (i = 0; i < 4; i++)
		CHECK(aclrtCreateStream(&storm_streams[i]) == 0);
	CHECK(aclrtCreateEventWithFlag(&storm_event, 1) == 0);
	for (i = 0; i < STORM_THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, storm_main, (void *)i) == 0);
	for (i = 0; i < 200; i++) {
		CHECK(ring_of(getpid(), &s) == 0);
		CHECK(s.dropped == 0);
		ring_snapshot_free(&s);
	}
	for (i = 0; i < STORM_THREADS; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	for (i = 0; i < 4; i++)
		CHECK(aclrtSynchronizeStream(storm_streams[i]) == 0);
	CHECK(ring_of(getpid(), &s) == 0);
	for (i = 0; i < 4; i++) {
		CHECK(s.streams[i].done == s.streams[i].claimed);
		for (j = 0; j < s.queues[i].count; j++)
			CHECK(RING_TAG_STATE(s.queues[i].entries[j].tag) == RING_ENTRY_COMMITTED);
	}
	CHECK(s.header.counts.lost_threads == 0 && s.header.counts.lost_streams == 0);
	CHECK(s.torn == 0 && s.dropped == 0);
	printf("lost entries %u, objects %u\n", s.header.counts.lost_entries, s.header.counts.lost_objects);
	ring_snapshot_free(&s);
}

/* ---- a program without CANN ---- */

static void test_plain(void)
{
	struct ring_snapshot s;
	pthread_t thread;

	CHECK(pthread_create(&thread, NULL, (void *(*)(void *))(void *)pthread_self, NULL) == 0);
	pthread_join(thread, NULL);
	CHECK(ring_of(getpid(), &s) == -ENOENT);
}

/* ---- what the layers below tell, and names ---- */

struct send {
	uint32_t type, ts, sq;
	int32_t timeout;
	const unsigned char *sqe;
	uint32_t sqes, pos;
	uint32_t reserved[8];
};

static uint16_t task_sent;

/* The runtime inside a submission: one task of stream 5 goes to the driver. */
static void send_inside(const char *name)
{
	unsigned char sqe[64] = { 0 };
	struct send send = { .sq = 3, .sqe = sqe, .sqes = 1, .pos = task_sent };
	uint16_t stream = 5;

	memcpy(sqe + 4, &stream, 2);
	memcpy(sqe + 6, &task_sent, 2);
	fake.inside = NULL;
	halSqTaskSend(0, &send);
}

static void submit_seen(void *event, void *stream)
{
	fake.inside = send_inside;
	CHECK(aclrtRecordEvent(event, stream) == 0);
	task_sent++;
}

static uint32_t executed_after(const char *text, uint32_t size)
{
	struct ring_snapshot s;
	uint32_t executed;

	CHECK(AtraceSubmit(NULL, (void *)text, size) == 0);
	CHECK(ring_of(getpid(), &s) == 0);
	executed = s.streams[0].executed_task;
	ring_snapshot_free(&s);
	return executed;
}

static void test_below(void)
{
	static const char text[] = "TryReclyTask:devId=0,stmId=5,lastTaskId=9,exeTaskId=1,tid=1";
	static const char *const bad[] = { "TryReclyTask:devId=0,stmId=6,exeTaskId=4", "TryReclyTask:", "SendWait:",
					   "SendWait:devId=0,stmId=5,exeTaskId=", "TryReclyTask:devId=0,stmId=5,exeTaskId=x",
					   "Trace", "S", "", "SendWait:devId=0,stmId=5,exeTaskId=99999999999999",
					   "eventWait:devId=0,stmId=5,exeTaskId=4" };
	void *stream, *event;
	struct ring_snapshot s;
	size_t i;

	calls_ready();
	CHECK(aclrtCreateStream(&stream) == 0 && aclrtCreateEventWithFlag(&event, 1) == 0);
	submit_seen(event, stream);
	submit_seen(event, stream);
	CHECK(ring_of(getpid(), &s) == 0);
	CHECK(s.streams[0].stream_id == 5 && s.streams[0].last_task == 1 && s.streams[0].executed_task == RING_NONE);
	CHECK(s.queues[0].count == 2 && (s.queues[0].entries[1].flags & RING_ENTRY_CONFIRMED));
	ring_snapshot_free(&s);
	CHECK(executed_after(text, sizeof(text)) == 1);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK(executed_after(bad[i], (uint32_t)strlen(bad[i])) == 1);
	CHECK(executed_after(text, sizeof("TryReclyTask:devId=0,stmId=5")) == 1);
	CHECK(executed_after("SendWait:devId=0,stmId=5,lastTaskId=9,exeTaskId=2", 49) == 2);
}

/* Names by handle and by operator's type, each once; captured work is of a graph. */
static void test_names(void)
{
	char long_name[300];
	void *stream, *graph = NULL;
	struct ring_snapshot s;
	int i;

	memset(long_name, 'n', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	calls_ready();
	CHECK(aclrtCreateStream(&stream) == 0);
	CHECK(aclrtGetFunctionName((void *)0x5000, 16, (void *)"MatMulV2") == 0);
	for (i = 0; i < 3; i++)
		CHECK(aclrtLaunchKernelWithConfig((void *)0x5000, 1, stream, NULL, NULL, NULL) == 0);
	CHECK(aclrtLaunchKernelWithConfig((void *)0x5008, 1, stream, NULL, NULL, NULL) == 0);
	CHECK(aclopExecuteV2((void *)"Softmax", 0, NULL, NULL, 0, NULL, NULL, NULL, stream) == 0);
	CHECK(aclopExecuteV2(long_name, 0, NULL, NULL, 0, NULL, NULL, NULL, stream) == 0);
	CHECK(aclrtSetOpExecuteTimeOut(3) == 0);
	CHECK(aclmdlRICaptureBegin(stream, 2) == 0);
	CHECK(aclrtLaunchKernelWithConfig((void *)0x5000, 1, stream, NULL, NULL, NULL) == 0);
	graph = (void *)0x6000;
	CHECK(aclmdlRICaptureEnd(stream, &graph) == 0);
	CHECK(aclmdlRIExecuteAsync(graph, stream) == 0);
	CHECK(ring_of(getpid(), &s) == 0);
	CHECK(s.queues[0].count == 8 && s.header.op_execute_timeout_ms == 3000);
	for (i = 0; i < 3; i++)
		CHECK(!strcmp(s.names + s.queues[0].entries[i].name - 1, "MatMulV2"));
	CHECK(s.queues[0].entries[3].name == 0);
	CHECK(!strcmp(s.names + s.queues[0].entries[4].name - 1, "Softmax"));
	CHECK(strlen(s.names + s.queues[0].entries[5].name - 1) == 127);
	CHECK(s.queues[0].entries[6].flags & RING_ENTRY_CAPTURED);
	CHECK(s.queues[0].entries[7].object && !(s.queues[0].entries[7].flags & RING_ENTRY_CAPTURED));
	CHECK(s.objects[s.queues[0].entries[7].object - 1].kind == RING_OBJECT_GRAPH);
	CHECK(s.objects[s.queues[0].entries[7].object - 1].last_record == RING_POINT(1, 6));
	CHECK(!(s.streams[0].flags & RING_STREAM_CAPTURING));
	ring_snapshot_free(&s);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "pass"))
		test_pass();
	else if (!strcmp(what, "helper") && argc == 4)
		test_helper(argv[2], argv[3]);
	else if (!strcmp(what, "fork"))
		test_fork();
	else if (!strcmp(what, "threads"))
		test_threads();
	else if (!strcmp(what, "tables"))
		test_tables();
	else if (!strcmp(what, "odd"))
		test_odd();
	else if (!strcmp(what, "order"))
		test_order();
	else if (!strcmp(what, "storm"))
		test_storm();
	else if (!strcmp(what, "below"))
		test_below();
	else if (!strcmp(what, "names"))
		test_names();
	else if (!strcmp(what, "plain"))
		test_plain();
	else
		return 2;
	CHECK_DONE();
}
